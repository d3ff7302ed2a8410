r"""Laws that a result must keep, checked where the check costs nothing beside the fit.

A library below may be wrong on one machine and right on another, and a wrong answer is worse than none. So a fit asks of its result
what the mathematics promises, and raises where the promise is broken:

- parameters are finite;
- axes are orthonormal: a random vector sent there and back by :math:`U U^\top z = z` comes home (Freivalds' test), in
  :math:`O(qp)` where the product :math:`U U^\top` itself would cost :math:`O(q^2 p)`;
- at the solution of :math:`S\beta = c` the gradient :math:`S\beta - c` is small beside what it is the difference of.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.errors import SingularProblem
from epee.typing import Matrix, Tensor

PARAMETERS = ("coef_", "intercept_", "mean_", "means_", "components_", "covariances_", "cluster_centers_", "scalings_")
CACHED = 65_536  # numbers that stay in the cache
STRAY = 1e-6  # how far a random vector may come home from itself: half of the digits


def orthonormal(axes: Matrix) -> bool:
    """Tell whether the rows (q, p) are of length one and at right angles, by (U U') z = z for one random z.

    >>> orthonormal(np.eye(2, 3)), orthonormal(np.array([[1.0, 0.0], [0.6, 0.8]]))
    (True, False)
    """
    z = np.random.default_rng(len(axes)).normal(size=len(axes))
    width = max(CACHED // max(len(axes), 1), 1)
    parts = (
        axes[:, j : j + width] for j in range(0, axes.shape[1], width)
    )  # long axes are read once: there and back while at hand
    stray = np.abs(sum((part @ (z @ part) for part in parts), start=-z)).max(initial=0.0)
    digits = np.finfo(axes.dtype).eps / np.finfo(float).eps if axes.dtype.kind == "f" else 1.0
    return bool(stray <= STRAY * np.sqrt(digits) * max(float(np.abs(z).max(initial=0.0)), 1.0))


def insist_orthonormal(axes: Matrix) -> Matrix:
    """Return the axes (q, p), or refuse them when they are not orthonormal."""
    if not orthonormal(axes):
        raise SingularProblem(
            "the axes that came out are not orthogonal: the digits were lost on the way, or a library below this one computes "
            "wrongly on this machine. Rescale the columns, or ask for another solver."
        )
    return axes


def insist_finite(**parameters: Any) -> None:
    """Refuse parameters that are not numbers, by name.

    >>> insist_finite(coef_=np.array([1.0, np.nan]))
    Traceback (most recent call last):
    ...
    epee.errors.SingularProblem: coef_ came out with 1 value of 2 that is not a finite number: the problem is singular in the digits \
at hand. Rescale the columns, or drop those that depend on others.
    """
    for name, values in parameters.items():
        values = np.asarray(values)
        if not np.isfinite(values).all():
            bad = int((~np.isfinite(values)).sum())
            raise SingularProblem(
                f"{name} came out with {bad} value{'' if bad == 1 else 's'} of {values.size} that {'is' if bad == 1 else 'are'} not a "
                "finite number: the problem is singular in the digits at hand. Rescale the columns, or drop those that depend on others."
            )


def insist_sound(model: Any) -> None:
    """Refuse a fit whose parameters are not finite numbers; what a method calls otherwise, it checks itself."""
    fitted = vars(model)
    insist_finite(**{name: fitted[name] for name in PARAMETERS if isinstance(fitted.get(name), np.ndarray | float)})


def stationary(S: Tensor, coef: Tensor, C: Tensor, tol: float = STRAY) -> bool:
    """Tell whether S coef = C (leading axes are batches) up to ``tol`` of the sizes that cancel in it.

    >>> stationary(np.diag([1.0, 2.0]), np.ones((2, 1)), np.array([[1.0], [2.0]]))
    True
    """
    stray, tiny = np.abs(S @ coef - C), np.finfo(float).tiny
    least = np.abs(np.diagonal(S, axis1=-2, axis2=-1))[..., None] * np.abs(coef) + np.abs(C)  # of the sizes
    if bool((stray <= tol * np.maximum(least, tiny)).all()):
        return True
    size = np.abs(S) @ np.abs(coef) + np.abs(C)
    return bool((stray <= tol * np.maximum(size, tiny)).all())
