r"""Findings about rows: outliers, drift, order, repeated rows, and rows that are in both samples.

An outlier is judged against an exponential tail fitted to the column itself. With :math:`q_{50}` and :math:`q_{95}` its median and
95 % quantile, a value at :math:`t` times :math:`q_{95} - q_{50}` above the median would be seen in :math:`n` rows with a probability of
at most

.. math:: n \, 10^{-t}, \tag{1}

and likewise below. A positive column is judged on its own scale and on that of its logarithm, and only what is far out on both
is called an outlier: incomes and durations are not.

Equal rows are no mistake where cells have few values; :mod:`epee.risk.copies` says how many chance would give.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from epee.job.findings.chance import correlation_above, fisher_interval, independent, share_interval, two_samples
from epee.job.findings.evidence import Evidence
from epee.job.findings.registry import Suspicion, clearest, finding
from epee.risk.copies import coincidence, enough, row_bits
from epee.risk.dependence import dependence
from epee.risk.estimate import Risk
from epee.typing import Codes, Vector
from epee.words.numbers import amount, interval, percent, plus_minus, whole

DRIFT = 0.1  # gap between distribution functions that matters
ORDER = 0.1  # correlation of neighbours that matters


def extreme(x: Vector, ordered: Vector | None = None) -> tuple[float, int]:
    """Return by (1) the p-value of the value that is furthest out, and where it is.

    It falls towards both ends of the finite values in order, ``ordered`` where that is known: one of the two is furthest out.

    >>> x = np.append(np.random.default_rng(0).normal(size=300), 60.0)
    >>> p, row = extreme(x)
    >>> p < 1e-6, row
    (True, 300)
    """
    ordered = np.sort(x[np.isfinite(x)]) if ordered is None else ordered
    if len(ordered) < 30 or np.count_nonzero(np.diff(ordered)) < 19:
        return 1.0, -1
    ends = ordered[[0, -1]]
    p = tail_chances(ends, ordered)
    if ordered[0] > 0:
        p = np.maximum(p, tail_chances(np.log(ends), np.log(ordered)))
    k = int(np.argmin(p))
    return float(p[k]), int(np.argmax(x == ends[k]))


def tail_chances(x: Vector, ordered: Vector) -> Vector:
    """Return (1) for some values of a column, given all of them in order."""
    low, middle, high = quantiles(ordered, np.array([0.05, 0.5, 0.95]))
    t = np.zeros(len(x))
    if high > middle:
        t = np.maximum((x - middle) / (high - middle), t)
    if low < middle:
        t = np.maximum((middle - x) / (middle - low), t)
    return np.minimum(len(ordered) * 10.0 ** -np.minimum(t, 300), 1.0)


def quantiles(ordered: Vector, shares: Vector) -> Vector:
    """Return quantiles of values in order, between two of them as the line goes.

    >>> quantiles(np.array([0.0, 1.0, 4.0]), np.array([0.25, 0.75]))
    array([0.5, 2.5])
    """
    place = shares * (len(ordered) - 1)
    below = np.floor(place).astype(np.intp)
    above = np.minimum(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


@finding("E012")
def target_outliers(e: Evidence) -> Suspicion | None:
    """A value of the target is far out: H0, the tails are exponential."""
    if not e.one_number or e.y is None:
        return None
    p, row = extreme(e.y)
    return None if row < 0 else _outlier(e.target, e.y, p, row)


@finding("E013")
def input_outliers(e: Evidence) -> Suspicion | None:
    """A value of an input is far out: H0, the tails are exponential."""
    found = []
    for name, x in e.numbers.items():
        if e.kinds.get(name, "number") == "number":
            p, row = extreme(x, e.sorted_cells(name))
            if row >= 0:
                found.append((p, name, row))
    if not found:
        return None
    p, name, row = min(found)
    return _outlier(name, e.numbers[name], min(p * len(found), 1.0), row)


def _outlier(name: str, x: Vector, p: float, row: int) -> Suspicion:
    there = x[np.isfinite(x)]
    low, high = np.quantile(there, [0.025, 0.975])
    chances = tail_chances(there, np.sort(there))
    k = max(int((chances < 1e-3).sum()), 1)
    spread = float(high - low)
    words = {
        "value": amount(x[row], spread / 100),
        "row": whole(row + 1),
        "k": whole(k),
        "n": whole(len(there)),
        "span": interval(low, high),
        "share": interval(*share_interval(k, len(there)), percent=True, digits=2),
    }
    return Suspicion(p, words, float(x[row]), None, float(low), float(high), [name], "several" if k > 1 else "")


@finding("E014")
def drift(e: Evidence) -> Suspicion | None:
    """The sealed rows are not like the training rows: H0, each column follows one law in both."""
    if min(len(e.train), len(e.test)) < 20:
        return None
    found: list[Suspicion] = []
    together = len(e.train) + len(e.test) == e.n  # the two samples are all rows, of which the order is known
    times = {column["name"] for column in e.columns if column.get("role") == "time"}  # later on purpose
    for name, x in e.numbers.items():
        if name in times:
            continue
        a, b = (x[rows][np.isfinite(x[rows])] for rows in (e.train, e.test))
        if min(len(a), len(b)) < 20:
            continue
        D, p = two_samples(a, b, e.sorted_cells(name) if together else None)
        gap, bar = float(b.mean() - a.mean()), float(np.sqrt(a.var() / len(a) + b.var() / len(b)))
        then, now = amount(a.mean(), bar), amount(b.mean(), bar)
        words = {"then": then, "now": now, "gap": plus_minus(gap, bar), "D": amount(D, 0.01)}
        found.append(Suspicion.about(p if D > DRIFT else 1.0, words, gap, bar, names=[name], form="number"))
    for name, codes in e.levels.items():
        K = int(codes.max()) + 2
        counts = np.stack([np.bincount(codes[rows] + 1, minlength=K) for rows in (e.train, e.test)]).astype(float)
        rates = counts / counts.sum(axis=1, keepdims=True)
        gaps = rates[1] - rates[0]
        k = int(np.argmax(np.abs(gaps)))
        p = independent(counts) if abs(gaps[k]) > DRIFT else 1.0
        bar = float(np.sqrt((rates[:, k] * (1 - rates[:, k]) / counts.sum(axis=1)).sum()))
        label = "?" if k == 0 else e.labels[name][k - 1]
        then, now = (percent(rate) for rate in rates[:, k])
        said = {"label": label, "then": then, "now": now, "gap": plus_minus(100 * gaps[k], 100 * bar)}
        found.append(Suspicion.about(p, said, float(gaps[k]), bar, names=[name], form="level"))
    best, shown = clearest(found), sum(s.p_value * len(found) < 1e-3 for s in found)
    if best is None or shown < 2:
        return best
    return replace(best, words=best.words | {"k": shown - 1}, form=best.form + "several")


@finding("E020")
def order(e: Evidence) -> Suspicion | None:
    """Errors of neighbouring rows are alike: H0, their correlation is at most 0.1."""
    left = left_over(e)
    if left is None:
        return None
    left = left if e.residuals is not None else less_class(left, e.codes[e.train])
    r = left[np.isfinite(left)]
    if not np.ptp(r) > 0:
        return None
    if e.residuals is not None:
        r = np.clip(r, *np.quantile(r, [0.01, 0.99]))
    r = r - r.mean()
    near = float((r[1:] * r[:-1]).sum() / (r**2).sum())
    ends = fisher_interval(near, len(r))
    words = {"r": amount(near, 0.01), "span": interval(*ends), "n": whole(len(r))}
    form = "told" if e.kin_told else ""
    return Suspicion(
        correlation_above(near, len(r), ORDER), words, near, float(1 / np.sqrt(len(r) - 3)), *ends, form=form
    )


def left_over(e: Evidence) -> Vector | None:
    """Return what the chosen predictor leaves over on the training rows, held out; None where that is too little to show kinship."""
    if e.ordered or e.first_losses is None or len(e.train) < 50:
        return None
    if e.residuals is not None:
        r = e.residuals[0]
    elif e.classes is not None:
        losses = e.first_losses
        if min((losses > 0).sum(), (losses == 0).sum()) < 10:
            return None  # too few errors to have an order
        r = losses
    else:
        return None
    seen = r[np.isfinite(r)]
    return None if len(seen) < 50 or np.ptp(seen) == 0 else r


def less_class(losses: Vector, codes: Codes) -> Vector:
    """Return losses less the mean of their class: a table sorted by class is no time series."""
    seen = np.isfinite(losses)
    K = int(codes.max()) + 1
    many, total = np.bincount(codes[seen], minlength=K), np.bincount(codes[seen], losses[seen], minlength=K)
    return losses - (total / np.maximum(many, 1))[codes]


@finding("E025")
def kin(e: Evidence) -> Suspicion | None:
    """Errors of rows that share a value, or are nearest, are alike: H0, they are no more so than chance makes them."""
    r = left_over(e)
    if r is None:
        return None
    X = np.column_stack([e.numbers[name][e.train] for name in e.numbers]) if e.numbers else None
    if X is not None and not np.isfinite(X).any(axis=0).all():
        X = None  # a column without a cell
    classes = None if e.residuals is not None else e.codes[e.train]
    columns = [(name, codes[e.train]) for name, codes in e.levels.items()]
    tried = dependence(r, X, columns=columns, classes=classes, seed=e.seed)
    tried = [d for d in tried if d.kind in ("column", "clumps", "nearest")]
    if not tried or tried[0].correlation <= 0:
        return None
    d, n = tried[0], int(np.isfinite(r).sum())
    names = list(e.numbers)
    name = names[int(d.name)] if d.name.isdigit() and d.name not in e.levels else d.name
    words = {"name": name, "r": amount(d.correlation, 0.01), "effect": amount(d.effect, 0.1), "n": whole(n)}
    ends = fisher_interval(min(d.correlation, 0.999), n)
    p = min(d.p_value, 1.0) if d.correlation > ORDER / 2 else 1.0
    form = "told" if e.kin_told else ""
    return Suspicion(p, words, d.correlation, None, *ends, [name] if d.kind == "column" else [], f"{d.kind}{form}")


@finding("E022")
def repeated(e: Evidence) -> Suspicion | None:
    """Rows occur again, more often than chance explains: H0, by chance."""
    if e.n < 20 or not e.names:
        return None
    again, p = coincidence(e.bits, np.arange(e.n), None)
    words = {"k": whole(again), "n": whole(e.n)}
    return Suspicion.of_share(p if enough(again, e.n) else 1.0, words, again, e.n, digits=1)


@finding("E023")
def twins(e: Evidence) -> Suspicion | None:
    """Sealed rows are in the training rows too, more often than chance explains: H0, by chance."""
    if min(len(e.train), len(e.test)) < 10:
        return None
    again, p = coincidence(e.bits, e.train, e.test)
    m = len(e.test)
    words = {"k": whole(again), "m": whole(m)}
    form = ""
    if isinstance(e.risk, Risk) and e.risk.losses is not None and len(e.risk.losses) == m and m - again > 1 and again:
        with np.errstate(over="ignore"):
            total = row_bits(e.bits)
        known = np.isin(total[e.test], total[e.train])
        fresh = e.risk.losses[~known]
        words |= {
            "all": plus_minus(e.risk.value, e.risk.stderr, percent=e.risk.is_rate),
            "fresh": plus_minus(fresh.mean(), fresh.std(ddof=1) / np.sqrt(len(fresh)), percent=e.risk.is_rate),
        }
        form = "error"
    return Suspicion.of_share(p if enough(again, m) else 1.0, words, again, m, form=form)
