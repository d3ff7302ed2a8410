"""scikit-learn's callbacks (from 1.9 on): told when a fit begins, after each of its steps, and when it ends.

Nothing is imported, and nothing is told, unless ``set_callbacks`` was called.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

from epee.errors import WrongUse


class Steps:
    """Tells callbacks of the steps of one fit; ``ended`` and ``began`` are given what the model has learned so far."""

    def __init__(self, model: Any, context: Any, about: dict[str, Any], task: str) -> None:
        self.model, self.context, self.about, self.task, self.taken = model, context, about, task, 0
        self.step: Any = None

    def begin(self, learned: dict[str, Any]) -> None:
        """Begin a step."""
        self.step = self.context.subcontext(task_name=self.task)
        self.step.call_on_fit_task_begin(estimator=self.model, **self.about, reconstruction_attributes=learned)

    def end(self, learned: dict[str, Any]) -> None:
        """End the step that was begun, and begin the next one."""
        if self.step is not None:
            self.step.call_on_fit_task_end(estimator=self.model, **self.about, reconstruction_attributes=learned)
            self.taken += 1
            self.begin(learned)

    def close(self) -> None:
        """End the step that was begun and never taken."""
        if self.step is not None:
            self.step.call_on_fit_task_end(estimator=self.model)


class Callbacks:
    """``set_callbacks`` for an estimator that fits under :meth:`_told`."""

    def set_callbacks(self, *callbacks: Any) -> Self:
        """Set the callbacks of the next fits, objects as :mod:`sklearn.callback` has them; none takes them away."""
        try:
            from sklearn.callback import CallbackSupportMixin
        except ImportError:
            raise WrongUse("set_callbacks needs scikit-learn 1.9 or later.") from None
        CallbackSupportMixin.set_callbacks(self, *callbacks)
        return self

    @contextmanager
    def _told(self, X: Any, y: Any, sample_weight: Any, steps: int = 0, task: str = "step") -> Iterator[Steps | None]:
        """Tell of the fit inside; yields what tells of its steps, None without callbacks."""
        if not hasattr(self, "_skl_callbacks") and not hasattr(self, "_parent_callback_ctx"):
            yield None
            return
        from sklearn.callback import CallbackSupportMixin
        from sklearn.callback._callback_support import callback_management_context

        about = {"X": X, "y": y, "metadata": None if sample_weight is None else {"sample_weight": sample_weight}}
        with callback_management_context(self):
            context = CallbackSupportMixin._init_callback_context(self, max_subtasks=steps)
            context.call_on_fit_task_begin(estimator=self, **about)
            yield Steps(self, context, about, task)
            context.call_on_fit_task_end(estimator=self, **about, reconstruction_attributes={})
