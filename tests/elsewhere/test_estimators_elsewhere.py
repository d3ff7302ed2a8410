"""What is learned from rows that lie elsewhere is what is learned from the same rows here, and is answered in kind."""

import numpy as np
import pytest
from sklearn.base import is_regressor

import epee
from epee.arrays import at_home, library_of
from epee.errors import EngineWarning
from epee.predictors.neighbours import screening as neighbours
from epee.risk import complexity_curve, cross_validate
from epee.solve import ridge_path_elsewhere as paths
from epee.structure import kmeans_blocks
from epee.table.block import Block
from tests.elsewhere.libraries import close

CLOSED = [
    "LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis", "GaussianNB", "LeastSquaresClassifier", "Hebb",
    "PseudoInverse", "LinearRegression", "Ridge", "Lasso", "ElasticNet",
]  # fmt: skip


@pytest.fixture
def rows():
    """A thousand rows of three classes, and a target."""
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 3, 1000)
    X = rng.normal(size=(1000, 5)) @ rng.normal(size=(5, 5)) + 3.0
    X[codes == 1] += 2.0
    X[codes == 2, 0] -= 2.0
    return X, codes, X @ np.arange(5.0) + rng.normal(size=1000), rng.integers(1, 4, 1000).astype(float)


def found(model):
    names = (
        "coef_",
        "intercept_",
        "means_",
        "theta_",
        "var_",
        "cluster_centers_",
        "components_",
        "weights_",
        "covariances_",
    )
    return [np.asarray(getattr(model, name), dtype=float) for name in names if hasattr(model, name)]


def learned_alike(make, rows, send, y, weighted=False, tolerance=1e-10):
    X, w = rows[0], rows[3]
    more = {"sample_weight": w} if weighted else {}
    there = {"sample_weight": send(w)} if weighted else {}
    here = make().fit(X, y, **more)
    far = make().fit(send(X), send(y), **there)
    assert found(here), "nothing is compared"
    assert all(close(a, b, tolerance) for a, b in zip(found(far), found(here), strict=True))
    return here, far


@pytest.mark.parametrize("name", CLOSED)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.filterwarnings("ignore::epee.errors.EngineWarning")
def test_closed_forms(rows, send, name, weighted):
    kind = getattr(epee, name)
    y = rows[2] if is_regressor(kind()) else rows[1]
    here, far = learned_alike(kind, rows, send, y, weighted)
    X = send(rows[0])
    assert library_of(far.predict(X)) == library_of(X)
    assert close(far.predict(X), here.predict(rows[0]))
    assert np.isclose(far.score(X, send(y)), here.score(rows[0], y))


def test_labels_of_words_come_as_numpy(rows, send):
    words = np.array(["u", "v", "w"])[rows[1]]
    far = epee.LinearDiscriminantAnalysis().fit(send(rows[0]), words)
    assert far.classes_.tolist() == ["u", "v", "w"]
    assert isinstance(far.predict(send(rows[0])), np.ndarray)
    assert close(far.predict_proba(send(rows[0])), far.predict_proba(rows[0]))
    assert close(far.predict_log_proba(send(rows[0])), far.predict_log_proba(rows[0]))
    assert close(far.decision_function(send(rows[0])), far.decision_function(rows[0]))


def test_more_rows_are_added_and_taken_out_again(rows, send):
    X, codes, *_ = rows
    whole = epee.LinearDiscriminantAnalysis().fit(X, codes)
    far = epee.LinearDiscriminantAnalysis().fit(send(X[:600]), send(codes[:600]))
    far.partial_fit(send(X[600:]), send(codes[600:]))
    assert close(far.coef_, whole.coef_)
    far.forget(send(X[600:]), send(codes[600:]))
    assert close(far.coef_, epee.LinearDiscriminantAnalysis().fit(X[:600], codes[:600]).coef_, 1e-9)


def test_rows_of_32_bits(rows, send):
    X, _, t, _ = rows
    far = epee.Ridge().fit(send(X.astype(np.float32)), send(t))
    assert close(far.coef_, epee.Ridge().fit(X, t).coef_, 1e-4)
    assert str(far.predict(send(X.astype(np.float32))).dtype).endswith("float32")


