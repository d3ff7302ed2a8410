"""Fitted estimators of every registered method on small tables, and what they answer."""

from __future__ import annotations

import io
import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.utils import get_tags

from epee.job.state import Reader, Writer

FOLDER = Path(__file__).parents[1] / "data" / "states"
RNG = np.random.default_rng(11)
ROWS = np.round(np.abs(RNG.normal(size=(30, 3))) + np.repeat([0.0, 1.0], 15)[:, None], 3)
LABELS = np.repeat(["ash", "oak"], 15)
VALUES = np.round(ROWS @ [1.0, -2.0, 0.5] + RNG.normal(size=30), 3)
COUNTS = ROWS.round()
OF_COUNTS = (
    "BernoulliNB",
    "CategoricalNB",
    "PoissonNB",
    "MultinomialNB",
    "ComplementNB",
    "MixedNB",
    "PoissonMixture",
    "BernoulliMixture",
)


def rows_for(method):
    """Return rows that a method can learn from."""
    if method.name == "TableEncoder":
        return pd.DataFrame({"size": ROWS[:, 0], "kind": np.array(["u", "v", "w"])[np.arange(30) % 3]})
    if method.name == "SmoothingSpline":
        return ROWS[:, :1]
    if method.name == "BernoulliMixture":
        return (ROWS > 1).astype(float)
    return COUNTS if method.name in OF_COUNTS else ROWS


def fitted(method):
    """Return a fitted estimator."""
    seed = {"random_state": 0} if "random_state" in method.example().get_params() else {}
    model, rows = method.example(**seed), rows_for(method)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if method.kind == "classifier":
            return model.fit(rows, LABELS)
        values = np.abs(VALUES) if get_tags(model).target_tags.positive_only else VALUES
        return (
            model.fit(rows, values)
            if method.kind in ("regressor", "predictor") or method.name == "SelectFeatures"
            else model.fit(rows)
        )


def answers(method, model):
    """Return all that a fitted estimator says of its rows, by the name of the method asked."""
    rows, found = rows_for(method), {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for ask in ("predict", "predict_proba", "transform", "score_samples"):
            if hasattr(model, ask):
                found[ask] = np.asarray(getattr(model, ask)(rows))
    for known in ("labels_", "embedding_"):
        if not found and hasattr(model, known):
            found[known] = getattr(model, known)
    return found


def to_bytes(model, said):
    """Return a compressed file of arrays and JSON."""
    writer, out = Writer(), io.BytesIO()
    state = json.dumps(writer.write(model), allow_nan=False).encode()
    said = {f"said/{name}": array.astype("U") if array.dtype.kind == "O" else array for name, array in said.items()}
    np.savez_compressed(
        out, state=np.frombuffer(state, np.uint8), **{f"at/{k}": v for k, v in writer.arrays.items()}, **said
    )
    return out.getvalue()


def from_file(path):
    """Return the estimator of a file, and what it said when it was written."""
    with np.load(path, allow_pickle=False) as file:
        members = {name: file[name] for name in file.files}
    arrays = {name.removeprefix("at/"): array for name, array in members.items() if name.startswith("at/")}
    said = {name.removeprefix("said/"): array for name, array in members.items() if name.startswith("said/")}
    return Reader(arrays).read(json.loads(members["state"].tobytes())), said
