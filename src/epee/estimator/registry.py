"""The methods of the library, in order of simplicity: one line each.

The contract tests, the API page, the command line, the labs and the benchmarks read this table. ``order`` ranks families from
the simplest (0, the baseline) up; within a family the effective degrees of freedom decide. ``random`` marks random starts
and stochastic descents, for which a weight of two and a row given twice draw different random numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal

Kind = Literal["classifier", "regressor", "transformer", "clusterer", "density", "meta"]


@dataclass(frozen=True)
class Method:
    """One method: its class, where it lives, what it is, and how simple."""

    name: str
    module: str
    kind: Kind
    order: int = 50
    random: bool = False
    arguments: dict[str, Any] = field(default_factory=dict)  # what the contract tests pass to the constructor
    listed: dict[str, str] = field(default_factory=dict)  # scikit-learn's checks that do not pass, each with the reason
    otherwise: dict[str, Any] = field(
        default_factory=dict
    )  # arguments with which the listed checks pass, where there are any

    def load(self) -> type:
        """Return the class."""
        loaded: type = getattr(import_module(f"epee.{self.module}"), self.name)
        return loaded


METHODS: tuple[Method, ...] = (
    # predictors, from the simplest
    Method("BaselineClassifier", "predictors.baseline", "classifier", 0),
    Method("BaselineRegressor", "predictors.baseline", "regressor", 0),
    Method("Hebb", "predictors.linear.hebb", "classifier", 14),
    Method("PseudoInverse", "predictors.linear.pseudo_inverse", "classifier", 16),
    Method("LeastSquaresClassifier", "predictors.linear.least_squares", "classifier", 17),
    Method("FisherDiscriminant", "predictors.linear.fisher", "classifier", 18),
    Method("BernoulliNB", "predictors.generative.bernoulli_nb", "classifier", 15),
    Method("PoissonNB", "predictors.generative.poisson_nb", "classifier", 15),
    Method("CategoricalNB", "predictors.generative.categorical_nb", "classifier", 16),
    Method("LinearDiscriminantAnalysis", "predictors.generative.lda", "classifier", 20),
    Method("Perceptron", "predictors.linear.perceptron", "classifier", 21, random=True),
    Method("LogisticRegression", "predictors.linear.logistic", "classifier", 22),
    Method("LinearClassifier", "predictors.linear.linear_classifier", "classifier", 23),
    Method("GaussianNB", "predictors.generative.gaussian_nb", "classifier", 24),
    Method("MixedNB", "predictors.generative.mixed_nb", "classifier", 25),
    Method(
        "QuadraticDiscriminantAnalysis",
        "predictors.generative.qda",
        "classifier",
        30,
        otherwise={"reg_param": 0.1},
        listed=dict.fromkeys(
            (
                "check_sample_weights_shape",
                "check_sample_weights_not_overwritten",
                "check_sample_weight_equivalence_on_dense_data",
            ),
            "a class of its sample has a singular covariance, which the defaults refuse; scikit-learn's own class takes no weights "
            "and never meets it",
        ),
    ),
    Method("BayesClassifier", "predictors.generative.bayes", "classifier", 40),
    Method("LinearRegression", "predictors.regression.ols", "regressor", 10),
    Method("Ridge", "predictors.regression.ridge", "regressor", 12),
    Method("RidgeCV", "predictors.regression.ridge_cv", "regressor", 12),
    Method("Tikhonov", "predictors.regression.tikhonov", "regressor", 13),
    Method("MapRegression", "predictors.regression.map_regression", "regressor", 14),
    Method("RobustRegression", "predictors.regression.robust", "regressor", 15),
    Method("PolynomialRegression", "predictors.regression.polynomial", "regressor", 30),
    Method("Lasso", "predictors.regression.lasso", "regressor", 32),
    Method("ElasticNet", "predictors.regression.lasso", "regressor", 33),
    Method("LassoCV", "predictors.regression.lasso_cv", "regressor", 32, arguments={"cv": 3}),
    Method("SmoothingSpline", "predictors.regression.smoothing_spline", "regressor", 40),
    Method("AdditiveSplines", "predictors.regression.additive", "regressor", 45),
    Method("KernelRegression", "predictors.neighbours.kernel", "regressor", 50),
    Method("KNeighborsClassifier", "predictors.neighbours.knn", "classifier", 50),
    Method("KNeighborsRegressor", "predictors.neighbours.knn", "regressor", 52),
    Method("DecisionTreeClassifier", "predictors.trees.tree", "classifier", 60),
    Method("DecisionTreeRegressor", "predictors.trees.tree", "regressor", 60),
    Method("NeighborDensity", "predictors.neighbours.volume", "density"),
    # structure
    Method("TableEncoder", "table.encoder", "transformer"),
    Method("StandardScaler", "structure.standard_scaler", "transformer"),
    Method("PolynomialFeatures", "structure.products", "transformer"),
    Method("PCA", "structure.pca", "transformer"),
    Method("Eigenfaces", "structure.eigenfaces", "transformer"),
    Method("DiscriminantFactorAnalysis", "structure.factors", "classifier", 25),
    Method("ClassicalMDS", "structure.scaling", "transformer"),
    Method(
        "MDS", "structure.scaling", "transformer", random=True, arguments={"n_init": 1, "init": "random", "max_iter": 5}
    ),
    Method("Isomap", "structure.geodesic", "transformer"),
    Method("LocallyLinearEmbedding", "structure.locally_linear", "transformer"),
    Method("TSNE", "structure.tsne", "transformer", random=True, arguments={"perplexity": 2, "max_iter": 250}),
    Method("SparseCoding", "structure.sparse_coding", "transformer", random=True, arguments={"n_atoms": 3}),
    Method("GaussianDensity", "structure.gaussian", "density", arguments={"reg_covar": 1e-6}),
    Method("KernelDensity", "structure.kernel_density", "density"),
    Method("GaussianMixture", "structure.gaussian_mixture", "density", random=True),
    Method("BernoulliMixture", "structure.count_mixtures", "density", random=True, arguments={"n_components": 2}),
    Method("PoissonMixture", "structure.count_mixtures", "density", random=True, arguments={"n_components": 2}),
    Method("SemiSupervisedGaussian", "structure.semi_supervised", "classifier", 30),
    Method("LabelPropagation", "structure.semi_supervised", "classifier", 80),
    Method("KMeans", "structure.kmeans", "clusterer", random=True, arguments={"n_clusters": 3}),
    Method("KMedoids", "structure.kmedoids", "clusterer", arguments={"n_clusters": 3}),
    Method("Isodata", "structure.isodata", "clusterer", random=True, arguments={"n_clusters": 3, "max_clusters": 3}),
    Method("MeanShift", "structure.mean_shift", "clusterer"),
    Method("DynamicClouds", "structure.dynamic_clouds", "clusterer", random=True, arguments={"n_clusters": 3}),
    Method("AgglomerativeClustering", "structure.hierarchy", "clusterer"),
)


def method(name: str) -> Method:
    """Return the line of a method by its class name.

    >>> method("LinearDiscriminantAnalysis").kind
    'classifier'
    """
    for line in METHODS:
        if line.name == name:
            return line
    raise KeyError(name)


def order_of(estimator: Any) -> int:
    """Return the rank of an estimator in simplicity; what is not ours ranks as most complex."""
    name = type(estimator).__name__
    return next((line.order for line in METHODS if line.name == name), 1000)
