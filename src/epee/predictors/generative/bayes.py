r"""Bayes' classifier with any density.

One density is learned for each class, and Bayes' rule ranks the classes by

.. math:: \delta_k(x) = \log \pi_k + \log \hat p_k(x). \tag{1}

A density is any object with ``fit(X)`` and ``score_samples(X)``, which returns log-densities: normal laws, mixtures,
kernels, ours or scikit-learn's. All is done in logarithms, so that no row is too far away from every class.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.utils.validation import has_fit_parameter

from epee.engines.deadline import check_time
from epee.engines.local import in_order
from epee.errors import DataError, WrongUse
from epee.estimator.base import Classifier, PosteriorMixin
from epee.estimator.protocol import FitsTogether
from epee.predictors.generative.generator import GenerativeClassifier, check_priors, log_of
from epee.solve.soundness import insist_sound
from epee.typing import Codes, Labels, Matrix, Seed, Vector

Part = tuple[Matrix, Vector | None] | None  # the rows and weights of a class


class BayesClassifier(MetaEstimatorMixin, PosteriorMixin, Classifier):
    r"""One density a class, and Bayes' rule: :math:`\delta_k(x) = \log\pi_k + \log\hat p_k(x)`.

    Parameters
    ----------
    density : estimator with ``fit`` and ``score_samples``, default=None
        The law of a class; a copy is fitted to the rows of each. None is a normal law with :math:`10^{-6}`
        added to its variances.
    priors : array (K,), default=None
        :math:`\pi_k`; by default the class frequencies. A larger prior moves the frontier away from its class.

    Attributes
    ----------
    densities_ : list of fitted densities, one a class
    class_prior_ : array (K,)

    Notes
    -----
    Costs one fit of the density for each class. A row that every class finds impossible (log-density minus infinity, as
    far from a kernel of bounded support) is ranked by the priors.

    References
    ----------
    Hastie, Tibshirani and Friedman, *The Elements of Statistical Learning*, section 6.6.2.

    Examples
    --------
    >>> from sklearn.neighbors import KernelDensity
    >>> X = [[0.0], [0.3], [0.6], [4.0], [4.3], [4.6]]
    >>> BayesClassifier(KernelDensity(bandwidth=0.5)).fit(X, list("aaabbb")).predict([[1.0], [9.0]])
    array(['a', 'b'], dtype='<U1')
    """

    def __init__(self, density: Any = None, *, priors: Any = None) -> None:
        self.density = density
        self.priors = priors

    def _fit(self, X: Matrix, codes: Codes, w: Vector | None) -> None:
        density = self._density()
        self._note_priors(codes, w)
        self.densities_: list[Any] = []
        for label, own in zip(self.classes_.tolist(), by_class(X, codes, w, len(self.classes_)), strict=True):
            if own is None:
                self.densities_.append(None)
                continue
            try:
                self.densities_.append(_fit_density(clone(density), *own))
            except (ValueError, np.linalg.LinAlgError) as error:
                raise DataError(f"class {label!r} ({len(own[0])} rows): {error}") from error

    def _note_priors(self, codes: Codes, w: Vector | None) -> None:
        count = np.bincount(codes, weights=w, minlength=len(self.classes_)).astype(np.float64)
        self.class_prior_ = count / count.sum() if self.priors is None else check_priors(self.priors, self.classes_)

    @classmethod
    def fit_together(cls, models: Sequence[Self], rows: Sequence[tuple[Any, Any, Any]]) -> None:
        """Fit several, each on rows (X, y, weights or None) of its own; all their densities at once where these fit together."""

        def fit(i: int) -> None:
            check_time()
            models[i].fit(*rows[i])

        try:
            if cls._fitted_at_once(models, rows):
                return
        except (ValueError, np.linalg.LinAlgError):
            pass  # alone it says of which class
        for _ in in_order(fit, range(len(models))):
            pass

    @classmethod
    def _fitted_at_once(cls, models: Sequence[Self], rows: Sequence[tuple[Any, Any, Any]]) -> bool:
        """Fit the densities of all classes of all models together; False where they are not of one kind that can."""
        kinds = {type(model._density()) for model in models}
        if len(kinds) > 1 or not isinstance(models[0]._density(), FitsTogether):
            return False
        densities: list[Any] = []
        given: list[Any] = []
        cut: dict[tuple[int, ...], list[Part]] = {}  # the same rows come with every value of a parameter
        for model, sample in zip(models, rows, strict=True):
            X, codes, w = model._enter_both(*sample)
            if w is not None:
                model._check_weighted_classes(codes, w)
            model._note_priors(codes, w)
            known = tuple(map(id, sample))
            if known not in cut:
                cut[known] = by_class(X, codes, w, len(model.classes_))
            parts = cut[known]
            model.densities_ = [None if own is None else clone(model._density()) for own in parts]
            densities += [density for density in model.densities_ if density is not None]
            given += [(own[0], None, own[1]) for own in parts if own is not None]
        densities[0].fit_together(densities, given)
        for model in models:
            insist_sound(model)
        return True

    def _density(self) -> Any:
        if self.density is None:
            from epee.structure.gaussian import GaussianDensity

            return GaussianDensity(reg_covar=1e-6)
        if not hasattr(self.density, "fit") or not hasattr(self.density, "score_samples"):
            raise WrongUse(
                f"{self.density!r} is no density: it needs fit(X) and score_samples(X), which returns log-densities."
            )
        return self.density

    def _score(self, X: Matrix) -> Matrix:
        scores = np.full((len(X), len(self.classes_)), -np.inf)
        for k, density in enumerate(self.densities_):
            if density is not None:
                scores[:, k] = density.score_samples(X)
        scores += log_of(self.class_prior_)
        lost = np.isneginf(scores).all(axis=1)
        scores[lost] = log_of(self.class_prior_)
        return scores

    def sample(self, n_samples: int = 1, random_state: Seed = None) -> tuple[Matrix, Labels]:
        """Draw rows: a class by its prior, then a row from its density."""
        if not all(hasattr(d, "sample") for d in self.densities_ if d is not None):
            raise WrongUse(f"{type(self._density()).__name__} has no method sample.")
        return GenerativeClassifier.sample(self, n_samples, random_state)

    def _log_priors(self) -> Vector:
        return log_of(self.class_prior_)

    def _draw(self, k: int, n: int, rng: np.random.Generator) -> Matrix:
        density = self.densities_[k]
        try:
            drawn = density.sample(n, random_state=int(rng.integers(2**31)))
        except TypeError:  # scikit-learn's mixtures take the seed at construction
            drawn = clone_with_seed(density, int(rng.integers(2**31))).sample(n)
        return np.asarray(drawn[0] if isinstance(drawn, tuple) else drawn)


def by_class(X: Matrix, codes: Codes, w: Vector | None, K: int) -> list[Part]:
    """Return the rows and weights of each class, None where it has none, and where all weights are one.

    >>> by_class(np.array([[1.0], [2.0]]), np.array([1, 1]), None, 2)[0] is None
    True
    """
    own = [np.flatnonzero(codes == k if w is None else (codes == k) & (w > 0)) for k in range(K)]
    return [(X[rows], None if w is None or (w[rows] == 1).all() else w[rows]) if len(rows) else None for rows in own]


def clone_with_seed(density: Any, seed: int) -> Any:
    """Return the fitted density with another seed."""
    import copy

    twin = copy.copy(density)
    return twin.set_params(random_state=seed) if "random_state" in twin.get_params() else twin


def _fit_density(density: Any, X: Matrix, w: Vector | None) -> Any:
    if w is None:
        return density.fit(X)
    if has_fit_parameter(density, "sample_weight"):
        return density.fit(X, sample_weight=w)
    if (w == np.round(w)).all():
        return density.fit(np.repeat(X, w.astype(np.int64), axis=0))
    raise WrongUse(
        f"{type(density).__name__} takes no sample_weight: give whole weights, which repeat rows, or another density."
    )
