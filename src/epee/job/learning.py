r"""The main job: from a table to the predictor that generalises best, and how sure one can be.

1. The columns of the table are understood, and said aloud (:mod:`epee.job.understanding`).
2. A test sample is sealed (:mod:`epee.job.sealing`).
3. The predictors of the hierarchy, each at its own complexity, meet on the same folds (:mod:`epee.job.contest`).
4. The simplest that cannot be told from the best is chosen; its figure is corrected for the choice (:mod:`epee.risk.verdict`).
5. The sealed rows give its test error, once.

The road is the same for every table; how much of it is kept at hand is a matter of policy (:mod:`epee.job.policy`).
"""

from __future__ import annotations

import time as clock
import warnings
from collections.abc import Collection, Mapping
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from epee.engines.local import alone, one_blas_thread
from epee.errors import EpeeWarning, SearchWarning, TableWarning, WrongUse
from epee.estimator.protocol import gives_probabilities
from epee.job import policy
from epee.job.budgets import seconds_of
from epee.job.cells import Cells, assign_cells
from epee.job.choosing_again import nested_entries
from epee.job.contest import Contest, Entry
from epee.job.drift import tally
from epee.job.finishing import final_parts, sealed_risk
from epee.job.ground import Ground
from epee.job.hierarchy import Candidate, Setting, fits_loss, hierarchy
from epee.job.holding import hold, take
from epee.job.kin import kin_of, with_kin
from epee.job.kinds import settled
from epee.job.lags import settled_lags
from epee.job.learned import Learned
from epee.job.looking import Looked, look
from epee.job.merit import attempt
from epee.job.past import Past, make_lags
from epee.job.predictor import Predictor, last_step, residual_quantiles
from epee.job.reasons import KEPT_ROWS
from epee.job.sealing import check_seed
from epee.job.target_beside import with_target
from epee.job.thresholds import apply_threshold, threshold_facts
from epee.job.understanding import open_roles
from epee.kernels.background import expect
from epee.losses.names import resolve
from epee.risk.asked import Asked
from epee.risk.intervals import check_level
from epee.risk.route import MomentRoute
from epee.risk.splitting import FIRST_STRETCH, check_gap
from epee.risk.verdict import Verdict, ranks
from epee.risk.watching import marked
from epee.settings import options, progress
from epee.table.servers import without_password
from epee.typing import Vector
from epee.words.job_words import say
from epee.words.loss_words import mean_of
from epee.words.numbers import whole

SEVERAL = 10_000  # cells tested in repeats: small tables are repeated, large ones need not be
FEW_CELLS = 10_000  # of a table whose fits are Python's work: a second thread would wait for the first
LOOPS = (  # of the slowest candidates, in the order in which they come
    "forest.grow", "boosting_tree.grow_round", "boosting.bin_rows", "forest.reach", "boosting.walk", "network_pass.adam_pass",
)  # fmt: skip
REPEATED_COST = 8e8  # cells that all candidates may read in all repeats


