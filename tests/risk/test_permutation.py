"""Importance: what is not used does not matter, what is used does."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.signal import lfilter
from sklearn.base import BaseEstimator, RegressorMixin

from epee import LinearDiscriminantAnalysis, LinearRegression
from epee.errors import EpeeWarning, WrongUse
from epee.risk import holdout_error, importance
from epee.risk.permutation import _donors

rng = np.random.default_rng(0)


@pytest.fixture
def line():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(240, 4))
    return X, 3 * X[:, 1] + X[:, 3] + 0.3 * rng.normal(size=240)


def test_ranks_and_size(line):
    X, y = line
    found = importance(LinearRegression().fit(X[:120], y[:120]), X[120:], y[120:], repeats=20)
    assert list(found.order[:2]) == [1, 3] and abs(found.value[0]) < 0.02
    assert found.value[1] == pytest.approx(2 * 9, rel=0.25)  # shuffling doubles the variance of 3 x: E (3x - 3x')² = 18
    assert (found.low[[1, 3]] > 0).all() and found.stderr[1] > 0


def test_not_fitted_takes_folds(line):
    X, y = line
    found = importance(LinearRegression(), X, y)
    assert "folds" in found.how and found.order[0] == 1
    again = importance(LinearRegression(), X, y)
    np.testing.assert_array_equal(found.value, again.value)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames(line, frame):
    X, y = line
    table = frame(dict(zip("abcd", X.T, strict=True)))
    found = importance(LinearDiscriminantAnalysis(), table, y > 0, repeats=3)
    assert found.names == list("abcd") and found.order[0] == 1 and "b" in str(found)
    np.testing.assert_allclose(found.value, importance(LinearDiscriminantAnalysis(), X, y > 0, repeats=3).value)


@pytest.mark.parametrize("fitted", [False, True])
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames_stay_frames_for_who_looks_at_their_names(line, frame, fitted):
    """Scikit-learn warns, and warnings are errors here, where it learned names and is asked about none."""
    from sklearn.linear_model import LinearRegression as Theirs
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, y = line
    table = frame(dict(zip("abcd", X.T, strict=True)))
    for model in (Theirs(), make_pipeline(StandardScaler(), Theirs())):
        plain = importance(model.fit(X, y) if fitted else model, X, y, repeats=2)
        found = importance(model.fit(table, y) if fitted else model, table, y, repeats=2)
        assert found.names == list("abcd")
        np.testing.assert_allclose(found.value, plain.value)


def test_files_have_the_names_of_their_columns(line, tmp_path):
    X, y = line
    table = pd.DataFrame(X, columns=list("abcd")).assign(y=y, w=np.arange(240) % 3 + 1)
    table.to_csv(tmp_path / "table.csv", index=False)
    found = importance(LinearRegression(), tmp_path / "table.csv", "y", sample_weight="w", repeats=2)
    plain = importance(LinearRegression(), table, "y", sample_weight="w", repeats=2)
    assert found.names == plain.names == list("abcd")
    np.testing.assert_allclose(found.value, plain.value)
    np.testing.assert_allclose(found.stderr, plain.stderr)


def test_weights_and_bad_input(line):
    X, y = line
    w = np.where(np.arange(240) < 120, 1.0, 0.0)
    found = importance(LinearRegression(), X, y, sample_weight=w)
    assert found.order[0] == 1
    with pytest.raises(WrongUse, match="at least one shuffle"):
        importance(LinearRegression(), X, y, repeats=0)


def test_a_few_far_rows_are_said(line):
    X, y = line
    assert not importance(LinearRegression(), X, y).caution
    far = X.copy()
    far[7, [1, 3]] = 15.0, -15.0
    found = importance(LinearRegression(), far, y + 3 * (far - X)[:, 1] + (far - X)[:, 3])
    assert "the columns 1, 3" in found.caution and str(found).endswith(found.caution)


class Told(RegressorMixin, BaseEstimator):
    """A line that is known: the first column."""

    def fit(self, X, y):
        """Learn nothing."""
        return self

    def __sklearn_is_fitted__(self):
        """It is fitted."""
        return True

    def predict(self, X):
        """Say the first column."""
        return np.asarray(X)[:, 0]


def patients(seed, shared, level, many=40, each=5):
    """Rows of patients: a column that they ``share`` in part, and errors that share a ``level``; shuffling costs 2."""
    rng = np.random.default_rng([many, seed])
    g = np.repeat(np.arange(many), each)
    x = np.sqrt(shared) * rng.normal(size=many)[g] + np.sqrt(1 - shared) * rng.normal(size=len(g))
    e = np.sqrt(level) * rng.normal(size=many)[g] + np.sqrt(1 - level) * rng.normal(size=len(g))
    return np.column_stack([x, rng.normal(size=len(g))]), x + e, g


TOLD = Told()


@pytest.mark.parametrize("model", [TOLD, LinearRegression()])
def test_rows_that_belong_together_are_said_and_groups_answer(model):
    X, y, g = patients(0, 0.5, 0.5)
    found, told = importance(model, X, y), importance(model, X, y, groups=g)
    assert "follow each other" in found.caution and str(found).endswith(found.caution)
    assert "follow each other" not in told.caution and told.how.endswith("error bar from 40 groups")
    alone = importance(model, X, y, groups=np.arange(len(y)))
    assert not alone.caution and found.high[0] - found.low[0] > 1.3 * (alone.high[0] - alone.low[0])
    assert told.stderr[0] > 1.1 * alone.stderr[0]
    if model is TOLD:
        assert holdout_error(model, X, y).kin == found.caution


def test_rows_that_share_the_cells_alone_are_said():
    X, y, g = patients(1, 1.0, 0.0, many=60)
    assert not holdout_error(TOLD, X, y).kin
    found, told = importance(TOLD, X, y), importance(TOLD, X, y, groups=g)
    assert "how much the column 0 matters" in found.caution and "matters" not in told.caution
    assert found.stderr[0] > 1.3 * importance(TOLD, X, y, groups=np.arange(len(y))).stderr[0]


@pytest.mark.parametrize("shared", [0.5, 1.0])
def test_intervals_of_importance_by_groups_cover(shared):
    held = []
    for seed in range(100):
        X, y, g = patients(seed, shared, 0.5)
        found = importance(TOLD, X, y, repeats=3, groups=g)
        held.append(found.low[0] <= 2 <= found.high[0])
    assert 87 <= sum(held) <= 99  # of 95


def test_independent_rows_are_marked_once_in_a_hundred():
    alarms = 0
    for seed in range(150):
        X, y, _ = patients(seed, 0.0, 0.0)
        alarms += any(w in importance(TOLD, X, y, repeats=2).caution for w in ("resemble", "alike"))
    assert alarms <= 7  # of 3, two searches


def test_few_groups_are_said():
    X, y, g = patients(0, 0.5, 0.5, many=12, each=15)
    assert "12 independent ones" in importance(TOLD, X, y, groups=g).caution


@pytest.mark.parametrize("weighed", [False, True])
def test_cells_come_from_rows_of_other_groups(weighed):
    rng = np.random.default_rng(0)
    g = rng.permutation(np.repeat(np.arange(9), rng.integers(1, 9, 9)))
    w = rng.exponential(size=len(g)) if weighed else np.ones(len(g))
    given = [_donors(rng, w, g) for _ in range(400)]
    if weighed:
        often = np.bincount(np.concatenate(given), minlength=len(g)) / 400
        np.testing.assert_allclose(often, w / w.mean(), atol=0.12)
    else:
        assert all((g[donor] != g).all() and len(np.unique(donor)) == len(g) for donor in given)
        assert all((donor != np.arange(len(g))).all() for donor in (_donors(rng, w, None) for _ in range(50)))
        assert sorted(_donors(rng, np.ones(5), np.array([0, 0, 0, 0, 1])).tolist()) == list(range(5))


def series(n, phi):
    """Values that follow each other, of variance 1."""
    e = lfilter([np.sqrt(1 - phi**2)], [1, -phi], rng.normal(size=n + 200))
    return e[200:]


def in_time(phi, n=400):
    x = series(n, phi)
    return np.column_stack([x, rng.normal(size=n)]), x + series(n, phi)


def test_intervals_of_importance_in_time_cover():
    held, plain = 0, 0
    for _ in range(100):
        X, y = in_time(0.9)
        found = importance(TOLD, X, y, repeats=3, time=True)
        held += bool(found.low[0] <= 2 <= found.high[0])
        bar = importance(TOLD, X, y, repeats=3, groups=np.arange(len(y)))  # rows that stand alone
        plain += bool(bar.low[0] <= 2 <= bar.high[0])
    assert 87 <= held <= 99 and plain < 75  # of 95


def test_independent_rows_in_time_are_hardly_marked():
    said = [bool(importance(TOLD, *in_time(0.0), repeats=2, time=True).caution) for _ in range(150)]
    assert sum(said) <= 12  # of 3 for sides and seasons, and the few losses that lie far out


def test_what_follows_is_judged_by_what_came_before():
    when = rng.permutation(300)
    X = rng.normal(size=(300, 3))
    y = np.where(when < 100, 0.0, 3 * X[:, 1]) + 0.1 * rng.normal(size=300)  # the first third teaches nothing
    table = pd.DataFrame(X, columns=list("abc")).assign(y=y, when=when)
    found = importance(LinearRegression(), table, "y", time="when", gap=3)
    assert found.names == list("abc") and found.order[0] == 1
    assert found.how.startswith("forward chaining in time, 5 folds, forecasts 4 to") and found.how.endswith(
        "rows in time"
    )
    same = importance(LinearRegression(), X, y, time=when, gap=3)
    np.testing.assert_allclose(found.value, same.value, rtol=1e-9)


def test_cells_come_from_other_blocks_of_time():
    """A level that changes once in a stretch matters, though rows that follow each other share it."""
    level = np.repeat(rng.normal(size=10), 40)
    X, y = level[:, None], level + 0.1 * rng.normal(size=400)
    assert importance(LinearRegression(), X, y, time=True).value[0] > 0.5 * 2 * level[134:].var()


def test_a_gap_needs_a_time_and_groups_win():
    X, y = in_time(0.0)
    with pytest.raises(WrongUse, match="give time, too"):
        importance(LinearRegression(), X, y, gap=2)
    with pytest.warns(EpeeWarning, match="groups alone"):
        found = importance(TOLD, X, y, repeats=2, groups=np.arange(400) // 4, time=True)
    assert found.how.endswith("error bar from 100 groups")
