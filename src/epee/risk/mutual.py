r"""What losses of left-out rows share: rows that change each other's losses.

Let :math:`e_i` be the loss of row :math:`i` under the predictor that the others taught, :math:`R` the error of the one that all rows teach,
and :math:`\Delta_j e_i` by how much row :math:`j` changes that loss: :math:`e_i` less the loss of :math:`i` where neither :math:`i` nor
:math:`j` was learned from. Without both, the two losses are independent; what one row alone moves, :math:`R` follows; so the errors
:math:`e_i - R` and :math:`e_j - R` go together only as far as each row moves the other's loss, and to this order

.. math:: E\, (\bar e - R)^2 = \frac{\mathrm{Var}\, e}{n} + \frac1{n^2} \sum_{i \ne j} E\, \Delta_j e_i\, \Delta_i e_j. \tag{1}

For least squares :math:`\Delta_j e_i = -2 H_{ij} r_i r_j`, and (1) is the :math:`\sqrt{1 + 2d/n}` of :mod:`epee.risk.leave_one_out`. For
an error rate the last term counts rows that turn each other's label. No formula knows it: it is a tenth of the first where classes are
apart, and larger than it where nothing tells them, since the rule is then mostly chance. Log losses are all but equal there, so that what
rows share is most of what varies.

Parts of the table may take the place of rows, with the sums of their losses: the models without one or two of :math:`K` folds say it. A
fold moves the rule by :math:`1/\sqrt K` of what the table's chance does, and what happens within less of the frontier is not seen: of two
columns that tell nothing, a hundred rows have a ratio of 1.7 by ten folds, 2.2 by fifty, and 2.3 in truth. So left-out rows are judged by
many folds, and folds by as many as there are. The noise of the term falls with :math:`K^2` times the repeats, as does the number of models:
many folds cost no more than repeats of few. Of more columns fewer folds say as much: a rule of many coefficients is hardly ever near none.

Groups are dealt whole, and the first term is the variance by groups; so it is with rows that stand for a share of a population. Nothing
large is taken off, as a nested cross-validation must. Folds are random, not stratified, since rows also share the shares of the classes.
"""

from __future__ import annotations

import warnings

import numpy as np

from epee.arrays import at_home, is_elsewhere
from epee.risk.nested import losses_without_two
from epee.risk.opening import open_route
from epee.risk.route import MomentRoute, Route
from epee.risk.splitting import Plan, kfold
from epee.risk.units import units_of
from epee.table.doors import gather, is_stream, open_source
from epee.table.fingerprints import row_uniforms
from epee.table.sparse import laid_out
from epee.typing import Codes, Matrix, Vector

MOST_FOLDS, FEW_FOLDS, FITTED_FOLDS = 50, 10, 22
TOLD = 500  # repeats times squared folds, from which the term is known to a third of the first
WIDE, FEW_MODELS = 500, 24  # columns times folds that take no longer, and folds that any table may have


def turned_together(fold: Codes, losses: Matrix, weight: Vector | None = None) -> float:
    r"""Return the last term of (1) from the losses (K, n) of :func:`epee.risk.nested.losses_without_two`, less what all rows move alike.

    >>> losses = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    >>> round(turned_together(np.arange(3), losses), 3)                # rows 0 and 1 turn each other: 2 of 9, less their mean
    0.148
    """
    K, w = len(losses), np.ones(len(fold)) if weight is None else weight
    other = (fold + np.arange(1, K)[:, None]) % K  # (K - 1, n)
    by = w * (losses[0] - losses[1:])
    moved = np.bincount((fold * K + other).ravel(), by.ravel(), minlength=K * K).reshape(K, K)
    size = np.bincount(fold, w, minlength=K)
    alike = size[:, None] * moved.sum() / (size.sum() * (K - 1))
    moved = np.where(np.eye(K, dtype=bool), 0.0, moved - alike)
    return float((moved * moved.T).sum() / size.sum() ** 2)


def ratio_of_mutual(route: Route, folds: int = MOST_FOLDS, groups: Codes | None = None) -> float:
    """Return how many times (1) is its first term, at least once and at most as often as there are folds.

    It is 1 where a loss does not vary, or where any two folds may hold all rows of a class. Rows that pass by, or lie elsewhere, are
    brought here: few are enough. ``groups`` are codes (n,) of rows that belong together. Models that are no merges are fitted about half
    as often as the square of the folds.
    """
    route = _here(route) if isinstance(route, MomentRoute) else route
    rows = route.rows if isinstance(route, MomentRoute) else at_home(route.inputs)
    cells = np.column_stack([laid_out(rows), route.truth])
    unit = np.arange(route.n) if groups is None else groups
    units = int(unit.max()) + 1
    K = min(max(folds, FEW_FOLDS), MOST_FOLDS, units, max(WIDE // cells.shape[1], FEW_MODELS))
    repeats = max(round(TOLD / K**2), 1) if isinstance(route, MomentRoute) and units > K else 1
    dealt = [_dealt(row_uniforms(cells, r), unit, K) for r in range(repeats)] if K > 2 else []
    splits = [kfold(fold, K) for fold in dealt if route.codes is None or teaches_all(fold, route.codes)]
    shared = alone = 0.0
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of tables that nobody asked for
            for fold, losses in losses_without_two(route, Plan(splits, K, len(splits), "")) if splits else ():
                one_by_one = units_of(losses[0], route.weight, weights=route.weights, groups=groups)
                shared += turned_together(fold, losses, route.weight)
                alone += one_by_one.spread()[0] ** 2 / one_by_one.n
    except (ValueError, np.linalg.LinAlgError):  # too few rows of a class
        return 1.0
    return float(np.clip(1 + shared / alone, 1.0, K)) if alone > 0 and np.isfinite(shared) else 1.0


def of_classes(route: Route) -> bool:
    """Tell whether each row loses by its own label."""
    return route.codes is not None and route.loss.rowwise


def fitted_folds(n: float) -> int:
    """Return folds whose models, without one or two of them, are about as many fits as leaving each row out takes, and some 250 at most.

    >>> fitted_folds(60), fitted_folds(2_000)
    (11, 22)
    """
    return min(round((2 * n) ** 0.5), FITTED_FOLDS)


def _dealt(u: Vector, unit: Codes, K: int) -> Codes:
    """Return the fold of each row, by the rank of a number that its unit has."""
    of_unit = np.full(int(unit.max()) + 1, np.inf)
    np.minimum.at(of_unit, unit, u)
    return (np.argsort(np.argsort(of_unit, kind="stable"), kind="stable") % K)[unit]


def _here(route: MomentRoute) -> Route:
    """Return the road of the same rows, held here."""
    X, y, w = route.raw
    if route.at_hand and not is_elsewhere(X):
        return route
    if is_stream(X):
        X, y, w = gather(open_source(X, y, w))
    return open_route(route.model, at_home(X), at_home(y), None if w is None else at_home(w), route.loss, route.weights)


def teaches_all(fold: Codes, codes: Codes) -> bool:
    """Tell whether rows of every class are left when two folds are not learned from.

    >>> teaches_all(np.array([0, 1, 2, 0, 1, 2]), np.array([0, 0, 0, 1, 1, 1])), teaches_all(np.arange(3), np.array([0, 0, 1]))
    (True, False)
    """
    table = np.zeros((int(fold.max()) + 1, int(codes.max()) + 1))
    np.add.at(table, (fold, codes), 1)
    return bool((np.sort(table, axis=0)[:-2].sum(axis=0) > 0).all())
