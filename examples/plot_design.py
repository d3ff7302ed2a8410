"""
Where should one measure?
=========================

The variance of a prediction depends on the inputs only, so the inputs can be chosen before any output is seen. For a
parabola the best places are both ends and the middle; evenly spread ones are worse where it matters.
"""

import numpy as np

from epee import design

x = np.linspace(-1, 1, 41)
candidates = np.column_stack([np.ones_like(x), x, x**2])
chosen = design.select(candidates, 9, "D", repeats=True)
even = np.linspace(0, 40, 9).astype(int)
designs = {"D-optimal": candidates[chosen], "evenly spread": candidates[even]}
design.plot_bands(designs, candidates, at=x)

# %%
# Nine measurements, three places.
print(sorted(set(x[chosen].round(2).tolist())))
worst = {name: float(np.max(design.prediction_variance(A, candidates))) for name, A in designs.items()}
assert worst["D-optimal"] < worst["evenly spread"] and set(np.abs(x[chosen]).round(2)) == {0.0, 1.0}
print({name: round(value, 3) for name, value in worst.items()})
