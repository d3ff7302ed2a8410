r"""Why a row gets its prediction: what each column adds to it.

Let :math:`f` be the prediction of a number, or the probability of the class that is answered, and :math:`b` a row of the training rows.
Columns are changed from :math:`b` to the row :math:`x` one after another, and each is given the change that it makes. The mean over rows
:math:`b` and over orders is Shapley's value :math:`\phi_c`, the only division that adds up,

.. math:: f(x) = E f(b) + \sum_c \phi_c(x), \tag{1}

gives nothing to a column that changes nothing, and the same to columns that play the same part. Orders are drawn in pairs, one and its
reverse, the same for all rows: so a row's reasons do not depend on the rows beside it, and (1) holds exactly for any number of orders.
For a linear predictor all orders agree, :math:`\phi_c = \sum_{j \in c} \beta_j (x_j - \bar b_j)`.

References: Shapley, "A value for n-person games", 1953; Štrumbelj and Kononenko, "Explaining prediction models and individual
predictions with feature contributions", *Knowledge and Information Systems* 41, 2014.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from epee.estimator.protocol import gives_labels
from epee.typing import Matrix, Vector

KEPT_ROWS = 64  # training rows that a predictor keeps to compare others with
PAIRS = 16  # of orders

Ask = Callable[[Matrix], Vector]


@dataclass(frozen=True, eq=False)
class Contributions:
    """What each column adds to the prediction of each row, equation (1).

    Attributes
    ----------
    columns : list of str
    base : array (n,)
        The mean prediction of the training rows that were kept; of a class, its mean probability.
    values : array (n, columns)
    """

    columns: list[str]
    base: Vector
    values: Matrix

    @property
    def predicted(self) -> Vector:
        """What they add up to: the prediction, or the probability of the answer."""
        return self.base + self.values.sum(axis=1)

    def to_frame(self) -> Any:
        """Return a data frame with one line a row."""
        from epee.job.learned import frame_of

        lines = zip(self.base.tolist(), self.values.tolist(), strict=True)
        return frame_of([{"base": b, **dict(zip(self.columns, v, strict=True))} for b, v in lines])


def linear_shares(ask: Ask, X: Matrix, background: Matrix, places: Sequence[Sequence[int]]) -> tuple[Vector, Matrix]:
    """Return base and contributions for a linear function: one change from the mean of the background for each column."""
    centre = background.mean(axis=0, keepdims=True)
    base = float(ask(centre)[0])
    values = np.empty((len(X), len(places)))
    for c, own in enumerate(places):
        Z = np.repeat(centre, len(X), axis=0)
        Z[:, own] = X[:, own]
        values[:, c] = ask(Z) - base
    return np.full(len(X), base), values


def sampled_shares(ask: Ask, X: Matrix, background: Matrix, places: Sequence[Sequence[int]]) -> tuple[Vector, Matrix]:
    """Return base and contributions for any function, by orders drawn in pairs.

    >>> both = lambda Z: Z[:, 0] * Z[:, 1]
    >>> base, values = sampled_shares(both, np.ones((1, 2)), np.zeros((1, 2)), [[0], [1]])
    >>> base.tolist(), values.tolist()
    ([0.0], [[0.5, 0.5]])
    """
    rng = np.random.default_rng(0)
    n, C = len(X), len(places)
    base, gained = np.zeros(n), [np.zeros(n) for _ in range(C)]
    starts = rng.permutation(len(background))  # kept rows come in the order of the table, which may be sorted
    for k in range(PAIRS):
        order = rng.permutation(C)
        for turn, way in enumerate((order, order[::-1])):
            Z = np.repeat(background[[starts[(2 * k + turn) % len(background)]]], n, axis=0)
            before = ask(Z)
            base += before
            for c in way:
                Z[:, places[c]] = X[:, places[c]]
                after = ask(Z)
                gained[c] = gained[c] + (after - before)
                before = after
    return base / (2 * PAIRS), np.column_stack(gained) / (2 * PAIRS)


def shares(
    model: Any, X: Matrix, background: Matrix, groups: Mapping[str, Sequence[int]], linear: bool
) -> tuple[Vector, Matrix]:
    """Return base and contributions for the rows of a fitted model: of its number, or of the probability of its answer."""
    places = [list(own) for own in groups.values()]
    classifies = gives_labels(model)
    if not classifies:
        found = linear_shares if linear else sampled_shares
        return found(lambda Z: np.asarray(model.predict(Z)), X, background, places)
    P = np.asarray(model.predict_proba(X))
    said, classes = np.asarray(model.predict(X)), np.asarray(model.classes_)
    place = np.minimum(np.searchsorted(classes, said), len(classes) - 1)
    code = np.where(np.isin(said, classes), place, P.argmax(axis=1))
    rows = np.arange(len(X))
    return sampled_shares(lambda Z: np.asarray(model.predict_proba(Z))[rows, code], X, background, places)
