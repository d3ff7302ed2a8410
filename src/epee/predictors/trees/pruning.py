r"""Weakest-link pruning.

The cost of a tree is its risk plus a price for each leaf, :math:`R_\alpha(T) = R(T) + \alpha |T|`. As :math:`\alpha` grows, the
best subtrees are nested: a branch goes when :math:`\alpha` reaches :math:`(R(t) - R(T_t)) / (|T_t| - 1)`. :math:`R` is a mean
over the rows: of the impurity (scikit-learn's ``ccp_alpha``), or of the errors, costs or squared residuals themselves
(R's ``rpart``, whose ``CP`` is :math:`\alpha / R(\text{root})`).

Cross-validation grows one tree a fold. Row :math:`i` walks once down the tree that has not seen it and leaves its loss under each
pruned tree on the way, so the whole path costs about one prediction. The trees of the folds are cut at the geometric means
:math:`\sqrt{\alpha_k \alpha_{k+1}}`, each of which stands for the interval where one subtree is the best.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from epee.lazy import drawn
from epee.predictors.trees.structure import LEAF, Tree
from epee.stateful import Part
from epee.typing import Codes, Matrix, Vector


@dataclass(frozen=True, eq=False)
class PruningPath(Part):
    """The nested subtrees of a tree, from the largest (alpha = 0) to the root.

    ``alphas`` (A,) where each becomes the best, its ``n_leaves`` and ``risk`` on the training rows; after cross-validation its
    mean loss ``cv`` with ``stderr``; ``chosen`` is the index of the tree in use.
    """

    alphas: Vector
    n_leaves: Codes
    risk: Vector
    root_risk: float
    cv: Vector | None = None
    stderr: Vector | None = None
    chosen: int | None = None

    def __len__(self) -> int:
        return len(self.alphas)

    @property
    def table(self) -> Matrix:
        """The table of rpart, from the root down: CP, number of splits, relative error, and xerror, xstd if cross-validated."""
        scale = self.root_risk if self.root_risk > 0 else 1.0
        columns = [self.alphas / scale, self.n_leaves - 1.0, self.risk / scale]
        if self.cv is not None and self.stderr is not None:
            columns += [self.cv / scale, self.stderr / scale]
        return np.column_stack(columns)[::-1]

    def __str__(self) -> str:
        names = ["CP", "nsplit", "rel error", "xerror", "xstd"]
        table = self.table
        cells = [[f"{v:.0f}" if j == 1 else f"{v:.5f}" for j, v in enumerate(row)] for row in table]
        return "\n".join(" ".join(f"{c:>9}" for c in row) for row in [names[: table.shape[1]], *cells])

    plot = drawn(
        "trees.plot_pruning",
        "Draw the risk of the subtrees against their number of leaves, with one standard error around the best.",
    )


def trace_path(tree: Tree, risk: Vector) -> tuple[PruningPath, Vector]:
    """Return the path, and the alpha (nodes,) at which each node ceases to branch."""
    from epee.kernels.trees_walk import weakest_links

    ceases = weakest_links(tree.children_left, tree.children_right, risk, 1e-12 * max(float(risk[0]), 1e-300))
    inner = tree.children_left != LEAF
    alphas = np.unique(np.concatenate([[0.0], ceases[inner]]))
    # a node is in a subtree while its parent branches
    parent = np.where(tree.parent >= 0, ceases[tree.parent], np.inf)
    first = np.searchsorted(alphas, np.where(inner, ceases, 0.0), side="left")
    last = np.where(np.isinf(parent), len(alphas), np.searchsorted(alphas, parent, side="left"))
    leaves, risks = np.zeros(len(alphas) + 1, dtype=np.int64), np.zeros(len(alphas) + 1)
    for step, at in ((1, first), (-1, last)):  # node t is a leaf of the subtrees first[t] .. last[t]
        np.add.at(leaves, at, step)
        np.add.at(risks, at, step * risk)
    return PruningPath(alphas, np.cumsum(leaves)[:-1], np.cumsum(risks)[:-1], float(risk[0])), ceases


def representatives(alphas: Vector) -> Vector:
    """Return the geometric means of successive alphas, and infinity for the root.

    >>> representatives(np.array([0.0, 1.0, 4.0]))
    array([ 0.,  2., inf])
    """
    return np.append(np.sqrt(alphas[:-1] * alphas[1:]), np.inf)


def path_loss(
    tree: Tree, ceases: Vector, alphas: Vector, X: Matrix, rows: Codes, y: Vector, codes: Codes, w: Vector,
    losses: Matrix | None, absolute: bool,
) -> tuple[Vector, Vector]:  # fmt: skip
    """Return the sums of losses and of their squares (A,) of some rows under the tree pruned at each alpha."""
    from epee.kernels.trees_walk import path_losses

    sums, squares = np.zeros(len(alphas) + 1), np.zeros(len(alphas) + 1)
    first = np.searchsorted(alphas, ceases, side="left")
    value = np.ascontiguousarray(tree.value[:, 0, 0])
    K = 0 if losses is None else losses.shape[1]
    table = np.zeros((1, 1)) if losses is None else losses
    path_losses(X, rows, y, codes, w, K, *tree.walking, first, value, table, absolute, sums, squares)
    return np.cumsum(sums)[:-1], np.cumsum(squares)[:-1]


def choose(cv: Vector, stderr: Vector, rule: str) -> int:
    """Return the index of the smallest loss, or of the smallest tree within one standard error of it.

    >>> choose(np.array([0.30, 0.20, 0.22, 0.5]), np.full(4, 0.03), "one_se")
    2
    """
    best = int(np.flatnonzero(cv <= cv.min() * (1 + 1e-12))[-1])  # of equals the smaller tree
    if rule == "min":
        return best
    return int(np.flatnonzero(cv <= cv[best] + stderr[best])[-1])
