"""The same sums on a cluster: any partition of the rows gives the local result."""

from __future__ import annotations

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

import epee
from epee import (
    PCA,
    AdditiveSplines,
    BernoulliNB,
    GaussianMixture,
    GaussianNB,
    KMeans,
    LinearDiscriminantAnalysis,
    LinearRegression,
    LogisticRegression,
    MixedNB,
    PolynomialRegression,
    QuadraticDiscriminantAnalysis,
    Ridge,
    StandardScaler,
    TableEncoder,
)
from epee.engines import dask_engine
from epee.engines.choice import engine_for
from epee.engines.dask_engine import DaskEngine, find_client
from epee.errors import DataError, EmptyTable, WrongUse
from epee.risk import cross_validate
from epee.table.arrays import ArraySource
from epee.table.doors import open_source

N, P = 1200, 4


@pytest.fixture(scope="module")
def client():
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    codes = np.sort(rng.integers(0, 3, N))  # sorted: most partitions lack a class
    X = rng.normal(size=(N, P)) + 2 * rng.normal(size=(3, P))[codes] + [0, 1e4, 0, 0]
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["label"] = np.array(["u", "v", "w"])[codes]
    frame["value"] = X @ [1.0, 0.01, -1.0, 0.5] + rng.normal(size=N)
    return X, frame


def cut(frame, sizes):
    """Return a Dask frame with partitions of these sizes."""
    ends = np.cumsum(sizes)
    pieces = [dask.delayed(frame.iloc[i:j]) for i, j in zip([0, *ends[:-1]], ends)]
    return dd.from_delayed(pieces, meta=frame.iloc[:0], verify_meta=False)


SIZES = {"1": [N], "2": [500, 700], "7": [1, 0, 300, 0, 1, 399, 499], "first empty": [0, 600, 600]}


@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
def test_closed_forms_of_partitions(client, rows, sizes):
    X, frame = rows
    labels, values = frame["label"].to_numpy(), frame["value"].to_numpy()
    there = cut(frame[[*"abcd", "label"]], sizes)
    for model in (LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis(), GaussianNB()):
        ours, local = type(model)().fit(there, "label"), type(model)().fit(X, labels)
        np.testing.assert_allclose(ours.moments_.mean, local.moments_.mean, rtol=1e-13)
        np.testing.assert_allclose(ours.moments_.scatter, local.moments_.scatter, rtol=1e-12, atol=1e-9)
        np.testing.assert_allclose(
            ours.predict_proba(frame[list("abcd")]), local.predict_proba(X), rtol=1e-7, atol=1e-12
        )
    there = cut(frame[[*"abcd", "value"]], sizes)
    for model in (LinearRegression(), Ridge(2.0)):
        np.testing.assert_allclose(
            model.fit(there, "value").coef_, type(model)(**model.get_params()).fit(X, values).coef_, rtol=1e-10
        )
    there = cut(frame[list("abcd")], sizes)
    np.testing.assert_allclose(StandardScaler().fit(there).var_, X.var(axis=0), rtol=1e-12)
    np.testing.assert_allclose(PCA().fit(there).explained_variance_, PCA().fit(X).explained_variance_, rtol=1e-11)


