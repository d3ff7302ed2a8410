r"""What rows without labels are worth: the error with them against the error without.

Of a table whose labels are all known, a test part is put aside, a few labels of the rest are kept and the others hidden. The
model learns once from the labelled rows alone and once from all rows; the difference of their errors on the test part is the gain,
negative where the unlabelled rows do harm. This is repeated :math:`R` times at random. With :math:`g_r` the gain of draw r and
:math:`d_i` that on row i, on average over the draws that tested it, the mean gain has two sources of error, which labels were kept
and which rows the table happens to hold:

.. math:: \widehat{\operatorname{Var}}(\bar g) = \frac{1}{R(R-1)} \sum_r (g_r - \bar g)^2
          + \frac{1}{n(n-1)} \sum_i (d_i - \bar d)^2.

The second sum holds a part of the first, so the error bars are rather too wide than too narrow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtrit
from sklearn.base import clone

from epee.errors import DataError, WrongUse
from epee.estimator.base import encode_labels
from epee.lazy import drawn
from epee.settings import progress
from epee.table.doors import gather, is_stream, open_source
from epee.typing import Codes, Matrix, Vector


@dataclass(frozen=True, eq=False)
class UnlabelledGain:
    """Errors for each number of labels: ``alone`` and ``together`` with the unlabelled rows, and ``gain``, their difference (L,)."""

    labelled: tuple[int, ...]
    alone: Vector
    alone_stderr: Vector
    together: Vector
    together_stderr: Vector
    gain: Vector
    gain_stderr: Vector
    interval: Matrix
    level: float

    @property
    def verdict(self) -> list[str]:
        """For each number of labels "helps", "harms" or "not shown": whether the interval of the gain leaves out 0."""
        return ["helps" if low > 0 else "harms" if high < 0 else "not shown" for low, high in self.interval]

    plot = drawn("mixtures.draw_gain", "Draw both errors against the number of labels, with their error bars.")


def unlabelled_gain(
    model: Any, X: Any, y: Any, labelled: Sequence[int] = (10, 20, 50), *, test_size: float = 1 / 3, repeats: int = 20,
    level: float = 0.95, random_state: int = 0,
) -> UnlabelledGain:  # fmt: skip
    """Return what unlabelled rows bring to a classifier, with error bars.

    Parameters
    ----------
    model : classifier
        One that takes -1 for a row without label, as :class:`~epee.SemiSupervisedGaussian`.
    X, y : array (n, p) and labels (n,), all known
    labelled : sequence of int
        How many labels to keep; at least two of each class are.
    test_size : float
        Share of the rows that errors are counted on.
    repeats : int
        Random draws; more narrow the error bars, though never below what one table can tell.
    level : float
        Of the intervals of the gain.
    random_state : int

    Examples
    --------
    >>> from epee import SemiSupervisedGaussian
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(400) % 2
    >>> X = rng.normal(size=(400, 4)) + 1.2 * y[:, None]
    >>> found = unlabelled_gain(SemiSupervisedGaussian(covariance_type="tied"), X, y, (8,), repeats=10)
    >>> bool(found.together[0] < found.alone[0])
    True
    """
    if not 0 < test_size < 1:
        raise WrongUse(f"test_size is {test_size!r}; it must lie between 0 and 1.")
    if repeats < 2:
        raise WrongUse(f"repeats is {repeats!r}; an error bar needs at least 2.")
    if not 0 < level < 1:
        raise WrongUse(f"level is {level!r}; it must lie between 0 and 1.")
    if is_stream(X):
        X, y, _ = gather(open_source(X, y))
    X = np.asarray(X, dtype=np.float64)
    n = len(X)
    classes, codes = encode_labels(y, n)
    held = max(round(test_size * n), 1)
    for few in labelled:
        if few < 2 * len(classes) or few >= n - held:
            raise WrongUse(
                f"labelled holds {few}; it must be at least two for each of the {len(classes)} classes, and fewer than the "
                f"{n - held} rows to learn from."
            )
    rare = int(np.argmin(np.bincount(codes)))
    if np.bincount(codes)[rare] < 4:
        raise DataError(
            f"class {classes.tolist()[rare]!r} has fewer than 4 rows: too few to learn from some and be tested on others."
        )
    rng = np.random.default_rng(random_state)
    errors, missed, tested = np.empty((repeats, len(labelled), 2)), np.zeros((n, len(labelled), 2)), np.zeros(n)
    with progress("hiding labels", repeats) as tick:
        for r in range(repeats):
            order = _with_two_of_each(rng.permutation(n), codes)
            learn, test = order[: n - held], order[n - held :]
            for i, few in enumerate(labelled):
                known = np.where(np.arange(len(learn)) < few, codes[learn], -1)
                for k, part in enumerate((slice(0, few), slice(None))):
                    fitted = clone(model).fit(X[learn[part]], known[part])
                    wrong = fitted.predict(X[test]) != codes[test]
                    errors[r, i, k] = wrong.mean()
                    missed[test, i, k] += wrong
            tested[test] += 1
            tick()
    rows = missed[tested > 0] / tested[tested > 0, None, None]  # (n, L, 2)

    def error_bar(draws: Matrix, by_row: Matrix) -> Matrix:
        return np.sqrt(draws.var(axis=0, ddof=1) / repeats + by_row.var(axis=0, ddof=1) / len(by_row))

    mean, stderr = errors.mean(axis=0), error_bar(errors, rows)  # (L, 2)
    gains = errors[:, :, 0] - errors[:, :, 1]
    gain, gain_se = gains.mean(axis=0), error_bar(gains, rows[:, :, 0] - rows[:, :, 1])
    half = stdtrit(repeats - 1, (1 + level) / 2) * gain_se
    return UnlabelledGain(
        tuple(int(few) for few in labelled), mean[:, 0], stderr[:, 0], mean[:, 1], stderr[:, 1], gain, gain_se,
        np.column_stack([gain - half, gain + half]), level,
    )  # fmt: skip


def _with_two_of_each(order: Codes, codes: Codes) -> Codes:
    """Return the order with two rows of every class in front, so that the labels kept know all classes.

    >>> codes = np.array([0, 0, 0, 0, 1, 1])
    >>> sorted(codes[_with_two_of_each(np.arange(6), codes)[:4]].tolist())
    [0, 0, 1, 1]
    """
    first = np.concatenate([order[codes[order] == k][:2] for k in range(int(codes.max()) + 1)])
    return np.concatenate([first, order[~np.isin(order, first)]])
