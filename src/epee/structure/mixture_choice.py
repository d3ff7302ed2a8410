r"""How many components: by BIC, by ICL, or by the likelihood of rows that were left out.

.. math:: \mathrm{BIC} = -2 \sum_i \log p(x_i) + d \log n, \qquad
          \mathrm{ICL} = \mathrm{BIC} - 2 \sum_{ik} \tau_{ik} \log \tau_{ik},

and the cross-validated log-likelihood. Each comes with the standard error that the rows as a sample give it, so that the smallest
number within one standard error of the best can be told.
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
from epee.typing import Vector


@dataclass(frozen=True, eq=False)
class ComponentChoice:
    """Criteria for each number of components: smaller is better; ``best`` has the least, ``chosen`` is the simplest within one error."""

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
    return ComponentChoice(
        tuple(int(v) for v in values), criterion, scores, stderr, int(values[best]), int(values[chosen]), models[chosen]
    )
