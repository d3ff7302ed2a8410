r"""Networks of layers, fitted by backpropagation.

.. math:: f(x) = \mathrm{end}\bigl(W_L^\top \sigma(\dots \sigma(W_1^\top x + b_1) \dots) + b_L\bigr) \tag{1}

:mod:`epee.predictors.networks.layers` writes out how the error flows back.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state

from epee.errors import DataError, WrongUse
from epee.estimator.base import Classifier, Estimator, ProbabilityMixin, Regressor
from epee.predictors.ensembles.parameters import between, whole
from epee.predictors.networks.layers import ACTIVATIONS, Network, start_values
from epee.predictors.networks.training import Training, learn
from epee.predictors.networks.units import Units
from epee.solve.soundness import insist_sound
from epee.typing import Codes, Matrix, Vector


class MultilayerPerceptron(Estimator):
    """Start, training and the way forward."""

    state_parts = ("_network", "_one")
    _takes_sparse = "dense"
    scale_target = False  # classes have no unit

    coefs_: list[Matrix]
    intercepts_: list[Vector]

    def _check(self) -> tuple[int, ...]:
        for name, among in (
            ("activation", tuple(ACTIVATIONS)),
            ("solver", ("lbfgs", "sgd", "adam")),
            ("learning_rate", ("constant", "invscaling", "adaptive")),
        ):
            if getattr(self, name) not in among:
                raise WrongUse(f"{name} is {getattr(self, name)!r}; it must be one of {', '.join(map(repr, among))}.")
        between("alpha", self.alpha, 0, np.inf)
        between("learning_rate_init", self.learning_rate_init, 0, np.inf, open_low=True)
        whole("max_iter", self.max_iter, 1)
        if self.batch_size != "auto":
            whole("batch_size", self.batch_size, 1)
        return tuple(
            whole("hidden_layer_sizes", size, 1) for size in np.ravel(np.asarray(self.hidden_layer_sizes)).tolist()
        )

    def _fit(self, X: Matrix, y: Any, w: Vector | None) -> None:
        training = self._begun(X, y, w)
        learn([training])
        self._ended(training)

    @classmethod
    def fit_together(cls, models: Sequence[Self], rows: Sequence[tuple[Any, Any, Any]]) -> None:
        """Fit several networks, each on rows (X, y, weights or None) of its own: side by side where they have one shape."""
        begun = []
        for model, given in zip(models, rows, strict=True):
            X, y, w = model._enter_both(*given)
            if w is not None and isinstance(model, Classifier):
                model._check_weighted_classes(y, w)
            begun.append(model._begun(X, y, w))
        learn(begun)
        for model, training in zip(models, begun, strict=True):
            model._ended(training)
            insist_sound(model)

    def _begun(self, X: Matrix, y: Any, w: Vector | None) -> Training:
        """Return the network at its start, with the rows that it will see."""
        hidden = self._check()
        Y, end, strata = self._targets(y)
        units = Units.of(Y, w, end == "exp") if self.scale_target else None
        Y = Y if units is None else units.scaled(Y)
        X = np.asarray(X, dtype=np.float64)
        rng = check_random_state(self.random_state)
        sizes = (X.shape[1], *hidden, Y.shape[1])
        self.out_activation_, self.n_layers_, self.n_outputs_ = end, len(sizes), Y.shape[1]
        old = self.warm_start and hasattr(self, "coefs_") and [W.shape for W in self.coefs_] == list(pairwise(sizes))
        weights, biases = (self.coefs_, self.intercepts_) if old else start_values(sizes, self.activation, rng)
        if old and units is not None:
            weights, biases = units.forth(weights, biases)
        self._network = Network(self.activation, end, float(self.alpha))
        if not self.early_stopping or self.solver == "lbfgs":
            return Training(self._network, weights, biases, X, Y, w, self, rng, units)
        from sklearn.model_selection import train_test_split

        rows, held = train_test_split(
            np.arange(len(X)), random_state=rng, test_size=self.validation_fraction, stratify=strata
        )
        if len(held) < 2:
            raise DataError(
                f"early_stopping keeps only {len(held)} rows aside: enlarge validation_fraction, or add rows."
            )
        far, truth, weight = X[held], Y[held], None if w is None else w[held]

        def score(t: Training) -> float:
            return self._judge(self._network.forward(far, t.weights, t.biases)[-1], truth, weight)

        own = None if w is None else w[rows]
        return Training(self._network, weights, biases, X[rows], Y[rows], own, self, rng, units, score)

    def _ended(self, training: Training) -> None:
        found = training.weights, training.biases
        self.coefs_, self.intercepts_ = found if training.units is None else training.units.back(*found)
        self.loss_curve_, self.loss_ = training.curve, training.curve[-1]
        self.best_loss_ = None if self.early_stopping else min(training.curve)
        self.validation_scores_ = training.scores if self.early_stopping else None
        self.n_iter_ = len(training.curve)
        self.t_ = self.n_iter_ * len(training.X)

    def _out(self, X: Matrix) -> Matrix:
        """Return the last layer (n, outputs) of rows."""
        return self._network.forward(np.asarray(X, dtype=np.float64), self.coefs_, self.intercepts_)[-1]


class MLPClassifier(MultilayerPerceptron, ProbabilityMixin, Classifier):
    r"""Classes by a network (1) that ends in probabilities.

    Parameters
    ----------
    hidden_layer_sizes : tuple of int, default=(100,)
        Units of each hidden layer; more fit closer.
    activation : {"relu", "tanh", "logistic", "identity"}, default="relu"
        The :math:`\sigma` of hidden layers.
    solver : {"adam", "sgd", "lbfgs"}, default="adam"
        Mini-batches with adaptive steps or with momentum; or all rows at once, best for small tables.
    alpha : float >= 0, default=0.0001
        Decay of the weights; larger is smoother.
    batch_size : int or "auto", default="auto"
        Rows a step; "auto" is 200.
    learning_rate : {"constant", "invscaling", "adaptive"}, default="constant"
        How the steps of "sgd" change: not, with the rows seen, or by a fifth whenever nothing gets better.
    learning_rate_init : float, default=0.001
        The first step.
    power_t : float, default=0.5
        Exponent of "invscaling".
    max_iter : int, default=200
        Most passes over the rows (steps of "lbfgs").
    shuffle : bool, default=True
        Take the rows in a new order each pass.
    random_state : int, default=None
        Seed of the start, the order and the rows kept aside.
    tol : float, default=1e-4
        Least change that counts as better; least gradient of "lbfgs".
    verbose : bool, default=False
        Kept for scikit-learn's signature.
    warm_start : bool, default=False
        Begin with the weights of the last fit.
    momentum, nesterovs_momentum : float, bool, default=0.9, True
        Of "sgd".
    early_stopping : bool, default=False
        Keep rows aside, stop when they are no longer predicted better, and go back to the best weights.
    validation_fraction : float, default=0.1
        Share of the rows kept aside.
    beta_1, beta_2, epsilon : float, default=0.9, 0.999, 1e-8
        Of "adam".
    n_iter_no_change : int, default=10
        Passes without a better value before it stops.
    max_fun : int, default=15000
        Most steps of "lbfgs", too.

    Attributes
    ----------
    coefs_, intercepts_ : lists of arrays
        :math:`W_l` (before, after) and :math:`b_l`.
    loss_, loss_curve_ : float, list
        The objective at the end, and after each pass.
    n_iter_ : int

    Notes
    -----
    A pass costs about six products of the rows with each :math:`W_l`. Scale the columns first (:class:`StandardScaler`): steps are
    as long as inputs are large.

    References
    ----------
    D. Rumelhart, G. Hinton, R. Williams, "Learning representations by back-propagating errors", *Nature* 323, 1986.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]] * 10)
    >>> model = MLPClassifier((8,), "tanh", solver="lbfgs", random_state=0).fit(X, ["no", "yes", "yes", "no"] * 10)
    >>> model.predict([[0.0, 1.0], [1.0, 1.0]])
    array(['yes', 'no'], dtype='<U3')
    """

    def __init__(
        self, hidden_layer_sizes: Any = (100,), activation: str = "relu", *, solver: str = "adam", alpha: float = 0.0001,
        batch_size: Any = "auto", learning_rate: str = "constant", learning_rate_init: float = 0.001, power_t: float = 0.5,
        max_iter: int = 200, shuffle: bool = True, random_state: Any = None, tol: float = 1e-4, verbose: bool = False,
        warm_start: bool = False, momentum: float = 0.9, nesterovs_momentum: bool = True, early_stopping: bool = False,
        validation_fraction: float = 0.1, beta_1: float = 0.9, beta_2: float = 0.999, epsilon: float = 1e-8,
        n_iter_no_change: int = 10, max_fun: int = 15000,
    ) -> None:  # fmt: skip
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.solver = solver
        self.alpha = alpha
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.learning_rate_init = learning_rate_init
        self.power_t = power_t
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.random_state = random_state
        self.tol = tol
        self.verbose = verbose
        self.warm_start = warm_start
        self.momentum = momentum
        self.nesterovs_momentum = nesterovs_momentum
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon
        self.n_iter_no_change = n_iter_no_change
        self.max_fun = max_fun

    def _targets(self, y: Codes) -> tuple[Matrix, str, Codes]:
        """Return the targets of the last layer, how it ends, and what rows kept aside must be balanced by."""
        K = len(self.classes_)
        return (y[:, None].astype(np.float64), "logistic", y) if K == 2 else (np.eye(K)[y], "softmax", y)

    @staticmethod
    def _judge(P: Matrix, Y: Matrix, w: Vector | None) -> float:
        """Return the accuracy."""
        right = (Y > 0.5) == (P > 0.5) if P.shape[1] == 1 else np.argmax(Y, axis=1) == np.argmax(P, axis=1)
        return float(np.average(right.reshape(len(Y)), weights=w))

    def _proba(self, X: Matrix) -> Matrix:
        P = self._out(X)
        return np.column_stack([1 - P[:, 0], P[:, 0]]) if P.shape[1] == 1 else P


class MLPRegressor(MultilayerPerceptron, Regressor):
    r"""Numbers by a network (1).

    Parameters
    ----------
    loss : {"squared_error", "poisson"}, default="squared_error"
        Half the squared error, or Poisson's deviance, halved, with a positive prediction.
    hidden_layer_sizes : tuple of int, default=(100,)
        Units of each hidden layer; more fit closer.
    activation : {"relu", "tanh", "logistic", "identity"}, default="relu"
        The :math:`\sigma` of hidden layers.
    solver : {"adam", "sgd", "lbfgs"}, default="adam"
        Mini-batches with adaptive steps or with momentum; or all rows at once, best for small tables.
    alpha : float >= 0, default=0.0001
        Decay of the weights; larger is smoother.
    batch_size : int or "auto", default="auto"
        Rows a step; "auto" is 200.
    learning_rate : {"constant", "invscaling", "adaptive"}, default="constant"
        How the steps of "sgd" change: not, with the rows seen, or by a fifth whenever nothing gets better.
    learning_rate_init : float, default=0.001
        The first step.
    power_t : float, default=0.5
        Exponent of "invscaling".
    max_iter : int, default=200
        Most passes over the rows (steps of "lbfgs").
    shuffle : bool, default=True
        Take the rows in a new order each pass.
    random_state : int, default=None
        Seed of the start, the order and the rows kept aside.
    tol : float, default=1e-4
        Least change that counts as better; least gradient of "lbfgs".
    verbose : bool, default=False
        Kept for scikit-learn's signature.
    warm_start : bool, default=False
        Begin with the weights of the last fit.
    momentum, nesterovs_momentum : float, bool, default=0.9, True
        Of "sgd".
    early_stopping : bool, default=False
        Keep rows aside, stop when they are no longer predicted better, and go back to the best weights.
    validation_fraction : float, default=0.1
        Share of the rows kept aside.
    beta_1, beta_2, epsilon : float, default=0.9, 0.999, 1e-8
        Of "adam".
    n_iter_no_change : int, default=10
        Passes without a better value before it stops.
    max_fun : int, default=15000
        Most steps of "lbfgs", too.
    scale_target : bool, default=False
        Learn the target in its own units, :math:`(y - \bar y) / s`, with the mean and the deviation of the rows that are learned from
        (Poisson's loss: :math:`y / \bar y`): decays and steps then mean the same whatever it was measured in, and the answer for
        :math:`a y + b` is that for y, times a, plus b. ``coefs_`` are those of y again, ``loss_curve_`` is that of the scaled target.

    Attributes
    ----------
    coefs_, intercepts_ : lists of arrays
        :math:`W_l` (before, after) and :math:`b_l`.
    loss_, loss_curve_ : float, list
        The objective at the end, and after each pass.
    n_iter_ : int

    Notes
    -----
    A pass costs about six products of the rows with each :math:`W_l`. Scale the columns first (:class:`StandardScaler`): steps are
    as long as inputs are large.

    References
    ----------
    D. Rumelhart, G. Hinton, R. Williams, "Learning representations by back-propagating errors", *Nature* 323, 1986.

    Examples
    --------
    >>> X = np.linspace(-2, 2, 100)[:, None]
    >>> model = MLPRegressor(hidden_layer_sizes=(20,), activation="tanh", solver="lbfgs", max_iter=500, random_state=0).fit(X, X[:, 0] ** 2)
    >>> model.predict([[1.5]]).round(1)
    array([2.2])
    """

    _several_targets = True

    def __init__(
        self, loss: str = "squared_error", hidden_layer_sizes: Any = (100,), activation: str = "relu", *,
        solver: str = "adam", alpha: float = 0.0001,
        batch_size: Any = "auto", learning_rate: str = "constant", learning_rate_init: float = 0.001, power_t: float = 0.5,
        max_iter: int = 200, shuffle: bool = True, random_state: Any = None, tol: float = 1e-4, verbose: bool = False,
        warm_start: bool = False, momentum: float = 0.9, nesterovs_momentum: bool = True, early_stopping: bool = False,
        validation_fraction: float = 0.1, beta_1: float = 0.9, beta_2: float = 0.999, epsilon: float = 1e-8,
        n_iter_no_change: int = 10, max_fun: int = 15000, scale_target: bool = False,
    ) -> None:  # fmt: skip
        self.loss = loss
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.solver = solver
        self.alpha = alpha
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.learning_rate_init = learning_rate_init
        self.power_t = power_t
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.random_state = random_state
        self.tol = tol
        self.verbose = verbose
        self.warm_start = warm_start
        self.momentum = momentum
        self.nesterovs_momentum = nesterovs_momentum
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon
        self.n_iter_no_change = n_iter_no_change
        self.max_fun = max_fun
        self.scale_target = scale_target

    def _targets(self, y: np.ndarray) -> tuple[Matrix, str, None]:
        """Return the targets of the last layer and how it ends."""
        if self.loss not in ("squared_error", "poisson"):
            raise WrongUse(f"loss is {self.loss!r}; it must be 'squared_error' or 'poisson'.")
        if self.loss == "poisson" and (y < 0).any():
            row = int(np.argwhere(y < 0)[0][0])
            raise DataError(f"loss='poisson' needs counts: y is negative in row {row}. Choose another loss.")
        self._one = y.ndim == 1
        return y[:, None] if self._one else y, "identity" if self.loss == "squared_error" else "exp", None

    @staticmethod
    def _judge(P: Matrix, Y: Matrix, w: Vector | None) -> float:
        """Return R2."""
        from sklearn.metrics import r2_score

        return float(r2_score(Y, P, sample_weight=w)) if np.isfinite(P).all() else -np.inf

    def _predict(self, X: Matrix) -> np.ndarray:
        P = self._out(X)
        return P[:, 0] if self._one else P
