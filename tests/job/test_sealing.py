from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epee.errors import DataError, WrongUse
from epee.job.sealing import fingerprints, seal, test_fraction
from epee.table.raw import RawBlock

test_fraction.__test__ = False


@given(st.integers(20, 400), st.sampled_from([0.1, 0.2, 0.25, 0.5]), st.integers(0, 5))
def test_every_class_keeps_its_share(n, share, seed):
    codes = np.random.default_rng(seed).integers(0, 3, n)
    sealed, _ = seal(n, share, seed, codes=codes)
    for k in range(3):
        own = codes == k
        if own.sum() > 4:
            assert abs(sealed[own].sum() - share * own.sum()) <= 20 * share + 1
            assert (~sealed[own]).sum() >= 2


def test_groups_and_time():
    groups = np.repeat(np.arange(20), 7)
    sealed, _ = seal(140, 0.2, 0, groups=groups)
    assert all(len(set(sealed[groups == g])) == 1 for g in range(20)) and 14 <= sealed.sum() <= 42
    time = np.random.default_rng(0).permutation(100) // 2
    sealed, _ = seal(100, 0.2, 0, time=time.astype(float))
    assert time[sealed].min() > time[~sealed].max() and 18 <= sealed.sum() <= 22
    with pytest.raises(DataError, match="same time"):
        seal(50, 0.2, 0, time=np.zeros(50))
    with pytest.raises(DataError, match="at least 3"):
        seal(50, 0.2, 0, groups=np.arange(50) % 2)


@pytest.mark.parametrize("share", [-0.1, 1.0, "half"])
def test_a_share_that_is_none(share):
    with pytest.raises(WrongUse, match="share"):
        seal(50, share, 0)


def test_fingerprints_know_a_row_wherever_it_stands():
    n = 5000
    rng = np.random.default_rng(0)
    a = rng.normal(size=n)
    town = pa.array(np.array(["x", "y", None], dtype=object)[rng.integers(0, 3, n)].tolist(), pa.string())
    whole = fingerprints(RawBlock({"a": a, "town": town}, rows=n), ["a", "town"], {"y": np.arange(n) % 3})
    rows = rng.permutation(n)[:700]
    part = fingerprints(
        RawBlock({"town": town.take(pa.array(rows)), "a": a[rows]}, rows=700), ["town", "a"], {"y": rows % 3}
    )
    np.testing.assert_array_equal(part, whole[rows])
    assert len(np.unique(whole)) == n
    moved = a.copy()
    moved[17] = np.nextafter(moved[17], 9)
    other = fingerprints(RawBlock({"a": moved, "town": town}, rows=n), ["a", "town"], {"y": np.arange(n) % 3})
    assert (other != whole).sum() == 1
