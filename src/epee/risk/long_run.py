r"""The variance of a mean of values that follow each other in time: how many times that of independent ones.

The spectral density at zero of an autoregression replaces :math:`s^2`. Losses are a signal in noise, each resembles its neighbours a
little and for long, as no autoregression of few terms does: its order is :math:`p = n^{1/3}`, whatever the sample shows. With
:math:`\pi_k` the partial correlations,

.. math:: \frac{\sigma^2}{s^2} = \prod_{k \le p} \frac{1 - \pi_k^2}{(1 - \tilde\pi_k)^2}, \qquad
          \tilde\pi_k = \pi_k + \frac{1 + b_k + (k + 2)\, \pi_k}{n}, \qquad \nu = \frac{n}{2p}, \tag{1}

where :math:`b_k` is 1 for even :math:`k`, else 0, so that :math:`\tilde\pi` is free of the bias of a sample (Shaman and Stine), and
:math:`\nu` are the degrees of freedom of that variance: the variance of its logarithm is :math:`4p / n` (Berk), that of a
:math:`\chi^2_\nu / \nu` is :math:`2 / \nu`.

What returns after a year or a week lies beyond so few terms. Of :math:`s_i`, what the autoregression leaves over of the normal scores, the
clearest correlation at one distance,

.. math:: r = \max_{p < k \le n/4} r_k, \qquad r_k = \frac{1}{n - k} \sum_i s_i s_{i+k}, \qquad
          \bigl(r_k + \tfrac1n\bigr) \sqrt{\frac{n - k}{1 - \mathrm{E}\, s^4 / n}}
          \approx \Gamma\Bigl(\gamma = \frac{\mathrm{E}[s^3]^2}{\sqrt{n - k}}\Bigr), \tag{2}

of Gamma's law of mean 0, variance 1 and skewness :math:`\gamma`, adjusted for their number (Šidák), is a *season* where independence is
refuted at 5 %; (1) is then multiplied by :math:`(1 + r) / (1 - r)`, as by an autoregression of one term, that of the row a season ago.
Ranks are taken before the autoregression, not after it: what that leaves over of tied values, as of rates, differs by what came before
them alone, and ranks would make neighbours alike by that. Few rows that err make :math:`r_k` skewed.

What lasts for a large part of the series no autoregression of so few terms sees: the size of the errors of a market, a little alike from
one day to the next, and for weeks. The slowest waves do, each an estimate of the same :math:`\sigma^2` with one degree of freedom,

.. math:: \frac{\sigma^2}{s^2} = \frac1B \sum_{k \le B} \frac{2}{n s^2} \Bigl(\sum_i x_i \cos \frac{\pi k (i - \frac12)}{n}\Bigr)^2, \qquad
          \nu = B = 6, \tag{3}

and :math:`B\, \sigma^2 / s^2` has the law :math:`\chi^2_B` where values are independent. So few degrees of freedom make a long bar: (3) is
asked only where that law is refuted at 15 %, and counts where it is larger than (1). Where it is half as large again, values come in *long
bursts*, of which few were seen.

Where a file holds one block of rows after another and rows at one place of their blocks share a shock, as shops do in a month, all
distances :math:`jL` say the same. With :math:`P_L` pairs of rows :math:`jL` apart, and :math:`\rho` their mean correlation,

.. math:: \rho = \frac{1}{P_L} \sum_{j} (n - jL)\, r_{jL}, \qquad
          \frac{\mathrm{SS}_{places}}{\mathrm{SS}} \approx \frac{1 + 2 \rho\, P_L / n}{n / L}
          \sim \mathrm{Beta}\Bigl(\frac{L - 1}{2}, \frac{n - L}{2}\Bigr), \tag{4}

the law of an analysis of variance between the :math:`L` places, here with the spread that :math:`\rho` has. Of skewed values that law is
more skewed by :math:`\mathrm{E}[s^3]^2 / \sqrt{P_L}`, as if places were fewer. The clearest of all :math:`p < L \le n/4` is adjusted as
(2) is, and :math:`1 + 2 \rho\, P_L / n`, which is :math:`1 + (m - 1) \rho` for :math:`m` blocks, is its design effect.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from epee.risk.normal_scores import normal_scores
from epee.typing import Vector

SLOWEST, SHOWN = 6, 0.15  # waves of a series, and where independence is refuted
BURSTS = 1.5  # times (1) that (3) is in long bursts
SEASONS = 4  # that a series must hold, so that one is looked for
RETURNS = 0.05  # where independence of the row a season ago is refuted

Bar = tuple[float, float]  # times the variance of independent values, and degrees of freedom


def inflation(series: Vector) -> Bar:
    """Return by how much dependence in time multiplies the variance of a mean, and the degrees of freedom of that, by (1) or (3).

    References
    ----------
    Lazarus, Lewis, Stock and Watson, "HAR inference: recommendations for practice", *Journal of Business & Economic Statistics* 36, 2018.

    >>> rng = np.random.default_rng(0); e = np.zeros(4000)
    >>> for i in range(1, 4000): e[i] = 0.8 * e[i - 1] + rng.normal()
    >>> bool(0.7 < inflation(rng.normal(size=4000))[0] < 1.4), bool(7 < inflation(e)[0] < 11)      # 9 in theory
    (True, True)
    """
    near, slow = _near(series), _slow(series)
    return near if slow is None or slow[0] < near[0] else slow


def in_bursts(series: Vector) -> bool:
    """Tell whether values come in bursts so long that a sample holds few of them, by (3)."""
    slow = _slow(series)
    return slow is not None and slow[0] > BURSTS * _near(series)[0]


def season(series: Vector) -> tuple[int, float, float]:
    """Return after how many values a series most clearly returns to itself, its correlation, and the p-value of independence, by (2).

    >>> rng = np.random.default_rng(0); e = rng.normal(size=144)
    >>> for i in range(12, 144): e[i] += 0.7 * e[i - 12]
    >>> lag, r, p = season(e)
    >>> lag, p < 0.001
    (12, True)
    """
    n = len(series)
    lags = np.arange(_order(n) + 1, n // SEASONS + 1)
    if not len(lags) or not np.ptp(series) > 0:
        return 0, 0.0, 1.0
    z = _innovations(series)
    m, wide = len(z), 1 << int(1.25 * n).bit_length()
    r = lagged_products(z, wide)[lags] / (m - lags) + 1 / m
    p = gamma_tail(r * np.sqrt((m - lags) / _variance(z)), (z**3).mean() ** 2 / np.sqrt(m - lags))
    j = int(np.argmin(p))
    return int(lags[j]), float(r[j]), _of_many(float(p[j]), len(lags))


def blocks(series: Vector) -> tuple[int, float, float, float]:
    """Return the length of blocks whose values at one place are most clearly alike, by (4): their correlation, p-value and design effect.

    >>> rng = np.random.default_rng(0); month = np.tile(rng.normal(size=40), 6)
    >>> length, rho, p, effect = blocks(month + rng.normal(size=240))
    >>> length, p < 0.001, bool(2 < effect < 5)                                              # 3.5 in theory
    (40, True, True)
    """
    n = len(series)
    lengths = np.arange(_order(n) + 1, n // SEASONS + 1)
    if not len(lengths) or not np.ptp(series) > 0:
        return 0, 0.0, 1.0, 1.0
    z = _innovations(series)
    m = len(z)
    c = lagged_products(z, 1 << (2 * m).bit_length())[:m]
    last = (m - 1) // lengths
    pairs = m * last - lengths * last * (last + 1) / 2
    alike = np.zeros(len(lengths))
    for j in range(1, int(last[0]) + 1):
        part = c[j * lengths[0] :: j][: len(lengths)]  # j lengths apart
        alike[: len(part)] += part
    rho = alike / (pairs * max(c[0], 1e-300) / m) + 1 / (m - 1)
    a, b = (lengths - 1) / 2, (m - lengths) / 2  # of the law of the share that the places make of the spread
    skewness = 2 * (b - a) * np.sqrt((a + b + 1) / (a * b)) / (a + b + 2)
    a = a / (1 + (z**3).mean() ** 2 / (np.sqrt(pairs) * skewness)) ** 2
    apart = rho * np.sqrt(pairs * lengths / ((lengths - 1) * _variance(z)))  # in standard deviations
    share = (a + apart * np.sqrt(a * b / (a + b + 1))) / (a + b)
    p = special.betainc(b, a, np.clip(1 - share, 0.0, 1.0))
    j = int(np.argmin(p))
    effect = 1 + 2 * float(pairs[j]) / m * float(rho[j])
    return int(lengths[j]), float(rho[j]), _of_many(float(p[j]), len(lengths)), max(effect, 1.0)


def gamma_tail(values: Vector, skewness: Vector) -> Vector:
    """Return the chance of more than each value by the law of Gamma of mean 0, variance 1 and a skewness that is not negative.

    >>> gamma_tail(np.full(2, 3.0), np.array([0.0, 2.0])).round(4)                           # normal, and exponential
    array([0.0014, 0.0183])
    """
    shape = 4 / np.maximum(skewness, 1e-4) ** 2
    chance: Vector = special.gammaincc(shape, np.maximum(shape + values * np.sqrt(shape), 0.0))
    return chance


def _innovations(series: Vector) -> Vector:
    """Return what the autoregression leaves over of normal scores, of mean 0 and variance 1."""
    x, n, order = normal_scores(series), len(series), _order(len(series))
    phi = _autoregression(x)[0]
    z = x[order:] - sum(phi[k - 1] * x[order - k : n - k] for k in range(1, order + 1))
    z = z - z.mean()
    return z / max(float(np.sqrt((z * z).mean())), 1e-300)


def _variance(z: Vector) -> float:
    """Return that of a correlation of standardised values in a random order, times their number."""
    return max(1 - float((z**4).mean()) / len(z), 1e-300)


def lagged_products(z: np.ndarray, wide: int) -> np.ndarray:
    """Return the sums of products of values so many places apart, as far as ``wide`` exceeds their number; of each series (..., n).

    >>> lagged_products(np.array([1.0, 2.0, 4.0]), 6)[:3].round(9)
    array([21., 10.,  4.])
    """
    products: np.ndarray = np.fft.irfft(np.square(np.abs(np.fft.rfft(z, wide))), wide)
    return products


def _of_many(p: float, many: int) -> float:
    """Return the smallest p-value of many, adjusted by Šidák."""
    return float(-np.expm1(many * np.log1p(-min(p, 1 - 1e-12))))


def slow_waves(series: Vector, many: int) -> float:
    r"""Return the power of the slowest waves of a series as (3) has it, times their number: :math:`\chi^2` for independent values.

    >>> round(slow_waves(np.cos(np.pi * (np.arange(100) + 0.5) / 100), 3), 6)
    100.0
    """
    n = len(series)
    x = series - series.mean()
    waves = np.cos(np.outer(np.arange(1, many + 1), np.pi * (np.arange(n) + 0.5) / n))  # (many, n)
    return 2 * float(np.square(waves @ x).sum()) / max(float(x @ x), 1e-300)


def _order(n: int) -> int:
    return round(n ** (1 / 3))


def _autoregression(x: Vector) -> tuple[Vector, float, float]:
    """Return the terms (p,) of a centred series, the share of the variance that they leave, and one minus their sum without its bias."""
    n, order = len(x), _order(len(x))
    variance = float(x @ x) / n
    r = np.array([1.0, *(float(x[k:] @ x[:-k]) / n / variance for k in range(1, order + 1))])
    phi, left, gap = np.empty(0), 1.0, 1.0
    for k in range(1, order + 1):  # Durbin's and Levinson's recursion
        last = (r[k] - phi @ r[k - 1 : 0 : -1]) / left
        phi = np.append(phi - last * phi[::-1], last)
        left *= max(1 - last**2, 1e-12)
        gap *= 1 - last - (2 - k % 2 + (k + 2) * last) / n
    return phi, left, gap


def _near(series: Vector) -> Bar:
    """Return the bar (1), of values that resemble those next to them, and by (2) those a season ago.

    References
    ----------
    Berk, "Consistent autoregressive spectral estimates", *The Annals of Statistics* 2, 1974.
    Shaman and Stine, "The bias of autoregressive coefficient estimators", *Journal of the American Statistical Association* 83, 1988.
    """
    x = series - series.mean()
    n = len(x)
    if n < 8 or not float(x @ x) / n > 0:
        return 1.0, np.inf
    _, left, gap = _autoregression(x)
    _, r, p = season(series)
    returns = (1 + r) / max(1 - r, 2 / n) if p < RETURNS else 1.0
    return float(min(returns * left / max(gap, 2 / n) ** 2, n / 2)), n / (2 * _order(n))


def _slow(series: Vector) -> Bar | None:
    """Return the bar (3); None where the slowest waves hold no more than chance gives them."""
    power = slow_waves(series, SLOWEST)
    if len(series) < 2 * SLOWEST or special.chdtrc(SLOWEST, power) > SHOWN:
        return None
    return power / SLOWEST, float(SLOWEST)
