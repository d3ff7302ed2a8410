"""Findings about single columns: leakage, collinearity, identifiers, constants, one dominant input, levels never seen."""

from __future__ import annotations

import numpy as np

from epee.job.findings.chance import above, at_least, at_most, correlation_above, fisher_interval, share_interval
from epee.job.findings.evidence import Evidence
from epee.job.findings.registry import Suspicion, clearest, finding
from epee.typing import Matrix, Vector
from epee.words.job_words import say
from epee.words.numbers import amount, gap, interval, listed, percent, whole

COLLINEAR = 0.99  # share of a column's variance that the others tell
LEAK = {"classification": 0.1, "regression": 0.02}  # left of the baseline's error by one column that tells the target
EXACT = 1e-9  # unexplained share below which a column is an exact combination of others
NEAREST = 9  # values of a column that vote for the class of one between them
DOMINANT = 0.9  # share of all importance


@finding("E006")
def collinear(e: Evidence) -> Suspicion | None:
    """A column is nearly a linear combination of the others: H0, its R² is at most 0.99."""
    names = [name for name, column in e.numbers.items() if _varies(column[e.some])]
    n, p = len(e.some), len(names)
    if p < 2 or n < p + 10:
        return None
    X = np.column_stack([_filled(e.numbers[name][e.some]) for name in names])
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    values, axes = np.linalg.eigh(X.T @ X / n)
    inflation = (axes**2 / np.maximum(values, 1e-13)).sum(axis=1)  # diagonal of the inverse correlation: 1 / (1 - R²)
    told = 1 - 1 / inflation * (n - 1) / (n - p)  # corrected for the number of columns
    j = int(np.argmax(told))
    if told[j] <= COLLINEAR:
        return Suspicion(1.0, {})
    p_value = min(p * correlation_above(float(np.sqrt(told[j])), n - p, np.sqrt(COLLINEAR)), 1.0)
    places, share = tellers(X, j, float(told[j]))
    with_ = [names[k] for k in places]
    words = {"others": listed(with_, 6), "share": percent(share)}
    if 1 - share < EXACT:  # arithmetic, not chance: a certainty has no interval
        return Suspicion(p_value, words, 1.0, None, None, None, names=[names[j], *with_], form="exact")
    low, high = (end**2 for end in fisher_interval(float(np.sqrt(share)), n - len(with_) - 1))
    words["span"] = interval(low, high, percent=True)
    return Suspicion(p_value, words, share, None, low, high, names=[names[j], *with_])


def tellers(X: Matrix, j: int, told: float) -> tuple[list[int], float]:
    """Return the fewest columns, found one after another, that tell column ``j`` as well as all others do, and their corrected R².

    Each step takes the column that explains most of what is left; the search ends when the unexplained share is within a tenth of that
    which all columns leave.

    >>> rng = np.random.default_rng(0); a, b, c = rng.normal(size=(3, 200))
    >>> found, share = tellers(np.column_stack([a, b, c, a + b]), 3, 1.0)
    >>> sorted(found), round(share, 6)
    ([0, 1], 1.0)
    """
    n, p = X.shape
    rest, left = X.copy(), X[:, j].copy()
    found: list[int] = []
    share, total = 0.0, float(left @ left)
    while len(found) < p - 1 and 1 - share > max(1.1 * (1 - told), EXACT):
        size = np.sqrt((rest**2).sum(axis=0))
        gain = np.abs(rest.T @ left) / np.where(size > 1e-7 * np.sqrt(n), size, np.inf)
        gain[[j, *found]] = -1.0
        k = int(np.argmax(gain))
        if gain[k] <= 0:
            break
        axis = rest[:, k] / size[k]
        left = left - axis * (axis @ left)
        rest = rest - np.outer(axis, axis @ rest)
        found.append(k)
        share = 1 - float(left @ left) / total * (n - 1) / max(n - len(found) - 1, 1)
    return found, min(max(share, 0.0), 1.0)


@finding("E007")
def leakage(e: Evidence) -> Suspicion | None:
    """One column alone tells the target nearly without error: H0, it leaves at least 10 % (numbers: 2 %) of the baseline's error."""
    if e.task is None or (e.task == "regression" and not e.one_number) or len(e.train) < 40:
        return None
    rows = np.intersect1d(e.some, e.train)
    found = [(name, *_left(e, name, rows)) for name in e.names]
    if not found:  # texts alone
        return None
    name, p, share, low, high = min(found, key=lambda line: line[1])
    span = interval(low, high, percent=True, digits=2)
    words = {"target": e.target, "left": percent(share, 2), "span": span, "rows": whole(len(rows))}
    return Suspicion(min(p * len(found), 1.0), words, share, None, low, high, [name])


