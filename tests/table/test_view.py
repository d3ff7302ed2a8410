"""A view changes blocks and nothing else: read here, in parts elsewhere, or by the threads of an engine, it is the same."""

from __future__ import annotations

import pickle

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

import epee
from epee.engines.choice import LOCAL
from epee.errors import DataError
from epee.table.arrays import ArraySource
from epee.table.block import Block, ColumnBlock
from epee.table.changes import Celled, Coded, Dealt, Learned
from epee.table.doors import coded
from epee.table.folds import assign_folds
from epee.table.parts import Adopted, adopted
from epee.table.source import as_source
from epee.table.sparse import SparseSource
from epee.table.view import View

N, P = 400, 3
rng = np.random.default_rng(0)
X = rng.normal(size=(N, P))
LABELS = np.array(["u", "v", "w"])[rng.integers(0, 3, N)]
CODES = np.unique(LABELS, return_inverse=True)[1]
CELL = rng.integers(-1, 4, N)


class Foreign:
    """The least that somebody else writes; its blocks are not numbered."""

    names, n_rows, n_columns, origin = None, None, P, np.zeros(P)

    def blocks(self, rows=None):
        for i in range(0, N, 37):
            yield Block(X[i : i + 37], LABELS[i : i + 37])


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    folder = tmp_path_factory.mktemp("views")
    table = pa.table({name: X[:, j] for j, name in enumerate("abc")} | {"label": LABELS})
    pq.write_table(table, folder / "t.parquet", row_group_size=11)
    (folder / "many").mkdir()
    for k in range(8):
        pq.write_table(table.slice(50 * k, 50), folder / "many" / f"{k}.parquet", row_group_size=20)
    table.to_pandas().to_csv(folder / "t.csv", index=False)
    return {
        "array": lambda: ArraySource(X, LABELS),
        "sparse": lambda: SparseSource(scipy.sparse.csr_array(X), LABELS),
        "frame": lambda: as_source(table, "label"),
        "parquet": lambda: as_source(folder / "t.parquet", "label"),
        "folder": lambda: as_source(folder / "many", "label"),
        "csv": lambda: as_source(folder / "t.csv", "label"),
        "foreign": lambda: adopted(Foreign()),
        "mapped": lambda: as_source(table, "label").mapped(matrix, list("abc")),
        "mapped file": lambda: as_source(folder / "t.parquet", "label").mapped(matrix, list("abc")),
    }


KINDS = ["array", "sparse", "frame", "parquet", "folder", "csv", "foreign", "mapped", "mapped file"]


def matrix(raw):
    return np.column_stack(list(raw.columns.values()))


def double(block):
    return block.having(X=2 * np.asarray(block.X))


def gathered(blocks):
    blocks = list(blocks)
    sides = [
        None if getattr(blocks[0], name) is None else np.concatenate([getattr(b, name) for b in blocks])
        for name in ("y", "fold", "group")
    ]
    return np.concatenate([np.asarray(b.X) for b in blocks]), *sides


def travelled(source, wanted, rows=None):
    """Yield the blocks of all parts, each part sent as bytes, numbered as in the whole."""
    for part in source.parts(wanted, rows, numbered=True):
        build, payload = pickle.loads(pickle.dumps((part.build, part.payload)))
        blocks = list(build(payload).blocks(rows))
        assert part.rows >= sum(map(len, blocks))  # a change may leave some out
        yield from (block.having(start=block.start + part.start) for block in blocks if len(block))


def equal(a, b):
    for u, v in zip(a, b, strict=True):
        assert (u is None) == (v is None)
        if u is not None:
            np.testing.assert_array_equal(u, v)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("wanted", [1, 7, 50])
def test_parts_are_the_rows(sources, kind, wanted):
    source = sources[kind]()
    np.testing.assert_allclose(gathered(source.blocks())[0], X, rtol=1e-15)
    for rows in (None, 16):
        blocks = list(travelled(source, wanted, rows))
        equal(gathered(blocks), gathered(source.blocks()))
        assert [b.start for b in blocks] == np.cumsum([0, *map(len, blocks)])[:-1].tolist()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("wanted", [1, 7, 50])
