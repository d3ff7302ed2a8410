r"""Decision trees.

A tree asks one question of one input at each node, :math:`x_j \le s` or :math:`x_j \in S`, and answers with a constant in each
leaf. Among all questions a node takes the one that lowers the impurity :math:`I` of its rows most,

.. math:: I(t) - \frac{n_L}{n_t} I(t_L) - \frac{n_R}{n_t} I(t_R), \tag{1}

with, for the shares :math:`p_k` of the classes in the node, Gini's :math:`\sum_k p_k(1-p_k)`, the entropy
:math:`-\sum_k p_k \log_2 p_k` or the error :math:`1 - \max_k p_k`; for numbers the variance, or the mean distance to the median. The
tree is grown large and then cut back (:mod:`epee.predictors.trees.pruning`).
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import Bunch, check_random_state
from sklearn.utils.validation import check_is_fitted

from epee.engines.local import in_order
from epee.errors import DataError, WrongUse
from epee.estimator.base import Estimator, ProbabilityMixin, Regressor, answer_each
from epee.estimator.kinship import akin
from epee.estimator.outputs import SeveralLabels, labels_of
from epee.estimator.protocol import Needs
from epee.predictors.trees.columns import Columns, presort
from epee.predictors.trees.growth import Plan, grow_tree
from epee.predictors.trees.outputs import decided, refuse_with_several, rounded_level, several_outputs
from epee.predictors.trees.pruning import PruningPath, choose, path_loss, representatives, trace_path
from epee.predictors.trees.sentences import Rules, boxes, write_rules
from epee.predictors.trees.structure import LEAF, Tree
from epee.predictors.trees.texts import code_texts
from epee.settings import progress
from epee.table.doors import is_stream
from epee.table.folds import assign_folds, check_folds
from epee.table.partitions import by_partition
from epee.typing import Codes, Labels, Matrix, Tensor, Vector
from epee.words.numbers import figures
from epee.words.tree_words import say as say_words


class DecisionTree(Estimator):
    """What both trees share: growth, pruning, reading."""

    state_parts = ("_costs", "_class_factor", "_prior_factor", "_plan_", "_grown", "_path", "_decisions", "_level")

    _takes_missing = True
    _takes_sparse = "dense"
    _criteria: tuple[str, ...] = ()

    def _enter(self, X: Any, *, reset: bool, finite: bool = True) -> Matrix:
        """Check inputs; columns of texts become codes of their levels."""
        if is_stream(X):
            return super()._enter(X, reset=reset, finite=finite)
        X, levels = code_texts(X, None if reset else self.__dict__.get("text_levels_", {}))
        if reset:
            self.text_levels_ = levels
        return super()._enter(X, reset=reset, finite=finite)

    def _plan(self, n: int, total: float, columns: int) -> Plan:
        """Check the parameters and make their counts absolute."""
        if self.criterion not in self._criteria:
            raise WrongUse(f"criterion is {self.criterion!r}; it must be one of {', '.join(self._criteria)}.")
        if self.splitter not in ("best", "random"):
            raise WrongUse(f"splitter is {self.splitter!r}; it must be 'best' or 'random'.")
        for name, among in (("prune_on", ("impurity", "risk")), ("pruning", (None, "cv")), ("rule", ("min", "one_se"))):
            if getattr(self, name) not in among:
                raise WrongUse(f"{name} is {getattr(self, name)!r}; it must be one of {', '.join(map(repr, among))}.")
        depth = 2**31 - 1 if self.max_depth is None else _whole("max_depth", self.max_depth, 1)
        if self.max_leaf_nodes is not None:
            _whole("max_leaf_nodes", self.max_leaf_nodes, 2)
        for name, high in (("min_weight_fraction_leaf", 0.5), ("min_impurity_decrease", np.inf), ("ccp_alpha", np.inf)):
            if not 0 <= getattr(self, name) <= high:
                raise WrongUse(f"{name} is {getattr(self, name)!r}; it must lie between 0 and {high:g}.")
        leaf = _count("min_samples_leaf", self.min_samples_leaf, n, 1)
        sampling = self.splitter == "random" or self.max_features is not None
        return Plan(
            self.criterion, depth, max(_count("min_samples_split", self.min_samples_split, n, 2), 2 * leaf), leaf,
            self.min_weight_fraction_leaf * total, self._max_features(columns), self.splitter == "random",
            self.max_leaf_nodes, float(self.min_impurity_decrease), self._monotone(columns),
            int(check_random_state(self.random_state).randint(2**31 - 1)) if sampling else 0,
        )  # fmt: skip

    def _max_features(self, p: int) -> int:
        given = self.max_features
        if given is None:
            return p
        if given in ("sqrt", "log2"):
            return max(1, int(np.sqrt(p) if given == "sqrt" else np.log2(p)))
        if isinstance(given, str) or given <= 0 or (isinstance(given, float) and given > 1):
            raise WrongUse(f"max_features is {given!r}; it must be a count, a share in (0, 1], 'sqrt', 'log2' or None.")
        return max(1, int(given * p)) if isinstance(given, float) else min(int(given), p)

    def _monotone(self, p: int) -> np.ndarray:
        if self.monotonic_cst is None:
            return np.zeros(p, dtype=np.int64)
        given = self.monotonic_cst
        if isinstance(given, dict):
            given = [given.get(name, 0) for name in getattr(self, "feature_names_in_", range(p))]
        signs = np.asarray(given)
        if signs.ndim == 1 and len(signs) != p:
            raise WrongUse(f"monotonic_cst has shape {len(signs)} but the input data X has {p} features.")
        if signs.shape != (p,) or not np.isin(signs, (-1, 0, 1)).all():
            raise WrongUse(
                f"monotonic_cst must be None or an array-like of -1, 0 or 1. One is needed for each of the {p} columns; got "
                f"{np.asarray(given).tolist()}."
            )
        if signs.any() and len(getattr(self, "classes_", (0, 1))) > 2:
            raise WrongUse("Monotonicity constraints are not supported with multiclass classification")
        if (signs != 0)[self._categorical(p)].any():
            raise WrongUse("monotonic_cst must be 0 for a categorical column: its values have no order.")
        return signs.astype(np.int64)

    def _categorical(self, p: int) -> np.ndarray:
        """Return which columns are categories (p,)."""
        given = self.categorical_features
        mask = np.isin(np.arange(p), list(self.__dict__.get("text_levels_", {})))  # none before a fit
        if given is None:
            return mask
        given = np.atleast_1d(np.asarray(given))
        if given.dtype == bool and given.shape == (p,):
            return given | mask
        names = list(getattr(self, "feature_names_in_", []))
        for item in given.tolist():
            j = names.index(item) if item in names else item
            if not isinstance(j, int) or not -p <= j < p:
                raise WrongUse(f"categorical_features names {item!r}, which is not one of the {p} columns.")
            mask[j] = True
        return mask

    def _grow_all(
        self, X: Matrix, y: Vector, codes: Codes, K: int, w: Vector | None, factor: Vector | None, several: Any = None
    ) -> None:
        """Grow the tree of all rows, find where it would be cut, and cut it; ``factor`` (n,) are more weights of the rows."""
        n, p = X.shape
        counts = np.ones(n) if w is None else w
        weights = counts if factor is None else counts * factor
        if several is not None:
            refuse_with_several(self, self._categorical(p))
        used = counts > 0
        columns = presort(X, self._categorical(p))
        if not used.all():
            columns = replace(columns, order=columns.only(used))
        self._plan_ = plan = self._plan(int(used.sum()), float(weights[used].sum()), p)
        self.max_features_ = plan.max_features
        data = (y, codes, K, np.ascontiguousarray(weights))
        self._grown = self._finish(
            grow_tree(columns, _room(columns.order), *data, used.astype(np.float64), plan, several)
        )
        self.tree_ = self._grown
        self._path: PruningPath | None = None
        if self.pruning == "cv":
            self._cross_validate(X, columns, used, *data, counts)
        elif self.ccp_alpha > 0:
            path, ceases = self._trace(self._grown)
            self._ceases = self._grown, self.prune_on, ceases
            chosen = int(np.searchsorted(path.alphas, self.ccp_alpha, side="right")) - 1
            self._path = replace(path, chosen=chosen)
            self.tree_ = self._grown.cut(ceases <= self.ccp_alpha)

    def _trace(self, tree: Tree) -> tuple[PruningPath, Vector]:
        return trace_path(tree, self._risks(tree))

    def _cross_validate(
        self, X: Matrix, columns: Columns, used: np.ndarray, y: Vector, codes: Codes, K: int, w: Vector, counts: Vector
    ) -> None:
        """Set the path with its cross-validated losses, and the tree that ``rule`` chooses."""
        path, ceases = self._trace(self._grown)
        grid = representatives(path.alphas)
        folds = self._folds(codes if K else None, len(X))
        names = np.unique(folds[used])
        X = np.ascontiguousarray(X, dtype=np.float64)

        def work(name: Any) -> tuple[Vector, Vector]:
            train = used & (folds != name)
            plan = self._plan(int(train.sum()), float(w[train].sum()), X.shape[1])
            order = columns.only(train)
            tree = self._finish(grow_tree(columns, _room(order), y, codes, K, w, used.astype(np.float64), plan))
            _, fold_ceases = self._trace(tree)
            rows = np.flatnonzero(used & (folds == name))
            return path_loss(
                tree, fold_ceases, grid, X, rows, self._truth(y), codes, self._loss_weights(counts, codes),
                self._loss_table(tree), self.criterion == "absolute_error",
            )  # fmt: skip

        sums, squares = np.zeros(len(grid)), np.zeros(len(grid))
        with progress("pruning", len(names)) as tick:
            for part in in_order(work, names):
                sums += part[0]
                squares += part[1]
                tick()
        total = float(self._loss_weights(counts, codes)[used].sum())
        cv, stderr = sums / total, np.sqrt(np.maximum(squares - sums**2 / total, 0.0)) / total
        chosen = choose(cv, stderr, self.rule)
        self._path = replace(path, cv=cv, stderr=stderr, chosen=chosen)
        self.tree_ = self._grown.cut(ceases <= path.alphas[chosen])

    def _folds(self, codes: Codes | None, n: int) -> np.ndarray:
        if np.ndim(self.folds) == 1:
            folds = np.asarray(self.folds)
            if len(folds) != n or len(np.unique(folds)) < 2:
                raise WrongUse(f"folds must be a number, or a fold for each of the {n} rows with at least two folds.")
            return folds
        check_folds(self.folds, n)
        seed = 0 if self.random_state is None else int(check_random_state(self.random_state).randint(2**31 - 1))
        return assign_folds(codes, n, int(self.folds), seed)

    @property
    def pruning_path_(self) -> PruningPath:
        """The nested subtrees of the tree as it was grown."""
        check_is_fitted(self, "tree_")
        if self._path is None:
            self._path = self._trace(self._grown)[0]
        return self._path

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """Return the ``ccp_alphas`` of the nested subtrees and their total ``impurities`` (risks for ``prune_on="risk"``)."""
        path = clone(self).set_params(ccp_alpha=0.0, pruning=None).fit(X, y, sample_weight).pruning_path_
        return Bunch(ccp_alphas=path.alphas, impurities=path.risk)

    def variants(self, parameter: str, values: Sequence[Any]) -> list[Self] | None:
        """Return the tree as it was grown, cut at other prices of a leaf; only ``ccp_alpha`` needs no new growth."""
        if parameter != "ccp_alpha" or self.pruning is not None:
            return None
        ceases = self._ceasing()
        out = []
        for alpha in values:
            tree = copy.copy(self).set_params(ccp_alpha=alpha)
            tree.tree_, tree._path = self._grown.cut(ceases <= alpha), None
            tree._settle()
            out.append(tree)
        return out

    def _ceasing(self) -> Vector:
        """Return the price (nodes,) at which each node of the tree as it was grown ceases to branch: found once for all prices."""
        known = vars(self).get("_ceases")
        if known is None or known[0] is not self._grown or known[1] != self.prune_on:
            self._ceases = known = self._grown, self.prune_on, self._trace(self._grown)[1]
        return known[2]

    def answer_together(self, variants: Sequence[Any], X: Matrix, needs: Needs | None = None) -> list[np.ndarray]:
        """Return what each cut of the tree says of clean rows."""
        return answer_each(variants, X, needs)

    def _settle(self) -> None:
        """Work out, once the tree is cut, what predictions look up."""

    def apply(self, X: Any, check_input: bool = True) -> Codes:
        """Return the leaf of each row (n,)."""
        X = self._leave(X)
        return self.tree_.apply(X)

    def decision_path(self, X: Any, check_input: bool = True) -> Any:
        """Return the sparse matrix (n, nodes) with a one where a row passes."""
        X = self._leave(X)
        return self.tree_.decision_path(X)

    def get_depth(self) -> int:
        """Return the length of the longest path."""
        check_is_fitted(self)
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    @property
    def n_outputs_(self) -> int:
        """How many targets the tree predicts."""
        check_is_fitted(self, "tree_")
        return self.tree_.n_outputs

    @property
    def effective_dof_(self) -> float:
        """One constant a leaf."""
        return float(self.tree_.n_leaves)

    @property
    def feature_importances_(self) -> Vector:
        """The share of each column in the decrease of impurity."""
        check_is_fitted(self)
        return self.tree_.compute_feature_importances()

    def _compute_partial_dependence_recursion(self, grid: Matrix, target_features: Codes) -> Vector:
        """Return the mean prediction at the points of a grid (m, q) of some columns: what scikit-learn's ``inspection`` asks of trees."""
        out = np.zeros(len(grid))
        self.tree_.compute_partial_dependence(np.asarray(grid, dtype=float), target_features, out)
        return out

    def _names(self) -> list[str]:
        return [str(n) for n in getattr(self, "feature_names_in_", [f"x{j}" for j in range(self.n_features_in_)])]

    def rules(self, digits: int = 4) -> Rules:
        """Return one sentence a leaf, from left to right; printed one a line."""
        check_is_fitted(self)
        return write_rules(self.tree_, self._names(), self._conclusion, digits, self.text_levels_)

    def regions(self) -> Tensor:
        """Return the box (leaves, p, 2) of each leaf, from left to right."""
        check_is_fitted(self)
        return boxes(self.tree_)

    def leaf_predictions(self) -> np.ndarray:
        """Return what is predicted in each leaf (leaves,), from left to right."""
        check_is_fitted(self)
        return self._says(np.flatnonzero(self.tree_.children_left == LEAF))

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw the tree."""
        check_is_fitted(self)
        from epee.figures.trees import plot_tree

        return plot_tree(self.tree_, self._names(), self._conclusion, ax, **options)


@akin("sklearn.tree._classes")
class DecisionTreeClassifier(DecisionTree, ProbabilityMixin, SeveralLabels):
    r"""Classes by a sequence of questions, each the best by (1).

    Parameters
    ----------
    criterion : {"gini", "entropy", "log_loss", "error"}, default="gini"
        The impurity :math:`I`; "log_loss" is the entropy.
    splitter : {"best", "random"}, default="best"
        "random" draws one threshold a column and takes the best of those.
    max_depth : int, default=None
        Longest path of questions; a larger one fits closer. None grows until the leaves are pure.
    min_samples_split, min_samples_leaf : int or share, default=2, 1
        Least number of rows of a node that is split, and of a leaf, whatever their weights; larger ones give smaller trees.
    min_weight_fraction_leaf : float, default=0.0
        Least share of the total weight in a leaf.
    max_features : int, share, "sqrt", "log2" or None, default=None
        Columns drawn at each node; None looks at all.
    random_state : int, default=None
        Seed of what is drawn, and of the folds of ``pruning="cv"``.
    max_leaf_nodes : int, default=None
        Keep only the splits with the largest decrease, up to so many leaves.
    min_impurity_decrease : float, default=0.0
        Least decrease :math:`\frac{n_t}{n} \times` (1) of a split.
    class_weight : dict, "balanced" or None, default=None
        Factors of the weights of the rows by class.
    ccp_alpha : float >= 0, default=0.0
        Price :math:`\alpha` of a leaf in pruning; larger gives smaller trees, 0 prunes nothing.
    monotonic_cst : array (p,) of -1, 0, 1, default=None
        Whether the probability of the second class must fall or grow with an input; for two classes.
    prune_on : {"impurity", "risk"}, default="impurity"
        The :math:`R` of pruning: the impurity of the leaves as in scikit-learn, or their errors (or costs) as in rpart.
    pruning : {None, "cv"}, default=None
        "cv" chooses :math:`\alpha` by cross-validation; ``ccp_alpha`` is then ignored.
    rule : {"min", "one_se"}, default="min"
        The smallest cross-validated loss, or the smallest tree within one standard error of it.
    folds : int or array (n,), default=10
        Folds of ``pruning="cv"``, or the fold of each row.
    categorical_features : list of columns or mask, default=None
        Columns whose numbers are names: they are split by sets. A category that a node has not seen follows its
        heavier child. Columns of texts are taken so without being named.
    costs : array (K, K), default=None
        ``costs[d, t]``, the cost of deciding class d when t is true, in the order of ``classes_``: leaves decide for the least
        cost, splits weigh class t by the sum of its column (Breiman's altered priors), ``prune_on="risk"`` prunes on costs.

    Attributes
    ----------
    tree_ : Tree
        The nodes as arrays, with scikit-learn's names.
    classes_, n_classes_ : array (K,) and int, or a list for several outputs
        The classes in order, and how many there are.
    text_levels_ : dict of lists
        By column of texts, the levels that its codes 0, 1, ... stand for.
    pruning_path_ : PruningPath
        All nested subtrees with their alphas, sizes, risks and, after "cv", losses.
    feature_importances_ : array (p,)
        The share of each column in the decrease of impurity.

    Notes
    -----
    Columns are sorted once, :math:`O(pn \log n)`, then each level of the tree takes :math:`O(pn)`. Ties go to the lowest
    column, then to the lowest threshold, so the same rows always give the same tree. Missing cells go to the side that lowers the
    impurity most; where none were seen, to the heavier child. Weights are counts, but in ``min_samples_leaf`` and
    ``min_samples_split``, which count rows as scikit-learn's do.

    References
    ----------
    L. Breiman, J. Friedman, R. Olshen, C. Stone, *Classification and Regression Trees*, 1984.

    Examples
    --------
    >>> X, y = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]], list("aabb")
    >>> print(DecisionTreeClassifier().fit(X, y).rules())
    if x0 <= 1.5: a (2 rows, 100 %)
    if x0 > 1.5: b (2 rows, 100 %)
    """

    _criteria = ("gini", "entropy", "log_loss", "error")
    n_classes_: Any
    _costs: Matrix | None

    def __init__(
        self, *, criterion: str = "gini", splitter: str = "best", max_depth: int | None = None,
        min_samples_split: float = 2, min_samples_leaf: float = 1, min_weight_fraction_leaf: float = 0.0,
        max_features: Any = None, random_state: Any = None, max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0, class_weight: Any = None, ccp_alpha: float = 0.0, monotonic_cst: Any = None,
        prune_on: str = "impurity", pruning: str | None = None, rule: str = "min", folds: Any = 10,
        categorical_features: Any = None, costs: Any = None,
    ) -> None:  # fmt: skip
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.prune_on = prune_on
        self.pruning = pruning
        self.rule = rule
        self.folds = folds
        self.categorical_features = categorical_features
        self.costs = costs

    def _fit_several(self, X: Matrix, codes: Codes, w: Vector | None) -> None:
        """Grow a tree whose leaves answer every output."""
        self.n_classes_ = [len(classes) for classes in self.classes_]
        factor = None
        if self.class_weight is not None:
            from sklearn.utils.class_weight import compute_sample_weight

            factor = compute_sample_weight(self.class_weight, labels_of(codes, self.classes_))
        K = sum(self.n_classes_)
        self._prior_factor, self._costs = np.ones(max(self.n_classes_)), None
        several = several_outputs(codes, None, self.n_classes_)
        self._grow_all(X, np.zeros(1), np.zeros(1, dtype=np.int64), K, w, factor, several)
        self._settle()

    def _fit(self, X: Matrix, y: Codes, w: Vector | None) -> None:
        if y.ndim == 2:
            self._fit_several(X, y, w)
            return
        K = len(self.classes_)
        self.n_classes_ = K
        self._costs = _check_costs(self.costs, self.classes_)
        self._class_factor = self._class_weights(y, w)
        self._prior_factor = np.ones(K) if self._costs is None else self._costs.sum(axis=0)
        if not (self._prior_factor > 0).all():
            t = int(np.argmin(self._prior_factor))
            raise WrongUse(
                f"no decision costs anything when the class is {_word(self.classes_[t])}: column {t} of costs is zero."
            )
        self._prior_factor = self._prior_factor / self._prior_factor.max()
        factor = self._class_factor * self._prior_factor
        labels = (y == 1).astype(np.float64) if K == 2 else np.zeros(len(y))
        self._grow_all(X, labels, y.astype(np.int64), K, w, None if (factor == 1).all() else factor[y])
        self._settle()

    def _class_weights(self, y: Codes, w: Vector | None) -> Vector:
        K = len(self.classes_)
        if self.class_weight is None:
            return np.ones(K)
        if self.class_weight == "balanced":
            counts = np.bincount(y, minlength=K)  # of rows, as scikit-learn's trees count them
            return counts.sum() / (K * np.maximum(counts, 1e-300))
        if not isinstance(self.class_weight, dict):
            raise WrongUse(f"class_weight is {self.class_weight!r}; it must be a dictionary, 'balanced' or None.")
        factors = np.array([float(self.class_weight.get(label, 1.0)) for label in self.classes_.tolist()])
        if not (factors > 0).all():
            raise WrongUse(
                f"class_weight gives class {_word(self.classes_[int(np.argmin(factors))])} a weight that is not positive."
            )
        return factors

    def _finish(self, tree: Tree) -> Tree:
        """Turn class weights, altered by costs, into the shares of the classes."""
        shares = tree.value / self._prior_factor
        self_total = shares.sum(axis=2, keepdims=True)
        return tree.with_parts(value=shares / self_total)

    def _decide(self, shares: Matrix) -> Codes:
        """Return the class that a node decides for: the commonest, or the one of least cost."""
        return np.argmax(shares, axis=1) if self._costs is None else np.argmin(shares @ self._costs.T, axis=1)

    def _risks(self, tree: Tree) -> Vector:
        W, shares = tree.weighted_n_node_samples, tree.value[:, 0]
        if self.prune_on == "impurity":
            return tree.impurity * W / W[0]
        mass = W * 1.0  # the weight of a node before priors were altered
        if self._costs is not None:
            mass = W / (shares @ self._prior_factor)
        per_row = 1 - shares.max(axis=1) if self._costs is None else (shares @ self._costs.T).min(axis=1)
        return per_row * mass / mass[0]

    def _loss_weights(self, counts: Vector, codes: Codes) -> Vector:
        return counts * self._class_factor[codes]

    def _loss_table(self, tree: Tree) -> Matrix:
        """Return the loss (nodes, K) of each node's decision when a class is true."""
        costs = 1.0 - np.eye(self.n_classes_) if self._costs is None else self._costs
        return np.ascontiguousarray(costs[self._decide(tree.value[:, 0])])

    def _truth(self, y: Vector) -> Vector:
        return y

    def _proba(self, X: Matrix) -> Any:
        shares = self.tree_.value[self.tree_.apply(X)]
        if self.tree_.n_outputs == 1:
            return shares[:, 0]
        return [shares[:, o, :K] for o, K in enumerate(self.n_classes_)]

    def predict(self, X: Any, check_input: bool = True) -> Labels:
        """Return the class of each row (n,), or the classes (n, outputs)."""
        return self._says_codes(self._codes(self._leave(X)))

    @by_partition
    def predict_proba(self, X: Any, check_input: bool = True) -> Any:
        """Return the probability of each class (n, K), in the order of ``classes_``; a list of such tables for several outputs."""
        return self._proba(self._leave(X))

    @by_partition
    def predict_log_proba(self, X: Any) -> Any:
        """Return the logarithm of :meth:`predict_proba`."""
        shares = self._proba(self._leave(X))
        with np.errstate(divide="ignore"):
            return [np.log(P) for P in shares] if isinstance(shares, list) else np.log(shares)

    def _says_codes(self, codes: Codes) -> Labels:
        return self.classes_[codes] if codes.ndim == 1 else labels_of(codes, self.classes_)

    def _codes(self, X: Matrix) -> Codes:
        return self._decisions[self.tree_.apply(X)]

    def _settle(self) -> None:
        value = self.tree_.value
        self._decisions = self._decide(value[:, 0]) if value.shape[1] == 1 else decided(value)

    def _says(self, nodes: Codes) -> Labels:
        return self._says_codes(self._decisions[nodes])

    def _conclusion(self, node: int) -> str:
        if self.tree_.n_outputs > 1:
            said = ", ".join(str(label) for label in self._says(np.array([node]))[0])
            return say_words("{answer} ({n} {n:row|rows})", answer=said, n=int(self.tree_.n_node_samples[node]))
        k = int(self._decide(self.tree_.value[node])[0])
        share = 100 * self.tree_.value[node, 0, k]
        n = int(self.tree_.n_node_samples[node])
        return say_words(
            "{answer} ({n} {n:row|rows}, {share} %)", answer=str(self.classes_[k]), n=n, share=f"{share:.0f}"
        )


