"""By what should a predictor of classes be chosen? On tables of R that the study in the wild lacks::

    python -m benchmarks.wild.criteria [MINUTES]

Nine simple predictors meet in ten folds on half of the rows of a table, and are judged by their rate of errors on the other half. A rule
sees the folds only: the least rate, the least Brier score or log loss, or the least of these among predictors whose rate exceeds the least
by no more than the standard error of the difference. What it costs is the logarithm of the rate of what it takes over that of the best with
hindsight.
"""

from __future__ import annotations

import argparse
import io
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.wild.study import judged
from benchmarks.wild.tables import TABLES, archive

ROWS, COLUMNS, LEAST = (120, 1200), (4, 25), 20  # of a table; rows of its rarest class


def players() -> dict[str, Any]:
    """Return predictors, from the simplest on."""
    import sklearn.ensemble as forests
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.tree import DecisionTreeClassifier

    import epee

    boosting = epee.HistGradientBoostingClassifier(
        max_iter=60, max_leaf_nodes=8, min_samples_leaf=5, l2_regularization=1.0, early_stopping=False
    )
    return {
        "lda": LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"), "qda": QuadraticDiscriminantAnalysis(reg_param=0.05),
        "logistic": LogisticRegression(max_iter=200), "neighbours": KNeighborsClassifier(9), "naive Bayes": GaussianNB(),
        "tree": DecisionTreeClassifier(min_samples_leaf=5, random_state=0), "extra trees": forests.ExtraTreesClassifier(60, random_state=0),
        "forest": forests.RandomForestClassifier(60, random_state=0), "boosting": boosting,
    }  # fmt: skip


def tables(seed: int = 0) -> Iterator[tuple[pd.DataFrame, np.ndarray]]:
    """Yield inputs and classes of tables in random order, at most two targets of each."""
    used = {table.origin.removeprefix("R: ").replace(" ", "/").partition(",")[0] for table in TABLES.values()}
    rng = np.random.default_rng(seed)
    for name in rng.permutation(sorted(set(archive()) - used)):
        try:
            table = pd.read_csv(io.BytesIO(archive()[str(name)]), index_col=0, low_memory=False)
        except UnicodeDecodeError:
            continue
        if not (ROWS[0] <= len(table) <= ROWS[1] and COLUMNS[0] <= table.shape[1] <= COLUMNS[1]):
            continue
        fine = [c for c in table if 2 <= table[c].nunique() <= 5 and table[c].value_counts().min() >= LEAST]
        for target in rng.permutation(np.array(fine, dtype=object))[:2]:
            rows = table[table[target].notna()]
            yield rows.drop(columns=target), rows[target].astype(str).to_numpy()


def encoder(X: pd.DataFrame) -> Any:
    """Return the way to numbers: means and one column a level, scaled."""
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    numbers = [c for c in X if pd.api.types.is_numeric_dtype(X[c])]
    texts = [c for c in X if c not in numbers and X[c].nunique() < 30]
    return make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), numbers),
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), texts),
    )


def meet(X: pd.DataFrame, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return what each player says in ten folds of half of the rows (M, n, K), their truth (n,), and its rate on the other half."""
    from sklearn.base import clone
    from sklearn.model_selection import StratifiedKFold, train_test_split

    X = X.astype({c: str for c in X if not pd.api.types.is_numeric_dtype(X[c])})
    classes, codes = np.unique(y, return_inverse=True)
    own, rest = train_test_split(np.arange(len(y)), test_size=0.5, random_state=0, stratify=y)
    everyone = players().values()
    P, rates = np.empty((len(everyone), len(own), len(classes))), []
    for i, j in StratifiedKFold(10, shuffle=True, random_state=0).split(own, codes[own]):
        code = encoder(X).fit(X.iloc[own[i]])
        A, B = (code.transform(X.iloc[own[k]]) for k in (i, j))
        for m, player in enumerate(everyone):
            P[m, j] = clone(player).fit(A, codes[own[i]]).predict_proba(B)
    code = encoder(X).fit(X.iloc[own])
    A, B = (code.transform(X.iloc[k]) for k in (own, rest))
    for player in everyone:
        said = classes[clone(player).fit(A, codes[own]).predict(B)]
        rates.append(judged("classes", y[rest], said, None, classes)["error"])
    return P, codes[own], np.array(rates)


def rules(P: np.ndarray, truth: np.ndarray) -> dict[str, int]:
    """Return which player each rule takes."""
    n = len(truth)
    wrong = (P.argmax(axis=2) != truth).astype(float)
    brier = ((P - np.eye(P.shape[2])[truth]) ** 2).sum(axis=2).mean(axis=1)
    log = -np.log(np.maximum(P[:, np.arange(n), truth], 1e-4)).mean(axis=1)
    rate = wrong.mean(axis=1)
    best = int(rate.argmin())
    gap = wrong - wrong[best]
    near = gap.mean(axis=1) <= gap.std(axis=1, ddof=1) / np.sqrt(n)
    cheap = near & (rate - rate[best] <= max(0.02 * rate[best], 1 / n) + 1e-12)
    found = {
        "least rate": rate, "least Brier score": brier, "least log loss": log,
        "balance: simplest within 2 % or a row": np.where(cheap, 0, 1),
        "least Brier score within 2 % or a row": np.where(cheap, brier, np.inf),
        "least Brier score of those near": np.where(near, brier, np.inf), "least log loss of those near": np.where(near, log, np.inf),
    }  # fmt: skip
    return {name: int(np.argmin(score)) for name, score in found.items()}


def main() -> None:
    """Go through tables while there is time, and print what each rule costs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("minutes", type=float, nargs="?", default=20.0)
    ends, costs = time.perf_counter() + 60 * parser.parse_args().minutes, []
    for X, y in tables():
        if time.perf_counter() > ends:
            break
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                P, truth, rates = meet(X, y)
            except (ValueError, np.linalg.LinAlgError):  # a class that a fold lacks, a matrix that has no inverse
                continue
        rate = (P.argmax(axis=2) != truth).mean(axis=1).min()
        if (
            0 < rate < 0.9 * (1 - np.bincount(truth).max() / len(truth))
        ):  # something is there to be learned, and not all of it
            costs.append({name: np.log(rates[m] / rates.min()) for name, m in rules(P, truth).items()})
    print(
        f"{len(costs)} targets\n\n| rule | rate / best with hindsight | against the least rate | better | worse |\n|---|---|---|---|---|"
    )
    table = pd.DataFrame(costs)
    for name in table:
        gain = table[name] - table["least rate"]
        print(
            f"| {name} | {np.exp(table[name].mean()):.3f} | {100 * gain.mean():+.1f} ± {100 * gain.std() / np.sqrt(len(gain)):.1f} % |"
            f" {(gain < -1e-9).sum()} | {(gain > 1e-9).sum()} |"
        )


if __name__ == "__main__":
    main()
