"""How large a square of columns may be: refused before anything is allocated."""

from __future__ import annotations

from epee.errors import TooLarge

LARGEST_SIDE = 20_000  # a symmetric matrix of this side takes 3.2 GB


def refuse_large(n: int | None, p: int, *, square: bool = False) -> None:
    """Refuse a problem whose smaller side is too large for a square matrix; with ``square`` the side is p whatever n.

    >>> refuse_large(100, 30_000)
    >>> refuse_large(None, 30_000)
    Traceback (most recent call last):
    ...
    epee.errors.TooLarge: the table has 30000 columns: a matrix of side 30000 would take 7 GB, and the largest allowed is 20000. ...
    """
    side = p if n is None or square else min(n, p)
    rows = "" if n is None else f"{n} rows and "
    if side > LARGEST_SIDE:
        raise TooLarge(
            f"the table has {rows}{p} columns: a matrix of side {side} would take {8 * side**2 / 1e9:.0f} GB, and "
            f"the largest allowed is {LARGEST_SIDE}. Select or project the columns first."
        )
