"""How simple a predictor is, ours or anyone's: a rank that does not depend on who is listed first.

Ours have their rank in the registry. A class of another library has that of ours with the same name, or else that of the family its module
is of; what is of no family that is known ranks as most complex.
"""

from __future__ import annotations

from typing import Any

from epee.estimator.registry import METHODS

UNKNOWN = 1000.0
FAMILIES = {  # where a class lives, and which of ours is of its family
    "sklearn.dummy": "BaselineRegressor",
    "sklearn.linear_model": "Ridge",
    "sklearn.cross_decomposition": "Ridge",
    "sklearn.discriminant_analysis": "LinearDiscriminantAnalysis",
    "sklearn.naive_bayes": "GaussianNB",
    "sklearn.svm._classes.Linear": "Ridge",
    "sklearn.svm": "KernelRidge",
    "sklearn.kernel_ridge": "KernelRidge",
    "sklearn.gaussian_process": "KernelRidge",
    "sklearn.neighbors": "KNeighborsRegressor",
    "sklearn.tree": "DecisionTreeRegressor",
    "sklearn.neural_network": "MLPRegressor",
    "sklearn.ensemble._stacking": "Combination",
    "sklearn.ensemble._voting": "Combination",
    "sklearn.ensemble._gb": "HistGradientBoostingRegressor",
    "sklearn.ensemble": "RandomForestRegressor",
    "lightgbm": "HistGradientBoostingRegressor",
    "xgboost": "HistGradientBoostingRegressor",
    "catboost": "HistGradientBoostingRegressor",
}


def order_of(estimator: Any) -> float:
    """Return the rank of an estimator in simplicity, from the baseline (0) up.

    >>> from sklearn.svm import SVC, LinearSVC
    >>> order_of(LinearSVC()) < order_of(SVC()) < order_of(object())
    True
    """
    ranks = {entry.name: float(entry.order) for entry in METHODS}
    for cls in type(estimator).__mro__:
        if cls.__name__ in ranks:
            return ranks[cls.__name__]
        place = f"{cls.__module__}.{cls.__name__}"
        family = next((ours for home, ours in FAMILIES.items() if place.startswith(home)), None)
        if family is not None:
            return ranks[family]
    return UNKNOWN
