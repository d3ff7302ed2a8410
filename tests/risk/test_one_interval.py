"""The same table has the same interval by every road: skewness, dependence, copies and weights are looked at wherever the rows lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.utils import get_tags

from epee import DecisionTreeClassifier, LinearDiscriminantAnalysis, LinearRegression, Ridge
from epee.risk import compare, cross_validate, holdout_error, learning_curve, loo, route
from epee.table.arrays import ArraySource
from tests.elsewhere.libraries import ABSENT, sender
from tests.job.roads import in_parts

N = 160


@dataclass
class Case:
    """A table, a way of learning, and what is asked of it; ``said`` is what the rows must have shown."""

    model: Any
    X: np.ndarray
    y: np.ndarray
    said: str
    weight: np.ndarray | None = None
    more: dict[str, Any] | None = None


def cases() -> dict[str, Case]:
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(N, 3)), 6)
    X[:, 1] *= rng.random(N) < 0.7  # cells that a sparse matrix does not hold
    line, e = X @ [1.0, -1.0, 0.5], rng.normal(size=N)
    drift = np.zeros(N)
    for i in range(1, N):
        drift[i] = 0.8 * drift[i - 1] + e[i]
    twice = np.repeat(np.arange(N // 2), 2)
    w = rng.uniform(0.5, 2.0, N)
    return {
        "skewed": Case(LinearRegression(), X, line + rng.exponential(size=N) ** 1.5, "largest losses"),
        "in time": Case(Ridge(), X, line + drift, "follow each other"),
        "classes": Case(LinearDiscriminantAnalysis(), X, (line + e > 0) * 1, ""),
        "log loss": Case(LinearDiscriminantAnalysis(), X, (line + e > 0) * 1, "", more={"loss": "log", "repeats": 2}),
        "copies": Case(LinearRegression(), X[twice], (line + e)[twice], "copies of a row together"),
        "tree on copies": Case(DecisionTreeClassifier(), X[twice], (line + e > 0)[twice] * 1, "copies of a row together"),
        "nested": Case(LinearRegression(), X, line + e**2, "nested", more={"interval": "nested", "repeats": 2}),
        "sampling weights": Case(Ridge(), X, line + e**2, "sampling weights", w * N / w.sum()),
        "counts": Case(LinearDiscriminantAnalysis(), X, (line + e > 0) * 1, "counts", np.ceil(2 * w)),
        "said to be sampled": Case(Ridge(), X, line + e, "sampling", np.ceil(2 * w), {"weights": "sampling"}),
    }  # fmt: skip


CASES = cases()


def roads(case: Case, folder: Any, every: bool = True) -> dict[str, tuple[Any, Any, Any]]:
    """Return inputs, target and weights by every road, or by one of each kind."""
    import dask.array as da

    columns = {f"x{j}": case.X[:, j] for j in range(case.X.shape[1])} | {"y": case.y}
    weight = None if case.weight is None else "w"
    table = pa.table(columns if weight is None else columns | {"w": case.weight})
    table.to_pandas().to_csv(folder / "t.csv", index=False)
    frame = pd.DataFrame(case.X, columns=["a", "b", "c"])
    send = sender(next(library for library in ABSENT if not ABSENT[library]))
    found = {
        "lists": (case.X.tolist(), case.y, case.weight),
        "pandas": (frame, case.y, case.weight),
        "source": (ArraySource(case.X, case.y, case.weight), None, None),
        "csv": (str(folder / "t.csv"), "y", weight),
        "parquet in parts": (in_parts(table, folder / "p7", 7), "y", weight),
        "dask": tuple(None if a is None else da.from_array(a, chunks=(50, 3)[: a.ndim]) for a in (case.X, case.y, case.weight)),
        "device": tuple(None if a is None else send(a) for a in (case.X, case.y, case.weight)),
    }  # fmt: skip
    if get_tags(case.model).input_tags.sparse:
        found["sparse"] = sparse.csr_array(case.X), case.y, case.weight
    return found if every else {road: found[road] for road in ("source", "csv", "device", "sparse") if road in found}


def figures(found: Any) -> list[float]:
    half = found.at(0.5)
    return [found.value, found.stderr, *found.interval, *half.interval, found.n]


@pytest.mark.filterwarnings("ignore::epee.errors.EngineWarning")
@pytest.mark.parametrize("name", list(CASES))
def test_every_road_gives_the_same_interval(name, tmp_path):
    case = CASES[name]
    more = case.more or {}
    first = cross_validate(case.model, case.X, case.y, sample_weight=case.weight, **more)
    assert case.said in first.how + first.caution
    for road, (X, y, w) in roads(case, tmp_path, name in ("skewed", "copies", "sampling weights")).items():
        found = cross_validate(case.model, X, y, sample_weight=w, **more)
        np.testing.assert_allclose(figures(found), figures(first), rtol=1e-9, atol=1e-12, err_msg=road)
        assert (found.caution, found.kin, found.how) == (first.caution, first.kin, first.how), road


def test_comparisons_held_out_rows_and_left_out_ones_are_the_same_by_every_road(tmp_path):
    case = CASES["in time"]
    models = {"line": LinearRegression(), "ridge": Ridge(30.0)}
    fitted = LinearRegression().fit(case.X[:20] + 0.5, case.y[:20])
    ask = {
        "compare": lambda X, y: compare(models, X, y, repeats=2),
        "held out": lambda X, y: holdout_error(fitted, X, y),
        "left out": lambda X, y: loo(Ridge(), X, y),
    }
    first = {how: call(case.X, case.y) for how, call in ask.items()}
    assert "follow each other" in first["held out"].caution and "follow each other" in first["left out"].caution
    for road, (X, y, _) in roads(case, tmp_path, every=False).items():
        for how, call in ask.items():
            found, here = call(X, y), first[how]
            if how == "compare":
                assert found.verdict == here.verdict and "follow each other" in found.verdict, road
                np.testing.assert_allclose(found.optimism.value, here.optimism.value, rtol=1e-7, err_msg=road)
                found, here = found.risks[1], here.risks[1]
            np.testing.assert_allclose(figures(found), figures(here), rtol=1e-9, err_msg=f"{road}, {how}")
            assert found.caution == here.caution, (road, how)


@pytest.mark.parametrize("name", ["copies", "classes", "tree on copies"])
def test_learning_curves_are_the_same_by_every_road(name, tmp_path):
    case = CASES[name]
    first = learning_curve(case.model, case.X, case.y, sizes=4, folds=5)
    for road, (X, y, _) in roads(case, tmp_path, every=False).items():
        found = learning_curve(case.model, X, y, sizes=4, folds=5)
        for what in ("sizes", "train", "test", "stderr"):
            np.testing.assert_allclose(
                getattr(found, what), getattr(first, what), rtol=1e-9, atol=1e-12, err_msg=f"{road}, {what}"
            )


def test_larger_tables_are_looked_at_on_no_road(tmp_path, monkeypatch):
    monkeypatch.setattr(route, "GLANCE", N)
    case = CASES["skewed"]
    first = cross_validate(case.model, case.X, case.y)
    assert not first.caution
    for road, (X, y, w) in roads(case, tmp_path, every=False).items():
        found = cross_validate(case.model, X, y, sample_weight=w)
        np.testing.assert_allclose(figures(found), figures(first), rtol=1e-9, err_msg=road)
