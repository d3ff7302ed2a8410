"""The random tables of :mod:`tests.agreement.test_fuzz`, for the methods with a search, a tree, neighbours or a spectrum.

What has one answer is compared with scikit-learn's answer. What minimises something is compared by what it minimises, never higher
than theirs; of a tree the first cut is compared by what it gains, since equal columns leave the choice open.
"""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.cluster
import sklearn.decomposition
import sklearn.linear_model
import sklearn.naive_bayes
import sklearn.neighbors
import sklearn.preprocessing
import sklearn.tree
from scipy import sparse

import epee
from tests.agreement.test_fuzz import TABLES, drawn, tolerance

pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.parametrize("seed", range(1000, 1000 + max(TABLES // 2, 1))),
]


def lasso_objective(model, X, y, w, alpha, ratio):
    coef = model.coef_.astype(float)
    errors = (y - X @ coef - model.intercept_) ** 2
    return float(
        w @ errors / w.sum() / 2 + alpha * ratio * np.abs(coef).sum() + alpha * (1 - ratio) / 2 * (coef**2).sum()
    )


def logistic_objective(model, X, signs, w, C):
    coef = model.coef_[0].astype(float)
    return float(C * (w @ np.logaddexp(0.0, -signs * (X @ coef + model.intercept_[0]))) + (coef**2).sum() / 2)


def test_what_is_minimised_is_no_higher(seed):
    given, plain, y, labels, w = drawn(seed)
    u, tol = np.ones(len(y)) if w is None else w, tolerance(given)
    for alpha, ratio in ((0.1, 1.0), (1.0, 0.5)):
        both = [
            cls(alpha=alpha, l1_ratio=ratio, tol=1e-10, max_iter=50_000).fit(rows, y, sample_weight=w)
            for cls, rows in ((epee.ElasticNet, given), (sklearn.linear_model.ElasticNet, plain))
        ]
        ours, theirs = (lasso_objective(model, plain, y, u, alpha, ratio) for model in both)
        assert ours <= theirs * (1 + tol) + tol, (alpha, ratio)
    if len(np.unique(labels[u > 0])) == 2:
        both = [
            cls(tol=1e-8, max_iter=5000).fit(rows, labels, sample_weight=w)
            for cls, rows in ((epee.LogisticRegression, given), (sklearn.linear_model.LogisticRegression, plain))
        ]
        signs = np.where(np.asarray(labels) == both[0].classes_[1], 1.0, -1.0)
        ours, theirs = (logistic_objective(model, plain, signs, u, 1.0) for model in both)
        assert ours <= theirs * (1 + 1e-3) + tol


def test_answers_agree(seed):
    given, plain, y, labels, w = drawn(seed)
    tol, n = tolerance(given), len(y)
    u = np.ones(n) if w is None else w
    if len(np.unique(labels[u > 0])) == 2 and not sparse.issparse(given) and np.ptp(plain[u > 0], axis=0).any():
        ours = epee.GaussianNB().fit(given, labels, sample_weight=w)
        theirs = sklearn.naive_bayes.GaussianNB().fit(plain, labels, sample_weight=w)
        spread = [
            m.var_ - m.epsilon_ for m in (ours, theirs)
        ]  # what is added counts weights as rows here, and not there
        np.testing.assert_allclose(*spread, rtol=100 * tol, atol=1e-12 * float(theirs.var_.max()))
        np.testing.assert_allclose(ours.theta_, theirs.theta_, rtol=100 * tol, atol=1e-12 * np.abs(plain).max())
    near = epee.KNeighborsRegressor(3).fit(given, y)
    other = sklearn.neighbors.KNeighborsRegressor(3).fit(plain, y)
    far, theirs = near.kneighbors()[0], other.kneighbors()[0]
    np.testing.assert_allclose(far, theirs, rtol=tol, atol=tol * np.abs(plain).max())
    full, rival = epee.PCA(svd_solver="full").fit(plain), sklearn.decomposition.PCA(svd_solver="full").fit(plain)
    np.testing.assert_allclose(
        full.singular_values_, rival.singular_values_, rtol=1e-6, atol=1e-7 * float(rival.singular_values_[0]) + 1e-12
    )
    made = [cls(degree=2).fit_transform(rows) for cls, rows in
            ((epee.PolynomialFeatures, given), (sklearn.preprocessing.PolynomialFeatures, plain))]  # fmt: skip
    mine = made[0].toarray() if sparse.issparse(made[0]) else made[0]
    np.testing.assert_allclose(mine, made[1], rtol=10 * tol, atol=tol)
    density = epee.KernelDensity(bandwidth=float(plain.std()) + 1e-9).fit(plain, sample_weight=w)
    smooth = sklearn.neighbors.KernelDensity(bandwidth=float(plain.std()) + 1e-9).fit(plain, sample_weight=w)
    np.testing.assert_allclose(density.score_samples(plain), smooth.score_samples(plain), rtol=1e-6, atol=1e-6)


def test_first_cuts_gain_no_less(seed):
    given, plain, y, labels, w = drawn(seed)
    u = np.ones(len(y)) if w is None else w
    for ours, theirs, target in (
        (epee.DecisionTreeRegressor, sklearn.tree.DecisionTreeRegressor, y),
        (epee.DecisionTreeClassifier, sklearn.tree.DecisionTreeClassifier, labels),
    ):
        trees = [
            cls(max_depth=1, min_samples_leaf=2).fit(rows, target, sample_weight=w).tree_
            for cls, rows in ((ours, given), (theirs, plain))
        ]
        left = [
            float((t.weighted_n_node_samples * t.impurity)[t.children_left < 0].sum()) / float(u.sum()) for t in trees
        ]
        assert left[0] <= left[1] * (1 + 1e-6) + 1e-9, (
            ours.__name__
        )  # values 1e-7 apart are equal to theirs, and not to ours


def test_the_same_start_ends_in_the_same_clusters(seed):
    given, plain, _, _, w = drawn(seed)
    if given.dtype == np.float32:
        pytest.skip("rounding breaks ties, and the walk goes elsewhere")
    start = np.unique(plain, axis=0)[:3]
    models = [
        cls(len(start), init=start, n_init=1, tol=0.0, max_iter=100, algorithm="lloyd").fit(rows, sample_weight=w)
        for cls, rows in ((epee.KMeans, given), (sklearn.cluster.KMeans, plain))
    ]
    assert (
        models[0].inertia_ <= models[1].inertia_ * (1 + 1e-6) + 1e-9
    )  # of a cluster that is left empty theirs makes less
