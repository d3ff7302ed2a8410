r"""The main job: from a table to the predictor that generalises best, and how sure one can be.

1. The columns of the table are understood, and said aloud (:mod:`epee.job.understanding`).
2. A test sample is sealed (:mod:`epee.job.sealing`).
3. The predictors of the hierarchy, each at its own complexity, meet on the same folds (:mod:`epee.job.contest`).
4. The simplest within one standard error of the best is chosen; its figure is corrected for the choice (:mod:`epee.job.choice`).
5. The sealed rows give its test error, once.
"""

from __future__ import annotations

import json
import time as clock
import warnings
from collections.abc import Collection, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import has_fit_parameter

from epee.engines.local import one_blas_thread
from epee.errors import EpeeWarning, SearchWarning, TableWarning, WrongUse
from epee.job.budgets import seconds_of
from epee.job.card import card_of
from epee.job.choice import Verdict, decide
from epee.job.contest import Contest
from epee.job.drift import tally
from epee.job.filling import holed, plan_encoder
from epee.job.hierarchy import Setting, hierarchy
from epee.job.memory import refuse_beyond_limit
from epee.job.predictor import Predictor, last_step, residual_quantiles
from epee.job.sealing import fingerprints, fold_number, seal
from epee.job.understanding import Understood, open_roles, take, understand
from epee.risk.estimate import Risk
from epee.risk.holdout import holdout_error
from epee.risk.intervals import check_level
from epee.settings import options, progress
from epee.typing import Matrix
from epee.words.job_words import say
from epee.words.numbers import whole

SEVERAL = 10_000  # cells tested in repeats: small tables are repeated, large ones need not be


class Learned:
    """What :func:`learn` found.

    Attributes
    ----------
    predictor : Predictor
        The chosen predictor; takes raw tables.
    leaderboard : list of dict
        One line a predictor, from the simplest up.
    risk : Risk
        The error on the sealed rows; where none were sealed, that of the cross-validation, corrected for the choice.
    verdict : str
        Which one is chosen, what is shown and what is not.
    findings : list
        What often is a mistake, with its evidence.
    notes : list of str
        How the table was taken.
    """

    def __init__(
        self, predictor: Predictor, risk: Risk, facts: dict[str, Any], findings: list[Any] | None = None
    ) -> None:
        self.predictor, self.risk, self.facts = predictor, risk, facts
        self.findings: list[Any] = list(findings or [])
        self.sealed_rows: np.ndarray = np.empty(0, dtype=np.uint64)
        self.training_rows: np.ndarray = np.empty(0, dtype=np.uint64)
        self.contest: Any = None  # the entries of the leaderboard, for a closer look in the same session

    @property
    def leaderboard(self) -> list[dict[str, Any]]:
        """One line a predictor, from the simplest up."""
        return self.facts["leaderboard"]

    @property
    def verdict(self) -> str:
        """The verdict in words."""
        return " ".join(self.facts["verdict"])

    @property
    def notes(self) -> list[str]:
        """How the table was taken, in sentences."""
        return self.facts["notes"]

    @property
    def conclusive(self) -> bool:
        """Tell whether the chosen predictor is shown to beat the baseline, and the sealed rows agree."""
        return bool(self.facts["conclusive"])

    @property
    def card(self) -> dict[str, Any]:
        """Everything a report says, as plain data; see :mod:`epee.job.card`."""
        return card_of(self)

    def save(self, path: str | Path) -> Path:
        """Write the predictor and its card to one ``.epee`` file that runs no code when it is loaded."""
        from epee.job.bundle import save

        return save(self, path)

    def report(self, path: str | Path) -> Path:
        """Write a self-contained HTML report."""
        written: Path = import_module("epee.report.html").write_report(self.card, path)
        return written

    def to_json(self) -> str:
        """Return the card as JSON text."""
        return json.dumps(self.card, ensure_ascii=False, indent=1, allow_nan=False)

    def __str__(self) -> str:
        from epee.job.board import text_of

        return text_of(self.card)

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        return str(import_module("epee.report.notebook").notebook_html(self))

    def __repr__(self) -> str:
        return f"Learned({self.facts['chosen']['name']}: {self.risk})"


