r"""Forests: the mean of many trees, each of its own chance.

.. math:: f(x) = \frac1T \sum_t T_t(x) \tag{1}

A random forest grows each tree on rows drawn with replacement and looks, at each node, at a few columns drawn anew; extra trees draw the
cuts as well. The trees err in different ways, and their mean errs less.
"""

from __future__ import annotations

from typing import Any

from epee.estimator.kinship import akin
from epee.predictors.ensembles.forest_base import ForestClassifier, ForestRegressor


@akin("sklearn.ensemble._forest")
class RandomForestClassifier(ForestClassifier):
    r"""Classes by the mean of trees on rows drawn with replacement, (1).

    Parameters
    ----------
    n_estimators : int, default=100
        Trees :math:`T`; more are steadier, never worse.
    criterion : {"gini", "entropy", "log_loss"}, default="gini"
        The impurity that cuts make small.
    max_depth : int or None, default=None
        Longest branch; None grows until the leaves are pure.
    min_samples_split, min_samples_leaf : int or share, default=2, 1
        Least count of a node that is cut, and of a leaf; larger is smoother.
    min_weight_fraction_leaf : float, default=0.0
        Least share of the weight in a leaf.
    max_features : int, share, "sqrt", "log2" or None, default="sqrt"
        Columns drawn at each node; fewer make trees that differ more.
    max_leaf_nodes : int or None, default=None
        Most leaves of a tree, the best cuts first.
    min_impurity_decrease : float, default=0.0
        Least decrease of impurity that a cut must bring.
    bootstrap : bool, default=True
        Draw the rows of each tree with replacement; False gives all rows to each, and nothing is out of the bag.
    oob_score : bool, default=False
        Also set scikit-learn's ``oob_score_``; the risk out of the bag is there anyway.
    n_jobs : int, default=None
        Kept for scikit-learn's signature; ``epee.options.threads`` decides.
    random_state : int, default=None
        Seed; None is 0, so a fit is always the same.
    verbose : int, default=0
        Kept for scikit-learn's signature; ``epee.options.progress`` decides.
    warm_start : bool, default=False
        Add trees to those of the last fit.
    class_weight : dict, "balanced" or None, default=None
        Factors of the weights of the rows by class.
    ccp_alpha : float >= 0, default=0.0
        Price of a leaf in pruning; 0 prunes nothing.
    max_samples : int, share or None, default=None
        How many rows are drawn for a tree; None draws as many as there are.
    monotonic_cst : array (p,) of -1, 0, 1, default=None
        Whether the prediction must fall or grow with an input.

    Attributes
    ----------
    forest_ : Forest
        All trees as arrays.
    oob_risk_ : Risk
        The risk by the trees that left each row out, with its interval; with ``bootstrap``.
    oob_prediction_ : array (n,)
        What these trees predict.
    feature_importances_, importances_stderr_ : arrays (p,)
        The share of each column in the decrease of impurity, mean over the trees, and its standard error.

    Notes
    -----
    Columns are cut into at most 255 bins; columns of fewer values lose nothing. Absolute errors, Poisson's criterion, monotone columns,
    pruning and ``max_leaf_nodes`` take the exact trees of :mod:`epee.predictors.trees`, which are slower. Missing cells go to the side that
    is purer for it; where none were seen, to the larger. Weights are counts: rows are drawn as often as their copies would be; by
    weights that are no whole numbers as many are drawn as there are rows, whatever their scale.

    References
    ----------
    L. Breiman, "Random forests", *Machine Learning* 45, 2001; P. Geurts, D. Ernst, L. Wehenkel, "Extremely randomized trees", *Machine
    Learning* 63, 2006.

    Examples
    --------
    >>> X, y = [[float(i)] for i in range(40)], ["a"] * 20 + ["b"] * 20
    >>> RandomForestClassifier(20).fit(X, y).predict([[3.0], [35.0]])
    array(['a', 'b'], dtype='<U1')
    """

    _random_cuts = False

    def __init__(
        self, n_estimators: int = 100, *, criterion: str = "gini", max_depth: int | None = None, min_samples_split: float = 2,
        min_samples_leaf: float = 1, min_weight_fraction_leaf: float = 0.0, max_features: Any = "sqrt",
        max_leaf_nodes: int | None = None, min_impurity_decrease: float = 0.0, bootstrap: bool = True, oob_score: bool = False,
        n_jobs: int | None = None, random_state: Any = None, verbose: int = 0, warm_start: bool = False, class_weight: Any = None,
        ccp_alpha: float = 0.0, max_samples: Any = None, monotonic_cst: Any = None,
    ) -> None:  # fmt: skip
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.monotonic_cst = monotonic_cst


