"""Sparse rows give what the same rows laid out give, for every method that takes them, and what scikit-learn's classes give."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.decomposition
import sklearn.linear_model
import sklearn.naive_bayes
import sklearn.preprocessing
from scipy import sparse

import epee
from epee.errors import DataError, MissingValues, WrongUse

rng = np.random.default_rng(0)
n, p = 300, 60
X = np.round(4 * rng.random((n, p))) * (rng.random((n, p)) < 0.04)
S = sparse.csr_matrix(X)
y = X[:, :8] @ np.arange(-4.0, 4.0) + 0.3 * rng.normal(size=n)
codes = np.digitize(y, [-1.0, 1.0])
w = rng.integers(0, 3, n).astype(float)

TARGETS = {"regressor": y, "classifier": codes}
CASES = [
    (epee.LinearRegression(), y, "predict"),
    (epee.Ridge(), y, "predict"),
    (epee.RidgeCV(), y, "predict"),
    (epee.Lasso(alpha=0.01, tol=1e-10), y, "predict"),
    (epee.ElasticNet(alpha=0.01, tol=1e-10), y, "predict"),
    (epee.LassoCV(alphas=10, cv=3, tol=1e-10), y, "predict"),
    (epee.PoissonRegressor(), np.abs(y), "predict"),
    (epee.LogisticRegression(), codes, "predict_proba"),
    (epee.LogisticRegression(l1_ratio=1.0, C=0.5), codes > 0, "predict_proba"),
    (epee.LogisticRegression(solver="newton"), codes, "predict_proba"),
    (epee.LinearClassifier(loss="squared_hinge"), codes > 0, "decision_function"),
    (epee.Perceptron(random_state=0), codes > 0, "decision_function"),
    (epee.BernoulliNB(), codes, "predict_proba"),
    (epee.MultinomialNB(), codes, "predict_proba"),
    (epee.ComplementNB(), codes, "predict_proba"),
    (epee.PoissonNB(), codes, "predict_proba"),
    (epee.DecisionTreeClassifier(random_state=0), codes, "predict_proba"),
    (epee.DecisionTreeRegressor(random_state=0), y, "predict"),
    (epee.RandomForestClassifier(5, random_state=0), codes, "predict_proba"),
    (epee.ExtraTreesRegressor(5, random_state=0), y, "predict"),
    (epee.KernelRidge(kernel="rbf"), y, "predict"),
    (epee.MLPRegressor(hidden_layer_sizes=4, max_iter=3, random_state=0), y, "predict"),
    (epee.PCA(3), None, "transform"),
    (epee.PCA(3, svd_solver="arpack", random_state=0), None, "transform"),
    (epee.PCA(3, svd_solver="randomized", random_state=0), None, "transform"),
    (epee.StandardScaler(with_mean=False), None, "transform"),
    (epee.PolynomialFeatures(2), None, "transform"),
    (epee.PolynomialFeatures((2, 3), interaction_only=True, include_bias=False), None, "transform"),
    (epee.KMeans(3, random_state=0), None, "transform"),
    (epee.Isomap(), None, "transform"),
    (epee.LabelPropagation(kernel="knn"), np.where(np.arange(n) % 3 == 0, codes, -1), "predict_proba"),
]


def answer(model, rows, target, method):
    out = getattr(model.fit(rows, target) if target is not None else model.fit(rows), method)(rows)
    return np.asarray(out.toarray() if sparse.issparse(out) else out, dtype=float)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("model", "target", "method"), CASES, ids=lambda v: type(v).__name__ if hasattr(v, "fit") else ""
)
def test_sparse_rows_give_what_the_same_rows_give_laid_out(model, target, method):
    dense = answer(model, X, target, method)
    for kind in (sparse.csr_matrix, sparse.csc_array):
        np.testing.assert_allclose(answer(model, kind(X), target, method), dense, rtol=1e-6, atol=1e-7)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "model", [epee.Ridge(), epee.MultinomialNB(), epee.BernoulliNB(), epee.LogisticRegression(), epee.Lasso(0.01), epee.LinearRegression()],
    ids=lambda m: type(m).__name__,
)  # fmt: skip
def test_weights_are_copies_of_sparse_rows(model):
    target = codes if hasattr(model, "predict_proba") else y
    twice = np.repeat(np.arange(n), w.astype(int))
    a, b = model.fit(S, target, sample_weight=w).predict(S), model.fit(S[twice], target[twice]).predict(S)
    np.testing.assert_allclose(np.asarray(a, float), np.asarray(b, float), rtol=1e-5, atol=1e-5)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "model",
    [epee.Ridge(), epee.MultinomialNB(), epee.ComplementNB(), epee.BernoulliNB()],
    ids=lambda m: type(m).__name__,
)
def test_sparse_rows_come_in_parts_and_go_again(model):
    target = codes if hasattr(model, "predict_proba") else y
    whole = model.fit(S, target).predict(S)
    model.fit(S[:100], target[:100])
    model.partial_fit(S[100:200], target[100:200]).partial_fit(S[200:], target[200:])
    np.testing.assert_allclose(np.asarray(model.predict(S), float), np.asarray(whole, float), rtol=1e-9, atol=1e-9)
    less = model.forget(S[200:], target[200:]).predict(S)
    again = model.fit(S[:200], target[:200]).predict(S)
    np.testing.assert_allclose(np.asarray(less, float), np.asarray(again, float), rtol=1e-7, atol=1e-8)


def wide(rows: int = 3000, columns: int = 8000):
    cells = sparse.random_array((rows, columns), density=0.002, rng=np.random.default_rng(1), format="csr")
    truth = np.zeros(columns)
    truth[:20] = np.linspace(-3, 3, 20)
    return cells, cells @ truth + 0.05 * np.random.default_rng(2).normal(size=rows) + 2.0


def test_wide_sparse_tables_are_solved_without_a_scatter():
    Z, t = wide()
    ours, theirs = (m.Ridge(0.5, solver="sparse_cg", tol=1e-12).fit(Z, t) for m in (epee, sklearn.linear_model))
    rough, other = (m.Ridge(0.5).fit(Z, t) for m in (epee, sklearn.linear_model))
    assert rough.solver_ == other.solver_ == "sparse_cg" and rough.n_iter_ < ours.n_iter_
    far, away = (np.linalg.norm(m.coef_ - theirs.coef_) for m in (rough, other))
    assert far <= 2 * away < 1e-3 * np.linalg.norm(theirs.coef_)  # at the same tol as far as theirs from all digits
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-7)
    assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=1e-7)
    with pytest.raises(WrongUse, match="p x p"):
        _ = ours.effective_dof_
    lasso, other = (
        epee.Lasso(1e-4, tol=1e-8).fit(Z, t),
        sklearn.linear_model.Lasso(1e-4, tol=1e-8, max_iter=10_000).fit(Z, t),
    )
    np.testing.assert_allclose(lasso.coef_, other.coef_, atol=2e-5)
    assert lasso.dual_gap_ <= 1e-8 * t.var()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.long
def test_least_squares_on_a_wide_sparse_table_is_the_shortest():
    Z, t = wide(2500, 8000)
    model = epee.LinearRegression().fit(Z, t)
    C = Z.toarray() - Z.mean(axis=0)
    shortest = C.T @ np.linalg.lstsq(C @ C.T + np.ones((2500, 2500)), t - t.mean(), rcond=None)[0]
    np.testing.assert_allclose(model.coef_, shortest, atol=1e-6)


@pytest.mark.parametrize("name", ["MultinomialNB", "ComplementNB"])
@pytest.mark.parametrize("parameters", [{}, {"alpha": 0.01}, {"fit_prior": False}, {"alpha": np.linspace(0.1, 1, p)}])
def test_counts_agree_with_scikit_learn(name, parameters):
    ours = getattr(epee, name)(**parameters).fit(S, codes, sample_weight=w)
    theirs = getattr(sklearn.naive_bayes, name)(**parameters).fit(X, codes, sample_weight=w)
    for attribute in ("feature_log_prob_", "feature_count_", "class_log_prior_", "class_count_"):
        np.testing.assert_allclose(getattr(ours, attribute), getattr(theirs, attribute), rtol=1e-12)
    np.testing.assert_allclose(ours.predict_log_proba(S), theirs.predict_log_proba(X), rtol=1e-9, atol=1e-12)


def test_complement_of_normed_weights_and_of_one_class():
    ours, theirs = epee.ComplementNB(norm=True).fit(S, codes), sklearn.naive_bayes.ComplementNB(norm=True).fit(X, codes)
    np.testing.assert_allclose(ours.feature_log_prob_, theirs.feature_log_prob_, rtol=1e-12)
    assert (epee.MultinomialNB().fit(S, np.zeros(n)).predict(S) == 0).all()


@pytest.mark.parametrize("rows", [S, X], ids=["sparse", "dense"])
def test_multinomial_rows_left_out_are_those_of_fits_without_them(rows):
    left = epee.MultinomialNB(alpha=0.3).fit(rows, codes).left_out(rows, codes)
    for i in range(0, n, 60):
        others = np.arange(n) != i
        score = epee.MultinomialNB(alpha=0.3).fit(rows[others], codes[others]).predict_log_proba(rows[[i]])
        shifted = left[i] - np.logaddexp.reduce(left[i])
        np.testing.assert_allclose(shifted, score[0], rtol=1e-8, atol=1e-10)


def test_axes_of_sparse_rows_agree_with_scikit_learn():
    ours = epee.PCA(4).fit(S)
    theirs = sklearn.decomposition.PCA(4, svd_solver="full").fit(X)
    np.testing.assert_allclose(ours.explained_variance_, theirs.explained_variance_, rtol=1e-9)
    few = sparse.random_array((40, 3000), density=0.01, rng=np.random.default_rng(4), format="csr")
    ours, theirs = epee.PCA(4).fit(few), sklearn.decomposition.PCA(4, svd_solver="full").fit(few.toarray())
    np.testing.assert_allclose(ours.explained_variance_, theirs.explained_variance_, rtol=1e-9)
    np.testing.assert_allclose(np.abs(ours.components_ @ theirs.components_.T), np.eye(4), atol=1e-6)
    with pytest.raises(TypeError, match="sparse"):
        epee.PCA(4, svd_solver="full").fit(S)


@pytest.mark.parametrize("degree", [2, 3, (1, 2)])
@pytest.mark.parametrize("only", [False, True])
def test_products_of_sparse_columns_agree_with_scikit_learn(degree, only):
    few = sparse.csr_matrix(X[:50, :12])
    ours = epee.PolynomialFeatures(degree, interaction_only=only).fit_transform(few)
    theirs = sklearn.preprocessing.PolynomialFeatures(degree, interaction_only=only).fit_transform(few)
    assert sparse.issparse(ours)
    np.testing.assert_allclose(ours.toarray(), theirs.toarray())


def test_what_cannot_be_is_said():
    bad = S.copy().astype(float)
    bad.data[3] = np.nan
    with pytest.raises(MissingValues, match=r"Input X contains NaN: column \d+: 1 missing value"):
        epee.Ridge().fit(bad, y)
    with pytest.raises(DataError, match="Negative values in data passed to MultinomialNB"):
        epee.MultinomialNB().fit(-S, codes)
    with pytest.raises(TypeError, match="Sparse data was passed"):
        epee.GaussianNB().fit(S, codes)
    huge = sparse.csr_array((200_000, 100_000))
    with pytest.raises(DataError, match="too many to lay out"):
        epee.DecisionTreeRegressor().fit(huge, np.zeros(200_000))


def test_nodes_of_trees_take_sparse_rows():
    tree = epee.DecisionTreeClassifier(max_depth=4, random_state=0).fit(S, codes)
    np.testing.assert_array_equal(tree.tree_.apply(S), tree.apply(X))
    assert (tree.tree_.decision_path(S) != tree.decision_path(X)).nnz == 0
    assert (tree.n_outputs_, tree.tree_.n_classes.tolist()) == (1, [3])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("model", "kind"),
    [(epee.MultinomialNB(), "c"), (epee.ComplementNB(), "c"), (epee.BernoulliNB(), "c"), (epee.PoissonNB(), "c"), (epee.Ridge(), "r"),
     (epee.LinearRegression(), "r"), (epee.Lasso(0.01), "r"), (epee.LogisticRegression(), "c"),
     (epee.LogisticRegression(l1_ratio=1.0), "c"),
     (epee.LinearClassifier(loss="squared_hinge"), "c"), (epee.LinearClassifier(alpha=0.01), "c"),
     (epee.LinearClassifier("log", solver="sgd", average=True, max_iter=3, random_state=0), "c"), (epee.Perceptron(), "c"),
     (epee.Perceptron(mode="batch", max_iter=3), "c"), (epee.StandardScaler(with_mean=False), "u"), (epee.PCA(2, random_state=0), "u")],
    ids=lambda v: type(v).__name__ if hasattr(v, "fit") else v,
)  # fmt: skip
def test_wide_sparse_rows_are_never_laid_out(model, kind, monkeypatch):
    wide_rows = sparse.random_array((1200, 20_000), density=0.001, rng=np.random.default_rng(7), format="csr")
    target = np.asarray(wide_rows[:, :500].sum(axis=1)).ravel()
    monkeypatch.setattr("epee.table.sparse.MOST_CELLS", 0)
    if kind == "u":
        model.fit(wide_rows)
    else:
        model.fit(wide_rows, target if kind == "r" else target > np.median(target)).predict(wide_rows)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("target", [codes > 0, codes], ids=["two", "three"])
@pytest.mark.parametrize(
    "model",
    [epee.LinearClassifier("log", solver="sgd", max_iter=4, random_state=0), epee.Perceptron(random_state=0, max_iter=4),
     epee.LinearClassifier("hinge", "l1", 1e-3, solver="sgd", max_iter=4, random_state=0),
     epee.LinearClassifier("log", solver="sgd", average=True, max_iter=4, random_state=0),
     epee.Perceptron(mode="batch", max_iter=4), epee.Perceptron(early_stopping=True, max_iter=4)],
    ids=lambda m: type(m).__name__,
)  # fmt: skip
def test_steps_over_sparse_rows_are_those_over_the_rows_laid_out(model, target):
    from sklearn.base import clone

    dense, thin = clone(model).fit(X, target), clone(model).fit(S, target)
    np.testing.assert_allclose(thin.coef_, dense.coef_, rtol=1e-7, atol=1e-9)
    some, classes = np.arange(n) < 150, np.unique(target)
    dense, thin = clone(model), clone(model)
    for part in (some, ~some):
        dense.partial_fit(X[part], target[part], classes=classes)
        thin.partial_fit(S[part], target[part], classes=classes)
    np.testing.assert_allclose(thin.coef_, dense.coef_, rtol=1e-7, atol=1e-9)


def test_blocks_of_sparse_rows_are_views_and_large_where_nobody_could_lay_them_out():
    from epee.table.block import BLOCK_ROWS
    from epee.table.sparse import SparseSource

    narrow = SparseSource(sparse.random_array((9000, 50), density=0.01, rng=np.random.default_rng(0), format="csr"))
    assert [len(b) for b in narrow.blocks()] == [BLOCK_ROWS, BLOCK_ROWS, 9000 - 2 * BLOCK_ROWS]
    assert all(np.shares_memory(b.rows.data, narrow.X.data) for b in narrow.blocks())
    np.testing.assert_array_equal(np.concatenate([b.X for b in narrow.blocks(1000)]), narrow.X.toarray())
    broad = SparseSource(sparse.random_array((9000, 60_000), density=1e-5, rng=np.random.default_rng(0), format="csr"))
    assert [len(b) for b in broad.blocks()] == [9000]


def test_clusters_of_wide_sparse_rows_are_those_of_scikit_learn():
    import sklearn.cluster

    Z, _ = wide(3000, 6000)
    some = Z[:5].toarray()
    ours = epee.KMeans(5, init=some, max_iter=6).fit(Z)
    theirs = sklearn.cluster.KMeans(5, init=some, n_init=1, max_iter=6, algorithm="lloyd").fit(Z)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, atol=1e-12)
    drawn = epee.KMeans(5, random_state=0).fit(Z)
    assert drawn.inertia_ < epee.KMeans(5, init="random", n_init=1, max_iter=1, random_state=0).fit(Z).inertia_


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("how", [{}, {"cv": 4}, {"criterion": "gcv"}, {"fit_intercept": False}], ids=str)
def test_penalties_of_wide_sparse_rows_are_chosen_as_those_of_rows_laid_out(how, weighted, monkeypatch):
    Z, t = wide(120, 400)
    w = np.random.default_rng(5).integers(0, 3, 120).astype(float) if weighted else None
    alphas = np.logspace(-2, 2, 7)
    dense = epee.RidgeCV(alphas, **how).fit(Z.toarray(), t, sample_weight=w)
    monkeypatch.setattr("epee.solve.sparse_rows.FEW_CELLS", 0)
    monkeypatch.setattr("epee.solve.sparse_rows.MANY_COLUMNS", 0)
    thin = epee.RidgeCV(alphas, **how).fit(Z, t, sample_weight=w)
    assert thin._final.solver_ == "sparse_cg" and thin.alpha_ == dense.alpha_
    np.testing.assert_allclose(thin.criterion_values_, dense.criterion_values_, rtol=1e-6)
    np.testing.assert_allclose(thin.predict(Z), dense.predict(Z.toarray()), atol=1e-6)


def test_more_rows_than_can_be_left_out_are_refused_and_folds_are_not(monkeypatch):
    Z, t = wide(2500, 25_000)
    monkeypatch.setattr("epee.predictors.regression.ridge_cv_of_sparse.MOST_ROWS", 2000)
    with pytest.raises(WrongUse, match="give folds, cv=5 for instance"):
        epee.RidgeCV().fit(Z, t)
    model = epee.RidgeCV((0.01, 1.0), cv=3).fit(Z, t)
    assert model.alpha_ in (0.01, 1.0) and model._final.solver_ == "sparse_cg"
    np.testing.assert_allclose(model.coef_, epee.Ridge(model.alpha_, tol=1e-12).fit(Z, t).coef_, atol=1e-8)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("model", "target"),
    [(epee.Ridge(), y), (epee.Lasso(0.01), y), (epee.MultinomialNB(), codes), (epee.LogisticRegression(), codes)],
    ids=lambda v: type(v).__name__ if hasattr(v, "fit") else "",
)
def test_cross_validation_of_sparse_rows_is_that_of_rows_laid_out(model, target):
    from epee.risk import cross_validate

    assert cross_validate(model, S, target).value == pytest.approx(cross_validate(model, X, target).value, rel=1e-7)


def test_folds_of_sparse_rows_come_from_one_pass(monkeypatch):
    from epee.risk import cross_validate
    from epee.table.sparse import SparseSource

    passes, blocks = [], SparseSource.blocks

    def counted(self, rows=None):
        if rows != 256:  # the first rows are no pass
            passes.append(self.n_rows)
        return blocks(self, rows)

    monkeypatch.setattr(SparseSource, "blocks", counted)
    found = cross_validate(epee.Ridge(), S, y, folds=4)
    few = sum(passes)
    cross_validate(epee.Ridge(), S, y, folds=20)
    assert found.one_pass and sum(passes) == 2 * few <= 6 * n  # whatever the number of folds
