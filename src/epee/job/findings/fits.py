r"""Findings about the fit: overfitting, unstable folds, the edge of the grid, the winner's optimism, a test that disagrees.

Fold errors are unstable when they differ by more than their rows explain. The statistic is
:math:`Q = \sum_j n_j (\bar e_j - \bar e)^2 / s^2`; its law when the folds are exchangeable comes from permutations of the losses of
the rows, whose first three moments give the tail.
"""

from __future__ import annotations

import numpy as np

from epee.job.findings.chance import above, gamma_tail
from epee.job.findings.evidence import Evidence
from epee.job.findings.registry import Suspicion, clearest, finding
from epee.words.numbers import amount, figures, percent, plus_minus, points, whole
from epee.words.numbers import gap as difference

GAIN = 0.02  # of the error, on the last step of a grid
OPTIMISM = 0.1  # of the error
NONE = 1e-13  # of the variance: an error below is none


@finding("E001")
def overfitting(e: Evidence) -> Suspicion | None:
    """More than half of the error held out is not there in training: H0, the training error is at least half of it."""
    if e.entry is None:
        return None
    risk, curve = e.entry.risk, e.entry.curve
    train = float(np.asarray(curve.train, dtype=float)[curve.best])
    if not np.isfinite(train) or risk.value <= 0:
        return None
    spread = _fold_stderr(e)
    gap = risk.value - train
    p = above(risk.value - 2 * train, spread, dof=max(risk.n_folds - 1, 1))
    words = {
        "train": amount(train, spread, percent=e.is_rate),
        "cv": plus_minus(risk.value, spread, percent=e.is_rate),
        "gap": difference(gap, spread, rate=e.is_rate),
        "share": percent(gap / risk.value),
    }
    return Suspicion.about(p, words, gap, spread, names=[e.entry.name])


def _fold_stderr(e: Evidence) -> float:
    """Return a standard error of the cross-validated error: the largest of those at hand."""
    found = [e.entry.risk.stderr, e.entry.sure.stderr]
    losses = e.first_losses
    if losses is not None:
        seen = losses[np.isfinite(losses)]
        found.append(float(seen.std(ddof=1) / np.sqrt(len(seen))) if len(seen) > 1 else np.nan)
    return float(np.nanmax(found))


@finding("E004")
def unstable_folds(e: Evidence) -> Suspicion | None:
    """The folds differ by more than chance: H0, the rows are exchangeable."""
    losses = e.first_losses
    if losses is None or e.fold is None:
        return None
    seen = np.isfinite(losses) & (e.fold >= 0)
    x, fold = losses[seen], e.fold[seen]
    J = int(fold.max()) + 1 if len(fold) else 0
    counts = np.bincount(fold, minlength=J).astype(float)
    if J < 3 or len(x) < 5 * J or x.std() == 0 or (counts == 0).any():
        return None
    if e.one_number and e.y is not None and x.mean() <= NONE * np.var(e.y[e.train]):
        return None  # what rounding leaves
    x = (x - x.mean()) / x.std()

    def spread(values: np.ndarray) -> float:
        return float((np.bincount(fold, values, minlength=J) ** 2 / counts).sum())

    rng = np.random.default_rng(e.seed)
    drawn = np.array([spread(rng.permutation(x)) for _ in range(300 if len(x) <= 20_000 else 60)])
    Q = spread(x)
    sd, mean = float(losses[seen].std()), float(losses[seen].mean())
    between = sd * np.sqrt(max(Q - (J - 1), 0.0) / (counts.sum() - (counts**2).sum() / counts.sum()))
    p = gamma_tail(Q, drawn) if between > 0.25 * mean else 1.0
    by_fold = np.bincount(fold, losses[seen], minlength=J) / counts
    bar = between / np.sqrt(2 * (J - 1))
    words = {
        "low": amount(by_fold.min(), sd / np.sqrt(counts.mean()), percent=e.is_rate),
        "high": amount(by_fold.max(), sd / np.sqrt(counts.mean()), percent=e.is_rate),
        "between": difference(between, bar, rate=e.is_rate),
        "chance": points(sd / np.sqrt(counts.mean())) if e.is_rate else amount(sd / np.sqrt(counts.mean()), bar),
        "J": J,
    }
    return Suspicion(p, words, between, bar, max(between - 1.96 * bar, 0.0), between + 1.96 * bar)


