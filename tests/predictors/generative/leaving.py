"""Brute force behind every closed form: one copy of a row out, refit, score it."""

from __future__ import annotations

import numpy as np


def check_left_out(make, X, y, w=None, *, every=1, tol=1e-8):
    """Compare ``left_out`` with refits; ``y`` are codes."""
    found = make().left_out(X, y, w)
    n = len(y)
    for i in range(0, n, every):
        u = np.ones(n) if w is None else w.copy()
        u[i] -= 1
        k = u > 0
        refit = make().fit(X[k], y[k], sample_weight=u[k])
        np.testing.assert_allclose(
            found[i], refit._score(X[i : i + 1])[0], atol=tol, rtol=tol, err_msg=f"row {i} of {make()}"
        )
