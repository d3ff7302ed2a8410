"""Where the sealed losses are all equal no interval is said, and nothing is judged by it."""

import html
import re

import numpy as np
import pandas as pd
import pytest

from epee import learn, load


@pytest.fixture(scope="module")
def claims():
    """A table of 200 rows of which 7 have a claim, and a seed whose sealed rows have none."""
    rng = np.random.default_rng(11)
    frame = pd.DataFrame(rng.normal(size=(200, 2)), columns=["a", "b"])
    frame["y"] = 0.0
    frame.loc[rng.permutation(200)[:7], "y"] = rng.gamma(2, 1, 7)
    for seed in range(20):
        found = learn(frame, "y", predictors=["linear", "tree"], random_state=seed)
        if not found.risk.has_bar:
            return frame, seed
    raise AssertionError("no seed seals rows without a claim")


@pytest.mark.parametrize("lang", ["en", "fr"])
def test_no_interval_is_said_and_no_agreement(claims, lang, tmp_path):
    frame, seed = claims
    learned = learn(frame, "y", predictors=["linear", "tree"], random_state=seed, lang=lang)
    learned.report(tmp_path / "page.html")
    page = html.unescape(
        re.sub(r"<(script|style).*?</\1>|<[^>]+>", " ", (tmp_path / "page.html").read_text(), flags=re.S)
    )
    flat = "All losses are equal" if lang == "en" else "Toutes les pertes sont égales"
    for text in (str(learned), page):
        words = re.sub(r"\s+", " ", text)
        assert flat in words
        said = words[words.index("Sealed test error" if lang == "en" else "Erreur sur les lignes sous scellés") :]
        assert "[" not in said[: said.index(flat)] and "±" not in said[: said.index(flat)]
        assert not re.search("agree with|agrees with|s'accorde pas|s'accorde avec", words)
    answer = re.sub(r"\s+", " ", page)
    assert ("no interval" if lang == "en" else "pas d'intervalle") in answer
    assert ("with 95 % confidence" if lang == "en" else "niveau de confiance") not in answer[: answer.index(flat)]
    if learned.facts["chosen"]["key"] == "baseline":
        assert ("without inputs" if lang == "en" else "sans les entrées") not in answer


def test_the_card_and_the_file_hold_no_interval(claims, tmp_path):
    frame, seed = claims
    learned = learn(frame, "y", predictors=["linear", "tree"], random_state=seed)
    test = learned.card["test"]
    assert test["low"] is None and test["high"] is None and test["stderr"] is None and test["agrees"] is None
    learned.save(tmp_path / "m.epee")
    again = load(tmp_path / "m.epee")
    assert (
        again.risk.value == learned.risk.value and not again.risk.has_bar and again.risk.caution == learned.risk.caution
    )


def test_sealed_rows_of_one_target_are_not_judged_by_a_line(claims):
    frame, seed = claims
    zero = frame.assign(y=np.where(np.arange(200) >= 160, 0.0, frame["a"] + 3), when=np.arange(200))
    learned = learn(zero, "y", time="when", predictors=["linear"], types={"when": "ignore"})
    assert "tested targets are equal" in learned.risk.caution and learned.card["test"]["agrees"] is None
