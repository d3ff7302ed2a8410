import numpy as np
import pytest

from epee.arrays import at_home
from epee.engines.device import DeviceEngine
from epee.moments import anywhere
from epee.moments.anywhere import moments_anywhere
from epee.moments.moments import Moments, stack
from epee.moments.passes import Summation
from epee.table.block import Block
from epee.table.elsewhere import ElsewhereSource
from epee.table.folds import assign_folds
from epee.table.folds_elsewhere import folds_elsewhere
from tests.elsewhere.libraries import close

CELLS = [(None, None), (5, None), (None, 3), (5, 3)]


def both(table, send, scatter, folds, groups, weighted, targets=False, dtype=np.float64):
    X, codes, t, w, fold = table
    X = X.astype(dtype)
    y = t[:, None] if targets else None
    parts = {
        "y": y,
        "weight": w if weighted else None,
        "fold": fold if folds else None,
        "group": codes if groups else None,
    }
    origin = np.append(X[0], t[0]) if targets else X[0].astype(float)
    keep = Summation(origin, scatter, folds, groups, int(targets))
    there = ElsewhereSource(send(X), **{k: None if a is None else send(a) for k, a in parts.items()})
    return DeviceEngine().reduce(there, keep), keep(Block(X.astype(np.float64), **parts))


def agree(m, here, tolerance=1e-12):
    assert not m.is_here
    home = m.here()
    assert (home.axes, home.kind, home.targets) == (here.axes, here.kind, here.targets)
    assert close(home.count, here.count, 1e-14)
    assert close(home.mean, here.mean, tolerance)
    if here.scatter is not None:
        assert close(home.scatter, here.scatter, tolerance)
    return True


@pytest.mark.parametrize("scatter", ["full", "pooled", "diagonal", None])
@pytest.mark.parametrize(("folds", "groups"), CELLS)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_same_sums_as_here(table, send, scatter, folds, groups, weighted):
    assert agree(*both(table, send, scatter, folds, groups, weighted))


def test_targets_are_the_last_columns(table, send):
    assert agree(*both(table, send, "full", 5, None, True, targets=True))


@pytest.mark.parametrize(("folds", "groups"), CELLS)
@pytest.mark.parametrize("scatter", ["full", "pooled", "diagonal"])
def test_rows_of_32_bits_are_summed_to_64(table, send, scatter, folds, groups):
    m, here = both(table, send, scatter, folds, groups, True, dtype=np.float32)
    assert str(m.shift.dtype).endswith("float64")
    assert agree(m, here, 1e-5)


def test_the_plain_road_is_the_same_for_numpy(table):
    X, codes, _, w, fold = table
    keep = Summation(X[0], "pooled", 5, 3)
    block = Block(X, weight=w, fold=fold, group=codes)
    assert close(moments_anywhere(block, keep).scatter, keep(block).scatter, 1e-12)


@pytest.mark.parametrize("folds", [None, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_wide_scatter_is_multiplied_by_half(send, monkeypatch, folds, weighted):
    monkeypatch.setattr(anywhere, "WIDE", 30)
    X = np.random.default_rng(1).normal(size=(120, 31)) + 5.0
    fold = np.arange(120) % 3
    keep, w = Summation(X[0], "full", folds), 1.0 + fold if weighted else None
    m = keep(Block(send(X), weight=None if w is None else send(w), fold=send(fold)))
    assert agree(m, keep(Block(X, weight=w, fold=fold)))
    S = at_home(m.scatter)
    assert np.array_equal(S[..., :7, 7:], np.swapaxes(S, -1, -2)[..., :7, 7:])


def test_an_empty_cell_has_no_say(send):
    X = np.arange(12.0).reshape(6, 2)
    keep = Summation(np.zeros(2), "full", 3, None)
    m = keep(Block(send(X), fold=send(np.array([0, 0, 2, 2, 2, 0])))).here()
    assert m.count.tolist() == [3.0, 0.0, 3.0]
    assert not m.shift[1].any()
    assert not m.scatter[1].any()


@pytest.mark.parametrize("scatter", ["full", "diagonal", None])
def test_sums_add_wherever_they_are(table, send, scatter):
    X = table[0]
    keep = Summation(X[0], scatter)
    cut = keep(Block(send(X[:150]))) + keep(Block(send(X[150:])))
    assert agree(cut, keep(Block(X)))


def test_folds_merge_and_leave_one_out(table, send):
    m, here = both(table, send, "full", 5, None, True, targets=True)
    assert agree(m.leave_one_out("fold"), here.leave_one_out("fold"))
    assert agree(m.merge("fold"), here.merge("fold"))
    assert agree(m.at("fold", 2), here.at("fold", 2))
    assert agree(stack([m.at("fold", k) for k in range(5)]), here)
    assert close(m.covariance(), here.covariance(), 1e-12)
    assert close(m.about(np.zeros(7)).shift, here.about(np.zeros(7)).shift, 1e-12)
    assert m.is_finite()


@pytest.mark.parametrize("scatter", ["full", "pooled", "diagonal", None])
def test_folds_of_groups_leave_one_out(table, send, scatter):
    m, here = both(table, send, scatter, 5, 3, True)
    assert agree(m.leave_one_out("fold"), here.leave_one_out("fold"))
    assert agree(m.merge("fold"), here.merge("fold"))
    assert agree(m.merge("group"), here.merge("group"))
    assert close(m.frequencies, here.frequencies, 1e-14)


@pytest.mark.parametrize("beside", [True, False])
def test_moments_of_rows_that_lie_elsewhere(table, send, beside):
    X, codes, t, w, fold = table
    here = Moments.of(X, t, sample_weight=w, fold=fold, group=codes, scatter="pooled")
    there = send if beside else np.asarray  # what lies beside the rows may be here or there
    m = Moments.of(send(X), there(t), sample_weight=there(w), fold=there(fold), group=there(codes), scatter="pooled")
    assert (m.axes, m.targets) == (here.axes, here.targets)
    assert close(m.scatter, here.scatter, 1e-12)
    assert close(m.mean, here.mean, 1e-12)


def test_what_is_not_done_there_is_done_here(table, send):
    m, here = both(table, send, "pooled", None, 3, False)
    assert close(m.frequencies, here.frequencies, 1e-14)
    assert np.allclose(m.variances, here.variances)
    assert close(m.merge("group").scatter, here.merge("group").scatter, 1e-12)
    assert np.allclose(Moments.from_bytes(m.to_bytes()).scatter, here.scatter)


def test_a_bad_cell_shows(table, send):
    X = table[0].copy()
    X[17, 2] = np.nan
    assert not Summation(X[0])(Block(send(X))).is_finite()


def test_the_same_rows_give_the_same_bits(table, send):
    first, again = (both(table, send, "pooled", 5, 3, True)[0] for _ in range(2))
    assert (at_home(first.scatter) == at_home(again.scatter)).all()


@pytest.mark.parametrize(("n", "classes"), [(1000, None), (1000, 4), (70_001, None), (150_000, 2)])
def test_folds_are_those_dealt_here(send, n, classes):
    codes = (
        None if classes is None else (np.arange(n) * 7919 % 1009 < 400).astype(np.int64) + (np.arange(n) % classes == 3)
    )
    there = folds_elsewhere(send(np.zeros(1)), None if codes is None else send(codes), n, 7, seed=5)
    assert np.array_equal(at_home(there), assign_folds(codes, n, 7, seed=5))
