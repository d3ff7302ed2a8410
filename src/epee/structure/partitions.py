r"""Partitions: how many there are, and what several of them agree on.

The number of partitions of :math:`n` things into :math:`K` classes, none empty, is Stirling's number of the second kind,

.. math:: P(n, K) = \frac{1}{K!} \sum_{i=0}^K (-1)^{K-i} \binom{K}{i} i^n = K\,P(n-1, K) + P(n-1, K-1). \tag{1}

It grows so fast that no search can try them all. Runs of k-means from several starts differ; the rows that all of them put
together are the *strong forms*: the classes of the product of the partitions, which is finer than each.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import comb, factorial
from typing import Any

import numpy as np

from epee.errors import DataError, WrongUse
from epee.typing import Codes


def count_partitions(n: int, k: int | None = None) -> int:
    """Return the exact number of partitions of ``n`` things into ``k`` classes, or into any number of them.

    Parameters
    ----------
    n : int >= 0
    k : int >= 0 or None
        None adds over all k: Bell's number.

    Examples
    --------
    >>> count_partitions(4, 2), count_partitions(20, 3) > 10**8, count_partitions(4)
    (7, True, 15)
    """
    for name, value in (("n", n), ("k", k)):
        if value is None and name == "k":
            continue
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0:
            raise WrongUse(f"{name} is {value!r}; it must be a whole number of at least 0.")
    n = int(n)
    if k is None:
        return sum(count_partitions(n, j) for j in range(n + 1))
    k = int(k)
    return sum((-1) ** (k - i) * comb(k, i) * i**n for i in range(k + 1)) // factorial(k)


def strong_forms(labelings: Iterable[Any]) -> Codes:
    """Return the classes of rows that every labeling puts together.

    Parameters
    ----------
    labelings : sequence of labels (n,), an array (runs, n), or fitted clusterers with ``labels_``
        Runs of a clusterer on the same rows.

    Returns
    -------
    labels : array (n,) of int
        The class of each row; the class with most rows is 0.

    Examples
    --------
    >>> strong_forms([[0, 0, 1, 1, 1], [1, 1, 0, 0, 2]])
    array([0, 0, 1, 1, 2])
    """
    runs = [np.asarray(getattr(run, "labels_", run)).reshape(-1) for run in labelings]
    if not runs:
        raise DataError("there are no labelings: give at least one.")
    for t, run in enumerate(runs):
        if len(run) != len(runs[0]):
            raise DataError(
                f"labeling {t} has {len(run)} rows and the first has {len(runs[0])}: they must be of the same rows."
            )
    together = np.zeros(len(runs[0]), dtype=np.int64)
    for run in runs:
        codes = np.unique(run, return_inverse=True)[1].reshape(-1)
        together = np.unique(together * (codes.max(initial=0) + 1) + codes, return_inverse=True)[1].reshape(-1)
    sizes = np.bincount(together)
    first = np.full(len(sizes), len(together))
    np.minimum.at(first, together, np.arange(len(together)))
    place = np.empty(len(sizes), dtype=np.int64)
    place[np.lexsort((first, -sizes))] = np.arange(len(sizes))
    return place[together]
