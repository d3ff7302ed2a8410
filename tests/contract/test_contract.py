"""Every estimator of the registry keeps scikit-learn's contract, then ours."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import estimator_checks_generator

from epee.errors import EpeeWarning
from epee.estimator.registry import METHODS

RANDOM = {
    "check_sample_weight_equivalence_on_dense_data": "random starts draw other numbers for repeated rows",
    "check_sample_weight_equivalence_on_sparse_data": "random starts draw other numbers for repeated rows",
}


def failed_checks(estimator):
    """Return scikit-learn's checks that an estimator fails, each with its error."""
    failures = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks fit constant columns, lonely classes and the like on purpose
        for one, check in estimator_checks_generator(estimator):
            name = getattr(check, "func", check).__name__
            try:
                check(one)
            except BaseException as error:
                if type(error).__name__ in ("SkipTest", "Skipped"):
                    continue
                if not isinstance(error, Exception):
                    raise
                failures[name] = f"{name}: {error!r}"[:500]
    return failures


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
def test_scikit_learn_checks(method):
    failures = failed_checks(method.example())
    excused = RANDOM if method.random else {}
    found = {name: what for name, what in failures.items() if name not in excused}
    assert found.keys() == method.listed.keys(), "\n".join(found.values())


@pytest.mark.parametrize("method", [m for m in METHODS if m.otherwise], ids=lambda m: m.name)
def test_listed_checks_pass_with_other_arguments(method):
    assert not failed_checks(method.example(**method.otherwise))


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
def test_parameters_are_plain_and_clone(method):
    estimator = method.example()
    assert clone(estimator).get_params().keys() == estimator.get_params().keys()
    assert pickle.loads(pickle.dumps(estimator)).get_params().keys() == estimator.get_params().keys()


@pytest.mark.parametrize("method", [m for m in METHODS if m.kind == "classifier"], ids=lambda m: m.name)
@pytest.mark.parametrize("labels", [["no", "yes"], [False, True], [3, 7], ["a", "b", "c"]], ids=str)
def test_labels_of_any_kind_come_back(method, labels):
    rng = np.random.default_rng(0)
    y = np.array(labels)[np.arange(60) % len(labels)]
    X = np.abs(rng.normal(size=(60, 3)) + (np.arange(60) % len(labels))[:, None])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EpeeWarning)
        predicted = method.example().fit(X, y).predict(X)
    assert set(predicted.tolist()) <= set(labels)


@pytest.mark.parametrize("method", [m for m in METHODS if m.kind in ("classifier", "regressor")], ids=lambda m: m.name)
def test_target_and_weights_may_be_columns_of_a_frame_by_name(method):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = np.abs(rng.normal(size=(60, 1)) + 2 * y[:, None]).round(2)
    table = pd.DataFrame(
        {"x": X[:, 0], "y": np.array(["no", "yes"])[y] if method.kind == "classifier" else X[:, 0] + 1}
    )
    seeded = {"random_state": 0} if "random_state" in method.example().get_params() else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        named, apart = (method.example(**seeded).fit(*rows) for rows in ((table, "y"), (table[["x"]], table["y"])))
        np.testing.assert_array_equal(named.predict(table[["x"]]), apart.predict(table[["x"]]))
    assert named.feature_names_in_.tolist() == ["x"]
