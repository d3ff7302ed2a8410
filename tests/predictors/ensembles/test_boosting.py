"""Boosted trees: the same for any cut of the rows, any number of threads and any kind of table; then as scikit-learn's."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble as theirs
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.pipeline import Pipeline, make_pipeline

import epee
from epee import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from epee.errors import DataError, WrongUse
from epee.predictors.ensembles import rounds, spooling
from epee.table.arrays import ArraySource
from tests.older import as_of

rng = np.random.default_rng(0)
TREE = ("first", "feature", "threshold", "missing_left", "set_of", "value", "gain", "count", "sets", "roots", "depths")


def table(n=1200, p=5, missing=0.1, categories=0, seed=0):
    r = np.random.default_rng(seed)
    X = r.normal(size=(n, p))
    y = X[:, 0] + X[:, 1] * X[:, 2] + r.normal(size=n)
    X[r.random(X.shape) < missing] = np.nan
    if categories:
        X[:, -1] = r.integers(0, categories, n)
        y += np.where(X[:, -1] % 3 == 0, 1.0, 0.0)
    return X, y


def same_trees(a, b):
    for name in TREE:
        np.testing.assert_array_equal(getattr(a.trees_, name), getattr(b.trees_, name), err_msg=name)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_any_number_of_threads_gives_the_same_bits(threads, monkeypatch):
    monkeypatch.setattr(rounds, "EACH", 1000)
    X, y = table(2500)
    epee.options.threads = 1
    one = HistGradientBoostingRegressor(max_iter=5).fit(X, y)
    epee.options.threads = threads
    same_trees(HistGradientBoostingRegressor(max_iter=5).fit(X, y), one)


@given(st.integers(40, 400), st.integers(0, 2), st.integers(0, 12), st.booleans(), st.integers(0, 1000))
def test_twin_and_kernels_grow_the_same_trees(n, kind, categories, weighted, seed):
    from epee.kernels import boosting, boosting_twin

    compiled = [thing for thing in vars(boosting).values() if getattr(thing, "meanwhile", None)]
    X, y = table(n, 3, 0.2, categories, seed)
    w = np.random.default_rng(seed).integers(0, 3, n).astype(float) + (0.25 if seed % 2 else 0.0) if weighted else None
    target = y if kind == 0 else np.digitize(y, [0.0] if kind == 1 else [-0.5, 0.5])
    maker = HistGradientBoostingRegressor if kind == 0 else HistGradientBoostingClassifier
    columns = [2] if categories else None
    with pytest.MonkeyPatch.context() as patch:
        found = []
        for steps, room in ((boosting, 4096), (boosting, 0), (boosting_twin, 0)):  # at once, step by step, in NumPy
            for thing in compiled:
                patch.setattr(thing, "meanwhile", None)
                patch.setattr(thing, "small", None if steps is boosting else lambda *arguments: True)
            patch.setattr("epee.kernels.boosting_tree.grow_round.meanwhile", None)
            patch.setattr("epee.predictors.ensembles.rounds.LARGEST_ROOM", room)
            model = maker(
                max_iter=3,
                min_samples_leaf=5,
                max_features=1.0 if seed % 3 else 0.6,
                categorical_features=columns,
                monotonic_cst=[1, 0, 0] if kind < 2 else None,
                early_stopping=seed % 2 == 0,
                random_state=0,
            )
            try:
                found.append(model.fit(X, target, w))
            except DataError:
                return
        for other in found[1:]:
            same_trees(found[0], other)
            np.testing.assert_array_equal(found[0]._raw_predict(X), other._raw_predict(X))
            np.testing.assert_array_equal(found[0].validation_score_, other.validation_score_)


@pytest.mark.parametrize("room", [4096, 0])  # at once, step by step
def test_rows_that_are_watched_walk_as_those_that_are_predicted(room, monkeypatch):
    """With missing cells where the training rows have none, too."""
    monkeypatch.setattr(rounds, "LARGEST_ROOM", room)
    X, y = table(600, 3, 0.0, 5)
    far, values = table(200, 3, 0.3, 5, seed=1)
    model = HistGradientBoostingRegressor(max_iter=8, categorical_features=[2], n_iter_no_change=100)
    model.fit(X, y, X_val=far, y_val=values)
    losses = [((values - at) ** 2).mean() / 2 for at in model.staged_predict(far)]
    np.testing.assert_allclose(-np.asarray(model.validation_score_[1:]), losses, rtol=1e-10)


@pytest.mark.parametrize("n", [100, 5000])
def test_sums_in_one_word_are_the_sums_in_two(n):
    """Gradients of both signs above their counts: what is read off one sum is what two sums say, in few rows and in many."""
    from epee.kernels import boosting, boosting_twin

    rng = np.random.default_rng(0)
    words = rng.integers(0, 256, (n, 16)).astype(np.uint8).view(np.uint64)
    rows = np.sort(rng.choice(n, n // 2, replace=False)).astype(np.int32)
    pairs = np.column_stack([rng.integers(-(2**30), 2**30, n), rng.integers(0, 9, n)])
    bits = int(pairs[:, 1].sum()).bit_length()
    found = []
    for fill, joint in ((boosting.fill, 0), (boosting.fill, bits), (boosting_twin.fill, bits)):
        out = np.ones((16, 256, 2), np.int64)  # what is there stays
        fill(words, rows, 3, len(rows), pairs, joint, out)
        found.append(out)
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


@pytest.mark.parametrize("rows", [97, 1000])
def test_a_stream_gives_the_trees_of_the_array(rows, tmp_path, monkeypatch):
    X, y = table(2300)
    monkeypatch.setattr(spooling, "AT_HAND", 1000)  # on disk
    monkeypatch.setattr(spooling, "ROOM", 512)
    monkeypatch.setattr(ArraySource, "blocks", _in_blocks(ArraySource.blocks, rows))
    array = HistGradientBoostingRegressor(max_iter=4).fit(X, y)
    same_trees(HistGradientBoostingRegressor(max_iter=4).fit(ArraySource(X, y), None), array)
    pd.DataFrame(X, columns=list("abcde")).assign(y=y).to_parquet(tmp_path / "t.parquet")
    from_file = HistGradientBoostingRegressor(max_iter=4).fit(str(tmp_path / "t.parquet"), "y")
    same_trees(from_file, array)
    assert list(from_file.feature_names_in_) == list("abcde")


def test_a_dask_collection_gives_the_trees_of_the_array():
    import dask.dataframe as dd

    X, y = table(900)
    frame = dd.from_pandas(pd.DataFrame(X, columns=list("abcde")).assign(y=y), npartitions=3)
    same_trees(
        HistGradientBoostingRegressor(max_iter=3).fit(frame, "y"), HistGradientBoostingRegressor(max_iter=3).fit(X, y)
    )


def _in_blocks(blocks, rows):
    return lambda self, _rows=None: blocks(self, rows)


def test_labels_of_a_file(tmp_path):
    X, y = table(400)
    names = np.where(y > 0, "up", "down")
    frame = pd.DataFrame(X, columns=list("abcde"))
    frame.assign(y=names).to_csv(tmp_path / "t.csv", index=False, float_format="%.17g")
    model = HistGradientBoostingClassifier(max_iter=4).fit(str(tmp_path / "t.csv"), "y")
    assert list(model.classes_) == ["down", "up"]
    same_trees(model, HistGradientBoostingClassifier(max_iter=4).fit(X, names))


def test_weight_two_is_the_row_twice():
    X, y = table(300)
    w = np.random.default_rng(1).integers(0, 4, 300).astype(float)
    twice = np.repeat(np.arange(300), w.astype(int))
    a = HistGradientBoostingRegressor(max_iter=10).fit(X, y, w)
    b = HistGradientBoostingRegressor(max_iter=10).fit(X[twice], y[twice])
    np.testing.assert_allclose(a.predict(X), b.predict(X), atol=1e-9)


def test_weight_two_is_the_row_twice_where_leaves_are_pure():
    r = np.random.default_rng(0)
    X = r.normal(size=(300, 2))
    y, w = X[:, 0] + 0.3 * r.normal(size=300) > 0, r.integers(0, 3, 300)
    a = HistGradientBoostingClassifier(max_iter=20, min_samples_leaf=1).fit(X, y, w)
    b = HistGradientBoostingClassifier(max_iter=20, min_samples_leaf=1).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    np.testing.assert_array_equal(a.trees_.roots, b.trees_.roots)  # rounding alone cuts nothing
    np.testing.assert_allclose(a.decision_function(X), b.decision_function(X), rtol=1e-7)


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "gamma", "poisson"])
@as_of("1.9")
def test_numbers_as_scikit_learn(loss):
    X, y = table(1500)
    t = np.exp(y / 3) if loss in ("gamma", "poisson") else y
    given = {"max_iter": 10, "min_samples_leaf": 10, "l2_regularization": 0.5, "max_leaf_nodes": 12}
    a = HistGradientBoostingRegressor(loss, **given).fit(X, t)
    b = theirs.HistGradientBoostingRegressor(loss=loss, **given).fit(X, t)
    np.testing.assert_allclose(a.predict(X), b.predict(X), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("classes", [2, 3])
@as_of("1.9")
def test_classes_as_scikit_learn(classes):
    X, y = table(1500)
    t = np.digitize(y, [0.0] if classes == 2 else [-1.0, 1.0])
    # first slopes have K values: cuts of small nodes tie exactly, and scikit-learn's rounding decides between equals
    given = {"max_iter": 10, "max_leaf_nodes": 8, "min_samples_leaf": 50}
    a = HistGradientBoostingClassifier(**given).fit(X, t)
    b = theirs.HistGradientBoostingClassifier(**given).fit(X, t)
    np.testing.assert_allclose(a.predict_proba(X), b.predict_proba(X), atol=1e-6)
    np.testing.assert_allclose(a.decision_function(X), b.decision_function(X), atol=1e-5)


@pytest.mark.parametrize("given", [
    {"monotonic_cst": [1, -1, 0, 0, 0]}, {"interaction_cst": [[0, 1], [2]]}, {"interaction_cst": "no_interactions"}, {"max_depth": 2},
    {"max_leaf_nodes": None, "max_depth": 4}, {"max_bins": 20}, {"class_weight": "balanced"}, {"class_weight": {0: 1.0, 1: 3.0}},
])  # fmt: skip
def test_constraints_as_scikit_learn(given):
    X, y = table(1500)
    X = X.round(1)  # few values: scikit-learn's bins, which class weights would move, are ours
    t = (y > 0.7).astype(int)
    given = {"max_iter": 8, "max_leaf_nodes": 8, "min_samples_leaf": 50} | given  # large leaves: no cuts that tie
    a = HistGradientBoostingClassifier(**given).fit(X, t)
    b = theirs.HistGradientBoostingClassifier(**given).fit(X, t)
    np.testing.assert_allclose(a.predict_proba(X), b.predict_proba(X), atol=1e-6)


@as_of("1.9")
def test_categories_as_scikit_learn():
    X, y = table(1500, categories=30)
    a = HistGradientBoostingRegressor(max_iter=8, categorical_features=[4]).fit(X, y)
    b = theirs.HistGradientBoostingRegressor(max_iter=8, categorical_features=[4]).fit(X, y)
    np.testing.assert_allclose(a.predict(X), b.predict(X), atol=1e-6)
    strange = X[:5].copy()
    strange[:, 4] = 99.0
    missing = X[:5].copy()
    missing[:, 4] = np.nan
    np.testing.assert_array_equal(a.predict(strange), a.predict(missing))


def test_categories_of_a_frame_are_found_by_their_type():
    X, y = table(600, categories=4)
    frame = pd.DataFrame(X, columns=list("abcde"))
    frame["e"] = pd.Categorical(np.array(["north", "south", "east", "west"])[X[:, 4].astype(int)])
    model = HistGradientBoostingRegressor(max_iter=5).fit(frame, y)
    assert model.is_categorical_.tolist() == [False] * 4 + [True]
    rank = np.array([1.0, 2.0, 0.0, 3.0])  # of the words in order
    numbers = np.column_stack([X[:, :4], rank[X[:, 4].astype(int)]])
    other = HistGradientBoostingRegressor(max_iter=5, categorical_features=[4]).fit(numbers, y)
    np.testing.assert_array_equal(model.predict(frame), other.predict(numbers))


def test_many_levels_are_taken_natively():
    X, y = table(3000, categories=900)
    model = HistGradientBoostingRegressor(max_iter=3, categorical_features=[4]).fit(X, y)
    assert np.isfinite(model.predict(X)).all()


def test_quantiles_cover_what_they_say():
    r = np.random.default_rng(3)
    X = r.uniform(size=(3000, 1))
    y = X[:, 0] * r.exponential(size=3000)
    for level in (0.1, 0.5, 0.9):
        model = HistGradientBoostingRegressor("quantile", quantile=level, max_iter=50, max_leaf_nodes=4).fit(X, y)
        assert abs((y <= model.predict(X)).mean() - level) < 0.02


def test_huber_ignores_what_lies_far():
    r = np.random.default_rng(4)
    X = r.uniform(-1, 1, size=(2000, 1))
    truth = np.where(X[:, 0] > 0, 1.0, -1.0)
    y = truth + 0.1 * r.normal(size=2000)
    y[r.random(2000) < 0.05] += 100
    error = {loss: np.abs(HistGradientBoostingRegressor(loss, max_iter=60).fit(X, y).predict(X) - truth).mean()
             for loss in ("huber", "squared_error")}  # fmt: skip
    assert error["huber"] < 0.2 < error["squared_error"]


def test_every_number_of_rounds_comes_from_one_fit():
    X, y = table(800)
    long = HistGradientBoostingRegressor(max_iter=12).fit(X[:500], y[:500])
    stages = long.stages_risk(X[500:], y[500:])
    assert len(stages) == 12 and stages.chosen <= stages.best
    for t, predicted in enumerate(long.staged_predict(X[500:]), 1):
        if t in (1, 5, 12):
            short = HistGradientBoostingRegressor(max_iter=t).fit(X[:500], y[:500])
            np.testing.assert_allclose(predicted, short.predict(X[500:]), atol=1e-12)
            fresh = epee.risk.holdout_error(short, X[500:], y[500:])
            assert stages.at(t).value == pytest.approx(fresh.value, abs=1e-12)
            assert stages.at(t).low == pytest.approx(fresh.low, abs=1e-12)


def test_stages_of_a_classifier_take_any_loss():
    X, y = table(800)
    t = (y > 0).astype(int)
    model = HistGradientBoostingClassifier(max_iter=6).fit(X[:500], t[:500])
    for loss in ("zero_one", "log", "hinge"):
        stages = model.stages_risk(X[500:], t[500:], loss=loss)
        fresh = epee.risk.holdout_error(model, X[500:], t[500:], loss=loss)
        assert stages.at(6).value == pytest.approx(fresh.value)


@pytest.mark.parametrize("scoring", ["loss", "accuracy", "neg_log_loss"])
def test_early_stopping_watches_rows_of_its_own(scoring):
    X, y = table(1500)
    t = (y > 0).astype(int)
    model = HistGradientBoostingClassifier(max_iter=300, early_stopping=True, scoring=scoring, n_iter_no_change=5).fit(
        X, t
    )
    assert model.n_iter_ < 300
    assert len(model.validation_score_) == len(model.train_score_) == model.n_iter_ + 1
    again = HistGradientBoostingClassifier(
        max_iter=model.n_iter_, early_stopping=True, scoring=scoring, n_iter_no_change=500
    )
    same_trees(again.fit(X, t), model)


def test_warm_start_goes_on():
    X, y = table(700, categories=5)
    given = {"categorical_features": [4], "learning_rate": 0.2}
    model = HistGradientBoostingRegressor(max_iter=4, warm_start=True, **given).fit(X, y)
    model.set_params(max_iter=9).fit(X, y)
    whole = HistGradientBoostingRegressor(max_iter=9, **given).fit(X, y)
    np.testing.assert_allclose(model.predict(X), whole.predict(X), atol=1e-9)


def test_monotone_columns_hold_everywhere():
    X, y = table(1000, missing=0)
    model = HistGradientBoostingRegressor(max_iter=20, monotonic_cst={"a": 1}).fit(
        pd.DataFrame(X, columns=list("abcde")), y
    )
    rows = np.repeat(X[:20], 50, axis=0)
    rows[:, 0] = np.tile(np.linspace(-3, 3, 50), 20)
    path = model.predict(pd.DataFrame(rows, columns=list("abcde"))).reshape(20, 50)
    assert (np.diff(path, axis=1) >= 0).all()


def test_pickles_and_importance():
    X, y = table(500)
    model = HistGradientBoostingRegressor(max_iter=5).fit(X, y)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
    assert model.gain_importances_.sum() == pytest.approx(1)
    assert set(np.argsort(model.gain_importances_)[-3:]) == {0, 1, 2}


@pytest.mark.parametrize(("given", "words"), [
    ({"loss": "cubic"}, "loss is 'cubic'"), ({"max_bins": 256}, "max_bins is 256"), ({"learning_rate": 0}, "learning_rate is 0"),
    ({"loss": "quantile"}, "needs a level"), ({"monotonic_cst": [1]}, "monotonic_cst (must be an array-like|has shape)"),
    ({"interaction_cst": [[9]]}, "interaction_cst holds"), ({"categorical_features": ["z"]}, "'z'"), ({"max_iter": 0}, "max_iter is 0"),
])  # fmt: skip
def test_wrong_use_is_a_sentence(given, words):
    X, y = table(60)
    with pytest.raises(WrongUse, match=words):
        HistGradientBoostingRegressor(**given).fit(X, y)


def test_a_target_that_the_loss_cannot_have_is_named():
    X, y = table(60)
    with pytest.raises(DataError, match="row"):
        HistGradientBoostingRegressor("poisson").fit(X, y)


def test_fewer_rounds_of_one_fit_are_a_fit_of_fewer_rounds():
    X, y = table(200, 3, 0.1, 4)
    for maker, target, needs in (
        (HistGradientBoostingRegressor, y, "values"),
        (HistGradientBoostingClassifier, np.digitize(y, [-0.5, 0.5]), "probabilities"),
    ):
        whole = maker(max_iter=7, min_samples_leaf=5, categorical_features=[2]).fit(X, target)
        few = whole.variants("max_iter", [2, 5, 7])
        told = whole.answer_together(few, X, needs)
        for model, few_rounds, said in zip(few, (2, 5, 7), told, strict=True):
            alone = maker(max_iter=few_rounds, min_samples_leaf=5, categorical_features=[2]).fit(X, target)
            same_trees(model, alone)
            assert model.effective_dof_ == alone.effective_dof_
            np.testing.assert_allclose(
                said, alone.predict(X) if needs == "values" else alone.predict_proba(X), rtol=1e-12
            )
        assert whole.variants("max_iter", [8]) is None
        assert whole.variants("learning_rate", [0.1]) is None


@pytest.mark.parametrize("labels", [False, True])
def test_a_curve_along_the_rounds_takes_one_fit_a_fold(labels, monkeypatch):
    """The errors are those of fits of each number of rounds, which take one fit a fold; the best is looked at for kin once more."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 3))
    y = X[:, 0] ** 2 + X[:, 1] + 0.3 * rng.standard_normal(300)
    y, w = np.where(y > 1, "high", "low") if labels else y, rng.integers(1, 3, 300).astype(float)
    model = (HistGradientBoostingClassifier if labels else HistGradientBoostingRegressor)(early_stopping=False)
    fits, given = [], {"folds": np.arange(300) % 3, "sample_weight": w}
    each = rounds.Rounds.each
    monkeypatch.setattr(rounds.Rounds, "each", lambda self, *a: fits.append(1) or each(self, *a))
    curve = epee.risk.complexity_curve(model, X, y, "max_iter", [9, 1, 4], **given)
    assert len(fits) == 4 + 3  # three folds, and all rows; three folds of the best
    monkeypatch.setattr(epee.risk.varying, "_told_path", lambda *a: None)  # rows asked after the fit, not on its way
    after = epee.risk.complexity_curve(model, X, y, "max_iter", [9, 1, 4], **given)
    assert len(fits) == 2 * (4 + 3)
    for name in ("per_fold", "train", "dof"):
        np.testing.assert_allclose(getattr(curve, name), getattr(after, name), rtol=1e-12)
    for v, most in enumerate(curve.values):
        one = epee.risk.cross_validate(model.set_params(max_iter=most), X, y, **given)
        np.testing.assert_allclose(curve.per_fold[:, v], one.per_fold, rtol=1e-12)
        whole = epee.risk.empirical_risk(model.fit(X, y, sample_weight=w), X, y, sample_weight=w)
        np.testing.assert_allclose(curve.train[v], whole, rtol=1e-12)


