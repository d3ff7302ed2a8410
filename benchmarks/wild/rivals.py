"""What others would do with the same table: each with its defaults, and the columns as its documentation wants them.

FLAML, which searches among such methods, is told by what it will be judged, and gets as many seconds as we took: a comparison for
machines that have nothing else to do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

Frame = pd.DataFrame
TIMED = ("FLAML",)  # searches for as many seconds as we took
LEAST_SECONDS = 5.0


def _categories(train: Frame, test: Frame) -> tuple[Frame, Frame]:
    """Return both tables with texts as categories of the levels that training knows."""
    train, test = train.copy(), test.copy()
    for name in train.columns:
        if not pd.api.types.is_numeric_dtype(train[name]):
            levels = sorted(train[name].dropna().astype(str).unique())
            for table in (train, test):
                table[name] = pd.Categorical(table[name].where(table[name].isna(), table[name].astype(str)), levels)
    return train, test


def _words(train: Frame, test: Frame) -> tuple[Frame, Frame, list[str]]:
    train, test = train.copy(), test.copy()
    texts = [name for name in train.columns if not pd.api.types.is_numeric_dtype(train[name])]
    for table in (train, test):
        for name in texts:
            table[name] = table[name].where(table[name].notna(), "missing").astype(str)
    return train, test, texts


def _numbers(train: Frame, scaled: bool) -> Any:
    """Return the usual way to numbers: medians and one column a level, scaled for those who need it."""
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    numbers = [name for name in train.columns if pd.api.types.is_numeric_dtype(train[name])]
    texts = [name for name in train.columns if name not in numbers]
    steps = [SimpleImputer(strategy="median"), *([StandardScaler()] if scaled else [])]
    return make_column_transformer(
        (make_pipeline(*steps), numbers),
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False, max_categories=50), texts),
    )


def _sklearn(number: Callable[[], Any], classes: Callable[[], Any], scaled: bool) -> Callable[..., Any]:
    def run(train: Frame, y: np.ndarray, test: Frame, kind: str) -> tuple[np.ndarray, np.ndarray | None]:
        from sklearn.pipeline import make_pipeline

        texts = {name: str for name in train.columns if not pd.api.types.is_numeric_dtype(train[name])}
        train, test = train.astype(texts), test.astype(texts)
        model = make_pipeline(_numbers(train, scaled), number() if kind == "number" else classes()).fit(train, y)
        P = model.predict_proba(test) if kind == "classes" and hasattr(model, "predict_proba") else None
        return model.predict(test), P

    return run


def _hgb(train: Frame, y: np.ndarray, test: Frame, kind: str) -> tuple[np.ndarray, np.ndarray | None]:
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    train, test = _categories(train, test)
    model: Any = (HistGradientBoostingRegressor if kind == "number" else HistGradientBoostingClassifier)(random_state=0)
    model.fit(train, y)
    return model.predict(test), model.predict_proba(test) if kind == "classes" else None


def _lightgbm(train: Frame, y: np.ndarray, test: Frame, kind: str) -> tuple[np.ndarray, np.ndarray | None]:
    import lightgbm

    train, test = _categories(train, test)
    plain = [f"c{j}" for j in range(train.shape[1])]  # it refuses some names
    train, test = train.set_axis(plain, axis=1), test.set_axis(plain, axis=1)
    model = (lightgbm.LGBMRegressor if kind == "number" else lightgbm.LGBMClassifier)(
        verbose=-1, n_jobs=2, random_state=0
    )
    model.fit(train, y)
    return np.asarray(model.predict(test)), np.asarray(model.predict_proba(test)) if kind == "classes" else None


def _xgboost(train: Frame, y: np.ndarray, test: Frame, kind: str) -> tuple[np.ndarray, np.ndarray | None]:
    import xgboost

    train, test = _categories(train, test)
    if kind == "number":
        found = xgboost.XGBRegressor(enable_categorical=True, n_jobs=2, random_state=0).fit(train, y)
        return found.predict(test), None
    classes, codes = np.unique(y, return_inverse=True)
    model = xgboost.XGBClassifier(enable_categorical=True, n_jobs=2, random_state=0).fit(train, codes)
    P = model.predict_proba(test)
    return classes[P.argmax(axis=1)], P


def _catboost(train: Frame, y: np.ndarray, test: Frame, kind: str) -> tuple[np.ndarray, np.ndarray | None]:
    import catboost

    train, test, texts = _words(train, test)
    make = catboost.CatBoostRegressor if kind == "number" else catboost.CatBoostClassifier
    model = make(verbose=0, thread_count=2, random_seed=0, allow_writing_files=False, cat_features=texts)
    model.fit(train, y)
    said = np.asarray(model.predict(test)).reshape(len(test))
    return said, model.predict_proba(test) if kind == "classes" else None


def _flaml(
    train: Frame, y: np.ndarray, test: Frame, kind: str, seconds: float = LEAST_SECONDS
) -> tuple[np.ndarray, np.ndarray | None]:
    from flaml import AutoML

    train, test = _categories(train, test)
    plain = [f"c{j}" for j in range(train.shape[1])]
    train, test = train.set_axis(plain, axis=1), test.set_axis(plain, axis=1)
    task, metric = ("regression", "rmse") if kind == "number" else ("classification", "accuracy")
    model = AutoML()
    model.fit(train, y, task=task, metric=metric, time_budget=max(seconds, LEAST_SECONDS), n_jobs=2, seed=0, verbose=0)
    return np.asarray(model.predict(test)), np.asarray(model.predict_proba(test)) if kind == "classes" else None


def _makers() -> dict[str, tuple[Callable[[], Any], Callable[[], Any], bool]]:
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.ensemble import (
        ExtraTreesClassifier,
        ExtraTreesRegressor,
        RandomForestClassifier,
        RandomForestRegressor,
    )
    from sklearn.model_selection import GridSearchCV
    from sklearn.neural_network import MLPClassifier, MLPRegressor
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC, SVR

    grid = {"C": [0.3, 3.0, 30.0], "gamma": ["scale", 0.01, 0.1]}

    def of_target(model: Any) -> Any:
        return TransformedTargetRegressor(model, transformer=StandardScaler())

    return {
        "random forest": (lambda: RandomForestRegressor(n_jobs=2, random_state=0),
                          lambda: RandomForestClassifier(n_jobs=2, random_state=0), False),
        "extra trees": (lambda: ExtraTreesRegressor(n_jobs=2, random_state=0),
                        lambda: ExtraTreesClassifier(n_jobs=2, random_state=0), False),
        "RBF machine, grid": (lambda: of_target(GridSearchCV(SVR(), grid, cv=3, n_jobs=2)),
                              lambda: GridSearchCV(SVC(), grid, cv=3, n_jobs=2), True),
        "network": (lambda: of_target(MLPRegressor(random_state=0, early_stopping=False)), lambda: MLPClassifier(random_state=0), True),
    }  # fmt: skip


def rivals() -> dict[str, Callable[..., Any]]:
    """Return every rival: a function of (train, y, test, kind) that gives predictions and probabilities, or None of these."""
    ours = {name: _sklearn(*made) for name, made in _makers().items()}
    return {
        "HistGradientBoosting": _hgb,
        **ours,
        "LightGBM": _lightgbm,
        "XGBoost": _xgboost,
        "CatBoost": _catboost,
        "FLAML": _flaml,
    }
