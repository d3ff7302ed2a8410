r"""The value of a policy where there are too many states for a table: :math:`V_\pi(s) \approx w^\top \phi(s)`.

Temporal differences move the weights after each transition,

.. math:: \delta = r + \gamma\, w^\top\phi(s') - w^\top\phi(s), \qquad e \leftarrow \gamma\lambda\, e + \phi(s), \qquad
          w \leftarrow w + \alpha\, \delta\, e, \tag{1}

and come to rest, on the states that the policy visits, where the sum of :math:`\delta\,\phi(s)` vanishes. Least squares go there at once:

.. math:: A = \sum \phi(s)\,(\phi(s) - \gamma\phi(s'))^\top, \qquad b = \sum \phi(s)\, r, \qquad A w = b, \tag{2}

two sums that add, so that any cut of the transitions gives the same weights. With one feature a state (2) is the value of the process
that the transitions estimate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from epee.errors import DataError, SingularProblem, WrongUse
from epee.mdp.features import Features, features_of, features_of_all
from epee.mdp.reading import check_discount
from epee.mdp.simulation import Arena, Transitions, policy_of
from epee.mdp.step_sizes import step_of
from epee.mdp.trajectories import seed_of
from epee.settings import progress
from epee.typing import Matrix, Seed, Vector


@dataclass(frozen=True, eq=False)
class LinearValues:
    """Values linear in features: call it with a state, or ask ``of`` many."""

    weights: Vector
    features: Features

    def __call__(self, state: Any) -> float:
        """Return the value of a state."""
        return float(self.features(state) @ self.weights)

    def of(self, states: Any) -> Vector:
        """Return the values (m,) of some states."""
        return features_of_all(self.features, states) @ self.weights


@dataclass(frozen=True, eq=False)
class BellmanSums:
    """The sums of (2); they add."""

    A: Matrix
    b: Vector
    count: int

    @classmethod
    def of(cls, seen: Transitions, features: Features, discount: float) -> BellmanSums:
        """Return the sums of some transitions."""
        F, G = features_of_all(features, seen.states), features_of_all(features, seen.next_states)
        G[np.asarray(seen.ended, dtype=bool)] = 0.0
        return cls(F.T @ (F - discount * G), F.T @ np.asarray(seen.rewards, dtype=float), len(F))

    def __add__(self, other: BellmanSums) -> BellmanSums:
        """Add."""
        return BellmanSums(self.A + other.A, self.b + other.b, self.count + other.count)

    def solve(self, ridge: float = 0.0) -> Vector:
        """Return the weights."""
        A = self.A + ridge * np.eye(len(self.b))
        used = (np.abs(A).sum(axis=0) + np.abs(A).sum(axis=1)) > 0  # features that were never seen weigh nothing
        w = np.zeros(len(self.b))
        inner = A[np.ix_(used, used)]
        if inner.size:
            if np.linalg.cond(inner) > 1e13:
                raise SingularProblem(
                    "the features of these transitions depend on each other: give ridge=, such as 1e-3."
                )
            w[used] = np.linalg.solve(inner, self.b[used])
        return w


def lstd(transitions: Transitions, features: Any = None, *, discount: float, ridge: float = 0.0) -> LinearValues:
    """Return the values of the policy that was followed, by least squares on its transitions, equation (2).

    Parameters
    ----------
    transitions : Transitions
        As :func:`play` notes them, under the policy to be valued.
    features : OneHot, Tiles, Cosines or function of a state, default=None
        None is a table over the numbered states that were seen.
    discount : float in [0, 1]
    ridge : float >= 0
        Added to the diagonal; more shrinks the weights of features that were seldom seen.

    References
    ----------
    Bradtke and Barto, "Linear least-squares algorithms for temporal difference learning", *Machine Learning* 22, 1996.

    Examples
    --------
    >>> from epee.mdp import play, random_walk
    >>> walk = random_walk(5)
    >>> values = lstd(play(walk, [0] * 7, 20_000, random_state=0), discount=1.0)
    >>> [round(values(s), 1) for s in range(1, 6)]
    [0.2, 0.3, 0.5, 0.7, 0.8]
    """
    check_discount(discount)
    if not ridge >= 0:
        raise WrongUse(f"ridge is {ridge!r}; it must be at least 0.")
    if not len(transitions.states):
        raise DataError("there are no transitions to learn from.")
    if features is None:
        from epee.mdp.features import OneHot

        features = OneHot(int(max(np.max(transitions.states), np.max(transitions.next_states))) + 1)
    phi = features_of(features, None, transitions.states[0])
    return LinearValues(BellmanSums.of(transitions, phi, discount).solve(ridge), phi)


class LinearTD(BaseEstimator):
    r"""Values of a policy by temporal differences with features, equation (1).

    Parameters
    ----------
    features : OneHot, Tiles, Cosines or function of a state, default=None
        None is a table, or tiles over a box that has ends.
    discount : float in [0, 1], default=None
        None takes the one of the process (1 else).
    trace_decay : float in [0, 1], default=0.0
        :math:`\lambda`: 0 looks one step ahead, 1 to the end of the episode.
    step : "visits", "power", ("power", w) or float, default="power"
        :math:`\alpha_t`, divided by the mean of :math:`\phi^\top\phi` so far: a larger one learns faster and fluctuates more.
    random_state : int, default=None

    Attributes
    ----------
    values_ : LinearValues
    weights_ : array (n,)
    trace_ : array
        Mean size of :math:`\delta` over each hundredth of the steps.

    References
    ----------
    Sutton and Barto, *Reinforcement Learning*, 2nd ed., chapter 9; Tsitsiklis and Van Roy (1997) for its limit.

    Examples
    --------
    >>> from epee.mdp import random_walk
    >>> td = LinearTD(step=("power", 0.6), random_state=0).learn(random_walk(5), [0] * 7, 30_000)
    >>> round(td.values_(3), 1)
    0.5
    """

    def __init__(
        self, features: Any = None, *, discount: float | None = None, trace_decay: float = 0.0, step: Any = "power",
        random_state: Seed = None,
    ) -> None:  # fmt: skip
        self.features = features
        self.discount = discount
        self.trace_decay = trace_decay
        self.step = step
        self.random_state = random_state

    def learn(self, environment: Any, policy: Any, steps: int, *, length: int | None = None) -> Self:
        """Follow a policy and learn its values.

        Parameters
        ----------
        environment : MarkovDecisionProcess, Simulator or Gymnasium environment
        policy : None (uniform), (S,) actions, (S, A) probabilities, or function of a state
        steps : int
        length : int, optional
            Steps after which an episode is cut.
        """
        if not 0 <= self.trace_decay <= 1:
            raise WrongUse(f"trace_decay is {self.trace_decay!r}; it must lie in [0, 1].")
        arena = Arena(environment, int(seed_of(self.random_state)[0] % np.uint64(2**31)), length)
        gamma = discount_of(self.discount, arena)
        act, alpha, s = policy_of(policy, arena), step_of(self.step), arena.reset()
        phi = features_of(self.features, arena, s)
        w, e, size, f = np.zeros(phi.n), np.zeros(phi.n), 0.0, phi(s)
        errors, every = [0.0], max(steps // 100, 1)
        sizes = []
        with progress("learning", steps) as tick:
            for t in range(1, steps + 1):
                s, r, ended, cut = arena.step(act(s, arena.rng))
                g = np.zeros(phi.n) if ended else phi(s)
                delta = float(r + gamma * (g @ w) - f @ w)
                e = gamma * self.trace_decay * e + f
                size += (float(f @ f) - size) / t
                w += alpha(t) / max(size, 1e-12) * delta * e
                errors[-1] += abs(delta)
                if t % every == 0:
                    sizes.append(errors.pop() / every)
                    errors.append(0.0)
                    tick(every)
                if ended or cut:
                    s, e = arena.reset(), np.zeros(phi.n)
                    g = phi(s)
                f = g
        if not np.isfinite(w).all():
            raise DataError("the weights grew beyond all numbers. Take a smaller step.")
        self.weights_, self.values_, self.trace_ = w, LinearValues(w, phi), np.array(sizes)
        return self


def discount_of(given: float | None, arena: Arena) -> float:
    """Return the discount: that given, that of the process, or 1."""
    return check_discount(given if given is not None else arena.process.discount if arena.process is not None else 1.0)
