r"""A predictor that draws its answer.

In place of the most probable class it emits class :math:`g` with probability :math:`q(g \mid x)`. Its risk is

.. math:: R = E_X \sum_g q(g \mid X) \sum_i e(g, \omega_i)\, P(\omega_i \mid X), \tag{1}

a mean, with weights :math:`q`, of the risks of the classes: no draw beats the best class, and under the 0-1 loss drawing from the posterior
errs at most twice as often as Bayes' rule does.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from epee.decision.costs import check_costs
from epee.decision.wrapping import AroundClassifier
from epee.errors import WrongUse
from epee.estimator.protocol import Answer, Judge, Needs
from epee.table.fingerprints import row_uniforms
from epee.typing import Labels, Matrix, Vector


class RandomisedClassifier(AroundClassifier):
    r"""Draw the class from the probabilities of another classifier: :math:`\hat y \sim P(g \mid x)`.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``
        Whose probabilities are drawn from; a copy of it is fitted.
    random_state : int, default=0
        Seed of the draws of ``predict``.

    Attributes
    ----------
    estimator_ : fitted classifier
    classes_ : array (K,)

    Notes
    -----
    ``predict`` draws by a number that follows from the row and the seed, so that a row has the same answer in memory, in a stream and
    on a cluster, whatever rows stand around it. :meth:`draw` draws anew for every row and every time.

    References
    ----------
    Devroye, Györfi and Lugosi, *A Probabilistic Theory of Pattern Recognition*, section 2.1.

    Examples
    --------
    >>> from epee import LinearDiscriminantAnalysis
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], [0, 0, 1, 0, 1, 1]
    >>> model = RandomisedClassifier(LinearDiscriminantAnalysis()).fit(X, y)
    >>> drawn = model.draw([[2.5]], 2000, random_state=0)
    >>> round(float(drawn.mean()), 1), round(float(model.law([[2.5]])[0, 1]), 1)
    (0.5, 0.5)
    """

    def __init__(self, estimator: Any, *, random_state: int = 0) -> None:
        self.estimator = estimator
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Fit a copy of the estimator; ``sample_weight`` goes to it."""
        if not hasattr(self.estimator, "predict_proba"):
            raise WrongUse(
                f"{type(self.estimator).__name__} has no predict_proba to draw from: wrap it in Calibrated, or take another."
            )
        return super().fit(X, y, sample_weight)

    def law(self, X: Any) -> Matrix:
        """Return the probability q(g | x) of each answer (n, K); what is most probable need not be what is drawn."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict_proba(X), dtype=np.float64)

    def predict(self, X: Any) -> Labels:
        """Return a class drawn for each row (n,); the same row is drawn alike each time."""
        P = self.law(X)
        return self.classes_[_drawn(P, self._uniforms(self.clean(X)))]

    def _uniforms(self, X: Any) -> Vector:
        return row_uniforms(X, 0 if self.random_state is None else int(self.random_state))

    def draw(self, X: Any, size: int = 1, random_state: Any = None) -> Labels:
        """Return independent draws (size, n) of the class of each row."""
        P = self.law(X)
        rng = np.random.default_rng(random_state)
        return self.classes_[np.stack([_drawn(P, rng.random(len(P))) for _ in range(size)])]

    def expected_cost(self, X: Any, *, costs: Any = None, proba: Any = None) -> Vector:
        """Return the inner sum of (1) for each row (n,): what the draw costs on average.

        Parameters
        ----------
        X : rows (n, p)
        costs : array (K, K), default=None
            ``costs[d, t]`` of answering d when t is true; 0-1 by default.
        proba : array (n, K), default=None
            The true probabilities of the classes, where they are known; those of the classifier by default.
        """
        Q = self.law(X)
        P = Q if proba is None else np.asarray(proba, dtype=np.float64)
        if P.shape != Q.shape:
            raise WrongUse(
                f"proba has shape {P.shape}; it must be {Q.shape}: a row for each of X, a column for each class."
            )
        C = check_costs(costs, self.classes_, None, None)
        return np.einsum("ng,gt,nt->n", Q, C[: len(self.classes_)], P)

    def answers(self, needs: Needs) -> Answer | None:
        """Return the function of clean rows that gives codes; None without one."""
        inner = self.estimator_.answers("probabilities") if isinstance(self.estimator_, Judge) else None
        return (lambda X: _drawn(inner(X), self._uniforms(X))) if inner is not None and needs == "labels" else None


def _drawn(P: Matrix, u: Vector) -> np.ndarray:
    """Return the class that each number in [0, 1) falls to, by the cumulated probabilities."""
    edges = np.cumsum(P, axis=1)
    return np.minimum((u[:, None] * edges[:, -1:] >= edges).sum(axis=1), P.shape[1] - 1)
