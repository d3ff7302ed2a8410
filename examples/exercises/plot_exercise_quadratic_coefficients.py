r"""
Exercise: the coefficients of the quadratic classifier in one dimension
=======================================================================

*Course: S4, proof left for the class.* Two normal classes, ``m`` and ``i``, with their priors. Show that ``m`` wins where
:math:`y(x) = w_2 x^2 + w_1 x + w_0 > 0` with

.. math:: w_2 = \frac{\sigma_m^2 - \sigma_i^2}{2}, \quad w_1 = \mu_m\sigma_i^2 - \mu_i\sigma_m^2, \quad
          w_0 = \frac{\mu_i^2\sigma_m^2 - \mu_m^2\sigma_i^2}{2} - \sigma_i^2\sigma_m^2 \ln\frac{\sigma_m P(i)}{\sigma_i P(m)}.

Take the logarithm of :math:`P(m)\,\mathcal N(x; \mu_m, \sigma_m^2) > P(i)\,\mathcal N(x; \mu_i, \sigma_i^2)`,

.. math:: \ln\frac{P(m)\,\sigma_i}{P(i)\,\sigma_m} - \frac{(x - \mu_m)^2}{2\sigma_m^2} + \frac{(x - \mu_i)^2}{2\sigma_i^2} > 0,

multiply by :math:`\sigma_m^2\sigma_i^2 > 0` and sort by powers of :math:`x`. The slide does not say which sign is
which class; this is it.
"""

import numpy as np
from scipy import stats

from epee import GaussianThreshold
from epee.figures.style import COLOURS, legend, new_axes

mu_m, mu_i, v_m, v_i, P_m, P_i = 14.0, 10.0, 4.0, 9.0, 0.4, 0.6
w2 = (v_m - v_i) / 2
w1 = mu_m * v_i - mu_i * v_m
w0 = (mu_i**2 * v_m - mu_m**2 * v_i) / 2 - v_i * v_m * np.log(np.sqrt(v_m / v_i) * P_i / P_m)

x = np.linspace(0, 25, 500)
score = w2 * x**2 + w1 * x + w0
joint = P_m * stats.norm(mu_m, v_m**0.5).pdf(x), P_i * stats.norm(mu_i, v_i**0.5).pdf(x)
assert ((score > 0) == (joint[0] > joint[1])).all()

cut = GaussianThreshold((mu_m, mu_i), (v_m, v_i), (P_m, P_i), ("m", "i"))
np.testing.assert_allclose(cut.coefficients, (w2, w1, w0))
np.testing.assert_allclose(np.sort(np.roots([w2, w1, w0])), cut.roots)

ax = new_axes(xlabel="x", ylabel="prior × density", title="two cuts: one variance is smaller")
for values, name, colour in zip(joint, ("m", "i"), COLOURS, strict=False):
    ax.plot(x, values, color=colour, label=name)
for root in cut.roots:
    ax.axvline(root, color="#222222", ls="--", lw=1)
legend(ax)

# %%
# Equal variances leave a line, :math:`w_1 = (\mu_m - \mu_i)/\sigma^2` once all is divided by :math:`\sigma^4`, and with
# equal priors a cut halfway.
even = GaussianThreshold((mu_m, mu_i), (v_m, v_m), (0.5, 0.5))
np.testing.assert_allclose(even.w1, (mu_m - mu_i) / v_m)
np.testing.assert_allclose(even.roots, [(mu_m + mu_i) / 2])
print(f"cuts at {np.round(cut.roots, 3)}; equal variances and priors: {even.roots}")
