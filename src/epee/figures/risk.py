"""Pictures of risks: what ``.plot()`` draws on every result of :mod:`epee.risk`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from epee.figures.style import COLOURS, INK, MARKERS, QUIET, band, legend, new_axes, whiskers
from epee.losses.names import named
from epee.words.loss_words import mean_of
from epee.words.numbers import figures, p_value, percent, plus_minus, whole
from epee.words.risk_words import say

if TYPE_CHECKING:
    from epee.risk.comparison import Comparison
    from epee.risk.complexity import ComplexityCurve
    from epee.risk.confusion import Confusion
    from epee.risk.criteria import Criteria
    from epee.risk.cross_validation import CrossValidation
    from epee.risk.curves import LearningCurve
    from epee.risk.decomposition import BiasVariance
    from epee.risk.estimate import Risk, Score
    from epee.risk.permutation import Importance
    from epee.risk.prediction_bands import ConformalRegressor

WIDE = 30  # a larger ratio of the ends of an axis is drawn in logarithms


def plot_risk(risk: Risk, ax: Any = None) -> Any:
    """Draw one estimate and its interval."""
    ax = new_axes(ax, size=(6, 1.6), xlabel=mean_of(risk.loss), title=str(risk))
    whiskers(ax, risk.value, risk.low, risk.high, 0, COLOURS[0])
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    return ax


def plot_folds(risk: CrossValidation, ax: Any = None) -> Any:
    """Draw the mean loss of every fold, the estimate and its interval."""
    ax = new_axes(ax, ylabel=mean_of(risk.loss), title=f"{risk}\n{risk.how}")
    values = risk.per_fold.reshape(risk.repeats, -1)
    many = values.shape[1] > 40
    k = np.arange(1, values.shape[1] + 1)
    ax.axhspan(risk.low, risk.high, color=COLOURS[0], alpha=0.15, lw=0)
    ax.axhline(risk.value, color=COLOURS[0], lw=1.6)
    rng = np.random.default_rng(0)
    for row in values:
        jitter = 0 if len(values) == 1 else rng.uniform(-0.18, 0.18, len(k))
        ax.plot(
            k + jitter,
            row,
            "o",
            ms=2 if many else 5,
            color=INK,
            alpha=0.35 if len(values) > 1 or many else 0.8,
            mec="none",
        )
    ax.set_xlabel(say("fold"))
    if not many:
        ax.set_xticks(k)
    ax.grid(axis="x", visible=False)
    return ax


def plot_complexity(curve: ComplexityCurve, ax: Any = None) -> Any:
    """Draw training and cross-validated error, the one-standard-error mark, the best and the chosen value."""
    dof_known = np.isfinite(curve.dof).all() and len(np.unique(curve.dof)) > 1
    ax = new_axes(ax, ylabel=mean_of(curve.loss), title=curve.how)
    x: Any
    if dof_known:
        x, label = curve.dof, say("degrees of freedom")
    else:
        x, label = _positions(curve.values), curve.parameter
    order = np.argsort(x)
    ax.plot(x[order], curve.train[order], color=COLOURS[1], lw=1.5, marker="s", ms=3.5, label=say("training error"))
    ax.errorbar(
        x[order], curve.cv[order], yerr=curve.stderr[order], color=COLOURS[0], lw=1.8, marker="o", ms=4, capsize=2.5, elinewidth=1,
        label=say("cross-validated error"),
    )  # fmt: skip
    b, c = curve.best_index, curve.chosen_index
    ax.axhline(curve.cv[b] + curve.stderr[b], color=QUIET, lw=1, ls="--", label=say("one standard error"))
    ax.plot(
        x[b],
        curve.cv[b],
        "o",
        ms=11,
        mfc="none",
        mec=COLOURS[0],
        mew=1.6,
        label=f"{say('best')}: {_short(curve.values[b])}",
    )
    ax.plot(
        x[c],
        curve.cv[c],
        "D",
        ms=11,
        mfc="none",
        mec=COLOURS[2],
        mew=1.8,
        label=f"{say('chosen')}: {_short(curve.values[c])}",
    )
    ax.set_xlabel(label)
    if not dof_known:
        _value_ticks(ax, x, curve.values)
    elif x.min() > 0 and x.max() > WIDE * x.min():
        ax.set_xscale("log")
        _plain_log_ticks(ax)
    legend(ax)
    return ax


def _positions(values: list[Any]) -> np.ndarray:
    try:
        return np.array([float(v) for v in values])
    except (TypeError, ValueError):
        return np.arange(len(values), dtype=float)


def _value_ticks(ax: Any, x: np.ndarray, values: list[Any]) -> None:
    if not all(isinstance(v, int | float | np.number) for v in values):
        ax.set_xticks(x, [str(v) for v in values])
    elif (x > 0).all() and x.max() > WIDE * x.min():
        ax.set_xscale("log")


def _short(value: Any) -> str:
    return figures(float(value)) if isinstance(value, float | np.floating) else str(value)


def plot_criteria(criteria: Criteria, ax: Any = None) -> Any:
    """Draw a criterion and the training error against the degrees of freedom."""
    ax = new_axes(ax, xlabel=say("degrees of freedom"), title=criteria.name.upper().replace("_", " "))
    order, b = np.argsort(criteria.dof), criteria.best_index
    ax.plot(
        criteria.dof[order],
        criteria.err[order],
        color=COLOURS[1],
        marker="s",
        ms=3.5,
        lw=1.5,
        label=say("training error"),
    )
    ax.plot(
        criteria.dof[order], criteria.values[order], color=COLOURS[0], marker="o", ms=4, lw=1.8, label=criteria.name
    )
    ax.plot(criteria.dof[b], criteria.values[b], "o", ms=11, mfc="none", mec=COLOURS[0], mew=1.6, label=say("best"))
    legend(ax)
    return ax


def plot_comparison(comparison: Comparison, ax: Any = None) -> Any:
    """Draw each candidate's error with its interval, and its paired difference from the best beside it."""
    from epee.figures.style import new_grid

    rows = comparison.table
    size = (10, 0.45 * len(rows) + 1.6)
    left, right = new_grid(1, 2, size=size, sharey=True)[0] if ax is None else ax
    new_axes(left), new_axes(right)
    ends: list[tuple[float, float]] = []
    for i, row in enumerate(rows):
        colour = COLOURS[2] if row["name"] == comparison.simplest else COLOURS[0]
        whiskers(left, row["value"], row["low"], row["high"], i, colour)
        if row["name"] != comparison.best:
            gap = comparison.difference(row["name"], comparison.best)
            shown = row["p_value"] < 0.05
            ends.append((gap.low, gap.high))
            whiskers(right, gap.value, gap.low, gap.high, i, colour, mfc=colour if shown else "white")
            right.annotate(
                f"p {p_value(row['p_value'])}",
                (gap.high, i),
                xytext=(6, 0),
                textcoords="offset points",
                va="center",
                fontsize=8,
                color=QUIET,
            )
    left.set_yticks(range(len(rows)), [_wrap(row["name"], 30) for row in rows])
    left.set(xlabel=mean_of(comparison.risks[0].loss), ylim=(len(rows) - 0.5, -0.5))
    right.axvline(0, color=INK, lw=1)
    right.set_xlabel(say("difference", best=comparison.best))
    right.tick_params(labelleft=False)
    low, high = (np.array([row[end] for row in ends]) for end in (0, 1)) if ends else (np.zeros(1), np.zeros(1))
    span = max(high.max(), 0.0) - min(low.min(), 0.0) or 1.0
    right.set_xlim(min(low.min(), 0.0) - 0.06 * span, max(high.max(), 0.0) + 0.3 * span)  # room for the p-values
    for each in (left, right):
        each.grid(axis="y", visible=False)
        each.locator_params(axis="x", nbins=5)
    left.figure.suptitle(_wrap(comparison.verdict, 110), fontsize=9.5, color=INK)
    return left, right


