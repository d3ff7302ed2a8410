"""The words of the command line, in English and French.

The language is chosen before the commands are built, so that ``epee --lang fr --help`` speaks French.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from epee.errors import WrongUse
from epee.settings import options
from epee.words.catalogue import LANGUAGES, Catalogue

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
    "learn_examples": (
        "Examples: epee learn table.csv -t y · epee learn \"SELECT * FROM 'sales/*.parquet' WHERE year > 2020\" -t price · "
        "epee learn table.csv -t y --costs costs.csv --reject-cost 0.2 --report table.html",
        "Exemples : epee learn table.csv -t y · epee learn \"SELECT * FROM 'ventes/*.parquet' WHERE an > 2020\" -t prix · "
        "epee learn table.csv -t y --costs couts.csv --reject-cost 0.2 --report table.html",
    ),
    "predict_examples": (
        "Examples: epee predict table.epee new.csv -o out.csv · cat new.csv | epee predict table.epee - > out.csv",
        "Exemples : epee predict table.epee nouvelles.csv -o sorties.csv · cat nouvelles.csv | epee predict table.epee - > sorties.csv",
    ),
    "assess_examples": (
        "Example: epee assess table.epee labelled.csv",
        "Exemple : epee assess table.epee etiquetees.csv",
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
    "open": (
        "Do the whole job on a page in the browser: the workbench.",
        "Faire tout le travail sur une page dans le navigateur : l'établi.",
    ),
    "open_examples": (
        "Examples: epee open · epee open table.csv · epee open table.epee new.csv",
        "Exemples : epee open · epee open table.csv · epee open table.epee nouvelles.csv",
    ),
    "lab": (
        "Open the interactive labs in the browser.",
        "Ouvrir les travaux pratiques interactifs dans le navigateur.",
    ),
    "table": (
        "A CSV or Parquet file or folder, a SQL query on such files, or - for standard input.",
        "Un fichier ou dossier CSV ou Parquet, une requête SQL sur de tels fichiers, ou - pour l'entrée standard.",
    ),
    "target": (
        "The column to predict; repeated, several numbers at once.",
        "La colonne à prédire ; répétée, plusieurs nombres à la fois.",
    ),
    "test_size": (
        "Share of the rows sealed for the final test; more rows test better and train worse.",
        "Part des lignes mises sous scellés pour le test final ; plus il y en a, mieux on teste et moins bien on apprend.",
    ),
    "folds": ("Folds of the cross-validation.", "Nombre de plis de la validation croisée."),
    "weight": (
        "A column of weights: weight 2 is the row twice.",
        "Une colonne de poids : un poids de 2 compte la ligne deux fois.",
    ),
    "groups": (
        "A column whose equal values stay in one fold.",
        "Une colonne dont les valeurs égales restent dans le même pli.",
    ),
    "time": (
        "A column of dates: the test rows are the last ones.",
        "Une colonne de dates : les lignes de test sont les dernières.",
    ),
    "lags": (
        "With --time, the target some rows earlier as inputs, 1,7; temp=1 of a column; may be repeated.",
        "Avec --time, la cible quelques lignes plus tôt comme entrées, 1,7 ; temp=1 pour une colonne ; peut être répété.",
    ),
    "gap": (
        "With --time, moments between the last learned from and the first tested, as where targets are known late.",
        "Avec --time, instants entre le dernier appris et le premier éprouvé, comme lorsque les cibles sont connues tard.",
    ),
    "threshold": (
        "Of two classes: decide for the second from this probability on.",
        "De deux classes : décider pour la seconde à partir de cette probabilité.",
    ),
    "rare": (
        "What becomes of classes of fewer than 3 rows: leave them out, or join them to one.",
        "Ce que deviennent les classes de moins de 3 lignes : leave les laisse de côté, join les réunit en une.",
    ),
    "level": ("Confidence level of the intervals.", "Niveau de confiance des intervalles."),
    "seed": ("Seed of the random draws.", "Graine des tirages aléatoires."),
    "type": (
        "How to take a column: number, category, boolean, date (date:dmy, date:mdy), text or ignore; may be repeated.",
        "Comment prendre une colonne : number, category, boolean, date (date:dmy, date:mdy), text ou ignore ; peut être répété.",
    ),
    "types_file": (
        "A file of such kinds: JSON, or lines column,kind.",
        "Un fichier de tels types : JSON, ou des lignes colonne,type.",
    ),
    "costs": (
        "A CSV of costs: rows are decisions, columns true classes, with their names.",
        "Un CSV de coûts : les lignes sont les décisions, les colonnes les vraies classes, avec leurs noms.",
    ),
    "reject_cost": (
        "What it costs not to decide; more rejects fewer rows.",
        "Ce que coûte le rejet ; plus il est cher, moins il y a de rejets.",
    ),
    "budget": (
        "Time for the predictors (60s, 2min): those that do not fit are dropped, the most complex first.",
        "Temps accordé aux prédicteurs (60s, 2min) : ceux qui n'y tiennent pas sont écartés, les plus complexes d'abord.",
    ),
    "prefer": (
        "Take the simplest predictor that cannot be told from the best, the same where it costs at most 2 % of the error, or the best.",
        "Prendre le prédicteur le plus simple qu'on ne peut distinguer du meilleur, le même s'il coûte au plus 2 % de l'erreur, ou le meilleur.",
    ),
    "loss": (
        "What an error costs: zero_one, log, brier, auc for classes; squared, absolute, quantile0.9, poisson for numbers.",
        "Ce que coûte une erreur : zero_one, log, brier, auc pour des classes ; squared, absolute, quantile0.9, poisson pour des nombres.",
    ),
    "engine": (
        "Who adds: local (threads), dask or spark (a cluster on this machine), or the address of a Dask scheduler or of Spark.",
        "Qui additionne : local (threads), dask ou spark (une grappe sur cette machine), ou l'adresse d'un ordonnanceur Dask ou de Spark.",
    ),
    "predictor": (
        "Try only this predictor beside the baseline; may be repeated. There are {keys}; all of these (all); lightgbm, xgboost, catboost, tabpfn where installed; and any class of scikit-learn's kind, module:Class or module:Class(depth=3).",
        "N'essayer que ce prédicteur en plus du prédicteur constant ; peut être répété. Il y a {keys} ; tous ceux-là (all) ; lightgbm, xgboost, catboost, tabpfn s'ils sont installés ; et toute classe du genre de scikit-learn, module:Classe ou module:Classe(depth=3).",
    ),
    "mute": (
        "A finding not to be looked for, such as E007; may be repeated.",
        "Un constat à taire, par exemple E007 ; peut être répété.",
    ),
    "refit": (
        "Let the saved predictor learn from the sealed rows too, after the test.",
        "Laisser le prédicteur enregistré apprendre aussi les lignes sous scellés, après le test.",
    ),
    "require_conclusive": (
        "Exit with 5 when the predictor is not shown to beat the baseline, or the sealed rows disagree.",
        "Sortir avec le code 5 quand le prédicteur ne fait pas mieux de façon établie que le prédicteur "
        "constant, ou que le test le dément.",
    ),
    "no_color": ("No colours.", "Sans couleurs."),
    "no_save": ("Write no file.", "N'écrire aucun fichier."),
    "schema": ("Print the JSON schema of --json and stop.", "Afficher le schéma JSON de --json et s'arrêter."),
    "trust": (
        "Load a predictor of another library, too: that runs code from the file, so only where you know who wrote it.",
        "Charger aussi un prédicteur d'une autre bibliothèque : cela exécute du code du fichier, donc seulement si l'on sait qui l'a écrit.",
    ),
    "bundle": ("A predictor that epee learn saved.", "Un prédicteur enregistré par epee learn."),
    "rows": (
        "The rows to predict: as for learn; columns may come in any order.",
        "Les lignes à prédire : comme pour learn ; l'ordre des colonnes est libre.",
    ),
    "labelled": ("Rows with the target column.", "Des lignes avec la colonne cible."),
    "answers": (
        "Where to write the predictions, CSV or Parquet; standard output by default.",
        "Où écrire les prédictions, en CSV ou en Parquet ; la sortie standard par défaut.",
    ),
    "plain": (
        "Only the prediction: no probabilities, no intervals.",
        "La prédiction seule : ni probabilités ni intervalles.",
    ),
    "proba": (
        "Probabilities of the classes beside the prediction, or a refusal where there are none.",
        "Les probabilités des classes à côté de la prédiction, ou une erreur s'il n'y en a pas.",
    ),
    "interval": (
        "An interval of the given --level beside each number, or a refusal where there is none.",
        "Un intervalle au niveau --level à côté de chaque nombre, ou une erreur s'il n'y en a pas.",
    ),
    "why": (
        "What each column adds to the prediction beside it: why(base) and all why(column) add up to it, for classes to the probability of the answer.",
        "Ce que chaque colonne ajoute à la prédiction : why(base) et tous les why(colonne) en font la somme, pour des classes celle de la "
        "probabilité de la réponse.",
    ),
    "keep": (
        "A column to copy beside the predictions, in place of the number of the row; may be repeated.",
        "Une colonne à recopier à côté des prédictions, au lieu du numéro de la ligne ; peut être répétée.",
    ),
    "memory_option": (
        "The most memory that the table and what is made of it may take, such as 2GB; a share of what is free by default.",
        "La mémoire que la table et ce qu'on en fait peuvent prendre, par exemple 2GB ; par défaut une part de ce qui est libre.",
    ),
    "force": (
        "Replace files that épée did not write too.",
        "Remplacer aussi des fichiers qu'épée n'a pas écrits.",
    ),
    "did_you_mean": (
        "no such command {asked!r}; did you mean {near!r}?",
        "pas de commande {asked!r} ; vouliez-vous dire {near!r} ?",
    ),
    "output": (
        "Where to save the predictor; beside the work, under the name of the table, by default.",
        "Où enregistrer le prédicteur ; par défaut dans le dossier courant, sous le nom de la table.",
    ),
    "code": (
        "The code of a finding, such as E007; all are listed without it.",
        "Le code d'un constat, par exemple E007 ; sans lui, tous sont listés.",
    ),
    "report": ("Write an HTML report there.", "Écrire un rapport HTML à cet endroit."),
    "no_target": (
        "which column is to be predicted? Name it with --target.",
        "quelle colonne faut-il prédire ? La nommer avec --target.",
    ),
    "unknown_lang": (
        "the language {asked!r} is unknown; épée speaks en and fr.",
        "la langue {asked!r} est inconnue ; épée parle en et fr.",
    ),
    "interrupted": ("interrupted.", "interrompu."),
    "terminated": ("terminated.", "arrêté à la demande du système."),
    "memory": (
        "not enough memory. Give fewer columns, or a file instead of standard input.",
        "mémoire insuffisante. Donner moins de colonnes, ou un fichier au lieu de l'entrée standard.",
    ),
    "try": ("See {command} --help.", "Voir {command} --help."),
    "inside": (
        "a failure inside épée: {what}. Please report it, with what EPEE_TRACEBACK=1 shows.",
        "une panne dans épée : {what}. Merci de la signaler, avec ce que montre EPEE_TRACEBACK=1.",
    ),
}


say = Catalogue(PHRASES)


def asked(arguments: Sequence[str]) -> str:
    """Return the language that ``--lang fr`` or ``--lang=fr`` asks for, wherever it stands; the last one counts.

    >>> asked(["learn", "--lang", "fr"]), asked(["--lang=fr", "learn", "--", "--lang", "en"]), asked(["learn"])
    ('fr', 'fr', 'en')
    """
    language = options.language
    for word, following in zip(arguments, [*arguments[1:], ""]):
        if word == "--":
            break
        if word == "--lang":
            language = following
        elif word.startswith("--lang="):
            language = word.removeprefix("--lang=")
    return language


@contextmanager
def spoken(arguments: Sequence[str]) -> Iterator[None]:
    """Speak the language that the arguments ask for; English where it is none of ours.

    >>> with spoken(["learn", "--lang", "fr"]):
    ...     say("seed")
    'Graine des tirages aléatoires.'
    """
    language = asked(arguments)
    with options(language=language if language in LANGUAGES else "en"):
        yield


def refuse_unknown(arguments: Sequence[str]) -> None:
    """Refuse a language that épée does not speak."""
    if (language := asked(arguments)) not in LANGUAGES:
        raise WrongUse(say("unknown_lang", asked=language))
