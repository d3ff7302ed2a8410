"""Bernoulli, categorical and Poisson naive Bayes."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from sklearn import naive_bayes

from epee import BernoulliNB, CategoricalNB, PoissonNB
from epee.errors import DataError, DataWarning, WrongUse
from tests.predictors.generative.leaving import check_left_out

rng = np.random.default_rng(0)
N = 60
y = rng.integers(0, 3, N)
w = rng.integers(1, 4, N).astype(float)
B = (rng.random((N, 5)) < 0.4).astype(float)
C = rng.integers(0, 4, (N, 4)).astype(float)
P = rng.poisson(2, (N, 4)).astype(float)


@pytest.mark.parametrize(
    "options", [{}, {"alpha": 0.3}, {"fit_prior": False}, {"class_prior": [0.2, 0.3, 0.5]}, {"binarize": 0.5}]
)
def test_bernoulli_agrees_with_scikit_learn(options):
    X = B + rng.normal(scale=0.1, size=B.shape) if "binarize" in options else B
    ours, theirs = BernoulliNB(**options).fit(X, y, w), naive_bayes.BernoulliNB(**options).fit(X, y, w)
    for name in ("feature_log_prob_", "class_log_prior_", "feature_count_", "class_count_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), atol=1e-12)
    np.testing.assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), atol=1e-10)


def test_bernoulli_is_the_product():
    m = BernoulliNB().fit(B, y)
    p = np.exp(m.feature_log_prob_)
    brute = np.array([[np.prod(np.where(x > 0, q, 1 - q)) for q in p] for x in B]) * np.bincount(y) / N
    np.testing.assert_allclose(m.predict_proba(B), brute / brute.sum(axis=1, keepdims=True), rtol=1e-10)


def test_course_epsilon_gives_the_posteriors_of_the_course():
    eps = 1e-3
    m = BernoulliNB(epsilon=eps).fit(B, y)
    p = np.array([B[y == k].mean(axis=0) for k in range(3)])
    course = B @ np.log(p + eps).T + (1 - B) @ np.log(1 - p + eps).T + np.log(np.bincount(y) / N)
    course = np.exp(course - course.max(axis=1, keepdims=True))
    np.testing.assert_allclose(m.predict_proba(B), course / course.sum(axis=1, keepdims=True), rtol=1e-10)
    np.testing.assert_allclose(
        np.exp(m.feature_log_prob_), (p + eps) / (1 + 2 * eps), rtol=1e-12
    )  # and they are probabilities


def test_no_smoothing_is_the_limit_of_little_smoothing():
    X, labels = np.array([[1.0, 0, 0], [1, 0, 1], [0, 1, 0], [0, 1, 1]]), np.array([0, 0, 1, 1])
    never, little = BernoulliNB(alpha=0.0).fit(X, labels), BernoulliNB(alpha=1e-12).fit(X, labels)
    every = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)], dtype=float)
    np.testing.assert_allclose(never.predict_proba(every), little.predict_proba(every), atol=1e-9)
    assert np.isneginf(never.feature_log_prob_).any()


def test_sparse_rows_are_the_same():
    S = scipy.sparse.csr_matrix(B)
    dense, sparse = BernoulliNB().fit(B, y, w), BernoulliNB().fit(S, y, w)
    np.testing.assert_allclose(sparse.predict_proba(S), dense.predict_proba(B))
    np.testing.assert_allclose(
        BernoulliNB(binarize=-1.0).fit(S, y).predict_proba(S), BernoulliNB(binarize=-1.0).fit(B, y).predict_proba(B)
    )


@pytest.mark.parametrize(
    "options", [{}, {"alpha": 0.2}, {"fit_prior": False}, {"min_categories": 6}, {"min_categories": [4, 5, 6, 7]}]
)
def test_categorical_agrees_with_scikit_learn(options):
    ours, theirs = CategoricalNB(**options).fit(C, y, w), naive_bayes.CategoricalNB(**options).fit(C.astype(int), y, w)
    np.testing.assert_allclose(ours.predict_log_proba(C), theirs.predict_log_proba(C.astype(int)), atol=1e-10)
    assert ours.n_categories_.tolist() == theirs.n_categories_.tolist()
    for a, b in zip(ours.category_count_, theirs.category_count_, strict=True):
        np.testing.assert_allclose(a, b)


def test_unseen_category_has_no_say():
    m = CategoricalNB().fit(C, y)
    row = C[:1].copy()
    row[0, 1] = 9
    with pytest.warns(DataWarning, match="column 1: the category in row 0 was in no training row"):
        found = m.predict_log_proba(row)
    rest = CategoricalNB().fit(C[:, [0, 2, 3]], y)
    np.testing.assert_allclose(found, rest.predict_log_proba(C[:1, [0, 2, 3]]), atol=1e-12)


def test_poisson_ranks_by_likelihood():
    from scipy.stats import poisson

    m = PoissonNB(alpha=0).fit(P, y, w)
    rates = np.array([np.average(P[y == k], axis=0, weights=w[y == k]) for k in range(3)])
    np.testing.assert_allclose(m.rate_, rates, rtol=1e-12)
    logs = np.stack([poisson.logpmf(P, r).sum(axis=1) for r in rates], axis=1) + np.log(np.bincount(y, w) / w.sum())
    logs -= np.logaddexp.reduce(logs, axis=1, keepdims=True)
    np.testing.assert_allclose(m.predict_log_proba(P), logs, atol=1e-10)


def test_poisson_smoothing_adds_rows_at_the_mean():
    m = PoissonNB(alpha=2.0).fit(P, y)
    expected = [(P[y == k].sum(axis=0) + 2 * P.mean(axis=0)) / ((y == k).sum() + 2) for k in range(3)]
    np.testing.assert_allclose(m.rate_, expected)


@pytest.mark.parametrize("weights", [None, w])
@pytest.mark.parametrize(
    ("kind", "X", "options"),
    [
        (BernoulliNB, B, {}), (BernoulliNB, B, {"epsilon": 1e-8}), (BernoulliNB, B, {"alpha": 0.0}),
        (BernoulliNB, B, {"class_prior": [0.2, 0.3, 0.5]}), (CategoricalNB, C, {"min_categories": 4}),
        (CategoricalNB, C, {"min_categories": 4, "alpha": 0.0}), (PoissonNB, P, {}), (PoissonNB, P, {"alpha": 0.0}),
    ],
)  # fmt: skip
def test_left_out(kind, X, options, weights):
    check_left_out(lambda: kind(**options), X, y, weights, every=4)


@pytest.mark.parametrize(("kind", "X"), [(BernoulliNB, B), (CategoricalNB, C), (PoissonNB, P)])
def test_parts_forgetting_and_sampling(kind, X):
    whole = kind().fit(X, y)
    parts = kind().partial_fit(X[:20], y[:20], classes=[0, 1, 2]).partial_fit(X[20:], y[20:])
    np.testing.assert_allclose(parts._score(X), whole._score(X), atol=1e-10)
    np.testing.assert_allclose(whole.forget(X[:9], y[:9])._score(X), kind().fit(X[9:], y[9:])._score(X), atol=1e-9)
    rows, labels = parts.sample(4000, random_state=1)
    assert set(labels) == {0, 1, 2}
    np.testing.assert_allclose(
        rows.mean(axis=0), np.average(parts.class_images((X.shape[1],)), axis=0, weights=np.bincount(y)), atol=0.15
    )


def test_bad_input():
    with pytest.raises(DataError, match="column 1: 2 in row 0 is neither 0 nor 1.*binarize"):
        BernoulliNB(binarize=None).fit([[0, 2], [1, 0]], [0, 1])
    assert BernoulliNB(binarize=None).fit([[0, 1], [0, 1], [1, 0], [1, 0]], [0, 0, 1, 1]).predict([[0, 1]]) == [0]
    with pytest.raises(DataError, match="neither 0 nor 1"):
        BernoulliNB(binarize=None).fit([[0, 1], [0, 1], [1, 0], [1, 0]], [0, 0, 1, 1]).predict([[0, 3]])
    with pytest.raises(WrongUse, match="epsilon"):
        BernoulliNB(epsilon=-1.0).fit(B, y)
    with pytest.raises(WrongUse, match="alpha"):
        BernoulliNB(alpha=-1.0).fit(B, y)
    with pytest.raises(WrongUse, match="alpha"):
        CategoricalNB(alpha=np.nan).fit(C, y)
    with pytest.raises(WrongUse, match="class_prior sum to 1.2"):
        BernoulliNB(class_prior=[0.4, 0.4, 0.4]).fit(B, y)
    with pytest.raises(DataError, match="column 0 holds -3 in row 0, and a count cannot be negative"):
        PoissonNB().fit([[-3.0], [1.0]], [0, 1])
    with pytest.raises(
        DataError, match=r"Negative values in data passed to CategoricalNB \(input X\): column 0 holds -1 in row 1"
    ):
        CategoricalNB().fit([[0], [-1]], [0, 1])
    with pytest.warns(DataWarning, match=r"column 0 holds 1.5 in row 1.*taken as 1"):
        CategoricalNB().fit([[0], [1.5], [0], [1]], [0, 1, 0, 1])
    with pytest.raises(WrongUse, match="4 pixels"):
        BernoulliNB().fit(B, y).class_images((2, 2))


def test_bad_cells_are_named_by_the_columns_of_a_frame():
    import pandas

    frame = pandas.DataFrame({"age": [1.0, 0, 1, 0], "size": [0.0, 1, -2, 1]})
    with pytest.raises(DataError, match="column 'size': -2 in row 2"):
        BernoulliNB(binarize=None).fit(frame, list("abab"))
    with pytest.raises(DataError, match="column 'size' holds -2 in row 2"):
        PoissonNB().fit(frame, list("abab"))


def test_a_fit_that_is_refused_leaves_the_model_as_it_was():
    X, y = np.array([[0, 1], [1, 0], [2, 1], [2, 0]]), np.array(["a", "a", "b", "b"])
    model = CategoricalNB().fit(X, y)
    before = model.predict_proba(X)
    with pytest.raises(ValueError, match="Negative values"):
        model.fit(np.array([[0, -1]]), ["c"])
    np.testing.assert_array_equal(model.predict_proba(X), before)
