"""Claims about verdicts, figures of merit, calibration, unlikely rows, clouds and ``learn``, under laws that an outside examiner brought.

Scores in tenths, nearly perfect, or that tell nothing; probabilities that are too sure; tables sorted by their target; columns of all
kinds. The truth is a closed form, or the figure of many fresh rows. As those of
:mod:`benchmarks.risk.claims_unseen`, none is in the other files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import numpy as np
from scipy.special import expit, ndtr

from benchmarks.risk.claims import Claim, Outcome, inside
from benchmarks.risk.claims_unseen import ERRORS, FRESH, logit_table, table_of
from benchmarks.risk.laws import FirstNumber, FirstScore


def twins(law: str, r: np.random.Generator, **how: Any) -> Outcome:
    """Two ways of learning that are equally good, each of its own columns, are not told apart by the corrected test."""
    import epee
    from epee.risk import cross_validate
    from epee.risk.paired_tests import corrected_difference

    how = {"repeats": 5, **how}
    if law in ("ridge, n = 25, p = 60", "ridge, n = 50, p = 80, correlated"):
        n, p = (25, 60) if "60" in law else (50, 80)
        X = r.normal(size=(n, 2 * p))
        if "correlated" in law:
            X[:, :p] += 1.5 * r.normal(size=(n, 1))
            X[:, p:] += 1.5 * r.normal(size=(n, 1))
        y, model, k = 0.2 * X.sum(axis=1) + r.normal(size=n), epee.Ridge(10.0), p
    elif law.startswith("sorted by the target"):
        X = r.normal(size=(120, 6))
        y = 0.5 * X.sum(axis=1) + r.exponential(size=120)
        X, y, model, k = X[np.argsort(y)], np.sort(y), epee.LinearRegression(), 3
    elif law.startswith("classes in blocks, sorted"):
        y = np.repeat([0, 1, 2], 40)
        X = r.normal(size=(120, 4)) + 0.8 * y[:, None]
        X = np.vstack([part[np.argsort(part[:, 0] - part[:, 2])] for part in np.split(X, 3)])
        model, k = epee.LinearDiscriminantAnalysis(), 2
    elif law.startswith("neighbours"):
        X = r.uniform(-1, 1, size=(80, 4))
        y = np.sin(3 * X).sum(axis=1) + 0.5 * r.normal(size=80)
        model, k, how = epee.KNeighborsRegressor(3), 2, {**how, "repeats": 3}
    elif law.startswith("naive Bayes"):
        y = (r.random(70) < 0.3).astype(int)
        y[:4] = 0, 1, 0, 1
        X = r.gamma(1.5, size=(70, 4)) * np.where(y == 1, 2.0, 1.0)[:, None]
        model, k = epee.GaussianNB(), 2
    elif law.startswith("log loss"):
        X, y, _ = logit_table(r, 80, -1.5, 4)
        X[:, [1, 2]] = X[:, [2, 1]]
        y = (r.random(80) < expit(X.sum(axis=1) * 0.7 - 1.5)).astype(int)
        y[:4] = 0, 1, 0, 1
        model, k, how = epee.LinearDiscriminantAnalysis(), 2, {**how, "loss": "log"}
    else:  # heavy errors
        X = r.normal(size=(100, 4))
        y, model, k = 0.5 * X.sum(axis=1) + r.standard_t(3, size=100), epee.LinearRegression(), 2
    a, b = (cross_validate(model, half, y, **how) for half in (X[:, :k], X[:, k:]))
    found = corrected_difference(a, b, 0.95)
    return found.p_value >= 0.05, bool(found.caution)


def compared(law: str, r: np.random.Generator, many: int = 5, n: int = 90) -> Outcome:
    """``compare`` shows none of equal candidates to be best: p over all pairs, against the best."""
    from sklearn.compose import make_column_transformer
    from sklearn.pipeline import make_pipeline

    import epee
    from epee.risk import compare

    X = r.normal(size=(n, 2 * many))
    if law == "undeclared groups":
        g = r.permutation(np.repeat(np.arange(25), n // 25))
        X = r.normal(size=(25, 2 * many))[g] + 0.1 * X
        y = 0.4 * X.sum(axis=1) + r.normal(size=25)[g] + 0.5 * r.normal(size=n)
        model: Any = epee.LinearRegression()
    elif law == "classes":
        y = r.permutation(np.arange(n) % 3)
        X, model = X + 0.5 * y[:, None], epee.LinearDiscriminantAnalysis()
    else:
        y, model = 0.4 * X.sum(axis=1) + r.gamma(2.0, size=n), epee.LinearRegression()
    models = {
        str(j): make_pipeline(make_column_transformer(("passthrough", [2 * j, 2 * j + 1])), model) for j in range(many)
    }
    found = compare(models, X, y, repeats=2, folds=5)
    best = found.names.index(found.best)
    p = np.delete(found.p_values[best], best).min()
    return bool(p >= 0.05), any(
        bool(found.difference(found.best, name).caution) for name in found.names if name != found.best
    )


SCORES: dict[str, Callable[[np.random.Generator, int, int], tuple[np.ndarray, np.ndarray]]] = {
    "tenths": lambda r, N, P: (np.floor(10 * r.beta(2, 4, N)) / 10, np.floor(10 * r.beta(4, 2, P)) / 10),
    "nearly perfect": lambda r, N, P: (r.normal(size=N), r.normal(size=P) + 3.5),
    "that tell nothing": lambda r, N, P: (r.exponential(size=N), r.exponential(size=P)),
    "of two heaps": lambda r, N, P: (r.normal(size=N), r.normal(size=P) + np.where(r.random(P) < 0.5, 3.0, 0.0)),
    "beta": lambda r, N, P: (r.beta(1, 3, N), r.beta(2, 1.5, P)),
}


@cache
def rank_truth(law: str, score: str, share: float) -> float:
    """Return the figure of many rows."""
    from sklearn.metrics import average_precision_score, roc_auc_score

    n = 600_000
    P = round(share * n)
    low, high = SCORES[law](np.random.default_rng(6), n - P, P)
    y = np.repeat([0, 1], [n - P, P])
    return float((roc_auc_score if score == "area" else average_precision_score)(y, np.concatenate([low, high])))


def ranked(law: str, score: str, P: int, n: int, r: np.random.Generator) -> Outcome:
    """A figure of merit of scores."""
    from epee.risk import average_precision, roc_auc

    low, high = SCORES[law](r, n - P, P)
    y, X = np.repeat([0, 1], [n - P, P]), np.concatenate([low, high])[:, None]
    found = roc_auc(FirstScore(), X, y) if score == "area" else average_precision(FirstScore(), X, y, draws=100)
    return inside(found, rank_truth(law, score, P / n))


def drawn_area(n: int, share: float, r: np.random.Generator) -> Outcome:
    """The number of positives is drawn, too; the loss "auc" of the hold-out as well as the score."""
    from epee.risk import roc_auc

    y = (r.random(n) < share).astype(int)
    y[:2] = 0, 1
    X = (r.normal(size=n) + 1.2 * y)[:, None]
    return inside(roc_auc(FirstScore(), X, y), float(ndtr(1.2 / np.sqrt(2))))


def explained(errors: str, n: int, r: np.random.Generator) -> Outcome:
    """The share explained."""
    from epee.risk import r2

    X = r.normal(size=(n, 1))
    v = ERRORS[errors].variance
    return inside(r2(FirstNumber(), X, X[:, 0] + ERRORS[errors].draw(r, X)), 1 - v / (1 + v))


def explained_heavy(dof: float, n: int, r: np.random.Generator) -> Outcome:
    """The share explained where the inputs are far, too."""
    from epee.risk import r2

    X = r.standard_t(dof, size=(n, 1))
    return inside(r2(FirstNumber(), X, X[:, 0] + r.standard_t(dof, size=n)), 0.5)


def leaned_on(law: str, n: int, r: np.random.Generator) -> Outcome:
    """The rise of the loss when a column is shuffled; of one that does not matter it is 0."""
    from epee.risk import importance

    if law == "labels":
        X = r.normal(size=(n, 2))
        y = (X[:, 0] + 0.5 * r.normal(size=n) > 0).astype(int)
        found = importance(FirstScore(0.0), X, y, repeats=5)
        a = 2 * float(np.arctan(1 / 2.0)) / (2 * np.pi)  # of a wrong label: an angle
        truth = 0.5 - a
        return bool(found.low[0] <= truth <= found.high[0]), bool(getattr(found, "caution", ""))
    if law == "absolute errors":
        X = r.normal(size=(n, 2))
        found = importance(FirstNumber(), X, X[:, 0] + r.normal(size=n), repeats=5, loss="absolute")
        truth = float(np.sqrt(2 / np.pi) * (np.sqrt(3.0) - 1))
    elif law == "lognormal inputs":
        X = np.exp(0.75 * r.normal(size=(n, 2)))
        truth = float(2 * (np.exp(2 * 0.75**2) - np.exp(0.75**2)))
        found = importance(FirstNumber(), X, X[:, 0] + r.normal(size=n), repeats=5)
    elif law == "correlated inputs, a fitted plane":
        X = r.normal(size=(n, 1)) + 0.5 * r.normal(size=(n, 2))
        found = importance(SumOfTwo(), X, X.sum(axis=1) + r.normal(size=n), repeats=5)
        truth = 2 * 1.25
    else:  # rare ones
        X = np.column_stack([(r.random(n) < 0.08) * 3.0, r.normal(size=n)])
        found = importance(FirstNumber(), X, X[:, 0] + r.normal(size=n), repeats=5)
        truth = 2 * 9 * 0.08 * 0.92
    return bool(found.low[0] <= truth <= found.high[0]), bool(getattr(found, "caution", ""))


class SumOfTwo(FirstNumber):
    """Predicts the sum of two columns."""

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Add."""
        return X[:, 0] + X[:, 1]


