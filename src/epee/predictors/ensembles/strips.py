"""Rows in strips, one a thread: each splits and sums its own rows of a node, and sums of whole numbers add up the same way however
the rows were cut.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import numpy as np

from epee.predictors.ensembles.binning import Binned

NUMBERED = 1 << 20  # rows that are numbered at once


class Strip:
    """Some rows of the table: where the rows of each node are."""

    def __init__(self, table: Binned, chosen: np.ndarray) -> None:
        self.words, self.columns = table.words, table.columns
        self.rows, self.spare = np.empty_like(chosen), np.empty_like(chosen)
        self._chosen = None if len(chosen) == len(table.words) else chosen  # all rows need no list
        self.bounds: Any = {}  # of the rows of each node
        self._room = np.empty(0, dtype=np.int64)

    @cached_property
    def chosen(self) -> np.ndarray:
        """The rows, as a list."""
        return np.arange(len(self.rows), dtype=self.rows.dtype) if self._chosen is None else self._chosen

    def begin(self) -> None:
        """Put all rows into the root."""
        if self._chosen is not None:
            self.rows[:] = self._chosen
        else:  # the numbers from 0 on, without another whole array of them
            for a in range(0, len(self.rows), NUMBERED):
                some = self.rows[a : a + NUMBERED]
                some[:] = np.arange(a, a + len(some))
        self.bounds = {0: (0, len(self.rows))}

    def split(self, steps: Any, node: int, left: int, column: int, goes_left: np.ndarray) -> None:
        """Give the rows of a node to its children, ``left`` and ``left + 1``."""
        a, b = self.bounds.pop(node)
        middle = steps.split_rows(self.columns[column], self.rows, self.spare, a, b, goes_left)
        self.bounds[left], self.bounds[left + 1] = (a, middle), (middle, b)

    def follow(self, steps: Any, first: np.ndarray, columns: np.ndarray, goes_left: np.ndarray) -> None:
        """Let the rows walk down a tree that others have grown; children come after their parents."""
        self.begin()
        for node in np.flatnonzero(first >= 0).tolist():
            self.split(steps, node, int(first[node]), columns[node], goes_left[node])

    def room(self, shape: tuple[int, ...]) -> np.ndarray:
        """Return room for histograms, the same at every call."""
        size = math.prod(shape)
        if len(self._room) < size:
            self._room = np.empty(size, dtype=np.int64)
        return self._room[:size].reshape(shape)

    def of(self, node: int) -> np.ndarray:
        """Return the rows of a node."""
        a, b = self.bounds[node]
        return self.rows[a:b]

    def bounds_of(self, nodes: np.ndarray) -> np.ndarray:
        """Return where the rows of some nodes begin and end (m, 2)."""
        if isinstance(self.bounds, np.ndarray):
            return self.bounds[nodes]
        return np.array([self.bounds[node] for node in nodes], dtype=np.int64)

    def sums(self, steps: Any, node: int, pairs: np.ndarray, joint: int, shape: tuple[int, ...]) -> np.ndarray:
        """Return the histograms of a node over these rows; ``joint`` as kernels take it."""
        out = np.zeros(shape, dtype=np.int64)
        steps.fill(self.words, self.rows, *self.bounds[node], pairs, joint, out)
        return out


class Team:
    """Runs a function for every strip, all but the first on threads of its own."""

    def __init__(self, strips: Sequence[Any], pool: ThreadPoolExecutor | None) -> None:
        self.strips, self.pool = strips, pool

    def each(self, work: Callable[[Any], Any]) -> list[Any]:
        """Return ``work(strip)`` for each."""
        if self.pool is None:
            return [work(strip) for strip in self.strips]
        waiting = [self.pool.submit(work, strip) for strip in self.strips[1:]]
        return [work(self.strips[0]), *(future.result() for future in waiting)]


@contextmanager
def team(strips: Sequence[Any]) -> Iterator[Team]:
    """Keep threads at hand for the length of a fit."""
    if len(strips) < 2:
        yield Team(strips, None)
        return
    with ThreadPoolExecutor(len(strips) - 1, thread_name_prefix="epee-boosting") as pool:
        yield Team(strips, pool)
