"""Logistic regression: against scikit-learn, statsmodels and brute force."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression as Theirs

from epee import LinearDiscriminantAnalysis, LogisticRegression
from epee.errors import DataWarning, MissingValues, SearchWarning, WrongUse
from epee.optimize.linear_descent import Metric
from epee.optimize.linear_risk import LinearRisk, thin
from epee.predictors.linear import logistic_side
from epee.table.arrays import ArraySource


def draw(n=400, p=4, K=2, seed=0, strength=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    scores = strength * X @ rng.normal(size=(p, K)) / np.sqrt(p) + rng.gumbel(size=(n, K))
    return X, scores.argmax(axis=1)


def theirs(X, y, w=None, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return Theirs(tol=1e-10, max_iter=10_000, **options).fit(X, y, w)


@pytest.mark.parametrize("K", [2, 4])
@pytest.mark.parametrize("C", [0.01, 1.0, np.inf])
@pytest.mark.parametrize("solver", ["lbfgs", "newton", "newton-cholesky"])
def test_agrees_with_scikit_learn(K, C, solver):
    X, y = draw(K=K)
    w = np.random.default_rng(1).integers(0, 4, len(X)).astype(float)
    ours = LogisticRegression(C=C, solver=solver).fit(X, y, w)
    other = theirs(X, y, w, C=C)
    assert_allclose(ours.coef_, other.coef_, atol=1e-6)
    assert_allclose(ours.intercept_, other.intercept_, atol=1e-6)
    assert_allclose(ours.predict_proba(X), other.predict_proba(X), atol=1e-6)
    assert ours.coef_.shape == other.coef_.shape


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("ratio", [0.4, 1.0])
def test_sparse_penalties_agree_with_saga(K, ratio):
    X, y = draw(n=300, p=8, K=K, seed=3)
    ours = LogisticRegression(C=0.05, l1_ratio=ratio, solver="saga").fit(X, y)
    other = theirs(X, y, C=0.05, l1_ratio=ratio, solver="saga")
    assert_allclose(ours.coef_, other.coef_, atol=1e-6)
    assert ((ours.coef_ == 0) == (np.abs(other.coef_) < 1e-7)).all()
    assert_allclose(ours.predict_proba(X), other.predict_proba(X), atol=1e-6)


def test_liblinear_penalises_its_bias():
    X, y = draw(seed=2)
    X = X + 1.0
    for options in ({"l1_ratio": 0.0}, {"l1_ratio": 1.0}, {"intercept_scaling": 3.0}):
        ours = LogisticRegression(C=0.1, solver="liblinear", **options)
        other = Theirs(C=0.1, solver="liblinear", tol=1e-10, max_iter=10_000, **options)
        assert_allclose(ours.fit(X, y).coef_, other.fit(X, y).coef_, atol=1e-5)
        assert_allclose(ours.intercept_, other.intercept_, atol=1e-5)


def test_class_weights_no_bias_and_older_words():
    X, y = draw(K=3, seed=4)
    for options in ({"class_weight": "balanced"}, {"class_weight": {0: 3.0, 2: 0.5}}, {"fit_intercept": False}):
        assert_allclose(LogisticRegression(**options).fit(X, y).coef_, theirs(X, y, **options).coef_, atol=1e-6)
    assert_allclose(LogisticRegression(penalty=None).fit(X, y).coef_, theirs(X, y, C=np.inf).coef_, atol=1e-6)
    assert_allclose(
        LogisticRegression("l1", C=0.1).fit(X, y).coef_,
        LogisticRegression(l1_ratio=1.0, C=0.1).fit(X, y).coef_,
        atol=1e-10,
    )


def test_optimality_without_penalty():
    X, y = draw(n=500, p=3)
    model = LogisticRegression(C=np.inf).fit(X, y)
    P = model.predict_proba(X)[:, 1]
    assert_allclose(X.T @ (P - y), 0, atol=1e-5)
    assert P.mean() == pytest.approx(y.mean(), abs=1e-8)


@pytest.mark.parametrize(
    ("solver", "step"), [("gradient", "line_search"), ("gradient", "constant"), ("gradient", "inverse")]
)
def test_gradient_descent_reaches_the_same_minimum(solver, step):
    X, y = draw()
    eta = 20.0 if step == "inverse" else 2.0
    model = LogisticRegression(solver=solver, step=step, eta=eta, max_iter=2000, tol=1e-5).fit(X, y)
    assert_allclose(model.coef_, theirs(X, y).coef_, atol=2e-3)
    assert len(model.trace_) == model.n_iter_[0] + 1


def test_stochastic_descent_comes_near():
    for K in (2, 3):
        X, y = draw(n=1500, K=K, seed=K)
        model = LogisticRegression(solver="sgd", random_state=0, max_iter=60, C=0.1).fit(X, y)
        again = LogisticRegression(solver="sgd", random_state=0, max_iter=60, C=0.1).fit(X, y)
        assert_allclose(model.coef_, again.coef_, rtol=0)
        assert_allclose(model.predict_proba(X), theirs(X, y, C=0.1).predict_proba(X), atol=0.12)


def test_a_diverging_step_is_said_and_the_best_kept():
    X, y = draw()
    with pytest.warns(SearchWarning, match="diverged"):
        model = LogisticRegression(solver="gradient", step="constant", eta=500.0, C=1e-3, max_iter=300).fit(X * 3, y)
    assert np.isfinite(model.coef_).all()


def test_the_start_from_a_sample_does_not_change_the_answer():
    for K in (2, 3):
        X, y = draw(n=24_000, p=5, K=K, seed=7)
        order = np.argsort(X[:, 0])  # sorted rows, the worst case for a sample
        ours = LogisticRegression(tol=1e-8).fit(X[order], y[order])
        assert_allclose(ours.coef_, theirs(X, y).coef_, atol=1e-6)
        sparse = LogisticRegression(tol=1e-8, l1_ratio=1.0, C=1e-3).fit(X[order], y[order])
        plain = LogisticRegression(tol=1e-10, l1_ratio=1.0, C=1e-3).fit(X, y)
        assert_allclose(sparse.coef_, plain.coef_, atol=1e-6)


def test_a_rare_class_is_not_forgotten_by_the_sample():
    X, _ = draw(n=24_000, p=2, seed=15)
    y = np.arange(24_000) % 2
    y[[5000, 11_000]] = 2
    for ratio in (0.0, 1.0):
        model = LogisticRegression(tol=1e-8, l1_ratio=ratio).fit(X, y)
        assert_allclose(model.predict_proba(X).mean(axis=0), np.bincount(y) / 24_000, atol=1e-6)


def test_streams_give_the_same_as_arrays():
    class Stream:
        """A source that is read in uneven blocks and knows not how long it is."""

        names, n_rows = None, None

        def __init__(self, X, y):
            self.inner, self.n_columns = ArraySource(X, y), X.shape[1]

        @property
        def origin(self):
            return self.inner.origin

        def blocks(self, rows=None):
            return self.inner.blocks(777)

    X, y = draw(n=9000, p=3, seed=8)
    labels = np.array(["no", "yes"])[y]
    streamed = LogisticRegression(tol=1e-9).fit(Stream(X, labels), None)
    assert_allclose(streamed.coef_, LogisticRegression(tol=1e-9).fit(X, labels).coef_, atol=1e-7)
    assert streamed.classes_.tolist() == ["no", "yes"]


def test_thinning_does_not_depend_on_blocks():
    source = ArraySource(np.arange(5000.0)[:, None], y=np.arange(5000))

    class Wrapped:
        names, n_rows, n_columns = None, None, 1
        origin = np.zeros(1)

        def __init__(self, step):
            self.step = step

        def blocks(self, rows=None):
            return source.blocks(self.step)

    assert_allclose(thin(Wrapped(97), 300).X, thin(Wrapped(1000), 300).X)
    assert 150 <= thin(source, 300).n_rows <= 300


def test_large_means_cost_no_digits():
    X, y = draw(n=300, p=3)
    far = LogisticRegression(C=np.inf).fit(X + np.array([1e6, -3e5, 0.0]), y)
    near = LogisticRegression(C=np.inf).fit(X, y)
    assert_allclose(far.coef_, near.coef_, atol=1e-5)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("offset", [1e5, 1e7, 1e9])
def test_rows_far_from_the_origin_take_no_more_steps(offset, classes):
    """A date in seconds is a column about 1e9."""
    X, y = draw(n=300, p=3)
    y = y + (X[:, 0] > 1) if classes == 3 else y
    for C in (1.0, np.inf):
        near, far = (
            LogisticRegression(C=C).fit(X, y),
            LogisticRegression(C=C).fit(X + offset * np.array([1.0, -0.3, 0]), y),
        )
        assert_allclose(far.coef_, near.coef_, rtol=1e-6 * max(1, offset / 1e7), atol=1e-6)
        assert_allclose(far.predict_proba(X + offset * np.array([1.0, -0.3, 0])), near.predict_proba(X), atol=1e-5)
        assert far.n_iter_.max() <= 2 * near.n_iter_.max()
    again = LogisticRegression(warm_start=True).fit(X + offset, y)
    assert again.fit(X + offset, y).n_iter_.max() <= 2


def test_copies_of_a_column_share_its_weight():
    X, y = draw(n=200, p=2)
    twin = LogisticRegression().fit(X[:, [0, 0, 1]], y)
    assert twin.coef_[0, 0] == pytest.approx(twin.coef_[0, 1], abs=1e-7)
    assert np.isfinite(LogisticRegression(C=np.inf).fit(X[:, [0, 0, 1]], y).coef_).all()


def test_more_columns_than_rows():
    X, y = draw(n=40, p=120, seed=5)
    assert_allclose(LogisticRegression(tol=1e-9).fit(X, y).coef_, theirs(X, y).coef_, atol=1e-5)
    many = np.random.default_rng(0).normal(size=(60, 3200))
    labels = (many[:, 0] > 0).astype(int)
    assert_allclose(LogisticRegression(tol=1e-7).fit(many, labels).coef_, theirs(many, labels).coef_, atol=1e-4)
    assert (LogisticRegression(l1_ratio=1.0, C=0.2).fit(many, labels).coef_ != 0).sum() < 40


def test_summary_agrees_with_statsmodels():
    import statsmodels.api as sm

    X, y = draw(n=250, p=3)
    reference = sm.Logit(y, sm.add_constant(X, prepend=False)).fit(disp=0, tol=1e-12)
    table = LogisticRegression(C=np.inf).fit(X, y).summary()
    assert_allclose(table.coef, reference.params, atol=1e-6)
    assert_allclose(table.stderr, reference.bse, rtol=1e-6)
    assert_allclose(table.z, reference.tvalues, rtol=1e-5)
    assert_allclose(table.p_value, reference.pvalues, atol=1e-8)
    assert_allclose(np.column_stack([table.low, table.high]), reference.conf_int(), atol=1e-5)
    assert table.aic == pytest.approx(reference.aic)
    assert table.bic == pytest.approx(reference.bic)
    assert table.null_deviance == pytest.approx(-2 * reference.llnull)
    assert "intercept" in str(table)
    X, y = draw(n=400, p=2, K=3)
    reference = sm.MNLogit(y, sm.add_constant(X, prepend=False)).fit(disp=0, method="newton", maxiter=100)
    table = LogisticRegression(C=np.inf).fit(X, y).summary()
    assert_allclose(table.coef, np.asarray(reference.params).T.reshape(-1), atol=1e-5)
    assert_allclose(table.stderr, np.asarray(reference.bse).T.reshape(-1), rtol=1e-4)
    with pytest.raises(WrongUse, match="without penalty"):
        LogisticRegression().fit(X, y).summary()


def test_separation_is_said():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(30, 2)) - 4, rng.normal(size=(30, 2)) + 4])
    y = np.repeat([0, 1], 30)
    with pytest.warns(DataWarning, match="a plane separates the classes"):
        model = LogisticRegression(C=np.inf).fit(X, y)
    assert model.separated_
    assert np.isfinite(model.coef_).all()
    assert not LogisticRegression().fit(X, y).separated_
    flag = (np.arange(200) % 4 == 0).astype(float)
    y = np.where(flag > 0, 1, rng.integers(0, 2, 200))
    with pytest.warns(DataWarning, match="but for rows that lie on it"):
        assert LogisticRegression(C=np.inf).fit(np.column_stack([rng.normal(size=200), flag]), y).separated_
    overlap = LogisticRegression(C=np.inf).fit(*draw(n=100))
    assert not overlap.separated_


@pytest.mark.parametrize("K", [2, 3])
def test_one_step_leave_one_out(K):
    """The gap to brute force is a hundredth of what leaving a row out changes."""
    X, y = draw(n=120, p=3, K=K, seed=6)
    model = LogisticRegression(tol=1e-10).fit(X, y)
    quick = model.loo_proba(X, y)[:, -1]
    rows = range(0, 120, 4)
    brute = np.array(
        [
            LogisticRegression(tol=1e-10).fit(np.delete(X, i, 0), np.delete(y, i)).predict_proba(X[[i]])[0, -1]
            for i in rows
        ]
    )
    # C weighs the data against a fixed penalty, so a row less is not a smaller C here
    change = np.abs(brute - model.predict_proba(X)[:, -1][rows]).max()
    assert np.abs(brute - quick[rows]).max() < 0.05 * change
    with pytest.raises(WrongUse, match="smooth penalty"):
        LogisticRegression(l1_ratio=1.0).fit(X, y).loo_scores(X, y)


def test_risk_asks_for_the_one_step():
    from epee.risk import loo

    assert loo(LogisticRegression(), *draw(n=40, p=2)).how == "leave-one-out, one Newton step a row"
    for K in (2, 3):
        X, y = draw(n=80, p=2, K=K, seed=14)
        quick = loo(LogisticRegression(tol=1e-10), X, y, "log")
        brute = [
            -np.log(
                LogisticRegression(tol=1e-10).fit(np.delete(X, i, 0), np.delete(y, i)).predict_proba(X[[i]])[0, y[i]]
            )
            for i in range(80)
        ]
        assert quick.value == pytest.approx(np.mean(brute), rel=5e-3)


def test_leave_one_out_of_weighted_rows():
    X, y = draw(n=60, p=2, seed=9)
    w = np.random.default_rng(0).integers(1, 4, 60)
    weighted = LogisticRegression(tol=1e-10).fit(X, y, w).loo_scores(X, y, w)
    twice = np.repeat(np.arange(60), w)
    repeated = LogisticRegression(tol=1e-10).fit(X[twice], y[twice]).loo_scores(X[twice], y[twice])
    assert_allclose(weighted[twice], repeated, atol=1e-8)


@pytest.mark.parametrize("K", [2, 3])
def test_a_row_that_is_less_than_one_leaves_whole(K):
    X, y = draw(n=90, p=2, K=K, seed=9)
    w = np.random.default_rng(0).uniform(0.1, 0.9, 90)
    model = LogisticRegression(tol=1e-10)
    quick = model.fit(X, y, w).loo_proba(X, y, w)[:, -1]
    whole = model.predict_proba(X)[:, -1]
    brute = np.array([
        clone(model).fit(np.delete(X, i, 0), np.delete(y, i), np.delete(w, i)).predict_proba(X[[i]])[0, -1] for i in range(90)
    ])  # fmt: skip
    assert np.abs(brute - quick).max() < 0.1 * np.abs(brute - whole).max()


def test_path_of_penalties():
    X, y = draw(n=9000, p=4, seed=10)
    model = LogisticRegression(tol=1e-6)
    path = model.path(X, y, Cs=12)
    assert path.largest_slope.max() <= 1e-6
    for j in (0, 5, 11):
        one = LogisticRegression(tol=1e-9, C=path.Cs[j]).fit(X, y)
        assert_allclose(path.coef[j], one.coef_, atol=1e-4)
        assert (path.model(j).predict(X) == one.predict(X)).mean() > 0.999
    norms = np.linalg.norm(path.coef[:, 0], axis=1)
    assert (np.diff(norms) >= -1e-9).all()  # the norm grows as the penalty falls
    shuffled = model.path(X, y, Cs=path.Cs[::-1])
    assert_allclose(shuffled.coef[::-1], path.coef, atol=1e-4)


def test_paths_with_zeros_and_with_classes():
    X, y = draw(n=500, p=5, K=3, seed=11)
    path = LogisticRegression(l1_ratio=1.0, tol=1e-7).path(X, y, Cs=[1e-3, 0.02, 1.0])
    assert (path.coef[0] == 0).all()
    assert_allclose(path.coef[1], LogisticRegression(l1_ratio=1.0, C=0.02, tol=1e-9).fit(X, y).coef_, atol=1e-5)
    assert len(LogisticRegression().path(X, y, Cs=3).models()) == 3


def test_warm_start_and_unfinished_search():
    X, y = draw(seed=12)
    model = LogisticRegression(warm_start=True, C=np.inf, tol=1e-6).fit(X, y)
    assert model.fit(X, y).n_iter_[0] == 0
    with pytest.warns(SearchWarning, match="failed to converge: max_iter = 1"):
        LogisticRegression(max_iter=1, C=np.inf).fit(X * [1, 100, 1, 1], y)


def test_posterior_of_lda_is_a_logistic():
    """The course's identity: with Gaussian classes of one covariance the posterior is a sigmoid of a linear score."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 4000)
    X = rng.normal(size=(4000, 2)) @ [[1.0, 0.4], [0.0, 0.8]] + y[:, None] * [1.0, -0.5]
    lda = LinearDiscriminantAnalysis().fit(X, y)
    score = X @ lda.coef_[0] + lda.intercept_[0]
    assert_allclose(lda.predict_proba(X)[:, 1], 1 / (1 + np.exp(-score)), atol=1e-12)
    logistic = LogisticRegression(C=np.inf).fit(X, y)
    assert_allclose(logistic.predict_proba(X), lda.predict_proba(X), atol=0.05)


