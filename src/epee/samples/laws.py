r"""Tables drawn from a law that is known: a function with noise, Bézier curves, heights of students.

Functional data are a function and noise that knows nothing of the inputs,

.. math:: y_i = f(x_i) + \epsilon_i, \qquad E[\epsilon] = 0,\ \mathrm{Var}[\epsilon] = \sigma^2, \qquad f(x) = E[Y \mid X = x]; \tag{1}

two samples with the same inputs differ by their noise alone, which every study of bias and variance needs. A Bézier curve is

.. math:: B(t) = \sum_{j=0}^m \binom mj t^j (1-t)^{m-j}\, b_j, \qquad 0 \le t \le 1: \tag{2}

it leaves the first point :math:`b_0`, arrives in the last, and each of its values is a weighted mean of the points.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from epee.errors import WrongUse

# mean and standard deviation in cm, and the share; round figures near those of European surveys
HEIGHTS = {"woman": (165.0, 6.5, 0.5), "man": (178.0, 7.0, 0.5)}


class Functional(NamedTuple):
    """Inputs (n,) or (n, p), values (n,), and the values without noise (n,)."""

    x: np.ndarray
    y: np.ndarray
    truth: np.ndarray


def functional(
    f: Callable[[Any], Any], noise: float = 0.1, n: int = 50, *, x: Any = None, support: tuple[float, float] = (0.0, 1.0),
    random_state: Any = None,
) -> Functional:  # fmt: skip
    r"""Draw a sample of the functional model (1).

    Parameters
    ----------
    f : function of an array of inputs
        The regression function.
    noise : float >= 0
        Standard deviation :math:`\sigma` of the Gaussian noise; more hides the function.
    n : int
        Number of inputs, evenly spaced on the support; not used when ``x`` is given.
    x : array (n,) or (n, p), optional
        The inputs. Samples with the same inputs and other seeds differ by their noise alone.
    support : pair of float
        Where the inputs lie.
    random_state : int, Generator or None

    Examples
    --------
    >>> first, second = (functional(np.sin, 0.1, 4, random_state=seed) for seed in (0, 1))
    >>> bool((first.x == second.x).all()), bool((first.y == second.y).any())
    (True, False)
    """
    if not callable(f):
        raise WrongUse(f"f is {f!r}; it must be a function of an array of inputs.")
    if not noise >= 0:
        raise WrongUse(f"noise is {noise!r}; a standard deviation is at least 0.")
    if x is None:
        if int(n) != n or n < 1 or not support[0] < support[1]:
            raise WrongUse(f"n is {n!r} and support {support!r}; give a whole number of at least 1, and low < high.")
        x = np.linspace(support[0], support[1], int(n))
    inputs = np.asarray(x, dtype=np.float64)
    truth = np.asarray(f(inputs), dtype=np.float64)
    if truth.shape != (len(inputs),):
        raise WrongUse(
            f"f gives an array of shape {truth.shape} for {len(inputs)} inputs; it must be ({len(inputs)},)."
        )
    rng = np.random.default_rng(random_state)
    return Functional(inputs, truth + noise * rng.standard_normal(len(inputs)), truth)


@dataclass(frozen=True, eq=False)
class Bezier:
    """A Bézier curve: call it with t in [0, 1]."""

    points: np.ndarray  # (m + 1,) ordinates or (m + 1, d) points

    @property
    def degree(self) -> int:
        """The degree m."""
        return len(self.points) - 1

    def basis(self, t: Any) -> np.ndarray:
        """Return Bernstein's polynomials at each t (n, m + 1): none is negative, and they sum to 1."""
        t, m = np.asarray(t, dtype=np.float64).reshape(-1, 1), self.degree
        out = np.ones((len(t), 1))
        for _ in range(m):  # B_{j,m} = (1 - t) B_{j,m-1} + t B_{j-1,m-1}: sums of positive terms
            out = np.hstack([(1 - t) * out, np.zeros_like(t)]) + np.hstack([np.zeros_like(t), t * out])
        return out

    def __call__(self, t: Any) -> np.ndarray:
        """Return the curve at each t: (n,) for ordinates, (n, d) for points."""
        value: np.ndarray = self.basis(t) @ self.points
        return value


def bezier(points: Any) -> Bezier:
    """Return the Bézier curve (2) of some points: a function of t in [0, 1] for :func:`functional` or for a plot.

    Parameters
    ----------
    points : array (m + 1,) or (m + 1, d)
        Seven ordinates make the polynomial of degree six of the course's figures.

    Examples
    --------
    >>> curve = bezier([0.0, 3.0, -2.0, 2.0, -1.5, 2.5, 0.5])
    >>> curve.degree, curve([0.0, 1.0])
    (6, array([0. , 0.5]))
    """
    b = np.asarray(points, dtype=np.float64)
    if b.ndim not in (1, 2) or len(b) < 1 or not np.isfinite(b).all():
        raise WrongUse(f"points has shape {b.shape}; give one finite ordinate, or point, for each corner.")
    return Bezier(b)


class Heights(NamedTuple):
    """Heights in cm (n,), and the hidden class of each: "man" or "woman" (n,)."""

    cm: np.ndarray
    sex: np.ndarray


def heights(n: int = 200, *, share: float = 0.5, random_state: Any = None) -> Heights:
    """Draw the heights of students: one Gaussian for each sex, so that all together have two modes, or nearly.

    Parameters
    ----------
    n : int
    share : float in [0, 1]
        Part of women; 0 or 1 leaves the one Gaussian of the course's first example.
    random_state : int, Generator or None

    Notes
    -----
    The law is made up: N(165, 6.5²) and N(178, 7²), in centimetres.

    Examples
    --------
    >>> drawn = heights(1000, random_state=0)
    >>> [round(float(drawn.cm[drawn.sex == sex].mean())) for sex in ("woman", "man")]
    [165, 178]
    """
    if int(n) != n or n < 1 or not 0 <= share <= 1:
        raise WrongUse(f"n is {n!r} and share {share!r}; give a whole number of at least 1, and a share from 0 to 1.")
    rng = np.random.default_rng(random_state)
    sex = np.where(rng.random(int(n)) < share, "woman", "man")
    mean = np.where(sex == "woman", HEIGHTS["woman"][0], HEIGHTS["man"][0])
    deviation = np.where(sex == "woman", HEIGHTS["woman"][1], HEIGHTS["man"][1])
    return Heights(mean + deviation * rng.standard_normal(int(n)), sex)
