r"""The choice among candidates, its verdict, and how much better the winner looks than it is.

The candidate with the smallest cross-validated error is the best; the chosen one is the simplest whose error is within one
standard error of it. Differences from the best are paired by fold, corrected for the training rows that folds share, and their
p-values are adjusted for their number (Holm). The whole rule, complexity within each family and then simplicity among
families, is applied again to bootstrapped rows of the matrix of losses: the difference between what the winner
shows there and what it is worth is the winner's optimism.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from epee.job.contest import Entry
from epee.risk.complexity import choose as one_standard_error
from epee.risk.estimate import Difference
from epee.risk.paired_tests import corrected_difference, holm
from epee.risk.winner import Optimism, winner_optimism
from epee.typing import Vector
from epee.words.job_words import say
from epee.words.numbers import amount, p_value, points

SHOWN = 0.05


@dataclass(frozen=True, eq=False)
class Verdict:
    """What the leaderboard shows; ``gaps`` are differences from the best with their adjusted p-values."""

    entries: Sequence[Entry]
    best: int
    chosen: int
    gaps: list[Difference | None]
    p_values: Vector
    against_baseline: Difference | None
    p_baseline: float
    optimism: Optimism
    corrected: float

    @property
    def beats_baseline(self) -> bool:
        """Tell whether the chosen predictor is shown to do better than the baseline."""
        return self.against_baseline is not None and self.p_baseline < SHOWN and self.against_baseline.value > 0

    def mark(self, i: int) -> str:
        """Return how an entry stands against the best."""
        return "best" if i == self.best else "worse" if self.p_values[i] < SHOWN else "not distinguishable"

    def sentences(self) -> list[str]:
        """Return the verdict in words."""
        entries, best, chosen = self.entries, self.entries[self.best], self.entries[self.chosen]
        if len(entries) == 1:
            return [_capital(say("alone", chosen=chosen.name))]
        out = [say("chosen_best" if best is chosen else "chosen", chosen=chosen.name)]
        gap = self.gaps[self.chosen]
        if gap is not None:
            out.append(_beats(best.name, chosen.name, gap, self.p_values[self.chosen]))
        if self.against_baseline is not None:
            if self.against_baseline.value > 0:
                out.append(_beats(chosen.name, entries[0].name, self.against_baseline, self.p_baseline))
            if not self.beats_baseline:
                out.append(say("no_better"))
        elif chosen.candidate.key == "baseline":
            out.append(say("no_better"))
        rate, optimism = chosen.risk.is_rate, max(self.optimism.value, 0.0)
        looks = points(optimism) if rate else amount(optimism, chosen.risk.stderr)
        corrected = amount(self.corrected, chosen.risk.stderr, percent=rate)
        out.append(say("optimism", k=len(entries), optimism=looks, corrected=corrected))
        return [_capital(sentence) for sentence in out]


def decide(entries: Sequence[Entry], level: float, groups: Any = None, draws: int = 1000) -> Verdict:
    """Choose among the entries and say how sure one can be."""
    values = np.array([e.risk.value for e in entries])
    stderr = np.array([e.risk.stderr for e in entries])
    rank = ranks([e.order for e in entries])
    best, chosen = one_standard_error(values, stderr, rank)
    gaps = [
        None if i == best else corrected_difference(e.risk, entries[best].risk, level) for i, e in enumerate(entries)
    ]
    p = np.ones(len(entries))
    others = [i for i in range(len(entries)) if i != best]
    base = None
    if chosen != 0 and entries[0].candidate.key == "baseline":
        base = corrected_difference(entries[0].risk, entries[chosen].risk, level)
    raw = [gap.p_value for gap in gaps if gap is not None] + ([base.p_value] if base is not None else [])
    adjusted = holm(np.array(raw)) if raw else np.empty(0)
    p[others] = adjusted[: len(others)]
    p_base = float(adjusted[-1]) if base is not None else 1.0
    optimism = winner(entries, rank, groups, draws)
    corrected = max(float(values[chosen]) + max(optimism.value, 0.0), 0.0)
    return Verdict(entries, best, chosen, gaps, p, base, p_base, optimism, corrected)


def ranks(orders: Sequence[tuple[float, float]]) -> Vector:
    """Return a rank for each candidate, smallest for the simplest; ties keep the order given."""
    out = np.empty(len(orders))
    out[sorted(range(len(orders)), key=lambda i: (*orders[i], i))] = np.arange(len(orders))
    return out


def winner(entries: Sequence[Entry], rank: Vector, groups: Any = None, draws: int = 1000) -> Optimism:
    """Return the optimism of the whole rule of choice."""
    blocks = [e.curve.losses for e in entries]
    ends = np.cumsum([0, *(b.shape[1] for b in blocks)])  # type: ignore[union-attr]

    def rule(means: Vector, errors: Vector) -> int:
        picked = np.empty(len(entries), dtype=np.intp)
        for i in range(len(entries)):
            a, b = ends[i], ends[i + 1]
            picked[i] = a if b - a == 1 else a + _simplest(means[a:b], errors[a:b], None)
        return int(picked[_simplest(means[picked], errors[picked], rank)])

    losses = np.column_stack(blocks)  # type: ignore[arg-type]
    per_fold = np.column_stack([e.risk.per_fold for e in entries])
    found = winner_optimism(losses, None, choose=rule, weight=entries[0].risk.weight, groups=groups, draws=draws)
    by_folds = winner_optimism(losses[:, ends[:-1]], per_fold, draws=1).tibshirani
    return Optimism(found.value, by_folds, found.draws)


def _simplest(means: Vector, errors: Vector, rank: Vector | None) -> int:
    k = int(np.argmin(means))
    near = np.flatnonzero(means <= means[k] + errors[k])
    return int(near[0] if rank is None else near[np.argmin(rank[near])])


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _beats(a: str, b: str, gap: Difference, p: float) -> str:
    shown = say("shown" if p < SHOWN else "not shown")
    return say(
        "beats",
        a=a,
        b=b,
        gap=gap.shown(),
        p=p_value(p),
        shown=shown,
    )
