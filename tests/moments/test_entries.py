"""Entries are the matrix that they stand for: of rows, moments and predictors."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from epee.moments.affine import Affine
from epee.moments.entries import Entries
from epee.moments.moments import Moments


def drawn(rng, samples=3, e=4, p=6):
    """Return random entries, every row with one to three, columns shared between rows."""
    takes = [np.sort(rng.choice(p, rng.integers(1, 4), replace=False)) for _ in range(e)]
    row = np.repeat(np.arange(e), [len(c) for c in takes])
    return Entries(row, np.concatenate(takes), rng.normal(size=(samples, len(row))), p)


@given(st.integers(0, 300))
def test_entries_act_as_their_matrix(seed):
    rng = np.random.default_rng(seed)
    one = drawn(rng)
    A = one.dense()
    assert A.shape == one.shape and A.ndim == one.ndim
    B = rng.normal(size=(3, 6, 6))
    S, v, coef, by = (
        B + B.swapaxes(1, 2),
        rng.normal(size=(3, 6)),
        rng.normal(size=(3, 5, 2, 4)),
        rng.normal(size=(3, 4)),
    )
    np.testing.assert_allclose(one.onto(v), np.einsum("tep,tp->te", A, v), atol=1e-12)
    np.testing.assert_allclose(one.before(coef), np.einsum("tvke,tep->tvkp", coef, A), atol=1e-12)
    np.testing.assert_allclose(one.around(S), A @ S @ A.swapaxes(1, 2), atol=1e-12)
    np.testing.assert_allclose(one.around_each(S), np.einsum("tep,tpq,teq->te", A, S, A), atol=1e-12)
    np.testing.assert_allclose(one.scaled(by).dense(), A * by[..., None], atol=1e-15)
    wider = one.beside(2)
    assert np.array_equal(wider.without(2).dense(), A)
    assert np.array_equal(wider.dense()[:, -2:, -2:], np.broadcast_to(np.eye(2), (3, 2, 2)))
    assert np.array_equal(one[1].dense(), A[1])


@given(st.integers(0, 100), st.sampled_from(["full", "pooled"]))
def test_moments_mapped_by_entries(seed, kind):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(60, 6)), rng.normal(size=60)
    m = Moments.of(X, y, fold=np.arange(60) % 3, group=rng.integers(0, 2, 60), folds=3, groups=2, scatter=kind)
    few = drawn(rng)
    b = rng.normal(size=(3, 4))
    by_entries, by_matrix = Affine(few, b), Affine(few.dense(), b)
    one, two = by_entries.of(m), by_matrix.of(m)
    np.testing.assert_allclose(one.mean, two.mean, atol=1e-12)
    np.testing.assert_allclose(one.scatter, two.scatter, atol=1e-11)
    whole = m.merge("group")
    for maps in (by_entries, by_matrix, Affine(rng.normal(size=(3, 6)), rng.normal(size=(3, 6)))):
        np.testing.assert_allclose(maps.of_each(whole).variances, maps.of(whole).variances, atol=1e-11)
        np.testing.assert_allclose(maps.of_each(whole).mean, maps.of(whole).mean, atol=1e-12)
    scale = Affine(rng.normal(size=(3, 4)), rng.normal(size=(3, 4)))
    np.testing.assert_allclose(by_entries.then(scale).of(m).scatter, scale.of(by_matrix.of(m)).scatter, atol=1e-11)
    np.testing.assert_allclose(by_entries.at(1).rows(X), by_matrix.at(1).rows(X), atol=1e-12)
