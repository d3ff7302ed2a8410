"""The list of what épée stands on is whole, and in the form that others read."""

from __future__ import annotations

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
    assert "not declared" not in capsys.readouterr().out
