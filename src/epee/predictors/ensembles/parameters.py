"""The parameters of boosting, checked, and in the form in which growth takes them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
    items = np.atleast_1d(np.asarray(given, dtype=object)).tolist()
    if all(isinstance(item, (bool, np.bool_)) for item in items):
        if len(items) != p:
            raise WrongUse(
                f"{parameter} set as a boolean mask must have shape (n_features,): it has {len(items)} entries for {p} columns."
            )
        return np.array(items, dtype=bool)
    strange = sorted({type(item).__name__ for item in items if not isinstance(item, (str, int, np.integer))})
    if strange:
        raise WrongUse(f"{parameter} must be an array-like of bool, int or str, got: {', '.join(strange)}.")
    known = [] if names is None else [str(name) for name in names]
    for item in items:
        if isinstance(item, str) and names is None:
            raise WrongUse(
                f"{parameter} should be passed as an array of integers or as a boolean mask when the model is fitted on data without "
                f"feature names. It names {item!r}."
            )
        if isinstance(item, str) and item not in known:
            raise WrongUse(
                f"{parameter} has an item value {item!r} which is not a valid feature name of the training data."
            )
        j = known.index(item) if isinstance(item, str) else int(item)
        if not 0 <= j < p:
            raise WrongUse(
                f"{parameter} set as integer indices must be in [0, n_features - 1] = [0, {p - 1}]; got {item}."
            )
        mask[j] = True
    return mask


def monotone_signs(
    given: Any, names: Sequence[str] | None, p: int, categorical: np.ndarray, owner: str = "the model"
) -> Codes:
    """Return -1, 0 or 1 for each column (p,)."""
    if given is None:
        return np.zeros(p, dtype=np.int64)
    if isinstance(given, dict):
        known = list(range(p)) if names is None else [str(name) for name in names]
        stranger = [name for name in given if name not in known]
        if stranger and names is None and any(isinstance(name, str) for name in stranger):
            raise WrongUse(
                f"{owner} was not fitted on data with feature names. Pass monotonic_cst as an integer array instead."
            )
        if stranger:
            shown = sorted(map(str, stranger))
            shown = [*shown[:5], "..."] if len(shown) > 5 else shown
            raise WrongUse(f"monotonic_cst contains {len(stranger)} unexpected feature names: {shown}.")
        for name, sign in given.items():
            if sign not in (-1, 0, 1):
                raise WrongUse(f"monotonic_cst[{name!r}] must be either -1, 0 or 1. Got {sign!r}.")
        given = [given.get(name, 0) for name in known]
    signs = np.asarray(given)
    if signs.shape != (p,):
        raise WrongUse(f"monotonic_cst has shape {signs.shape} but the input data X has {p} features.")
    if not np.isin(signs, (-1, 0, 1)).all():
        raise WrongUse(
            f"monotonic_cst must be an array-like of -1, 0 or 1. Observed values: {np.unique(signs).tolist()}."
        )
    if (signs != 0)[categorical].any():
        raise WrongUse(
            "Categorical features cannot have monotonic constraints: monotonic_cst must be 0 where values have no order."
        )
    return signs.astype(np.int64)


def groups_of(given: Any, p: int) -> list[frozenset[int]] | None:
    """Return the sets of columns that may meet in a branch; columns in none of them make one more."""
    if given is None:
        return None
    if isinstance(given, str):
        if given == "no_interactions":
            return [frozenset([j]) for j in range(p)]
        if given == "pairwise":
            return [frozenset(pair) for pair in combinations(range(p), 2)] or [frozenset(range(p))]
        raise WrongUse(
            f"interaction_cst is {given!r}; it must be 'pairwise', 'no_interactions' or a list of sets of columns."
        )
    if not all(isinstance(group, Iterable) and not isinstance(group, str) for group in given):
        raise WrongUse(f"Interaction constraints must be a sequence of tuples or lists of columns; got {given!r}.")
    for group in given:
        if not all(isinstance(j, (int, np.integer)) and 0 <= j < p for j in group):
            raise WrongUse(
                f"Interaction constraints must consist of integer indices in [0, n_features - 1] = [0, {p - 1}], specifying the "
                f"position of features, and interaction_cst holds {list(group)}."
            )
    groups = [frozenset(int(j) for j in group) for group in given]
    rest = frozenset(range(p)) - frozenset().union(*groups)
    return [*groups, rest] if rest else groups
