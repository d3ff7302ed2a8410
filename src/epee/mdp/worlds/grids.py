r"""Worlds on a grid: walls, ends, a cliff, wind.

A state is a free cell, numbered row by row, wall cells included so that pictures are simple (a wall is a terminal state that
nothing reaches). Actions 0 1 2 3 go up, right, down, left; a move against a wall or the border stays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from epee.errors import DataError, WrongUse
from epee.mdp.worlds.tabulate import one_state, tabulate

if TYPE_CHECKING:
    from epee.mdp.process import MarkovDecisionProcess

MOVES = [(-1, 0), (0, 1), (1, 0), (0, -1)]
DIAGONALS = [(-1, 1), (1, 1), (1, -1), (-1, -1)]


def gridworld(
    rows: Sequence[str],
    *,
    rewards: Mapping[str, float] | None = None,
    living: float = 0.0,
    slip: float = 0.0,
    discount: float = 0.99,
) -> MarkovDecisionProcess:
    """A grid drawn with letters.

    Parameters
    ----------
    rows : list of str
        ``#`` is a wall, ``.`` or a blank is free, ``S`` is where episodes start; every letter of ``rewards`` ends the episode.
    rewards : dict, default={"G": 1.0, "T": -1.0}
        What entering the cell with this letter pays.
    living : float
        Reward of every step; below 0 makes haste.
    slip : float in [0, 1]
        Probability of going sideways instead, half to each side.
    discount : float in [0, 1]

    Examples
    --------
    The world of Russell and Norvig:

    >>> from epee.mdp import gridworld
    >>> world = gridworld(["...G", ".#.T", "S..."], living=-0.04, slip=0.2, discount=1.0)
    >>> world.value_iteration().values.reshape(3, 4).round(3)
    array([[0.812, 0.868, 0.918, 0.   ],
           [0.762, 0.   , 0.66 , 0.   ],
           [0.705, 0.655, 0.611, 0.388]])
    """
    pays = {"G": 1.0, "T": -1.0} if rewards is None else dict(rewards)
    if not 0 <= slip <= 1:
        raise WrongUse(f"slip is {slip!r}; it must lie in [0, 1].")
    letters = _letters(rows, {"#", ".", " ", "S", *pays})
    height, width = letters.shape

    def walk(s: int, move: tuple[int, int]) -> int:
        i, j = s // width + move[0], s % width + move[1]
        return s if not (0 <= i < height and 0 <= j < width) or letters[i, j] == "#" else i * width + j

    def choices(s: int) -> range:
        return range(0) if letters.flat[s] == "#" or letters.flat[s] in pays else range(4)

    def outcomes(s: int, a: int) -> list[tuple[float, int, float]]:
        drift = [(1 - slip, a), (slip / 2, (a + 1) % 4), (slip / 2, (a + 3) % 4)]
        ends = [(p, walk(s, MOVES[b])) for p, b in drift]
        return [(p, t, living + (pays.get(str(letters.flat[t]), 0.0) if t != s else 0.0)) for p, t in ends]

    begin = (letters == "S").ravel().astype(float)
    return tabulate(
        letters.size, 4, choices, outcomes, discount, start=begin if begin.any() else None, grid=grid_of(letters, MOVES)
    )


def _letters(rows: Sequence[str], known: set[str]) -> Any:
    if not rows or len({len(row) for row in rows}) != 1 or not rows[0]:
        raise DataError(f"the rows of a grid must be strings of one length; got lengths {[len(r) for r in rows]}.")
    letters = np.array([list(row) for row in rows])
    strange = [(int(i), int(j)) for i, j in zip(*np.nonzero(~np.isin(letters, list(known))), strict=True)]
    if strange:
        i, j = strange[0]
        raise DataError(
            f"row {i}, column {j} of the grid holds {str(letters[i, j])!r}; known letters are {sorted(known)}."
        )
    return letters


def grid_of(letters: Any, moves: Any) -> dict[str, Any]:
    """What a picture needs to know."""
    return {
        "shape": letters.shape,
        "states": np.arange(letters.size).reshape(letters.shape),
        "letters": letters,
        "moves": moves,
    }


def cliff(height: int = 4, width: int = 12, *, discount: float = 1.0) -> MarkovDecisionProcess:
    """Sutton and Barto's cliff (example 6.6): -1 a step; a step off the cliff costs 100 and leads back to the start.

    Parameters
    ----------
    height, width : int
        Size of the grid.
    discount : float in [0, 1]

    Examples
    --------
    >>> from epee.mdp import cliff
    >>> cliff().value_iteration().values[36].round(6)
    np.float64(-13.0)
    """
    if height < 2 or width < 3:
        raise WrongUse(f"a cliff of {height} x {width} is too small; it takes 2 x 3 at least.")
    n, begin, goal = height * width, (height - 1) * width, height * width - 1
    letters = np.full((height, width), ".")
    letters[-1, 1:-1] = "C"
    letters[-1, 0], letters[-1, -1] = "S", "G"
    edge = range(begin + 1, goal)

    def outcomes(s: int, a: int) -> list[tuple[float, int, float]]:
        i = min(max(s // width + MOVES[a][0], 0), height - 1)
        j = min(max(s % width + MOVES[a][1], 0), width - 1)
        t = i * width + j
        return [(1.0, begin, -100.0)] if t in edge else [(1.0, t, -1.0)]

    def choices(s: int) -> range:
        return range(0) if s == goal or s in edge else range(4)

    return tabulate(n, 4, choices, outcomes, discount, start=one_state(n, begin), grid=grid_of(letters, MOVES))


def windy_grid(*, king: bool = False, stochastic: bool = False, discount: float = 1.0) -> MarkovDecisionProcess:
    """Sutton and Barto's windy grid (example 6.5): a wind pushes up in the middle columns; -1 a step.

    Parameters
    ----------
    king : bool
        Diagonal moves too (exercise 6.9).
    stochastic : bool
        The wind is one more or one less than its mean with probability 1/3 each (exercise 6.10).
    discount : float in [0, 1]

    Examples
    --------
    >>> from epee.mdp import windy_grid
    >>> windy_grid().value_iteration().values[30].round(6)
    np.float64(-15.0)
    """
    wind = [0, 0, 0, 1, 1, 1, 2, 2, 1, 0]
    height, width, begin, goal = 7, 10, 30, 37
    moves = MOVES + (DIAGONALS if king else [])
    letters = np.full((height, width), ".")
    letters.flat[begin], letters.flat[goal] = "S", "G"

    def outcomes(s: int, a: int) -> list[tuple[float, int, float]]:
        gusts = [(1 / 3, -1), (1 / 3, 0), (1 / 3, 1)] if stochastic and wind[s % width] else [(1.0, 0)]
        j = min(max(s % width + moves[a][1], 0), width - 1)
        ends = [(p, s // width + moves[a][0] - wind[s % width] - extra) for p, extra in gusts]
        return [(p, min(max(i, 0), height - 1) * width + j, -1.0) for p, i in ends]

    return tabulate(
        height * width, len(moves), lambda s: range(0) if s == goal else range(len(moves)), outcomes, discount,
        start=one_state(height * width, begin), grid=grid_of(letters, moves),
    )  # fmt: skip
