r"""Kernel machines by sums: every penalty and every fold from the moments of landmark features.

The columns :math:`c(x) = (k(x, z_1), \dots, k(x, z_m))` of all rows are summed once, by fold; the whitening :math:`\varphi = A^\top c` of
Nyström's features is linear, so it maps the moments and no row is touched again:

.. math:: \mathrm{scatter}(\varphi, y) = A^\top\, \mathrm{scatter}(c, y), \qquad
          \mathrm{scatter}(\varphi, \varphi) = A^\top\, \mathrm{scatter}(c, c)\, A. \tag{1}

The training moments of each fold are merges of the others, and one decomposition of each gives all penalties. Widths are tried on
squared distances to the same landmarks: a width costs one product of p + 2 columns, one exponential a cell and one Gram matrix.
Leaving out each row in turn costs a single decomposition: with :math:`P` the centred features in the axes of their scatter, of values
:math:`\lambda`, the error of row i without it is its residual over

.. math:: 1 - h_i, \qquad h_i = \frac1n + \sum_j \frac{P_{ij}^2}{\lambda_j + \alpha}. \tag{2}
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from epee.arrays import at_home, is_elsewhere, like, namespace, select_rows
from epee.engines.local import in_order
from epee.moments.moments import Moments, stack
from epee.moments.passes import Summation, reduce_source
from epee.predictors.kernels.similarity import whitening
from epee.solve.ridge_path import ridge_path, spectral_path, squared_error
from epee.solve.spectral import descending_eigh
from epee.stateful import Part
from epee.table.block import Block
from epee.table.elsewhere import ElsewhereSource
from epee.table.folds import assign_folds
from epee.typing import Codes, Matrix, Vector

STRIP = 8192  # rows whose distances are at hand
FETCHED = 1 << 27  # cells of the kernel at hand on a device: 1 GB
TRIAL = 10_000  # rows on which widths are compared
WIDTHS: Vector = 2.0 ** np.arange(-4.0, 4.0)  # times one over the median squared distance of two landmarks


@dataclass(frozen=True)
class Landmarks(Part):
    """Landmarks in standard units, and what brings rows there."""

    points: Matrix  # (m, p)
    mean: Vector
    scale: Vector

    def kernel(self, X: Any, gamma: float) -> Any:
        """Return exp(-gamma |x - z|^2), (n, m), where the rows lie: the exponent is one product of widened rows."""
        xp = namespace(X)
        Z = (xp.astype(X, xp.float64, copy=False) - like(self.mean, X)) / like(self.scale, X)
        rows = xp.concat([2 * Z, -xp.sum(Z**2, axis=1, keepdims=True), -xp.ones_like(Z[:, :1])], axis=1)
        points = np.column_stack([self.points, np.ones(len(self.points)), (self.points**2).sum(axis=1)])
        return xp.exp(xp.clip(rows @ like(gamma * points.T, X), None, 0.0))

    def table(self, X: Matrix, gamma: float) -> Matrix:
        """Return the kernel of many rows, strip by strip."""
        out = np.empty((len(X), len(self.points)))

        def work(s: int) -> None:
            out[s : s + STRIP] = self.kernel(X[s : s + STRIP], gamma)

        list(in_order(work, range(0, len(X), STRIP)))
        return out

    def map(self, X: Any, gamma: float, A: Matrix) -> Any:
        """Return the features (n, r) of rows, where they lie."""
        if is_elsewhere(X):
            xp, there = namespace(X), like(A, X)
            n, step = X.shape[0], max(1, FETCHED // max(1, len(self.points)))
            return xp.concat([self.kernel(X[s : min(s + step, n), ...], gamma) @ there for s in range(0, n, step)])
        parts = in_order(lambda s: self.kernel(X[s : s + STRIP], gamma) @ A, range(0, len(X), STRIP))
        return np.concatenate(list(parts)) if len(X) else np.zeros((0, A.shape[1]))


def choose_landmarks(X: Matrix, w: Vector | None, m: int, seed: int) -> Landmarks:
    """Draw landmarks among the rows that count, in units of the standard deviations."""
    sums = Moments.of(X, sample_weight=w, scatter="diagonal")
    scale = np.sqrt(sums.variances)
    scale = np.where(scale > 1e-12 * np.abs(sums.mean), scale, 1.0)
    rows = np.arange(X.shape[0]) if w is None else np.flatnonzero(w > 0)
    chosen = np.sort(np.random.default_rng([seed, 0]).permutation(rows)[:m])
    points = np.unique((at_home(some_of(X, chosen)) - sums.mean) / scale, axis=0)
    return Landmarks(points, np.asarray(sums.mean), scale)


def some_of(X: Any, rows: Any) -> Any:
    """Return some rows, where they lie.

    >>> some_of(np.array([[1.0], [2.0], [3.0]]), np.array([0, 2]))
    array([[1.],
           [3.]])
    """
    return select_rows(X, like(np.asarray(rows, dtype=np.int64), X)) if is_elsewhere(X) else X[rows]


@dataclass(frozen=True)
class KernelSums:
    """Reduce a block to the moments of its kernel, where it lies."""

    landmarks: Landmarks
    gamma: float
    keep: Summation

    anywhere = True

    def __call__(self, block: Block) -> Moments:
        return self.keep(block.having(X=self.landmarks.kernel(block.X, self.gamma)))

    def rows(self) -> int:
        """Return how many rows a block should have."""
        return self.keep.rows()

    def width(self) -> int:
        """Return how many numbers a row takes."""
        return 2 * self.keep.width()


@dataclass(frozen=True)
class Choice:
    """What a width and a penalty would cost on new rows, and the features of the best."""

    gamma: float
    alpha: float
    A: Matrix
    moments: Moments  # of features and targets, all rows
    errors: Matrix  # (widths, penalties) mean squared error over the folds
    gammas: Vector
    F: Matrix | None = None  # (n, r) the features of all rows, where rows were left out


def choose_width(
    landmarks: Landmarks,
    X: Matrix,
    T: Matrix,
    w: Vector | None,
    codes: Codes | None,
    gammas: Vector,
    alphas: Vector,
    folds: int | None,
    seed: int,
) -> Choice:
    """Return the best width and penalty by K folds, or (None) by leaving out each row.

    Widths are compared on at most ``TRIAL`` rows, the penalty is found on all.
    """
    n = X.shape[0]
    fold = None if folds is None else assign_folds(codes, n, max(2, min(folds, n)), seed)
    tried: list[Vector] = []
    best, kept = 0, None
    if len(gammas) > 1:
        some = np.arange(n) if n <= TRIAL else np.sort(np.random.default_rng([seed, 1]).choice(n, TRIAL, replace=False))
        few = X if n <= TRIAL else some_of(X, some)
        beside = (T[some], None if w is None else w[some], None if fold is None else fold[some])
        for k, gamma in enumerate(gammas.tolist()):
            found = _errors(landmarks, few, *beside, gamma, alphas)
            tried.append(found[0])
            if k == 0 or found[0].min() < tried[best].min():
                best, kept = k, found if n <= TRIAL else None
    errors, A, m, F = kept or _errors(landmarks, X, T, w, fold, float(gammas[best]), alphas)
    order = np.argsort(-alphas, kind="stable")  # of equals the smoothest
    alpha = float(alphas[order[np.argmin(errors[order])]])
    table = np.array(tried) if tried else errors[None]
    table[best] = errors
    return Choice(float(gammas[best]), alpha, A, m, table, np.asarray(gammas, dtype=float), F)


def _errors(
    landmarks: Landmarks, X: Matrix, T: Matrix, w: Vector | None, fold: Codes | None, gamma: float, alphas: Vector
) -> tuple[Vector, Matrix, Moments, Matrix | None]:
    """Return the squared error (A,) of each penalty over the folds, the whitening, the moments of all rows, and their features."""
    A = whitening(landmarks.kernel(landmarks.points * landmarks.scale + landmarks.mean, gamma))
    if fold is None:
        F = landmarks.table(X, gamma) @ A
        m = Moments.of(F, T, sample_weight=w)
        return left_out_errors(F, T, w, alphas, m), A, m, F
    parts = _sums(landmarks, X, T, w, fold, gamma).affine(A.T, np.zeros(A.shape[1]))  # targets stay
    parts = parts.regroup("fold", np.eye(len(parts.count))[parts.count > 0]) if (parts.count == 0).any() else parts
    train = parts.leave_one_out("fold")
    # nine digits are enough to compare penalties; the one chosen is solved again
    values, V = (np.stack(part) for part in zip(*in_order(descending_eigh, train.xx), strict=True))
    coef = np.swapaxes(spectral_path(values, V, np.swapaxes(V, -1, -2) @ train.xy, alphas), -1, -2)  # (F, A, q, r)
    intercept = train.y_mean[:, None] - (coef @ train.x_mean[:, None, :, None])[..., 0]
    share = parts.count / parts.count.sum()
    errors = np.tensordot(share, squared_error(parts, coef, intercept).sum(axis=-1), axes=1)  # (A,)
    return errors, A, parts.merge("fold"), None


def _sums(landmarks: Landmarks, X: Any, T: Matrix, w: Vector | None, fold: Codes, gamma: float) -> Moments:
    """Return the moments of the kernel of rows and of their targets, by fold."""
    if not is_elsewhere(X):
        return _sums_here(landmarks, X, T, w, fold, gamma)
    head = at_home(landmarks.kernel(X[: min(256, X.shape[0]), ...], gamma)).mean(axis=0)
    keep = Summation(np.append(head, T[:256].mean(axis=0)), "full", int(fold.max()) + 1, None, T.shape[1])
    found: Moments = reduce_source(ElsewhereSource(X, T, w, fold), KernelSums(landmarks, gamma, keep))
    return found


def _sums_here(landmarks: Landmarks, X: Matrix, T: Matrix, w: Vector | None, fold: Codes, gamma: float) -> Moments:
    """Return those of the folds that have rows, strip by strip, each of one fold: the kernel of all rows is never at hand."""
    order = np.argsort(fold, kind="stable")
    begins = np.flatnonzero(np.diff(fold[order], prepend=-1))
    strips = [
        (k, rows)
        for k, own in enumerate(np.split(order, begins[1:]))
        for rows in np.array_split(own, -(-len(own) // STRIP))
    ]

    def work(strip: tuple[int, Codes]) -> Moments:
        rows = strip[1]
        return Moments.of(landmarks.kernel(X[rows], gamma), T[rows], sample_weight=None if w is None else w[rows])

    found: dict[int, Moments] = {}
    for (k, _), part in zip(strips, in_order(work, strips), strict=True):
        found[k] = found[k] + part if k in found else part
    return stack(list(found.values()))


def left_out_errors(F: Matrix, T: Matrix, w: Vector | None, alphas: Vector, m: Moments | None = None) -> Vector:
    """Return the mean squared error (A,) of ridge regression of T (n, q) on F (n, r) without each row, by (2); ``m`` are their moments.

    >>> F, T = np.arange(4.0)[:, None], np.array([[0.0], [1.0], [2.0], [4.0]])
    >>> left_out_errors(F, T, None, np.array([1e-9])).round(3)              # by hand: 0.444, 0.020, 0.327, 1 over 4
    array([0.448])
    """
    m = Moments.of(F, T, sample_weight=w) if m is None else m
    weight = np.ones(len(F)) if w is None else w
    n = float(m.count)
    values, V = np.linalg.eigh(m.xx)
    values = np.maximum(values, 0.0)
    P = F @ V
    P -= m.x_mean @ V  # (n, r)
    c = V.T @ m.xy  # (r, q)
    shrink = 1 / (values[:, None] + alphas)  # (r, A)
    residuals = [T[:, q, None] - m.y_mean[q] - P @ (c[:, q, None] * shrink) for q in range(T.shape[1])]  # (n, A) each
    P *= P
    gap = 1 - weight[:, None] * (1 / n + P @ shrink)
    sound = gap > 1e-10  # a row of weight 2 that fits itself has nothing to be judged by
    gap[~sound] = 1.0
    errors = np.zeros(len(alphas))
    for q, residual in enumerate(residuals):
        residual /= gap
        if not sound.all():
            residual = np.where(sound, residual, T[:, q, None] - m.y_mean[q])
        residual *= residual
        errors += weight @ residual
    return errors / n


def ridge_solution(m: Moments, alpha: float) -> tuple[Matrix, Vector]:
    """Return the coefficients (r, q) and the intercepts (q,) of ridge regression on the features."""
    coef = ridge_path(m.xx, m.xy, [alpha])[0]
    return coef, np.asarray(m.y_mean - m.x_mean @ coef)


def median_width(landmarks: Landmarks) -> float:
    """Return one over the median squared distance between two landmarks."""
    Z = landmarks.points[:200]
    D = [((Z[i + 1 :] - z) ** 2).sum(axis=1) for i, z in enumerate(Z[:-1])]  # wide ones are many numbers
    middle = float(np.median(np.concatenate(D))) if D else 1.0
    return 1.0 / middle if middle > 0 else 1.0
