"""Findings about missing cells: many of them, and missing for a reason that the target or other columns know."""

from __future__ import annotations

import numpy as np

from epee.job.findings.chance import at_most, independent, share_interval
from epee.job.findings.evidence import Evidence
from epee.job.findings.registry import Suspicion, finding
from epee.risk.intervals import t_p_value
from epee.words.numbers import amount, interval, percent, plus_minus, whole

MANY = 0.3
FEWEST = 10  # cells on each side of a comparison


@finding("E010")
def many_missing(e: Evidence) -> Suspicion | None:
    """Many cells of a column are missing: H0, at most 30 % are."""
    counts = {name: int(e.missing(name).sum()) for name in e.names}
    if not counts or e.n < 10:
        return None
    name = max(counts, key=lambda key: counts[key])
    k, others = counts[name], sum(1 for value in counts.values() if value > MANY * e.n) - 1
    ends = share_interval(k, e.n)
    p = min(at_most(k, e.n, MANY) * len(counts), 1.0)
    words = {
        "name": name,
        "share": percent(k / e.n),
        "span": interval(*ends, percent=True),
        "k": whole(k),
        "others": max(others, 0),
    }
    return Suspicion(p, words, k / e.n, None, *ends, names=[name], form="several" if others > 0 else "")


@finding("E011")
def missing_for_a_reason(e: Evidence) -> Suspicion | None:
    """Where a cell is missing, the target differs (without a target: another column): H0, it does not."""
    holes = [name for name in e.names if FEWEST <= e.missing(name).sum() <= e.n - FEWEST]
    if not holes:
        return None
    found: list[Suspicion] = []
    looked = 0
    for name in holes:
        gone = e.missing(name)
        if e.task == "classification":
            looked += 1
            found.append(_by_class(e, name, gone))
        elif e.one_number and e.y is not None:
            looked += 1
            found.append(_by_number(name, e.target, gone, e.y))
        elif e.task is None:
            for other, x in e.numbers.items():
                if other != name and np.isfinite(x[gone]).sum() >= FEWEST and np.isfinite(x[~gone]).sum() >= FEWEST:
                    looked += 1
                    found.append(_by_number(name, other, gone & np.isfinite(x), x, ~gone & np.isfinite(x)))
    if not found:
        return None
    best = min(found, key=lambda s: s.p_value)
    return Suspicion(
        min(best.p_value * looked, 1.0), best.words, best.value, best.stderr, best.low, best.high, best.names, best.form
    )


def _by_class(e: Evidence, name: str, gone: np.ndarray) -> Suspicion:
    assert e.classes is not None
    K = len(e.classes)
    counts = np.stack([np.bincount(e.codes[rows], minlength=K) for rows in (gone, ~gone)]).astype(float)
    rates = counts / counts.sum(axis=1, keepdims=True)
    gaps = np.abs(rates[0] - rates[1])
    k = int(np.argmax(gaps))
    p = independent(counts) if gaps[k] > 0.1 else 1.0
    bar = float(np.sqrt((rates[:, k] * (1 - rates[:, k]) / counts.sum(axis=1)).sum()))
    gap = float(rates[0, k] - rates[1, k])
    words = {
        "name": name,
        "target": e.target,
        "label": str(e.classes[k]),
        "gone": percent(rates[0, k]),
        "there": percent(rates[1, k]),
        "gap": plus_minus(100 * gap, 100 * bar),
    }
    return Suspicion(p, words, gap, bar, gap - 1.96 * bar, gap + 1.96 * bar, [name], "class")


def _by_number(name: str, other: str, gone: np.ndarray, y: np.ndarray, there: np.ndarray | None = None) -> Suspicion:
    a, b = y[gone], y[~gone if there is None else there]
    gap = float(a.mean() - b.mean())
    bar = float(np.sqrt(a.var(ddof=1) / len(a) + b.var(ddof=1) / len(b)))
    matters = abs(gap) > 0.3 * float(b.std()) and bar > 0
    # few missing cells: Student's law with the degrees of freedom of the smaller side, which never claims too much
    p = t_p_value(gap / bar, min(len(a), len(b)) - 1) if matters else 1.0
    words = {
        "name": name,
        "target": other,
        "gone": amount(a.mean(), bar),
        "there": amount(b.mean(), bar),
        "gap": plus_minus(gap, bar),
    }
    return Suspicion(p, words, gap, bar, gap - 1.96 * bar, gap + 1.96 * bar, [name, other], "number")
