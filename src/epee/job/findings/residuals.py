"""Findings about the residuals of a regression, held out: a few rows that carry the error, and a spread that changes."""

from __future__ import annotations

import numpy as np

from epee.job.findings.chance import above
from epee.job.findings.evidence import Evidence
from epee.job.findings.registry import Suspicion, finding
from epee.job.findings.rows import extreme
from epee.words.numbers import amount, figures, interval, percent, whole

HEAVY = 0.3  # share of the squared error that the worst 1 % of the rows carry; a normal law gives 8 %
FEWEST, ONE_ROW = 30, 0.5  # rows, and the share of the error that one of them may carry
UNEQUAL = 1.5  # ratio of spreads


@finding("E018")
def heavy_tails(e: Evidence) -> Suspicion | None:
    """One row in a hundred carries much of the squared error: H0, at most 30 % of it."""
    if e.residuals is None:
        return None
    r = e.residuals[0]
    squares = r[np.isfinite(r)] ** 2
    n = len(squares)
    alone = _one_row(e)
    if alone is not None:
        return alone
    if n < 200 or squares.sum() == 0:
        return None
    top = max(round(n / 100), 1)

    def carried(values: np.ndarray) -> float:
        return float(np.partition(values, n - top)[n - top :].sum() / values.sum())

    rng = np.random.default_rng(e.seed)
    share = carried(squares)
    bar = float(np.std([carried(squares[rng.integers(0, n, n)]) for _ in range(100 if n <= 50_000 else 20)]))
    low, high = max(share - 1.96 * bar, 0.0), min(share + 1.96 * bar, 1.0)
    words = {"k": whole(top), "n": whole(n), "share": percent(share), "span": interval(low, high, percent=True)}
    return Suspicion(above(share, bar, HEAVY), words, share, bar, low, high)


def _one_row(e: Evidence) -> Suspicion | None:
    """One row makes half of the error: H0, the sizes of the residuals have an exponential tail."""
    assert e.residuals is not None and e.y is not None
    r, predicted = e.residuals
    seen = np.flatnonzero(np.isfinite(r))
    squares = r[seen] ** 2
    n, total = len(squares), float(squares.sum())
    if n < FEWEST or not total > 0 or squares.max() < ONE_ROW * total:
        return None
    k = int(np.argmax(squares))
    p, place = extreme(np.abs(r))
    place = seen[k] if place < 0 else place
    share = float(squares[k] / total)
    row = int(e.train[place])
    words = {
        "n": whole(n), "share": percent(share), "row": whole(row + 1), "truth": figures(float(e.y[row]), 4),
        "said": figures(float(predicted[place]), 4),
    }  # fmt: skip
    return Suspicion(p, words, share, form="one")


@finding("E019")
def unequal_spread(e: Evidence) -> Suspicion | None:
    """The spread of the residuals changes with the prediction: H0, by a factor of at most 1.5 between the lowest and the highest third."""
    if e.residuals is None:
        return None
    r, predicted = e.residuals
    seen = np.isfinite(r) & np.isfinite(predicted)
    r, predicted = np.abs(r[seen]), predicted[seen]
    if len(r) < 60 or np.ptp(predicted) == 0:
        return None
    low_cut, high_cut = np.quantile(predicted, [1 / 3, 2 / 3])
    a, b = r[predicted <= low_cut], r[predicted >= high_cut]
    if min(len(a), len(b)) < 20 or min(a.mean(), b.mean()) <= 0:
        return None
    log_ratio = float(np.log(b.mean() / a.mean()))
    bar = float(np.sqrt(a.var(ddof=1) / len(a) / a.mean() ** 2 + b.var(ddof=1) / len(b) / b.mean() ** 2))
    p = min(2 * above(abs(log_ratio), bar, float(np.log(UNEQUAL))), 1.0)
    sign = 1 if log_ratio > 0 else -1
    ratio = float(np.exp(abs(log_ratio)))
    low, high = (float(np.exp(abs(log_ratio) + z * bar)) for z in (-1.96, 1.96))
    words = {"ratio": amount(ratio, 0.1), "span": interval(low, high)}
    return Suspicion(p, words, ratio, ratio * bar, low, high, form="high" if sign > 0 else "low")
