r"""Quasi-Newton methods: BFGS and its short memory.

With :math:`s = x_+ - x`, :math:`g = \nabla f_+ - \nabla f`, :math:`\rho = 1/(g^\top s)`, the inverse Hessian is kept by

.. math:: B_+ = (I - \rho s g^\top)\,B\,(I - \rho g s^\top) + \rho s s^\top, \tag{1}

which meets the secant equation :math:`B_+ g = s`, stays symmetric, and stays positive definite while
:math:`g^\top s > 0`: Wolfe's condition ensures it, and an update without it is skipped. With exact line searches a
quadratic in :math:`p` unknowns is solved in at most :math:`p` steps. L-BFGS keeps only the last :math:`m` pairs
:math:`(s, g)` and applies (1) to the gradient without forming :math:`B`: memory :math:`O(mp)`.

References: Nocedal and Wright, *Numerical Optimization*, 2nd ed., Springer, 2006, chapters 6 and 7.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np

from epee.errors import WrongUse
from epee.optimize.descent import Callback, Descent, Walk
from epee.optimize.steps import line_search
from epee.typing import ArrayLike, Function, Gradient, Matrix, Vector


def secant_update(B: Matrix, s: Vector, g: Vector) -> Matrix:
    r"""Return :math:`B_+` of equation (1), or ``B`` itself unless :math:`g^\top s > 0`.

    >>> secant_update(np.eye(2), np.array([1.0, 0.0]), np.array([2.0, 0.0]))
    array([[0.5, 0. ],
           [0. , 1. ]])
    """
    curvature = float(g @ s)
    if not curvature > 1e-14 * float(np.linalg.norm(g) * np.linalg.norm(s)):
        return B
    rho, Bg = 1 / curvature, B @ g
    return B + rho * ((1 + rho * (g @ Bg)) * np.outer(s, s) - np.outer(s, Bg) - np.outer(Bg, s))


class _Dense:
    """The matrix B itself."""

    def __init__(self, p: int) -> None:
        self.B, self.fresh = np.eye(p), True

    def direction(self, g: Vector) -> Vector:
        return -self.B @ g

    def learn(self, s: Vector, g: Vector) -> None:
        if self.fresh and g @ s > 0:  # the first pair sets the scale, before it is used
            self.B *= (g @ s) / (g @ g)
        self.B, self.fresh = secant_update(self.B, s, g), False

    def forget(self) -> None:
        self.B, self.fresh = np.eye(len(self.B)), True


class _Recent:
    """The last pairs, and the two-loop recursion."""

    def __init__(self, memory: int) -> None:
        self.pairs: deque[tuple[Vector, Vector, float]] = deque(maxlen=memory)

    def direction(self, g: Vector) -> Vector:
        d, back = -g, []
        for s, change, rho in reversed(self.pairs):
            a = rho * (s @ d)
            d = d - a * change
            back.append(a)
        if self.pairs:
            s, change, _ = self.pairs[-1]
            d = d * ((s @ change) / (change @ change))
        for (s, change, rho), a in zip(self.pairs, reversed(back), strict=True):
            d = d + (a - rho * (change @ d)) * s
        return d

    def learn(self, s: Vector, g: Vector) -> None:
        curvature = float(g @ s)
        if curvature > 1e-14 * float(np.linalg.norm(g) * np.linalg.norm(s)):
            self.pairs.append((s, g, 1 / curvature))

    def forget(self) -> None:
        self.pairs.clear()


def bfgs(
    f: Function, x0: ArrayLike, gradient: Gradient, *, search: str = "wolfe", tol: float = 1e-6, max_iter: int = 500,
    callback: Callback | None = None,
) -> Descent:  # fmt: skip
    r"""Minimise with an inverse Hessian learned on the way.

    Parameters
    ----------
    f, gradient : functions of x
        The function to minimise and its gradient.
    x0 : array (p,)
        The start.
    search : {"wolfe", "armijo", "exact"}, default="wolfe"
        The line search.
    tol : float >= 0, default=1e-6
        Stop when the norm of the gradient is at most this.
    max_iter : int, default=500
        Stop after so many steps.
    callback : function of (k, x, value), default=None
        Told at every step.

    Returns
    -------
    Descent
        ``.x .value .gradient .trace .converged .reason .iterations .plot()``

    Notes
    -----
    :math:`O(p^2)` memory and time a step.

    Examples
    --------
    >>> d = bfgs(lambda x: (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2, [-1.2, 1.0],
    ...          lambda x: np.array([-2 * (1 - x[0]) - 400 * x[0] * (x[1] - x[0] ** 2), 200 * (x[1] - x[0] ** 2)]))
    >>> d.converged, d.x.round(6)
    (True, array([1., 1.]))
    """
    return _descend(f, x0, gradient, lambda p: _Dense(p), search, tol, max_iter, callback, "bfgs")


def lbfgs(
    f: Function, x0: ArrayLike, gradient: Gradient, *, memory: int = 10, search: str = "wolfe", tol: float = 1e-6,
    max_iter: int = 1000, callback: Callback | None = None,
) -> Descent:  # fmt: skip
    r"""Minimise with the last few pairs of BFGS.

    Parameters
    ----------
    f, gradient : functions of x
        The function to minimise and its gradient.
    x0 : array (p,)
        The start.
    memory : int >= 1, default=10
        How many pairs are kept; more come nearer to BFGS and cost more a step.
    search : {"wolfe", "armijo", "exact"}, default="wolfe"
        The line search.
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
    :math:`O(mp)` memory and time a step, beside the trace.

    Examples
    --------
    >>> lbfgs(lambda x: ((x - 1) ** 4).sum() + x @ x, [3.0, -2.0, 0.5], lambda x: 4 * (x - 1) ** 3 + 2 * x).converged
    True
    """
    if int(memory) != memory or memory < 1:
        raise WrongUse(f"the memory of lbfgs is {memory}; it must be a whole number of at least 1.")
    return _descend(f, x0, gradient, lambda p: _Recent(int(memory)), search, tol, max_iter, callback, "lbfgs")


def _descend(
    f: Function, x0: ArrayLike, gradient: Gradient, make: Callable[[int], _Dense | _Recent], search: str, tol: float,
    max_iter: int, callback: Callback | None, method: str,
) -> Descent:  # fmt: skip
    walk = Walk(f, x0, gradient, method=method, tol=tol, max_iter=max_iter)
    B = make(len(walk.x))
    start = 1.0 if search == "exact" else min(1.0, 1 / max(walk.norm, 1e-300))  # no scale is known yet
    for _ in range(walk.max_iter):
        if (done := walk.small()) is not None:
            return done
        d = B.direction(walk.gradient)
        if not float(walk.gradient @ d) < 0:  # rounding has spoiled B: begin again from the gradient
            B.forget()
            d = -walk.gradient
        found = line_search(f, walk.x, d, gradient, kind=search, start=start, value=walk.value, slope=walk.gradient)
        if found.step == 0:
            return walk.stuck()
        after = walk.slope(found.x) if found.gradient is None else found.gradient
        B.learn(found.x - walk.x, after - walk.gradient)
        walk.move(found.x, found.value, after, found.step)
        start = 1.0
        if callback is not None:
            callback(walk.k, walk.x, walk.value)
        if walk.value == -np.inf:
            return walk.diverged("the function has no lower bound along the way")
    return walk.small() or walk.tired()
