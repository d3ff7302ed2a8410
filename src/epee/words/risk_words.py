"""Words about risk, in English and French."""

from __future__ import annotations

from epee.words.catalogue import Catalogue

# key: (English, French)
WORDS: dict[str, tuple[str, str]] = {
    "beats": (
        "{best} beats {other} by {gap}, p {p}: {shown}.",
        "{best} fait mieux que {other} de {gap}, p {p} : {shown}.",
    ),
    "equal": (
        "{best} and {other} do equally well on these folds.",
        "{best} et {other} font aussi bien l'un que l'autre sur ces plis.",
    ),
    "alone": ("{best} is the only candidate.", "{best} est le seul candidat."),
    "shown": ("shown", "établi"),
    "not shown": ("not shown", "non établi"),
    "simplest": (
        "The simplest predictor that nothing here beats is {simplest}.",
        "Le prédicteur le plus simple que rien ici ne surpasse est {simplest}.",
    ),
    "points": ("{value} ± {stderr} points", "{value} ± {stderr} points"),
    "optimism": (
        "The winner looks better than it is by about {optimism}: corrected for the choice, its error is {corrected}.",
        "Le gagnant paraît meilleur qu'il n'est d'environ {optimism} : corrigée de ce choix, son erreur est {corrected}.",
    ),
    "no_optimism": (
        "The winner looks no better than it is: corrected for the choice, its error is {corrected}.",
        "Le gagnant ne paraît pas meilleur qu'il n'est : corrigée de ce choix, son erreur est {corrected}.",
    ),
    "error": ("error", "erreur"),
    "training error": ("training error", "erreur d'apprentissage"),
    "cross-validated error": ("cross-validated error", "erreur de validation croisée"),
    "one standard error": ("one standard error", "un écart-type"),
    "best": ("best", "meilleur"),
    "chosen": ("chosen", "choisi"),
    "degrees of freedom": ("effective degrees of freedom", "degrés de liberté effectifs"),
    "fold": ("fold", "pli"),
    "rows": ("training rows", "lignes d'apprentissage"),
    "test error": ("test error", "erreur de test"),
    "extrapolation": ("extrapolation", "extrapolation"),
    "noise": ("noise", "bruit"),
    "bias2": ("bias²", "biais²"),
    "bias": ("bias", "biais"),
    "variance": ("variance", "variance"),
    "epe": ("expected prediction error", "erreur de prédiction espérée"),
    "difference": ("difference in error from {best}", "écart d'erreur avec {best}"),
    "false positive rate": ("false positive rate", "taux de faux positifs"),
    "true positive rate": ("true positive rate", "taux de vrais positifs"),
    "recall": ("recall", "rappel"),
    "precision": ("precision", "précision"),
    "probability": ("predicted probability", "probabilité prédite"),
    "frequency": ("observed frequency", "fréquence observée"),
    "predicted": ("predicted", "prédit"),
    "true": ("true", "vrai"),
    "importance": ("rise of the error when the column is shuffled", "hausse de l'erreur quand la colonne est mélangée"),
    "column": ("column", "colonne"),
    "in order": ("rows in the order of their prediction", "lignes dans l'ordre de leur prédiction"),
    "prediction": ("prediction", "prédiction"),
    "interval": ("{level} interval", "intervalle à {level}"),
    "model": ("model", "modèle"),
    "chance": ("chance", "hasard"),
    "perfect": ("perfect calibration", "calibration parfaite"),
    "more rows": (
        "With twice the rows ({n}) the error would be about {then}, against {now} now.",
        "Avec deux fois plus de lignes ({n}), l'erreur serait d'environ {then}, contre {now} à présent.",
    ),
    "caution few": (
        "Only {n} independent {n:row or group|rows or groups}: too few to show how large a loss can be; the interval holds for nearly Gaussian errors.",
        "{n} {n:ligne ou groupe indépendant|lignes ou groupes indépendants} seulement : trop peu pour montrer combien une perte peut être grande ; l'intervalle vaut pour des erreurs presque gaussiennes.",
    ),
    "caution units": (
        "The rows are worth {n} independent {n:one|ones} only: the error bar itself is uncertain, and the interval may be too short.",
        "Les lignes n'en valent que {n} {n:indépendante|indépendantes} : la barre d'erreur est elle-même incertaine, l'intervalle peut être trop court.",
    ),
    "caution bursts": (
        "The losses come in long bursts, of which these rows show few: the interval holds for times with bursts like these only.",
        "Les pertes viennent par longues vagues, dont ces lignes montrent peu : l'intervalle ne vaut que pour des temps aux vagues semblables.",
    ),
    "caution heavy": (
        "The largest losses are too far from the others (one alone makes {share} of the mean): no interval from {n} {n:row or group|rows or groups} is sure to cover. A loss that grows more slowly is surer (absolute for squared, Brier's for log).",
        "Les plus grandes pertes sont trop loin des autres (une seule fait {share} de la moyenne) : aucun intervalle tiré de {n} {n:ligne ou groupe|lignes ou groupes} n'est sûr. Une perte qui croît moins vite l'est davantage (absolue plutôt que quadratique, Brier plutôt que logarithmique).",
    ),
    "caution unlearned": (
        "Most training samples of the curve miss a class: it has too few rows for the curve to show where it goes.",
        "La plupart des échantillons d'apprentissage de la courbe manquent d'une classe : celle-ci a trop peu de lignes pour que la courbe montre où elle va.",
    ),
    "caution steep": (
        "Only {n} training {n:row|rows} for {p} {p:column|columns}: the error falls steeply there, and no power law tells how far; the interval is not to be trusted.",
        "{n} {n:ligne|lignes} d'apprentissage seulement pour {p} {p:colonne|colonnes} : l'erreur y baisse vite, et aucune loi de puissance ne dit jusqu'où ; l'intervalle n'est pas fiable.",
    ),
    "caution importance": (
        "A few rows make most of the importance of {n:the column|the columns} {names}: {n:its interval is|their intervals are} not to be trusted.",
        "Quelques lignes font l'essentiel de l'importance {n:de la colonne|des colonnes} {names} : {n:son intervalle n'est pas fiable|leurs intervalles ne sont pas fiables}.",
    ),
    "caution even": (
        "The classes have exactly as many rows, and hardly anything tells them apart: a row that is left out makes its own class the rarer one, so leave-one-out leans towards errors. Cross-validate in folds.",
        "Les classes ont exactement autant de lignes, et presque rien ne les distingue : une ligne laissée de côté rend sa propre classe la plus rare, et le leave-one-out penche vers l'erreur. Validez plutôt par plis.",
    ),
    "caution unsaid": (
        "Every row has the weight {w}, and is taken as {w} {w:row|rows}: the interval holds only if it is. Say weights='counts' or weights='sampling'.",
        "Chaque ligne a le poids {w} et compte pour {w} {w:ligne|lignes} : l'intervalle ne vaut que si c'est le cas. Dites weights='counts' ou weights='sampling'.",
    ),
    "caution refits": (
        'The predictor is fitted again in each fold, and the fits share rows: the interval covers a little less than it claims. interval="nested" knows it.',
        "Le prédicteur est appris de nouveau dans chaque pli, et ces apprentissages partagent des lignes : l'intervalle couvre un peu moins qu'il ne dit. interval=\"nested\" le sait.",
    ),
    "caution refits left out": (
        'The predictor is fitted again without each row, and the fits share nearly all of theirs: the interval covers a little less than it claims. cross_validate(..., interval="nested") knows it.',
        "Le prédicteur est appris de nouveau sans chaque ligne, et ces apprentissages partagent presque toutes les leurs : l'intervalle couvre un peu moins qu'il ne dit. cross_validate(..., interval=\"nested\") le sait.",
    ),
    "caution parted": (
        "Rows that are copies of each other lie on both sides ({n} in all): they test a predictor that has seen them, and the error is too small. Take a number of folds, which keeps copies together, or say by groups which rows belong together.",
        "Des lignes qui sont des copies les unes des autres se trouvent des deux côtés ({n} en tout) : elles éprouvent un prédicteur qui les a vues, et l'erreur est trop petite. Prenez un nombre de plis, qui garde les copies ensemble, ou dites par groups quelles lignes vont ensemble.",
    ),
    "caution groups parted": (
        "The folds part {n} of the {k} groups: the predictor has seen rows of those that it is tested on, and the error says nothing of new groups. Take a number of folds, which keeps groups whole, or folds that do.",
        "Les plis partagent {n} des {k} groupes : le prédicteur a vu des lignes de ceux qu'il éprouve, et l'erreur ne dit rien de nouveaux groupes. Prenez un nombre de plis, qui garde les groupes entiers, ou des plis qui le font.",
    ),
    "caution jumps": (
        "The predictor jumps: fits that share most of their rows differ in error by {sd}, more than the rows themselves leave unsure. The interval is longer for it, and may still be too short.",
        "Le prédicteur saute : des apprentissages qui partagent presque toutes leurs lignes diffèrent en erreur de {sd}, plus que les lignes elles-mêmes n'en laissent d'incertain. L'intervalle en est plus long, et peut rester trop court.",
    ),
    "caution flat": (
        "All losses are equal: their spread, and so the interval, is not known.",
        "Toutes les pertes sont égales : leur dispersion, donc l'intervalle, est inconnue.",
    ),
    "caution one target": (
        "All {n} tested targets are equal: what rows with another target cost is not known, and the interval says nothing of them.",
        "Les {n} cibles testées sont toutes égales : ce que coûtent des lignes d'une autre cible est inconnu, et l'intervalle n'en dit rien.",
    ),
    "caution one": (
        "One row or group only: there is no error bar.",
        "Une seule ligne ou un seul groupe : il n'y a pas de barre d'erreur.",
    ),
    "caution inputs learned": (
        "The predictor learned from rows with these very inputs and other targets: this is its error there, and that at new inputs is larger.",
        "Le prédicteur a appris de lignes de ces mêmes entrées, aux cibles autres : c'est son erreur en ces points, et celle en de nouvelles entrées est plus grande.",
    ),
    "caution class": (
        "Class {name} has {n} tested {n:row|rows} only: what its rows cost is hardly known, and the interval is too short.",
        "La classe {name} n'a que {n} {n:ligne testée|lignes testées} : ce qu'elle coûte est mal connu, et l'intervalle trop court.",
    ),
    "caution ratio": (
        "A few of the {n} rows make most of the spread: no interval is sure to cover.",
        "Peu des {n} lignes font presque toute la dispersion : aucun intervalle n'est sûr.",
    ),
    "caution positives": (
        "Only {n} {n:row or group|rows or groups} of the class: average precision comes out too large, and its interval is wide.",
        "{n} {n:ligne ou groupe|lignes ou groupes} de la classe seulement : la précision moyenne ressort trop grande, son intervalle est large.",
    ),
    "caution negatives": (
        "Only {n} {n:row or group is|rows or groups are} not of the class: average precision hangs on where {n:it lies|they lie}, and its interval is wide.",
        "{n} {n:ligne ou groupe|lignes ou groupes} seulement hors de la classe : la précision moyenne dépend de leur place, son intervalle est large.",
    ),
    "caution kin copies": (
        "Rows are copies of each other in all inputs, and their errors resemble each other (correlation {r}, p {p}): the interval is not to be trusted. Say by groups which rows belong together.",
        "Des lignes se répètent dans toutes les entrées, et leurs erreurs se ressemblent (corrélation {r}, p {p}) : l'intervalle n'est pas fiable. Dites par groups quelles lignes vont ensemble.",
    ),
    "caution kin order": (
        "Errors of rows that follow each other resemble each other (correlation {r}, p {p}): the interval is not to be trusted. Are the rows in time (time), or do neighbours belong together (groups)?",
        "Les erreurs de lignes qui se suivent se ressemblent (corrélation {r}, p {p}) : l'intervalle n'est pas fiable. Les lignes suivent-elles le temps (time), ou des voisines vont-elles ensemble (groups) ?",
    ),
    "caution kin apart": (
        "Errors of rows that follow each other avoid each other (correlation {r}, p {p}), and their losses are alike: the interval is not to be trusted. Are the rows in time (time), or do neighbours belong together (groups)?",
        "Les erreurs de lignes qui se suivent s'opposent (corrélation {r}, p {p}), et leurs pertes se ressemblent : l'intervalle n'est pas fiable. Les lignes suivent-elles le temps (time), ou des voisines vont-elles ensemble (groups) ?",
    ),
    "caution kin sizes": (
        "Errors of rows that follow each other are alike in size (correlation {r}, p {p}): the interval is not to be trusted. Are the rows in time (time), or do neighbours belong together (groups)?",
        "Les erreurs de lignes qui se suivent sont de tailles semblables (corrélation {r}, p {p}) : l'intervalle n'est pas fiable. Les lignes suivent-elles le temps (time), ou des voisines vont-elles ensemble (groups) ?",
    ),
    "caution kin season": (
        "Errors of every row and of the one {name} places before it in the file resemble each other (correlation {r}, p {p}), as from season to season: the interval is not to be trusted. Are the rows in time (time)?",
        "Les erreurs de chaque ligne et de celle qui est {name} places avant elle dans le fichier se ressemblent (corrélation {r}, p {p}), comme d'une saison à l'autre : l'intervalle n'est pas fiable. Les lignes suivent-elles le temps (time) ?",
    ),
    "caution kin slope": (
        "What column {name} tells changes along the file: its products with the errors of rows near each other there are alike (correlation {r}, p {p}), and the interval is not to be trusted. Are the rows in time (time), or do neighbours belong together (groups)?",
        "Ce que dit la colonne {name} change le long du fichier : ses produits avec les erreurs de lignes qui y sont proches se ressemblent (corrélation {r}, p {p}), et l'intervalle n'est pas fiable. Les lignes suivent-elles le temps (time), ou des voisines vont-elles ensemble (groups) ?",
    ),
    "caution season": (
        "Errors of forecasts resemble those {name} places before (correlation {r}, p {p}), as from season to season: the table holds few seasons, and the interval may be too short. What was seen {name} places before may be an input.",
        "Les erreurs des prévisions ressemblent à celles {name} places plus tôt (corrélation {r}, p {p}), comme d'une saison à l'autre : la table compte peu de saisons, et l'intervalle peut être trop court. Ce qu'on a vu {name} places plus tôt peut servir d'entrée.",
    ),
    "caution off": (
        "Forecasts err on the same side (p {p}): what is forecast follows a trend, or has changed its level, and rows to come will not err as these did. Give time itself as an input, or learn changes in place of values.",
        "Les prévisions se trompent du même côté (p {p}) : ce qui est prévu suit une tendance, ou a changé de niveau, et les lignes à venir ne se tromperont pas comme celles-ci. Donnez le temps lui-même comme entrée, ou apprenez des variations au lieu de valeurs.",
    ),
    "caution kin column": (
        "Errors of rows with the same value of column {name} resemble each other (correlation {r}, p {p}): the interval is not to be trusted. Give that column as groups.",
        "Les erreurs de lignes de même valeur dans la colonne {name} se ressemblent (corrélation {r}, p {p}) : l'intervalle n'est pas fiable. Donnez cette colonne comme groups.",
    ),
    "caution kin nearest": (
        "Errors of rows that are nearest to each other in the inputs resemble each other more than those a little farther away (correlation {r}, p {p}): the interval is not to be trusted. Say by groups which rows belong together.",
        "Les erreurs des lignes les plus proches par leurs entrées se ressemblent plus que celles de lignes un peu plus loin (corrélation {r}, p {p}) : l'intervalle n'est pas fiable. Dites par groups quelles lignes vont ensemble.",
    ),
    "caution kin clumps": (
        "Rows lie in clumps of the inputs, and errors of rows in the same clump resemble each other (correlation {r}, p {p}): the interval is not to be trusted. Say by groups which rows belong together.",
        "Des lignes forment des amas dans les entrées, et les erreurs d'un même amas se ressemblent (corrélation {r}, p {p}) : l'intervalle n'est pas fiable. Dites par groups quelles lignes vont ensemble.",
    ),
    "caution groups file": (
        "Groups that follow each other in the file resemble each other in their errors (correlation {r}, p {p}): the interval is not to be trusted. Do they belong to larger groups (groups), or follow each other in time (time)?",
        "Les erreurs de groupes qui se suivent dans le fichier se ressemblent (corrélation {r}, p {p}) : l'intervalle n'est pas fiable. Font-ils partie de groupes plus grands (groups), ou se suivent-ils dans le temps (time) ?",
    ),
    "caution groups column": (
        "Groups with the same value of column {name} resemble each other in their errors (correlation {r}, p {p}): the interval is not to be trusted. Give that column as groups.",
        "Les erreurs de groupes de même valeur dans la colonne {name} se ressemblent (corrélation {r}, p {p}) : l'intervalle n'est pas fiable. Donnez cette colonne comme groups.",
    ),
    "caution groups inputs": (
        "Groups that are near each other in their mean inputs resemble each other in their errors (correlation {r}, p {p}): the interval is not to be trusted. Say larger groups.",
        "Les erreurs de groupes proches par la moyenne de leurs entrées se ressemblent (corrélation {r}, p {p}) : l'intervalle n'est pas fiable. Donnez des groupes plus grands.",
    ),
    "caution crossed column": (
        "Errors of rows with the same value of column {name} resemble each other across groups, too (correlation {r}, p {p}): the interval is not to be trusted. Give that column as groups as well, and believe the longer interval.",
        "Les erreurs de lignes de même valeur dans la colonne {name} se ressemblent aussi d'un groupe à l'autre (corrélation {r}, p {p}) : l'intervalle n'est pas fiable. Donnez aussi cette colonne comme groups, et croyez l'intervalle le plus long.",
    ),
    "caution cells": (
        "Rows near each other say alike how much {n:the column|the columns} {names} {n:matters|matter} (correlation {r}, p {p}), as rows that belong together do: {n:its interval is|their intervals are} not to be trusted. Say by groups which rows belong together.",
        "Des lignes proches disent de même combien {n:la colonne|les colonnes} {names} {n:compte|comptent} (corrélation {r}, p {p}), comme des lignes qui vont ensemble : {n:son intervalle n'est pas fiable|leurs intervalles ne sont pas fiables}. Dites par groups quelles lignes vont ensemble.",
    ),
    "caution peak": (
        "{p} {p:column|columns} and {n} {n:row|rows}, and hardly a penalty: where they are about as many, the error changes wildly with the rows learned from, and the interval is not to be trusted. Take fewer columns, or a larger penalty.",
        "{p} {p:colonne|colonnes} pour {n} {n:ligne|lignes}, et presque aucune pénalité : quand leurs nombres sont voisins, l'erreur change du tout au tout avec les lignes apprises, et l'intervalle n'est pas fiable. Prenez moins de colonnes, ou une pénalité plus forte.",
    ),
    "caution few differ": (
        "A few rows make most of the difference: others like them, not seen, could turn it, and its interval is not to be trusted.",
        "Quelques lignes font l'essentiel de la différence : d'autres semblables, non vues, pourraient la renverser, et son intervalle n'est pas fiable.",
    ),
    "caution edge": (
        "{n} {n:row lies so far out that it makes its|rows lie so far out that each makes its} own prediction: what a new row there, or farther out, would cost, no interval knows. Take fewer powers, a penalty, or a transform of the columns.",
        "{n} {n:ligne est si loin des autres qu'elle fait sa|lignes sont si loin des autres que chacune fait sa} propre prédiction : ce que coûterait une nouvelle ligne à cet endroit, ou plus loin, aucun intervalle ne le sait. Prenez moins de puissances, une pénalité, ou une transformation des colonnes.",
    ),
    "caution apart": (
        "{n} {n:row lies so far from those learned from that its prediction is|rows lie so far from those learned from that their predictions are} mostly noise: what a new row there, or farther out, would cost, no interval knows. Take fewer powers, a penalty, or a transform of the columns.",
        "{n} {n:ligne est si loin de celles qui ont servi à apprendre que sa prédiction est|lignes sont si loin de celles qui ont servi à apprendre que leurs prédictions sont} surtout du bruit : ce que coûterait une nouvelle ligne à cet endroit, ou plus loin, aucun intervalle ne le sait. Prenez moins de puissances, une pénalité, ou une transformation des colonnes.",
    ),
    "caution beyond": (
        "Targets reach far out, and the predictor says no more however far out a row lies: rows with targets beyond those seen here would cost more than the interval says. Learn the logarithm of the target, or take a predictor that goes on (a line).",
        "Les cibles vont très loin, et le prédicteur n'en dit pas plus, si loin que soit une ligne : des lignes aux cibles plus lointaines que celles d'ici coûteraient plus que ne le dit l'intervalle. Apprenez le logarithme de la cible, ou prenez un prédicteur qui continue (une droite).",
    ),
    "caution missed": (
        "Inputs reach far out, and what the predictor leaves over still follows them: rows farther out than these would cost more than the interval says. Transform the columns that reach far (a logarithm, ranks), or take a predictor that bends.",
        "Des entrées vont très loin, et ce que le prédicteur n'explique pas les suit encore : des lignes plus lointaines coûteraient plus que ne le dit l'intervalle. Transformez les colonnes qui vont loin (un logarithme, des rangs), ou prenez un prédicteur qui se courbe.",
    ),
    "caution columns": (
        "{p} {p:column|columns} and {n} {n:row|rows} to learn from: another sample would give other predictors, and the difference may be chance.",
        "{p} {p:colonne|colonnes} pour {n} {n:ligne|lignes} : un autre échantillon donnerait d'autres prédicteurs, la différence peut être due au hasard.",
    ),
}

say = Catalogue(WORDS)
