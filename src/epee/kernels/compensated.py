r"""Numbers of twice the precision: a sum :math:`h + l` of two float64 with :math:`|l| \le \tfrac12\,\mathrm{ulp}(h)`.

The sum and the product of two float64 are each exactly the sum of two float64 (Knuth; Dekker and Veltkamp):

.. math:: a + b = s + e, \qquad a \cdot b = p + f,

with :math:`s`, :math:`p` the rounded results. Keeping the errors :math:`e`, :math:`f` gives about 32 digits, enough to form a
residual :math:`y - x^\top \beta` whose terms nearly cancel and to sum it without loss. Everything here is whole-array NumPy: a
pass over a block costs some sixty operations a cell, and only problems that lose digits otherwise pay for it.

Reference: Ogita, Rump and Oishi, *Accurate sum and dot product*, SIAM J. Sci. Comput. 26 (2005).
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from epee.typing import Tensor

Pair: TypeAlias = tuple[Tensor, Tensor]  # the number h + l
SPLITTER = 134217729.0  # 2**27 + 1: cuts 53 bits into two halves


def two_sum(a: Tensor, b: Tensor) -> Pair:
    """Return the sum and its rounding error, exactly.

    >>> two_sum(1.0, 1e-20)
    (1.0, 1e-20)
    """
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def quick_two_sum(a: Tensor, b: Tensor) -> Pair:
    """Return the same when ``|a| >= |b|``, in half the operations."""
    s = a + b
    return s, b - (s - a)


def two_product(a: Tensor, b: Tensor) -> Pair:
    """Return the product and its rounding error, exactly.

    >>> two_product(1.0 + 2.0**-30, 1.0 + 2.0**-30) == (1.0 + 2.0**-29, 2.0**-60)
    True
    """
    p = a * b
    t = SPLITTER * a
    ah = t - (t - a)
    al = a - ah
    t = SPLITTER * b
    bh = t - (t - b)
    bl = b - bh
    return p, ((ah * bh - p) + ah * bl + al * bh) + al * bl


def add(a: Pair, b: Pair) -> Pair:
    """Return the sum of two pairs."""
    s, e = two_sum(a[0], b[0])
    t, f = two_sum(a[1], b[1])
    s, e = quick_two_sum(s, e + t)
    return quick_two_sum(s, e + f)


def multiply(a: Pair, b: Pair) -> Pair:
    """Return the product of two pairs."""
    p, e = two_product(a[0], b[0])
    return quick_two_sum(p, e + (a[0] * b[1] + a[1] * b[0]))


def subtract(a: Pair, b: Pair) -> Pair:
    """Return the difference of two pairs."""
    return add(a, (-b[0], -b[1]))


def divide(a: Pair, b: Pair) -> Pair:
    """Return the quotient of two pairs.

    >>> h, low = divide((1.0, 0.0), (3.0, 0.0))
    >>> 3 * low == 1.0 - 3 * h or abs(low) < 1e-16
    True
    """
    q = a[0] / b[0]
    rest = subtract(a, multiply(b, (q, 0.0 * q)))
    more = rest[0] / b[0]
    rest = subtract(rest, multiply(b, (more, 0.0 * more)))
    q, more = quick_two_sum(q, more)
    return add((q, more), (rest[0] / b[0], 0.0 * q))


def root(a: Pair) -> Pair:
    """Return the square root of a positive pair, by one step of Newton from that of its head."""
    x = np.sqrt(a[0])
    rest = subtract(a, two_product(x, x))
    return quick_two_sum(x, rest[0] / (2 * x))


def total(a: Pair, axis: int = 0) -> Pair:
    """Return the sum of pairs along an axis, pairwise.

    >>> h, low = total((np.array([1e17, 1.0, -1e17]), np.zeros(3)))
    >>> float(h + low)
    1.0
    """
    h, low = np.moveaxis(a[0], axis, 0), np.moveaxis(a[1], axis, 0)
    if not len(h):
        return np.zeros(h.shape[1:]), np.zeros(h.shape[1:])
    while len(h) > 1:
        half = len(h) // 2
        odd = (h[2 * half :], low[2 * half :])
        h, low = add((h[:half], low[:half]), (h[half : 2 * half], low[half : 2 * half]))
        if len(odd[0]):
            h, low = np.concatenate([h, odd[0]]), np.concatenate([low, odd[1]])
    return h[0], low[0]


def dot(a: Tensor, b: Tensor) -> Pair:
    """Return the scalar product of two vectors to twice the precision.

    >>> float(sum(dot(np.array([1e16, 1.0, -1e16]), np.array([1.0, 0.5, 1.0]))))
    0.5
    """
    return total(two_product(a, b))
