"""Run scikit-learn's test modules with our classes: ``python -m benchmarks.peer [module ...]``; no module means all of them.

A test that its own classes do not pass on this machine, or that uses nothing of ours, is not counted. ``benchmarks/results/peer.md``
has the share that passes, by module, and the tests that are set aside with a reason each (``benchmarks/peer/aside.txt``).
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
KEPT, RESULTS, ASIDE = (
    ROOT / "build" / "peer",
    ROOT / "benchmarks" / "results" / "peer.json",
    Path(__file__).parent / "aside.txt",
)
LONGEST = 1500  # seconds for a module
MOST = 8 * 2**30  # bytes that a module may ask for: a test that wants more fails, and the machine goes on
MODULES = (
    "linear_model.tests.test_base", "linear_model.tests.test_ridge", "linear_model.tests.test_coordinate_descent",
    "linear_model.tests.test_sparse_coordinate_descent", "linear_model.tests.test_logistic", "linear_model.tests.test_perceptron",
    "linear_model.tests.test_common", "linear_model._glm.tests.test_glm", "tests.test_naive_bayes", "tests.test_discriminant_analysis",
    "neighbors.tests.test_neighbors", "neighbors.tests.test_neighbors_pipeline", "neighbors.tests.test_kde", "tree.tests.test_tree",
    "tree.tests.test_export", "tree.tests.test_monotonic_tree", "ensemble.tests.test_forest", "ensemble.tests.test_bagging",
    "ensemble.tests.test_weight_boosting", "ensemble.tests.test_voting", "ensemble.tests.test_stacking",
    "ensemble._hist_gradient_boosting.tests.test_gradient_boosting", "ensemble._hist_gradient_boosting.tests.test_monotonic_constraints",
    "ensemble._hist_gradient_boosting.tests.test_warm_start", "neural_network.tests.test_mlp", "decomposition.tests.test_pca",
    "manifold.tests.test_isomap", "manifold.tests.test_locally_linear", "manifold.tests.test_mds", "manifold.tests.test_classical_mds",
    "manifold.tests.test_t_sne", "cluster.tests.test_k_means", "cluster.tests.test_hierarchical", "cluster.tests.test_mean_shift",
    "mixture.tests.test_gaussian_mixture", "mixture.tests.test_mixture", "preprocessing.tests.test_data",
    "preprocessing.tests.test_polynomial", "semi_supervised.tests.test_label_propagation", "tests.test_kernel_ridge",
    "tests.test_kernel_approximation", "tests.test_calibration", "tests.test_multiclass", "tests.test_multioutput",
    "feature_selection.tests.test_from_model", "feature_selection.tests.test_rfe", "inspection.tests.test_partial_dependence",
    "inspection.tests.test_permutation_importance", "frozen.tests.test_frozen",
)  # fmt: skip


def run(module: str, only: Iterable[str] | None = None) -> dict[str, dict[str, object]]:
    """Run one module in a process of its own and return what became of its tests: with our classes, or ``only`` some with theirs."""
    KEPT.mkdir(parents=True, exist_ok=True)
    out, listed = KEPT / f"{module}.json", KEPT / f"{module}.txt"
    out.unlink(missing_ok=True)
    more = {"PEER_OUT": str(out), "PEER_SWAP": "1", "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}", "MPLBACKEND": "Agg"}
    if only is not None:
        listed.write_text("\n".join(only))
        more |= {"PEER_SWAP": "0", "PEER_ONLY": str(listed)}
    command = [
        sys.executable, "-m", "pytest", "-q", "-p", "benchmarks.peer.swap", "-p", "no:cacheprovider", "-p", "no:xdist", "-c", os.devnull,
        "--rootdir", str(KEPT), "--pyargs", f"sklearn.{module}", "--no-header", "--tb=short",
    ]  # fmt: skip
    try:
        done = subprocess.run(
            command, env={**os.environ, **more}, cwd=KEPT, capture_output=True, text=True, timeout=LONGEST, check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MOST, MOST)),
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        print(f"  {module}: longer than {LONGEST} s; what came before is counted")
        return dict(json.loads(out.read_text())) if out.exists() else {}
    if not out.exists():
        print(f"  {module} ended before its end:", done.stdout[-1500:], done.stderr[-1500:])
        return {}
    return dict(json.loads(out.read_text()))


def aside() -> list[tuple[str, str]]:
    """Return the patterns of tests that are set aside, with the reason of each."""
    lines = [line.strip() for line in ASIDE.read_text().splitlines()]
    pairs = [line.partition("  ") for line in lines if line and not line.startswith("#")]
    return [(pattern, reason.strip()) for pattern, _, reason in pairs]


def compare(module: str) -> dict[str, object]:
    """Run a module and return its count, with what fails and why; a test that fails with their classes, too, is not counted."""
    mine = {
        test: entry for test, entry in run(module).items() if entry.get("asked") and entry.get("outcome") != "skipped"
    }
    wrong = [test for test, entry in mine.items() if entry.get("outcome") != "passed"]
    theirs = run(module, wrong) if wrong else {}
    wrong = [test for test in wrong if theirs.get(test, {}).get("outcome") == "passed"]
    passed = sum(entry.get("outcome") == "passed" for entry in mine.values())
    reasons, failed, set_aside = aside(), {}, {}
    for test in wrong:
        reason = next((r for p, r in reasons if fnmatchcase(f"{module}::{test.partition('::')[2]}", p)), None)
        if reason is None:
            failed[test] = (
                f"{mine[test].get('where', '')} {str(mine[test].get('why', mine[test].get('outcome')))[:200]}"
            )
        else:
            set_aside[test] = reason
    return {"asked": passed + len(wrong), "passed": passed, "aside": set_aside, "failed": failed}


def table(results: dict[str, dict[str, object]]) -> Iterator[str]:
    """Yield the lines of the report."""
    import sklearn

    rows = [(m, results[m]) for m in MODULES if m in results]
    asked, passed = (sum(int(str(r[key])) for _, r in rows) for key in ("asked", "passed"))
    set_aside = sum(len(r["aside"]) for _, r in rows)  # type: ignore[arg-type]
    yield "# scikit-learn's own tests, with our classes in the place of theirs"
    yield ""
    yield f"scikit-learn {sklearn.__version__}; written by `make peer`. Counted: tests its own classes pass and that use one of ours."
    yield ""
    counted = max(asked - set_aside, 1)
    yield f"**{passed:,} of {counted:,} pass: {100 * passed / counted:.1f} %**; {set_aside} more are set aside, each with a reason below."
    yield ""
    yield "| module | counted | pass | share | set aside |"
    yield "|---|---|---|---|---|"
    for module, r in rows:
        there = int(str(r["asked"])) - len(r["aside"])  # type: ignore[arg-type]
        share = 100 * int(str(r["passed"])) / there if there else 100.0
        yield f"| `{module}` | {there} | {r['passed']} | {share:.0f} % | {len(r['aside'])} |"  # type: ignore[arg-type]
    yield ""
    yield "## Set aside"
    yield ""
    yield "| tests | reason |"
    yield "|---|---|"
    for reason, n in Counter(reason for _, r in rows for reason in r["aside"].values()).most_common():  # type: ignore[attr-defined]
        yield f"| {n} | {reason} |"


def main(arguments: Iterable[str] | None = None) -> None:
    """Run the modules that are named, or all, and write the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*", help="parts of the names of modules")
    parser.add_argument("--why", action="store_true", help="print every failure")
    options = parser.parse_args(None if arguments is None else list(arguments))
    chosen = [m for m in MODULES if not options.modules or any(part in m for part in options.modules)]
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() and options.modules else {}  # a whole run starts anew
    for module in chosen:
        found = compare(module)
        if found["asked"]:
            results[module] = found
        print(
            f"{module}: {found['passed']} of {found['asked']}, {len(found['aside'])} aside",
            flush=True,
        )  # type: ignore[arg-type]
        if options.why:
            for test, why in found["failed"].items():  # type: ignore[attr-defined]
                print("  ", test, "|", " ".join(why.split())[:230])
        RESULTS.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n")
        RESULTS.with_suffix(".md").write_text("\n".join(table(results)) + "\n")


if __name__ == "__main__":
    main()
