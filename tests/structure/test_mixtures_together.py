"""Mixtures fitted side by side: each as it would be alone, or left to be fitted alone."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from epee import BayesClassifier, GaussianDensity, GaussianMixture
from epee.errors import DataError, SearchWarning
from epee.structure import mixtures_together
from epee.structure.mixtures_together import Stack, climb_together, fit_beside, groups

PARAMETERS = ("weights_", "means_", "covariances_", "precisions_cholesky_", "lower_bounds_", "lower_bound_")


def clouds(n, p=4, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)) * [1, 3, 0.1, 1][:p] + 4 * rng.integers(0, 3, (n, 1)) + 100


def small(K=3, **others):
    return GaussianMixture(K, **{"covariance_type": "diag", "reg_covar": 1e-2, "random_state": 0} | others)


def alike(ours, alone, rtol=1e-9):
    assert (ours.n_iter_, ours.converged_, ours.reason_, ours.n_features_in_) == (
        alone.n_iter_, alone.converged_, alone.reason_, alone.n_features_in_
    )  # fmt: skip
    for name in PARAMETERS:
        np.testing.assert_allclose(getattr(ours, name), getattr(alone, name), rtol=rtol, atol=1e-12)
    assert set(vars(ours)) == set(vars(alone))


@pytest.mark.parametrize("room", [1 << 20, 20_000, 1])
def test_each_table_is_climbed_as_it_would_be_alone(room, monkeypatch):
    monkeypatch.setattr(mixtures_together, "ROOM", room)
    models = [small(K, random_state=s, tol=tol) for K in (2, 3, 5) for s, tol in ((0, 1e-3), (1, 1e-5), (2, 1e-3))]
    tables = [clouds(60 + 17 * i, seed=i) for i in range(len(models))]
    assert fit_beside(models, [(X, None) for X in tables]) == set(range(len(models)))
    for model, X in zip(models, tables, strict=True):
        alone = clone(model).fit(X)
        alike(model, alone)
        np.testing.assert_allclose(model.score_samples(X), alone.score_samples(X), rtol=1e-10)


def test_a_climb_that_is_cut_short_says_so_as_alone():
    X, model = np.random.default_rng(0).normal(size=(80, 4)), small(max_iter=2)
    with pytest.warns(SearchWarning, match="2 iterations were made"):
        assert fit_beside([model], [(X, None)]) == {0}
    with pytest.warns(SearchWarning, match="2 iterations were made"):
        alike(model, clone(model).fit(X))


OTHERS = [
    {"covariance_type": "full"}, {"noise": True}, {"n_init": 2}, {"init_params": "random"}, {"random_state": None}, {"reg_covar": 0.0},
    {"means_init": np.zeros((3, 4))}, {"max_iter": 0}, {"warm_start": True}, {"n_components": 1},
]  # fmt: skip


@pytest.mark.parametrize("others", OTHERS, ids=lambda o: next(iter(o)))
def test_other_mixtures_are_left_alone(others):
    assert not fit_beside([small(**others) if "n_components" not in others else small(1)], [(clouds(90), None)])


def test_other_rows_are_left_alone():
    X = clouds(90)
    holes = X.copy()
    holes[3, 1] = np.nan
    given = [
        (holes, None),
        (X, np.ones(90)),
        (X.astype(np.float32), None),
        (clouds(2600), None),
        (np.repeat(X[:1], 9, axis=0), None),
    ]
    assert not fit_beside([small() for _ in given], given)
    assert not fit_beside([GaussianDensity(covariance_type="diag", reg_covar=1e-2)], [(X, None)])


def test_a_table_where_a_cluster_dies_or_digits_are_lost_is_not_answered_for():
    few = np.repeat([[0.0], [1.0]], 8, axis=0)  # three centres find two points
    far = np.concatenate([np.zeros((20, 1)), np.full((20, 1), 1e9)]) + np.random.default_rng(0).normal(size=(40, 1))
    found = climb_together([few, clouds(40, 1), far], 3, [0, 0, 0], np.full(3, 1e-6), np.full(3, 1e-3), np.full(3, 50))
    assert [one is None for one in found] == [True, False, True]


def test_what_cannot_go_beside_others_is_fitted_alone_all_the_same():
    X = clouds(90)
    models = [small(), small(covariance_type="full"), small(2)]
    GaussianMixture.fit_together(models, [(X, None, None), (X, None, None), (X, None, np.arange(90.0))])
    alike(models[0], small().fit(X))
    np.testing.assert_array_equal(models[1].means_, small(covariance_type="full").fit(X).means_)
    np.testing.assert_array_equal(models[2].means_, small(2).fit(X, sample_weight=np.arange(90.0)).means_)


def test_stacks_fit_in_their_room_and_hold_every_table():
    sizes = np.random.default_rng(0).integers(20, 400, 50).tolist()
    cut = groups(sizes, 10, 3)
    assert sorted(np.concatenate(cut).tolist()) == list(range(50))
    assert all(len(g) == 1 or len(g) * max(sizes[i] for i in g) * 72 <= mixtures_together.ROOM for g in cut)


def test_a_stack_forgets_nothing_of_its_tables():
    tables = [clouds(5), clouds(9, seed=1)]
    stack = Stack.of(tables)
    for b, X in enumerate(tables):
        np.testing.assert_allclose((stack.U[b] + stack.origin[b])[stack.w[b] > 0], X, rtol=1e-15)
        np.testing.assert_allclose((stack.U[b] * stack.w[b][:, None]).sum(axis=0), 0, atol=1e-10)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("density", [small(2), None], ids=["mixture", "normal law"])
def test_bayes_classifiers_fit_together_as_each_alone(density, weighted):
    rng = np.random.default_rng(3)
    X, y = (
        np.concatenate([clouds(70), clouds(50, seed=1) + 1, clouds(90, seed=2) - 1]),
        np.repeat(["a", "b", "c"], [70, 50, 90]),
    )
    cut = [rng.permutation(210)[:180] for _ in range(4)]
    rows = [(X[i], y[i], rng.integers(0, 3, 180).astype(float) if weighted else None) for i in cut]
    models = [BayesClassifier(density) for _ in cut]
    BayesClassifier.fit_together(models, rows)
    for model, (A, b, w) in zip(models, rows, strict=True):
        alone = BayesClassifier(density).fit(A, b, sample_weight=w)
        np.testing.assert_array_equal(model.class_prior_, alone.class_prior_)
        np.testing.assert_allclose(model.predict_proba(X), alone.predict_proba(X), rtol=1e-9, atol=1e-12)
        assert set(vars(model)) == set(vars(alone))


def test_a_class_that_cannot_be_fitted_is_named():
    X, y = np.concatenate([clouds(30), clouds(2, seed=1)]), np.repeat(["a", "b"], [30, 2])
    with pytest.raises(DataError, match=r"class 'b' \(2 rows\)"):
        BayesClassifier.fit_together([BayesClassifier(small(3))], [(X, y, None)])
