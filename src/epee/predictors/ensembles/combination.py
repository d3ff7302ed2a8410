r"""A combination of predictors: weights that are not negative and add to one.

Let :math:`r_m(x, y) = y - f_m^{(-)}(x)` be the out-of-fold error of predictor m (of the probabilities, for classes). As the weights
add to one, the error of the combination is :math:`\sum_m w_m r_m`, so all that matters is one matrix of sums,

.. math:: E_{ml} = \sum_i r_m(x_i, y_i)\, r_l(x_i, y_i), \qquad \min_w\; w^\top E\, w, \quad w \ge 0,\; \sum_m w_m = 1. \tag{1}

The conditions of optimality of (1) are those of :math:`\min_{v \ge 0} v^\top E v - 2 \sum_m v_m` up to the length of v, which is a
least squares problem with coefficients that are not negative; then :math:`w = v / \sum v`. The matrices of the folds add, so the weights
without a fold cost no refit, and the error of the combination itself is estimated with the weights found without the row.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils import assert_all_finite, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, column_or_1d, has_fit_parameter

from epee.engines.local import in_order
from epee.errors import DataError, WrongUse
from epee.estimator.base import encode_labels, enter_values
from epee.estimator.kinds import InKind, all_here
from epee.estimator.remembering import RemembersRows
from epee.estimator.state import Saved
from epee.losses.names import resolve
from epee.risk.copies import copies_of
from epee.risk.estimate import Risk
from epee.risk.mean_loss import ends_of, mean_loss
from epee.risk.route import GLANCE
from epee.risk.units import as_counts, per_row, stands_for_rows, taken_as, unsaid
from epee.risk.watching import looked_rows, watched
from epee.solve.cholesky import Cholesky
from epee.solve.positive import non_negative
from epee.table.block import check_weights
from epee.table.doors import width_of
from epee.table.fingerprints import fingerprint
from epee.table.folds import assign_folds, check_folds
from epee.table.sparse import is_sparse
from epee.table.taking import take_rows
from epee.typing import Codes, Labels, Matrix, Tensor, Vector


class Combination(MetaEstimatorMixin, InKind, RemembersRows, Saved, BaseEstimator):
    r"""Several predictors as one: the weighted mean of what they say, with the weights (1).

    Parameters
    ----------
    estimators : list of estimators, or of (name, estimator)
        Regressors, or classifiers with probabilities.
    rule : {"weights", "mean"}, default="weights"
        The weights (1), or all the same.
    folds : int, default=5
        Cuts for the out-of-fold predictions; more cost more fits.
    random_state : int, default=0
        Seed of the folds.

    Attributes
    ----------
    weights_ : array (M,)
        Not negative, with sum one.
    estimators_ : list
        The predictors, fitted on all rows.
    cv_risk_ : Risk
        The error of the combination on rows that neither the predictors nor the weights had seen.
    classes_ : array (K,)
        For classifiers.

    Notes
    -----
    Costs ``folds + 1`` fits of each predictor; the weights cost :math:`O(M^3)`.

    References
    ----------
    L. Breiman, "Stacked regressions", *Machine Learning* 24, 1996.

    Examples
    --------
    >>> from epee import LinearRegression, DecisionTreeRegressor
    >>> X = np.linspace(0, 1, 60)[:, None]
    >>> model = Combination([LinearRegression(), DecisionTreeRegressor(max_depth=2)]).fit(X, 3 * X[:, 0])
    >>> model.weights_.round(3)
    array([1., 0.])
    """

    def __init__(self, estimators: Any, *, rule: str = "weights", folds: int = 5, random_state: int = 0) -> None:
        self.estimators = estimators
        self.rule = rule
        self.folds = folds
        self.random_state = random_state

    @classmethod
    def around(cls, fitted: Sequence[Any], weights: Sequence[float]) -> Self:
        """Return the combination of predictors that are fitted already, with weights that somebody has found."""
        made = cls([clone(model) for model in fitted])
        made.estimators_, made.weights_ = list(fitted), np.asarray(weights, dtype=np.float64)
        for name in ("n_features_in_", "feature_names_in_", "classes_"):
            if hasattr(fitted[0], name):
                setattr(made, name, getattr(fitted[0], name))
        return made

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        members = [get_tags(member) for _, member in self._members()]
        if members:
            tags.estimator_type = members[0].estimator_type
            tags.classifier_tags, tags.regressor_tags = members[0].classifier_tags, members[0].regressor_tags
            tags.target_tags.required = True
            tags.input_tags.allow_nan = all(_takes_missing(member) for _, member in self._members())
        return tags

    def _members(self) -> list[tuple[str, Any]]:
        """Return the predictors with their names."""
        given = list(self.estimators)
        return [item if isinstance(item, tuple) else (type(item).__name__.lower(), item) for item in given]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the weights on out-of-fold predictions, then fit every predictor on all rows."""
        members = [member for _, member in self._members()]
        if not members:
            raise WrongUse("estimators is empty; a combination needs at least one predictor.")
        if self.rule not in ("weights", "mean"):
            raise WrongUse(f"rule is {self.rule!r}; it must be 'weights' or 'mean'.")
        by_class = is_classifier(members[0])
        for member in members:
            if is_classifier(member) != by_class or (by_class and not hasattr(member, "predict_proba")):
                raise WrongUse(
                    f"{type(member).__name__} cannot be combined here: give regressors, or classifiers with predict_proba."
                )
        if y is None:
            raise DataError("requires y to be passed, but the target y is None.")
        X, y, sample_weight = all_here(self, X, y, sample_weight)
        if is_sparse(X):
            raise DataError("Sparse data was passed, and a combination takes dense data only: use X.toarray().")
        X, y = X if hasattr(X, "shape") else np.asarray(X), column_or_1d(y, warn=True)
        if len(X.shape) == 2 and X.shape[0] < 2:
            raise DataError(
                f"n_samples = {X.shape[0]}: a combination needs at least two rows, to predict some without them."
            )
        self.estimators_ = [self._trained(member, X, y, sample_weight) for member in members]
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimators_[0], name):
                setattr(self, name, getattr(self.estimators_[0], name))
        self._note_rows(X, y)  # a test on the same rows is refused
        self._weigh(members, X, y, sample_weight, by_class)
        return self

    def _weigh(self, members: list[Any], X: Any, y: np.ndarray, sample_weight: Any, by_class: bool) -> None:
        codes: Codes | None = None
        if by_class:
            self.classes_, codes = encode_labels(y)
            truth = np.eye(len(self.classes_))[codes]  # (n, K)
        else:
            truth = enter_values(y, len(y), several=False)[:, None]
        w = per_row(check_weights(sample_weight, len(truth)))[0]
        check_folds(self.folds, max(len(truth), 2))
        copies = None if stands_for_rows(w) else copies_of(X, y, len(truth))
        first: Any = slice(None) if copies is None else np.unique(copies, return_index=True)[1]
        n = len(truth[first])  # copies are dealt as one
        fold = assign_folds(None if codes is None else codes[first], n, min(self.folds, n), int(self.random_state))
        fold = fold if copies is None else fold[copies]
        Z = np.stack(
            [self._out_of_fold(member, X, y, w, fold, truth.shape[1]) for member in members], axis=1
        )  # (n, M, K)
        error = truth[:, None] - Z
        weight = np.ones(len(truth)) if w is None else w
        by_fold = np.stack([
            np.einsum("imk,i,ilk->ml", error[fold == k], weight[fold == k], error[fold == k], optimize=True) for k in range(fold.max() + 1)
        ])  # fmt: skip
        M = len(members)
        even = np.full(M, 1 / M)
        total = by_fold.sum(axis=0)
        self.weights_ = even if self.rule == "mean" else simplex_weights(total)
        said = np.empty((len(truth), truth.shape[1]))
        for k in range(len(by_fold)):
            others = even if self.rule == "mean" else simplex_weights(np.delete(by_fold, k, axis=0).sum(axis=0))
            said[fold == k] = np.einsum("imk,m->ik", Z[fold == k], others)
        self.cv_risk_ = self._risk(X, y, said, w, copies)

    def _risk(
        self, X: Any, y: np.ndarray, said: Matrix, w: Vector | None, copies: Codes | None = None, level: float = 0.95
    ) -> Risk:
        by_class = hasattr(self, "classes_")
        loss = resolve(None, "classifier" if by_class else "regressor")
        answer = self.classes_[np.argmax(said, axis=1)] if by_class else said[:, 0]
        losses = loss.value(answer, y if by_class else np.asarray(y, dtype=float).reshape(-1))
        of_rows = partial(mean_loss, losses, w, loss=loss, groups=copies)
        found, ends_at = of_rows(level=level), partial(ends_of, of_rows)
        counts = as_counts(w, len(losses))
        together = "" if copies is None else ", copies of a row together"
        how = f"out of {self.folds} folds, weights included{together}{taken_as(w)}"
        risk = Risk(
            found.value, found.stderr, found.interval, level, float(counts.sum()), loss.name, how, found.dof, row_losses=losses,
            weight=w, rows=fingerprint(X, y), ends_at=ends_at, caution=unsaid(w) or found.sentence,
        )  # fmt: skip
        if len(losses) * width_of(X) > GLANCE:
            return risk
        some, worth = looked_rows(w, counts, copies)
        places: Any = slice(None) if some is None else some
        if by_class:
            rest, target, codes = losses, None, np.searchsorted(self.classes_, y)
        else:
            target, codes = np.asarray(y, dtype=float).reshape(-1), None
            rest = target - answer
        own = [None if a is None else a[places] for a in (target, codes)]
        return watched(risk, rest[places], X, some, (), *own, None, worth)

    @staticmethod
    def _trained(member: Any, X: Any, y: Any, w: Any) -> Any:
        if w is None:
            return clone(member).fit(X, y)
        if not has_fit_parameter(member, "sample_weight"):
            raise WrongUse(
                f"{type(member).__name__} takes no sample_weight; leave it out of the combination, or the weights away."
            )
        return clone(member).fit(X, y, sample_weight=w)

    def _out_of_fold(self, member: Any, X: Any, y: np.ndarray, w: Vector | None, fold: Codes, K: int) -> Matrix:
        """Return what a predictor that did not see the row says, (n, K)."""
        out = np.zeros((len(y), K))

        def work(k: int) -> tuple[np.ndarray, Matrix]:
            learn, judge = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
            model = self._trained(member, take_rows(X, learn), y[learn], None if w is None else w[learn])
            return judge, self._says(model, take_rows(X, judge), K)

        for judge, said in in_order(work, range(int(fold.max()) + 1)):
            out[judge] = said
        return out

    def _says(self, model: Any, X: Any, K: int) -> Matrix:
        """Return the probabilities in the order of ``classes_``, 0 for a class the model never saw; or the values (n, 1)."""
        if not hasattr(self, "classes_"):
            return np.asarray(model.predict(X), dtype=float).reshape(-1, 1)
        known = model.predict_proba(X)
        P = np.zeros((len(known), K))
        P[:, np.searchsorted(self.classes_, model.classes_)] = known
        return P

    def _combined(self, X: Any) -> Matrix:
        check_is_fitted(self)
        if not get_tags(
            self
        ).input_tags.allow_nan:  # a member that would refuse them may weigh nothing, and not be asked
            assert_all_finite(np.asarray(X), estimator_name="Combination", input_name="X")
        K = len(self.classes_) if hasattr(self, "classes_") else 1
        used = [(w, model) for w, model in zip(self.weights_, self.estimators_) if w > 0]
        return sum(w * self._says(model, X, K) for w, model in used)

    def predict(self, X: Any) -> Labels:
        """Return the weighted mean of the values (n,), or the class of the largest weighted mean of the probabilities."""
        said = self._combined(X)
        return self.decided(said) if hasattr(self, "classes_") else said[:, 0]

    def decided(self, P: Matrix) -> Labels:
        """Return the class of the largest probability (n,), of those of each row (n, K)."""
        return self.classes_[np.argmax(P, axis=1)]

    @available_if(lambda self: bool(self._members()) and is_classifier(self._members()[0][1]))
    def predict_proba(self, X: Any) -> Matrix:
        """Return the weighted mean of the probabilities (n, K)."""
        return self._combined(X)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy, or R2."""
        from sklearn.metrics import accuracy_score, r2_score

        judge = accuracy_score if hasattr(self, "classes_") else r2_score
        return float(judge(y, self.predict(X), sample_weight=sample_weight))


def _takes_missing(member: Any) -> bool:
    """Tell whether a predictor takes missing cells; of a pipeline its first step decides, which may fill them."""
    first = member.steps[0][1] if isinstance(member, Pipeline) else member
    return bool(get_tags(first).input_tags.allow_nan)


def simplex_weights(E: Tensor) -> Vector:
    """Return the weights (1).

    >>> simplex_weights(np.array([[1.0, 0.0], [0.0, 3.0]]))
    array([0.75, 0.25])
    """
    M = len(E)
    scale = float(np.trace(E)) / M
    if not scale > 0:
        return np.full(M, 1 / M)
    v = non_negative(Cholesky(E / scale + 1e-10 * np.eye(M)), np.ones((M, 1)))[:, 0]
    return v / v.sum()
