"""A fitted predictor as plain data, and back: JSON values and arrays, no pickle.

Numbers, text, lists, dictionaries and arrays are written as they are. Everything else must be a method of the registry or one of its
parts, and says itself what it is made of (``to_state``, ``from_state``); any other name in a file is refused, and nothing of what
a file says is ever run or imported. A predictor of another library can only be pickled, and unpickling runs code: such a part is read
when it was asked for, and refused otherwise.
"""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from epee.errors import BadFile, WrongUse
from epee.estimator.protocol import Stateful
from epee.estimator.registry import saved_class
from epee.job.guest_names import see_current_folder
from epee.job.guests import Guest, class_name

MARK = "$"  # a dictionary with this key stands for something that JSON has no word for


class Writer:
    """Turns objects into JSON values; arrays go to ``arrays`` by name, pickled predictors of other libraries to ``pickles``."""

    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray] = {}
        self.pickles: dict[str, bytes] = {}
        self._seen: dict[int, str] = {}
        self._alive: list[Any] = []

    def write(self, value: Any) -> Any:
        """Return a JSON value."""
        if value is None or isinstance(value, bool | str) or type(value) is int:
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {MARK: "float", "value": repr(value)}
        if isinstance(value, np.ndarray):
            return self._array(value)
        if isinstance(value, np.generic):
            return {MARK: "scalar", "value": self._array(np.asarray(value))}
        if isinstance(value, slice):
            return {MARK: "slice", "value": self.write([value.start, value.stop, value.step])}
        if isinstance(value, list):
            return [self.write(v) for v in value]
        if isinstance(value, tuple):
            return {MARK: "tuple", "value": self.write(list(value))}
        if isinstance(value, dict):
            if all(isinstance(k, str) and k != MARK for k in value):
                return {k: self.write(v) for k, v in value.items()}
            return {MARK: "dict", "value": [[self.write(k), self.write(v)] for k, v in value.items()]}
        return self._object(value)

    def _array(self, array: np.ndarray) -> dict[str, Any]:
        if array.dtype.kind == "O":
            return {MARK: "objects", "shape": list(array.shape), "value": self.write(array.ravel().tolist())}
        if array.dtype.kind not in "fiubU":
            raise WrongUse(f"an array of {array.dtype} cannot be saved.")
        name = self._seen.get(id(array))
        if name is None:
            name = f"{len(self.arrays)}.npy"
            self.arrays[name], self._seen[id(array)] = array, name
            self._alive.append(array)
        return {MARK: "array", "value": name}

    def _object(self, value: Any) -> dict[str, Any]:
        cls = type(value)
        if cls is Pipeline:
            return {MARK: "pipeline", "value": [[name, self.write(step)] for name, step in value.steps]}
        if cls is Guest:
            return self._guest(value)
        if cls is saved_class(cls.__name__) and isinstance(value, Stateful):
            return {MARK: "state", "class": cls.__name__, "value": self.write(value.to_state())}
        raise WrongUse(
            f"a {cls.__module__}.{cls.__name__} cannot be saved: a file holds only predictors of épée, so that loading it runs no code. "
            "Keep it with the tools it came with, or choose among épée's own predictors."
        )

    def _guest(self, guest: Guest) -> dict[str, Any]:
        inner = guest.estimator_
        name = f"{len(self.pickles)}.pickle"
        try:
            self.pickles[name] = pickle.dumps(inner)
        except Exception as fault:
            name, why = class_name(inner), f"{type(fault).__name__}: {fault}"
            raise WrongUse(f"a {name} cannot be saved: it cannot be pickled ({why}).") from fault
        made = {MARK: "guest", "of": class_name(inner), "value": name, "columns": guest.n_features_in_}
        known = {"kind": guest.kind, "groups": [list(pair) for pair in guest.groups], "coded": guest.coded_}
        labels = {"classes": self.write(guest.classes_)} if guest.kind == "classifier" else {}
        return made | known | labels


class Reader:
    """Turns JSON values and arrays back into objects; ``pickles`` are read only where the file is ``trusted``."""

    def __init__(
        self, arrays: dict[str, np.ndarray], pickles: Mapping[str, bytes] | None = None, trusted: bool = False
    ) -> None:
        self.arrays, self.pickles, self.trusted = arrays, dict(pickles or {}), trusted

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
        if isinstance(kind, str) and kind in PLAIN:
            return PLAIN[kind](self, inner)
        if kind == "objects":
            out: Any = np.empty(len(inner), dtype=object)
            out[:] = self.read(inner)
            return out.reshape(value["shape"])
        return self._guest(value) if kind == "guest" else self._object(kind, value, inner)

    def _object(self, kind: str, value: dict[str, Any], inner: Any) -> Any:
        name = "TableEncoder" if kind == "encoder" else value.get("class")
        cls: Any = saved_class(name) if isinstance(name, str) else None
        if cls is None or kind not in ("state", *BEFORE_STATES):
            raise BadFile(f"it holds {name or kind!r}, which is not a part of épée that may be loaded.")
        return cls.from_state(self.read(BEFORE_STATES[kind](value) if kind in BEFORE_STATES else inner))

    def _guest(self, value: dict[str, Any]) -> Guest:
        if not self.trusted:
            raise BadFile(
                f"it holds {value['of']}, a predictor that is not épée's, and loading it runs code from the file. "
                "Where you know who wrote it: epee.load(..., trusted=True), or --trust."
            )
        see_current_folder()
        try:
            inner = pickle.loads(self.pickles[value["value"]])
        except Exception as fault:
            raise BadFile(
                f"it holds {value['of']}, which cannot be loaded here ({type(fault).__name__}: {fault}): install what it was learned with."
            ) from fault
        guest = Guest(inner, str(value["kind"]), value["groups"])
        guest.estimator_, guest.n_features_in_, guest.coded_ = inner, int(value["columns"]), bool(value["coded"])
        if guest.kind == "classifier":
            guest.classes_ = self.read(value["classes"])
        return guest


# what stands for something that JSON has no word for, and is no estimator of its own
PLAIN: dict[str, Callable[[Reader, Any], Any]] = {
    "float": lambda reader, inner: float(inner),
    "array": lambda reader, inner: reader.arrays[inner],
    "scalar": lambda reader, inner: reader.read(inner)[()],
    "slice": lambda reader, inner: slice(*reader.read(inner)),
    "tuple": lambda reader, inner: tuple(reader.read(inner)),
    "dict": lambda reader, inner: {reader.read(k): reader.read(v) for k, v in inner},
    "pipeline": lambda reader, inner: Pipeline([(str(name), reader.read(step)) for name, step in inner]),
}

# files of épée 0.1, from before estimators said their own state
BEFORE_STATES: dict[str, Any] = {
    "estimator": lambda old: {"version": 0, "parameters": old["parameters"], "fitted": old["fitted"]},
    "part": lambda old: {"version": 0, **old["value"]},
    "encoder": lambda old: old["value"],
}
