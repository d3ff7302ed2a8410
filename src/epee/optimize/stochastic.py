r"""Stochastic gradient descent.

For a mean over rows, :math:`f(x) = \frac1n \sum_i f_i(x)`, each step looks at a few rows only:

.. math:: x \leftarrow x - \varepsilon_k \frac1{|B|} \sum_{i \in B} \nabla f_i(x), \tag{1}

rows being taken in passes, shuffled anew for each by a seeded generator. A constant step ends in a cloud around the
minimum; decreasing steps (:mod:`epee.optimize.schedules`) converge to it, and so does, faster, the average of the
iterates with slowly decreasing steps.

References: Bottou, Curtis and Nocedal, "Optimization methods for large-scale machine learning", *SIAM Review*, 2018.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from epee.errors import WrongUse
from epee.optimize.descent import Descent, Walk
from epee.optimize.schedules import Schedule, positive, resolve_schedule
from epee.typing import ArrayLike, Codes, Function, Seed, Vector


def stochastic_gradient_descent(
    f: Function, x0: ArrayLike, gradient: Callable[[Vector, Codes], Vector], n: int, *, batch: int = 1,
    step: float | str | Schedule = "inverse", eta: float = 1.0, passes: int = 100, shuffle: bool = True, average: bool = False,
    tol: float = 1e-6, every: str = "pass", stop: Callable[[Vector], bool] | None = None, random_state: Seed = None,
) -> Descent:  # fmt: skip
    r"""Go down the gradient of a few rows at a time.

    Parameters
    ----------
    f : function of x
        The whole function, looked at once a pass for the trace and the stopping test.
    x0 : array (p,)
        The start.
    gradient : function of (x, rows)
        The mean gradient over the rows, given by their numbers.
    n : int
        How many rows there are.
    batch : int, default=1
        Rows a step; more make the steps fewer and steadier.
    step : float, schedule name or function of k, default="inverse"
        The step length of update k = 1, 2, ...; a number is constant.
    eta : float > 0, default=1
        The first step of a named schedule.
    passes : int, default=100
        Stop after so many passes over the rows.
    shuffle : bool, default=True
        Take the rows in a new order each pass.
    average : bool, default=False
        Return the mean of the iterates of the second half of the walk so far, smoother than the last one.
    tol : float >= 0, default=1e-6
        Stop when the norm of the whole gradient is at most this, after a pass.
    every : {"pass", "update"}, default="pass"
        Which iterates the trace keeps; "update" keeps all of them, and looks at the whole function each time.
    stop : function of x, default=None
        Stop when it says so: when every row is classified, for instance.
    random_state : int, Generator or None
        The seed of the order.

    Returns
    -------
    Descent
        ``.x .value .gradient .trace .converged .reason .iterations .plot()``; iterations are passes, or updates if
        those are kept.

    Examples
    --------
    >>> y = np.array([1.0, 2.0, 6.0])
    >>> d = stochastic_gradient_descent(lambda x: ((x - y) ** 2).mean() / 2, [0.0],
    ...     lambda x, rows: x - y[rows].mean(), n=3, random_state=0, passes=200, tol=1e-2)
    >>> d.x.round(1)
    array([3.])
    """
    n, batch, passes = _whole("n", n), _whole("batch", batch), _whole("passes", passes)
    if every not in ("pass", "update"):
        raise WrongUse(f"every is {every!r}; it must be 'pass' or 'update'.")
    schedule = resolve_schedule(step, positive(eta))
    rng = np.random.default_rng(
        random_state if not isinstance(random_state, np.random.RandomState) else random_state.randint(2**31)
    )
    everything = np.arange(n)
    walk = Walk(
        f, x0, lambda x: gradient(x, everything), method="stochastic gradient descent", tol=tol, max_iter=passes
    )
    x, k, size, mean, share = walk.x.copy(), 0, 0.0, walk.x.copy(), 0
    for turn in range(passes):
        if (done := walk.small()) is not None:
            return done
        if stop is not None and stop(walk.x):
            return walk.close(True, "the rule of stopping says so")
        order = rng.permutation(n) if shuffle else everything
        if turn & (turn - 1) == 0:  # the mean begins again at passes 1, 2, 4, 8, ...
            share = 0
        for first in range(0, n, batch):
            k += 1
            size = positive(schedule(k), f"of update {k}")
            with np.errstate(over="ignore", invalid="ignore"):
                x = x - size * np.asarray(gradient(x, order[first : first + batch]), dtype=float)
            share += 1
            mean = x if share == 1 else mean + (x - mean) / share
            if every == "update":
                _record(walk, mean if average else x, size)
                if walk.blown:
                    break
        if every == "pass":
            _record(walk, mean if average else x, size)
        if walk.blown or (walk.rising >= 10 * (1 if every == "pass" else n) and walk.value > walk.trace.values[0]):
            return walk.diverged(f"the step {size:.3g} is too long, try a smaller eta or a decreasing schedule")
    return walk.small() or walk.close(False, f"{passes} passes were made; the gradient norm is still {walk.norm:.2g}")


def _record(walk: Walk, x: Vector, size: float) -> None:
    walk.move(x, walk.at(x), walk.slope(x), size)


def _whole(name: str, number: int) -> int:
    if int(number) != number or number < 1:
        raise WrongUse(f"{name} is {number}; it must be a whole number of at least 1.")
    return int(number)
