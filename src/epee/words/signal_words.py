"""Words on the pictures of signals; the English ones are their own keys."""

from __future__ import annotations

from epee.words.catalogue import Catalogue

FRENCH: dict[str, str] = {
    "false alarms": "fausses alarmes", "detections": "détections", "chance": "hasard", "sample": "échantillon",
    "observed": "observé", "denoised, {q} {q:axis|axes}": "débruité, {q} {q:axe|axes}",
    "area {auc}, {level} band": "aire {auc}, bande à {level}", "value": "valeur",
}  # fmt: skip

say = Catalogue(FRENCH)
