"""Is the error that ``learn`` gives its chosen predictor, corrected for the choice, right on average, and does its interval cover?

Tables of a known law are learned from whole (``test_size=0``), so that the corrected error is the figure that is shown. The truth is the
error of the chosen predictor, as it learned from all rows, on fresh rows, whose noise is left out of the draw and added as its variance.
The contest judges predictors that learned from nine rows of ten; what that adds is no fault of the choice, and is told beside: the true
errors of the chosen predictor fitted to nine tenths of the rows. The noise of the very rows (the mean of their squared noise, or how many
are on the wrong side of the best frontier) has a known expectation, and is taken off by a regression over the tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from benchmarks.risk.claims_learning import surface

FRESH, PARTS = 4_000, 3
TEN = "10"
OWN = "10, each with a column of its own"

CANDIDATES: dict[str, dict[str, tuple[str, ...]]] = {
    "numbers": {
        "2 merges": ("linear", "ridge"),
        "4, two refitted": ("linear", "ridge", "tree", "neighbours"),
        TEN: ("linear", "ridge", "lasso", "additive", "products", "tree", "neighbours", "kernel", "forest", "combination"),
    },
    "classes": {
        "2 merges": ("naive_bayes", "lda"),
        "4, two refitted": ("naive_bayes", "lda", "tree", "neighbours"),
        TEN: ("naive_bayes", "lda", "least_squares", "fisher", "logistic", "qda", "tree", "neighbours", "kernel", "combination"),
    },
}  # fmt: skip


@dataclass(frozen=True)
class Learning:
    """A law of tables, how many rows, and who is tried."""

    kind: str
    law: str
    candidates: str
    rows: int

    @property
    def words(self) -> str:
        """The case in one line."""
        return f"{self.kind}, {self.law}, {self.candidates}, {self.rows}, learn"

    def tells(self, X: np.ndarray) -> np.ndarray:
        """Return the mean of the target, or the log-odds of its class."""
        if self.law == "nothing":
            return np.full(len(X), -0.3)  # 35 % of the classes: were they even, the majority of a table would be luck
        return 0.5 * X.sum(axis=1) if self.law == "linear" else surface(X)


def learnings() -> Iterator[Learning]:
    """Yield the cases, the quick ones first."""
    few, some, _ = CANDIDATES["numbers"]
    for candidates, law, rows in (
        (few, "nothing", 100), (few, "linear", 60), (some, "linear", 60), (some, "bent", 150), (OWN, "linear", 100), (TEN, "bent", 100),
    ):  # fmt: skip
        for kind in CANDIDATES:
            yield Learning(kind, law, candidates, rows)


def own_columns(kind: str) -> dict[str, Any]:
    """Return ten predictors of one column each, which are refitted."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer

    from epee import LinearDiscriminantAnalysis, LinearRegression

    def of(j: int) -> Any:
        last = LinearRegression() if kind == "numbers" else LinearDiscriminantAnalysis()
        return make_pipeline(FunctionTransformer(column, kw_args={"j": j}), last)

    return {f"column {j}": of(j) for j in range(10)}


def column(X: Any, j: int) -> np.ndarray:
    """Return one column."""
    return np.asarray(X)[:, [j]]


def drawn(case: Learning, seed: int) -> tuple[Any, np.ndarray, Callable[[Any], float], list[float]]:
    """Return a table, fresh inputs, what gives the true error of answers to them, and two noises of expectation 0 of the table."""
    import pandas as pd

    r = np.random.default_rng([seed, case.rows, len(case.candidates)])
    n, p = case.rows, 10 if case.candidates == OWN else 4
    X, fresh = r.normal(size=(n, p)), np.random.default_rng(1).normal(size=(FRESH, p))
    here, later = case.tells(X), case.tells(fresh)
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(p)])
    used = [[j] for j in range(p)] if case.candidates == OWN else [list(range(p))]
    if case.kind == "numbers":
        noise = r.normal(size=n)
        frame["y"] = here + noise

        def truth(said: Any) -> float:
            return float(1 + ((np.asarray(said) - later) ** 2).mean())

        luck = float((noise**2).mean() - 1)
        return frame, fresh, truth, [luck, by_lines(X, here + noise, fresh, truth, used, r, classes=False)]
    chance, later = 1 / (1 + np.exp(-2 * here)), 1 / (1 + np.exp(-2 * later))
    up = r.random(n) < chance
    frame["y"] = np.where(up, "yes", "no")

    def rate(said: Any) -> float:
        return float(np.where(np.asarray(said) == "yes", 1 - later, later).mean())

    luck = float(np.where(chance > 0.5, ~up, up).mean() - np.minimum(chance, 1 - chance).mean())
    return frame, fresh, rate, [luck, by_lines(X, np.where(up, 1.0, -1.0), fresh, rate, used, r, classes=True)]


