"""Estimators that live on moments: a fit is a sum, then a solve.

Such an estimator says what one pass keeps (:class:`Keep`) and writes ``_solve(m)``. From that follow, once for all,
``fit``, ``partial_fit``, ``forget``, ``moments``, ``fit_moments``, weights, streams, clusters and cross-validation. Where a
method needs more, it fills in a step of :meth:`MomentEstimator.fit` and leaves the others:

==================  ==================================================================================
step                who fills it in
==================  ==================================================================================
``_check``          most: parameters that make no sense are refused before a row is read
``_view``           those on a basis: polynomials, splines
``_from_rows``     those with another road for some tables: more columns than rows
``_prepare``        those whose solve needs more than sums: covariances shrunk by the rows, penalties chosen on folds
``_solve``          everyone
``refine``          those that go back to the rows where moments lose digits
``_finish``         those with a last word
==================  ==================================================================================
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from epee.arrays import affine_rows
from epee.errors import DataError
from epee.estimator.base import (
    Classifier,
    PosteriorMixin,
    Regressor,
    Transformer,
    answer_each,
    encode_labels,
    list_columns,
    refuse_large,
    say,
)
from epee.estimator.keep import Keep
from epee.estimator.protocol import Needs
from epee.estimator.rows import FromRows
from epee.moments.moments import Moments, diagonal_of
from epee.moments.passes import reduce_source
from epee.solve.soundness import insist_sound
from epee.table.block import Source
from epee.typing import Codes, Labels, Matrix, Vector

SAME = 1e-14  # relative difference of two sums of the same numbers in another order


class MomentEstimator(FromRows):
    """The shared half: from data to moments to ``_solve``."""

    solves_there = False  # takes moments where they were summed, on a device perhaps
    stacks_there = False  # and so does solve_stack
    needs_rows = False  # moments are not enough: folds take the ordinary route

    def _solve(self, m: Moments) -> None:
        raise TypeError(f"{type(self).__name__} does not say how moments become parameters.")

    def refine(self, source: Source, m: Moments) -> None:
        """Go back to the rows where the moments lose digits; most methods need not."""

    @property
    def refines(self) -> bool:
        """Whether it may go back to the rows after the sums."""
        return type(self).refine is not MomentEstimator.refine

    def same_moments_as(self, other: Any) -> bool:
        """Tell whether sums of the same rows serve both: they enter by the same door and keep the same."""
        return self.same_door_as(other) and self.keeps == other.keeps

    def same_door_as(self, other: Any) -> bool:
        """Tell whether rows that were checked for one are checked for the other."""
        if not isinstance(other, MomentEstimator) or self.needs_rows or other.needs_rows:
            return False
        mine, theirs, door = type(self), type(other), ("rows_in", "summation", "_enter", "_leave", "_takes_missing")
        return (self.keeps.group, self.keeps.targets) == (other.keeps.group, other.keeps.targets) and all(
            inspect.getattr_static(mine, name) is inspect.getattr_static(theirs, name) for name in door
        )

    def entered_as(self, n_columns: int, classes: Labels | None = None, one_target: bool = True) -> Self:
        """Return a clone that knows what it would have noted of rows at the door, for rows that somebody else has checked."""
        twin: Self = clone(self)
        twin.n_features_in_, twin._one_target = n_columns, one_target
        if classes is not None:
            twin.classes_ = classes
        return twin

    def entered_like(self, other: Any) -> Self:
        """Return a clone that knows of the rows what ``other`` noted at the door: their columns, classes, kind of target."""
        twin: Self = clone(self)
        noted = ("n_features_in_", "feature_names_in_", "classes_", "_one_target")
        twin.__dict__.update({name: vars(other)[name] for name in noted if name in vars(other)})
        return twin

    def variants(self, parameter: str, values: Sequence[Any]) -> list[Self] | None:
        """Return the solutions of the same moments at other values; None where a value asks for other sums."""
        if "moments_" not in vars(self) or "__" in parameter:
            return None
        others = [copy.copy(self).set_params(**{parameter: value}) for value in values]
        if any(other.needs_rows or other.keeps != self.keeps for other in others):
            return None
        return [other.fit_moments(self.moments_) for other in others]

    def answer_together(self, variants: Sequence[Any], X: Matrix, needs: Needs | None = None) -> list[np.ndarray]:
        """Return what each variant says of clean rows, one by one."""
        return answer_each(variants, X, needs)

    def summation(self, source: Source, folds: int | None = None, origin: Vector | None = None) -> Any:
        """Return the function that makes a block a moment, see :class:`Keep`."""
        classes = self.classes_ if self.keeps.group == "y" else None
        return self.keeps.summation(self, source, classes, folds, origin)

    def moments(self, X: Any, y: Any = None, sample_weight: Any = None, fold: Any = None) -> Moments:
        """Return what one pass over the rows keeps, by fold when ``fold`` (n,) is given."""
        fold = None if fold is None else np.asarray(fold, dtype=np.intp)
        source = self.rows_in(X, y, sample_weight, fold)
        return self._sum(source, None if fold is None else int(fold.max()) + 1)

    def _sum(self, source: Source, folds: int | None = None) -> Moments:
        if self.keeps.scatter in ("full", "pooled"):
            refuse_large(None, source.n_columns)
        m: Moments = self._reduce(source, self.summation(source, folds))
        return m

    def _reduce(self, source: Source, keep: Any) -> Any:
        """Return what a pass keeps; a bad cell is found and named."""
        return reduce_source(source, keep, self._takes_missing, stay=self.solves_there)

    def fit_moments(self, m: Moments) -> Self:
        """Solve from moments: those of a fold, of many files, of another machine."""
        self._take(m)
        self._settle_types()
        return self

    def _take(self, m: Moments) -> None:
        """Keep moments and solve."""
        self.n_features_in_ = m.p
        if self.keeps.group == "y" and m.labels is not None:
            self.classes_ = m.labels
        self.moments_ = m.here() if isinstance(m, Moments) else m
        self._solve(m if self.solves_there else self.moments_)
        insist_sound(self)

    def solve_each(self, m: Moments, axis: str = "fold") -> list[Self]:
        """Return one fitted estimator for each entry of an axis: all folds of a cross-validation from one pass."""
        return [clone(self).fit_moments(m.at(axis, k)) for k in range(m.count.shape[m.axes.index(axis)])]

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from the rows of ``X`` (n, p), a frame, or a path; weights are counts."""
        self._check()
        self._reset()
        source = self.rows_in(X, y, sample_weight)
        if not self._from_rows(source):
            m = self._sum(source)
            self._prepare(source, m)
            self._take(m)
            self.refine(source, m)
            self._look(m)
        self._finish(source)
        self._settle_types()
        return self

    def _check(self) -> Any:
        """Refuse parameters that make no sense."""

    def _reset(self) -> None:
        """Drop what an earlier fit left behind."""
        self.__dict__.pop("moments_", None)

    @property
    def serves_wide(self) -> bool:
        """Whether it has a road of its own where the columns are more than the rows: the side of the rows, not of the columns."""
        return type(self)._from_rows is not MomentEstimator._from_rows

    def _from_rows(self, source: Source) -> bool:
        """Learn from the rows themselves where sums are not the way, and tell whether that was so."""
        return False

    def _prepare(self, source: Source, m: Moments) -> None:
        """Find out from the rows what the solve needs besides their sums."""

    def _finish(self, source: Source) -> None:
        """Say or note a last thing once all is learned."""

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Add rows to what was learned; the order and the cut of the rows do not matter."""
        if not hasattr(self, "moments_"):
            return self.fit(X, y, sample_weight=sample_weight)
        source = self.rows_in(X, y, sample_weight, reset=False)
        more = self._reduce(source, self.summation(source, origin=self.moments_.origin))
        return self.fit_moments(self.moments_ + more)

    def forget(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Take rows out of what was learned; refused when fewer than six digits would be left."""
        check_is_fitted(self)
        known = getattr(self, "classes_", None)
        source = self.rows_in(X, y, sample_weight, reset=False)
        if known is not None and len(self.classes_) > len(known):
            strange, self.classes_ = np.setdiff1d(self.classes_, known).tolist(), known
            raise DataError(
                f"y holds the labels {strange[:5]}, which were never learned: there is nothing to forget of them."
            )
        less = self._reduce(source, self.summation(source, origin=self.moments_.origin))
        return self.fit_moments(self.moments_.without(less))

    def _look(self, m: Moments) -> None:
        """Say aloud what often is a mistake in the data."""
        if m.scatter is None:
            return
        columns = diagonal_of(m)
        if "group" in columns.axes:
            columns = columns.merge("group")  # a column may be constant in each class and yet tell them apart
        variances = columns.variances[: m.p]
        constant = np.flatnonzero(variances <= 0)
        if len(constant):
            say(f"{list_columns(constant, self)} constant and cannot help to predict.")
        twins = duplicate_columns(m, columns.x_mean, variances)
        if len(twins):
            say(f"{list_columns(twins, self)} an exact copy of an earlier column.")


