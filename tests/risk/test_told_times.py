"""A time means the same by every road: texts are dates or numbers, and what is missing is refused by its row."""

import datetime

import numpy as np
import pandas as pd
import pytest

from epee import LinearDiscriminantAnalysis, LinearRegression, learn, split
from epee.errors import DataError
from epee.risk import (
    average_precision,
    brier,
    compare,
    complexity_curve,
    confusion_matrix,
    cross_validate,
    f1,
    holdout_error,
    r2,
    roc_auc,
)

N = 80
DAYS = [datetime.date(2023, 11, 20) + datetime.timedelta(days=5 * i) for i in range(N)]
X = np.random.default_rng(5).normal(size=(N, 2))
Y = X[:, 0] + np.cumsum(np.random.default_rng(6).normal(size=N)) / 3
LINE, RULE = LinearRegression().fit(X + 1, Y), LinearDiscriminantAnalysis().fit(X + 1, Y > 0)

ROADS = {
    "split": lambda time: split(X, Y, time=time).sealed.tolist(),
    "holdout_error": lambda time: holdout_error(LINE, X, Y, time=time).interval,
    "cross_validate": lambda time: cross_validate(LinearRegression(), X, Y, time=time).interval,
    "compare": lambda time: compare([LinearRegression()], X, Y, time=time).risks[0].interval,
    "complexity_curve": lambda time: complexity_curve(
        LinearRegression(), X, Y, "fit_intercept", [True, False], time=time
    ).cv.tolist(),
    "r2": lambda time: r2(LINE, X, Y, time=time).interval,
    "roc_auc": lambda time: roc_auc(RULE, X, Y > 0, time=time).interval,
    "average_precision": lambda time: average_precision(RULE, X, Y > 0, time=time).interval,
    "f1": lambda time: f1(RULE, X, Y > 0, time=time).interval,
    "brier": lambda time: brier(RULE, X, Y > 0, time=time).interval,
    "confusion": lambda time: confusion_matrix(RULE, X, Y > 0, time=time).low.tolist(),
}
every_road = pytest.mark.parametrize("road", ROADS.values(), ids=ROADS)


@every_road
def test_dates_and_numbers_as_texts_are_what_they_mean(road):
    plain = road(True)
    for writing in ("%Y-%m-%d", "%d/%m/%Y"):
        assert road([day.strftime(writing) for day in DAYS]) == plain
    assert road([str(i) for i in range(N)]) == plain
    assert road(np.array(DAYS)) == plain


@every_road
def test_texts_without_an_order_are_refused_by_name(road):
    with pytest.raises(DataError, match="time holds 'May' in row 3, which is no date and no number"):
        road(["1", "2", "3", "May", *map(str, range(5, N + 1))])


@every_road
@pytest.mark.parametrize(
    "time",
    [
        np.where(np.arange(N) == 4, np.nan, np.arange(N)), np.where(np.arange(N) == 4, np.datetime64("NaT"), np.array(DAYS, "M8[D]")),
        [None if i == 4 else i for i in range(N)], [None if i == 4 else str(i) for i in range(N)],
        ["" if i == 4 else str(i) for i in range(N)],
        pd.Series(DAYS).where(np.arange(N) != 4),
    ],
    ids=["NaN", "NaT", "None", "None among texts", "empty text", "pandas"],
)  # fmt: skip
def test_a_missing_time_is_refused_by_its_row(road, time):
    with pytest.raises(DataError, match=r"time is missing \(NaN\) in row 4"):
        road(time)


@every_road
def test_values_without_an_order_are_refused(road):
    with pytest.raises(DataError, match="several kinds"):
        road(np.array([1.0, *DAYS[1:]], dtype=object))


def test_learn_reads_the_texts_of_a_frame_as_those_of_a_file(tmp_path):
    frame = pd.DataFrame({"a": X[:, 0], "y": Y, "when": [f"{i}" for i in range(N)]}).iloc[::-1]
    frame["day"] = [day.strftime("%d/%m/%Y") for day in DAYS][::-1]
    found = [
        learn(frame, "y", time=name, predictors=["linear"], types={"when": "ignore", "day": "ignore"})
        for name in ("when", "day")
    ]
    assert found[0].risk.interval == found[1].risk.interval
    frame.to_csv(tmp_path / "t.csv", index=False)
    csv = learn(tmp_path / "t.csv", "y", time="day", predictors=["linear"], types={"when": "ignore", "day": "ignore"})
    assert csv.risk.interval == found[0].risk.interval
    with pytest.raises(DataError, match=r"column 'when' holds 'soon' in row 2"):
        learn(frame.assign(when=["1", "2", "soon", *map(str, range(N - 3))]), "y", time="when", predictors=["linear"])
