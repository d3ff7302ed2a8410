r"""
How do the losses of classification compare?
============================================

All are functions of the margin :math:`m = t\,w^\top x`, positive on the right side. The hinge and the logistic loss
in base two lie above the 0-1 loss everywhere, so to make them small is to make errors few; the perceptron's does not.
"""

import numpy as np

from epee.figures.losses import plot_margin_losses

plot_margin_losses()

# %%
# Upper bounds, or not.
m = np.linspace(-3, 3, 601)
zero_one = (m <= 0).astype(float)
hinge, logistic, perceptron = np.maximum(0, 1 - m), np.log2(1 + np.exp(-m)), np.maximum(0, -m)
assert (hinge >= zero_one).all() and (logistic >= zero_one - 1e-12).all() and (perceptron < zero_one).any()
print("hinge and logistic (base 2) bound the number of errors; the perceptron's criterion does not")