@finding("E005")
def edge(e: Evidence) -> Suspicion | None:
    """The best value of a parameter is the last one tried: H0, the last step lowers the error by at most 2 %."""
    if e.verdict is None:
        return None
    found = []
    for i in sorted({e.verdict.chosen, e.verdict.best}):
        entry = e.verdict.entries[i]
        curve = entry.curve
        if curve.parameter is None or len(curve.values) < 3 or curve.best not in (0, len(curve.values) - 1):
            continue
        if curve.values[curve.best] == 1 and curve.parameter in ("n_neighbors", "shrinkage"):
            continue  # there is nothing beyond
        other = 1 if curve.best == 0 else curve.best - 1
        d = curve.losses[:, other] - curve.losses[:, curve.best]
        d = d[np.isfinite(d)]
        gain, bar = float(d.mean()), float(d.std(ddof=1) / np.sqrt(len(d)))
        p = above(gain, bar, GAIN * float(curve.cv[curve.best]))
        value = figures(curve.values[curve.best], 4)
        words = {"parameter": curve.parameter, "value": value, "gain": difference(gain, bar, rate=e.is_rate)}
        form = "" if curve.best else "simple"
        found.append(Suspicion.about(p, words, gain, bar, names=[entry.name], form=form))
    return clearest(found)


@finding("E016")
def optimism(e: Evidence) -> Suspicion | None:
    """The winner looks much better than it is: H0, by at most a tenth of its error.

    What is tested is the part of the optimism that shows inside the draws; its error bar leaves out parts of the rows.
    """
    v = e.verdict
    if v is None or len(v.entries) < 2 or v.corrected <= 0 or v.optimism.value <= OPTIMISM * v.corrected:
        return None
    value, bar = float(v.optimism.inside), v.optimism_error()
    p = above(value, bar, OPTIMISM * float(v.corrected))
    words = {
        "k": len(v.entries),
        "value": difference(v.optimism.value, bar, rate=e.is_rate, bar=False),
        "share": percent(v.optimism.value / v.corrected),
        "corrected": amount(v.corrected, bar, percent=e.is_rate),
    }
    return Suspicion.about(p, words, value, bar)


@finding("E017")
def disagreement(e: Evidence) -> Suspicion | None:
    """The sealed rows contradict the cross-validation: H0, both estimate the same error."""
    if e.risk is None or e.verdict is None or e.risk.n < 10:
        return None
    spread, expected, m = _fold_stderr(e), float(e.verdict.corrected), float(e.risk.n)
    n = float(e.entry.risk.n)
    if e.is_rate:
        rate = (expected * n + e.risk.value * m + 1) / (n + m + 2)
        bar = float(np.hypot(np.sqrt(rate * (1 - rate) / m), spread))
    else:
        scale = 0.0 if e.first_losses is None else float(np.nanstd(e.first_losses))
        bar = float(np.hypot(max(e.risk.stderr, scale / np.sqrt(m)), spread))
    gap = float(e.risk.value) - expected
    p = min(2 * above(abs(gap), bar, dof=m - 1), 1.0)
    words = {
        "test": plus_minus(e.risk.value, e.risk.stderr, percent=e.is_rate),
        "cv": plus_minus(expected, spread, percent=e.is_rate),
        "gap": difference(gap, bar, rate=e.is_rate),
        "m": whole(m),
    }
    return Suspicion.about(p, words, gap, bar, form="worse" if gap > 0 else "better")
