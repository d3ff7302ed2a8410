"""Words about risk, in English and French."""

from __future__ import annotations

from epee.settings import options

WORDS: dict[str, dict[str, str]] = {
    "en": {
        "beats": "{best} beats {other} by {gap}, p = {p}: {shown}.",
        "equal": "{best} and {other} do equally well on these folds.",
        "alone": "{best} is the only candidate.",
        "shown": "shown",
        "not shown": "not shown",
        "simplest": "The simplest predictor that nothing here beats is {simplest}.",
        "points": "{value} ± {stderr} points",
        "optimism": "The winner looks better than it is by about {optimism}: corrected for the choice, its error is {corrected}.",
        "error": "error",
        "error rate": "error rate",
        "mean loss": "mean loss ({loss})",
        "training error": "training error",
        "cross-validated error": "cross-validated error",
        "one standard error": "one standard error",
        "best": "best",
        "chosen": "chosen",
        "degrees of freedom": "effective degrees of freedom",
        "fold": "fold",
        "rows": "training rows",
        "test error": "test error",
        "extrapolation": "extrapolation",
        "noise": "noise",
        "bias2": "bias²",
        "bias": "bias",
        "variance": "variance",
        "epe": "expected prediction error",
        "difference": "difference in error from {best}",
        "false positive rate": "false positive rate",
        "true positive rate": "true positive rate",
        "recall": "recall",
        "precision": "precision",
        "probability": "predicted probability",
        "frequency": "observed frequency",
        "predicted": "predicted",
        "true": "true",
        "importance": "rise of the error when the column is shuffled",
        "column": "column",
        "in order": "rows in the order of their prediction",
        "prediction": "prediction",
        "interval": "{level:.0%} interval",
        "model": "model",
        "chance": "chance",
        "perfect": "perfect calibration",
        "more rows": "With twice the rows ({n}) the error would be about {then}, against {now} now.",
    },
    "fr": {
        "beats": "{best} fait mieux que {other} de {gap}, p = {p} : {shown}.",
        "equal": "{best} et {other} font aussi bien l'un que l'autre sur ces blocs.",
        "alone": "{best} est le seul candidat.",
        "shown": "établi",
        "not shown": "non établi",
        "simplest": "Le prédicteur le plus simple que rien ici ne surpasse est {simplest}.",
        "points": "{value} ± {stderr} points",
        "optimism": "Le gagnant paraît meilleur qu'il n'est d'environ {optimism} : corrigée de ce choix, son erreur est {corrected}.",
        "error": "erreur",
        "error rate": "taux d'erreur",
        "mean loss": "perte moyenne ({loss})",
        "training error": "erreur d'apprentissage",
        "cross-validated error": "erreur de validation croisée",
        "one standard error": "un écart-type",
        "best": "meilleur",
        "chosen": "choisi",
        "degrees of freedom": "degrés de liberté effectifs",
        "fold": "bloc",
        "rows": "lignes d'apprentissage",
        "test error": "erreur de test",
        "extrapolation": "extrapolation",
        "noise": "bruit",
        "bias2": "biais²",
        "bias": "biais",
        "variance": "variance",
        "epe": "erreur de prédiction espérée",
        "difference": "écart d'erreur avec {best}",
        "false positive rate": "taux de faux positifs",
        "true positive rate": "taux de vrais positifs",
        "recall": "rappel",
        "precision": "précision",
        "probability": "probabilité prédite",
        "frequency": "fréquence observée",
        "predicted": "prédit",
        "true": "vrai",
        "importance": "hausse de l'erreur quand la colonne est mélangée",
        "column": "colonne",
        "in order": "lignes dans l'ordre de leur prédiction",
        "prediction": "prédiction",
        "interval": "intervalle à {level:.0%}",
        "model": "modèle",
        "chance": "hasard",
        "perfect": "calibration parfaite",
        "more rows": "Avec deux fois plus de lignes ({n}), l'erreur serait d'environ {then}, contre {now} à présent.",
    },
}


def word(key: str, **parts: object) -> str:
    """Return a phrase in the language of ``epee.options``.

    >>> word("beats", best="A", other="B", gap="0.8 ± 0.5 points", p="0.11", shown=word("not shown"))
    'A beats B by 0.8 ± 0.5 points, p = 0.11: not shown.'
    """
    return WORDS[options.language][key].format(**parts)


def decimal(text: str) -> str:
    """Return a number as the language writes it: with a comma in French.

    >>> decimal("0.8")
    '0.8'
    """
    return text.replace(".", ",") if options.language == "fr" else text


def loss_words(loss: str) -> str:
    """Return how to name the mean of a loss on an axis."""
    return word("error rate") if loss == "zero_one" else word("mean loss", loss=loss.replace("_", " "))