def probabilities(score: str, n: int, r: np.random.Generator) -> Outcome:
    """Probabilities that are too sure, of a rare class."""
    from epee.risk import brier, f1, holdout_error

    X = 2.5 * r.normal(size=(n, 1)) - 3
    y = (r.random(n) < expit(X[:, 0] / 2)).astype(int)
    z = np.linspace(-23, 17, 40_001)
    w = np.exp(-(((z + 3) / 2.5) ** 2) / 2) * (z[1] - z[0]) / (2.5 * np.sqrt(2 * np.pi))
    p, q = expit(z / 2), expit(z)
    if score == "brier":
        return inside(brier(FirstScore(), X, y), float(w @ (p * (1 - q) ** 2 + (1 - p) * q**2)))
    if score == "f1":
        said = z > 0.5
        tp, miss = w @ (p * said), w @ np.where(said, 1 - p, p)
        return inside(f1(FirstScore(), X, y), float(2 * tp / (2 * tp + miss)))
    cost = np.logaddexp(0, -z) * p + np.logaddexp(0, z) * (1 - p)
    return inside(holdout_error(FirstScore(), X, y, loss="log"), float(w @ cost))


@cache
def expected(law: str, n: int) -> float:
    """Return the expected error of a way of learning from n rows, over 600 samples."""
    import epee

    total, r = 0.0, np.random.default_rng(12)
    for _ in range(600):
        if law == "ridge, p = 30":
            X = r.normal(size=(n, 30))
            y = 0.3 * X.sum(axis=1) + r.normal(size=n)
            m = epee.Ridge(5.0).fit(X, y)
            total += float(1 + ((m.coef_ - 0.3) ** 2).sum() + m.intercept_**2)
        else:
            y = r.permutation(np.arange(n) % 3)
            m = epee.LinearDiscriminantAnalysis().fit(r.normal(size=(n, 4)) + 0.7 * y[:, None], y)
            t = r.integers(0, 3, 2000)
            total += float(np.mean(m.predict(r.normal(size=(2000, 4)) + 0.7 * t[:, None]) != t))
    return total / 600


