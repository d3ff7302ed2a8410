"""Words of the rules of a tree; the English ones are their own keys."""

from __future__ import annotations

from epee.words.catalogue import Catalogue

FRENCH: dict[str, str] = {
    "if {tests}": "si {tests}", "{when}: {then}": "{when} : {then}", " and ": " et ", "always": "toujours", "{name} is missing": "{name} manque", "{name} is known": "{name} est connu",
    "{name} in {levels}": "{name} parmi {levels}", "{answer} ({n} {n:row|rows})": "{answer} ({n} {n:ligne|lignes})",
    "{answer} ({n} {n:row|rows}, {share} %)": "{answer} ({n} {n:ligne|lignes}, {share} %)",
}  # fmt: skip

say = Catalogue(FRENCH)
