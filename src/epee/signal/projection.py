r"""Denoising by projection.

A signal that lies near a few axes loses little when it is projected on them, and noise, which lies everywhere, loses nearly all: with
:math:`\hat s_q = P_q x` on the first :math:`q` of :math:`n` orthonormal axes, and noise of variance :math:`\sigma^2`,

.. math:: E\|\hat s_q - s\|^2 = \|(I - P_q) s\|^2 + q\,\sigma^2: \tag{1}

bias falls and variance grows with :math:`q`. Both are estimated without bias from the observation alone,

.. math:: \hat r(q) = \|x - P_q x\|^2 + (2q - n)\,\sigma^2, \tag{2}

which is Mallows' criterion, and :math:`q` is where it is smallest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from epee.errors import DataError, WrongUse
from epee.lazy import drawn
from epee.typing import ArrayLike, Matrix, Vector


@dataclass(frozen=True, eq=False)
class Denoised:
    """Signals without their noise.

    Attributes
    ----------
    signal : array, as the observation
    kept : int
        Number of axes.
    noise : float
        Variance of the noise.
    risk : array (Q + 1,)
        The estimate (2) of the squared error of a signal for every number of axes, from none.
    observed : array, as the observation
    """

    signal: np.ndarray
    kept: int
    noise: float
    risk: Vector
    observed: np.ndarray

    plot = drawn("signal.draw_denoised", "Draw the first observation and what is left of it.")


def denoise(X: ArrayLike, basis: Any = "cosine", *, keep: int | None = None, noise: float | None = None) -> Denoised:
    """Project noisy signals on the first axes of a basis.

    Parameters
    ----------
    X : array (n,) or (m, n)
        One observation, or m of them that share the number of axes.
    basis : {"cosine", "polynomial"}, array (n, Q) of orthonormal columns, or fitted PCA, default="cosine"
        Axes, the smoothest or most important first; those of a PCA are learned from other signals, whose mean is taken off.
    keep : int, optional
        Number of axes; fewer are smoother. None takes the minimum of (2).
    noise : float, optional
        Variance of the noise. None estimates it from the coefficients on the last half of the axes, of which the median
        absolute value is little moved by a signal there.

    References
    ----------
    Mallows, "Some comments on Cp", *Technometrics* 15, 1973.

    Examples
    --------
    >>> t = np.linspace(0, 1, 200)
    >>> s, rng = np.cos(3 * np.pi * t), np.random.default_rng(0)
    >>> found = denoise(s + 0.5 * rng.standard_normal(200), noise=0.25)
    >>> bool(np.mean((found.signal - s) ** 2) < 0.25 / 5), found.kept < 20
    (True, True)
    """
    observed = np.asarray(X, dtype=np.float64)
    if observed.ndim not in (1, 2) or not observed.size or not np.isfinite(observed).all():
        raise DataError(f"X has shape {observed.shape}; give finite samples (n,) or rows of them (m, n).")
    rows = np.atleast_2d(observed)
    n = rows.shape[1]
    mean, B = _axes(basis, n)
    C = (rows - mean) @ B  # (m, Q)
    Q = B.shape[1]
    if noise is None:
        last = C[:, Q // 2 :]
        if n // 2 > Q or last.size < 8:
            raise WrongUse("there are too few axes to estimate the noise from: give noise=, its variance.")
        noise = float((np.median(np.abs(last)) / 0.6744897501960817) ** 2)
    elif not noise >= 0:
        raise WrongUse(f"noise is {noise!r}; a variance is at least 0.")
    energy = ((rows - mean) ** 2).sum(axis=1).mean()
    gone = np.append(0.0, np.cumsum((C**2).mean(axis=0)))  # what the first q axes explain, for a signal
    risk = energy - gone + (2 * np.arange(Q + 1) - n) * noise
    if keep is None:
        keep = int(np.argmin(risk))
    elif int(keep) != keep or not 0 <= keep <= Q:
        raise WrongUse(f"keep is {keep!r}; it must be a whole number from 0 to the {Q} axes of the basis.")
    signal = mean + C[:, :keep] @ B[:, :keep].T
    return Denoised(signal.reshape(observed.shape), int(keep), noise, risk, observed)


def _axes(basis: Any, n: int) -> tuple[Any, Matrix]:
    """Return the origin and the axes (n, Q) of a basis."""
    if hasattr(basis, "components_"):
        if basis.components_.shape[1] != n:
            raise DataError(f"the PCA was fitted to {basis.components_.shape[1]} samples a signal, and X has {n}.")
        return basis.mean_, basis.components_.T
    if isinstance(basis, str):
        if basis == "cosine":
            k = np.arange(n)
            B = np.cos(np.pi * (k[:, None] + 0.5) * k / n) * np.sqrt(2 / n)
            B[:, 0] = np.sqrt(1 / n)
            return 0.0, B
        if (
            basis == "polynomial"
        ):  # Legendre's, made orthonormal on the samples; of a higher degree rounding would take over
            V = np.polynomial.legendre.legvander(np.linspace(-1, 1, n), min(n, 60) - 1)
            Q, R = np.linalg.qr(V)
            return 0.0, Q * np.sign(np.diag(R))
        raise WrongUse(f"basis is {basis!r}; it must be 'cosine', 'polynomial', orthonormal columns or a fitted PCA.")
    B = np.asarray(basis, dtype=np.float64)
    if B.ndim != 2 or len(B) != n or B.shape[1] > n:
        raise DataError(f"basis has shape {B.shape}; it must have {n} rows, and at most as many columns.")
    if np.abs(B.T @ B - np.eye(B.shape[1])).max() > 1e-8:
        raise DataError("the columns of basis are not orthonormal; take numpy.linalg.qr(basis)[0].")
    return 0.0, B
