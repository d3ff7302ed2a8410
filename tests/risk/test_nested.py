"""Nested intervals: against the formula written out in loops, on every road."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as Theirs
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression as TheirRegression

from epee import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    GaussianNB,
    KNeighborsClassifier,
    LinearDiscriminantAnalysis,
    LinearRegression,
    LogisticRegression,
    Ridge,
)
from epee.errors import DataError, DataWarning, WrongUse
from epee.risk import cross_validate, nested
from epee.risk.halves import halves_of, ratio_by_halves
from epee.risk.intervals import t_quantile
from epee.risk.mean_loss import mean_loss
from epee.risk.nested import (
    FEW_REPEATS,
    HALVINGS,
    batched_losses,
    nested_interval,
    nested_splits,
    nested_sums,
    without_one_or_two,
)
from epee.risk.opening import open_route
from epee.risk.splitting import make_plan
from tests.older import as_of


def by_loops(fit, loss, X, y, folds, level_z):
    """The reference formula, read aloud: folds (R, n) -> centre, standard error."""
    a, b, inner, outer, last, within_rows = [], [], [], [], [], np.zeros(len(y))
    for fold in folds:
        K = fold.max() + 1
        for k in range(K):
            rest, test = fold != k, fold == k
            e_out = loss(fit(X[rest], y[rest]).predict(X[test]), y[test])
            e_in, of = [], []
            for j in range(K):
                if j != k:
                    train = rest & (fold != j)
                    e_in.append(loss(fit(X[train], y[train]).predict(X[fold == j]), y[fold == j]))
                    of.append(y[fold == j])
                    within_rows[fold == j] += e_in[-1]
            e_in, of = np.concatenate(e_in), np.concatenate(of)
            if y.dtype.kind == "f":
                a.append((e_in.mean() - e_out.mean()) ** 2)
                b.append(e_out.var(ddof=1) / len(e_out))
            else:
                a.append((np.mean([e_in[of == c].mean() for c in y[test]]) - e_out.mean()) ** 2)
                b.append((fold, k))
            inner.append(e_in)
            outer.append((test, e_out))
    n, R = len(y), len(folds)
    rows = np.empty((R, n))
    for i, (test, e_out) in enumerate(outer):
        rows[i // K, test] = e_out
    if y.dtype.kind != "f":  # class by class
        within = [[row[y == c].var(ddof=1) for c in range(y.max() + 1)] for row in rows]
        b = [np.mean([within[i // K][c] for c in y[fold == k]]) / (fold == k).sum() for i, (fold, k) in enumerate(b)]
        last = [np.var([row[y == c].mean() for c in y]) / (n - 1) for row in rows]
    mse = (K - 1) / K * (np.mean(a) - np.mean(b)) + (np.mean(last) if last else 0)
    naive = np.sqrt(rows.var() * n / (n - 1) / n)
    stderr = np.clip(np.sqrt(max(mse, 0)), naive, np.sqrt(K) * naive)
    e_in = np.concatenate(inner).mean()
    gap = within_rows / (R * (K - 1)) - rows.mean(axis=0)
    trust = max(0, 1 - 4 * gap.var(ddof=1) / n / gap.mean() ** 2)
    return rows.mean() * (rows.mean() / e_in) ** (trust * (K - 2) / K), stderr


def squared(p, y):
    return (p - y) ** 2


def test_formula_for_least_squares():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5))
    y = X[:, 0] + rng.normal(size=60)
    found = cross_validate(LinearRegression(), X, y, folds=5, repeats=3, interval="nested", level=0.9)
    centre, stderr = by_loops(
        lambda X, y: TheirRegression().fit(X, y), squared, X, y, np.atleast_2d(found.folds), 1.6449
    )
    np.testing.assert_allclose([found.value, found.stderr], [centre, stderr], rtol=1e-9)
    plain = mean_loss(found.losses.ravel(), np.full(180, 1 / 3), level=0.9, weights="counts")
    stretch = stderr / plain.stderr * centre / plain.value
    ends = [
        centre - stretch * (plain.value - plain.interval.low),
        centre + stretch * (plain.interval.high - plain.value),
    ]
    np.testing.assert_allclose([found.low, found.high], ends, rtol=1e-9)
    assert found.high - found.value > found.value - found.low > 0
    np.testing.assert_allclose(found.at(0.9).interval, found.interval)
    assert found.at(0.5).low > found.low and found.at(0.5).high < found.high
    assert "nested" in found.how and found.losses.shape == (3, 60) and found.predictions.shape == (3, 60)


@as_of("1.9")
def test_formula_for_classes():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 3))
    y = (X[:, 0] + 0.7 * rng.normal(size=80) > 0).astype(int)
    y[X[:, 1] > 1] = 0  # so that one class is rarer, and harder
    found = cross_validate(LinearDiscriminantAnalysis(), X, y, folds=4, repeats=FEW_REPEATS, interval="nested")
    centre, stderr = by_loops(
        lambda X, y: Theirs().fit(X, y), lambda p, y: (p != y).astype(float), X, y, np.atleast_2d(found.folds), 1.96
    )
    np.testing.assert_allclose([found.value, found.stderr], [max(centre, 0), stderr], rtol=1e-9)


@pytest.mark.parametrize("model", [GaussianNB(), Ridge(3.0)], ids=lambda m: type(m).__name__)
def test_weights_are_repeats_when_copies_stay_together(model):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 3))
    y = X[:, 0] + rng.normal(size=60)
    y = (y > 0).astype(int) if isinstance(model, GaussianNB) else y
    w, fold = rng.integers(1, 4, 60), np.arange(60) % 5
    a = cross_validate(model, X, y, folds=fold, interval="nested", sample_weight=w)
    b = cross_validate(model, np.repeat(X, w, axis=0), np.repeat(y, w), folds=np.repeat(fold, w), interval="nested")
    np.testing.assert_allclose([a.value, a.stderr], [b.value, b.stderr], rtol=1e-9)


def test_all_repeats_at_once_or_one_by_one():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(50, 4))
    y = X[:, 0] + rng.normal(size=50)
    route = open_route(Ridge(1.0), X, y)
    plan = make_plan(5, 50, repeats=3)
    learns, tested_by = without_one_or_two(5)
    from epee.risk.splitting import Split

    at_once = batched_losses(route, plan)
    for r, split in enumerate(plan.splits):
        one = route.evaluate(Split(split.cell, learns[:, :], tested_by)).losses
        np.testing.assert_allclose(at_once[r], one, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("loss", ["zero_one", "log"])
def test_rows_of_all_folds_at_once_or_fold_by_fold(loss, monkeypatch):
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(61, 3)), rng.integers(0, 3, 61)
    route = open_route(LinearDiscriminantAnalysis(), X, y, None, loss)
    plan = make_plan(5, 61, codes=y, repeats=7)
    monkeypatch.setattr(nested, "FEW_PRODUCTS", 61 * 15 * 3)  # three repeats at a time
    at_once = batched_losses(route, plan)
    monkeypatch.setattr(nested, "FEW_FOLDS", 0)  # each row by its own models alone
    np.testing.assert_allclose(at_once, batched_losses(route, plan), rtol=1e-12, atol=1e-14)
    monkeypatch.setattr(nested, "FEW_PRODUCTS", 0)
    np.testing.assert_allclose(at_once, batched_losses(route, plan), rtol=1e-12, atol=1e-14)


def test_fine_folds():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(6400, 2))
    y = X[:, 0] + rng.normal(size=6400)
    found = cross_validate(Ridge(1.0), X, y, repeats=2, interval="nested")
    naive = cross_validate(Ridge(1.0), X, y, repeats=2)
    assert found.value == pytest.approx(naive.value, rel=1e-3)
    assert 0.9 * found.losses.std() / 80 < found.stderr < 3.2 * found.losses.std() / 80


def test_two_folds_are_too_few():
    with pytest.raises(WrongUse, match="at least 3 folds"):
        cross_validate(
            Ridge(), np.random.default_rng(0).normal(size=(20, 2)), np.arange(20.0), folds=2, interval="nested"
        )


@pytest.mark.parametrize("weighted", [False, True])
def test_logistic_regressions_are_fitted_together(weighted, monkeypatch):
    """All models without one or two folds at once, equal to one fit after the other."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4)) * [1, 10, 0.1, 1] + [0, 5, 0, 0]
    y = np.array(["no", "yes"])[(X[:, 0] + rng.normal(size=80) > 0).astype(int)]
    w = rng.integers(1, 4, 80).astype(float) if weighted else None
    model = LogisticRegression(C=2.0, tol=1e-10)
    given = {"folds": 5, "repeats": 2, "interval": "nested", "loss": "log", "sample_weight": w}
    together = cross_validate(model, X, y, **given)
    plan = make_plan(5, 80, codes=(y == "yes").astype(int))
    assert batched_losses(open_route(model, X, y, w, "log"), plan) is not None
    monkeypatch.setattr(LogisticRegression, "fit_stack", lambda *_: None)
    alone = cross_validate(model, X, y, **given)
    np.testing.assert_allclose([together.value, together.stderr], [alone.value, alone.stderr], rtol=1e-7)
    np.testing.assert_allclose(together.losses, alone.losses, rtol=1e-6, atol=1e-9)


