r"""Precision, recall and :math:`F_1` of each class on held-out rows, each with the interval that the confusion matrix gives a share.

Precision and recall are shares of hits among the rows that were given a class, and among those that are of it. :math:`F_1` is
:math:`2g / (1 + g)` of the share :math:`g = TP / (TP + FP + FN)` among the rows of either kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from epee.risk.confusion import share_of
from epee.risk.dependence import Dependence
from epee.risk.estimate import Score
from epee.risk.held_rows import Held
from epee.risk.intervals import Interval
from epee.risk.watching import marked
from epee.typing import Codes, Vector


@dataclass(frozen=True)
class ClassFigures:
    """Figures of one class, None where no row tells them: how many rows are of it, and were given it."""

    rows: float
    decided: float
    precision: Score | None
    recall: Score | None
    f1: Score | None


def class_figures(
    held: Held, codes: Codes, said: Codes, n_classes: int, level: float, kin: Dependence | None = None
) -> list[ClassFigures]:
    """Return the figures of each class of held rows, by the ``codes`` of their classes and of those they were ``said`` to be of.

    ``kin`` is how rows belong together, as :meth:`epee.risk.held_rows.Held.kin` finds it.
    """
    out = []
    for k in range(n_classes):
        own, given = codes == k, said == k
        hits = (own & given).astype(float)
        rows, decided = (float(held.w[some].sum()) for some in (own, given))
        precision, recall = (share_of(held, hits, some, level) if held.w[some].any() else None for some in (given, own))
        f1 = _f1(held, own, given, level) if held.w[own | given].any() else None
        marks = (None if score is None else marked(score, kin) for score in (precision, recall, f1))
        out.append(ClassFigures(rows, decided, *marks))
    return out


def _f1(held: Held, own: np.ndarray, given: np.ndarray, level: float) -> Score:
    """Return F1 of a class whose rows are ``own``, with the interval of the share g."""
    hit, miss = (part.astype(float) for part in (own & given, own != given))
    a, b = (float(np.average(part, weights=held.w)) for part in (hit, miss))
    ends_at = partial(_f1_ends, held, hit, own | given)
    pull = (2 * b * (hit - a) - 2 * a * (miss - b)) / (2 * a + b) ** 2
    found = Score(
        2 * a / (2 * a + b),
        held.stderr(pull),
        ends_at(level),
        level,
        held.worth(),
        "f1",
        held.how,
        held.w.sum() - 1,
        ends_at=ends_at,
    )
    return held.of_units(found, pull)


def _f1_ends(held: Held, hit: Vector, either: np.ndarray, level: float) -> Interval:
    return Interval(*(float(2 * end / (1 + end)) for end in held.share(hit, either, level)[2]))
