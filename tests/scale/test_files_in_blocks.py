"""Every method that lives on sums reads a file in blocks: any size of block gives the result of the rows in memory."""

from __future__ import annotations

import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pytest

import epee
from epee.estimator.moment import MomentEstimator
from epee.estimator.registry import METHODS
from epee.risk import cross_validate
from epee.table.block import Block
from epee.table.source import as_source

N = 240


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, N)
    X = rng.normal(size=(N, 3)) + codes[:, None]
    frame = pd.DataFrame(X, columns=list("abc")).assign(
        label=np.array(["u", "v"])[codes], value=X[:, 0] - X[:, 2] + rng.normal(size=N)
    )
    folder = tmp_path_factory.mktemp("blocks")
    frame.to_parquet(folder / "t.parquet", row_group_size=37)
    frame.to_csv(folder / "t.csv", index=False)
    return folder, X, frame


def moment_estimators():
    return [m for m in METHODS if issubclass(m.load(), MomentEstimator)]


@pytest.mark.parametrize("method", moment_estimators(), ids=lambda method: method.name)
def test_any_block_gives_the_same_predictor(table, method):
    folder, X, frame = table
    cls = method.load()
    X = (
        np.abs(X) // 0.5
        if cls.__name__ in ("PoissonNB", "CategoricalNB", "MultinomialNB", "ComplementNB")
        else (X > 0.5) * 1.0
        if cls.__name__ == "BernoulliNB"
        else X
    )
    target = {"classifier": "label", "regressor": "value"}.get(method.kind)
    path = folder / f"{cls.__name__}.parquet"
    pd.DataFrame(X, columns=list("abc")).assign(label=frame["label"], value=frame["value"]).to_parquet(
        path, row_group_size=37
    )
    y = None if target is None else frame[target].to_numpy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        local = cls(**method.arguments).fit(X, y)
        ours = cls(**method.arguments).fit(as_source(path, target, columns=list("abc"), block_rows=5), None)
    new = pd.DataFrame(X, columns=list("abc")) if hasattr(ours, "feature_names_in_") else X
    if hasattr(local, "predict"):
        mine, theirs = ours.predict(new), local.predict(X)
        if theirs.dtype.kind == "f":
            np.testing.assert_allclose(mine, theirs, rtol=1e-7, atol=1e-9)
        else:
            assert (mine == theirs).mean() > 0.99
    else:
        mine = np.abs(np.asarray(ours.transform(new)))
        np.testing.assert_allclose(mine, np.abs(local.transform(X)), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("kind", ["parquet", "csv"])
@pytest.mark.parametrize("rows", [1, 7, 100_000])
def test_iterative_methods_and_their_passes(table, kind, rows):
    folder, X, frame = table

    def source(target=None):
        return as_source(folder / f"t.{kind}", target, columns=list("abc"), block_rows=rows)

    start = X[:2]
    km, local = (epee.KMeans(2, init=start, max_iter=4, tol=0).fit(data) for data in (source(), X))
    assert km.n_iter_ == local.n_iter_ and km.n_iter_ >= 1
    np.testing.assert_allclose(km.cluster_centers_, local.cluster_centers_, rtol=1e-8)
    gm = epee.GaussianMixture(2, random_state=0).fit(source())
    assert gm.n_iter_ >= 1 and gm.converged_
    lr = epee.LogisticRegression(solver="newton", tol=1e-10).fit(source("label"), None)
    assert lr.n_iter_[0] >= 1
    np.testing.assert_allclose(
        lr.coef_, epee.LogisticRegression(solver="newton", tol=1e-10).fit(X, frame["label"].to_numpy()).coef_, rtol=1e-6
    )


def test_the_encoder_reads_blocks(table):
    folder, _, frame = table
    source = as_source(folder / "t.csv", "value", block_rows=11)
    encoder, local = (epee.TableEncoder(drop="first").fit(table) for table in (source, frame.drop(columns="value")))
    np.testing.assert_allclose(encoder.fill_, local.fill_, rtol=1e-12)
    line = epee.LinearRegression().fit(encoder.encoded(source), None)
    assert line.coef_.shape == (4,)


class Endless:
    """Rows made when they are asked for: a table larger than what may be held."""

    names = None

    def __init__(self, n, p):
        self.n_rows, self.n_columns = n, p

    @property
    def origin(self):
        return np.zeros(self.n_columns)

    def blocks(self, rows=None):
        for i in range(0, self.n_rows, 4096):  # the same rows at every pass, however many are asked for at a time
            n = min(4096, self.n_rows - i)
            X = np.random.default_rng(i).normal(size=(n, self.n_columns))
            yield Block(X, X[:, 0] > 0.3 * X[:, 1] if self.labelled else X.sum(axis=1) + X[:, 0] ** 2, start=i)

    labelled = False


@pytest.mark.parametrize("job", ["fit", "classes", "values"])
def test_memory_is_bounded_by_the_block(monkeypatch, job):
    source = Endless(2_000_000, 10)  # 160 MB, and 16 MB for one number a row
    source.labelled = job == "classes"
    run = {
        "fit": lambda s: epee.LinearRegression().fit(s, None),
        "classes": lambda s: cross_validate(epee.LinearDiscriminantAnalysis(), s, None, folds=5, loss="log"),
        "values": lambda s: cross_validate(epee.Ridge(), s, None, folds=5, loss="absolute"),
    }[job]
    small = Endless(40_000, 10)
    small.labelled = source.labelled
    run(small)  # what is imported and compiled is not counted
    tracemalloc.start()
    try:
        found = run(source)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 14_000_000, f"{peak:,} bytes"
    assert job == "fit" or found.n == 2_000_000