def test_no_error_seen_is_no_certainty():
    X = np.concatenate([np.random.default_rng(0).normal(size=(20, 2)) + s for s in (-9, 9)])
    y = np.repeat([0, 1], 20)
    ways = ({"interval": "nested", "repeats": 5}, {}, {"folds": "loo"})
    for more, rows in zip(ways, (40, 40, 40 / 1.15), strict=True):  # left-out losses share: 1 + 2 * 3 / 40
        found = cross_validate(LinearDiscriminantAnalysis(), X, y, level=0.9, **more)
        assert found.value == 0 == found.low and found.high == pytest.approx(2.70554 / (rows + 2.70554), abs=1e-4)
        assert found.at(0.99).high > found.high


def test_a_class_that_two_folds_could_take_away_is_refused_in_one_sentence():
    X = np.random.default_rng(0).normal(size=(40, 2))
    y = np.repeat(["a", "b"], [38, 2])
    with pytest.raises(DataError, match="class b has 2 members.*two folds"), pytest.warns(DataWarning):
        cross_validate(LogisticRegression(), X, y, interval="nested", loss="log")


def test_a_positive_loss_has_a_positive_centre():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(60, 3)), np.repeat([0, 1], [55, 5])
        X[:, 0] += 3 * y
        found = cross_validate(LogisticRegression(), X, y, folds=5, interval="nested", repeats=2, loss="log", level=0.9)
        assert 0 <= found.low <= found.value <= found.high and found.value > 0