def learn(
    table: Any, target: Any, *, test_size: float = 0.2, folds: int = 10, predictors: Any = None, costs: Any = None,
    reject_cost: float | None = None, weight: str | None = None, groups: str | None = None, time: str | None = None,
    lags: Any = None, rare: str = "leave", types: Mapping[str, str] | None = None, budget: Any = None, prefer: str = "balance",
    loss: Any = None, level: float = 0.95, lang: str | None = None, random_state: int = 0,
    refit: bool = False, mute: Collection[str] = (), gap: int = 0,
) -> Learned:  # fmt: skip
    """Learn the predictor that generalises best from a table, and say how sure one can be.

    Parameters
    ----------
    table : array, frame, path, folder, SQL query on files, stream of frames, or "-"
    target : str or list of str, or array
        The column to predict; several must all be numbers. Beside an array or a frame also the values themselves, as in ``fit(X, y)``.
    test_size : float in [0, 1), default=0.2
        Share of the rows sealed for the final test; a larger one tests better and learns worse.
    folds : int, default=10
        Folds of the cross-validation on the other rows.
    predictors : list or dict, default=None
        Keys of the hierarchy ("lda", "tree", ...), names of other libraries' classes ("lightgbm", "sklearn.svm:SVC(C=2)") or estimators of
        scikit-learn's kind; None, or "all" among them, is the whole hierarchy.
    costs : array (K, K) or (K + 1, K), path or frame, default=None
        ``costs[d, t]`` of deciding d when t is true; errors are then mean costs.
    reject_cost : float, default=None
        What it costs not to decide; a larger one rejects fewer rows.
    weight, groups, time : str, optional
        Columns: of weights (counts, or sampling weights), of groups that stay together, of times (the last rows are sealed).
    lags : int, list of int or dict, optional
        With ``time``, values some rows earlier as inputs: ``[1, 7]`` of the target, ``{"temp": [1]}`` of a column; of each series where
        ``groups`` tells several apart. See :mod:`epee.job.past` for what a new table then needs.
    rare : {"leave", "join"}, default="leave"
        What becomes of classes of fewer than three rows: they are left out, or joined to one class; with "join" so are those beyond the
        199 most frequent.
    types : dict, optional
        Kinds of columns, ``{"zip": "category", "id": "ignore"}``.
    budget : float or str, optional
        Seconds ("90s", "2min"): predictors for which there is no time are dropped whole, the most complex first, and named; a fit of
        another library that outlasts them is ended.
    prefer : {"simplicity", "balance", "accuracy"}, default="balance"
        Take the simplest predictor that cannot be told from the best, the same where it costs at most 2 % of the error, or the best itself.
        Of classifiers whose rates of errors cannot be told apart, the Brier score of the rows held out says which is best.
    loss : str or Loss, default=None
        What an error costs, in the contest, the choice and the test: "zero_one", "log", "brier" or "auc" (one minus the area under the
        ROC curve) for classes, "squared", "absolute", "quantile0.9", "poisson" and others for numbers. None is "zero_one" for
        classes and "squared" for numbers.
    level : float, default=0.95
        Confidence level of the intervals.
    lang : {"en", "fr"}, default=None
        Language of the sentences; None is that of ``epee.options``.
    random_state : int, default=0
        Seed of folds, sealed rows and random starts; the same gives the same result.
    refit : bool, default=False
        Let the predictor learn from the sealed rows too, once they have been used; the test error is then conservative.

    mute : collection of str, default=()
        Codes of findings that are not to be looked for, ``["E007"]``.
    gap : int, default=0
        With ``time``, moments between the last that a predictor learns from and the first that it is tested on, in the folds and before the
        sealed rows: as many as pass before a target is known, or as what is predicted lies ahead. Rows of the last gap are left out.

    Returns
    -------
    Learned

    References
    ----------
    Hastie, Tibshirani and Friedman, *The Elements of Statistical Learning*, chapter 7.

    Examples
    --------
    >>> import epee
    >>> learned = epee.learn(epee.samples.load("iris"), "species", predictors=["lda", "qda"])
    >>> learned.facts["chosen"]["name"]
    'linear discriminant'
    """
    check_level(level)
    begin = clock.perf_counter()
    check_seed(random_state)
    check_gap(gap, time)
    table, target = with_target(table, target)
    if not (isinstance(folds, int | np.integer) and folds >= 2):
        raise WrongUse(f"folds is {folds!r}; it must be a whole number of at least 2.")
    if prefer not in ("simplicity", "balance", "accuracy"):
        raise WrongUse(f"prefer is {prefer!r}; it must be 'simplicity', 'balance' or 'accuracy'.")
    if rare not in ("leave", "join"):
        raise WrongUse(f"rare is {rare!r}; it must be 'leave' or 'join'.")
    asked = {
        "table": without_password(str(table)) if isinstance(table, str | Path) else None,
        "test_size": test_size, "folds": int(folds), "level": level,
        "seed": int(random_state), "weight": weight, "groups": groups, "time": time,
        "lags": settled_lags(lags, [target] if isinstance(target, str) else list(target), time, gap) or None, "gap": int(gap),
        "rare": rare, "types": settled(types),
        "costs": str(costs) if isinstance(costs, str | Path) else None if costs is None else np.asarray(costs).tolist(),
        "loss": loss if loss is None or isinstance(loss, str) else resolve(loss).name,
        "reject_cost": reject_cost, "budget": seconds_of(budget), "prefer": prefer, "refit": bool(refit), "mute": list(mute),
        "predictors": None if predictors is None else [p if isinstance(p, str) else type(p).__name__ for p in predictors],
    }  # fmt: skip
    with options(language=lang or options.language), warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always", EpeeWarning)
        asked["lang"] = options.language
        with one_blas_thread():  # our threads share the rows; BLAS's own would spin between a thousand small solves
            learned = _start(table, target, asked, predictors, costs, loss, begin)
    ours = [warning for warning in heard if issubclass(warning.category, EpeeWarning)]
    learned.facts["notes"] += _overheard(ours, learned.facts["notes"])
    for other in heard:  # outside the block that records them: what is recorded would be heard for ever
        if other not in ours:
            warnings.warn_explicit(other.message, other.category, other.filename, other.lineno)
    return learned


