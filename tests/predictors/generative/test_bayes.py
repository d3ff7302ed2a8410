from __future__ import annotations

import numpy as np
import pytest
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KernelDensity

from epee import BayesClassifier, QuadraticDiscriminantAnalysis
from epee.errors import DataError, WrongUse

rng = np.random.default_rng(0)
y = np.arange(120) % 2
X = rng.normal(size=(120, 2)) + 2 * y[:, None]
w = rng.integers(1, 4, 120).astype(float)


def test_normal_densities_are_quadratic_discriminant_analysis():
    bayes = BayesClassifier(GaussianMixture(1, reg_covar=0.0)).fit(X, y)
    np.testing.assert_allclose(
        bayes.predict_log_proba(X), QuadraticDiscriminantAnalysis().fit(X, y).predict_log_proba(X), atol=1e-6
    )
    np.testing.assert_allclose(BayesClassifier().fit(X, y).predict_proba(X), bayes.predict_proba(X), atol=1e-4)


def test_any_density_in_logarithms():
    m = BayesClassifier(KernelDensity(bandwidth=0.3), priors=[0.3, 0.7]).fit(X, y)
    logs = np.stack([KernelDensity(bandwidth=0.3).fit(X[y == k]).score_samples(X) for k in range(2)], axis=1) + np.log(
        [0.3, 0.7]
    )
    np.testing.assert_allclose(m._score(X), logs)
    assert np.isfinite(m.predict_proba([[1e3, 1e3]])).all()  # both densities underflow, their logarithms do not
    far = BayesClassifier(KernelDensity(bandwidth=0.3, kernel="tophat"), priors=[0.3, 0.7]).fit(X, y)
    np.testing.assert_allclose(far.predict_proba([[1e3, 1e3]]), [[0.3, 0.7]])


def test_weights_are_counts():
    k = w.astype(int)
    for density in (KernelDensity(), GaussianMixture(1)):
        weighted, repeated = (
            BayesClassifier(density).fit(X, y, w),
            BayesClassifier(density).fit(X.repeat(k, axis=0), y.repeat(k)),
        )
        np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-6)
    with pytest.raises(DataError, match="takes no sample_weight"):
        BayesClassifier(GaussianMixture(1)).fit(X, y, w / 2)


@pytest.mark.parametrize("density", [KernelDensity(bandwidth=0.2), GaussianMixture(1)])
def test_sampling(density):
    rows, labels = BayesClassifier(density).fit(X, y).sample(2000, random_state=0)
    for k in range(2):
        np.testing.assert_allclose(rows[labels == k].mean(axis=0), X[y == k].mean(axis=0), atol=0.25)


def test_bad_input():
    with pytest.raises(WrongUse, match="is no density"):
        BayesClassifier(QuadraticDiscriminantAnalysis()).fit(X, y)
    with pytest.raises(DataError, match="class 1 \\(1 rows\\)"):
        BayesClassifier(GaussianMixture(2)).fit(X[:10], (np.arange(10) == 3).astype(int))
    with pytest.raises(WrongUse, match="priors sum to"):
        BayesClassifier(KernelDensity(), priors=[0.3, 0.3]).fit(X, y)
