from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from epee import BernoulliNB, CategoricalNB, GaussianNB, MixedNB, PoissonNB
from epee.errors import DataError, DataWarning, SingularProblem, WrongUse
from tests.predictors.generative.leaving import check_left_out

rng = np.random.default_rng(0)
N = 60
y = rng.integers(0, 3, N)
w = rng.integers(1, 4, N).astype(float)
PARTS = {
    "gaussian": rng.normal(size=(N, 2)) + y[:, None],
    "bernoulli": (rng.random((N, 2)) < 0.4).astype(float),
    "categorical": rng.integers(0, 3, (N, 2)).astype(float),
    "poisson": rng.poisson(2, (N, 2)).astype(float),
}
X = np.hstack(list(PARTS.values()))
KINDS = [kind for kind in PARTS for _ in range(2)]
HOLES = np.where(rng.random(X.shape) < 0.15, np.nan, X)


@pytest.mark.parametrize(
    ("kind", "other"),
    [("gaussian", GaussianNB), ("bernoulli", BernoulliNB), ("categorical", CategoricalNB), ("poisson", PoissonNB)],
)
def test_each_kind_is_its_own_classifier(kind, other):
    Z = PARTS[kind]
    ours, theirs = MixedNB(kind).fit(Z, y, w), other().fit(Z, y, w)
    np.testing.assert_allclose(ours.predict_log_proba(Z), theirs.predict_log_proba(Z), atol=1e-9)


def test_kinds_add_up():
    scores = MixedNB(KINDS).fit(X, y)._score(X)
    prior = np.log(np.bincount(y) / N)
    parts = sum(MixedNB(kind).fit(Z, y)._score(Z) - prior for kind, Z in PARTS.items())
    np.testing.assert_allclose(scores, parts + prior, atol=1e-9)


def test_missing_cells_are_integrated_out():
    m = MixedNB(KINDS).fit(HOLES, y)
    for i in range(0, N, 7):
        seen = np.flatnonzero(~np.isnan(HOLES[i]))
        part = MixedNB([KINDS[j] for j in seen]).fit(HOLES[:, seen], y)
        whole_floor = np.allclose(m.var_[:, seen], part.var_, rtol=1e-6)
        assert whole_floor
        np.testing.assert_allclose(m._score(HOLES[i : i + 1]), part._score(HOLES[i : i + 1, seen]), atol=1e-6)
    for k in range(3):
        x = HOLES[y == k, 0]
        assert np.isclose(m.theta_[k, 0], np.nanmean(x)) and np.isclose(m.var_[k, 0], np.nanvar(x))
    empty = m.predict_proba(np.full((1, 8), np.nan))
    np.testing.assert_allclose(empty[0], np.bincount(y) / N)


@pytest.mark.parametrize("weights", [None, w])
def test_left_out(weights):
    check_left_out(lambda: MixedNB(KINDS, var_smoothing=0.01), HOLES, y, weights, every=3)


def test_parts_and_forgetting():
    whole = MixedNB(KINDS).fit(HOLES, y)
    parts = MixedNB(KINDS).partial_fit(HOLES[:20], y[:20], classes=[0, 1, 2]).partial_fit(HOLES[20:], y[20:])
    np.testing.assert_allclose(parts._score(HOLES), whole._score(HOLES), atol=1e-9)
    np.testing.assert_allclose(
        whole.forget(HOLES[:9], y[:9])._score(HOLES), MixedNB(KINDS).fit(HOLES[9:], y[9:])._score(HOLES), atol=1e-8
    )


def frame():
    table = pd.DataFrame(
        {
            "size": X[:, 0],
            "town": np.array(["Lyon", "Metz", "Paris"])[X[:, 4].astype(int)],
            "owner": X[:, 2].astype(bool),
            "visits": X[:, 6],
        }
    )
    table.loc[3, "size"] = np.nan
    table.loc[4, "town"] = None
    return table


