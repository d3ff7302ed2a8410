r"""How many principal axes to keep.

- *contrast*: as few as keep a share of the variance, :math:`\sum_{j \le q} \lambda_j / \sum_j \lambda_j \ge c`;
- *broken stick*: axes that carry more than the pieces of a stick broken at random, :math:`\frac1p \sum_{k=j}^p \frac1k`;
- *parallel* analysis (Horn, 1965): axes whose variance exceeds that of a table with its columns shuffled;
- *cv*: the number that best predicts cells left out, one at a time in closed form by the other cells of their row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from epee.errors import WrongUse
from epee.moments.moments import Moments
from epee.solve.spectral import descending_eigh
from epee.table.doors import gather, is_stream, open_source
from epee.table.folds import assign_folds
from epee.typing import Matrix, Vector

RULES = ("contrast", "broken_stick", "parallel", "cv")


@dataclass(frozen=True, eq=False)
class DimensionChoice:
    """The number of axes chosen, the eigenvalues, and what they were held against."""

    chosen: int
    rule: str
    eigenvalues: Vector
    reference: Vector
    stderr: Vector | None = None

    def plot(self, ax: Any = None) -> Any:
        """Draw the eigenvalues with what they were held against; for "cv" the error of prediction."""
        from epee.figures.projections import draw_scree
        from epee.figures.style import COLOURS, new_axes

        if self.rule != "cv":
            ax = draw_scree(self.eigenvalues, reference=self.reference, ax=ax, words=self.rule.replace("_", " "))
        else:
            ax = new_axes(ax, xlabel="axes kept", ylabel="error of left-out cells")
            ax.errorbar(np.arange(len(self.reference)), self.reference, self.stderr, fmt="o-", capsize=3, ms=5)
        ax.axvline(self.chosen, color=COLOURS[2], ls=":", lw=1.4)
        return ax


def choose_dimension(
    X: Any,
    rule: str = "parallel",
    *,
    share: float = 0.9,
    standardise: bool = True,
    repeats: int = 50,
    folds: int = 10,
    random_state: int = 0,
) -> DimensionChoice:
    """Choose how many principal axes of ``X`` (n, p) to keep.

    Parameters
    ----------
    X : array (n, p)
    rule : {"contrast", "broken_stick", "parallel", "cv"}
    share : float in (0, 1]
        Of "contrast": the variance to keep.
    standardise : bool, default=True
        Give every column variance 1 first.
    repeats : int
        Shuffles of "parallel"; the 95 % quantile of their eigenvalues is the reference.
    folds, random_state : int

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2)) @ np.repeat(np.eye(2), 4, axis=1) + 0.3 * rng.normal(size=(200, 8))
    >>> [choose_dimension(X, rule).chosen for rule in ("broken_stick", "parallel", "cv")]
    [2, 2, 2]
    """
    if rule not in RULES:
        raise WrongUse(f"rule is {rule!r}; it must be one of {', '.join(RULES)}.")
    if not 0 < share <= 1:
        raise WrongUse(f"share is {share!r}; it must lie between 0 and 1.")
    X = gather(open_source(X))[0] if is_stream(X) else np.asarray(X, dtype=np.float64)
    m = Moments.of(X)
    sd = np.sqrt(m.variances)
    Z = (X - m.mean) / np.where(sd > 0, sd, 1.0) if standardise else X - m.mean
    values = np.maximum(descending_eigh(Moments.of(Z).covariance())[0], 0.0)
    p = len(values)
    if rule == "contrast":
        kept = np.cumsum(values) / values.sum()
        return DimensionChoice(int(np.searchsorted(kept, share - 1e-12)) + 1, rule, values, np.full(p, np.nan))
    if rule == "cv":
        return _by_cells(Z, values, folds, random_state)
    if rule == "broken_stick":
        reference = np.cumsum(1.0 / np.arange(p, 0, -1))[::-1] / p * values.sum()
    else:
        rng = np.random.default_rng(random_state)
        draws = [descending_eigh(Moments.of(rng.permuted(Z, axis=0)).covariance())[0] for _ in range(repeats)]
        reference = np.quantile(draws, 0.95, axis=0)
    above = values > reference
    return DimensionChoice(int(p if above.all() else np.argmin(above)), rule, values, reference)


def _by_cells(Z: Matrix, values: Vector, folds: int, seed: int) -> DimensionChoice:
    """Predict each cell of held-out rows from the other cells of its row, by the axes of the other rows."""
    n, p = Z.shape
    fold = assign_folds(None, n, folds, seed)
    train = Moments.of(Z, fold=fold).leave_one_out("fold")
    most = min(p - 1, n - 2)
    errors = np.zeros((folds, most + 1))
    for k in range(folds):
        part = train.at("fold", k)
        rows = Z[fold == k] - part.mean
        _, V = descending_eigh(part.covariance())
        errors[k, 0] = np.mean(rows**2)
        for q in range(1, most + 1):
            U = V[:, :q]  # (p, q)
            leverage = np.minimum((U**2).sum(axis=1), 1 - 1e-9)
            residual = (rows - rows @ U @ U.T) / (1 - leverage)  # leaving one cell of a row out of its own projection
            errors[k, q] = np.mean(residual**2)
    mean = errors.mean(axis=0)
    stderr = errors.std(axis=0, ddof=1) / np.sqrt(folds)
    best = int(np.argmin(mean))
    chosen = int(np.flatnonzero(mean <= mean[best] + stderr[best])[0])
    return DimensionChoice(chosen, "cv", values, mean, stderr)
