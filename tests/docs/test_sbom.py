"""The list of what épée stands on is whole, and in the form that others read."""

from __future__ import annotations

import hashlib
import importlib.util
import json
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / ".ci" / "sbom.py"


def test_the_bill_names_every_dependency_with_a_licence(tmp_path, capsys):
    spec = importlib.util.spec_from_file_location("sbom", SCRIPT)
    sbom = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sbom)
    sbom.main(str(tmp_path))
    bill = json.loads((tmp_path / "epee.cdx.json").read_text())
    names = {part["name"] for part in bill["components"]}
    assert {"numpy", "scipy", "duckdb", "pyarrow", "llvmlite"} <= names and "pytest" not in names
    known = {bill["metadata"]["component"]["bom-ref"], *(part["bom-ref"] for part in bill["components"])}
    assert {ref for line in bill["dependencies"] for ref in (line["ref"], *line["dependsOn"])} == known
    said = capsys.readouterr().out
    assert "not declared" not in said and "| htmx.org (in the package) | 2.0.10 | 0BSD |" in said


def test_the_bill_names_what_the_package_carries_of_others_byte_for_byte():
    for place in (SCRIPT.parents[1] / "src").rglob("vendored"):
        parts = json.loads((place / "components.json").read_text())
        assert {part["file"] for part in parts} == {path.name for path in place.glob("*.js")}
        for part in parts:
            assert hashlib.sha256((place / part["file"]).read_bytes()).hexdigest() == part["sha256"], part["file"]
            assert part["licence"] in ("0BSD", "MIT", "BSD-3-Clause") and part["url"].startswith("https://")
