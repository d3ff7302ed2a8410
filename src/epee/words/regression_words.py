"""Words on the pictures of regressions; the English ones are their own keys."""

from __future__ import annotations

from epee.words.catalogue import Catalogue

FRENCH: dict[str, str] = {
    "fit": "ajustement", "mean": "moyenne", "prediction": "prédiction", "observed": "observé", "predicted": "prédit",
    "coefficient": "coefficient", "effective degrees of freedom": "degrés de liberté effectifs", "penalty": "pénalité",
    "degree": "degré", "fitted value": "valeur ajustée", "residual": "résidu", "studentised residual": "résidu studentisé",
    "normal quantile": "quantile normal", "leverage": "levier", "root of its size": "racine de sa taille", "row": "ligne",
    "target": "cible", "{n} {n:row|rows}": "{n} {n:ligne|lignes}", "standard deviation of the prediction": "écart-type de la prédiction",
    "measured": "mesuré", "residuals and fit": "résidus et ajustement", "spread": "dispersion",
    "normality": "normalité", "influence": "influence",
}  # fmt: skip

say = Catalogue(FRENCH)
