r"""
Is there a signal in the noise?
===============================

A statistic is compared with a threshold :math:`\rho`; a large value decides for the signal. The matched filter is the most powerful
statistic, and every threshold is a point of its operating characteristic. Where there is a signal, a projection finds it again.
"""

import numpy as np

from epee.figures.style import COLOURS, legend, new_grid
from epee.signal import Detector, denoise, roc

rng = np.random.default_rng(0)
t = np.arange(128)
s = np.sin(2 * np.pi * t / 32) * np.exp(-(((t - 64) / 40) ** 2))
detector = Detector(s, noise=16.0, false_alarm=0.1)
noise, both = 4 * rng.standard_normal((2, 150, 128))
scores = np.concatenate([detector.statistic(noise), detector.statistic(both + s)])
curve = roc(scores, np.repeat([0, 1], 150))

axes = new_grid(1, 2, size=(9.6, 4.2))[0]
curve.plot(axes[0])
rates = np.linspace(0.01, 0.99, 99)
axes[0].plot(rates, detector.curve(rates), color=COLOURS[1], lw=1, label="exact")
legend(axes[0], loc="lower right")
found = denoise(s + 0.4 * rng.standard_normal(128))
found.plot(axes[1])
axes[1].plot(t, s, "--", color=COLOURS[1], lw=1, label="signal")
legend(axes[1])

# %%
# The rates are those that were promised, and the projection comes nearer to the signal than the observation was.
print(f"false alarms {detector.decide(noise).mean():.2f} (promised 0.10), detections {detector.decide(both + s).mean():.2f} "
      f"(promised {detector.power():.2f})")  # fmt: skip
assert np.mean((found.signal - s) ** 2) < 0.5 * 0.16
