"""One small call for each item of the course (``course_calls.txt``): what the library says of it, as an expression that must hold.

Wherever an item has a number or a formula, its call computes that anew with NumPy and compares. ``X`` (60, 3), labels ``y`` of three
classes, ``b`` 0 or 1, values ``t``, one input ``x`` (40,) with values ``v``; ``F`` the rows with the classes far apart, ``A`` the
covariance of ``X``; ``M`` a small process.
"""

from __future__ import annotations

from math import comb, erfc, factorial
from pathlib import Path

import numpy as np
from scipy import stats

import epee
from epee import design as design_
from epee import losses, mdp, optimize, risk, samples, signal


def log_normal(U, mean, C):
    """Return the logarithm of the normal density at the rows of ``U``."""
    D = np.atleast_2d(U) - mean
    return -0.5 * ((D * np.linalg.solve(C, D.T).T).sum(axis=1) + np.linalg.slogdet(2 * np.pi * np.asarray(C))[1])


def within(U, labels):
    """Return the covariance within the classes, 1/n."""
    return sum(np.cov(U[labels == k].T, bias=True) * (labels == k).mean() for k in np.unique(labels))


def posterior(U, labels):
    """Return P(k | x) where every class is a normal law of its own, by Bayes' rule."""
    logs = [
        log_normal(U, U[labels == k].mean(axis=0), np.cov(U[labels == k].T, bias=True)) + np.log((labels == k).mean())
        for k in np.unique(labels)
    ]
    P = np.exp(np.transpose(logs) - np.max(logs, axis=0)[:, None])
    return P / P.sum(axis=1, keepdims=True)


def distances(U):
    """Return the distances of all pairs of rows."""
    return np.linalg.norm(U[:, None] - U, axis=2)


def cosine(u, w):
    """Return the cosine of the angle of two directions."""
    u, w = np.ravel(u), np.ravel(w)
    return u @ w / np.linalg.norm(u) / np.linalg.norm(w)


def same(one, other):
    """Tell whether two partitions are the same, whatever the names of their parts."""
    one, other = np.asarray(one), np.asarray(other)
    return bool(((one[:, None] == one) == (other[:, None] == other)).all())


def perceptron(U, signs):
    """Return (bias, weights) after one pass of the rule: a row that is not on its side is added, times its sign."""
    w = np.zeros(U.shape[1] + 1)
    for u, sign in zip(np.c_[np.ones(len(U)), U], signs, strict=True):
        w += sign * u * (sign * (w @ u) <= 0)
    return w


def embedding(U, k):
    """Return (I - W)'(I - W) of locally linear embedding, with k neighbours."""
    W = np.zeros((len(U), len(U)))
    for i, near in enumerate(np.argsort(distances(U), axis=1)[:, 1 : k + 1]):
        G = (U[i] - U[near]) @ (U[i] - U[near]).T
        w = np.linalg.solve(G + 1e-3 * np.trace(G) * np.eye(k), np.ones(k))
        W[i, near] = w / w.sum()
    return (np.eye(len(U)) - W).T @ (np.eye(len(U)) - W)


def paths(U, k):
    """Return the lengths of the shortest paths in the graph of k neighbours, by Floyd's recurrence."""
    D = distances(U)
    joined = np.sort(D, axis=1)[:, k : k + 1] >= D
    D = np.where(joined | joined.T, D, np.inf)
    for through in range(len(U)):
        D = np.minimum(D, D[:, [through]] + D[through])
    return D


def propagated(U, labels, hidden, gamma):
    """Return the limit (I - P_UU)^-1 P_UL Y_L of labels that flow."""
    P = np.exp(-gamma * distances(U) ** 2)
    P /= P.sum(axis=1, keepdims=True)
    inner = np.eye(hidden.sum()) - P[np.ix_(hidden, hidden)]
    return np.linalg.solve(inner, P[np.ix_(hidden, ~hidden)] @ np.eye(3)[labels[~hidden]])


