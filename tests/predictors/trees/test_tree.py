"""Trees: agreement with scikit-learn where there are no ties, and the properties of the catalogue."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest
import sklearn.tree as theirs
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris

from epee import DecisionTreeClassifier, DecisionTreeRegressor, options
from epee.errors import DataError, WrongUse
from tests.older import as_of

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 4)).astype(np.float32).astype(float)  # scikit-learn keeps float32
labels = np.argmax(X[:, :3] + 0.8 * rng.normal(size=(300, 3)), axis=1)
values = X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=300)


def same_tree(ours, rival, tol=1e-6):
    a, b = ours.tree_, rival.tree_
    for name in ("children_left", "children_right", "feature", "n_node_samples"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
    for name in ("threshold", "impurity", "weighted_n_node_samples", "value"):
        np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=tol, atol=tol)


SETTINGS = [  # large leaves: in small ones columns tie, and scikit-learn draws among them
    {"min_samples_leaf": 15, "max_depth": 4},
    {"min_samples_leaf": 15},
    {"min_samples_split": 60, "min_samples_leaf": 12},
    {"min_samples_leaf": 0.06, "max_depth": 5},
    {"min_impurity_decrease": 0.01, "min_samples_leaf": 12},
    {"max_leaf_nodes": 9, "min_samples_leaf": 12},
    {"min_weight_fraction_leaf": 0.05},
    {"ccp_alpha": 0.012, "min_samples_leaf": 12},
]


@pytest.mark.parametrize("given_", SETTINGS, ids=str)
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_classes_agree_with_scikit_learn(given_, criterion):
    ours = DecisionTreeClassifier(criterion=criterion, **given_).fit(X, labels)
    rival = theirs.DecisionTreeClassifier(criterion=criterion, random_state=0, **given_).fit(X, labels)
    if "max_leaf_nodes" in given_:  # theirs are numbered in another order
        assert ours.get_n_leaves() == rival.get_n_leaves() == 9
        np.testing.assert_allclose(np.sort(ours.tree_.impurity), np.sort(rival.tree_.impurity), atol=1e-12)
    else:
        same_tree(ours, rival)
    np.testing.assert_allclose(ours.predict_proba(X), rival.predict_proba(X))
    np.testing.assert_allclose(ours.feature_importances_, rival.feature_importances_, atol=1e-9)


@pytest.mark.parametrize("given_", SETTINGS, ids=str)
@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_values_agree_with_scikit_learn(given_, criterion):
    if criterion == "absolute_error":
        given_ = {**given_, "max_depth": 3}  # below, thresholds of one column tie exactly
    ours = DecisionTreeRegressor(criterion=criterion, **given_).fit(X, values)
    rival = theirs.DecisionTreeRegressor(criterion=criterion, random_state=0, **given_).fit(X, values)
    if "max_leaf_nodes" not in given_:
        same_tree(ours, rival)
    np.testing.assert_allclose(ours.predict(X), rival.predict(X), atol=1e-9)


def gains(tree):
    """Return the decrease of the impurity by the split of each node; nothing for a leaf."""
    held, left, right = tree.weighted_n_node_samples * tree.impurity, tree.children_left, tree.children_right
    return np.where(left < 0, np.nan, held - held[left] - held[right]) / tree.weighted_n_node_samples[0]


def same_tree_but_for_ties(ours, rival):
    """Walk down both trees: where they part, both splits must lower the impurity alike."""
    a, b = ours.tree_, rival.tree_
    ours_gain, rival_gain, walk, ties = gains(a), gains(b), [(0, 0)], 0
    while walk:
        i, j = walk.pop()
        assert (a.children_left[i] < 0) == (b.children_left[j] < 0)
        np.testing.assert_allclose(ours_gain[i], rival_gain[j], atol=1e-12)
        if a.children_left[i] < 0:
            continue
        rows = [t.n_node_samples[t.children_left[k]] for t, k in ((a, i), (b, j))]
        if a.feature[i] != b.feature[j] or rows[0] != rows[1] or abs(a.threshold[i] - b.threshold[j]) > 1e-6:
            ties += 1
            continue
        walk += [(a.children_left[i], b.children_left[j]), (a.children_right[i], b.children_right[j])]
    return ties


@pytest.mark.parametrize("seed", range(6))
@as_of("1.9")
def test_poisson_agrees_with_scikit_learn(seed):
    """Also in refusing a leaf that says 0, under which any count would be impossible."""
    own = np.random.default_rng(seed)
    counts = own.poisson(np.exp(0.5 * X[:, 0]))
    given_ = {"criterion": "poisson", "max_depth": 4, "min_samples_leaf": 5}
    holes = np.where(own.random(X.shape) < 0.15, np.nan, X)
    for table in (X, holes):
        ours = DecisionTreeRegressor(**given_).fit(table, counts)
        same_tree_but_for_ties(ours, theirs.DecisionTreeRegressor(random_state=0, **given_).fit(table, counts))
        assert ours.predict(table).min() > 1e-6
    with pytest.raises(DataError, match="negative"):
        DecisionTreeRegressor(criterion="poisson").fit(X, -counts)


def test_no_poisson_leaf_says_zero():
    x, y = np.arange(6)[:, None], [0, 0, 0, 0.1, 0.2, 0.3]
    for given_ in ({}, {"categorical_features": [0]}):
        assert DecisionTreeRegressor(criterion="poisson", **given_).fit(x, y).predict(x).min() > 1e-3


def test_weights_and_class_weights_agree_with_scikit_learn():
    w = rng.uniform(0.5, 2, 300)
    for given_ in ({"class_weight": "balanced"}, {"class_weight": {0: 3.0, 1: 1.0, 2: 0.5}}, {}):
        ours = DecisionTreeClassifier(max_depth=4, **given_).fit(X, labels, None if "class_weight" in given_ else w)
        rival = theirs.DecisionTreeClassifier(max_depth=4, random_state=0, **given_)
        same_tree(ours, rival.fit(X, labels, None if "class_weight" in given_ else w))


@pytest.mark.parametrize("seed", range(8))
def test_missing_cells_agree_with_scikit_learn(seed):
    """In small nodes two splits may lower the impurity alike to the last digit: we take the lowest column, scikit-learn draws.

    Over thirty seeds every difference was such a tie; below one the rows differ, and nothing more is compared.
    """
    holes = np.where(np.random.default_rng(seed).random(X.shape) < 0.15, np.nan, X)
    for a, b, y in (
        (DecisionTreeClassifier, theirs.DecisionTreeClassifier, labels),
        (DecisionTreeRegressor, theirs.DecisionTreeRegressor, values),
    ):
        ours = a(max_depth=4, min_samples_leaf=8).fit(holes, y)
        rival = b(max_depth=4, min_samples_leaf=8, random_state=0).fit(holes, y)
        if not same_tree_but_for_ties(ours, rival):
            same_tree(ours, rival)
            np.testing.assert_allclose(ours.predict(holes), rival.predict(holes))


def test_paths_and_leaves_agree_with_scikit_learn():
    ours = DecisionTreeClassifier(max_depth=4).fit(X, labels)
    rival = theirs.DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, labels)
    np.testing.assert_array_equal(ours.apply(X), rival.apply(X))
    assert (ours.decision_path(X) != rival.decision_path(X)).nnz == 0
    assert (ours.get_depth(), ours.get_n_leaves()) == (rival.get_depth(), rival.get_n_leaves())


@pytest.mark.parametrize("sign", [1, -1])
def test_monotone_columns(sign):
    grid = np.tile(np.median(X, axis=0), (200, 1))
    grid[:, 0] = np.linspace(-3, 3, 200)
    y = sign * X[:, 0] + rng.normal(size=300)
    for given_ in ({}, {"criterion": "absolute_error"}):
        model = DecisionTreeRegressor(monotonic_cst=[sign, 0, 0, 0], **given_).fit(X, y)
        for row in X[:20]:
            grid[:, 1:] = row[1:]
            assert (sign * np.diff(model.predict(grid)) >= 0).all()
    model = DecisionTreeClassifier(monotonic_cst=[sign, 0, 0, 0]).fit(X, y > 0)
    assert (sign * np.diff(model.predict_proba(grid)[:, 1]) >= 0).all()
    for ours, rival, target in (
        (DecisionTreeClassifier, theirs.DecisionTreeClassifier, y > 0),
        (DecisionTreeRegressor, theirs.DecisionTreeRegressor, y),
    ):
        given_ = {"monotonic_cst": [-sign, 0, sign, 0], "min_samples_leaf": 30}
        same_tree(ours(**given_).fit(X, target), rival(random_state=0, **given_).fit(X, target))


def test_a_maximal_tree_learns_by_heart_even_what_no_first_split_helps():
    corners, xor = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])
    for criterion in ("gini", "entropy", "error"):
        assert DecisionTreeClassifier(criterion=criterion).fit(X, labels).score(X, labels) == 1.0
        assert DecisionTreeClassifier(criterion=criterion).fit(corners, xor).score(corners, xor) == 1.0
    np.testing.assert_allclose(DecisionTreeRegressor().fit(X, values).predict(X), values)


@settings(max_examples=15)
@given(seed=st.integers(0, 10**6))
def test_increasing_functions_of_the_inputs_change_nothing(seed):
    r = np.random.default_rng(seed)
    Z, y = np.round(r.normal(size=(60, 3)), 1), r.integers(0, 3, 60)
    a, b = DecisionTreeClassifier().fit(Z, y), DecisionTreeClassifier().fit(np.exp(Z), y)
    np.testing.assert_array_equal(a.tree_.feature, b.tree_.feature)
    np.testing.assert_array_equal(a.apply(Z), b.apply(np.exp(Z)))


@settings(max_examples=15)
@given(seed=st.integers(0, 10**6), criterion=st.sampled_from(["gini", "entropy", "error"]))
def test_a_split_lowers_the_impurity_and_is_the_best(seed, criterion):
    r = np.random.default_rng(seed)
    Z, y = r.integers(0, 6, size=(30, 2)).astype(float), r.integers(0, 3, 30)
    if len(np.unique(y)) < 2:
        return
    tree = DecisionTreeClassifier(criterion=criterion, max_depth=1).fit(Z, y).tree_

    def impurity(part):
        p = np.bincount(part, minlength=3) / max(len(part), 1)
        logs = np.log2(np.where(p > 0, p, 1.0))
        return (
            len(part) / 30 * {"gini": 1 - (p**2).sum(), "entropy": -(p * logs).sum(), "error": 1 - p.max()}[criterion]
        )

    gains = {
        (f, s): impurity(y) - impurity(y[Z[:, f] <= s]) - impurity(y[Z[:, f] > s])
        for f in range(2)
        for s in (np.unique(Z[:, f])[1:] + np.unique(Z[:, f])[:-1]) / 2
    }
    best = max(gains.values())
    assert tree.gain[0] / 30 == pytest.approx(best, abs=1e-9)
    first = next(
        key for key, gain in gains.items() if gain >= best - 1e-10
    )  # the lowest column, then the lowest threshold
    assert (tree.feature[0], tree.threshold[0]) == first


def test_ties_go_to_the_lowest_column_then_to_the_lowest_threshold():
    x = np.arange(8.0)
    tree = DecisionTreeClassifier(max_depth=1).fit(np.column_stack([x[::-1], x, x]), x < 4).tree_
    assert (tree.feature[0], tree.threshold[0]) == (0, 3.5)
    tree = DecisionTreeClassifier(max_depth=1).fit(x[:6, None], [0, 1, 1, 1, 1, 0]).tree_
    assert tree.threshold[0] == 0.5


@pytest.mark.parametrize("K", [2, 3, 4])
def test_categories_are_split_by_the_best_of_all_sets(K):
    r = np.random.default_rng(K)
    for _ in range(5):
        z, y = r.integers(0, 6, 80).astype(float) * 10, r.integers(0, K, 80)
        tree = DecisionTreeClassifier(categorical_features=[0], max_depth=1).fit(z[:, None], y).tree_

        def gini(part):
            return len(part) - (np.bincount(part) ** 2).sum() / len(part) if len(part) else 0.0

        levels = np.unique(z)
        best = max(
            gini(y) - gini(y[np.isin(z, inside)]) - gini(y[~np.isin(z, inside)])
            for size in range(1, len(levels))
            for inside in itertools.combinations(levels, size)
        )
        assert tree.gain[0] == pytest.approx(best)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_categories_predict_numbers(criterion):
    z = rng.integers(0, 8, 200).astype(float)
    y = np.array([3.0, 9, 1, 4, 7, 2, 8, 5])[z.astype(int)]
    model = DecisionTreeRegressor(criterion=criterion, categorical_features=[True]).fit(z[:, None], y)
    np.testing.assert_allclose(model.predict(z[:, None]), y)
    assert "in {" in model.rules()[0]


def test_unknown_and_missing_categories_follow_the_heavier_child():
    z = np.repeat([0.0, 1.0, 2.0], [50, 20, 10])
    y = np.repeat([1.0, 5.0, 9.0], [50, 20, 10])
    model = DecisionTreeRegressor(categorical_features=[0], max_depth=1).fit(z[:, None], y)
    heavier = model.predict([[0.0]])[0]
    np.testing.assert_array_equal(model.predict([[7.0], [np.nan], [0.5]]), heavier)
    z[:15] = np.nan
    y[:15] = 30.0
    model = DecisionTreeRegressor(categorical_features=[0], max_depth=1).fit(z[:, None], y)
    assert model.predict([[np.nan]])[0] == 30.0


def test_costs_move_the_decisions_and_the_probabilities_stay():
    y = (X[:, 0] + rng.normal(size=300) > 0).astype(int)
    plain = DecisionTreeClassifier(max_depth=3).fit(X, y)
    equal = DecisionTreeClassifier(max_depth=3, costs=[[0, 1], [1, 0]]).fit(X, y)
    np.testing.assert_allclose(plain.predict_proba(X), equal.predict_proba(X))
    np.testing.assert_array_equal(plain.predict(X), equal.predict(X))
    costly = DecisionTreeClassifier(max_depth=3, costs=[[0, 5], [1, 0]]).fit(X, y)  # missing a one costs five
    P = costly.predict_proba(X)
    np.testing.assert_array_equal(costly.predict(X), (5 * P[:, 1] > P[:, 0]).astype(int))
    assert costly.predict(X).sum() > plain.predict(X).sum()
    leaf = costly.apply(X)
    np.testing.assert_allclose(P[:, 1], [y[leaf == at].mean() for at in leaf])


@settings(max_examples=10)
@given(seed=st.integers(0, 10**6))
def test_weights_are_counts(seed):
    r = np.random.default_rng(seed)
    w = r.integers(0, 4, 300)
    again = np.repeat(np.arange(300), w)
    for a, y in (
        (DecisionTreeClassifier(max_depth=4, min_weight_fraction_leaf=0.02), labels),
        (DecisionTreeRegressor(max_depth=4, min_weight_fraction_leaf=0.02), values),
    ):
        one, other = a.fit(X, y, w).predict(X), a.fit(X[again], y[again]).predict(X)
        np.testing.assert_allclose(one, other) if one.dtype.kind == "f" else np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    "limit", [{"min_samples_leaf": 15}, {"min_samples_split": 60, "min_samples_leaf": 12}, {"min_samples_leaf": 0.06}]
)
def test_least_numbers_of_rows_do_not_see_weights(limit):
    w = rng.random(300) / 300
    for ours, rival, y in (
        (DecisionTreeClassifier(**limit), theirs.DecisionTreeClassifier(random_state=0, **limit), labels),
        (DecisionTreeRegressor(**limit), theirs.DecisionTreeRegressor(random_state=0, **limit), values),
    ):
        same_tree(ours.fit(X, y, w), rival.fit(X, y, w))


def test_boosting_by_weights_works_over_our_trees():
    from sklearn.ensemble import AdaBoostClassifier

    y = (X[:, 0] > 0) ^ (X[:, 1] > 0)
    ours, other = (
        AdaBoostClassifier(tree(max_depth=2, min_samples_leaf=10), n_estimators=30, random_state=0)
        .fit(X, y)
        .score(X, y)
        for tree in (DecisionTreeClassifier, theirs.DecisionTreeClassifier)
    )
    assert ours == pytest.approx(other, abs=0.02)


@pytest.mark.parametrize("kind", ["pandas", "polars", "array", "list"])
def test_columns_of_texts_are_categories(kind):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    town = np.array(["Oslo", "Rome", "Bern", "Kyiv"])[np.arange(60) % 4]
    y = np.isin(town, ["Rome", "Kyiv"]) * 5.0 + (np.arange(60) > 30)
    plain = {"size": np.arange(60.0), "town": town}
    table = {
        "pandas": pandas.DataFrame(plain),
        "polars": polars.DataFrame(plain),
        "array": np.column_stack([plain["size"].astype(object), town.astype(object)]),
        "list": [[a, str(b)] for a, b in zip(plain["size"], town)],
    }[kind]
    tree = DecisionTreeRegressor().fit(table, y)
    np.testing.assert_allclose(tree.predict(table), y, atol=1e-12)
    coded = np.column_stack([plain["size"], np.unique(town, return_inverse=True)[1]])
    same = DecisionTreeRegressor(categorical_features=[1]).fit(coded, y)
    np.testing.assert_array_equal(same.tree_.value, tree.tree_.value)
    assert any("in {Bern, Oslo}" in rule for rule in tree.rules())
    assert tree.predict([[1.0, "Paris"], [1.0, None]]).shape == (2,) if kind == "list" else True
    assert DecisionTreeClassifier().fit(table, town).score(table, town) == 1.0


def test_threads_change_nothing():
    Z = rng.normal(size=(6000, 3))
    y = (Z[:, 0] * Z[:, 1] > 0).astype(int)
    trees = []
    for threads in (1, 2):
        with options(threads=threads):
            trees.append(DecisionTreeClassifier(max_features=2, random_state=3).fit(Z, y).tree_)
    for name, array in trees[0].to_arrays().items():
        np.testing.assert_array_equal(array, getattr(trees[1], name))


def test_random_trees_are_seeded():
    def leaves(seed, **given_):
        return DecisionTreeClassifier(random_state=seed, **given_).fit(X, labels).apply(X)

    for given_ in ({"splitter": "random"}, {"max_features": "sqrt"}, {"max_features": 0.5}, {"max_features": 1}):
        np.testing.assert_array_equal(leaves(1, **given_), leaves(1, **given_))
        assert (leaves(1, **given_) != leaves(2, **given_)).any()
        assert DecisionTreeClassifier(random_state=1, **given_).fit(X, labels).score(X, labels) == 1.0


def test_boxes_cut_the_space_without_overlap():
    model = DecisionTreeRegressor(max_depth=5).fit(X, values)
    box = model.regions()  # (leaves, p, 2)
    points = rng.normal(size=(500, 4)) * 2
    inside = ((points[:, None] > box[None, :, :, 0]) & (points[:, None] <= box[None, :, :, 1])).all(axis=2)
    assert (inside.sum(axis=1) == 1).all()
    np.testing.assert_array_equal(model.leaf_predictions()[inside.argmax(axis=1)], model.predict(points))


def test_rules_as_text():
    iris = load_iris(as_frame=True)
    model = DecisionTreeClassifier(max_depth=2).fit(iris.data, iris.target_names[iris.target])
    assert str(model.rules()).splitlines()[0] == "if petal length (cm) <= 2.45: setosa (50 rows, 100 %)"
    assert len(model.rules()) == model.get_n_leaves()
    assert DecisionTreeRegressor(max_depth=1, min_samples_leaf=200).fit(X, values).rules()[0].startswith("always: ")


def test_pictures():
    from epee.figures.trees import plot_boxes

    model = DecisionTreeClassifier(max_depth=3).fit(X[:, :2], labels)
    assert len(model.plot().texts) >= model.tree_.node_count
    assert len(plot_boxes(model, X[:, :2], labels).patches) == model.get_n_leaves()
    assert plot_boxes(DecisionTreeRegressor(max_depth=2).fit(X[:, :2], values), X[:, :2], values).patches


def test_a_tree_survives_pickling_and_arrays():
    from epee.predictors.trees.structure import Tree

    model = DecisionTreeClassifier().fit(X, labels)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
    np.testing.assert_array_equal(Tree(**model.tree_.to_arrays()).apply(X), model.apply(X))


def test_a_real_table_as_well_as_scikit_learn():
    data = load_breast_cancer()
    half = np.arange(569) % 2 == 0
    ours = DecisionTreeClassifier(max_depth=4).fit(data.data[half], data.target[half])
    rival = theirs.DecisionTreeClassifier(max_depth=4, random_state=0).fit(data.data[half], data.target[half])
    assert ours.score(data.data[~half], data.target[~half]) >= rival.score(data.data[~half], data.target[~half]) - 0.03


@pytest.mark.parametrize(
    ("given_", "words"),
    [
        ({"criterion": "gain"}, "criterion is 'gain'"),
        ({"splitter": "worst"}, "splitter"),
        ({"max_depth": 0}, "max_depth is 0"),
        ({"min_samples_leaf": 0}, "'min_samples_leaf' is 0"),
        ({"min_samples_split": 1.5}, "'min_samples_split' is 1.5"),
        ({"max_features": 1.5}, "max_features is 1.5"),
        ({"ccp_alpha": -1}, "ccp_alpha is -1"),
        ({"pruning": "holdout"}, "pruning is 'holdout'"),
        ({"costs": [[0, 1]]}, "costs has shape"),
        ({"costs": [[0, -1, 1], [1, 0, 1], [1, 1, 0]]}, r"costs\[0, 1\], the cost of deciding 0 when 1 is true"),
        ({"costs": [[0, 1, np.nan], [1, 0, 1], [1, 1, 0]]}, r"costs\[0, 2\]"),
        ({"categorical_features": ["nobody"]}, "nobody"),
        ({"monotonic_cst": [1, 0, 0, 0]}, "multiclass"),
        ({"monotonic_cst": [2, 0, 0, 0]}, "an array-like of -1, 0 or 1"),
        ({"class_weight": "even"}, "class_weight"),
        ({"pruning": "cv", "folds": 1}, "folds is 1"),
    ],
)
def test_sentences(given_, words):
    with pytest.raises(WrongUse, match=words):
        DecisionTreeClassifier(**given_).fit(X, labels)


def test_rules_in_french():
    X, y = np.array([[0.0], [1.0], [np.nan], [2.0]]), np.array(["a", "a", "b", "b"])
    with options(language="fr"):
        rules = str(DecisionTreeClassifier().fit(X, y).rules())
    assert "si " in rules and "lignes" in rules and " rows" not in rules


@pytest.mark.parametrize("name", ["DecisionTreeRegressor", "HistGradientBoostingRegressor", "RandomForestRegressor"])
def test_signs_of_columns_are_not_rounded(name):
    import epee

    with pytest.raises(ValueError, match=r"monotonic_cst must .* 0\.8"):
        getattr(epee, name)(monotonic_cst=[-1, 0.8]).fit(np.eye(4)[:, :2], np.arange(4.0))
