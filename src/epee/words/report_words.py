"""Words of reports, in English and French."""

from __future__ import annotations

from epee.words.catalogue import Catalogue

# key: (English, French)
WORDS: dict[str, tuple[str, str]] = {
    # titles
    "report": ("Report", "Rapport"),
    "learned_title": (
        "{target}: what predicts it, and how well",
        "{target} : quel prédicteur, et avec quelle erreur",
    ),
    "explored_title": ("{table}: what the table holds", "{table} : ce que contient la table"),
    "answer": ("The answer", "La réponse"),
    "leaderboard": ("All predictors, from the simplest", "Tous les prédicteurs, du plus simple au plus complexe"),
    "curves": ("Error against complexity", "L'erreur selon la complexité"),
    "confusion": ("Confusion: true class against prediction", "Confusion : vraie classe et prédiction"),
    "residuals": ("Residuals", "Résidus"),
    "calibration": ("Are probabilities frequencies?", "Les probabilités sont-elles des fréquences ?"),
    "ranking": ("How well the classes are ranked", "Comment les classes sont ordonnées"),
    "roc": ("ROC curve", "Courbe ROC"),
    "precision_recall": ("Precision and recall", "Précision et rappel"),
    "lift": ("Lift", "Gain (lift)"),
    "uses": ("What the predictor uses", "Ce dont le prédicteur se sert"),
    "effects": ("What each column does to the prediction", "Ce que chaque variable fait à la prédiction"),
    "learning_curve": ("What more rows would bring", "Ce qu'apporteraient d'autres lignes"),
    "findings": ("Findings", "Constats"),
    "table": ("How the table was read", "Comment la table a été lue"),
    "how": ("How each figure was computed", "Comment chaque chiffre a été calculé"),
    "redo": ("How to do it again", "Pour refaire ce calcul"),
    # the answer
    "chosen_is": ("The chosen predictor is {name}.", "Le prédicteur choisi est : {name}."),
    "error_is": (
        "On {n} {n:row|rows} that it never saw, its {loss} is {value}; with {level} confidence it lies in {span}.",
        "Sur {n} {n:ligne jamais vue|lignes jamais vues}, {its} {loss} est de {value} ; au niveau de confiance de {level}, {it} est "
        "dans {span}.",
    ),
    "error_is_cv": (
        "No rows were sealed; by cross-validation, corrected for the choice, its {loss} is {value}; with {level} "
        "confidence it lies in {span}.",
        "Aucune ligne n'a été mise sous scellés ; par validation croisée, corrigée du choix, {its} {loss} est de "
        "{value} ; au niveau de confiance de "
        "{level}, {it} est dans {span}.",
    ),
    "error_is_bare": (
        "On {n} {n:row|rows} that it never saw, its {loss} is {value}.",
        "Sur {n} {n:ligne jamais vue|lignes jamais vues}, {its} {loss} est de {value}.",
    ),
    "error_is_cv_bare": (
        "No rows were sealed; by cross-validation, corrected for the choice, its {loss} is {value}.",
        "Aucune ligne n'a été mise sous scellés ; par validation croisée, corrigée du choix, {its} {loss} est de {value}.",
    ),
    "also_r2_bare": ("It explains {value} of the variance (R²).", "Il explique {value} de la variance (R²)."),
    "also_roc_auc_bare": (
        "It ranks the classes with an area under the ROC curve of {value}.",
        "Il ordonne les classes avec une aire sous la courbe ROC de {value}.",
    ),
    "also_absolute_bare": ("Its mean absolute error is {value}.", "Son erreur absolue moyenne est de {value}."),
    "no_interval": ("no interval", "pas d'intervalle"),
    "also_r2": (
        "It explains {value} of the variance (R², {span}).",
        "Il explique {value} de la variance (R², {span}).",
    ),
    "also_roc_auc": (
        "It ranks the classes with an area under the ROC curve of {value} {span}.",
        "Il ordonne les classes avec une aire sous la courbe ROC de {value} {span}.",
    ),
    "apart": (
        "The runner-up, {other}, can be told apart: its error is larger by {gap} (p {p}).",
        "Le suivant, {other}, s'en distingue : son erreur est plus grande de {gap} (p {p}).",
    ),
    "not_apart": (
        "The runner-up, {other}, cannot be told apart from it: a difference of {gap} (p {p}) may be chance.",
        "Le suivant, {other}, ne s'en distingue pas : un écart de {gap} (p {p}) peut être dû au hasard.",
    ),
    "best_not_apart": (
        "The error of {other} is smaller by {gap} (p {p}): not enough to tell them apart, so the simpler one "
        "is chosen.",
        "Un autre, {other}, a une erreur plus petite de {gap} (p {p}) : trop peu pour les distinguer, le plus "
        "simple est donc choisi.",
    ),
    "best_apart": (
        "{other} does better by {gap} (p {p}), but within one standard error: the simpler one is chosen.",
        "{other} fait mieux de {gap} (p {p}), mais à moins d'un écart-type : le plus simple est choisi.",
    ),
    "best_not_apart_brier": (
        "The error of {other} is smaller by {gap} (p {p}): not enough to tell them apart, so the Brier score of the probabilities decided.",
        "Un autre, {other}, a une erreur plus petite de {gap} (p {p}) : trop peu pour les distinguer, le score de Brier des probabilités a "
        "donc décidé.",
    ),
    "best_apart_brier": (
        "{other} does better by {gap} (p {p}), but within one standard error: the Brier score of the probabilities decided.",
        "{other} fait mieux de {gap} (p {p}), mais à moins d'un écart-type : le score de Brier des probabilités a décidé.",
    ),
    "alone": ("It had no competitor.", "Il n'avait pas de concurrent."),
    "against_baseline": (
        "Without any input, the constant predictor makes an error of {value}.",
        "Sans aucune entrée, le prédicteur constant fait une erreur de {value}.",
    ),
    "conclusive": ("Conclusive", "Concluant"),
    "not_conclusive": ("Not conclusive", "Non concluant"),
    "conclusive_why": (
        "it is shown to beat the constant predictor, and the sealed rows agree",
        "il fait mieux que le prédicteur constant de façon établie, et le test le confirme",
    ),
    "conclusive_cv": (
        "it is shown to beat the constant predictor",
        "il fait mieux que le prédicteur constant de façon établie",
    ),
    "not_conclusive_why": (
        "it is not shown to beat the constant predictor, or the sealed rows disagree",
        "il n'est pas établi qu'il fasse mieux que le prédicteur constant, ou le test le dément",
    ),
    "no_findings": ("No finding: nothing suspicious was seen.", "Aucun constat : rien de suspect n'a été vu."),
    "some_findings": ("{k} {k:finding|findings}, below.", "{k} {k:constat|constats}, plus bas."),
    "muted": ("Not looked for, as asked: {codes}.", "Non recherchés, comme demandé : {codes}."),
    "findings_note": (
        "A finding appears only when chance does not explain it: all tests together are held to a level of 1 %.",
        "Un constat n'apparaît que si le hasard ne l'explique pas : tous les tests ensemble sont tenus au niveau "
        "de 1 %.",
    ),
    "explanation": ("explanation", "explication"),
    # tiles
    "test_error": ("test error", "erreur de test"),
    "corrected_error": ("error, corrected", "erreur corrigée"),
    "baseline_error": ("without inputs", "sans entrée"),
    "rows_used": ("rows", "lignes"),
    "rows_detail": ("{training} to learn, {sealed} sealed", "{training} pour apprendre, {sealed} sous scellés"),
    "verdict": ("verdict", "verdict"),
    # tables and axes
    "predictor": ("predictor", "prédicteur"),
    "error": ("error", "erreur"),
    "interval": ("{level} interval", "intervalle à {level}"),
    "dof": ("dof", "ddl"),
    "difference": ("difference", "écart"),
    "seconds": ("time", "durée"),
    "against": ("against the best", "face au meilleur"),
    "best": ("best", "meilleur"),
    "worse": ("worse", "moins bon"),
    "not distinguishable": ("not shown", "non établi"),
    "chosen": ("chosen", "choisi"),
    "caution_as_said": (
        "~ {names}: with the caution above.",
        "~ {names} : avec la réserve ci-dessus.",
    ),
    "caution_of": ("~ {names}: {caution}", "~ {names} : {caution}"),
    "also_absolute": (
        "Its mean absolute error, in which no loss weighs as much, is {value}; with {level} confidence it lies in {span}.",
        "Son erreur absolue moyenne, où aucune perte ne pèse autant, est de {value} ; au niveau de confiance de {level}, elle est dans {span}.",
    ),
    "approximate_mark": ("~ approximate interval", "~ intervalle approché"),
    "cv_error": ("held out", "mises de côté"),
    "train_error": ("training rows", "apprentissage"),
    "one_se": ("best + one standard error", "meilleure + un écart-type"),
    "complexity": ("from simple to complex: {parameter}", "du simple au complexe : {parameter}"),
    "true": ("true class", "vraie classe"),
    "decided": ("prediction", "prédiction"),
    "predicted": ("prediction", "prédiction"),
    "residual": ("truth − prediction", "vérité − prédiction"),
    "announced": ("probability of the predicted class", "probabilité de la classe prédite"),
    "right": ("share predicted correctly", "part de prédictions justes"),
    "fpr": ("share of the others taken (false alarms)", "part des autres retenue (fausses alertes)"),
    "tpr": ("share of the class found", "part de la classe trouvée"),
    "recall": ("recall", "rappel"),
    "precision": ("precision", "précision"),
    "depth": ("share of the rows taken, likeliest first", "part des lignes retenue, les plus probables d'abord"),
    "lift_axis": ("times better than chance", "fois mieux que le hasard"),
    "probability_of": ("probability of {label}", "probabilité de {label}"),
    "observed": ("share that is of the class", "part qui est de la classe"),
    "share": ("share", "part"),
    "class": ("class", "classe"),
    "of_class": ("of {label}", "de {label}"),
    "over_classes": ("mean over the classes", "moyenne sur les classes"),
    "importance": (
        "rise of the error when the column is shuffled",
        "hausse de l'erreur quand la colonne est mélangée",
    ),
    "coefficients": ("coefficient", "coefficient"),
    "training_rows": ("training rows", "lignes d'apprentissage"),
    "extrapolated": ("extrapolation", "extrapolation"),
    "column": ("column", "variable"),
    "kind": ("kind", "type"),
    "role": ("role", "rôle"),
    "missing": ("missing", "vides"),
    "note": ("note", "remarque"),
    "score": ("figure", "mesure"),
    "value": ("value", "valeur"),
    "perfect": ("perfect", "parfait"),
    "number": ("number", "quantitative"),
    "boolean": ("yes/no", "oui/non"),
    "category": ("category", "qualitative"),
    "date": ("date", "date"),
    "text": ("text", "texte"),
    "input": ("input", "entrée"),
    "target": ("target", "cible"),
    "weight": ("weight", "poids"),
    "groups": ("groups", "groupes"),
    "time": ("time", "temps"),
    "left out": ("left out", "laissée de côté"),
    "all_columns": ("All columns", "Toutes les variables"),
    "dropped": ("Not tried: {name} ({why}).", "Non essayé : {name} ({why})."),
    "made_by": ("Made by épée {version} in {seconds} s", "Fait par épée {version} en {seconds} s"),
    # captions: what is drawn, and on which rows
    "leaderboard_caption": (
        "Dots: error on rows held out, by cross-validation of the {n} training rows ({folds} folds, {repeats} "
        "{repeats:time|times}). Bars: {level} interval.",
        "Points : erreur sur les lignes mises de côté, par validation croisée des {n} lignes d'apprentissage "
        "({folds} plis, {repeats} fois). "
        "Barres : intervalle à {level}.",
    ),
    "leaderboard_caption_one": (
        "Dots: error on rows held out, by cross-validation of the {n} training rows ({folds} folds). Bars: "
        "{level} interval.",
        "Points : erreur sur les lignes mises de côté, par validation croisée des {n} lignes d'apprentissage "
        "({folds} plis). Barres : intervalle "
        "à {level}.",
    ),
    "curves_caption": (
        "Error on the training rows and, with a bar of one standard error, on rows held out in turn. The "
        "full dot is the value that is kept, of the smallest error held out; what lies below the dashed line is within one "
        "standard error of it.",
        "Erreur d'apprentissage et, avec une barre d'un écart-type, erreur sur les lignes mises de côté tour à "
        "tour. Le point plein est la valeur retenue, de plus petite erreur sur ces lignes ; ce qui est sous la ligne tiretée en "
        "est à moins d'un écart-type.",
    ),
    "confusion_caption": (
        "On the {n} sealed {n:row|rows}. Each line is a true class: the share of its rows that got each prediction, with its "
        "{level} interval, and the count.",
        "Sur {n:la|les} {n} {n:ligne|lignes} sous scellés. Chaque ligne est une vraie classe : la part de ses individus qui "
        "reçoit chaque prédiction, son intervalle à "
        "{level}, et l'effectif.",
    ),
    "confusion_worst": (
        "{k} classes are too many to draw: here are the commonest mistakes on the {n} sealed {n:row|rows}.",
        "{k} classes sont trop nombreuses pour être dessinées : voici les erreurs les plus fréquentes sur les "
        "{n} lignes sous scellés.",
    ),
    "residuals_caption": (
        "On the sealed rows ({shown} of {n} shown). Bars: mean residual of a tenth of the rows with its 95 % "
        "interval; away from 0, the predictor is biased "
        "there. Half of the residuals lie in {half}, 90 % in {most}.",
        "Sur les lignes sous scellés ({shown} sur {n} dessinées). Barres : résidu moyen d'un dixième des lignes, "
        "avec son intervalle à 95 % ; loin de 0, le "
        "prédicteur est biaisé à cet endroit. La moitié des résidus est dans {half}, 90 % dans {most}.",
    ),
    "calibration_caption": (
        "On the {n} sealed {n:row|rows}, in groups of equal size by the probability of the predicted class. Bars: {level} "
        "interval. On the diagonal, a probability means what "
        "it says.",
        "Sur {n:la|les} {n} {n:ligne|lignes} sous scellés, par groupes de même taille selon la probabilité de la classe prédite. Barres "
        ": intervalle à {level}. Sur la diagonale, "
        "une probabilité dit vrai.",
    ),
    "ranking_caption": (
        "On the sealed rows ({n}), each class against the rest, from the rows most likely to be of the class down. Bands: {level} at each "
        "place (bootstrap). Dashed: chance.",
        "Sur les lignes sous scellés ({n}), chaque classe contre les autres, des lignes les plus probables aux moins probables. Bandes : "
        "{level} en chaque point (bootstrap). Tirets : le hasard.",
    ),
    "threshold": ("From which probability on", "À partir de quelle probabilité"),
    "mean_cost": ("mean cost", "coût moyen"),
    "error_rate": ("error rate", "taux d'erreur"),
    "threshold_caption": (
        "On training rows held out: predicting {label} from a probability of {chosen} on makes the fewest errors ({least}). A lower threshold "
        "finds more of the class, a higher one is right more often; epee predict --threshold decides by another than the most probable.",
        "Sur les lignes d'apprentissage mises de côté : prédire {label} à partir d'une probabilité de {chosen} donne le moins d'erreurs "
        "({least}). Un seuil plus bas trouve davantage de la classe, un seuil plus haut a plus souvent raison ; epee predict --threshold "
        "décide par un autre que le plus probable.",
    ),
    "threshold_costs": (
        "On training rows held out: predicting {label} from a probability of {chosen} on costs least ({least} a row, without rejection); true "
        "probabilities would have it at {expected}.",
        "Sur les lignes d'apprentissage mises de côté : prédire {label} à partir d'une probabilité de {chosen} coûte le moins ({least} par "
        "ligne, sans rejet) ; de vraies probabilités l'auraient à {expected}.",
    ),
    "threshold_reject": (
        "With rejection, least is had by deciding for {other} below {low} and for {label} from {high} on.",
        "Avec rejet, le moins coûteux est de décider pour {other} en dessous de {low} et pour {label} à partir de {high}.",
    ),
    "reliability_caption": (
        "On the sealed rows ({n}), in groups of equal size by the probability of {label}: how many are of that class, with its {level} "
        "interval. On the diagonal, a probability means what it says.",
        "Sur les lignes sous scellés ({n}), par groupes de même taille selon la probabilité de {label} : la part de cette classe, avec son "
        "intervalle à {level}. Sur la diagonale, une probabilité dit vrai.",
    ),
    "by_class_caption": (
        "On the sealed rows ({n}), with {level} intervals. Precision: of the rows given a class, the share that are of it. Recall: of the "
        "rows of a class, the share that are found. F1: their harmonic mean.",
        "Sur les lignes sous scellés ({n}), avec des intervalles à {level}. Précision : des lignes mises dans une classe, la part qui en est. "
        "Rappel : des lignes d'une classe, la part qui est trouvée. F1 : leur moyenne harmonique.",
    ),
    "uses_caption": (
        "How much the error rises on rows held out when a column is shuffled among them, with its {level} interval. "
        "A bar across 0: no use is shown.",
        "Hausse de l'erreur, sur des lignes mises de côté, quand une colonne y est mélangée, avec son intervalle "
        "à {level}. Une barre qui coupe 0 : aucune "
        "utilité établie.",
    ),
    "coefficients_caption": (
        "Coefficients with their {level} intervals, largest first: what one standard deviation more of a column changes.",
        "Coefficients avec leur intervalle à {level}, du plus grand au plus petit : l'effet d'un écart-type de plus d'une variable.",
    ),
    "coefficients_bare": (
        "Coefficients, largest first: what one standard deviation more of a column changes. They are shrunk, or not determined by "
        "the columns alone, and have no interval.",
        "Coefficients, du plus grand au plus petit : l'effet d'un écart-type de plus d'une variable. Ils sont écrêtés, ou non "
        "déterminés par les variables seules, et n'ont pas d'intervalle.",
    ),
    "coefficients_together": (
        "Coefficients, largest first: what one standard deviation more of a column changes. Rows belong together, and the intervals of "
        "coefficients suppose that they do not: none is shown.",
        "Coefficients, du plus grand au plus petit : l'effet d'un écart-type de plus d'une variable. Des lignes vont ensemble, et les "
        "intervalles des coefficients supposent que non : aucun n'est montré.",
    ),
    "rules": ("The tree in words, one line a leaf:", "L'arbre en toutes lettres, une ligne par feuille :"),
    "per_unit": ("for one unit more", "pour une unité de plus"),
    "per_unit_title": ("Coefficients in the units of the table", "Coefficients dans les unités de la table"),
    "per_unit_number": (
        "What one more in the unit of a column changes in {target}, all other columns equal; of a category, being of it instead of not.",
        "Ce que change à {target} une unité de plus d'une variable, toutes choses égales par ailleurs ; d'une modalité, en être ou non.",
    ),
    "per_unit_class": (
        "What one more in the unit of a column changes in the score of {target}, for most predictors the logarithm of the odds, all other "
        "columns equal.",
        "Ce que change au score de {target}, pour la plupart des prédicteurs le logarithme de la cote, une unité de plus d'une variable, "
        "toutes choses égales par ailleurs.",
    ),
    "yes": ("yes", "oui"),
    "no": ("no", "non"),
    "effects_number": (
        "Mean prediction of {of} when the column has one value in all rows (partial dependence, full) and what small steps of it change in "
        "rows that are there (accumulated effects, dashed); where they part, columns go together.",
        "Prédiction moyenne de {of} quand la variable a une même valeur dans toutes les lignes (dépendance partielle, trait plein) et ce que "
        "changent de petits pas dans les lignes présentes (effets accumulés, tirets) ; là où ils diffèrent, des variables vont ensemble.",
    ),
    "effects_class": (
        "Mean probability of {of} when the column has one value in all rows (partial dependence, full) and what small steps of it change in "
        "rows that are there (accumulated effects, dashed); where they part, columns go together.",
        "Probabilité moyenne de {of} quand la variable a une même valeur dans toutes les lignes (dépendance partielle, trait plein) et ce que "
        "changent de petits pas dans les lignes présentes (effets accumulés, tirets) ; là où ils diffèrent, des variables vont ensemble.",
    ),
    "effects_bands": (
        "Bands: {level}, what other training rows would change (jackknife over the folds).",
        "Bandes : {level}, ce que changeraient d'autres lignes d'apprentissage (jackknife sur les plis).",
    ),
    "effects_held": (
        "The weights of the combination are held.",
        "Les poids de la combinaison sont tenus fixes.",
    ),
    "predictor_of": ("{target} from {k} {k:column|columns}: {name}", "{target} d'après {k} {k:colonne|colonnes} : {name}"),
    "leans_on": (
        "What each column adds to the prediction, up or down, on average",
        "Ce que chaque colonne ajoute à la prédiction, en plus ou en moins, en moyenne",
    ),
    "reads": ("It reads {names}.", "Il lit {names}."),
    "effects_bare": (
        "No bands: the predictor would have to be learned anew for each fold, in order of time or at too great a cost.",
        "Pas de bandes : il faudrait réapprendre le prédicteur pour chaque pli, dans l'ordre du temps ou à un coût trop élevé.",
    ),
    "strength": ("joint effect", "effet conjoint"),
    "strength_points": ("joint effect (points)", "effet conjoint (points)"),
    "strength_share": ("share of what both do", "part de ce que font les deux"),
    "interactions_caption": (
        "Pairs of columns that act together, the strongest first: what is left of their effect when that of each is taken away (Friedman and "
        "Popescu), in the unit of the prediction.",
        "Paires de variables qui agissent ensemble, la plus forte d'abord : ce qui reste de leur effet quand on ôte celui de chacune "
        "(Friedman et Popescu), dans l'unité de la prédiction.",
    ),
    "curve_caption": (
        "Error on rows held out when fewer rows are learned from (bars: one standard error), and where the curve "
        "leads: with {rows} {rows:row|rows}, about {error}.",
        "Erreur sur les lignes mises de côté quand on apprend sur moins de lignes (barres : un écart-type), et "
        "où mène la courbe : avec {rows} {rows:ligne|lignes}, "
        "environ {error}.",
    ),
    "curve_caption_short": (
        "Error on rows held out when fewer rows are learned from; bars: one standard error.",
        "Erreur sur les lignes mises de côté quand on apprend sur moins de lignes ; barres : un écart-type.",
    ),
    "scores_caption": ("On the {n} sealed {n:row|rows}.", "Sur {n:la|les} {n} {n:ligne|lignes} sous scellés."),
    "redo_command": ("On the command line:", "En ligne de commande :"),
    "redo_python": ("In Python:", "En Python :"),
    # exploration
    "x_shape": (
        "{rows} {rows:row|rows} and {columns} {columns:column|columns}: {kinds}.",
        "{rows} {rows:ligne|lignes} et {columns} {columns:variable|variables} : {kinds}.",
    ),
    "x_kind_number": ("{k} of numbers", "{k} {k:quantitative|quantitatives}"),
    "x_kind_boolean": ("{k} yes/no", "{k} oui/non"),
    "x_kind_category": ("{k} of categories", "{k} {k:qualitative|qualitatives}"),
    "x_kind_date": ("{k} of dates", "{k} de dates"),
    "x_kind_text": ("{k} of texts", "{k} de textes"),
    "x_missing_none": ("No cell is missing.", "Aucune donnée ne manque."),
    "x_missing": (
        "{share} of the cells are missing, in {columns} {columns:column|columns} and {rows} {rows:row|rows}.",
        "{share} des données manquent, dans {columns} {columns:variable|variables} et {rows} {rows:ligne|lignes}.",
    ),
    "x_correlation": (
        "The strongest correlation is between {a} and {b}: {r} {span}.",
        "La plus forte corrélation est entre {a} et {b} : {r} {span}.",
    ),
    "x_pca": (
        "{k} principal {k:axis holds|axes hold} {share} of the variance of the {p} {p:number|numbers}.",
        "{k} {k:axe principal conserve|axes principaux conservent} {share} de la variance {p:de la|des} {p} {p:variable quantitative|variables quantitatives}.",
    ),
    "x_clusters": (
        "The rows fall into {k} {k:cluster|clusters} (found again in other halves of the rows: stability {stability}).",
        "Les individus forment {k} {k:classe (retrouvée|classes (retrouvées} sur d'autres moitiés des lignes : stabilité {stability}).",
    ),
    "x_one_cluster": (
        "No clusters are shown: the rows are one cloud.",
        "Aucune classe n'est établie : les individus forment un seul nuage.",
    ),
    "x_outliers": (
        "{k} {k:row|rows} ({share} {span}) {k:is|are} so unlikely that only {level} should be.",
        "{k} {k:ligne|lignes} ({share} {span}) {k:est si improbable|sont si improbables} que seules {level} devraient l'être.",
    ),
    "x_no_outliers": (
        "No more rows are unlikely than should be ({k}, {share} {span}, against {level}).",
        "Il n'y a pas plus de lignes improbables qu'attendu ({k}, {share} {span}, contre {level}).",
    ),
    "columns": ("The columns", "Les variables"),
    "distributions": ("Distributions", "Distributions"),
    "missing_title": ("Missing cells", "Données manquantes"),
    "correlations": ("Correlations", "Corrélations"),
    "pca": ("Principal axes", "Axes principaux"),
    "clusters": ("Clusters", "Classes (groupes d'individus)"),
    "outliers": ("Unlikely rows", "Individus improbables"),
    "distinct": ("values", "valeurs"),
    "mean": ("mean", "moyenne"),
    "sd": ("sd", "écart-type"),
    "min": ("min", "min"),
    "median": ("median", "médiane"),
    "max": ("max", "max"),
    "skewness": ("skewness", "asymétrie"),
    "most_common": ("commonest values", "valeurs les plus fréquentes"),
    "share_missing": ("share missing", "part manquante"),
    "pattern": ("missing together", "manquent ensemble"),
    "none_missing": ("nothing missing", "rien ne manque"),
    "pattern_rows": ("rows", "lignes"),
    "distributions_caption": (
        "All rows where the cell is there. Height: number of rows. An asterisk: a logarithmic axis.",
        "Toutes les lignes où la donnée existe. Hauteur : effectif. Un astérisque : axe logarithmique.",
    ),
    "missing_caption": (
        "Share of missing cells with its {level} interval.",
        "Part de données manquantes, avec son intervalle à {level}.",
    ),
    "patterns_caption": (
        "Which cells are missing in the same row, the commonest first.",
        "Quelles données manquent dans une même ligne, les cas les plus fréquents d'abord.",
    ),
    "correlations_caption": (
        "Correlations of numbers, each on the rows where both are there. Full colour is ± 1.",
        "Corrélations des variables quantitatives, chacune sur les lignes où les deux existent. La pleine "
        "couleur vaut ± 1.",
    ),
    "correlations_table": (
        "The strongest, with {level} intervals (Fisher); p is corrected for the {k} {k:pair|pairs} (Holm).",
        "Les plus fortes, avec intervalle à {level} (Fisher) ; p est corrigé du nombre de paires, {k} (Holm).",
    ),
    "r": ("correlation", "corrélation"),
    "pair": ("pair", "paire"),
    "scree_caption": (
        "Share of the variance of each axis of the scaled numbers, with its {level} interval; dashed: what "
        "columns without correlation would give.",
        "Contraste conservé par chaque axe des variables centrées réduites, avec son intervalle à {level} ; "
        "tirets : ce que donneraient des variables non "
        "corrélées.",
    ),
    "plane_caption": (
        "The rows in the plane of the first two axes ({shown} of {n} shown); colours are the clusters below.",
        "Les individus dans le plan des deux premiers axes ({shown} sur {n} dessinés) ; les couleurs sont les "
        "classes ci-dessous.",
    ),
    "plane_caption_plain": (
        "The rows in the plane of the first two axes ({shown} of {n} shown).",
        "Les individus dans le plan des deux premiers axes ({shown} sur {n} dessinés).",
    ),
    "loadings": ("Correlation of columns and axes", "Corrélation des variables et des axes"),
    "axis": ("axis {j}", "axe {j}"),
    "axis_share": ("axis {j} ({share} of the variance)", "axe {j} ({share} de la variance)"),
    "variance_share": ("share of the variance", "part de la variance"),
    "gap": ("gap statistic", "statistique de l'écart (gap)"),
    "stability": ("stability", "stabilité"),
    "silhouette": ("silhouette", "silhouette"),
    "n_clusters": ("number of clusters", "nombre de classes"),
    "clusters_caption": (
        "k-means on the scaled numbers of {n} {n:row|rows}. The gap statistic decides, and may say one; stability is the "
        "agreement (adjusted Rand index) of fits to "
        "overlapping halves. Bars: one standard error.",
        "k-moyennes sur les variables centrées réduites de {n} lignes. La statistique de l'écart décide, et peut "
        "dire un ; la stabilité est l'accord (indice de "
        "Rand ajusté) de deux moitiés qui se recouvrent. Barres : un écart-type.",
    ),
    "mixture": ("Mixture of laws", "Mélange de lois"),
    "bic": ("BIC", "BIC"),
    "n_components": ("number of components", "nombre de composantes"),
    "mixture_caption": (
        "Gaussian laws with {form}, fitted by EM to the scaled numbers of {n} {n:row|rows} without a hole. BIC, smaller is better, weighs likelihood against "
        "parameters; components that make one cloud are counted once. Bars: standard error of the difference to the best number.",
        "Lois gaussiennes à {form}, ajustées par EM aux nombres réduits de {n} {n:individu|individus} sans trou. Le BIC, d'autant meilleur qu'il est petit, met en balance "
        "vraisemblance et paramètres ; des composantes qui forment un seul nuage comptent pour une. Barres : écart-type de la différence au meilleur nombre.",
    ),
    "full_form": ("a full covariance each", "covariance complète chacune"),
    "diag_form": ("a diagonal covariance each", "covariance diagonale chacune"),
    "one_cloud": (
        "{k} Gaussian laws describe these rows best, but no valley parts them: they make one cloud, which is not Gaussian.",
        "{k} lois gaussiennes décrivent le mieux ces individus, mais aucun creux ne les sépare : c'est un seul nuage, qui n'est pas gaussien.",
    ),
    "one_law": ("One Gaussian law is enough for these rows.", "Une seule loi gaussienne suffit à ces individus."),
    "component": ("component {j}", "composante {j}"),
    "component_weight": ("share", "part"),
    "component_sure": ("how surely its rows belong to it", "avec quelle certitude ses individus lui reviennent"),
    "component_marks": ("its mean (in standard deviations from that of all)", "sa moyenne (en écarts-types à celle de tous)"),
    "is_yes": ("yes", "oui"),
    "is_no": ("no", "non"),
    "cluster": ("cluster {j}", "classe {j}"),
    "cluster_rows": ("rows", "individus"),
    "cluster_marks": (
        "what marks it (in standard deviations from the mean)",
        "ce qui la distingue (en écarts-types à la moyenne)",
    ),
    "outliers_caption": (
        "Rows whose density under {model} is below that of {level} of rows drawn from it. The rate is calibrated "
        "by such draws, so on a table of that law about {level} "
        "would be listed.",
        "Lignes dont la densité, sous {model}, est inférieure à celle de {level} des lignes qu'on en tirerait. "
        "Le seuil est calibré par de tels tirages : sur une table de "
        "cette loi, environ {level} des lignes y figureraient.",
    ),
    "gaussian_law": ("a Gaussian law", "une loi gaussienne"),
    "mixture_law": ("a mixture of {k} Gaussian laws", "un mélange de {k} lois gaussiennes"),
    "row": ("row", "ligne"),
    "why_unlikely": ("furthest cells (in standard deviations)", "données les plus éloignées (en écarts-types)"),
    "how_moments": (
        "Means and standard deviations are on all rows where the cell is there; the interval of a mean is its "
        "Student interval.",
        "Moyennes et écarts-types portent sur toutes les lignes où la donnée existe ; l'intervalle d'une moyenne "
        "est celui de Student.",
    ),
    "how_fill": (
        "For axes, clusters and unlikely rows, numbers are centred and scaled and a missing cell takes the mean.",
        "Pour les axes, les classes et les individus improbables, les variables sont centrées et réduites, et "
        "une donnée manquante prend la moyenne.",
    ),
}  # fmt: skip


say = Catalogue(WORDS)
known = say.known
