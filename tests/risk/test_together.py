"""Rows that belong together, by every road: copies and groups leave together, and what no road keeps together is said."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, KFold, LeaveOneGroupOut, cross_val_predict

from epee import (
    BayesDecision,
    Combination,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    GaussianNB,
    HistGradientBoostingRegressor,
    KNeighborsRegressor,
    LinearDiscriminantAnalysis,
    LinearRegression,
    RandomForestClassifier,
    RandomForestRegressor,
    Ridge,
)
from epee.errors import DataError, EpeeWarning, WrongUse
from epee.risk import (
    compare,
    complexity_curve,
    cross_validate,
    holdout_error,
    importance,
    learning_curve,
    loo,
    mcnemar,
    r2,
)

MODELS = [
    LinearRegression(), Ridge(), KNeighborsRegressor(3), DecisionTreeRegressor(max_depth=3), LinearDiscriminantAnalysis(), GaussianNB(),
]  # fmt: skip


def numbers(n: int = 120, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, X[:, 0] + rng.normal(size=n)


def grouped(G: int = 30, each: int = 6, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    g = np.repeat(np.arange(G), each)
    X = rng.normal(size=(len(g), 3))
    return X, X[:, 0] + 2 * rng.normal(size=G)[g] + 0.5 * rng.normal(size=len(g)), g


def suited(model, y):
    return (y > 0).astype(int) if hasattr(model, "predict_proba") else y


def without_each(model, X, y, units):
    """Return the mean loss of rows that leave with all of their unit, by as many fits."""
    said = cross_val_predict(model, X, y, groups=units, cv=LeaveOneGroupOut())
    return np.mean(said != y) if hasattr(model, "predict_proba") else np.mean((said - y) ** 2)


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_a_group_at_a_time_is_what_as_many_fits_say(model):
    X, y = numbers()
    y, g = suited(model, y), np.random.default_rng(1).integers(0, 25, 120)
    found = loo(model, X, y, groups=g)
    assert found.value == pytest.approx(without_each(model, X, y, g))
    assert found.n_folds == len(found.per_fold) == len(np.unique(g)) and "a group at a time" in found.how
    again = cross_validate(model, X, y, folds="loo", groups=g)
    assert [again.value, *again.interval] == [found.value, *found.interval]


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_copies_of_a_row_leave_together(model):
    """Rows once, twice and three times, in a random order: by the formula of rows that are alone, and by fits or merges of the others."""
    X, y = numbers()
    rng = np.random.default_rng(1)
    rows = rng.permutation(np.repeat(np.arange(120), np.append(rng.integers(2, 4, 40), np.ones(80, dtype=int))))
    y = suited(model, y)
    found = loo(model, X[rows], y[rows])
    assert found.value == pytest.approx(without_each(model, X[rows], y[rows], rows))
    assert "copies of a row together" in found.how and found.n_folds == 120
    assert "copies" not in loo(model, X, y).how


def test_a_neighbour_that_is_a_copy_does_not_make_the_error_zero():
    X, y = numbers()
    once, twice = (loo(KNeighborsRegressor(1), np.vstack([X] * k), np.tile(y, k)) for k in (1, 2))
    assert twice.value == pytest.approx(once.value) and twice.high - twice.low > 0.9 * (once.high - once.low)


def test_copies_too_many_to_be_fitted_without_are_said(monkeypatch):
    monkeypatch.setattr("epee.risk.leave_one_out.MOST_REFITS", 10)
    X, y = numbers()
    found = loo(KNeighborsRegressor(1), np.vstack([X, X]), np.append(y, y))
    assert found.value == 0 and "240 in all" in found.caution


def test_one_group_leaves_nothing():
    X, y = numbers()
    with pytest.raises(DataError, match="one group only"):
        loo(Ridge(), X, y, groups=np.zeros(120))


@pytest.mark.parametrize(
    "given", [KFold(10, shuffle=True, random_state=0), np.random.default_rng(0).integers(0, 5, 240)]
)
def test_given_folds_that_part_copies_are_said(given):
    X, y = numbers()
    found = cross_validate(KNeighborsRegressor(1), np.vstack([X, X]), np.append(y, y), folds=given)
    assert "copies of each other" in found.caution
    whole = cross_validate(
        KNeighborsRegressor(1), np.vstack([X, X]), np.append(y, y), folds=np.tile(np.arange(120) % 5, 2)
    )
    assert "copies of each other" not in whole.caution and whole.value > 2 * found.value
    compared = compare([KNeighborsRegressor(1)], np.vstack([X, X]), np.append(y, y), folds=given)
    assert "copies of each other" in compared.risks[0].caution


def test_given_folds_count_groups_and_say_where_they_part_them():
    mixed = np.random.default_rng(1).permutation(
        180
    )  # in a file of one group after the other they are found, and the bar is longer
    X, y, g = (a[mixed] for a in grouped())
    apart = cross_validate(Ridge(), X, y, folds=np.arange(180) % 5, groups=g)
    alone = cross_validate(Ridge(), X, y, folds=np.arange(180) % 5)
    assert "part 30 of the 30 groups" in apart.caution and "30 groups" in apart.how
    assert apart.value == alone.value and apart.stderr > 1.5 * alone.stderr
    whole = cross_validate(Ridge(), X, y, folds=GroupKFold(5), groups=g)
    assert "part" not in whole.caution and "30 groups" in whole.how
    with pytest.raises(WrongUse, match="keep groups whole"):
        cross_validate(Ridge(), X, y, folds=np.arange(180) % 5, groups=g, interval="nested")


@pytest.mark.parametrize("folds", ["loo", 60, np.arange(60)])
def test_nested_intervals_need_folds_of_several_rows(folds):
    X, y = numbers(60)
    with pytest.raises(WrongUse, match="folds of several rows"):
        cross_validate(Ridge(), X, y, folds=folds, interval="nested")


def test_nested_intervals_of_a_group_in_each_fold_are_told_to_be_unsure():
    X, y, g = grouped(3, 60)
    found = cross_validate(Ridge(), X, y, folds=3, groups=g, interval="nested")
    assert found.low < found.value < found.high and "3 independent" in found.caution


@pytest.mark.parametrize("kind", ["t", "exact", "wilson", "bootstrap"])
def test_an_interval_that_is_asked_for_counts_groups(kind):
    X, y, g = grouped(30, 20)
    model = LinearDiscriminantAnalysis().fit(*(lambda X, y: (X, y > 0))(*numbers(40, 1)))
    found, alone = (holdout_error(model, X, y > 0, groups=groups, interval=kind) for groups in (g, np.arange(600)))
    plain = holdout_error(model, X, y > 0, groups=g)
    assert found.high - found.low > 1.3 * (alone.high - alone.low)
    assert found.high - found.low == pytest.approx(plain.high - plain.low, rel=0.15)


def test_a_bootstrap_of_rows_is_refused_in_time():
    X, y, _ = grouped()
    with pytest.raises(WrongUse, match="draws rows"):
        holdout_error(Ridge().fit(*numbers(40, 1)), X, y, interval="bootstrap", time=True)


def test_groups_and_time_together_are_said():
    X, y, g = grouped()
    model = Ridge().fit(*numbers(40, 1))
    for figure in (holdout_error, r2):
        with pytest.warns(EpeeWarning, match="groups alone"):
            figure(model, X, y, groups=g, time=True)


def test_decisions_count_groups():
    X, y, g = grouped()
    model = BayesDecision(LinearDiscriminantAnalysis(), costs=[[0, 5], [1, 0]]).fit(X[:60], y[:60] > 0)
    found = model.risk(X[60:], y[60:] > 0, groups=g[60:])
    assert "20 groups" in found.how and "time" in model.risk(X[60:], y[60:] > 0, time=True).how


@pytest.mark.parametrize("classes", [False, True])
def test_trees_judge_no_row_of_which_they_have_seen_a_copy(classes):
    X, y = numbers(80)
    y = (y > 0).astype(int) if classes else y
    make = RandomForestClassifier if classes else RandomForestRegressor
    once, twice = make(60, random_state=0).fit(X, y).oob_risk_, np.append(y, y)
    found = make(60, random_state=0, oob_score=True).fit(np.vstack([X, X]), twice)
    flattered = np.mean(found.oob_prediction_ != twice if classes else (found.oob_prediction_ - twice) ** 2)
    assert "copies of a row together" in found.oob_risk_.how and found.oob_risk_.n == 80
    assert found.oob_risk_.value > 2 * flattered and found.oob_risk_.stderr > 0.6 * once.stderr


def test_copies_that_every_tree_has_seen_are_said():
    X, y = numbers(20)
    found = RandomForestRegressor(10, random_state=0).fit(np.vstack([X] * 30), np.tile(y, 30)).oob_risk_
    assert "copies of each other" in found.caution


def test_kin_that_nobody_declared_are_said_by_every_estimate():
    X, y, g = grouped(40, 5)
    stages = HistGradientBoostingRegressor(max_iter=5).fit(*numbers(40, 1)).stages_risk
    found = [
        learning_curve(Ridge(), X, y).extrapolate(400), stages(X, y).at(5), RandomForestRegressor(30, random_state=0).fit(X, y).oob_risk_,
        Combination([LinearRegression(), DecisionTreeRegressor(max_depth=2)]).fit(X, y).cv_risk_,
    ]  # fmt: skip
    alone = cross_validate(Ridge(), X, y, groups=np.arange(200))
    for risk in found:
        assert "follow each other" in risk.caution and risk.stderr > 1.5 * alone.stderr
        assert risk.low <= risk.value <= risk.high
    told = stages(X, y, groups=g)
    assert not told.caution.startswith("Errors") and "40 groups" in told.at(5).how
    assert told.stderr[-1] == pytest.approx(stages(X, y).stderr[-1], rel=0.5)


@pytest.mark.parametrize("folds", [5, "loo"])
def test_a_curve_along_a_parameter_knows_kin(folds):
    X, y, g = grouped(40, 5)
    found = complexity_curve(Ridge(), X, y, "alpha", [0.1, 1.0, 10.0], folds=folds)
    assert "follow each other" in found.caution
    at = found.best_index
    risk = cross_validate(Ridge(found.best), X, y, folds=folds)
    assert [found.cv[at], found.stderr[at]] == pytest.approx([risk.value, risk.stderr], rel=0.1)
    told = complexity_curve(Ridge(), X, y, "alpha", [0.1, 1.0, 10.0], folds=folds, groups=g)
    assert not told.caution and "group" in told.how
    X, y = numbers()
    assert not complexity_curve(Ridge(), X, y, "alpha", [0.1, 1.0], folds=folds).caution


@pytest.mark.parametrize("n", [4, 20])
def test_two_folds_of_few_rows_are_marked_as_five_are(n):
    X, y = numbers(n)
    assert "too few" in cross_validate(Ridge(), X, y, folds=2).caution


@pytest.mark.parametrize("figure", [cross_validate, loo, learning_curve])
def test_one_row_of_any_weight_is_no_sample(figure):
    X, y = numbers()
    with pytest.raises(DataError):
        figure(Ridge(), X, y, sample_weight=(np.arange(120) == 7).astype(float))


def test_importance_of_heavy_losses_is_marked():
    X, _ = numbers()
    y = X[:, 0] + 5 * np.random.default_rng(3).standard_t(1.1, size=120)
    assert "largest losses" in importance(LinearRegression(), X, y, repeats=2).caution
    assert not importance(LinearRegression(), *numbers(300), repeats=2).caution


def test_no_difference_in_any_row_is_no_certainty():
    """Two rules that both err nowhere: the interval of McNemar's test, of rows or of groups."""
    rng = np.random.default_rng(0)
    X, y = np.vstack([rng.normal(size=(40, 2)), rng.normal(size=(40, 2)) + 20]), np.repeat([0, 1], 40)
    rules = {"a": LinearDiscriminantAnalysis(), "b": DecisionTreeClassifier()}
    found = compare(rules, X, y).difference("a", "b")
    assert found.value == 0 and found.p_value == 1
    assert [*found.interval] == pytest.approx([*mcnemar(y, y, y).interval])
    by_group = compare(rules, X, y, groups=np.arange(80) // 4).difference("a", "b")
    assert [*by_group.interval] == pytest.approx([*mcnemar(y[::4], y[::4], y[::4]).interval])
    assert "equally well" in compare(rules, X, y).verdict


@pytest.mark.parametrize("gone", [None, np.nan])
def test_a_row_without_a_group_is_named(gone):
    X, y, g = grouped()
    for groups in (g.astype(object), np.char.add("g", g.astype(str)).astype(object), g.astype(float)):
        groups[7] = gone
        with pytest.raises(DataError, match="groups is missing .* in row 7"):
            cross_validate(Ridge(), X, y, groups=groups)
    with pytest.raises(DataError, match="texts beside numbers"):
        cross_validate(Ridge(), X, y, groups=np.array(["a", *g[1:].tolist()], dtype=object))


def test_a_gap_is_a_number_of_moments():
    X, y = numbers()
    with pytest.raises(WrongUse, match="whole number of moments"):
        cross_validate(Ridge(), X, y, time=True, gap=np.timedelta64(3, "D"))


def test_weights_do_not_hide_copies_and_counts_make_none():
    X, y = numbers(60)
    twice = np.vstack([X, X]), np.append(y, y)
    model = KNeighborsRegressor(1)
    ridge = Ridge()
    for w in (np.ones(120), np.random.default_rng(0).uniform(0.5, 2, 120)):
        assert "copies of a row together" in loo(ridge, *twice, sample_weight=w).how
        assert "copies of a row together" in cross_validate(ridge, *twice, sample_weight=w).how
    assert loo(model, *twice).value > 0
    for figure in (loo, cross_validate):
        assert "copies" not in figure(ridge, *twice, sample_weight=np.full(120, 2), weights="counts").how


def test_a_risk_that_a_predictor_carries_can_be_written_down():
    """Functions that make intervals of other levels are no data: what comes back has the same interval, and Student's for others."""
    X, y, _ = grouped()
    for risk in (RandomForestRegressor(20, random_state=0).fit(X, y).oob_risk_, loo(Ridge(), X, y)):
        state = risk.to_state()
        assert not any(callable(part) for part in state.values())
        again = type(risk).from_state(state)
        assert str(again) == str(risk) and again.caution == risk.caution and again.at(0.5).high < again.high
