"""Words on the pictures of decisions; the English ones are their own keys."""

from __future__ import annotations

from epee.words.catalogue import Catalogue

FRENCH: dict[str, str] = {
    "rate of rejection": "taux de rejet",
    "error of what is decided": "erreur sur les décisions prises",
    "cost of what is decided": "coût des décisions prises",
    "predicted probability": "probabilité prédite",
    "observed frequency": "fréquence observée",
    "chosen": "choisi",
    "class {label}": "classe {label}",
    "perfect calibration": "calibration parfaite",
    "rows": "individus",
}

say = Catalogue(FRENCH)
