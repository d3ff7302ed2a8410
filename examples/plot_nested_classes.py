r"""
Where do noise, bias and variance come from?
============================================

A predictor learned from one sample falls short of the truth three times: the sample is noisy, the class
:math:`\mathcal H` may not hold the truth (bias), and the sample points to one predictor of the class among many
(variance). Larger classes lie nearer to the truth, and leave more room to miss.
"""

import numpy as np

from epee import PolynomialRegression
from epee.figures.style import COLOURS, new_axes
from epee.risk import bias_variance

ax = new_axes(size=(6.5, 4.2), title="nested classes, one truth")
for k, radius in enumerate((1.0, 1.8, 2.7)):
    turn = np.linspace(0, 2 * np.pi, 200)
    ax.fill(radius * np.cos(turn), 0.8 * radius * np.sin(turn), color=COLOURS[0], alpha=0.10)
    ax.annotate(rf"$\mathcal{{H}}_{k + 1}$", (0, -0.8 * radius + 0.12), ha="center", fontsize=11)
ax.plot(4.2, 1.6, "*", ms=14, color=COLOURS[2])
ax.annotate("truth", (4.2, 1.75), ha="center")
rng = np.random.default_rng(0)
for nearest, spread in (((0.93, 0.3), 0.10), ((2.5, 0.8), 0.35)):
    cloud = np.array(nearest) - [1.2 * spread, 0.4 * spread] + spread * rng.standard_normal((25, 2))
    ax.plot(*cloud.T, ".", ms=4, color=COLOURS[1])
    ax.annotate("", (4.15, 1.55), nearest, arrowprops={"arrowstyle": "<->", "color": "#767676", "lw": 1})
ax.annotate("bias of the largest class", (3.0, 0.75), color="#767676", fontsize=9)
ax.annotate("bias of the smallest class", (1.25, 1.75), color="#767676", fontsize=9)
ax.annotate("dots: what other samples give, the variance", (-2.9, 2.35), color=COLOURS[1], fontsize=9)
ax.set(xticks=[], yticks=[], xlim=(-3, 5), ylim=(-2.4, 2.8), aspect="equal")

# %%
# The same in numbers: from the smallest class to the largest the bias falls and the variance rises.
x = np.linspace(0, 1, 20)
terms = [
    bias_variance(
        PolynomialRegression(degree), lambda X: np.sin(2 * np.pi * X[:, 0]), noise=0.3, x=x, inputs=x[:, None],
        repeats=60, random_state=0,
    ).average
    for degree in (1, 3, 9)
]  # fmt: skip
for degree, t in zip((1, 3, 9), terms, strict=True):
    print(f"degree {degree}: noise {t.noise:.3f} + bias² {t.bias2:.3f} + variance {t.variance:.3f} = {t.epe:.3f}")
assert terms[0].bias2 > terms[1].bias2 and terms[0].variance < terms[1].variance < terms[2].variance
