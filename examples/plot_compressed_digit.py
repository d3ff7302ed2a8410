"""
How many numbers does a digit need?
===================================

An image of :math:`D` pixels is sent to :math:`q` principal components and back. Kept components are few, and the digit
can still be read: the mean squared error is the sum of the eigenvalues left out.
"""

import warnings

import numpy as np
from sklearn.datasets import load_digits

from epee import PCA
from epee.errors import DataWarning
from epee.figures.style import new_grid

warnings.simplefilter("ignore", DataWarning)  # three pixels of the border are white in every image
X = load_digits().data  # (1797, 64): 8 x 8 pixels, in scikit-learn's package, originally from UCI
image, kept = X[3], (1, 4, 8, 16, 64)

axes = new_grid(1, len(kept) + 1, size=(9, 2.1))[0]
axes[0].imshow(image.reshape(8, 8), cmap="gray_r")
axes[0].set_title("the digit")
for ax, q in zip(axes[1:], kept, strict=True):
    pca = PCA(q).fit(X)
    back = pca.inverse_transform(pca.transform(image[None]))[0]
    ax.imshow(back.reshape(8, 8), cmap="gray_r", vmin=0, vmax=16)
    ax.set_title(f"{q} of 64")
for ax in axes:
    ax.set_axis_off()

# %%
# The error that is made is the variance that is not kept.
full, q = PCA().fit(X), 8
pca = PCA(q).fit(X)
residual = X - pca.inverse_transform(pca.transform(X))
left_out = full.explained_variance_[q:].sum() * (len(X) - 1) / len(X)  # with 1/n, as the course has it
np.testing.assert_allclose((residual**2).sum(axis=1).mean(), left_out)
print(f"{q} components of 64 keep {pca.explained_variance_ratio_.sum():.0%} of the variance.")
