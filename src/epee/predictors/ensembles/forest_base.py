"""What the forests share: drawing, growing, rows out of the bag, proximity, laws of the leaves, importance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from epee.errors import DataError, WrongUse
from epee.estimator.base import Estimator, ProbabilityMixin, Regressor, say
from epee.estimator.outputs import SeveralLabels, labels_of
from epee.predictors.ensembles.binning import bin_table, find_bins, sampled
from epee.predictors.ensembles.forest_growth import Draw, ExactRecipe, Recipe, UnitDraw, centres_of, grow_trees
from epee.predictors.ensembles.forest_structure import Forest
from epee.predictors.ensembles.leaves import proximity, quantiles
from epee.predictors.ensembles.members import Members
from epee.predictors.ensembles.oob import losses_of, oob_risk, out_of_bag
from epee.predictors.ensembles.parameters import MOST, between, whole
from epee.predictors.ensembles.soundness import refuse_strange
from epee.predictors.trees.outputs import rounded_level
from epee.predictors.trees.tree import DecisionTreeClassifier, DecisionTreeRegressor
from epee.risk.copies import copies_of
from epee.risk.estimate import Risk
from epee.risk.intervals import check_level
from epee.risk.route import GLANCE
from epee.risk.units import per_row, stands_for_rows, unsaid
from epee.risk.watching import kinship, marked
from epee.table.fingerprints import fingerprint
from epee.table.partitions import by_partition
from epee.typing import Codes, Labels, Matrix, Tensor, Vector
from epee.words import risk_words

NO_BAG = "no row is out of the bag of any tree. Ask for more trees, or bootstrap=False."
JUDGES = 2_000  # rows out of the bag by which intervals are calibrated


class BaseForest(Estimator):
    """Growth and reading of a forest."""

    _takes_missing = True
    _takes_sparse = "dense"
    _random_cuts = False
    _criteria: tuple[str, ...] = ()
    _by_histogram: tuple[str, ...] = ()
    _tree_class: Any = None
    forest_: Forest
    oob_risk_: Risk
    state_parts = ("_level", "_values", "_judges", "_judge_leaves", "_judge_trees", "_outputs")

    def _grow(self, X: Matrix, y: Vector, w: Vector | None, K: int, factor: Vector | None) -> None:
        """Grow the trees that are missing, and judge the rows that they left out."""
        n = len(X)
        whole("n_estimators", self.n_estimators, 1)
        if self.criterion not in self._criteria:
            raise WrongUse(
                f"criterion is {self.criterion!r}; it must be one of {', '.join(map(repr, self._criteria))}."
            )
        if not self.bootstrap and self.max_samples is not None:
            raise WrongUse(
                "`max_sample` cannot be set if `bootstrap=False`. Either switch to `bootstrap=True` or set `max_sample=None`."
            )
        seed = 0 if self.random_state is None else int(check_random_state(self.random_state).randint(2**31 - 1))
        w = per_row(w)[0] if self.bootstrap else w  # as many draws as there are rows
        total = float(n if w is None else w.sum())
        self._n_samples_bootstrap = self._rows_drawn(total) if self.bootstrap else None
        draw = Draw(n, self._n_samples_bootstrap, w, seed)
        X = np.ascontiguousarray(X, dtype=np.float64)
        there = len(self.forest_) if self.warm_start and hasattr(self, "forest_") else 0
        if there > self.n_estimators:
            raise WrongUse(
                f"n_estimators is {self.n_estimators}, but warm_start goes on from {there} trees: ask for more."
            )
        if there == self.n_estimators:
            say("Warm-start fitting without increasing n_estimators does not fit new trees: ask for more of them.")
        if there < self.n_estimators:
            grown = grow_trees(self._recipe(X, y, w, K, factor, draw, total), range(there, self.n_estimators))
            self.forest_ = self.forest_.followed_by(grown) if there else grown
        self._draw = draw
        judged = there == self.n_estimators and (not self.oob_score or hasattr(self, "oob_score_"))
        if self.bootstrap and not judged:
            self._set_oob_score_and_attributes(X, y, w, draw)
        elif self.oob_score and not self.bootstrap:
            raise WrongUse(
                "Out of bag estimation only available if bootstrap=True: otherwise every tree has seen every row."
            )

    def _set_oob_score_and_attributes(self, X: Matrix, y: Vector, w: Vector | None, draw: Draw) -> None:
        """Judge the rows by the trees that left them out; one risk cannot speak of several outputs, only a score can."""
        if y.ndim == 1:
            self._judge(X, y, w, draw)
        elif self.oob_score:
            judged = out_of_bag(self.forest_, X, draw)
            self._say_unjudged(judged[1] > 0)
            self._judge_outputs(judged, y)

    def _restore(self) -> None:
        if hasattr(self, "forest_"):
            refuse_strange(
                (self.forest_.feature < self.n_features_in_).all(), f"forest of {self.n_features_in_} columns"
            )

    def _rows_drawn(self, total: float) -> int:
        given = self.max_samples
        if given is None:
            return max(1, round(total))
        if isinstance(given, (int, np.integer)) and not isinstance(given, bool):
            return whole("max_samples", given, 1)
        return max(1, round(between("max_samples", given, 0, np.inf, open_low=True) * total))

    def _recipe(
        self, X: Matrix, y: Vector, w: Vector | None, K: int, factor: Vector | None, draw: Draw, total: float
    ) -> Recipe | ExactRecipe:
        names = ("max_depth", "min_samples_split", "min_samples_leaf", "min_weight_fraction_leaf", "max_leaf_nodes",
                 "min_impurity_decrease", "max_features", "ccp_alpha", "monotonic_cst", "criterion")  # fmt: skip
        arguments = {name: getattr(self, name) for name in names}
        arguments["splitter"] = "random" if self._random_cuts else "best"
        tree = self._tree_class(**arguments)
        if K:
            tree.classes_ = self.classes_
        several = y.ndim == 2
        if several and self.monotonic_cst is not None:
            raise WrongUse("Monotonicity constraints are not supported with multiple outputs")
        plan = tree._plan(total, total, X.shape[1])
        exact = (
            several
            or self.criterion not in self._by_histogram
            or plan.monotone.any()
            or self.ccp_alpha > 0
            or self.max_leaf_nodes is not None
        )
        if exact:
            if K:
                arguments["class_weight"] = (
                    self.class_weight if self.class_weight != "balanced_subsample" else "balanced"
                )
            if several:
                truth = labels_of(y.astype(np.int64), self.classes_) if K else y
            else:
                truth = y if not K else self.classes_[y.astype(int)]
            return ExactRecipe(self._tree_class, arguments, X, truth, draw)
        n = len(X)
        chosen = sampled(0, n, n, draw.seed)
        bins = find_bins(
            X if chosen.all() else X[chosen], None if w is None else w[chosen], 255, np.zeros(X.shape[1], bool)
        )
        flags = (
            int(self.criterion in ("entropy", "log_loss")),
            int(self._random_cuts),
            plan.max_features,
            min(plan.max_depth, MOST),
        )
        limits = (
            float(plan.min_samples_split),
            float(plan.min_samples_leaf),
            plan.min_weight_leaf,
            plan.min_impurity_decrease,
        )
        return Recipe(
            bin_table(bins, X),
            bins,
            centres_of(bins),
            y,
            K,
            factor,
            draw,
            flags,
            limits,
        )

    def _judge(self, X: Matrix, y: Vector, w: Vector | None, draw: Draw) -> None:
        """Set what the trees say of the rows that they left out."""
        for name in ("oob_risk_", "oob_prediction_", "oob_decision_function_", "oob_score_"):
            self.__dict__.pop(name, None)
        said, judged, fewer = out_of_bag(self.forest_, X, draw)
        there = (judged > 0) & (True if w is None else w > 0)
        if not there.any():  # large weights are many copies of a row: each tree has drawn one of them
            if self.oob_score:
                raise DataError(f"n_samples = {len(X)}: {NO_BAG}")
            return
        if self.oob_score:
            self._say_unjudged(judged > 0)
            if unsaid(w):
                say(unsaid(w))
        risk = self._oob_risk(X, y, w, said, there, fewer)
        copies = None if stands_for_rows(w) else copies_of(X, y)
        if copies is not None:
            apart, judged, fewer = out_of_bag(
                self.forest_, X, UnitDraw(draw.n, draw.size, draw.weight, draw.seed, copies)
            )
            alone = np.isin(np.arange(len(X)), np.unique(copies, return_index=True)[1]) & (judged > 0)
            if alone.any():
                risk = self._oob_risk(X, y, w, apart, alone, fewer)
                risk = replace(risk, how=f"{risk.how}, copies of a row together")
            else:
                n = int((np.bincount(copies)[copies] > 1).sum())
                risk = replace(risk, caution=f"{risk_words.say('caution parted', n=n)} {risk.caution}".strip())
        self.oob_risk_ = risk
        self._set_oob(said, there, y)

    def _oob_risk(self, X: Matrix, y: Vector, w: Vector | None, said: Matrix, there: np.ndarray, fewer: Vector) -> Risk:
        """Return the risk of what trees that left the rows out say of those that are ``there``; longer, and marked, where rows are kin."""
        self._set_oob(said, there, y)
        classes = getattr(self, "classes_", None)
        truth = y if classes is None else classes[y.astype(int)]
        losses = np.full(len(X), np.nan)
        losses[there], name = losses_of(self.oob_prediction_[there], truth[there], classes)
        rest = losses if classes is not None else y - self.oob_prediction_
        if classes is None:
            losses = losses - fewer
        risk = oob_risk(losses, there, w, name, fingerprint(X, truth))
        if X.size > GLANCE:
            return risk
        left = y[there] if classes is None else None, None if classes is None else y[there].astype(np.intp)
        shown = kinship(
            rest[there], X, np.flatnonzero(there), target=left[0], classes=left[1], worth=risk.n / int(there.sum())
        )
        return marked(risk, shown)

    def _say_unjudged(self, there: np.ndarray) -> None:
        """Tell that rows were drawn by every tree, which leaves nobody to judge them."""
        if not there.all():
            say(
                f"Some inputs do not have OOB scores: {int((~there).sum())} of {len(there)} rows are in every tree. This probably means "
                "too few trees were used to compute any reliable OOB estimates.",
            )  # fmt: skip

    def apply(self, X: Any) -> Codes:
        """Return the leaf (n, T) of each row in each tree, by its number there, as ``estimators_`` and ``decision_path`` count."""
        rows = self._leave(X)
        leaves: Codes = self.forest_.numbers()[self.forest_.leaves(np.ascontiguousarray(rows, dtype=np.float64))]
        return leaves

    def proximity(self, X: Any, Y: Any = None) -> Matrix:
        """Return the share of the trees in which a row of ``X`` and one of ``Y`` (``X`` itself if None) share a leaf, (n, m)."""
        a = self.apply(X)
        return proximity(a, a if Y is None else self.apply(Y))

    def __len__(self) -> int:
        """Return the number of trees."""
        return len(self.estimators_)

    def __bool__(self) -> bool:
        """A forest is something, fitted or not."""
        return True

    def __getitem__(self, t: int) -> Any:
        """Return a tree."""
        return self.estimators_[t]

    def __iter__(self) -> Iterator[Any]:
        """Go over the trees."""
        return iter(self.estimators_)

    @property
    def estimators_(self) -> Members:
        """The trees one by one, as decision trees."""
        check_is_fitted(self, "forest_")
        return Members(self)

    @property
    def estimators_samples_(self) -> list[np.ndarray]:
        """The rows that each tree was given, a row as often as it was drawn; they are drawn again from the seed."""
        check_is_fitted(self, "forest_")
        if not hasattr(self, "_draw"):
            raise WrongUse("a forest that was read from a file does not know its rows: fit it to ask for them.")
        counts = (self._draw.counts(t) for t in range(len(self.forest_)))
        return [np.repeat(np.arange(len(count), dtype=np.int32), np.asarray(count).astype(np.intp)) for count in counts]

    @property
    def estimator_(self) -> Any:
        """A tree as those of the forest, not fitted."""
        return self._tree_class(splitter="random" if self._random_cuts else "best")

    @property
    def estimator(self) -> Any:
        """The same, by scikit-learn's older name."""
        return self.estimator_

    @property
    def n_outputs_(self) -> int:
        """How many targets the forest predicts."""
        check_is_fitted(self, "forest_")
        return self.__dict__.get("_outputs", 1)

    def seed_of(self, t: int) -> int:
        """Return the seed of tree t."""
        seed = self._draw.seed if hasattr(self, "_draw") else 0
        return int(np.random.default_rng([seed, t, 1]).integers(2**31 - 1))

    def class_counts(self) -> Codes | None:
        """Return how many classes each output has, where there are several."""
        return None

    def said_by_nodes(self, value: Matrix) -> Tensor:
        """Return what nodes say (nodes, outputs, K), as a tree of its own would."""
        return value[:, None, :]

    def decision_path(self, X: Any) -> tuple[Any, Codes]:
        """Return the sparse matrix (n, nodes of all trees) with ones where rows pass, and where the nodes of each tree begin (T + 1,)."""
        from scipy.sparse import hstack

        rows = self._leave(X)
        paths = [tree.tree_.decision_path(rows) for tree in self.estimators_]
        return hstack(paths).tocsr(), np.concatenate([[0], np.cumsum([path.shape[1] for path in paths])])

    def _compute_partial_dependence_recursion(self, grid: Matrix, target_features: Codes) -> Vector:
        """Return the mean prediction at the points of a grid (m, q) of some columns: what scikit-learn's ``inspection`` asks of forests."""
        return np.mean(
            [t._compute_partial_dependence_recursion(grid, target_features) for t in self.estimators_], axis=0
        )

    @property
    def feature_importances_(self) -> Vector:
        """The share of each column in the decrease of impurity, mean over the trees."""
        check_is_fitted(self)
        return self.forest_.importances(self.n_features_in_).mean(axis=0)

    @property
    def importances_stderr_(self) -> Vector:
        """The standard error of :attr:`feature_importances_`: what other draws of as many trees would change."""
        shares = self.forest_.importances(self.n_features_in_)
        return (
            shares.std(axis=0, ddof=1) / np.sqrt(len(shares)) if len(shares) > 1 else np.full(shares.shape[1], np.nan)
        )

    @property
    def effective_dof_(self) -> float:
        """One constant a leaf, mean over the trees."""
        check_is_fitted(self)
        return self.forest_.n_leaves() / len(self.forest_)


