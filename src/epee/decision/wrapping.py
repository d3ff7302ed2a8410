"""What decisions around another classifier share: they fit a copy of it and answer for its classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from epee.errors import WrongUse
from epee.estimator.dof import shown_degrees_of_freedom
from epee.estimator.kinds import InKind
from epee.estimator.protocol import Counted, Judge
from epee.estimator.remembering import RemembersRows
from epee.estimator.state import Saved


class AroundClassifier(MetaEstimatorMixin, ClassifierMixin, InKind, RemembersRows, Saved, BaseEstimator):
    """A classifier that holds a fitted copy of another in ``estimator_``."""

    estimator: Any

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.input_tags, tags.classifier_tags = inner.input_tags, inner.classifier_tags
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit a copy of the estimator; ``sample_weight`` goes to it."""
        weighted = {} if sample_weight is None else {"sample_weight": sample_weight}
        if weighted and not has_fit_parameter(self.estimator, "sample_weight"):
            raise WrongUse(f"{type(self.estimator).__name__} takes no sample_weight.")
        self.estimator_ = clone(self.estimator).fit(X, y, **weighted)
        self._note_rows(X, y)  # a test on the same rows is refused
        self.classes_ = self.estimator_.classes_
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        return self

    def degrees_of_freedom(self, X: Any = None) -> float:
        """Return the effective degrees of freedom of the classifier inside, NaN when unknown."""
        inner = self.estimator_
        return inner.degrees_of_freedom(X) if isinstance(inner, Counted) else shown_degrees_of_freedom(inner, X)

    def clean(self, X: Any) -> Any:
        """Check rows as the classifier inside would and return them."""
        check_is_fitted(self)
        return self.estimator_.clean(X) if isinstance(self.estimator_, Judge) else X


def inner_has(name: str) -> Callable[[Any], bool]:
    """Return the question whether the classifier inside has a method, for ``available_if``."""
    return lambda self: hasattr(getattr(self, "estimator_", self.estimator), name)
