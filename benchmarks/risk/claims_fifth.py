"""Claims under the laws of a fifth examiner: tables as engineers, doctors, economists, ecologists, physicists and web people have them.

Ratios of amounts below a limit, counts with exposure, parts of a whole, doses that level off, angles, powers of the wind, an index that
is a formula; streets, words and clicks; visits that stop, pupils in classes in schools, shops whose months share a shock, irregular
times, targets known late; weights that know the spread or the doubt of raters. The truth is a closed form, or the figure of many
fresh rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import numpy as np
from scipy.special import expit, xlogy

from benchmarks.risk import claims_third
from benchmarks.risk.claims import Claim, Outcome, inside
from benchmarks.risk.claims_second import Reads, columns, estimate
from benchmarks.risk.laws import FirstNumber, FirstScore, autoregression
from benchmarks.risk.second_laws import Draw, Table, plane, with_every_class
from benchmarks.risk.third_laws import Study

Family = tuple[np.ndarray, np.ndarray, np.ndarray]  # rows, target, group
Groups = Callable[[np.random.Generator, int], Family]
ORDINAL = np.abs(np.subtract.outer(np.arange(4.0), np.arange(4.0)))
FRAUD = np.array([[0.0, 25], [1, 0]])  # said, true


# Tables of independent rows.


def ratio_of_limits(r: np.random.Generator, n: int) -> Table:
    """The logarithm of a ratio of two amounts, each half of the limit where it is below; the target follows the true ratio."""
    a, b = np.exp(r.normal(size=(2, n)))
    seen = [np.where(v * np.exp(0.2 * r.normal(size=n)) < 0.5, 0.25, v) for v in (a, b)]
    return np.log(seen[0] / seen[1])[:, None], np.log(a / b) + 0.5 * r.normal(size=n)


def exposed(r: np.random.Generator, n: int) -> Table:
    """Counts of an exposure that varies a hundredfold, whose logarithm is an input."""
    t = np.exp(r.normal(size=n))
    X = np.column_stack([np.log(t), r.normal(size=n)])
    return X, r.poisson(t * np.exp(0.4 * X[:, 1])).astype(float)


def parts(r: np.random.Generator, n: int) -> Table:
    """Four parts of a whole, in percent with one digit, and the logarithm of a ratio of two of them."""
    P = r.dirichlet([4.0, 3, 2, 1], n)
    return np.round(100 * P, 1), np.log((P[:, 0] + 0.01) / (P[:, 2] + 0.01)) + 0.3 * r.normal(size=n)


def yields(r: np.random.Generator, n: int) -> Table:
    """Percentages near 99, rounded to a tenth."""
    X, told = plane(r, n, 3)
    return X, np.round(100 * expit(4 + told + 0.7 * r.normal(size=n)), 1)


def doses(r: np.random.Generator, n: int) -> Table:
    """Seven doses, and an effect that levels off, with errors that multiply."""
    d = np.array([0.0, 1, 2, 5, 10, 20, 50])[r.integers(0, 7, n)]
    return d[:, None], (2 + 10 * d / (d + 5)) * np.exp(0.15 * r.normal(size=n))


def index(r: np.random.Generator, n: int) -> Table:
    """A weight, a height, and their index without error."""
    h = 1.7 + 0.1 * r.normal(size=n)
    w = 70 + 60 * (h - 1.7) + 12 * r.normal(size=n)
    return np.column_stack([w, h]), w / h**2


def angles(r: np.random.Generator, n: int) -> Table:
    """A direction that starts again at 360."""
    x = r.normal(size=n)
    return x[:, None], (290 + 50 * x + 20 * r.normal(size=n)) % 360


def wind(r: np.random.Generator, n: int) -> Table:
    """The speed of wind, rounded, and the power that it gives: its cube, up to a plateau."""
    v = 8 * r.weibull(2.0, n)
    return np.round(v, 1)[:, None], np.clip((v / 12) ** 3, 0, 1) * (v < 25) + 0.03 * r.normal(size=n)


def pain(r: np.random.Generator, n: int) -> Table:
    """A score from 0 to 10, half of them 0, of inputs that are whole numbers, too."""
    X, told = plane(r, n, 3)
    return np.round(2 * X), np.clip(np.round(3 * told + 2 * r.normal(size=n)), 0, 10)


def streets(r: np.random.Generator, n: int) -> Table:
    """Thirty streets, one-hot, of very unequal numbers of houses, and an area; errors multiply."""
    share = 1 / np.arange(1.0, 31)
    s, area = r.choice(30, n, p=share / share.sum()), r.gamma(9.0, 1 / 9, n)
    effect = np.random.default_rng(30).normal(size=30)
    return np.column_stack([np.eye(30)[s], area]), area * np.exp(0.3 * effect[s] + 0.2 * r.normal(size=n))


def crossed_signs(r: np.random.Generator, n: int) -> Table:
    """Only the product of two columns tells."""
    X = r.uniform(-1, 1, size=(n, 4))
    return X, 3 * X[:, 0] * X[:, 1] + 0.5 * r.normal(size=n)


def hours(r: np.random.Generator, n: int) -> Table:
    """The hour of the day as sine and cosine, and a demand with two peaks whose spread follows it."""
    h = r.integers(0, 24, n)
    a = 2 * np.pi * h / 24
    level = 2 + np.exp(-((h - 8) ** 2) / 8) + 1.5 * np.exp(-((h - 19) ** 2) / 8)
    return np.column_stack([np.sin(a), np.cos(a)]), level * (1 + 0.2 * r.normal(size=n))


def nearly_full(p: int) -> Draw:
    """Return p correlated columns, of which all matter a little."""

    def draw(r: np.random.Generator, n: int) -> Table:
        X = 0.6 * r.normal(size=(n, 1)) + 0.8 * r.normal(size=(n, p))
        return X, X[:, :: max(p // 8, 1)].sum(axis=1) / 4 + r.normal(size=n)

    return draw


def three_assays(r: np.random.Generator, n: int) -> Table:
    """Three targets whose errors go together, one of them on a scale ten times larger."""
    X, told = plane(r, n, 3)
    shared = r.normal(size=n)
    return X, np.column_stack(
        [told + shared, told - shared + 0.5 * r.normal(size=n), 10 * (shared + r.standard_t(6, n))]
    )


def read_badly(r: np.random.Generator, n: int) -> Table:
    """Half precision, steps of a sixteenth, and an input that is itself read with error."""
    x = r.normal(size=n)
    X = np.column_stack([100 + x + 0.3 * r.normal(size=n), 100 + r.normal(size=n)]).astype(np.float16)
    return X, x + 0.3 * r.normal(size=n)


def settings(r: np.random.Generator, n: int) -> Table:
    """Twelve settings of three dials, measured again and again with independent errors: nothing is wrong."""
    X = np.random.default_rng(12).normal(size=(12, 3))[r.integers(0, 12, n)]
    return X, X.sum(axis=1) + r.normal(size=n)


def strata(r: np.random.Generator, n: int) -> Table:
    """Three laboratories, of which the worst is four times as noisy as the best."""
    s = r.choice(3, n, p=[0.6, 0.3, 0.1])
    X = np.column_stack([np.eye(3)[s][:, 1:], r.normal(size=n)])
    return X, X[:, 2] + 0.5 * s + np.array([0.5, 1, 2])[s] * r.normal(size=n)


def unreadable(r: np.random.Generator, n: int) -> Table:
    """A cell is missing more often the larger it is; what learns takes that as it is."""
    X = r.normal(size=(n, 3))
    y = 2 * X[:, 0] + X[:, 1] + r.normal(size=n)
    X[r.random(n) < expit(2 * X[:, 0] - 1), 0] = np.nan
    return X, y


def animals(r: np.random.Generator, n: int) -> Table:
    """Animals seen at a place: none where it is unfit, else counts of great spread that peak at an altitude."""
    X = r.uniform(0, 1, size=(n, 2))
    mean = 6 * np.exp(-(((X[:, 0] - 0.5) / 0.25) ** 2))
    return np.column_stack([X, X[:, 0] ** 2]), np.where(X[:, 1] < 0.25, 0.0, r.poisson(mean * r.gamma(1.5, 1 / 1.5, n)))


def deposits(r: np.random.Generator, n: int) -> Table:
    """What is left of a log-normal income after a rent that is not noted: the target may be negative, with a tail to the right."""
    X, told = plane(r, n, 2)
    return X, np.exp(0.5 * told + 0.6 * r.normal(size=n)) - r.gamma(4.0, 0.2, n)


# Tables with classes.


def grades(r: np.random.Generator, n: int) -> Table:
    """Four ordered grades of a hidden mark."""
    X, told = plane(r, n, 3)
    return X, np.searchsorted([-1.0, 0.4, 1.6], told + 0.7 * r.normal(size=n))


def words(r: np.random.Generator, n: int) -> Table:
    """Counts of sixty words, most of them rare, of two kinds of documents of very different lengths."""
    y = (r.random(n) < 0.4).astype(int)
    rng = np.random.default_rng(60)
    base = rng.dirichlet(0.3 * np.ones(60))
    P = np.stack([base, base * np.exp(0.6 * rng.normal(size=60))])
    P /= P.sum(axis=1, keepdims=True)
    length = np.exp(2.3 + 0.8 * r.normal(size=n))
    return r.poisson(length[:, None] * P[y]).astype(float), y


def clicks(r: np.random.Generator, n: int) -> Table:
    """Twenty campaigns, one-hot, with click rates of 1 to 20 percent."""
    rate = expit(-2.7 + 0.8 * np.random.default_rng(20).normal(size=20))
    c = r.integers(0, 20, n)
    return np.eye(20)[c], (r.random(n) < rate[c]).astype(int)


def frauds(r: np.random.Generator, n: int) -> Table:
    """Three frauds in a hundred; amounts are log-normal."""
    y = (r.random(n) < 0.03).astype(int)
    return np.column_stack([r.normal(size=(n, 2)) + 1.6 * y[:, None], np.exp(r.normal(size=n) + 0.7 * y)]), y


def mixed(r: np.random.Generator, n: int) -> Table:
    """A number, a skewed amount, an answer of four and a rare box."""
    y = (r.random(n) < 0.35).astype(int)
    answer = np.where(r.random(n) < 0.4 * y, 3, r.integers(0, 4, n))
    box = r.random(n) < 0.03 + 0.07 * y
    return np.column_stack([r.normal(size=n) + 0.8 * y, r.gamma(2.0 + y), answer, box]), y


def bioassay(r: np.random.Generator, n: int) -> Table:
    """Six doses, and animals that answer or not."""
    d = r.integers(0, 6, n).astype(float)
    return d[:, None], (r.random(n) < expit(1.2 * d - 3)).astype(int)


def two_of_three(r: np.random.Generator, n: int) -> Table:
    """A label that two columns decide by their signs, and one label in eight of the first class is wrong."""
    X = r.normal(size=(n, 4))
    y = ((X[:, 0] * X[:, 1]) > 0).astype(int)
    return X, np.where((y == 0) & (r.random(n) < 0.125), 1, y)


@cache
def studies() -> dict[str, Study]:
    """Return all of them by name."""
    import epee

    line, lda, logistic = epee.LinearRegression, epee.LinearDiscriminantAnalysis, epee.LogisticRegression

    def poisson() -> epee.PoissonRegressor:
        return epee.PoissonRegressor(alpha=0.0)

    def boosted(kind: Any) -> Callable[[], Any]:
        return partial(kind, max_iter=15, min_samples_leaf=5, early_stopping=False)

    return {
        "ratio of amounts below a limit, a line": Study(ratio_of_limits, line),
        "counts with exposure, Poisson deviance": Study(exposed, poisson, "poisson", fresh=400_000, repeats=3),
        "parts of a whole, a line": Study(parts, line),
        "yields near 99 percent, a line": Study(yields, line, fresh=400_000),
        "yields near 99 percent, absolute": Study(yields, line, "absolute", fresh=400_000),
        "seven doses that level off, a line": Study(doses, line),
        "seven doses that level off, third degree": Study(doses, lambda: epee.PolynomialRegression(3)),
        "seven doses that level off, kernel regression": Study(doses, lambda: epee.KernelRegression(3.0), fresh=50_000),
        "an index without error, a line": Study(index, line, fresh=400_000),
        "an index without error, second degree": Study(index, lambda: epee.PolynomialRegression(2), fresh=400_000),
        "a direction, a line": Study(angles, line, fresh=400_000),
        "power of the wind, a line": Study(wind, line, fresh=400_000),
        "power of the wind, spline": Study(wind, epee.SmoothingSpline, fresh=50_000, repeats=3),
        "scores of pain, a line": Study(pain, line),
        "scores of pain, neighbours": Study(pain, lambda: epee.KNeighborsRegressor(7), fresh=50_000, repeats=3),
        "scores of pain, quantile 0.9": Study(
            pain, lambda: epee.QuantileRegressor(quantile=0.9, alpha=0.0), "quantile0.9", repeats=2
        ),
        "thirty streets, ridge": Study(streets, lambda: epee.Ridge(1.0), fresh=400_000),
        "thirty streets, a line": Study(streets, line, fresh=400_000),
        "a product of columns, kernel ridge": Study(
            crossed_signs, lambda: epee.KernelRidge(kernel="rbf", gamma=0.5, alpha=0.1), fresh=50_000, repeats=3
        ),
        "a product of columns, a small network": Study(
            crossed_signs,
            lambda: epee.MLPRegressor(hidden_layer_sizes=(6,), solver="lbfgs", max_iter=100, random_state=0),
            fresh=50_000,
        ),
        "a product of columns, boosting": Study(
            crossed_signs, boosted(epee.HistGradientBoostingRegressor), fresh=50_000
        ),
        "hours of the day, kernel ridge": Study(
            hours, lambda: epee.KernelRidge(kernel="rbf", gamma=2.0, alpha=0.1), fresh=50_000, repeats=3
        ),
        "hours of the day, a tree": Study(hours, lambda: epee.DecisionTreeRegressor(max_depth=4), repeats=3),
        "forty-two columns, RidgeCV": Study(nearly_full(42), epee.RidgeCV, repeats=3),
        "forty-two columns, LassoCV": Study(nearly_full(42), lambda: epee.LassoCV(cv=5), fresh=50_000),
        "fourteen columns, a line": Study(nearly_full(14), line),
        "five columns, ridge": Study(nearly_full(5), epee.Ridge),
        "three targets, a line": Study(three_assays, line),
        "half precision, a line": Study(read_badly, line),
        "twelve settings, a line": Study(settings, line),
        "twelve settings, neighbours": Study(settings, lambda: epee.KNeighborsRegressor(5), fresh=50_000, repeats=3),
        "three laboratories, a line": Study(strata, line, fresh=400_000),
        "three laboratories, Huber": Study(strata, epee.RobustRegression, "huber", repeats=2),
        "cells missing because large, boosting": Study(
            unreadable, boosted(epee.HistGradientBoostingRegressor), fresh=50_000
        ),
        "animals at places, Poisson deviance": Study(animals, poisson, "poisson", fresh=400_000, repeats=3),
        "animals at places, additive splines": Study(animals, epee.AdditiveSplines, repeats=3),
        "incomes less a rent, a line": Study(deposits, line, fresh=400_000),
        "incomes less a rent, forest": Study(
            deposits, lambda: epee.RandomForestRegressor(10, random_state=0), fresh=50_000
        ),
        "ordered grades, costs of steps": Study(grades, lda, ORDINAL, 4),
        "ordered grades, logistic, log loss": Study(grades, logistic, "log", 4, repeats=3),
        "words of documents, naive Bayes": Study(words, epee.MultinomialNB, None, 2, fresh=50_000, repeats=3),
        "words of documents, naive Bayes, log loss": Study(
            words, epee.MultinomialNB, "log", 2, fresh=50_000, repeats=3
        ),
        "clicks of campaigns, logistic, log loss": Study(clicks, logistic, "log", 2, fresh=400_000, repeats=3),
        "clicks of campaigns, LDA, Brier": Study(clicks, lda, "brier", 2, fresh=400_000),
        "frauds, logistic decided by costs": Study(
            frauds, lambda: epee.BayesDecision(logistic(), costs=FRAUD), FRAUD, 2, fresh=400_000, repeats=3
        ),
        "columns of four kinds, naive Bayes, log loss": Study(mixed, epee.MixedNB, "log", 2, repeats=3),
        "columns of four kinds, boosting": Study(
            mixed, boosted(epee.HistGradientBoostingClassifier), None, 2, fresh=50_000
        ),
        "a product of signs, neighbours": Study(
            two_of_three, lambda: epee.KNeighborsClassifier(5), None, 2, fresh=50_000, repeats=3
        ),
        "a product of signs, a tree": Study(
            two_of_three, lambda: epee.DecisionTreeClassifier(max_depth=4), None, 2, repeats=3
        ),
        "a product of signs, forest": Study(
            two_of_three, lambda: epee.RandomForestClassifier(10, random_state=0), None, 2, fresh=50_000
        ),
        "a product of signs, LDA": Study(two_of_three, lda, None, 2),
    }


@cache
def fresh(name: str) -> Table:
    """Return the rows that tell the truth."""
    study = studies()[name]
    return study.draw(np.random.default_rng(50_551), study.fresh)


def mean_loss(model: Any, X: np.ndarray, y: np.ndarray, study: Study) -> float:
    """Return the mean loss of a fitted predictor; several targets add up."""
    if y.ndim == 2:
        return float(((y - model.predict(X)) ** 2).sum(axis=1).mean())
    return claims_third.mean_loss(model, X, y, study)


def studied(name: str, n: int, how: str, r: np.random.Generator) -> Outcome:
    """The interval holds the error of the predictor that all rows teach."""
    from epee.risk import holdout_error

    study = studies()[name]
    X, y = claims_third.drawn(study, r, n)
    fitted = study.make().fit(X, y)
    truth = mean_loss(fitted, *fresh(name), study)
    if how == OUT:
        return inside(holdout_error(fitted, *study.draw(r, n), loss=study.loss, level=0.9), truth)
    return inside(estimate(study.make(), X, y, how, 0.9, study.repeats, loss=study.loss), truth)


# Weights that know something.


def rates_by_exposure(r: np.random.Generator, n: int) -> Family:
    """Rates of counts, and their exposure as a weight: the less exposed, the noisier."""
    t = r.gamma(1.0, 3.0, n) + 0.2
    X = r.normal(size=(n, 2))
    return X, r.poisson(t * np.exp(0.4 * X[:, 0])) / t, t


def known_spread(r: np.random.Generator, n: int) -> Family:
    """Measurements whose spread is known, and one over its square as a weight."""
    s = np.exp(0.7 * r.normal(size=n))
    X, told = plane(r, n, 3)
    return X, told + s * r.normal(size=n), s**-2


def raters(r: np.random.Generator, n: int) -> Family:
    """A label by the majority of three raters, and how far they agree as a weight."""
    X = r.normal(size=(n, 2))
    ones = r.binomial(3, expit(1.5 * X[:, 0]))
    return X, (ones >= 2).astype(int), np.where((ones == 0) | (ones == 3), 1.0, 0.4)


WEIGHED: dict[str, Callable[[np.random.Generator, int], Family]] = {
    "rates weighed by exposure": rates_by_exposure, "weights of a known spread": known_spread, "raters who agree": raters,
}  # fmt: skip


@cache
def many_weighed(law: str) -> Family:
    """Return the rows that tell the truth."""
    return WEIGHED[law](np.random.default_rng(51), 400_000)


def weighed(law: str, n: int, how: str, r: np.random.Generator) -> Outcome:
    """Weights that go with the errors; the truth is the weighted error."""
    import epee
    from epee.risk import holdout_error

    make: Any = epee.LinearDiscriminantAnalysis if law == "raters who agree" else epee.LinearRegression
    X, y, w = WEIGHED[law](r, n)
    fitted = make().fit(X, y, sample_weight=w)
    Z, z, v = many_weighed(law)
    said = fitted.predict(Z)
    loss = said != z if law == "raters who agree" else (said - z) ** 2
    truth = float((v @ loss) / v.sum())
    if how == OUT:
        X, y, w = WEIGHED[law](r, n)
        return inside(holdout_error(fitted, X, y, sample_weight=w, weights="sampling", level=0.9), truth)
    return inside(estimate(make(), X, y, how, sample_weight=w, weights="sampling"), truth)


def tabled(X: np.ndarray, y: np.ndarray) -> Family:
    """Return a table of cells and their counts."""
    cells, count = np.unique(np.column_stack([X, y]), axis=0, return_counts=True)
    return cells[:, :-1], cells[:, -1].astype(y.dtype), count


def counted(law: str, n: int, how: str, r: np.random.Generator) -> Outcome:
    """A table given as cells and counts."""
    import epee
    from epee.risk import f1, holdout_error, roc_auc

    if law == "votes of a survey":  # a mark from 0 to 4 of three answers yes or no
        X = (r.random((n, 3)) < [0.5, 0.3, 0.7]).astype(float)
        X, y, w = tabled(X, r.binomial(4, expit(X.sum(axis=1) - 1.5)).astype(float))
        m = epee.LinearRegression().fit(X, y, sample_weight=w)
        cells = np.array(np.meshgrid(*[[0.0, 1]] * 3)).reshape(3, 8).T
        share = np.prod(np.where(cells == 1, [0.5, 0.3, 0.7], [0.5, 0.7, 0.3]), axis=1)
        p = expit(cells.sum(axis=1) - 1.5)
        truth = float((share * (4 * p * (1 - p) + (4 * p - m.predict(cells)) ** 2)).sum())
        return inside(estimate(epee.LinearRegression(), X, y, how, sample_weight=w, weights="counts"), truth)
    X, y, w = tabled(*with_every_class(bioassay, 2, r, n))
    d = np.arange(6.0)[:, None]
    p = expit(1.2 * d[:, 0] - 3)
    if how in ("roc_auc", "f1"):  # of the dose itself, and of doses above two
        a, b = p / p.sum(), (1 - p) / (1 - p).sum()
        area = float(a @ (np.cumsum(b) - b / 2))
        tp, fp, fn = p[3:].sum(), (1 - p[3:]).sum(), p[:3].sum()
        score, truth = (roc_auc, area) if how == "roc_auc" else (f1, 2 * tp / (2 * tp + fp + fn))
        return inside(score(FirstScore(2.5), X, y, sample_weight=w, weights="counts", level=0.9), float(truth))
    loss = "log" if law.endswith("log loss") else None
    m = epee.LogisticRegression().fit(X, y, sample_weight=w)
    q, said = m.predict_proba(d)[:, 1], m.predict(d)
    log = float(-(xlogy(p, q) + xlogy(1 - p, 1 - q)).mean())
    truth = log if loss else float(np.where(said == 1, 1 - p, p).mean())
    if how == OUT:
        X, y, w = (part[::-1] for part in tabled(*bioassay(r, n)))  # the same cells in the same order would be refused
        return inside(holdout_error(m, X, y, sample_weight=w, weights="counts", loss=loss, level=0.9), truth)
    found = estimate(
        epee.LogisticRegression(), X, y, how, repeats=3, sample_weight=w, weights="counts", loss=loss
    )  # fmt: skip
    return inside(found, truth)


# Rows that belong together, said.


def schools(r: np.random.Generator, G: int) -> Family:
    """Schools of one to four classes of eight to twenty-five pupils; two columns belong to the school."""
    school = np.repeat(np.arange(G), r.integers(1, 5, G))
    size = r.integers(8, 26, len(school))
    c, s = np.repeat(np.arange(len(school)), size), np.repeat(school, size)
    X = np.column_stack([r.normal(size=len(c)), r.normal(size=(G, 2))[s]])
    e = 0.4 * r.normal(size=G)[s] + 0.4 * r.normal(size=len(school))[c] + r.normal(size=len(c))
    return X, 0.5 * X.sum(axis=1) + e, s


def visits(r: np.random.Generator, G: int) -> Family:
    """Patients who are seen at irregular times and get better, each at a pace of their own; who does well stops coming."""
    n = r.integers(3, 11, G)
    g = np.repeat(np.arange(G), n)
    t = np.abs(r.normal(size=len(g))) + np.concatenate([np.arange(k) for k in n])
    level, pace = 0.8 * r.normal(size=G), 0.3 + 0.15 * r.normal(size=G)
    x = r.normal(size=G)[g]
    y = x + level[g] + pace[g] * t + 0.7 * r.normal(size=len(g))
    keep = (r.random(len(g)) > 0.5 * expit(2 * (y - 2))) | (np.concatenate([[-1], g[:-1]]) != g)
    return np.column_stack([t, x])[keep], y[keep], g[keep]


def sites(r: np.random.Generator, G: int) -> Family:
    """Counts of animals at sites of two to fifteen plots, each site with an abundance and an altitude of its own."""
    g = np.repeat(np.arange(G), r.integers(2, 16, G))
    X = np.column_stack([r.normal(size=G)[g], r.normal(size=len(g))])
    return X, r.poisson(np.exp(0.5 + 0.4 * X.sum(axis=1) + 0.5 * r.normal(size=G)[g])).astype(float), g


def clinics(r: np.random.Generator, G: int) -> Family:
    """Clinics of five to forty patients, each with a share of the ill of its own and a machine that reads too high or low."""
    g = np.repeat(np.arange(G), r.integers(5, 41, G))
    y = (r.random(len(g)) < expit(-1 + 0.8 * r.normal(size=G))[g]).astype(int)
    x = r.normal(size=(len(g), 2)) + 1.2 * y[:, None] + 0.5 * r.normal(size=(G, 2))[g]
    return x, y, g


FAMILIES: dict[str, Groups] = {
    "pupils of classes of schools": schools, "visits that stop": visits, "plots of sites": sites, "patients of clinics": clinics,
}  # fmt: skip


@cache
def many_families(law: str) -> Family:
    """Return the rows that tell the truth."""
    return FAMILIES[law](np.random.default_rng(52), 10_000)


def grouped(law: str, G: int, how: str, r: np.random.Generator) -> Outcome:
    """Groups are said; the truth is of a row of new groups."""
    import epee
    from epee.risk import holdout_error

    loss, study = {"plots of sites": "poisson"}.get(law), Study(plane, epee.LinearRegression)
    make: Any = epee.LinearRegression
    if law == "plots of sites":
        make, study = partial(epee.PoissonRegressor, alpha=0.0), study._replace(loss="poisson")
    elif law == "patients of clinics":
        make, study = epee.LinearDiscriminantAnalysis, study._replace(classes=2)
    elif how.startswith("forest"):
        make = partial(epee.RandomForestRegressor, 10, random_state=0)
    X, y, g = FAMILIES[law](r, G)
    fitted = make().fit(X, y)
    truth = mean_loss(fitted, *many_families(law)[:2], study)
    if how.startswith(OUT):
        X, y, g = FAMILIES[law](r, G)
        return inside(holdout_error(fitted, X, y, groups=g, loss=loss, level=0.9), truth)
    kind, many = (NESTED, 5 if loss is None else 2) if how.startswith(NESTED) else (FOLD, 1)
    return inside(estimate(make(), X, y, kind, repeats=many, groups=g, loss=loss, folds=min(10, G)), truth)


def scored_by_group(law: str, score: str, G: int, r: np.random.Generator) -> Outcome:
    """A figure of merit, the importance of a column of the school, a band for a new school, or a difference; groups are said."""
    import epee
    from epee import risk

    many = many_families(law)
    if score in ("roc_auc", "f1", "brier", "average_precision"):
        X, y, g = FAMILIES[law](r, G)
        extra = {"draws": 100} if score == "average_precision" else {}
        return inside(getattr(risk, score)(FirstScore(), X, y, groups=g, level=0.9, **extra), clinic_figure(score))
    model = epee.LinearRegression().fit(*FAMILIES[law](r, G)[:2])
    X, y, g = FAMILIES[law](r, G + (score == "conformal"))
    Z, z, _ = many
    if score == "r2":
        missed = ((model.coef_ - 0.5) ** 2).sum() + model.intercept_**2
        truth = 1 - (1.32 + missed) / (1.32 + 0.75)
        return inside(risk.r2(model, X, y, groups=g, level=0.9), float(truth))
    if score == "importance":
        found = risk.importance(model, X, y, groups=g, repeats=5, level=0.9)
        moved = Z.copy()
        moved[:, 1] = np.random.default_rng(5).permutation(Z[:, 1])
        rise = float(((model.predict(moved) - z) ** 2).mean() - ((model.predict(Z) - z) ** 2).mean())
        return bool(found.low[1] <= rise <= found.high[1]), bool(found.caution)
    if score == "conformal":
        old = g < G
        band = risk.conformal(epee.LinearRegression(), X[old], y[old], 0.9, groups=g[old])
        i = int(r.choice(np.flatnonzero(~old)))
        low, high = band.predict_interval(X[i : i + 1])[0]
        return bool(low <= y[i] <= high), False
    pair = {str(j): columns(epee.LinearRegression(), part) for j, part in enumerate(([0, 1], [0, 1, 2]))}
    found = risk.compare(pair, X, y, groups=g, repeats=3, level=0.9).difference("0", "1")
    gap = [float(((m.fit(X, y).predict(Z) - z) ** 2).mean()) for m in pair.values()]
    return inside(found, gap[0] - gap[1])


@cache
def clinic_figure(score: str) -> float:
    """Return the figure of the rows of many clinics."""
    from sklearn import metrics

    X, y, _ = many_families("patients of clinics")
    x, p = X[:, 0], expit(X[:, 0])
    return float({
        "roc_auc": lambda: metrics.roc_auc_score(y, x), "f1": lambda: metrics.f1_score(y, x > 0.5),
        "brier": lambda: ((p - y) ** 2).mean(), "average_precision": lambda: metrics.average_precision_score(y, x),
    }[score]())  # fmt: skip


# Rows in time.


def weekly(r: np.random.Generator, n: int) -> np.ndarray:
    """Errors that answer yesterday's and those of a week ago."""
    u = autoregression(r, n + 210, 0.4)
    for i in range(7, n + 210):
        u[i] += 0.5 * u[i - 7]
    return u[210:]


