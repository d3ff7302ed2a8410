r"""A predictor of raw tables: the encoder of its columns and the model behind it, as one object.

``predict`` takes what :func:`epee.learn` took: a frame, a path, a SQL query. Columns may come in another order and with others beside
them. For a number, an interval is the prediction plus and minus a quantile of the absolute residuals of rows that were held out,

.. math:: \hat y(x) \pm q, \qquad q = |r|_{(\lceil (n + 1)\,\text{level} \rceil)}, \tag{1}

which covers new rows of the same kind with about that probability, whatever the law of the noise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from epee.decision.bayes_decision import BayesDecision
from epee.errors import WrongUse
from epee.estimator.protocol import Decides, LinearPredictor, gives_probabilities
from epee.job.guests import Guest, class_name
from epee.job.past import Past
from epee.job.reasons import Contributions, shares
from epee.lazy import Shown
from epee.risk.intervals import check_level
from epee.risk.steps import last_of
from epee.structure.standard_scaler import StandardScaler
from epee.table.encoder import TableEncoder
from epee.table.frames import is_number, to_arrow
from epee.table.raw import RawBlock
from epee.table.schema import find_name, refuse_missing
from epee.table.source import TableSource, open_table
from epee.typing import Labels, Matrix, Vector

ROWS = 16_384  # predicted at once


class Predictor(Shown):
    """A fitted predictor of the rows of a table.

    Parameters
    ----------
    task : {"classification", "regression"}
    targets : tuple of str
    encoder : TableEncoder
        Fitted on the training rows.
    model : fitted estimator
        Of encoded rows.
    residuals : array, optional
        Sorted absolute residuals of held-out rows, for intervals.
    drift : dict, optional
        What the training rows looked like; see :mod:`epee.job.drift`.
    background : array (m, e), optional
        Some encoded training rows, to say why a row gets its prediction; see :mod:`epee.job.reasons`.
    past : Past, optional
        The lags that it reads, and the last rows it was learned from.
    """

    def __init__(
        self, task: str, targets: tuple[str, ...], encoder: TableEncoder, model: Any, residuals: Vector | None = None,
        drift: dict[str, Any] | None = None, background: Matrix | None = None, past: Past | None = None,
    ) -> None:  # fmt: skip
        self.task, self.targets, self.encoder, self.model = task, tuple(targets), encoder, model
        self.residuals, self.drift, self.background, self.past = residuals, drift or {}, background, past

    @property
    def classes_(self) -> Labels:
        """The labels that it may answer."""
        classes: Labels = self.model.classes_
        return classes

    @property
    def feature_names_in_(self) -> list[str]:
        """The columns that it reads."""
        return list(self.encoder.schema_.names)

    @property
    def has_probabilities(self) -> bool:
        """Tell whether it gives probabilities."""
        return self.task == "classification" and gives_probabilities(self.model)

    @property
    def guest(self) -> str:
        """The full name of the class, where it is another library's; else nothing."""
        last = last_step(self.model)
        return class_name(last.estimator_) if isinstance(last, Guest) else ""

    def encode(self, raw: RawBlock) -> Matrix:
        """Return one block of rows as numbers, missing cells filled."""
        return self.encoder.encode(raw)

    def open(self, table: Any, more: Mapping[str, str] | None = None, maybe: Sequence[str] = ()) -> TableSource:
        """Return the rows of a table with the columns that are read, lags made, some ``more``, and those of ``maybe`` that are there."""
        types = {c.name: c.kind for c in self.encoder.schema_}
        beside = {name: kind for name, kind in (more or {}).items() if name not in types}
        lags = [] if self.past is None else self.past.columns
        wanted = {name: kind for name, kind in {**types, **beside}.items() if name not in lags}
        asked = [name for name in beside if name in self.targets]
        if asked:  # the target is missed before any input
            from epee.job.understanding import reopen

            first = open_table(table)
            for name in asked:
                find_name(name, list(first.fields.names), "target column")
            batches = reopen(table, first, wanted)
        else:
            batches = open_table(table, types=wanted)
        there = batches.fields.names
        refuse_missing(list(wanted), there)
        if self.past is not None:
            batches = self.past.open(batches, lambda raw: self.model.predict(self.encode(raw)), types)
        return TableSource(
            batches, types={**types, **beside}, columns=[*types, *beside, *(name for name in maybe if name in there)]
        )

    def blocks(self, table: Any) -> Iterator[RawBlock]:
        """Yield the rows of a table in order, with the columns that the predictor reads; of an array by their numbers, if it learned so."""
        if isinstance(table, np.ndarray) and table.ndim == 2 and all(map(is_number, self.feature_names_in_)):
            table = to_arrow(table)
        source = self.encoder.open(table) if self.past is None else self.open(table)
        yield from source.raw_blocks(ROWS)

    def predict(self, table: Any, *, threshold: float | None = None) -> Labels:
        """Return the label or the value of each row, in order; of two classes the second from the probability ``threshold`` on."""
        return np.concatenate([self.answer(self.encode(raw), threshold) for raw in self.blocks(table)])

    def answer(self, X: Matrix, threshold: float | None = None) -> Labels:
        """Return the label or the value of encoded rows."""
        return np.asarray(self.model.predict(X)) if threshold is None else self.answer_twice(X, threshold)[0]

    def answer_twice(self, X: Matrix, threshold: float | None = None) -> tuple[Labels, Matrix]:
        """Return the label of encoded rows and the probability of each class (n, K), in one go where the one follows from the other."""
        last = last_of(self.model)
        if threshold is not None:
            self.require_threshold(threshold)
        P = np.asarray(self.model.predict_proba(X))
        if threshold is not None:
            return self.classes_[(P[:, 1] >= threshold).astype(np.intp)], P
        return np.asarray(last.decided(P) if isinstance(last, Decides) else self.model.predict(X)), P

    def require_threshold(self, threshold: float) -> None:
        """Refuse a threshold where there is nothing to decide by it."""
        if not self.has_probabilities or len(self.classes_) != 2:
            raise WrongUse(
                "a threshold decides between two classes by their probabilities, which this predictor does not give."
            )
        if not 0 < threshold < 1:
            raise WrongUse(f"threshold is {threshold!r}; it is a probability between 0 and 1.")

    @property
    def threshold(self) -> Any:
        """From which probability of the second class on it decides for it, where that was found by costs on rows held out; with rejection
        a pair, between which it does not decide.
        """
        last = last_of(self.model)
        return last.threshold if isinstance(last, BayesDecision) else None

    def predict_proba(self, table: Any) -> Matrix:
        """Return the probability of each class (n, K), in the order of ``classes_``."""
        if not self.has_probabilities:
            raise WrongUse(f"this predictor ({type(last_step(self.model)).__name__}) gives no probabilities.")
        return np.concatenate([self.model.predict_proba(self.encode(raw)) for raw in self.blocks(table)])

    def predict_interval(self, table: Any, level: float = 0.95) -> Matrix:
        """Return an interval (n, 2) for the value of each row by (1); (n, m, 2) with several targets."""
        centre = self.predict(table)
        half = self.half_width(level)
        return np.stack([centre - half, centre + half], axis=-1)

    def contributions(self, table: Any) -> Contributions:
        """Return what each column adds to the prediction of each row; of a class, to the probability of the answer."""
        self.require_reasons()
        parts = [self.reasons(self.encode(raw)) for raw in self.blocks(table)]
        base, values = (np.concatenate(part) for part in zip(*parts, strict=True))
        return Contributions(list(self.encoder.encoded_columns), base, values)

    def reasons(self, X: Matrix) -> tuple[Vector, Matrix]:
        """Return the base (n,) and what each column adds (n, columns), for encoded rows."""
        assert self.background is not None
        scaled = all(isinstance(step, StandardScaler) for _, step in self.model.steps[:-1])
        linear = scaled and isinstance(last_of(self.model), LinearPredictor)
        return shares(self.model, X, self.background, self.encoder.encoded_columns, linear)

    def require_reasons(self) -> None:
        """Refuse to say why, where it cannot be said."""
        if self.background is None:
            raise WrongUse(
                "this predictor was learned by an older épée, which kept no rows to compare with: learn it again."
            )
        if len(self.targets) > 1:
            raise WrongUse("this predictor has several targets: reasons are for one; learn them one by one.")
        if self.task == "classification" and not self.has_probabilities:
            raise WrongUse("this predictor gives no probabilities, which reasons are about; learn with one that does.")

    def half_width(self, level: float) -> Any:
        """Return q of (1), a number or one for each target."""
        check_level(level)
        if self.residuals is None or not len(self.residuals):
            raise WrongUse("this predictor kept no residuals of held-out rows: it gives no intervals.")
        n = len(self.residuals)
        place = min(int(np.ceil((n + 1) * level)) - 1, n - 1)
        found = self.residuals[place]
        return float(found) if np.ndim(found) == 0 else found

    def __repr__(self) -> str:
        return f"Predictor({', '.join(self.targets)} from {len(self.feature_names_in_)} columns, {type(last_step(self.model)).__name__})"


def last_step(model: Any) -> Any:
    """Return the estimator at the end of a pipeline, out of its decision if it has one."""
    last = last_of(model)
    return last.estimator_ if isinstance(last, BayesDecision) else last


def residual_quantiles(residuals: np.ndarray, most: int = 2001) -> np.ndarray:
    """Return sorted absolute residuals (m,) or (m, targets), thinned to at most ``most`` without moving their quantiles.

    >>> residual_quantiles(np.array([-3.0, 1.0, 2.0]))
    array([1., 2., 3.])
    """
    sizes = np.sort(np.abs(residuals[np.isfinite(residuals.reshape(len(residuals), -1)).all(axis=1)]), axis=0)
    if len(sizes) <= most:
        return sizes
    return sizes[np.ceil(np.linspace(0, len(sizes) - 1, most)).astype(np.intp)]
