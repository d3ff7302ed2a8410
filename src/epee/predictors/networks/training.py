"""How networks learn: mini-batches with a step that remembers, or all rows at once with a limited memory of curvature.

Networks of one shape learn side by side: their weights have one more axis, and one product of stacks serves all. The folds of a
cross-validation and the decays that it tries cost then hardly more calls than one network alone; each takes the steps it would take alone.
Where rows are many, a pass over them is one call of a kernel (:mod:`epee.kernels.network_pass`), and threads share the networks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from epee.engines.local import in_order, one_blas_thread
from epee.errors import SearchWarning
from epee.estimator.base import say
from epee.kernels.compiling import FEW_ROWS
from epee.optimize.quasi_newton import lbfgs
from epee.optimize.updates import Adam, Momentum
from epee.predictors.networks.layers import Network
from epee.predictors.networks.units import Units
from epee.typing import Matrix, Tensor, Vector

STEPPING = (
    "batch_size",
    "max_iter",
    "shuffle",
    "learning_rate_init",
    "beta_1",
    "beta_2",
    "epsilon",
    "tol",
    "n_iter_no_change",
)
AT_ONCE = (
    24  # networks in a stack; stacks follow each other, for threads of such short steps would wait for Python's lock
)


ENDED = ("identity", "logistic", "softmax", "exp")  # as the kernel counts them


@dataclass(eq=False)
class Training:
    """A network, its parameters and its rows while it learns; ``score`` judges rows kept aside, None without early stopping."""

    network: Network
    weights: list[Matrix]
    biases: list[Vector]
    X: Matrix
    Y: Matrix
    w: Vector | None
    model: Any  # whose solver, steps and ends are meant
    rng: Any
    units: Units | None = None  # of the target, where it is scaled
    score: Callable[[Training], float] | None = None
    step: Any = None  # what remembers the steps before, from one call of partial_fit to the next
    seen: int = 0  # rows that were seen before
    before: int = 0  # passes that were made before
    curve: list[float] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    converged: bool = False

    @property
    def shape(self) -> tuple[Any, ...]:
        """What networks must share to learn side by side: no more for Adam with constant steps, alone for others."""
        if self.model.solver != "adam" or self.score is not None:
            return (id(self),)
        return (
            self.network.activation, self.network.end, self.X.shape, self.Y.shape, self.w is None, *(W.shape for W in self.weights),
            *(getattr(self.model, name) for name in STEPPING),
        )  # fmt: skip

    @property
    def by_kernel(self) -> bool:
        """Whether a pass is one call of a kernel: many rows, the usual steps and units."""
        plain = self.model.solver == "adam" and self.network.activation == "relu"
        return plain and len(self.X) >= FEW_ROWS

    @property
    def batch(self) -> int:
        """Rows of a step."""
        return min(200 if self.model.batch_size == "auto" else int(self.model.batch_size), len(self.X))

    def whole(self) -> None:
        """Descend on all rows at once."""
        shapes = [a.shape for a in (*self.weights, *self.biases)]
        ends = np.cumsum([0] + [int(np.prod(shape)) for shape in shapes])
        K = len(self.weights)
        last: dict[str, Any] = {}

        def unpack(x: Vector) -> list[np.ndarray]:
            return [x[a:b].reshape(shape) for a, b, shape in zip(ends[:-1], ends[1:], shapes)]

        def both(x: Vector) -> tuple[float, Vector]:
            key = x.tobytes()
            if last.get("key") != key:
                parts = unpack(x)
                value, by_weight, by_bias = self.network.gradient(self.X, self.Y, self.w, parts[:K], parts[K:])
                last.update(
                    key=key, value=float(value), slope=np.concatenate([g.ravel() for g in (*by_weight, *by_bias)])
                )
            return last["value"], last["slope"]

        found = lbfgs(
            lambda x: both(x)[0], np.concatenate([a.ravel() for a in (*self.weights, *self.biases)]), lambda x: both(x)[1],
            tol=self.model.tol, max_iter=min(self.model.max_iter, self.model.max_fun),
        )  # fmt: skip
        parts = [a.copy() for a in unpack(np.asarray(found.x))]
        self.weights, self.biases = parts[:K], parts[K:]
        self.curve = [float(v) for v in found.trace.values[1:]] or [float(found.value)]
        self.converged = bool(found.converged)


def learn(trainings: Sequence[Training]) -> None:
    """Let networks learn, those of one shape side by side, and say of those that did not finish that they did not."""
    list(in_order(Training.whole, [one for one in trainings if one.model.solver == "lbfgs"]))
    stacks: dict[Any, list[Training]] = {}
    for one in trainings:
        if one.model.solver != "lbfgs":
            stacks.setdefault(one.shape, []).append(one)
    with one_blas_thread() if len(trainings) > 1 else nullcontext():
        for stack in stacks.values():
            if stack[0].by_kernel:
                list(in_order(by_batches, [[one] for one in stack]))
                continue
            for i in range(0, len(stack), AT_ONCE):
                by_batches(stack[i : i + AT_ONCE])
    for one in trainings:
        if not one.converged and one.model.solver == "lbfgs":
            say(
                f"lbfgs made {one.model.max_iter} steps and the gradient is still above tol: allow more, or scale the columns.",
                SearchWarning,
            )
        elif not one.converged:
            say(
                f"{one.model.max_iter} passes were made and the loss still falls: allow more (max_iter), or longer steps.",
                SearchWarning,
            )


def by_batches(stack: list[Training], most: int | None = None) -> None:
    """Descend on a few rows at a time, each network until it gets no better, with at most ``max_iter`` passes, or ``most``."""
    model, network, n, L = stack[0].model, stack[0].network, len(stack[0].X), len(stack[0].weights)
    X, Y, w = _stacked([t.X for t in stack]), _stacked([t.Y for t in stack]), None
    by_kernel = stack[0].by_kernel and len(stack) == 1
    if stack[0].w is not None:
        w = _stacked([t.w for t in stack])
    passes = model.max_iter if most is None else most
    rule, step = length_rule(model), stack[0].step
    if step is None:
        step = make_step(
            model, [np.stack(a) for a in zip(*([*t.weights, *t.biases] for t in stack), strict=True)]
        )  # (T, ...)
    alpha = np.array([t.network.alpha for t in stack])
    order = [np.arange(n) for _ in stack]
    idle, best = np.zeros(len(stack), dtype=int), np.full(len(stack), np.inf)
    kept = {t: _parameters(step, t, L) for t in range(len(stack))}
    here = np.arange(len(stack))  # those that still learn
    for turn in range(passes):
        if model.shuffle:
            for t in here.tolist():
                mixed = np.arange(n)
                stack[t].rng.shuffle(mixed)
                order[t] = order[t][mixed]
        if by_kernel:
            total = _one_call(stack[0], step, order[0])
        else:
            rows, total = np.stack([order[t] for t in here]), np.zeros(len(here))
            for begin in range(0, n, stack[0].batch):
                at = rows[:, begin : begin + stack[0].batch]  # (T, b)
                weight = None if w is None else _taken(w, here, at)
                value, by_weight, by_bias = network.gradient(
                    _taken(X, here, at), _taken(Y, here, at), weight, step.x[:L], step.x[L:], alpha[here]
                )
                total += value * at.shape[1]
                step([*by_weight, *by_bias])
        ended = np.zeros(len(here), dtype=bool)
        for k, t in enumerate(here.tolist()):
            one = stack[t]
            one.curve.append(float(total[k]) / n)
            if one.model.verbose:
                print(f"Iteration {len(one.curve)}, loss = {one.curve[-1]:.8f}")
            if one.score is None:
                idle[t] = idle[t] + 1 if one.curve[-1] > best[t] - model.tol else 0
                best[t] = min(best[t], one.curve[-1])
            else:
                one.weights, one.biases = _parameters(step, k, L)
                one.scores.append(one.score(one))
                idle[t] = idle[t] + 1 if one.scores[-1] < -best[t] + model.tol else 0
                if one.scores[-1] > -best[t]:
                    best[t], kept[t] = -one.scores[-1], (one.weights, one.biases)
            stuck = idle[t] > model.n_iter_no_change
            idle[t] = 0 if stuck else idle[t]
            ended[k] = one.converged = rule(step, stack[0].seen + (turn + 1) * n, bool(stuck))
            if (ended[k] or turn + 1 == passes) and one.score is None:
                kept[t] = _parameters(step, k, L)
        if ended.any():
            here = here[~ended]
            step.leave(~ended)
        if not len(here):
            break
    for t, one in enumerate(stack):
        one.weights, one.biases = kept[t]
    stack[0].step = step


def _stacked(parts: list[Any]) -> tuple[Tensor, np.ndarray]:
    """Return arrays (U, n, ...), one of those that are the same, and which of them each part is."""
    different = list({id(part): part for part in parts}.values())
    places = {id(part): u for u, part in enumerate(different)}
    table = different[0][None] if len(different) == 1 else np.stack(different)
    return table, np.array([places[id(part)] for part in parts])


def _taken(stacked: tuple[Tensor, np.ndarray], here: np.ndarray, at: np.ndarray) -> Tensor:
    """Return some rows (T, b, ...) of each network that learns."""
    parts, which = stacked
    n = parts.shape[1]
    return parts.reshape(-1, *parts.shape[2:]).take(n * which[here][:, None] + at, axis=0)


def _one_call(one: Training, step: Adam, order: np.ndarray) -> Vector:
    """Go over the rows of one network in this order; return the objective (1,), summed over them."""
    from epee.kernels.network_pass import adam_pass

    kept = [np.concatenate([a.ravel() for a in parts]) for parts in (step.x, step.means, step.squares)]
    sizes = np.array([len(one.weights[0]), *(W.shape[1] for W in one.weights)])
    X, Y = np.ascontiguousarray(one.X), np.ascontiguousarray(one.Y)
    w = np.empty(0) if one.w is None else np.ascontiguousarray(one.w, dtype=np.float64)
    rates = (float(step.beta_1), float(step.beta_2), float(step.epsilon))
    total = adam_pass(
        X, Y, w, order, one.batch, sizes, ENDED.index(one.network.end), one.network.alpha, float(step.rate), rates, step.t, *kept
    )  # fmt: skip
    step.t += -(-len(order) // one.batch)
    for parts, flat in zip((step.x, step.means, step.squares), kept, strict=True):
        for a, own in zip(parts, np.split(flat, np.cumsum([a.size for a in parts])[:-1]), strict=True):
            a[...] = own.reshape(a.shape)
    return np.array([total])


def _parameters(step: Any, k: int, L: int) -> tuple[list[Matrix], list[Vector]]:
    every = [a[k].copy() for a in step.x]
    return every[:L], every[L:]


def make_step(model: Any, parameters: list[np.ndarray]) -> Any:
    """Return the step of a solver by name."""
    if model.solver == "adam":
        return Adam(
            parameters, rate=model.learning_rate_init, beta_1=model.beta_1, beta_2=model.beta_2, epsilon=model.epsilon
        )
    return Momentum(parameters, rate=model.learning_rate_init, momentum=model.momentum, ahead=model.nesterovs_momentum)


def length_rule(model: Any) -> Callable[[Any, int, bool], bool]:
    """Return what changes the length of steps, and tells whether they end: constant, inverse scaling, or a fifth when stuck."""
    if model.solver == "adam":
        return lambda s, n, stuck: stuck

    def rule(s: Momentum, seen: int, stuck: bool) -> bool:
        if model.learning_rate == "invscaling":
            s.rate = model.learning_rate_init / (seen + 1) ** model.power_t
        if stuck and model.learning_rate == "adaptive" and s.rate > 1e-6:
            s.rate /= 5.0
            return False
        return stuck

    return rule
