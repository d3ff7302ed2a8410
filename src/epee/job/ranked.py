"""Do the inputs rank the classes, where no predictor makes fewer errors than the baseline?

Of a rare class no row may be likely enough to be decided for, and yet some are far likelier than others: the error rate is blind to that.
So before the inputs are doubted, the area under the ROC curve of rows held out is looked at, fold by fold.
"""

from __future__ import annotations

import numpy as np

from epee.errors import DataError, WrongUse
from epee.estimator.protocol import gives_probabilities
from epee.job.ground import Ground
from epee.job.told import told_of_training
from epee.losses.ordering import Ranking
from epee.risk.dependence import Dependence
from epee.risk.ranking import area_interval
from epee.risk.verdict import Verdict
from epee.words.job_words import say
from epee.words.numbers import inside, interval


def ranking_sentence(ground: Ground, verdict: Verdict, kin: Dependence | None = None) -> str:
    """Say that the inputs rank the classes, where the interval of the area lies above one half; else nothing.

    The interval is that of the groups, of the rows in time, or of rows that are ``kin``.
    """
    if ground.asked.classes is None or verdict.beats_baseline or not ground.asked.loss.rowwise:
        return ""
    others = [
        e for i, e in enumerate(verdict.entries)
        if i != verdict.baseline and not e.members and gives_probabilities(e.candidate.make(ground.setting)[-1])
    ]  # fmt: skip
    if not others:
        return ""
    best = min(others, key=lambda e: e.risk.value)
    try:
        P = ground.probabilities(best.route)
    except (DataError, WrongUse, np.linalg.LinAlgError):
        return ""
    fold, truth = ground.split.tested_by[0, ground.hand.looked_cell], ground.truth[ground.hand.looked]
    weight, parts = ground.hand.looked_weight, np.full(len(truth), np.nan)
    for f in np.unique(fold):
        rows = np.flatnonzero((fold == f) & np.isfinite(P).all(axis=1))
        if len(np.unique(truth[rows])) > 1:
            scores = P[rows, 1] if P.shape[1] == 2 else P[rows]
            parts[rows] = Ranking().weighed(scores, truth[rows], weight[rows])
    seen = np.isfinite(parts)
    if not seen.any():
        return ""
    told = told_of_training(ground).of(ground.hand.looked).of(seen)
    units = told.units(parts[seen], ground.hand.weights(ground.hand.train[ground.hand.looked[seen]]))
    many, dof = units.independent()
    area, stderr = 1 - units.mean, units.spread()[0] / float(np.sqrt(many))
    stderr *= 1.0 if kin is None else float(np.sqrt(kin.effect))
    few = min(told.members(truth[seen] == k) for k in np.unique(truth[seen]))
    rest = max(told.members(np.ones(int(seen.sum()), dtype=bool)) - few, 1)
    ends = area_interval(area, stderr, max(min(few - 1.0, dof), 1.0), float(few), float(rest), ground.level)
    if not ends.low > 0.5:
        return ""
    *flags, last = judges(ground)
    return say(
        "ranked", name=best.name, area=inside(area, *ends), span=interval(*ends), flags=", ".join(flags), last=last
    )


def judges(ground: Ground) -> list[str]:
    """Return what may be asked for in place of what was: by what rows are ranked, how likely they are, what errors cost."""
    own = "--costs" if ground.asked.costs is not None else f"--loss {ground.asked.loss.name}"
    return [flag for flag in ("--loss auc", "--loss log", "--costs") if flag != own]