def test_frames():
    table = frame()
    m = MixedNB({"visits": "count"}).fit(table, y)
    assert m.kinds_ == ["gaussian", "categorical", "bernoulli", "poisson"] and m.categories_ == {
        1: ["Lyon", "Metz", "Paris"]
    }
    other = pl.from_pandas(table)
    np.testing.assert_allclose(MixedNB({"visits": "count"}).fit(other, y).predict_proba(other), m.predict_proba(table))
    strange = table.copy()
    strange.loc[0, "town"], table.loc[0, "town"] = "Brest", None
    with pytest.warns(DataWarning, match="column 'town': the category in row 0 was in no training row"):
        found = m.predict_proba(strange)
    np.testing.assert_allclose(found[0], m.predict_proba(table)[0])
    more = MixedNB({"visits": "count"}).partial_fit(frame()[:30], y[:30]).partial_fit(strange[30:], y[30:])
    np.testing.assert_allclose(more.moments_.count.sum(), 60)


def test_files(tmp_path):
    table = frame()
    path, labelled = tmp_path / "table.csv", table.assign(label=np.array(["a", "b", "c"])[y])
    labelled.to_csv(path, index=False)
    here = MixedNB({"visits": "count"}).fit(table, labelled["label"])
    there = MixedNB({"visits": "count"}).fit(path, "label")
    assert there.kinds_ == here.kinds_ and there.categories_ == here.categories_
    np.testing.assert_allclose(there.predict_proba(table), here.predict_proba(table), rtol=1e-12)
    new = tmp_path / "new.csv"
    table.to_csv(new, index=False)
    np.testing.assert_allclose(there.predict_proba(new), here.predict_proba(table), rtol=1e-12)


def test_sampling_keeps_the_kinds():
    Z, labels = MixedNB(KINDS).fit(HOLES, y).sample(3000, random_state=0)
    assert (
        set(np.unique(Z[:, 2])) == {0, 1}
        and set(np.unique(Z[:, 4])) == {0, 1, 2}
        and (Z[:, 6] == np.round(Z[:, 6])).all()
    )
    again = MixedNB(KINDS).fit(Z, labels)
    np.testing.assert_allclose(again.theta_[:, :4], MixedNB(KINDS).fit(HOLES, y).theta_[:, :4], atol=0.15)


def test_bad_input():
    with pytest.raises(DataError, match="column 0: 2 in row 1 is neither 0 nor 1"):
        MixedNB("bernoulli").fit([[0.0], [2.0], [1.0]], [0, 1, 1])
    with pytest.raises(DataError, match="column 0: -1 in row 1 is negative"):
        MixedNB("poisson").fit([[0.0], [-1.0], [1.0]], [0, 1, 1])
    with pytest.raises(DataError, match="column 0 holds 0.5 in row 0"):
        MixedNB("category").fit([[0.5], [1.0]], [0, 1])
    with pytest.raises(DataError, match="infinity.*column 1.*first in row 0"):
        MixedNB().fit([[np.nan, np.inf], [1.0, 2.0], [0.0, 3.0]], [0, 1, 1])
    with pytest.raises(WrongUse, match="no kind 'colour'"):
        MixedNB("colour").fit(X, y)
    with pytest.raises(WrongUse, match="3 entries"):
        MixedNB(["number"] * 3).fit(X, y)
    with pytest.raises(WrongUse, match="column 'nowhere'"):
        MixedNB({"nowhere": "count"}).fit(frame(), y)
    with pytest.raises(WrongUse, match="alpha"):
        MixedNB(alpha=0.0).fit(X, y)
    with pytest.raises(DataError, match="column 1 has no observed cell"):
        MixedNB().fit([[0.0, np.nan], [1.0, np.nan], [3.0, np.nan]], [0, 1, 1])
    with pytest.raises(SingularProblem, match="class.*column 0 is constant"):
        MixedNB(var_smoothing=0).fit([[1.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    with pytest.raises(DataError, match="'when' holds Datetime"):
        MixedNB().fit(pd.DataFrame({"when": pd.to_datetime(["2020-01-01", "2020-01-02"])}), [0, 1])


def test_moments_need_the_kinds_of_the_columns():
    X = np.random.default_rng(0).normal(size=(20, 2))
    labels = np.arange(20) % 2
    made = MixedNB()
    moments = made.moments(X, labels)
    np.testing.assert_allclose(made.fit_moments(moments).predict_proba(X), MixedNB().fit(X, labels).predict_proba(X))
    with pytest.raises(WrongUse, match="kinds of the columns"):
        MixedNB().fit_moments(moments)
