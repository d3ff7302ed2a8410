"""Clean tables stay clean: twenty here; the hundred are in benchmarks/report/clean_tables.py."""

from __future__ import annotations

import numpy as np
import pytest

import epee
from benchmarks.report.clean_tables import clean_table, count

FEW = {"classification": ["lda"], "regression": ["linear"]}


def test_twenty_clean_tables():
    shown = 0
    for seed in range(20):
        kind = "regression" if seed % 2 else "classification"
        shown += count(1, 5000 + seed, predictors=FEW[kind], folds=5)[0]
    assert shown <= 1


@pytest.mark.parametrize(("lang", "word"), [("en", "tells"), ("fr", "suffit")])
def test_a_leak_is_found_by_learn_and_can_be_muted(lang, word):
    table, target = clean_table(1)
    y = table.column("y").to_numpy()
    leaky = table.append_column("after", [(y + np.random.default_rng(0).normal(size=len(y)) * 1e-3).tolist()])
    learned = epee.learn(leaky, target, predictors=["linear"], lang=lang)
    assert "E007" in [f.code for f in learned.findings]
    assert word in next(f.sentence for f in learned.findings if f.code == "E007")
    assert "E007" in [f["code"] for f in learned.card["findings"]]
    quiet = epee.learn(leaky, target, predictors=["linear"], lang=lang, mute=["E007"])
    assert "E007" not in [f.code for f in quiet.findings]
