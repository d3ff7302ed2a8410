"""The chosen predictor of all training rows, and its error on the sealed ones."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from functools import partial

import numpy as np
from sklearn.pipeline import Pipeline

from epee.decision.bayes_decision import BayesDecision
from epee.job.contest import Entry
from epee.job.filling import FillMissing
from epee.job.ground import Ground
from epee.job.holding import take
from epee.job.levels import WithoutCodes
from epee.job.looking import learn_means
from epee.job.told import told_of_sealed
from epee.losses.loss import Loss
from epee.moments.affine import Affine
from epee.moments.moments import Moments, stack
from epee.predictors.ensembles.combination import Combination
from epee.risk.estimate import Risk
from epee.risk.holdout import holdout_error
from epee.risk.intervals import Interval, within_range
from epee.risk.linear_stack import Mapped
from epee.risk.mean_loss import summary_interval
from epee.risk.rates import rate_interval
from epee.risk.refit import weight_keywords
from epee.risk.route import MomentRoute
from epee.risk.steps import fitted_pipeline
from epee.risk.verdict import Verdict
from epee.table.encoder import TableEncoder
from epee.words import risk_words
from epee.words.job_words import say


def final_parts(
    ground: Ground, entry: Entry, everything: bool = False, decides: bool = True
) -> tuple[TableEncoder, Pipeline]:
    """Return the encoder and the pipeline behind it; with ``everything`` they learn from the sealed rows too.

    The encoder of those who must see rows leaves missing cells as they are: the pipeline fills them, or takes them. ``decides``
    puts the decision of least cost behind it, where there are costs.
    """
    encoder = ground.hand.encoder
    if entry.members:
        return _combined(ground, entry, everything)
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
        s = ground.setting if entry.candidate.reads_codes else replace(ground.setting, codes=())
        model = entry.candidate.model(s, entry.value, last=True)
        encoder = encoder.holed() if s.holes else encoder
        encoder = encoder.coded() if s.codes else encoder
        known = None if everything else entry.route.fitted
        if known is not None and same_parameters(known, model):
            return encoder, _deciding(ground, known) if decides else known
        w = ground.hand.weights(rows)
        X = encoder.encode(take(ground.hand.raw, rows))
        model.fit(X, ground.hand.y[rows], **(dict.fromkeys(weight_keywords(model), w) if w is not None else {}))
    return encoder, _deciding(ground, model) if decides else model


def same_parameters(a: Pipeline, b: Pipeline) -> bool:
    """Tell whether two pipelines were made alike, whatever they have learned."""

    def told(model: Pipeline) -> list[tuple[str, str]]:
        every = model.get_params()
        return sorted((k, repr(v)) for k, v in every.items() if k != "steps" and not hasattr(v, "fit"))

    return [type(step) for _, step in a.steps] == [type(step) for _, step in b.steps] and told(a) == told(b)


def _deciding(ground: Ground, model: Pipeline) -> Pipeline:
    """Return a pipeline whose last step decides by the costs, where there are any."""
    if ground.asked.costs is None:
        return model
    name, last = model.steps[-1]
    return Pipeline([*model.steps[:-1], (name, BayesDecision.around(last, costs=ground.asked.costs))])


def _combined(ground: Ground, entry: Entry, everything: bool) -> tuple[TableEncoder, Pipeline]:
    """Return the weighted mean of its members, each fitted on all training rows; cells stay missing for those who take them."""
    parts = [final_parts(ground, member, everything, decides=False) for member, _ in entry.members]
    encoder, models = parts[0][0], [model for _, model in parts]
    if ground.setting.holes:
        encoder = encoder.holed()
        models = [model if np.isnan(own.fill_).any() else _filling(model, own) for own, model in parts]
    codes = ground.setting.codes
    if codes and any(member.candidate.reads_codes for member, _ in entry.members):
        encoder = encoder.coded()
        front = ("codes", WithoutCodes.of(list(codes), len(encoder.get_feature_names_out())))
        told = [member.candidate.reads_codes for member, _ in entry.members]
        models = [m if own else Pipeline([front, *m.steps]) for m, own in zip(models, told, strict=True)]
    mixed = Combination.around(models, [weight for _, weight in entry.members])
    return encoder, _deciding(ground, Pipeline([("step0", mixed)]))


def _filling(model: Pipeline, encoder: TableEncoder) -> Pipeline:
    """Return a pipeline that fills missing cells as an encoder does, for a model that expects them filled."""
    return Pipeline([("fill", FillMissing.by(encoder.empty_row)), *model.steps])


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
        encoded = Affine.encoding(route.encoder, _merged(m)).of(m)
    split = ground.split
    learns = np.ones((1, split.n_cells), dtype=bool) if everything else split.learns[-1:]
    alone = replace(split, learns=learns, tested_by=np.full_like(split.tested_by, -1))
    train, before = route.mapped(stack([m]))
    fitted = route.solve_each(train, alone, before)[0]
    return fitted_pipeline(route.steps.affine, _merged(encoded), fitted.model if isinstance(fitted, Mapped) else fitted)


def sealed_risk(ground: Ground, entry: Entry, model: Pipeline, verdict: Verdict, turned: bool = False) -> Risk:
    """Return the error on the sealed rows; without any, that of the cross-validation corrected for the choice.

    A decision that was ``turned`` since the rows passed by is tested on those at hand.
    """
    hand, level = ground.hand, ground.level
    if not len(ground.cells.sealed):
        near = ground.at_hand and not (entry.nested or ground.cells.forward)
        return corrected(entry.sure, verdict.optimism.value, say("approximate_risk") if near else "")
    if entry.sealed is None or turned:
        loss = ground.asked.loss
        rows = hand.sealed
        beside = told_of_sealed(ground).beside
        return holdout_error(
            model, hand.encoded(rows), hand.y[rows], loss=loss, level=level, sample_weight=hand.weights(rows), **beside
        )
    alone = ground.cells.sealed_groups is None and ground.cells.sealed_time is None
    return from_parts(entry.sealed, ground.asked.loss, level, ground.unit, alone)


def corrected(risk: Risk, shift: float, caution: str = "") -> Risk:
    """Return a cross-validated error with the winner's optimism added, and a caution beside its own."""

    def ends_at(level: float) -> Interval:
        low, high = risk.at(level).interval
        return within_range(Interval(low + shift, high + shift), risk.loss)

    value = within_range(Interval(risk.value + shift, risk.value + shift), risk.loss).low
    return Risk(
        value, risk.stderr, ends_at(risk.level), risk.level, risk.n, risk.loss, f"{risk.how}, corrected for the choice",
        caution=f"{risk.caution} {caution}".strip(), kin=risk.kin, ends_at=ends_at,
    )  # fmt: skip


