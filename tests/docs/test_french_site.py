"""The French twin of the site: no sentence of the pages and of the gallery without its twin, and twins that keep code and formulas."""

import ast
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))

pytest.importorskip("babel")
import code_words  # noqa: E402
import gallery_words  # noqa: E402
import measured_words  # noqa: E402
import page_words  # noqa: E402
import twins  # noqa: E402

KNOWN = twins.catalogue()


def bare(code):
    """Return the shape of a piece of code: its tree without the words of its texts; the s of an English plural is a word."""
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            node.values = [
                part for part in node.values
                if isinstance(part, ast.FormattedValue) and not ast.unparse(part.value).startswith("'s' *")
            ]  # fmt: skip
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = ""
    return ast.dump(tree)


@pytest.mark.parametrize("page", twins.PAGES)
def test_every_sentence_has_its_twin(page):
    missing = [line for line in twins.sentences(page) if line not in KNOWN]
    assert not missing, "write these into docs/locale/fr/LC_MESSAGES/site.po"


def test_every_example_of_the_gallery_has_its_twin():
    missing = [(name, line) for name, line in twins.gallery() if line not in KNOWN]
    assert not missing, "write these into docs/locale/fr/LC_MESSAGES/site.po"


def test_every_summary_of_the_reference_has_its_twin():
    missing = [(name, line) for name, line in twins.summaries() if line not in KNOWN]
    assert not missing, "write these into docs/locale/fr/LC_MESSAGES/site.po"


def test_what_parameters_mean_is_french():
    import generated_pages

    said = {line: name for name in generated_pages.public_names() for line in twins.parameters(name)}
    assert len(said) > 1500
    missing = [(name, line) for line, name in said.items() if line not in KNOWN]
    assert not missing, "write these into docs/locale/fr/LC_MESSAGES/site.po"


def test_the_mathematics_is_told_in_french():
    import generated_pages

    said = {line: name for name in generated_pages.public_names() for line in twins.mathematics(name)}
    assert len(said) > 300
    missing = [(name, line) for line, name in said.items() if line not in KNOWN]
    assert not missing, "write these into docs/locale/fr/LC_MESSAGES/site.po"


@pytest.mark.parametrize("page", twins.PAGES)
def test_code_on_french_pages_speaks_french(page):
    """No comment and no printed line of the page is English on the French one, and the code between them is the same."""
    path = twins.DOCS / f"{page}.md" if page != "changes" else ROOT / "CHANGELOG.md"
    for language, code in code_words.page_blocks(path.read_text(encoding="utf-8")):
        missing = [text for text in code_words.comments(code) if text not in KNOWN]
        missing += [
            line
            for line in code_words.printed(code)
            if language == "text" and twins.has_words(line) and line not in KNOWN
        ]
        assert not missing, "write these into docs/locale/fr/LC_MESSAGES/site.po"
        french = code_words.block_in_french(code, language, KNOWN)
        assert not set(code_words.comments(french)) & (set(KNOWN) - set(KNOWN.values()))
        if language == "python":
            assert bare(french) == bare(code)


def test_sessions_of_the_reference_speak_french():
    import generated_pages

    docs = (doc for name in generated_pages.public_names() for doc in twins.docstrings(name))
    sessions = {code for doc in docs for code in code_words.session_blocks(doc)}
    said = {text for code in sessions for text in code_words.comments(code)}
    told = (
        code for code in sessions if "Traceback" not in code and "licence" not in code
    )  # these are English in any language
    said |= {line for code in told for line in code_words.printed(code) if re.search(r"([a-z]+,? ){3}", line)}
    assert len(sessions) > 400 and len(said) > 5
    assert not said - set(KNOWN), "write these into docs/locale/fr/LC_MESSAGES/site.po"


@pytest.fixture(scope="module")
def prose():
    found: dict = {}
    for name, line in twins.gallery():
        found.setdefault(name, []).append(line)
    return found


@pytest.mark.parametrize("path", sorted(gallery_words.EXAMPLES.rglob("plot_*.py")), ids=lambda path: path.stem)
def test_examples_are_written_out_in_french(path, prose):
    """Comments and texts are French, the code is the same, and the prose of the notebook is that of the page."""
    english = path.read_text(encoding="utf-8")
    french = code_words.example_in_french(english, KNOWN)
    code = re.sub(r"^#.*\n", "", english, flags=re.M)
    missing = [text for text in code_words.comments(code) if text not in KNOWN]
    assert not missing, "write these into docs/locale/fr/LC_MESSAGES/site.po"
    assert not set(code_words.comments(french)) & (set(code_words.comments(code)) - set(KNOWN.values()))
    assert bare(french) == bare(english)
    assert not [line for line in prose[path.stem] if line in " ".join(french.split())]