def extended(law: str, n: int, r: np.random.Generator) -> Outcome:
    """What twice the rows would bring."""
    import epee
    from epee.risk import learning_curve

    if law in ERRORS:
        p, N = 4, 2 * n
        X, y = table_of(law, n, p, r)
        truth = ERRORS[law].variance * (N + 1) * (N - 2) / (N * (N - p - 2))
        return inside(learning_curve(epee.LinearRegression(), X, y).extrapolate(N), truth)
    if law == "ridge, p = 30":
        X = r.normal(size=(n, 30))
        y = 0.3 * X.sum(axis=1) + r.normal(size=n)
        return inside(learning_curve(epee.Ridge(5.0), X, y).extrapolate(2 * n), expected(law, 2 * n))
    y = r.permutation(np.arange(n) % 3)
    X = r.normal(size=(n, 4)) + 0.7 * y[:, None]
    return inside(learning_curve(epee.LinearDiscriminantAnalysis(), X, y).extrapolate(2 * n), expected(law, 2 * n))


def unlikely(law: str, n: int, level: float, r: np.random.Generator) -> Outcome:
    """A new row of the law is not flagged."""
    import epee

    if law == "five columns":
        X, model = r.normal(size=(n + 1, 5)), epee.GaussianMixture(1, random_state=0)
    elif law == "unequal clouds":
        s = r.random(n + 1) < 0.2
        X = r.normal(size=(n + 1, 2)) * np.where(s, 0.5, 1.5)[:, None] + 5.0 * s[:, None]
        model = epee.GaussianMixture(2, random_state=0)
    elif law == "diagonal":
        X, model = (
            r.normal(size=(n + 1, 4)) * [1, 2, 3, 4],
            epee.GaussianMixture(1, covariance_type="diag", random_state=0),
        )
    else:
        X, model = r.exponential(size=(n + 1, 2)), epee.KernelDensity()
    return not bool(model.fit(X[:n]).outliers(X[n:], level)[0]), False


