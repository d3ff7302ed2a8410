"""What a risk prints, and how two of them are subtracted."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.risk.laws import FirstNumber
from epee.risk import Interval, Risk, holdout_error
from epee.words.numbers import decimals


def make(value, stderr, losses=None, rows=None, **more):
    return Risk(
        value,
        stderr,
        Interval(value - 2 * stderr, value + 2 * stderr),
        n=100,
        loss="zero_one",
        row_losses=losses,
        rows=rows,
        **more,
    )


def test_prints_as_the_contract_says():
    risk = Risk(0.0812, 0.0061, Interval(0.0699, 0.0938))
    assert str(risk) == f"{risk}" == "0.081 ± 0.006 [0.070, 0.094]"
    assert f"{risk:.1f}" == "0.1" and float(risk) == 0.0812
    assert risk.low == risk.interval.low and risk.high == risk.interval.high


@pytest.mark.parametrize(("value", "stderr", "text"), [
    (1234.5, 260.0, "1234 ± 260"), (12.345, 0.012, "12.345 ± 0.012"), (0.5, 0.2, "0.50 ± 0.20"), (3e-9, 1e-9, "3e-09 ± 1e-09"),
])  # fmt: skip
def test_digits_follow_the_error(value, stderr, text):
    assert str(make(value, stderr)).startswith(text)
    assert decimals(0.0, 0.0) == 3


def test_paired_is_the_mean_of_differences():
    rng = np.random.default_rng(0)
    shared = rng.random(400)
    a, b = shared + 0.01 * rng.random(400), shared
    paired = make(a.mean(), 0.015, a, "same") - make(b.mean(), 0.015, b, "same")
    apart = make(a.mean(), 0.015, a, "one") - make(b.mean(), 0.015, b, "other")
    assert paired.value == pytest.approx(apart.value) and paired.stderr < apart.stderr / 10
    assert paired.p_value < 1e-6 < 0.1 < apart.p_value
    assert "paired" in paired.how and "independent" in apart.how


def test_no_difference_at_all():
    losses = np.ones(10)
    gap = make(1.0, 0.1, losses, "same") - make(1.0, 0.1, losses, "same")
    assert gap.value == 0 and gap.p_value == 1


def test_other_level_is_wider():
    risk = make(0.5, 0.1)
    assert risk.at(0.99).high > risk.at(0.9).high and risk.at(0.9).level == 0.9


def test_to_dict_is_plain():
    import json

    assert json.loads(json.dumps(make(0.5, 0.1).to_dict()))["value"] == 0.5


def held_out(rng, n, spread=1.0, level=0.9):
    X = rng.normal(size=(n, 1))
    return holdout_error(FirstNumber(), X, X[:, 0] + spread * (rng.exponential(size=n) - 1), level=level)


def test_risks_of_other_rows_keep_their_own_intervals():
    """Few rows of skewed losses against many: a normal interval of the difference covers 80 % of 90, and alarms in 15 %."""
    rng = np.random.default_rng(0)
    found = [held_out(rng, 50) - held_out(rng, 300) for _ in range(200)]
    assert np.mean([0.0 in gap.interval for gap in found]) > 0.86
    assert np.mean([gap.p_value < 0.05 for gap in found]) < 0.09
    assert all((gap.p_value < 0.05) == (0.0 not in gap.at(0.95).interval) for gap in found)


def test_a_difference_says_what_its_risks_say():
    rng = np.random.default_rng(0)
    few, many = held_out(rng, 20), held_out(rng, 500)
    assert few.caution and few.caution in (few - many).caution


def test_rates_that_hardly_disagree_have_an_interval():
    a, b = np.zeros(50), np.zeros(50)
    gap = make(0.0, 0.0, a, "same") - make(0.0, 0.0, b, "same")
    assert gap.low < -0.03 and gap.high > 0.03 and gap.p_value == 1
    a[:5] = 1.0
    gap = make(0.1, 0.04, a, "same") - make(0.0, 0.0, b, "same")
    assert gap.p_value == pytest.approx(2 / 2**5)
    assert gap.at(0.99).low < gap.at(0.9).low < gap.value


def test_the_interval_of_skewed_differences_is_longer_above():
    losses = np.random.default_rng(0).exponential(size=200) ** 2
    gap = Risk(0.0, 0.0, Interval(0, 0), row_losses=2 * losses, rows="same") - Risk(
        0.0, 0.0, Interval(0, 0), row_losses=losses, rows="same"
    )
    assert gap.high - gap.value > 1.2 * (gap.value - gap.low)
    assert gap.at(0.5).high < gap.high


def test_losses_that_never_differ_are_marked():
    """Nobody knows how large a squared loss would be where two predictors differ for the first time."""
    losses = np.random.default_rng(0).exponential(size=60)
    same = Risk(0.0, 0.0, Interval(0, 0), loss="squared", row_losses=losses, rows="same")
    assert (same - same).value == 0 and (same - same).caution


def test_a_difference_of_risks_by_groups_or_in_time_keeps_its_units():
    """Two predictors whose errors are those of the groups: 240 rows are worth 30."""
    rng = np.random.default_rng(0)
    groups, time, rows = np.repeat(np.arange(30), 8), np.arange(240), rng.normal(size=240)
    one, other = rng.normal(size=(2, 30))[:, groups]

    def difference(**units):
        a, b = (holdout_error(FirstNumber(), np.column_stack([x + rows, rows]), rows, **units) for x in (one, other))
        return a - b

    spread = np.std(one**2 - other**2, ddof=1) / np.sqrt(240)  # of rows that stand alone
    grouped, timed = difference(groups=groups), difference(time=time)
    assert grouped.value == pytest.approx(np.mean(one**2 - other**2)) and timed.value == pytest.approx(grouped.value)
    assert grouped.stderr == pytest.approx(spread * np.sqrt(8), rel=0.05)
    assert timed.stderr > 2 * spread
