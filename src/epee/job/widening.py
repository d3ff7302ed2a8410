"""At the edge of its grid a parameter is searched further: the values that were tried are no limit of the method.

A grid ends somewhere, or is but a step, such as the two decays of a network; where the best value is the last, and the step to it still
lowers the error by more than twice its own error bar, the next values of the same progression are tried, at most twice: three at a time
where they cost no fit, else one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from epee.typing import Matrix

MOST_TURNS, STEPS = 2, 3
CLEAR = 2.0  # error bars by which the last step must lower the error
BOUNDS = {  # parameters whose next values make sense, and between which bounds
    "alpha": (0.0, np.inf), "C": (0.0, np.inf), "ccp_alpha": (0.0, np.inf), "gamma": (0.0, np.inf), "dof": (1.0, 9.0),
    "shrinkage": (0.0, 1.0), "reg_param": (0.0, 1.0),
}  # fmt: skip


def beyond(
    parameter: str | None, values: Sequence[Any], losses: Matrix, best: int, steps: int = STEPS
) -> tuple[list[Any], bool]:
    """Return the next values to try and whether they lie before the others; none where the best is inside, or the end is flat.

    >>> losses = np.array([[3.0, 2.0, 1.0], [3.1, 2.0, 0.9], [2.9, 2.1, 1.1]])
    >>> beyond("alpha", [100.0, 10.0, 1.0], losses, 2)
    ([0.1, 0.01, 0.001], False)
    >>> beyond("alpha", [100.0, 10.0, 1.0], losses[:, ::-1], 0)
    ([100000.0, 10000.0, 1000.0], True)
    >>> beyond("alpha", [10.0, 1.0], losses[:, 1:], 1, steps=1)
    ([0.1], False)
    """
    name = (parameter or "").split("__")[-1]
    if name not in BOUNDS or len(values) < 2 or best not in (0, len(values) - 1):
        return [], False
    before = best == 0
    edge, inner = (values[0], values[1]) if before else (values[-1], values[-2])
    if not falls(losses[:, 1 if before else -2] - losses[:, best]) or not inner:
        return [], before
    low, high = BOUNDS[name]
    whole = all(isinstance(v, int) for v in values)
    found: list[Any] = []
    for k in range(1, steps + 1):
        value = float(f"{edge * (edge / inner) ** k:.3g}")
        value = round(value) if whole else value
        if low < value <= high and value not in (*values, *found):
            found.append(value)
    return (found[::-1], True) if before else (found, False)


def falls(gain: np.ndarray) -> bool:
    """Tell whether the losses of rows are clearly smaller after a step: their mean gain is above its own error bar, twice."""
    gain = gain[np.isfinite(gain)]
    if len(gain) < 2:
        return False
    return bool(gain.mean() > CLEAR * gain.std(ddof=1) / np.sqrt(len(gain)) and gain.mean() > 0)
