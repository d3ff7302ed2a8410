"""Findings: what often is a mistake, each with a code, a sentence, its evidence with an error bar, and a page of explanation."""

from __future__ import annotations

from epee.lazy import attach

_PLACES = {
    "Finding": "epee.job.findings.registry",
    "find": "epee.job.findings.registry",
    "check_codes": "epee.job.findings.registry",
    "codes": "epee.job.findings.registry",
    "Evidence": "epee.job.findings.evidence",
    "evidence_of": "epee.job.findings.evidence",
    "explain": "epee.job.findings.explanation",
}

__getattr__, __dir__, __all__ = attach(__name__, _PLACES)
