r"""Do rows belong together without saying so? Looked for in what predictors leave over.

Rows that are independent given their inputs have out-of-fold residuals :math:`r_i` that resemble each other no more than chance makes them.
Four ways of being near are tried: being copies (all inputs equal, or nearly), following each other in the file, sharing the value of a
column that repeats (an identifier, a place, a day), being nearest in the inputs. For values in groups :math:`g` of sizes :math:`m_g` the
variance splits into between and within,

.. math:: F = \frac{B}{W}, \qquad \rho = \frac{B - W}{B + (m_0 - 1) W}, \qquad
          m_0 = \frac{1}{G - 1} \Bigl(n - \frac{\sum m_g^2}{n}\Bigr), \tag{1}

with :math:`B, W` the mean squares; :math:`\rho` is the intraclass correlation, and by its *design effect*
:math:`1 + (\sum m_g^2 / n - 1)\, \rho` the variance of a mean over rows is larger than independent rows would make it. For neighbours in
order the test is that of the first autocorrelation and the effect that of an autoregression (:mod:`epee.risk.long_run`). Errors of a number
may follow each other in size alone, as those of a market do: the same is asked of :math:`|r_i|`, and the effect is no less than that of
:math:`r_i^2`. Residuals are replaced by normal scores and their sizes by quantiles of :math:`\chi^2_1`, as squares of normal scores would
be, so heavy tails do not matter and rare large errors count as what they are. Of all tries the p-values are adjusted by Holm's rule; of
the level that the searches of the file share, order and sizes have twice as much as seasons and slopes.

What is weak may last. Classes that persist make errors on one side of a frontier follow each other: losses are then compared with the
sign of their class, the classes dealt to two sides (in a file sorted by class, within each class). Slopes that change from group to group,
or in time, leave residuals that resemble each other only as products :math:`r_i x_{ij}` with the inputs. Of such a series, and of the
residuals in the order of the file, of variance 1, rows up to :math:`q = n^{1/3}` apart are compared, with Bartlett's weights and the law of
Gamma that has the variance :math:`V` and the skewness of

.. math:: T = \sum_{k \le q} w_k \sum_i \Bigl(s_i s_{i+k} + \frac1n\Bigr), \qquad w_k = 1 - \tfrac{k}{q + 1}, \qquad
          V = \Bigl(1 - \frac{\mathrm{E}\, s^4}{n}\Bigr) \sum_k (n - k)\, w_k^2, \qquad
          \mathrm{E}\, T^3 = n \sum_{k, l} w_k w_l w_{k+l} + n\, \mathrm{E}[s^3]^2 \sum_k w_k^3, \tag{3}

the last sum but one over :math:`k, l` of both signs (the mean and the variance over all orders of the values, which is what a random file
is); successive residuals and their sizes also with :math:`q = 1` and with :math:`q = n^{1/2}`, since what markets remember lasts, and sizes
with :math:`q = n^{2/3}`, since a spread may drift.
Residuals of a number may resemble those a year or a week ago, or those at the same place of a block (:mod:`epee.risk.long_run`). Levels
that last for a large part of the file are in its slowest waves,

.. math:: \sum_{k \le 3} \frac2n \Bigl(\sum_i s_i \cos \frac{\pi k (i + \frac12)}{n}\Bigr)^2 \sim \chi^2_3. \tag{4}

Residuals that avoid each other have losses that are alike: those of squares of normal residuals of correlation :math:`\rho` have
:math:`\rho^2`, whatever the sign. So neighbours in the file are asked for both signs, and the design effect of a negative one is that of
squares. A predictor takes what it learned of one row off the residuals of the rows near it, which then avoid each other in independent
rows, too: only neighbours that lie about as far apart in the inputs as any two rows are asked for that, and groups are not.

A predictor that misses a shape leaves residuals that resemble each other, too, but its error bars are right. A shape is much the same a
little farther away, and kin are not. So a cubic in the ranks of each input is taken off first, and where nearness is nearness in an input
(numbers that look like names; a file along an input, in which rows four places apart are still close; the nearest rows) the kin
:math:`N_i` of a row are compared with the rows :math:`F_i` a little farther away,

.. math:: \sum_i r_i \Bigl(\frac{1}{|N_i|} \sum_{j \in N_i} r_j - \frac{1}{|F_i|} \sum_{j \in F_i} r_j\Bigr)
          = \sum_{i < j} s_{ij}\, r_i r_j, \qquad \text{of variance } \sum_{i < j} s_{ij}^2. \tag{2}

What a classifier loses jumps where its decision turns, from one value of a count to the next. Whole numbers are names only where their
frequencies are not in order as those of a count are, and where rows with the numbers beside are far less alike, in what is left over and
in the target, than rows with the same one.

Rows may lie in clumps of the inputs, or of some of them, as those of a town do: what they share is then that of a unit, be it a shape or
not, and (1) is asked of the clumps. Of a smooth density of dimension :math:`m`, the distances :math:`d_k` to the k-th neighbour jump by

.. math:: k\, m \log \frac{d_{k+1}}{d_k} \sim \mathrm{Exp}(1), \tag{5}

independently for each :math:`k` (Rényi), and a clump ends where they first jump far more. Where there are no clumps, nearest rows must also
lie closer together than points of a smooth density of any dimension do: :math:`m \log (d_{11} / d_1)` has mean
:math:`\sum_{j \le 10} 1/j` there, and :math:`m` is known from :math:`d_{11} \dots d_{30}`. Rows that are equal in all inputs count only if
chance does not explain them.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from scipy import special

from epee.engines.local import free_threads, in_order, one_blas_thread
from epee.errors import DataError, SingularProblem
from epee.risk.copies import CHANCE, SCREEN, coincidence, column_bits, repeats, row_bits
from epee.risk.intervals import normal_quantile, t_quantile
from epee.risk.long_run import blocks, gamma_tail, inflation, lagged_products, season, slow_waves
from epee.risk.normal_scores import normal_scores, shares_below
from epee.risk.paired_tests import holm
from epee.solve.cholesky import Cholesky
from epee.typing import Codes, Matrix, Vector

MOST_ROWS = 5_000  # nearest rows are looked for among so many
FEW_PAIRS = 2_000_000  # of rows, times columns, for which all distances are quicker than a tree and its import
MANY_INPUTS = 15  # from which products of rows are quicker than a tree
GROUPS, MOST_NEAR = 8, 8  # of rows, and rows that may be among the nearest, for each neighbour that is asked for
NEARLY = 1e-3  # rows are nearly equal when all inputs agree to this share of a standard deviation
FAR = (11, 30)  # neighbours that are near, and not kin
FARTHER = (2, 3, 4)  # rows away in a file
HARMONIC = np.cumsum(1 / np.arange(1.0, FAR[1]))
WAVES = 3  # of a file, the slowest
STRETCHES, LONG_STRETCHES = (np.inf, 3.0, 2.0), (np.inf, 3.0, 2.0, 1.5)  # roots of n
OF_THE_FILE = {"order": 2.0, "season": 1.0, "slope": 1.0}  # shares of the level that searches of the file have together
ALIKE = 5 / 8  # of the level of neighbours, which seldom avoid each other
AROUND = 31  # gaps of a column that are compared
UNEVEN = 2.5  # standard deviations of gaps of a smooth density
JUMP = 5.0  # of distances, which one in 150 exceeds by chance
FEWEST_IN_CLUMPS = 0.5  # of the rows; chance joins one in seven, among heavy tails one in four
NEXT = 2  # numbers on each side of a name
SORTED = 0.3  # ratio of rows as far as the last of these, below which the file goes along an input
CLUMPED = 1.2  # times the logarithm of distances that a smooth density gives
FEWEST_NAMES = 10  # values that a column of names has, and as many as its rows are spread over
DOZEN = 12  # whole numbers may be months, or hours of a clock, and no more of them are no names
MANY_NAMES = 40  # beyond which what is smooth changes little from one number to the next
SMOOTH = 0.6  # autocorrelation of the ranks of frequencies, above which they are those of a count or an age
ORDERED = 0.35  # of what rows of a number share; those of the numbers beside it share less, if it is a name
ROWS_OF_A_TERM = 10  # for each term of a shape
FEW_PRODUCTS = 300_000  # for which a decomposition takes no time
REMEMBERED = 1_000_000  # numbers of cubics that are kept for the next loss
WELL_APART = 1e6  # condition below which normal equations do as well
ROWS_AT_ONCE, PAIRS_AT_ONCE = 256, 1_000  # whose nearest are looked for; whose distances are taken
Kind = Literal["copies", "order", "season", "slope", "column", "clumps", "nearest"]


@dataclass(frozen=True)
class Dependence:
    """One way in which rows may belong together.

    Attributes
    ----------
    kind : {"copies", "order", "season", "slope", "column", "clumps", "nearest"}
    name : str
        The column, for "column" and "slope"; "sizes" for an order of sizes alone; how many rows apart, for "season".
    correlation : float
        Of the residuals of two rows that are near in this way; below 0 where they avoid each other.
    p_value : float
        Of independence, adjusted for all ways that were tried.
    effect : float
        Design effect: by how much the variance of a mean over rows is larger than that of independent rows, at least 1.
    share : float
        Of the rows, how many have another one near.
    whose : {"kin", "groups", "crossed"}
        Whether rows belong together, or groups of them that were told, or rows across these.
    """

    kind: Kind
    name: str
    correlation: float
    p_value: float
    effect: float
    share: float
    whose: Literal["kin", "groups", "crossed"] = "kin"

    def shown(self, level: float = 0.01) -> bool:
        """Tell whether independence is refuted at a level.

        Only neighbours in the file may be shown to avoid each other, and only by residuals of a number, whose losses are then alike.
        """
        return self.p_value < level

    @property
    def way(self) -> str:
        """The kind; of an order also "sizes", or "apart" where neighbours avoid each other."""
        if self.kind != "order":
            return self.kind
        return "apart" if self.correlation < 0 else self.name or "order"


def dependence(
    residuals: Vector, X: Matrix | None = None, *, columns: Sequence[tuple[str, Any]] = (), order: Any = None,
    target: Vector | None = None, classes: Codes | None = None, shape: bool = True, seed: int = 0,
) -> list[Dependence]:  # fmt: skip
    """Return what was tried, from the most to the least certain dependence.

    Parameters
    ----------
    residuals : array (n,)
        Out-of-fold: what was observed minus what was predicted, or losses.
    X : array (n, p), optional
        Inputs as numbers, for copies, nearest rows, and columns that look like names: whole numbers that repeat, each for some
        rows, and are no counts, or others on no grid, as the latitude of a place is.
    columns : pairs of name and values, optional
        Columns of any kind; those whose values repeat are tried. Give those that are no inputs, too.
    order : array (n,), optional
        Places of the rows; None is their order here.
    target : array (n,), optional
        The numbers that were predicted, where the residuals are what is left of them: neighbours in the file are then also compared by how
        large these are, and by their products with the inputs. A file that is sorted by them has no order of its own.
    classes : array (n,), optional
        Codes of the classes that were predicted, where the residuals are losses.
    shape : bool, default=True
        Take off the shape that inputs give. What rows with inputs of their own say of these is one: leave it on.
    seed : int, default=0
        Of the sample of rows whose nearest are looked for, when there are more than 5,000.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> patient = np.repeat(np.arange(40), 5)
    >>> r = rng.normal(size=40)[patient] + rng.normal(size=200)
    >>> found = dependence(r, columns=[("patient", patient), ("ward", rng.integers(0, 4, 200))], order=rng.permutation(200))
    >>> found[0].name, found[0].shown(), found[-1].shown()
    ('patient', True, False)
    """
    r: Vector = np.array(residuals, dtype=np.float64)
    if r.ndim != 1 or len(r) < 8:
        raise DataError(f"the residuals have shape {r.shape}; dependence is looked for in a vector of at least 8.")
    seen = np.isfinite(r)
    own: Any = slice(None) if seen.all() else seen
    r = r[own]
    classes, target = None if classes is None else classes[own], None if target is None else np.asarray(target)[own]
    Z = None if X is None else standardised(np.asarray(X, dtype=np.float64)[own])
    z = _scores(r, Z if shape else None)
    z = z if classes is None else _within(z, classes)
    beside = [(name, np.asarray(values)[own]) for name, values in columns]
    filed = np.argsort(np.arange(len(r)) if order is None else np.asarray(order)[own], kind="stable")
    found: list[Dependence | None] = []
    if classes is not None:
        found.append(_in_file_of_classes(r, z, classes, Z, filed))
    elif target is None or not _sorted(target[filed]):
        found += _in_file(r, z, Z, filed, None if target is None else [_codes(values) for _, values in beside])
    # within a class losses jump where the decision turns: those of names are of all classes
    left, asked = z if classes is None else _scores(r, Z if shape else None), _seen(r, target, classes)
    if classes is None:
        found += [_in_groups("column", name, z, values) for name, values in beside]
    else:
        found += [_beyond_target(name, left, values, asked[1]) for name, values in beside]
    if X is not None and Z is not None:
        cells = np.asarray(X)[own]
        found += [_named(str(j), left, cells[:, j], asked, seed) for j in _columns_of_names(cells)]
        found += [_copies(z, Z), _nearest(z, Z, seed)]
    tried = [f for f in found if f is not None]
    adjusted = holm(np.array([f.p_value for f in tried]), _shares([f.kind for f in tried]))
    tried = [replace(f, p_value=float(p)) for f, p in zip(tried, adjusted, strict=True)]
    return sorted(tried, key=lambda f: (f.p_value, -f.effect))


def _shares(kinds: Sequence[Kind]) -> Vector:
    """Return the shares of the level: all searches have the same, but those of the file, which share theirs.

    >>> _shares(["order", "order", "season", "slope", "column"]).round(2), _shares(["order", "column"])
    (array([1.33, 1.33, 0.67, 0.67, 1.  ]), array([1., 1.]))
    """
    own = np.array([OF_THE_FILE.get(kind, np.nan) for kind in kinds])
    filed = np.isfinite(own)
    return np.where(filed, own / np.mean(own[filed]), 1.0) if filed.any() else np.ones(len(own))


def _scores(r: Vector, Z: Matrix | None) -> Vector:
    """Return normal scores of values, less the shape that inputs give them."""
    z = normal_scores(r)
    return z if Z is None else without_shape(z, Z)


def _within(z: Vector, classes: Codes) -> Vector:
    """Return values less the mean of their class, over their spread in it: a table sorted by class is no time series."""
    many = np.maximum(np.bincount(classes), 1)
    gap = z - (np.bincount(classes, z) / many)[classes]
    spread = np.sqrt(np.bincount(classes, gap * gap) / many)[classes]
    return np.divide(gap, spread, out=np.zeros(len(gap)), where=spread > 1e-12)


def standardised(X: Matrix) -> Matrix:
    """Return columns of variance 1, without those that do not vary and with missing cells at the mean."""
    if not np.isfinite(X).all():
        centre, spread = np.nanmean(X, axis=0), np.nanstd(X, axis=0)
        kept = spread > 0
        return np.nan_to_num((X[:, kept] - centre[kept]) / spread[kept])
    gap = X - X.mean(axis=0)
    spread = np.sqrt((gap * gap).mean(axis=0))
    kept = spread > 0
    Z: Matrix = gap / spread if kept.all() else gap[:, kept] / spread[kept]
    return Z if np.isfinite(Z).all() else np.nan_to_num(Z)


def _in_file(r: Vector, z: Vector, Z: Matrix | None, filed: Codes, levels: Sequence[Codes] | None) -> list[Dependence]:
    """Return the tests of neighbours in the file: of residuals, and of those of numbers their sizes and their products with the inputs.

    ``levels`` are the codes of columns that are no numbers; None where the residuals are not those of a number.
    """
    along = Z is not None and _along_an_input(Z[filed])
    if levels is None:
        return [_in_order(z[filed], along)]
    ranks = np.empty((0, len(z))) if Z is None else _ranks(Z[filed])
    found = [_in_order(z[filed], along, _apart(ranks, [codes[filed] for codes in levels]))]
    found.append(_sizes(r, Z, filed, along))
    if along:
        return found
    found.append(_after_a_season(z[filed]))
    if len(ranks):
        found.append(_in_stretches("slope", ranks * z[filed]))
    return found


def _after_a_season(z: Vector) -> Dependence:
    """Return the clearer test, adjusted for both: rows resemble the one a season before, a chain, or those at their place of blocks."""
    lag, rho, p = season(z)
    length, alike, q, effect = blocks(z)
    both = min(2 * min(p, q), 1.0)
    if q < p:
        return Dependence("season", str(length), alike, both, effect, 1.0)
    return Dependence("season", str(lag), rho, both, max((1 + rho) / max(1 - rho, 1 / len(z)), 1.0), 1.0)


def _sizes(r: Vector, Z: Matrix | None, filed: Codes, along: bool) -> Dependence:
    """Return the test of neighbours in the file for the sizes of residuals; where the file goes along an input, of their normal scores."""
    sizes = np.abs(r)
    if along:
        found = _in_order(_scores(sizes, Z)[filed], True)
    else:
        scores = special.chdtri(1, 1 - shares_below(sizes))
        tried = _near_and_far((scores if Z is None else without_shape(scores, Z))[filed], LONG_STRETCHES)
        found = Dependence("order", "", min(tried)[1], _together([p for p, _ in tried]), 1.0, 1.0)
    return replace(found, name="sizes", effect=max(found.effect, _effect_in_time(np.square(r[filed]))))


def _apart(ranks: Matrix, levels: Sequence[Codes]) -> np.ndarray:
    """Tell which successive rows (n - 1,) lie about as far apart in ranks (p, n) and levels as any two: half the square, or more."""
    gap = 1.5 * np.square(np.diff(ranks)).sum(axis=0)  # of mean 1 for each column
    for codes in levels:
        chance = 1 - np.square(np.bincount(codes) / len(codes)).sum()
        gap += (np.diff(codes) != 0) / max(chance, 1 / len(codes))
    return 2 * gap >= len(ranks) + len(levels)


def _in_file_of_classes(losses: Vector, z: Vector, classes: Codes, Z: Matrix | None, filed: Codes) -> Dependence | None:
    """Return the test of neighbours in the file for losses less the mean of their class, and for losses with the sign of their class.

    In a file that is sorted by class a sign tells nothing, and losses are compared within the classes.
    """
    K = len(np.unique(classes))
    if np.count_nonzero(np.diff(classes[filed])) < K:
        filed = filed[_within(losses, classes)[filed] != 0]
        series = [z]
    else:
        side = np.argsort(np.argsort(-np.bincount(classes, losses))) % 2  # in the order of what they lose
        series = [_scores(np.where(side[classes] == 0, losses, -losses), Z), z]
    if len(filed) < 8:
        return None
    if Z is not None and _along_an_input(Z[filed]):
        found = min((_in_order(s[filed], True) for s in series), key=lambda f: f.p_value)
        return replace(found, p_value=min(len(series) * found.p_value, 1.0))
    return _in_stretches("order", np.stack(series)[:, filed])


def _in_order(z: Vector, along_an_input: bool = False, apart: np.ndarray | None = None) -> Dependence:
    """Return the test of neighbours in the file; where it goes along an input, a shape would make them alike, and (2) is the test.

    Of pairs that lie ``apart`` in the inputs it is also asked whether they avoid each other.
    """
    n = len(z)
    rho = float(z[1:] @ z[:-1]) / max(float(z @ z), 1e-300)
    if along_an_input:
        lags = [1, *FARTHER]
        weights = [1.0] + [-1 / len(FARTHER)] * len(FARTHER)
        value = sum(w * float(z[k:] @ z[:-k]) for k, w in zip(lags, weights, strict=True))
        p = float(special.ndtr(-value / np.sqrt(sum(w * w * (n - k) for k, w in zip(lags, weights, strict=True)))))
        return Dependence("order", "", rho, p if rho > 0 else 1.0, _effect_in_time(z) if rho > 0 else 1.0, 1.0)
    alike = [_levels(z), *_near_and_far(z)]
    p, rho = _together([p for p, _ in alike]), min(alike)[1]
    if apart is not None:
        m = max(int(np.count_nonzero(apart)), 1)
        mean = float((z[1:] * z[:-1])[apart].sum()) / m
        below = float(special.ndtr((mean + 1 / n) * np.sqrt(m)))  # a mean was taken off: -1/n is expected
        p, rho = min((p / ALIKE, rho), (below / (1 - ALIKE), mean))
    return Dependence("order", "", rho, min(p, 1.0), _effect_in_time(z if rho > 0 else z * z), 1.0)


def _together(ps: Sequence[float]) -> float:
    """Return the p-value of some tests that depend on each other, combined as Cauchy variables (Liu and Xie, JASA 115, 2020).

    >>> round(_together([0.003, 0.9]), 3), round(_together([0.003, 0.003]), 3)
    (0.006, 0.003)
    """
    mean = float(np.mean([1 / np.tan(np.pi * min(max(p, 1e-300), 0.99)) for p in ps]))
    return float(np.arctan2(1, mean) / np.pi)


def _levels(z: Vector) -> tuple[float, float]:
    """Return the p-value of the slowest waves of a series, by (4), and the share of its variance that they hold."""
    n = len(z)
    power = slow_waves(z, WAVES)
    return float(special.chdtrc(WAVES, power)), (power - WAVES) / (n - WAVES)


def _in_stretches(kind: Kind, S: Matrix) -> Dependence:
    """Return the test (3) for the clearest of some series (m, n), adjusted for their number."""
    S, ps, rhos = _stretches(S)
    j = int(np.argmin(ps))
    effect = _effect_in_time(S[j]) if rhos[j] > 0 else 1.0
    return Dependence(
        kind, str(j) if kind == "slope" else "", float(rhos[j]), min(len(S) * float(ps[j]), 1.0), effect, 1.0
    )


def _near_and_far(z: Vector, roots: Sequence[float] = STRETCHES) -> list[tuple[float, float]]:
    """Return the p-values of (3) for rows next to each other and for longer stretches, and the correlations."""
    tried = (_stretches(z[None], root) for root in roots)
    return [(float(ps[0]), float(rhos[0])) for _, ps, rhos in tried]


def _stretches(S: Matrix, root: float = 3) -> tuple[Matrix, Vector, Vector]:
    """Return series (m, n) with mean 0 and variance 1, the p-values (m,) of (3) for that root of n, and the weighed correlations (m,)."""
    n = S.shape[1]
    S = S - S.mean(axis=1, keepdims=True)
    S = S / np.maximum(np.sqrt((S * S).mean(axis=1, keepdims=True)), 1e-300)
    w, variance, triples = _window(n, root)
    q = len(w)
    pairs = 1 - np.arange(1, q + 1) / n  # of n
    r = lagged_products(S, 1 << (n + q).bit_length())[:, 1 : q + 1] / n  # (m, q)
    squares = S * S
    value = (r + pairs / n) @ w * np.sqrt(n / (variance * (1 - (squares * squares).mean(axis=1) / n)))
    third = triples + (squares * S).mean(axis=1) ** 2 * (w**3).sum()
    return S, gamma_tail(value, third / np.sqrt(n * (w @ w) ** 3)), r @ w / w.sum()


@lru_cache(maxsize=32)
def _window(n: int, root: float) -> tuple[Vector, float, float]:
    """Return the weights (q,) of (3) for that root of n, and the sums that make the variance, and the skewness of normal values."""
    q = round(n ** (1 / root))
    w = 1 - np.arange(1, q + 1) / (q + 1)
    both = np.concatenate([w[::-1], [0.0], w])
    return w, float((w * w) @ (1 - np.arange(1, q + 1) / n)), float(np.convolve(both, both, "same") @ both)


def _effect_in_time(z: Vector) -> float:
    """Return the design effect of rows in time, with what is uncertain of it: as much larger as Student's quantile is."""
    ratio, dof = inflation(z)
    return max(ratio * (t_quantile(0.95, dof) / normal_quantile(0.95)) ** 2, 1.0)


