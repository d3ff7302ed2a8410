"""The figures of an exploration, each as plain data for its card."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy import special

from epee.errors import DataError, EpeeWarning, WrongUse
from epee.job.findings.chance import fisher_interval
from epee.job.survey import PairSums, Survey
from epee.job.tallies import Numbers
from epee.moments.moments import Moments
from epee.risk.intervals import clopper_pearson, normal_quantile, t_interval
from epee.risk.paired_tests import holm
from epee.structure.cluster_choice import choose_clusters
from epee.structure.gaussian_mixture import GaussianMixture
from epee.structure.kmeans import KMeans
from epee.structure.mixture_choice import choose_components
from epee.structure.pca import PCA
from epee.table.raw import RawBlock
from epee.typing import Matrix, Vector

RATE = 0.01  # share of unlikely rows on a table of the fitted law
DRAWN = 600  # rows of a picture
CLUSTERED = 2000  # rows that clusters are sought on
SHOWN_PAIRS = 30
CRITERIA = ("gap", "stability", "silhouette")  # of the number of clusters


def column_facts(
    found: Survey, raw: RawBlock, name: str, kind: str, types: Mapping[str, str], level: float
) -> dict[str, Any]:
    """Return kind, holes, moments and distribution of one column: counts and moments of all rows, quantiles of those looked at."""
    n, told = found.tallies.n, found.tallies.columns[name]
    facts: dict[str, Any] = {"name": name, "role": "input", "note": "", "levels": [], "mean": None, "sd": None}
    if isinstance(told, Numbers):
        j = found.place[name]
        m, mean = float(found.columns.n[j]), float(found.columns.mean[j])
        there = raw.columns[name][np.isfinite(raw.columns[name])]
        facts |= {"kind": kind, "missing": told.missing, "distinct": len(np.unique(there))}
        if not len(there):
            return facts
        sd = float(np.sqrt(found.columns.variance[j] * m / (m - 1))) if m > 1 else 0.0
        ends = t_interval(mean, sd / np.sqrt(m), max(m - 1, 1), level)
        quartiles = np.quantile(there, [0, 0.25, 0.5, 0.75, 1])
        quartiles[0], quartiles[-1] = told.low, told.high
        z = (there - mean) / sd if sd > 0 else np.zeros(len(there))
        return facts | {
            "mean": mean, "sd": sd, "low": ends.low, "high": ends.high, "quartiles": quartiles, "skewness": float((z**3).mean()),
            "histogram": histogram(there, kind),
        }  # fmt: skip
    column = found.tallies.column(name, kind, types)
    counts = sorted((told.counts or {}).items(), key=lambda pair: (-pair[1], pair[0]))
    return facts | {
        "kind": column.kind, "missing": told.missing, "distinct": len(counts) if told.counts is not None else n - told.missing,
        "levels": [{"level": text, "rows": k} for text, k in counts[:12]] if column.kind != "text" else [],
    }  # fmt: skip


def histogram(x: np.ndarray, kind: str) -> dict[str, Any]:
    """Return edges and counts; the axis is logarithmic for a positive column that is strongly skewed."""
    values = np.unique(x)
    if len(values) <= 12:
        return {"edges": [], "values": values, "counts": [int((x == v).sum()) for v in values], "log": False}
    log = bool(kind == "number" and x.min() > 0 and _skew(x) > 2 and abs(_skew(np.log(x))) < 1)
    bins = int(np.clip(np.sqrt(len(x)), 8, 30))
    edges = np.geomspace(x.min(), x.max(), bins + 1) if log else np.linspace(x.min(), x.max(), bins + 1)
    counts = np.histogram(np.clip(x, edges[0], edges[-1]), edges)[0]
    return {"edges": edges, "values": [], "counts": counts, "log": log}


def _skew(x: np.ndarray) -> float:
    sd = x.std()
    return float((((x - x.mean()) / sd) ** 3).mean()) if sd > 0 else 0.0


def missing_facts(found: Survey, level: float) -> dict[str, Any]:
    """Return the share of missing cells of each column, and which are missing together."""
    n, told = found.tallies.n, found.tallies.columns
    names = list(told)
    columns: list[dict[str, Any]] = []
    for name in sorted((name for name in names if told[name].missing), key=lambda name: -told[name].missing):
        share = told[name].missing / n
        ends = clopper_pearson(share, n, level)
        columns.append({"column": name, "value": share, "low": ends.low, "high": ends.high, "rows": told[name].missing})
    order = {c["column"]: k for k, c in enumerate(columns)}
    patterns: list[dict[str, Any]] = []
    for key, rows in found.patterns.most_common(12) if columns else []:
        gone = np.unpackbits(np.frombuffer(key, dtype=np.uint8))[: len(names)]
        own = sorted((names[j] for j in np.flatnonzero(gone)), key=lambda name: order[name])
        patterns.append({"columns": own, "rows": rows})
    total = sum(c["rows"] for c in columns)
    whole = found.patterns[bytes(-(-len(names) // 8))]
    return {
        "cells": total, "share": total / max(n * len(names), 1), "rows": n - whole if columns else 0, "columns": columns,
        "patterns": patterns,
    }  # fmt: skip


def correlation_facts(pairs: PairSums, names: list[str], level: float) -> dict[str, Any] | None:
    """Return correlations on the rows where both cells are there, with Fisher's intervals."""
    p = len(names)
    if p < 2:
        return None
    R, n = pairs.correlation(), pairs.count
    i, j = np.triu_indices(p, 1)
    z = normal_quantile(level)
    z_values = np.arctanh(np.minimum(np.abs(R[i, j]), 1 - 1e-15)) * np.sqrt(np.maximum(n[i, j] - 3, 0))
    adjusted = holm(2 * special.ndtr(-z_values))
    shown = []
    for k in np.argsort(-np.abs(R[i, j]), kind="stable")[:SHOWN_PAIRS]:
        a, b = int(i[k]), int(j[k])
        ends = fisher_interval(R[a, b], n[a, b], z)
        shown.append({
            "a": names[a], "b": names[b], "value": R[a, b], "low": ends.low, "high": ends.high, "rows": int(n[a, b]),
            "p_value": adjusted[k],
        })  # fmt: skip
    return {"names": names[:40], "matrix": R[:40, :40], "pairs": shown, "tested": len(i)}


