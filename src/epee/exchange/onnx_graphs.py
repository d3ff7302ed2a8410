r"""Linear models, trees, forests and boosting as ONNX graphs.

A linear model is a product and a sum. A forest is one ``TreeEnsembleRegressor``: each leaf adds its value, divided by the number of trees,
to the score of each class. A row that is at most the threshold goes left; thresholds are rounded *down* to float32, the type of ONNX's
trees, so that a float32 cell goes where it goes here. What a scale changes the scores to (a logistic, a softmax, an exponential) comes
last, and the label is that of the largest probability.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.errors import WrongUse
from epee.predictors.ensembles.members import as_tree
from epee.typing import Codes, Labels, Matrix, Vector

FLOAT, DOUBLE, INT64, STRING = 1, 11, 7, 8  # the numbers of ONNX's types


class Graph:
    """Writes nodes into the container that ``skl2onnx`` hands a converter."""

    def __init__(self, scope: Any, operator: Any, container: Any) -> None:
        self.scope, self.operator, self.container = scope, operator, container
        self.model = operator.raw_operator
        given = operator.inputs[0]
        self.kind = DOUBLE if "Double" in type(given.type).__name__ else FLOAT
        self.rows = given.full_name
        if "Float" not in type(given.type).__name__ and self.kind == FLOAT:
            self.rows = self.node("Cast", [self.rows], to=FLOAT)

    def node(
        self,
        op: str,
        inputs: list[str],
        output: str | None = None,
        domain: str = "",
        version: int = 13,
        **attributes: Any,
    ) -> str:
        """Add a node and return the name of what comes out of it."""
        name = output or self.scope.get_unique_variable_name(op.lower())
        self.container.add_node(
            op,
            inputs,
            name,
            op_domain=domain,
            op_version=version,
            name=self.scope.get_unique_operator_name(op),
            **attributes,
        )
        return name

    def constant(self, values: Any, kind: int) -> str:
        """Add an array and return its name."""
        name, array = self.scope.get_unique_variable_name("constant"), np.asarray(values)
        flat = [str(v).encode() for v in array.ravel()] if kind == STRING else array.ravel().tolist()
        self.container.add_initializer(name, kind, list(array.shape), flat)
        return name

    def affine(self, coef: Matrix, intercept: Vector) -> str:
        """Return X W' + b (n, M) for weights (M, p)."""
        product = self.node("MatMul", [self.rows, self.constant(np.asarray(coef, dtype=float).T, self.kind)])
        return self.node(
            "Add",
            [product, self.constant(np.reshape(np.asarray(intercept, dtype=float), (1, -1)), self.kind)],
            version=14,
        )

    def trees(self, arrays: dict[str, Any], outputs: int, start: Vector | None = None) -> str:
        """Return the sums (n, outputs) of what the leaves of all trees say."""
        begin: dict[str, Any] = {} if start is None else {"base_values": [float(v) for v in start]}
        rows = self.rows if self.kind == FLOAT else self.node("Cast", [self.rows], to=FLOAT)
        made = self.node(
            "TreeEnsembleRegressor", [rows], domain="ai.onnx.ml", version=1, n_targets=outputs, aggregate_function="SUM",
            post_transform="NONE", **arrays, **begin,
        )  # fmt: skip
        return made if self.kind == FLOAT else self.node("Cast", [made], to=DOUBLE)

    def two_sides(self, scores: str) -> str:
        """Return the probabilities (n, 2) of log-odds (n, 1)."""
        p = self.node("Sigmoid", [scores])
        return self.node("Concat", [self.node("Sub", [self.constant([1.0], self.kind), p], version=14), p], axis=1)

    def labels(self, scores: str, shown: str, classes: Labels) -> None:
        """Write the classes of the largest scores, and what is shown beside them, to the outputs of the operator."""
        words = np.asarray(classes).dtype.kind not in "iufb"
        place = self.node("ArgMax", [scores], axis=1, keepdims=0)
        table = self.constant(classes if words else np.asarray(classes).astype(np.int64), STRING if words else INT64)
        self.node("Gather", [table, place], self.operator.outputs[0].full_name, axis=0)
        self.node("Identity", [shown], self.operator.outputs[1].full_name, version=14)

    def values(self, name: str) -> None:
        """Write values to the output of the operator."""
        self.node("Identity", [name], self.operator.outputs[0].full_name, version=14)


