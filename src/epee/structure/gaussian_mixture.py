r"""Gaussian mixtures: clouds that overlap.

.. math:: p(x) = \sum_{k=1}^K \pi_k \, \mathcal N(x; \mu_k, \Sigma_k), \tag{1}

climbed by expectation and maximisation (:mod:`epee.structure.em`): a row belongs to component :math:`k` with responsibility
:math:`\tau_{ik} \propto \pi_k \mathcal N(x_i; \mu_k, \Sigma_k)`, and each component is the weighted moments of its rows. One pass of
sums a step, so a mixture is learned from a stream or a cluster as from an array. With ``noise`` a uniform component over
the box of the data takes the rows that no cloud explains.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from epee.arrays import at_home, is_elsewhere, namespace
from epee.engines.choice import LOCAL, engine_for, sent
from epee.engines.deadline import check_time
from epee.engines.device import tell_once
from epee.engines.local import in_order
from epee.errors import ConditionWarning, DataError, DataWarning, MissingValues, SearchWarning, WrongUse
from epee.estimator.base import Density, list_columns, say
from epee.moments.columns import ColumnSummation
from epee.moments.taken import rows_in_all, take
from epee.structure.em import Climb, Expected, expectation_maximisation, is_one_block_here
from epee.structure.gaussian_forms import COLLAPSED, Components, free_parameters, precision_factors, shape_covariances
from epee.structure.gaussian_products import Products
from epee.structure.gaussian_steps import FEW, GaussianStep, Told, patterns_of, responsibilities, step
from epee.structure.predictive import spread_factors
from epee.table.arrays import ArraySource
from epee.table.block import Block, Source, check_weights
from epee.table.doors import is_stream, open_source, passes_over
from epee.table.elsewhere import ElsewhereSource
from epee.table.partitions import by_partition
from epee.typing import Codes, Matrix, Vector

FORMS = ("full", "tied", "diag", "spherical")
STARTS = ("kmeans", "k-means++", "random", "random_from_data", "wide")
START_ROWS = 100_000  # rows that a start looks at


class GaussianMixture(Density):
    r"""A density :math:`\sum_k \pi_k \mathcal N(x; \mu_k, \Sigma_k)`, climbed by expectation and maximisation.

    Parameters
    ----------
    n_components : int, default=1
        Number of clouds :math:`K`; more follow the data more closely.
    covariance_type : {"full", "tied", "diag", "spherical"}, default="full"
        Shape of :math:`\Sigma_k`: any, the same for all, axes-parallel, round.
    tol : float, default=1e-3
        Stop when the mean log-likelihood of a row rises by less.
    reg_covar : float, default=1e-6
        Floor :math:`\varepsilon` of the eigenvalues of :math:`\Sigma_k`, which are clipped there (scikit-learn adds it
        instead): the constrained maximiser, so the climb stays monotone; larger keeps clouds from closing on a point.
    max_iter : int, default=100
        Largest number of steps; a warning says when it was not enough.
    n_init : int, default=1
        Starts; the best climb is kept.
    init_params : {"kmeans", "k-means++", "random", "random_from_data", "wide"}, default="kmeans"
        "kmeans" begins from the clusters of k-means; "wide" (the course's) from its centres with the covariance of the whole
        table; the others as in scikit-learn.
    weights_init, means_init, precisions_init : arrays, optional
        A start of one's own.
    random_state : int, RandomState or None
        Seed of the starts.
    warm_start : bool, default=False
        Begin where the last fit ended.
    verbose, verbose_interval : int
        Accepted; progress follows ``epee.options.progress``.
    noise : bool or float, default=False
        Add a uniform component for outliers; a number is its first share (True: 0.05).

    Attributes
    ----------
    weights_, means_, covariances_, precisions_, precisions_cholesky_ : arrays
    noise_weight_, noise_density_ : float
        Share and density of the uniform component, 0 without.
    converged_, n_iter_, lower_bound_, lower_bounds_ : how the climb went
        The bound is the mean log-likelihood of a row; ``lower_bounds_`` never decreases.
    n_skipped_ : int
        Rows with every cell missing, which say nothing.
    n_passes_ : int
        How often the table was read whole, by a fit from files, SQL or Dask.

    Notes
    -----
    A step costs :math:`O(n K p^2)`; missing cells (NaN) are handled exactly, pattern by pattern.

    References
    ----------
    Dempster, Laird and Rubin, JRSS B 39 (1977); Fraley and Raftery, JASA 97 (2002) for the noise component.

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> GaussianMixture(2, random_state=0).fit(X).means_.round(2).ravel().tolist() in ([0.1, 5.1], [5.1, 0.1])
    True
    """

    state_parts = ("_box", "_about", "_log_noise", "_mass")

    _takes_missing = True
    answers_anywhere = True

    def __init__(
        self, n_components: int = 1, *, covariance_type: str = "full", tol: float = 1e-3, reg_covar: float = 1e-6,
        max_iter: int = 100, n_init: int = 1, init_params: str = "kmeans", weights_init: Any = None, means_init: Any = None,
        precisions_init: Any = None, random_state: Any = None, warm_start: bool = False, verbose: int = 0,
        verbose_interval: int = 10, noise: Any = False,
    ) -> None:  # fmt: skip
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.tol = tol
        self.reg_covar = reg_covar
        self.max_iter = max_iter
        self.n_init = n_init
        self.init_params = init_params
        self.weights_init = weights_init
        self.means_init = means_init
        self.precisions_init = precisions_init
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.verbose_interval = verbose_interval
        self.noise = noise

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Climb from the best of ``n_init`` starts; ``y`` is ignored, weights are counts, NaN is a missing cell."""
        self._check()
        before = passes_over(X)
        source = self._rows(X, sample_weight)
        with source.held() as rows:
            best = self._climbed(self._looked_at(rows, X, sample_weight))
        if is_stream(X):
            self.n_passes_ = passes_over(source) - before
        return self._ended(best)

    @classmethod
    def fit_together(cls, models: Sequence[Self], rows: Sequence[tuple[Any, Any, Any]]) -> None:
        """Fit several, each on rows (X, y, weights or None) of its own: small plain ones side by side, the others one by one."""
        from epee.structure.mixtures_together import fit_beside

        beside = fit_beside(models, [(X, w) for X, _, w in rows])

        def fit(i: int) -> None:
            check_time()
            models[i].fit(rows[i][0], sample_weight=rows[i][2])

        for _ in in_order(fit, [i for i in range(len(models)) if i not in beside]):
            pass

    def _climbed_beside(self, X: Matrix, climb: Climb, weight: float) -> None:
        """Keep what a climb beside others found."""
        self._enter(X, reset=True)
        self._about: int | None = len(X)
        self._box: float | None = None
        self.n_skipped_, self._mass = 0, weight
        self._ended(climb)

    def _ended(self, best: Climb) -> Self:
        """Keep the best climb, and say where it has not settled."""
        self._keep(best)
        if not self.converged_ and self.max_iter > 0:
            say(
                "Best performing initialization did not converge. Try different init parameters, or increase max_iter, tol, or check for "
                f"degenerate data. EM stopped because {best.reason}, before the log-likelihood had settled to tol={self.tol:g}.",
                SearchWarning,
            )
        return self

    def _climbed(self, source: Source) -> Climb:
        """Return the best climb."""
        self._about = source.n_rows
        self._products = self._kept_products(source)
        rng = check_random_state(self.random_state)
        best: Climb | None = None
        warm = self.warm_start and hasattr(self, "means_")
        last = self.lower_bound_ if warm else None
        try:
            for _ in range(1 if warm else self.n_init):
                theta = self._components() if warm else self._start(source, rng)
                climb = expectation_maximisation(
                    self, source, theta=theta, tol=self.tol, max_iter=self.max_iter, last=last
                )
                if best is None or climb.trace[-1] > best.trace[-1]:
                    best = climb
        finally:
            self.__dict__.pop("_products", None)
        assert best is not None
        return best

    def _kept_products(self, source: Source) -> Products | None:
        """Return where the products of the rows are kept through a climb: elsewhere, or of a small table of axes-parallel clouds here."""
        if isinstance(source, ElsewhereSource):
            return Products(source.origin, source.n_rows)
        if self.covariance_type not in ("diag", "spherical") or not is_one_block_here(source):
            return None
        if source.X.size * int(self.n_components) > FEW:
            return None
        origin = source.X.mean(axis=0, dtype=np.float64)
        return Products(origin, source.n_rows) if np.isfinite(origin).all() else None  # a missing cell is no number

    def _check(self) -> None:
        if self.covariance_type not in FORMS:
            raise WrongUse(f"covariance_type is {self.covariance_type!r}; it must be one of {', '.join(FORMS)}.")
        if self.init_params not in STARTS:
            raise WrongUse(f"init_params is {self.init_params!r}; it must be one of {', '.join(STARTS)}.")
        if int(self.n_components) != self.n_components or self.n_components < 1:
            raise WrongUse(f"n_components is {self.n_components!r}; it must be a whole number of at least 1.")
        if self.reg_covar < 0 or self.tol < 0 or self.max_iter < 0 or self.n_init < 1:
            raise WrongUse("reg_covar, tol and max_iter must not be negative, and n_init must be at least 1.")

    def _rows(self, X: Any, sample_weight: Any) -> Source:
        """Return the rows as a source; in memory, sorted by pattern of missing cells so that each block has few."""
        X = sent(X)
        if is_stream(X):
            return self._enter_stream(open_source(X, None, sample_weight), reset=True)
        rows = self._enter(X, reset=True)
        w = check_weights(sample_weight, len(rows))
        if np.isnan(rows).any():
            order = np.concatenate([i for _, i in patterns_of(rows)])
            rows, w = rows[order], None if w is None else w[order]
        return ArraySource(rows, None, w, names=getattr(self, "feature_names_in_", None))

    def _looked_at(self, source: Source, X: Any, sample_weight: Any) -> Source:
        """Return the rows once every column is known to have a cell; those with missing ones come from a device to the CPU."""
        if isinstance(source, ArraySource) and source.weight is None and not np.isnan(source.X).any():
            self.n_skipped_ = 0
            self._note(source)
            return source
        keep = ColumnSummation(np.nan_to_num(source.origin))
        cells = engine_for(source).reduce(source, keep, rows=keep.rows())
        empty = np.flatnonzero(cells.count == 0)
        if len(empty):
            raise MissingValues(f"{list_columns(empty, self)} missing in every row: drop it.")
        if isinstance(source, ElsewhereSource) and cells.count.min() < source.narrow_weight:
            tell_once("rows with missing cells have no road on the device: they are brought to the CPU.")
            home = at_home(sent(X))
            return self._looked_at(self._rows(home, sample_weight), home, sample_weight)
        self._note(source)
        weighted = any(getattr(source, name, None) is not None for name in ("weight", "weight_name"))
        full = cells.count.max() == source.n_rows  # a column without holes: no row is blank
        complete = isinstance(source, ElsewhereSource) or (full and not weighted)
        self.n_skipped_ = 0 if complete else int(engine_for(source).reduce(source, blank_rows))
        if self.n_skipped_:
            say(f"rows without any cell: {self.n_skipped_}. They are skipped.", DataWarning)
        return source

    def _note(self, source: Source) -> None:
        """Note the box of the rows where there is noise; refuse fewer rows than components."""
        self._box = self._ranges(source) if self.noise is not False else None
        if isinstance(source, ArraySource | ElsewhereSource) and source.n_rows < self.n_components:
            raise DataError(
                f"Expected n_samples >= n_components but got n_components = {self.n_components}, n_samples = {source.n_rows}"
            )

    def _ranges(self, source: Source) -> float:
        """Return the log-density of a uniform law over the box of the data."""
        low, high = (engine_for(source) if source.is_away else LOCAL).reduce(source, ranges_of, merge=_wider)
        sides = np.where(high > low, high - low, 1.0)
        return float(-np.log(sides).sum())

    def start(self, source: Source) -> Components:
        """Return the first parameters: the start that ``init_params`` asks for."""
        self._check()
        if not hasattr(self, "_box"):
            self._box = self._ranges(source) if self.noise is not False else None
        return self._start(source, check_random_state(self.random_state))

    def _start(self, source: Source, rng: Any) -> Components:
        from epee.structure.mixture_starts import first_responsibilities, too_few_points

        X, w = some_rows(source, START_ROWS, rng)
        holes = np.isnan(X)
        filled = np.where(holes, np.nanmean(X, axis=0), X) if holes.any() else X
        K = int(self.n_components)
        few = too_few_points(filled, K)
        if few and self.reg_covar == 0:
            raise DataError(f"{few} {COLLAPSED}")
        if few:
            say(few)
        share = (0.05 if self.noise is True else float(self.noise)) if self.noise is not False else 0.0
        R = first_responsibilities(filled, w, K, self.init_params, rng)
        theta = components_from(
            filled, R if w is None else R * w[:, None], self.covariance_type, max(self.reg_covar, 1e-300)
        )
        if self.init_params == "wide":
            whole = components_from(
                filled, np.ones((len(X), 1)) if w is None else w[:, None], self.covariance_type, self.reg_covar
            )
            wide = whole.covariances if self.covariance_type == "tied" else np.repeat(whole.covariances, K, axis=0)
            theta = replace(theta, covariances=wide)
        if self.means_init is not None:
            means = np.asarray(self.means_init, dtype=float)
            if means.shape != theta.means.shape:
                raise WrongUse(
                    f"The parameter 'means' should have the shape of {theta.means.shape}, but got {means.shape}"
                )
            theta = replace(theta, means=means)
        if self.weights_init is not None:
            weights = np.asarray(self.weights_init, dtype=float)
            if weights.shape != (K,):
                raise WrongUse(f"The parameter 'weights' should have the shape of ({K},), but got {weights.shape}")
            if (weights < 0).any() or (weights > 1).any():
                raise WrongUse(
                    f"The parameter 'weights' should be in the range [0, 1], but got max value {weights.min():.5f}, min value "
                    f"{weights.max():.5f}"
                )
            if not np.isclose(weights.sum(), 1.0):
                raise WrongUse(
                    f"The parameter 'weights' should be normalized, but got sum(weights) = {weights.sum():.5f}"
                )
            theta = replace(theta, weights=weights)
        if self.precisions_init is not None:
            precisions = np.asarray(self.precisions_init, dtype=float)
            if precisions.shape != theta.covariances.shape:
                raise WrongUse(
                    f"The parameter '{self.covariance_type} precision' should have the shape of {theta.covariances.shape}, but got "
                    f"{precisions.shape}"
                )
            matrices = self.covariance_type in ("full", "tied")
            stack = precisions.reshape(-1, *precisions.shape[-2:]) if matrices else precisions
            sound = (
                np.allclose(stack, np.swapaxes(stack, 1, 2)) and (np.linalg.eigvalsh(stack) > 0).all()
                if matrices
                else (stack > 0).all()
            )
            if not sound:
                raise WrongUse(
                    f"'{self.covariance_type} precision' should be {'symmetric, positive-definite' if matrices else 'positive'}"
                )
            inverse = np.linalg.inv(precisions) if matrices else 1.0 / precisions
            theta = replace(theta, covariances=inverse)
        return replace(theta, weights=theta.weights * (1 - share), noise=self._box)

    def expect(self, theta: Components) -> GaussianStep:
        """Return the E-step of a block under these components."""
        return step(theta, getattr(self, "_about", None), getattr(self, "_products", None))

    def maximise(self, expected: Expected, theta: Components) -> Components:
        """Return the components that maximise the bound: weighted moments, eigenvalues above the floor."""
        N, s, Q, noise = expected.sums
        N = N + 10 * np.finfo(float).eps
        if (N < 1e-8).any():
            k = int(np.argmin(N))
            say(f"component {k} has lost all its rows: use fewer components, or another start.", ConditionWarning)
        delta = s / N[:, None]
        Q = Q - N[:, None] * delta**2 if Q.ndim == 2 else Q - N[:, None, None] * delta[:, :, None] * delta[:, None, :]
        total = N.sum() + noise.sum()
        self._mass = float(total)  # of the rows learned: how far the law itself may be off
        covariances = shape_covariances(N, Q, theta.form, self.reg_covar)
        return replace(theta, weights=N / total, means=theta.means + delta, covariances=covariances)

    def _keep(self, climb: Climb) -> None:
        theta: Components = climb.theta
        self.weights_, self.means_, self.covariances_ = theta.weights, theta.means, theta.covariances
        self.noise_weight_ = float(max(1.0 - theta.weights.sum(), 0.0)) if theta.noise is not None else 0.0
        self.noise_density_ = float(np.exp(theta.noise)) if theta.noise is not None else 0.0
        self._log_noise = theta.noise
        U = precision_factors(theta)
        self.precisions_cholesky_ = U
        self.precisions_ = U**2 if theta.form in ("diag", "spherical") else U @ U.swapaxes(-1, -2)
        self.lower_bounds_, self.lower_bound_ = list(climb.trace), climb.trace[-1]
        self.trace_ = climb.trace
        self.n_iter_, self.converged_, self.reason_ = climb.iterations, climb.converged, climb.reason

    def plot(self, X: Any = None, ax: Any = None) -> Any:
        """Draw the ellipses of the components in the plane of the first two columns, over the rows when they are given."""
        from epee.figures.mixtures import draw_ellipses

        check_is_fitted(self)
        return draw_ellipses(self, None if X is None else np.asarray(X), ax)

    def _components(self) -> Components:
        form: Any = self.covariance_type
        return Components(self.weights_, self.means_, self.covariances_, form, self._log_noise)

    def _log_joint(self, X: Matrix, n: int | None = None) -> Matrix:
        """Return the log of weight and density (n, K) of rows that are some of ``n``."""
        K = len(self.weights_) + int(self._log_noise is not None)
        now = step(self._components(), len(X) if n is None else n)
        out = np.zeros((len(X), K))
        for missing, rows in patterns_of(X):
            if missing.all():
                with np.errstate(divide="ignore"):
                    out[rows] = np.log(np.append(self.weights_, self.noise_weight_))[:K]
            else:
                out[rows] = now.log_joint(X[rows], missing)
        return out

    def _leave_anywhere(self, X: Any) -> Any:
        """Check rows to be answered for; those that lie elsewhere stay there, unless cells are missing."""
        if is_elsewhere(X) and not bool(namespace(X).isfinite(namespace(X).sum(X))):
            return self._leave(X)
        return super()._leave_anywhere(X)

    def _told_there(self, X: Any, what: str) -> Any:
        """Return what is asked of rows that lie elsewhere, where they lie."""
        source = ElsewhereSource(X)
        return namespace(X).concat(list(engine_for(source).map(source, Told(step(self._components()), what))))

    def _in_blocks(self, X: Matrix, work: Any) -> Any:
        """Apply a function of rows block by block, several at once."""
        source = ArraySource(X)
        return np.concatenate(
            list(engine_for(source).map(source, lambda block: work(np.asarray(block.X, dtype=np.float64))))
        )

    def _log_density(self, X: Matrix) -> Vector:
        if is_elsewhere(X):
            found: Vector = self._told_there(X, "density")
            return found
        if not np.isnan(X).any():
            return self._in_blocks(X, step(self._components(), len(X)).log_density)
        return self._in_blocks(X, lambda rows: responsibilities(self._log_joint(rows, len(X)))[1])

    @by_partition
    def predict_proba(self, X: Any) -> Matrix:
        """Return the responsibility of each component (n, K), and of the noise last where there is one."""
        X = self._leave_anywhere(X)
        if is_elsewhere(X):
            found: Matrix = self._told_there(X, "responsibilities")
            return found
        return self._in_blocks(X, lambda rows: responsibilities(self._log_joint(rows, len(X)))[0])

    @by_partition
    def predict(self, X: Any) -> Codes:
        """Return the most responsible component of each row; the noise is -1."""
        X = self._leave_anywhere(X)
        if is_elsewhere(X):
            best = self._told_there(X, "labels")
        else:
            best = self._in_blocks(X, lambda rows: self._log_joint(rows, len(X)).argmax(axis=1))
        return namespace(best).where(best == len(self.weights_), -namespace(best).ones_like(best), best)

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Codes:
        """Fit, and return the component of each row."""
        return self.fit(X, sample_weight=sample_weight).predict(X)

    def _n_parameters(self) -> int:
        form: Any = self.covariance_type
        return free_parameters(len(self.weights_), self.n_features_in_, form, self._log_noise is not None)

    def bic(self, X: Any) -> float:
        """Return -2 log-likelihood + log(n) times the free parameters; smaller is better."""
        X = self._leave(X)
        return float(-2 * self._log_density(X).sum() + np.log(len(X)) * self._n_parameters())

    def aic(self, X: Any) -> float:
        """Return -2 log-likelihood + 2 times the free parameters; smaller is better."""
        return float(-2 * self._log_density(self._leave(X)).sum() + 2 * self._n_parameters())

    def icl(self, X: Any) -> float:
        """Return the BIC plus twice the entropy of the responsibilities: clouds that overlap are charged for it."""
        R = self.predict_proba(X)
        return self.bic(X) - 2 * float((R * np.log(np.where(R > 0, R, 1.0))).sum())

    def sample(self, n_samples: int = 1) -> tuple[Matrix, Codes]:
        """Draw rows: a component, then a Gaussian of it; noise rows are not drawn."""
        check_is_fitted(self)
        if n_samples < 1:
            raise WrongUse(f"Invalid value for 'n_samples': {n_samples}. The sampling requires at least one sample.")
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31))
        labels = np.sort(rng.choice(len(self.weights_), n_samples, p=self.weights_ / self.weights_.sum()))
        return self._drawn(labels, rng), labels

    def _drawn(self, labels: Codes, rng: Any) -> Matrix:
        """Return a row drawn from the component of each label."""
        L = np.linalg.cholesky(self._components().matrices())
        return self.means_[labels] + np.einsum("nij,nj->ni", L[labels], rng.standard_normal((len(labels), L.shape[-1])))

    def impute(self, X: Any, *, draw: bool = False, random_state: Any = None) -> Matrix:
        """Return the rows with their missing cells filled; observed cells are untouched.

        By the conditional mean, mixed over components by responsibility, or by a draw from the conditional law.
        """
        X = np.array(self._leave(X), dtype=np.float64)
        rng, now = np.random.default_rng(random_state), step(self._components(), len(X))
        for missing, rows in patterns_of(X):
            if not missing.any():
                continue
            if missing.all():
                shares = self.weights_ / self.weights_.sum()
                X[rows] = (
                    self._drawn(rng.choice(len(shares), len(rows), p=shares), rng) if draw else shares @ self.means_
                )
                continue
            X[np.ix_(rows, missing)] = self._conditional(X[rows], missing, now, rng if draw else None)
        return X

    def _conditional(self, X: Matrix, missing: np.ndarray, now: GaussianStep, rng: Any) -> Matrix:
        K = len(self.weights_)
        part = now.marginal(missing)
        R = responsibilities(now.log_joint(X, missing)[:, :K])[0]
        seen = X[:, ~missing]
        fills = np.stack([
            self.means_[k][missing] + (seen - self.means_[k][~missing]) @ part.regression[k] for k in range(K)
        ])  # (K, n, m)  # fmt: skip
        if rng is None:
            return np.einsum("nk,knm->nm", R, fills)
        chosen = (R.cumsum(axis=1) < rng.random((len(X), 1))).sum(axis=1).clip(max=K - 1)
        matrices = [np.diag(c) if c.ndim == 1 else c for c in part.conditional]
        roots = np.stack([np.linalg.cholesky(c + 1e-12 * np.trace(c) * np.eye(len(c))) for c in matrices])
        Z = rng.standard_normal((len(X), int(missing.sum())))
        return fills[chosen, np.arange(len(X))] + np.einsum("nij,nj->ni", roots[chosen], Z)

    def outliers(self, X: Any, level: float = 0.01, *, draws: int = 20_000, random_state: Any = 0) -> np.ndarray:
        """Tell which rows are so unlikely that only a share ``level`` of rows of this law would be.

        The threshold is the ``level`` quantile of the log-density of rows drawn from the predictive law, which knows that means and
        covariances were estimated (:mod:`epee.structure.predictive`), for each pattern of missing cells on the cells that are there.
        """
        if not 0 < level < 1:
            raise WrongUse(f"level is {level!r}; it must lie between 0 and 1.")
        X = self._leave(X)
        K, now = len(self.weights_), step(self._components(), len(X))
        rng = np.random.default_rng(random_state)
        labels = rng.choice(K, draws, p=self.weights_ / self.weights_.sum())
        far = spread_factors(
            labels, getattr(self, "_mass", 1e12) * self.weights_, self.n_features_in_, self.covariance_type, rng
        )
        simulated = self.means_[labels] + far * (self._drawn(labels, rng) - self.means_[labels])
        out = np.zeros(len(X), dtype=bool)
        for missing, rows in patterns_of(np.asarray(X, dtype=np.float64)):
            if missing.all():
                continue
            limit = np.quantile(responsibilities(now.log_joint(simulated, missing)[:, :K])[1], level)
            density = self._in_blocks(
                X[rows], lambda part, m=missing: responsibilities(now.log_joint(part, m)[:, :K])[1]
            )
            out[rows] = density < limit
        return out