@pytest.mark.parametrize("solver", ["lbfgs", "newton"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("balance", [None, "balanced"])
def test_logistic_regression(rows, send, solver, classes, balance):
    y = rows[1] if classes == 3 else (rows[1] > 0).astype(int)

    def make():
        return epee.LogisticRegression(solver=solver, tol=1e-10, class_weight=balance)

    here, far = learned_alike(make, rows, send, y, weighted=balance is None, tolerance=1e-7)
    X = send(rows[0])
    assert close(far.predict_proba(X), here.predict_proba(rows[0]), 1e-7)
    assert library_of(far.predict(X)) == library_of(X)


@pytest.mark.parametrize("weighted", [False, True])
def test_k_means(rows, send, weighted):
    def make():
        return epee.KMeans(4, init=rows[0][:4], tol=0.0, max_iter=50)

    here, far = learned_alike(make, rows, send, rows[1], weighted)
    assert np.array_equal(far.labels_, here.labels_)
    assert np.isclose(far.inertia_, here.inertia_)
    assert np.array_equal(at_home(far.predict(send(rows[0]))), here.labels_)


def test_k_means_finds_a_start_and_feeds_empty_clusters(rows, send):
    X = rows[0]
    assert epee.KMeans(3, random_state=0).fit(send(X)).inertia_ < 1.2 * epee.KMeans(3, random_state=0).fit(X).inertia_
    start = np.vstack([X[:3], np.full((1, 5), 1e3)])  # nobody is near the last
    far = epee.KMeans(4, init=start).fit(send(X))
    assert np.bincount(far.labels_, minlength=4).min() > 0


@pytest.mark.parametrize("form", ["full", "tied", "diag", "spherical"])
@pytest.mark.parametrize("noise", [False, True])
@pytest.mark.filterwarnings("ignore::epee.errors.SearchWarning")
def test_mixtures(rows, send, form, noise):
    def make():
        return epee.GaussianMixture(3, covariance_type=form, noise=noise, random_state=0, max_iter=30)

    here, far = learned_alike(make, rows, send, rows[1], tolerance=1e-9)
    assert far.n_iter_ == here.n_iter_
    assert library_of(far.predict(send(rows[0]))) == library_of(send(rows[0]))


def test_a_mixture_with_holes_is_found_here(rows, send):
    X = rows[0].copy()
    X[::7, 1] = np.nan
    with pytest.warns(EngineWarning, match="missing cells have no road"):
        far = epee.GaussianMixture(2, random_state=0).fit(send(X))
    assert close(far.means_, epee.GaussianMixture(2, random_state=0).fit(X).means_)


@pytest.mark.parametrize("weighted", [False, True])
def test_principal_components(rows, send, weighted):
    _, far = learned_alike(lambda: epee.PCA(3), rows, send, rows[1], weighted)
    here = epee.PCA(3, whiten=True).fit(rows[0])
    far = epee.PCA(3, whiten=True).fit(send(rows[0]))
    assert close(far.transform(send(rows[0])), here.transform(rows[0]))
    assert library_of(far.transform(send(rows[0]))) == library_of(send(rows[0]))
    scores = far.transform(send(rows[0]))
    assert library_of(far.inverse_transform(scores)) == library_of(scores)
    assert close(far.inverse_transform(scores), here.inverse_transform(here.transform(rows[0])))

    def few():
        return epee.PCA(2, svd_solver="randomized", random_state=0)

    learned_alike(few, rows, send, rows[1], weighted, tolerance=1e-8)


def test_other_roads_of_pca_are_taken_here(rows, send):
    with pytest.warns(EngineWarning, match="svd_solver='full'"):
        far = epee.PCA(2, svd_solver="full").fit(send(rows[0]))
    assert close(far.components_, epee.PCA(2, svd_solver="full").fit(rows[0]).components_)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("intercept", [True, False])
def test_penalties_are_judged_by_rows_left_out_there(rows, send, weighted, intercept):
    def make():
        return epee.RidgeCV(np.logspace(-2, 3, 7), fit_intercept=intercept, store_cv_results=True)

    here, far = learned_alike(make, rows, send, rows[2], weighted)
    assert far.alpha_ == here.alpha_
    assert close(far.cv_results_, here.cv_results_)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("steps", [None, 18, 3])
def test_the_ridge_path_of_all_folds(rows, send, monkeypatch, intercept, steps):
    monkeypatch.setattr(paths, "LARGE", 10_000 if steps is None else 2)
    monkeypatch.setattr(paths, "STEPS", steps or 1)  # after three steps some penalties are not done, and are factored
    monkeypatch.setattr(paths, "FACTORED", 10 * 5 * 5 * 7)
    alphas = np.logspace(-9, 5, 50)
    X, _, t, _ = rows
    here = epee.RidgeCV(alphas, criterion="kfold", fit_intercept=intercept).fit(X, t)
    far = epee.RidgeCV(alphas, criterion="kfold", fit_intercept=intercept).fit(send(X), send(t))
    assert far.alpha_ == here.alpha_
    assert close(far.criterion_values_, here.criterion_values_)
    assert close(far.coef_, here.coef_)


@pytest.mark.filterwarnings("ignore::epee.errors.EngineWarning")
def test_a_singular_path_is_solved_here(rows, send):
    X, _, t, _ = rows
    X = np.column_stack([X, X[:, 0]])
    with pytest.warns(epee.errors.DataWarning, match="exact copy"):
        here = epee.RidgeCV([0.0, 1.0], criterion="kfold").fit(X, t)
    with pytest.warns(epee.errors.DataWarning, match="exact copy"):
        far = epee.RidgeCV([0.0, 1.0], criterion="kfold").fit(send(X), send(t))
    assert close(far.criterion_values_, here.criterion_values_, 1e-6)


@pytest.mark.parametrize("name", ["LinearDiscriminantAnalysis", "LeastSquaresClassifier", "Ridge", "LinearRegression"])
def test_cross_validation_in_one_pass(rows, send, name):
    X, codes, t, _ = rows
    model = getattr(epee, name)()
    y = t if is_regressor(model) else codes
    here, far = cross_validate(model, X, y), cross_validate(model, send(X), send(y))
    assert far.one_pass
    assert close(far.per_fold, here.per_fold)
    assert np.isclose(far.stderr, here.stderr)
    assert list(far.interval) == pytest.approx(list(here.interval))


@pytest.mark.parametrize("how", [{"repeats": 2}, {"weighted": True}, {"folds": np.arange(1000) % 4}, {"loss": "log"}])
@pytest.mark.parametrize("options", [{}, {"priors": [0.2, 0.3, 0.5]}, {"solver": "lsqr", "shrinkage": 0.2}])
@pytest.mark.filterwarnings("ignore::epee.errors.EngineWarning")
def test_errors_of_all_folds_are_counted_there(rows, send, how, options):
    X, codes, _, w = rows
    how = dict(how)
    more = {"sample_weight": w} if how.pop("weighted", False) else {}
    model = epee.LinearDiscriminantAnalysis(**options)
    here = cross_validate(model, X, codes, **how, **more)
    far = cross_validate(model, send(X), send(codes), **how, **{k: send(v) for k, v in more.items()})
    assert close(far.per_fold, here.per_fold)
    assert close(far.sizes, here.sizes)


def test_folds_without_a_class_are_solved_one_by_one(rows, send):
    X, codes, *_ = rows
    codes = np.where(np.arange(len(codes)) % 250 == 5, 3, codes)  # four rows only: six folds do not test the class
    with pytest.warns(epee.errors.DataWarning, match="fewer than the 10 folds"):
        here = cross_validate(epee.LinearDiscriminantAnalysis(), X, codes)
    with pytest.warns(epee.errors.DataWarning, match="fewer than the 10 folds"):
        far = cross_validate(epee.LinearDiscriminantAnalysis(), send(X), send(codes))
    assert close(far.per_fold, here.per_fold)


def test_a_complexity_curve(rows, send):
    X, _, t, _ = rows
    values = [0.1, 10.0, 1000.0]
    here, far = (complexity_curve(epee.Ridge(), *data, "alpha", values) for data in ((X, t), (send(X), send(t))))
    assert close(far.cv, here.cv)


@pytest.mark.filterwarnings("ignore::epee.errors.EngineWarning")
def test_models_without_a_road_are_scored_here(rows, send):
    X, codes, *_ = rows
    here = cross_validate(epee.QuadraticDiscriminantAnalysis(), X, codes)
    assert close(cross_validate(epee.QuadraticDiscriminantAnalysis(), send(X), send(codes)).per_fold, here.per_fold)


@pytest.mark.parametrize("name", ["KNeighborsClassifier", "KNeighborsRegressor"])
def test_neighbours_are_exact(rows, send, monkeypatch, name):
    X, codes, t, _ = rows
    monkeypatch.setattr(neighbours, "CELLS", 3 * 1024 * 64)  # queries in several blocks
    kind, y = getattr(epee, name), codes if name.endswith("Classifier") else t
    Q = np.vstack([X[:50] + 0.01, X[7] + np.zeros((1, 5))])
    here, far = kind(7).fit(X, y), kind(7).fit(send(X), send(y))
    for a, b in zip(far.kneighbors(send(Q)), here.kneighbors(Q), strict=True):
        assert close(a, b, 1e-12)
    assert close(far.predict(send(Q)), here.predict(Q))
    assert library_of(far.predict(send(Q))) == library_of(send(Q))


def test_equal_neighbours_are_listed_by_row_number(send):
    X = np.repeat(np.arange(20.0)[:, None], 10, axis=0)  # ten of each: more than the candidates can tell apart
    far, here = (epee.KNeighborsRegressor(4).fit(data, np.arange(200.0)) for data in (send(X), X))
    assert np.array_equal(at_home(far.kneighbors(send(X[:30]))[1]), here.kneighbors(X[:30])[1])


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "sigmoid"])
def test_features_of_a_kernel_are_made_there(rows, send, kernel):
    X = rows[0]
    here, far = (epee.Nystroem(kernel, n_components=4, random_state=0).fit(data) for data in (X, send(X)))
    assert close(far.components_, here.components_)
    made = far.transform(send(X.astype(np.float32)))
    assert library_of(made) == library_of(send(X))
    assert str(made.dtype).endswith("float32")
    assert close(far.transform(send(X)), here.transform(X))


