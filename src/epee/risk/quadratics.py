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
from epee.losses.decisions import ZeroOne
from epee.moments.affine import Affine
from epee.risk.linear_stack import Linear, Mapped
from epee.table.block import Block
from epee.typing import Matrix, Vector


def behind(form: QuadraticForm, before: Affine | None, origin: Vector) -> QuadraticForm:
    """Return the form of mapped rows as one of the rows before, about ``origin``.

    >>> form = QuadraticForm(None, np.array([1.0]), np.array([2.0]), 3.0, np.array([1.0]))
    >>> x, halve = np.array([[5.0]]), Affine(np.array([0.5]), np.array([0.5]))
    >>> behind(form, halve, np.array([2.0]))(x) == form(halve.rows(x))
    array([ True])
    """
    S = np.ones(len(form.slope)) if before is None else before.dense
    at = origin if before is None else before.rows(origin[None])[0]
    k = at - form.centre  # the form's own u is S u + k
    diagonal = S.ndim == 1
    slope, level = form.slope.copy(), form.level + float(form.slope @ k)
    bend, squares = None, None
    if form.squares is not None:
        slope += 2 * form.squares * k
        level += float(form.squares @ k**2)
        squares = form.squares * S**2 if diagonal else None
        bend = None if diagonal else (S.T * form.squares) @ S
    if form.bend is not None:
        slope += 2 * form.bend @ k
        level += float(k @ form.bend @ k)
        inner = S[:, None] * form.bend * S if diagonal else S.T @ form.bend @ S
        bend = inner if bend is None else bend + inner
    return QuadraticForm(bend, squares, slope * S if diagonal else slope @ S, level, origin)


def form_of(models: Any, t: int, origin: Vector) -> QuadraticForm | None:
    """Return model ``t`` of some as a quadratic form of the rows, None when it is of another kind."""
    if isinstance(models, Linear):
        w, b = models.coef[t], models.intercept[t]
        if len(w) not in (1, 2):
            return None
        w, b = (w[0], b[0]) if len(w) == 1 else (w[1] - w[0], b[1] - b[0])
        return behind(QuadraticForm(None, None, w, float(b), np.zeros(len(w))), None, origin)
    model, before = (models[t].model, models[t].before) if isinstance(models[t], Mapped) else (models[t], None)
    form = model.log_odds() if isinstance(model, Quadratic) else None
    return None if form is None else behind(form, before, origin)


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
        self.bends = np.array([[none if row[k].bend is None else row[k].bend for k in bent] for row in rows]).reshape(
            len(rows), len(bent), q, q
        )
        self.bend_of = np.array([bent.index(k) if k in bent else -1 for k in range(len(some))])

    def __call__(self, block: Block) -> list[Matrix]:
        """Return, for each predictor, the weight of all rows, and twice that of those it has wrong, by cell (3, C)."""
        from epee.kernels.two_classes import count_errors

        cell = np.asarray(block.fold)
        if cell.min(initial=0) < 0 or not self.tested.all():
            block = block.taking((cell >= 0) & self.tested[cell])
        C, K = self.levels.shape
        sums, weights = np.zeros((K, C)), np.zeros(C)
        count_errors(
            np.ascontiguousarray(block.X, dtype=np.float64), np.ascontiguousarray(block.fold, dtype=np.int64),
            np.ascontiguousarray(block.group, dtype=np.int64),
            np.empty(0) if block.weight is None else np.ascontiguousarray(block.weight, dtype=np.float64),
            self.origin, 0, self.levels, self.slopes, self.squares, self.bends, self.bend_of, sums, weights,
        )  # fmt: skip
        return [np.stack([weights, wrong, wrong]) for wrong in sums]


def counting_errors(panels: Sequence[Any], origin: Vector) -> Errors | None:
    """Return what counts the errors of all panels in one sweep, if these are rates of two classes and all models quadratic."""
    for panel in panels:
        asked = panel.asked
        if (
            asked.classes is None
            or len(asked.classes) != 2
            or not isinstance(asked.loss, ZeroOne)
            or asked.costs is not None
        ):
            return None
    forms: list[list[QuadraticForm] | None] = []
    tested = panels[0].tested_by[0]
    known: dict[tuple[int, int], QuadraticForm | None] = {}
    for t in tested:
        row: list[QuadraticForm] = []
        for k, panel in enumerate(panels):
            if t >= 0 and (k, t) not in known:
                known[k, t] = form_of(panel.models, int(t), origin)
            form = known.get((k, t))
            if t >= 0 and form is None:
                return None
            row += [] if form is None else [form]
        forms.append(row if t >= 0 else None)
    return Errors(forms, origin)
