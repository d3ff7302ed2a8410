"""The main job on a table that is too large for the memory: closed forms only, in blocks; see :mod:`epee.job.stream_contest`."""

from __future__ import annotations

import os
import time as clock
import warnings
from typing import Any

import numpy as np

from epee.errors import MissingValues, WrongUse
from epee.job.choice import decide
from epee.job.drift import Tally
from epee.job.hierarchy import Setting, hierarchy, unfit
from epee.job.learning import Learned, cost_loss, cost_table
from epee.job.predictor import Predictor, residual_quantiles
from epee.job.stream_cells import Cells, CellSource, assign_cells
from epee.job.stream_contest import LARGEST, StreamContest
from epee.job.understanding import IGNORE, Understood, describe_target, listed_kinds
from epee.risk.estimate import Risk
from epee.risk.intervals import t_interval, wilson, within_range
from epee.table.encoder import TableEncoder
from epee.table.frames import is_dask
from epee.table.raw import RawBlock
from epee.table.schema import Column, Schema
from epee.table.source import TableSource
from epee.typing import Matrix, Vector
from epee.words.job_words import say
from epee.words.numbers import whole

MOST_CELLS = 20_000_000  # rows times columns that are held in memory
MOST_BYTES = 400_000_000  # of a text file whose rows nobody has counted


def is_large(table: Any, source: TableSource) -> bool:
    """Tell whether a table is read in blocks rather than held."""
    if is_dask(table):
        return True
    if source.n_rows is not None:
        return source.n_rows * len(source.batches.fields.names) > MOST_CELLS
    if isinstance(table, str | os.PathLike) and os.path.isfile(table):
        return os.path.getsize(table) > MOST_BYTES
    return False


def learn_stream(
    source: TableSource, roles: dict[str, list[str]], asked: dict[str, Any], predictors: Any, costs: Any, begin: float
) -> Learned:
    """Learn from a large table; the answer has the same shape as that of a small one."""
    if predictors is not None and not all(isinstance(p, str) for p in predictors):
        raise WrongUse(
            "estimators of your own need the rows in memory, and this table is too large; learn from a sample of it."
        )
    notes = list(source.notes)
    cells = assign_cells(source, roles, asked["types"], notes, asked["test_size"], asked["folds"], asked["seed"])
    table = cost_table(costs, asked["reject_cost"], cells.classes)
    inputs, kinds, columns = stream_inputs(source, roles, asked["types"], notes)
    wide = TableSource(
        source.batches, types=source.types, columns=inputs, sample_weight=roles["weight"][0] if roles["weight"] else None,
    )  # fmt: skip
    numeric = all(kind in ("number", "boolean") for kind in kinds.values())
    try:
        contest = open_contest(wide, cells, asked, None if numeric else planned(wide, kinds), inputs, table)
        entries, models = contest.run(closed(contest, predictors))
    except MissingValues:
        contest = open_contest(wide, cells, asked, planned(wide, kinds), inputs, table)
        entries, models = contest.run(closed(contest, predictors))
    if cells.how:
        notes.append(
            say(
                "sealed",
                test=whole(int((cells.cell >= cells.folds).sum())),
                train=whole(int(contest.whole.count.sum())),
                how=cells.how,
            )
        )
    notes.append(say("stream_findings"))
    asked["folds"], asked["repeats"] = cells.folds - cells.forward, 1
    verdict = decide(entries, asked["level"], None, draws=300)
    winner = entries[verdict.chosen]
    predictor, to_rows = finished(contest, winner, roles, kinds, inputs)
    risk = sealed_risk(contest, models[winner.candidate.key], winner, asked["level"])
    learned = _gather(contest, verdict, predictor, to_rows, risk, roles, columns, notes, asked, begin)
    if asked["refit"] and cells.how:
        learned.predictor = finished(*contest.refitted(winner), roles, kinds, inputs)[0]
        learned.sealed_rows, learned.training_rows = learned.sealed_rows[:0], learned.sealed_rows
    return learned


def closed(contest: StreamContest, predictors: Any) -> list[Any]:
    """Return the closed forms of the hierarchy; the others are named as dropped."""
    out = []
    contest.dropped.clear()
    for candidate in hierarchy(contest.setting, predictors):
        why = unfit(candidate, contest.setting) or ("" if candidate.closed else say("stream_only"))
        if not why and predictors is not None and not candidate.suits(contest.setting):
            why = say("unsuited")
        if why:
            contest.dropped.append((candidate.name, why))
        else:
            out.append(candidate)
    return out


