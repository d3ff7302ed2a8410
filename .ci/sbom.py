"""What épée stands on: every package that it needs, with its version and its licence, as CycloneDX and as a table.

Read from what is installed here (``importlib.metadata``), nothing is fetched; what lies in the package itself, written by others, is
named by the ``components.json`` beside it. ``python .ci/sbom.py FOLDER``.
"""

from __future__ import annotations

import json
import sys
import uuid
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


def closure(root: str = "epee") -> dict[str, tuple[Distribution, list[str]]]:
    """Return {name: (package, names of what it needs)} for all that the root needs, extras aside."""
    found: dict[str, tuple[Distribution, list[str]]] = {}
    left = [(canonicalize_name(root), frozenset[str]())]
    while left:
        name, extras = left.pop()
        if name in found:
            continue
        try:
            package = distribution(name)
        except PackageNotFoundError:
            if name == canonicalize_name(root):
                raise SystemExit(f"{root} is not installed here: make test, then again.") from None
            continue  # needed on another system only
        needs = [Requirement(line) for line in package.requires or []]
        wanted = [
            need for need in needs
            if need.marker is None or any(need.marker.evaluate({"extra": extra}) for extra in ("", *extras))
        ]  # fmt: skip
        found[name] = package, sorted({canonicalize_name(need.name) for need in wanted})
        left += [(canonicalize_name(need.name), frozenset(need.extras)) for need in wanted]
    return found


def licence(package: Distribution) -> str:
    """Return the licence that a package declares: its expression, else its classifiers, else the first line of its text."""
    said = package.metadata
    if said.get("License-Expression"):
        return str(said["License-Expression"])
    classes = [c.rpartition(" :: ")[2] for c in said.get_all("Classifier") or [] if c.startswith("License ::")]
    short = (said.get("License") or "").strip().splitlines()[:1]
    return ", ".join(classes) or (short[0] if short else "") or "not declared"


def bill(packages: dict[str, tuple[Distribution, list[str]]], root: str = "epee") -> dict[str, Any]:
    """Return the bill of materials in the form of CycloneDX 1.5."""

    def reference(name: str) -> str:
        return f"pkg:pypi/{name}@{packages[name][0].version}"

    def component(name: str) -> dict[str, Any]:
        package = packages[name][0]
        said = (
            {"expression": licence(package)}
            if package.metadata.get("License-Expression")
            else {"license": {"name": licence(package)}}
        )
        return {
            "type": "application" if name == root else "library", "bom-ref": reference(name), "name": name,
            "version": package.version, "purl": reference(name), "licenses": [said],
        }  # fmt: skip

    names, own = sorted(packages), [carried(part) for part in vendored()]
    text = " ".join(reference(name) for name in names)
    return {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, text)}",  # the same packages, the same number
        "metadata": {"component": component(root)},
        "components": [component(name) for name in names if name != root] + own,
        "dependencies": [
            {
                "ref": reference(n),
                "dependsOn": [reference(d) for d in packages[n][1] if d in packages] + [p["bom-ref"] for p in own if n == root],
            }
            for n in names
        ],
    }  # fmt: skip


def vendored() -> list[dict[str, Any]]:
    """Return the files of others that the package carries, as their folders name them."""
    places = sorted(Path(__file__).resolve().parent.parent.glob("src/epee/**/vendored/components.json"))
    return [part for place in places for part in json.loads(place.read_text(encoding="utf-8"))]


def carried(part: dict[str, Any]) -> dict[str, Any]:
    """Return such a file as a component: known by its checksum, its version where it has one."""
    reference = f"pkg:npm/{part['name']}" + (f"@{part['version']}" if part["version"] else "")
    return {
        "type": "library", "bom-ref": reference, "name": part["name"], **({"version": part["version"]} if part["version"] else {}),
        "purl": reference, "licenses": [{"expression": part["licence"]}], "hashes": [{"alg": "SHA-256", "content": part["sha256"]}],
        "externalReferences": [{"type": "vcs", "url": part["url"]}],
    }  # fmt: skip


def table(packages: dict[str, tuple[Distribution, list[str]]]) -> str:
    """Return the licences as a table in Markdown."""
    rows = [f"| {name} | {package.version} | {licence(package)} |" for name, (package, _) in sorted(packages.items())]
    rows += [
        f"| {part['name']} (in the package) | {part['version'] or ''} | {part['licence']} |" for part in vendored()
    ]
    return "\n".join(["| package | version | licence |", "|---|---|---|", *rows]) + "\n"


def main(folder: str) -> None:
    """Write both files, and show the table."""
    packages = closure()
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    (place / "epee.cdx.json").write_text(json.dumps(bill(packages), indent=1) + "\n", encoding="utf-8")
    (place / "licences.md").write_text(table(packages), encoding="utf-8")
    print(table(packages), end="")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "build/sbom")
