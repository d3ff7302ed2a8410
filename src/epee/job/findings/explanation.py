"""The page of a finding: what it means, how it is tested, and what to do."""

from __future__ import annotations

from importlib import resources

from epee.job.findings.registry import check_codes
from epee.settings import options


def explain(code: str, lang: str | None = None) -> str:
    """Return the page of a finding, as Markdown, in the language of ``epee.options`` unless another is asked for.

    >>> print(explain("E009").splitlines()[0])
    # E009: a column is constant
    """
    (known,) = check_codes([code])
    place = resources.files("epee.job.findings") / "pages" / (lang or options.language) / f"{known}.md"
    return place.read_text(encoding="utf-8")