def stream_inputs(
    source: TableSource, roles: dict[str, list[str]], types: dict[str, str], notes: list[str]
) -> tuple[list[str], dict[str, str], list[dict[str, Any]]]:
    """Return the inputs with their kinds, and all columns with their roles."""
    role_of = {name: role for role, names in roles.items() for name in names}
    texts = [n for n in source.names if source._kind(n) == "text" and n not in role_of and types.get(n) != IGNORE]
    counted = {c.name: c for c in source._count(texts)} if texts else {}
    inputs, kinds, columns = [], {}, []
    for name in source.names:
        column = counted.get(name) or Column(name, str(source._kind(name)))
        role, why = role_of.get(name, "input"), ""
        if role == "input" and types.get(name) == IGNORE:
            why = say("left_asked", name=name)
        elif role == "input" and column.kind == "text":
            why = say("left_text", name=name)
        if why:
            notes.append(why)
        elif role == "input":
            inputs.append(name)
            kinds[name] = column.kind
        columns.append({
            "name": name, "kind": column.kind, "role": "left out" if why else role, "missing": column.missing or 0,
            "note": why, "levels": list(column.levels or ())[:50],
        })  # fmt: skip
    notes.append(listed_kinds(inputs, kinds))
    return inputs, kinds, columns


def planned(source: TableSource, kinds: dict[str, str]) -> TableEncoder:
    """Return an encoder that knows the levels and holes of a table, not yet its means."""
    encoder = TableEncoder(types=kinds)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return encoder.plan(source)


def open_contest(
    source: TableSource,
    cells: Cells,
    asked: dict[str, Any],
    encoder: TableEncoder | None,
    inputs: list[str],
    costs: Any = None,
) -> StreamContest:
    """Return the contest on a table, before its first pass."""
    names = list(inputs) if encoder is None else list(encoder._layout.row_names)
    train = cells.cell[(cells.cell >= 0) & (cells.cell < cells.folds)]
    counts = (
        np.zeros(1) if cells.codes is None else np.bincount(cells.codes[(cells.cell >= 0) & (cells.cell < cells.folds)])
    )
    K = 0 if cells.classes is None else len(cells.classes)
    spread = 1.0 if cells.y is None else float(np.nanstd(cells.y, axis=0).mean())
    targets = 1 if cells.y is None or cells.y.ndim == 1 else cells.y.shape[1]
    setting = Setting(cells.task, len(train), len(names), K, int(counts.min()), targets, spread, source.weight_name is not None,
                      encoder is not None, costs, asked["seed"])  # fmt: skip
    if (cells.folds + 10) * max(K, 1) * len(names) ** 2 > LARGEST:
        raise WrongUse(
            f"{len(names)} encoded columns and {K} classes are too many for one pass over a large table; leave columns out with types."
        )
    return StreamContest(
        CellSource(source, cells, encoder, names), setting, asked["level"], source.weight_name is not None, asked["budget"],
        loss=cost_loss(costs, cells.classes),
    )  # fmt: skip


def finished(
    contest: StreamContest, winner: Any, roles: dict[str, list[str]], kinds: dict[str, str], inputs: list[str]
) -> tuple[Predictor, Any]:
    """Return the predictor of raw tables, and the map from sampled rows to encoded ones."""
    mean = contest.whole.merge("group").mean[0] if "group" in contest.whole.axes else contest.whole.mean[0]
    encoder = contest.source.encoder
    to_rows: Any
    if encoder is None:
        encoder = TableEncoder(types=dict(kinds))
        encoder.schema_ = Schema(tuple(Column(name, kinds[name], missing=0) for name in inputs))
        encoder.n_features_in_ = len(inputs)
        encoder.feature_names_in_ = np.array(inputs, dtype=object)
        encoder.centre_ = np.zeros(len(inputs))
        encoder._learn(mean[: len(inputs)])

        def to_rows(X: Matrix) -> Matrix:
            return X
    else:
        encoder._learn(mean[: len(contest.source.names)])
        assert contest.maps[1] is not None
        e = len(encoder.get_feature_names_out())
        A, b = contest.maps[1][0][0][:e, : len(contest.source.names)], contest.maps[1][1][0][:e]

        def to_rows(X: Matrix) -> Matrix:
            return X @ A.T + b

    residuals = None
    if contest.setting.task == "regression" and contest.setting.n_targets == 1:
        column = winner.curve.losses[:, winner.curve.chosen]
        residuals = residual_quantiles(np.sqrt(column[np.isfinite(column)]))
    drift = _tally(encoder, contest, to_rows)
    return Predictor(contest.setting.task, tuple(roles["target"]), encoder, winner.model, residuals, drift), to_rows


