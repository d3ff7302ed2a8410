"""Pictures of clusters: the choice of their number, the tree, the cloud with its centres, the descent of the criterion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from epee.errors import WrongUse
from epee.figures.style import COLOURS, INK, MARKERS, QUIET, legend, new_axes, new_grid, whiskers
from epee.typing import Matrix
from epee.words.cluster_words import say
from epee.words.numbers import percent

if TYPE_CHECKING:
    from epee.structure.cluster_choice import ClusterChoice


def plot_choice(choice: ClusterChoice, ax: Any = None) -> Any:
    """Draw each criterion against the number of clusters, with one standard error either way, and ring the value it chooses.

    ``ax`` is None, or as many axes as criteria; the axes are returned, one alone for one criterion.
    """
    criteria = list(choice.criteria.values())
    axes = (
        new_grid(1, len(criteria), size=(3.6 * len(criteria), 3.2)).ravel()
        if ax is None
        else np.atleast_1d(np.asarray(ax)).ravel()
    )
    if len(axes) < len(criteria):
        raise WrongUse(f"{len(criteria)} criteria need as many axes; {len(axes)} were given.")
    for one, criterion, colour in zip(axes, criteria, COLOURS):
        new_axes(one, xlabel=say("number of clusters"))
        above = criterion.score - (criterion.score.min() if criterion.name == "bic" else 0.0)
        title = say.known("BIC above the best" if criterion.name == "bic" else criterion.name)
        whiskers(
            one,
            above,
            above - criterion.stderr,
            above + criterion.stderr,
            criterion.values,
            colour,
            flat=False,
            fmt="o-",
            ms=4,
        )
        i = int(np.flatnonzero(criterion.values == criterion.chosen)[0])
        one.plot(
            criterion.chosen,
            above[i],
            "o",
            ms=12,
            mfc="none",
            mec=INK,
            mew=1.4,
            label=f"{say('chosen')}: {criterion.chosen}",
        )
        one.set_title(title)
        one.xaxis.get_major_locator().set_params(integer=True)
        legend(one)
    return axes[0] if len(criteria) == 1 else axes


def plot_dendrogram(
    Z: Any, ax: Any = None, *, n_clusters: int | None = None, leaves: int = 30, labels: Any = None
) -> Any:
    """Draw the tree of SciPy's Z, or of a fitted ``AgglomerativeClustering``, with the cut into clusters as a dashed line.

    Parameters
    ----------
    Z : array (n - 1, 4) or a model with ``linkage_``
    ax : matplotlib axes, optional
    n_clusters : int, optional
        Where to cut; a model brings its own number.
    leaves : int, default=30
        Larger trees show only their last merges; a leaf then says how many rows it holds.
    labels : sequence of str, optional
        Names of the rows, where all are shown.
    """
    from scipy.cluster.hierarchy import dendrogram

    if hasattr(Z, "linkage_"):
        n_clusters = Z.n_clusters_ if n_clusters is None else n_clusters
        Z = Z.linkage_
    Z = np.asarray(Z, dtype=np.float64)
    n = len(Z) + 1
    heights = np.maximum.accumulate(Z[:, 2])
    ax = new_axes(ax, ylabel=say("height"))
    cut = None
    if n_clusters is not None and 1 < n_clusters <= n:
        below = heights[n - 1 - n_clusters] if n_clusters < n else 0.0
        cut = (below + heights[n - n_clusters]) / 2
    whole = n <= leaves
    drawn = dendrogram(Z, p=leaves, truncate_mode=None if whole else "lastp", no_plot=True, labels=labels if whole else None,
                       color_threshold=cut, above_threshold_color=QUIET)  # fmt: skip
    group: dict[str, str] = {}
    for x, y, name in zip(drawn["icoord"], drawn["dcoord"], drawn["color_list"]):
        colour = QUIET if name == QUIET else group.setdefault(name, COLOURS[len(group) % len(COLOURS)])
        ax.plot(x, y, color=colour, lw=1.4)
    at = 5 + 10 * np.arange(len(drawn["ivl"]))
    names = [str(leaf) for leaf in drawn["ivl"]]
    turned = len(names) > 12 or any(len(name) > 4 for name in names)
    ax.set_xticks(at, names, rotation=90 if turned else 0, fontsize=8)
    ax.grid(False, axis="x")
    ax.set_ylim(min(0.0, float(Z[:, 2].min())), 1.05 * float(heights[-1]) or 1.0)
    if not whole:
        ax.set_xlabel(say("rows"))
    if cut is not None:
        ax.axhline(cut, color=INK, ls="--", lw=1, label=say("cut into {k} {k:cluster|clusters}", k=n_clusters))
        legend(ax)
    return ax


def plot_clusters(model: Any, X: Any, ax: Any = None, *, most: int = 5000) -> Any:
    """Draw the rows in the colours of their clusters, with the centres; more than two columns are shown along their principal axes.

    Rows with the label -1, that belong to no cluster, are grey crosses. Of a large table ``most`` rows are drawn.
    """
    X = np.asarray(X, dtype=np.float64)
    labels = np.asarray(
        model.labels_ if hasattr(model, "labels_") and len(model.labels_) == len(X) else model.predict(X)
    )
    flat, mean, axes, names = _plane(X)
    ax = new_axes(ax, xlabel=names[0], ylabel=names[1])
    shown = (
        np.arange(len(X)) if len(X) <= most else np.sort(np.random.default_rng(0).choice(len(X), most, replace=False))
    )
    for k in np.unique(labels[shown]):
        at = shown[labels[shown] == k]
        if k < 0:
            ax.plot(*flat[at].T, "x", ms=4, color=QUIET)
            continue
        ax.plot(
            *flat[at].T,
            MARKERS[int(k) // len(COLOURS) % len(MARKERS)],
            ms=3.5,
            mew=0,
            alpha=0.7,
            color=COLOURS[int(k) % len(COLOURS)],
        )
    centres = getattr(model, "cluster_centers_", None)
    if centres is not None:
        ax.plot(*((np.asarray(centres) - mean) @ axes.T).T, "P", ms=11, mfc=INK, mec="white", mew=1.5)
    return ax


def _plane(X: Matrix) -> tuple[Matrix, Matrix, Matrix, list[str]]:
    """Return the rows in two dimensions, the mean and axes that put them there, and the names of the axes."""
    p = X.shape[1]
    if p == 1:
        return (
            np.column_stack([X, np.zeros(len(X))]),
            np.zeros(1),
            np.array([[1.0], [0.0]]),
            [say("column {j}", j=0), ""],
        )
    if p == 2:
        return X, np.zeros(2), np.eye(2), [say("column {j}", j=j) for j in range(2)]
    mean = X.mean(axis=0)
    _, s, V = np.linalg.svd(X - mean, full_matrices=False)
    share = s**2 / max(float((s**2).sum()), 1e-300)
    return (
        (X - mean) @ V[:2].T,
        mean,
        V[:2],
        [say("axis {j} ({share} of the variance)", j=j + 1, share=percent(share[j], 0)) for j in range(2)],
    )


def plot_trace(model: Any, ax: Any = None) -> Any:
    """Draw the criterion J of a fitted k-means or k-medoids against its steps."""
    trace = np.asarray(model.trace_, dtype=np.float64)
    trace = trace[:, -1] if trace.ndim == 2 else trace
    ax = new_axes(ax, xlabel=say("half-step"), ylabel=say("criterion J"))
    ax.plot(np.arange(1, len(trace) + 1), trace, "o-", ms=4)
    ax.xaxis.get_major_locator().set_params(integer=True)
    return ax