@akin("sklearn.tree._classes")
class DecisionTreeRegressor(DecisionTree, Regressor):
    r"""A number by a sequence of questions, each the best by (1): constant on boxes.

    Parameters
    ----------
    criterion : {"squared_error", "friedman_mse", "absolute_error", "poisson"}, default="squared_error"
        The variance, the mean distance to the median (the leaves then say the median), or the Poisson deviance;
        "friedman_mse" ranks splits as the variance does.
    splitter, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_features, random_state
        As in :class:`DecisionTreeClassifier`.
    max_leaf_nodes, min_impurity_decrease, ccp_alpha, monotonic_cst
        As in :class:`DecisionTreeClassifier`; a monotone column bounds the prediction.
    prune_on, pruning, rule, folds, categorical_features
        As in :class:`DecisionTreeClassifier`; the risk is the mean squared error (absolute for "absolute_error").

    Notes
    -----
    As for :class:`DecisionTreeClassifier`. Absolute errors take one more factor :math:`\log n`.

    References
    ----------
    L. Breiman, J. Friedman, R. Olshen, C. Stone, *Classification and Regression Trees*, 1984.

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1.0, 1.0, 5.0, 7.0]
    >>> DecisionTreeRegressor(max_depth=1).fit(X, y).predict([[0.4], [2.9]])
    array([1., 6.])
    """

    _criteria = ("squared_error", "friedman_mse", "absolute_error", "poisson")

    def __init__(
        self, *, criterion: str = "squared_error", splitter: str = "best", max_depth: int | None = None,
        min_samples_split: float = 2, min_samples_leaf: float = 1, min_weight_fraction_leaf: float = 0.0,
        max_features: Any = None, random_state: Any = None, max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0, ccp_alpha: float = 0.0, monotonic_cst: Any = None, prune_on: str = "impurity",
        pruning: str | None = None, rule: str = "min", folds: Any = 10, categorical_features: Any = None,
    ) -> None:  # fmt: skip
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.prune_on = prune_on
        self.pruning = pruning
        self.rule = rule
        self.folds = folds
        self.categorical_features = categorical_features

    _several_targets = True

    def _fit(self, X: Matrix, y: Vector | Matrix, w: Vector | None) -> None:
        y = y[:, 0] if y.ndim == 2 and y.shape[1] == 1 else y
        if self.criterion == "poisson":
            if (y < 0).any():
                row = int(np.argmax((y < 0).reshape(len(y), -1).any(axis=1)))
                raise DataError(
                    f"Some value(s) of y are negative which is not allowed for Poisson regression: row {row} has {y[row].min():g}."
                )
            if not y.sum(axis=0).all():
                raise DataError("Sum of y is not strictly positive which is necessary for Poisson regression.")
        level = np.zeros(y.shape[1:]) if self.criterion == "poisson" else rounded_level(y, w)
        self._level = float(level) if y.ndim == 1 else level
        several = None if y.ndim == 1 else several_outputs(None, y - self._level, np.ones(y.shape[1]))
        value = y - self._level if y.ndim == 1 else np.zeros(1)
        self._grow_all(X, value, np.zeros(1, dtype=np.int64), 0, w, None, several)

    def _finish(self, tree: Tree) -> Tree:
        """Put back the means that were taken from the target to save digits."""
        return tree.with_parts(value=tree.value + np.reshape(self._level, (-1, 1)))

    def _risks(self, tree: Tree) -> Vector:
        W = tree.weighted_n_node_samples
        return tree.impurity * W / W[0]

    def _loss_weights(self, counts: Vector, codes: Codes) -> Vector:
        return counts

    def _loss_table(self, tree: Tree) -> None:
        return None

    def _truth(self, y: Vector) -> Vector:
        return y + self._level

    def _predict(self, X: Matrix) -> Vector | Matrix:
        return self._says(self.tree_.apply(X))

    def _says(self, nodes: Codes) -> Vector | Matrix:
        value = self.tree_.value[nodes, :, 0]
        return value[:, 0] if value.shape[1] == 1 else value

    def predict(self, X: Any, check_input: bool = True) -> Vector | Matrix:
        """Return the predicted value of each row (n,), or its values (n, outputs)."""
        return self._predict(self._leave(X))

    def _conclusion(self, node: int) -> str:
        n = int(self.tree_.n_node_samples[node])
        said = ", ".join(str(figures(float(value), 4)) for value in self.tree_.value[node, :, 0])
        return say_words("{answer} ({n} {n:row|rows})", answer=said, n=n)


