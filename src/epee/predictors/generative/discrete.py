r"""What naive Bayes models of discrete columns share: smoothing, priors, and events that a class has never seen.

With no smoothing a class that never saw an event gives it probability 0, whose logarithm is minus infinity. The limit
of a vanishing smoothing is kept instead: the classes with the fewest impossible events stay, ranked by the rest of
their score.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.errors import WrongUse
from epee.estimator.base import say
from epee.predictors.generative.generator import GenerativeClassifier, check_priors, log_of
from epee.typing import Matrix, Tensor, Vector

IMPOSSIBLE = 1e10  # what one impossible event more costs: beyond any finite score


class DiscreteNB(GenerativeClassifier):
    """Parameters ``alpha``, ``force_alpha``, ``fit_prior`` and ``class_prior`` as in scikit-learn."""

    _minimum_classes = 1
    alpha: Any
    force_alpha: bool
    fit_prior: bool
    class_prior: Any

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # on the continuous columns of scikit-learn's checks
        return tags

    def _smoothing(self) -> Any:
        """Return alpha, a number or (p,), checked."""
        alpha = np.asarray(self.alpha, dtype=np.float64)
        if not np.isfinite(alpha).all() or (alpha < 0).any():
            raise WrongUse(
                f"All values in alpha must be greater than 0, or 0 itself, and finite: alpha is {self.alpha!r}."
            )
        if alpha.ndim and alpha.shape != (self.n_features_in_,):
            raise WrongUse(
                f"When alpha is an array, it should contains `n_features`. Got {alpha.shape} instead of ({self.n_features_in_},)."
            )
        if alpha.min() < 1e-10 and not self.force_alpha:
            say(
                "alpha too small will result in numeric errors, setting alpha = 1.0e-10. Use `force_alpha=True` to keep alpha unchanged."
            )
            alpha = np.maximum(alpha, 1e-10)
        return alpha

    def _given_priors(self) -> Vector | None:
        """Return the priors that do not depend on the rows, or None."""
        if self.class_prior is not None:
            return check_priors(self.class_prior, self.classes_, "class_prior")
        return None if self.fit_prior else np.full(len(self.classes_), 1.0 / len(self.classes_))

    def _set_priors(self, count: Vector) -> None:
        given = self._given_priors()
        self.class_count_ = count
        self.class_log_prior_ = log_of(count / count.sum() if given is None else given)

    def predict_joint_log_proba(self, X: Any) -> Matrix:
        """Return log P(x, y) of each row and class (n, K)."""
        return self._score(self._leave(X))

    def _log_priors(self) -> Vector:
        return self.class_log_prior_


def finite_part(logs: Tensor) -> tuple[Tensor, Tensor]:
    """Return the logarithms with 0 for minus infinity, the same where there is none, and where that was.

    >>> finite_part(np.array([-1.0, -np.inf]))
    (array([-1.,  0.]), array([0., 1.]))
    """
    if not logs.size or np.min(logs) > -np.inf:
        return logs, np.zeros_like(logs)
    never = np.isneginf(logs)
    return np.where(never, 0.0, logs), never.astype(np.float64)


def settle(scores: Matrix, impossible: Matrix) -> Matrix:
    """Return scores (n, K) lowered by what each class finds impossible beyond the most lenient one.

    >>> settle(np.array([[-1.0, -3.0]]), np.array([[1.0, 0.0]]))
    array([[-1.e+10, -3.e+00]])
    """
    return scores - IMPOSSIBLE * (impossible - impossible.min(axis=1, keepdims=True))
