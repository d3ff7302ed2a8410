r"""Sparse coding: rows as combinations of a few atoms.

.. math:: \min_{A, D} \; \tfrac12 \|X - A D\|_F^2 + \alpha \|A\|_1, \qquad \|d_k\| \le 1, \tag{1}

by turns: the codes of each row are a lasso on the dictionary, and each atom is the best given the codes and the other atoms,
projected on the unit ball. Every half-step lowers (1), so it never rises.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from epee.engines.local import in_order
from epee.errors import SearchWarning, WrongUse
from epee.estimator.base import NewAxes, Transformer, say
from epee.settings import progress
from epee.typing import Matrix, Vector

ROWS = 512


class SparseCoding(NewAxes, Transformer):
    r"""A dictionary of atoms and sparse codes on it.

    Parameters
    ----------
    n_atoms : int, default=8
        Atoms of the dictionary; more make sparser codes possible.
    alpha : float > 0, default=1.0
        Price of the codes in (1); larger leaves fewer atoms in a code.
    max_iter : int, default=100
        Turns of codes and atoms.
    tol : float, default=1e-6
        Stop when the objective falls by a smaller share.
    random_state : int or None
        Seed of the rows that the atoms start from.

    Attributes
    ----------
    components_ : array (n_atoms, p)
    trace_ : list of float
        The objective after each turn; it never rises.
    n_iter_ : int

    Notes
    -----
    A turn costs :math:`O(n k p + n k^2)`.

    References
    ----------
    Mairal, Bach, Ponce and Sapiro, *JMLR* 11 (2010).

    Examples
    --------
    >>> X = np.repeat(np.eye(3), 4, axis=0)
    >>> model = SparseCoding(3, alpha=0.1, random_state=0).fit(X)
    >>> (model.transform(X) != 0).sum(axis=1).max()
    np.int64(1)
    """

    def __init__(
        self, n_atoms: int = 8, alpha: float = 1.0, *, max_iter: int = 100, tol: float = 1e-6, random_state: Any = None
    ) -> None:  # fmt: skip
        self.n_atoms = n_atoms
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _fit(self, X: Matrix, w: Vector | None) -> None:
        if not (int(self.n_atoms) == self.n_atoms and self.n_atoms >= 1):
            raise WrongUse(f"n_atoms is {self.n_atoms!r}; it must be a whole number of at least 1.")
        if not self.alpha > 0:
            raise WrongUse(f"alpha is {self.alpha!r}; it must be positive.")
        X = np.asarray(X, dtype=np.float64)
        weight = np.ones(len(X)) if w is None else w
        D = self._start(X, weight)
        A = np.zeros((len(X), len(D)))
        self.trace_: list[float] = []
        with progress("sparse coding", self.max_iter) as tick:
            for iteration in range(self.max_iter):
                A = self._code(X, D, A)
                D = self._atoms(X, D, A, weight)
                value = self._objective(X, D, A, weight)
                self.trace_.append(value)
                tick()
                if iteration and self.trace_[-2] - value <= self.tol * max(self.trace_[-2], 1e-300):
                    break
            else:
                say(f"sparse coding stopped after max_iter={self.max_iter} turns: raise it, or tol.", SearchWarning)
        self.components_, self.n_iter_, self._n_features_out = D, len(self.trace_), len(D)

    def _start(self, X: Matrix, weight: Vector) -> Matrix:
        """Return atoms on rows drawn by their weight, then on random directions where rows are zero or too few."""
        rng = check_random_state(self.random_state)
        alive = np.flatnonzero((weight > 0) & (np.abs(X).max(axis=1) > 0))
        D = rng.standard_normal((int(self.n_atoms), X.shape[1]))
        rows = rng.permutation(alive)[: len(D)]
        D[: len(rows)] = X[rows]
        return D / np.linalg.norm(D, axis=1, keepdims=True)

    def _code(self, X: Matrix, D: Matrix, A: Matrix | None = None) -> Matrix:
        from epee.kernels.sparse_codes import codes

        A = np.zeros((len(X), len(D))) if A is None else A.copy()
        G, C = D @ D.T, X @ D.T
        scale = max(float(np.abs(C).max(initial=0.0)), 1e-300)
        work = range(0, len(X), ROWS)
        for _ in in_order(
            lambda i: codes(G, C, float(self.alpha), 1e-10 * scale, 1000, A, i, min(i + ROWS, len(X))), work
        ):
            pass
        return A

    def _atoms(self, X: Matrix, D: Matrix, A: Matrix, weight: Vector) -> Matrix:
        """Return the atoms after one round of exact block updates on the unit ball."""
        H, B = (A * weight[:, None]).T @ A, (A * weight[:, None]).T @ X  # (k, k), (k, p)
        D = D.copy()
        for k in range(len(D)):
            if H[k, k] > 1e-12 * max(np.trace(H), 1e-300):
                atom = D[k] + (B[k] - H[k] @ D) / H[k, k]
                D[k] = atom / max(1.0, float(np.linalg.norm(atom)))
        return D

    def _objective(self, X: Matrix, D: Matrix, A: Matrix, weight: Vector) -> float:
        R = X - A @ D
        return float(weight @ (0.5 * np.einsum("ij,ij->i", R, R) + self.alpha * np.abs(A).sum(axis=1)))

    def _transform(self, X: Matrix) -> Matrix:
        return self._code(np.asarray(X, dtype=np.float64), self.components_)

    def inverse_transform(self, codes: Any) -> Matrix:
        """Return the rows that codes (n, k) stand for."""
        check_is_fitted(self)
        return np.asarray(codes, dtype=float) @ self.components_
