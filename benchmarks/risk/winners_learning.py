r"""Is the error that ``learn`` gives its chosen predictor, corrected for the choice, right on average, and does its interval cover?

Tables of a known law are learned from whole (``test_size=0``), so that the corrected error is the figure that is shown. The truth is the
error of the chosen predictor, as it learned from all rows, on fresh rows, whose noise is left out of the draw and added as its variance.
The contest judges predictors that learned from nine rows of ten; what that adds is no fault of the choice, and is told beside: the true
errors of the chosen predictor fitted to nine tenths of the rows.

Most of what a corrected error is off by is the luck of its table, which a few tables do not average out. Control variates do. A candidate
at a value of its parameter that no data chose has cross-validated losses :math:`L_i` by models :math:`f_{-k(i)}` of the folds, and

.. math:: M = \frac1n \sum_i \big[L_i(f_{-k(i)}) - R(f_{-k(i)})\big], \qquad E\,M = 0 \tag{1}

with R the true error of the very model. One M of each candidate, and the noise of the rows (the mean of their squared noise, or how many
are on the wrong side of the best frontier), are taken off by a regression over the tables. The fresh rows are others for each table, and
the error rate of the best frontier, which no predictor changes, is that of a million rows: luck of fresh rows that all tables share would
be taken for a bias.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from benchmarks.risk.claims_learning import surface

FRESH, MANY, FOLDS, PARTS = 4_000, 1_000_000, 10, 3
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
    def columns(self) -> int:
        """How many inputs there are."""
        return 10 if self.candidates == OWN else 4

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


@cache
def least(case: Learning) -> float:
    """Return the error of the best possible predictor, of the law's noise alone."""
    if case.kind == "numbers":
        return 1.0
    X = np.random.default_rng(1).normal(size=(MANY, case.columns))
    chance = 1 / (1 + np.exp(-2 * case.tells(X)))
    return float(np.minimum(chance, 1 - chance).mean())


def drawn(case: Learning, seed: int) -> tuple[Any, np.ndarray, Callable[[Any], float], float]:
    """Return a table, fresh inputs, what gives the true error of answers to them, and a noise of expectation 0 of the table."""
    import pandas as pd

    r = np.random.default_rng([seed, case.rows, len(case.candidates)])
    n, p, best = case.rows, case.columns, least(case)
    X, fresh = r.normal(size=(n, p)), np.random.default_rng([1, seed]).normal(size=(FRESH, p))
    here, later = case.tells(X), case.tells(fresh)
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(p)])
    if case.kind == "numbers":
        noise = r.normal(size=n)
        frame["y"] = here + noise
        return (
            frame,
            fresh,
            lambda said: best + float(((np.asarray(said) - later) ** 2).mean()),
            float((noise**2).mean() - 1),
        )
    chance, later = 1 / (1 + np.exp(-2 * here)), 1 / (1 + np.exp(-2 * later))
    up = r.random(n) < chance
    frame["y"] = np.where(up, "yes", "no")

    def rate(said: Any) -> float:
        return best + float((np.abs(2 * later - 1) * ((np.asarray(said) == "yes") != (later > 0.5))).mean())

    return frame, fresh, rate, float(np.where(chance > 0.5, ~up, up).mean() - best)