def learn(
    table: Any, target: Any, *, test_size: float = 0.2, folds: int = 10, predictors: Any = None, costs: Any = None,
    reject_cost: float | None = None, weight: str | None = None, groups: str | None = None, time: str | None = None,
    types: Mapping[str, str] | None = None, budget: Any = None, level: float = 0.95, lang: str | None = None, random_state: int = 0,
    refit: bool = False, mute: Collection[str] = (),
) -> Learned:  # fmt: skip
    """Learn the predictor that generalises best from a table, and say how sure one can be.

    Parameters
    ----------
    table : frame, path, folder, SQL query on files, or "-"
    target : str or list of str
        The column to predict; several must all be numbers.
    test_size : float in [0, 1), default=0.2
        Share of the rows sealed for the final test; a larger one tests better and learns worse.
    folds : int, default=10
        Folds of the cross-validation on the other rows.
    predictors : list or dict, default=None
        Keys of the hierarchy ("lda", "tree", ...) or estimators of scikit-learn's kind; None is the whole hierarchy.
    costs : array (K, K) or (K + 1, K), path or frame, default=None
        ``costs[d, t]`` of deciding d when t is true; errors are then mean costs.
    reject_cost : float, default=None
        What it costs not to decide; a larger one rejects fewer rows.
    weight, groups, time : str, optional
        Columns: of weights (counts), of groups that stay together, of times (the last rows are sealed).
    types : dict, optional
        Kinds of columns, ``{"zip": "category", "id": "ignore"}``.
    budget : float or str, optional
        Seconds ("90s", "2min"): predictors for which there is no time are dropped whole, the most complex first, and named.
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
    if not isinstance(random_state, int | np.integer):
        raise WrongUse(f"random_state is {random_state!r}; give a whole number, so that the result can be had again.")
    if not (isinstance(folds, int | np.integer) and folds >= 2):
        raise WrongUse(f"folds is {folds!r}; it must be a whole number of at least 2.")
    asked = {
        "table": str(table) if isinstance(table, str | Path) else None, "test_size": test_size, "folds": int(folds), "level": level,
        "seed": int(random_state), "weight": weight, "groups": groups, "time": time, "types": dict(types or {}),
        "costs": str(costs) if isinstance(costs, str | Path) else None if costs is None else np.asarray(costs).tolist(),
        "reject_cost": reject_cost, "budget": seconds_of(budget), "refit": bool(refit), "mute": list(mute),
        "predictors": None if predictors is None else [p if isinstance(p, str) else type(p).__name__ for p in predictors],
    }  # fmt: skip
    with options(language=lang or options.language), warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always", EpeeWarning)
        asked["lang"] = options.language
        with one_blas_thread():  # our threads share the rows; BLAS's own would spin between a thousand small solves
            learned = _start(table, target, asked, predictors, costs, begin)
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


def _start(table: Any, target: Any, asked: dict[str, Any], predictors: Any, costs: Any, begin: float) -> Learned:
    """Open the table, and learn from it in memory or, where it is large, in blocks."""
    from epee.job.streaming import is_large, learn_stream

    source, roles = open_roles(table, target, asked["weight"], asked["groups"], asked["time"], asked["types"])
    if is_large(table, source):
        return learn_stream(source, roles, asked, predictors, costs, begin)
    refuse_beyond_limit(source.n_rows * len(source.names) if source.n_rows is not None else 0)
    return _learn(understand(source, roles, asked["types"]), asked, predictors, costs, begin)


def _learn(seen: Understood, asked: dict[str, Any], predictors: Any, costs: Any, begin: float) -> Learned:
    from epee.job.facts import facts_of
    from epee.job.findings import evidence_of, find

    seed, level, n = asked["seed"], asked["level"], seen.n
    codes = None if seen.classes is None else np.searchsorted(seen.classes, seen.y)
    sealed, how = seal(n, asked["test_size"], seed, codes=codes, groups=seen.groups, time=seen.time)
    train, test = np.flatnonzero(~sealed), np.flatnonzero(sealed)
    if how:
        seen.notes.append(say("sealed", test=whole(len(test)), train=whole(len(train)), how=how))
    raw = take(seen.raw, train)
    w = None if seen.weight is None else seen.weight[train]
    encoder = plan_encoder(raw, seen.names, seen.kinds, w)
    X, y = holed(encoder, raw), seen.y[train]
    table = cost_table(costs, asked["reject_cost"], seen.classes)
    counts = np.bincount(codes[train]) if codes is not None else np.zeros(1, dtype=int)
    setting = Setting(
        seen.task, len(train), X.shape[1], 0 if seen.classes is None else len(seen.classes), int(counts.min()),
        len(seen.targets), 1.0 if seen.classes is not None else float(np.std(y, axis=0).mean()), w is not None,
        bool(np.isnan(X).any()), table, seed,
    )  # fmt: skip
    folds = fold_number(
        asked["folds"], len(train), seen.notes, groups=None if seen.groups is None else seen.groups[train],
        classes=None if seen.time is not None else seen.classes, counts=counts,
    )  # fmt: skip
    setting = replace(setting, least=len(train) // (folds + 1) if seen.time is not None else len(train) // 2)
    repeats = 1 if seen.time is not None else int(np.clip(SEVERAL // len(train), 1, 5))
    asked["folds"], asked["repeats"] = folds, repeats
    contest = Contest(
        X, y, w, setting, cost_loss(table, seen.classes), folds, repeats, None if seen.groups is None else seen.groups[train],
        None if seen.time is None else seen.time[train], level, asked["budget"], predictors is not None,
    )  # fmt: skip
    entries = contest.run(hierarchy(setting, predictors))
    verdict = decide(
        entries, level, None if contest.groups is None else np.unique(contest.groups, return_inverse=True)[1]
    )
    winner = entries[verdict.chosen]
    filled = encoder.encode(raw)
    model = winner.candidate.model(_without_holes(setting), winner.value)
    fit_weighted(model, filled, y, w)
    residuals = None if seen.task == "classification" else residual_quantiles(y - _out_of_fold(winner, y))
    predictor = Predictor(seen.task, seen.targets, encoder, model, residuals, tally(encoder.schema_, raw))
    with progress(say("looking")) as tick:
        tick()
    X_test = encoder.encode(take(seen.raw, test)) if len(test) else np.empty((0, X.shape[1]))
    w_test = None if seen.weight is None else seen.weight[test]
    risk = _sealed_risk(model, X_test, seen.y[test], w_test, contest.loss, level, verdict)
    facts = facts_of(
        seen, asked, contest, verdict, predictor, (X_test, seen.y[test], w_test), (filled, y, w), risk, begin
    )
    learned = Learned(predictor, risk, facts)
    evidence = evidence_of(seen, train, test, verdict, predictor, X_test, risk, facts["uses"], seed, contest.groups)
    learned.findings = find(evidence, asked["mute"])
    learned.contest = verdict
    target = dict(zip(seen.targets, np.reshape(seen.y, (n, -1)).T, strict=True))
    prints = fingerprints(seen.raw, seen.names, target)
    learned.sealed_rows, learned.training_rows = prints[test], prints[train]
    if asked["refit"] and len(test):
        learned.predictor = _refitted(seen, winner, setting, residuals)
        learned.sealed_rows, learned.training_rows = prints[:0], prints
    return learned


def fit_weighted(model: Any, X: Matrix, y: np.ndarray, w: Any) -> Any:
    """Fit a pipeline; weights, where there are any, go to every step that takes them."""
    if w is None:
        return model.fit(X, y)
    for _, step in model.steps[:-1]:
        X = step.fit(X, y, **({"sample_weight": w} if has_fit_parameter(step, "sample_weight") else {})).transform(X)
    model.steps[-1][1].fit(X, y, sample_weight=w)
    return model


def _without_holes(setting: Setting) -> Setting:
    return replace(setting, holes=False)


def _refitted(seen: Understood, winner: Any, setting: Setting, residuals: Any) -> Predictor:
    """Return the chosen predictor fitted on all rows, the sealed ones too."""
    encoder = plan_encoder(seen.raw, seen.names, seen.kinds, seen.weight)
    model = winner.candidate.model(_without_holes(setting), winner.value)
    fit_weighted(model, encoder.encode(seen.raw), seen.y, seen.weight)
    return Predictor(seen.task, seen.targets, encoder, model, residuals, tally(encoder.schema_, seen.raw))


def _out_of_fold(winner: Any, y: np.ndarray) -> np.ndarray:
    """Return out-of-fold predictions: the mean over repeats."""
    found = np.asarray(winner.risk.predictions, dtype=np.float64)
    return found.reshape(-1, *y.shape).mean(axis=0) if found.shape != y.shape else found


def cost_table(costs: Any, reject_cost: float | None, classes: np.ndarray | None) -> Any:
    """Return the checked table of costs, or None where none were given."""
    if costs is None and reject_cost is None:
        return None
    if classes is None:
        raise WrongUse("costs and reject_cost are for classes; the target of this table is a number.")
    from epee.decision.costs import check_costs

    return check_costs(costs, classes, reject_cost)


def cost_loss(table: Any, classes: np.ndarray | None) -> Any:
    """Return the loss that a table of costs is, or None."""
    if table is None:
        return None
    from epee.losses.decisions import Costs

    label = "reject" if classes is not None and classes.dtype.kind in "US" else -1
    return Costs(table, label)


def _sealed_risk(model: Any, X: Matrix, y: np.ndarray, w: Any, loss: Any, level: float, verdict: Verdict) -> Risk:
    """Return the error on the sealed rows; without any, that of the cross-validation corrected for the choice."""
    if not len(y):
        sure = verdict.entries[verdict.chosen].sure

        shift = verdict.optimism.value
        ends = type(sure.interval)(sure.low + shift, sure.high + shift)
        return Risk(
            sure.value + shift, sure.stderr, ends, level, sure.n, sure.loss, f"{sure.how}, corrected for the choice"
        )
    return holdout_error(model, X, y, loss=loss, level=level, sample_weight=w)


__all__ = ["Learned", "learn", "last_step"]
