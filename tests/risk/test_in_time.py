"""Forward chaining says where rows to come will not err as those that were tested."""

import numpy as np
import pytest

from epee import LinearRegression
from epee.risk import cross_validate


@pytest.mark.parametrize(("trend", "off"), [(0.0, False), (4.0, True), (-4.0, True)])
def test_forecasts_that_err_on_one_side_are_told(trend, off):
    rng = np.random.default_rng(0)
    X, place = rng.normal(size=(160, 2)), np.arange(160) / 160
    y = X.sum(axis=1) + rng.normal(size=160) + trend * place
    found = cross_validate(LinearRegression(), X, y, time=True)
    assert ("same side" in found.caution) == off
    with_time = cross_validate(LinearRegression(), np.column_stack([X, place]), y, time=True)
    assert "same side" not in with_time.caution
