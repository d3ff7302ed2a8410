"""Claims about rows under laws that an outside examiner brought, after the intervals were made; none of them is in the other files.

Errors that are a spike and a slab, skewed to the left, of two values, multiplied by an input; rows copied at random, nearly copied, of
a place or of a random slope; labels that persist in time; costs of three classes; weights of any shape. The truth is a closed form, or
the mean loss on many fresh rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, ndtr

from benchmarks.risk.claims import Claim, Outcome, inside
from benchmarks.risk.laws import FirstNumber, FirstScore, Noise

SLOPE = 0.4
FRESH = 40_000


class Errors(NamedTuple):
    """Errors that may depend on the inputs (n, p), with their mean square."""

    draw: Callable[[np.random.Generator, np.ndarray], np.ndarray]
    variance: float


def plain(noise: Noise) -> Errors:
    """Return errors that do not depend on the inputs."""
    return Errors(lambda r, X: noise.draw(r, len(X)), noise.variance)


ERRORS: dict[str, Errors] = {
    "Gumbel": plain(Noise(lambda r, n: r.gumbel(size=n) - np.euler_gamma, float(np.pi**2 / 6))),
    "half-normal": plain(Noise(lambda r, n: np.abs(r.normal(size=n)) - np.sqrt(2 / np.pi), 1 - 2 / np.pi)),
    "Wald(1)": plain(Noise(lambda r, n: r.wald(1.0, 1.0, size=n) - 1, 1.0)),
    "arcsine": plain(Noise(lambda r, n: np.sin(r.uniform(-np.pi / 2, np.pi / 2, n)), 0.5)),
    "skewed to the left": plain(Noise(lambda r, n: 3.0 - r.gamma(3.0, size=n), 3.0)),
    "70 % of errors zero": plain(Noise(lambda r, n: np.where(r.random(n) < 0.3, r.normal(size=n), 0.0), 0.3)),
    "two values, 1 to 9": plain(Noise(lambda r, n: np.where(r.random(n) < 0.1, 0.9, -0.1), 0.09)),
    "15 % three times larger": plain(Noise(lambda r, n: r.normal(size=n) * np.where(r.random(n) < 0.15, 3.0, 1.0), 2.2)),
    "Pareto(5)": plain(Noise(lambda r, n: r.pareto(5.0, size=n) - 0.25, 5 / 48)),
    "symmetric Weibull(0.7)": plain(Noise(lambda r, n: r.weibull(0.7, n) * r.choice([-1.0, 1.0], n), 5.0291)),
    "sd = |x|": Errors(lambda r, X: r.normal(size=len(X)) * np.abs(X[:, 0]), 1.0),
    "sd = 0.3 + x²": Errors(lambda r, X: r.normal(size=len(X)) * (0.3 + X[:, 0] ** 2), 0.09 + 0.6 + 3.0),
    "a tenth of the rows four times as noisy": Errors(
        lambda r, X: r.normal(size=len(X)) * np.where(X[:, 0] > 1.2815515655446004, 4.0, 1.0), 0.9 + 1.6
    ),
}  # fmt: skip


def table_of(errors: str, n: int, p: int, r: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return a plane of normal inputs under these errors."""
    X = r.normal(size=(n, p))
    return X, SLOPE * X.sum(axis=1) + ERRORS[errors].draw(r, X)


def plane_error(model: Any, variance: float, spread: float = 1.0) -> float:
    """Return the expected squared error of a fitted plane, where inputs are centred and independent."""
    return float(variance + spread * ((np.ravel(model.coef_) - SLOPE) ** 2).sum() + float(model.intercept_) ** 2)


def validated(model: Any, X: np.ndarray, y: np.ndarray, how: str, **extra: Any) -> Any:
    """Return the estimate of a way of learning, at 90 %."""
    from epee.risk import cross_validate, loo

    if how == "leave-one-out":
        return loo(model, X, y, level=0.9, **extra)
    return cross_validate(model, X, y, interval=how, repeats=20 if how == "nested" else 1, level=0.9, **extra)


