"""épée: statistical learning around one quantity, the expected prediction error.

A fit is a sum: each block of rows becomes a moment, moments add, and a predictor is solved from the total. So one pass
over a table gives every fold of a cross-validation and every penalty of a path, and honest error bars are cheap.

>>> import epee
>>> table = epee.samples.load("iris")                                              # doctest: +SKIP
>>> learned = epee.learn(table, "species")                                          # doctest: +SKIP
"""

from __future__ import annotations

from epee.estimator.registry import METHODS
from epee.lazy import attach

__version__ = "0.1.0"

_PLACES = {entry.name: f"epee.{entry.module}" for entry in METHODS if entry.section} | {
    name: place
    for place, names in {
        "epee.settings": "options",
        "epee.engines.choice": "engine",
        "epee.moments.moments": "Moments",
        "epee.predictors.regression.lasso": "lasso_path",
        "epee.structure.dimension": "choose_dimension",
        "epee.predictors.generative.optimal": "OptimalClassifier OptimalRegressor",
        "epee.predictors.generative.threshold": "GaussianThreshold",
        "epee.predictors.neighbours.volume": "edge_length",
        "epee.structure.hierarchy": "linkage",
        "epee.structure.partitions": "strong_forms count_partitions",
        "epee.structure.cluster_choice": "choose_clusters",
        "epee.structure.em": "expectation_maximisation Expected",
        "epee.structure.mixture_choice": "choose_components",
        "epee.structure.unlabelled": "unlabelled_gain",
        # the main job
        "epee.job.learning": "learn Learned",
        "epee.job.exploration": "explore Explored",
        "epee.job.bundle": "load",
        "epee.job.parting": "split Parts",
        # rooms with names of their own
        "epee.risk:": "risk",
        "epee.mdp:": "mdp",
        "epee.optimize:": "optimize",
        "epee.design:": "design",
        "epee.signal:": "signal",
        "epee.losses:": "losses",
        "epee.samples:": "samples",
        "epee.errors:": "errors",
    }.items()
    for name in names.split()
}

__getattr__, __dir__, __all__ = attach(__name__, _PLACES)
