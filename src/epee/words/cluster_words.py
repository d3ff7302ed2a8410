"""Words of clusters and their pictures, in English and French."""

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
    "{criterion}: {clouds} {clouds:cloud|clouds, each} of one component.": "{criterion} : {clouds} {clouds:nuage|nuages, chacun} d'une composante.",
    "{criterion}: {best} components describe the density, and the rows show {clouds} {clouds:cloud|clouds}: no valley parts the components of a cloud.": "{criterion} : {best} composantes décrivent la densité, et les lignes montrent {clouds} {clouds:nuage|nuages} : aucun creux ne sépare les composantes d'un nuage.",
    "axis {j} ({share} of the variance)": "axe {j} ({share} de la variance)",
}

say = Catalogue(FRENCH)
