"""What is wrong, said in French: the sentences that the command line may end with, by their English twins.

Errors are raised in English, where code written against scikit-learn looks for its words; who asked for French reads them in French.
``{}`` stands for what is filled in; the French sentence takes the fields in the same order, or by number.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
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
    "column {} holds infinite values; replace them, or leave them empty.": "la colonne {} contient des valeurs infinies ; les remplacer, ou les laisser vides.",
    "{} is a damaged {}{}: {}. Fetch or write the file again.": "{0} est abîmé ({1}{2}) : {3}. Le récupérer ou le réécrire.",
    "{} is in use by another program: {}. Close it there, or give a copy.": "{} est ouvert dans un autre programme : {}. L'y fermer, ou donner une copie.",
    "column {} mixes cells of several types: {}; make them one.": "la colonne {} mêle des cellules de plusieurs types : {} ; n'en garder qu'un.",
    "{}, line {}: attribute {} is of the type {}; numeric, string, date or levels are read.": "{}, ligne {} : l'attribut {} est du type {} ; numeric, string, date ou des niveaux sont lus.",
    "{}, line {}: {}. Correct the line.": "{}, ligne {} : {}. Corriger la ligne.",
    "{} is a truncated ARFF file: it has no @data. Fetch or write the file again.": "{} est un fichier ARFF tronqué : il n'a pas de @data. Le récupérer ou le réécrire.",
    "{}, line {}: {} is not an attribute: @attribute name type.": "{}, ligne {} : {} n'est pas un attribut : @attribute nom type.",
    "{}: the file was changed or removed while it was being read; start again.": "{} : le fichier a été modifié ou retiré pendant sa lecture ; recommencer.",
    "{} has no column {}, which {} has; all {} need the same.": "{} n'a pas de colonne {}, qu'a {} ; tous les {} doivent avoir les mêmes.",
    "{} has a column {}, which {} has not; all {} need the same.": "{} a une colonne {}, que n'a pas {} ; tous les {} doivent avoir les mêmes.",
    "column {} holds {} in {} but {} in {}; all {} need the same.": "la colonne {} contient {} dans {} mais {} dans {} ; il faut la même chose dans tous les {}.",
    "{} has no column {}, which {} has; all files of a folder need the same.": "{} n'a pas de colonne {}, qu'a {} ; tous les fichiers d'un dossier doivent avoir les mêmes.",
    "Input X contains values as large as {}, whose squares exceed the range of float64 (infinity). Rescale the columns.": "des valeurs vont jusqu'à {}, et leurs carrés dépassent les nombres de la machine. Changer d'unité.",
    "sample_weight contains NaN or infinity, first in row {}. Give each row a finite weight.": "un poids manque ou est infini, d'abord à la ligne {}. Donner à chaque ligne un poids fini.",
    "{} holds no {}: Found array with 0 sample(s), and a minimum of 1 is required.": "{} ne contient pas de {} ; il en faut au moins une ligne.",
    "column {} of {} holds {} cells of bytes, which are no cells of a table: drop it.": "la colonne {} de {} contient {} cellules d'octets, qui ne sont pas des cellules de tableau : la retirer.",
    "column {} of {} mixes {} numbers with {} texts, {} for one; make them one.": "la colonne {} de {} mêle {} nombres et {} textes, {} par exemple ; n'en garder qu'une sorte.",
    '{} is JSON, but neither lines of objects nor an array of objects: {"column": cell, ...}.': '{} est du JSON, mais ni des lignes d\'objets ni un tableau d\'objets : {{"colonne": cellule, ...}}.',
    "column {} holds texts that hardly come back, and there is no other column to learn from.": "la colonne {} contient des textes qui ne reviennent guère, et il n'y en a pas d'autre d'où apprendre.",
    "column {} has a missing cell in row {}, but had none when the table was first read.": "la colonne {} a une cellule manquante à la ligne {}, mais n'en avait pas à la première lecture.",
    "{} lies in folders {}, the first file in {}: they must agree.": "{} est dans les dossiers {}, le premier fichier dans {} : ils doivent s'accorder.",
    "{} mixes formats: {} is {} and {} is not; give one of them.": "{} mêle des formats : {} est {} et {} ne l'est pas ; n'en donner qu'un.",
    "{} is {}, not a table that can be read: save it as CSV or Parquet.": "{} est {}, pas un tableau lisible : l'enregistrer en CSV ou Parquet.",
    "{} has no rows: Found array with 0 sample(s) (shape=(0, {})) while a minimum of 1 is required.": "{0} n'a aucune ligne ; il en faut au moins une.",
    "{} is damaged after row {}: {} Fetch or write the file again.": "{} est abîmé après la ligne {} : {} Le récupérer ou le réécrire.",
    "the query names {}, which is no table: its name should end in .csv, .tsv, .parquet or the like.": "la requête nomme {}, qui n'est pas un tableau : son nom devrait finir par .csv, .tsv, .parquet ou semblable.",
    "the query returns no rows: Found array with 0 sample(s), and a minimum of 1 is required.": "la requête ne rend aucune ligne ; il en faut au moins une.",
    "{} has columns {} and {}, which SQL cannot tell apart: rename one of them.": "{} a les colonnes {} et {}, que SQL ne distingue pas : en renommer une.",
    "{} has a column that is neither number, text, boolean nor date ({}); cast it or leave it out.": "{} a une colonne qui n'est ni nombre, ni texte, ni booléen, ni date ({}) ; la convertir ou la laisser de côté.",
    "the query returns too much: more than {} rows, {}. Make it smaller, or allow more with --memory.": "la requête rend trop : plus de {} lignes, {}. La réduire, ou permettre plus avec --memory.",
    "the query names {}, which is not on this machine; fetch the file first.": "la requête nomme {}, qui n'est pas sur cette machine ; récupérer d'abord le fichier.",
    "the query calls {} with options, which are not taken: name the file, FROM 'file.csv'; its dialect is found out.": "la requête appelle {} avec des options, qui ne sont pas prises : nommer le fichier, FROM 'file.csv' ; son dialecte est deviné.",
    "the query needs more memory than it may take ({}); make it smaller, or allow more with --memory.": "la requête demande plus de mémoire que permis ({}) ; la réduire, ou permettre plus avec --memory.",
    "the query needs an extension of DuckDB{}; none is installed or loaded by a query.": "la requête demande une extension de DuckDB{} ; une requête n'en installe ni n'en charge aucune.",
    "the query may read only the files that it names: {}.": "la requête ne peut lire que les fichiers qu'elle nomme : {}.",
    "the query met a file that cannot be read: {}.": "la requête a rencontré un fichier illisible : {}.",
    "the query calls {}, which is not allowed: rows come from tables in files, FROM 'file.csv' or FROM 'file.parquet'.": "la requête appelle {}, ce qui n'est pas permis : les lignes viennent de tableaux dans des fichiers, FROM 'file.csv' ou FROM 'file.parquet'.",
    "{}, line {}: a number is missing or infinite, which rows of so many columns cannot hold; drop the line.": "{}, ligne {} : un nombre manque ou est infini, ce que des lignes d'autant de colonnes ne peuvent contenir ; ôter la ligne.",
    "column {}, row {}: {} does not list numbers by their places, as '3:0.5 17:2' does.": "colonne {}, ligne {} : {} n'énumère pas des nombres par leurs places, comme le fait '3:0.5 17:2'.",
    "{}, line {}: {} is not 'target index:value ...'.": "{}, ligne {} : {} n'est pas 'cible indice:valeur ...'.",
    "column {} holds {}, which is no date: give dates, or drop types={{}: 'date'}.": "la colonne {0} contient {1}, qui n'est pas une date : donner des dates, ou retirer types={{{2}: 'date'}}.",
    "column {} holds {}, which cannot be a target.": "la colonne {} contient {}, qui ne peut être une cible.",
    "sample_weight: column {} is {} in {}; a weight is a number, 0 or more: correct or drop this row.": "la colonne de poids {} vaut {} en {} ; un poids est un nombre, 0 ou plus : corriger ou retirer cette ligne.",
    "sample_weight: column {} is 0 in every row: there is nothing to learn from.": "la colonne de poids {} vaut 0 dans toutes les lignes : il n'y a rien d'où apprendre.",
    "column {}: {} in {} is neither 0 nor 1, in a boolean column.": "colonne {} : {} en {} n'est ni 0 ni 1, dans une colonne booléenne.",
    "column {}: {} in {} {}; could not convert string to float.": "colonne {} : {} en {} {}.",
    "column {} has more than {} different texts: too many for a category; drop it.": "la colonne {} a plus de {} textes différents : trop pour une catégorie ; la retirer.",
    "{} has no input column: 0 feature(s) while a minimum of 1 is required.": "{} n'a pas de colonne d'entrée ; il en faut au moins une.",
    "there is no file {}{}": "il n'y a pas de fichier {}{}",
    "the query names a file that is not there: {}": "la requête nomme un fichier qui n'existe pas : {}",
    "{} may not be read by this user; ask for the right to, or copy it": "{} ne peut être lu par cet utilisateur ; en demander le droit, ou le copier",
    "{} cannot be read: {}": "{} ne peut être lu : {}",
    "column {} holds {}, which is neither number, text, boolean nor date: drop or unpack it.": "la colonne {} contient {}, qui n'est ni nombre, ni texte, ni booléen, ni date : la retirer ou la déplier.",
    "{} is not the name of a file.": "{} n'est pas un nom de fichier.",
    # costs
    "the costs have shape {}; with {} classes they must be {} x {}, or {} x {} with a last row for rejection.": "la table des coûts est de taille {} ; avec {} classes elle doit être {} x {}, ou {} x {} avec une dernière ligne pour le rejet.",
    "costs[{}, {}] (deciding {} when {} is true) is {}; a cost must be finite and not negative.": "costs[{}, {}] (décider {} quand {} est vrai) vaut {} ; un coût est fini et n'est pas négatif.",
    "reject_cost is {}; it must be finite and not negative.": "reject_cost vaut {} ; il doit être fini et pas négatif.",
    "the costs have a row for rejection already; give either that row or reject_cost.": "les coûts ont déjà une ligne pour le rejet ; donner cette ligne ou reject_cost.",
    "{}: a table of costs has a line of class names and at least two lines of costs.": "{} : une table de coûts a une ligne de noms de classes et au moins deux lignes de coûts.",
    "{}: {}; the classes are {}, and a row {} may be added.": "{} : {} ; les classes sont {}, et une ligne {} peut être ajoutée.",
    "the costs in {} cannot be read: {}.": "les coûts de {} ne peuvent être lus : {}.",
    "{}: byte {} is not UTF-8; save the file as UTF-8.": "{} : l'octet {} n'est pas de l'UTF-8 ; enregistrer le fichier en UTF-8.",
    "{}, line {}: {} cells where {} are needed (a name and {} costs).": "{}, ligne {} : {} cellules là où il en faut {} (un nom et {} coûts).",
    "{}: {} is not a number.": "{} : {} n'est pas un nombre.",
    "{}: two {}s are called {}.": "{} : deux {}s s'appellent {}.",
    "the costs {} are not a table of numbers.": "les coûts {} ne sont pas une table de nombres.",
    "level is {}; it must lie between 0 and 1, such as 0.95.": "level vaut {} ; il doit être entre 0 et 1, comme 0.95.",
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
    "column {} holds texts, but weights are numbers.": "la colonne {} contient des textes, mais des poids sont des nombres.",
    "column {}: {} rows have no group; fill or drop them.": "colonne {} : {} lignes n'ont pas de groupe ; les compléter ou les retirer.",
    "column {} holds texts: several targets must all be numbers. Learn its classes in a run of their own.": "la colonne {} contient des textes : plusieurs cibles doivent toutes être des nombres. Apprendre ses classes à part.",
    "class {} hardly occurs in the first stretch of {}, from which the first predictor learns: leave the early rows out.": "la classe {} n'apparaît guère au début de {}, d'où apprend le premier prédicteur : laisser de côté les premières lignes.",
    "this is no table: give a path, a SQL query, an array, or a frame of pandas, polars or Arrow.": "ce n'est pas un tableau : donner un chemin, une requête SQL, une matrice, ou un cadre pandas, polars ou Arrow.",
    "{} gives a {}: it must give frames of pandas, polars or Arrow.": "{} donne un {} : il doit donner des cadres pandas, polars ou Arrow.",
    "{}: part {} and part 1 do not both have column {}.": "{} : la partie {} et la partie 1 n'ont pas toutes deux la colonne {}.",
    "{}: column {} is {} in {} and {} in part 1; make them one type.": "{} : la colonne {} est {} dans {} et {} dans part 1 ; leur donner un seul type.",
    "Expected 2D array, got {}D array instead: a table has rows and columns.": "tableau à deux dimensions attendu, {} trouvée(s) : un tableau a des lignes et des colonnes.",
    "the target is {}: name a column; only those of an array have numbers.": "la cible est {} : nommer une colonne ; seules celles d'une matrice ont des numéros.",
    "the target is a {}: name a column, or give the values of all rows.": "la cible est un {} : nommer une colonne, ou donner les valeurs de toutes les lignes.",
    "values of the target go beside an array or a frame; of a file or a stream, name the column.": "les valeurs de la cible vont à côté d'une matrice ou d'un cadre ; pour un fichier ou un flux, nommer la colonne.",
    "the table has a column {} already: name it as the target, or rename it.": "le tableau a déjà une colonne {} : la nommer comme cible, ou la renommer.",
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
    "random_state is {}; give a whole number of at least 0, so that the result can be had again.": "random_state vaut {} ; donner un nombre entier d'au moins 0, pour pouvoir retrouver le résultat.",
    "memory is {}; it must be a number of bytes above 0, or one with a unit such as 500MB or 2GB.": "memory vaut {} ; c'est un nombre d'octets positif, ou un nombre avec une unité, comme 500MB ou 2GB.",
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
    "gap is {}, so the lag {} of {} is not known yet: take lags from {} on.": "gap vaut {}, donc le retard {} de {} n'est pas encore connu : prendre des retards à partir de {}.",
    "gap is {}; give the whole number of moments that lie between learning and testing, 0 or more.": "gap vaut {} ; donner le nombre entier d'instants entre apprentissage et test, 0 ou plus.",
    "groups holds texts beside numbers, which have no order: give all of them as texts.": "groups contient des textes à côté de nombres, qui n'ont pas d'ordre : les donner tous en textes.",
    "{} is missing (NaN) in row {}. Give one for each row, or drop the row.": "{} manque (NaN) à la ligne {}. En donner pour chaque ligne, ou retirer la ligne.",
    "fewer than two rows have a weight above 0: nothing is left to predict one of them from. Give more rows a weight.": "moins de deux lignes ont un poids supérieur à 0 : rien ne reste d'où en prédire une. Donner un poids à plus de lignes.",
    "{} is {}, but the columns of this table have no names: give {} as an array.": "{} vaut {}, mais les colonnes de ce tableau n'ont pas de noms : donner {} en tableau de valeurs.",
    "gap is {}, but nothing says when rows happened: give time, too.": "gap vaut {}, mais rien ne dit quand les lignes ont eu lieu : donner aussi time.",
    "gap is {}, but only {} moments lie before the sealed rows: give a smaller gap.": "gap vaut {}, mais seuls {} instants précèdent les lignes sous scellés : donner un gap plus petit.",
    "gap is {}, but the first stretch, from which the first predictor learns, has only {} moments: give a smaller gap.": "gap vaut {}, mais la première période, dont apprend le premier prédicteur, n'a que {} instants : donner un gap plus petit.",
    "{} holds {} in row {}, which is no date and no number written as the others: give dates as 2024-12-31, or numbers.": "{} contient {} à la ligne {}, qui n'est ni une date ni un nombre écrit comme les autres : donner des dates comme 2024-12-31, ou des nombres.",
    "time holds values of several kinds, which have no order: give dates, or numbers.": "time contient des valeurs de plusieurs sortes, qui n'ont pas d'ordre : donner des dates, ou des nombres.",
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
    "{} cannot be written, and uses of test rows are counted there; copy the predictor to a place of your own": "{} ne peut être écrit, et les usages des lignes de test y sont comptés ; copier le prédicteur à un endroit à soi",
    "{} may not be written; choose another place with -o": "{} ne peut être écrit ; choisir un autre endroit avec -o",
    "there is no folder {} to write {} in": "il n'y a pas de dossier {} où écrire {}",
    "cannot write {}: {}": "impossible d'écrire {} : {}",
    "{} is no open file of this command": "{} n'est pas un fichier ouvert de cette commande",
    "cannot write in {}: {}; choose another place with -o": "impossible d'écrire dans {} : {} ; choisir un autre endroit avec -o",
    "there is no file {}; look at its name and folder": "il n'y a pas de fichier {} ; vérifier son nom et son dossier",
    "split parts rows in memory; a file is parted by learn(path, target), which keeps its rows sealed.": "split partage des lignes en mémoire ; un fichier se partage par learn(chemin, cible), qui garde ses lignes scellées.",
    "Found input variables with inconsistent numbers of samples: X has {} rows and y has {}.": "X a {} lignes et y en a {} : il en faut autant.",
    "there are {} rows (n_samples = {}): at least two are needed, to learn from and to test.": "il y a {0} lignes : il en faut au moins deux, pour apprendre et tester.",
    "there is no column {} in the table; y is an array, or the name of a column of a frame.": "il n'y a pas de colonne {} dans le tableau ; y est un tableau de nombres, ou le nom d'une colonne d'un cadre.",
    "{} has {} values for {} rows.": "{} a {} valeurs pour {} lignes.",
}  # fmt: skip


_FIELDS = {  # where one field ends and the next begins
    "there is no {} {}{}": r"""there is no ((?:\w+ )?column|.*?) ('.*?'|".*?"|)(.*)""",
    "there is no file {}{}": r"""there is no file ('.*?'|".*?")(.*)""",
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
    "; look at its name and folder.": " ; vérifier son nom et son dossier.",
    "; there is no folder {} either.": " ; il n'y a pas non plus de dossier {}.",
    ": it is a link to {}, which is not there.": " : c'est un lien vers {}, qui n'existe pas.",
    "a quoted cell never ends": "une cellule entre guillemets ne finit pas", "text follows a closing quote": "du texte suit un guillemet fermant",
    "too few; is the file truncated?": "trop peu ; le fichier est-il tronqué ?",
    "too many; is a delimiter unquoted?": "trop ; un séparateur manque-t-il de guillemets ?", "{} cells": "{} cellules", "{} cell": "{} cellule",
    "is too large for a number": "est trop grand pour un nombre", "is not a number": "n'est pas un nombre",
    "is not a date written as the others": "n'est pas une date écrite comme les autres", "is neither true nor false": "n'est ni vrai ni faux",
    "is not a number written as the others": "n'est pas un nombre écrit comme les autres",
    "is not a number written as the others, with {}": "n'est pas un nombre écrit comme les autres, avec {}",
    "has leading zeros, as an identifier has, in a column of numbers": "a des zéros en tête, comme un identifiant, dans une colonne de nombres",
    "has no time zone, unlike the others": "n'a pas de fuseau horaire, à la différence des autres",
    "has a time zone, unlike the others": "a un fuseau horaire, à la différence des autres",
    "class {} has no column": "la classe {} n'a pas de colonne", "class {} has no row": "la classe {} n'a pas de ligne",
    "{} is no class": "{} n'est pas une classe", " after row {}": " après la ligne {}", "JSON file": "fichier JSON",
    "files of a folder": "fichiers d'un dossier",
    "read or written by this command too": "lu ou écrit par cette commande aussi", "the same file as {}": "le même fichier que {}",
    "the query": "la requête", "{}, line {}, column {}": "{}, ligne {}, colonne {}", "line {}": "ligne {}", "line {} of {}": "ligne {} de {}", "disk": "disque", "row": "ligne", "is truncated or damaged": "est tronqué ou abîmé", "is no predictor of épée": "n'est pas un prédicteur d'épée",
    "Too many levels of symbolic links": "trop de liens l'un vers l'autre", "No such file or directory": "il n'y a ni fichier ni dossier de ce nom",
    "Permission denied": "droits insuffisants", "No space left on device": "plus de place sur le disque",
    "Read-only file system": "système de fichiers en lecture seule", "File name too long": "nom de fichier trop long",
    "Is a directory": "c'est un dossier", "Not a directory": "ce n'est pas un dossier", "Input/output error": "erreur d'entrée-sortie",
    " Name the column that tells several series apart as groups.": " Donner par groups la colonne qui distingue plusieurs séries.",
}  # fmt: skip


def in_french(sentence: str) -> str:
    """Return the French twin of a sentence about what is wrong; the sentence itself where there is none.

    >>> in_french("column 'y' is 'a' in every row: there is nothing to predict.")
    "la colonne 'y' vaut 'a' dans toutes les lignes : il n'y a rien à prédire."
    """
    for pattern, french in _patterns():
        for end in ("", "."):  # of what the system says the end is put by who shows it
            found = pattern.fullmatch(sentence.removesuffix(end) if end else sentence)
            if found:
                return french.format(*(_part(text) for text in found.groups())) + end
    where, mark, rest = sentence.partition(": ")  # a sentence about a file may begin with its name
    translated = _part(in_french(rest)) if mark else rest
    return f"{where} : {translated}" if translated != rest else sentence


def _part(text: str) -> str:
    """Return what was filled into a sentence, in French where it is words of ours.

    >>> _part("; did you mean 'price'?"), _part("'b', 'size' (did you mean 'Size'?)")
    (" ; vouliez-vous dire 'price' ?", "'b', 'size' (vouliez-vous dire 'Size' ?)")
    """
    for pattern, french in _patterns(True):
        for end in ("", "."):
            found = pattern.fullmatch(text.removesuffix(end) if end else text)
            if found:
                return french.format(*found.groups()) + end
    return re.sub(r"\(did you mean (.*?)\?\)", r"(vouliez-vous dire \1 ?)", text)


@cache
def _patterns(parts: bool = False) -> list[tuple[re.Pattern[str], str]]:
    return compiled(PARTS if parts else FRENCH)


def compiled(twins: Mapping[str, str]) -> list[tuple[re.Pattern[str], str]]:
    """Return a pattern for each English sentence, or part of one, with its twin; those with most words of their own first."""
    order = sorted(twins, key=lambda text: -len(text.replace("{}", "")))
    return [
        (re.compile(_FIELDS.get(text) or "(.*?)".join(map(re.escape, text.split("{}"))), re.S), twins[text])
        for text in order
    ]
