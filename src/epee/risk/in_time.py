r"""The error bar of forward chaining: what follows in time resembles what came before.

Fold means of rows in time are no independent figures, and their spread is too small an error bar. The losses of the tested rows, in the
order of time, carry their own dependence: :func:`epee.risk.long_run.inflation` measures it, and the error bar is that of as many
independent rows as they are worth.

An error bar is one of rows to come as long as these are like those that were tested. Where the numbers that are forecast go on along a
trend that the predictor misses, or have changed their level, each forecast errs on the same side: the residuals in the order of time have
a mean that Student's test, with the same error bar, tells from 0. Where they resemble those of a season ago, the table holds few seasons.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from epee.risk.cross_validation import CrossValidation
from epee.risk.intervals import t_p_value
from epee.risk.long_run import season
from epee.risk.mean_loss import ends_of, mean_loss
from epee.risk.one_target import beside_one_target
from epee.risk.route import Route
from epee.risk.splitting import places_in_time
from epee.risk.units import units_of
from epee.risk.watching import ALARM, FEWEST_ROWS, target_of
from epee.typing import Codes, Vector
from epee.words import risk_words
from epee.words.numbers import amount, p_value


def with_long_run_error(found: CrossValidation, time: Any, route: Route) -> CrossValidation:
    """Return a forward chaining with the error bar of its losses in the order of ``time`` (True: of the rows).

    >>> from epee import LinearRegression
    >>> from epee.risk import cross_validate
    >>> rng = np.random.default_rng(0); drift = np.cumsum(rng.normal(size=200)) / 5
    >>> print(cross_validate(LinearRegression(), rng.normal(size=(200, 1)), drift, time=True).how)
    forward chaining in time, 10 folds, forecasts 1 to 14 moments ahead, error bar for rows in time
    """
    losses = np.asarray(found.losses)
    if losses.ndim > 1:
        return found
    order = np.argsort(places_in_time(time, len(losses)), kind="stable")
    weight = None if route.weight is None else route.weight[order]
    of_rows = partial(mean_loss, losses[order], weight, loss=route.loss, in_order=True, centre=found.value)
    mean, doubts = of_rows(level=found.level), doubts_of_forecasts(route, found.predictions, order)
    longer = replace(
        found, stderr=mean.stderr, interval=mean.interval, dof=mean.dof, caution=f"{mean.sentence} {doubts}".strip(),
        ends_at=partial(ends_of, of_rows), how=f"{found.how}, error bar for rows in time",
    )  # fmt: skip
    near = route.at_hand or route.at_a_glance
    return beside_one_target(longer, route.truth[np.isfinite(losses)], route.classes) if near else longer


def doubts_of_forecasts(route: Route, predictions: Any, order: Codes) -> str:
    """Return what to say where forecasts of a number err on one side, or as they did a season ago; nothing where rows are few.

    ``predictions`` (n, ...) are those of all rows, NaN where a row was not tested, and ``order`` the rows in time.
    """
    predictions = np.asarray(predictions)
    told = target_of(route, predictions)
    rest = np.empty(0) if told is None else (told - predictions)[order]
    rest = rest[np.isfinite(rest)]
    if len(rest) < FEWEST_ROWS:
        return ""
    units = units_of(rest, in_order=True)
    spread, (n, dof) = units.spread()[0], units.independent()
    p = t_p_value(units.mean * np.sqrt(n) / spread, dof) if spread > 0 else 1.0
    said = [risk_words.say("caution off", p=p_value(p))] if p < ALARM else []
    return " ".join([*said, seasonal(rest)]).strip()


def seasonal(rest: Vector) -> str:
    """Return what to say where what a predictor leaves over, in the order of time, is as it was a season ago; nothing of few rows."""
    if len(rest) < FEWEST_ROWS:
        return ""
    lag, r, p = season(rest)
    return risk_words.say("caution season", name=str(lag), r=amount(r, 0.01), p=p_value(p)) if p < ALARM else ""
