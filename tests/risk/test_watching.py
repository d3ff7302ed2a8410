"""Intervals that look at their rows: copies stay together, dependence is said, counts are dealt one by one, losses give the shape."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from epee import DecisionTreeClassifier, LinearDiscriminantAnalysis, LinearRegression
from epee.errors import WrongUse
from epee.risk import brier, compare, confusion_matrix, cross_validate, f1, holdout_error, importance, loo, r2, roc_auc
from epee.risk.copies import copies_of
from epee.risk.dependence import dependence
from epee.risk.watching import kinship, watched


def line(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, X.sum(axis=1) + rng.normal(size=n)


def in_time(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    e = np.zeros(n)
    for i in range(1, n):
        e[i] = 0.8 * e[i - 1] + rng.normal()
    X = rng.normal(size=(n, 2))
    return X, X[:, 0] + e


@pytest.mark.parametrize("classes", [False, True])
def test_copies_stay_in_one_fold_and_count_once(classes):
    X, y = line(60)
    y = (y > 0).astype(int) if classes else y
    model = LinearDiscriminantAnalysis() if classes else LinearRegression()
    order = np.random.default_rng(1).permutation(180)
    again = np.tile(np.arange(60), 3)[order]
    found = cross_validate(model, X[again], y[again])
    assert all(len(np.unique(found.folds[again == i])) == 1 for i in range(60))
    assert "copies of a row together" in found.how
    once = cross_validate(model, X, y)
    assert found.value == pytest.approx(once.value, rel=0.3) and found.stderr > 0.6 * once.stderr


def test_equal_rows_of_a_table_of_few_values_are_no_copies():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, size=(400, 3)).astype(float), rng.integers(0, 2, 400)
    assert copies_of(X, y) is None and copies_of(*line(200)) is None
    assert "copies" not in cross_validate(LinearDiscriminantAnalysis(), X, y).how


@pytest.mark.parametrize("seed", range(5))
def test_rows_that_share_their_inputs_are_no_copies_where_their_targets_differ(seed):
    """Ten purchases at each of sixty lists of prices: nearly every row has an earlier one of its class, and none is a copy."""
    rng = np.random.default_rng(seed)
    prices = rng.normal(size=(60, 4)).round(1)
    at = np.repeat(np.arange(60), rng.integers(2, 18, 60))
    bought = (rng.random((len(at), 1)) > np.cumsum(rng.dirichlet(np.ones(4), 60), axis=1)[at]).sum(axis=1)
    assert len(at) - len(np.unique(np.column_stack([at, bought]), axis=0)) > 0.5 * len(at)
    assert copies_of(prices[at], bought) is None
    assert copies_of(prices[at], at % 4) is not None  # all that share their inputs share their target
    twice = np.tile(np.arange(60), 2)
    assert copies_of(prices[twice], rng.integers(0, 4, 60)[twice]) is not None


def test_copies_are_numbered_by_their_first():
    X, y = line(30)
    ids = copies_of(np.vstack([X, X[::-1]]), np.append(y, y[::-1]))
    np.testing.assert_array_equal(ids, np.append(np.arange(30), np.arange(30)[::-1]))


@pytest.mark.parametrize("how", ["fold", "nested", "loo", "held out", "compared"])
def test_rows_in_time_that_nobody_declared_are_said(how):
    X, y = in_time(200)
    if how == "held out":
        found = holdout_error(LinearRegression().fit(X[:20], y[:20]), X[20:], y[20:])
        told = holdout_error(LinearRegression().fit(X[:20], y[:20]), X[20:], y[20:], groups=np.arange(180))
    elif how == "compared":
        found = compare([LinearRegression(), LinearRegression()], X, y, repeats=1)
        assert "follow each other" in found.verdict
        found, told = found.risks[0], compare([LinearRegression()], X, y, repeats=1, groups=np.arange(200)).risks[0]
    elif how == "loo":
        found, told = loo(LinearRegression(), X, y), None
    else:
        more = {"interval": how, "repeats": 2 if how == "nested" else 1}
        found = cross_validate(LinearRegression(), X, y, **more)
        told = cross_validate(LinearRegression(), X, y, **more, groups=np.arange(200))
    assert "follow each other" in found.caution and found.kin
    assert found.low <= found.value <= found.high and found.at(0.5).high < found.high
    if told is not None:
        assert not told.kin and found.high - found.low > 1.4 * (told.high - told.low)


def test_a_shape_that_the_predictor_misses_is_no_kinship():
    rng = np.random.default_rng(0)
    X = np.column_stack([np.sort(rng.normal(size=600)), rng.normal(size=600)])
    y = np.sin(2 * X[:, 0]) + X[:, 0] * X[:, 1] + 0.2 * rng.normal(size=600)
    found = cross_validate(LinearRegression(), X, y)
    assert not found.kin
    ages = rng.integers(18, 80, 600)
    r = np.sin(ages / 10) + 0.5 * rng.normal(size=600)
    assert not any(d.shown() for d in dependence(r, ages[:, None]))


def test_numbers_that_are_names_are_found():
    rng = np.random.default_rng(0)
    patient = rng.integers(0, 40, 300)
    X = np.column_stack([patient, rng.normal(size=300)])
    y = X[:, 1] + rng.normal(size=40)[patient] + rng.normal(size=300)
    found = cross_validate(LinearRegression(), X, y)
    assert "column 0" in found.caution
    assert not cross_validate(LinearRegression(), X, y, groups=patient).kin


def test_a_table_given_as_counts_is_the_long_table():
    rng = np.random.default_rng(0)
    X = np.array([[i, j] for i in range(3) for j in range(3)] * 2, dtype=float)
    y = np.repeat(["a", "b"], 9)
    counts = rng.integers(0, 30, 18) + 25 * ((X[:, 0] > 1) == (y == "a"))
    model = DecisionTreeClassifier(max_depth=3)
    short = cross_validate(model, X, y, sample_weight=counts)
    row = np.repeat(np.arange(18), counts)
    long = cross_validate(model, X[row], y[row])
    assert short.value == pytest.approx(long.value) and short.n == counts.sum()
    np.testing.assert_allclose(short.interval, long.interval)
    assert short.losses.shape == short.predictions.shape == short.folds.shape == (18,)
    assert short.losses @ counts / counts.sum() == pytest.approx(long.losses.mean())
    both = compare([model, LinearDiscriminantAnalysis()], X, y, sample_weight=counts, repeats=2)
    assert both.risks[0].n == counts.sum()


def test_weights_mean_what_is_said():
    X, y = line(80)
    w = np.full(80, 10.0)
    counted, sampled = (
        cross_validate(LinearRegression(), X, y, sample_weight=w, weights=s) for s in ("counts", "sampling")
    )
    assert counted.n == 800 and sampled.n == 80 and "counts" in counted.how
    assert counted.high - counted.low < 0.6 * (sampled.high - sampled.low)
    uneven = np.where(np.arange(80) < 40, 1.0, 3.0)
    found = cross_validate(
        LinearRegression(), X, y, sample_weight=uneven, weights="sampling", interval="nested", repeats=2
    )
    assert "sampling weights" in found.how and found.n == pytest.approx(64)
    assert loo(LinearRegression(), X, y, sample_weight=w, weights="sampling").n == 80


def test_the_interval_of_folds_follows_skewed_losses():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    found = cross_validate(LinearRegression(), X, X[:, 0] + rng.exponential(size=200) ** 1.5)
    assert found.high - found.value > 1.3 * (found.value - found.low) and "largest losses" in found.caution
    assert found.at(0.5).high < found.high


def test_long_tables_are_looked_at_in_stretches():
    X, y = in_time(6000)
    assert "follow each other" in cross_validate(LinearRegression(), X, y).caution
    X, y = line(6000)
    X[:, 0], X[150, 0] = np.nan, 1.0  # a cell between two stretches
    assert kinship(y, X) is None


def test_strata_may_be_an_array_and_meanings_are_checked():
    X, y = line(80)
    strata = np.arange(80) % 4
    found = cross_validate(LinearRegression(), X, y, stratify=strata, folds=5)
    assert all((np.bincount(found.folds[strata == k], minlength=5) == 4).all() for k in range(4))
    for call in (cross_validate, lambda model, *data, **more: compare([model], *data, **more)):
        with pytest.raises(WrongUse, match="counts"):
            call(LinearRegression(), X, y, weights="frequency")


def schools(seed: int = 0, many: int = 16) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Inputs, targets, classes and schools: five rows to a class, four classes to a school, school by school."""
    rng = np.random.default_rng(seed)
    school, own = np.repeat(np.arange(many), 20), np.repeat(np.arange(4 * many), 5)
    X = rng.normal(size=(20 * many, 2))
    shared = 1.2 * rng.normal(size=many)[school] + 0.6 * rng.normal(size=4 * many)[own]
    return X, X[:, 0] + shared + rng.normal(size=20 * many), own, school


