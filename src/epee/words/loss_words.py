"""How the mean of a loss is called, in English and French, and which French pronouns go with it."""

from __future__ import annotations

from epee.words.catalogue import Catalogue
from epee.words.numbers import local

# name of the loss: (English, French)
MEANS: dict[str, tuple[str, str]] = {
    "zero_one": ("error rate", "taux d'erreur"),
    "squared": ("mean squared error", "erreur quadratique moyenne"),
    "absolute": ("mean absolute error", "erreur absolue moyenne"),
    "costs": ("mean cost", "coût moyen"),
    "log": ("log loss", "perte logarithmique"),
    "auc": ("ranking error (1 − AUC)", "erreur de classement (1 − AUC)"),
    "poisson": ("Poisson deviance", "déviance de Poisson"),
    "huber": ("mean Huber loss", "perte moyenne de Huber"),
    "quantile": ("mean pinball loss ({share} quantile)", "perte moyenne au quantile {share}"),
    # figures of merit
    "roc_auc": ("area under the ROC curve", "aire sous la courbe ROC"),
    "rmse": ("typical error (RMSE)", "erreur typique (RMSE)"),
    "brier": ("Brier score", "score de Brier"),
    "f1": ("F1", "F1"),
    "r2": ("R²", "R²"),
    "average_precision": ("average precision", "précision moyenne"),
    "": ("mean loss", "perte moyenne"),
    "other": ("mean loss ({name})", "perte moyenne ({name})"),
}
MASCULINE = {"zero_one", "costs", "brier"}
VOWEL = {"squared", "absolute", "auc", "rmse"}  # feminine, yet "son erreur"

say = Catalogue(MEANS)


def mean_of(loss: str) -> str:
    """Return how the mean of a loss is called.

    >>> mean_of("zero_one"), mean_of("geman_mcclure")
    ('error rate', 'mean loss (geman mcclure)')
    """
    if loss.startswith("quantile") and loss[8:]:
        return say("quantile", share=local(loss[8:]))
    return say(loss) if loss in say else say("other", name=loss.replace("_", " "))


def pronouns(loss: str) -> dict[str, str]:
    """Return the French words that go with the mean of a loss: "son taux ... il", "son erreur ... elle", "sa perte ... elle"."""
    return {"its": "son" if loss in MASCULINE | VOWEL else "sa", "it": "il" if loss in MASCULINE else "elle"}
