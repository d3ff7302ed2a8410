"""From what users hold to the layout: dense arrays, lists of sparse matrices, Gymnasium's tables.

Everything that can be wrong with a process is found here, once, and said with the state and the action.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from epee.errors import DataError, WrongUse
from epee.mdp.layout import TOLERANCE, TOLERANCE_SINGLE, Layout, assemble
from epee.table.sparse import is_sparse

if TYPE_CHECKING:
    import numpy.typing as npt

    from epee.typing import Vector

    Mask = npt.NDArray[np.bool_]


def check_discount(discount: Any) -> float:
    """Return the discount as a float in [0, 1]."""
    try:
        value = float(discount)
    except (TypeError, ValueError):
        value = np.nan
    if not 0.0 <= value <= 1.0:
        raise WrongUse(f"discount is {discount!r}; it must be a number in [0, 1].")
    return value


def mask_of_states(which: Any, n: int, name: str) -> Mask:
    """Turn indices or a mask into a mask over the states."""
    if which is None:
        return np.zeros(n, bool)
    given = np.atleast_1d(np.asarray(which))
    if given.dtype == bool:
        if given.shape != (n,):
            raise DataError(f"{name} has shape {given.shape}; a mask over {n} states has shape ({n},).")
        return given.copy()
    if given.size and (given.min() < 0 or given.max() >= n or (given != given.astype(int)).any()):
        raise DataError(f"{name} names state {given[(given < 0) | (given >= n)][:1]}; the states are 0 .. {n - 1}.")
    mask = np.zeros(n, bool)
    mask[given.astype(int)] = True
    return mask


def mask_of_actions(actions: Any, n: int, n_actions: int) -> Mask:
    """Turn a (S, A) mask, or one list of actions a state, into a mask."""
    if actions is None:
        return np.ones((n, n_actions), bool)
    rows: Iterable[tuple[int, Any]]
    if isinstance(actions, Mapping):
        rows = actions.items()
        mask = np.ones((n, n_actions), bool)
    else:
        if (isinstance(actions, np.ndarray) and np.issubdtype(actions.dtype, np.bool_)) or _is_table_of_booleans(
            actions
        ):
            mask = np.asarray(actions, bool)
            if mask.shape != (n, n_actions):
                raise DataError(f"actions has shape {mask.shape}; a mask of admissible pairs is ({n}, {n_actions}).")
            return mask.copy()
        if len(actions) != n:
            raise DataError(f"actions lists {len(actions)} states; the process has {n}.")
        rows = enumerate(actions)
        mask = np.zeros((n, n_actions), bool)
    for state, row in rows:
        row = np.asarray(list(row), dtype=int)
        if len(row) and (row.min() < 0 or row.max() >= n_actions):
            raise DataError(f"actions of state {state} are {row.tolist()}; the actions are 0 .. {n_actions - 1}.")
        mask[state] = False
        mask[state, row] = True
    return mask


def _is_table_of_booleans(actions: Sequence[Any]) -> bool:
    return (
        len(actions) > 0
        and isinstance(actions[0], (list, tuple))
        and all(isinstance(v, (bool, np.bool_)) for v in actions[0])
        and len(actions[0]) > 0
    )


def _admissible(n: int, n_actions: int, terminal: Any, actions: Any) -> Mask:
    if n == 0 or n_actions == 0:
        raise DataError(f"the process has {n} states and {n_actions} actions; it needs at least one of each.")
    end = mask_of_states(terminal, n, "terminal")
    mask = mask_of_actions(actions, n, n_actions)
    mask[end] = False
    idle = np.flatnonzero(~mask.any(axis=1) & ~end)
    if len(idle):
        raise DataError(
            f"state {idle[0]} has no admissible action and is not terminal. Give it an action, or list it in terminal=."
        )
    return mask


def read(transitions: Any, rewards: Any, terminal: Any, actions: Any) -> Layout:
    """Read an (S, A, S) array or a list of A sparse S x S matrices, with rewards (S, A), (S, A, S) or sparse."""
    if is_sparse(transitions):
        raise DataError("transitions is one sparse matrix; give a list of them, one S x S matrix for each action.")
    if isinstance(transitions, (list, tuple)) and len(transitions) and is_sparse(transitions[0]):
        return _read_sparse(transitions, rewards, terminal, actions)
    try:
        T = np.asarray(transitions)
        T = T if T.dtype == np.float32 else T.astype(float)
    except (TypeError, ValueError):
        raise DataError("transitions must be an (S, A, S) array or a list of A sparse S x S matrices.") from None
    if T.ndim != 3 or T.shape[0] != T.shape[2]:
        hint = (
            " (it looks like (A, S, S): transpose it to states first)"
            if T.ndim == 3 and T.shape[1] == T.shape[2]
            else ""
        )
        raise DataError(f"transitions has shape {T.shape}; it must be (S, A, S){hint}, or a list of A sparse matrices.")
    n, n_actions, _ = T.shape
    admissible = _admissible(n, n_actions, terminal, actions)
    R = _dense_rewards(rewards, n, n_actions)
    used = (T != 0) & admissible[:, :, None]  # NaN counts as used, and is refused by name
    counts = used.sum(axis=2)[admissible]
    succ = np.nonzero(used)[2]
    return assemble(
        admissible, counts, succ, T[used],
        reward=R[admissible] if R.ndim == 2 else None,
        payoff=R[used] if R.ndim == 3 else None,
        tolerance=TOLERANCE_SINGLE if T.dtype == np.float32 else TOLERANCE,
    )  # fmt: skip


def _dense_rewards(rewards: Any, n: int, n_actions: int) -> npt.NDArray[np.float64]:
    if isinstance(rewards, (list, tuple)) and len(rewards) and is_sparse(rewards[0]):
        rewards = np.stack([r.toarray() for r in rewards], axis=1)
    try:
        R = np.asarray(rewards, dtype=float)
    except (TypeError, ValueError):
        raise DataError(f"rewards must be numbers of shape ({n}, {n_actions}) or ({n}, {n_actions}, {n}).") from None
    if R.shape not in ((n, n_actions), (n, n_actions, n)):
        raise DataError(f"rewards has shape {R.shape}; it must be ({n}, {n_actions}) or ({n}, {n_actions}, {n}).")
    return R


def _read_sparse(transitions: Sequence[Any], rewards: Any, terminal: Any, actions: Any) -> Layout:
    from epee.kernels.mdp_sweeps import gather

    n, n_actions = transitions[0].shape[0], len(transitions)
    for a, matrix in enumerate(transitions):
        if not is_sparse(matrix) or matrix.shape != (n, n):
            raise DataError(f"transitions of action {a} have shape {np.shape(matrix)}; all must be sparse ({n}, {n}).")
    admissible = _admissible(n, n_actions, terminal, actions)
    by_successor = isinstance(rewards, (list, tuple)) and len(rewards) and is_sparse(rewards[0])
    if by_successor and (len(rewards) != n_actions or any(r.shape != (n, n) for r in rewards)):
        raise DataError(
            f"rewards is a list of {len(rewards)} sparse matrices; it must be {n_actions} of shape ({n}, {n})."
        )
    single = transitions[0].dtype == np.float32
    counts = np.zeros((n, n_actions), np.int64)
    matrices = []
    for a, matrix in enumerate(transitions):
        matrix = matrix.tocsr()
        if not matrix.data.all():
            matrix = matrix.copy()
            matrix.eliminate_zeros()
        matrices.append(matrix)
        counts[:, a] = np.diff(matrix.indptr)
    counts = counts[admissible]
    starts = np.zeros((n, n_actions), np.int64)
    starts[admissible] = np.cumsum(counts) - counts
    total = int(counts.sum())
    succ, prob = np.empty(total, np.int32), np.empty(total)
    payoff: Vector | None = np.zeros(total) if by_successor else None
    R = None if by_successor else _dense_rewards(rewards, n, n_actions)
    if R is not None and R.ndim == 3:
        payoff = np.zeros(total)
    for a, matrix in enumerate(matrices):
        rows = np.flatnonzero(admissible[:, a])
        data = matrix.data.astype(float, copy=False)
        gather(rows, matrix.indptr, matrix.indices, data, starts[rows, a], succ, prob)
        if payoff is not None:
            origin = np.repeat(np.arange(n), np.diff(matrix.indptr))
            entry = np.flatnonzero(admissible[origin, a])
            origin, reached = origin[entry], matrix.indices[entry]
            amount = rewards[a].tocsr()[origin, reached] if R is None else R[origin, a, reached]
            payoff[starts[origin, a] - matrix.indptr[origin] + entry] = np.asarray(amount).ravel()
    return assemble(
        admissible, counts, succ, prob,
        reward=R[admissible] if R is not None and R.ndim == 2 else None, payoff=payoff,
        tolerance=TOLERANCE_SINGLE if single else TOLERANCE,
    )  # fmt: skip


def read_table(
    table: Mapping[int, Mapping[int, Sequence[tuple[float, int, float, bool]]]], n: int, n_actions: int
) -> Layout:
    """Read ``env.unwrapped.P``: (probability, successor, reward, terminated) for every state and action."""
    admissible = np.zeros((n, n_actions), bool)
    counts: list[int] = []
    rows: list[tuple[float, int, float, bool]] = []
    for s in range(n):
        for a in range(n_actions):
            outcomes = [o for o in table.get(s, {}).get(a, ()) if o[0] != 0] if hasattr(table, "get") else table[s][a]
            if outcomes:
                admissible[s, a] = True
                counts.append(len(outcomes))
                rows.extend(outcomes)
    if not rows:
        raise DataError("the environment's table P is empty.")
    prob = np.array([row[0] for row in rows], dtype=float)
    succ = np.array([row[1] for row in rows], dtype=int)
    payoff = np.array([row[2] for row in rows], dtype=float)
    cut = np.array([row[3] for row in rows], dtype=bool)
    if succ.min() < 0 or succ.max() >= n:
        raise DataError(f"the environment's table P leads to state {succ.max()}; the states are 0 .. {n - 1}.")
    return assemble(admissible, np.array(counts), succ, prob, reward=None, payoff=payoff, cut=cut)
