from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import epee
from epee.errors import DataError, WrongUse
from epee.job.cells import part_of
from epee.job.finishing import from_parts
from epee.job.sealing import fingerprints, seal, test_fraction
from epee.losses.decisions import ZeroOne
from epee.losses.entropy import LogLoss
from epee.risk.mean_loss import mean_loss
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


@given(st.integers(1, 60), st.integers(1, 10), st.integers(0, 99))
def test_parts_of_sealed_rows_hold_whole_groups_and_stretches_of_time(n, parts, seed):
    rng = np.random.default_rng(seed)
    groups, time = rng.integers(0, 7, n), rng.permutation(n)
    dealt = part_of(n, parts, groups)
    assert all(len(set(dealt[groups == g])) <= 1 for g in range(7))
    cut = part_of(n, parts, time=time)[np.argsort(time)]
    assert (np.diff(cut) >= 0).all() and np.ptp(np.bincount(cut, minlength=parts)) <= 1
    assert all(p.min() >= 0 and p.max() < parts for p in (dealt, cut, part_of(n, parts)))


def test_a_sealed_error_from_parts_is_that_of_its_rows():
    rng = np.random.default_rng(0)
    losses, part = (rng.random(400) < 0.2) * 1.0, part_of(400, 10)
    sums = np.stack([np.bincount(part, w) for w in (np.ones(400), losses, losses**2)])
    found, whole = from_parts(sums, ZeroOne(), 0.9), mean_loss(losses, loss="zero_one", level=0.9)
    assert found.value == pytest.approx(whole.value) and found.stderr == pytest.approx(whole.stderr)
    np.testing.assert_allclose(found.interval, whole.interval)
    assert found.at(0.99).high > found.high
    together = np.repeat(rng.random(10) < 0.5, 40) * 1.0  # each group is all right or all wrong
    group = np.repeat(np.arange(10), 40)
    sums = np.stack([np.bincount(group, w) for w in (np.ones(400), together, together)])
    told, whole = from_parts(sums, ZeroOne(), 0.9, alone=False), mean_loss(together, loss="zero_one", groups=group)
    assert told.stderr == pytest.approx(whole.stderr / np.sqrt(1 - 1 / 10))
    assert told.stderr > 4 * from_parts(sums, ZeroOne(), 0.9).stderr


def test_weights_that_are_no_counts_have_no_scale_in_sealed_parts():
    rng = np.random.default_rng(0)
    losses, w, part = rng.random(300), rng.random(300), part_of(300, 10)
    found = []
    for c in (1.0, 1000.0):
        v = c * w
        sums = np.stack([np.bincount(part, v * e) for e in (1, losses, losses**2)])
        found.append(from_parts(sums, LogLoss(), 0.9, v.sum() / (v @ v)))
    np.testing.assert_allclose(found[0].interval, found[1].interval)
    assert found[0].n == pytest.approx(w.sum() ** 2 / (w @ w))


def test_sealed_groups_make_the_error_bar():
    rng = np.random.default_rng(0)
    g = np.repeat(np.arange(30), 20)
    table = pa.table({"x": rng.normal(size=600), "g": g, "y": rng.normal(size=30)[g] + 0.1 * rng.normal(size=600)})
    risk = epee.learn(table, "y", groups="g", predictors=["linear"], random_state=0).risk
    by_group = mean_loss(risk.losses, groups=g[seal(600, 0.2, 0, groups=g)[0]])
    assert "groups" in risk.how and risk.stderr == pytest.approx(by_group.stderr)
    assert risk.stderr > 2 * mean_loss(risk.losses).stderr
    np.testing.assert_allclose(risk.interval, by_group.interval)
