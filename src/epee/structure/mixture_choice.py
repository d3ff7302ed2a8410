r"""How many components: by BIC, by ICL, or by the likelihood of rows that were left out.

.. math:: \mathrm{BIC} = -2 \sum_i \log p(x_i) + d \log n, \qquad
          \mathrm{ICL} = \mathrm{BIC} - 2 \sum_{ik} \tau_{ik} \log \tau_{ik},

and the cross-validated log-likelihood. Each comes with the standard error that the rows as a sample give it, so that the smallest
number within one standard error of the best can be told.

Two components are one cloud when the density does not dip between their centres: a cloud with long tails takes several Gaussians about one
centre, and they are no clusters. The number that is chosen counts clouds. Rounded values, on which a component may shrink while the
likelihood grows without end, are first spread over their rounding step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from epee.errors import WrongUse
from epee.settings import progress
from epee.table.doors import gather, is_stream, open_source
from epee.table.folds import assign_folds
from epee.typing import Matrix, Vector


@dataclass(frozen=True, eq=False)
class ComponentChoice:
    """Criteria for each number of components: smaller is better.

    ``best`` has the least; ``chosen`` is the number of clouds in the density of the best (for "cv", of the simplest within one error).
    """

    values: tuple[int, ...]
    criterion: str
    scores: Vector
    stderr: Vector
    best: int
    chosen: int
    model: Any

    def plot(self, ax: Any = None) -> Any:
        """Draw the criterion against the number of components with its error bars."""
        from epee.figures.mixtures import draw_choice

        return draw_choice(self, ax)


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
    >>> choose_components(GaussianMixture(random_state=0), X, (1, 2, 3)).chosen
    2
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
    shown = clouds(models[chosen])
    chosen = min(range(len(values)), key=lambda i: (abs(values[i] - shown), values[i]))
    return ComponentChoice(
        tuple(int(v) for v in values), criterion, scores, stderr, int(values[best]), int(values[chosen]), models[chosen]
    )


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


def clouds(model: Any, points: int = 33, dip: float = 0.9) -> int:
    """Return how many clouds a mixture shows: components are one when the density between their centres stays above a share of both.

    >>> from types import SimpleNamespace
    >>> two = SimpleNamespace(means_=np.array([[0.0], [4.0]]), score_samples=lambda x: np.logaddexp(-x[:, 0]**2 / 2, -(x[:, 0] - 4)**2 / 2))
    >>> clouds(two), clouds(SimpleNamespace(means_=two.means_ / 4, score_samples=two.score_samples))
    (2, 1)
    """
    means = getattr(model, "means_", None)
    if (
        means is None or len(means) < 2 or np.ndim(means) != 2 or hasattr(model, "_law")
    ):  # counts have no line between centres
        return 1 if means is None else len(means)
    K, t = len(means), np.linspace(0.0, 1.0, points)[:, None]
    one = np.arange(K)
    for i in range(K):
        for j in range(i):
            along = model.score_samples(means[i] + t * (means[j] - means[i]))
            if along.min() > min(along[0], along[-1]) + np.log(dip):
                one[one == one[i]] = one[j]
    mass = getattr(model, "_mass", np.inf) * np.asarray(getattr(model, "weights_", np.ones(K)))
    return max(int((np.bincount(one, mass) >= 3 * (means.shape[1] + 1)).sum()), 1)  # a few far rows are no cloud