@akin("sklearn.ensemble._forest")
class ExtraTreesClassifier(ForestClassifier):
    r"""Classes by the mean of trees whose cuts are drawn, (1).

    Parameters
    ----------
    n_estimators : int, default=100
        Trees :math:`T`; more are steadier, never worse.
    criterion : {"gini", "entropy", "log_loss"}, default="gini"
        The impurity that cuts make small.
    max_depth : int or None, default=None
        Longest branch; None grows until the leaves are pure.
    min_samples_split, min_samples_leaf : int or share, default=2, 1
        Least count of a node that is cut, and of a leaf; larger is smoother.
    min_weight_fraction_leaf : float, default=0.0
        Least share of the weight in a leaf.
    max_features : int, share, "sqrt", "log2" or None, default="sqrt"
        Columns drawn at each node; fewer make trees that differ more.
    max_leaf_nodes : int or None, default=None
        Most leaves of a tree, the best cuts first.
    min_impurity_decrease : float, default=0.0
        Least decrease of impurity that a cut must bring.
    bootstrap : bool, default=False
        Draw the rows of each tree with replacement; False gives all rows to each, and nothing is out of the bag.
    oob_score : bool, default=False
        Also set scikit-learn's ``oob_score_``; the risk out of the bag is there anyway.
    n_jobs : int, default=None
        Kept for scikit-learn's signature; ``epee.options.threads`` decides.
    random_state : int, default=None
        Seed; None is 0, so a fit is always the same.
    verbose : int, default=0
        Kept for scikit-learn's signature; ``epee.options.progress`` decides.
    warm_start : bool, default=False
        Add trees to those of the last fit.
    class_weight : dict, "balanced" or None, default=None
        Factors of the weights of the rows by class.
    ccp_alpha : float >= 0, default=0.0
        Price of a leaf in pruning; 0 prunes nothing.
    max_samples : int, share or None, default=None
        How many rows are drawn for a tree; None draws as many as there are.
    monotonic_cst : array (p,) of -1, 0, 1, default=None
        Whether the prediction must fall or grow with an input.

    Attributes
    ----------
    forest_ : Forest
        All trees as arrays.
    oob_risk_ : Risk
        The risk by the trees that left each row out, with its interval; with ``bootstrap``.
    oob_prediction_ : array (n,)
        What these trees predict.
    feature_importances_, importances_stderr_ : arrays (p,)
        The share of each column in the decrease of impurity, mean over the trees, and its standard error.

    Notes
    -----
    Columns are cut into at most 255 bins; columns of fewer values lose nothing. Absolute errors, Poisson's criterion, monotone columns,
    pruning and ``max_leaf_nodes`` take the exact trees of :mod:`epee.predictors.trees`, which are slower. Missing cells go to the side that
    is purer for it; where none were seen, to the larger. Weights are counts: rows are drawn as often as their copies would be; by
    weights that are no whole numbers as many are drawn as there are rows, whatever their scale.

    References
    ----------
    L. Breiman, "Random forests", *Machine Learning* 45, 2001; P. Geurts, D. Ernst, L. Wehenkel, "Extremely randomized trees", *Machine
    Learning* 63, 2006.

    Examples
    --------
    >>> X, y = [[float(i)] for i in range(40)], ["a"] * 20 + ["b"] * 20
    >>> ExtraTreesClassifier(20).fit(X, y).predict([[3.0], [35.0]])
    array(['a', 'b'], dtype='<U1')
    """

    _random_cuts = True

    def __init__(
        self, n_estimators: int = 100, *, criterion: str = "gini", max_depth: int | None = None, min_samples_split: float = 2,
        min_samples_leaf: float = 1, min_weight_fraction_leaf: float = 0.0, max_features: Any = "sqrt",
        max_leaf_nodes: int | None = None, min_impurity_decrease: float = 0.0, bootstrap: bool = False, oob_score: bool = False,
        n_jobs: int | None = None, random_state: Any = None, verbose: int = 0, warm_start: bool = False, class_weight: Any = None,
        ccp_alpha: float = 0.0, max_samples: Any = None, monotonic_cst: Any = None,
    ) -> None:  # fmt: skip
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.monotonic_cst = monotonic_cst