def _sorted(y: Vector) -> bool:
    """Tell whether numbers rise or fall all along, so that what is left of them is in order, too."""
    steps = np.diff(y)
    return bool((steps >= 0).all() or (steps <= 0).all())


def _along_an_input(Z: Matrix) -> bool:
    """Tell whether rows some places apart are close in some standardised input: von Neumann's ratio, 1 for a random order."""
    return bool((((Z[FARTHER[-1] :] - Z[: -FARTHER[-1]]) ** 2).mean(axis=0) / 2 < SORTED).any())


def _in_groups(kind: Kind, name: str, z: Vector, values: np.ndarray) -> Dependence | None:
    """Return the test (1) for rows that share a value; None where no value repeats, or a single one does."""
    group = _codes(values)
    sizes = np.bincount(group).astype(float)
    G, n = len(sizes), float(len(z))
    if G < 2 or n - G < 2:
        return None
    means = np.bincount(group, z) / sizes
    between = float(sizes @ (means - z.mean()) ** 2) / (G - 1)
    within = float(((z - means[group]) ** 2).sum()) / (n - G)
    m0 = (n - float(sizes @ sizes) / n) / (G - 1)
    rho = (between - within) / max(between + (m0 - 1) * within, 1e-300)
    p = float(special.fdtrc(G - 1, n - G, between / within)) if within > 0 else 0.0
    effect = max(1 + (float(sizes @ sizes) / n - 1) * rho, 1.0)
    return Dependence(kind, name, float(rho), p, effect, float(sizes[sizes > 1].sum() / n))


