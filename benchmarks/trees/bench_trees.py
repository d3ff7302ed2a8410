"""Decision trees against scikit-learn: growth, and pruning by cross-validation over a whole path."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.harness import Problem
from benchmarks.problems import gaussian_classes, regression

N_ALPHAS = 10  # scikit-learn refits for each; ours scores the whole path anyway


def problems() -> Iterator[Problem]:
    import sklearn.tree as theirs

    import epee

    yield Problem(
        "classification tree, 100,000 x 20, 5 classes",
        data=lambda: gaussian_classes(100_000, 20, 5),
        ours=lambda X, y: epee.DecisionTreeClassifier().fit(X, y),
        rivals={"scikit-learn": lambda X, y: theirs.DecisionTreeClassifier(random_state=0).fit(X, y)},
        claim={"scikit-learn": 1},
        same=lambda a, b: (
            abs(a.get_depth() - b.get_depth()) <= 8 and abs(a.get_n_leaves() / b.get_n_leaves() - 1) < 0.02
        ),
    )
    yield Problem(
        "classification tree, 100,000 x 20, 5 classes, depth 6",
        data=lambda: gaussian_classes(100_000, 20, 5),
        ours=lambda X, y: epee.DecisionTreeClassifier(max_depth=6).fit(X, y),
        rivals={"scikit-learn": lambda X, y: theirs.DecisionTreeClassifier(max_depth=6, random_state=0).fit(X, y)},
        claim={"scikit-learn": 1},
        same=lambda a, b: bool((a.tree_.feature == b.tree_.feature).all()),
        quick=True,
    )
    yield Problem(
        "regression tree, 100,000 x 20",
        data=lambda: regression(100_000, 20),
        ours=lambda X, y: epee.DecisionTreeRegressor().fit(X, y),
        rivals={"scikit-learn": lambda X, y: theirs.DecisionTreeRegressor(random_state=0).fit(X, y)},
        claim={"scikit-learn": 1},
        same=lambda a, b: a.get_n_leaves() == b.get_n_leaves(),
    )
    yield Problem(
        f"tree pruned by 5-fold cross-validation, 20,000 x 20, {N_ALPHAS} alphas for scikit-learn, the whole path for us",
        data=rows_and_alphas,
        ours=lambda X, y, alphas: epee.DecisionTreeClassifier(pruning="cv", folds=5).fit(X, y),
        rivals={"scikit-learn's GridSearchCV": grid_search},
        claim={"scikit-learn's GridSearchCV": 3},
    )
    yield Problem(
        "tree prediction, 100,000 x 20",
        data=lambda: _fitted(),
        ours=lambda ours, rival, X: ours.predict(X),
        rivals={"scikit-learn": lambda ours, rival, X: rival.predict(X)},
        same=lambda a, b: bool((a == b).mean() > 0.99),
        quick=True,
    )


def _fitted() -> tuple[Any, Any, np.ndarray]:
    import sklearn.tree as theirs

    import epee

    X, y = gaussian_classes(100_000, 20, 5)
    rival = theirs.DecisionTreeClassifier(max_depth=12, min_samples_leaf=20, random_state=0).fit(X, y)
    return epee.DecisionTreeClassifier(max_depth=12, min_samples_leaf=20).fit(X, y), rival, X


def rows_and_alphas() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    import epee

    X, y = gaussian_classes(20_000, 20, 5)
    alphas = epee.DecisionTreeClassifier(min_samples_leaf=200).fit(X, y).pruning_path_.alphas
    return X, y, np.quantile(alphas, np.linspace(0, 1, N_ALPHAS))


def grid_search(X: np.ndarray, y: np.ndarray, alphas: np.ndarray) -> Any:
    from sklearn.model_selection import GridSearchCV
    from sklearn.tree import DecisionTreeClassifier

    return GridSearchCV(DecisionTreeClassifier(random_state=0), {"ccp_alpha": alphas}, cv=5, n_jobs=2).fit(X, y)
