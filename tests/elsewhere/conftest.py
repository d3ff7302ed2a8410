import numpy as np
import pytest

from epee.engines import device
from tests.elsewhere.libraries import LIBRARIES, sender


@pytest.fixture(params=LIBRARIES)
def send(request):
    """The function that makes an array of one of the libraries."""
    return sender(request.param)


@pytest.fixture(autouse=True)
def _nothing_told_yet():
    device._told.clear()


@pytest.fixture
def table():
    """Rows of three classes, a target, weights, folds: (X, codes, t, w, fold)."""
    rng = np.random.default_rng(7)
    n, p = 400, 6
    codes = rng.integers(0, 3, n)
    X = rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) + 10.0 + np.eye(3, p)[codes] * 3
    t = X @ np.linspace(-1, 1, p) + rng.normal(size=n)
    return X, codes, t, rng.integers(0, 4, n).astype(float), rng.integers(0, 5, n)