@pytest.mark.parametrize(("kind", "given"), [
    (0, {}), (0, {"loss": "absolute_error"}), (1, {"categorical_features": [3]}), (2, {"interaction_cst": [{0, 1}, {2, 3}]}),
    (2, {"max_features": 0.5, "categorical_features": [3]}),
])  # fmt: skip
def test_rows_that_look_on_are_told_what_the_finished_trees_say(kind, given):
    """Also of cells that are missing, and of levels that no row had that taught; the trees are those of a fit that nobody looks at."""
    X, y = table(300, 4, 0.0, 5)
    far, _ = table(90, 4, 0.2, 7, seed=1)
    w = np.random.default_rng(3).integers(0, 3, 300).astype(float)
    target = np.array(["a", "b", "c"])[np.digitize(y, [0.0] if kind == 1 else [-0.5, 0.5])] if kind else y
    maker = HistGradientBoostingClassifier if kind else HistGradientBoostingRegressor
    model, needs = maker(max_iter=6, min_samples_leaf=5, random_state=1, **given), "probabilities" if kind else "values"
    for rows in (far, None):
        looked = clone(model)
        told = [answer.copy() for answer in looked.fit_telling(X, target, w, rows, [1, 3, 6], needs)]
        alone = maker(**model.get_params()).fit(X, target, sample_weight=w)
        same_trees(looked, alone)
        seen = X if rows is None else rows
        expected = alone.answer_together(alone.variants("max_iter", [1, 3, 6]), seen, needs)
        np.testing.assert_allclose(told, expected, rtol=1e-12)
        np.testing.assert_array_equal(looked.predict(seen), alone.predict(seen))
    stops = maker(max_iter=6, early_stopping=True)
    assert stops.fit_telling(X, target, None, far, [6], needs) is None