def scaled(X: Matrix, pairs: PairSums) -> Matrix:
    """Return rows centred and scaled by the moments of all rows, missing cells at the mean."""
    if not X.size:
        return X
    Z = (X - pairs.columns.mean) / np.sqrt(pairs.columns.variance)
    return np.where(np.isfinite(Z), Z, 0.0)


def axis_facts(
    Z: Matrix, pairs: PairSums, n: int, picked: np.ndarray, names: list[str], level: float, seed: int
) -> dict[str, Any] | None:  # fmt: skip
    """Return the principal axes of the scaled numbers of all rows, and where the rows looked at lie."""
    p = len(names)
    if p < 2 or n < 5:
        return None
    whole = Moments(np.array(float(n)), np.zeros(p), pairs.scaled_scatter(), np.zeros(p))
    pca = PCA(n_components=min(p, n - 1, 20)).fit_moments(whole)
    share = pca.explained_variance_ratio_
    half = normal_quantile(level) * share * np.sqrt(2 / n)
    rng = np.random.default_rng(seed)
    alone = np.full(len(share), 1 / p)
    if p <= 60:
        drawn = (np.cov(rng.normal(size=(min(n, 2000), p)), rowvar=False) for _ in range(10))
        noise = [np.sort(np.linalg.eigvalsh(S))[::-1] for S in drawn]
        alone = np.mean([v / v.sum() for v in noise], axis=0)[: len(share)]
    held = min(int(np.searchsorted(np.cumsum(share), 0.8) + 1), len(share))
    some = np.sort(rng.permutation(len(Z))[:DRAWN])
    scores = pca.transform(Z[some])[:, :2]
    loadings = pca.components_[:3].T * np.sqrt(pca.explained_variance_[:3])  # correlation of column and axis
    return {
        "share": share,
        "low": np.maximum(share - half, 0),
        "high": share + half,
        "alone": alone,
        "held": held,
        "held_share": float(np.cumsum(share)[held - 1]),
        "names": names,
        "loadings": np.clip(loadings, -1, 1),
        "scores": scores,
        "places": some,
        "rows": picked[some] + 1,
    }


