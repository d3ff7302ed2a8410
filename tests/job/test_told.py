"""Rows that belong together, as was told: every figure of the card has the error bar of the groups, or of the rows in time."""

import re

import numpy as np
import pyarrow as pa
import pytest

import epee
from epee import LinearDiscriminantAnalysis, risk
from epee.job import policy
from epee.job.findings.classes import calibration
from epee.job.findings.evidence import Evidence
from epee.job.merit import Shares
from epee.job.thresholds import along
from epee.job.told import Told
from epee.risk.class_figures import class_figures
from epee.risk.held_rows import held_rows
from epee.table.raw import RawBlock
from tests.job.test_merit import rare


def families(seed=0, many=40, each=8, shuffled=True):
    """Return rows of families that share what no column tells."""
    rng = np.random.default_rng(seed)
    g, n = np.repeat(np.arange(many), each), many * each
    z, shared = rng.normal(size=n), np.repeat(rng.normal(size=many), each)
    y = 3 * z + 2 * shared + 0.3 * rng.normal(size=n)
    order = rng.permutation(n) if shuffled else np.arange(n)
    columns = {
        "g": np.array([f"p{i}" for i in g]),
        "z": z,
        "y": y,
        "c": np.where(y > 0, "yes", "no"),
        "t": np.arange(n),
    }
    return pa.table({name: values[order] for name, values in columns.items()})


def ends(figure):
    return np.array([figure["low"], figure["high"]])


@pytest.fixture(scope="module")
def grouped():
    ignored = {"y": "ignore", "t": "ignore"}
    return epee.learn(families(), "c", groups="g", types=ignored, predictors=["lda", "tree"], folds=5).card


def test_one_number_has_one_interval(grouped):
    card, names = grouped, ("low", "high")
    np.testing.assert_allclose(ends(card["scores"]["zero_one"]), ends(card["test"]))
    for k, own in enumerate(card["by_class"]):
        np.testing.assert_allclose(ends(own["recall"]), [card["confusion"][name][k][k] for name in names])
    np.testing.assert_allclose(ends(card["by_class"][1]["f1"]), ends(card["scores"]["f1"]))


def test_every_score_counts_groups(grouped):
    many = {name: figure["how"] for name, figure in grouped["scores"].items()}
    assert all("groups" in how for how in many.values()), many


def test_bands_of_rows_in_time_are_as_much_longer_as_the_error_bar_of_the_area():
    """Those of groups draw whole groups."""
    rng = np.random.default_rng(1)
    X = np.column_stack([np.repeat(rng.normal(size=20), 10), rng.normal(size=200)])
    own = X[:, 0] + 0.5 * rng.normal(size=200) > 0
    model = LinearDiscriminantAnalysis().fit(rng.normal(size=(50, 2)), np.arange(50) % 2)
    alone = risk.roc_auc(model, X, own.astype(int), groups=np.arange(200)).stderr
    longer = []
    for time in (None, np.arange(200)):
        shares = Shares(held_rows(model, X, own.astype(int), None, 0.95, time=time), 0.95, None)
        score = risk.roc_auc(model, X, own.astype(int), time=time)
        longer.append(shares.longer(model.predict_proba(X)[:, 1], own))
        assert time is None or longer[-1] == pytest.approx(score.stderr / alone, rel=0.02)
    assert longer[0] == 1 and longer[1] > 1.3


@pytest.mark.parametrize("told", [{"groups": "g"}, {"time": "t"}])
def test_the_share_that_is_explained_is_as_unsure_as_the_error(told):
    ignored = dict.fromkeys({"c", "g", "t"} - set(told.values()), "ignore")
    card = epee.learn(families(shuffled=False), "y", types=ignored, predictors=["linear"], folds=5, **told).card
    said = "groups" if "groups" in told else "in time"
    assert said in card["scores"]["r2"]["how"] and said in card["scores"]["absolute"]["how"]
    assert all(item["low"] is None for item in card["uses"]["coefficients"]) and card["uses"]["together"]


def test_a_table_that_passes_by_knows_its_groups(monkeypatch, tmp_path):
    table, asked = (
        families(),
        {"groups": "g", "types": {"y": "ignore", "t": "ignore"}, "predictors": ["lda"], "folds": 5},
    )
    at_hand = epee.learn(table, "c", **asked).card
    monkeypatch.setattr(policy, "POLICY", policy.Policy(cells=10))
    passing = epee.learn(table, "c", **asked).card
    for name, figure in at_hand["scores"].items():
        np.testing.assert_allclose(ends(passing["scores"][name]), ends(figure), rtol=1e-6, atol=1e-8)
    monkeypatch.setattr(policy, "POLICY", policy.Policy(cells=10, looked_sealed=30))
    some = epee.learn(table, "c", **asked).card
    n_groups = int(some["scores"]["log"]["how"].split()[-2])
    assert 4 <= n_groups <= 8  # of 30 rows of whole families of eight


