"""Every example of the gallery runs, without a warning, and draws something."""

import contextlib
import io
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2] / "examples"
EXAMPLES = sorted(ROOT.rglob("plot_*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem.removeprefix("plot_"))
def test_example_runs(path):
    import matplotlib.pyplot as plt

    words = io.StringIO()
    with contextlib.redirect_stdout(words):
        runpy.run_path(str(path), run_name="__main__")
    assert plt.get_fignums(), "the example drew nothing"
    assert words.getvalue().strip(), "the example does not say its answer"
    text = path.read_text(encoding="utf-8")
    assert text.lstrip().startswith(('"""', 'r"""')), "an example begins with its question"
    if path.stem.startswith("plot_exercise_"):
        assert "Course:" in text and "assert" in text, "an exercise names its place and checks its answer"
