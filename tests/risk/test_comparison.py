"""Comparisons: tests against SciPy, verdicts in two languages, the winner's optimism."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest
from sklearn.neighbors import KNeighborsClassifier as Theirs

from epee import GaussianNB, LinearDiscriminantAnalysis, LinearRegression, QuadraticDiscriminantAnalysis, Ridge, options
from epee.errors import DataError, WrongUse
from epee.risk import compare, compare_rates, cross_validate, mcnemar
from epee.risk.paired_tests import corrected_difference, corrected_t, holm
from epee.risk.winner import winner_optimism


@pytest.fixture
def cancer():
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True)
    return X[:, [0, 1, 4, 5, 8, 9]], y


def test_the_same_folds_for_all(cancer):
    found = compare(
        {"line": LinearDiscriminantAnalysis(), "naive": GaussianNB(), "near": Theirs()}, *cancer, repeats=2, folds=5
    )
    for name, model in (("line", LinearDiscriminantAnalysis()), ("naive", GaussianNB()), ("near", Theirs())):
        alone = cross_validate(model, *cancer, repeats=2, folds=5)
        np.testing.assert_allclose(found.risk(name).per_fold, alone.per_fold)
    gap = found.difference("naive", "line")
    d = found.risk("naive").per_fold - found.risk("line").per_fold
    tested = found.risk("line").sizes.mean() / found.risk("line").n
    assert gap.stderr == pytest.approx(np.sqrt((1 / 10 + tested / (1 - tested)) * d.var(ddof=1)))
    assert [row["name"] for row in found.table][0] == found.best
    assert np.allclose(found.p_values, found.p_values.T) and (np.diag(found.p_values) == 1).all()
    assert found.best in str(found)


def test_verdict_in_two_languages(cancer):
    found = compare(
        {"linear": LinearDiscriminantAnalysis(), "quadratic": QuadraticDiscriminantAnalysis()}, *cancer, repeats=3
    )
    assert (
        "points, p = " in found.verdict and "The simplest predictor that nothing here beats is linear." in found.verdict
    )
    options.language = "fr"
    assert "Le prédicteur le plus simple" in found.verdict and "," in found.verdict


def test_a_clear_winner_is_shown():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = (np.abs(X[:, 0]) > 0.7).astype(int)
    found = compare(
        {"linear": LinearDiscriminantAnalysis(), "quadratic": QuadraticDiscriminantAnalysis()}, X, y, repeats=2
    )
    assert found.best == found.simplest == "quadratic" and ": shown." in found.verdict


def test_regressions_and_equal_candidates():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = X[:, 0] + rng.normal(size=80)
    found = compare([LinearRegression(), Ridge(1e-12), LinearRegression()], X, y, repeats=2)
    assert found.names[2] == "LinearRegression (2)"
    same = compare({"a": LinearRegression(), "b": LinearRegression()}, X, y, repeats=1)
    assert "do equally well" in same.verdict and same.simplest == "a"
    assert "only candidate" in compare([LinearRegression()], X, y, repeats=1).verdict


def test_optimism_of_equal_candidates_matches_the_truth():
    """The best of 20 equal candidates: the true optimism is the expected minimum of 20 nearly independent means."""
    rng = np.random.default_rng(0)
    n, M, truth, found, tt = 400, 20, [], [], []
    for _ in range(40):
        losses = (rng.random((n, M)) < 0.2).astype(float)
        truth.append(0.2 - losses.mean(axis=0).min())
        o = winner_optimism(losses, losses.reshape(10, 40, M).mean(axis=1), draws=300)
        found.append(o.value)
        tt.append(o.tibshirani)
    assert 0.5 * np.mean(truth) < np.mean(found) < 1.2 * np.mean(truth)
    assert np.mean(tt) > 1.5 * np.mean(truth)  # it overcorrects


def test_no_optimism_without_a_choice():
    losses = np.random.default_rng(0).random((3000, 1))
    assert abs(winner_optimism(losses).value) < 2e-3
    spread = np.random.default_rng(0).random((500, 2)) + np.array([0.0, 5.0])
    assert abs(winner_optimism(spread).value) < 5e-3


def test_groups_are_drawn_together():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(20), 50)
    losses = rng.normal(size=(20, 5))[groups]
    assert winner_optimism(losses, groups=groups).value > 4 * winner_optimism(losses).value


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm(p):
    """Rejecting in order while p_(i) <= level / (m - i) is what the adjusted values do."""
    p, adjusted = np.array(p), holm(np.array(p))
    order, m = np.argsort(p, kind="stable"), len(p)
    for level in (0.01, 0.05, 0.2):
        rejected = np.cumprod(p[order] * (m - np.arange(m)) <= level).astype(bool)
        assert np.array_equal(adjusted[order] <= level, rejected)


@given(st.lists(st.tuples(st.floats(0, 1), st.sampled_from([0.5, 1.0, 2.0])), min_size=1, max_size=8))
def test_holm_with_shares(pairs):
    """Rejecting in the order of p / w while p / w <= level over what is left of the shares; of equal shares it is Holm's rule."""
    p, w = np.array(pairs).T
    adjusted, order = holm(p, w), np.argsort(p / w, kind="stable")
    for level in (0.01, 0.05, 0.2):
        left = np.array([w[order[i:]].sum() for i in range(len(p))])
        rejected = np.cumprod(p[order] / w[order] * left <= level).astype(bool)
        assert np.array_equal(adjusted[order] <= level, rejected)
    assert holm(p, np.full(len(p), 2.0)) == pytest.approx(holm(p))


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 2**16))
def test_mcnemar_is_a_binomial_test(only_a, only_b, seed):
    n = 80
    y = np.random.default_rng(seed).integers(0, 2, n)
    a, b = y.copy(), y.copy()
    a[:only_a] = 1 - a[:only_a]
    b[only_a : only_a + only_b] = 1 - b[only_a : only_a + only_b]
    found = mcnemar(y, a, b)
    exact = binomtest(only_a, only_a + only_b).pvalue if only_a + only_b else 1.0
    assert found.p_value == pytest.approx(exact, abs=1e-12)
    assert found.value == pytest.approx((only_a - only_b) / n)


