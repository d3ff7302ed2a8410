"""How rows come in: one door for arrays, frames, sparse matrices, files, queries and clusters.

An estimator that reads its rows block by block, once or several times, says what it takes from them (:class:`Keep`: classes, targets
or neither) and gets them from :meth:`FromRows.rows_in` as a source. It never asks what kind of table it was given.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.engines.choice import sent
from epee.estimator.base import Estimator, values_there
from epee.estimator.keep import Keep
from epee.table.arrays import ArraySource
from epee.table.block import Source, check_weights
from epee.table.doors import coded, is_stream, open_source
from epee.table.elsewhere import ElsewhereSource
from epee.table.frames import taken_apart
from epee.table.sparse import SparseSource, is_sparse
from epee.typing import Codes, Labels


class FromRows(Estimator):
    """Brings the rows in."""

    keeps: Keep = Keep()
    classes_: Labels
    sums_there = True  # rows are summed on a device, where one was asked for

    def rows_in(
        self, X: Any, y: Any = None, sample_weight: Any = None, fold: Codes | None = None, *, reset: bool = True
    ) -> Source:
        """Return the checked rows as a source of blocks, as the sums see them."""
        X, y, sample_weight = taken_apart(X, y, sample_weight)
        if reset and self.keeps.targets:
            self._one_target = is_vector(y)
        X = sent(X) if self.sums_there else X
        if is_stream(X):
            return self._view(self._stream(X, y, sample_weight, fold, reset=reset), reset)
        X = self._enter(X, reset=reset, finite=False)
        n, names = X.shape[0], getattr(self, "feature_names_in_", None)
        group = None
        if self.keeps.group == "y":
            y, group = None, self._enter_target(y, n) if reset else self._known_codes(y, n)
        elif self.keeps.targets:
            y = self._enter_target(y, n)
        else:
            y = None
        w = check_weights(sample_weight, n)
        if group is not None and w is not None and reset:
            self._check_weighted_classes(group, w)
        source: Source = (SparseSource if is_sparse(X) else ArraySource)(X, y, w, fold, group, names)
        return self._view(source, reset)

    def _view(self, source: Source, reset: bool) -> Source:
        """Return the rows as the sums see them, in a basis for instance; ``reset`` at the first rows."""
        return source

    def _stream(self, X: Any, y: Any, sample_weight: Any, fold: Any, *, reset: bool) -> Source:
        source = self._enter_stream(open_source(X, y, sample_weight), reset=reset)
        if isinstance(source, ElsewhereSource):
            source = self._beside_elsewhere(source, fold)
        if self.keeps.group == "y":
            source, self.classes_ = coded(source, None if reset else self.classes_)
            self._check_classes(self.classes_, None)
        return source

    def _beside_elsewhere(self, source: ElsewhereSource, fold: Any) -> ElsewhereSource:
        """Return rows that lie elsewhere with their target checked, and with their folds."""
        y = source.y
        if self.keeps.targets and not values_there(y, source.n_rows, several=getattr(self, "_several_targets", False)):
            y = self._enter_target(y, source.n_rows)
        return source.having(y=y, fold=fold)

    def _known_codes(self, y: Any, n: int) -> Codes:
        raise TypeError(f"{type(self).__name__} has no classes.")


def is_vector(y: Any) -> bool:
    """Tell whether a target is one column: a vector, the name of a column, or what a source brings along.

    >>> is_vector([1.0, 2.0]), is_vector([[1.0], [2.0]]), is_vector("price")
    (True, False, True)
    """
    if y is None or isinstance(y, str):
        return True
    return int(y.ndim if hasattr(y, "ndim") else np.asarray(y).ndim) == 1