def test_risk_hessian_is_the_derivative_of_its_gradient():
    from epee.losses import CrossEntropy, SquaredHinge

    X, y = draw(n=50, p=2, K=3)
    for loss in (CrossEntropy(), SquaredHinge()):
        risk = LinearRisk(ArraySource(X, group=y), loss, 3, True, np.array([0.1, 0.1, 0.0]), np.zeros(3))
        W = np.random.default_rng(0).normal(size=(3, 3))
        H = risk.hessian(W)
        for k in range(9):
            e = np.zeros(9)
            e[k] = 1e-6
            step = e.reshape(3, 3).T
            slope = (risk.at(W + step)[1] - risk.at(W - step)[1]) / 2e-6
            assert_allclose(H[k], slope.T.reshape(-1), atol=1e-6)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"C": 0.0}, "C is 0.0"), ({"C": -1}, "larger than 0"), ({"l1_ratio": 2}, "at most 1"), ({"solver": "magic"}, "'newton'"),
        ({"eta": 0}, "eta is 0"), ({"step": "long"}, "line_search"), ({"penalty": "l3"}, "elasticnet"),
        ({"class_weight": "heavy"}, "balanced"), ({"class_weight": {7: 1.0}}, "not in class_weight"),
        ({"solver": "liblinear", "C": np.inf}, "liblinear"), ({"solver": "gradient", "l1_ratio": 1.0}, "smooth penalty"),
    ],
)  # fmt: skip
def test_sentences(options, words):
    X, y = draw(n=30)
    with pytest.raises(WrongUse, match=words):
        LogisticRegression(**options).fit(X, y)


