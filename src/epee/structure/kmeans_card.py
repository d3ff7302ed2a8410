r"""A pass of k-means as one kernel, for rows on a graphics card; Triton, which comes with PyTorch, compiles the kernel.

Rows that CuPy holds are lent to PyTorch where they lie. As products of matrices (:mod:`epee.structure.kmeans_blocks`) a pass writes
distances and indicators, both larger than the rows, to the memory of the card and reads them again. Here a few rows are loaded, with a
column of ones; their distances are one small product and the sums of the clusters another, and both stay on the chip: the rows are read
once and little is written. Each program adds the rows of its own stretch, and these sums are added in order, so the same rows give the
same bits.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import triton
import triton.language as tl

from epee.typing import Matrix, Vector

CELLS = 4096  # distances held at once by a program
SUMS = 8192  # cells of the table of sums that a program holds
PROGRAMS = 4  # to each multiprocessor
FAR = 1e300  # squared length of centres that only fill a power of two


@dataclass(frozen=True)
class Pass:
    """Count (k,), sums (k, p), squares of the rows, those to the nearest centres, and labels (n,) on the card where asked for."""

    count: Vector
    sums: Matrix
    squares: float
    within: float
    labels: Any

    def handed_to(self, xp: Any) -> Pass:
        """Return the same with the labels as an array of another library, where they lie."""
        return replace(self, labels=xp.from_dlpack(self.labels))


@triton.jit
def _pass(  # type: ignore[no-untyped-def]
    X, down, right, w, origin, centres, labels, sums, squares, n, p, tiles,
    K: tl.constexpr, P: tl.constexpr, T: tl.constexpr, WEIGHTED: tl.constexpr, LABELS: tl.constexpr,
):  # fmt: skip
    program = tl.program_id(0).to(tl.int64)
    k, j = tl.arange(0, K), tl.arange(0, P)
    C = tl.load(centres + k[None, :] * P + j[:, None])  # (P, K)
    about = tl.load(origin + j)
    total = tl.zeros((K, P), tl.float64)
    whole = tl.zeros((T,), tl.float64)
    nearest = tl.zeros((T,), tl.float64)
    for i in range(tiles):
        rows = (program * tiles + i) * T + tl.arange(0, T)
        inside = rows < n
        x = tl.load(X + rows[:, None] * down + j[None, :] * right, mask=inside[:, None] & (j[None, :] < p), other=0.0)
        x = x.to(tl.float64) - about[None, :]
        if WEIGHTED:
            share = tl.load(w + rows, mask=inside, other=0.0).to(tl.float64)
        else:
            share = tl.where(inside, 1.0, 0.0).to(tl.float64)
        whole += tl.sum(x * x, axis=1) * share
        x = tl.where(j[None, :] == p, 1.0, x)
        D = tl.dot(x, C, out_dtype=tl.float64)  # (T, K): squared distances less the squared length of the row
        label = tl.argmin(D, axis=1)
        nearest += tl.min(D, axis=1) * share
        if LABELS:
            tl.store(labels + rows, label, mask=inside)
        E = tl.where(label[None, :] == k[:, None], share[None, :], 0.0)  # (K, T)
        total = tl.dot(E, x, total, out_dtype=tl.float64)
    tl.store(sums + program * K * P + k[:, None] * P + j[None, :], total)
    tl.store(squares + program * 2, tl.sum(whole, axis=0))
    tl.store(squares + program * 2 + 1, tl.sum(nearest, axis=0))


def power_of_two(n: int) -> int:
    """Return the power of two from ``n`` on, at least 16: the sides of products on the chip."""
    return max(16, 1 << (n - 1).bit_length())


def fits(k: int, p: int) -> bool:
    """Tell whether the sums of ``k`` centres of ``p`` columns fit on the chip."""
    K, P = power_of_two(k), power_of_two(p + 1)
    return K * P <= SUMS and 16 * K <= CELLS


def card_pass(X: Any, weight: Any, centres: Matrix, origin: Vector, labels: bool = False) -> Pass:
    """Allocate the rows of ``X`` (n, p) on a card to ``centres`` (k, p), which are about the origin, and add them."""
    torch = sys.modules["torch"]  # whose rows they are
    (n, p), k = X.shape, len(centres)
    K, P = power_of_two(k), power_of_two(p + 1)
    T = max(16, min(64, CELLS // K))
    table = np.zeros((K + 1, P))  # the origin in the last line
    table[:k, :p], table[:k, p], table[k:K, p] = -2.0 * centres, (centres**2).sum(axis=1), FAR
    table[K, :p] = origin
    there = torch.from_numpy(table).to(X.device)
    processors = torch.cuda.get_device_properties(X.device).multi_processor_count
    programs = max(1, min(PROGRAMS * processors, -(-n // T)))
    sums = torch.empty((programs, K * P), dtype=torch.float64, device=X.device)
    squares = torch.empty((programs, 2), dtype=torch.float64, device=X.device)
    found = torch.empty(n if labels else 1, dtype=torch.int32, device=X.device)
    with torch.cuda.device(X.device):
        _pass[(programs,)](
            X, X.stride(0), X.stride(1), squares if weight is None else weight.contiguous(), there[K], there, found, sums, squares,
            n, p, -(-n // (T * programs)), K, P, T, weight is not None, labels, num_warps=4,
        )  # fmt: skip
        home = torch.cat([sums.sum(dim=0), squares.sum(dim=0)]).cpu().numpy()
    both = home[:-2].reshape(K, P)[:k]
    return Pass(both[:, p], both[:, :p], float(home[-2]), float(home[-2] + home[-1]), found if labels else None)
