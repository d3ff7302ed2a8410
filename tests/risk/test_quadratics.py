"""Predictors of two classes as quadratic forms: the same answers as the predictors themselves, counted in one sweep."""

from __future__ import annotations

import numpy as np
import pytest

from epee import GaussianNB, LeastSquaresClassifier, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from epee.losses.decisions import ZeroOne
from epee.moments.affine import Affine
from epee.risk.asked import Asked
from epee.risk.linear_stack import Mapped
from epee.risk.quadratics import counting_errors, form_of
from epee.risk.scoring import Panel, Scoring
from epee.table.block import Block


def mapping(kind, rng):
    if kind == "scaled":
        return Affine(np.array([2.0, 0.5, 3.0]), np.array([-1.0, 2.0, 0.0]))
    return Affine(rng.normal(size=(2, 3)), rng.normal(size=2))


@pytest.mark.parametrize("kind", ["none", "scaled", "matrix"])
def test_the_same_answers_behind_every_map(kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3)) + 50
    y = ((X - 50)[:, 0] ** 2 + 0.5 * rng.normal(size=400) > 0.7).astype(int)
    before = None if kind == "none" else mapping(kind, rng)
    Z = X if before is None else before.rows(X)
    makers = (QuadraticDiscriminantAnalysis, GaussianNB, LinearDiscriminantAnalysis, LeastSquaresClassifier)
    fitted = [[make().fit(Z[part::2], y[part::2]) for part in (0, 1)] for make in makers]
    models = [[m if before is None else Mapped(m, before) for m in pair] for pair in fitted]
    origin = X[:20].mean(axis=0)
    for pair, plain in zip(models, fitted, strict=True):
        for t in (0, 1):
            form = form_of(pair, t, origin)
            np.testing.assert_allclose(form(X), plain[t].decision_function(Z), rtol=1e-7, atol=1e-7)
    asked = Asked(ZeroOne(), "classifier", np.array([0, 1]))
    tested_by = np.array([[-1, 0, 1]])
    panels = [Panel(asked, pair, tested_by) for pair in models]
    cell, w = rng.integers(-1, 3, 400), rng.integers(1, 4, 400).astype(float)
    block = Block(X, None, w, cell, y)
    quick, slow = Scoring(panels, True, counting_errors(panels, origin))(block), Scoring(panels, True)(block)
    for a, b in zip(quick.panels, slow.panels, strict=True):
        np.testing.assert_array_equal(a, b)
        assert a[0, 1] == w[cell == 1].sum() and a[0, 0] == 0


def test_others_are_not_of_that_form():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 2)), np.arange(90) % 3
    for model in (QuadraticDiscriminantAnalysis(), LinearDiscriminantAnalysis()):
        assert form_of([model.fit(X, y)], 0, np.zeros(2)) is None
