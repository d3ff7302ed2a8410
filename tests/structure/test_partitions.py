"""How many partitions there are, and what several have in common."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epee import KMeans, count_partitions, strong_forms


@given(st.integers(1, 40), st.integers(1, 42))
def test_recurrence(n, k):
    assert count_partitions(n, k) == k * count_partitions(n - 1, k) + count_partitions(n - 1, k - 1)


def test_known_values():
    assert count_partitions(0, 0) == 1 and count_partitions(5, 0) == 0 and count_partitions(3, 5) == 0
    assert all(count_partitions(n, 1) == count_partitions(n, n) == 1 for n in range(1, 30))
    assert count_partitions(10) == 115975
    assert count_partitions(20, 4) > 10**10 > count_partitions(20, 2)  # "exceeds 10^10 at n = 20": not for two classes
    assert count_partitions(100, 3) == (3**100 - 3 * 2**100 + 3) // 6  # exact, far beyond float64


def test_enumeration():
    def canonical(labels):
        seen = {}
        return tuple(seen.setdefault(v, len(seen)) for v in labels)

    for n in range(1, 7):
        found = {canonical(labels) for labels in product(range(n), repeat=n)}
        for k in range(1, n + 1):
            assert count_partitions(n, k) == sum(len(set(p)) == k for p in found)


@given(st.lists(st.lists(st.integers(0, 3), min_size=12, max_size=12), min_size=1, max_size=5))
def test_strong_forms_are_the_finest_common_classes(runs):
    forms = strong_forms(runs)
    runs = np.array(runs)
    for i in range(12):
        for j in range(12):
            assert (forms[i] == forms[j]) == (runs[:, i] == runs[:, j]).all()
    sizes = np.bincount(forms)
    assert (np.diff(sizes) <= 0).all() and (sizes > 0).all()


def test_strong_forms_of_fitted_models():
    X = np.random.default_rng(0).normal(size=(100, 2))
    runs = [KMeans(4, init="random", n_init=1, random_state=s).fit(X) for s in range(4)]
    forms = strong_forms(runs)
    for run in runs:  # finer than each
        assert all(len(np.unique(run.labels_[forms == f])) == 1 for f in np.unique(forms))


@pytest.mark.parametrize(
    ("n", "k", "name"), [(-1, 2, "n is -1"), (3, -1, "k is -1"), (2.5, 1, "n is 2.5"), (True, 1, "n is True")]
)
def test_bad_numbers(n, k, name):
    with pytest.raises(ValueError, match=name):
        count_partitions(n, k)


def test_bad_labelings():
    with pytest.raises(ValueError, match="there are no labelings"):
        strong_forms([])
    with pytest.raises(ValueError, match="labeling 1 has 2 rows and the first has 3"):
        strong_forms([[0, 0, 1], [0, 1]])