@pytest.mark.parametrize("interval", ["fold", "nested"])
def test_groups_that_follow_each_other_are_said(interval):
    X, y, own, school = schools()
    more = {"interval": interval, "repeats": 2 if interval == "nested" else 1}
    found = cross_validate(LinearRegression(), X, y, **more, groups=own)
    assert "Groups that follow each other" in found.caution and found.kin
    elsewhere = np.random.default_rng(1).permutation(len(np.unique(own)))[
        own
    ]  # other names, and other places in the file
    order = np.argsort(elsewhere, kind="stable")
    apart = cross_validate(LinearRegression(), X[order], y[order], **more, groups=own[order])
    assert not apart.kin and found.high - found.low > 1.2 * (apart.high - apart.low)
    assert not cross_validate(LinearRegression(), X, y, **more, groups=school).kin


@pytest.mark.parametrize("words", [False, True])
def test_groups_that_share_a_value_are_said(words):
    X, y, own, school = schools(1)
    order = np.argsort(np.random.default_rng(2).permutation(64)[own], kind="stable")
    names = np.array([f"school {k}" for k in school], dtype=object) if words else school.astype(float)
    X = np.column_stack([names, X])[order]
    rest = (y - X[:, 1].astype(float)[np.argsort(order)])[order] if words else y[order]
    plain = cross_validate(LinearRegression(), X[:, 1:].astype(float), y[order], groups=own[order])
    assert not plain.kin
    found = (
        watched(plain, rest, X, None, (), None, None, own[order]) if words
        else cross_validate(LinearRegression(), X, rest, groups=own[order])
    )  # fmt: skip
    assert "same value of column 0" in found.caution and found.high - found.low > plain.high - plain.low