def _beyond_target(name: str, z: Vector, values: np.ndarray, indicators: Matrix) -> Dependence | None:
    """Return the test (1) for losses of labels and rows that share a value; nothing is shown where the labels themselves are more alike.

    Of a region whose rows are nearly all of one class a classifier loses less than of one where classes are mixed, since it knows the
    region: these are losses of independent rows. Of kin, labels are no more alike than what is lost. Rows of the same sex, or without one,
    may be harder to tell, too: of values over which rows are hardly spread, as kinds of rows are, nothing is asked.
    """
    size = np.bincount(_codes(values)).astype(np.float64)
    if len(z) ** 2 < FEWEST_NAMES * float(size @ size):
        return None
    found = _in_groups("column", name, z, values)
    labels = [_in_groups("column", name, one, values) for one in indicators]
    alike = max((d.correlation for d in labels if d is not None), default=0.0)
    return found if found is None or found.correlation > alike else replace(found, p_value=1.0, effect=1.0)


def _codes(values: np.ndarray) -> Codes:
    if values.dtype == object:
        values = values.astype(str)
    codes: Codes = np.unique(values, axis=0, return_inverse=True)[1].reshape(-1)
    return codes


def _columns_of_names(X: np.ndarray) -> list[int]:
    """Return the columns whose numbers look like names; that a third of the rows repeats a value is asked first."""
    rare = [len(X) - repeats(column) for column in np.ascontiguousarray(X.T)]
    return [j for j, values in enumerate(rare) if FEWEST_NAMES <= values <= 2 * len(X) / 3 and _names(X[:, j])]