class Encoded(TransformerMixin, BaseEstimator):
    """The mean of the target beside the columns, that of the other half of the rows for those it learns from."""

    def fit(self, X, y):
        self.mean_ = y.mean()
        return self

    def fit_transform(self, X, y):
        half = np.arange(len(y)) % 2
        return np.column_stack(
            [self.fit(X, y).transform(X)[:, :-1], np.where(half, y[half == 0].mean(), y[half == 1].mean())]
        )

    def transform(self, X):
        return np.column_stack([X, np.full(len(X), self.mean_)])


def test_a_curve_of_a_pipeline_is_that_of_its_fits():
    X, y = table(240, 3, 0.0, 6)
    model = make_pipeline(Encoded(), HistGradientBoostingRegressor(early_stopping=False))
    name, given = "histgradientboostingregressor__max_iter", {"folds": np.arange(240) % 3}
    curve = epee.risk.complexity_curve(model, X, y, name, [2, 5], **given)
    for v, most in enumerate(curve.values):
        one = epee.risk.cross_validate(model.set_params(**{name: most}), X, y, **given)
        np.testing.assert_allclose(curve.per_fold[:, v], one.per_fold, rtol=1e-12)
        np.testing.assert_allclose(curve.train[v], epee.risk.empirical_risk(model.fit(X, y), X, y), rtol=1e-12)


