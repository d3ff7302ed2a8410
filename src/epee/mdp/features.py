r"""Features of states, for values that are linear in them: :math:`V(s) \approx w^\top \phi(s)`.

One feature a state is a table. A box of real numbers is cut into tiles: several grids, each shifted by a part of a tile, say together
where a state lies, and near states share most of their tiles. Cosines :math:`\cos(\pi\, c^\top x)` of the box scaled to
:math:`[0, 1]^k` are smooth instead (Konidaris, Osentoski and Thomas, 2011).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, Protocol

import numpy as np

from epee.errors import DataError, TooLarge, WrongUse
from epee.mdp.simulation import Arena
from epee.typing import ArrayLike, Matrix, Vector

MOST = 20_000


class Features(Protocol):
    """A map of states to vectors."""

    n: int

    def __call__(self, state: Any) -> Vector:
        """Return the features (n,) of a state."""


class OneHot:
    """One feature for each of n numbered states: a table.

    Parameters
    ----------
    n : int
        Number of states.

    Examples
    --------
    >>> OneHot(3)(1)
    array([0., 1., 0.])
    """

    def __init__(self, n: int) -> None:
        self.n = int(n)

    def __call__(self, state: Any) -> Vector:
        out = np.zeros(self.n)
        out[int(state)] = 1.0
        return out


class _Box:
    def __init__(self, low: ArrayLike, high: ArrayLike) -> None:
        self.low, self.high = (np.atleast_1d(np.asarray(end, dtype=np.float64)) for end in (low, high))
        if self.low.shape != self.high.shape or self.low.ndim != 1:
            raise WrongUse(f"low has shape {self.low.shape} and high {self.high.shape}; give one end a coordinate.")
        if not (np.isfinite(self.low).all() and np.isfinite(self.high).all() and (self.low < self.high).all()):
            raise WrongUse("the ends of a box must be finite, and low below high in every coordinate.")

    def _scaled(self, state: Any) -> Vector:
        x = np.atleast_1d(np.asarray(state, dtype=np.float64)).ravel()
        if x.shape != self.low.shape:
            raise DataError(f"a state has {len(x)} coordinates, and the box {len(self.low)}.")
        return np.clip((x - self.low) / (self.high - self.low), 0.0, 1.0)


class Tiles(_Box):
    """Grids over a box, each shifted by a part of a tile; states outside count as on its edge.

    Parameters
    ----------
    low, high : array (k,)
        Ends of the box.
    tiles : int, default=8
        Tiles along each coordinate; more see finer and learn slower.
    grids : int, default=8
        How many grids; more share more between near states.

    Examples
    --------
    >>> tiles = Tiles([0.0], [1.0], tiles=4, grids=2)
    >>> tiles.n, int(tiles([0.3]).sum())
    (10, 2)
    """

    def __init__(self, low: ArrayLike, high: ArrayLike, *, tiles: int = 8, grids: int = 8) -> None:
        super().__init__(low, high)
        k = len(self.low)
        self.tiles, self.grids, self.side = int(tiles), int(grids), int(tiles) + 1
        if self.tiles < 1 or self.grids < 1:
            raise WrongUse(f"tiles is {tiles!r} and grids {grids!r}; both must be at least 1.")
        self.n = self.grids * self.side**k
        if self.n > MOST:
            raise TooLarge(
                f"{self.grids} grids of {self.side}^{k} tiles are {self.n} features, more than {MOST}. Take fewer."
            )
        odd = 2 * np.arange(k) + 1  # displacements by odd numbers, coordinate by coordinate, as Miller and Glanz advise
        self._shifts = (np.arange(self.grids)[:, None] * odd % self.grids) / self.grids

    def __call__(self, state: Any) -> Vector:
        x = self._scaled(state) * self.tiles
        cell = np.minimum((x + self._shifts).astype(int), self.tiles)  # (grids, k)
        places = cell @ self.side ** np.arange(len(x)) + np.arange(self.grids) * self.side ** len(x)
        out = np.zeros(self.n)
        out[places] = 1.0
        return out


class Cosines(_Box):
    """Cosines of a box, of all orders up to one for each coordinate.

    Parameters
    ----------
    low, high : array (k,)
        Ends of the box.
    order : int, default=3
        Largest order along a coordinate; more see finer.

    Examples
    --------
    >>> Cosines([0.0], [1.0], order=2)([0.5]).round(3) + 0.0
    array([ 1.,  0., -1.])
    """

    def __init__(self, low: ArrayLike, high: ArrayLike, *, order: int = 3) -> None:
        super().__init__(low, high)
        if int(order) != order or order < 0:
            raise WrongUse(f"order is {order!r}; it must be a whole number of at least 0.")
        if (order + 1) ** len(self.low) > MOST:
            raise TooLarge(
                f"order {order} in {len(self.low)} coordinates makes more than {MOST} features. Take a lower one."
            )
        self._orders = np.array(list(product(range(int(order) + 1), repeat=len(self.low))), dtype=float)  # (n, k)
        self.n = len(self._orders)

    def __call__(self, state: Any) -> Vector:
        return np.cos(np.pi * (self._orders @ self._scaled(state)))


class _Given:
    def __init__(self, function: Callable[[Any], Any], state: Any) -> None:
        self.function = function
        self.n = len(np.atleast_1d(np.asarray(function(state), dtype=np.float64)))

    def __call__(self, state: Any) -> Vector:
        return np.atleast_1d(np.asarray(self.function(state), dtype=np.float64)).ravel()


def features_of(given: Any, arena: Arena | None, state: Any = None) -> Features:
    """Read features: an object, a function of a state, or None, which is a table, or tiles over a box that has ends."""
    if hasattr(given, "n") and callable(given):
        found: Features = given
        return found
    if callable(given):
        return _Given(given, state)
    if given is not None:
        raise WrongUse(f"features is {given!r}; give OneHot, Tiles, Cosines, or a function of a state.")
    if arena is not None and arena.n_states is not None:
        return OneHot(arena.n_states)
    box = None if arena is None else arena.box()
    if box is None:
        raise WrongUse(
            "the states are not numbered and their box has no ends: give features, such as Tiles(low, high)."
        )
    return Tiles(*box)


def features_of_all(features: Features, states: Any) -> Matrix:
    """Return the features (m, n) of some states."""
    return np.array([features(s) for s in states]).reshape(len(states), features.n)
