"""Methods that read a table again say how often they did."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import epee
from epee.table.doors import passes_over
from epee.table.source import as_source


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 3000)
    X = rng.normal(size=(3000, 3)) + 2.0 * y[:, None]
    path = tmp_path_factory.mktemp("passes") / "t.parquet"
    pq.write_table(pa.table({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "label": y}), path, row_group_size=500)
    return str(path)


def test_closed_forms_read_once(path):
    source = as_source(path, "label")
    epee.LinearDiscriminantAnalysis().fit(source, None)
    assert passes_over(source) == 1
    epee.QuadraticDiscriminantAnalysis().fit(source, None)
    assert passes_over(source) == 2


@pytest.mark.parametrize(
    "model",
    [
        epee.LogisticRegression(),
        epee.KMeans(2, max_iter=3, tol=0, random_state=0),
        epee.GaussianMixture(2, max_iter=3, tol=0, random_state=0),
    ],
    ids=lambda m: type(m).__name__,
)
@pytest.mark.filterwarnings("ignore")
def test_iterative_methods_count_their_passes(path, model):
    target = "label" if type(model).__name__ == "LogisticRegression" else None
    source = as_source(path, target, columns=["a", "b", "c"])
    for _ in range(2):  # the second fit does not count the first one's
        before = source.passes
        model.fit(source, None)
        assert model.n_passes_ == source.passes - before >= 3
    assert not hasattr(
        type(model)(**model.get_params()).fit(np.random.default_rng(0).normal(size=(20, 2)), [0, 1] * 10), "n_passes_"
    )


def test_a_glance_is_no_pass(path):
    source = as_source(path, "label")
    next(source.blocks())
    source.head()
    assert passes_over(source) == 0
    assert passes_over(np.zeros((2, 2))) == 0
