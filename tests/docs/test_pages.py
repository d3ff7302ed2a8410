"""The code on the pages runs as it is printed, and prints what the page says."""

import contextlib
import io
import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    *sorted(set((ROOT / "docs").glob("*.md")) - {ROOT / "docs" / "index.md"}),
    *sorted((ROOT / "docs" / "guide").glob("*.md")),
    ROOT / "README.md",
]
# the code of each block, and the output that the page shows right below it
BLOCK = re.compile(r"^```python\n(.*?)^```(?:\n\n```text\n(.*?)^```)?", flags=re.S | re.M)
CODE = {page: BLOCK.findall(page.read_text(encoding="utf-8")) for page in PAGES}


@pytest.mark.parametrize(
    "page", [page for page in PAGES if CODE[page]], ids=lambda page: str(page.relative_to(ROOT).with_suffix(""))
)
@pytest.mark.filterwarnings("default")
def test_code_blocks_run(page, tmp_path, monkeypatch):
    import pyarrow as pa
    from pyarrow import parquet

    import epee

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        epee, "learn", partial(epee.learn, predictors=["lda", "qda"])
    )  # the whole hierarchy takes longer
    rng = np.random.default_rng(0)
    label = rng.integers(0, 2, 200)
    parquet.write_table(pa.table({"a": rng.standard_normal(200) + label, "label": label}), "rows.parquet")
    names: dict = {"__name__": "page"}
    for block, shown in CODE[page]:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block, str(page), "exec"), names)
        if "epee.learn(" in block:
            shown = ""  # fewer predictors ran than on the page
        words = " ".join(printed.getvalue().split())
        for part in [*shown.split("[...]"), *re.findall(r"^print.*# (\d.*)$", block, flags=re.M)]:
            assert " ".join(part.split()) in words
