"""The winner's optimism: removed for 2, 10 and 30 candidates, and none for one."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

from epee import DecisionTreeRegressor, LinearRegression, Ridge
from epee.errors import WrongUse
from epee.risk.comparison import compare, nested_candidates
from epee.risk.cross_validation import counted, plan_for
from epee.risk.nested_difference import nested_difference
from epee.risk.opening import open_route
from epee.risk.paired_tests import corrected_t, holm, of_pairs, over_pairs
from epee.risk.splitting import make_plan
from epee.risk.winner import Nested, winner_optimism


def test_one_candidate_has_no_optimism():
    losses = np.random.default_rng(0).exponential(size=(50, 1))
    assert winner_optimism(losses, draws=100).value == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("M", [2, 10, 30])
def test_the_corrected_error_is_unbiased(M):
    """All candidates have the same error, 1; what the smallest mean lacks is the whole optimism."""
    gaps = []
    for seed in range(150):
        losses = np.random.default_rng([3, seed]).exponential(size=(80, M))
        gaps.append(losses.mean(axis=0).min() + winner_optimism(losses, draws=150, seed=seed).value - 1)
    bar = np.std(gaps) / np.sqrt(150)
    assert abs(np.mean(gaps)) < 0.01 + 2.5 * bar and bar < 0.012


def test_groups_are_drawn_whole():
    rng = np.random.default_rng(0)
    few = np.repeat(rng.exponential(size=(20, 5)), 30, axis=0)
    alone, told = winner_optimism(few), winner_optimism(few, groups=np.repeat(np.arange(20), 30))
    assert told.value > 2 * alone.value


def test_a_choice_that_is_always_the_same_has_the_error_of_the_one_that_it_takes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 6))
    y = X[:, 0] + rng.normal(size=60)
    routes = [open_route(LinearRegression(), X[:, columns], y, None, None) for columns in ([0, 1], [2, 3], [4, 5])]
    nested = nested_candidates(routes, make_plan(5, 60, repeats=2))
    assert nested.means.shape == (2, 5, 5, 3)
    assert nested.error() == pytest.approx(nested.overall[0])  # the first is always chosen


def test_equal_differences_are_no_proof():
    assert corrected_t(np.array([0.1, 0.1]), 1.0).p_value == pytest.approx(0.5)
    found = corrected_t(np.full(10, 0.1), 1 / 9)
    assert found.p_value == pytest.approx(2**-9) and found.low > 0
    assert corrected_t(np.zeros(10), 1 / 9).p_value == 1


def test_two_folds_repeated_are_two_folds():
    d = np.random.default_rng(0).normal(1, 0.5, 20)
    assert corrected_t(d, 1.0, folds=2).p_value > 5 * corrected_t(d, 1.0, folds=20).p_value


def test_looking_for_the_best_is_looking_at_all_pairs():
    """Among four equal candidates, how often is another told apart from the best? Of 5 %, Holm over what is printed makes more."""
    alarms = np.zeros(2)

    def adjusted(d):
        return over_pairs(of_pairs(4, lambda i, j: corrected_t(d[:, i] - d[:, j], 0.0).p_value))

    for seed in range(300):
        per_fold = np.random.default_rng([5, seed]).normal(size=(10, 4))
        p = adjusted(per_fold)
        best = int(per_fold.mean(axis=0).argmin())
        printed = [corrected_t(per_fold[:, i] - per_fold[:, best], 0.0).p_value for i in range(4) if i != best]
        alarms += (np.delete(p[best], best).min() < 0.05, holm(np.array(printed)).min() < 0.05)
    assert alarms[0] / 300 < 0.05 + 2.5 * np.sqrt(0.0475 / 300) and alarms[1] > alarms[0]


def test_nested_difference_of_a_candidate_with_itself_and_with_a_better_one():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = 2 * X[:, 0] + rng.normal(size=80)
    plan = make_plan(5, 80, repeats=3)
    good, bad = (open_route(LinearRegression(), X[:, c], y, None, None) for c in ([0], [1, 2]))
    same = nested_difference(good, good, plan)
    assert same.value == 0 and same.p_value == 1
    found = nested_difference(bad, good, plan)
    assert found.value > 2 and found.p_value < 0.05 and found.dof == 4 and "nested" in found.how
    with pytest.raises(WrongUse, match="3 folds"):
        nested_difference(good, bad, make_plan(2, 80))


def test_compare_chooses_again_without_each_fold():
    """The inner errors of candidates are those of a cross-validation of the rows without the fold, dealt in the same folds."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 6))
    y = X[:, 0] + rng.normal(size=60)
    fold = rng.permutation(np.arange(60) % 5)
    models = {"ridge": Ridge(1.0), "stiff": Ridge(30.0), "plain": LinearRegression()}
    found = compare(models, X, y, folds=fold)
    inner, outer = np.zeros((5, 3)), np.zeros((5, 3))
    for k in range(5):
        rest = fold != k
        for m, model in enumerate(models.values()):
            tested = [(fold != j) & rest for j in range(5) if j != k], [fold == j for j in range(5) if j != k]
            losses = [(model.fit(X[a], y[a]).predict(X[b]) - y[b]) ** 2 for a, b in zip(*tested, strict=True)]
            inner[k, m] = np.concatenate(losses).mean()
            outer[k, m] = ((model.fit(X[rest], y[rest]).predict(X[~rest]) - y[~rest]) ** 2).mean()
    nested = found.nested()
    np.testing.assert_allclose(nested.inner[0], inner, rtol=1e-9)
    np.testing.assert_allclose(nested.outer[0], outer, rtol=1e-9)
    by_hand = outer[np.arange(5), inner.argmin(axis=1)].mean()
    fewer = np.mean([[outer[k, np.delete(nested.means[0, k], [j, k], axis=0).mean(axis=0).argmin()]
                      for j in range(5) if j != k] for k in range(5)])  # fmt: skip
    assert nested.error() == pytest.approx(by_hand - 3 / 5 * (fewer - by_hand), rel=1e-9)
    apparent = outer.mean(axis=0)[found.names.index(found.chosen)]
    rule = found.judged._rule(found.judged._table[0], stretched=True)
    assert found.optimism.value == pytest.approx(max(nested.error(rule) - apparent, 0), abs=1e-9)