@akin("sklearn.ensemble._forest")
class RandomForestRegressor(ForestRegressor):
    r"""A number by the mean of trees on rows drawn with replacement, (1).

    Parameters
    ----------
    n_estimators : int, default=100
        Trees :math:`T`; more are steadier, never worse.
    criterion : {"squared_error", "friedman_mse", "absolute_error", "poisson"}, default="squared_error"
        The impurity that cuts make small.
    max_depth : int or None, default=None
        Longest branch; None grows until the leaves are pure.
    min_samples_split, min_samples_leaf : int or share, default=2, 1
        Least count of a node that is cut, and of a leaf; larger is smoother.
    min_weight_fraction_leaf : float, default=0.0
        Least share of the weight in a leaf.
    max_features : int, share, "sqrt", "log2" or None, default=1.0
        Columns drawn at each node; fewer make trees that differ more.
    max_leaf_nodes : int or None, default=None
        Most leaves of a tree, the best cuts first.
    min_impurity_decrease : float, default=0.0
        Least decrease of impurity that a cut must bring.
    bootstrap : bool, default=True
        Draw the rows of each tree with replacement; False gives all rows to each, and nothing is out of the bag.
    oob_score : bool, default=False
        Also set scikit-learn's ``oob_score_``; the risk out of the bag is there anyway.
    n_jobs : int, default=None
        Kept for scikit-learn's signature; ``epee.options.threads`` decides.
    random_state : int, default=None
        Seed; None is 0, so a fit is always the same.
    verbose : int, default=0
        Kept for scikit-learn's signature; ``epee.options.progress`` decides.
    warm_start : bool, default=False
        Add trees to those of the last fit.
    ccp_alpha : float >= 0, default=0.0
        Price of a leaf in pruning; 0 prunes nothing.
    max_samples : int, share or None, default=None
        How many rows are drawn for a tree; None draws as many as there are.
    monotonic_cst : array (p,) of -1, 0, 1, default=None
        Whether the prediction must fall or grow with an input.

    Attributes
    ----------
    forest_ : Forest
        All trees as arrays.
    oob_risk_ : Risk
        The risk by the trees that left each row out, with its interval; with ``bootstrap``.
    oob_prediction_ : array (n,)
        What these trees predict.
    feature_importances_, importances_stderr_ : arrays (p,)
        The share of each column in the decrease of impurity, mean over the trees, and its standard error.

    Notes
    -----
    Columns are cut into at most 255 bins; columns of fewer values lose nothing. Absolute errors, Poisson's criterion, monotone columns,
    pruning and ``max_leaf_nodes`` take the exact trees of :mod:`epee.predictors.trees`, which are slower. Missing cells go to the side that
    is purer for it; where none were seen, to the larger. Weights are counts: rows are drawn as often as their copies would be; by
    weights that are no whole numbers as many are drawn as there are rows, whatever their scale.

    References
    ----------
    L. Breiman, "Random forests", *Machine Learning* 45, 2001; P. Geurts, D. Ernst, L. Wehenkel, "Extremely randomized trees", *Machine
    Learning* 63, 2006; N. Meinshausen, "Quantile regression forests", *JMLR* 7, 2006.

    Examples
    --------
    >>> X, y = [[float(i)] for i in range(40)], [0.0] * 20 + [1.0] * 20
    >>> RandomForestRegressor(20).fit(X, y).predict([[3.0], [35.0]])
    array([0., 1.])
    """

    _random_cuts = False

    def __init__(
        self, n_estimators: int = 100, *, criterion: str = "squared_error", max_depth: int | None = None, min_samples_split: float = 2,
        min_samples_leaf: float = 1, min_weight_fraction_leaf: float = 0.0, max_features: Any = 1.0,
        max_leaf_nodes: int | None = None, min_impurity_decrease: float = 0.0, bootstrap: bool = True, oob_score: bool = False,
        n_jobs: int | None = None, random_state: Any = None, verbose: int = 0, warm_start: bool = False,
        ccp_alpha: float = 0.0, max_samples: Any = None, monotonic_cst: Any = None,
    ) -> None:  # fmt: skip
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.monotonic_cst = monotonic_cst


