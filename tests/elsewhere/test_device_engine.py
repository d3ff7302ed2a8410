import warnings

import numpy as np
import pytest

import epee
from epee.arrays import at_home, is_elsewhere, on_gpu
from epee.engines import device, libraries
from epee.engines import engine as engine_room
from epee.engines.choice import engine_for, sent
from epee.engines.device import DeviceEngine
from epee.engines.local import LOCAL
from epee.errors import DataError, EngineLost, EngineWarning, MissingValues, WrongUse
from epee.moments.passes import Summation, reduce_source
from epee.table.elsewhere import ElsewhereSource
from tests.elsewhere.libraries import ABSENT, ALL, close, sender

SOME = [name for name in ALL if not ABSENT[name]]


class Full(Exception):
    """As a library says it."""


Full.__name__ = "OutOfMemoryError"


class Overflowing(Summation):
    """A sum for which a device has no memory; here it has."""

    def __call__(self, block):
        if not isinstance(block.X, np.ndarray):
            raise Full("tried to allocate 8 GB\nand more")
        return super().__call__(block)


@pytest.mark.parametrize("library", ALL)
def test_every_library_is_tried(library):
    if ABSENT[library]:
        pytest.skip(ABSENT[library])
    X = sender(library)(np.eye(2))
    assert is_elsewhere(X)
    assert np.array_equal(at_home(X), np.eye(2))
    card = library in ("torch on cuda", "cupy")
    if library == "jax":  # which puts its arrays on a card where there is one
        card = pytest.importorskip("jax").default_backend() == "gpu"
    assert on_gpu(X) == card


def test_rows_that_lie_elsewhere_are_added_there(table, send):
    X = table[0]
    source = ElsewhereSource(send(X))
    assert engine_for(source).name == "device"
    m = reduce_source(source, Summation(source.origin))
    assert m.is_here
    assert close(m.scatter, Summation(source.origin)(next(source.blocks(len(X)))).scatter, 1e-12)


def test_the_cut_into_blocks_does_not_matter(table, send, monkeypatch):
    X, codes, _, w, fold = table
    source = ElsewhereSource(send(X), None, w, fold, codes)
    keep = Summation(source.origin, "full", 5, 3)
    whole = reduce_source(source, keep)
    monkeypatch.setattr(device, "BLOCK_BYTES", 1)
    monkeypatch.setattr(device, "BLOCK_SHARE", 1 << 60)
    monkeypatch.setattr(device, "FEWEST_ROWS", 64)
    assert close(reduce_source(source, keep).scatter, whole.scatter, 1e-12)


def test_blocks_come_home_for_whoever_reads_them(table, send):
    X, codes, t, w, _ = table
    source = ElsewhereSource(send(X), send(t), send(w), None, send(codes))
    blocks = list(source.blocks(100))
    assert [len(b) for b in blocks] == [100] * 4
    assert np.array_equal(np.concatenate([b.X for b in blocks]), X)
    assert np.array_equal(np.concatenate([b.y for b in blocks]), t)
    assert np.array_equal(np.concatenate([b.group for b in blocks]), codes)
    assert np.array_equal(source.taken(np.array([3, 1])).X, X[[3, 1]])
    assert source.head().X.shape == (256, X.shape[1])


def test_what_has_no_road_there_is_done_here_and_said_once(table, send):
    source = ElsewhereSource(send(table[0]))

    def count(block):
        return block.X.sum()

    with pytest.warns(EngineWarning, match="count has no road on the device"):
        total = engine_for(source).reduce(source, count)
    assert np.isclose(total, table[0].sum())
    assert np.isclose(
        sum(engine_for(source).map(source, count)), table[0].sum()
    )  # no second warning: it would be an error


