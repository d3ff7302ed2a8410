"""The small worlds that the labs draw from: their truth is known, so the expected prediction error can be computed."""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.typing import Matrix, Vector


def wave(x: Vector) -> Vector:
    """Return the true curve of the regression labs, on [0, 1]."""
    return np.sin(2 * np.pi * x) + 0.8 * x


def noisy_wave(n: int, sigma: float, draw: int) -> tuple[Vector, Vector]:
    """Return n inputs spread over [0, 1], one at random in each nth of it, and noisy outputs of :func:`wave`."""
    rng = np.random.default_rng(1000 + draw)
    x = (np.arange(n) + rng.uniform(0, 1, n)) / n
    return x, wave(x) + sigma * rng.standard_normal(n)


WAVE = """rng = np.random.default_rng({seed})
x = (np.arange({n}) + rng.uniform(0, 1, {n})) / {n}  # {spread}
y = np.sin(2 * np.pi * x) + 0.8 * x + {sigma} * rng.standard_normal({n})"""

MOONS = """n = {n}
y = np.arange(n) % 2
t = np.pi * rng.uniform(0, 1, n)
X = np.c_[np.where(y, 1 - np.cos(t), np.cos(t)), np.where(y, 0.4 - np.sin(t), np.sin(t))]
X = X + {noise} * rng.standard_normal((n, 2))"""

CLOUD = "rng.standard_normal(({n}, 2)) @ np.linalg.cholesky({covariance}).T + {mean}"


def wave_lines(n: int, sigma: float, draw: int, spread: str) -> str:
    """Return the Python lines that draw what :func:`noisy_wave` draws."""
    return WAVE.format(seed=1000 + draw, n=n, sigma=sigma, spread=spread)


def moons_lines(n: int | str, noise: float) -> str:
    """Return the Python lines that draw what :func:`moons` draws from ``rng``."""
    return MOONS.format(n=n, noise=noise)


def cloud_lines(mean: tuple[float, float], covariance: Matrix, n: int | str) -> str:
    """Return the Python expression that draws what :func:`cloud` draws from ``rng``."""
    return CLOUD.format(n=n, mean=list(mean), covariance=np.round(covariance, 15).tolist())


def turned(long: float, short: float, degrees: float) -> Matrix:
    """Return the covariance of a cloud with two standard deviations, turned by an angle."""
    angle = np.deg2rad(degrees)
    R = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return (R * [long**2, short**2]) @ R.T


def cloud(rng: np.random.Generator, mean: tuple[float, float], covariance: Matrix, n: int) -> Matrix:
    """Return n points of a normal law in the plane."""
    return rng.standard_normal((n, 2)) @ np.linalg.cholesky(covariance).T + np.asarray(mean)


def moons(n: int, noise: float, rng: np.random.Generator) -> tuple[Matrix, np.ndarray]:
    """Return two crescents, n points in all, and their labels 0 and 1."""
    y = np.arange(n) % 2
    t = np.pi * rng.uniform(0, 1, n)
    X = np.c_[np.where(y, 1 - np.cos(t), np.cos(t)), np.where(y, 0.4 - np.sin(t), np.sin(t))]
    return X + noise * rng.standard_normal((n, 2)), y


def nested_polynomials(x: Vector, y: Vector, highest: int, grid: Vector) -> tuple[Matrix, Matrix, Matrix]:
    """Return fits, leverages (n, degrees) and curves on a grid (g, degrees) of all degrees up to the highest, from one QR.

    The columns of Q are orthogonal, so a higher degree only adds a term; the leverage of degree d is the sum of the first squares.
    """
    Q, R = np.linalg.qr(np.polynomial.legendre.legvander(2 * x - 1, highest))  # (n, d), (d, d)
    parts = Q * (Q.T @ y)
    on_grid = np.linalg.solve(R.T, np.polynomial.legendre.legvander(2 * grid - 1, highest).T).T * (Q.T @ y)
    return parts.cumsum(axis=1), (Q**2).cumsum(axis=1), on_grid.cumsum(axis=1)


def made(line: str, **names: Any) -> Any:
    """Return what a line to take away makes: the lab runs the very line that it shows.

    >>> made("2 * x", x=3)
    6
    """
    import epee

    return eval(line, {"epee": epee, "np": np, **names})
