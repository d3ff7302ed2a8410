"""Embedded tables load, and name their origin and licence."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

from epee import samples
from epee.errors import WrongUse


@pytest.mark.parametrize("name", samples.names())
def test_every_sample_loads_and_says_where_it_is_from(name):
    table, about = samples.load(name), samples.describe(name)
    assert len(table) >= 50
    assert about.origin and about.licence and about.about
    assert about.target is None or about.target in table.columns


def test_iris_is_the_iris():
    np.testing.assert_allclose(samples.load("iris").iloc[:, :4], load_iris().data)


def test_missing_cells_of_penguins_are_missing():
    penguins = samples.load("penguins")
    assert penguins["sex"].isna().sum() == 11
    assert penguins["body_mass_g"].isna().sum() == 2


def test_an_unknown_name_lists_the_known():
    with pytest.raises(WrongUse, match="penguins, iris"):
        samples.load("titanic")