def test_a_full_device_gives_way_to_the_cpu_where_that_was_allowed(table, send):
    source = ElsewhereSource(send(table[0]))
    keep = Overflowing(source.origin)
    with pytest.warns(EngineWarning, match=r"no memory left \(tried to allocate 8 GB\): the CPU takes over"):
        m = engine_for(source).reduce(source, keep)
    assert close(m.scatter, Summation(source.origin)(next(source.blocks(len(table[0])))).scatter, 1e-12)
    with pytest.raises(EngineLost, match="no memory left"):
        DeviceEngine().reduce(source, keep)
    device._told.clear()
    with pytest.warns(EngineWarning, match="the CPU takes over"):
        parts = list(engine_for(source).map(source, keep))
    assert sum(float(part.count) for part in parts) == len(table[0])


def test_another_fault_is_not_hidden(table, send):
    source = ElsewhereSource(send(table[0]))

    def broken(block):
        raise ZeroDivisionError("no")

    broken.anywhere = True
    with pytest.raises(ZeroDivisionError):
        engine_for(source).reduce(source, broken)


def test_a_bad_cell_is_named(table, send):
    X = table[0].copy()
    X[33, 2] = np.nan
    with pytest.raises(MissingValues, match=r"column 2: 1 missing value \(NaN\), first in row 33"):
        epee.LinearRegression().fit(send(X), table[2])


def test_shapes_are_checked(table, send):
    X, codes, *_ = table
    with pytest.raises(DataError, match="Expected 2D array"):
        epee.LinearDiscriminantAnalysis().fit(send(X[:, 0]), codes)
    with pytest.raises(DataError, match="inconsistent numbers of samples"):
        epee.LinearDiscriminantAnalysis().fit(send(X), codes[:-1])
    model = epee.LinearDiscriminantAnalysis().fit(send(X), send(codes))
    with pytest.raises(DataError, match="X has 3 features"):
        model.predict(send(X[:, :3]))
    with pytest.raises(MissingValues, match="column 0"):
        model.predict(send(np.full_like(X, np.nan)))


def no_device():
    try:
        device.find_library()
    except WrongUse:
        return True
    return False


@pytest.mark.skipif(not no_device(), reason="this machine has a graphics card")
def test_without_a_card_cuda_is_an_error_and_auto_the_cpu(table):
    X, codes, *_ = table
    with pytest.raises(WrongUse, match=r"no CUDA device can be used .*pip install 'epee\[cuda\]'"), epee.engine("cuda"):
        pass
    with pytest.warns(EngineWarning, match="The CPU is used"):
        chosen = device.auto()
    assert chosen is LOCAL
    with epee.engine("auto"):  # it is not said again
        auto = epee.LinearDiscriminantAnalysis().fit(X, codes)
    assert np.array_equal(auto.coef_, epee.LinearDiscriminantAnalysis().fit(X, codes).coef_)


class Lent:
    """A library that stands in for one with a card: what is sent becomes an array of the first library there is."""

    name = "lent"

    def __init__(self, room=1 << 40):
        self.room, self.make, self.journeys = room, sender(SOME[0]), 0

    def free(self):
        return self.room

    def send(self, a):
        return self.make(a)

    def lane(self):
        def start(a):
            self.journeys += 1
            there = self.make(a)
            return lambda: there

        return start


@pytest.mark.skipif(not SOME, reason="no library of arrays but NumPy is installed")
def test_an_engine_with_a_card_takes_tables_that_fit_whole(table):
    X, codes, *_ = table
    library = Lent()
    with epee.engine(DeviceEngine(library)):
        assert not isinstance(sent(X), np.ndarray)
        there = epee.LinearDiscriminantAnalysis().fit(X, codes)
    assert library.journeys == 0
    assert close(there.coef_, epee.LinearDiscriminantAnalysis().fit(X, codes).coef_)
    assert isinstance(there.predict(X), np.ndarray)


