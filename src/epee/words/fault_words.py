"""What is wrong, said in French: the sentences that the command line may end with, by their English twins.

Errors are raised in English, where code written against scikit-learn looks for its words; who asked for French reads them in French.
``{}`` stands for what is filled in; the French sentence takes the fields in the same order, or by number.
"""

from __future__ import annotations

import re
from functools import cache

FRENCH: dict[str, str] = {
    # tables
    "{} is empty (0 bytes).": "{} est vide (0 octet).",
    "{} is empty.": "{} est vide.",
    "{} is no table that is known here: it begins with {}. Give CSV, Parquet, Arrow, Feather, JSON, Excel, SQLite, DuckDB, ARFF or svmlight.": "{} n'est pas un tableau connu ici : il commence par {}. Donner du CSV, Parquet, Arrow, Feather, JSON, Excel, SQLite, DuckDB, ARFF ou svmlight.",
    "{} is not a text file: it holds NUL bytes. Save the table as CSV or Parquet.": "{} n'est pas un fichier texte : il contient des octets nuls. Enregistrer le tableau en CSV ou Parquet.",
    "{} is a truncated compressed file: its end is missing. Fetch or write the file again.": "{} est un fichier compressé tronqué : sa fin manque. Le récupérer ou le réécrire.",
    "{} is a damaged compressed file ({}). Fetch or write the file again.": "{} est un fichier compressé abîmé ({}). Le récupérer ou le réécrire.",
    "{} is a damaged zip archive: {}. Fetch or write the file again.": "{} est une archive zip abîmée : {}. La récupérer ou la réécrire.",
    "{} is not a Parquet file: it begins with {}, not with b'PAR1'.": "{} n'est pas un fichier Parquet : il commence par {}, et non par b'PAR1'.",
    "{} is a truncated Parquet file: its last bytes are missing. Fetch or write the file again.": "{} est un fichier Parquet tronqué : ses derniers octets manquent. Le récupérer ou le réécrire.",
    "{} is a damaged Parquet file: {} Fetch or write the file again.": "{} est un fichier Parquet abîmé : {} Le récupérer ou le réécrire.",
    "{} has names but no rows: Found array with 0 sample(s), and a minimum of 1 is required.": "{} a des noms de colonnes mais aucune ligne ; il en faut au moins une.",
    "{} has no rows: Found array with 0 sample(s), and a minimum of 1 is required.": "{} n'a aucune ligne ; il en faut au moins une.",
    "{}, line {}: {} where {} are expected ({}): {}.": "{}, ligne {} : {} là où {} sont attendues ({}) : {}.",
    "{}, line {}: {}; close the quote or double it.": "{}, ligne {} : {} ; fermer le guillemet ou le doubler.",
    "{}, line {}: a row of more than {} MB; is a quote never closed?": "{}, ligne {} : une ligne de plus de {} Mo ; un guillemet jamais fermé ?",
    "{}, line {}: a quote opens in the middle of a cell and closes at the end of another; is a delimiter missing before it? Add it, or double the quotes within a quoted cell.": "{}, ligne {} : un guillemet s'ouvre au milieu d'une cellule et se ferme à la fin d'une autre ; manque-t-il un séparateur avant lui ? L'ajouter, ou doubler les guillemets dans une cellule entre guillemets.",
    "{}, line {}: column {}: {} {}. Correct the cell, or take the column as text with types={{}: 'category'}.": "{0}, ligne {1} : colonne {2} : {3} {4}. Corriger la cellule, ou prendre la colonne comme texte avec types={{{5}: 'category'}}.",
    "{} cannot be read as CSV: {}": "{} ne se lit pas comme du CSV : {}",
    "{}two columns are called {} (the second is column {}): rename or drop one of them.": "{}deux colonnes s'appellent {} (la seconde est la colonne {}) : en renommer ou en retirer une.",
    "{}the table has no columns.": "{}le tableau n'a pas de colonne.",
    "there is no {} {}{}": "il n'y a pas de {} {}{}",
    "there are no columns {}{}.": "il n'y a pas de colonnes {}{}.",
    "there is no encoding {}; try 'utf-8', 'utf-16' or 'cp1252'.": "il n'y a pas d'encodage {} ; essayer 'utf-8', 'utf-16' ou 'cp1252'.",
    "the folder {} holds no Parquet or CSV file, nor any other table.": "le dossier {} ne contient ni fichier Parquet ou CSV, ni autre tableau.",
    "{} is an address, and only files are read here: fetch it first, then give the file.": "{} est une adresse, et seuls des fichiers sont lus ici : la récupérer d'abord, puis donner le fichier.",
    "{} is a pipe or a device, not a file, and can be read only once: give '-' and redirect it, < {}.": "{} est un tube ou un périphérique, pas un fichier, et ne se lit qu'une fois : donner '-' et rediriger, < {}.",
    "{} holds no {} {}; there are {}.": "{} ne contient pas de {} {} ; il y a {}.",
    "{} holds {} {}s: {}; choose one: {}::{}": "{} contient {} {}s : {} ; en choisir un : {}::{}",
    "Input {} contains NaN: {}: {} missing value{} (NaN), first in row {}. Fill or drop them.": "{1} : données manquantes (NaN) dans {0}, au nombre de {2}, la première à la ligne {4}. Les compléter ou les retirer.",
    "Input {} contains infinity: {}: {} infinite value{}, first in row {}. Replace or drop them.": "{1} : valeurs infinies dans {0}, au nombre de {2}, la première à la ligne {4}. Les remplacer ou les retirer.",
    "Input y contains NaN: column {}: {} missing label{}, first in {}. Fill or drop these rows.": "colonne {0} : étiquettes manquantes, au nombre de {1}, la première en {3}. Compléter ou retirer ces lignes.",
    "the query must be one SELECT statement; nothing else is run.": "la requête doit être une seule instruction SELECT ; rien d'autre n'est exécuté.",
    "the query cannot be run: {}": "la requête ne peut pas être exécutée : {}",
    "the query failed: {}.": "la requête a échoué : {}.",
    "{} is an Excel workbook, which needs openpyxl: pip install 'epee[excel]'.": "{} est un classeur Excel, qui demande openpyxl : pip install 'epee[excel]'.",
    # the target and the other roles
    "which column is to be predicted? Name the target.": "quelle colonne prédire ? Nommer la cible.",
    "{} has {} rows with a target: too few to learn from and to test; at least 8 are needed.": "{} a {} lignes avec une cible : trop peu pour apprendre et tester ; il en faut au moins 8.",
    "{} has a header but no rows.": "{} a un en-tête mais aucune ligne.",
    "column {}: all its {} cells are missing; it cannot be the target.": "colonne {} : ses {} cellules sont toutes manquantes ; elle ne peut être la cible.",
    "column {} holds dates and cannot be the target; give days since some day as a number.": "la colonne {} contient des dates et ne peut être la cible ; donner un nombre de jours.",
    "column {} is {} in every row: there is nothing to predict.": "la colonne {} vaut {} dans toutes les lignes : il n'y a rien à prédire.",
    "column {} has {} different labels in {} rows: too many to be classes. Choose another target, or say --type {}=number if they are numbers.": "la colonne {} a {} étiquettes différentes en {} lignes : trop pour des classes. Choisir une autre cible, ou dire --type {}=number si ce sont des nombres.",
    "column {}: class {} has {} rows{}: at least 3 are needed, to learn from and to test. Merge it with another class, join rare ones (--rare join), or drop its rows.": "colonne {} : la classe {} a {} lignes{} : il en faut au moins 3, pour apprendre et tester. La réunir à une autre classe, réunir les classes rares (--rare join), ou retirer ses lignes.",
    "{} has no column left to learn from: all have other roles or are left out.": "{} n'a plus de colonne d'où apprendre : toutes ont d'autres rôles ou sont laissées de côté.",
    "column {}: {} cells are missing, but it is the {} column; fill or drop these rows.": "colonne {} : {} cellules manquent, mais c'est la colonne de rôle {} ; compléter ou retirer ces lignes.",
    "the target {} is named twice; name each column once.": "la cible {} est nommée deux fois ; nommer chaque colonne une fois.",
    "column {} is given two roles among target, weight, groups and time; give it one.": "la colonne {} a deux rôles parmi cible, poids, groupes et temps ; lui en donner un.",
    "column {} holds texts, but {}.": "la colonne {} contient des textes, mais {}.",
    "column {}: {} rows have no group; fill or drop them.": "colonne {} : {} lignes n'ont pas de groupe ; les compléter ou les retirer.",
    "column {} holds texts: several targets must all be numbers. Learn its classes in a run of their own.": "la colonne {} contient des textes : plusieurs cibles doivent toutes être des nombres. Apprendre ses classes à part.",
    "class {} hardly occurs in the first stretch of {}, from which the first predictor learns: leave the early rows out.": "la classe {} n'apparaît guère au début de {}, d'où apprend le premier prédicteur : laisser de côté les premières lignes.",
    "the table must have named columns: give a path, a SQL query, or a frame of pandas, polars or Arrow.": "le tableau doit avoir des colonnes nommées : donner un chemin, une requête SQL, ou un cadre pandas, polars ou Arrow.",
    "all rows have the same time: the last ones cannot be set aside. Leave the time column out.": "toutes les lignes ont le même temps : les dernières ne peuvent être mises à part. Laisser la colonne de temps de côté.",
    "there are only {} groups: at least 3 are needed, to learn from and to test.": "il n'y a que {} groupes : il en faut au moins 3, pour apprendre et tester.",
    "column {}: there is no kind {}; the kinds are {}.": "colonne {} : il n'y a pas de sorte {} ; les sortes sont {}.",
    # settings
    "--type {} should be written column=kind, as in zip=category.": "--type {} s'écrit colonne=sorte, comme zip=category.",
    "{} should hold names of columns and kinds, both as text.": "{} doit contenir des noms de colonnes et des sortes, en texte.",
    '{} should hold JSON such as {"zip": "category"}, or lines column,kind.': '{} doit contenir du JSON comme {{"zip": "category"}}, ou des lignes colonne,sorte.',
    "the budget {} is no time; write it like 60s, 2min or 1h.": "le budget {} n'est pas une durée ; l'écrire comme 60s, 2min ou 1h.",
    "test_size is {}; it must be a share of the rows, from 0 (no test) to below 1.": "test_size vaut {} ; c'est une part des lignes, de 0 (pas de test) à moins de 1.",
    "folds is {}; it must be a whole number of at least 2.": "folds vaut {} ; c'est un nombre entier d'au moins 2.",
    "random_state is {}; give a whole number, so that the result can be had again.": "random_state vaut {} ; donner un nombre entier, pour pouvoir retrouver le résultat.",
    "random_state is {}; give a whole number, so that the same rows can be had again.": "random_state vaut {} ; donner un nombre entier, pour pouvoir retrouver les mêmes lignes.",
    "prefer is {}; it must be 'simplicity', 'balance' or 'accuracy'.": "prefer vaut {} ; ce doit être 'simplicity', 'balance' ou 'accuracy'.",
    "predictors is empty: give keys of the hierarchy or estimators, or leave it out.": "predictors est vide : donner des clés de la hiérarchie ou des estimateurs, ou ne rien dire.",
    "there is no predictor {} for this target{}": "il n'y a pas de prédicteur {} pour cette cible{}",
    "{} is no {}, which this target needs.": "{} n'est pas un {}, que cette cible demande.",
    "costs are a loss of their own: give loss, or costs and reject_cost, not both.": "les coûts sont une perte : donner loss, ou costs et reject_cost, pas les deux.",
    "costs and reject_cost are for classes; the target of this table is a number.": "costs et reject_cost sont pour des classes ; la cible de ce tableau est un nombre.",
    "there is no finding {}; the codes are {} to {}.": "il n'y a pas de constat {} ; les codes vont de {} à {}.",
    "a combination needs two predictors that ran and give numbers or probabilities.": "une combinaison demande deux prédicteurs qui ont tourné et donnent des nombres ou des probabilités.",
    "--no-save and --output contradict one another; give one of them.": "--no-save et --output se contredisent ; n'en donner qu'un.",
    "--plain, --proba and --interval contradict one another; give one of them.": "--plain, --proba et --interval se contredisent ; n'en donner qu'un.",
    # saved predictors
    "{} has no format number that makes sense.": "{} n'a pas de numéro de format sensé.",
    "{} has format {}, and this version of épée reads up to {}: update épée.": "{} est au format {}, et cette version d'épée lit jusqu'au {} : mettre épée à jour.",
    "{} was edited or is damaged: its parts are not those of its manifest.": "{} a été modifié ou est abîmé : ses parties ne sont pas celles de son manifeste.",
    "{} holds an array of an unknown format.": "{} contient un tableau de format inconnu.",
    "{} was edited or is damaged: an array does not fit its header.": "{} a été modifié ou est abîmé : un tableau ne correspond pas à son en-tête.",
    "this predictor cannot be saved: {}": "ce prédicteur ne peut être enregistré : {}",
    "{} was edited or is damaged ({}); learn again, or take the original file.": "{} a été modifié ou est abîmé ({}) ; apprendre à nouveau, ou prendre le fichier d'origine.",
    "{} was edited or is damaged: its predictor cannot answer ({}); learn again, or take the original file.": "{} a été modifié ou est abîmé : son prédicteur ne répond pas ({}) ; apprendre à nouveau, ou prendre le fichier d'origine.",
    "{} {} ({}); give a file that epee learn wrote.": "{} {} ({}) ; donner un fichier écrit par epee learn.",
    "{} is truncated or damaged ({}).": "{} est tronqué ou abîmé ({}).",
    "{} is truncated or damaged (a part lies nowhere).": "{} est tronqué ou abîmé (une partie n'est nulle part).",
    "{} was edited or is damaged: the checksum of {} does not agree.": "{} a été modifié ou est abîmé : la somme de contrôle de {} ne correspond pas.",
    "{} is a zip archive, but no predictor of épée.": "{} est une archive zip, mais pas un prédicteur d'épée.",
    "{} was edited: its parts are not as épée writes them.": "{} a été modifié : ses parties ne sont pas celles qu'écrit épée.",
    "{} is damaged: uses of test rows can no longer be counted. Restore it, or learn again.": "{} est abîmé : les usages des lignes de test ne peuvent plus être comptés. Le restaurer, ou apprendre à nouveau.",
    "a {}.{} cannot be saved: a file holds only predictors of épée, so that loading it runs no code. Keep it with the tools it came with, or choose among épée's own predictors.": "un {}.{} ne peut être enregistré : un fichier ne contient que des prédicteurs d'épée, pour que le charger n'exécute aucun code. Le garder avec ses propres outils, ou choisir parmi les prédicteurs d'épée.",
    "a {} cannot be saved: it cannot be pickled ({}).": "un {} ne peut être enregistré : il ne peut être sérialisé par pickle ({}).",
    "it holds {}, a predictor that is not épée's, and loading it runs code from the file. Where you know who wrote it: epee.load(..., trusted=True), or --trust.": "il contient {}, un prédicteur qui n'est pas d'épée, et le charger exécute du code du fichier. Si l'on sait qui l'a écrit : epee.load(..., trusted=True), ou --trust.",
    "it holds {}, which cannot be loaded here ({}: {}): install what it was learned with.": "il contient {}, qui ne peut être chargé ici ({} : {}) : installer ce avec quoi il a été appris.",
    "{} cannot be made: {}: {}": "{} ne peut être construit : {} : {}",
    "the parameters of {} cannot be read; write them as plain values with names, like module:Class(depth=3, loss='log').": "les paramètres de {} sont illisibles ; les écrire comme des valeurs simples avec leurs noms, par exemple module:Classe(depth=3, loss='log').",
    "{}: the module {} needs {}, which is not installed.": "{} : le module {} demande {}, qui n'est pas installé.",
    "{} is not installed: pip install {}. The nearest to it here is {}.": "{} n'est pas installé : pip install {}. Le plus proche ici est {}.",
    "{}: there is no module {} here; install it, or write the module and the class like sklearn.svm:SVC.": "{} : il n'y a pas de module {} ici ; l'installer, ou écrire le module et la classe comme sklearn.svm:SVC.",
    "{}: importing {} failed: {}: {}": "{} : l'import de {} a échoué : {} : {}",
    "the module {} has no class {}{}": "le module {} n'a pas de classe {}{}",
    "{} is no class; name a class with fit and predict.": "{} n'est pas une classe ; nommer une classe avec fit et predict.",
    "{} is a class; give an instance of it: {}(...).": "{} est une classe ; en donner une instance : {}(...).",
    "an array of {} cannot be saved.": "un tableau de {} ne peut être enregistré.",
    "it holds {}, which is not a part of épée that may be loaded.": "il contient {}, qui n'est pas une partie d'épée qu'on puisse charger.",
    "rare is {}; it must be 'leave' or 'join'.": "rare vaut {} ; ce doit être 'leave' ou 'join'.",
    # losses
    "the loss {} is unknown; {} losses are {}.": "la perte {} est inconnue ; {} pertes sont {}.",
    "a loss cannot be a {}; give {}.": "une perte ne peut être un {} ; donner {}.",
    "the loss {} needs {}, which a regressor does not give; use one of 'squared', 'absolute', 'l1.5' (any power), 'quantile0.9' (any share), 'poisson', 'huber', 'tukey', 'welsch', 'geman_mcclure'.": "la perte {} demande {}, que ne donne pas une régression ; prendre 'squared', 'absolute', 'l1.5' (toute puissance), 'quantile0.9' (toute part), 'poisson', 'huber', 'tukey', 'welsch' ou 'geman_mcclure'.",
    "the loss {} needs numbers to subtract, which a classifier does not give; use one of 'zero_one', 'perceptron', 'hinge', 'squared_hinge', 'log', 'brier', 'auc', or a table of costs.": "la perte {} demande des nombres à soustraire, que ne donne pas un classifieur ; prendre 'zero_one', 'perceptron', 'hinge', 'squared_hinge', 'log', 'brier', 'auc', ou une table de coûts.",
    # servers
    "{} is a database server, which DuckDB reads by its extension {}: install that once with python -c \"import duckdb; duckdb.execute('INSTALL {}')\", or give a file.": "{} est un serveur de base de données, que DuckDB lit par son extension {} : l'installer une fois avec python -c \"import duckdb; duckdb.execute('INSTALL {}')\", ou donner un fichier.",
    "{} cannot be read: {}. Look at its address, and at your rights there.": "{} ne peut être lu : {}. Vérifier son adresse, et les droits qu'on y a.",
    # lags
    "--lags {} should be whole numbers as in 1,7, or a column and its as in temp=1,7.": "--lags {} doit être des nombres entiers comme 1,7, ou une colonne et les siens comme temp=1,7.",
    "lags look back in time: name the column of times too (--time).": "les retards regardent en arrière dans le temps : nommer aussi la colonne des temps (--time).",
    "a lag of {} is no number of rows earlier: give whole numbers of at least 1.": "un retard de {} n'est pas un nombre de lignes : donner des nombres entiers d'au moins 1.",
    "column {} holds texts, but time is a date or a number.": "la colonne {} contient des textes, mais le temps est une date ou un nombre.",
    "column {}: {} cells are missing, and lags need the time of every row; fill or drop these rows.": "colonne {} : {} cellules manquent, et les retards demandent le temps de chaque ligne ; remplir ou retirer ces lignes.",
    "rows {} and {} have the same time in column {}: lags need one row a moment.{}": "les lignes {} et {} ont le même temps dans la colonne {} : les retards demandent une ligne par instant.{}",
    "column {} orders, groups or weighs the rows: lags are for the target and for inputs.": "la colonne {} ordonne, groupe ou pèse les lignes : les retards sont pour la cible et les entrées.",
    "column {} holds dates, of which there are no lags; lag numbers, categories or the target.": "la colonne {} contient des dates, qui n'ont pas de retards ; retarder des nombres, des catégories ou la cible.",
    "the table has a column {} already, which is what a lag would be called: rename it, or leave the lag out.": "le tableau a déjà une colonne {}, nom qu'aurait un retard : la renommer, ou retirer le retard.",
    "column {}: no row has one {} rows earlier in its series; take a smaller lag.": "colonne {} : aucune ligne n'en a une {} lignes plus tôt dans sa série ; prendre un retard plus petit.",
    "the table reaches more than {} steps beyond the last known {}: give the values that are known, or fewer rows.": "le tableau va plus de {} pas au-delà du dernier {} connu : donner les valeurs connues, ou moins de lignes.",
    "the table has more rows than when it was read before; start again.": "le tableau a plus de lignes que lors de la lecture précédente ; recommencer.",
    # predictions and assessments
    "column {} cannot be kept: the predictions have a column of that name.": "la colonne {} ne peut être gardée : les prédictions ont une colonne de ce nom.",
    "this predictor gives no probabilities; leave --proba out, or learn with one that does.": "ce prédicteur ne donne pas de probabilités ; retirer --proba, ou apprendre avec un qui en donne.",
    "this predictor predicts classes, which have probabilities and no intervals; say --proba.": "ce prédicteur prédit des classes, qui ont des probabilités et pas d'intervalles ; dire --proba.",
    "a threshold decides between two classes by their probabilities, which this predictor does not give.": "un seuil décide entre deux classes par leurs probabilités, que ce prédicteur ne donne pas.",
    "threshold is {}; it is a probability between 0 and 1.": "threshold vaut {} ; c'est une probabilité entre 0 et 1.",
    "this predictor ({}) gives no probabilities.": "ce prédicteur ({}) ne donne pas de probabilités.",
    "this predictor kept no residuals of held-out rows: it gives no intervals.": "ce prédicteur n'a pas gardé de résidus de lignes mises à part : il ne donne pas d'intervalles.",
    "this predictor was learned by an older épée, which kept no rows to compare with: learn it again.": "ce prédicteur a été appris par une épée plus ancienne, qui ne gardait pas de lignes à comparer : l'apprendre à nouveau.",
    "this predictor has several targets: reasons are for one; learn them one by one.": "ce prédicteur a plusieurs cibles : les raisons sont pour une seule ; les apprendre une à une.",
    "this predictor gives no probabilities, which reasons are about; learn with one that does.": "ce prédicteur ne donne pas de probabilités, sur quoi portent les raisons ; apprendre avec un qui en donne.",
    "all these rows were learned from: their error says nothing about new rows. Give rows that the predictor has not seen.": "toutes ces lignes ont servi à apprendre : leur erreur ne dit rien de nouvelles lignes. Donner des lignes que le prédicteur n'a pas vues.",
    "column {}: no row has a value; there is nothing to compare the predictions with.": "colonne {} : aucune ligne n'a de valeur ; rien à quoi comparer les prédictions.",
    "the label {} was never seen when the predictor was learned; it knows {}.": "l'étiquette {} n'a jamais été vue à l'apprentissage du prédicteur ; il connaît {}.",
    # places and memory
    "{} is there already, and is not what épée would write there; choose another name, or replace it with --force.": "{} existe déjà, et n'est pas ce qu'épée y écrirait ; choisir un autre nom, ou le remplacer avec --force.",
    "{} is a folder; give the name of a file.": "{} est un dossier ; donner un nom de fichier.",
    "{} is a {}; give the name of a file.": "{} est un {} ; donner un nom de fichier.",
    "{} is {}, and would be overwritten; choose another name.": "{} est {}, et serait écrasé ; choisir un autre nom.",
    "{} encoded columns and {} classes are too many for one pass over a large table; leave columns out with types.": "{} colonnes codées et {} classes sont trop pour une passe sur un grand tableau ; en laisser de côté avec types.",
    "not enough memory: the limit of this process is {} GB (ulimit -v), and {} GB are needed at least.": "mémoire insuffisante : la limite de ce processus est de {} Go (ulimit -v), et il en faut au moins {} Go.",
    "not enough memory: a table of {} cells needs about {}, and {} may be taken. Learn from a sample of it, or allow more with --memory.": "mémoire insuffisante : un tableau de {} cellules demande environ {}, et {} peuvent être pris. Apprendre d'un échantillon, ou permettre davantage avec --memory.",
    "not enough memory: a table of {} cells needs about {} GB, and the limit of this process (ulimit -v) leaves {} GB. Learn from a sample of it.": "mémoire insuffisante : un tableau de {} cellules demande environ {} Go, et la limite de ce processus (ulimit -v) en laisse {}. Apprendre d'un échantillon.",
    "split parts rows in memory; a file is parted by learn(path, target), which keeps its rows sealed.": "split partage des lignes en mémoire ; un fichier se partage par learn(chemin, cible), qui garde ses lignes scellées.",
    "Found input variables with inconsistent numbers of samples: X has {} rows and y has {}.": "X a {} lignes et y en a {} : il en faut autant.",
    "there are {} rows (n_samples = {}): at least two are needed, to learn from and to test.": "il y a {0} lignes : il en faut au moins deux, pour apprendre et tester.",
    "there is no column {} in the table; y is an array, or the name of a column of a frame.": "il n'y a pas de colonne {} dans le tableau ; y est un tableau de nombres, ou le nom d'une colonne d'un cadre.",
    "{} has {} values for {} rows.": "{} a {} valeurs pour {} lignes.",
}  # fmt: skip


