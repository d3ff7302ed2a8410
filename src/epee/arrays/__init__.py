"""Arrays that lie elsewhere: in the memory of a graphics card, or in the hands of another library.

NumPy's arrays lie *here*, those of CuPy, PyTorch and JAX *elsewhere*, on whatever device they are on. What the two have in common is
the array API standard (Python array API, 2024.12): :func:`namespace` gives the functions that go with an array, NumPy itself for
NumPy's, the thin wrappers of ``array-api-compat`` (which SciPy and scikit-learn carry, too) for the others. Code that is written
against a namespace runs wherever its rows are; what the standard lacks and one of the libraries does well stands at the end of
this file, with the plain way for all others.
"""

from __future__ import annotations

import os
import sys
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from math import prod
from typing import Any

import numpy as np

from epee.arrays import launches
from epee.errors import WrongUse

FEW_LINES = 128  # that a product picks from sooner than a list of places
LIBRARIES = ("cupy", "torch", "jax", "jaxlib", "array_api_strict")
_namespaces: dict[type, Any] = {}  # of the kinds of arrays that were met: asked for many times in every step
_libraries: dict[type, str] = {}  # and the packages that they come from


def library_of(a: Any) -> str:
    """Return the name of the package that an object comes from.

    >>> library_of(np.zeros(2))
    'numpy'
    """
    kind = type(a)
    found = _libraries.get(kind)
    if found is None:
        found = kind.__module__.partition(".")[0]
        if found in LIBRARIES or kind is np.ndarray:  # those of all others would be kept for ever
            _libraries[kind] = found
    return found


def is_elsewhere(a: Any) -> bool:
    """Tell whether an object is an array of another library than NumPy, on a device perhaps.

    >>> is_elsewhere(np.zeros(2)), is_elsewhere([1.0, 2.0]), is_elsewhere("table.csv")
    (False, False, False)
    """
    return library_of(a) in LIBRARIES and hasattr(a, "shape") and hasattr(a, "dtype")


def _compat() -> Any:
    try:
        import array_api_compat
    except ModuleNotFoundError as fault:
        raise WrongUse(
            "arrays of CuPy, PyTorch and JAX need the package array-api-compat: pip install 'epee[arrays]'."
        ) from fault
    return array_api_compat


def namespace(a: Any) -> Any:
    """Return the functions that go with an array: NumPy for NumPy's, the wrapped namespace of its library for another.

    >>> namespace(np.zeros(2)) is np
    True
    """
    found = _namespaces.get(type(a))
    if found is None:
        found = _namespaces[type(a)] = _compat().array_namespace(a) if is_elsewhere(a) else np
    return found


def at_home(a: Any) -> np.ndarray:
    """Return an array as NumPy's; one that lies here is not copied.

    >>> at_home([1, 2])
    array([1, 2])
    """
    library = library_of(a)
    if library == "cupy":
        here: np.ndarray = a.get()
        return here
    if library == "torch" and hasattr(a, "detach"):
        a = a.detach().cpu().numpy()
    if library == "array_api_strict":  # whose devices stand in for a card in tests
        a = a.to_device(namespace(a).Device("CPU_DEVICE"))
    return np.asarray(a)


def like(a: Any, there: Any, dtype: Any = None) -> Any:
    """Return an array where another one lies, of the same library and on the same device; ``dtype`` is one of that library.

    >>> like([1.0, 2.0], np.zeros(1))
    array([1., 2.])
    """
    if not is_elsewhere(there):
        return np.asarray(at_home(a), dtype=dtype)
    if is_elsewhere(a) and library_of(a) == library_of(there):
        xp = namespace(there)
        return a if dtype is None or a.dtype == dtype else xp.astype(a, dtype)
    here = np.asarray(at_home(a), order="C")
    if not here.flags.writeable:  # PyTorch would have to warn of it
        here = here.copy()
    return namespace(there).asarray(here, dtype=dtype, device=_compat().device(there))


