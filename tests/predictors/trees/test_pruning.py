"""Pruning: the path of scikit-learn, nested subtrees, and one walk a row for all of them."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.tree as theirs
from hypothesis import given, settings
from hypothesis import strategies as st

from epee import DecisionTreeClassifier, DecisionTreeRegressor
from epee.predictors.trees.pruning import representatives

rng = np.random.default_rng(0)
X = rng.normal(size=(240, 3)).astype(np.float32).astype(float)
labels = np.argmax(X + rng.normal(size=X.shape), axis=1)
values = X[:, 0] + 0.5 * rng.normal(size=240)


def test_the_path_is_that_of_scikit_learn():
    least = 12  # in smaller leaves columns tie, and scikit-learn draws among them
    for ours, rival, y in (
        (
            DecisionTreeClassifier(min_samples_leaf=least),
            theirs.DecisionTreeClassifier(min_samples_leaf=least, random_state=0),
            labels,
        ),
        (
            DecisionTreeRegressor(min_samples_leaf=least),
            theirs.DecisionTreeRegressor(min_samples_leaf=least, random_state=0),
            values,
        ),
    ):
        a, b = ours.cost_complexity_pruning_path(X, y), rival.cost_complexity_pruning_path(X, y)
        distinct = np.unique(b.ccp_alphas.round(12))
        np.testing.assert_allclose(np.unique(a.ccp_alphas.round(12)), distinct, atol=1e-9)
        np.testing.assert_allclose(a.impurities[-1], b.impurities[-1])


@settings(max_examples=10)
@given(seed=st.integers(0, 10**6), prune_on=st.sampled_from(["impurity", "risk"]))
def test_subtrees_are_nested_and_each_is_the_best_at_its_price(seed, prune_on):
    r = np.random.default_rng(seed)
    Z, y = r.normal(size=(60, 2)), r.integers(0, 3, 60)
    path = DecisionTreeClassifier(prune_on=prune_on).fit(Z, y).pruning_path_
    assert (
        (np.diff(path.alphas) > 0).all() and (np.diff(path.n_leaves) < 0).all() and (np.diff(path.risk) > -1e-12).all()
    )
    assert path.n_leaves[-1] == 1 and path.risk[-1] == pytest.approx(path.root_risk)
    for k, alpha in enumerate(path.alphas):
        cut = DecisionTreeClassifier(prune_on=prune_on, ccp_alpha=max(alpha, 1e-14)).fit(Z, y)
        assert cut.get_n_leaves() == path.n_leaves[k]
        cost = path.risk + alpha * path.n_leaves
        assert cost[k] <= cost.min() + 1e-12


def test_without_a_price_risk_keeps_the_training_error():
    full = DecisionTreeClassifier(prune_on="risk", min_samples_leaf=5).fit(X, labels)
    tiny = DecisionTreeClassifier(prune_on="risk", min_samples_leaf=5, ccp_alpha=1e-12).fit(X, labels)
    assert tiny.get_n_leaves() <= full.get_n_leaves()
    assert tiny.score(X, labels) == full.score(X, labels)
    assert DecisionTreeClassifier(ccp_alpha=10.0).fit(X, labels).get_n_leaves() == 1


@pytest.mark.parametrize("rule", ["min", "one_se"])
@pytest.mark.parametrize("criterion", ["gini", "squared_error", "absolute_error"])
def test_cross_validation_is_that_of_refits(rule, criterion):
    kind = DecisionTreeClassifier if criterion == "gini" else DecisionTreeRegressor
    y = labels if criterion == "gini" else values
    folds = np.arange(240) % 4
    model = kind(criterion=criterion, min_samples_leaf=6, pruning="cv", rule=rule, folds=folds).fit(X, y)
    path = model.pruning_path_
    losses = np.empty((len(path), 240))
    for k, alpha in enumerate(representatives(path.alphas)):
        for fold in range(4):
            train = folds != fold
            fitted = kind(criterion=criterion, min_samples_leaf=6, ccp_alpha=max(min(alpha, 1e6), 1e-13)).fit(
                X[train], y[train]
            )
            wrong = fitted.predict(X[~train])
            losses[k, ~train] = {
                "gini": wrong != y[~train], "squared_error": (wrong - y[~train]) ** 2, "absolute_error": np.abs(wrong - y[~train]),
            }[criterion]  # fmt: skip
    np.testing.assert_allclose(path.cv, losses.mean(axis=1), atol=1e-9)
    np.testing.assert_allclose(path.stderr, losses.std(axis=1) / np.sqrt(240), atol=1e-9)
    best = losses.mean(axis=1).argmin()
    if rule == "one_se":
        within = path.cv <= path.cv[best] + path.stderr[best]
        assert path.chosen == np.flatnonzero(within)[-1]
    assert model.get_n_leaves() == path.n_leaves[path.chosen]


def test_numbered_folds_are_stratified_and_seeded():
    a = DecisionTreeClassifier(pruning="cv", folds=5).fit(X, labels).pruning_path_
    b = DecisionTreeClassifier(pruning="cv", folds=5).fit(X, labels).pruning_path_
    c = DecisionTreeClassifier(pruning="cv", folds=5, random_state=1).fit(X, labels).pruning_path_
    np.testing.assert_array_equal(a.cv, b.cv)
    assert (a.cv != c.cv).any()


def test_the_path_prints_and_draws():
    path = DecisionTreeClassifier(pruning="cv", folds=5, prune_on="risk").fit(X, labels).pruning_path_
    assert str(path).splitlines()[0].split() == ["CP", "nsplit", "rel", "error", "xerror", "xstd"]
    assert str(path).splitlines()[1].split()[1:3] == ["0", "1.00000"]
    assert path.plot().get_xlabel() == "leaves"


@pytest.mark.parametrize("kind", [DecisionTreeClassifier, DecisionTreeRegressor])
def test_a_grown_tree_is_traced_once_for_all_prices(kind, monkeypatch):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] + rng.normal(size=200) > 0).astype(int)
    traced = []
    plain = kind._trace
    monkeypatch.setattr(kind, "_trace", lambda self, tree: traced.append(tree) or plain(self, tree))
    tree = kind(ccp_alpha=0.002).fit(X, y)
    prices = [1e-4, 0.002, 0.01]
    cuts = tree.variants("ccp_alpha", prices) + tree.variants("ccp_alpha", prices)
    assert len(traced) == 1
    for cut, price in zip(cuts, prices * 2):
        np.testing.assert_array_equal(cut.predict(X), kind(ccp_alpha=price).fit(X, y).predict(X))
    tree.fit(X[:100], y[:100])  # other rows: another tree
    np.testing.assert_array_equal(
        tree.variants("ccp_alpha", [0.01])[0].predict(X), kind(ccp_alpha=0.01).fit(X[:100], y[:100]).predict(X)
    )