def _left(e: Evidence, name: str, rows: np.ndarray) -> tuple[float, float, float, float]:
    """Return the p-value and the share of the baseline's error that is left when one column tells the target, each half by the other."""
    half = np.random.default_rng(e.seed).permutation(len(rows)) % 2
    cell = _cells(e, name, rows)
    assert e.y is not None
    if e.task == "classification":
        codes = e.codes[rows]
        wrong, base = np.zeros(len(rows), dtype=bool), np.zeros(len(rows), dtype=bool)
        several = name in e.numbers and np.count_nonzero(np.bincount(cell)) > 3
        near = several and in_stretches(e.numbers[name][rows], codes)
        for side in (0, 1):
            own = half != side
            table = np.zeros((cell.max() + 1, len(e.classes)))  # type: ignore[arg-type]
            np.add.at(table, (cell[own], codes[own]), 1.0)
            common = int(table.sum(axis=0).argmax())
            table[:, common] = table[:, common] + 1e-9
            answer = table.argmax(axis=1)[cell[~own]]
            if near:  # a cell may hold the end of one class and the begin of another
                answer = nearest_vote(e.numbers[name][rows], codes, own, answer)
            wrong[~own] = answer != codes[~own]
            base[~own] = codes[~own] != common
        b, k, n = float(base.mean()), float(wrong.sum()), len(rows)
        low, high = share_interval(k, n)
        p, scale = at_least(k, n, LEAK["classification"] * b), max(b, 1e-12)
        return p, k / n / scale, low / scale, min(high / scale, 1.0)
    y = e.y[rows]
    x = _filled(e.numbers[name][rows]) if name in e.numbers else np.zeros(len(rows))
    r = np.zeros(len(rows))
    for side in (0, 1):
        own = half != side
        slope = np.polyfit(x[own], y[own], 1) if np.ptp(x[own]) > 0 else np.array([0.0, y[own].mean()])
        rest = y - np.polyval(slope, x)
        counts = np.bincount(cell[own], minlength=cell.max() + 1)
        sums = np.bincount(cell[own], rest[own], minlength=cell.max() + 1)
        r[~own] = (rest - (sums / np.maximum(counts, 1))[cell])[~own]
    whole_ = (y - y.mean()) ** 2
    share = float((r**2).mean() / max(whole_.mean(), 1e-300))
    d = r**2 - LEAK["regression"] * whole_
    bar = float((r**2 - share * whole_).std() / np.sqrt(len(r)) / max(whole_.mean(), 1e-300))
    p = above(-float(d.mean()), float(d.std() / np.sqrt(len(d))))
    return p, share, max(share - 1.96 * bar, 0.0), share + 1.96 * bar


def in_stretches(x: Vector, codes: np.ndarray) -> bool:
    """Tell whether rows that follow each other in the order of a column are of one class at least twice as often as chance has them differ.

    A column of which that is not so tells the class of no row by its neighbours.

    >>> in_stretches(np.arange(8.0), np.repeat([0, 1], 4)), in_stretches(np.arange(8.0), np.arange(8) % 2)
    (True, False)
    """
    ordered = codes[np.argsort(x)]
    share = np.bincount(codes) / len(codes)
    return bool((ordered[1:] != ordered[:-1]).mean() < (1 - (share**2).sum()) / 2)


