r"""Naive Bayes for a table of all kinds of columns, with missing cells.

Within a class the columns are independent, each with a law of its kind:

.. math:: \delta_k(x) = \log \pi_k + \sum_{d \text{ observed}} \log p_{kd}(x_d), \tag{1}

normal for numbers, a coin for 0/1 columns, a die for categories, Poisson for counts. Under independence a missing cell
is integrated out by leaving its term away, so nothing is filled in: each column learns from the rows in which it is
observed, and a row is scored by the cells that it has. A category that no training row has shown has no say either.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np

from epee.errors import DataError, SingularProblem, WrongUse
from epee.estimator.keep import Keep
from epee.moments.tables import TableMoments, TableSummation
from epee.predictors.generative.categorical_nb import warn_unseen
from epee.predictors.generative.gaussians import LOG_2PI, DiagonalGaussians
from epee.predictors.generative.generator import (
    GenerativeClassifier,
    by_blocks,
    check_priors,
    left_out_priors,
    log_of,
    without_row,
)
from epee.predictors.generative.kinds import Columns
from epee.table.block import Block, Source, column_name, refuse_bad_cells
from epee.table.doors import coded, gather, is_stream, open_source
from epee.typing import Codes, Matrix, Tensor, Vector


def table_sums(model: Any, source: Source, folds: int | None, origin: Vector | None) -> TableSummation:
    """Return the sums of the cells that are there, each column by its kind."""
    columns, classes = model._columns, model.classes_
    if origin is None:
        head = next(iter(source.blocks(256)), None)
        X = np.zeros((1, source.n_columns)) if head is None else np.asarray(head.X, dtype=np.float64)
        there = ~np.isnan(X)
        origin = np.where(there, X, 0.0).sum(axis=0) / np.maximum(there.sum(axis=0), 1)
        origin[~columns.is_kind("gaussian")] = 0.0
    least = np.array([len(model.categories_.get(j, ())) for j in columns.categorical], dtype=np.int64)
    return _CheckedSummation(origin, columns.categorical, least, folds, len(classes), classes, model._names(), columns)


class MixedNB(GenerativeClassifier):
    r"""Independent columns of any kind in each class, with missing cells.

    The score of class :math:`k` is :math:`\log\pi_k` plus the log-likelihood of each observed cell.

    Parameters
    ----------
    kinds : "auto", str, sequence (p,) or dict {column: kind}, default="auto"
        The law of each column: "gaussian" (or "number"), "bernoulli" ("boolean"), "categorical" ("category"), "poisson"
        ("count"). "auto" goes by the type of the columns of a frame: texts and categories are dice, booleans coins,
        numbers normal; the columns of an array are all normal. A dict says it for some columns, by name or number, and
        leaves the others to "auto". In an array, categories are codes 0, 1, 2, ...
    alpha : float > 0, default=1.0
        Smoothing: so many rows are added to each level, to each side of a coin, and at the overall mean of a count. A
        larger one draws the classes together.
    var_smoothing : float >= 0, default=1e-9
        Part of the largest variance of a normal column that is added to all variances.
    priors : array (K,), default=None
        :math:`\pi_k`; by default the class frequencies.

    Attributes
    ----------
    kinds_ : list of str
    categories_ : dict {column: list}
        The levels of each categorical column of a frame, in the order of their codes.
    theta_, var_ : arrays (K, p)
        Mean and variance of the observed cells; the mean of a 0/1 column is its chance of one, of a count its rate.
    class_count_, class_prior_ : arrays (K,)

    Notes
    -----
    Keeps :math:`3Kp` numbers and the counts of levels; one pass at the speed of memory. Cells missing for a reason that
    depends on their value bias any method that does not model the reason.

    References
    ----------
    Little and Rubin, *Statistical Analysis with Missing Data*, chapter 6.

    Examples
    --------
    >>> X = [[1.0, 0], [1.2, np.nan], [np.nan, 0], [3.0, 2], [3.3, 2], [2.9, 1]]
    >>> model = MixedNB(kinds=["gaussian", "categorical"]).fit(X, list("aaabbb"))
    >>> model.predict([[np.nan, 2], [1.1, np.nan]])
    array(['b', 'a'], dtype='<U1')
    """

    state_parts = ("_columns", "_levels", "_offsets", "_table", "_zero", "_numbers")

    keeps = Keep(group="y", scatter=None, by=table_sums)
    _takes_missing = True
    needs_rows = True  # of folds: what it keeps are not moments

    def __init__(
        self, kinds: Any = "auto", *, alpha: float = 1.0, var_smoothing: float = 1e-9, priors: Any = None
    ) -> None:
        self.kinds = kinds
        self.alpha = alpha
        self.var_smoothing = var_smoothing
        self.priors = priors

    def _enter(self, X: Any, *, reset: bool, finite: bool = True) -> Matrix:
        grows = reset or getattr(self, "_growing", False)
        if is_stream(X):
            X = gather(self._rows_of(X, None, None, reset=reset))[0]
            refuse_bad_cells(np.where(np.isnan(X), 0.0, X), self._names())
            return X
        if Columns.is_frame(X):
            X = self._enter_frame(X, reset, grows)
        else:
            X = super()._enter(X, reset=reset, finite=finite)
            if reset:
                self.categories_: dict[int, list[Any]]
                self._columns, self.categories_ = Columns.of(self.kinds, ["gaussian"] * X.shape[1], self._names()), {}
        if reset:
            self.kinds_ = list(self._columns.kinds)
        return X

    def _enter_frame(self, X: Any, reset: bool, grows: bool) -> Matrix:
        from sklearn.utils.validation import validate_data

        validate_data(self, X, reset=reset, skip_check_array=True)
        frame = Columns.open_frame(X)
        if not len(frame):
            raise DataError(f"Found array with 0 sample(s) (shape={frame.shape}) while a minimum of 1 is required.")
        if reset:
            self._columns = Columns.of(self.kinds, Columns.kinds_of_frame(frame), self._names() or frame.columns)
            self.categories_ = {}
        X = self._columns.encode(frame, self.categories_, grows=grows)
        refuse_bad_cells(np.where(np.isnan(X), 0.0, X), frame.columns)
        return X

    def _stream(self, X: Any, y: Any, sample_weight: Any, fold: Any, *, reset: bool) -> Source:
        rows = self._rows_of(X, y, sample_weight, reset=reset)
        source, self.classes_ = coded(rows, None if reset else self.classes_)
        self._check_classes(self.classes_, None)
        return source

    def _rows_of(self, X: Any, y: Any, sample_weight: Any, *, reset: bool) -> Source:
        """Return the rows of a file or a query, with categories as codes."""
        source: Any = open_source(X, y, sample_weight)
        mixed = hasattr(source, "raw_blocks")
        if reset:
            self.n_features_in_, self.categories_ = source.n_columns, {}
            if source.names is not None:
                self.feature_names_in_ = np.asarray(source.names, dtype=object)
            found = Columns.kinds_of_schema(source.schema) if mixed else ["gaussian"] * source.n_columns
            self._columns = Columns.of(self.kinds, found, self._names())
            self.kinds_ = list(self._columns.kinds)
        elif source.n_columns != self.n_features_in_:
            raise DataError(
                f"X has {source.n_columns} features, but MixedNB is expecting {self.n_features_in_} features."
            )
        if not mixed or source.numeric:
            return source
        if reset or getattr(self, "_growing", False):
            Columns.learn_levels(source.schema, self.categories_)
        levels = {j: list(known) for j, known in self.categories_.items()}
        return source.mapped(partial(Columns.matrix, levels=levels), source.names)

    def _names(self) -> Any:
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else list(names)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add rows to what was learned; categories that come later are added, too."""
        self._growing = True
        try:
            return super().partial_fit(X, y, classes, sample_weight)
        finally:
            del self._growing

    def _leave(self, X: Any) -> Matrix:
        X = super()._leave(X)
        self._columns.check(X, self._names())
        warn_unseen(X, self._columns.categorical, self._levels, getattr(self, "feature_names_in_", None))
        return X

    def _solve(self, m: TableMoments) -> None:
        if not 0 < self.alpha < np.inf or not 0 <= self.var_smoothing < np.inf:
            raise WrongUse(
                f"alpha is {self.alpha!r} and var_smoothing {self.var_smoothing!r}; the first must be above 0, the second not below."
            )
        if not hasattr(self, "_columns"):
            raise WrongUse(
                "these moments are read by the kinds of the columns: ask fit_moments of the MixedNB whose moments() made them."
            )
        self.class_count_ = m.count
        self.class_prior_ = m.frequencies if self.priors is None else check_priors(self.priors, self.classes_)
        everyone = m.merge("group")
        if (everyone.seen <= 0).any():
            j = int(np.flatnonzero(everyone.seen <= 0)[0])
            raise DataError(f"{column_name(self._names(), j)} has no observed cell at all. Drop it.")
        columns, a = self._columns, self.alpha
        gaussian = columns.is_kind("gaussian")
        floor = self.var_smoothing * everyone.variances[gaussian].max(initial=0.0)
        self.theta_ = np.where(m.seen > 0, m.mean, everyone.mean)
        variances = np.where(
            m.variances > 1e-28 * everyone.variances, m.variances, 0.0
        )  # less is what rounding leaves of a constant
        self.var_ = np.where(m.seen > 0, variances, everyone.variances) + floor
        coin, poisson = columns.is_kind("bernoulli"), columns.is_kind("poisson")
        total = m.seen * m.mean  # (K, p)
        self.theta_[:, coin] = ((total + a) / (m.seen + 2 * a))[:, coin]
        self.theta_[:, poisson] = ((total + a * everyone.mean) / (m.seen + a))[:, poisson]
        self.var_[:, coin] = (self.theta_ * (1 - self.theta_))[:, coin]
        self.var_[:, poisson] = self.theta_[:, poisson]
        self._levels, c = m.levels, m.counts
        self._offsets = c.offsets
        whole = np.repeat(_by_column(c.cells, self._offsets), m.levels, axis=1) + a * np.repeat(m.levels, m.levels)
        self._table = np.ascontiguousarray(np.log((c.cells + a) / whole).T)  # (L, K)
        self._write_scores(everyone.mean, gaussian, coin, poisson)

    def _write_scores(self, centre: Vector, gaussian: np.ndarray, coin: np.ndarray, poisson: np.ndarray) -> None:
        """Write (1) as products with the columns, their squares, and which of them are observed."""
        self._zero = bool((self.var_[:, gaussian] <= 0).any())
        means, variances = np.where(gaussian, self.theta_, 0.0), np.where(gaussian, self.var_, 1.0)
        scores = DiagonalGaussians(means, variances, np.where(gaussian, centre, 0.0))
        scores.constants[gaussian] -= 0.5 * LOG_2PI
        for what in (scores.squares, scores.linear, scores.constants):
            what[~gaussian] = 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            rates = log_of(self.theta_)
            scores.linear[coin] = (rates - np.log1p(-self.theta_)).T[coin]
            scores.constants[coin] = np.log1p(-self.theta_).T[coin]
        scores.linear[poisson] = np.where(self.theta_ > 0, rates, 0.0).T[poisson]
        scores.constants[poisson] = -self.theta_.T[poisson]
        scores.constant = scores.constants.sum(axis=0)
        self._numbers = scores

    def refine(self, source: Source, m: Any) -> None:
        self._refuse_zero_variance()

    def _refuse_zero_variance(self) -> None:
        if self._zero:
            k, j = np.argwhere((self.var_ <= 0) & self._columns.is_kind("gaussian"))[0]
            raise SingularProblem(
                f"class {self.classes_.tolist()[k]!r}: {column_name(self._names(), int(j))} is constant, so its variance is zero. "
                "Raise var_smoothing, or drop the column."
            )

    def _score(self, X: Matrix) -> Matrix:
        self._refuse_zero_variance()
        return by_blocks(X, self._score_block, len(self.classes_))

    def _score_block(self, X: Matrix) -> Matrix:
        missing = np.isnan(X)
        scores = self._numbers.log_densities(X, missing if missing.any() else None)
        scores += log_of(self.class_prior_)
        self._add_levels(X, scores)
        return scores

    def _add_levels(self, X: Matrix, scores: Matrix) -> None:
        if len(self._levels):
            from epee.kernels.class_sums import level_scores

            level_scores(np.ascontiguousarray(X), self._columns.categorical, self._offsets, self._table, scores)

    def _scores_without(self, X: Matrix, codes: Codes, w: Vector | None) -> Matrix:
        parts = (slice(i, i + 512) for i in range(0, len(X), 512))
        return np.concatenate([self._block_without(X[s], codes[s], None if w is None else w[s]) for s in parts])

    def _block_without(self, X: Matrix, codes: Codes, w: Vector | None) -> Matrix:
        m: Any = self.moments_
        w, _, left = without_row(m.count, codes, w)
        n, rows, there = len(X), np.arange(len(X)), ~np.isnan(X)
        V, u = np.where(there, X, 0.0), w[:, None] * there  # (n, p) values, weights left out
        total = m.merge("group")
        every = _less(total.seen[None], total.mean[None], total.spread[None], u, V)  # of all classes, without the row
        own = _less(m.seen[codes], m.mean[codes], m.spread[codes], u, V)
        seen, mean, spread = (np.tile(a, (n, 1, 1)) for a in (m.seen, m.mean, m.spread))  # (n, K, p)
        for whole, mine in zip((seen, mean, spread), own, strict=True):
            whole[rows, codes] = mine
        columns, a = self._columns, self.alpha
        g = columns.is_kind("gaussian")
        variance = every[2] / np.where(every[0] > 0, every[0], 1.0)
        floor = self.var_smoothing * variance[:, g].max(axis=1, initial=0.0)
        empty = seen <= 0
        mean_g = np.where(empty, every[1][:, None, :], mean)
        var = np.where(empty, variance[:, None, :], spread / np.where(empty, 1.0, seen)) + floor[:, None, None]
        if (var[:, :, g] <= 0).any():
            raise SingularProblem(
                "without one of its rows a class is constant in some column: its variance is zero. Raise var_smoothing."
            )
        cells = np.zeros((n, len(self.classes_), X.shape[1]))
        x = V[:, None, :]
        cells[:, :, g] = -0.5 * (LOG_2PI + np.log(var[:, :, g]) + (x[:, :, g] - mean_g[:, :, g]) ** 2 / var[:, :, g])
        b, q = columns.is_kind("bernoulli"), columns.is_kind("poisson")
        chance = ((seen * mean + a) / (seen + 2 * a))[:, :, b]
        cells[:, :, b] = x[:, :, b] * np.log(chance) + (1 - x[:, :, b]) * np.log1p(-chance)
        rate = ((seen * mean + a * every[1][:, None, :]) / (seen + a))[:, :, q]
        cells[:, :, q] = x[:, :, q] * np.where(rate > 0, log_of(rate), 0.0) - rate
        scores = np.einsum("nkp,np->nk", cells, there.astype(np.float64))
        self._add_levels(X, scores)
        self._exchange_own_levels(X, codes, w, scores)
        return scores + left_out_priors(left, None if self.priors is None else self.class_prior_)

    def _exchange_own_levels(self, X: Matrix, codes: Codes, w: Vector, scores: Matrix) -> None:
        """Put the chances of levels without the row in place of those with it, for its own class."""
        m: Any = self.moments_
        rows = np.arange(len(X))
        for t, j in enumerate(self._columns.categorical):
            x = X[:, j]
            there = ~np.isnan(x)
            at = self._offsets[t] + np.where(there, x, 0).astype(np.int64)
            cells = m.cells[codes, at]
            whole = m.cells[:, self._offsets[t] : self._offsets[t + 1]].sum(axis=1)[codes] + self.alpha * m.levels[t]
            change = np.log((cells - w + self.alpha) / (whole - w)) - self._table[at, codes]
            scores[rows, codes] += np.where(there, change, 0.0)

    def _log_priors(self) -> Vector:
        return log_of(self.class_prior_)

    def _draw(self, k: int, n: int, rng: np.random.Generator) -> Matrix:
        p = self.n_features_in_
        X = np.empty((n, p))
        for kind, draw in (
            ("gaussian", lambda c: self.theta_[k, c] + np.sqrt(self.var_[k, c]) * rng.standard_normal((n, len(c)))),
            ("bernoulli", lambda c: rng.random((n, len(c))) < self.theta_[k, c]),
            ("poisson", lambda c: rng.poisson(self.theta_[k, c], (n, len(c)))),
        ):
            c = np.flatnonzero(self._columns.is_kind(kind))
            X[:, c] = draw(c)
        for t, j in enumerate(self._columns.categorical):
            chances = np.exp(self._table[self._offsets[t] : self._offsets[t + 1], k])
            X[:, j] = rng.choice(len(chances), size=n, p=chances / chances.sum())
        return X


