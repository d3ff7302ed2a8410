"""The workbench in a real browser: from a dropped file to a saved predictor, in both languages."""

import json

import numpy as np
import pytest

import epee

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = pytest.mark.xdist_group("workbench")  # one server and one browser for all

NAMES = {
    "en": {"learn": "Learn", "explore": "Look without a target", "open": "Open"},
    "fr": {"learn": "Apprendre", "explore": "Explorer sans cible", "open": "Ouvrir"},
}


def french_csv(n=120):
    """Return a French table: semicolons, decimal commas, accents; a class, a number, and what they depend on."""
    rng = np.random.default_rng(0)
    x, z, town = rng.normal(size=n), rng.normal(size=n), rng.choice(["Orléans", "Nîmes"], size=n)
    number = 3 + 2 * x + rng.normal(size=n) / 4
    kind = np.where(x + z + rng.normal(size=n) / 2 > 0, "élevé", "bas")
    rows = [f"{x[i]:.3f};{z[i]:.3f};{town[i]};{number[i]:.3f};{kind[i]}".replace(".", ",") for i in range(n)]
    return "largeur;âge;ville;prix;niveau\n" + "\n".join(rows) + "\n"


def drop(page, name, text, zone=".drop"):
    """Drop a file on the page as a hand does."""
    page.evaluate(
        """([name, text, zone]) => {
            const data = new DataTransfer();
            data.items.add(new File([text], name));
            document.querySelector(zone).dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));
        }""",
        [name, text, zone],
    )


def card(page, column):
    return page.locator("li.column", has=page.locator("h4", has_text=column))


def ask(page, target, predictors):
    """Choose the target and some predictors."""
    card(page, target).locator("button.target").click()
    page.wait_for_selector("#wb-asked")
    page.locator("#wb-asked summary").last.click()
    for key in predictors:
        page.locator(f"#wb-asked input[value={key}]").check()


def learn(page, lang):
    page.get_by_role("button", name=NAMES[lang]["learn"], exact=True).click()
    page.wait_for_selector("#wb-answer .answer")


def kept(page, name, folder):
    """Save a file by its link, and return where."""
    with page.expect_download() as waiting:
        page.locator(f"a[download$='{name}']").first.click()
    place = folder / name.lstrip(".")
    waiting.value.save_as(place)
    return place


@pytest.mark.parametrize("lang", ["en", "fr"])
def test_classes_from_the_drop_to_the_saved_predictor(opened, tmp_path, lang):
    page = opened(lang)
    drop(page, "ventes.csv", french_csv())
    page.wait_for_selector("#wb-columns")
    assert page.locator("li.column").count() == 5
    ask(page, "niveau", ["lda", "tree"])
    expect(page.locator("#wb-command")).to_contain_text("--predictor tree")
    learn(page, lang)
    assert page.locator("#wb-answer .chip").count() == 3
    assert ("erreur" if lang == "fr" else "error") in page.inner_text("#wb-answer .answer")
    page.locator("#wb-answer .chip").last.click()
    page.wait_for_selector("#wb-look .rules li")
    page.locator("table.confusion td.wrong button").first.click()
    page.wait_for_selector("#wb-cell tbody tr")
    before = page.text_content("#wb-said .says + .pictures")
    slider = page.locator("#wb-row input[type=range]").first
    slider.focus()
    page.keyboard.press("End")
    expect(page.locator("#wb-said .says + .pictures")).not_to_have_text(before)
    expect(page.locator("#wb-said .chart")).to_have_count(3)  # probabilities, what pushed them, a map
    learned = epee.load(kept(page, ".epee", tmp_path))
    assert learned.card["settings"]["lang"] == lang
    (tmp_path / "ventes.csv").write_text(french_csv(), encoding="utf-8")
    assert set(learned.predict(tmp_path / "ventes.csv")) == {"bas", "élevé"}
    assert json.loads(kept(page, ".json", tmp_path).read_text())["chosen"] == learned.card["chosen"]
    assert "<html" in kept(page, ".html", tmp_path).read_text(encoding="utf-8")


@pytest.mark.parametrize("lang", ["en", "fr"])
def test_a_number_and_the_same_script(opened, tmp_path, place, lang, monkeypatch):
    (place / "ventes.csv").write_text(french_csv(), encoding="utf-8")
    page = opened(lang)
    page.get_by_role("textbox").first.fill("ventes.csv")
    page.get_by_role("button", name=NAMES[lang]["open"], exact=True).click()
    page.wait_for_selector("#wb-columns")
    ask(page, "prix", ["ridge", "additive"])
    learn(page, lang)
    page.locator("#wb-answer .chip").last.click()
    page.wait_for_selector("#wb-look .chart")
    assert page.inner_text("#wb-said .says b").replace(",", ".").replace("−", "-")
    script = kept(page, ".py", tmp_path).read_text(encoding="utf-8")
    notebook = json.loads(kept(page, ".ipynb", tmp_path).read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4 and any("epee.learn" in "".join(c["source"]) for c in notebook["cells"])
    shown = json.loads(kept(page, ".json", tmp_path).read_text())
    monkeypatch.chdir(place)
    found = {}
    exec(script.replace("print(learned)", ""), found)
    assert [line["value"] for line in found["learned"].facts["leaderboard"]] == [
        line["value"] for line in shown["leaderboard"]
    ]


@pytest.mark.parametrize("lang", ["en", "fr"])
def test_an_exploration(opened, tmp_path, lang):
    page = opened(lang)
    page.get_by_role("button", name="faithful", exact=True).click()
    page.wait_for_selector("#wb-columns")
    page.get_by_role("button", name=NAMES[lang]["explore"]).click()
    page.wait_for_selector("#wb-explored .answer")
    for key in ("correlations", "axes", "clusters", "mixture"):
        assert page.locator(f"#x-{key} .chart").count(), key
    assert "epee explore" in page.inner_text("#wb-command")
    assert json.loads(kept(page, ".json", tmp_path).read_text())["clusters"]["chosen"] == 2


def test_a_saved_predictor_is_opened_and_predicts(opened, place, tmp_path):
    path = epee.samples.path("iris")
    learned = epee.learn(str(path), "species", predictors=["lda"])
    learned.save(place / "iris.epee")
    page = opened()
    page.locator("#open-file").set_input_files(place / "iris.epee")
    page.wait_for_selector("#wb-answer .answer")
    assert page.locator("#wb-answer .chip").count() == 0  # the run is not in the file
    page.wait_for_selector("#wb-said .says")
    page.locator("#predict-file").set_input_files(path)
    expect(page.locator("#wb-predictions")).to_contain_text("150 rows predicted")
    assert "epee predict iris.epee iris.csv" in page.inner_text("#wb-command")
    lines = kept(page, "predictions.csv", tmp_path).read_text().splitlines()
    assert [line.split(",")[1] for line in lines[1:]] == learned.predict(str(path)).tolist()
    drop(page, "other.csv", "a,b\n1,2\n", ".drop[data-post=predict]")
    expect(page.locator("#wb-predictions .fault")).to_contain_text("sepal")
