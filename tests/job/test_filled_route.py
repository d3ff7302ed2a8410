"""The one-pass route on missing cells gives the numbers of filling fold by fold."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import is_classifier
from sklearn.pipeline import make_pipeline

import epee
from epee.job.filled_route import FilledRoute
from epee.job.filling import FillMissing
from epee.job.learning import fit_weighted
from epee.risk.routes import OrdinaryRoute
from epee.risk.splitting import kfold


def table(seed=0, n=300, p=5):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    X = rng.normal(size=(n, p)) + y[:, None] * rng.normal(size=p) + 100.0
    X[rng.random((n, p)) < 0.1] = np.nan
    X[:, -1] = np.nan_to_num(X[:, -1], nan=100.0)
    return X, y, rng.integers(0, 5, n), rng.uniform(0.5, 2, n)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "model",
    [
        epee.LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.1),
        epee.QuadraticDiscriminantAnalysis(reg_param=0.1),
        epee.GaussianNB(),
        epee.LeastSquaresClassifier(alpha=1.0),
        epee.Ridge(3.0),
        epee.LinearRegression(),
    ],
    ids=lambda m: type(m).__name__,
)
@pytest.mark.parametrize("scaled", [False, True])
def test_same_losses_as_fold_by_fold(model, scaled, weighted):
    X, y, fold, w = table()
    y = y if is_classifier(model) else y + np.nan_to_num(X[:, 0], nan=100.0)
    steps = ([epee.StandardScaler()] if scaled else []) + [model]
    split = kfold(fold, 5)
    fast = FilledRoute(make_pipeline(*steps), X, y, w if weighted else None, None).evaluate(split)
    if not weighted:
        plain = OrdinaryRoute(make_pipeline(FillMissing(), *steps), X, y, None, None).evaluate(split)
        np.testing.assert_allclose(fast.losses, plain.losses, rtol=1e-6, atol=1e-8)
        return
    slow = np.full(len(y), np.nan)
    for k in range(5):
        a, b = fold != k, fold == k
        fitted = fit_weighted(make_pipeline(FillMissing(), *steps), X[a], y[a], w[a])
        answer = fitted.predict(X[b])
        slow[b] = (answer != y[b]) if is_classifier(model) else (answer - y[b]) ** 2
    np.testing.assert_allclose(fast.losses[0], slow, rtol=1e-6, atol=1e-8)
