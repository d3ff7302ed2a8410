"""From rows to a network: its start, its training, more rows later, and the way forward."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state

from epee.errors import DataError, WrongUse
from epee.estimator.base import Classifier, Estimator
from epee.predictors.ensembles.parameters import between, whole
from epee.predictors.networks.layers import ACTIVATIONS, Network, start_values
from epee.predictors.networks.training import Training, by_batches, learn
from epee.predictors.networks.units import Units
from epee.solve.soundness import insist_sound
from epee.typing import Matrix, Vector


def by_few(model: Any) -> bool:
    """Tell whether a network learns from a few rows at a time, so that more rows can come later."""
    if model.solver not in ("sgd", "adam"):
        raise AttributeError(
            f"partial_fit is only available for stochastic optimizers. {model.solver} is not stochastic: it needs all rows at once."
        )
    return True


class MultilayerPerceptron(Estimator):
    """Start, training and the way forward."""

    state_parts = ("_network", "_one", "_several")
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

    def _more(self, X: Matrix, y: Any, w: Vector | None) -> None:
        """Go over some rows once: the weights, the memory of the steps and the order of the draws are those of the last call."""
        if self.early_stopping:
            raise WrongUse(
                "partial_fit does not support early_stopping=True: it makes one pass, and keeps no rows aside."
            )
        first = not hasattr(self, "coefs_")
        training = self._begun(X, y, w, more=not first)
        if not first:
            training.step, training.seen = self.__dict__.get("_step"), self.t_
            if training.step is not None:
                training.step.x = [a[None].copy() for a in (*training.weights, *training.biases)]
            training.rng = self.__dict__.get("_rng", training.rng)
            training.curve, training.before = list(self.loss_curve_), len(self.loss_curve_)
        by_batches([training], most=1)
        self._ended(training)
        self._step, self._rng, self._units = training.step, training.rng, training.units
        insist_sound(self)

    def _begun(self, X: Matrix, y: Any, w: Vector | None, more: bool = False) -> Training:
        """Return the network at its start, or as it is when ``more`` rows come, with the rows that it will see."""
        hidden = self._check()
        Y, end, strata = self._targets(y)
        units = Units.of(Y, w, end == "exp") if self.scale_target else None
        if more and units is not None:  # those of the first rows: the steps that are remembered were in them
            units = self.__dict__.get("_units", units)
        Y = Y if units is None else units.scaled(Y)
        X = np.asarray(X, dtype=np.float64)
        rng = check_random_state(self.random_state)
        sizes = (X.shape[1], *hidden, Y.shape[1])
        self.out_activation_, self.n_layers_, self.n_outputs_ = end, len(sizes), Y.shape[1]
        old = (
            (self.warm_start or more)
            and hasattr(self, "coefs_")
            and [W.shape for W in self.coefs_] == list(pairwise(sizes))
        )
        weights, biases = start_values(sizes, self.activation, rng) if not old else self._in_full()
        if old and units is not None:
            weights, biases = units.forth(weights, biases)
        self._network = Network(self.activation, end, float(self.alpha))
        if more and not old:
            raise WrongUse(
                "the shape of the network is not that of the last call: partial_fit goes on, fit begins again."
            )
        if more or not self.early_stopping or self.solver == "lbfgs":
            return Training(self._network, weights, biases, X, Y, w, self, rng, units)
        from sklearn.model_selection import train_test_split

        rows, held = train_test_split(
            np.arange(len(X)), random_state=rng, test_size=self.validation_fraction, stratify=strata
        )
        if len(held) < 2:
            raise DataError(
                f"The validation set is too small: early_stopping keeps only {len(held)} rows aside. Enlarge validation_fraction, or add "
                "rows."
            )
        far, truth, weight = X[held], Y[held], None if w is None else w[held]

        def score(t: Training) -> float:
            return self._judge(self._network.forward(far, t.weights, t.biases)[-1], truth, weight)

        own = None if w is None else w[rows]
        return Training(self._network, weights, biases, X[rows], Y[rows], own, self, rng, units, score)

    def _in_full(self) -> tuple[list[Matrix], list[Vector]]:
        """Return the parameters as float64, in which they are searched for."""
        weights, biases = ([a.astype(np.float64) for a in part] for part in (self.coefs_, self.intercepts_))
        return weights, biases

    def _ended(self, training: Training) -> None:
        self.__dict__.pop("_step", None)  # a fit begins with no memory of steps
        found = training.weights, training.biases
        found = found if training.units is None else training.units.back(*found)
        if not all(np.isfinite(a).all() for part in found for a in part):
            raise DataError(
                "Solver produced non-finite parameter weights. The input data may contain large values and need to be preprocessed: "
                "scale the columns first."
            )
        kind: Any = np.float32 if getattr(self, "_given_type", None) == np.float32 else np.float64
        self.coefs_, self.intercepts_ = ([a.astype(kind, copy=False) for a in part] for part in found)
        self.loss_curve_, self.loss_ = training.curve, training.curve[-1]
        self.best_loss_ = None if training.score is not None else min(training.curve)
        self.validation_scores_ = training.scores if training.score is not None else None
        known = [score for score in training.scores if score == score]  # one that diverges has none
        self.best_validation_score_ = max(known, default=None)
        self.n_iter_ = len(training.curve)
        self.t_ = training.seen + (self.n_iter_ - training.before) * len(training.X)

    def _out(self, X: Matrix) -> Matrix:
        """Return the last layer (n, outputs) of rows."""
        return self._network.forward(np.asarray(X, dtype=np.float64), self.coefs_, self.intercepts_)[-1]
