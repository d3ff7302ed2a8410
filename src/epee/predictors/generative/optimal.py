r"""Optimal predictors of a known law, as objects for simulation.

When the law of :math:`(X, Y)` is known, the best classifier and its expected prediction error are

.. math:: h(x) = \arg\min_g \sum_k e(g, k)\, P(k \mid x), \qquad R(h) = \int \sum_k e(h(x), k)\, P(k \mid x)\, p(x)\, dx, \tag{1}

and the best regressor for the loss :math:`|y - h|^q` balances the two sides of the conditional law,

.. math:: \int_{-\infty}^h (h - y)^{q-1} p(y \mid x)\,dy = \int_h^\infty (y - h)^{q-1} p(y \mid x)\,dy; \tag{2}

:math:`q = 1` gives the conditional median, :math:`q = 2` the regression function :math:`E[Y \mid x]`. Integrals over an
interval are cut where the decision changes and done by Gauss's rule on the pieces, so they are exact to rounding for
smooth laws; in two and three dimensions a product rule is used, whose error falls only as fast as the grid gets finer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from epee.errors import WrongUse
from epee.typing import ArrayLike, Labels, Matrix, Seed, Vector

Function = Callable[[Any], Any]


class OptimalClassifier:
    r"""Bayes' classifier of a known law: no classifier has a smaller expected prediction error.

    Parameters
    ----------
    densities : sequence of K functions (n, d) -> (n,), or objects with ``pdf``, default=None
        The law of the inputs of each class; needs ``priors``.
    priors : array (K,), default=None
        Class probabilities; by default equal.
    support : pair of float, or a sequence of pairs
        The interval, or one for each dimension, outside of which the inputs (nearly) never lie.
    posterior : function (n, d) -> (n, K) or (n,), default=None
        :math:`P(k \mid x)` in place of densities; a vector is the probability of the second class.
    inputs : function (n, d) -> (n,), or an object with ``pdf`` (and ``rvs``), default=None
        The law of the inputs that goes with ``posterior``; uniform on the support by default.
    classes : sequence of K labels, default=None
        What ``predict`` answers; 0 to K - 1 by default.
    costs : array (K, K), default=None
        ``costs[g, k]`` of deciding g when k is true; 0-1 by default.

    Notes
    -----
    Functions of one-dimensional inputs are given a vector (n,), others an array (n, d).

    References
    ----------
    Devroye, Györfi and Lugosi, *A Probabilistic Theory of Pattern Recognition*, chapter 2.

    Examples
    --------
    X uniform on [0, 1] and P(Y = 1 | x) = x²: the best error is (2 - √2)/3.

    >>> best = OptimalClassifier(posterior=lambda x: x**2, support=(0, 1))
    >>> bool(abs(best.epe() - (2 - 2**0.5) / 3) < 1e-14), best.predict([0.7, 0.71])
    (True, array([0, 1]))
    """

    def __init__(
        self, densities: Sequence[Any] | None = None, priors: ArrayLike | None = None, *, support: Any, posterior: Function | None = None,
        inputs: Any = None, classes: Sequence[Any] | None = None, costs: ArrayLike | None = None,
    ) -> None:  # fmt: skip
        if (densities is None) == (posterior is None):
            raise WrongUse("give either densities (with priors) or posterior (with inputs).")
        self.support = _boxes(support)
        self.posterior, self.inputs = posterior, inputs
        self.densities = None if densities is None else list(densities)
        probe = np.array([[(a + b) / 2 for a, b in self.support]])
        K = len(self.densities) if self.densities is not None else self._posterior(probe).shape[1]
        self.priors = np.full(K, 1.0 / K) if priors is None else np.asarray(priors, dtype=np.float64)
        if self.priors.shape != (K,) or (self.priors < 0).any() or not np.isclose(self.priors.sum(), 1.0):
            raise WrongUse(f"priors must be {K} numbers that are not negative and sum to 1; got {priors!r}.")
        self.classes_: Labels = np.arange(K) if classes is None else np.asarray(classes)
        self.costs: Matrix = 1.0 - np.eye(K) if costs is None else np.asarray(costs, dtype=np.float64)
        if self.costs.shape != (K, K):
            raise WrongUse(f"the costs have shape {self.costs.shape}; they must be {K} x {K}.")

    def _posterior(self, X: Matrix) -> Matrix:
        P = np.asarray(self.posterior(_plain(X)), dtype=np.float64)
        return np.stack([1 - P, P], axis=1) if P.ndim == 1 else P

    def _joint(self, X: Matrix) -> Matrix:
        """Return P(k | x) p(x), (n, K)."""
        if self.densities is not None:
            return self.priors * np.stack([_density(f, X) for f in self.densities], axis=1)
        volume = float(np.prod([b - a for a, b in self.support]))
        p = np.full(len(X), 1.0 / volume) if self.inputs is None else _density(self.inputs, X)
        return self._posterior(X) * p[:, None]

    def predict_proba(self, X: ArrayLike) -> Matrix:
        """Return P(k | x) (n, K)."""
        X = _rows(X, len(self.support))
        if self.densities is None:
            return self._posterior(X)
        J = self._joint(X)
        total = J.sum(axis=1, keepdims=True)
        return np.where(total > 0, J / np.where(total > 0, total, 1.0), self.priors)

    def predict(self, X: ArrayLike) -> Labels:
        """Return the decision of least expected cost (n,)."""
        return self.classes_[self._decide(_rows(X, len(self.support)))]

    def _decide(self, X: Matrix) -> np.ndarray:
        return (self.predict_proba(X) @ self.costs.T).argmin(axis=1)

    def epe(self, loss: str = "cost") -> float:
        """Return the expected prediction error (1); ``"squared"`` is that of the regression function of two classes 0 and 1."""
        if loss == "squared":
            if len(self.classes_) != 2:
                raise WrongUse("the squared loss is that of two classes, 0 and 1.")
            return integrate(lambda X: self._joint(X).sum(axis=1) * self.predict_proba(X).prod(axis=1), self.support)
        if loss != "cost":
            raise WrongUse(f"loss {loss!r} is not one of 'cost' and 'squared'.")
        return self._integral(self._decide)

    def risk(self, predictor: Any) -> float:
        """Return the expected prediction error of another classifier (an object with ``predict``) under this law."""
        return self._integral(lambda X: np.searchsorted(self.classes_, predictor.predict(X)))

    def _integral(self, decide: Callable[[Matrix], np.ndarray]) -> float:
        def cost(X: Matrix) -> Vector:
            return (self._joint(X) * self.costs[decide(X)]).sum(axis=1)

        return integrate(cost, self.support, decide)

    def sample(self, n_samples: int = 1, random_state: Seed = None) -> tuple[Matrix, Labels]:
        """Draw (X, y) from the law, by rejection within the support where nothing better is known."""
        rng = np.random.default_rng(
            random_state if not isinstance(random_state, np.random.RandomState) else random_state.randint(2**31)
        )
        low, high = (np.array(ends) for ends in zip(*self.support, strict=True))
        d = len(self.support)
        if self.densities is None and self.inputs is None:
            X = low + (high - low) * rng.random((n_samples, d))
        else:
            grid, _ = _nodes(self.support, 20, 60 if d == 1 else 12)
            top = 1.2 * self._joint(grid).sum(axis=1).max()
            X = np.empty((0, d))
            while len(X) < n_samples:
                Z = low + (high - low) * rng.random((4 * n_samples + 100, d))
                X = np.vstack([X, Z[rng.random(len(Z)) * top < self._joint(Z).sum(axis=1)]])
            X = X[:n_samples]
        ladder = self.predict_proba(X).cumsum(axis=1)
        codes = np.minimum((rng.random((n_samples, 1)) > ladder).sum(axis=1), len(self.classes_) - 1)
        return X, self.classes_[codes]


class OptimalRegressor:
    r"""The best regressor of a known law for the loss :math:`|y - h|^q`.

    Parameters
    ----------
    regression : function (n, d) -> (n,), default=None
        :math:`f(x)` in :math:`Y = f(X) + \varepsilon`; needs ``noise``.
    noise : object with ``pdf`` and ``ppf`` (a frozen law of SciPy), default=None
        The law of :math:`\varepsilon`, the same for every x.
    conditional : function x -> such an object, default=None
        The law of Y given x, in place of the two above.
    power : float >= 1, default=2
        q; a larger one moves the prediction towards the middle of the extremes.
    support : pair of float, or a sequence of pairs
        Where the inputs lie.
    inputs : function or object with ``pdf``, default=None
        Their law; uniform on the support by default.

    References
    ----------
    Hastie, Tibshirani and Friedman, *The Elements of Statistical Learning*, section 2.4.

    Examples
    --------
    >>> from scipy.stats import expon
    >>> mean, median = (OptimalRegressor(lambda x: 2 * x, expon(), power=q, support=(0, 1)) for q in (2, 1))
    >>> mean.predict([0.5]).round(6), median.predict([0.5]).round(6), round(mean.epe(), 6)
    (array([2.]), array([1.693147]), 1.0)
    """

    def __init__(
        self, regression: Function | None = None, noise: Any = None, *, conditional: Function | None = None, power: float = 2.0,
        support: Any = (0.0, 1.0), inputs: Any = None,
    ) -> None:  # fmt: skip
        if (conditional is None) == (regression is None) or (regression is not None and noise is None):
            raise WrongUse("give either regression and noise, or conditional.")
        if not power >= 1:
            raise WrongUse(f"the power is {power}; it must be at least 1.")
        self.regression, self.noise, self.conditional, self.power = regression, noise, conditional, power
        self.support, self.inputs = _boxes(support), inputs
        self._noise_centre = None if noise is None else best_prediction(noise, power)

    def predict(self, X: ArrayLike) -> Vector:
        """Return the best prediction at each x (n,), the solution of (2)."""
        X = _rows(X, len(self.support))
        if self.regression is not None:
            return np.asarray(self.regression(_plain(X)), dtype=np.float64) + float(self._noise_centre or 0.0)
        return np.array([best_prediction(self.conditional(x), self.power) for x in _plain(X)])

    def epe(self) -> float:
        r"""Return :math:`E|Y - h(X)|^q`."""
        if self.regression is not None:
            return expected_loss(self.noise, float(self._noise_centre), self.power)  # type: ignore[arg-type]

        def loss(X: Matrix) -> Vector:
            laws = [self.conditional(x) for x in _plain(X)]
            return np.array(
                [expected_loss(law, best_prediction(law, self.power), self.power) for law in laws]
            ) * self._input_density(X)

        return integrate(loss, self.support, pieces=4)

    def risk(self, predictor: Any) -> float:
        r"""Return :math:`E|Y - g(X)|^q` of another regressor (an object with ``predict``) under this law."""

        def loss(X: Matrix) -> Vector:
            laws = [self.noise] * len(X) if self.regression is not None else [self.conditional(x) for x in _plain(X)]
            level = (
                np.zeros(len(X))
                if self.regression is None
                else np.asarray(self.regression(_plain(X)), dtype=np.float64)
            )
            h = np.asarray(predictor.predict(X), dtype=np.float64) - level
            return np.array(
                [expected_loss(law, v, self.power) for law, v in zip(laws, h, strict=True)]
            ) * self._input_density(X)

        return integrate(loss, self.support, pieces=4)

    def _input_density(self, X: Matrix) -> Vector:
        volume = float(np.prod([b - a for a, b in self.support]))
        return np.full(len(X), 1.0 / volume) if self.inputs is None else _density(self.inputs, X)


def best_prediction(law: Any, power: float = 2.0) -> float:
    """Return the constant h that minimises E|Y - h|^q for a law with ``pdf`` and ``ppf``: the solution of (2).

    >>> from scipy.stats import norm
    >>> round(best_prediction(norm(3.0, 2.0), 1.5), 9)
    3.0
    """
    if power == 1:
        return float(law.ppf(0.5))
    if power == 2 and hasattr(law, "mean"):
        mean = law.mean()
        if np.isfinite(mean):
            return float(mean)
    from scipy.optimize import brentq

    y, w = _law_nodes(law)

    def imbalance(h: float) -> float:
        r = h - y
        return float(w @ (np.sign(r) * np.abs(r) ** (power - 1)))

    return float(brentq(imbalance, y[0], y[-1], xtol=1e-13 * (y[-1] - y[0])))


def expected_loss(law: Any, h: float, power: float = 2.0) -> float:
    """Return E|Y - h|^q."""
    if power == 2 and hasattr(law, "var") and np.isfinite(law.var()):
        return float(law.var() + (law.mean() - h) ** 2)
    y, w = _law_nodes(law, cut=h)
    return float(w @ np.abs(y - h) ** power)


def _law_nodes(law: Any, cut: float | None = None) -> tuple[Vector, Vector]:
    """Return nodes and weights of a quadrature against the law: Gauss's rule between quantiles."""
    levels = np.concatenate(
        [10.0 ** np.arange(-15, -1), np.linspace(0.02, 0.98, 25), 1 - 10.0 ** np.arange(-2, -15, -1.0)]
    )
    ends = np.unique(np.concatenate([np.asarray(law.ppf(levels)), [] if cut is None else [cut]]))
    ends = ends[np.isfinite(ends)]
    t, v = np.polynomial.legendre.leggauss(24)
    half = np.diff(ends)[:, None] / 2
    y = ((ends[:-1] + ends[1:])[:, None] / 2 + half * t).ravel()
    w = (half * v).ravel() * np.asarray(law.pdf(y))
    return y, w / w.sum()