def _wrap(text: str, width: int) -> str:
    import textwrap

    return "\n".join(textwrap.wrap(text, width))


def plot_bias_variance(found: BiasVariance, ax: Any = None) -> Any:
    """Draw noise, bias² and variance stacked along the points, or as bars of their means in several dimensions."""
    rate = named(found.loss).is_rate
    names = [say("noise"), say("bias" if rate else "bias2"), say("variance")]
    terms, colours = (found.noise, found.bias2, found.variance), (COLOURS[7], COLOURS[0], COLOURS[1])
    ax = new_axes(ax, title=found.how)
    if found.x.shape[1] != 1:
        average = found.average
        bottom = 0.0
        for name, value, colour in zip(names, (average.noise, average.bias2, average.variance), colours, strict=True):
            ax.bar([0], [value], bottom=[bottom], color=colour, width=0.5, label=f"{name}: {figures(value)}")
            bottom += value
        ax.set(xlim=(-1.2, 1.2), xticks=[], ylabel=say("epe"))
        legend(ax)
        return ax
    order = np.argsort(found.x[:, 0])
    x = found.x[order, 0]
    if all((t >= 0).all() for t in terms):
        ax.stackplot(x, *[t[order] for t in terms], labels=names, colors=colours, alpha=0.75)
    else:  # where the predictor is wrong on average, variance helps: its term is negative
        for t, name, colour in zip(terms, names, colours, strict=True):
            ax.plot(x, t[order], color=colour, lw=1.6, label=name)
    ax.plot(x, found.epe[order], color=INK, lw=1.8, label=say("epe"))
    ax.set(xlabel="x", ylabel=say("epe"), xlim=(x[0], x[-1]))
    low, high = ax.get_ylim()
    ax.set_ylim(low, high + 0.22 * (high - low))  # the legend lies above the stack, not on it
    legend(ax, loc="upper center", ncol=2)
    return ax


