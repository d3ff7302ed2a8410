r"""What the choice without each part of the rows is off by, where a line stands beside neighbours: a thousand tables in a minute.

``learn`` on a table takes seconds, and a bias of 1 % wants hundreds of tables. Here two of its candidates are a few sums: a line, whose
models without two parts are merges, and nearest neighbours at nine widths, which are judged by the losses of the contest. The rule is that
of ``prefer="balance"``: each candidate at the width that does best in the first folds, compared in five repeats of them, and the line
unless neighbours are better by more than 2 % or one standard error. The optimism is found in four ways, by the losses of the *first* folds
or by those of *all* repeats (:mod:`epee.job.choosing_again`), in ten parts and in five (:class:`epee.risk.winner.Nested`). Of each is told

- what is left of it, :math:`\hat E - R(c)`, with :math:`R(c)` the mean true error of the chosen candidate's models of nine tenths;
- of this, by choosing from fewer rows, where in place of the errors outside there are true ones only; the rest leaks by losses that know
  the part;
- what would be left if the choice without one part were taken as it is.

The luck of the tables is taken off as in :mod:`benchmarks.risk.winners_learning`.
``python -m benchmarks.risk.winners_repeats [--tables N]`` prints the table and puts it into ``benchmarks/results``.
"""

from __future__ import annotations

import argparse

import numpy as np

from benchmarks.risk.winners_learning import percent, settled
from benchmarks.summary import RESULTS
from epee.risk.winner import Nested, without_two

ROWS, COLUMNS, FOLDS, REPEATS, FRESH = 60, 4, 10, 5, 400
SLOPE = np.full(COLUMNS, 0.5)
WIDTHS = (1, 2, 3, 5, 7, 9, 13, 17, 25)
WAYS = [(by, parts) for parts in (10, 5) for by in ("first folds", "all repeats")]


