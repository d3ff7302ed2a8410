r"""Networks of layers, fitted by backpropagation.

.. math:: f(x) = \mathrm{end}\bigl(W_L^\top \sigma(\dots \sigma(W_1^\top x + b_1) \dots) + b_L\bigr) \tag{1}

:mod:`epee.predictors.networks.layers` writes out how the error flows back.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import type_of_target

from epee.errors import DataError, WrongUse
from epee.estimator.base import Classifier, ProbabilityMixin, Regressor, encode_labels
from epee.estimator.outputs import is_several
from epee.predictors.networks.fitting import MultilayerPerceptron, by_few
from epee.table.block import check_weights
from epee.typing import Codes, Labels, Matrix, Vector


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
        Print the loss after each pass.
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

    _minimum_classes = 1

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    def _enter_target(self, y: Any, n: int) -> Codes:
        known = self.__dict__.get("classes_") if self.warm_start and hasattr(self, "coefs_") else None
        if not is_several(y):
            codes = super()._enter_target(y, n)
            if known is not None and not np.array_equal(known, self.classes_):
                seen, self.classes_ = self.classes_, known
                raise DataError(
                    "warm_start can only be used where `y` has the same classes as in the previous call to fit. Previously got "
                    f"{known}, `y` has {seen}"
                )
            return codes
        marks = np.asarray(y)
        if type_of_target(marks) != "multilabel-indicator" or len(marks) != n:
            raise DataError(
                f"y has shape {marks.shape}: several columns of y are marks, 0 or 1, of labels that a row may bear together, a line for "
                f"each of the {n} rows."
            )
        self.classes_ = np.arange(marks.shape[1])
        return marks.astype(np.intp)

    def _check_weighted_classes(self, codes: Codes, w: Vector) -> None:
        if codes.ndim == 1:
            super()._check_weighted_classes(codes, w)

    @available_if(by_few)
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Go over these rows once, from the weights of the last call; ``classes`` names all labels at the first one."""
        known = self.__dict__.get("classes_")
        if known is None and classes is None:
            raise DataError(
                "classes must be passed on the first call to partial_fit: the last layer has a unit for each."
            )
        labels: Any = known if classes is None else np.unique(np.asarray(classes))
        if known is not None and not np.array_equal(known, labels):
            raise DataError(f"classes is {labels.tolist()}, and the first call to partial_fit knew {known.tolist()}.")
        X = self._enter(X, reset=known is None)
        if is_several(y):
            codes = self._enter_target(y, len(X))
        else:
            seen, codes = encode_labels(y, len(X))
            strange = np.setdiff1d(seen, labels)
            if len(strange):
                raise DataError(f"y holds labels that classes does not: {strange.tolist()}.")
            self.classes_, codes = labels, np.searchsorted(labels, seen)[codes]
        self._more(X, codes, check_weights(sample_weight, len(X)))
        return self

    def _targets(self, y: Codes) -> tuple[Matrix, str, Codes | None]:
        """Return the targets of the last layer, how it ends, and what rows kept aside must be balanced by."""
        K, self._several = len(self.classes_), y.ndim == 2
        if self._several:
            return y.astype(np.float64), "logistic", None
        return (y[:, None].astype(np.float64), "logistic", y) if K == 2 else (np.eye(K)[y], "softmax", y)

    def _judge(self, P: Matrix, Y: Matrix, w: Vector | None) -> float:
        """Return the accuracy."""
        one_of = self.out_activation_ == "softmax"
        right = np.argmax(Y, axis=1) == np.argmax(P, axis=1) if one_of else ((Y > 0.5) == (P > 0.5)).all(axis=1)
        return float(np.average(right, weights=w))

    def predict(self, X: Any) -> Labels:
        """Return the class of each row (n,); of several labels the marks of each (n, labels)."""
        if not self.__dict__.get("_several", False):
            return super().predict(X)
        return (self._proba(self._leave(X)) > 0.5).astype(np.intp)

    def _proba(self, X: Matrix) -> Matrix:
        P = self._out(X)
        if self.__dict__.get("_several", False):
            return P
        return np.column_stack([1 - P[:, 0], P[:, 0]]) if self.out_activation_ == "logistic" else P


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
        Print the loss after each pass.
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

    @available_if(by_few)
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Go over these rows once, from the weights of the last call."""
        self._more(*self._enter_both(X, y, sample_weight, reset=not hasattr(self, "coefs_")))
        return self

    def _targets(self, y: np.ndarray) -> tuple[Matrix, str, None]:
        """Return the targets of the last layer and how it ends."""
        if self.loss not in ("squared_error", "poisson"):
            raise WrongUse(f"loss is {self.loss!r}; it must be 'squared_error' or 'poisson'.")
        if self.loss == "poisson" and (y < 0).any():
            row = int(np.argwhere(y < 0)[0][0])
            raise DataError(f"loss='poisson' needs counts: y is negative in row {row}. Choose another loss.")
        self._one = y.ndim == 1
        return y[:, None] if self._one else y, "identity" if self.loss == "squared_error" else "exp", None

    def _judge(self, P: Matrix, Y: Matrix, w: Vector | None) -> float:
        """Return R2."""
        from sklearn.metrics import r2_score

        return float(r2_score(Y, P, sample_weight=w)) if np.isfinite(P).all() else float("nan")

    def _predict(self, X: Matrix) -> np.ndarray:
        P = self._out(X).astype(self.coefs_[0].dtype, copy=False)
        return P[:, 0] if self._one else P