@pytest.mark.parametrize("many", [20, 48])
def test_independent_groups_raise_one_alarm_in_a_hundred(many):
    alarms = 0
    for seed in range(150):
        rng = np.random.default_rng([many, seed])
        g = rng.permutation(np.repeat(np.arange(many), rng.integers(1, 9, many)))
        X = rng.normal(size=(many, 2))[g]
        y = X[:, 0] + rng.normal(size=many)[g] + rng.normal(size=len(g))
        alarms += bool(cross_validate(LinearRegression(), X, y, groups=g).kin)
    assert alarms <= 5  # of 1.5: six are chance once in two hundred


def test_rows_that_were_told_to_stand_alone_have_been_answered():
    X, y = in_time(200)
    assert not cross_validate(LinearRegression(), X, y, groups=np.arange(200)).kin
    assert cross_validate(LinearRegression(), X, y, groups=np.arange(200) // 2).kin


@pytest.mark.parametrize("how", ["held out", "compared", "r2", "importance"])
def test_every_estimate_by_groups_looks_at_them_in_turn(how):
    X, y, own, school = schools()
    model = LinearRegression().fit(*line(40))
    X = np.column_stack([X, np.zeros(len(X))])

    def found(groups):
        if how == "held out":
            return holdout_error(model, X, y, groups=groups)
        if how == "compared":
            return compare([LinearRegression()], X, y, groups=groups, repeats=2).risks[0]
        return r2(model, X, y, groups=groups) if how == "r2" else importance(model, X, y, groups=groups)

    by_class, by_school = found(own), found(school)
    assert "Groups that follow each other" in by_class.caution and "Groups" not in by_school.caution


@pytest.mark.parametrize("words", [False, True])
def test_items_that_cross_groups_are_said(words):
    rng = np.random.default_rng(0)
    keep = np.sort(rng.permutation(800)[:320])
    person, item = np.divmod(keep, 20)
    X = rng.normal(size=(320, 3))
    y = X.sum(axis=1) + 0.6 * rng.normal(size=40)[person] + 0.8 * rng.normal(size=20)[item] + rng.normal(size=320)
    table = pd.DataFrame(X, columns=list("abc")).assign(item=[f"item {k}" for k in item] if words else item)
    model = make_pipeline(FunctionTransformer(lambda frame: frame[list("abc")].astype(float)), LinearRegression())
    found = cross_validate(model, table, y, groups=person)
    assert "the same value of column item resemble each other across groups" in found.caution
    silent = cross_validate(model, table[list("abc")], y, groups=person)
    assert not silent.kin and found.high - found.low > 1.2 * (silent.high - silent.low)
    mixed = cross_validate(model, table.assign(item=rng.permutation(table["item"])), y, groups=person)
    assert not mixed.kin


@pytest.mark.parametrize("score", [roc_auc, f1, brier, confusion_matrix])
def test_figures_of_classes_by_groups_look_at_them_in_turn(score):
    """Half of the schools are told nothing: classes of five rows in them err alike."""
    X, _, own, school = schools()
    rng = np.random.default_rng(3)
    lost = rng.random(16)[school] < 0.5
    y = np.where(lost, rng.random(len(X)) < 0.5, X[:, 0] > 0).astype(int)
    other = rng.normal(size=(60, 1))
    model = LinearDiscriminantAnalysis().fit(other, (other[:, 0] > 0).astype(int))
    by_class, by_school = (score(model, X[:, :1], y, groups=g) for g in (own, school))
    assert "Groups that follow each other" in by_class.caution and "Groups" not in by_school.caution
    assert "64 groups" in by_class.how and "16 groups" in by_school.how


def test_hold_out_by_independent_groups_raises_one_alarm_in_a_hundred():
    alarms, model = 0, LinearRegression().fit(*line(40))
    for seed in range(150):
        rng = np.random.default_rng([48, seed])
        g = rng.permutation(np.repeat(np.arange(48), rng.integers(1, 9, 48)))
        X = rng.normal(size=(48, 3))[g]
        y = X.sum(axis=1) + rng.normal(size=48)[g] + rng.normal(size=len(g))
        alarms += bool(holdout_error(model, X, y, groups=g).kin)
    assert alarms <= 5  # of 1.5


def test_a_doubt_lengthens_and_says_nothing(monkeypatch):
    """What is refuted at 5 % and not at 1 % makes the interval longer by its design effect, and how says so."""
    seen = set()
    for seed in range(60):
        rng = np.random.default_rng(seed)
        y = np.repeat(rng.normal(size=30), 5) * 0.6 + rng.normal(size=150)
        X = rng.normal(size=(150, 2))
        found = cross_validate(LinearRegression(), X, y, level=0.9)
        with monkeypatch.context() as nobody:
            nobody.setattr("epee.risk.watching.kinship", lambda *seen: None)
            plain = cross_validate(LinearRegression(), X, y, level=0.9)
        longer = (found.high - found.low) / (plain.high - plain.low)
        doubted, shown = "may belong together" in found.how, bool(found.kin)
        assert not (doubted and shown) and (longer > 1.01) == (doubted or shown)
        assert (found.caution != plain.caution) == shown
        seen.add((doubted, shown))
    assert seen == {(False, False), (True, False), (False, True)}


def by_patient(n: int = 40, each: int = 5, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows of patients who lie together in the file, and whose number no column tells."""
    rng = np.random.default_rng(seed)
    patient = np.repeat(np.arange(n), each)
    X = rng.normal(size=(n * each, 3))
    return X, X[:, 0] + 2 * rng.normal(size=n)[patient] + 0.5 * rng.normal(size=n * each), patient


FIGURES = {
    "hold-out": lambda X, y, w: holdout_error(LinearRegression().fit(X[:20], y[:20]), X[20:], y[20:], sample_weight=w),
    "r2": lambda X, y, w: r2(LinearRegression().fit(X[:20], y[:20]), X[20:], y[20:], sample_weight=w),
    "loo": lambda X, y, w: loo(LinearRegression(), X[20:], y[20:], sample_weight=w),
    "folds": lambda X, y, w: cross_validate(LinearRegression(), X[20:], y[20:], sample_weight=w),
    "compared": lambda X, y, w: compare([LinearRegression()], X[20:], y[20:], sample_weight=w, repeats=1).risks[0],
}


@pytest.mark.parametrize("figure", FIGURES)
def test_weights_do_not_hide_that_rows_belong_together(figure):
    X, y, _ = by_patient()
    rng = np.random.default_rng(1)
    plain = FIGURES[figure](X, y, None)
    ones = FIGURES[figure](X, y, np.ones(180))
    assert plain.kin and ones.kin == plain.kin
    assert [ones.value, ones.stderr, *ones.interval] == pytest.approx([plain.value, plain.stderr, *plain.interval])
    for w in (rng.integers(1, 4, 180), rng.uniform(0.5, 2, 180), rng.integers(0, 2, 180)):
        found = FIGURES[figure](X, y, w)
        assert "follow each other" in found.caution and found.stderr > 0.7 * plain.stderr


def test_importance_looks_at_weighted_rows():
    X, y, _ = by_patient()
    for w in (np.ones(200), np.random.default_rng(1).integers(1, 4, 200)):
        assert "follow each other" in importance(LinearRegression(), X, y, sample_weight=w, repeats=2).caution


def test_pairs_of_weighted_rows_count_more():
    """A row that stands for three is like three rows of the same kin: the design effect of pairs grows threefold."""
    X, y, _ = by_patient()
    one, three = kinship(y, X), kinship(y, X, worth=3.0)
    assert three.effect - 1 == pytest.approx(3 * (one.effect - 1))


def test_the_order_in_which_cells_are_listed_is_no_kinship():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, k, 800) for k in (4, 3, 5)]).astype(float)
    y = np.round(X[:, 0] + rng.normal(size=800))
    cells, counts = np.unique(
        np.column_stack([X, y]), axis=0, return_counts=True
    )  # sorted by the target within each list of inputs
    for found in (
        cross_validate(LinearRegression(), cells[:, :3], cells[:, 3], sample_weight=counts),
        loo(LinearRegression(), cells[:, :3], cells[:, 3], sample_weight=counts),
    ):
        assert not found.kin
