"""The facts of a run, gathered for its card: leaderboard, curves, and what the chosen predictor does on the sealed rows."""

from __future__ import annotations

import time as clock
from copy import copy
from typing import Any

import numpy as np

from epee.engines.local import in_order
from epee.estimator.protocol import CoefficientCovariance, Compares, LinearPredictor
from epee.job.card import figure, plain
from epee.job.contest import Contest, Curve, Entry, interval_of
from epee.job.effects import effects_of
from epee.job.ground import Ground
from epee.job.merit import Sealed, attempt, headline_of, sealed_facts
from epee.job.predictor import Predictor, last_step
from epee.job.ranked import ranking_sentence
from epee.job.redo import redo
from epee.job.telling import NONE, absolute_beside, conditions_of, facts_of_test, said_beside
from epee.job.told import Told, told_of_sealed, told_of_training
from epee.job.understanding import Understood
from epee.predictors.ensembles.combination import Combination
from epee.predictors.trees.tree import DecisionTree
from epee.risk.curves import curve_on
from epee.risk.dependence import Dependence
from epee.risk.estimate import Risk
from epee.risk.holdout import losses_of
from epee.risk.intervals import t_interval
from epee.risk.one_target import have_one_target
from epee.risk.route import MomentRoute
from epee.risk.verdict import Verdict
from epee.risk.watching import sentence
from epee.structure.standard_scaler import StandardScaler
from epee.typing import Matrix, Vector
from epee.words.job_words import say
from epee.words.numbers import percent, plus_minus

Rows = tuple[Matrix, np.ndarray, Any]
CURVE_ROWS = 50_000  # up to which a learning curve is drawn
MOST_SHUFFLED = 200  # columns of which it is asked what shuffling them costs
READABLE_LEAVES = 24  # of a tree that is written out
LOOKED_ROWS, FEWEST_LOOKED = 2000, 200  # sealed rows that importances are taken on
COMPARED = 200_000_000  # pairs of rows that are compared for them: a second or two
SHUFFLES, SHUFFLED_CELLS = 3, 1_000_000  # of a column, and cells up to which they are asked about in one call


