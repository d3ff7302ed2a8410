"""The hierarchy of predictors, from the simplest to the most complex, each with the parameter that sets its complexity.

A candidate says how to make its estimator, which values of its parameter to try (from the simplest to the most complex), and
what a run costs, in cells read, so that a table too large for it is known before the work starts. Candidates run, and are
dropped when a budget is short, in this order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from epee.errors import WrongUse
from epee.estimator.registry import METHODS
from epee.job.filling import FillMissing
from epee.words.job_words import WORDS, say

LARGEST_COST = 4e9  # cells read by a whole run of one candidate, without a budget


@dataclass(frozen=True)
class Setting:
    """What the hierarchy needs to know of a table: training rows n, encoded columns p, classes, spread of the target."""

    task: str
    n: int
    p: int
    n_classes: int = 0
    smallest_class: int = 0
    n_targets: int = 1
    scale: float = 1.0  # standard deviation of the target
    weighted: bool = False
    holes: bool = False
    costs: Any = None  # checked table of costs, or None
    seed: int = 0
    least: int = 0  # rows of the smallest sample that is learned from; 0 is half of them


@dataclass(frozen=True)
class Candidate:
    """One predictor of the hierarchy.

    ``make(setting)`` returns the last steps of the pipeline; ``values(setting)`` the values of ``parameter``, simplest first. ``order``
    ranks simplicity; ``closed`` marks closed forms, which a stream may take.
    """

    key: str
    order: float
    make: Callable[[Setting], list[Any]]
    parameter: str | None = None
    values: Callable[[Setting], Sequence[Any]] | None = None
    closed: bool = False
    cost: Callable[[Setting], float] = lambda s: 20.0 * s.n * s.p
    suits: Callable[[Setting], bool] = lambda s: True
    label: str = ""

    @property
    def name(self) -> str:
        """What it is called in the current language."""
        return self.label or (say(self.key) if self.key in WORDS else self.key)

    def model(self, s: Setting, value: Any = None) -> Any:
        """Return the estimator with one value of its parameter, behind the filling of missing cells."""
        steps = [clone(step) for step in self.make(s)]
        if self.parameter is not None and value is not None:
            steps[-1].set_params(**{self.parameter: value})
        if s.costs is not None:
            from epee.decision.bayes_decision import BayesDecision

            steps[-1] = BayesDecision(steps[-1], costs=s.costs)
        steps = ([FillMissing()] if s.holes else []) + steps
        return Pipeline([(f"step{i}", step) for i, step in enumerate(steps)])

    def grid(self, s: Setting) -> list[Any]:
        """Return the values to try, [None] when there is nothing to choose."""
        return [None] if self.values is None else list(self.values(s))


def _load(name: str, **parameters: Any) -> Any:
    import epee

    return getattr(epee, name)(**parameters)


def _scaled(*steps: Any) -> list[Any]:
    return [_load("StandardScaler"), *steps]


def _spread(low: float, high: float, number: int) -> list[float]:
    """Return values from high to low, evenly in logarithm: for penalties, from the simplest to the most complex."""
    return [float(f"{v:.3g}") for v in np.geomspace(high, low, number)]


def _neighbours(s: Setting) -> list[int]:
    most = max(1, min(s.n // 4, s.least or s.n // 2, 101))
    return sorted({k for k in (1, 3, 5, 9, 15, 25, 45, 75, 101) if k <= most}, reverse=True)


def _products(s: Setting) -> bool:
    return 2 <= s.p <= 20 and s.n > 5 * s.p * (s.p + 3) / 2


def _by_row(s: Setting) -> float:  # comparisons of an exact search, all folds
    return 0.9 * s.n * s.n * s.p


CLASSIFIERS = (
    Candidate("baseline", 0, lambda s: [_load("BaselineClassifier")], closed=True),
    Candidate("naive_bayes", 10, lambda s: [_load("GaussianNB", var_smoothing=1e-6)], closed=True),
    Candidate("lda", 15, lambda s: _scaled(_load("LinearDiscriminantAnalysis", solver="lsqr")), "shrinkage",
              lambda s: [1.0, 0.5, 0.2, 0.05, 0.01, 0.001], closed=True),
    Candidate("least_squares", 18, lambda s: _scaled(_load("LeastSquaresClassifier")), "alpha",
              lambda s: [s.n * a for a in (1.0, 0.1, 0.01, 1e-4)], closed=True),
    Candidate("fisher", 19, lambda s: _scaled(_load("FisherDiscriminant", threshold="bayes")), closed=True,
              suits=lambda s: s.n_classes == 2),
    Candidate("logistic", 22, lambda s: _scaled(_load("LogisticRegression", max_iter=300)), "C",
              lambda s: [0.003, 0.03, 0.3, 3.0], cost=lambda s: 400.0 * s.n * s.p * s.n_classes),
    Candidate("qda", 30, lambda s: _scaled(_load("QuadraticDiscriminantAnalysis")), "reg_param",
              lambda s: [0.9, 0.5, 0.2, 0.05, 0.005], closed=True,
              suits=lambda s: s.smallest_class >= 4 and s.n_classes * s.p**2 <= 5e6),
    Candidate("products", 40, lambda s: _scaled(_load("PolynomialFeatures", degree=2, include_bias=False), *_scaled(
              _load("LinearDiscriminantAnalysis", solver="lsqr"))), "shrinkage", lambda s: [0.5, 0.1, 0.02, 0.003],
              suits=_products, cost=lambda s: 5.0 * s.n * s.p**2),
    Candidate("tree", 50, lambda s: [_load("DecisionTreeClassifier", min_samples_leaf=3, random_state=s.seed)], "ccp_alpha",
              lambda s: _spread(2e-4, 0.1, 10), cost=lambda s: 1200.0 * s.n * s.p),
    Candidate("neighbours", 60, lambda s: _scaled(_load("KNeighborsClassifier")), "n_neighbors", _neighbours, cost=_by_row,
              ),
    Candidate("mixture", 70, lambda s: _scaled(_load("BayesClassifier", density=_load(
              "GaussianMixture", covariance_type="diag", reg_covar=1e-2, max_iter=60, random_state=s.seed))), "density__n_components",
              lambda s: [k for k in (2, 3, 5) if s.smallest_class >= 8 * k], suits=lambda s: s.smallest_class >= 16,
              cost=lambda s: 3000.0 * s.n * s.p),
)  # fmt: skip

REGRESSORS = (
    Candidate("baseline", 0, lambda s: [_load("BaselineRegressor")], closed=True),
    Candidate("linear", 12, lambda s: [_load("LinearRegression")], closed=True, suits=lambda s: s.p < 0.5 * s.n),
    Candidate("ridge", 12, lambda s: _scaled(_load("Ridge")), "alpha", lambda s: [s.n * a for a in _spread(1e-4, 10.0, 11)], closed=True),
    Candidate("lasso", 12, lambda s: _scaled(_load("Lasso")), "alpha", lambda s: [s.scale * a for a in _spread(3e-3, 0.5, 8)],
              suits=lambda s: s.n_targets == 1, cost=lambda s: 100.0 * s.n * s.p),
    Candidate("additive", 30, lambda s: _scaled(_load("AdditiveSplines")), "dof", lambda s: [2, 3, 4, 6],
              suits=lambda s: s.p <= 60 and s.n > 12 * s.p, cost=lambda s: 800.0 * s.n * s.p),
    Candidate("products", 40, lambda s: _scaled(_load("PolynomialFeatures", degree=2, include_bias=False), *_scaled(_load("Ridge"))),
              "alpha", lambda s: [s.n * a for a in _spread(1e-4, 1.0, 7)], suits=_products,
              cost=lambda s: 5.0 * s.n * s.p**2),
    Candidate("tree", 50, lambda s: [_load("DecisionTreeRegressor", min_samples_leaf=3, random_state=s.seed)], "ccp_alpha",
              lambda s: [s.scale**2 * a for a in _spread(2e-4, 0.1, 10)], cost=lambda s: 1200.0 * s.n * s.p,
              suits=lambda s: s.n_targets == 1),
    Candidate("neighbours", 60, lambda s: _scaled(_load("KNeighborsRegressor")), "n_neighbors", _neighbours, cost=_by_row,
              ),
)  # fmt: skip


def hierarchy(s: Setting, predictors: Any = None) -> Iterator[Candidate]:
    """Yield the candidates for a table in order of simplicity: all, those named, or the user's own estimators.

    ``predictors`` is None, a list that mixes keys of the hierarchy and estimators, or a dictionary of name to estimator. The baseline
    always runs: everything else is measured against it.
    """
    own = CLASSIFIERS if s.task == "classification" else REGRESSORS
    by_key = {c.key: c for c in own}
    if predictors is None:
        yield from own
        return
    yield by_key["baseline"]
    named = list(predictors.items()) if isinstance(predictors, Mapping) else [(None, p) for p in predictors]
    if not named:
        raise WrongUse("predictors is empty: give keys of the hierarchy or estimators, or leave it out.")
    seen = {"baseline"}
    wanted = []
    for name, given in named:
        candidate = _named(given, by_key) if isinstance(given, str) else _own(name, given, s, seen)
        if candidate.key not in seen:
            seen.add(candidate.key)
            wanted.append(candidate)
    yield from sorted(wanted, key=lambda c: c.order)


def _named(key: str, by_key: Mapping[str, Candidate]) -> Candidate:
    if key not in by_key:
        from epee.table.schema import suggestion

        raise WrongUse(f"there is no predictor {key!r} for this target{suggestion(key, list(by_key))}")
    return by_key[key]


def _own(name: str | None, estimator: Any, s: Setting, seen: set[str]) -> Candidate:
    """Return the candidate of a user's own estimator."""
    right = is_classifier(estimator) if s.task == "classification" else is_regressor(estimator)
    if not hasattr(estimator, "fit") or not right:
        raise WrongUse(
            f"{estimator!r} is no {'classifier' if s.task == 'classification' else 'regressor'}, which this target needs."
        )
    label = name or type(estimator).__name__
    key, k = label, 2
    while key in seen:
        key, k = f"{label} ({k})", k + 1
    order = next((line.order for line in METHODS if line.name == type(estimator).__name__), 1000)
    return Candidate(key, order, lambda s: [estimator], label=key, cost=lambda s: 0.0)


def unfit(candidate: Candidate, s: Setting) -> str:
    """Return why a candidate cannot run on this table, or nothing."""
    last = candidate.make(s)[-1]
    if s.weighted and not has_fit_parameter(last, "sample_weight"):
        return say("no_weights")
    if s.costs is not None and not hasattr(last, "predict_proba"):
        return say("no_probability")
    if s.n_targets > 1 and not get_tags(last).target_tags.multi_output:
        return say("one_target")
    return ""
