"""What a fitted estimator remembers of the rows it learned from: a fingerprint of their inputs, and one of their targets.

A test on the rows that were learned from is refused; one of new targets at the same inputs, as replicated experiments give them, is not.
"""

from __future__ import annotations

from typing import Any, ClassVar

from epee.table.fingerprints import fingerprint, target_fingerprint


class RemembersRows:
    """Notes the training rows by their fingerprints."""

    state_parts: ClassVar[tuple[str, ...]] = ("_trained_on", "_trained_for")

    def _note_rows(self, X: Any, y: Any) -> None:
        """Note the rows of a fit, with their targets as they were given."""
        self._trained_on, self._trained_for = fingerprint(X), target_fingerprint(y)

    @property
    def training_fingerprint(self) -> object | None:
        """The fingerprint of the training rows, None when it was not noted."""
        return self.__dict__.get("_trained_on")

    @property
    def training_targets(self) -> object | None:
        """The fingerprint of the training targets, None when it was not noted: without any, or by an older version."""
        return self.__dict__.get("_trained_for")
