r"""A network of layers, and how an error flows back through it.

Forwards, layer :math:`l` maps the activations of the one before,

.. math:: z_l = W_l^\top a_{l-1} + b_l, \qquad a_l = \sigma(z_l), \qquad a_0 = x; \tag{1}

the last one ends in the mean of the target (identity, logistic, softmax), so that the derivative of its loss is the plain error. Backwards,
with :math:`\delta_l = \partial \ell / \partial z_l`, the chain rule reads

.. math:: \delta_L = a_L - y, \qquad \delta_{l-1} = (W_l \delta_l) \odot \sigma'(z_{l-1}), \qquad
          \frac{\partial \ell}{\partial W_l} = a_{l-1} \delta_l^\top, \qquad \frac{\partial \ell}{\partial b_l} = \delta_l. \tag{2}

The objective over n rows is :math:`\frac1n \sum_i \ell_i + \frac{\alpha}{2n} \sum_l \|W_l\|^2`: weights decay, biases do not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.special import expit, xlogy

from epee.stateful import Part
from epee.typing import Matrix, Vector

NARROW = 7  # outputs that NumPy adds up one by one, too


def over_outputs(reduce: np.ufunc, z: Matrix) -> Vector:
    """Return the sum, or the largest, over the outputs (..., K): a few columns at once are quicker than many short rows, bits are the same.

    >>> over_outputs(np.add, np.array([[1.0, 2.0, 3.0]]))
    array([6.])
    """
    if not 1 < z.shape[-1] <= NARROW:
        return reduce.reduce(z, axis=-1)
    out = reduce(z[..., 0], z[..., 1])
    for k in range(2, z.shape[-1]):
        out = reduce(out, z[..., k])
    return out


def shares(z: Matrix) -> Matrix:
    """Return positive numbers divided by their sum over the outputs."""
    return z / over_outputs(np.add, z)[..., None]


# the function, and its derivative as a function of its value
ACTIVATIONS: dict[str, tuple[Callable[[Matrix], Matrix], Callable[[Matrix], Matrix]]] = {
    "identity": (lambda z: z, np.ones_like),
    "logistic": (expit, lambda a: a * (1 - a)),
    "tanh": (np.tanh, lambda a: 1 - a**2),
    "relu": (lambda z: np.maximum(z, 0.0), lambda a: np.greater(a, 0, out=np.empty_like(a), casting="unsafe")),
}
ENDS: dict[str, Callable[[Matrix], Matrix]] = {
    "identity": lambda z: z,
    "logistic": expit,
    "softmax": lambda z: shares(np.exp(z - over_outputs(np.maximum, z)[..., None])),
    "exp": np.exp,
}


@dataclass(frozen=True)
class Network(Part):
    """The shape of a network: ``activation`` of the hidden layers, ``end`` of the last, ``alpha`` of the decay."""

    activation: str
    end: str
    alpha: float

    def check_state(self) -> None:
        """Refuse names of functions that are none of the above."""
        if self.activation not in ACTIVATIONS or self.end not in ENDS:
            raise ValueError(f"{self.activation!r} and {self.end!r} are no functions of a layer")

    def forward(self, X: Matrix, weights: Sequence[Matrix], biases: Sequence[Vector]) -> list[Matrix]:
        """Return the activations (1) of all layers, the input first; of a stack of networks (T, ...) those of a stack of rows."""
        sigma = ACTIVATIONS[self.activation][0]
        layers = [X]
        for W, b in zip(weights[:-1], biases[:-1]):
            layers.append(sigma(layers[-1] @ W + b[..., None, :]))
        layers.append(ENDS[self.end](layers[-1] @ weights[-1] + biases[-1][..., None, :]))
        return layers

    def gradient(
        self, X: Matrix, Y: Matrix, w: Vector | None, weights: Sequence[Matrix], biases: Sequence[Vector], alpha: Any = None
    ) -> tuple[Any, list[Matrix], list[Vector]]:  # fmt: skip
        """Return the objective on some rows and its derivatives (2), weights first.

        Of a stack of networks (T, ...) the objectives (T,), each on its own rows; ``alpha`` are then their decays (T,).
        """
        layers = self.forward(X, weights, biases)
        slope = ACTIVATIONS[self.activation][1]
        decay = np.asarray(self.alpha if alpha is None else alpha, dtype=np.float64)  # () or (T,)
        n = np.asarray(float(X.shape[-2]) if w is None else w.sum(axis=-1))
        delta = layers[-1] - Y
        if w is not None:
            delta *= w[..., None]
        delta /= n[..., None, None]
        share = (decay / n)[..., None, None]
        by_weight, by_bias = [], []
        for layer in range(len(weights) - 1, -1, -1):
            by_weight.append(np.swapaxes(layers[layer], -1, -2) @ delta + share * weights[layer])
            by_bias.append(delta.sum(axis=-2))
            if layer:
                delta = delta @ np.swapaxes(weights[layer], -1, -2)
                delta *= slope(layers[layer])
        rows = self.losses(layers[-1], Y)
        mean = rows.mean(axis=-1) if w is None else (rows * w).sum(axis=-1) / n
        squares = sum(np.einsum("...ij,...ij->...", W, W) for W in weights)
        return mean + 0.5 * decay * squares / n, by_weight[::-1], by_bias[::-1]

    def losses(self, P: Matrix, Y: Matrix) -> Vector:
        """Return the loss of each row (n,): half the squared error, the log loss, or Poisson's; outputs add."""
        if self.end == "identity":
            return 0.5 * over_outputs(np.add, np.square(P - Y))
        if self.end == "exp":
            return over_outputs(np.add, xlogy(Y, np.where(Y > 0, Y, 1.0) / P) - Y + P)
        P = np.clip(P, np.finfo(float).eps, 1 - np.finfo(float).eps)
        if self.end == "logistic":
            return -over_outputs(np.add, xlogy(Y, P) + xlogy(1 - Y, 1 - P))
        return -over_outputs(np.add, xlogy(Y, P))


def start_values(
    sizes: Sequence[int], activation: str, rng: np.random.RandomState
) -> tuple[list[Matrix], list[Vector]]:
    """Return weights and biases drawn uniformly within Glorot and Bengio's bounds, which keep the activations of all layers alike."""
    weights, biases = [], []
    for before, after in pairwise(sizes):
        bound = np.sqrt((2.0 if activation == "logistic" else 6.0) / (before + after))
        weights.append(rng.uniform(-bound, bound, (before, after)))
        biases.append(rng.uniform(-bound, bound, after))
    return weights, biases
