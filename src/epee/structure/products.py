r"""Products of the inputs as new inputs: all monomials up to a degree.

.. math:: x \mapsto \Big( \prod_j x_j^{a_j} \Big)_{a_1 + \dots + a_p \le d}, \qquad \binom{p + d}{d} \text{ of them.}

A linear classifier on them is a quadratic (cubic, ...) classifier on the raw inputs. The map looks at one row at a time, so
a pipeline with it stays on the one-pass route.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations, combinations_with_replacement
from math import comb
from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from epee.errors import TooLarge, WrongUse
from epee.estimator.base import Transformer
from epee.structure.sparse_products import sparse_products
from epee.table.sparse import is_sparse
from epee.typing import Labels, Matrix

MOST = 2_000_000  # products that are listed
ROWS = 2048  # a block of rows whose products stay in the cache


class PolynomialFeatures(Transformer):
    r"""All products :math:`\prod_j x_j^{a_j}` of the inputs up to a degree.

    Parameters
    ----------
    degree : int or (int, int), default=2
        Largest :math:`\sum_j a_j`, or the smallest and the largest; columns grow as :math:`\binom{p + d}{d}`.
    interaction_only : bool, default=False
        Keep only products of distinct inputs.
    include_bias : bool, default=True
        Begin with the constant 1.
    order : {"C", "F"}, default="C"
        Layout of the result in memory.

    Attributes
    ----------
    powers_ : array (outputs, p)
        The exponents :math:`a`.
    n_output_features_ : int

    Notes
    -----
    One product for each new cell: a monomial is a shorter one times a column.

    References
    ----------
    Charvillat, *Apprentissage artificiel*, sections 1.2 and 8.1.3.

    Examples
    --------
    >>> PolynomialFeatures(2).fit_transform([[2.0, 3.0]])
    array([[1., 2., 3., 4., 6., 9.]])
    """

    state_parts = ("_kept", "_steps", "_n_products")

    row_wise = True
    _takes_sparse = True

    def __init__(
        self, degree: Any = 2, *, interaction_only: bool = False, include_bias: bool = True, order: str = "C"
    ) -> None:
        self.degree = degree
        self.interaction_only = interaction_only
        self.include_bias = include_bias
        self.order = order

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Count the products; the values of ``X`` do not matter."""
        rows = self._enter(X, reset=True)
        for name in ("powers_", "_kept", "_steps", "_n_products"):
            self.__dict__.pop(name, None)
        low, high = self._degrees()
        p = self.n_features_in_
        found = self._num_combinations(p, low, high, bool(self.interaction_only), bool(self.include_bias))
        if found > np.iinfo(np.intp).max:
            raise TooLarge(
                f"The output that would result from the current configuration would have {found} features which is too large to be "
                "indexed: lower the degree or select columns."
            )
        self.n_output_features_ = found
        if self._num_combinations(p, 0, high, bool(self.interaction_only), True) <= MOST:
            self._plan(p)
        elif not is_sparse(rows):  # of sparse rows only the products that are not 0 are ever made
            raise TooLarge(
                f"degree {self.degree} on {p} columns makes {found} products; lower the degree or select columns."
            )
        return self

    @staticmethod
    def _num_combinations(
        n_features: int, min_degree: int, max_degree: int, interaction_only: bool, include_bias: bool
    ) -> int:
        """Return the number of products, exactly."""
        n, degrees = int(n_features), range(max(1, min_degree), max_degree + 1)
        count = sum(comb(n, d) if interaction_only else comb(n + d - 1, d) for d in degrees)
        return count + int(include_bias)

    @staticmethod
    def _combinations(
        n_features: int, min_degree: int, max_degree: int, interaction_only: bool, include_bias: bool
    ) -> Iterator[tuple[int, ...]]:
        """Go over the columns of each product, by degree and then by their columns in order."""
        choose = combinations if interaction_only else combinations_with_replacement
        degrees = range(max(1, min_degree), max_degree + 1)
        products = chain.from_iterable(choose(range(n_features), d) for d in degrees)
        return chain([()], products) if include_bias else products

    def _degrees(self) -> tuple[int, int]:
        pair = (0, self.degree) if np.isscalar(self.degree) else tuple(self.degree)
        if len(pair) != 2:
            raise WrongUse(
                f"degree is {self.degree!r}; it must be a non-negative int or tuple (min_degree, max_degree)."
            )
        low, high = pair
        whole = all(isinstance(d, Real) and float(d).is_integer() for d in (low, high))
        if not (whole and 0 <= low <= high):
            raise WrongUse(
                f"degree is {self.degree!r}; it must be whole and at least 0, and degree=(min_degree, max_degree) must fulfil "
                "min_degree <= max_degree."
            )
        if high == 0 and not self.include_bias:
            which = "degree" if np.isscalar(self.degree) else "both min_degree and max_degree"
            raise WrongUse(f"Setting {which} to zero and include_bias to False would result in an empty output array.")
        return int(low), int(high)

    def _plan(self, p: int) -> None:
        """List the products, by degree and then by their columns in order."""
        low, high = self._degrees()
        sets = list(self._combinations(p, 0, high, bool(self.interaction_only), True))
        self._kept = np.array(
            [i for i, s in enumerate(sets) if (len(s) >= low and s) or (not s and self.include_bias)], dtype=np.intp
        )
        self.powers_ = np.array([np.bincount(sets[i], minlength=p) for i in self._kept], dtype=np.int64).reshape(-1, p)
        first = np.array([s[0] if s else 0 for s in sets])
        ends = np.searchsorted([len(s) for s in sets], np.arange(high + 2))  # where each degree begins
        self._steps = []  # products of degree d that begin with column j: x_j times the shorter ones from some place on
        for d in range(1, high + 1):
            low_part, here = slice(ends[d - 1], ends[d]), first[ends[d] : ends[d + 1]]
            for j in range(p):
                rows = ends[d] + np.searchsorted(here, [j, j + 1])
                if rows[1] > rows[0]:
                    start = low_part.stop - (rows[1] - rows[0])
                    self._steps.append((j, slice(start, low_part.stop), slice(*rows)))
        self._n_products = len(sets)

    def _transform(self, X: Matrix) -> Matrix:
        if is_sparse(X):
            return sparse_products(X, self._degrees(), self.include_bias, not self.interaction_only)
        if not hasattr(self, "powers_"):
            raise TooLarge(
                f"{self.n_output_features_} products are made of sparse rows alone: lower the degree or select columns."
            )
        out = np.empty((len(X), self.n_output_features_), dtype=X.dtype, order=self.order)  # type: ignore[call-overload]
        all_kept = self.n_output_features_ == self._n_products
        for i in range(0, len(X), ROWS):
            rows = X[i : i + ROWS]
            products = out[i : i + ROWS] if all_kept else np.empty((len(rows), self._n_products), dtype=X.dtype)
            products[:, 0] = 1.0
            for column, shorter, longer in self._steps:
                np.multiply(products[:, shorter], rows[:, column, None], out=products[:, longer])
            if not all_kept:
                out[i : i + ROWS] = products[:, self._kept]
        return out

    def transform(self, X: Any) -> Matrix:
        """Return the products of the columns of each row; of sparse rows in their own format."""
        Z: Any = super().transform(X)
        return Z.tocsc() if is_sparse(X) and X.format == "csc" else Z

    def get_feature_names_out(self, input_features: Any = None) -> Labels:
        """Return names such as ``x0^2 x1`` for the products."""
        check_is_fitted(self, "n_output_features_")
        if not hasattr(self, "powers_"):
            raise TooLarge(f"{self.n_output_features_} products are too many to be named one by one: select columns.")
        from sklearn.utils.validation import _check_feature_names_in

        names = _check_feature_names_in(self, input_features)
        words = [
            " ".join(f"{names[j]}^{a}" if a > 1 else str(names[j]) for j, a in enumerate(row) if a) or "1"
            for row in self.powers_
        ]
        return np.asarray(words, dtype=object)
