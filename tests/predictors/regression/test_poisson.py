"""Poisson regression by iterated least squares."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
import sklearn.linear_model
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import epee
from epee import PoissonRegressor
from epee.errors import DataError, SearchWarning, WrongUse

RNG = np.random.default_rng(7)
X = RNG.normal(size=(300, 4)) * [1.0, 3.0, 0.2, 1.0] + [0.0, 5.0, -1.0, 0.0]
Y = RNG.poisson(np.exp(X @ [0.3, -0.1, 0.5, 0.0] + 1.0)).astype(float)
W = RNG.integers(0, 4, size=300).astype(float)


def gradient(model, weights):
    """Return the gradient of the penalised mean loss."""
    rest = weights * (model.predict(X) - Y) / weights.sum()
    return np.append(X.T @ rest + model.alpha * model.coef_, rest.sum())


@pytest.mark.parametrize("alpha", [0.0, 0.01, 1.0])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weights", [None, W], ids=["plain", "weighted"])
def test_agrees_with_scikit_learn(alpha, intercept, weights):
    ours = PoissonRegressor(alpha=alpha, fit_intercept=intercept).fit(X, Y, sample_weight=weights)
    theirs = sklearn.linear_model.PoissonRegressor(
        alpha=alpha, fit_intercept=intercept, solver="newton-cholesky", tol=1e-12
    ).fit(X, Y, sample_weight=weights)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-6, atol=1e-9)
    assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-6, atol=1e-9)
    assert ours.score(X, Y, weights) == pytest.approx(theirs.score(X, Y, weights), rel=1e-9)


def test_agrees_with_statsmodels():
    import statsmodels.api as sm

    found = sm.GLM(Y, sm.add_constant(X), family=sm.families.Poisson(), freq_weights=W).fit(tol=1e-12)
    ours = PoissonRegressor(alpha=0).fit(X, Y, sample_weight=W)
    assert_allclose([ours.intercept_, *ours.coef_], found.params, rtol=1e-6)
    assert ours.deviance_ == pytest.approx(found.deviance, rel=1e-9)
    assert ours.null_deviance_ == pytest.approx(found.null_deviance, rel=1e-9)
    assert ours.degrees_of_freedom() == pytest.approx(5.0)


@given(st.integers(0, 2**31), st.sampled_from([0.0, 0.1, 10.0]))
@settings(max_examples=20, deadline=None)
def test_the_gradient_vanishes(seed, alpha):
    weights = np.random.default_rng(seed).integers(0, 3, size=300).astype(float) + 0.5
    model = PoissonRegressor(alpha=alpha).fit(X, Y, sample_weight=weights)
    assert np.abs(gradient(model, weights)).max() < 1e-7


def test_weights_are_counts():
    some = W > 0
    again = np.repeat(np.arange(300), W.astype(int))
    a, b = PoissonRegressor(alpha=0.1).fit(X, Y, sample_weight=W), PoissonRegressor(alpha=0.1).fit(X[again], Y[again])
    c = PoissonRegressor(alpha=0.1).fit(X[some], Y[some], sample_weight=W[some])
    for other in (b, c):
        assert_allclose(a.coef_, other.coef_, rtol=1e-9)
        assert a.deviance_ == pytest.approx(other.deviance_, rel=1e-10)


def test_any_table_gives_the_same(tmp_path):
    import dask.dataframe as dd
    import pandas as pd

    frame = pd.DataFrame(X, columns=list("abcd")).assign(y=Y, w=W)
    frame.to_csv(tmp_path / "t.csv", index=False)
    plain = PoissonRegressor(alpha=0.1).fit(X, Y, sample_weight=W)
    tables = (str(tmp_path / "t.csv"), dd.from_pandas(frame, npartitions=3))
    for table in tables:
        found = PoissonRegressor(alpha=0.1).fit(table, "y", sample_weight="w")
        assert_allclose(found.coef_, plain.coef_, rtol=1e-9)
        assert found.feature_names_in_.tolist() == list("abcd")
    sparse = PoissonRegressor(alpha=0.1).fit(scipy.sparse.csr_matrix(X), Y, sample_weight=W)
    assert_allclose(sparse.coef_, plain.coef_, rtol=1e-9)
    assert_allclose(sparse.predict(scipy.sparse.csr_matrix(X)), plain.predict(X), rtol=1e-9)


def test_far_starts_and_warm_ones():
    steep = np.column_stack([np.linspace(-20, 20, 80)])
    counts = np.round(np.exp(0.4 * steep[:, 0] - 2))
    model = PoissonRegressor(alpha=0).fit(steep, counts)
    assert np.abs(steep[:, 0] @ (model.predict(steep) - counts)) / 80 < 1e-4
    warm = PoissonRegressor(alpha=0.1, warm_start=True).fit(X, Y)
    assert warm.fit(X, Y).n_iter_ == 1


def test_bad_input():
    with pytest.raises(DataError, match="row 3 has -1"):
        PoissonRegressor().fit(X[:5], [0, 1, 2, -1, 3])
    with pytest.raises(DataError, match="sum to 0"):
        PoissonRegressor().fit(X[:5], np.zeros(5))
    with pytest.raises(WrongUse, match="alpha is -1"):
        PoissonRegressor(alpha=-1).fit(X, Y)
    with pytest.raises(WrongUse, match="solver is 'sag'"):
        PoissonRegressor(solver="sag").fit(X, Y)
    with pytest.warns(SearchWarning, match="max_iter=1 steps"):
        PoissonRegressor(max_iter=1, tol=1e-12).fit(X, Y)


def test_cross_validation_takes_it():
    assert epee.risk.cross_validate(PoissonRegressor(alpha=0.01), X, Y, folds=5).value < Y.var()
