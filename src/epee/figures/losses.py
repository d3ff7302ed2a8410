"""Pictures of losses: against the margin, and against the residual."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from epee.figures.style import INK, legend, new_axes
from epee.words.figure_words import say


def plot_margin_losses(ax: Any = None, *, losses: Sequence[Any] | None = None, span: float = 3.0) -> Any:
    """Draw losses against the margin m = t·s: 0-1, perceptron, hinge, squared hinge and the log loss in base 2.

    The hinge and the log loss in base 2 lie above the 0-1 loss; the perceptron's does not.
    """
    from epee.losses import CrossEntropy, HingeLoss, PerceptronLoss, SquaredHinge

    ax = new_axes(ax)
    m = np.linspace(-span, span, 601)
    one = np.ones_like(m)
    ax.step([-span, 0, span], [1, 1, 0], where="pre", color=INK, lw=2, label="0-1")
    styles = ["-", "-", "--", "-"]
    for i, loss in enumerate(losses or [PerceptronLoss(), HingeLoss(), SquaredHinge(), CrossEntropy(base=2)]):
        name = "log (base 2)" if loss.name == "log" and loss.base == 2 else loss.name.replace("_", " ")
        ax.plot(m, loss.value(m, one), styles[i % 4], lw=1.5, label=say.known(name))
    ax.set(xlabel=say("margin") + "  $m = t\\,s$", ylabel=say("loss"), ylim=(-0.1, 4.2), xlim=(-span, span))
    ax.axvline(0, color="0.8", lw=0.8, zorder=0)
    legend(ax)
    return ax


def plot_residual_losses(ax: Any = None, *, losses: Sequence[Any] | None = None, span: float = 6.0) -> Any:
    """Draw losses against the residual: half the square, absolute, Huber, Tukey, Welsch, Geman-McClure."""
    from epee.losses import GemanMcClure, Huber, Power, Tukey, Welsch

    ax = new_axes(ax)
    r = np.linspace(-span, span, 601)
    if losses is None:
        ax.plot(r, r * r / 2, color=INK, lw=2, label=say("half the square"))
    for loss in losses or [Power(1.0), Huber(), Tukey(), Welsch(), GemanMcClure()]:
        ax.plot(r, loss.value(r, np.zeros_like(r)), lw=1.5, label=say.known(loss.name.replace("_", " ")))
    ax.set(xlabel=say("residual") + "  $r$", ylabel=say("loss"), ylim=(-0.2, 8), xlim=(-span, span))
    legend(ax)
    return ax