def test_kernels_without_a_road_are_computed_here(rows, send):
    X = rows[0]
    far = epee.Nystroem("laplacian", n_components=9, random_state=0).fit(send(X))
    assert close(far.transform(send(X)), far.transform(X))


@pytest.mark.parametrize("weighted", [False, True])
def test_landmark_machines_learn_there(rows, send, weighted):
    X, codes, t, w = rows
    more, there = ({"sample_weight": w}, {"sample_weight": send(w)}) if weighted else ({}, {})
    options = {"n_components": 30, "alpha": 0.1}
    here = epee.LandmarkRegressor(**options).fit(X, t, **more)
    far = epee.LandmarkRegressor(**options).fit(send(X), send(t), **there)
    assert np.isclose(far.gamma_, here.gamma_)
    assert close(far.cv_errors_, here.cv_errors_, 1e-8)
    assert close(far.predict(send(X)), here.predict(X), 1e-8)
    assert library_of(far.predict(send(X))) == library_of(send(X))
    classes = epee.LandmarkClassifier(**options).fit(send(X), send(codes), **there)
    known = epee.LandmarkClassifier(**options).fit(X, codes, **more)
    assert close(classes.decision_function(send(X)), known.decision_function(X), 1e-8)
    assert np.array_equal(at_home(classes.predict(send(X))), known.predict(X))


