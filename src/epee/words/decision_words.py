"""Words on the pictures of decisions; the English ones are their own keys."""

from __future__ import annotations

from epee.settings import options

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


def word(text: str) -> str:
    """Return a phrase in the language of ``epee.options``.

    >>> with options(language="fr"):
    ...     word("rate of rejection")
    'taux de rejet'
    """
    return FRENCH.get(text, text) if options.language == "fr" else text
