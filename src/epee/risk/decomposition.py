r"""Noise, bias and variance: where the expected prediction error comes from.

At a point :math:`x` with :math:`y = f(x) + \varepsilon`, over training samples :math:`D`,

.. math:: EPE(x) = \underbrace{\sigma^2}_{\text{noise}} + \underbrace{(f(x) - E_D h_D(x))^2}_{\text{bias}^2}
          + \underbrace{\mathrm{Var}_D\, h_D(x)}_{\text{variance}}. \tag{1}

With means over the simulated samples in place of :math:`E_D`, (1) is an identity, to rounding. For the 0-1 loss
Domingos (2000) writes, with :math:`y^*` the best label, :math:`h_m` the most frequent prediction,
:math:`B = [h_m \ne y^*]`, :math:`V = P_D(h_D \ne h_m)` and :math:`N = P(y \ne y^*)`,

.. math:: EPE = c_1 N + B + c_2 V, \qquad c_2 = 1 \text{ if } B = 0, \text{ else } -P_D(h_D = y^* \mid h_D \ne h_m): \tag{2}

where the predictor is wrong on average, variance helps. The three terms of the result are those of (2), factors
included, so they add up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from epee.engines.local import in_order
from epee.errors import DataError, WrongUse
from epee.estimator.saying import each_once
from epee.lazy import drawn
from epee.risk.splitting import seed_of
from epee.settings import progress
from epee.typing import Matrix, Vector


@dataclass(frozen=True)
class Terms:
    """The terms averaged over the points."""

    noise: float
    bias2: float
    variance: float
    epe: float


@dataclass(frozen=True, eq=False)
class BiasVariance:
    """Noise, bias² and variance at points, which add up to the expected prediction error.

    Attributes
    ----------
    x : array (m, p)
    noise, bias2, variance, epe : arrays (m,)
        At each point; ``epe = noise + bias2 + variance``.
    stderr : float
        Monte-Carlo error of the average epe.
    mean : array (m,)
        The average (or, for the 0-1 loss, most frequent) prediction.
    """

    x: Matrix
    noise: Vector
    bias2: Vector
    variance: Vector
    epe: Vector
    mean: np.ndarray
    stderr: float
    loss: str
    how: str
    truth: np.ndarray | None = None

    @property
    def average(self) -> Terms:
        """The terms averaged over the points."""
        return Terms(*(float(a.mean()) for a in (self.noise, self.bias2, self.variance, self.epe)))

    def __str__(self) -> str:
        """Return the averages as a sum."""
        a = self.average
        return f"epe {a.epe:.4g} ± {self.stderr:.2g} = noise {a.noise:.4g} + bias² {a.bias2:.4g} + variance {a.variance:.4g}"

    plot = drawn("risk.plot_bias_variance", "Draw the terms stacked along the points; returns the axes.")


@each_once
def bias_variance(
    model: Any, target: Any, *, noise: Any = None, x: Any = None, inputs: Any = None, n: int | None = None, repeats: int = 500,
    loss: str = "squared", random_state: Any = None,
) -> BiasVariance:  # fmt: skip
    r"""Split the expected prediction error of a way of learning into noise, bias and variance.

    Parameters
    ----------
    model : estimator
    target : function, or array (n,)
        :math:`f(x)` of rows (n, p); for ``loss="zero_one"`` the probability of class 1, or of every class (n, K). An array is the target of
        real rows ``inputs``: samples are then bootstrapped, and the noise, which cannot be told from the bias, counts there.
    noise : float or function of rows
        Standard deviation of :math:`\varepsilon`.
    x : array (m,) or (m, p)
        Points at which the error is split.
    inputs : array (n, p), or function of (generator, n)
        The training inputs, fixed, or how they are drawn; by default uniform over the range of ``x``.
    n : int
        Rows of a training sample, where inputs are drawn.
    repeats : int, default=500
        Training samples; the Monte-Carlo error falls with their root.
    loss : {"squared", "zero_one"}, default="squared"
    random_state : int, default=None

    Returns
    -------
    BiasVariance

    References
    ----------
    Hastie, Tibshirani and Friedman, *The Elements of Statistical Learning*, section 7.3; Domingos, "A unified bias-variance
    decomposition", *ICML*, 2000.

    Examples
    --------
    >>> from epee import LinearRegression
    >>> found = bias_variance(LinearRegression(), np.sin, noise=0.1, x=np.linspace(0, 3, 7), n=30, repeats=50)
    >>> bool(np.allclose(found.noise + found.bias2 + found.variance, found.epe, rtol=1e-12))
    True
    """
    if loss not in ("squared", "zero_one"):
        raise WrongUse(f"loss is {loss!r}; the error is split for 'squared' and 'zero_one'.")
    if repeats < 2:
        raise WrongUse(f"repeats is {repeats}; at least 2 training samples are needed.")
    rng = np.random.default_rng(seed_of(random_state))
    if not callable(target):
        if isinstance(target, tuple):
            raise WrongUse(
                "target is a tuple; for real rows give the labels or values as target, and the rows as inputs."
            )
        return _bootstrap(model, np.asarray(target), inputs, repeats, loss, rng)
    if x is None:
        raise WrongUse("x is missing: give the points at which the error is to be split.")
    points = _rows(x)
    draw_inputs = _inputs(inputs, n, points)
    if loss == "squared":
        return _squared(model, target, noise, points, draw_inputs, repeats, rng)
    return _zero_one(model, target, points, draw_inputs, repeats, rng)


def _rows(x: Any) -> Matrix:
    x = np.asarray(x, dtype=float)
    return x[:, None] if x.ndim == 1 else x


def _inputs(inputs: Any, n: int | None, points: Matrix) -> Callable[[np.random.Generator], Matrix]:
    if inputs is not None and not callable(inputs):
        fixed = _rows(inputs)
        return lambda rng: fixed
    if n is None:
        raise WrongUse("n is missing: say how many rows a training sample has, or give fixed inputs.")
    if inputs is not None:
        return lambda rng: _rows(inputs(rng, n))
    low, high = points.min(axis=0), points.max(axis=0)
    return lambda rng: rng.uniform(low, high, (n, points.shape[1]))


def _samples(model: Any, points: Matrix, make: Callable[[np.random.Generator], tuple[Any, Any]], repeats: int,
             rng: np.random.Generator) -> np.ndarray:  # fmt: skip
    """Return the predictions (repeats, m) of models fitted on as many samples, each with its own generator."""
    seeds = rng.integers(2**63, size=repeats)

    def work(seed: int) -> np.ndarray:
        X, y = make(np.random.default_rng(seed))
        return np.asarray(clone(model).fit(X, y).predict(points)).reshape(len(points))

    out = []
    with progress("bias and variance", repeats) as tick:
        for prediction in in_order(work, seeds):
            out.append(prediction)
            tick()
    return np.stack(out)


def _squared(
    model: Any, target: Any, noise: Any, points: Matrix, draw: Any, repeats: int, rng: np.random.Generator
) -> BiasVariance:
    if noise is None:
        raise WrongUse(
            "noise is missing: give the standard deviation of the noise (0 for none), or a function of the rows."
        )
    if not callable(noise) and not 0 <= noise < np.inf:
        raise WrongUse(f"noise is {noise!r}; a standard deviation is finite and not negative.")
    sd = noise if callable(noise) else lambda X: np.full(len(X), float(noise))

    def make(g: np.random.Generator) -> tuple[Matrix, Vector]:
        X = draw(g)
        values, spread = (np.asarray(f(X), dtype=float).reshape(len(X)) for f in (target, sd))
        return X, values + spread * g.standard_normal(len(X))

    H = _samples(model, points, make, repeats, rng).astype(float)  # (R, m)
    f = np.asarray(target(points), dtype=float).reshape(len(points))
    sigma2 = np.asarray(sd(points), dtype=float).reshape(len(points)) ** 2
    mean = H.mean(axis=0)
    bias2, variance = (f - mean) ** 2, ((H - mean) ** 2).mean(axis=0)
    errors = (f - H) ** 2  # (R, m)
    epe = sigma2 + errors.mean(axis=0)
    stderr = float(errors.mean(axis=1).std(ddof=1) / np.sqrt(repeats))
    how = f"{repeats} simulated samples"
    return BiasVariance(points, sigma2, bias2, variance, epe, mean, stderr, "squared", how, f)


def _probabilities(target: Any, X: Matrix) -> Matrix:
    P = np.asarray(target(X), dtype=float).reshape(len(X), -1)
    P = np.hstack([1 - P, P]) if P.shape[1] == 1 else P
    if P.min() < -1e-9 or not np.allclose(P.sum(axis=1), 1):
        raise DataError(
            "target must return probabilities: one of class 1 for each row, or one of every class that add up to 1."
        )
    return np.clip(P, 0.0, 1.0)


def _zero_one(
    model: Any, target: Any, points: Matrix, draw: Any, repeats: int, rng: np.random.Generator
) -> BiasVariance:
    def make(g: np.random.Generator) -> tuple[Matrix, np.ndarray]:
        for _ in range(100):
            X = draw(g)
            y = (g.random(len(X))[:, None] > np.cumsum(_probabilities(target, X), axis=1)[:, :-1]).sum(axis=1)
            if len(np.unique(y)) > 1:
                return X, y
        raise DataError("a hundred simulated samples had one class only: take more rows.")

    P = _probabilities(target, points)  # (m, K)
    H = _samples(model, points, make, repeats, rng).astype(int)
    votes = np.stack([np.equal(H, k).mean(axis=0) for k in range(P.shape[1])], axis=1)  # (m, K): P_D(h = k)
    best, main, rows = P.argmax(axis=1), votes.argmax(axis=1), np.arange(len(points))
    epe = 1 - (votes * P).sum(axis=1)
    against_best = 1 - votes[rows, best]  # E_D [h != y*] = B + c2 V
    bias = (main != best).astype(float)
    errors = 1 - P[rows[None], H]
    stderr = float(errors.mean(axis=1).std(ddof=1) / np.sqrt(repeats))
    how = f"{repeats} simulated samples; the terms of Domingos"
    return BiasVariance(points, epe - against_best, bias, against_best - bias, epe, main, stderr, "zero_one", how, P)


def _bootstrap(
    model: Any, y: np.ndarray, inputs: Any, repeats: int, loss: str, rng: np.random.Generator
) -> BiasVariance:
    """Split the error on real rows: each is judged by the models whose bootstrap sample left it out."""
    if inputs is None or callable(inputs):
        raise WrongUse("inputs is missing: with an array as target, give its rows as inputs.")
    X, n = _rows(inputs), len(y)
    if len(X) != n:
        raise DataError(
            f"Found input variables with inconsistent numbers of samples: inputs has {len(X)} rows and target has {n}."
        )
    seeds = rng.integers(2**63, size=repeats)

    def work(seed: int) -> np.ndarray:
        bag = np.random.default_rng(seed).integers(0, n, n)
        out = np.setdiff1d(np.arange(n), bag)
        found = np.full(n, np.nan)
        if len(np.unique(y[bag])) > 1 or loss == "squared":
            said = np.asarray(clone(model).fit(X[bag], y[bag]).predict(X[out])).reshape(len(out))
            found[out] = np.searchsorted(labels, said) if loss == "zero_one" else said
        return found

    labels = np.unique(y)
    H = np.stack(list(in_order(work, seeds)))  # (R, n)
    seen = np.isfinite(H).sum(axis=0) > 1
    H, X = H[:, seen], X[seen]
    how = f"{repeats} bootstrap samples of real rows, judged on rows left out; the noise counts as bias"
    zero = np.zeros(H.shape[1])
    if loss == "squared":
        truth = np.asarray(y, dtype=float)[seen]
        mean = np.nanmean(H, axis=0)
        bias2, variance = (truth - mean) ** 2, np.nanmean((H - mean) ** 2, axis=0)
        epe = np.nanmean((truth - H) ** 2, axis=0)
        stderr = float(epe.std(ddof=1) / np.sqrt(len(epe)))
        return BiasVariance(X, zero, bias2, variance, epe, mean, stderr, loss, how, truth)
    codes = np.searchsorted(labels, y)[seen]
    votes = np.stack([np.nansum(np.where(np.isnan(H), np.nan, k == H), axis=0) for k in range(len(labels))], axis=1)
    votes = votes / votes.sum(axis=1, keepdims=True)
    main, epe = votes.argmax(axis=1), 1 - votes[np.arange(len(codes)), codes]
    bias = (main != codes).astype(float)
    stderr = float(epe.std(ddof=1) / np.sqrt(len(epe)))
    return BiasVariance(X, zero, bias, epe - bias, epe, labels[main], stderr, loss, how, labels[codes])
