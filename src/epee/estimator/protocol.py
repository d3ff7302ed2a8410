r"""What the rooms above may ask of an estimator: the only names by which ``risk`` and ``job`` know one.

An estimator that can do more than ``fit`` and ``predict`` says so by having the methods of one of these protocols, and is asked
by ``isinstance``. *Clean rows* are rows (n, p) as :meth:`Judge.clean` returns them: checked once, then asked of many models.

======================  ==========================================================================================
protocol                what it can do
======================  ==========================================================================================
:class:`KeepsMoments`   learn from sums of its rows: a fit is a sum
:class:`SolvesStack`    solve many training samples at once
:class:`SolvesScores`   score by many training samples at once
:class:`SolvesPath`     solve many values of a parameter at once
:class:`FitsStack`      fit many weightings of the same rows at once
:class:`FitsTogether`   fit several of its kind at once, each on rows of its own
:class:`Varies`         be had at other values of a parameter without a new fit
:class:`Lengthened`     be fitted longer, so that each shorter fit is its beginning
:class:`Telling`        say on the way, after each of these beginnings, what it then says of rows
:class:`RowWise`        map one row at a time
:class:`AffineStep`     map rows by :math:`x \mapsto Ax + b`, known from moments
:class:`LeavesOneOut`   predict every row without it, in closed form; :class:`LeavesOneOutPath` along a parameter
:class:`Judge`          answer for clean rows: labels, values, scores, probabilities
:class:`Counted`        say its degrees of freedom
:class:`Seen`           say which rows it learned from
:class:`Compares`       answer by comparing a row with all that it learned from
:class:`Quadratic`      write its log-odds as a quadratic form
:class:`LinearPredictor`  predict :math:`Xw + b` and nothing else
:class:`Stateful`       be written down as plain data, and made again from it
======================  ==========================================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self, TypeGuard, runtime_checkable

import numpy as np

from epee.estimator.keep import Keep
from epee.table.block import Block, Source
from epee.typing import Codes, Matrix, Tensor, Vector

if TYPE_CHECKING:
    from epee.moments.affine import Affine

Needs = Literal["labels", "values", "scores", "probabilities"]
Answer = Callable[[Matrix], np.ndarray]


@runtime_checkable
class KeepsMoments(Protocol):
    """An estimator that lives on sums of its rows: any cut of them, any machine, any fold."""

    @property
    def keeps(self) -> Keep:
        """What one pass keeps."""

    @property
    def needs_rows(self) -> bool:
        """Whether sums over a fold are not enough to learn from it."""

    @property
    def refines(self) -> bool:
        """Whether it may go back to the rows after the sums, see :meth:`refine`."""

    def rows_in(
        self, X: Any, y: Any = None, sample_weight: Any = None, fold: Codes | None = None, *, reset: bool = True
    ) -> Source:
        """Return the checked rows as a source of blocks; ``reset`` notes names, classes and the shape of the target."""

    def summation(
        self, source: Source, folds: int | None = None, origin: Vector | None = None
    ) -> Callable[[Block], Any]:
        """Return the picklable function that makes a block a moment."""

    def fit_moments(self, m: Any) -> Self:
        """Solve from moments."""

    def refine(self, source: Source, m: Any) -> None:
        """Go back to the rows behind ``m`` where moments lose digits."""

    def same_door_as(self, other: Any) -> bool:
        """Tell whether rows that were checked for one are checked for the other."""

    def same_moments_as(self, other: Any) -> bool:
        """Tell whether sums of the same rows serve both: same door, same sums."""

    def entered_as(self, n_columns: int, classes: Any = None, one_target: bool = True) -> Self:
        """Return a clone that knows what it would have noted of rows at the door, for rows that somebody else has checked."""

    def entered_like(self, other: Any) -> Self:
        """Return a clone that knows of the rows what ``other`` noted at the door."""


@runtime_checkable
class SolvesStack(Protocol):
    """Linear scores of many training samples at once."""

    def solve_stack(self, m: Any) -> tuple[Tensor, Tensor] | None:
        """Return coefficients (T, k, p) and intercepts (T, k) of moments with an axis of T folds; None when one by one is safer."""


@runtime_checkable
class StaysThere(Protocol):
    """A predictor that says whether its stack is solved where rows on a device lie."""

    stacks_there: bool


@runtime_checkable
class SolvesScores(Protocol):
    """Scores of a classifier under many training samples at once, where nothing else is wanted of the fits."""

    def solve_scores(self, m: Any) -> Any:
        """Return a stack of scores (:mod:`epee.estimator.stack`) of moments with an axis of folds; None when one by one is safer."""


@runtime_checkable
class SolvesPath(Protocol):
    """A linear regressor at many values of a parameter at once."""

    def solve_path(self, m: Any, parameter: str, values: Any) -> tuple[Tensor, Tensor, Tensor] | None:
        """Return coefficients (T, V, m, p), intercepts (T, V, m) and degrees of freedom (T, V); None where there is no path."""


@runtime_checkable
class FitsStack(Protocol):
    """A linear classifier under many weightings of the same rows."""

    def fit_stack(self, X: Matrix, y: Codes, weights: Matrix) -> tuple[Tensor, Matrix] | None:
        """Return coefficients (S, k, p) and intercepts (S, k) for weights (S, n) of the rows; None when one by one is safer."""


@runtime_checkable
class FitsTogether(Protocol):
    """An estimator several of which cost less at once than one by one."""

    def fit_together(self, models: Sequence[Any], rows: Sequence[tuple[Any, Any, Any]]) -> None:
        """Fit each of the models, of this class, on its rows (X, y, weights or None): as each alone would be fitted."""


@runtime_checkable
class Varies(Protocol):
    """A fitted estimator that can be had at other values of a parameter: a tree pruned, other neighbours, another penalty."""

    def variants(self, parameter: str, values: Sequence[Any]) -> list[Self] | None:
        """Return fitted estimators at these values, without a new fit; None when this parameter needs one."""

    def answer_together(self, variants: Sequence[Any], X: Matrix, needs: Needs | None = None) -> list[np.ndarray]:
        """Return what each variant says of clean rows, from one search or one basis: labels or values, or what is needed."""


@runtime_checkable
class Lengthened(Protocol):
    """An estimator whose fit goes on with a parameter: one at a smaller value is the beginning of one at a larger."""

    lengthened_by: str


@runtime_checkable
class Telling(Protocol):
    """An estimator whose fit goes on with a parameter, and that tells on the way what it would say if it stopped there."""

    def fit_telling(
        self, X: Any, y: Any, sample_weight: Any, rows: Any, values: Sequence[Any], needs: Needs
    ) -> Iterator[np.ndarray] | None:
        """Fit, and yield at each of these values, which increase up to its own, what is said of rows; of ``X`` itself with None.

        An answer is good until the next is asked for, and the estimator is fitted after the last. None where it cannot be done.
        """


@runtime_checkable
class RowWise(Protocol):
    """A transformer that looks at one row at a time; only those have the attribute."""

    row_wise: bool


@runtime_checkable
class AffineStep(Protocol):
    r"""A transformer :math:`x \mapsto a \circ x + b` whose map follows from moments, column by column."""

    def affine(self, m: Any) -> tuple[Matrix, Matrix]:
        """Return a and b, each (T, p) for moments with an axis of T folds; means, variances and counts are all that may be asked."""

    def fit_moments(self, m: Any) -> Self:
        """Return the step fitted on the rows behind ``m``; groups and targets in it are left aside."""


@runtime_checkable
class LeavesOneOut(Protocol):
    """Predictions without the row in closed form."""

    left_out_by: str

    def left_out(self, X: Any, y: Any, w: Vector | None = None) -> np.ndarray | None:
        """Return scores or probabilities (n, K), or values, of the clean rows it was fitted on; None without a formula."""


@runtime_checkable
class Leans(Protocol):
    """A linear smoother that says how much the noise of the rows it learned from moves its predictions."""

    def leverage(self, X: Any) -> Vector:
        """Return the variance of the prediction of each row (n,), in units of that of the noise."""


@runtime_checkable
class LeavesOneOutPath(Protocol):
    """The same along a parameter."""

    def left_out_path(self, X: Any, y: Any, w: Vector | None, parameter: str, values: Any) -> np.ndarray | None:
        """Return predictions without the row (V, n, ...), one layer a value; None for a parameter without a path."""


@runtime_checkable
class Judge(Protocol):
    """What a loss asks of a fitted predictor."""

    def clean(self, X: Any) -> Matrix:
        """Check rows as :meth:`predict` would and return them."""

    def answers(self, needs: Needs) -> Answer | None:
        """Return the function from clean rows to what is needed, None when it has none.

        "labels" are codes into ``classes_`` (n,), "values" are predictions (n,) or (n, m), "scores" and "probabilities" are (n, K).
        """


@runtime_checkable
class Decides(Protocol):
    """A classifier whose label is a function of its probabilities: who has these need not ask it again."""

    def decided(self, P: Matrix) -> np.ndarray:
        """Return the label of each row (n,), as :meth:`predict` does, from what :meth:`predict_proba` says of it (n, K)."""


@runtime_checkable
class Labels(Protocol):
    """A fitted classifier, ours or anyone's."""

    @property
    def classes_(self) -> Any:
        """The labels that it may answer, in order."""


