"""Samples of a known law: the law holds, and seeds are seeds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import BPoly
from sklearn.datasets import load_digits

from epee import samples
from epee.errors import WrongUse


def test_functional_samples_share_inputs_and_differ_by_noise():
    a, b = (samples.functional(np.cos, 0.5, 4000, random_state=seed) for seed in (1, 2))
    np.testing.assert_array_equal(a.x, b.x)
    np.testing.assert_array_equal(a.truth, np.cos(a.x))
    noise = a.y - a.truth
    assert abs(noise.mean()) < 4 * 0.5 / np.sqrt(4000) and noise.var() == pytest.approx(0.25, rel=0.1)
    assert abs(np.corrcoef(noise, b.y - b.truth)[0, 1]) < 0.1
    again = samples.functional(np.cos, 0.5, x=a.x, random_state=1)
    np.testing.assert_array_equal(again.y, a.y)
    np.testing.assert_array_equal(samples.functional(np.cos, 0.0, 9).y, np.cos(np.linspace(0, 1, 9)))


def test_functional_takes_rows_and_says_what_is_wrong():
    rows = np.random.default_rng(0).random((30, 3))
    assert samples.functional(lambda X: X @ [1.0, 2.0, 3.0], x=rows).y.shape == (30,)
    for bad in ({"f": 3}, {"noise": -1}, {"n": 0}, {"support": (1.0, 1.0)}, {"f": lambda x: 1.0}):
        with pytest.raises(WrongUse):
            samples.functional(**({"f": np.sin} | bad))


@given(st.lists(st.floats(-10, 10), min_size=1, max_size=9))
@settings(max_examples=30, deadline=None)
def test_bezier_curves_are_bernsteins(points):
    curve, t = samples.bezier(points), np.linspace(0, 1, 21)
    B = curve.basis(t)
    np.testing.assert_allclose(B.sum(axis=1), 1)
    assert (B >= 0).all()
    assert curve([0.0])[0] == points[0] and curve([1.0])[0] == points[-1]
    np.testing.assert_allclose(curve(t), BPoly(np.array(points)[:, None], [0.0, 1.0])(t), atol=1e-9)
    assert min(points) - 1e-9 <= curve(t).min() and curve(t).max() <= max(points) + 1e-9


def test_bezier_in_the_plane():
    curve = samples.bezier([[0.0, 0.0], [1.0, 2.0], [2.0, 0.0]])
    np.testing.assert_allclose(curve([0.5]), [[1.0, 1.0]])
    with pytest.raises(WrongUse, match="finite"):
        samples.bezier([0.0, np.nan])


def test_heights_have_two_laws():
    drawn = samples.heights(20_000, share=0.3, random_state=0)
    assert (drawn.sex == "woman").mean() == pytest.approx(0.3, abs=0.02)
    for sex, mean, deviation in (("woman", 165.0, 6.5), ("man", 178.0, 7.0)):
        own = drawn.cm[drawn.sex == sex]
        assert own.mean() == pytest.approx(mean, abs=0.3) and own.std() == pytest.approx(deviation, rel=0.05)
    assert set(samples.heights(50, share=1.0).sex) == {"woman"}
    with pytest.raises(WrongUse, match="share"):
        samples.heights(10, share=2)


def test_digits_are_the_digits():
    theirs = load_digits()
    mine = samples.digits()
    np.testing.assert_array_equal(16 * mine.rows, theirs.data)
    np.testing.assert_array_equal(mine.labels, theirs.target)
    table = samples.load("digits")
    np.testing.assert_array_equal(table.iloc[:, :64], theirs.data)


def test_larger_digits_show_the_same():
    small, large = samples.digits(n=40, only=[1, 7]), samples.digits(32, n=40, only=[1, 7])
    np.testing.assert_array_equal(small.labels, large.labels)
    assert large.images.shape == (40, 32, 32) and set(large.labels) == {1, 7}
    assert large.images.min() >= 0 and large.images.max() <= 1
    back = large.images.reshape(40, 8, 4, 8, 4).mean(axis=(2, 4))  # the mean of the small squares is near the pixel
    assert np.corrcoef(back.ravel(), small.images.ravel())[0, 1] > 0.97
    for bad in ({"size": 4}, {"only": [10]}, {"n": 10**6}):
        with pytest.raises(WrongUse):
            samples.digits(**bad)
