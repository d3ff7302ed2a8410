"""What all estimators share: the door through which data come in, and scikit-learn's contract behind it.

A method that keeps its rows in memory derives from :class:`Classifier`, :class:`Regressor`, :class:`Transformer`,
:class:`Clusterer` or :class:`Density` and writes ``_fit(X, y, w)`` with clean arrays: ``X`` (n, p) float, ``y`` class codes
(n,) of ``classes_`` or values (n,) / (n, m), ``w`` weights (n,) or None. It never validates.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    DensityMixin,
    OneToOneFeatureMixin,
    RegressorMixin,
    TransformerMixin,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

import epee.estimator.kinship  # noqa: F401  (tools that are imported later are told of our models)
from epee.arrays import at_home, is_elsewhere, is_real, namespace
from epee.engines.device import tell_once
from epee.errors import DataError, DataWarning, SearchWarning
from epee.estimator.dof import shown_degrees_of_freedom
from epee.estimator.kinds import InKind
from epee.estimator.protocol import Answer, Needs, QuadraticForm
from epee.estimator.remembering import RemembersRows
from epee.estimator.saying import is_new
from epee.estimator.state import Saved
from epee.moments.sizes import LARGEST_SIDE as LARGEST_SIDE
from epee.moments.sizes import refuse_large as refuse_large
from epee.solve.soundness import insist_sound
from epee.table.block import Source, check_weights, column_name, refuse_bad_cells
from epee.table.doors import gather, is_stream, open_source
from epee.table.elsewhere import ElsewhereSource
from epee.table.frames import taken_apart
from epee.table.partitions import by_partition
from epee.table.sparse import SparseSource, is_sparse, laid_out, refuse_bad_sparse
from epee.typing import Codes, Labels, Matrix, Vector


class Estimator(InKind, RemembersRows, Saved, BaseEstimator):
    """An estimator whose data enter by one door."""

    _takes_missing = False  # NaN is a missing cell that the method can handle
    _takes_sparse: bool | str = (
        False  # True: by the cells that are not 0; "dense": laid out at the door, where they fit
    )
    _requires_positive = False
    _as_given: tuple[str, ...] = ()  # attributes that come out in float32 where the rows came in so
    _minimum_rows = 1
    is_linear = False  # predictions are exactly X coef + intercept
    learns_anywhere = False  # ``_fit`` takes rows that lie elsewhere
    fits_here = False  # rows that lie elsewhere come here to be kept, and nothing need be said of it
    left_out_by = "closed form"  # how predictions without the row are had, where they are
    _names_of_parameters: list[str]

    @classmethod
    def _get_param_names(cls) -> list[str]:
        """Return the names of the parameters, read from the signature once for each class: a clone asks for them."""
        if "_names_of_parameters" not in cls.__dict__:
            cls._names_of_parameters = super()._get_param_names()
        return cls._names_of_parameters

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._takes_missing
        tags.input_tags.sparse = bool(self._takes_sparse)
        tags.input_tags.positive_only = self._requires_positive
        return tags

    def _enter(self, X: Any, *, reset: bool, finite: bool = True) -> Matrix:
        """Check inputs alone and return them as an array (n, p) of floats."""
        if is_elsewhere(X):
            return self._enter(self._brought_here(X, reset), reset=reset, finite=finite)
        if is_stream(X):
            return self._enter_gathered(X, reset, finite)
        rows: Any = X
        if not self._enters_as_it_is(X, reset):
            if reset:
                warn_of_long_integers(X)
            try:
                rows = validate_data(
                    self, X, reset=reset, dtype=[np.float64, np.float32], ensure_all_finite=False,
                    accept_sparse="csr" if self._takes_sparse else False, ensure_min_samples=self._minimum_rows if reset else 1,
                )  # fmt: skip
            except ValueError:
                refuse_words(X)
                raise
        if reset:
            self._given_type = rows.dtype
        if is_sparse(rows):
            refuse_bad_sparse(rows, getattr(self, "feature_names_in_", None), missing=self._takes_missing)
            return laid_out(rows) if self._takes_sparse == "dense" else rows
        if finite and not self._takes_missing:
            refuse_bad_cells(rows, getattr(self, "feature_names_in_", None))
        elif finite and np.isinf(rows).any():
            refuse_bad_cells(np.where(np.isnan(rows), 0.0, rows), getattr(self, "feature_names_in_", None))
        checked: Matrix = rows
        return checked

    def _enters_as_it_is(self, X: Any, reset: bool) -> bool:
        """Tell whether scikit-learn's checks would hand back this very array, and note its width as they do: a contest asks often."""
        plain = type(X) is np.ndarray and X.dtype == np.float64 and X.ndim == 2 and X.shape[1] > 0
        if not plain or len(X) < (self._minimum_rows if reset else 1) or "feature_names_in_" in self.__dict__:
            return False
        if reset:
            self.n_features_in_ = X.shape[1]
        return bool(getattr(self, "n_features_in_", -1) == X.shape[1])

    def _brought_here(self, X: Any, fitting: bool) -> np.ndarray:
        """Return rows that lie elsewhere as NumPy's, and say so once where the method cannot learn from them there."""
        if fitting and not self.fits_here:
            tell_once(f"{type(self).__name__} has no road on the device: its rows are brought to the CPU.")
        return at_home(X)

    def _enter_elsewhere(self, X: Any) -> Any:
        """Check rows to be answered for where they lie."""
        if X.ndim != 2:
            raise DataError(f"Expected 2D array, got {X.ndim}D array instead: X has shape {tuple(X.shape)}.")
        self._check_width(int(X.shape[1]))
        xp = namespace(X)
        if not bool(xp.isfinite(xp.sum(X))):
            refuse_bad_cells(at_home(X), getattr(self, "feature_names_in_", None))
        return X

    def _check_width(self, columns: int) -> None:
        if columns != self.n_features_in_:
            raise DataError(
                f"X has {columns} features, but {type(self).__name__} is expecting {self.n_features_in_} features."
            )

    def _settle_types(self) -> None:
        """Give the attributes that follow the rows their type, once all was computed in float64."""
        if getattr(self, "_given_type", None) == np.float32:
            for name in self._as_given:
                if getattr(self, name, None) is not None:
                    setattr(self, name, np.asarray(getattr(self, name)).astype(np.float32)[()])

    def _enter_gathered(self, X: Any, reset: bool, finite: bool) -> Matrix:
        """Check the rows of a stream; a fitted estimator takes the columns it knows by name, and leaves the others."""
        known = None if reset else getattr(self, "feature_names_in_", None)
        source = open_source(X, columns=None if known is None else [str(name) for name in known])
        if isinstance(source, SparseSource) and self._takes_sparse:
            return self._enter(source.X if reset else self._as_wide(source).X, reset=reset, finite=finite)
        rows = gather(source)[0]
        if known is not None and source.names is not None and list(source.names) != list(known):
            absent = [str(name) for name in known if name not in list(source.names)]
            if absent:
                raise DataError(
                    f"column {absent[0]!r} is not in the table, and {type(self).__name__} was fitted on it."
                )
            rows = rows[:, [list(source.names).index(name) for name in known]]
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "X does not have valid feature names")
            rows = self._enter(rows, reset=reset, finite=finite)
        if reset and source.names is not None:
            self.feature_names_in_ = np.asarray(source.names, dtype=object)
        return rows

    def _as_wide(self, source: SparseSource) -> SparseSource:
        """Return sparse rows of a file with the columns that were learned, of which the last may not occur in it."""
        return source if source.n_columns >= self.n_features_in_ else source.widened(self.n_features_in_)

    def _enter_stream(self, source: Source, *, reset: bool) -> Source:
        """Note the columns of a stream, or check that they are those learned, and return it."""
        if isinstance(source, SparseSource) and not reset:
            source = cast(Source, self._as_wide(source))
        if isinstance(source, ElsewhereSource):
            source.asked_by = type(self).__name__
        if reset:
            self.n_features_in_ = source.n_columns
            self.__dict__.pop("feature_names_in_", None)
            if source.names is not None:
                self.feature_names_in_ = np.asarray(source.names, dtype=object)
        else:
            self._check_width(source.n_columns)
        return source

    def _enter_target(self, y: Any, n: int) -> np.ndarray:
        """Check a target and return it as it is kept: codes for a classifier, floats for a regressor."""
        raise TypeError(f"{type(self).__name__} takes no target.")

    def _enter_both(
        self, X: Any, y: Any, sample_weight: Any, *, reset: bool = True
    ) -> tuple[Matrix, Any, Vector | None]:
        """Check inputs, targets and weights together; of a frame or a stream they may be columns, by name."""
        names = None
        X, y, sample_weight = taken_apart(X, y, sample_weight)
        if is_elsewhere(X) and is_real(X) and X.ndim == 2 and self.learns_anywhere:
            return self._enter_both_elsewhere(X, y, sample_weight, reset)
        if is_elsewhere(X):
            X, y = self._brought_here(X, reset), None if y is None else at_home(y)
        if is_stream(X):
            source = open_source(X, y, sample_weight)
            names = source.names
            X, y, sample_weight = gather(source)
        if is_sparse(y):
            raise SparseTarget(
                "Sparse data was passed for y, but dense data is required. Use '.toarray()' to convert to a dense numpy array: "
                "sparse multilabel-indicator for y is not supported."
            )
        X = self._enter(X, reset=reset)
        if reset and names is not None:
            self.feature_names_in_ = np.asarray(names, dtype=object)
        target = self._enter_target(y, _length(X))
        if reset:
            self._note_rows(X, y)  # a test on the same rows is refused
        return X, target, check_weights(sample_weight, _length(X))

    def _enter_both_elsewhere(self, X: Any, y: Any, sample_weight: Any, reset: bool) -> tuple[Any, Any, Vector | None]:
        """Check inputs where they lie, and targets and weights here."""
        self._enter_stream(open_source(X), reset=reset)
        X = self._enter_elsewhere(X)
        if reset:
            self._note_rows(X, y)
        weight = None if sample_weight is None else at_home(sample_weight)
        return X, self._enter_target(None if y is None else at_home(y), _length(X)), check_weights(weight, _length(X))

    def _leave(self, X: Any) -> Matrix:
        """Check the inputs of a prediction."""
        check_is_fitted(self)
        return self._enter(X, reset=False)

    def _leave_anywhere(self, X: Any) -> Any:
        """Check the inputs of a prediction; where the method answers anywhere, they stay where they lie."""
        if not self.answers_anywhere or not is_elsewhere(X) or not is_real(X):
            return self._leave(X)
        check_is_fitted(self)
        return self._enter_elsewhere(X)

    def clean(self, X: Any) -> Matrix:
        """Check rows as a prediction would and return them."""
        return self._leave(X)

    def answers(self, needs: Needs) -> Answer | None:
        """Return the function of clean rows that gives labels (as codes), values, scores or probabilities; None without one."""
        return None

    def degrees_of_freedom(self, X: Any = None) -> float:
        """Return the effective degrees of freedom once fitted; NaN when they are not known."""
        return shown_degrees_of_freedom(self, X)


