r"""What generative classifiers share: a law of the rows of each class, and Bayes' rule.

.. math:: P(y = k \mid x) = \frac{\pi_k\, p(x \mid k)}{\sum_l \pi_l\, p(x \mid l)}. \tag{1}

A method writes ``_score(X)``, the logarithm of the numerator of (1) up to a constant a row, and ``_draw(k, n, rng)``,
``n`` rows of class ``k``. Scores are computed block by block in threads, while a block lies in the cache.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from epee.engines.local import in_order
from epee.errors import WrongUse
from epee.estimator.moment import MomentClassifier
from epee.estimator.protocol import QuadraticForm
from epee.table.sparse import is_sparse
from epee.typing import Codes, Labels, Matrix, Seed, Vector

SCORED_ROWS = 2048  # rows scored at once: their products with a class factor of 100 columns stay in the cache


class GenerativeClassifier(MomentClassifier):
    """A classifier that knows how the rows of each class arise, so that it can draw new ones."""

    def _draw(self, k: int, n: int, rng: np.random.Generator) -> Matrix:
        raise TypeError(f"{type(self).__name__} does not say how to draw rows.")

    def _log_priors(self) -> Vector:
        raise TypeError(f"{type(self).__name__} does not say what its priors are.")

    def log_odds(self) -> QuadraticForm | None:
        """Return the log-odds of two Gaussian classes; None for other laws."""
        gaussians = getattr(self, "_gaussians", None)
        ratio = None if gaussians is None else gaussians.log_ratio()
        return None if ratio is None else replace(ratio, level=ratio.level + float(np.diff(self._log_priors())[0]))

    def sample(self, n_samples: int = 1, random_state: Seed = None) -> tuple[Matrix, Labels]:
        """Draw rows from the model: a class by its prior, then a row of that class.

        Returns
        -------
        X : array (n_samples, p)
        y : array (n_samples,)
        """
        check_is_fitted(self)
        if n_samples < 1:
            raise WrongUse(f"n_samples is {n_samples}; at least one row can be drawn.")
        rng = generator_of(random_state)
        priors = np.exp(self._log_priors())
        codes = rng.choice(len(self.classes_), size=n_samples, p=priors / priors.sum())
        X = np.empty((n_samples, self.n_features_in_))
        for k in np.unique(codes):
            X[codes == k] = self._draw(int(k), int((codes == k).sum()), rng)
        return X, self.classes_[codes]

    def class_images(self, shape: tuple[int, ...]) -> np.ndarray:
        """Return the mean of each class as images ``(K, *shape)``: what the model thinks a typical row looks like."""
        check_is_fitted(self)
        means = self._class_means()
        if int(np.prod(shape)) != means.shape[1]:
            raise WrongUse(
                f"shape {tuple(shape)} holds {int(np.prod(shape))} pixels and the rows have {means.shape[1]} columns."
            )
        return means.reshape(len(means), *shape)

    def _class_means(self) -> Matrix:
        return self.moments_.mean

    def left_out(self, X: Matrix, codes: Codes, w: Vector | None = None) -> Matrix | None:
        """Return the log-scores (n, K) of each row by the model fitted without it, in closed form.

        ``X``, ``codes`` and ``w`` are the rows of the fit; an estimator that is not fitted yet learns from them first.
        One copy of a row is left out when its weight is a larger count.
        """
        X = np.asarray(X) if not is_sparse(X) else X
        model = self if hasattr(self, "moments_") else clone(self).fit(X, codes, sample_weight=w)
        return model._scores_without(X, np.asarray(codes), None if w is None else np.asarray(w, dtype=np.float64))

    def _scores_without(self, X: Matrix, codes: Codes, w: Vector | None) -> Matrix | None:
        """Return the scores behind :meth:`left_out`; None when this law or this setting has no formula."""
        return None


def generator_of(seed: Seed) -> np.random.Generator:
    """Return a generator of random numbers for anything scikit-learn takes as ``random_state``.

    >>> generator_of(0).integers(10) == generator_of(0).integers(10)
    np.True_
    """
    if isinstance(seed, np.random.RandomState):
        return np.random.default_rng(seed.randint(2**31))
    return np.random.default_rng(seed)


def by_blocks(X: Matrix, score: Callable[[Matrix], Matrix], K: int, rows: int = SCORED_ROWS) -> Matrix:
    """Return ``score`` of the rows (n, K), some thousands of rows at a time, in threads.

    >>> by_blocks(np.ones((3, 2)), lambda B: B.sum(axis=1, keepdims=True), 1, rows=2).ravel()
    array([2., 2., 2.])
    """
    if len(X) <= rows:
        return score(X)
    out = np.empty((len(X), K))

    def fill(i: int) -> None:
        out[i : i + rows] = score(X[i : i + rows])

    for _ in in_order(fill, range(0, len(X), rows)):
        pass
    return out


def check_priors(given: Any, classes: Labels, what: str = "priors") -> Vector:
    """Return given priors (K,) as floats, or raise a sentence."""
    priors = np.array(given, dtype=np.float64)
    if priors.shape != (len(classes),):
        raise WrongUse(
            f"Number of priors must match number of classes: {what} has shape {priors.shape} and there are {len(classes)} classes."
        )
    if not np.isfinite(priors).all() or (priors < 0).any():
        k = int(np.flatnonzero(~(np.isfinite(priors) & (priors >= 0)))[0])
        raise WrongUse(f"Priors must be non-negative: {what} of class {classes.tolist()[k]!r} is {priors[k]}.")
    if not np.isclose(priors.sum(), 1.0):
        raise WrongUse(
            f"The sum of the priors should be 1: {what} sum to {priors.sum():.6g}. Divide them by their sum."
        )
    return priors


def log_of(x: np.ndarray) -> np.ndarray:
    """Return the logarithm, minus infinity at 0 without a warning."""
    with np.errstate(divide="ignore"):
        return np.log(x)


def without_row(count: Vector, codes: Codes, w: Vector | None) -> tuple[Vector, Vector, Matrix]:
    """Return what is left out of each row (n,), the count left in its class (n,), and all counts left (n, K).

    A weight is a count, and one copy of the row is left out: all of a row whose weight is below one.
    """
    rows = np.arange(len(codes))
    w = np.ones(len(codes)) if w is None else np.minimum(w, 1.0)
    left = np.tile(count, (len(codes), 1))  # (n, K)
    left[rows, codes] -= w
    left = np.where(left > 1e-9 * count, left, 0.0)
    return w, left[rows, codes], left


def left_out_priors(left: Matrix, given: Vector | None) -> Matrix:
    """Return the log priors (n, K) learned without each row; given ones do not change."""
    if given is not None:
        return np.broadcast_to(log_of(given), left.shape)
    return log_of(left) - np.log(left.sum(axis=1, keepdims=True))
