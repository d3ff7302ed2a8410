"""The laws of the slower methods at every width from 1 to 40; those of all others are checked each time, tests/contract/test_laws.py."""

from __future__ import annotations

import pytest

from epee.estimator.registry import METHODS
from tests.contract.test_laws import HEAVY, WIDTHS, check_laws
from tests.faults.corpus import slow

ONE_COLUMN = {"SmoothingSpline"}  # takes no more


@slow
@pytest.mark.parametrize(
    "method", [m for m in METHODS if m.name in HEAVY and m.name not in ONE_COLUMN], ids=lambda m: m.name
)
def test_laws_hold_at_every_width(method):
    check_laws(method, WIDTHS)