def lowered(threshold: Vector) -> Vector:
    """Return thresholds as float32, never above what they were.

    >>> bool(lowered(np.array([0.1]))[0] <= 0.1)
    True
    """
    with np.errstate(over="ignore"):
        near = threshold.astype(np.float32)
    return np.where(near > threshold, np.nextafter(near, np.float32(-np.inf)), near)


def nodes(
    tree: Codes,
    node: Codes,
    left: Codes,
    right: Codes,
    feature: Codes,
    threshold: Vector,
    missing_left: Any,
    value: Matrix,
) -> dict[str, Any]:
    """Return the attributes of ONNX's trees; a leaf has no left child (-1), and ``value`` (nodes, outputs) is what it adds."""
    leaf = left < 0
    who = np.flatnonzero(leaf)
    K = value.shape[1]

    def whole(a: Any) -> list[int]:
        return [int(v) for v in a]

    return {
        "nodes_treeids": whole(tree), "nodes_nodeids": whole(node), "nodes_featureids": whole(np.where(leaf, 0, feature)),
        "nodes_modes": ["LEAF" if end else "BRANCH_LEQ" for end in leaf],
        "nodes_values": [float(v) for v in np.where(leaf, 0.0, lowered(np.where(leaf, 0.0, threshold)))],
        "nodes_truenodeids": whole(np.where(leaf, 0, left)), "nodes_falsenodeids": whole(np.where(leaf, 0, right)),
        "nodes_hitrates": [1.0] * len(leaf), "nodes_missing_value_tracks_true": whole(np.where(leaf, 0, missing_left)),
        "target_treeids": whole(np.repeat(tree[who], K)), "target_nodeids": whole(np.repeat(node[who], K)),
        "target_ids": whole(np.tile(np.arange(K), len(who))), "target_weights": [float(v) for v in value[who].ravel()],
    }  # fmt: skip


def of_tree(tree: Any, number: int = 0, share: float = 1.0) -> dict[str, Any]:
    """Return the attributes of a decision tree, its leaves multiplied by ``share``."""
    if len(tree.categories_left):
        raise WrongUse(
            "this tree splits categories by sets, which ONNX's trees do not know: encode the categories before it."
        )
    if tree.n_outputs > 1:
        raise WrongUse("a tree of several outputs is not written as ONNX: fit one tree an output.")
    n = tree.node_count
    return nodes(
        np.full(n, number), np.arange(n), tree.children_left, tree.children_right, tree.feature, tree.threshold, tree.missing_go_to_left,
        tree.value[:, 0] * share,
    )  # fmt: skip


def joined(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the attributes of several trees together."""
    return {name: [v for part in parts for v in part[name]] for name in parts[0]}


def of_forest(model: Any) -> dict[str, Any]:
    """Return the attributes of a forest: the mean of its trees."""
    T = len(model.forest_)
    return joined([of_tree(as_tree(model, t), t, 1.0 / T) for t in range(T)])


def of_boosting(trees: Any, outputs: int) -> dict[str, Any]:
    """Return the attributes of boosted trees, each of which adds to one output."""
    if len(trees.sets):
        raise WrongUse(
            "these trees split categories by sets, which ONNX's trees do not know: encode the categories before."
        )
    ends = np.append(trees.roots[1:], len(trees.first))
    parts = []
    for t, (a, b) in enumerate(zip(trees.roots, ends, strict=True)):
        first = trees.first[a:b].astype(np.int64) - a
        here = np.arange(b - a)
        left = np.where(first == here, -1, first)
        value = np.zeros((b - a, outputs))
        value[:, trees.outputs[t]] = trees.value[a:b]
        part = nodes(
            np.full(b - a, t),
            here,
            left,
            left + 1,
            trees.feature[a:b],
            trees.threshold[a:b],
            trees.missing_left[a:b],
            value,
        )
        if outputs > 1:  # a tree speaks of one output
            kept = [i for i, k in enumerate(part["target_ids"]) if k == trees.outputs[t]]
            part |= {
                name: [part[name][i] for i in kept]
                for name in ("target_treeids", "target_nodeids", "target_ids", "target_weights")
            }
        parts.append(part)
    return joined(parts)
