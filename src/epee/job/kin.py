"""Kin: rows that belong together without saying so, as errors show.

It is looked for once, in what the best predictor of the contest leaves over (:mod:`epee.risk.dependence`): rows belong together or do not,
whoever predicts them, and so do groups that were told. Where it is shown every interval of the board, that of the sealed rows and those
of what the predictor leans on are made longer and marked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from epee.job.contest import Entry
from epee.job.findings.evidence import level_codes
from epee.job.ground import Ground
from epee.job.holding import take
from epee.job.told import told_of_training
from epee.risk.dependence import Dependence
from epee.risk.splitting import group_codes
from epee.risk.watching import kinship, looked_rows, marked


def kin_of(ground: Ground, entries: Sequence[Entry]) -> Dependence | None:
    """Return how rows, or groups that were told, most certainly belong together; None where nothing shows it, or rows are in time."""
    cells, hand = ground.cells, ground.hand
    if cells.forward or not ground.asked.loss.rowwise:
        return None
    best = min(entries, key=lambda e: e.risk.value)
    truth, said = ground.truth[hand.looked], np.asarray(best.outcome.predictions[0])
    rest, told, codes = best.outcome.losses[0], None, None if ground.asked.classes is None else truth
    if codes is None and truth.ndim == 1 and said.dtype.kind == "f":
        rest, told = truth - said.reshape(truth.shape), truth
    rows = hand.train[hand.looked]
    told_groups = None if cells.groups is None else told_of_training(ground).groups
    groups = None if told_groups is None else group_codes(told_groups[hand.looked], len(rows))
    some, worth = None, 1.0
    if groups is None:  # of copies, one
        weight = None if hand.weight is None else hand.looked_weight
        copies = cells.copies[hand.looked] if cells.copies is not None and ground.at_hand else None
        some, worth = looked_rows(weight, None if weight is None else ground.unit * weight, copies)
    if some is not None:
        rest, rows = rest[some], rows[some]
        told, codes = (None if a is None else a[some] for a in (told, codes))
    raw = take(hand.raw, rows)
    numbers = {name: column for name, column in raw.columns.items() if isinstance(column, np.ndarray)}
    levels = [(name, column) for name, column in raw.columns.items() if name not in numbers]
    X = np.column_stack(list(numbers.values())).astype(np.float64) if numbers else None
    beside = [(name, level_codes(column)) for name, column in levels]
    shown = kinship(rest, X, columns=beside, target=told, classes=codes, groups=groups, worth=worth)
    if shown is None or shown.kind not in ("column", "slope") or shown.name in dict(levels):
        return shown
    return replace(shown, name=list(numbers)[int(shown.name)])


def with_kin(entries: Sequence[Entry], kin: Dependence | None) -> list[Entry]:
    """Return the lines of the board with longer intervals, marked, where rows belong together."""
    if kin is None:
        return list(entries)
    return [replace(e, risk=marked(e.risk, kin), sure=marked(e.sure, kin)) for e in entries]
