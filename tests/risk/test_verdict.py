"""The rule of choice among classifiers: where rates of errors cannot tell candidates apart, the Brier score decides."""

from __future__ import annotations

import numpy as np
import pytest

from epee import options
from epee.risk.cross_validation import CrossValidation
from epee.risk.intervals import Interval
from epee.risk.verdict import Verdict
from epee.risk.winner import Nested

N, FOLDS = 200, 10


def errors(rate, seed):
    """Return which rows are wrong: as many as the rate says, drawn."""
    wrong = np.zeros(N)
    wrong[np.random.default_rng(seed).permutation(N)[: round(rate * N)]] = 1.0
    return wrong


def risk_of(wrong):
    per_fold = wrong.reshape(FOLDS, -1).mean(axis=1)
    bar = float(per_fold.std(ddof=1) / np.sqrt(FOLDS))
    return CrossValidation(
        float(per_fold.mean()), bar, Interval(0.0, 1.0), 0.95, float(N), "zero_one", "10 folds", per_fold=per_fold,
        n_folds=FOLDS, sizes=np.full(FOLDS, N / FOLDS), row_losses=wrong, pooled=float(wrong.mean()),
    )  # fmt: skip


def judged(rates, scores, prefer="accuracy", **beside):
    """Return the verdict over candidates from the simplest on, with rates of errors and mean Brier scores."""
    wrong = [errors(rate, seed) for seed, rate in enumerate(rates)]
    brier = [np.full((N, 1), score) for score in scores]
    return Verdict(
        [f"c{i}" for i in range(len(rates))], [risk_of(w) for w in wrong], np.arange(float(len(rates))), prefer=prefer,
        losses=[w[:, None] for w in wrong], scores=np.array(scores), brier=brier, draws=200, **beside,
    )  # fmt: skip


def test_of_equal_rates_the_least_brier_score_is_taken():
    assert judged([0.2, 0.2, 0.2], [0.15, 0.12, 0.14]).chosen == 1
    assert judged([0.2, 0.2, 0.2], [0.12, 0.12, 0.12]).chosen == 0  # all the same: the simplest


def test_what_cannot_be_told_apart_is_as_good_as_equal():
    found = judged([0.205, 0.2, 0.21], [0.15, 0.14, 0.12])
    assert found.best == 1 and found.near == [0, 1, 2] and found.chosen == 2


@pytest.mark.parametrize("prefer", ["accuracy", "balance", "simplicity"])
def test_a_clear_difference_of_rates_is_never_overruled(prefer):
    found = judged([0.4, 0.1, 0.45], [0.02, 0.2, 0.01], prefer)
    assert found.near == [1] and found.chosen == 1 and not found.by_brier


def test_balance_takes_the_simplest_whose_score_is_hardly_larger():
    assert judged([0.2, 0.2, 0.2], [0.150, 0.1015, 0.1], "balance").chosen == 1
    assert judged([0.2, 0.2, 0.2], [0.150, 0.1025, 0.1], "balance").chosen == 2
    assert judged([0.2, 0.2, 0.2], [0.101, 0.1015, 0.1], "balance").chosen == 0
    assert (
        judged([0.02, 0.02, 0.02], [0.0115, 0.0111, 0.01], "balance").chosen == 1
    )  # 0.25 / 200: a row of which nothing is known


def test_simplicity_asks_for_no_score():
    found = judged([0.2, 0.2, 0.2], [0.15, 0.12, 0.14], "simplicity")
    assert found.chosen == 0 and not found.by_brier


def test_the_baseline_is_taken_where_it_is_as_near():
    assert judged([0.205, 0.2, 0.2], [0.3, 0.12, 0.14], "balance", baseline=0).chosen == 0
    assert judged([0.5, 0.2, 0.2], [0.3, 0.12, 0.14], "balance", baseline=0).chosen == 1


def test_a_candidate_without_probabilities_has_no_say():
    found = judged([0.2, 0.195, 0.2], [0.15, np.nan, 0.12], silent=[False, True, False])
    assert found.best == 1 and found.chosen == 2
    alone = judged([0.4, 0.1, 0.4], [0.15, np.nan, 0.12], silent=[False, True, False])
    assert alone.chosen == 1  # the others are clearly worse


@pytest.mark.parametrize("prefer", ["accuracy", "balance", "simplicity"])
def test_an_unknown_score_leaves_the_choice_to_the_errors(prefer):
    """One that gives probabilities nobody asked for is not passed over for want of a score."""
    rates, scores = [0.21, 0.2, 0.2], [0.15, np.nan, 0.12]
    found, without = judged(rates, scores, prefer), judged(rates, scores, prefer)
    object.__setattr__(without, "scores", None)
    assert found.chosen == without.chosen and not found.by_brier


