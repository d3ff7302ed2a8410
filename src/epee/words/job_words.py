"""Words of the main job, in English and French."""

from __future__ import annotations

from epee.settings import options

# key: (English, French)
WORDS: dict[str, tuple[str, str]] = {
    # names of predictors
    "baseline": ("baseline", "prédicteur constant"),
    "naive_bayes": ("naive Bayes", "bayésien naïf"),
    "lda": ("linear discriminant", "discriminant linéaire"),
    "fisher": ("Fisher's discriminant", "discriminant de Fisher"),
    "least_squares": ("least squares on classes", "moindres carrés sur les classes"),
    "logistic": ("logistic regression", "régression logistique"),
    "qda": ("quadratic discriminant", "discriminant quadratique"),
    "products": ("linear on products of inputs", "linéaire sur les produits d'entrées"),
    "tree": ("decision tree", "arbre de décision"),
    "neighbours": ("nearest neighbours", "plus proches voisins"),
    "mixture": ("mixtures of Gaussians", "mélanges de gaussiennes"),
    "linear": ("linear regression", "régression linéaire"),
    "ridge": ("ridge regression", "régression écrêtée"),
    "lasso": ("lasso", "lasso"),
    "additive": ("additive splines", "splines additives"),
    # headings
    "predictor": ("predictor", "prédicteur"),
    "error": ("error", "erreur"),
    "error_rate": ("error rate", "taux d'erreur"),
    "mean_cost": ("mean cost", "coût moyen"),
    "mean_squared": ("mean squared error", "erreur quadratique moyenne"),
    "interval": ("{level} interval", "intervalle à {level}"),
    "dof": ("dof", "ddl"),
    "time": ("time", "durée"),
    "against": ("against the best", "face au meilleur"),
    "best": ("best", "meilleur"),
    "worse": ("worse", "moins bon"),
    "not distinguishable": ("not distinguishable", "indiscernable"),
    "approximate": ("approximate", "approché"),
    "approximate_note": (
        "~ approximate interval: 10-fold, without nesting; it covers a little less than it claims.",
        "~ intervalle approché : validation croisée simple ; il couvre un peu moins qu'il ne l'annonce.",
    ),
    "chosen_mark": ("chosen", "choisi"),
    # how the table was taken
    "task_classes": (
        "{target}: {k} classes ({shown}); {n} rows.",
        "{target} : {k} classes ({shown}) ; {n} lignes.",
    ),
    "task_numbers": (
        "{target}: a number, from {low} to {high}; {n} rows.",
        "{target} : un nombre, de {low} à {high} ; {n} lignes.",
    ),
    "integers_as_classes": (
        "{target} holds {k} different whole numbers and is taken as classes; say --type {target}=number for a regression.",
        "{target} ne contient que {k} nombres entiers distincts : ils sont pris pour des classes ; écrire "
        "--type {target}=number pour une régression.",
    ),
    "took": ("Inputs: {parts}.", "Entrées : {parts}."),
    "took_number": ("{k} numeric ({names})", "{k} quantitatives ({names})"),
    "took_boolean": ("{k} yes/no ({names})", "{k} oui/non ({names})"),
    "took_category": ("{k} categorical ({names})", "{k} qualitatives ({names})"),
    "took_date": ("{k} dates ({names})", "{k} dates ({names})"),
    "took_one_number": ("1 numeric ({names})", "1 quantitative ({names})"),
    "took_one_boolean": ("1 yes/no ({names})", "1 oui/non ({names})"),
    "took_one_category": ("1 categorical ({names})", "1 qualitative ({names})"),
    "took_one_date": ("1 date ({names})", "1 date ({names})"),
    "missing_cells": (
        "{k} missing cells in {names}: filled with the mean of the training rows, within each fold.",
        "{k} données manquantes dans {names} : remplacées par la moyenne des lignes d'apprentissage, dans chaque bloc.",
    ),
    "many_levels": (
        "{name}: {k} categories; the {kept} most frequent have a column each, the others share one.",
        "{name} : {k} modalités ; les {kept} plus fréquentes ont chacune leur colonne, les autres en partagent une.",
    ),
    "left_text": (
        "{name} is left out: texts that hardly come back (names, identifiers); say --type {name}=category to keep it.",
        "{name} est laissée de côté : des textes qui ne se répètent guère (noms, identifiants) ; écrire --type "
        "{name}=category pour la garder.",
    ),
    "left_identifier": (
        "{name} is left out: it numbers the rows; say --type {name}=number to keep it.",
        "{name} est laissée de côté : elle numérote les lignes ; écrire --type {name}=number pour la garder.",
    ),
    "left_constant": (
        "{name} is left out: it is constant.",
        "{name} est laissée de côté : elle est constante.",
    ),
    "left_empty": (
        "{name} is left out: all its cells are missing.",
        "{name} est laissée de côté : toutes ses données manquent.",
    ),
    "left_asked": ("{name} is left out, as asked.", "{name} est laissée de côté, comme demandé."),
    "dropped_rows": (
        "{k} rows have no value of {target} and are left out.",
        "{k} lignes sans valeur de {target} sont laissées de côté.",
    ),
    "fewer_folds": (
        "{folds} folds instead of {asked}: {why}.",
        "{folds} blocs au lieu de {asked} : {why}.",
    ),
    "few_rows": ("there are only {n} training rows", "il n'y a que {n} lignes d'apprentissage"),
    "few_members": ("class {name} has only {n} training rows", "la classe {name} n'a que {n} lignes d'apprentissage"),
    "few_groups": ("there are only {n} groups", "il n'y a que {n} groupes"),
    "imbalance": (
        "The classes are unequal: {name} is {share} of the rows. Always answering {common} is right {rate} of "
        "the time, which the baseline does.",
        "Les classes sont inégales : {name} ne fait que {share} des lignes. Répondre toujours {common}, comme "
        "le prédicteur constant, donne un taux de réussite de {rate}.",
    ),
    # sealing
    "sealed": (
        "{test} rows are sealed for the final test ({how}); {train} rows to learn from.",
        "{test} lignes sont mises sous scellés pour le test final ({how}) ; {train} lignes d'apprentissage.",
    ),
    "by_class": ("the same share of every class", "la même part de chaque classe"),
    "by_chance": ("drawn at random", "tirées au hasard"),
    "by_group": ("whole groups", "par groupes entiers"),
    "by_time": ("the last in time", "les dernières dans le temps"),
    # progress
    "trying": ("trying {name}", "essai : {name}"),
    "candidates": ("predictors", "prédicteurs"),
    "looking": ("looking at the chosen predictor", "examen du prédicteur choisi"),
    "reading": ("reading the table", "lecture de la table"),
    # verdict
    "chosen": (
        "Chosen: {chosen}, the simplest within one standard error of the best.",
        "Choisi : {chosen}, le plus simple à moins d'un écart-type du meilleur.",
    ),
    "chosen_best": (
        "Chosen: {chosen}: it has the smallest error, and nothing simpler comes within one standard error.",
        "Choisi : {chosen} : il a la plus petite erreur, et rien de plus simple n'en approche à un écart-type.",
    ),
    "beats": (
        "{a} beats {b} by {gap}, p {p}: {shown}.",
        "{a} contre {b} : une erreur plus petite de {gap}, p {p} : {shown}.",
    ),
    "shown": ("shown", "établi"),
    "not shown": ("not shown", "non établi"),
    "no_better": (
        "Nothing here is shown to beat the baseline: the inputs may not tell the target.",
        "Rien ici ne fait mieux de façon établie que le prédicteur constant : les entrées ne disent peut-être rien de la cible.",
    ),
    "alone": ("{chosen} is the only candidate.", "{chosen} est le seul candidat."),
    "points": ("{value} ± {stderr} points", "{value} ± {stderr} points"),
    "optimism": (
        "The best of {k} candidates looks better than it is, by about {optimism}; corrected for the choice: {corrected}.",
        "Le meilleur de {k} candidats paraît meilleur qu'il n'est, d'environ {optimism} ; erreur corrigée de ce choix : {corrected}.",
    ),
    "test": (
        "Sealed test error: {risk} ({level} interval, {n} rows).",
        "Erreur sur les lignes sous scellés : {risk} (intervalle à {level}, {n} lignes).",
    ),
    "agrees": (
        "It agrees with the cross-validation.",
        "Elle s'accorde avec la validation croisée.",
    ),
    "disagrees": (
        "It does not agree with the cross-validation ({cv}): the sealed rows differ from the others, or the choice was lucky.",
        "Elle ne s'accorde pas avec la validation croisée ({cv}) : les lignes sous scellés diffèrent des "
        "autres, ou le choix a été chanceux.",
    ),
    "no_test": (
        "No row was sealed: the figure rests on the cross-validation alone.",
        "Aucune ligne n'a été mise sous scellés : l'erreur repose sur la seule validation croisée.",
    ),
    "refit": (
        "The saved predictor has learned from the sealed rows too: the error above is then conservative.",
        "Le prédicteur enregistré a aussi appris les lignes sous scellés : l'erreur ci-dessus est alors prudente.",
    ),
    "rejected": ("{share} of the sealed rows are rejected.", "{share} des lignes sous scellés sont rejetées."),
    # what did not run
    "out_of_budget": ("the budget of {budget} s was spent", "le budget de {budget} s est épuisé"),
    "too_large": (
        "{n} rows and {p} columns are too many for it without --budget",
        "{n} lignes et {p} colonnes, c'est trop sans --budget",
    ),
    "unsuited": (
        "it does not suit this number of rows, columns or classes",
        "il ne convient pas à ce nombre de lignes, de colonnes ou de classes",
    ),
    "no_weights": ("it takes no weights", "il ne prend pas de poids"),
    "no_probability": (
        "it gives no probabilities, which costs need",
        "il ne donne pas de probabilités, nécessaires aux coûts",
    ),
    "failed": ("it failed: {why}", "il a échoué : {why}"),
    "stream_only": (
        "the table is large: closed forms only, in one pass",
        "la table est grande : formes closes seulement, en une passe",
    ),
    "stream_findings": (
        "The table is large and read in blocks: findings are not looked for; learn from a sample of it to have them.",
        "La table est grande et lue par paquets : les constats ne sont pas recherchés ; pour les avoir, apprendre d'un échantillon.",
    ),
    "one_target": ("it takes one target only", "il ne prend qu'une cible"),
    "dropped": ("Not tried: {parts}.", "Non essayés : {parts}."),
    # assess
    "assessed": (
        "Error on {n} rows: {risk} ({level} interval).",
        "Erreur sur {n} lignes : {risk} (intervalle à {level}).",
    ),
    "use": (
        "This is use number {k} of these rows: the interval is given at level {level} rather than {asked}, as {k} looks ask for.",
        "C'est la {k}e utilisation de ces lignes : l'intervalle est donné au niveau {level} et non {asked}, comme il convient.",
    ),
    "first_use": ("First use of these rows.", "Première utilisation de ces lignes."),
    "sealed_rows": (
        "{k} of the {n} rows are the sealed test rows of this predictor.",
        "{k} des {n} lignes sont les lignes sous scellés de ce prédicteur.",
    ),
    "sealed_again": (
        "{k} more rows repeat sealed rows cell for cell: they count as other rows; if they are copies, the interval is too narrow.",
        "{k} autres lignes répètent des lignes sous scellés à l'identique : elles comptent comme d'autres lignes ; si ce sont des "
        "copies, l'intervalle est trop étroit.",
    ),
    "training_unknown": (
        "It learned from a large table, whose rows are not known again: give rows that it has not seen.",
        "Il a appris d'une grande table, dont les lignes ne sont pas reconnues : donner des lignes qu'il n'a pas vues.",
    ),
    "training_rows": (
        "{k} of the {n} rows were learned from and are left out: their error would be too small.",
        "{k} des {n} lignes ont servi à l'apprentissage et sont laissées de côté : leur erreur serait trop petite.",
    ),
    "expected": (
        "The error promised when it was learned: {risk}.",
        "L'erreur annoncée à l'apprentissage : {risk}.",
    ),
    "as_promised": ("They agree.", "Elles s'accordent."),
    "not_as_promised": (
        "They do not agree: these rows differ from those it learned from.",
        "Elles ne s'accordent pas : ces lignes diffèrent de celles de l'apprentissage.",
    ),
    # predict
    "drift": (
        "{name} has drifted: {what}.",
        "{name} a dérivé : {what}.",
    ),
    "drift_mean": (
        "its mean is {now}, against {then} ± {sd} in training",
        "sa moyenne est {now}, contre {then} ± {sd} à l'apprentissage",
    ),
    "drift_missing": (
        "{now} of its cells are missing, against {then} in training",
        "{now} de données manquantes, contre {then} à l'apprentissage",
    ),
    "drift_levels": (
        "{share} of its cells are categories never seen in training, such as {example}",
        "{share} de ses données sont des modalités jamais vues à l'apprentissage, comme {example}",
    ),
    "drift_shares": (
        "the share of {level} is {now}, against {then} in training",
        "la part de {level} est {now}, contre {then} à l'apprentissage",
    ),
    "predicted": ("{n} rows predicted.", "{n} lignes prédites."),
    "saved": ("Saved: {path}.", "Enregistré : {path}."),
    "reported": ("Report: {path}.", "Rapport : {path}."),
    "next": (
        "Next: epee predict {path} new.csv -o out.csv",
        "Ensuite : epee predict {path} nouvelles.csv -o sorties.csv",
    ),
    "sample_table": (
        "No table was given: here is one that ships with épée, {name}. {about}",
        "Aucune table n'a été donnée : en voici une livrée avec épée, {name}. {about}",
    ),
    # how it was computed
    "how_cv": (
        "Each predictor was tested by {folds}-fold cross-validation on the training rows, repeated {repeats} "
        "times on the same folds for all; "
        "filling and scaling are learned inside the folds.",
        "Chaque prédicteur est éprouvé par validation croisée à {folds} blocs sur les lignes d'apprentissage, "
        "répétée {repeats} fois, sur les mêmes blocs "
        "pour tous ; remplissage et réduction sont appris à l'intérieur des blocs.",
    ),
    "how_forward": (
        "Each predictor was tested on {folds} successive stretches of time, after learning from the rows before each; "
        "filling and scaling are learned from those rows too.",
        "Chaque prédicteur est éprouvé sur {folds} périodes successives, après apprentissage sur les lignes qui précèdent chacune ; "
        "remplissage et réduction sont appris sur ces mêmes lignes.",
    ),
    "how_complexity": (
        "Each predictor has the simplest value of its parameter within one standard error of the best.",
        "Chaque prédicteur a la valeur la plus simple de son paramètre à moins d'un écart-type de la meilleure.",
    ),
    "how_intervals": (
        "Intervals of predictors that live on moments are nested (Bates, Hastie and Tibshirani, 2023); the others are approximate.",
        "Les intervalles des prédicteurs fondés sur les moments sont emboîtés (Bates, Hastie et Tibshirani, "
        "2023) ; les autres sont approchés.",
    ),
    "how_differences": (
        "Differences are paired by fold, corrected for shared training rows (Nadeau and Bengio, 2003) and for their number (Holm).",
        "Les écarts sont appariés par bloc, corrigés du partage des lignes d'apprentissage (Nadeau et Bengio, "
        "2003) et de leur nombre (Holm).",
    ),
    "how_test": (
        "The sealed rows were looked at once, by the chosen predictor.",
        "Les lignes sous scellés n'ont été vues qu'une fois, par le prédicteur choisi.",
    ),
}


def say(key: str, **parts: object) -> str:
    """Return a phrase in the language of ``epee.options``.

    >>> say("agrees")
    'It agrees with the cross-validation.'
    """
    english, french = WORDS[key]
    return (french if options.language == "fr" else english).format(**parts)


def number(value: float, digits: int = 3) -> str:
    """Return a number with some significant digits, as the language writes it.

    >>> number(0.12345), number(12345.6), number(1234567.0)
    ('0.123', '12346', '1.23e+06')
    """
    text = f"{value:.0f}" if 10**digits <= abs(value) < 1e6 else f"{value:.{digits}g}"
    return text.replace(".", ",") if options.language == "fr" else text


def whole(value: float) -> str:
    """Return a count with its thousands apart.

    >>> whole(1234567)
    '1,234,567'
    """
    text = f"{int(value):,}"
    return text.replace(",", "\u202f") if options.language == "fr" else text


def percent(share: float, digits: int = 0) -> str:
    """Return a share as a percentage.

    >>> percent(0.953)
    '95 %'
    """
    text = f"{100 * share:.{digits}f}"
    return f"{text.replace('.', ',') if options.language == 'fr' else text} %"
