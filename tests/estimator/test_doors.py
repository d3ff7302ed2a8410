"""What comes in by the door of an estimator, and what is turned away with a sentence."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from epee import LinearDiscriminantAnalysis as LDA
from epee.errors import DataError, DataWarning, InfiniteValues, MissingValues, TooLarge
from epee.estimator.base import encode_labels, refuse_large

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 3))
y = np.repeat(["a", "b", "c"], 20)
FRAME = pd.DataFrame(X, columns=["age", "size", "weight"])


@pytest.mark.parametrize(
    "table",
    [
        np.asfortranarray(X),
        np.repeat(X, 2, axis=1)[:, ::2],
        X[::-1][::-1],
        X.tolist(),
        FRAME,
        pl.from_pandas(FRAME),
        pa.table(FRAME),
    ],
    ids=["fortran", "strided", "negative strides", "list", "pandas", "polars", "arrow"],
)
def test_any_layout_gives_the_same_fit(table):
    np.testing.assert_allclose(LDA().fit(table, y).coef_, LDA().fit(X, y).coef_, rtol=1e-10)


def test_read_only_and_memory_mapped(tmp_path):
    frozen = X.copy()
    frozen.flags.writeable = False
    np.save(tmp_path / "x.npy", X)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    for table in (frozen, mapped):
        np.testing.assert_allclose(LDA().fit(table, y).coef_, LDA().fit(X, y).coef_)


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64, np.float32, bool, object])
def test_any_type_of_number(dtype):
    Z = (
        (X > 0).astype(dtype)
        if dtype is bool
        else (10 * X).astype(np.int8).astype(dtype)
        if dtype != np.uint16
        else (100 + 10 * X).astype(dtype)
    )
    fitted = LDA(solver="lsqr").fit(Z, y)
    np.testing.assert_allclose(fitted.coef_, LDA(solver="lsqr").fit(Z.astype(float), y).coef_, rtol=1e-6)


@pytest.mark.parametrize(
    ("bad", "error", "words"),
    [
        (
            np.where(np.arange(180).reshape(60, 3) == 7, np.nan, X),
            MissingValues,
            "column 'size': 1 missing value .*row 2",
        ),
        (
            np.where(np.arange(180).reshape(60, 3) == 5, np.inf, X),
            InfiniteValues,
            "column 'weight': 1 infinite value.*row 1",
        ),
    ],
)
def test_bad_cells_are_named(bad, error, words):
    with pytest.raises(error, match=words):
        LDA().fit(pd.DataFrame(bad, columns=FRAME.columns), y)


def test_other_columns_at_predict_are_named():
    model = LDA().fit(FRAME, y)
    with pytest.raises(ValueError, match="length"):
        model.predict(FRAME.rename(columns={"size": "length"}))
    with pytest.raises(ValueError, match="weight"):
        model.predict(FRAME[["age", "size"]])


@pytest.mark.parametrize(
    ("w", "words"),
    [
        (-np.ones(60), "negative in row 0"),
        (np.where(np.arange(60) == 4, np.nan, 1.0), "NaN or infinity, first in row 4"),
        (np.zeros(60), "all the weights"),
        (np.ones(59), "expected"),
        (np.repeat([1.0, 0.0, 0.0], 20), "only one class has rows"),
    ],
)
def test_bad_weights(w, words):
    with pytest.raises(ValueError, match=words):
        LDA().fit(X, y, sample_weight=w)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (np.empty((0, 3)), "0 sample"),
        (X.astype(complex), "Complex"),
        (X[:, :, None], "dim"),
        (X[:, 0], "1D array"),
        (np.empty((60, 0)), "0 feature"),
    ],
)
def test_shapes_that_are_no_table(table, words):
    with pytest.raises(ValueError, match=words):
        LDA().fit(table, y[: len(table)])


def test_a_square_that_is_too_large_is_refused_before_it_is_made():
    with pytest.raises(TooLarge, match="20001 would take 3 GB"):
        refuse_large(10**6, 20_001)
    with pytest.raises(TooLarge):
        LDA().fit(np.broadcast_to(np.float32(0), (30_000, 20_001)), np.arange(30_000) % 2)


def test_large_values_are_right_or_refused():
    model = LDA().fit(X * 1e150, y)
    np.testing.assert_array_equal(model.predict(X * 1e150), LDA().fit(X, y).predict(X))
    with pytest.raises(InfiniteValues, match="squares exceed"):
        LDA().fit(X * 1e300, y)


@pytest.mark.parametrize("frame", [np.asarray, lambda Z: pd.DataFrame(Z, columns=["a", "id"])], ids=["array", "frame"])
def test_integers_that_floats_cannot_tell_apart_are_said(frame):
    Z = np.column_stack([np.arange(60), 2**54 + np.arange(60)])
    with pytest.warns(DataWarning, match=r"column (1|'id') holds whole numbers above 2\^53"):
        LDA().fit(frame(Z), y)


def test_labels_of_any_kind():
    for labels in (
        [3, 1, 1],
        ["b", "a", "a"],
        [True, False, False],
        np.array(["b", "a", "a"], dtype=object),
        [2.0, 1.0, 1.0],
    ):
        classes, codes = encode_labels(labels)
        assert codes.tolist() == [1, 0, 0]
        np.testing.assert_array_equal(classes[codes], labels)
    assert encode_labels(np.array([10**12, -5]))[0].tolist() == [-5, 10**12]
    with pytest.raises(DataError, match="labels are missing, first in row 1"):
        encode_labels(np.array(["a", None], dtype=object))
    with pytest.raises(DataError, match="different types"):
        encode_labels(np.array(["a", 1], dtype=object))


def test_words_where_numbers_are_needed_are_named():
    table = pd.DataFrame({"size": [1.0, 2, 3, 4], "colour": ["1", "red", "blue", "red"]})
    for frame, name in (
        (table, "column 'colour'"), (pl.from_pandas(table), "column 'colour'"), (pa.table(table), "column 'colour'"),
        (table.to_numpy(), "column 1"), (table.to_numpy().tolist(), "column 1"),
    ):  # fmt: skip
        with pytest.raises(DataError, match=f"convert string to float: {name} holds 'red' in row 1.*TableEncoder"):
            LDA().fit(frame, list("abab"))


@pytest.mark.parametrize("name", ["LinearDiscriminantAnalysis", "KNeighborsClassifier", "DecisionTreeClassifier"])
def test_a_file_is_predicted_by_the_columns_it_was_learned_from(name, tmp_path):
    """The file still holds the target, and its columns may stand in another order."""
    import epee

    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.where(X[:, 0] > 0, "up", "down")
    table, other = tmp_path / "a.csv", tmp_path / "b.csv"
    rows = list(zip(X[:, 0].tolist(), X[:, 1].tolist(), y, strict=True))
    table.write_text("a,b,y\n" + "".join(f"{a!r},{b!r},{t}\n" for a, b, t in rows))
    other.write_text("y,b,a\n" + "".join(f"{t},{b!r},{a!r}\n" for a, b, t in rows))
    model = getattr(epee, name)().fit(str(table), "y")
    plain = getattr(epee, name)().fit(X, y)
    for path in (table, other):
        assert (model.predict(str(path)) == plain.predict(X)).all()
    other.write_text("y,b\nup,1.0\n")
    with pytest.raises(ValueError, match="'a'"):
        model.predict(str(other))


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("names", [False, True])
@pytest.mark.parametrize(
    "rows",
    [
        np.ones((4, 3)), np.ones((4, 2)), np.ones((4, 0)), np.ones((0, 3)), np.ones(3), np.ones((4, 3), np.float32), np.ones((4, 3), int),
        np.asfortranarray(np.ones((4, 3))), np.full((4, 3), np.nan), np.full((4, 3), np.inf), [[1.0, 2.0, 3.0]], np.ones((2, 3, 1)),
    ],
)  # fmt: skip
def test_a_plain_array_enters_as_by_all_the_checks(monkeypatch, rows, names):
    """The quick way in gives what scikit-learn's checks give: the same rows, the same width, the same sentence."""
    import pandas as pd

    from epee import StandardScaler
    from epee.estimator.base import Estimator

    def tried():
        told = []
        for fitted in (None, pd.DataFrame(np.eye(3), columns=list("abc")) if names else np.eye(3)):
            try:
                model = StandardScaler()
                found = model.fit(rows) if fitted is None else model.fit(fitted).transform(rows)
                told += [
                    np.asarray(getattr(found, "mean_", found)),
                    model.n_features_in_,
                    found.dtype.str if fitted is not None else "",
                ]
            except ValueError as fault:
                told.append(str(fault))
        return told

    quick = tried()
    monkeypatch.setattr(Estimator, "_enters_as_it_is", lambda self, X, reset: False)
    slow = tried()
    assert len(quick) == len(slow)
    for a, b in zip(quick, slow, strict=True):
        np.testing.assert_array_equal(a, b)
