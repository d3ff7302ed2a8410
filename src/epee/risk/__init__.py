"""How well a predictor does, and how sure one can be: estimates of the expected prediction error with their error bars."""

from __future__ import annotations

from epee.lazy import attach

_PLACES = {
    name: f"epee.{place}"
    for place, names in {
        "risk.estimate": "Risk Difference Score",
        "risk.intervals": "Interval",
        "risk.holdout": "empirical_risk holdout_error",
        "risk.fingerprint": "repeated_rows",
        "risk.cross_validation": "cross_validate CrossValidation",
        "risk.leave_one_out": "loo",
        "risk.complexity": "complexity_curve ComplexityCurve",
        "risk.comparison": "compare Comparison",
        "risk.paired_tests": "mcnemar compare_rates",
        "risk.criteria": "gcv aic aicc bic mallows_cp optimism",
        "risk.decomposition": "bias_variance BiasVariance",
        "risk.curves": "learning_curve LearningCurve",
        "risk.scores": "roc_auc average_precision r2 f1",
        "risk.brier_score": "brier",
        "risk.confusion": "confusion_matrix",
        "risk.permutation": "importance",
        "risk.prediction_bands": "conformal",
        "figures.regions": "plot_regions",
    }.items()
    for name in names.split()
}

__getattr__, __dir__, __all__ = attach(__name__, _PLACES)
