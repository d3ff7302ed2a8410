"""Every quick claim about error bars under its own law: kept, or marked by the software itself. ``make honesty`` runs them all."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.risk.claims import claims, judge, table

QUICK = ("hold-out", "roc_auc", "r2", "f1", "verdict against", "time=")
HARDEST = ("lognormal(0.5), n = 30", "t(2.5), n = 30")  # the page on error bars shows what these two fail by


@pytest.mark.parametrize(
    "claim",
    [c for c in claims() if c.what.startswith(QUICK) and c.law not in HARDEST and not c.slow],
    ids=lambda c: f"{c.what}, {c.law}",
)
def test_a_claim_is_kept_or_marked(claim):
    found = judge(claim, 100)
    bar = np.sqrt(found.nominal * (1 - found.nominal) / 100)
    assert found.either >= found.nominal - 0.02 - 3 * bar
    assert "| 100.0 % |" in table([found]) or found.kept < 1


@pytest.mark.parametrize("law", HARDEST)
def test_the_hardest_are_far_better_than_student(law):
    """Student's interval covers 73 and 49 % of these, of 95."""
    (claim,) = [c for c in claims() if c.law == law and c.what == "hold-out, squared"]
    assert judge(claim, 200).kept > 0.78
