"""
Is the pseudo-inverse better than Hebb's rule?
==============================================

On correlated inputs it is, and the error bars say from which sample size on that can be shown.
"""

import numpy as np

from epee import Hebb, PseudoInverse
from epee.figures.style import COLOURS, legend, new_axes, whiskers
from epee.risk import holdout_error

rng = np.random.default_rng(0)
p = 6
C = 0.7 * np.ones((p, p)) + 0.3 * np.eye(p)


def draw(n):
    y = np.where(np.arange(n) % 2, 1, -1)
    return rng.multivariate_normal(np.zeros(p), C, n) + y[:, None] * np.r_[0.8, np.full(p - 1, 0.15)], y


test = draw(600)
last = {}
sizes = [10, 20, 40, 80, 160, 320]
ax = new_axes(
    xlabel="rows learned", ylabel="error on 600 new rows", xscale="log", title="two rules with 95 % intervals"
)
for k, (name, make) in enumerate((("Hebb", Hebb), ("pseudo-inverse", PseudoInverse))):
    risks = [holdout_error(make().fit(*draw(n)), *test) for n in sizes]
    whiskers(
        ax,
        [r.value for r in risks],
        [r.low for r in risks],
        [r.high for r in risks],
        np.array(sizes) * 1.05**k,
        COLOURS[k],
        flat=False,
        label=name,
    )
    last[name] = risks[-1]
legend(ax)

# %%
# The difference on the same rows has an error bar of its own, smaller than either.
difference = last["Hebb"] - last["pseudo-inverse"]
print(f"at 320 rows Hebb minus pseudo-inverse: {difference}, p = {difference.p_value:.2g}")
assert difference.low > 0
