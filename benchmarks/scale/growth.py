r"""How cost grows: the exponents of time in n, p, K and folds, with error bars, beside theory.

Times :math:`t` at sizes :math:`s` are fitted by :math:`\log t = a + b \log s`; the error bar of :math:`b` is its standard error over the
readings. Processor time is taken, which other work on the machine disturbs least. ``python -m benchmarks.scale.growth``
writes ``benchmarks/results/scale.growth.md``.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.machine import facts, in_words
from benchmarks.record import RESULTS


@dataclass(frozen=True)
class Growth:
    """One question: what to run at each size, and the exponent that theory gives for large sizes."""

    what: str
    letter: str
    sizes: tuple[int, ...]
    make: Callable[[int], Callable[[], Any]]
    theory: str


def _rows(n: int, p: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal((n, p))


def questions() -> Iterator[Growth]:
    """Yield the questions."""
    from epee import GaussianMixture, KMeans, LinearDiscriminantAnalysis, Moments, QuadraticDiscriminantAnalysis
    from epee.predictors.regression.ridge import Ridge
    from epee.risk import cross_validate

    def moments(n: int, p: int) -> Callable[[], Any]:
        X = _rows(n, p)
        return lambda: Moments.of(X)

    def classes(K: int, model: Any) -> Callable[[], Any]:
        X, y = _rows(100_000, 20), np.arange(100_000) % K
        return lambda: model().fit(X, y)

    def validate(folds: int) -> Callable[[], Any]:
        X = _rows(200_000, 30)
        y = X[:, 0] + X[:, 1]
        y = y + np.random.default_rng(1).standard_normal(len(y))
        return lambda: cross_validate(Ridge(), X, y, folds=folds)

    def clusters(K: int) -> Callable[[], Any]:
        X = _rows(60_000, 20)
        return lambda: KMeans(K, init=X[:K], max_iter=2, tol=0).fit(X)

    def mixture(K: int) -> Callable[[], Any]:
        X = _rows(40_000, 10)

        def run() -> Any:
            import warnings

            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return GaussianMixture(K, max_iter=2, tol=0, random_state=0, init_params="random").fit(X)

        return run

    yield Growth("moments, p = 50", "n", (50_000, 100_000, 200_000, 400_000), lambda n: moments(n, 50), "1")
    yield Growth("moments, n = 20,000", "p", (200, 400, 800, 1600), lambda p: moments(20_000, p), "2")
    yield Growth("LDA, 100,000 x 20", "K", (2, 4, 8, 16), lambda K: classes(K, LinearDiscriminantAnalysis), "0")
    yield Growth(
        "QDA, 100,000 x 20",
        "K",
        (2, 4, 8, 16),
        lambda K: classes(K, QuadraticDiscriminantAnalysis),
        "0 (the rows are shared out)",
    )
    yield Growth("ridge, 200,000 x 30, cross-validated", "folds", (5, 10, 20, 40), validate, "0")
    yield Growth("k-means pass, 60,000 x 20", "K", (64, 128, 256, 512), clusters, "1")
    yield Growth("EM pass, 40,000 x 10", "K", (8, 16, 32, 64), mixture, "1")


def measure(question: Growth, rounds: int = 5) -> dict[str, Any]:
    """Return the exponent and its standard error."""
    logs: list[tuple[float, float]] = []
    for size in question.sizes:
        run = question.make(size)
        run()
        times = []
        for _ in range(rounds):
            start = time.process_time()
            run()
            times.append(time.process_time() - start)
        logs += [(np.log(size), np.log(t)) for t in sorted(times)[: max(3, rounds - 2)]]  # the slowest met other work
    x, t = np.array(logs).T
    x0 = x - x.mean()
    slope = float(x0 @ t / (x0 @ x0))
    left = t - t.mean() - slope * x0
    stderr = float(np.sqrt(left @ left / (len(x) - 2) / (x0 @ x0)))
    return {
        "what": question.what,
        "in": question.letter,
        "sizes": question.sizes,
        "exponent": slope,
        "stderr": stderr,
        "theory": question.theory,
    }


def main() -> None:
    """Measure all and write the page."""
    from epee import options

    with options(threads=1):
        rows = [measure(question) for question in questions()]
    lines = ["# How cost grows", "", f"{in_words(facts())}. One thread, processor time; exponent b of size^b.", "",
             "| work | in | sizes | exponent | theory |", "|---|---|---|---|---|"]  # fmt: skip
    for row in rows:
        sizes = f"{row['sizes'][0]:,} to {row['sizes'][-1]:,}"
        lines.append(
            f"| {row['what']} | {row['in']} | {sizes} | {row['exponent']:.2f} ± {2 * row['stderr']:.2f} | {row['theory']} |"
        )
    text = "\n".join(lines) + "\n\nError bars are two standard errors.\n"
    print(text)
    (RESULTS / "scale.growth.md").write_text(text)
    (RESULTS / "scale.growth.json").write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
