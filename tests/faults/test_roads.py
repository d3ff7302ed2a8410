"""The same table through every dialect, frame and place is the same table: the same choice, the same figures, the same predictions."""

from __future__ import annotations

import json

import numpy as np
import pytest

import epee
from epee.errors import DataError, WrongUse
from epee.table.source import as_source
from tests.faults.corpus import DIALECTS, PLACES, awkward_table, damaged, one_line, put, slow, write_text


def learned_from(table, predictors):
    return epee.learn(table, "kind", predictors=predictors, folds=3, random_state=1)


def figures(learned):
    """Return what must be equal: the board without its times, the verdict, the test, the predictor's answers."""
    board = [
        {k: v for k, v in line.items() if k not in ("seconds", "time", "cost")} for line in learned.facts["leaderboard"]
    ]
    new = awkward_table(40, seed=9).drop_columns(["kind"])
    return json.dumps([board, learned.verdict, str(learned.risk)], default=str), learned.predictor.predict_proba(new)


@pytest.fixture(scope="module")
def wanted():
    return figures(learned_from(awkward_table(), ["lda"]))


@pytest.mark.filterwarnings("ignore::epee.errors.DataWarning")
@pytest.mark.parametrize("place", [*DIALECTS, *PLACES])
def test_every_place_gives_the_same_predictor(place, wanted, tmp_path):
    found = figures(learned_from(put(awkward_table(), place, tmp_path), ["lda"]))
    assert found[0] == wanted[0]
    np.testing.assert_array_equal(found[1], wanted[1])


KEYS = ["lda", "qda", "tree", "neighbours"]


@pytest.fixture(scope="module")
def contest():
    return figures(learned_from(awkward_table(), KEYS))


@slow
@pytest.mark.filterwarnings("ignore::epee.errors.EpeeWarning")
@pytest.mark.parametrize("place", [*DIALECTS, *PLACES])
def test_every_place_gives_the_same_contest(place, contest, tmp_path):
    found = figures(learned_from(put(awkward_table(), place, tmp_path), KEYS))
    assert found[0] == contest[0]
    np.testing.assert_array_equal(found[1], contest[1])


def survives(path):
    """Tell whether a file is read whole, or refused with one sentence."""
    try:
        return sum(len(block) for block in as_source(str(path)).raw_blocks()) <= 121
    except (DataError, WrongUse) as fault:
        return one_line(fault)


@pytest.mark.filterwarnings("ignore::epee.errors.DataWarning")
@pytest.mark.parametrize("count", [60, pytest.param(3000, marks=slow)])
def test_damaged_text_is_read_or_refused_with_a_sentence(count, tmp_path):
    data = write_text(awkward_table(), tmp_path / "t").read_bytes()
    rng = np.random.default_rng(count)
    for _ in range(count):
        (tmp_path / "d.csv").write_bytes(damaged(data, rng))
        assert survives(tmp_path / "d.csv")
