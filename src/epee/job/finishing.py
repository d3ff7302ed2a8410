"""The chosen predictor of all training rows, and its error on the sealed ones."""

from __future__ import annotations

from copy import copy
from dataclasses import replace

import numpy as np
from sklearn.pipeline import Pipeline

from epee.decision.bayes_decision import BayesDecision
from epee.job.contest import Entry
from epee.job.ground import Ground
from epee.job.holding import take
from epee.job.looking import learn_means
from epee.losses.loss import Loss
from epee.moments.affine import Affine
from epee.moments.moments import Moments, stack
from epee.risk.estimate import Risk
from epee.risk.holdout import holdout_error
from epee.risk.intervals import t_interval, wilson, within_range
from epee.risk.linear_stack import Mapped
from epee.risk.refit import weight_keywords
from epee.risk.route import MomentRoute
from epee.risk.steps import fitted_pipeline
from epee.risk.verdict import Verdict
from epee.table.encoder import TableEncoder


def final_model(ground: Ground, entry: Entry) -> Pipeline:
    """Return the pipeline of encoded rows, fitted on all training rows."""
    return final_parts(ground, entry)[1]


def final_parts(ground: Ground, entry: Entry, everything: bool = False) -> tuple[TableEncoder, Pipeline]:
    """Return the encoder and the pipeline behind it; with ``everything`` they learn from the sealed rows too."""
    encoder = ground.hand.encoder
    if isinstance(entry.route, MomentRoute) and not (everything and ground.at_hand):
        m = _whole(ground, entry.route, everything)
        if everything:
            encoder = copy(encoder).fit_mean(_merged(m).mean[: m.p] - (encoder.centre_ if ground.hand.plain else 0.0))
        model = _from_sums(ground, entry, m, everything)
    else:
        rows = np.sort(np.concatenate([ground.hand.train, ground.hand.sealed])) if everything else ground.hand.train
        if everything:
            encoder = copy(encoder)
            learn_means(encoder, take(ground.hand.raw, rows), ground.hand.weights(rows))
        model = entry.candidate.model(replace(ground.setting, holes=False), entry.value)
        w = ground.hand.weights(rows)
        X = encoder.encode(take(ground.hand.raw, rows))
        model.fit(X, ground.hand.y[rows], **(dict.fromkeys(weight_keywords(model), w) if w is not None else {}))
    if ground.asked.costs is not None:
        name, last = model.steps[-1]
        model = Pipeline([*model.steps[:-1], (name, BayesDecision.around(last, costs=ground.asked.costs))])
    return encoder, model


def _whole(ground: Ground, route: MomentRoute, everything: bool) -> Moments:
    """Return the moments of all training rows, or of all rows."""
    m = route.moments(ground.split.cell, ground.split.n_cells)
    members = np.ones((1, ground.split.n_cells)) if everything else ground.split.learns[-1:]
    return m.regroup("fold", members).at("fold", 0)


def _merged(m: Moments) -> Moments:
    return m.merge("group") if "group" in m.axes else m


def _from_sums(ground: Ground, entry: Entry, m: Moments, everything: bool) -> Pipeline:
    """Return the pipeline solved from moments: its scaler too; an estimator that refines goes back to the rows."""
    route: MomentRoute = entry.route
    encoded = m
    if route.encoder is not None:
        encoded = Affine(*route.encoder.fill_map(_merged(m))).inputs(m.targets).of(m)
    split = ground.split
    learns = np.ones((1, split.n_cells), dtype=bool) if everything else split.learns[-1:]
    alone = replace(split, learns=learns, tested_by=np.full_like(split.tested_by, -1))
    train, before = route.mapped(stack([m]))
    fitted = route.solve_each(train, alone, before)[0]
    return fitted_pipeline(route.steps.affine, _merged(encoded), fitted.model if isinstance(fitted, Mapped) else fitted)


def sealed_risk(ground: Ground, entry: Entry, model: Pipeline, verdict: Verdict) -> Risk:
    """Return the error on the sealed rows; without any, that of the cross-validation corrected for the choice."""
    hand, level = ground.hand, ground.level
    if not len(ground.cells.sealed):
        sure, shift = entry.sure, verdict.optimism.value
        ends = type(sure.interval)(sure.low + shift, sure.high + shift)
        return Risk(
            sure.value + shift, sure.stderr, ends, level, sure.n, sure.loss, f"{sure.how}, corrected for the choice"
        )
    if entry.sealed is None:
        loss = ground.asked.loss if ground.asked.costs is not None else None
        rows = hand.sealed
        return holdout_error(
            model, hand.encoded(rows), hand.y[rows], loss=loss, level=level, sample_weight=hand.weights(rows)
        )
    return _from_parts(entry.sealed, ground.asked.loss, level)


def _from_parts(sums: np.ndarray, loss: Loss, level: float) -> Risk:
    """Return the risk of sealed rows that passed by, from the sums (weight, loss, loss²) of their parts."""
    weight, total, squares = sums
    n, means = float(weight.sum()), total / np.maximum(weight, 1e-300)
    value = float(total.sum() / n)
    if loss.is_rate:
        bar = float(np.sqrt(value * (1 - value) / n))
        return Risk(value, bar, wilson(value, n, level), level, n, loss.name, "held-out rows", n - 1)
    if loss.kind == "value":  # moments tell the mean of each part, not the spread within
        k = len(means)
        bar = float(means.std(ddof=1) / np.sqrt(k))
        ends, how = within_range(t_interval(value, bar, k - 1, level), loss), f"held-out rows in {k} parts"
        return Risk(value, bar, ends, level, n, loss.name, how, k - 1)
    bar = float(np.sqrt(max(float(squares.sum() / n) - value**2, 0.0) / max(n - 1, 1.0)))
    return Risk(
        value,
        bar,
        within_range(t_interval(value, bar, n - 1, level), loss),
        level,
        n,
        loss.name,
        "held-out rows",
        n - 1,
    )
