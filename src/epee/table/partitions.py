"""What a fitted estimator answers for a collection on a cluster: a collection again, made when it is asked for, where the rows lie."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from copy import copy
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np

from epee.arrays import at_home, is_elsewhere, like, whole_products
from epee.table.frames import is_away, is_spark
from epee.table.spark_answers import of_spark

F = TypeVar("F", bound=Callable[..., Any])


def by_partition(method: F) -> F:
    """Let a method of a fitted estimator, which answers row by row, take a Dask collection or a Spark frame and return one, lazily.

    Rows stay where they are: each partition is answered for when somebody computes it, by the estimator as it is now. A Dask array
    gives an array, a data frame a series (a frame where there are several numbers a row) with the same index. A Spark frame, which has
    no index, comes back with the answers as columns beside its own: ``predict``, ``predict_proba_a``, ... For rows that lie elsewhere
    (:mod:`epee.arrays`) the answer is brought to them, unless it is made of words.
    """

    @wraps(method)
    def answer(self: Any, X: Any, *rest: Any, **options: Any) -> Any:
        if isinstance(X, np.ndarray):
            return method(self, X, *rest, **options)
        if is_elsewhere(X):
            rows = X if getattr(self, "answers_anywhere", False) else at_home(X)
            with whole_products(rows):
                return sent_back(method(self, rows, *rest, **options), X)
        if not is_away(X):
            return method(self, X, *rest, **options)
        asked = Answer(copy(self), method.__name__, rest, options)
        if is_spark(X):
            return of_spark(asked, X)
        return _of_frame(asked, X) if hasattr(X, "columns") else _of_array(asked, X)

    answer.answers_in_kind = True  # type: ignore[attr-defined]
    return cast(F, answer)


def in_kind(method: F, *, stays: bool = True) -> F:
    """Let a method of a fitted estimator answer for rows that lie elsewhere with arrays of their library, on their device.

    The rows come here first, unless the estimator answers anywhere and they may stay for this method.
    """

    @wraps(method)
    def answer(self: Any, X: Any = None, *rest: Any, **options: Any) -> Any:
        if X is None or isinstance(X, np.ndarray) or not is_elsewhere(X):
            return method(self, X, *rest, **options)
        rows = X if stays and getattr(self, "answers_anywhere", False) else at_home(X)
        with whole_products(rows):
            return sent_back(method(self, rows, *rest, **options), X)

    answer.answers_in_kind = True  # type: ignore[attr-defined]
    return cast(F, answer)


def sent_back(answer: Any, X: Any) -> Any:
    """Return an answer, or several, as arrays of the kind of ``X``; words stay as they are."""
    if not is_elsewhere(X):
        return answer
    if type(answer) is tuple:
        return tuple(sent_back(part, X) for part in answer)
    return like(answer, X) if isinstance(answer, np.ndarray) and answer.dtype.kind in "fiub" else answer


class Answer:
    """The answers of a model for one partition; an empty one has none."""

    def __init__(self, model: Any, name: str, rest: tuple[Any, ...], options: dict[str, Any]) -> None:
        self.model, self.name, self.rest, self.options = model, name, rest, options
        self.like: np.ndarray | None = None  # an answer of no rows

    def __call__(self, part: Any) -> np.ndarray:
        if not part.shape[0] and self.like is not None:
            return self.like
        return np.asarray(getattr(self.model, self.name)(part, *self.rest, **self.options))

    def shaped_by(self, few: Any) -> np.ndarray:
        """Find out by a few made-up rows what an answer looks like."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.like = self(few)[:0]
        return self.like

    def columns(self) -> list[Any]:
        """Return what to call several numbers a row: the classes, or the columns of a transformer."""
        assert self.like is not None
        if self.name == "transform" and hasattr(self.model, "get_feature_names_out"):
            return list(self.model.get_feature_names_out())
        classes = getattr(self.model, "classes_", ())
        return list(classes) if len(classes) == self.like.shape[1] else list(range(self.like.shape[1]))


def _of_array(answer: Answer, X: Any) -> Any:
    X = X.rechunk({1: -1})
    like = answer.shaped_by(np.ones((2, X.shape[1]), dtype=X.dtype))
    if like.ndim == 1:
        return X.map_blocks(answer, drop_axis=1, dtype=like.dtype, meta=like)
    return X.map_blocks(answer, chunks=(X.chunks[0], (like.shape[1],)), dtype=like.dtype, meta=like)


def _of_frame(answer: Answer, X: Any) -> Any:
    known = getattr(answer.model, "feature_names_in_", None)
    if known is not None and set(known) <= set(X.columns):  # others may stand beside them: the target, say
        X = X[list(known)]
    answer.shaped_by(X._meta_nonempty)
    return X.map_partitions(_as_pandas, answer, meta=_as_pandas(X._meta, answer))


def _as_pandas(part: Any, answer: Answer) -> Any:
    """Return the answers for a partition with its index."""
    import pandas as pd

    found = answer(part)
    if found.ndim == 1:
        return pd.Series(found, index=part.index, name=answer.name)
    return pd.DataFrame(found, index=part.index, columns=answer.columns())
