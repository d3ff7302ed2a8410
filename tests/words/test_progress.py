"""What is said of work that goes on speaks the language of the moment, wherever it is written."""

import re
from pathlib import Path

import epee
from epee.settings import listening, progress
from epee.words.progress_words import FRENCH

SOURCES = Path(epee.__file__).parent


def test_every_word_of_progress_has_its_twin():
    said = {
        words
        for path in SOURCES.rglob("*.py")
        for words in re.findall(r'\bprogress\(\s*"([^"]+)"', path.read_text(encoding="utf-8"))
    }
    assert len(said) > 30 and said <= set(FRENCH)


def test_progress_is_told_in_the_language_of_the_moment():
    told = []
    with listening(lambda words, done, total: told.append(words)), epee.options(language="fr"):
        with progress("k-means passes", 3) as tick:
            tick()
        with progress("something else") as tick:
            tick()
    assert told == ["passes des k-moyennes", "something else"]
