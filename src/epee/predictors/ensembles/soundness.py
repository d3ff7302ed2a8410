"""Whether arrays of nodes can be walked: a file made by hand may hold others, and compiled code looks at no bounds.

The children of a node lie side by side after it; a leaf is its own child, and sends every row, missing cells too, to itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def walkable(trees: Any, by_node: Sequence[str]) -> bool:
    """Tell whether every way from a root ends in a leaf within the arrays; ``by_node`` names those that have a cell for each node."""
    first, roots, feature = trees.first, trees.roots, trees.feature
    if any(len(getattr(trees, name)) != len(first) for name in by_node):
        return False
    if any(array.ndim != 1 or array.dtype.kind not in "iu" for array in (first, roots, feature)):
        return False
    n, node = len(first), np.arange(len(first))
    leaf = first == node
    return bool(
        ((first >= node) & (first < n)).all()
        and (first[~leaf] + 1 < n).all()
        and (trees.threshold[leaf] == np.inf).all()
        and trees.missing_left[leaf].all()
        and (feature >= 0).all()
        and ((roots >= 0) & (roots < n)).all()
    )


def refuse_strange(sound: Any, what: str) -> None:
    """Raise where arrays are not what they are called."""
    if not sound:
        raise ValueError(f"these arrays are no {what}")
