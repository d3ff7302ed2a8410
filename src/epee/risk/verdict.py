r"""The verdict over candidates on the same folds: which is best, which is chosen, what is shown and what is not.

One rule, for :func:`epee.learn` and for :func:`epee.risk.compare`. The candidate with the smallest cross-validated error is the
*best*. The *chosen* one is the simplest whose paired difference from the best is within one standard error of that difference,

.. math:: \bar d_i = CV_i - CV_* \le \sigma(\bar d_i), \tag{1}

with the standard error corrected for the training rows that folds share: what lies between them cannot be told from noise. A
candidate that is shown to be worse is never chosen, nor one that gives no probabilities where one that does is as near.
``prefer="accuracy"`` takes the best itself, and ``prefer="balance"`` the simplest by (1) that costs at most 2 % of the best's error
(of a rate, one row in all may be the price); the baseline where (1) holds even for it.

Errors of labels are a noisy judge: a row counts or does not. Where they are counted, and the Brier score of the same rows held out is
known, it decides among those that (1) holds for: ``"accuracy"`` takes the least score, ``"balance"`` the simplest whose score is at most
2 % above it (or 1/4 of a row in all, the score of one of which nothing is known). A difference of rates that is more than noise is never
overruled.

Differences are *shown* when their p-value, adjusted for all pairs, is below 5 %; *unbeaten* is the simplest that no other is shown to
beat. The winner's figure is corrected for having been chosen (:mod:`epee.risk.winner`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from epee.risk.cross_validation import CrossValidation
from epee.risk.estimate import Difference
from epee.risk.paired_tests import adjusted_together, corrected_difference, of_pairs, over_pairs
from epee.risk.winner import Choice, Nested, Optimism, by_folds, winner_optimism
from epee.typing import Codes, Matrix, Vector
from epee.words.job_words import say
from epee.words.numbers import amount, figures, p_value, points
from epee.words.numbers import gap as gap_of

SHOWN = 0.05
PRICE = 0.02  # of the error, for simplicity in balance
ROW, UNKNOWN = 1.0, 0.25  # what one row may add to that: to a rate of errors, and to a Brier score by even chances


@dataclass(frozen=True, eq=False)
class Verdict:
    """What the candidates show.

    Parameters
    ----------
    names : sequence of str
    risks : sequence of CrossValidation
        On the same folds.
    rank : array (M,)
        Of simplicity, smallest for the simplest.
    level : float
    prefer : {"simplicity", "balance", "accuracy"}
    baseline : int, optional
        Which candidate looks at no input.
    losses : sequence of arrays (n, V), optional
        The out-of-fold losses of the same rows under each value that a candidate's parameter could have taken: the choice among them
        is part of the rule. None takes the losses of the risks.
    scores : array (M,), optional
        The Brier scores of the candidates on the rows held out, NaN where unknown: they decide where errors cannot.
    brier : sequence of arrays (n, V), optional
        The Brier scores of the same rows and values as ``losses``.
    groups : array (n,), optional
        Rows that are drawn together.
    silent : sequence of bool, optional
        Which candidates give no probabilities, where others do.
    entries : sequence, optional
        Whatever the candidates are to those who asked.
    nested : function, optional
        Gives the errors of the candidates inside and outside each fold, or None; called when the optimism is asked for.
    """

    names: Sequence[str]
    risks: Sequence[CrossValidation]
    rank: Vector
    level: float = 0.95
    prefer: str = "simplicity"
    baseline: int | None = None
    losses: Sequence[Matrix] | None = field(default=None, repr=False)
    groups: Any = field(default=None, repr=False)
    scores: Vector | None = field(default=None, repr=False)
    brier: Sequence[Matrix] | None = field(default=None, repr=False)
    draws: int = 1000
    entries: Sequence[Any] = field(default=(), repr=False)
    silent: Sequence[bool] = ()
    nested: Callable[[], Nested | None] | None = field(default=None, repr=False)

    @cached_property
    def values(self) -> Vector:
        """The cross-validated errors."""
        return np.array([risk.value for risk in self.risks])

    @cached_property
    def best(self) -> int:
        """The candidate with the smallest error; on ties, to rounding, the simplest."""
        unit = 0.0 if self.baseline is None else float(self.values[self.baseline])
        return int(np.lexsort((self.rank, steady(self.values, unit)))[0])

    @cached_property
    def gaps(self) -> list[Difference | None]:
        """Each candidate's difference from the best, None for the best."""
        return [None if i == self.best else self.difference(i, self.best) for i in range(len(self.risks))]

    @cached_property
    def chosen(self) -> int:
        """The candidate that the rule takes."""
        scores = None if self.scores is None else self.scores[None]
        return int(self._taken(self._nearness, self.values[None], scores, np.array([self.best]))[0])

    def _taken(self, near: np.ndarray, values: Matrix, scores: Matrix | None, best: Codes) -> Codes:
        """Return, for each of B draws, whom the rule takes of those within one standard error, ``near`` (B, M) of the ``best`` (B,).

        For accuracy the best; in balance the simplest of those whose price is small, or the baseline; else the simplest. Brier scores
        (B, M) decide in place of errors where they are told. Of those who give probabilities, where there are any.
        """
        kept = near
        if self.prefer == "accuracy":
            kept = np.arange(near.shape[1]) == best[:, None]
        elif self.prefer == "balance":
            lowest = np.take_along_axis(values, best[:, None], axis=1)  # (B, 1)
            kept = near & (values - lowest <= self._price(lowest, ROW if self.risks[0].is_rate else 0.0))
        if scores is not None and self.prefer != "simplicity":
            told = self._told(near, scores)
            known = np.where(told, steady(scores), np.inf)
            lowest = known.min(axis=1, keepdims=True)
            most = lowest if self.prefer == "accuracy" else lowest + self._price(lowest, UNKNOWN)
            kept = np.where(told.any(axis=1, keepdims=True), known <= most, kept)
        if self.prefer == "balance" and self.baseline is not None:
            kept = np.where(near[:, [self.baseline]], near, kept)
        speaking = kept & ~np.asarray(self.silent, dtype=bool) if len(self.silent) else kept
        kept = np.where(speaking.any(axis=1, keepdims=True), speaking, kept)
        return np.argmin(np.where(kept, self.rank, np.inf), axis=1)

    def _price(self, lowest: Matrix, row: float) -> Matrix:
        """Return what simplicity may cost above the ``lowest`` error or score: a share of it, or what one ``row`` of all weighs."""
        share = PRICE * np.maximum(lowest, 0.0)  # a draw of the parts of a ranking may be below 0
        return np.maximum(share, row / max(self.risks[0].n, 1.0))

    def _told(self, near: np.ndarray, scores: Matrix) -> np.ndarray:
        """Return whose Brier scores decide, of those ``near`` (B, M): all who give probabilities, if each has a score, else none."""
        told = near & ~np.asarray(self.silent, dtype=bool) if len(self.silent) else near
        return told & (np.isfinite(scores) | ~told).all(axis=1, keepdims=True)

    @cached_property
    def by_brier(self) -> bool:
        """Whether the Brier score decided, among several: where the simplest of all is taken anyway, simplicity did."""
        if self.scores is None or self.prefer == "simplicity":
            return False
        several = int(self._told(self._nearness, self.scores[None]).sum()) > 1
        return several and (self.prefer == "accuracy" or self.chosen != self._simplest)

    @property
    def _nearness(self) -> np.ndarray:
        """Of each candidate (1, M), whether (1) holds for it."""
        return np.isin(np.arange(len(self.values)), self.near)[None]

    @property
    def _simplest(self) -> int:
        """The simplest that (1) holds for, of those who give probabilities, where there are any."""
        told = [i for i in self.near if not (len(self.silent) and self.silent[i])]
        return min(told or self.near, key=lambda i: self.rank[i])

    @cached_property
    def near(self) -> list[int]:
        """The candidates that (1) holds for."""
        return [i for i, gap in enumerate(self.gaps) if gap is None or gap.value <= _bar(gap)]

    @cached_property
    def unbeaten(self) -> int:
        """The simplest candidate that no other is shown to beat."""
        for i in np.argsort(self.rank, kind="stable"):
            if not ((self.pairs[i] < SHOWN) & (self.values < self.values[i])).any():
                return int(i)
        return self.best

    @cached_property
    def pairs(self) -> Matrix:
        """The p-values of all pairs (M, M), adjusted for having looked at all of them; 1 on the diagonal.

        By Holm's rule; where the losses of the rows are known, by the law of the largest difference among candidates as alike as these.
        """
        if self.losses is None:
            return over_pairs(self._raw_pairs)
        return adjusted_together(self._raw_pairs, self._picked)

    @cached_property
    def _raw_pairs(self) -> Matrix:
        return of_pairs(len(self.names), lambda i, j: self.differences[i][j].p_value)

    @cached_property
    def differences(self) -> list[list[Difference]]:
        """The difference of each candidate from each before it, in the order given."""
        return [[self.difference(i, j) for j in range(i)] for i in range(len(self.names))]

    @cached_property
    def _picked(self) -> Matrix:
        """The losses (n, M) of the same rows under each candidate, at the value of its parameter that does best."""
        table, ends = self._table
        rows = table[np.isfinite(table).all(axis=1)]
        means = rows.mean(axis=0) if len(rows) else np.zeros(table.shape[1])
        return rows[:, [a + int(np.argmin(means[a:b])) for a, b in itertools.pairwise(ends)]]

    @property
    def p_values(self) -> Vector:
        """The adjusted p-value of each difference from the best."""
        return self.pairs[self.best]

    def difference(self, i: int, j: int) -> Difference:
        """Return the error of candidate ``i`` minus that of ``j``, paired and corrected for shared training rows."""
        return corrected_difference(self.risks[i], self.risks[j], self.level)

    def mark(self, i: int) -> str:
        """Return how a candidate stands against the best."""
        return "best" if i == self.best else "worse" if self.p_values[i] < SHOWN else "not distinguishable"

    @cached_property
    def against_baseline(self) -> Difference | None:
        """How much smaller the error of the chosen candidate is than that of the baseline, where there is one beside it."""
        if self.baseline is None or self.baseline == self.chosen:
            return None
        return self.difference(self.baseline, self.chosen)

    @cached_property
    def p_baseline(self) -> float:
        """The adjusted p-value of that difference."""
        if self.baseline is None or self.baseline == self.chosen:
            return 1.0
        if self.losses is None:
            return float(self.pairs[self.chosen][self.baseline])
        return float(
            adjusted_together(self._raw_pairs, self._picked, against=self.baseline)[self.chosen][self.baseline]
        )

    @property
    def beats_baseline(self) -> bool:
        """Tell whether the chosen predictor is shown to do better than the baseline."""
        return self.against_baseline is not None and self.p_baseline < SHOWN and self.against_baseline.value > 0

    @cached_property
    def optimism(self) -> Optimism:
        """How much better the winner looks than it is, with the whole rule of choice inside."""
        table = self._table[0]
        found = self._winner(np.arange(len(table)), self.draws)
        found = replace(found, tibshirani=by_folds(np.column_stack([risk.per_fold for risk in self.risks])))
        nested = self.nested() if self.nested is not None else None
        if nested is None:
            return found
        risk = self.risks[self.chosen]
        value = nested.error(self._rule(self._table[0], stretched=True)) - risk.pooled
        return replace(found, value=value if abs(value) > 1e-9 * risk.pooled else 0.0)  # below, sums were rounded

    @cached_property
    def _stretch(self) -> Matrix:
        """By how much the standard error of each difference (M, M), as the choice takes it, exceeds that of the rows."""
        rows = paired_errors(self._picked)
        return of_pairs(len(rows), lambda i, j: _bar(self.differences[i][j]) / rows[i, j] if rows[i, j] > 0 else 1.0)

    def optimism_error(self, parts: int = 10) -> float:
        """Return the standard error of the optimism inside the draws, by leaving out each of some parts of the rows in turn."""
        n = len(self._table[0])
        part = np.random.default_rng(0).permutation(n) % parts
        values = [self._winner(np.flatnonzero(part != k), max(self.draws // parts, 1)).inside for k in range(parts)]
        return float(np.sqrt((parts - 1) / parts * np.sum((np.array(values) - np.mean(values)) ** 2)))

    @cached_property
    def _table(self) -> tuple[Matrix, np.ndarray]:
        """The losses of all values of all candidates side by side, and where each candidate's begin."""
        blocks = [mean_losses(risk)[:, None] for risk in self.risks] if self.losses is None else list(self.losses)
        return np.column_stack(blocks), np.cumsum([0, *(block.shape[1] for block in blocks)])

    def _winner(self, rows: np.ndarray, draws: int) -> Optimism:
        """Return the optimism of the whole rule on some rows."""
        whole, _ = self._table
        table = whole[rows]

        def of_rows(values: Any) -> Any:
            return values[rows] if values is not None and len(values) == len(whole) else None

        weight, groups = of_rows(self.risks[0].weight), of_rows(self.groups)
        beside = None if self.brier is None else np.column_stack(list(self.brier))[rows]
        rule = self._rule(table)
        return winner_optimism(table, None, choose=rule, beside=beside, weight=weight, groups=groups, draws=draws)

    def _rule(self, table: Matrix, stretched: bool = False) -> Choice:
        """Return the whole rule of choice among the columns of a table of losses, of which each candidate has those from end to end.

        The rows say how far differences are noise; ``stretched``, as far as the choice itself takes them, since folds share training rows.
        """
        ends, spread = self._table[1], paired_errors(table)
        if stretched and not (self.prefer == "accuracy" and self.brier is None):  # which asks nobody how near he is
            owner = np.repeat(np.arange(len(self.names)), np.diff(ends))
            spread = spread * self._stretch[np.ix_(owner, owner)]

        def rule(means: Matrix, brier: Matrix | None) -> Codes:
            means = steady(means, 0.0 if self.baseline is None else means[:, [ends[self.baseline]]])
            picked = np.stack(
                [a + np.argmin(means[:, a:b], axis=1) for a, b in itertools.pairwise(ends)], axis=1
            )  # (B, C)
            values = np.take_along_axis(means, picked, axis=1)
            best, draws = np.argmin(values, axis=1), np.arange(len(means))
            near = values - values[draws, best][:, None] <= spread[picked, picked[draws, best][:, None]]
            scores = None if brier is None else np.take_along_axis(brier, picked, axis=1)
            return np.asarray(picked[draws, self._taken(near, values, scores, best)])

        return rule

    @property
    def corrected(self) -> float:
        """The error of the chosen candidate, corrected for the choice."""
        return max(float(self.values[self.chosen]) + self.optimism.value, 0.0)

    def price(self) -> str:
        """Say in the unit of the target what the choice of a simpler candidate costs, where the errors are squares; else nothing."""
        gap, risk = self.gaps[self.chosen], self.risks[self.chosen]
        if gap is None or risk.loss != "squared" or not self.values[self.best] > 0:
            return ""
        a, b = (float(np.sqrt(self.values[i])) for i in (self.chosen, self.best))
        bar = _bar(gap) / (2 * a) or None
        return say("price", chosen=amount(a, bar), best=amount(b, bar), cost=amount(max(a - b, 0.0), bar))

    def _why(self) -> str:
        """Return the name of the sentence that says why the chosen one is chosen."""
        if self.by_brier and self.scores is not None:
            return (
                "chosen_brier"
                if self.scores[self.chosen] <= np.nanmin(self.scores[self.near])
                else "chosen_brier_cheap"
            )
        if self.best != self.chosen:
            return "chosen" if self._simplest == self.chosen else "chosen_cheap"
        if self._simplest == self.best:
            return "chosen_best"
        return "chosen_asked" if self.prefer == "accuracy" else "chosen_accurate"

    def sentences(self, ranked: str = "") -> list[str]:
        """Return the verdict in words; ``ranked`` is said in place of a doubt about the inputs, where they rank the classes after all."""
        best, chosen = self.names[self.best], self.names[self.chosen]
        if len(self.names) == 1:
            return [_capital(say("alone", chosen=chosen))]
        simplest = self._simplest
        out = [say(self._why(), chosen=chosen)]
        price = self.gaps[simplest]
        if simplest != self.chosen and price is not None:
            cost = gap_of(price.value, price.stderr, rate=price.is_rate)
            out.append(say("simplicity_costs", simple=self.names[simplest], cost=cost))
        gap = self.gaps[self.chosen]
        if gap is not None:
            out.append(beats(best, chosen, gap, self.p_values[self.chosen]))
            out += [self.price()] if self.price() else []
        simpler = [self.names[i] for i in self.near if self.rank[i] < self.rank[self.chosen]]
        if simpler and self.prefer == "simplicity":
            out.append(say("no_probabilities", names=", ".join(simpler), k=len(simpler)))
        if self.against_baseline is not None and self.against_baseline.value > 0:
            out.append(beats(chosen, self.names[int(self.baseline)], self.against_baseline, self.p_baseline))  # type: ignore[arg-type]
        if self.baseline is not None and not self.beats_baseline:
            out.append(ranked or say("no_better"))
        if any(d is not None and d.caution for d in self.gaps):
            out.append(next(d.caution for d in self.gaps if d is not None and d.caution))
        risk, optimism = self.risks[self.chosen], self.optimism.value
        seen = optimism > risk.stderr / 10  # below, the digits of the error bar would show nothing
        looks = gap_of(optimism, risk.stderr, rate=risk.is_rate, bar=False) if seen else _small(optimism, risk.is_rate)
        corrected = amount(self.corrected, risk.stderr, percent=risk.is_rate)
        key = "optimism" if optimism > 0 else "no_optimism"
        out.append(say(key, k=len(self.names), optimism=looks, corrected=corrected))
        return [_capital(sentence) for sentence in out]


def _small(value: float, rate: bool) -> str:
    return points(value) if rate else figures(value, 2)


def ranks(orders: Sequence[tuple[float, ...]]) -> Vector:
    """Return a rank for each candidate from (family, degrees of freedom), smallest for the simplest; ties keep the order given.

    >>> ranks([(10.0, 3.0), (0.0, 1.0), (10.0, 2.0)])
    array([2., 0., 1.])
    """
    out = np.empty(len(orders))
    out[sorted(range(len(orders)), key=lambda i: (*orders[i], i))] = np.arange(len(orders))
    return out


def steady(values: Any, unit: Any = 0.0) -> Any:
    """Return values without their last digits, which the order of a sum decides: what is equal to rounding is equal.

    Twelve digits of each value are left, or as many as twelve of ``unit`` have, below which errors are nothing: that of a baseline. One
    candidate whose error is beyond all measure hides none of the others.

    >>> steady(np.array([0.1 + 0.2, 0.3])).tolist()
    [0.3, 0.3]
    >>> steady(np.array([1e-31, 3e-30, 0.25, 1e20]), unit=2.0).tolist()
    [0.0, 0.0, 0.25, 1e+20]
    """
    size = np.maximum(np.abs(values), np.where(np.isfinite(unit), unit, 0.0))
    some = np.isfinite(size) & (size > 1e-290) & (size < 1e290)
    power = 10.0 ** (12 - np.ceil(np.log10(size, where=some, out=np.zeros_like(size))))
    return np.where(some, np.round(values * power) / power, values)


def paired_errors(losses: Matrix) -> Matrix:
    """Return the standard error (M, M) of the difference between the mean losses of any two columns (n, M)."""
    rows = losses[np.isfinite(losses).all(axis=1)]
    n = max(len(rows), 2)
    C = np.atleast_2d(np.cov(rows, rowvar=False)) if len(rows) > 1 else np.zeros((losses.shape[1],) * 2)
    v = np.diagonal(C)
    return np.sqrt(np.maximum(v[:, None] + v[None] - 2 * C, 0.0) / n)


def mean_losses(risk: CrossValidation) -> Vector:
    """Return the loss of each row, the mean over repeats."""
    losses = np.atleast_2d(risk.losses)
    seen = np.isfinite(losses)
    counts = seen.sum(axis=0)
    return np.divide(
        np.where(seen, losses, 0.0).sum(axis=0), counts, out=np.full(losses.shape[1], np.nan), where=counts > 0
    )


def _bar(gap: Difference) -> float:
    return gap.stderr if np.isfinite(gap.stderr) else 0.0


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def beats(a: str, b: str, gap: Difference, p: float) -> str:
    """Say by how much one candidate beats another, and whether that is shown."""
    return say("beats", a=a, b=b, gap=gap.shown(), p=p_value(p), shown=say("shown" if p < SHOWN else "not shown"))
