"""How alike two rows are: the kernels by name, with scikit-learn's names and parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.arrays import like, namespace
from epee.errors import WrongUse
from epee.typing import Matrix


def similarity(X: Matrix, Z: Matrix | None, kernel: Any, own: dict[str, Any], **parameters: Any) -> Matrix:
    """Return the kernel (n, m) of the rows of ``X`` and ``Z`` (``X`` itself if None); ``own`` are those of a callable.

    >>> similarity(np.array([[0.0], [1.0]]), None, "rbf", {}, gamma=1.0).round(3)
    array([[1.   , 0.368],
           [0.368, 1.   ]])
    """
    from sklearn.metrics.pairwise import KERNEL_PARAMS, pairwise_kernels

    if callable(kernel):
        return pairwise_kernels(X, Z, metric=kernel, **own)
    if kernel == "precomputed":
        return X
    if kernel not in KERNEL_PARAMS:
        names = ", ".join(repr(name) for name in sorted(KERNEL_PARAMS))
        raise WrongUse(f"kernel is {kernel!r}; it must be one of {names}, 'precomputed' or a function of two rows.")
    given = {name: value for name, value in parameters.items() if value is not None}
    return pairwise_kernels(X, Z, metric=kernel, filter_params=True, **given)


THERE = (
    "linear",
    "rbf",
    "poly",
    "polynomial",
    "sigmoid",
)  # kernels that are products, and so are had wherever rows lie


def similarity_there(
    X: Any, Z: Matrix, kernel: str, gamma: float | None, coef0: float | None, degree: float | None
) -> Any:
    """Return the kernel (n, m) of rows that lie elsewhere and landmarks; one of ``THERE``, with scikit-learn's defaults.

    >>> similarity_there(np.array([[0.0], [1.0]]), np.array([[1.0]]), "rbf", 1.0, None, None).round(3)
    array([[0.368],
           [1.   ]])
    """
    xp = namespace(X)
    gamma = 1.0 / Z.shape[1] if gamma is None else gamma
    if kernel == "rbf":
        centre = Z.mean(axis=0)
        B = X - like(centre, X)
        lengths = xp.sum(B * B, axis=1, keepdims=True) + like(((Z - centre) ** 2).sum(axis=1), X)[None, :]
        return xp.exp(-gamma * xp.clip(lengths - 2 * (B @ like((Z - centre).T, X)), 0.0, None))
    products = X @ like(Z.T, X)
    if kernel == "linear":
        return products
    products = gamma * products + (1.0 if coef0 is None else coef0)
    return xp.tanh(products) if kernel == "sigmoid" else products ** (3 if degree is None else degree)


def whitening(K: Matrix) -> Matrix:
    r"""Return A (m, r) with :math:`A^\top K A = I`: features :math:`A^\top k(x)` whose products are the kernel where landmarks span it."""
    values, U = np.linalg.eigh(K)
    kept = values > 1e-10 * values[-1]
    return U[:, kept] / np.sqrt(values[kept])
