"""Random small tables with everything that goes wrong in them, for us and for scikit-learn: the same answers.

Equal and constant columns, columns of scales from 1e-8 to 1e8, zero weights, float32, Fortran order, read-only arrays, sparse
rows, words and booleans as labels. ``PEER_FUZZ`` says how many tables; ``make peer`` asks for many.
"""

from __future__ import annotations

import os

import numpy as np
import pytest
import sklearn.linear_model
import sklearn.naive_bayes
import sklearn.neighbors
import sklearn.preprocessing
from scipy import sparse

import epee

TABLES = int(os.environ.get("PEER_FUZZ", "12"))


def drawn(seed: int):
    """Return rows in some shape and kind, a target of numbers, labels, weights, and the rows as plain float64."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(12, 60)), int(rng.integers(1, 7))
    X = np.round(rng.gamma(1.0, 2.0, size=(n, p)) * (rng.random((n, p)) < 0.7), 2)
    if p > 2 and rng.random() < 0.3:
        X[:, 1] = X[:, 0]
    if rng.random() < 0.3:
        X[:, -1] = 3.0
    w = rng.integers(0, 4, n).astype(float) if rng.random() < 0.5 else None
    if w is not None and not w.any():
        w[0] = 1.0
    y = X @ rng.normal(size=p) + rng.normal(size=n)
    codes = (y > np.median(y)).astype(int)
    labels = [codes, codes.astype(bool), np.array(["no", "yes"])[codes]][seed % 3]
    scale = 10.0 ** rng.integers(-8, 9, size=p) if rng.random() < 0.4 else np.ones(p)
    kinds = (np.asarray, np.asfortranarray, lambda a: a.astype(np.float32), sparse.csr_array, _locked)
    kind = kinds[int(rng.integers(len(kinds)))]
    given = kind(X * scale)
    plain = given.toarray() if sparse.issparse(given) else np.asarray(given, dtype=np.float64)
    return given, plain, y, labels, w


def _locked(X):
    X = X.copy()
    X.flags.writeable = False
    return X


def tolerance(given):
    return 2e-3 if given.dtype == np.float32 else 1e-6


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(TABLES))
def test_fitted_values_agree(seed):
    given, plain, y, labels, w = drawn(seed)
    u = np.ones(len(y)) if w is None else w
    for name, alpha in (("LinearRegression", 0.0), ("Ridge", 1.0)):
        parameters = {"alpha": alpha} if alpha else {}
        ours = getattr(epee, name)(**parameters).fit(given, y, sample_weight=w)
        theirs = getattr(sklearn.linear_model, name)(**parameters).fit(plain, y, sample_weight=w)
        lowest, other = (
            float(
                u @ (y - plain @ m.coef_.astype(float) - m.intercept_) ** 2 + alpha * (m.coef_.astype(float) ** 2).sum()
            )
            for m in (ours, theirs)
        )  # what is minimised: with scales far apart theirs drops directions, so ours may be lower and never higher
        assert lowest <= other * (1 + tolerance(given)) + tolerance(given), name
    for name in ("MultinomialNB", "ComplementNB", "BernoulliNB"):
        ours = getattr(epee, name)().fit(given, labels, sample_weight=w)
        theirs = getattr(sklearn.naive_bayes, name)().fit(plain, labels, sample_weight=w)
        np.testing.assert_array_equal(ours.classes_, theirs.classes_)
        np.testing.assert_allclose(
            ours.predict_proba(given), theirs.predict_proba(plain), atol=tolerance(given), err_msg=name
        )
    scaler = epee.StandardScaler(with_mean=False).fit(given, sample_weight=w)
    other = sklearn.preprocessing.StandardScaler(with_mean=False).fit(plain, sample_weight=w)
    np.testing.assert_allclose(scaler.scale_, other.scale_, rtol=tolerance(given))
