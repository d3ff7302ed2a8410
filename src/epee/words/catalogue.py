"""Phrases in English and French: how they are looked up, how numbers stand in them, how words agree with a count.

A room lists its phrases once and calls the list:

>>> say = Catalogue({"read": ("{n} {n:row was|rows were} read.", "{n} {n:ligne lue|lignes lues}.")})
>>> say("read", n=1), say("read", n=12345)
('1 row was read.', '12,345 rows were read.')
>>> with options(language="fr"):
...     say("read", n=1.5)
'1,5 ligne lue.'

``{n}`` writes a number as :mod:`epee.words.numbers` does; ``{n:one|several}`` chooses the word that agrees with it. English has
its singular for 1 only, French for everything below 2. ``{name:typed=number}`` writes ``name=number`` as one types it in a shell.

>>> Catalogue({"keep": ("say --type {name:typed=number}", "écrire --type {name:typed=number}")})("keep", name="unit price")
"say --type 'unit price=number'"
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from numbers import Integral, Real
from shlex import quote
from string import Formatter
from typing import Any, NamedTuple

from epee.settings import options
from epee.words.numbers import Written, figures, whole

LANGUAGES = {"en": "English", "fr": "Français"}


class Words(NamedTuple):
    """One text in both languages; called, the one of a language, or of the moment.

    >>> Words("noise", "bruit")("fr")
    'bruit'
    """

    en: str
    fr: str

    def __call__(self, lang: str | None = None) -> str:
        """Return the text in a language."""
        return self.fr if (lang or options.language) == "fr" else self.en


def plural(count: Any, one: str, several: str, lang: str | None = None) -> str:
    """Return the word that agrees with a number.

    >>> plural(1, "row", "rows"), plural(0, "row", "rows"), plural(0, "ligne", "lignes", "fr")
    ('row', 'rows', 'ligne')
    """
    value = count.value if isinstance(count, Written) else count
    if not isinstance(value, Real):
        return several
    single = abs(float(value)) < 2 if (lang or options.language) == "fr" else value == 1
    return one if single else several


class _Phrase(Formatter):
    def format_field(self, value: Any, spec: str) -> str:
        if spec.startswith("typed"):
            return quote(f"{value}{spec.removeprefix('typed')}")
        if "|" in spec:
            return plural(value, *spec.split("|", 1))
        if spec or isinstance(value, bool | str) or not isinstance(value, Real):
            return str(super().format_field(value, spec))
        return whole(int(value)) if isinstance(value, Integral) else figures(float(value))


_PHRASE = _Phrase()


class Catalogue:
    """Phrases by key, each in English and French; a phrase that is one text is French, and its key the English one.

    Parameters
    ----------
    phrases : mapping
        ``key: (English, French)``, or ``English: French``.
    """

    def __init__(self, phrases: Mapping[Any, tuple[str, str] | str]) -> None:
        self.phrases: dict[Hashable, Words] = {
            key: Words(key, text) if isinstance(text, str) else Words(*text) for key, text in phrases.items()
        }

    def __contains__(self, key: Hashable) -> bool:
        """Tell whether there is such a phrase."""
        return key in self.phrases

    def __call__(self, key: Hashable, /, **parts: Any) -> str:
        """Return a phrase in the language of the moment, its parts filled in."""
        text = self.phrases[key]()
        return _PHRASE.format(text, **parts) if "{" in text or "}" in text else text

    def known(self, text: Any) -> str:
        """Return the phrase of a key, or where there is none the key itself with spaces."""
        return self(text) if text in self else str(text).replace("_", " ")