@pytest.mark.skipif(not SOME, reason="no library of arrays but NumPy is installed")
@pytest.mark.parametrize("few", [True, False])
def test_logistic_regressions_of_folds_end_there_where_they_end_here(table, few, monkeypatch):
    from epee.predictors.linear import logistic_side

    if not few:
        monkeypatch.setattr(logistic_side, "SMALL", 0)
    X, codes, _, w, _ = table
    rows = [(X, codes, w), (X[:-20], codes[:-20], w[:-20])]
    models = [epee.LogisticRegression() for _ in rows]
    with epee.engine(DeviceEngine(Lent())):
        epee.LogisticRegression.fit_together(models, rows)
    for model, row in zip(models, rows, strict=True):
        assert close(model.coef_, epee.LogisticRegression().fit(*row).coef_, 1e-6)


@pytest.mark.skipif(not SOME, reason="no library of arrays but NumPy is installed")
def test_larger_tables_and_files_travel_block_by_block(table, monkeypatch, tmp_path):
    import pandas as pd

    X, codes, t, w, _ = table
    monkeypatch.setattr(device, "SENT_BYTES", 1)
    monkeypatch.setattr(device, "FEWEST_ROWS", 100)
    library = Lent(room=0)
    with epee.engine(DeviceEngine(library)):
        assert sent(X) is X
        there = epee.LinearRegression().fit(X, t, sample_weight=w)
    assert library.journeys == 4
    assert close(there.coef_, epee.LinearRegression().fit(X, t, sample_weight=w).coef_)
    path = tmp_path / "rows.parquet"
    pd.DataFrame(X, columns=list("abcdef")).assign(kind=np.array(["u", "v", "w"])[codes]).to_parquet(path)
    with epee.engine(DeviceEngine(library)):
        there = epee.LinearDiscriminantAnalysis().fit(str(path), "kind")
    assert library.journeys > 4
    assert close(there.coef_, epee.LinearDiscriminantAnalysis().fit(X, codes).coef_)


@pytest.fixture
def no_card_known():
    engine_room.card_of_worker.cache_clear()
    yield
    engine_room.card_of_worker.cache_clear()


def test_a_worker_has_the_card_that_it_was_given(monkeypatch, no_card_known):
    assert engine_room.card_of_worker() is None
    engine_room.card_of_worker.cache_clear()
    monkeypatch.setenv("EPEE_DEVICE", "gpu")
    with pytest.raises(WrongUse, match="EPEE_DEVICE is 'gpu'"):
        engine_room.card_of_worker()
    monkeypatch.setenv("EPEE_DEVICE", "cuda")
    library = Lent()
    monkeypatch.setattr(libraries, "find_library", lambda: library)
    assert engine_room.card_of_worker() is library


@pytest.mark.skipif(not no_device(), reason="this machine has a graphics card")
def test_a_worker_without_a_card(monkeypatch, no_card_known):
    monkeypatch.setenv("EPEE_DEVICE", "auto")
    assert engine_room.card_of_worker() is None
    engine_room.card_of_worker.cache_clear()
    monkeypatch.setenv("EPEE_DEVICE", "cuda")
    with pytest.raises(WrongUse, match="no CUDA device can be used"):
        engine_room.card_of_worker()


@pytest.mark.skipif(not SOME, reason="no library of arrays but NumPy is installed")
@pytest.mark.filterwarnings("ignore")  # Dask's own
def test_workers_of_a_cluster_send_their_parts_to_their_cards(table, monkeypatch):
    da, distributed = pytest.importorskip("dask.array"), pytest.importorskip("distributed")
    X, codes, *_ = table
    library = Lent()
    monkeypatch.setattr(engine_room, "card_of_worker", lambda: library)  # workers are threads of this process
    with distributed.Client(processes=False, n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
        rows, labels = (da.from_array(a, chunks=(100, *a.shape[1:])) for a in (X, codes))
        with epee.engine(client):
            there = epee.LinearDiscriminantAnalysis().fit(rows, labels)
    assert library.journeys >= 4  # one for each of four parts
    assert close(there.coef_, epee.LinearDiscriminantAnalysis().fit(X, codes).coef_)


def test_local_work_is_silent(table):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with epee.engine("local"):
            epee.LinearDiscriminantAnalysis().fit(table[0], table[1])
