from __future__ import annotations

import numpy as np
import pytest

from benchmarks import problems

MAKERS = {
    "gaussian_classes": lambda seed: problems.gaussian_classes(60, 4, 3, seed=seed),
    "clouds": lambda seed: problems.clouds(60, 4, 3, seed=seed),
    "regression": lambda seed: problems.regression(60, 4, informative=2, correlation=0.5, seed=seed),
    "logistic": lambda seed: problems.logistic(60, 4, K=3, seed=seed),
    "curve": lambda seed: problems.curve(60, seed=seed),
    "binary_classes": lambda seed: problems.binary_classes(60, 4, 3, seed=seed),
    "counts": lambda seed: problems.counts(60, 4, 3, seed=seed),
    "category_classes": lambda seed: problems.category_classes(60, 4, 3, levels=5, seed=seed),
}


@pytest.mark.parametrize("name", MAKERS)
def test_the_seed_makes_the_data(name):
    first, again, other = (np.hstack([np.ravel(part) for part in MAKERS[name](seed)]) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)
    assert np.isfinite(first).all()


def test_categories_use_their_levels():
    X, _ = problems.category_classes(500, 3, 2, levels=4)
    assert set(np.unique(X)) == {0, 1, 2, 3}


def test_files_hold_the_rows(tmp_path, monkeypatch):
    import pyarrow.parquet as pq

    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    table = pq.read_table(problems.parquet_classes(250, 3, 2, block=100))
    assert table.shape == (250, 4) and table.column_names == ["x0", "x1", "x2", "y"]
    lines = problems.csv_classes(20, 3, 2).read_text().splitlines()
    assert len(lines) == 21 and lines[0].replace('"', "") == "x0,x1,x2,y"
