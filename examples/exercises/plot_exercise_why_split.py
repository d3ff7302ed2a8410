r"""
Exercise: why is the base cut in two?
=====================================

*Course: S3 §2.1.4, in the text.* Because the rate on the rows that were learned says how well they were learned, not
how well new rows will be recognised. The first is better than the truth, the more so the fewer the rows for the
number of weights.
"""

import numpy as np

from epee import Hebb, PseudoInverse
from epee.figures.style import COLOURS, legend, new_axes

rng = np.random.default_rng(0)
p = 20


def draw(n):
    y = rng.choice([-1, 1], n)
    return rng.standard_normal((n, p)) + 0.35 * y[:, None], y


new = draw(4000)
sizes = np.array([8, 12, 16, 21, 25, 30, 40, 60, 100, 200])
rates = {name: [] for name in ("Hebb", "pseudo-inverse")}
for n in sizes:
    for name, make in (("Hebb", Hebb), ("pseudo-inverse", PseudoInverse)):
        pairs = []
        for _ in range(6):
            X, y = draw(n)
            if len(set(y)) == 2:
                model = make().fit(X, y)
                pairs.append((model.score(X, y), model.score(*new)))
        rates[name].append(np.mean(pairs, axis=0))

ax = new_axes(
    xlabel="rows learned", ylabel="success rate", xscale="log", title=f"learned rows and new rows, {p} inputs"
)
for k, (name, pairs) in enumerate(rates.items()):
    learned, general = np.array(pairs).T
    ax.plot(sizes, learned, "--", color=COLOURS[k], label=f"{name}, learned rows")
    ax.plot(sizes, general, "o-", color=COLOURS[k], label=f"{name}, new rows")
legend(ax)

# %%
# With no more rows than weights the pseudo-inverse learns any labels without error, which shows nothing.
learned, general = np.array(rates["pseudo-inverse"]).T
assert (learned[:4] == 1.0).all() and (learned >= general).all()
print(f"21 rows: learned {learned[3]:.2f}, new {general[3]:.2f}; 200 rows: {learned[-1]:.2f}, {general[-1]:.2f}")
