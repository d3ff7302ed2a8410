"""The randomised axes of rows that lie elsewhere: the same projections, found where the rows are."""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.arrays import at_home, like, namespace
from epee.moments.passes import Summation, reduce_source
from epee.structure.randomised import Centred, range_finder
from epee.table.elsewhere import ElsewhereSource
from epee.typing import Matrix, Vector


def axes_elsewhere(
    X: Any, w: Vector | None, q: int, extra: int, powers: Any, rng: np.random.Generator, normaliser: str
) -> tuple[Vector, float, float, Vector, Matrix]:
    """Return the mean, the number of rows and their squares about it, the q largest singular values and their axes (q, p), here."""
    source, xp = ElsewhereSource(X, None, w), namespace(X)
    sums = reduce_source(source, Summation(source.origin, "diagonal"))
    A = X - like(sums.mean, X, X.dtype)  # a copy: products of rows with a large mean would lose digits
    if w is not None:
        A = A * like(np.sqrt(w), X, X.dtype)[:, None]
    Q = range_finder(Centred(A, like(np.zeros(X.shape[1]), X, X.dtype)), q + extra, powers, rng, normaliser)
    _, s, V = xp.linalg.svd(xp.matrix_transpose(Q) @ A, full_matrices=False)
    return sums.mean, float(sums.count), float(sums.scatter.sum()), at_home(s)[:q], at_home(V)[:q]
