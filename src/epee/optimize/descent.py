r"""What a descent leaves behind.

A descent walks :math:`x^{(k+1)} = x^{(k)} + \varepsilon^{(k)} d^{(k)}` with :math:`\nabla f^\top d < 0`. For a convex
differentiable :math:`f`, :math:`x^*` is a global minimiser exactly when :math:`\nabla f(x^*) = 0`, so the norm of the
gradient is the measure.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from epee.errors import DataError, SearchWarning, WrongUse
from epee.typing import ArrayLike, Function, Gradient, Matrix, Vector


@dataclass
class Trace:
    """Every iterate of a descent, with its value, gradient norm and the step that led to it (0 for the start)."""

    iterates: list[Vector] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    norms: list[float] = field(default_factory=list)
    steps: list[float] = field(default_factory=list)

    def add(self, x: Vector, value: float, norm: float, step: float) -> None:
        """Append one iterate."""
        self.iterates.append(x.copy())
        self.values.append(float(value))
        self.norms.append(float(norm))
        self.steps.append(float(step))

    def __len__(self) -> int:
        return len(self.values)

    @property
    def x(self) -> Matrix:
        """The iterates, (k + 1, p)."""
        return np.array(self.iterates)

    @property
    def value(self) -> Vector:
        """The value at each iterate, (k + 1,)."""
        return np.array(self.values)

    @property
    def gradient_norm(self) -> Vector:
        """The Euclidean norm of the gradient at each iterate, (k + 1,)."""
        return np.array(self.norms)

    @property
    def step(self) -> Vector:
        """The step length that led to each iterate, (k + 1,)."""
        return np.array(self.steps)


@dataclass(repr=False)
class Descent:
    """Where a descent ended, the way it took, and why it stopped.

    Attributes
    ----------
    x : array (p,)
        The best iterate: the last one, or the one of smallest value when the descent diverged.
    value : float
        The function at ``x``.
    gradient : array (p,)
        The gradient at ``x``.
    trace : Trace
        Every iterate, value, gradient norm and step.
    converged : bool
        Whether the stopping test on the gradient (or Newton's decrement) was met.
    reason : str
        Why it stopped, in words.
    iterations : int
        How many steps were taken.
    """

    x: Vector
    value: float
    gradient: Vector
    trace: Trace
    converged: bool
    reason: str
    iterations: int
    f: Function | None = None
    method: str = "descent"

    def __repr__(self) -> str:
        verdict = "converged" if self.converged else "not converged"
        return f"<{self.method}: {verdict} after {self.iterations} steps at value {self.value:.6g}: {self.reason}>"

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw the value against the iteration and, in two dimensions, the path over the contours of the function."""
        from epee.figures.optimize import plot_descent

        return plot_descent(self, ax, **options)


class Walk:
    """One descent under way: evaluates quietly, writes the trace, remembers the best and closes with a verdict."""

    def __init__(
        self, f: Function, x0: ArrayLike, gradient: Gradient, *, method: str, tol: float, max_iter: int
    ) -> None:
        if not callable(gradient):
            raise WrongUse(f"{method} needs the gradient as a function of x.")
        if not tol >= 0:
            raise WrongUse(f"tol is {tol}; it must not be negative.")
        if int(max_iter) != max_iter or max_iter < 1:
            raise WrongUse(f"max_iter is {max_iter}; it must be a whole number of at least 1.")
        self.f, self.df, self.method, self.tol, self.max_iter = f, gradient, method, tol, int(max_iter)
        self.x = np.array(x0, dtype=float, ndmin=1)
        if self.x.ndim != 1 or not np.isfinite(self.x).all():
            raise DataError(f"the start of {method} must be a vector of finite numbers.")
        self.value, self.gradient = self.at(self.x), self.slope(self.x)
        if not (np.isfinite(self.value) and np.isfinite(self.gradient).all()):
            raise DataError(
                f"{method} cannot start: the function or its gradient is not finite at x0; start elsewhere."
            )
        if self.gradient.shape != self.x.shape:
            raise WrongUse(f"the gradient has shape {self.gradient.shape} at x0, which has shape {self.x.shape}.")
        self.trace, self.k, self.rising = Trace(), 0, 0
        self.best = (self.value, self.x, self.gradient)
        self.trace.add(self.x, self.value, self.norm, 0.0)

    @property
    def norm(self) -> float:
        with np.errstate(over="ignore"):
            return float(np.linalg.norm(self.gradient))

    def at(self, x: Vector) -> float:
        """Return f(x); an overflow is an infinite value, not a warning."""
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            return float(self.f(x))

    def slope(self, x: Vector) -> Vector:
        """Return the gradient at x."""
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            return np.asarray(self.df(x), dtype=float)

    def move(self, x: Vector, value: float, gradient: Vector, step: float) -> None:
        """Take one step."""
        self.rising = self.rising + 1 if not value <= self.value else 0
        self.x, self.value, self.gradient, self.k = x, value, gradient, self.k + 1
        self.trace.add(x, value, self.norm, step)
        if value < self.best[0]:
            self.best = (value, x, gradient)

    @property
    def blown(self) -> bool:
        """Tell whether the last iterate is not finite any more."""
        return not (np.isfinite(self.value) and np.isfinite(self.norm) and np.isfinite(self.x).all())

    def close(self, converged: bool, reason: str) -> Descent:
        """Return the result."""
        return Descent(self.x, self.value, self.gradient, self.trace, converged, reason, self.k, self.f, self.method)

    def small(self) -> Descent | None:
        """Return the result if the gradient is small enough to stop."""
        return (
            self.close(True, f"the gradient norm {self.norm:.2g} is at most tol = {self.tol:g}")
            if self.norm <= self.tol
            else None
        )

    def tired(self) -> Descent:
        """Return the result after the last allowed step."""
        return self.close(
            False, f"max_iter = {self.max_iter} steps were taken; the gradient norm is still {self.norm:.2g}"
        )

    def diverged(self, advice: str) -> Descent:
        """Return the best iterate, and say aloud that the descent diverged."""
        last = self.k
        self.value, self.x, self.gradient = self.best
        reason = f"diverged at step {last}: {advice}; the best iterate, of value {self.value:.6g}, is kept"
        warnings.warn(f"{self.method} {reason}.", SearchWarning, stacklevel=3)
        return self.close(False, reason)

    def stuck(self) -> Descent:
        """Return the result when no step lowers the value any more: at the limit of the arithmetic, or for want of smoothness."""
        scale = np.finfo(float).eps * max(1.0, abs(self.value))
        flat = self.norm**2 <= 1e4 * scale * max(1.0, float(np.linalg.norm(self.x)))
        what = (
            "to the last digit" if flat else "although the gradient is not small: is it the gradient of this function?"
        )
        return self.close(bool(flat), f"no step lowers the value any more, {what} (gradient norm {self.norm:.2g})")


Callback = Callable[[int, Vector, float], None]
