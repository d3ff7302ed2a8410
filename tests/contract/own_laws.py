"""What the mathematics of each method promises of its fit, as functions of the fitted model, the rows and the target.

Each law takes ``(model, X, y)`` with ``X`` in float64 and raises when it is broken. A law looks only at public attributes.
"""

from __future__ import annotations

import numpy as np

TOL = 1e-6  # of the sizes that cancel: half of the digits


def small(difference, beside, what):
    """Insist that a difference is rounding beside the sizes that cancel in it."""
    difference, beside = np.abs(np.asarray(difference)), np.max(np.abs(np.asarray(beside)), initial=1e-300)
    assert np.isfinite(difference).all(), f"{what}: not finite"
    assert difference.max(initial=0.0) <= TOL * beside, f"{what}: off by {difference.max():.2g} beside {beside:.2g}"


def rising(values, what):
    """Insist on values that never fall by more than rounding."""
    values = np.asarray(values, dtype=float).reshape(-1)
    fall = -np.diff(values, prepend=values[0]).min()
    assert fall <= 1e-7 * max(np.abs(values).max(), 1.0), f"{what} falls by {fall:.2g}"


def falling(values, what):
    rising(-np.asarray(values, dtype=float), what)


# any classifier, regressor, clusterer, transformer


def labels_and_probabilities(model, X, y):
    predicted = model.predict(X)
    assert set(predicted.tolist()) <= set(np.unique(y).tolist()), "labels that were never learned"
    if hasattr(model, "predict_proba"):
        P = model.predict_proba(X)
        assert P.shape == (len(X), len(model.classes_))
        assert P.min() >= 0, "a negative probability"
        small(P.sum(axis=1) - 1, 1.0, "probabilities add up to one")
        chosen = P[np.arange(len(X)), np.searchsorted(model.classes_, predicted)]
        small(np.maximum(P.max(axis=1) - chosen, 0), 1.0, "the most probable class is predicted")
    if hasattr(model, "decision_function"):
        assert np.isfinite(model.decision_function(X)).all(), "scores are finite"


def finite_predictions(model, X, y):
    assert model.predict(X).shape == y.shape
    assert np.isfinite(model.predict(X)).all(), "predictions are finite"


def whole_labels(model, X, y):
    assert model.labels_.shape == (len(X),)
    found = np.unique(model.labels_)
    assert found[0] >= -1, "labels are ranks of clusters"
    assert found[-1] < len(X), "labels are ranks of clusters"
    if hasattr(model, "cluster_centers_"):
        assert np.isfinite(model.cluster_centers_).all()
        assert found[-1] < len(model.cluster_centers_), "every label has a centre"


def finite_coordinates(model, X, y):
    Z = model.transform(X) if hasattr(model, "transform") else model.embedding_
    assert len(Z) == len(X)
    assert np.isfinite(np.asarray(Z, dtype=float)).all(), "coordinates are finite"


def finite_densities(model, X, y):
    assert np.isfinite(model.score_samples(X)).all(), "log-densities are finite where there are rows"


# regression


def gradient_of(model, X, residual):
    """Return X' r and the sizes that cancel in it; intercepts free.

    Weights that are kept in single precision are rounded one by one, so that what cancels in their sum counts, too.
    """
    single = np.asarray(model.coef_).dtype == np.float32
    fit = np.abs(X) @ np.abs(np.ravel(model.coef_)) if single else np.abs(model.predict(X))
    return X.T @ residual, np.abs(X).T @ (np.abs(residual) + fit)


def normal_equations(alpha):
    """The residual of penalised least squares: X'(y - Xw - b) = alpha w, and it adds up to zero."""

    def law(model, X, y):
        penalty = alpha(model) if callable(alpha) else alpha
        r = y - model.predict(X)
        slope, size = gradient_of(model, X, r)
        small(slope - penalty * model.coef_, size, "normal equations")
        small(r.sum(), np.abs(y).sum(), "residuals add up to zero")

    return law


def lasso_conditions(model, X, y):
    """Karush, Kuhn and Tucker: |x_j'r| / n - alpha (1 - ratio) w_j is alpha ratio sign(w_j), or below it where w_j = 0."""
    ratio = getattr(model, "l1_ratio", 1.0)
    r = y - model.predict(X)
    slope = X.T @ r / len(X) - model.alpha_ * (1 - ratio) * model.coef_
    bound, on = model.alpha_ * ratio, model.coef_ != 0
    scale = np.abs(X - X.mean(axis=0)).max() * np.abs(y - y.mean()).mean() + bound
    small(slope[on] - bound * np.sign(model.coef_[on]), 10 * scale, "the gradient is zero where the coefficient is not")
    small(np.maximum(np.abs(slope[~on]) - bound, 0), 10 * scale, "zeros stay zero")


def poisson_equations(model, X, y):
    """The gradient of the penalised likelihood: X'(y - mu) = n alpha w, and the residuals add up to zero."""
    r = y - model.predict(X)
    slope, size = gradient_of(model, X, r)
    small(slope - len(X) * model.alpha * model.coef_, size, "the gradient is zero")
    small(r.sum(), np.abs(y).sum(), "residuals add up to zero")


