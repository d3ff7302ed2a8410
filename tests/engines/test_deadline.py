import time

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

import epee
from epee.engines.deadline import OutOfTime, apart, seconds_left, until


def sleeper(seconds):
    time.sleep(seconds)
    return seconds


def test_work_apart_is_done_or_ended():
    with until(time.perf_counter() + 120):
        assert apart(sleeper, 0.0) == 0.0  # the process is there now
    begin = time.perf_counter()
    with until(begin + 0.3), pytest.raises(OutOfTime):
        apart(sleeper, 300.0)
    assert time.perf_counter() - begin < 60
    with until(time.perf_counter() + 120):  # another process takes the place of the one that was ended
        with pytest.raises(TypeError, match="'str' object"):
            apart(sleeper, "long")
        assert apart(sleeper, 0.0) == 0.0


def test_an_end_within_an_end_is_the_earlier():
    assert seconds_left() == np.inf
    with until(time.perf_counter() + 5), until(time.perf_counter() + 100):
        assert seconds_left() <= 5
    with until(0.0), pytest.raises(OutOfTime):  # no fold is begun
        epee.risk.cross_validate(LinearRegression(), np.eye(8), np.arange(8.0), folds=2)


@pytest.mark.parametrize("maker", [epee.HistGradientBoostingRegressor, epee.RandomForestRegressor])
def test_ours_stop_between_rounds_and_trees(maker):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 2))
    with until(time.perf_counter() + 1e-9), pytest.raises(OutOfTime):
        maker().fit(X, X[:, 0])