def _names(x: np.ndarray) -> bool:
    """Tell whether the numbers of a column look like names: of many values, each for some rows, whole or on no grid.

    A measurement repeats where it was rounded, and then its values lie on a grid. The latitude of a place repeats as the place does.
    """
    if not np.isfinite(x).all():
        return False
    values, sizes = np.unique(x, return_counts=True)
    if len(values) < FEWEST_NAMES or 3 * len(values) > 2 * len(x):
        return False
    if not (x % 1).any():
        return _number_names(sizes)
    steps = (values - values[0]) / np.diff(values).min()
    on_a_grid = np.abs(steps - np.round(steps)).max() < 1e-6 * steps[-1]
    return not on_a_grid


def _number_names(sizes: Codes) -> bool:
    r"""Tell whether whole numbers that occur so often, from the smallest to the largest, may be names.

    A count has few numbers that hold most rows, and those beside a frequent one are frequent, too; so have ages, and codes of an answer.
    The numbers of shops are as frequent as shops are large. Rows are spread over :math:`n^2 / \sum m_g^2` numbers.

    >>> _number_names(np.array([3, 9, 14, 15, 11, 7, 4, 2, 1, 1, 1, 1, 1])), _number_names(np.tile([3, 9, 14, 5], 4))
    (False, True)
    """
    spread = float(sizes.sum()) ** 2 / float(sizes @ sizes)
    if len(sizes) <= DOZEN or spread < FEWEST_NAMES:
        return False
    rank = _ranks(sizes[:, None].astype(np.float64))[0]
    rank -= rank.mean()
    return spread >= MANY_NAMES or float(rank[1:] @ rank[:-1]) <= SMOOTH * float(rank @ rank)