def test_a_method_without_a_road_learns_here_and_says_so(rows, send):
    X, codes, *_ = rows
    with pytest.warns(EngineWarning, match="DecisionTreeClassifier has no road on the device"):
        far = epee.DecisionTreeClassifier(max_depth=3).fit(send(X), send(codes))
    here = epee.DecisionTreeClassifier(max_depth=3).fit(X, codes)
    assert np.array_equal(at_home(far.predict(send(X))), here.predict(X))
    assert library_of(far.predict(send(X))) == library_of(send(X))


def test_what_was_learned_elsewhere_is_saved_as_ever(rows, send):
    far = epee.LinearDiscriminantAnalysis().fit(send(rows[0]), send(rows[1]))
    assert all(library_of(value) != library_of(send(rows[0])) for value in vars(far).values())
    assert far.moments_.is_here


def on_card(a):
    torch = pytest.importorskip("torch")
    pytest.importorskip("triton")
    if not torch.cuda.is_available():
        pytest.skip("this machine has no graphics card that PyTorch can use")
    return torch.tensor(a, device="cuda")


@pytest.mark.gpu
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("k", "p", "dtype"), [(4, 3, np.float64), (50, 20, np.float64), (17, 100, np.float32), (200, 5, np.float64)]
)
def test_a_kernel_passes_over_rows_on_a_card(monkeypatch, weighted, k, p, dtype):
    rng = np.random.default_rng(k)
    X = (rng.normal(size=(4001, p)) + 100.0).astype(dtype)
    w = rng.integers(0, 3, 4001).astype(float) if weighted else None
    there, weight = on_card(X), None if w is None else on_card(w)
    origin = X[:256].mean(axis=0).astype(np.float64)
    centres = X[:k].astype(np.float64) - origin
    exact = Block(there.double(), weight=weight)
    plain, labels = (
        kmeans_blocks.clouds_of(exact, centres, origin, False),
        kmeans_blocks.labels_of(exact, centres + origin),
    )
    monkeypatch.setattr(kmeans_blocks, "WORTH", 0)
    block = Block(there, weight=weight)
    fused, again = (kmeans_blocks.clouds_of(block, centres, origin, False) for _ in range(2))
    for name in ("count", "sums", "squares"):
        assert close(getattr(fused, name), getattr(plain, name), 1e-12)
    for a, b in zip(kmeans_blocks.labels_of(block, centres + origin), labels, strict=True):
        assert close(a, at_home(b), 1e-9)
    assert np.array_equal(fused.sums, again.sums)
