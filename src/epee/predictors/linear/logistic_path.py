r"""A path of L2 penalties for logistic regression, for little more than one fit.

The minimum :math:`W(C)` moves smoothly with :math:`\log C`. A few anchors are solved on a sample of the rows and
corrected on all of them; Newton's step leads from each to its neighbours, and all are then corrected together on all
rows: one product gives the scores of every penalty, one product their gradients, and each correction

.. math:: W_j \leftarrow W_j - (H_a + \lambda_j I)^{-1} \nabla R_j(W_j) \tag{1}

uses the sample's Hessian at the nearest anchor. A penalty that does not come down is solved alone from where it is.
With an L1 term or many classes each penalty starts from the minimum of the one before.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import cho_solve
from sklearn.base import clone

from epee.optimize.linear_descent import FEWEST_ROWS, LARGEST_HESSIAN, minimise, scaled_cholesky
from epee.optimize.linear_risk import LinearRisk
from epee.optimize.linear_sparse import mend, minimise_sparse
from epee.settings import progress
from epee.typing import Matrix, Tensor, Vector

if TYPE_CHECKING:
    from epee.predictors.linear.logistic import LogisticRegression

ANCHORS = 9


@dataclass
class LogisticPath:
    """Weights for each value of C.

    Attributes
    ----------
    Cs : array (m,)
    coef : array (m, K, p), one row a penalty with two classes
    intercept : array (m, K)
    largest_slope : array (m,)
        The largest slope of the mean risk where each search ended.
    """

    Cs: Vector
    coef: Tensor
    intercept: Matrix
    largest_slope: Vector
    template: Any

    def models(self) -> list[Any]:
        """Return one fitted classifier for each value of C."""
        return [self.model(j) for j in range(len(self.Cs))]

    def model(self, j: int) -> Any:
        """Return the classifier of the j-th value of C."""
        model = clone(self.template).set_params(C=float(self.Cs[j]))
        for name in ("classes_", "n_features_in_", "feature_names_in_"):
            if hasattr(self.template, name):
                setattr(model, name, getattr(self.template, name))
        model.coef_, model.intercept_ = self.coef[j], self.intercept[j]
        model._wald, model.separated_ = None, False
        return model

    def plot(self, ax: Any = None) -> Any:
        """Draw the weights against C."""
        from epee.figures.style import new_axes

        ax = new_axes(ax, xlabel="C (smaller shrinks more)", ylabel="weight")
        ax.semilogx(self.Cs, self.coef.reshape(len(self.Cs), -1), lw=1)
        ax.axhline(0, color="0.7", lw=0.8, zorder=0)
        return ax


def follow_path(model: LogisticRegression, risk: LinearRisk, Cs: Vector) -> LogisticPath:
    """Return the path of a model over the values of C."""
    base = float(model.C if model.penalty is not None else np.inf)
    unit_l2, unit_l1 = risk.l2 * base, risk.l1 * base  # what C = 1 would weigh
    order = np.argsort(Cs)
    together = risk.M == 1 and not risk.l1.any() and risk.d <= LARGEST_HESSIAN // 3
    solve = _together if together else _one_by_one
    W, slope = solve(model, risk, Cs[order], unit_l2, unit_l1)  # (m, d, M)
    back = np.argsort(order)
    W, slope = W[back], slope[back]
    p = risk.source.n_columns
    bias = W[:, p] if risk.bias else np.zeros((len(Cs), risk.M))
    return LogisticPath(Cs, np.ascontiguousarray(W[:, :p].transpose(0, 2, 1)), bias, slope, model)


def _one_by_one(
    model: LogisticRegression, risk: LinearRisk, Cs: Vector, l2: Vector, l1: Vector
) -> tuple[Tensor, Vector]:
    W, slopes, current = np.empty((len(Cs), risk.d, risk.M)), np.empty(len(Cs)), None
    with progress("path of penalties", len(Cs)) as tick:
        for j, C in enumerate(Cs):
            here = replace(risk, l2=l2 / C, l1=l1 / C)
            solve = minimise_sparse if l1.any() else minimise
            found = solve(here, current, tol=model.tol, max_iter=int(model.max_iter), levels=current is None)
            W[j], current, slopes[j] = found.W, found.W, found.trace.norms[-1]
            tick()
    return W, slopes


def _together(model: LogisticRegression, risk: LinearRisk, Cs: Vector, l2: Vector, l1: Vector) -> tuple[Tensor, Vector]:
    m, n = len(Cs), risk.source.n_rows
    wanted = max(FEWEST_ROWS, 20 * risk.d)
    sample = risk if n is not None and n <= 3 * wanted else risk.some_rows(max(wanted, (n or 0) // 20))
    anchors = np.unique(np.linspace(0, m - 1, min(m, ANCHORS)).round().astype(int))
    W, hessians, current = np.empty((risk.d, len(anchors))), [], None
    with progress("path of penalties", m) as tick:
        for a, j in enumerate(anchors):
            found = minimise(
                replace(sample, l2=l2 / Cs[j]), current, tol=1e-3, max_iter=50, levels=False, polish=np.inf
            )
            current, W[:, a] = found.W, found.W[:, 0]
            hessians.append(replace(sample, l2=0 * l2).hessian(current))
        first = risk.at_many(W, l2[:, None] / Cs[anchors])
        moved = W - np.column_stack(
            [_solve(H, l2 / Cs[j], first[:, a]) for a, (H, j) in enumerate(zip(hessians, anchors))]
        )
        gradient = risk.at_many(moved, l2[:, None] / Cs[anchors])
        for a, j in enumerate(anchors):  # what the step has taught about the curvature of all rows
            s = moved[:, a] - W[:, a]
            hessians[a] = mend(hessians[a], s, gradient[:, a] - first[:, a] - l2 / Cs[j] * s)
        W = moved
        nearest = np.abs(np.log(Cs)[:, None] - np.log(Cs[anchors])[None]).argmin(axis=1)
        far = np.empty((risk.d, m))
        for j, a in enumerate(nearest):  # Newton's step from the anchor's minimum to that of another penalty
            here = gradient[:, a] + (l2 / Cs[j] - l2 / Cs[anchors[a]]) * W[:, a]
            far[:, j] = W[:, a] - _solve(hessians[a], l2 / Cs[j], here)
        W, slopes = _correct(risk, far, Cs, l2, hessians, nearest, model.tol, 12)
        for j in np.flatnonzero(slopes > model.tol):
            found = minimise(
                replace(risk, l2=l2 / Cs[j]), W[:, [j]], tol=model.tol, max_iter=int(model.max_iter), levels=False
            )
            W[:, j], slopes[j] = found.W[:, 0], found.trace.norms[-1]
        tick(m)
    return W.T[:, :, None], slopes


def _solve(H: Matrix, l2: Vector, g: Vector) -> Vector:
    """Return (H + diag(l2))^-1 g."""
    factor, scale = scaled_cholesky(H + np.diag(l2))
    return cho_solve(factor, g * scale, check_finite=False) * scale


def _correct(
    risk: LinearRisk, W: Matrix, Cs: Vector, l2: Vector, hessians: list[Matrix], nearest: Any, tol: float, most: int
) -> tuple[Matrix, Vector]:
    """Do corrections (1) for all penalties whose slope is above ``tol``; one that does not come down is left as it was.

    Returns the weights (d, m) and their largest slopes (m,).
    """
    W, active = W.copy(), np.arange(len(Cs))
    own = {j: hessians[a] for j, a in enumerate(nearest)}
    slopes, before, gradients = np.full(len(Cs), np.inf), W.copy(), np.empty_like(W)
    for turn in range(most + 1):
        gradient = risk.at_many(W[:, active], l2[:, None] / Cs[active])
        size = np.abs(gradient).max(axis=0)
        worse = size > slopes[active]
        if turn:
            for i, j in enumerate(active.tolist()):
                s = W[:, j] - before[:, j]
                own[j] = mend(own[j], s, gradient[:, i] - gradients[:, j] - l2 / Cs[j] * s)
        W[:, active[worse]] = before[:, active[worse]]
        better = active[~worse]
        slopes[better], gradients[:, better] = size[~worse], gradient[:, ~worse]
        active = active[(~worse) & (size > tol)]
        if not len(active) or turn == most:
            break
        before[:, active] = W[:, active]
        for j in active.tolist():
            W[:, j] = W[:, j] - _solve(own[j], l2 / Cs[j], gradients[:, j])
    return W, slopes
