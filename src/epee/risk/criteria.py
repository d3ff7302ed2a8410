r"""Criteria that add a price for complexity to the training error: no rows are held out.

With :math:`err` the mean squared training error, :math:`d` the effective degrees of freedom and :math:`\hat\sigma^2`
the variance of the noise from a model of low bias, the course's forms estimate the error on new values at the same inputs:

.. math:: C_p = AIC = err + \frac{2 d}{n}\hat\sigma^2, \quad AICc = err + \frac{2 (d + 1)}{n - d - 2}\hat\sigma^2, \quad
          BIC = err + \frac{\log n}{n} d\, \hat\sigma^2, \quad GCV = \frac{err}{(1 - d/n)^2}. \tag{1}

(AICc is shifted by :math:`-\hat\sigma^2` against the seed, so that it compares with AIC; the ranking is the same.)
What is added to :math:`err` is an estimate of the *optimism*,

.. math:: \mathrm{op} = \frac2n \sum_i \mathrm{Cov}(\hat y_i, y_i) = \frac{2}{n}\, \mathrm{tr}(S)\, \sigma^2
          \quad\text{for } \hat y = S y. \tag{2}

By likelihood the same names are :math:`-2 \log L` plus :math:`2 k`, :math:`2 k \frac{n}{n - k - 1}` and
:math:`k \log n`, with :math:`k = d + 1` for a regression (its noise variance is a parameter, as in R) and
:math:`k = d` for a classifier.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier

from epee.errors import DataError, WrongUse
from epee.lazy import drawn
from epee.losses.names import resolve
from epee.risk.refit import RefitRoute
from epee.risk.splitting import seed_of


class Criterion(float):
    """The value of a criterion, a number, with what it was made of: ``err``, ``dof``, ``n``, ``sigma2``."""

    err: float
    dof: float
    n: float
    sigma2: float
    name: str

    def __new__(cls, value: float, name: str, err: float, dof: float, n: float, sigma2: float) -> Criterion:
        """Make the number and hang its parts on it."""
        out = super().__new__(cls, value)
        out.name, out.err, out.dof, out.n, out.sigma2 = name, err, dof, n, sigma2
        return out

    def __getnewargs__(self) -> tuple[Any, ...]:
        """Return what a copy of it is made of."""
        return float(self), self.name, self.err, self.dof, self.n, self.sigma2


@dataclass(frozen=True, eq=False)
class Criteria:
    """A criterion along several models; ``best_index`` is the smallest, the simplest on ties."""

    name: str
    values: np.ndarray
    dof: np.ndarray
    err: np.ndarray
    sigma2: float
    models: list[Any] = field(repr=False)

    @property
    def best_index(self) -> int:
        """Index of the model with the smallest criterion."""
        return int(np.lexsort((self.dof, self.values))[0])

    @property
    def best(self) -> Any:
        """The model with the smallest criterion."""
        return self.models[self.best_index]

    plot = drawn(
        "risk.plot_criteria",
        "Draw the criterion and the training error against the degrees of freedom; returns the axes.",
    )


@dataclass(frozen=True)
class _Fit:
    err: float
    dof: float
    n: float
    loglik: float
    classifier: bool


def _fit(model: Any, X: Any, y: Any, sample_weight: Any) -> _Fit:
    classifier = is_classifier(model)
    route = RefitRoute(model, X, y, sample_weight, "log" if classifier else "squared")
    err, dof = route.on_all(route.fit_rows(None))
    n = float(route.counts.sum())
    if not np.isfinite(dof):
        raise DataError(
            f"the degrees of freedom of {type(model).__name__} are not known: use optimism(..., method='bootstrap'), or cross_validate."
        )
    loglik = -n * err if classifier else -n / 2 * (np.log(2 * np.pi * max(err, np.finfo(float).tiny)) + 1)
    return _Fit(err, dof, n, float(loglik), classifier)


def _noise(fit: _Fit) -> float:
    if fit.n - fit.dof <= 0:
        raise DataError(
            f"no residual degrees of freedom are left ({fit.n:g} rows, {fit.dof:g} parameters) to estimate the noise: pass sigma2."
        )
    return fit.err * fit.n / (fit.n - fit.dof)


def _value(name: str, fit: _Fit, sigma2: float, form: str) -> float:
    err, d, n = fit.err, fit.dof, fit.n
    if name == "gcv":
        if fit.classifier:
            raise WrongUse(
                "gcv is for regressions under the squared loss; for a classifier use aic, bic or cross_validate."
            )
        if d >= n:
            raise DataError(f"gcv divides by 1 - d/n: {d:g} degrees of freedom leave nothing of {n:g} rows.")
        return err / (1 - d / n) ** 2
    if form == "likelihood" or fit.classifier:
        k = d if fit.classifier else d + 1
        if name == "mallows_cp":
            if fit.classifier:
                raise WrongUse("mallows_cp is for regressions under the squared loss; for a classifier use aic or bic.")
            return n * err / sigma2 - n + 2 * d
        if name == "aicc" and n - k - 1 <= 0:
            raise DataError(f"aicc needs n > k + 1: there are {n:g} rows for {k:g} parameters.")
        price = {"aic": 2 * k, "aicc": 2 * k * n / max(n - k - 1, 1e-300), "bic": np.log(n) * k}[name]
        return -2 * fit.loglik + price
    if name == "aicc":
        if n - d - 2 <= 0:
            raise DataError(f"aicc needs n > d + 2: there are {n:g} rows for {d:g} degrees of freedom.")
        return err + ((n + d) if form == "course" else 2 * (d + 1)) / (n - d - 2) * sigma2
    return err + (np.log(n) if name == "bic" else 2.0) * d / n * sigma2


def _criterion(
    name: str, model: Any, X: Any, y: Any, sigma2: float | None, form: str | None, sample_weight: Any
) -> Any:
    form = form or "comparable"
    if form not in ("course", "likelihood") and (name, form) != ("aicc", "comparable"):
        raise WrongUse(f"form is {form!r}; it must be 'course' or 'likelihood'.")
    if sigma2 is not None and not sigma2 > 0:
        raise WrongUse(f"sigma2 is {sigma2!r}; the variance of the noise must be positive.")
    models = list(model) if isinstance(model, Sequence) else [model]
    fits = [_fit(each, X, y, sample_weight) for each in models]
    wants = name != "gcv" and not fits[0].classifier and (form != "likelihood" or name == "mallows_cp")
    noise = sigma2 if sigma2 is not None else _noise(max(fits, key=lambda f: f.dof)) if wants else float("nan")
    found = [Criterion(_value(name, f, noise, form), name, f.err, f.dof, f.n, noise) for f in fits]
    if not isinstance(model, Sequence):
        return found[0]
    dof, err = np.array([f.dof for f in fits]), np.array([f.err for f in fits])
    return Criteria(name, np.array(found, dtype=float), dof, err, noise, models)


_PARAMETERS = """
    Parameters
    ----------
    model : estimator, or list of estimators
        A list gives a :class:`Criteria` with the values of all, and the noise from the one with the most degrees of freedom.
    X, y : training rows and their targets
    sigma2 : float, default=None
        Variance of the noise; by default that of the largest model given, with its degrees of freedom taken off.
    form : {"course", "likelihood"}, default="course"
    sample_weight : array (n,), optional
        Counts, or sampling weights, whose scale means nothing.
