r"""Stochastic descent of linear classifiers over many passes.

Each pass takes the rows in a new order: pieces of the table in random order, rows of a piece in random order, which is
as good as a full shuffle here and keeps memory accesses together. The risk met on the way (each row before its update)
decides when to stop: it must have gained more than ``tol`` in the last few passes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from epee.errors import WrongUse
from epee.losses.margins import MarginLoss, PerceptronLoss
from epee.optimize.descent import Trace
from epee.optimize.linear_descent import Minimum
from epee.optimize.linear_risk import LinearRisk
from epee.table.sparse import is_sparse
from epee.typing import Codes, Matrix, Vector

_LOSSES = {"hinge": 0, "log": 1, "squared_hinge": 2, "perceptron": 3, "squared": 4}
_STEPS = {"constant": 0, "inverse": 1, "power": 2, "optimal": 3}
PIECE = 2048
FAR = 100.0  # times the risk of weights 0: beyond, the steps were too long


@dataclass
class Stochastic:
    r"""A descent under way; ``run`` does passes, again and again when rows come in batches.

    ``l2`` and ``l1`` weigh the penalties :math:`\frac12 \lambda_2 \|w\|^2 + \lambda_1 \|w\|_1`.
    """

    W: Matrix  # (M, p)
    biases: Vector  # (M,)
    loss: MarginLoss
    l2: float = 0.0
    l1: float = 0.0
    bias: bool = True
    schedule: str = "optimal"
    eta: float = 1.0
    power: float = 0.5
    average: bool = False

    def __post_init__(self) -> None:
        if self.schedule not in _STEPS:
            raise WrongUse(
                f"the schedule {self.schedule!r} is unknown; the schedules are {', '.join(map(repr, _STEPS))}."
            )
        self.state = np.zeros(5)
        self.mean, self.paid = np.zeros(self.W.shape[1]), np.zeros(self.W.shape[1])
        alpha = self.l2 + self.l1
        if self.schedule == "optimal" and alpha <= 0:
            self.schedule = "power"
        typical = 1 / np.sqrt(np.sqrt(alpha)) if alpha > 0 else 1.0
        slope = abs(float(self.loss.gradient(np.array([-typical]), np.array([1]))[0]))
        self.start = len(self.W) / (typical / max(1.0, slope) * alpha) if alpha > 0 else 1.0

    def one_pass(self, X: Any, codes: Codes, weight: Vector, order: Codes, eta: float | None = None) -> float:
        """Do one pass over the rows in ``order``, sparse or not; return the mean loss met on the way."""
        from epee.kernels.linear_sgd import sgd_pass, sgd_pass_many

        if is_sparse(X):
            return self._sparse_pass(X, codes, weight, order, eta)
        loss, kind = _LOSSES[self.loss.name], _STEPS[self.schedule]
        steps = (kind, self.eta if eta is None else eta, self.power, self.start, self.l2, self.l1, self.bias)
        if len(self.W) == 1:
            t = np.where(codes > 0, 1.0, -1.0)
            self.state[0] = self.biases[0]
            met = sgd_pass(X, t, weight, order, self.W[0], self.state, self.mean, self.paid, loss, *steps, self.average)
            self.biases[0] = self.state[0]
        else:
            form = int(self.loss.form == "max")
            met = sgd_pass_many(X, codes, weight, order, self.W, self.biases, self.state, loss, form, *steps)
        return float(met)

    def _sparse_pass(self, X: Any, codes: Codes, weight: Vector, order: Codes, eta: float | None) -> float:
        """Do the same at the cost of the cells that are held."""
        from epee.kernels.sparse_sgd import sparse_sgd_pass, sparse_sgd_pass_many

        rows, loss = (X.data, X.indices, X.indptr), _LOSSES[self.loss.name]
        eta = self.eta if eta is None else eta
        steps = (_STEPS[self.schedule], eta, self.power, self.start, self.l2, self.l1, self.bias)
        if len(self.W) == 1:
            t, self.state[0] = np.where(codes > 0, 1.0, -1.0), self.biases[0]
            beside = (self.W[0], self.state, self.mean, self.paid)
            met = sparse_sgd_pass(*rows, t, weight, order, *beside, loss, *steps, self.average)
            self.biases[0] = self.state[0]
            return float(met)
        W, form = np.ascontiguousarray(self.W.T), int(self.loss.form == "max")
        met = sparse_sgd_pass_many(*rows, codes, weight, order, W, self.biases, self.state, loss, form, *steps)
        self.W[:] = W.T
        return float(met)

    def weights(self) -> Matrix:
        """Return the weights (d, M), averaged if that was asked for, the bias last."""
        if self.average and len(self.W) == 1 and self.state[4] > 0:
            W, b = self.mean[None], self.state[3:4]
        else:
            W, b = self.W, self.biases
        return np.vstack([W.T, b[None]]) if self.bias else W.T.copy()

    def run(
        self, X: Any, codes: Codes, weight: Vector | None, *, passes: int, tol: float | None, patience: int = 5, shuffle: bool = True,
        rng: np.random.Generator,
    ) -> tuple[Trace, bool]:  # fmt: skip
        """Do passes until the risk met gains no more than ``tol`` for ``patience`` passes; tell whether it stopped for that."""
        X = X.astype(np.float64, copy=False) if is_sparse(X) else np.ascontiguousarray(X, dtype=np.float64)
        codes, n = np.ascontiguousarray(codes, dtype=np.int64), X.shape[0]
        weight = np.ones(n) if weight is None else np.ascontiguousarray(weight, dtype=np.float64)
        if self.state[1] == 0 and self.loss.name in ("squared", "squared_hinge") and self.l2 + self.l1 > 0:
            cells = X.data if is_sparse(X) else X.reshape(-1)
            curvature = 2 * len(self.W) * (float(cells @ cells) / n + self.bias)
            self.start = max(self.start, curvature / (self.l2 + self.l1))  # a first step that a parabola can bear
        trace, best, waiting = Trace(), np.inf, 0
        for turn in range(passes):
            if turn & (turn - 1) == 0:  # the mean of the iterates begins again at passes 1, 2, 4, 8, ...
                self.state[4] = 0.0
            met = self.one_pass(X, codes, weight, shuffled(n, rng) if shuffle else np.arange(n))
            trace.add(np.append(self.W.reshape(-1), self.biases), met, 0.0, self.eta)
            if not np.isfinite(met) or not np.isfinite(self.W).all():
                return trace, False
            waiting = waiting + 1 if tol is not None and met > best - tol else 0
            best = min(best, met)
            if waiting >= patience:
                return trace, True
        return trace, tol is None


def finish(walk: Stochastic, trace: Trace, stopped: bool, risk: LinearRisk, passes: int) -> Minimum:
    """Return where a descent ended; when that is far worse than weights of 0 its steps were too long, and the best seen is kept."""
    W, zero = walk.weights(), np.zeros((risk.d, risk.M))
    nothing = risk.at_zero()
    value = risk.at(W)[0] if np.isfinite(W).all() else np.inf
    if isinstance(risk.loss, PerceptronLoss) or value <= FAR * nothing:
        reason = "a pass gains less than tol" if stopped else f"max_iter = {passes} passes were made"
        return Minimum(W, value, np.zeros_like(W), stopped, reason, len(trace), trace)
    best, least = zero, nothing
    for x in trace.iterates:
        if np.isfinite(x).all():
            V = _from_flat(x, risk)
            here = risk.at(V)[0]
            if here < least:
                best, least = V, here
    reason = f"it diverged, its steps are too long: after {len(trace)} passes weights of 0 would do far better; the best are kept"
    return Minimum(best, least, np.zeros_like(best), False, reason, len(trace), trace)


def _from_flat(x: Vector, risk: LinearRisk) -> Matrix:
    W = x[: risk.M * risk.source.n_columns].reshape(risk.M, -1).T
    return np.vstack([W, x[-risk.M :][None]]) if risk.bias else W


def shuffled(n: int, rng: np.random.Generator) -> Codes:
    """Return the rows in a random order that keeps pieces of the table together."""
    if n <= PIECE:
        return np.argsort(rng.random(n))
    order = np.arange(n)
    offset = int(rng.integers(PIECE))  # other pieces each time
    starts = [0, *range(offset, n, PIECE)] if offset else list(range(0, n, PIECE))
    pieces = [order[i:j] for i, j in zip(starts, [*starts[1:], n], strict=True) if j > i]
    for k in rng.permutation(len(pieces)):
        rng.shuffle(pieces[k])
    return np.concatenate([pieces[k] for k in rng.permutation(len(pieces))])
