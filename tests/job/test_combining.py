"""The candidates that win: ensembles on the same folds as all, and the mean of all."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from sklearn.naive_bayes import GaussianNB

import epee
from epee.job import contest
from epee.job.combining import Sums, plain_mean, sparse_weights
from epee.job.levels import TreeColumns
from epee.losses.brier import Brier
from epee.risk.steps import last_of

KEPT = []  # what the contest tried, by each rule


@pytest.fixture(scope="module", autouse=True)
def _keep_what_was_tried():
    plain = contest.combine

    def kept(*given):
        found = plain(*given)
        KEPT.extend(found)
        return found

    contest.combine = kept
    yield
    contest.combine = plain


def bent(n=260, seed=0, classes=False, holes=0.0):
    """A table that no single candidate gets right: a line, a step and a category."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, n))
    town = rng.choice(["Lyon", "Paris", "Rennes"], n)
    y = 2 * a + 2 * (b > 0) * (town == "Lyon") + 0.7 * rng.normal(size=n)
    cells = pa.array(b, mask=rng.random(n) < holes)
    return pa.table({"a": a, "b": cells, "town": town, "y": np.where(y > 0.5, "haut", "bas") if classes else y})


KEYS = ["ridge", "forest", "boosting", "combination"]


@pytest.fixture(scope="module")
def mixed():
    return epee.learn(bent(holes=0.1), "y", predictors=KEYS, prefer="accuracy", folds=5)


def test_the_combination_has_the_error_of_weights_that_did_not_see_the_fold(mixed):
    entry = mixed.contest.entries[-1]
    assert entry.candidate.key == "combination"
    weights = [weight for _, weight in entry.members]
    assert sum(weights) == pytest.approx(1) and min(weights) >= 0.05
    split, truth = entry.route, entry.route.truth
    said = {m.candidate.key: m for m, _ in entry.members}
    assert set(said) <= {"ridge", "forest", "boosting"} and split.n == len(truth)
    best = min(e.risk.value for e in mixed.contest.entries[:-1])
    assert entry.risk.value < 1.1 * best
    fold = entry.risk.fold_ids if entry.risk.repeats == 1 else entry.risk.fold_ids[0]
    first = entry.outcome.losses[0]
    by_fold = [first[fold == k].mean() for k in range(5)]
    np.testing.assert_allclose(by_fold, entry.risk.per_fold[:5], rtol=1e-9)


def test_a_combination_predicts_what_its_members_say(mixed, tmp_path):
    """Missing cells reach those who take them, the others have them filled; and a file says the same."""
    predictor = mixed.predictor
    if mixed.facts["chosen"]["key"] != "combination":
        pytest.skip("another was better")
    last = last_of(predictor.model)
    table = bent(60, seed=3, holes=0.2)
    X = np.concatenate([predictor.encode(raw) for raw in predictor.blocks(table)])
    assert np.isnan(X).any()
    alone = sum(w * model.predict(X) for w, model in zip(last.weights_, last.estimators_, strict=True))
    np.testing.assert_allclose(predictor.predict(table), alone, rtol=1e-12)
    again = epee.load(mixed.save(tmp_path / "mixed.epee"))
    np.testing.assert_array_equal(again.predictor.predict(table), predictor.predict(table))


def test_probabilities_are_averaged():
    learned = epee.learn(
        bent(classes=True), "y", predictors=["lda", "forest", "neighbours", "combination"], folds=5, prefer="accuracy"
    )
    entry = learned.contest.entries[-1]
    assert entry.candidate.key == "combination"
    P = entry.outcome.predictions[0]
    np.testing.assert_allclose(P.sum(axis=1), 1, rtol=1e-9)
    truth = entry.route.truth
    np.testing.assert_array_equal(entry.outcome.losses[0], (P.argmax(axis=1) != truth).astype(float))
    assert set(np.asarray(entry.risk.predictions).ravel()) == {"bas", "haut"}


def test_the_brier_score_of_the_rows_held_out_is_known_of_all_who_give_probabilities():
    """On sums, refitted, or a mean of others; not of one without probabilities, nor of a guest, who is asked for labels."""
    keys = ["lda", "least_squares", "tree", "neighbours", GaussianNB(), "combination"]
    learned = epee.learn(bent(classes=True), "y", predictors=keys, folds=4)
    verdict = learned.contest
    known = dict(zip((e.candidate.key for e in verdict.entries), verdict.scores, strict=True))
    assert {key for key, score in known.items() if np.isnan(score)} == {"least_squares", "GaussianNB"}
    tree = next(e for e in verdict.entries if e.candidate.key == "tree")
    np.testing.assert_allclose(
        known["tree"], Brier().value(tree.outcome.predictions[0], tree.route.truth).mean(), rtol=1e-12
    )
    share = np.mean(tree.route.truth == 0)
    assert known["baseline"] == pytest.approx(share * (1 - share), rel=0.02)
    assert min(known["combination"], known["neighbours"]) < known["lda"] < known["baseline"]


