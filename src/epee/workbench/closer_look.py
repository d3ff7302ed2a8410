"""A closer look at one predictor of the board, and at the rows behind a cell of the confusion table.

The sealed rows are never shown: what stands here are the training rows, each as predicted by a model that had not seen it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.estimator.protocol import LinearPredictor
from epee.job.card import plain
from epee.job.contest import Contest, Entry
from epee.job.facts import coefficients_of, curve_of, rules_of
from epee.job.finishing import final_parts
from epee.job.holding import take
from epee.job.predictor import Predictor, last_step
from epee.words.workbench_words import say
from epee.workbench.table_card import rows_at

MOST_CURVES, MOST_ROWS, POINTS = 12, 50, 60
MOST_COEFFICIENTS = 25
MOST_CLASSES = 12  # of a confusion table that fits a page


def look_at(contest: Contest, entry: Entry, predictor: Predictor, chosen: bool) -> dict[str, Any]:
    """Return what there is to see of a predictor: its curve, and its coefficients, rules or splines."""
    ground = contest.ground
    if not chosen:
        predictor = Predictor(predictor.task, predictor.targets, *final_parts(ground, entry))
    last, names = last_step(predictor.model), predictor.encoder.get_feature_names_out().tolist()
    rows = ground.hand.train
    X = predictor.encode(take(ground.hand.raw, rows))  # by its own encoder
    training = (X, ground.hand.y[rows], ground.hand.weights(rows))
    curve = None if entry.curve.parameter is None or len(entry.curve.values) < 2 else curve_of(entry)
    found: dict[str, Any] = {
        "key": entry.candidate.key, "name": entry.name, "class": type(last).__name__, "dof": entry.dof, "loss": entry.risk.loss,
        "parameter": entry.curve.parameter, "value": entry.value, "seconds": entry.seconds, "curve": curve,
        "coefficients": coefficients_of(predictor, training, ground.level, ground.cells.alone)[:MOST_COEFFICIENTS],
        "several": several_of(predictor, last, names), "rules": rules_of(predictor),
        "splines": splines_of(predictor, last, names, X),
    }  # fmt: skip
    return plain(found)


def several_of(predictor: Predictor, last: Any, names: list[str]) -> dict[str, Any] | None:
    """Return the coefficients of each class or target, where there are several; the largest first."""
    coef = np.atleast_2d(last.coef_) if isinstance(last, LinearPredictor) else np.empty((0, 0))
    if coef.shape[0] < 2 or coef.shape[1] != len(names):
        return None
    order = np.argsort(-np.abs(coef).max(axis=0), kind="stable")[:MOST_COEFFICIENTS]
    heads = predictor.classes_.tolist() if predictor.task == "classification" else list(predictor.targets)
    return {"heads": [str(h) for h in heads], "rows": [[names[j], *coef[:, j].tolist()] for j in order]}


def splines_of(predictor: Predictor, last: Any, names: list[str], X: np.ndarray) -> list[dict[str, Any]]:
    """Return the curve of each column of a sum of splines, those that move the prediction most first."""
    if not hasattr(last, "curves") or getattr(last, "n_features_in_", None) != len(names):
        return []
    places = np.linspace(0, 1, POINTS)
    grid = np.quantile(X, places, axis=0)
    Z = grid
    for _, step in predictor.model.steps[:-1]:
        Z = step.transform(Z)
    heights = last.curves(Z)
    order = np.argsort(-np.ptp(heights, axis=0), kind="stable")[:MOST_CURVES]
    return [{"column": names[j], "x": grid[:, j], "y": heights[:, j]} for j in order if np.ptp(grid[:, j]) > 0]


def held_out(contest: Contest, entry: Entry) -> dict[str, Any] | None:
    """Return how often each class was taken for each, on training rows that the model had not seen."""
    found = _decisions(contest, entry)
    if found is None:
        return None
    truth, said, labels, decided = found
    if len(labels) > MOST_CLASSES:
        return None
    counts = np.zeros((len(labels), len(decided)), dtype=int)
    np.add.at(counts, (truth[said >= 0], said[said >= 0]), 1)
    return plain({"labels": labels, "decided": decided, "counts": counts, "rows": int(counts.sum())})


def rows_of_cell(contest: Contest, entry: Entry, true: int, decided: int) -> dict[str, Any]:
    """Return the rows of one cell of the table of :func:`held_out`."""
    found = _decisions(contest, entry)
    assert found is not None
    truth, said, labels, names = found
    hand = contest.ground.hand
    places = hand.train[hand.looked][np.flatnonzero((truth == true) & (said == decided))]
    shown = places[:MOST_ROWS]
    numbers = np.flatnonzero(contest.ground.cells.cell >= 0)[shown] + 1 if hand.whole else None
    return plain({
        "true": labels[true], "decided": names[decided], "count": len(places), "names": list(hand.raw.columns),
        "rows": rows_at(hand.raw, shown), "numbers": numbers,
    })  # fmt: skip


def _decisions(contest: Contest, entry: Entry) -> tuple[np.ndarray, np.ndarray, list[str], list[str]] | None:
    """Return the codes of truth and decision of the rows that were looked at, held out, and what the codes stand for."""
    ground = contest.ground
    classes = ground.asked.classes
    if classes is None or ground.asked.loss.needs not in ("labels", "probabilities"):
        return None
    said = np.asarray(entry.outcome.predictions[0])
    if said.ndim > 1:  # probabilities
        gone = ~np.isfinite(said).all(axis=1)
        said = np.where(gone, -1, np.argmax(np.where(np.isfinite(said), said, 0.0), axis=1))
    labels = [str(c) for c in classes.tolist()]
    decided = (
        [*labels, say("rejected")]
        if ground.asked.costs is not None and len(ground.asked.costs) > len(labels)
        else labels
    )
    return ground.truth[ground.hand.looked], said.astype(int), labels, decided
