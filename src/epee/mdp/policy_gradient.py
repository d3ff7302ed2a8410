r"""Climbing the value of a policy itself.

A policy :math:`\pi_\theta(a \mid s) \propto \exp(\theta_a^\top \phi(s))` has the value :math:`J(\theta) = E \sum_t \gamma^t r_t` of its
episodes, whose gradient is an expectation under the policy (Williams, 1992),

.. math:: \nabla J = E \sum_t \gamma^t\, \nabla \log \pi_\theta(a_t \mid s_t)\, (G_t - v(s_t)), \qquad
          G_t = \sum_{u \ge t} \gamma^{u-t} r_u, \tag{1}

so that episodes give it without bias whatever the baseline :math:`v`; a good one, here a linear value learned by least squares from the
returns of the batch before, takes most of its noise away.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from epee.errors import WrongUse
from epee.mdp.features import features_of
from epee.mdp.linear_values import discount_of
from epee.mdp.simulation import Arena
from epee.mdp.trajectories import seed_of
from epee.settings import progress
from epee.typing import Matrix, Seed, Vector


class PolicyGradient(BaseEstimator):
    r"""A soft-max policy that climbs its own value by (1).

    Parameters
    ----------
    features : OneHot, Tiles, Cosines or function of a state, default=None
        None is a table, or tiles over a box that has ends.
    discount : float in [0, 1], default=None
        None takes the one of the process (1 else).
    step : float > 0, default=1.0
        Length of an ascent; a larger one climbs faster and may fall.
    batch : int, default=20
        Episodes for each step; more make the gradient surer.
    baseline : bool, default=True
        Take a linear value off the returns.
    random_state : int, default=None

    Attributes
    ----------
    theta_ : array (A, n)
    trace_ : array
        Mean return of each batch.

    References
    ----------
    Williams, "Simple statistical gradient-following algorithms for connectionist reinforcement learning", *Machine Learning* 8, 1992.

    Examples
    --------
    >>> from epee.mdp import gridworld
    >>> world = gridworld(["S..G"], discount=0.9)
    >>> agent = PolicyGradient(step=2.0, random_state=0).learn(world, 400, length=40)
    >>> bool(agent.trace_[-5:].mean() > agent.trace_[:5].mean())
    True
    """

    theta_: Matrix

    def __init__(
        self, features: Any = None, *, discount: float | None = None, step: float = 1.0, batch: int = 20, baseline: bool = True,
        random_state: Seed = None,
    ) -> None:  # fmt: skip
        self.features = features
        self.discount = discount
        self.step = step
        self.batch = batch
        self.baseline = baseline
        self.random_state = random_state

    def learn(self, environment: Any, episodes: int, *, length: int | None = 1000) -> Self:
        """Play episodes and climb after each batch of them.

        Parameters
        ----------
        environment : MarkovDecisionProcess, Simulator or Gymnasium environment with discrete actions
        episodes : int
        length : int, default=1000
            Steps after which an episode is cut; its return is then that of what was played.
        """
        if not self.step > 0 or self.batch < 1 or int(episodes) != episodes or episodes < 1:
            raise WrongUse(f"step is {self.step!r}, batch {self.batch!r}, episodes {episodes!r}; all must be above 0.")
        self._begin(environment, length)
        returns = []
        with progress("learning", episodes) as tick:
            for start in range(0, int(episodes), self.batch):
                size = min(self.batch, int(episodes) - start)
                gradient, mean = self._gradient(size)
                self.theta_ = self.theta_ + self.step * gradient
                returns.append(mean)
                tick(size)
        self.trace_ = np.array(returns)
        return self

    def gradient(self, environment: Any, theta: Any, episodes: int, *, length: int | None = 1000) -> Matrix:
        """Return the estimate (A, n) of the gradient (1) at some parameters, from episodes played under them."""
        self._begin(environment, length)
        self.theta_ = np.array(theta, dtype=np.float64).reshape(self._arena.n_actions, self._phi.n)
        return self._gradient(episodes)[0]

    def _begin(self, environment: Any, length: int | None) -> None:
        self._arena = Arena(environment, int(seed_of(self.random_state)[0] % np.uint64(2**31)), length)
        self._gamma = discount_of(self.discount, self._arena)
        self._first = self._arena.reset()
        self._phi = features_of(self.features, self._arena, self._first)
        self.theta_ = np.zeros((self._arena.n_actions, self._phi.n))
        self._v = np.zeros(self._phi.n)

    def law(self, state: Any) -> Vector:
        """Return the probability of each action (A,) in a state."""
        z = np.full(len(self.theta_), -np.inf)
        open_ = self._arena.admissible(state)
        z[open_] = self.theta_[open_] @ self._phi(state)
        p = np.exp(z - z[open_].max())
        return p / p.sum()

    def policy(self, state: Any) -> int:
        """Return the most probable action in a state."""
        return int(np.argmax(self.law(state)))

    def _gradient(self, episodes: int) -> tuple[Matrix, float]:
        arena, gamma, total = self._arena, self._gamma, np.zeros_like(self.theta_)
        returns, seen, earned = [], [], []
        for _ in range(episodes):
            s = self._first if self._first is not None else arena.reset()
            self._first = None
            steps, done = [], False
            while not done:
                p, f = self.law(s), self._phi(s)
                a = int(arena.rng.choice(len(p), p=p))
                s, r, ended, cut = arena.step(a)
                steps.append((f, p, a, r))
                done = ended or cut
            G = 0.0
            for t in range(len(steps) - 1, -1, -1):
                f, p, a, r = steps[t]
                G = r + gamma * G
                slope = -p
                slope[a] += 1.0
                total += gamma**t * (G - (f @ self._v if self.baseline else 0.0)) * slope[:, None] * f
                seen.append(f)
                earned.append(G)
            returns.append(G)
        if self.baseline:  # for the next batch: a baseline that has seen the returns it is taken off would bias (1)
            F = np.array(seen)
            self._v = np.linalg.solve(F.T @ F + np.eye(F.shape[1]), F.T @ np.array(earned))
        return total / episodes, float(np.mean(returns))
