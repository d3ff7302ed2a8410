"""
What is in a base of faces?
===========================

Three persons in three poses: nine images, each a row with as many columns as pixels. (Drawn ones: photographs of
people cannot ship with a library. ``epee.samples`` also reads a folder of images, and scikit-learn fetches the
Olivetti faces where there is a network.)
"""

from epee.figures.style import new_grid
from epee.samples import faces

base = faces(noise=0.01)
front = base.lights == "front"
axes = new_grid(3, 3, size=(4.5, 5))
for ax, image, who, pose in zip(axes.flat, base.images[front], base.persons[front], base.poses[front], strict=True):
    ax.imshow(image, cmap="gray", vmin=0, vmax=1)
    ax.set_title(f"{who}, {pose}", fontsize=9)
    ax.set_axis_off()

# %%
# Far more columns than rows: the case for the small matrix.
X = base.images[front].reshape(9, -1)
print(f"{X.shape[0]} rows, {X.shape[1]} columns")
