r"""
Exercise: an unbalanced training sample
=======================================

*Course: S0 §2.4.5.* One class is over-represented in training, and classes are known to be equally frequent where the
predictor will be used. What changes?

Only the term :math:`\log\pi_k` of the decision: put :math:`\pi_k = 1/K` instead of the training frequencies. The
rest, learned class by class, does not depend on how many rows each class had. With equal priors the decision is that
of maximum likelihood.
"""

import numpy as np
from sklearn.datasets import load_digits

from epee import BernoulliNB
from epee.figures.style import new_axes
from epee.risk import holdout_error

X, y = load_digits(return_X_y=True)
rng = np.random.default_rng(0)
train, test = np.arange(900), np.arange(900, 1797)
keep = np.concatenate([train[y[train] == 8], rng.choice(train[y[train] != 8], 160, replace=False)])  # eights galore

learned = BernoulliNB(binarize=8).fit(X[keep], y[keep])
told = BernoulliNB(binarize=8, class_prior=np.full(10, 0.1)).fit(X[keep], y[keep])
np.testing.assert_allclose(learned.feature_log_prob_, told.feature_log_prob_)

# %%
# With the wrong prior, eights are seen too often.
ax = new_axes(xlabel="digit", ylabel="times predicted", title="a third of the training rows were eights")
for model, name, shift in ((learned, "training frequencies", -0.2), (told, "equal priors", 0.2)):
    ax.bar(np.arange(10) + shift, np.bincount(model.predict(X[test]), minlength=10), 0.4, label=name)
ax.legend(frameon=False)

before, after = (holdout_error(model, X[test], y[test]) for model in (learned, told))
assert (learned.predict(X[test]) == 8).sum() > (told.predict(X[test]) == 8).sum()
print(f"as learned {before}\nequal      {after}\ndifference {before - after}")
