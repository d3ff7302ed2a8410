"""What one pass over the rows keeps of them, said by the class of an estimator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from epee.typing import Scatter


@dataclass(frozen=True)
class Keep:
    """What one pass keeps: the scatter, by class (``group="y"``) or not, with the target as last columns (``targets``)."""

    scatter: Scatter = "full"
    group: Literal["y"] | None = None
    targets: bool = False
