"""Classes that appear later are noticed; rows of the classes learned are left in peace."""

import warnings

import numpy as np
import pytest

from epee import GaussianNB, KNeighborsClassifier, LinearDiscriminantAnalysis, OpenClassifier
from epee.errors import DataWarning, WrongUse

RNG = np.random.default_rng(2)


def draw(n, rng=RNG, skew=False):
    codes = np.arange(n) % 2
    noise = rng.exponential(size=(n, 3)) if skew else rng.standard_normal((n, 3))
    return noise @ [[1.0, 0.5, 0.0], [0.0, 1.0, 0.3], [0.0, 0.0, 0.7]] + 5.0 * codes[:, None], np.array(["cat", "dog"])[
        codes
    ]


def test_left_out_distances_are_those_of_a_cloud_without_the_row():
    X, y = draw(40)
    model = OpenClassifier(GaussianNB(), level=0.05).fit(X, y)
    slow = []
    for i in range(40):
        rest = np.arange(40) != i
        distances = []
        for label in ("cat", "dog"):
            own = X[rest & (y == label)]
            e = X[i] - own.mean(axis=0)
            distances.append(e @ np.linalg.solve(np.cov(own.T, bias=True), e))
        slow.append(min(distances))
    np.testing.assert_allclose(model.distances_, np.sort(slow), rtol=1e-4)  # the floor is a millionth of the variance


@pytest.mark.parametrize("skew", [False, True])
def test_known_classes_are_called_strange_as_often_as_asked(skew):
    rates = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        model = OpenClassifier(GaussianNB(), level=0.05).fit(*draw(300, rng, skew))
        rates.append((model.novelty(draw(500, rng, skew)[0]) <= 0.05).mean())
    assert abs(np.mean(rates) - 0.05) < 4 * np.std(rates) / np.sqrt(20) + 0.004


def test_a_new_class_is_said_aloud_and_labelled():
    X, y = draw(300)
    third = np.vstack([draw(60)[0], np.array([9.0, -9.0, 0.0]) + RNG.standard_normal((20, 3))])
    for inner in (GaussianNB(), LinearDiscriminantAnalysis(), KNeighborsClassifier(5)):
        silent = OpenClassifier(inner).fit(X, y)
        with pytest.warns(DataWarning, match=r"of 80 rows .* first is row \d+: perhaps a class that was not there"):
            said = silent.predict(third)
        assert set(said) <= {"cat", "dog"}
        with pytest.warns(DataWarning):
            said = OpenClassifier(inner, label="new").fit(X, y).predict(third)
        assert (said[60:] == "new").all() and (said[:60] == "new").mean() < 0.1


def test_rows_like_those_learned_from_bring_no_word():
    X, y = draw(400)
    model = OpenClassifier(GaussianNB()).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for seed in range(10):
            model.predict(draw(100, np.random.default_rng(seed))[0])
    np.testing.assert_array_equal(model.predict_proba(X), GaussianNB().fit(X, y).predict_proba(X))


def test_too_few_rows_to_notice_anything_are_said():
    X, y = draw(40)
    with pytest.warns(DataWarning, match=r"40 rows are too few .* level 0.01: .* at least 0.0244"):
        blind = OpenClassifier(GaussianNB(), label="new").fit(X, y)
    assert "new" not in blind.predict(X + 99.0)
    assert set(OpenClassifier(GaussianNB(), level=0.0244, label="new").fit(X, y).predict(X[:1] + 99.0)) == {"new"}


def test_what_is_refused():
    X, y = draw(50)
    with pytest.raises(WrongUse, match="between 0 and 1"):
        OpenClassifier(GaussianNB(), level=2).fit(X, y)
    with pytest.raises(WrongUse, match="one of the classes"):
        OpenClassifier(GaussianNB(), label="cat").fit(X, y)