def without_shape(z: Vector, Z: Matrix) -> Vector:
    """Return scores less a cubic in the ranks of each input, or of those that tell most where inputs are many."""
    n, p = Z.shape
    most = n // (3 * ROWS_OF_A_TERM)
    cubics = _cubics_of(Z) if p <= most and n * (3 * p + 1) ** 2 > FEW_PRODUCTS else None
    left = _by_decomposition(z, _ranks(Z), most) if cubics is None else cubics.rest(z)
    spread = float(np.sqrt((left**2).mean()))
    return left / spread if spread > 1e-8 else z


def _by_decomposition(z: Vector, t: Matrix, most: int) -> Vector:
    """Return scores less their projection on cubics in each row of ranks (p, n), or the ``most`` that tell most; these may be dependent."""
    n = t.shape[1]
    powers = np.stack([t.T, t.T * t.T, t.T * t.T * t.T], axis=2)  # (n, p, 3)
    if len(t) > most:
        bases = np.linalg.qr((powers - powers.mean(axis=0)).transpose(1, 0, 2))[0]  # (p, n, 3)
        told = np.square(z @ bases).sum(axis=1)
        powers = powers[:, np.sort(np.argsort(told)[::-1][:most])]
    B = np.column_stack([np.ones(n), powers.reshape(n, -1)])
    return z - B @ np.linalg.lstsq(B, z, rcond=1e-10)[0]


