"""What CuPy's functions do in many launches, each of which takes longer than its work, in one.

CuPy compiles a kernel at its first use and keeps it. What each of them means is said, and done in the plain way, by the function of
:mod:`epee.arrays` that calls it.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import Any


@cache
def _kernel(name: str, takes: str, gives: str, work: str) -> Any:
    return sys.modules["cupy"].ElementwiseKernel(takes, gives, work, f"epee_{name}")


def softmax_of_columns(S: Any, least: float) -> Any:
    """Return the softmax of each column of ``S`` (K, n), and the log of its sum as one line more, (K + 1, n)."""
    (K, n), cupy = S.shape, sys.modules["cupy"]
    out = cupy.empty((K + 1, n), dtype=S.dtype)
    work = """
        T top = least, total = 0;
        for (int k = 0; k < K; k++) top = max(top, S[k * n + i]);
        for (int k = 0; k < K; k++) { const T e = exp(S[k * n + i] - top); out[k * n + i] = e; total += e; }
        for (int k = 0; k < K; k++) out[k * n + i] /= total;
        out[K * n + i] = top + log(total);
        """
    _kernel("softmax", "raw T S, int32 K, int64 n, T least", "raw T out", work)(S, K, n, least, out, size=n)
    return out


def indicators(codes: Any, C: int, dtype: Any) -> Any:
    """Return a table (n, C) with 1 in the column that the code of a row names."""
    out = sys.modules["cupy"].empty((codes.shape[0], C), dtype=dtype)
    return _kernel("mark", "raw U codes, int64 C", "T out", "out = codes[i / C] == i % C ? 1 : 0;")(codes, C, out)


def less_own_line(B: Any, M: Any, which: Any) -> Any:
    """Take from each row of ``B`` (n, q) the line of ``M`` that ``which`` (n,) names, and return it."""
    q, work = B.shape[1], "out = B - M[(long long)which[i / q] * q + i % q];"
    return _kernel("less", "T B, raw T M, raw U which, int64 q", "T out", work)(B, M, which, q, B)


def keys_of_lines(D: Any, bits: int) -> Any:
    """Return a whole number for each number of 32 bits of a table (m, n): its line, its value, and its place in ``bits`` bits."""
    work = """
        const long long bare = __float_as_int(D + 0.0f);  // -0 is 0
        const long long value = (bare < 0 ? -2147483649LL - bare : bare) + 2147483648LL;  // in the order of the numbers, from 0 on
        key = ((long long)(i / n) << (32 + bits)) | (value << bits) | (long long)(i % n);
        """
    return _kernel("keys", "float32 D, int64 n, int32 bits", "int64 key", work)(D, D.shape[1], bits)


def least_in_groups(D: Any, groups: int) -> Any:
    """Return the least of each group of each line of a table (m, n), (m, groups); place j is in group j % groups."""
    m, n = D.shape
    out = sys.modules["cupy"].empty((m, groups), dtype=D.dtype)
    work = """
        const long long first = (long long)(i / groups) * groups * size + i % groups;
        T low = D[first];
        for (int k = 1; k < size; k++) low = min(low, D[first + k * groups]);
        least = low;
        """
    return _kernel("least", "raw T D, int64 groups, int32 size", "T least", work)(D, groups, n // groups, out)
