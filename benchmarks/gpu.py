"""The engine on a graphics card: our time there, our time on the processor of the same machine, scikit-learn's on the same card.

    python -m benchmarks.gpu [words of names] [--library torch|cupy] [--out FOLDER] [--no-cpu]

Data lie on the device unless a row says otherwise. Every figure is the median of warm calls, each with a fresh object and a wait for
the device at its end. The processor's figure is one warm call where it takes more than two seconds. ``same`` is the largest relative
difference of the two answers. Results are kept in ``benchmarks/results/gpu.<library>.json`` and ``.md`` with the name of the device.
Where there is no card, one sentence says so.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

if __name__ == "__main__":
    os.environ.setdefault("SCIPY_ARRAY_API", "1")  # before SciPy is loaded: scikit-learn's dispatch needs it
HERE = Path(__file__).parent / "results"


@dataclass(frozen=True)
class Row:
    """One question: ``ours(X, y)`` for rows there or here, what to compare, the promise in milliseconds, and scikit-learn's way."""

    name: str
    data: Callable[[Any], tuple[Any, ...]]
    ours: Callable[..., Any]
    answer: Callable[[Any], Any]
    promise: float | None
    theirs: Callable[..., Any] | None = None
    first: Callable[..., tuple[Any, ...]] | None = None  # what is done before the clock starts


class Maker:
    """Makes seeded data on a device by PyTorch, and hands them to a library."""

    def __init__(self, library: str) -> None:
        import torch

        self.torch, self.library = torch, library
        self.name = torch.cuda.get_device_name()

    def _out(self, a: Any) -> Any:
        if self.library == "torch":
            return a
        import cupy

        return cupy.from_dlpack(a)

    def normal(self, n: int, p: int, seed: int = 0) -> Any:
        torch = self.torch
        return torch.randn(
            n, p, dtype=torch.float64, device="cuda", generator=torch.Generator("cuda").manual_seed(seed)
        )

    def classes(self, n: int, p: int, k: int) -> tuple[Any, Any]:
        torch = self.torch
        X = self.normal(n, p)
        y = torch.arange(n, device="cuda") * 7919 % k
        X += self.normal(k, p, 1)[y] * 0.3
        return self._out(X), self._out(y)

    def regression(self, n: int, p: int) -> tuple[Any, Any]:
        X = self.normal(n, p)
        t = X @ self.normal(p, 1, 1)[:, 0] * 0.1 + self.normal(n, 1, 2)[:, 0]
        return self._out(X), self._out(t)

    def wait(self) -> None:
        self.torch.cuda.synchronize()
        if self.library == "cupy":
            import cupy

            cupy.cuda.Device().synchronize()

    def free(self) -> None:
        gc.collect()
        self.torch.cuda.empty_cache()
        if self.library == "cupy":
            import cupy

            cupy.get_default_memory_pool().free_all_blocks()


