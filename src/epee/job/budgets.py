"""How long a run may take, as people write it."""

from __future__ import annotations

import re
from typing import Any

from epee.errors import WrongUse

UNITS = {"": 1.0, "s": 1.0, "sec": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


def seconds_of(budget: Any) -> float | None:
    """Return a time in seconds: a number, "60s", "2min", "1h"; None for no limit.

    >>> seconds_of("2min"), seconds_of(30), seconds_of(None)
    (120.0, 30.0, None)
    """
    if budget is None:
        return None
    if isinstance(budget, int | float) and not isinstance(budget, bool) and 0 < budget < float("inf"):
        return float(budget)
    found = re.fullmatch(r"\s*([0-9]*[.,]?[0-9]+)\s*([a-z]*)\s*", str(budget).lower())
    if not found or found[2] not in UNITS or float(found[1].replace(",", ".")) <= 0:
        raise WrongUse(f"the budget {budget!r} is no time; write it like 60s, 2min or 1h.")
    return float(found[1].replace(",", ".")) * UNITS[found[2]]