@pytest.mark.parametrize("settings", [{"costs": [[0, 5.0], [1.0, 0]]}, {"loss": "log"}])
def test_other_losses_have_no_second_judge(settings):
    learned = epee.learn(bent(classes=True), "y", predictors=["lda", "tree"], folds=4, **settings)
    assert learned.contest.scores is None and not learned.facts["chosen"]["by_brier"]


def test_costs_decide_behind_the_mean():
    costs = [[0, 5.0], [1.0, 0]]
    learned = epee.learn(
        bent(classes=True), "y", predictors=["lda", "forest", "combination"], folds=4, costs=costs, prefer="accuracy"
    )
    assert learned.card["loss"] == "costs" and set(learned.predictor.predict(bent(30, classes=True))) <= {"bas", "haut"}
    entry = learned.contest.entries[-1]
    P, truth = entry.outcome.predictions[0], entry.route.truth
    decided = np.argmin(P @ np.array(costs).T, axis=1)
    np.testing.assert_allclose(entry.outcome.losses[0], np.array(costs)[decided, truth])


def test_weights_are_sparse_and_add_to_one():
    rng = np.random.default_rng(0)
    E = rng.normal(size=(500, 1)) + 0.5 * rng.normal(size=(500, 6)) * np.array([1, 1, 2, 3, 5, 9])
    w = sparse_weights(E.T @ E)
    assert w.sum() == pytest.approx(1) and set(w[w < 0.05]) <= {0.0} and w[0] > 0.2


def test_trees_see_one_column_for_each_category():
    learned = epee.learn(bent(), "y", predictors=["boosting"], folds=4, prefer="accuracy")
    steps = [step for _, step in learned.predictor.model.steps]
    assert isinstance(steps[0], TreeColumns) and steps[-1].is_categorical_.tolist() == [False, False, True]


def test_large_forests_are_judged_out_of_the_bag(monkeypatch):
    monkeypatch.setattr("epee.estimator.ensemble_trials.MANY", 150)
    learned = epee.learn(bent(), "y", predictors=["forest"], folds=5, prefer="accuracy")
    entry = learned.contest.entries[1]
    fitted = entry.route.fit_rows(None)
    np.testing.assert_allclose(entry.outcome.predictions[0], last_of(fitted).oob_prediction_)


def test_a_skewed_target_is_also_predicted_on_the_log_scale():
    rng = np.random.default_rng(0)
    a = rng.normal(size=300)
    table = pa.table({"a": a, "y": np.exp(1.2 * a + 0.4 * rng.normal(size=300))})
    learned = epee.learn(table, "y", predictors=["ridge", "log_ridge"], folds=5)
    errors = {row["key"]: row["value"] for row in learned.facts["leaderboard"]}
    assert errors["log_ridge"] < errors["ridge"]
    plain = epee.learn(
        bent(), "y", predictors=["ridge", "log_ridge"], folds=5
    )  # negative values: it cannot run, and says so
    assert [d["name"] for d in plain.card["dropped"]] == ["ridge regression of the logarithm"]


@pytest.mark.parametrize("loss", ["log", "brier", "auc"])
def test_probabilities_are_combined_whatever_judges_them(loss):
    """A mean of probabilities gives probabilities: it is tried under every loss that needs them, or ranks by them."""
    asked = {"predictors": ["naive_bayes", "lda", "combination"], "folds": 4, "loss": loss}
    board = {
        line["key"]: line["value"]
        for line in epee.learn(epee.samples.load("iris"), "species", **asked).facts["leaderboard"]
    }
    assert board["combination"] < 0.8 * board["naive_bayes"]
    assert board["combination"] < 2.5 * board["lda"] + 1e-9


def test_the_plain_mean_is_that_of_those_within_one_standard_error():
    """The sums of products of squared errors tell the same as the rows."""
    rng = np.random.default_rng(4)
    error = rng.normal(size=(120, 5, 1)) * np.array([1.0, 1.03, 1.1, 1.4, 3.0])[:, None]
    by = rng.integers(0, 6, 120)
    sums = Sums.of(error, np.ones(120), by, 6)
    for fold in (None, 0, 5):
        loss = (error[by != fold, :, 0]) ** 2
        best = loss.mean(axis=0).argmin()
        gap = loss - loss[:, [best]]
        near = gap.mean(axis=0) <= gap.std(axis=0, ddof=1) / np.sqrt(len(gap)) + 1e-12
        np.testing.assert_allclose(plain_mean(sums.without(fold)), near / near.sum(), atol=1e-12)
        assert 1 <= near.sum() < 5


def test_the_rule_that_errs_less_is_taken(mixed):
    entry = mixed.contest.entries[-1]
    tried = [one for one in KEPT if one.route is entry.route]
    assert len(tried) == 2 and entry.curve.losses.shape[1] == 2
    assert entry.risk.value == min(one.risk.value for one in tried) == entry.curve.cv[entry.curve.best]
    for one in tried:
        assert sum(weight for _, weight in one.members) == pytest.approx(1)
    assert len({weight for _, weight in tried[0].members}) == 1  # the plain mean