@pytest.mark.parametrize("stops", [False, True])
def test_a_curve_of_a_frame_behind_a_step_that_does_nothing(stops):
    X, y = table(200, 3, 0.0)
    frame = pd.DataFrame(X, columns=list("abc")).assign(d=pd.Categorical(np.array(["u", "v"])[np.arange(200) % 2]))
    model = HistGradientBoostingRegressor(early_stopping=stops, n_iter_no_change=50)
    name, given = "m__max_iter", {"folds": np.arange(200) % 4}
    curve = epee.risk.complexity_curve(Pipeline([("p", "passthrough"), ("m", model)]), frame, y, name, [1, 3], **given)
    one = epee.risk.cross_validate(model.set_params(max_iter=3), frame, y, **given)
    np.testing.assert_allclose(curve.per_fold[:, 1], one.per_fold, rtol=1e-12)


@given(st.integers(1, 60), st.integers(0, 100))
def test_following_a_tree_is_walking_down_it(n, seed):
    from epee.kernels import boosting, boosting_twin

    r = np.random.default_rng(seed)
    columns = r.integers(0, 256, (3, n)).astype(np.uint8)
    first = np.array([1, 3, -1, -1, 5, -1, -1])
    tests = np.stack([r.integers(0, 3, 7), np.zeros(7, int), np.zeros(7, int)], axis=1)
    goes_left, values = r.integers(0, 2, (7, 256)).astype(np.uint8), r.standard_normal(7)
    expected = np.ones(n)
    for i in range(n):
        node = 0
        while first[node] >= 0:
            node = first[node] + 1 - goes_left[node, columns[tests[node, 0], i]]
        expected[i] += values[node]
    for follow in (boosting.follow.compiled, boosting_twin.follow):
        raw = np.ones(n)
        follow(columns, first, tests, goes_left, values, raw)
        np.testing.assert_array_equal(raw, expected)


