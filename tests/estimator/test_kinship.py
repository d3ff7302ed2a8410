"""Our trees pass for scikit-learn's where scikit-learn asks, whichever of the two was imported first."""

import os
import subprocess
import sys

import numpy as np
import pytest
import sklearn.inspection
import sklearn.tree
from sklearn.ensemble import RandomForestRegressor

import epee

X = np.random.default_rng(0).normal(size=(60, 3))
y = X[:, 0] + X[:, 1] ** 2


def test_trees_are_drawn_and_written_by_scikit_learn():
    tree = epee.DecisionTreeClassifier(max_depth=2).fit(X, y > 0.5)
    theirs = sklearn.tree.DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y > 0.5)
    assert sklearn.tree.export_text(tree) == sklearn.tree.export_text(theirs)
    assert sklearn.tree.export_graphviz(tree) == sklearn.tree.export_graphviz(theirs)
    drawn = [text.get_text() for text in sklearn.tree.plot_tree(tree)]
    assert drawn == [text.get_text() for text in sklearn.tree.plot_tree(theirs)]
    numbers = epee.RandomForestRegressor(3, max_depth=2).fit(X, y)
    assert "squared_error" in sklearn.tree.export_graphviz(numbers.estimators_[0])


def test_partial_dependence_walks_through_our_trees():
    for model in (epee.DecisionTreeRegressor(max_depth=3), epee.RandomForestRegressor(4, max_depth=3, random_state=0)):
        model.fit(X[:, :1], y)  # on its only column, the mean prediction is the prediction
        found = sklearn.inspection.partial_dependence(model, X[:, :1], [0], method="recursion")
        np.testing.assert_allclose(found["average"][0], model.predict(found["grid_values"][0][:, None]), atol=1e-12)
        model.fit(X, y)
        whole = sklearn.inspection.partial_dependence(model, X, [1], method="recursion")["average"]
        assert np.ptp(whole) > 0 and model.predict(X).min() <= whole.min() <= whole.max() <= model.predict(X).max()


@pytest.mark.parametrize("first", ["import sklearn.tree, sklearn.ensemble", "pass"])
def test_whoever_comes_first(first):
    code = (
        f"{first}\nimport epee\na, b = epee.DecisionTreeRegressor(), epee.ExtraTreesClassifier()\n"
        "import sys\nassert 'sklearn.tree' in sys.modules or not sys.argv[1:]\n"
        "import sklearn.tree, sklearn.ensemble\n"
        "assert isinstance(a, sklearn.tree.DecisionTreeRegressor) and isinstance(b, sklearn.ensemble.ExtraTreesClassifier)\n"
        "assert not isinstance(a, sklearn.tree.DecisionTreeClassifier)\n"
        "assert type(sklearn.tree._classes.__loader__).__name__ == 'SourceFileLoader'"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ)


def test_nothing_is_inherited():
    assert RandomForestRegressor not in epee.RandomForestRegressor.__mro__
    assert issubclass(epee.RandomForestRegressor, RandomForestRegressor)


def test_boosted_trees_have_the_dependence_of_their_decision_function():
    inspect = sklearn.inspection.partial_dependence
    model = epee.HistGradientBoostingRegressor(max_iter=10, max_depth=1, min_samples_leaf=5).fit(X, y)
    for columns in ([0], [0, 1]):
        ways = [inspect(model, X, columns, method=method, grid_resolution=5)["average"] for method in ("auto", "brute")]
        np.testing.assert_allclose(*ways, atol=1e-10)
    two = epee.HistGradientBoostingClassifier(max_iter=10, max_depth=1, min_samples_leaf=5).fit(X, y > 0.8)
    ways = [
        inspect(two, X, [1], method=m, response_method="decision_function")["average"] for m in ("recursion", "brute")
    ]
    np.testing.assert_allclose(*ways, atol=1e-10)


def test_dependence_of_trees_that_split_categories_by_sets():
    z = np.arange(60) % 6
    tree = epee.DecisionTreeRegressor(categorical_features=[1], max_depth=4).fit(
        np.column_stack([X[:, 0], z]), y + z % 2
    )
    rows = np.column_stack([X[:, 0], z])
    out = np.zeros(len(rows))
    tree.tree_.compute_partial_dependence(rows, np.array([0, 1]), out)
    np.testing.assert_allclose(out, tree.predict(rows))