def by_lines(
    X: np.ndarray, y: np.ndarray, fresh: np.ndarray, truth: Callable[[Any], float], used: list[list[int]], r: Any, *, classes: bool
) -> float:  # fmt: skip
    """Return a cross-validated error of least squares less the true errors of the very models of its folds: of expectation 0."""
    fold, gaps = r.permutation(len(y)) % 10, []
    for columns in used:
        A, B = (np.column_stack([np.ones(len(Z)), Z[:, columns]]) for Z in (X, fresh))
        for k in range(10):
            b = np.linalg.lstsq(A[fold != k], y[fold != k], rcond=None)[0]
            said, later = A[fold == k] @ b, B @ b
            lost = ((said > 0) != (y[fold == k] > 0)) if classes else (said - y[fold == k]) ** 2
            gaps.append(lost.mean() - truth(np.where(later > 0, "yes", "no") if classes else later))
    return float(np.mean(gaps))


def learn_once(work: tuple[Learning, int]) -> tuple[float, ...]:
    """Return the errors of one table: apparent, corrected by draws, corrected, true, true of nine tenths of the rows; and more.

    More are two noises of the table, and low end, high end and middle of the interval at 95 %.
    """
    import pandas as pd
    from sklearn.base import clone

    import epee

    case, seed = work
    frame, fresh, truth, luck = drawn(case, seed)
    wanted = own_columns(case.kind) if case.candidates == OWN else list(CANDIDATES[case.kind][case.candidates])
    found = epee.learn(frame, "y", test_size=0, predictors=wanted, random_state=seed)
    rows, new = (encoded_by(found.predictor, a) for a in (frame, pd.DataFrame(fresh, columns=frame.columns[:-1])))
    part, y = np.random.default_rng(seed).permutation(len(rows)) % 10, frame["y"].to_numpy()
    fewer = [truth(clone(found.predictor.model).fit(rows[part != k], y[part != k]).predict(new)) for k in range(PARTS)]
    v, risk = found.contest, found.risk
    by_draws = replace(v, nested=None).corrected
    errors = float(v.values[v.chosen]), by_draws, v.corrected, truth(found.predictor.model.predict(new))
    return *errors, float(np.mean(fewer)), *luck, risk.low, risk.high, risk.value


def encoded_by(predictor: Any, frame: Any) -> np.ndarray:
    """Return a table as the model behind a predictor sees it."""
    from epee.job.holding import columns_of

    source = predictor.open(frame)
    return np.asarray(predictor.encode(columns_of(source, source.names)))


def settled(values: np.ndarray, luck: np.ndarray) -> tuple[float, float]:
    """Return the mean of some values and its standard error, without what goes with noises (N, 2) of expectation 0."""
    A = np.column_stack([np.ones(len(luck)), luck])
    fit = np.linalg.lstsq(A, values, rcond=None)[0]
    return float(fit[0]), float((values - A @ fit).std(ddof=A.shape[1]) / np.sqrt(len(values)))


HEADS = [
    "| target | law | candidates | rows | true error | apparent | corrected by draws | corrected | of this by 9/10 of the rows "
    "| left by the choice | interval covers |",
    "|---|---|---|---|---|---|---|---|---|---|---|",
]


def told(case: Learning, found: np.ndarray) -> str:
    """Return a row of the table, in percent of the true error."""
    apparent, draws, corrected, true, fewer, luck, other, low, high, _ = found.T
    noises, mean = np.column_stack([luck, other]), true.mean()
    gaps = apparent - true, draws - true, corrected - true, fewer - true, corrected - fewer
    cells = " | ".join("{:+.1f} ± {:.1f} %".format(*(100 * v for v in settled(gap / mean, noises))) for gap in gaps)
    held = float(((low <= true) & (true <= high)).mean())
    return f"| {case.kind} | {case.law} | {case.candidates} | {case.rows} | {mean:.3f} | {cells} | {100 * held:.1f} % |"