@dataclass(frozen=True, eq=False)
class _Cubics:
    """Legendre's polynomials in the ranks of each input, (3p + 1, n), and the factor of their normal equations."""

    B: Matrix
    normal: Cholesky

    def rest(self, z: Vector) -> Vector:
        """Return scores less their projection: solved twice, so that what is left is exact to rounding."""
        left = z - self.normal.solve(self.B @ z) @ self.B
        return left - self.normal.solve(self.B @ left) @ self.B


def _cubics_of(Z: Matrix) -> _Cubics | None:
    """Return the cubics in the inputs; None where these depend on each other. Those of the last table are remembered."""
    for known, found in _last_cubics[:]:
        if known.shape == Z.shape and np.array_equal(known, Z):
            return found
    t = _ranks(Z)
    square = t * t
    B = np.vstack([np.ones((1, t.shape[1])), t, 1.5 * square - 0.5, (2.5 * square - 1.5) * t])
    cubics = None
    with suppress(SingularProblem):
        normal = Cholesky(B @ B.T)
        cubics = _Cubics(B, normal) if normal.condition < WELL_APART else None
    if B.size <= REMEMBERED:
        _last_cubics[:] = [(Z, cubics)]
    return cubics


_last_cubics: list[tuple[Matrix, _Cubics | None]] = []  # one table is asked for several losses


def _ranks(Z: Matrix) -> Matrix:
    """Return the ranks of the cells in each column, (p, n) from -1 to 1, ties sharing their mean rank."""
    n, p = Z.shape
    rank, places = np.empty((p, n)), np.arange(n) / max(n - 1, 1)
    for own, x in zip(rank, np.ascontiguousarray(Z.T), strict=True):
        order = np.argsort(x)
        ordered = x[order]
        if (ordered[1:] > ordered[:-1]).all():
            own[order] = places
        else:
            _, where, counts = np.unique(x, return_inverse=True, return_counts=True)
            own[:] = ((np.cumsum(counts) - (counts + 1) / 2) / max(n - 1, 1))[where.reshape(-1)]
    rank *= 2
    rank -= 1
    return rank


def _copies(z: Vector, Z: Matrix) -> Dependence | None:
    """Return the test (1) for rows that are equal or nearly equal in all inputs, where chance does not make such rows."""
    if Z.shape[1] < 2:  # points of a line are close to each other
        return None
    some = np.unique(np.linspace(0, Z.shape[1] - 1, SCREEN).astype(int))
    if not repeats(row_bits([column_bits(np.round(Z[:, j] / NEARLY), j) for j in some.tolist()])):
        return None
    cells = np.round(Z / NEARLY) + 0.0
    again, chance = coincidence([column_bits(cells[:, j], j) for j in range(Z.shape[1])], np.arange(len(z)), None)
    return _in_groups("copies", "", z, cells) if again and chance < CHANCE else None


def _named(name: str, z: Vector, x: Vector, seen: Sequence[Matrix], seed: int) -> Dependence | None:
    """Return the test (2) for rows that share a number: against those with the next numbers on both sides.

    The order of names means nothing. Where it does, for the first of the series (k, n) that are ``seen``, or of few numbers for any of
    them, what rows of a number share is a shape.
    """
    if len(z) > MOST_ROWS:
        some = np.random.default_rng(seed).choice(len(z), MOST_ROWS, replace=False)
        z, x, seen = z[some], x[some], [s[:, some] for s in seen]
    plain = _in_groups("column", name, z, x)
    if plain is None:
        return None
    group = _codes(x)
    own, beside, size, around = _by_number(z[None], group)
    asked = seen[:1] if float(size @ size) * MANY_NAMES <= float(len(z)) ** 2 else seen
    kin = plain.correlation > 0 and ((x % 1).any() or not any(_ordered(s, group) for s in asked))
    return replace(plain, p_value=float(special.ndtr((beside - own) / np.sqrt(_spread(size, around)))) if kin else 1.0)


def _by_number(S: Matrix, group: Codes) -> tuple[float, float, Vector, Vector]:
    r"""Return both sums of (2) for series (k, n) of rows with a number, and how many rows have each number, and the next ones.

    With the sums :math:`s_g` of :math:`m_g` rows, and :math:`a_g` rows around, they are
    :math:`\sum_g (s_g^2 - \sum_{i \in g} r_i^2) / (m_g - 1)` and :math:`\sum_g s_g \sum_h s_h / a_g`.
    """
    size = np.bincount(group).astype(np.float64)
    sums = np.array([np.bincount(group, s) for s in S])  # (k, G)
    squares = np.bincount(group, np.square(S).sum(axis=0))
    around = _next_to(size)
    own = ((np.square(sums).sum(axis=0) - squares) / np.maximum(size - 1, 1)).sum()
    beside = ((sums * _next_to(sums)).sum(axis=0) / np.maximum(around, 1)).sum()
    return float(own), float(beside), size, around


def _next_to(a: np.ndarray) -> np.ndarray:
    """Return the sums of the next values on both sides, along the last axis.

    >>> _next_to(np.array([1.0, 2.0, 4.0, 8.0])).tolist()
    [6.0, 13.0, 11.0, 6.0]
    """
    total = np.zeros_like(a)
    for k in range(1, NEXT + 1):
        total[..., k:] += a[..., :-k]
        total[..., :-k] += a[..., k:]
    return total


