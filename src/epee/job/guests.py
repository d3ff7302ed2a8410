"""A predictor of another library as a candidate: its columns, labels, weights and missing cells as that library takes them.

What comes in are the encoded rows of :class:`~epee.table.encoder.TableEncoder`, one column a level. Libraries that cut categories by
sets get one column for each category again: of pandas' categorical type (LightGBM, XGBoost, scikit-learn's histogram boosting, TabPFN), or
of codes that are named to ``fit`` (CatBoost). Labels go in as they are; an estimator that refuses them gets the numbers 0, 1, 2, ...
instead, and its answers are turned back.
"""

from __future__ import annotations

import pickle
from importlib.util import find_spec
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import ClassifierTags, RegressorTags, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import has_fit_parameter

from epee.engines.deadline import OutOfTime, apart, check_time, seconds_left
from epee.estimator.dof import shown_degrees_of_freedom
from epee.job.guest_names import library_of
from epee.job.levels import level_of
from epee.risk.refit import weight_keywords
from epee.risk.steps import last_of
from epee.typing import Labels, Matrix

BY_TYPE = ("lightgbm", "xgboost", "tabpfn")  # take categories by the type of their column
THREADED = ("lightgbm", "xgboost", "catboost", "tabpfn")  # use all cores by themselves


def _has(name: str) -> Any:
    def check(guest: Guest) -> bool:
        return hasattr(getattr(guest, "estimator_", guest.estimator), name)

    return available_if(check)