def test_a_thousand_chunks_of_an_array(client, rows):
    X, _ = rows
    X = np.tile(X, (2, 1))[:2000]
    there = da.from_array(X, chunks=(2, P))
    assert there.numblocks[0] == 1000
    ours, local = PCA().fit(there), PCA().fit(X)
    np.testing.assert_allclose(ours.moments_.scatter, local.moments_.scatter, rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(ours.components_, local.components_, rtol=1e-9, atol=1e-12)


def test_iterative_methods_take_the_same_steps(client, rows):
    X, frame = rows
    wide, labelled = cut(frame[list("abcd")], SIZES["7"]), cut(frame[[*"abcd", "label"]], SIZES["7"])

    def both(make, *data):
        ours = make().fit(*data)
        with epee.engine("local"):
            return ours, make().fit(*data)

    a, b = both(lambda: KMeans(3, random_state=0), wide)
    assert a.n_iter_ == b.n_iter_
    np.testing.assert_allclose(a.cluster_centers_, b.cluster_centers_, rtol=1e-10)
    np.testing.assert_array_equal(a.labels_, b.labels_)
    a, b = both(lambda: KMeans(3, init=X[[0, 600, 1199]], max_iter=3, tol=0), wide)
    c = KMeans(3, init=X[[0, 600, 1199]], max_iter=3, tol=0).fit(X)  # the same steps as in memory, too
    np.testing.assert_allclose(a.cluster_centers_, c.cluster_centers_, rtol=1e-8)
    a, b = both(lambda: GaussianMixture(3, random_state=0), wide)
    assert a.n_iter_ == b.n_iter_
    np.testing.assert_allclose(a.means_, b.means_, rtol=1e-8)
    a, b = both(lambda: LogisticRegression(solver="newton"), labelled, "label")
    assert a.n_iter_[0] == b.n_iter_[0]
    np.testing.assert_allclose(a.coef_, b.coef_, rtol=1e-8)


@pytest.mark.parametrize("kind", ["parquet", "csv", "array"])
def test_files_and_arrays_on_a_cluster(client, rows, tmp_path, kind):
    X, frame = rows
    labels = frame["label"].to_numpy()
    data = {"parquet": (tmp_path / "t.parquet", "label"), "csv": (tmp_path / "t.csv", "label"), "array": (X, labels)}[
        kind
    ]
    frame[[*"abcd", "label"]].to_parquet(tmp_path / "t.parquet", row_group_size=97)
    frame[[*"abcd", "label"]].to_csv(tmp_path / "t.csv", index=False)
    local = LinearDiscriminantAnalysis().fit(X, labels)
    with epee.engine(client) as engine:
        assert isinstance(engine, DaskEngine)
        ours = LinearDiscriminantAnalysis().fit(*data)
        weights = np.arange(N) % 3 + 1.0
        beside = GaussianNB().fit(*data, sample_weight=weights)  # an array beside the table is cut with it
    np.testing.assert_allclose(ours.moments_.scatter, local.moments_.scatter, rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(beside.theta_, GaussianNB().fit(X, labels, sample_weight=weights).theta_, rtol=1e-12)


def test_sources_in_another_basis(client, rows, tmp_path):
    X, frame = rows
    small = frame[["a", "c", "value"]]
    small.to_parquet(tmp_path / "t.parquet", row_group_size=200)
    local = AdditiveSplines(dof=4).fit(tmp_path / "t.parquet", "value")
    curve = PolynomialRegression(3).fit(X[:, :1], frame["value"].to_numpy())
    with epee.engine(client):
        ours = AdditiveSplines(dof=4).fit(tmp_path / "t.parquet", "value")
        bent = PolynomialRegression(3).fit(X[:, :1], frame["value"].to_numpy())
    np.testing.assert_allclose(ours.predict(small[["a", "c"]]), local.predict(small[["a", "c"]]), rtol=1e-8)
    np.testing.assert_allclose(bent.predict(X[:, :1]), curve.predict(X[:, :1]), rtol=1e-8)


def test_categories_agree_across_partitions(client, rows):
    _, frame = rows
    mixed = pd.DataFrame({
        "town": pd.array(np.where(np.arange(N) < 5, "Apt", np.where(np.arange(N) % 2, "Lyon", "Nice")), dtype="string"),
        "size": np.where(np.arange(N) % 7 == 0, np.nan, frame["a"]), "label": frame["label"],
    })  # fmt: skip
    there = cut(mixed, [5, 600, N - 605])  # the first partition alone has Apt, and has no other town
    encoder, local = TableEncoder().fit(there, "label"), TableEncoder().fit(mixed.drop(columns="label"))
    assert list(encoder.get_feature_names_out()) == list(local.get_feature_names_out())
    np.testing.assert_allclose(encoder.fill_, local.fill_, rtol=1e-12)
    source = open_source(there, "label")
    ours = LinearDiscriminantAnalysis().fit(encoder.encoded(source), None)
    np.testing.assert_allclose(
        ours.moments_.mean,
        LinearDiscriminantAnalysis()
        .fit(local.transform(mixed.drop(columns="label")), mixed["label"].to_numpy())
        .moments_.mean,
        rtol=1e-11,
        atol=1e-15,  # the mean of a level that no row of the class has
    )
    full = mixed.dropna()
    a, b = (
        MixedNB().fit(cut(full, [400, len(full) - 400]), "label"),
        MixedNB().fit(full.drop(columns="label"), full["label"].to_numpy()),
    )
    np.testing.assert_allclose(
        a.predict_proba(full.drop(columns="label")), b.predict_proba(full.drop(columns="label")), rtol=1e-9
    )


def test_partitions_that_differ_are_named(client, rows):
    _, frame = rows
    a, b = frame[["a", "b"]].iloc[:600], frame[["a", "b"]].iloc[600:]
    meta = a.iloc[:0]
    for other, words in (
        (b.rename(columns={"b": "z"}), r"partition 1.*'b'"),
        (b.assign(b=b["b"].astype(str)), r"'b'.*partition 1"),
    ):
        bad = dd.from_delayed([dask.delayed(a), dask.delayed(other)], meta=meta, verify_meta=False)
        with pytest.raises(DataError, match=words):
            PCA().fit(bad)
    holes = dd.from_delayed([dask.delayed(a), dask.delayed(b.assign(a=np.nan))], meta=meta, verify_meta=False)
    with pytest.raises(DataError, match="contains NaN: column 'a'"):
        LinearRegression().fit(holes, "b")
    none = dd.from_delayed([dask.delayed(meta), dask.delayed(meta)], meta=meta, verify_meta=False)
    with pytest.raises(EmptyTable, match="0 sample"):
        PCA().fit(none)
    whole = dd.from_delayed([dask.delayed(a.astype({"b": "int64"})), dask.delayed(b)], meta=meta, verify_meta=False)
    np.testing.assert_allclose(PCA().fit(whole).mean_[1], np.r_[a["b"].astype("int64"), b["b"]].mean(), rtol=1e-12)


def test_a_fault_names_its_part(client, rows):
    X, _ = rows

    def fail(block):
        if block.X[0, 0] == X[700, 0]:
            raise ZeroDivisionError("no luck")
        return 1

    there = open_source(da.from_array(X, chunks=(100, P)))
    with pytest.raises(ZeroDivisionError, match="partition 7: no luck"):
        DaskEngine(client).reduce(there, fail)
    with pytest.raises(ZeroDivisionError, match="partition 7: no luck"):
        list(DaskEngine(client).map(there, fail))


def test_map_keeps_the_order_and_the_numbers_of_the_rows(client, rows):
    X, frame = rows
    there = open_source(cut(frame[list("abcd")], SIZES["7"]))
    found = list(DaskEngine(client).map(there, lambda block: (block.start, block.X[:, 0]), rows=130))
    np.testing.assert_array_equal(np.concatenate([x for _, x in found]), X[:, 0])
    assert [start for start, _ in found] == list(np.cumsum([0] + [len(x) for _, x in found])[:-1])


@pytest.mark.parametrize("loss", ["zero_one", "log"])
def test_cross_validation_on_a_cluster(client, rows, tmp_path, monkeypatch, loss):
    X, frame = rows
    labels = frame["label"].to_numpy()
    here = cross_validate(LinearDiscriminantAnalysis(), X, labels, folds=5, loss=loss)
    there = cross_validate(
        LinearDiscriminantAnalysis(), cut(frame[[*"abcd", "label"]], SIZES["7"]), "label", folds=5, loss=loss
    )
    np.testing.assert_allclose(there.per_fold, here.per_fold, rtol=1e-9)
    frame[[*"abcd", "label"]].to_parquet(tmp_path / "t.parquet", row_group_size=150)
    with epee.engine(client):
        files = cross_validate(LinearDiscriminantAnalysis(), tmp_path / "t.parquet", "label", folds=5, loss=loss)
    np.testing.assert_allclose(files.per_fold, here.per_fold, rtol=1e-9)


def test_merges_go_through_a_tree(client):
    seen = []

    def merge(a, b):
        seen.append((a, b))
        return a + b

    parts = list(dask_engine._in_groups(ArraySource(np.ones((70, 1))).parts(70)))
    assert [len(group) for group in parts] == [8] * 8 + [6]
    assert dask_engine.merge_parts([(1,), None, (2,), (3,)], merge) == (6,) and seen == [(1, 2), (3, 3)]
    assert dask_engine.merge_parts([None, None], merge) is None
    assert (
        DaskEngine(client).reduce(open_source(da.ones((70, 1), chunks=(1, 1))), lambda block: float(block.X.sum()))
        == 70
    )


def test_rows_travel_in_small_parts():
    parts = list(ArraySource(np.zeros((300_000, 10))).parts(2))
    assert all(part.heavy and part.payload.X.nbytes <= 4 << 20 for part in parts)
    assert sum(len(part.payload.X) for part in parts) == 300_000


def test_which_client(client, rows):
    assert find_client() is client
    assert engine_for(open_source(da.ones((4, 1)))).client is client
    address = client.scheduler.address
    with epee.engine(address) as engine:
        assert engine.client.scheduler.address == address
        assert engine.reduce(ArraySource(np.ones((5, 1))), len) == 5
    with pytest.raises(WrongUse, match="no Dask scheduler answers"), epee.engine("nowhere://x:1"):
        pass
    with pytest.raises(DataError, match="must be columns of it"):
        GaussianNB().fit(da.ones((4, 1)), np.array([0, 1, 0, 1]))


def test_binary_inputs(client, rows):
    X, frame = rows
    binary = (frame[list("abcd")] > frame[list("abcd")].mean()).astype(float).assign(label=frame["label"])
    ours = BernoulliNB().fit(cut(binary, [600, 600]), "label")
    np.testing.assert_allclose(
        ours.feature_log_prob_,
        BernoulliNB().fit(binary[list("abcd")].to_numpy(), binary["label"].to_numpy()).feature_log_prob_,
    )


def collections(X, frame, kind):
    """Return X, labels, values and weights as dask-ml users write them."""
    weights = np.arange(N) % 3 + 1.0
    labels, values = frame["label"], frame["value"]
    if kind == "array":
        cuts = ((500, 1, 699), (P,))
        beside = [
            da.from_array(np.asarray(a, dtype=None if a.dtype.kind == "f" else "U1"), chunks=cuts[:1])
            for a in (labels, values, weights)
        ]
        return da.from_array(X, chunks=cuts), *beside
    whole = cut(frame.assign(w=weights), SIZES["7"])
    return whole[list("abcd")], whole["label"], whole["value"], whole["w"]


@pytest.mark.parametrize("kind", ["array", "frame"])
def test_collections_beside_the_inputs(client, rows, kind):
    X, frame = rows
    there, labels, values, weights = collections(X, frame, kind)
    w = np.arange(N) % 3 + 1.0
    local = LinearDiscriminantAnalysis().fit(X, frame["label"].to_numpy())
    ours = LinearDiscriminantAnalysis().fit(there, labels)
    np.testing.assert_allclose(ours.moments_.scatter, local.moments_.scatter, rtol=1e-12, atol=1e-9)
    assert ours.n_features_in_ == P and ours.classes_.tolist() == ["u", "v", "w"]
    line, right = Ridge(2.0).fit(there, values, weights), Ridge(2.0).fit(X, frame["value"].to_numpy(), w)
    np.testing.assert_allclose(line.coef_, right.coef_, rtol=1e-10)
    found = cross_validate(Ridge(), there, values, folds=5, sample_weight=weights)
    same = cross_validate(Ridge(), X, frame["value"].to_numpy(), folds=5, sample_weight=w)
    np.testing.assert_allclose(found.per_fold, same.per_fold, rtol=1e-9)
    steps, same = (
        LogisticRegression(solver="newton", tol=1e-10).fit(*data) for data in ((there, labels), (X, frame["label"]))
    )
    np.testing.assert_allclose(steps.coef_, same.coef_, rtol=1e-6)


def test_several_targets_beside_the_inputs(client, rows):
    X, frame = rows
    Y = np.column_stack([frame["value"], X[:, 0] - X[:, 1]])
    ours = LinearRegression().fit(da.from_array(X, chunks=(300, 2)), da.from_array(Y, chunks=(300, 1)))
    np.testing.assert_allclose(ours.coef_, LinearRegression().fit(X, Y).coef_, rtol=1e-8, atol=1e-10)


def test_partitions_beside_that_do_not_match(client, rows):
    X, frame = rows
    there = da.from_array(X, chunks=(300, P))
    y = frame["value"].to_numpy()
    with pytest.raises(DataError, match=r"y has 2 partitions and X has 4.*y\.rechunk"):
        Ridge().fit(there, da.from_array(y, chunks=600))
    with pytest.raises(DataError, match="partition 1: X has 300 rows and y has 299"):
        Ridge().fit(there, da.from_array(y, chunks=((300, 299, 301, 300),)))
    frames = cut(frame[list("abcd")], [600, 600])
    with pytest.raises(DataError, match="partition 1: X has 600 rows and sample_weight has 500"):
        Ridge().fit(frames, cut(frame, [600, 600])["value"], cut(frame.iloc[:1100], [600, 500])["value"].abs())
    with pytest.raises(DataError, match="y has 3 partitions and X has 2"):
        Ridge().fit(frames, cut(frame, [500, 100, 600])["value"])


@pytest.mark.parametrize("kind", ["array", "frame"])
def test_answers_are_collections(client, rows, kind):
    X, frame = rows
    there, labels, values, _ = collections(X, frame, kind)
    here = X if kind == "array" else frame[list("abcd")]
    seen = []
    models = [
        (
            LinearDiscriminantAnalysis().fit(here, frame["label"]),
            ["predict", "predict_proba", "decision_function", "transform"],
        ),
        (LinearRegression().fit(here, frame["value"]), ["predict"]),
        (KMeans(3, random_state=0).fit(here), ["predict", "transform"]),
        (StandardScaler().fit(here), ["transform"]),
        (PCA(2).fit(here), ["transform"]),
        (GaussianMixture(2, random_state=0).fit(here), ["predict", "predict_proba", "score_samples"]),
        (TableEncoder().fit(here), ["transform"]),
    ]
    for model, names in models:
        for name in names:
            lazy, right = getattr(model, name)(there), np.asarray(getattr(model, name)(here))
            assert isinstance(lazy, da.Array if kind == "array" else dd.Series if right.ndim == 1 else dd.DataFrame)
            found = lazy.compute()
            if kind == "frame":
                assert found.index.equals(here.index)
            same = np.testing.assert_allclose if right.dtype.kind == "f" else np.testing.assert_array_equal
            same(np.asarray(found), right)
            seen.append(name)
    assert len(seen) == 13


MADE = []


def note(block):
    MADE.append(len(block))
    return block


def test_answers_wait_until_they_are_asked_for():
    X = np.random.default_rng(0).normal(size=(40, 2))
    model = LinearRegression().fit(X, X[:, 0])
    with dask.config.set(scheduler="synchronous"):
        lazy = model.predict(da.from_array(X, chunks=(10, 2)).map_blocks(note, dtype=float, meta=np.empty((0, 2))))
        assert not MADE
        model.fit(X, X[:, 1])  # the answers are those of the model as it was
        np.testing.assert_allclose(lazy[:10].compute(), X[:10, 0], atol=1e-12)
        assert sum(MADE) == 10
        frame = dd.from_pandas(pd.DataFrame(X, columns=["a", "b"]).assign(y=1.0), npartitions=3)
        named = LinearRegression().fit(pd.DataFrame(X, columns=["a", "b"]), X[:, 0])
        beside = frame.assign(p=named.predict(frame)).compute()  # a column that the model does not know stands beside
        np.testing.assert_allclose(beside["p"], X[:, 0], atol=1e-12)
        labels = LinearDiscriminantAnalysis().fit(frame[["a", "b"]].compute(), np.where(X[:, 0] > 0, "u", "v"))
        assert list(labels.predict_proba(frame).columns) == ["u", "v"]
