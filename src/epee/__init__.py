"""épée: statistical learning around one quantity, the expected prediction error.

A fit is a sum: each block of rows becomes a moment, moments add, and a predictor is solved from the total. So one pass
over a table gives every fold of a cross-validation and every penalty of a path, and honest error bars are cheap.

>>> import epee
>>> table = epee.samples.load("iris")                                              # doctest: +SKIP
>>> learned = epee.learn(table, "species")                                          # doctest: +SKIP
"""

from __future__ import annotations

from epee.lazy import attach

__version__ = "0.1.0"

_PLACES = {
    name: place
    for place, names in {
        "epee.settings": "options",
        "epee.engines.choice": "engine",
        "epee.moments.moments": "Moments",
        "epee.table.encoder": "TableEncoder",
        # linear discrimination
        "epee.predictors.linear.hebb": "Hebb",
        "epee.predictors.linear.pseudo_inverse": "PseudoInverse",
        "epee.predictors.linear.least_squares": "LeastSquaresClassifier",
        "epee.predictors.linear.fisher": "FisherDiscriminant",
        "epee.predictors.linear.perceptron": "Perceptron",
        "epee.predictors.linear.logistic": "LogisticRegression",
        "epee.predictors.linear.linear_classifier": "LinearClassifier",
        # generative models and decisions
        "epee.predictors.baseline": "BaselineClassifier BaselineRegressor",
        "epee.predictors.generative.lda": "LinearDiscriminantAnalysis",
        "epee.predictors.generative.qda": "QuadraticDiscriminantAnalysis",
        "epee.predictors.generative.gaussian_nb": "GaussianNB",
        "epee.predictors.generative.bernoulli_nb": "BernoulliNB",
        "epee.predictors.generative.categorical_nb": "CategoricalNB",
        "epee.predictors.generative.poisson_nb": "PoissonNB",
        "epee.predictors.generative.mixed_nb": "MixedNB",
        "epee.predictors.generative.bayes": "BayesClassifier",
        "epee.decision.bayes_decision": "BayesDecision",
        "epee.decision.calibration": "Calibrated",
        # neighbours and trees
        "epee.predictors.neighbours.knn": "KNeighborsClassifier KNeighborsRegressor",
        "epee.predictors.neighbours.kernel": "KernelRegression",
        "epee.predictors.trees.tree": "DecisionTreeClassifier DecisionTreeRegressor",
        # regression
        "epee.predictors.regression.ols": "LinearRegression",
        "epee.predictors.regression.polynomial": "PolynomialRegression",
        "epee.predictors.regression.ridge": "Ridge",
        "epee.predictors.regression.ridge_cv": "RidgeCV",
        "epee.predictors.regression.tikhonov": "Tikhonov",
        "epee.predictors.regression.lasso": "Lasso ElasticNet lasso_path",
        "epee.predictors.regression.lasso_cv": "LassoCV",
        "epee.predictors.regression.smoothing_spline": "SmoothingSpline",
        "epee.predictors.regression.additive": "AdditiveSplines",
        "epee.predictors.regression.map_regression": "MapRegression",
        "epee.predictors.regression.robust": "RobustRegression",
        # structure
        "epee.structure.pca": "PCA",
        "epee.structure.dimension": "choose_dimension",
        "epee.structure.eigenfaces": "Eigenfaces",
        "epee.structure.factors": "DiscriminantFactorAnalysis",
        "epee.structure.scaling": "ClassicalMDS MDS",
        "epee.structure.geodesic": "Isomap",
        "epee.structure.locally_linear": "LocallyLinearEmbedding",
        "epee.structure.tsne": "TSNE",
        "epee.structure.standard_scaler": "StandardScaler",
        "epee.structure.products": "PolynomialFeatures",
        "epee.structure.selection": "SelectFeatures",
        "epee.structure.sparse_coding": "SparseCoding",
        "epee.structure.kmeans": "KMeans",
        "epee.structure.kmedoids": "KMedoids",
        "epee.structure.isodata": "Isodata",
        "epee.structure.mean_shift": "MeanShift",
        "epee.structure.dynamic_clouds": "DynamicClouds",
        "epee.structure.hierarchy": "AgglomerativeClustering linkage",
        "epee.structure.partitions": "strong_forms count_partitions",
        "epee.structure.cluster_choice": "choose_clusters",
        "epee.structure.gaussian": "GaussianDensity",
        "epee.structure.kernel_density": "KernelDensity",
        "epee.structure.gaussian_mixture": "GaussianMixture",
        "epee.structure.count_mixtures": "BernoulliMixture PoissonMixture",
        "epee.structure.em": "expectation_maximisation",
        "epee.structure.mixture_choice": "choose_components",
        "epee.structure.semi_supervised": "SemiSupervisedGaussian SelfTraining LabelPropagation",
        "epee.structure.unlabelled": "unlabelled_gain",
        # the main job
        "epee.job.learning": "learn Learned",
        "epee.job.exploration": "explore Explored",
        "epee.job.bundle": "load",
        # rooms with names of their own
        "epee.risk:": "risk",
        "epee.mdp:": "mdp",
        "epee.optimize:": "optimize",
        "epee.design:": "design",
        "epee.losses:": "losses",
        "epee.samples:": "samples",
        "epee.errors:": "errors",
    }.items()
    for name in names.split()
}

__getattr__, __dir__, __all__ = attach(__name__, _PLACES)