def _overheard(heard: list[warnings.WarningMessage], notes: list[str]) -> list[str]:
    """Return what épée warned of the table or of a search as notes that are not among them yet.

    What estimators say of columns is left out: these are columns of the encoder, dependent by its design.
    """
    out: list[str] = []
    for warning in heard:
        text = str(warning.message)
        of_table = issubclass(warning.category, (TableWarning, SearchWarning))
        if of_table and not any(said.rstrip(".") in text for said in [*notes, *out]):
            out.append(text)
    return out


def _start(
    table: Any, target: Any, asked: dict[str, Any], predictors: Any, costs: Any, loss: Any, begin: float
) -> Learned:
    """Open the table, give each row its cell, and look at it: at hand where it is small, passing by where it is large."""
    if predictors is None:
        expect(LOOPS)
    source, roles = open_roles(table, target, asked["weight"], asked["groups"], asked["time"], asked["types"])
    source, held = hold(source, policy.POLICY)
    notes = list(source.notes)
    past = None
    if asked["lags"]:
        source, past = make_lags(source, roles, asked["lags"], notes)
    ranks = loss is not None and not resolve(loss).rowwise
    cells = assign_cells(source, roles, asked["types"], notes, asked, ranks=ranks, held=held)
    classes = cells.target.classes
    table_of_costs = cost_table(costs, asked["reject_cost"], classes)
    kind = "classifier" if classes is not None else "regressor"
    if loss is not None and table_of_costs is not None:
        raise WrongUse("costs are a loss of their own: give loss, or costs and reject_cost, not both.")
    wanted = resolve(loss if table_of_costs is None else cost_loss(table_of_costs, classes), kind)
    judged = Asked(wanted, kind, classes, len(roles["target"]) > 1, table_of_costs)
    types = asked["types"] if past is None else {**asked["types"], **past.types}
    looked = look(source, held, roles, types, notes, cells, judged, policy.POLICY, asked["seed"])
    with alone() if looked.hand.whole and looked.hand.cells <= FEW_CELLS else nullcontext():
        return _learn(looked, cells, judged, asked, predictors, begin, past)


