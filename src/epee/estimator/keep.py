"""What one pass over the rows keeps of them, said by the class of an estimator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from epee.moments.class_sums import ClassSummation
from epee.moments.passes import Summation, joint_origin
from epee.table.block import Source
from epee.typing import Labels, Scatter, Vector


@dataclass(frozen=True)
class Keep:
    """What one pass keeps of the rows.

    Parameters
    ----------
    scatter : {"full", "pooled", "diagonal", None}
        The products of columns: all, summed over the classes, squares alone, none.
    group : "y" or None
        Whether each class has sums of its own.
    targets : bool
        Whether the target enters as last columns.
    by : function (estimator, source, folds, origin), optional
        What a block becomes where it is no moment of numbers: counts of levels, cells that are there, rows made binary first.
    """

    scatter: Scatter = "full"
    group: Literal["y"] | None = None
    targets: bool = False
    by: Callable[[Any, Source, int | None, Vector | None], Any] | None = None

    def summation(
        self, estimator: Any, source: Source, classes: Labels | None, folds: int | None, origin: Vector | None
    ) -> Any:
        """Return the picklable function that makes a block a moment."""
        if self.by is not None:
            return self.by(estimator, source, folds, origin)
        if origin is None:
            origin = joint_origin(source) if self.targets else source.origin
        groups = None if classes is None else len(classes)
        loops = groups is not None and self.scatter in ("diagonal", None)  # no product of columns: one loop does it
        made = ClassSummation if loops else Summation
        return made(origin, self.scatter, folds, groups, len(origin) - source.n_columns, classes)
