"""Claims about predictors that are refitted (trees, forests, boosting, kernels, tuned ones), and about ``learn`` as a whole.

The truth is the error of the fitted predictor on 20,000 fresh rows of the law, whose noise is left out of the draw and added as its
variance. A run of ``learn`` keeps its claim when the interval of its sealed rows holds that error, or, on a table of pure noise, when
it does not say that the inputs tell the target.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks.risk.claims import Claim, Outcome, inside
from benchmarks.risk.laws import NOISES

FRESH = 20_000


def surface(X: np.ndarray) -> np.ndarray:
    """Return a function of three columns with a bend, a wave and an interaction."""
    return np.abs(X[:, 0]) + np.sin(2 * X[:, 1]) + 0.5 * X[:, 0] * X[:, 2]


def regressors() -> dict[str, Callable[[], Any]]:
    """Return how to make each refitted regressor."""
    import epee

    return {
        "tree": lambda: epee.DecisionTreeRegressor(max_depth=4),
        "forest": lambda: epee.RandomForestRegressor(20, random_state=0),
        "boosting": lambda: epee.HistGradientBoostingRegressor(max_iter=30, min_samples_leaf=5, early_stopping=False),
        "neighbours": lambda: epee.KNeighborsRegressor(5),
        "kernel ridge": lambda: epee.KernelRidge(kernel="rbf", alpha=0.1),
        "tuned ridge": epee.RidgeCV,
        "tuned lasso": lambda: epee.LassoCV(cv=5),
    }


def true_error(model: Any, noise: str) -> float:
    """Return the expected squared error of a fitted predictor."""
    X = np.random.default_rng(1).normal(size=(FRESH, 4))
    return float(NOISES[noise].variance + ((model.predict(X) - surface(X)) ** 2).mean())


def refitted(name: str, noise: str, n: int, r: np.random.Generator) -> Outcome:
    """The nested interval of few repeats holds the error of a refitted regressor."""
    from epee.risk import cross_validate

    X = r.normal(size=(n, 4))
    y = surface(X) + NOISES[noise].draw(r, n)
    make = regressors()[name]
    found = cross_validate(make(), X, y, interval="nested", repeats=3, level=0.9)
    return inside(found, true_error(make().fit(X, y), noise))


CHANCES: dict[str, Callable[[np.ndarray], np.ndarray]] = {  # of the second class
    "a bent surface": lambda X: 1 / (1 + np.exp(-2 * surface(X) + 1)),
    "a chessboard": lambda X: np.where((X[:, 0] > 0) ^ (X[:, 1] > 0), 0.85, 0.15),  # which a tree finds, or does not
    "a class of 20 %": lambda X: 1 / (1 + np.exp(2.2 - 1.5 * X[:, 0] - 0.8 * X[:, 1])),
}


def refitted_classes(name: str, law: str, n: int, r: np.random.Generator) -> Outcome:
    """The nested interval of few repeats holds the error rate of a refitted classifier."""
    import epee
    from epee.risk import cross_validate

    makes = {
        "tree": lambda: epee.DecisionTreeClassifier(max_depth=4),
        "neighbours": lambda: epee.KNeighborsClassifier(5),
        "forest": lambda: epee.RandomForestClassifier(20, random_state=0),
    }
    X = r.normal(size=(n, 4))
    y = (r.random(n) < CHANCES[law](X)).astype(int)
    fresh = np.random.default_rng(1).normal(size=(FRESH, 4))
    chance = CHANCES[law](fresh)
    said = makes[name]().fit(X, y).predict(fresh)
    truth = float(np.where(said == 1, 1 - chance, chance).mean())
    return inside(cross_validate(makes[name](), X, y, interval="nested", repeats=3, level=0.9), truth)


def sealed(kind: str, n: int, r: np.random.Generator) -> Outcome:
    """The interval of the sealed rows holds the error of the predictor that ``learn`` tested there."""
    import pandas as pd

    import epee

    def law(X: np.ndarray) -> np.ndarray:
        return surface(X) if kind == "numbers" else 1 / (1 + np.exp(-2 * surface(X) + 1))

    X = r.normal(size=(n, 4))
    told = law(X)
    y = told + r.normal(size=n) if kind == "numbers" else np.where(r.random(n) < told, "yes", "no")
    frame = pd.DataFrame(X, columns=list("abcd"))
    learned = epee.learn(
        frame.assign(y=y),
        "y",
        predictors=["linear", "ridge", "tree", "knn"] if kind == "numbers" else ["lda", "tree", "knn"],
    )
    fresh = np.random.default_rng(1).normal(size=(FRESH, 4))
    said = np.asarray(learned.predictor.predict(pd.DataFrame(fresh, columns=list("abcd"))))
    told = law(fresh)
    truth = 1 + ((said - told) ** 2).mean() if kind == "numbers" else np.where(said == "yes", 1 - told, told).mean()
    return inside(learned.risk, float(truth))


def nothing_to_tell(kind: str, n: int, r: np.random.Generator) -> Outcome:
    """On pure noise the verdict does not say that the inputs tell the target."""
    import pandas as pd

    import epee

    y = r.normal(size=n) if kind == "numbers" else np.where(r.random(n) < 0.4, "yes", "no")
    frame = pd.DataFrame(r.normal(size=(n, 6)), columns=list("abcdef")).assign(y=y)
    return not epee.learn(frame, "y").conclusive, False


def claims() -> Iterator[Claim]:
    """Yield every claim about refitted predictors and ``learn``."""
    for name in ("tree", "forest", "boosting", "neighbours", "kernel ridge", "tuned ridge", "tuned lasso"):
        yield Claim(
            f"nested, {name}",
            "a bent surface, Gaussian, n = 100",
            0.9,
            partial(refitted, name, "Gaussian", 100),
            slow=True,
        )
    for name, n in (("tree", 60), ("neighbours", 60), ("kernel ridge", 200)):
        yield Claim(
            f"nested, {name}", f"a bent surface, t(5), n = {n}", 0.9, partial(refitted, name, "t(5)", n), slow=True
        )
    classes = [(name, "a bent surface", 100) for name in ("tree", "neighbours", "forest")]
    classes += [("tree", "a chessboard", 150), ("tree", "a class of 20 %", 150), ("neighbours", "a class of 20 %", 60)]
    for name, law, n in classes:
        one = partial(refitted_classes, name, law, n)
        yield Claim(f"nested, {name}, error rate", f"{law}, n = {n}", 0.9, one, slow=True)
    for kind in ("numbers", "classes"):
        yield Claim("learn, sealed rows", f"{kind}, n = 150", 0.95, partial(sealed, kind, 150), slow=True)
        yield Claim(
            "learn, nothing is shown",
            f"pure noise, {kind}, n = 100",
            0.95,
            partial(nothing_to_tell, kind, 100),
            slow=True,
        )
