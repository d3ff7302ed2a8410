"""What is said is heard, or refused: repeats and strata in time, the meaning of weights, labels that no predictor knows."""

import numpy as np
import pytest

from epee import LinearDiscriminantAnalysis, LinearRegression
from epee.errors import DataError, WrongUse
from epee.risk import (
    average_precision,
    brier,
    compare,
    complexity_curve,
    cross_validate,
    empirical_risk,
    f1,
    holdout_error,
    importance,
    learning_curve,
    loo,
    r2,
    roc_auc,
)

X = np.random.default_rng(0).normal(size=(90, 2))
Y = X[:, 0] + np.random.default_rng(1).normal(size=90)
C = np.digitize(Y, [-0.5, 0.5])
LINE, RULE, THREE = (
    m.fit(X + 1, y)
    for m, y in ((LinearRegression(), Y), (LinearDiscriminantAnalysis(), Y > 0), (LinearDiscriminantAnalysis(), C))
)

IN_TIME = {
    "cross_validate": lambda **more: cross_validate(LinearRegression(), X, Y, **more),
    "compare": lambda **more: compare([LinearRegression()], X, Y, **more),
    "complexity_curve": lambda **more: complexity_curve(LinearRegression(), X, Y, "fit_intercept", [True], **more),
}


@pytest.mark.parametrize("ask", IN_TIME.values(), ids=IN_TIME)
def test_folds_in_time_know_no_repeats_and_no_strata(ask):
    ask(time=True)
    ask(time=True, repeats=1, stratify=False)
    with pytest.raises(WrongUse, match="repeats is 5, but with time"):
        ask(time=True, repeats=5)
    for stratify in (True, C):
        with pytest.raises(WrongUse, match="stratify has no meaning with time"):
            ask(time=True, stratify=stratify)


WEIGHED = {
    "cross_validate": lambda **more: cross_validate(LinearRegression(), X, Y, **more),
    "compare": lambda **more: compare([LinearRegression()], X, Y, **more),
    "complexity_curve": lambda **more: complexity_curve(LinearRegression(), X, Y, "fit_intercept", [True], **more),
    "learning_curve": lambda **more: learning_curve(LinearRegression(), X, Y, **more),
    "loo": lambda **more: loo(LinearRegression(), X, Y, **more),
    "importance": lambda **more: importance(LinearRegression(), X, Y, **more),
    "holdout_error": lambda **more: holdout_error(LINE, X, Y, **more),
    "r2": lambda **more: r2(LINE, X, Y, **more),
    "roc_auc": lambda **more: roc_auc(RULE, X, Y > 0, **more),
    "brier": lambda **more: brier(RULE, X, Y > 0, **more),
}


@pytest.mark.parametrize("ask", WEIGHED.values(), ids=WEIGHED)
def test_the_meaning_of_weights_needs_weights_that_can_have_it(ask):
    for meaning in ("counts", "sampling"):
        with pytest.raises(WrongUse, match=f"weights is '{meaning}', but there are no weights"):
            ask(weights=meaning)
    with pytest.raises(WrongUse, match="no whole numbers"):
        ask(weights="counts", sample_weight=np.full(90, 0.5))
    ask(weights="sampling", sample_weight=np.full(90, 0.5))
    ask(weights="counts", sample_weight=np.full(90, 2.0))


def test_labels_of_which_the_predictor_knows_none_are_refused():
    names = np.where(Y > 0, "b", "a")
    for ask in (holdout_error, empirical_risk):
        with pytest.raises(
            DataError, match=r"y holds the labels \['.', '.'\], of which LinearDiscriminantAnalysis knows none"
        ):
            ask(RULE, X, names)
    with pytest.raises(DataError, match="knows none"):
        holdout_error(RULE, X, np.where(Y > 0, "1", "0"))


def test_a_class_that_the_predictor_never_saw_is_an_error_of_its_own():
    found = holdout_error(RULE, X, np.where(Y > 1, 2, (Y > 0).astype(int)))
    assert found.value > (Y > 1).mean()
    assert (
        holdout_error(RULE, X[:9], ~np.asarray(RULE.predict(X[:9]))).value == 1
    )  # wrong in every row, of labels that it knows


def test_figures_of_several_classes_say_how_these_are_averaged():
    for figure in (roc_auc, average_precision, f1):
        assert figure(THREE, X, C).how.endswith("mean over 3 classes of one against the rest")
        assert "mean over" not in figure(RULE, X, Y > 0).how
