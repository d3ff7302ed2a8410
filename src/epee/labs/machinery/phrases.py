"""The words around the labs: buttons, headings, the home page."""

from __future__ import annotations

from epee.words.catalogue import Words

PHRASES = {
    "labs": Words("the labs", "les travaux pratiques"),
    "home": Words("A course that runs", "Un cours qui tourne"),
    "home_story": Words(
        "Each lab asks a question. Move the sliders, look at the picture that answers, try the three exercises, and take the "
        "Python lines away. Everything runs on this machine; nothing leaves it.",
        "Chaque TP pose une question. Bouger les curseurs, regarder la figure qui répond, essayer les trois exercices, et emporter "
        "les lignes de Python. Tout tourne sur cette machine ; rien n'en sort.",
    ),
    "sessions": Words("The practical sessions", "Les séances de travaux pratiques"),
    "beyond": Words("Further", "Pour aller plus loin"),
    "exercises": Words("Exercises", "Exercices"),
    "check": Words("Check", "Vérifier"),
    "check_settings": Words("Check my settings", "Vérifier mes réglages"),
    "code": Words("The Python lines to take away", "Les lignes de Python à emporter"),
    "class": Words("For a class", "Pour une classe"),
    "solutions": Words("Solutions", "Corrigés"),
    "as_settings": Words(
        "Answer with settings, as in `{'name': value}`. The controls are",
        "Répondre par des réglages, comme `{'nom': valeur}`. Les réglages sont",
    ),
    "settings": Words("Settings", "Réglages"),
    "show_solution": Words("Show the answer", "Voir la réponse"),
    "go": Words("Learn", "Apprendre"),
    "working": Words("Learning…", "Apprentissage en cours…"),
    "denied": Words(
        "This page opens with the address that `epee lab` printed (it holds a token).",
        "Cette page s'ouvre avec l'adresse affichée par `epee lab` (elle contient un jeton).",
    ),
    "static_note": Words(
        "A still page: the figures are those of the first settings and of two others. The living lab opens with",
        "Page figée : les figures sont celles des premiers réglages et de deux autres. Le TP vivant s'ouvre avec",
    ),
}


def say(key: str, lang: str) -> str:
    """Return a phrase.

    >>> say("check", "fr")
    'Vérifier'
    """
    return PHRASES[key](lang)
