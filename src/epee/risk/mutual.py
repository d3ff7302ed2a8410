r"""What losses of left-out rows share: rows that change each other's losses.

Let :math:`e_i` be the loss of row :math:`i` under the predictor that the others taught, :math:`R` the error of the one that all rows teach,
and :math:`\Delta_j e_i` by how much row :math:`j` changes that loss: :math:`e_i` less the loss of :math:`i` where neither :math:`i` nor
:math:`j` was learned from. Without both, the two losses are independent; what one row alone moves, :math:`R` follows; so the errors
:math:`e_i - R` and :math:`e_j - R` go together only as far as each row moves the other's loss, and to this order

.. math:: E\, (\bar e - R)^2 = \frac{\mathrm{Var}\, e}{n} + \frac1{n^2} \sum_{i \ne j} E\, \Delta_j e_i\, \Delta_i e_j. \tag{1}

For least squares :math:`\Delta_j e_i = -2 H_{ij} r_i r_j`, and (1) is the :math:`\sqrt{1 + 2d/n}` of :mod:`epee.risk.leave_one_out`. For an
error rate the last term counts rows that turn each other's label. No formula knows it: it is a tenth of the first where classes are apart
and half of it where they nearly coincide, since the direction between them is then mostly chance. Parts of the table may take the place of
rows, with the sums of their losses: the models without one or two folds say it. Nothing large is taken off, as a nested
cross-validation must, so a few repeats are enough. Folds are random, not stratified, since rows also share the shares of the classes.
"""

from __future__ import annotations

import warnings

import numpy as np

from epee.arrays import at_home, is_elsewhere
from epee.risk.nested import losses_without_two
from epee.risk.opening import open_route
from epee.risk.route import MomentRoute, Route
from epee.risk.splitting import Plan, kfold
from epee.table.doors import gather, is_stream, open_source
from epee.table.fingerprints import row_uniforms
from epee.table.sparse import laid_out
from epee.typing import Codes, Matrix

FOLDS, REPEATS = 10, 5  # of which the term is known to a third of the first


def turned_together(fold: Codes, losses: Matrix) -> float:
    r"""Return the last term of (1) from the losses (K, n) of :func:`epee.risk.nested.losses_without_two`, less what all rows move alike.

    >>> losses = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    >>> round(turned_together(np.arange(3), losses), 3)                # rows 0 and 1 turn each other: 2 of 9, less their mean
    0.148
    """
    K, n = losses.shape
    other = (fold + np.arange(1, K)[:, None]) % K  # (K - 1, n)
    moved = np.bincount((fold * K + other).ravel(), (losses[0] - losses[1:]).ravel(), minlength=K * K).reshape(K, K)
    alike = np.bincount(fold, minlength=K)[:, None] * moved.sum() / (n * (K - 1))
    moved = np.where(np.eye(K, dtype=bool), 0.0, moved - alike)
    return float((moved * moved.T).sum()) / n**2


def ratio_of_mutual(route: Route) -> float:
    """Return how many times (1) is its first term, at least once and at most as often as there are folds.

    It is 1 where a loss does not vary, or where any two folds may hold all rows of a class; and where models are no merges. Rows that pass
    by, or lie elsewhere, are brought here: few are enough.
    """
    route = _here(route) if isinstance(route, MomentRoute) else route
    if not isinstance(route, MomentRoute):
        return 1.0
    n, K = route.n, min(FOLDS, route.n)
    cells = np.column_stack([laid_out(route.rows), route.truth])
    dealt = [np.argsort(np.argsort(row_uniforms(cells, r), kind="stable")) % K for r in range(REPEATS)]
    splits = [kfold(fold, K) for fold in dealt if route.codes is None or teaches_all(fold, route.codes)]
    shared = alone = 0.0
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of tables that nobody asked for
            for fold, losses in losses_without_two(route, Plan(splits, K, len(splits), "")) if splits else ():
                shared += turned_together(fold, losses)
                alone += float(losses[0].var(ddof=1)) / n
    except (ValueError, np.linalg.LinAlgError):  # too few rows of a class
        return 1.0
    return float(np.clip(1 + shared / alone, 1.0, K)) if alone > 0 and np.isfinite(shared) else 1.0


def _here(route: MomentRoute) -> Route:
    """Return the road of the same rows, held here."""
    X, y, _ = route.raw
    if route.at_hand and not is_elsewhere(X):
        return route
    if is_stream(X):
        X, y, _ = gather(open_source(X, y))
    return open_route(route.model, at_home(X), at_home(y), None, route.loss)


def teaches_all(fold: Codes, codes: Codes) -> bool:
    """Tell whether rows of every class are left when two folds are not learned from.

    >>> teaches_all(np.array([0, 1, 2, 0, 1, 2]), np.array([0, 0, 0, 1, 1, 1])), teaches_all(np.arange(3), np.array([0, 0, 1]))
    (True, False)
    """
    table = np.zeros((int(fold.max()) + 1, int(codes.max()) + 1))
    np.add.at(table, (fold, codes), 1)
    return bool((np.sort(table, axis=0)[:-2].sum(axis=0) > 0).all())