def test_views_of_parts_are_the_parts_of_views(sources, kind, wanted):
    whole, labels = coded(sources[kind]())
    assert labels.tolist() == ["u", "v", "w"]
    celled = View(whole, Celled(CELL, drop=True))
    dealt = View(whole, Dealt(5, 3, 3))
    learned = View(View(dealt, double), Learned(np.array([True, False, True, True, False])), origin=np.zeros(P))
    for view in (whole, celled, View(celled, double), dealt, View(whole, Dealt(5, 3)), learned):
        equal(gathered(travelled(view, wanted)), gathered(view.blocks()))
        equal(gathered(view.blocks(23)), gathered(view.blocks()))
    rows, _, fold, group = gathered(celled.blocks())
    np.testing.assert_allclose(rows, X[CELL >= 0], rtol=1e-15)
    np.testing.assert_array_equal(fold, CELL[CELL >= 0])
    np.testing.assert_array_equal(group, CODES[CELL >= 0])
    np.testing.assert_array_equal(gathered(dealt.blocks())[2], assign_folds(CODES, N, 5, 3))


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 60), st.integers(1, 60), st.integers(1, 30), st.integers(0, 5), st.booleans())
def test_folds_do_not_depend_on_the_cut(n, wanted, rows, seed, stratified):
    codes = np.arange(n) * 7 % 3
    source = ArraySource(np.zeros((n, 1)), group=codes)
    dealt = View(source, Dealt(4, seed, 3 if stratified else None))
    expected = assign_folds(codes if stratified else None, n, min(4, n), seed) if n >= 4 else None
    here = np.concatenate([b.fold for b in dealt.blocks(rows)])
    there = np.concatenate([b.fold for b in travelled(dealt, wanted, rows)])
    np.testing.assert_array_equal(here, there)
    if expected is not None:
        np.testing.assert_array_equal(here, expected)


def test_an_engine_counts_before_the_parts_are_made(sources):
    view = View(coded(sources["parquet"]())[0], Dealt(5, 3, 3))
    view.prepare(LOCAL, 7)
    counted = dict(view._before)
    view._before = {}
    equal(gathered(travelled(view, 7)), gathered(view.blocks()))  # nobody prepared: counted here
    assert {k: v.tolist() for k, v in counted.items()} == {k: v.tolist() for k, v in view._before.items()}
    view.prepare(LOCAL, 3)  # another cut of the rows
    equal(gathered(travelled(view, 3)), gathered(view.blocks()))


@pytest.mark.parametrize("kind", KINDS)
def test_threads_do_the_changes(sources, kind):
    view = View(View(coded(sources[kind]())[0], Celled(CELL)), double)
    behind, work = view.through(lambda block: (block.fold.sum(), block.X.sum()))
    assert not isinstance(behind, View)
    here = [(b.fold.sum(), b.X.sum()) for b in view.blocks(16)]
    assert (
        [work(block) for block in behind.blocks(16)]
        == here
        == list(LOCAL.map(view, lambda b: (b.fold.sum(), b.X.sum()), rows=16))
    )
    in_order = View(view, Dealt(3))
    assert in_order.through(len)[0] is in_order


def test_columns_stay_columns(sources):
    source = sources["parquet"]()
    view = View(View(coded(source)[0], Celled(CELL)), Dealt(4, 0, 3))
    for block in view.blocks(64):
        assert isinstance(block, ColumnBlock) and "X" not in block.__dict__


def test_narrow_views_read_one_column(sources):
    view = View(coded(sources["parquet"]())[0], Dealt(4, 0, 3))
    narrow = view.narrow()
    assert narrow.n_columns == 1 and len(narrow.origin) == 1 and narrow.names == ("a",)
    equal(gathered(narrow.blocks())[1:], gathered(view.blocks())[1:])
    assert View(view, double).narrow().n_columns == P


def test_what_a_view_knows(sources):
    source = sources["csv"]()
    view = View(source, double, n_columns=P)
    assert view.names is None and view.n_rows == source.n_rows and view.passes == 0 and view.home == "local"
    np.testing.assert_allclose(view.origin, 2 * X[:256].mean(axis=0))
    assert len(list(view.blocks())) and view.passes == source.passes == 1
    assert view.target_levels.tolist() == ["u", "v", "w"]
    assert View(ArraySource(X), double).n_rows == N
    assert View(ArraySource(X), Learned(np.array([True]))).n_rows is None
    assert View(ArraySource(X), Coded(np.array([0])), origin=np.arange(5.0)).origin.tolist() == [0, 1, 2]
    assert isinstance(View(Foreign(), double).source, Adopted)


@pytest.mark.parametrize("rows", [1, 16, 1000])
def test_raw_rows_come_in_blocks_of_one_size(sources, rows):
    for kind in ("frame", "parquet", "folder", "csv"):
        sizes = [len(raw) for raw in sources[kind]().raw_blocks(rows)]
        assert sum(sizes) == N and set(sizes[:-1]) <= {rows}
    starts = [raw.start for raw in sources["folder"]().raw_blocks(16)]
    assert starts == list(range(0, N, 16))


def test_a_view_of_any_source_is_learned_from(sources):
    local = epee.LinearDiscriminantAnalysis().fit(X, LABELS)
    for kind in KINDS:
        model = epee.LinearDiscriminantAnalysis().fit(sources[kind](), None)
        np.testing.assert_allclose(model.coef_, local.coef_, rtol=1e-9)


def test_rows_that_change_between_two_passes_are_refused():
    block = Block(np.zeros((6, 2)), None, group=np.array([0, 0, 0, 1, 1, 1]))
    deal = Dealt(2, 0, 2).knowing(np.array([2, 4])).begin()
    with pytest.raises(DataError, match="not the same at each pass"):
        deal(block)
