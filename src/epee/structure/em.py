r"""Expectation and maximisation.

A law with hidden variables :math:`z` is hard to maximise, but for any law :math:`q` of :math:`z`

.. math:: \log p(x \mid \theta) \;\ge\; \mathcal L(q, \theta) = \sum_z q(z) \log \frac{p(x, z \mid \theta)}{q(z)}, \tag{1}

with equality when :math:`q(z) = p(z \mid x, \theta)`. The recipe climbs in two half-steps:

- **E**: :math:`q \leftarrow p(z \mid x, \theta_t)`, which makes the bound touch the log-likelihood at :math:`\theta_t`;
- **M**: :math:`\theta_{t+1} \leftarrow \arg\max_\theta \mathcal L(q, \theta)`.

So the log-likelihood never decreases; that is checked at every step here. Both halves are one pass: a block is reduced to sums
weighted by :math:`q`, sums add, and the maximiser is solved from the total.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeGuard

import numpy as np

from epee.engines.choice import LOCAL, engine_for
from epee.engines.local import one_blas_thread
from epee.errors import ConditionWarning, WrongUse
from epee.estimator.base import say
from epee.settings import progress
from epee.table.arrays import ArraySource
from epee.table.block import BLOCK_ROWS, Block, Source, rows_for
from epee.table.doors import is_stream, open_source


@dataclass(frozen=True, eq=False)
class Expected:
    """What the E-step of a block leaves: its log-likelihood, its weight, and sums that add.

    Parameters
    ----------
    log_likelihood : float
        Sum over the rows of the block.
    weight : float
        Their number, weights counted.
    sums : tuple of arrays
        What the M-step needs of them; the arrays of all blocks are added.

    Examples
    --------
    >>> (Expected(-1.0, 2.0, (np.ones(2),)) + Expected(-2.0, 1.0, (np.ones(2),))).sums
    (array([2., 2.]),)
    """

    log_likelihood: float
    weight: float
    sums: tuple[np.ndarray, ...]

    def __add__(self, other: Expected) -> Expected:
        """Add all sums."""
        sums = tuple(a + b for a, b in zip(self.sums, other.sums, strict=True))
        return Expected(self.log_likelihood + other.log_likelihood, self.weight + other.weight, sums)


class HiddenModel(Protocol):
    """What a model says for EM: where to start, the E-step of a block, the M-step from the sums."""

    def start(self, source: Source) -> Any:
        """Return the first parameters."""

    def expect(self, theta: Any) -> Callable[[Block], Expected]:
        """Return the E-step of a block under these parameters; it must survive pickling."""

    def maximise(self, expected: Expected, theta: Any) -> Any:
        """Return the parameters that maximise the bound."""


@dataclass
class Climb:
    """How EM went: the last parameters, the mean log-likelihood at each step, whether and why it stopped."""

    theta: Any
    trace: list[float] = field(default_factory=list)
    converged: bool = False
    reason: str = ""

    @property
    def iterations(self) -> int:
        """How many pairs of half-steps were taken."""
        return len(self.trace)

    def plot(self, ax: Any = None) -> Any:
        """Draw the climb."""
        from epee.figures.mixtures import draw_climb

        return draw_climb(self.trace, ax)


def expectation_maximisation(
    model: HiddenModel,
    X: Any,
    *,
    theta: Any = None,
    tol: float = 1e-3,
    max_iter: int = 100,
    watch: Any = None,
    last: float | None = None,
) -> Climb:
    """Climb the log-likelihood of a model with hidden variables.

    Parameters
    ----------
    model : object with ``start``, ``expect`` and ``maximise``
        Every mixture of this library is one.
    X : array (n, p), path or source
    theta : parameters, optional
        Where to start; by default ``model.start``.
    tol : float
        Stop when the mean log-likelihood of a row rises by less.
    max_iter : int
        Largest number of M-steps.
    watch : callable, optional
        Called with (iteration, parameters, mean log-likelihood) after every E-step.
    last : float, optional
        The mean log-likelihood before ``theta``, of a climb that goes on: a first step that rises by less than ``tol`` ends it.

    Returns
    -------
    Climb
        ``.theta``, ``.trace``, ``.converged``, ``.reason``, ``.iterations``.

    Examples
    --------
    >>> from epee import GaussianMixture
    >>> X = np.array([[0.0], [0.2], [5.0], [5.2]])
    >>> climb = expectation_maximisation(GaussianMixture(2, random_state=0), X, max_iter=20)
    >>> bool(np.all(np.diff(climb.trace) >= -1e-12)), climb.converged
    (True, True)
    """
    wanted = ("expect", "maximise") if theta is not None else ("start", "expect", "maximise")
    absent = [name for name in wanted if not hasattr(model, name)]
    if absent:
        raise WrongUse(
            f"{type(model).__name__} has no {absent[0]!r}: EM needs a model with 'start', 'expect' and 'maximise'."
        )
    source = open_source(X) if is_stream(X) else ArraySource(np.asarray(X, dtype=np.float64))
    before = model.start(source) if theta is None else theta
    climb = Climb(before)
    engine, rows = engine_for(source), None if isinstance(source, ArraySource) else rows_for(source.n_columns)
    block = next(source.blocks()) if is_one_block_here(source) else None  # nothing to add: its sums are the total
    # BLAS stays with one thread through the small solves between passes, too: its idle threads spin, and would slow ours
    with one_blas_thread(), source.held() as held, progress("expectation-maximisation", max_iter) as tick:
        for iteration in range(max(max_iter, 1)):
            work = model.expect(climb.theta)
            expected: Expected = engine.reduce(held, work, rows=rows) if block is None else work(block)
            value = expected.log_likelihood / expected.weight
            if watch is not None:
                watch(iteration, climb.theta, value)
            if climb.trace and _fell(value, climb):
                climb.theta, climb.reason = before, "the log-likelihood fell"
                break
            gain = value - climb.trace[-1] if climb.trace else np.inf if last is None else abs(value - last)
            climb.trace.append(value)
            if max_iter == 0:
                break
            before, climb.theta = climb.theta, model.maximise(expected, climb.theta)
            tick()
            if gain < tol:
                climb.converged, climb.reason = True, f"the mean log-likelihood rose by less than {tol:g}"
                break
        else:
            climb.reason = f"{max_iter} iterations were made"
    return climb


def is_one_block_here(source: Source) -> TypeGuard[ArraySource]:
    """Tell whether all rows are one block that this process works on.

    >>> is_one_block_here(ArraySource(np.zeros((3, 1)))), is_one_block_here(ArraySource(np.zeros((5000, 1))))
    (True, False)
    """
    return isinstance(source, ArraySource) and 0 < source.n_rows <= BLOCK_ROWS and engine_for(source) is LOCAL


def _fell(value: float, climb: Climb) -> bool:
    """Tell whether the log-likelihood fell by more than rounding; an exact M-step never lets it."""
    slack = 1e-9 * (1.0 + abs(climb.trace[-1]))
    if not np.isfinite(value) or value < climb.trace[-1] - slack:
        say(
            f"the mean log-likelihood fell from {climb.trace[-1]:.9g} to {value:.9g} at iteration {len(climb.trace)}: the covariances "
            "are too ill-conditioned for float64. The parameters before the fall are kept; rescale the columns or raise reg_covar.",
            ConditionWarning,
        )
        return True
    return False