def test_a_round_of_a_spooled_table_holds_few_bytes_a_row(monkeypatch):
    """Slopes and the rows of the nodes, 16 bytes, and 8 more in passing; the whole numbers lie in a file, and no column has a copy."""
    import tracemalloc

    monkeypatch.setattr(rounds, "EACH", 500_000)  # two strips or more
    monkeypatch.setattr(spooling, "AT_HAND", 0)
    epee.options.threads = 2
    n, found = 300_000, []
    run = rounds.Rounds.run

    def measured(self, *given):
        tracemalloc.start()
        try:
            return run(self, *given)
        finally:
            found.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()

    monkeypatch.setattr(rounds.Rounds, "run", measured)
    X, y = table(n, 3, 0.0)
    model = HistGradientBoostingRegressor(max_iter=2, max_leaf_nodes=4, early_stopping=False).fit(
        ArraySource(X, y), None
    )
    assert model.n_iter_ == 2
    assert found[0] < 32 * n


def test_rows_to_watch_stop_the_rounds_and_grow_no_tree():
    X, y = table(400)
    far, values = table(200, seed=5)
    model = HistGradientBoostingRegressor(max_iter=300, n_iter_no_change=3).fit(X, y, X_val=far, y_val=values)
    assert 3 < model.n_iter_ < 300
    assert len(model.validation_score_) == model.n_iter_ + 1
    plain = HistGradientBoostingRegressor(max_iter=model.n_iter_).fit(X, y)
    np.testing.assert_allclose(model.predict(X), plain.predict(X), rtol=1e-9)
    labels, seen = np.where(y > 0, "b", "a"), np.full(200, "b")
    assert HistGradientBoostingClassifier(max_iter=20).fit(X, labels, X_val=far, y_val=seen).n_iter_ <= 20
    with pytest.raises(DataError, match="labels that y does not"):
        HistGradientBoostingClassifier().fit(X, labels, X_val=far, y_val=np.full(200, "c"))
    with pytest.raises(WrongUse, match="y_val was not provided"):
        HistGradientBoostingRegressor().fit(X, y, X_val=far)
    with pytest.raises(WrongUse, match="early_stopping=False"):
        HistGradientBoostingRegressor(early_stopping=False).fit(X, y, X_val=far, y_val=values)


