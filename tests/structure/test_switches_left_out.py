"""Rows of switches are flagged at the level that was asked, however few rows taught the mixture."""

import numpy as np
import pytest
from scipy.special import logsumexp

from epee import BernoulliMixture
from epee.structure.switches_left_out import MISSING, Taught


def flagged(n, K, tables, level, holes=0.0):
    """Return the share of new rows that are flagged, in each table."""
    out = []
    for seed in range(tables):
        rng = np.random.default_rng(seed)
        X, new = ((rng.random((many, 8)) < 0.3).astype(float) for many in (n, 500))
        if holes:
            X[rng.random(X.shape) < holes / 5], new[:, :2] = (
                np.nan,
                np.where(rng.random((500, 1)) < holes, np.nan, new[:, :2]),
            )
        out.append(BernoulliMixture(K, random_state=0).fit(X).outliers(new, level).mean())
    return np.array(out)


@pytest.mark.parametrize(
    ("n", "K", "level", "holes"), [(100, 1, 0.01, 0), (100, 3, 0.01, 0), (40, 2, 0.05, 0), (60, 2, 0.05, 0.3)]
)
def test_no_more_new_rows_are_flagged_than_was_asked(n, K, level, holes):
    found = flagged(n, K, 12, level, holes)
    assert found.mean() < level + 2.5 * found.std() / np.sqrt(len(found)) and found.mean() < 2 * level


def test_few_rows_flag_nothing_and_many_find_what_is_strange():
    rng = np.random.default_rng(0)
    strange = np.ones((1, 8))
    assert not BernoulliMixture().fit((rng.random((30, 8)) < 0.1).astype(float)).outliers(strange, 0.01).any()
    many = BernoulliMixture(2, random_state=0).fit((rng.random((300, 8)) < 0.1).astype(float))
    assert many.outliers(strange, 0.01).all() and not many.outliers(np.zeros((1, 8)), 0.01).any()
    assert many.outliers(np.where(np.arange(8) < 2, np.nan, strange), 0.01).all()


def test_a_row_left_out_of_one_law_is_a_fit_without_it():
    rng = np.random.default_rng(0)
    X = (rng.random((25, 4)) < 0.4).astype(float)
    found = Taught(X.astype(np.int8), np.ones(25), np.ones((25, 1))).left_out(np.ones((1, 4), dtype=bool))[:, 0]
    for i in (0, 7, 24):
        assert found[i] == pytest.approx(
            BernoulliMixture().fit(np.delete(X, i, axis=0)).score_samples(X[[i]])[0], abs=1e-6
        )


def test_a_row_left_out_of_a_mixture_is_a_climb_without_it():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.random((30, 6)) < 0.85, rng.random((30, 6)) < 0.15]).astype(float)
    fitted = BernoulliMixture(2, random_state=0, tol=1e-10).fit(X)
    left = Taught(X.astype(np.int8), np.ones(60), fitted.predict_proba(X)).left_out(np.ones((1, 6), dtype=bool))[:, 0]
    for i in (0, 40):
        own = BernoulliMixture(2, random_state=0, tol=1e-10).fit(np.delete(X, i, axis=0))
        assert left[i] == pytest.approx(own.score_samples(X[[i]])[0], abs=0.02)


def test_counts_are_copies_of_rows():
    rng = np.random.default_rng(0)
    X, w = (rng.random((40, 5)) < 0.3).astype(float), np.where(np.arange(40) < 20, 3.0, 1.0)
    new = (rng.random((200, 5)) < 0.5).astype(float)
    counted, copied = (
        BernoulliMixture().fit(X, sample_weight=w),
        BernoulliMixture().fit(np.repeat(X, w.astype(int), axis=0)),
    )
    assert np.array_equal(counted.outliers(new, 0.05), copied.outliers(new, 0.05))


def test_cells_that_a_row_lacks_are_not_judged_by_it():
    rows = np.array([[1, MISSING], [0, 1], [1, 1]], dtype=np.int8)
    found = Taught(rows, np.ones(3), np.ones((3, 1))).left_out(np.array([[True, True], [True, False]]))
    assert np.isnan(found[0, 0]) and np.isfinite(found[1:]).all() and np.isfinite(found[0, 1])
    assert found[1, 1] == pytest.approx(logsumexp([np.log(1e-10)]), abs=1e-6)  # the others all have this switch on
