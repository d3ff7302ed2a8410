r"""Kernel machines on landmarks.

With Nyström's features :math:`\varphi` of a Gaussian kernel (:mod:`epee.predictors.kernels.nystroem`), a function
:math:`f(x) = w^\top \varphi(x) + b` is fitted by

.. math:: \min_{w, b} \sum_i \ell\bigl(y_i, f(x_i)\bigr) + \alpha \|w\|^2. \tag{1}

For the squared loss every penalty and fold comes from one pass of moments; the logarithmic and the hinge loss are solved on the same
features with the width and the penalty that the squared loss chose.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if

from epee.arrays import affine_rows, is_elsewhere
from epee.errors import WrongUse
from epee.estimator.base import Classifier, Estimator, Regressor, ScoreMixin
from epee.predictors.ensembles.parameters import whole
from epee.predictors.kernels.landmarks import WIDTHS, choose_landmarks, choose_width, median_width, ridge_solution
from epee.typing import Codes, Matrix, Vector

PENALTIES = np.logspace(-6, 4, 41)


class LandmarkMachine(Estimator):
    """Landmarks, width and penalty."""

    state_parts = ("_landmarks", "_A")

    @property
    def learns_anywhere(self) -> bool:
        """Whether rows that lie elsewhere stay there: where folds and the squared loss choose, for these need only sums."""
        return self.folds not in (None, "loo") and getattr(self, "loss", "squared") == "squared"

    @property
    def answers_anywhere(self) -> bool:
        """Whether rows that lie elsewhere are answered there."""
        return getattr(self, "machine_", None) is None

    def _learn(self, X: Matrix, T: Matrix, w: Vector | None, codes: Codes | None) -> Matrix | None:
        """Choose the width and the penalty, solve the squared loss, and return the features (n, r) where they are at hand."""
        m = whole("n_components", self.n_components, 1)
        seed = 0 if self.random_state is None else int(check_random_state(self.random_state).randint(2**31 - 1))
        for name in ("gamma", "alpha"):
            value = getattr(self, name)
            if value is not None and not 0 < float(value) < np.inf:
                raise WrongUse(f"{name} is {value!r}; it must be positive, or None to be chosen.")
        X = X if is_elsewhere(X) else np.asarray(X, dtype=np.float64)
        self._landmarks = choose_landmarks(X, w, m, seed)
        gammas = np.array([float(self.gamma)]) if self.gamma is not None else WIDTHS * median_width(self._landmarks)
        alphas = PENALTIES if self.alpha is None else np.array([float(self.alpha)])
        if self.folds is not None and self.folds != "loo":
            whole("folds", self.folds, 2)
        folds = None if self.folds in (None, "loo") else int(self.folds)
        choice = choose_width(self._landmarks, X, T, w, codes, gammas, alphas, folds, seed)
        self.gamma_, self.alpha_, self._A = choice.gamma, choice.alpha, choice.A
        self.cv_errors_, self.gammas_ = choice.errors, choice.gammas
        self.coef_, self.intercept_ = ridge_solution(choice.moments, choice.alpha)
        n = float(choice.moments.count)
        self.landmarks_ = self._landmarks.points * self._landmarks.scale + self._landmarks.mean
        self._n = n
        return choice.F

    def _features(self, X: Any) -> Any:
        X = X if is_elsewhere(X) else np.asarray(X, dtype=np.float64)
        return self._landmarks.map(X, self.gamma_, self._A)


class LandmarkRegressor(LandmarkMachine, Regressor):
    r"""Kernel ridge regression on landmarks: (1) with the squared loss.

    Parameters
    ----------
    gamma : float, default=None
        Width of the Gaussian kernel :math:`e^{-\gamma |x - z|^2}` in standard units of the columns: larger is more local; None
        chooses among eight about the median distance, by K folds.
    alpha : float, default=None
        The penalty of (1): larger is smoother; None chooses among forty-one, by K folds.
    n_components : int, default=300
        Landmarks; more come nearer to the kernel.
    folds : int or "loo", default=10
        Folds of the choices; "loo" leaves out each row instead, in closed form and several times faster.
    random_state : int, default=None
        Seed of the landmarks and folds; None is 0.

    Attributes
    ----------
    gamma_, alpha_ : float
        The width and the penalty chosen.
    cv_errors_ : array (widths, penalties)
        Squared errors over the folds.
    landmarks_ : array (m, p)

    Notes
    -----
    One Gram matrix of m columns for each width tried (on at most 10,000 rows) and one for all rows; then :math:`O(m^3)` a fold.

    References
    ----------
    A. Rudi, R. Camoriano, L. Rosasco, "Less is more: Nyström computational regularization", *NIPS*, 2015.

    Examples
    --------
    >>> X = np.linspace(0, 6, 200)[:, None]
    >>> model = LandmarkRegressor(n_components=50).fit(X, np.sin(X[:, 0]))
    >>> model.predict([[1.0], [4.0]]).round(2)
    array([ 0.84, -0.76])
    """

    def __init__(
        self,
        *,
        gamma: float | None = None,
        alpha: float | None = None,
        n_components: int = 300,
        folds: Any = 10,
        random_state: Any = None,
    ) -> None:
        self.gamma = gamma
        self.alpha = alpha
        self.n_components = n_components
        self.folds = folds
        self.random_state = random_state

    def _fit(self, X: Matrix, y: Vector, w: Vector | None) -> None:
        self._learn(X, y[:, None], w, None)

    def _predict(self, X: Matrix) -> Vector:
        values: Vector = affine_rows(self._features(X), self.coef_, self.intercept_)[:, 0]
        return values


class LandmarkClassifier(ScoreMixin, LandmarkMachine, Classifier):
    r"""Classes by a kernel machine on landmarks, (1).

    Parameters
    ----------
    loss : {"squared", "log", "hinge"}, default="squared"
        Least squares on indicators of the classes, logistic regression, or the margin of a support vector machine.
    gamma, alpha, n_components, folds, random_state
        As in :class:`LandmarkRegressor`.

    Attributes
    ----------
    gamma_, alpha_, cv_errors_, landmarks_
        As in :class:`LandmarkRegressor`.
    machine_ : classifier or None
        What solved (1) on the features for the losses "log" and "hinge".

    Notes
    -----
    As for :class:`LandmarkRegressor`; "log" and "hinge" then descend on m columns.

    References
    ----------
    A. Rudi, R. Camoriano, L. Rosasco, "Less is more: Nyström computational regularization", *NIPS*, 2015.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]] * 5)
    >>> LandmarkClassifier().fit(X, list("aabbaa") * 5).predict([[0.5], [2.5], [4.5]])
    array(['a', 'b', 'a'], dtype='<U1')
    """

    def __init__(
        self, loss: str = "squared", *, gamma: float | None = None, alpha: float | None = None, n_components: int = 300, folds: Any = 10,
        random_state: Any = None,
    ) -> None:  # fmt: skip
        self.loss = loss
        self.gamma = gamma
        self.alpha = alpha
        self.n_components = n_components
        self.folds = folds
        self.random_state = random_state

    def _fit(self, X: Matrix, y: Codes, w: Vector | None) -> None:
        if self.loss not in ("squared", "log", "hinge"):
            raise WrongUse(f"loss is {self.loss!r}; it must be 'squared', 'log' or 'hinge'.")
        F = self._learn(X, np.eye(len(self.classes_))[y], w, y)
        self.machine_ = None
        if self.loss != "squared":
            self.machine_ = self._machine().fit(self._features(X) if F is None else F, y, w)

    def _machine(self) -> Any:
        """Return what solves (1) on features; the log loss is at most a quarter as curved as the squared one, halved."""
        from epee.predictors.linear.linear_classifier import LinearClassifier
        from epee.predictors.linear.logistic import LogisticRegression

        if self.loss == "log":
            return LogisticRegression(C=4.0 / self.alpha_, max_iter=500)
        return LinearClassifier(loss="hinge", penalty="l2", alpha=self.alpha_ / self._n)

    def _score(self, X: Matrix) -> Matrix:
        F = self._features(X)
        if self.machine_ is None:
            scores: Matrix = affine_rows(F, self.coef_, self.intercept_)
            return scores
        scores = self.machine_.decision_function(F)
        return np.column_stack([-scores, scores]) / 2 if scores.ndim == 1 else scores

    @available_if(lambda self: self.loss == "log")
    def predict_proba(self, X: Any) -> Matrix:
        """Return the probability of each class (n, K); with the loss "log", for other losses have scores only."""
        rows = self._leave(X)
        machine: Any = self.machine_
        return machine.predict_proba(self._features(rows))
