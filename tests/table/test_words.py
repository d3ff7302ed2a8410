"""Texts as hashed words: the same numbers wherever they are made, and something to learn from."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import epee
from epee.errors import DataError, DataWarning, WrongUse
from epee.job.bundle import load_to_predict
from epee.table.places import OWN, both, frequent, spread
from epee.table.schema import PAIRS, WORDS
from epee.table.words import Reading, hashed_words

TEXTS = st.lists(st.one_of(st.none(), st.text(max_size=40)), min_size=1, max_size=8)


@given(texts=TEXTS, cut=st.integers(0, 8))
@settings(max_examples=60, deadline=None)
def test_a_row_does_not_see_the_others_and_has_length_one(texts, cut):
    Z = hashed_words(pa.array(texts, pa.string()), 32)
    parts = [hashed_words(pa.array(part, pa.string()), 32) for part in (texts[:cut], texts[cut:]) if part]
    np.testing.assert_array_equal(np.concatenate(parts), Z)
    length = (Z**2).sum(axis=1)
    assert ((np.abs(length - 1) < 1e-12) | (length == 0)).all()
    assert (Z >= 0).all()


def test_case_and_marks_do_not_count_and_order_does():
    Z = hashed_words(pa.array(["Très bon, VRAIMENT !", "très  bon vraiment", "vraiment bon très", None, "..."]), 512)
    np.testing.assert_array_equal(Z[0], Z[1])
    assert not np.array_equal(Z[0], Z[2])  # other pairs
    assert not Z[3:].any()
    assert Reading.of(pa.array(["a b c", "d"]), [3, 1]) == Reading(cells=4, words=10)


ROWS = st.lists(st.dictionaries(st.integers(0, 10**9), st.floats(-9, 9, width=32), max_size=6), min_size=1, max_size=6)


@given(rows=ROWS, cut=st.integers(0, 6))
@settings(max_examples=60, deadline=None)
def test_listed_numbers_add_and_do_not_see_the_other_rows(rows, cut):
    texts = [" ".join(f"{j}:{v!r}" for j, v in row.items()) for row in rows]
    own = tuple(sorted(rows[0]))[:3]
    Z = spread(pa.array(texts, pa.string()), own, 64)
    parts = [spread(pa.array(part, pa.string()), own, 64) for part in (texts[:cut], texts[cut:]) if part]
    np.testing.assert_array_equal(np.concatenate(parts), Z)
    np.testing.assert_array_equal(Z[:, : len(own)], [[row.get(j, 0.0) for j in own] for row in rows])
    each = [[spread(pa.array([f"{j}:1"]), own, 64)[0] * v for j, v in row.items()] for row in rows]
    np.testing.assert_allclose(Z, [np.sum(row, axis=0) if row else np.zeros(Z.shape[1]) for row in each], atol=1e-12)


@given(rows=ROWS, cut=st.integers(0, 6))
@settings(max_examples=40, deadline=None)
def test_places_are_counted_in_any_parts(rows, cut):
    texts = pa.array([" ".join(f"{j}:1" for j in row) for row in rows], pa.string())
    total = Reading.of(texts, np.ones(len(texts)))
    parts = [Reading.of(part, np.ones(len(part))) for part in (texts[:cut], texts[cut:])]
    assert parts[0] + parts[1] == total
    often = {j: sum(j in row for row in rows) for row in rows for j in row}
    assert total.places == often and set(frequent(often)) <= set(often) and len(frequent(often)) <= OWN
    assert all(often[j] > 1 for j in frequent(often)) and both(often, {}) == often


def test_products_of_rows_are_kept_in_the_mean():
    rng = np.random.default_rng(0)
    texts = [" ".join(f"{j}:1" for j in rng.choice(10**6, 200, replace=False)) for _ in range(30)]
    Z = spread(pa.array(texts), (), 1024)
    G = Z @ Z.T
    assert abs(np.diag(G).mean() - 200) < 15  # 200 places of 10^6, hardly shared
    assert abs(G[np.triu_indices(30, 1)].mean()) < 5


@pytest.mark.parametrize(
    ("texts", "note"),
    [
        (["3:0.5 17:2", "1:1 2:-1e-3 9:4"], PAIRS),
        (["8:15", "12:30", "9:45"], ""),  # times of day
        (["3:0.5 17:2", "a fine old book"], WORDS),
        (["", "1:1 2:2 3:3 4:4"], PAIRS),
        (["anna", "bob"], ""),
    ],
)
def test_how_texts_are_read(texts, note):
    parts = [Reading.of(pa.array([text]), [1]) for text in texts]
    assert Reading.of(pa.array(texts), np.ones(len(texts))) == sum(parts[1:], parts[0])
    assert sum(parts[1:], parts[0]).note == note


def test_texts_are_read_however_many_different_ones_there_are(monkeypatch):
    monkeypatch.setattr("epee.table.tally.MOST_LEVELS", 20)
    table = reviews(60)
    table = table.drop_columns(["liked", "sku"])
    encoder = epee.TableEncoder(words=16).fit(table)
    assert encoder.schema_["review"].note == WORDS and encoder.transform(table).shape == (60, 17)


def reviews(n: int = 240) -> pa.Table:
    rng = np.random.default_rng(0)
    good, bad, any_word = ["great", "lovely", "reliable"], ["broken", "awful", "late"], [f"w{i}" for i in range(60)]
    label = rng.random(n) < 0.5
    texts = [
        " ".join([*rng.choice(any_word, 4), *rng.choice(good if c else bad, 2), f"n{i}"]) for i, c in enumerate(label)
    ]
    return pa.table(
        {
            "review": texts,
            "price": rng.normal(size=n),
            "sku": [f"id{i:04d}" for i in range(n)],
            "liked": label.astype(int),
        }
    )


def test_the_encoder_reads_words_and_leaves_identifiers_out():
    table = reviews()
    with pytest.warns(DataWarning, match="column 'sku'"):
        encoder = epee.TableEncoder(words=64).fit(table, "liked")
    table = table.drop(["liked"])
    Z = encoder.transform(table)
    names = encoder.get_feature_names_out().tolist()
    assert Z.shape == (240, 65)
    assert names[:2] == ["review~0", "review~1"]
    np.testing.assert_array_equal(Z[:, :64], hashed_words(table["review"].combine_chunks(), 64))
    again = epee.TableEncoder.from_state(encoder.to_state())
    np.testing.assert_array_equal(again.transform(table), Z)
    with pytest.raises(DataError, match="no other column"):
        epee.TableEncoder(words=0).fit(table.select(["review"]))
    with pytest.raises(WrongUse, match="words is -1"):
        epee.TableEncoder(words=-1).fit(table)


def test_sums_of_rows_and_their_fillings_have_room_for_words():
    prices = pa.array([None if i % 7 == 0 else float(i) for i in range(60)])
    table = reviews(60).drop(["liked"]).set_column(1, "price", prices)
    encoder = epee.TableEncoder(words=16, types={"sku": "category"}, max_levels=5).fit(table)
    raw = next(iter(encoder.open(table).raw_blocks()))
    rows = encoder.row_map(raw)
    A, b = encoder.fill_map(rows.mean(axis=0))
    np.testing.assert_allclose(rows @ A.T + b, encoder.transform(table), atol=1e-12)
    sums, weight = encoder.row_sums(raw)
    np.testing.assert_allclose(sums, rows.sum(axis=0), atol=1e-9)
    assert weight == 60


@pytest.mark.filterwarnings("ignore")
def test_learn_takes_a_text_and_predicts_from_it(tmp_path):
    table = reviews()
    learned = epee.learn(table, "liked", predictors=["baseline", "lda"], folds=5)
    assert learned.risk.value < 0.2
    new = pa.table(
        {
            "review": ["a great and lovely thing, reliable", "awful, broken, late"],
            "price": [0.0, 0.0],
            "sku": ["x", "y"],
        }
    )
    assert list(map(int, learned.predictor.predict(new))) == [1, 0]
    again = load_to_predict(
        learned.save(tmp_path / "words.epee")
    ).predictor  # where a row of missing cells is asked first
    assert list(map(int, again.predict(new))) == [1, 0]
