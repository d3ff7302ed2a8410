"""Trees that answer several questions at once: scikit-learn's trees, and the impurity by its definition."""

import pickle

import numpy as np
import pytest
import sklearn.tree

from epee import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from epee.errors import DataError, WrongUse

rng = np.random.default_rng(0)


@pytest.fixture(scope="module")
def table():
    X = rng.normal(size=(300, 4))
    Y = np.column_stack([X[:, 0], 3 * X[:, 1], np.abs(X[:, 2])]) + rng.normal(size=(300, 3))
    return X, Y, np.column_stack([np.where(Y[:, 0] > 0, "yes", "no"), np.digitize(Y[:, 1], [-1, 1]).astype(str)])


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("weighted", [False, True])
def test_classes_are_scikit_learns(table, criterion, weighted):
    X, _, C = table
    w = rng.integers(1, 4, len(X)).astype(float) if weighted else None
    arguments = {"criterion": criterion, "max_depth": 3, "min_samples_leaf": 15, "random_state": 0}
    ours = DecisionTreeClassifier(**arguments).fit(X, C, w)
    theirs = sklearn.tree.DecisionTreeClassifier(**arguments).fit(X, C, w)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    for P, Q in zip(ours.predict_proba(X), theirs.predict_proba(X), strict=True):
        np.testing.assert_allclose(P, Q, atol=1e-12)
    np.testing.assert_allclose(ours.tree_.impurity, theirs.tree_.impurity, atol=1e-12)
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=1e-12)
    np.testing.assert_array_equal(ours.tree_.n_classes, theirs.tree_.n_classes)
    assert ours.n_classes_ == [2, 3] and ours.n_outputs_ == 2
    again = pickle.loads(pickle.dumps(ours))
    np.testing.assert_array_equal(again.predict(X), ours.predict(X))


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_numbers_are_scikit_learns(table, criterion):
    X, Y, _ = table
    Y = np.abs(Y) + 0.1
    arguments = {"criterion": criterion, "max_depth": 3, "min_samples_leaf": 15, "random_state": 0}
    ours = DecisionTreeRegressor(**arguments).fit(X, Y)
    theirs = sklearn.tree.DecisionTreeRegressor(**arguments).fit(X, Y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-12)
    np.testing.assert_allclose(ours.tree_.impurity, theirs.tree_.impurity, atol=1e-12)
    assert "," in str(ours.rules())


def test_the_twin_and_the_compiled_loop_grow_the_same_tree(table, monkeypatch):
    from epee.kernels import trees_grow

    X, Y, C = table
    X = np.round(X, 1)
    X[rng.random(X.shape) < 0.1] = np.nan
    for model, y in ((DecisionTreeClassifier(min_samples_leaf=3), C), (DecisionTreeRegressor(min_samples_leaf=3), Y)):
        grown = []
        for few in (True, False):
            for name in ("grow", "describe"):
                monkeypatch.setattr(getattr(trees_grow, name), "small", lambda *a, few=few: few)
            grown.append(model.fit(X, y).tree_)
        for name in ("feature", "threshold", "n_node_samples", "missing_go_to_left"):
            np.testing.assert_array_equal(getattr(grown[0], name), getattr(grown[1], name))
        np.testing.assert_allclose(grown[0].impurity, grown[1].impurity, atol=1e-12)


def test_equal_outputs_are_one(table):
    X, Y, _ = table
    one, two = DecisionTreeRegressor(max_depth=4).fit(X, Y[:, 0]), DecisionTreeRegressor(max_depth=4)
    np.testing.assert_allclose(two.fit(X, Y[:, [0, 0]]).predict(X)[:, 1], one.predict(X), atol=1e-12)
    column = DecisionTreeRegressor(max_depth=4).fit(X, Y[:, :1])
    np.testing.assert_array_equal(column.predict(X), one.predict(X))


def test_class_weights_go_by_output(table):
    X, _, C = table
    ours = DecisionTreeClassifier(max_depth=3, class_weight="balanced", random_state=0).fit(X, C)
    theirs = sklearn.tree.DecisionTreeClassifier(max_depth=3, class_weight="balanced", random_state=0).fit(X, C)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_what_several_outputs_cannot_have_is_said(table):
    X, Y, C = table
    with pytest.raises(WrongUse, match="not supported with multiple outputs"):
        DecisionTreeRegressor(monotonic_cst=[1, 0, 0, 0]).fit(X, Y)
    with pytest.raises(WrongUse, match="takes one output"):
        DecisionTreeClassifier(pruning="cv").fit(X, C)
    with pytest.raises(DataError, match="categories"):
        DecisionTreeRegressor(categorical_features=[0]).fit(np.round(X), Y)


def test_one_class_is_learned():
    tree = DecisionTreeClassifier().fit([[0.0], [1.0]], ["a", "a"])
    assert tree.predict([[3.0]]).tolist() == ["a"] and tree.predict_proba([[3.0]]).tolist() == [[1.0]]


def test_the_trees_of_a_forest_one_by_one(table):
    X, Y, C = table
    forest = RandomForestRegressor(5, max_depth=4, random_state=0).fit(X, Y[:, 0])
    trees = forest.estimators_
    assert len(trees) == 5 and len(trees[1:3]) == 2
    np.testing.assert_allclose(np.mean([tree.predict(X) for tree in trees], axis=0), forest.predict(X), atol=1e-12)
    leaf = trees[0].tree_.children_left == -1
    at = trees[0].apply(X)
    count = forest._draw.counts(0)
    for node in np.flatnonzero(leaf)[:5]:
        y, w = Y[at == node, 0], count[at == node]
        mean = np.average(y, weights=w)
        assert trees[0].tree_.impurity[node] == pytest.approx(np.average((y - mean) ** 2, weights=w), abs=1e-9)
    path, starts = forest.decision_path(X[:7])
    assert path.shape == (7, starts[-1]) and starts[1] == trees[0].tree_.node_count


def test_forests_answer_several_outputs(table):
    X, Y, C = table
    forest = RandomForestClassifier(40, random_state=0, oob_score=True).fit(X, C)
    assert forest.predict(X).shape == C.shape and (forest.predict(X) == C).mean() > 0.95 and 0.5 < forest.oob_score_ < 1
    shares = [np.mean([tree.predict_proba(X)[o] for tree in forest.estimators_], axis=0) for o in range(2)]
    for P, mean in zip(forest.predict_proba(X), shares, strict=True):
        np.testing.assert_allclose(P, mean, atol=1e-12)
    numbers = ExtraTreesRegressor(5, random_state=0).fit(
        X, Y
    )  # without drawing rows each tree passes through every one
    np.testing.assert_allclose(numbers.predict(X), Y, atol=1e-9)


def test_leaves_of_equal_whole_numbers_say_them():
    X, y = rng.normal(size=(80, 2)), rng.integers(-3, 9, 80).astype(float)
    np.testing.assert_array_equal(DecisionTreeRegressor().fit(X, y).predict(X), y)