def answer_each(models: Sequence[Any], X: Matrix, needs: Needs | None = None) -> list[np.ndarray]:
    """Return the labels or values that fitted predictors give for the same clean rows, or what else is needed."""
    if needs is not None and needs not in ("labels", "values"):
        return [model.answers(needs)(X) for model in models]
    codes = [model.answers("labels") for model in models]
    return [
        model.answers("values")(X) if code is None else model.classes_[code(X)]
        for model, code in zip(models, codes, strict=True)
    ]


def refuse_words(X: Any) -> None:
    """Raise a sentence that names the first cell that is a word where a number is needed; nothing if there is none."""
    if not hasattr(X, "shape"):
        X = np.asarray(X, dtype=object)
    if len(X.shape) != 2 or is_sparse(X):
        return
    columns = getattr(X, "column_names", getattr(X, "columns", None))  # Arrow's columns are its data
    names = None if columns is None else list(columns)
    for j in range(X.shape[1]):
        cells = np.asarray(X[:, j] if names is None else X[names[j]], dtype=object)
        for row, cell in enumerate(cells.tolist()):
            if not isinstance(cell, str):
                continue
            try:
                float(cell)
            except ValueError:
                name = column_name(names, j)
                raise DataError(
                    f"could not convert string to float: {name} holds {cell!r} in row {row}, which is not a number. "
                    "Encode such columns (TableEncoder does), or drop them."
                ) from None


