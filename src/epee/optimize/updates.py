r"""Steps that remember: what a noisy gradient :math:`g_t` does to the parameters.

Momentum keeps a velocity, Nesterov's variant looks one step ahead of it,

.. math:: v \leftarrow \mu v - \varepsilon g, \qquad x \leftarrow x + v \quad\text{or}\quad x + \mu v - \varepsilon g; \tag{1}

Adam scales each coordinate by a running mean of its squares,

.. math:: m \leftarrow \beta_1 m + (1 - \beta_1) g, \quad s \leftarrow \beta_2 s + (1 - \beta_2) g^2, \quad
          x \leftarrow x - \varepsilon \frac{\sqrt{1 - \beta_2^t}}{1 - \beta_1^t}\, \frac{m}{\sqrt s + \epsilon}. \tag{2}

Both hold the parameters as a list of arrays and change them in place.

References: D. Kingma and J. Ba, "Adam: a method for stochastic optimization", *ICLR*, 2015.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


class Momentum:
    """The steps (1).

    Parameters
    ----------
    x : list of arrays
        The parameters, changed in place.
    rate : float
        The length of a step; larger goes faster and less surely.
    momentum : float in [0, 1), default=0.9
        How much of the velocity is kept; 0 is plain descent.
    ahead : bool, default=True
        Look one step ahead, as Nesterov does.

    Examples
    --------
    >>> x = [np.array([1.0])]
    >>> step = Momentum(x, rate=0.1, momentum=0.0, ahead=False)
    >>> step([np.array([2.0])])
    >>> x
    [array([0.8])]
    """

    def __init__(self, x: Sequence[np.ndarray], *, rate: float, momentum: float = 0.9, ahead: bool = True) -> None:
        self.x, self.rate, self.momentum, self.ahead = x, rate, momentum, ahead
        self.velocity = [np.zeros_like(a) for a in x]

    def __call__(self, gradient: Sequence[np.ndarray]) -> None:
        """Take one step."""
        for a, v, g in zip(self.x, self.velocity, gradient):
            v *= self.momentum
            v -= self.rate * g
            a += self.momentum * v - self.rate * g if self.ahead else v

    def leave(self, kept: np.ndarray) -> None:
        """Go on with some of a stack of parameters, whose first axis are searches of their own."""
        self.x, self.velocity = [a[kept] for a in self.x], [v[kept] for v in self.velocity]


class Adam:
    """The steps (2).

    Parameters
    ----------
    x : list of arrays
        The parameters, changed in place.
    rate : float, default=0.001
        The length of a step; larger goes faster and less surely.
    beta_1, beta_2 : float in [0, 1), default=0.9, 0.999
        How much of the running means of gradients and of squares is kept.
    epsilon : float, default=1e-8
        Keeps the division finite.

    Examples
    --------
    >>> x = [np.array([1.0])]
    >>> step = Adam(x, rate=0.1)
    >>> step([np.array([2.0])])
    >>> x[0].round(6)
    array([0.9])
    """

    def __init__(
        self,
        x: Sequence[np.ndarray],
        *,
        rate: float = 1e-3,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-8,
    ) -> None:
        self.x, self.rate, self.beta_1, self.beta_2, self.epsilon, self.t = x, rate, beta_1, beta_2, epsilon, 0
        self.means, self.squares = [np.zeros_like(a) for a in x], [np.zeros_like(a) for a in x]

    def __call__(self, gradient: Sequence[np.ndarray]) -> None:
        """Take one step."""
        self.t += 1
        length = self.rate * np.sqrt(1 - self.beta_2**self.t) / (1 - self.beta_1**self.t)
        for a, m, s, g in zip(self.x, self.means, self.squares, gradient):
            m *= self.beta_1
            m += (1 - self.beta_1) * g
            s *= self.beta_2
            s += (1 - self.beta_2) * g * g
            size = np.sqrt(s)
            size += self.epsilon
            step = m / size
            step *= length
            a -= step

    def leave(self, kept: np.ndarray) -> None:
        """Go on with some of a stack of parameters, whose first axis are searches of their own."""
        self.x = [a[kept] for a in self.x]
        self.means, self.squares = [m[kept] for m in self.means], [s[kept] for s in self.squares]