def plane(errors: str, n: int, p: int, how: str, r: np.random.Generator) -> Outcome:
    """The interval of a plane under errors of some shape; of new rows, "hold-out" at 95 %."""
    from epee import LinearRegression
    from epee.risk import holdout_error

    X, y = table_of(errors, n, p, r)
    if how == "hold-out":
        return inside(holdout_error(FirstNumber(), X, y + X[:, 0] - SLOPE * X.sum(axis=1)), ERRORS[errors].variance)
    truth = plane_error(LinearRegression().fit(X, y), ERRORS[errors].variance)
    return inside(validated(LinearRegression(), X, y, how), truth)


def logit_table(r: np.random.Generator, n: int, shift: float, p: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return inputs, classes and their chances."""
    X = r.normal(size=(n, p))
    chance = expit(1.2 * X[:, 0] - 0.8 * X[:, 1] + shift)
    return X, (r.random(n) < chance).astype(int), chance


@cache
def fresh_logits(shift: float) -> tuple[np.ndarray, np.ndarray]:
    """Return inputs and the chances of the second class."""
    X, _, chance = logit_table(np.random.default_rng(77), FRESH, shift)
    return X, chance


def rated(model: str, shift: float, n: int, how: str, loss: str, r: np.random.Generator) -> Outcome:
    """Classes of any share; the truth is of the fitted rule, on fresh rows with known chances."""
    import epee
    from epee.risk import holdout_error

    make = {
        "LDA": epee.LinearDiscriminantAnalysis,
        "QDA": epee.QuadraticDiscriminantAnalysis,
        "naive Bayes": epee.GaussianNB,
        "logistic": epee.LogisticRegression,
    }[model]
    while True:
        X, y, _ = logit_table(r, n, shift)
        if np.bincount(y, minlength=2).min() >= 3:
            break
    fitted = make().fit(X, y)
    fresh, chance = fresh_logits(shift)
    if loss == "zero_one":
        truth = float(np.where(fitted.predict(fresh) == 1, 1 - chance, chance).mean())
    else:
        P = np.clip(fitted.predict_proba(fresh), 1e-300, 1.0)
        truth = float(-(chance * np.log(P[:, 1]) + (1 - chance) * np.log(P[:, 0])).mean())
    if how == "hold-out":
        X, y, _ = logit_table(r, n, shift)
        return inside(holdout_error(fitted, X, y, loss=loss, level=0.9), truth)
    return inside(validated(make(), X, y, how, loss=loss), truth)


def wrong(share: float, n: int, r: np.random.Generator) -> Outcome:
    """An error rate on held-out rows."""
    from epee.risk import holdout_error

    y = r.integers(0, 2, n)
    said = np.where(r.random(n) < share, 1 - y, y)
    return inside(holdout_error(FirstScore(), said[:, None].astype(float), y), share)


COSTS3 = np.array([[0.0, 1.0, 30.0], [2.0, 0.0, 5.0], [1.0, 1.0, 0.0]])


class Says(FirstScore):
    """Says the class that stands in the first column, of three."""

    classes_ = np.array([0, 1, 2])

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Read it."""
        return X[:, 0].astype(int)


def costs_of_three(n: int, r: np.random.Generator) -> Outcome:
    """Five costs of three classes: 4 % of rows are mistaken for either other class."""
    from epee.risk import holdout_error

    share = np.array([0.6, 0.3, 0.1])
    y = r.choice(3, n, p=share)
    said = np.where(r.random(n) < 0.04, (y + r.integers(1, 3, n)) % 3, y)
    confusion = 0.02 * share * (1 - np.eye(3))  # (said, true)
    found = holdout_error(Says(), said[:, None].astype(float), y, loss=COSTS3)
    return inside(found, float((COSTS3 * confusion).sum()))


def dear(cost: float, share: float, n: int, r: np.random.Generator) -> Outcome:
    """One error in many is dear, the others cost 1."""
    from epee.risk import holdout_error

    y = (r.random(n) < 0.5).astype(int)
    said = np.where(y == 1, (r.random(n) >= share).astype(int), (r.random(n) < 0.2).astype(int))
    found = holdout_error(FirstScore(), said[:, None].astype(float), y, loss=np.array([[0.0, cost], [1.0, 0.0]]))
    return inside(found, 0.5 * share * cost + 0.1)


def kin_table(law: str, r: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Return inputs, target, groups and the variance of the error on rows far away."""
    if law == "copied a random number of times":
        n = 60
        X, e = r.normal(size=(n, 3)), r.normal(size=n)
        g = r.permutation(np.repeat(np.arange(n), r.geometric(0.5, n)))
        return X[g], SLOPE * X[g].sum(axis=1) + e[g], g, 1.0
    if law == "nearly copied":
        n = 60
        X, e = r.normal(size=(n, 3)), r.normal(size=n)
        g = r.permutation(np.tile(np.arange(n), 2))
        Z = X[g] + 1e-3 * r.normal(size=(2 * n, 3))
        return Z, SLOPE * X[g].sum(axis=1) + e[g] + 0.05 * r.normal(size=2 * n), g, 1.0025
    if law == "a random slope a group":
        g = np.repeat(np.arange(25), 6)
        X = r.normal(size=(150, 3))
        slope = SLOPE + 0.7 * r.normal(size=25)
        y = slope[g] * X[:, 0] + SLOPE * X[:, 1:].sum(axis=1) + r.normal(size=150)
        return X, y, g, 1.49
    if law == "a place that is an input":
        g = r.permutation(np.repeat(np.arange(20), 8))
        X = np.column_stack([r.normal(size=20)[g], r.normal(size=(160, 2))])
        return X, SLOPE * X.sum(axis=1) + r.normal(size=20)[g] + r.normal(size=160), g, 2.0
    if law == "a name that is an input":
        g = r.permutation(np.repeat(np.arange(20), 8))
        X = np.column_stack([g.astype(float), r.normal(size=(160, 2))])
        return X, SLOPE * X[:, 1:].sum(axis=1) + r.normal(size=20)[g] + r.normal(size=160), g, 2.0
    raise ValueError(law)


def mapped(how: str, r: np.random.Generator, n: int = 150, waves: int = 100) -> Outcome:
    """A rough field over a map, which the plane misses; rows are independent places of it, and so are new ones."""
    from epee import LinearRegression

    omega, phase = r.normal(size=(2, waves)) / 0.1, r.uniform(0, 2 * np.pi, waves)

    def draw(r: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        X = np.column_stack([r.uniform(0, 1, size=(n, 2)), r.normal(size=n)])
        field = np.cos(X[:, :2] @ omega + phase).sum(axis=1) * np.sqrt(2 / waves)
        return X, SLOPE * X.sum(axis=1) + field

    X, told = draw(r, n)
    y = told + 0.5 * r.normal(size=n)
    fresh, far = draw(np.random.default_rng(4), 5000)
    truth = float(0.25 + ((LinearRegression().fit(X, y).predict(fresh) - far) ** 2).mean())
    return inside(validated(LinearRegression(), X, y, how), truth)


def line_error(model: Any, law: str, variance: float) -> float:
    """Return the expected squared error of a plane on rows of new groups, by a fresh draw of inputs."""
    r = np.random.default_rng(5)
    X = r.normal(size=(FRESH, 3))
    beta = np.full(3, SLOPE)
    if law == "a name that is an input":
        X[:, 0], beta[0] = r.integers(0, 20, FRESH), 0.0
    return float(variance + ((model.predict(X) - X @ beta) ** 2).mean())


def undeclared(law: str, how: str, r: np.random.Generator) -> Outcome:
    """Nobody says which rows belong together; the truth is that of rows of other groups."""
    from epee import LinearRegression

    X, y, _, variance = kin_table(law, r)
    truth = line_error(LinearRegression().fit(X, y), law, variance)
    return inside(validated(LinearRegression(), X, y, how), truth)


def declared(law: str, how: str, r: np.random.Generator) -> Outcome:
    """The same with ``groups=``."""
    from epee import LinearRegression
    from epee.risk import cross_validate

    X, y, g, variance = kin_table(law, r)
    truth = line_error(LinearRegression().fit(X, y), law, variance)
    extra: dict[str, Any] = {"interval": "nested", "repeats": 10} if how == "nested" else {}
    return inside(cross_validate(LinearRegression(), X, y, groups=g, level=0.9, **extra), truth)


def grouped_classes(G: int, size: int, how: str, r: np.random.Generator) -> Outcome:
    """Patients with a class each, several noisy rows of a patient: an error rate with ``groups=``."""
    from epee import LinearDiscriminantAnalysis
    from epee.risk import cross_validate, holdout_error

    def draw(r: np.random.Generator, G: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        g, y = np.repeat(np.arange(G), size), r.permutation(np.arange(G) % 2)
        return (0.8 * r.normal(size=(G, 3)) + 0.6 * y[:, None])[g] + 0.6 * r.normal(size=(len(g), 3)), y[g], g

    X, y, g = draw(r, G)
    fitted = LinearDiscriminantAnalysis().fit(X, y)
    FX, Fy, _ = draw(np.random.default_rng(8), FRESH // size)
    truth = float(np.mean(fitted.predict(FX) != Fy))
    if how == "hold-out":
        X, y, g = draw(r, G)
        return inside(holdout_error(fitted, X, y, groups=g, level=0.9), truth)
    extra: dict[str, Any] = {"interval": "nested", "repeats": 10} if how == "nested" else {}
    return inside(cross_validate(LinearDiscriminantAnalysis(), X, y, groups=g, level=0.9, **extra), truth)


def in_time(law: str, n: int, declared: bool, r: np.random.Generator) -> Outcome:
    """Errors whose spread persists, that follow each other with weight of heavy tails, or classes that persist."""
    from epee import LinearDiscriminantAnalysis, LinearRegression
    from epee.risk import cross_validate

    extra: dict[str, Any] = {"time": True} if declared else {}
    if law == "classes that persist":
        y = np.cumsum(r.random(n) < 0.1) % 2
        drift = np.empty(n)
        drift[0] = r.normal()
        for i in range(1, n):
            drift[i] = 0.8 * drift[i - 1] + 0.6 * r.normal()
        X = np.column_stack([drift, r.normal(size=n)]) + 1.5 * y[:, None]
        f = LinearDiscriminantAnalysis().fit(X, y)
        w, b = np.ravel(f.coef_), float(np.ravel(f.intercept_)[0])
        size = np.sqrt(w @ w)
        truth = float((ndtr(b / size) + ndtr(-(1.5 * w.sum() + b) / size)) / 2)
        return inside(cross_validate(LinearDiscriminantAnalysis(), X, y, level=0.9, **extra), truth)
    X = r.normal(size=(n, 3))
    if law == "spread that persists":  # ARCH(1) of weight 0.5
        e = np.empty(n)
        last = 2.0
        for i, z in enumerate(r.normal(size=n)):
            e[i] = z * np.sqrt(1 + 0.5 * last)
            last = e[i] ** 2
        variance = 2.0
    elif law == "AR(0.6) of Laplace":
        e = np.empty(n)
        e[0] = r.laplace() / 0.8
        for i, z in enumerate(r.laplace(size=n - 1), 1):
            e[i] = 0.6 * e[i - 1] + z
        variance = 2 / 0.64
    elif law == "days of a week":
        effect = np.array([1.2, 0.3, 0.0, -0.3, -0.2, -0.6, -0.4])
        e, variance = r.normal(size=n) + effect[np.arange(n) % 7], float(1 + (effect**2).mean())
    else:  # AR(2) with a cycle
        e = np.zeros(n + 100)
        z = r.normal(size=n + 100)
        for i in range(2, n + 100):
            e[i] = 1.2 * e[i - 1] - 0.6 * e[i - 2] + z[i]
        e, variance = e[100:], (1 + 0.6) / ((1 - 0.6) * ((1 + 0.6) ** 2 - 1.2**2))
    y = SLOPE * X.sum(axis=1) + e
    return inside(
        cross_validate(LinearRegression(), X, y, level=0.9, **extra),
        plane_error(LinearRegression().fit(X, y), variance),
    )


def weighed(law: str, how: str, r: np.random.Generator, n: int = 120) -> Outcome:
    """Weights of any shape."""
    from epee import LinearRegression
    from epee.risk import holdout_error

    X = r.normal(size=(n, 3))
    extra: dict[str, Any] = {}
    if law == "every weight 10, unsaid":
        w, e, variance = np.full(n, 10.0), r.normal(size=n), 1.0
    elif law == "lognormal(1), tied to the spread":  # rows of great weight are noisier: E[w v] / E[w]
        z = r.normal(size=n)
        w = np.exp(z)
        e, variance = r.normal(size=n) * np.exp(0.3 * z), float(np.exp(0.6 + 0.18))
        extra = {"weights": "sampling"}
    elif law == "normalised, tied to the spread":
        s = r.random(n) < 0.5
        w = np.where(s, 0.8, 0.2)
        w, e, variance = w / w.sum(), r.normal(size=n) * np.where(s, 0.7, 2.0), 0.8 * 0.49 + 0.2 * 4.0
    elif law == "whole numbers of a survey, said":
        s = r.choice(3, n)
        w, e, variance = np.array([30.0, 10.0, 2.0])[s], r.normal(size=n) * np.array([1.0, 1.5, 2.5])[s], 0.0
        variance = float((30 * 1 + 10 * 2.25 + 2 * 6.25) / 42)
        extra = {"weights": "sampling"}
    elif law == "counts, said":  # each row of the long table is a row
        w = r.integers(1, 6, n).astype(float)
        e, variance, extra = r.normal(size=n), 1.0, {"weights": "counts"}
        k = np.repeat(np.arange(n), w.astype(int))
        Xl = np.round(r.normal(size=(len(k), 3)))
        yl = np.round(SLOPE * Xl.sum(axis=1) + r.normal(size=len(k)))
        cells, w = np.unique(np.column_stack([Xl, yl]), axis=0, return_counts=True)
        X, y, w = cells[:, :3], cells[:, 3], w.astype(float)
        F = np.random.default_rng(3)
        FX = np.round(F.normal(size=(FRESH, 3)))
        Fy = np.round(SLOPE * FX.sum(axis=1) + F.normal(size=FRESH))
        fitted = LinearRegression().fit(X, y, sample_weight=w)
        truth = float(np.mean((fitted.predict(FX) - Fy) ** 2))
        return inside(validated(LinearRegression(), X, y, how, sample_weight=w, **extra), truth)
    else:
        raise ValueError(law)
    if how == "hold-out":
        return inside(holdout_error(FirstNumber(), X, X[:, 0] + e, sample_weight=w, level=0.9, **extra), variance)
    y = SLOPE * X.sum(axis=1) + e
    truth = plane_error(LinearRegression().fit(X, y, sample_weight=w), variance)
    return inside(validated(LinearRegression(), X, y, how, sample_weight=w, **extra), truth)


HOWS = ("fold", "nested", "leave-one-out")
PLANES = (
    ("Gumbel", 60, 4, HOWS), ("half-normal", 45, 2, HOWS), ("Wald(1)", 150, 4, HOWS[:1]), ("arcsine", 50, 6, HOWS),
    ("skewed to the left", 80, 3, HOWS), ("70 % of errors zero", 100, 3, HOWS[::2]), ("two values, 1 to 9", 80, 3, HOWS[::2]),
    ("15 % three times larger", 200, 4, HOWS[::2]), ("Pareto(5)", 400, 3, HOWS[2:]), ("symmetric Weibull(0.7)", 300, 3, HOWS[2:]),
    ("sd = |x|", 60, 3, HOWS), ("sd = 0.3 + x²", 150, 3, HOWS[::2]), ("a tenth of the rows four times as noisy", 100, 3, HOWS[::2]),
    ("Gumbel", 1000, 8, HOWS[2:]), ("sd = |x|", 1000, 3, HOWS[2:]),
)  # fmt: skip
NEW_ROWS = (
    ("Gumbel", 50), ("half-normal", 40), ("Wald(1)", 300), ("70 % of errors zero", 60), ("two values, 1 to 9", 60),
    ("15 % three times larger", 80), ("sd = |x|", 50), ("sd = 0.3 + x²", 200), ("arcsine", 45),
    ("a tenth of the rows four times as noisy", 60), ("symmetric Weibull(0.7)", 150),
)  # fmt: skip
RATED = (
    ("LDA", -4.0, 60, "zero_one"), ("LDA", -4.0, 250, "zero_one"), ("naive Bayes", -2.0, 50, "zero_one"), ("QDA", 0.0, 40, "zero_one"),
    ("LDA", -4.0, 100, "log"), ("logistic", -3.5, 150, "log"), ("naive Bayes", -2.0, 100, "log"), ("LDA", 0.0, 60, "log"),
)  # fmt: skip
KIN = (
    "copied a random number of times", "nearly copied", "a random slope a group", "a place that is an input", "a name that is an input",
)  # fmt: skip
IN_TIME = (
    ("spread that persists", 150), ("AR(0.6) of Laplace", 120), ("days of a week", 140), ("a cycle, AR(2)", 150),
    ("classes that persist", 150),
)  # fmt: skip
GROUPED = ((40, 4, "fold"), (40, 4, "nested"), (12, 10, "fold"), (40, 4, "hold-out"), (15, 6, "hold-out"))
WEIGHTS = (
    "every weight 10, unsaid", "lognormal(1), tied to the spread", "normalised, tied to the spread", "whole numbers of a survey, said",
)  # fmt: skip


def claims() -> Iterator[Claim]:
    """Yield every claim with its law."""
    for errors, n, p, hows in PLANES:
        for how in hows:
            yield Claim(f"{how}, squared", f"{errors}, n = {n}, p = {p}", 0.9, partial(plane, errors, n, p, how))
    for errors, n in NEW_ROWS:
        yield Claim("hold-out, squared", f"{errors}, n = {n}", 0.95, partial(plane, errors, n, 1, "hold-out"))
    for model, shift, n, loss in RATED:
        what, slow = "error rate" if loss == "zero_one" else "log loss", model in ("logistic", "naive Bayes")
        law = f"{model}, a class of {100 * fresh_logits(shift)[1].mean():.0f} %, n = {n}"
        for how in (*HOWS, "hold-out"):
            yield Claim(f"{how}, {what}", law, 0.9, partial(rated, model, shift, n, how, loss), slow=slow)
    for share, n in ((0.002, 400), (0.03, 25), (0.5, 15), (0.97, 40), (0.01, 1000)):
        yield Claim("hold-out, error rate", f"{share:.1%} of errors, n = {n}", 0.95, partial(wrong, share, n))
    for n in (60, 300):
        yield Claim("hold-out, costs", f"five costs of three classes, n = {n}", 0.95, partial(costs_of_three, n))
    for cost, share, n in ((100.0, 0.01, 200), (10.0, 0.05, 80)):
        yield Claim("hold-out, costs", f"{cost:g} to 1 at {share:.0%}, n = {n}", 0.95, partial(dear, cost, share, n))
    for law in KIN:
        for how in HOWS:
            yield Claim(f"{how}, squared", f"{law}, undeclared", 0.9, partial(undeclared, law, how))
        yield Claim("fold, groups=", law, 0.9, partial(declared, law, "fold"))
    for how in HOWS:
        yield Claim(f"{how}, squared", "a field over a map", 0.9, partial(mapped, how))
    for G, size, how in GROUPED:
        yield Claim(f"{how}, groups=, error rate", f"{G} groups of {size}", 0.9, partial(grouped_classes, G, size, how))
    for law, n in IN_TIME:
        for said in (True, False):
            yield Claim("time=" if said else "fold, undeclared", f"{law}, n = {n}", 0.9, partial(in_time, law, n, said))
    for law in WEIGHTS:
        for how in (*HOWS, "hold-out"):
            yield Claim(f"{how}, weights", law, 0.9, partial(weighed, law, how))
    for how in HOWS:
        yield Claim(f"{how}, weights", "counts of cells, said", 0.9, partial(weighed, "counts, said", how))
