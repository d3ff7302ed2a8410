"""k-means: a descent that agrees with scikit-learn from the same start, streams, merges and never gives a NaN."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans as Theirs
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score

import epee
from epee import KMeans
from epee.errors import SearchWarning, WrongUse
from epee.kernels import cluster_lloyd
from epee.structure.kmeans import cluster_of_rows
from epee.structure.kmeans_blocks import nearest_centres
from epee.structure.kmeans_passes import Allocation, BoundedRows, StreamRows, lloyd
from epee.structure.kmeans_starts import Draw, plus_plus
from epee.table.arrays import ArraySource
from epee.table.block import Block


def blobs(n=600, p=3, k=5, seed=0, dtype=np.float64, distance=3.0):
    rng = np.random.default_rng(seed)
    return (rng.normal(size=(n, p)) + distance * rng.normal(size=(k, p))[rng.integers(k, size=n)]).astype(dtype)


@pytest.mark.parametrize("distance", [0.0, 1.0, 4.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_same_start_gives_scikit_learns_run(distance, weighted):
    X = blobs(3000, 6, 12, distance=distance)
    rng = np.random.default_rng(1)
    w = rng.integers(0, 4, len(X)).astype(float) if weighted else None
    init = X[rng.choice(len(X), 12, replace=False)]
    ours = KMeans(12, init=init, tol=0, max_iter=40).fit(X, sample_weight=w)
    theirs = Theirs(12, init=init, n_init=1, tol=0, max_iter=40).fit(X, sample_weight=w)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, atol=1e-10)
    np.testing.assert_allclose(ours.inertia_, theirs.inertia_, rtol=1e-12)
    assert ours.n_iter_ == theirs.n_iter_


def test_default_tolerance_stops_where_scikit_learn_does():
    X = blobs(2000, 4, 6, distance=1.0)
    init = X[:6]
    assert KMeans(6, init=init).fit(X).n_iter_ == Theirs(6, init=init, n_init=1).fit(X).n_iter_


def test_optimum_on_iris():
    km = KMeans(3, n_init=10, random_state=0).fit(load_iris().data)
    assert round(km.inertia_, 5) == 78.85144
    assert sorted(np.bincount(km.labels_)) == [38, 50, 62]


@given(st.integers(0, 10_000), st.integers(1, 7), st.booleans())
@settings(max_examples=12)
def test_neither_half_step_raises_the_criterion(seed, k, stream):
    X = np.round(blobs(60, 2, 4, seed=seed), 1) + 1e6 * (seed % 2)
    km = KMeans(k, init="random", n_init=1, random_state=seed, tol=0)
    km.fit(ArraySource(X) if stream else X)
    slack = 1e-9 * ((X - X.mean(axis=0)) ** 2).sum() + 1e-12
    assert (np.diff(km.trace_) <= slack).all()
    assert np.isfinite(km.cluster_centers_).all()
    assert km.n_iter_ < 300
    np.testing.assert_array_equal(km.predict(X), km.labels_)
    for j in range(k):  # a local optimum: each centre is the mean of its rows
        if (km.labels_ == j).any():
            np.testing.assert_allclose(km.cluster_centers_[j], X[km.labels_ == j].mean(axis=0), rtol=1e-9, atol=1e-9)


def test_bounds_give_the_plain_algorithm_in_both_precisions():
    for dtype in (np.float64, np.float32):
        X = blobs(5000, 8, 10, dtype=dtype, distance=1.0)
        start = X[:10].astype(float)
        fast = lloyd(BoundedRows(X, None), start, 25, 0.0, lambda: None)
        plain = lloyd(StreamRows(ArraySource(X)), start, 25, 0.0, lambda: None)
        np.testing.assert_allclose(fast.trace, plain.trace, rtol=1e-5 if dtype == np.float32 else 1e-11)
        if dtype == np.float64:
            np.testing.assert_allclose(fast.centres, plain.centres, atol=1e-10)


@pytest.mark.parametrize("stream", [False, True])
def test_empty_clusters_take_far_rows(stream):
    X = np.concatenate([blobs(100, 2, 1), [[50.0, 0.0]], [[0.0, 60.0]]])
    init = np.array([[0.0, 0.0], [1e3, 1e3], [-1e3, 1e3], [1e3, -1e3]])
    km = KMeans(4, init=init).fit(ArraySource(X) if stream else X)
    assert len(np.unique(km.labels_)) == 4
    assert np.isfinite(km.cluster_centers_).all()
    assert km.labels_[-1] != km.labels_[-2]
    slack = 1e-9 * km.trace_[0]
    assert (np.diff(km.trace_) <= slack).all()


def test_weights_are_counts():
    X, w = blobs(200, 2, 3), np.random.default_rng(0).integers(0, 4, 200)
    init = X[[0, 50, 100]]
    a = KMeans(3, init=init).fit(X, sample_weight=w)
    b = KMeans(3, init=init).fit(np.repeat(X, w, axis=0))
    np.testing.assert_allclose(a.cluster_centers_, b.cluster_centers_, atol=1e-12)
    np.testing.assert_allclose(a.inertia_, b.inertia_)
    np.testing.assert_allclose(a.counts_, b.counts_)


def test_a_stream_and_the_array_end_alike():
    X = blobs(9000, 3, 4, distance=8.0)
    memory = KMeans(4, random_state=0, n_init=3).fit(X)
    stream = KMeans(4, random_state=0, n_init=3).fit(ArraySource(X))
    np.testing.assert_allclose(stream.inertia_, memory.inertia_, rtol=1e-9)
    assert adjusted_rand_score(stream.labels_, memory.labels_) == 1


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_file_is_read_in_passes(tmp_path, kind):
    import polars

    X = blobs(3000, 3, 4, distance=8.0)
    w = np.random.default_rng(0).integers(1, 4, len(X))
    frame = polars.DataFrame(X, schema=["a", "b", "c"]).with_columns(polars.Series("count", w))
    path = tmp_path / f"rows.{kind}"
    frame.write_csv(path) if kind == "csv" else frame.write_parquet(path)
    memory = KMeans(4, init=X[:4]).fit(X, sample_weight=w)
    file = KMeans(4, init=X[:4]).fit(path, sample_weight="count")
    np.testing.assert_allclose(file.cluster_centers_, memory.cluster_centers_, atol=1e-9)
    np.testing.assert_array_equal(file.labels_, memory.labels_)
    np.testing.assert_allclose(file.counts_, memory.counts_)
    assert list(file.feature_names_in_) == ["a", "b", "c"]


def test_any_engine_can_add():
    from epee.engines.local import LocalEngine

    class Counting(LocalEngine):
        passes = 0

        def reduce(self, *args, **options):
            self.passes += 1
            return super().reduce(*args, **options)

    X, engine = blobs(500, 2, 3, distance=8.0), Counting()
    with epee.engine(engine):
        km = KMeans(3, init=X[:3], tol=0).fit(X)
    assert engine.passes == km.n_iter_
    np.testing.assert_allclose(km.inertia_, KMeans(3, init=X[:3], tol=0).fit(X).inertia_)


def test_threads_do_not_change_a_bit():
    X = blobs(20_000, 4, 6, distance=1.0)
    runs = []
    for threads in (1, 2):
        with epee.options(threads=threads):
            runs.append(KMeans(6, init=X[:6], max_iter=10).fit(X))
    np.testing.assert_array_equal(runs[0].cluster_centers_, runs[1].cluster_centers_)


def test_clouds_of_any_cut_add_up():
    X = blobs(300, 3, 4)
    work = Allocation(X[:4] - X.mean(axis=0), X.mean(axis=0))
    whole = work(Block(X))
    for cut in (1, 100, 299):
        parts = work(Block(X[:cut])) + work(Block(X[cut:]))
        np.testing.assert_allclose(parts.sums, whole.sums, atol=1e-10)
        np.testing.assert_array_equal(parts.count, whole.count)
        np.testing.assert_array_equal(parts.farthest, whole.farthest)
    labels, squared = nearest_centres(X, X[:4])
    np.testing.assert_allclose(whole.criterion(X[:4] - X.mean(axis=0)), squared.sum())


def test_sample_of_a_stream_does_not_depend_on_the_cut():
    X = blobs(1000, 2, 2)
    draw = Draw(50, 7)
    whole = draw(Block(X))
    parts = draw(Block(X[:300])) + draw(Block(X[300:], start=300))
    np.testing.assert_array_equal(whole.X, parts.X)
    w = np.zeros(1000)
    w[:60] = 1
    assert {tuple(r) for r in draw(Block(X, weight=w)).X} <= {tuple(r) for r in X[:60]}


def test_partial_fit_moves_the_means():
    X = blobs(400, 2, 3, distance=10.0)
    km = KMeans(3, random_state=0, n_init=5).fit(X[:200])
    before, counts = km.cluster_centers_.copy(), km.counts_.copy()
    labels = km.predict(X[200:])
    km.partial_fit(X[200:])
    for k in range(3):
        rows = X[200:][labels == k]
        mean = (counts[k] * before[k] + rows.sum(axis=0)) / (counts[k] + len(rows))
        np.testing.assert_allclose(km.cluster_centers_[k], mean)
    assert km.counts_.sum() == 400
    assert KMeans(3, random_state=0).partial_fit(X).cluster_centers_.shape == (3, 2)


def test_more_starts_are_never_worse():
    X = blobs(300, 2, 8, distance=2.0)
    costs = [KMeans(8, init="random", n_init=r, random_state=3).fit(X).inertia_ for r in (1, 2, 4, 8)]
    assert all(a >= b - 1e-9 for a, b in pairwise(costs))


def test_plus_plus_never_takes_a_row_twice_nor_one_without_weight():
    X = np.repeat(np.arange(6.0), 5)[:, None]
    w = (X[:, 0] != 3).astype(float)
    for seed in range(10):
        rows = plus_plus(X, w, 5, np.random.default_rng(seed))
        assert set(X[rows, 0]) == {0, 1, 2, 4, 5}


def test_sparse_rows_and_single_precision():
    import scipy.sparse

    X = np.where(np.random.default_rng(0).random((300, 6)) < 0.5, 0.0, blobs(300, 6, 3))
    a = KMeans(3, init=X[:3]).fit(X)
    b = KMeans(3, init=X[:3]).fit(scipy.sparse.csr_array(X))
    np.testing.assert_allclose(a.cluster_centers_, b.cluster_centers_, atol=1e-10)
    np.testing.assert_array_equal(a.predict(X), b.predict(scipy.sparse.csr_array(X)))
    single = KMeans(3, init=X[:3]).fit(X.astype(np.float32))
    assert single.cluster_centers_.dtype == np.float32
    np.testing.assert_allclose(single.inertia_, a.inertia_, rtol=1e-4)


def test_a_large_mean_costs_no_digits():
    X = blobs(500, 3, 4)
    a, b = KMeans(4, init=X[:4]).fit(X), KMeans(4, init=X[:4] + 1e8).fit(X + 1e8)
    np.testing.assert_allclose(a.inertia_, b.inertia_, rtol=1e-6)


def test_transform_and_score():
    X = blobs(50, 2, 3)
    km = KMeans(3, random_state=0).fit(X)
    D = km.transform(X)
    np.testing.assert_array_equal(D.argmin(axis=1), km.labels_)
    np.testing.assert_allclose(km.score(X), -(D.min(axis=1) ** 2).sum())
    assert list(km.get_feature_names_out()) == ["kmeans0", "kmeans1", "kmeans2"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"n_clusters": 0}, "n_clusters is 0; it must be a whole number of at least 1"),
        ({"n_clusters": 2.5}, "n_clusters is 2.5"),
        ({"n_clusters": 13}, "n_samples=12 should be >= n_clusters=13: the table has only 3 distinct rows"),
        ({"n_clusters": 2, "init": np.zeros((3, 2))}, r"initial centers \(3, 2\) does not match .* of shape \(2, 2\)"),
        ({"n_clusters": 2, "init": "far"}, "init is 'far'"),
        ({"n_clusters": 2, "init": np.full((2, 2), np.nan)}, "Input init contains NaN"),
        ({"n_clusters": 2, "n_init": 0}, "n_init is 0"),
        ({"n_clusters": 2, "max_iter": 0}, "max_iter is 0"),
        ({"n_clusters": 2, "tol": -1}, "tol is -1"),
        ({"n_clusters": 2, "algorithm": "fast"}, "algorithm is 'fast'"),
    ],
)
def test_bad_parameters(arguments, sentence):
    X = np.repeat([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]], 4, axis=0)
    with pytest.raises(ValueError, match=sentence):
        KMeans(**arguments).fit(X)


def test_fewer_distinct_rows_than_clusters_are_said_and_fitted():
    X = np.repeat([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]], 4, axis=0)
    with pytest.warns(SearchWarning, match=r"Number of distinct clusters \(3\) found smaller than n_clusters \(4\)"):
        km = KMeans(4, random_state=0).fit(X)
    assert km.inertia_ == 0.0
    assert set(km.labels_) == {0, 1, 2}
    with pytest.warns(RuntimeWarning, match="only one init"):
        KMeans(2, init=X[[0, 4]], n_init=5).fit(X)


def test_bad_cells():
    with pytest.raises(ValueError, match="exceed the range of float64"):
        KMeans(2, init=[[0.0], [1.0]]).fit([[1e200], [1.0], [2.0]])
    with pytest.raises(ValueError, match="column 0: 1 missing value"):
        KMeans(2, init=[[0.0], [1.0]]).fit(ArraySource(np.array([[0.0], [1.0], [np.nan]])))
    km = KMeans(2).fit([[0.0], [1.0], [2.0]])
    with pytest.raises(ValueError, match="X has 2 features, but KMeans is expecting 1"):
        km.predict(ArraySource(np.zeros((3, 2))))


def test_the_courses_stopping_rule_looks_at_the_criterion():
    X = np.random.default_rng(0).standard_normal((500, 2))
    early = KMeans(6, init=X[:6], n_init=1, tol=0.05, stop="criterion").fit(X)
    J = early.trace_[1::2]
    change = np.abs(np.diff(J)) / J[1:]
    assert len(J) > 2 and (change[:-1] > 0.05).all() and change[-1] <= 0.05
    last = KMeans(6, init=X[:6], n_init=1, tol=0.0, stop="criterion").fit(X)
    assert last.inertia_ < early.inertia_
    same = np.repeat([[0.0, 1.0], [2.0, 3.0]], 5, axis=0)
    assert KMeans(2, init=same[[0, 5]], n_init=1, stop="criterion").fit(same).inertia_ == 0
    with pytest.raises(WrongUse, match="'shift' or 'criterion'"):
        KMeans(2, stop="tired").fit(X)


@pytest.mark.parametrize("stop", ["shift", "criterion"])
def test_verbose_tells_every_pass_and_why_it_ended(stop, capsys):
    X = np.random.default_rng(0).normal(size=(300, 3))
    model = KMeans(4, random_state=0, verbose=1, stop=stop, tol=1e-2).fit(X)
    first, *passes, last = capsys.readouterr().out.splitlines()
    assert first == "Initialization complete" and len(passes) == model.n_iter_
    assert passes[-1].startswith(f"Iteration {model.n_iter_ - 1}, inertia {model.trace_[-2]:.9g}.")
    assert ("center shift" if stop == "shift" else "criterion") in last and last.startswith("Converged at iteration")
    KMeans(4, random_state=0, verbose=1, tol=0).fit(X)
    assert "strict convergence" in capsys.readouterr().out


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("stop", "tol"), [("shift", 0.0), ("shift", 1e-3), ("criterion", 1e-3)])
def test_all_passes_at_once_are_the_passes_one_by_one(dtype, weighted, stop, tol, monkeypatch):
    X = blobs(400, 5, 6, dtype=dtype, distance=1.0)
    w = np.random.default_rng(3).integers(0, 4, 400).astype(float) if weighted else None
    start, runs = X[:7].astype(float), []
    for small in (True, False):
        monkeypatch.setattr(cluster_lloyd.alternate, "small", lambda *a, small=small: small)
        runs.append(lloyd(BoundedRows(X, w), start, 50, tol, lambda: None, stop))
    monkeypatch.setattr(BoundedRows, "all_passes", lambda *a: None)
    each = lloyd(BoundedRows(X, w), start, 50, tol, lambda: None, stop)
    for run in runs:
        assert run.iterations == each.iterations and run.reason[:12] == each.reason[:12]
        np.testing.assert_allclose(run.trace, each.trace, rtol=1e-4 if dtype == np.float32 else 1e-11)
        np.testing.assert_allclose(run.centres, each.centres, atol=1e-3 if dtype == np.float32 else 1e-10)


@pytest.mark.parametrize("starts", [1, 4])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [90, 6000])
def test_clusters_of_checked_rows_are_those_of_the_estimator(starts, weighted, n):
    X = blobs(n, 5, 4)
    w = np.random.default_rng(1).integers(1, 4, n).astype(float) if weighted else None
    expected = KMeans(4, n_init=starts, random_state=3).fit(X, sample_weight=w).labels_
    np.testing.assert_array_equal(cluster_of_rows(X, w, 4, starts, 3), expected)


def test_clusters_of_copies_are_those_of_the_estimator():
    X = np.repeat([[0.0], [1.0]], 5, axis=0)
    with pytest.warns(SearchWarning, match="distinct clusters"):
        labels = cluster_of_rows(X, None, 3, 1, 0)
    assert len(np.unique(labels)) == 2
