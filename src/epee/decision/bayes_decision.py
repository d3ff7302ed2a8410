r"""Decisions of least expected cost.

A predictor gives :math:`P(t \mid x)`; deciding :math:`d` when :math:`t` is true costs :math:`c_{dt}`. The best decision
and its expected cost are

.. math:: \hat d(x) = \arg\min_d \sum_t c_{dt}\, P(t \mid x), \qquad r(x) = \min_d \sum_t c_{dt}\, P(t \mid x). \tag{1}

One decision more may be *rejection*, with costs of its own. With 0-1 costs and a rejection cost :math:`c` this is
Chow's rule: reject where :math:`\max_t P(t \mid x) < 1 - c`. A predictor that learned with priors :math:`\pi` serves
under other priors :math:`\pi'` by

.. math:: P'(t \mid x) \propto P(t \mid x)\, \pi'_t / \pi_t. \tag{2}
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from epee.decision.costs import check_costs
from epee.decision.rejection import ErrorReject
from epee.errors import WrongUse
from epee.estimator.base import encode_labels
from epee.estimator.dof import shown_degrees_of_freedom
from epee.estimator.kinds import InKind
from epee.estimator.protocol import Answer, Counted, Judge, Needs
from epee.estimator.remembering import RemembersRows
from epee.estimator.state import Saved
from epee.losses.decisions import Costs
from epee.predictors.generative.generator import check_priors
from epee.risk.estimate import Risk
from epee.risk.units import as_counts
from epee.table.block import check_weights
from epee.table.frames import taken_apart
from epee.typing import Labels, Matrix, Vector


class BayesDecision(MetaEstimatorMixin, ClassifierMixin, InKind, RemembersRows, Saved, BaseEstimator):
    r"""The decision of least expected cost around any probabilistic classifier.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``
        Ours or scikit-learn's. A fitted one may be used as it is, without ``fit``.
    costs : array (K, K) or (K + 1, K), path of a CSV, or frame with named rows and columns, default=None
        ``costs[d, t]``: the cost of deciding d when t is true, in the order of ``classes_``; a last row is rejection.
        0-1 by default.
    reject_cost : float >= 0, default=None
        The cost of rejection whatever the truth; a larger one rejects fewer rows, None none.
    priors : array (K,), default=None
        Class probabilities where the decision is used, when these are not those of the training rows.
    reject_label : label, default=None
        What ``predict`` returns for rejected rows: -1 for numeric labels, "reject" for text.
    threshold : float in (0, 1) or pair of them, default=None
        Of two classes: decide for the second from this probability on, whatever (1) says; a lower one finds more of it. With rejection, a
        pair: the first class below the one, the second from the other on, and rejection between. None follows the costs. For
        probabilities that are no frequencies, with thresholds found on rows held out.

    Attributes
    ----------
    estimator_ : fitted classifier
    classes_ : array (K,)
    costs_ : array (K, K) or (K + 1, K)

    Notes
    -----
    Decisions are as good as the probabilities: see :class:`Calibrated`. Adding a constant to a column of the costs
    changes nothing.

    References
    ----------
    Chow, "On optimum recognition error and reject tradeoff", *IEEE Transactions on Information Theory* 16 (1970) 41-46.

    Examples
    --------
    >>> from epee import LinearDiscriminantAnalysis
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], [0, 0, 1, 0, 1, 1]
    >>> careful = BayesDecision(LinearDiscriminantAnalysis(), reject_cost=0.2).fit(X, y)
    >>> careful.predict([[0.0], [2.5], [5.0]])
    array([ 0, -1,  1])
    """

    state_parts = ("_frequencies",)

    def __init__(
        self,
        estimator: Any,
        *,
        costs: Any = None,
        reject_cost: float | None = None,
        priors: Any = None,
        reject_label: Any = None,
        threshold: float | tuple[float, float] | None = None,
    ) -> None:
        self.estimator = estimator
        self.costs = costs
        self.reject_cost = reject_cost
        self.priors = priors
        self.reject_label = reject_label
        self.threshold = threshold

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import get_tags

        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.input_tags, tags.classifier_tags = inner.input_tags, inner.classifier_tags
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit a copy of the estimator; ``sample_weight`` goes to it."""
        _require_probabilities(self.estimator)
        X, y, sample_weight = taken_apart(X, y, sample_weight)
        weighted = {} if sample_weight is None else {"sample_weight": sample_weight}
        if weighted and not has_fit_parameter(self.estimator, "sample_weight"):
            raise WrongUse(f"{type(self.estimator).__name__} takes no sample_weight.")
        self.estimator_ = clone(self.estimator).fit(X, y, **weighted)
        self._note_rows(X, y)  # a test on the same rows is refused
        self._read(self.estimator_)
        classes, codes = encode_labels(y)
        w = check_weights(sample_weight, len(codes))
        counts = np.bincount(codes, weights=w, minlength=len(classes)).astype(np.float64)
        self._frequencies = (counts / counts.sum())[np.searchsorted(classes, self.classes_)]
        return self

    @classmethod
    def around(cls, fitted: Any, *, costs: Any = None, reject_cost: float | None = None) -> Self:
        """Return the decision around a classifier that is fitted already."""
        found = cls(fitted, costs=costs, reject_cost=reject_cost)
        found._fitted()
        return found

    def _read(self, fitted: Any) -> None:
        self.classes_ = fitted.classes_
        if hasattr(fitted, "n_features_in_"):
            self.n_features_in_ = fitted.n_features_in_
        if hasattr(fitted, "feature_names_in_"):
            self.feature_names_in_ = fitted.feature_names_in_
        self.costs_ = check_costs(self.costs, self.classes_, self.reject_cost, self.reject_label)
        if self.priors is not None:
            check_priors(self.priors, self.classes_)
        if self.threshold is not None:
            self._check_threshold()
        label = self._rejection()
        if len(self.costs_) > len(self.classes_) and label in self.classes_.tolist():
            raise WrongUse(f"reject_label {label!r} is one of the classes; give another.")

    def _check_threshold(self) -> None:
        """Refuse thresholds that do not suit the table of costs."""
        given = np.atleast_1d(np.asarray(self.threshold, dtype=np.float64))
        places = len(self.costs_) - 1  # one between two decisions, two around rejection
        sound = self.costs_.shape[1] == 2 and given.shape == (places,)
        if not sound or not (given > 0).all() or not (given < 1).all() or given[0] > given[-1]:
            raise WrongUse(
                f"threshold is {self.threshold!r}; it is a probability between 0 and 1, for two classes; "
                "with rejection, two of them in order."
            )

    def _fitted(self) -> Any:
        """Return the classifier inside; one that was fitted before it came here will do."""
        if not hasattr(self, "estimator_"):
            try:
                check_is_fitted(self.estimator)
            except (NotFittedError, TypeError):
                raise NotFittedError(
                    f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments first."
                ) from None
            _require_probabilities(self.estimator)
            self.estimator_ = self.estimator
            self._read(self.estimator)
        return self.estimator_

    def _rejection(self) -> Any:
        if self.reject_label is not None:
            return self.reject_label
        return "reject" if self.classes_.dtype.kind in "USOT" else -1

    def predict_proba(self, X: Any) -> Matrix:
        """Return the class probabilities (n, K), under the given priors by (2)."""
        return self._under_priors(self._fitted().predict_proba(X))

    def _under_priors(self, P: Matrix) -> Matrix:
        P = np.asarray(P, dtype=np.float64)
        if self.priors is None:
            return P
        P = P * (check_priors(self.priors, self.classes_) / np.maximum(self._learned_priors(), 1e-300))
        total = P.sum(axis=1, keepdims=True)
        return np.where(total > 0, P / np.where(total > 0, total, 1.0), np.asarray(self.priors, dtype=np.float64))

    def _learned_priors(self) -> Vector:
        """Return the priors inside the classifier's probabilities: its own where it says so, else the training frequencies."""
        inner = self._fitted()
        if hasattr(inner, "class_log_prior_"):
            return np.exp(inner.class_log_prior_)
        for name in ("priors_", "class_prior_", "class_priors_"):
            if hasattr(inner, name) and np.shape(getattr(inner, name)) == self.classes_.shape:
                return np.asarray(getattr(inner, name), dtype=np.float64)
        if not hasattr(self, "_frequencies"):
            raise WrongUse(
                f"{type(inner).__name__} does not say which priors it learned with: fit it in here, so that they can be counted."
            )
        return self._frequencies

    def predict(self, X: Any) -> Labels:
        """Return the decision of least expected cost (n,); where several are equal, the first class, and rejection last."""
        return self.decided(self.predict_proba(X))

    def decided(self, P: Matrix) -> Labels:
        """Return the decision of least expected cost (n,) for the probabilities of each row (n, K)."""
        return self._labels(self._decide(P))

    def _decide(self, P: Matrix) -> np.ndarray:
        """Return decisions (n,) from probabilities (n, K), by (1) or by the thresholds."""
        if self.threshold is None:
            return (P @ self.costs_.T).argmin(axis=1)
        low, high = np.broadcast_to(np.asarray(self.threshold, dtype=np.float64), 2)
        return np.where(P[:, 1] >= high, 1, np.where(P[:, 1] < low, 0, 2))

    def clean(self, X: Any) -> Any:
        """Check rows as the classifier inside would and return them."""
        inner = self._fitted()
        return inner.clean(X) if isinstance(inner, Judge) else X

    def answers(self, needs: Needs) -> Answer | None:
        """Return the function of clean rows that gives decisions (rejection is one past the last class) or probabilities."""
        inner = self._fitted()
        ask = inner.answers("probabilities") if isinstance(inner, Judge) else inner.predict_proba
        if needs == "probabilities" and ask is not None:
            return lambda X: self._under_priors(ask(X))
        if needs == "labels" and ask is not None:
            return lambda X: self._decide(self._under_priors(ask(X)))
        return None

    def degrees_of_freedom(self, X: Any = None) -> float:
        """Return those of the classifier inside; NaN when they are not known."""
        inner = self._fitted()
        return inner.degrees_of_freedom(X) if isinstance(inner, Counted) else shown_degrees_of_freedom(inner, X)

    def _labels(self, decisions: np.ndarray) -> Labels:
        if len(self.costs_) == len(self.classes_):
            return self.classes_[decisions]
        label = self._rejection()
        kind = self.classes_.dtype.kind
        plain = (kind in "if" and isinstance(label, int | float)) or (kind == "U" and isinstance(label, str))
        if plain and not (kind == "i" and isinstance(label, float)):
            names = np.append(self.classes_, label)
        else:
            names = np.array([*self.classes_.tolist(), label], dtype=object)
        return names[decisions]

    def expected_cost(self, X: Any, *, of_all: bool = False) -> Matrix:
        """Return the expected cost of the decision taken for each row (n,), or of every possible one (n, decisions)."""
        P = self.predict_proba(X)
        table = P @ self.costs_.T  # (n, decisions)
        return table if of_all else np.take_along_axis(table, self._decide(P)[:, None], axis=1)[:, 0]

    @property
    def loss(self) -> Costs:
        """What its decisions cost, as a loss."""
        self._fitted()
        return Costs(self.costs_, self._rejection(), classes=self.classes_)

    def risk(
        self, X: Any, y: Any, *, level: float = 0.95, sample_weight: Any = None, groups: Any = None, time: Any = None
    ) -> Risk:
        """Return the mean cost on rows that were not learned from, with its interval.

        By ``groups`` (n,) of rows that belong together it counts groups, and in ``time`` (n,), or True for the order of the rows, it knows
        that neighbours resemble each other: as in :func:`epee.risk.holdout_error`.
        """
        from epee.risk.holdout import holdout_error  # who only decides has no use for it

        self._fitted()
        plain = self.costs is None and self.reject_cost is None
        loss = None if plain else self.loss
        return holdout_error(self, X, y, loss=loss, level=level, sample_weight=sample_weight, groups=groups, time=time)

    def error_reject_curve(self, X: Any, y: Any, *, level: float = 0.95, sample_weight: Any = None) -> ErrorReject:
        """Return the cost of what is decided against the rate of rejection, for every rejection cost."""
        self._fitted()
        K = len(self.classes_)
        table = self.predict_proba(X) @ self.costs_[:K].T
        truth = Costs(self.costs_[:K], classes=self.classes_).codes(y)
        chosen = self.costs_[K] if len(self.costs_) > K else None
        w = as_counts(check_weights(sample_weight, len(truth)), len(truth))
        return ErrorReject.of(
            table, self.costs_[:K], truth, w, None if chosen is None or np.ptp(chosen) else float(chosen[0]), level
        )


def _require_probabilities(estimator: Any) -> None:
    if not hasattr(estimator, "predict_proba"):
        raise WrongUse(
            f"{type(estimator).__name__} has no predict_proba, and a decision needs probabilities: "
            "wrap it in Calibrated, or take another classifier."
        )
