r"""
Fewer columns, or better ones?
==============================

Columns of different units are standardised first. Then one may keep the axes that carry more than noise, choose columns one by one, or
write each row as a few atoms: :math:`\lVert X - A D\rVert^2 + \lambda\lVert A\rVert_1`.
"""

import numpy as np

from epee import PCA, LinearRegression, SelectFeatures, SparseCoding, StandardScaler, choose_dimension, samples
from epee.figures.style import COLOURS, new_grid

table = samples.load("diabetes")
X, y = (
    StandardScaler().fit_transform(table.drop(columns="progression").to_numpy(float)),
    table["progression"].to_numpy(float),
)
axes = new_grid(1, 3, size=(11.5, 3.5))[0]
pca = PCA().fit(X)
axes[0].bar(np.arange(1, 11), pca.explained_variance_ratio_, color=COLOURS[0])
axes[0].axvline(choose_dimension(X).chosen + 0.5, color=COLOURS[1])
axes[0].set(title="axes; those that carry more than noise", xlabel="axis")
picked = SelectFeatures(LinearRegression(), "forward", 4, folds=5).fit(X, y)
names = np.array(table.columns.drop("progression"))
axes[1].barh(
    names,
    np.abs(LinearRegression().fit(X, y).coef_),
    color=[COLOURS[2] if kept else "0.8" for kept in picked.get_support()],
)
axes[1].set(title="columns chosen forward")
codes = SparseCoding(6, 0.5, max_iter=300, tol=1e-4, random_state=0).fit(X).transform(X)
axes[2].imshow(codes[:40] != 0, aspect="auto", cmap="Greys")
axes[2].set(title="atoms that each row uses", xlabel="atom", ylabel="row")

# %%
# A randomised PCA finds the same first axes from a few products with random vectors.
fast = PCA(2, svd_solver="randomized", random_state=0).fit(X)
np.testing.assert_allclose(np.abs((fast.components_ * pca.components_[:2]).sum(axis=1)), 1, atol=1e-6)
print(
    f"{int(picked.get_support().sum())} of 10 columns, {choose_dimension(X).chosen} axes, {np.mean(codes != 0):.0%} of the codes in use"
)
