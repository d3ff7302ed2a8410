"""Our trees, read by SHAP.

SHAP's ``TreeExplainer`` takes a model for a tree by its class, and its arrays only from the classes it knows, or from a dictionary. It is
told once, when it is imported, to read the arrays of ours as such a dictionary.
"""

from __future__ import annotations

from functools import wraps
from types import ModuleType
from typing import Any

import numpy as np

from epee.errors import WrongUse
from epee.predictors.trees.structure import Tree


def as_dictionary(tree: Tree) -> dict[str, Any]:
    """Return the arrays of a tree by the names of SHAP."""
    if len(tree.categories_left):
        raise WrongUse(
            "this tree splits categories by sets, which SHAP does not know: encode the categories before it."
        )
    return {
        "children_left": tree.children_left, "children_right": tree.children_right,
        "children_default": np.where(tree.missing_go_to_left != 0, tree.children_left, tree.children_right),
        "features": tree.feature, "thresholds": tree.threshold, "values": tree.value.reshape(tree.node_count, -1),
        "node_sample_weight": tree.weighted_n_node_samples,
    }  # fmt: skip


def teach(shap: ModuleType) -> None:
    """Let SHAP's reader of single trees read ours."""
    read = shap.SingleTree.__init__

    @wraps(read)
    def read_ours(self: Any, tree: Any, *rest: Any, **options: Any) -> None:
        read(self, as_dictionary(tree) if isinstance(tree, Tree) else tree, *rest, **options)

    shap.SingleTree.__init__ = read_ours
