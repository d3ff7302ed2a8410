"""Pictures of classifiers."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from epee import LogisticRegression, Perceptron
from epee.errors import WrongUse
from epee.figures.regions import plot_criterion, plot_regions, plot_sigmoid


def clouds():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2)) + np.repeat([[0, 0], [3, 0], [1.5, 3]], 30, axis=0)
    return X, np.repeat(["a", "b", "c"], 30)


def test_regions_of_any_classifier():
    from sklearn.tree import DecisionTreeClassifier

    X, y = clouds()
    for model in (LogisticRegression(), DecisionTreeClassifier(random_state=0)):
        ax = plot_regions(model.fit(X, y), X, y, points=40)
        image = ax.images[0].get_array()
        assert image.shape == (40, 40, 3)
        assert len(np.unique(image.reshape(-1, 3).round(6), axis=0)) >= 3  # three regions
    frame = pd.DataFrame(np.column_stack([X, X[:, :1]]), columns=["size", "age", "more"])
    ax = plot_regions(LogisticRegression().fit(frame, y), frame, y, columns=(1, 0), points=30)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("age", "size")
    with pytest.raises(WrongUse, match="two columns"):
        plot_regions(model, X[:, :1])
    plt.close("all")


def test_criterion_and_sigmoid():
    X, y = clouds()
    X, y = X[:60], y[:60]
    for loss in ("perceptron", "zero_one", "log"):
        assert plot_criterion(X, y, loss, points=21).get_xlabel() == "$w_1$"
    assert plot_criterion(X, y, path=np.array([[0, 0], [1, 1.0]]), points=21).lines
    plot_sigmoid(LogisticRegression().fit(X, y), X, y, points=12)
    plot_sigmoid(([2.0, -1.0], 0.5), points=12)
    with pytest.raises(WrongUse, match="two weights"):
        plot_criterion(np.ones((4, 3)), [0, 1, 0, 1])
    model = Perceptron(max_iter=20).fit(X + 10 * (y == "b")[:, None], y)
    model.plot_trace()
    LogisticRegression().path(X, y, 5).plot()
    plt.close("all")
