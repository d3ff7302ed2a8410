"""Take the pictures of the workbench for the site and the README: ``python docs/draw_workbench.py`` writes docs/pictures/workbench_*.png.

Those of the French page end in ``.fr.png``, which the French site takes by itself; ``python docs/draw_workbench.py fr`` draws these alone.
Needs Playwright and Chromium, as the tests of the page do, and Pillow, which comes with matplotlib.
"""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import sys
import tempfile
from itertools import product
from pathlib import Path

PICTURES = Path(__file__).resolve().parent / "pictures"
COLOURS = 128  # enough for flat pictures, and a third of the bytes


def keep(png: bytes, name: str) -> None:
    """Write a picture with few colours."""
    from PIL import Image

    few = (
        Image.open(io.BytesIO(png))
        .convert("RGB")
        .quantize(COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    )
    few.save(PICTURES / f"workbench_{name}.png", optimize=True)
    print(name, (PICTURES / f"workbench_{name}.png").stat().st_size)


def shoot(page, theme: str, ending: str = "") -> None:
    """Go the whole way on one page, and take pictures of it."""
    page.wait_for_selector("#wb-columns")
    page.locator("#wb-column-0 button.target").click()
    page.wait_for_selector("#wb-asked")
    page.mouse.move(0, 0)
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    page.wait_for_timeout(200)
    keep(page.screenshot(), f"table_{theme}{ending}")
    page.click("#wb-learn")
    page.wait_for_selector("#wb-said .says", timeout=600_000)
    page.evaluate("document.getElementById('wb-answer').scrollIntoView()")
    page.mouse.move(0, 0)
    page.wait_for_timeout(300)
    keep(page.screenshot(), f"answer_{theme}{ending}")
    slider = page.locator("#wb-row input[type=range]").first
    slider.fill("48")
    page.evaluate("document.getElementById('wb-what-if').scrollIntoView()")
    page.wait_for_timeout(2500)
    keep(page.screenshot(), f"what_if_{theme}{ending}")


def main(languages: list[str]) -> None:
    """Serve the workbench on a table in a folder of its own, in both themes, for some languages."""
    from playwright.sync_api import sync_playwright

    from epee import samples

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        shutil.copy(samples.path("penguins"), folder)
        command = [sys.executable, "-m", "epee", "open", "penguins.csv", "--no-browser"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder) as process:
            assert process.stdout is not None
            address = re.search(r"http\S+", process.stdout.readline())
            browser = started.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
            )
            for lang, theme in product(languages, ("light", "dark")):
                context = browser.new_context(viewport={"width": 1200, "height": 860}, color_scheme=theme)
                page = context.new_page()
                page.set_default_timeout(120_000)
                page.goto(re.sub(r"lang=\w+", f"lang={lang}", address[0]))
                shoot(page, theme, "" if lang == "en" else f".{lang}")
                context.close()
            process.terminate()


if __name__ == "__main__":
    main(sys.argv[1:] or ["en", "fr"])
