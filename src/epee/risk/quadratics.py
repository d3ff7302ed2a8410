r"""Several predictors of two classes on the same rows: their log-odds as quadratic forms, their errors counted in one sweep.

About an origin :math:`o`, with :math:`u = x - o`, the log-odds of linear and Gaussian predictors are

.. math:: u^\top B u + a^\top (u \circ u) + b^\top u + c, \tag{1}

also behind an affine map :math:`x \mapsto Sx + t` (a scaler, the filling of missing cells). So a row is centred once and asked
of all of them while it is at hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from epee.estimator.protocol import Quadratic, QuadraticForm
from epee.estimator.stack import Linear
from epee.kernels.two_classes import STEP, count_errors
from epee.losses.decisions import ZeroOne
from epee.risk.linear_stack import Mapped
from epee.table.block import Block
from epee.typing import Matrix, Vector


def form_of(models: Any, t: int, origin: Vector) -> QuadraticForm | None:
    """Return model ``t`` of some as a quadratic form of the rows, None when it is of another kind."""
    if isinstance(models, Linear):
        w, b = models.coef[t], models.intercept[t]
        if len(w) not in (1, 2):
            return None
        w, b = (w[0], b[0]) if len(w) == 1 else (w[1] - w[0], b[1] - b[0])
        return QuadraticForm(None, None, w, float(b), np.zeros(len(w))).behind(None, origin)
    model, before = (models[t].model, models[t].before) if isinstance(models[t], Mapped) else (models[t], None)
    form = model.log_odds() if isinstance(model, Quadratic) else None
    return None if form is None else form.behind(before, origin)


class Errors:
    """Counts the errors of many predictors, each row judged by the fits of its own cell; ``forms[c][k]`` is predictor k in cell c.

    Rows of a cell without forms, None, are not judged.
    """

    def __init__(self, forms: Sequence[Sequence[QuadraticForm] | None], origin: Vector) -> None:
        self.origin, q = origin, len(origin)
        self.tested = np.array([row is not None for row in forms])
        some = next(row for row in forms if row is not None)
        rows = [some if row is None else row for row in forms]
        empty, none = np.zeros(q), np.zeros((q, q))
        self.levels = np.array([[o.level for o in row] for row in rows])
        self.slopes = np.array([[o.slope for o in row] for row in rows])
        self.squares = np.array([[empty if o.squares is None else o.squares for o in row] for row in rows])
        bent = [k for k in range(len(some)) if any(row[k].bend is not None for row in rows)]
        bends = np.array([[none if row[k].bend is None else row[k].bend for k in bent] for row in rows])
        bends = bends.reshape(len(rows), len(bent), q, q)
        below = np.tril(bends) + np.triu(bends, 1).swapaxes(-1, -2)  # the same form, of which half is zero
        self.bends = np.pad(below, [(0, 0)] * 3 + [(0, -q % STEP)])
        self.bend_of = np.array([bent.index(k) if k in bent else -1 for k in range(len(some))])

    def __call__(self, block: Block) -> list[Matrix]:
        """Return, for each predictor, the weight of all rows, and twice that of those it has wrong, by cell (3, C)."""
        cell = np.asarray(block.fold)
        C, K = self.levels.shape
        sums, order = np.zeros((K, C)), np.argsort(cell, kind="stable")
        order = order[(cell[order] >= 0) & self.tested[cell[order]]]
        cell, right = cell[order], np.asarray(block.group)[order] == 1
        w = np.empty(0) if block.weight is None else np.asarray(block.weight, dtype=np.float64)[order]
        lanes, step = block.lanes(), 1
        if lanes is None:
            X, step = np.ascontiguousarray(block.X, dtype=np.float64), len(self.origin)
            lanes = X.reshape(-1), np.arange(step)
        memory, first = lanes
        memory = memory.view()
        memory.flags.writeable = False  # as columns of a file are: one compiled code for both
        counts = np.bincount(cell, minlength=C)
        count_errors(
            memory, first, step, order, counts, w, right, self.origin, self.levels, self.slopes, self.squares, self.bends, self.bend_of,
            sums,
        )  # fmt: skip
        weights = counts.astype(np.float64) if not w.size else np.bincount(cell, w, minlength=C)
        return [np.stack([weights, wrong, wrong]) for wrong in sums]


def counting_errors(panels: Sequence[Any], origin: Vector) -> Errors | None:
    """Return what counts the errors of all panels in one sweep, if these are rates of two classes and all models quadratic."""
    for asked in (panel.asked for panel in panels):
        two = asked.classes is not None and len(asked.classes) == 2
        if not two or not isinstance(asked.loss, ZeroOne) or asked.costs is not None:
            return None
    tested = panels[0].tested_by[0]
    forms: dict[int, list[QuadraticForm]] = {}
    for t in np.unique(tested[tested >= 0]).tolist():
        found = [form_of(panel.models, t, origin) for panel in panels]
        forms[t] = [form for form in found if form is not None]
        if len(forms[t]) < len(panels):
            return None
    return Errors([forms.get(int(t)) for t in tested], origin)