def test_groups_are_the_units_of_the_error_bar():
    rng = np.random.default_rng(0)
    g = np.repeat(np.arange(30), 6)
    X = rng.normal(size=(30, 2))[g]
    y = X[:, 0] + rng.normal(size=30)[g] + 0.1 * rng.normal(size=180)
    alone = cross_validate(LinearRegression(), X, y, interval="nested", repeats=5, groups=np.arange(180))
    told = cross_validate(LinearRegression(), X, y, interval="nested", repeats=5, groups=g)
    assert told.stderr > 2 * alone.stderr


def test_weights_that_are_no_counts_have_no_scale():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    y, w = X[:, 0] + rng.normal(size=80), rng.random(80)
    found = [
        cross_validate(LinearRegression(), X, y, interval="nested", repeats=3, sample_weight=c * w)
        for c in (1 / w.sum(), 1.0)
    ]
    np.testing.assert_allclose(found[0].interval, found[1].interval, rtol=1e-6)
    even = cross_validate(LinearRegression(), X, y, interval="nested", repeats=3, sample_weight=np.full(80, 1 / 80))
    plain = cross_validate(LinearRegression(), X, y, interval="nested", repeats=3)
    np.testing.assert_allclose(even.interval, plain.interval, rtol=1e-6)
    assert even.n == pytest.approx(80)


def test_few_repeats_of_a_rate_take_in_what_halves_show():
    rng = np.random.default_rng(4)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 3)) * np.where(y == 1, 2.5, 1.0)[:, None] + 0.5 * y[:, None]
    route, plan = open_route(LinearDiscriminantAnalysis(), X, y), make_plan(10, 60, codes=y, repeats=2)
    sums = nested_sums(route, plan, unsteady=True)
    alone = sums.stderr()
    sums.halves = ratio_by_halves(halves_of(route, plan, HALVINGS).means)
    found = nested_interval(route, plan, 0.9).stderr
    assert found == pytest.approx(sums.stderr()) and abs(found / alone - 1) > 0.05
    often = make_plan(10, 60, codes=y, repeats=FEW_REPEATS)
    assert nested_interval(route, often, 0.9).stderr == pytest.approx(nested_sums(route, often).stderr())


@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis(), GaussianNB()], ids=repr)
def test_ranked_losses_are_ranked_within_a_test_sample(model):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 120)
    X = rng.normal(size=(120, 3)) + y[:, None]
    route, plan = open_route(model, X, y, None, "auc"), make_plan(6, 120, codes=y, repeats=2)
    sums = nested_sums(route, plan)
    for r, split in enumerate(nested_splits(plan)):
        alone = route.test(split, route.models(split)).losses
        np.testing.assert_allclose(sums.outer[r], alone[0], rtol=1e-12)
    if isinstance(model, LinearDiscriminantAnalysis):
        np.testing.assert_allclose(batched_losses(route, plan)[-1], alone, rtol=1e-12)


def chessboard(n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(n, 3))
    odd = (X[:, 0] > 0) ^ (X[:, 1] > 0)
    return X, (rng.random(n) < np.where(odd, 0.85, 0.15)).astype(int)


