"""Labelled rows of a predictor that was learned by groups or in time, and whether two errors agree."""

import numpy as np
import pyarrow as pa
import pytest

import epee
from epee import errors
from epee.job.agreement import agree
from epee.job.assessment import assess
from epee.risk.intervals import Interval, normal_quantile
from epee.words.how_words import how_said
from tests.job.test_told import families


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    ignored = {"c": "ignore", "t": "ignore"}
    learned = epee.learn(families(), "y", groups="g", types=ignored, predictors=["linear"], folds=5)
    return learned.save(tmp_path_factory.mktemp("saved") / "m.epee")


def test_two_errors_agree_where_one_holds_the_other():
    wide, short = Interval(1.1, 11.4), Interval(1.04, 1.68)
    assert agree(1.31, short, 2.8, wide) and agree(2.8, wide, 1.31, short)
    assert not agree(1.31, short, 2.8, Interval(2.2, 3.4))


def test_of_equal_normal_errors_as_many_agree_as_the_level_says():
    rng, z = np.random.default_rng(0), normal_quantile(0.9)
    a, b = rng.normal(size=(2, 4000))
    told = [
        agree(x, Interval(x - z, x + z), 2 * y, Interval(2 * y - 2 * z, 2 * y + 2 * z))
        for x, y in zip(a, b, strict=True)
    ]
    assert np.mean(told) == pytest.approx(0.9, abs=0.015)


def test_rows_are_assessed_by_the_groups_of_the_model(saved):
    new = families(seed=7)
    by_groups, alone = assess(saved, new), assess(saved, new.drop_columns(["g"]))
    assert "groups" in by_groups.risk.how and by_groups.risk.value == pytest.approx(alone.risk.value)
    assert by_groups.risk.stderr > 1.5 * alone.risk.stderr
    assert any("counts the groups of g" in line for line in by_groups.sentences())
    assert any("a column that this table has not" in line for line in alone.sentences())
    assert by_groups.agrees


def test_rows_without_a_group_are_refused(saved):
    new = families(seed=8)
    holes = pa.array([None, *new.column("g").to_pylist()[1:]])
    with pytest.raises(errors.DataError, match="1 rows have no group"):
        assess(saved, new.set_column(0, "g", holes))


def test_a_caution_is_said_where_its_figure_is(tmp_path):
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=500), np.exp(2.5 * rng.normal(size=500))
    first, new = (pa.table({"x": x[rows], "y": y[rows]}) for rows in (slice(300), slice(300, 500)))
    path = epee.learn(first, "y", predictors=["linear"], folds=5).save(tmp_path / "m.epee")
    found = assess(path, new)
    said = found.sentences()
    assert found.risk.caution and said[said.index(found.risk.caution) - 1].startswith("Error on")
    assert found.promised.caution and found.promised.caution in said


def test_forecasts_are_assessed_in_time(tmp_path):
    table = families(shuffled=False)
    ignored = {"c": "ignore", "g": "ignore"}
    path = epee.learn(table.slice(0, 240), "y", time="t", types=ignored, predictors=["linear"], folds=5).save(
        tmp_path / "m.epee"
    )
    assert "in time" in assess(path, table.slice(240)).risk.how


@pytest.mark.parametrize(
    "asked", [{"groups": "g"}, {"time": "t"}, {"weight": "w"}, {"test_size": 0}, {"test_size": 0, "groups": "g"}]
)
def test_how_is_french_in_french(asked):
    table = families().append_column("w", pa.array(np.random.default_rng(0).exponential(size=320)))
    ignored = dict.fromkeys({"c", "g", "t", "w"} - set(asked.values()), "ignore")
    card = epee.learn(table, "y", types=ignored, predictors=["linear"], folds=5, lang="fr", **asked).card
    for figure in (card["test"], *card["scores"].values()):
        assert "lignes" in figure["how"] or "validation" in figure["how"]
        assert not {"rows", "error", "bar", "weights", "fold", "nested", "for", "the"} & set(
            figure["how"].replace(",", "").split()
        )


def test_how_is_english_in_english():
    assert how_said("held-out rows, error bar from 6 groups") == "held-out rows, error bar from 6 groups"
