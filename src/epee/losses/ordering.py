r"""The ranking loss: how often a row of a class is placed below one of another.

One minus the area under the ROC curve, :math:`1 - A = P(s_+ < s_-) + \frac12 P(s_+ = s_-)`, is a mean over pairs of rows, not over
rows. Yet every row has a part in it: with :math:`a_i` the share of negatives below a positive, :math:`b_j` the share of positives above
a negative,

.. math:: e_i = (1 - A) + \frac{n}{n_+} (A - a_i), \qquad e_j = (1 - A) + \frac{n}{n_-} (A - b_j), \tag{1}

whose mean is exactly :math:`1 - A`, and whose spread gives DeLong's standard error. With weights, shares and :math:`n` are sums of them: a
pair weighs the product of its rows, and a weight of two is the row twice. So a ranking can be compared, paired and bootstrapped
like any other loss. Such a loss is one of a *set* of rows (``rowwise`` is False): a row's part depends on the others of its test sample.
With more than two classes it is the mean over classes of one against the rest. Where only one class is there nothing can be ranked, and
the loss is 1/2, that of chance.

References: DeLong, DeLong and Clarke-Pearson, "Comparing the areas under two or more correlated ROC curves", *Biometrics* 44, 1988.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from epee.losses.loss import Kind, Loss
from epee.typing import ArrayLike, Vector


def parts_of(score: Vector, positive: np.ndarray, weight: Vector | None = None) -> Vector:
    """Return the part (1) of every row in one minus the area.

    >>> parts_of(np.array([1.0, 2.0, 3.0]), np.array([False, True, False])).tolist()
    [-0.25, 0.5, 1.25]
    """
    w = np.ones(len(score)) if weight is None else np.asarray(weight, dtype=np.float64)
    n, P = float(w.sum()), float(w[positive].sum())
    if not 0 < P < n:
        return np.full(len(score), 0.5)
    values, where = np.unique(score, return_inverse=True)
    where = where.reshape(-1)
    p, q = (np.bincount(where, w * own, minlength=len(values)) for own in (positive, ~positive))
    below, above = np.cumsum(q) - q / 2, P - np.cumsum(p) + p / 2
    placement = np.where(positive, below[where] / (n - P), above[where] / P)
    area = float(np.average(placement[positive], weights=w[positive]))
    return (1 - area) + np.where(positive, n / P, n / (n - P)) * (area - placement)


@dataclass(frozen=True, eq=False)
class Ranking(Loss):
    """One minus the area under the ROC curve, equation (1).

    Parameters
    ----------
    classes : array of labels, default=None
        The classes that the columns of scores stand for; ``bind`` sets it.

    Examples
    --------
    >>> Ranking().value([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1]).mean()
    np.float64(0.25)
    """

    name: ClassVar[str] = "auc"
    kind: ClassVar[Kind] = "score"
    convex: ClassVar[bool] = False
    rowwise: ClassVar[bool] = False
    high: ClassVar[float] = 1.0

    def value(self, prediction: ArrayLike, y: ArrayLike) -> Vector:
        return self.weighed(prediction, y)

    def weighed(self, prediction: ArrayLike, y: ArrayLike, weight: ArrayLike | None = None) -> Vector:
        scores, codes = np.asarray(prediction, dtype=float), self.codes(y)
        w = None if weight is None else np.asarray(weight, dtype=np.float64)
        if scores.ndim == 1:
            return parts_of(scores, codes == 1, w)
        there = np.unique(codes if w is None else codes[w > 0])
        return np.mean([parts_of(scores[:, k], codes == k, w) for k in there], axis=0)
