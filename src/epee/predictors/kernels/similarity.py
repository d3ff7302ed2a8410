"""How alike two rows are: the kernels by name, with scikit-learn's names and parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics.pairwise import KERNEL_PARAMS, pairwise_kernels

from epee.errors import WrongUse
from epee.typing import Matrix


def similarity(X: Matrix, Z: Matrix | None, kernel: Any, own: dict[str, Any], **parameters: Any) -> Matrix:
    """Return the kernel (n, m) of the rows of ``X`` and ``Z`` (``X`` itself if None); ``own`` are those of a callable.

    >>> similarity(np.array([[0.0], [1.0]]), None, "rbf", {}, gamma=1.0).round(3)
    array([[1.   , 0.368],
           [0.368, 1.   ]])
    """
    if callable(kernel):
        return pairwise_kernels(X, Z, metric=kernel, **own)
    if kernel == "precomputed":
        return X
    if kernel not in KERNEL_PARAMS:
        names = ", ".join(repr(name) for name in sorted(KERNEL_PARAMS))
        raise WrongUse(f"kernel is {kernel!r}; it must be one of {names}, 'precomputed' or a function of two rows.")
    given = {name: value for name, value in parameters.items() if value is not None}
    return pairwise_kernels(X, Z, metric=kernel, filter_params=True, **given)


def whitening(K: Matrix) -> Matrix:
    r"""Return A (m, r) with :math:`A^\top K A = I`: features :math:`A^\top k(x)` whose products are the kernel where landmarks span it."""
    values, U = np.linalg.eigh(K)
    kept = values > 1e-10 * values[-1]
    return U[:, kept] / np.sqrt(values[kept])
