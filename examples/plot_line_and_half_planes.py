r"""
What does a linear classifier do with the plane?
================================================

It cuts it in two half-planes. The line is :math:`w^\top x + w_0 = 0`, :math:`w` points to the positive side at right angles, and
the score over :math:`\|w\|` is the signed distance to the line.
"""

import numpy as np

from epee.figures.style import COLOURS, new_axes

w0, w = 2.2, np.array([-5.5, 4.4])  # the worked example of the course
a, b = np.array([3.0, 7.0]), np.array([6.0, 1.0])

side = np.linspace(-2, 10, 200)
G = np.stack(np.meshgrid(side, side), axis=-1)
score = w0 + G @ w

ax = new_axes(title="one line, two half-planes", xlabel="$x_1$", ylabel="$x_2$", aspect="equal")
ax.contourf(side, side, score, levels=[-1e9, 0, 1e9], colors=["#F6E3D8", "#DCE9F2"])
ax.contour(side, side, score, levels=[0], colors="#222222")
foot = np.array([3.0, (-w0 - w[0] * 3.0) / w[1]])
ax.annotate("", foot + 2 * w / np.linalg.norm(w), foot, arrowprops={"arrowstyle": "-|>", "color": COLOURS[2], "lw": 2})
ax.text(*(foot + 2.2 * w / np.linalg.norm(w)), "w", color=COLOURS[2], fontsize=13)
for point, name in ((a, "a"), (b, "b")):
    ax.plot(*point, "o", color=COLOURS[1])
    ax.annotate(f"{name}: score {w0 + w @ point:+.1f}", point + np.array([0.25, 0.2]))

# %%
# Scaling :math:`w` by a positive number changes the scores and no decision.
assert w0 + w @ a > 0 > w0 + w @ b
distance = (w0 + w @ a) / np.linalg.norm(w)
print(f"scores {w0 + w @ a:.1f} and {w0 + w @ b:.1f}; a lies {distance:.2f} in front of the line")