_FIELDS = {  # where one field ends and the next begins
    "there is no {} {}{}": r"""there is no ((?:\w+ )?column|.*?) ('.*?'|".*?"|)(.*)""",
    "there are no columns {}{}.": r"there are no columns (.*?)( and \d+ more|)\.",
}
# what may be filled in and is said in words, too
PARTS: dict[str, str] = {
    "column": "colonne", "target": "cible", "target column": "colonne cible", "group column": "colonne de groupes",
    "weight column": "colonne de poids", "time column": "colonne de temps", "weight": "poids", "time": "temps",
    "weights are numbers": "les poids sont des nombres", "time is a date or a number": "le temps est une date ou un nombre",
    "did you mean {}? The": "vouliez-vous dire {} ? Les", "the": "les", "scores": "des scores", "probabilities": "des probabilités",
    "labels": "des étiquettes",
    "{}, 'l' and a power as in 'l1.5', 'quantile' and a share as in 'quantile0.9', a table of costs, or a Loss":
    "{}, 'l' et une puissance comme 'l1.5', 'quantile' et une part comme 'quantile0.9', une table de coûts, ou une Loss",
    "; did you mean {}?": " ; vouliez-vous dire {} ?", "; there are {} and {} more.": " ; il y a {} et {} de plus.",
    "; there are {}.": " ; il y a {}.", "; the table has no columns.": " ; le tableau n'a pas de colonnes.",
    "; the nearest to it here is {}.": " ; le plus proche ici est {}.", " and {} more": " et {} de plus",
    " and {} more classes have few": " et {} autres classes en ont peu", "all have other roles.": "toutes ont un autre rôle.",
    " Name the column that tells several series apart as groups.": " Donner par groups la colonne qui distingue plusieurs séries.",
}  # fmt: skip


