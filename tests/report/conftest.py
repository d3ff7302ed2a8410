"""Cards that the tests of this room share: one of classes, one of a number, one of an exploration, with names that try to break out."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import epee
from epee.job.exploration import explore

NASTY = ("<script>alert(1)</script>", '"><img src=x onerror=alert(2)>', "</style><b>bold", "{{ 7 * 7 }}")


@pytest.fixture(scope="session")
def nasty_table():
    rng = np.random.default_rng(0)
    n = 240
    X = rng.normal(size=(n, 4))
    labels = np.where(X[:, 0] + 0.5 * rng.normal(size=n) > 0, '<svg onload="alert(3)">', "b&b")
    columns = {name: pa.array(X[:, j]) for j, name in enumerate(NASTY)}
    columns["c'olour"] = pa.array(rng.choice(["<i>red</i>", "blue"], n).tolist())
    columns["copy"] = pa.array(X[:, 1] * 2 + 0.001 * rng.normal(size=n))
    columns["<target>"] = pa.array(labels.tolist())
    return pa.table(columns)


@pytest.fixture(scope="session")
def cards(nasty_table):
    found = {}
    for lang in ("en", "fr"):
        found["classes", lang] = epee.learn(
            nasty_table, "<target>", predictors=["naive_bayes", "lda", "tree"], lang=lang
        ).card
        found["number", lang] = epee.learn(
            epee.samples.load("cars"), "dist", predictors=["linear", "ridge"], lang=lang
        ).card
        found["explored", lang] = explore(nasty_table, lang=lang).card
    return found
