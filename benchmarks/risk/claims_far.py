"""Claims where inputs reach far out: shapes that a predictor misses there, powers of few rows, and neighbours that are weakly alike.

A column of prices, waits or tails is learned by a line or a power where the truth is a root, a logarithm or a bend; the truth is the mean
loss of the fitted predictor on 200,000 fresh rows, most of it that of rows farther out than the sample has. And errors that are alike
so little that a test at one percent finds it in half of the tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks.risk.claims import Claim, Outcome, inside
from benchmarks.risk.laws import autoregression

FRESH = 200_000
HOWS = ("fold", "nested", "leave-one-out", "hold-out")
INPUTS: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "prices": lambda r, n: np.exp(r.normal(size=(n, 1))),
    "three prices": lambda r, n: np.exp(r.normal(size=(n, 3))),
    "waits": lambda r, n: r.exponential(size=(n, 1)),
    "tails": lambda r, n: r.standard_t(5, size=(n, 1)),
    "normal": lambda r, n: r.normal(size=(n, 1)),
}
SHAPES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "line": lambda X: X.sum(axis=1),
    "root": lambda X: np.sqrt(np.abs(X)).sum(axis=1),
    "logarithm": lambda X: np.log(X).sum(axis=1),
    "bend": lambda X: np.abs(X).sum(axis=1),
}


class Missed(NamedTuple):
    """Inputs, the shape of the truth, the degree that is learned (0 is a small tree), and rows."""

    inputs: str
    shape: str
    degree: int
    n: int

    @property
    def law(self) -> str:
        """The law in words."""
        learned = {0: "a tree", 1: "a line"}.get(self.degree, f"a power of {self.degree}")
        return f"{learned} of {self.inputs} for a {self.shape}, n = {self.n}"

    def draw(self, r: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        """Return rows."""
        X = INPUTS[self.inputs](r, n)
        return X, SHAPES[self.shape](X) + 0.5 * r.normal(size=n)

    def make(self) -> Any:
        """Return what learns."""
        import epee

        if self.degree == 0:
            return epee.DecisionTreeRegressor(max_depth=4)
        return epee.LinearRegression() if self.degree == 1 else epee.PolynomialRegression(self.degree)


MISSED = (
    Missed("prices", "line", 1, 100), Missed("prices", "root", 1, 100), Missed("prices", "root", 1, 400),
    Missed("prices", "logarithm", 1, 100), Missed("three prices", "root", 1, 100), Missed("waits", "root", 1, 100),
    Missed("tails", "bend", 2, 200), Missed("normal", "bend", 1, 100), Missed("normal", "bend", 3, 60), Missed("normal", "bend", 4, 60),
    Missed("tails", "line", 1, 60), Missed("prices", "line", 0, 200),
)  # fmt: skip


@cache
def fresh(case: Missed) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows that tell the truth."""
    return case.draw(np.random.default_rng(77), FRESH)


def missed(case: Missed, how: str, r: np.random.Generator) -> Outcome:
    """The interval holds the error of the fitted predictor."""
    from epee.risk import cross_validate, holdout_error, loo

    X, y = case.draw(r, case.n)
    fitted, (new, truth) = case.make().fit(X, y), fresh(case)
    error = float(np.square(fitted.predict(new) - truth).mean())
    if how == "hold-out":
        return inside(holdout_error(fitted, *case.draw(r, case.n), level=0.9), error)
    if how == "leave-one-out":
        return inside(loo(case.make(), X, y, level=0.9), error)
    return inside(cross_validate(case.make(), X, y, interval=how, level=0.9), error)  # type: ignore[arg-type]


def answering(r: np.random.Generator, n: int, share: float) -> np.ndarray:
    """Return errors of which this share of the variance answers the last one's square."""
    e = np.zeros(n + 50)
    for i in range(1, n + 50):
        e[i] = np.sqrt(1 - share + share * e[i - 1] ** 2) * r.normal()
    return e[50:]


WEAK: dict[str, Callable[[np.random.Generator], np.ndarray]] = {
    "clumps of five, weakly alike": lambda r: np.sqrt(0.2) * np.repeat(r.normal(size=30), 5) + np.sqrt(0.8) * r.normal(size=150),
    "clumps of twenty, weakly alike": lambda r: np.sqrt(0.3) * np.repeat(r.normal(size=8), 20) + np.sqrt(0.7) * r.normal(size=160),
    "AR(0.2), n = 150": lambda r: np.sqrt(0.96) * autoregression(r, 150, 0.2),
    "a spread that answers a little, n = 150": lambda r: answering(r, 150, 0.35),
    "a spread that answers, n = 150": lambda r: answering(r, 150, 0.5),
    "nothing at all, n = 60": lambda r: r.normal(size=60),
}  # fmt: skip


def weak(law: str, how: str, r: np.random.Generator) -> Outcome:
    """The interval holds the error of a line whose errors are weakly alike, and nobody says so."""
    from epee import LinearRegression
    from epee.risk import cross_validate, loo

    e = WEAK[law](r)
    X = r.normal(size=(len(e), 3))
    y = X.sum(axis=1) + e
    m = LinearRegression().fit(X, y)
    truth = float(1 + ((m.coef_ - 1) ** 2).sum() + m.intercept_**2)
    found = loo(m, X, y, level=0.9) if how == "leave-one-out" else cross_validate(m, X, y, interval=how, level=0.9)  # type: ignore[arg-type]
    return inside(found, truth)


def claims() -> Iterator[Claim]:
    """Yield every claim with its law."""
    for case in MISSED:
        for how in HOWS if case.degree else ("fold", "hold-out"):
            yield Claim(how, case.law, 0.9, partial(missed, case, how))
    for law in WEAK:
        for how in ("fold", "nested", "leave-one-out"):
            yield Claim(f"{how}, undeclared", law, 0.9, partial(weak, law, how))
