"""What is measured, in French: tables that a benchmark writes again each time cannot have a twin a cell, so their words have theirs.

The figures come from files that a benchmark writes in English (``docs/speed.md`` between its markers, ``benchmarks/results/*.md``).
While the French site is built, their words are replaced phrase by phrase, the longest first, and their numbers are written the French
way. :func:`left` says which words no phrase knows, so that a new benchmark cannot bring English into the French site unseen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = tuple(
    f"benchmarks/results/{name}.md"
    for name in (
        "scale.simulation",
        "scale.growth",
        "scale.study",
        "honesty",
        "honesty.claims",
        "honesty.limits",
        "wild",
    )
)
BETWEEN = re.compile(r"(?<=<!-- speed -->)(.*?)(?=<!-- /speed -->)", re.S)

PHRASES = {
    # heads of tables
    "problem": "problème", "ours": "nous", "against": "contre", "ratio [quartiles]": "rapport [quartiles]", "asked": "demandé",
    "faster": "plus rapide", "slower": "plus lent", "at least": "au moins", "at most": "au plus", "extra MB": "Mo de plus",
    "process MB": "Mo du processus", "seconds": "secondes", "not measured": "non mesuré", "timed once": "mesuré une fois",
    # sums, discriminants, projections
    "full scatter": "dispersion complète", "scatter by class": "dispersion par classe", "pooled scatter by fold and class": "dispersion par pli et classe",
    "one X.T @ X": "un X.T @ X", "one X @ X.T": "un X @ X.T", "one thread": "un fil", "two threads": "deux fils", "moments of": "moments de",
    "memory copy": "copie mémoire", "classes": "classes", "two classes": "deux classes", "three classes": "trois classes", "default": "par défaut",
    "LDA fit from a 2 GB Parquet file": "LDA d'un fichier Parquet de 2 Go", "fit": "ajusté", "of nine images": "de neuf images",
    "randomised": "aléatoire", "predict": "prédire", "by rows": "par les lignes", "missing": "manquants", "categories": "catégories",
    "fit and transform": "ajusté et appliqué", "regularised by leave-one-out": "régularisée par leave-one-out", "pairs": "couples",
    # clusters
    "single linkage": "saut minimum", "centroid linkage": "saut des centres", "complete linkage": "saut maximum", "average linkage": "saut moyen",
    "passes": "passes", "clouds": "nuages", "no clouds at all": "aucun nuage", "of a stream": "d'un flux", "to convergence": "jusqu'à convergence",
    "of the rows as seeds": "des lignes pour départs", "seeds on a grid": "départs sur une grille", "every row a seed": "chaque ligne un départ",
    "points": "points", "table given": "tableau donné", "clusters": "classes", "steps": "pas",
    # the main job
    "closed forms of a regression": "formes closes d'une régression", "closed forms of two classes": "formes closes de deux classes",
    "default run": "par défaut", "the leaderboard": "le classement", "the whole run": "tout l'apprentissage", "folds": "plis",
    "DuckDB to Arrow": "DuckDB vers Arrow", "regression": "régression", "report of": "rapport de", "written": "écrit",
    "opened in Chromium": "ouvert dans Chromium", "findings of": "constats de", "exploration of": "exploration de",
    # descents
    "logistic": "logistique", "logistic regression": "régression logistique", "squared hinge": "hinge au carré", "hinge": "hinge",
    "path of 50 L2 penalties": "chemin de 50 pénalités L2", "one fit": "un ajustement", "stochastic descent": "descente stochastique",
    "to a slope of": "à une pente de", "log": "log",
    # sparse rows
    "filled": "rempli", "k-means": "k-moyennes", "perceptron": "perceptron", "tol": "tol", "logistic with L1": "logistique avec L1",
    "stochastic descent of the log loss": "descente stochastique de la perte log",
    # decisions in sequence
    "Q-learning": "Q-apprentissage", "states": "états", "actions": "actions", "successors": "successeurs", "million steps": "millions de pas",
    "one core": "un cœur", "the environment alone": "l'environnement seul", "value iteration": "itération de la valeur",
    "twice the transitions": "le double de transitions", "one million states": "un million d'états",
    # mixtures, neighbours
    "full components": "composantes complètes", "components": "composantes", "iterations": "itérations", "full": "complète", "diag": "diagonale",
    "a tenth of the cells missing in 20 patterns": "un dixième des cases manquant en 20 motifs", "the complete table": "le tableau complet",
    "kNN classification": "discrimination kppv", "queries": "requêtes", "brute": "force brute", "kNN leave-one-out for": "leave-one-out kppv pour",
    "one search of 50 neighbours": "une recherche de 50 voisins", "kernel regression": "régression à noyau",
    "bandwidth by leave-one-out": "largeur par leave-one-out",
    # regression
    "lasso path of": "chemin du lasso de", "ridge path": "chemin écrêté", "penalties": "pénalités", "a path a fold": "un chemin par pli", "fold": "pli",
    "scaled": "ramené", "degrees 0 to 15 by leaving one out": "degrés 0 à 15 en retirant une ligne", "one fit of degree 15": "un ajustement de degré 15",
    "smoothing spline by GCV": "spline de lissage par GCV", "ten times the fit of": "dix fois l'ajustement de", "by GCV": "par GCV", "by LOO": "par LOO",
    # risk
    "fold CV of": "plis de validation croisée de", "loss": "perte", "repeats": "répétitions", "leave-one-out of least squares": "leave-one-out des moindres carrés",
    "rows": "lignes", "row": "ligne", "compare eight closed-form classifiers": "comparer huit classifieurs en forme close",
    "one cross_val_score of LDA": "un cross_val_score de LDA", "nested interval of least squares": "intervalle emboîté des moindres carrés",
    # files, clusters of machines, the start
    "least squares from a Parquet folder of": "moindres carrés d'un dossier Parquet de", "least squares from a Parquet folder": "moindres carrés d'un dossier Parquet",
    "LDA from a Parquet folder": "LDA d'un dossier Parquet", "GB in": "Go en", "GB": "Go", "MB": "Mo", "columns": "colonnes", "two Dask workers": "deux ouvriers Dask",
    "one worker": "un ouvrier", "DuckDB's Arrow reader": "le lecteur Arrow de DuckDB", "beyond the interpreter": "au-delà de l'interpréteur",
    "first run": "première fois", "second run": "seconde fois", "predictors of": "prédicteurs de", "a value": "une valeur",
    "import epee": "import epee", "in all": "en tout", "Parquet to blocks": "Parquet en blocs", "CSV to blocks": "CSV en blocs",
    "French CSV to blocks": "CSV français en blocs", "Moments from Parquet": "moments de Parquet",
    # features, trees, ensembles
    "points of an S-curve": "points d'une courbe en S", "forward selection of 10 among 100 columns": "sélection ascendante de 10 variables parmi 100",
    "scaled up from its first step": "extrapolé de son premier pas", "classification tree": "arbre de discrimination", "depth": "profondeur",
    "regression tree": "arbre de régression", "tree pruned by 5-fold cross-validation": "arbre élagué par validation croisée à 5 plis",
    "alphas for scikit-learn": "alphas pour scikit-learn", "the whole path for us": "tout le chemin pour nous", "tree prediction": "prédiction d'un arbre",
    "with every number of trees up to": "avec chaque nombre d'arbres jusqu'à", "boosted prediction": "prédiction boostée", "boosting": "boosting", "trees of": "arbres de", "trees": "arbres", "leaves": "feuilles",
    "a third of the columns": "un tiers des colonnes", "landmarks": "repères", "one Gram matrix of": "une matrice de Gram de", "ten folds": "dix plis", "numbers": "nombres",
    # the machine
    "cores": "cœurs", "One thread": "Un fil", "processor time": "temps de processeur", "exponent b of size^b": "exposant b de taille^b",
    # a pass on a cluster
    "Least squares on": "Moindres carrés de", "inputs": "entrées", "rows here": "lignes ici", "Measured": "Mesuré", "a row on a worker": "par ligne chez un ouvrier",
    "a block of": "un bloc de", "while another does the same": "pendant qu'un autre fait de même", "a task": "par tâche", "bytes a moment": "octets par moment",
    "a merge": "par fusion", "a file": "par fichier", "to begin": "pour commencer", "workers": "ouvriers", "simulated s": "s simulées",
    "measured s": "s mesurées", "Predicted seconds of one pass": "Secondes prédites d'une passe", "workers of one core": "ouvriers d'un cœur",
    "files of": "fichiers de", "million rows": "millions de lignes", "opened once by the client": "ouverts une fois par le client",
    "as fast as here": "aussi vite qu'ici", "storage of": "stockage de", "MB/s a worker": "Mo/s par ouvrier", "opening the files": "ouvrir les fichiers",
    "bytes that travel": "octets qui voyagent",
    # growth
    "work": "travail", "in": "en", "sizes": "tailles", "exponent": "exposant", "theory": "théorie", "moments": "moments", "to": "à",
    "the rows are shared out": "les lignes sont partagées", "ridge": "régression écrêtée", "cross-validated": "en validation croisée",
    "k-means pass": "passe de k-moyennes", "EM pass": "passe d'EM", "Error bars are two standard errors": "Les barres d'erreur sont de deux écarts-types",
    # ten gigabytes
    "of float64 in": "de float64 en",
    "Each job in a fresh process, after it has run on a small table": "Chaque travail dans un processus neuf, après avoir tourné sur un petit tableau",
    "the limit on resident memory is": "la limite de mémoire résidente est de",
    "Closed forms: medians of some runs, in turn with DuckDB's own Arrow reader on the same columns": "Formes closes : médianes de quelques essais, tour à tour avec le lecteur Arrow de DuckDB sur les mêmes colonnes",
    "speed is its time over ours, a pass": "la vitesse est son temps sur le nôtre, par passe",
    "Passes: cells read over cells of the table": "Passes : cases lues sur cases du tableau",
    "a pass over the labels alone is a thirtieth": "une passe sur les seules étiquettes est un trentième",
    "job": "travail", "wall s": "s d'horloge", "DuckDB s": "s de DuckDB", "speed": "vitesse", "peak MB": "Mo au plus fort", "processor s": "s de processeur",
    "value": "valeur", "least squares": "moindres carrés",
    # coverage
    "Coverage of nominal": "Couverture d'intervalles annoncés à", "intervals for the error of the fitted predictor": "pour l'erreur du prédicteur appris",
    "target": "visé", "predictor": "prédicteur", "simulations": "simulations", "naive": "naïf", "nested": "emboîté", "width": "largeur",
    "Two equal classifiers compared on": "Deux classifieurs égaux comparés sur", "the 5 % test alarms in": "le test à 5 % alarme dans", "of cases": "des cas",
    "the naive t-test in": "le test t naïf dans",
    "Every claim under its own law: how often it was kept, how often the software itself said that it does not hold there, and either": "Chaque affirmation sous sa propre loi : combien de fois elle fut tenue, combien de fois le logiciel lui-même dit qu'elle ne tient pas là, et l'un ou l'autre",
    "Of the refitted predictors only the tree was simulated in this run, and `learn` as a whole was not": "Des prédicteurs ré-appris, seul l'arbre fut simulé cette fois, et `learn` dans son ensemble ne le fut pas",
    "What the best test at 1 % marks that is told the very law, and what it leaves; beside it the library, which is told nothing": "Ce que marque le meilleur test à 1 % à qui l'on dit la loi même, et ce qu'il laisse ; à côté la bibliothèque, à qui l'on ne dit rien",
    "best test marks": "le meilleur test marque", "marked, or the plain interval holds": "marquée, ou l'intervalle simple tient",
    "here: marked": "ici : marquée", "here: kept or marked": "ici : tenue ou marquée",
    "claim": "affirmation", "law": "loi", "says": "dit", "kept": "tenue", "marked": "marquée", "kept or marked": "tenue ou marquée",
    "hold-out": "mise de côté", "squared": "quadratique", "absolute": "absolue", "error rate": "taux d'erreur", "costs": "coûts", "weights": "poids",
    "Gaussian": "gaussienne", "lognormal": "lognormale", "exponential": "exponentielle", "uniform": "uniforme",
    "of errors five times larger": "d'erreurs cinq fois plus grandes", "of errors": "d'erreurs", "two-sided": "des deux côtés", "far": "au loin",
    "groups of": "groupes de", "every weight": "chaque poids", "sampling": "de sondage", "sum near": "somme proche de", "positives of": "positifs sur",
    "positives": "positifs", "squared loss": "perte quadratique", "clouds 5 apart": "nuages à distance 5", "clouds 2 apart": "nuages à distance 2",
    "undeclared groups found": "groupes non déclarés trouvés", "verdict at": "verdict à", "rows sorted by what matters": "lignes triées par ce qui compte",
    "the same rows shuffled": "les mêmes lignes mélangées", "verdict against the best": "verdict contre le meilleur",
    "four equal candidates": "quatre candidats égaux", "corrected t": "t corrigé", "nested difference": "différence emboîtée", "one Gaussian": "une gaussienne",
    "three components": "trois composantes", "tree": "arbre", "a bent surface": "une surface courbe", "a chessboard": "un échiquier",
    "a line of three inputs": "une droite de trois entrées", "Weibull": "Weibull", "of errors ten times larger": "d'erreurs dix fois plus grandes",
    "leave-one-out": "leave-one-out", "clouds 4 apart": "nuages à distance 4", "each of": "chacune de", "times, undeclared": "fois, non déclaré",
    "undeclared": "non déclaré", "in order": "en ordre", "mixed": "mélangés", "two strata": "deux strates", "as often as": "aussi souvent que",
    "weights of sum 1": "poids de somme 1", "counts": "comptes", "nine cells": "neuf cases", "a linear predictor": "un prédicteur linéaire",
    "a small tree": "un petit arbre", "two equal predictors": "deux prédicteurs égaux", "skewed inputs": "entrées asymétriques",
    "sealed rows": "lignes scellées", "mostly zero": "surtout des zéros", "two kinds of rows": "deux sortes de lignes", "a rounded target": "une cible arrondie",
    "inputs of two values": "entrées à deux valeurs", "inputs of three values": "entrées à trois valeurs", "very correlated inputs": "entrées très corrélées",
    "a target cut off": "une cible censurée", "spread grows with the mean": "dispersion croissant avec la moyenne",
    "classes of unequal spread": "classes de dispersions inégales", "a class of": "une classe de", "five ordered classes": "cinq classes ordonnées",
    "forest": "forêt", "neighbours": "voisins", "kernel ridge": "régression écrêtée à noyau", "tuned ridge": "régression écrêtée réglée",
    "tuned lasso": "lasso réglé", "nothing is shown": "rien n'est montré", "pure noise": "pur bruit",
    "gamma errors": "erreurs gamma", "far inputs": "entrées lointaines", "an interaction": "une interaction", "lifetimes": "durées de vie",
    "rounded inputs": "entrées arrondies", "one label of ten wrong": "une étiquette fausse sur dix", "one to thirty": "un contre trente",
    "a class on both sides": "une classe des deux côtés", "classes with far rows": "classes à lignes lointaines",
    "errors in two heaps": "erreurs en deux tas", "told in a part of the rows": "dit dans une partie des lignes",
    "exponential scores": "scores exponentiels", "tied scores": "scores ex æquo", "scores of unequal spread": "scores de dispersions inégales",
    "gamma inputs": "entrées gamma", "log loss": "perte log", "twice n": "deux fois n", "correlated inputs": "entrées corrélées",
    "two clouds": "deux nuages", "four equal predictors": "quatre prédicteurs égaux", "moving average": "moyenne mobile", "a season": "une saison",
    "groups of unequal sizes": "groupes de tailles inégales",
    "fails": "échoue",
    # in the wild
    "Numbers": "Nombres", "Classes": "Classes", "tables": "tableaux", "rival": "rival", "its error / ours": "son erreur / la nôtre",
    "tables where we are ahead": "tableaux où nous sommes devant", "its log loss - ours": "sa perte log - la nôtre", "its AUC - ours": "son AUC - la nôtre",
    "RBF machine, grid": "machine RBF, grille", "extra trees": "arbres extrêmement aléatoires", "network": "réseau", "random forest": "forêt aléatoire",
    "best of each table, with hindsight": "le meilleur de chaque tableau, choisi après coup",
    "on the splits that it has": "sur les partages qu'il a",
    "(CatBoost against the best of the others)": "(CatBoost contre le meilleur des autres)",
    "Ahead of every single rival": "Devant chaque rival", "yes": "oui", "no": "non", "no, not of": "non, pas de",
    "Ahead of CatBoost by 2 % or more": "Devant CatBoost de 2 % ou plus", "At most": "Au plus", "behind the best of each table": "derrière le meilleur de chaque tableau",
    "No table more than 15 % behind beyond two standard errors of its splits": "Aucun tableau à plus de 15 % au-delà de deux écarts-types de ses partages",
    "table": "tableau", "best rival": "meilleur rival", "chosen": "choisi",
    "Processor seconds a table and split": "Secondes de processeur par tableau et partage", "épée": "épée",
    "One split of these": "Un partage de ces", "minutes of one core, between that and half of it on two that have nothing else to do":
        "minutes d'un cœur, entre cela et la moitié sur deux qui n'ont rien d'autre à faire",
    "The sealed 95 % interval held the error on the rest": "L'intervalle scellé à 95 % a contenu l'erreur sur le reste",
    # laws of an outside examiner
    "half-normal": "demi-normale", "arcsine": "arcsinus", "skewed to the left": "asymétrique à gauche", "of errors zero": "des erreurs nulles",
    "two values, 1 to 9": "deux valeurs, 1 à 9", "three times larger": "trois fois plus grandes", "symmetric": "symétrique",
    "a tenth of the rows four times as noisy": "un dixième des lignes quatre fois plus bruité", "naive Bayes": "Bayes naïf",
    "five costs of": "cinq coûts de", "copied a random number of times": "copiées un nombre aléatoire de fois", "nearly copied": "presque copiées",
    "copied a random number of times, undeclared": "copiées un nombre aléatoire de fois, non déclaré",
    "a random slope a group": "une pente aléatoire par groupe", "a place that is an input": "un lieu qui est une entrée",
    "a name that is an input": "un nom qui est une entrée", "a field over a map": "un champ sur une carte",
    "spread that persists": "une dispersion qui persiste", "days of a week": "jours de la semaine", "a cycle": "un cycle",
    "classes that persist": "des classes qui persistent", "unsaid": "non dit", "tied to the spread": "liés à la dispersion",
    "normalised": "normalisés", "whole numbers of a survey": "entiers d'un sondage", "said": "dit", "of cells": "de cases",
    "sorted by the target": "triées par la cible", "classes in blocks": "classes par blocs", "sorted": "triées", "of a wave": "d'une onde",
    "two folds": "deux plis", "two equal pipelines": "deux chaînes égales", "scores tenths": "scores en dixièmes",
    "scores nearly perfect": "scores presque parfaits", "scores that tell nothing": "scores qui ne disent rien",
    "scores of two heaps": "scores en deux tas", "scores beta": "scores bêta", "positives drawn": "positifs tirés",
    "inputs and errors": "entrées et erreurs", "labels": "étiquettes", "absolute errors": "erreurs absolues", "a fitted plane": "un plan ajusté",
    "rare ones": "rares", "too sure": "trop sûr", "five columns": "cinq colonnes", "unequal clouds": "nuages inégaux", "diagonal": "diagonale",
    "kernel density": "densité à noyau", "isotonic": "isotone", "copies of a column": "copies d'une colonne", "a rare class": "une classe rare",
    "never certain": "jamais certain", "one cloud": "un nuage", "two columns that share their spread": "deux colonnes de même dispersion",
    "rounded to a half": "arrondi au demi", "whole numbers": "nombres entiers", "one column": "une colonne", "triangular": "triangulaire", "of all kinds": "de toutes sortes",
    "of all kinds of columns": "de toutes sortes de colonnes",
    # laws of a second examiner
    "a line": "une droite", "heaps of ten": "tas de dix", "cut at both ends": "coupé aux deux bouts",
    "zero for two reasons": "nul pour deux raisons", "six decades": "six décades", "the spread of a level": "la dispersion d'une modalité",
    "a questionnaire": "un questionnaire", "rare levels": "modalités rares", "a hidden regime": "un régime caché",
    "columns equal to a millionth": "colonnes égales au millionième près", "an origin of a million": "une origine à un million",
    "single precision": "simple précision", "a missed step": "une marche manquée", "uniform errors": "erreurs uniformes",
    "cells missing by chance": "cases manquantes par hasard", "cells missing because large": "cases manquantes car grandes",
    "a tree": "un arbre", "ticked boxes": "cases cochées", "ten classes": "dix classes", "classes far apart": "classes éloignées",
    "mistakes of one class": "erreurs d'une seule classe", "opposite corners": "coins opposés", "told by nothing": "dit par rien",
    "seven steps": "sept marches", "two populations": "deux populations",
    "one group holds half of the rows": "un groupe tient la moitié des lignes", "three groups": "trois groupes",
    "a panel with a trend": "un panel avec tendance", "a block pasted twice": "un bloc collé deux fois",
    "rows in towns, a field over the map": "lignes dans des villes, un champ sur la carte", "a random walk": "une marche aléatoire",
    "a missed trend": "une tendance manquée", "a break": "une rupture", "months, a multiple": "mois, un multiple",
    "inputs that follow each other, too": "entrées qui se suivent, elles aussi", "a third are 0": "un tiers sont nuls",
    "interval of a difference": "intervalle d'une différence", "risk - risk": "risque - risque", "rates, same rows": "taux, mêmes lignes",
    "rates, other rows": "taux, autres lignes", "squared, same rows": "quadratique, mêmes lignes",
    "squared, other rows": "quadratique, autres lignes", "hardly different, same rows": "à peine différents, mêmes lignes",
    "few and many rows": "peu et beaucoup de lignes", "interval": "intervalle", "rates of": "taux de",
    "ten times as many": "dix fois plus", "scores of three values": "scores à trois valeurs",
    "half of the positives hidden": "la moitié des positifs cachés", "worse than chance": "pire que le hasard",
    "over-sure with wrong labels": "trop sûr, étiquettes fausses", "one negative in ten was kept": "un négatif sur dix fut gardé",
    "hardly told": "à peine dit", "told wrongly": "dit à tort", "nearly all": "presque tout",
    "a box rarely ticked": "une case rarement cochée", "answers from 1 to 5": "réponses de 1 à 5",
    "a column that is not used": "une colonne qui ne sert pas", "errors that follow the column": "erreurs qui suivent la colonne",
    "chances that level off": "chances qui plafonnent", "copies": "copies", "heavy": "lourde", "a million away": "à un million de là",
    "tied covariances": "covariances communes", "new groups": "groupes nouveaux",
    "more columns than rows": "plus de colonnes que de lignes", "a plane on fixed inputs": "un plan à entrées fixes",
    "a stump": "une souche", "the board": "le tableau", "noise": "bruit", "a target of heaps": "une cible en tas",
    "splits of": "partages de", "when the rest's own error bar is allowed for": "en tenant compte de la barre d'erreur du reste",
    "Processor time of `learn`": "Temps de processeur de `learn`", "median": "médiane", "most": "maximum",
    # laws of a third examiner
    "one input": "une entrée", "ridge of a millionth": "régression écrêtée d'un millionième", "least norm": "norme minimale",
    "units of sixteen orders": "unités de seize ordres de grandeur", "single precision at a million": "simple précision à un million",
    "shares that add up to one": "parts de somme un", "insurance claims": "sinistres d'assurance", "soiled errors": "erreurs souillées",
    "a bent line, fourth degree": "une ligne brisée, quatrième degré",
    "products after a scaler, ridge": "produits après une mise à l'échelle, régression écrêtée", "forty columns": "quarante colonnes",
    "Poisson deviance": "déviance de Poisson", "counts of great spread": "comptes de grande dispersion",
    "a quantile of 0.9, pinball": "un quantile de 0.9, perte au quantile",
    "money, a line of its logarithm": "sommes d'argent, une droite de leur logarithme",
    "sixty levels coded by their targets": "soixante modalités codées par leurs cibles",
    "five of a hundred columns picked": "cinq colonnes retenues sur cent", "two of eight": "deux sur huit",
    "cells below a limit, indicated": "cases sous un seuil, signalées", "t(1.5) errors": "erreurs t(1.5)", "t(2.5) errors": "erreurs t(2.5)",
    "a wave": "une onde", "smoothing spline": "spline de lissage", "spline basis and ridge": "base de splines et régression écrêtée",
    "additive splines": "splines additives", "a staircase": "un escalier", "a full tree": "un arbre complet",
    "the nearest row": "la ligne la plus proche", "flat ellipsoids": "ellipsoïdes plats",
    "classes 3 apart, free logistic": "classes à distance 3, logistique libre", "at 4 apart": "à distance 4",
    "four grades": "quatre niveaux", "sixteen costs": "seize coûts", "decided by costs": "décidé par les coûts",
    "two clouds with a right to be silent": "deux nuages avec le droit de se taire", "thirty classes": "trente classes",
    "three labels of ten wrong": "trois étiquettes fausses sur dix", "even noise": "bruit à classes égales",
    "ten of 500 columns picked": "dix colonnes retenues sur 500", "rare answers": "réponses rares",
    "naive Bayes of categories": "Bayes naïf de catégories",
    "groups of a hundred rows to four, each with its slope": "groupes de cent à quatre lignes, chacun avec sa pente",
    "of one factor": "d'un seul facteur", "persons and items": "personnes et questions", "classes of a school": "classes d'une école",
    "the item a column": "la question en colonne", "cells alone": "cellules seules",
    "bursts": "rafales", "a market": "un marché", "windows of twelve": "fenêtres de douze", "two regimes": "deux régimes",
    "a drift, said by yesterday": "une dérive, prédite par la veille", "three lags of AR": "trois retards d'AR",
    "a grid of places, row by row": "une grille de lieux, ligne par ligne",
    "half of a grid, places are inputs": "la moitié d'une grille, les lieux sont des entrées",
    "forty designs measured three times": "quarante configurations mesurées trois fois",
    "twins of other inputs, shuffled": "jumeaux d'autres entrées, mélangés",
    "twins of equal inputs, shuffled": "jumeaux de mêmes entrées, mélangés",
    "sorted by what nobody noted": "triées par ce que personne n'a noté", "sorted by an input": "triées par une entrée",
    "batches of thirty of another spread": "lots de trente, chacun de sa dispersion",
    "a machine that warms up": "une machine qui monte en température",
    "kept by the target": "gardées selon la cible", "kept by the error": "gardées selon l'erreur", "kept by the class": "gardées selon la classe",
    "error rate at": "taux d'erreur à", "cv+ at": "cv+ à", "counts of mean": "comptes de moyenne",
    "nine rows of ten score the same": "neuf lignes sur dix de même score", "told for sure": "dit à coup sûr",
    "positives at both ends": "positifs aux deux bouts", "one positive of a hundred, well told": "un positif sur cent, bien dit",
    "patients of five rows": "patients de cinq lignes", "every row twice": "chaque ligne deux fois",
    "every row three times": "chaque ligne trois fois", "months of AR": "mois d'AR", "a target of two values": "une cible à deux valeurs",
    "nothing told": "rien n'est dit", "a product of two columns, correlation": "un produit de deux colonnes, corrélation",
    "a heavy column": "une colonne lourde", "nine cells of ten zero": "neuf cases sur dix nulles",
    "spread of the inputs, a forest": "dispersion selon les entrées, une forêt", "groups of one to thirty": "groupes de un à trente",
    "five columns picked": "cinq colonnes retenues", "as many columns as rows": "autant de colonnes que de lignes",
    "a sharp frontier": "une frontière nette", "a slow start": "un départ lent", "three heaps": "trois tas", "eight columns": "huit colonnes",
    "a small cloud of one in ten": "un petit nuage d'une ligne sur dix", "three columns": "trois colonnes",
    "a narrow window": "une fenêtre étroite", "a series": "une série", "a banana": "une banane", "a funnel": "un entonnoir",
    "a cloud in a mist": "un nuage dans une brume", "three on a line": "trois sur une droite",
    "one row in ten far off": "une ligne sur dix très loin", "times n": "fois n", "ridge and lasso": "régression écrêtée et lasso",
    "two seeds of a forest": "deux graines d'une forêt", "twelve columns of noise": "douze colonnes de bruit", "groups, said": "groupes, dits",
    "in time, said": "dans le temps, dit", "a line and a tree": "une droite et un arbre", "a line and a product": "une droite et un produit",
    "LDA and QDA": "LDA et QDA", "a shop, sealed": "une boutique, lignes scellées",
    "a shop, skewed, the board": "une boutique, cible asymétrique, le tableau",
    "a shop, buyers, the board": "une boutique, acheteurs, le tableau", "fifty columns": "cinquante colonnes",
    "thirty levels and missing cells": "trente modalités et cases manquantes",
    # inputs that reach far out, and errors that are weakly alike
    "a line of": "une droite sur", "a power of": "une puissance", "a tree of": "un arbre sur", "prices": "des prix",
    "three prices": "trois prix", "tails": "des queues", "normal": "une normale", "of normal": "d'une normale", "heavy errors": "erreurs lourdes",
    "five equal pipelines": "cinq chaînes égales",
    "for a line": "pour une droite", "for a root": "pour une racine", "for a logarithm": "pour un logarithme", "for a bend": "pour un coude",
    "clumps of five": "paquets de cinq", "clumps of twenty": "paquets de vingt", "weakly alike": "un peu semblables",
    "a spread that answers": "une dispersion qui répond", "a spread that answers a little": "une dispersion qui répond un peu",
    "nothing at all": "rien du tout",
    # laws of a fourth examiner
    "counts near a third": "comptes proches d'un tiers", "counts near five": "comptes proches de cinq", "waits": "attentes",
    "quantile 0.9": "quantile 0.9", "one error in twelve eight too large": "une erreur sur douze trop grande de huit",
    "Laplace errors": "erreurs de Laplace", "heavy columns": "colonnes lourdes", "multiplied errors": "erreurs multipliées",
    "seven zeros of ten": "sept zéros sur dix", "shares near the ends": "parts proches des bouts",
    "rounded to whole numbers": "arrondi à des nombres entiers", "nearly equal clouds": "nuages presque égaux",
    "four unequal classes": "quatre classes inégales", "three even classes": "trois classes égales",
    "three classes, fifty for the rare one": "trois classes, cinquante pour la rare",
    "overlapping clouds, one cost of five": "nuages qui se recouvrent, un coût de cinq",
    "nine of ten positive": "neuf positifs sur dix", "one of a thousand": "une sur mille",
    "labels wrong where an input is large": "étiquettes fausses où une entrée est grande",
    "months that answer a year ago": "des mois qui répondent à l'an passé", "dates": "dates",
    "a spread that drifts": "une dispersion qui dérive", "a spread that grows": "une dispersion qui croît",
    "a quarter of the labels wrong in runs": "un quart des étiquettes fausses, en séries",
    "half of the labels wrong in runs": "la moitié des étiquettes fausses, en séries",
    "three of a family": "trois d'une famille", "two of a family": "deux d'une famille", "shuffled": "mélangées",
    "and its number": "et son numéro", "share a class": "se partagent une classe",
    "groups of one to twenty": "groupes de un à vingt", "a level of their own": "un niveau propre",
    "the large err more": "les grands se trompent plus", "mistakes": "erreurs", "chances": "chances",
    "scores of groups of one to twenty": "scores de groupes de un à vingt",
    "one positive of a thousand": "un positif sur mille", "nine positives of ten": "neuf positifs sur dix",
    "wrong at the top": "faux au sommet", "two columns of correlation": "deux colonnes de corrélation",
    "a fitted line of correlated columns": "une droite apprise de colonnes corrélées",
    "a fitted rule of correlated columns": "une règle apprise de colonnes corrélées",
    "a shadow of a column that is used": "l'ombre d'une colonne qui sert", "a spread of an input": "une dispersion selon une entrée",
    "heavy columns and their spread": "colonnes lourdes et leur dispersion", "mean": "moyenne", "prediction": "prédiction",
    "lognormal scores": "scores lognormaux", "small errors often, large ones rarely": "petites erreurs souvent, grandes rarement",
    "errors of one class, errors of both": "erreurs d'une classe, erreurs des deux",
    "an even label, LDA and neighbours": "une étiquette à pile ou face, LDA et voisins",
    "an even label, naive Bayes and a tree": "une étiquette à pile ou face, Bayes naïf et arbre", "two halves": "deux moitiés",
    "two clouds of one shape": "deux nuages de même forme", "a cloud in a cloud": "un nuage dans un nuage",
    "three clouds of unequal share": "trois nuages de parts inégales", "counts of two kinds": "comptes de deux sortes",
    "two clouds that overlap": "deux nuages qui se recouvrent",
    # laws of a fifth examiner
    "ratio of amounts below a limit": "rapport de quantités sous un seuil", "amounts below a limit": "quantités sous un seuil",
    "amounts with one digit": "quantités à une décimale", "counts with exposure": "comptes avec exposition",
    "parts of a whole": "parts d'un tout", "yields near 99 percent": "rendements proches de 99 %",
    "yields near 99 percent, absolute": "rendements proches de 99 %, perte absolue",
    "seven doses": "sept doses", "seven doses that level off": "sept doses dont l'effet plafonne",
    "doses that level off": "doses dont l'effet plafonne", "second degree": "second degré", "third degree": "troisième degré",
    "an index without error": "un indice sans erreur", "a direction": "une direction",
    "power of the wind": "puissance du vent", "spline": "spline", "scores of pain": "scores de douleur",
    "thirty streets": "trente rues", "a product of columns": "un produit de colonnes", "a product of signs": "un produit de signes",
    "a small network": "un petit réseau", "hours of the day": "heures du jour", "ten columns": "dix colonnes",
    "fourteen columns": "quatorze colonnes", "forty-two columns": "quarante-deux colonnes",
    "four correlated columns, full": "quatre colonnes corrélées, covariance complète", "columns of four kinds": "colonnes de quatre sortes",
    "three targets": "trois cibles", "half precision": "demi-précision", "twelve settings": "douze réglages",
    "three laboratories": "trois laboratoires", "animals at places": "animaux selon le lieu",
    "incomes less a rent": "revenus moins un loyer", "ordered grades": "niveaux ordonnés", "costs of steps": "coûts par cran",
    "words of documents": "mots de documents", "clicks of campaigns": "clics de campagnes", "frauds": "fraudes",
    "logistic decided by costs": "logistique décidée par les coûts", "rates weighed by exposure": "taux pondérés par l'exposition",
    "weights of a known spread": "poids d'une dispersion connue", "raters who agree": "annotateurs qui s'accordent",
    "votes of a survey": "votes d'un sondage", "a bioassay": "un essai biologique",
    "pupils of classes of schools": "élèves de classes d'écoles", "visits that stop": "visites qui cessent",
    "plots of sites": "parcelles de sites", "patients of clinics": "patients de cliniques", "groups": "groupes", "groups=": "groups=",
    "shops whose months share a shock": "boutiques dont les mois partagent un choc", "shops": "boutiques",
    "irregular times": "instants irréguliers", "targets known late": "cibles connues avec retard",
    "inputs drift, errors do not": "les entrées dérivent, pas les erreurs", "days and weeks": "jours et semaines",
    "calm and rough weeks": "semaines calmes et agitées", "independent all the same": "lignes indépendantes malgré tout",
    "read, or rounded to whole numbers": "lu tel quel, ou arrondi à des nombres entiers",
    "a large study and a small one, rates of half a percent": "une grande étude et une petite, taux d'un demi pour cent",
    "labels of three kinds": "étiquettes de trois sortes", "a line and a cubic": "une droite et une cubique",
    "ridge and a line": "régression écrêtée et droite", "a line and neighbours": "une droite et des voisins",
    "LDA and neighbours": "LDA et voisins", "counts of visits": "comptes de visites", "percentages": "pourcentages",
    "on one side of a plane": "d'un seul côté d'un plan", "two clouds, one of a fifth": "deux nuages, dont un d'un cinquième",
    "sealed": "lignes scellées", "board": "le tableau",
}  # fmt: skip
# what has the same name in French: libraries, classes, solvers, laws, worlds
NAMES = re.compile(
    r"""`[^`]*`|--help|\b[a-z_]+=|\b(?:[A-Z]\w*[A-Z]\w*|\w+_\w+|\w+\.\w+|learn|cKDTree|scikit-learn(?:-intelex)?|intelex|elkan|faiss|fastcluster|kmedoids|fasterpam|float\d+|
    Ward|lsqr|eigen|Taxi-v\d+|FrozenLake-v\d+|CliffWalking-v\d+|Wilson|SciPy|lbfgs|newton-\w+|liblinear|saga|pymdptoolbox|mdptoolbox-hiive|uniform|
    auto|celer|Dask|dask|Isomap|Lasso|Ridge|Newton|Laplace|Gumbel|Pareto|Wald|Bernoulli|platt|split|conformal|mcnemar|explain|gamma|AMD|EPYC|Linux|Python|openblas|numpy|scipy|numba|pyarrow|pandas|polars|xgboost|
    Brier|Friedman|Huber|Poisson|compare|importance|outliers|extrapolate|brier|Calibrated|exp|size|epee|max|exactly|Parquet|PyTorch|torch)\b""",
    re.X,
)


@cache
def _pattern() -> re.Pattern[str]:
    longest = sorted(PHRASES, key=len, reverse=True)
    return re.compile(r"(?<![\w`])(?:" + "|".join(map(re.escape, longest)) + r")(?![\w`])")


def measured(page: str) -> str:
    """Return the part of a page or file that is measured."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found = BETWEEN.search(text)
    return found[1] if found else text


def in_french(text: str) -> str:
    """Return what is measured with its words and numbers in French.

    >>> print(in_french("| LDA fit, 200,000 x 100, 10 classes | 116 ms | 23.8x [21.8, 25.9] faster | at least 20 |"))
    | LDA ajusté, 200 000 x 100, 10 classes | 116 ms | 23,8x [21,8 ; 25,9] plus rapide | au moins 20 |
    """
    return "\n".join(line if line.startswith("#") else _line(line) for line in text.split("\n"))


def _line(line: str) -> str:
    line = _pattern().sub(lambda found: PHRASES[found[0]], line)
    if re.match(r"\d{4}-\d\d-\d\d", line):  # versions of libraries are no numbers
        return line
    line = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "\u202f", line)
    line = re.sub(r"(?<=\d)\.(?=\d)", ",", line)
    line = re.sub(r"\[([^],;]*,[^],;]*), ([^]]*)\]", r"[\1 ; \2]", line)
    return re.sub(r"(?<=[^\s|])([:;]) ", "\u00a0\\1 ", line)


def page_in_french(text: str) -> str:
    """Return a page whose measured part, between the markers, is French."""
    return BETWEEN.sub(lambda found: in_french(found[1]), text)


def left(text: str) -> Iterator[str]:
    """Yield the words that no phrase and no name covers.

    >>> list(left("| Ward 5,000 x 2 | a brand new thing | 3.5x [3.4, 3.6] faster |"))
    ['brand', 'new', 'thing']
    """
    for line in text.splitlines():
        if re.match(r"#+ ", line):
            continue
        bare = NAMES.sub(" ", _pattern().sub(" ", line))
        yield from re.findall(r"[^\W\d_]{3,}", bare)
