r"""Boosted trees.

A sum of small trees, each grown on the slopes of the loss at the scores of those before,

.. math:: f(x) = f_0 + \nu \sum_{t=1}^{T} T_t(x), \tag{1}

with the learning rate :math:`\nu`. Columns are cut into at most 255 bins, and a tree sees the rows only through histograms: sums of
gradients, curvatures and counts by node, column and bin (:mod:`epee.predictors.ensembles.growth`). These are whole numbers, so
the trees are the same, to the last bit, for any number of threads, and from an array, a file or a cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Self

import numpy as np

from epee.errors import WrongUse
from epee.estimator.base import Classifier, ProbabilityMixin, Regressor
from epee.estimator.kinship import akin
from epee.predictors.ensembles.boosting_base import HistGradientBoosting
from epee.predictors.ensembles.objectives import (
    Absolute,
    Gamma,
    Huber,
    ManyClasses,
    Objective,
    OneClass,
    Poisson,
    Quantile,
    Squared,
    TwoClasses,
)
from epee.predictors.ensembles.parameters import between
from epee.table.doors import is_stream
from epee.typing import Labels, Matrix, Vector


@akin("sklearn.ensemble._hist_gradient_boosting.gradient_boosting")
class HistGradientBoostingRegressor(HistGradientBoosting, Regressor):
    r"""A number by a sum of small trees, (1).

    Parameters
    ----------
    loss : {"squared_error", "absolute_error", "quantile", "huber", "poisson", "gamma"}, default="squared_error"
        What is made small; "poisson" and "gamma" predict :math:`e^f`.
    quantile : float in [0, 1], default=None
        Level of the loss "quantile"; for "huber" the quantile of the residuals beyond which they count as absolute, 0.9 by default.
    learning_rate : float > 0, default=0.1
        The :math:`\nu` of (1); smaller needs more rounds and often generalises better.
    max_iter : int, default=100
        Rounds :math:`T`; more fit closer.
    max_leaf_nodes : int or None, default=31
        Most leaves of a tree; more fit closer.
    max_depth : int or None, default=None
        Longest branch.
    min_samples_leaf : int, default=20
        Least count of a leaf; larger is smoother.
    l2_regularization : float >= 0, default=0.0
        The :math:`\lambda` of a leaf's value; larger pulls leaves to 0.
    max_features : float in (0, 1], default=1.0
        Share of the columns that a node looks at, drawn anew at each.
    max_bins : int up to 255, default=255
        Bins of a column.
    categorical_features : list of columns, mask, "from_dtype" or None, default="from_dtype"
        Columns whose values are names, cut by sets; "from_dtype" takes those that a frame calls categories. Beyond ``max_bins`` levels
        the rarest share a bin.
    monotonic_cst : array (p,) of -1, 0, 1, or dict by name, default=None
        Whether the score must fall or grow with an input.
    interaction_cst : list of sets of columns, "pairwise", "no_interactions" or None, default=None
        Which columns may meet in a branch.
    warm_start : bool, default=False
        Go on from the trees of the last fit.
    early_stopping : bool or "auto", default="auto"
        Stop when rows kept aside are no longer predicted better; "auto" does so beyond 10,000 rows.
    scoring : "loss", name or callable, default="loss"
        What is watched.
    validation_fraction : float, int or None, default=0.1
        How many rows are kept aside, by the rule of the folds; None watches the training rows.
    n_iter_no_change : int, default=10
        Rounds without a better score before it stops.
    tol : float, default=1e-7
        Least gain in score that counts.
    verbose : int, default=0
        Kept for scikit-learn's signature; progress is shown by ``epee.options``.
    random_state : int, default=None
        Seed of the columns drawn and the rows kept aside; None is 0, so a fit is always the same.

    Attributes
    ----------
    trees_ : Trees
        All trees as arrays.
    n_iter_ : int
        Rounds made.
    train_score_, validation_score_ : arrays (rounds + 1,)
        Scores by round where early stopping watched.
    is_categorical_ : array (p,), or None without categories
        Which columns are categories.
    gain_importances_ : array (p,)
        The share of each column in what the cuts gained.

    Notes
    -----
    A round reads every row about three times: :math:`O(np)` bytes, whatever the depth. A missing cell goes to the side that gains more;
    where none were seen, to the larger. Weights are counts, in ``min_samples_leaf`` too. From files or Dask the columns become
    bytes in a temporary file and the trees are the same.

    References
    ----------
    J. Friedman, "Greedy function approximation: a gradient boosting machine", *Annals of Statistics* 29, 2001; G. Ke et al.,
    "LightGBM: a highly efficient gradient boosting decision tree", *NIPS*, 2017.

    Examples
    --------
    >>> X = [[float(i)] for i in range(100)]
    >>> model = HistGradientBoostingRegressor(min_samples_leaf=5).fit(X, [i // 50 for i in range(100)])
    >>> model.predict([[10.0], [90.0]]).round(3)
    array([0., 1.])
    """

    def __init__(
        self, loss: str = "squared_error", *, quantile: float | None = None,
        learning_rate: float = 0.1, max_iter: int = 100, max_leaf_nodes: int | None = 31,
        max_depth: int | None = None, min_samples_leaf: int = 20, l2_regularization: float = 0.0, max_features: float = 1.0,
        max_bins: int = 255, categorical_features: Any = "from_dtype", monotonic_cst: Any = None, interaction_cst: Any = None,
        warm_start: bool = False, early_stopping: Any = "auto", scoring: Any = "loss", validation_fraction: Any = 0.1,
        n_iter_no_change: int = 10, tol: float = 1e-7, verbose: int = 0, random_state: Any = None,
    ) -> None:  # fmt: skip
        self.loss = loss
        self.quantile = quantile
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.max_features = max_features
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.warm_start = warm_start
        self.early_stopping = early_stopping
        self.scoring = scoring
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, X_val: Any = None, y_val: Any = None, sample_weight_val: Any = None
    ) -> Self:  # fmt: skip
        """Learn from the rows of ``X`` (n, p) and their values ``y``; of a file or a cluster ``y`` may be the name of a column.

        ``X_val``, ``y_val`` and ``sample_weight_val`` are rows that early stopping watches, in the place of a share of ``X``.
        """
        if X_val is not None or y_val is not None:
            return self._fit_watching((X, y, sample_weight), (X_val, y_val, sample_weight_val))
        return self._fit_stream(X, y, sample_weight) if is_stream(X) else super().fit(X, y, sample_weight)

    def _objective(self) -> Objective:
        if self.loss == "quantile" and self.quantile is None:
            raise WrongUse("loss='quantile' needs a level: quantile=0.9, for example.")
        level = 0.5 if self.quantile is None else between("quantile", self.quantile, 0, 1)
        makers: dict[str, Callable[[], Objective]] = {
            "squared_error": Squared, "absolute_error": Absolute, "quantile": lambda: Quantile(level=level),
            "huber": lambda: Huber(level=0.9 if self.quantile is None else level), "poisson": Poisson, "gamma": Gamma,
        }  # fmt: skip
        if self.loss not in makers:
            raise WrongUse(f"loss is {self.loss!r}; it must be one of {', '.join(map(repr, makers))}.")
        return makers[self.loss]()

    def _said(self, raw: Matrix, needs: str, objective: Objective | None = None) -> Vector:
        return (objective or self._loss).answer(raw)

    def _predict(self, X: Matrix) -> Vector:
        return self._loss.answer(self._raw_predict(X))

    def staged_predict(self, X: Any) -> Iterator[Vector]:
        """Yield the predictions after each round."""
        for raw in self._staged(X):
            yield self._loss.answer(raw)


@akin("sklearn.ensemble._hist_gradient_boosting.gradient_boosting")
class HistGradientBoostingClassifier(HistGradientBoosting, ProbabilityMixin, Classifier):
    r"""Classes by the log-odds of sums of small trees, (1): one sum for two classes, one a class for more.

    Parameters
    ----------
    loss : {"log_loss"}, default="log_loss"
        The log loss of the probabilities.
    learning_rate : float > 0, default=0.1
        The :math:`\nu` of (1); smaller needs more rounds and often generalises better.
    max_iter : int, default=100
        Rounds :math:`T`; more fit closer.
    max_leaf_nodes : int or None, default=31
        Most leaves of a tree; more fit closer.
    max_depth : int or None, default=None
        Longest branch.
    min_samples_leaf : int, default=20
        Least count of a leaf; larger is smoother.
    l2_regularization : float >= 0, default=0.0
        The :math:`\lambda` of a leaf's value; larger pulls leaves to 0.
    max_features : float in (0, 1], default=1.0
        Share of the columns that a node looks at, drawn anew at each.
    max_bins : int up to 255, default=255
        Bins of a column.
    categorical_features : list of columns, mask, "from_dtype" or None, default="from_dtype"
        Columns whose values are names, cut by sets; "from_dtype" takes those that a frame calls categories. Beyond ``max_bins`` levels
        the rarest share a bin.
    monotonic_cst : array (p,) of -1, 0, 1, or dict by name, default=None
        Whether the score must fall or grow with an input.
    interaction_cst : list of sets of columns, "pairwise", "no_interactions" or None, default=None
        Which columns may meet in a branch.
    warm_start : bool, default=False
        Go on from the trees of the last fit.
    early_stopping : bool or "auto", default="auto"
        Stop when rows kept aside are no longer predicted better; "auto" does so beyond 10,000 rows.
    scoring : "loss", name or callable, default="loss"
        What is watched.
    validation_fraction : float, int or None, default=0.1
        How many rows are kept aside, by the rule of the folds; None watches the training rows.
    n_iter_no_change : int, default=10
        Rounds without a better score before it stops.
    tol : float, default=1e-7
        Least gain in score that counts.
    verbose : int, default=0
        Kept for scikit-learn's signature; progress is shown by ``epee.options``.
    random_state : int, default=None
        Seed of the columns drawn and the rows kept aside; None is 0, so a fit is always the same.
    class_weight : dict, "balanced" or None, default=None
        Factors of the weights of the rows by class.

    Attributes
    ----------
    trees_ : Trees
        All trees as arrays.
    n_iter_ : int
        Rounds made.
    train_score_, validation_score_ : arrays (rounds + 1,)
        Scores by round where early stopping watched.
    is_categorical_ : array (p,), or None without categories
        Which columns are categories.
    gain_importances_ : array (p,)
        The share of each column in what the cuts gained.

    Notes
    -----
    A round reads every row about three times: :math:`O(np)` bytes, whatever the depth. A missing cell goes to the side that gains more;
    where none were seen, to the larger. Weights are counts, in ``min_samples_leaf`` too. From files or Dask the columns become
    bytes in a temporary file and the trees are the same.

    References
    ----------
    J. Friedman, "Greedy function approximation: a gradient boosting machine", *Annals of Statistics* 29, 2001; G. Ke et al.,
    "LightGBM: a highly efficient gradient boosting decision tree", *NIPS*, 2017.

    Examples
    --------
    >>> X = [[float(i)] for i in range(100)]
    >>> model = HistGradientBoostingClassifier(min_samples_leaf=5).fit(X, ["a"] * 50 + ["b"] * 50)
    >>> model.predict([[10.0], [90.0]])
    array(['a', 'b'], dtype='<U1')
    """

    _enter_labels = True
    _minimum_classes = 1

    def __init__(
        self, loss: str = "log_loss", *, learning_rate: float = 0.1, max_iter: int = 100, max_leaf_nodes: int | None = 31,
        max_depth: int | None = None, min_samples_leaf: int = 20, l2_regularization: float = 0.0, max_features: float = 1.0,
        max_bins: int = 255, categorical_features: Any = "from_dtype", monotonic_cst: Any = None, interaction_cst: Any = None,
        warm_start: bool = False, early_stopping: Any = "auto", scoring: Any = "loss", validation_fraction: Any = 0.1,
        n_iter_no_change: int = 10, tol: float = 1e-7, verbose: int = 0, random_state: Any = None,
        class_weight: Any = None,
    ) -> None:  # fmt: skip
        self.loss = loss
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.max_features = max_features
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.warm_start = warm_start
        self.early_stopping = early_stopping
        self.scoring = scoring
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state
        self.class_weight = class_weight

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, X_val: Any = None, y_val: Any = None, sample_weight_val: Any = None
    ) -> Self:  # fmt: skip
        """Learn from the rows of ``X`` (n, p) and their labels ``y``; of a file or a cluster ``y`` may be the name of a column.

        ``X_val``, ``y_val`` and ``sample_weight_val`` are rows that early stopping watches, in the place of a share of ``X``.
        """
        if X_val is not None or y_val is not None:
            return self._fit_watching((X, y, sample_weight), (X_val, y_val, sample_weight_val))
        return self._fit_stream(X, y, sample_weight) if is_stream(X) else super().fit(X, y, sample_weight)

    def _objective(self) -> Objective:
        if self.loss != "log_loss":
            raise WrongUse(f"loss is {self.loss!r}; it must be 'log_loss'.")
        if len(self.classes_) <= 2:
            return TwoClasses() if len(self.classes_) == 2 else OneClass()
        if self._signs.any():
            raise WrongUse(
                "monotonic constraints are not supported for multiclass classification: K scores have no one order."
            )
        return ManyClasses(outputs=len(self.classes_))

    def _factored(self, y: Vector, w: Vector | None) -> Vector | None:
        """Return the weights of the rows with the factors of their classes."""
        if self.class_weight is None:
            return w
        from sklearn.utils.class_weight import compute_class_weight

        codes = y.astype(int)
        if self.class_weight == "balanced":
            counts = np.bincount(codes, weights=w, minlength=len(self.classes_))
            factors = counts.sum() / (len(counts) * np.maximum(counts, 1e-300))
        else:
            factors = compute_class_weight(self.class_weight, classes=self.classes_, y=self.classes_[codes])
        return factors[codes] if w is None else w * factors[codes]

    def _said(self, raw: Matrix, needs: str, objective: Objective | None = None) -> Any:
        if needs == "scores":
            return raw[:, 0] if raw.shape[1] == 1 else raw
        P = (objective or self._loss).answer(raw)
        return self.classes_[np.argmax(P, axis=1)] if needs == "labels" else P

    def _proba(self, X: Matrix) -> Matrix:
        return self._loss.answer(self._raw_predict(X))

    def decision_function(self, X: Any) -> Matrix:
        """Return the log-odds of the second class (n,), or the score of each of several (n, K)."""
        return self._said(self._raw_predict(self._leave(X)), "scores")

    def staged_predict(self, X: Any) -> Iterator[Labels]:
        """Yield the classes predicted after each round."""
        for raw in self._staged(X):
            yield self._said(raw, "labels")

    def staged_predict_proba(self, X: Any) -> Iterator[Matrix]:
        """Yield the probabilities after each round."""
        for raw in self._staged(X):
            yield self._loss.answer(raw)

    def staged_decision_function(self, X: Any) -> Iterator[Matrix]:
        """Yield the scores after each round."""
        for raw in self._staged(X):
            yield self._said(raw, "scores")
