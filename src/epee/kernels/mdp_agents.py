r"""Loops of learning by simulation: draw a transition, update one entry, choose the next action.

Everything is flat over the pairs (state, action): the pairs of state :math:`s` are ``first[s] .. first[s+1]``. A step
costs the same whatever the number of successors, for they are drawn by Walker's alias method. Random numbers come from
splitmix64, whose whole state is one integer, so a run can stop at a checkpoint and go on.

``numbers`` holds (discount, step scale, step power, exploration rate, its floor, its decay, gain scale, gain power,
trace decay) and ``memory`` what changes (steps done, average reward, updates of it, reward since the last checkpoint,
episodes ended since, their returns, the return so far, its discount, steps of this episode).
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from epee.kernels.compiling import kernel

Q, DOUBLE, SARSA, EXPECTED, R = range(5)
UNIFORM, EPSILON, BOLTZMANN, PAIRS, GIVEN = range(5)
DISCOUNT, SCALE, POWER, RATE, FLOOR, DECAY, GAIN_SCALE, GAIN_POWER, LAMBDA = range(9)
STEPS, GAIN, GAIN_UPDATES, REWARD, EPISODES, RETURNS, RETURN, WEIGHT, LENGTH = range(9)

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_30, _27, _31, _11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)


@kernel(inline="always")
def uniform(rng):
    """Draw from [0, 1)."""
    rng[0] += _GOLDEN
    z = rng[0]
    z = (z ^ (z >> _30)) * _FIRST
    z = (z ^ (z >> _27)) * _SECOND
    return ((z ^ (z >> _31)) >> _11) * (1.0 / 9007199254740992.0)


@kernel
def alias_tables(ptr, prob, keep, other):
    """Walker's tables: row entry i is kept with probability keep[i], else replaced by other[i]."""
    widest = 0
    for k in range(ptr.shape[0] - 1):
        widest = max(widest, ptr[k + 1] - ptr[k])
    small = np.empty(widest, np.int64)
    large = np.empty(widest, np.int64)
    for k in range(ptr.shape[0] - 1):
        lo, n = ptr[k], ptr[k + 1] - ptr[k]
        few = many = 0
        for i in range(n):
            keep[lo + i] = prob[lo + i] * n
            other[lo + i] = lo + i
            if keep[lo + i] < 1.0:
                small[few] = lo + i
                few += 1
            else:
                large[many] = lo + i
                many += 1
        while few > 0 and many > 0:
            few -= 1
            poor, rich = small[few], large[many - 1]
            other[poor] = rich
            keep[rich] -= 1.0 - keep[poor]
            if keep[rich] < 1.0:
                many -= 1
                small[few] = rich
                few += 1
        for i in range(few):
            keep[small[i]] = 1.0
        for i in range(many):
            keep[large[i]] = 1.0


@kernel(inline="always")
def draw(lo, hi, keep, other, rng):
    """Draw one entry of the row lo..hi."""
    u = uniform(rng) * (hi - lo)
    i = int(u)
    j = lo + i
    instead = other[j]  # read before the test, so that it compiles to a select and not to a jump
    return j if u - i < keep[j] else instead


@kernel(inline="always")
def _score(q, k, two):
    """Return what pair k is worth: its value, or the sum of its two values."""
    return q[0, k] + q[1, k] if two else q[0, k]


@kernel(inline="always")
def rate(numbers, t):
    """Exploration rate of step t: floor + (rate - floor) / (1 + decay t)."""
    if numbers[DECAY] == 0.0:
        return numbers[RATE]
    return numbers[FLOOR] + (numbers[RATE] - numbers[FLOOR]) / (1.0 + numbers[DECAY] * t)


@kernel(inline="always")
def _greedy(q, lo, hi, two, rng):
    """Best pair, at random among ties, and its score. Selects, no jumps: which is best cannot be predicted."""
    best, top, ties = lo, _score(q, lo, two), 1
    for k in range(lo + 1, hi):
        value = _score(q, k, two)
        ties = 1 if value > top else ties + (1 if value == top else 0)
        best = k if value > top else best
        top = value if value > top else top
    if ties > 1:
        skip = int(uniform(rng) * ties)
        for k in range(lo, hi):
            if _score(q, k, two) == top:
                if skip == 0:
                    return k, top
                skip -= 1
    return best, top


