r"""Gradient descent.

.. math:: x^{(k+1)} = x^{(k)} - \varepsilon^{(k)} \nabla f(x^{(k)}). \tag{1}

On a quadratic of largest curvature :math:`L`, a constant step converges exactly when :math:`\varepsilon < 2/L`; a
longer one diverges, which is detected and said. Decreasing steps and line searches need no such knowledge.

References: Boyd and Vandenberghe, *Convex Optimization*, 2004, section 9.3.
"""

from __future__ import annotations

import numpy as np

from epee.optimize.descent import Callback, Descent, Walk
from epee.optimize.schedules import Schedule, positive, resolve_schedule
from epee.optimize.steps import line_search
from epee.typing import ArrayLike, Function, Gradient

_SEARCHES = ("exact", "armijo", "wolfe")


def gradient_descent(
    f: Function, x0: ArrayLike, gradient: Gradient, *, step: float | str | Schedule = "armijo", eta: float = 1.0,
    tol: float = 1e-6, max_iter: int = 1000, callback: Callback | None = None,
) -> Descent:  # fmt: skip
    r"""Go down the gradient.

    Parameters
    ----------
    f, gradient : functions of x
        The function to minimise and its gradient.
    x0 : array (p,)
        The start.
    step : float, {"armijo", "wolfe", "exact", "constant", "inverse", "power", "geometric"} or function
        A number is a constant step; the first three names search along the line; the others are schedules that start at
        ``eta``; a function gives the step of k = 1, 2, ...
    eta : float > 0, default=1
        The first step of a schedule or of a search; larger is faster until it diverges.
    tol : float >= 0, default=1e-6
        Stop when the norm of the gradient is at most this.
    max_iter : int, default=1000
        Stop after so many steps.
    callback : function of (k, x, value), default=None
        Told at every step.

    Returns
    -------
    Descent
        ``.x .value .gradient .trace .converged .reason .iterations .plot()``

    Notes
    -----
    One gradient a step, and one to three values with a line search. A constant step whose value rises ten times in a
    row above the start, or any step that leads to an infinite value, ends the descent with a warning; the best iterate
    is kept.

    Examples
    --------
    >>> d = gradient_descent(lambda x: x @ x, [3.0, 4.0], lambda x: 2 * x, step=0.25)
    >>> d.converged, bool(abs(d.x).max() < 1e-6)
    (True, True)
    """
    eta = positive(eta)
    searched = isinstance(step, str) and step in _SEARCHES
    schedule = None if searched else resolve_schedule(step, eta)
    steady = not searched and (step == "constant" or not (callable(step) or isinstance(step, str)))
    walk = Walk(f, x0, gradient, method="gradient descent", tol=tol, max_iter=max_iter)
    length = eta
    for k in range(1, walk.max_iter + 1):
        if (done := walk.small()) is not None:
            return done
        if schedule is None:
            found = line_search(
                f, walk.x, -walk.gradient, gradient, kind=str(step), start=length, value=walk.value, slope=walk.gradient
            )
            if found.step == 0:
                return walk.stuck()
            walk.move(
                found.x, found.value, walk.slope(found.x) if found.gradient is None else found.gradient, found.step
            )
            length = 2 * found.step  # the next search may grow again
        else:
            size = positive(schedule(k), f"of iteration {k}")
            with np.errstate(over="ignore", invalid="ignore"):
                x = walk.x - size * walk.gradient
            walk.move(x, walk.at(x), walk.slope(x), size)
            if walk.blown or (steady and walk.rising >= 10 and walk.value > walk.trace.values[0]):
                return walk.diverged(f"the step {size:.3g} is too long, try a shorter one or step='armijo'")
        if callback is not None:
            callback(walk.k, walk.x, walk.value)
    return walk.small() or walk.tired()
