r"""
Which axes part many classes?
=============================

With :math:`K` classes there are at most :math:`K - 1` axes that part them: :math:`S_B v = \lambda S_W v`. Principal axes look for spread,
wherever it comes from.
"""

from epee import PCA, DiscriminantFactorAnalysis, LinearDiscriminantAnalysis, StandardScaler, samples
from epee.figures.style import COLOURS, legend, new_grid

wine = samples.load("wine")
X, y = StandardScaler().fit_transform(wine.drop(columns="cultivar").to_numpy()), wine["cultivar"].to_numpy()
pictures = {
    "principal axes": PCA(2).fit_transform(X),
    "discriminant axes": DiscriminantFactorAnalysis(2).fit(X, y).transform(X),
}
axes = new_grid(1, 2, size=(9, 3.8))[0]
for ax, (title, Z) in zip(axes, pictures.items(), strict=True):
    for k, label in enumerate(sorted(set(y))):
        ax.plot(*Z[y == label].T, "os^"[k], ms=4, color=COLOURS[k], label=str(label))
    ax.set_title(title)
legend(axes[0])

# %%
# Two discriminant axes are enough for the linear rule: three classes span a plane.
scores = {title: LinearDiscriminantAnalysis().fit(Z, y).score(Z, y) for title, Z in pictures.items()}
print({title: round(score, 3) for title, score in scores.items()})
assert scores["discriminant axes"] == LinearDiscriminantAnalysis().fit(X, y).score(X, y)