def numbers_like(n: int, there: Any, dtype: Any = None) -> Any:
    """Return 0, 1, ..., n - 1 where an array lies, made there: nothing travels.

    >>> numbers_like(3, np.zeros(1))
    array([0, 1, 2])
    """
    xp = namespace(there)
    if not is_elsewhere(there):
        return np.arange(n, dtype=dtype)
    return xp.arange(n, dtype=xp.int64 if dtype is None else dtype, device=_compat().device(there))


def identity_like(p: int, there: Any) -> Any:
    """Return the unit matrix (p, p) where an array lies and in its type, made there.

    >>> identity_like(2, np.zeros(1))
    array([[1., 0.],
           [0., 1.]])
    """
    device = {"device": _compat().device(there)} if is_elsewhere(there) else {}
    return namespace(there).eye(p, dtype=there.dtype, **device)


def like_together(there: Any, *arrays: Any) -> tuple[Any, ...]:
    """Return several arrays of float64 where another one lies, in its precision and in one journey, which costs more than its load.

    >>> [a.shape for a in like_together(np.zeros(1), np.ones((2, 3)), np.float64(4.0))]
    [(2, 3), ()]
    """
    here = [np.asarray(a, dtype=np.float64) for a in arrays]
    if not is_elsewhere(there):
        return tuple(here)
    sent = like(np.concatenate([a.reshape(-1) for a in here]), there, there.dtype)
    ends = np.cumsum([a.size for a in here]).tolist()
    return tuple(shaped(sent[end - a.size : end], *a.shape) for a, end in zip(here, ends, strict=True))


def home_together(*arrays: Any) -> tuple[np.ndarray, ...]:
    """Return several arrays here as float64, in one journey.

    >>> home_together(np.ones((2, 1)), np.float32(0.5))
    (array([[1.],
           [1.]]), array(0.5))
    """
    if not is_elsewhere(arrays[0]):
        return tuple(np.asarray(a, dtype=np.float64) for a in arrays)
    xp = namespace(arrays[0])
    flat = at_home(xp.concat([xp.reshape(a, (-1,)) for a in arrays])).astype(np.float64)
    ends = np.cumsum([prod(a.shape) for a in arrays]).tolist()
    return tuple(flat[end - prod(a.shape) : end].reshape(tuple(a.shape)) for a, end in zip(arrays, ends, strict=True))


def as_type(a: Any, dtype: Any) -> Any:
    """Return an array in a type of its library; one that has it is not copied.

    >>> as_type(np.array([1, 2]), np.float64)
    array([1., 2.])
    """
    return namespace(a).astype(a, dtype, copy=False) if is_elsewhere(a) else a.astype(dtype, copy=False)


def whole_products(a: Any) -> AbstractContextManager[Any]:
    """Return a context in which products of arrays of a library keep the digits of their type: JAX drops half of them on a card.

    >>> with whole_products(np.zeros(1)):
    ...     np.eye(1) @ np.eye(1)
    array([[1.]])
    """
    if library_of(a) not in ("jax", "jaxlib"):
        return nullcontext()
    highest: AbstractContextManager[Any] = sys.modules["jax"].default_matmul_precision("highest")
    return highest


def memory_of(a: Any) -> int | None:
    """Return how many bytes the graphics card has on which an array lies; None where it lies on none, or nobody says."""
    library = library_of(a)
    if library == "torch":
        return _memory_of_card(library, a.device.index) if a.is_cuda else None
    return _memory_of_card(library, int(a.device.id)) if library == "cupy" else None


@cache
def _memory_of_card(library: str, number: int) -> int:
    """Return how many bytes a card has, by PyTorch or CuPy."""
    if library == "torch":
        return int(sys.modules["torch"].cuda.get_device_properties(number).total_memory)
    return int(sys.modules["cupy"].cuda.Device(number).mem_info[1])


def name_of_type(dtype: Any) -> str:
    """Return NumPy's name of a type of any library.

    >>> name_of_type(np.zeros(1).dtype)
    'float64'
    """
    return _name_of_type(type(dtype).__module__, dtype)


