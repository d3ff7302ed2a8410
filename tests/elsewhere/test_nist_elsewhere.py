"""NIST's tables keep their digits wherever the rows lie."""

import numpy as np
import pytest

import epee
from tests.agreement.nist import test_nist as nist


@pytest.mark.parametrize("name", nist.NAMES)
@pytest.mark.filterwarnings("ignore::epee.errors.EpeeWarning")
def test_as_many_digits_as_here(send, name):
    X, y, _, _, entry = nist.problem(name)
    far = epee.LinearRegression(fit_intercept=entry["intercept"]).fit(send(X), send(y))
    here = epee.LinearRegression(fit_intercept=entry["intercept"]).fit(X, y)
    certified = nist.values(entry, "estimate")
    found, known = (nist.digits(model.summary().params, certified) for model in (far, here))
    assert found >= (7.5 if name == "Filip" else 9)
    assert found >= min(known, 12) - 1
    assert nist.digits(far.summary().bse, nist.values(entry, "sd")) >= 6


@pytest.mark.filterwarnings("ignore::epee.errors.EpeeWarning")
def test_a_large_mean_costs_no_digits(send):
    x = 1e7 + np.array([[0.2], [0.1], [0.3]] * 334)  # as NumAcc4
    m = epee.Moments.of(send(x))
    assert np.isclose(m.mean[0], x.mean(), rtol=1e-16)
    assert np.isclose(m.covariance(1)[0, 0], np.var([0.2, 0.1, 0.3] * 334, ddof=1), rtol=1e-7)
