"""What the boosted classifier and the boosted regressor share: bins, rounds, stopping, stages."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from epee.errors import DataError, WrongUse
from epee.estimator.base import Estimator, encode_labels
from epee.estimator.protocol import Needs
from epee.losses.names import resolve
from epee.predictors.ensembles.binning import Binned, bin_table, find_bins, sampled
from epee.predictors.ensembles.frames import codes_in, encode_categories
from epee.predictors.ensembles.growth import Plan
from epee.predictors.ensembles.parameters import between, columns_named, groups_of, monotone_signs, whole
from epee.predictors.ensembles.rounds import Onlookers, Rounds, rows_aside
from epee.predictors.ensembles.soundness import refuse_strange
from epee.predictors.ensembles.spooling import spool_table
from epee.predictors.ensembles.stages import Stages, stages_of
from epee.predictors.ensembles.stopping import Stopping
from epee.predictors.ensembles.structure import Trees, dependence, scores
from epee.risk.dependence import Dependence
from epee.risk.intervals import check_level
from epee.risk.route import GLANCE
from epee.risk.splitting import group_codes, places_in_time, say_one_of
from epee.risk.units import as_counts
from epee.risk.watching import kinship, positive
from epee.solve.soundness import insist_sound
from epee.table.block import check_weights
from epee.table.doors import open_source, width_of
from epee.typing import Codes, Matrix, Vector

SMALL = 10_000  # rows up to which "auto" does not stop early


class HistGradientBoosting(Estimator):
    """What both share: bins, rounds, stopping, stages."""

    _takes_missing = True
    lengthened_by = "max_iter"
    trees_: Trees
    n_iter_: int
    _start: Vector
    state_parts = ("_bins", "_levels", "_signs", "_start")

    def _enter(self, X: Any, *, reset: bool, finite: bool = True) -> Matrix:
        named = self.categorical_features
        words = named if named is not None and not isinstance(named, str) else ()
        if reset:
            X, self._levels = encode_categories(X, None, words)
        else:
            X, _ = encode_categories(X, self._levels, words)
        return super()._enter(X, reset=reset, finite=False)  # an infinite cell is the first or the last of its column

    def _restore(self) -> None:
        if not hasattr(self, "trees_"):
            return
        p, K = self.n_features_in_, len(self._start)
        sound = (self.trees_.feature < p).all() and (self.trees_.outputs < K).all() and len(self._bins.n_bins) == p
        refuse_strange(sound, f"trees of {p} columns and {K} scores")
        self._loss = self._objective()

    def _plan(self, p: int) -> Plan:
        """Check the parameters and put them in the units of growth."""
        names = getattr(self, "feature_names_in_", None)
        whole("max_bins", self.max_bins, 2)
        if self.max_bins > 255:
            raise WrongUse(
                f"max_bins is {self.max_bins}; it must be at most 255, for a bin is a byte and one is kept for missing."
            )
        whole("max_iter", self.max_iter, 1)
        whole("n_iter_no_change", self.n_iter_no_change, 1)
        between("tol", self.tol, 0, np.inf)
        if self.early_stopping not in (True, False, "auto"):
            raise WrongUse(f"early_stopping is {self.early_stopping!r}; it must be True, False or 'auto'.")
        mask = self._categorical(p, names)
        self.is_categorical_ = mask if mask.any() else None
        self._signs = monotone_signs(self.monotonic_cst, names, p, mask, type(self).__name__)
        seed = 0 if self.random_state is None else int(check_random_state(self.random_state).randint(2**31 - 1))
        return Plan(
            whole("max_leaf_nodes", self.max_leaf_nodes, 2, none=True), whole("max_depth", self.max_depth, 1, none=True),
            float(whole("min_samples_leaf", self.min_samples_leaf, 1)), between("l2_regularization", self.l2_regularization, 0, np.inf),
            between("max_features", self.max_features, 0, 1, open_low=True),
            self._signs, self._check_interaction_cst(p),
            between("learning_rate", self.learning_rate, 0, np.inf, open_low=True), seed,
        )  # fmt: skip

    def _check_interaction_cst(self, p: int) -> list[frozenset[int]] | None:
        """Return the sets of columns that may meet in a branch; None where all may."""
        return groups_of(self.interaction_cst, p)

    def _categorical(self, p: int, names: Any) -> np.ndarray:
        mask = np.zeros(p, dtype=bool)
        mask[[j for j in self._levels if j < p]] = True
        if isinstance(self.categorical_features, str) and self.categorical_features == "from_dtype":
            return mask
        return mask | columns_named(self.categorical_features, names, p, "categorical_features")

    def _mask(self, p: int) -> np.ndarray:
        """Return which columns (p,) hold categories."""
        return np.zeros(p, dtype=bool) if self.is_categorical_ is None else self.is_categorical_

    def _fit(self, X: Matrix, y: Any, w: Vector | None) -> None:
        plan = self._plan(X.shape[1])
        warm = self.warm_start and hasattr(self, "trees_")
        if not warm:
            self._find_bins(X, w, plan)
        self._boost(bin_table(self._bins, X), y, w, plan, X if warm else None)

    def _find_bins(self, X: Matrix, w: Vector | None, plan: Plan) -> None:
        """Set the bins of the columns."""
        n, p = X.shape
        chosen = sampled(0, n, n, plan.seed)
        some = X if chosen.all() else X[chosen]
        self._bins = find_bins(some, None if w is None else w[chosen], self.max_bins, self._mask(p))

    def fit_telling(
        self, X: Any, y: Any, sample_weight: Any, rows: Any, values: Sequence[int], needs: Needs
    ) -> Iterator[np.ndarray] | None:
        """Fit, and yield after each of some numbers of rounds what is then said of other rows, or with None of those it learns from.

        ``values`` increase up to ``max_iter``; an answer is good until the next is asked for. None where early stopping may end the fit.
        """
        n = X.shape[0] if hasattr(X, "shape") else len(X)
        stops = n > SMALL if self.early_stopping == "auto" else self.early_stopping is not False
        if stops or values[0] < 1 or any(int(v) != v for v in values):
            return None
        return self._telling(X, y, sample_weight, rows, values, needs)

    def _telling(self, X: Any, y: Any, w: Any, rows: Any, values: Sequence[int], needs: Needs) -> Iterator[np.ndarray]:
        X, y, w = self._enter_both(X, y, w)
        if w is not None and hasattr(self, "classes_"):
            self._check_weighted_classes(y, w)
        plan, wanted = self._plan(X.shape[1]), frozenset(values)
        self._find_bins(X, w, plan)
        far = None if rows is None else Onlookers(bin_table(self._bins, self._enter(rows, reset=False)))
        self.do_early_stopping_, self.train_score_, self.validation_score_ = False, np.zeros(0), np.zeros(0)
        rounds = self._rounds(bin_table(self._bins, X), np.asarray(y, dtype=np.float64), w, plan, onlookers=far)
        for r in rounds.each(self.max_iter, 0):
            if r + 1 in wanted:
                yield self._said(far.raw if far is not None else rounds.scores, needs)
        self.trees_, self.n_iter_ = rounds.trees(), self.max_iter
        insist_sound(self)

    def _fit_watching(self, own: tuple[Any, Any, Any], watched: tuple[Any, Any, Any]) -> Self:
        """Fit with rows (X, y, weights or None) for early stopping to watch; they set no bin and grow no tree."""
        for k, name in enumerate(("X_val", "y_val")):
            if watched[k] is None:
                raise WrongUse(f"{('y_val', 'X_val')[k]} is provided, but {name} was not provided.")
        if self.early_stopping is False:
            raise WrongUse(
                "X_val and y_val are passed to fit while at the same time early_stopping=False: they are rows for it to watch."
            )
        X, y, w = self._enter_both(*own)
        far = self._enter(watched[0], reset=False)
        weight = check_weights(watched[2], len(far))
        if hasattr(self, "classes_"):
            seen, values = encode_labels(watched[1], len(far))
            strange = np.setdiff1d(seen, self.classes_)
            if len(strange):
                raise DataError(f"y_val holds labels that y does not: {strange.tolist()}.")
            values = np.searchsorted(self.classes_, seen)[values]
            if w is not None:
                self._check_weighted_classes(y, w)
        else:
            values = self._enter_target(watched[1], len(far))
        if w is not None or weight is not None:
            w = np.concatenate([np.ones(len(a)) if b is None else b for a, b in ((X, w), (far, weight))])
        plan, n = self._plan(X.shape[1]), len(X) + len(far)
        warm = self.warm_start and hasattr(self, "trees_")
        if not warm:
            self._find_bins(X, None if w is None else w[: len(X)], plan)
        rows = np.concatenate([X, far])
        table = bin_table(self._bins, rows)
        self._boost(table, np.concatenate([y, values]), w, plan, rows if warm else None, np.arange(n) >= len(X))
        insist_sound(self)
        return self

    def _boost(
        self, table: Binned, y: Any, w: Vector | None, plan: Plan, X: Matrix | None, held: np.ndarray | None = None
    ) -> None:
        """Run the rounds on a table of bytes; with rows ``X`` go on from the trees there are; ``held`` are those kept aside."""
        y = np.asarray(y, dtype=np.float64)
        n = len(y)
        self.do_early_stopping_ = n > SMALL if self.early_stopping == "auto" else bool(self.early_stopping)
        if held is not None:
            self.do_early_stopping_ = True
        elif self.do_early_stopping_ and self.validation_fraction is not None:
            share = (
                self.validation_fraction / n if isinstance(self.validation_fraction, int) else self.validation_fraction
            )
            codes = y.astype(np.intp) if hasattr(self, "classes_") else None
            held = rows_aside(codes, n, between("validation_fraction", share, 0, 1, open_low=True), plan.seed)
            if w is not None and not (w[held] > 0).any():
                held = None
        before, done = Trees.empty(), 0
        if X is not None:
            before, done, start = self.trees_, self.n_iter_, self._start
            if self.max_iter < done:
                raise WrongUse(
                    f"max_iter={self.max_iter} must be larger than or equal to n_iter_={done} when warm_start==True."
                )
        rounds = self._rounds(table, y, w, plan, held)
        if X is not None:
            rounds.raw[:] = scores(before, self._bins.coded(X), start)
            self._start = start
        else:
            self.train_score_, self.validation_score_ = np.zeros(0), np.zeros(0)
        stopping = Stopping(self, rounds) if self.do_early_stopping_ else None
        made = rounds.run(self.max_iter - done, done, stopping)
        self.trees_ = before.followed_by(rounds.trees())
        self.n_iter_ = done + made
        if stopping is not None:
            self.train_score_, self.validation_score_ = np.array(stopping.train), np.array(stopping.held)

    def _rounds(
        self, table: Binned, y: Vector, w: Vector | None, plan: Plan, held: np.ndarray | None = None, onlookers: Onlookers | None = None
    ) -> Rounds:  # fmt: skip
        """Return the rounds of a fit, at the constant that they start from."""
        self._loss = self._objective()
        self._loss.check(y)
        rounds = Rounds(table, self._bins, y, self._factored(y, w), w, self._loss, plan, held, onlookers)
        self._start = rounds.start()
        self.n_trees_per_iteration_ = len(self._start)
        return rounds

    def _should_stop(self, scores: Sequence[float]) -> bool:
        """Tell whether none of the last scores is better than the one before them, by more than ``tol``."""
        patience = self.n_iter_no_change
        if len(scores) <= patience:
            return False
        reference = scores[-patience - 1] + self.tol
        return not any(score > reference for score in scores[-patience:])

    def _factored(self, y: Vector, w: Vector | None) -> Vector | None:
        return w

    def _fit_stream(self, X: Any, y: Any, sample_weight: Any) -> Self:
        """Fit from a file, a query or a cluster: the columns become bytes once, and only those are read again."""
        self._levels = {}
        source = self._enter_stream(open_source(X, y, sample_weight), reset=True)
        plan = self._plan(source.n_columns)
        spooled = spool_table(
            source, self._mask(source.n_columns), self.max_bins, plan.seed, labels=hasattr(self, "_enter_labels")
        )
        self._bins = spooled.bins
        if spooled.classes is not None:
            self.classes_ = spooled.classes
            self._check_classes(self.classes_, None)
        self._boost(spooled.table, spooled.y, check_weights(spooled.weight, len(spooled.y)), plan, None)
        return self

    def _raw_predict(self, X: Matrix, rounds: int | None = None) -> Matrix:
        """Return the scores (n, outputs) of checked rows after a number of rounds."""
        trees = self.trees_ if rounds is None else self.trees_.upto(rounds * self.n_trees_per_iteration_)
        return scores(trees, self._bins.coded(X), self._start)

    def _staged(self, X: Any) -> Iterator[Matrix]:
        """Yield the scores after each round."""
        clean = self._leave(X)
        rows = self._bins.coded(clean)
        raw, K = np.tile(self._start, (len(rows), 1)), self.n_trees_per_iteration_
        for t in range(self.n_iter_):
            raw = raw + scores(self.trees_.only(t * K, (t + 1) * K), rows, np.zeros(K))
            yield raw

    def _compute_partial_dependence_recursion(self, grid: Any, target_features: Codes) -> Matrix:
        """Return the mean scores (outputs, m) at the points of a grid (m, q) of some columns: what scikit-learn's ``inspection`` asks.

        The constant that the rounds start from is in them, so that they are the means of ``decision_function``.
        """
        points = np.asarray(grid)
        X = np.full((len(points), self.n_features_in_), np.nan)
        for k, j in enumerate(np.asarray(target_features).tolist()):
            cells = points[:, k]
            X[:, j] = codes_in(cells.astype(object), self._levels[j]) if j in self._levels else cells.astype(np.float64)
        return dependence(self.trees_, self._bins.coded(X), target_features, self._start)

    @property
    def _predictors(self) -> list[list[Any]]:
        """The trees by round and output, as scikit-learn's own records: what tools read that know its boosted trees."""
        from epee.predictors.ensembles.records import as_records

        check_is_fitted(self, "trees_")
        return as_records(self.trees_, self._bins, self.n_trees_per_iteration_)

    @property
    def _baseline_prediction(self) -> Matrix:
        """The constant that the rounds start from, (1, outputs)."""
        return self._start[None]

    def stages_risk(
        self, X: Any, y: Any, *, loss: Any = None, sample_weight: Any = None, level: float = 0.95, groups: Any = None, time: Any = None
    ) -> Stages:  # fmt: skip
        """Return the risk on rows that were not learned from after every number of rounds, from this one fit.

        Parameters
        ----------
        X, y : rows and their targets
        loss : name, costs matrix or Loss, default=None
            "zero_one" for a classifier, "squared" for a regressor.
        sample_weight : array (n,), optional
            Counts, or sampling weights, whose scale means nothing.
        level : float, default=0.95
            What the intervals cover.
        groups : array (n,), optional
            Rows that belong together (one patient, one machine): the error bars then count groups.
        time : array (n,) or True, optional
            When each row happened; True is the order of the rows. The error bars then know that neighbours resemble each other.
        """
        check_is_fitted(self)
        check_level(level)
        classes = getattr(self, "classes_", None)
        chosen = resolve(loss, "regressor" if classes is None else "classifier")
        chosen = chosen if classes is None else chosen.bind(classes)
        rows, truth = self._leave(X), np.asarray(y)

        def losses() -> Iterator[Vector]:
            for raw in self._staged(rows):
                yield chosen.value(self._said(raw, chosen.needs), truth)

        w, n = check_weights(sample_weight, len(truth)), len(truth)
        say_one_of(groups, time)
        ids = None if groups is None else group_codes(groups, n)
        order = None if time is None or ids is not None else np.argsort(places_in_time(time, n), kind="stable")

        def look(best: int) -> Dependence | None:
            if order is not None or n * width_of(rows) > GLANCE:
                return None
            said = self._said(next(itertools.islice(self._staged(rows), best, None)), chosen.needs)
            left: tuple[Any, ...] = (chosen.value(said, truth), rows, None, (), None)
            if classes is not None:
                left += (chosen.codes(truth),)
            elif truth.ndim == 1 and truth.dtype.kind in "fiub":
                left = (truth - said.reshape(truth.shape), rows, None, (), truth.astype(np.float64), None)
            else:
                left += (None,)
            return kinship(*positive(left, w, None if w is None else as_counts(w, n), ids))

        return stages_of(losses, self.n_iter_, w, chosen.name, level, ids, order, look)

    def variants(self, parameter: str, values: Sequence[Any]) -> list[Self] | None:
        """Return the first rounds of this fit, for several numbers of rounds; only ``max_iter`` needs no new fit."""
        if parameter != "max_iter" or max(values) > self.max_iter:
            return None
        out = []
        for value in values:
            fewer = copy.copy(self).set_params(max_iter=int(value))
            fewer.n_iter_ = min(int(value), self.n_iter_)
            fewer.trees_ = self.trees_.upto(fewer.n_iter_ * self.n_trees_per_iteration_)
            out.append(fewer)
        return out

    def answer_together(self, variants: Sequence[Any], X: Matrix, needs: Needs | None = None) -> list[np.ndarray]:
        """Return what each number of rounds says of clean rows, from one walk through the trees."""
        needs = needs or ("labels" if hasattr(self, "classes_") else "values")
        rows, K = self._bins.coded(X), self.n_trees_per_iteration_
        longest = max(variants, key=lambda v: v.n_iter_)
        raw, done, found = np.tile(self._start, (len(rows), 1)), 0, {}
        for n_iter in sorted({v.n_iter_ for v in variants}):
            raw = raw + scores(longest.trees_.only(done * K, n_iter * K), rows, np.zeros(K))
            done, found[n_iter] = n_iter, self._said(raw, needs)
        return [found[v.n_iter_] for v in variants]

    @property
    def effective_dof_(self) -> float:
        """One constant a leaf."""
        check_is_fitted(self)
        return float(self.trees_.n_leaves().sum())

    @property
    def gain_importances_(self) -> Vector:
        """The share of each column in what the cuts gained."""
        check_is_fitted(self)
        gains = self.trees_.importance(self.n_features_in_)
        return gains / gains.sum() if gains.sum() > 0 else gains