@cache
def _name_of_type(library: str, dtype: Any) -> str:
    """Return the name, found once for each; types of two libraries are not to be compared, so these come first."""
    return str(dtype).rpartition(".")[2]


def is_real(a: Any) -> bool:
    """Tell whether an array holds floating-point numbers of 32 or 64 bits, so that it can be worked on where it lies."""
    return name_of_type(a.dtype) in ("float32", "float64")


def kind_of(a: Any) -> str:
    """Return NumPy's letter for what an array holds: "f", "i", "u", "b" or "c".

    >>> kind_of(np.zeros(2)), kind_of(np.zeros(2, dtype=bool))
    ('f', 'b')
    """
    name = name_of_type(a.dtype)
    return "b" if name.startswith("bool") else name[0] if not name.startswith("bfloat") else "f"


def on_gpu(a: Any) -> bool:
    """Tell whether an array lies in the memory of a graphics card."""
    if library_of(a) == "cupy":
        return True
    return "cuda" in str(getattr(a, "device", "")).lower() or "gpu" in str(getattr(a, "device", "")).lower()


def multiplies_in_full(a: Any) -> bool:
    """Tell whether products of 32 bits have all of them where an array lies: libraries may be told to use shorter numbers on a card.

    >>> multiplies_in_full(np.zeros(2))
    True
    """
    library = library_of(a)
    if library == "torch":
        return bool(sys.modules["torch"].get_float32_matmul_precision() == "highest")
    return library not in ("jax", "jaxlib") and (library != "cupy" or os.environ.get("CUPY_TF32") != "1")


def shaped(a: Any, *shape: int) -> Any:
    """Return an array in another shape."""
    return namespace(a).reshape(a, shape)


def taken(a: Any, places: Any, axis: int = 0) -> Any:
    """Return entries along an axis by their places (m,), which count from 0: the standard's way looks first whether one is below.

    >>> taken(np.array([[1.0, 2.0, 3.0]]), np.array([2, 0]), axis=1)
    array([[3., 1.]])
    """
    return a.index_select(axis, places) if library_of(a) == "torch" else namespace(a).take(a, places, axis=axis)


def taken_along(a: Any, places: Any) -> Any:
    """Return entries of each line of a table (m, n) by their places (m, k), which count from 0.

    >>> taken_along(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1], [0]]))
    array([[2.],
           [3.]])
    """
    library = library_of(a)
    if library == "torch":
        return sys.modules["torch"].take_along_dim(a, places, 1)
    if library == "cupy":  # which makes lists of all places of its own
        lines = numbers_like(a.shape[0], a, places.dtype) * a.shape[1]
        return a.reshape(-1).take(places + lines[:, None])
    return namespace(a).take_along_axis(a, places, axis=1)


def select_rows(a: Any, rows: Any) -> Any:
    """Return some rows by their places."""
    return taken(a, rows)


def affine_rows(X: Any, A: Any, b: Any) -> Any:
    """Return X A + b where the rows are, in their precision.

    >>> affine_rows(np.array([[1.0, 2.0]]), np.array([[1.0], [1.0]]), 0.5)
    array([[3.5]])
    """
    if is_elsewhere(X):
        A, b = like(A, X, X.dtype), like(b, X, X.dtype)
    return X @ A + b


def squares_of_rows(Z: Any) -> Any:
    """Return the sums of squares along the last axis.

    >>> squares_of_rows(np.array([[3.0, 4.0]]))
    array([25.])
    """
    return namespace(Z).sum(Z * Z, axis=-1) if is_elsewhere(Z) else np.einsum("...j,...j->...", Z, Z)


def squares_of_columns(Z: Any) -> Any:
    """Return the sums of squares of the columns of a table (n, p).

    >>> squares_of_columns(np.array([[3.0, 1.0], [4.0, 0.0]]))
    array([25.,  1.])
    """
    return sum_of_rows(Z * Z) if is_elsewhere(Z) else np.einsum("ij,ij->j", Z, Z)


