"""Titles and sentences of the findings, in English and French."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from epee.words.catalogue import Catalogue

# code: (English, French)
TITLES: dict[str, tuple[str, str]] = {
    "E001": ("overfitting", "sur-apprentissage"),
    "E002": ("unequal classes", "classes déséquilibrées"),
    "E003": ("a class with too few rows", "une classe trop peu nombreuse"),
    "E004": ("unstable folds", "plis instables"),
    "E005": ("the edge of the grid is reached", "le bord de la grille est atteint"),
    "E006": ("nearly collinear columns", "variables presque colinéaires"),
    "E007": ("leakage suspected", "fuite d'information probable"),
    "E008": ("a column is an identifier", "une variable est un identifiant"),
    "E009": ("a column is constant", "une variable est constante"),
    "E010": ("many missing cells", "beaucoup de données manquantes"),
    "E011": ("cells missing for a reason", "des données qui ne manquent pas par hasard"),
    "E012": ("outliers in the target", "données aberrantes dans la cible"),
    "E013": ("outliers in the inputs", "données aberrantes dans les entrées"),
    "E014": ("drift between training and test rows", "dérive entre apprentissage et test"),
    "E015": ("probabilities are not frequencies", "des probabilités qui ne sont pas des fréquences"),
    "E016": ("the winner's optimism is large", "le gagnant doit beaucoup à la chance"),
    "E017": ("the test disagrees with the cross-validation", "le test contredit la validation croisée"),
    "E018": ("a few rows carry the error", "quelques lignes portent l'erreur"),
    "E019": ("the spread of the residuals changes", "la dispersion des résidus varie"),
    "E020": ("neighbouring rows have similar errors", "des lignes voisines ont des erreurs voisines"),
    "E021": ("one input dominates", "une entrée domine"),
    "E022": ("repeated rows", "lignes répétées"),
    "E023": ("test rows that are training rows too", "des lignes de test déjà vues à l'apprentissage"),
    "E024": ("categories never seen in training", "des modalités jamais vues à l'apprentissage"),
    "E025": ("rows that belong together", "des lignes qui vont ensemble"),
}

# (code, form): (English, French)
SENTENCES: dict[tuple[str, str], tuple[str, str]] = {
    ("E001", ""): (
        "{name} makes an error of {train} on the rows it learned from and of {cv} on rows held out: {share} of "
        "its error (a gap of {gap}) "
        "is overfitting.",
        "{name} fait une erreur de {train} sur les lignes d'apprentissage et de {cv} sur les lignes mises de "
        "côté : {share} de son erreur "
        "(un écart de {gap}) tient au sur-apprentissage.",
    ),
    ("E002", ""): (
        "The class {name} is only {share} of the rows {span}: always answering {common} is right {rate} of the time.",
        "La classe {name} ne fait que {share} des lignes {span} : répondre toujours {common} donne un taux de "
        "réussite de {rate}.",
    ),
    ("E003", ""): (
        "The class {name} has only {n} {n:row|rows} to learn from and {m} to test: its success rate cannot be known "
        "better than ± {half}.",
        "La classe {name} n'a que {n} {n:ligne|lignes} d'apprentissage et {m} de test : son taux de réussite ne peut être "
        "connu à mieux que ± {half}.",
    ),
    ("E003", "several"): (
        "The class {name} has only {n} {n:row|rows} to learn from and {m} to test, so that its success rate cannot be "
        "known better than ± {half}; "
        "{others} other {others:class is|classes are} as small.",
        "La classe {name} n'a que {n} {n:ligne|lignes} d'apprentissage et {m} de test, et son taux de réussite ne peut "
        "être connu à mieux que ± {half} ; "
        "{others} {others:autre classe est aussi petite|autres classes sont aussi petites}.",
    ),
    ("E004", ""): (
        "The error goes from {low} to {high} over the {J} folds: a spread of {between} remains beyond what "
        "chance gives ({chance}).",
        "L'erreur va de {low} à {high} selon les {J} plis : il reste une dispersion de {between} au-delà du "
        "hasard ({chance}).",
    ),
    ("E005", ""): (
        "{name}: the best {parameter} tried, {value}, is the most complex of its grid, and the last step still "
        "lowers the error by {gain}.",
        "{name} : la meilleure valeur essayée de {parameter}, {value}, est la plus complexe de la grille, et le "
        "dernier pas abaisse encore "
        "l'erreur de {gain}.",
    ),
    ("E005", "simple"): (
        "{name}: the best {parameter} tried, {value}, is the simplest of its grid, and the last step towards it "
        "still lowers the error by {gain}.",
        "{name} : la meilleure valeur essayée de {parameter}, {value}, est la plus simple de la grille, et le "
        "dernier pas vers elle abaisse "
        "encore l'erreur de {gain}.",
    ),
    ("E006", ""): (
        "{share} {span} of the variance of {name} is explained by {others}: their separate effects can hardly be told "
        "apart.",
        "{share} {span} de la variance de {name} s'expliquent par {others} : leurs effets propres sont presque "
        "impossibles à séparer.",
    ),
    ("E006", "exact"): (
        "{name} is an exact combination of {others}: their separate effects cannot be told apart.",
        "{name} est une combinaison exacte de {others} : leurs effets propres ne peuvent être séparés.",
    ),
    ("E007", ""): (
        "{name} alone tells {target}: it leaves {left} {span} of the baseline's error on {rows} {rows:row|rows}. Would it "
        "be known before {target} is?",
        "{name} suffit à donner {target} : il ne reste que {left} {span} de l'erreur du prédicteur constant, sur "
        "{rows} {rows:ligne|lignes}. Est-elle connue "
        "avant {target} ?",
    ),
    ("E008", ""): (
        "{name} has {n} different whole numbers in {n} rows ({span} of new rows would be new numbers too): it "
        "looks like an identifier, "
        "yet it is used as a number.",
        "{name} prend {n} valeurs entières distinctes en {n} lignes (de nouvelles lignes en auraient de "
        "nouvelles : {span}) : c'est sans doute un "
        "identifiant, et elle sert pourtant de nombre.",
    ),
    ("E008", "left"): (
        "{name} numbers the {n} rows ({span} of its cells are different): it is left out, and would tell nothing "
        "about new rows.",
        "{name} numérote les {n} lignes ({span} de valeurs distinctes) : elle est laissée de côté, et ne dirait "
        "rien de nouvelles lignes.",
    ),
    ("E009", ""): (
        "{name} is the same in all but {k} of {n} rows {span}: it can tell almost nothing.",
        "{name} prend la même valeur dans toutes les {n} lignes sauf {k} {span} : elle ne peut presque rien "
        "apprendre.",
    ),
    ("E009", "left"): (
        "{name} is the same in all {n} rows (other values in {span} of new rows): it is left out.",
        "{name} prend la même valeur dans les {n} lignes (autres valeurs dans de nouvelles lignes : {span}) : "
        "elle est laissée de côté.",
    ),
    ("E010", ""): (
        "{share} {span} of the cells of {name} are missing ({k} {k:row|rows}): what is filled in weighs more than what "
        "was measured.",
        "{share} {span} des données de {name} manquent ({k} {k:ligne|lignes}) : ce qui est imputé pèse plus que ce qui est "
        "mesuré.",
    ),
    ("E010", "several"): (
        "{share} {span} of the cells of {name} are missing ({k} {k:row|rows}), and {others} more {others:column misses|columns miss} more than "
        "30 %.",
        "{share} {span} des données de {name} manquent ({k} {k:ligne|lignes}), et {others} {others:autre variable en perd|autres variables en perdent} "
        "plus de 30 %.",
    ),
    ("E011", "class"): (
        "Where {name} is missing, {target} is {label} in {gone} of the rows, against {there} elsewhere: a gap of "
        "{gap} points. It is not missing "
        "by chance.",
        "Là où {name} manque, {target} vaut {label} dans {gone} des lignes, contre {there} ailleurs : un écart "
        "de {gap} points. Elle ne manque pas "
        "par hasard.",
    ),
    ("E011", "number"): (
        "Where {name} is missing, the mean of {target} is {gone}, against {there} elsewhere: a gap of {gap}. It "
        "is not missing by chance.",
        "Là où {name} manque, la moyenne de {target} est {gone}, contre {there} ailleurs : un écart de {gap}. "
        "Elle ne manque pas par hasard.",
    ),
    ("E012", ""): (
        "{name} is {value} in row {row}, while 95 % of the {n} rows lie in {span}: one such value can decide a "
        "squared error.",
        "{name} vaut {value} à la ligne {row}, alors que 95 % des {n} lignes sont dans {span} : une seule valeur "
        "de ce genre peut décider d'une "
        "erreur quadratique.",
    ),
    ("E012", "several"): (
        "{k} values of {name} ({share} of the rows) are far out, such as {value} in row {row}, while 95 % of the "
        "{n} rows lie in {span}.",
        "{k} valeurs de {name} ({share} des lignes) sont aberrantes, comme {value} à la ligne {row}, alors que "
        "95 % des {n} lignes sont dans {span}.",
    ),
    ("E013", ""): (
        "{name} is {value} in row {row}, while 95 % of the {n} rows lie in {span}: an error of entry?",
        "{name} vaut {value} à la ligne {row}, alors que 95 % des {n} lignes sont dans {span} : une erreur de "
        "saisie ?",
    ),
    ("E013", "several"): (
        "{k} values of {name} ({share} of the rows) are far out, such as {value} in row {row}, while 95 % of the "
        "{n} rows lie in {span}.",
        "{k} valeurs de {name} ({share} des lignes) sont aberrantes, comme {value} à la ligne {row}, alors que "
        "95 % des {n} lignes sont dans {span}.",
    ),
    ("E014", "number"): (
        "{name} has a mean of {now} in the test rows and of {then} in the training rows: a gap of {gap}.",
        "{name} a une moyenne de {now} dans les lignes de test et de {then} à l'apprentissage : un écart de {gap}.",
    ),
    ("E014", "numberseveral"): (
        "{name} has a mean of {now} in the test rows and of {then} in the training rows, a gap of {gap}; {k} "
        "more {k:column has|columns have} moved.",
        "{name} a une moyenne de {now} dans les lignes de test et de {then} à l'apprentissage, un écart de {gap} "
        "; {k} {k:autre variable a|autres variables ont} bougé.",
    ),
    ("E014", "level"): (
        "{name} is {label} in {now} of the test rows and {then} of the training rows: a gap of {gap} points.",
        "{name} vaut {label} dans {now} des lignes de test et {then} des lignes d'apprentissage : un écart de "
        "{gap} points.",
    ),
    ("E014", "levelseveral"): (
        "{name} is {label} in {now} of the test rows and {then} of the training rows, a gap of {gap} points; {k} "
        "more {k:column has|columns have} moved.",
        "{name} vaut {label} dans {now} des lignes de test et {then} des lignes d'apprentissage, un écart de "
        "{gap} points ; {k} {k:autre variable a|autres variables ont} "
        "bougé.",
    ),
    ("E015", ""): (
        "Probabilities are too sure: where {claimed} is announced, {seen} {span} of the answers are right; off "
        "by {off} points on the mean ({m} {m:row|rows}).",
        "Les probabilités sont trop sûres : là où {claimed} est annoncé, {seen} {span} des réponses sont justes "
        "; {off} points d'écart en moyenne ({m} {m:ligne|lignes}).",
    ),
    ("E015", "timid"): (
        "Probabilities are too timid: where {claimed} is announced, {seen} {span} of the answers are right; off "
        "by {off} points on the mean ({m} {m:row|rows}).",
        "Les probabilités sont trop timides : là où {claimed} est annoncé, {seen} {span} des réponses sont "
        "justes ; {off} points d'écart en moyenne ({m} {m:ligne|lignes}).",
    ),
    ("E016", ""): (
        "The best of {k} {k:candidate|candidates} owes {value} to luck, {share} of its error: corrected for the choice, the "
        "error is {corrected}.",
        "Le meilleur des {k} {k:candidat|candidats} doit {value} à la chance, soit {share} de son erreur : corrigée de ce "
        "choix, elle est de {corrected}.",
    ),
    ("E017", "worse"): (
        "The {m} sealed {m:row gives|rows give} an error of {test}, against {cv} by cross-validation: {gap} more than was "
        "promised.",
        "Les {m} lignes sous scellés donnent une erreur de {test}, contre {cv} par validation croisée : {gap} de "
        "plus que promis.",
    ),
    ("E017", "better"): (
        "The {m} sealed {m:row gives|rows give} an error of {test}, against {cv} by cross-validation (a gap of {gap}): they "
        "are easier than the training rows.",
        "Les {m} lignes sous scellés donnent une erreur de {test}, contre {cv} par validation croisée (un écart "
        "de {gap}) : elles sont plus faciles "
        "que les lignes d'apprentissage.",
    ),
    ("E018", ""): (
        "The {k} worst of {n} rows {k:carries|carry} {share} {span} of the squared error held out: the mean hangs on a few rows.",
        "{k:La|Les} {k} {k:pire|pires} des {n} lignes {k:porte|portent} {share} {span} de l'erreur quadratique : la moyenne tient à "
        "quelques lignes.",
    ),
    ("E018", "one"): (
        "One row of {n} carries {share} of the squared error held out (row {row}: {truth}, predicted {said}): the mean hangs on it.",
        "Une seule des {n} lignes porte {share} de l'erreur quadratique (ligne {row} : {truth}, prédit {said}) : la moyenne tient à elle.",
    ),
    ("E019", "high"): (
        "Residuals are {ratio} times as wide {span} for the largest predictions as for the smallest: one error "
        "bar does not fit all rows.",
        "Les résidus sont {ratio} fois plus dispersés {span} pour les plus grandes prédictions que pour les plus "
        "petites : une même barre d'erreur "
        "ne convient pas à toutes les lignes.",
    ),
    ("E019", "low"): (
        "Residuals are {ratio} times as wide {span} for the smallest predictions as for the largest: one error "
        "bar does not fit all rows.",
        "Les résidus sont {ratio} fois plus dispersés {span} pour les plus petites prédictions que pour les plus "
        "grandes : une même barre d'erreur "
        "ne convient pas à toutes les lignes.",
    ),
    ("E020", ""): (
        "Errors of neighbouring rows have a correlation of {r} {span} ({n} rows): the rows are not independent, "
        "and error bars are too short.",
        "Les erreurs de lignes voisines ont une corrélation de {r} {span} ({n} lignes) : les lignes ne sont pas "
        "indépendantes, et les barres d'erreur "
        "sont trop courtes.",
    ),
    ("E020", "told"): (
        "Errors of neighbouring rows are alike: the intervals are longer for it, and no more than a guess before --time or --groups says how "
        "the rows belong together.",
        "Les erreurs de lignes voisines se ressemblent : les intervalles en sont plus longs, et ne sont qu'une estimation tant que --time ou "
        "--groups ne dit pas comment les lignes vont ensemble.",
    ),
    ("E021", ""): (
        "{name} carries {share} {span} of all that the predictor uses: shuffled, it raises the error by {rise}.",
        "{name} porte {share} {span} de ce dont le prédicteur se sert : mélangée, elle augmente l'erreur de {rise}.",
    ),
    ("E022", ""): (
        "{k} of {n} rows ({share} {span}) {k:is a copy|are copies} of an earlier row, more than chance explains.",
        "{k} {k:ligne|lignes} sur {n} ({share} {span}) {k:recopie|recopient} une ligne précédente, plus que le hasard ne l'explique.",
    ),
    ("E023", ""): (
        "{k} of {m} test rows ({share} {span}) {k:is|are} in the training rows too: the test is too easy.",
        "{k} {k:ligne|lignes} de test sur {m} ({share} {span}) {k:est|sont} aussi dans l'apprentissage : le test est trop facile.",
    ),
    ("E023", "error"): (
        "{k} of {m} test rows ({share} {span}) {k:is|are} in the training rows too: the test error is {all} with them "
        "and {fresh} without.",
        "{k} {k:ligne|lignes} de test sur {m} ({share} {span}) {k:est|sont} aussi dans l'apprentissage : l'erreur de test est de "
        "{all} avec elles, de {fresh} sans elles.",
    ),
    ("E025", "column"): (
        "Errors of rows with the same {name} have a correlation of {r} ({n} {n:row|rows}): the rows are not independent, and the variance of the "
        "error is about {effect} times what it seems.",
        "Les erreurs de lignes de même {name} ont une corrélation de {r} ({n} {n:ligne|lignes}) : les lignes ne sont pas indépendantes, et la variance "
        "de l'erreur est environ {effect} fois ce qu'elle paraît.",
    ),
    ("E025", "nearest"): (
        "Errors of rows that are nearest in the inputs have a correlation of {r} ({n} {n:row|rows}), far more than rows a little farther away: some "
        "rows belong together, and error bars are too short.",
        "Les erreurs des lignes les plus proches par leurs entrées ont une corrélation de {r} ({n} {n:ligne|lignes}), bien plus que des lignes un peu "
        "plus loin : des lignes vont ensemble, et les barres d'erreur sont trop courtes.",
    ),
    ("E025", "clumps"): (
        "Rows lie in clumps of the inputs, and errors of rows in the same clump have a correlation of {r} ({n} {n:row|rows}): the rows are not "
        "independent, and the variance of the error is about {effect} times what it seems.",
        "Des lignes forment des amas dans les entrées, et les erreurs d'un même amas ont une corrélation de {r} ({n} {n:ligne|lignes}) : les lignes ne "
        "sont pas indépendantes, et la variance de l'erreur est environ {effect} fois ce qu'elle paraît.",
    ),
    ("E025", "columntold"): (
        "Errors of rows with the same {name} are alike: the intervals are longer for it, and no more than a guess before --groups {name:typed} "
        "says so.",
        "Les erreurs de lignes de même {name} se ressemblent : les intervalles en sont plus longs, et ne sont qu'une estimation tant que "
        "--groups {name:typed} ne le dit pas.",
    ),
    ("E025", "nearesttold"): (
        "Errors of rows that are nearest in the inputs are alike: the intervals are longer for it, and no more than a guess before --groups "
        "says which rows belong together.",
        "Les erreurs des lignes les plus proches par leurs entrées se ressemblent : les intervalles en sont plus longs, et ne sont qu'une "
        "estimation tant que --groups ne dit pas quelles lignes vont ensemble.",
    ),
    ("E025", "clumpstold"): (
        "Rows lie in clumps of the inputs, and errors in the same clump are alike: the intervals are longer for it, and no more than a guess "
        "before --groups says which rows belong together.",
        "Des lignes forment des amas dans les entrées, et les erreurs d'un même amas se ressemblent : les intervalles en sont plus longs, et "
        "ne sont qu'une estimation tant que --groups ne dit pas quelles lignes vont ensemble.",
    ),
    ("E024", ""): (
        "{k} of {m} test rows ({share} {span}) {k:has|have} a category of {name} that no training row has.",
        "{k} {k:ligne|lignes} de test sur {m} ({share} {span}) {k:a|ont} une modalité de {name} qu'aucune ligne d'apprentissage n'a.",
    ),
}  # fmt: skip

titles, sentences = Catalogue(TITLES), Catalogue(SENTENCES)


def title(code: str) -> str:
    """Return the name of a finding.

    >>> title("E006")
    'nearly collinear columns'
    """
    return titles(code)


def sentence(code: str, form: str, words: Mapping[str, Any]) -> str:
    """Return the sentence of a finding."""
    return sentences((code, form), **words)
