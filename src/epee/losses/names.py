"""The names of losses, and what fits what.

``resolve`` turns what a user may say (a name, a table of costs, a loss) into a :class:`~epee.losses.Loss`, and refuses
in one sentence what does not exist or does not fit a kind of predictor. ``resolve_margin`` does it for what a linear
classifier may minimise, where "squared" and "log" are functions of scores.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

import numpy as np

from epee.errors import WrongUse
from epee.losses.brier import Brier
from epee.losses.counts import PoissonDeviance
from epee.losses.decisions import Costs, ZeroOne
from epee.losses.entropy import CrossEntropy, LogLoss
from epee.losses.loss import Loss
from epee.losses.margins import HingeLoss, MarginLoss, PerceptronLoss, SignedSquares, SquaredHinge
from epee.losses.ordering import Ranking
from epee.losses.quantiles import Pinball
from epee.losses.residuals import Power
from epee.losses.robust import GemanMcClure, Huber, Tukey, Welsch

LOSSES: tuple[str, ...] = (
    "zero_one", "squared", "absolute", "l1.5", "huber", "tukey", "welsch", "geman_mcclure", "perceptron", "hinge",
    "squared_hinge", "log", "brier", "auc", "quantile0.5", "poisson",
)  # fmt: skip
_MAKERS: dict[str, Any] = {
    "zero_one": ZeroOne,
    "squared": lambda: Power(2.0),
    "absolute": lambda: Power(1.0),
    "huber": Huber,
    "tukey": Tukey,
    "welsch": Welsch,
    "geman_mcclure": GemanMcClure,
    "perceptron": PerceptronLoss,
    "hinge": HingeLoss,
    "squared_hinge": SquaredHinge,
    "log": LogLoss,
    "brier": Brier,
    "auc": Ranking,
    "quantile": Pinball,
    "poisson": PoissonDeviance,
}
# what others call them
_ALIASES: dict[str, str] = {
    "log_loss": "log", "logloss": "log", "cross_entropy": "log", "mse": "squared", "squared_error": "squared",
    "mean_squared_error": "squared", "mae": "absolute", "absolute_error": "absolute", "mean_absolute_error": "absolute",
    "error_rate": "zero_one", "misclassification": "zero_one", "accuracy": "zero_one", "svm": "hinge", "rmse": "squared", "l2": "squared",
    "brier_score": "brier", "roc_auc": "auc", "rocauc": "auc", "ranking": "auc", "pinball": "quantile", "deviance": "poisson",
    "poisson_deviance": "poisson",
}  # fmt: skip
_MARGINS: dict[str, type[MarginLoss]] = {
    "squared": SignedSquares, "perceptron": PerceptronLoss, "hinge": HingeLoss, "squared_hinge": SquaredHinge, "log": CrossEntropy,
}  # fmt: skip


def resolve(loss: Any = None, estimator_type: str | None = None) -> Loss:
    """Return the loss that a user means.

    Parameters
    ----------
    loss : None, str, array or Loss
        None is "zero_one" for classifiers and "squared" for regressors; a name of the list in :data:`LOSSES` ("l" and
        any positive number is a power, "quantile" and a share a quantile); a table of costs, K x K or (K + 1) x K with a last row
        for rejection; or a loss.
    estimator_type : {"classifier", "regressor"} or None
        What the predictor is; None asks nothing.

    Examples
    --------
    >>> resolve("l1.5").value([4.0], [0.0])
    array([8.])
    >>> resolve("hinge", "regressor")
    Traceback (most recent call last):
    ...
    epee.errors.WrongUse: the loss 'hinge' needs scores, which a regressor does not give; use one of 'squared',
    'absolute', ...
    """
    found = _find(loss, estimator_type)
    if estimator_type == "regressor" and found.kind != "value":
        raise WrongUse(
            f"the loss {found.name!r} needs {found.needs}, which a regressor does not give; use one of 'squared', 'absolute', "
            f"'l1.5' (any power), 'quantile0.9' (any share), 'poisson', 'huber', 'tukey', 'welsch', 'geman_mcclure'."
        )
    if estimator_type == "classifier" and found.kind == "value":
        raise WrongUse(
            f"the loss {found.name!r} needs numbers to subtract, which a classifier does not give; use one of 'zero_one', "
            f"'perceptron', 'hinge', 'squared_hinge', 'log', 'brier', 'auc', or a table of costs."
        )
    return found


def named(loss: str | Loss) -> Loss:
    """Return the loss that a figure names, for what it says of its mean; a name that is nobody's has the plain bounds.

    >>> named("zero_one").is_rate, named("squared").unit, named("my own").high
    (True, 'target²', inf)
    """
    if isinstance(loss, Loss):
        return loss
    try:
        return resolve(loss)
    except WrongUse:
        return Loss()


def resolve_margin(loss: str | MarginLoss, form: str | None = None) -> MarginLoss:
    """Return a loss of scores by name, for a classifier to minimise.

    Parameters
    ----------
    loss : str or MarginLoss
        A name or an object.
    form : {"sum", "max"}, default=None
        How the wrong classes count; None keeps that of the loss.

    Examples
    --------
    >>> resolve_margin("log").name
    'log'
    """
    if isinstance(loss, MarginLoss):
        return loss
    if loss not in _MARGINS:
        raise WrongUse(f"a linear classifier cannot minimise the loss {loss!r}; it can minimise {_quoted(_MARGINS)}.")
    if form is None or loss not in ("perceptron", "hinge", "squared_hinge"):
        return _MARGINS[loss]()
    return _MARGINS[loss](form)  # type: ignore[arg-type]


def _find(loss: Any, estimator_type: str | None) -> Loss:
    if isinstance(loss, Loss):
        return loss
    if loss is None:
        return Power(2.0) if estimator_type == "regressor" else ZeroOne()
    if isinstance(loss, str):
        named = _ALIASES.get(loss.lower(), loss.lower())
        if named in _MAKERS:
            return _MAKERS[named]()
        if loss.startswith("l") and (power := _number(loss[1:])) is not None:
            return Power(power)
        if loss.startswith("quantile") and (share := _number(loss[8:])) is not None:
            return Pinball(share)
        near = get_close_matches(loss.lower(), [*_MAKERS, *_ALIASES], n=1, cutoff=0.6)
        meant = f"did you mean {_ALIASES.get(near[0], near[0])!r}? The" if near else "the"
        raise WrongUse(f"the loss {loss!r} is unknown; {meant} losses are {_choices()}.")
    if np.ndim(loss) == 2:
        return Costs(np.asarray(loss, dtype=float))
    raise WrongUse(f"a loss cannot be a {type(loss).__name__}; give {_choices()}.")


def _choices() -> str:
    return f"{_quoted(_MAKERS)}, 'l' and a power as in 'l1.5', 'quantile' and a share as in 'quantile0.9', a table of costs, or a Loss"


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _quoted(names: Any) -> str:
    return ", ".join(repr(name) for name in names)