def integrate(
    f: Callable[[Matrix], Vector],
    support: Sequence[tuple[float, float]],
    decide: Callable[[Matrix], np.ndarray] | None = None,
    *,
    pieces: int = 64,
) -> float:
    """Return the integral of f over a box; in one dimension the pieces end where ``decide`` changes.

    >>> round(integrate(lambda X: X[:, 0] ** 2, [(0.0, 3.0)]), 12)
    9.0
    """
    if len(support) == 1:
        ends = np.linspace(*support[0], pieces + 1)
        if decide is not None:
            ends = np.union1d(ends, _changes(decide, *support[0]))
        t, v = np.polynomial.legendre.leggauss(20)
        half = np.diff(ends)[:, None] / 2
        x = ((ends[:-1] + ends[1:])[:, None] / 2 + half * t).ravel()
        return float((half * v).ravel() @ f(x[:, None]))
    if len(support) > 3:
        raise WrongUse(
            f"the law has {len(support)} dimensions; a product rule goes up to three. Draw a sample instead."
        )
    X, w = _nodes(support, 8, 60 if len(support) == 2 else 12)
    return float(w @ f(X))


def _nodes(support: Sequence[tuple[float, float]], order: int, pieces: int) -> tuple[Matrix, Vector]:
    """Return the nodes (N, d) and weights (N,) of a composite product rule."""
    t, v = np.polynomial.legendre.leggauss(order)
    axes, weights = [], []
    for a, b in support:
        ends = np.linspace(a, b, pieces + 1)
        half = np.diff(ends)[:, None] / 2
        axes.append(((ends[:-1] + ends[1:])[:, None] / 2 + half * t).ravel())
        weights.append((half * v).ravel())
    X = np.stack([g.ravel() for g in np.meshgrid(*axes, indexing="ij")], axis=1)
    w = weights[0]
    for more in weights[1:]:
        w = np.multiply.outer(w, more).ravel()
    return X, w


