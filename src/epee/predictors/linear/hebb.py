r"""Hebb's rule.

With targets :math:`d_{ik} = 1` for the class of row :math:`i` and :math:`-1` for the others, the weights are a sum over
the sample,

.. math:: w_k = \sum_i d_{ik}\, x_i, \qquad b_k = \sum_i d_{ik}, \tag{1}

so :math:`s_k(x) = \sum_i d_{ik}\,(1 + x^\top x_i)` is a vote of the training rows, each weighed by its similarity with
:math:`x`. No criterion is minimised; classes of unequal size shift the bias.
"""

from __future__ import annotations

import numpy as np

from epee.estimator.keep import Keep
from epee.moments.moments import Moments
from epee.predictors.linear.closed_forms import LinearScores, target_codes
from epee.typing import Codes, Matrix, Vector


class Hebb(LinearScores):
    r"""A vote of the training rows by similarity: :math:`w_k = \sum_i d_{ik} x_i`.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Add a constant input 1 to every row, so that :math:`b_k = \sum_i d_{ik}`; False drops it, and with classes of
        equal size :math:`w` is then along the difference of the class means.

    Attributes
    ----------
    coef_, intercept_ : arrays (K, p) and (K,), one row with two classes

    Notes
    -----
    Keeps :math:`Kp + K` numbers; one pass. The order of the rows does not matter.

    References
    ----------
    Hertz, Krogh and Palmer, *Introduction to the Theory of Neural Computation*, section 2.2.

    Examples
    --------
    >>> Hebb().fit([[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1]).predict([[-3.0], [0.5]])
    array([0, 1])
    """

    keeps = Keep(group="y", scatter=None)

    def __init__(self, *, fit_intercept: bool = True) -> None:
        self.fit_intercept = fit_intercept

    def _solve(self, m: Moments) -> None:
        D = target_codes(len(m.count))  # (K, K)
        sums = m.count[:, None] * m.mean  # (K, p)
        self._set_scores(D.T @ sums, D.T @ m.count if self.fit_intercept else np.zeros(len(D)))

    def _scores_without(self, X: Matrix, codes: Codes, w: Vector) -> Matrix:
        own = np.minimum(w, 1.0) * (
            np.einsum("ij,ij->i", X, X) + float(self.fit_intercept)
        )  # what a row says of itself
        return self._score(X) - own[:, None] * target_codes(len(self.classes_))[codes]
