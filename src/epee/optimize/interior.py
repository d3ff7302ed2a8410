r"""The hinge with an L2 penalty and a free bias, solved exactly: an interior-point method whose steps are weighted Gram
matrices.

With :math:`t_i = \pm 1` and :math:`u_i = w_i / (\alpha \sum w)`, minimising
:math:`\frac12 \|w\|^2 + \sum_i u_i \max(0, 1 - t_i(w^\top x_i + b))` has the optimality conditions

.. math:: w = \sum_i a_i t_i x_i, \quad \sum_i a_i t_i = 0, \quad m_i - 1 + v_i - z_i = 0, \quad a_i z_i = 0, \quad (u_i
          - a_i) v_i = 0, \tag{1}

with :math:`m_i = t_i(w^\top x_i + b)`, :math:`0 \le a_i \le u_i` and :math:`z, v \ge 0`. Newton's method on (1) with
the products pushed to :math:`\mu > 0` instead of 0 eliminates everything but :math:`(w, b)`: with
:math:`D_i = z_i / a_i + v_i / (u_i - a_i)` the matrix is

.. math:: \begin{pmatrix} I & 0 \\ 0 & 0 \end{pmatrix} + \sum_i D_i^{-1} \tilde x_i \tilde x_i^\top. \tag{2}

Mehrotra's corrector chooses :math:`\mu`; a dozen passes bring the duality gap below any tolerance of use, whatever the
penalty.

References: Ferris and Munson, "Interior-point methods for massive support vector machines", *SIAM Journal on
Optimization*, 2002.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from epee.engines.local import in_order, one_blas_thread
from epee.optimize.descent import Trace
from epee.optimize.linear_descent import Minimum, scaled_cholesky
from epee.typing import Matrix, Vector

CHUNK = 4096


def _interior(
    X: Matrix, t: Vector, u: Vector, bias: bool, start: Matrix, dual: Vector, width: float, *, tol: float = 1e-6, max_iter: int = 100,
    watch: Callable[[], None] | None = None,
) -> Minimum:  # fmt: skip
    """Solve (1) from the weights (d, 1) and the dual point in (0, u) of a soft hinge of ``width``.

    The trace holds primal values and relative duality gaps.
    """
    from scipy.linalg import cho_solve

    n, p = X.shape
    d = p + bias
    chunks = [slice(i, min(i + CHUNK, n)) for i in range(0, n, CHUNK)]
    a = np.clip(dual, 1e-6 * u, (1 - 1e-6) * u)
    s = u - a
    w, b = start[:p, 0].copy(), float(start[p, 0]) if bias else 0.0
    rest = _total(chunks, lambda c: X[c].T @ (a[c] * t[c])) - w  # what w lacks to be the sum of a t x
    m = np.empty(n)
    _each(chunks, lambda c: m.__setitem__(c, t[c] * (X[c] @ w + b)))
    lack = 1 - m
    floor = 0.005 * width * u
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        z = np.where(np.abs(lack) < 1e-9, width, lack / np.expm1(np.clip(lack / width, -500, 500)))
    z, v = np.maximum(z, floor / a), np.maximum(z + lack, floor / s)
    trace, best = Trace(), (np.inf, w, b)
    converged, k, reason = False, 0, ""
    for k in range(max_iter + 1):
        primal = 0.5 * float(w @ w) + float(u @ np.maximum(1 - m, 0.0))
        gap = primal - (float(a.sum()) - 0.5 * float((w + rest) @ (w + rest)))
        relative = (abs(gap) + abs(float(t @ a)) * abs(b)) / max(abs(primal), 1e-300)
        trace.add(np.append(w, b), primal, relative, 0.0)
        best = min(best, (primal, w, b), key=lambda x: x[0])
        if relative <= tol:
            converged = True
            break
        if k == max_iter:
            break
        D = z / a + v / s
        inverse = 1 / D
        G, rhs = _gram(X, t, inverse, 1 - m, chunks, bias)
        G[np.arange(p), np.arange(p)] += 1
        factor, scale = scaled_cholesky(G)
        rhs[:p] += rest
        if bias:
            rhs[p] += t @ a

        def move(right: Vector, aim: Vector) -> tuple[Vector, Vector, Vector]:
            step = cho_solve(factor, right * scale, check_finite=False) * scale  # noqa: B023
            q = np.empty(n)
            _each(chunks, lambda c: q.__setitem__(c, t[c] * (X[c] @ step[:p] + (step[p] if bias else 0.0))))
            return step, q, inverse * (aim - q)  # noqa: B023

        step, q, da = move(rhs, 1 - m)
        dz, dv = -z - (z / a) * da, -v + (v / s) * da
        near = min(_longest(a, da), _longest(s, -da), _longest(z, dz), _longest(v, dv))
        mu = (float(a @ z) + float(s @ v)) / (2 * n)
        after = (float((a + near * da) @ (z + near * dz)) + float((s - near * da) @ (v + near * dv))) / (2 * n)
        target = mu * min(1.0, after / mu) ** 3
        crossed_z, crossed_v = da * dz, -da * dv
        push = (target - crossed_z) / a - (target - crossed_v) / s
        aim = 1 - m + push
        more = _total(chunks, lambda c: X[c].T @ (t[c] * inverse[c] * push[c]))  # noqa: B023
        rhs[:p] += more
        if bias:
            rhs[p] += float((t * inverse) @ push)
        step, q, da = move(rhs, aim)
        dz = (target - crossed_z) / a - z - (z / a) * da
        dv = (target - crossed_v) / s - v + (v / s) * da
        length = 0.995 * min(_longest(a, da), _longest(s, -da), _longest(z, dz), _longest(v, dv))
        length = min(1.0, length)
        if length < 1e-10:
            reason = "the steps have become too short"
            break
        a, z, v = a + length * da, z + length * dz, v + length * dv
        s = np.maximum(u - a, 1e-14 * u)
        a = np.maximum(a, 1e-14 * u)
        w, rest = w + length * step[:p], (1 - length) * rest
        b += length * float(step[p]) if bias else 0.0
        m = m + length * q
        if watch is not None:
            watch()
    value, w, b = best
    W = np.zeros((d, 1))
    W[:p, 0] = w
    if bias:
        W[p] = b
    last = trace.norms[-1]
    reason = (
        f"the duality gap is {last:.2g} of the risk, at most tol = {tol:g}"
        if converged
        else f"{reason or f'max_iter = {max_iter} steps were taken'}; the duality gap is still {last:.2g} of the risk"
    )
    return Minimum(W, value, W * 0, converged, reason, k, trace)


def hinge_interior(
    X: Matrix, t: Vector, u: Vector, bias: bool, start: Matrix, dual: Vector, width: float, **options: Any
) -> Minimum:
    """Solve (1) as ``_interior`` does, with our own threads only."""
    with one_blas_thread():
        return _interior(X, t, u, bias, start, dual, width, **options)


def _gram(X: Matrix, t: Vector, inverse: Vector, aim: Vector, chunks: list[slice], bias: bool) -> tuple[Matrix, Vector]:
    """Return the matrix (2) without its identity and the right-hand side [X, 1]' (t aim / D)."""
    p = X.shape[1]

    def work(c: slice) -> Matrix:
        B = np.empty((c.stop - c.start, p + bias + 1))
        root = np.sqrt(inverse[c])
        B[:, :p] = X[c] * root[:, None]
        if bias:
            B[:, p] = root
        B[:, -1] = root * t[c] * aim[c]  # the right-hand side rides along as a last column
        return B.T @ B

    G = _sum(in_order(work, chunks))
    return G[:-1, :-1].copy(), G[:-1, -1].copy()


def _total(chunks: list[slice], work: Callable[[slice], Vector]) -> Vector:
    return _sum(in_order(work, chunks))


def _sum(parts: Any) -> Any:
    total = None
    for part in parts:
        total = part if total is None else total + part
    return total


def _each(chunks: list[slice], work: Callable[[slice], Any]) -> None:
    for _ in in_order(work, chunks):
        pass


def _longest(x: Vector, dx: Vector) -> float:
    """Return the longest step that keeps x + step dx from leaving x > 0, at most 1 / 0.995."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        worst = float(np.max(-dx / x, initial=0.0))
    return 1 / max(worst, 0.995)
