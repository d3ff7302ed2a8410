"""What is said of work that goes on, once it lasts; the English words are their own keys."""

from __future__ import annotations

from epee.words.catalogue import Catalogue

FRENCH: dict[str, str] = {
    "fitting": "ajustement", "learning": "apprentissage", "boosting": "boosting", "pruning": "élagage", "growing trees": "croissance des arbres",
    "reweighting": "repondération", "perceptron": "perceptron", "logistic regression": "régression logistique",
    "path of penalties": "chemin des pénalités", "expectation-maximisation": "espérance-maximisation", "k-means passes": "passes des k-moyennes",
    "k-medoids rounds": "tours des k-médoïdes", "dynamic clouds": "nuées dynamiques", "mean shift": "décalage vers la moyenne",
    "Ward's tree": "arbre de Ward", "sparse coding": "codage creux", "hiding labels": "étiquettes cachées", "forward selection": "sélection ascendante",
    "backward selection": "sélection descendante", "choosing the number of clusters": "choix du nombre de classes",
    "choosing the number of components": "choix du nombre de composantes", "cross-validation": "validation croisée",
    "nested cross-validation": "validation croisée emboîtée", "leave-one-out": "leave-one-out", "leave-one-out of the grid": "leave-one-out de la grille",
    "comparison": "comparaison", "bias and variance": "biais et variance", "importance of columns": "importance des colonnes",
    "learning curves": "courbes d'apprentissage", "value iteration": "itération de la valeur", "relative value iteration": "itération relative de la valeur",
    "policy iteration": "itération de politique", "modified policy iteration": "itération de politique modifiée",
    "policy evaluation": "évaluation d'une politique", "backward induction": "induction arrière", "fitted Q": "Q ajustée", "episodes": "épisodes",
    "passing over the partitions": "passage sur les partitions", "passing over the parts": "passage sur les parties",
    "complexity curve of {parameter}": "courbe de complexité de {parameter}", "reading {label}": "lecture de {label}",
    "linear classifier, log": "classifieur linéaire, log", "linear classifier, hinge": "classifieur linéaire, hinge",
    "linear classifier, squared_hinge": "classifieur linéaire, hinge au carré", "linear classifier, squared": "classifieur linéaire, quadratique",
    "compiling for this machine: some seconds, once": "compilation pour cette machine : quelques secondes, une seule fois",
    "linear classifier, perceptron": "classifieur linéaire, perceptron",
}  # fmt: skip

say = Catalogue(FRENCH)
