r"""
Exercise: an interval for a test error
======================================

*Course: S2 §5.3, four questions.* A classifier :math:`h` with the true error :math:`R` is tried on :math:`m` new rows.
"""

import numpy as np
from scipy import stats

from epee.figures.style import COLOURS, legend, new_axes
from epee.risk.intervals import wilson

rng = np.random.default_rng(0)
R, m, delta = 0.12, 200, 0.1

# %%
# **1.** The loss of a row is 1 with probability :math:`R`, else 0: Bernoulli, mean :math:`R`, variance :math:`R(1 - R)`.
#
# **2.** The mean of :math:`m` independent losses has the variance :math:`R(1 - R)/m`.
#
# **3.** :math:`m R_m` is a sum of such losses: binomial, mean :math:`mR`, variance :math:`mR(1 - R)`, in accord with 2.
rates = rng.binomial(m, R, 100_000) / m
np.testing.assert_allclose(rates.mean(), R, atol=3e-4)
np.testing.assert_allclose(rates.var(), R * (1 - R) / m, rtol=0.02)

# %%
# **4.** By the central limit theorem :math:`(R_m - R)/\sqrt{R(1 - R)/m}` is nearly normal, and
# :math:`t_{1-\delta} = z_{1-\delta/2} \sqrt{R(1 - R)/m}`. In practice :math:`R` is replaced by the estimate.
z = stats.norm.ppf(1 - delta / 2)
half = z * np.sqrt(R * (1 - R) / m)
covered = (np.abs(rates - R) <= half).mean()
assert abs(covered - 0.9) < 0.03

# %%
# With the estimate in the place of :math:`R` the interval is empty at a rate of 0 and covers too seldom for small rates. The
# library solves for :math:`R` instead (Wilson; ``holdout_error`` does): compare the coverage at 50 rows, computed exactly.
m, true = 50, np.linspace(0.01, 0.5, 120)
k = np.arange(m + 1)
plain = np.stack([k / m - z * np.sqrt(k / m * (1 - k / m) / m), k / m + z * np.sqrt(k / m * (1 - k / m) / m)])

solved = np.array([wilson(j / m, m, 0.9) for j in k]).T
law = stats.binom.pmf(k[:, None], m, true)


def coverage(interval):
    return (law * ((interval[0][:, None] <= true) & (true <= interval[1][:, None]))).sum(axis=0)


ax = new_axes(xlabel="true error", ylabel="coverage", title="intervals that claim 90 %, from 50 rows", ylim=(0.4, 1.02))
ax.plot(true, coverage(plain), color=COLOURS[1], label="estimate ± z · standard error")
ax.plot(true, coverage(solved), color=COLOURS[0], label="Wilson, as holdout_error has it")
ax.axhline(0.9, color="#767676", ls=":")
legend(ax, loc="lower right")
assert coverage(solved).mean() > coverage(plain).mean() and abs(coverage(solved).mean() - 0.9) < 0.03
print(f"mean coverage: plain {coverage(plain).mean():.3f}, Wilson {coverage(solved).mean():.3f}")
