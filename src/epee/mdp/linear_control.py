r"""Acting well where there are too many states for a table.

Q-learning with features keeps weights for each action, :math:`Q(s, a) \approx w_a^\top \phi(s)`, and moves those of the action tried,

.. math:: w_a \leftarrow w_a + \alpha\,[\,r + \gamma \max_b w_b^\top\phi(s') - w_a^\top\phi(s)\,]\,\phi(s). \tag{1}

Unlike with a table this may diverge; steps that shrink, and features that do not reach far, keep it in bounds. Fitted Q learns from
transitions that are there already, by any regressor:

.. math:: Q_{k+1}(s, a) = \text{regression of } r + \gamma \max_b Q_k(s', b) \text{ on } (s, a). \tag{2}
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone

from epee.errors import DataError, WrongUse
from epee.mdp.exploring import Boltzmann, EpsilonGreedy, exploration_of
from epee.mdp.features import features_of, features_of_all
from epee.mdp.learning import LearningTrace
from epee.mdp.linear_values import discount_of
from epee.mdp.reading import check_discount
from epee.mdp.simulation import Arena, Transitions
from epee.mdp.step_sizes import step_of
from epee.mdp.trajectories import seed_of
from epee.settings import progress
from epee.typing import Matrix, Seed, Vector


class LinearQLearning(BaseEstimator):
    r"""Q-learning with features, equation (1).

    Parameters
    ----------
    features : OneHot, Tiles, Cosines or function of a state, default=None
        None is a table, or tiles over a box that has ends.
    discount : float in [0, 1], default=None
        None takes the one of the process (1 else).
    step : "visits", "power", ("power", w) or float, default=("power", 0.6)
        :math:`\alpha_t` of the t-th try of an action, divided by :math:`\phi^\top\phi`; larger learns faster and fluctuates more.
    exploration : as in :class:`QLearning`, default="epsilon_greedy"
    random_state : int, default=None

    Attributes
    ----------
    weights_ : array (A, n)
    trace_ : LearningTrace

    References
    ----------
    Sutton and Barto, *Reinforcement Learning*, 2nd ed., chapters 10 and 11.

    Examples
    --------
    Walk on [0, 1] by steps of about 0.1; reaching 1 earns 1.

    >>> from epee.mdp import Simulator, Tiles
    >>> def move(x, a, rng):
    ...     y = min(max(x + 0.1 * (2 * a - 1) + 0.02 * rng.standard_normal(), 0.0), 1.0)
    ...     return y, float(y >= 1.0), y >= 1.0
    >>> world = Simulator(move, 2, lambda rng: rng.random(), length=50)
    >>> agent = LinearQLearning(Tiles([0.0], [1.0]), discount=0.9, random_state=0).learn(world, 6000)
    >>> [agent.policy(x) for x in (0.3, 0.6, 0.9)]
    [1, 1, 1]
    """

    def __init__(
        self, features: Any = None, *, discount: float | None = None, step: Any = ("power", 0.6), exploration: Any = "epsilon_greedy",
        random_state: Seed = None,
    ) -> None:  # fmt: skip
        self.features = features
        self.discount = discount
        self.step = step
        self.exploration = exploration
        self.random_state = random_state

    def learn(self, environment: Any, steps: int, *, length: int | None = None, checkpoints: int = 50) -> Self:
        """Act in an environment and learn from what happens.

        Parameters
        ----------
        environment : MarkovDecisionProcess, Simulator or Gymnasium environment with discrete actions
        steps : int
        length : int, optional
            Steps after which an episode is cut.
        checkpoints : int
            Entries of the trace.
        """
        if int(steps) != steps or steps < 1:
            raise WrongUse(f"steps is {steps!r}; it must be a whole number of at least 1.")
        arena = Arena(environment, int(seed_of(self.random_state)[0] % np.uint64(2**31)), length)
        gamma, alpha, explore = discount_of(self.discount, arena), step_of(self.step), exploration_of(self.exploration)
        s = arena.reset()
        self._phi = features_of(self.features, arena, s)
        W, tries = np.zeros((arena.n_actions, self._phi.n)), np.zeros(arena.n_actions, dtype=int)
        self._open = arena.admissible
        trace, f = LearningTrace(), self._phi(s)
        earned, returns, back, factor, since = 0.0, [], 0.0, 1.0, 0
        marks = set(np.unique(np.linspace(0, steps, min(checkpoints, steps) + 1).astype(int))[1:].tolist())
        with progress("learning", steps) as tick:
            for t in range(1, int(steps) + 1):
                a = _tried(W @ f, arena.admissible(s), explore, t, arena.rng)
                s2, r, ended, cut = arena.step(a)
                g = self._phi(s2)
                ahead = 0.0 if ended else float((W @ g)[arena.admissible(s2)].max())
                tries[a] += 1
                W[a] += alpha(int(tries[a])) / max(float(f @ f), 1e-12) * (r + gamma * ahead - W[a] @ f) * f
                earned, back, factor, since = earned + r, back + factor * r, factor * gamma, since + 1
                s, f = s2, g
                if ended or cut:
                    returns.append(back)
                    back, factor, s = 0.0, 1.0, arena.reset()
                    f = self._phi(s)
                if t in marks:
                    trace.steps.append(t)
                    trace.reward.append(earned / since)
                    trace.episodes.append(len(returns))
                    trace.returns.append(float(np.mean(returns)) if returns else np.nan)
                    trace.distance.append(np.nan)
                    tick(since)
                    earned, returns, since = 0.0, [], 0
        if not np.isfinite(W).all():
            raise DataError("the weights grew beyond all numbers. Take a smaller step, or scale the rewards.")
        self.weights_, self.trace_ = W, trace
        return self

    def q(self, state: Any) -> Vector:
        """Return the value of each action (A,) in a state."""
        return self.weights_ @ self._phi(state)

    def value(self, state: Any) -> float:
        """Return the value of a state: that of its best action."""
        return float(self.q(state)[self._open(state)].max())

    def policy(self, state: Any) -> int:
        """Return the best action in a state."""
        open_ = self._open(state)
        return int(open_[np.argmax(self.q(state)[open_])])


def _tried(q: Vector, open_: np.ndarray, explore: Any, t: int, rng: np.random.Generator) -> int:
    """Return the action that an exploration tries at step t."""
    first, floor, decay = explore.rates
    rate = floor + (first - floor) / (1 + decay * t)
    if isinstance(explore, Boltzmann):
        z = q[open_] / rate
        p = np.exp(z - z.max())
        return int(rng.choice(open_, p=p / p.sum()))
    if not isinstance(explore, EpsilonGreedy) or rng.random() < rate:
        return int(rng.choice(open_))
    best = q[open_]
    return int(rng.choice(open_[best >= best.max() - 1e-12]))


class FittedQ(BaseEstimator):
    r"""Q from transitions that are there already, by any regressor, equation (2).

    Parameters
    ----------
    regressor : estimator, default=None
        Learns :math:`Q(\cdot, a)` of each action from features; None is ridge regression with a small penalty.
    features : OneHot, Tiles, Cosines or function of a state, default=None
        None takes the coordinates of the states as they are; a table for numbered ones.
    discount : float in [0, 1), default=0.95
    iterations : int, default=50
        Times that (2) is done; the error left by stopping is about :math:`\gamma^k`.

    Attributes
    ----------
    regressors_ : list of fitted regressors, None for an action never tried
    change_ : array
        Largest change of a target from one iteration to the next.

    References
    ----------
    Ernst, Geurts and Wehenkel, "Tree-based batch mode reinforcement learning", *JMLR* 6, 2005.

    Examples
    --------
    >>> from epee.mdp import car_dealer, play
    >>> process = car_dealer(2, 10.0, 4.0, 1.0, 0.8)
    >>> fitted = FittedQ(discount=0.8).fit(play(process, None, 4000, length=20, random_state=0))
    >>> [fitted.policy(s, actions=process.admissible[s].nonzero()[0]) for s in range(3)] == process.value_iteration().policy.tolist()
    True
    """

    def __init__(
        self, regressor: Any = None, features: Any = None, *, discount: float = 0.95, iterations: int = 50
    ) -> None:  # fmt: skip
        self.regressor = regressor
        self.features = features
        self.discount = discount
        self.iterations = iterations

    def fit(self, transitions: Transitions) -> Self:
        """Learn from transitions, of whatever policy: the more of the pairs that matter they hold, the better."""
        gamma = check_discount(self.discount)
        if gamma == 1 and not np.any(transitions.ended):
            raise WrongUse("discount is 1 and no episode ends: the values have no limit. Take a discount below 1.")
        if int(self.iterations) != self.iterations or self.iterations < 1:
            raise WrongUse(f"iterations is {self.iterations!r}; it must be a whole number of at least 1.")
        seen = transitions
        self._phi = features_of(self.features if self.features is not None else _plain(seen), None, seen.states[0])
        F, G = features_of_all(self._phi, seen.states), features_of_all(self._phi, seen.next_states)
        actions, rewards = np.asarray(seen.actions, dtype=int), np.asarray(seen.rewards, dtype=float)
        self._tried = np.unique(actions)
        self._known = _admitted(seen, actions)
        closed = np.ones((len(G), len(self._tried)), dtype=bool)
        if self._known is not None:
            closed = np.array([[a in self._known.get(int(s), ()) for a in self._tried] for s in seen.next_states])
        goal, changes = rewards.copy(), []
        with progress("fitted Q", self.iterations) as tick:
            for _ in range(int(self.iterations)):
                self.regressors_ = [
                    self._regress(F, goal, actions == a) if a in self._tried else None for a in range(actions.max() + 1)
                ]
                ahead = np.where(closed, self._all(G)[:, self._tried], -np.inf).max(axis=1)
                ahead = np.where(np.isfinite(ahead) & ~np.asarray(seen.ended, dtype=bool), ahead, 0.0)
                new = rewards + gamma * ahead
                changes.append(float(np.abs(new - goal).max()))
                goal = new
                tick()
                if changes[-1] <= 1e-12 * (1 + np.abs(goal).max()):
                    break
        self.change_ = np.array(changes)
        return self

    def _regress(self, F: Matrix, goal: Vector, rows: np.ndarray) -> Any:
        if self.regressor is not None:
            return clone(self.regressor).fit(F[rows], goal[rows])
        from epee.predictors.regression.ridge import Ridge

        return Ridge(1e-8, fit_intercept=False).fit(F[rows], goal[rows])

    def _all(self, F: Matrix) -> Matrix:
        return np.stack(
            [np.full(len(F), -np.inf) if model is None else np.asarray(model.predict(F)) for model in self.regressors_],
            axis=1,
        )

    def q(self, state: Any) -> Vector:
        """Return the value of each action (A,) in a state; minus infinity for actions that were never tried."""
        return self._all(self._phi(state)[None])[0]

    def policy(self, state: Any, actions: Any = None) -> int:
        """Return the best action in a state, among some of them where not all are admissible."""
        q = self.q(state)
        open_ = np.arange(len(q)) if actions is None else np.asarray(actions, dtype=int)
        if actions is None and self._known is not None and int(state) in self._known:
            open_ = np.array(sorted(self._known[int(state)]))
        return int(open_[np.argmax(q[open_])])


def _plain(seen: Transitions) -> Any:
    """Return the features of states as they are: their coordinates with a constant, or a table."""
    if np.asarray(seen.states).dtype.kind in "iu" and np.ndim(seen.states) == 1:
        from epee.mdp.features import OneHot

        return OneHot(int(max(np.max(seen.states), np.max(seen.next_states))) + 1)
    return lambda s: np.append(1.0, np.ravel(s))


def _admitted(seen: Transitions, actions: np.ndarray) -> dict[int, set[int]] | None:
    """Return the actions tried in each numbered state: others may not be admissible there."""
    if np.asarray(seen.states).dtype.kind not in "iu" or np.ndim(seen.states) != 1:
        return None
    known: dict[int, set[int]] = {}
    for s, a in zip(np.asarray(seen.states).tolist(), actions.tolist(), strict=True):
        known.setdefault(s, set()).add(a)
    return known
