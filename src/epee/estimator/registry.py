"""The methods of the library: the only list of them, one entry each.

The public names of the package, the contract tests, the API page, the main job, the command line and its help, and what a saved
file may hold are read from here. See :class:`~epee.estimator.method.Method` for what an entry says; what a method keeps of its
rows is said by its class.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any

from epee.estimator import ensemble_trials as ensembles
from epee.estimator.method import (
    Method,
    Trial,
    compares_all_rows,
    has_room_for_products,
    neighbour_counts,
    quantile_of,
    spread,
)

SCALED, BY_COLUMN = ("StandardScaler",), ("TreeColumns",)
PRODUCTS = ("StandardScaler", "PolynomialFeatures", "StandardScaler")  # the products of scaled inputs, scaled
PRODUCT_WORDS = ("linear on products of inputs", "linéaire sur les produits d'entrées")
LINEAR, GENERATIVE = "Linear discrimination", "Generative models and decisions"
LOCAL, REGRESSION = "Neighbours and trees", "Regression"
ENSEMBLES = "Ensembles, kernels, networks"
FEATURES, CLUSTERS, DENSITIES = "Projections and features", "Clusters", "Densities and half-labelled tables"
TABLES = "Moments, engines, tables"

METHODS: tuple[Method, ...] = (
    Method(
        "Hebb", "predictors.linear.hebb", "classifier", LINEAR, ("Hebb's rule", "règle de Hebb"), 14,
    ),
    Method(
        "PseudoInverse", "predictors.linear.pseudo_inverse", "classifier", LINEAR, ("pseudo-inverse", "pseudo-inverse"), 16,
    ),
    Method(
        "LeastSquaresClassifier", "predictors.linear.least_squares", "classifier", LINEAR,
        ("least squares on classes", "moindres carrés sur les classes"), 18,
        (Trial("least_squares", "alpha", lambda s: [s.n * a for a in (1.0, 0.1, 0.01, 1e-4)], closed=True, before=SCALED,
               aliases=("ridge_classifier",)),),
    ),
    Method(
        "FisherDiscriminant", "predictors.linear.fisher", "classifier", LINEAR, ("Fisher's discriminant", "discriminant de Fisher"), 19,
        (Trial("fisher", closed=True, before=SCALED, given=lambda s: {"threshold": "bayes"}, suits=lambda s: s.n_classes == 2),),
    ),
    Method(
        "Perceptron", "predictors.linear.perceptron", "classifier", LINEAR, ("perceptron", "perceptron"), 21, random=True,
    ),
    Method(
        "LogisticRegression", "predictors.linear.logistic", "classifier", LINEAR, ("logistic regression", "régression logistique"), 22,
        (Trial("logistic", "C", lambda s: [0.003, 0.03, 0.3, 3.0], before=SCALED, given=lambda s: {"max_iter": 300},
               cost=lambda s: 400.0 * s.n * s.p * s.n_classes, aliases=("logit", "lr", "log", "log_loss", "softmax")),),
    ),
    Method(
        "LinearClassifier", "predictors.linear.linear_classifier", "classifier", LINEAR,
        ("linear classifier by descent", "classifieur linéaire par descente"), 23,
    ),
    Method(
        "LinearDiscriminantAnalysis", "predictors.generative.lda", "classifier", GENERATIVE,
        ("linear discriminant", "discriminant linéaire"), 15,
        (Trial("lda", "shrinkage", lambda s: [1.0, 0.5, 0.2, 0.05, 0.01, 0.001], closed=True, before=SCALED,
               given=lambda s: {"solver": "lsqr"}, aliases=("linear_discriminant", "discriminant")),
         Trial("products", "shrinkage", lambda s: [0.5, 0.1, 0.02, 0.003], before=PRODUCTS, given=lambda s: {"solver": "lsqr"},
               cost=lambda s: 5.0 * s.n * s.p**2, suits=has_room_for_products, words=PRODUCT_WORDS, order=40,
               aliases=("interactions", "polynomial"))),
    ),
    Method(
        "QuadraticDiscriminantAnalysis", "predictors.generative.qda", "classifier", GENERATIVE,
        ("quadratic discriminant", "discriminant quadratique"), 30,
        (Trial("qda", "reg_param", lambda s: [0.9, 0.5, 0.2, 0.05, 0.005], closed=True, before=SCALED,
               suits=lambda s: s.smallest_class >= 4 and s.n_classes * s.p**2 <= 5e6, aliases=("quadratic_discriminant", "quadratic")),),
        otherwise={"reg_param": 0.1},
        listed=dict.fromkeys(
            ("check_sample_weights_shape", "check_sample_weights_not_overwritten", "check_sample_weight_equivalence_on_dense_data"),
            "a class of its sample has a singular covariance, which the defaults refuse; scikit-learn's own class takes no weights "
            "and never meets it",
        ),
    ),
    Method(
        "GaussianNB", "predictors.generative.gaussian_nb", "classifier", GENERATIVE, ("naive Bayes", "bayésien naïf"), 10,
        (Trial("naive_bayes", closed=True, given=lambda s: {"var_smoothing": 1e-6},
               aliases=("nb", "bayes", "gaussian_nb", "gnb", "naive")),),
    ),
    Method(
        "BernoulliNB", "predictors.generative.bernoulli_nb", "classifier", GENERATIVE,
        ("naive Bayes of yes and no", "bayésien naïf de Bernoulli"), 10,
    ),
    Method(
        "CategoricalNB", "predictors.generative.categorical_nb", "classifier", GENERATIVE,
        ("naive Bayes of categories", "bayésien naïf de catégories"), 10,
    ),
    Method(
        "PoissonNB", "predictors.generative.poisson_nb", "classifier", GENERATIVE, ("naive Bayes of counts", "bayésien naïf de comptages"),
        10, listed={"check_decision_proba_consistency": "it fits numbers below zero, and a count cannot be one"},
    ),
    Method(
        "MultinomialNB", "predictors.generative.multinomial_nb", "classifier", GENERATIVE,
        ("naive Bayes of words", "bayésien naïf multinomial"), 10,
        listed={"check_decision_proba_consistency": "it fits numbers below zero, and a count cannot be one"},
    ),
    Method(
        "ComplementNB", "predictors.generative.multinomial_nb", "classifier", GENERATIVE,
        ("naive Bayes of the complement", "bayésien naïf complémentaire"), 10,
        listed={"check_decision_proba_consistency": "it fits numbers below zero, and a count cannot be one"},
    ),
    Method(
        "MixedNB", "predictors.generative.mixed_nb", "classifier", GENERATIVE,
        ("naive Bayes of mixed columns", "bayésien naïf de colonnes mixtes"), 11,
    ),
    Method(
        "BayesClassifier", "predictors.generative.bayes", "classifier", GENERATIVE,
        ("a density for each class", "une densité par classe"), 70,
        (Trial("mixture", "density__n_components", lambda s: [k for k in (2, 3, 5) if s.smallest_class >= 8 * k], before=SCALED,
               given=lambda s: {"density": make("GaussianMixture", covariance_type="diag", reg_covar=1e-2, max_iter=60,
                                                random_state=s.seed)},
               cost=lambda s: 3000.0 * s.n * s.p, suits=lambda s: s.smallest_class >= 16,
               words=("mixtures of Gaussians", "mélanges de gaussiennes"), aliases=("gmm", "mixtures")),),
    ),
    Method(
        "BaselineClassifier", "predictors.baseline", "classifier", GENERATIVE, ("baseline", "prédicteur constant"), 0,
        (Trial("baseline", closed=True, aliases=("dummy", "constant")),),
    ),
    Method(
        "BaselineRegressor", "predictors.baseline", "regressor", GENERATIVE, ("baseline", "prédicteur constant"), 0,
        (Trial("baseline", closed=True,
               given=lambda s: {} if quantile_of(s) is None else {"statistic": "quantile", "quantile": quantile_of(s)},
               aliases=("dummy", "constant", "mean")),),
    ),
    Method(
        "BayesDecision", "decision.bayes_decision", "classifier", GENERATIVE,
        ("decision of least cost", "décision de moindre coût"), 90, inner="GaussianNB",
    ),
    Method(
        "Calibrated", "decision.calibration", "classifier", GENERATIVE,
        ("calibrated probabilities", "probabilités calibrées"), 90, inner="GaussianNB",
    ),
    Method(
        "RandomisedClassifier", "decision.randomised", "classifier", GENERATIVE,
        ("draw from the probabilities", "tirage selon les probabilités"), 90, inner="GaussianNB",
    ),
    Method(
        "OpenClassifier", "decision.novelty", "classifier", GENERATIVE,
        ("classes that appear later", "classes qui apparaissent plus tard"), 90, inner="GaussianNB",
    ),
    Method(
        "KNeighborsClassifier", "predictors.neighbours.knn", "classifier", LOCAL, ("nearest neighbours", "plus proches voisins"), 60,
        (Trial("neighbours", "n_neighbors", neighbour_counts, before=SCALED, cost=compares_all_rows,
               aliases=("knn", "k_neighbors", "neighbors", "nearest", "kppv", "nn")),),
    ),
    Method(
        "KNeighborsRegressor", "predictors.neighbours.knn", "regressor", LOCAL, ("nearest neighbours", "plus proches voisins"), 60,
        (Trial("neighbours", "n_neighbors", neighbour_counts, before=SCALED, cost=compares_all_rows,
               aliases=("knn", "k_neighbors", "neighbors", "nearest", "kppv", "nn")),),
    ),
    Method(
        "KernelRegression", "predictors.neighbours.kernel", "regressor", LOCAL, ("kernel regression", "régression à noyau"), 60,
    ),
    Method(
        "DecisionTreeClassifier", "predictors.trees.tree", "classifier", LOCAL, ("decision tree", "arbre de décision"), 50,
        (Trial("tree", "ccp_alpha", lambda s: spread(2e-4, 0.1, 10), cost=lambda s: 1200.0 * s.n * s.p,
               given=lambda s: {"min_samples_leaf": 3, "random_state": s.seed}, aliases=("cart", "decision_tree", "dt")),),
    ),
    Method(
        "DecisionTreeRegressor", "predictors.trees.tree", "regressor", LOCAL, ("decision tree", "arbre de décision"), 50,
        (Trial("tree", "ccp_alpha", lambda s: [ensembles.impurity(s) * a for a in spread(2e-4, 0.1, 10)],
               cost=lambda s: 1200.0 * s.n * s.p, given=ensembles.tree, suits=lambda s: s.n_targets == 1,
               aliases=("cart", "decision_tree", "dt")),),
    ),
    Method(
        "KernelRidge", "predictors.kernels.kernel_ridge", "regressor", ENSEMBLES,
        ("kernel ridge regression", "régression écrêtée à noyau"), 65,
    ),
    Method(
        "LandmarkRegressor", "predictors.kernels.landmark_machines", "regressor", ENSEMBLES,
        ("kernel regression on landmarks", "régression à noyau sur des repères"), 66,
        (Trial("kernel", given=ensembles.kernel, cost=ensembles.kernel_cost, settled=ensembles.width, suits=lambda s: s.n_targets == 1,
               aliases=("rbf", "kernel_ridge", "landmarks")),),
        random=True, arguments={"n_components": 30},
    ),
    Method(
        "LandmarkClassifier", "predictors.kernels.landmark_machines", "classifier", ENSEMBLES,
        ("kernel classifier on landmarks", "classifieur à noyau sur des repères"), 66,
        (Trial("kernel", given=ensembles.kernel, cost=ensembles.kernel_cost, settled=ensembles.width,
               aliases=("rbf", "kernel_logistic", "landmarks")),),
        random=True, arguments={"n_components": 30},
    ),
    Method(
        "RandomForestClassifier", "predictors.ensembles.forest", "classifier", ENSEMBLES, ("random forest", "forêt aléatoire"), 75,
        (Trial("forest", before=BY_COLUMN, given=ensembles.forest, cost=ensembles.forest_cost,
               at_last=ensembles.more_trees, out_of_bag=ensembles.out_of_bag, aliases=("rf", "random_forest")),),
        random=True, arguments={"n_estimators": 20},
    ),
    Method(
        "RandomForestRegressor", "predictors.ensembles.forest", "regressor", ENSEMBLES, ("random forest", "forêt aléatoire"), 75,
        (Trial("forest", before=BY_COLUMN, given=ensembles.forest, cost=ensembles.forest_cost,
               at_last=ensembles.more_trees, out_of_bag=ensembles.out_of_bag, suits=lambda s: s.n_targets == 1,
               aliases=("rf", "random_forest")),),
        random=True, arguments={"n_estimators": 20},
    ),
    Method(
        "ExtraTreesClassifier", "predictors.ensembles.forest", "classifier", ENSEMBLES,
        ("extremely random trees", "arbres extrêmement aléatoires"), 76,
        (Trial("extra_trees", "min_samples_leaf", ensembles.leaf_sizes, before=BY_COLUMN, given=ensembles.extra_trees,
               cost=ensembles.extra_cost,
               at_last=ensembles.more_trees, out_of_bag=ensembles.out_of_bag, aliases=("et", "extremely_random_trees")),),
        random=True, arguments={"n_estimators": 20},
    ),
    Method(
        "ExtraTreesRegressor", "predictors.ensembles.forest", "regressor", ENSEMBLES,
        ("extremely random trees", "arbres extrêmement aléatoires"), 76,
        (Trial("extra_trees", "min_samples_leaf", ensembles.leaf_sizes, before=BY_COLUMN, given=ensembles.extra_trees,
               cost=ensembles.extra_cost,
               at_last=ensembles.more_trees, out_of_bag=ensembles.out_of_bag, suits=lambda s: s.n_targets == 1,
               aliases=("et", "extremely_random_trees")),),
        random=True, arguments={"n_estimators": 20},
    ),
    Method(
        "HistGradientBoostingClassifier", "predictors.ensembles.boosting", "classifier", ENSEMBLES, ("boosted trees", "arbres dopés"), 78,
        (Trial("boosting", "max_iter", ensembles.rounds, before=BY_COLUMN, given=ensembles.boosting, cost=ensembles.boosting_cost,
               aliases=("gbm", "gbdt", "hgb", "boosted_trees")),),
    ),
    Method(
        "HistGradientBoostingRegressor", "predictors.ensembles.boosting", "regressor", ENSEMBLES, ("boosted trees", "arbres dopés"), 78,
        (Trial("boosting", "max_iter", ensembles.rounds, before=BY_COLUMN, given=ensembles.boosting, cost=ensembles.boosting_cost,
               suits=lambda s: s.n_targets == 1, aliases=("gbm", "gbdt", "hgb", "boosted_trees")),
         Trial("log_boosting", "max_iter", ensembles.rounds, before=BY_COLUMN, given=lambda s: ensembles.boosting(s) | {"loss": "gamma"},
               cost=ensembles.boosting_cost, suits=lambda s: s.n_targets == 1 and s.skewed and not ensembles.judged(s), order=79,
               words=("boosted trees on a log scale", "arbres dopés, échelle logarithmique"))),
    ),
    Method(
        "MLPClassifier", "predictors.networks.mlp", "classifier", ENSEMBLES, ("neural network", "réseau de neurones"), 80,
        (Trial("network", "alpha", lambda s: [10.0, 1.0], before=SCALED, given=ensembles.network, cost=ensembles.network_cost,
               aliases=("mlp", "neural_network", "nnet")),),
        random=True, arguments={"max_iter": 50},
    ),
    Method(
        "MLPRegressor", "predictors.networks.mlp", "regressor", ENSEMBLES, ("neural network", "réseau de neurones"), 80,
        (Trial("network", "alpha", lambda s: [10.0, 1.0], before=SCALED, given=ensembles.network, cost=ensembles.network_cost,
               suits=lambda s: s.n_targets == 1, aliases=("mlp", "neural_network", "nnet")),),
        random=True, arguments={"max_iter": 50},
    ),
    Method(
        "LogTarget", "predictors.regression.log_target", "regressor", ENSEMBLES,
        ("a regression of the logarithm", "une régression du logarithme"), 45,
        (Trial("log_ridge", before=SCALED, given=lambda s: {"estimator": make("RidgeCV", alphas=[s.n * a for a in spread(1e-4, 10.0, 11)])},
               suits=lambda s: s.skewed, words=("ridge regression of the logarithm", "régression écrêtée du logarithme"), order=24),
         Trial("log_additive", before=SCALED, given=lambda s: {"estimator": make("AdditiveSplines", dof=4)},
               cost=lambda s: 800.0 * s.n * s.p, suits=lambda s: s.skewed and s.p <= 60 and s.n > 12 * s.p,
               words=("additive splines of the logarithm", "splines additives du logarithme"), order=35),
         Trial("log_kernel", given=lambda s: {"estimator": make("LandmarkRegressor", **ensembles.kernel(s))}, cost=ensembles.kernel_cost,
               suits=lambda s: s.skewed, settled=lambda fitted: {"estimator__gamma": fitted.estimator_.gamma_},
               words=("kernel regression of the logarithm", "régression à noyau du logarithme"), order=67),
         Trial("log_forest", before=BY_COLUMN, given=lambda s: {"estimator": make("RandomForestRegressor", **ensembles.forest(s))},
               cost=ensembles.forest_cost, suits=lambda s: s.skewed,
               at_last=lambda s: {f"estimator__{name}": value for name, value in ensembles.more_trees(s).items()},
               words=("random forest of the logarithm", "forêt aléatoire du logarithme"), order=77)),
        inner="LinearRegression",
    ),
    Method(
        "Combination", "predictors.ensembles.combination", "predictor", ENSEMBLES,
        ("weighted mean of predictors", "moyenne pondérée de prédicteurs"), 90,
        (Trial("combination", given=lambda s: {"estimators": []}, suits=lambda s: s.n_targets == 1, of_others=True,
               cost=lambda s: 0.0, words=("combination", "combinaison"), aliases=("stacking", "ensemble", "mean_of_predictors")),),
        inner=("LinearRegression", "DecisionTreeRegressor"),
    ),
    Method(
        "Nystroem", "predictors.kernels.nystroem", "transformer", ENSEMBLES, ("features of landmarks", "caractéristiques de repères"),
        random=True, arguments={"n_components": 10},
    ),
    Method("NeighborDensity", "predictors.neighbours.volume", "density", DENSITIES, ("density by neighbours", "densité par voisins")),
    Method(
        "LinearRegression", "predictors.regression.ols", "regressor", REGRESSION, ("linear regression", "régression linéaire"), 12,
        (Trial("linear", closed=True, suits=lambda s: s.p < 0.5 * s.n, aliases=("ols", "lm", "least_squares", "linear_regression")),),
    ),
    Method(
        "PolynomialRegression", "predictors.regression.polynomial", "regressor", REGRESSION,
        ("polynomial regression", "régression polynomiale"), 25,
    ),
    Method(
        "Ridge", "predictors.regression.ridge", "regressor", REGRESSION, ("ridge regression", "régression écrêtée"), 12,
        (Trial("ridge", "alpha", lambda s: [s.n * a for a in spread(1e-4, 10.0, 11)], closed=True, before=SCALED, aliases=("l2",)),
         Trial("products", "alpha", lambda s: [s.n * a for a in spread(1e-4, 1.0, 7)], before=PRODUCTS,
               cost=lambda s: 5.0 * s.n * s.p**2, suits=has_room_for_products, words=PRODUCT_WORDS, order=40,
               aliases=("interactions", "polynomial"))),
    ),
    Method("RidgeCV", "predictors.regression.ridge_cv", "regressor", REGRESSION, ("ridge regression", "régression écrêtée"), 12),
    Method(
        "Tikhonov", "predictors.regression.tikhonov", "regressor", REGRESSION,
        ("Tikhonov's regularisation", "régularisation de Tikhonov"), 12,
    ),
    Method(
        "Lasso", "predictors.regression.lasso", "regressor", REGRESSION, ("lasso", "lasso"), 12,
        (Trial("lasso", "alpha", lambda s: [s.scale * a for a in spread(3e-3, 0.5, 8)], before=SCALED,
               suits=lambda s: s.n_targets == 1, cost=lambda s: 100.0 * s.n * s.p, aliases=("l1",)),),
    ),
    Method("ElasticNet", "predictors.regression.lasso", "regressor", REGRESSION, ("elastic net", "filet élastique"), 12),
    Method("LassoCV", "predictors.regression.lasso_cv", "regressor", REGRESSION, ("lasso", "lasso"), 12, arguments={"cv": 3}),
    Method(
        "SmoothingSpline", "predictors.regression.smoothing_spline", "regressor", REGRESSION,
        ("smoothing spline", "spline de lissage"), 30,
    ),
    Method(
        "AdditiveSplines", "predictors.regression.additive", "regressor", REGRESSION, ("additive splines", "splines additives"), 30,
        (Trial("additive", "dof", lambda s: [2, 3, 4, 6], before=SCALED, cost=lambda s: 800.0 * s.n * s.p,
               suits=lambda s: s.p <= 60 and s.n > 12 * s.p, aliases=("gam", "splines", "spline")),),
    ),
    Method(
        "PoissonRegressor", "predictors.regression.poisson", "regressor", REGRESSION, ("Poisson regression", "régression de Poisson"), 13,
        (Trial("poisson", "alpha", lambda s: spread(1e-4, 1.0, 5), before=SCALED, cost=lambda s: 1000.0 * s.n * s.p,
               suits=lambda s: s.n_targets == 1 and s.loss == "poisson", aliases=("glm", "poisson_regression")),),
    ),
    Method(
        "QuantileRegressor", "predictors.regression.quantile", "regressor", REGRESSION,
        ("linear quantile regression", "régression quantile linéaire"), 13,
        (Trial("quantile", before=SCALED, given=lambda s: {"quantile": quantile_of(s), "alpha": 0.0}, cost=lambda s: 400.0 * s.n * s.p**2,
               suits=lambda s: s.n_targets == 1 and quantile_of(s) is not None and s.p < 0.5 * s.n,
               words=("linear quantile regression", "régression quantile linéaire"), aliases=("quantile_regression", "lad")),),
    ),
    Method(
        "MapRegression", "predictors.regression.map_regression", "regressor", REGRESSION,
        ("regression with a prior", "régression avec un a priori"), 12,
    ),
    Method(
        "RobustRegression", "predictors.regression.robust", "regressor", REGRESSION, ("robust regression", "régression robuste"), 13,
        (Trial("robust", before=SCALED, given=lambda s: {"loss": s.loss}, cost=lambda s: 1000.0 * s.n * s.p,
               suits=lambda s: s.n_targets == 1 and s.loss in ("huber", "tukey", "welsch", "geman_mcclure") and s.p < 0.5 * s.n,
               aliases=("huber", "robust_regression")),),
    ),
    Method(
        "TableEncoder", "table.encoder", "transformer", TABLES, ("encoding of a table", "codage d'un tableau"),
    ),
    Method("PCA", "structure.pca", "transformer", FEATURES, ("principal components", "composantes principales")),
    Method("Eigenfaces", "structure.eigenfaces", "transformer", FEATURES, ("eigenfaces", "visages propres")),
    Method(
        "DiscriminantFactorAnalysis", "structure.factors", "classifier", FEATURES,
        ("discriminant factor analysis", "analyse factorielle discriminante"), 16,
    ),
    Method("ClassicalMDS", "structure.scaling", "transformer", FEATURES,
           ("classical scaling", "positionnement multidimensionnel classique")),
    Method(
        "MDS", "structure.scaling", "transformer", FEATURES, ("multidimensional scaling", "positionnement multidimensionnel"),
        random=True, arguments={"n_init": 1, "init": "random", "max_iter": 5},
    ),
    Method("Isomap", "structure.geodesic", "transformer", FEATURES, ("geodesic scaling", "positionnement géodésique")),
    Method(
        "LocallyLinearEmbedding", "structure.locally_linear", "transformer", FEATURES,
        ("locally linear embedding", "plongement localement linéaire"),
    ),
    Method(
        "TSNE", "structure.tsne", "transformer", FEATURES, ("t-SNE", "t-SNE"), random=True, arguments={"perplexity": 2, "max_iter": 250},
    ),
    Method("StandardScaler", "structure.standard_scaler", "transformer", FEATURES, ("centring and scaling", "centrage et réduction")),
    Method("PolynomialFeatures", "structure.products", "transformer", FEATURES, ("products of inputs", "produits d'entrées")),
    Method(
        "SelectFeatures", "structure.selection", "transformer", FEATURES, ("selection of inputs", "sélection de caractéristiques"),
        inner="LinearRegression",
    ),
    Method(
        "SparseCoding", "structure.sparse_coding", "transformer", FEATURES, ("sparse coding", "représentation creuse"), random=True,
        arguments={"n_atoms": 3},
    ),
    Method("KMeans", "structure.kmeans", "clusterer", CLUSTERS, ("k-means", "k-moyennes"), random=True, arguments={"n_clusters": 3}),
    Method("KMedoids", "structure.kmedoids", "clusterer", CLUSTERS, ("k-medoids", "k-médoïdes"), arguments={"n_clusters": 3}),
    Method(
        "Isodata", "structure.isodata", "clusterer", CLUSTERS, ("Isodata", "Isodata"), random=True,
        arguments={"n_clusters": 3, "max_clusters": 3},
    ),
    Method("MeanShift", "structure.mean_shift", "clusterer", CLUSTERS, ("mean shift", "mean shift")),
    Method(
        "DynamicClouds", "structure.dynamic_clouds", "clusterer", CLUSTERS, ("dynamic clouds", "nuées dynamiques"), random=True,
        arguments={"n_clusters": 3},
    ),
    Method(
        "AgglomerativeClustering", "structure.hierarchy", "clusterer", CLUSTERS,
        ("agglomerative clustering", "classification ascendante hiérarchique"),
    ),
    Method(
        "GaussianDensity", "structure.gaussian", "density", DENSITIES, ("Gaussian density", "densité gaussienne"),
        arguments={"reg_covar": 1e-6},
    ),
    Method("KernelDensity", "structure.kernel_density", "density", DENSITIES, ("kernel density", "densité à noyau")),
    Method(
        "GaussianMixture", "structure.gaussian_mixture", "density", DENSITIES,
        ("mixture of Gaussians", "mélange de gaussiennes"), random=True,
    ),
    Method(
        "BernoulliMixture", "structure.count_mixtures", "density", DENSITIES, ("mixture of yes and no", "mélange de lois de Bernoulli"),
        random=True, arguments={"n_components": 2},
    ),
    Method(
        "PoissonMixture", "structure.count_mixtures", "density", DENSITIES, ("mixture of counts", "mélange de lois de Poisson"),
        random=True, arguments={"n_components": 2},
    ),
    Method(
        "SemiSupervisedGaussian", "structure.semi_supervised", "classifier", DENSITIES,
        ("half-labelled Gaussians", "gaussiennes semi-supervisées"), 30,
    ),
    Method(
        "SelfTraining", "structure.semi_supervised", "classifier", DENSITIES,
        ("self-training", "auto-apprentissage"), 90, inner="GaussianNB",
    ),
    Method(
        "LabelPropagation", "structure.semi_supervised", "classifier", DENSITIES,
        ("label propagation", "propagation d'étiquettes"), 80,
    ),
)  # fmt: skip

# what estimators are made of, and where that lives: a saved file may hold these besides methods
PARTS: dict[str, str] = {
    "Moments": "moments.moments", "ColumnMoments": "moments.columns", "Counts": "moments.counts", "TableMoments": "moments.tables",
    "Cholesky": "solve.cholesky", "MinimumNorm": "solve.minimum_norm", "RidgeSpectrum": "solve.ridge_path",
    "FullGaussians": "predictors.generative.gaussians", "DiagonalGaussians": "predictors.generative.gaussians",
    "Columns": "predictors.generative.kinds", "ByTarget": "predictors.regression.ridge", "RowFactor": "predictors.regression.ridge",
    "WideFactor": "predictors.regression.ols", "ChebyshevLine": "predictors.regression.polynomial",
    "FlatPrior": "predictors.regression.priors", "UniformPrior": "predictors.regression.priors",
    "GaussianPrior": "predictors.regression.priors", "LaplacePrior": "predictors.regression.priors",
    "Plan": "predictors.trees.growth", "Tree": "predictors.trees.structure", "PruningPath": "predictors.trees.pruning",
    "Search": "predictors.neighbours.search", "Metric": "predictors.neighbours.metrics",
    "Components": "structure.gaussian_forms", "GaussianStep": "structure.gaussian_steps",
    "Forest": "predictors.ensembles.forest_structure", "Trees": "predictors.ensembles.structure", "Bins": "predictors.ensembles.binning",
    "Landmarks": "predictors.kernels.landmarks", "Network": "predictors.networks.layers", "Risk": "risk.estimate",
    "Sigmoid": "decision.calibration", "Steps": "decision.calibration", "RisingRate": "decision.monotone", "BentLine": "decision.bends",
    "FillMissing": "job.filling", "TreeColumns": "job.levels", "WithoutCodes": "job.levels",
}  # fmt: skip

# what people know from elsewhere: the keys nearest to it here, the best first
NEAREST: dict[str, tuple[str, ...]] = {
    "svm": ("kernel",), "svc": ("kernel",), "linear_svc": ("logistic",), "svr": ("kernel",), "gp": ("kernel",),
    "xgboost": ("boosting",), "lightgbm": ("boosting",), "catboost": ("boosting",), "adaboost": ("boosting",), "bagging": ("forest",),
    "rf": ("forest",), "tabpfn": ("combination",), "elastic_net": ("lasso", "ridge"), "kernel_logistic": ("kernel",),
    "lasso": ("logistic",), "ridge": ("least_squares", "logistic"), "linear": ("lda",), "ols": ("least_squares",),
    "logistic": ("linear",), "lda": ("linear",), "qda": ("products",), "glm": ("logistic", "linear"),
}  # fmt: skip


def method(name: str) -> Method:
    """Return the entry of a method by its class name.

    >>> method("LinearDiscriminantAnalysis").kind
    'classifier'
    """
    for entry in METHODS:
        if entry.name == name:
            return entry
    raise KeyError(name)


def saved_class(name: str) -> type | None:
    """Return the class that a saved file means by a name; None for anything that is no method and no part of one."""
    module = PARTS.get(name) or next((entry.module for entry in METHODS if entry.name == name), None)
    return None if module is None else getattr(import_module(f"epee.{module}"), name)


def make(name: str, **parameters: Any) -> Any:
    """Return an estimator by the name of its class."""
    return method(name).load()(**parameters)


def trials(kind: str) -> Iterator[tuple[Method, Trial]]:
    """Yield what the main job tries, classifiers or regressors, from the simplest on."""
    found = [(entry, trial) for entry in METHODS if entry.kind in (kind, "predictor") for trial in entry.trials]
    yield from sorted(found, key=lambda pair: pair[0].order if pair[1].order is None else pair[1].order)


def keys() -> list[str]:
    """Return the short names of all that the main job tries, from the simplest on."""
    both = [pair for kind in ("classifier", "regressor") for pair in trials(kind)]
    ranked = sorted(both, key=lambda pair: pair[0].order if pair[1].order is None else pair[1].order)
    return list(dict.fromkeys(trial.key for _, trial in ranked))


def key_of(typed: str, kind: str) -> str | None:
    """Return the key that is meant by what was typed: a key, what others call it, or the name of a class; None when none is.

    >>> key_of("kNN", "classifier"), key_of("OLS", "regressor"), key_of("DecisionTreeClassifier", "classifier")
    ('neighbours', 'linear', 'tree')
    """
    plain = typed.strip().lower().replace("-", "_").replace(" ", "_")
    known = list(trials(kind))
    if any(plain == trial.key for _, trial in known):
        return plain
    for entry, trial in known:
        if plain in trial.aliases or (plain == entry.name.lower() and trial is entry.trials[0]):
            return trial.key
    return None


def nearest_keys(typed: str, kind: str) -> Sequence[str]:
    """Return the keys that come nearest to a method that is not here.

    >>> nearest_keys("SVM", "classifier")
    ['kernel']
    """
    plain = typed.strip().lower().replace("-", "_").replace(" ", "_")
    keys = {trial.key for _, trial in trials(kind)}
    return [key for key in NEAREST.get(plain, ()) if key in keys][:1]
