r"""What a column does to the prediction: direction and shape, for any predictor.

With :math:`f` the prediction of a number or the probability of a class, the *partial dependence* on column :math:`c` is the mean
prediction when :math:`c` has one value in all rows, and the *accumulated local effect* adds up what small steps of :math:`c` change in rows
that are there,

.. math:: \mathrm{PD}_c(v) = \frac1n \sum_i f(v, x_{i, -c}), \qquad
          \mathrm{ALE}_c(v) = \sum_{k \le v} \frac{1}{n_k} \sum_{i \in k} \bigl[f(z_k, x_{i,-c}) - f(z_{k-1}, x_{i,-c})\bigr], \tag{1}

with the rows cut into intervals :math:`(z_{k-1}, z_k]` of :math:`c`. They part where columns go together: the first asks about rows that
nobody has, the second does not. Two columns *interact* by the spread of what is left of their joint partial dependence,

.. math:: I_{jk}^2 = \frac1n \sum_i \bigl[\mathrm{PD}_{jk} - \mathrm{PD}_j - \mathrm{PD}_k\bigr]^2(x_{ij}, x_{ik}), \tag{2}

each centred (Friedman and Popescu). Bands are those of a jackknife: the models of the cross-validation, each without a fold, give
:math:`\mathrm{se}^2 = \frac{K - 1}{K} \sum_k (f_k - \bar f)^2`, so they say what other training rows would change. Of a combination the
members are learned without each fold, and keep their weights.

References: Apley and Zhu, "Visualizing the effects of predictor variables in black box supervised learning models", *Journal of the Royal
Statistical Society B* 82, 2020.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from itertools import combinations, islice
from typing import Any

import numpy as np

from epee.engines.local import in_order
from epee.estimator.stack import Linear
from epee.job.contest import Entry
from epee.job.ground import Ground
from epee.job.holding import take
from epee.job.policy import POLICY
from epee.job.predictor import Predictor
from epee.losses.residuals import Power
from epee.risk.asked import PROBABILITIES, Asked
from epee.risk.intervals import t_quantile
from epee.risk.linear_stack import Mapped
from epee.risk.route import MomentRoute
from epee.risk.scoring import ask_behind
from epee.table.raw import RawBlock
from epee.typing import Codes, Matrix, Tensor, Vector

COLUMNS, ROWS, PLACES = 6, 60, 10  # columns that are drawn, rows that are averaged over, values of a column
PAIRED, PAIRED_ROWS = 4, 20  # columns whose pairs are looked at, and on how many rows
CELLS = 4_000_000  # read as numbers at once: of wide tables fewer rows are asked about
CLASSES = 4  # most classes that are drawn
ROUNDING = 1e-9  # what is smaller than this share of the joint effect is none
CHEAP = 3e8  # cells read by a run that may be made once more, for bands

Numbers = Callable[[RawBlock], Matrix]

# weight of a model, how it reads rows, its answer (n, outputs) to these
Ask = list[tuple[float, Numbers, Callable[[Matrix], Matrix]]]


def answers(asks: Sequence[Ask], raw: RawBlock) -> Iterator[Matrix]:
    """Yield the weighted mean of models that each ask is, for some rows, several at once; rows are read once by all who read alike."""
    read = {numbers: numbers(raw) for numbers in dict.fromkeys(numbers for ask in asks for _, numbers, _ in ask)}

    def mean(ask: Ask) -> Matrix:
        found: Matrix = np.sum([weight * answer(read[numbers]) for weight, numbers, answer in ask], axis=0)
        return found

    return in_order(mean, asks)


@dataclass(frozen=True, eq=False)
class Question:
    """Rows that every model is asked about, and what their answers (models, rows, outputs) to each block of them come to."""

    blocks: Sequence[RawBlock]
    told: Callable[..., Any]


def replies(asks: Sequence[Ask], questions: Sequence[Question], most: int) -> list[Any]:
    """Return what the questions come to; several are put at once, of no more than ``most`` rows unless one alone has more."""
    together: list[list[Question]] = []
    rows = most + 1
    for question in questions:
        own = sum(map(len, question.blocks))
        if rows + own > most:
            together.append([])
            rows = 0
        together[-1].append(question)
        rows += own
    out: list[Any] = []
    for some in together:
        blocks = [block for question in some for block in question.blocks]
        found = np.stack(list(answers(asks, blocks[0].followed_by(*blocks[1:]))))  # (models, rows, outputs)
        parts = iter(np.split(found, np.cumsum([len(block) for block in blocks])[:-1], axis=1))
        out.extend(question.told(*islice(parts, len(question.blocks))) for question in some)
    return out


def effects_of(
    ground: Ground, entry: Entry, predictor: Predictor, uses: Sequence[str], level: float
) -> dict[str, Any] | None:
    """Return the effects of the columns that the predictor leans on most, as plain data; None where there is nothing to say."""
    kinds = {c.name: c.kind for c in ground.hand.encoder.schema_}
    names = [name for name in uses if kinds.get(name) in ("number", "boolean", "date", "category")][:COLUMNS]
    silent = predictor.task == "classification" and not predictor.has_probabilities
    if not names or len(predictor.targets) > 1 or silent:
        return None
    outputs, labels = _outputs(ground, predictor)
    hand, seed = ground.hand, ground.setting.seed
    readers = hand.encoder.holed().encode if hand.plain else hand.encoder.row_map, hand.encoder.coded().holed().encode
    asks = [_final(predictor, outputs), *_folds(ground, entry, outputs, readers)]
    at_once = max(100, CELLS // max(1, ground.setting.p))  # rows that are asked about together
    rows = take(hand.raw, POLICY.sample(hand.train, min(ROWS, at_once // PLACES), seed))
    few = take(hand.raw, POLICY.sample(hand.train, min(PAIRED_ROWS, int(np.sqrt(at_once))), seed))
    columns = [q for name in names if (q := _effect(name, kinds[name], rows, hand, level)) is not None]
    pairs = [_interaction(a, b, few) for a, b in combinations(names[:PAIRED], 2)]
    found = replies(asks, [*columns, *pairs], at_once)
    drawn, strengths = found[: len(columns)], sorted(found[len(columns) :], key=lambda pair: -pair["value"])
    return {
        "of": labels,
        "columns": drawn,
        "interactions": strengths,
        "bands": len(asks) > 2,
        "held": bool(entry.members),
    }


def _outputs(ground: Ground, predictor: Predictor) -> tuple[list[int], list[str]]:
    """Return which outputs are drawn and what they are called: the number, the second of two classes, the commonest of several."""
    if predictor.task == "regression":
        return [0], [predictor.targets[0]]
    classes = predictor.classes_
    kept = [1]
    if len(classes) > 2:
        counts = np.bincount(ground.truth, minlength=len(classes))
        kept = sorted(np.argsort(-counts, kind="stable")[:CLASSES].tolist())
    return kept, [str(classes[k]) for k in kept]


def _final(predictor: Predictor, outputs: list[int]) -> Ask:
    model = predictor.model
    if predictor.task == "regression":
        return [(1.0, predictor.encode, lambda X: np.asarray(model.predict(X), dtype=float).reshape(len(X), 1))]
    return [(1.0, predictor.encode, lambda X: np.asarray(model.predict_proba(X))[:, outputs])]


def _folds(ground: Ground, entry: Entry, outputs: list[int], readers: tuple[Numbers, Numbers]) -> Iterator[Ask]:
    """Yield the models of the cross-validation, each without a fold; none where they would take too long, or follow time.

    ``readers`` are how models on sums read rows, and how those that saw their rows do.
    """
    if ground.cells.forward:
        return
    if entry.members:
        cost = sum(m.candidate.cost(ground.setting) for m, _ in entry.members if not isinstance(m.route, MomentRoute))
        parts = [] if cost > CHEAP else [list(_folds(ground, member, outputs, readers)) for member, _ in entry.members]
        if parts and all(len(part) == ground.n_models for part in parts):
            weights = [weight for _, weight in entry.members]
            for asks in zip(*parts, strict=True):
                yield [(w * own, *of) for w, ask in zip(weights, asks, strict=True) for own, *of in ask]
        return
    told = copy(entry.route)
    loss = Power(2.0) if ground.asked.classes is None else PROBABILITIES
    told.asked = asked = replace(ground.asked, loss=loss, costs=None)
    if isinstance(told, MomentRoute):
        models = told.like(told.model).models(ground.split)
        for t in range(ground.n_models):
            yield _answering(asked, models, t, readers[0], outputs)
        return
    own = entry.candidate.method is None
    if (own and len(ground.hand.train) > 2000) or entry.candidate.cost(ground.setting) > CHEAP:
        return
    for model in told.models(ground.plan(1).splits[0]) if told.folds is None else told.folds():
        yield _answering(asked, [model], 0, readers[1], outputs)


def _answering(asked: Asked, models: Any, t: int, numbers: Numbers, outputs: list[int]) -> Ask:
    if isinstance(models, Linear):

        def told(X: Matrix) -> np.ndarray:
            return asked.finish(models.raw(X, [t])[:, 0])
    else:
        ask = ask_behind(asked, models[t]) if isinstance(models[t], Mapped) else asked.of(models[t], checked=False)

        def told(X: Matrix) -> np.ndarray:
            return np.asarray(ask(X))

    return [(1.0, numbers, lambda X: told(X).reshape(len(X), -1)[:, outputs])]


def with_value(raw: RawBlock, name: str, value: Any) -> RawBlock:
    """Return rows in which a column has one value, or one for each row."""
    import pyarrow as pa

    column, n = raw.columns[name], len(raw)
    if isinstance(column, np.ndarray):
        cells: Any = np.broadcast_to(np.asarray(value, dtype=np.float64), n).copy()
    else:
        cells = pa.array([value] * n if isinstance(value, str) else list(value), type=column.type)
    return RawBlock({**raw.columns, name: cells}, rows=n)


def _places(name: str, kind: str, hand: Any) -> tuple[list[Any], list[str]] | None:
    """Return the values of a column to be asked about, and how they are written."""
    column = hand.raw.columns[name]
    if isinstance(column, np.ndarray):
        there = column[hand.train]
        there = there[np.isfinite(there)]
        values = np.unique(there)
        if len(values) > PLACES:
            values = np.unique(np.quantile(there, np.linspace(0.02, 0.98, PLACES)))
        labels = [str(np.datetime64(int(v), "D")) if kind == "date" else "" for v in values]
        return (values.tolist(), labels) if len(values) > 1 else None
    import pyarrow.compute as pc

    counts = pc.value_counts(column.take(hand.train).drop_null()).to_pylist()
    found = sorted(counts, key=lambda c: (-c["counts"], str(c["values"])))
    levels = sorted(str(c["values"]) for c in found[:PLACES])
    return (levels, levels) if len(levels) > 1 else None


def _effect(name: str, kind: str, rows: RawBlock, hand: Any, level: float) -> Question | None:
    """Return the question whose answers are the curves (1) of one column."""
    places = _places(name, kind, hand)
    if places is None:
        return None
    values, labels = places
    numeric = kind in ("number", "date")
    steps = Steps.of(name, rows, np.asarray(values, dtype=float)) if numeric and len(values) > 2 else None

    def told(*answered: Tensor) -> dict[str, Any]:
        found = np.stack([part.mean(axis=1) for part in answered[: len(values)]], axis=1)  # (models, places, outputs)
        pd, low, high = _banded(found, level)
        out: dict[str, Any] = {
            "column": name, "kind": kind, "x": values if numeric or kind == "boolean" else list(range(len(values))),
            "labels": labels if kind == "date" or not (numeric or kind == "boolean") else [],
            "pd": pd.T, "low": low.T, "high": high.T, "ale": None,
        }  # fmt: skip
        if steps is not None:
            middle, below, above = _banded(steps.accumulated(*answered[len(values) :]), level)
            out["ale"] = {"y": middle.T, "low": below.T, "high": above.T}
        return out

    return Question(
        [*(with_value(rows, name, v) for v in values), *(() if steps is None else steps.blocks(rows, name))], told
    )


def _banded(found: Tensor, level: float) -> tuple[Matrix, Matrix, Matrix]:
    """Return the curve of the final model with the band of the jackknife, where there are models for it."""
    final, folds = found[0], found[1:]
    se = _jackknife(folds)
    if se is None:
        return final, final, final
    half = t_quantile(level, len(folds) - 1) * se
    return final, final - half, final + half


def _jackknife(folds: np.ndarray) -> Any:
    """Return the error bar of what models without a fold each say, or None of too few."""
    K = len(folds)
    return np.sqrt((K - 1) / K * ((folds - folds.mean(axis=0)) ** 2).sum(axis=0)) if K >= 3 else None


@dataclass(frozen=True, eq=False)
class Steps:
    """The steps of the second of (1): rows ``kept`` whose column is there, each in interval ``k`` between ``edges``."""

    edges: Vector
    kept: Codes
    k: Codes

    @classmethod
    def of(cls, name: str, rows: RawBlock, edges: Vector) -> Steps | None:
        """Return the steps of a column; None where too few rows have it."""
        x = np.asarray(rows.columns[name])
        kept = np.flatnonzero(np.isfinite(x))
        k = np.clip(np.searchsorted(edges, x[kept], side="left"), 1, len(edges) - 1)
        return cls(edges, kept, k) if len(kept) >= 5 else None

    def blocks(self, rows: RawBlock, name: str) -> list[RawBlock]:
        """Return the rows at the lower ends of their intervals, at the upper ends, and as they are."""
        some = take(rows, self.kept)
        return [with_value(some, name, self.edges[self.k - 1]), with_value(some, name, self.edges[self.k]), some]

    def accumulated(self, lower: Tensor, upper: Tensor, plain: Tensor) -> Tensor:
        """Return accumulated local effects (models, places, outputs), about the mean prediction, from answers (models, rows, outputs)."""
        places = np.arange(len(self.edges))[:, None] == self.k  # (places, rows)
        steps = places.astype(float) @ (upper - lower) / np.maximum(places.sum(axis=1), 1)[:, None]
        curve = np.cumsum(steps, axis=1)
        middle = (curve[:, self.k] + curve[:, self.k - 1]).mean(axis=1, keepdims=True) / 2
        return curve - middle + plain.mean(axis=1, keepdims=True)


def _interaction(a: str, b: str, rows: RawBlock) -> Question:
    """Return the question whose answer is the strength (2) of two columns, the largest over outputs, with the jackknife's error bar."""
    n = len(rows)
    each, every = np.repeat(np.arange(n), n), np.tile(np.arange(n), n)  # the values of row i in row j
    base = take(rows, every)

    def swapped(*names: str) -> RawBlock:
        columns = dict(base.columns)
        for name in names:
            own = rows.columns[name]
            columns[name] = own[each] if isinstance(own, np.ndarray) else own.take(each)
        return RawBlock(columns, rows=n * n)

    def told(*answered: Tensor) -> dict[str, Any]:
        means = [part.reshape(len(part), n, n, -1).mean(axis=2) for part in answered]  # (models, n, outputs)
        noise = n * np.finfo(np.float64).eps * np.abs(means[0]).max(axis=1)  # what rounding leaves of no effect
        joint, first, second = (part - part.mean(axis=1, keepdims=True) for part in means)
        rest, size = (np.sqrt((part**2).mean(axis=1)) for part in (joint - first - second, joint))  # (models, outputs)
        strength = np.where(rest > np.maximum(ROUNDING * size, noise), rest, 0.0).max(axis=1)
        value, largest = float(strength[0]), float(size[0].max())
        share = value / largest if largest > 0 else 0.0
        return {"columns": [a, b], "value": value, "stderr": _jackknife(strength[1:]), "share": share}

    return Question([swapped(a, b), swapped(a), swapped(b)], told)