def cluster_facts(Z: Matrix, names: list[str], axes: dict[str, Any] | None, seed: int) -> dict[str, Any] | None:
    """Return the number of clusters, their stability, sizes and marks."""
    some = _sought_on(Z, 30, seed)
    if some is None:
        return None
    asked: dict[str, Any] = {"criteria": list(CRITERIA), "references": 8, "resamples": 8, "random_state": seed}
    choice = _quietly(lambda: choose_clusters(some, KMeans(n_init=2), range(1, 7), **asked))
    if choice is None:
        return None
    parts = ("values", "score", "stderr", "chosen")
    criteria = {name: {part: getattr(c, part) for part in parts} for name, c in choice.criteria.items()}
    k = int(choice.chosen)
    labels = choice.best.predict(Z)
    largest_first = np.argsort(-np.bincount(labels, minlength=k), kind="stable")
    labels = np.argsort(largest_first)[labels]
    groups = []
    for g in range(k):
        own = labels == g
        mean = Z[own].mean(axis=0) if own.any() else np.zeros(Z.shape[1])
        groups.append({"rows": int(own.sum()), "marks": _marks(mean, names)})
    stability = criteria.get("stability")
    if stability is not None:
        stability = {"value": stability["score"][k - 1], "stderr": stability["stderr"][k - 1]}
    drawn = labels[axes["places"]] if axes is not None else []
    return {
        "chosen": k,
        "criteria": criteria,
        "groups": groups,
        "rows": len(some),
        "labels": drawn,
        "stability": stability,
    }


def _sought_on(Z: Matrix, fewest: int, seed: int) -> Matrix | None:
    """Return the rows that groups are sought on; None of too few, or of too few that differ."""
    n, p = Z.shape
    if p < 1 or n < fewest or len(np.unique(Z[:CLUSTERED], axis=0)) < 20:
        return None
    return Z[np.sort(np.random.default_rng(seed).permutation(n)[:CLUSTERED])]


def _quietly(work: Callable[[], Any]) -> Any:
    """Return what can be found, without a warning, or None where the rows do not allow it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EpeeWarning)
            return work()
    except (DataError, WrongUse):
        return None


def _marks(z: Vector, names: list[str]) -> list[dict[str, Any]]:
    """Return the three columns in which a point lies furthest from the middle of all rows."""
    return [{"column": names[j], "value": float(z[j])} for j in np.argsort(-np.abs(z), kind="stable")[:3]]


def mixture_facts(Z: Matrix, names: list[str], seed: int) -> dict[str, Any] | None:
    """Return a mixture of Gaussian laws: how many components by BIC, the share of each, what marks it, how surely rows belong to it."""
    some = _sought_on(Z, 50, seed)
    if some is None:
        return None
    p = Z.shape[1]
    form = "full" if p <= 20 and len(some) >= 10 * p else "diag"
    values = [k for k in range(1, 7) if k == 1 or len(some) >= 5 * p * k]
    law = GaussianMixture(covariance_type=form, reg_covar=1e-3, random_state=seed)
    choice = _quietly(lambda: choose_components(law, some, values, random_state=seed))
    if choice is None:
        return None
    belongs = choice.model.predict_proba(some)  # (n, k)
    sure, owner = belongs.max(axis=1), belongs.argmax(axis=1)
    groups = []
    for g in np.argsort(-choice.model.weights_, kind="stable"):
        groups.append({
            "weight": float(choice.model.weights_[g]), "sure": float(sure[owner == g].mean()) if (owner == g).any() else None,
            "marks": _marks(choice.model.means_[g], names),
        })  # fmt: skip
    bic = {"values": choice.values, "score": choice.scores, "stderr": choice.stderr, "chosen": choice.chosen}
    return {"chosen": int(choice.chosen), "covariance": form, "bic": bic, "groups": groups, "rows": len(some)}


def outlier_facts(
    Z: Matrix, picked: np.ndarray, names: list[str], clusters: dict[str, Any] | None, level: float, seed: int
) -> dict[str, Any] | None:
    """Return rows, among those looked at, whose density is below that of a known share of rows of the fitted law."""
    n, p = Z.shape
    k = 1 if clusters is None else clusters["chosen"]
    k = k if n >= 5 * p * k else 1
    if p < 1 or n < max(50, 5 * p):
        return None
    some = Z[np.sort(np.random.default_rng(seed).permutation(n)[:20_000])]
    law = GaussianMixture(k, reg_covar=1e-3, random_state=seed, n_init=1).fit(some)
    found = np.flatnonzero(law.outliers(Z, RATE, random_state=seed))
    density = law.score_samples(Z[found]) if len(found) else np.empty(0)
    least = found[np.argsort(density, kind="stable")][:15]
    rows = [{"row": int(picked[i]) + 1, "cells": _marks(Z[i], names)} for i in least]
    ends = clopper_pearson(len(found) / n, n, level)
    return {
        "rate": RATE,
        "count": len(found),
        "share": len(found) / n,
        "low": ends.low,
        "high": ends.high,
        "components": k,
        "rows": rows,
    }