@kernel(inline="always")
def choose(explore, heat, q, two, law, rng, lo, hi):
    """Choose a pair of the state whose pairs are lo..hi; return it and, where it was looked for, the best score."""
    if explore == UNIFORM or explore == PAIRS:
        return lo + int(uniform(rng) * (hi - lo)), np.nan
    if explore == EPSILON:
        best, top = _greedy(q, lo, hi, two, rng)
        random = lo + int(uniform(rng) * (hi - lo))
        return (random if uniform(rng) < heat else best), top
    total = 0.0
    if explore == GIVEN:  # law: the probability of every pair
        u = uniform(rng)
        last = lo
        for k in range(lo, hi):
            total += law[k]
            if law[k] > 0.0:
                last = k
            if u < total:
                return k, np.nan
        return last, np.nan
    if two:
        heat *= 2.0  # the two tables add up to twice the value
    top = -np.inf
    for k in range(lo, hi):
        top = max(top, _score(q, k, two))
    for k in range(lo, hi):
        total += np.exp((_score(q, k, two) - top) / heat)
    u = uniform(rng) * total
    for k in range(lo, hi):
        u -= np.exp((_score(q, k, two) - top) / heat)
        if u < 0.0:
            return k, top
    return hi - 1, top


@kernel(inline="always")
def _top(q, row, lo, hi):
    """Return the largest value of the pairs lo..hi in one table."""
    top = q[row, lo]
    for k in range(lo + 1, hi):
        value = q[row, k]
        top = value if value > top else top
    return top


@kernel(inline="always")
def _mean_value(explore, heat, q, law, lo, hi):
    """Expected value of the next action under the exploring policy."""
    total = weight = 0.0
    if explore == GIVEN:
        for k in range(lo, hi):
            total += law[k] * q[0, k]
        return total
    if explore == BOLTZMANN:
        top = _top(q, 0, lo, hi)
        for k in range(lo, hi):
            e = np.exp((q[0, k] - top) / heat)
            total += e * q[0, k]
            weight += e
        return total / weight
    for k in range(lo, hi):
        total += q[0, k]
    total /= hi - lo
    if explore == EPSILON:
        return heat * total + (1.0 - heat) * _top(q, 0, lo, hi)
    return total


@kernel(inline="always")
def step_size(n, table, numbers):
    """Step of the n-th visit: scale / n^power, from a table for the first ones."""
    if n < table.shape[0]:
        return table[n]
    return numbers[SCALE] / n if numbers[POWER] == 1.0 else numbers[SCALE] * n ** -numbers[POWER]


@kernel(inline="always")
def _update(method, explore, heat, q, visits, law, table, numbers, memory, rng, k, lo, hi, reward, lo2, hi2, ended):
    r"""Move the value of pair k towards its target by a step alpha; return the next pair.

    The target is reward + discount * future, where future is the largest value of the state reached (Q), the value of the pair
    chosen there (SARSA), the mean over the exploring policy (EXPECTED), or one table's value of the other table's best pair
    (DOUBLE, a coin says which is moved). R-learning takes reward - gain + future, and moves the gain when the pair is the best.
    """
    two = method == DOUBLE
    after, top = -1, np.nan
    if not ended:
        after, top = choose(explore, heat, q, two, law, rng, lo2, hi2)
    row = 1 if two and uniform(rng) < 0.5 else 0
    future = 0.0
    if not ended:
        if method == Q or method == R:
            future = top if explore == EPSILON or explore == BOLTZMANN else _top(q, 0, lo2, hi2)
        elif method == SARSA:
            future = q[0, after]
        elif method == EXPECTED:
            future = _mean_value(explore, heat, q, law, lo2, hi2)
        else:
            best = lo2
            for b in range(lo2 + 1, hi2):
                best = b if q[row, b] > q[row, best] else best
            future = q[1 - row, best]
    visits[row, k] += 1
    alpha = step_size(visits[row, k], table, numbers)
    if method == R:
        q[0, k] += alpha * (reward - memory[GAIN] + future - q[0, k])
        best_here = _top(q, 0, lo, hi)
        if q[0, k] == best_here:
            memory[GAIN_UPDATES] += 1.0
            beta = numbers[GAIN_SCALE] * memory[GAIN_UPDATES] ** -numbers[GAIN_POWER]
            memory[GAIN] += beta * (reward - memory[GAIN] + future - best_here)
    else:
        q[row, k] += alpha * (reward + numbers[DISCOUNT] * future - q[row, k])
    return after