def test_shares_of_classes_in_the_folds_are_no_certainty():
    """Who always names the larger class errs on the other: each fold has its share, and only the whole table leaves it unsure."""
    y = np.repeat([0, 1], [80, 20])
    route, plan = open_route(DummyClassifier(), np.zeros((100, 1)), y), make_plan(10, 100, codes=y, repeats=3)
    sums = nested_sums(route, plan)
    np.testing.assert_allclose(np.concatenate(sums.a), 0, atol=1e-15)
    np.testing.assert_allclose(np.concatenate(sums.b), 0, atol=1e-15)
    assert sums.stderr() == pytest.approx(np.sqrt(0.16 / 99), rel=1e-9)
    loose = nested_sums(route, make_plan(10, 100, repeats=3))  # folds dealt without regard to classes say the same
    assert loose.stderr() == pytest.approx(sums.stderr(), rel=1e-9)


def test_jumps_pair_by_pair():
    X, y = chessboard(60)
    plan = make_plan(5, 60, codes=y, repeats=2)
    route = open_route(DecisionTreeClassifier(max_depth=4), X, y)
    sums = nested_sums(route, plan, unsteady=True)
    above = below = 0.0
    for split in plan.splits:
        fold = split.cell
        for k in range(5):
            test = np.flatnonzero(fold == k)
            models = [
                DecisionTreeClassifier(max_depth=4).fit(X[t], y[t])
                for t in (~np.isin(fold, (k, d)) for d in range(5) if d != k)
            ]
            g = np.array([m.predict(X[test]) != y[test] for m in models], dtype=float)
            g -= g.mean(axis=0)
            above += sum(row[i] * row[j] for row in g for i in range(len(test)) for j in range(len(test)) if i != j) / 3
            below += len(test) * (len(test) - 1)
    np.testing.assert_allclose(sums.jumps, [above, below], rtol=1e-9, atol=1e-9)


def test_a_tree_that_jumps_says_so_and_neighbours_do_not():
    X, y = chessboard(200, 1)
    given = {"interval": "nested", "repeats": 2, "level": 0.9}
    tree = cross_validate(DecisionTreeClassifier(max_depth=4), X, y, **given)
    near = cross_validate(KNeighborsClassifier(5), X, y, **given)
    assert "jumps" in tree.caution and "jumps" not in near.caution
    assert tree.stderr > 2 * np.sqrt(tree.losses.var() / 200)


def test_the_interval_of_a_refitted_predictor_is_students_about_a_centre_that_noise_moves_less():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(80, 4))
    y = X[:, 0] + rng.normal(size=80)
    model = DecisionTreeRegressor(max_depth=3)
    found = cross_validate(model, X, y, interval="nested", repeats=2, level=0.9)
    plan = make_plan(10, 80, repeats=2)
    sums = nested_sums(open_route(model, X, y), plan, unsteady=True)
    losses = _losses(model, X, y, plan)  # (R, K, n)
    gap = (losses[:, 1:].mean(axis=1) - losses[:, 0]).mean(axis=0)
    noise = gap.std(ddof=1) / np.sqrt(80)
    trust = max(0, 1 - 4 * noise**2 / gap.mean() ** 2)
    cv, inner = losses[:, 0].mean(), losses[:, 1:].mean()
    assert sums.trust() == pytest.approx(trust) and 0 < trust < 1
    assert found.value == pytest.approx(max(cv * (cv / inner) ** (0.8 * trust), cv - found.stderr))
    plain = mean_loss(found.losses.ravel(), np.full(160, 0.5), level=0.9, weights="counts")
    longer = t_quantile(0.9, 9 * (1 + 0.5 * 2 / 20)) / t_quantile(0.9, 79) * found.stderr / plain.stderr
    above = longer * (plain.interval.high - plain.value) * found.value / plain.value
    assert found.high - found.value == pytest.approx(above, rel=1e-9)


def _losses(model, X, y, plan):
    route = open_route(model, X, y)
    return np.stack([route.evaluate(split).losses for split in nested_splits(plan)])


def test_even_classes_that_nothing_tells_are_not_shown_to_be_worse_than_chance():
    """A fold that is left out turns the rule when the classes have exactly as many rows and hardly differ in their means."""
    r = np.random.default_rng(97)
    x, even = r.normal(size=40), np.arange(40) % 2
    x -= np.where(even == 1, x[even == 1].mean(), x[even == 0].mean())  # nothing tells them
    nested = {"interval": "nested", "repeats": 10, "level": 0.9}
    found = cross_validate(LinearDiscriminantAnalysis(), x[:, None], even, **nested)
    assert found.value - 1.645 * found.stderr > 0.5 and found.interval.low < 0.4 < found.at(0.5).low < 0.5
    told = cross_validate(LinearDiscriminantAnalysis(), (x + 2 * even)[:, None], even, **nested)
    assert 0 < told.interval.low < told.value < 0.5
