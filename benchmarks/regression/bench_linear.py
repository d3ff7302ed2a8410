"""Least squares and ridge: the fit, the choice of a penalty, all degrees of a polynomial; and how many digits are right."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import Problem, gram
from benchmarks.problems import curve, regression

NIST = Path(__file__).parents[2] / "tests" / "agreement" / "nist"


def intelex(name: str) -> Any:
    """Return the estimator of scikit-learn-intelex, which is absent on some machines."""
    import sklearnex.linear_model

    return getattr(sklearnex.linear_model, name)


def close(ours: Any, theirs: Any) -> bool:
    return bool(np.abs(ours.coef_ - theirs.coef_).max() < 1e-6 * np.abs(ours.coef_).max())


def digits(make: Any) -> dict[str, float]:
    """Return the correct digits of the worst coefficient on each of NIST's regressions, at least 0."""
    found = {}
    for name, entry in json.loads((NIST / "certified.json").read_text()).items():
        rows = np.genfromtxt(NIST / entry["file"], delimiter=",", skip_header=1)
        x, y = rows[:, 1:], rows[:, 0]
        degree = int(entry["model"].split()[-1]) if "degree" in entry["model"] else 0
        X = np.column_stack([x[:, 0] ** j for j in range(1, degree + 1)]) if degree else x
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = make(fit_intercept=entry["intercept"]).fit(X, y)
        estimate = np.append(model.intercept_, model.coef_) if entry["intercept"] else model.coef_
        certified = np.array([float(p["estimate"]) for p in entry["parameters"].values()])
        error = np.abs(estimate - certified) / np.abs(certified)
        found[name] = max(0.0, float(-np.log10(error.max() + 1e-16)))
    return found


def digits_table() -> str:
    """Return our digits beside scikit-learn's, as lines of text."""
    from sklearn.linear_model import LinearRegression as Theirs

    from epee import LinearRegression as Ours

    ours, theirs = digits(Ours), digits(Theirs)
    lines = [
        f"{'correct digits':12}  {'épée':>6}  scikit-learn",
        *(f"{k:14}  {ours[k]:6.1f}  {theirs[k]:12.1f}" for k in ours),
    ]
    return "\n".join(lines)


def problems() -> Iterator[Problem]:
    from sklearn.linear_model import LinearRegression as TheirLine
    from sklearn.linear_model import Ridge as TheirRidge
    from sklearn.linear_model import RidgeCV as TheirRidgeCV

    from epee import LinearRegression, PolynomialRegression, Ridge, RidgeCV

    def data() -> tuple[np.ndarray, np.ndarray]:
        return regression(200_000, 100)

    yield Problem(
        "LinearRegression fit, 200,000 x 100",
        data=data,
        ours=lambda X, y: LinearRegression().fit(X, y),
        rivals={
            "scikit-learn": lambda X, y: TheirLine().fit(X, y),
            "scikit-learn-intelex": lambda X, y: intelex("LinearRegression")().fit(X, y),
        },
        limits={"one X.T @ X": lambda X, y: gram(X)},
        claim={"scikit-learn": 15, "scikit-learn-intelex": 1, "one X.T @ X": 1.5},
        same=close,
        quick=True,
    )
    yield Problem(
        "Ridge fit, 200,000 x 100",
        data=data,
        ours=lambda X, y: Ridge().fit(X, y),
        rivals={
            "scikit-learn": lambda X, y: TheirRidge().fit(X, y),
            "scikit-learn-intelex": lambda X, y: intelex("Ridge")().fit(X, y),
        },
        limits={"one X.T @ X": lambda X, y: gram(X)},
        claim={"scikit-learn": 2, "scikit-learn-intelex": 1, "one X.T @ X": 1.5},
        same=close,
    )
    yield Problem(
        "Ridge fit, 100 x 50,000 (by rows)",
        data=lambda: regression(100, 50_000),
        ours=lambda X, y: Ridge().fit(X, y),
        rivals={"scikit-learn": lambda X, y: TheirRidge().fit(X, y)},
        limits={"one X @ X.T": lambda X, y: X @ X.T},
        same=close,
    )
    alphas = np.geomspace(1e-2, 1e6, 100)
    yield Problem(
        "RidgeCV by GCV, 100 penalties, 200,000 x 100",
        data=data,
        ours=lambda X, y: RidgeCV(alphas, criterion="gcv").fit(X, y),
        rivals={"scikit-learn": lambda X, y: TheirRidgeCV(alphas).fit(X, y)},
        limits={"one X.T @ X": lambda X, y: gram(X)},
        claim={"scikit-learn": 50},
        same=lambda ours, theirs: bool(np.abs(ours.coef_ - theirs.coef_).max() < 1e-2),
    )
    yield Problem(
        "RidgeCV by LOO, 100 penalties, 200,000 x 100",
        data=data,
        ours=lambda X, y: RidgeCV(alphas, criterion="loo").fit(X, y),
        limits={"one X.T @ X": lambda X, y: gram(X)},
    )

    def degrees() -> tuple[np.ndarray, np.ndarray]:
        x, y = curve(100_000)
        return x[:, None], y

    yield Problem(
        "degrees 0 to 15 by leaving one out, n = 100,000",
        data=degrees,
        ours=lambda x, y: PolynomialRegression().left_out_path(x, y, None, "degree", range(16)),
        limits={"one fit of degree 15": lambda x, y: PolynomialRegression(15).fit(x, y)},
        claim={"one fit of degree 15": 5},
        quick=True,
    )


if __name__ == "__main__":
    print(digits_table())
