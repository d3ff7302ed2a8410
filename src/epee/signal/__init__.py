"""Signals in noise: is there one (detection), and what was it (denoising)?

>>> from epee.signal import Detector
>>> round(Detector([1.0, 1.0, 1.0, 1.0], false_alarm=0.05).power(), 3)
0.639
"""

from __future__ import annotations

from epee.lazy import attach

_PLACES = {
    name: f"epee.signal.{module}"
    for module, names in {
        "detection": "Detector",
        "order_threshold": "neyman_pearson Threshold",
        "operating_curve": "roc Roc",
        "projection": "denoise Denoised",
    }.items()
    for name in names.split()
}

__getattr__, __dir__, __all__ = attach(__name__, _PLACES)
