"""What a loss says of its mean: whether it is a rate, between which bounds it lies, in which unit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epee.losses import resolve
from epee.losses.decisions import Costs
from epee.losses.loss import Loss
from epee.losses.names import LOSSES, named
from epee.risk.intervals import Interval, within_range


@pytest.mark.parametrize("name", LOSSES)
def test_only_the_share_of_errors_is_a_rate(name):
    loss = resolve(name)
    assert loss.is_rate == (name == "zero_one") and loss.low == 0
    bounded = {"zero_one": 1.0, "brier": 2.0, "auc": 1.0}
    assert loss.high == bounded.get(name, np.inf) and (loss.unit == "points") == loss.is_rate


def test_units():
    units = {name: resolve(name).unit for name in ("squared", "absolute", "l1.5", "huber", "log", "hinge")}
    assert units == {
        "squared": "target²",
        "absolute": "target",
        "l1.5": "target^1.5",
        "huber": "target²",
        "log": "nats",
        "hinge": "",
    }


def test_costs_bound_their_mean():
    costs = Costs([[0.5, 5], [1, 0.25], [2, 2]])
    assert (costs.low, costs.high, costs.unit, costs.is_rate) == (0.25, 5.0, "cost", False)
    drawn = costs.value(np.array([0, 1, -1, 0]), np.array([0, 1, 1, 1]))
    assert costs.low <= drawn.mean() <= costs.high


def test_a_figure_may_name_a_loss_that_is_nobodys():
    assert named("my own").high == np.inf and not named("costs").is_rate
    own = type("Own", (Loss,), {"name": "own", "low": -1.0})()
    assert named(own) is own and within_range(Interval(-5.0, 2.0), own) == (-1.0, 2.0)


@given(st.floats(-3, 3), st.floats(0, 3), st.sampled_from(["zero_one", "squared"]))
def test_an_interval_stays_in_range_and_in_order(middle, half, loss):
    low, high = within_range(Interval(middle - half, middle + half), loss)
    assert named(loss).low <= low <= high <= named(loss).high