@pytest.mark.parametrize(("prefer", "most"), [("accuracy", 1.0), ("balance", 1.02)])
def test_every_draw_follows_the_same_rule(prefer, most):
    """In each drawn sample: least rate of each family, those within one standard error, then the score; written out as a loop."""
    rng = np.random.default_rng(0)
    wrong = (rng.random((N, 6)) < 0.2).astype(float)
    brier = np.clip(0.15 + 0.1 * rng.normal(size=(N, 6)), 0, 1)
    losses, scores = ([table[:, :3], table[:, 3:4], table[:, 4:]] for table in (wrong, brier))
    risks = [risk_of(block[:, 0]) for block in losses]
    found = Verdict(list("abc"), risks, np.arange(3.0), prefer=prefer, losses=losses, brier=scores)
    drawn = np.stack([np.random.default_rng([1, b]).integers(N, size=N) for b in range(60)])
    means, beside = wrong[drawn].mean(axis=1), brier[drawn].mean(axis=1)
    expected = []
    for m, s in zip(means, beside, strict=True):
        picked = [int(np.argmin(m[:3])), 3, 4 + int(np.argmin(m[4:]))]
        best = min(picked, key=lambda j: m[j])
        near = [j for j in picked if m[j] - m[best] <= np.std(wrong[:, j] - wrong[:, best], ddof=1) / np.sqrt(N)]
        expected.append(next(j for j in near if s[j] <= most * s[near].min()))
    assert len(set(expected)) > 3
    assert found._rule(wrong)(means, beside).tolist() == expected


def test_the_error_is_corrected_for_a_choice_by_the_score_too():
    """Eight candidates that all err on 3 rows of 10; scores follow the errors somewhat. What was chosen errs on 3 of 10, too."""
    looks, gaps = [], []
    for seed in range(150):
        rng = np.random.default_rng([2, seed])
        wrong = (rng.random((N, 8)) < 0.3).astype(float)
        brier = 0.3 * wrong + 0.5 * rng.random((N, 8))
        found = Verdict(
            list("abcdefgh"), [risk_of(w) for w in wrong.T], np.arange(8.0), prefer="accuracy", draws=150,
            losses=[w[:, None] for w in wrong.T], scores=brier.mean(axis=0), brier=[b[:, None] for b in brier.T],
        )  # fmt: skip
        looks.append(found.values[found.chosen] - 0.3)
        gaps.append(found.corrected - 0.3)
    bar = np.std(gaps) / np.sqrt(len(gaps))
    assert np.mean(looks) < -10 * bar and abs(np.mean(gaps)) < 0.003 + 2.5 * bar


def test_draws_without_scores_are_as_before():
    found = judged([0.2, 0.21, 0.19], [np.nan] * 3)
    without = judged([0.2, 0.21, 0.19], [np.nan] * 3)
    object.__setattr__(without, "brier", None)
    object.__setattr__(without, "scores", None)
    assert found.optimism.value == without.optimism.value and found.chosen == without.chosen == found.best


def test_the_words_say_that_the_score_decided():
    found = judged([0.2, 0.2, 0.2], [0.15, 0.12, 0.14])
    assert (
        "c1: of those within one standard error of the smallest error, it has the smallest Brier score"
        in found.sentences()[0]
    )
    cheap = judged([0.2, 0.2, 0.2], [0.15, 0.121, 0.12], "balance")
    assert "the simplest whose Brier score is hardly larger" in cheap.sentences()[0]
    with options(language="fr"):
        assert "il a le plus petit score de Brier" in found.sentences()[0]
    assert "Brier" not in " ".join(judged([0.2, 0.2], [0.12, 0.15], "balance").sentences())  # the simplest anyway


def test_a_rule_that_does_better_than_it_looks_is_told_so():
    """The error of the rule without each part is an estimate: below the apparent one it is as it is, and so are the words."""
    found = judged([0.2, 0.21, 0.19], [np.nan] * 3)
    least = Nested(np.full((1, 3, 3, 3), 0.18), np.ones((1, 3)))
    object.__setattr__(found, "nested", lambda: least)
    assert found.optimism.value == pytest.approx(0.18 - found.risks[found.chosen].pooled) and found.optimism.value < 0
    assert found.corrected == pytest.approx(0.18)
    assert found.sentences()[-1].startswith("The best of 3 candidates looks no better than it is")
    with options(language="fr"):
        assert "ne paraît pas meilleur" in found.sentences()[-1]
