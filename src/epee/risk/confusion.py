"""Which classes are taken for which: the confusion matrix of a fitted classifier on held-out rows, with error bars."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from epee.lazy import drawn
from epee.risk.estimate import Score
from epee.risk.held_rows import Held, codes_of, held_rows
from epee.risk.intervals import Interval
from epee.risk.units import Weights
from epee.risk.watching import marked
from epee.typing import Labels, Matrix, Vector


@dataclass(frozen=True, eq=False)
class Confusion:
    """Counts (K, D) of rows of each true class (row) by the label decided (column), and their shares of the row.

    ``low`` and ``high`` are Wilson's intervals of the shares, with Poisson's end for the rarest, ``stderr`` their standard errors;
    ``how`` says what weights were taken as, ``caution`` why intervals cannot be trusted: rows or groups belong together, or are few.
    """

    labels: Labels
    decided: Labels
    counts: Matrix
    rates: Matrix
    stderr: Matrix
    low: Matrix
    high: Matrix
    level: float
    how: str = "held-out rows"
    caution: str = ""

    def __str__(self) -> str:
        """Return the shares as a table."""
        names = [str(v) for v in self.decided]
        width = max(12, *(len(v) + 2 for v in names))
        first = max(len(str(v)) for v in self.labels) + 2
        lines = [" " * first + "".join(f"{v:>{width}}" for v in names)]
        for i, label in enumerate(self.labels):
            cells = "".join(
                f"{f'{self.rates[i, j]:.3f} ± {self.stderr[i, j]:.3f}':>{width + 3}}" for j in range(len(names))
            )
            lines.append(f"{label!s:<{first}}{cells}")
        return "\n".join([*lines, self.caution] if self.caution else lines)

    plot = drawn("risk.plot_confusion", "Draw the matrix; returns the axes.")


def confusion_matrix(
    model: Any, X: Any, y: Any, *, level: float = 0.95, sample_weight: Any = None, weights: Weights | None = None, groups: Any = None,
    time: Any = None,
) -> Confusion:  # fmt: skip
    """Return the confusion matrix of a fitted classifier on held-out rows.

    Parameters
    ----------
    model : fitted classifier
    X, y : held-out rows and their labels
    level, sample_weight, weights, groups, time
        As in :func:`roc_auc`.

    Examples
    --------
    >>> from epee import LinearDiscriminantAnalysis
    >>> X, y = [[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"]
    >>> found = confusion_matrix(LinearDiscriminantAnalysis().fit(X, y), [[0.5], [3.0], [4.4]], ["a", "a", "b"])
    >>> found.counts
    array([[1., 1.],
           [0., 1.]])
    """
    held = held_rows(model, X, y, sample_weight, level, weights, groups, time)
    w, codes, said = held.given, codes_of(model, held.truth), np.asarray(model.predict(held.X))
    labels = np.asarray(model.classes_)
    others = [v for v in np.unique(said).tolist() if v not in set(labels.tolist())]  # a rejection
    decided = np.array([*labels.tolist(), *others], dtype=labels.dtype if not others else object)
    counts = np.zeros((len(labels), len(decided)))
    for j, label in enumerate(decided):
        counts[:, j] = np.bincount(codes, np.where(said == label, w, 0.0), minlength=len(labels))
    total = counts.sum(axis=1, keepdims=True)
    rates = np.divide(counts, total, out=np.zeros_like(counts), where=total > 0)
    hits = [(said == label).astype(float) for label in decided]
    kin = held.kin((said != labels[codes]).astype(float), codes=codes)
    cells = [[marked(share_of(held, hit, codes == k, level), kin) for hit in hits] for k in range(len(labels))]
    stderr, low, high = np.moveaxis(np.array([[(cell.stderr, *cell.interval) for cell in row] for row in cells]), -1, 0)
    return Confusion(
        labels,
        decided,
        counts,
        rates,
        stderr,
        low,
        high,
        level,
        cells[0][0].how,
        f"{held.asked} {cells[0][0].caution}".strip(),
    )


def share_of(held: Held, hits: Vector, own: np.ndarray, level: float) -> Score:
    """Return the share of hits (n,) among the ``own`` rows, by groups or in time where these were told."""

    def ends_at(level: float) -> Interval:
        return held.share(hits, own, level)[2]

    value, bar, ends = held.share(hits, own, level)
    found = Score(value, bar, ends, level, held.worth(own), "share", held.how, held.worth(own) - 1, ends_at=ends_at)
    return held.of_units(found, np.where(own, hits - value, 0.0) * held.w.sum() / max(held.w[own].sum(), 1.0))
