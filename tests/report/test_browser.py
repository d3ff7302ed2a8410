"""The reports in a real browser: no message, no request, names shown and not run, nothing wider than a phone."""

from __future__ import annotations

import shutil

import pytest

from epee.report.html import write_report

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
ARGUMENTS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync",
]  # fmt: skip


@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None:
        pytest.skip("there is no chromium on this machine")
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with sync_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield opened
        opened.close()


@pytest.mark.parametrize("lang", ["en", "fr"])
@pytest.mark.parametrize("kind", ["classes", "number", "explored"])
def test_quiet_and_safe(browser, cards, tmp_path, kind, lang):
    place = write_report(cards[kind, lang], tmp_path / "report.html")
    for width, scheme in ((1200, "light"), (360, "dark")):
        context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
        page = context.new_page()
        heard, asked, opened = [], [], []
        page.on("console", lambda message, heard=heard: heard.append(message.text))
        page.on("pageerror", lambda error, heard=heard: heard.append(str(error)))
        page.on("request", lambda request, asked=asked: asked.append(request.url))
        page.on("dialog", lambda dialog, opened=opened: (opened.append(dialog.message), dialog.dismiss()))
        page.goto(place.as_uri())
        assert heard == [] and opened == []
        assert [url for url in asked if url.rstrip(",") != "data:"] == [place.as_uri()]
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate("document.querySelectorAll('img, script, main b, main i').length") == 0
        if kind != "number":
            assert "<script>alert(1)</script>" in page.content().replace("&lt;", "<").replace("&gt;", ">")
            shown = page.evaluate("document.body.innerText")
            assert '"><img src=x onerror=alert(2)>' in shown.replace("\u00a0", " ") or kind == "classes"
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (sum(map(int, ground[4:-1].split(","))) < 150) == (scheme == "dark")
        context.close()
