"""Callbacks of scikit-learn 1.9 are told of a fit of ours as of one of theirs."""

import numpy as np
import pytest

import epee

callback = pytest.importorskip("sklearn.callback")
rng = np.random.default_rng(0)
X = rng.normal(size=(80, 3))
y = (X[:, 0] + rng.normal(size=80) > 0).astype(int)


class Notes:
    """Keeps what it is told."""

    def __init__(self):
        self.said = []

    def setup(self, estimator, context):
        self.said.append(("setup", None))

    def teardown(self, estimator, context):
        self.said.append(("teardown", None))

    def on_fit_task_begin(self, estimator, context, *, X, fitted_estimator):
        self.said.append((f"begin {context.task_name}", fitted_estimator))

    def on_fit_task_end(self, estimator, context, *, X, fitted_estimator):
        self.said.append((f"end {context.task_name}", fitted_estimator))


def test_every_step_of_a_search_is_told():
    notes = Notes()
    model = epee.LogisticRegression().set_callbacks(notes).fit(X, y)
    names = [name for name, _ in notes.said]
    assert names[0] == "setup" and names[-1] == "teardown"
    assert (
        names.count("end lbfgs-iter") == model.n_iter_[0] + 1
        and names.count("begin fit") == names.count("end fit") == 1
    )
    told = [fitted for name, fitted in notes.said if name == "end lbfgs-iter" and fitted is not None]
    np.testing.assert_array_equal(told[-1].coef_, model.coef_)
    with pytest.warns(UserWarning, match="lbfgs failed to converge"):
        np.testing.assert_allclose(told[1].coef_, epee.LogisticRegression(max_iter=2).fit(X, y).coef_)


def test_a_model_without_callbacks_is_not_changed():
    with pytest.warns(UserWarning, match="only supported"):
        epee.LogisticRegression(solver="liblinear").set_callbacks(Notes())
    model = epee.LogisticRegression().set_callbacks(Notes()).set_callbacks()
    assert "_skl_callbacks" not in vars(model)
    np.testing.assert_array_equal(model.fit(X, y).coef_, epee.LogisticRegression().fit(X, y).coef_)


def test_a_scaler_tells_of_each_fit_once():
    notes = Notes()
    scaler = epee.StandardScaler().set_callbacks(notes)
    for learn in (scaler.fit, scaler.partial_fit):
        notes.said.clear()
        learn(X)
        assert [name for name, _ in notes.said] == ["setup", "begin fit", "end fit", "teardown"]
    np.testing.assert_array_equal(notes.said[2][1].transform(X), scaler.transform(X))