def noises(
    fold: np.ndarray, found: Any, X: np.ndarray, y: np.ndarray, fresh: np.ndarray, truth: Callable[[Any], float]
) -> list[float]:
    """Return (1) of each candidate but forests, which are slow, and those who are made of others.

    The folds are dealt at random: in those of the contest, which have equal shares of every class, E M is not 0.
    """
    from sklearn.base import clone

    entries, ground, _ = found.contest.nested.args
    out = []
    for entry in (e for e in entries if not e.members and e.candidate.key != "forest"):
        grid = entry.candidate.grid(ground.setting)
        model, gaps = entry.candidate.model(ground.setting, grid[len(grid) // 2]), np.zeros(FOLDS)
        for k in range(FOLDS):
            fitted = clone(model).fit(X[fold != k], y[fold != k])
            said, held = fitted.predict(X[fold == k]), y[fold == k]
            lost = said != held if y.dtype.kind in "OU" else (said - held) ** 2
            gaps[k] = lost.mean() - truth(fitted.predict(fresh))
        out.append(float(np.average(gaps, weights=np.bincount(fold))))
    return out


def learn_once(work: tuple[Learning, int]) -> tuple[float, ...]:
    """Return the errors of one table: apparent, corrected by draws, corrected, true, true of nine tenths of the rows; and more.

    More are low and high end of the interval at 95 %, whether it is marked with a caution, and noises of expectation 0 of the table.
    """
    import pandas as pd
    from sklearn.base import clone

    import epee

    case, seed = work
    frame, fresh, truth, luck = drawn(case, seed)
    wanted = own_columns(case.kind) if case.candidates == OWN else list(CANDIDATES[case.kind][case.candidates])
    found = epee.learn(frame, "y", test_size=0, predictors=wanted, random_state=seed)
    rows, new = (encoded_by(found.predictor, a) for a in (frame, pd.DataFrame(fresh, columns=frame.columns[:-1])))
    part, y = np.random.default_rng(seed).permutation(len(rows)) % FOLDS, frame["y"].to_numpy()
    fewer = [truth(clone(found.predictor.model).fit(rows[part != k], y[part != k]).predict(new)) for k in range(PARTS)]
    v, risk = found.contest, found.risk
    by_draws = replace(v, nested=None).corrected
    errors = float(v.values[v.chosen]), by_draws, v.corrected, truth(found.predictor.model.predict(new))
    return (
        *errors,
        float(np.mean(fewer)),
        risk.low,
        risk.high,
        bool(risk.caution),
        luck,
        *noises(part, found, rows, y, new, truth),
    )


def encoded_by(predictor: Any, frame: Any) -> np.ndarray:
    """Return a table as the model behind a predictor sees it."""
    from epee.job.holding import columns_of

    source = predictor.open(frame)
    return np.asarray(predictor.encode(columns_of(source, source.names)))


def settled(values: np.ndarray, luck: np.ndarray) -> tuple[float, float]:
    """Return the mean of some values (N,) and its standard error, without what goes with noises (N, M) of expectation 0."""
    A = np.column_stack([np.ones(len(luck)), luck])
    fit = np.linalg.lstsq(A, values, rcond=None)[0]
    spread = (values - A @ fit).std(ddof=A.shape[1])
    return float(fit[0]), float(spread * np.sqrt(np.linalg.pinv(A.T @ A)[0, 0]))


HEADS = [
    "| target | law | candidates | rows | true error | apparent | corrected by draws | corrected | of this by 9/10 of the rows "
    "| left by the choice | interval covers | tables | left, plain | interval below the truth | marked |",
    "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|",
]


def told(case: Learning, found: np.ndarray) -> str:
    """Return a row of the table, in percent of the true error."""
    apparent, draws, corrected, true, fewer, low, high, marked = found[:, :8].T
    mean, left = true.mean(), corrected - fewer
    gaps = apparent - true, draws - true, corrected - true, fewer - true, left
    cells = " | ".join(percent(*settled(gap / mean, found[:, 8:])) for gap in gaps)
    plain = percent(*settled(left / mean, found[:, :0]))
    held, beyond = ((low <= true) & (true <= high)).mean(), (true > high).mean()
    first = f"| {case.kind} | {case.law} | {case.candidates} | {case.rows} | {mean:.3f} | {cells} | {100 * held:.1f} % "
    return f"{first}| {len(found)} | {plain} | {100 * beyond:.1f} % | {100 * marked.mean():.1f} % |"


def percent(value: float, bar: float) -> str:
    """Return a share with its standard error."""
    return f"{100 * value:+.1f} ± {100 * bar:.1f} %"