"""


def gcv(
    model: Any, X: Any, y: Any, *, sigma2: float | None = None, form: str = "course", sample_weight: Any = None
) -> Any:  # fmt: skip
    r"""Return generalised cross-validation, :math:`err / (1 - d/n)^2`: leave-one-out with all leverages made equal.

    Examples
    --------
    >>> from epee import LinearRegression
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 4.0]
    >>> round(gcv(LinearRegression(), X, y), 6)
    0.3
    """
    return _criterion("gcv", model, X, y, sigma2, form, sample_weight)


def aic(
    model: Any, X: Any, y: Any, *, sigma2: float | None = None, form: str = "course", sample_weight: Any = None
) -> Any:  # fmt: skip
    r"""Return Akaike's criterion, :math:`err + 2 \frac dn \hat\sigma^2`, or :math:`-2 \log L + 2k` by likelihood.

    Examples
    --------
    >>> from epee import LinearRegression
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 4.0]
    >>> round(aic(LinearRegression(), X, y, sigma2=1.0), 6)
    1.075
    """
    return _criterion("aic", model, X, y, sigma2, form, sample_weight)


def aicc(
    model: Any, X: Any, y: Any, *, sigma2: float | None = None, form: str | None = None, sample_weight: Any = None
) -> Any:  # fmt: skip
    r"""Return the corrected criterion for few rows, :math:`err + \frac{2(d+1)}{n-d-2} \hat\sigma^2`; needs :math:`n > d + 2`.

    The course prints :math:`err + \frac{n+d}{n-d-2} \hat\sigma^2`, larger by :math:`\hat\sigma^2` whatever the model:
    ``form="course"``. The default takes that constant off, so that the values stand beside those of :func:`aic`; both rank models alike.

    Examples
    --------
    >>> from epee import LinearRegression
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0.0, 1.0, 2.0, 4.0, 4.0]
    >>> round(aicc(LinearRegression(), X, y, sigma2=1.0), 6)
    6.14
    """
    return _criterion("aicc", model, X, y, sigma2, form, sample_weight)


def bic(
    model: Any, X: Any, y: Any, *, sigma2: float | None = None, form: str = "course", sample_weight: Any = None
) -> Any:  # fmt: skip
    r"""Return the Bayesian criterion, :math:`err + \log(n) \frac dn \hat\sigma^2`: a higher price than AIC from 8 rows on.

    Examples
    --------
    >>> from epee import LinearRegression
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0.0, 1.0, 2.0, 4.0, 4.0]
    >>> round(bic(LinearRegression(), X, y, sigma2=1.0), 4)
    0.7838
    """
    return _criterion("bic", model, X, y, sigma2, form, sample_weight)


def mallows_cp(
    model: Any, X: Any, y: Any, *, sigma2: float | None = None, form: str = "course", sample_weight: Any = None
) -> Any:  # fmt: skip
    r"""Return Mallows' :math:`C_p`: the course's is AIC.

    ``form="likelihood"`` is :math:`n\, err / \hat\sigma^2 - n + 2d`, which is near d for a model without bias.

    Examples
    --------
    >>> from epee import LinearRegression
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0.0, 1.0, 2.0, 4.0, 4.0]
    >>> round(mallows_cp(LinearRegression(), X, y, sigma2=1.0), 6)
    0.94
    """
    return _criterion("mallows_cp", model, X, y, sigma2, form, sample_weight)


def optimism(
    model: Any, X: Any, y: Any, *, sigma2: float | None = None, form: str = "course", method: str = "formula",
    repeats: int = 200, random_state: Any = None, sample_weight: Any = None,
) -> float:  # fmt: skip
    r"""Return by how much the training error is too small, on average, for new values at the same inputs: equation (2).

    Parameters
    ----------
    model : regressor
    X, y : training rows and their targets
    sigma2 : float, default=None
        Variance of the noise; by default that of the model itself, with its degrees of freedom taken off.
    form : {"course", "likelihood"}, default="course"
        "likelihood" is the optimism of :math:`-2 \log L`: twice the number of parameters.
    method : {"formula", "bootstrap"}, default="formula"
        The trace of the smoother; or draw :math:`y^* = \hat y + \sigma\varepsilon`, fit again, and take the covariance: for any
        regressor, with an error of Monte Carlo.
    repeats, random_state
        Draws of the bootstrap, and its seed.
    sample_weight : array (n,), optional
        Counts, or sampling weights, whose scale means nothing.

    References
    ----------
    Efron, "The estimation of prediction error: covariance penalties and cross-validation", *JASA* 99, 2004.

    Examples
    --------
    >>> from epee import LinearRegression
    >>> optimism(LinearRegression(), [[0.0], [1.0], [2.0], [4.0]], [0.0, 1.0, 2.0, 5.0], sigma2=1.0)
    1.0
    """
    if is_classifier(model):
        raise WrongUse("optimism is for regressors under the squared loss; for a classifier use cross_validate.")
    if method == "formula":
        fit = _fit(model, X, y, sample_weight)
        if form == "likelihood":
            return 2 * (fit.dof + 1)
        return float(2 * fit.dof / fit.n * (_noise(fit) if sigma2 is None else sigma2))
    if method != "bootstrap":
        raise WrongUse(f"method is {method!r}; it must be 'formula' or 'bootstrap'.")
    route = RefitRoute(model, X, y, sample_weight, resolve("squared"))
    rows, rng = np.arange(route.n), np.random.default_rng(seed_of(random_state))
    fitted = route.fit_rows(None)
    centre = np.asarray(route.ask_rows(fitted, rows, "all rows"), dtype=float).reshape(route.n)
    if sigma2 is None:
        sigma2 = _noise(_fit(model, X, y, sample_weight))
    noise = np.sqrt(sigma2) * rng.standard_normal((repeats, route.n))
    if route.weight is not None and not route.sampled:  # a row that counts w times has the mean of w noises
        noise /= np.sqrt(np.maximum(route.weight, 1e-300))
    drawn = np.empty_like(noise)
    for b in range(repeats):
        route.y = centre + noise[b]
        drawn[b] = np.asarray(route.fit_rows(None, clone(model)).predict(route.X)).reshape(route.n)
    covariance = ((drawn - drawn.mean(axis=0)) * noise).sum(axis=0) / max(repeats - 1, 1)
    n = route.n if route.weight is None else route.weight.sum()
    return float(2 / n * (covariance if route.weight is None else covariance * route.weight).sum())


for _function in (gcv, aic, aicc, bic, mallows_cp):
    _head, _break, _tail = (_function.__doc__ or "").partition("\n\n    Examples")
    _function.__doc__ = _head.rstrip() + "\n" + _PARAMETERS + (_break.lstrip("\n") and "\n    Examples" + _tail)
