"""Every phrase has its twin with the same parts, and every word agrees with its number."""

import re
from string import Formatter

import pytest

from epee.settings import options
from epee.words.catalogue import Catalogue, Words, plural
from epee.words.numbers import whole
from tests.words.catalogues import CATALOGUES

PHRASES = [(name, key) for name, catalogue in CATALOGUES.items() for key in catalogue.phrases]
ONLY_FRENCH = {"its", "it"}  # gender of what is spoken of
NOUNS = (
    "rows|columns|classes|folds|groups|clusters|candidates|cells|values|pairs|lignes|colonnes|variables|plis|blocs|groupes|candidats"
    "|données|valeurs|paires|modalités"
)
COUNTED = re.compile(
    rf"(?<!of )(?<!the )(?<!all )(?<!des )(?<!les )(?<!sur )(?<!Les )\{{\w+\}} ({NOUNS})\b"
)  # "of the {n} rows": many
SEVERAL = {  # said only where there are several
    "confusion_worst", "mixture_law", ("E012", "several"), ("E013", "several"), ("E008", ""), ("E020", ""), "how_cv",
    "leaderboard_caption", "leaderboard_caption_one", "clusters_caption", "how_sample", "how_forward",
}  # fmt: skip


def fields(text):
    return {(name, bool(conversion)) for _, name, _, conversion in Formatter().parse(text) if name}


@pytest.mark.parametrize("name", CATALOGUES)
def test_both_languages_have_the_same_parts(name):
    for key, words in CATALOGUES[name].phrases.items():
        assert words.en and words.fr, key
        here, there = fields(words.en), {part for part in fields(words.fr) if part[0] not in ONLY_FRENCH}
        assert here == there, key


@pytest.mark.parametrize("name", CATALOGUES)
def test_a_count_chooses_its_word(name):
    """No bare plural stands behind a number that may be one."""
    for key, words in CATALOGUES[name].phrases.items():
        if key in SEVERAL:
            continue
        for text in words:
            assert not COUNTED.search(text), (key, text)


def test_agreement():
    say = Catalogue({"rows": ("{n} {n:row|rows}", "{n} {n:ligne|lignes}"), "late": "en retard"})
    assert [say("rows", n=n) for n in (0, 1, 2, whole(1), whole(12345), 1.5)] == [
        "0 rows", "1 row", "2 rows", "1 row", "12,345 rows", "1.5 rows",
    ]  # fmt: skip
    assert say("late") == "late" and say.known("no_such") == "no such" and "late" in say
    with options(language="fr"):
        assert [say("rows", n=n) for n in (0, 1, 1.5, 2, whole(12345))] == [
            "0 ligne", "1 ligne", "1,5 ligne", "2 lignes", "12\u202f345 lignes",
        ]  # fmt: skip
        assert say("late") == "en retard" and Words("a", "b")() == "b"
    assert plural("some", "one", "several") == "several" and Words("a", "b")("fr") == "b"


@pytest.mark.parametrize("lang", ["en", "fr"])
def test_every_phrase_can_be_said(lang):
    with options(language=lang):
        for name, key in PHRASES:
            words = CATALOGUES[name].phrases[key]
            parts = {part: 1 for part, _ in fields(words.en) | fields(words.fr)}
            said = CATALOGUES[name](key, **parts)
            assert "{" not in said, (key, said)
