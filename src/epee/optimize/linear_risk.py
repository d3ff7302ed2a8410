r"""The penalised risk of linear scores, added over blocks.

For scores :math:`s_i = W^\top \tilde x_i` (:math:`\tilde x` carries a last 1 for the bias) and a loss :math:`e`,

.. math:: R(W) = \frac1{\sum_i w_i} \sum_i w_i\, e(s_i, y_i) + \sum_{jk} \bigl(\tfrac12 \lambda_{2j} W_{jk}^2 +
          \lambda_{1j} |W_{jk}|\bigr). \tag{1}

Its gradient is :math:`\frac1{\sum w} \sum_i w_i \tilde x_i\, e'(s_i)^\top`, and its Hessian a weighted Gram matrix,
:math:`\frac1{\sum w} \sum_i w_i\, e''(s_i) \otimes \tilde x_i \tilde x_i^\top`. All three are sums over rows: one pass
of any engine.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from epee.arrays import (
    as_type,
    home_together,
    is_elsewhere,
    less_one_at,
    like,
    namespace,
    select_rows,
    taken,
    taken_along,
)
from epee.engines.choice import engine_for
from epee.losses.entropy import CrossEntropy
from epee.losses.margins import MarginLoss
from epee.moments.gram import SMALL
from epee.moments.taken import rows_in_all, take_every
from epee.table.arrays import ArraySource
from epee.table.block import Block, Source, refuse_bad_source
from epee.table.elsewhere import ElsewhereSource
from epee.table.sparse import SparseSource, is_sparse
from epee.typing import Codes, Matrix, Tensor, Vector

FEWEST_OF_A_CLASS = 100  # rows of each class in a sample, where the class has them
SAMPLE_CELLS = 4_000_000  # numbers of a stream that are held to find a start: 32 MB
MANY_ROWS = 1024  # in a block for a Hessian of many classes: even a few rows are work for every thread
LONG = 16_384  # rows of a block that a kernel reads where it lies: fewer calls to wait for
FEW_CLASSES = 6  # with a product a pair in the Hessian of a softmax
FEW = 2_000_000  # rows times unknowns below which a kernel is not worth compiling
FEW_HELD = 200_000  # cells of sparse rows times classes, the same


@dataclass
class RiskSum:
    """The weight, value, gradient (d, M) and Hessian (M d, M d) or its diagonal, summed over some rows."""

    count: float
    value: float
    gradient: Matrix
    hessian: Tensor | None

    def __add__(self, other: RiskSum) -> RiskSum:
        hessian = None if self.hessian is None or other.hessian is None else self.hessian + other.hessian
        return RiskSum(self.count + other.count, self.value + other.value, self.gradient + other.gradient, hessian)


@dataclass(frozen=True)
class RowSum:
    """What one block adds to the risk at ``W`` (d, M); picklable, so any engine can carry it.

    ``curvature`` is None, "full" or "diagonal"; ``columns`` restricts the Hessian to some coordinates of x.
    """

    loss: MarginLoss
    W: Matrix
    bias: bool
    centre: Vector
    class_weight: Vector | None = None
    curvature: str | None = None
    columns: Codes | None = None
    compiled: bool = False  # by a kernel, one call a block

    @property
    def anywhere(self) -> bool:
        """Whether blocks may lie elsewhere."""
        return isinstance(self.loss, CrossEntropy)

    def width(self) -> int:
        """Return how many numbers a row takes where all of a block is multiplied at once."""
        d, M = self.W.shape
        return 4 * d + 6 * M + (2 * d * M if self.curvature == "full" and M > 1 else 0)

    def __call__(self, block: Block) -> RiskSum:
        codes, w = self._beside(block)
        away = is_elsewhere(block.rows)
        plain = self.compiled and not away and self.curvature is None and isinstance(self.loss, CrossEntropy)
        if plain and is_sparse(block.rows):
            return self._sparse_cross_entropies(block.rows, codes, w)
        X = operand(block)
        if plain:
            return self._cross_entropies(X, codes, w)
        xp, p, one = namespace(X), X.shape[1], self.W.shape[1] == 1
        W = like(self.W, X, X.dtype)
        with np.errstate(over="ignore", invalid="ignore"):
            S = _scores(X, W[:, 0] if one else W, self.bias)  # (n,) or (n, M)
            value, slope, bend = row_terms(self.loss, S, codes, self.curvature is not None)
            if w is not None:
                value, slope = value * w, slope * (w if one else w[:, None])
            risk, coef, bias = home_together(xp.sum(value), X.T @ slope, xp.sum(slope, axis=0))
            gradient = np.empty(self.W.shape)
            gradient[:p] = coef[:, None] if one else coef
            if self.bias:
                gradient[p] = bias
            hessian = self._sparse_hessian if is_sparse(X) else self._hessian
            bent = None if bend is None else hessian(X, bend, w)
        count = float(X.shape[0]) if w is None else float(xp.sum(w))
        return RiskSum(count, float(risk), gradient, bent)

    def _beside(self, block: Block) -> tuple[Any, Any]:
        """Return the codes of the classes and the weights (n,) or None, where the rows lie."""
        there = block.rows
        codes = like(block.group if block.group is not None else block.y, there)
        codes = as_type(codes, namespace(there).int64)
        exact = there.dtype if is_elsewhere(there) else np.float64
        w: Any = None if block.weight is None else like(block.weight, there, exact)
        if self.class_weight is not None:
            factor = select_rows(like(self.class_weight, there, exact), codes)
            w = factor if w is None else w * factor
        return codes, w

    def _cross_entropies(self, X: Matrix, codes: Codes, w: Vector | None) -> RiskSum:
        """Do the same by a kernel: one call a block, so that threads do not wait for each other."""
        from epee.kernels.linear_sums import logistic_sums, softmax_sums

        p, M = X.shape[1], self.W.shape[1]
        X, codes = np.ascontiguousarray(X), np.ascontiguousarray(codes, dtype=np.int64)
        weights = np.empty(0) if w is None else np.ascontiguousarray(w, dtype=np.float64)
        coef, biases = np.ascontiguousarray(self.W[:p]), self.W[p] if self.bias else np.zeros(M)
        gradient = np.zeros((M, p + 1))
        if M == 1:
            value, count = logistic_sums(X, codes, weights, coef[:, 0].copy(), float(biases[0]), gradient[0])
        else:
            some = max(64, SMALL // (p * M))
            value, count = softmax_sums(X, codes, weights, coef, np.ascontiguousarray(biases), some, gradient)
        return RiskSum(count, value, np.ascontiguousarray(gradient.T if self.bias else gradient[:, :p].T), None)

    def _sparse_cross_entropies(self, X: Any, codes: Codes, w: Vector | None) -> RiskSum:
        """Do the same from the cells of sparse rows, each read once."""
        from epee.kernels.sparse_sums import sparse_logistic_sums, sparse_softmax_sums

        p, M = X.shape[1], self.W.shape[1]
        codes = np.ascontiguousarray(codes, dtype=np.int64)
        rows = (
            X.data,
            X.indices,
            X.indptr,
            codes,
            np.empty(0) if w is None else np.ascontiguousarray(w, dtype=np.float64),
        )
        biases, gradient = self.W[p] if self.bias else np.zeros(M), np.zeros((p + 1, M))
        if M == 1:
            both = np.zeros((p, 2))
            both[:, 0] = self.W[:p, 0]
            value, count, gradient[p] = sparse_logistic_sums(*rows, float(biases[0]), both)
            gradient[:p, 0] = both[:, 1]
        else:
            coef = np.ascontiguousarray(self.W[:p])
            value, count = sparse_softmax_sums(*rows, coef, np.ascontiguousarray(biases), gradient)
        return RiskSum(count, value, gradient if self.bias else gradient[:p], None)

    def _sparse_hessian(self, X: Any, bend: Tensor, w: Vector | None) -> Tensor:
        """Return the Hessian of sparse rows, whose centre is 0, from their non-zeros."""
        B = X if self.columns is None else X[:, self.columns]
        weights = np.ones(B.shape[0]) if w is None else w
        M, d = self.W.shape[1], B.shape[1] + self.bias
        if self.curvature == "diagonal":
            bends = (bend if bend.ndim < 3 else np.diagonal(bend, axis1=1, axis2=2)).reshape(-1, M) * weights[:, None]
            squares = np.asarray(B.multiply(B).T @ bends)  # (q, M)
            return np.vstack([squares, bends.sum(axis=0)]) if self.bias else squares
        if M > 1 and isinstance(self.loss, CrossEntropy):
            bend = bend[:, :, None] * (np.eye(M) - bend[:, None, :])
        bend = bend.reshape(-1, M, M) * weights[:, None, None]
        out = np.empty((M, d, M, d))
        for k in range(M):
            for j in range(k + 1):
                a = bend[:, k, j]
                out[k, : B.shape[1], j, : B.shape[1]] = (B.T @ B.multiply(a[:, None])).toarray()
                if self.bias:
                    out[k, -1, j, :-1] = out[k, :-1, j, -1] = B.T @ a
                    out[k, -1, j, -1] = a.sum()
                out[j, :, k] = out[k, :, j].T
        return out.reshape(M * d, M * d)

    def _hessian(self, X: Any, bend: Any, w: Any) -> Tensor:
        """Return the Hessian of the rows about ``centre``, here: x - centre keeps the digits that large means would cost."""
        xp, M = namespace(X), self.W.shape[1]
        centre = self.centre
        if self.columns is not None:
            X, centre = taken(X, like(self.columns, X), axis=1), centre[self.columns]
        B = X - like(centre, X, X.dtype)  # (n, q)
        if self.bias:
            B = xp.concat([B, xp.ones_like(B[:, :1])], axis=1)
        if self.curvature == "diagonal":
            bends = bend if bend.ndim < 3 else np.diagonal(bend, axis1=1, axis2=2)
            bends = bends if w is None else bends * (w if bends.ndim == 1 else w[:, None])
            return home_together((B * B).T @ xp.reshape(bends, (B.shape[0], M)))[0]  # (d, M)
        if M == 1:
            B *= xp.sqrt(bend if w is None else bend * w)[:, None]
            return home_together(B.T @ B)[0]
        if isinstance(self.loss, CrossEntropy):  # P diag - P P': the second part is one product
            return _softmax_hessian(B, bend if w is None else bend * w[:, None], bend)
        d = B.shape[1]
        out = np.empty((M, d, M, d))
        bend = bend if w is None else bend * w[:, None, None]
        for k in range(M):
            for j in range(k + 1):
                out[k, :, j] = B.T @ (bend[:, k, j][:, None] * B)
                out[j, :, k] = out[k, :, j].T
        return out.reshape(M * d, M * d)


def operand(block: Block) -> Any:
    """Return the rows as products take them: float64, sparse where they are; those that lie elsewhere in their own precision."""
    if is_elsewhere(block.rows):
        return block.rows
    return block.rows.astype(np.float64, copy=False) if is_sparse(block.rows) else np.asarray(block.X, dtype=np.float64)


def _scores(X: Any, W: Any, bias: bool) -> Any:
    """Return the scores (n,) or (n, M) by weights (d,) or (d, M); here one class lies after the other, as sums over many rows need it."""
    p = X.shape[1]
    if W.ndim > 1 and isinstance(X, np.ndarray):
        S = W[:p].T @ X.T
        if bias:
            S += W[p][:, None]
        return S.T
    S = X @ W[:p, ...]
    if bias:
        S += W[p, ...]
    return S


def _softmax_hessian(B: Any, weighted: Any, P: Any) -> Matrix:
    r"""Return the blocks :math:`H_{kj} = \sum_i w_i\, p_k (\delta_{kj} - p_j)\, x x^\top`, with ``weighted`` :math:`w p`.

    Few classes: :math:`1 - p_k` is the sum of the other :math:`p_j`, so one symmetric product :math:`C_{kj}` for each pair of classes gives
    :math:`H_{kj} = -C_{kj}` and :math:`H_{kk} = \sum_j C_{kj}`, and nothing cancels.
    """
    xp, (n, d), M = namespace(B), B.shape, P.shape[1]
    if M <= FEW_CLASSES:
        pairs = list(combinations(range(M), 2))
        rooted = (B * xp.sqrt(weighted[:, k] * P[:, j])[:, None] for k, j in pairs)
        blocks = np.zeros((M, d, M, d))
        for (k, j), C in zip(pairs, home_together(*(S.T @ S for S in rooted))):
            blocks[k, :, j] = blocks[j, :, k] = -C
            blocks[k, :, k] += C
            blocks[j, :, j] += C
        return blocks.reshape(M * d, M * d)
    scale = xp.sqrt(weighted * P)  # sqrt(w) p
    wide = xp.reshape(scale[:, :, None] * B[:, None, :], (n, M * d))
    across, *own = home_together(wide.T @ wide, *(B.T @ (weighted[:, k, None] * B) for k in range(M)))
    out = -across
    for k, part in enumerate(own):
        place = slice(k * d, (k + 1) * d)
        out[place, place] = out[place, place] + part
    return out


def row_terms(loss: MarginLoss, S: Any, codes: Any, bends: bool) -> tuple[Any, Any, Any]:
    """Return each row's loss, slope and curvature by its scores; for the softmax the probabilities stand for the curvature."""
    if not isinstance(loss, CrossEntropy):
        return (
            loss.value(S, codes),
            loss.gradient(S, codes),
            getattr(loss, "metric", loss.second)(S, codes) if bends else None,
        )
    xp = namespace(S)
    if S.ndim == 1:
        t = as_type(codes, S.dtype)
        small = xp.exp(-xp.abs(S))
        inverse = 1 / (1 + small)
        P = xp.where(S >= 0, inverse, small * inverse)
        value = xp.clip(S, 0.0, None) - t * S + xp.log1p(small)
        return value, P - t, small * inverse * inverse if bends else None
    if isinstance(S, np.ndarray):
        return _softmax_terms(np.ascontiguousarray(S.T), codes, bends)
    top = xp.max(S, axis=1, keepdims=True)
    P = xp.exp(S - top)
    total = xp.sum(P, axis=1, keepdims=True)
    P /= total
    value = (xp.log(total) + top - taken_along(S, codes[:, None]))[:, 0]
    return value, less_one_at(P, codes), P if bends else None