def test_a_copy_that_is_told_adds_nothing():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 2))
    c = (X[:, 0] + rng.normal(size=300) > 0).astype(int)
    model, twice = LinearDiscriminantAnalysis().fit(X[:100], c[:100]), np.repeat(np.arange(100, 300), 2)
    lengths = []
    for rows, groups in ((np.arange(100, 300), None), (twice, twice)):
        held = held_rows(model, X[rows], c[rows], None, 0.95, groups=groups)
        p, said = model.predict_proba(X[rows])[:, 1], model.predict(X[rows])
        figures = class_figures(held, c[rows], said, 2, 0.95)
        points = Shares(held, 0.95, None).in_bins(p, c[rows].astype(float))[:10]
        saved = along(p, c[rows] == 1, np.ones(len(rows)), [[0, 5], [1, 0]], Told(groups))
        parts = [getattr(own, name) for own in figures for name in ("precision", "recall", "f1")]
        lengths.append(
            [*(s.high - s.low for s in parts), *(q["high"] - q["low"] for q in points), saved["saves_stderr"]]
        )
    np.testing.assert_allclose(lengths[1], lengths[0], rtol=0.12)


def test_figures_of_a_class_are_those_of_the_scores():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(200, 2))
    c, w = (X[:, 0] + rng.normal(size=200) > 0).astype(int), rng.exponential(size=100)
    model, g = LinearDiscriminantAnalysis().fit(X[:100], c[:100]), rng.integers(0, 30, 100)
    for beside in ({}, {"groups": g}, {"groups": g, "sample_weight": w}):
        held = held_rows(model, X[100:], c[100:], beside.get("sample_weight"), 0.95, groups=beside.get("groups"))
        own = class_figures(held, c[100:], model.predict(X[100:]), 2, 0.95)[1]
        score = risk.f1(model, X[100:], c[100:], **beside)
        matrix = risk.confusion_matrix(model, X[100:], c[100:], **beside)
        np.testing.assert_allclose(
            [own.f1.value, own.f1.stderr, *own.f1.interval], [score.value, score.stderr, *score.interval]
        )
        np.testing.assert_allclose(own.recall.interval, [matrix.low[1, 1], matrix.high[1, 1]])


def test_the_area_that_is_said_counts_groups():
    """Rows that are there three times, told as groups, are worth as much as once."""
    one, rng = rare(), np.random.default_rng(0)
    x, _, y = (column.to_numpy(zero_copy_only=False) for column in one.columns)
    order = rng.permutation(4500)
    columns = {
        "x": np.repeat(x, 3),
        "z": rng.normal(size=4500),
        "y": np.repeat(y, 3),
        "g": np.repeat(np.arange(1500), 3).astype(str),
    }
    three = pa.table({name: column[order] for name, column in columns.items()})
    lengths = []
    for table, asked in ((one, {}), (three, {"groups": "g"})):
        verdict = epee.learn(table, "y", predictors=["lda"], folds=5, **asked).verdict
        low, high = map(float, re.search(r"linear discriminant is [\d.]+ \[([\d.]+), ([\d.]+)\]", verdict).groups())
        lengths.append(high - low)
    assert lengths[1] == pytest.approx(lengths[0], rel=0.3)  # rows that stood alone would make it 0.58 of that


def test_a_doubt_about_probabilities_counts_groups():
    rng, suspicions = np.random.default_rng(7), []
    p = rng.uniform(0.2, 0.8, 200)
    y = (rng.random(200) < np.clip(p + 0.2 * np.sign(p - 0.5), 0, 1)).astype(int)
    for times, told in ((1, None), (6, Told(np.repeat(np.arange(200), 6))), (6, None)):
        q, own = np.repeat(p, times), np.repeat(y, times)
        rows = np.arange(len(q))
        raw, P = RawBlock({}, rows=len(q)), np.column_stack([1 - q, q])
        suspicions.append(
            calibration(Evidence((), {}, raw, y=own, classes=np.arange(2), test=rows, probabilities=P, told=told))
        )
    once, grouped, alone = suspicions
    assert grouped.stderr == pytest.approx(once.stderr, rel=0.15) and alone.stderr < 0.5 * once.stderr
    assert alone.p_value < min(once.p_value, grouped.p_value)


def test_what_rounding_leaves_is_no_use():
    rng = np.random.default_rng(0)
    table = pa.table(
        {"a": rng.normal(size=200), "b": rng.normal(size=200), "y": np.exp(2 * rng.normal(size=200)) + 1e3}
    )
    card = epee.learn(table, "y", predictors=["baseline"], folds=5).card
    assert all(item["value"] == 0 and item["stderr"] == 0 for item in card["uses"]["items"])
    assert all(pair["value"] == 0 and pair["share"] == 0 for pair in card["effects"]["interactions"])
