r"""
Why does EM never go down?
==========================

At each step :math:`t` the law of the hidden variable is fixed at :math:`q_t = p(z \mid x, \theta_t)`, which gives a lower bound
of the log-likelihood that touches it at :math:`\theta_t`. The next parameter is the top of that bound, so the
log-likelihood there is at least as high. Here only the mean :math:`\mu` of one of two components is free, so that all of
it fits in one picture. (The course's caption says minimisations: EM *maximises* the bounds.)
"""

import numpy as np

from epee.figures.style import COLOURS, legend, new_axes

rng = np.random.default_rng(3)
x = np.r_[rng.normal(0, 1, 60), rng.normal(4, 1, 40)]
log_normal = -0.5 * np.log(2 * np.pi)


def parts(mu):
    """log pi_k + log N(x; mu_k, 1) of the fixed component at 0 and of the free one, (2, n)."""
    return np.stack([np.log(0.6) + log_normal - x**2 / 2, np.log(0.4) + log_normal - (x - mu) ** 2 / 2])


def likelihood(mu):
    return np.logaddexp(*parts(mu)).sum()


def bound(mu, q):
    return (q * (parts(mu) - np.log(q))).sum()


grid = np.linspace(-1, 6, 200)
ax = new_axes(xlabel=r"$\mu$", ylabel="log-likelihood", title="each bound touches the curve where it was made")
ax.plot(grid, [likelihood(m) for m in grid], color="#222222", lw=2, label="log-likelihood")

mu, climb = 0.4, []
for step in range(4):
    q = np.exp(parts(mu) - np.logaddexp(*parts(mu)))  # E: responsibilities
    np.testing.assert_allclose(bound(mu, q), likelihood(mu))  # the bound touches
    assert all(bound(m, q) <= likelihood(m) + 1e-9 for m in grid)  # and stays below
    ax.plot(grid, [bound(m, q) for m in grid], color=COLOURS[step], lw=1, label=f"bound {step + 1}")
    ax.plot(mu, likelihood(mu), "o", color=COLOURS[step])
    climb.append(likelihood(mu))
    mu = (q[1] * x).sum() / q[1].sum()  # M: its top
ax.set_ylim(likelihood(-1) - 60, max(climb) + 15)
legend(ax, loc="upper left")

# %%
# The log-likelihood rises at each step.
assert (np.diff(climb) >= 0).all()
print(np.round(climb, 2))
