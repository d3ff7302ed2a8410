"""The labs in a real browser: no console error, sliders that move things, exercises that judge, nothing asked from outside.

Three labs by default; all of them with ``EPEE_ALL_LABS=1``.
"""

import os
import shutil

import pytest

from epee.labs.catalogue import IDS, lab
from epee.labs.machinery.exercises import Number, Pick

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
SOME = ("first_steps", "bayes_one", "own_table")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine")
WAIT = 60_000  # milliseconds


@pytest.fixture(scope="module")
def browser(labs, tmp_path_factory):
    """Yield a browser that has been let in."""
    playwright = pytest.importorskip("playwright.sync_api")
    base, token = labs
    with playwright.sync_playwright() as started:
        context = started.chromium.launch_persistent_context(
            tmp_path_factory.mktemp("profile"), executable_path=CHROMIUM, args=FLAGS, headless=True,
            viewport={"width": 1280, "height": 1000},
        )  # fmt: skip
        context.set_default_timeout(WAIT)
        page = context.new_page()
        page.goto(f"{base}/?token={token}")
        assert page.title().startswith("épée")
        page.close()
        yield context
        context.close()


def open_lab(browser, base, name, lang):
    """Return a page with a lab, and the list of complaints that it fills."""
    page, complaints = browser.new_page(), []
    page.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda e: complaints.append(str(e)))
    ours = (base, base.replace("http", "ws"), "data:", "blob:")
    page.on("request", lambda r: None if r.url.startswith(ours) else complaints.append(f"asked outside: {r.url}"))
    page.goto(f"{base}/lab/{name}/?lang={lang}")
    page.wait_for_selector(".lab-cards")
    return page, complaints


def pictures(page):
    return page.eval_on_selector_all(".lab-pictures img", "all => all.map(one => one.src).join()")


def until_changed(page, selector_script, before):
    page.wait_for_function(f"before => ({selector_script}) !== before", arg=before, timeout=WAIT)


PICTURES = "[...document.querySelectorAll('.lab-pictures img')].map(one => one.src).join()"
FORMULA = "document.querySelector('.lab-formula').textContent + document.querySelector('.lab-formula').innerHTML"


@pytest.mark.parametrize("lang", ["en", "fr"])
@pytest.mark.parametrize("name", IDS if os.environ.get("EPEE_ALL_LABS") else SOME)
def test_a_lab_in_the_browser(browser, labs, name, lang):
    base, _ = labs
    this = lab(name)
    page, complaints = open_lab(browser, base, name, lang)
    try:
        assert page.inner_text(".lab-head h1").replace("\N{NO-BREAK SPACE}", " ") == this.title(lang)
        _judge(page, this, lang)
        if this.waits:
            _learn(page, lang)
        else:
            images, formula = page.evaluate(PICTURES), page.evaluate(FORMULA)
            thumb = page.locator(".lab-knobs [role=slider]").first
            at = thumb.get_attribute("aria-valuenow")
            thumb.focus()
            page.keyboard.press("End" if at == "0" else "Home")
            until_changed(page, PICTURES, images)
            until_changed(page, FORMULA, formula)
        assert complaints == []
    finally:
        page.close()


def _judge(page, this, lang):
    """Answer an exercise wrongly, then rightly."""
    results = this.run(this.start(lang=lang))
    number = next(i for i, e in enumerate(this.exercises) if isinstance(e, Number | Pick))
    exercise = this.exercises[number]
    for answer, kind in ((exercise.wrong_answer(results), "wrong"), (exercise.right_answer(results), "right")):
        card = page.locator(".lab-card").nth(number)
        if isinstance(exercise, Number):
            card.get_by_role("textbox").fill(answer.replace(".", "," if lang == "fr" else "."))
        else:
            card.get_by_role("radio").nth(list(exercise.options).index(answer)).click()
        card.get_by_role("button").last.click()
        page.locator(f".lab-card >> nth={number} >> .lab-verdict.{kind}").wait_for()


def _learn(page, lang):
    """Bring a table, press the button, and wait for the picture."""
    rows = "".join(f"{i % 7};{(i * 5) % 11};{'ab'[i % 7 > 3]}\n" for i in range(80))
    page.locator("input[type=file]").set_input_files(
        {"name": "mine.csv", "mimeType": "text/csv", "buffer": f"u;v;class\n{rows}".encode()}
    )
    page.locator(".lab-answer", has_text="mine.csv").wait_for()
    page.get_by_role("button", name="Apprendre" if lang == "fr" else "Learn").click()
    page.wait_for_selector(".lab-pictures img", timeout=2 * WAIT)


def test_the_language_switch_keeps_the_settings(browser, labs):
    base, _ = labs
    page, complaints = open_lab(browser, base, "first_steps", "en")
    thumb = page.locator(".lab-knobs [role=slider]").first
    thumb.focus()
    page.keyboard.press("Home")
    page.wait_for_function("document.querySelector('.lab-answer').textContent.includes('Degree 0')")
    page.get_by_text("Français").click()
    page.wait_for_function("document.querySelector('.lab-head h1').textContent === 'Premiers pas'")
    page.wait_for_function("document.querySelector('.lab-answer').textContent.includes('degré 0')")
    assert complaints == []
    page.close()
