from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import epee
from epee.errors import BadFile, DataError
from epee.job.assessment import assess
from epee.job.bundle import load_to_predict
from epee.job.sealing import fingerprints
from epee.job.state import Reader, Writer
from tests.job.conftest import blobs, line

OLD = Path(__file__).parent / "data"


@pytest.fixture
def saved(classifier, tmp_path):
    return classifier.save(tmp_path / "t.epee")


def test_loading_predicts_the_same_to_the_last_bit(classifier, regressor, tmp_path):
    for learned, table in ((classifier, blobs(seed=4)), (regressor, line(seed=4))):
        again = epee.load(learned.save(tmp_path / "t.epee"))
        np.testing.assert_array_equal(again.predictor.predict(table), learned.predictor.predict(table))
        assert again.verdict == learned.verdict and str(again.risk) == str(learned.risk)
        assert again.card == learned.card
    assert (tmp_path / "t.epee").read_bytes() == again.save(tmp_path / "u.epee").read_bytes()


@pytest.mark.parametrize(
    "key",
    [
        "baseline",
        "naive_bayes",
        "least_squares",
        "fisher",
        "lda",
        "logistic",
        "qda",
        "products",
        "tree",
        "neighbours",
        "mixture",
        "linear",
        "ridge",
        "lasso",
        "additive",
    ],
)
def test_every_predictor_of_the_hierarchy_can_be_saved(key, request):
    from epee.job.hierarchy import Setting, hierarchy

    tasks = ("classification", "regression")
    places = [(t, c) for t in tasks for c in hierarchy(Setting(t, 90, 3, 2, 40)) if c.key == key]
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    for task, candidate in places:
        y = np.array(["u", "v"])[(X[:, 0] > 0).astype(int)] if task == "classification" else X @ [1.0, 2.0, 0.5]
        s = Setting(task, 90, 3, 2, 40)
        grid = candidate.grid(s)
        model = candidate.model(s, grid[len(grid) // 2]).fit(X, y)
        writer = Writer()
        plain = json.loads(json.dumps(writer.write(model), allow_nan=False))
        arrays = {}
        for name, array in writer.arrays.items():
            out = io.BytesIO()
            np.save(out, array, allow_pickle=False)
            arrays[name] = np.load(io.BytesIO(out.getvalue()), allow_pickle=False)
        again = Reader(arrays).read(plain)
        np.testing.assert_array_equal(again.predict(X), model.predict(X))
        if hasattr(model, "predict_proba"):
            np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def rewrite(path, change):
    """Write a bundle again with changed members and honest checksums, as an attacker would."""
    with zipfile.ZipFile(path) as bundle:
        members = {name: bundle.read(name) for name in bundle.namelist()}
    change(members)
    manifest = json.loads(members["manifest.json"])
    manifest["members"] = {k: hashlib.sha256(v).hexdigest() for k, v in members.items() if k != "manifest.json"}
    members["manifest.json"] = json.dumps(manifest).encode()
    with zipfile.ZipFile(path, "w") as bundle:
        for name, data in members.items():
            bundle.writestr(name, data)


def hostile(what):
    def change(members):
        state = json.loads(members["predictor.json"])
        state["model"] = what
        members["predictor.json"] = json.dumps(state).encode()

    return change


@pytest.mark.parametrize(
    "what",
    [
        {"$": "estimator", "class": "os.system", "parameters": {}, "fitted": {}},
        {"$": "estimator", "class": "samples", "parameters": {}, "fitted": {}},
        {"$": "part", "class": "Popen", "value": {}},
        {"$": "pickle", "value": "gASV"},
        {"$": "estimator", "class": "Ridge", "parameters": {"colour": 1}, "fitted": {}},
        {"$": "array", "value": "../../etc/passwd"},
    ],
)
def test_a_hostile_file_is_refused(saved, what):
    rewrite(saved, hostile(what))
    with pytest.raises(BadFile, match=r"^t\.epee"):
        epee.load(saved)


def test_a_pickled_array_is_refused(saved):
    def change(members):
        name = next(n for n in members if n.endswith(".npy"))
        out = io.BytesIO()
        np.save(out, np.array([{"a": 1}], dtype=object), allow_pickle=True)
        members[name] = out.getvalue()

    rewrite(saved, change)
    with pytest.raises(BadFile):
        epee.load(saved)


def test_truncated_edited_and_strange_files(saved, tmp_path):
    data = saved.read_bytes()
    for cut in (0, 3, 100, len(data) // 2, len(data) - 1):
        saved.write_bytes(data[:cut])
        with pytest.raises(BadFile, match=r"^t\.epee"):
            epee.load(saved)
    place = data.index(b'"residuals"')
    saved.write_bytes(data[:place] + b'"Residuals"' + data[place + 11 :])
    with pytest.raises(BadFile):
        epee.load(saved)
    saved.write_text("a,b\n1,2\n")
    with pytest.raises(BadFile, match="no predictor of épée"):
        epee.load(saved)
    with pytest.raises(FileNotFoundError):
        epee.load(tmp_path / "absent.epee")


def test_a_later_format_asks_for_an_update(saved):
    def change(members):
        manifest = json.loads(members["manifest.json"])
        members["manifest.json"] = json.dumps(manifest | {"format": 99}).encode()

    rewrite(saved, change)
    with pytest.raises(BadFile, match="format 99.*update"):
        epee.load(saved)


def test_files_of_format_1_stay_loadable():
    expected = json.loads((OLD / "format1.json").read_text())
    learned = epee.load(OLD / "format1.epee")
    rows = {name: np.array(cells) if name != "town" else cells for name, cells in expected["rows"].items()}
    import pyarrow as pa

    table = pa.table(rows)
    assert learned.predictor.predict(table).tolist() == expected["labels"]
    np.testing.assert_allclose(learned.predictor.predict_proba(table), expected["probabilities"], rtol=1e-12)


def test_writing_is_all_or_nothing(classifier, saved, monkeypatch):
    before = saved.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        classifier.save(saved)
    assert saved.read_bytes() == before and [p.name for p in saved.parent.iterdir()] == ["t.epee"]


def test_accounts_of_the_test_sample(classifier, saved):
    table = blobs()  # the rows it learned from, and the sealed ones
    sealed = len(classifier.sealed_rows)
    levels = []
    for k in (2, 3):
        found = assess(saved, table)
        assert found.use == k and found.sealed == sealed and found.learned_from == 240 - sealed
        assert found.risk.n == sealed and found.risk.value == pytest.approx(classifier.risk.value)
        levels.append(found.risk.level)
    np.testing.assert_allclose(levels, [1 - 0.05 / 2, 1 - 0.05 / 3])
    assert len(saved.with_name("t.epee.uses").read_text().splitlines()) == 2


def test_new_rows_have_accounts_of_their_own(saved):
    first = assess(saved, blobs(seed=7))
    assert first.use == 1 and first.sealed == first.learned_from == 0 and first.risk.level == 0.95
    shuffled = blobs(seed=7).take(np.random.default_rng(0).permutation(240))
    assert assess(saved, shuffled).use == 2  # the same rows in another order
    assert assess(saved, blobs(seed=8)).use == 1


def test_rows_that_were_learned_from_are_refused(classifier, saved):
    from epee.job.holding import columns_of
    from epee.job.sealing import fingerprints
    from epee.table.source import TableSource, open_table

    table = blobs()
    raw = columns_of(TableSource(open_table(table)), table.column_names)
    prints = fingerprints(raw, ["a", "b", "town"], {"y": raw.columns["y"]})
    learned_from = np.flatnonzero(np.isin(prints, classifier.training_rows))
    assert len(learned_from) == 240 - len(classifier.sealed_rows)
    with pytest.raises(DataError, match="learned from"):
        assess(saved, table.take(learned_from))


def test_a_damaged_ledger_is_refused(saved):
    assess(saved, blobs(seed=7))
    saved.with_name("t.epee.uses").write_text("nothing happened\n")
    with pytest.raises(BadFile, match="counted"):
        assess(saved, blobs(seed=7))


def test_a_row_counts_as_sealed_as_often_as_it_was_sealed(saved):
    learned = epee.load(saved)
    table = blobs()
    target = {"y": np.array(table.column("y").to_pylist())}
    raw = next(iter(learned.predictor.blocks(table)))
    sealed = np.isin(fingerprints(raw, learned.predictor.feature_names_in_, target), learned.sealed_rows)
    rows = np.flatnonzero(sealed)
    found = assess(saved, table.take(np.concatenate([rows, rows[:5], rows[:2]])))
    assert (found.rows, found.sealed, found.repeated, found.learned_from) == (len(rows) + 7, len(rows), 7, 0)
    assert any("7 more rows repeat sealed rows" in sentence for sentence in found.sentences())
    assert found.to_dict()["sealed_rows_repeated"] == 7


def test_a_label_that_is_not_known_is_no_look(saved):
    table = blobs(seed=7)
    odd = table.set_column(3, "y", pa.array(["eggs"] * len(table)))
    with pytest.raises(DataError, match="'eggs' was never seen"):
        assess(saved, odd)
    assert not saved.with_name("t.epee.uses").exists()


@pytest.mark.parametrize(
    ("where", "what"),
    [
        (("model",), None),
        (("model", "value", 1, 1, "value", "fitted", "coef_"), []),
        (("model", "value", 1, 1, "value", "fitted", "classes_"), 7),
        (("encoder", "value", "schema", 0, "missing"), {}),
        (("encoder", "value", "kept", "town", 0, 0), True),
    ],
)
def test_values_edited_with_care_are_refused_before_they_are_used(where, what, tmp_path):
    path = epee.learn(blobs(), "y", predictors=["lda"], folds=3).save(tmp_path / "t.epee")
    assert load_to_predict(path)

    def change(members):
        state = json.loads(members["predictor.json"])
        place = state
        for key in where[:-1]:
            place = place[key]
        place[where[-1]] = what
        members["predictor.json"] = json.dumps(state).encode()

    rewrite(path, change)
    with pytest.raises(BadFile, match="edited or is damaged"):
        load_to_predict(path)
    with pytest.raises(BadFile, match="edited or is damaged"):
        assess(path, blobs(seed=3))


@pytest.mark.parametrize("kinds", [{}, {"b": "boolean"}])
def test_a_sound_file_passes_its_trial(kinds, tmp_path):
    rng = np.random.default_rng(0)
    day = np.datetime64("2021-01-01") + rng.integers(0, 700, 90)
    table = pa.table({"x": rng.normal(size=90), "b": rng.integers(0, 2, 90), "day": day, "p": rng.choice([True, False], 90),
                      "y": rng.normal(size=90)})  # fmt: skip
    for keys in (["linear"], ["tree"], ["neighbours"]):
        learned = epee.learn(table, "y", predictors=keys, folds=3, types=kinds)
        assert load_to_predict(learned.save(tmp_path / "t.epee")).predictor.task == "regression"
