"""Words of the pictures of clusters, in English and French."""

from __future__ import annotations

from epee.words.catalogue import Catalogue

FRENCH = {
    "number of clusters": "nombre de classes",
    "silhouette": "silhouette",
    "gap": "écart (gap)",
    "stability": "stabilité",
    "BIC above the best": "BIC au-dessus du meilleur",
    "chosen": "choisi",
    "height": "hauteur",
    "cut into {k} {k:cluster|clusters}": "coupe en {k} {k:classe|classes}",
    "rows": "individus",
    "half-step": "demi-pas",
    "criterion J": "critère J",
    "column {j}": "variable {j}",
    "axis {j} ({share} of the variance)": "axe {j} ({share} de la variance)",
}

say = Catalogue(FRENCH)
