"""How the main job tries forests, boosted trees, kernels and networks: what depends on the table, by rule.

Nothing here was tuned on a table of the study (``make wild``). A tree of a small table has few leaves of few rows and many rounds make up
for it; a larger one has room for deeper trees, and a longer step keeps the cost of ten folds about that of one large fit. The mean of a
leaf of one row is drawn half way to nothing by its penalty, so leaves of a squared error need no least count: on 26 other tables of R's
packages that lowered the error by 2.5 %, on made ones it changed nothing.
"""

from __future__ import annotations

from typing import Any

from epee.estimator.method import Setting, quantile_of

FEW = 12  # levels up to which a category is given to trees as it is; richer ones with the means of the target, too
MANY = 3_000  # rows from which forests are judged out of the bag
ROUNDS = (20, 40, 70, 100, 150, 200, 250, 300, 400, 550, 800)


def boosting(s: Setting) -> dict[str, Any]:
    """Return the parameters of boosted trees: a leaf holds at least one row in a hundred, three of a small table, twenty of a large.

    One row is enough for the mean of a squared error of up to 5,000 rows, which the penalty shrinks.
    """
    groups = s.levels
    width = s.p - sum(b - a for a, b in groups)
    least = 1 if shrinks(s) else min(max(s.n // 100, 3), 20)
    return judged(s) | {
        "learning_rate": 0.07 if s.n < 500 else 0.05 if s.n < 5_000 else 0.1, "max_iter": rounds(s)[-1], "max_leaf_nodes": leaves(s),
        "min_samples_leaf": least, "l2_regularization": 1.0, "max_features": 0.5 if s.p > 2 else 1.0,
        "early_stopping": False, "random_state": s.seed,
        "categorical_features": [width + k for k in range(len(groups))] or None,
    }  # fmt: skip


def shrinks(s: Setting) -> bool:
    """Tell whether the leaves of boosted trees are means of a table that is not large."""
    return s.task == "regression" and s.loss in ("", "squared") and s.n < 5_000


def judged(s: Setting) -> dict[str, Any]:
    """Return the loss to fit: the one that judges, where boosting has it."""
    if s.loss.startswith("quantile"):
        return {"loss": "quantile", "quantile": quantile_of(s)}
    return (
        {"loss": {"absolute": "absolute_error", "poisson": "poisson"}[s.loss]}
        if s.loss in ("absolute", "poisson")
        else {}
    )


def tree(s: Setting) -> dict[str, Any]:
    """Return the parameters of a tree of numbers, which is cut by the loss that judges it, where trees have it."""
    criterion = judged(s).get("loss", "squared_error")
    fits = {} if criterion == "quantile" else {"criterion": criterion}
    return fits | {"min_samples_leaf": 3, "random_state": s.seed}


def impurity(s: Setting) -> float:
    """Return the unit of a tree's criterion: that of the target, squared where it is its variance."""
    return float(s.scale if s.loss in ("absolute", "poisson") else s.scale**2)


def rounds(s: Setting) -> list[int]:
    """Return numbers of rounds; trees of many classes are as many times fewer, and so are those of longer steps.

    Small tables of numbers may have hardly any noise, and then go on to gain: more is tried there, where a tree costs little.
    """
    most = 400 if 500 <= s.n < 5_000 else 300
    if shrinks(s) and s.n < 1_000:
        most = 800 if s.n >= 500 else 550
    most = most if s.n_classes < 4 else max(4 * most // s.n_classes, 60)
    return [r for r in ROUNDS if r <= most]


def boosting_cost(s: Setting) -> float:
    """Return the cells that ten folds of boosting read."""
    trees = rounds(s)[-1] * (s.n_classes if s.n_classes > 2 else 1)
    return 10.0 * trees * (leaves(s) * (1000.0 + 80 * s.p) + 0.4 * s.n * s.p)


def leaves(s: Setting) -> int:
    """Return the leaves of a boosted tree."""
    return 8 if s.n < 500 else 16 if s.n < 5_000 else 20


def out_of_bag(s: Setting) -> bool:
    """Tell whether a forest is judged out of the bag, by one fit of all rows, instead of by folds."""
    return s.n >= MANY and s.alone


def forest(s: Setting) -> dict[str, Any]:
    """Return the parameters of a forest: those of everyone, but for fewer columns a node where rows are many."""
    given: dict[str, Any] = {"n_estimators": 150 if out_of_bag(s) else 100, "random_state": s.seed}
    if s.task == "classification":
        return given
    return given | ({"max_features": 1.0} if s.n < MANY else {"max_features": 0.5, "min_samples_leaf": 3})


def extra_trees(s: Setting) -> dict[str, Any]:
    """Return the parameters of extra trees: the cuts are drawn, so all columns may be looked at."""
    given: dict[str, Any] = {
        "n_estimators": 150 if out_of_bag(s) else 100,
        "random_state": s.seed,
        "bootstrap": out_of_bag(s),
    }
    if s.task == "classification":
        return given | {"max_features": "sqrt" if s.p > 8 else None}
    return given | {"max_features": 1.0 if s.n < MANY else 0.5}


def leaf_sizes(s: Setting) -> list[int]:
    """Return least counts of a leaf: large ones average noise away, 1 passes through rows that have none."""
    return [5, 1]


def more_trees(s: Setting) -> dict[str, Any]:
    """Return how many trees the forest of all rows has."""
    return {"n_estimators": 300 if s.n < MANY else 150}


def forest_cost(s: Setting) -> float:
    """Return the cells that a hundred trees read in ten folds, or once out of the bag."""
    once = (8_000.0 if s.task == "classification" else 15_000.0) * s.n * s.p + 2e7
    return once / 5 if out_of_bag(s) else once


def extra_cost(s: Setting) -> float:
    """Return the cells that extra trees read for each size of leaf."""
    return 2 * forest_cost(s)


def landmarks(s: Setting) -> int:
    """Return the number of landmarks."""
    return 150 if s.n < 1_000 else 250 if s.n < 10_000 else 300


def kernel(s: Setting) -> dict[str, Any]:
    """Return the parameters of a machine on landmarks; for classes the log loss, which has probabilities."""
    given: dict[str, Any] = {"n_components": landmarks(s), "folds": "loo", "random_state": s.seed}
    return given | ({"loss": "log"} if s.task == "classification" else {})


def width(fitted: Any) -> dict[str, Any]:
    """Return the width that a machine on landmarks chose."""
    return {"gamma": fitted.gamma_}


def kernel_cost(s: Setting) -> float:
    """Return the cells that ten folds read, for each of eight widths while they are chosen in every fold."""
    m = min(landmarks(s), s.n)
    return 10.0 * (9 if s.n < MANY else 2) * (min(s.n, 10_000) * m * (m / 50 + 10) + m**3 / 5)


def network(s: Setting) -> dict[str, Any]:
    """Return the parameters of a small network: all rows at once while they are few, batches beyond; numbers in their own units."""
    units = {"scale_target": True} if s.task == "regression" else {}
    if s.n < 3_000:
        return units | {
            "hidden_layer_sizes": (24,),
            "activation": "tanh",
            "solver": "lbfgs",
            "max_iter": 150,
            "tol": 1e-3,
            "random_state": s.seed,
        }
    return units | {"hidden_layer_sizes": (64,), "max_iter": 40, "batch_size": 128, "learning_rate_init": 0.004, "tol": 1e-4,
            "n_iter_no_change": 5, "random_state": s.seed}  # fmt: skip


def network_cost(s: Setting) -> float:
    """Return the cells that ten folds of a network read for two weights of decay."""
    return 10.0 * 2 * (150 if s.n < 3_000 else 40) * s.n * (s.p + s.n_classes + 1) * 3
