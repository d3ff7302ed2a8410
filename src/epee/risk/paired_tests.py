r"""Are two predictors different? Tests that know what the figures share.

The differences :math:`d_j` of two predictors on the :math:`J` folds of a (repeated) cross-validation come from training samples that
overlap, so their variance of the mean is not :math:`s^2 / J`. Nadeau and Bengio's correction adds the share of test to training rows,

.. math:: t = \frac{\bar d}{\sqrt{\bigl(\frac1J + \frac{n_{test}}{n_{train}}\bigr) s^2}}, \qquad J - 1 \text{ degrees of freedom;} \tag{1}

the naive test alarms in most cases where there is nothing. Where predictors vary a lot from table to table (1) still alarms too often,
since folds share what they learned. Halves of the table share nothing (:mod:`epee.risk.halves`), and of the two tests the more careful one
is told; where rows were told to come from groups, the spread of their sums is a third. With more columns than training rows
predictors nearly interpolate: the difference then carries a caution. Where the differences of
the rows are skewed, so is their mean, and :math:`t` is what Hall's transformation leaves of it (:mod:`epee.risk.skewed`). Fewer than five
folds leave fewer degrees of freedom than figures: :math:`K - 1`, since repeats draw the same rows again. Folds that all differ by the same
amount show no spread; the smallest p-value that K signs can give, :math:`2^{1-K}`, then stands for the test. On one test sample, McNemar's
test looks only at the rows where one predictor is right and the other wrong. The shares :math:`a, b` of rows where only the one, or only
the other, is wrong are two cells of a multinomial law, of correlation :math:`-\sqrt{ab / ((1 - a)(1 - b))}`: with Wilson's interval of each
this gives that of :math:`a - b` (:func:`~epee.risk.intervals.interval_of_difference`), which is no point where none was seen. On two
independent samples rates are compared by :math:`z = (\tau_1 - \tau_2) / \sqrt{s_1^2 + s_2^2}`, with the errors :math:`s` of rates that are
equal, as the test supposes: those of the rate of all rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from scipy import special

from epee.errors import DataError, WrongUse
from epee.risk.estimate import Difference, difference
from epee.risk.intervals import (
    Interval,
    check_level,
    interval_of_difference,
    normal_p_value,
    t_p_value,
    t_quantile,
    wilson,
)
from epee.risk.skewed import skewed_ratio, skewed_reach, too_dominant
from epee.risk.units import units_of
from epee.typing import Matrix, Vector
from epee.words.numbers import whole
from epee.words.risk_words import say

FEWEST_FOLDS = 5
MOST_ROWS = 20_000  # whose mean may still be skewed, and whose losses are looked at again for it


def corrected_t(
    d: Vector, overlap: float, level: float = 0.95, n: float = math.nan, loss: str = "", folds: int | None = None
) -> Difference:
    """Return the mean of differences by fold with the corrected test (1).

    ``overlap`` is n_test / n_train; ``folds`` are the folds of one repeat, by default as many as there are differences.

    >>> round(corrected_t(np.array([0.01, 0.03, 0.02, 0.02]), 1 / 3, folds=10).p_value, 3)
    0.049
    >>> round(corrected_t(np.array([0.1, 0.1]), 1.0).p_value, 3)
    0.5
    """
    d = d[np.isfinite(d)]
    J = len(d)
    if J < 2:
        raise DataError(f"a paired test needs at least 2 folds; there is {J}.")
    K = J if folds is None else folds
    dof = J - 1 if K >= FEWEST_FOLDS else K - 1
    value, spread = float(d.mean()), float(d.std(ddof=1))
    how = "paired by fold, corrected for shared training rows"
    if value != 0 and spread <= 1e-12 * abs(value):
        least = 2.0 ** (1 - K)
        return difference(value, abs(value) / t_quantile(1 - least, dof), dof, level, n, loss, how)
    return difference(value, math.sqrt(1 / J + overlap) * spread, dof, level, n, loss, how)


def corrected_difference(a: Any, b: Any, level: float) -> Difference:
    """Return the difference of two cross-validations on the same folds, by the more careful one of (1) and of halves of the table."""
    tested = float(a.sizes[a.sizes > 0].mean())
    found = corrected_t(a.per_fold - b.per_fold, tested / (a.n - tested), level, a.n, a.loss, a.n_folds)
    apart = in_halves(a, b, found)
    found = apart if apart is not None and apart.p_value > found.p_value else found
    of_units = in_groups(a, b, found)
    found = of_units if of_units is not None and of_units.p_value > found.p_value else found
    found = by_rows(a, b, found) if found.value or found.stderr or not found.is_rate else as_rates(a, b, found)
    kin = a.kin or b.kin
    found = crowded(found, max(a.columns, b.columns), a.n - tested)
    few = "" if of_units is None else of_units.caution
    return replace(found, kin=kin, caution=" ".join(filter(None, [kin, few, found.caution])))


def as_rates(a: Any, b: Any, found: Difference) -> Difference:
    """Return a difference of two error rates that is 0 in all folds with the interval of :func:`mcnemar`, which is no point."""
    half, n = 0.0, a.n
    if _at_hand(a, b):
        apart = np.abs(a.losses - b.losses).reshape(-1, a.losses.shape[-1]).mean(axis=0)
        seen = np.isfinite(apart)
        half = float(np.average(apart[seen], weights=None if a.weight is None else a.weight[seen])) / 2
        n = n if a.in_units is None else min(n, a.in_units(apart).n)  # groups, where they were told
    rates = paired_rates(half * n, half * n, n, found.level, found.how)
    return replace(found, stderr=rates.stderr, interval=rates.interval, ends_at=rates.ends_at)


def in_groups(a: Any, b: Any, found: Difference) -> Difference | None:
    """Return a difference with the error bar of the groups that rows were told to come from, and a caution where these are few."""
    if a.in_units is None or not _at_hand(a, b):
        return None
    units = a.in_units(np.reshape(a.losses - b.losses, (-1, a.losses.shape[-1])).mean(axis=0))
    many, dof = units.independent()
    n = whole(min(many, units.effective))
    caution = say(f"caution {units.doubt}", n=n) if units.doubt else ""
    bar = units.spread()[0] / math.sqrt(many)
    how = f"paired by fold, error bar from {units.n:.0f} groups"
    told = difference(found.value, bar, dof, found.level, found.n, found.loss, how) if bar > 0 and dof > 0 else found
    return replace(told, caution=caution)


def _at_hand(a: Any, b: Any) -> bool:
    """Tell whether the losses of the rows are known, and few enough to be looked at."""
    return bool(a.n <= MOST_ROWS) and all(c.row_losses is not None or c.look is not None for c in (a, b))


def by_rows(a: Any, b: Any, found: Difference) -> Difference:
    """Return a difference that knows how skewed those of the rows are: less sure by as much, and with a caution where a few make it.

    The interval is longer to the side where the tail lies, or may lie; the test is less sure where that is the side of 0.
    """
    if not _at_hand(a, b) or found.is_rate or not found.p_value < 1 or not math.isfinite(found.stderr):
        return found
    both = np.stack([a.losses - b.losses, a.losses, b.losses]).reshape(3, -1, a.losses.shape[-1]).mean(axis=1)
    seen = np.isfinite(both).all(axis=0)
    weight = None if a.weight is None else a.weight[seen]
    units = [units_of(row[seen], weight) if a.in_units is None else a.in_units(row) for row in both]
    n = found.n if a.in_units is None else min(found.n, units[0].n)
    (sd, skewness), *own = (unit.spread() for unit in units)
    t = found.value / found.stderr if found.stderr > 0 else 0.0
    ratio = skewed_ratio(t, found.dof, skewness, n)
    if skewness and found.stderr > 0:
        ends_at = partial(_towards_tail, found.value, found.stderr, found.dof, ratio, skewness, n)
        p = t_p_value(ratio * t, found.dof) if ratio < 1 else found.p_value
        found = replace(found, p_value=p, interval=ends_at(found.level), ends_at=ends_at)
    apart = [(sd, skewness), *(known for known in own if known[0] <= sd)]  # what both get wrong makes no difference
    few = any(too_dominant(abs(of), n) for _, of in apart)
    return replace(found, caution=say("caution few differ")) if few else found


def _towards_tail(
    value: float, stderr: float, dof: float, ratio: float, skewness: float, n: float, level: float
) -> Interval:
    """Return the interval that is longer to the side of the tail; towards 0 it leaves 0 out where t, ``ratio`` times as large, does."""
    t = t_quantile(level, dof)
    half = reach = t * stderr
    if value * skewness >= 0:
        reach *= skewed_reach(t, dof, skewness, n)
    else:
        reach = min(half / ratio if ratio > 0 else math.inf, abs(value) + half)
    return Interval(value - half, value + reach) if skewness > 0 else Interval(value - reach, value + half)


def in_halves(a: Any, b: Any, found: Difference) -> Difference | None:
    """Return a difference with the error bar that halves of the folds show (:mod:`epee.risk.halves`); None where they do not."""
    if a.halves is None or b.halves is None or not found.p_value < 1:
        return None
    from epee.risk.halves import variance_by_halves  # knows routes, and they scikit-learn: findings are told without

    many = min(len(a.halves.means), len(b.halves.means))
    inside, d = a.halves.means[:many] - b.halves.means[:many], (a.per_fold - b.per_fold).reshape(a.repeats, -1)
    variance = variance_by_halves(inside, d) if many else 0.0
    if not variance > 0:
        return None
    how = "paired by fold, error bar from halves of the table"
    return difference(found.value, math.sqrt(variance), a.n_folds - 1, found.level, found.n, found.loss, how)


def crowded(found: Difference, columns: int, learned: float) -> Difference:
    """Return a difference with a caution where predictors saw more columns than rows: folds then share far more than (1) knows."""
    if columns < learned:
        return found
    return replace(found, caution=say("caution columns", p=columns, n=int(learned)))


def of_pairs(M: int, figure: Callable[[int, int], float]) -> Matrix:
    """Return a figure of all pairs (M, M), the same both ways; 1 on the diagonal."""
    out, (i, j) = np.ones((M, M)), np.tril_indices(M, -1)
    out[i, j] = out[j, i] = [figure(int(a), int(b)) for a, b in zip(i, j, strict=True)]
    return out


def over_pairs(p: Matrix) -> Matrix:
    """Return the p-values (M, M) of pairs, adjusted by Holm's rule for having looked at all of them.

    Whoever compares the others with the *best* has looked at all pairs to find it: an adjustment for the M - 1 pairs that are then printed
    alarms in twice as many cases as it says.

    >>> over_pairs(of_pairs(3, lambda i, j: 0.01 * (i + j)))[0].tolist()
    [1.0, 0.03, 0.04]
    """
    out, (i, j) = np.ones_like(p), np.tril_indices(len(p), -1)
    out[i, j] = out[j, i] = holm(p[i, j])
    return out


def adjusted_together(p: Matrix, losses: Matrix, against: int | None = None, draws: int = 20_000) -> Matrix:
    r"""Return p-values (M, M) of pairs adjusted for having looked at all of them, or at all pairs with one candidate.

    Candidates that are alike err on the same rows, so many pairs are hardly more than one. If nothing is different, the mean losses
    vary like :math:`\mathcal N(0, C / n)` with :math:`C` the covariance of the losses, and an adjusted p-value is the chance that the
    largest of all standardised differences exceeds the one at hand (Westfall and Young, 1993). Never above Bonferroni's.

    Parameters
    ----------
    p : array (M, M)
        Of each pair alone.
    losses : array (n, M)
        Of the same rows.
    against : int, optional
        The candidate that the others are compared with.

    >>> rng = np.random.default_rng(0)
    >>> common, p = rng.normal(size=(500, 1)), np.full((6, 6), 0.01)
    >>> beside = np.column_stack([rng.normal(size=500), common + 0.01 * rng.normal(size=(500, 5))])
    >>> bool(adjusted_together(p, beside, against=0)[0, 1] < 0.013), bool(adjusted_together(p, beside)[0, 1] > 0.05)
    (True, True)
    """
    M = len(p)
    i, j = np.tril_indices(M, -1)
    if against is not None:
        kept = (i == against) | (j == against)
        i, j = i[kept], j[kept]
    C = np.atleast_2d(np.cov(losses, rowvar=False)) if len(losses) > 1 else np.zeros((M, M))
    variance = C[i, i] + C[j, j] - 2 * C[i, j]
    least = 1e-12 * max(float(np.diagonal(C).max(initial=0.0)), 1e-300)
    told = variance > least  # equal candidates have nothing to tell
    out, raw = np.ones((M, M)), p[i, j]
    found = np.minimum(raw * max(int(told.sum()), 1), 1.0)
    if told.any():
        values, V = np.linalg.eigh(C)
        g = np.random.default_rng(0).normal(size=(draws, M)) @ (V * np.sqrt(np.maximum(values, 0.0))).T
        lines, largest = np.ascontiguousarray(g.T), np.zeros(draws)
        for a, b, bar in zip(i[told], j[told], np.sqrt(variance[told]), strict=True):  # a pair stays in the cache
            largest = np.maximum(largest, np.abs(lines[a] - lines[b]) / bar)
        z = -special.ndtri(np.clip(raw / 2, 1e-300, 0.5))
        beyond = 1 - np.searchsorted(np.sort(largest), z, side="left") / draws
        found = np.minimum(found, np.maximum(beyond + 1 / draws, raw))
    out[i, j] = out[j, i] = found
    return out


def holm(p: Vector, shares: Vector | None = None) -> Vector:
    """Return p-values adjusted for having looked at all of them (Holm, 1979), each with its share of the level, or all with the same.

    >>> holm(np.array([0.01, 0.04, 0.03])), holm(np.array([0.01, 0.04, 0.03]), np.array([2, 1, 1]))
    (array([0.03, 0.06, 0.06]), array([0.02, 0.06, 0.06]))
    """
    p = np.asarray(p, dtype=float)
    w = np.ones(len(p)) if shares is None else np.asarray(shares, dtype=float)
    order = np.argsort(p / w)
    left = np.cumsum(w[order][::-1])[::-1]
    raised = np.maximum.accumulate(p[order] / w[order] * left)
    out = np.empty_like(p)
    out[order] = np.minimum(raised, 1.0)
    return out


def mcnemar(y: Any, a: Any, b: Any, *, level: float = 0.95) -> Difference:
    r"""Test whether two predictors have the same error rate on the same rows, by McNemar's exact test.

    Of the :math:`m` rows where exactly one of them is wrong, half should be the errors of each: a binomial law.

    Parameters
    ----------
    y : array (n,)
        True labels.
    a, b : arrays (n,)
        Labels predicted by the two.
    level : float, default=0.95

    Returns
    -------
    Difference
        Error rate of ``a`` minus that of ``b``, with ``p_value``.

    References
    ----------
    McNemar, "Note on the sampling error of the difference between correlated proportions", *Psychometrika* 12, 1947.

    Examples
    --------
    >>> y = np.zeros(20); a = y.copy(); b = y.copy(); a[:8] = 1; b[7:9] = 1
    >>> round(mcnemar(y, a, b).p_value, 4)
    0.0703
    """
    check_level(level)
    y, a, b = np.asarray(y), np.asarray(a), np.asarray(b)
    if not (y.shape == a.shape == b.shape and y.ndim == 1 and len(y)):
        raise DataError(
            f"y, a and b must be vectors of the same length; they have shapes {y.shape}, {a.shape} and {b.shape}."
        )
    wrong_a, wrong_b = a != y, b != y
    only_a, only_b = int((wrong_a & ~wrong_b).sum()), int((wrong_b & ~wrong_a).sum())
    how = f"McNemar's exact test: {only_a} rows where only the first is wrong, {only_b} where only the second is"
    return paired_rates(only_a, only_b, len(y), level, how)


def paired_rates(only_a: float, only_b: float, n: float, level: float, how: str) -> Difference:
    """Return the difference of two rates of the same ``n`` rows, of which so many are errors of the one or of the other only.

    >>> found = paired_rates(0, 0, 30, 0.9, "")
    >>> round(found.low, 3), round(found.high, 3), found.p_value
    (-0.083, 0.083, 1.0)
    """
    a, b, m, k = only_a / n, only_b / n, only_a + only_b, min(only_a, only_b)
    p = 1.0 if m == 0 else min(1.0, 2 * float(special.betainc(m - k, k + 1, 0.5)))  # the binomial law
    stderr = math.sqrt(max(a + b - (a - b) ** 2, 0.0) / (n - 1)) if n > 1 else 0.0
    ends_at = partial(_paired_ends, a, b, n)
    return Difference(a - b, stderr, ends_at(level), level, n, "zero_one", how, p_value=p, ends_at=ends_at)


def _paired_ends(a: float, b: float, n: float, level: float) -> Interval:
    correlation = -math.sqrt(a * b / ((1 - a) * (1 - b))) if a * b > 0 else 0.0
    return interval_of_difference(a, wilson(a, n, level), b, wilson(b, n, level), correlation)


def compare_rates(successes_a: float, n_a: float, successes_b: float, n_b: float, *, level: float = 0.95) -> Difference:
    r"""Compare two rates found on independent samples: :math:`z = (\tau_1 - \tau_2) / \sqrt{s_1^2 + s_2^2}`.

    Parameters
    ----------
    successes_a, n_a, successes_b, n_b : numbers
        How often, and out of how many.
    level : float, default=0.95

    Returns
    -------
    Difference
        Rate of a minus rate of b, with Newcombe's interval (from Wilson's for each) and ``p_value``, for which both rates are one.

    References
    ----------
    Newcombe, "Interval estimation for the difference between independent proportions", *Statistics in Medicine* 17, 1998.

    Examples
    --------
    >>> found = compare_rates(90, 100, 80, 100)
    >>> round(found.value, 3), round(found.p_value, 3)
    (0.1, 0.048)
    """
    check_level(level)
    for k, n in ((successes_a, n_a), (successes_b, n_b)):
        if not (n > 0 and 0 <= k <= n):
            raise WrongUse(f"{k} successes out of {n} is no rate: give 0 <= successes <= n and n > 0.")
    a, b = successes_a / n_a, successes_b / n_b
    stderr = math.sqrt(a * (1 - a) / n_a + b * (1 - b) / n_b)
    both = (successes_a + successes_b) / (n_a + n_b)
    scale = math.sqrt(both * (1 - both) * (1 / n_a + 1 / n_b))
    p = normal_p_value((a - b) / scale) if scale > 0 else 1.0
    ends_at = partial(_rates_ends, a, n_a, b, n_b)
    return Difference(
        a - b, stderr, ends_at(level), level, n_a + n_b, "rate", "independent samples", p_value=p, ends_at=ends_at
    )


def _rates_ends(a: float, n_a: float, b: float, n_b: float, level: float) -> Interval:
    return interval_of_difference(a, wilson(a, n_a, level), b, wilson(b, n_b, level))
