"""Some rows of a table are the same rows, whatever the table is."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from epee.table.taking import take_rows

CELLS = np.arange(12.0).reshape(4, 3)


@pytest.mark.parametrize("table", [CELLS, pd.DataFrame(CELLS), sparse.csr_matrix(CELLS), CELLS.tolist()])
@pytest.mark.parametrize("rows", [np.array([2, 0, 2]), np.array([], dtype=int), np.array([False, True, True, False])])
def test_rows_are_those_of_the_cells_and_of_their_kind(table, rows):
    taken = take_rows(table, rows)
    assert type(taken) is type(table)
    cells = taken.toarray() if sparse.issparse(taken) else np.asarray(taken).reshape(-1, 3)
    np.testing.assert_array_equal(cells, CELLS[rows])
