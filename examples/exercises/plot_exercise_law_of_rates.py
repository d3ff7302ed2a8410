r"""
Exercise: which law does a success rate follow?
===============================================

*Course: S3 §2.1.4, in the text.* :math:`\eta(x) = 1` when a row is recognised, else 0, and :math:`\tau_g` is its mean
over :math:`P_{gen}` new rows.

:math:`\eta` is Bernoulli with parameter :math:`\tau`; rows are independent, so :math:`P_{gen}\,\tau_g` is binomial,
:math:`E[\tau_g] = \tau` and :math:`\mathrm{Var}(\tau_g) = \tau(1 - \tau)/P_{gen}`. As :math:`\tau` is not known,
:math:`\tau_g` takes its place under the root.
"""

import numpy as np
from scipy import stats

from epee import LinearDiscriminantAnalysis
from epee.figures.style import COLOURS, legend, new_axes
from epee.risk import holdout_error

rng = np.random.default_rng(0)


def draw(n):
    y = rng.choice([0, 1], n)
    return rng.standard_normal((n, 2)) + 1.4 * y[:, None], y


model = LinearDiscriminantAnalysis().fit(*draw(100))
truth = model.score(*draw(200_000))
P = 80
X, y = draw(1500 * P)
rates = (model.predict(X) == y).reshape(1500, P).mean(axis=1)
np.testing.assert_allclose(rates.mean(), truth, atol=0.005)
np.testing.assert_allclose(rates.std(), np.sqrt(truth * (1 - truth) / P), rtol=0.08)

k = np.arange(50, P + 1)
ax = new_axes(
    xlabel="rows recognised of 80", ylabel="share of test samples", title="1,500 test samples and the binomial law"
)
ax.bar(k, [np.mean(np.isclose(rates * P, j)) for j in k], color="#BBD3E6", label="drawn")
ax.plot(k, stats.binom.pmf(k, P, truth), "o", ms=4, color=COLOURS[1], label="binomial")
legend(ax)

# %%
# One test sample is enough for an error bar.
risk = holdout_error(model, *draw(P))
np.testing.assert_allclose(risk.stderr, np.sqrt(risk.value * (1 - risk.value) / P), rtol=0.02)
print(f"error {risk}; true error {1 - truth:.3f}")
