"""Principal components: four roads to the same axes."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.decomposition
from scipy.sparse import csr_array

from epee import PCA
from epee.errors import DataWarning, InfiniteValues, MissingValues, SingularProblem, TooLarge, WrongUse
from epee.settings import options

rng = np.random.default_rng(0)
TALL = rng.normal(size=(300, 6)) @ rng.normal(size=(6, 6)) + 3
WIDE = rng.normal(size=(9, 200)) + 5
NAMES = (
    "explained_variance_",
    "explained_variance_ratio_",
    "singular_values_",
    "mean_",
    "noise_variance_",
    "components_",
)


@pytest.mark.parametrize("X", [TALL, WIDE, TALL + 1e7, WIDE + 1e6], ids=["tall", "wide", "tall far", "wide far"])
@pytest.mark.parametrize("solver", ["auto", "full", "covariance_eigh", "randomized", "arpack"])
def test_agrees_with_scikit_learn(X, solver):
    ours = PCA(4, svd_solver=solver, random_state=0).fit(X)
    theirs = sklearn.decomposition.PCA(4, svd_solver="full").fit(X)
    for name in NAMES:
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-6, atol=1e-7, err_msg=name)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), atol=1e-6)


@pytest.mark.parametrize("q", [None, 0.9, "mle", 0])
def test_number_of_axes_follows_scikit_learn(q):
    ours, theirs = PCA(q).fit(TALL), sklearn.decomposition.PCA(q).fit(TALL)
    assert ours.n_components_ == theirs.n_components_
    np.testing.assert_allclose(ours.score_samples(TALL), theirs.score_samples(TALL), rtol=1e-8)
    np.testing.assert_allclose(ours.get_covariance(), theirs.get_covariance(), atol=1e-9)
    np.testing.assert_allclose(ours.get_precision(), theirs.get_precision(), atol=1e-8)


def test_components_are_decorrelated_with_the_eigenvalues_as_variances():
    pca = PCA().fit(TALL)
    C = pca.transform(TALL)
    np.testing.assert_allclose(np.cov(C.T), np.diag(pca.explained_variance_), atol=1e-9)
    np.testing.assert_allclose(pca.components_ @ pca.components_.T, np.eye(6), atol=1e-12)


@pytest.mark.parametrize("decades", [2, 4, 6, 9])
def test_axes_of_a_steep_spectrum_are_orthogonal_on_the_dual_road(decades):
    U, V = (np.linalg.qr(rng.normal(size=(side, 20)))[0] for side in (20, 200))
    X = (U * np.logspace(0, -decades, 20)) @ V.T
    ours, theirs = PCA().fit(X), sklearn.decomposition.PCA().fit(X)
    np.testing.assert_allclose(ours.components_ @ ours.components_.T, np.eye(20), atol=1e-8)
    np.testing.assert_allclose(ours.singular_values_[:19], theirs.singular_values_[:19], rtol=1e-6)


def test_axes_that_are_not_orthogonal_are_refused(monkeypatch):
    monkeypatch.setattr("epee.structure.pca.fix_signs", lambda axes: np.where(axes > 0.5, -axes, axes))
    with pytest.raises(SingularProblem, match="not orthogonal"):
        PCA().fit(TALL)


@pytest.mark.parametrize("X", [TALL, WIDE], ids=["tall", "wide"])
def test_reconstruction_error_is_the_sum_of_dropped_eigenvalues(X):
    full, few = PCA().fit(X), PCA(2).fit(X)
    dropped = full.explained_variance_[2:].sum() * (len(X) - 1) / len(X)
    assert few.reconstruction_error(X) == pytest.approx(dropped)
    error = ((X - few.inverse_transform(few.transform(X))) ** 2).sum() / len(X)
    assert error == pytest.approx(dropped)
    np.testing.assert_allclose(full.inverse_transform(full.transform(X)), X, atol=1e-9)


def test_no_other_plane_loses_less():
    few = PCA(2).fit(TALL)
    C = TALL - TALL.mean(axis=0)
    for seed in range(20):
        Q = np.linalg.qr(np.random.default_rng(seed).normal(size=(6, 2)))[0]
        assert ((C - C @ Q @ Q.T) ** 2).sum() >= few.reconstruction_error(TALL) * len(TALL) * (1 - 1e-12)


def test_whitening_makes_unit_variances():
    C = PCA(3, whiten=True).fit_transform(TALL)
    np.testing.assert_allclose(np.cov(C.T), np.eye(3), atol=1e-10)


def test_moments_streams_and_weights_give_the_same_axes():
    whole = PCA(3).fit(TALL)
    streamed = PCA(3).partial_fit(TALL[:100]).partial_fit(TALL[100:])
    np.testing.assert_allclose(streamed.components_, whole.components_, atol=1e-10)
    again = PCA(3).fit_moments(PCA(3).moments(TALL))
    np.testing.assert_allclose(again.explained_variance_, whole.explained_variance_)
    w = rng.integers(1, 4, len(WIDE))
    for X, weight in ((WIDE, w), (TALL, rng.integers(1, 4, len(TALL)))):
        np.testing.assert_allclose(
            PCA(3).fit(X, sample_weight=weight).components_,
            PCA(3).fit(np.repeat(X, weight, axis=0)).components_,
            atol=1e-9,
        )


def test_more_columns_than_rows_has_at_most_n_minus_one_axes():
    pca = PCA().fit(WIDE)
    assert (pca.explained_variance_[:8] > 1e-6).all()
    assert pca.explained_variance_[8] == pytest.approx(0, abs=1e-12)
    np.testing.assert_allclose(pca.components_ @ pca.components_.T, np.eye(9), atol=1e-10)


@pytest.mark.parametrize("X", [TALL, WIDE], ids=["tall", "wide"])
def test_float32_in_float32_out(X):
    scores = PCA(3).fit_transform(X.astype(np.float32))
    assert scores.dtype == np.float32
    np.testing.assert_allclose(scores, PCA(3).fit_transform(X), atol=1e-3)


def test_bad_input_is_said_in_a_sentence():
    with pytest.raises(WrongUse, match="n_components=7 must be between"):
        PCA(7).fit(TALL)
    with pytest.raises(WrongUse, match="svd_solver is 'fast'"):
        PCA(svd_solver="fast").fit(TALL)
    for X in (TALL, WIDE):
        bad = X.copy()
        bad[3, 2] = np.inf
        with pytest.raises(InfiniteValues, match="column 2"):
            PCA().fit(bad)
        with pytest.raises(InfiniteValues):
            PCA().fit(X * 1e200)
    with pytest.raises(TooLarge, match="20001"):
        PCA().fit(np.broadcast_to(np.float32(1), (20_001, 20_001)))


def test_threads_do_not_matter():
    with options(threads=1):
        one = PCA(2).fit(TALL).components_
    assert (PCA(2).fit(TALL).components_ == one).all()


def test_columns_of_a_frame_keep_their_names():
    from pandas import DataFrame

    frame = DataFrame(np.random.default_rng(0).normal(size=(30, 3)), columns=list("abc"))
    assert list(PCA(2).fit(frame).feature_names_in_) == ["a", "b", "c"]
    frame["b"] = np.nan
    with pytest.raises(MissingValues, match="column 'b'"):
        PCA(2).fit(frame)
    with pytest.raises(MissingValues, match="column 'b' is missing in every row"):
        PCA(2, missing="em").fit(frame)


def test_missing_cells_of_a_file_and_rows_without_cells(tmp_path):
    from pandas import DataFrame

    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3)) * [3, 2, 1]
    X[rng.random(X.shape) < 0.1] = np.nan
    X[5] = np.nan
    DataFrame(X, columns=list("abc")).to_parquet(tmp_path / "t.parquet")
    with pytest.warns(DataWarning, match="rows without any cell: 1, first row 5"):
        stream = PCA(2, missing="em").fit(tmp_path / "t.parquet")
    with pytest.raises(MissingValues, match="column 'a'"):
        PCA(2).fit(tmp_path / "t.parquet")
    memory = PCA(2, missing="em").fit(np.delete(X, 5, 0))
    np.testing.assert_allclose(stream.explained_variance_, memory.explained_variance_, rtol=1e-9)


def test_neither_a_count_nor_a_share():
    with pytest.raises(WrongUse, match="n_components=1.5 is neither"):
        PCA(1.5).fit(np.eye(4))


def test_a_density_on_a_plane_is_refused():
    X = np.random.default_rng(0).normal(size=(30, 2))
    with pytest.raises(SingularProblem, match="no variance"):
        PCA(2).fit(np.column_stack([X, X[:, 0]])).score_samples(np.zeros((1, 3)))
    assert np.isfinite(PCA(2).fit(X).score(X))


@pytest.mark.parametrize("solver", ["auto", "full", "covariance_eigh", "randomized", "arpack"])
@pytest.mark.parametrize("X", [TALL, WIDE], ids=["tall", "wide"])
def test_missing_cells_are_refused_unless_a_rule_is_named(X, solver):
    holes = X.copy()
    holes[3, 2] = np.nan
    with pytest.raises(MissingValues, match="column 2.*row 3"):
        PCA(2, svd_solver=solver).fit(holes)
    with pytest.raises(MissingValues, match="column 2.*row 3"):
        PCA(2, svd_solver=solver).fit(X).transform(holes)
    with pytest.raises(WrongUse, match="'refuse' or 'em'"):
        PCA(missing="mean").fit(X)


def test_variances_with_one_over_n_are_those_of_the_course():
    X = np.random.default_rng(5).standard_normal((12, 3)) * [1.0, 2.0, 3.0]
    for model in (PCA(), PCA(svd_solver="full"), PCA(2)):
        model.fit(X)
        q, values = model.n_components_, np.linalg.eigvalsh(np.cov(X.T, bias=True))[::-1]
        np.testing.assert_allclose(model.variances_, values[:q])
        np.testing.assert_allclose(model.variances_, model.explained_variance_ * 11 / 12)
        assert model.inertia_ == pytest.approx(values.sum())


@pytest.mark.parametrize("shape", [(100, 80), (80, 100)], ids=["tall", "wide"])
@pytest.mark.parametrize("kind", ["dense", "sparse", "weighted"])
def test_random_projections_tell_the_variances_of_their_own_scores(shape, kind):
    X = np.random.default_rng(3).normal(size=shape)
    w = np.random.default_rng(4).integers(1, 4, shape[0]).astype(float) if kind == "weighted" else None
    given = csr_array(X) if kind == "sparse" else X
    pca = PCA(3, svd_solver="randomized", random_state=0).fit(given, sample_weight=w)
    scores = pca.transform(X)
    covariance = np.cov(scores.T, fweights=None if w is None else w.astype(int))
    np.testing.assert_allclose(covariance, np.diag(pca.explained_variance_), atol=1e-12)
    exact = PCA(3, svd_solver="full").fit(X, sample_weight=w)
    np.testing.assert_allclose(pca.explained_variance_, exact.explained_variance_, rtol=5e-3)  # the powers are theirs
    assert (pca.explained_variance_ <= exact.explained_variance_ * (1 + 1e-12)).all()


@pytest.mark.parametrize("X", [TALL, csr_array(TALL)], ids=["dense", "sparse"])
@pytest.mark.parametrize("solver", ["arpack", "randomized"])
def test_searches_for_the_leading_axes_say_how_many_they_can_give(X, solver):
    for q, sentence in (
        (0, r"n_components=0 must be between 1 and min\(n_samples, n_features\)=6"),
        (7, "n_components=7 must be between 1"),
        (0.5, "n_components=0.5 must be between 1"),
        ("mle", f"n_components='mle' cannot be a string with svd_solver='{solver}'"),
    ):
        with pytest.raises(WrongUse, match=sentence):
            PCA(q, svd_solver=solver).fit(X)
    assert PCA(svd_solver=solver, random_state=0).fit(X).n_components_ == 6 - (solver == "arpack")


def test_lanczos_cannot_give_all_axes():
    with pytest.raises(WrongUse, match=r"n_components=6 must be strictly less than min\(n_samples, n_features\)=6"):
        PCA(6, svd_solver="arpack").fit(TALL)
    with pytest.raises(
        WrongUse, match=r"between 0 and min\(n_samples, n_features\)=6 with svd_solver='full' or 'auto'"
    ):
        PCA(7).fit(TALL)


def test_the_law_of_axes_does_not_depend_on_how_scores_are_scaled():
    plain, white = PCA(2).fit(TALL), PCA(2, whiten=True).fit(TALL)
    np.testing.assert_allclose(white.get_covariance(), plain.get_covariance())
    np.testing.assert_allclose(white.score_samples(TALL), plain.score_samples(TALL))
