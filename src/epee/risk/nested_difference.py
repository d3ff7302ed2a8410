r"""The paired difference of two ways of learning, with the error bar of nested cross-validation.

The corrected t-test (:mod:`epee.risk.paired_tests`) takes the folds' differences to be correlated as
:math:`n_{test} / n_{train}` says. Where predictors nearly interpolate (more columns than rows) folds share far more, their training
noise, and the test alarms too often. The differences :math:`d_i = e^a_i - e^b_i` of the losses of each row are losses themselves, and their
mean has the mean squared error of equation (1) in :mod:`epee.risk.nested`: no correlation is assumed, it is measured. Student's law with
:math:`K - 1` degrees of freedom stands for what the folds leave unsure. It measures how far the estimate lies from the error of *these*
fitted predictors; with more columns than rows other samples would give other predictors, which no fold can show, and a caution says so.
"""

from __future__ import annotations

import numpy as np

from epee.engines.local import one_blas_thread
from epee.errors import WrongUse
from epee.risk.cross_validation import counted
from epee.risk.estimate import Difference, difference
from epee.risk.nested import Sums, batched_losses, fold_ids, nested_splits
from epee.risk.paired_tests import crowded
from epee.risk.route import Route
from epee.risk.splitting import Plan


def nested_difference(a: Route, b: Route, plan: Plan, level: float = 0.95) -> Difference:
    """Return the error of ``a`` minus that of ``b`` on the folds of a plan, with a nested error bar.

    Parameters
    ----------
    a, b : Route
        Two candidates on the same rows, with the same loss.
    plan : Plan
        At least three folds that partition the rows.
    level : float in (0, 1), default=0.95

    References
    ----------
    Bates, Hastie and Tibshirani, "Cross-validation: what does it estimate and how well does it do it?", *JASA* 119, 2024.
    """
    if a.n != b.n or plan.n_folds < 3:
        raise WrongUse("a nested difference needs two candidates on the same rows and at least 3 folds.")
    plan = counted(a, plan)
    sums = Sums(a, plan.n_folds, plan.groups)
    with one_blas_thread():
        stacks = [batched_losses(route, plan) for route in (a, b)]
    for r, (ids, split) in enumerate(zip(fold_ids(plan), nested_splits(plan), strict=True)):
        one, other = (
            route.evaluate(split).losses if stack is None else stack[r]
            for route, stack in zip((a, b), stacks, strict=True)
        )
        sums.add(ids, one - other)
    value = float((np.stack(sums.outer) @ sums.w).mean() / sums.w.sum())
    how = "paired row by row, nested error bar"
    found = difference(value, sums.stderr(), plan.n_folds - 1, level, float(sums.w.sum()), a.loss.name, how)
    return crowded(found, max(a.n_columns, b.n_columns), a.n * (plan.n_folds - 2) / plan.n_folds)
