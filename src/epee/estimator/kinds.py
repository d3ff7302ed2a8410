"""Answers in kind: what a method says of rows that lie elsewhere is an array of their library, on their device.

Where the method answers anywhere the rows stay where they are (:mod:`epee.arrays`); otherwise they come here first and the answer is
sent back, so that whatever a method asks itself on the way is asked of NumPy's arrays.
"""

from __future__ import annotations

import inspect
from typing import Any

from epee.arrays import at_home, is_elsewhere
from epee.engines.device import tell_once
from epee.table.frames import taken_apart
from epee.table.partitions import in_kind

STAYING = (
    "predict", "predict_proba", "predict_log_proba", "decision_function", "score_samples", "transform", "inverse_transform", "kneighbors",
)  # fmt: skip
ANSWERS = (
    *STAYING, "apply", "proximity", "predict_interval", "predict_quantiles", "predict_joint_log_proba", "mahalanobis", "expected_cost",
    "probability_interval", "draw", "law", "novelty", "hat_matrix", "leverage", "impute", "outliers", "curves",
)  # fmt: skip


class InKind:
    """Lets what a class says of rows be said in kind."""

    answers_anywhere = False  # what it says of rows it can say where they lie, see epee.arrays

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name in ANSWERS:
            method = inspect.getattr_static(cls, name, None)
            if inspect.isfunction(method) and not getattr(method, "answers_in_kind", False):
                setattr(cls, name, in_kind(method, stays=name in STAYING))


def all_here(model: Any, X: Any, *beside: Any) -> tuple[Any, ...]:
    """Return rows and what goes with them, columns of a frame by name perhaps; those elsewhere as NumPy's, said once."""
    if not is_elsewhere(X):
        return taken_apart(X, *beside)
    tell_once(f"{type(model).__name__} has no road on the device: its rows are brought to the CPU.")
    return at_home(X), *(at_home(a) if is_elsewhere(a) else a for a in beside)
