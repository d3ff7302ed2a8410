"""The choice made again without each fold: errors inside by merges, by the losses of the other folds elsewhere."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import epee
from epee.job import policy
from epee.job.choosing_again import nested_entries
from epee.losses.brier import Brier


def table(kind, n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = X[:, 0] + X[:, 1] + rng.normal(size=n)
    frame = pd.DataFrame(X, columns=list("abc"))
    return frame.assign(y=y if kind == "numbers" else np.where(y > 0, "yes", "no"))


def nested_of(frame, predictors, **settings):
    learned = epee.learn(frame, "y", predictors=predictors, test_size=0, folds=5, **settings)
    entries, ground = learned.contest.nested.args
    return learned, nested_entries(entries, ground), entries, ground


def inside(model, X, y, fold, losses):
    """Return the mean losses (K,) of cross-validations of the rows without each fold, refitted one by one."""
    K, out = int(fold.max()) + 1, []
    for k in range(K):
        parts = []
        for j in range(K):
            if j != k:
                kept, tested = (fold != j) & (fold != k), fold == j
                parts.append(losses(model.fit(X[kept], y[kept]), X[tested], y[tested]))
        out.append(np.concatenate(parts).mean())
    return np.array(out)


def test_errors_inside_are_those_of_refits_for_predictors_on_sums():
    frame = table("numbers")
    _, found, entries, ground = nested_of(frame, ["linear", "ridge"])
    X, y, fold = frame[list("abc")].to_numpy(), frame["y"].to_numpy(), ground.hand.cell
    expected = inside(epee.LinearRegression(), X, y, fold, lambda m, A, b: (m.predict(A) - b) ** 2)
    place = 1  # behind the baseline, which is far and needs none
    np.testing.assert_allclose(found.inner[0, :, place], expected, rtol=1e-9)
    by_row = entries[1].curve.losses[:, 0]
    np.testing.assert_allclose(found.outer[0, :, place], [by_row[fold == k].mean() for k in range(5)], rtol=1e-12)


def test_brier_scores_inside_are_those_of_refits_too():
    frame = table("classes")
    _, found, entries, ground = nested_of(frame, ["naive_bayes", "qda"])
    X, y, fold = frame[list("abc")].to_numpy(), frame["y"].to_numpy(), ground.hand.cell
    model = entries[1].candidate.model(ground.setting)

    def brier(m, A, b):
        return Brier().value(m.predict_proba(A), np.searchsorted(m.classes_, b))

    np.testing.assert_allclose(found.inner_beside[0, :, 1], inside(model, X, y, fold, brier), rtol=1e-7)
    rates = inside(model, X, y, fold, lambda m, A, b: (m.predict(A) != b).astype(float))
    np.testing.assert_allclose(found.inner[0, :, 1], rates, rtol=1e-9)


def test_errors_inside_of_refitted_predictors_are_the_losses_of_the_other_folds():
    learned, found, entries, ground = nested_of(table("numbers"), ["linear", "tree"])
    fold, at = ground.hand.cell, 2
    tree = entries[at].curve.losses
    expected = np.stack([tree[fold != k].mean(axis=0) for k in range(5)])
    np.testing.assert_allclose(found.inner[0][:, at:], expected, rtol=1e-9)
    assert found.often.inner.shape == (ground.repeats, 5, 3) and found.once.inner.shape == (1, 5, 3)
    assert learned.facts["optimism"]["value"] == learned.contest.optimism.value >= 0


def test_one_level_for_all_where_some_learned_inside_from_fewer_rows():
    """Merges beside a tree: their differences among each other and from fold to fold are those of merges alone."""
    frame = table("numbers")
    alone, beside = (nested_of(frame, [*names])[1].inner[0, :, 1] for names in (["linear"], ["linear", "tree"]))
    np.testing.assert_allclose(beside - alone, (beside - alone).mean(), atol=1e-12)


@pytest.mark.parametrize("settings", [{"time": "t"}, {"loss": "auc"}])
def test_where_folds_do_not_part_the_rows_or_rank_them_the_losses_are_drawn(settings):
    frame = table("classes").assign(t=np.arange(60.0))
    learned, found, *_ = nested_of(frame, ["naive_bayes", "lda"], **settings)
    assert found is None and np.isfinite(learned.contest.optimism.value)


def test_rows_that_pass_by_are_drawn(monkeypatch):
    monkeypatch.setattr(policy, "POLICY", policy.Policy(cells=10))
    learned, found, *_ = nested_of(table("numbers"), ["linear", "ridge"])
    assert found is None and learned.contest.optimism.value >= 0


def test_counted_errors_of_refitted_predictors_are_drawn_as_they_would_leak():
    """Beside a tree that may be chosen the losses are drawn; where all are merges the choice is made again."""
    frame = table("classes")
    assert nested_of(frame, ["lda", "tree"])[1] is None
    assert nested_of(frame, ["lda", "naive_bayes"])[1] is not None
