r"""Classes that appear later.

A classifier answers one of the classes that it knows, and says nothing when a row belongs to none of them. Here each class is given a
cloud, mean :math:`\mu_k` and covariance :math:`\Sigma_k`, and a row is as strange as it is far from all of them,

.. math:: s(x) = \min_k\, (x - \mu_k)^\top \Sigma_k^{-1} (x - \mu_k). \tag{1}

How strange is strange is asked of the rows that were learned from, each left out of its own cloud: with :math:`g` the distance of a row
to its class of :math:`n_k` rows,

.. math:: g_{(-i)} = \frac{n_k}{n_k - 1}\, \frac{g}{1 - g / (n_k - 1)}, \qquad
          p(x) = \frac{1 + \#\{i : s_{(-i)} \ge s(x)\}}{n + 1}. \tag{2}

A row of a known class has :math:`p(x) \le \alpha` with a probability of about :math:`\alpha`, whatever the clouds look like.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.stats import binom
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from epee.decision.wrapping import AroundClassifier, inner_has
from epee.errors import DataWarning, WrongUse
from epee.estimator.base import encode_labels, say
from epee.estimator.protocol import Answer, Judge, Needs
from epee.solve.cholesky import Cholesky
from epee.table.block import check_weights
from epee.table.frames import taken_apart
from epee.table.partitions import in_kind
from epee.typing import Labels, Matrix, Vector

CHANCE = 1e-3  # so rarely is something said of rows of the classes that were learned
FLOOR = 1e-6  # of the mean variance, added to every direction


class OpenClassifier(AroundClassifier):
    r"""A classifier that notices rows of a class it has never seen, and says so.

    Parameters
    ----------
    estimator : classifier
        Ours or scikit-learn's, on numeric inputs.
    level : float in (0, 1), default=0.01
        Share :math:`\alpha` of the rows of known classes that count as strange; a larger one notices more and errs more.
    label : label, default=None
        What ``predict`` answers for strange rows; None leaves them to the classifier, and only says how many there are.

    Attributes
    ----------
    estimator_ : fitted classifier
    classes_ : array (K,)
    distances_ : array (n,)
        The strangeness (2) of the rows learned from, each without itself, in increasing order.

    Notes
    -----
    ``predict`` warns (:class:`~epee.errors.DataWarning`) when more rows are strange than chance explains. Distances cost
    :math:`O(Kp^2)` a row. With fewer than :math:`1/\alpha - 1` rows nothing can be called strange, and ``fit`` says so.

    References
    ----------
    Vovk, Gammerman and Shafer, *Algorithmic Learning in a Random World*, chapter 2.

    Examples
    --------
    >>> from epee import GaussianNB
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(200, 2)) + 4.0 * (np.arange(200) % 2)[:, None], np.arange(200) % 2
    >>> model = OpenClassifier(GaussianNB(), label=-1).fit(X, y)
    >>> model.novelty([[0.1, 0.0], [9.0, -9.0]]).round(3)
    array([0.99 , 0.005])
    """

    state_parts = ("_means", "_factors")

    def __init__(self, estimator: Any, *, level: float = 0.01, label: Any = None) -> None:
        self.estimator = estimator
        self.level = level
        self.label = label

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit a copy of the estimator, and the cloud of each class; rows of weight 0 are left out."""
        if not 0 < self.level < 1:
            raise WrongUse(f"level is {self.level!r}; it must lie between 0 and 1.")
        X, y, sample_weight = taken_apart(X, y, sample_weight)
        super().fit(X, y, sample_weight)
        if self.label is not None and self.label in self.classes_.tolist():
            raise WrongUse(f"label {self.label!r} is one of the classes; give another for what is new.")
        rows = self._numbers(X)
        codes = np.searchsorted(self.classes_, encode_labels(y)[0])[encode_labels(y)[1]]
        w = check_weights(sample_weight, len(rows))
        w = np.ones(len(rows)) if w is None else w
        rows, codes, w = rows[w > 0], codes[w > 0], w[w > 0]
        K, p = len(self.classes_), rows.shape[1]
        counts = np.bincount(codes, weights=w, minlength=K)
        self._means = np.stack([np.bincount(codes, weights=w * column, minlength=K) for column in rows.T], axis=1)
        self._means /= np.maximum(counts, 1e-300)[:, None]
        about = rows - self._means[codes]
        pooled = float((w @ about**2).sum() / (w.sum() * p))
        floor = FLOOR * pooled if pooled > 0 else 1.0
        self._factors = np.empty((K, p, p))
        for k in range(K):
            own = codes == k
            cloud = (w[own, None] * about[own]).T @ about[own] / max(counts[k], 1.0)
            self._factors[k] = Cholesky(cloud + floor * np.eye(p)).half_solve(np.eye(p))
        all_ = self._distances(rows)  # (n, K)
        own = all_[np.arange(len(rows)), codes]
        left = np.maximum(counts[codes] - np.minimum(w, 1.0), 1e-300)
        room = 1.0 - own / left
        all_[np.arange(len(rows)), codes] = np.where(
            room > 1e-9, counts[codes] / left * own / np.maximum(room, 1e-9), np.inf
        )
        self.distances_ = np.sort(np.repeat(all_.min(axis=1), np.maximum(w.round().astype(int), 1)))
        least = 1.0 / (len(self.distances_) + 1.0)  # of all p-values (2)
        if least > self.level:
            say(
                f"{len(self.distances_)} rows are too few to call any row strange at level {self.level:g}: give more rows, or a level "
                f"of at least {np.ceil(1e4 * least) / 1e4:g}.",
                DataWarning,
            )
        return self

    def _numbers(self, X: Any) -> Matrix:
        rows = self.clean(X)
        rows = rows.toarray() if hasattr(rows, "toarray") else rows
        try:
            return np.asarray(rows, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise WrongUse("OpenClassifier measures distances, and X holds texts; encode them first.") from error

    def _distances(self, rows: Matrix) -> Matrix:
        """Return the squared distances (n, K) to the clouds."""
        return np.stack(
            [
                (((rows - mean) @ half.T) ** 2).sum(axis=1)
                for mean, half in zip(self._means, self._factors, strict=True)
            ],
            axis=1,
        )

    def novelty(self, X: Any) -> Vector:
        """Return p(x) of (2) for each row (n,): small for rows that are like none of the classes."""
        check_is_fitted(self)
        return self._p_values(self._numbers(X))

    def _p_values(self, rows: Matrix) -> Vector:
        n, s = len(self.distances_), self._distances(rows).min(axis=1)
        return (1.0 + n - np.searchsorted(self.distances_, s * (1 - 1e-12), side="left")) / (n + 1.0)

    def predict(self, X: Any) -> Labels:
        """Return the class of each row (n,), or ``label`` where it is like none; says when there are more than chance explains."""
        check_is_fitted(self)
        answers = np.asarray(self.estimator_.predict(X))
        strange = self.novelty(X) <= self.level
        k, m = int(strange.sum()), len(strange)
        if k and binom.sf(k - 1, m, self.level) < CHANCE:
            say(
                f"{k} of {m} rows are farther from every class than {1 - self.level:.0%} of the rows learned from, the first is row "
                f"{int(np.argmax(strange))}: perhaps a class that was not there. Look at them, and learn again with its label.",
                DataWarning,
            )
        if self.label is None or not k:
            return answers
        out = answers.astype(np.result_type(answers, np.asarray(self.label)) if _alike(answers, self.label) else object)
        out[strange] = self.label
        return out

    def answers(self, needs: Needs) -> Answer | None:
        """Return what the classifier inside answers for clean rows: it decides among the classes it knows."""
        return self.estimator_.answers(needs) if isinstance(self.estimator_, Judge) else None

    @available_if(inner_has("predict_proba"))
    @in_kind
    def predict_proba(self, X: Any) -> Matrix:
        """Return the probability of each known class (n, K)."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict_proba(X))

    @available_if(inner_has("decision_function"))
    @in_kind
    def decision_function(self, X: Any) -> Matrix:
        """Return the scores of the classifier inside."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.decision_function(X))


def _alike(answers: np.ndarray, label: Any) -> bool:
    """Tell whether a label can stand beside the answers in one plain array."""
    return (answers.dtype.kind == "U") == isinstance(label, str) and answers.dtype.kind in "Uif"