def replayed(agent, rule, discount=0.8):
    """Return what an agent must have learned from the steps that it wrote down: Q by "max" or "next", (Q, gain), or V by traces."""
    Q, V, trace, visits, gain, gains = np.zeros((3, 3)), np.zeros(3), np.zeros(3), np.zeros(3), 0.0, 0
    Q[~np.isfinite(agent.q_)] = -np.inf
    for now, then in zip(agent.experience_, [*agent.experience_[1:], None], strict=True):
        s, a, ahead = now.state, now.action, Q[now.next_state]
        if rule == "max":
            Q[s, a] += now.step * (now.reward + discount * ahead.max() - Q[s, a])
        elif rule == "next":  # the last step does not say what was chosen after it
            Q[s, a] += (
                now.step * (now.reward + discount * ahead[then.action] - Q[s, a]) if then else now.after - Q[s, a]
            )
        elif rule == "gain":
            future = ahead.max()
            Q[s, a] += now.step * (now.reward - gain + future - Q[s, a])
            if Q[s, a] == Q[s].max():
                gains += 1
                gain += gains**-0.8 * (now.reward - gain + future - Q[s].max())
        else:
            visits[s] += 1
            trace *= discount * rule
            trace[s] += 1
            V += (
                np.maximum(visits, 1) ** -0.8 * (now.reward + discount * V[now.next_state] - V[s]) * trace
            )  # each state its step
    table = np.where(np.isfinite(Q), Q, 0)
    return (table, gain) if rule == "gain" else table if rule in ("max", "next") else V


def divergence(U, Z, perplexity):
    """Return KL(P || Q) of t-SNE, each row's width found by bisection."""
    P = np.zeros((len(U), len(U)))
    for i, d in enumerate(distances(U) ** 2):
        low, high, others = 0.0, 1e3, np.arange(len(U)) != i
        for _ in range(60):
            p = np.exp(-(low + high) / 2 * (d[others] - d[others].min()))
            p /= p.sum()
            wide = -(p * np.log(np.maximum(p, 1e-300))).sum() > np.log(perplexity)
            low, high = ((low + high) / 2, high) if wide else (low, (low + high) / 2)
        P[i, others] = p
    P, Q = (P + P.T) / (2 * len(U)), (1 - np.eye(len(U))) / (1 + distances(Z) ** 2)
    there = P > 0
    return (P[there] * np.log(P[there] / (Q / Q.sum())[there])).sum()


def names() -> dict:
    """Return what the expressions may use."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 3)) + np.repeat(np.arange(3), 20)[:, None]
    x, y = np.linspace(0, 1, 40), np.repeat(np.arange(3), 20)
    b = (X[:, 0] > 1).astype(int)
    gap = X[b == 1].mean(axis=0) - X[b == 0].mean(axis=0)
    found = {name: getattr(epee, name) for name in epee.__all__}
    return found | {
        "np": np, "losses": losses, "mdp": mdp, "optimize": optimize, "risk": risk, "samples": samples, "signal": signal, "design": design_,
        "X": X, "y": y, "b": b, "t": X @ [1.0, -1.0, 0.5] + 0.1 * rng.standard_normal(60),
        "x": x, "v": np.sin(6 * x) + 0.1 * rng.standard_normal(40), "M": mdp.car_dealer(2, 10.0, 4.0, 1.0, 0.8), "near": np.allclose,
        "f": lambda z: float((np.asarray(z) - 1) @ (np.asarray(z) - 1)), "g": lambda z: 2 * (np.asarray(z) - 1),
        "H": lambda z: 2 * np.eye(len(z)),
        "A": np.cov(X.T, bias=True), "F": X + 30 * np.eye(3)[y], "log_normal": log_normal, "within": within, "posterior": posterior,
        "cosine": cosine, "same": same, "normal": lambda z: 0.5 * erfc(-z / 2**0.5),
        "fisher": lambda w: (w @ gap) ** 2 / (w @ within(X, b) @ w), "distances": distances, "perceptron": perceptron,
        "embedding": embedding, "paths": paths, "propagated": propagated, "replayed": replayed, "divergence": divergence,
        "norm": stats.norm, "comb": comb, "factorial": factorial,
        "lines": lambda U, T: np.linalg.lstsq(np.c_[np.ones(len(U)), U], T, rcond=None)[0],  # first row: the constants
    }  # fmt: skip


CALLS = dict(
    line.split(": ", 1) for line in Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines()
)
