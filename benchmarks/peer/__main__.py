"""Run scikit-learn's test modules with our classes: ``python -m benchmarks.peer [module ...]``; no module means all of them.

A test that its own classes do not pass on this machine, or that uses nothing of ours, is not counted. ``benchmarks/results/peer.md``
has the share that passes, by module, what fails, and the tests that are set aside with a reason each (``benchmarks/peer/aside.txt``).
A run that was stopped goes on where it was, as long as the sources are the same.
"""

from __future__ import annotations

import argparse
import functools
import json
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from benchmarks.peer.running import ROOT, run

AT_ONCE = 7  # modules in a process, after which what is known is kept
RESULTS, ASIDE = ROOT / "benchmarks" / "results" / "peer.json", Path(__file__).parent / "aside.txt"
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


def aside() -> list[tuple[str, str]]:
    """Return the patterns of tests that are set aside, with the reason of each."""
    lines = [line.strip() for line in ASIDE.read_text().splitlines()]
    pairs = [line.partition("  ") for line in lines if line and not line.startswith("#")]
    return [(pattern, reason.strip()) for pattern, _, reason in pairs]


def sources() -> str:
    """Return a name for the state of our sources, by which a run that was stopped knows what it has done."""
    git = ("git", "-C", str(ROOT))
    tree = subprocess.run([*git, "rev-parse", "--short", "HEAD:src/epee"], capture_output=True, text=True, check=False)
    changed = subprocess.run([*git, "status", "--porcelain", "src/epee"], capture_output=True, text=True, check=False)
    return tree.stdout.strip() + ("+" if changed.stdout.strip() else "")


def compare(modules: Sequence[str], before: dict[str, dict[str, Any]] | None = None) -> dict[str, dict[str, Any]]:
    """Run modules, or what failed in them ``before``, and return the counts of each, with what fails and why.

    A test that fails with their classes, too, is not counted; theirs are asked only about what fails with ours and is not set aside.
    """
    only = None if before is None else [f"{m}{t}" for m in modules for t in before[m]["failed"]]
    ran = run(modules, only=only)
    mine = {t: e for t, e in ran.items() if e.get("asked") and e.get("outcome") != "skipped"}
    wrong = [t for t, e in mine.items() if e.get("outcome") != "passed"]
    unknown = [t for t in wrong if not reason_of(t)]
    if before is None and unknown:
        theirs = run(modules, swap=False, only=unknown)
        strange = {t for t in unknown if theirs.get(t, {}).get("outcome") != "passed"}
        mine = {t: e for t, e in mine.items() if t not in strange}
    found = {}
    for module in modules:
        own = {t.removeprefix(module): e for t, e in mine.items() if t.startswith(f"{module}::")}
        failed = {t: _why(e) for t, e in own.items() if e.get("outcome") != "passed"}
        if before is None and not any(t.startswith(f"{module}::") for t in ran):
            failed["::the module cannot be imported with our classes"] = "nothing of it was run"
        passed = sum(e.get("outcome") == "passed" for e in own.values()) + (before[module]["passed"] if before else 0)
        found[module] = {
            "asked": passed + len(failed), "passed": passed, "failed": failed, "date": date.today().isoformat(),
            "slow": {t: e["seconds"] for t, e in own.items() if float(str(e.get("seconds", 0))) > 10.0},
            "sources": before[module]["sources"] if before else sources(),
        }  # fmt: skip
    return found


def _why(entry: dict[str, object]) -> str:
    return f"{entry.get('where', '')} {' '.join(str(entry.get('why', entry['outcome'])).split())[:200]}"


@functools.cache
def reason_of(test: str) -> str | None:
    """Return why a test, ``module::test``, is set aside; None for one that is not."""
    return next((reason for pattern, reason in aside() if fnmatchcase(test, pattern)), None)