class ForestClassifier(BaseForest, ProbabilityMixin, SeveralLabels):
    """Shares of the classes in the leaves, averaged."""

    _criteria = _by_histogram = ("gini", "entropy", "log_loss")
    _tree_class = DecisionTreeClassifier

    n_classes_: Any

    def _fit(self, X: Matrix, y: Codes, w: Vector | None) -> None:
        self._outputs = 1 if y.ndim == 1 else y.shape[1]
        if y.ndim == 2:
            self.n_classes_ = [len(classes) for classes in self.classes_]
            self._grow(X, y.astype(np.float64), w, max(self.n_classes_), None)
            return
        K = len(self.classes_)
        self.n_classes_ = K
        factor = None
        if self.class_weight is not None:
            given = "balanced" if self.class_weight == "balanced_subsample" else self.class_weight
            tree = DecisionTreeClassifier(class_weight=given)
            tree.classes_ = self.classes_
            factor = tree._class_weights(y, w)[y]
        self._grow(X, y.astype(np.float64), w, K, factor)

    def _set_oob(self, said: Matrix, there: np.ndarray, y: Vector) -> None:
        self.oob_decision_function_ = said
        self.oob_prediction_ = self.classes_[np.argmax(np.where(np.isnan(said), 0.0, said), axis=1)]
        if self.oob_score:
            self.oob_score_ = self._oob_scored(self.classes_[y.astype(int)][there], self.oob_prediction_[there])

    def _oob_scored(self, truth: np.ndarray, said: np.ndarray) -> float:
        """Return the score by the caller's function, or the share of rows whose labels are all right."""
        if callable(self.oob_score):
            return float(self.oob_score(truth, said))
        right = truth == said
        return float((right if right.ndim == 1 else right.all(axis=1)).mean())

    def _judge_outputs(self, judged: tuple[Any, ...], y: Vector) -> None:
        """Set what the trees say of several outputs of rows that they left out."""
        said = self.said_by_nodes(judged[0])  # (n, outputs, K)
        self.oob_decision_function_ = np.moveaxis(said, 1, 2)
        found, there = np.argmax(np.nan_to_num(said), axis=2), judged[1] > 0
        truth, labels = (labels_of(codes[there].astype(np.int64), self.classes_) for codes in (y, found))
        self.oob_score_ = self._oob_scored(truth, labels)

    def class_counts(self) -> Codes | None:
        """Return how many classes each output has, where there are several."""
        return np.asarray(self.n_classes_) if self.n_outputs_ > 1 else None

    def said_by_nodes(self, value: Matrix) -> Tensor:
        """Return what nodes say (nodes, outputs, K), as a tree of its own would."""
        return value.reshape(len(value), self.n_outputs_, -1)

    def _proba(self, X: Matrix) -> Any:
        shares = self.forest_.mean(np.ascontiguousarray(X, dtype=np.float64))
        if self.n_outputs_ == 1:
            return shares
        return [
            part[:, :K] for part, K in zip(np.moveaxis(self.said_by_nodes(shares), 1, 0), self.n_classes_, strict=True)
        ]

    @by_partition
    def predict_log_proba(self, X: Any) -> Any:
        """Return the logarithm of :meth:`predict_proba`."""
        shares = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            return [np.log(P) for P in shares] if isinstance(shares, list) else np.log(shares)

    def predict(self, X: Any) -> Labels:
        """Return the class of each row (n,), or the classes (n, outputs): those of the largest mean share."""
        shares = self._proba(self._leave(X))
        if isinstance(shares, list):
            return labels_of(np.column_stack([np.argmax(P, axis=1) for P in shares]), self.classes_)
        return self.classes_[np.argmax(shares, axis=1)]


