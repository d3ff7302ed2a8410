"""Laws that the error bars must stand: errors of every shape, rows that belong together, and predictors whose truth is known.

A noise law is drawn by a function of (generator, n), has mean zero and a known variance. The two stubs predict the first column, so
that what is judged is the interval and not the learning.
"""

from __future__ import annotations

from collections.abc import Callable
from math import gamma
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin


class Noise(NamedTuple):
    """Errors of mean zero with this variance."""

    draw: Callable[[np.random.Generator, int], np.ndarray]
    variance: float


def lognormal(s: float) -> Noise:
    """Return exp(s Z) about its mean."""
    return Noise(
        lambda r, n: np.exp(s * r.normal(size=n)) - np.exp(s * s / 2), float(np.exp(2 * s * s) - np.exp(s * s))
    )


def student(dof: float) -> Noise:
    """Return Student's law; its fourth moment exists above 4 degrees of freedom, its variance above 2."""
    return Noise(lambda r, n: r.standard_t(dof, n), dof / (dof - 2))


def weibull(shape: float) -> Noise:
    """Return Weibull's law about its mean; below a shape of 1 its tail is heavier than the exponential."""
    mean, second = gamma(1 + 1 / shape), gamma(1 + 2 / shape)
    return Noise(lambda r, n: r.weibull(shape, n) - mean, second - mean**2)


NOISES: dict[str, Noise] = {
    "Gaussian": Noise(lambda r, n: r.normal(size=n), 1.0),
    "uniform": Noise(lambda r, n: r.uniform(-1, 1, n), 1 / 3),
    "Laplace": Noise(lambda r, n: r.laplace(size=n), 2.0),
    "lognormal(0.5)": lognormal(0.5),
    "lognormal(1)": lognormal(1.0),
    "t(5)": student(5),
    "t(3)": student(3),
    "t(2.5)": student(2.5),
    "exponential": Noise(lambda r, n: r.exponential(size=n) - 1, 1.0),
    "gamma(0.5)": Noise(lambda r, n: r.gamma(0.5, size=n) - 0.5, 0.5),
    "5 % of errors five times larger": Noise(
        lambda r, n: r.normal(size=n) * np.where(r.random(n) < 0.05, 5.0, 1.0), 2.2
    ),
    "sd = exp(x/2)": Noise(lambda r, n: r.normal(size=n) * np.exp(r.normal(size=n) / 2), float(np.exp(0.5))),
    "logistic": Noise(lambda r, n: r.logistic(size=n), float(np.pi**2 / 3)),
    "Weibull(0.8)": weibull(0.8),
    "2 % of errors ten times larger": Noise(
        lambda r, n: r.normal(size=n) * np.where(r.random(n) < 0.02, 10.0, 1.0), 2.98
    ),
    "two-sided, 10 % far": Noise(
        lambda r, n: r.normal(size=n) * 0.3 + 3 * np.where(r.random(n) < 0.1, r.choice([-1, 1], n), 0), 0.99
    ),
}


def autoregression(r: np.random.Generator, n: int, rho: float) -> np.ndarray:
    """Return a stationary autoregression with innovations of variance 1."""
    e = np.empty(n)
    e[0] = r.normal() / np.sqrt(1 - rho**2)
    for i, z in enumerate(r.normal(size=n - 1), 1):
        e[i] = rho * e[i - 1] + z
    return e


class FirstNumber(RegressorMixin, BaseEstimator):
    """Predicts the first column."""

    fitted_ = True

    def fit(self, X: Any, y: Any) -> FirstNumber:
        """Learn nothing."""
        return self

    def __sklearn_is_fitted__(self) -> bool:
        """Always fitted."""
        return True

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return the first column."""
        return X[:, 0]


class FirstScore(ClassifierMixin, BaseEstimator):
    """Ranks two classes by the first column and decides for the second above ``threshold``."""

    classes_ = np.array([0, 1])

    def __init__(self, threshold: float = 0.5) -> None:
        self.threshold = threshold

    def fit(self, X: Any, y: Any) -> FirstScore:
        """Learn nothing."""
        return self

    def __sklearn_is_fitted__(self) -> bool:
        """Always fitted."""
        return True

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Return a sigmoid of the first column."""
        p = 1 / (1 + np.exp(-X[:, 0]))
        return np.column_stack([1 - p, p])

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Decide."""
        return (X[:, 0] > self.threshold).astype(int)