def dual_residuals(model, X, y):
    small(
        y - model.predict(X) - model.alpha * model.dual_coef_, np.abs(y) + 1, "residuals are the penalty times the dual"
    )


def convex_weights(model, X, y):
    assert model.weights_.min() >= 0, "weights are not negative"
    small(model.weights_.sum() - 1, 1.0, "weights add up to one")
    said = sum(w * member.predict(X) for w, member in zip(model.weights_, model.estimators_, strict=True))
    small(model.predict(X) - said, y, "the weighted mean of what the members say")


def reweighted_equations(model, X, y):
    r, w = y - model.predict(X), model.weights_
    small(X.T @ (w * r), 10 * (np.abs(X).T @ np.abs(w * y)), "weighted normal equations")


def balanced_residuals(model, X, y):
    small((y - model.predict(X)).sum(), np.abs(y).sum(), "residuals add up to zero")


def within_range(model, X, y):
    predicted, slack = model.predict(X), TOL * np.abs(y).max()
    assert predicted.min() >= y.min() - slack, "an average is not below all values"
    assert predicted.max() <= y.max() + slack, "an average is not above all values"


def reproduces(model, X, y):
    small(model.predict(X) - y, y, "a tree without limits reproduces rows that differ")


def whole_mean(model, X, y):
    small(model.predict(X) - y.mean(), y, "the mean")


# classification


def least_squares_scores(model, X, y):
    T = np.where(y[:, None] == model.classes_, 1.0, -1.0)
    r = T - model.decision_function(X)
    small(X.T @ r, np.abs(X).sum(axis=0) * (1 + np.abs(T - r).max()), "normal equations of the class targets")


def logistic_gradient(model, X, y):
    T = (y[:, None] == model.classes_).astype(float)
    residual = model.predict_proba(X) - T
    slope = residual.T @ X + model.coef_ / model.C
    small(slope, 10 * np.abs(X).sum(axis=0).max(), "the gradient is zero")


def class_means(name):
    def law(model, X, y):
        means = np.array([X[y == k].mean(axis=0) for k in model.classes_])
        small(getattr(model, name) - means, np.abs(X).max(), "means of the classes")

    return law


def within_whitened(name):
    """Axes of discrimination make the covariance within classes the identity."""

    def law(model, X, y):
        D = X - np.array([X[y == k].mean(axis=0) for k in model.classes_])[np.searchsorted(model.classes_, y)]
        A = D @ getattr(model, name)
        S = A.T @ A
        small(S - np.diag(np.diag(S)), np.diag(S), "axes are orthogonal within the classes")

    return law


def priors_add_up(name):
    def law(model, X, y):
        small(getattr(model, name).sum() - 1, 1.0, "priors add up to one")

    return law


# structure


def principal_axes(model, X, y):
    U, n = model.components_, len(X)
    small(U @ U.T - np.eye(len(U)), 1.0, "axes are orthonormal")
    C = model.transform(X)
    small(C.mean(axis=0), np.abs(X).max(), "scores are centred")
    small(C.T @ C / (n - 1) - np.diag(model.explained_variance_), model.explained_variance_, "scores are uncorrelated")
    falling(model.explained_variance_, "variance along the axes")
    small(model.inverse_transform(C) - X, np.abs(X).max(), "all axes give the rows back")


def orthonormal_rows(name):
    def law(model, X, y):
        U = np.asarray(getattr(model, name), dtype=float).reshape(len(getattr(model, name)), -1)
        small(U @ U.T - np.eye(len(U)), 1.0, "axes are orthonormal")

    return law


def standard_columns(model, X, y):
    Z = model.transform(X)
    small(Z.mean(axis=0), np.abs(X).max(), "columns have mean zero")
    small((Z**2).mean(axis=0) - 1, 1.0, "columns have variance one")
    small(type(model)().fit(Z).transform(Z) - Z, Z, "what is standard stays as it is")
    small(model.inverse_transform(Z) - X, X, "the rows come back")


def monomials(model, X, y):
    small(model.transform(X) - np.prod(X[:, None] ** model.powers_, axis=2), np.abs(X).max() ** 2, "products of powers")


def chosen_columns(model, X, y):
    small(model.transform(X) - X[:, model.support_], X, "the columns that were chosen")
    assert sorted(model.order_) == np.flatnonzero(model.support_).tolist(), "those that were added"


def kernel_of_landmarks(model, X, y):
    """Products of features with those of a landmark are the kernel."""
    Z = model.components_
    K = np.exp(-((X[:, None] - Z) ** 2).sum(axis=2) / X.shape[1])
    small(model.transform(X) @ model.transform(Z).T - K, 1.0, "features of landmarks give the kernel back")


