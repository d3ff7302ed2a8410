"""The workbench in a real browser, click by click: where a table comes from, its columns, what an error costs, one command for it all."""

import os
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import epee
from tests.workbench.test_browser import NAMES, ask, card, french_csv, kept, learn

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = pytest.mark.xdist_group("workbench")


def type_path(page, text, lang="en"):
    page.get_by_role("textbox").first.fill(text)
    page.get_by_role("button", name=NAMES[lang]["open"], exact=True).click()
    page.wait_for_selector("#wb-columns")


@pytest.fixture
def halves(place):
    """Return a folder with a table in two files."""
    frame = pd.read_csv(epee.samples.path("penguins"))
    (place / "halves").mkdir(exist_ok=True)
    frame.iloc[:170].to_csv(place / "halves" / "a.csv", index=False)
    frame.iloc[170:].to_csv(place / "halves" / "b.csv", index=False)
    return place / "halves"


def test_a_folder_a_query_kinds_and_roles(opened, halves):
    page = opened()
    type_path(page, "halves")
    expect(page.locator("#wb-table .lead")).to_contain_text("344 rows")
    page.locator("details.again summary").click()
    type_path(page, "SELECT species, island, sex, year, body_mass_g FROM 'halves/a.csv' WHERE year < 2009")
    expect(page.locator("#wb-table .lead")).to_contain_text("5 columns")
    year = card(page, "year")
    expect(year.locator(".fate")).to_contain_text("Enters as it is")
    year.get_by_label("Kind of year").select_option("category")
    expect(year.locator(".fate")).to_contain_text("columns of 0 and 1")
    expect(page.locator("#wb-command")).to_contain_text("--type year=category")
    card(page, "body_mass_g").locator("button.target").click()
    expect(page.locator("#wb-question .lead")).to_contain_text("body_mass_g")
    for column, role in (("year", "weights"), ("island", "groups")):
        card(page, column).get_by_label(f"Role of {column}").select_option(label=role)
        expect(page.locator("#wb-command")).to_contain_text(
            f"--{role.removesuffix('s')}" if role == "weights" else "--groups"
        )
    card(page, "sex").get_by_label("Role of sex").select_option("ignore")
    expect(card(page, "sex").locator(".fate")).to_contain_text("left out")


def test_costs_and_the_cost_of_not_deciding(opened, place, tmp_path):
    (place / "ventes.csv").write_text(french_csv(), encoding="utf-8")
    page = opened("fr")
    type_path(page, "ventes.csv", "fr")
    ask(page, "niveau", ["lda"])
    page.get_by_label("Coût de ne pas décider").fill("0,3")
    page.locator("#wb-asked summary").first.click()
    page.get_by_label(re.compile("bas.*élevé")).first.fill("5")
    page.locator("input[name=budget]").fill("2min")
    page.locator("input[name=budget]").blur()
    expect(page.locator("#wb-command")).to_contain_text("--reject-cost 0.3")
    expect(page.locator("#wb-command")).to_contain_text("--costs costs.csv")
    learn(page, "fr")
    assert page.locator("table.confusion thead th").count() == 4  # two classes and what is not decided
    assert "reject_cost=0.3" in kept(page, ".py", tmp_path).read_text(encoding="utf-8")
    page.locator("input[name=budget]").fill("soon")
    page.locator("input[name=budget]").blur()
    expect(page.locator("#wb-question .fault")).to_contain_text("soon")


@pytest.mark.parametrize("lang", ["en", "fr"])
def test_one_command_predicts_and_offers_the_table(browser, place, tmp_path, lang):
    """``epee open model.epee new.csv``: the predictions are seen at once, and can be kept."""
    frame = pd.read_csv(epee.samples.path("iris"))
    learned = epee.learn(frame, "species", predictors=["lda"], lang=lang)
    learned.save(place / "one.epee")
    frame.drop(columns="species").iloc[::3].to_csv(place / "new.csv", index=False)
    command = [
        sys.executable,
        "-m",
        "epee",
        "open",
        "one.epee",
        "new.csv",
        "--no-browser",
        "--port",
        "29471",
        "--lang",
        lang,
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=place, env=os.environ) as process:
        try:
            address = re.search(r"http\S+", process.stdout.readline())[0]
            page = browser.new_page()
            page.goto(address)
            expect(page.locator("#wb-predictions")).to_contain_text(
                "50 rows predicted" if lang == "en" else "50 lignes prédites"
            )
            expect(page.locator("#wb-predictions .lead")).to_be_in_viewport()
            assert page.inner_text("#wb-command").strip() == "epee predict one.epee new.csv -o predictions.csv"
            lines = kept(page, "predictions.csv", tmp_path).read_text().splitlines()
            assert [line.split(",")[1] for line in lines[1:]] == learned.predict(place / "new.csv").tolist()
            page.close()
        finally:
            process.terminate()
            process.communicate(timeout=30)


def test_lags_others_predictors_and_a_threshold(browser, place):
    """The options that are folded away: what is asked for, what is written, and a table that is predicted by a threshold."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=160)
    later = np.r_[0.0, x[:-1]] + rng.normal(size=160) / 3 > 0
    days = pd.date_range("2024-01-01", periods=160).strftime("%Y-%m-%d")
    pd.DataFrame({"jour": days, "x": x, "suite": np.where(later, "oui, plus tard", "jamais")}).to_csv(
        place / "jours.csv", index=False
    )
    command = [sys.executable, "-m", "epee", "open", "jours.csv", "--trust", "--no-browser", "--port", "29481"]
    with subprocess.Popen(
        [*command, "--lang", "fr"], stdout=subprocess.PIPE, text=True, cwd=place, env=os.environ
    ) as process:
        try:
            page = browser.new_page()
            page.goto(re.search(r"http\S+", process.stdout.readline())[0])
            ask(page, "suite", ["lda"])
            more = page.locator("#wb-asked details.more-options")
            more.locator("summary").click()
            expect(more.locator("input[name=lags]")).to_be_disabled()
            card(page, "jour").get_by_label("Rôle de jour").select_option("time")
            expect(page.locator("#wb-command")).to_contain_text("--time jour")
            more.locator("summary").click()
            more.locator("input[name=lags]").fill("x=1")
            more.locator("textarea").fill("sklearn.naive_bayes:GaussianNB")
            more.locator("textarea").blur()
            expect(page.locator("#wb-command")).to_contain_text("--lags x=1 --predictor lda --predictor sklearn")
            learn(page, "fr")
            expect(page.locator("#wb-run")).to_contain_text("GaussianNB")
            told = page.locator("#wb-what-if details.sub")
            told.locator("summary").first.click()
            told.locator("details.more-options summary").click()
            page.get_by_label("Décider pour oui, plus tard à partir de cette probabilité").fill("90%")
            told.get_by_role("textbox").first.fill("jours.csv")
            told.get_by_role("button", name="Prédire", exact=True).click()
            expect(page.locator("#wb-predictions")).to_contain_text("à partir d'une probabilité de 90")
            page.close()
        finally:
            process.terminate()
            process.communicate(timeout=30)
