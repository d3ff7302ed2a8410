r"""Many small mixtures at once: the folds, the classes and the numbers of components of a contest.

A mixture of a hundred rows costs more in calls than in arithmetic. Here :math:`B` tables are laid side by side, :math:`(B, n, p)`, the
shorter ones filled up with rows of weight 0, and every half-step of k-means and of EM is one product of stacks: with the products
:math:`z = (u^2, u, 1)` of a row :math:`u = x - \bar x` the log-densities of all components of all tables are

.. math:: \Lambda_b = T_b Z_b, \qquad G_b = R_b Z_b^\top, \tag{1}

:math:`T_b` (K, 2p + 1) from :mod:`epee.structure.gaussian_products`, :math:`R_b` the responsibilities, :math:`G_b` the sums of the M-step.

Each table goes the way it would go alone: the same draws of k-means++, the same stops; it leaves the stack when it has ended. A table
to which anything out of the ordinary happens (a cluster or a component without rows, digits lost, a likelihood that falls) is not
answered for: whoever asked fits it alone, and says what there is to say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from epee.engines.deadline import check_time
from epee.structure.em import Climb, is_one_block_here
from epee.structure.gaussian_forms import LOG_2PI, Components
from epee.structure.gaussian_products import MOST_LOST
from epee.structure.kmeans_starts import surely_distinct
from epee.table.arrays import ArraySource
from epee.typing import Codes, Matrix, Tensor, Vector

SMALL = (
    10_000  # numbers of a table that is worth laying beside others; the arithmetic of a larger one outweighs its calls
)
ROOM = 1 << 20  # numbers of all tables of a stack, their products counted: 8 MB
EPS = 10 * np.finfo(float).eps


@dataclass(eq=False)
class Stack:
    """Tables side by side about their means: rows (B, n, p), weights 0 or 1 (B, n), means (B, p), numbers of rows (B,)."""

    U: Tensor
    w: Matrix
    origin: Matrix
    sizes: Vector

    @classmethod
    def of(cls, tables: Sequence[Matrix]) -> Stack:
        """Lay tables of the same columns side by side."""
        n, p = max(map(len, tables)), tables[0].shape[1]
        U, w = np.zeros((len(tables), n, p)), np.zeros((len(tables), n))
        origin = np.array([X.mean(axis=0) for X in tables])
        for b, X in enumerate(tables):
            U[b, : len(X)] = X - origin[b]
            w[b, : len(X)] = 1.0
        return cls(U, w, origin, np.array([len(X) for X in tables], dtype=np.float64))

    def only(self, which: Codes) -> Stack:
        """Return some of the tables."""
        return Stack(self.U[which], self.w[which], self.origin[which], self.sizes[which])

    def products(self) -> Tensor:
        """Return the squares of the cells of each row, the cells and a one, (B, 2p + 1, n)."""
        V = self.U.swapaxes(1, 2)
        return np.concatenate([V * V, V, np.ones_like(V[:, :1])], axis=1)


def plus_plus_together(stack: Stack, k: int, draws: Sequence[np.random.Generator]) -> tuple[Tensor, np.ndarray]:
    """Return the centres (B, k, p) that k-means++ draws in each table, and which tables had as many rows that differ."""
    U, w, last = stack.U, stack.w, stack.sizes.astype(np.intp) - 1
    trials, tables = 2 + int(np.log(k)), np.arange(len(U))
    first = np.array([rng.random() for rng in draws])
    later = np.array([[rng.random(trials) for _ in range(k - 1)] for rng in draws])  # (B, k - 1, trials)
    centres, sound = np.empty((len(U), k, U.shape[2])), np.ones(len(U), dtype=bool)
    centres[:, 0] = U[tables, np.minimum((first * stack.sizes).astype(np.intp), last)]
    squared = _squares(U, centres[:, :1])[:, 0]  # (B, n)
    for c in range(1, k):
        mass = np.cumsum(w * squared, axis=1)
        sound &= mass[:, -1] > 0
        drawn = (mass[:, None, :] <= later[:, c - 1, :, None] * mass[:, -1, None, None]).sum(axis=2)
        drawn = np.minimum(drawn, last[:, None])  # (B, trials)
        closer = np.minimum(squared[:, None], _squares(U, U[tables[:, None], drawn]))
        best = (closer @ w[:, :, None])[:, :, 0].argmin(axis=1)
        centres[:, c], squared = U[tables, drawn[tables, best]], closer[tables, best]
    return centres, sound


def _squares(U: Tensor, C: Tensor) -> Tensor:
    """Return the squared distance of each row to each of some points (B, c, p), (B, c, n)."""
    D = U[:, None] - C[:, :, None]
    return np.einsum("bcnp,bcnp->bcn", D, D)


def allocated(stack: Stack, centres: Tensor) -> tuple[Codes, Tensor]:
    """Return the nearest centre of each row (B, n), and the weight of each row in the line of its centre (B, k, n)."""
    D = -2 * centres @ stack.U.swapaxes(1, 2) + np.einsum("bkp,bkp->bk", centres, centres)[:, :, None]
    place = D.argmin(axis=1)
    return place, (place[:, None] == np.arange(centres.shape[1])[:, None]) * stack.w[:, None]


def lloyd_together(stack: Stack, centres: Tensor, tol: float = 1e-4, max_iter: int = 300) -> tuple[Tensor, np.ndarray]:
    """Return the centres of k-means in each table, and in which no cluster lost its rows."""
    found, sound, live = centres.copy(), np.ones(len(centres), dtype=bool), np.arange(len(centres))
    labels, bound = np.full(stack.w.shape, -1), np.zeros(len(centres))
    for t in range(max_iter):
        place, E = allocated(stack, centres)
        count, sums = E.sum(axis=2), E @ stack.U
        if t == 0:
            squares = np.einsum("bnp,bnp->b", stack.U, stack.U)
            spread = squares / stack.sizes - (sums.sum(axis=1) ** 2).sum(axis=1) / stack.sizes**2
            bound = tol * np.maximum(spread, 0.0) / centres.shape[2]
        lost = (count <= 0).any(axis=1)
        new = sums / np.maximum(count, 1.0)[:, :, None]
        settled = ((place == labels) | (stack.w == 0)).all(axis=1)
        ended = lost | settled | (((new - centres) ** 2).sum(axis=(1, 2)) <= bound)
        found[live], sound[live] = new, ~lost
        if ended.all():
            break
        left = np.flatnonzero(~ended)
        centres, labels, bound = new[left], place[left], bound[left]
        stack, live = (stack, live) if len(left) == len(live) else (stack.only(left), live[left])
    return found, sound


@dataclass(eq=False)
class Clouds:
    """Weights (B, K), means about the origins and variances (B, K, p) of the components of each table."""

    weights: Matrix
    means: Tensor
    variances: Tensor

    @classmethod
    def of(cls, stack: Stack, centres: Tensor, floor: Vector) -> Clouds:
        """Return the moments of the rows nearest to each centre."""
        place, E = allocated(stack, centres)
        N = E.sum(axis=2) + EPS
        means = E @ stack.U / N[:, :, None]
        D = stack.U - means[np.arange(len(means))[:, None], place]
        return cls(N / N.sum(axis=1, keepdims=True), means, np.maximum(E @ D**2 / N[:, :, None], floor[:, None, None]))

    def only(self, which: Codes) -> Clouds:
        """Return those of some of the tables."""
        return Clouds(self.weights[which], self.means[which], self.variances[which])

    def tables(self) -> tuple[Tensor, np.ndarray]:
        """Return T of (1), (B, K, 2p + 1), log weights counted, and where it costs no digits."""
        A, M, p = 1.0 / self.variances, self.means, self.means.shape[2]
        linear = A * M
        constants = np.log(self.weights) - 0.5 * (
            p * LOG_2PI + np.log(self.variances).sum(axis=2) + (linear * M).sum(axis=2)
        )
        whole = (self.weights[:, None] @ (self.variances + M**2))[:, 0] / self.weights.sum(axis=1, keepdims=True)
        sound = ((A @ whole[:, :, None])[:, :, 0] < MOST_LOST).all(axis=1)
        return np.concatenate([-0.5 * A, linear, constants[:, :, None]], axis=2), sound

    def moved(self, G: Tensor, floor: Vector) -> tuple[Clouds, Vector, np.ndarray]:
        """Return the M-step of the sums (1), the weight of each table, and where no component lost its rows."""
        M, p = self.means, self.means.shape[2]
        N, first = G[:, :, -1:], G[:, :, p : 2 * p]
        s, Q = first - N * M, G[:, :, :p] - 2 * M * first + N * M**2
        N = N + EPS
        delta = s / N
        variances = np.maximum((Q - N * delta**2) / N, floor[:, None, None])
        total = N.sum(axis=(1, 2))
        return Clouds(N[:, :, 0] / total[:, None], M + delta, variances), total, N.min(axis=(1, 2)) >= 1e-8


def climb_together(
    tables: Sequence[Matrix], K: int, seeds: Sequence[int], floor: Vector, tol: Vector, max_iter: Codes
) -> list[tuple[Climb, float] | None]:
    """Return the climb of a mixture of ``K`` axes-parallel clouds in each table and the weight it learned from; None where it goes alone.

    ``seeds`` are those of k-means; ``floor``, ``tol`` and ``max_iter`` (B,) those of each mixture.

    >>> X = np.array([[0.0], [0.2], [5.0], [5.2]])
    >>> (climb, weight), = climb_together([X], 2, [0], np.array([1e-6]), np.array([1e-3]), np.array([100]))
    >>> sorted(climb.theta.means.ravel().round(3).tolist()), climb.converged, round(weight, 9)
    ([0.1, 5.1], True, 4.0)
    """
    stack = Stack.of(tables)
    found: list[tuple[Climb, float] | None] = [None] * len(tables)
    with np.errstate(all="ignore"):  # what goes wrong is looked at
        centres, sound = plus_plus_together(stack, K, [np.random.default_rng(seed) for seed in seeds])
        centres, kept = lloyd_together(stack, centres)
        live = np.flatnonzero(sound & kept)
        stack, centres, floor, tol = stack.only(live), centres[live], floor[live], tol[live]
        clouds, Z, traces = Clouds.of(stack, centres, floor), stack.products(), [list[float]() for _ in tables]
        last = np.full(len(live), -np.inf)
        while len(live):
            T, sound = clouds.tables()
            value, G = expected(stack, T, Z)
            sound &= value >= last - 1e-9 * (1.0 + np.abs(np.where(np.isneginf(last), 0.0, last)))
            gain, last = value - last, value
            clouds, weight, there = clouds.moved(G, floor)
            sound &= there & np.isfinite(value)
            for b, v in zip(live, value.tolist(), strict=True):
                traces[b].append(v)
            steps = np.array([len(traces[b]) for b in live])
            converged, used_up = gain < tol, steps >= max_iter[live]
            for i in np.flatnonzero(sound & (converged | used_up)):
                b, done = live[i], bool(converged[i])
                reason = (
                    f"the mean log-likelihood rose by less than {tol[i]:g}"
                    if done
                    else f"{steps[i]} iterations were made"
                )
                theta = Components(
                    clouds.weights[i].copy(), clouds.means[i] + stack.origin[i], clouds.variances[i].copy(), "diag"
                )
                found[b] = Climb(theta, traces[b], done, reason), float(weight[i])
            left = np.flatnonzero(sound & ~converged & ~used_up)
            if len(left) < len(live):
                live, floor, tol, last = live[left], floor[left], tol[left], last[left]
                stack, clouds, Z = stack.only(left), clouds.only(left), Z[left]
    return found


def expected(stack: Stack, T: Tensor, Z: Tensor) -> tuple[Vector, Tensor]:
    """Return the mean log-likelihood of each table, and the sums (1) of its M-step (B, K, 2p + 1)."""
    R = T @ Z  # (B, K, n)
    top = R.max(axis=1, keepdims=True)
    R = np.exp(R - top)
    total = R.sum(axis=1, keepdims=True)
    R *= stack.w[:, None] / total
    log_densities = (top + np.log(total))[:, 0]
    return (stack.w * log_densities).sum(axis=1) / stack.sizes, R @ Z.swapaxes(1, 2)


def fit_beside(models: Sequence[Any], rows: Sequence[tuple[Any, Any]]) -> set[int]:
    """Fit those of the mixtures that are small and plain, each on rows and weights of its own; return which were fitted."""
    alike: dict[tuple[int, int], list[int]] = {}
    for i, (model, (X, w)) in enumerate(zip(models, rows, strict=True)):
        model._check()
        if is_plain(model, X, w):
            alike.setdefault((int(model.n_components), X.shape[1]), []).append(i)
    done = set()
    for (K, p), members in alike.items():
        for group in groups([len(rows[i][0]) for i in members], p, K):
            check_time()
            some = [members[g] for g in group]
            seeds = [kmeans_seed(int(models[i].random_state)) for i in some]
            wanted = (np.array([getattr(models[i], name) for i in some]) for name in ("reg_covar", "tol", "max_iter"))
            for i, climb in zip(some, climb_together([rows[i][0] for i in some], K, seeds, *wanted), strict=True):
                if climb is not None:
                    models[i]._climbed_beside(rows[i][0], *climb)
                    done.add(i)
    return done


def is_plain(model: Any, X: Any, w: Any) -> bool:
    """Tell whether a mixture is one of those above, of few full rows here: axes-parallel clouds, one start from k-means.

    >>> from epee import GaussianMixture
    >>> X = np.arange(6.0)[:, None]
    >>> [is_plain(GaussianMixture(2, covariance_type=form, random_state=0), X, None) for form in ("diag", "full")]
    [True, False]
    """
    from epee.structure.gaussian_mixture import GaussianMixture

    m = model
    plain = type(m) is GaussianMixture and m.covariance_type == "diag" and m.init_params == "kmeans" and m.n_init == 1
    begun = m.warm_start or any(start is not None for start in (m.weights_init, m.means_init, m.precisions_init))
    if not plain or begun or m.noise is not False or not isinstance(m.random_state, Integral) or w is not None:
        return False
    if m.n_components < 2 or m.max_iter < 1 or not m.reg_covar > 0:
        return False
    small = type(X) is np.ndarray and X.dtype == np.float64 and X.ndim == 2 and 0 < X.size <= SMALL
    if not small or len(X) < m.n_components or not is_one_block_here(ArraySource(X)):
        return False
    return bool(np.isfinite(X).all()) and surely_distinct(X, int(m.n_components))


@lru_cache(maxsize=64)
def kmeans_seed(seed: int) -> int:
    """Return the seed that a mixture of this seed gives to k-means."""
    return int(check_random_state(seed).randint(2**31))


def groups(sizes: Sequence[int], p: int, K: int) -> list[Codes]:
    """Cut tables of these numbers of rows into stacks that fit in the room, those of about the same rows together.

    >>> groups([3, 90, 4], 2, 2)
    [array([0, 2, 1])]
    """
    order = np.argsort(sizes, kind="stable")
    out, begin = [], 0
    for i in range(1, len(order) + 1):
        if i == len(order) or (i + 1 - begin) * sizes[order[i]] * (6 * p + 4 * K) > ROOM:
            out.append(order[begin:i])
            begin = i
    return out