def _learn(
    looked: Looked, cells: Cells, judged: Asked, asked: dict[str, Any], predictors: Any, begin: float, past: Past | None
) -> Learned:
    from epee.job.facts import facts_of
    from epee.job.findings import evidence_of, find

    seen, hand, seed = looked.seen, looked.hand, asked["seed"]
    if past is not None:
        past.describe(seen.columns)
    setting = _setting(looked, cells, judged, seed)
    candidates = list(hierarchy(setting, predictors))
    repeats = 1 if cells.forward or not hand.whole else repeats_for(setting, candidates)
    asked["asked_folds"], asked["folds"], asked["repeats"] = asked["folds"], cells.split.n_models, repeats
    ground = Ground(setting, judged, asked["level"], cells, hand, looked.rows, looked.split, repeats)
    contest = Contest(ground, asked["budget"], predictors is not None)
    entries = contest.run(candidates)
    if contest.stopped:  # what was not tried is not asked for when it is done again
        asked["predictors"] = [e.candidate.key for e in entries]
    _say_samples(looked, entries)
    _say_loss(looked, entries, setting)
    kin = kin_of(ground, entries)
    entries = with_kin(entries, kin)
    verdict = _verdict(entries, ground, asked)
    winner = entries[verdict.chosen]
    hand.encoder, model = final_parts(ground, winner)
    residuals = None if judged.classes is not None else residual_quantiles(_residuals(ground, winner))
    kept = hand.encoded(policy.POLICY.sample(hand.train, KEPT_ROWS, seed))
    predictor = Predictor(
        seen.task,
        seen.targets,
        hand.encoder,
        model,
        residuals,
        tally(hand.encoder.schema_, take(hand.raw, hand.train)),
        kept,
        past,
    )
    with progress(say("looking")) as tick:
        tick()
    threshold = attempt(lambda: threshold_facts(ground, winner, predictor, kin))
    turned = apply_threshold(model, threshold)
    risk = sealed_risk(ground, winner, model, verdict, turned)
    risk = risk if risk.kin or not len(cells.sealed) else marked(risk, kin)
    facts = facts_of(seen, asked, contest, verdict, predictor, risk, threshold, begin, kin)
    learned = Learned(predictor, risk, facts)
    learned.findings = find(evidence_of(seen, ground, verdict, predictor, risk, facts["uses"]), asked["mute"])
    learned.contest = verdict
    learned.sealed_rows, learned.training_rows = looked.sealed_prints, looked.training_prints
    if asked["refit"] and len(cells.sealed):
        parts = final_parts(ground, winner, everything=True)
        apply_threshold(parts[1], threshold)
        learned.predictor = Predictor(
            seen.task, seen.targets, *parts, residuals, tally(hand.encoder.schema_, hand.raw), kept, past
        )
        learned.training_rows = np.concatenate([learned.training_rows, learned.sealed_rows])
        learned.sealed_rows = learned.sealed_rows[:0]
    return learned


def _setting(looked: Looked, cells: Cells, judged: Asked, seed: int) -> Setting:
    """Return what the hierarchy needs to know of a table."""
    hand, n = looked.hand, len(cells.train)
    counts = np.zeros(1, dtype=int) if cells.target.codes is None else np.bincount(cells.target.codes[cells.train])
    spread = 1.0 if judged.classes is not None else float(np.std(cells.target.y[cells.train], axis=0).mean())
    n_targets = cells.target.y.shape[1] if judged.several else 1
    width = len(hand.encoder.get_feature_names_out())
    return Setting(
        looked.seen.task, n, width, 0 if judged.classes is None else len(judged.classes), int(counts.min()), n_targets, spread,
        hand.weight is not None, any(c.missing for c in looked.seen.schema if c.kind != "category"), judged.costs, seed,
        int(n * FIRST_STRETCH) if cells.forward else n // 2, judged.loss.name, _levels(hand.encoder),
        cells.alone, judged.classes is None and is_skewed(cells), hand.encoder.code_columns,
    )  # fmt: skip


def _levels(encoder: Any) -> tuple[tuple[int, int], ...]:
    """Return where the levels of each category begin and end among the columns of rows at hand; codes of rich ones follow them."""
    places, codes = encoder.coded().encoded_columns, encoder.code_columns
    ends = [(places[c.name].start, places[c.name].stop) for c in encoder.schema_ if c.kind == "category"]
    return tuple((a, b - (b - 1 in codes)) for a, b in ends)


def is_skewed(cells: Cells) -> bool:
    """Tell whether a target is positive and its logarithm much less skewed: then it is also predicted on that scale."""
    y = np.asarray(cells.target.y, dtype=np.float64)[cells.train]
    if y.ndim > 1 or not (y > 0).all() or len(np.unique(y)) < 8:
        return False
    skew, of_log = (float(np.mean(((v - v.mean()) / max(v.std(), 1e-300)) ** 3)) for v in (y, np.log(y)))
    return skew > 1 and abs(of_log) < skew / 2


