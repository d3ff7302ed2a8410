"""How a network learns: mini-batches with a step that remembers, or all rows at once with a limited memory of curvature."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.utils import gen_batches, shuffle

from epee.errors import SearchWarning
from epee.estimator.base import say
from epee.optimize.quasi_newton import lbfgs
from epee.optimize.updates import Adam, Momentum
from epee.predictors.networks.layers import Network
from epee.typing import Matrix, Vector


@dataclass
class Training:
    """A network and its parameters while it learns; ``score`` judges rows kept aside, None without early stopping."""

    network: Network
    weights: list[Matrix]
    biases: list[Vector]
    tol: float
    max_iter: int
    patience: int
    score: Callable[[Training], float] | None = None
    curve: list[float] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    converged: bool = False

    def whole(self, X: Matrix, Y: Matrix, w: Vector | None, most_calls: int) -> None:
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
                value, by_weight, by_bias = self.network.gradient(X, Y, w, parts[:K], parts[K:])
                last.update(key=key, value=value, slope=np.concatenate([g.ravel() for g in (*by_weight, *by_bias)]))
            return last["value"], last["slope"]

        found = lbfgs(
            lambda x: both(x)[0], np.concatenate([a.ravel() for a in (*self.weights, *self.biases)]), lambda x: both(x)[1],
            tol=self.tol, max_iter=min(self.max_iter, most_calls),
        )  # fmt: skip
        parts = [a.copy() for a in unpack(np.asarray(found.x))]
        self.weights, self.biases = parts[:K], parts[K:]
        self.curve = [float(v) for v in found.trace.values[1:]] or [float(found.value)]
        self.converged = bool(found.converged)

    def batches(
        self, X: Matrix, Y: Matrix, w: Vector | None, size: int, step: Any, rule: Any, mixed: bool, rng: Any
    ) -> None:
        """Descend on a few rows at a time until nothing gets better; ``rule(step, seen, stuck)`` sets the length and may stop."""
        n, rows, idle, best, seen = len(X), np.arange(len(X)), 0, np.inf, 0
        top, kept = -np.inf, ([a.copy() for a in self.weights], [a.copy() for a in self.biases])
        for _ in range(self.max_iter):
            rows = shuffle(rows, random_state=rng) if mixed else rows
            total = 0.0
            for batch in gen_batches(n, size):
                here = rows[batch]
                value, by_weight, by_bias = self.network.gradient(
                    X[here], Y[here], None if w is None else w[here], self.weights, self.biases
                )
                total += value * len(here)
                step([*by_weight, *by_bias])
            self.curve.append(total / n)
            seen += n
            if self.score is not None:
                self.scores.append(self.score(self))
                idle = idle + 1 if self.scores[-1] < top + self.tol else 0
                if self.scores[-1] > top:
                    top, kept = self.scores[-1], ([a.copy() for a in self.weights], [a.copy() for a in self.biases])
            else:
                idle = idle + 1 if self.curve[-1] > best - self.tol else 0
                best = min(best, self.curve[-1])
            if rule(step, seen, idle > self.patience):
                self.converged = True
                break
            idle = 0 if idle > self.patience else idle
        if self.score is not None:
            self.weights, self.biases = kept
        if not self.converged:
            say(
                f"{self.max_iter} passes were made and the loss still falls: allow more (max_iter), or longer steps.",
                SearchWarning,
            )


def make_step(model: Any, parameters: list[np.ndarray]) -> tuple[Any, Callable[[Any, int, bool], bool]]:
    """Return the step of a solver by name, and the rule that changes its length: constant, inverse scaling, or a fifth when stuck."""
    first = model.learning_rate_init
    if model.solver == "adam":
        return Adam(
            parameters, rate=first, beta_1=model.beta_1, beta_2=model.beta_2, epsilon=model.epsilon
        ), lambda s, n, stuck: stuck
    step = Momentum(parameters, rate=first, momentum=model.momentum, ahead=model.nesterovs_momentum)

    def rule(s: Momentum, seen: int, stuck: bool) -> bool:
        if model.learning_rate == "invscaling":
            s.rate = first / (seen + 1) ** model.power_t
        if stuck and model.learning_rate == "adaptive" and s.rate > 1e-6:
            s.rate /= 5.0
            return False
        return stuck

    return step, rule