def _spread(size: Vector, around: Vector, own: bool = True) -> float:
    """Return the variance of (2) for independent values of variance 1; that of rows beside each other alone, without their ``own``."""
    share = 1 / np.maximum(around, 1)
    variance = float((2 * size[size > 1] / (size[size > 1] - 1)).sum()) if own else 0.0
    for k in range(1, NEXT + 1):
        variance += float((size[k:] * size[:-k] * np.square(share[k:] + share[:-k])).sum())
    return max(variance, 1e-300)


def _ordered(S: Matrix, group: Codes) -> bool:
    """Tell whether rows with the next numbers are alike in series (k, n), too: by chance one time in twenty, and much less than kin."""
    S = S - S.mean(axis=1, keepdims=True)
    own, beside, size, around = _by_number(S, group)
    G = S @ S.T / S.shape[1]  # (k, k)
    deviation = np.sqrt(_spread(size, around, own=False) * float((G * G).sum()))
    return beside > max(ORDERED * own, normal_quantile(0.9) * deviation)


def _seen(r: Vector, target: Vector | None, classes: Codes | None) -> list[Matrix]:
    """Return the series (k, n) in which the order of numbers may show: what predictors leave over, and the target, as scores or classes."""
    seen = [normal_scores(r)[None]]
    if classes is not None:
        seen.append((np.unique(classes)[:, None] == classes).astype(np.float64))
    elif target is not None:
        seen.append(normal_scores(target)[None])
    return seen


def _contrast(z: Vector, A: Any) -> float:
    """Return the p-value of (2), for weights A (n, n)."""
    S = (A + A.T).tocsr()
    return float(special.ndtr(-float(z @ (A @ z)) / np.sqrt(max(float((S.data**2).sum()) / 2, 1e-300))))


def _nearest(z: Vector, Z: Matrix, seed: int) -> Dependence | None:
    """Return the test (2) of each row against the nearest other one; where rows lie in clumps, combined with (1) for these.

    None where rows are as near as chance makes them.
    """
    if len(z) < 3 * FAR[1]:
        return None
    if len(z) > MOST_ROWS:
        some = np.random.default_rng(seed).choice(len(z), MOST_ROWS, replace=False)
        z, Z = z[some], Z[some]
    x = np.sort(Z, axis=0)
    gaps = np.diff(x, axis=0)  # (n - 1, p)
    fine: np.ndarray = 2 * np.count_nonzero(gaps, axis=0) >= len(z)
    if not fine.any():  # among cells of few values all rows have some near them
        return None
    Z = Z[:, fine]
    clump = _clumps(Z, _unevenness(x[:, fine], gaps[:, fine]) > UNEVEN)
    n, (first, last) = len(z), FAR
    distance, near = _query(Z, last + 1)
    if clump is None and not _clumped(distance[:, 1:]):
        return None
    from scipy import sparse

    itself = near == np.arange(n)[:, None]
    itself[~itself.any(axis=1), -1] = True  # among many copies a row need not find itself
    near = near[~itself].reshape(n, last)
    weight = np.zeros(last)
    weight[0], weight[first - 1 :] = 1.0, -1 / (last - first + 1)
    A = sparse.csr_matrix((np.tile(weight, n), (np.repeat(np.arange(n), last), near.ravel())), shape=(n, n))
    rho = float(z @ z[near[:, 0]]) / n
    found = Dependence("nearest", "", rho, _contrast(z, A) if rho > 0 else 1.0, 1 + max(rho, 0.0), 1.0)
    shared = None if clump is None else _in_groups("clumps", "", z, clump)
    if shared is None:
        return found
    return replace(max(shared, found, key=lambda d: d.effect), p_value=_together([shared.p_value, found.p_value]))


def _clumps(Z: Matrix, uneven: np.ndarray) -> Codes | None:
    """Return which clump each row (n,) lies in, alone perhaps; None where as few rows do as chance explains.

    They are looked for in all columns, and in the uneven ones: what rows of a town share is a place, no more.
    """
    asked = [Z, Z[:, uneven]] if 0 < uneven.sum() < len(uneven) else [Z]
    found = [clump for clump in map(_joined, asked) if _in_company(clump) >= FEWEST_IN_CLUMPS]
    return max(found, key=_in_company, default=None)


