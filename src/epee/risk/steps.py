"""The steps of a pipeline as the one-pass route sees them: row-wise maps, affine maps, and an estimator that keeps moments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sklearn.base import clone
from sklearn.pipeline import Pipeline

from epee.estimator.protocol import AffineStep, KeepsMoments, RowWise
from epee.table.encoder import TableEncoder


@dataclass(frozen=True, eq=False)
class Steps:
    """A model taken apart: an encoder of tables or None, maps of single rows, affine maps from moments, the last estimator."""

    encoder: TableEncoder | None
    row_wise: list[Any]
    affine: list[Any]
    last: Any

    @property
    def keeps_moments(self) -> bool:
        """Tell whether sums are enough to learn from a fold."""
        return isinstance(self.last, KeepsMoments) and not self.last.needs_rows and hasattr(self.last, "predict")

    def same_rows_as(self, other: Steps) -> bool:
        """Tell whether both see the same rows before any affine map."""

        def told(steps: Steps) -> list[Any]:
            before = [*([steps.encoder] if steps.encoder is not None else []), *steps.row_wise]
            return [(type(step), repr(step.get_params())) for step in before]

        return told(self) == told(other)


def steps_of(model: Any) -> Steps | None:
    """Return the steps of a model, None when some are of another kind.

    >>> from epee import Ridge, StandardScaler
    >>> from sklearn.pipeline import make_pipeline
    >>> [type(step).__name__ for step in steps_of(make_pipeline(StandardScaler(), Ridge())).affine]
    ['StandardScaler']
    """
    every = [step for _, step in model.steps] if isinstance(model, Pipeline) else [model]
    *maps, last = [s for s in every if s is not None and not (isinstance(s, str) and s == "passthrough")] or [None]
    encoder = maps.pop(0) if maps and isinstance(maps[0], TableEncoder) else None
    row_wise: list[Any] = []
    while maps and encoder is None and isinstance(maps[0], RowWise) and maps[0].row_wise:
        row_wise.append(maps.pop(0))
    if not all(isinstance(step, AffineStep) for step in maps):
        return None
    return Steps(encoder, row_wise, maps, last)


def last_of(model: Any) -> Any:
    """Return the estimator at the end of a pipeline."""
    return model.steps[-1][1] if isinstance(model, Pipeline) else model


def fitted_pipeline(steps: list[Any], moments: Any, last: Any) -> Pipeline:
    """Return affine steps fitted from the moments of the rows before them, and a fitted estimator behind them."""
    fitted, m = [], moments
    for step in steps:
        fitted.append(clone(step).fit_moments(m))
        m = m.affine(*clone(step).affine(m))
    return Pipeline([(f"step{i}", step) for i, step in enumerate([*fitted, last])])
