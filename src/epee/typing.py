"""Names for shapes and ranges, for annotations only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

Vector: TypeAlias = npt.NDArray[np.float64]  # (n,) or (p,)
Matrix: TypeAlias = npt.NDArray[np.float64]  # (n, p)
Tensor: TypeAlias = npt.NDArray[np.float64]  # any leading axes
Codes: TypeAlias = npt.NDArray[np.intp]  # (n,) small integers: folds, classes, clusters
Labels: TypeAlias = npt.NDArray[Any]  # (n,) whatever the user calls the classes
ArrayLike: TypeAlias = npt.ArrayLike
Fraction: TypeAlias = float  # in [0, 1]
Seed: TypeAlias = int | np.random.Generator | np.random.RandomState | None
Scatter: TypeAlias = Literal["full", "pooled", "diagonal"] | None
Function: TypeAlias = Callable[[Vector], float]
Gradient: TypeAlias = Callable[[Vector], Vector]
