r"""Learning from labelled and unlabelled rows.

*Gaussian classes*: EM in which the responsibility of a labelled row is clamped to its label, so that the climb is on

.. math:: \sum_{i \in L} \log \pi_{y_i} \mathcal N(x_i; \mu_{y_i}, \Sigma_{y_i})
          + \eta \sum_{i \in U} \log \sum_k \pi_k \mathcal N(x_i; \mu_k, \Sigma_k). \tag{1}

*Self-training*: predict the unlabelled rows, believe those predicted with confidence, refit, until none is left.
*Label propagation*: labels flow along an affinity :math:`P` between rows until
:math:`F_U = (I - P_{UU})^{-1} P_{UL} Y_L`. When the model is wrong, unlabelled rows can do harm: compare before trusting.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.utils import get_tags

from epee.errors import DataError, SearchWarning, WrongUse
from epee.estimator.base import Classifier, PosteriorMixin, ProbabilityMixin, encode_labels, say
from epee.structure.em import Climb, Expected, expectation_maximisation
from epee.structure.gaussian_forms import Components, shape_covariances
from epee.structure.gaussian_mixture import components_from
from epee.structure.gaussian_steps import GaussianStep, step
from epee.table.arrays import ArraySource
from epee.table.block import Block, check_weights
from epee.typing import Codes, Matrix, Vector

UNLABELLED = -1


def split_labels(y: Any, n: int) -> tuple[np.ndarray, Codes]:
    """Return the classes and the codes of rows, -1 where a row has no label.

    A row without label has y = -1 (with number labels), None or NaN. When taking -1 for "no label" would leave a single class,
    as with the labels -1 and +1, it is a class.

    >>> split_labels(["a", None, "b"], 3)
    (array(['a', 'b'], dtype='<U1'), array([ 0, -1,  1]))
    """
    values = np.asarray(y)
    if values.ndim != 1 or len(values) != n:
        return encode_labels(y, n)
    if values.dtype.kind == "O":
        gone = np.array([v is None or v != v or (isinstance(v, int | np.integer) and v == UNLABELLED) for v in values])
    elif values.dtype.kind == "f":
        gone = np.isnan(values) | (values == UNLABELLED)
    elif values.dtype.kind in "iu":
        gone = values == UNLABELLED
    else:
        gone = np.zeros(n, dtype=bool)
    if gone.all() and n:
        raise DataError(
            "no row has a label: a classifier needs two classes (0 classes here). Without labels, see GaussianMixture."
        )
    numbers = values.dtype.kind in "iu" or (values.dtype.kind == "f" and not np.isnan(values).any())
    if gone.any() and numbers and len(np.unique(values[~gone])) < 2:
        gone[:] = False
    labelled = values[~gone]
    if values.dtype.kind == "O" and len(labelled):
        labelled = np.asarray(labelled.tolist())
    classes, known = encode_labels(labelled)
    codes = np.full(n, UNLABELLED, dtype=np.intp)
    codes[~gone] = known
    return classes, codes


class SomeLabels(Classifier):
    """A classifier that takes rows without a label: their code is -1."""

    def _enter_target(self, y: Any, n: int) -> Codes:
        self.classes_, codes = split_labels(y, n) if y is not None else encode_labels(y)
        self._check_classes(self.classes_, codes)
        return codes


@dataclass(eq=False)
class ClampedStep(GaussianStep):
    """The E-step in which a labelled row belongs to its class alone."""

    unlabelled_weight: float = 1.0

    def __reduce__(self) -> tuple[Any, ...]:
        return ClampedStep, (self.components, self.factors, {}, self.large, None, self.unlabelled_weight)

    def __call__(self, block: Block) -> Expected:
        X = np.asarray(block.X, dtype=np.float64)
        w = np.ones(len(X)) if block.weight is None else block.weight
        assert block.group is not None
        labelled = np.asarray(block.group >= 0)
        whole = np.zeros(X.shape[1], dtype=bool)
        total = self.nothing(X.shape[1])
        if (~labelled).any() and self.unlabelled_weight > 0:
            total = total + self.sums(X[~labelled], self.unlabelled_weight * w[~labelled], whole)
        if labelled.any():
            total = total + self._labelled(X[labelled], w[labelled], block.group[labelled])
        return total

    def _labelled(self, X: Matrix, w: Vector, codes: Codes) -> Expected:
        c, K = self.components, self.components.n_components
        R = np.eye(K)[codes] * w[:, None]
        ll = float((self.log_joint(X)[np.arange(len(X)), codes] * w).sum())
        flat = c.form in ("diag", "spherical")
        D = X - c.means[codes]
        s = R.T @ D
        if flat:
            Q = R.T @ (D * D)
        else:
            Q = np.stack([(D[codes == k] * w[codes == k, None]).T @ D[codes == k] for k in range(K)])
        return Expected(ll, float(w.sum()), (R.sum(axis=0), s, Q, np.zeros(1)))


class SemiSupervisedGaussian(PosteriorMixin, SomeLabels):
    r"""Gaussian classes from labelled and unlabelled rows, by EM with the known labels clamped.

    Parameters
    ----------
    covariance_type : {"full", "tied", "diag", "spherical"}, default="full"
        "full" is quadratic discriminant analysis, "tied" linear, "diag" naive Bayes, each helped by unlabelled rows.
    unlabelled_weight : float in [0, 1], default=1.0
        :math:`\eta` in (1): how much an unlabelled row counts; 0 is the supervised fit.
    tol, reg_covar, max_iter :
        As in :class:`~epee.GaussianMixture`.

    Attributes
    ----------
    classes_, priors_, means_, covariances_ : the classes
    trace_, n_iter_, converged_ : how the climb went

    Notes
    -----
    A step costs :math:`O(nKp^2)`. A label of -1, None or NaN marks an unlabelled row.

    References
    ----------
    Nigam, McCallum, Thrun and Mitchell, *Machine Learning* 39 (2000).

    Examples
    --------
    >>> X = [[0.0], [0.2], [0.3], [5.0], [5.1], [5.3]]
    >>> SemiSupervisedGaussian(covariance_type="tied").fit(X, [0, -1, -1, -1, -1, 1]).predict([[0.4], [4.9]])
    array([0, 1])
    """

    state_parts = ("_about", "_step")

    def __init__(
        self, *, covariance_type: str = "full", unlabelled_weight: float = 1.0, tol: float = 1e-6, reg_covar: float = 1e-6,
        max_iter: int = 200,
    ) -> None:  # fmt: skip
        self.covariance_type = covariance_type
        self.unlabelled_weight = unlabelled_weight
        self.tol = tol
        self.reg_covar = reg_covar
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from the rows of ``X`` (n, p); ``y`` is -1, None or NaN where a row has no label."""
        if not 0 <= self.unlabelled_weight <= 1:
            raise WrongUse(f"unlabelled_weight is {self.unlabelled_weight!r}; it must lie between 0 and 1.")
        if self.covariance_type not in ("full", "tied", "diag", "spherical"):
            raise WrongUse(
                f"covariance_type is {self.covariance_type!r}; it must be 'full', 'tied', 'diag' or 'spherical'."
            )
        X, codes, w = self._enter_both(X, y, sample_weight)
        self._about = len(X)
        labelled = codes >= 0
        self._check_weighted_classes(codes[labelled], np.ones(labelled.sum()) if w is None else w[labelled])
        R = np.eye(len(self.classes_))[codes[labelled]]
        R = R if w is None else R * w[labelled][:, None]
        theta = components_from(np.asarray(X[labelled], dtype=np.float64), R, self.covariance_type, self.reg_covar)
        if labelled.all():
            self._keep(Climb(theta, [], True))
            return self
        source = ArraySource(X, None, w, None, codes)
        climb = expectation_maximisation(self, source, theta=theta, tol=self.tol, max_iter=self.max_iter)
        self._keep(climb)
        if not climb.converged:
            say(f"EM stopped because {climb.reason}: raise max_iter.", SearchWarning)
        return self

    def _keep(self, climb: Climb) -> None:
        theta: Components = climb.theta
        self.priors_, self.means_, self.covariances_ = theta.weights, theta.means, theta.covariances
        self._step = step(theta, self._about)
        self.trace_, self.n_iter_, self.converged_ = climb.trace, max(climb.iterations, 1), climb.converged

    def expect(self, theta: Components) -> ClampedStep:
        """Return the E-step of a block."""
        plain = step(theta, self._about)
        return ClampedStep(theta, plain.factors, {}, plain.large, unlabelled_weight=self.unlabelled_weight)

    def maximise(self, expected: Expected, theta: Components) -> Components:
        """Return the classes that maximise the bound."""
        N, s, Q, _ = expected.sums
        delta = s / N[:, None]
        Q = Q - N[:, None] * delta**2 if Q.ndim == 2 else Q - N[:, None, None] * delta[:, :, None] * delta[:, None, :]
        covariances = shape_covariances(N, Q, theta.form, self.reg_covar)
        return replace(theta, weights=N / N.sum(), means=theta.means + delta, covariances=covariances)

    def _score(self, X: Matrix) -> Matrix:
        return self._step.log_joint(np.asarray(X, dtype=np.float64))


