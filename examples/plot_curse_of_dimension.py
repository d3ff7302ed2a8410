r"""
How local is a neighbourhood in ten dimensions?
===============================================

A cube that holds a fraction :math:`r` of uniform rows has edges of length :math:`r^{1/p}`. With ten columns, one row in a
hundred is found only in a cube of edge 0.63: nearly two thirds of each axis, which is not local at all.
"""

import numpy as np

from epee.figures.style import new_axes

r = np.linspace(0, 0.6, 200)
ax = new_axes(xlabel="fraction of the rows", ylabel="edge of the cube", title="the curse of dimensionality")
for p in range(1, 11):
    ax.plot(r, r ** (1 / p), color="#0072B2" if p in (1, 2, 10) else "#B5CFE0", lw=1.2)
    if p in (1, 2, 3, 10):
        ax.annotate(f"p = {p}", (r[-1], r[-1] ** (1 / p)), xytext=(4, -3), textcoords="offset points", fontsize=9)

# %%
# Counted on drawn rows, too. To keep the density of 100 rows on a line, ten columns need :math:`100^{10}` rows.
rng = np.random.default_rng(0)
rows = rng.random((200_000, 10))
edge = 0.01**0.1
inside = (np.abs(rows - 0.5) < edge / 2).all(axis=1).mean()
assert abs(edge - 0.63) < 0.005 and abs(inside - 0.01) < 0.001
print(f"edge {edge:.3f}, share of drawn rows inside {inside:.4f}")
