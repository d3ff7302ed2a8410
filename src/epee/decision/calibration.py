r"""Calibration: scores into probabilities that mean what they say.

A score :math:`s` of a class is mapped to a probability by a monotone function that was learned from *out-of-fold*
scores, each given by a model that did not see the row: Platt's sigmoid :math:`\sigma(as + b)`, of greatest likelihood
on the smoothed targets

.. math:: t_+ = \frac{n_+ + 1}{n_+ + 2}, \qquad t_- = \frac{1}{n_- + 2}, \tag{1}

or the isotonic regression of the class on the score (pool adjacent violators), to which one row of the class below all scores and one of
the others above them are added: no score then has probability 0 or 1, and :math:`m` rows without the class at the low end have
:math:`1 / (m + 1)`. That is what Venn and Abers' predictors say of a row beyond all others. With more than two classes each is
calibrated against the rest, and the probabilities are divided by their sum.

Either map has an error bar, for the share of the class among all rows to which the final model gives the same score. That of the isotonic
map supposes that this share does not fall as the score rises, and nothing else (:mod:`epee.decision.monotone`); that of Platt's sigmoid,
that it follows such a line, or one that bends as far as the rows allow (:mod:`epee.decision.bends`), as long as a square and a cube of the
score beside the line add no more than chance would in three of four tables; else it supposes no more than the other.

The line itself leans to the middle, by (1) and because the models of the folds are not the one that is used: with :math:`s` the final
score, :math:`s_k` that of the model without fold :math:`k`, and :math:`\psi_k` what the rows of the fold do to the model, to first order

.. math:: s_k = s + e_k, \qquad e_k = -\tfrac{1}{F - 1}\bigl(\psi_k - \bar\psi\bigr), \tag{2}

so that :math:`e_k` is an error of measurement, and speaks against the very rows that are scored. The line of the interval is therefore
fitted to :math:`E[s \mid s_k]`, the straight line of :math:`s` on :math:`s_k` over rows that both models learned from (the isotonic
interval takes these scores too: equal rows then keep equal scores), with Jeffreys' prior in the place of (1), which takes the bias of order
:math:`1/n` away (Firth). Its variance is that of the likelihood, and what no line can take up: the bend of :math:`s` against the score that
endless rows would teach. By (2) the :math:`s_k` are a jackknife's, and with the quadratic of :math:`s_k` on :math:`s` less the line as
:math:`q_k`

.. math:: \operatorname{var}(\hat a s + \hat b) = (s, 1) H^{-1} (s, 1)^\top + \hat a^2\, \tfrac{F - 1}{F} \sum_k q_k(s)^2. \tag{3}

A model of many columns goes astray where no line shows it. With :math:`s = s_\circ + u`, the score of endless rows and a noise :math:`u`
that is not along it, the slope that is sought is that of :math:`\langle s, s_\circ \rangle / \lVert s \rVert^2`, and the folds measure
:math:`\lVert s \rVert^2 - \tfrac{F - 1}{F} \sum_k \lVert e_k \rVert^2` in the place of :math:`\langle s, s_\circ \rangle`: they know
:math:`\lVert u \rVert^2` on average only. Both it and its estimate vary, by :math:`2 \sigma^2 \lVert u \rVert^2` and a :math:`(F - 1)`-th
of that, with :math:`\sigma^2` the variance of labels, of which :math:`H` has the half. What :math:`s_k` has beyond a quadratic of
:math:`s` so lengthens the variance of the slope by

.. math:: 1 + \sum_k \frac{\operatorname{var}(s_k \mid s)}{\operatorname{var}(s_k)}. \tag{4}
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeVar

import numpy as np
from scipy import special
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from epee.decision.bends import BentLine
from epee.decision.log_odds import chance, most_likely
from epee.decision.monotone import RisingRate
from epee.decision.reliability import ReliabilityCurve, reliability_curve
from epee.errors import DataError, WrongUse
from epee.estimator.base import PosteriorMixin, encode_labels, say
from epee.estimator.dof import shown_degrees_of_freedom
from epee.estimator.kinds import InKind, all_here
from epee.estimator.protocol import Answer, Counted, Judge, Needs
from epee.estimator.remembering import RemembersRows
from epee.estimator.state import Saved
from epee.risk.copies import copies_of
from epee.risk.intervals import check_level, normal_quantile
from epee.risk.units import as_counts, per_row
from epee.stateful import Part
from epee.table.block import check_weights
from epee.table.folds import assign_folds, check_folds, same_rows
from epee.table.sparse import is_sparse
from epee.table.taking import take_rows
from epee.typing import Labels, Matrix, Tensor, Vector

Spread = TypeVar("Spread")
LEAST = 1e-3  # smaller ones pull Platt's line far from all other rows
BELIEVED = 0.25  # level at which a line is believed
TWINS = 1000  # rows on which the models of the folds are compared with the final one


class Calibrated(MetaEstimatorMixin, ClassifierMixin, InKind, RemembersRows, Saved, BaseEstimator):
    r"""Probabilities for any classifier that has scores, calibrated on out-of-fold rows.

    Parameters
    ----------
    estimator : classifier with ``decision_function`` or ``predict_proba``
        What is fitted; its scores are corrected.
    method : {"isotonic", "platt"}, default="isotonic"
        Any increasing step function, for some thousand rows and more; or a sigmoid, for fewer.
    folds : int, default=5
        Cuts of the training rows; more make the out-of-fold models more like the final one, and cost more fits.
    random_state : int, default=0
        Seed of the folds.

    Attributes
    ----------
    estimator_ : classifier fitted on all rows
    calibrators_ : list of functions from scores to probabilities, one a class (one in all with two classes)
    classes_ : array (K,)

    Notes
    -----
    Costs ``folds + 1`` fits; copies of a row, of which chance does not make so many, are left out together. The calibration happens
    inside ``fit``, so a cross-validation of this object judges it honestly. The scale of weights that are not whole numbers means nothing:
    the estimator sees as many rows as there are, and the calibration the rows that they are worth.

    References
    ----------
    Niculescu-Mizil and Caruana, "Predicting good probabilities with supervised learning", *ICML* 2005; for the interval of Platt's line
    Firth, "Bias reduction of maximum likelihood estimates", *Biometrika* 80, 1993, and Carroll et al., *Measurement Error in Nonlinear
    Models*, 2006, chapter 4.

    Examples
    --------
    >>> from epee import GaussianNB
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 400); x = rng.normal(size=(400, 1)) + y[:, None]
    >>> X = np.repeat(x, 5, axis=1)                    # five copies make naive Bayes five times too sure
    >>> plain, calibrated = GaussianNB().fit(X, y), Calibrated(GaussianNB(), "platt").fit(X, y)
    >>> bool(plain.predict_proba(X).max(axis=1).mean() > 0.85 > calibrated.predict_proba(X).max(axis=1).mean())
    True
    """

    def __init__(self, estimator: Any, method: str = "isotonic", *, folds: int = 5, random_state: int = 0) -> None:
        self.estimator = estimator
        self.method = method
        self.folds = folds
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import get_tags

        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.input_tags, tags.classifier_tags = inner.input_tags, inner.classifier_tags
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the estimator on each training part, calibrate on what it left out, then fit it on all rows."""
        X, y, sample_weight = all_here(self, X, y, sample_weight)
        if self.method not in ("isotonic", "platt"):
            raise WrongUse(f"method {self.method!r} is not one of 'isotonic' and 'platt'.")
        if not hasattr(self.estimator, "decision_function") and not hasattr(self.estimator, "predict_proba"):
            raise WrongUse(
                f"{type(self.estimator).__name__} has neither decision_function nor predict_proba: there is nothing to calibrate."
            )
        if sample_weight is not None and not has_fit_parameter(self.estimator, "sample_weight"):
            raise WrongUse(f"{type(self.estimator).__name__} takes no sample_weight.")
        w = None if sample_weight is None else per_row(check_weights(sample_weight, np.asarray(y).size))[0]
        self.estimator_ = self._trained(X, y, w)  # first: it refuses what cannot be learned from
        self._note_rows(X, y)  # a test on the same rows is refused
        self.classes_ = self.estimator_.classes_
        if len(self.classes_) < 2:
            raise DataError(
                f"y has only one class ({self.classes_.tolist()[0]!r}): there is no probability to calibrate."
            )
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        X = X.tocsr() if is_sparse(X) else X if hasattr(X, "shape") else np.asarray(X)
        y = np.asarray(y).reshape(-1)
        _, codes = encode_labels(y)
        fold = self._folds(X, codes, w)
        scores, twins = (scores_of(self.estimator_, X), []) if fold is None else self._out_of_fold(X, y, fold, w)
        hot = np.arange(scores.shape[1]) == codes[:, None] if scores.shape[1] > 1 else (codes == 1)[:, None]
        counts = as_counts(w, len(codes))
        self.calibrators_ = [
            (Steps if self.method == "isotonic" else Sigmoid).of(
                scores[:, j], hot[:, j], counts, fold, [(rows, own[:, j], final[:, j]) for rows, own, final in twins]
            )
            for j in range(scores.shape[1])
        ]  # fmt: skip
        return self

    def _trained(self, X: Any, y: Any, w: Any) -> Any:
        return clone(self.estimator).fit(X, y) if w is None else clone(self.estimator).fit(X, y, sample_weight=w)

    def _folds(self, X: Any, codes: np.ndarray, w: Vector | None) -> np.ndarray | None:
        """Return the fold of each row, the same for copies; None when a class has a single one, which cannot be left out.

        Equal rows that chance explains, of few values, are rows of their own: a model without all of a class in such a cell would speak
        against it.
        """
        check_folds(self.folds, len(codes))
        place = same_rows(X)
        if copies_of(X, codes) is None:
            place = np.argsort(np.argsort(place, kind="stable"), kind="stable")
        kept = np.ones(len(codes), dtype=bool) if w is None else w > 0
        pairs, where = np.unique(np.column_stack([place, codes])[kept], axis=0, return_inverse=True)
        folds, fewest = self.folds, np.bincount(pairs[:, 1], minlength=len(self.classes_))
        if fewest.min() < folds:
            k, folds = int(fewest.argmin()), max(int(fewest.min()), 1)
            say(f"class {self.classes_.tolist()[k]!r} has {fewest[k]} different rows, fewer than the {self.folds} folds: {folds} are used"
                + (", and the calibration is on rows that were learned from." if folds < 2 else "."))  # fmt: skip
        if folds < 2:
            return None
        fold = np.zeros(len(codes), dtype=np.intp)
        fold[kept] = assign_folds(pairs[:, 1], len(pairs), folds, int(self.random_state))[where.reshape(-1)]
        return fold

    def _out_of_fold(
        self, X: Any, y: np.ndarray, fold: np.ndarray, w: Vector | None
    ) -> tuple[Matrix, list[tuple[np.ndarray, Matrix, Matrix]]]:
        """Return the scores (n, K), one column with two classes, of each row by a model that did not see it.

        Also some rows that each such model saw, and what it and the final model say of them.
        """
        scores, twins = np.empty((len(y), len(self.classes_) if len(self.classes_) > 2 else 1)), []
        for k in range(int(fold.max()) + 1):
            learn, judge = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
            model = self._trained(take_rows(X, learn), y[learn], None if w is None else w[learn])
            scores[judge] = scores_of(model, take_rows(X, judge))
            some = learn[:: -(-len(learn) // TWINS)]
            rows = take_rows(X, some)
            twins.append((some, scores_of(model, rows), scores_of(self.estimator_, rows)))
        return scores, twins

    def predict_proba(self, X: Any) -> Matrix:
        """Return the calibrated probability of each class (n, K)."""
        check_is_fitted(self, "estimator_")
        scores = scores_of(self.estimator_, X)
        P = np.stack([c.predict(s) for c, s in zip(self.calibrators_, scores.T, strict=True)], axis=1)
        if P.shape[1] == 1:
            return np.hstack([1 - P, P])
        total = P.sum(axis=1, keepdims=True)
        return np.where(total > 0, P / np.where(total > 0, total, 1.0), 1.0 / P.shape[1])

    def probability_interval(self, X: Any, level: float = 0.95) -> Tensor:
        """Return the ends (n, K, 2) of an interval for each calibrated probability: how sure the calibration is of its map.

        It holds the share of the class among rows of the same score in ``level`` of all new rows (and of all tables), in more of them with
        the isotonic map where that share rises smoothly, and with Platt's where its line is right, which few rows cannot tell. It is for
        one row at a time, and for the score that was learned: what the score does not tell of the row it leaves out.
        """
        check_level(level)
        check_is_fitted(self, "estimator_")
        scores = scores_of(self.estimator_, X)
        ends = np.stack(
            [c.interval(s, level) for c, s in zip(self.calibrators_, scores.T, strict=True)], axis=1
        )  # (n, K, 2)
        if ends.shape[1] == 1:
            return np.concatenate([1 - ends[..., ::-1], ends], axis=1)
        total = np.stack([c.predict(s) for c, s in zip(self.calibrators_, scores.T, strict=True)]).sum(axis=0)
        return np.clip(ends / np.where(total > 0, total, 1.0)[:, None, None], 0.0, 1.0)

    def predict(self, X: Any) -> Labels:
        """Return the most probable class of each row (n,)."""
        P = self.predict_proba(X)
        return self.classes_[P.argmax(axis=1)]

    def clean(self, X: Any) -> Any:
        """Check rows as the classifier inside would and return them."""
        check_is_fitted(self, "estimator_")
        return self.estimator_.clean(X) if isinstance(self.estimator_, Judge) else X

    def answers(self, needs: Needs) -> Answer | None:
        """Return the function of clean rows that gives codes or probabilities."""
        if needs == "labels":
            return lambda X: self.predict_proba(X).argmax(axis=1)
        return self.predict_proba if needs == "probabilities" else None

    def degrees_of_freedom(self, X: Any = None) -> float:
        """Return those of the classifier inside; NaN when they are not known."""
        inner = self.estimator_
        return inner.degrees_of_freedom(X) if isinstance(inner, Counted) else shown_degrees_of_freedom(inner, X)

    def reliability(self, X: Any, y: Any, **options: Any) -> ReliabilityCurve:
        """Return the reliability curve on rows that were not learned from; options as in :func:`reliability_curve`."""
        return reliability_curve(self, X, y, **options)


def scores_of(model: Any, X: Any) -> Matrix:
    """Return the scores (n, K) of a classifier, one column with two classes: its decision function, or log-odds.

    With more classes log-odds come first: a decision function may be known up to a constant a row only, as log densities
    are, and one class alone then says nothing. Shares of rows, as trees and neighbours give, may be 0: they count as
    :data:`LEAST`.
    """
    posterior = isinstance(model, PosteriorMixin)
    if hasattr(model, "decision_function") and (
        posterior or len(model.classes_) == 2 or not hasattr(model, "predict_proba")
    ):
        scores = np.asarray(model.decision_function(X), dtype=np.float64)
        if scores.ndim == 1 or not posterior:
            return scores[:, None] if scores.ndim == 1 else scores
        logs = scores
    else:
        logs = np.log(np.maximum(np.asarray(model.predict_proba(X), dtype=np.float64), LEAST))  # (n, K)
    if logs.shape[1] == 2:
        return logs[:, 1:] - logs[:, :1]
    others = [np.logaddexp.reduce(np.delete(logs, k, axis=1), axis=1) for k in range(logs.shape[1])]
    return logs - np.stack(others, axis=1)


def _kept(spread: Spread | None) -> Spread:
    if spread is None:
        raise WrongUse("this calibration was saved by a version that kept no error bars: fit it again.")
    return spread


class Sigmoid(Part):
    r"""Platt's map :math:`\sigma(a s + b)` on the targets (1), and the line of its interval with the covariance (3), (4)."""

    state_parts = ("a", "b", "covariance", "centre", "rates", "bent")
    covariance: Matrix | None = None
    centre: Vector | None = None
    rates: RisingRate | None = None
    bent: BentLine | None = None

    def __init__(
        self, a: float, b: float, covariance: Matrix | None = None, centre: Vector | None = None,
        rates: RisingRate | None = None, bent: BentLine | None = None,
    ) -> None:  # fmt: skip
        self.a, self.b = a, b
        self.rates = rates  # of the interval where the rows refuse the line
        self.bent = bent  # where they do not: what they allow beside it
        self.covariance = covariance  # of what the powers of the score down to 1 are multiplied by
        self.centre = centre  # (2,) slope and intercept of the line of the interval

    @classmethod
    def of(
        cls, s: Vector, hit: np.ndarray, w: Vector | None, fold: np.ndarray | None = None,
        twins: Sequence[tuple[np.ndarray, Vector, Vector]] = (),
    ) -> Sigmoid:  # fmt: skip
        """Fit to scores and whether they were of the class; twins are rows that a fold's model learned from, its scores, the final ones."""
        w = np.ones(len(s)) if w is None else w
        above, below = float(w[hit].sum()), float(w[~hit].sum())
        scale = float(np.abs(s).max(initial=0.0)) or 1.0
        s = s / scale
        (a, b), _ = _line(s, np.where(hit, (above + 1) / (above + 2), 1 / (below + 2)), w)
        as_final, bends, astray = s.copy(), [], []
        for k, (rows, own, final) in enumerate(twins):
            own, final = own / scale, final / scale
            p = chance(a * final + b)
            weigh = np.sqrt(w[rows] * np.maximum(p * (1 - p), 1e-6))
            as_final[fold == k] = np.vander(s[fold == k], 2) @ _least_squares(np.vander(own, 2), final, weigh)
            line, bent = (_least_squares(np.vander(final, d), own, weigh) for d in (2, 3))
            bends.append(bent - [0.0, *line])
            astray.append(_spread(own - np.vander(final, 3) @ bent, weigh) / (_spread(own, weigh) or 1.0))
        centre, covariance = _line(as_final, hit.astype(np.float64), w, jeffreys=True)
        if astray:
            covariance += sum(astray) * np.outer(covariance[0], covariance[0]) / covariance[0, 0]
        covariance = np.pad(covariance, ((1, 0), (1, 0)))  # (3, 3)
        if bends:
            q = centre[0] * np.array(bends)  # (F, 3)
            covariance += (1 - 1 / len(q)) * q.T @ q
        units = scale ** np.array([-2.0, -1.0, 0.0])
        spread, known = covariance * np.outer(units, units), (as_final * scale, hit, w)
        refused = _refused(centre, as_final, hit, w)
        rates, allowed = RisingRate.of(*known) if refused else None, None if refused else BentLine.of(*known)
        return cls(float(a / scale), float(b), spread, centre * units[1:], rates, allowed)

    def predict(self, s: Vector) -> Vector:
        """Return the probabilities, never 0 or 1."""
        return chance(np.clip(self.a * s + self.b, -30, 30))

    def interval(self, s: Vector, level: float) -> Matrix:
        """Return the ends (n, 2) of the interval of each probability; the probability itself is always in it."""
        covariance, (a, b) = _kept(self.covariance), (self.a, self.b) if self.centre is None else self.centre
        p = self.predict(s)
        if self.rates is not None:
            low, high = self.rates.interval(s, level).T
        else:
            A, z = np.vander(s, len(covariance)), np.clip(a * s + b, -30, 30)
            variance = np.maximum(((A @ covariance) * A).sum(axis=1), 0.0)
            half = normal_quantile(level) * np.sqrt(variance)
            ends = np.stack([z - half, z + half]) if self.bent is None else self.bent.interval(s, level, variance).T
            low, high = chance(ends)
        return np.stack([np.minimum(low, p), np.maximum(high, p)], axis=1)


def _refused(line: Vector, s: Vector, hit: np.ndarray, w: Vector) -> bool:
    """Tell whether a square and a cube of the score tell more than a line does: by their score test, at the level of Bancroft and Han.

    References
    ----------
    Bancroft and Han, "Inference based on conditional specification", *International Statistical Review* 45, 1977.
    """
    lines, bends = np.split(np.vander(s, 4)[:, ::-1], 2, axis=1)  # (n, 2) each: 1 and s; their square and cube
    p = chance(line[0] * s + line[1])
    weigh = np.sqrt(w * p * (1 - p))
    bends = bends - lines @ np.linalg.lstsq(lines * weigh[:, None], bends * weigh[:, None], rcond=None)[0]
    pull, own = bends.T @ (w * (hit - p)), bends * weigh[:, None]
    return bool(special.chdtrc(2, pull @ np.linalg.pinv(own.T @ own) @ pull) < BELIEVED)


def _least_squares(A: Matrix, b: Vector, weigh: Vector) -> Vector:
    found: Vector = np.linalg.lstsq(A * weigh[:, None], b * weigh, rcond=None)[0].astype(np.float64)
    return found


def _spread(v: Vector, weigh: Vector) -> float:
    return float(np.average((v - np.average(v, weights=weigh**2)) ** 2, weights=weigh**2))


def _line(s: Vector, t: Vector, w: Vector, *, jeffreys: bool = False) -> tuple[Vector, Matrix]:
    """Return the slope and intercept of greatest likelihood for the targets, and their covariance."""
    return most_likely(np.column_stack([s, np.ones(len(s))]), t, w, jeffreys=jeffreys)


@dataclass(frozen=True, eq=False)
class Steps(Part):
    """The isotonic map with a row of the other kind beyond each end: straight between the scores ``x``, constant beyond them."""

    x: Vector  # (m,) distinct scores
    y: Vector  # (m,) their probabilities
    rates: RisingRate | None = None  # rows by their final scores, as far as those are known

    @classmethod
    def of(
        cls, s: Vector, hit: np.ndarray, w: Vector | None, fold: np.ndarray | None = None,
        twins: Sequence[tuple[np.ndarray, Vector, Vector]] = (),
    ) -> Steps:  # fmt: skip
        """Fit to scores and whether they were of the class; twins as those of :meth:`Sigmoid.of`."""
        from sklearn.isotonic import isotonic_regression

        w = np.ones(len(s)) if w is None else w
        scores, where = np.unique(s, return_inverse=True)
        where = where.reshape(-1)
        weight = np.bincount(where, w)
        share = np.bincount(where, w * hit) / np.where(weight > 0, weight, 1.0)
        scores, weight, share = scores[weight > 0], weight[weight > 0], share[weight > 0]
        fit = isotonic_regression(
            np.concatenate([[1.0], share, [0.0]]), sample_weight=np.concatenate([[1.0], weight, [1.0]])
        )
        as_final = s.astype(np.float64)
        for k, (rows, own, final) in enumerate(twins):
            p = np.interp(final, scores, fit[1:-1])
            as_final[fold == k] = np.vander(s[fold == k], 2) @ _least_squares(
                np.vander(own, 2), final, np.sqrt(w[rows] * p * (1 - p))
            )
        return cls(scores, fit[1:-1], RisingRate.of(as_final, hit, w))

    def predict(self, s: Vector) -> Vector:
        """Return the probabilities: those of the scores learned, straight lines between."""
        return np.interp(s, self.x, self.y)

    def interval(self, s: Vector, level: float) -> Matrix:
        """Return the ends (n, 2) of the interval of each probability; the probability itself is always in it."""
        p, (low, high) = self.predict(s), _kept(self.rates).interval(s, level).T
        return np.stack([np.minimum(low, p), np.maximum(high, p)], axis=1)
