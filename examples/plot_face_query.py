"""
Who is that?
============

An image that is not in the base, here under another light, is projected on a few eigenfaces and compared with the
others there. The nearest name is the answer; that a short list of numbers is enough is the point of the method.
"""

import numpy as np

from epee import Eigenfaces
from epee.figures.style import new_grid
from epee.samples import faces

base = faces(copies=2, random_state=0)
known = base.lights != "right"
model = Eigenfaces(8).fit(base.images[known], base.persons[known])

asked = np.flatnonzero(~known)[[1, 8, 15]]
axes = new_grid(3, 4, size=(6.5, 5.4))
for row, i in zip(axes, asked, strict=True):
    answer = model.query(base.images[i], 3)
    pictures = [base.images[i], *base.images[known][answer.indices]]
    titles = [f"who? ({base.persons[i]})", *answer.labels]
    for ax, picture, title in zip(row, pictures, titles, strict=True):
        ax.imshow(picture, cmap="gray", vmin=0, vmax=1)
        ax.set_title(title, fontsize=9)
        ax.set_axis_off()

# %%
# An image of the base finds itself, at distance 0; new images find their person nearly always.
assert model.query(base.images[known][5], 1).indices[0] == 5
right = np.mean(
    [
        model.query(image, 1).labels[0] == who
        for image, who in zip(base.images[~known], base.persons[~known], strict=True)
    ]
)
print(f"{right:.0%} of {np.sum(~known)} queries answered with the right person, with 8 numbers an image")
