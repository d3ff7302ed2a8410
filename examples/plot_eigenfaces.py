r"""
What does an eigenface look like?
=================================

Like a ghost: it is a principal axis, shown as an image. A face is the mean face plus a few of them. With :math:`n`
images of :math:`p \gg n` pixels the axes come from the :math:`n \times n` matrix: if :math:`w` is an eigenvector of
:math:`A A^\top`, then :math:`A^\top w / \sqrt\lambda` is one of :math:`A^\top A` (divide by :math:`\sqrt\lambda`, or
it has not the length one).
"""

import numpy as np

from epee import Eigenfaces
from epee.figures.style import new_grid
from epee.samples import faces

base = faces()
model = Eigenfaces(6).fit(base.images)
model.plot(6, axes=new_grid(2, 4, size=(8, 4.6)))

# %%
# The small matrix gives the same axes.
A = base.images.reshape(len(base.images), -1)
A = A - A.mean(axis=0)
lam, W = np.linalg.eigh(A @ A.T)
axis = A.T @ W[:, -1] / np.sqrt(lam[-1])
np.testing.assert_allclose(np.abs(axis @ model.eigenfaces_[0].ravel()), 1, rtol=1e-8)
print(f"{A.shape[1]} pixels, {len(A)} images: {A.shape[0]} x {A.shape[0]} instead of {A.shape[1]} x {A.shape[1]}")