@cache
def weekly_variance() -> float:
    """Return their variance, of the weights of all past shocks."""
    psi = np.zeros(600)
    psi[::7] = 0.5 ** np.arange(86)
    return float((np.convolve(psi, 0.4 ** np.arange(600))[:600] ** 2).sum())


def in_time(law: str, n: int, how: str, r: np.random.Generator) -> Outcome:
    """Rows in time; the truth is that of rows far ahead, or of the same inputs where only these drift."""
    import epee
    from epee.risk import holdout_error, r2

    X, beta = r.normal(size=(n, 2)), np.array([0.5, 0.5])
    mean, square = np.zeros(2), np.eye(2)
    extra: dict[str, Any] = {} if how.endswith("undeclared") else {"time": True}
    if law == "shops whose months share a shock":  # in blocks, shop after shop
        month = np.tile(np.arange(n // 6), 6)
        shop = np.repeat(np.arange(6), n // 6)
        e = 0.7 * np.sqrt(1 - 0.6**2) * autoregression(r, n // 6, 0.6)[month] + r.normal(size=n)
        X[:, 1] += 0.5 * shop
        variance, mean, square = 1.49, np.array([0, 1.25]), np.diag([1, 1 + 0.25 * 35 / 12 + 1.25**2])
        extra = {} if how.endswith("undeclared") else {"time": month}
    elif law == "irregular times":
        gap = r.exponential(size=n)
        e = np.empty(n)
        e[0] = r.normal()
        for i in range(1, n):
            a = np.exp(-0.7 * gap[i])
            e[i] = a * e[i - 1] + np.sqrt(1 - a * a) * r.normal()
        variance = 1.0
        extra = {} if how.endswith("undeclared") else {"time": np.cumsum(gap)}
    elif law == "targets known late":  # what happens in the next six moments
        shocks = r.normal(size=n + 6)
        e, variance = np.convolve(shocks, np.ones(6) / np.sqrt(6), "valid")[:n], 1.0
        extra.update({"gap": 5} if extra else {})
    elif law == "inputs drift, errors do not":
        drift = np.linspace(-1, 1, n)
        X[:, 0] += drift
        e, variance, square = r.normal(size=n), 1.0, np.diag([1 + (drift**2).mean(), 1])
    elif law == "days and weeks":
        e, variance = weekly(r, n), weekly_variance()
    elif law == "calm and rough weeks":  # five days calm, two days three times as rough
        s = np.where(np.arange(n) % 7 < 5, 0.6, 1.8)
        e, variance = s * r.normal(size=n), (5 * 0.36 + 2 * 3.24) / 7
    else:  # independent all the same
        e, variance = r.normal(size=n), 1.0
    if how == "r2, time=":
        x = r.normal(size=n)
        return inside(r2(FirstNumber(), x[:, None], x + e, level=0.9, **extra), 1 / (1 + variance))
    if how.startswith(OUT):
        extra.pop("gap", None)
        return inside(holdout_error(FirstNumber(), X, X[:, 0] + e, level=0.9, **extra), variance)
    y = X @ beta + e
    m = epee.LinearRegression().fit(X, y)
    d = m.coef_ - beta
    truth = float(variance + d @ square @ d + 2 * m.intercept_ * (mean @ d) + m.intercept_**2)
    if how == "compare, time=":  # with a line that lacks a column
        from epee.risk import compare

        short = epee.LinearRegression().fit(X[:, :1], y)
        c, b = float(short.coef_[0]) - 0.5, float(short.intercept_)
        pair = {"0": columns(epee.LinearRegression(), [0]), "1": columns(epee.LinearRegression(), [0, 1])}
        found = compare(pair, X, y, repeats=3, level=0.9, **extra).difference("0", "1")
        return inside(found, variance + 0.25 + c * c + b * b - truth)
    kind = LOO if how.startswith(LOO) else FOLD
    return inside(estimate(epee.LinearRegression(), X, y, kind, **extra), truth)


# Differences, figures, curves, bands, clouds and learning.


def apart(law: str, n: int, r: np.random.Generator) -> Outcome:
    """The difference of two ways of saying, or of learning, holds the true one."""
    from epee.risk import compare, compare_rates, holdout_error, mcnemar

    if law == "read, or rounded to whole numbers":
        x = r.normal(size=n)
        X, y = np.column_stack([x, np.round(x)]), x + 0.5 * r.normal(size=n)
        a, b = (holdout_error(Reads(j), X, y, level=0.9) for j in (0, 1))
        z = np.random.default_rng(4).normal(size=2_000_000)
        return inside(b - a, float(((z - np.round(z)) ** 2).mean()))
    if law == "a large study and a small one, rates of half a percent":
        return inside(compare_rates(r.binomial(40 * n, 0.005), 40 * n, r.binomial(n, 0.01), n, level=0.9), -0.005)
    if law == "labels of three kinds":
        y = r.integers(0, 3, n)
        a, b = (np.where(r.random(n) < q, (y + r.integers(1, 3, n)) % 3, y) for q in (0.3, 0.4))
        return inside(mcnemar(y, a, b, level=0.9), -0.1)
    first, second = PAIRS[law]
    X, y = claims_third.drawn(studies()[first], r, n)
    pair = {"0": studies()[first].make(), "1": studies()[second].make()}
    gap = [mean_loss(m.fit(X, y), *fresh(first), studies()[first]) for m in pair.values()]
    found = compare(pair, X, y, repeats=3, loss=studies()[first].loss, level=0.9).difference("0", "1")
    return inside(found, gap[0] - gap[1])


PAIRS = {  # the first says the law, too
    "seven doses, a line and a cubic": ("seven doses that level off, a line", "seven doses that level off, third degree"),
    "thirty streets, ridge and a line": ("thirty streets, ridge", "thirty streets, a line"),
    "scores of pain, a line and neighbours": ("scores of pain, a line", "scores of pain, neighbours"),
    "a product of signs, LDA and neighbours": ("a product of signs, LDA", "a product of signs, neighbours"),
}  # fmt: skip


def share_told(law: str, n: int, r: np.random.Generator) -> Outcome:
    """The share explained of targets as they are."""
    from epee.risk import r2

    def draw(r: np.random.Generator, n: int) -> Table:
        if law == "counts with exposure":
            X, y = exposed(r, n)
            return np.exp(X[:, :1] + 0.4 * X[:, 1:]), y
        if law == "yields near 99 percent":
            X, y = yields(r, n)
            return 100 * expit(4 + 0.5 * X.sum(axis=1, keepdims=True)), y
        X, y = wind(r, n)
        return np.clip((X / 12) ** 3, 0, 1), y

    return inside(r2(FirstNumber(), *draw(r, n), level=0.9), told_truth(law, draw))


TOLD: dict[str, float] = {}


def told_truth(law: str, draw: Draw) -> float:
    """Return the share explained of two million rows."""
    if law not in TOLD:
        X, y = draw(np.random.default_rng(53), 2_000_000)
        TOLD[law] = float(1 - ((y - X[:, 0]) ** 2).mean() / y.var())
    return TOLD[law]


def extended(name: str, n: int, times: int, r: np.random.Generator) -> Outcome:
    """What more rows would bring."""
    from epee.risk import learning_curve

    study = studies()[name]
    found = learning_curve(study.make(), *claims_third.drawn(study, r, n), loss=study.loss, level=0.9).extrapolate(
        times * n
    )
    return inside(found, expected(name, times * n))


@cache
def expected(name: str, n: int) -> float:
    """Return the expected error of a way of learning from n rows."""
    study, r = studies()[name], np.random.default_rng(54)
    X, y = (part[:50_000] for part in fresh(name))
    return float(
        np.mean([mean_loss(study.make().fit(*claims_third.drawn(study, r, n)), X, y, study) for _ in range(200)])
    )


def banded(name: str, n: int, method: str, r: np.random.Generator) -> Outcome:
    """A band of 90 % holds a new value."""
    from epee.risk import conformal

    study = studies()[name]
    X, y = study.draw(r, n + 1)
    low, high = conformal(study.make(), X[:n], y[:n], 0.9, method=method).predict_interval(X[n:])[0]
    return bool(low <= y[n] <= high), False


def calibrated(law: str, n: int, method: str, r: np.random.Generator) -> Outcome:
    """The interval of a calibrated probability holds the chance of the class, which grows with the score."""
    import epee

    def chance(x: np.ndarray) -> np.ndarray:
        return 0.2 + 0.5 * x[:, 0] / (x[:, 0] + 2) if law == "doses that level off" else expit(x[:, 0] - 3)

    def draw(r: np.random.Generator, n: int) -> Table:
        x = (
            r.choice([0.0, 1, 2, 5, 10, 20], (n, 1))
            if law == "doses that level off"
            else np.round(np.exp(r.normal(size=(n, 1))), 1)
        )
        return x, (r.random(n) < chance(x)).astype(int)

    x, y = with_every_class(draw, 2, r, n)
    new = draw(r, 1)[0]
    fitted = epee.Calibrated(epee.LogisticRegression(), method).fit(x, y)
    low, high = fitted.probability_interval(new, 0.9)[0, 1]
    return bool(low <= chance(new)[0] <= high), False


def unlikely(law: str, n: int, r: np.random.Generator) -> Outcome:
    """A new row is not flagged, at 5 %."""
    import epee

    model: Any = epee.KernelDensity()
    if law == "amounts below a limit":
        X = np.maximum(r.normal(size=(n + 1, 2)), -0.5)
    elif law == "parts of a whole":
        X = parts(r, n + 1)[0]
    elif law == "hours of the day":
        X = hours(r, n + 1)[0]
    elif law == "four correlated columns, full":
        X, model = nearly_full(4)(r, n + 1)[0], epee.GaussianMixture(1, random_state=0)
    else:  # counts of visits
        X, model = r.poisson([0.3, 2.0, 9.0], size=(n + 1, 3)).astype(float), epee.PoissonMixture(1, random_state=0)
    return not bool(model.fit(X[:n]).outliers(X[n:], 0.05)[0]), False


def one_cloud(law: str, n: int, r: np.random.Generator) -> Outcome:
    """One cloud is not told to be two, and two far ones are."""
    import epee

    if law == "percentages":
        X = 100 * r.beta(6, 2, size=(n, 2))
    elif law == "ten columns":
        X = nearly_full(10)(r, n)[0]
    elif law == "amounts below a limit":
        X = np.maximum(r.normal(size=(n, 2)), -0.5)
    elif law == "on one side of a plane":
        X = np.abs(r.normal(size=(n, 2)))
    else:  # two clouds, of which one has a fifth of the rows
        X = r.normal(size=(n, 2)) + 6.0 * (r.random(n) < 0.2)[:, None]
    found = epee.choose_components(epee.GaussianMixture(random_state=0), X, (1, 2, 3))
    return found.chosen == (2 if law.startswith("two") else 1), bool(getattr(found, "caution", ""))


def learned(law: str, n: int, how: str, r: np.random.Generator) -> Outcome:
    """The interval of what ``learn`` chose holds its error, on sealed rows or on the board; of noise nothing is shown."""
    import pandas as pd

    import epee

    extra: dict[str, Any] = {"test_size": 0} if how == "board" else {}
    classes = law.startswith(("words", "ordered", "clicks", "patients"))
    keys = ["lda", "tree", "knn"] if classes else ["linear", "ridge", "tree"]
    if law == "shops, noise":
        month = np.tile(np.arange(n // 6), 6)
        y: Any = 0.8 * autoregression(r, n // 6, 0.6)[month] + r.normal(size=n)
        X, Z, z = np.column_stack([r.normal(size=(n, 3)), month]), None, None
        extra["time"] = "x3"
    elif law in FAMILIES:
        X, y, g = FAMILIES[law](r, n)
        X, (Z, z, _) = np.column_stack([X, g]), many_families(law)
        Z = np.column_stack([Z, np.full(len(Z), -1)])
        extra["groups"] = f"x{X.shape[1] - 1}"
        if how == "noise":  # of levels of the groups
            y = r.normal(size=n)[g] + r.normal(size=len(g))
    else:
        study = studies()[law]
        X, y = claims_third.drawn(study, r, n)
        Z, z = (part[:50_000] for part in fresh(law))
    names = [f"x{j}" for j in range(X.shape[1])]
    table = pd.DataFrame(X, columns=names).assign(y=np.array(list("abcd"))[y] if classes else y)
    found = epee.learn(table, "y", predictors=keys, level=0.9, types={} if classes else {"y": "number"}, **extra)
    if Z is None or how == "noise":
        return not found.conclusive, bool(found.risk.caution)
    said = np.asarray(found.predictor.predict(pd.DataFrame(Z, columns=names)))
    truth = np.mean(said != np.array(list("abcd"))[z]) if classes else np.mean((said - z) ** 2)
    return inside(found.risk, float(truth))


FOLD, NESTED, LOO, OUT = "fold", "nested", "leave-one-out", "hold-out"
STUDIED: tuple[tuple[str, int, tuple[str, ...], bool], ...] = (
    ("ratio of amounts below a limit, a line", 80, (FOLD, LOO), False),
    ("counts with exposure, Poisson deviance", 120, (FOLD, NESTED, LOO, OUT), False),
    ("parts of a whole, a line", 60, (FOLD, NESTED, LOO), False), ("yields near 99 percent, a line", 60, (FOLD, OUT), False),
    ("yields near 99 percent, absolute", 50, (FOLD,), False),
    ("seven doses that level off, a line", 56, (FOLD, LOO), False),
    ("seven doses that level off, third degree", 56, (FOLD, NESTED, LOO), False),
    ("seven doses that level off, kernel regression", 80, (FOLD, LOO), True),
    ("an index without error, a line", 60, (FOLD, LOO, OUT), False), ("an index without error, second degree", 60, (FOLD,), False),
    ("a direction, a line", 80, (FOLD, NESTED, OUT), False), ("power of the wind, a line", 80, (FOLD, OUT), False),
    ("power of the wind, spline", 100, (LOO, OUT), True), ("scores of pain, a line", 60, (FOLD, OUT), False),
    ("scores of pain, neighbours", 120, (FOLD, NESTED, LOO), False), ("scores of pain, quantile 0.9", 80, (FOLD,), True),
    ("thirty streets, ridge", 120, (FOLD, LOO), False), ("thirty streets, a line", 150, (FOLD, LOO), False),
    ("a product of columns, kernel ridge", 100, (FOLD, NESTED, LOO), False), ("a product of columns, a small network", 100, (FOLD,), True),
    ("a product of columns, boosting", 150, (FOLD,), True), ("hours of the day, kernel ridge", 150, (FOLD, LOO), False),
    ("hours of the day, a tree", 150, (FOLD, NESTED, LOO), False),
    ("forty-two columns, RidgeCV", 50, (FOLD, NESTED, LOO), False), ("forty-two columns, LassoCV", 50, (FOLD,), True),
    ("fourteen columns, a line", 20, (FOLD, NESTED, LOO), False), ("five columns, ridge", 20, (FOLD, NESTED, LOO, OUT), False),
    ("three targets, a line", 60, (FOLD, NESTED, LOO, OUT), False), ("half precision, a line", 60, (FOLD, LOO), False),
    ("twelve settings, a line", 100, (FOLD, NESTED, LOO, OUT), False), ("twelve settings, neighbours", 100, (FOLD, NESTED, LOO), False),
    ("three laboratories, a line", 100, (FOLD, OUT), False), ("three laboratories, a line", 5000, (FOLD, NESTED), False),
    ("three laboratories, Huber", 100, (FOLD,), True), ("cells missing because large, boosting", 150, (FOLD, OUT), True),
    ("animals at places, Poisson deviance", 100, (FOLD, NESTED, LOO, OUT), False),
    ("animals at places, additive splines", 150, (FOLD, LOO), False),
    ("incomes less a rent, a line", 150, (FOLD, OUT), False), ("incomes less a rent, forest", 100, (FOLD,), True),
    ("ordered grades, costs of steps", 80, (FOLD, LOO, OUT), False), ("ordered grades, logistic, log loss", 80, (FOLD, NESTED, LOO), False),
    ("words of documents, naive Bayes", 100, (FOLD, NESTED, LOO, OUT), False),
    ("words of documents, naive Bayes, log loss", 100, (FOLD, NESTED, LOO, OUT), False),
    ("clicks of campaigns, logistic, log loss", 500, (FOLD, NESTED, OUT), False), ("clicks of campaigns, LDA, Brier", 500, (FOLD,), False),
    ("frauds, logistic decided by costs", 500, (FOLD, OUT), False),
    ("columns of four kinds, naive Bayes, log loss", 120, (FOLD, NESTED, OUT), False),
    ("columns of four kinds, boosting", 120, (FOLD,), True),
    ("a product of signs, neighbours", 100, (FOLD, NESTED, LOO), False), ("a product of signs, forest", 100, (FOLD,), True),
    ("a product of signs, a tree", 100, (NESTED, LOO), False), ("a product of signs, LDA", 60, (FOLD, NESTED, LOO), False),
)  # fmt: skip
GROUPED = (
    ("pupils of classes of schools", 15, ("fold, groups=", "nested, groups=", "hold-out, groups=")),
    ("visits that stop", 30, ("fold, groups=", "hold-out, groups=", "forest, fold, groups=")),
    ("plots of sites", 25, ("fold, groups=", "hold-out, groups=")), ("patients of clinics", 12, ("fold, groups=", "hold-out, groups=")),
    ("patients of clinics", 30, ("fold, groups=", "nested, groups=")),
)  # fmt: skip
IN_TIME = (
    ("shops whose months share a shock", 240, ("time=", "fold, undeclared", "hold-out, time=")),
    ("irregular times", 150, ("time=", "hold-out, time=", "r2, time=")), ("targets known late", 150, ("time=", "fold, undeclared")),
    ("inputs drift, errors do not", 120, ("time=", "fold, undeclared", "hold-out, time=")),
    ("days and weeks", 210, ("time=", "hold-out, time=", "compare, time=", "leave-one-out, undeclared")),
    ("calm and rough weeks", 140, ("time=", "hold-out, time=")), ("independent all the same", 100, ("time=", "hold-out, time=")),
)  # fmt: skip


def claims() -> Iterator[Claim]:
    """Yield every claim with its law."""
    for name, n, hows, slow in STUDIED:
        for how in hows:
            yield Claim(how, f"{name}, n = {n}", 0.9, partial(studied, name, n, how), slow=slow)
    for law, n in (("rates weighed by exposure", 120), ("weights of a known spread", 120), ("raters who agree", 100)):
        for how in (FOLD, LOO, OUT) if law != "raters who agree" else (FOLD, OUT):
            yield Claim(f"{how}, weights", f"{law}, n = {n}", 0.9, partial(weighed, law, n, how))
    for law, n, hows in (
        ("votes of a survey", 150, (FOLD, NESTED, LOO)), ("a bioassay", 120, (FOLD, OUT, "roc_auc", "f1")),
        ("a bioassay, log loss", 120, (FOLD, LOO, OUT)),
    ):  # fmt: skip
        for how in hows:
            yield Claim(f"{how}, counts", f"{law}, n = {n}", 0.9, partial(counted, law, n, how))
    for law, G, hows in GROUPED:
        for how in hows:
            yield Claim(how, f"{law}, {G} groups", 0.9, partial(grouped, law, G, how), slow=how.startswith("forest"))
    for score in ("roc_auc", "f1", "brier", "average_precision"):
        law = "patients of clinics"
        yield Claim(f"{score}, groups=", f"{law}, 15 groups", 0.9, partial(scored_by_group, law, score, 15))
    law = "pupils of classes of schools"
    for score, G in (
        ("r2", 20),
        ("r2", 40),
        ("importance", 20),
        ("importance", 40),
        ("conformal", 20),
        ("compare", 20),
        ("compare", 40),
    ):
        yield Claim(f"{score}, groups=", f"{law}, {G} groups", 0.9, partial(scored_by_group, law, score, G))
    for law, n, hows in IN_TIME:
        for how in hows:
            yield Claim(how, f"{law}, n = {n}", 0.9, partial(in_time, law, n, how))
    for law, n in (
        ("read, or rounded to whole numbers", 60), ("a large study and a small one, rates of half a percent", 300),
        ("labels of three kinds", 50), ("seven doses, a line and a cubic", 70), ("thirty streets, ridge and a line", 150),
        ("scores of pain, a line and neighbours", 100), ("a product of signs, LDA and neighbours", 100),
    ):  # fmt: skip
        yield Claim(
            "interval of a difference", f"{law}, n = {n}", 0.9, partial(apart, law, n), slow="neighbours" in law
        )
    for law in ("counts with exposure", "yields near 99 percent", "power of the wind"):
        yield Claim("r2", f"{law}, n = 100", 0.9, partial(share_told, law, 100))
    for name, n, times in (
        ("seven doses that level off, third degree", 56, 3), ("scores of pain, a line", 50, 2), ("ordered grades, costs of steps", 80, 2),
        ("thirty streets, ridge", 100, 3), ("three targets, a line", 40, 2),
    ):  # fmt: skip
        yield Claim("extrapolate", f"{name}, {times} times n = {n}", 0.9, partial(extended, name, n, times), slow=True)
    for name, n, method in (
        ("yields near 99 percent, a line", 50, "cv+"), ("thirty streets, a line", 100, "cv+"),
        ("seven doses that level off, a line", 49, "cv+"),
        ("counts with exposure, Poisson deviance", 80, "split"), ("a direction, a line", 60, "split"),
        ("forty-two columns, LassoCV", 50, "cv+"),
    ):  # fmt: skip
        yield Claim(
            f"conformal, {method}", f"{name}, n = {n}", 0.9, partial(banded, name, n, method), slow="LassoCV" in name
        )
    for law in ("doses that level off", "amounts with one digit"):
        for method in ("platt", "isotonic"):
            yield Claim(f"Calibrated, {method}", f"{law}, n = 120", 0.9, partial(calibrated, law, 120, method))
    for law, n in (
        ("amounts below a limit", 60), ("parts of a whole", 80), ("hours of the day", 60), ("four correlated columns, full", 40),
        ("counts of visits", 60),
    ):  # fmt: skip
        yield Claim("outliers(0.05)", f"{law}, n = {n}", 0.95, partial(unlikely, law, n))
    for law in (
        "percentages",
        "ten columns",
        "amounts below a limit",
        "on one side of a plane",
        "two clouds, one of a fifth",
    ):
        yield Claim("choose_components", f"{law}, n = 150", 0.95, partial(one_cloud, law, 150), slow=True)
    for law, n, how in (
        ("scores of pain, a line", 150, "sealed"), ("ordered grades, costs of steps", 200, "sealed"),
        ("thirty streets, a line", 200, "board"),
        ("pupils of classes of schools", 25, "sealed"), ("patients of clinics", 25, "sealed"), ("visits that stop", 40, "noise"),
        ("shops, noise", 120, "noise"),
    ):  # fmt: skip
        yield Claim(
            f"learn, {how}",
            f"{law}, n = {n}",
            0.95 if how == "noise" else 0.9,
            partial(learned, law, n, how),
            slow=True,
        )
