"""Places where a user who changes the import from scikit-learn once met something else: the same answer, or the right one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sparse
import sklearn.cluster
import sklearn.decomposition
import sklearn.linear_model
import sklearn.manifold
import sklearn.mixture
import sklearn.neighbors
import sklearn.preprocessing
import sklearn.semi_supervised
import sklearn.tree
from sklearn.metrics import adjusted_rand_score

import epee
from epee.errors import DataError, DataWarning, EpeeWarning, WrongUse

rng = np.random.default_rng(0)


def test_isomap_walks_over_edges_of_length_zero():
    X = rng.normal(size=(40, 3))
    X = np.vstack([X, X[:10], X[:10]])
    ours, theirs = epee.Isomap(n_neighbors=8).fit(X), sklearn.manifold.Isomap(n_neighbors=8).fit(X)
    assert ours.n_pieces_ == 1
    np.testing.assert_allclose(ours.dist_matrix_, theirs.dist_matrix_, atol=1e-12)


@pytest.mark.filterwarnings("ignore::epee.errors.EpeeWarning")
def test_isomap_of_many_equal_rows_joins_their_pieces():
    X = np.repeat(rng.normal(size=(5, 3)), 40, axis=0)
    D = epee.Isomap(n_neighbors=5).fit(X).dist_matrix_
    assert np.isfinite(D).all()
    assert (np.sqrt(((X[:, None] - X) ** 2).sum(axis=2)) - 1e-12 <= D).all()


@pytest.mark.parametrize("rule", ["scott", "silverman"])
def test_rules_of_bandwidths_count_rows_where_weights_are_shares(rule):
    X, w = rng.normal(size=(100, 2)), rng.random(100)
    ours = epee.KernelDensity(bandwidth=rule).fit(X, sample_weight=w / w.sum())
    theirs = sklearn.neighbors.KernelDensity(bandwidth=rule).fit(X, sample_weight=w / w.sum())
    assert ours.bandwidth_ == pytest.approx(theirs.bandwidth_)
    np.testing.assert_allclose(ours.score_samples(X), theirs.score_samples(X))
    twice = epee.KernelDensity(bandwidth=rule).fit(X, sample_weight=np.full(100, 2.0))  # whole weights are copies
    assert twice.bandwidth_ == epee.KernelDensity(bandwidth=rule).fit(np.vstack([X, X])).bandwidth_


@pytest.mark.parametrize("kernel", ["tophat", "gaussian", "epanechnikov", "linear", "exponential"])
@pytest.mark.parametrize("p", [2, 6])
def test_kernels_see_a_row_where_it_is_at_any_scale(kernel, p):
    X = 1e8 * rng.normal(size=(60, p))
    ours = epee.KernelDensity(bandwidth=1.0, kernel=kernel).fit(X).score_samples(X)
    theirs = sklearn.neighbors.KernelDensity(bandwidth=1.0, kernel=kernel).fit(X).score_samples(X)
    np.testing.assert_allclose(ours, theirs, rtol=1e-9)


@pytest.mark.parametrize("p", [1, 2, 3, 4, 5])
def test_the_cosine_kernel_integrates_to_one_in_every_dimension(p):
    """scikit-learn's does so in odd dimensions only: its recurrence ends too early in even ones (a factor 2.75 for two columns)."""
    from scipy.integrate import quad
    from scipy.special import gammaln

    at = epee.KernelDensity(bandwidth=2.0, kernel="cosine").fit(np.zeros((1, p)))
    r = np.zeros((1, p))

    def shell(radius):
        r[0, 0] = radius
        sphere = np.exp(np.log(2) + p / 2 * np.log(np.pi) - gammaln(p / 2))  # its surface, at radius one
        return np.exp(at.score_samples(r)[0]) * sphere * radius ** (p - 1)

    assert quad(shell, 0, 2)[0] == pytest.approx(1.0, rel=1e-7)
    X = 1e8 * rng.normal(size=(40, p))
    if p % 2:
        ours, theirs = (
            w.KernelDensity(bandwidth=1.0, kernel="cosine").fit(X).score_samples(X) for w in (epee, sklearn.neighbors)
        )
        np.testing.assert_allclose(ours, theirs, rtol=1e-9)


