"""Tests that compare with what scikit-learn defines otherwise in older versions."""

import pytest
from sklearn import __version__
from sklearn.utils.fixes import parse_version


def as_of(version):
    """Return the mark of a test that agrees with scikit-learn from a version on, since it computed or named things otherwise before."""
    before = parse_version(__version__) < parse_version(version)
    return pytest.mark.skipif(
        before, reason=f"scikit-learn {version} computes or names this as épée does; older ones do not"
    )
