"""Labelled and unlabelled rows together."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.discriminant_analysis
import sklearn.semi_supervised
from scipy.sparse import csr_array

from epee import GaussianMixture, LabelPropagation, LinearDiscriminantAnalysis, SelfTraining, SemiSupervisedGaussian
from epee.errors import DataError, WrongUse
from epee.structure.semi_supervised import split_labels
from tests.older import as_of

rng = np.random.default_rng(0)
Y = np.arange(200) % 2
X = rng.normal(size=(200, 2)) + 3 * Y[:, None]
FEW = np.where(rng.random(200) < 0.9, -1, Y)


@pytest.mark.parametrize(("form", "rival"), [("tied", "Linear"), ("full", "Quadratic")])
@as_of("1.9")
def test_without_unlabelled_rows_it_is_the_supervised_fit(form, rival):
    theirs = getattr(sklearn.discriminant_analysis, f"{rival}DiscriminantAnalysis")().fit(X, Y)
    ours = SemiSupervisedGaussian(covariance_type=form, reg_covar=0.0).fit(X, Y)
    if form == "tied":
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-9)
    else:
        assert (ours.predict(X) == theirs.predict(X)).mean() > 0.99
    zero = SemiSupervisedGaussian(covariance_type=form, unlabelled_weight=0.0).fit(X, FEW)
    alone = SemiSupervisedGaussian(covariance_type=form).fit(X[FEW >= 0], Y[FEW >= 0])
    np.testing.assert_allclose(zero.means_, alone.means_, rtol=1e-6)


def test_the_climb_never_falls_and_labels_stay():
    for form in ("full", "tied", "diag", "spherical"):
        fitted = SemiSupervisedGaussian(covariance_type=form).fit(X, FEW)
        assert (np.diff(fitted.trace_) >= -1e-12).all()


def test_with_hardly_a_label_it_is_clustering():
    labels = np.full(200, -1)
    labels[:2] = Y[:2]
    ours = SemiSupervisedGaussian(covariance_type="tied", tol=1e-10, max_iter=2000).fit(X, labels)
    free = GaussianMixture(2, covariance_type="tied", tol=1e-10, max_iter=2000, random_state=0).fit(X)
    np.testing.assert_allclose(np.sort(ours.means_[:, 0]), np.sort(free.means_[:, 0]), atol=0.1)


def test_unlabelled_rows_help_when_the_model_is_right():
    gains = []
    for seed in range(20):
        r = np.random.default_rng(seed)
        y = np.arange(300) % 2
        rows = r.normal(size=(300, 4)) + 1.2 * y[:, None]
        few = np.where(np.arange(300) < 12, y, -1)
        test = r.normal(size=(2000, 4)) + 1.2 * (np.arange(2000) % 2)[:, None]
        truth = np.arange(2000) % 2
        alone = SemiSupervisedGaussian(covariance_type="tied").fit(rows[:12], y[:12]).score(test, truth)
        gains.append(SemiSupervisedGaussian(covariance_type="tied").fit(rows, few).score(test, truth) - alone)
    assert np.mean(gains) > 2 * np.std(gains, ddof=1) / np.sqrt(20)


@as_of("1.9")
def test_self_training_labels_the_rest():
    fitted = SelfTraining(LinearDiscriminantAnalysis(), threshold=0.9).fit(X, FEW)
    assert (fitted.transduction_ == Y).mean() > 0.93
    assert fitted.labeled_iter_.max() == fitted.n_iter_
    theirs = sklearn.semi_supervised.SelfTrainingClassifier(
        sklearn.discriminant_analysis.LinearDiscriminantAnalysis(), threshold=0.9
    ).fit(X, FEW)
    np.testing.assert_array_equal(fitted.predict(X), theirs.predict(X))
    np.testing.assert_array_equal(fitted.labeled_iter_, theirs.labeled_iter_)


@pytest.mark.parametrize("kernel", ["rbf", "knn"])
def test_propagation_agrees_with_scikit_learn(kernel):
    ours = LabelPropagation(kernel, gamma=2, tol=1e-12, max_iter=100_000).fit(X, FEW)
    theirs = sklearn.semi_supervised.LabelPropagation(kernel, gamma=2, tol=1e-12, max_iter=100_000).fit(X, FEW)
    np.testing.assert_allclose(ours.label_distributions_, theirs.label_distributions_, atol=1e-6)
    np.testing.assert_allclose(ours.predict_proba(X + 0.01), theirs.predict_proba(X + 0.01), atol=1e-6)


def test_a_kernel_of_the_caller_may_give_sparse_affinities():
    def near(A, B):
        return csr_array(np.exp(-2 * ((A[:, None] - B[None]) ** 2).sum(axis=2)))

    dense = LabelPropagation(lambda A, B: near(A, B).toarray(), tol=1e-12, max_iter=100_000).fit(X, FEW)
    sparse = LabelPropagation(near, tol=1e-12, max_iter=100_000).fit(X, FEW)
    np.testing.assert_allclose(sparse.label_distributions_, dense.label_distributions_, atol=1e-8)
    np.testing.assert_allclose(sparse.predict_proba(X), dense.predict_proba(X), atol=1e-8)


def test_what_counts_as_unlabelled():
    assert split_labels([-1, 1, 1], 3)[0].tolist() == [-1, 1]
    classes, codes = split_labels(np.array(["a", None, "b"], dtype=object), 3)
    assert classes.tolist() == ["a", "b"] and codes.tolist() == [0, -1, 1]
    assert split_labels([0.0, np.nan, 1.0], 3)[1].tolist() == [0, -1, 1]
    with pytest.raises(DataError, match="no row has a label"):
        split_labels([-1, -1], 2)
    with pytest.raises(WrongUse, match="unlabelled_weight is 2"):
        SemiSupervisedGaussian(unlabelled_weight=2).fit(X, FEW)
    with pytest.raises(WrongUse, match="threshold"):
        SelfTraining(LinearDiscriminantAnalysis(), threshold=1.0).fit(X, FEW)


def test_what_unlabelled_rows_bring_and_cost():
    from epee.structure.unlabelled import unlabelled_gain

    r = np.random.default_rng(0)
    y = np.arange(400) % 2
    model = SemiSupervisedGaussian(covariance_type="tied", max_iter=1000)
    rows = r.normal(size=(400, 8)) + y[:, None]  # 20 labels say little about a covariance of 8 columns
    right = unlabelled_gain(model, rows, np.where(y == 1, "b", "a"), (20,), repeats=40)
    assert right.verdict == ["helps"] and right.interval[0, 0] < right.gain[0] < right.interval[0, 1]
    clouds = np.column_stack(
        [8 * r.integers(0, 2, 400), 2.5 * y]
    )  # two clouds, which are not the classes, and round components
    round_ = SemiSupervisedGaussian(covariance_type="spherical", max_iter=1000)
    wrong = unlabelled_gain(round_, r.normal(size=(400, 2)) + clouds, y, (20,), repeats=15)
    assert wrong.verdict == ["harms"]
    ax = wrong.plot()
    assert ax.get_xlabel() == "rows with a label" and "harms" in {t.get_text() for t in ax.texts}


def test_error_bars_of_the_gain_hold_what_a_new_table_would_give():
    from epee.structure.unlabelled import unlabelled_gain

    y = np.arange(150) % 2
    found = []
    for seed in range(8):
        r = np.random.default_rng(seed)
        found.append(unlabelled_gain(
            SemiSupervisedGaussian(covariance_type="tied", max_iter=1000), r.normal(size=(150, 3)) + y[:, None], y, (20,), repeats=6,
        ))  # fmt: skip
    spread = np.std([f.gain[0] for f in found], ddof=1)
    assert 0.4 * spread < np.mean([f.gain_stderr[0] for f in found]) < 4 * spread


def test_hidden_labels_must_leave_enough():
    from epee.structure.unlabelled import unlabelled_gain

    with pytest.raises(WrongUse, match="labelled holds 3; it must be at least two for each of the 2 classes"):
        unlabelled_gain(SemiSupervisedGaussian(), X, Y, (3,))
    with pytest.raises(DataError, match="fewer than 4 rows"):
        unlabelled_gain(SemiSupervisedGaussian(), X, np.where(np.arange(200) < 2, 5, Y))
