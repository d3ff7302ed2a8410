r"""The E-step of a Gaussian mixture on one block, with missing cells exactly where there are some.

Responsibilities are a softmax of :math:`\log\pi_k + \log\mathcal N(x; \mu_k, \Sigma_k)`. A row with observed cells :math:`o` and
missing cells :math:`m` has the marginal density of :math:`x_o`; its missing cells enter the sums by their conditional mean and
covariance,

.. math:: \hat x_m = \mu_m + \Sigma_{mo}\Sigma_{oo}^{-1}(x_o - \mu_o), \qquad C = \Sigma_{mm} - \Sigma_{mo}\Sigma_{oo}^{-1}\Sigma_{om},

and forgetting :math:`C` would shrink the covariances. Since :math:`\hat x_m - \mu_m` is linear in :math:`x_o - \mu_o`, the sums over
the observed cells are enough: those of the missing cells follow from them. Rows are taken by pattern of missing cells, so
each pattern is factored once a step.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.linalg

from epee.arrays import is_elsewhere
from epee.stateful import Part
from epee.structure.em import Expected
from epee.structure.gaussian_forms import LOG_2PI, Components, log_determinants, precision_factors
from epee.structure.gaussian_products import Expanded
from epee.structure.mixture_anywhere import expected_anywhere, numbers_a_row
from epee.table.block import Block
from epee.typing import Codes, Matrix, Tensor, Vector

FEW = 2_000_000  # rows times components times columns below which kernels are not worth compiling


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


def log_densities(X: Matrix, c: Components, factors: Tensor) -> Matrix:
    """Return the log-density of each row under each component (n, K), one component after the other."""
    squares = np.empty((len(X), c.n_components))
    if c.form == "tied":
        origin = c.means[0]  # products of large numbers would lose what tells them apart
        Y, M = (X - origin) @ factors, (c.means - origin) @ factors
    for k, mean in enumerate(c.means):
        if c.form == "tied":
            D = Y - M[k]
        else:
            D = X - mean
            D = D @ factors[k] if c.form == "full" else D * factors[k]
        squares[:, k] = np.einsum("ij,ij->i", D, D)
    return log_determinants(factors, c.form, X.shape[1]) - 0.5 * (X.shape[1] * LOG_2PI + squares)


@dataclass(frozen=True, eq=False)
class Marginal:
    """The components on the observed cells of one pattern, and how they predict the missing ones."""

    components: Components  # on the observed cells
    factors: Tensor
    regression: Tensor  # (K, o, m)
    conditional: Tensor  # (K, m, m), or (K, m) for the diagonal forms
    expanded: Expanded | None

    @classmethod
    def whole(cls, c: Components, factors: Tensor) -> Marginal:
        """Return the components where nothing is missing."""
        none = np.zeros((c.n_components, c.means.shape[1], 0))
        return cls(c, factors, none, none[:, :0], Expanded.of(c, factors))


def marginal(components: Components, missing: np.ndarray) -> Marginal:
    """Return the components seen through the observed cells."""
    o, m = np.flatnonzero(~missing), np.flatnonzero(missing)
    K, form = components.n_components, components.form
    # the noise is uniform in each cell: its marginal loses the missing sides of the box
    noise = None if components.noise is None else components.noise * len(o) / max(len(missing), 1)
    if form in ("diag", "spherical"):
        variances = components.covariances if form == "spherical" else components.covariances[:, o]
        regression = np.zeros((K, len(o), len(m)))
        conditional = (
            np.broadcast_to(variances[:, None], (K, len(m))) if form == "spherical" else components.covariances[:, m]
        )
    else:
        form, sigma = "full", components.matrices()
        variances = np.ascontiguousarray(sigma[:, o[:, None], o])
        regression, conditional = np.empty((K, len(o), len(m))), np.empty((K, len(m), len(m)))
        for k in range(K):
            cross = sigma[k][np.ix_(o, m)]
            regression[k] = scipy.linalg.solve(variances[k], cross, assume_a="pos", check_finite=False)
            conditional[k] = sigma[k][np.ix_(m, m)] - cross.T @ regression[k]
    seen = Components(components.weights, components.means[:, o], variances, form, noise)
    factors = precision_factors(seen)
    return Marginal(seen, factors, regression, conditional, Expanded.of(seen, factors))


@dataclass(eq=False)
class GaussianStep(Part):
    """Reduces a block to the sums of the M-step; marginals are found once for each pattern."""

    components: Components
    factors: Tensor
    known: dict[bytes, Marginal] = field(default_factory=dict)
    large: bool = True  # enough work to be worth compiled kernels

    state_parts = ("components", "factors", "large")

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> GaussianStep:
        """Return the step, its patterns still to be found."""
        return cls(state["components"], state["factors"], {}, state["large"])

    def __reduce__(self) -> tuple[Any, ...]:
        return GaussianStep, (self.components, self.factors, {}, self.large)

    def marginal(self, missing: np.ndarray | None) -> Marginal:
        """Return the components on the observed cells of a pattern."""
        key = b"" if missing is None or not missing.any() else missing.tobytes()
        if key not in self.known:
            if not key or missing is None:
                found = Marginal.whole(self.components, self.factors)
            else:
                found = marginal(self.components, missing)
            self.known[key] = found if self.large else replace(found, expanded=None)
        return self.known[key]

    def log_joint(self, X: Matrix, missing: np.ndarray | None = None) -> Matrix:
        """Return log weight plus log-density of each component, and of the noise last, (n, K) or (n, K + 1)."""
        part = self.marginal(missing)
        if missing is not None and missing.any():
            X = X[:, ~missing]
        found = (
            log_densities(X, part.components, part.factors) if part.expanded is None else part.expanded.log_densities(X)
        )
        found += self.components.log_weights()
        noise = self._log_noise(part.components)
        return found if noise is None else np.hstack([found, np.full((len(X), 1), noise)])

    def log_density(self, X: Matrix) -> Vector:
        """Return the log-density of rows without missing cells under the mixture (n,)."""
        part = self.marginal(None)
        if part.expanded is None:
            return responsibilities(self.log_joint(X))[1]
        ready = part.expanded.weighted(self.components.log_weights())
        return ready.log_density(X, self._log_noise(part.components))

    def _log_noise(self, seen: Components) -> float | None:
        """Return the log of the share of the noise times its density."""
        if seen.noise is None:
            return None
        with np.errstate(divide="ignore"):
            return float(np.log(max(1.0 - float(self.components.weights.sum()), 0.0)) + seen.noise)

    anywhere = True

    def width(self) -> int:
        """Return how many numbers a row takes where all of a block is multiplied at once."""
        return numbers_a_row(self.components)

    def __call__(self, block: Block) -> Expected:
        if is_elsewhere(block.rows):
            c = self.components
            return expected_anywhere(block.X, block.weight, c, self.factors, self._log_noise(c))
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
        part, holes = self.marginal(missing), missing.any()
        seen = X[:, ~missing] if holes else X
        if part.expanded is not None:
            ready = part.expanded.weighted(self.components.log_weights())
            ll, N, s, Q, noise = ready.sums(seen, w, self._log_noise(part.components))
        else:
            ll, N, s, Q, noise = self._one_by_one(X, seen, w, missing, part.components)
        weight = float(len(X)) if w is None else float(w.sum())
        if holes:
            s, Q = completed(N, s, Q, missing, part)
        return Expected(ll, weight, (N, s, Q, np.array([noise])))

    def _one_by_one(
        self, X: Matrix, seen: Matrix, w: Vector | None, missing: np.ndarray, c: Components
    ) -> tuple[float, Vector, Matrix, Tensor, float]:
        """Return the sums over the observed cells, one component after the other."""
        K, p = c.means.shape
        R, ll = responsibilities(self.log_joint(X, missing))
        if w is not None:
            R, ll = R * w[:, None], ll * w
        noise = float(R[:, K:].sum())
        R = R[:, :K]
        flat = c.form in ("diag", "spherical")
        s, Q = np.empty((K, p)), np.empty((K, p) if flat else (K, p, p))
        for k in range(K):
            D, r = seen - c.means[k], R[:, k]
            s[k] = r @ D
            Q[k] = r @ (D * D) if flat else (D * r[:, None]).T @ D
        return float(ll.sum()), R.sum(axis=0), s, Q, noise


def completed(N: Vector, s: Matrix, Q: Tensor, missing: np.ndarray, part: Marginal) -> tuple[Matrix, Tensor]:
    """Return the sums over all cells from those over the observed ones: the missing ones at their mean, and their covariance."""
    K, p = len(N), len(missing)
    o, m = np.flatnonzero(~missing), np.flatnonzero(missing)
    whole = np.zeros((K, p))
    whole[:, o], whole[:, m] = s, np.matmul(s[:, None], part.regression)[:, 0]
    if Q.ndim == 2:
        squares = np.empty((K, p))
        squares[:, o], squares[:, m] = Q, N[:, None] * part.conditional
        return whole, squares
    table = np.empty((K, p, p))
    across = Q @ part.regression  # (K, o, m)
    table[:, o[:, None], o] = Q
    table[:, o[:, None], m] = across
    table[:, m[:, None], o] = across.swapaxes(1, 2)
    table[:, m[:, None], m] = part.regression.swapaxes(1, 2) @ across + N[:, None, None] * part.conditional
    return whole, table


def step(components: Components, n: int | None = None) -> GaussianStep:
    """Return the E-step under these components, for about ``n`` rows (None for many)."""
    large = n is None or n * components.means.size > FEW
    return GaussianStep(components, precision_factors(components), {}, large)
