r"""How many components: by BIC, by ICL, or by the likelihood of rows that were left out.

.. math:: \mathrm{BIC} = -2 \sum_i \log p(x_i) + d \log n, \qquad
          \mathrm{ICL} = \mathrm{BIC} - 2 \sum_{ik} \tau_{ik} \log \tau_{ik},

and the cross-validated log-likelihood. Each comes with the standard error that the rows as a sample give it, so that the smallest
number within one standard error of the best can be told.

A cloud that is not Gaussian takes several components: skew ones, flat ones, long tails. They describe its density, and are no clusters. The
number that is chosen counts clouds, parted by a valley that the rows themselves show. On the straight line that tells two components best
apart, with :math:`\mu_a, \mu_b` their centres, :math:`\Sigma` the sum of their covariances and :math:`\pi_a, \pi_b` their shares,

.. math:: t(x) = \frac{(x - \mu_a)^\top \Sigma^{-1} (\mu_b - \mu_a)}{D}, \qquad
          D = (\mu_b - \mu_a)^\top \Sigma^{-1} (\mu_b - \mu_a), \tag{1}

the centres lie at 0 and 1, and the frontier of the linear discriminant at :math:`\frac12 + \frac{1}{2D} \log \frac{\pi_a}{\pi_b}`. Of three
zones of equal width, about 0, about this frontier (kept in the middle third) and about 1, the middle one has at least the density of one
of the others if there is one mode. So, with :math:`m` rows of both components in the middle zone and :math:`r` in the rarer outer one,

.. math:: p = P(B \le m), \qquad B \sim \mathrm{Binomial}(m + r, \tfrac12), \tag{2}

speaks against one mode when it is small, whatever the shape. The two components of largest :math:`p` become one, until it is at most
:math:`\alpha / (K - 1)`, as :math:`K - 1` mergers may be made. A flat cloud is so taken for several in about a share :math:`\alpha` of
tables, any other hardly ever; and two Gaussian clouds need some 100 rows each when they lie 3.5 standard deviations apart.

Rounded values, on which a component may shrink while the likelihood grows without end, are first spread over their rounding step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special
from sklearn.base import clone

from epee.errors import WrongUse
from epee.lazy import drawn
from epee.settings import progress
from epee.table.doors import gather, is_stream, open_source
from epee.table.folds import assign_folds
from epee.typing import Matrix, Vector
from epee.words.cluster_words import say


@dataclass(frozen=True, eq=False)
class ComponentChoice:
    """Criteria for each number of components: smaller is better.

    ``best`` has the least; ``clouds`` is how many clouds the rows show among its components (for "cv", among those of the simplest within
    one error), and ``chosen`` that number, or the nearest that was tried.
    """

    values: tuple[int, ...]
    criterion: str
    scores: Vector
    stderr: Vector
    best: int
    chosen: int
    model: Any
    clouds: int

    def __str__(self) -> str:
        sentence = (
            "{criterion}: {clouds} {clouds:cloud|clouds, each} of one component."
            if self.clouds == self.best
            else "{criterion}: {best} components describe the density, and the rows show {clouds} {clouds:cloud|clouds}: "
            "no valley parts the components of a cloud."
        )
        return say(sentence, criterion=self.criterion.upper(), best=self.best, clouds=self.clouds)

    plot = drawn("mixtures.draw_choice", "Draw the criterion against the number of components with its error bars.")


def choose_components(
    model: Any,
    X: Any,
    values: Sequence[int] = (1, 2, 3, 4, 5, 6),
    *,
    criterion: str = "bic",
    folds: int = 5,
    random_state: int = 0,
) -> ComponentChoice:
    """Choose the number of components of a mixture.

    Parameters
    ----------
    model : mixture
        Cloned for each number.
    X : array (n, p), frame or path
        A path is read into memory: the error bars compare the numbers row by row.
    values : sequence of int
    criterion : {"bic", "icl", "cv"}
        "cv" is minus twice the log-likelihood of left-out rows, on the scale of the other two.
    folds, random_state : int
        Of "cv".

    Returns
    -------
    ComponentChoice
        The model is the one with ``chosen`` components, fitted to all rows.

    Notes
    -----
    The error bar is that of the difference to the best number, row by row: what the numbers share does not blur it.

    Examples
    --------
    >>> from epee import GaussianMixture
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(size=(80, 1)), rng.normal(size=(80, 1)) + 8])
    >>> found = choose_components(GaussianMixture(random_state=0), X, (1, 2, 3))
    >>> found.chosen
    2
    >>> print(found)
    BIC: 2 clouds, each of one component.
    >>> print(choose_components(GaussianMixture(random_state=0), rng.exponential(size=(160, 2)), (1, 2, 3)))
    BIC: 3 components describe the density, and the rows show 1 cloud: no valley parts the components of a cloud.
    """
    if criterion not in ("bic", "icl", "cv"):
        raise WrongUse(f"criterion is {criterion!r}; it must be 'bic', 'icl' or 'cv'.")
    if not len(values):
        raise WrongUse("values is empty: give at least one number of components.")
    X = gather(open_source(X))[0] if is_stream(X) else np.asarray(X, dtype=np.float64)
    X = unrounded(X, random_state)
    n = len(X)
    fold = assign_folds(None, n, folds, random_state) if criterion == "cv" else None
    models, rows, penalties = [], [], []
    with progress("choosing the number of components", len(values)) as tick:
        for K in values:
            fitted = clone(model).set_params(n_components=int(K)).fit(X)
            models.append(fitted)
            if fold is None:
                ll = fitted.score_samples(X)
                penalties.append(fitted.bic(X) + 2 * ll.sum())
                if criterion == "icl":
                    R = fitted.predict_proba(X)
                    ll = ll + (R * np.log(np.where(R > 0, R, 1.0))).sum(axis=1)
            else:
                ll = np.empty(n)
                for k in range(folds):
                    ll[fold == k] = clone(fitted).fit(X[fold != k]).score_samples(X[fold == k])
                penalties.append(0.0)
            rows.append(-2 * ll)
            tick()
    table = np.array(rows)  # (V, n)
    scores = table.sum(axis=1) + np.array(penalties)
    best = int(np.argmin(scores))
    stderr = np.std(table - table[best], axis=1, ddof=1) * np.sqrt(n)
    within = np.flatnonzero(scores - scores[best] <= stderr)
    chosen = int(min(within, key=lambda i: values[int(i)])) if criterion == "cv" else best
    shown = clouds(models[chosen], X)
    chosen = min(range(len(values)), key=lambda i: (abs(values[i] - shown), values[i]))
    return ComponentChoice(
        tuple(int(v) for v in values), criterion, scores, stderr,
        int(values[best]), int(values[chosen]), models[chosen], shown,
    )  # fmt: skip


def unrounded(X: Matrix, seed: int = 0) -> Matrix:
    """Return the cells of rounded columns spread evenly over their rounding step; other columns are untouched.

    A column of numbers is rounded when its values repeat and all lie on a grid.

    >>> Z = unrounded(np.array([[1.0], [2.0], [2.0], [3.0], [2.0], [1.0]]))
    >>> bool((np.abs(Z.ravel() - [1, 2, 2, 3, 2, 1]) <= 0.5).all()), len(np.unique(Z))
    (True, 6)
    """
    rng, out = np.random.default_rng(seed), np.array(X, dtype=np.float64)
    for column in out.T:
        there = np.isfinite(column)
        values = np.unique(column[there])
        if not 2 < len(values) < 0.9 * there.sum():
            continue
        step = float(np.diff(values).min())
        places = (values - values[0]) / step
        if np.abs(places - np.round(places)).max() < 1e-6 * max(places[-1], 1.0):
            column[there] += step * (rng.random(int(there.sum())) - 0.5)
    return out


def clouds(model: Any, X: Matrix, level: float = 0.05) -> int:
    """Return how many clouds the rows show among the components of a mixture; laws of counts have no line between their centres.

    >>> from epee import GaussianMixture
    >>> rng = np.random.default_rng(0); X = rng.uniform(size=(200, 1))
    >>> clouds(GaussianMixture(2, random_state=0).fit(X), X), clouds(GaussianMixture(2, random_state=0).fit(X := X + (X > 0.5)), X)
    (1, 2)
    """
    means = getattr(model, "means_", None)
    if means is None or len(means) < 2 or np.ndim(means) != 2 or hasattr(model, "_law"):
        return 1 if means is None else len(means)
    R = np.array(model.predict_proba(X))[:, : len(means)]  # (n, K), noise left out
    if np.isnan(X).any():
        X = model.impute(X)
    level /= len(means) - 1
    straight = getattr(model, "covariance_type", "full") in ("diag", "spherical")
    while R.shape[1] > 1:
        p, i, j = max((one_mode(X, R[:, i], R[:, j], straight), i, j) for i in range(R.shape[1]) for j in range(i))
        if p <= level:
            break
        R = np.column_stack([np.delete(R, [i, j], axis=1), R[:, i] + R[:, j]])
    return R.shape[1]


def one_mode(X: Matrix, a: Vector, b: Vector, straight: bool) -> float:
    """Return the p-value (2) of one mode for rows that belong to two components by shares; ``straight`` ignores correlations."""
    if min(a.sum(), b.sum()) < 1:
        return 1.0
    centre, way = a @ X / a.sum(), b @ X / b.sum() - a @ X / a.sum()
    sigma = sum(np.atleast_2d(np.cov(X.T, aweights=share, ddof=0)) for share in (a, b))  # (p, p)
    along = np.linalg.pinv(np.diag(np.diag(sigma)) if straight else sigma, hermitian=True) @ way
    D = float(along @ way)
    if not D > 0:
        return 1.0
    t = (X[a + b > 0.5] - centre) @ along / D
    valley = np.clip(0.5 + np.log(a.sum() / b.sum()) / (2 * D), 1 / 3, 2 / 3)
    first, middle, last = (int((np.abs(t - place) <= 1 / 6).sum()) for place in (0.0, valley, 1.0))
    return float(special.bdtr(middle, middle + min(first, last), 0.5))
