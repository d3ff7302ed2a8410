"""Findings about missing cells: many of them, and missing for a reason that the target or other columns know."""

from __future__ import annotations

import numpy as np

from epee.job.findings.chance import at_most, independent
from epee.job.findings.evidence import Evidence
from epee.job.findings.registry import Suspicion, clearest, finding
from epee.risk.intervals import t_p_value
from epee.words.numbers import amount, percent, plus_minus, whole

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
    p = min(at_most(k, e.n, MANY) * len(counts), 1.0)
    words = {"k": whole(k), "others": max(others, 0)}
    return Suspicion.of_share(p, words, k, e.n, names=[name], form="several" if others > 0 else "")


@finding("E011")
def missing_for_a_reason(e: Evidence) -> Suspicion | None:
    """Where a cell is missing, the target differs (without a target: another column): H0, it does not."""
    holes = [name for name in e.names if FEWEST <= e.missing(name).sum() <= e.n - FEWEST]
    found: list[Suspicion] = []
    for name in holes:
        gone = e.missing(name)
        if e.task == "classification":
            found.append(_by_class(e, name, gone))
        elif e.one_number and e.y is not None:
            found.append(_by_number(name, e.target, gone, e.y))
        elif e.task is None:
            for other, x in e.numbers.items():
                if other != name and np.isfinite(x[gone]).sum() >= FEWEST and np.isfinite(x[~gone]).sum() >= FEWEST:
                    found.append(_by_number(name, other, gone & np.isfinite(x), x, ~gone & np.isfinite(x)))
    return clearest(found)


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
        "target": e.target,
        "label": str(e.classes[k]),
        "gone": percent(rates[0, k]),
        "there": percent(rates[1, k]),
        "gap": plus_minus(100 * gap, 100 * bar),
    }
    return Suspicion.about(p, words, gap, bar, names=[name], form="class")


def _by_number(name: str, other: str, gone: np.ndarray, y: np.ndarray, there: np.ndarray | None = None) -> Suspicion:
    a, b = y[gone], y[~gone if there is None else there]
    gap = float(a.mean() - b.mean())
    bar = float(np.sqrt(a.var(ddof=1) / len(a) + b.var(ddof=1) / len(b)))
    matters = abs(gap) > 0.3 * float(b.std()) and bar > 0
    # few missing cells: Student's law with the degrees of freedom of the smaller side, which never claims too much
    p = t_p_value(gap / bar, min(len(a), len(b)) - 1) if matters else 1.0
    without, with_it = amount(a.mean(), bar), amount(b.mean(), bar)
    words = {"target": other, "gone": without, "there": with_it, "gap": plus_minus(gap, bar)}
    return Suspicion.about(p, words, gap, bar, names=[name, other], form="number")