def neighbours(order: np.ndarray, y: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return the means (T, n, k) of the nearest rows among those of each model (T, N), nearest first in ``order`` (n, N)."""
    known = rows[:, order]
    count, total = np.cumsum(known, axis=2), np.cumsum(known * y[order], axis=2)
    at = [np.minimum((count < k).sum(axis=2), order.shape[1] - 1)[..., None] for k in WIDTHS]
    return np.concatenate(
        [np.take_along_axis(total, j, 2) / np.take_along_axis(count, j, 2) for j in at], axis=2
    )  # fewer where there are no more


def lines(A: np.ndarray, y: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return the coefficients (T, p) of least squares on the rows of each model."""
    return np.linalg.solve(np.einsum("tn,ni,nj->tij", rows, A, A), (rows @ (A * y[:, None]))[..., None])[..., 0]


def taken(line: np.ndarray, other: np.ndarray, bar: np.ndarray) -> np.ndarray:
    """Return 1 where the neighbours are taken, 0 where the line is."""
    gap = line - other
    return ((gap > 0) & ~((gap <= bar) & (gap <= 0.02 * other))).astype(int)


def one_table(seed: int) -> tuple[list[float], list[float]]:
    """Return apparent error less R(c), and R(c), then the figures of each way, and noises of expectation 0."""
    r, n, i = np.random.default_rng([5, seed]), ROWS, np.arange(ROWS)
    X = r.normal(size=(n, COLUMNS))
    y, A = X @ SLOPE + r.normal(size=n), np.column_stack([np.ones(n), X])
    order = np.argsort(((X[:, None] - X) ** 2).sum(axis=2) + np.diag(np.full(n, np.inf)), axis=1)[:, :-1]
    folds = np.stack([r.permutation(i % FOLDS) for _ in range(REPEATS)])
    rows = (folds[:, None] != np.arange(FOLDS)[:, None]).reshape(-1, n).astype(float)  # (RK, n)
    model = folds + FOLDS * np.arange(REPEATS)[:, None]
    coef = lines(A, y, rows)
    line = np.stack([((A * coef[t]).sum(axis=1) - y) ** 2 for t in model])  # (R, n)
    near = neighbours(order, y, rows)
    wide = np.stack([(near[t, i] - y[:, None]) ** 2 for t in model])  # (R, n, k)
    best = int(wide[0].mean(axis=0).argmin())
    d = (line - wide[..., best])[:, None] * (folds[:, None] == np.arange(FOLDS)[:, None])
    bar = np.sqrt((d.sum(axis=2) * FOLDS / n).var(ddof=1) * (1 / rows.shape[0] + 1 / (FOLDS - 1)))
    bars = bar * (line[0][:, None] - wide[0]).std(axis=0) / (line[0] - wide[0, :, best]).std()
    errors = np.array([line.mean(), wide[..., best].mean()])
    c = int(taken(*errors, bar))
    fresh = np.random.default_rng([9, seed]).normal(size=(FRESH, COLUMNS))
    apart = np.argsort(((fresh[:, None] - X) ** 2).sum(axis=2), axis=1)
    true_line = 1 + ((coef - np.r_[0, SLOPE]) ** 2).sum(axis=1)  # (RK,)
    told = neighbours(apart, y, rows[:FOLDS])
    true_wide = 1 + ((told - (fresh @ SLOPE)[:, None]) ** 2).mean(axis=1)  # (K, k)
    luck = [line.mean() - true_line.mean(), line[0].mean() - true_line[:FOLDS].mean()]
    luck += list((wide[0].mean(axis=0) - true_wide.mean(axis=0))[[0, 3, 6]])  # at widths that nobody chose
    R = np.r_[true_line[:FOLDS].mean(), true_wide.mean(axis=0)]
    out = [float(errors[c] - R[c and 1 + best]), float(R[c and 1 + best])]
    add = wide[..., best].mean(axis=0) - wide[0, :, best]

    def rule(means: np.ndarray, _: np.ndarray | None = None) -> np.ndarray:
        at = means[:, 1:].argmin(axis=1)
        return taken(means[:, 0], means[np.arange(len(means)), 1 + at], bars[at]) * (1 + at)  # 0 is the line

    for parts in (10, 5):
        part = r.permutation(n) % parts
        a, b = np.triu_indices(parts, 1)
        number = np.zeros((parts, parts), dtype=np.intp)
        number[a, b] = number[b, a] = np.arange(len(a))
        two = lines(A, y, ((part != a[:, None]) & (part != b[:, None])).astype(float))
        said = np.stack([(A * two[number[(part + d) % parts, part]]).sum(axis=1) for d in range(1, parts)])
        pairs = without_two((said - y) ** 2, part, np.ones(n))  # (G, G)
        for by_line, by_width in ((line[0], wide[0]), (line.mean(axis=0), wide[0] + add[:, None])):
            plain = Nested.of_rows(np.column_stack([by_line, by_width])[None], part[None], np.ones(n))
            means, apart = plain.means.copy(), ~np.eye(parts, dtype=bool)
            means[0, apart, 0] = pairs[apart]
            nested = Nested(means, plain.sizes).levelled(np.array([0]))
            true = nested.means.copy()
            true[0, ~apart] = R
            once = nested.outer[0, np.arange(parts), rule(nested.inner[0])] @ nested.sizes[0] / n
            errors_of = nested.error(rule), Nested(true, nested.sizes).error(rule), float(once)
            out += [float(E - out[1]) for E in errors_of]
    return out, luck


def main(arguments: list[str] | None = None) -> None:
    """Run, print and store."""
    parser = argparse.ArgumentParser(
        description="What the choice that is made again is off by, of a line beside neighbours."
    )
    parser.add_argument("--tables", type=int, default=1000)
    parser.add_argument("--dry", action="store_true", help="print, do not store")
    asked = parser.parse_args(arguments)
    found, luck = (np.array(part) for part in zip(*map(one_table, range(asked.tables)), strict=True))
    true = found[:, 1].mean()
    cells = [percent(*settled(column / true, luck)) for column in found.T]
    out = [
        f"The error of the chosen of a line and nearest neighbours, {ROWS} rows of a linear law, less that of its models of nine "
        f"tenths, in percent of it; {asked.tables} tables; apparent {cells[0]}",
        "",
        "| parts | losses of | left | of this by fewer rows | by the choice without one part alone |",
        "|---|---|---|---|---|",
    ]
    for (by, parts), (left, fewer, once) in zip(WAYS, zip(*[iter(cells[2:])] * 3, strict=True), strict=True):
        out.append(f"| {parts} | {by} | {left} | {fewer} | {once} |")
    print("\n".join(out))
    if not asked.dry:
        (RESULTS / "honesty.winners.repeats.md").write_text("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