@runtime_checkable
class Anywhere(Protocol):
    """Knows whether it can answer where rows lie: on a device, say."""

    answers_anywhere: bool


@runtime_checkable
class Counted(Protocol):
    """Knows how many parameters it is worth."""

    def degrees_of_freedom(self, X: Any = None) -> float:
        """Return the effective degrees of freedom once fitted, NaN when unknown; some count on the training rows ``X``."""


@runtime_checkable
class Seen(Protocol):
    """Knows which rows it learned from."""

    @property
    def training_fingerprint(self) -> object | None:
        """The fingerprint of the training rows, None when they were a stream or not noted."""

    @property
    def training_targets(self) -> object | None:
        """The fingerprint of the training targets, None when it was not noted."""


@runtime_checkable
class Wraps(Protocol):
    """A fitted estimator around another."""

    estimator_: Any


@runtime_checkable
class Compares(Protocol):
    """A fitted estimator that compares every row it is asked about with those it learned from: what it costs to ask grows with them."""

    n_samples_fit_: int


@runtime_checkable
class Remembers(Protocol):
    """A fitted estimator that keeps the sums of the rows it learned from."""

    moments_: Any


@dataclass(frozen=True, eq=False)
class QuadraticForm:
    r"""The function :math:`u^\top B u + a^\top (u \circ u) + b^\top u + c` of :math:`u = x - o`.

    ``bend`` is B (p, p) or None, ``squares`` a (p,) or None, ``slope`` b (p,), ``level`` c, ``centre`` o (p,).

    >>> QuadraticForm(None, np.array([1.0]), np.array([2.0]), 3.0, np.array([1.0]))(np.array([[3.0]]))
    array([11.])
    """

    bend: Matrix | None
    squares: Vector | None
    slope: Vector
    level: float
    centre: Vector

    def __call__(self, X: Matrix) -> Vector:
        """Return the value at each row (n,)."""
        U = X - self.centre
        value = U @ self.slope + self.level
        if self.squares is not None:
            value = value + (U * U) @ self.squares
        return value if self.bend is None else value + np.einsum("ij,ij->i", U @ self.bend, U)

    def behind(self, before: Affine | None, origin: Vector) -> QuadraticForm:
        """Return the form of mapped rows as one of the rows before, about ``origin``.

        >>> from epee.moments.affine import Affine
        >>> form = QuadraticForm(None, np.array([1.0]), np.array([2.0]), 3.0, np.array([1.0]))
        >>> x, halve = np.array([[5.0]]), Affine(np.array([0.5]), np.array([0.5]))
        >>> form.behind(halve, np.array([2.0]))(x) == form(halve.rows(x))
        array([ True])
        """
        S = np.ones(len(self.slope)) if before is None else before.dense
        at = origin if before is None else before.rows(origin[None])[0]
        k = at - self.centre  # the form's own u is S u + k
        diagonal = S.ndim == 1
        slope, level = self.slope.copy(), self.level + float(self.slope @ k)
        bend, squares = None, None
        if self.squares is not None:
            slope += 2 * self.squares * k
            level += float(self.squares @ k**2)
            squares = self.squares * S**2 if diagonal else None
            bend = None if diagonal else (S.T * self.squares) @ S
        if self.bend is not None:
            slope += 2 * self.bend @ k
            level += float(k @ self.bend @ k)
            inner = S[:, None] * self.bend * S if diagonal else S.T @ self.bend @ S
            bend = inner if bend is None else bend + inner
        return QuadraticForm(bend, squares, slope * S if diagonal else slope @ S, level, origin)