def rows() -> Iterator[Row]:
    from sklearn.decomposition import PCA as TheirPCA
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as TheirLDA
    from sklearn.linear_model import LogisticRegression as TheirLogistic
    from sklearn.linear_model import Ridge as TheirRidge
    from sklearn.mixture import GaussianMixture as TheirMixture

    from epee import (
        PCA,
        GaussianMixture,
        KMeans,
        KNeighborsClassifier,
        LandmarkRegressor,
        LinearDiscriminantAnalysis,
        LogisticRegression,
        Ridge,
        RidgeCV,
    )
    from epee.arrays import at_home
    from epee.risk import cross_validate

    alphas = np.logspace(-2, 6, 100)

    def coef(model: Any) -> Any:
        return model.coef_

    yield Row(
        "LDA fit, 200,000 x 100, ten classes", lambda d: d.classes(200_000, 100, 10),
        lambda X, y: LinearDiscriminantAnalysis().fit(X, y), coef, 3, theirs=lambda X, y: TheirLDA().fit(X, y),
    )  # fmt: skip
    yield Row(
        "LDA, ten-fold cross-validation, 200,000 x 100", lambda d: d.classes(200_000, 100, 10),
        lambda X, y: cross_validate(LinearDiscriminantAnalysis(), X, y), lambda cv: cv.per_fold, 10,
    )  # fmt: skip
    yield Row(
        "ridge fit, 200,000 x 100", lambda d: d.regression(200_000, 100), lambda X, y: Ridge().fit(X, y), coef, 3,
        theirs=lambda X, y: TheirRidge(solver="svd").fit(X, y),
    )  # fmt: skip
    for n, p, promise in ((200_000, 100, 15), (2_000_000, 500, 110), (1_000_000, 2_000, 550)):
        yield Row(
            f"ridge path of 100 penalties, ten folds, {n:,} x {p:,}", lambda d, n=n, p=p: d.regression(n, p),
            lambda X, y: RidgeCV(alphas, criterion="kfold").fit(X, y), lambda m: m.criterion_values_, promise,
        )  # fmt: skip
    yield Row(
        "k-means, 10,000,000 x 20, 50 centres, 20 passes", lambda d: (d._out(d.normal(10_000_000, 20)),),
        lambda X, start: KMeans(50, init=start, max_iter=20, tol=0.0).fit(X), lambda m: m.trace_[-1:], 250,
        first=lambda X: (X, np.asarray(X[:50].get() if hasattr(X, "get") else X[:50].cpu() if hasattr(X, "cpu") else X[:50])),
    )  # fmt: skip
    yield Row(
        "mixture of ten full components, 100,000 x 20, 20 iterations", lambda d: d.classes(100_000, 20, 10)[:1],
        lambda X, start: start(X), lambda m: np.array(m.lower_bounds_[-1:]), 40,
        first=lambda X: (X, _warm_mixture(GaussianMixture, X)),
        theirs=lambda X, _: TheirMixture(10, max_iter=20, tol=0.0, init_params="random_from_data", random_state=0).fit(X),
    )  # fmt: skip
    yield Row(
        "PCA(20), 1,000,000 x 500", lambda d: (d._out(d.normal(1_000_000, 500)),), lambda X: PCA(20).fit(X),
        lambda m: m.explained_variance_, 30,
        theirs=lambda X: TheirPCA(20, svd_solver="covariance_eigh").fit(X),
    )  # fmt: skip
    yield Row(
        "PCA(20), 200,000 x 100", lambda d: (d._out(d.normal(200_000, 100)),), lambda X: PCA(20).fit(X),
        lambda m: m.explained_variance_, 10, theirs=lambda X: TheirPCA(20, svd_solver="covariance_eigh").fit(X),
    )  # fmt: skip
    yield Row(
        "randomised PCA(20), 200,000 x 500", lambda d: (d._out(d.normal(200_000, 500)),),
        lambda X: PCA(20, svd_solver="randomized", random_state=0).fit(X), lambda m: m.explained_variance_, 60,
        theirs=lambda X: TheirPCA(20, svd_solver="randomized", power_iteration_normalizer="QR", random_state=0).fit(X),
    )  # fmt: skip
    yield Row(
        "logistic regression, 2,000,000 x 50", lambda d: d.classes(2_000_000, 50, 2),
        lambda X, y: LogisticRegression().fit(X, y), coef, 50, theirs=lambda X, y: TheirLogistic().fit(X, y),
    )  # fmt: skip
    yield Row(
        "nearest five of 100,000 x 10, 10,000 queries", lambda d: d.classes(100_000, 10, 3),
        lambda Q, model: model.kneighbors(Q), lambda found: at_home(found[0]), 15,
        first=lambda X, y: (X[:10_000] * 1.001, KNeighborsClassifier(5).fit(X, y)),
    )  # fmt: skip
    yield Row(
        "kernel ridge of 300 landmarks, eight widths, 41 penalties, ten folds, 1,000,000 x 10", lambda d: d.regression(1_000_000, 10),
        lambda X, y: LandmarkRegressor(n_components=300).fit(X, y), lambda m: m.cv_errors_, None, first=_bumps,
    )  # fmt: skip


def _bumps(X: Any, t: Any) -> tuple[Any, Any]:
    """Return rows with a target that no plane fits."""
    return X, t + X[:, 0] * X[:, 1]


def _warm_mixture(kind: Any, X: Any) -> Any:
    """Return a function that climbs twenty steps from the same start: the search of a start is not what is measured."""
    small = X[:5000]
    here = np.asarray(small.get() if hasattr(small, "get") else small.cpu() if hasattr(small, "cpu") else small)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        begun = kind(10, max_iter=1, random_state=0, tol=0.0).fit(here)

    def climb(X: Any) -> Any:
        model = kind(10, max_iter=20, tol=0.0, warm_start=True)
        model.__dict__.update({k: v for k, v in vars(begun).items() if k.endswith("_") or k.startswith("_")})
        model.lower_bound_ = None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return model.fit(X)

    return climb


def timed(work: Callable[[], Any], wait: Callable[[], None], most: float = 3.0) -> tuple[float, Any]:
    """Return the median time of warm calls, in seconds, and the last result."""
    result = work()
    wait()
    begin = time.perf_counter()
    result = work()
    wait()
    once = time.perf_counter() - begin
    times = [once]
    while len(times) < 25 and sum(times) + once < most:
        begin = time.perf_counter()
        result = work()
        wait()
        times.append(time.perf_counter() - begin)
    return float(np.median(times)), result