def test_bad_rows_are_named():
    X, y = draw(n=30)
    X[7, 2] = np.nan
    with pytest.raises(MissingValues, match=r"column 2.*row 7"):
        LogisticRegression().fit(X, y)
    with pytest.raises(ValueError, match="only one class"):
        LogisticRegression().fit(np.ones((5, 1)), np.zeros(5))
    with pytest.raises(WrongUse, match="multiclass"):
        LogisticRegression(solver="liblinear").fit(*draw(K=3))


def test_products_of_inputs_separate_rings():
    """A quadratic classifier is a linear one on products: the class contains the linear one, and rings need it."""
    from sklearn.pipeline import make_pipeline

    from epee import PolynomialFeatures

    rng = np.random.default_rng(0)
    angle, y = rng.uniform(0, 2 * np.pi, 300), np.arange(300) % 2
    X = np.column_stack([np.cos(angle), np.sin(angle)]) * (1.0 + 2 * y + 0.3 * rng.normal(size=300))[:, None]
    quadratic = make_pipeline(PolynomialFeatures(2, include_bias=False), LogisticRegression(C=100.0)).fit(X, y)
    assert LogisticRegression().fit(X, y).score(X, y) < 0.7
    assert quadratic.score(X, y) > 0.98


def test_any_engine_that_carries_pickles_gives_the_same():
    """What a cluster needs: the work and its results survive a pickle, and merge in any order."""
    import operator
    import pickle

    from epee.engines.choice import engine

    class Carrier:
        name = "carrier"
        passes = 0

        def reduce(self, source, work, *, merge=operator.add, rows=None):
            self.passes += 1
            parts = [pickle.loads(pickle.dumps(work))(block) for block in source.blocks(500)]
            total = pickle.loads(pickle.dumps(parts.pop()))
            for part in parts:
                total = merge(total, part)
            return total

        def map(self, source, work, *, rows=None):
            return (work(block) for block in source.blocks(500))

    X, y = draw(n=3000, p=3, seed=13)
    for options in ({"C": np.inf}, {"l1_ratio": 1.0, "C": 0.01}):
        here = LogisticRegression(tol=1e-8, **options).fit(X, y)
        with engine(Carrier()) as carrier:
            there = LogisticRegression(tol=1e-8, **options).fit(X, y)
        assert carrier.passes > 2
        assert_allclose(there.coef_, here.coef_, atol=1e-8)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("solver", ["lbfgs", "newton", "sgd"])
