r"""Where the next row of a fitted Gaussian may fall: farther than the Gaussian says, since its parameters were estimated.

With mean and covariance of :math:`n` rows in :math:`p` columns, the next row has Hotelling's law:

.. math:: (x - \hat\mu)^\top \hat\Sigma^{-1} (x - \hat\mu) \;\sim\; \frac{(n + 1)\, p}{n - p}\, F_{p,\, n-p}, \tag{1}

which is that of :math:`\hat\mu + \hat\Sigma^{1/2} z \sqrt{(n + 1) / \chi^2_{n-p}}` with :math:`z` standard normal. Each coordinate of a
diagonal covariance has its own :math:`\chi^2_{n-1}`, a round one a common :math:`\chi^2_{p(n-1)}`, and a covariance that K components share
:math:`\chi^2_{N-K-p+1}` from all :math:`N` rows. A component of a mixture counts the rows that it is responsible for.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.typing import Codes, Matrix, Vector


def spread_factors(labels: Codes, counts: Vector, p: int, form: str, rng: Any) -> Matrix:
    """Return by how much deviations drawn from the components of ``labels`` are to be stretched, (n, 1) or (n, p).

    ``counts`` (K,) are the rows that each component was estimated from.

    >>> rng = np.random.default_rng(0)
    >>> float(spread_factors(np.zeros(4, dtype=int), np.array([1e9]), 3, "full", rng).mean().round(3))
    1.0
    """
    n = np.maximum(counts, 1.0)[labels][:, None]  # (draws, 1)
    if form == "diag":
        return np.sqrt((n + 1) / rng.chisquare(np.maximum(np.broadcast_to(n - 1, (len(labels), p)), 1.0)))
    if form == "spherical":
        return np.sqrt((n + 1) * p / rng.chisquare(np.maximum(p * (n - 1), 1.0)))
    if form == "tied":
        N = counts.sum()
        return np.sqrt((1 + 1 / n) * N / rng.chisquare(max(N - len(counts) - p + 1, 1.0), n.shape))
    return np.sqrt((n + 1) / rng.chisquare(np.maximum(n - p, 1.0)))
