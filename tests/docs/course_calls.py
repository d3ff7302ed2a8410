"""One small call for each item of the course (``course_calls.txt``): what the library says of it, as an expression that must hold.

Wherever an item has a number or a formula, its call computes that anew with NumPy and compares. ``X`` (60, 3), labels ``y`` of three
classes, ``b`` 0 or 1, values ``t``, one input ``x`` (40,) with values ``v``; ``F`` the rows with the classes far apart, ``A`` the
covariance of ``X``; ``M`` a small process.
"""

from __future__ import annotations

from math import erfc
from pathlib import Path

import numpy as np

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


def cosine(u, w):
    """Return the cosine of the angle of two directions."""
    u, w = np.ravel(u), np.ravel(w)
    return u @ w / np.linalg.norm(u) / np.linalg.norm(w)


def same(one, other):
    """Tell whether two partitions are the same, whatever the names of their parts."""
    one, other = np.asarray(one), np.asarray(other)
    return bool(((one[:, None] == one) == (other[:, None] == other)).all())


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
        "fisher": lambda w: (w @ gap) ** 2 / (w @ within(X, b) @ w), "distances": lambda U: np.linalg.norm(U[:, None] - U, axis=2),
        "lines": lambda U, T: np.linalg.lstsq(np.c_[np.ones(len(U)), U], T, rcond=None)[0],  # first row: the constants
    }  # fmt: skip


CALLS = dict(
    line.split(": ", 1) for line in Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines()
)