@pytest.mark.filterwarnings("ignore::epee.errors.EpeeWarning")
def test_a_column_that_nearly_repeats_another_is_solved_from_a_file_as_from_memory(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    X = rng.normal(size=(9000, 3))
    X = np.column_stack([X, X[:, 0] + 1e-9 * rng.normal(size=9000)])
    y = X[:, 0] - X[:, 1] + 0.1 * rng.normal(size=9000)
    path = tmp_path / "near.parquet"
    pq.write_table(pa.table({**{f"x{j}": X[:, j] for j in range(4)}, "y": y}), path)
    A = np.column_stack([X[:, :3], (X[:, 3] - X[:, 0]) * 1e9])  # the same span, well conditioned
    sound = epee.LinearRegression().fit(A, y)
    for model in (epee.LinearRegression().fit(X, y), epee.LinearRegression().fit(str(path), "y")):
        np.testing.assert_allclose(X @ model.coef_ + model.intercept_, sound.predict(A), atol=1e-7)
        np.testing.assert_allclose(model.coef_[3], sound.coef_[3] * 1e9, rtol=1e-5)


@pytest.mark.parametrize("metric", ["l1", "l2", "manhattan"])
@pytest.mark.parametrize("linkage", ["average", "complete", "single"])
def test_other_names_of_metrics(metric, linkage):
    X = rng.normal(size=(60, 3))
    ours = epee.AgglomerativeClustering(4, metric=metric, linkage=linkage).fit(X)
    theirs = sklearn.cluster.AgglomerativeClustering(4, metric=metric, linkage=linkage).fit(X)
    assert adjusted_rand_score(ours.labels_, theirs.labels_) == 1.0


def test_balanced_classes_beside_weights():
    X, y, w = rng.normal(size=(120, 3)), (np.arange(120) > 79).astype(int), rng.random(120)
    X[y == 1] += 0.7
    how = {"class_weight": "balanced", "max_depth": 3}
    ours = epee.DecisionTreeClassifier(**how).fit(X, y, w)
    theirs = sklearn.tree.DecisionTreeClassifier(random_state=0, **how).fit(X, y, w)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X))
    how = {"class_weight": "balanced", "tol": 1e-10, "max_iter": 1000}
    ours, theirs = (where.LogisticRegression(**how).fit(X, y, w) for where in (epee, sklearn.linear_model))
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)


@pytest.mark.filterwarnings("ignore::epee.errors.EpeeWarning")
@pytest.mark.parametrize("constant", [0.0, 3.0, 0.1, 1e6 + 0.1])
def test_coefficients_that_are_not_negative_beside_a_constant_column(constant):
    X = rng.normal(size=(50, 4))
    X[:, 1] = constant
    y = X[:, [0, 2, 3]] @ [1, -1, 0.5] + rng.normal(size=50)
    for name, how in (("LinearRegression", {}), ("Ridge", {"alpha": 0.1, "tol": 1e-12, "max_iter": 10_000})):
        ours, theirs = (getattr(where, name)(positive=True, **how).fit(X, y) for where in (epee, sklearn.linear_model))
        assert ours.coef_[1] == pytest.approx(0, abs=1e-12)
        np.testing.assert_allclose(ours.coef_[[0, 2, 3]], theirs.coef_[[0, 2, 3]], atol=1e-5)


def test_a_constant_column_of_a_sparse_table_is_not_stretched():
    X = np.column_stack([np.full(50, 0.1), rng.normal(size=50), np.zeros(50), np.full(50, 1e8 + 0.3)])
    w = rng.random(50)
    ours = epee.StandardScaler(with_mean=False).fit(sparse.csr_matrix(X), sample_weight=w)
    dense = epee.StandardScaler(with_mean=False).fit(X, sample_weight=w)
    np.testing.assert_allclose(ours.scale_, dense.scale_, rtol=1e-10)
    ours, theirs = (
        where.StandardScaler(with_mean=False).fit(sparse.csr_matrix(X)) for where in (epee, sklearn.preprocessing)
    )
    np.testing.assert_allclose(ours.scale_, theirs.scale_, rtol=1e-10)


def test_means_are_not_left_out_of_sparse_rows_in_silence():
    scaler = epee.StandardScaler().fit(rng.normal(size=(20, 3)) + 5)
    with pytest.raises(DataError, match="Cannot uncenter sparse matrices"):
        scaler.inverse_transform(sparse.csr_matrix(np.eye(3)))


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_matrix, sparse.csr_array])
def test_long_integers_of_a_sparse_table_are_said(kind):
    X = np.zeros((20, 3), dtype=np.int64)
    X[4, 1] = 2**60
    with pytest.warns(DataWarning, match=r"column 1 holds whole numbers above 2\^53"):
        ours = epee.StandardScaler(with_mean=False).fit(kind(X))
    theirs = sklearn.preprocessing.StandardScaler(with_mean=False).fit(kind(X))
    np.testing.assert_allclose(ours.scale_, theirs.scale_)