def _softmax_terms(S: Matrix, codes: Codes, bends: bool) -> tuple[Vector, Matrix, Matrix | None]:
    """Do the same here, from scores (M, n): class by class, long runs of rows are summed and not a handful of classes at a time."""
    n = S.shape[1]
    own = codes * n + np.arange(n)  # where the scores of the true classes lie
    top = S.max(axis=0)
    P = np.exp(S - top)
    total = P.sum(axis=0)
    P /= total
    slope = P.copy() if bends else P
    slope.reshape(-1)[own] -= 1
    return np.log(total) + top - S.reshape(-1)[own], slope.T, P.T if bends else None


@dataclass(frozen=True)
class ManySum:
    """The logistic risks of many binary predictors ``W`` (d, M) on the same labels: one product for a whole path."""

    W: Matrix
    bias: bool
    class_weight: Vector | None = None

    def __call__(self, block: Block) -> RiskSum:
        X = operand(block)
        codes = np.asarray(block.group if block.group is not None else block.y)
        w = block.weight
        if self.class_weight is not None:
            w = self.class_weight[codes] if w is None else w * self.class_weight[codes]
        p = X.shape[1]
        with np.errstate(over="ignore", invalid="ignore"):
            S = X @ (self.W[:p] / 2)
            if self.bias:
                S += self.W[p] / 2
            np.tanh(S, out=S)  # the probability of the second class is (1 + tanh(s / 2)) / 2
            rest = 0.5 - codes
            if w is not None:
                S *= w[:, None]
                rest = rest * w
            gradient = np.empty(self.W.shape)
            gradient[:p] = X.T @ S
            gradient[:p] *= 0.5
            gradient[:p] += (X.T @ rest)[:, None]
            if self.bias:
                gradient[p] = 0.5 * S.sum(axis=0) + rest.sum()
        return RiskSum(float(len(codes)) if w is None else float(w.sum()), 0.0, gradient, None)


