r"""Line search: how far to go along a direction that descends.

With :math:`\varphi(\varepsilon) = f(x + \varepsilon d)` and :math:`\varphi'(0) = \nabla f(x)^\top d < 0`:

- *exact*: :math:`\varphi'(\varepsilon) = 0`, bracketed by doubling, then Brent's root of the slope; on a quadratic
  :math:`\varepsilon = g^\top g / g^\top H g` along :math:`d = -g`;
- *armijo*: backtrack :math:`\varepsilon \leftarrow \beta\varepsilon` until
  :math:`\varphi(\varepsilon) \le \varphi(0) + c_1 \varepsilon \varphi'(0)`;
- *wolfe*: that, and :math:`\varphi'(\varepsilon) \ge c_2 \varphi'(0)`, which keeps BFGS positive definite; found by
  bisection of an
  interval that must contain such a step, with interpolation.

References: Nocedal and Wright, *Numerical Optimization*, 2nd ed., Springer, 2006, chapter 3.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from epee.errors import DataError, WrongUse
from epee.typing import ArrayLike, Function, Gradient, Vector


@dataclass(frozen=True)
class LineSearch:
    """A step along a direction.

    Attributes
    ----------
    step : float
        Its length; 0 when no step meets the conditions.
    x, value, gradient : where it leads
        The gradient is None when the search did not need it there.
    evaluations : int
        How often the function or its slope was asked for.
    met : bool
        Whether the conditions of the search hold.
    """

    step: float
    x: Vector
    value: float
    gradient: Vector | None
    evaluations: int
    met: bool


class _Ray:
    """The function along one direction."""

    def __init__(
        self, f: Function, x: Vector, d: Vector, gradient: Gradient, value: float | None, g0: Vector | None
    ) -> None:
        self.f, self.x, self.d, self.df, self.count = f, x, d, gradient, 0
        self.value0 = self.value(0.0) if value is None else value
        self.gradient0 = self.gradient(0.0) if g0 is None else g0
        self.slope0 = float(self.gradient0 @ d)
        if not self.slope0 < 0:
            raise DataError(
                f"the direction does not descend: its slope, gradient · d, is {self.slope0:.3g}, and it must be negative. "
                f"Check the gradient (or the Hessian) against finite differences."
            )

    def value(self, step: float) -> float:
        self.count += 1
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            value = float(self.f(self.x + step * self.d))
        return value if np.isfinite(value) or value == -np.inf else np.inf

    def gradient(self, step: float) -> Vector:
        self.count += 1
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            return np.asarray(self.df(self.x + step * self.d), dtype=float)

    def end(self, step: float, value: float, gradient: Vector | None, met: bool) -> LineSearch:
        return LineSearch(step, self.x + step * self.d, value, gradient, self.count, met)

    def nothing(self) -> LineSearch:
        return self.end(0.0, self.value0, self.gradient0, False)


def line_search(
    f: Function, x: ArrayLike, d: ArrayLike, gradient: Gradient, *, kind: str = "wolfe", start: float = 1.0, c1: float = 1e-4,
    c2: float = 0.9, shrink: float = 0.5, max_iter: int = 60, value: float | None = None, slope: Vector | None = None,
) -> LineSearch:  # fmt: skip
    r"""Find a step :math:`\varepsilon > 0` that lowers :math:`f(x + \varepsilon d)`.

    Parameters
    ----------
    f, gradient : functions of x
        The function to lower and its gradient.
    x, d : arrays (p,)
        The point and the direction; a direction that does not descend is refused.
    kind : {"exact", "armijo", "wolfe"}, default="wolfe"
        Which conditions the step must meet.
    start : float > 0, default=1
        The first step tried; 1 is right for Newton-like directions.
    c1 : float in (0, 1), default=1e-4
        The share of the promised decrease that must be had; a larger one gives shorter steps.
    c2 : float in (c1, 1), default=0.9
        The share of the slope that may remain; a smaller one comes nearer to the exact step.
    shrink : float in (0, 1), default=0.5
        The factor :math:`\beta` of backtracking.
    max_iter : int, default=60
        Halvings, doublings or bisections before giving up.
    value, slope : float and array, default=None
        The function and its gradient at ``x`` when already known.

    Examples
    --------
    >>> import numpy as np
    >>> H = np.diag([1.0, 4.0]); x = np.array([1.0, 1.0]); g = H @ x
    >>> round(line_search(lambda x: x @ H @ x / 2, x, -g, lambda x: H @ x, kind="exact").step, 12)
    0.261538461538
    """
    searches: dict[str, Callable[[_Ray], LineSearch]] = {
        "exact": lambda ray: _exact(ray, start, max_iter),
        "armijo": lambda ray: _armijo(ray, start, c1, shrink, max_iter),
        "wolfe": lambda ray: _wolfe(ray, start, c1, c2, max_iter),
    }
    if kind not in searches:
        raise WrongUse(f"the line search {kind!r} is unknown; it is 'exact', 'armijo' or 'wolfe'.")
    if not (0 < c1 < c2 < 1 and 0 < shrink < 1 and start > 0):
        raise WrongUse(
            f"a line search needs 0 < c1 < c2 < 1, 0 < shrink < 1 and start > 0; got {c1}, {c2}, {shrink}, {start}."
        )
    x, d = np.asarray(x, dtype=float), np.asarray(d, dtype=float)
    return searches[kind](_Ray(f, x, d, gradient, value, slope))


def _armijo(ray: _Ray, step: float, c1: float, shrink: float, max_iter: int) -> LineSearch:
    for _ in range(max_iter):
        value = ray.value(step)
        if value < ray.value0 and value <= ray.value0 + c1 * step * ray.slope0:  # an equal value is no descent
            return ray.end(step, value, None, True)
        step *= shrink
    return ray.nothing()


def _wolfe(ray: _Ray, step: float, c1: float, c2: float, max_iter: int) -> LineSearch:
    slack = 1e-14 * abs(ray.value0)
    low, value_low, slope_low, high = 0.0, ray.value0, ray.slope0, np.inf
    best: tuple[float, float, Vector] | None = None  # meets Armijo, not yet the slope
    for _ in range(max_iter):
        value = ray.value(step)
        near = abs(value - ray.value0) <= slack  # too close to compare values: the slopes decide (Hager and Zhang)
        gradient = ray.gradient(step) if near else None
        if value > ray.value0 + c1 * step * ray.slope0 and not (
            gradient is not None and float(gradient @ ray.d) <= (2 * c1 - 1) * ray.slope0
        ):
            high, value_high = step, value
            width, drop = high - low, value_high - value_low - slope_low * (high - low)
            middle = -slope_low * width * width / (2 * drop) if np.isfinite(drop) and drop > 0 else 0.5 * width
            step = low + min(max(middle, 0.1 * width), 0.5 * width)  # the parabola's minimum, kept inside
            continue
        gradient = ray.gradient(step) if gradient is None else gradient
        slope = float(gradient @ ray.d)
        if slope >= c2 * ray.slope0:
            return ray.end(step, value, gradient, True)
        best = (step, value, gradient)
        low, value_low, slope_low = step, value, slope
        step = 2 * step if high == np.inf else 0.5 * (low + high)
    return ray.end(*best, False) if best is not None else ray.nothing()


def _exact(ray: _Ray, start: float, max_iter: int) -> LineSearch:
    from scipy.optimize import brentq

    def slope(step: float) -> float:
        return float(ray.gradient(step) @ ray.d)

    low, high = 0.0, start
    for _ in range(max_iter):
        there = slope(high)
        if np.isfinite(there) and there < 0 and ray.value(high) < np.inf:
            low, high = high, 2 * high
        elif not np.isfinite(there):
            high = low + (high - low) / 2
        else:
            break
    else:
        raise DataError(
            f"the function still descends {high:.2g} steps away along the direction: it has no minimum there."
        )
    step = float(high if there == 0 else brentq(slope, low, high, xtol=4e-16 * high, rtol=1e-15, maxiter=200))
    value = ray.value(step)
    if not value <= ray.value0:
        return ray.nothing()
    return ray.end(step, value, ray.gradient(step), True)
