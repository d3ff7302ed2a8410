"""Losses that people ask the main job for: Brier's, the pinball, Poisson's deviance, and the ranking."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn import metrics

from epee.errors import DataError, WrongUse
from epee.losses import Brier, Pinball, PoissonDeviance, Ranking, resolve

seeds = st.integers(0, 2**31)


@given(seeds, st.integers(2, 5))
def test_ranking_is_one_minus_the_area_of_scikit_learn(seed, K):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(K), rng.integers(0, K, 40)])
    P = np.round(rng.dirichlet(np.ones(K), len(y)), 1 + seed % 3)  # ties
    P[:, -1] = 1 - P[:, :-1].sum(axis=1)
    mine = Ranking().value(P[:, 1] if K == 2 else P, y)
    each = [metrics.roc_auc_score(y == k, P[:, k]) for k in ([1] if K == 2 else range(K))]
    assert mine.mean() == pytest.approx(1 - np.mean(each), abs=1e-12)


@given(seeds)
def test_the_spread_of_a_ranking_is_delongs(seed):
    from epee.risk.ranking import area, area_error

    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(60) < 25)
    s = np.round(rng.normal(size=60) + y, 1)
    value, placement = area(s, y, np.ones(60))
    found, n = Ranking().value(s, y.astype(int)), 60
    P, N = 25, 35
    a, b = placement[y], placement[~y]
    delong = a.var() / P + b.var() / N  # with P and N under the variances
    assert found.var() / n == pytest.approx(delong)
    assert area_error(placement, y, np.ones(60))[0] == pytest.approx(np.sqrt(delong), rel=0.05)


def test_one_class_cannot_be_ranked():
    assert Ranking().value([0.1, 0.7], [1, 1]).tolist() == [0.5, 0.5]
    assert not Ranking().rowwise and Brier().rowwise
    assert Ranking().weighed([0.1, 0.7], [0, 1], [1.0, 0.0]).tolist() == [0.5, 0.5]


@given(seeds)
def test_weights_rank_as_copies_do_and_as_scikit_learn_weighs(seed):
    rng = np.random.default_rng(seed)
    y, s, w = rng.permutation(np.arange(40) % 2), np.round(rng.normal(size=40), 1), rng.integers(0, 4, 40)
    y[:2], w[:2] = [0, 1], 1  # both classes are there
    parts = Ranking().weighed(s, y, w)
    assert np.average(parts, weights=w) == pytest.approx(1 - metrics.roc_auc_score(y, s, sample_weight=w))
    copies = Ranking().value(np.repeat(s, w), np.repeat(y, w))
    np.testing.assert_allclose(np.repeat(parts, w), copies, atol=1e-12)
    S, z = rng.normal(size=(40, 3)), np.arange(40) % 3
    one = [metrics.roc_auc_score(z == k, S[:, k], sample_weight=w + 1) for k in range(3)]
    assert np.average(Ranking().weighed(S, z, w + 1), weights=w + 1) == pytest.approx(1 - np.mean(one))


@given(seeds)
def test_brier_and_pinball_and_poisson_are_scikit_learns(seed):
    rng = np.random.default_rng(seed)
    y, p = rng.integers(0, 2, 30), rng.random(30)
    P = np.column_stack([1 - p, p])
    assert Brier().value(P, y).mean() == pytest.approx(metrics.brier_score_loss(y, p)) == Brier().value(p, y).mean()
    t, f, q = rng.normal(size=30), rng.normal(size=30), float(rng.uniform(0.05, 0.95))
    assert Pinball(q).value(f, t).mean() == pytest.approx(metrics.mean_pinball_loss(t, f, alpha=q))
    counts, rates = rng.poisson(3, 30), rng.gamma(2, 1, 30) + 0.1
    assert PoissonDeviance().value(rates, counts).mean() == pytest.approx(metrics.mean_poisson_deviance(counts, rates))


@given(seeds)
def test_gradients_are_finite_differences(seed):
    rng, h = np.random.default_rng(seed), 1e-6
    t, f = rng.poisson(3, 20).astype(float), rng.uniform(0.5, 6, 20)
    for loss in (Pinball(0.8), PoissonDeviance()):
        wanted = (loss.value(f + h, t) - loss.value(f - h, t)) / (2 * h)
        far = np.abs(f - t) > 1e-4  # the pinball has a corner
        assert_allclose(loss.gradient(f, t)[far], wanted[far], rtol=1e-4, atol=1e-6)
    y, P = rng.integers(0, 3, 20), rng.dirichlet(np.ones(3), 20) * 0.98 + 0.005
    for k in range(3):
        step = np.zeros(3)
        step[k] = h
        wanted = (Brier().value(P + step, y) - Brier().value(P - step, y)) / (2 * h)
        assert_allclose(Brier().gradient(P, y)[:, k], wanted, rtol=1e-5, atol=1e-7)


def test_names_and_refusals():
    assert resolve("quantile0.9").quantile == 0.9 and resolve("pinball").name == "quantile0.5"
    assert resolve("AUC").name == resolve("roc_auc").name == "auc" and resolve("rmse").name == "squared"
    with pytest.raises(WrongUse, match="between 0 and 1"):
        resolve("quantile1.5")
    with pytest.raises(DataError, match="for counts"):
        PoissonDeviance().value([1.0], [-1.0])
    with pytest.raises(DataError, match="between 0 and 1"):
        Brier().value([1.4], [1])
    assert PoissonDeviance().value([-1.0], [2.0])[0] > 1000  # a rate below 0 is as bad as can be


def test_rows_are_ranked_by_one_class_of_several_by_probabilities():
    """Linear scores of a class are comparable within a row only: what a cross-validation ranks by are probabilities."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as Sklearn

    import epee
    from epee.risk import cross_validate, roc_auc

    iris = epee.samples.load("iris")
    X, y = iris.drop(columns="species").to_numpy(), iris["species"].to_numpy()
    model = epee.LinearDiscriminantAnalysis().fit(X, y)
    P = model.predict_proba(X)
    each = [metrics.roc_auc_score(y == label, P[:, k]) for k, label in enumerate(model.classes_)]
    loss = resolve("auc").bind(model.classes_)
    assert loss.value(loss.ask(model, X), y).mean() == pytest.approx(1 - np.mean(each))
    by_folds = [cross_validate(m, X, y, folds=5, loss="auc").value for m in (model, Sklearn())]
    assert by_folds[0] < 0.01 and by_folds[0] == pytest.approx(by_folds[1], abs=0.003)
    assert roc_auc(model, X + 1e-9, y).value == pytest.approx(np.mean(each), abs=1e-3)