def refuse_vector(X: Any) -> None:
    """Refuse one row or one column that does not say which of the two it is."""
    if np.ndim(X) == 1:
        raise DataError(
            f"Expected 2D array, got 1D array instead: X has shape {np.shape(X)}. Reshape it to (1, {len(X)}) if it is one row, "
            f"to ({len(X)}, 1) if it is one column."
        )


def warn_of_long_integers(X: Any) -> None:
    """Say that a column holds whole numbers that float64 cannot tell apart."""
    columns = {str(name): X[name] for name in X.columns} if hasattr(X, "dtypes") else {"": X}
    for name, values in columns.items():
        kind = getattr(values, "dtype", None)
        if getattr(kind, "kind", None) not in ("i", "u") or getattr(kind, "itemsize", 0) != 8:
            continue
        array = values.tocoo().data if hasattr(values, "tocoo") else np.asarray(values)
        if array.size and max(int(array.max()), -int(array.min())) > 2**53:
            if hasattr(values, "tocoo"):
                worst = int(values.tocoo().col[np.argmax(np.abs(array.astype(float)))])
            else:
                worst = int(np.argmax(np.abs(array.reshape(len(array), -1)).max(axis=0)))
            where = f"column {name!r}" if name else f"column {worst}"
            say(f"{where} holds whole numbers above 2^53: their last digits are lost. Drop it if it is an identifier.")
            return