def _changes(decide: Callable[[Matrix], np.ndarray], a: float, b: float, n: int = 4097) -> Vector:
    """Return the points of an interval where a decision changes, each found by bisection."""
    x = np.linspace(a, b, n)
    d = decide(x[:, None])
    at = np.flatnonzero(d[1:] != d[:-1])
    low, high, left = x[at], x[at + 1], d[at]
    for _ in range(60):
        middle = (low + high) / 2
        same = decide(middle[:, None]) == left if len(middle) else np.zeros(0, dtype=bool)
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    return high


def _boxes(support: Any) -> list[tuple[float, float]]:
    box = np.atleast_2d(np.asarray(support, dtype=np.float64))
    if box.ndim != 2 or box.shape[1] != 2 or not np.isfinite(box).all() or (box[:, 0] >= box[:, 1]).any():
        raise WrongUse(f"support is {support!r}; it must be a finite interval (a, b), or one for each dimension.")
    return [(float(a), float(b)) for a, b in box]


def _rows(X: ArrayLike, d: int) -> Matrix:
    X = np.asarray(X, dtype=np.float64)
    return X.reshape(-1, 1) if X.ndim < 2 and d == 1 else np.atleast_2d(X)


def _plain(X: Matrix) -> np.ndarray:
    """Return rows of one column as a vector."""
    return X[:, 0] if X.shape[1] == 1 else X


def _density(f: Any, X: Matrix) -> Vector:
    return np.asarray(f.pdf(_plain(X)) if hasattr(f, "pdf") else f(_plain(X)), dtype=np.float64)
