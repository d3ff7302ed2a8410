"""Values by their ranks alone: as those of a normal law would be, so that heavy tails do not matter."""

from __future__ import annotations

import numpy as np
from scipy import special

from epee.typing import Vector


def normal_scores(r: Vector) -> Vector:
    """Return normal quantiles of the ranks of values, ties sharing their mean rank, of mean 0 and variance 1.

    >>> normal_scores(np.array([5.0, 1e9, -2.0])).round(3)
    array([ 0.   ,  1.225, -1.225])
    """
    z = special.ndtri(shares_below(r))
    z = z - z.mean()
    spread = float(np.sqrt((z**2).mean()))
    return z / spread if spread > 0 else z


def shares_below(r: Vector) -> Vector:
    """Return the share of values below each one and half of itself, (n,), ties sharing their mean."""
    _, where, counts = np.unique(r, return_inverse=True, return_counts=True)
    rank = np.cumsum(counts) - (counts - 1) / 2  # (values,)
    shares: Vector = ((rank - 0.5) / len(r))[where.reshape(-1)]
    return shares