def _length(X: Any) -> int:
    return int(X.shape[0])


class SparseTarget(DataError, TypeError):
    """A target that is sparse: a wrong value to some of scikit-learn's methods, and a wrong type to others."""


class Unconverged(SearchWarning, ConvergenceWarning):
    """A search that did not end, by our name and by scikit-learn's."""


def say(sentence: str, category: type[Warning] = DataWarning) -> None:
    """Warn the caller of the estimator."""
    if is_new(sentence, category):
        warnings.warn(sentence, Unconverged if category is SearchWarning else category, stacklevel=5)


def list_columns(columns: Sequence[int] | Codes, estimator: Any = None, most: int = 5) -> str:
    """Return "columns 'a', 'b' are" for a sentence.

    >>> list_columns([0, 2])
    'columns 0, 2 are'
    """
    names = getattr(estimator, "feature_names_in_", None)
    shown = [repr(str(names[j])) if names is not None else str(j) for j in list(columns)[:most]]
    more = f" and {len(columns) - most} more" if len(columns) > most else ""
    one = len(columns) == 1
    return f"column{'' if one else 's'} {', '.join(shown)}{more} {'is' if one else 'are'}"


def encode_labels(y: Any, n: int | None = None) -> tuple[Labels, Codes]:
    """Return the sorted classes and the code of each row.

    >>> encode_labels(["b", "a", "b"])
    (array(['a', 'b'], dtype='<U1'), array([1, 0, 1]))
    """
    if y is None:
        raise DataError("requires y to be passed, but the target y is None.")
    if hasattr(y, "cat") and hasattr(y.cat, "categories"):
        y = np.asarray(y)
    values = at_home(y)
    if values.ndim == 2 and values.shape[1] == 1:
        from sklearn.exceptions import DataConversionWarning

        say("A column-vector y was passed when a 1d array was expected. Please change the shape of y to (n_samples,).",
            DataConversionWarning)  # fmt: skip
        values = values[:, 0]
    if values.ndim != 1:
        raise DataError(f"y should be a 1d array of labels, got an array of shape {values.shape} instead.")
    if n is not None and len(values) != n:
        raise DataError(
            f"Found input variables with inconsistent numbers of samples: X has {n} rows and y has {len(values)}."
        )
    if values.dtype.kind == "f":
        refuse_bad_cells(values, what="y")
    elif values.dtype.kind == "O":
        _refuse_missing_labels(values)
    if values.dtype.kind in "iu" and len(values):
        low, high = int(values.min()), int(values.max())
        if high - low < 65536:  # counting beats sorting
            above = (
                (values - values.dtype.type(low)).astype(np.intp)
                if values.dtype == np.uint64
                else values.astype(np.intp) - low
            )
            present = np.bincount(above, minlength=high - low + 1) > 0
            codes = above if present.all() else (np.cumsum(present) - 1)[above]
            return np.flatnonzero(present).astype(values.dtype) + values.dtype.type(low), codes
    try:
        if values.dtype.kind != "U":  # words are labels
            check_classification_targets(values)
        classes, codes = np.unique(values, return_inverse=True)
    except TypeError as error:
        raise DataError(
            "y mixes labels of different types, such as numbers and text; make them all one type."
        ) from error
    return classes, codes.reshape(-1)


