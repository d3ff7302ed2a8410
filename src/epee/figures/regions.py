"""Pictures of classifiers in the plane: regions of decision, the criterion over two weights, the sigmoid as a surface."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_regressor

from epee.errors import WrongUse
from epee.figures.style import COLOURS, INK, MARKERS, QUIET, legend, new_axes
from epee.losses.names import named
from epee.typing import Matrix
from epee.words.figure_words import say

SHOWN_ROWS = 3000  # more points only hide each other


def plot_regions(
    model: Any,
    X: Any,
    y: Any = None,
    ax: Any = None,
    *,
    columns: tuple[int, int] = (0, 1),
    points: int = 240,
    depth: bool | None = None,
) -> Any:
    """Draw where a fitted classifier decides for which class, its frontiers, and the rows.

    Parameters
    ----------
    model : a fitted classifier
        Any with ``predict``; with more than two inputs the others are held at their medians.
    X, y : the rows and their labels
        Rows that the model puts in another class than ``y`` are ringed.
    ax : matplotlib axes or None
        Where to draw.
    columns : two ints, default=(0, 1)
        The columns on the axes.
    points : int, default=240
        Points of the grid along each axis.
    depth : bool or None
        Make the colour deeper where the probability is surer; None does so when the model gives probabilities.

    Examples
    --------
    >>> from epee import LogisticRegression
    >>> X, y = np.array([[0.0, 0.0], [1.0, 0.5], [3.0, 2.0], [4.0, 4.0]]), [0, 0, 1, 1]
    >>> plot_regions(LogisticRegression().fit(X, y), X, y).get_xlabel()
    'column 0'
    """
    table = X
    names = [str(c) for c in getattr(table, "columns", [])] or [
        say("column {j}", j=j) for j in range(np.shape(table)[1])
    ]
    X = np.asarray(table, dtype=float)
    if X.ndim != 2 or X.shape[1] < 2:
        raise WrongUse(f"regions are drawn over two columns, and X has shape {X.shape}.")
    i, j = columns
    ax = new_axes(ax, xlabel=names[i], ylabel=names[j])
    if is_regressor(model):
        raise WrongUse(f"{type(model).__name__} predicts numbers: regions are those of a classifier.")
    a, b = (_span(X[:, c], points) for c in (i, j))
    grid = np.tile(np.median(X, axis=0), (points * points, 1))
    grid[:, i], grid[:, j] = (axis.ravel() for axis in np.meshgrid(a, b))
    given = _like(grid, table)
    decided = np.asarray(model.predict(given))
    classes = np.asarray(model.classes_) if hasattr(model, "classes_") else np.unique(decided if y is None else y)
    shown = np.concatenate(
        [classes, np.setdiff1d(np.unique(decided), classes)]
    )  # a rejection may be a label of its own
    codes = np.array([np.flatnonzero(shown == label)[0] for label in decided]) if shown.dtype == object else np.searchsorted(
        shown, decided, sorter=np.argsort(shown)
    )  # fmt: skip
    codes = codes if shown.dtype == object else np.argsort(shown)[codes]
    _paint(ax, a, b, codes, _depths(model, given, depth))
    if y is not None:
        _points(ax, model, table, X[:, [i, j]], np.asarray(y), shown)
    else:
        ax.plot(X[:, i], X[:, j], "o", ms=3.5, color=INK, mec="white", mew=0.4)
    ax.set_xlim(a[0], a[-1])
    ax.set_ylim(b[0], b[-1])
    ax.grid(False)
    return ax


def _span(values: np.ndarray, points: int) -> np.ndarray:
    low, high = float(np.min(values)), float(np.max(values))
    room = 0.08 * (high - low) or 1.0
    return np.linspace(low - room, high + room, points)


def _like(grid: Matrix, table: Any) -> Any:
    """Return the grid as a frame when the rows came in one, so that names are checked as in a fit."""
    return type(table)(grid, columns=table.columns) if hasattr(table, "iloc") else grid


def _depths(model: Any, grid: Any, depth: bool | None) -> np.ndarray | None:
    if depth is False or not hasattr(model, "predict_proba"):
        return None
    P = np.asarray(model.predict_proba(grid))
    return (P.max(axis=1) - 1 / P.shape[1]) / (1 - 1 / P.shape[1])  # 0 where the classes are equal, 1 where one is sure


def _rgb(k: int) -> np.ndarray:
    from matplotlib.colors import to_rgb

    return np.array(to_rgb(COLOURS[k % len(COLOURS)]))


def _paint(ax: Any, a: np.ndarray, b: np.ndarray, codes: np.ndarray, depth: np.ndarray | None) -> None:
    size = len(a)
    strength = np.full(codes.shape, 0.28) if depth is None else 0.08 + 0.24 * np.clip(depth, 0, 1)
    paint = np.stack([_rgb(k) for k in range(int(codes.max()) + 1)])[codes]  # (points², 3)
    image = 1 - strength[:, None] * (1 - paint)
    ax.imshow(
        image.reshape(size, size, 3),
        extent=(a[0], a[-1], b[0], b[-1]),
        origin="lower",
        aspect="auto",
        interpolation="bilinear",
        zorder=0,
    )
    for k in range(int(codes.max()) + 1):
        inside = (codes == k).reshape(size, size).astype(float)
        if 0 < inside.sum() < inside.size:
            ax.contour(a, b, inside, levels=[0.5], colors=[INK], linewidths=0.9, zorder=1)


def _points(ax: Any, model: Any, table: Any, P: Matrix, y: np.ndarray, classes: np.ndarray) -> None:
    take = slice(None) if len(P) <= SHOWN_ROWS else np.linspace(0, len(P) - 1, SHOWN_ROWS).astype(int)
    some = table.iloc[take] if hasattr(table, "iloc") else np.asarray(table)[take]
    said = np.asarray(model.predict(some))
    known = np.asarray(model.classes_) if hasattr(model, "classes_") else np.unique(y)
    wrong = (said != y[take]) & np.isin(said, known)  # to reject is not to err
    P, y = P[take], y[take]
    size = 22 if len(P) < 400 else 9
    for k, label in enumerate(classes):
        of = y == label
        if of.any():
            ax.scatter(
                P[of, 0],
                P[of, 1],
                s=size,
                color=COLOURS[k % 8],
                marker=MARKERS[k % 8],
                edgecolor="white",
                lw=0.4,
                label=str(label),
                zorder=3,
            )
    if wrong.any() and len(P) <= 1000:
        ax.scatter(
            P[wrong, 0], P[wrong, 1], s=3 * size, facecolor="none", edgecolor=INK, lw=0.9, label=say("wrong"), zorder=4
        )
    for k, label in enumerate(classes):
        if label not in known and label in said:
            ax.scatter([], [], s=60, marker="s", color=1 - 0.28 * (1 - _rgb(k)), label=str(label))
    legend(ax, loc="best", frameon=True, framealpha=0.8, edgecolor="none")


def plot_criterion(
    X: Any, y: Any, loss: Any = "perceptron", ax: Any = None, *, centre: Any = (0.0, 0.0), span: float = 3.0, bias: float = 0.0,
    path: Any = None, levels: int = 22, points: int = 121,
) -> Any:  # fmt: skip
    """Draw a criterion of two-class linear scores over the plane of the weights (w1, w2).

    Parameters
    ----------
    X, y : the rows (n, 2) and their labels
        The second class, in sorted order, is the positive one.
    loss : {"perceptron", "hinge", "squared_hinge", "squared", "log", "zero_one"} or MarginLoss
        The criterion is its mean over the rows; "zero_one" is the share of errors, flat between its steps.
    centre, span : where to look, and how far from it
    bias : float
        The bias, held.
    path : array (k, 2), Descent or None
        Weights to draw as a path.
    """
    from epee.losses.names import resolve_margin

    X = np.asarray(X, dtype=float)
    if X.ndim != 2 or X.shape[1] != 2:
        raise WrongUse(f"the criterion is drawn over two weights, and X has shape {X.shape}: give two columns.")
    t = np.where(np.asarray(y) == np.unique(np.asarray(y))[-1], 1.0, -1.0)
    ax = new_axes(ax, size=(5.2, 4.6), xlabel="$w_1$", ylabel="$w_2$")
    a, b = (np.linspace(c - span, c + span, points) for c in centre)
    W = np.stack([axis.ravel() for axis in np.meshgrid(a, b)])  # (2, points²)
    S = X @ W + bias  # (n, points²)
    if isinstance(loss, str) and named(loss).is_rate:
        Z, name = (t[:, None] * S <= 0).mean(axis=0), say("share of errors")
    else:
        chosen = resolve_margin(loss)
        Z = np.array([chosen.value(S[:, k], t).mean() for k in range(S.shape[1])])
        name = say("mean {loss} loss", loss=say.known(chosen.name.replace("_", " ")))
    Z = Z.reshape(points, points)
    shade = ax.contourf(a, b, Z, levels=levels, cmap="viridis_r")
    ax.contour(a, b, Z, levels=levels, colors="white", linewidths=0.35)
    ax.figure.colorbar(shade, ax=ax, label=name)
    if path is not None:
        walk = np.asarray(path if np.ndim(path) == 2 else path.trace.x)
        ax.plot(walk[:, 0], walk[:, 1], color=COLOURS[1], marker="o", ms=3, lw=1.3)
        ax.plot(*walk[-1], marker="*", ms=11, color=INK)
    ax.set_aspect("equal")
    ax.grid(False)
    return ax


def plot_sigmoid(
    model: Any, X: Any = None, y: Any = None, ax: Any = None, *, points: int = 60, span: float = 3.0
) -> Any:
    """Draw the probability of the second class as a surface over two inputs, with the rows at heights 0 and 1.

    Parameters
    ----------
    model : a fitted two-class model with ``predict_proba``, or a pair (w, b)
        A pair draws the sigmoid of w·x + b.
    X, y : the rows (n, 2) and their labels, or None
    """
    from epee.figures.style import loaded_pyplot
    from epee.losses.entropy import sigmoid

    if ax is None:
        ax = loaded_pyplot().figure(figsize=(6, 4.8), layout="constrained").add_subplot(projection="3d")
    rows = None if X is None else np.asarray(X, dtype=float)
    a, b = (np.linspace(-span, span, points) if rows is None else _span(rows[:, c], points) for c in (0, 1))
    A, B = np.meshgrid(a, b)
    grid = np.column_stack([A.ravel(), B.ravel()])
    if isinstance(model, tuple):
        w, bias = model
        P = sigmoid(grid @ np.asarray(w, dtype=float) + bias)
    else:
        P = model.predict_proba(grid)[:, 1]
    ax.plot_surface(A, B, P.reshape(points, points), cmap="coolwarm", alpha=0.75, lw=0, antialiased=True)
    ax.contour(A, B, P.reshape(points, points), levels=[0.5], colors=[INK], linewidths=1.4)
    if rows is not None and y is not None:
        labels = np.unique(np.asarray(y))
        for k, label in enumerate(labels):
            of = np.asarray(y) == label
            ax.scatter(rows[of, 0], rows[of, 1], float(k), color=COLOURS[k], s=14, label=str(label))
        legend(ax)
    ax.set(xlabel="$x_1$", ylabel="$x_2$", zlabel=say("P(second class)"), zlim=(0, 1))
    ax.view_init(elev=24, azim=-60)
    return ax


def plot_perceptron_trace(trace: Any, ax: Any = None) -> Any:
    """Draw the errors and the criterion of a perceptron against its passes."""
    ax = new_axes(ax, xlabel=say("pass"), ylabel=say("errors"))
    k = np.arange(len(trace))
    ax.step(k, trace.errors, where="mid", color=COLOURS[0], label=say("errors"))
    ax.plot(k, np.minimum.accumulate(trace.errors), color=COLOURS[1], lw=1.2, ls="--", label=say("in the pocket"))
    twin = ax.twinx()
    twin.plot(k, trace.criterion, color=QUIET, lw=0.9, label=say("criterion"))
    twin.set_ylabel(say("criterion"), color=QUIET)
    twin.spines["top"].set_visible(False)
    legend(ax, loc="upper right")
    return ax