def test_early_stopping_by_the_score_of_the_class_itself():
    X, y = table(300)
    model = HistGradientBoostingRegressor(max_iter=200, early_stopping=True, scoring=None, n_iter_no_change=2).fit(X, y)
    assert model.n_iter_ < 200
    assert -1 < model.validation_score_[-1] < 1  # a share of the variance
    for wrong in ([0, 1], [{0, 99}], [{0.5}]):
        with pytest.raises(WrongUse, match="Interaction constraints must"):
            HistGradientBoostingRegressor(interaction_cst=wrong).fit(X, y)


def brute(model, X, w, column, grid):
    """The mean score of all rows with one cell put at each value of the grid."""
    found = []
    for value in grid:
        rows = X.copy()
        rows[:, column] = value
        found.append(np.average(model._raw_predict(rows), axis=0, weights=w))
    return np.array(found).T


@pytest.mark.parametrize("classes", [0, 2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_dependence_by_recursion_is_that_of_the_training_rows_where_trees_have_one_cut(classes, weighted):
    X, y = table(300, 4, 0.1, categories=7)
    w = rng.integers(1, 4, len(X)).astype(float) if weighted else None
    maker = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
    target = np.digitize(y, np.linspace(-1, 1, classes - 1)) if classes else y
    model = maker(max_iter=8, max_depth=1, categorical_features=[3]).fit(X, target, sample_weight=w)
    for column, grid in ((0, np.array([-2.0, 0.1, np.nan, 3.0])), (3, np.array([0.0, 3.0, 99.0]))):
        found = model._compute_partial_dependence_recursion(grid[:, None], np.array([column]))
        np.testing.assert_allclose(found, brute(model, X, w, column, grid), atol=1e-10)


def test_dependence_by_recursion_follows_rows_of_which_all_columns_are_given():
    X, y = table(400, 3, 0.1, categories=5)
    model = HistGradientBoostingRegressor(max_iter=10, categorical_features=[2]).fit(X, y)
    found = model._compute_partial_dependence_recursion(X, np.arange(3))
    np.testing.assert_allclose(found[0], model.predict(X), atol=1e-10)


@pytest.mark.parametrize("classes", [0, 2, 3])
def test_records_in_the_layout_of_scikit_learn_answer_as_our_trees(classes):
    X, y = table(500, 4, 0.1, categories=9)
    maker = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
    target = np.digitize(y, np.linspace(-1, 1, classes - 1)) if classes else y
    model = maker(max_iter=6, max_leaf_nodes=7, categorical_features=[3]).fit(X, target)
    known = np.zeros((1, 8), dtype=np.uint32)
    known[0, 0] = 2**9 - 1
    said = np.tile(model._baseline_prediction, (len(X), 1))
    for one_round in model._predictors:
        for k, tree in enumerate(one_round):
            assert tree.get_n_leaf_nodes() <= 7 and tree.get_max_depth() < 7
            said[:, k] += tree.predict(X, known, np.array([0, 0, 0, 0], dtype=np.uint32), 1)
    np.testing.assert_allclose(said, model._raw_predict(X), atol=1e-10)
    assert len(model._predictors) == model.n_iter_


@pytest.mark.parametrize("n", [60, 2000])  # a bin for each value, bins at quantiles
def test_infinite_cells_are_the_ends_of_their_column(n):
    X, y = table(n, 3)
    X[rng.random(n) < 0.1, 0] = np.inf
    X[rng.random(n) < 0.1, 0] = -np.inf
    large = np.where(np.isinf(X), np.sign(X) * 1e6, X)
    given, plain = (HistGradientBoostingRegressor(max_iter=5, min_samples_leaf=5).fit(Z, y) for Z in (X, large))
    np.testing.assert_allclose(given.predict(X), plain.predict(large))
    np.testing.assert_allclose(given.predict(np.full((1, 3), np.inf)), given.predict(np.full((1, 3), 1e9)))


@pytest.mark.parametrize("early_stopping", [False, True])
def test_one_class_alone_is_learned(early_stopping):
    X, _ = table(80)
    model = HistGradientBoostingClassifier(max_iter=3, early_stopping=early_stopping).fit(X, ["a"] * 80)
    assert (
        set(model.predict(X)) == {"a"}
        and (model.predict_proba(X) == 1).all()
        and model.predict_proba(X).shape == (80, 1)
    )
    assert not model.decision_function(X).any() and all(len(tree.nodes) == 1 for (tree,) in model._predictors)


@pytest.mark.parametrize("weighted", [None, "counts", "parts"])
@pytest.mark.parametrize("stopping", [False, "loss", "score"])
@pytest.mark.parametrize("kind", ["value", "two", "three"])
def test_rows_laid_out_anew_give_the_same_trees(kind, stopping, weighted, monkeypatch):
    monkeypatch.setattr(rounds, "EACH", 1000)
    monkeypatch.setattr(epee.options, "threads", 2)
    rng = np.random.default_rng(1)
    X = np.where(rng.random((900, 5)) < 0.05, np.nan, rng.normal(size=(900, 5)))
    z = np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1]) ** 2 + 0.3 * rng.normal(size=900)
    y = z if kind == "value" else np.digitize(z, [0.8] if kind == "two" else [0.3, 1.5])
    w = {None: None, "counts": rng.integers(0, 3, 900).astype(float), "parts": rng.random(900)}[weighted]
    make = HistGradientBoostingRegressor if kind == "value" else HistGradientBoostingClassifier
    given = {
        "max_iter": 7,
        "max_leaf_nodes": 8,
        "random_state": 0,
        "early_stopping": bool(stopping),
        "n_iter_no_change": 5,
    }
    given |= {"scoring": "loss" if stopping != "score" else "r2" if kind == "value" else "accuracy"}
    untouched = X.copy(), y.copy(), None if w is None else w.copy()
    plain = make(**given).fit(X, y, sample_weight=w)
    again = []
    monkeypatch.setattr(rounds, "SPREAD", 10)
    monkeypatch.setattr(rounds, "REGROUPED", {0, 1, 4})
    monkeypatch.setattr(
        rounds.Rounds, "_regroup", lambda self, team, real=rounds.Rounds._regroup: again.append(real(self, team))
    )
    other = make(**given).fit(X, y, sample_weight=w)
    assert len(again) == 3
    say = "predict" if kind == "value" else "predict_proba"
    np.testing.assert_array_equal(getattr(other, say)(X), getattr(plain, say)(X))
    np.testing.assert_array_equal(other.train_score_, plain.train_score_)
    np.testing.assert_array_equal(other.validation_score_, plain.validation_score_)
    for before, now in zip(untouched, (X, y, w)):
        np.testing.assert_array_equal(before, now) if now is not None else None


def test_scores_after_each_round_are_in_the_order_of_the_table(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    y = X[:, 0] + rng.normal(size=600)
    model = HistGradientBoostingRegressor(max_iter=4, early_stopping=False)
    plain = [said.copy() for said in model.fit_telling(X, y, None, None, [1, 2, 4], "values")]
    monkeypatch.setattr(rounds, "SPREAD", 10)
    monkeypatch.setattr(rounds, "REGROUPED", {0, 1})
    again = [said.copy() for said in model.fit_telling(X, y, None, None, [1, 2, 4], "values")]
    np.testing.assert_array_equal(again, plain)