@akin("sklearn.ensemble._forest")
class ExtraTreesRegressor(ForestRegressor):
    r"""A number by the mean of trees whose cuts are drawn, (1).

    Parameters
    ----------
    n_estimators : int, default=100
        Trees :math:`T`; more are steadier, never worse.
    criterion : {"squared_error", "friedman_mse", "absolute_error", "poisson"}, default="squared_error"
        The impurity that cuts make small.
    max_depth : int or None, default=None
        Longest branch; None grows until the leaves are pure.
    min_samples_split, min_samples_leaf : int or share, default=2, 1
        Least count of a node that is cut, and of a leaf; larger is smoother.
    min_weight_fraction_leaf : float, default=0.0
        Least share of the weight in a leaf.
    max_features : int, share, "sqrt", "log2" or None, default=1.0
        Columns drawn at each node; fewer make trees that differ more.
    max_leaf_nodes : int or None, default=None
        Most leaves of a tree, the best cuts first.
    min_impurity_decrease : float, default=0.0
        Least decrease of impurity that a cut must bring.
    bootstrap : bool, default=False
        Draw the rows of each tree with replacement; False gives all rows to each, and nothing is out of the bag.
    oob_score : bool, default=False
        Also set scikit-learn's ``oob_score_``; the risk out of the bag is there anyway.
    n_jobs : int, default=None
        Kept for scikit-learn's signature; ``epee.options.threads`` decides.
    random_state : int, default=None
        Seed; None is 0, so a fit is always the same.
    verbose : int, default=0
        Kept for scikit-learn's signature; ``epee.options.progress`` decides.
    warm_start : bool, default=False
        Add trees to those of the last fit.
    ccp_alpha : float >= 0, default=0.0
        Price of a leaf in pruning; 0 prunes nothing.
    max_samples : int, share or None, default=None
        How many rows are drawn for a tree; None draws as many as there are.
    monotonic_cst : array (p,) of -1, 0, 1, default=None
        Whether the prediction must fall or grow with an input.

    Attributes
    ----------
    forest_ : Forest
        All trees as arrays.
    oob_risk_ : Risk
        The risk by the trees that left each row out, with its interval; with ``bootstrap``.
    oob_prediction_ : array (n,)
        What these trees predict.
    feature_importances_, importances_stderr_ : arrays (p,)
        The share of each column in the decrease of impurity, mean over the trees, and its standard error.

    Notes
    -----
    Columns are cut into at most 255 bins; columns of fewer values lose nothing. Absolute errors, Poisson's criterion, monotone columns,
    pruning and ``max_leaf_nodes`` take the exact trees of :mod:`epee.predictors.trees`, which are slower. Missing cells go to the side that
    is purer for it; where none were seen, to the larger. Weights are counts: rows are drawn as often as their copies would be; by
    weights that are no whole numbers as many are drawn as there are rows, whatever their scale.

    References
    ----------
    L. Breiman, "Random forests", *Machine Learning* 45, 2001; P. Geurts, D. Ernst, L. Wehenkel, "Extremely randomized trees", *Machine
    Learning* 63, 2006; N. Meinshausen, "Quantile regression forests", *JMLR* 7, 2006.

    Examples
    --------
    >>> X, y = [[float(i)] for i in range(40)], [0.0] * 20 + [1.0] * 20
    >>> ExtraTreesRegressor(20).fit(X, y).predict([[3.0], [35.0]])
    array([0., 1.])
    """

    _random_cuts = True

    def __init__(
        self, n_estimators: int = 100, *, criterion: str = "squared_error", max_depth: int | None = None, min_samples_split: float = 2,
        min_samples_leaf: float = 1, min_weight_fraction_leaf: float = 0.0, max_features: Any = 1.0,
        max_leaf_nodes: int | None = None, min_impurity_decrease: float = 0.0, bootstrap: bool = False, oob_score: bool = False,
        n_jobs: int | None = None, random_state: Any = None, verbose: int = 0, warm_start: bool = False,
        ccp_alpha: float = 0.0, max_samples: Any = None, monotonic_cst: Any = None,
    ) -> None:  # fmt: skip
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.monotonic_cst = monotonic_cst
