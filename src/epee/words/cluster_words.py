"""Words of the pictures of clusters, in English and French."""

from __future__ import annotations

from epee.settings import options

FRENCH = {
    "number of clusters": "nombre de classes",
    "silhouette": "silhouette",
    "gap": "écart (gap)",
    "stability": "stabilité",
    "BIC above the best": "BIC au-dessus du meilleur",
    "chosen": "choisi",
    "height": "hauteur",
    "cut into {k} clusters": "coupe en {k} classes",
    "rows": "individus",
    "half-step": "demi-pas",
    "criterion J": "critère J",
    "column {j}": "variable {j}",
    "axis {j} ({share} of the variance)": "axe {j} ({share} de la variance)",
}


def word(text: str) -> str:
    """Return a phrase in the language of ``epee.options``.

    >>> with options(language="fr"):
    ...     word("number of clusters")
    'nombre de classes'
    """
    return FRENCH.get(text, text) if options.language == "fr" else text
