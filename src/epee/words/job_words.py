"""Words of the main job, in English and French."""

from __future__ import annotations

from epee.words.catalogue import Catalogue

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
    "interval": ("{level} interval", "intervalle à {level}"),
    "dof": ("dof", "ddl"),
    "time": ("time", "durée"),
    "against": ("against the best", "face au meilleur"),
    "best": ("best", "meilleur"),
    "worse": ("worse", "moins bon"),
    "not distinguishable": ("not shown", "non établi"),
    "approximate": ("approximate", "approché"),
    "approximate_note": (
        "~ approximate interval: cross-validation without nesting; it covers a little less than it claims.",
        "~ intervalle approché : validation croisée simple ; il couvre un peu moins qu'il ne l'annonce.",
    ),
    "approximate_risk": (
        "The predictor is fitted again in each fold, and the fits share rows: without sealed rows the interval covers a little less than it claims.",
        "Le prédicteur est réappris dans chaque pli, et ces apprentissages partagent des lignes : sans lignes scellées l'intervalle couvre un peu moins qu'il ne l'annonce.",
    ),
    # how the table was taken
    "task_classes": (
        "{target}: {k} {k:class|classes} ({shown}); {n} {n:row|rows}.",
        "{target} : {k} {k:classe|classes} ({shown}) ; {n} {n:ligne|lignes}.",
    ),
    "task_numbers": (
        "{target}: a number, from {low} to {high}; {n} {n:row|rows}.",
        "{target} : un nombre, de {low} à {high} ; {n} {n:ligne|lignes}.",
    ),
    "integers_as_classes": (
        "{target} holds {k} different whole {k:number|numbers} and is taken as classes; say --type {target:typed=number} for a regression.",
        "{target} ne contient que {k} {k:nombre entier distinct|nombres entiers distincts}, pris pour des classes ; écrire "
        "--type {target:typed=number} pour une régression.",
    ),
    "integers_as_number": (
        "{target} holds {k} different whole {k:number|numbers}, the largest in a row or two only, and is taken as a number; say --type "
        "{target:typed=category} for classes.",
        "{target} contient {k} {k:nombre entier distinct|nombres entiers distincts}, le plus grand dans une ligne ou deux seulement, et est "
        "prise comme un nombre ; écrire --type {target:typed=category} pour des classes.",
    ),
    "took": ("Inputs: {parts}.", "Entrées : {parts}."),
    "took_number": ("{k} numeric ({names})", "{k} {k:quantitative|quantitatives} ({names})"),
    "took_boolean": ("{k} yes/no ({names})", "{k} oui/non ({names})"),
    "took_category": ("{k} categorical ({names})", "{k} {k:qualitative|qualitatives} ({names})"),
    "took_date": ("{k} {k:date|dates} ({names})", "{k} {k:date|dates} ({names})"),
    "took_pairs": (
        "{k} {k:column|columns} of sparse numbers, the frequent places each by itself, the others hashed ({names})",
        "{k} {k:colonne|colonnes} de nombres creux, les places fréquentes chacune pour soi, les autres hachées ({names})",
    ),
    "took_text": ("{k} {k:text|texts}, by their words ({names})", "{k} {k:texte|textes}, par leurs mots ({names})"),
    "missing_cells": (
        "{k} missing {k:cell|cells} in {names}: filled with the mean of the training rows, within each fold.",
        "{k} {k:donnée manquante|données manquantes} dans {names} : {k:remplacée|remplacées} par la moyenne des lignes d'apprentissage, dans chaque pli.",
    ),
    "missing_levels": (
        "{k} missing {k:cell|cells} in {names}: taken as none of the categories.",
        "{k} {k:donnée manquante|données manquantes} dans {names} : {k:prise|prises} pour aucune des modalités.",
    ),
    "many_levels": (
        "{name}: {k} {k:category|categories}; the {kept} most frequent have a column each, the others share one.",
        "{name} : {k} {k:modalité|modalités} ; les {kept} plus fréquentes ont chacune leur colonne, les autres en partagent une.",
    ),
    "left_text": (
        "{name} is left out: texts that hardly come back (names, identifiers); say --type {name:typed=category} to keep it, =text to read its words.",
        "{name} est laissée de côté : des textes qui ne se répètent guère (noms, identifiants) ; écrire --type "
        "{name:typed=category} pour la garder, =text pour en lire les mots.",
    ),
    "left_identifier": (
        "{name} is left out: it numbers the rows (whole numbers close together, none twice); say --type {name:typed=number} to keep it.",
        "{name} est laissée de côté : elle numérote les lignes (des entiers rapprochés, aucun deux fois) ; écrire --type {name:typed=number} "
        "pour la garder.",
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
        "{k} {k:row has|rows have} no value of {target} and {k:is|are} left out.",
        "{k} {k:ligne sans valeur de|lignes sans valeur de} {target} {k:est laissée|sont laissées} de côté.",
    ),
    "left_classes": (
        "{target}: {k} {k:class has|classes have} fewer than 3 rows, too few to learn from and to test: {names}; {rows} {rows:row is|rows "
        "are} left out; --rare join makes one class of such labels.",
        "{target} : {k} {k:classe a|classes ont} moins de 3 lignes, trop peu pour apprendre et éprouver : {names} ; {rows} {rows:ligne est "
        "laissée|lignes sont laissées} de côté ; --rare join réunit de telles classes en une.",
    ),
    "joined_classes": (
        "{target}: {k} {k:class is|classes are} too rare to be learned alone and make one class, {label}, of {rows} {rows:row|rows}: {names}.",
        "{target} : {k} {k:classe est trop rare|classes sont trop rares} pour être {k:apprise seule|apprises seules} et font une classe, "
        "{label}, de {rows} {rows:ligne|lignes} : {names}.",
    ),
    "other_class": ("other", "autre"),
    "late_classes": (
        "a class hardly occurs in the first stretch of {time}",
        "une classe n'apparaît guère au début de {time}",
    ),
    "rare_left": (
        "{k} {k:row has a label that was|rows have labels that were} left out when the predictor was learned, as too rare; {k:it is|they "
        "are} left out here too.",
        "{k} {k:ligne a une étiquette laissée|lignes ont des étiquettes laissées} de côté à l'apprentissage, comme trop {k:rare ; elle "
        "l'est|rares ; elles le sont} ici aussi.",
    ),
    "rare_joined": (
        "{k} {k:row has a label|rows have labels} that the predictor joined to {label}.",
        "{k} {k:ligne a une étiquette|lignes ont des étiquettes} que le prédicteur a réunies sous {label}.",
    ),
    "date_hint": (
        "{name} holds dates: if the rows follow each other in time, say --time {name:typed}, and the test rows are the last ones.",
        "{name} contient des dates : si les lignes se suivent dans le temps, écrire --time {name:typed}, et les lignes de test sont les dernières.",
    ),
    "lags": ("Values of earlier rows as inputs: {parts}.", "Valeurs de lignes antérieures comme entrées : {parts}."),
    "lags_of": ("{name} (lags {ks})", "{name} (retards {ks})"),
    "lag_one": ("{name} (lag {ks})", "{name} (retard {ks})"),
    "lag_of": ("{name}, {k} {k:row|rows} earlier", "{name}, {k} {k:ligne|lignes} plus tôt"),
    "horizon": (
        "The errors are those of predictions made when {names} is known up to {k} {k:row|rows} earlier.",
        "Les erreurs sont celles de prédictions faites quand {names} est connue jusqu'à {k} {k:ligne|lignes} plus tôt.",
    ),
    "uneven": (
        "The rows are not evenly spaced in {time}: a lag counts rows, not days.",
        "Les lignes ne sont pas régulièrement espacées selon {time} : un retard compte des lignes, non des jours.",
    ),
    "no_past": (
        "{k} {k:row lacks|rows lack} some of the past that its lags look at: it is taken as missing.",
        "Il manque à {k} {k:ligne|lignes} une partie du passé que regardent les retards : elle est prise comme manquante.",
    ),
    "stepped": (
        "{k} {k:row lies|rows lie} beyond the last known values of {names}: {k:it stands|they stand} on earlier predictions, and the error "
        "is larger than the one the predictor claims.",
        "{k} {k:ligne va|lignes vont} au-delà des dernières valeurs connues de {names} : {k:elle s'appuie|elles s'appuient} sur des "
        "prédictions antérieures, et l'erreur est plus grande que celle que le prédicteur annonce.",
    ),
    "fits_loss": (
        "Judged by the {loss}, and fitted to it: {names}. The others fit means, as for squared errors, and are only judged by it: {others}.",
        "Jugés selon la mesure demandée ({loss}) et ajustés à elle : {names}. Les autres ajustent des moyennes, comme pour la perte "
        "quadratique, et sont seulement jugés selon elle : {others}.",
    ),
    "fits_squares": (
        "Judged by the {loss}; all of them fit means, as for squared errors: {others}.",
        "Jugés selon la mesure demandée ({loss}) ; tous ajustent des moyennes, comme pour la perte quadratique : {others}.",
    ),
    "threshold_chosen": (
        "It decides for {label} from a probability of {t} on, which costs {saves} a row less on rows held out than the {expected} that the "
        "costs alone would give.",
        "Il décide pour {label} à partir d'une probabilité de {t}, ce qui coûte {saves} de moins par ligne, sur des lignes mises à part, que "
        "les {expected} que donneraient les coûts seuls.",
    ),
    "threshold_pair": (
        "It decides for {label} from a probability of {high} on and for {other} below {low}; between them it does not decide. That costs "
        "{saves} a row less on rows held out than the costs alone would give.",
        "Il décide pour {label} à partir d'une probabilité de {high} et pour {other} en dessous de {low} ; entre les deux il ne décide pas. "
        "Cela coûte {saves} de moins par ligne, sur des lignes mises à part, que ce que donneraient les coûts seuls.",
    ),
    "threshold_never": (
        "It decides for {label} from a probability of {high} on, for {other} below it, and rejects no row: that costs {saves} a row less on "
        "rows held out than the costs alone would give.",
        "Il décide pour {label} à partir d'une probabilité de {high}, pour {other} en dessous, et ne rejette aucune ligne : cela coûte "
        "{saves} de moins par ligne, sur des lignes mises à part, que ce que donneraient les coûts seuls.",
    ),
    "decides_outside": (
        "The predictor decides for {label} from a probability of {high} on and for {other} below {low}; between them it does not decide.",
        "Le prédicteur décide pour {label} à partir d'une probabilité de {high} et pour {other} en dessous de {low} ; entre les deux il ne "
        "décide pas.",
    ),
    "decides_from": (
        "The predictor decides for {label} from a probability of {t} on.",
        "Le prédicteur décide pour {label} à partir d'une probabilité de {t}.",
    ),
    "fewer_folds": (
        "{folds} {folds:fold|folds} instead of {asked}: {why}.",
        "{folds} {folds:pli|plis} au lieu de {asked} : {why}.",
    ),
    "few_rows": (
        "there {n:is|are} only {n} training {n:row|rows}",
        "il n'y a que {n} {n:ligne|lignes} d'apprentissage",
    ),
    "few_members": (
        "class {name} has only {n} training {n:row|rows}",
        "la classe {name} n'a que {n} {n:ligne|lignes} d'apprentissage",
    ),
    "few_groups": ("there {n:is|are} only {n} {n:group|groups}", "il n'y a que {n} {n:groupe|groupes}"),
    "imbalance": (
        "The classes are unequal: {name} is {share} of the rows. Always answering {common} is right {rate} of "
        "the time, which the baseline does.",
        "Les classes sont inégales : {name} ne fait que {share} des lignes. Répondre toujours {common}, comme "
        "le prédicteur constant, donne un taux de réussite de {rate}.",
    ),
    # sealing
    "sealed": (
        "{test} {test:row is|rows are} sealed for the final test ({how}); {train} {train:row|rows} to learn from.",
        "{test} {test:ligne est mise|lignes sont mises} sous scellés pour le test final ({how}) ; {train} {train:ligne|lignes} d'apprentissage.",
    ),
    "in_gap": (
        "{k} {k:row|rows} before the sealed ones {k:is|are} left out, as the gap asks.",
        "{k} {k:ligne est laissée|lignes sont laissées} de côté avant celles sous scellés, comme le demande l'intervalle (gap).",
    ),
    "copies_together": (
        "{k} of {n} {n:row|rows} {k:is a copy|are copies} of another, more than chance makes: copies stay together, on one side of the seal and in "
        "one fold, and count once in every error bar.",
        "{k} {k:ligne|lignes} sur {n} {k:en recopie une autre|en recopient d'autres}, plus que le hasard ne le fait : les copies restent ensemble, "
        "du même côté des scellés et dans un même pli, et comptent une fois dans chaque barre d'erreur.",
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
    "chosen_cheap": (
        "Chosen: {chosen}: of those within one standard error of the best, the simplest that costs hardly anything.",
        "Choisi : {chosen} : de ceux à moins d'un écart-type du meilleur, le plus simple qui ne coûte presque rien.",
    ),
    "chosen_brier": (
        "Chosen: {chosen}: of those within one standard error of the smallest error, it has the smallest Brier score.",
        "Choisi : {chosen} : de ceux à moins d'un écart-type de la plus petite erreur, il a le plus petit score de Brier.",
    ),
    "chosen_brier_cheap": (
        "Chosen: {chosen}: of those within one standard error of the smallest error, the simplest whose Brier score is hardly larger than "
        "the smallest.",
        "Choisi : {chosen} : de ceux à moins d'un écart-type de la plus petite erreur, le plus simple dont le score de Brier dépasse à peine "
        "le plus petit.",
    ),
    "chosen_accurate": (
        "Chosen: {chosen}: it has the smallest error.",
        "Choisi : {chosen} : il a la plus petite erreur.",
    ),
    "simplicity_costs": (
        "The simplest within one standard error of the best is {simple}; it costs {cost}.",
        "Le plus simple à moins d'un écart-type du meilleur est {simple} ; il coûte {cost}.",
    ),
    "chosen_best": (
        "Chosen: {chosen}: it has the smallest error, and nothing simpler comes within one standard error.",
        "Choisi : {chosen} : il a la plus petite erreur, et rien de plus simple n'en approche à un écart-type.",
    ),
    "chosen_asked": (
        "Chosen: {chosen}: it has the smallest error, as accuracy was preferred.",
        "Choisi : {chosen} : il a la plus petite erreur, puisque l'exactitude était préférée.",
    ),
    "beats": (
        "{a} beats {b} by {gap}, p {p}: {shown}.",
        "{a} contre {b} : une erreur plus petite de {gap}, p {p} : {shown}.",
    ),
    "price": (
        "In the unit of the target the simpler one costs about {cost}: a typical error (RMSE) of {chosen} instead of {best}.",
        "Dans l'unité de la cible, le plus simple coûte environ {cost} : une erreur typique (RMSE) de {chosen} au lieu de {best}.",
    ),
    "no_probabilities": (
        "{names} {k:is|are} simpler and as near, but {k:gives|give} no probabilities.",
        "{names} : plus {k:simple|simples} et aussi proche(s), mais sans probabilités.",
    ),
    "ranked": (
        "Nothing here is shown to beat the baseline, yet the inputs rank the classes: the area under the ROC curve of {name} is {area} {span}. "
        "Ask for {flags} or {last}.",
        "Rien ici ne fait mieux de façon établie que le prédicteur constant, mais les entrées ordonnent les classes : l'aire sous la courbe "
        "ROC de {name} est de {area} {span}. Demander {flags} ou {last}.",
    ),
    "shown": ("shown", "établi"),
    "not shown": ("not shown", "non établi"),
    "no_better": (
        "Nothing here is shown to beat the baseline: the inputs may not tell the target.",
        "Rien ici ne fait mieux de façon établie que le prédicteur constant : les entrées ne disent peut-être rien de la cible.",
    ),
    "alone": ("{chosen} is the only candidate.", "{chosen} est le seul candidat."),
    "optimism": (
        "The best of {k} {k:candidate|candidates} looks better than it is, by about {optimism}; corrected for the choice: {corrected}.",
        "Le meilleur de {k} {k:candidat|candidats} paraît meilleur qu'il n'est, d'environ {optimism} ; erreur corrigée de ce choix : {corrected}.",
    ),
    "no_optimism": (
        "The best of {k} {k:candidate|candidates} looks no better than it is; corrected for the choice: {corrected}.",
        "Le meilleur de {k} {k:candidat|candidats} ne paraît pas meilleur qu'il n'est ; erreur corrigée de ce choix : {corrected}.",
    ),
    "test": (
        "Sealed test error: {risk} ({level} interval, {n} {n:row|rows}).",
        "Erreur sur les lignes sous scellés : {risk} (intervalle à {level}, {n} {n:ligne|lignes}).",
    ),
    "test_unit": (
        "Sealed test error: {figures} ({level} intervals, {n} {n:row|rows}); {loss} {risk}.",
        "Erreur sur les lignes sous scellés : {figures} (intervalles à {level}, {n} {n:ligne|lignes}) ; {loss} {risk}.",
    ),
    "test_bare": (
        "Sealed test error: {risk} ({n} {n:row|rows}).",
        "Erreur sur les lignes sous scellés : {risk} ({n} {n:ligne|lignes}).",
    ),
    "test_unit_bare": (
        "Sealed test error: {figures} ({n} {n:row|rows}); {loss} {risk}.",
        "Erreur sur les lignes sous scellés : {figures} ({n} {n:ligne|lignes}) ; {loss} {risk}.",
    ),
    "test_absolute": (
        "Beside it, as no loss weighs as much in it: {figures}.",
        "À côté, parce qu'aucune perte n'y pèse autant : {figures}.",
    ),
    "caution_same": ("The same caution holds for the {name}.", "La même réserve vaut pour : {name}."),
    "caution_about": ("{name}: {caution}", "{name} : {caution}"),
    "test_rests": ("The test error rests on {how}.", "L'erreur de test repose sur : {how}."),
    "longer": (
        "All intervals are {times} times as long, since rows may belong together (p {p}).",
        "Tous les intervalles sont {times} fois plus longs, car des lignes vont peut-être ensemble (p {p}).",
    ),
    "weights_counts": (
        "The weights of {name} are taken as counts: a weight of 2 is the row twice.",
        "Les poids de {name} sont pris comme des effectifs : un poids de 2 vaut deux fois la ligne.",
    ),
    "weights_equal": (
        "The weights of {name} are equal, and change nothing.",
        "Les poids de {name} sont égaux, et ne changent rien.",
    ),
    "weights_sampling": (
        "The weights of {name} are taken as sampling weights: their scale means nothing, and the {n} {n:row is|rows are} worth {k}.",
        "Les poids de {name} sont pris comme des poids de sondage : leur échelle n'a pas de sens, et {n:la|les} {n} {n:ligne en vaut|lignes en valent} {k}.",
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
    # what did not run
    "stopped": ("the run was stopped", "l'apprentissage a été arrêté"),
    "out_of_budget": (
        "the budget of {budget} s leaves no time for it",
        "le budget de {budget} s ne lui laisse pas le temps",
    ),
    "too_large": (
        "{n} {n:row|rows} and {p} {p:column|columns} are too many for it without --budget",
        "{n} {n:ligne|lignes} et {p} {p:colonne|colonnes}, c'est trop sans --budget",
    ),
    "too_wide": (
        "{p} {p:column needs|columns need} a matrix of as many rows, too large to be solved for every fold",
        "{p} {p:colonne demande|colonnes demandent} une matrice d'autant de lignes, trop grande pour être résolue dans chaque pli",
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
    "no_answer": (
        "it gives no {needs}, which the loss {loss} needs",
        "il ne donne pas de {needs}, nécessaires à la perte {loss}",
    ),
    "probabilities": ("probabilities", "probabilités"),
    "scores": ("scores", "scores"),
    "failed": ("it failed: {why}", "il a échoué : {why}"),
    "learned_from_sample": (
        "The table passes by in blocks; a sample of {n} {n:row|rows} taught: {names}.",
        "La table passe par blocs ; un échantillon de {n} {n:ligne|lignes} a instruit : {names}.",
    ),
    "explored_sample": (
        "Counts, means, correlations and axes are those of all rows; the rest looks at a sample of {n} {n:row|rows}.",
        "Effectifs, moyennes, corrélations et axes sont ceux de toutes les lignes ; le reste regarde un échantillon de {n} {n:ligne|lignes}.",
    ),
    "explored_columns": (
        "Correlations, axes and clusters look at the first {k} {k:column|columns} of numbers.",
        "Corrélations, axes et groupes regardent {k:la|les} {k} {k:première colonne|premières colonnes} de nombres.",
    ),
    "looked_at_sample": (
        "The table was read {passes} {passes:time|times}; pictures and findings look at a sample of {n} training {n:row|rows}.",
        "La table a été lue {passes} fois ; figures et constats regardent un échantillon de {n} {n:ligne|lignes} d'apprentissage.",
    ),
    "one_target": ("it takes one target only", "il ne prend qu'une cible"),
    "dropped": ("Not tried: {parts}.", "Non essayés : {parts}."),
    # assess
    "assessed": (
        "Error on {n} {n:row|rows}: {risk} ({level} interval).",
        "Erreur sur {n} {n:ligne|lignes} : {risk} (intervalle à {level}).",
    ),
    "assessed_bare": ("Error on {n} {n:row|rows}: {risk}.", "Erreur sur {n} {n:ligne|lignes} : {risk}."),
    "how_found": ("It rests on {how}.", "Elle repose sur : {how}."),
    "by_groups_again": (
        "The error bar counts the groups of {name}, as when the predictor was learned.",
        "La barre d'erreur compte les groupes de {name}, comme à l'apprentissage.",
    ),
    "by_time_again": (
        "The error bar knows that rows near each other in {name} resemble each other, as when the predictor was learned.",
        "La barre d'erreur sait que des lignes proches selon {name} se ressemblent, comme à l'apprentissage.",
    ),
    "no_groups": (
        "The predictor was learned with groups by {name}, a column that this table has not: rows are taken as independent, and the interval "
        "may be too short.",
        "Le prédicteur a été appris avec les groupes de {name}, une colonne que cette table n'a pas : les lignes sont prises pour "
        "indépendantes, et l'intervalle peut être trop court.",
    ),
    "no_time": (
        "The predictor was learned in the time of {name}, a column that this table has not: rows are taken as independent, and the interval "
        "may be too short.",
        "Le prédicteur a été appris dans le temps de {name}, une colonne que cette table n'a pas : les lignes sont prises pour indépendantes, "
        "et l'intervalle peut être trop court.",
    ),
    "use": (
        "This is use number {k} of these rows: the interval is given at level {level} rather than {asked}, as {k} {k:look asks|looks ask} for.",
        "C'est l'utilisation numéro {k} de ces lignes : l'intervalle est donné au niveau {level} et non {asked}, comme il convient.",
    ),
    "first_use": ("First use of these rows.", "Première utilisation de ces lignes."),
    "sealed_rows": (
        "{k} of the {n} rows {k:is a sealed test row|are the sealed test rows} of this predictor.",
        "{k} des {n} lignes {k:est une ligne|sont les lignes} sous scellés de ce prédicteur.",
    ),
    "sealed_again": (
        "{k} more {k:row repeats a sealed row|rows repeat sealed rows} cell for cell: {k:it counts as another row; if it is a copy|they count as other rows; if they are copies}, the interval is too narrow.",
        "{k} {k:autre ligne répète une ligne|autres lignes répètent des lignes} sous scellés à l'identique : "
        "{k:elle compte comme une autre ligne ; si c'est une copie|elles comptent comme d'autres lignes ; si ce sont des copies}, "
        "l'intervalle est trop étroit.",
    ),
    "training_unknown": (
        "It learned from a large table, whose rows are not known again: give rows that it has not seen.",
        "Il a appris d'une grande table, dont les lignes ne sont pas reconnues : donner des lignes qu'il n'a pas vues.",
    ),
    "training_rows": (
        "{k} of the {n} rows {k:was|were} learned from and {k:is|are} left out: {k:its|their} error would be too small.",
        "{k} des {n} lignes {k:a|ont} servi à l'apprentissage et {k:est laissée|sont laissées} de côté : {k:son|leur} erreur serait trop petite.",
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
    "strange": (
        "{name}: {what}.",
        "{name} : {what}.",
    ),
    "drift_range": (
        "{k} of its values {k:lies|lie} outside [{low}, {high}], the range in training, such as {example}",
        "{k} de ses valeurs {k:sort|sortent} de [{low}, {high}], l'étendue à l'apprentissage, comme {example}",
    ),
    "drift_shares": (
        "the share of {level} is {now}, against {then} in training",
        "la part de {level} est {now}, contre {then} à l'apprentissage",
    ),
    "predicted": ("{n} {n:row|rows} predicted.", "{n} {n:ligne prédite|lignes prédites}."),
    "saved": ("Saved: {path}.", "Enregistré : {path}."),
    "saved_guest": (
        "It holds {name}, which is not épée's: loading it runs code from the file, so epee.load needs trusted=True, and the commands --trust.",
        "Il contient {name}, qui n'est pas d'épée : le charger exécute du code du fichier ; epee.load demande donc trusted=True, et les commandes --trust.",
    ),
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
        "{repeats:time|times} on the same folds for all; "
        "filling and scaling are learned inside the folds.",
        "Chaque prédicteur est éprouvé par validation croisée à {folds} plis sur les lignes d'apprentissage, "
        "répétée {repeats} fois, sur les mêmes plis "
        "pour tous ; remplissage et réduction sont appris à l'intérieur des plis.",
    ),
    "how_forward": (
        "Each predictor was tested on {folds} successive {folds:stretch|stretches} of time, after learning from the rows before each, a third of all at least; "
        "filling and scaling are learned from those rows too.",
        "Chaque prédicteur est éprouvé sur {folds} périodes successives, après apprentissage sur les lignes qui précèdent chacune, un tiers au moins ; "
        "remplissage et réduction sont appris sur ces mêmes lignes.",
    ),
    "how_ahead": (
        "The rows tested lie {near} to {far} {far:moment|moments} after the last one learned from.",
        "Les lignes éprouvées se trouvent de {near} à {far} {far:instant|instants} après la dernière apprise.",
    ),
    "how_ahead_sealed": (
        "The rows tested lie {near} to {far} {far:moment|moments} after the last one learned from, the sealed ones up to {end}.",
        "Les lignes éprouvées se trouvent de {near} à {far} {far:instant|instants} après la dernière apprise, celles sous scellés jusqu'à {end}.",
    ),
    "how_complexity": (
        "Each predictor has the simplest value of its parameter within one standard error of the best.",
        "Chaque prédicteur a la valeur la plus simple de son paramètre à moins d'un écart-type de la meilleure.",
    ),
    "how_intervals": (
        "Intervals of predictors that are solved from sums are nested (Bates, Hastie and Tibshirani, 2023); the others are approximate.",
        "Les intervalles des prédicteurs calculés à partir de sommes sont emboîtés (Bates, Hastie et Tibshirani, "
        "2023) ; les autres sont approchés.",
    ),
    "how_differences": (
        "Differences are paired by fold, corrected for shared training rows (Nadeau and Bengio, 2003) and for their number (Holm).",
        "Les écarts sont appariés par pli, corrigés du partage des lignes d'apprentissage (Nadeau et Bengio, "
        "2003) et de leur nombre (Holm).",
    ),
    "how_test": (
        "The sealed rows were looked at once, by the chosen predictor.",
        "Les lignes sous scellés n'ont été vues qu'une fois, par le prédicteur choisi.",
    ),
}

say = Catalogue(WORDS)
