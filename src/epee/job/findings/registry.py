r"""The register of findings, and the one decision that all of them share.

A finding is a function from the evidence to a :class:`Suspicion`: a p-value, already corrected for the columns or classes that it
looked at, of the hypothesis that *nothing that matters is there*. The hypothesis holds the size that matters ("the share is at most
30 %"), so that a large table does not turn trifles into findings; both sides of a comparison are estimates, so the test knows
both error bars. The :math:`m` p-values together are judged by Holm's rule at the level

.. math:: \alpha = 0.01 \quad\text{for the whole table:}\qquad p_{(1)} < \frac{\alpha}{m}, \; p_{(2)} < \frac{\alpha}{m - 1}, \dots \tag{1}

so that a clean table shows any finding at all with a probability of at most :math:`\alpha`. A fact (a column that is constant in
every row) has p-value 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

import numpy as np

from epee.errors import WrongUse
from epee.job.findings.chance import share_interval
from epee.job.findings.evidence import Evidence
from epee.lazy import Shown
from epee.risk.paired_tests import holm
from epee.words.finding_words import TITLES, sentence, title
from epee.words.numbers import interval, percent

LEVEL = 0.01  # for all findings on one table together
THEMES = ("columns", "missing", "classes", "rows", "fits", "residuals")
_TESTS: dict[str, Callable[[Evidence], Any]] = {}


@dataclass(frozen=True)
class Suspicion:
    """What one test saw: a p-value, the figure with its error bar, and the parts of the sentence, the first of ``names`` as its name."""

    p_value: float
    words: dict[str, Any]
    value: float | None = None
    stderr: float | None = None
    low: float | None = None
    high: float | None = None
    names: list[str] = field(default_factory=list)
    form: str = ""  # which of the sentences of the code, where there are several

    @classmethod
    def about(cls, p_value: float, words: dict[str, Any], value: float, stderr: float, **parts: Any) -> Suspicion:
        """Return one whose interval is 1.96 error bars to both sides."""
        return cls(p_value, words, value, stderr, value - 1.96 * stderr, value + 1.96 * stderr, **parts)

    @classmethod
    def of_share(
        cls, p_value: float, words: dict[str, Any], k: float, n: float, digits: int | None = None, **parts: Any
    ) -> Suspicion:
        """Return one about a share, ``k`` of ``n``, with its exact interval, both of which the sentence may say."""
        ends = share_interval(k, n)
        said = {"share": percent(k / n, digits), "span": interval(*ends, percent=True, digits=digits)}
        return cls(p_value, {**said, **words}, k / n, None, *ends, **parts)


def clearest(found: Sequence[Suspicion]) -> Suspicion | None:
    """Return the one with the smallest p-value, corrected for all that were looked at; None of none."""
    if not found:
        return None
    best = min(found, key=lambda s: s.p_value)
    return replace(best, p_value=min(best.p_value * len(found), 1.0))


@dataclass(frozen=True)
class Finding(Shown):
    """One finding: its code, the sentence, and the evidence as plain data.

    >>> print(Finding("E009", "island is constant.", {}))
    E009 island is constant.
    """

    code: str
    sentence: str
    evidence: dict[str, Any]

    @property
    def title(self) -> str:
        """Its name in the current language."""
        return title(self.code)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, for JSON."""
        return {"code": self.code, "title": self.title, "sentence": self.sentence, "evidence": self.evidence}

    def __str__(self) -> str:
        return f"{self.code} {self.sentence}"


def finding(code: str) -> Callable[[Callable[[Evidence], Any]], Callable[[Evidence], Any]]:
    """Register a test under its code."""

    def keep(test: Callable[[Evidence], Any]) -> Callable[[Evidence], Any]:
        _TESTS[code] = test
        return test

    return keep


def registered() -> dict[str, Callable[[Evidence], Any]]:
    """Return all tests by their code."""
    for theme in THEMES:
        import_module(f"epee.job.findings.{theme}")
    return dict(sorted(_TESTS.items()))


def codes() -> list[str]:
    """Return all codes.

    >>> codes()[:3]
    ['E001', 'E002', 'E003']
    """
    return sorted(TITLES)


def check_codes(muted: Iterable[str]) -> list[str]:
    """Return codes in capitals, or say which one is unknown.

    >>> check_codes(["e007"])
    ['E007']
    """
    out = []
    for given in muted:
        code = str(given).strip().upper()
        if code not in TITLES:
            raise WrongUse(f"there is no finding {given!r}; the codes are {codes()[0]} to {codes()[-1]}.")
        out.append(code)
    return out


def find(evidence: Evidence, muted: Collection[str] = ()) -> list[Finding]:
    """Return what is found in the evidence, in the order of the codes; muted codes are not looked at.

    The correction (1) counts all tests, also those that are muted or do not apply: muting one finding brings up no other.
    """
    silent = set(check_codes(muted))
    every = registered()
    seen: dict[str, Suspicion] = {}
    for code, test in every.items():
        if code not in silent:
            found = test(evidence)
            if found is not None and math.isfinite(found.p_value):
                seen[code] = found
    p = np.ones(len(every))
    p[: len(seen)] = [s.p_value for s in seen.values()]
    adjusted = holm(p)
    return [_finding(code, suspicion, float(q)) for (code, suspicion), q in zip(seen.items(), adjusted) if q < LEVEL]


def _finding(code: str, s: Suspicion, p: float) -> Finding:
    figures = {"value": s.value, "stderr": s.stderr, "low": s.low, "high": s.high}
    evidence: dict[str, Any] = {k: None if v is None else float(v) for k, v in figures.items()}
    evidence |= {"names": [str(name) for name in s.names], "p_value": p, "level": LEVEL}
    words = {"name": s.names[0], **s.words} if s.names else s.words
    return Finding(code, sentence(code, s.form, words), evidence)