def test_a_bad_cell_is_named_by_its_own_row(bad, solver):
    """Also when the search begins on a sample of the rows, in which it has another number."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30_000, 3))
    y = (X[:, 0] > 0).astype(int)
    for row in (29_990, 12_345):
        X[row, 1] = bad
        with pytest.raises(ValueError, match=f"column 1.*first in row {row}"):
            LogisticRegression(solver=solver, max_iter=5).fit(X, y)


@pytest.mark.parametrize(("solver", "kind"), [("liblinear", np.float64), ("lbfgs", np.float32)])
def test_weights_of_float32_rows_have_the_type_of_scikit_learn(solver, kind):
    X = np.random.default_rng(0).normal(size=(40, 2)).astype(np.float32)
    assert LogisticRegression(solver=solver).fit(X, X[:, 0] > 0).coef_.dtype == kind


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("intercept", [True, False])
def test_few_rows_of_many_columns_are_searched_in_their_span(K, intercept, monkeypatch):
    """The answer is that of all columns, at the cost of as many unknowns as rows."""
    from epee.optimize import row_span

    rng = np.random.default_rng(0)
    X = rng.normal(1, 1, size=(40, 300))
    y, w = rng.integers(0, K, 40), rng.integers(1, 4, 40).astype(float)
    model = LogisticRegression(C=0.5, fit_intercept=intercept, tol=1e-9, max_iter=1000)
    spanned = clone(model).fit(X, y, w)
    monkeypatch.setattr(row_span, "FEWEST", 10**9)
    whole = clone(model).fit(X, y, w)
    np.testing.assert_allclose(spanned.coef_, whole.coef_, atol=1e-6)
    np.testing.assert_allclose(spanned.intercept_, whole.intercept_, atol=1e-6)
    assert spanned.trace_.x.shape[1] == whole.trace_.x.shape[1]
    monkeypatch.setattr(row_span, "FEWEST", 200)
    warm = clone(model).set_params(warm_start=True).fit(X, y, w)
    np.testing.assert_allclose(warm.fit(X, y, w).coef_, spanned.coef_, atol=1e-6)
    X[3, 7] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        clone(model).fit(X, y)


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_side_by_side_each_is_fitted_as_alone(K, weighted):
    X, y = draw(n=150, p=5, K=K, seed=3)
    rng = np.random.default_rng(0)
    w = rng.integers(1, 4, len(X)).astype(float) if weighted else None
    models, given = [], []
    for size in (60, 110, 150):
        rows = rng.permutation(len(X))[:size]
        for C in (1e-3, 1.0, 100.0):
            models.append(LogisticRegression(C=C, fit_intercept=size != 110))
            given.append((X[rows], y[rows], None if w is None else w[rows]))
    for some in ([0, 1, 2], [3, 4, 5], [0, 1, 2, 6, 7, 8]):
        chosen, rows = [clone(models[i]) for i in some], [given[i] for i in some]
        LogisticRegression.fit_together(chosen, rows)
        for model, row in zip(chosen, rows, strict=True):
            alone = clone(model).fit(*row)
            assert_allclose(model.coef_, alone.coef_, atol=2e-6 * np.abs(alone.coef_).max())
            assert_allclose(model.intercept_, alone.intercept_, atol=2e-6 * np.abs(alone.coef_).max())
            assert model.trace_.norms[-1] <= 1e-9 and model.n_iter_[0] > 0


def test_side_by_side_takes_one_by_one_what_it_cannot_take_together():
    X, y = draw(n=80, p=3, K=3)
    short = y[y != y[0]], X[y != y[0]]  # a class is missing there
    odd = [LogisticRegression(), LogisticRegression(l1_ratio=1.0), LogisticRegression(class_weight="balanced")]
    rows = [(X, y, None), (X, y, None), (short[1], short[0], None)]
    for model, row in zip(odd, rows, strict=True):
        alone = clone(model).fit(*row)
        pair = [clone(model), clone(model)]
        LogisticRegression.fit_together(pair, [row, (X, y, None)])
        assert_allclose(pair[0].coef_, alone.coef_, atol=1e-6)
        assert len(pair[1].classes_) == 3


def folds_of(X, y, w=None, K=5):
    """Return the training rows of each fold, scaled by themselves, and all rows."""
    fold = np.arange(len(X)) % K
    chosen = [fold != k for k in range(K)] + [np.ones(len(X), dtype=bool)]
    scaled = [(X[some] - X[some].mean(axis=0)) / X[some].std(axis=0) for some in chosen]
    return [(Z, y[some], None if w is None else w[some]) for Z, some in zip(scaled, chosen, strict=True)]


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_folds_begin_at_the_minimum_of_all_rows_and_end_at_their_own(K, weighted, monkeypatch):
    """The answers are those of fits alone, and no fold makes a Hessian of its own."""
    monkeypatch.setattr(logistic_side, "SMALL", 0)
    X, y = draw(n=600, p=6, K=K, seed=5)
    names = np.array(["one", "two", "three"])[y]
    w = np.random.default_rng(0).integers(1, 4, len(X)).astype(float) if weighted else None
    given = [(rows, C) for rows in folds_of(X * 3 + 1, names, w) for C in (3.0, 0.003, 0.3)]
    made = []
    monkeypatch.setattr(Metric, "__init__", counted(Metric.__init__, made))
    models = [LogisticRegression(C=C) for _, C in given]
    LogisticRegression.fit_together(models, [rows for rows, _ in given])
    assert {len(risk.source.X) for risk in made} == {len(X)}
    passes = [int(model.n_iter_[0]) for model in models[:-3]]
    for model, (rows, C) in zip(models, given, strict=True):
        alone = LogisticRegression(C=C).fit(*rows)
        assert_allclose(model.coef_, alone.coef_, atol=1e-7 * np.abs(alone.coef_).max())
        assert_allclose(model.intercept_, alone.intercept_, atol=1e-7 * np.abs(alone.coef_).max())
        assert model.trace_.norms[-1] <= 1e-9 and model.n_iter_[0] > 0
        assert model.classes_.tolist() == alone.classes_.tolist() and model.n_features_in_ == alone.n_features_in_
        assert model.training_fingerprint == alone.training_fingerprint
    assert max(passes) <= 8


def counted(make, made):
    def init(self, risk, W):
        made.append(risk)
        make(self, risk, W)

    return init


def test_rows_of_another_kind_are_not_misled(monkeypatch):
    """Other laws, scales, penalties and classes: each ends where it would alone."""
    monkeypatch.setattr(logistic_side, "SMALL", 0)
    X, y = draw(n=500, p=5, K=3, seed=1, strength=4.0)
    other, labels = draw(n=300, p=5, K=3, seed=2, strength=4.0)
    turned = (-50 * other, labels, None)
    few = (X[:200][y[:200] > 0], y[:200][y[:200] > 0], None)
    strong = np.random.default_rng(0).integers(0, 5, len(X)).astype(float)  # the same X with weights of its own
    for Cs, rows in [
        ((1.0, 1.0), [(X, y, None), turned]),
        ((1.0, 1e4), [(X, y, None), (X[:400], y[:400], None)]),
        ((1.0, 1.0), [(X, y, None), few]),
        ((1.0, 1.0, 1.0), [(X, y, None), (X, y, strong), (X, y[::-1], None)]),
    ]:
        models = [LogisticRegression(C=C) for C in Cs]
        LogisticRegression.fit_together(models, rows)
        for model, C, row in zip(models, Cs, rows, strict=True):
            alone = LogisticRegression(C=C).fit(*row)
            assert_allclose(model.coef_, alone.coef_, atol=1e-6 * np.abs(alone.coef_).max())
            assert model.trace_.norms[-1] <= 1e-9


def test_a_bad_cell_is_named_by_fits_together(monkeypatch):
    monkeypatch.setattr(logistic_side, "SMALL", 0)
    X, y = draw(n=300, p=4, K=3)
    X[7, 2] = np.nan
    with pytest.raises(MissingValues, match=r"column 2.*row 7"):
        LogisticRegression.fit_together(
            [LogisticRegression(), LogisticRegression()], [(X, y, None), (X[:250], y[:250], None)]
        )
