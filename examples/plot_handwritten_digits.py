"""
What does a learning machine see?
=================================

Rows. Each picture of a digit becomes one row of grey levels, with the digit that somebody read in it as its label; the
order of the pixels does not matter to most predictors.
"""

import numpy as np
from sklearn.datasets import load_digits

from epee.figures.style import new_grid

digits = load_digits()  # 1,797 images, 8 x 8; UCI, in scikit-learn's package
rng = np.random.default_rng(0)

axes = new_grid(4, 10, size=(8, 3.4))
for digit in range(10):
    rows = rng.choice(np.flatnonzero(digits.target == digit), 4, replace=False)
    for ax, row in zip(axes[:, digit], rows, strict=True):
        ax.imshow(digits.images[row], cmap="gray_r")
        ax.set_axis_off()

# %%
# From the image to the row and back: nothing is lost.
X = digits.images.reshape(len(digits.images), -1)
assert (digits.data == X).all() and (X[0].reshape(8, 8) == digits.images[0]).all()
print(f"{len(X)} rows, {X.shape[1]} columns, {len(set(digits.target))} labels")
