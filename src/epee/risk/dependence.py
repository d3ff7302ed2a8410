r"""Do rows belong together without saying so? Looked for in what predictors leave over.

Rows that are independent given their inputs have out-of-fold residuals :math:`r_i` that resemble each other no more than chance makes them.
Four ways of being near are tried: being copies (all inputs equal, or nearly), following each other in the file, sharing the value of a
column that repeats (an identifier, a place, a day), being nearest in the inputs. For values in groups :math:`g` of sizes :math:`m_g` the
variance splits into between and within,

.. math:: F = \frac{B}{W}, \qquad \rho = \frac{B - W}{B + (m_0 - 1) W}, \qquad
          m_0 = \frac{1}{G - 1} \Bigl(n - \frac{\sum m_g^2}{n}\Bigr), \tag{1}

with :math:`B, W` the mean squares; :math:`\rho` is the intraclass correlation, and by its *design effect*
:math:`1 + (\sum m_g^2 / n - 1)\, \rho` the variance of a mean over rows is larger than independent rows would make it. For
neighbours in order the test is that of the first autocorrelation and the effect that of an autoregression
(:mod:`epee.risk.units`); for nearest rows :math:`z = \sum_i r_i r_{\nu(i)} / \sqrt{n + n_{mutual}}`, since a pair that is mutually
nearest counts twice. Residuals are replaced by normal scores, so heavy tails do not matter. Of all tries the p-values are adjusted by
Holm's rule.

Resemblance of nearest rows may also mean that the predictor misses a shape. Both make its error bars too short; only the user can tell
which it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from scipy import special

from epee.errors import DataError
from epee.risk.paired_tests import holm
from epee.risk.units import inflation
from epee.typing import Codes, Matrix, Vector

MOST_ROWS = 5_000  # nearest rows are looked for among so many
NEARLY = 1e-3  # rows are nearly equal when all inputs agree to this share of a standard deviation
Kind = Literal["copies", "order", "column", "nearest"]


@dataclass(frozen=True)
class Dependence:
    """One way in which rows may belong together.

    Attributes
    ----------
    kind : {"copies", "order", "column", "nearest"}
    name : str
        The column, for "column".
    correlation : float
        Of the residuals of two rows that are near in this way.
    p_value : float
        Of independence, adjusted for all ways that were tried.
    effect : float
        Design effect: by how much the variance of a mean over rows is larger than that of independent rows, at least 1.
    share : float
        Of the rows, how many have another one near.
    """

    kind: Kind
    name: str
    correlation: float
    p_value: float
    effect: float
    share: float

    def shown(self, level: float = 0.01) -> bool:
        """Tell whether independence is refuted at a level, and rows resemble rather than avoid each other."""
        return self.p_value < level and self.correlation > 0


def dependence(
    residuals: Vector,
    X: Matrix | None = None,
    *,
    columns: Sequence[tuple[str, Any]] = (),
    order: Any = None,
    seed: int = 0,
) -> list[Dependence]:
    """Return what was tried, from the most to the least certain dependence.

    Parameters
    ----------
    residuals : array (n,)
        Out-of-fold: what was observed minus what was predicted, or losses.
    X : array (n, p), optional
        Inputs as numbers, for copies and nearest rows.
    columns : pairs of name and values, optional
        Columns of any kind; those whose values repeat are tried. Give those that are no inputs, too.
    order : array (n,), optional
        Places of the rows; None is their order here.
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
    r = np.asarray(residuals, dtype=np.float64)
    if r.ndim != 1 or len(r) < 8:
        raise DataError(f"the residuals have shape {r.shape}; dependence is looked for in a vector of at least 8.")
    seen = np.isfinite(r)
    scores = np.full(len(r), np.nan)
    scores[seen] = normal_scores(r[seen])
    place = np.argsort(np.arange(len(r)) if order is None else np.asarray(order), kind="stable")
    found: list[Dependence | None] = [_in_order(scores[place][np.isfinite(scores[place])])]
    found += [_in_groups("column", name, scores[seen], np.asarray(values)[seen]) for name, values in columns]
    if X is not None:
        Z = standardised(np.asarray(X, dtype=np.float64)[seen])
        found += [_in_groups("copies", "", scores[seen], np.round(Z / NEARLY)), _nearest(scores[seen], Z, seed)]
    tried = [f for f in found if f is not None]
    adjusted = holm(np.array([f.p_value for f in tried]))
    tried = [replace(f, p_value=float(p)) for f, p in zip(tried, adjusted, strict=True)]
    return sorted(tried, key=lambda f: (f.p_value, -f.effect))


def design_effect(found: Sequence[Dependence], level: float = 0.01) -> float:
    """Return the largest design effect of the dependences that are shown, 1 when none is.

    >>> design_effect([])
    1.0
    """
    return max((f.effect for f in found if f.shown(level)), default=1.0)


def normal_scores(r: Vector) -> Vector:
    """Return normal quantiles of the ranks of values, ties sharing their mean rank, of mean 0 and variance 1."""
    _, where, counts = np.unique(r, return_inverse=True, return_counts=True)
    rank = np.cumsum(counts) - (counts - 1) / 2  # (values,)
    z = special.ndtri((rank - 0.5) / len(r))[where.reshape(-1)]
    z = z - z.mean()
    spread = float(np.sqrt((z**2).mean()))
    return z / spread if spread > 0 else z


def standardised(X: Matrix) -> Matrix:
    """Return columns of variance 1, without those that do not vary and with missing cells at the mean."""
    centre, spread = np.nanmean(X, axis=0), np.nanstd(X, axis=0)
    kept = spread > 0
    return np.nan_to_num((X[:, kept] - centre[kept]) / spread[kept])


def _in_order(z: Vector) -> Dependence:
    n = len(z)
    rho = float(z[1:] @ z[:-1]) / max(float(z @ z), 1e-300)
    p = float(special.ndtr(-(rho + 1 / n) * np.sqrt(n)))  # a mean was taken off: -1/n is expected
    return Dependence("order", "", rho, p, inflation(z) if rho > 0 else 1.0, 1.0)


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


def _codes(values: np.ndarray) -> Codes:
    if values.dtype == object:
        values = values.astype(str)
    codes: Codes = np.unique(values, axis=0, return_inverse=True)[1].reshape(-1)
    return codes


def _nearest(z: Vector, Z: Matrix, seed: int) -> Dependence | None:
    """Return the test of each row against the nearest other one."""
    if not Z.shape[1]:
        return None
    from scipy.spatial import cKDTree

    if len(z) > MOST_ROWS:
        some = np.random.default_rng(seed).choice(len(z), MOST_ROWS, replace=False)
        z, Z = z[some], Z[some]
    n = len(z)
    near = cKDTree(Z).query(Z, 2)[1]
    nearest = np.where(near[:, 0] == np.arange(n), near[:, 1], near[:, 0])
    mutual = int((nearest[nearest] == np.arange(n)).sum())
    rho = float(z @ z[nearest]) / n
    p = float(special.ndtr(-(rho + 1 / n) * n / np.sqrt(n + mutual)))
    return Dependence("nearest", "", rho, p, 1 + max(rho, 0.0), 1.0)
