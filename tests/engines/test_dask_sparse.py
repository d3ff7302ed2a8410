"""Dask arrays of sparse blocks: the same answers as from the sparse matrix itself, whatever the partitions."""

from __future__ import annotations

from itertools import pairwise

import dask
import dask.array as da
import numpy as np
import pytest
from scipy import sparse

from epee import BernoulliNB, LinearRegression, LogisticRegression, MultinomialNB, Ridge
from epee.errors import DataError

rng = np.random.default_rng(0)
N, P = 240, 30
ROWS = sparse.random_array(
    (N, P), density=0.2, format="csr", rng=rng, data_sampler=lambda size: rng.integers(1, 5, size) + 0.0
)
Y = ROWS @ rng.normal(size=P) + rng.normal(size=N)
LABELS = np.where(np.median(Y) < Y, "yes", "no")
WEIGHT = rng.integers(0, 3, N).astype(float)


@pytest.fixture(scope="module")
def client():
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield client


def cut(sizes, known=True):
    """Return the rows as a Dask array of sparse blocks of these sizes."""
    ends = np.cumsum([0, *sizes])
    parts = [
        da.from_delayed(dask.delayed(ROWS[a:b]), shape=(b - a if known else np.nan, P), dtype=float, meta=ROWS[:0])
        for a, b in pairwise(ends)
    ]
    return da.concatenate(parts, axis=0)


SIZES = ([N], [100, 140], [1, 39, 60, 140])


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize(
    "model", [LinearRegression(), Ridge(2.0), MultinomialNB(), BernoulliNB(), LogisticRegression(tol=1e-8)], ids=repr
)
def test_any_partition_gives_the_answer_of_the_matrix(client, model, sizes):
    y = LABELS if hasattr(model, "predict_proba") else Y
    whole = type(model)(**model.get_params()).fit(ROWS, y, sample_weight=WEIGHT)
    chunks = (tuple(sizes),)
    far = type(model)(**model.get_params()).fit(
        cut(sizes), da.from_array(y, chunks=chunks), sample_weight=da.from_array(WEIGHT, chunks=chunks)
    )
    asked = "predict_proba" if hasattr(model, "predict_proba") else "predict"
    np.testing.assert_allclose(getattr(far, asked)(ROWS), getattr(whole, asked)(ROWS), rtol=1e-5, atol=1e-6)
    lazy = far.predict(cut(sizes))
    np.testing.assert_array_equal(lazy.compute(), far.predict(ROWS))


def test_what_does_not_fit_is_named(client):
    with pytest.raises(DataError, match="inconsistent numbers of samples"):
        Ridge().fit(cut([N]), Y[:-1])
    with pytest.raises(DataError, match="compute_chunk_sizes"):
        Ridge().fit(cut([100, 140], known=False), Y)
    far = Ridge().fit(cut([100, 140], known=False), da.from_array(Y, chunks=((100, 140),)))
    np.testing.assert_allclose(far.coef_, Ridge().fit(ROWS, Y).coef_, rtol=1e-8)
