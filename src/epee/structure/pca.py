r"""Principal component analysis.

The axes along which the cloud spreads most are the eigenvectors of its covariance,

.. math:: \Sigma = U \Lambda U^\top, \qquad \lambda_1 \ge \lambda_2 \ge \dots, \qquad C_q = X^c U_q, \tag{1}

and keeping :math:`q` of them loses :math:`\sum_{j>q} \lambda_j` of squared error (Eckart and Young). The plain road is the covariance of
one pass, then its spectrum: the table may be a stream, a cluster or a device. Other roads start from rows in memory, here or on a device
(:mod:`.pca_roads`), or from their non-zeros (:mod:`.pca_of_sparse`). Axes are also a law (:mod:`.pca_density`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from epee.arrays import affine_rows, at_home, is_elsewhere, is_real, like, namespace
from epee.engines.choice import sent
from epee.engines.device import tell_once
from epee.errors import MissingValues, WrongUse
from epee.estimator.base import NewAxes, refuse_large, refuse_vector
from epee.estimator.moment import MomentTransformer
from epee.moments.moments import Moments
from epee.solve.soundness import insist_orthonormal
from epee.solve.spectral import descending_eigh, fix_signs
from epee.structure.kmeans_starts import as_generator
from epee.structure.pca_density import AxesAsLaw
from epee.structure.pca_of_sparse import axes_by_lanczos, axes_by_projections, axes_by_rows, sparse_road
from epee.structure.pca_pictures import AxesInPictures
from epee.structure.pca_roads import AxesOfRows
from epee.table.arrays import ArraySource
from epee.table.block import Source, refuse_bad_cells
from epee.table.doors import gather
from epee.table.elsewhere import ElsewhereSource
from epee.table.sparse import SparseSource, is_sparse, laid_out
from epee.typing import Codes, Matrix, Vector

SOLVERS = ("auto", "full", "covariance_eigh", "arpack", "randomized")
SEARCHES = ("arpack", "randomized")  # for the leading axes alone
LONG = 100_000  # cells of axes, from which on a copy of them costs more than looking at them


class PCA(AxesOfRows, AxesAsLaw, AxesInPictures, NewAxes, MomentTransformer):
    r"""The directions of largest variance: eigenvectors of :math:`\Sigma = U \Lambda U^\top`, scores :math:`X^c U_q`.

    Parameters
    ----------
    n_components : int, float in (0, 1), "mle" or None, default=None
        How many axes :math:`q` are kept; a fraction keeps as many as explain that share of the variance; "mle" is Minka's
        choice; None keeps all.
    copy : bool, default=True
        Accepted for scikit-learn's sake; the rows are never written to.
    whiten : bool, default=False
        Divide the scores by their standard deviations.
    svd_solver : {"auto", "full", "covariance_eigh", "arpack", "randomized"}, default="auto"
        "auto" takes the moments, or the dual when there are more columns than rows, or random projections for few axes of a large
        table; "full" goes back to the rows for the small singular values.
    tol : float, default=0.0
        Tolerance of "arpack".
    iterated_power : int or "auto", default="auto"
        Power iterations :math:`t` of "randomized"; more separate close singular values better.
    n_oversamples : int, default=10
        Extra random directions; more make the range surer.
    power_iteration_normalizer : {"auto", "QR", "LU", "none"}, default="auto"
        How the powers are kept from drowning in rounding.
    random_state : int or None
        Seed of "randomized" and "arpack".
    missing : {"refuse", "em"}, default="refuse"
        What a missing cell (NaN) brings: a refusal, as in scikit-learn; or "em", the covariance of largest likelihood among those of
        Gaussian rows whose cells are missing at random, found by EM, and in ``transform`` the conditional mean in its place.

    Attributes
    ----------
    components_ : array (q, p)
        The axes; the entry of largest size of each is positive.
    explained_variance_, explained_variance_ratio_, singular_values_ : arrays (q,)
        Variances along the axes with :math:`1/(n-1)`, as scikit-learn has them, as shares of the total, and
        :math:`\sqrt{n\lambda}` with the :math:`\lambda` of the next line.
    variances_ : array (q,)
        The eigenvalues :math:`\lambda_j` of :math:`\Sigma`, the variances with :math:`1/n` of the course; smaller than
        ``explained_variance_`` by the factor :math:`(n-1)/n`.
    inertia_ : float
        The course's inertia :math:`\mathrm{tr}\,\Sigma`, with :math:`1/n` too: the sum of all :math:`\lambda_j`, dropped ones included.
    mean_ : array (p,)
    noise_variance_ : float
        Mean variance along the axes that were dropped.
    n_components_, n_samples_ : int

    Notes
    -----
    One pass and :math:`O(p^3)`, or :math:`O(n^2 p)` when the rows are fewer. Sparse rows are not centred: only products with them are.

    References
    ----------
    Hastie, Tibshirani and Friedman, *The Elements of Statistical Learning*, section 14.5.

    Examples
    --------
    >>> X = [[0.0, 0.1], [1.0, 0.9], [2.0, 2.0], [3.0, 3.1]]
    >>> PCA(1).fit(X).explained_variance_ratio_.round(3)
    array([0.999])
    """

    state_parts = ("_filler",)
    _takes_sparse = True
    _as_given = ("components_", "mean_", "explained_variance_", "explained_variance_ratio_", "singular_values_")

    def __init__(
        self, n_components: Any = None, *, copy: bool = True, whiten: bool = False, svd_solver: str = "auto", tol: float = 0.0,
        iterated_power: Any = "auto", n_oversamples: int = 10, power_iteration_normalizer: str = "auto",
        random_state: Any = None, missing: str = "refuse",
    ) -> None:  # fmt: skip
        self.n_components = n_components
        self.copy = copy
        self.whiten = whiten
        self.svd_solver = svd_solver
        self.tol = tol
        self.iterated_power = iterated_power
        self.n_oversamples = n_oversamples
        self.power_iteration_normalizer = power_iteration_normalizer
        self.random_state = random_state
        self.missing = missing

    solves_there = True
    answers_anywhere = True

    @property
    def _takes_missing(self) -> bool:
        return self.missing == "em"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _check(self) -> None:
        if self.svd_solver not in SOLVERS:
            raise WrongUse(f"svd_solver is {self.svd_solver!r}; it must be one of {', '.join(SOLVERS)}.")
        if self.missing not in ("refuse", "em"):
            raise WrongUse(f"missing is {self.missing!r}; it must be 'refuse' or 'em'.")

    def rows_in(
        self, X: Any, y: Any = None, sample_weight: Any = None, fold: Codes | None = None, *, reset: bool = True
    ) -> Source:
        """Return the checked rows as a source of blocks; those on a device are brought here where no road is theirs."""
        X = sent(X)
        if reset and is_elsewhere(X) and X.ndim == 2 and not self._stays(X):
            tell_once(
                f"this road of PCA (svd_solver={self.svd_solver!r}) has none on the device: its rows are brought to the CPU."
            )
            X = at_home(X)
        return super().rows_in(X, y, sample_weight, fold, reset=reset)

    def _from_rows(self, source: Source) -> bool:
        """Take another road than one pass of sums, if the rows are at hand for it; sums that meet missing cells fill them."""
        try:
            if isinstance(source, SparseSource):
                return self._fit_sparse(source)
            if isinstance(source, ArraySource | ElsewhereSource):
                (n, p), w = source.X.shape, source.weight
                road = self._road(n, p)
                if road != "covariance_eigh":
                    refuse_large(n, p)
                    self._keep_count(n if w is None else w.sum(), int(min(n if w is None else w.sum(), p)))
                    getattr(self, f"_fit_{road}")(source.X, w)
                    return True
            if not self._takes_missing:
                return False
            self._take(self._sum(source))
        except MissingValues:
            if not self._takes_missing:
                raise
            rows, _, w = gather(source)  # conditional means need the rows at each step
            self._fit_missing(rows, w)
        return True

    def _fit_sparse(self, source: SparseSource) -> bool:
        """Find the axes of sparse rows without centring them, and tell whether they were found, not left to the sums."""
        X, w = source.X, source.weight
        n, p = X.shape
        road = sparse_road(self.svd_solver, n, p)
        if self.svd_solver in SEARCHES:
            self._insist_few(min(n, p))
        count = float(n if w is None else w.sum())
        self._keep_count(count, int(min(count, p)) - (road == "arpack"))
        if road == "covariance_eigh":
            return False
        X, q = X.astype(np.float64, copy=False), self.n_components
        few = min(n, p) - (road == "arpack") if q is None else q
        if road == "dual":
            found = axes_by_rows(X, w)
        elif not isinstance(few, int | np.integer):
            raise WrongUse(f"n_components={q!r} needs all axes; give their number for a sparse table of {n:,} x {p:,}.")
        elif road == "arpack":
            start = check_random_state(self.random_state).uniform(-1, 1, min(n, p))
            found = axes_by_lanczos(X, w, int(few), self.tol, start)
        else:
            rng = as_generator(self.random_state)
            found = axes_by_projections(
                X, w, int(few), self.n_oversamples, self.iterated_power, self.power_iteration_normalizer, rng
            )
        self.mean_ = found.mean
        self._set(found.values, found.axes, found.count, found.inertia, found.rank)
        return True

    def _stays(self, X: Any) -> bool:
        """Tell whether the axes of rows that lie elsewhere are found there."""
        xp = namespace(X)
        whole = not self._takes_missing or bool(xp.isfinite(xp.sum(X)))
        return is_real(X) and whole and self._road(*X.shape) in ("covariance_eigh", "randomised")

    def _look(self, m: Moments) -> None:
        """A constant column or a copy of another is no trouble to axes."""

    def _road(self, n: int, p: int) -> str:
        q = self.n_components
        few = isinstance(q, int | np.integer) and 1 <= q < 0.8 * min(n, p)
        if self.svd_solver in SEARCHES:
            self._insist_few(min(n, p))
            return "arpack" if self.svd_solver == "arpack" else "randomised"
        if self.svd_solver == "full":
            return "full"
        if self.svd_solver == "auto" and min(n, p) > 1000 and few and q < 0.1 * min(n, p):
            return "randomised"
        return "dual" if p > n and self.svd_solver == "auto" else "covariance_eigh"

    def _insist_few(self, rank: int) -> None:
        """Refuse a number of axes that a search for the leading ones cannot give."""
        q, solver = self.n_components, self.svd_solver
        if q is None:
            return
        if isinstance(q, str):
            raise WrongUse(f"n_components={q!r} cannot be a string with svd_solver={solver!r}: give a number of axes.")
        if not isinstance(q, int | np.integer) or not 1 <= q <= rank:
            raise WrongUse(
                f"n_components={q!r} must be between 1 and min(n_samples, n_features)={rank} with svd_solver={solver!r}, a whole number."
            )
        if solver == "arpack" and q == rank:
            raise WrongUse(
                f"n_components={q!r} must be strictly less than min(n_samples, n_features)={rank} with svd_solver='arpack'."
            )

    def _keep_count(self, n: float, rank: int) -> None:
        self.n_samples_ = int(n) if float(n).is_integer() else float(n)
        q = self.n_components
        if isinstance(q, str):
            if q != "mle":
                raise WrongUse(
                    f"n_components is {q!r}; it must be a number, 'mle' or None; choose_dimension proposes a number by other rules."
                )
            if n < self.n_features_in_:
                raise WrongUse("n_components='mle' is only supported if n_samples >= n_features")
        elif q is not None and q > 1 and int(q) != q:
            raise WrongUse(f"n_components={q!r} is neither a whole number of axes nor a share of the variance below 1.")
        elif q is not None and not (0 <= q <= rank):
            solver = "'full' or 'auto'" if self.svd_solver == "auto" else repr(self.svd_solver)
            raise WrongUse(
                f"n_components={q!r} must be between 0 and min(n_samples, n_features)={rank} with svd_solver={solver}."
            )

    def _solve(self, m: Moments) -> None:
        n = float(m.count)
        self._keep_count(n, int(min(n, m.p)) if n >= 1 else m.p)
        values, vectors = map(at_home, descending_eigh(m.covariance()))
        self.mean_ = at_home(m.mean)
        rank = int(min(n, m.p))
        self._set(np.maximum(values[:rank], 0.0), vectors.T[:rank], n, float(m.inertia()))

    def _set(self, values: Vector, axes: Matrix, n: float, inertia: float, rank: int | None = None) -> None:
        """Keep q axes; ``values`` are variances with 1/n, ``axes`` rows, fewer where the variance is zero."""
        rank = len(values) if rank is None else rank
        unbiased = n / max(n - 1.0, 1.0) if n > 1 else 1.0
        ratio = values / inertia if inertia > 0 else np.zeros_like(values)
        q = self._how_many(values, ratio, n)
        self.components_ = insist_orthonormal(turned(complete(axes[:q], q)))
        self.explained_variance_ = values[:q] * unbiased
        self.explained_variance_ratio_ = ratio[:q]
        self.singular_values_ = np.sqrt(values[:q] * n)
        self.inertia_ = inertia
        self.n_components_ = self._n_features_out = q
        dropped = inertia - values[:q].sum()
        self.noise_variance_ = float(max(dropped, 0.0) * unbiased / (rank - q)) if q < rank else 0.0
        self._settle_types()

    @property
    def variances_(self) -> Vector:
        """Eigenvalues of the covariance with 1/n, (q,)."""
        check_is_fitted(self)
        return self.singular_values_**2 / self.n_samples_

    def _how_many(self, values: Vector, ratio: Vector, n: float) -> int:
        q = self.n_components
        if q is None:
            return len(values)
        if q == "mle":
            return minka(values * n / (n - 1), int(n))
        if isinstance(q, float) and 0 < q < 1:
            return int(np.searchsorted(np.cumsum(ratio), q, side="right")) + 1
        return int(q)

    def _transform(self, X: Matrix) -> Matrix:
        if is_elsewhere(X):
            axes = self.components_.T / self._deviations() if self.whiten else self.components_.T
            found: Matrix = affine_rows(X - like(self.mean_, X, X.dtype), axes, np.zeros(axes.shape[1]))
            return found
        if is_sparse(X):
            scores = np.asarray(X @ self.components_.T) - self.mean_ @ self.components_.T
        else:
            X = self._filled(X) if np.isnan(X).any() else X
            scores = (X - self.mean_) @ self.components_.T
        if self.whiten:
            scores /= self._deviations()
        return scores.astype(X.dtype, copy=False)

    def _deviations(self) -> Vector:
        sd = np.sqrt(self.explained_variance_)
        return np.where(
            sd > np.finfo(float).eps * sd.max(initial=0.0), sd, np.finfo(float).eps if not sd.any() else sd.max()
        )

    def inverse_transform(self, X: Any) -> Matrix:
        """Return the rows that the scores ``X`` (n, q) stand for: mean plus scores times axes."""
        check_is_fitted(self)
        refuse_vector(X)
        scores = X if is_elsewhere(X) else np.asarray(X, dtype=np.float64)
        axes = self._deviations()[:, None] * self.components_ if self.whiten else self.components_
        rows: Matrix = affine_rows(scores, axes, self.mean_)
        return rows

    def reconstruction_error(self, X: Any) -> float:
        """Return the mean squared error of compressing and decompressing ``X``; on the training rows the dropped eigenvalues."""
        X = laid_out(self._leave(X))
        refuse_bad_cells(X, getattr(self, "feature_names_in_", None))
        C = (X - self.mean_) @ self.components_.T
        return float((((X - self.mean_) ** 2).sum() - (C**2).sum()) / len(X))


def complete(axes: Matrix, rank: int) -> Matrix:
    """Return ``rank`` orthonormal rows: the given ones, and any orthogonal directions after them.

    >>> complete(np.array([[1.0, 0.0]]), 2).round(12)[:, 1].tolist() in ([0.0, 1.0], [0.0, -1.0])
    True
    """
    missing = rank - len(axes)
    if missing <= 0:
        return axes
    spare = np.random.default_rng(0).normal(size=(missing, axes.shape[1]))
    for _ in range(2):
        spare -= (spare @ axes.T) @ axes
    return np.vstack([axes, np.asarray(np.linalg.qr(spare.T)[0].T, dtype=np.float64)])


def turned(axes: Matrix) -> Matrix:
    """Return :func:`fix_signs` of axes that nobody else holds: long ones, images perhaps, are turned where they lie.

    >>> turned(np.array([[0.6, -0.8]]))
    array([[-0.6,  0.8]])
    """
    if axes.size < LONG or not axes.flags.writeable or axes.strides[1] != axes.itemsize:
        return fix_signs(axes)
    for axis in axes:
        if axis.max() < -axis.min():
            axis *= axis.dtype.type(-1)
    return axes


def minka(spectrum: Vector, n: int) -> int:
    """Return the dimension of largest evidence (Minka, 2000), as scikit-learn does."""
    from sklearn.decomposition._pca import _infer_dimension

    return int(_infer_dimension(spectrum, n))
