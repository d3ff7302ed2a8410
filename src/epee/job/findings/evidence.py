"""What the findings look at: the rows of a table, and, where something was learned, how it went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from epee.losses.names import named
from epee.table.raw import RawBlock
from epee.typing import Codes, Matrix, Vector

LOOKED_ROWS = 20_000  # rows that a test of columns looks at; more would only find smaller things


@dataclass(eq=False)
class Evidence:
    """The inputs column by column, the target, and the parts of a run that are there; a test that lacks its part is silent.

    Parameters
    ----------
    names, kinds, raw : the inputs
        ``raw.columns`` holds float64 with NaN for numbers, Arrow texts for categories.
    columns : list of dict
        All columns as the card has them, those left out too.
    task : {"classification", "regression"} or None
        None when there is no target.
    y, classes : the target of every row, and its labels in order
    train, test : arrays of rows
    ordered : bool
        Whether time or groups were given, so that neighbouring rows are known to be alike.
    entry, verdict : the chosen line of the leaderboard and the whole verdict
    risk : Risk
        Of the sealed rows.
    probabilities : array (m, K)
        Of the sealed rows, in the order of ``classes``.
    uses : list of dict
        What the predictor leans on, as the card has it.
    looked, fold : arrays
        Which training rows have losses held out, by their places among these, and the fold of each.
    beside : array (n,) of 64 bits, optional
        Prints of the cells of each row in columns that were read and are no inputs: a row is a copy if they agree, too.
    told : Told, optional
        Which sealed rows belong together.
    """

    names: Sequence[str]
    kinds: dict[str, str]
    raw: RawBlock
    columns: list[dict[str, Any]] = field(default_factory=list)
    task: str | None = None
    target: str = ""
    y: np.ndarray | None = None
    classes: np.ndarray | None = None
    train: Codes = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    test: Codes = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    ordered: bool = False
    entry: Any = None
    verdict: Any = None
    groups: Any = None
    risk: Any = None
    probabilities: Matrix | None = None
    uses: list[dict[str, Any]] = field(default_factory=list)
    seed: int = 0
    looked: Codes = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    fold: Codes | None = None
    beside: np.ndarray | None = None
    told: Any = None
    _sorted: dict[str, Vector] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.raw)

    @property
    def kin_told(self) -> bool:
        """Whether intervals are longer already for rows that belong together, and a caution says so."""
        return self.entry is not None and bool(self.entry.sure.kin)

    def design_effect(self, values: Vector) -> float:
        """Return how many times the variance of a mean of the sealed rows is that of rows that stand alone; 1 where it would be smaller."""
        if self.told is None or self.told.alone:
            return 1.0
        units = self.told.units(values)
        alone = float(np.var(values, ddof=1)) / len(values)
        return max(units.spread()[0] ** 2 / units.independent()[0] / alone, 1.0) if alone > 0 else 1.0

    @property
    def is_rate(self) -> bool:
        """Whether the errors of the run are rates."""
        return self.entry is not None and named(self.entry.risk.loss).is_rate

    @cached_property
    def some(self) -> Codes:
        """The rows that tests of columns look at: all, or a random sample, in order."""
        if self.n <= LOOKED_ROWS:
            return np.arange(self.n)
        return np.sort(np.random.default_rng(self.seed).choice(self.n, LOOKED_ROWS, replace=False))

    @cached_property
    def numbers(self) -> dict[str, Vector]:
        """The columns of numbers, yes/no and dates, with NaN in the holes."""
        return {name: self.raw.columns[name] for name in self.names if isinstance(self.raw.columns[name], np.ndarray)}

    @cached_property
    def levels(self) -> dict[str, Codes]:
        """The categories as whole numbers, -1 where the cell is missing."""
        return {name: level_codes(self.raw.columns[name]) for name in self.names if name not in self.numbers}

    @cached_property
    def labels(self) -> dict[str, list[str]]:
        """What the whole numbers of ``levels`` stand for."""
        return {name: [str(v) for v in _coded(self.raw.columns[name]).dictionary.to_pylist()] for name in self.levels}

    def sorted_cells(self, name: str) -> Vector:
        """Return the finite cells of a column of numbers in order; sorted once for all tests."""
        if name not in self._sorted:
            x = self.numbers[name]
            self._sorted[name] = np.sort(x[np.isfinite(x)])
        return self._sorted[name]

    @cached_property
    def bits(self) -> list[np.ndarray]:
        """64 bits for each cell, column by column, the target last; equal cells of two columns have other bits.

        What was read and is no input makes one column more: who has another name is no copy.
        """
        from epee.job.sealing import fingerprints  # which a page of explanation need not load

        columns = [self.raw.columns[name] for name in self.names]
        if self.y is not None:
            columns += list(np.reshape(self.y, (self.n, -1)).T)
        bits = [fingerprints(RawBlock({str(j): column}, rows=self.n), [str(j)]) for j, column in enumerate(columns)]
        return bits if self.beside is None else [*bits, self.beside]

    def missing(self, name: str) -> np.ndarray:
        """Return which cells of a column are missing."""
        return np.isnan(self.numbers[name]) if name in self.numbers else self.levels[name] < 0

    @cached_property
    def codes(self) -> Codes:
        """The class of every row as a whole number."""
        assert self.classes is not None and self.y is not None
        return np.searchsorted(self.classes, self.y)

    @property
    def one_number(self) -> bool:
        """Tell whether the target is a single number."""
        return self.task == "regression" and self.y is not None and self.y.ndim == 1

    @cached_property
    def first_losses(self) -> Vector | None:
        """The loss of every training row, held out, in the first repeat; NaN for a row that was not tested or not looked at."""
        return None if self.entry is None else self._over_training(self.entry.outcome.losses[0])

    @cached_property
    def residuals(self) -> tuple[Vector, Vector] | None:
        """Out-of-fold residuals and predictions of the training rows, where the target is a number."""
        if not self.one_number or self.entry is None:
            return None
        predicted = self._over_training(np.asarray(self.entry.outcome.predictions[0], dtype=np.float64))
        return self.y[self.train] - predicted, predicted  # type: ignore[index]

    def _over_training(self, values: Vector) -> Vector:
        """Return values of the looked rows laid out over all training rows, NaN elsewhere."""
        out = np.full(len(self.train), np.nan)
        out[self.looked] = values.reshape(len(values))
        return out


def _coded(column: Any) -> Any:
    return column if hasattr(column, "indices") else column.dictionary_encode()


def level_codes(column: Any) -> Codes:
    """Return a column of texts as whole numbers, -1 where the cell is missing."""
    codes: Codes = _coded(column).indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.intp)
    return codes


def evidence_of(seen: Any, ground: Any, verdict: Any, predictor: Any, risk: Any, uses: Any) -> Evidence:
    """Return the evidence of a run of the main job: the rows at hand, all of them or the sample."""
    from epee.job.told import told_of_sealed  # which a page of explanation need not load

    hand, cells = ground.hand, ground.cells
    probabilities = None
    if predictor.has_probabilities and len(hand.sealed):
        order = np.searchsorted(predictor.model.classes_, seen.classes)
        probabilities = predictor.model.predict_proba(hand.encoded(hand.sealed))[:, order]
    names = tuple(name for name in seen.names if seen.kinds[name] != "text")  # words are no levels
    return Evidence(
        names, seen.kinds, hand.raw, seen.columns, seen.task, ", ".join(seen.targets), hand.y, seen.classes, hand.train, hand.sealed,
        cells.forward or cells.groups is not None, verdict.entries[verdict.chosen], verdict, cells.groups if ground.at_hand else None,
        risk if len(hand.sealed) else None, probabilities, list((uses or {}).get("items", [])), ground.setting.seed, hand.looked,
        hand.cell[hand.train], hand.beside, told_of_sealed(ground),
    )  # fmt: skip
