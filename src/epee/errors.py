"""What can be wrong with data, said in one sentence: what, where, and what to do about it.

Every exception about data derives from :class:`ValueError`, so code written against scikit-learn catches it as before;
the sentences keep the words that scikit-learn's own checks look for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.linalg import LinAlgError


class DataError(ValueError):
    """The data cannot be used as they are."""


class MissingValues(DataError):
    """Cells are missing where the method cannot do without them."""


class InfiniteValues(DataError):
    """Cells are infinite, or so large that their squares are."""


class EmptyTable(DataError):
    """There are no rows, or no columns."""


class TooLarge(DataError):
    """The problem would need more memory than can be asked for; raised before anything is allocated."""


class InPieces(DataError, RuntimeError):
    """A graph of neighbours that no path joins; Python's ``RuntimeError``, too, as scikit-learn has it."""


class BadFile(DataError):
    """A file is ragged, truncated, undecodable or of another format."""


class WrongUse(ValueError):
    """A parameter has a value that makes no sense; the sentence lists those that do."""


class Unavailable(WrongUse, NotImplementedError):
    """What was asked for is not offered with these settings; Python's ``NotImplementedError``, too."""


class EpeeWarning(UserWarning):
    """Something that the user should know; the result stands."""


class DataWarning(EpeeWarning):
    """A property of the data that often is a mistake: a constant column, a class with one member."""


class TableWarning(DataWarning):
    """How a table was read, where the cells or the bytes left room for doubt: an encoding, a decimal mark, long whole numbers."""


class ConditionWarning(EpeeWarning):
    """A problem so ill-conditioned that the digits of the answer are few, or were won by the slow route."""


class SearchWarning(EpeeWarning):
    """A search stopped before it had converged, or at the edge of what it was allowed to try."""


class EdgeWarning(SearchWarning):
    """The best value lies at the edge of those that were tried."""


class EngineWarning(EpeeWarning):
    """Work was done elsewhere than was asked for: on the CPU, where a device could not."""


class EngineLost(RuntimeError):
    """The workers died, the device is full, or a part cannot be done by them."""


if TYPE_CHECKING:

    class SingularProblem(DataError, LinAlgError):
        """The equations do not determine the answer, or lose too many digits on the way to it; NumPy's ``LinAlgError``, too."""


def __getattr__(name: str) -> Any:
    """Make the one class that needs NumPy when it is asked for: this module is loaded by everything, at once."""
    if name != "SingularProblem":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from numpy.linalg import LinAlgError

    words = "The equations do not determine the answer, or lose too many digits on the way to it; NumPy's ``LinAlgError``, too."
    made = type(name, (DataError, LinAlgError), {"__doc__": words, "__module__": __name__})
    globals()[name] = made
    return made


def of_shares(n: float) -> str:
    """Return what to do where weights add up to too few rows because they are shares: no whole number of rows, or one at most.

    >>> of_shares(3.0), of_shares(0.9)
    ('', ' Weights are counts of rows here: multiply shares by the number of rows.')
    """
    return "" if n > 1 and n == round(n) else " Weights are counts of rows here: multiply shares by the number of rows."
