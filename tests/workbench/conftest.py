"""One workbench for all the tests of this folder, in a process of its own, and one browser."""

import os
import re
import shutil
import subprocess
import sys

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WAIT = 60_000  # milliseconds


@pytest.fixture(scope="session")
def place(tmp_path_factory):
    """Return the folder in which the workbench is started."""
    return tmp_path_factory.mktemp("bench")


@pytest.fixture(scope="session")
def bench(place):
    """Yield the base address, the token and the process of a running workbench."""
    pytest.importorskip("starlette")
    command = [sys.executable, "-m", "epee", "open", "--no-browser", "--port", "29460"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=place, env=os.environ
    ) as process:
        try:
            line = process.stdout.readline()
            found = re.search(r"(http://127\.0\.0\.1:\d+)/\?token=([\w-]+)", line)
            assert found, line + process.stderr.read()
            yield found[1], found[2], process
        finally:
            process.terminate()
            try:
                process.communicate(timeout=30)  # open pages must not keep it alive
            except subprocess.TimeoutExpired:
                process.kill()
                raise


@pytest.fixture(scope="module")  # Playwright's loop must not outlive it: other tests run loops of their own
def browser(bench):
    """Yield a browser context that has been let in."""
    if CHROMIUM is None:
        pytest.skip("no chromium on this machine")
    playwright = pytest.importorskip("playwright.sync_api")
    playwright.expect.set_options(timeout=WAIT)
    base, token, _ = bench
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        context = opened.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
        context.set_default_timeout(WAIT)
        page = context.new_page()
        page.goto(f"{base}/?token={token}")
        page.close()
        yield context
        opened.close()


@pytest.fixture
def opened(browser, bench):
    """Return a function that opens a page; what it complains of fails the test."""
    base, pages, complaints = bench[0], [], []

    def open_page(lang="en"):
        page = browser.new_page()
        page.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda e: complaints.append(str(e)))
        page.on("dialog", lambda d: (complaints.append(f"asked: {d.message}"), d.dismiss()))
        page.on(
            "request",
            lambda r: None if r.url.startswith((base, "data:", "blob:")) else complaints.append(f"outside: {r.url}"),
        )
        page.goto(f"{base}/?lang={lang}")
        pages.append(page)
        return page

    yield open_page
    for page in pages:
        if not page.is_closed():
            page.close()
    assert complaints == []