class SelfTraining(MetaEstimatorMixin, ProbabilityMixin, SomeLabels):
    """A classifier that teaches itself: confident predictions become labels, until none is confident.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``
        What is fitted again on its own surest answers.
    threshold : float in [0, 1), default=0.75
        Confidence above which a prediction is believed; higher believes fewer and surer ones.
    max_iter : int or None, default=10
        Rounds; None goes on until no row is added.

    Attributes
    ----------
    estimator_ : the classifier fitted last
    transduction_ : labels of the training rows, given or found; -1 codes in ``labeled_iter_`` were never believed
    labeled_iter_ : round in which a row was labelled, 0 for given labels, -1 for never
    n_iter_, termination_condition_

    Notes
    -----
    One fit a round. A label of -1, None or NaN marks an unlabelled row.

    References
    ----------
    Yarowsky, *ACL* (1995).

    Examples
    --------
    >>> from epee import LinearDiscriminantAnalysis
    >>> X = [[0.0], [0.2], [0.3], [5.0], [5.1], [5.3]]
    >>> SelfTraining(LinearDiscriminantAnalysis()).fit(X, [0, 0, -1, -1, 1, 1]).transduction_
    array([0, 0, 0, 1, 1, 1])
    """

    state_parts = ("_order",)

    def __init__(self, estimator: Any, threshold: float = 0.75, max_iter: int | None = 10) -> None:
        self.estimator = estimator
        self.threshold = threshold
        self.max_iter = max_iter

    @property
    def _takes_sparse(self) -> bool:
        return bool(get_tags(self.estimator).input_tags.sparse)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from the rows of ``X`` (n, p); ``y`` is -1, None or NaN where a row has no label."""
        if not 0 <= self.threshold < 1:
            raise WrongUse(f"threshold is {self.threshold!r}; it must be at least 0 and below 1.")
        X, codes, w = self._enter_both(X, y, sample_weight)
        known, rounds = codes.copy(), np.where(codes >= 0, 0, -1)
        self.n_iter_, self.termination_condition_ = 0, "all_labeled"
        while True:
            rows = known >= 0
            weight = {} if w is None else {"sample_weight": w[rows]}
            self.estimator_ = clone(self.estimator).fit(X[rows], self.classes_[known[rows]], **weight)
            self._order = np.searchsorted(self.estimator_.classes_, self.classes_)
            left = np.flatnonzero(~rows)
            if not len(left):
                break
            if self.max_iter is not None and self.n_iter_ >= self.max_iter:
                self.termination_condition_ = "max_iter"
                break
            P = self._proba(X[left])
            sure = P.max(axis=1) > self.threshold
            if not sure.any():
                self.termination_condition_ = "no_change"
                break
            self.n_iter_ += 1
            known[left[sure]], rounds[left[sure]] = P[sure].argmax(axis=1), self.n_iter_
        self.labeled_iter_, self.n_iter_ = rounds, max(self.n_iter_, 1)
        self.transduction_ = self.classes_[np.where(known >= 0, known, 0)]
        return self

    def _proba(self, X: Matrix) -> Matrix:
        return self.estimator_.predict_proba(X)[:, self._order]


class LabelPropagation(ProbabilityMixin, SomeLabels):
    r"""Labels that flow between similar rows until they settle: :math:`F_U = (I - P_{UU})^{-1} P_{UL} Y_L`.

    Parameters
    ----------
    kernel : {"rbf", "knn"} or callable, default="rbf"
        Affinity between rows.
    gamma : float, default=20
        Of "rbf", :math:`e^{-\gamma \|x - x'\|^2}`; larger lets labels flow less far.
    n_neighbors : int, default=7
        Of "knn".
    max_iter : int, default=1000
        Largest number of steps; a warning says when it was not enough.
    tol : float, default=1e-3
        Stop when the labels move by less; with at most 2,000 unlabelled rows the limit is solved exactly instead.
    n_jobs : accepted
        For scikit-learn's sake.

    Attributes
    ----------
    X_, classes_, label_distributions_, transduction_, n_iter_ : as in scikit-learn

    Notes
    -----
    Memory :math:`O(n^2)` with "rbf", :math:`O(nk)` with "knn".

    References
    ----------
    Zhu and Ghahramani, CMU-CALD-02-107 (2002).

    Examples
    --------
    >>> X = [[0.0], [0.2], [0.4], [5.0], [5.1], [5.3]]
    >>> LabelPropagation().fit(X, [0, -1, -1, -1, -1, 1]).transduction_
    array([0, 0, 0, 1, 1, 1])
    """

    _takes_sparse = "dense"

    def __init__(
        self, kernel: Any = "rbf", *, gamma: float = 20, n_neighbors: int = 7, max_iter: int = 1000, tol: float = 1e-3, n_jobs: Any = None
    ) -> None:  # fmt: skip
        self.kernel = kernel
        self.gamma = gamma
        self.n_neighbors = n_neighbors
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> Self:
        """Let the labels flow; ``y`` is -1, None or NaN where a row has no label."""
        X, codes, _ = self._enter_both(X, y, check_weights(None, 0))
        self.X_ = np.asarray(X, dtype=np.float64)
        known = codes >= 0
        F = np.zeros((len(X), len(self.classes_)))
        F[known] = np.eye(len(self.classes_))[codes[known]]
        self.n_iter_ = 1
        if not known.all():
            F[~known] = self._settle(self._build_graph(), F, known)
        lost = F.sum(axis=1) <= 1e-12  # no label flows so far: the nearest ones decide
        if lost.any():
            F[lost] = np.asarray(self._affinity(self.X_[lost], self.X_[known]) @ F[known])
        total = F.sum(axis=1, keepdims=True)
        share = F[known].mean(axis=0)
        self.label_distributions_ = np.where(total > 0, F / np.where(total > 0, total, 1.0), share)
        self.transduction_ = self.classes_[self.label_distributions_.argmax(axis=1)]
        return self

    def _build_graph(self) -> Any:
        """Return the share (n, n) that each row takes from each other, its affinities scaled to the sum 1; sparse where these are."""
        W = self._affinity(self.X_, self.X_)
        total = np.asarray(W.sum(axis=1)).reshape(-1)
        scale = 1.0 / np.where(total > 0, total, 1.0)[:, None]
        return W.multiply(scale).tocsr() if issparse(W) else W * scale

    def _affinity(self, A: Matrix, B: Matrix) -> Any:
        if callable(self.kernel):
            W = self.kernel(A, B)
            return W.tocsr() if issparse(W) else np.asarray(W)
        if self.kernel == "rbf":
            if not self.gamma > 0:
                raise WrongUse(f"gamma is {self.gamma!r}; it must be positive.")
            from epee.structure.kernel_density import distances2

            D = distances2(A, B)  # only shares of a row count, so its nearest weighs 1: far rows do not underflow
            return np.exp(-self.gamma * (D - D.min(axis=1, keepdims=True)))
        if self.kernel == "knn":
            from sklearn.neighbors import NearestNeighbors

            k = min(self.n_neighbors, len(B))
            return NearestNeighbors(n_neighbors=k).fit(B).kneighbors_graph(A, mode="connectivity").tocsr()
        raise WrongUse(f"kernel is {self.kernel!r}; it must be 'rbf', 'knn' or a function of two tables.")

    def _settle(self, P: Any, F: Matrix, known: np.ndarray) -> Matrix:
        inner, outer = P[~known][:, ~known], P[~known][:, known]
        flow = np.asarray(outer @ F[known])
        if isinstance(inner, np.ndarray) and len(flow) <= 2000:
            system = np.eye(len(flow)) - inner
            if np.linalg.cond(system, 1) < 1e12:
                return np.linalg.solve(system, flow)
        G = np.zeros_like(flow)
        for iteration in range(1, self.max_iter + 1):
            self.n_iter_ = iteration
            before, G = G, np.asarray(inner @ G) + flow
            if np.abs(G - before).sum() < self.tol:
                return G
        say(f"labels still moved after max_iter={self.max_iter} rounds: raise it, or tol.", SearchWarning)
        return G

    def _proba(self, X: Matrix) -> Matrix:
        W = self._affinity(np.asarray(X, dtype=np.float64), self.X_)
        P = np.asarray(W @ self.label_distributions_)
        total = P.sum(axis=1, keepdims=True)
        return np.where(total > 0, P / np.where(total > 0, total, 1.0), self.label_distributions_.mean(axis=0))