def less_one_at(P: Any, places: Any) -> Any:
    """Return a table (n, K) with 1 taken from one cell of each row, at ``places`` (n,).

    >>> less_one_at(np.array([[0.25, 0.75]]), np.array([1]))
    array([[ 0.25, -0.25]])
    """
    if is_elsewhere(P):
        own = places[:, None] == numbers_like(P.shape[1], places, places.dtype)
        return namespace(P).where(own, P - 1, P)
    out: np.ndarray = P.copy()
    out[np.arange(len(out)), places] -= 1
    return out


def sum_of_rows(B: Any) -> Any:
    """Return the sums of the columns of a table (n, p); CuPy's own leave a card idle where the table is tall, a product does not.

    >>> sum_of_rows(np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([4., 6.])
    """
    xp = namespace(B)
    return xp.ones(B.shape[0], dtype=B.dtype) @ B if library_of(B) == "cupy" else xp.sum(B, axis=0)


def softmax_of_columns(S: Any) -> Any:
    """Return the softmax of each column of ``S`` (K, n) and, one line more, the log of the sum of its exponentials, (K + 1, n).

    >>> np.exp(softmax_of_columns(np.log([[1.0], [3.0]]))[:, 0]).round(3)
    array([1.284, 2.117, 4.   ])
    """
    library, xp = library_of(S), namespace(S)
    if library == "torch":
        torch = sys.modules["torch"]
        return torch.cat([torch.softmax(S, 0), torch.logsumexp(S, 0, keepdim=True)])
    if library == "cupy":
        return launches.softmax_of_columns(S, float(xp.finfo(S.dtype).min))
    top, least = xp.max(S, axis=0, keepdims=True), float(xp.finfo(S.dtype).min)
    top = xp.where(top > least, top, least)  # where nothing is possible at all
    E = xp.exp(S - top)
    total = xp.sum(E, axis=0, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        return xp.concat([E / total, top + xp.log(total)])


def least_in_groups(D: Any, groups: int) -> Any:
    """Return the least of each group of each line of a table (m, n), (m, groups); place j is in group j % groups.

    >>> least_in_groups(np.array([[4.0, 2.0, 3.0, 5.0]]), 2)
    array([[3., 2.]])
    """
    if library_of(D) == "cupy":
        return launches.least_in_groups(D, groups)
    return namespace(D).min(shaped(D, D.shape[0], -1, groups), axis=1)


def indicators(codes: Any, C: int, dtype: Any) -> Any:
    """Return a table (n, C) with 1 where a row has a code 0, ..., C - 1 (n,), else 0.

    >>> indicators(np.array([1, 0]), 2, np.float64)
    array([[0., 1.],
           [1., 0.]])
    """
    if library_of(codes) == "cupy":
        return launches.indicators(codes, C, dtype)
    own = codes[:, None] == numbers_like(C, codes, codes.dtype)[None, :]
    return as_type(own, dtype)


def less_own_line(B: Any, M: Any, which: Any, E: Any) -> Any:
    """Return each row of ``B`` (n, q), which may be lost, less the line of ``M`` (C, q) that ``which`` (n,) names and ``E`` (n, C) marks.

    >>> less_own_line(np.ones((2, 1)), np.array([[1.0], [3.0]]), np.array([1, 0]), np.array([[0.0, 1.0], [1.0, 0.0]]))
    array([[-2.],
           [ 0.]])
    """
    library = library_of(B)
    if library == "cupy":
        return launches.less_own_line(B, M, which)
    if library == "torch" and M.shape[0] <= FEW_LINES and name_of_type(B.dtype) == "float64":  # read and written once
        return sys.modules["torch"].addmm(B, E, M, alpha=-1.0)
    B -= taken(M, which)
    return B


def before_sorting(values: Any, order: Any) -> Any:
    """Return values (n,) of sorted rows in the order that the rows had before ``order`` (n,) sorted them.

    >>> before_sorting(np.array([10, 20, 30]), np.array([2, 0, 1]))
    array([20, 30, 10])
    """
    library, xp = library_of(values), namespace(values)
    if library in ("jax", "jaxlib", "array_api_strict"):  # whose arrays are not written to by places
        return taken(values, xp.argsort(order, stable=True))
    out = xp.empty_like(values)
    out[order] = values
    return out


def nearest_first(D: Any, k: int) -> tuple[Any, Any]:
    """Return the k smallest of each row of ``D`` (m, n) and their places, smallest first.

    >>> nearest_first(np.array([[3.0, 1.0, 2.0]]), 2)
    (array([[1., 2.]]), array([[1, 2]]))
    """
    xp = namespace(D)
    if library_of(D) == "torch":
        found = sys.modules["torch"].topk(D, k, dim=1, largest=False, sorted=True)
        return found.values, found.indices
    if library_of(D) in ("jax", "jaxlib"):
        values, places = sys.modules["jax"].lax.top_k(-D, k)
        return -values, places
    if library_of(D) == "cupy" and str(D.dtype) == "float32":
        places = places_in_one_sort(D, k)
    else:
        places = xp.argsort(D, axis=1)[:, :k]
    return taken_along(D, places), places


def places_in_one_sort(D: Any, k: int) -> Any:
    """Return the places of the k smallest numbers of 32 bits of each row, smallest first, by a sort of whole numbers.

    Row, value and place side by side are one number of 64 bits, and sorting a line of these is what CuPy does fastest.

    >>> places_in_one_sort(np.array([[3.0, -1.0, 2.0], [0.0, 7.0, -8.0]], dtype=np.float32), 2)
    array([[1, 2],
           [2, 0]])
    """
    xp, (m, n) = namespace(D), D.shape
    bits = max(1, (n - 1).bit_length())
    if bits + max(1, (m - 1).bit_length()) > 31:  # they would not fit
        return xp.argsort(D, axis=1)[:, :k]
    if library_of(D) == "cupy":
        keys = launches.keys_of_lines(D, bits)
        return xp.reshape(xp.sort(xp.reshape(keys, (-1,))), (m, n))[:, :k] & (2**bits - 1)
    value = (D + 0.0).view(xp.int32).astype(xp.int64)  # -0 is 0
    value = xp.where(value < 0, -(2**31) - 1 - value, value) + 2**31  # in the order of the numbers, from 0 on
    row, place = xp.arange(m, dtype=xp.int64)[:, None], xp.arange(n, dtype=xp.int64)
    keys = (row << (32 + bits)) | (value << bits) | place
    return xp.reshape(xp.sort(xp.reshape(keys, (-1,))), (m, n))[:, :k] & (2**bits - 1)


def positive_solve(A: Any, B: Any, least: float = 0.0) -> Any:
    """Return A^-1 B for positive definite A (..., p, p) and B (..., p, m).

    NaN where a matrix is not positive definite, or a squared pivot of its Cholesky factor is at most ``least``.

    >>> positive_solve(np.array([[4.0, 2.0], [2.0, 3.0]]), np.array([[8.0], [7.0]]))[:, 0]
    array([1.25, 1.5 ])
    """
    xp, library = namespace(A), library_of(A)
    if library == "torch":
        torch = sys.modules["torch"]
        L, info = torch.linalg.cholesky_ex(A)
        X, sound = torch.cholesky_solve(B, L), info == 0
    else:
        try:
            L = xp.linalg.cholesky(A)
            X = _by_factor(L, B) if library in ("jax", "jaxlib") else xp.linalg.solve(A, B)
        except np.linalg.LinAlgError:
            return B * float("nan")
        sound = xp.isfinite(X[..., 0, 0])
    sound = sound & (xp.min(xp.linalg.diagonal(L) ** 2, axis=-1) > least)
    return xp.where(sound[..., None, None], X, xp.zeros_like(X) * float("nan"))


def _by_factor(L: Any, B: Any) -> Any:
    from jax.scipy.linalg import cho_solve

    return cho_solve((L, True), B)