@dataclass(frozen=True)
class LinearRisk:
    """The risk (1) of a source.

    ``l2`` and ``l1`` (d,) are the weights of the penalties, coordinate by coordinate, 0 for a free bias.
    """

    source: Source
    loss: MarginLoss
    M: int
    bias: bool
    l2: Vector
    l1: Vector
    class_weight: Vector | None = None

    @property
    def d(self) -> int:
        """Coordinates of a weight vector, the bias included."""
        return self.source.n_columns + self.bias

    @property
    def unknowns(self) -> int:
        """How many numbers are sought."""
        return self.d * self.M

    def _sum(self, work: RowSum | ManySum) -> RiskSum:
        rows: int | None = None
        if isinstance(self.source, ArraySource) and isinstance(work, RowSum):
            many = work.curvature is not None and self.M > 1
            rows = LONG if work.compiled else MANY_ROWS if many else None
        total: RiskSum = engine_for(self.source).reduce(self.source, work, rows=rows)
        return total

    def at(self, W: Matrix) -> tuple[float, Matrix]:
        """Return the value (with the L1 term) and the gradient of the smooth part."""
        n = self.source.n_rows
        compiled = n is None or n * self.unknowns > FEW
        if isinstance(self.source, SparseSource):
            compiled = self.source.X.nnz * self.M > FEW_HELD
        total = self._sum(RowSum(self.loss, W, self.bias, self._centre, self.class_weight, compiled=compiled))
        if not np.isfinite(total.value) and np.isfinite(W).all() and not np.any(W):
            refuse_bad_source(self.source)
        if not np.isfinite(total.gradient).all():
            refuse_bad_source(self.source)
        value = total.value / total.count + 0.5 * float((self.l2[:, None] * W * W).sum())
        value += float((self.l1[:, None] * np.abs(W)).sum())
        return value, total.gradient / total.count + self.l2[:, None] * W

    def at_zero(self) -> float:
        """Return the risk of weights 0, which no row can change."""
        scores = np.zeros(1) if self.M == 1 else np.zeros((1, self.M))
        return float(self.loss.value(scores, np.zeros(1, dtype=np.intp))[0])

    def at_many(self, W: Matrix, l2: Matrix) -> Matrix:
        """Return the gradients (d, m) of m binary logistic risks with penalties ``l2`` (d, m)."""
        total = self._sum(ManySum(W, self.bias, self.class_weight))
        if not np.isfinite(total.gradient).all():
            refuse_bad_source(self.source)
        return total.gradient / total.count + l2 * W

    @cached_property
    def _centre(self) -> Vector:
        return np.zeros(self.source.n_columns) if not self.bias else self.source.origin

    def hessian(self, W: Matrix, columns: Codes | None = None) -> Matrix:
        """Return the Hessian (M q, M q) of the smooth part, for some columns (and the bias), class by class."""
        work = RowSum(self.loss, W, self.bias, self._centre, self.class_weight, "full", columns)
        total = self._sum(work)
        assert total.hessian is not None
        H = total.hessian / total.count
        keep = np.arange(self.source.n_columns) if columns is None else columns
        q = len(keep) + self.bias
        shape = (self.M, q, self.M, q)
        H = _uncentre(H.reshape(shape), self._centre[keep]) if self.bias else H.reshape(shape)
        l2 = np.append(self.l2[keep], self.l2[-1]) if self.bias else self.l2[keep]
        for k in range(self.M):
            H[k, np.arange(q), k, np.arange(q)] += l2
        return H.reshape(self.M * q, self.M * q)

    def curvatures(self, W: Matrix) -> Matrix:
        """Return the diagonal of the Hessian (d, M), for more unknowns than a matrix can hold."""
        work = replace(RowSum(self.loss, W, self.bias, 0 * self._centre, self.class_weight), curvature="diagonal")
        total = self._sum(work)
        assert total.hessian is not None
        return total.hessian / total.count + self.l2[:, None]

    def some_rows(self, rows: int) -> LinearRisk:
        """Return the risk of about ``rows`` rows, taken at regular distances; weights go with their rows."""
        if not hasattr(self.source, "X"):  # of a stream no more than fits beside its blocks
            rows = min(rows, max(1, SAMPLE_CELLS // self.source.n_columns))
        return replace(self, source=thin(self.source, rows))


def _uncentre(H: Tensor, centre: Vector) -> Tensor:
    """Turn the Hessian by (x - c, 1) into the one by (x, 1): scores are the same, the bias absorbs c."""
    q = H.shape[1]
    T = np.eye(q)
    T[:-1, -1] = centre  # x~ = T (x - c, 1)
    with np.errstate(over="ignore", invalid="ignore"):
        return np.einsum("ab,kbmc,dc->kamd", T, H, T, optimize=True)


def thin(source: Source, rows: int) -> ArraySource | SparseSource:
    """Return about ``rows`` rows of a source in memory, one in every few: the same for any cut into blocks.

    >>> thin(ArraySource(np.arange(10.0)[:, None], y=np.arange(10)), 5).X[:, 0]
    array([0., 2., 4., 6., 8.])
    """
    if isinstance(source, ArraySource | SparseSource):
        return _some_of(source, max(1, -(-source.n_rows // rows)))
    if isinstance(source, ElsewhereSource):  # which rows those are is found here, and only they travel
        beside = source.narrow()
        rows_there: Any = np.arange(source.n_rows)[:, None]
        numbers = ArraySource(rows_there, beside.y, beside.weight, None, beside.group)
        some = _some_of(numbers, max(1, -(-source.n_rows // rows)))
        return ArraySource(source.taken(some.X[:, 0]).X, some.y, some.weight, None, some.group)
    if getattr(source, "is_away", False):  # the same rows as of a stream that is read here
        n, step = rows_in_all(source), 1
        while -(-n // step) > 2 * rows:
            step *= 2
        return take_every(source, step).source()
    step, count = 1, 0
    parts: list[tuple[Any, ...]] = []
    for block in source.blocks():
        chosen = np.flatnonzero((block.start + np.arange(len(block))) % step == 0)
        arrays = (block.X, block.y, block.weight, block.group)
        parts.append((block.start + chosen, *(None if a is None else np.asarray(a)[chosen] for a in arrays)))
        count += len(chosen)
        while count > 2 * rows:
            step *= 2
            parts = [_every(part, step) for part in parts]
            count = sum(len(part[0]) for part in parts)
    joined: list[Any] = [
        None if parts[0][i] is None else np.concatenate([part[i] for part in parts]) for i in range(1, 5)
    ]
    X, y, weight, group = joined
    return ArraySource(X, y, weight, None, group)


def _some_of(source: ArraySource | SparseSource, step: int) -> ArraySource | SparseSource:
    """Take one row in ``step``; a class with few of them gives more, at a smaller weight, so that none is forgotten."""

    def part(a: np.ndarray | None, chosen: Any) -> np.ndarray | None:
        return None if a is None else np.ascontiguousarray(a[chosen])

    codes = source.group
    chosen: Any = slice(None, None, step)
    weight = part(source.weight, chosen)
    if codes is not None and step > 1:
        totals, taken = np.bincount(codes), np.bincount(codes[::step], minlength=int(codes.max()) + 1)
        rare = np.flatnonzero((taken < FEWEST_OF_A_CLASS) & (taken < totals))
        if len(rare):
            rows = np.arange(0, source.n_rows, step)
            factor = np.full(len(totals), float(step))
            parts = [rows[~np.isin(codes[rows], rare)]]
            for k in rare:
                members = np.flatnonzero(codes == k)
                stride = max(1, len(members) // FEWEST_OF_A_CLASS)
                parts.append(members[::stride])
                factor[k] = len(members) / len(parts[-1])
            chosen = np.sort(np.concatenate(parts))
            weight = factor[codes[chosen]] * (1.0 if source.weight is None else source.weight[chosen])
    if isinstance(source, SparseSource):
        return SparseSource(source.X[chosen], part(source.y, chosen), weight, None, part(codes, chosen))
    X = np.ascontiguousarray(source.X[chosen])
    return ArraySource(X, part(source.y, chosen), weight, None, part(codes, chosen))


def _every(part: tuple[Any, ...], step: int) -> tuple[Any, ...]:
    chosen = part[0] % step == 0
    return tuple(None if a is None else a[chosen] for a in part)