def nearest_vote(x: Vector, codes: np.ndarray, own: np.ndarray, otherwise: np.ndarray) -> np.ndarray:
    """Return the class that most of the nearest values of ``own`` rows have, for each of the others; ``otherwise`` where x is missing.

    >>> x, codes = np.array([0.0, 1, 2, 3, 10, 11, 12, 13]), np.repeat([0, 1], 4)
    >>> nearest_vote(x, codes, np.arange(8) % 2 == 0, np.zeros(4, dtype=int)).tolist()
    [0, 0, 1, 1]
    """
    known = np.flatnonzero(own & np.isfinite(x))
    asked = np.flatnonzero(~own)
    there = np.isfinite(x[asked])
    if len(known) < 2:
        return otherwise
    known = known[np.argsort(x[known], kind="stable")]
    m = min(NEAREST, max(len(known) // 2, 1))
    place = np.searchsorted(x[known], x[asked[there]])
    around = np.clip(place - m, 0, max(len(known) - 2 * m, 0))[:, None] + np.arange(min(2 * m, len(known)))
    far = np.abs(x[known][around] - x[asked[there], None])
    nearest = np.take_along_axis(around, np.argsort(far, axis=1, kind="stable")[:, :m], axis=1)
    votes = np.stack([(codes[known][nearest] == k).sum(axis=1) for k in range(int(codes.max()) + 1)], axis=1)
    out = otherwise.copy()
    out[there] = votes.argmax(axis=1)
    return out


def _cells(e: Evidence, name: str, rows: np.ndarray) -> np.ndarray:
    """Return a column cut into cells: its levels, or some bins of equal numbers of rows; missing cells are one of their own."""
    if name in e.levels:
        return e.levels[name][rows] + 1
    x = e.numbers[name][rows]
    there = x[~np.isnan(x)]
    if not len(there):
        return np.zeros(len(rows), dtype=np.intp)
    edges = np.unique(np.quantile(there, np.linspace(0, 1, min(64, max(len(there) // 10, 2)) + 1)[1:-1]))
    return np.where(np.isnan(x), 0, np.searchsorted(edges, x, side="right") + 1).astype(np.intp)


@finding("E008")
def identifier(e: Evidence) -> Suspicion | None:
    """A column numbers or names the rows: H0, its whole numbers are drawn at random from their range."""
    left = _left_out(e, "left_identifier")
    if left:
        return Suspicion.of_share(0.0, {"n": whole(e.n)}, e.n, e.n, names=left, form="left")
    chances: dict[str, float] = {}
    for name, x in e.numbers.items():
        if e.kinds.get(name) != "number" or np.isnan(x).any() or e.n < 30 or (x != np.floor(x)).any():
            continue
        if len(np.unique(x)) == e.n:
            chances[name] = float(np.exp(-e.n * (e.n - 1) / (2 * (float(np.ptp(x)) + 1))))
    if not chances:
        return None
    name = min(chances, key=lambda key: chances[key])
    p = min(chances[name] * len(e.numbers), 1.0)
    return Suspicion.of_share(p, {"n": whole(e.n)}, e.n, e.n, names=[name])


def _left_out(e: Evidence, why: str) -> list[str]:
    """Return the first column that was left out for a reason, in a list."""
    left = [c["name"] for c in e.columns if c.get("role") == "left out" and c.get("note") == say(why, name=c["name"])]
    return left[:1]


@finding("E009")
def constant(e: Evidence) -> Suspicion | None:
    """A column is constant, or all but: H0, at least 1 % of its cells differ from the commonest."""
    left = _left_out(e, "left_constant")
    if left:
        return Suspicion.of_share(0.0, {"n": whole(e.n), "k": 0}, 0, max(e.n, 1), digits=2, names=left, form="left")
    found = []
    for name in e.names:
        cells = e.numbers[name] if name in e.numbers else e.levels[name]
        there = cells[~e.missing(name)]
        if len(there) < 2:
            continue
        n = len(there)
        k = n - (longest_run(e.sorted_cells(name)) if name in e.numbers else int(np.bincount(there).max()))
        p = min(at_least(k, n, 0.01) * len(e.names), 1.0) if k or n < 10 else 0.0
        found.append((p, name, k, n))
    if not found:
        return None
    p, name, k, n = min(found, key=lambda line: line[0])
    return Suspicion.of_share(p, {"n": whole(n), "k": whole(k)}, k, n, digits=2, names=[name])


@finding("E021")
def dominant(e: Evidence) -> Suspicion | None:
    """The predictor leans on one column: H0, that column has at most 90 % of all importance."""
    items = sorted(e.uses, key=lambda item: -item["value"])
    if len(items) < 3 or items[0]["value"] <= 0:
        return None
    top, rest = items[0], items[1:]
    if not any(item["value"] or item["stderr"] for item in rest):
        return None  # the predictor has room for one column only, as a small tree has
    others = sum(max(item["value"], 0.0) for item in rest)
    share = top["value"] / (top["value"] + others)
    lean = (1 - DOMINANT) * top["value"] - DOMINANT * others
    bar = np.hypot((1 - DOMINANT) * top["stderr"], DOMINANT * np.sqrt(sum(item["stderr"] ** 2 for item in rest)))
    p = max(above(lean, bar), above(top["value"], top["stderr"]))
    half = 1.96 * bar / (top["value"] + others)
    low, high = max(share - half, 0.0), min(share + half, 1.0)
    said, rise = amount(share, half / 2, percent=True), gap(top["value"], top["stderr"], rate=e.is_rate)
    words = {"share": said, "span": interval(low, high, percent=True), "rise": rise}
    return Suspicion(p, words, share, half / 1.96, low, high, [top["column"]])


@finding("E024")
def unseen_levels(e: Evidence) -> Suspicion | None:
    """Sealed rows have categories that no training row has: H0, at most 2 % do."""
    if len(e.test) < 10 or not e.levels:
        return None
    found = []
    for name, codes in e.levels.items():
        new = ~np.isin(codes[e.test], codes[e.train]) & (codes[e.test] >= 0)
        k, m = int(new.sum()), len(e.test)
        words = {"k": whole(k), "m": whole(m)}
        found.append(Suspicion.of_share(at_most(k, m, 0.02), words, k, m, names=[name]))
    return clearest(found)


def longest_run(ordered: Vector) -> int:
    """Return how often the commonest of some values occurs, given them in order.

    >>> longest_run(np.array([1.0, 2.0, 2.0, 5.0]))
    2
    """
    starts = np.flatnonzero(np.diff(ordered, prepend=np.nan) != 0)
    return int(np.diff(np.append(starts, len(ordered))).max())


def _varies(x: Vector) -> bool:
    there = x[np.isfinite(x)]
    return len(there) > 1 and bool(np.ptp(there) > 1e-12 * max(float(np.abs(there).max()), 1e-300))


def _filled(x: Vector) -> Vector:
    return np.where(np.isnan(x), np.nanmean(x) if not np.isnan(x).all() else 0.0, x)
