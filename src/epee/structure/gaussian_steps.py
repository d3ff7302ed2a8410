r"""The E-step of a Gaussian mixture on one block, with missing cells exactly where there are some.

Responsibilities are a softmax of :math:`\log\pi_k + \log\mathcal N(x; \mu_k, \Sigma_k)`. A row with observed cells :math:`o` and
missing cells :math:`m` has the marginal density of :math:`x_o`; its missing cells enter the sums by their conditional mean and
covariance,

.. math:: \hat x_m = \mu_m + \Sigma_{mo}\Sigma_{oo}^{-1}(x_o - \mu_o), \qquad C = \Sigma_{mm} - \Sigma_{mo}\Sigma_{oo}^{-1}\Sigma_{om},

and forgetting :math:`C` would shrink the covariances. Rows are taken by pattern of missing cells, so each pattern is
factored once a step.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.linalg

from epee.structure.em import Expected
from epee.structure.gaussian_forms import Components, centre, log_densities, near, precision_factors
from epee.table.block import Block
from epee.typing import Codes, Matrix, Tensor, Vector


def responsibilities(log_joint: Matrix) -> tuple[Matrix, Vector]:
    """Return the softmax of each row and its log-sum-exp.

    >>> R, total = responsibilities(np.log(np.array([[1.0, 3.0]])))
    >>> R, float(np.exp(total[0]).round(12))
    (array([[0.25, 0.75]]), 4.0)
    """
    top = log_joint.max(axis=1, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    R = np.exp(log_joint - top)
    total = R.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        R /= total
        return R, (top + np.log(total))[:, 0]


def patterns_of(X: Matrix) -> Iterator[tuple[np.ndarray, Codes]]:
    """Yield each pattern of missing cells (p,) with its rows."""
    missing = np.isnan(X)
    if not missing.any():
        yield missing[0] if len(X) else np.zeros(X.shape[1], dtype=bool), np.arange(len(X))
        return
    packed = np.ascontiguousarray(np.packbits(missing, axis=1))
    keys = packed.view(np.dtype((np.void, packed.shape[1])))[:, 0]
    _, first, where = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(where.reshape(-1), kind="stable")
    ends = np.cumsum(np.bincount(where.reshape(-1)))
    for i, rows in enumerate(np.split(order, ends[:-1])):
        yield missing[first[i]], rows


@dataclass(frozen=True, eq=False)
class Marginal:
    """The components on the observed cells of one pattern, and how they predict the missing ones."""

    components: Components  # on the observed cells
    factors: Tensor
    regression: Tensor  # (K, o, m)
    conditional: Tensor  # (K, m, m)


def marginal(components: Components, missing: np.ndarray) -> Marginal:
    """Return the components seen through the observed cells."""
    o, m = np.flatnonzero(~missing), np.flatnonzero(missing)
    sigma, means = components.matrices(), components.means[:, o]
    K = components.n_components
    regression, conditional = np.empty((K, len(o), len(m))), np.empty((K, len(m), len(m)))
    for k in range(K):
        cross = sigma[k][np.ix_(o, m)]
        regression[k] = scipy.linalg.solve(sigma[k][np.ix_(o, o)], cross, assume_a="pos", check_finite=False)
        conditional[k] = sigma[k][np.ix_(m, m)] - cross.T @ regression[k]
    seen = Components(
        components.weights, means, np.ascontiguousarray(sigma[:, o[:, None], o]), "full", components.noise
    )
    if (
        components.noise is not None
    ):  # the noise is uniform in each cell: its marginal loses the missing sides of the box
        seen = Components(
            seen.weights, means, seen.covariances, "full", components.noise * len(o) / max(len(missing), 1)
        )
    return Marginal(seen, precision_factors(seen), regression, conditional)


@dataclass(eq=False)
class GaussianStep:
    """Reduces a block to the sums of the M-step; marginals are found once for each pattern."""

    components: Components
    factors: Tensor
    known: dict[bytes, Marginal] = field(default_factory=dict)

    def __reduce__(self) -> tuple[Any, ...]:
        return GaussianStep, (self.components, self.factors)

    def marginal(self, missing: np.ndarray) -> Marginal:
        """Return the components on the observed cells of a pattern."""
        key = missing.tobytes()
        if key not in self.known:
            self.known[key] = marginal(self.components, missing)
        return self.known[key]

    def log_joint(self, X: Matrix, missing: np.ndarray | None = None) -> Matrix:
        """Return log weight plus log-density of each component, and of the noise last, (n, K) or (n, K + 1)."""
        if missing is None or not missing.any():
            seen, factors = self.components, self.factors
        else:
            part = self.marginal(missing)
            seen, factors, X = part.components, part.factors, X[:, ~missing]
        out = log_densities(X, seen, factors) + self.components.log_weights()
        if seen.noise is None:
            return out
        share = max(1.0 - float(self.components.weights.sum()), 0.0)
        with np.errstate(divide="ignore"):
            return np.hstack([out, np.full((len(X), 1), np.log(share) + seen.noise)])

    def __call__(self, block: Block) -> Expected:
        X = np.asarray(block.X, dtype=np.float64)
        total: Expected | None = None
        for missing, rows in patterns_of(X):
            if missing.all():
                continue
            everything = len(rows) == len(X)
            w = block.weight
            part = self.sums(X if everything else X[rows], None if w is None else w if everything else w[rows], missing)
            total = part if total is None else total + part
        return self.nothing(X.shape[1]) if total is None else total

    def nothing(self, p: int) -> Expected:
        """Return the sums of no rows."""
        K = self.components.n_components
        shape = (K, p) if self.components.form in ("diag", "spherical") else (K, p, p)
        return Expected(0.0, 0.0, (np.zeros(K), np.zeros((K, p)), np.zeros(shape), np.zeros(1)))

    def sums(self, X: Matrix, w: Vector | None, missing: np.ndarray) -> Expected:
        """Return the sums of rows that share a pattern of missing cells."""
        c, K = self.components, self.components.n_components
        R, ll = responsibilities(self.log_joint(X, missing))
        if w is not None:
            R, ll = R * w[:, None], ll * w
        noise = R[:, K:].sum(axis=0) if c.noise is not None else np.zeros(1)
        R = R[:, :K]
        N, p = R.sum(axis=0), X.shape[1]
        s = np.empty((K, p))
        flat = c.form in ("diag", "spherical")
        Q = np.empty((K, p) if flat else (K, p, p))
        part = self.marginal(missing) if missing.any() else None
        weight = float(len(X)) if w is None else float(w.sum())
        if flat and part is None and near(c):  # multiplied out about the centre of mass: two products of matrices
            B = X - centre(c)
            M, first, second = c.means - centre(c), R.T @ B, R.T @ (B * B)
            s, Q = first - N[:, None] * M, second - 2 * M * first + N[:, None] * M**2
            return Expected(float(ll.sum()), weight, (N, s, Q, noise))
        for k in range(K):
            if part is None:
                D = X - c.means[k]
            else:
                D = np.empty_like(X)
                seen = X[:, ~missing] - c.means[k][~missing]
                D[:, ~missing], D[:, missing] = seen, seen @ part.regression[k]
            r = R[:, k]
            s[k] = r @ D
            Q[k] = r @ (D * D) if flat else (D * r[:, None]).T @ D
            if part is not None:
                if flat:
                    Q[k][missing] += N[k] * np.diag(part.conditional[k])
                else:
                    Q[k][np.ix_(missing, missing)] += N[k] * part.conditional[k]
        return Expected(float(ll.sum()), weight, (N, s, Q, noise))


def step(components: Components) -> GaussianStep:
    """Return the E-step under these components."""
    return GaussianStep(components, precision_factors(components))
