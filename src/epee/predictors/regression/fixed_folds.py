"""Folds given for each row, over any source: the rows are read in their order and never gathered.

Where scikit-learn's splitter decides by the number of rows alone, as its ``KFold`` does, a stream is only counted first; a
splitter that wants the targets gets them, and nothing else is kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.arrays import at_home
from epee.errors import DataError, WrongUse
from epee.moments.moments import Moments
from epee.table.arrays import ArraySource
from epee.table.block import Source
from epee.table.changes import Celled
from epee.table.elsewhere import ElsewhereSource
from epee.table.view import View
from epee.typing import Codes


def with_folds(source: Source, fold: Codes) -> Source:
    """Return the source with these folds; rows in memory stay an array.

    >>> source = with_folds(ArraySource(np.zeros((4, 1))), np.array([0, 1, 0, 1]))
    >>> [block.fold.tolist() for block in source.blocks(3)]
    [[0, 1, 0], [1]]
    """
    if isinstance(source, ElsewhereSource):
        return source.having(fold=fold)
    if isinstance(source, ArraySource):
        return ArraySource(source.X, source.y, source.weight, fold, None, source.names)
    return View(source, Celled(fold))


def row_count(source: Source) -> int:
    """Return how many rows there are, counted where nobody knows."""
    if source.n_rows is not None:
        return source.n_rows
    count = getattr(source, "count", None)
    return int(count()) if count is not None else sum(len(block) for block in source.blocks())


def route_to_splitter(model: Any, params: dict[str, Any]) -> dict[str, Any]:
    """Return what scikit-learn's metadata routing sends from ``fit`` to the splitter ``model.cv``: ``groups``, say."""
    if not params:
        return {}
    from sklearn import get_config
    from sklearn.utils.metadata_routing import process_routing

    if not get_config()["enable_metadata_routing"]:
        raise WrongUse(
            f"[{', '.join(params)}] are passed to fit, which is only supported if enable_metadata_routing=True is set using "
            "`sklearn.set_config`."
        )
    sent: dict[str, Any] = process_routing(model, "fit", **params).splitter.split
    return sent


def splitter_routing(model: Any) -> Any:
    """Return the routing of an estimator that has folds of its own: what is asked for ``fit``, and what its splitter asks for."""
    from sklearn.model_selection import check_cv
    from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping

    mapping = MethodMapping().add(caller="fit", callee="split")
    return MetadataRouter(owner=model).add_self_request(model).add(splitter=check_cv(model.cv), method_mapping=mapping)


def split_rows(cv: Any, source: Source, n: int, routed: dict[str, Any] | None = None) -> Any:
    """Return the splits of a scikit-learn splitter or of a number of folds, with what was routed; the inputs are not shown to it."""
    from sklearn.model_selection import KFold, ShuffleSplit, check_cv

    splitter = check_cv(cv)
    if isinstance(splitter, KFold | ShuffleSplit):
        return splitter.split(np.zeros((n, 1)))
    targets = [block.y for block in source.blocks()]
    y = None if any(part is None for part in targets) else np.concatenate([np.asarray(part) for part in targets])
    y = y[:, 0] if y is not None and y.ndim == 2 and y.shape[1] == 1 else y
    return splitter.split(np.zeros((n, 1)), y, **(routed or {}))


def refuse_empty_folds(m: Moments) -> None:
    """Say which fold has no weight: its error is not defined."""
    empty = np.flatnonzero(~(at_home(m.count) > 0))
    if len(empty):
        raise DataError(
            f"fold {int(empty[0])} of the cross-validation has rows of weight 0 only: its error is not defined. Shuffle the rows, drop "
            "those of weight 0, or give other folds."
        )