@pytest.mark.filterwarnings("ignore:labels still moved")
def test_labels_reach_far_rows():
    X = np.vstack([rng.normal(size=(40, 2)), rng.normal(size=(40, 2)) + 8])
    y = np.repeat([0, 1], 40)
    y[5:40], y[50:] = -1, -1
    model = epee.LabelPropagation().fit(np.vstack([X, [[300.0, 300.0], [-90.0, -90.0]]]), np.append(y, [-1, -1]))
    assert model.transduction_[-2:].tolist() == [1, 0]
    assert model.predict([[1000.0, 1000.0], [-500.0, -500.0]]).tolist() == [1, 0]
    near = rng.normal(size=(10, 2)) * 4
    theirs = sklearn.semi_supervised.LabelPropagation().fit(X, y)
    ours = epee.LabelPropagation().fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(near), theirs.predict_proba(near), atol=0.02)


@pytest.mark.parametrize("name", ["Lasso", "ElasticNet"])
@pytest.mark.parametrize("positive", [False, True])
def test_no_penalty_is_least_squares(name, positive):
    X = rng.normal(size=(50, 4))
    X[:, 3] = X[:, 2] + 0.01 * rng.normal(size=50)
    y = rng.normal(size=50)
    plain = epee.LinearRegression(positive=positive).fit(X, y)
    model = getattr(epee, name)(alpha=0.0, positive=positive).fit(X, y)
    np.testing.assert_allclose(model.coef_, plain.coef_, rtol=1e-9, atol=1e-12)
    assert model.intercept_ == pytest.approx(plain.intercept_)


@pytest.mark.parametrize("degree", [(1, 2, 3), (2, 1), (1.5, 2), "two", -1, (1,), (1, "2")])
def test_degrees_that_make_no_sense_are_named(degree):
    with pytest.raises(WrongUse, match="degree is .*; it must be"):
        epee.PolynomialFeatures(degree=degree).fit(np.eye(3))


@pytest.mark.parametrize("name", ["StandardScaler", "PCA"])
def test_one_row_alone_is_refused_on_the_way_back(name):
    X = rng.normal(size=(20, 3))
    model = getattr(epee, name)().fit(X)
    with pytest.raises(DataError, match="Expected 2D array, got 1D array instead"):
        model.inverse_transform(model.transform(X)[0])


@pytest.mark.parametrize(
    "name", ["LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis", "GaussianNB", "PoissonNB"]
)
def test_priors_are_a_copy(name):
    given = np.array([0.3, 0.7])
    model = getattr(epee, name)(priors=given).fit(np.abs(rng.normal(size=(40, 2))), np.arange(40) % 2)
    kept = model.priors_ if hasattr(model, "priors_") else model.class_prior_
    assert not np.shares_memory(kept, given)


@pytest.mark.filterwarnings("ignore::epee.errors.SearchWarning")
def test_a_warm_start_of_one_step_each_converges():
    X = np.vstack([rng.normal(size=(60, 2)), rng.normal(size=(60, 2)) + 4])
    model = epee.GaussianMixture(2, max_iter=1, warm_start=True, random_state=0)
    for _ in range(100):
        if model.fit(X).converged_:
            break
    assert model.converged_
    whole = epee.GaussianMixture(2, random_state=0).fit(X)
    assert model.lower_bound_ == pytest.approx(whole.lower_bound_, abs=2e-3)
    assert issubclass(DataWarning, EpeeWarning)


def exact_ridge(X, y, alpha):
    """Return the coefficients in rational arithmetic, rounded at the end."""
    n, p = X.shape
    rows, values = [[Fraction(v) for v in row] for row in X.tolist()], [Fraction(v) for v in y.tolist()]
    means, level = [sum(column) / n for column in zip(*rows, strict=True)], sum(values) / n
    Z = [[v - m for v, m in zip(row, means, strict=True)] for row in rows]
    A = [
        [sum(z[j] * z[k] for z in Z) + (Fraction(alpha) if j == k else 0) for k in range(p)]
        + [sum(z[j] * (t - level) for z, t in zip(Z, values, strict=True))]
        for j in range(p)
    ]
    for j in range(p):  # positive definite: no pivots needed in exact arithmetic
        for i in range(p):
            if i != j:
                f = A[i][j] / A[j][j]
                A[i] = [u - f * v for u, v in zip(A[i], A[j], strict=True)]
    return np.array([float(A[j][p] / A[j][j]) for j in range(p)])


