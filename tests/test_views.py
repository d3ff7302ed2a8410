"""Nothing is written in place through a strided view, save where the list says why.

NumPy 2.4's ``negative`` is wrong from one strided view to another on some processors, at one stride alone; the next such fault will
be in another function. A result that is written straight into a column, a transpose or a step of another array meets such loops;
a fresh array does not. So the sources write results into fresh arrays. Searched for here: ``out=`` of anything but a fresh array, and
``+=`` and its kin on a transpose or on a subscript with a slice before another index (``A[:, j] -= ...``).
"""

from __future__ import annotations

import ast
from pathlib import Path

import epee

SOURCES = Path(epee.__file__).parent
FRESH = {"zeros", "ones", "empty", "full", "zeros_like", "ones_like", "empty_like", "full_like", "where"}
ALLOWED = {  # file: {function: reason}
    "moments/passes.py": {
        "rows_about": "the one copy of a block that a pass makes; a second would cost a tenth of every fit"
    },
    "table/encoding.py": {"map_rows": "only the cells that are there; the others keep their zeros"},
    "optimize/linear_descent.py": {"_direction": "room of this function, contiguous, used again for each pair"},
    "optimize/linear_risk.py": {"__call__": "a product of this function, contiguous, as long as the rows"},
    "structure/gaussian_products.py": {
        "softmax": "leading rows of room that is kept through a climb, contiguous",
        "_here": "leading rows of a fresh array, contiguous",
    },
    "structure/products.py": {"_transform": "products are as wide as the memory: no temporary of their size"},
    "predictors/generative/gaussians.py": {"log_densities": "rows about their centre, a fresh array of this function"},
    "predictors/regression/polynomial.py": {
        "chebyshev": "products are as wide as the memory: no temporary of their size"
    },
    "predictors/neighbours/kernel.py": {
        "_squares": "a product of this function, contiguous, as large as rows times rows"
    },
    "predictors/neighbours/screening.py": {"*": "a whole tile, contiguous, used again for each block of rows"},
    "predictors/trees/columns.py": {"*": "one-dimensional and contiguous"},
    "solve/tridiagonal.py": {"tridiagonal_path": "a leading index, contiguous"},
}


def is_fresh(node):
    """Tell whether an expression makes a new array."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in FRESH


def strided_subscript(node):
    """Tell whether a subscript may leave gaps: a slice after the first axis or with a step; fancy indices are copies."""
    if isinstance(node, ast.Attribute):
        return node.attr == "T"
    if not isinstance(node, ast.Subscript):
        return False
    at = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if strided_subscript(node.value):
        return True
    if any(isinstance(i, ast.Slice) and i.step is not None for i in at):
        return True
    return len(at) > 1 and isinstance(at[0], ast.Slice)


def in_place(tree):
    """Yield (function, line) of every operation in place that may meet a strided view."""

    def walk(node, function):
        for child in ast.iter_child_nodes(node):
            name = child.name if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) else function
            if isinstance(child, ast.AugAssign) and strided_subscript(child.target):
                yield name, child.lineno
            if isinstance(child, ast.Call):
                for keyword in child.keywords:
                    if keyword.arg == "out" and not is_fresh(keyword.value):
                        yield name, child.lineno
            yield from walk(child, name)

    return walk(tree, "")


def test_nothing_is_written_in_place_through_a_strided_view():
    found, used = [], set()
    for path in sorted(SOURCES.rglob("*.py")):
        where = path.relative_to(SOURCES).as_posix()
        if where.startswith("kernels/"):  # compiled loops: no NumPy function runs there
            continue
        for function, line in in_place(ast.parse(path.read_text(encoding="utf-8"))):
            allowed = ALLOWED.get(where, {})
            if function in allowed or "*" in allowed:
                used.add((where, function if function in allowed else "*"))
            else:
                found.append(f"{where}:{line} in {function or 'the module'}")
    assert not found, "in place on what may be a strided view (write into a fresh array):\n" + "\n".join(found)
    stale = {(where, function) for where, some in ALLOWED.items() for function in some} - used
    assert not stale, f"allowed without need: {sorted(stale)}"


def test_the_search_sees_what_it_should():
    code = "def f():\n A[:, 0] -= 1\n A.T[0] *= 2\n np.negative(r, out=r)\n A[::2] += 1\n a[0] += 1\n np.divide(1, b, out=np.ones(3))\n"
    assert [line for _, line in in_place(ast.parse(code))] == [2, 3, 4, 5]
