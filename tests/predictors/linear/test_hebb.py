from __future__ import annotations

import numpy as np
import pytest

from epee import Hebb
from tests.predictors.generative.leaving import check_left_out

rng = np.random.default_rng(0)
X, y = rng.normal(size=(40, 3)) + np.arange(40)[:, None] % 2, np.arange(40) % 2
w = rng.integers(1, 4, 40).astype(float)


def test_is_the_sum_over_the_sample():
    m, d = Hebb().fit(X, y, w), 2 * y - 1
    np.testing.assert_allclose(m.coef_[0], (w * d) @ X)
    np.testing.assert_allclose(m.intercept_, w @ d, atol=1e-12)
    votes = np.sign(((1 + X @ X.T) * (w * d)).sum(axis=1))
    assert (m.predict(X) == (votes > 0)).all()


def test_order_does_not_matter_and_balanced_classes_point_along_the_means():
    order = rng.permutation(40)
    np.testing.assert_allclose(Hebb().fit(X[order], y[order]).coef_, Hebb().fit(X, y).coef_)
    along = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
    plain = Hebb(fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(plain.coef_[0] / np.linalg.norm(plain.coef_), along / np.linalg.norm(along))
    assert plain.intercept_ == 0


def test_ties_go_to_the_first_class():
    assert Hebb().fit([[-1.0], [1.0]], ["a", "b"]).predict([[0.0]]) == "a"


@pytest.mark.filterwarnings("ignore:class")
@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("intercept", [True, False])
def test_left_out(K, intercept):
    codes = np.arange(40) % K
    for weights in (None, w):
        check_left_out(lambda: Hebb(fit_intercept=intercept), X, codes, weights, every=5)


def test_has_no_probabilities():
    assert not hasattr(Hebb(), "predict_proba")
