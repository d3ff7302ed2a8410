"""Pictures of trees: the tree itself, the boxes of its leaves, the path of its pruning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from epee.figures.style import COLOURS, MARKERS, legend, new_axes
from epee.words.figure_words import say


def plot_tree(
    tree: Any,
    names: Sequence[str],
    conclusion: Callable[[int], str],
    ax: Any = None,
    *,
    max_depth: int = 5,
    digits: int = 3,
) -> Any:
    """Draw a tree down to ``max_depth``: questions at the nodes, yes to the left, conclusions at the leaves."""
    import matplotlib.pyplot as plt

    stops = (tree.children_left < 0) | (tree.depth >= max_depth)
    place: dict[int, float] = {}
    _place(tree, stops, 0, place)
    width = max(place.values()) + 1
    if ax is None:
        depth = min(max_depth, tree.max_depth)
        _, ax = plt.subplots(figsize=(max(4.0, 1.5 * width), 1.4 + 1.2 * depth), layout="constrained")
    for node, x in place.items():
        y = -float(tree.depth[node])
        if not stops[node]:
            for child, word in ((tree.children_left[node], say("yes")), (tree.children_right[node], say("no"))):
                u, v = place[int(child)], -float(tree.depth[child])
                ax.plot([x, u], [y, v], color="0.6", lw=1, zorder=0)
                if node == 0:
                    ax.annotate(word, ((x + u) / 2, (y + v) / 2), fontsize=7, color="0.4", ha="center", va="center",
                                bbox={"boxstyle": "round,pad=0.1", "fc": "w", "ec": "none"})  # fmt: skip
        text = _question(tree, node, names, digits) if not stops[node] else conclusion(node).replace(" (", "\n(")
        if stops[node] and tree.children_left[node] >= 0:
            text += "\n..."
        box = {"boxstyle": "round,pad=0.3", "fc": "#eef3fa" if not stops[node] else "#f7f2e4", "ec": "0.5", "lw": 0.7}
        ax.annotate(text, (x, y), ha="center", va="center", fontsize=7.5, bbox=box)
    ax.set(xlim=(-0.6, width - 0.4), ylim=(min(-float(tree.depth[n]) for n in place) - 0.45, 0.45))
    ax.axis("off")
    return ax


def _place(tree: Any, stops: np.ndarray, root: int, place: dict[int, float]) -> None:
    """Give each drawn leaf the next place from the left, and each node the middle of its children."""
    drawn, stack = [], [root]
    while stack:
        node = stack.pop()
        drawn.append(node)
        if not stops[node]:
            stack += [int(tree.children_right[node]), int(tree.children_left[node])]
    for x, node in enumerate(n for n in drawn if stops[n]):
        place[node] = float(x)
    for node in reversed(drawn):
        if not stops[node]:
            place[node] = (place[int(tree.children_left[node])] + place[int(tree.children_right[node])]) / 2


def _question(tree: Any, node: int, names: Sequence[str], digits: int) -> str:
    f = int(tree.feature[node])
    if tree.category_set[node] < 0:
        return f"{names[f]} ≤ {tree.threshold[node]:.{digits}g} ?"
    start, end = tree.level_starts[f], tree.level_starts[f + 1]
    inside = tree.levels[start:end][tree.categories_left[tree.category_set[node]][: end - start] == 1]
    shown = ", ".join(f"{v:g}" for v in inside[:6]) + (", ..." if len(inside) > 6 else "")
    return say("{name} in {levels} ?", name=str(names[f]), levels=f"{{{shown}}}")


def plot_boxes(model: Any, X: Any, y: Any = None, ax: Any = None) -> Any:
    """Draw the boxes of a tree on two inputs, shaded by what it predicts there, and the rows over them."""
    import matplotlib.pyplot as plt
    from matplotlib.patches import Rectangle

    X = np.asarray(X, dtype=float)
    if X.shape[1] != 2:
        raise ValueError(f"boxes are drawn for two inputs; X has {X.shape[1]} columns.")
    ax = new_axes(ax, size=(5, 4.2))
    ax.grid(False)
    low, high = X.min(axis=0), X.max(axis=0)
    margin = 0.05 * np.where(high > low, high - low, 1.0)
    low, high = low - margin, high + margin
    boxes = np.clip(model.regions(), low[:, None], high[:, None])  # (leaves, 2, 2)
    says = model.leaf_predictions()
    classes = getattr(model, "classes_", None)
    if classes is None:
        scale = plt.Normalize(float(np.min(says)), float(np.max(says)))
        colours = plt.get_cmap("viridis")(scale(says))
    else:
        colours = [COLOURS[k % len(COLOURS)] for k in np.searchsorted(classes, says)]
    for box, colour in zip(boxes, colours):
        corner, size = box[:, 0], box[:, 1] - box[:, 0]
        ax.add_patch(Rectangle(corner, *size, fc=colour, alpha=0.3, ec="w", lw=1.2))
    if y is not None and classes is None:
        shown = ax.scatter(
            X[:, 0], X[:, 1], s=14, c=np.asarray(y, dtype=float), norm=scale, edgecolors="k", linewidths=0.3
        )
        ax.figure.colorbar(shown, ax=ax, label="y")
    elif y is not None and classes is not None:
        for k, label in enumerate(classes):
            own = X[np.asarray(y) == label]
            look = {"color": COLOURS[k % len(COLOURS)], "marker": MARKERS[k % len(MARKERS)], "label": str(label)}
            ax.scatter(own[:, 0], own[:, 1], s=20, edgecolors="white", linewidths=0.4, **look)
        legend(ax, frameon=True, framealpha=0.85, edgecolor="none")
    names = getattr(model, "feature_names_in_", ["$x_0$", "$x_1$"])
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), xlabel=str(names[0]), ylabel=str(names[1]))
    return ax


def plot_pruning(path: Any, ax: Any = None) -> Any:
    """Draw the risk of each subtree against its leaves; with cross-validation its error bars and the chosen one."""
    ax = new_axes(ax)
    ax.plot(path.n_leaves, path.risk, ".-", color="0.5", lw=1, label=say("training rows"))
    if path.cv is not None:
        ax.errorbar(
            path.n_leaves,
            path.cv,
            path.stderr,
            fmt="o-",
            ms=3,
            lw=1,
            capsize=2,
            color="C0",
            label=say("cross-validation"),
        )
        best = int(np.argmin(path.cv))
        ax.axhline(
            path.cv[best] + path.stderr[best],
            color="C0",
            lw=0.8,
            ls=":",
            label=say("one standard error above the best"),
        )
    if path.chosen is not None:
        height = path.risk if path.cv is None else path.cv
        ax.plot(path.n_leaves[path.chosen], height[path.chosen], "o", ms=9, mfc="none", color="C3",
                label=say("chosen: {n} {n:leaf|leaves}", n=int(path.n_leaves[path.chosen])))  # fmt: skip
    if path.n_leaves[0] > 30:
        ax.set_xscale("log")
    ax.set(xlabel=say("leaves"), ylabel=say("risk"))
    legend(ax)
    return ax
