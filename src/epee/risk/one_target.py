"""Tested rows that all have one target.

What errs there tells nothing of rows with another target, however many rows there are: an insurer's table whose sealed customers had no
claim shows what no claim costs. A predictor that says one number for all of them has equal losses, which :mod:`epee.risk.mean_loss` sees;
that of a line through inputs have a spread, and an interval of rows that all err alike.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from epee.risk.estimate import Risk
from epee.words import risk_words
from epee.words.numbers import whole

R = TypeVar("R", bound=Risk)


def have_one_target(truth: Any) -> bool:
    """Tell whether targets (n, ...) that are numbers are the same in all of several rows.

    >>> have_one_target([0.0, 0.0]), have_one_target([0.0, 1.0]), have_one_target([0.0]), have_one_target(["a", "a"])
    (True, False, False, False)
    """
    told = np.asarray(truth)
    return told.dtype.kind in "fiu" and len(told) > 1 and bool((told == told[0]).all())


def beside_one_target(found: R, truth: Any, classes: Any) -> R:
    """Return an estimate that says so where all targets (n, ...) are one number; ``classes`` have intervals of their own."""
    if classes is not None or not found.has_bar or not have_one_target(truth):
        return found
    said = risk_words.say("caution one target", n=whole(len(truth)))
    return replace(found, caution=f"{said} {found.caution}".strip())
