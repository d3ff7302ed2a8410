"""What the linear regressions share about their rows: sparse tables, tables wider than long, and rows counted apart from weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from epee.engines.choice import engine_for
from epee.engines.local import one_blas_thread
from epee.errors import SearchWarning, WrongUse
from epee.estimator.base import refuse_large, say
from epee.moments.moments import Moments
from epee.solve.sparse_conjugate import conjugate_gradients
from epee.solve.sparse_rows import CentredRows, Iterated, is_large_and_sparse, least_squares
from epee.table.arrays import ArraySource
from epee.table.block import Block, Source, refuse_bad_cells
from epee.table.doors import gather
from epee.table.sparse import SparseSource, is_sparse
from epee.typing import Matrix, Vector

FEW_COLUMNS = 500  # whose scatter costs nothing


class RowSource:
    """Mixed into a :class:`~epee.estimator.moment.MomentRegressor` that also goes back to its rows."""

    fit_intercept: bool
    positive: bool
    _count: float

    def _look(self, m: Moments) -> None:
        if self.fit_intercept:  # a constant column is no mistake without an intercept
            super()._look(m)  # type: ignore[misc, unused-ignore]

    def _recall(self) -> None:
        """Sum the rows of a wide table that was solved without moments, before more come or some go."""
        rows = self.__dict__.pop("_wide", None)
        if rows is not None:
            self.moments_ = self._sum((SparseSource if is_sparse(rows[0]) else ArraySource)(*rows))  # type: ignore[attr-defined]
        elif hasattr(self, "coef_") and not hasattr(self, "moments_"):
            raise WrongUse("what was learned from these sparse rows was not kept as sums: fit all rows again.")

    def _iterated(
        self, source: SparseSource, alphas: Callable[[int], Vector], tol: float | None, max_iter: int | None = None
    ) -> tuple[Iterated, Vector, Centred]:
        """Solve by products with sparse rows, the penalties by the number of targets; return the solution, intercepts and centred rows.

        Without ``tol`` all digits are sought.
        """
        if self.positive:
            raise WrongUse(
                f"positive=True is solved from the scatter of all columns, and {source.n_columns:,} sparse ones are too many: use "
                "Lasso(positive=True) with a small alpha."
            )
        m = np.asarray(source.y).reshape(source.n_rows, -1).shape[1]
        with one_blas_thread():  # vectors are not worth waking its others for
            rows = Centred.of(source, self.fit_intercept)
            done = solve_penalties(rows.Z, rows.T, alphas(m), tol=tol, max_iter=max_iter)
        if not done.converged:
            say(
                f"{type(self).__name__} did not converge: after {done.iterations} products with the sparse rows the slopes have not "
                "settled. A penalty, or a larger one, would help.", SearchWarning,
            )  # fmt: skip
        self._wide, self._centre, self._tss = (source.X, source.y, source.weight), rows.Z.mean, (rows.T**2).sum(axis=0)
        self._count = float(source.n_rows if source.weight is None else source.weight.sum())
        return done, rows.level - rows.Z.mean @ done.coef, rows

    def _count_rows(self, source: Source) -> None:
        """Keep how many rows carry weight and the sum of their log weights: the likelihood of precision weights needs them."""
        self._rows, self._log_weights = self._count, 0.0
        named = getattr(source, "weight_name", None) is not None
        weighted = named or getattr(source, "weight", None) is not None or not hasattr(source, "weight")
        if not weighted:
            return
        there, rows, logs = engine_for(source.narrow()).reduce(source.narrow(), _weights_of, merge=_both)
        if there:
            self._rows, self._log_weights = float(rows), logs


def _weights_of(block: Block) -> tuple[bool, int, float]:
    """Return whether rows have weights, how many have one above 0, and the sum of the logarithms of these."""
    if block.weight is None:
        return False, 0, 0.0
    positive = block.weight[block.weight > 0]
    return True, len(positive), float(np.log(positive).sum())


_weights_of.narrow = True  # type: ignore[attr-defined]  # no cell of the rows is read


def _both(a: tuple[bool, int, float], b: tuple[bool, int, float]) -> tuple[bool, int, float]:
    return a[0] and b[0], a[1] + b[1], a[2] + b[2]


@dataclass(frozen=True, eq=False)
class Centred:
    """Sparse rows and their targets about their means, with the roots of weights, and the means of the targets."""

    Z: CentredRows
    T: Matrix  # (n, m)
    level: Vector  # (m,)

    @classmethod
    def of(cls, source: SparseSource, centred: bool) -> Centred:
        """Return the rows about their means, or about 0."""
        Y = np.asarray(source.y, dtype=np.float64).reshape(source.X.shape[0], -1)
        Z = CentredRows.of(source.X, source.weight, centred)
        level = Z.root**2 @ Y / (Z.root**2).sum() if centred else np.zeros(Y.shape[1])
        return cls(Z, Z.root[:, None] * (Y - level), level)

    def squares_left(self, coef: Matrix) -> Vector:
        """Return the sum of squares (m,) that slopes leave."""
        left: Vector = ((self.T - np.column_stack([self.Z.times(b) for b in coef.T])) ** 2).sum(axis=0)
        return left


def solve_penalties(
    Z: CentredRows, T: Matrix, alphas: Vector, *, tol: float | None = None, max_iter: int | None = None
) -> Iterated:
    """Return the slopes of each column of ``T`` with its own penalty: by squares of the rows where these are safe, else without them."""
    found = conjugate_gradients(Z, T, alphas, tol=tol, max_iter=max_iter)
    return found or least_squares(Z, T, alphas, tol=tol, max_iter=max_iter)


def uneven(X: Matrix) -> bool:
    """Tell whether columns differ so much in spread that the products of rows see only the largest of them; few enough to do without.

    >>> uneven(np.array([[1.0, 2.0, 1e7], [0.0, 1.0, -1e7]]))
    True
    """
    spread = X.std(axis=0) if X.shape[1] <= FEW_COLUMNS else np.ones(1)
    varies = spread[spread > 0]
    return bool(varies.max(initial=0.0) > 1e4 * varies.min(initial=np.inf))


def wide_rows(source: Source) -> tuple[Matrix, Matrix, Vector | None] | None:
    """Return the checked rows of a table with at most as many rows as columns, whose p x p scatter should not be formed."""
    if source.n_rows is None or not 1 < source.n_rows <= source.n_columns or getattr(source, "is_away", False):
        return None
    if is_large_and_sparse(source):
        return None
    refuse_large(source.n_rows, source.n_columns)
    X, y, w = (source.X, source.y, source.weight) if isinstance(source, ArraySource) else gather(source)
    with np.errstate(over="ignore", invalid="ignore"):
        if not np.isfinite(X.sum()):
            refuse_bad_cells(X, source.names)
    X = np.asarray(X, dtype=np.float64)
    Y = np.asarray(y, dtype=np.float64).reshape(len(X), -1)
    if w is not None and not w.all():
        X, Y, w = X[w > 0], Y[w > 0], w[w > 0]
    return X, Y, w
