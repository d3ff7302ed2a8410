"""Estimators read svmlight files as sparse rows, of any width, and say what the matrix itself makes them say."""

import numpy as np
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import dump_svmlight_file

import epee
from epee.errors import BadFile, DataError
from epee.job.bundle import load_to_predict
from epee.table.schema import PAIRS
from epee.table.source import as_source

rng = np.random.default_rng(0)
X = sparse.random_array(
    (200, 25_000), density=5e-4, rng=rng, format="csr", data_sampler=lambda size: rng.integers(1, 5, size) * 1.0
)
value = X[:, :4000].sum(axis=1) + 0.1 * rng.normal(size=200)
codes = np.where(value > np.median(value), 1.0, -1.0)


@pytest.fixture(scope="module", params=[".svm", ".LibSVM"])
def files(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("words")
    paths = {name: str(folder / f"{name}{request.param}") for name in ("value", "codes")}
    dump_svmlight_file(X, value, paths["value"], zero_based=False)
    dump_svmlight_file(X, codes, paths["codes"], zero_based=False)
    return paths


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("model", "target"),
    [(epee.Ridge(), "value"), (epee.Lasso(0.01), "value"), (epee.MultinomialNB(), "codes"),
     (epee.ComplementNB(), "codes"), (epee.BernoulliNB(), "codes"), (epee.LogisticRegression(), "codes"),
     (epee.LinearClassifier("squared_hinge"), "codes"), (epee.Perceptron(), "codes")],
    ids=lambda v: type(v).__name__ if hasattr(v, "fit") else v,
)  # fmt: skip
def test_a_file_gives_what_its_matrix_gives(files, model, target):
    y = value if target == "value" else codes
    held = clone(model).fit(X, y)
    for named in ("target", None):
        read = clone(model).fit(files[target], named)
        width = read.n_features_in_  # the last columns may be empty
        np.testing.assert_allclose(read.coef_ if hasattr(read, "coef_") else read.feature_count_,
                                   (held.coef_ if hasattr(held, "coef_") else held.feature_count_)[..., :width], atol=1e-6)  # fmt: skip
        np.testing.assert_array_equal(np.asarray(read.predict(files[target])) > 0, np.asarray(held.predict(X)) > 0)


def test_rows_that_end_early_are_filled_up_and_others_are_refused(files, tmp_path):
    model = epee.MultinomialNB().fit(files["codes"], "target")
    short = tmp_path / "short.svm"
    dump_svmlight_file(X[:5, :100], codes[:5], str(short), zero_based=False)
    padded = sparse.csr_array((X[:5, :100].tocoo().data, X[:5, :100].tocoo().coords), shape=(5, model.n_features_in_))
    np.testing.assert_array_equal(model.predict(str(short)), model.predict(padded))
    (tmp_path / "wide.svm").write_text("1 90000:1\n")
    with pytest.raises(DataError, match="X has 90000 features, but MultinomialNB is expecting"):
        model.partial_fit(str(tmp_path / "wide.svm"), "target")


@pytest.mark.filterwarnings("ignore")
def test_files_come_in_parts(files, tmp_path):
    parts = []
    for k in range(3):
        parts.append(str(tmp_path / f"{k}.svm"))
        dump_svmlight_file(X[k::3], codes[k::3], parts[-1], zero_based=False)
    whole, model = epee.MultinomialNB().fit(files["codes"], "target"), epee.MultinomialNB()
    model.partial_fit(files["codes"], "target")
    for part in parts:
        model.partial_fit(part, "target")
    np.testing.assert_allclose(model.feature_count_, 2 * whole.feature_count_)


def test_what_is_no_such_line_is_named(tmp_path):
    (tmp_path / "bad.svm").write_text("1 3:1\n-1 four:2\n")
    with pytest.raises(BadFile, match=r"bad.svm, line 2: '-1 four:2' is not 'target index:value ...'"):
        epee.MultinomialNB().fit(str(tmp_path / "bad.svm"), "target")


def test_a_wide_file_is_one_column_of_sparse_numbers_to_the_main_job(files, tmp_path):
    source = as_source(files["codes"], "target")
    assert source.names == ("x",) and any("stay sparse" in note for note in source.notes)
    encoder = epee.TableEncoder(words=64).fit(source)
    Z = encoder.transform(source)
    often = np.bincount(X.indices, minlength=X.shape[1])
    own = encoder.schema_["x"].own
    assert encoder.schema_["x"].note == PAIRS and Z.shape == (200, len(own) + 64) and min(often[np.array(own) - 1]) > 1
    np.testing.assert_array_equal(Z[:, : len(own)], X[:, np.array(own) - 1].toarray())  # columns of their own
    again = epee.TableEncoder.from_state(encoder.to_state())
    np.testing.assert_array_equal(again.transform(source), Z)
    block = next(source.raw_blocks())
    assert block.columns["x"][0].as_py() == " ".join(f"{j + 1}:{v:g}" for j, v in zip(X[[0]].indices, X[[0]].data))
    dump_svmlight_file(X[:5, :4000], codes[:5], str(tmp_path / "narrow.svm"), zero_based=False)
    narrow = encoder.transform(str(tmp_path / "narrow.svm"))  # a file of few columns is read as the encoder knows it
    kept = sparse.csr_array(X[:5, :4000])
    again = [" ".join(f"{j + 1}:{v:g}" for j, v in zip(row.indices, row.data)) for row in (kept[[i]] for i in range(5))]
    np.testing.assert_allclose(narrow, encoder.transform(pa.table({"x": again})))


def test_queries_stand_beside_sparse_numbers(tmp_path):
    (tmp_path / "q.svm").write_text("1 qid:4 3:1 90000:2\n-1 qid:5 # none\n2.5 7:1\n")
    source = as_source(str(tmp_path / "q.svm"))
    assert source.names == ("target", "query", "x")
    block = next(source.raw_blocks())
    assert [c.as_py() for c in block.columns["x"]] == ["3:1 90000:2", "", "7:1"]
    np.testing.assert_array_equal(block.columns["query"], [4, 5, 0])
    (tmp_path / "nan.svm").write_text("1 3:1\n-1 4:nan 90000:2\n")
    with pytest.raises(BadFile, match="nan.svm, line 2: a number is missing or infinite"):
        as_source(str(tmp_path / "nan.svm"))


@pytest.mark.filterwarnings("ignore")
def test_learn_takes_a_wide_file_and_predicts_from_narrower_ones(tmp_path):
    r = np.random.default_rng(1)
    y = np.where(np.arange(240) % 2, 1.0, -1.0)
    own = (r.random((240, 400)) < 0.4) & (
        (y[:, None] > 0) == (np.arange(400) < 200)
    )  # half of these places are of one class
    rest = sparse.random_array((240, 30_000), density=1e-4, rng=r, format="csr")
    tells = sparse.csr_matrix(sparse.hstack([sparse.csr_array(own * 1.0), rest]))
    paths = [str(tmp_path / name) for name in ("wide.svm", "new.svm")]
    dump_svmlight_file(tells[:200], y[:200], paths[0], zero_based=False)
    dump_svmlight_file(tells[200:, :9000], y[200:], paths[1], zero_based=False)
    learned = epee.learn(paths[0], "target", predictors=["baseline", "least_squares"], folds=3)
    assert learned.risk.value < 0.2 and learned.predictor.encoder.schema_.names == ("x",)
    again = load_to_predict(learned.save(tmp_path / "wide.epee")).predictor
    assert (np.asarray(again.predict(paths[1]), dtype=float) == y[200:]).mean() > 0.8
