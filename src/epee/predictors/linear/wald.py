r"""How sure the weights of a logistic regression are: Wald's table.

At the maximum of the likelihood the weights are about Gaussian with the inverse of the Fisher information as
covariance,

.. math:: \hat\theta \approx \mathcal N\bigl(\theta, I^{-1}\bigr), \qquad I = \sum_i \omega_i\, e''(s_i) \otimes \tilde
          x_i \tilde x_i^\top, \tag{1}

so :math:`z = \hat\theta_j / \sqrt{(I^{-1})_{jj}}` tests whether a weight is 0. The deviance is :math:`-2 \ln L`, AIC
adds twice the number of weights. With :math:`K` classes weights are differences to those of the first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from epee.optimize.linear_risk import LinearRisk
from epee.typing import Matrix, Vector


@dataclass
class WaldTable:
    """Weights with their errors; prints as a table.

    Attributes
    ----------
    names : list of str
    coef, stderr, z, p_value, low, high : arrays, one entry a weight
    deviance, null_deviance, aic, bic : float
    n : float
        The sum of weights.
    covariance : array
        The inverse of the Fisher information.
    """

    names: list[str]
    coef: Vector
    stderr: Vector
    deviance: float
    null_deviance: float
    n: float
    covariance: Matrix
    level: float = 0.95

    @property
    def z(self) -> Vector:
        """The weights in units of their standard errors."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.coef / self.stderr

    @property
    def p_value(self) -> Vector:
        """The probability of so large a |z| if the weight were 0."""
        from scipy.special import ndtr

        return 2 * ndtr(-np.abs(self.z))

    def _reach(self) -> Vector:
        from scipy.special import ndtri

        return float(ndtri(0.5 + self.level / 2)) * self.stderr

    @property
    def low(self) -> Vector:
        """The lower ends of the intervals."""
        return self.coef - self._reach()

    @property
    def high(self) -> Vector:
        """The upper ends of the intervals."""
        return self.coef + self._reach()

    @property
    def aic(self) -> float:
        """Akaike's criterion."""
        return self.deviance + 2 * len(self.coef)

    @property
    def bic(self) -> float:
        """Schwarz's criterion."""
        return self.deviance + float(np.log(self.n)) * len(self.coef)

    def at(self, level: float) -> WaldTable:
        """Return the same table with intervals of another level."""
        return replace(self, level=level)

    def __str__(self) -> str:
        width = max([len(name) for name in self.names] + [6])
        head = f"{'':{width}}  {'coef':>10} {'stderr':>9} {'z':>8} {'p':>8}  {f'{100 * self.level:g} % interval':>21}"
        rows = [
            f"{name:{width}}  {c:>10.4g} {s:>9.3g} {z:>8.2f} {p:>8.3g}  {f'[{a:.4g}, {b:.4g}]':>21}"
            for name, c, s, z, p, a, b in zip(
                self.names, self.coef, self.stderr, self.z, self.p_value, self.low, self.high, strict=True
            )
        ]
        foot = f"n = {self.n:g}, deviance {self.deviance:.4f} (null {self.null_deviance:.4f}), AIC {self.aic:.4f}, BIC {self.bic:.4f}"
        return "\n".join([head, *rows, foot])

    __repr__ = __str__


def wald_table(risk: LinearRisk, W: Matrix, model: Any) -> WaldTable:
    """Return the table of an unpenalised fit with weights ``W`` (d, M)."""
    totals = model._weigh_classes(risk.source)
    n, d, K = totals[1], risk.d, len(model.classes_)
    value, _ = risk.at(W)
    H = risk.hessian(W)
    names = [str(name) for name in getattr(model, "feature_names_in_", [f"x{j}" for j in range(model.n_features_in_)])]
    names += ["intercept"] if risk.bias else []
    if risk.M > 1:  # the first class is the reference: its weights are 0
        H, W = H[d:, d:], W[:, 1:] - W[:, :1]
        names = [f"{label}: {name}" for label in model.classes_[1:] for name in names]
    covariance = _inverse(n * H)
    null = _null_value(risk, K)
    return WaldTable(
        names,
        W.T.reshape(-1).copy(),
        np.sqrt(np.maximum(np.diag(covariance), 0.0)),
        2 * n * value,
        2 * n * null,
        n,
        covariance,
    )


def _inverse(information: Matrix) -> Matrix:
    scale = 1 / np.sqrt(np.where(np.diag(information) > 0, np.diag(information), 1.0))
    return np.linalg.pinv(information * scale * scale[:, None], hermitian=True) * scale * scale[:, None]


def _null_value(risk: LinearRisk, K: int) -> float:
    """Return the mean loss of the model with a bias only: the entropy of the class frequencies."""
    if not risk.bias:
        return float(np.log(K))
    slopes = risk.at(np.zeros((risk.d, risk.M)))[1][-1]
    share = np.array([0.5 + slopes[0], 0.5 - slopes[0]]) if risk.M == 1 else 1 / K - slopes
    share = share[share > 0]
    return float(-(share * np.log(share)).sum())
