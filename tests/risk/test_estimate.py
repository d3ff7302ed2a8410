"""What a risk prints, and how two of them are subtracted."""

from __future__ import annotations

import numpy as np
import pytest

from epee.risk import Interval, Risk
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