@runtime_checkable
class Quadratic(Protocol):
    """A classifier that decides between two classes by the sign of a quadratic form."""

    def log_odds(self) -> QuadraticForm | None:
        """Return the form, positive where the second class wins: the log-odds where there are any; None for other fits."""


@runtime_checkable
class LinearPredictor(Protocol):
    """A fitted predictor with coefficients; ``is_linear`` says, fitted or not, that it predicts X coef + intercept exactly."""

    coef_: Any
    intercept_: Any
    is_linear: bool


@runtime_checkable
class CoefficientCovariance(Protocol):
    """A fitted linear predictor that knows how sure its coefficients are."""

    coef_covariance_: Any
    rank_: int


@runtime_checkable
class Stateful(Protocol):
    """Can be written as plain data (numbers, text, arrays, lists, dictionaries, other stateful objects) and made again."""

    state_version: int

    def to_state(self) -> dict[str, Any]:
        """Return all that a fitted object needs."""

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Any:
        """Return the object that :meth:`to_state` described."""


_judges: dict[type, bool] = {}


def judges(kind: type) -> bool:
    """Tell whether estimators of a class are a :class:`Judge`: asked of thousands of fits, and found once."""
    if kind not in _judges:
        _judges[kind] = issubclass(kind, Judge)
    return _judges[kind]


def gives_labels(model: Any) -> TypeGuard[Labels]:
    """Tell whether a model is a fitted classifier.

    A pipeline has a property for the classes of its last step, which fails for a regressor: ``isinstance`` takes that for an attribute
    from Python 3.12 on, so it is asked itself.

    >>> from sklearn.pipeline import make_pipeline
    >>> from epee import LinearRegression
    >>> gives_labels(make_pipeline(LinearRegression()).fit([[0.0], [1.0]], [0.0, 1.0]))
    False
    """
    return hasattr(model, "classes_")


def answers_anywhere(model: Any) -> bool:
    """Tell whether a model says what it says of rows where they lie, see :mod:`epee.arrays`: only ours may."""
    return isinstance(model, Anywhere) and model.answers_anywhere


def gives_probabilities(model: Any) -> bool:
    """Tell whether an estimator, ours or anyone's, gives probabilities.

    The instance is asked: scikit-learn shows ``predict_proba`` on the class of a pipeline and hides it on one that has none.
    """
    return hasattr(model, "predict_proba")


def gives_scores(model: Any) -> bool:
    """Tell whether an estimator, ours or anyone's, gives decision scores."""
    return hasattr(model, "decision_function")