class Guest(BaseEstimator):
    """An estimator of scikit-learn's kind behind the columns that épée encodes.

    Parameters
    ----------
    estimator : estimator
        Cloned before it is fitted.
    kind : {"classifier", "regressor"}
    groups : list of (start, stop)
        Which columns are the levels of one category.
    told : list of int
        Columns right behind those of a rich category that hold the codes of all its levels.

    >>> from sklearn.svm import SVC
    >>> Guest(SVC(), "classifier").fit([[0.0], [1.0]], ["a", "b"]).predict([[0.9]])
    array(['b'], dtype='<U1')
    """

    def __init__(self, estimator: Any = None, kind: str = "classifier", groups: Any = (), told: Any = ()) -> None:
        self.estimator = estimator
        self.kind = kind
        self.groups = groups
        self.told = told

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit a clone, in a process of its own where there is an end in time."""
        made, (Z, given) = self._ready(), self._columns(np.asarray(X))
        if sample_weight is not None:
            given |= dict.fromkeys(weight_keywords(made), sample_weight)
        self.n_features_in_ = np.shape(X)[1]
        self.coded_ = False
        if self.kind == "regressor":
            self.estimator_ = _done(_fitted, made, Z, y, given)
            return self
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        try:
            self.estimator_ = _done(_fitted, made, Z, y, given)
        except Exception as fault:
            if isinstance(fault, OutOfTime) or np.array_equal(self.classes_, np.arange(len(self.classes_))):
                raise
            try:
                self.estimator_, self.coded_ = _done(_fitted, self._ready(), Z, codes.reshape(-1), given), True
            except OutOfTime:
                raise
            except Exception:  # noqa: BLE001
                raise fault from None  # what it said of the labels as they are
        return self

    def predict(self, X: Any) -> Labels:
        """Return the label or the value of each row."""
        said = np.asarray(self._ask("predict", X))
        if said.ndim == 2 and said.shape[1] == 1:
            said = said[:, 0]
        if self.kind == "regressor":
            return said
        return self.classes_[said.astype(np.intp)] if self.coded_ else said.astype(self.classes_.dtype, copy=False)

    @_has("predict_proba")  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Matrix:
        """Return the probability of each class (n, K)."""
        return np.asarray(self._ask("predict_proba", X), dtype=np.float64)

    @_has("decision_function")  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Any:
        """Return the scores of each row."""
        return np.asarray(self._ask("decision_function", X))

    @property
    def takes_weights(self) -> bool:
        """Tell whether ``fit`` takes weights."""
        return bool(has_fit_parameter(last_of(self.estimator), "sample_weight"))

    @property
    def threads(self) -> bool:
        """Tell whether the estimator uses several cores by itself."""
        last = last_of(self.estimator)
        jobs = getattr(last, "n_jobs", None)
        own = library_of(last) in THREADED or type(last).__name__.startswith("HistGradientBoosting")
        return (own and jobs != 1) or jobs not in (None, 1)

    def length(self) -> float:
        """Return how many bytes it takes to write the fitted estimator down; infinity where it cannot be."""
        try:
            return float(len(pickle.dumps(self.estimator_)))
        except Exception:  # noqa: BLE001 whatever a class of someone else's may raise
            return float("inf")

    def degrees_of_freedom(self, X: Any = None) -> float:
        """Return what its public attributes show; see :mod:`epee.estimator.dof`."""
        return shown_degrees_of_freedom(last_of(self.estimator_))

    def _ready(self) -> Any:
        """Return a clone that knows that categories come by the type of their column."""
        made = clone(self.estimator)
        if self._native and made.get_params().get("enable_categorical") is False:
            made.set_params(enable_categorical=True)
        return made

    @property
    def _native(self) -> str:
        """How the estimator takes categories: "type", "name" or not at all."""
        library = library_of(self.estimator)
        if library == "catboost":
            return "name"
        boosts = type(self.estimator).__name__.startswith("HistGradientBoosting")
        by_type = library in BY_TYPE or (boosts and self.estimator.categorical_features == "from_dtype")
        return "type" if by_type and find_spec("pandas") is not None else ""

    def _columns(self, X: Matrix) -> tuple[Any, dict[str, Any]]:
        """Return the rows as the estimator takes them, and what its ``fit`` must be told of their columns."""
        native = self._native if len(self.groups) else ""
        plain = np.ones(X.shape[1], dtype=bool)
        plain[list(self.told)] = False
        if not native:
            return X[:, plain], {}
        for a, b in self.groups:
            plain[a:b] = False
        codes = [
            X[:, b].astype(np.intp) if native == "name" and b in self.told else level_of(X[:, a:b])
            for a, b in self.groups
        ]  # b - a for a row without a level; all levels of rich categories for CatBoost, which encodes them itself
        first = int(plain.sum())
        if find_spec("pandas") is None:  # CatBoost takes rows of mixed values, too
            mixed = np.column_stack([X[:, plain].astype(object), *codes])
            return mixed, {"cat_features": list(range(first, mixed.shape[1]))}
        import pandas as pd

        frame = pd.DataFrame(X[:, plain], columns=[f"x{j}" for j in range(first)])
        for j, (code, (a, b)) in enumerate(zip(codes, self.groups, strict=True)):
            if native == "type":
                code = pd.Categorical.from_codes(np.where(code < b - a, code, -1), range(b - a))
            frame[f"x{first + j}"] = code
        named = list(range(first, frame.shape[1]))
        return frame, {"cat_features": named} if native == "name" else {}

    def _ask(self, what: str, X: Any) -> Any:
        return _done(_said, self.estimator_, what, self._columns(np.asarray(X))[0])

    def __sklearn_tags__(self) -> Any:
        tags, theirs = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.estimator_type = self.kind
        tags.classifier_tags = ClassifierTags() if self.kind == "classifier" else None
        tags.regressor_tags = RegressorTags() if self.kind == "regressor" else None
        tags.input_tags.allow_nan = theirs.input_tags.allow_nan
        tags.target_tags.multi_output = theirs.target_tags.multi_output
        tags.target_tags.required = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "estimator_")


def _fitted(estimator: Any, X: Any, y: Any, given: dict[str, Any]) -> Any:
    return estimator.fit(X, y, **given)


def _said(estimator: Any, what: str, X: Any) -> Any:
    return getattr(estimator, what)(X)


def _done(work: Any, *given: Any) -> Any:
    """Do some work of another library: here, or apart where there is an end in time."""
    check_time()
    return work(*given) if seconds_left() == float("inf") else apart(work, *given)


def title_of(estimator: Any) -> str:
    """Return what a predictor of another library is called: its class, with the steps in front of it.

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sklearn.svm import SVC
    >>> title_of(make_pipeline(StandardScaler(), SVC()))
    'StandardScaler, SVC'
    """
    steps = getattr(estimator, "steps", None)
    return ", ".join(type(step).__name__ for _, step in steps) if steps else type(estimator).__name__


def class_name(guest: Any) -> str:
    """Return the full name of the class of another library's predictor, of the last where it is a pipeline."""
    last = type(guest.steps[-1][1] if hasattr(guest, "steps") else guest)
    return f"{last.__module__}.{last.__qualname__}"