def in_french(sentence: str) -> str:
    """Return the French twin of a sentence about what is wrong; the sentence itself where there is none.

    >>> in_french("column 'y' is 'a' in every row: there is nothing to predict.")
    "la colonne 'y' vaut 'a' dans toutes les lignes : il n'y a rien à prédire."
    """
    for pattern, french in _patterns():
        found = pattern.fullmatch(sentence)
        if found:
            return french.format(*(_part(text) for text in found.groups()))
    where, mark, rest = sentence.partition(": ")  # a sentence about a file may begin with its name
    translated = in_french(rest) if mark else rest
    return f"{where} : {translated}" if translated != rest else sentence


def _part(text: str) -> str:
    """Return what was filled into a sentence, in French where it is words of ours.

    >>> _part("; did you mean 'price'?"), _part("'b', 'size' (did you mean 'Size'?)")
    (" ; vouliez-vous dire 'price' ?", "'b', 'size' (vouliez-vous dire 'Size' ?)")
    """
    for pattern, french in _patterns(True):
        found = pattern.fullmatch(text)
        if found:
            return french.format(*found.groups())
    return re.sub(r"\(did you mean (.*?)\?\)", r"(vouliez-vous dire \1 ?)", text)


@cache
def _patterns(parts: bool = False) -> list[tuple[re.Pattern[str], str]]:
    """Return a pattern for each English sentence, or part of one, those with most words of their own first."""
    twins = PARTS if parts else FRENCH
    order = sorted(twins, key=lambda text: -len(text.replace("{}", "")))
    return [
        (re.compile(_FIELDS.get(text) or "(.*?)".join(map(re.escape, text.split("{}"))), re.S), twins[text])
        for text in order
    ]
