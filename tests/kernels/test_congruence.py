"""A S A' of few entries: the loop writes what its twin in NumPy writes, and both the product of matrices."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from epee.kernels.congruence import congruence, congruence_twin


@given(st.integers(0, 60))
def test_the_loop_writes_what_its_twin_writes(seed):
    rng = np.random.default_rng(seed)
    T, e, p = 5, 20, 40
    takes = [rng.choice(p, rng.integers(1, 4), replace=False) for _ in range(e)]
    starts = np.append(0, np.cumsum([len(c) for c in takes])).astype(np.int64)
    column, weight = np.concatenate(takes).astype(np.int64), rng.normal(size=(T, starts[-1]))
    B = rng.normal(size=(T, p, p))
    S, loop, twin = B + B.swapaxes(1, 2), np.empty((T, e, e)), np.empty((T, e, e))
    congruence.compiled(S, starts, column, weight, loop)
    congruence_twin(S, starts, column, weight, twin)
    assert np.array_equal(loop, twin) and np.array_equal(loop, loop.swapaxes(1, 2))
    A = np.zeros((T, e, p))
    A[:, np.repeat(np.arange(e), np.diff(starts)), column] = weight
    np.testing.assert_allclose(loop, A @ S @ A.swapaxes(1, 2), atol=1e-12)