def _refuse_missing_labels(values: np.ndarray) -> None:
    missing = np.array([v is None or v != v for v in values])
    if missing.any():
        rows = np.flatnonzero(missing)
        raise DataError(
            f"Input y contains NaN: {len(rows)} labels are missing, first in row {rows[0]}. Fill or drop them."
        )


class Classifier(ClassifierMixin, Estimator):
    """A classifier; ``_fit(X, codes, w)`` finds ``classes_`` set."""

    _minimum_classes = 2

    def _enter_target(self, y: Any, n: int) -> Codes:
        self.classes_, codes = encode_labels(y, n)
        self._check_classes(self.classes_, codes)
        return codes

    def _check_classes(self, classes: Labels, codes: Codes | None) -> None:
        if len(classes) < self._minimum_classes:
            raise DataError(
                f"y has only one class ({classes.tolist()[0]!r}): a classifier can't be fitted when only one class is present. "
                f"The number of classes has to be greater than one; got {len(classes)} class."
            )

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from the rows of ``X`` (n, p) and their labels ``y`` (n,)."""
        X, codes, w = self._enter_both(X, y, sample_weight)
        if w is not None:
            self._check_weighted_classes(codes, w)
        self._fit(X, codes, w)
        insist_sound(self)
        return self

    def _check_weighted_classes(self, codes: Codes, w: Vector) -> None:
        totals = np.bincount(codes, weights=w, minlength=len(self.classes_))
        if (totals > 0).sum() < self._minimum_classes:
            raise DataError("only one class has rows of positive sample_weight: a classifier needs two (1 class left).")

    def _codes(self, X: Matrix) -> Codes:
        """Return the class of clean rows as codes."""
        return largest_of(self._proba(X))

    @by_partition
    def predict(self, X: Any) -> Labels:
        """Return the class of each row (n,)."""
        codes = self._codes(self._leave_anywhere(X))
        return self.classes_[codes]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of rows whose class is found."""
        X, y = (at_home(a) if is_elsewhere(a) else a for a in (X, y))
        return float(super().score(X, y, sample_weight))

    def answers(self, needs: Needs) -> Answer | None:
        """Return the function of clean rows that gives codes, scores or probabilities; None without one."""
        if needs == "labels":
            return self._codes
        if needs == "probabilities" and not hasattr(self, "predict_proba"):
            return None
        return getattr(self, {"scores": "_score", "probabilities": "_proba"}.get(needs, ""), None)