def orthogonal_coordinates(model, X, y):
    Y = np.asarray(model.embedding_, dtype=float)
    G = Y.T @ Y
    small(G - np.diag(np.diag(G)), np.diag(G), "coordinates are uncorrelated")
    small(Y.mean(axis=0), np.abs(Y).max(), "coordinates are centred")


def unit_atoms(model, X, y):
    small((model.components_**2).sum(axis=1) - 1, 1.0, "atoms have length one")
    falling(model.trace_, "the criterion")


def climbs(model, X, y):
    rising(model.trace_, "the log-likelihood")


def mixture(model, X, y):
    small(model.weights_.sum() - 1, 1.0, "weights add up to one")
    small(model.predict_proba(X).sum(axis=1) - 1, 1.0, "responsibilities add up to one")
    climbs(model, X, y)


def moments_of_the_rows(model, X, y):
    small(model.mean_ - X.mean(axis=0), np.abs(X).max(), "mean")
    S = np.cov(X.T, ddof=0).reshape(X.shape[1], -1) + model.reg_covar * np.eye(X.shape[1])
    small(model.covariance_ - S, np.abs(S).max(), "covariance")


def centres_are_means(model, X, y):
    for k, centre in enumerate(model.cluster_centers_):
        small(centre - X[model.labels_ == k].mean(axis=0), np.abs(X).max(), "centres are means")
    D = ((X[:, None] - model.cluster_centers_) ** 2).sum(axis=2)
    small(D.min(axis=1).sum() - model.inertia_, model.inertia_ + TOL, "inertia is what is left")
    assert (model.predict(X) == model.labels_).all(), "rows belong where they are predicted"


def criterion_falls(model, X, y):
    falling(model.trace_, "the criterion")


def centres_are_rows(model, X, y):
    small(model.cluster_centers_ - X[model.medoid_indices_], X, "medoids are rows")


def merges_grow(model, X, y):
    rising(model.distances_, "heights of Ward's merges")
    assert len(np.unique(model.labels_)) == model.n_clusters_


def distributions_add_up(model, X, y):
    small(model.label_distributions_.sum(axis=1) - 1, 1.0, "distributions of labels add up to one")


KINDS = {
    "classifier": labels_and_probabilities,
    "regressor": finite_predictions,
    "predictor": finite_predictions,
    "clusterer": whole_labels,
    "transformer": finite_coordinates,
    "density": finite_densities,
}
OWN = {
    "BaselineRegressor": whole_mean,
    "PseudoInverse": least_squares_scores,
    "LeastSquaresClassifier": least_squares_scores,
    "LinearDiscriminantAnalysis": within_whitened("scalings_"),
    "FisherDiscriminant": within_whitened("scalings_"),
    "DiscriminantFactorAnalysis": within_whitened("axes_"),
    "QuadraticDiscriminantAnalysis": class_means("means_"),
    "GaussianNB": class_means("theta_"),
    "PoissonNB": priors_add_up("class_prior_"),
    "BayesClassifier": priors_add_up("class_prior_"),
    "LogisticRegression": logistic_gradient,
    "LinearRegression": normal_equations(0.0),
    "Ridge": normal_equations(1.0),
    "RidgeCV": normal_equations(lambda model: model.alpha_),
    "Tikhonov": normal_equations(1.0),
    "MapRegression": normal_equations(lambda model: model.sigma2_),
    "RobustRegression": reweighted_equations,
    "PolynomialRegression": balanced_residuals,
    "Lasso": lasso_conditions,
    "ElasticNet": lasso_conditions,
    "LassoCV": lasso_conditions,
    "SmoothingSpline": balanced_residuals,
    "AdditiveSplines": balanced_residuals,
    "KernelRegression": within_range,
    "KNeighborsRegressor": within_range,
    "DecisionTreeRegressor": reproduces,
    "KernelRidge": dual_residuals,
    "LandmarkRegressor": balanced_residuals,
    "RandomForestRegressor": within_range,
    "ExtraTreesRegressor": reproduces,
    "HistGradientBoostingRegressor": balanced_residuals,
    "PoissonRegressor": poisson_equations,
    "Combination": convex_weights,
    "SelectFeatures": chosen_columns,
    "Nystroem": kernel_of_landmarks,
    "StandardScaler": standard_columns,
    "PolynomialFeatures": monomials,
    "PCA": principal_axes,
    "Eigenfaces": orthonormal_rows("eigenfaces_"),
    "ClassicalMDS": orthogonal_coordinates,
    "Isomap": orthogonal_coordinates,
    "LocallyLinearEmbedding": orthogonal_coordinates,
    "SparseCoding": unit_atoms,
    "GaussianDensity": moments_of_the_rows,
    "GaussianMixture": mixture,
    "BernoulliMixture": mixture,
    "PoissonMixture": mixture,
    "SemiSupervisedGaussian": climbs,
    "LabelPropagation": distributions_add_up,
    "KMeans": centres_are_means,
    "KMedoids": centres_are_rows,
    "DynamicClouds": criterion_falls,
    "AgglomerativeClustering": merges_grow,
}
