"""The parameters of boosting, checked, and in the form in which growth takes them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from epee.errors import WrongUse
from epee.typing import Codes

MOST = 2**31 - 1


def whole(name: str, value: Any, least: int, none: bool = False) -> int:
    """Return a whole number, or a sentence; None stands for no limit where that is allowed."""
    if value is None and none:
        return MOST
    if isinstance(value, bool) or value is None or int(value) != value or value < least:
        raise WrongUse(
            f"{name} is {value!r}; it must be a whole number of at least {least}{', or None' if none else ''}."
        )
    return int(value)


def between(name: str, value: Any, low: float, high: float, *, open_low: bool = False) -> float:
    """Return a number within bounds, or a sentence."""
    inside = (
        isinstance(value, (int, float, np.number)) and (low < value if open_low else low <= value) and value <= high
    )
    if not inside:
        bounds = f"above {low:g} and at most {high:g}" if open_low else f"between {low:g} and {high:g}"
        raise WrongUse(f"{name} is {value!r}; it must lie {bounds}.")
    return float(value)


def columns_named(given: Any, names: Sequence[str] | None, p: int, parameter: str) -> np.ndarray:
    """Return a mask (p,) of columns given as a mask, by number or by name."""
    mask = np.zeros(p, dtype=bool)
    if given is None or len(np.atleast_1d(given)) == 0:
        return mask
    given = np.atleast_1d(np.asarray(given))
    if given.dtype == bool:
        if given.shape != (p,):
            raise WrongUse(f"{parameter} is a mask of {given.size} columns; the table has {p}.")
        return given
    known = [] if names is None else [str(name) for name in names]
    for item in given.tolist():
        j = known.index(item) if item in known else item
        if not isinstance(j, int) or not -p <= j < p:
            raise WrongUse(f"{parameter} names {item!r}, which is not one of the {p} columns.")
        mask[j] = True
    return mask


def monotone_signs(given: Any, names: Sequence[str] | None, p: int, categorical: np.ndarray) -> Codes:
    """Return -1, 0 or 1 for each column (p,)."""
    if given is None:
        return np.zeros(p, dtype=np.int64)
    if isinstance(given, dict):
        known = list(range(p)) if names is None else [str(name) for name in names]
        stranger = [name for name in given if name not in known]
        if stranger:
            raise WrongUse(f"monotonic_cst names {stranger[0]!r}, which is not a column.")
        given = [given.get(name, 0) for name in known]
    signs = np.asarray(given, dtype=np.int64)
    if signs.shape != (p,) or not np.isin(signs, (-1, 0, 1)).all():
        raise WrongUse(f"monotonic_cst must hold -1, 0 or 1 for each of the {p} columns; got {given!r}.")
    if (signs != 0)[categorical].any():
        raise WrongUse("monotonic_cst must be 0 for a categorical column: its values have no order.")
    return signs


def groups_of(given: Any, p: int) -> tuple[frozenset[int], ...] | None:
    """Return the sets of columns that may meet in a branch; columns in none of them make one more."""
    if given is None:
        return None
    if isinstance(given, str):
        if given == "no_interactions":
            return tuple(frozenset([j]) for j in range(p))
        if given == "pairwise":
            return tuple(frozenset(pair) for pair in combinations(range(p), 2)) or (frozenset(range(p)),)
        raise WrongUse(
            f"interaction_cst is {given!r}; it must be 'pairwise', 'no_interactions' or a list of sets of columns."
        )
    groups = [frozenset(int(j) for j in group) for group in given]
    for group in groups:
        if not all(0 <= j < p for j in group):
            raise WrongUse(f"interaction_cst holds {sorted(group)}; columns are numbered 0 to {p - 1}.")
    rest = frozenset(range(p)) - frozenset().union(*groups)
    return (*groups, rest) if rest else tuple(groups)
