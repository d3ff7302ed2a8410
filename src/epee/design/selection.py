r"""The best rows to measure among candidates.

With :math:`M = X^\top X` of the chosen rows, a design is

========  =============================================================  ======================================
D         largest :math:`\det M`                                         smallest volume of the confidence region
A         smallest :math:`\operatorname{tr} M^{-1}`                      smallest mean variance of the coefficients
G         smallest :math:`\max_c\, c^\top M^{-1} c` over the candidates  smallest worst variance of a prediction
========  =============================================================  ======================================

Rows are added one by one, each the best addition, and then exchanged one for another while that helps (Fedorov); A and G start
from the D-optimal rows, too, and the better end is taken. A row more or less changes :math:`M^{-1}` by one product,

.. math:: (M \pm x x^\top)^{-1} = M^{-1} \mp \frac{M^{-1} x x^\top M^{-1}}{1 \pm x^\top M^{-1} x}, \qquad
          \det(M \pm x x^\top) = \det M\, (1 \pm x^\top M^{-1} x). \tag{1}
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from epee.design.variance import as_rows, inverse_root
from epee.errors import DataError, WrongUse
from epee.typing import ArrayLike, Codes, Matrix, Vector

Criterion = Literal["D", "A", "G"]
LARGE = 1500  # candidates: beyond, the exact worst-case search of G gives way to the largest variance


def select(
    candidates: ArrayLike, n: int, criterion: Criterion = "D", *, measured: ArrayLike | None = None, repeats: bool = False,
    exchange: bool = True,
) -> Codes:  # fmt: skip
    """Return which ``n`` candidates to measure, (n,) row numbers in the order in which they were found.

    Parameters
    ----------
    candidates : array (N, p)
        Rows that could be measured, as the model sees them (a column of ones for an intercept).
    n : int
        How many to choose.
    criterion : {"D", "A", "G"}
        What is optimised, see above.
    measured : array (k, p), optional
        Rows that are measured already and count.
    repeats : bool
        Let a candidate be measured more than once.
    exchange : bool
        Improve the greedy choice by exchanges.

    Notes
    -----
    Greedy: O(n N p²), for G O(n N² p) up to 1500 candidates. Optimal for the model as given: a wrong model is not discovered by
    rows chosen for it.

    References
    ----------
    Atkinson, Donev and Tobias, *Optimum Experimental Designs, with SAS*, 2007.

    Examples
    --------
    >>> line = np.column_stack([np.ones(11), np.linspace(-1, 1, 11)])
    >>> sorted(select(line, 2).tolist())
    [0, 10]
    """
    C = as_rows(candidates, "candidates")
    if criterion not in ("D", "A", "G"):
        raise WrongUse(f"criterion is {criterion!r}; it must be 'D', 'A' or 'G'.")
    if int(n) != n or n < 1:
        raise WrongUse(f"n is {n}; choose at least one row.")
    if n > len(C) and not repeats:
        raise WrongUse(f"n is {n}, but there are only {len(C)} candidates; let them repeat with repeats=True.")
    given = np.zeros((0, C.shape[1])) if measured is None else as_rows(measured, "measured")
    if given.shape[1] != C.shape[1]:
        raise DataError(f"measured has {given.shape[1]} columns, but the candidates have {C.shape[1]}.")
    everything = np.vstack([given, C])
    W = inverse_root(
        everything, "all the candidates together"
    )  # columns of a common size, so that one small ridge suits all
    Z, base = C @ W, given @ W
    start = base.T @ base + 1e-6 * np.eye(Z.shape[1])
    chosen = _greedy(Z, int(n), start, criterion, W, repeats)
    if not exchange or len(given) + n < Z.shape[1]:
        return np.array(chosen, dtype=np.intp)
    M = base.T @ base
    found = [_exchange(Z, chosen, M, criterion, W, repeats)]
    if criterion != "D":  # large designs are good for all criteria at once (Kiefer and Wolfowitz): a second start
        by_volume = _exchange(Z, _greedy(Z, int(n), start, "D", W, repeats), M, "D", W, repeats)
        found.append(_exchange(Z, by_volume, M, criterion, W, repeats))
    return np.array(min(found, key=lambda rows: _value(Z, rows, M, criterion, W)), dtype=np.intp)


def criterion_value(X: ArrayLike, criterion: Criterion = "D", candidates: ArrayLike | None = None) -> float:
    """Return log det M (D, larger is better), tr M^-1 (A) or the worst variance over the candidates (G; smaller is better).

    Parameters
    ----------
    X : array (n, p)
        The design.
    criterion : {"D", "A", "G"}, default="D"
        What is measured.
    candidates : array (m, p), optional
        Where predictions matter, for "G"; by default at the rows of the design.

    Examples
    --------
    >>> criterion_value([[1.0, -1.0], [1.0, 1.0]], "A")
    1.0
    """
    rows = as_rows(X, "X")
    W = inverse_root(rows)
    if criterion == "D":
        return float(-2 * np.log(np.abs(np.diagonal(W))).sum())
    if criterion == "A":
        return float((W**2).sum())
    at = rows if candidates is None else as_rows(candidates, "candidates")
    return float(((at @ W) ** 2).sum(axis=1).max())


def _score(Z: Matrix, V: Matrix, criterion: Criterion, W: Matrix) -> Vector:
    """Return how good each candidate would be as the next row (N,), larger is better; V is M^-1."""
    ZV = Z @ V  # (N, p)
    v = np.einsum("ij,ij->i", ZV, Z)
    if criterion == "A":
        return ((ZV @ W.T) ** 2).sum(axis=1) / (1 + v)
    if criterion == "G" and len(Z) <= LARGE:
        K = ZV @ Z.T  # (N, N): what row j does to the variance at c
        return -np.max(v[:, None] - K**2 / (1 + v), axis=0)
    return v


def _greedy(Z: Matrix, n: int, start: Matrix, criterion: Criterion, W: Matrix, repeats: bool) -> list[int]:
    V: Any = np.linalg.inv(start)
    chosen: list[int] = []
    free = np.ones(len(Z), dtype=bool)
    for _ in range(n):
        score = np.where(free, _score(Z, V, criterion, W), -np.inf)
        j = int(np.argmax(score))
        chosen.append(j)
        free[j] = repeats
        Vx = V @ Z[j]
        V = V - np.outer(Vx, Vx) / (1 + Z[j] @ Vx)
    return chosen


def _value(Z: Matrix, chosen: list[int], base: Matrix, criterion: Criterion, W: Matrix) -> float:
    """Return the criterion, smaller is better; infinite when M is singular."""
    M = base + Z[chosen].T @ Z[chosen]
    values, vectors = np.linalg.eigh(M)
    if values[0] <= 1e-12 * values[-1]:
        return float("inf")
    if criterion == "D":
        return float(-np.log(values).sum())
    half = vectors / np.sqrt(values)
    return float(((W @ half) ** 2).sum()) if criterion == "A" else float(((Z @ half) ** 2).sum(axis=1).max())


def _exchange(Z: Matrix, chosen: list[int], base: Matrix, criterion: Criterion, W: Matrix, repeats: bool) -> list[int]:
    """Swap a chosen row for the best candidate in its place while the criterion falls."""
    best = _value(Z, chosen, base, criterion, W)
    for _ in range(100):
        improved = False
        for i in range(len(chosen)):
            rest = chosen[:i] + chosen[i + 1 :]
            M = base + Z[rest].T @ Z[rest] + 1e-9 * np.eye(Z.shape[1])
            V: Any = np.linalg.inv(M)
            score = _score(Z, V, criterion, W)
            if not repeats:
                score[rest] = -np.inf
            trial = [*chosen[:i], int(np.argmax(score)), *chosen[i + 1 :]]
            value = _value(Z, trial, base, criterion, W)
            if value < best - 1e-10 * abs(best):
                chosen, best, improved = trial, value, True
        if not improved:
            break
    return chosen
