"""
On which line is a projected cloud most spread out?
===================================================

On the first principal axis. The spread on a line of direction :math:`u` is :math:`u^\\top \\Sigma u`, and what is lost
is the mean squared distance to the line: their sum does not depend on :math:`u`, so the widest projection is also the nearest.
"""

import numpy as np

from epee import PCA, Moments
from epee.figures.style import COLOURS, new_grid

rng = np.random.default_rng(0)
X = rng.multivariate_normal([0, 0], [[1.6, 0.9], [0.9, 0.8]], size=60)
m = Moments.of(X)
C, inertia = m.covariance(), m.inertia()

angles = np.linspace(0, np.pi, 181)
directions = np.stack([np.cos(angles), np.sin(angles)], axis=1)  # (181, 2)
spread = np.einsum("ij,jk,ik->i", directions, C, directions)
best = PCA(1).fit(X).components_[0]

left, right = new_grid(1, 2)[0]
centred = X - m.mean
feet = np.outer(centred @ best, best)
for point, foot in zip(centred, feet, strict=True):
    left.plot(*np.stack([point, foot]).T, color="#CCCCCC", lw=0.8)
left.plot(*centred.T, "o", ms=4)
left.plot(*feet.T, "o", ms=3, color=COLOURS[1])
left.axline((0, 0), best, color=COLOURS[1], lw=1)
left.set(title="points and their feet on the first axis", aspect="equal")
right.plot(np.degrees(angles), spread, label="spread on the line")
right.plot(np.degrees(angles), inertia - spread, label="squared distance to it")
right.axvline(np.degrees(np.arctan2(best[1], best[0])) % 180, color="#767676", ls=":")
right.set(title="their sum is the inertia", xlabel="angle of the line (degrees)", ylim=(0, 2.7))
right.legend(frameon=False, loc="upper right")

# %%
# The largest spread is the largest eigenvalue of the covariance matrix.
np.testing.assert_allclose(best @ C @ best, np.linalg.eigvalsh(C)[-1])
assert spread.max() <= best @ C @ best + 1e-12
print(f"spread on the first axis {best @ C @ best:.3f} of an inertia of {inertia:.3f}")
