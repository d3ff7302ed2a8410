"""Boosted trees against LightGBM, XGBoost, CatBoost and scikit-learn: the same number of trees, leaves and rows, two threads each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.harness import Problem

ROWS, COLUMNS, ROUNDS, LEAVES, THREADS = 1_000_000, 30, 100, 31, 2


def curved(n: int, p: int, *, classes: bool = False, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Make a target of steps, products and waves of five columns, with noise; or whether it exceeds its median."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    y = X[:, 0] + X[:, 1] * X[:, 2] + np.sin(3 * X[:, 3]) + X[:, 4] ** 2 + rng.standard_normal(n)
    return X, (y > 1).astype(int) if classes else y


def _lightgbm(name: str) -> Callable[..., Any]:
    def run(X: np.ndarray, y: np.ndarray) -> Any:
        import lightgbm

        return getattr(lightgbm, name)(n_estimators=ROUNDS, num_leaves=LEAVES, n_jobs=THREADS, verbose=-1).fit(X, y)

    return run


def _xgboost(name: str) -> Callable[..., Any]:
    def run(X: np.ndarray, y: np.ndarray) -> Any:
        import xgboost

        given = {
            "n_estimators": ROUNDS,
            "max_leaves": LEAVES,
            "max_depth": 0,
            "grow_policy": "lossguide",
            "learning_rate": 0.1,
        }
        return getattr(xgboost, name)(tree_method="hist", n_jobs=THREADS, **given).fit(X, y)

    return run


def _catboost(name: str) -> Callable[..., Any]:
    def run(X: np.ndarray, y: np.ndarray) -> Any:
        import catboost

        return getattr(catboost, name)(
            iterations=ROUNDS, depth=5, thread_count=THREADS, verbose=False, allow_writing_files=False
        ).fit(X, y)

    return run


def _as_good(ours: Any, theirs: Any) -> bool:
    X, y = curved(20_000, COLUMNS, classes=hasattr(ours, "classes_"), seed=1)
    return bool(ours.score(X, y) > theirs.score(X, y) - 0.005)


def problems() -> Iterator[Problem]:
    import sklearn.ensemble as theirs

    import epee

    for kind, word in (("Regressor", "numbers"), ("Classifier", "two classes")):
        yield Problem(
            f"boosting {ROWS:,} x {COLUMNS}, {ROUNDS} trees of {LEAVES} leaves, {word}",
            data=lambda kind=kind: curved(ROWS, COLUMNS, classes=kind == "Classifier"),
            ours=lambda X, y, kind=kind: getattr(epee, f"HistGradientBoosting{kind}")(early_stopping=False).fit(X, y),
            rivals={
                "LightGBM": _lightgbm(f"LGBM{kind}"), "XGBoost": _xgboost(f"XGB{kind}"), "CatBoost": _catboost(f"CatBoost{kind}"),
                "scikit-learn": lambda X, y, kind=kind: getattr(theirs, f"HistGradientBoosting{kind}")(early_stopping=False).fit(X, y),
            },
            claim={"LightGBM": 1, "scikit-learn": 1.5},
            same=_as_good,
        )  # fmt: skip
    yield Problem(
        "boosting 20,000 x 10, 100 trees of 31 leaves, numbers",
        data=lambda: curved(20_000, 10),
        ours=lambda X, y: epee.HistGradientBoostingRegressor(early_stopping=False).fit(X, y),
        rivals={"scikit-learn": lambda X, y: theirs.HistGradientBoostingRegressor(early_stopping=False).fit(X, y)},
        quick=True,
    )
    yield Problem(
        "boosted prediction, 1,000,000 x 30, 100 trees of 31 leaves",
        data=_fitted,
        ours=lambda ours, lgb, rival, X: ours.predict(X),
        rivals={
            "LightGBM": lambda ours, lgb, rival, X: lgb.predict(X, num_threads=THREADS),
            "scikit-learn": lambda ours, lgb, rival, X: rival.predict(X),
        },
        claim={"LightGBM": 1},
    )

    for n in (20_000, 200_000):
        yield Problem(
            f"ten folds with every number of trees up to 500, {n:,} x 20",
            data=lambda n=n: curved(n, 20),
            ours=_every_number,
            limits={"one fit of 500 trees": lambda X, y: _all_rows(X, y)},
            claim={"one fit of 500 trees": 6},
        )


def _all_rows(X: np.ndarray, y: np.ndarray) -> Any:
    import epee

    return epee.HistGradientBoostingRegressor(max_iter=500, early_stopping=False).fit(X, y)


def _every_number(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the cross-validated error after 1 to 500 rounds, from one fit a fold."""
    import epee

    folds = np.arange(len(y)) % 10
    model = epee.HistGradientBoostingRegressor(max_iter=500, early_stopping=False)
    curve = epee.risk.complexity_curve(model, X, y, "max_iter", np.arange(1, 501), folds=folds)
    return np.asarray(curve.cv)


def _fitted() -> tuple[Any, Any, Any, np.ndarray]:
    import lightgbm
    import sklearn.ensemble as theirs

    import epee

    X, y = curved(50_000, COLUMNS)
    ours, rival = (
        m.HistGradientBoostingRegressor(max_iter=ROUNDS, early_stopping=False).fit(X, y) for m in (epee, theirs)
    )
    lgb = lightgbm.LGBMRegressor(n_estimators=ROUNDS, num_leaves=LEAVES, verbose=-1).fit(X, y)
    return ours, lgb, rival, curved(ROWS, COLUMNS, seed=1)[0]
