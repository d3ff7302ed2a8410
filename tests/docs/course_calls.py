"""One small call for each item of the course (``course_calls.txt``): what the library says of it, as an expression that must hold.

``X`` (60, 3), labels ``y`` of three classes, ``b`` 0 or 1, values ``t``, one input ``x`` (40,) with values ``v``; ``M`` a small process.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import epee
from epee import design as design_
from epee import losses, mdp, optimize, risk, samples, signal


def names() -> dict:
    """Return what the expressions may use."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 3)) + np.repeat(np.arange(3), 20)[:, None]
    x = np.linspace(0, 1, 40)
    found = {name: getattr(epee, name) for name in epee.__all__}
    return found | {
        "np": np, "losses": losses, "mdp": mdp, "optimize": optimize, "risk": risk, "samples": samples, "signal": signal, "design": design_,
        "X": X, "y": np.repeat(np.arange(3), 20), "b": (X[:, 0] > 1).astype(int), "t": X @ [1.0, -1.0, 0.5] + 0.1 * rng.standard_normal(60),
        "x": x, "v": np.sin(6 * x) + 0.1 * rng.standard_normal(40), "M": mdp.car_dealer(2, 10.0, 4.0, 1.0, 0.8), "near": np.allclose,
        "f": lambda z: float((np.asarray(z) - 1) @ (np.asarray(z) - 1)), "g": lambda z: 2 * (np.asarray(z) - 1),
        "H": lambda z: 2 * np.eye(len(z)),
    }  # fmt: skip


CALLS = dict(
    line.split(": ", 1) for line in Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines()
)