@kernel
def observe(method, explore, q, visits, law, table, numbers, memory, rng, k, lo, hi, reward, lo2, hi2, ended):
    """Learn from one transition of pair k; return the pair to try next (-1 when the episode has ended).

    The state left has pairs lo..hi, the state reached lo2..hi2.
    """
    heat = rate(numbers, memory[STEPS])
    after = _update(
        method, explore, heat, q, visits, law, table, numbers, memory, rng, k, lo, hi, reward, lo2, hi2, ended
    )
    account(numbers, memory, reward, ended)
    return after


@kernel
def begin(explore, q, two, law, numbers, memory, rng, lo, hi):
    """Choose the first pair of an episode."""
    return choose(explore, rate(numbers, memory[STEPS]), q, two, law, rng, lo, hi)[0]


@kernel
def account(numbers, memory, reward, ended):
    """Keep the books of rewards and returns."""
    memory[STEPS] += 1.0
    memory[REWARD] += reward
    memory[LENGTH] += 1.0
    memory[RETURN] += memory[WEIGHT] * reward
    memory[WEIGHT] *= numbers[DISCOUNT]
    if ended:
        close_episode(memory)


@kernel
def close_episode(memory):
    """Count the episode and begin another."""
    memory[EPISODES] += 1.0
    memory[RETURNS] += memory[RETURN]
    memory[RETURN] = 0.0
    memory[WEIGHT] = 1.0
    memory[LENGTH] = 0.0


@lru_cache
def runner(method, explore):
    """Compile the loop of one method with one exploration: constants in place of tests make a step a quarter shorter."""

    @kernel
    def run(steps, limit, k, owner, first, ptr, keep, other, succ, payoff, stop, starts, start_keep,
            start_other, q, visits, law, table, numbers, memory, rng):  # fmt: skip
        """Learn for some steps on a process; ``k`` is the pair to try first (-1: begin an episode). Returns the next one.

        The books of :func:`account` are kept in local variables here, which makes a step a quarter shorter.
        """
        two = method == DOUBLE
        pairs = owner.shape[0]
        t, gained, length = memory[STEPS], memory[REWARD], memory[LENGTH]
        worth, weight, discount = memory[RETURN], memory[WEIGHT], numbers[DISCOUNT]
        fades = numbers[DECAY] > 0.0
        heat = rate(numbers, t)
        for _ in range(steps):
            if fades:
                heat = rate(numbers, t)
            if explore == PAIRS:
                k = int(uniform(rng) * pairs)
            elif k < 0:
                s = starts[draw(0, starts.shape[0], start_keep, start_other, rng)]
                k = choose(explore, heat, q, two, law, rng, first[s], first[s + 1])[0]
            s = owner[k]
            j = draw(ptr[k], ptr[k + 1], keep, other, rng)
            s2, reward, ended = succ[j], payoff[j], stop[j]
            k = _update(method, explore, heat, q, visits, law, table, numbers, memory, rng, k, first[s], first[s + 1],
                        reward, first[s2], first[s2 + 1], ended)  # fmt: skip
            t += 1.0
            length += 1.0
            gained += reward
            worth += weight * reward
            weight *= discount
            if ended or (limit > 0 and length >= limit):
                memory[EPISODES] += 1.0
                memory[RETURNS] += worth
                worth, weight, length, k = 0.0, 1.0, 0.0, -1
        memory[STEPS], memory[REWARD], memory[LENGTH] = t, gained, length
        memory[RETURN], memory[WEIGHT] = worth, weight
        return k

    return run


