"""The words of the command line, in English and French.

The language is chosen before the commands are built, so that ``epee --lang fr --help`` speaks French.
"""

from __future__ import annotations

from collections.abc import Sequence

from epee.errors import WrongUse
from epee.settings import options

# key: (English, French)
PHRASES = {
    "epee": (
        "Learn the predictor that generalises best from a table, and say how sure one can be.",
        "Apprendre d'une table le prédicteur qui généralise le mieux, et dire à quel point on peut s'y fier.",
    ),
    "examples": (
        "Example: epee learn table.csv --target y",
        "Exemple : epee learn table.csv --target y",
    ),
    "version": ("Show the version and stop.", "Afficher la version et s'arrêter."),
    "lang": ("Language of the words: en or fr.", "Langue des textes : en ou fr."),
    "json": ("Write the result as JSON on standard output.", "Écrire le résultat en JSON sur la sortie standard."),
    "quiet": ("No progress, no words: only the result.", "Ni progression ni commentaires : le résultat seulement."),
    "learn": (
        "Learn a predictor from a table; with no table, from a sample that ships with épée.",
        "Apprendre un prédicteur d'une table ; sans table, d'un exemple livré avec épée.",
    ),
    "predict": (
        "Predict the rows of a table with a saved predictor.",
        "Prédire les lignes d'une table avec un prédicteur enregistré.",
    ),
    "assess": (
        "Estimate the error of a saved predictor on labelled rows.",
        "Estimer l'erreur d'un prédicteur enregistré sur des lignes étiquetées.",
    ),
    "explore": ("Look at a table that has no target.", "Explorer une table sans cible."),
    "explain": (
        "Explain a finding by its code, such as E001.",
        "Expliquer un constat d'après son code, par exemple E001.",
    ),
    "lab": (
        "Open the interactive labs in the browser.",
        "Ouvrir les travaux pratiques interactifs dans le navigateur.",
    ),
    "table": (
        "A CSV or Parquet file or folder, a SQL query on such files, or - for standard input.",
        "Un fichier ou dossier CSV ou Parquet, une requête SQL sur de tels fichiers, ou - pour l'entrée standard.",
    ),
    "target": ("The column to predict.", "La colonne à prédire."),
    "test_size": (
        "Share of the rows sealed for the final test; more rows test better and train worse.",
        "Part des lignes mises sous scellés pour le test final ; plus il y en a, mieux on teste et moins bien on apprend.",
    ),
    "folds": ("Folds of the cross-validation.", "Nombre de blocs de la validation croisée."),
    "weight": (
        "A column of weights: weight 2 is the row twice.",
        "Une colonne de poids : un poids de 2 compte la ligne deux fois.",
    ),
    "groups": (
        "A column whose equal values stay in one fold.",
        "Une colonne dont les valeurs égales restent dans le même bloc.",
    ),
    "time": (
        "A column of dates: the test rows are the last ones.",
        "Une colonne de dates : les lignes de test sont les dernières.",
    ),
    "level": ("Confidence level of the intervals.", "Niveau de confiance des intervalles."),
    "seed": ("Seed of the random draws.", "Graine des tirages aléatoires."),
    "output": ("Where to save the predictor.", "Où enregistrer le prédicteur."),
    "report": ("Write an HTML report there.", "Écrire un rapport HTML à cet endroit."),
    "no_target": (
        "which column is to be predicted? Name it with --target.",
        "quelle colonne faut-il prédire ? La nommer avec --target.",
    ),
    "unknown_lang": (
        "the language {!r} is unknown; épée speaks en and fr.",
        "la langue {!r} est inconnue ; épée parle en et fr.",
    ),
    "interrupted": ("interrupted.", "interrompu."),
    "terminated": ("terminated.", "arrêté à la demande du système."),
    "memory": (
        "not enough memory. Give fewer columns, or a file instead of standard input.",
        "mémoire insuffisante. Donner moins de colonnes, ou un fichier au lieu de l'entrée standard.",
    ),
    "try": ("See {} --help.", "Voir {} --help."),
    "inside": (
        "a failure inside épée: {}. Please report it, with what EPEE_TRACEBACK=1 shows.",
        "une panne dans épée : {}. Merci de la signaler, avec ce que montre EPEE_TRACEBACK=1.",
    ),
}


def say(key: str) -> str:
    """Return a phrase in the current language."""
    english, french = PHRASES[key]
    return french if options.language == "fr" else english


def choose(arguments: Sequence[str]) -> None:
    """Set the language from ``--lang fr`` or ``--lang=fr``, wherever it stands; the last one counts.

    >>> choose(["learn", "--lang", "fr"]); say("seed")
    'Graine des tirages aléatoires.'
    >>> choose([]); say("seed")
    'Seed of the random draws.'
    """
    language = "en"
    for word, following in zip(arguments, [*arguments[1:], ""]):
        if word == "--":
            break
        if word == "--lang":
            language = following
        elif word.startswith("--lang="):
            language = word.removeprefix("--lang=")
    if language not in ("en", "fr"):
        options.language = "en"
        raise WrongUse(say("unknown_lang").format(language))
    options.language = language