def plot_learning_curve(curve: LearningCurve, ax: Any = None, *, until: float | None = None) -> Any:
    """Draw training and test error against the number of training rows, and the extrapolation."""
    ax = new_axes(ax, xlabel=say("rows"), ylabel=mean_of(curve.loss))
    ax.plot(curve.sizes, curve.train, color=COLOURS[1], marker="s", ms=3.5, lw=1.5, label=say("training error"))
    ax.errorbar(curve.sizes, curve.test, yerr=curve.stderr, color=COLOURS[0], marker="o", ms=4, lw=1.8, capsize=2.5, elinewidth=1,
                label=say("test error"))  # fmt: skip
    if len(curve.sizes) >= 4:
        beyond = np.geomspace(curve.sizes[-1], until or 4 * curve.sizes[-1], 12)
        points = [curve.extrapolate(n) for n in beyond]
        band(ax, beyond, [p.low for p in points], [p.high for p in points], COLOURS[0])
        ax.plot(beyond, [p.value for p in points], "--", color=COLOURS[0], lw=1.5, label=say("extrapolation"))
        ax.set_title(_wrap(curve.verdict, 66), fontsize=9.5)
    ax.set_xscale("log")
    _plain_log_ticks(ax)
    late = curve.sizes >= curve.sizes[-1] / 8
    top = max(float((curve.test + curve.stderr)[late].max()), float(curve.train.max()))
    if np.nanmax(curve.test) > 2.5 * top:  # a first size with hardly enough rows would flatten the rest
        ax.set_ylim(0, 1.6 * top)
    legend(ax)
    return ax


def _plain_log_ticks(ax: Any) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda v, _: whole(v)))
    ax.xaxis.set_minor_formatter(NullFormatter())