def sorted_out(module: str, failed: dict[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return those of the failures that are set aside, with the reason, and the others, with what went wrong."""
    reason = {t: reason_of(f"{module}{t}") for t in failed}
    return {t: r for t, r in reason.items() if r}, {t: failed[t] for t, r in reason.items() if not r}


def table(results: dict[str, dict[str, Any]]) -> Iterator[str]:
    """Yield the lines of the report."""
    import sklearn

    rows = [(m, results[m], *sorted_out(m, results[m]["failed"])) for m in MODULES if m in results]
    passed, away = sum(r["passed"] for _, r, _, _ in rows), sum(len(a) for _, _, a, _ in rows)
    counted = max(sum(r["asked"] for _, r, _, _ in rows) - away, 1)
    dates = sorted({r["date"] for _, r, _, _ in rows})
    yield "# scikit-learn's own tests, with our classes in the place of theirs"
    yield ""
    yield f"scikit-learn {sklearn.__version__}; written by `make peer`, {' to '.join(dict.fromkeys((dates[0], dates[-1])))}."
    yield f"Modules: {len(rows)} of {len(MODULES)}, run on {len({r['sources'] for _, r, _, _ in rows})} state(s) of our sources. Counted:"
    yield "tests that its own classes pass and that use one of ours; those whose parameters name only estimators of theirs are left out."
    yield ""
    yield f"**{passed:,} of {counted:,} pass: {100 * passed / counted:.1f} %**; {away} more are set aside, each with a reason below."
    yield ""
    yield "| module | counted | pass | share | set aside |"
    yield "|---|---|---|---|---|"
    for module, r, apart, _ in rows:
        there = r["asked"] - len(apart)
        yield f"| `{module}` | {there} | {r['passed']} | {100 * r['passed'] / max(there, 1):.0f} % | {len(apart)} |"
    yield ""
    yield "## Set aside"
    yield ""
    yield "| tests | reason |"
    yield "|---|---|"
    for reason, n in Counter(reason for _, _, apart, _ in rows for reason in apart.values()).most_common():
        yield f"| {n} | {reason} |"
    yield ""
    yield "## Failing"
    yield ""
    yield "| module | test | variants | where, and what |"
    yield "|---|---|---|---|"
    for module, _, _, wrong in rows:
        groups: dict[str, list[str]] = {}
        for test, why in wrong.items():
            groups.setdefault(test.partition("[")[0].removeprefix("::"), []).append(why)
        for name, whys in groups.items():
            why = whys[0][:160].replace("|", "/").replace("<", "&lt;")
            yield f"| `{module.rpartition('.')[2]}` | `{name}` | {len(whys)} | {why} |"


def main(arguments: Iterable[str] | None = None) -> None:
    """Run the modules that are named, or all that this state of the sources has not run, and write the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*", help="parts of the names of modules")
    parser.add_argument("--failed", action="store_true", help="run only what failed before")
    parser.add_argument("--page", action="store_true", help="run nothing, write the report from what is known")
    parser.add_argument("--why", action="store_true", help="print every failure")
    options = parser.parse_args(None if arguments is None else list(arguments))
    results: dict[str, dict[str, Any]] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    now = sources()

    def is_due(module: str) -> bool:
        if options.page or (options.modules and not any(part in module for part in options.modules)):
            return False
        if options.failed:
            return bool(results.get(module, {}).get("failed"))
        done = results.get(module, {}).get("sources") == now and not now.endswith("+")
        return bool(options.modules) or not done

    due = [module for module in MODULES if is_due(module)]
    for i in range(0, len(due), AT_ONCE):
        group = due[i : i + AT_ONCE]
        for module, found in compare(group, results if options.failed else None).items():
            results[module] = found
            apart, wrong = sorted_out(module, found["failed"])
            print(f"{module}: {found['passed']} of {found['asked']}, {len(apart)} aside", flush=True)
            for test, why in wrong.items() if options.why else ():
                print("  ", test, "|", why)
        RESULTS.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n")
        RESULTS.with_suffix(".md").write_text("\n".join(table(results)) + "\n")
    RESULTS.with_suffix(".md").write_text("\n".join(table(results)) + "\n")


if __name__ == "__main__":
    main()
