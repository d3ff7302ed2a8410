"""The card: everything a report says about one run of the main job, as plain data.

:func:`card_of` turns a :class:`~epee.job.learning.Learned` into one dictionary of texts, numbers, lists and dictionaries, ready
for JSON; a report only renders it. Numbers that are not known are None. A *figure* is
``{"value", "stderr", "low", "high", "level", "n", "loss", "how"}``, as :meth:`epee.risk.Risk.to_dict` gives it, with ``"caution"`` where
its interval cannot be trusted.

=====================  ====================================================================================================
key                    what it holds
=====================  ====================================================================================================
``format``             1; grows when a key changes its meaning
``epee``               version of the package that made it
``task``               ``"classification"`` or ``"regression"``
``target``             list of the target columns
``classes``            labels as text, in order; [] for a regression
``class_counts``       ``{label: rows}`` of the training rows; {} for a regression
``rare``               ``{"labels", "joined"}``: classes too rare to be learned, and the class they are joined to, "" where left out
``loss``               name of the loss that the errors are the mean of
``settings``           what was asked: table, test_size, folds, repeats, level, lang, seed, weight, groups, time, types, costs,
                       reject_cost, budget, refit
``rows``               ``{"read", "training", "sealed", "dropped"}``
``columns``            list of ``{"name", "kind", "role", "missing", "levels", "note"}``; role is input, target, weight, groups,
                       time or left out
``notes``              sentences: how the table was read and taken
``leaderboard``        list from the simplest up of ``{"key", "name", "value", "stderr", "low", "high", "level", "interval"
                       ("nested" | "approximate"), "dof", "seconds", "parameter", "chosen_value", "difference",
                       "difference_stderr", "p_value", "mark" ("best" | "worse" | "not distinguishable"), "chosen", "caution", "kin"}``,
                       the last the part of the caution about rows that belong together
``dropped``            list of ``{"name", "why"}``: predictors that did not run
``chosen``             ``{"key", "name", "parameter", "value", "parameters", "by_brier"}``, the last whether the Brier score decided
``verdict``            sentences
``optimism``           ``{"value", "by_folds", "draws", "corrected"}``: how much better the winner looks than it is
``test``               figure of the sealed test error, with ``"agrees"`` (bool), ``"sentence"`` and, where a few losses make a mean square,
                       the figure of the mean absolute error ``"beside"`` it
``conclusive``         whether the chosen predictor is shown to beat the baseline and the sealed rows agree
``curves``             ``{key: {"name", "parameter", "values", "dof", "train", "cv", "stderr", "best", "chosen", "at_edge"}}``
``confusion``          ``{"labels", "decided", "counts", "rates", "stderr", "low", "high", "caution"}`` on the sealed rows, or None
``residuals``          ``{"quantiles": {"0.05": ...}, "predicted": [...], "residual": [...], "scale", "r2": figure}``, or None
``calibration``        list of ``{"predicted", "observed", "low", "high", "rows"}`` on the sealed rows, or []
``scores``             ``{name: figure}``: AUC, log loss, Brier score, R² and the like on the sealed rows
``headline``           what is said first, list of ``{"name", "value", "low", "high", "level", "n"}``: the test error in the unit of the
                       target (``"rmse"`` for squared errors), then ``"r2"`` or ``"roc_auc"``
``by_class``           list of ``{"label", "rows", "decided", "precision", "recall", "f1"}`` on the sealed rows, the last three
                       ``{"value", "low", "high"}`` or None
``ranking``            list of ``{"label", "share", "rows", "roc", "precision_recall", "lift", "calibration"}`` on the sealed rows, each
                       class against the rest; a curve is ``{"x", "y", "low", "high"}``
``uses``               what the predictor leans on: ``{"how": "coefficients" | "importance", "items": [{"column", "value",
                       "stderr", "low", "high"}], "caution", "coefficients": [...], "together"}``, largest first; coefficients of a linear
                       predictor for a standard deviation of each encoded column, and ``"per_unit"`` for one unit of the table,
                       with intervals where the estimator has them and no rows belong ``"together"``
``effects``            what columns do to the prediction: ``{"of": labels, "columns": [{"column", "kind", "x", "labels", "pd", "low",
                       "high", "ale"}], "interactions": [{"columns", "value", "stderr", "share"}], "bands", "held"}``, or None; curves are
                       (labels, places)
``threshold``          of two classes, from which probability of ``"label"`` on to decide for it: ``{"thresholds", "cost", "precision",
                       "recall", "share", "chosen", "least", "expected", "costs", "pair", "saves", "saves_stderr", "applied"}`` on rows held
                       out, or None; ``"pair"`` are the two around rejection, where it is allowed; ``"applied"`` is what the predictor
                       decides by, None where it follows the costs or the most probable class
``rules``              a chosen tree in sentences, one a leaf, where it has few
``learning_curve``     ``{"sizes", "test", "stderr", "then": {"rows", "error", "stderr"}}``, or None
``findings``           list of ``{"code", "sentence", "evidence"}``
``how``                sentences: how each figure was computed
``conditions``         those of them that say what the figures rest on: the meaning of weights, how far ahead forecasts lie, groups
``redo``               ``{"command", "python"}``: lines that give the same result again
``seconds``            time of the whole run
=====================  ====================================================================================================
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from epee.words.how_words import how_said

if TYPE_CHECKING:
    from epee.job.learned import Learned

FORMAT = 1


def plain(value: Any) -> Any:
    """Return a value as JSON holds it: NumPy scalars and arrays unpacked, what is not a number None.

    >>> plain({"a": np.float64(0.5), "b": np.array([1, 2]), "c": float("nan")})
    {'a': 0.5, 'b': [1, 2], 'c': None}
    """
    kind = type(value)  # most values are of these kinds, and most of those in lists finite
    if kind is float:
        return value if math.isfinite(value) else None
    if kind is str:
        return sound(value)
    if value is None or kind is int or kind is bool:
        return value
    if isinstance(value, dict):
        return {sound(str(key)): plain(v) for key, v in value.items()}
    if isinstance(value, list | tuple | set):
        return [v if type(v) is float and math.isfinite(v) else plain(v) for v in value]
    if isinstance(value, np.ndarray):
        return [plain(v) for v in value.tolist()]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str):
        return sound(value)
    return value if value is None or isinstance(value, bool | int) else str(value)


def sound(text: str) -> str:
    r"""Return a text that can be written as UTF-8; a file name that a narrow locale could not read is read again.

    >>> sound("\udcc3\udca9t\udcc3\udca9.csv")
    'été.csv'
    """
    if type(text) is str and text.isascii():
        return text
    for errors in ("strict", "surrogateescape", "replace"):
        try:
            return text.encode("utf-8", errors).decode("utf-8", "replace")
        except UnicodeEncodeError:
            continue
    raise AssertionError  # "replace" takes every text


def figure(risk: Any) -> dict[str, Any] | None:
    """Return a risk as plain data, how it was found in the language of the moment; no interval where there is no error bar."""
    if risk is None:
        return None
    bar = {} if risk.has_bar else dict.fromkeys(("stderr", "low", "high"))
    return plain({**risk.to_dict(), "how": how_said(risk.how), **bar})


def card_of(learned: Learned) -> dict[str, Any]:
    """Return the card of a run; see the module docstring for its keys."""
    from epee import __version__

    findings = [found if isinstance(found, dict) else found.to_dict() for found in learned.findings]
    return plain({"format": FORMAT, "epee": __version__, **learned.facts, "findings": findings})
