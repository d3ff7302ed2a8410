r"""What linear classifiers found by descent share: the rows as a source, class weights, and scores :math:`W^\top x + b`."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from epee.arrays import affine_rows, at_home, is_elsewhere, like, namespace, numbers_like
from epee.engines.choice import engine_for, sent
from epee.errors import DataError, SearchWarning, WrongUse
from epee.estimator.base import Classifier, ScoreMixin, both_sides, encode_labels, say
from epee.table.arrays import ArraySource
from epee.table.block import Block, Source, check_weights
from epee.table.doors import coded, is_stream, open_source
from epee.table.frames import taken_apart
from epee.table.sparse import SparseSource, is_sparse
from epee.typing import ArrayLike, Codes, Matrix, Vector


class ClassTotals:
    """The weight of each class in a block; picklable, for any engine."""

    anywhere = True

    def __init__(self, K: int) -> None:
        self.K = K

    def __call__(self, block: Block) -> Vector:
        if is_elsewhere(block.rows):
            xp, group = namespace(block.X), like(block.group, block.X)
            same = xp.astype(group[:, None] == numbers_like(self.K, group, group.dtype)[None, :], xp.float64)  # (n, K)
            return at_home(xp.sum(same, axis=0) if block.weight is None else like(block.weight, same) @ same)
        codes = np.asarray(block.group if block.group is not None else block.y)
        return np.bincount(codes, weights=block.weight, minlength=self.K).astype(float)


class LinearDescentClassifier(ScoreMixin, Classifier):
    """A classifier with ``coef_`` (K, p) and ``intercept_`` (K,), one row each with two classes."""

    _takes_sparse = True
    answers_anywhere = True
    _as_given = ("coef_", "intercept_")
    _looks_first = True  # for bad cells, in a pass of its own; False where the sums of the first pass tell

    def _source(self, X: Any, y: Any, sample_weight: Any, *, reset: bool = True) -> Any:
        """Return the checked rows as a source whose groups are class codes."""
        X, y, sample_weight = taken_apart(sent(X), y, sample_weight)
        if is_stream(X):
            source = self._enter_stream(open_source(X, y, sample_weight), reset=reset)
            source, self.classes_ = coded(source, None if reset else self.classes_)
            self._check_classes(self.classes_, None)
            return source
        X = self._enter(X, reset=reset, finite=self._looks_first)
        n = X.shape[0]
        if reset:
            self._note_rows(X, y)  # a test on the same rows is refused
        codes = self._enter_target(y, n) if reset else self._known(y, n)
        w = check_weights(sample_weight, n)
        if w is not None and reset:
            self._check_weighted_classes(codes, w)
        kind = SparseSource if is_sparse(X) else ArraySource
        return kind(X, None, w, None, codes, getattr(self, "feature_names_in_", None))

    def _enter_like(self, other: LinearDescentClassifier) -> None:
        """Note what :meth:`_source` notes, from another one that was given the same rows."""
        for name in ("n_features_in_", "feature_names_in_", "_given_type", "_trained_on", "_trained_for", "classes_"):
            self.__dict__.pop(name, None)
            if name in other.__dict__:
                setattr(self, name, getattr(other, name))

    def _known(self, y: Any, n: int) -> Codes:
        seen, codes = encode_labels(y, n)
        if not np.isin(seen, self.classes_).all():
            new = seen[~np.isin(seen, self.classes_)].tolist()
            raise DataError(
                f"y holds the labels {new}, which are not among the classes {self.classes_.tolist()} named at first."
            )
        return np.searchsorted(self.classes_, seen)[codes]

    def _weigh_classes(self, source: Source) -> tuple[Vector | None, float]:
        """Return a factor for each class, or None, and the sum of weights that follows."""
        if (
            self.class_weight is None
            and source.n_rows is not None
            and (source.is_away or isinstance(source, ArraySource))
        ):
            head = source.head()
            if head is not None and head.weight is None:  # every row counts once: no pass is needed
                return None, float(source.n_rows)
        totals: Vector = engine_for(source).reduce(source, ClassTotals(len(self.classes_)))
        return (factor := class_factors(self.class_weight, self.classes_, totals)), float(
            totals.sum() if factor is None else totals @ factor
        )

    def _set_weights(self, W: Matrix) -> None:
        """Set the public attributes from weights (d, M) with the bias last."""
        p = self.n_features_in_
        self.coef_ = np.ascontiguousarray(W[:p].T)
        self.intercept_ = W[p].copy() if self.fit_intercept else np.zeros(W.shape[1])
        self._settle_types()

    @classmethod
    def from_weights(cls, coef: ArrayLike, intercept: ArrayLike = 0.0, classes: Any = None, **parameters: Any) -> Self:
        r"""Return a fitted classifier with these weights, to check a worked example or to go on from given weights.

        Parameters
        ----------
        coef : array (p,), (1, p) or (K, p)
            One row decides between two classes by its sign; K rows are one score each.
        intercept : float or array (K,), default=0.0
        classes : sequence of labels, default=None
            In the order of the rows, or negative then positive; -1 and +1, or 0 to K - 1, by default.
        **parameters
            Those of the class.

        Examples
        --------
        The course's line: :math:`2.2 - 5.5 x_1 + 4.4 x_2`, with one point in front of it and one behind.

        >>> from epee import LinearClassifier
        >>> line = LinearClassifier.from_weights([-5.5, 4.4], 2.2)
        >>> line.decision_function([[3.0, 7.0], [6.0, 1.0]]).round(1), line.predict([[3.0, 7.0], [6.0, 1.0]])
        (array([ 16.5, -26.4]), array([ 1, -1]))
        """
        W = np.atleast_2d(np.asarray(coef, dtype=np.float64))
        b = np.broadcast_to(np.asarray(intercept, dtype=np.float64), len(W)).copy()
        K = max(len(W), 2)
        labels = np.asarray((np.array([-1, 1]) if len(W) == 1 else np.arange(K)) if classes is None else classes)
        if W.ndim != 2 or len(W) == 2 or not (np.isfinite(W).all() and np.isfinite(b).all()):
            raise WrongUse(
                f"coef has shape {W.shape}; give one row (two classes) or at least three, of finite numbers. "
                "Two classes with a score each are decided by the difference of the rows."
            )
        if labels.shape != (K,) or len(np.unique(labels)) != K:
            raise WrongUse(f"classes must be {K} different labels for {len(W)} row(s) of weights; got {classes!r}.")
        order = np.argsort(labels) if len(W) > 1 else np.arange(2)
        if len(W) == 1 and labels[0] > labels[1]:  # labels are kept sorted: the other side of the same line
            W, b, order = -W, -b, np.array([1, 0])
        made = cls(**parameters)
        made.classes_, made.n_features_in_ = labels[order], W.shape[1]
        made.coef_, made.intercept_ = (W, b) if len(W) == 1 else (W[order], b[order])
        made.n_iter_ = 0
        return made

    def sparsify(self) -> Self:
        """Keep ``coef_`` as a sparse matrix: worth it where more than half of it are zeros."""
        from scipy.sparse import csr_matrix

        check_is_fitted(self, "coef_")
        self.coef_ = csr_matrix(self.coef_)
        return self

    def densify(self) -> Self:
        """Keep ``coef_`` as an array again."""
        check_is_fitted(self, "coef_")
        laid_out: Any = getattr(self.coef_, "toarray", None)
        if laid_out is not None:
            self.coef_ = laid_out()
        return self

    def _weights(self) -> Matrix:
        """Return the public attributes as weights (d, M)."""
        self.densify()
        return np.vstack([self.coef_.T, self.intercept_[None]]) if self.fit_intercept else self.coef_.T.copy()

    def _score(self, X: Matrix) -> Matrix:
        if is_elsewhere(X):
            scores = affine_rows(X, self.coef_.T, self.intercept_)  # (n, M)
        else:
            products: Any = X @ self.coef_.T
            scores = (products.toarray() if is_sparse(products) else np.asarray(products)) + self.intercept_
        return both_sides(scores) if scores.shape[1] == 1 else scores


def class_factors(class_weight: Any, classes: np.ndarray, totals: Vector) -> Vector | None:
    """Return the factor of each class: "balanced" gives all classes the same total, a dictionary names them."""
    if class_weight is None:
        return None
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise WrongUse(f"class_weight is {class_weight!r}; it must be a dictionary, 'balanced' or None.")
        return totals.sum() / (len(classes) * np.where(totals > 0, totals, 1.0))
    if not hasattr(class_weight, "get"):
        raise WrongUse(f"class_weight is {class_weight!r}; it must be a dictionary, 'balanced' or None.")
    unknown = [label for label in class_weight if label not in classes.tolist()]
    if unknown:
        raise WrongUse(
            f"The classes, {unknown}, are not in class_weight's data: the classes are {classes.tolist()[:10]}."
        )
    return np.array([float(class_weight.get(label, 1.0)) for label in classes.tolist()])


def say_unfinished(estimator: BaseEstimator, reason: str) -> None:
    """Warn that a descent stopped before it had converged."""
    say(
        f"{_who(estimator)}: {reason}. Increase the number of iterations (max_iter), scale the columns, or raise tol.",
        SearchWarning,
    )


def _who(estimator: Any) -> str:
    """Return who did not converge, with the words of scikit-learn's solver of that name."""
    name, solver = type(estimator).__name__, getattr(estimator, "solver", None)
    if solver in ("sag", "saga"):
        return f"{name} did not converge: The max_iter was reached which means the coef_ did not converge"
    if solver == "liblinear":
        return f"{name} did not converge: Liblinear failed to converge, increase the number of iterations"
    if solver == "newton-cholesky":
        return f"{name} did not converge: Newton solver did not converge after {estimator.max_iter} iterations"
    if solver in ("lbfgs", "newton-cg"):
        return f"{name} did not converge: {solver} failed to converge"
    return f"{name} did not converge"


def check_number(name: str, value: Any, low: float, *, strict: bool = False, high: float = np.inf) -> float:
    """Return a parameter as a float, or say what it must be."""
    bad = not isinstance(value, int | float | np.number) or isinstance(value, bool) or np.isnan(value)
    if bad or value < low or value > high or (strict and value <= low):
        least = f"larger than {low:g}" if strict else f"at least {low:g}"
        most = "" if high == np.inf else f" and at most {high:g}"
        raise WrongUse(f"{name} is {value!r}; it must be a number {least}{most}.")
    return float(value)


def check_one_of(name: str, value: Any, known: tuple[Any, ...]) -> None:
    """Refuse a value that is none of those known, and list them."""
    if not any(value is k or value == k for k in known):
        raise WrongUse(f"{name} is {value!r}; it must be one of {', '.join(repr(k) for k in known)}.")
