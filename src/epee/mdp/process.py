r"""Finite Markov decision processes.

In state :math:`s` an agent takes an admissible action :math:`a`, earns :math:`r(s,a)` and goes to :math:`s'` with probability
:math:`p(s'\mid s,a)`. A policy :math:`\pi` is worth

.. math:: V_\pi(s) = E\Big[\sum_{t \ge 0} \gamma^t r_t \,\Big|\, s_0 = s\Big], \tag{1}

and the best value solves Bellman's equations

.. math:: V^*(s) = \max_a \Big( r(s,a) + \gamma \sum_{s'} p(s'\mid s,a)\, V^*(s') \Big), \tag{2}

whose maximisers are an optimal policy. The sum (1) needs :math:`\gamma < 1`, or episodes that end.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from epee.errors import DataError, SearchWarning, TooLarge, WrongUse
from epee.mdp import gains, policies, programme, sweeps, undiscounted
from epee.mdp.components import Quotient, distances, ends, towards
from epee.mdp.reading import check_discount, read
from epee.mdp.solution import Solution, Sweep
from epee.settings import progress

if TYPE_CHECKING:
    from epee.mdp.layout import Layout
    from epee.mdp.trajectories import Trajectory
    from epee.typing import ArrayLike, Seed, Tensor, Vector


class MarkovDecisionProcess:
    r"""A finite decision process, with the ways to solve (2).

    Parameters
    ----------
    transitions : array (S, A, S), or list of A sparse matrices (S, S)
        :math:`p(s'\mid s,a)`; each row of an admissible pair sums to 1 (within 1e-8).
    rewards : array (S, A) or (S, A, S), or list of A sparse matrices
        :math:`r(s,a)`, or a reward for each transition.
    discount : float in [0, 1]
        :math:`\gamma`; near 1 looks far ahead and is slower to solve. With 1, solving refuses a process that no policy ends.
    terminal : states, default=None
        Where episodes end, as indices or a mask: worth 0, their rows are ignored.
    actions : default=None
        Admissible actions: a mask (S, A), a list of actions a state, or a dictionary of the states that have fewer.
        None: all of them everywhere.
    start : array (S,), default=None
        Law of the first state of a simulated episode; None is uniform over the states that are not terminal.

    Notes
    -----
    Keeps 12 bytes a transition (20 if rewards depend on the successor). A sweep reads each transition once.

    References
    ----------
    Puterman (1994), Markov Decision Processes, chapters 4 to 8.

    Examples
    --------
    >>> import numpy as np
    >>> P = np.array([[[0.5, 0.5], [1, 0]], [[0, 1], [0.9, 0.1]]])     # state, action, next state
    >>> R = np.array([[0.0, 0.5], [1.0, 2.0]])
    >>> solution = MarkovDecisionProcess(P, R, 0.9).value_iteration()
    >>> solution.policy
    array([0, 0])
    >>> solution.values.round(4)
    array([ 8.1818, 10.    ])
    """

    def __init__(
        self,
        transitions: Any,
        rewards: Any,
        discount: float,
        *,
        terminal: Any = None,
        actions: Any = None,
        start: ArrayLike | None = None,
    ) -> None:
        self.discount = check_discount(discount)
        self.layout = read(transitions, rewards, terminal, actions)
        self.grid: Any = None
        self.start = self._start_law(start)

    @classmethod
    def of_layout(
        cls, layout: Layout, discount: float, *, start: ArrayLike | None = None, grid: Any = None
    ) -> MarkovDecisionProcess:
        """Make a process of arrays that are in order already."""
        self = cls.__new__(cls)
        self.discount = check_discount(discount)
        self.layout = layout
        self.grid = grid
        self.start = self._start_law(start)
        return self

    @classmethod
    def from_gymnasium(
        cls, env: Any, discount: float, *, steps: int | None = None, random_state: Seed = None
    ) -> MarkovDecisionProcess:
        """Read the table ``P`` of an environment; without one, estimate it from ``steps`` steps of random play.

        A transition with the terminated flag keeps its reward and loses its future.

        Parameters
        ----------
        env : gymnasium.Env, or its name
        discount : float in [0, 1]
        steps : int, default=None
            Steps of uniform play where there is no table; more make a better estimate.
        random_state : int, default=None
        """
        from epee.mdp.environments import import_environment

        return import_environment(cls, env, discount, steps, random_state)

    @classmethod
    def from_transitions(
        cls,
        states: ArrayLike,
        actions: ArrayLike,
        rewards: ArrayLike,
        next_states: ArrayLike,
        ended: ArrayLike | None = None,
        *,
        discount: float,
        n_states: int | None = None,
        n_actions: int | None = None,
    ) -> MarkovDecisionProcess:
        """Estimate a process by the frequencies and the mean rewards of observed transitions.

        A pair that was never tried is not admissible; a state that was never left is taken for an end.
        """
        from epee.mdp.estimation import count_transitions

        layout = count_transitions(states, actions, rewards, next_states, ended, n_states, n_actions)
        return cls.of_layout(layout, discount)

    def _start_law(self, start: ArrayLike | None) -> Vector:
        live = ~self.layout.terminal
        if not live.any():
            raise DataError("every state is terminal: there is nothing to decide.")
        if start is None:
            return live / live.sum()
        law = np.asarray(start, dtype=float)
        if law.shape == (self.n_states,) and np.isfinite(law).all() and (law >= 0).all() and law[live].sum() > 0:
            return np.where(live, law, 0.0) / law[live].sum()
        raise DataError(
            f"start must be {self.n_states} probabilities, with some weight on a state that is not terminal."
        )

    @property
    def n_states(self) -> int:
        """Number of states."""
        return self.layout.n_states

    @property
    def n_actions(self) -> int:
        """Number of actions."""
        return self.layout.n_actions

    @property
    def terminal(self) -> Any:
        """Mask of the terminal states."""
        return self.layout.terminal

    @property
    def admissible(self) -> Any:
        """Mask (S, A) of the admissible pairs."""
        mask = np.zeros((self.n_states, self.n_actions), bool)
        mask[self.layout.owner, self.layout.action] = True
        return mask

    @property
    def transitions(self) -> Tensor:
        """The (S, A, S) array of probabilities; rows of inadmissible pairs are 0."""
        if self.n_states**2 * self.n_actions > 2e8:
            raise TooLarge(f"a dense ({self.n_states}, {self.n_actions}, {self.n_states}) array is too large.")
        out = np.zeros((self.n_states, self.n_actions, self.n_states))
        pair = self.layout.source
        np.add.at(out, (self.layout.owner[pair], self.layout.action[pair], self.layout.succ), self.layout.prob)
        return out

    @property
    def rewards(self) -> Tensor:
        """The (S, A) array of expected rewards; 0 for inadmissible pairs."""
        return self.layout.table(self.layout.reward, 0.0)

    def __repr__(self) -> str:
        layout = self.layout
        return (
            f"MarkovDecisionProcess({layout.n_states} states, {layout.n_actions} actions, {layout.n_pairs} pairs, "
            f"{layout.n_transitions} transitions, discount={self.discount:g})"
        )

    def with_discount(self, discount: float) -> MarkovDecisionProcess:
        """Return the same process with another discount."""
        return type(self).of_layout(self.layout, discount, start=self.start, grid=self.grid)

    def q_values(self, values: ArrayLike) -> Tensor:
        r"""Return :math:`Q(s,a) = r(s,a) + \gamma \sum p V`, ``-inf`` for inadmissible pairs."""
        V = self._values(values)
        return self.layout.table(sweeps.pair_values(self.layout, self.discount, V), -np.inf)

    def value_iteration(
        self,
        tol: float = 1e-8,
        *,
        sweep: Literal["jacobi", "gauss_seidel", "prioritised"] = "jacobi",
        start: ArrayLike | None = None,
        max_iter: int = 1_000_000,
        history: bool = False,
    ) -> Solution:
        """Sweep until every value is certified within ``tol`` of the optimum.

        Parameters
        ----------
        tol : float > 0
            Largest error allowed; a smaller one takes more sweeps.
        sweep : {"jacobi", "gauss_seidel", "prioritised"}
            All states from the old values; each from the newest; or the state with the largest residual first.
        start : array (S,), default=None
            First values; None is 0.
        max_iter : int
            Sweeps after which it stops, with a warning.
        history : bool
            Keep the values of every sweep in the trace.
        """
        self._check(tol, max_iter)
        if sweep not in ("jacobi", "gauss_seidel", "prioritised"):
            raise WrongUse(f"sweep is {sweep!r}; it must be 'jacobi', 'gauss_seidel' or 'prioritised'.")
        V = np.zeros(self.n_states) if start is None else self._values(start)
        name = f"value iteration ({sweep})"
        if self.discount < 1:
            V, done, bound, trace, ok = sweeps.discounted(self.layout, self.discount, V, tol, sweep, max_iter, history)
            return self._solution(name, V, done, bound, trace, ok)
        quotient = undiscounted.well_posed(self.layout)
        small = np.zeros(quotient.layout.n_states)
        small[quotient.node] = V
        V, done, enclosed, trace, ok = undiscounted.total_reward(quotient, small, tol, sweep, max_iter, history)
        return self._lifted(name, quotient, V, done, enclosed, trace, ok)

    def policy_iteration(
        self, *, start: ArrayLike | None = None, max_iter: int = 1_000, history: bool = False
    ) -> Solution:
        """Evaluate, improve, until the policy is stable.

        Parameters
        ----------
        start : array (S,), default=None
            First policy; None is the greedy one for the rewards (without discount: one that ends).
        """
        if self.discount < 1:
            layout = self.layout
            if start is None:
                pairs = sweeps.best_pairs(layout, layout.reward)
            else:
                pairs = sweeps.best_pairs(layout, policies.law_of(layout, start))
            V, pairs, done, trace, ok = policies.policy_iteration(layout, self.discount, pairs, max_iter, history)
            return self._certified("policy iteration", V, done, trace, ok)
        quotient = undiscounted.well_posed(self.layout)
        layout = quotient.layout
        pairs = _proper_pairs(layout)
        V, pairs, done, trace, ok = policies.policy_iteration(layout, 1.0, pairs, max_iter, history)
        trace = [t._replace(values=None if t.values is None else t.values[quotient.node], policy=None) for t in trace]
        return self._enclosed("policy iteration", quotient, V, done, trace, ok)

    def modified_policy_iteration(
        self, tol: float = 1e-8, *, sweeps_between: int = 10, max_iter: int = 1_000_000, history: bool = False
    ) -> Solution:
        """Alternate a sweep over all pairs with cheap sweeps of the policy that it chose.

        Parameters
        ----------
        tol : float > 0
            Largest error allowed.
        sweeps_between : int >= 0
            Cheap sweeps; 0 is value iteration, many is policy iteration.
        """
        self._check(tol, max_iter)
        if sweeps_between < 0:
            raise WrongUse(f"sweeps_between is {sweeps_between}; it must be at least 0.")
        name = "modified policy iteration"
        if self.discount < 1:
            V, done, bound, trace, ok = policies.modified_policy_iteration(
                self.layout, self.discount, np.zeros(self.n_states), sweeps_between, tol, max_iter, history
            )
            return self._solution(name, V, done, bound, trace, ok)
        quotient = undiscounted.well_posed(self.layout)
        V, done, _, trace, ok = policies.modified_policy_iteration(
            quotient.layout, 1.0, np.zeros(quotient.layout.n_states), sweeps_between, tol / 1000, max_iter, False
        )
        return self._enclosed(name, quotient, V, done, trace, ok)

    def linear_program(self) -> Solution:
        """Solve (2) as a linear programme: the smallest values that no backup can raise."""
        if self.discount < 1:
            V, done = programme.linear_program(self.layout, self.discount)
            return self._certified("linear programme", V, done, [], True)
        quotient = undiscounted.well_posed(self.layout)
        V, done = programme.linear_program(quotient.layout, 1.0)
        return self._enclosed("linear programme", quotient, V, done, [], True)

    def average_reward(self, tol: float = 1e-8, *, max_iter: int = 200_000, history: bool = False) -> Solution:
        """Maximise the average reward a step, whatever the discount; ``gain`` is it, ``values`` the bias."""
        self._check(tol, max_iter)
        return gains.average_reward(self.layout, tol, max_iter, history)

    def backward_induction(self, horizon: int, *, final: ArrayLike | None = None) -> Solution:
        r"""Solve a finite horizon: :math:`V_t = \max_a (r + \gamma P V_{t+1})`, :math:`V_H` = ``final``.

        ``values[t]`` and ``policy[t]`` hold with ``horizon - t`` decisions left.
        """
        from epee.kernels.mdp_sweeps import bellman

        if int(horizon) != horizon or horizon < 1:
            raise WrongUse(f"horizon is {horizon!r}; it must be a whole number of at least 1.")
        n, layout = self.n_states, self.layout
        if horizon * n * (self.n_actions + 2) > 2e9:
            raise TooLarge(
                f"a horizon of {horizon} with {n} states needs {8e-9 * horizon * n * (self.n_actions + 2):.0f} GB."
            )
        values = np.zeros((horizon + 1, n))
        if final is not None:
            values[horizon] = self._values(final)
        policy = np.zeros((horizon, n), np.int64)
        q = np.empty((horizon, n, self.n_actions))
        best = np.empty(n, np.int64)
        trace = []
        with sweeps.Crew(layout) as crew, progress("backward induction", horizon) as tick:
            for t in range(horizon - 1, -1, -1):
                change = crew.sweep(bellman, *layout.sweep_arrays, self.discount, values[t + 1], values[t], best)
                policy[t] = sweeps.actions_of(layout, best)
                q[t] = layout.table(sweeps.pair_values(layout, self.discount, values[t + 1]), -np.inf)
                trace.append(Sweep(horizon - t, max(-change[0], change[1]), 0.0))
                tick()
        return Solution(values, policy, q, horizon, 0.0, trace, "backward induction", self.discount, grid=self.grid)

    def evaluate(
        self,
        policy: ArrayLike,
        *,
        method: Literal["auto", "direct", "iterative"] = "auto",
        tol: float = 1e-10,
        max_iter: int = 1_000_000,
        history: bool = False,
    ) -> Solution:
        """Value of a policy: (S,) actions, or (S, A) probabilities.

        Parameters
        ----------
        method : {"auto", "direct", "iterative"}
            Solve the linear equations, or sweep until within ``tol``; "auto" solves directly up to some 1,500 states.
        """
        self._check(tol, max_iter)
        law = policies.law_of(self.layout, policy)
        V, done, bound, trace = policies.evaluate(self.layout, law, self.discount, method, tol, max_iter, history)
        q = self.layout.table(sweeps.pair_values(self.layout, self.discount, V), -np.inf)
        return Solution(V, np.asarray(policy), q, done, bound, trace, "evaluation", self.discount, grid=self.grid)

    def dominates(self, policy: ArrayLike, other: ArrayLike, *, tol: float = 1e-9) -> bool:
        r"""Tell whether :math:`V_\pi \ge V_{\pi'}` in every state (up to ``tol``)."""
        return bool((self.evaluate(policy).values >= self.evaluate(other).values - tol).all())

    def simulate(
        self, policy: ArrayLike, steps: int, random_state: Seed = None, *, start: int | None = None
    ) -> Trajectory:
        """Follow a policy for some steps, beginning anew after each end."""
        from epee.mdp.trajectories import simulate

        return simulate(self, policies.law_of(self.layout, policy), steps, random_state, start)

    def to_gymnasium(self, *, max_episode_steps: int | None = None) -> Any:
        """Return a Gymnasium environment that plays this process, with its table in ``env.unwrapped.P``."""
        from epee.mdp.environments import export_environment

        return export_environment(self, max_episode_steps)

    def plot(self, solution: Solution | None = None, ax: Any = None) -> Any:
        """Draw the optimal values and policy."""
        return (solution or self.value_iteration()).plot(ax=ax)

    def _values(self, values: ArrayLike) -> Vector:
        V = np.array(values, dtype=float)
        if V.shape != (self.n_states,) or not np.isfinite(V).all():
            raise DataError(f"values must be {self.n_states} finite numbers, one a state; got shape {V.shape}.")
        V[self.layout.terminal] = 0.0
        return V

    def _check(self, tol: float, max_iter: int) -> None:
        if not tol > 0:
            raise WrongUse(f"tol is {tol!r}; it must be above 0.")
        if max_iter < 1:
            raise WrongUse(f"max_iter is {max_iter!r}; it must be at least 1.")

    def _solution(
        self, name: str, V: Vector, done: int, bound: float | None, trace: list[Sweep], ok: bool, policy: Any = None
    ) -> Solution:
        if not np.isfinite(V).all():
            raise DataError("the values grew beyond all numbers: the rewards are too large, or the process never ends.")
        pairs = sweeps.pair_values(self.layout, self.discount, V)
        if policy is None:
            policy = sweeps.actions_of(self.layout, sweeps.best_pairs(self.layout, pairs))
        if not ok:
            known = "no bound is known" if bound is None else f"values are within {bound:.2g}"
            warnings.warn(
                f"{name} stopped after {done} sweeps before the tolerance was reached; {known}.",
                SearchWarning,
                stacklevel=4,
            )
        q = self.layout.table(pairs, -np.inf)
        return Solution(V, policy, q, done, bound, trace, name, self.discount, converged=ok, grid=self.grid)

    def _certified(self, name: str, V: Vector, done: int, trace: list[Sweep], ok: bool) -> Solution:
        """Certify values found otherwise by one plain sweep."""
        from epee.kernels.mdp_sweeps import bellman

        out, best = np.empty_like(V), np.empty(self.n_states, np.int64)
        low, high = bellman(0, self.n_states, *self.layout.sweep_arrays, self.discount, V, out, best)
        below, above = sweeps.enclosure(self.layout, self.discount, low, high)
        V = sweeps.settle(self.layout, V, out, below, above)
        bound = (above - below) / 2 + sweeps.rounding(self.layout, self.discount, V)
        return self._solution(name, V, done, bound, trace, ok)

    def _enclosed(self, name: str, quotient: Quotient, V: Vector, done: int, trace: list[Sweep], ok: bool) -> Solution:
        """Certify values of a quotient by the interval of the undiscounted case."""
        enclosed = undiscounted.interval(quotient.layout, V)
        bound = None
        if enclosed is not None:
            V = V + np.where(quotient.layout.terminal, 0.0, (enclosed[0] + enclosed[1]) / 2)
            bound = float((enclosed[1] - enclosed[0]).max(initial=0.0) / 2)
        return self._lifted(name, quotient, V, done, bound, trace, ok)

    def _lifted(
        self, name: str, quotient: Quotient, V: Vector, done: int, bound: float | None, trace: list[Sweep], ok: bool
    ) -> Solution:
        layout = quotient.layout
        best = sweeps.best_pairs(layout, sweeps.pair_values(layout, 1.0, V))
        policy = sweeps.actions_of(self.layout, quotient.lift(best))
        return self._solution(name, V[quotient.node], done, bound, trace, ok, policy)


def _proper_pairs(layout: Layout) -> Any:
    """Return a policy that ends from everywhere: always one step nearer to an end."""
    everything = np.ones(layout.n_pairs, bool)
    final = np.full(layout.n_states, -1)
    leaving = np.flatnonzero(layout.leak > 1e-12)[::-1]
    final[layout.owner[leaving]] = leaving
    way = towards(layout, everything, distances(layout, everything, ends(layout)))
    return np.where(final >= 0, final, way)
