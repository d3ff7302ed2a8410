"""Every result of the room can be written down, sent and copied, and says the same afterwards; the table stays behind."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import KFold, TimeSeriesSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeRegressor

from epee import LinearDiscriminantAnalysis, LinearRegression, LogisticRegression, Ridge
from epee import risk as R
from epee.errors import WrongUse
from epee.risk import cross_validation, paired_tests, route
from epee.risk.estimate import Risk
from tests.job.roads import in_parts

N, MARK = 120, 0.7310585786300049  # a cell that is known again


def table() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(size=(N, 2)), np.full((1, 2), MARK)]
    return X, X @ [1.0, -0.5] + rng.normal(size=N + 1) ** 2


X, Y = table()
LABELS, WHO, W = (Y > 0.5).astype(int), np.arange(N + 1) // 3, np.random.default_rng(1).uniform(0.5, 2, N + 1)
LINE, CLOUDS = LinearRegression(), LinearDiscriminantAnalysis()
TREE = DecisionTreeRegressor(max_depth=2, random_state=0)
NAMELESS = make_pipeline(FunctionTransformer(lambda X: X), LinearRegression())  # no file can hold it


def old(model: Any, y: np.ndarray = Y) -> Any:
    return model.fit(np.random.default_rng(2).normal(size=(40, 2)), y[:40])


def cv(model: Any = LINE, y: np.ndarray = Y, **more: Any) -> Any:
    return R.cross_validate(model, X, y, **more)


FIGURES: dict[str, Callable[[], Any]] = {
    "folds": cv,
    "folds of classes": lambda: cv(CLOUDS, LABELS),
    "log loss": lambda: cv(CLOUDS, LABELS, loss="log", repeats=2),
    "costs": lambda: cv(CLOUDS, LABELS, loss=[[0, 1], [5, 0]]),
    "refits": lambda: cv(TREE),
    "nameless": lambda: cv(NAMELESS),
    "nested": lambda: cv(interval="nested", repeats=2),
    "nested refits": lambda: cv(TREE, interval="nested", repeats=2, folds=4),
    "groups": lambda: cv(groups=WHO),
    "time": lambda: cv(time=True),
    "kin": lambda: R.cross_validate(LINE, X, np.cumsum(Y)),
    "given folds": lambda: cv(folds=KFold(5, shuffle=True, random_state=0)),
    "ids": lambda: cv(folds=np.arange(N + 1) % 5),
    "in the order of the file": lambda: cv(folds=TimeSeriesSplit(5)),
    "counts": lambda: cv(sample_weight=np.arange(N + 1) % 3 + 1.0),
    "sampling weights": lambda: cv(sample_weight=W),
    "left out": lambda: R.loo(LINE, X, Y),
    "left out one by one": lambda: R.loo(TREE, X, Y),
    "left out by group": lambda: R.loo(LINE, X, Y, groups=WHO),
    "held out": lambda: R.holdout_error(old(LINE), X, Y),
    "held out in groups": lambda: R.holdout_error(old(LINE), X, Y, groups=WHO),
    "held out in time": lambda: R.holdout_error(old(LINE), X, Y, time=True),
    "held-out scores": lambda: R.holdout_error(old(LogisticRegression(), LABELS), X, LABELS, loss="log"),
    "asked": lambda: R.holdout_error(old(CLOUDS, LABELS), X, LABELS, interval="wilson"),
    "difference": lambda: cv() - cv(Ridge(30.0)),
    "difference of held-out rows": lambda: R.holdout_error(old(LINE), X, Y) - R.holdout_error(old(Ridge(30.0)), X, Y),
    "mcnemar": lambda: R.mcnemar(LABELS, 1 - LABELS, LABELS[::-1]),
    "rates": lambda: R.compare_rates(12, 100, 20, 110),
    "r2": lambda: R.r2(old(LINE), X, Y),
    "extrapolated": lambda: R.learning_curve(LINE, X, Y).extrapolate(500),
    **{
        name: lambda name=name: getattr(R, name)(old(LogisticRegression(), LABELS), X, LABELS)
        for name in ("roc_auc", "average_precision", "f1", "brier")
    },
    "optimism": lambda: R.optimism(LINE, X, Y),
}  # fmt: skip
OTHERS: dict[str, Callable[[], Any]] = {
    "compared": lambda: R.compare({"line": LINE, "nameless": NAMELESS, "tree": TREE}, X, Y, repeats=1, folds=4),
    "compared in time": lambda: R.compare([LINE, Ridge(30.0)], X, Y, time=True),
    "complexity": lambda: R.complexity_curve(Ridge(), X, Y, "alpha", [0.1, 10.0]),
    "learning": lambda: R.learning_curve(LINE, X, Y),
    "importance": lambda: R.importance(LINE, X, Y),
    **{name: lambda name=name: getattr(R, name)(LINE, X, Y) for name in ("gcv", "aic", "aicc", "bic", "mallows_cp")},
    "confusion": lambda: R.confusion_matrix(old(CLOUDS, LABELS), X, LABELS),
}


@cache
def made(name: str) -> Any:
    return {**FIGURES, **OTHERS}[name]()


def figures_in(result: Any) -> list[Risk]:
    """Return all figures that a result holds or gives."""
    if isinstance(result, Risk):
        return [result]
    if isinstance(result, dict):
        return figures_in(list(result.values()))
    if isinstance(result, list | tuple):
        return [risk for part in result for risk in figures_in(part)]
    return figures_in([getattr(result, f.name) for f in fields(result)]) if is_dataclass(result) else []


def assert_same(a: Any, b: Any) -> None:
    told = [
        (r.value, r.stderr, *r.interval, *r.at(0.8).interval, r.level, r.n, getattr(r, "p_value", 0.0)) for r in (a, b)
    ]
    assert np.array_equal(*told, equal_nan=True)
    assert (a.how, a.caution, a.kin) == (b.how, b.caution, b.kin)


@pytest.mark.parametrize("name", [*FIGURES, *OTHERS])
def test_every_result_says_the_same_after_a_journey(name):
    first = made(name)
    for other in (pickle.loads(pickle.dumps(first)), copy.deepcopy(first)):
        assert type(other) is type(first)
        assert str(other) == str(first)
        for a, b in zip(figures_in(first), figures_in(other), strict=True):
            assert_same(a, b)


@pytest.mark.parametrize("name", [*FIGURES, *OTHERS])
def test_the_table_stays_behind(name):
    assert np.full(2, MARK).tobytes() not in pickle.dumps(made(name))


def test_what_is_asked_later_is_the_same():
    line, ridge = (R.cross_validate(model, X, Y) for model in (LINE, Ridge(30.0)))
    there = pickle.loads(pickle.dumps(line))
    assert np.array_equal(there.losses, line.losses) and np.array_equal(there.predictions, line.predictions)
    assert np.array_equal(there.folds, line.folds)
    assert_same(there - ridge, line - ridge)
    tree = R.cross_validate(TREE, X, Y, folds=4)
    assert_same(
        pickle.loads(pickle.dumps(tree)) - R.cross_validate(LINE, X, Y, folds=4),
        tree - R.cross_validate(LINE, X, Y, folds=4),
    )


def test_a_criterion_keeps_its_parts():
    there, here = pickle.loads(pickle.dumps(made("mallows_cp"))), made("mallows_cp")
    assert (there, vars(there)) == (here, vars(here))


def test_a_comparison_keeps_its_optimism():
    there, here = pickle.loads(pickle.dumps(made("compared"))), made("compared")
    assert there.optimism.value == here.optimism.value
    assert there.verdict == here.verdict


def test_answers_about_many_rows_that_pass_stay_behind(tmp_path, monkeypatch):
    import pyarrow as pa

    monkeypatch.setattr(route, "GLANCE", 100)
    for module in (cross_validation, paired_tests):
        monkeypatch.setattr(module, "MOST_ROWS", 100)
    file = in_parts(pa.table({"a": X[:, 0], "b": X[:, 1], "y": Y}), tmp_path / "parts", 3)
    first = R.cross_validate(LINE, file, "y")
    there = pickle.loads(pickle.dumps(first))
    assert_same(there, first)
    assert first.losses.shape == (N + 1,)
    with pytest.raises(WrongUse, match="stay with the result"):
        _ = there.losses
    other = R.cross_validate(Ridge(30.0), file, "y")
    assert (there - pickle.loads(pickle.dumps(other))).value == (first - other).value