def calibrated(law: str, n: int, method: str, r: np.random.Generator) -> Outcome:
    """The interval of a calibrated probability holds the chance of the class at that score, for a row drawn from the law."""
    import epee
    from epee.decision.calibration import Calibrated

    p, shift, make = (
        (5, 0.0, epee.GaussianNB) if law == "copies of a column" else (2, -2.5, epee.LinearDiscriminantAnalysis)
    )
    x = r.normal(size=(n + 1, 1)) if p == 5 else r.normal(size=(n + 1, 2))
    score = 1.5 * x[:, 0] + shift
    y = (r.random(n + 1) < expit(score)).astype(int)
    X = np.repeat(x, 5, axis=1) if p == 5 else x
    fitted = Calibrated(make(), method).fit(X[:n], y[:n])
    low, high = fitted.probability_interval(X[n:], 0.9)[0, 1]
    truth = float(expit(score[n]))
    if p == 2:  # of all rows of the same score: these lie on a line across the one that was learned
        w = np.ravel(fitted.estimator_.coef_)
        at, nodes = w[0] * float(w @ x[n]) / (w @ w), np.polynomial.hermite_e.hermegauss(40)
        truth = float(nodes[1] @ expit(1.5 * (at + abs(w[1]) / np.sqrt(w @ w) * nodes[0]) + shift) / nodes[1].sum())
    return bool(low <= truth <= high), False


def certain(n: int, r: np.random.Generator) -> Outcome:
    """No probability is 0 or 1, however far the row."""
    import epee
    from epee.decision.calibration import Calibrated

    X, y, _ = logit_table(r, n, -2.0)
    y[:6] = 0, 1, 0, 1, 0, 1
    P = Calibrated(epee.GaussianNB()).fit(X, y).predict_proba(10 * r.normal(size=(200, 3)))
    return bool(P.min() > 0 and P.max() < 1), False


def drawn_cloud(law: str, n: int, r: np.random.Generator) -> np.ndarray:
    if law == "t(4)":
        return r.standard_t(4, size=(n, 2))
    if law == "t(3), two columns that share their spread":
        return r.normal(size=(n, 2)) * np.sqrt(3 / r.chisquare(3, size=(n, 1)))
    if law == "rounded to a half":
        return np.round(2 * r.normal(size=(n, 2))) / 2
    if law == "whole numbers, one column":
        return np.round(3 * r.normal(size=(n, 1)))
    if law == "exponential":
        return r.exponential(size=(n, 2))
    if law == "gamma(2)":
        return r.gamma(2.0, size=(n, 2))
    if law == "triangular":
        return r.triangular(0.0, 0.2, 1.0, size=(n, 2))
    if law == "Laplace, five columns":
        return r.laplace(size=(n, 5))
    return r.uniform(size=(n, 1 if law == "uniform, one column" else 2))