def blank_rows(block: Block) -> int:
    """Return how many rows of a block have no cell at all.

    >>> blank_rows(Block(np.array([[np.nan, np.nan], [1.0, np.nan]])))
    1
    """
    return int(np.isnan(block.X[np.isnan(block.X[:, 0])]).all(axis=1).sum())


def ranges_of(block: Block) -> tuple[Vector, Vector]:
    """Return the least and the largest cell of each column (p,), among rows of positive weight.

    >>> ranges_of(Block(np.array([[1.0, np.nan], [3.0, 2.0]])))
    (array([1., 2.]), array([3., 2.]))
    """
    X = block.X if block.weight is None else block.X[block.weight > 0]
    low = np.nan_to_num(X, nan=np.inf).min(axis=0, initial=np.inf)
    return low, np.nan_to_num(X, nan=-np.inf).max(axis=0, initial=-np.inf)


def _wider(a: tuple[Vector, Vector], b: tuple[Vector, Vector]) -> tuple[Vector, Vector]:
    return np.fmin(a[0], b[0]), np.fmax(a[1], b[1])


def some_rows(source: Source, most: int, rng: Any) -> tuple[Matrix, Vector | None]:
    """Return the rows of a source, or an even share of them when there are more than ``most``, without all-missing ones."""
    n = source.n_rows
    if source.is_away:  # the same rows as of a table that is here
        n = rows_in_all(source)
        chosen = np.arange(n) if n <= most else np.flatnonzero(rng.random_sample(n) < most / n)
        found = take(source, chosen)
        return _with_cells(np.asarray(found.X, dtype=np.float64), found.weight)
    if isinstance(source, ElsewhereSource) and n is not None and n > most:  # the same rows, and only they travel
        some = source.taken(np.flatnonzero(rng.random_sample(n) < most / n))
        counts = slice(None) if some.weight is None else some.weight > 0
        return np.asarray(some.X[counts], np.float64), None if some.weight is None else some.weight[counts]
    parts, weights = [], []
    for block in source.blocks():
        whole = n is None or n <= most
        keep: Any = slice(None) if whole else np.flatnonzero(rng.random_sample(len(block)) < most / (n or most))
        parts.append(np.asarray(block.X[keep], dtype=np.float64))
        if block.weight is not None:
            weights.append(block.weight[keep])
    if len(parts) == 1:
        return _with_cells(parts[0], weights[0] if weights else None)
    return _with_cells(np.concatenate(parts), np.concatenate(weights) if weights else None)


def _with_cells(X: Matrix, w: Vector | None) -> tuple[Matrix, Vector | None]:
    holes = np.isnan(X)
    if w is None and not holes.any():
        return X, None
    there = ~holes.all(axis=1)
    there &= True if w is None else w > 0
    return X[there], None if w is None else w[there]


def components_from(X: Matrix, R: Matrix, form: Any, floor: float) -> Components:
    """Return the M-step of given responsibilities (n, K)."""
    N = R.sum(axis=0) + 10 * np.finfo(float).eps
    means = R.T @ X / N[:, None]
    spreads: list[np.ndarray] = []
    for r, mean in zip(R.T, means, strict=True):
        own = np.flatnonzero(r)  # a start gives most rows to one component alone
        D, r = X[own] - mean, r[own]
        spreads.append(r @ D**2 if form in ("diag", "spherical") else (D * r[:, None]).T @ D)
    return Components(N / N.sum(), means, shape_covariances(N, np.stack(spreads), form, floor), form)