class ForestRegressor(BaseForest, Regressor):
    """Means of the leaves, averaged; the rows in the leaves make a law of the target."""

    _criteria = ("squared_error", "friedman_mse", "absolute_error", "poisson")
    _by_histogram = ("squared_error", "friedman_mse")
    _tree_class = DecisionTreeRegressor

    _several_targets = True
    _level: Any

    def _fit(self, X: Matrix, y: Vector | Matrix, w: Vector | None) -> None:
        if y.ndim == 2 and y.shape[1] == 1:
            say("A column-vector y was passed when a 1d array was expected. Please change the shape of y to (n_samples,).",
                DataConversionWarning)  # fmt: skip
            y = y[:, 0]
        self._outputs = 1 if y.ndim == 1 else y.shape[1]
        self._level = float(rounded_level(y, w)) if self.criterion in self._by_histogram and y.ndim == 1 else 0.0
        self._values = y
        self._grow(X, y - self._level, w, 0, None)
        if self.bootstrap and y.ndim == 1:
            self._calibrate(np.ascontiguousarray(X, dtype=np.float64), y)

    def _set_oob(self, said: Matrix, there: np.ndarray, y: Vector) -> None:
        self.oob_prediction_ = said[:, 0]
        if callable(self.oob_score):
            self.oob_score_ = float(self.oob_score(y[there] + self._level, said[there, 0] + self._level))
        elif self.oob_score:
            error = np.mean((y - said[:, 0])[there] ** 2)
            self.oob_score_ = float(1 - error / np.var(y[there]))

    def _judge(self, X: Matrix, y: Vector, w: Vector | None, draw: Draw) -> None:
        super()._judge(X, y, w, draw)
        if hasattr(self, "oob_prediction_"):
            self.oob_prediction_ = self.oob_prediction_ + self._level

    def _calibrate(self, X: Matrix, y: Vector) -> None:
        """Keep the leaves of some rows, and the trees that left them out: what intervals are calibrated on."""
        rng = np.random.default_rng([self._draw.seed, 2])
        rows = np.arange(len(X)) if len(X) <= JUDGES else np.sort(rng.choice(len(X), JUDGES, replace=False))
        out = np.column_stack([self._draw.counts(t)[rows] == 0 for t in range(len(self.forest_))])  # (m, T)
        rows, out = rows[out.any(axis=1)], out[out.any(axis=1)]
        self._judges, self._judge_leaves, self._judge_trees = rows, self.forest_.leaves(X[rows]), out

    def said_by_nodes(self, value: Matrix) -> Tensor:
        """Return what nodes say (nodes, outputs, 1), as a tree of its own would."""
        return value[:, :, None] + self._level

    def _judge_outputs(self, judged: tuple[Any, ...], y: Matrix) -> None:
        """Set what the trees say of several outputs of rows that they left out."""
        from sklearn.metrics import r2_score

        self.oob_prediction_, there = judged[0], judged[1] > 0
        score = self.oob_score if callable(self.oob_score) else r2_score
        self.oob_score_ = float(score(y[there], judged[0][there]))

    def _predict(self, X: Matrix) -> Vector | Matrix:
        means = self.forest_.mean(np.ascontiguousarray(X, dtype=np.float64)) + self._level
        return means[:, 0] if means.shape[1] == 1 else means

    def predict_quantiles(self, X: Any, quantile: Any = (0.05, 0.5, 0.95)) -> Matrix:
        """Return quantiles (n, levels) of the training values that share the leaves of each row."""
        levels = np.atleast_1d(np.asarray(quantile, dtype=float))
        if not ((levels >= 0) & (levels <= 1)).all():
            raise WrongUse(f"quantile is {quantile!r}; levels lie between 0 and 1.")
        leaves = self.forest_.leaves(np.ascontiguousarray(self._leave(X), dtype=np.float64))
        return quantiles(self.forest_, leaves, self._values, levels)

    def predict_interval(self, X: Any, level: float = 0.9) -> Matrix:
        """Return an interval (n, 2) for the target of each row.

        Its ends are the quantiles of the leaves at (1 ± level) / 2, both moved outwards (or inwards) by as much as the rows out of the
        bag, judged by the trees that left them out, need for a share ``level`` of them to lie inside (Romano, Patterson and Candès,
        2019).
        """
        check_level(level)
        if not self.bootstrap:
            raise WrongUse("predict_interval needs bootstrap=True: it is calibrated on the rows that trees left out.")
        if not len(self._judges):
            raise WrongUse(f"predict_interval is calibrated on the rows that trees left out, and {NO_BAG}")
        ends = np.array([(1 - level) / 2, (1 + level) / 2])
        low, high = quantiles(self.forest_, self._judge_leaves, self._values, ends, self._judge_trees).T
        truth = self._values[self._judges]
        short = np.sort(
            np.maximum(low - truth, truth - high)
        )  # by how much each interval misses its row; negative inside
        move = short[min(int(np.ceil(level * (len(short) + 1))) - 1, len(short) - 1)]
        return self.predict_quantiles(X, ends) + np.array([-move, move])
