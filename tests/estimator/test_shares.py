"""Where weights are counts, shares that add up to one row are refused with what to do about them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import epee
from epee.errors import DataError

N = 60


def rows() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 2))
    return X, (X[:, 0] + rng.normal(size=N) > 0).astype(int), X[:, 0] + rng.normal(size=N)


X, LABELS, VALUES = rows()
ASKED = {
    "LDA": lambda w: epee.LinearDiscriminantAnalysis().fit(X, LABELS, sample_weight=w),
    "QDA": lambda w: epee.QuadraticDiscriminantAnalysis().fit(X, LABELS, sample_weight=w),
    "Fisher": lambda w: epee.FisherDiscriminant().fit(X, LABELS, sample_weight=w),
    "neighbours": lambda w: epee.KNeighborsClassifier().fit(X, LABELS, sample_weight=w).predict(X),
    "line": lambda w: epee.LinearRegression().fit(X, VALUES, sample_weight=w).summary(),
    "bands of a line": lambda w: epee.LinearRegression().fit(X, VALUES, sample_weight=w).predict_interval(X),
    "odds": lambda w: epee.LogisticRegression(C=np.inf).fit(X, LABELS, sample_weight=w).summary(),
}


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("total", [1.0, 0.9])
def test_shares_are_told_what_to_do(name: str, total: float):
    ask: Any = ASKED[name]
    with pytest.raises(DataError, match="multiply shares by the number of rows"):
        ask(np.full(N, total / N))
    assert ask(np.ones(N)) is not None