@pytest.mark.filterwarnings("ignore::epee.errors.EpeeWarning")
@pytest.mark.parametrize("seed", [27, 42, 47, 74, 77, 79, 108, 117, 1, 2, 3])
def test_ridge_with_columns_of_all_scales_is_exact(seed):
    r = np.random.default_rng(seed)
    n, p = int(r.integers(4, 14)), int(r.integers(2, 6))
    X = r.normal(size=(n, p)) * 10.0 ** r.uniform(-8, 8, p)
    y, alpha = r.normal(size=n), float(10.0 ** r.uniform(-6, 3))
    error = (X - X.mean(axis=0)) * (epee.Ridge(alpha=alpha).fit(X, y).coef_ - exact_ridge(X, y, alpha))
    assert np.abs(error).max() < 1e-10 * np.abs(y).max()


def test_float32_in_gives_float32_out():
    X = rng.normal(size=(60, 4)).astype(np.float32)
    y = (X[:, 0] + 0.1 * rng.normal(size=60)).astype(np.float32)
    for model in (epee.LinearRegression(), epee.Ridge(), epee.Lasso(0.01), epee.RidgeCV()):
        model.fit(X, y)
        assert model.coef_.dtype == model.predict(X).dtype == np.asarray(model.intercept_).dtype == np.float32
    assert epee.LogisticRegression().fit(X, y > 0).coef_.dtype == np.float32
    assert epee.PCA(2).fit(X).components_.dtype == np.float32
    assert epee.Ridge().fit(X.astype(float), y).coef_.dtype == np.float64


def test_warnings_and_errors_have_the_classes_that_code_for_scikit_learn_catches():
    from sklearn.exceptions import ConvergenceWarning

    from epee.errors import SearchWarning, SingularProblem

    X = rng.normal(size=(100, 20))
    with pytest.warns(ConvergenceWarning) as caught:
        epee.LogisticRegression(C=1e6, max_iter=1).fit(X, X[:, 0] > 0)
    assert any(issubclass(w.category, SearchWarning) for w in caught)
    assert issubclass(SingularProblem, np.linalg.LinAlgError)
    assert issubclass(SingularProblem, ValueError)


@pytest.mark.parametrize("weighted", [False, True])
def test_ridge_cv_chooses_by_leaving_rows_out_as_scikit_learn(weighted):
    X, alphas = rng.normal(size=(25, 8)), np.logspace(-3, 3, 13)
    y, w = X[:, 0] + rng.normal(size=25), rng.integers(1, 5, 25).astype(float) if weighted else None
    ours = epee.RidgeCV(alphas, store_cv_results=True).fit(X, y, sample_weight=w)
    theirs = sklearn.linear_model.RidgeCV(alphas, store_cv_results=True).fit(X, y, sample_weight=w)
    assert ours.alpha_ == theirs.alpha_
    np.testing.assert_allclose(ours.cv_results_, theirs.cv_results_, rtol=1e-8)
    assert ours.best_score_ == pytest.approx(theirs.best_score_ * (1 if w is None else 25 / w.sum()), rel=1e-8)


def test_lasso_cv_takes_splits_that_share_rows():
    from sklearn.model_selection import ShuffleSplit

    X = rng.normal(size=(80, 6))
    y, cv = X[:, 0] - X[:, 1] + rng.normal(size=80), ShuffleSplit(5, test_size=0.3, random_state=0)
    ours, theirs = epee.LassoCV(cv=cv, tol=1e-9).fit(X, y), sklearn.linear_model.LassoCV(cv=cv, tol=1e-9).fit(X, y)
    np.testing.assert_allclose(ours.alphas_, theirs.alphas_)
    np.testing.assert_allclose(ours.mse_path_, theirs.mse_path_, rtol=1e-5)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)


@pytest.mark.parametrize("name", ["KNeighborsClassifier", "KNeighborsRegressor"])
def test_neighbours_answer_for_their_own_rows_and_take_metric_objects(name):
    from sklearn.metrics import DistanceMetric

    X = rng.normal(size=(50, 3))
    y = rng.integers(0, 3, 50)
    for parameters, same in (({}, {}), ({"metric": DistanceMetric.get_metric("manhattan")}, {"metric": "manhattan"})):
        ours = getattr(epee, name)(4, **parameters).fit(X, y)
        theirs = getattr(sklearn.neighbors, name)(4, **same).fit(X, y)
        np.testing.assert_array_equal(ours.predict(None), theirs.predict(None))
        np.testing.assert_array_equal(ours.predict(X + 0.1), theirs.predict(X + 0.1))
    with pytest.raises(WrongUse, match="does not support 0 < p < 1"):
        getattr(epee, name)(algorithm="kd_tree", p=0.5).fit(X, y)
    with pytest.warns(DataWarning, match="are not distance metrics"):
        getattr(epee, name)(p=0.5).fit(X, y)