def _room(order: Codes) -> Codes:
    """Return the two tables of orders (2, p, m) that growth uses up."""
    room = np.empty((2, *order.shape), dtype=np.int64)
    room[0] = order
    return room


def _whole(name: str, value: Any, least: int) -> int:
    if isinstance(value, bool) or int(value) != value or value < least:
        raise WrongUse(f"{name} is {value!r}; it must be a whole number of at least {least}, or None.")
    return int(value)


_COUNT = (
    "the parameter '{name}' is {value!r}; it must be an int in the range [{least}, inf) or a float in the range (0.0, 1.0], "
    "a share of the rows."
)


def _count(name: str, value: Any, n: float, least: int) -> float:
    """Return a count from a count or a share of the rows."""
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        if value < least:
            raise WrongUse(_COUNT.format(name=name, value=value, least=least))
        return float(value)
    if not 0 < value <= 1:
        raise WrongUse(_COUNT.format(name=name, value=value, least=least))
    return max(float(least), float(np.ceil(value * n)))


def _word(label: Any) -> str:
    """Return how a class is called in a sentence."""
    return repr(label.item() if isinstance(label, np.generic) else label)


def _check_costs(costs: Any, classes: Labels) -> Matrix | None:
    if costs is None:
        return None
    C, K = np.asarray(costs, dtype=float), len(classes)
    if C.shape != (K, K):
        raise WrongUse(
            f"costs has shape {C.shape}; it must be ({K}, {K}): a row for each decision, a column for each true class."
        )
    bad = ~(np.isfinite(C) & (C >= 0))
    if bad.any():
        d, t = np.argwhere(bad)[0]
        raise WrongUse(
            f"costs[{d}, {t}], the cost of deciding {_word(classes[d])} when {_word(classes[t])} is true, is {C[d, t]}; "
            "it must be a non-negative number."
        )
    return C