def duplicate_columns(m: Moments, mean: Vector | None = None, variances: Vector | None = None) -> Codes:
    """Return the columns that equal an earlier one in every row: same mean and variance, correlation one.

    ``mean`` and ``variances`` (p,) are those of all rows, where somebody has them.

    >>> x = np.array([[1.0, 2.0, 1.0], [2.0, 0.0, 2.0], [4.0, 1.0, 4.0]])
    >>> duplicate_columns(Moments.of(x))
    array([2])
    """
    none: Codes = np.empty(0, dtype=np.intp)
    if m.kind not in ("full", "pooled") or m.scatter is None:
        return none
    if mean is None or variances is None:
        columns = diagonal_of(m)
        mean, variances = columns.x_mean, columns.variances[: m.p]
    groups = _alike(mean, variances)
    if not groups:
        return none
    m = m.here()
    S = (m.merge("group") if "group" in m.axes else m).xx
    twins = [
        j for group in groups for j in group[1:] if abs(S[j, group[0]] - S[j, j]) <= SAME * S[j, j] and S[j, j] > 0
    ]
    return np.array(sorted(twins), dtype=np.intp)


def _alike(mean: Vector, variances: Vector) -> list[list[int]]:
    """Return groups of inputs whose means and variances (p,) are the same but for the order in which they were added up."""
    order = np.argsort(mean, kind="stable")
    near = np.abs(np.diff(mean[order])) <= SAME * (np.abs(mean[order[1:]]) + np.sqrt(variances[order[1:]]))
    near &= np.abs(np.diff(variances[order])) <= SAME * variances[order[1:]]
    if not near.any():
        return []
    return [sorted(group.tolist()) for group in np.split(order, np.flatnonzero(~near) + 1) if len(group) > 1]


