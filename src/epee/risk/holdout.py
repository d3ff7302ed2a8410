r"""The risk of a fitted predictor on rows: the empirical risk, and an honest estimate on rows it did not see.

.. math:: R_T(h) = \frac1m \sum_{i \in T} e(h(x_i), y_i) \tag{1}

On the training rows (1) is what learning made small; on :math:`m` fresh rows it is unbiased, with variance
:math:`\mathrm{Var}[e] / m`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from epee.errors import DataError, DataWarning, WrongUse
from epee.estimator.base import say
from epee.estimator.protocol import gives_labels
from epee.losses.loss import Loss
from epee.losses.names import resolve
from epee.risk.asked import kind_of
from epee.risk.asking import refuse_missing_truth, refuse_nan
from epee.risk.beyond import lost_unseen
from epee.risk.edges import far_out, reaches_of_new_rows
from epee.risk.estimate import Risk
from epee.risk.fingerprint import repeated_rows
from epee.risk.in_time import seasonal
from epee.risk.intervals import Interval, asked_interval, bootstrap_interval, check_level, weighted_mean, within_range
from epee.risk.mean_loss import MeanLoss, ends_of, mean_loss
from epee.risk.one_target import beside_one_target
from epee.risk.ranking import area_interval
from epee.risk.route import GLANCE
from epee.risk.splitting import group_codes, places_in_time, say_one_of
from epee.risk.training_rows import refuse_training_rows
from epee.risk.units import Units, Weights, as_counts, check_said, per_row, taken_as, units_of, unsaid
from epee.risk.watching import positive, watched
from epee.table.block import check_weights
from epee.table.doors import gather, is_stream, open_source, width_of
from epee.table.fingerprints import fingerprint
from epee.table.named import named_columns
from epee.typing import Codes, Vector
from epee.words import risk_words

FEWEST_OF_A_CLASS = 5


def losses_of(
    model: Any, X: Any, y: Any, loss: Any = None, sample_weight: Any = None
) -> tuple[Vector, Vector | None, Loss]:
    """Return the loss of every row under a fitted model, the weights, and the loss itself."""
    require_fitted(model)
    chosen = resolve(loss, kind_of(model))
    if gives_labels(model) and chosen.classes is None:
        chosen = chosen.bind(model.classes_)

    def asked(X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
        prediction = np.asarray(chosen.ask(model, X))
        refuse_nan(prediction, model, "the test sample")
        truth = np.asarray(y)
        if len(truth) != len(prediction):
            raise DataError(
                f"Found input variables with inconsistent numbers of samples: X has {len(prediction)} rows and y has {len(truth)}."
            )
        refuse_missing_truth(truth)
        if chosen.needs == "values" and prediction.shape != truth.shape and prediction.size == truth.size:
            prediction = prediction.reshape(truth.shape)
        return prediction, truth

    if is_stream(X):
        blocks = [(asked(b.X, b.y), b.weight) for b in open_source(X, y, sample_weight).blocks()]
        weights = [w for _, w in blocks if w is not None]
        parts = [found for found, _ in blocks]
        if not chosen.rowwise:
            parts = [(np.concatenate([said for said, _ in parts]), np.concatenate([true for _, true in parts]))]
        w = np.concatenate(weights) if weights else None
        if chosen.rowwise or w is None:
            losses = np.concatenate([chosen.value(*part) for part in parts])
            _refuse_strangers(model, chosen, losses, np.concatenate([true for _, true in parts]))
            return losses, w, chosen
    else:
        parts = [asked(X, y)]
        w = check_weights(sample_weight, len(parts[0][0]))
    losses = chosen.value(*parts[0]) if w is None else chosen.weighed(*parts[0], w)
    _refuse_strangers(model, chosen, losses, parts[0][1])
    return losses, w, chosen


def _refuse_strangers(model: Any, chosen: Loss, losses: Vector, truth: np.ndarray) -> None:
    """Refuse labels of which the predictor knows none, where it errs in every row; a class that it never saw is an error of its own."""
    if chosen.needs != "labels" or chosen.classes is None or not len(losses) or not losses.all():
        return
    strange, known = (list(dict.fromkeys(values.ravel().tolist())) for values in (truth, np.asarray(chosen.classes)))
    if not set(strange) & set(known):
        raise DataError(
            f"y holds the labels {strange[:5]}, of which {type(model).__name__} knows none: it was taught {known[:5]}. Give labels as it "
            "learned them."
        )


def require_fitted(model: Any) -> None:
    """Refuse a model that was not fitted."""
    try:
        check_is_fitted(model)
    except NotFittedError:
        raise NotFittedError(
            f"This {type(model).__name__} instance is not fitted yet: fit it on other rows first, or use cross_validate."
        ) from None
    except TypeError:
        raise WrongUse(f"{model!r} is not an estimator: it has no fit.") from None


def empirical_risk(model: Any, X: Any, y: Any, *, loss: Any = None, sample_weight: Any = None) -> float:
    r"""Return :math:`\frac1n \sum_i e(h(x_i), y_i)` of a fitted predictor on these rows.

    On the rows it learned from this is the training error, which is too small by the optimism; see :func:`cross_validate`.

    Parameters
    ----------
    model : fitted estimator
    X, y : rows and their targets
    loss : name, costs matrix or Loss, default=None
        "zero_one" for classifiers, "squared" for regressors.
    sample_weight : array (n,), optional
        Counts.

    Examples
    --------
    >>> from epee import LinearDiscriminantAnalysis
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    >>> empirical_risk(LinearDiscriminantAnalysis().fit(X, y), X, y)
    0.0
    """
    X, y, sample_weight, *_ = named_columns(X, y, sample_weight)
    losses, w, _ = losses_of(model, X, y, loss, sample_weight)
    return weighted_mean(losses, w)[0]


def holdout_error(
    model: Any, X: Any, y: Any, *, loss: Any = None, level: float = 0.95, sample_weight: Any = None, interval: str | None = None,
    training: Any = None, weights: Weights | None = None, groups: Any = None, time: Any = None,
) -> Risk:  # fmt: skip
    """Estimate the risk of a fitted predictor on rows that it did not see, with an interval.

    Parameters
    ----------
    model : fitted estimator
    X, y : test rows and their targets
    loss : name, costs matrix or Loss, default=None
        "zero_one" for classifiers, "squared" for regressors.
    level : float in (0, 1), default=0.95
        What the interval covers; a larger one makes it wider.
    sample_weight : array (n,), optional
        Counts: n is their sum. Or sampling weights, whose scale means nothing: n is then what they are worth.
    weights : {"counts", "sampling"}, default=None
        What the weights mean; None takes whole numbers as counts and others as sampling weights.
    groups : array (n,), optional
        Rows that belong together (one patient, one machine): the error bar then counts groups.
    time : array (n,) or True, optional
        When each row happened; True is the order of the rows. The error bar then knows that neighbours resemble each other.
    interval : {"wilson", "exact", "t", "bootstrap"}, default=None
        None is what covers best: for rates and costs Wilson's, with Poisson's lower end for the rarest errors; for others Hall's, which
        follows skewed losses (:mod:`epee.risk.mean_loss`). "exact" is that of Clopper and Pearson, "bootstrap" Efron's, which draws
        rows or groups. By groups and in time the others are those of as many independent rows as have the same error bar.
    training : rows, optional
        The training rows, to be compared with the test rows: the share that occurs in both is said aloud.

    Returns
    -------
    Risk

    Notes
    -----
    Test rows that are the training rows are refused, where the model remembers what it learned from. New targets at the inputs that it
    learned from are taken, and ``caution`` says that errors at new inputs are larger.

    References
    ----------
    Brown, Cai and DasGupta, "Interval estimation for a binomial proportion", *Statistical Science* 16, 2001.

    Examples
    --------
    >>> import numpy as np
    >>> from epee import LinearDiscriminantAnalysis
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 2)); y = (X[:, 0] + rng.normal(size=400) > 0).astype(int)
    >>> print(holdout_error(LinearDiscriminantAnalysis().fit(X[:200], y[:200]), X[200:], y[200:]))
    0.27 ± 0.03 [0.21, 0.33]
    """
    check_level(level)
    check_said(weights, X, sample_weight)
    X, y, sample_weight, groups, time = named_columns(X, y, sample_weight, groups, time)
    again = refuse_training_rows(model, X, y, sample_weight)
    losses, given, chosen = losses_of(model, X, y, loss, sample_weight)
    asked = unsaid(given, weights)
    w, weights = per_row(given, weights)
    if training is not None and not is_stream(X):
        share = repeated_rows(X, training)
        if share > 0:
            say(
                f"{share:.1%} of the test rows are also training rows: the error is too small for new rows.",
                DataWarning,
            )
    if is_stream(X):
        source = open_source(X, y, sample_weight)
        if len(losses) * source.n_columns <= GLANCE:  # so few that they are looked at
            X, y, _ = gather(source)
    say_one_of(groups, time)
    ids = None if groups is None else group_codes(groups, len(losses))
    order = None if time is None else np.argsort(places_in_time(time, len(losses)), kind="stable")
    rows = slice(None) if order is None or ids is not None else order
    of_rows: Callable[..., MeanLoss] = partial(
        mean_loss, losses[rows], None if w is None else w[rows], loss=chosen, weights=weights, groups=ids,
        in_order=order is not None and ids is None,
    )  # fmt: skip
    if not chosen.rowwise and interval is None and ids is None and order is None and w is None:
        of_rows = partial(_ranking, losses, chosen.codes(_labels(X, y)))
    found, ends_at = of_rows(level=level), partial(ends_of, of_rows)
    ends = found.interval
    if interval is not None:
        bound = None if ids is None and order is None else _in_units(w, weights, ids, order, losses)
        ends_at = partial(_asked_ends, interval, losses, w, chosen, weights, bound)
        ends = ends_at(level)
    worth = None if w is None else as_counts(w, len(w), weights)
    n = float(len(losses)) if worth is None else float(worth.sum())
    caution = " ".join(filter(None, [again, asked or found.sentence or _rare_class(chosen, y, losses)]))
    told = Risk(
        found.value, found.stderr, ends, level, n, chosen.name, _how(w, weights, ids, order), found.dof, row_losses=losses, weight=worth,
        rows=None if is_stream(X) else fingerprint(X, y), caution=caution, ends_at=ends_at,
        in_units=None if ids is None and order is None else partial(_in_units, w, weights, ids, order),
    )  # fmt: skip
    if is_stream(X):
        return told
    told = beside_one_target(told, y, chosen.classes)
    if len(losses) * width_of(X) > GLANCE:
        return told
    left, v = _left_over(model, X, y, losses, chosen), None
    if (target := left[4]) is not None:
        v = reaches_of_new_rows(model, X)
        unseen = lost_unseen(model, X, target, worth, told.stderr) if chosen.name == "squared" else ""
        told = replace(told, caution=" ".join(filter(None, [far_out(v, held=True), unseen, told.caution])))
    if order is None or ids is not None:
        return watched(told, *positive(left, w, worth, ids), v=v)
    season = "" if chosen.classes is not None or left[-2] is None else seasonal(left[0][order])
    return replace(told, caution=f"{told.caution} {season}".strip())


def _left_over(model: Any, X: Any, y: Any, losses: Vector, chosen: Loss) -> tuple[Any, ...]:
    """Return what :func:`epee.risk.watching.kinship` asks for before the groups: residuals of a number, else losses."""
    truth = np.asarray(y)
    if chosen.classes is not None:
        return losses, X, None, (), None, np.unique(truth, return_inverse=True)[1].reshape(-1)
    if truth.ndim != 1 or truth.dtype.kind not in "fiub":
        return losses, X, None, (), None, None
    target = truth.astype(np.float64)
    return target - np.asarray(model.predict(X)).reshape(truth.shape), X, None, (), target, None


def _how(w: Vector | None, weights: Weights | None, ids: Any, order: Any) -> str:
    if ids is not None:
        return f"held-out rows, error bar from {len(np.unique(ids))} groups"
    if order is not None:
        return "held-out rows, error bar for rows in time"
    return f"held-out rows{taken_as(w, weights)}"


def _rare_class(chosen: Loss, y: Any, losses: Vector) -> str:
    """Return a caution when an unbounded loss of probabilities or scores rests on hardly any row of some class."""
    if chosen.classes is None or chosen.kind == "label" or len(losses) != np.size(np.asarray(y, dtype=object)):
        return ""
    counts = np.bincount(chosen.codes(y), minlength=len(chosen.classes))
    k = int(counts.argmin())
    if counts[k] >= FEWEST_OF_A_CLASS:
        return ""
    return risk_words.say("caution class", name=chosen.classes[k], n=int(counts[k]))


def _asked_ends(
    kind: str, losses: Vector, w: Vector | None, chosen: Loss, weights: Weights | None, bound: Units | None, level: float
) -> Interval:  # fmt: skip
    """Return the interval of the kind that was asked for; ``bound`` are the units of rows that groups or time bind."""
    if bound is not None:
        if kind == "bootstrap":
            if bound.in_order:
                raise WrongUse(
                    "interval='bootstrap' draws rows, which time binds: leave interval out, or take another."
                )
            return within_range(bootstrap_interval(bound.sums / bound.sizes, bound.sizes, level, copies=False), chosen)
        many, dof = bound.independent()
        mean, bar = bound.mean, bound.spread()[0] / float(np.sqrt(many))
        alike = mean * (1 - mean)
        n = dof + 1 if kind == "t" else min(alike / bar**2, bound.rows) if bar > 0 and alike > 0 else many
        return within_range(asked_interval(kind, mean, bar, n, losses, None, level, chosen.is_rate), chosen)
    units = units_of(losses, w, weights=weights)
    bar, worth = units.spread()[0] / float(np.sqrt(units.n)), None if w is None else as_counts(w, len(w), weights)
    ends = asked_interval(kind, units.mean, bar, units.effective, losses, worth, level, chosen.is_rate)
    return within_range(ends, chosen)


def _in_units(w: Vector | None, weights: Weights | None, ids: Any, order: Any, figures: Vector) -> Units:
    """Return the independent units of figures of the rows: groups, or rows in the order of time."""
    rows = slice(None) if ids is not None else order
    return units_of(figures[rows], None if w is None else w[rows], weights=weights, groups=ids, in_order=ids is None)


def _labels(X: Any, y: Any) -> Any:
    """Return the truths, from a stream too."""
    return np.concatenate([np.asarray(b.y) for b in open_source(X, y).blocks()]) if is_stream(X) else y


def _ranking(losses: Vector, codes: Codes, *, level: float) -> MeanLoss:
    """Return one minus an area, with the interval of the area turned over."""
    counts = np.bincount(codes)
    counts = counts[counts > 0]
    n, few = float(len(losses)), float(counts.min())
    value, stderr = float(losses.mean()), float(losses.std() / np.sqrt(max(n - 1, 1)))
    area = area_interval(1 - value, stderr, max(few - 1, 1.0), few, max(n - few, 1.0), level)
    ends = Interval(min(1 - area.high, value), max(1 - area.low, value))
    return MeanLoss(value, stderr, ends, n, max(few - 1, 1.0))