class ProbabilityMixin:
    """``predict_proba`` for classifiers that write ``_proba(X)`` (n, K)."""

    if TYPE_CHECKING:
        _leave_anywhere: Any
        _proba: Any

    @by_partition
    def predict_proba(self, X: Any) -> Matrix:
        """Return the probability of each class (n, K), in the order of ``classes_``."""
        P: Matrix = self._proba(self._leave_anywhere(X))
        return P

    @by_partition
    def predict_log_proba(self, X: Any) -> Matrix:
        """Return the logarithm of :meth:`predict_proba`."""
        with np.errstate(divide="ignore"):
            P: Matrix = self.predict_proba(X)
            logs: Matrix = namespace(P).log(P)
            return logs


class ScoreMixin:
    """``decision_function`` and ``predict`` for classifiers that write ``_score(X)`` (n, K), largest wins."""

    if TYPE_CHECKING:
        classes_: Labels
        intercept_: Any
        _leave_anywhere: Any
        _score: Any

    @by_partition
    def decision_function(self, X: Any) -> Matrix:
        """Return the score of each class (n, K); with two classes (n,), positive for the second."""
        scores: Matrix = self._score(self._leave_anywhere(X))
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def _codes(self, X: Matrix) -> Codes:
        """Return the class of clean rows as codes."""
        return largest_of(self._score(X))

    @by_partition
    def predict(self, X: Any) -> Labels:
        """Return the class of each row (n,)."""
        codes = self._codes(self._leave_anywhere(X))
        return self.classes_[codes]

    def log_odds(self) -> QuadraticForm | None:
        """Return what decides between two classes, linear in the row, positive for the second; None for other scores."""
        coef = np.atleast_2d(getattr(self, "coef_", np.empty((0, 0))))
        if len(coef) != 1 or len(self.classes_) != 2:
            return None
        return QuadraticForm(None, None, coef[0], float(np.ravel(self.intercept_)[0]), np.zeros(coef.shape[1]))


class PosteriorMixin(ScoreMixin, ProbabilityMixin):
    """For scores that are log posteriors up to a constant a row: probabilities are their softmax."""

    def _proba(self, X: Matrix) -> Matrix:
        return softmax(self._score(X))

    @by_partition
    def predict_log_proba(self, X: Any) -> Matrix:
        """Return the logarithm of the probability of each class (n, K)."""
        scores: Matrix = self._score(self._leave_anywhere(X))
        xp = namespace(scores)
        scores = scores - xp.max(scores, axis=1, keepdims=True)
        logs: Matrix = scores - xp.log(xp.sum(xp.exp(scores), axis=1, keepdims=True))
        return logs


def softmax(scores: Matrix) -> Matrix:
    """Return exp(scores) normalised by row, without overflow.

    >>> softmax(np.array([[0.0, 1000.0]]))
    array([[0., 1.]])
    """
    xp = namespace(scores)
    if xp is np:  # quick along the rows, slow across a few columns
        scores = np.asfortranarray(scores)
    P: Matrix = xp.exp(scores - xp.max(scores, axis=1, keepdims=True))
    P /= xp.sum(P, axis=1, keepdims=True)
    return P


def both_sides(scores: Matrix) -> Matrix:
    """Return the score of the second class (n, 1) as those of two (n, 2), the first being 0.

    >>> both_sides(np.array([[2.0]]))
    array([[0., 2.]])
    """
    xp = namespace(scores)
    pair: Matrix = xp.concat([xp.zeros_like(scores), scores], axis=1)
    return pair


def largest_of(scores: Matrix) -> Codes:
    """Return the place of the largest of each row, here."""
    codes: Codes = at_home(namespace(scores).argmax(scores, axis=1))
    return codes