def clouds_told(law: str, n: int, r: np.random.Generator, apart: float = 0.0) -> Outcome:
    """One cloud is not taken for several, nor two of them that lie apart for another number."""
    from epee import GaussianMixture
    from epee.structure.mixture_choice import choose_components

    X = drawn_cloud(law, n, r)
    X[: n // 2, 0] += apart
    found = choose_components(GaussianMixture(random_state=0), X, (1, 2, 3, 4))
    return found.chosen == (2 if apart else 1), False


def nothing_to_tell(law: str, n: int, r: np.random.Generator) -> Outcome:
    """On pure noise nothing is shown."""
    import pandas as pd

    import epee

    frame = pd.DataFrame({
        "a": r.normal(size=n), "b": np.exp(r.normal(size=n)), "c": r.choice(list("uvwxyz"), n), "d": r.integers(0, 30, n),
        "e": r.random(n) < 0.3, "f": r.standard_t(2, size=n),
    })  # fmt: skip
    y = np.exp(r.normal(size=n)) if law == "lognormal" else r.choice(["p", "q", "s"], n, p=[0.6, 0.3, 0.1])
    return not epee.learn(frame.assign(y=y), "y").conclusive, False


def sealed(law: str, n: int, r: np.random.Generator) -> Outcome:
    """The interval of the sealed rows holds the error of what was learned."""
    import pandas as pd

    import epee

    def draw(r: np.random.Generator, n: int) -> Any:
        X = pd.DataFrame({"a": r.normal(size=n), "b": r.gamma(2.0, size=n), "c": r.choice(list("uvw"), n)})
        told = np.sin(2 * X["a"]) + 0.5 * X["b"] + X["c"].map({"u": 0.0, "v": 0.7, "w": -0.5})
        if law == "numbers":
            return X.assign(y=told + r.gumbel(size=n))
        return X.assign(y=np.where(r.random(n) < expit(1.5 * told - 3.5), "yes", "no"))

    keys = ["linear", "tree", "knn"] if law == "numbers" else ["lda", "tree", "knn"]
    learned = epee.learn(draw(r, n), "y", predictors=keys, level=0.9)
    fresh = draw(np.random.default_rng(2), FRESH)
    said = np.asarray(learned.predictor.predict(fresh.drop(columns="y")))
    truth = np.mean((said - fresh["y"]) ** 2) if law == "numbers" else np.mean(said != fresh["y"])
    return inside(learned.risk, float(truth))


VERDICTS = (
    "ridge, n = 25, p = 60", "sorted by the target", "classes in blocks, sorted", "neighbours of a wave", "naive Bayes, gamma inputs",
    "log loss of LDA", "heavy errors, t(3)",
)  # fmt: skip
RANKED = (
    ("area", "tenths", 5, 100), ("area", "nearly perfect", 5, 400), ("area", "that tell nothing", 4, 60), ("area", "of two heaps", 12, 300),
    ("area", "beta", 2, 50), ("area", "of two heaps", 50, 100), ("precision", "tenths", 5, 100), ("precision", "nearly perfect", 8, 400),
    ("precision", "that tell nothing", 40, 200), ("precision", "beta", 35, 500),
)  # fmt: skip
EXPLAINED = (
    ("Wald(1)", 80),
    ("sd = |x|", 60),
    ("Gumbel", 200),
    ("15 % three times larger", 100),
    ("70 % of errors zero", 60),
)
LEANED = (
    ("labels", 60), ("absolute errors", 50), ("lognormal inputs", 100), ("correlated inputs, a fitted plane", 60), ("rare ones", 100),
)  # fmt: skip
UNLIKELY = (
    ("five columns", 25, 0.02), ("unequal clouds", 60, 0.05), ("diagonal", 20, 0.05), ("kernel density, exponential", 100, 0.05),
)  # fmt: skip
CALIBRATED = (
    ("copies of a column", 200, "isotonic"), ("a rare class", 300, "isotonic"), ("copies of a column", 80, "platt"),
    ("a rare class", 150, "platt"),
)  # fmt: skip
CLOUDS = (
    ("t(4)", 200), ("t(3), two columns that share their spread", 150), ("rounded to a half", 200), ("whole numbers, one column", 150),
    ("exponential", 200), ("uniform", 200), ("gamma(2)", 200), ("triangular", 200), ("Laplace, five columns", 300),
    ("uniform, one column", 200),
)  # fmt: skip
APART = (("uniform", 2.0), ("exponential", 10.0))


def claims() -> Iterator[Claim]:
    """Yield every claim with its law."""
    for law in VERDICTS:
        yield Claim("verdict at 5 %", law, 0.95, partial(twins, law), slow=True)
    for law in ("sorted by the target", "naive Bayes, gamma inputs", "heavy errors, t(3)"):
        yield Claim("verdict at 5 %, two folds", law, 0.95, partial(twins, law, folds=2, repeats=5), slow=True)
    for law in ("classes", "numbers"):
        yield Claim("verdict against the best", f"five equal pipelines, {law}", 0.95, partial(compared, law), slow=True)
    law = "two equal pipelines, 25 groups of 6, undeclared"
    yield Claim("verdict at 5 %", law, 0.95, partial(compared, "undeclared groups", many=2, n=150), slow=True)
    for score, law, P, n in RANKED:
        name = "roc_auc" if score == "area" else "average_precision"
        yield Claim(name, f"scores {law}, {P} positives of {n}", 0.95, partial(ranked, law, score, P, n))
    for n, share in ((150, 0.04), (80, 0.5)):
        yield Claim("roc_auc", f"positives drawn, {share:.0%} of {n}", 0.95, partial(drawn_area, n, share))
    for errors, n in EXPLAINED:
        yield Claim("r2", f"{errors}, n = {n}", 0.95, partial(explained, errors, n))
    for dof, n in ((4.5, 150), (3.0, 400)):
        yield Claim("r2", f"inputs and errors t({dof:g}), n = {n}", 0.95, partial(explained_heavy, dof, n))
    for law, n in LEANED:
        yield Claim("importance", f"{law}, n = {n}", 0.95, partial(leaned_on, law, n))
    for score, n in (("brier", 80), ("f1", 120), ("log", 80)):
        yield Claim(f"hold-out, {score}", f"too sure, n = {n}", 0.95, partial(probabilities, score, n))
    for law, n in (("Gumbel", 50), ("ridge, p = 30", 60), ("LDA of three classes", 90)):
        yield Claim("extrapolate", f"{law}, twice n = {n}", 0.95, partial(extended, law, n))
    for law, n, level in UNLIKELY:
        yield Claim(f"outliers({level:g})", f"{law}, n = {n}", 1 - level, partial(unlikely, law, n, level))
    for law, n, method in CALIBRATED:
        yield Claim(f"Calibrated, {method}", f"{law}, n = {n}", 0.9, partial(calibrated, law, n, method))
    yield Claim("Calibrated, never certain", "a rare class, n = 100", 1.0, partial(certain, 100))
    for law, n in CLOUDS:
        yield Claim("choose_components", f"one cloud, {law}, n = {n}", 0.95, partial(clouds_told, law, n), slow=True)
    for law, far in APART:
        told = partial(clouds_told, law, 200, apart=far)
        yield Claim("choose_components", f"two clouds, {law}, n = 200", 0.95, told, slow=True)
    for law in ("lognormal", "three classes"):
        said = f"pure noise of all kinds of columns, {law}"
        yield Claim("learn, nothing is shown", said, 0.95, partial(nothing_to_tell, law, 120), slow=True)
    for law in ("numbers", "classes"):
        yield Claim("learn, sealed rows", f"columns of all kinds, {law}", 0.9, partial(sealed, law, 200), slow=True)
