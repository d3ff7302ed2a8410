from __future__ import annotations

import numpy as np
import pytest

import epee
from epee.job.findings.registry import Finding
from epee.report.notebook import notebook_html


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    return X, (X[:, 0] + 0.5 * rng.normal(size=120) > 0).astype(int)


def test_results_show_themselves(rows):
    X, y = rows
    lda = epee.LinearDiscriminantAnalysis(solver="lsqr")
    shown = [
        epee.risk.cross_validate(lda, X, y),
        epee.risk.compare({"<b>lda": lda, "bayes": epee.GaussianNB()}, X, y, repeats=1),
        epee.risk.complexity_curve(lda, X, y, "shrinkage", [0.0, 0.5, 1.0]),
        epee.risk.learning_curve(lda, X, y, sizes=4),
        Finding("E001", "<script>", {}),
    ]
    for result in shown:
        html = result._repr_html_()
        assert html.startswith('<div class="epee-shown">') and "<script>" not in html and "<b>lda" not in html
    assert all("<svg" in result._repr_html_() for result in shown[:4])
    assert "0." in shown[0]._repr_html_() and str(shown[0]).split()[0] in shown[0]._repr_html_()


def test_the_style_stays_in_its_room():
    html = notebook_html(3)
    style = html[html.index("<style>") + 7 : html.index("</style>")]
    rules = [
        part.split("{")[0].strip() for part in style.replace("@media (prefers-color-scheme: dark) {", "").split("}")
    ]
    assert all(rule.startswith(".epee-shown") for rule in rules if rule)


def test_a_run_shows_itself(cards):
    class Stand:
        card = cards["classes", "fr"]

    Stand.__name__ = "Learned"
    html = notebook_html(Stand())
    assert "Le prédicteur choisi" in html and "<script>alert" not in html
    assert html.count("<details") > 4 and 'class="tiles"' in html  # what the workbench shows
    assert ".epee-shown .chart .f1 {" in html and ".epee-shown .chart .s1 {" in html


def test_a_predictor_shows_what_it_reads_and_leans_on():
    table = epee.samples.load("iris")
    for target, task in (("species", "classes"), ("sepal_length", "numbers")):
        learned = epee.learn(table, target, predictors=["lda" if task == "classes" else "linear"], folds=3)
        html = learned.predictor._repr_html_()
        assert (
            "<svg" in html
            and f"<b>{target} from 4 columns: " in html
            and "petal_width" in html
            and "adds to the prediction" in html
        )


def test_reports_without_a_path_are_opened(monkeypatch):
    import webbrowser

    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    place = epee.explore(epee.samples.load("iris")).report()
    assert place.exists() and opened == [place.as_uri()]
