"""Code on the French pages: comments and what is printed are French, the code itself is untouched.

A comment, a docstring in code, and a line of what was printed have their twins in the catalogue, as sentences have; texts of figures have
theirs in ``gallery_words``. Pages and docstrings are told by :func:`tell_code` while Sphinx reads them. The examples are written out in
French before the gallery runs them (:func:`write_examples`), so that what is shown, what runs and what is downloaded are one thing.
"""

from __future__ import annotations

import ast
import doctest
import io
import re
import textwrap
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gallery_words import TWINS
from twins import has_words

FENCE = re.compile(r"^```(.*)\n(.*?)^```[ \t]*$", flags=re.M | re.S)
COMMENT = re.compile(r"(?<!\S)(# )(\S.*?)(?=[ \t]*$)", flags=re.M)
DOCSTRING = re.compile(r'(?<=""")([^"\n]+)(?=""")')
PRAGMA = re.compile(r"[ \t]*# (?:fmt: \w+|noqa\b.*)$", flags=re.M)
WIDTH = 130
# where a lone word is shown; elsewhere it may be a name that a method takes
SHOWING = {"print", "set_title", "set_xlabel", "set_ylabel", "set_zlabel", "annotate", "text", "suptitle"}
LABELS = {"label", "title", "xlabel", "ylabel", "zlabel", "labels"}


def comments(code: str) -> Iterator[str]:
    """Yield what a piece of code says to its reader: comments with words, and docstrings of one line.

    >>> list(comments("mean(x)  # the centre\\nX = y  # (n, 2)"))
    ['the centre']
    """
    for found in (*COMMENT.finditer(PRAGMA.sub("", code)), *DOCSTRING.finditer(code)):
        text = found[found.lastindex or 0]
        if has_words(text) and not text.startswith("doctest:"):
            yield text


def printed(code: str) -> Iterator[str]:
    """Yield the lines of a piece of text or of a session at the prompt that were answered.

    >>> list(printed(">>> 1 + 1\\n2"))
    ['2']
    """
    yield from (line.strip() for line in code.splitlines() if not line.startswith((">>>", "...")))


def page_blocks(text: str) -> Iterator[tuple[str, str]]:
    """Yield (language, code) for each block of code on a page in Markdown."""
    for kind, code in FENCE.findall(text):
        language = re.sub(r"^\{code-block\} ", "", kind.strip())
        if not language.startswith("{"):
            yield language, code
    yield from (("none", code) for code in re.findall(r"(?<=\n\n)((?: {4}.*\n)+)", FENCE.sub("", text)))


def session_blocks(doc: str | None) -> Iterator[str]:
    """Yield the examples at the prompt of a docstring, each as its page shows it."""
    for example in doctest.DocTestParser().get_examples(doc or ""):
        first, *rest = example.source.rstrip("\n").split("\n")
        yield "\n".join([f">>> {first}", *(f"... {line}" for line in rest), example.want.rstrip("\n")])


def block_in_french(code: str, language: str, known: dict[str, str]) -> str:
    """Return a block of a page with French comments and, where it shows what was printed, French lines.

    >>> block_in_french("mean(x)  # the centre", "python", {"the centre": "le centre", "mean(x)": "?"})
    'mean(x)  # le centre'
    """
    code = _comments_in_french(PRAGMA.sub("", code), known)
    if language in ("text", "none", "pycon") or code.startswith(">>>"):
        for line in set(printed(code)) & set(known):
            code = re.sub(rf"^([ \t]*){re.escape(line)}[ \t]*$", lambda m: m[1] + known[line], code, flags=re.M)  # noqa: B023
    return code


def _comments_in_french(code: str, known: dict[str, str]) -> str:
    code = COMMENT.sub(lambda m: m[1] + known.get(m[2], m[2]), code)
    return DOCSTRING.sub(lambda m: known.get(m[1], m[1]), code)


def tell_code(doctree: Any, known: dict[str, str]) -> None:
    """Put French comments and printed lines into the blocks of a page."""
    from docutils import nodes

    for node in doctree.findall(lambda n: isinstance(n, nodes.literal_block | nodes.doctest_block)):
        said = block_in_french(node.astext(), node.get("language", "none"), known)
        if said != node.astext():
            node.rawsource, node.children = said, []  # Sphinx colours only what stands as it was written
            node += nodes.Text(said)


def write_examples(source: Path, target: Path, known: dict[str, str]) -> None:
    """Write the examples of the gallery out in French, where they changed."""
    for path in sorted(p for p in source.rglob("*") if p.suffix in (".py", ".rst")):
        text = path.read_text(encoding="utf-8")
        said = example_in_french(text, known) if path.suffix == ".py" else prose_in_french(text, known)
        place = target / path.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.exists() or place.read_text(encoding="utf-8") != said:
            place.write_text(said, encoding="utf-8")


