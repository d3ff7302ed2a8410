r"""Minimising the risk of linear scores: a start from few rows, then quasi-Newton steps with their Hessian.

A sample of :math:`n/10` rows has nearly the same minimum and nearly the same Hessian, at a tenth of the cost. So the
problem is first solved on it (and that one on a tenth of it), and the whole table is read only for the last few steps:
L-BFGS whose first matrix is the inverse of the sample's Hessian :math:`H`,

.. math:: d = -\bigl(\text{pairs around } H^{-1}\bigr) \nabla R(W), \tag{1}

shrinks the error by about :math:`\sqrt{q/m}` a pass for :math:`q` unknowns and a sample of :math:`m` rows. The gradient
is always that of the whole table, so the sample decides the speed and never the answer. Newton's method proper takes
its Hessians from the whole table.

References: Nocedal and Wright, *Numerical Optimization*, 2nd ed., Springer, 2006, sections 6.4 and 7.2;
Roosta-Khorasani and Mahoney, "Sub-sampled Newton methods", *Mathematical Programming*, 2019.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from epee.engines.local import one_blas_thread
from epee.errors import SingularProblem
from epee.losses.entropy import CrossEntropy
from epee.losses.margins import SignedSquares
from epee.optimize.descent import Trace
from epee.optimize.far_rows import about_mean
from epee.optimize.linear_risk import LinearRisk
from epee.optimize.quasi_newton import _Recent as Recent
from epee.optimize.row_span import span_of
from epee.table.sparse import SparseSource
from epee.typing import Matrix, Vector

LARGEST_HESSIAN = 3000  # unknowns; beyond, its diagonal stands for it
FEWEST_ROWS = 2000
THINNING = 10
POLISHED = 2_000_000  # rows times unknowns up to which a search goes on to ``polish``, for nothing
FALL = 1e-3  # of the largest slope of sparse rows, from where the descent begins


@dataclass
class Minimum:
    """Where a minimisation ended: weights (d, M), value, gradient, how, and the metric it used."""

    W: Matrix
    value: float
    gradient: Matrix
    converged: bool
    reason: str
    iterations: int
    trace: Trace = field(default_factory=Trace)
    metric: Metric | None = None


class Metric:
    """The inverse of a Hessian: by Cholesky, or by its diagonal when it is too large to hold."""

    def __init__(self, risk: LinearRisk, W: Matrix) -> None:
        self.factor: tuple[Matrix, bool] | None = None
        if risk.unknowns > LARGEST_HESSIAN:
            diagonal = risk.curvatures(W)
            self.diagonal = 1 / np.maximum(diagonal, 1e-3 * diagonal.max() + 1e-300)
            return
        H = risk.hessian(W)
        if risk.M > 1:
            H = H + gauge(H, risk.M)
        self.factor, self.scale = scaled_cholesky(H)

    def solve(self, v: Vector) -> Vector:
        """Return H^-1 v for a vector in the order of ``flat``."""
        if self.factor is None:
            return v * self.diagonal.T.reshape(-1)
        from scipy.linalg import cho_solve

        return cho_solve(self.factor, v * self.scale, check_finite=False) * self.scale

    def solve_columns(self, V: Matrix) -> Matrix:
        """Return H^-1 V for many vectors, as columns."""
        if self.factor is None:
            return V * self.diagonal.T.reshape(-1)[:, None]
        from scipy.linalg import cho_solve

        return cho_solve(self.factor, V * self.scale[:, None], check_finite=False) * self.scale[:, None]


class ProductMetric(Metric):
    r"""The Hessian of a softmax as if rows were alike:
    :math:`(\mathrm{diag}\,\bar p - \bar p \bar p^\top) \otimes \tilde X^\top \tilde X / n`.

    Costs one Gram matrix in place of :math:`K^2/2`; exact where all weights are 0.
    """

    def __init__(self, risk: LinearRisk, W: Matrix) -> None:
        one = replace(risk, loss=SignedSquares(), M=1, l2=0 * risk.l2, l1=0 * risk.l1)
        G = one.hessian(np.zeros((risk.d, 1))) / 2  # the curvature of a square is 2
        share = (
            np.maximum(-risk.at(np.zeros_like(W))[1][-1] + 1 / risk.M, 1e-3)
            if risk.bias
            else np.full(risk.M, 1 / risk.M)
        )
        share = share / share.sum()
        values, self.axes = np.linalg.eigh(np.diag(share) - np.outer(share, share))
        values = np.maximum(
            values, values[-1] / 10
        )  # the common direction has no curvature; the gradient has none of it either
        self.factors = [scaled_cholesky(a * G + np.diag(risk.l2)) for a in values]
        self.factor = self.factors[0][0]

    def solve(self, v: Vector) -> Vector:
        from scipy.linalg import cho_solve

        V = self.axes.T @ v.reshape(len(self.axes), -1)  # (M, d)
        for k, (factor, scale) in enumerate(self.factors):
            V[k] = cho_solve(factor, V[k] * scale, check_finite=False) * scale
        return (self.axes @ V).reshape(-1)


def make_metric(risk: LinearRisk, W: Matrix, rough: bool) -> Metric:
    """Return the metric of a risk at W, from at most as many rows as a good one needs; ``rough`` is the cheapest."""
    if risk.M > 1:
        here = getattr(risk.source, "home", "local") != "device"
        if rough and here and isinstance(risk.loss, CrossEntropy) and risk.d <= LARGEST_HESSIAN:
            return ProductMetric(risk, W)
        n, rows = risk.source.n_rows, max(FEWEST_ROWS, 8 * min(risk.unknowns, LARGEST_HESSIAN))
        if n is None or n > 2 * rows:
            return Metric(risk.some_rows(rows), W)
    return Metric(risk, W)


def gauge(H: Matrix, M: int) -> Matrix:
    """Return what makes a softmax Hessian regular: a term that only sees changes common to all classes."""
    q = len(H) // M
    common = np.diag(np.maximum(np.diag(H).reshape(M, q).mean(axis=0), 1e-12))
    return np.kron(np.full((M, M), 1 / M), common)


def scaled_cholesky(H: Matrix) -> tuple[tuple[Matrix, bool], Vector]:
    """Factor D H D with a unit diagonal; a multiple of the identity is added when H is not positive definite."""
    from scipy.linalg import cho_factor

    diagonal = np.diag(H)
    scale = 1 / np.sqrt(np.where(diagonal > 1e-300, diagonal, 1.0))
    unit = H * scale * scale[:, None]
    tau = 0.0
    for _ in range(30):
        try:
            factor = cho_factor(unit + tau * np.eye(len(H)), lower=True, check_finite=False)
        except np.linalg.LinAlgError:
            factor = None
        if factor is not None and np.diag(factor[0]).min() > 1e-7:
            return factor, scale
        tau = max(1e-12, 30 * tau)
    raise SingularProblem("the curvature of the risk is not finite: rescale the columns.")


def held(risk: LinearRisk) -> int:
    """Return how many rows a sample has in memory."""
    return int(risk.source.n_rows or 0)


def flat(W: Matrix) -> Vector:
    """Return the weights class by class, (M d,)."""
    return W.T.reshape(-1)


def minimise(
    risk: LinearRisk, W: Matrix | None = None, *, tol: float = 1e-4, max_iter: int = 100, newton: bool = False, levels: bool = True,
    polish: float = 1e-9, watch: Callable[[Matrix], None] | None = None, metric: Metric | None = None,
) -> Minimum:  # fmt: skip
    """Minimise a smooth risk; ``newton`` takes Hessians of all rows, ``levels`` starts from a tenth of them, ``metric`` is a first one."""
    other = span_of(risk) or about_mean(risk)
    if other is not None:
        begin, told = (
            None if W is None else other.within(W),
            None if watch is None else lambda V: watch(other.lifted(V)),
        )
        found = minimise(
            other.risk, begin, tol=tol, max_iter=max_iter, newton=newton, levels=levels, polish=polish, watch=told
        )
        points = [flat(other.lifted(x.reshape(risk.M, -1).T)) for x in found.trace.iterates]
        return replace(
            found, W=other.lifted(found.W), gradient=other.slopes(found.gradient), metric=None,
            trace=replace(found.trace, iterates=points),
        )  # fmt: skip
    n = risk.source.n_rows
    enough = max(FEWEST_ROWS, 8 * min(risk.unknowns, LARGEST_HESSIAN))
    if levels and (n is None or n >= 4 * enough):
        sample = risk.some_rows(max(enough, (n or 40 * enough) // THINNING))
        if n is None or held(sample) < 0.5 * n:
            start = minimise(sample, W, tol=max(tol, 0.1 / np.sqrt(held(sample))), max_iter=max_iter, polish=np.inf)
            W = start.W
            if not newton:
                with one_blas_thread():
                    metric = make_metric(sample, W, rough=False)
    if W is None:
        W = np.zeros((risk.d, risk.M))
    small = n is not None and n * risk.unknowns <= POLISHED
    with one_blas_thread():  # our threads share the rows; BLAS's own would wait for them and for each other
        return _descend(risk, W, metric, tol, min(tol, polish) if small else tol, max_iter, newton, watch)


def _descend(
    risk: LinearRisk, W: Matrix, metric: Metric | None, tol: float, polish: float, max_iter: int, newton: bool,
    watch: Callable[[Matrix], None] | None,
) -> Minimum:  # fmt: skip
    pairs, trace = Recent(12), Trace()
    value, gradient = risk.at(W)
    if not value <= risk.at_zero():  # the sample has misled
        W, metric = np.zeros_like(W), None
        value, gradient = risk.at(W)
    if isinstance(risk.source, SparseSource):  # a rare column has a small slope wherever it is: only its fall tells
        tol = min(tol, FALL * float(np.abs(gradient).max()))
        polish = min(polish, tol)
    trace.add(flat(W), value, float(np.abs(gradient).max()), 0.0)
    converged, k = False, 0
    since = 0  # steps since the metric was made
    for k in range(max_iter + 1):
        size = float(np.abs(gradient).max())
        converged = size <= tol
        if size <= polish or k == max_iter:
            break
        metric = metric or (Metric(risk, W) if newton else make_metric(risk, W, rough=not np.any(W)))
        d = _direction(pairs, metric, flat(gradient))
        slope = float(flat(gradient) @ d)
        if not slope < 0:
            break
        found = _shorten(risk, W, value, size, d, slope)
        if found is None:  # the metric misleads: go down the slope itself, and make a new metric there
            d = -flat(gradient) / max(1.0, float(np.linalg.norm(gradient)))
            found = _shorten(risk, W, value, size, d, float(flat(gradient) @ d))
            if found is None:
                break
            pairs.forget()
            since = 100
        step, new, there, after = found
        if watch is not None:
            watch(new)
        since += 1
        shrunk = float(np.abs(after).max()) / size
        if newton:
            if shrunk > 0.1 and np.abs(after).max() > polish:
                metric, since = Metric(risk, new), 0
        elif metric.factor is not None and (shrunk > 0.5 or step < 1) and since >= (8 if risk.M > 1 else 3):
            pairs.forget()
            metric, since = make_metric(risk, new, rough=False), 0
        else:
            pairs.learn(step * d, flat(after) - flat(gradient))
        W, value, gradient = new, there, after
        trace.add(flat(W), value, float(np.abs(gradient).max()), step)
    converged = converged or float(np.abs(gradient).max()) <= tol
    size = float(np.abs(gradient).max())
    reason = (
        f"the largest slope {size:.2g} is at most tol = {tol:g}"
        if converged
        else f"max_iter = {max_iter} steps were taken and the largest slope is still {size:.2g}"
        if k >= max_iter
        else f"no step lowers the risk any more; the largest slope is {size:.2g}"
    )
    return Minimum(W, value, gradient, converged, reason, k, trace, metric)


def _shorten(
    risk: LinearRisk, W: Matrix, value: float, size: float, d: Vector, slope: float
) -> tuple[float, Matrix, float, Matrix] | None:
    """Shorten the step until the risk falls as promised; where values cannot tell any more, slopes decide."""
    step = 1.0
    for _ in range(40):
        new = W + step * d.reshape(W.shape[1], W.shape[0]).T
        there, after = risk.at(new)
        close = abs(there - value) <= 1e-13 * max(1.0, abs(value))
        if there <= value + 1e-4 * step * slope or (close and np.abs(after).max() < size):
            return step, new, there, after
        step *= 0.5 if np.isfinite(there) else 0.1
    return None


def _direction(pairs: Recent, metric: Metric, g: Vector) -> Vector:
    """Apply the two-loop recursion around the inverse Hessian of the metric."""
    d, back, room = -g, [], np.empty_like(g)
    for s, change, rho in reversed(pairs.pairs):
        a = rho * (s @ d)
        d -= np.multiply(change, a, out=room)
        back.append(a)
    d = metric.solve(d)
    if (
        metric.factor is None and pairs.pairs
    ):  # a diagonal knows of no columns that move together: the last step tells its scale
        s, change, rho = pairs.pairs[-1]
        d *= 1 / (rho * float(change @ metric.solve(change)))
    for (s, change, rho), a in zip(pairs.pairs, reversed(back), strict=True):
        d += np.multiply(s, a - rho * (change @ d), out=room)
    return d
