r"""Newton's method, protected.

The quadratic model :math:`f(x) + g^\top d + \tfrac12 d^\top H d` is minimised by

.. math:: d = -H^{-1} g, \qquad \tfrac12\, g^\top H^{-1} g \text{ (Newton's decrement) estimates } f(x) - f(x^*).
          \tag{1}

One step suffices on a quadratic and convergence is quadratic near the minimum, but far from it a full step may overflow
(it does for logistic regression): every step is shortened until it meets Armijo's condition, and a Hessian that is not
positive definite gets :math:`\tau I` added until it is.

References: Boyd and Vandenberghe, *Convex Optimization*, 2004, section 9.5.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from epee.errors import DataError, WrongUse
from epee.optimize.descent import Callback, Descent, Walk
from epee.optimize.steps import line_search
from epee.typing import ArrayLike, Function, Gradient, Matrix, Vector


def newton(
    f: Function, x0: ArrayLike, gradient: Gradient, hessian: Callable[[Vector], Matrix], *, tol: float = 1e-12,
    max_iter: int = 100, protect: bool = True, callback: Callback | None = None,
) -> Descent:  # fmt: skip
    r"""Minimise by Newton steps.

    Parameters
    ----------
    f, gradient, hessian : functions of x
        The function, its gradient (p,) and its Hessian (p, p).
    x0 : array (p,)
        The start.
    tol : float >= 0, default=1e-12
        Stop when Newton's decrement is at most this.
    max_iter : int, default=100
        Stop after so many steps.
    protect : bool, default=True
        Shorten steps by Armijo's rule and repair a Hessian that is not positive definite. False gives the bare method,
        which may diverge: then it stops, says so, and keeps the best iterate.
    callback : function of (k, x, value), default=None
        Told at every step.

    Returns
    -------
    Descent
        ``.x .value .gradient .trace .converged .reason .iterations .plot()``

    Notes
    -----
    :math:`O(p^3)` a step beside the cost of the Hessian.

    Examples
    --------
    >>> import numpy as np
    >>> H = np.array([[2.0, 1.0], [1.0, 3.0]])
    >>> newton(lambda x: x @ H @ x / 2, [5.0, -7.0], lambda x: H @ x, lambda x: H).iterations
    1
    """
    walk = Walk(f, x0, gradient, method="newton", tol=tol, max_iter=max_iter)
    for _ in range(walk.max_iter):
        with np.errstate(over="ignore", invalid="ignore"):
            H = np.asarray(hessian(walk.x), dtype=float)
        if H.shape != (len(walk.x), len(walk.x)):
            raise WrongUse(
                f"the Hessian has shape {H.shape}; for {len(walk.x)} unknowns it must be square of that size."
            )
        d = _direction(H, walk.gradient, protect)
        if d is None:
            return walk.diverged("the Hessian has no positive-definite factor there, start nearer or keep protect=True")
        decrement = -float(walk.gradient @ d) / 2
        if decrement <= tol:
            return walk.close(True, f"Newton's decrement {max(decrement, 0.0):.2g} is at most tol = {tol:g}")
        if protect:
            found = line_search(f, walk.x, d, gradient, kind="armijo", value=walk.value, slope=walk.gradient)
            if found.step == 0:
                return walk.stuck()
            walk.move(found.x, found.value, walk.slope(found.x), found.step)
        else:
            x = walk.x + d
            walk.move(x, walk.at(x), walk.slope(x), 1.0)
            start = walk.trace.values[0]
            if walk.blown or walk.value - start > 1e6 * (1 + abs(start)) or (walk.rising >= 5 and walk.value > start):
                return walk.diverged("bare Newton steps are too long so far from the minimum, keep protect=True")
        if callback is not None:
            callback(walk.k, walk.x, walk.value)
    return walk.tired()


def _direction(H: Matrix, g: Vector, protect: bool) -> Vector | None:
    """Solve (H + tau I) d = -g with the smallest tau tried that makes the matrix positive definite."""
    from scipy.linalg import cho_factor, cho_solve

    if not np.isfinite(H).all():
        if protect:
            raise DataError("the Hessian is not finite at an iterate whose value is; check its formula for overflow.")
        return None
    size = float(np.abs(np.diag(H)).max(initial=0.0)) or 1.0
    tau = 0.0
    for _ in range(40):
        try:
            factor = cho_factor(H + tau * np.eye(len(g)), lower=True, check_finite=False)
        except np.linalg.LinAlgError:
            factor = None
        if factor is not None and np.diag(factor[0]).min() > 1e-9 * np.sqrt(size):
            return -cho_solve(factor, g, check_finite=False)
        if not protect:
            return None
        tau = max(1e-8 * size, 4 * tau)
    raise DataError("no multiple of the identity makes the Hessian positive definite; check its formula.")
