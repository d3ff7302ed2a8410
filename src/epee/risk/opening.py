"""Which road a model takes on some rows: sums where they are enough, else a fit for each training sample."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags

from epee.arrays import is_elsewhere
from epee.engines.choice import sent
from epee.losses.names import resolve
from epee.risk.asked import Asked, kind_of
from epee.risk.refit import RefitRoute, truth_of
from epee.risk.route import MomentRoute, Route
from epee.risk.rows import Rows, per_row_passing
from epee.risk.steps import Steps, steps_of
from epee.risk.units import Weights, per_row
from epee.table.block import check_weights
from epee.table.doors import gather, is_stream, open_source
from epee.table.sparse import is_sparse


def open_route(
    model: Any, X: Any, y: Any, sample_weight: Any = None, loss: Any = None, weights: Weights | None = None
) -> Route:
    """Return the route of a model on some rows; ``weights`` is what the user says that theirs mean."""
    X = sent(X)
    parts = steps_of(model)
    if parts is None or not parts.keeps_moments:
        return RefitRoute(model, X, y, sample_weight, loss, weights=weights)
    if is_sparse(X) and not _stays_sparse(parts):
        return RefitRoute(model, X, y, sample_weight, loss, weights=weights)
    if is_stream(X):
        if parts.encoder is None and not parts.row_wise:
            passing = open_passing(model, parts, X, y, sample_weight, loss, weights)
            if passing is not None:
                return passing
        X, y, sample_weight = gather(open_source(X, y, sample_weight))
    route = open_held(model, parts, X, y, sample_weight, loss, weights)
    return route if route.fits else RefitRoute(model, X, y, sample_weight, loss, weights=weights)


def open_held(
    model: Any, parts: Steps, X: Any, y: Any, sample_weight: Any, loss: Any, weights: Weights | None = None
) -> MomentRoute:
    """Return the one-pass route on rows in memory."""
    n = int(X.shape[0]) if hasattr(X, "shape") else len(X)
    asked, truth = truth_of(model, y, n, loss)
    Z, encoder = X, None
    if parts.encoder is not None:
        encoder = clone(parts.encoder).plan(X)
        Z = np.concatenate([encoder.row_map(raw) for raw in encoder.open(X).raw_blocks()])
    for step in parts.row_wise:
        Z = clone(step).fit(Z).transform(Z)
    probe = clone(parts.last)
    weight, meaning = per_row(check_weights(sample_weight, n), weights)
    source = probe.rows_in(Z, y, weight)
    rows = Rows(source, asked.classes)
    rows.beside = truth, weight
    route = MomentRoute(model, rows, asked, probe, encoder, (X, y, weight))
    route.weights = meaning
    return route


def _stays_sparse(parts: Steps) -> bool:
    """Tell whether sums come from the cells that are held of sparse rows: no step would lay them out."""
    mapped = parts.encoder is not None or parts.row_wise or parts.affine
    return not mapped and bool(get_tags(parts.last).input_tags.sparse)


def open_passing(
    model: Any, parts: Steps, X: Any, y: Any, sample_weight: Any, loss: Any, weights: Weights | None = None
) -> MomentRoute | None:
    """Return the one-pass route on rows that stay where they are; None where their target is not what the estimator groups by."""
    kind, probe = kind_of(model), clone(parts.last)
    if (probe.keeps.group == "y") != (kind == "classifier"):
        return None
    if is_elsewhere(X):
        sample_weight, meaning = per_row(check_weights(sample_weight, int(X.shape[0])), weights)
        plain = open_source(X, y, sample_weight)
    else:
        plain, meaning = per_row_passing(open_source(X, y, sample_weight), weights)
    source = probe.rows_in(plain, y, sample_weight)
    classes = probe.classes_ if kind == "classifier" else None
    several = len(getattr(plain, "targets", ())) > 1
    asked = Asked(resolve(loss, kind), kind, classes, several)
    route = MomentRoute(model, Rows(source, classes), asked, probe, None, (X, y, sample_weight))
    route.weights = meaning
    return route if route.fits else None
