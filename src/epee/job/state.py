"""A fitted predictor as plain data, and back: JSON values and arrays, no pickle.

A class is written by its public name and made again from its constructor parameters and its fitted attributes. Only the public
estimators of the package and a short list of their parts are known; any other name in a file is refused, and nothing of what a
file says is ever run or imported.
"""

from __future__ import annotations

import math
from importlib import import_module
from typing import Any

import numpy as np

from epee.errors import BadFile, WrongUse

MARK = "$"  # a dictionary with this key stands for something that JSON has no word for
SKIPPED = ("trace_",)  # how a descent went: long, and not needed to predict
PARTS = {
    "Moments": "epee.moments.moments",
    "ColumnMoments": "epee.moments.columns",
    "DiagonalGaussians": "epee.predictors.generative.gaussians",
    "FullGaussians": "epee.predictors.generative.gaussians",
    "Cholesky": "epee.solve.cholesky",
    "MinimumNorm": "epee.solve.minimum_norm",
    "ByTarget": "epee.predictors.regression.ridge",
    "RowFactor": "epee.predictors.regression.ridge",
    "RidgeSpectrum": "epee.solve.ridge_path",
    "Plan": "epee.predictors.trees.growth",
    "Tree": "epee.predictors.trees.structure",
    "PruningPath": "epee.predictors.trees.pruning",
    "Search": "epee.predictors.neighbours.search",
    "Metric": "epee.predictors.neighbours.metrics",
    "KTree": "epee.predictors.neighbours.search",
}


def estimator_class(name: str) -> type | None:
    """Return a public estimator of the package by its name, or None."""
    import epee

    place = epee._PLACES.get(name)
    found = getattr(epee, name, None) if place and name[:1].isupper() else None
    return found if isinstance(found, type) and hasattr(found, "get_params") else None


class Writer:
    """Turns objects into JSON values; arrays go to ``arrays`` by name."""

    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray] = {}
        self._seen: dict[int, str] = {}
        self._alive: list[Any] = []

    def write(self, value: Any) -> Any:
        """Return a JSON value."""
        if value is None or isinstance(value, bool | str):
            return value
        if type(value) is int:
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {MARK: "float", "value": repr(value)}
        if isinstance(value, np.ndarray):
            return self._array(value)
        if isinstance(value, np.generic):
            return {MARK: "scalar", "value": self._array(np.asarray(value))}
        if isinstance(value, slice):
            return {MARK: "slice", "value": [self.write(v) for v in (value.start, value.stop, value.step)]}
        if isinstance(value, list):
            return [self.write(v) for v in value]
        if isinstance(value, tuple):
            return {MARK: "tuple", "value": [self.write(v) for v in value]}
        if isinstance(value, dict):
            if all(isinstance(k, str) and k != MARK for k in value):
                return {k: self.write(v) for k, v in value.items()}
            return {MARK: "dict", "value": [[self.write(k), self.write(v)] for k, v in value.items()]}
        return self._object(value)

    def _array(self, array: np.ndarray) -> dict[str, Any]:
        if array.dtype.kind == "O":
            return {
                MARK: "objects",
                "shape": list(array.shape),
                "value": [self.write(v) for v in array.ravel().tolist()],
            }
        if array.dtype.kind not in "fiubU":
            raise WrongUse(f"an array of {array.dtype} cannot be saved.")
        name = self._seen.get(id(array))
        if name is None:
            name = f"{len(self.arrays)}.npy"
            self.arrays[name], self._seen[id(array)] = array, name
            self._alive.append(array)
        return {MARK: "array", "value": name}

    def _object(self, value: Any) -> dict[str, Any]:
        from sklearn.pipeline import Pipeline

        cls = type(value)
        if cls is Pipeline:
            return {MARK: "pipeline", "value": [[name, self.write(step)] for name, step in value.steps]}
        if cls.__name__ == "TableEncoder" and cls is estimator_class("TableEncoder"):
            return {MARK: "encoder", "value": self.write(value.to_state())}
        if cls is estimator_class(cls.__name__):
            known = value.get_params(deep=False)
            fitted = {k: self.write(v) for k, v in vars(value).items() if k not in known and k not in SKIPPED}
            return {
                MARK: "estimator", "class": cls.__name__, "parameters": {k: self.write(v) for k, v in known.items()}, "fitted": fitted,
            }  # fmt: skip
        if PARTS.get(cls.__name__) == cls.__module__:
            return {MARK: "part", "class": cls.__name__, "value": {k: self.write(v) for k, v in vars(value).items()}}
        raise WrongUse(
            f"a {cls.__module__}.{cls.__name__} cannot be saved: a file holds only predictors of épée, so that loading it runs no code. "
            "Keep it with the tools it came with, or choose among épée's own predictors."
        )


class Reader:
    """Turns JSON values and arrays back into objects."""

    def __init__(self, arrays: dict[str, np.ndarray]) -> None:
        self.arrays = arrays

    def read(self, value: Any) -> Any:
        """Return the object that a JSON value stands for."""
        if isinstance(value, list):
            return [self.read(v) for v in value]
        if not isinstance(value, dict):
            return value
        kind = value.get(MARK)
        if kind is None:
            return {k: self.read(v) for k, v in value.items()}
        inner: Any = value.get("value")
        if kind == "float":
            return float(inner)
        if kind == "array":
            return self.arrays[inner]
        if kind == "scalar":
            return self.read(inner)[()]
        if kind == "slice":
            return slice(*self.read(inner))
        if kind == "tuple":
            return tuple(self.read(inner))
        if kind == "dict":
            return {self.read(k): self.read(v) for k, v in inner}
        if kind == "objects":
            out: Any = np.empty(len(inner), dtype=object)
            out[:] = [self.read(v) for v in inner]
            return out.reshape(value["shape"])
        return self._object(kind, value, inner)

    def _object(self, kind: str, value: dict[str, Any], inner: Any) -> Any:
        from sklearn.pipeline import Pipeline

        if kind == "pipeline":
            return Pipeline([(str(name), self.read(step)) for name, step in inner])
        if kind == "encoder":
            from epee.table.encoder import TableEncoder

            return TableEncoder.from_state(self.read(inner))
        name = value.get("class")
        if kind == "estimator" and isinstance(name, str):
            cls = estimator_class(name)
            if cls is not None:
                made = cls(**{k: self.read(v) for k, v in value["parameters"].items()})
                vars(made).update({k: self.read(v) for k, v in value["fitted"].items()})
                return made
        if kind == "part" and isinstance(name, str) and name in PARTS:
            part = getattr(import_module(PARTS[name]), name)
            made = object.__new__(part)
            vars(made).update({k: self.read(v) for k, v in inner.items()})
            return made
        raise BadFile(f"it holds {name or kind!r}, which is not a part of épée that may be loaded.")