class Regressor(RegressorMixin, Estimator):
    """A regressor; ``_fit(X, y, w)`` gets y (n,) or (n, m) in float64, ``_predict(X)`` returns the same."""

    _several_targets = False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = self._several_targets
        return tags

    def _enter_target(self, y: Any, n: int) -> np.ndarray:
        return enter_values(y, n, several=self._several_targets)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from the rows of ``X`` (n, p) and their values ``y``."""
        self._fit(*self._enter_both(X, y, sample_weight))
        insist_sound(self)
        return self

    @by_partition
    def predict(self, X: Any) -> Matrix:
        """Return the predicted value of each row."""
        values: Matrix = self._predict(self._leave_anywhere(X))
        return values

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of the variance of ``y`` that is explained."""
        X, y = (at_home(a) if is_elsewhere(a) else a for a in (X, y))
        return float(super().score(X, y, sample_weight))

    def answers(self, needs: Needs) -> Answer | None:
        """Return the function from clean rows to values."""
        return self._predict if needs == "values" else None


def values_there(y: Any, n: int, *, several: bool) -> bool:
    """Tell whether a target lies elsewhere and nothing is wrong with it, so that it need not come here.

    >>> values_there(np.zeros(2), 2, several=True)
    False
    """
    if not is_elsewhere(y) or not is_real(y) or not (y.ndim == 1 or (several and y.ndim == 2)) or int(y.shape[0]) != n:
        return False
    return isfinite(float(namespace(y).sum(y)))


def enter_values(y: Any, n: int, *, several: bool) -> np.ndarray:
    """Check a target of numbers and return it as float64, (n,) or (n, m)."""
    if y is None:
        raise DataError("requires y to be passed, but the target y is None.")
    y = at_home(y) if is_elsewhere(y) else y
    if np.asarray(y).dtype.kind in "cOU" and np.iscomplexobj(y):
        raise DataError("Complex data not supported: y holds complex numbers; give the real part.")
    try:
        values = np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(
            f"y holds values that are not numbers ({error}); Unknown label type for a regression."
        ) from error
    if values.ndim == 2 and values.shape[1] == 1 and not several:
        from sklearn.exceptions import DataConversionWarning

        say("A column-vector y was passed when a 1d array was expected. Please change the shape of y to (n_samples,).",
            DataConversionWarning)  # fmt: skip
        values = values[:, 0]
    if values.ndim == 0 or values.ndim > (2 if several else 1):
        raise DataError(f"y should be a 1d array, got an array of shape {values.shape} instead.")
    if len(values) != n:
        raise DataError(
            f"Found input variables with inconsistent numbers of samples: X has {n} rows and y has {len(values)}."
        )
    refuse_bad_cells(values, what="y")
    return values


class Unsupervised(Estimator):
    """Shared by what learns from ``X`` alone: ``_fit(X, w)``."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from the rows of ``X`` (n, p); ``y`` is ignored."""
        X = self._enter(X, reset=True)
        self._fit(X, check_weights(sample_weight, _length(X)))
        insist_sound(self)
        return self


class Transformer(TransformerMixin, Unsupervised):
    """A map of rows: ``_fit(X, w)`` and ``_transform(X)``."""

    @by_partition
    def transform(self, X: Any) -> Matrix:
        """Return the rows in their new coordinates."""
        Z: Matrix = self._transform(self._leave_anywhere(X))
        return Z


class NewAxes(ClassNamePrefixFeaturesOutMixin):
    """Names the columns that come out ``pca0, pca1, ...``; set ``_n_features_out``."""


class SameColumns(OneToOneFeatureMixin):
    """The columns that come out bear the names of those that went in."""


class Clusterer(ClusterMixin, Unsupervised):
    """A clusterer: ``_fit(X, w)`` sets ``labels_``."""

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Codes:
        """Return the cluster of each row of ``X`` after fitting."""
        labels: Codes = self.fit(X, sample_weight=sample_weight).labels_
        return labels


class Density(DensityMixin, Unsupervised):
    """A density: ``_fit(X, w)`` and ``_log_density(X)`` (n,)."""

    @by_partition
    def score_samples(self, X: Any) -> Vector:
        """Return the log-density of each row (n,)."""
        logs: Vector = self._log_density(self._leave_anywhere(X))
        return logs

    def score(self, X: Any, y: Any = None) -> float:
        """Return the mean log-density of the rows."""
        return float(np.mean(at_home(self.score_samples(X))))
