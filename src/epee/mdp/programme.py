r"""The linear programme of a decision process.

The optimal value is the smallest function that no backup can raise:

.. math:: \min_V \sum_s V(s) \quad \text{subject to} \quad V(s) - \gamma \sum_{s'} p(s'\mid s,a) V(s') \ge r(s,a)
          \ \text{ for every pair } (s, a).

The multipliers of the constraints are how often an optimal policy uses each pair, so the active ones are the policy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from epee.errors import SingularProblem

if TYPE_CHECKING:
    from epee.mdp.layout import Layout
    from epee.typing import Vector


def linear_program(layout: Layout, discount: float) -> tuple[Vector, int]:
    """Solve it by HiGHS; return the values and the iterations of the simplex."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    n, K = layout.n_states, layout.n_pairs
    own = csr_array((np.ones(K), (np.arange(K), layout.owner)), shape=(K, n))
    bounds = np.where(layout.terminal[:, None], 0.0, np.array([[-np.inf, np.inf]]))
    result = linprog(
        np.ones(n), A_ub=discount * layout.matrix() - own, b_ub=-layout.reward, bounds=bounds, method="highs"
    )
    if result.x is None:
        raise SingularProblem(f"the linear programme could not be solved: {result.message}")
    return np.asarray(result.x), int(result.nit)