def facts_of(
    seen: Understood, asked: dict[str, Any], contest: Contest, verdict: Verdict, predictor: Predictor, risk: Risk,
    threshold: dict[str, Any] | None, begin: float, kin: Dependence | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Return everything the card holds but the findings."""
    ground, chosen = contest.ground, verdict.entries[verdict.chosen]
    hand, cells = ground.hand, ground.cells
    sealed, training = ((hand.encoded(rows), hand.y[rows], hand.weights(rows)) for rows in (hand.sealed, hand.train))
    n_training, n_sealed = len(cells.train), len(cells.sealed)
    told = told_of_sealed(ground)
    merit = sealed_facts(predictor, Sealed(*sealed, told, asked["level"], kin), asked["seed"])
    headline = headline_of(risk, merit["scores"], len(seen.targets))
    absolute = absolute_beside(ground, chosen, risk, merit["scores"], kin)
    alike = seen.classes is None and n_sealed > 0 and have_one_target(sealed[1])
    test, agrees = facts_of_test(risk, verdict, n_sealed, headline, absolute, alike)
    sentences = verdict.sentences(ranking_sentence(ground, verdict, kin)) + test["sentences"]
    sentences += said_beside(risk, headline if n_sealed else [], absolute, sentences, kin)
    if asked["refit"] and n_sealed:
        sentences.append(say("refit"))
    if threshold is not None and threshold["applied"] is not None:
        sentences.append(threshold_sentence(threshold))
    conditions = conditions_of(ground, asked["weight"], risk, told, kin)
    classes = [] if seen.classes is None else [str(c) for c in seen.classes.tolist()]
    codes = cells.target.codes
    by_class = [] if codes is None else np.bincount(codes[cells.train], minlength=len(classes)).tolist()
    facts: dict[str, Any] = {
        "task": seen.task, "target": list(seen.targets), "classes": classes,
        "class_counts": dict(zip(classes, by_class, strict=True)),
        "rare": {"labels": list(cells.target.rare), "joined": cells.target.joined}, "loss": chosen.risk.loss,
        "settings": {k: v for k, v in asked.items() if k != "predictors"} | {"predictors": asked["predictors"]},
        "rows": {"read": seen.n_read, "training": n_training, "sealed": n_sealed, "dropped": seen.n_read - n_training - n_sealed},
        "columns": seen.columns, "notes": list(seen.notes),
        "leaderboard": [line_of(e, i, verdict) for i, e in enumerate(verdict.entries)],
        "dropped": [{"name": name, "why": why} for name, why in contest.dropped],
        "chosen": chosen_facts(chosen, predictor) | {"by_brier": verdict.by_brier}, "verdict": sentences,
        "optimism": {
            "value": verdict.optimism.value, "by_folds": verdict.optimism.tibshirani, "draws": verdict.optimism.draws,
            "corrected": verdict.corrected,
        },
        "test": {**(figure(risk) or {}), "agrees": agrees, "sentence": " ".join(test["sentences"]), "beside": test["beside"]},
        "conclusive": verdict.beats_baseline and agrees is not False,
        "curves": {e.candidate.key: curve_of(e) for e in verdict.entries if e.curve.parameter is not None},
        "how": how_sentences(asked, conditions), "conditions": conditions,
        "redo": redo("learn", asked, seen.targets),
    }  # fmt: skip
    facts |= merit | {"headline": headline}
    rows, told = (sealed, told) if len(sealed[1]) >= 20 else (training, told_of_training(ground))
    facts["uses"] = attempt(
        lambda: uses_of(predictor, rows, ground.asked.loss, asked["seed"], asked["level"], kin, told)
    )
    if facts["uses"] is not None:
        alone = cells.alone and not sentence(kin)  # a mere doubt leaves them their intervals
        facts["uses"]["coefficients"] = coefficients_of(predictor, training, asked["level"], alone)
        facts["uses"]["together"] = not alone
    leaned = [item["column"] for item in (facts["uses"] or {"items": []})["items"]]
    facts["effects"] = attempt(lambda: effects_of(ground, chosen, predictor, leaned, asked["level"]))
    facts["rules"] = rules_of(predictor)
    facts["threshold"] = threshold
    facts["learning_curve"] = attempt(lambda: curve_of_sizes(chosen, ground))
    facts["seconds"] = clock.perf_counter() - begin
    return plain(facts)


def threshold_sentence(found: dict[str, Any]) -> str:
    """Say by which probability the predictor decides, or by which two, and what that spares."""
    saves = plus_minus(found["saves"], found["saves_stderr"])
    if found["pair"] is None:
        t, expected = percent(found["applied"]), percent(found["expected"])
        return say("threshold_chosen", label=found["label"], t=t, expected=expected, saves=saves)
    low, high = (percent(t) for t in found["pair"])
    key = "threshold_never" if low == high else "threshold_pair"
    return say(key, label=found["label"], other=found["other"], low=low, high=high, saves=saves)


def line_of(entry: Entry, i: int, verdict: Verdict) -> dict[str, Any]:
    """Return one line of the leaderboard."""
    gap = verdict.gaps[i]
    bar = entry.sure.stderr if entry.sure.stderr > 1e-12 * abs(entry.risk.value) else 0.0  # rounding is no spread
    low, high = entry.sure.interval if entry.sure.has_bar else (None, None)
    return {
        "key": entry.candidate.key, "name": entry.name, "value": entry.risk.value, "stderr": bar, "low": low,
        "high": high, "level": entry.sure.level, "interval": interval_of(entry), "dof": entry.dof,
        "seconds": entry.seconds, "parameter": entry.curve.parameter, "chosen_value": entry.value,
        "difference": 0.0 if gap is None else gap.value, "difference_stderr": 0.0 if gap is None else gap.stderr,
        "p_value": float(verdict.p_values[i]), "mark": verdict.mark(i), "chosen": i == verdict.chosen,
        "caution": entry.sure.caution, "kin": entry.sure.kin,
    }  # fmt: skip


def chosen_facts(entry: Entry, predictor: Predictor) -> dict[str, Any]:
    """Return what the chosen predictor is."""
    last = last_step(predictor.model)
    parameters = {
        k: v for k, v in last.get_params(deep=False).items() if v is None or isinstance(v, bool | int | float | str)
    }
    return {
        "key": entry.candidate.key, "name": entry.name, "class": type(last).__name__, "parameter": entry.curve.parameter,
        "value": entry.value, "parameters": parameters,
    }  # fmt: skip


def curve_of(entry: Entry) -> dict[str, Any]:
    """Return the complexity curve of an entry."""
    c: Curve = entry.curve
    parts = {part: getattr(c, part) for part in ("parameter", "values", "dof", "train", "cv", "stderr", "best")}
    return {"name": entry.name, **parts, "chosen": c.best, "at_edge": c.at_edge}


def uses_of(
    predictor: Predictor, rows: Rows, loss: Any, seed: int, level: float = 0.95, kin: Dependence | None = None,
    told: Told | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Return how much the error rises where a column is shuffled on rows held out, by what was ``told`` of them and their ``kin``."""
    X, y, w = rows
    rng = np.random.default_rng(seed)
    times = SHUFFLES * min(len(predictor.encoder.encoded_columns), MOST_SHUFFLED)
    some = np.sort(rng.permutation(len(y))[: looked_rows(predictor.model, times)])
    X, y, w = X[some], y[some], None if w is None else w[some]
    told, longer = (Told() if told is None else told).of(some), 1.0 if kin is None else float(np.sqrt(kin.effect))
    base = losses_of(predictor.model, X, y, loss, w)[0]
    size = float(np.abs(base).max(initial=0.0))
    together = loss.rowwise and SHUFFLES * X.size <= SHUFFLED_CELLS
    mixed = X.copy()

    def rise_of(job: tuple[list[int], list[np.ndarray]]) -> Vector:
        """Return by how much the loss of each row rises, the mean of some shuffles: asked about in one call where they are small."""
        places, orders = job
        if together:
            many = np.tile(X, (SHUFFLES, 1))
            many[:, places] = X[np.concatenate(orders)][:, places]
            weights = None if w is None else np.tile(w, SHUFFLES)
            losses = losses_of(predictor.model, many, np.concatenate([y] * SHUFFLES), loss, weights)[0]
            return losses.reshape(SHUFFLES, len(y)).mean(axis=0) - base
        rise = np.zeros(len(y))
        for order in orders:
            mixed[:, places] = X[order][:, places]
            rise += losses_of(predictor.model, mixed, y, loss, w)[0] - base
        mixed[:, places] = X[:, places]
        return rise / SHUFFLES

    groups = promising(predictor, X)
    jobs = ((places, [rng.permutation(len(y)) for _ in range(SHUFFLES)]) for places in groups.values())
    items = []
    for name, rise in zip(groups, in_order(rise_of, jobs) if together else map(rise_of, jobs), strict=True):
        each = told.units(np.where(np.abs(rise) > NONE * size, rise, 0.0), w)  # what rounding moves is no use
        many, dof = each.independent()
        value, bar = each.mean, longer * each.spread()[0] / float(np.sqrt(many))
        low, high = t_interval(value, bar, max(dof, 1.0), level)
        items.append({"column": name, "value": value, "stderr": bar, "low": low, "high": high})
    items.sort(key=lambda item: -float(item["value"]))  # type: ignore[arg-type]
    return {"how": "importance", "items": items, "caution": "" if kin is None else sentence(kin)}


def looked_rows(model: Any, times: int) -> int:
    """Return on how many rows a model is asked ``times`` over: fewer where each is compared with all that it learned from."""
    last = last_step(model)
    members = [last]
    if isinstance(last, Combination):
        members = [m for m, weight in zip(last.estimators_, last.weights_) if weight > 0]
    compared = max((m.n_samples_fit_ for m in map(last_step, members) if isinstance(m, Compares)), default=0)
    return int(np.clip(COMPARED // max(times * compared, 1), FEWEST_LOOKED, LOOKED_ROWS))


def promising(predictor: Predictor, X: Matrix) -> dict[str, list[int]]:
    """Return the columns to be shuffled with their encoded places: all of them, or of very many those that go most with the predictions."""
    groups = {name: list(places) for name, places in predictor.encoder.encoded_columns.items()}
    if len(groups) <= MOST_SHUFFLED:
        return groups
    said = predictor.model.predict_proba(X) if predictor.has_probabilities else predictor.model.predict(X)
    if predictor.task == "classification" and not predictor.has_probabilities:
        said = np.searchsorted(predictor.classes_, said)
    F = np.asarray(said, dtype=float).reshape(len(X), -1)
    F, Z = F - F.mean(axis=0), X - X.mean(axis=0)
    size = np.sqrt((Z**2).sum(axis=0))
    near = np.abs(Z.T @ F).max(axis=1) / np.where(size > 0, size, np.inf)
    order = sorted(groups, key=lambda name: -max((near[j] for j in groups[name]), default=0.0))
    kept = set(order[:MOST_SHUFFLED])
    return {name: places for name, places in groups.items() if name in kept}


def coefficients_of(predictor: Predictor, rows: Rows, level: float, alone: bool = True) -> list[dict[str, Any]]:
    """Return what a standard deviation more of each encoded column changes, for a linear predictor; largest first.

    ``per_unit`` is what one more in the unit of the table changes. Intervals are those of the estimator, where it has them, the columns
    determine their coefficients, and rows stand ``alone``, as it supposes.
    """
    X, _, w = rows
    last = last_step(predictor.model)
    coef = np.atleast_2d(last.coef_) if isinstance(last, LinearPredictor) else np.empty((0, 0))
    names = predictor.encoder.get_feature_names_out().tolist()
    if coef.shape != (1, len(names)):  # products of inputs, several classes or targets
        return []
    centre = np.average(X, axis=0, weights=w)
    scales = [step.scale_ for _, step in predictor.model.steps[:-1] if isinstance(step, StandardScaler)]
    scaled = len(predictor.model.steps) > 1
    spread = np.ones(len(names)) if scaled else np.sqrt(np.average((X - centre) ** 2, axis=0, weights=w))
    unit = np.prod(scales, axis=0) if scales else spread  # of the table, in what ``value`` is for
    bars = np.full(len(names), np.nan)  # None on the card
    if alone and isinstance(last, CoefficientCovariance) and last.rank_ == len(names):
        bars = np.sqrt(np.diagonal(last.coef_covariance_)) * spread
    items = []
    for j, name in enumerate(names):
        value = float(coef[0, j] * spread[j])
        bar, step = float(bars[j]), float(unit[j]) if unit[j] > 0 else np.nan
        low, high = t_interval(value, bar, max(len(X) - len(names) - 1, 1), level) if bar >= 0 else (np.nan, np.nan)
        items.append({
            "column": name, "value": value, "stderr": bar, "low": low, "high": high,
            "per_unit": value / step if step > 0 else 0.0, "unit_low": low / step, "unit_high": high / step,
        })  # fmt: skip
    return sorted(items, key=lambda item: -abs(item["value"]))


def rules_of(predictor: Predictor) -> list[str]:
    """Return a chosen tree as sentences, one a leaf, where it can be read: it has the columns of the table, and few leaves."""
    last = last_step(predictor.model)
    if not isinstance(last, DecisionTree) or last.get_n_leaves() > READABLE_LEAVES:
        return []
    named = copy(last)
    named.feature_names_in_ = predictor.encoder.get_feature_names_out()
    return [str(rule) for rule in named.rules()]


def curve_of_sizes(chosen: Entry, ground: Ground) -> dict[str, Any] | None:
    """Return the learning curve of a predictor on sums, with what twice the rows would bring."""
    s, cells = ground.setting, ground.cells
    on_sums = isinstance(chosen.route, MomentRoute) and ground.at_hand
    if not on_sums or not chosen.candidate.trial.closed or cells.forward or s.costs is not None or s.n > CURVE_ROWS:
        return None
    found = curve_on(
        chosen.route, sizes=6, folds=cells.folds, groups=cells.groups, random_state=s.seed, level=ground.level,
        copies=cells.copies,
    )  # fmt: skip
    then = attempt(lambda: found.extrapolate(2 * s.n))
    return {
        "sizes": found.sizes, "test": found.test, "train": found.train, "stderr": found.stderr,
        "then": None if then is None else {"rows": 2 * s.n, "error": float(then), "stderr": getattr(then, "stderr", None)},
    }  # fmt: skip


def how_sentences(asked: dict[str, Any], conditions: list[str]) -> list[str]:
    """Say how the figures were computed, and what they rest on."""
    keys = ["how_complexity", "how_intervals", "how_differences", *(["how_test"] if asked["test_size"] else [])]
    first = [say("how_forward" if asked["time"] else "how_cv", folds=asked["folds"], repeats=asked["repeats"])]
    return [*first, *conditions, *map(say, keys)]
