"""
Where is the best complexity?
=============================

Where the expected prediction error is lowest, which the training error cannot show: it falls for ever. Both are averaged
here over many samples of fifteen rows from a known law, so the true curve can be drawn. For least squares with fixed inputs
the first is noise + bias² + variance, the second noise + bias² - variance.
"""

import numpy as np

from epee import PolynomialRegression
from epee.figures.style import COLOURS, legend, new_axes
from epee.risk import bias_variance

sigma, degrees = 0.3, range(10)
x = np.linspace(0, 1, 15)


def f(X):
    return np.sin(2 * np.pi * X[:, 0])


training, expected = [], []
for degree in degrees:
    model = PolynomialRegression(degree)
    found = bias_variance(model, f, noise=sigma, x=x, inputs=x[:, None], repeats=40, random_state=0)
    expected.append(found.average.epe)
    # on its own rows the predictor follows the noise: what is paid as variance on new rows is gained here
    training.append(found.average.noise + found.average.bias2 - found.average.variance)

ax = new_axes(xlabel="degree", ylabel="mean squared error", title="training error and expected prediction error")
ax.plot(degrees, training, "o-", color=COLOURS[0], label="training error, averaged")
ax.plot(degrees, expected, "o-", color=COLOURS[1], label="expected prediction error")
ax.axhline(sigma**2, color="#767676", ls=":", label="noise")
ax.set_ylim(0, 0.6)
legend(ax)

# %%
# The training error falls with the degree; the expected one has the shape of a U.
best = int(np.argmin(expected))
assert (np.diff(training) < 0).all() and 2 <= best <= 5 and expected[9] > expected[best]
print(f"the best degree is {best}; there the error is {expected[best]:.3f}, of which {sigma**2:.2f} is noise")