def _unevenness(x: Matrix, gaps: Matrix) -> Vector:
    r"""Return how far sorted columns (n, p) are from a smooth density, in standard deviations: Moran's statistic, of gaps near each other.

    Of :math:`N` exponential gaps :math:`g`, :math:`\log(\bar g / g_i)` has mean :math:`\gamma - 1 / 2N`, and a mean of :math:`n` such
    logarithms along a column the standard deviation :math:`0.8 / \sqrt n`.
    """
    mean = (x[AROUND:] - x[:-AROUND]) / AROUND
    gap = gaps[AROUND // 2 :][: len(mean)]
    less = np.log(np.divide(mean, gap, out=np.ones_like(mean), where=gap > 0)).mean(axis=0)
    uneven: Vector = (less - np.euler_gamma + 0.5 / AROUND) * np.sqrt(len(mean)) / 0.8
    return uneven


def _joined(Z: Matrix) -> Codes:
    """Return which clump each row (n,) lies in: rows that are near to each other, before the distances jump as (5) says, are joined."""
    n, last = len(Z), FAR[1]
    distance, near = _query(Z, last + 1)
    d = distance[:, 1:]
    if np.count_nonzero(d[:, 0] > NEARLY) < 0.9 * n:  # cells of few values: nearest rows are equal, or nearly
        return np.arange(n)
    log = np.log(np.maximum(d, d[d > 0].min()))
    jump: Matrix = _dimension(d) * np.arange(1, last) * np.diff(log, axis=1)  # (n, 29)
    far = jump > JUMP
    if far.any(axis=1).mean() < FEWEST_IN_CLUMPS:  # no jump, no company
        return np.arange(n)
    from scipy import sparse
    from scipy.sparse.csgraph import connected_components

    size = np.where(far.any(axis=1), far.argmax(axis=1) + 2, 1)  # itself among them
    A = sparse.csr_matrix(
        (np.ones(size.sum()), near[np.arange(last + 1) < size[:, None]], np.append(0, np.cumsum(size))), shape=(n, n)
    )
    clump: Codes = connected_components(A.multiply(A.T), directed=False)[1]
    return clump


def _in_company(clump: Codes) -> float:
    """Return the share of rows that are not alone in their clump."""
    size = np.bincount(clump)
    return float(size[size > 1].sum() / len(clump))


_last: list[tuple[Matrix, int, tuple[Matrix, Codes]]] = []  # the tables searched last: one is asked for several losses


def _query(Z: Matrix, k: int) -> tuple[Matrix, Codes]:
    """Return the distances (n, k) and the numbers of the k nearest rows of each row, itself among them.

    >>> _query(np.array([[0.0], [3.0], [4.0]]), 2)[1].tolist()
    [[0, 1], [1, 2], [2, 1]]
    """
    for known, many, found in _last[:]:
        if many == k and known.shape == Z.shape and np.array_equal(known, Z):
            return found
    found = _searched(Z, k)
    _last[:] = [(Z, k, found), *_last[:1]]
    return found


def _searched(Z: Matrix, k: int) -> tuple[Matrix, Codes]:
    n, p = Z.shape
    if n * n * p > FEW_PAIRS and p >= MANY_INPUTS:
        return _by_products(Z, k)
    if n * n * p > FEW_PAIRS:
        from scipy.spatial import cKDTree

        distance, near = cKDTree(Z).query(Z, k, workers=free_threads())
        return distance, near
    squares = np.zeros((n, n))
    for x in Z.T:
        squares += (x[:, None] - x) ** 2
    near = np.argsort(squares, axis=1, kind="stable")[:, :k]
    return np.sqrt(np.take_along_axis(squares, near, axis=1)), near


def _by_products(Z: Matrix, k: int) -> tuple[Matrix, Codes]:
    r"""Return the same from products of rows, some at a time: among many inputs a tree of boxes tells little.

    Products in float32 give :math:`s_j = \|z_j\|^2 - 2 q^\top z_j`, which ranks the rows as their distance from :math:`q` does, to
    within :math:`\epsilon = 3 (p + 8)\, 2^{-23} \max_j \|z_j\|^2`. The k-th smallest of the least of some groups of rows is no smaller
    than the k-th smallest of all, so that rows more than :math:`2 \epsilon` above it are not among the nearest; the others are told
    apart by their differences in float64, equal ones by their number.
    """
    n, p = Z.shape
    squares = np.einsum("ij,ij->i", Z, Z)
    wide = np.column_stack([Z, squares]).T.astype(np.float32)  # (p + 1, n)
    slack = 6 * (p + 8) * 2.0**-23 * float(squares.max(initial=0.0))
    groups = min(GROUPS * k, n)
    each = n // groups

    def nearest(start: int) -> tuple[Matrix, Codes]:
        own = Z[start : start + ROWS_AT_ONCE]
        m = len(own)
        s = np.column_stack([-2 * own, np.ones(m)]).astype(np.float32) @ wide  # (m, n)
        least = s[:, : groups * each].reshape(m, each, groups).min(axis=1)
        bound = np.partition(least, k - 1, axis=1)[:, k - 1 : k] + np.float32(slack)
        row, who = np.divmod(np.flatnonzero(s <= bound), n)
        many = np.bincount(row, minlength=m)
        if many.max() > MOST_NEAR * k:  # cells of few values: most rows are as near as the others
            told = squares - 2 * own @ Z.T
            some = np.sort(np.argpartition(told, k + 2, axis=1)[:, : k + 3], axis=1)  # rounding may swap the last ones
            distance = ((own[:, None] - Z[some]) ** 2).sum(axis=2)
        else:
            place = np.arange(len(row)) - np.repeat(np.cumsum(many) - many, many)
            some, distance = np.zeros((m, many.max()), dtype=np.intp), np.full((m, many.max()), np.inf)
            some[row, place], distance[row, place] = who, _squared_gaps(own, row, Z, who)
        order = np.argsort(distance, axis=1, kind="stable")[:, :k]
        return np.sqrt(np.take_along_axis(distance, order, axis=1)), np.take_along_axis(some, order, axis=1)

    with one_blas_thread():
        parts = list(in_order(nearest, range(0, n, ROWS_AT_ONCE)))
    return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])


def _squared_gaps(A: Matrix, row: Codes, B: Matrix, who: Codes) -> Vector:
    """Return the squared distances of pairs of rows, some at a time: what is between stays in the cache."""
    found = np.empty(len(row))
    for i in range(0, len(row), PAIRS_AT_ONCE):
        gap = B[who[i : i + PAIRS_AT_ONCE]]
        gap -= A[row[i : i + PAIRS_AT_ONCE]]
        gap *= gap
        found[i : i + PAIRS_AT_ONCE] = gap.sum(axis=1)
    return found


def _clumped(distance: Matrix) -> bool:
    """Tell whether nearest rows, of distances (n, 30), lie closer together than points of a smooth density do."""
    first = FAR[0]
    d = distance[(distance[:, 0] > 0) & (distance[:, -1] > distance[:, first - 1])]
    if len(d) < 0.9 * len(distance):  # cells of few values: nearest rows are equal
        return False
    return bool(_dimension(d) * np.log(d[:, first - 1] / d[:, 0]).mean() > CLUMPED * HARMONIC[first - 2])


def _dimension(d: Matrix) -> float:
    """Return the dimension of a smooth density that has the distances (n, 30) from the eleventh on."""
    first, last = FAR
    outside = (HARMONIC[last - 2] - HARMONIC[first - 2 : last - 2]).mean()  # of m log (d_b / d_a), H(b - 1) - H(a - 1)
    return float(outside / max(np.log(d[:, -1:] / d[:, first - 1 : -1]).mean(), 1e-300))
