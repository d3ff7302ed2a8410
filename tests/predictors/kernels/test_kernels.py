"""Kernel machines: the solution lies in the span of the rows, landmarks come near it, moments give every fold; then as scikit-learn."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.kernel_approximation import Nystroem as TheirNystroem
from sklearn.kernel_ridge import KernelRidge as TheirKernelRidge
from sklearn.linear_model import Ridge

from epee import KernelRidge, LandmarkClassifier, LandmarkRegressor, Nystroem
from epee.errors import DataWarning, WrongUse
from epee.predictors.kernels.landmarks import choose_landmarks, choose_width
from epee.table.folds import assign_folds


def waves(n, seed=0):
    r = np.random.default_rng(seed)
    X = r.uniform(-2, 2, (n, 2))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] ** 2 + 0.1 * r.normal(size=n)


@pytest.mark.parametrize("given", [
    {"kernel": "rbf", "gamma": 0.5}, {"kernel": "poly", "degree": 2}, {"kernel": "laplacian"}, {"kernel": "linear"},
    {"kernel": lambda a, b: float(a @ b) ** 2},
], ids=["rbf", "poly", "laplacian", "linear", "own"])  # fmt: skip
def test_kernel_ridge_as_scikit_learn(given):
    X, y = waves(60)
    w = np.random.default_rng(1).integers(0, 3, 60).astype(float) + 0.5
    for target in (y, np.column_stack([y, -2 * y])):
        a, b = KernelRidge(0.3, **given).fit(X, target, w), TheirKernelRidge(alpha=0.3, **given).fit(X, target, w)
        np.testing.assert_allclose(a.predict(X), b.predict(X), atol=1e-8)
        np.testing.assert_allclose(a.dual_coef_, b.dual_coef_, atol=1e-7)


def test_a_weight_of_two_is_the_row_twice():
    X, y = waves(40)
    w = np.random.default_rng(2).integers(0, 3, 40).astype(float)
    twice = np.repeat(np.arange(40), w.astype(int))
    a = KernelRidge(0.2, kernel="rbf").fit(X, y, w)
    b = KernelRidge(0.2, kernel="rbf").fit(X[twice], y[twice])
    np.testing.assert_allclose(a.predict(X), b.predict(X), atol=1e-9)


def test_a_precomputed_kernel_is_the_kernel():
    X, y = waves(30)
    K = X @ X.T
    np.testing.assert_allclose(
        KernelRidge(1.0, kernel="precomputed").fit(K, y).predict(K), KernelRidge(1.0).fit(X, y).predict(X), atol=1e-10
    )


@pytest.mark.parametrize("kernel", ["rbf", "polynomial"])
def test_nystroem_as_scikit_learn(kernel):
    X, _ = waves(80)
    given = {"kernel": kernel, "gamma": 0.3, "n_components": 20, "random_state": 3}
    a, b = Nystroem(**given).fit(X), TheirNystroem(**given).fit(X)
    np.testing.assert_array_equal(a.component_indices_, b.component_indices_)
    np.testing.assert_allclose(a.transform(X) @ a.transform(X).T, b.transform(X) @ b.transform(X).T, atol=1e-6)
    assert list(a.get_feature_names_out()[:2]) == ["nystroem0", "nystroem1"]


def test_products_of_features_are_the_kernel_at_landmarks():
    X, _ = waves(50)
    model = Nystroem(gamma=2.0, n_components=15, random_state=0).fit(X)
    F, Z = model.transform(X), model.transform(model.components_)
    K = np.exp(-2.0 * ((X[:, None] - model.components_[None]) ** 2).sum(axis=2))
    np.testing.assert_allclose(F @ Z.T, K, atol=1e-6)


def test_more_landmarks_than_rows_are_said():
    with pytest.warns(DataWarning, match="only 30 rows"):
        Nystroem(n_components=99).fit(waves(30)[0])


def test_all_rows_as_landmarks_are_exact_kernel_ridge_of_centred_features():
    X, y = waves(60)
    model = LandmarkRegressor(gamma=0.7, alpha=0.5, n_components=60).fit(X, y)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    K = np.exp(-0.7 * ((Z[:, None] - Z[None]) ** 2).sum(axis=2))
    H = np.eye(60) - 1 / 60
    a = np.linalg.solve(H @ K @ H + 0.5 * np.eye(60), H @ y)
    np.testing.assert_allclose(model.predict(X), H @ K @ H @ a + y.mean(), atol=1e-6)


def test_every_fold_and_penalty_from_moments_is_the_refit():
    X, y = waves(120)
    marks, alphas = choose_landmarks(X, None, 25, 0), np.array([0.01, 1.0])
    choice = choose_width(marks, X, y[:, None], None, None, np.array([0.4]), alphas, 5, 7)
    F, fold = marks.map(X, 0.4, choice.A), assign_folds(None, 120, 5, 7)
    for a, error in zip(alphas, choice.errors[0]):
        left = np.empty(120)
        for k in range(5):
            left[fold == k] = Ridge(a).fit(F[fold != k], y[fold != k]).predict(F[fold == k])
        assert error == pytest.approx(np.mean((y - left) ** 2), rel=1e-6)


def test_width_and_penalty_are_chosen_well():
    X, y = waves(500)
    fresh, truth = waves(500, 1)
    model = LandmarkRegressor(n_components=100).fit(X, y)
    assert np.mean((model.predict(fresh) - truth) ** 2) < 0.02  # the noise has variance 0.01
    assert model.cv_errors_.shape == (8, 41)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))


@pytest.mark.parametrize("loss", ["squared", "log", "hinge"])
@pytest.mark.parametrize("K", [2, 3])
def test_rings_are_told_apart(loss, K):
    r = np.random.default_rng(0)
    X = r.normal(size=(400, 2))
    y = np.digitize((X**2).sum(axis=1), [1.4] if K == 2 else [0.8, 2.4])
    model = LandmarkClassifier(loss, n_components=80).fit(X[:300], y[:300])
    assert model.score(X[300:], y[300:]) > 0.88
    if loss == "log":
        np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_weights_of_landmark_machines_are_counts():
    X, y = waves(100)
    w = np.ones(100)
    w[50:] = 0
    given = {"gamma": 0.5, "alpha": 0.1, "n_components": 200}
    a, b = LandmarkRegressor(**given).fit(X, y, w), LandmarkRegressor(**given).fit(X[:50], y[:50])
    np.testing.assert_allclose(a.predict(X), b.predict(X), atol=1e-6)


def test_wrong_use_is_a_sentence():
    X, y = waves(30)
    for model, words in (
        (KernelRidge(kernel="nothing"), "kernel is"), (KernelRidge(-1.0), "alpha is"), (LandmarkRegressor(gamma=-1.0), "gamma is"),
        (LandmarkRegressor(n_components=0), "n_components"), (LandmarkClassifier("cubic"), "loss is"),
    ):  # fmt: skip
        with pytest.raises(WrongUse, match=words):
            model.fit(X, (y > 0).astype(int))


@pytest.mark.parametrize("weighted", [False, True])
def test_sums_by_strips_of_a_fold_are_those_of_the_whole_kernel(weighted, monkeypatch):
    from epee.moments.moments import Moments
    from epee.predictors.kernels import landmarks as module

    rng = np.random.default_rng(0)
    X, T, fold = rng.standard_normal((300, 3)), rng.standard_normal((300, 2)), rng.integers(0, 5, 300)
    w = rng.integers(1, 4, 300).astype(float) if weighted else None
    monkeypatch.setattr(module, "STRIP", 37)
    points = module.choose_landmarks(X, w, 30, 0)
    found = module._sums(points, X, T, w, fold, 0.3)
    whole = Moments.of(points.table(X, 0.3), T, sample_weight=w, fold=fold)
    np.testing.assert_array_equal(found.count, whole.count)
    np.testing.assert_allclose(found.mean, whole.mean, rtol=0, atol=1e-14)
    np.testing.assert_allclose(found.scatter, whole.scatter, rtol=0, atol=1e-11)
    fold[fold == 3] = 2  # a fold without rows has no sums
    assert len(module._sums(points, X, T, w, fold, 0.3).count) == 4
