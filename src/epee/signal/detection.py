r"""Detection: is there a signal in the noise?

.. math:: H_0: x = b, \qquad H_1: x = s + b, \qquad b \sim \mathcal N(0, \Sigma). \tag{1}

A statistic :math:`f` is compared with a threshold :math:`\rho`, and :math:`H_1` is decided where :math:`f(x) > \rho`: a large value
speaks for the signal. By the lemma of Neyman and Pearson no test with the same rate of false alarms finds more signals than the
likelihood ratio, which for a known signal is the matched filter

.. math:: f(x) = s^\top \Sigma^{-1} x, \qquad f \mid H_0 \sim \mathcal N(0, d^2), \quad f \mid H_1 \sim \mathcal N(d^2, d^2),
          \qquad d^2 = s^\top \Sigma^{-1} s, \tag{2}

so that a rate :math:`\alpha` of false alarms takes :math:`\rho = d\, z_{1-\alpha}` and finds a share
:math:`\Phi(d - z_{1-\alpha})` of the signals. A signal known up to :math:`q` coefficients, :math:`s = A\theta`, is sought by the energy
along the columns of :math:`A`, a chi-square with :math:`q` degrees of freedom under :math:`H_0`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from epee.errors import DataError, WrongUse
from epee.solve.cholesky import Cholesky
from epee.typing import ArrayLike, Matrix, Vector


class Detector:
    r"""The most powerful test of "noise alone" against "signal and noise" in Gaussian noise, equation (2).

    Parameters
    ----------
    signal : array (n,) or (n, q)
        The signal, or the q columns that it is a combination of.
    noise : float, array (n,) or (n, n), default=1.0
        Variance of the noise: one for all samples, one for each, or its covariance matrix.
    false_alarm : float in (0, 1), default=0.05
        Rate :math:`\alpha` of false alarms; a larger one finds more signals. Not used when ``threshold`` is given.
    threshold : float, default=None
        :math:`\rho`, in the unit of :meth:`statistic`; None takes the one of ``false_alarm``.

    Attributes
    ----------
    threshold : float
    false_alarm : float
        :math:`P(f > \rho \mid H_0)`, exact.
    separation : float
        :math:`d` of (2) for a known signal: how many standard deviations the two hypotheses lie apart.
    energy : bool
        Whether the signal is known up to coefficients only.

    References
    ----------
    Kay, *Fundamentals of Statistical Signal Processing: Detection Theory*, chapters 3, 4 and 7.

    Examples
    --------
    >>> t = np.arange(16)
    >>> detector = Detector(np.sin(2 * np.pi * t / 8), noise=4.0, false_alarm=0.1)
    >>> round(detector.separation, 3), round(detector.power(), 3)
    (1.414, 0.553)
    >>> detector.decide([np.zeros(16), 3 * np.sin(2 * np.pi * t / 8)])
    array([False,  True])
    """

    def __init__(
        self, signal: ArrayLike, noise: Any = 1.0, *, false_alarm: float = 0.05, threshold: float | None = None
    ) -> None:
        A = np.asarray(signal, dtype=np.float64)
        self.energy = A.ndim == 2
        if A.ndim not in (1, 2) or not A.size or not np.isfinite(A).all():
            raise DataError(f"signal has shape {A.shape}; give finite samples (n,), or columns (n, q).")
        self._whiten = _whitening(noise, len(A))
        Z = self._whiten(A.reshape(len(A), -1).T).T  # (n, q), in units of the noise
        if self.energy:
            Q, R = np.linalg.qr(Z)
            if np.abs(np.diag(R)).min() <= 1e-10 * np.abs(R).max():
                raise DataError("the columns of signal depend on each other: their coefficients cannot be told apart.")
            self._axes, self.separation = Q, float("nan")
        else:
            self.separation = float(np.linalg.norm(Z))
            if self.separation == 0:
                raise DataError("the signal is zero everywhere: there is nothing to detect.")
            self._axes = Z
        if threshold is None:
            if not 0 < false_alarm < 1:
                raise WrongUse(f"false_alarm is {false_alarm!r}; it must lie between 0 and 1.")
            threshold = self._threshold(false_alarm)
        self.threshold = float(threshold)
        self.false_alarm = self._survival(self.threshold, 0.0)

    def statistic(self, X: ArrayLike) -> Vector:
        """Return f(x) for each row of X (m, n), or for one signal (n,): large values speak for the signal."""
        rows = np.atleast_2d(np.asarray(X, dtype=np.float64))
        if rows.ndim != 2 or rows.shape[1] != len(self._axes):
            raise DataError(f"X has {rows.shape[-1]} samples a row, and the signal {len(self._axes)}.")
        if not np.isfinite(rows).all():
            bad = int(np.flatnonzero(~np.isfinite(rows).all(axis=1))[0])
            raise DataError(f"row {bad} of X holds NaN or infinite samples. Fill or drop them.")
        along = self._whiten(rows) @ self._axes  # (m, q)
        return (along**2).sum(axis=1) if self.energy else along[:, 0]

    def decide(self, X: ArrayLike) -> np.ndarray:
        """Return True (H1, a signal) or False (H0, noise alone) for each row."""
        return self.statistic(X) > self.threshold

    def power(self, amplitude: Any = 1.0) -> Any:
        """Return the probability of detection, exactly.

        Parameters
        ----------
        amplitude : float or array, default=1.0
            Of a known signal, the factor before it; of one known up to coefficients, its norm in units of the noise.
        """
        a = np.asarray(amplitude, dtype=np.float64)
        found = self._survival(self.threshold, a)
        return float(found) if found.ndim == 0 else found

    def curve(self, false_alarms: ArrayLike, amplitude: float = 1.0) -> Vector:
        """Return the power (m,) of the best test at each rate of false alarms: the receiver operating characteristic."""
        rates = np.asarray(false_alarms, dtype=np.float64)
        if not ((rates > 0) & (rates < 1)).all():
            raise WrongUse("rates of false alarms must lie between 0 and 1.")
        return np.array([self._survival(self._threshold(float(r)), amplitude) for r in rates])

    def _threshold(self, rate: float) -> float:
        if self.energy:
            return float(special.chdtri(self._axes.shape[1], rate))
        return self.separation * float(-special.ndtri(rate))

    def _survival(self, rho: float, amplitude: Any) -> Any:
        """Return P(f > rho) under a signal of this amplitude."""
        a = np.asarray(amplitude, dtype=np.float64)
        if not self.energy:
            return special.ndtr(a * self.separation - rho / self.separation)
        q = self._axes.shape[1]
        central = special.chdtrc(q, max(rho, 0.0))
        return np.where(a == 0, central, 1.0 - special.chndtr(max(rho, 0.0), q, np.maximum(a, 1e-150) ** 2))

    def __repr__(self) -> str:
        return f"Detector(threshold={self.threshold:.4g}, false_alarm={float(self.false_alarm):.4g})"


def _whitening(noise: Any, n: int) -> Any:
    """Return the map of rows (m, n) to units of the noise."""
    v = np.asarray(noise, dtype=np.float64)
    if v.shape in ((), (n,)):
        if not (np.isfinite(v) & (v > 0)).all():
            raise WrongUse("noise holds a variance that is not positive and finite.")
        scale = np.sqrt(v)
        return lambda rows: rows / scale
    if v.shape != (n, n):
        raise DataError(f"noise has shape {v.shape}; give a variance, {n} variances, or an {n} x {n} covariance.")
    factor = Cholesky(v)

    def whiten(rows: Matrix) -> Matrix:
        return factor.half_solve(rows.T).T

    return whiten
