r"""Minimising a risk with an L1 term: proximal Newton steps.

At :math:`W` with gradient :math:`g` and metric :math:`H` the next weights minimise

.. math:: g^\top (V - W) + \tfrac12 (V - W)^\top H (V - W) + \sum_j \lambda_j |V_j|, \tag{1}

a small problem that coordinate descent solves without touching the rows. The gradient is that of the whole table while
:math:`H` comes from a sample of it and is mended after each pass by the BFGS rule, so a pass is one gradient; the fixed
point is the exact minimum whatever the metric. With very many columns only those that are not at 0, or are about to
leave it, enter (1); thousands of sparse ones are swept without a matrix, see :mod:`epee.optimize.linear_columns`.

References: Lee, Sun and Saunders, "Proximal Newton-type methods", *SIAM Journal on Optimization*, 2014.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from epee.engines.local import one_blas_thread
from epee.optimize.descent import Trace
from epee.optimize.linear_columns import goes_by_columns, minimise_columns
from epee.optimize.linear_descent import FEWEST_ROWS, THINNING, Minimum, flat, held
from epee.optimize.linear_risk import LinearRisk
from epee.typing import Codes, Matrix, Vector

WORKING = 1500  # coordinates that enter (1) at once
SHARE = 0.01  # of the weight of the penalty: a subgradient that is small


def violation(W: Matrix, gradient: Matrix, l1: Vector) -> Matrix:
    """Return how far each coordinate is from optimal: the smallest subgradient in absolute value."""
    lam = l1[:, None]
    return np.where(W != 0, np.abs(gradient + lam * np.sign(W)), np.maximum(np.abs(gradient) - lam, 0.0))


def minimise_sparse(
    risk: LinearRisk, W: Matrix | None = None, *, tol: float = 1e-4, max_iter: int = 100, levels: bool = True,
    watch: Callable[[Matrix], None] | None = None,
) -> Minimum:  # fmt: skip
    """Minimise a risk with an L1 (or elastic) penalty."""
    n = risk.source.n_rows
    tol = min(
        tol, SHARE * float(risk.l1.max())
    )  # a slope that is nothing beside others may be all that the penalty weighs
    if goes_by_columns(risk):
        return minimise_columns(risk, W, tol, max_iter, watch, violation)
    enough = max(FEWEST_ROWS, 8 * min(risk.unknowns, WORKING))
    sample = risk
    if levels and (n is None or n >= 4 * enough):
        sample = risk.some_rows(max(enough, (n or 40 * enough) // THINNING))
        if n is None or held(sample) < 0.5 * n:
            rough = max(tol, 0.05 / np.sqrt(held(sample)))
            W = minimise_sparse(sample, W, tol=rough, max_iter=max_iter).W
        else:
            sample = risk
    W = np.zeros((risk.d, risk.M)) if W is None else W.copy()
    small = n is not None and n * risk.unknowns <= 2e6
    with one_blas_thread():
        return _descend(risk, sample, W, tol, min(tol, 1e-9) if small else tol, max_iter, watch)


def _working_set(risk: LinearRisk, W: Matrix, gradient: Matrix, tol: float) -> Codes:
    """Return the columns that may move: all when they are few, else those off 0 and the worst of the others."""
    p = risk.source.n_columns
    most = max(50, WORKING // risk.M)
    if p <= most:
        return np.arange(p)
    wrong = violation(W, gradient, risk.l1)[:p].max(axis=1)
    wrong[(W[:p] != 0).any(axis=1)] += 1e300
    chosen = np.argsort(-wrong, kind="stable")[:most]
    return np.sort(chosen[wrong[chosen] > min(tol, 1e-9) / 10])


def _descend(
    risk: LinearRisk,
    sample: LinearRisk,
    W: Matrix,
    tol: float,
    polish: float,
    max_iter: int,
    watch: Callable[[Matrix], None] | None,
) -> Minimum:
    from epee.kernels.linear_cd import threshold_sweeps

    value, gradient = risk.at(W)
    if not value <= risk.at_zero():  # the sample has misled
        W = np.zeros_like(W)
        value, gradient = risk.at(W)
    trace = Trace()
    size = float(violation(W, gradient, risk.l1).max())
    trace.add(flat(W), value, size, 0.0)
    H: Matrix | None = None
    columns = np.empty(0, dtype=np.intp)
    k, why = 0, ""
    for k in range(max_iter + 1):
        if size <= polish or k == max_iter:
            break
        wanted = _working_set(risk, W, gradient, tol)
        if H is None or not np.isin(wanted, columns).all():
            columns = wanted
            H = _safe(sample.hessian(W, columns))
        rows = np.append(columns, risk.d - 1) if risk.bias else columns
        lam = np.tile(risk.l1[rows], risk.M)
        w, g = flat(W[rows]), flat(gradient[rows])
        v = threshold_sweeps(H, g, w, lam, 1e-3 * max(min(size, tol), 1e-12), 2000)
        d = v - w
        promised = float(g @ d + (lam * (np.abs(v) - np.abs(w))).sum())
        if not promised < 0:
            why = "no step lowers the risk any more"
            break
        step, new = 1.0, W
        for _ in range(40):
            new = W.copy()
            new[rows] = ((w + step * d) if step < 1 else v).reshape(risk.M, len(rows)).T
            there, after = risk.at(new)
            worse = float(violation(new, after, risk.l1).max())
            close = abs(there - value) <= 1e-13 * max(1.0, abs(value))
            if there <= value + 1e-4 * step * promised or (close and worse < size):
                break
            step *= 0.5
        else:
            why = "no step lowers the risk any more"
            break
        if watch is not None:
            watch(new)
        if worse > 0.5 * size or step < 1:
            source = risk if worse > 0.5 * size and k >= 3 and risk.M == 1 else sample
            H = _safe(source.hessian(new, columns))
        else:
            H = mend(H, step * d, flat(after[rows]) - g)
        W, value, gradient, size = new, there, after, worse
        trace.add(flat(W), value, size, step)
    converged = size <= tol
    reason = (
        f"the largest subgradient {size:.2g} is at most tol = {tol:g}"
        if converged
        else f"{why or f'max_iter = {max_iter} steps were taken'}; the largest subgradient is {size:.2g}"
    )
    return Minimum(W, value, gradient, converged, reason, k, trace)


def _safe(H: Matrix) -> Matrix:
    """Lift the diagonal a little: copies of a column make H singular, and coordinate descent slow."""
    H[np.diag_indices_from(H)] *= 1 + 1e-10
    H[np.diag_indices_from(H)] += 1e-12 * max(float(np.diag(H).max(initial=0.0)), 1e-300)
    return np.ascontiguousarray(H)


def mend(H: Matrix, s: Vector, change: Vector) -> Matrix:
    """Return the BFGS update of the Hessian itself, which meets H s = change."""
    curvature, Hs = float(s @ change), H @ s
    if not curvature > 1e-12 * float(np.linalg.norm(s) * np.linalg.norm(change)):
        return H
    return H + np.outer(change, change) / curvature - np.outer(Hs, Hs) / float(s @ Hs)
