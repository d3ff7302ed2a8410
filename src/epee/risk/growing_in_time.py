"""Training samples that grow into the past: each stretch of time is tested by predictors of more and more of what came before it.

Were samples to grow as time goes by, larger ones would be tested on later rows than small ones, and the curve would mix the price of rows
with what time has changed. So every stretch is tested by a predictor of each size, which learned from the latest rows before it: a share
of these, the same one for all stretches. Where the error falls with a power of the rows, it falls with that power of the share. All rows
before it, the share 1, are those of forward chaining.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from epee.risk.splitting import Plan, Split, places_in_time
from epee.typing import Codes, Vector


@dataclass(frozen=True)
class Chain:
    """Forward chaining, before samples are cut: ``rank`` (n,) the moment of each row, and of the K stretches the moments (K,) where
    learning for each ends and testing begins and ends.
    """

    rank: Codes
    learned: Codes
    begins: Codes
    ends: Codes
    weight: Vector  # (M,) of the rows of each moment

    @property
    def least(self) -> float:
        """Weight of all that comes before the first stretch."""
        return float(self.weight[: self.learned[0]].sum())

    @property
    def full(self) -> float:
        """Mean weight of all that comes before the stretches."""
        return float(np.append(0.0, np.cumsum(self.weight))[self.learned].mean())


def chain_of(plan: Plan, time: object, counts: Vector) -> Chain:
    """Return the chain of a plan of forward chaining, on rows that are worth ``counts`` (n,)."""
    (split,) = plan.splits
    rank = np.unique(places_in_time(time, len(counts)), return_inverse=True)[1].reshape(-1)
    tested = split.models_of_rows()[0]
    learned = np.array([rank[split.training_rows(t)].max() + 1 for t in range(split.n_models)])
    begins, ends = (np.array([pick(rank[tested == t]) for t in range(split.n_models)]) for pick in (np.min, np.max))
    return Chain(rank, learned, begins, ends + 1, np.bincount(rank, counts).astype(np.float64))


def growing(chain: Chain, shares: Vector) -> tuple[Split, Vector]:
    """Return the split of all models (size s, stretch k), and the mean weight of their training samples.

    As for folds the first S rows of ``tested_by`` are the cells that follow, the next S those learned from: each by the predictor of the
    next stretch, which learned from it last.

    >>> rank = np.arange(9)
    >>> chain = Chain(rank, np.array([3, 6]), np.array([3, 6]), np.array([6, 9]), np.ones(9))
    >>> split, sizes = growing(chain, np.array([1 / 3, 1.0]))
    >>> sizes, split.training_rows(1), split.training_rows(3)
    (array([1.5, 4.5]), array([4, 5]), array([0, 1, 2, 3, 4, 5]))
    """
    M, K = len(chain.weight), len(chain.learned)
    before = np.append(0.0, np.cumsum(chain.weight))
    after = before[chain.learned][None] * (1 - shares[:, None])  # (S, K) the weight that a sample leaves behind it
    first = (
        np.searchsorted(before, after + 1e-9 * before[-1], side="right") - 1
    )  # no less than the share, whole moments
    first = np.unique(np.minimum(first, chain.learned - 1), axis=0)[::-1]  # (S, K) the first moment learned from
    cuts = np.unique(np.concatenate([first.ravel(), chain.learned, chain.begins, chain.ends]))
    cuts = cuts[(cuts > 0) & (cuts < M)]
    cell, start, stop = np.searchsorted(cuts, chain.rank, side="right"), np.append(0, cuts), np.append(cuts, M)
    learns = (start >= first[..., None]) & (stop <= chain.learned[:, None])  # (S, K, C)
    S, C = len(first), len(start)
    models = np.arange(S * K).reshape(S, K)
    stretch = np.searchsorted(chain.begins, start, side="right") - 1  # (C,) -1 before the first
    held = np.where(stretch >= 0, models[:, np.maximum(stretch, 0)], -1)
    following = np.minimum(stretch + 1, K - 1)
    seen = learns[:, following, np.arange(C)]
    sizes = (before[chain.learned] - before[first]).mean(axis=1)
    return Split(cell, learns.reshape(S * K, C), np.vstack([held, np.where(seen, models[:, following], -1)])), sizes


def rows_in_time(time: object, n: int) -> Codes:
    """Return the rows in the order of time; True is that of the rows."""
    order: Codes = np.argsort(places_in_time(time, n), kind="stable")
    return order
