"""What is asked for (the loss) and what is said of the sealed rows: headline, classes, curves."""

import copy
import json
import pickle

import numpy as np
import pyarrow as pa
import pytest
from sklearn import metrics

import epee
from epee import Combination, KNeighborsClassifier, LinearDiscriminantAnalysis, errors
from epee.job import policy
from epee.job.assessment import assess
from epee.job.facts import COMPARED, FEWEST_LOOKED, LOOKED_ROWS, looked_rows
from epee.risk.ranking_curves import ranking_curves
from tests.job.conftest import blobs, line
from tests.job.roads import awkward, roads


def rare(n=1500, seed=0):
    """Return a table whose rare class no row is likely enough to be decided for, though the input ranks it."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    y = rng.random(n) < 1 / (1 + np.exp(-(x * 1.1 - 3.6)))
    return pa.table({"x": x, "z": rng.normal(size=n), "y": np.where(y, "yes", "no")})


LOSSES = {"log": "log loss", "brier": "Brier score", "auc": "ranking error"}


@pytest.mark.parametrize("loss", LOSSES)
def test_the_loss_is_that_of_the_contest_the_choice_and_the_test(loss, tmp_path):
    learned = epee.learn(blobs(), "y", predictors=["lda", "fisher", "tree"], folds=4, loss=loss)
    assert learned.facts["loss"] == learned.risk.loss == loss and LOSSES[loss] in str(learned)
    dropped = [d["name"] for d in learned.facts["dropped"]]
    assert dropped == ([] if loss == "auc" else ["Fisher's discriminant"])  # its scores rank, and are no probabilities
    assert f"--loss {loss}" in learned.facts["redo"]["command"] and f"loss='{loss}'" in learned.facts["redo"]["python"]
    base = learned.facts["leaderboard"][0]
    wanted = {"log": np.log(2), "brier": 0.25, "auc": 0.5}[loss]
    assert base["value"] == pytest.approx(wanted, abs=0.02) and learned.conclusive
    learned.save(tmp_path / "t.epee")
    again = assess(tmp_path / "t.epee", blobs(seed=5))
    assert again.risk.loss == loss and again.agrees


def test_absolute_errors_are_judged_against_the_median():
    rng = np.random.default_rng(0)
    x = rng.normal(size=400)
    table = pa.table({"x": x, "y": np.exp(x + rng.normal(size=400))})
    learned = epee.learn(table, "y", predictors=["linear"], folds=4, loss="absolute")
    y = table.column("y").to_numpy()
    assert learned.facts["leaderboard"][0]["value"] == pytest.approx(np.abs(y - np.median(y)).mean(), rel=0.15)
    assert learned.facts["headline"][0]["name"] == "absolute"


def test_what_does_not_fit_is_refused():
    with pytest.raises(errors.WrongUse, match="needs numbers to subtract"):
        epee.learn(blobs(), "y", loss="squared")
    with pytest.raises(errors.WrongUse, match="which a regressor does not give"):
        epee.learn(line(), "y", loss="log")
    with pytest.raises(errors.WrongUse, match="not both"):
        epee.learn(blobs(), "y", loss="log", costs=[[0, 1], [5, 0]])
    with pytest.raises(errors.WrongUse, match="did you mean 'brier'"):
        epee.learn(blobs(), "y", loss="briers")


def test_a_ranking_takes_weights():
    table = blobs()
    one, ones = (
        epee.learn(t, "y", loss="auc", predictors=["lda"], **asked)
        for t, asked in ((table, {}), (table.append_column("w", pa.array(np.ones(240))), {"weight": "w"}))
    )
    assert ones.risk.value == pytest.approx(one.risk.value) and ones.risk.stderr == pytest.approx(
        one.risk.stderr, rel=0.05
    )
    weights = np.random.default_rng(0).integers(1, 5, 240).astype(float)
    other = epee.learn(table.append_column("w", pa.array(weights)), "y", loss="auc", predictors=["lda"], weight="w")
    assert other.risk.low <= other.risk.value <= other.risk.high and other.risk.value != one.risk.value


@pytest.mark.parametrize("kept", ["at hand", "passing"])
@pytest.mark.parametrize("loss", ["log", "auc"])
def test_every_road_gives_the_same_losses_and_curves(loss, kept, tmp_path, monkeypatch):
    if kept == "passing":
        monkeypatch.setattr(policy, "POLICY", policy.Policy(cells=10))
    found = []
    for X in roads(awkward(), tmp_path).values():
        learned = epee.learn(
            X, "y", folds=4, predictors=["lda", "tree"], loss=loss, types={"w": "ignore", "g": "ignore", "t": "ignore"}
        )
        board = [
            [line[k] for k in ("value", "stderr", "low", "high", "p_value")] for line in learned.facts["leaderboard"]
        ]
        curves = [
            part[kind][end]
            for part in learned.facts["ranking"]
            for kind in ("roc", "lift")
            for end in ("y", "low", "high")
        ]
        found.append(
            np.concatenate([np.ravel(board), [learned.risk.value, learned.risk.low], np.ravel(curves)]).astype(float)
        )
    for other in found[1:]:
        np.testing.assert_allclose(other, found[0], rtol=1e-7, atol=1e-9)


def test_ranking_is_looked_at_before_the_inputs_are_doubted():
    learned = epee.learn(rare(), "y", predictors=["lda", "naive_bayes"], folds=5)
    assert not learned.conclusive
    assert "yet the inputs rank the classes" in learned.verdict and "--loss auc" in learned.verdict
    noise = rare().set_column(0, "x", pa.array(np.random.default_rng(1).normal(size=1500)))
    assert "the inputs may not tell the target" in epee.learn(noise, "y", predictors=["lda"], folds=5).verdict
    assert epee.learn(rare(), "y", predictors=["lda"], folds=5, loss="auc").conclusive


def test_a_regression_speaks_in_the_unit_of_its_target(regressor):
    first, second = regressor.facts["headline"]
    assert (first["name"], second["name"]) == ("rmse", "r2")
    assert first["value"] == pytest.approx(np.sqrt(regressor.risk.value)) and first["high"] == pytest.approx(
        np.sqrt(regressor.risk.high)
    )
    assert "RMSE" in regressor.verdict and "mean squared error" in regressor.verdict


def test_figures_of_each_class_are_those_of_scikit_learn(classifier):
    table = blobs()
    rows = np.isin(_prints(classifier, table), classifier.sealed_rows)
    y = np.array(table.column("y").to_pylist())[rows]
    said, P = classifier.predict(table)[rows], classifier.predict_proba(table)[rows]
    wanted = metrics.classification_report(y, said, output_dict=True)
    for line_ in classifier.facts["by_class"]:
        for mine, theirs in (("precision", "precision"), ("recall", "recall"), ("f1", "f1-score")):
            figure = line_[mine]
            assert figure["value"] == pytest.approx(wanted[line_["label"]][theirs])
            assert figure["low"] <= figure["value"] <= figure["high"] and figure["high"] > figure["low"]
    scores = classifier.facts["scores"]
    assert scores["log"]["value"] == pytest.approx(metrics.log_loss(y, P))
    assert scores["roc_auc"]["value"] == pytest.approx(metrics.roc_auc_score(y, P[:, 1]))


def _prints(learned, table):
    from epee.job.assessment import labelled_rows
    from epee.job.sealing import fingerprints

    raw, y, _, _ = labelled_rows(learned, table)
    return fingerprints(raw, learned.predictor.feature_names_in_, {"y": y})


def test_curves_are_those_of_scikit_learn_within_their_bands():
    rng = np.random.default_rng(0)
    own = rng.random(400) < 0.3
    s = rng.normal(size=400) + own
    found = ranking_curves(s, own)
    fpr, tpr, _ = metrics.roc_curve(own, s, drop_intermediate=False)
    inner = (found.roc.x > 0) & (found.roc.x < 1)
    upper = np.array([tpr[fpr <= x + 1e-12].max() for x in found.roc.x[inner]])
    assert (np.abs(found.roc.y[inner] - upper) < 0.02).all()
    assert np.trapezoid(found.roc.y, found.roc.x) == pytest.approx(metrics.roc_auc_score(own, s), abs=0.01)
    for band in (found.roc, found.precision_recall, found.lift):
        assert (band.low <= band.y).all() and (band.y <= band.high).all() and (band.high - band.low)[5:30].min() > 0.01
    perfect = ranking_curves(own.astype(float), own)
    assert perfect.roc.low[20] < 0.99 and perfect.roc.y[20] == 1  # no band without width
    assert found.lift.y[-1] == pytest.approx(1.0) and found.lift.y[0] > 1.5


def test_bands_cover_the_curve_of_many_rows():
    rng, inside = np.random.default_rng(1), []
    x = np.linspace(0, 1, 41)
    truth = np.array(
        [np.mean(rng.normal(size=200_000) + 1 > t) for t in np.quantile(rng.normal(size=200_000), 1 - x[1:-1])]
    )
    for seed in range(60):
        own = np.arange(200) < 80
        draw = np.random.default_rng(seed + 100)
        band = ranking_curves(draw.normal(size=200) + own, own, level=0.9, draws=100).roc
        inside.append((band.low[1:-1] <= truth) & (truth <= band.high[1:-1]))
    assert 0.86 < np.mean(inside) < 0.99


def grouped(draw, many, each=15):
    """Scores of groups that have a level of their own, and a share of positives of their own."""
    g = np.repeat(np.arange(many), each)
    own = draw.random(len(g)) < np.clip(0.4 + 0.25 * draw.normal(size=many), 0.05, 0.95)[g]
    score = (
        own * (1.2 + 0.8 * draw.normal(size=many)[g]) + 0.7 * draw.normal(size=many)[g] + 0.7 * draw.normal(size=len(g))
    )
    return score, own, g


@pytest.mark.parametrize("many", [12, 40])
def test_bands_of_groups_cover_the_curve_of_many_groups(many):
    truth = grouped(np.random.default_rng(7), 20_000)
    truth = ranking_curves(*truth[:2], draws=2)
    inside, alone = [], []
    for seed in range(40):
        score, own, g = grouped(np.random.default_rng(seed), many)
        for found, kept in (
            (ranking_curves(score, own, groups=g, draws=100), inside),
            (ranking_curves(score, own, draws=100), alone),
        ):
            for band, whole in ((found.roc, truth.roc), (found.precision_recall, truth.precision_recall)):
                kept.append((band.low[2:-1] <= whole.y[2:-1]) & (whole.y[2:-1] <= band.high[2:-1]))
    assert np.mean(inside) > 0.92 and np.mean(alone) < 0.85  # at each place, of 0.95


def test_bands_of_groups_of_one_are_hardly_wider_than_those_of_rows():
    score, own, _ = grouped(np.random.default_rng(3), 200, 1)
    rows, alone = ranking_curves(score, own), ranking_curves(score, own, groups=np.arange(200))
    for name in ("roc", "precision_recall", "lift"):
        a, b = getattr(rows, name), getattr(alone, name)
        np.testing.assert_array_equal(a.y, b.y)
        assert 1 <= np.mean(b.high - b.low) / np.mean(a.high - a.low) < 1.15  # both axes move: as fewer rows


def test_a_perfect_ranking_of_few_groups_is_worth_as_many_rows():
    own = np.tile([True, False], 60)
    found = ranking_curves(own.astype(float), own, groups=np.repeat(np.arange(12), 10)).roc
    assert found.y[20] == 1 and 0.7 < found.low[20] < 0.85  # Wilson's of twelve


def test_the_chosen_gives_probabilities_where_one_that_does_is_as_near():
    learned = epee.learn(blobs(), "y", predictors=["least_squares", "fisher", "logistic"], folds=4, prefer="simplicity")
    near = [learned.contest.names[i] for i in learned.contest.near]
    if "logistic regression" in near:
        assert learned.facts["chosen"]["key"] == "logistic" and "no probabilities" in learned.verdict
    assert learned.predictor.has_probabilities or "logistic regression" not in near


def test_linear_comes_before_ridge_and_simplicity_has_a_price():
    learned = epee.learn(line(), "y", predictors=["linear", "ridge", "tree"], folds=4)
    assert learned.facts["chosen"]["key"] == "linear"
    rng = np.random.default_rng(3)
    x = rng.normal(size=(150, 2))
    bent = pa.table({"a": x[:, 0], "b": x[:, 1], "y": x[:, 0] + 0.12 * x[:, 0] ** 2 + rng.normal(size=150)})
    told = epee.learn(bent, "y", predictors=["linear", "additive"], folds=5)
    if told.contest.chosen != told.contest.best:
        assert "In the unit of the target" in told.verdict


def test_marks_say_the_chance(regressor):
    marks = {line_["mark"] for line_ in regressor.facts["leaderboard"]}
    assert "not distinguishable" in marks and "not shown, p = " in str(regressor)


def test_what_was_learned_predicts_is_copied_and_pickled(classifier, regressor, tmp_path, monkeypatch):
    table = blobs()
    np.testing.assert_array_equal(classifier.predict(table), classifier.predictor.predict(table))
    assert classifier.predict_proba(table).shape == (240, 2) and regressor.predict_interval(line(), 0.8).shape == (
        240,
        2,
    )
    for again in (pickle.loads(pickle.dumps(classifier)), copy.deepcopy(classifier), copy.copy(classifier)):
        np.testing.assert_array_equal(again.predict(table), classifier.predict(table))
        assert json.loads(again.to_json()) == json.loads(classifier.to_json()) and str(again.risk) == str(
            classifier.risk
        )
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(regressor.predictor)).predict(line()), regressor.predict(line())
    )
    board = classifier.leaderboard
    assert list(board["key"]) == ["baseline", "lda", "tree"] and len(board) == 3
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    written = classifier.report()
    assert written.exists() and opened == [written.absolute().as_uri()]


def test_a_board_is_a_table_without_pandas_too(classifier, monkeypatch):
    monkeypatch.setattr("epee.job.learned.find_spec", lambda name: None)
    board = classifier.leaderboard
    assert board.num_rows == 3 and board.column("key").to_pylist() == ["baseline", "lda", "tree"]


@pytest.mark.parametrize("which", ["lda", "tree"])
def test_reasons_add_up_to_the_probability_of_the_answer(which):
    learned = epee.learn(blobs(), "y", predictors=[which], folds=3)
    table = blobs(seed=7)
    found = learned.predictor.contributions(table)
    said = learned.predict_proba(table)
    np.testing.assert_allclose(found.predicted, said.max(axis=1), atol=1e-9)
    assert (
        found.columns == ["a", "b", "town"] and np.abs(found.values[:, 0]).mean() > np.abs(found.values[:, 1:]).mean()
    )
    frame = learned.why(table)
    assert list(frame.columns) == ["base", "a", "b", "town"]


def test_reasons_of_a_linear_predictor_are_its_coefficients(tmp_path):
    learned = epee.learn(line(), "y", predictors=["linear"], folds=3)
    learned.save(tmp_path / "t.epee")
    again = epee.load(tmp_path / "t.epee")
    table = line(seed=4)
    X = np.column_stack([table.column(c).to_numpy() for c in "abc"])
    found = again.predictor.contributions(table)
    model = learned.predictor.model.steps[-1][1]
    np.testing.assert_allclose(found.values, model.coef_ * (X - learned.predictor.background.mean(axis=0)), atol=1e-9)
    np.testing.assert_allclose(found.predicted, learned.predict(table), atol=1e-9)
    some = again.predictor.contributions(table.slice(5, 3))
    np.testing.assert_allclose(some.values, found.values[5:8], atol=1e-12)  # whatever rows are beside


def test_the_threshold_of_least_cost_is_found_on_rows_held_out():
    from epee.job.thresholds import along

    rng = np.random.default_rng(0)
    p = rng.random(20_000)
    y = rng.random(20_000) < p
    fair, dear = along(p, y, np.ones(len(p))), along(p, y, np.ones(len(p)), [[0, 9.0], [1.0, 0]])
    assert abs(fair["chosen"] - 0.5) < 0.06 and fair["expected"] == 0.5
    assert abs(dear["chosen"] - 0.1) < 0.04 and dear["expected"] == pytest.approx(0.1)
    k = fair["thresholds"].index(0.5)
    assert fair["cost"][k] == pytest.approx(np.mean((p >= 0.5) != y)) and fair["recall"][k] == pytest.approx(
        np.mean(p[y] >= 0.5)
    )
    learned = epee.learn(blobs(), "y", predictors=["lda"], folds=3, costs=[[0, 9.0], [1.0, 0]])
    found = learned.facts["threshold"]
    assert found["label"] == "spam" and found["chosen"] < 0.4 and found["least"] <= min(found["cost"]) + 1e-12


def test_a_predictor_is_asked_once_for_all_figures_of_the_same_rows():
    from epee.job.merit import Answered

    X, y = np.random.default_rng(0).normal(size=(60, 2)), np.arange(60) % 3
    asked = []

    class Counting(epee.GaussianNB):
        def predict_proba(self, X):
            asked.append(len(X))
            return super().predict_proba(X)

    model = Counting().fit(X + 0.5, y)
    told = Answered(model, X)
    for figure in (epee.risk.roc_auc, epee.risk.brier, epee.risk.average_precision):
        assert figure(told, X, y).value == figure(model, X, y).value
    assert epee.risk.holdout_error(told, X, y).value == epee.risk.holdout_error(model, X, y).value
    assert len(asked) == 4  # once, and by each figure of the model itself
    np.testing.assert_array_equal(told.predict_proba(X[:5]), model.predict_proba(X[:5]))
    assert not hasattr(Answered(epee.LinearRegression().fit(X, y), X), "predict_proba")


def test_a_model_that_compares_rows_is_asked_about_fewer():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(600, 2)), rng.integers(0, 2, 600)
    near, plane = KNeighborsClassifier(5).fit(X, y), LinearDiscriminantAnalysis().fit(X, y)
    assert looked_rows(plane, 10**6) == LOOKED_ROWS
    assert looked_rows(near, 1) == LOOKED_ROWS
    assert looked_rows(near, 500) == COMPARED // (500 * 600) < LOOKED_ROWS
    assert looked_rows(near, 10**6) == FEWEST_LOOKED
    both = Combination.around([near, plane], [0.5, 0.5])
    alone = Combination.around([near, plane], [0.0, 1.0])
    assert (looked_rows(both, 500), looked_rows(alone, 500)) == (looked_rows(near, 500), LOOKED_ROWS)
