r"""The E-step of a Gaussian mixture on one block, with missing cells exactly where there are some.

Responsibilities are a softmax of :math:`\log\pi_k + \log\mathcal N(x; \mu_k, \Sigma_k)`. A row with observed cells :math:`o` and
missing cells :math:`m` has the marginal density of :math:`x_o`; its missing cells enter the sums by their conditional mean and
covariance,

.. math:: \hat x_m = \mu_m + \Sigma_{mo}\Sigma_{oo}^{-1}(x_o - \mu_o), \qquad C = \Sigma_{mm} - \Sigma_{mo}\Sigma_{oo}^{-1}\Sigma_{om},

and forgetting :math:`C` would shrink the covariances. Since :math:`\hat x_m - \mu_m` is linear in :math:`x_o - \mu_o`, the sums over
the observed cells are enough: those of the missing cells follow from them. Rows are taken by pattern of missing cells, so
each pattern is factored once a step.

Densities and sums are written against the namespace of the rows, which may lie on a device: there all components are one stack of
products, here they follow each other. Many rows are multiplied out instead (:mod:`epee.structure.gaussian_products`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.linalg

from epee.arrays import (
    at_home,
    home_together,
    is_elsewhere,
    like,
    like_together,
    namespace,
    squares_of_rows,
)
from epee.stateful import Part
from epee.structure.em import Expected
from epee.structure.gaussian_forms import LOG_2PI, Components, log_determinants, precision_factors
from epee.structure.gaussian_products import Expanded, Products
from epee.table.block import Block
from epee.typing import Codes, Matrix, Tensor, Vector

PRODUCTS, PIECE = 256, 1024  # so many products keep a device busy, of so many rows at least
FEW = 2_000_000  # rows times components times columns below which kernels are not worth compiling
FEWER = 20_000  # and below which diagonal components are not worth multiplying out in NumPy, either


def responsibilities(log_joint: Any, axis: int = 1) -> tuple[Any, Any]:
    """Return the softmax along an axis, of each row by default, and its log-sum-exp, where they lie.

    >>> R, total = responsibilities(np.log(np.array([[1.0, 3.0]])))
    >>> R, float(np.exp(total[0]).round(12))
    (array([[0.25, 0.75]]), 4.0)
    """
    xp = namespace(log_joint)
    top, least = xp.max(log_joint, axis=axis, keepdims=True), float(xp.finfo(log_joint.dtype).min)
    top = xp.where(top > least, top, least)  # where no component is possible at all
    R = xp.exp(log_joint - top)
    total = xp.sum(R, axis=axis, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        R /= total
        return R, xp.squeeze(top + xp.log(total), axis=axis)


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


def at_once(X: Any, K: int) -> int:
    """Return how many components are worked on together: one whose rows stay in the cache here, all of them on a device."""
    return K if is_elsewhere(X) else 1


def log_joints(X: Any, c: Components, factors: Tensor, log_weights: Vector) -> Any:
    """Return log weight plus log-density of each component (K, n) for rows without missing cells, where they lie."""
    K, p = c.means.shape
    level = log_weights + log_determinants(factors, c.form, p) - 0.5 * p * LOG_2PI
    if c.form == "tied":  # products of large numbers would lose what tells the means apart
        means, U, level, origin = like_together(X, (c.means - c.means[0]) @ factors, factors, level, c.means[0])
        X = (X - origin) @ U
    else:
        means, U, level = like_together(X, c.means, factors, level)
    squares, some = [], at_once(X, K)
    for k in range(0, K, some):
        D = X - means[k : k + some, None, :]  # (some, n, p)
        if c.form == "full":
            D = D @ U[k : k + some, ...]
        elif c.form != "tied":
            D = D * (U[k : k + some, None, :] if c.form == "diag" else U[k : k + some, None, None])
        squares.append(squares_of_rows(D))
    return level[:, None] - 0.5 * (squares[0] if len(squares) == 1 else namespace(X).concat(squares))


def weighted_moments(X: Any, R: Any, c: Components) -> tuple[Any, Any, Any]:
    r"""Return N (K,), s (K, p) and Q of the rows about the means by the weights ``R`` (K, n), where the rows lie.

    With a column of ones beside them the rows of a component give all three in one product, that of :math:`(x - \mu_k, 1)` with itself.
    """
    xp, (K, p) = namespace(X), c.means.shape
    X = xp.concat([X, xp.ones_like(X[:, :1])], axis=1)
    (means,) = like_together(X, np.column_stack([c.means, np.zeros(K)]))
    found, some = [], at_once(X, K)
    for k in range(0, K, some):
        D, r = X - means[k : k + some, None, :], R[k : k + some, :, None]  # (some, n, p + 1), (some, n, 1)
        if c.form in ("diag", "spherical"):
            found.append(products_of_rows(r, xp.concat([D, D[:, :, :p] * D[:, :, :p]], axis=2)))
        else:
            found.append(products_of_rows(D * r, D))
    G = found[0] if len(found) == 1 else xp.concat(found)
    if c.form in ("diag", "spherical"):
        return G[:, 0, p], G[:, 0, :p], G[:, 0, p + 1 :]
    return G[:, p, p], G[:, p, :p], G[:, :p, :p]


def products_of_rows(A: Any, D: Any) -> Any:
    """Return A'D for stacks of many rows (K, n, p); on a device in pieces, for a few small products would leave it idle.

    >>> A = np.arange(24.0).reshape(2, 4, 3)
    >>> bool((products_of_rows(A, A) == A.swapaxes(1, 2) @ A).all())
    True
    """
    xp, (K, n) = namespace(D), D.shape[:2]
    pieces = 1 << (max(PRODUCTS // K, 1) - 1).bit_length()  # rows often divide by a power of two: no copy is made then
    if not is_elsewhere(D) or pieces < 2 or n < pieces * PIECE:
        return xp.matrix_transpose(A) @ D
    whole = n // pieces * pieces
    left, right = (xp.reshape(part[:, :whole, :], (K, pieces, n // pieces, part.shape[2])) for part in (A, D))
    total = xp.sum(xp.matrix_transpose(left) @ right, axis=1)
    return total if whole == n else total + xp.matrix_transpose(A[:, whole:, :]) @ D[:, whole:, :]


@dataclass(frozen=True, eq=False)
class Marginal:
    """The components on the observed cells of one pattern, and how they predict the missing ones."""

    components: Components  # on the observed cells
    factors: Tensor
    regression: Tensor  # (K, o, m)
    conditional: Tensor  # (K, m, m), or (K, m) for the diagonal forms
    expanded: Expanded | None

    @classmethod
    def whole(cls, c: Components, factors: Tensor, expand: bool) -> Marginal:
        """Return the components where nothing is missing, multiplied out if asked."""
        none = np.zeros((c.n_components, c.means.shape[1], 0))
        return cls(c, factors, none, none[:, :0], Expanded.of(c, factors) if expand else None)


def marginal(components: Components, missing: np.ndarray, expand: bool = True) -> Marginal:
    """Return the components seen through the observed cells, multiplied out if asked."""
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
    return Marginal(seen, factors, regression, conditional, Expanded.of(seen, factors) if expand else None)


@dataclass(eq=False)
class GaussianStep(Part):
    """Reduces a block to the sums of the M-step; marginals are found once for each pattern."""

    components: Components
    factors: Tensor
    known: dict[bytes, Marginal] = field(default_factory=dict)
    large: bool = True  # enough work to be worth compiled kernels
    products: Products | None = None  # of rows without missing cells that lie elsewhere, or are one small block here
    plain: bool = False  # enough to be multiplied out by NumPy

    state_parts = ("components", "factors", "large")

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> GaussianStep:
        """Return the step, its patterns still to be found."""
        return cls(state["components"], state["factors"], {}, state["large"])

    def __reduce__(self) -> tuple[Any, ...]:
        return GaussianStep, (self.components, self.factors, {}, self.large, None, self.plain)

    def marginal(self, missing: np.ndarray | None) -> Marginal:
        """Return the components on the observed cells of a pattern."""
        key = b"" if missing is None or not missing.any() else missing.tobytes()
        if key not in self.known:
            expand = self.large or self.plain
            if not key or missing is None:
                found = Marginal.whole(self.components, self.factors, expand)
            else:
                found = marginal(self.components, missing, expand)
            if found.expanded is not None and not self.large:
                found = replace(found, expanded=replace(found.expanded, compiled=False))
            self.known[key] = found
        return self.known[key]

    def log_joint(self, X: Matrix, missing: np.ndarray | None = None) -> Matrix:
        """Return log weight plus log-density of each component, and of the noise last, (n, K) or (n, K + 1)."""
        part = self.marginal(missing)
        if missing is not None and missing.any():
            X = X[:, ~missing]
        if part.expanded is None:
            return np.ascontiguousarray(self.log_joint_lines(X, part.components, part.factors).T)
        found = part.expanded.log_densities(X)
        found += self.components.log_weights()
        noise = self._log_noise(part.components)
        return found if noise is None else np.hstack([found, np.full((len(X), 1), noise)])

    def log_joint_lines(self, X: Any, c: Components | None = None, factors: Tensor | None = None) -> Any:
        """Return the same with a line a component, (K, n) or (K + 1, n), where the rows lie; ``c`` are the components on their cells."""
        c, factors = c or self.components, self.factors if factors is None else factors
        found, noise = log_joints(X, c, factors, self.components.log_weights()), self._log_noise(c)
        xp = namespace(X)
        return found if noise is None else xp.concat([found, xp.full_like(found[:1, :], noise)])

    def log_density(self, X: Matrix) -> Vector:
        """Return the log-density of rows without missing cells under the mixture (n,)."""
        part = self.marginal(None)
        if part.expanded is None:
            return responsibilities(self.log_joint_lines(X), axis=0)[1]
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
        size, p = self.components.means.size, self.components.means.shape[1]
        return 4 * max(size, 0 if self.products is None else p * (p + 3) // 2 + 1) + 6 * self.components.n_components

    def __call__(self, block: Block) -> Expected:
        if is_elsewhere(block.rows):  # no cell is missing there
            there = block.rows
            w = like(block.weight, there, there.dtype) if block.weight is not None else None
            return self._multiplied(there, w) or self._added(there, w)
        X = np.asarray(block.X, dtype=np.float64)
        if self.products is not None:  # nor here
            return self._multiplied(X, block.weight) or self._added(X, block.weight)
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
            ll, N, s, Q, rest = ready.sums(seen, w, self._log_noise(part.components))
            weight = float(len(X)) if w is None else float(w.sum())
            found = Expected(ll, weight, (N, s, Q, np.array([rest])))
        else:
            found = self._added(seen, w, part.components, part.factors)
        if not holes:
            return found
        N, s, Q, noise = found.sums
        return replace(found, sums=(N, *completed(N, s, Q, missing, part), noise))

    def _multiplied(self, X: Any, w: Any) -> Expected | None:
        """Return the sums of rows from the products of their cells; None where these are not kept, not worth it, or cost digits."""
        if self.products is None or (is_elsewhere(X) and (not self.large or str(X.dtype).endswith("32"))):
            return None
        c = self.components
        ready = Expanded.of(c, self.factors, self.products.origin)
        if ready is None:
            return None
        Z, ready, noise = self.products.of(X, ready.flat), ready.weighted(c.log_weights()), self._log_noise(c)
        R = self.products.softmax(ready.table(noise), Z)  # (K + 1, n), log-densities last
        K, G = c.n_components, at_home((R if w is None else R * w) @ Z)
        N, rest = G[:K, -1], np.zeros(1) if noise is None else G[K:-1, -1]
        weight = float(X.shape[0]) if w is None else float(N.sum() + rest.sum())
        return Expected(float(G[-1, -1]), weight, (N, *ready.about_means(G[:K, :-1], N), rest))

    def _added(self, X: Any, w: Any, c: Components | None = None, factors: Tensor | None = None) -> Expected:
        """Return the sums over the cells of rows that lie anywhere, here; ``c`` are the components on these cells."""
        c, xp = c or self.components, namespace(X)
        R, ll = responsibilities(self.log_joint_lines(X, c, factors), axis=0)  # (K, n), (n,)
        if w is not None:
            R, ll = R * w, ll * w
        more = [] if c.noise is None else [xp.sum(R[c.n_components :, :])]
        more += [] if w is None else [xp.sum(w)]
        total, N, s, Q, *rest = home_together(xp.sum(ll), *weighted_moments(X, R, c), *more)
        mass = float(X.shape[0]) if w is None else float(rest[-1])
        return Expected(float(total), mass, (N, s, Q, np.zeros(1) if c.noise is None else rest[0].reshape(1)))


@dataclass(frozen=True)
class Told:
    """What a mixture says of the rows of a block, where they lie: "responsibilities" (n, K), "labels" (n,) or the log "density" (n,)."""

    step: GaussianStep
    what: str

    anywhere = True

    def width(self) -> int:
        """Return how many numbers a row takes while it is worked on."""
        return self.step.width()

    def __call__(self, block: Block) -> Any:
        lines = self.step.log_joint_lines(block.rows)
        xp = namespace(lines)
        if self.what == "labels":
            return xp.argmax(lines, axis=0)
        R, ll = responsibilities(lines, axis=0)
        return ll if self.what == "density" else xp.matrix_transpose(R)


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


def step(components: Components, n: int | None = None, products: Products | None = None) -> GaussianStep:
    """Return the E-step under these components, for about ``n`` rows (None for many), whose ``products`` may be kept."""
    work = np.inf if n is None else n * components.means.size
    plain = components.form in ("diag", "spherical") and FEWER < work <= FEW
    return GaussianStep(components, precision_factors(components), {}, work > FEW, products, plain)
