"""How an estimate was found, in the language of the moment: estimates say it in English, where code that reads them looks for its words."""

from __future__ import annotations

import re

from epee.settings import options

# English: French, longer ones first; a group of the pattern is put for \1
TWINS: dict[str, str] = {
    r"held-out rows in (\d+) parts": r"lignes mises de côté, en \1 parts",
    r"held-out rows": "lignes mises de côté",
    r"mean over (\d+) classes of one against the rest": r"moyenne sur \1 classes, une contre les autres",
    r"error bar from (\d+) groups": r"barre d'erreur de \1 groupes",
    r"error bar for rows in time": "barre d'erreur de lignes dans le temps",
    r"weights taken as counts": "poids pris comme effectifs",
    r"weights taken as sampling weights": "poids pris comme poids de sondage",
    r"longer, since rows may belong together": "allongée, car des lignes vont peut-être ensemble",
    r"corrected for the choice": "corrigée du choix",
    r"nested stratified (\d+)-fold cross-validation": r"validation croisée emboîtée, stratifiée, à \1 plis",
    r"nested (\d+)-fold cross-validation": r"validation croisée emboîtée à \1 plis",
    r"stratified (\d+)-fold cross-validation": r"validation croisée stratifiée à \1 plis",
    r"(\d+)-fold cross-validation": r"validation croisée à \1 plis",
    r" by group": " par groupe",
    r"copies of a row together": "copies d'une ligne ensemble",
    r"repeated (\d+) times": r"répétée \1 fois",
    r"forward chaining in time, (\d+) folds": r"apprentissage sur le passé, \1 périodes éprouvées",
}


def how_said(how: str) -> str:
    """Return how an estimate was found in the language of the moment.

    >>> with options(language="fr"):
    ...     print(how_said("held-out rows, error bar from 6 groups"))
    lignes mises de côté, barre d'erreur de 6 groupes
    """
    if options.language != "fr":
        return how
    for english, french in TWINS.items():
        how = re.sub(english, french, how)
    return how