@kernel
def observe_traces(replacing, explore, V, q, counts, visits, law, table, numbers, memory, rng, trace, active, k, s, s2,
                   reward, lo2, hi2, ended):  # fmt: skip
    """TD(lambda) update of all states with a live trace; returns the next pair (-1 when the episode has ended).

    ``active[0]`` counts the live traces, listed after it; one below 1e-12 is dropped.
    """
    after = -1
    if not ended:
        after = choose(explore, rate(numbers, memory[STEPS]), q, False, law, rng, lo2, hi2)[0]
    future = 0.0 if ended else numbers[DISCOUNT] * V[s2]
    error = reward + future - V[s]
    visits[0, k] += 1
    q[0, k] += step_size(visits[0, k], table, numbers) * (reward + future - q[0, k])
    counts[s] += 1
    if trace[s] == 0.0:
        active[0] += 1
        active[active[0]] = s
    trace[s] = 1.0 if replacing else trace[s] + 1.0
    i = 1
    while i <= active[0]:
        t = active[i]
        V[t] += step_size(counts[t], table, numbers) * error * trace[t]
        trace[t] *= numbers[DISCOUNT] * numbers[LAMBDA]
        if ended or trace[t] < 1e-12:
            trace[t] = 0.0
            active[i] = active[active[0]]
            active[0] -= 1
        else:
            i += 1
    account(numbers, memory, reward, ended)
    return after


@kernel
def drop_traces(trace, active):
    """Forget all traces: an episode begins."""
    for i in range(1, active[0] + 1):
        trace[active[i]] = 0.0
    active[0] = 0


@kernel
def run_traces(replacing, explore, steps, limit, k, owner, first, ptr, keep, other, succ, payoff, stop, starts,
               start_keep, start_other, V, q, counts, visits, law, table, numbers, memory, rng, trace, active):  # fmt: skip
    """TD(lambda) for some steps on a process; as :func:`run`."""
    for _ in range(steps):
        if k < 0:
            s = starts[draw(0, starts.shape[0], start_keep, start_other, rng)]
            k = begin(explore, q, False, law, numbers, memory, rng, first[s], first[s + 1])
        s = owner[k]
        j = draw(ptr[k], ptr[k + 1], keep, other, rng)
        s2 = succ[j]
        k = observe_traces(replacing, explore, V, q, counts, visits, law, table, numbers, memory, rng, trace, active,
                           k, s, s2, payoff[j], first[s2], first[s2 + 1], stop[j])  # fmt: skip
        if limit > 0 and memory[LENGTH] >= limit:
            close_episode(memory)
            drop_traces(trace, active)
            k = -1
    return k


@kernel
def play(law, s, first, ptr, keep, other, succ, payoff, stop, starts, start_keep, start_other, rng, states, pairs,
         rewards, reached, ended):  # fmt: skip
    """Follow a policy (the probability of every pair) and write the trajectory down; a new start after an end."""
    for t in range(states.shape[0]):
        if s < 0:
            s = starts[draw(0, starts.shape[0], start_keep, start_other, rng)]
        u, total, k = uniform(rng), 0.0, -1
        for i in range(first[s], first[s + 1]):
            total += law[i]
            if law[i] > 0.0:
                k = i
            if u < total:
                break
        j = draw(ptr[k], ptr[k + 1], keep, other, rng)
        states[t], pairs[t], rewards[t], reached[t], ended[t] = s, k, payoff[j], succ[j], stop[j]
        s = -1 if stop[j] else succ[j]
    return s


@kernel
def episode_returns(first_visit, discount, lo, hi, states, rewards, seen, count, total, square):
    """Add the discounted returns of the episode lo..hi to the sums of the states that it visits, from its end."""
    if first_visit:
        for t in range(lo, hi):
            seen[states[t]] = -1
        for t in range(lo, hi):
            if seen[states[t]] < 0:
                seen[states[t]] = t
    G = 0.0
    for t in range(hi - 1, lo - 1, -1):
        G = rewards[t] + discount * G
        s = states[t]
        if not first_visit or seen[s] == t:
            count[s] += 1
            gap = G - total[s]  # total: running mean (Welford)
            total[s] += gap / count[s]
            square[s] += gap * (G - total[s])
