r"""How many clusters?

Four answers, each with an error bar. With :math:`a_i` the mean distance of row :math:`i` to its own cluster and :math:`b_i` to
the nearest other one,

- *silhouette*: the mean of :math:`s_i = (b_i - a_i) / \max(a_i, b_i)`, largest; its error is that of a mean over rows;
- *gap*: :math:`\mathrm{Gap}(k) = \frac1B \sum_b \log W_k^{*b} - \log W_k`, where :math:`W_k` is the sum of squares within clusters and
  :math:`W_k^{*b}` that of rows drawn uniformly in the box of the principal axes; the smallest :math:`k` with
  :math:`\mathrm{Gap}(k) \ge \mathrm{Gap}(k+1) - s_{k+1}`, :math:`s = \mathrm{sd} \sqrt{1 + 1/B}`. It may answer 1;
- *stability*: the adjusted Rand index of two fits to overlapping halves, on the rows they share; the largest :math:`k` within
  one standard error of the best, since a coarse partition is easily stable;
- *bic*: :math:`-2 \log L + m \log n`, smallest, where the model is a density; its error is that of the difference to the best,
  row by row.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone

from epee.errors import DataError, WrongUse
from epee.lazy import drawn
from epee.moments.moments import Moments
from epee.settings import progress
from epee.structure.kmeans_starts import as_generator, check_count
from epee.structure.kmedoids import between
from epee.table.block import refuse_bad_cells
from epee.table.doors import gather, is_stream, open_source
from epee.typing import Codes, Matrix, Seed, Vector

CRITERIA = ("silhouette", "gap", "stability", "bic")


@dataclass(frozen=True)
class Criterion:
    """One criterion over the values tried: scores, standard errors, the value it chooses, and whether larger is better."""

    name: str
    values: Codes
    score: Vector
    stderr: Vector
    chosen: int
    larger_is_better: bool = True

    def __str__(self) -> str:
        i = int(np.flatnonzero(self.values == self.chosen)[0])
        return f"{self.name}: {self.chosen} ({self.score[i]:.4g} ± {self.stderr[i]:.2g})"


@dataclass(frozen=True)
class ClusterChoice:
    """What :func:`choose_clusters` found.

    Attributes
    ----------
    values : array
        The numbers of clusters tried.
    criteria : dict of Criterion
    chosen : int
        The choice of the first criterion.
    models : list
        The model fitted with each value.
    best : estimator
        The model fitted with the chosen value.
    """

    values: Codes
    criteria: dict[str, Criterion]
    models: list[Any] = field(repr=False)

    @property
    def chosen(self) -> int:
        """The choice of the first criterion."""
        return next(iter(self.criteria.values())).chosen

    @property
    def best(self) -> Any:
        """The model fitted with the chosen value."""
        return self.models[int(np.flatnonzero(self.values == self.chosen)[0])]

    def __str__(self) -> str:
        return "\n".join(str(c) for c in self.criteria.values())

    plot = drawn(
        "clusters.plot_choice",
        "Draw each criterion against the number of clusters, with error bars; ``ax`` may be as many axes as criteria.",
    )


def choose_clusters(
    X: Any, model: Any, values: Iterable[int], *, criteria: Sequence[str] | str | None = None, parameter: str | None = None,
    references: int = 20, resamples: int = 20, rows: int = 5000, random_state: Seed = None,
) -> ClusterChoice:  # fmt: skip
    """Fit a model with each number of clusters and say which one each criterion chooses, with error bars.

    Parameters
    ----------
    X : array (n, p), frame, path or source
    model : estimator
        A clusterer, or a density with ``bic`` and ``predict``; it is cloned.
    values : sequence of int
        Numbers of clusters to try.
    criteria : names among "silhouette", "gap", "stability", "bic", or None
        The first one decides. None is bic first where the model has it, then silhouette, gap and stability.
    parameter : str, optional
        Parameter of the model that takes the values; "n_clusters" or "n_components" is found by itself.
    references : int, default=20
        Uniform samples B of the gap statistic; more narrow its error.
    resamples : int, default=20
        Pairs of overlapping halves for the stability.
    rows : int, default=5000
        A larger table is replaced by a random sample of so many rows.
    random_state : int, RandomState, Generator or None
        Seed of all the draws, and of the models that have none.

    Returns
    -------
    choice : ClusterChoice
        ``.chosen``, ``.criteria[name].score``, ``.stderr``, ``.chosen``, ``.best`` and ``.plot()``.

    Notes
    -----
    Fits ``len(values) * (1 + references + 2 resamples)`` models; the silhouette needs distances from 2,000 rows at most to all.

    References
    ----------
    Tibshirani, Walther and Hastie, Estimating the number of clusters via the gap statistic, 2001; Hastie, Tibshirani and Friedman, *The
    Elements of Statistical Learning*, section 14.3.11.

    Examples
    --------
    >>> from epee import KMeans
    >>> rng = np.random.default_rng(0)
    >>> X = np.repeat([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]], 30, axis=0) + rng.normal(size=(90, 2))
    >>> choose_clusters(X, KMeans(n_init=3), range(1, 6), criteria=["gap", "silhouette"], random_state=0).chosen
    3
    """
    rng = as_generator(random_state)
    X = _rows(X, check_count(rows, "rows"), rng)
    tried = np.array([check_count(k, "each of values") for k in values], dtype=np.intp)
    if not len(tried):
        raise WrongUse("values is empty: give the numbers of clusters to try.")
    if len(np.unique(tried)) < len(tried):
        raise WrongUse(f"values holds a number twice: {tried.tolist()}.")
    if tried.max() > len(X):
        raise DataError(f"values asks for {tried.max()} clusters of {len(X)} rows (n_samples={len(X)}): ask for fewer.")
    tried = np.sort(tried)
    name = _parameter(model, parameter)
    wanted = _criteria(model, criteria)
    fits = len(tried) * (1 + ("gap" in wanted) * references + 2 * ("stability" in wanted) * resamples)
    with progress("choosing the number of clusters", fits) as tick:

        def fit(k: int, rows: Matrix) -> tuple[Any, Codes]:
            new = clone(model).set_params(**{name: int(k)})
            if "random_state" in new.get_params() and new.get_params()["random_state"] is None:
                new.set_params(random_state=int(rng.integers(2**31)))
            new.fit(rows)
            tick()
            return new, labels_of(new, rows)

        models, labels = zip(*(fit(k, X) for k in tried))
        found = {}
        for criterion in wanted:
            if criterion == "silhouette":
                found[criterion] = _silhouette(X, tried, labels, rng)
            elif criterion == "gap":
                found[criterion] = _gap(X, tried, labels, fit, references, rng)
            elif criterion == "stability":
                found[criterion] = _stability(X, tried, fit, resamples, rng)
            else:
                found[criterion] = _bic(X, tried, models)
    return ClusterChoice(tried, found, list(models))


def _rows(X: Any, most: int, rng: np.random.Generator) -> Matrix:
    X = gather(open_source(X))[0] if is_stream(X) else np.asarray(X, dtype=np.float64)
    if X.ndim != 2 or len(X) < 2:
        raise DataError(f"X must hold at least 2 rows of numbers; it has shape {X.shape}.")
    refuse_bad_cells(X)
    return X if len(X) <= most else X[np.sort(rng.choice(len(X), most, replace=False))]


def _parameter(model: Any, name: str | None) -> str:
    known = model.get_params()
    for candidate in ("n_clusters", "n_components") if name is None else (name,):
        if candidate in known:
            return candidate
    raise WrongUse(
        f"{type(model).__name__} has no parameter {name or 'n_clusters or n_components'}; name the one that takes the values."
    )


def _criteria(model: Any, criteria: Sequence[str] | str | None) -> list[str]:
    if criteria is None:
        return (["bic"] if hasattr(model, "bic") else []) + ["silhouette", "gap", "stability"]
    wanted = [criteria] if isinstance(criteria, str) else list(criteria)
    for c in wanted:
        if c not in CRITERIA:
            raise WrongUse(f"criterion {c!r} is not one of {', '.join(CRITERIA)}.")
        if c == "bic" and not hasattr(model, "bic"):
            raise WrongUse(
                f"{type(model).__name__} has no bic: it is not a density. Choose among {', '.join(CRITERIA[:3])}."
            )
    if not wanted:
        raise WrongUse(f"criteria is empty; choose among {', '.join(CRITERIA)}.")
    return wanted


def labels_of(model: Any, X: Matrix) -> Codes:
    """Return the clusters that a fitted model gives to the rows it was fitted on."""
    return np.asarray(model.labels_ if hasattr(model, "labels_") else model.predict(X))


def silhouettes(X: Matrix, labels: Codes, at: Codes | None = None) -> Vector:
    """Return s of the rows ``at`` (all by default): 0 for a row alone in its cluster, and for one cluster.

    >>> silhouettes(np.array([[0.0], [1.0], [10.0], [11.0]]), np.array([0, 0, 1, 1])).round(3)
    array([0.905, 0.895, 0.895, 0.905])
    """
    at = np.arange(len(X)) if at is None else at
    _, codes = np.unique(labels, return_inverse=True)
    codes = codes.reshape(-1)
    count = np.bincount(codes)
    if len(count) == 1:
        return np.zeros(len(at))
    member = np.zeros((len(X), len(count)))
    member[np.arange(len(X)), codes] = 1.0
    out = np.empty(len(at))
    for low in range(0, len(at), 256):
        rows = at[low : low + 256]
        sums = between(X[rows], X, "euclidean") @ member  # (rows, K)
        own, i = codes[rows], np.arange(len(rows))
        a = sums[i, own] / np.maximum(count[own] - 1, 1)
        mean = sums / count
        mean[i, own] = np.inf
        b = mean.min(axis=1)
        top = np.maximum(a, b)
        s = np.where(top > 0, (b - a) / np.where(top > 0, top, 1.0), 0.0)
        out[low : low + 256] = np.where(count[own] > 1, s, 0.0)
    return out


def _silhouette(X: Matrix, tried: Codes, labels: Sequence[Codes], rng: np.random.Generator) -> Criterion:
    at = np.sort(rng.choice(len(X), min(len(X), 2000), replace=False))
    s = np.array([silhouettes(X, labels[t], at) for t in range(len(tried))])  # (values, rows)
    score, stderr = s.mean(axis=1), s.std(axis=1, ddof=1) / np.sqrt(len(at))
    return Criterion("silhouette", tried, score, stderr, int(tried[np.argmax(score)]))


def within(X: Matrix, labels: Codes) -> float:
    """Return the sum of squares within clusters.

    >>> within(np.array([[0.0], [2.0], [7.0]]), np.array([0, 0, 1]))
    2.0
    """
    codes = np.unique(labels, return_inverse=True)[1].reshape(-1)
    m = Moments.of(X, group=codes, scatter="diagonal")
    assert m.scatter is not None
    return float(m.scatter.sum())


def _gap(
    X: Matrix, tried: Codes, labels: Sequence[Codes], fit: Any, references: int, rng: np.random.Generator
) -> Criterion:
    B = check_count(references, "references")
    centre = X.mean(axis=0)
    axes = np.linalg.svd(X - centre, full_matrices=False)[2]  # (q, p)
    scores = (X - centre) @ axes.T
    low, high = scores.min(axis=0), scores.max(axis=0)
    tiny = 1e-12 * max(float((scores**2).sum()), 1e-300)  # as many clusters as rows leave nothing within
    logs = np.empty((B, len(tried)))
    for b in range(B):
        sample = rng.uniform(low, high, size=scores.shape) @ axes + centre
        logs[b] = [np.log(max(within(sample, fit(k, sample)[1]), tiny)) for k in tried]
    gap = logs.mean(axis=0) - np.log([max(within(X, one), tiny) for one in labels])
    stderr = logs.std(axis=0) * np.sqrt(1 + 1 / B)
    enough = np.flatnonzero(gap[:-1] >= gap[1:] - stderr[1:])
    return Criterion("gap", tried, gap, stderr, int(tried[enough[0]] if len(enough) else tried[np.argmax(gap)]))


def _stability(X: Matrix, tried: Codes, fit: Any, resamples: int, rng: np.random.Generator) -> Criterion:
    from sklearn.metrics import adjusted_rand_score

    R, n = check_count(resamples, "resamples"), len(X)
    size = max(int(0.75 * n), 2)  # two such samples share half of the rows
    agreement = np.empty((R, len(tried)))
    for r in range(R):
        one, two = (np.sort(rng.choice(n, size, replace=False)) for _ in range(2))
        _, at_one, at_two = np.intersect1d(one, two, return_indices=True)
        for t, k in enumerate(tried):
            agreement[r, t] = adjusted_rand_score(fit(k, X[one])[1][at_one], fit(k, X[two])[1][at_two])
    score, stderr = agreement.mean(axis=0), agreement.std(axis=0, ddof=min(1, R - 1)) / np.sqrt(R)
    several = np.flatnonzero(tried > 1) if (tried > 1).any() else np.arange(len(tried))
    best = several[np.argmax(score[several])]
    close = several[score[several] >= score[best] - stderr[best]]
    return Criterion("stability", tried, score, stderr, int(tried[close[-1]]))


def _bic(X: Matrix, tried: Codes, models: Sequence[Any]) -> Criterion:
    score = np.array([float(model.bic(X)) for model in models])
    best = int(np.argmin(score))
    stderr = np.zeros(len(tried))
    if all(hasattr(model, "score_samples") for model in models):
        logs = np.array([model.score_samples(X) for model in models])  # (values, n)
        stderr = 2 * np.sqrt(len(X)) * (logs - logs[best]).std(axis=1, ddof=1)
    return Criterion("bic", tried, score, stderr, int(tried[best]), larger_is_better=False)