def plot_score(score: Score, ax: Any = None) -> Any:
    """Draw the curve behind a score: ROC, precision and recall, or calibration; else its interval."""
    if score.curve is None:
        return plot_risk(score, ax)
    ax = new_axes(ax, size=(4.6, 4.4))
    if score.loss == "roc_auc":
        ax.plot([0, 1], [0, 1], "--", color=QUIET, lw=1, label=say("chance"))
        words = {"xlabel": say("false positive rate"), "ylabel": say("true positive rate"), "title": f"AUC {score}"}
    elif score.loss == "average_precision":
        words = {"xlabel": say("recall"), "ylabel": say("precision"), "title": f"AP {score}"}
    else:
        ax.plot([0, 1], [0, 1], "--", color=QUIET, lw=1, label=say("perfect"))
        words = {"xlabel": say("probability"), "ylabel": say("frequency"), "title": f"Brier {score}"}
    for i, (name, x, y, *ends) in enumerate(score.curve):
        colour = COLOURS[i % len(COLOURS)]
        if ends:
            whiskers(ax, y, ends[0], ends[1], x, colour, flat=False, label=name, fmt=MARKERS[i % len(MARKERS)])
        else:
            ax.plot(
                x,
                y,
                color=colour,
                lw=1.8,
                label=name,
                drawstyle="steps-post" if score.loss == "average_precision" else "default",
            )
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal", **words)
    legend(ax)
    return ax


def plot_confusion(found: Confusion, ax: Any = None) -> Any:
    """Draw the shares of each true class by the label decided."""
    K, D = found.rates.shape
    ax = new_axes(ax, size=(1.0 * D + 2.2, 0.9 * K + 1.6), xlabel=say("predicted"), ylabel=say("true"))
    ax.grid(False)
    ax.imshow(found.rates, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    ax.set_xticks(range(D), [str(v) for v in found.decided])
    ax.set_yticks(range(K), [str(v) for v in found.labels])
    for i in range(K):
        for j in range(D):
            colour = "white" if found.rates[i, j] > 0.55 else INK
            ax.text(
                j,
                i,
                plus_minus(found.rates[i, j], found.stderr[i, j], percent=True).replace(" ± ", "\n± "),
                ha="center",
                va="center",
                fontsize=8.5,
                color=colour,
            )
    return ax


def plot_importance(found: Importance, ax: Any = None, *, most: int = 25) -> Any:
    """Draw how much the error rises when each column is shuffled, the most important first."""
    some = found.order[:most]
    ax = new_axes(ax, size=(6, 0.3 * len(some) + 1.2), xlabel=say("importance"), ylabel=say("column"))
    for i, j in enumerate(some):
        sure = found.low[j] > 0
        whiskers(ax, found.value[j], found.low[j], found.high[j], i, COLOURS[0] if sure else QUIET)
    ax.axvline(0, color=INK, lw=1)
    ax.set_yticks(range(len(some)), [found.names[j] for j in some])
    ax.set_ylim(len(some) - 0.5, -0.5)
    ax.grid(axis="y", visible=False)
    return ax


def plot_bands(model: ConformalRegressor, X: Any, y: Any = None, ax: Any = None) -> Any:
    """Draw predictions and bands: over the input when there is one, else over the rows in order of prediction."""
    table = np.asarray(X, dtype=float)
    prediction, ends = model.predict(X), model.predict_interval(X)
    one = table.shape[1] == 1
    order = np.argsort(table[:, 0] if one else prediction, kind="stable")
    x = table[order, 0] if one else np.arange(len(order))
    ax = new_axes(ax, xlabel="x" if one else say("in order"), ylabel="y")
    band(ax, x, ends[order, 0], ends[order, 1], COLOURS[0])
    ax.plot(
        x,
        prediction[order],
        color=COLOURS[0],
        lw=1.8,
        label=f"{say('prediction')}, {say('interval', level=percent(model.level))}",
    )
    if y is not None:
        truth = np.asarray(y, dtype=float)[order]
        held = (ends[order, 0] <= truth) & (truth <= ends[order, 1])
        ax.plot(x[held], truth[held], "o", ms=3, color=INK, alpha=0.5, mec="none")
        ax.plot(x[~held], truth[~held], "x", ms=5, color=COLOURS[1], mew=1.4)
    legend(ax)
    return ax