def test_naive_bayes_gives_joint_probabilities_and_learns_one_class():
    import sklearn.naive_bayes

    X = rng.integers(0, 4, size=(40, 5)).astype(float)
    y = rng.integers(0, 3, 40)
    for name in ("MultinomialNB", "ComplementNB", "BernoulliNB", "CategoricalNB", "GaussianNB"):
        ours, theirs = getattr(epee, name)().fit(X, y), getattr(sklearn.naive_bayes, name)().fit(X, y)
        np.testing.assert_allclose(
            ours.predict_joint_log_proba(X), theirs.predict_joint_log_proba(X), rtol=1e-6, err_msg=name
        )
        assert (getattr(epee, name)().fit(X, np.ones(40)).predict(X) == 1).all()


def test_trees_tell_the_dependence_on_a_column():
    X = rng.normal(size=(80, 2))
    y, grid = np.sin(X[:, 0]) + X[:, 1], np.linspace(-1, 1, 7)[:, None]
    tree = epee.DecisionTreeRegressor(max_depth=4, random_state=0)
    alone, nothing, both = np.zeros(7), np.zeros(7), np.zeros(80)
    tree.fit(X[:, :1], y).tree_.compute_partial_dependence(grid, np.array([0]), alone)
    np.testing.assert_allclose(alone, tree.predict(grid))  # on its only column it depends as it predicts
    tree.fit(X, y).tree_.compute_partial_dependence(grid, np.array([], dtype=int), nothing)
    np.testing.assert_allclose(nothing, y.mean())  # on none as the mean
    tree.tree_.compute_partial_dependence(X, np.array([0, 1]), both)
    np.testing.assert_allclose(both, tree.predict(X))


@pytest.mark.parametrize("metric", ["manhattan", "chebyshev", "minkowski", "haversine"])
@pytest.mark.parametrize("kernel", ["gaussian", "epanechnikov"])
def test_kernel_densities_take_every_metric(metric, kernel):
    X, Q = rng.normal(size=(30, 2)), rng.normal(size=(9, 2))
    params = {"p": 3} if metric == "minkowski" else None
    ours = epee.KernelDensity(metric=metric, kernel=kernel, metric_params=params).fit(X).score_samples(Q)
    theirs = sklearn.neighbors.KernelDensity(metric=metric, kernel=kernel, metric_params=params).fit(X).score_samples(Q)
    np.testing.assert_allclose(ours, theirs, rtol=1e-9)


def test_what_kernel_densities_do_not_offer_is_not_implemented():
    X = rng.normal(size=(20, 2))
    with pytest.raises(NotImplementedError, match="gaussian"):
        epee.KernelDensity(kernel="linear").fit(X).sample()
    with pytest.raises(WrongUse, match="invalid metric"):
        epee.KernelDensity(metric="haversine", algorithm="kd_tree").fit(X)


def test_isomap_reads_a_graph_of_distances():
    X = rng.normal(size=(60, 3))
    graph = sklearn.neighbors.KNeighborsTransformer(n_neighbors=8, mode="distance").fit_transform(X)
    by_graph = epee.Isomap(n_neighbors=8, metric="precomputed").fit(graph)
    np.testing.assert_allclose(by_graph.dist_matrix_, epee.Isomap(n_neighbors=8).fit(X).dist_matrix_, atol=1e-12)
    apart = np.vstack([X[:20], X[:20] + 100])
    D = np.sqrt(((apart[:, None] - apart) ** 2).sum(axis=2))
    with pytest.warns(DataWarning, match="2 pieces"):
        table = epee.Isomap(n_neighbors=4, metric="precomputed").fit(D)
    with pytest.warns(DataWarning, match="2 pieces"):
        rows = epee.Isomap(n_neighbors=4).fit(apart)
    np.testing.assert_allclose(table.dist_matrix_, rows.dist_matrix_, atol=1e-9)
    far = sklearn.neighbors.KNeighborsTransformer(n_neighbors=4, mode="distance").fit_transform(apart)
    with pytest.raises(DataError, match="2 pieces"):
        epee.Isomap(n_neighbors=4, metric="precomputed").fit(far)


def test_a_metric_without_a_meaning_for_sparse_rows_is_refused():
    X = sparse.csr_array(np.abs(rng.normal(size=(12, 2))))
    with pytest.raises(WrongUse, match="not valid for sparse input"):
        epee.KNeighborsClassifier(3, metric="haversine").fit(X, np.arange(12) % 2)
