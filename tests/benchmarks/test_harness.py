from __future__ import annotations

import numpy as np
import pytest

from benchmarks.harness import Problem, Seconds, compare, gram, memory_copy


def test_ratios_point_the_right_way():
    found = compare(lambda: Seconds(2.0), {"slower": lambda: Seconds(6.0)}, {"limit": lambda: Seconds(1.0)}, repeat=3)
    assert found.seconds == 2.0
    assert (found.rivals["slower"].seconds, found.rivals["slower"].ratio) == (6.0, 3.0)
    assert found.limits["limit"].ratio == 2.0


def test_spread_is_that_of_the_rounds():
    theirs = iter([0.0, 0.0, 2.0, 4.0, 6.0, 8.0, 10.0])  # the first call and the look at its length come first
    found = compare(lambda: Seconds(2.0), {"rival": lambda: Seconds(next(theirs))}, repeat=5)
    rival = found.rivals["rival"]
    assert (rival.low, rival.ratio, rival.high) == (2.0, 3.0, 4.0)


def test_everyone_in_turn_and_the_order_rotates():
    calls: list[str] = []

    def player(name):
        def call():
            calls.append(name)
            return Seconds(1.0)

        return call

    compare(player("a"), {"b": player("b")}, {"c": player("c")}, repeat=3)
    assert "".join(calls[-9:]) == "abcbcacab"


def test_data_reach_everyone_and_results_are_compared():
    seen = []

    def ours(x, y):
        seen.append((x, y))
        return x + y

    found = compare(
        ours, {"same": lambda x, y: y + x, "other": lambda x, y: x - y}, data=(1, 2), repeat=1, same=lambda a, b: a == b
    )
    assert set(seen) == {(1, 2)}
    assert found.rivals["same"].same is True and found.rivals["other"].same is False


def test_an_absent_rival_is_named():
    def absent():
        import a_package_of_nobody  # noqa: F401

    found = compare(lambda: 1, {"absent": absent}, repeat=1)
    assert found.rivals == {} and "a_package_of_nobody" in found.absent["absent"]


def test_the_budget_ends_the_rounds():
    assert compare(lambda: 1, repeat=50, budget=0.0).rounds == 1


def test_short_calls_are_repeated_within_a_reading():
    calls = [0]

    def short():
        calls[0] += 1

    compare(short, repeat=1)
    assert calls[0] > 20


def test_limits_do_their_work():
    X = np.arange(12.0).reshape(4, 3)
    np.testing.assert_allclose(gram(X), X.T @ X)
    memory_copy(X)
    from benchmarks.harness import _buffers

    np.testing.assert_array_equal(_buffers[X.shape, X.dtype], X)


def test_a_claim_must_name_somebody():
    with pytest.raises(ValueError, match="nobody"):
        Problem("p", ours=lambda: 1, claim={"nobody": 2})
    with pytest.raises(ValueError, match="a rival and a limit"):
        Problem("p", ours=lambda: 1, rivals={"a": int}, limits={"a": int})