def test_nested_choice_has_no_leak_where_nothing_tells():
    """Of ten columns of noise the best looks good; chosen without the fold that judges it, it does not."""
    rng, left = np.random.default_rng(0), []
    for s in range(40):
        X, y = rng.normal(size=(60, 10)), rng.normal(size=60)
        routes = [open_route(LinearRegression(), X[:, [j]], y, None, None) for j in range(10)]
        plan = counted(routes[0], plan_for(routes[0], 5, 2, None, None, None, s))
        nested = nested_candidates(routes, plan)
        overall = nested.overall
        fits = [LinearRegression().fit(X[:, [j]], y) for j in range(10)]
        true = np.array(
            [1 + fit.coef_[0] ** 2 + fit.intercept_**2 for fit in fits]
        )  # the winner fits most of the noise
        best = overall.argmin()
        left.append(nested.error() - true[best] - (overall - true).mean())
    assert abs(np.mean(left)) < 2 * np.std(left) / np.sqrt(40) + 0.005


def test_compare_of_refitted_candidates_nests_the_first_repeat():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(40, 2))
    y = X[:, 0] + rng.normal(size=40)
    found = compare({"a": DecisionTreeRegressor(max_depth=1), "b": LinearRegression()}, X, y, folds=4, repeats=3)
    assert found.nested().means.shape == (1, 4, 4, 2)
    assert np.isfinite(found.optimism.value)


def test_a_candidate_beyond_all_measure_changes_neither_the_optimism_nor_the_others():
    losses = np.random.default_rng(0).exponential(size=(80, 5))
    wild = np.column_stack([losses, 1e17 * np.random.default_rng(1).exponential(size=80)])
    assert winner_optimism(wild).value == pytest.approx(winner_optimism(losses).value, rel=1e-9)


def test_means_without_each_fold_are_those_of_the_other_rows():
    rng = np.random.default_rng(0)
    losses, weight = rng.exponential(size=(2, 30, 3)), rng.integers(1, 4, 30).astype(float)
    folds = np.stack([rng.permutation(np.arange(30) % 5) for _ in range(2)])
    found = Nested.of_rows(losses, folds, weight, beside=losses**2)
    for r, k in np.ndindex(2, 5):
        rest = folds[r] != k
        np.testing.assert_allclose(found.inner[r, k], np.average(losses[r][rest], axis=0, weights=weight[rest]))
        np.testing.assert_allclose(found.outer[r, k], np.average(losses[r][~rest], axis=0, weights=weight[~rest]))
        np.testing.assert_allclose(
            Nested(found.beside, found.sizes).inner[r, k],
            np.average(losses[r][rest] ** 2, axis=0, weights=weight[rest]),
        )
    assert found.error() >= found.overall.min()  # who is best of all and not of the others is worse on the fold


def test_what_is_looked_at_beside_decides_inside_too():
    losses, beside = (np.tile(pair, (1, 12, 1)) for pair in ([1.0, 3.0], [5.0, 4.0]))
    nested = Nested.of_rows(losses, np.arange(12)[None] % 4, np.ones(12), beside)
    assert nested.error() == pytest.approx(1.0)
    assert nested.error(lambda means, beside: np.argmin(beside, axis=1)) == pytest.approx(3.0)


def test_an_endless_loss_keeps_a_candidate_from_being_chosen_where_it_is_seen():
    means = np.tile([1.0, 0.5], (1, 5, 5, 1))
    means[0, :, 3, 1] = np.inf
    nested = Nested(means, np.ones((1, 5)))
    assert nested.inner[0].argmin(axis=1).tolist() == [0, 0, 0, 1, 0]  # without its part it looks best, and is not
    assert nested.error() == np.inf


def test_levels_are_one_figure_for_all():
    rng = np.random.default_rng(0)
    nested = Nested(rng.normal(5, 1, (2, 4, 4, 3)), np.full((2, 4), 7.0))
    found = nested.levelled(np.arange(3))
    np.testing.assert_allclose(found.inner.mean(), found.outer.mean())
    np.testing.assert_array_equal(found.outer, nested.outer)
    np.testing.assert_allclose(nested.inner - found.inner, (nested.inner - found.inner).mean())


def test_the_choice_by_all_rows_is_told_by_those_of_fewer():
    """Of two candidates the second is worse by one, with a part's error of sd 2: P(it is taken) of all G parts, not of G - 1."""
    rng, R, G = np.random.default_rng(5), 20_000, 5
    means = np.zeros((R, G, G, 2))
    means[..., 1] = (1 + 2 * rng.normal(size=(R, G)))[:, None]  # alike whatever is left out
    nested = Nested(means, np.ones((R, G)))
    plain = (nested.inner.argmin(axis=2) == 1).mean()
    gap = plain - ndtr(-np.sqrt(G) / 2)
    parts = [Nested(some, np.ones((R // 20, G))).error() for some in np.split(means, 20)]
    bar = np.std(parts) / np.sqrt(20)
    assert gap > 5 * bar and abs(nested.error() - (plain - gap)) < 0.25 * gap + 2 * bar