def repeats_for(s: Setting, candidates: list[Candidate]) -> int:
    """Return how often the folds are drawn: up to five times where rows are few, as often as all candidates together can afford."""
    cost = sum(c.cost(s) for c in candidates if c.suits(s))
    return int(np.clip(min(SEVERAL // s.n, REPEATED_COST / max(cost, 1.0)), 1, 5))


def _verdict(entries: list[Entry], ground: Ground, asked: dict[str, Any]) -> Verdict:
    groups = ground.cells.copies if ground.cells.groups is None else ground.cells.groups
    if groups is not None:
        groups = np.unique(groups, return_inverse=True)[1].reshape(-1)[ground.hand.looked] if ground.at_hand else None
    scores, brier = _scores(entries, ground), [e.curve.brier for e in entries]
    return Verdict(
        [e.name for e in entries], [e.risk for e in entries], ranks([e.order for e in entries]), asked["level"], asked["prefer"],
        0 if entries[0].candidate.key == "baseline" else None, [e.curve.losses for e in entries], groups, entries=entries,
        silent=_silent(entries, ground), scores=scores, brier=None if scores is None else brier,
        nested=partial(nested_entries, entries, ground, asked["budget"] is None),
    )  # fmt: skip


def _scores(entries: list[Entry], ground: Ground) -> Vector | None:
    """Return the Brier score of each entry on the looked rows, held out, NaN where it is unknown; None where errors are not counted."""
    if not ground.counts_errors:
        return None
    brier = np.column_stack([e.curve.brier[:, e.curve.best] for e in entries])  # (n, M)
    seen = np.isfinite(entries[0].curve.losses).all(axis=1)
    return np.average(brier[seen], axis=0, weights=ground.hand.looked_weight[seen])


def _silent(entries: list[Entry], ground: Ground) -> list[bool]:
    """Tell of each predictor of classes whether it gives no probabilities; of numbers there are none to give."""
    if ground.asked.classes is None:
        return []
    return [not e.members and not gives_probabilities(e.candidate.make(ground.setting)[-1]) for e in entries]


def _say_samples(looked: Looked, entries: list[Entry]) -> None:
    """Say which predictors learned from a sample, and that pictures and findings look at one."""
    if looked.hand.whole:
        return
    names = [e.name for e in entries if not isinstance(e.route, MomentRoute)]
    some = whole(len(looked.hand.train))
    if names:
        looked.seen.notes.append(say("learned_from_sample", names=", ".join(names), n=some))
    looked.seen.notes.append(say("looked_at_sample", n=some, passes=looked.passes))


def _say_loss(looked: Looked, entries: list[Entry], setting: Setting) -> None:
    """Say which predictors of numbers minimise the loss that was asked for, and that the others are only judged by it."""
    if setting.task != "regression" or setting.loss in ("", "squared"):
        return
    tried = [e for e in entries if e.candidate.key != "baseline" and not e.members]
    to_it = [e.name for e in tried if fits_loss(e.candidate, setting)]
    others = [e.name for e in tried if e.name not in to_it]
    if others:
        key = "fits_loss" if to_it else "fits_squares"
        names = ", ".join(to_it)
        looked.seen.notes.append(say(key, loss=mean_of(setting.loss), names=names, others=", ".join(others)))


def _residuals(ground: Ground, winner: Entry) -> np.ndarray:
    """Return y minus the prediction held out, for the rows that a choice looks at."""
    truth = ground.truth[ground.hand.looked]
    return truth - np.asarray(winner.outcome.predictions[0], dtype=np.float64).reshape(truth.shape)


def cost_table(costs: Any, reject_cost: float | None, classes: np.ndarray | None) -> Any:
    """Return the checked table of costs, or None where none were given."""
    if costs is None and reject_cost is None:
        return None
    if classes is None:
        raise WrongUse("costs and reject_cost are for classes; the target of this table is a number.")
    from epee.decision.costs import check_costs

    return check_costs(costs, classes, reject_cost)


def cost_loss(table: Any, classes: np.ndarray | None) -> Any:
    """Return the loss that a table of costs is."""
    from epee.losses.decisions import Costs

    return Costs(table, "reject" if classes is not None and classes.dtype.kind in "US" else -1)


__all__ = ["Learned", "learn", "last_step"]
