r"""t-SNE: a picture in which neighbours stay neighbours.

With :math:`p_{ij}` Gaussian affinities of the rows, calibrated to a perplexity, and :math:`q_{ij} \propto (1 + \|y_i - y_j\|^2)^{-1}`, the
points minimise :math:`\mathrm{KL}(P \| Q)`. For looking at, not for measuring: distances between clusters mean nothing.
"""

from __future__ import annotations

from typing import Any, Self

import sklearn.manifold

from epee.errors import DataError
from epee.estimator.kinds import all_here
from epee.estimator.state import Saved
from epee.table.partitions import sent_back
from epee.typing import Matrix


class TSNE(Saved, sklearn.manifold.TSNE):
    r"""Points in the plane that minimise :math:`\mathrm{KL}(P \| Q)`: scikit-learn's own Barnes-Hut descent, with our sentences.

    All parameters, attributes and methods are those of :class:`sklearn.manifold.TSNE`; its compiled gradient is used as it is.

    Parameters
    ----------
    n_components, perplexity, early_exaggeration, learning_rate, max_iter, n_iter_without_progress
        As in scikit-learn.
    min_grad_norm, metric, metric_params, init, verbose, random_state, method, angle, n_jobs
        As in scikit-learn.

    Notes
    -----
    :math:`O(n \log n)` a step. There is no ``transform``: new rows change the picture of the old ones.

    References
    ----------
    van der Maaten and Hinton, *JMLR* 9 (2008).

    Examples
    --------
    >>> import numpy as np
    >>> X = np.repeat(np.eye(3), 10, axis=0) * 20 + np.random.default_rng(0).normal(size=(30, 3))
    >>> TSNE(perplexity=5, random_state=0).fit_transform(X).shape
    (30, 2)
    """

    def fit_transform(self, X: Any, y: Any = None) -> Matrix:
        """Return the points (n, q) of the rows of ``X``."""
        n = X.shape[0] if hasattr(X, "shape") else len(X)
        if not float(self.perplexity) < n:
            raise DataError(
                f"perplexity ({self.perplexity}) must be less than n_samples ({n}): there are not so many neighbours. Lower it."
            )
        (rows,) = all_here(self, X)
        points: Matrix = sent_back(super().fit_transform(rows, y), X)
        return points

    def fit(self, X: Any, y: Any = None) -> Self:
        """Place the rows of ``X``; ``y`` is ignored."""
        self.fit_transform(X)
        return self
