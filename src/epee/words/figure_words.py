"""Words on pictures of descents, projections, mixtures, neighbours, losses, regions and trees; the English ones are their own keys."""

from __future__ import annotations

from epee.words.catalogue import Catalogue

FRENCH: dict[str, str] = {
    # descents
    "value above the best one": "valeur au-dessus de la meilleure", "value": "valeur", "iteration": "itération", "start": "départ",
    "end": "arrivée", "{method}: converged, {n} {n:step|steps}": "{method} : convergée, {n} {n:pas|pas}",
    "{method}: not converged, {n} {n:step|steps}": "{method} : non convergée, {n} {n:pas|pas}",
    # projections
    "axis {j}": "axe {j}", "axis": "axe", "variance": "variance", "eigenvalues": "valeurs propres", "chance": "hasard",
    "correlation with axis {j}": "corrélation avec l'axe {j}",
    # mixtures, half-labelled tables
    "mean log-likelihood of a row": "log-vraisemblance moyenne d'un individu", "components": "composantes",
    "{criterion} (smaller is better)": "{criterion} (le plus petit est le meilleur)", "chosen: {k}": "choisi : {k}",
    "rows with a label": "individus étiquetés", "error on new rows": "erreur sur de nouveaux individus",
    "labelled rows alone": "individus étiquetés seuls", "with unlabelled rows": "avec les individus sans étiquette",
    # neighbours
    "1 % of the rows: 63 % of each axis": "1 % des individus : 63 % de chaque axe", "fraction of the volume": "fraction du volume",
    "edge of the cube": "arête du cube", "number of neighbours": "nombre de voisins", "leave-one-out error": "erreur leave-one-out",
    # losses
    "margin": "marge", "loss": "perte", "residual": "résidu", "half the square": "moitié du carré", "perceptron": "perceptron",
    "hinge": "hinge", "squared hinge": "hinge au carré", "log (base 2)": "log (base 2)", "absolute": "absolue",
    "share of errors": "part d'erreurs", "mean {loss} loss": "perte moyenne ({loss})",
    # regions, surfaces, perceptrons
    "column {j}": "variable {j}", "wrong": "faux", "P(second class)": "P(seconde classe)", "pass": "passe", "errors": "erreurs",
    "in the pocket": "dans la poche", "criterion": "critère",
    # splines
    "{n} {n:degree|degrees} of freedom": "{n} {n:degré|degrés} de liberté", "part of the prediction": "part de la prédiction",
    # trees
    "yes": "oui", "no": "non", "training rows": "individus d'apprentissage", "cross-validation": "validation croisée",
    "one standard error above the best": "un écart-type au-dessus du meilleur",
    "chosen: {n} {n:leaf|leaves}": "choisi : {n} {n:feuille|feuilles}", "leaves": "feuilles", "risk": "risque",
    "{name} in {levels} ?": "{name} parmi {levels} ?",
}  # fmt: skip

say = Catalogue(FRENCH)
