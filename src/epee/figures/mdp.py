"""Pictures of decision processes: maps of values with arrows, convergence, learning curves, policy surfaces.

Everything here draws what it is given (values, policy, a grid); nothing is computed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.figures.style import COLOURS, INK, QUIET, band, legend, new_axes, new_grid
from epee.words.catalogue import Catalogue

WORDS = {
    "state": "état", "value": "valeur", "action": "action", "sweeps": "balayages", "residual": "plus grand changement",
    "certified bound": "borne certifiée", "steps": "pas", "distance to the optimum": "distance à l'optimum",
    "mean reward a step": "récompense moyenne par pas", "mean return of an episode": "retour moyen d'un épisode",
    "time": "temps", "optimal action": "action optimale", "values": "valeurs", "policy": "politique",
    "cars at the first": "voitures au premier lieu", "cars at the second": "voitures au second lieu",
}  # fmt: skip
say = Catalogue(WORDS)


def draw_solution(solution: Any, ax: Any = None) -> Any:
    """Draw the values and the policy of a solution, on its grid if it has one."""
    if np.ndim(solution.values) == 2:
        return draw_horizon(solution, ax=ax)
    grid = solution.grid
    if grid is None:
        return draw_states(solution.values, solution.policy, ax=ax)
    if grid.get("moves") is None:
        return draw_surfaces(solution.values, solution.policy, grid)
    return draw_grid(solution.values, solution.policy, grid, ax=ax)


def draw_grid(values: Any, policy: Any, grid: Any, ax: Any = None, *, numbers: bool = True) -> Any:
    """Draw a map of the values, an arrow for the action in each cell; walls are dark, ends are framed."""
    height, width = grid["shape"]
    ax = new_axes(ax, size=(max(3.0, 0.75 * width + 1.2), max(2.4, 0.75 * height + 0.6)))
    letters = grid["letters"]
    table = np.asarray(values, dtype=float)[grid["states"]]
    wall = np.zeros(table.shape, bool) if letters is None else letters == "#"
    ends = np.zeros(table.shape, bool) if letters is None else np.isin(letters, ["G", "T", "H", "C"])
    shown = np.ma.array(table, mask=wall | ends)  # an end is worth 0 by convention: no colour
    from matplotlib import colormaps

    image = ax.imshow(shown, cmap=colormaps["viridis"].with_extremes(bad="#DDDDDD"), interpolation="nearest")
    low, high = shown.min(), shown.max()
    for i in range(height):
        for j in range(width):
            if wall[i, j]:
                ax.fill_between([j - 0.5, j + 0.5], i - 0.5, i + 0.5, color="#333333", linewidth=0)
                continue
            ink = "white" if table[i, j] < (low + high) / 2 else INK
            if ends[i, j]:
                ax.text(j, i, letters[i, j], ha="center", va="center", color=INK, fontsize=13, fontweight="bold")
                continue
            down, right = grid["moves"][int(np.asarray(policy)[grid["states"][i, j]])]
            size = 0.26 / max(np.hypot(down, right), 1)
            ax.annotate(
                "", (j + right * size, i - 0.1 + down * size), (j - right * size, i - 0.1 - down * size),
                arrowprops={"arrowstyle": "-|>", "color": ink, "lw": 1.3, "shrinkA": 0, "shrinkB": 0},
            )  # fmt: skip
            if numbers:
                ax.text(j, i + 0.4, f"{table[i, j]:.3g}", ha="center", va="center", color=ink, fontsize=7)
    ax.set_xticks([])
    ax.set_yticks([])
    ax.grid(False)
    for side in ax.spines.values():
        side.set_visible(False)
    ax.figure.colorbar(image, ax=ax, shrink=0.8, label=say("value"))
    return ax


def draw_states(values: Any, policy: Any, ax: Any = None) -> Any:
    """Draw the values against the states, and the action in each on a second axis."""
    values, policy = np.asarray(values), np.asarray(policy)
    ax = new_axes(ax, xlabel=say("state"), ylabel=say("value"))
    x = np.arange(len(values))
    ax.plot(x, values, "-o" if len(x) <= 60 else "-", ms=4, color=COLOURS[0], label=say("value"))
    if policy.ndim == 1:
        twin = ax.twinx()
        twin.step(x, policy, where="mid", color=COLOURS[1], lw=1.2, label=say("optimal action"))
        twin.set_ylabel(say("action"), color=COLOURS[1])
        twin.spines["top"].set_visible(False)
        twin.tick_params(labelcolor=COLOURS[1], labelsize=9)
    return ax


def draw_horizon(solution: Any, ax: Any = None) -> Any:
    """Draw the policy of a finite horizon: the action against the time and the state."""
    ax = new_axes(ax, xlabel=say("time"), ylabel=say("state"))
    image = ax.imshow(
        np.asarray(solution.policy).T, aspect="auto", origin="lower", cmap="cividis", interpolation="nearest"
    )
    ax.grid(False)
    ax.figure.colorbar(image, ax=ax, label=say("optimal action"))
    return ax


def draw_surfaces(values: Any, policy: Any, grid: Any) -> Any:
    """Draw two maps over a state of two numbers: the policy in steps, the values as level lines."""
    axes = new_grid(1, 2, size=(10.0, 4.2))[0]
    labels = np.asarray(grid["labels"])
    actions = labels[np.asarray(policy)[grid["states"]]]
    table = np.asarray(values)[grid["states"]]
    image = axes[0].imshow(
        actions, origin="lower", cmap="RdBu", vmin=labels.min(), vmax=labels.max(), interpolation="nearest"
    )
    axes[0].figure.colorbar(image, ax=axes[0], label=say("optimal action"), ticks=labels)
    lines = axes[1].contour(table, levels=12, cmap="viridis")
    axes[1].clabel(lines, fontsize=8, fmt="%.0f")
    axes[1].set_aspect("equal")
    across, up = grid.get("axes", ("", ""))
    for ax, title in zip(axes, ("policy", "values")):
        ax.set(xlabel=say.known(across), ylabel=say.known(up), title=say.known(title))
        ax.locator_params(integer=True)
    axes[0].grid(False)
    return axes


def draw_convergence(trace: Any, ax: Any = None, title: str = "") -> Any:
    """Draw the residual and the certified bound of each sweep."""
    ax = new_axes(ax, xlabel=say("sweeps"), title=title)
    done = np.array([t.iteration for t in trace])
    residual = np.array([t.residual for t in trace], dtype=float)
    bound = np.array([np.nan if t.bound is None else t.bound for t in trace], dtype=float)
    one = "o" if len(done) == 1 else ""
    ax.semilogy(done, np.where(residual > 0, residual, np.nan), marker=one, color=COLOURS[0], label=say("residual"))
    if np.isfinite(bound).any():
        known = np.isfinite(bound) & (bound > 0)
        ax.semilogy(
            done[known],
            bound[known],
            marker="o" if known.sum() == 1 else "",
            color=COLOURS[1],
            label=say("certified bound"),
        )
    legend(ax)
    return ax


def draw_learning(trace: Any, ax: Any = None) -> Any:
    """Draw one run: the distance to the optimum, or the rewards where it is not known."""
    distance = np.asarray(trace.distance, dtype=float)
    known = np.isfinite(distance).any()
    ax = new_axes(ax, xlabel=say("steps"), ylabel=say("distance to the optimum" if known else "mean reward a step"))
    ax.plot(trace.steps, distance if known else trace.reward, color=COLOURS[0])
    if known:
        ax.set_yscale("log")
    return ax


def draw_curves(curves: Any, ax: Any = None, what: str = "auto") -> Any:
    """Draw the mean over seeds with a band of two standard errors."""
    names = {
        "distance": "distance to the optimum",
        "reward": "mean reward a step",
        "returns": "mean return of an episode",
    }
    if what == "auto":
        what = "distance" if np.isfinite(curves.distance).any() else "reward"
    mean, error = getattr(curves, what), getattr(curves, f"{what}_stderr")
    fresh = ax is None
    ax = new_axes(ax, xlabel=say("steps"), ylabel=say(names[what])) if fresh else ax
    colour = COLOURS[len(ax.lines) % len(COLOURS)]
    line_label = f"{curves.label} ({len(curves.agents)})"
    ax.plot(curves.steps, mean, color=colour, label=line_label)
    low = mean - 2 * error
    if what == "distance":
        ax.set_yscale("log")
        low = np.maximum(low, 0.1 * mean)
    band(ax, curves.steps, low, mean + 2 * error, colour)
    legend(ax)
    ax.tick_params(colors=QUIET, labelcolor=INK)
    return ax