class MomentClassifier(PosteriorMixin, MomentEstimator, Classifier):
    """A classifier on the moments of each class; writes ``_solve(m)`` and ``_score(X)`` (n, K)."""

    keeps = Keep(group="y")

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from the rows of ``X`` (n, p) and their labels ``y`` (n,); weights are counts."""
        return MomentEstimator.fit(self, X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add rows to what was learned.

        ``classes`` may name all labels at the first call; a label that comes later is added then.
        """
        if not hasattr(self, "moments_"):
            if classes is None:
                return self.fit(X, y, sample_weight=sample_weight)
            labels = np.unique(np.asarray(classes))
            X = self._enter(X, reset=True, finite=False)
            seen, _ = encode_labels(y, X.shape[0])
            if not np.isin(seen, labels).all():
                raise DataError(
                    f"The target label(s) {seen[~np.isin(seen, labels)].tolist()} in y do not exist in the initial classes "
                    f"{labels.tolist()}."
                )
            self.classes_ = labels
            source = self.rows_in(X, y, sample_weight, reset=False)
            m = self._reduce(source, self.summation(source))
            return self.fit_moments(m)
        if classes is not None and not np.array_equal(np.unique(np.asarray(classes)), self.classes_):
            raise DataError(
                f"classes={np.asarray(classes).tolist()} is not the same as on last call to partial_fit, was: {self.classes_.tolist()}."
            )
        source = self.rows_in(X, y, sample_weight, reset=False)
        more = self._reduce(source, self.summation(source, origin=self.moments_.origin))
        return self.fit_moments(self.moments_ + more)

    def _known_codes(self, y: Any, n: int) -> Codes:
        """Return codes among the classes known so far, widened by labels that are new."""
        seen, codes = encode_labels(y, n)
        self.classes_ = np.union1d(self.classes_, seen) if not np.isin(seen, self.classes_).all() else self.classes_
        return np.searchsorted(self.classes_, seen)[codes]

    def _look(self, m: Moments) -> None:
        super()._look(m)
        lonely = np.flatnonzero(m.count == 1)
        if len(lonely):
            say(
                f"class {self.classes_.tolist()[lonely[0]]!r} has one member only: nothing can be learned of its spread."
            )


class MomentRegressor(MomentEstimator, Regressor):
    """A linear regressor on the joint moments of inputs and targets; writes ``_solve(m)``, sets ``coef_`` and ``intercept_``."""

    keeps = Keep(targets=True)
    is_linear = True
    answers_anywhere = True
    _several_targets = True
    _as_given = ("coef_", "intercept_")
    intercept_: Any

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from the rows of ``X`` (n, p) and their values ``y`` (n,) or (n, m); weights are counts."""
        return MomentEstimator.fit(self, X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Add rows to what was learned; the order and the cut of the rows do not matter."""
        return MomentEstimator.partial_fit(self, X, y, sample_weight)

    def _set_linear(self, coef: Matrix, intercept: Vector) -> None:
        """Set ``coef_`` (m, p) and ``intercept_`` (m,), folded to (p,) and a number when y was a vector."""
        one = getattr(self, "_one_target", True) and len(coef) == 1
        self.coef_ = coef[0] if one else coef
        self.intercept_ = np.float64(intercept[0]) if one else intercept

    def _predict(self, X: Matrix) -> Matrix:
        values: Matrix = affine_rows(X, self.coef_.T, self.intercept_)
        return values


class MomentTransformer(MomentEstimator, Transformer):
    """A transformer on the moments of the inputs; writes ``_solve(m)`` and ``_transform(X)``."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from the rows of ``X`` (n, p); ``y`` is ignored."""
        return MomentEstimator.fit(self, X, None, sample_weight)
