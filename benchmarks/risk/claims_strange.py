"""Claims under laws that the intervals were not made with: inputs, targets and classes as tables have them.

The laws are those of :mod:`benchmarks.risk.table_laws`. The truth is the mean loss of the fitted predictor on 60,000 fresh rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from typing import Any

import numpy as np

from benchmarks.risk.claims import Claim, Outcome, inside
from benchmarks.risk.table_laws import LAWS, Table

FRESH = 60_000


@cache
def fresh(law: str) -> Table:
    """Return the rows that tell the truth."""
    return LAWS[law].draw(np.random.default_rng(99), FRESH)


def model_of(law: str, kind: str) -> Any:
    """Return a way of learning: a linear one, or a small tree."""
    import epee

    if LAWS[law].classes:
        return epee.DecisionTreeClassifier(max_depth=3) if kind == "tree" else epee.LinearDiscriminantAnalysis()
    return epee.DecisionTreeRegressor(max_depth=3) if kind == "tree" else epee.LinearRegression()


def true_error(law: str, model: Any, columns: Any = slice(None)) -> float:
    """Return the mean loss on fresh rows: squared, or of labels."""
    X, y = fresh(law)
    said = model.predict(X[:, columns])
    return float(np.mean(said != y) if LAWS[law].classes else np.mean((said - y) ** 2))


def learned_from(law: str, r: np.random.Generator, times: int = 1) -> Table:
    """Return a table to learn from: one in which each class has three rows at least, for others are refused."""
    while True:
        X, y = LAWS[law].draw(r, times * LAWS[law].n)
        if not LAWS[law].classes or np.bincount(y, minlength=int(fresh(law)[1].max()) + 1).min() >= 3:
            return X, y


def estimated(law: str, how: str, kind: str, r: np.random.Generator) -> Outcome:
    """The interval holds the error of the predictor that all rows teach."""
    from epee.risk import cross_validate, holdout_error, loo

    n, (X, y) = LAWS[law].n, learned_from(law, r)
    fitted = model_of(law, kind).fit(X, y)
    truth = true_error(law, fitted)
    if how == "hold-out":
        return inside(holdout_error(fitted, *LAWS[law].draw(r, n), level=0.9), truth)
    if how == "leave-one-out":
        return inside(loo(model_of(law, kind), X, y, level=0.9), truth)
    repeats = 1 if how == "fold" else 3 if kind == "tree" else 20
    return inside(cross_validate(model_of(law, kind), X, y, interval=how, repeats=repeats, level=0.9), truth)


def equally_good(law: str, r: np.random.Generator) -> Outcome:
    """Two predictors, each of two inputs of four that are alike, are not told apart."""
    from epee.risk import cross_validate
    from epee.risk.paired_tests import corrected_difference

    X, y = learned_from(law, r)
    a, b = (cross_validate(model_of(law, "line"), half, y, repeats=5) for half in (X[:, :2], X[:, 2:]))
    found = corrected_difference(a, b, 0.95)
    return found.p_value >= 0.05, bool(found.caution)


def sealed(law: str, r: np.random.Generator) -> Outcome:
    """The interval of the sealed rows of ``learn`` holds the error of what it learned."""
    import pandas as pd

    import epee

    X, y = learned_from(law, r, 2)
    labels = np.array(list("abcde"))
    names = list("wxyz")
    target = labels[y] if LAWS[law].classes else y
    keys, types = (["lda", "tree"], {}) if LAWS[law].classes else (["linear", "tree"], {"target": "number"})
    frame = pd.DataFrame(X, columns=names).assign(target=target)
    learned = epee.learn(frame, "target", predictors=keys, level=0.9, types=types)
    X, y = fresh(law)
    said = np.asarray(learned.predictor.predict(pd.DataFrame(X, columns=names)))
    truth = np.mean(said != labels[y]) if LAWS[law].classes else np.mean((said - y) ** 2)
    return inside(learned.risk, float(truth))


def claims() -> Iterator[Claim]:
    """Yield every claim with its law."""
    for law in LAWS:
        for how in ("hold-out", "leave-one-out", "fold", "nested"):
            yield Claim(how, f"a linear predictor, {law}", 0.9, partial(estimated, law, how, "line"))
        for how in ("fold", "nested"):
            yield Claim(how, f"a small tree, {law}", 0.9, partial(estimated, law, how, "tree"), slow=True)
        yield Claim("verdict at 5 %", f"two equal predictors, {law}", 0.95, partial(equally_good, law))
        yield Claim("learn, sealed rows", law, 0.9, partial(sealed, law), slow=True)
