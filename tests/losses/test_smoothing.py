"""Rounded corners: derivatives, and how far from the sharp loss."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from epee.losses import HingeLoss, PerceptronLoss, Smoothed, SoftHinge
from epee.losses.smoothing import project_on_simplex


def slopes(f, S, h=1e-6):
    out = np.empty(S.shape)
    for k in range(S.shape[1]):
        e = np.zeros(S.shape)
        e[:, k] = h
        out[:, k] = (f(S + e) - f(S - e)) / (2 * h)
    return out


@pytest.mark.parametrize("sharp", [HingeLoss(), HingeLoss("max"), PerceptronLoss(), PerceptronLoss("sum")], ids=repr)
@pytest.mark.parametrize("width", [0.5, 0.01])
def test_smoothed_losses(sharp, width):
    rng = np.random.default_rng(0)
    loss, S, y = Smoothed(sharp=sharp, width=width), rng.normal(size=(40, 4)), rng.integers(0, 4, 40)
    assert_allclose(loss.gradient(S, y), slopes(lambda Z: loss.value(Z, y), S), atol=1e-6)
    H = loss.second(S, y)
    for k in range(4):
        assert_allclose(H[:, k], slopes(lambda Z, k=k: loss.gradient(Z, y)[:, k], S), atol=1e-5)
    gap = sharp.value(S, y) - loss.value(S, y)
    corners = 3 if sharp.form == "sum" else 1
    assert gap.min() >= -1e-12
    assert gap.max() <= corners * width / 2 + 1e-12
    assert np.linalg.eigvalsh(loss.metric(S, y)).min() > -1e-8 / width
    s, t = rng.normal(size=40), rng.integers(0, 2, 40)
    assert np.abs(sharp.value(s, t) - loss.value(s, t)).max() <= width / 2 + 1e-12


def test_soft_hinge():
    s, y = np.linspace(-4, 4, 81), np.ones(81)
    loss = SoftHinge(width=0.3)
    assert_allclose(loss.gradient(s, y), slopes(lambda Z: loss.value(Z[:, 0], y), s[:, None])[:, 0], atol=1e-7)
    assert_allclose(loss.second(s, y), slopes(lambda Z: loss.gradient(Z[:, 0], y), s[:, None])[:, 0], atol=1e-6)
    gap = loss.value(s, y) - HingeLoss().value(s, y)
    assert gap.min() >= 0
    assert gap.max() <= 0.3 * np.log(2) + 1e-12


def test_projection_on_the_simplex():
    Z = np.random.default_rng(0).normal(size=(50, 5)) * 2
    P = project_on_simplex(Z)
    assert_allclose(P.sum(axis=1), 1)
    assert (P >= 0).all()
    others = np.random.default_rng(1).dirichlet(np.ones(5), 50)
    assert (((Z - P) ** 2).sum(axis=1) <= ((Z - others) ** 2).sum(axis=1) + 1e-12).all()
