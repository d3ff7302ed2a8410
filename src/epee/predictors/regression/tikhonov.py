r"""Tikhonov's regularisation: least squares pulled towards what is known of the coefficients.

.. math:: \min_w \; \|y - X w\|^2 + C \|g - F w\|^2 \quad\Longrightarrow\quad
          (X^\top X + C F^\top F)\, w = X^\top y + C F^\top g, \tag{1}

with inputs and target about their means when there is an intercept, which stays free. :math:`F = I, g = 0` is ridge regression;
differences of neighbouring coefficients in :math:`F` ask for smooth ones; :math:`g` is what :math:`F w` is believed to be. With
:math:`F` in the units of the columns the fit does not depend on those units.
"""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from epee.engines.choice import engine_for
from epee.errors import ConditionWarning, DataError, SingularProblem, WrongUse
from epee.estimator.base import list_columns, say
from epee.estimator.moment import MomentRegressor
from epee.moments.moments import Moments
from epee.moments.qr import Factorisation, QRFactor, triangle
from epee.predictors.regression.influence import LeftOut
from epee.predictors.regression.ols import FACTOR_FROM, factor_of, normal_equations
from epee.solve.cholesky import Cholesky
from epee.solve.minimum_norm import MinimumNorm
from epee.table.block import BLOCK_ROWS, Source
from epee.typing import ArrayLike, Matrix


class Tikhonov(LeftOut, MomentRegressor):
    r"""Least squares plus :math:`C \|g - F w\|^2`.

    Parameters
    ----------
    F : array (q, p), default=None
        What of the coefficients is penalised; None is the identity.
    g : array (q,), default=None
        Where :math:`F w` is pulled to; None is zero.
    C : float >= 0, default=1.0
        Weight of the pull: 0 is least squares, a large one forces :math:`F w = g` as far as it can be.
    fit_intercept : bool, default=True
        A free intercept beside :math:`w`.

    Attributes
    ----------
    coef_, intercept_ : as in least squares
    effective_dof_ : float
        :math:`\operatorname{tr}[(S + C F^\top F)^{-1} S]`, intercept apart.

    Notes
    -----
    One pass and :math:`O(p^3)`; ill-conditioned sums are replaced by QR factors of the rows stacked on
    :math:`\sqrt C F`. What neither rows nor :math:`F` determine is set by the smallest norm, and said.

    References
    ----------
    Hansen, *Rank-Deficient and Discrete Ill-Posed Problems*, SIAM, 1998.

    Examples
    --------
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([1.0, 3.0])
    >>> Tikhonov(F=[[1.0, -1.0]], C=1e6, fit_intercept=False).fit(X, y).coef_.round(3)
    array([2., 2.])
    """

    state_parts = ("_factor", "_centre", "_count", "_scatter")

    def __init__(
        self, F: ArrayLike | None = None, g: ArrayLike | None = None, C: float = 1.0, *, fit_intercept: bool = True
    ) -> None:
        self.F = F
        self.g = g
        self.C = C
        self.fit_intercept = fit_intercept

    def _penalty(self, p: int, targets: int) -> tuple[Matrix, Matrix]:
        """Return F (q, p) and g (q, m)."""
        if not isinstance(self.C, Real) or not (np.isfinite(self.C) and self.C >= 0):
            raise WrongUse(
                f"C == {self.C}, must be >= 0 and finite: the weight of the penalty cannot be negative or NaN."
            )
        F = np.eye(p) if self.F is None else np.atleast_2d(np.asarray(self.F, dtype=np.float64))
        if F.shape[1] != p:
            raise DataError(f"F has {F.shape[1]} columns, but X has {p}: one for each coefficient is needed.")
        g = np.zeros(len(F)) if self.g is None else np.asarray(self.g, dtype=np.float64)
        if g.shape[:1] != (len(F),) or g.ndim > 2 or (g.ndim == 2 and g.shape[1] != targets):
            raise DataError(f"g has shape {g.shape}; F has {len(F)} rows, so it must be ({len(F)},).")
        if not (np.isfinite(F).all() and np.isfinite(g).all()):
            raise DataError("F or g contains NaN or infinity. Give finite numbers.")
        return F, np.broadcast_to(g if g.ndim == 2 else g[:, None], (len(F), targets))

    def _solve(self, m: Moments) -> None:
        """Solve (1)."""
        F, g = self._penalty(m.p, m.targets)
        S, c, _, _, _ = normal_equations(m, self.fit_intercept)
        A, b = S + self.C * (F.T @ F), c + self.C * (F.T @ g)
        try:
            factor: Any = Cholesky(A)
            factor = factor if factor.condition < 1e14 else MinimumNorm.of_scatter(A)
        except SingularProblem:
            factor = MinimumNorm.of_scatter(A)
        self._adopt(m, factor, factor.solve(b), S)

    def _adopt(self, m: Moments, factor: Any, coef: Matrix, S: Matrix) -> None:
        mean = m.x_mean if self.fit_intercept else np.zeros(m.p)
        self._factor, self._centre, self._count, self._scatter = factor, mean, float(m.count), S
        self._set_linear(
            np.ascontiguousarray(coef.T), m.y_mean - mean @ coef if self.fit_intercept else np.zeros(m.targets)
        )

    def refine(self, source: Source, m: Moments) -> None:
        if self._factor.condition > FACTOR_FROM:
            F, g = self._penalty(m.p, m.targets)
            q: QRFactor = engine_for(source).reduce(
                source, Factorisation(m.origin), rows=max(BLOCK_ROWS, 4 * m.n_columns)
            )
            R = q.centred if self.fit_intercept else q.uncentred
            stacked = triangle(np.vstack([R[: m.p], np.sqrt(self.C) * np.hstack([F, g])]))
            Rxx, Rxy = stacked[: m.p, : m.p], stacked[: m.p, m.p :]
            if len(Rxx) < m.p:
                Rxx, Rxy = (np.vstack([a, np.zeros((m.p - len(Rxx), a.shape[1]))]) for a in (Rxx, Rxy))
            factor = factor_of(Rxx, 1e-13)
            coef = factor.solve(Rxx.T @ Rxy)
            coef = coef + factor.solve(Rxx.T @ (Rxy - Rxx @ coef))  # one step of refinement on the factor
            self._adopt(m, factor, coef, self._scatter)
        if isinstance(self._factor, MinimumNorm) and self._factor.rank < m.p:
            say(
                f"{list_columns(self._factor.dependent(), self)} determined neither by the rows nor by F: the shortest solution is "
                "given. Add rows to F.", ConditionWarning,
            )  # fmt: skip

    @property
    def effective_dof_(self) -> float:
        """Trace of the smoother, intercept apart."""
        check_is_fitted(self)
        return float(np.trace(self._factor.solve(self._scatter)))
