"""What goes wrong on a page stays one sentence on it: files that are none, pages that close, values that look like pages."""

import os
import time
from pathlib import Path

import numpy as np
import pytest

from tests.workbench.test_browser import ask, card, drop, learn

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = pytest.mark.xdist_group("workbench")


def long_csv(n=3000, p=10):
    """Return a table that takes a while: several classes, many rows."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, p))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n) > 0).astype(int)
    head = ",".join([f"x{j}" for j in range(p)] + ["y"])
    return head + "\n" + "\n".join(",".join(f"{v:.3f}" for v in row) + f",{'ab'[k]}" for row, k in zip(X, y)) + "\n"


def fault(page, words):
    expect(page.locator("#wb-table .fault")).to_contain_text(words)


def test_files_that_are_none(opened, place, tmp_path):
    page = opened()
    drop(page, "picture.csv", "\x00\x01\x02\x00PNG\x00\x00")
    fault(page, "picture.csv")
    drop(page, "empty.csv", "")
    fault(page, "empty.csv")
    drop(page, "head.csv", "a,b\n")
    fault(page, "no rows")
    drop(page, "broken.epee", "PK\x03\x04 and no more")
    fault(page, "broken.epee")
    for typed, words in (
        ("nowhere.csv", "nowhere.csv"),
        ("", "give a path"),
        ("SELECT * FROM 'nowhere.csv'", "nowhere.csv"),
    ):
        page.get_by_role("textbox").first.fill(typed)
        page.get_by_role("button", name="Open", exact=True).click()
        fault(page, words)
    with open(place / "heavy.csv", "wb") as heavy:
        heavy.truncate(2_000_000_000)  # a sparse file: no disk is used
    page.locator("#open-file").set_input_files(place / "heavy.csv")
    fault(page, "Type its path above")
    page.get_by_role("textbox").first.fill("heavy.csv")
    page.get_by_role("button", name="Open", exact=True).click()
    fault(page, "heavy.csv")
    os.unlink(place / "heavy.csv")
    page.get_by_role("button", name="cars", exact=True).click()  # and after all that it works
    page.wait_for_selector("#wb-columns")
    assert page.locator(".fault").count() == 0


@pytest.mark.parametrize(("lang", "words"), [("en", "nothing to predict"), ("fr", "rien à prédire")])
def test_a_target_of_one_value(opened, lang, words):
    page = opened(lang)
    drop(page, "same.csv", "a,b,c,k\n" + "".join(f"{i},{i * i % 7},same,5\n" for i in range(40)))
    page.wait_for_selector("#wb-columns")
    for column in ("c", "k"):
        page.locator("li.column", has=page.locator(f"h4[title={column}]")).locator("button.target").click()
        expect(page.locator("#wb-question .fault")).to_contain_text(words)
        assert page.locator("#wb-learn").is_disabled()


def test_values_that_look_like_a_page(opened):
    evil, worse = "<img src=x onerror=alert(1)>", '"><script>alert(2)</script>'
    rows = "".join(
        f"{i % 9},{(i * 7) % 11},{worse if i % 2 else evil},{'<b>yes</b>' if i % 9 > 4 else 'no'}\n" for i in range(90)
    )
    page = opened()
    drop(
        page,
        "<i>evil</i>.csv",
        f"u,{evil},town,<u>class</u>\n{rows.replace(worse, chr(34) + worse.replace(chr(34), chr(34) * 2) + chr(34))}",
    )
    page.wait_for_selector("#wb-columns")
    assert page.locator("#wb-columns h4").all_inner_texts()[1] == evil
    ask(page, "<u>class</u>", ["lda", "tree"])
    learn(page, "en")
    page.wait_for_selector("#wb-said .says")
    page.locator("#wb-answer .chip").last.click()
    page.wait_for_selector("#wb-look h3")
    assert page.locator("main img, main script, main i, main u").count() == 0
    assert "<b>yes</b>" in page.inner_text("table.confusion")


def workers(server):
    """Return the processes of sessions: those forked from the one that holds the library."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except OSError:
                continue
    children = [pid for pid, parent in parents.items() if parent == server]
    return {pid for pid, parent in parents.items() if parent in children}


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc here")
@pytest.mark.long
def test_two_pages_one_stopped_one_closed_in_mid_run(opened, bench):
    before = workers(bench[2].pid)
    one, two = opened(), opened("fr")
    drop(one, "long.csv", long_csv())
    two.get_by_role("button", name="iris", exact=True).click()
    two.wait_for_selector("#wb-columns")
    one.wait_for_selector("#wb-columns")
    assert "iris.csv" in two.inner_text("#wb-table") and "long.csv" in one.inner_text("#wb-table")
    card(one, "y").locator("button.target").click()
    one.locator("#wb-learn:not([disabled])").click()
    one.wait_for_selector("#wb-run .chart")
    one.locator("#wb-stop").click()
    one.wait_for_selector("#wb-answer .answer")
    assert "Stopped" in one.inner_text("#wb-run") and "the run was stopped" in one.text_content("#wb-answer")
    assert "--predictor" in one.inner_text("#wb-command")
    one.locator("#wb-learn").click()
    one.wait_for_selector("#wb-stop")
    mine = workers(bench[2].pid) - before
    assert len(mine) == 2
    one.close()
    end = time.monotonic() + 30
    while len(workers(bench[2].pid) & mine) > 1 and time.monotonic() < end:
        time.sleep(0.1)
    assert len(workers(bench[2].pid) & mine) == 1  # the other page goes on
    two.locator("button.target").last.click()
    two.wait_for_selector("#wb-asked")


def test_a_phone_in_the_dark_with_a_keyboard(browser, bench):
    """Names for all controls, nothing wider than the screen, and the whole way without a mouse."""
    context = browser.browser.new_context(viewport={"width": 400, "height": 800}, color_scheme="dark")
    page = context.new_page()
    page.goto(f"{bench[0]}/?token={bench[1]}&lang=fr")
    path = page.get_by_role("textbox").first
    path.focus()
    from epee import samples

    page.keyboard.type(str(samples.path("iris")))
    page.keyboard.press("Enter")
    page.wait_for_selector("#wb-columns")
    page.locator("button.target").last.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#wb-asked")
    assert page.evaluate("document.activeElement.id") == "wb-target-4"  # where one was, one stays
    page.locator("#wb-asked summary").last.focus()
    page.keyboard.press("Enter")
    page.locator("#wb-asked input[value=lda]").focus()
    page.keyboard.press("Space")
    page.locator("#wb-learn").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#wb-answer .answer")
    page.wait_for_selector("#wb-said .says")
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert sum(map(int, ground[4:-1].split(","))) < 150
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("button, input:not([type=hidden]), select, a")].filter((one) =>
            !(one.labels?.length || one.getAttribute("aria-label") || one.textContent.trim())).map((one) => one.outerHTML)"""
    )
    assert nameless == []
    context.close()
