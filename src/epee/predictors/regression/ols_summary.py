r"""The table of a least squares fit: estimates, standard errors, tests, and how well the whole fits.

.. math:: t_j = \frac{\hat\theta_j}{s_j}, \qquad R^2 = 1 - \frac{RSS}{TSS}, \qquad
          F = \frac{(TSS - RSS) / q}{RSS / (n - k)}, \qquad
          \ell = -\frac n2 \Bigl(\log \frac{2 \pi RSS}{n} + 1\Bigr) + \frac12 \sum_i \log w_i,

with :math:`q` slopes, :math:`k` parameters, and weights :math:`w_i` of precision; :math:`TSS` is taken about the mean when there is an
intercept. AIC is :math:`-2\ell + 2k`, BIC :math:`-2\ell + k \log n`. Names are those of statsmodels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import fdtrc, stdtr, stdtrit

from epee.typing import Matrix, Vector


@dataclass(frozen=True, eq=False)
class Summary:
    """Estimates and tests; prints as a table.

    ``params``, ``bse``, ``tvalues``, ``pvalues`` (k,) and ``conf_int`` (k, 2) are in the order of ``names``, the intercept
    first. ``undetermined`` names those that columns depending on each other leave open: their standard error is infinite.
    """

    names: list[str]
    params: Vector
    bse: Vector
    tvalues: Vector
    pvalues: Vector
    conf_int: Matrix
    level: float
    nobs: float
    df_model: float
    df_resid: float
    ssr: float
    tss: float
    rsquared: float
    rsquared_adj: float
    fvalue: float
    f_pvalue: float
    llf: float
    aic: float
    bic: float
    undetermined: tuple[str, ...] = ()

    @property
    def scale(self) -> float:
        """Unbiased variance of the noise."""
        return self.ssr / self.df_resid

    @property
    def sigma2(self) -> float:
        """Maximum likelihood variance of the noise."""
        return self.ssr / self.nobs

    def to_frame(self) -> Any:
        """Return the table of estimates as a pandas frame."""
        import pandas as pd

        return pd.DataFrame(
            {"estimate": self.params, "std err": self.bse, "t": self.tvalues, "p": self.pvalues,
             "low": self.conf_int[:, 0], "high": self.conf_int[:, 1]}, index=self.names,
        )  # fmt: skip

    def __str__(self) -> str:
        wide = max(8, *(len(name) for name in self.names))
        ends = f"{100 * self.level:g} % interval"
        lines = [
            f"n = {self.nobs:g}, residual degrees of freedom {self.df_resid:g}, residual standard deviation {np.sqrt(self.scale):.6g}",
            f"R² = {self.rsquared:.6f} (adjusted {self.rsquared_adj:.6f}), F({self.df_model:g}, {self.df_resid:g}) = "
            f"{self.fvalue:.5g}, p = {self.f_pvalue:.3g}",
            f"log-likelihood {self.llf:.6g}, AIC {self.aic:.6g}, BIC {self.bic:.6g}",
            "",
            f"{'':{wide}}  {'estimate':>12}  {'std err':>11}  {'t':>9}  {'p':>8}  {ends:>27}",
        ]
        for name, b, s, t, p, (low, high) in zip(
            self.names, self.params, self.bse, self.tvalues, self.pvalues, self.conf_int, strict=True
        ):
            lines.append(f"{name:{wide}}  {b:12.6g}  {s:11.5g}  {t:9.4g}  {p:8.3g}  {low:13.6g} {high:13.6g}")
        if self.undetermined:
            lines += [
                "",
                f"not determined, for their columns are constant or depend on each other: {', '.join(self.undetermined)}",
            ]
        return "\n".join(lines)


def summarise(model: Any, precision: bool, level: float, target: int) -> Summary:
    """Return the table of a fitted least squares for one target."""
    general = hasattr(model, "_general")
    n = float(model._rows if precision else model._count)
    freedom = model._freedom(n)
    constant = bool(model.fit_intercept)
    k = n - freedom
    slopes = k - constant
    rss, tss = float(model._rss[target]), float(model._tss[target])
    coef = np.atleast_2d(model.coef_)[target]
    names = model._coef_names()
    if constant:
        coef, names = np.append(np.ravel(model.intercept_)[target], coef), ["intercept", *names]
    bse = np.sqrt(np.maximum(np.diagonal(model._parameter_inverse()), 0.0) * rss / freedom)
    open_ = model._undetermined()
    bse[open_] = np.inf
    with np.errstate(divide="ignore"):
        t = np.divide(coef, bse, out=np.where(coef == 0, 0.0, np.copysign(np.inf, coef)), where=bse > 0) + 0.0
    half = stdtrit(freedom, (1 + level) / 2) * bse
    r2 = 1 - rss / tss if tss > 0 else 0.0
    explained = (tss - rss) / slopes if slopes > 0 else 0.0
    f = explained / (rss / freedom) if rss > 0 else np.inf if explained > 0 else 0.0
    logs = model._log_weights if precision or general else 0.0
    likelihood = (-n / 2 * (np.log(2 * np.pi * rss / n) + 1) if rss > 0 else np.inf) + logs / 2
    return Summary(
        names=names, params=coef, bse=bse, tvalues=t, pvalues=2 * stdtr(freedom, -np.abs(t)),
        conf_int=np.column_stack([coef - half, coef + half]), level=level, nobs=n, df_model=slopes, df_resid=freedom,
        ssr=rss, tss=tss, rsquared=r2, rsquared_adj=1 - (n - constant) / freedom * (1 - r2), fvalue=float(f),
        f_pvalue=float(fdtrc(slopes, freedom, f)) if slopes > 0 and np.isfinite(f) else (0.0 if slopes > 0 else 1.0),
        llf=float(likelihood), aic=float(2 * k - 2 * likelihood), bic=float(k * np.log(n) - 2 * likelihood),
        undetermined=tuple(names[j] for j in np.flatnonzero(open_)),
    )  # fmt: skip
