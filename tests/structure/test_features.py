"""Discriminant axes, eigenfaces, choice of inputs and of dimension, sparse codes."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.discriminant_analysis
from sklearn.datasets import load_iris
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.linear_model import LinearRegression as TheirRegression
from sklearn.pipeline import make_pipeline

from epee import (
    PCA,
    DiscriminantFactorAnalysis,
    Eigenfaces,
    LinearDiscriminantAnalysis,
    LinearRegression,
    SelectFeatures,
    SparseCoding,
    choose_dimension,
    samples,
)
from epee.errors import DataError, MissingValues, WrongUse
from epee.risk import cross_validate
from tests.older import as_of

IRIS, SPECIES = load_iris(return_X_y=True)
rng = np.random.default_rng(0)


@as_of("1.9")
def test_discriminant_axes_solve_the_generalised_problem_and_equal_lda():
    dfa = DiscriminantFactorAnalysis().fit(IRIS, SPECIES)
    theirs = sklearn.discriminant_analysis.LinearDiscriminantAnalysis().fit(IRIS, SPECIES).transform(IRIS)
    np.testing.assert_allclose(np.abs(dfa.transform(IRIS)), np.abs(theirs), atol=1e-9)
    means = np.array([IRIS[k == SPECIES].mean(axis=0) for k in range(3)])
    within = sum((IRIS[k == SPECIES] - means[k]).T @ (IRIS[k == SPECIES] - means[k]) for k in range(3))
    between = 50 * (means - IRIS.mean(axis=0)).T @ (means - IRIS.mean(axis=0))
    for v, lam in zip(dfa.axes_.T, dfa.eigenvalues_, strict=True):
        np.testing.assert_allclose(between @ v, lam * (within @ v), atol=1e-8)
    assert len(dfa.eigenvalues_) == 2
    assert dfa.score(IRIS, SPECIES) > 0.97
    with pytest.raises(WrongUse, match="between 1 and min"):
        DiscriminantFactorAnalysis(3).fit(IRIS, SPECIES)


def test_two_classes_give_fishers_direction():
    X, y = IRIS[50:], SPECIES[50:]
    axis = DiscriminantFactorAnalysis().fit(X, y).axes_[:, 0]
    within = sum(np.cov(X[y == k].T, bias=True) for k in (1, 2))
    fisher = np.linalg.solve(within, X[y == 2].mean(axis=0) - X[y == 1].mean(axis=0))
    assert abs(axis @ fisher) == pytest.approx(np.linalg.norm(axis) * np.linalg.norm(fisher))


def test_eigenfaces_find_themselves_and_know_strangers():
    base = rng.random((4, 12, 10))
    images = (rng.random((30, 4)) @ base.reshape(4, -1)).reshape(30, 12, 10)
    faces = Eigenfaces(4).fit(images, np.arange(30))
    for i in (0, 7, 29):
        answer = faces.query(images[i], 3)
        assert answer.indices[0] == i and answer.labels[0] == i and answer.distances[0] == pytest.approx(0, abs=1e-9)
        assert (np.diff(answer.distances) >= 0).all()
    assert (
        faces.distance_from_face_space(images[3]) < 1e-8 < 1 < faces.distance_from_face_space(rng.random((12, 10)) * 5)
    )
    np.testing.assert_allclose(faces.inverse_transform(faces.transform(images)), images, atol=1e-9)
    full = Eigenfaces().fit(images)
    flat = images.reshape(30, -1)
    query = rng.random((12, 10))
    code = full.transform(query[None])
    direct = np.argsort(((full.codes_ - code) ** 2).sum(axis=1))
    np.testing.assert_array_equal(full.query(query, 30).indices, direct)
    assert full.eigenfaces_.shape == (29, 12, 10) and flat.shape == (30, 120)


def test_eigenfaces_say_what_is_wrong():
    images = rng.random((5, 4, 4))
    faces = Eigenfaces(2).fit(images)
    for wrong, error, words in (
        (lambda: Eigenfaces(5).fit(images), WrongUse, "between 1 and 4 axes"),
        (lambda: faces.query(np.zeros((3, 3))), DataError, "has 9 pixels"),
        (lambda: faces.query(images[0], 9), WrongUse, "k is 9"),
        (lambda: Eigenfaces().fit(images[:1]), DataError, "at least two images"),
    ):
        with pytest.raises(error, match=words):
            wrong()


def test_forward_selection_equals_scikit_learn_on_the_same_folds():
    X = rng.normal(size=(200, 8))
    y = X[:, 2] - 2 * X[:, 5] + 0.5 * X[:, 0] + rng.normal(size=200)
    ours = SelectFeatures(LinearRegression(), n_features=3, folds=5).fit(X, y)
    from epee.table.folds import assign_folds

    fold = assign_folds(None, 200, 5, 0)
    splits = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(5)]
    for direction in ("forward", "backward"):
        ours = SelectFeatures(LinearRegression(), direction, 3, folds=5).fit(X, y)
        theirs = SequentialFeatureSelector(
            TheirRegression(), n_features_to_select=3, direction=direction, cv=splits, scoring="neg_mean_squared_error"
        ).fit(X, y)
        np.testing.assert_array_equal(ours.support_, theirs.support_)
    assert sorted(ours.get_support(indices=True)) == [0, 2, 5]


def test_moments_judge_as_the_rows_do():
    X = rng.normal(size=(120, 6))
    y = X[:, 1] + rng.normal(size=120)
    fast = SelectFeatures(LinearRegression(), n_features=2).fit(X, y)
    slow = SelectFeatures(LinearRegression(), n_features=2)
    slow._errors_from = lambda *a: None
    np.testing.assert_allclose(fast.scores_, slow.fit(X, y).scores_, rtol=1e-9)


@pytest.mark.parametrize("direction", ["forward", "filter", "l1"])
def test_informative_columns_are_found_for_classes(direction):
    X = rng.normal(size=(150, 10))
    y = (X[:, 3] + X[:, 7] > 0).astype(int)
    chosen = SelectFeatures(LinearDiscriminantAnalysis(), direction, 2).fit(X, y)
    assert chosen.get_support(indices=True).tolist() == [3, 7]


def test_selecting_outside_the_folds_fools_cross_validation_and_inside_does_not():
    fooled, honest = [], []
    for seed in range(8):
        r = np.random.default_rng(seed)
        X, y = r.normal(size=(60, 200)), np.arange(60) % 2
        pick = SelectFeatures(LinearDiscriminantAnalysis(), "filter", 8)
        fooled.append(cross_validate(LinearDiscriminantAnalysis(), pick.fit(X, y).transform(X), y, folds=5).value)
        honest.append(cross_validate(make_pipeline(pick, LinearDiscriminantAnalysis()), X, y, folds=5).value)
    assert np.mean(fooled) < 0.3
    assert abs(np.mean(honest) - 0.5) < 4 * np.std(honest, ddof=1) / np.sqrt(8)


def test_without_a_number_selection_stops_when_nothing_is_gained():
    X = rng.normal(size=(300, 8))
    y = 3 * X[:, 4] - 2 * X[:, 6] + rng.normal(size=300)
    chosen = SelectFeatures(LinearRegression()).fit(X, y)
    assert {4, 6} <= set(chosen.order_.tolist()) and len(chosen.order_) < 8
    assert (np.diff(chosen.scores_) < 0).all()
    for kw, words in (({"direction": "up"}, "forward, backward"), ({"n_features": 9}, "between 1 and the 8")):
        with pytest.raises(WrongUse, match=words):
            SelectFeatures(LinearRegression(), **kw).fit(X, y)


def test_usarrests_has_the_published_deviations():
    """R: prcomp(USArrests, scale. = TRUE)$sdev is 1.57488, 0.99487, 0.59713, 0.41645."""
    table = samples.load("usarrests").drop(columns="state").to_numpy(dtype=float)
    Z = (table - table.mean(axis=0)) / table.std(axis=0, ddof=1)
    np.testing.assert_allclose(
        np.sqrt(PCA().fit(Z).explained_variance_), [1.57488, 0.99487, 0.59713, 0.41645], atol=5e-6
    )


@pytest.mark.filterwarnings("ignore:rows without any cell")
def test_missing_cells_by_em():
    X = rng.normal(size=(300, 2)) @ rng.normal(size=(2, 5)) + 0.1 * rng.normal(size=(300, 5))
    Z = X.copy()
    Z[rng.random(X.shape) < 0.1] = np.nan
    full, holes = PCA(2).fit(X), PCA(2, missing="em").fit(Z)
    assert np.linalg.svd(full.components_ @ holes.components_.T)[1].min() > 0.999
    complete = ~np.isnan(Z).any(axis=1)
    np.testing.assert_allclose(holes.transform(Z)[complete], holes.transform(X)[complete])
    assert np.corrcoef(holes.transform(Z)[:, 0], full.transform(X)[:, 0])[0, 1] ** 2 > 0.98
    Z[:, 1] = np.nan
    with pytest.raises(MissingValues, match="column 1 is missing in every row"):
        PCA(missing="em").fit(Z)


@pytest.mark.parametrize("rule", ["broken_stick", "parallel", "cv"])
def test_the_dimension_is_found(rule):
    X = rng.normal(size=(250, 3)) @ np.repeat(np.eye(3), 4, axis=1) + 0.4 * rng.normal(size=(250, 12))
    assert choose_dimension(X, rule).chosen == 3
    noise = rng.normal(size=(250, 10))
    assert choose_dimension(noise, rule).chosen == 0


def test_contrast_keeps_the_share():
    X = rng.normal(size=(100, 6)) * [5, 3, 1, 1, 1, 1]
    choice = choose_dimension(X, "contrast", share=0.8, standardise=False)
    kept = np.cumsum(choice.eigenvalues) / choice.eigenvalues.sum()
    assert kept[choice.chosen - 1] >= 0.8 and (choice.chosen == 1 or kept[choice.chosen - 2] < 0.8)
    with pytest.raises(WrongUse, match="contrast, broken_stick"):
        choose_dimension(X, "elbow")


def test_correlation_circle_lies_in_the_unit_disc():
    pca = PCA(2).fit(IRIS)
    C = pca.correlations()
    direct = np.array([[np.corrcoef(IRIS[:, j], pca.transform(IRIS)[:, k])[0, 1] for k in range(2)] for j in range(4)])
    np.testing.assert_allclose(C, direct, atol=0.02)
    assert ((C**2).sum(axis=1) <= 1 + 1e-9).all()


@pytest.mark.filterwarnings("ignore::epee.errors.SearchWarning")
def test_sparse_codes_fall_and_thin_out():
    atoms = rng.normal(size=(6, 12))
    X = (rng.random((200, 6)) < 0.3) * rng.normal(size=(200, 6)) @ atoms
    sparse = []
    for alpha in (0.05, 0.5, 2.0):
        model = SparseCoding(6, alpha, random_state=0, max_iter=100, tol=1e-4).fit(X)
        assert (np.diff(model.trace_) <= 1e-9 * model.trace_[0]).all()
        assert (np.linalg.norm(model.components_, axis=1) <= 1 + 1e-12).all()
        sparse.append((model.transform(X) != 0).mean())
    assert sparse[0] > sparse[1] > sparse[2]
    model = SparseCoding(6, 0.01, random_state=0, max_iter=100, tol=1e-4).fit(X)
    assert ((model.inverse_transform(model.transform(X)) - X) ** 2).sum() < 0.05 * (X**2).sum()
    for kw, words in (({"alpha": 0}, "alpha is 0"), ({"n_atoms": 0}, "n_atoms is 0")):
        with pytest.raises(WrongUse, match=words):
            SparseCoding(**kw).fit(X)


def test_choices_from_a_file(tmp_path):
    from pandas import DataFrame

    from epee import LinearRegression, choose_dimension

    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4))
    frame = DataFrame(X, columns=list("abcd"))
    frame.assign(y=2 * X[:, 1] + 0.1 * rng.normal(size=80)).to_parquet(tmp_path / "t.parquet")
    chosen = SelectFeatures(LinearRegression(), n_features=1).fit(tmp_path / "t.parquet", "y")
    assert list(chosen.get_feature_names_out()) == ["b"]
    frame.to_parquet(tmp_path / "x.parquet")
    assert choose_dimension(tmp_path / "x.parquet").chosen == choose_dimension(X).chosen


def test_images_of_two_sizes():
    with pytest.raises(DataError, match=r"image 1 has shape \(3, 4\), and image 0 \(4, 4\)"):
        Eigenfaces(1).fit([np.zeros((4, 4)), np.zeros((3, 4)), np.zeros((4, 4))])


def test_constant_pixels_are_no_trouble(recwarn):
    images = np.random.default_rng(0).random((20, 3, 3))
    images[:, 0, 0] = 0.0
    Eigenfaces(2).fit(images)
    assert not recwarn
