"""The choice made again without each part of the rows: errors inside by merges and by fits, by the losses of the other parts elsewhere."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import epee
from epee.job import policy
from epee.job.choosing_again import _dealt, _near, nested_entries
from epee.losses.brier import Brier
from epee.risk.winner import Nested


def table(kind, n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = X[:, 0] + X[:, 1] + rng.normal(size=n)
    frame = pd.DataFrame(X, columns=list("abc"))
    return frame.assign(y=y if kind == "numbers" else np.where(y > 0, "yes", "no"))


def nested_of(frame, predictors, **settings):
    learned = epee.learn(frame, "y", predictors=predictors, test_size=0, folds=5, **settings)
    entries, ground, refits = learned.contest.nested.args
    return learned, nested_entries(entries, ground, refits), entries, ground


def inside(model, X, y, part, losses):
    """Return the mean losses (G,) of cross-validations of the rows without each part, refitted one by one."""
    G, out = int(part.max()) + 1, []
    for k in range(G):
        parts = []
        for j in range(G):
            if j != k:
                kept, tested = (part != j) & (part != k), part == j
                parts.append(losses(model.fit(X[kept], y[kept]), X[tested], y[tested]))
        out.append(np.concatenate(parts).mean())
    return np.array(out)


def judged(entry, inside=False):
    """Return the losses (n, V) of the first folds, moved by what the mean over all repeats adds at the value that is taken."""
    c, losses = entry.curve, np.atleast_2d(entry.risk.losses).mean(axis=0)
    moved = c.losses + (losses - c.losses[:, c.best])[:, None]
    return np.where(np.arange(len(c.values)) == c.best, moved, c.losses) if inside else moved


def alike(found, expected):
    """Tell whether errors differ by one figure for all: what is lost by learning from fewer rows."""
    gap = np.asarray(found) - np.asarray(expected)
    np.testing.assert_allclose(gap, gap.mean(), atol=1e-9)


def brier(m, A, b):
    return Brier().value(m.predict_proba(A), np.searchsorted(m.classes_, b))


def test_errors_inside_are_those_of_refits_for_predictors_on_sums():
    frame = table("numbers")
    _, found, entries, ground = nested_of(frame, ["linear", "ridge"])
    X, y, part = frame[list("abc")].to_numpy(), frame["y"].to_numpy(), _dealt(ground, 5)
    expected = inside(epee.LinearRegression(), X, y, part, lambda m, A, b: (m.predict(A) - b) ** 2)
    place = 1  # behind the baseline, which is far and needs none
    alike(found.inner[0, :, place], expected)
    assert found.inner[..., 1:].mean() == pytest.approx(found.outer[..., 1:].mean())
    by_row = judged(entries[1], True)[:, 0]
    np.testing.assert_allclose(found.outer[0, :, place], [by_row[part == k].mean() for k in range(5)], rtol=1e-12)


@pytest.mark.parametrize("key", ["qda", "neighbours", "tree"])
def test_rates_and_brier_scores_inside_are_those_of_refits(key):
    """Of merges and of those who are fitted again alike; of all values at once where one fit gives them."""
    frame = table("classes")
    _, found, entries, ground = nested_of(frame, ["naive_bayes", key])
    X, y, part = frame[list("abc")].to_numpy(), frame["y"].to_numpy(), _dealt(ground, 5)
    assert ground.repeats == 5 and (np.bincount(part) == 12).all()
    entry, at = entries[2], sum(len(e.curve.values) for e in entries[:2])
    near = _near(np.column_stack([e.curve.losses for e in entries]))[at:]
    assert near.any()
    models = [
        entry.candidate.model(ground.setting, value) for value in np.array(entry.curve.values, dtype=object)[near]
    ]
    rates = [inside(m, X, y, part, lambda m, A, b: (m.predict(A) != b).astype(float)) for m in models]
    alike(found.inner[0][:, at:][:, near].T, rates)
    alike(Nested(found.beside, found.sizes).inner[0][:, at:][:, near].T, [inside(m, X, y, part, brier) for m in models])


def test_squared_errors_of_refitted_predictors_are_the_losses_of_the_other_parts():
    learned, found, entries, ground = nested_of(table("numbers"), ["linear", "tree"])
    part, at = _dealt(ground, 5), 2
    tree = judged(entries[at])
    expected = np.stack([tree[part != k].mean(axis=0) for k in range(5)])
    np.testing.assert_allclose(found.inner[0][:, at:], expected, rtol=1e-9)
    assert learned.facts["optimism"]["value"] == learned.contest.optimism.value


def test_rows_are_judged_in_all_repeats_as_they_are_when_the_candidates_are_compared():
    """At the value that is taken a row's loss is its mean over all repeats, so that a choice that is always the same has no optimism."""
    learned, found, entries, _ = nested_of(table("numbers"), ["linear", "tree"])
    assert len(np.atleast_2d(entries[2].risk.losses)) == 5
    at = np.cumsum([0, *(len(e.curve.values) for e in entries[:-1])]) + [e.curve.best for e in entries]
    values = [e.risk.pooled for e in entries]
    np.testing.assert_allclose(found.overall[at], values, rtol=1e-12)
    assert found.error(lambda means, _: np.full(len(means), at[1])) == pytest.approx(values[1], rel=1e-12)