def difference(a: Any, b: Any) -> float:
    """Return the largest difference relative to the largest entry."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    return float(np.abs(a - b).max() / max(np.abs(b).max(), 1e-300))


def measure(row: Row, maker: Maker, cpu: bool) -> dict[str, Any]:
    """Return the figures of one row."""
    from epee.arrays import at_home, is_elsewhere

    data = row.data(maker)
    there = row.first(*data) if row.first else data
    seconds, found = timed(lambda: row.ours(*there), maker.wait)
    _, again = timed(lambda: row.ours(*there), maker.wait, most=0.0)
    out: dict[str, Any] = {"name": row.name, "promise ms": row.promise, "device ms": round(1e3 * seconds, 2)}
    out["same bits twice"] = bool(np.array_equal(np.asarray(row.answer(found)), np.asarray(row.answer(again))))
    if row.theirs is not None:
        from sklearn import config_context

        with config_context(array_api_dispatch=True), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                theirs, _ = timed(lambda: row.theirs(*there), maker.wait)  # type: ignore[misc]
                out["scikit-learn there ms"] = round(1e3 * theirs, 2)
            except Exception as fault:  # noqa: BLE001 - a rival that fails is shown as such
                out["scikit-learn there ms"] = f"fails: {type(fault).__name__}"
    if cpu:
        here = tuple(at_home(a) if is_elsewhere(a) else a for a in there)
        del data, there
        maker.free()
        row.ours(*here)  # compiled code is found, or made
        begin = time.perf_counter()
        result = row.ours(*here)
        once = time.perf_counter() - begin
        if once < 2.0:
            once, result = timed(lambda: row.ours(*here), lambda: None, most=2.0)
        out["CPU ms"] = round(1e3 * once, 1)
        out["same"] = difference(row.answer(found), row.answer(result))
    maker.free()
    return out


def journeys(maker: Maker) -> list[dict[str, Any]]:
    """Return how fast rows are summed that travel from this machine's memory, page-locked and not, beside the plain copy."""
    import epee

    torch, found = maker.torch, []
    n, p = 2_000_000, 250
    pinned = torch.randn(n, p, dtype=torch.float64).pin_memory()
    maker.wait()
    bare, there = timed(lambda: pinned.to("cuda", non_blocking=True), maker.wait)
    del there
    gigabytes = 8e-9 * n * p
    for what, X in (("page-locked", pinned.numpy()), ("ordinary", pinned.numpy().copy())):
        with epee.engine("cuda"):
            seconds, m = timed(lambda X=X: epee.Moments.of(X), maker.wait, most=4.0)
        same = difference(m.scatter, epee.Moments.of(X).scatter)
        rate, best = gigabytes / seconds, gigabytes / bare
        found.append({"name": f"moments of {n:,} x {p} in {what} memory", "GB/s": round(rate, 1), "copy GB/s": round(best, 1),
                      "share": round(rate / best, 3), "promise share": 0.8 if what == "page-locked" else None, "same": same})  # fmt: skip
    return found


def table(results: list[dict[str, Any]]) -> str:
    """Return results as a table of Markdown."""
    columns = list(dict.fromkeys(key for row in results for key in row))
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    for row in results:
        cells = (row.get(key) for key in columns)
        shown = (
            "" if c is None else f"{c:.1e}" if isinstance(c, float) and 0 < abs(c) < 1e-4 else str(c) for c in cells
        )
        lines.append("| " + " | ".join(shown) + " |")
    return "\n".join(lines)


def main() -> None:
    """Run what was asked for and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])  # type: ignore[union-attr]
    parser.add_argument("words", nargs="*")
    parser.add_argument("--library", default="torch", choices=("torch", "cupy"))
    parser.add_argument("--out", type=Path, default=HERE)
    parser.add_argument("--no-cpu", action="store_true")
    asked = parser.parse_args()
    try:
        maker = Maker(asked.library)
    except Exception as fault:  # noqa: BLE001 - no card, no driver, no library: all the same here
        print(f"no figures: these need a graphics card and PyTorch with CUDA ({str(fault).splitlines()[0]}).")
        return
    from benchmarks.machine import facts

    results = []
    for row in rows():
        if all(word.lower() in row.name.lower() for word in asked.words):
            try:
                results.append(measure(row, maker, not asked.no_cpu))
            except Exception as fault:  # noqa: BLE001 - one row that fails must not cost the others
                results.append({"name": row.name, "fault": f"{type(fault).__name__}: {str(fault)[:300]}"})
                maker.free()
            print(results[-1], flush=True)
    travels = [] if asked.words and "journey" not in asked.words else journeys(maker)
    for line in travels:
        print(line, flush=True)
    asked.out.mkdir(parents=True, exist_ok=True)
    kept = {"device": maker.name, "library": asked.library, "machine": facts(), "rows": results, "journeys": travels}
    (asked.out / f"gpu.{asked.library}.json").write_text(json.dumps(kept, indent=1, default=str) + "\n")
    words = [f"# On {maker.name}, by {asked.library}", "", table(results), "", table(travels), ""]
    (asked.out / f"gpu.{asked.library}.md").write_text("\n".join(words))
    print("\n".join(words))


if __name__ == "__main__":
    main()