def prose_in_french(text: str, known: dict[str, str]) -> str:
    """Return paragraphs and headings in French, each wrapped; what has no twin stays, a formula for instance."""
    said = []
    for block in re.split(r"(\n\s*\n)", text):
        lines = [line.strip() for line in block.strip().splitlines()]
        ruled = len(lines) == 2 and re.fullmatch(r"([=\-~])\1*", lines[1])
        twin = known.get(lines[0] if ruled else " ".join(lines))
        if twin is None:
            said.append(block)
            continue
        wrapped = textwrap.wrap(twin, WIDTH, break_long_words=False, break_on_hyphens=False)
        if ruled:
            wrapped = [twin, lines[1][0] * len(twin)]
        elif any(
            re.match(r"([-*+]|\w+[.)]|#\.|\.\.)\s", line) for line in wrapped[1:]
        ):  # a notebook would begin a list
            wrapped = [twin]
        head = block[: len(block) - len(block.lstrip())]
        said.append(head + "\n".join(wrapped) + block[len(block.rstrip()) :])
    return "".join(said)


def example_in_french(source: str, known: dict[str, str]) -> str:
    """Return an example with French prose, comments and texts.

    >>> print(example_in_french('x = 1  # one\\nprint(f"training error {x:.2f}")', {"one": "un"}))
    x = 1  # un
    print(f"erreur d'apprentissage {x:.2f}")
    """
    for start, end, said in sorted(_texts(source), reverse=True):
        source = source[:start] + said + source[end:]
    source = PRAGMA.sub("", source)
    source = re.sub(
        r'^(r?""")(.*?)(""")', lambda m: m[1] + prose_in_french(m[2], known) + m[3], source, count=1, flags=re.S
    )
    parts = re.split(r"(^# %%\n(?:#.*\n)*)", source, flags=re.M)
    for k, part in enumerate(parts):
        if part.startswith("# %%"):
            prose = prose_in_french(re.sub(r"^# ?", "", part.partition("\n")[2], flags=re.M), known)
            parts[k] = "# %%\n" + re.sub(r"^(?=.)", "# ", prose, flags=re.M).replace("\n\n", "\n#\n")
        else:
            parts[k] = _comments_in_french(part, known)
    return "".join(parts)


def _texts(source: str) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, literal) for each text of an example that has a twin."""
    tree, begins = ast.parse(source), [0]
    for line in source.splitlines(keepends=True):
        begins.append(begins[-1] + len(line))
    shown = {id(part) for node in ast.walk(tree) if isinstance(node, ast.Call) for part in _shown(node)}
    inside = {
        id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)
        for part in ast.walk(node) if part is not node
    }  # fmt: skip
    lines = source.splitlines()
    for node in ast.walk(tree):
        if id(node) in inside or not isinstance(node, ast.Constant | ast.JoinedStr):
            continue
        parts = node.values if isinstance(node, ast.JoinedStr) else [node]
        if not all(isinstance(p, ast.FormattedValue) or isinstance(getattr(p, "value", None), str) for p in parts):
            continue
        text = "".join(str(p.value) if isinstance(p, ast.Constant) else "{}" for p in parts)
        if text not in TWINS or TWINS[text] == text or (" " not in text and id(node) not in shown):
            continue
        filled = [ast.unparse(ast.JoinedStr([p]))[2:-1] for p in parts if isinstance(p, ast.FormattedValue)]
        at = [
            begins[row - 1] + len(lines[row - 1].encode()[:column].decode())
            for row, column in ((node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0))
        ]
        yield at[0], at[1], _literal(TWINS[text], filled, at[0] - begins[node.lineno - 1], source[at[0] : at[1]])


def _shown(call: ast.Call) -> Iterator[ast.AST]:
    """Yield the arguments of a call that are put before a reader."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    given = [*(call.args if name in SHOWING else ()), *(k.value for k in call.keywords if k.arg in LABELS)]
    for value in given:
        yield from value.elts if isinstance(value, ast.List | ast.Tuple) else [value]


def _literal(text: str, filled: list[str], column: int, was: str) -> str:
    """Return a text as Python writes it, its braces filled in; on as many lines as it stood on before."""
    words = re.split(r"(?<= )", text)
    rows = len([t for t in tokenize.generate_tokens(io.StringIO(f"({was})").readline) if t.type == tokenize.STRING])
    share, chunks = len(text) / max(rows, 1), [""]
    for word in words:
        if len(chunks[-1]) >= share and len(chunks) < rows:
            chunks.append("")
        chunks[-1] += word
    said, used = [], 0
    raw = "r" in was.split('"')[0].split("'")[0].lower()
    for chunk in chunks:
        body = re.split(r"\{(\d*)\}", chunk) if filled else [chunk]
        for k, part in enumerate(body):
            if k % 2:
                body[k], used = filled[int(part or used)], used + 1
            else:
                part = part.replace('"', "'")
                body[k] = part if raw else part.replace("\\", "\\\\").replace("\n", "\\n")
        said.append(("r" if raw else "") + ("f" if len(body) > 1 else "") + f'"{"".join(body)}"')
    return ("\n" + " " * column).join(said)
