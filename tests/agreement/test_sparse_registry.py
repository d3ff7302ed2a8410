"""Every method that scikit-learn lets take sparse rows takes them here, and gives what the same rows laid out give."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import is_regressor
from sklearn.utils import all_estimators, get_tags

import epee
from epee.estimator.registry import METHODS

THEIRS = dict(all_estimators())
rng = np.random.default_rng(0)
n, p = 60, 7
X = np.round(4 * rng.random((n, p))) * (rng.random((n, p)) < 0.3)
value = X[:, :4] @ [1.0, -1.0, 0.5, 2.0] + 0.3 * rng.normal(size=n)
codes = np.digitize(value, [0.5, 2.0])
SHORT = {"MLPClassifier": {"max_iter": 5}, "MLPRegressor": {"max_iter": 5}}
SHORT |= {name: {"n_estimators": 4} for name in THEIRS if name.startswith(("RandomForest", "ExtraTrees"))}


def takes_sparse(name: str) -> bool:
    """Tell whether scikit-learn has the method and says that sparse rows are fine."""
    try:
        return bool(get_tags(THEIRS[name]()).input_tags.sparse)
    except (KeyError, TypeError):  # not theirs, or one that is made around another
        return False


NAMES = [
    entry.name for entry in METHODS if takes_sparse(entry.name) and entry.name != "TSNE"
]  # which has its own test below


def answer(model, rows):
    """Return what a fitted model says of the rows."""
    for method in ("predict_proba", "decision_function", "predict", "transform"):
        if hasattr(model, method):
            out = getattr(model, method)(rows)
            return np.asarray(out.toarray() if sparse.issparse(out) else out, dtype=float)
    raise AssertionError(f"{type(model).__name__} says nothing of rows")


def test_the_walk_meets_those_that_were_asked_for():
    assert {
        "Ridge",
        "Lasso",
        "LogisticRegression",
        "Perceptron",
        "KNeighborsClassifier",
        "DecisionTreeClassifier",
    } <= set(NAMES)
    assert {
        "RandomForestRegressor",
        "PCA",
        "PolynomialFeatures",
        "KMeans",
        "LabelPropagation",
        "Nystroem",
    } <= set(NAMES)
    assert len(NAMES) >= 29


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array], ids=["csr", "csc", "coo"])
def test_sparse_rows_give_what_they_give_laid_out(name, kind):
    entry = next(e for e in METHODS if e.name == name)
    made = getattr(import_module(f"epee.{entry.module}"), name)
    how = SHORT.get(name, {}) | ({"random_state": 0} if "random_state" in made().get_params() else {})
    assert get_tags(made(**how)).input_tags.sparse
    target = (np.abs(value) if name == "PoissonRegressor" else value) if is_regressor(made()) else codes
    dense, thin = (made(**how).fit(rows, target) for rows in (X, kind(X)))
    asked = X if kind is sparse.csr_matrix else kind(X)  # either way of asking
    np.testing.assert_allclose(answer(thin, asked), answer(dense, X), rtol=1e-6, atol=1e-8)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "model",
    [
        epee.StandardScaler(with_mean=False),
        epee.SelfTraining(epee.LogisticRegression()),
        epee.Calibrated(epee.MultinomialNB()),
        epee.BayesDecision(epee.MultinomialNB()),
        epee.KMeans(3, init=X[:3]),
    ],
    ids=lambda m: type(m).__name__,
)
def test_those_around_others_take_sparse_rows(model):
    target = np.where(np.arange(n) % 3 == 0, codes, -1) if isinstance(model, epee.SelfTraining) else codes
    S = sparse.csr_array(X)
    np.testing.assert_allclose(answer(model.fit(S, target), S), answer(model.fit(X, target), X), rtol=1e-6, atol=1e-8)


def test_pipelines_that_make_sparse_rows():
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    words = np.array(["red", "green", "blue", "violet"])
    texts = [" ".join(rng.choice(words[:3] if c else words[1:], 6)) for c in codes > 0]
    for last in (epee.LogisticRegression(), epee.MultinomialNB(), epee.ComplementNB(), epee.DecisionTreeClassifier()):
        assert make_pipeline(TfidfVectorizer(), last).fit(texts, codes > 0).score(texts, codes > 0) > 0.7
    levels = rng.choice(words, size=(n, 3))
    for last in (epee.Ridge(), epee.Lasso(0.01), epee.RandomForestRegressor(3, random_state=0)):
        model = make_pipeline(OneHotEncoder(), last).fit(levels, value)
        again = make_pipeline(OneHotEncoder(sparse_output=False), last).fit(levels, value)
        np.testing.assert_allclose(model.predict(levels), again.predict(levels), atol=1e-8)


def test_a_map_of_sparse_rows_is_that_of_scikit_learn():
    """Rows laid out need not give it: neighbours are found in another way, and the last digit of a distance moves the whole map."""
    from sklearn.manifold import TSNE

    how, S = {"max_iter": 250, "perplexity": 5.0, "init": "random", "random_state": 0}, sparse.csr_matrix(X[:30])
    np.testing.assert_array_equal(epee.TSNE(**how).fit_transform(S), TSNE(**how).fit_transform(S))


def test_folds_of_sparse_rows_are_those_of_the_rows_laid_out():
    from epee.table.folds import same_rows

    cells = np.round(2 * rng.normal(size=(200, 4))) * (rng.random((200, 4)) < 0.5)
    S = sparse.csr_array(cells)
    S.data[:5] = 0.0  # held, and nothing
    np.testing.assert_array_equal(same_rows(S), same_rows(S.toarray()))
    np.testing.assert_array_equal(same_rows(sparse.csc_matrix(cells)), same_rows(cells))
