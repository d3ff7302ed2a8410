"""An affine map of moments is the moments of the mapped rows, for every kind of scatter and every axis."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epee.moments.affine import Affine
from epee.moments.moments import Moments


def rows(seed, n=40, p=4, targets=1):
    rng = np.random.default_rng(seed)
    X, Y = rng.normal(size=(n, p)) + 100, rng.normal(size=(n, targets))
    return X, Y, rng.integers(0, 3, n), rng.integers(0, 2, n), rng.uniform(0.5, 2, n)


def near(a, b):
    np.testing.assert_allclose(a.count, b.count)
    np.testing.assert_allclose(a.mean, b.mean, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(a.scatter, b.scatter, rtol=1e-7, atol=1e-7)


@given(st.integers(0, 200), st.sampled_from(["full", "pooled", "diagonal"]), st.booleans())
def test_moments_of_mapped_rows(seed, kind, weighted):
    X, Y, fold, group, w = rows(seed)
    w = w if weighted else None
    rng = np.random.default_rng(seed + 1)
    maps = Affine(rng.normal(size=(3, 4)), rng.normal(size=(3, 4)))
    m = Moments.of(X, Y, fold=fold, group=group, folds=3, groups=2, scatter=kind, sample_weight=w)
    mapped = maps.of(m)
    for t in range(3):
        own = fold == t
        there = Moments.of(
            maps.at(t).rows(X[own]), Y[own], group=group[own], groups=2, scatter=kind, sample_weight=None if w is None else w[own]
        )  # fmt: skip
        near(mapped.at("fold", t), there)


@given(st.integers(0, 200), st.sampled_from(["full", "pooled"]))
def test_matrices_mix_columns_and_targets_pass(seed, kind):
    X, Y, fold, group, _ = rows(seed)
    rng = np.random.default_rng(seed + 1)
    maps = Affine(rng.normal(size=(3, 2, 4)), rng.normal(size=(3, 2)))
    mapped = maps.of(Moments.of(X, Y, fold=fold, group=group, folds=3, groups=2, scatter=kind))
    assert mapped.targets == 1 and mapped.p == 2
    for t in range(3):
        own = fold == t
        near(
            mapped.at("fold", t),
            Moments.of(maps.at(t).rows(X[own]), Y[own], group=group[own], groups=2, scatter=kind),
        )


@given(st.integers(0, 200))
def test_a_diagonal_scatter_is_mapped_where_columns_exclude_each_other(seed):
    rng = np.random.default_rng(seed)
    x, there = rng.normal(size=60), rng.random(60) < 0.8
    level = np.eye(3)[rng.integers(0, 3, 60)]
    Z = np.column_stack([np.where(there, x, 0.0), ~there, level])
    A = np.array([[[1.0, 0.3, 0, 0, 0], [0, 0, 0, 1.0, 1.0]]])
    maps, fold = Affine(A, np.array([[5.0, 0.0]])), np.zeros(60, dtype=int)
    mapped = maps.of(Moments.of(Z, fold=fold, folds=1, scatter="diagonal"))
    near(mapped.at("fold", 0), Moments.of(maps.at(0).rows(Z), scatter="diagonal"))


@given(st.integers(0, 100), st.booleans(), st.booleans())
def test_one_after_the_other(seed, first_scales, second_scales):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(5, 4))
    one = Affine(rng.normal(size=(2, 4)) if first_scales else rng.normal(size=(2, 4, 4)), rng.normal(size=(2, 4)))
    two = Affine(
        rng.normal(size=(2, 4)) if second_scales else rng.normal(size=(2, 3, 4)),
        rng.normal(size=(2, 4 if second_scales else 3)),
    )
    both = one.then(two)
    for t in range(2):
        np.testing.assert_allclose(both.at(t).rows(X), two.at(t).rows(one.at(t).rows(X)), atol=1e-12)


@pytest.mark.parametrize("scales", [True, False])
@pytest.mark.parametrize("several", [(), (5,)])
def test_predictors_of_mapped_rows_are_predictors_of_the_rows(scales, several):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6, 4))
    maps = Affine(
        rng.normal(size=(3, 4)) if scales else rng.normal(size=(3, 2, 4)), rng.normal(size=(3, 4 if scales else 2))
    )
    e = maps.b.shape[1]
    coef, intercept = rng.normal(size=(3, *several, 2, e)), rng.normal(size=(3, *several, 2))
    before, level = maps.through(coef, intercept)
    for t in range(3):
        np.testing.assert_allclose(X @ before[t].swapaxes(-1, -2) + level[t][..., None, :],
                                   maps.at(t).rows(X) @ coef[t].swapaxes(-1, -2) + intercept[t][..., None, :], atol=1e-12)  # fmt: skip


def test_an_empty_cell_stays_empty():
    m = Moments.of(np.ones((3, 2)), fold=np.zeros(3, dtype=int), folds=2)
    mapped = Affine(np.full((2, 2), 2.0), np.full((2, 2), 7.0)).of(m)
    assert mapped.count.tolist() == [3, 0] and mapped.mean[1].tolist() == [0, 0] and mapped.mean[0].tolist() == [9, 9]
