"""Starting must stay instant: what is heavy is loaded by the first call that needs it."""

from __future__ import annotations

import subprocess
import sys

import pytest

import epee

HEAVY = ("sklearn", "numba", "matplotlib", "duckdb", "pandas", "scipy", "narwhals")


def loaded_by(code: str) -> set[str]:
    """Return the heavy packages that a fresh interpreter holds after ``code``."""
    ending = f"import sys; print('loaded:', *[m for m in {HEAVY} if m in sys.modules])"
    answer = subprocess.run([sys.executable, "-c", f"{code}\n{ending}"], capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    return set(answer.stdout.splitlines()[-1].split()[1:])


def test_the_probe_sees_a_heavy_package():
    assert loaded_by("import scipy") == {"scipy"}


@pytest.mark.parametrize(
    "code",
    [
        "import epee",
        "import epee; dir(epee)",
        "import epee; epee.options.threads = 2",
        "from epee.cli.app import run; assert run(['--help']) == 0",
        "from epee.cli.app import run; assert run(['--lang', 'fr', '--help']) == 0",
        "from epee.cli.app import run; assert run(['--version']) == 0",
        "from epee.cli.app import build, offered\nfor name, _ in offered(): build()([name, '--help'], standalone_mode=False)",
    ],
)
def test_start_is_lean(code):
    assert loaded_by(code) == set()


def test_a_finding_is_explained_without_estimators():
    code = "from epee.cli.app import run; assert run(['explain', 'E001']) == 0; print()"
    assert loaded_by(code) <= {"scipy"}


def test_a_small_learn_meets_neither_numba_nor_pandas():
    code = """
import sys
from epee import __main__ as command
sys.argv = ["epee", "learn", "-q", "-p", "lda", "-p", "tree", "-p", "knn", "--folds", "3", "--json"]
command.leave = lambda code: print() if code == 0 else sys.exit(code)
command.main()
"""
    assert {"numba", "pandas", "matplotlib", "narwhals"} & loaded_by(code) == set()


def test_frames_are_still_read_where_their_libraries_waited():
    code = """
from epee.cli.shared_options import load_lean
load_lean()
import sys
assert "narwhals" not in sys.modules
import numpy as np, pandas as pd, sklearn.utils
frame = pd.DataFrame({"a": [1.0, 2.0, 3.0]})
assert sklearn.utils._safe_indexing(frame, np.array([2, 0]))["a"].tolist() == [3.0, 1.0]
assert np.ma.is_masked(np.ma.masked_equal([1, 2], 2)) and np.testing.assert_allclose(1.0, 1.0) is None
import narwhals
assert type(narwhals).__name__ == "module" and narwhals.from_native(frame).columns == ["a"]
"""
    assert "narwhals" in loaded_by(code)


def test_a_thousand_rows_go_down_boosted_trees_without_numba(tmp_path):
    model = tmp_path / "boosted.epee"
    learned = epee.learn(epee.samples.load("penguins"), "species", predictors=["boosting"], folds=3)
    learned.save(model)
    rows = epee.samples.path("penguins")
    code = f"""
from epee import __main__ as command
import sys
sys.argv = ["epee", "predict", {str(model)!r}, {str(rows)!r}, "-q", "-o", {str(tmp_path / "said.csv")!r}]
command.leave = lambda code: print() if code == 0 else sys.exit(code)
command.main()
"""
    assert {"numba", "pandas", "matplotlib", "narwhals"} & loaded_by(code) == set()


def test_the_candidates_load_no_metrics_of_others():
    code = """
import sys
from epee.lazy import import_lean
import_lean("sklearn.pipeline", without=("scipy.stats", "pandas"))
from epee.estimator.registry import trials
for kind in ("classifier", "regressor"):
    for method, _ in trials(kind):
        method.load()
heavy = {"scipy.stats", "sklearn.metrics", "sklearn.model_selection", "scipy.integrate", "numba"}
assert not heavy & set(sys.modules), heavy & set(sys.modules)
"""
    loaded_by(code)


def test_modules_that_wait_load_when_they_are_asked():
    code = """
from epee.lazy import import_lean
import_lean("sklearn.pipeline", ("scipy.stats",))
import sys
assert "scipy.stats" not in sys.modules
import sklearn.utils.fixes as fixes
assert fixes.scipy.stats.norm.cdf(0.0) == 0.5 and "scipy.stats" in sys.modules
import scipy.stats
assert type(scipy.stats).__name__ == "module"
"""
    loaded_by(code)


def test_a_package_waits_while_one_module_of_it_is_used():
    code = """
import sys
from epee.cli.shared_options import load_lean
load_lean()
assert not {"sklearn.preprocessing", "scipy.interpolate", "scipy.optimize"} & set(sys.modules)
import sklearn.pipeline, sklearn.preprocessing
assert type(sklearn.preprocessing).__name__ == "module" and sklearn.preprocessing.SplineTransformer
assert sklearn.pipeline.FunctionTransformer is sklearn.preprocessing.FunctionTransformer
"""
    loaded_by(code)


def test_what_seems_absent_is_there_again_afterwards():
    code = """
from epee.lazy import absent
import sys
with absent("pandas"):
    try:
        import pandas
        raise SystemExit("it was found")
    except ModuleNotFoundError as fault:
        assert fault.name == "pandas"
import pandas
"""
    assert "pandas" in loaded_by(code)