def test_a_combination_changes_inside_as_its_members_do():
    _, found, entries, ground = nested_of(table("classes"), ["lda", "neighbours", "logistic", "combination"])
    ends = np.cumsum([0, *(len(e.curve.values) for e in entries)])
    part, last = _dealt(ground, 5), entries[-1]
    plain = np.stack(
        [
            np.column_stack([judged(e, e.candidate.key != "combination") for e in entries])[part != k].mean(axis=0)
            for k in range(5)
        ]
    )
    at = {e.candidate.key: ends[j] + e.curve.best for j, e in enumerate(entries)}
    assert len(last.members) > 1
    alike(
        (found.inner[0] - plain)[:, at["combination"]],
        sum(w * (found.inner[0] - plain)[:, at[e.candidate.key]] for e, w in last.members),
    )


def test_parts_keep_groups_together_and_are_not_dealt_by_class():
    frame = table("classes").assign(g=np.repeat(np.arange(20), 3))
    _, found, _, ground = nested_of(frame, ["lda", "tree"], groups="g")
    part = _dealt(ground, 5)
    assert all(len(set(part[3 * k : 3 * k + 3])) == 1 for k in range(20)) and found.sizes.sum() == 60
    shares = [np.mean(frame["y"][_dealt(nested_of(frame, ["lda"])[3], 5) == k] == "yes") for k in range(5)]
    assert np.ptp(shares) > 0.1


@pytest.mark.parametrize("settings", [{"time": "t"}, {"loss": "auc"}])
def test_where_folds_do_not_part_the_rows_or_rank_them_the_losses_are_drawn(settings):
    frame = table("classes").assign(t=np.arange(60.0))
    learned, found, *_ = nested_of(frame, ["naive_bayes", "lda"], **settings)
    assert found is None and np.isfinite(learned.contest.optimism.value)


def test_rows_that_pass_by_are_drawn(monkeypatch):
    monkeypatch.setattr(policy, "POLICY", policy.Policy(cells=10))
    learned, found, *_ = nested_of(table("numbers"), ["linear", "ridge"])
    assert found is None and learned.contest.optimism.value >= 0


def test_counted_errors_of_predictors_that_are_not_fitted_again_are_drawn_as_they_would_leak():
    """Folds that are drawn less often than five times say that fits are dear; where all are merges the choice is made again."""
    frame = table("classes")
    entries, ground, _ = nested_of(frame, ["lda", "tree"])[0].contest.nested.args
    assert nested_entries(entries, ground) is not None
    assert nested_entries(entries, ground, refits=False) is None
    assert nested_entries(entries, replace(ground, repeats=4)) is None
    entries, ground, _ = nested_of(frame, ["lda", "naive_bayes"])[0].contest.nested.args
    assert nested_entries(entries, replace(ground, repeats=1), refits=False) is not None
