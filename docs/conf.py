"""Settings of the site: `make docs` writes it to docs/_build/html. Nothing is fetched from a network."""

from __future__ import annotations

import os
import re
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
os.environ.setdefault("MPLBACKEND", "Agg")

import code_words  # noqa: E402
import generated_pages  # noqa: E402
import measured_words  # noqa: E402
import page_words  # noqa: E402
import twins  # noqa: E402

import epee  # noqa: E402
from epee.labs.catalogue import IDS as LABS  # noqa: E402

language = os.environ.get("EPEE_DOCS_LANGUAGE", "en")  # "fr" builds the French twin, see twins.py
generated_pages.write_all(HERE / "generated", language)  # API, course map, findings: before Sphinx looks for files
generated_pages.own_gallery(HERE, language)

project, author, copyright = "épée", "the épée authors", "the épée authors, BSD-3"
version = release = epee.__version__
locale_dirs, gettext_compact = ["locale"], "site"

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    # MathJax as a package, so that formulas show without a network; without it the browser asks a CDN
    "sphinx-mathjax-offline" if find_spec("sphinx-mathjax-offline") else "sphinx.ext.mathjax",
]
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
exclude_patterns = [
    "_build",
    "gallery/**/*.ipynb",
    "gallery/**/*.py",
    "gallery/**/*.json",
    "generated/backreferences",
    "generated/parts",
]
myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence", "deflist"]
myst_heading_anchors = 2
autosummary_generate = False  # the pages of the names are written by generated_pages
autodoc_typehints = "none"
autodoc_inherit_docstrings = False
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
add_module_names = False
toc_object_entries_show_parents = "hide"
templates_path = ["_templates"]

sphinx_gallery_conf = {
    "examples_dirs": ["../examples"],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"/plot_",
    "within_subsection_order": "generated_pages.CourseOrder",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 1000,
    "write_computation_times": False,
    "doc_module": ("epee",),
    "backreferences_dir": "generated/backreferences",
    "inspect_global_variables": True,  # so that the classes in the code are links
    "matplotlib_animations": False,
    "capture_repr": (),  # what is printed is shown, what a last line happens to return is not
}
if language == "fr":
    KNOWN = twins.catalogue()
    code_words.write_examples(HERE.parent / "examples", HERE / "_build" / "examples-fr", KNOWN)
    sphinx_gallery_conf |= {
        "examples_dirs": ["_build/examples-fr"],
        "reset_modules": ("matplotlib", "gallery_words.speak"),
        "reset_modules_order": "both",
    }
suppress_warnings = ["config.cache"]  # the settings of the gallery hold a class

html_context = {"default_mode": "auto"}
html_theme = "pydata_sphinx_theme"
html_title = "épée"
html_static_path = ["_static"]
html_css_files = ["house.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "navbar_start": ["navbar-logo"],
    "navbar_end": ["language-link", "theme-switcher"],
    "navbar_persistent": ["search-button"],
    "search_bar_text": "Chercher" if language == "fr" else "Search",
    "show_nav_level": 1,
    "header_links_before_dropdown": 7,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "pygments_light_style": "tango",
    "logo": {"text": "épée"},
}
html_sidebars = {"index": [], "tour": [], "course_map": [], "glossary": [], "error_bars": []}


def link_names(app: Any, doctree: nodes.document) -> None:
    """Make `Ridge`, `risk.compare` or `Ridge(2.0)` in running text a link to its page."""
    if app.env.docname.startswith(("generated/", "gallery/")):
        return
    for code in list(doctree.findall(nodes.literal)):
        name = generated_pages.named(code.astext())
        if name is None or isinstance(code.parent, nodes.reference | addnodes.pending_xref):
            continue
        if app.env.docname == "teaching" and code.astext() in LABS:  # some labs bear the name of a function
            continue
        link = addnodes.pending_xref(
            "", refdomain="py", reftype="obj", reftarget=f"epee.{name}", refdoc=app.env.docname, refwarn=False
        )
        code.replace_self(link)
        link += code


def tell_measured(app: Any, docname: str, source: list[str]) -> None:
    """Let the measured part of a page be French, and what the gallery says on every page."""
    source[0] = measured_words.page_in_french(source[0])
    if docname.startswith("gallery/"):
        for english, french in twins.REPEATED:
            source[0] = re.sub(english, french, source[0])
        source[0] = re.sub(r'(?<=thumbnail-title">)[^<]+', lambda m: page_words.tied(m[0]), source[0])


def tell_included(app: Any, path: Path, docname: str, content: list[str]) -> None:
    """Let a measured file that a page includes be French."""
    name = Path(path).as_posix()
    if name.endswith((*measured_words.RESULTS, "generated/parts/coverage.md")):
        content[0] = measured_words.in_french(content[0])


def tell_rest(app: Any, doctree: nodes.document) -> None:
    """Let the comments in code, what it printed, and the words in formulas be French."""
    code_words.tell_code(doctree, KNOWN)
    page_words.tell_page(doctree)


class PlainTypes(SphinxTransform):
    """Leave the quotes of a parameter's type as they are: they are code."""

    default_priority = 700  # before the quotes are made beautiful

    def apply(self, **options: Any) -> None:
        """Mark the types."""
        for node in self.document.findall(nodes.classifier):
            node["support_smartquotes"] = False


def setup(app: Any) -> None:
    """Add the links that the pages do not spell out, and in the French site the words of what is measured, of code and of formulas."""
    app.connect("doctree-read", link_names)
    app.add_transform(PlainTypes)
    if language == "fr":
        app.connect("doctree-read", tell_rest, priority=400)  # before titles are gathered
        app.connect("source-read", tell_measured)
        app.connect("include-read", tell_included)
