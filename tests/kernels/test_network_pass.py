"""A pass of a network in one call is the passes of layers and steps in NumPy."""

import numpy as np
import pytest

from epee.kernels.network_pass import adam, adam_pass, cell_loss, end_rows
from epee.optimize.updates import Adam
from epee.predictors.networks.layers import ENDS, Network, start_values

ENDED = ("identity", "logistic", "softmax", "exp")


@pytest.mark.parametrize("end", range(4))
def test_ends_and_losses_are_those_of_the_layers(end):
    rng = np.random.default_rng(end)
    z, network = 3 * rng.normal(size=(7, 3)), Network("relu", ENDED[end], 0.0)
    said = ENDS[ENDED[end]](z)
    mine = z.copy()
    end_rows.compiled(mine, end)
    np.testing.assert_allclose(mine, said, rtol=1e-14)
    Y = rng.integers(0, 2, (7, 3)).astype(float) if end else rng.normal(size=(7, 3))
    losses = [sum(cell_loss.compiled(p, y, end) for p, y in zip(*row)) for row in zip(said, Y)]
    np.testing.assert_allclose(losses, network.losses(said, Y), rtol=1e-12)


def test_a_step_is_that_of_adam():
    rng = np.random.default_rng(0)
    x = rng.normal(size=5)
    step, mine, mean, square = Adam([x.copy()], rate=0.1), x.copy(), np.zeros(5), np.zeros(5)
    for t in range(1, 4):
        g = rng.normal(size=5)
        step([g])
        adam.compiled(mine, g, mean, square, 0.1 * np.sqrt(1 - 0.999**t) / (1 - 0.9**t), (0.9, 0.999, 1e-8))
    np.testing.assert_allclose(mine, step.x[0], rtol=1e-14)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("end", "hidden"), [(0, (6,)), (1, (4, 3)), (2, (5,)), (3, ()), (2, (2, 3, 4))])
def test_a_pass_is_a_step_for_each_batch(end, hidden, weighted):
    rng = np.random.default_rng(end)
    n, p, K, batch, alpha = 50, 4, 1 if end != 2 else 7, 16, 0.3
    X, order = rng.normal(size=(n, p)), rng.permutation(n)
    Y = np.eye(7)[rng.integers(0, 7, n)] if end == 2 else rng.integers(0, 2, (n, K)).astype(float)
    w = rng.random(n) + 0.1 if weighted else None
    network = Network("relu", ENDED[end], alpha)
    weights, biases = start_values((p, *hidden, K), "relu", np.random.RandomState(0))
    flat = np.concatenate([a.ravel() for a in (*weights, *biases)])
    step, L, total = Adam([*weights, *biases], rate=0.05), len(weights), 0.0
    for begin in range(0, n, batch):
        at = order[begin : begin + batch]
        value, by_weight, by_bias = network.gradient(X[at], Y[at], None if w is None else w[at], step.x[:L], step.x[L:])
        total += value * len(at)
        step([*by_weight, *by_bias])
    mean, square, sizes = np.zeros_like(flat), np.zeros_like(flat), np.array([p, *hidden, K])
    none = np.empty(0) if w is None else w
    found = adam_pass.compiled(
        X, Y, none, order, batch, sizes, end, alpha, 0.05, (0.9, 0.999, 1e-8), 0, flat, mean, square
    )
    np.testing.assert_allclose(found, total, rtol=1e-12)
    np.testing.assert_allclose(flat, np.concatenate([a.ravel() for a in step.x]), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(square, np.concatenate([a.ravel() for a in step.squares]), rtol=1e-9, atol=1e-15)
