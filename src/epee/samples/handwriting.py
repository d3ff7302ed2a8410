"""Handwritten digits as images, at their own size or larger.

The table ``digits`` holds 1,797 digits of 8 x 8 pixels with 17 grey levels. Larger images are made from them by cubic splines:
strokes stay where they are and edges get smooth, so that an image of 28 x 28 has 784 columns and no more to say than before.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from epee.errors import WrongUse
from epee.samples.catalogue import path

SIDE = 8


class Digits(NamedTuple):
    """Images (n, size, size) between 0 (paper) and 1 (ink), and the digit that each shows (n,)."""

    images: np.ndarray
    labels: np.ndarray

    @property
    def rows(self) -> np.ndarray:
        """The images as rows (n, size²)."""
        return self.images.reshape(len(self.images), -1)


def digits(size: int = SIDE, *, only: Any = None, n: int | None = None, random_state: Any = 0) -> Digits:
    """Return handwritten digits as images.

    Parameters
    ----------
    size : int >= 8, default=8
        Height and width in pixels: 8 are the originals, 28 and 64 the sizes of the course.
    only : sequence of digits, optional
        Which digits; all by default.
    n : int, optional
        How many, drawn without replacement and kept in the order of the table; all by default.
    random_state : int
        Seed of that draw.

    Examples
    --------
    >>> small = digits()
    >>> small.images.shape, digits(28, only=[3, 8], n=20).rows.shape
    ((1797, 8, 8), (20, 784))
    """
    if int(size) != size or size < SIDE:
        raise WrongUse(
            f"size is {size!r}; the originals have {SIDE} pixels a side, and larger images are made from them."
        )
    table = _table()
    labels, images = table[:, -1].astype(int), table[:, :-1].reshape(-1, SIDE, SIDE) / 16.0
    rows = np.arange(len(labels))
    if only is not None:
        wanted = np.asarray(list(only))
        if not np.isin(wanted, np.arange(10)).all() or not len(wanted):
            raise WrongUse(f"only is {only!r}; give digits from 0 to 9.")
        rows = rows[np.isin(labels, wanted)]
    if n is not None:
        if not 1 <= n <= len(rows):
            raise WrongUse(f"n is {n!r}; there are {len(rows)} of these digits.")
        rows = np.sort(np.random.default_rng(random_state).choice(rows, int(n), replace=False))
    chosen = images[rows]
    return Digits(chosen if size == SIDE else _enlarged(chosen, int(size)), labels[rows])


def _table() -> np.ndarray:
    """Return the rows of the table as numbers (1797, 65), the digit last."""
    import gzip

    with gzip.open(path("digits"), "rt", encoding="ascii") as file:
        next(file)
        return np.loadtxt(file, delimiter=",", dtype=np.float64)


def _enlarged(images: np.ndarray, size: int) -> np.ndarray:
    """Return images at another size, each pixel a cubic spline of its neighbours, no darker than ink."""
    from scipy.ndimage import zoom

    grown = zoom(images, (1, size / SIDE, size / SIDE), order=3, mode="grid-constant", grid_mode=True, cval=0.0)
    return np.clip(grown, 0.0, 1.0)