def from_parts(sums: np.ndarray, loss: Loss, level: float, unit: float = 1.0, alone: bool = True) -> Risk:
    """Return the risk of sealed rows that passed by, from the sums (weight, loss, loss²) of their parts.

    A unit of weight is worth ``unit`` rows. Where each row stands ``alone`` a rate has the interval of its rows, and squares tell the
    spread of other losses of labels. Moments tell the mean of each part of a regression, not the spread within, and rows of one group or
    of one stretch of time share what they are: then the parts are the units.
    """
    weight, total, squares = sums[:, sums[0] > 0]
    whole, k = float(weight.sum()), len(weight)
    value, n = float(total.sum() / whole), whole * unit
    rowwise = alone and loss.kind != "value"
    if rowwise:
        spread = max(float(squares.sum() / whole) - value**2, 0.0)
        bar, dof, how = float(np.sqrt(spread / (n if loss.is_rate else max(n - 1, 1.0)))), n - 1, "held-out rows"
    else:
        apart = float(np.sum((total - value * weight) ** 2))
        bar, dof = float(np.sqrt(apart * k / max(k - 1, 1))) / whole, max(k - 1.0, 1.0)
        how = f"held-out rows in {k} parts"
    rated = alone and loss.is_rate
    ends_at = partial(rate_interval, value, n) if rated else partial(summary_interval, value, bar, dof, n, loss)
    told = (rowwise or k > 1) and (rated or bar > 0)
    caution = "" if told else risk_words.say("caution flat" if rowwise or k > 1 else "caution one")
    return Risk(value, bar, ends_at(level), level, n, loss.name, how, dof, caution=caution, ends_at=ends_at)