def test_a_page_is_told_in_french_and_stays_coloured():
    from docutils import nodes

    page = nodes.section()
    page += nodes.literal_block("", "mean(x)  # the centre", language="python")
    page += nodes.doctest_block("", ">>> say()  # aloud\nit rains")
    code_words.tell_code(page, {"the centre": "le centre", "aloud": "à voix haute", "it rains": "il pleut"})
    assert [block.astext() for block in page] == ["mean(x)  # le centre", ">>> say()  # à voix haute\nil pleut"]
    assert all(block.rawsource == block.astext() for block in page)


def test_words_in_formulas_have_their_twin():
    files = [*(ROOT / "src").rglob("*.py"), *(ROOT / "examples").rglob("*.py"), *(ROOT / "docs").rglob("*.md")]
    missing = page_words.left((ROOT / "docs" / "course_map.csv").read_text(encoding="utf-8"))
    missing |= {
        words
        for path in files
        if "_build" not in path.parts
        for words in page_words.left(path.read_text(encoding="utf-8"))
    }
    assert not missing, "write these into docs/page_words.py"


def test_formulas_are_told_and_lines_do_not_end_before_a_colon():
    from docutils import nodes

    page = nodes.section()
    page += nodes.title("", "Où couper ?")
    page += nodes.paragraph(
        "", "", nodes.math("", r"x \text{ if } y"), nodes.Text(" : 95 %"), nodes.literal("", "a : b")
    )
    page_words.tell_page(page)
    assert page.astext().split("\n\n") == ["Où couper\u00a0?", "x \\text{ si } y\u00a0: 95\u00a0%a : b"]


@pytest.mark.parametrize("page", ["docs/speed.md", *measured_words.RESULTS])
def test_what_is_measured_has_french_words(page):
    assert not set(measured_words.left(measured_words.measured(page))), "write these into docs/measured_words.py"


def test_what_figures_say_has_its_twin():
    said = {text for path in gallery_words.EXAMPLES.rglob("plot_*.py") for text in gallery_words.said(path)}
    assert not said - set(gallery_words.TWINS) - gallery_words.CODE, "write these into docs/gallery_words.py"


def test_texts_and_prints_are_french_while_the_gallery_speaks(capsys):
    pytest.importorskip("matplotlib")
    from matplotlib.text import Text

    import epee

    plain = Text.set_text
    try:
        gallery_words.speak()
        assert Text(text="training 0.25, new rows 0.5").get_text() == "apprentissage 0,25, nouveaux individus 0,5"
        assert Text(text="after 1 step: 0.5 a row").get_text() == "après 1 pas : 0,5 par individu"
        assert epee.options.language == "fr"
        print("best 3, within one standard error 2; leave-one-out at degree 3: 0.1", 4)
    finally:
        gallery_words.speak(when="after")
    assert capsys.readouterr().out.startswith("meilleur 3, à moins d'un écart-type 2 ;")
    assert Text.set_text is plain and epee.options.language == "en"


def test_every_item_of_the_course_map_has_its_twin():
    import generated_pages

    assert [row["id"] for row in generated_pages.course_map() if row["title"] not in KNOWN] == []
    assert set(generated_pages.FAMILIES.values()) <= set(KNOWN)


def test_code_formulas_and_links_are_the_same():
    """What stands in backticks or dollars says the same in both languages; the words of a link may differ, its target not."""

    def kept(text):
        links = re.findall(r"<([^<>`]+)>`", text)
        bare = re.sub(r"`[^`<]*<[^<>`]+>`", "", text)
        return sorted(links), sorted(re.findall(r"`([^`]+)`", bare)), len(re.findall(r"\$[^$]+\$", bare))

    wrong = [english for english, french in KNOWN.items() if kept(english)[::2] != kept(french)[::2]]
    wrong += [english for english, french in KNOWN.items() if kept(english)[1] and not kept(french)[1]]
    assert not wrong


def test_twins_are_french():
    same = [
        english for english, french in KNOWN.items()
        if english == french and len(re.findall(r"[a-z]{4,}", re.sub(r"``.*?``|`[^`]*`|\$[^$]*\$", "", english))) > 3
    ]  # fmt: skip
    assert not same
