r"""How a decision process lies in memory: three nested lists, flat.

States own pairs (state, action), pairs own transitions:

    state s      -> pairs        first[s] .. first[s+1]     an admissible action each
    pair k       -> transitions  ptr[k] .. ptr[k+1]         action[k], expected reward[k]
    transition j -> successor    succ[j]                    prob[j], flow[j], payoff[j]

A terminal state owns no pairs and is worth 0. ``flow`` is ``prob``, except that a transition that ends the episode
has flow 0: its reward counts, its future does not. Sixteen bytes a transition at most, one pass a sweep.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from epee.errors import DataError, InfiniteValues, MissingValues

if TYPE_CHECKING:
    import numpy.typing as npt

    from epee.typing import Codes, Tensor, Vector

TOLERANCE = 1e-8  # of the sum of a row of probabilities
TOLERANCE_SINGLE = 1e-6  # the same for probabilities given in single precision


@dataclass(frozen=True)
class Layout:
    """The arrays of a decision process, flat over pairs and transitions."""

    n_actions: int
    first: npt.NDArray[np.int64]  # (S + 1,)
    action: npt.NDArray[np.int32]  # (K,)
    ptr: npt.NDArray[np.int64]  # (K + 1,)
    succ: npt.NDArray[np.int32]  # (N,)
    prob: Vector  # (N,)
    flow: Vector  # (N,)
    reward: Vector  # (K,)
    payoff: Vector | None = None  # (N,) reward of a transition, where it depends on the successor

    @property
    def n_states(self) -> int:
        return len(self.first) - 1

    @property
    def n_pairs(self) -> int:
        return len(self.action)

    @property
    def n_transitions(self) -> int:
        return len(self.succ)

    @cached_property
    def owner(self) -> npt.NDArray[np.int32]:
        """State of every pair."""
        return np.repeat(np.arange(self.n_states, dtype=np.int32), np.diff(self.first))

    @cached_property
    def source(self) -> npt.NDArray[np.int64]:
        """Pair of every transition."""
        return np.repeat(np.arange(self.n_pairs), np.diff(self.ptr))

    @cached_property
    def terminal(self) -> npt.NDArray[np.bool_]:
        return self.first[1:] == self.first[:-1]

    @cached_property
    def leak(self) -> Vector:
        """Probability that a pair ends the episode, by a cut or in a terminal state."""
        stays = self.flow * ~self.terminal[self.succ]
        return np.clip(1.0 - np.bincount(self.source, stays, self.n_pairs), 0.0, 1.0)

    @cached_property
    def leaks(self) -> bool:
        """Whether any episode can end."""
        return bool(self.terminal.any() or self.flow is not self.prob)

    @property
    def sweep_arrays(self) -> tuple[Any, ...]:
        """What a sweep reads."""
        return self.first, self.ptr, self.succ, self.flow, self.reward

    def matrix(self) -> Any:
        """Return the pairs x states matrix of flows, sparse."""
        from scipy.sparse import csr_array

        return csr_array((self.flow, self.succ, self.ptr), shape=(self.n_pairs, self.n_states))

    def table(self, values: Vector, other: float) -> Tensor:
        """Spread a value per pair over a (states, actions) table; terminal rows are 0, inadmissible pairs ``other``."""
        out = np.full((self.n_states, self.n_actions), other)
        out[self.terminal] = 0.0
        out[self.owner, self.action] = values
        return out

    def keep(self, pairs: npt.NDArray[np.bool_]) -> Layout:
        """Return the process with only some of the pairs."""
        chosen = pairs[self.source]
        counts = np.bincount(self.owner[pairs], minlength=self.n_states)
        flow = self.flow[chosen]
        return Layout(
            self.n_actions,
            np.concatenate([[0], np.cumsum(counts)]),
            self.action[pairs],
            np.concatenate([[0], np.cumsum(np.diff(self.ptr)[pairs])]),
            self.succ[chosen],
            flow if self.flow is self.prob else self.prob[chosen],
            flow,
            self.reward[pairs],
        )


def assemble(
    admissible: npt.NDArray[np.bool_],
    counts: Codes,
    succ: npt.NDArray[Any],
    prob: Vector,
    *,
    reward: Vector | None,
    payoff: Vector | None = None,
    cut: npt.NDArray[np.bool_] | None = None,
    tolerance: float = TOLERANCE,
) -> Layout:
    """Check the rows and put them together.

    ``admissible`` is (S, A); ``counts`` the transitions of every admissible pair in row-major order; ``succ``, ``prob``,
    ``payoff``, ``cut`` run over the transitions in that order.
    """
    from epee.kernels.mdp_sweeps import expected, normalise, row_sums

    n_actions = admissible.shape[1]
    first = np.concatenate([[0], np.cumsum(admissible.sum(axis=1))]).astype(np.int64)
    action = np.nonzero(admissible)[1].astype(np.int32)
    ptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    succ = np.ascontiguousarray(succ, dtype=np.int32)
    prob = np.ascontiguousarray(prob, dtype=float)
    sums = np.empty(len(action))
    bad = row_sums(ptr, prob, sums)

    def place(pair: int) -> str:
        return f"state {np.searchsorted(first, pair, side='right') - 1}, action {action[pair]}"

    if bad >= 0:
        where = place(int(np.searchsorted(ptr, bad, side="right")) - 1)
        if np.isnan(prob[bad]):
            raise MissingValues(f"transitions contain NaN: {where}, to state {succ[bad]}. Give every probability.")
        raise DataError(
            f"transitions: {where}, to state {succ[bad]} has probability {prob[bad]:g}; it must lie in [0, 1]."
        )
    wrong = np.flatnonzero(np.abs(sums - 1.0) > tolerance)
    if len(wrong):
        others = f" ({len(wrong)} rows are wrong)" if len(wrong) > 1 else ""
        raise DataError(
            f"transitions: the probabilities of {place(wrong[0])} sum to {sums[wrong[0]]:.10g}, not 1{others}. "
            "Normalise the row, or leave the pair out with actions=, or declare the state terminal."
        )
    if (sums != 1.0).any():
        normalise(ptr, prob, sums)
    flow = prob if cut is None or not cut.any() else np.where(cut, 0.0, prob)
    if payoff is not None:
        payoff = np.ascontiguousarray(payoff, dtype=float)
        reward = np.empty(len(action))
        expected(ptr, prob, payoff, reward)
    if reward is None:
        raise DataError("rewards are missing. Give an (S, A) or an (S, A, S) array.")
    reward = np.ascontiguousarray(reward, dtype=float)
    bad_reward = np.flatnonzero(~np.isfinite(reward))
    if len(bad_reward):
        k = bad_reward[0]
        row = payoff[ptr[k] : ptr[k + 1]] if payoff is not None else reward[k : k + 1]
        value = row[~np.isfinite(row)][0] if (~np.isfinite(row)).any() else reward[k]
        kind, word = (MissingValues, "NaN") if np.isnan(value) else (InfiniteValues, "infinity")
        raise kind(f"rewards contain {word}: {place(k)}. Give a finite reward to every admissible pair.")
    return Layout(n_actions, first, action, ptr, succ, prob, flow, reward, payoff)


def with_rewards(layout: Layout, reward: Vector) -> Layout:
    """Return the same transitions with another reward a pair."""
    return replace(layout, reward=reward, payoff=None)