@dataclass(frozen=True)
class _CheckedSummation(TableSummation):
    """Looks at the cells of a block for what their kinds do not allow while it sums them."""

    kinds: Any = None
    said = "MixedNB"  # where it runs on the CPU

    def kinds_to_check(self) -> tuple[Codes, Codes]:
        columns, numbers = self.kinds.checked(codes=False)  # codes are looked at when they are counted
        return columns[numbers == 1], columns[numbers == 2]

    def refuse(self, block: Block) -> None:
        self.kinds.check(block.X, self.names, block.start, codes=False)


def _by_column(cells: Tensor, offsets: Codes) -> Tensor:
    """Return the sum of the levels of each column (K, q)."""
    return np.add.reduceat(cells, offsets[:-1], axis=-1) if len(offsets) > 1 else np.zeros((*cells.shape[:-1], 0))


def _less(seen: Matrix, mean: Matrix, spread: Matrix, u: Matrix, V: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    """Return count, mean and scatter (n, p) without weight u of each row's own cells V."""
    left = seen - u
    left = np.where(left > 1e-9 * seen, left, 0.0)
    safe = np.where(left > 0, left, 1.0)
    d = np.where(u > 0, V - mean, 0.0)
    return (
        left,
        np.where(left > 0, mean - u / safe * d, 0.0),
        np.where(left > 0, np.maximum(spread - u * seen / safe * d**2, 0.0), 0.0),
    )