def test_compare_rates():
    found = compare_rates(90, 100, 80, 100)
    z = 0.1 / np.sqrt(0.85 * 0.15 * 2 / 100)
    from scipy.stats import norm

    assert found.p_value == pytest.approx(2 * norm.sf(z))
    assert found.low < 0.1 < found.high
    assert compare_rates(10, 10, 10, 10).p_value == 1
    assert 0 < compare_rates(10, 10, 0, 10).p_value < 1e-4
    with pytest.raises(WrongUse, match="no rate"):
        compare_rates(11, 10, 1, 10)


def test_rates_keep_their_level():
    rng = np.random.default_rng(0)
    p = [compare_rates(a, 300, b, 300).p_value for a, b in rng.binomial(300, 0.3, (1500, 2))]
    assert 0.03 < np.mean(np.array(p) < 0.05) < 0.07


@pytest.mark.parametrize(("few", "many", "rate"), [(20, 200, 0.1), (10, 10, 0.5), (60, 120, 0.02)])
def test_rates_keep_their_level_on_few_rows(few, many, rate):
    """Over all tables that two equal rates can give; with the errors of each sample alone it were 13, 9 and 7 %."""
    alarms = sum(
        binom.pmf(i, few, rate) * binom.pmf(j, many, rate)
        for i in range(few + 1)
        for j in range(int(binom.ppf(1 - 1e-6, many, rate)) + 1)
        if compare_rates(i, few, j, many).p_value < 0.05
    )
    assert alarms < 0.06


@pytest.mark.parametrize(("n", "share"), [(30, 0.02), (60, 0.018), (100, 0.02)])
def test_the_interval_of_rare_disagreements_covers(n, share):
    """Over all numbers of rows where only the first is wrong; a normal interval covers 45, 66 and 85 % of 90."""
    held = sum(
        binom.pmf(k, n, share)
        for k in range(n + 1)
        if share in mcnemar(np.zeros(n), np.arange(n) < k, np.zeros(n), level=0.9).interval
    )
    assert held > 0.9
    assert mcnemar(np.zeros(n), np.zeros(n), np.zeros(n)).high > 0


def test_bad_input(cancer):
    X, y = cancer
    with pytest.raises(WrongUse, match="one kind"):
        compare([LinearRegression(), GaussianNB()], X, y)
    with pytest.raises(WrongUse, match="no candidate"):
        compare([], X, y)
    with pytest.raises(DataError, match="same length"):
        mcnemar([1, 0], [1], [0])
    with pytest.raises(DataError, match="at least 2 folds"):
        corrected_t(np.array([1.0]), 0.1)
    with pytest.raises(WrongUse, match="none of the candidates"):
        compare([GaussianNB()], X, y, repeats=1).difference("GaussianNB", "other")


def test_more_columns_than_training_rows_are_marked():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 60)), rng.normal(size=30)
    wide = [cross_validate(Ridge(), half, y) for half in (X[:, :30], X[:, 30:])]
    assert "30 columns and 27 rows" in corrected_difference(*wide, 0.95).caution
    narrow = [cross_validate(Ridge(), half, y) for half in (X[:, :5], X[:, 5:10])]
    assert not corrected_difference(*narrow, 0.95).caution
    assert "30 columns" in compare({"a": Ridge(), "b": Ridge(alpha=5.0)}, X[:, :30], y).verdict


@pytest.mark.parametrize("counts", [(90, 100, 80, 100), (3, 20, 10, 200), (0, 10, 4, 12)])
def test_compare_rates_agrees_with_statsmodels(counts):
    from statsmodels.stats.proportion import proportions_ztest

    a, n_a, b, n_b = counts
    assert compare_rates(*counts).p_value == pytest.approx(proportions_ztest([a, b], [n_a, n_b])[1])
