"""Forests: what the draws and the trees must satisfy, rows out of the bag, laws of the leaves; then as good as scikit-learn's."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import sklearn.ensemble as theirs
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine

import epee
from epee import ExtraTreesClassifier, ExtraTreesRegressor, RandomForestClassifier, RandomForestRegressor
from epee.errors import WrongUse
from epee.risk.estimate import Risk

CLASSIFIERS, REGRESSORS = (RandomForestClassifier, ExtraTreesClassifier), (RandomForestRegressor, ExtraTreesRegressor)


def numbers(n, seed=0):
    r = np.random.default_rng(seed)
    X = r.uniform(size=(n, 5))
    return X, 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + r.normal(size=n)


def classes(n, seed=0):
    r = np.random.default_rng(seed)
    X = r.normal(size=(n, 5))
    return X, (X[:, 0] + X[:, 1] * X[:, 2] + 0.7 * r.normal(size=n) > 0).astype(int)


@pytest.mark.parametrize("maker", CLASSIFIERS + REGRESSORS)
def test_threads_change_nothing_and_more_trees_begin_with_fewer(maker):
    X, y = (classes if maker in CLASSIFIERS else numbers)(200)
    epee.options.threads = 1
    few = maker(5, bootstrap=True).fit(X, y)
    epee.options.threads = 3
    more = maker(9, bootstrap=True).fit(X, y)
    np.testing.assert_array_equal(more.apply(X)[:, :5], few.apply(X))
    warm = maker(5, bootstrap=True, warm_start=True).fit(X, y).set_params(n_estimators=9).fit(X, y)
    np.testing.assert_array_equal(warm.apply(X), more.apply(X))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(more)).predict(X), more.predict(X))


@pytest.mark.parametrize("maker", CLASSIFIERS + REGRESSORS)
def test_full_trees_without_draws_repeat_their_rows(maker):
    X, y = (classes if maker in CLASSIFIERS else numbers)(150)
    model = maker(3, bootstrap=False).fit(X, y)
    np.testing.assert_allclose(model.predict(X), y, atol=1e-9)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("K", [2, 3])
def test_a_single_full_forest_tree_is_the_exact_tree(criterion, K):
    r = np.random.default_rng(1)
    X = r.integers(0, 30, (400, 4)).astype(float)
    y = np.digitize(X[:, 0] + X[:, 1] + r.normal(size=400) * 5, [30] if K == 2 else [20, 40])
    given = {"max_depth": 4, "criterion": criterion, "max_features": None}
    w = r.uniform(0.5, 1.5, 400)  # no two cuts tie
    forest = RandomForestClassifier(1, bootstrap=False, **given).fit(X, y, w)
    tree = epee.DecisionTreeClassifier(**given).fit(X, y, w)
    assert (
        forest.predict_proba(X) == pytest.approx(tree.predict_proba(X))
    ) and forest.forest_.n_leaves() == tree.get_n_leaves()


def test_a_single_regression_tree_is_the_exact_tree():
    X, y = numbers(400)
    X = X.round(2)
    given = {"max_depth": 4, "min_samples_leaf": 5, "max_features": None}
    forest = RandomForestRegressor(1, bootstrap=False, **given).fit(X, y)
    np.testing.assert_allclose(forest.predict(X), epee.DecisionTreeRegressor(**given).fit(X, y).predict(X))


@pytest.mark.parametrize("given", [
    {"criterion": "absolute_error"}, {"criterion": "poisson"}, {"max_leaf_nodes": 6}, {"ccp_alpha": 0.5},
    {"monotonic_cst": [0, 0, 0, 1, 0]},
])  # fmt: skip
def test_what_histograms_do_not_do_takes_exact_trees(given):
    X, y = numbers(150)
    y = y - y.min()
    model = RandomForestRegressor(4, **given).fit(X, y)
    assert np.isfinite(model.predict(X)).all() and model.oob_risk_.value > 0
    if "max_leaf_nodes" in given:
        assert model.forest_.n_leaves() <= 24
    if "monotonic_cst" in given:
        rows = np.repeat(X[:1], 50, axis=0)
        rows[:, 3] = np.linspace(0, 1, 50)
        assert (np.diff(model.predict(rows)) >= -1e-12).all()


def test_rows_out_of_the_bag_are_judged_by_other_trees():
    X, y = numbers(80)
    model = RandomForestRegressor(30).fit(X, y)
    said = np.full(80, np.nan)
    counts = np.array([model._draw.counts(t) for t in range(30)])
    values = model.forest_.value[model.forest_.leaves(X), 0] + model._level
    for i in range(80):
        out = counts[:, i] == 0
        if out.any():
            said[i] = values[i, out].mean()
    np.testing.assert_allclose(model.oob_prediction_, said)


@pytest.mark.parametrize(("maker", "data"), [(RandomForestClassifier, classes), (RandomForestRegressor, numbers)])
def test_the_risk_out_of_the_bag_is_that_of_new_rows(maker, data):
    held = 0
    for seed in range(12):
        X, y = data(150, seed)
        fresh, truth = data(3000, 100 + seed)
        model = maker(60, random_state=seed).fit(X, y)
        assert isinstance(model.oob_risk_, Risk)
        held += model.oob_risk_.low <= epee.risk.empirical_risk(model, fresh, truth) <= model.oob_risk_.high
    assert held >= 9  # of 12 at 95 %: fewer has probability 2e-3


def test_intervals_hold_new_values():
    fresh, truth = numbers(1000, 9)
    models = [RandomForestRegressor(60, random_state=s).fit(*numbers(400, s)) for s in range(6)]
    for level in (0.5, 0.9):
        ends = [model.predict_interval(fresh, level).T for model in models]
        held = np.mean([(low <= truth) & (truth <= high) for low, high in ends])
        assert abs(held - level) < 0.05  # of the mean of six tables; one varies by 0.04
    q = models[0].predict_quantiles(fresh[:50], [0.1, 0.5, 0.9])
    assert (np.diff(q, axis=1) >= 0).all()


def test_proximity_is_a_share_of_trees():
    X, y = classes(60)
    model = RandomForestClassifier(20).fit(X, y)
    P = model.proximity(X)
    np.testing.assert_allclose(P, P.T)
    np.testing.assert_array_equal(np.diag(P), 1.0)
    leaves = model.apply(X)
    assert P[3, 7] == pytest.approx((leaves[3] == leaves[7]).mean())


def test_importance_has_error_bars():
    X, y = numbers(300)
    model = RandomForestRegressor(40).fit(X, y)
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert model.feature_importances_[4] < model.feature_importances_[3] - 3 * model.importances_stderr_[3]


@pytest.mark.parametrize("K", [1, 4])
@pytest.mark.parametrize("plain", [True, False])
def test_a_cut_is_the_same_by_a_table_of_bins_and_without_one(K, plain):
    """Sums of whole numbers are exact, so every road to a cut gives the same gain to the last bit."""
    from epee.kernels import forest

    rng = np.random.default_rng(0)
    for key in range(40):
        n = int(rng.integers(2, 60))
        column, rows = (
            rng.integers(0, 30, 100).astype(np.uint8),
            np.sort(rng.choice(100, n, replace=False)).astype(np.int32),
        )
        weight = rng.integers(1, 4, 100).astype(float)
        label = rng.integers(0, K, 100).astype(float) if K > 1 else rng.integers(0, 9, 100).astype(float)
        about = np.column_stack([weight, weight if plain else np.ones(100), weight * label, label])
        mine, whole = np.empty((n, 4)), np.empty(2 + K)
        forest.describe(rows, 0, n, about, mine, whole)
        base = forest.purity(whole[2:], whole[0], K, False)
        table, bins, seen = np.zeros((256, 2 + K)), np.empty(256, np.int64), np.empty(4, np.uint64)
        left, right, centre = np.empty(2 + K), np.empty(2 + K), np.sort(rng.random(256))
        limits = (2.0, 1.0, 0.0, -0.5)

        def by_table(random, key=key, column=column, rows=rows, n=n, mine=mine, whole=whole, base=base, table=table, bins=bins,
                     seen=seen, left=left, right=right, centre=centre, limits=limits):  # fmt: skip
            size = forest.gather(column, rows, 0, n, mine, plain, table, bins, seen)
            if size < 2:
                table[:] = 0
                return None
            return forest.best_cut(
                table, bins, size, whole, base, centre, random, np.uint64(key), False, limits, left, right
            )

        drawn, best = by_table(True), by_table(False)
        low, high = forest.span(column, rows, 0, n)
        assert (low, high) == (column[rows].min(), column[rows].max())
        if drawn is not None:
            direct = forest.drawn_cut(
                column, rows, 0, n, mine, low, high, whole, base, centre, np.uint64(key), False, limits, left, right
            )
            assert direct == drawn
        if best is not None and K == 1:
            size = forest.gather(column, rows, 0, n, mine, plain, table, bins, seen)
            assert forest.best_mean_cut(table, bins, size, whole, base, centre, limits) == best
        assert not table.any()


def test_missing_cells_are_a_side_of_a_cut():
    X, y = classes(400)
    X[:, 4] = np.where(y == 1, np.nan, 0.0)
    model = RandomForestClassifier(10, max_features=None).fit(X, y)
    assert (model.predict(X) == y).all()


def test_weights_are_copies():
    X, y = numbers(200)
    w = np.random.default_rng(2).integers(0, 3, 200).astype(float)
    copies = np.repeat(np.arange(200), w.astype(int))
    given = {"max_features": None, "min_samples_leaf": 4}
    a = RandomForestRegressor(1, bootstrap=False, **given).fit(X, y, w)
    b = RandomForestRegressor(1, bootstrap=False, **given).fit(X[copies], y[copies])
    np.testing.assert_allclose(a.predict(X), b.predict(X))


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer, load_diabetes], ids=lambda f: f.__name__)
@pytest.mark.parametrize("name", ["RandomForest", "ExtraTrees"])
def test_as_good_as_scikit_learn(load, name):
    X, y = load(return_X_y=True)
    kind = "Regressor" if load is load_diabetes else "Classifier"
    order = np.random.default_rng(0).permutation(len(X))
    train, test = order[::2], order[1::2]
    ours = getattr(epee, name + kind)(100).fit(X[train], y[train])
    rival = getattr(theirs, name + kind)(100, random_state=0).fit(X[train], y[train])
    assert ours.score(X[test], y[test]) > rival.score(X[test], y[test]) - 0.03


def test_wrong_use_is_a_sentence():
    X, y = classes(40)
    for given, words in (
        ({"criterion": "x"}, "criterion"),
        ({"n_estimators": 0}, "n_estimators"),
        ({"max_samples": -1.0}, "max_samples"),
    ):
        with pytest.raises(WrongUse, match=words):
            RandomForestClassifier(**{"n_estimators": 2} | given).fit(X, y)
    with pytest.raises(WrongUse, match="bootstrap"):
        ExtraTreesRegressor(2).fit(X, y).predict_interval(X)


def test_rows_out_of_the_bag_are_scored_as_asked_for():
    from sklearn.metrics import f1_score

    r = np.random.default_rng(3)
    X, y = r.normal(size=(120, 3)), r.integers(0, 2, (120, 2))
    model = epee.RandomForestClassifier(30, oob_score=True, random_state=0).fit(X, y)
    found = np.argmax(np.nan_to_num(model.oob_decision_function_), axis=1)
    assert model.oob_score_ == pytest.approx((found == y).all(axis=1).mean())
    asked = epee.RandomForestClassifier(30, oob_score=lambda t, p: f1_score(t, p), random_state=0).fit(X, y[:, 0])
    assert asked.oob_score_ == pytest.approx(f1_score(y[:, 0], asked.oob_prediction_))
    with pytest.warns(UserWarning, match="Some inputs do not have OOB scores"):
        few = epee.RandomForestClassifier(1, oob_score=True, random_state=0).fit(X, y[:, 0])
    assert [len(few), len(list(few))] == [1, 1]
    assert len(few.estimators_samples_[0]) == len(X)


def test_the_risk_out_of_the_bag_is_that_of_the_copies():
    X, y = numbers(120)
    w = np.random.default_rng(3).integers(0, 4, 120).astype(float)
    copies = np.repeat(np.arange(120), w.astype(int))
    given = {"n_estimators": 300, "max_features": None, "random_state": 0}
    short = epee.RandomForestRegressor(**given).fit(X, y, w).oob_risk_
    long = epee.RandomForestRegressor(**given).fit(
        X[copies], y[copies]
    )  # which finds copies, and judges no row by those of its own
    losses = (y[copies] - long.oob_prediction_) ** 2
    assert short.n == len(losses) and short.how.endswith("counts")
    assert short.value == pytest.approx(losses.mean(), rel=0.1)
    assert short.stderr == pytest.approx(1.25 * losses.std() / np.sqrt(len(losses)), rel=0.15)


@pytest.mark.parametrize("kind", [epee.RandomForestRegressor, epee.RandomForestClassifier])
def test_the_scale_of_weights_that_are_no_counts_means_nothing_out_of_the_bag(kind):
    X, y = numbers(100)
    y = y if kind is epee.RandomForestRegressor else (y > np.median(y)).astype(int)
    w = np.random.default_rng(3).uniform(0.1, 3.0, 100)
    risks = [kind(60, oob_score=True, random_state=0).fit(X, y, w * c).oob_risk_ for c in (1.0, 2.0**-900, 1 / w.sum())]
    for other in risks[1:]:
        assert (other.value, other.stderr, *other.interval, other.n) == pytest.approx(
            (risks[0].value, risks[0].stderr, *risks[0].interval, risks[0].n)
        )
    assert risks[0].n == pytest.approx(w.sum() ** 2 / (w @ w))
    even = kind(20, random_state=0).fit(X, y, np.full(100, 0.01)).oob_risk_
    assert even.n == 100 and even.low < kind(20, random_state=0).fit(X, y).oob_risk_.value < even.high
    with pytest.warns(UserWarning, match="weight 10"):  # which are copies if nobody says otherwise
        ten = kind(20, oob_score=True, random_state=0).fit(X, y, np.full(100, 10.0))
    assert np.isfinite(ten.oob_score_) and "weight 10" in ten.oob_risk_.caution


def test_weights_so_large_that_every_tree_has_every_row():
    r = np.random.default_rng(4)
    X, y = r.normal(size=(30, 2)), r.normal(size=30)
    model = epee.RandomForestRegressor(5, random_state=0).fit(X, y, sample_weight=np.full(30, 1000.0))
    assert model.oob_risk_.n == 30_000 and "weight 1,000" in model.oob_risk_.caution
    with pytest.raises(ValueError, match="no row is out of the bag"):
        model.predict_interval(X)


def test_leaves_have_the_numbers_that_the_trees_themselves_use():
    X, y = load_diabetes(return_X_y=True)
    model = RandomForestRegressor(4, max_depth=4, random_state=0).fit(X, y)
    leaves = model.apply(X[:50])
    paths, begin = model.decision_path(X[:50])
    for t, tree in enumerate(model.estimators_):
        np.testing.assert_array_equal(leaves[:, t], tree.apply(X[:50]))
        assert (paths[np.arange(50), begin[t] + leaves[:, t]] == 1).all()
    with pytest.warns(UserWarning, match="does not fit new trees"):
        RandomForestRegressor(4, warm_start=True, random_state=0).fit(X, y).fit(X, y)
    with pytest.raises(WrongUse, match="max_sample"):
        RandomForestRegressor(bootstrap=False, max_samples=0.5).fit(X, y)


def test_rows_out_of_the_bag_are_judged_again_only_by_new_trees():
    X, y = load_diabetes(return_X_y=True)
    model = RandomForestRegressor(25, max_depth=3, random_state=0, warm_start=True).fit(X[:100], y[:100])
    risk = model.oob_risk_
    with pytest.warns(UserWarning, match="Warm-start fitting without increasing"):
        assert model.fit(X[:100], y[:100]).oob_risk_ is risk
    assert not hasattr(model, "oob_score_")
    with pytest.warns(UserWarning, match="Warm-start"):
        assert hasattr(model.set_params(oob_score=True).fit(X[:100], y[:100]), "oob_score_")
    assert model.set_params(n_estimators=30).fit(X[:100], y[:100]).oob_risk_ is not risk