def _tally(encoder: TableEncoder, contest: StreamContest, to_rows: Any) -> dict[str, Any]:
    """Return the look of the training rows, from the sample, for columns that are numbers as they come."""
    if contest.source.encoder is not None:
        return {}
    sample = contest.sample
    rows = sample.X[sample.fold < contest.folds]  # type: ignore[operator]
    counts = Tally(encoder.schema_)
    counts.add(RawBlock({name: rows[:, j] for j, name in enumerate(encoder.schema_.names)}, rows=len(rows)))
    return counts.figures()


def sealed_risk(contest: StreamContest, solved: Any, winner: Any, level: float) -> Risk:
    """Return the error of the chosen predictor on the sealed rows."""
    means, weights = solved.sealed, solved.sealed_weights
    if weights is None or not len(weights) or not weights.sum():
        return Risk(
            winner.risk.value,
            winner.risk.stderr,
            winner.risk.interval,
            level,
            winner.risk.n,
            winner.risk.loss,
            winner.risk.how,
        )
    n = float(weights.sum())
    value = float(means @ weights / n)
    if contest.loss is not None:
        spread = max(float(solved.sealed_squares @ weights / n) - value**2, 0.0)
        bar = float(np.sqrt(spread / max(n - 1, 1.0)))
        return Risk(
            value,
            bar,
            within_range(t_interval(value, bar, n - 1, level), contest.loss.name),
            level,
            n,
            contest.loss.name,
            "held-out rows",
            n - 1,
        )
    if contest.setting.task == "classification":
        return Risk(
            value,
            float(np.sqrt(value * (1 - value) / n)),
            wilson(value, n, level),
            level,
            n,
            "zero_one",
            "held-out rows",
            n - 1,
        )
    bar = float(means.std(ddof=1) / np.sqrt(len(means)))
    ends = within_range(t_interval(value, bar, len(means) - 1, level), "squared")
    return Risk(value, bar, ends, level, n, "squared", f"held-out rows in {len(means)} parts", len(means) - 1)


def _gather(
    contest: StreamContest, verdict: Any, predictor: Predictor, to_rows: Any, risk: Risk, roles: dict[str, list[str]],
    columns: list[dict[str, Any]], notes: list[str], asked: dict[str, Any], begin: float,
) -> Learned:  # fmt: skip
    from epee.job.facts import facts_of

    cells, sample, K = contest.source.cells, contest.sample, contest.folds
    assert sample.fold is not None
    codes = None if cells.codes is None else cells.codes[cells.cell >= 0]
    y: Any = codes if cells.y is None else cells.y[cells.cell >= 0]
    describe_target(cells.task, roles["target"], y, cells.classes, notes, codes)
    counts = (int(contest.whole.count.sum()), int((cells.cell >= K).sum()))
    seen = Understood(
        contest.source.source.label, cells.task, tuple(roles["target"]), tuple(predictor.feature_names_in_), {},
        RawBlock({}, rows=cells.n), y, cells.classes, None, None, None, columns, notes, len(cells.cell),
    )  # fmt: skip

    def part(rows: np.ndarray) -> tuple[Matrix, np.ndarray, Vector | None]:
        truth = sample.y[rows] if sample.y is not None else cells.classes[sample.group[rows]]  # type: ignore[index]
        return to_rows(sample.X[rows]), truth, None if sample.weight is None else sample.weight[rows]

    sealed, training = part(np.flatnonzero(sample.fold >= K)), part(np.flatnonzero(sample.fold < K))
    facts = facts_of(seen, asked, contest, verdict, predictor, sealed, training, risk, begin, counts)  # type: ignore[arg-type]
    learned = Learned(predictor, risk, facts)
    learned.contest = verdict
    if contest.source.prints:
        learned.sealed_rows = np.concatenate(contest.source.prints)
    facts["seconds"] = clock.perf_counter() - begin
    return learned
