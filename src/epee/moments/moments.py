r"""Moments: the count, the mean and the centred scatter of rows, and the rule by which two of them add.

Of rows :math:`x_i` with weights :math:`w_i` they keep

.. math:: n = \sum_i w_i, \qquad \bar x = \frac1n \sum_i w_i x_i, \qquad
          S = \sum_i w_i (x_i - \bar x)(x_i - \bar x)^\top.

Two of them merge without going back to the rows (Chan, Golub and LeVeque, 1983): with :math:`\delta = \bar x_b - \bar x_a`,

.. math:: n = n_a + n_b, \qquad \bar x = \bar x_a + \frac{n_b}{n} \delta, \qquad
          S = S_a + S_b + \frac{n_a n_b}{n} \delta \delta^\top. \tag{1}

Means are held relative to a common *origin* inside the cloud, so that a mean of :math:`10^9` costs no digits. Leading axes
``fold`` and ``group`` (class, component) hold many such sums side by side; a *pooled* scatter has no group axis: it is
the sum of the groups' own.

The arrays may be NumPy's or lie elsewhere (:mod:`epee.arrays`), on a device for instance: sums, unions and folds are taken there, and
:meth:`Moments.here` brings them home, where everything else is done.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from epee.arrays import at_home, is_elsewhere, like, namespace
from epee.errors import DataError, SingularProblem, WrongUse
from epee.stateful import Part
from epee.typing import ArrayLike, Codes, Matrix, Scatter, Tensor, Vector

AXES = ("fold", "group")


def share(part: np.ndarray, total: np.ndarray) -> np.ndarray:
    """Return part / total, and 0 where the total is 0: an empty sum has no say.

    >>> share(np.array([1.0, 0.0]), np.array([4.0, 0.0]))
    array([0.25, 0.  ])
    """
    if is_elsewhere(total):
        xp, some = namespace(total), total > 0
        return xp.where(some, part / xp.where(some, total, 1.0), 0.0)
    return np.divide(part, total, out=np.zeros_like(total), where=total > 0)


@dataclass(frozen=True, eq=False)
class Moments(Part):
    """Count, mean and scatter of rows, for each fold and group.

    Parameters
    ----------
    count : array (axes)
        Sum of weights.
    shift : array (axes, p)
        Mean minus ``origin``.
    scatter : array (axes, p, p), (axes, p) when diagonal, or None
        Sum of centred products; without the group axis when pooled.
    origin : array (p,)
        Where the shifts are measured from: a row near the data, so that no digits are lost.
    axes : tuple of {"fold", "group"}
        Names of the leading axes, in order.
    kind : {"full", "pooled", "diagonal", None}
        What is kept of the scatter: a matrix for each cell, one summed over the groups, variances, or nothing.
    targets : int
        How many of the last columns are targets.
    labels : array (groups,), optional
        What the groups are called; moments with other labels add, too, a group absent on one side being empty there.

    Examples
    --------
    >>> rows = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
    >>> m = Moments.of(rows[:1]) + Moments.of(rows[1:])
    >>> m.mean, m.covariance()[0, 1]
    (array([2., 3.]), np.float64(2.6666666666666665))
    """

    count: Tensor
    shift: Tensor
    scatter: Tensor | None
    origin: Vector
    axes: tuple[str, ...] = ()
    kind: Scatter = "full"
    targets: int = 0
    labels: np.ndarray | None = None

    @classmethod
    def zero(
        cls,
        origin: Vector,
        *,
        folds: int | None = None,
        groups: int | None = None,
        scatter: Scatter = "full",
        targets: int = 0,
    ) -> Moments:
        """Return the moments of no rows: neutral for ``+``."""
        sizes = [(axis, size) for axis, size in zip(AXES, (folds, groups), strict=True) if size is not None]
        axes, lead = tuple(axis for axis, _ in sizes), tuple(size for _, size in sizes)
        p = len(origin)
        within = tuple(size for axis, size in sizes if not (scatter == "pooled" and axis == "group"))
        shapes = {"full": (*lead, p, p), "pooled": (*within, p, p), "diagonal": (*lead, p)}
        sums = None if scatter is None else np.zeros(shapes[scatter])
        return cls(np.zeros(lead), np.zeros((*lead, p)), sums, np.asarray(origin, float), axes, scatter, targets)

    @classmethod
    def of(
        cls,
        X: Any,
        y: Any = None,
        *,
        sample_weight: ArrayLike | None = None,
        fold: ArrayLike | None = None,
        group: ArrayLike | None = None,
        scatter: Scatter = "full",
        origin: Vector | None = None,
        folds: int | None = None,
        groups: int | None = None,
    ) -> Moments:
        """Return the moments of the rows of ``X``, with ``y``, when given, as the last columns.

        Parameters
        ----------
        X : array (n, p), frame, path or any source
        y : array (n,) or (n, m), optional
        sample_weight : array (n,), optional
            Counts: weight 2 is the row twice.
        fold, group : array (n,) of int, optional
            Where each row goes along these axes.
        scatter : {"full", "pooled", "diagonal", None}
            What is not needed is not computed.
        origin : array (p + m,), optional
            The point that sums are taken about; by default one inside the cloud.
        folds, groups : int, optional
            Length of the axes; by default the largest id plus one.
        """
        from epee.moments.passes import one_pass

        return one_pass(X, y, sample_weight, fold, group, scatter, origin, folds, groups)

    @property
    def mean(self) -> Tensor:
        """Mean of the rows (axes, p)."""
        return (self._origin_there if is_elsewhere(self.shift) else self.origin) + self.shift

    @cached_property
    def _origin_there(self) -> Any:
        """The origin where the shifts lie: asked for with every mean, and sent once."""
        return like(self.origin, self.shift)

    @property
    def is_here(self) -> bool:
        """Whether the arrays are NumPy's."""
        return not is_elsewhere(self.shift)

    def here(self) -> Moments:
        """Return the same moments as NumPy's arrays."""
        if self.is_here:
            return self
        scatter = None if self.scatter is None else at_home(self.scatter)
        return replace(self, count=at_home(self.count), shift=at_home(self.shift), scatter=scatter)

    @property
    def n_columns(self) -> int:
        """Number of columns, targets included."""
        return len(self.origin)

    @property
    def frequencies(self) -> Tensor:
        """Share of each group in the count, (axes)."""
        if "group" not in self.axes:
            raise WrongUse("frequencies need the axis 'group', and these moments have none.")
        xp = namespace(self.count)
        return share(self.count, xp.broadcast_to(xp.sum(self.count, axis=-1, keepdims=True), self.count.shape))

    @property
    def scatter_count(self) -> Tensor:
        """The count behind each scatter: that of all groups together when it is pooled."""
        return self._over_groups(self.count) if self.kind == "pooled" else self.count

    def _sums(self) -> Tensor:
        """Return the scatter, or say that there is none."""
        if self.scatter is None:
            raise WrongUse("these moments keep no scatter; ask for scatter='full', 'pooled' or 'diagonal'.")
        return self.scatter

    def covariance(self, ddof: float = 0) -> Tensor:
        """Return the scatter divided by ``count - ddof``; the course's covariance has ``ddof=0``."""
        S = self._sums()
        xp = namespace(S)
        n = self.scatter_count - ddof
        n = xp.where(n > 0, n, xp.zeros_like(n))
        n = n[..., None] if self.kind == "diagonal" else n[..., None, None]
        return share(S, xp.broadcast_to(n, S.shape))

    @property
    def variances(self) -> Tensor:
        """Variance of each column (axes, p), with 1/n."""
        S: Any = self._sums()
        if self.kind != "diagonal":
            S = namespace(S).linalg.diagonal(S)
        n = at_home(self.scatter_count)[..., None]
        return share(at_home(S), np.broadcast_to(np.maximum(n, 0.0), S.shape))

    def correlation(self) -> Tensor:
        """Return the correlation matrix; a constant column correlates with nothing but itself."""
        if self.kind == "diagonal":
            raise WrongUse("a diagonal scatter knows no correlations; ask for scatter='full'.")
        self = self.here()
        sigma = self.covariance()
        sd = np.sqrt(self.variances)
        both = sd[..., :, None] * sd[..., None, :]
        R = np.clip(share(sigma, both), -1.0, 1.0)
        R[..., np.arange(self.n_columns), np.arange(self.n_columns)] = 1.0
        return R

    def inertia(self) -> Tensor:
        """Return the total variance: the trace of the covariance."""
        return self.variances.sum(axis=-1)

    @property
    def p(self) -> int:
        """Number of inputs."""
        return self.n_columns - self.targets

    @property
    def x_mean(self) -> Tensor:
        """Mean of the inputs (axes, p)."""
        return self.mean[..., : self.p]

    @property
    def y_mean(self) -> Tensor:
        """Mean of the targets (axes, m)."""
        return self.mean[..., self.p :]

    @property
    def xx(self) -> Tensor:
        """Scatter of the inputs (axes, p, p)."""
        return self._sums()[..., : self.p, : self.p]

    @property
    def xy(self) -> Tensor:
        """Scatter of inputs against targets (axes, p, m)."""
        return self._sums()[..., : self.p, self.p :]

    @property
    def yy(self) -> Tensor:
        """Scatter of the targets (axes, m, m)."""
        return self._sums()[..., self.p :, self.p :]

    def labelled(self, labels: np.ndarray) -> Moments:
        """Return the moments with their groups laid out as ``labels``; a group that is absent is empty."""
        if self.labels is None or np.array_equal(labels, self.labels):
            return self
        i, where = self._axis("group"), np.searchsorted(labels, self.labels)

        def spread(a: Tensor) -> Tensor:
            out = np.zeros((*a.shape[:i], len(labels), *a.shape[i + 1 :]))
            out[(slice(None),) * i + (where,)] = a
            return out

        scatter = self.scatter if self.scatter is None or self.kind == "pooled" else spread(self.scatter)
        return replace(self, count=spread(self.count), shift=spread(self.shift), scatter=scatter, labels=labels)

    def _same_kind(self, other: Moments) -> Moments:
        if (self.axes, self.kind, self.count.shape, self.n_columns) != (
            other.axes, other.kind, other.count.shape, other.n_columns,
        ):  # fmt: skip
            raise WrongUse(
                f"moments of {self.n_columns} columns, axes {self.axes} {self.count.shape}, scatter {self.kind!r} cannot add to "
                f"moments of {other.n_columns} columns, axes {other.axes} {other.count.shape}, scatter {other.kind!r}."
            )
        return other.about(self.origin)

    def about(self, origin: Vector) -> Moments:
        """Return the same moments with their means held about another origin."""
        if origin is self.origin or np.array_equal(origin, self.origin):
            return self
        xp, move = namespace(self.shift), like(self.origin - origin, self.shift)
        shift = xp.where(self.count[..., None] > 0, self.shift + move, xp.zeros_like(self.shift))
        return replace(self, shift=shift, origin=origin)

    def __add__(self, other: Moments) -> Moments:
        """Merge by (1)."""
        if not isinstance(other, Moments):
            return NotImplemented
        if self.labels is not None and other.labels is not None and not np.array_equal(self.labels, other.labels):
            both = np.union1d(self.labels, other.labels)
            return self.labelled(both) + other.labelled(both)
        other = self._same_kind(other)
        total = self.count + other.count
        part = share(other.count, total)
        delta = other.shift - self.shift  # (axes, p)
        shift = part[..., None] * delta
        shift += self.shift
        scatter = None
        if self.scatter is not None:
            scatter = self._spread(self.scatter + other._sums(), self.count * part, delta)
        return replace(self, count=total, shift=shift, scatter=scatter)

    def _spread(self, scatter: Tensor, h: Tensor, delta: Tensor) -> Tensor:
        """Return a scatter plus h δδ', over groups when it is pooled; NumPy's is changed in place."""
        if self.kind == "diagonal":
            scatter += h[..., None] * delta**2
        elif self.kind == "pooled" and "group" in self.axes:
            scatter += namespace(delta).matrix_transpose(h[..., None] * delta) @ delta
        else:
            scatter += (h[..., None] * delta)[..., :, None] * delta[..., None, :]
        return scatter

    def without(self, other: Moments) -> Moments:
        """Take rows out again; refused when fewer than six digits would be left.

        Raises
        ------
        SingularProblem
            When the rows that remain are too small a part of the sums to be found by subtraction.
        """
        self, other = self.here(), other.here()
        if self.labels is not None and other.labels is not None:
            other = other.labelled(self.labels)
        other = self._same_kind(other)
        left = self.count - other.count
        if (left < -1e-9 * self.count).any():
            raise DataError("more rows are to be forgotten than were learned; refit on the rows that remain.")
        left = np.where(left > 1e-9 * self.count, left, 0.0)
        part = share(other.count, left)
        shift = np.where(left[..., None] > 0, self.shift + part[..., None] * (self.shift - other.shift), 0.0)
        scatter = None
        if self.scatter is not None:
            scatter = self.scatter - other._sums()
            scatter = self._spread(scatter, -share(left * other.count, self.count), other.shift - shift)
            before, after = (
                s if self.kind == "diagonal" else np.diagonal(s, axis1=-2, axis2=-1) for s in (self.scatter, scatter)
            )
            counts = self._over_groups(left) if self.kind == "pooled" else left
            lost = (before > 0) & (after < 1e-10 * before) & (counts[..., None] > 1.5)
            if lost.any():
                raise SingularProblem(
                    f"forgetting these rows would leave fewer than 6 digits in {int(lost.sum())} of {lost.size} variances: "
                    "refit on the rows that remain."
                )
            empty = counts <= 0
            scatter[empty] = 0.0
        return replace(self, count=left, shift=shift, scatter=scatter)

    def _over_groups(self, count: Tensor) -> Tensor:
        return namespace(count).sum(count, axis=-1) if "group" in self.axes else count

    def _axis(self, axis: str) -> int:
        if axis not in self.axes:
            raise WrongUse(f"these moments have no axis {axis!r}; they have {self.axes or 'none'}.")
        return self.axes.index(axis)

    def merge(self, axis: str) -> Moments:
        """Collapse an axis: the whole sample from its folds, the pooled cloud from its groups."""
        found: Moments | None = self.__dict__.get(f"_merged_{axis}")
        if found is not None:
            return found
        i = self._axis(axis)
        size = self.count.shape[i]
        return self.regroup(axis, np.ones((1, size))).at(axis, 0)

    def with_merged(self, axis: str) -> Moments:
        """Return the same moments with those of an axis collapsed at hand: :meth:`at` another axis hands them on."""
        twin = replace(self)
        twin.__dict__[f"_merged_{axis}"] = self.merge(axis)
        return twin

    def at(self, axis: str, k: int) -> Moments:
        """Return the moments of one fold or group."""
        found = self._at(axis, k)
        for other in found.axes:
            merged: Moments | None = self.__dict__.get(f"_merged_{other}")
            if merged is not None:
                found.__dict__[f"_merged_{other}"] = merged.at(axis, k)
        return found

    def _at(self, axis: str, k: int) -> Moments:
        i = self._axis(axis)
        axes = tuple(a for a in self.axes if a != axis)
        scatter = self.scatter
        kind = self.kind
        if scatter is not None and not (kind == "pooled" and axis == "group"):
            scatter = _taken(scatter, k, i)
        elif kind == "pooled" and axis == "group":
            raise WrongUse("a pooled scatter has no group of its own; merge the groups, or keep a full scatter.")
        labels = None if axis == "group" else self.labels
        count, shift = _taken(self.count, k, i), _taken(self.shift, k, i)
        return replace(self, count=count, shift=shift, scatter=scatter, axes=axes, labels=labels)

    def regroup(self, axis: str, members: ArrayLike) -> Moments:
        """Return the moments of unions of folds (or groups): ``members`` (M, size) counts which go into each union.

        A union is a sum of its members, centred on its own mean: nothing is subtracted, so no digits are lost. Repeats,
        learning curves, and models trained without folds j and k are all such unions.
        """
        i, xp = self._axis(axis), namespace(self.count)
        A = like(np.asarray(members, dtype=np.float64), self.count)  # (M, size)
        count = xp.moveaxis(self.count, i, 0)  # (size, rest)
        shift = xp.moveaxis(self.shift, i, 0)  # (size, rest, p)
        total = _mixed(A, count)  # (M, rest)
        mean = share(
            _mixed(A, count[..., None] * shift),
            xp.broadcast_to(total[..., None], (*total.shape, self.n_columns)),
        )  # (M, rest, p)
        labels = None if axis == "group" else self.labels
        back = replace(self, count=xp.moveaxis(total, 0, i), shift=xp.moveaxis(mean, 0, i), scatter=None, labels=labels)
        if self.scatter is None:
            return back
        pooled_groups = self.kind == "pooled" and axis == "group"
        if pooled_groups:  # the groups dissolve, so what lay between them enters: the scatter becomes that of the union
            if A.shape[0] != 1 or not bool(xp.all(A == 1)):
                raise WrongUse("a pooled scatter can only be merged over all its groups.")
            within = self.scatter[None, ...]
        else:
            within = _mixed(A, xp.moveaxis(self.scatter, i, 0))  # (M, rest, p, p)
        d = shift[None, ...] - mean[:, None, ...]  # (M, size, rest, p)
        h = xp.reshape(A, (*A.shape, *(1,) * (count.ndim - 1))) * count[None, ...]  # (M, size, rest)
        if self.kind == "diagonal":
            scatter = within + xp.sum(h[..., None] * d**2, axis=1)
            return replace(back, scatter=xp.moveaxis(scatter, 0, i))
        if self.kind == "pooled" and "group" in self.axes and axis == "fold":
            flat = xp.reshape(d, (A.shape[0], -1, self.n_columns))  # (M, size groups, p)
            scatter = within + xp.matrix_transpose(xp.reshape(h, (A.shape[0], -1))[..., None] * flat) @ flat
            return replace(back, scatter=scatter)
        d = xp.moveaxis(d, 1, -2)  # (M, rest, size, p)
        h = xp.moveaxis(h, 1, -1)  # (M, rest, size)
        scatter = within + xp.matmul(xp.matrix_transpose(h[..., None] * d), d)
        if pooled_groups:
            return replace(back, scatter=xp.moveaxis(scatter, 0, i), kind="full")
        return replace(back, scatter=xp.moveaxis(scatter, 0, i))

    def leave_one_out(self, axis: str = "fold") -> Moments:
        """Return, for each fold, the moments of all the others: the training samples of a K-fold cross-validation.

        Prefix and suffix merges, or on a device unions in a few products: nothing is subtracted, so nothing cancels.
        """
        i = self._axis(axis)
        if not self.is_here:
            return self.regroup(axis, 1.0 - np.eye(self.count.shape[i]))
        parts = [self.at(axis, k) for k in range(self.count.shape[i])]
        first, xp = parts[0], namespace(self.count)
        nothing = None if first.scatter is None else xp.zeros_like(first.scatter)
        zero = replace(first, count=xp.zeros_like(first.count), shift=xp.zeros_like(first.shift), scatter=nothing)
        before, after = [zero], [zero]
        for part in parts[:-1]:
            before.append(before[-1] + part)
        for part in parts[:0:-1]:
            after.append(part + after[-1])
        return stack([a + b for a, b in zip(before, reversed(after), strict=True)], axis)

    def affine(self, A: Matrix, b: Vector | None = None) -> Moments:
        """Return the moments of the rows ``A x + b``: a scaler, a filling of missing cells, a projection.

        ``A`` (q, p) maps columns, or is a vector (p,) that scales them; a leading axis of ``A`` and ``b`` is that of the folds. Where
        they know the inputs alone, targets stay; without ``b`` a table of the shape of the means holds scales; see
        :class:`epee.moments.affine.Affine`.
        """
        from epee.moments.affine import Affine

        A = np.asarray(A, dtype=np.float64)
        if b is None:
            scales = A.ndim == 1 or A.shape == self.shift.shape
            b = np.zeros(A.shape if scales else A.shape[:-1])
        return Affine(A, np.asarray(b, dtype=np.float64)).of(self)

    def take(self, columns: Sequence[int] | Codes) -> Moments:
        """Return the moments of some columns."""
        c = np.asarray(columns)
        scatter = self.scatter
        if scatter is not None:
            scatter = scatter[..., c] if self.kind == "diagonal" else scatter[..., c[:, None], c]
        return replace(
            self, shift=self.shift[..., c], scatter=scatter, origin=self.origin[c],
            targets=int((c >= self.p).sum()),
        )  # fmt: skip

    def is_finite(self) -> bool:
        """Tell whether every sum is a number: it is not when a cell was NaN, infinite or too large to square."""
        xp = namespace(self.shift)
        if not self.is_here and self.scatter is not None:  # what is centred by such a mean is none either
            return bool(xp.all(xp.isfinite(self.scatter)))
        finite = xp.all(xp.isfinite(self.shift))
        return bool(finite if self.scatter is None else finite & xp.all(xp.isfinite(self.scatter)))

    def to_arrays(self) -> dict[str, np.ndarray]:
        """Return the moments as plain arrays."""
        self = self.here()
        arrays = {"count": self.count, "shift": self.shift, "origin": self.origin, "targets": np.array(self.targets),
                  "axes": np.array(self.axes, dtype="U5"), "kind": np.array(self.kind or "")}  # fmt: skip
        optional = {"scatter": self.scatter, "labels": self.labels}
        return arrays | {name: value for name, value in optional.items() if value is not None}

    @classmethod
    def from_arrays(cls, arrays: dict[str, np.ndarray]) -> Moments:
        """Return the moments that :meth:`to_arrays` wrote."""
        kind: Any = str(arrays["kind"]) or None
        return cls(
            arrays["count"], arrays["shift"], arrays.get("scatter"), arrays["origin"], tuple(map(str, arrays["axes"])), kind,
            int(arrays["targets"]), arrays.get("labels"),
        )  # fmt: skip

    def to_bytes(self) -> bytes:
        """Return the moments as bytes that run no code when read."""
        out = io.BytesIO()
        np.savez(out, **self.to_arrays())  # type: ignore[arg-type]
        return out.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> Moments:
        """Return the moments that :meth:`to_bytes` wrote."""
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            return cls.from_arrays(dict(arrays))


def diagonal_of(m: Moments) -> Moments:
    """Return moments that keep variances alone, here; those of a pooled scatter are those of all groups, so its groups are merged.

    >>> diagonal_of(Moments.of(np.array([[0.0, 1.0], [2.0, 5.0]]))).scatter
    array([2., 8.])
    """
    if m.kind == "diagonal" or m.scatter is None:
        return m.here()
    within = at_home(namespace(m.scatter).linalg.diagonal(m.scatter))
    found = replace(m, count=at_home(m.count), shift=at_home(m.shift), scatter=within, kind="diagonal")
    if m.kind != "pooled" or "group" not in m.axes:
        return found
    weight, axes = found.count[..., None], tuple(a for a in m.axes if a != "group")
    total = weight.sum(axis=-2)  # the groups are the last axis before the columns
    mean = share((weight * found.shift).sum(axis=-2), np.broadcast_to(total, (*total.shape[:-1], m.n_columns)))
    between = (weight * (found.shift - mean[..., None, :]) ** 2).sum(axis=-2)
    return replace(found, count=total[..., 0], shift=mean, scatter=within + between, axes=axes, labels=None)


def brought_here(m: Any) -> Any:
    """Return moments as NumPy's arrays; sums of another kind are here already.

    >>> brought_here(Moments.of(np.zeros((2, 1)))).is_here
    True
    """
    return m.here() if isinstance(m, Moments) else m


def stack(parts: Sequence[Moments], axis: str = "fold") -> Moments:
    """Put moments side by side along a new axis."""
    first = parts[0]
    axes = tuple(a for a in AXES if a in (*first.axes, axis))
    i = axes.index(axis)
    parts = [part.about(first.origin) for part in parts]
    xp = namespace(first.count)
    scatter = None if first.scatter is None else xp.stack([part.scatter for part in parts], axis=i)
    return replace(
        first, count=xp.stack([part.count for part in parts], axis=i), shift=xp.stack([part.shift for part in parts], axis=i),
        scatter=scatter, axes=axes,
    )  # fmt: skip


def _mixed(A: Any, a: Any) -> Any:
    """Return the sums (M, ...) of entries (size, ...) that ``A`` (M, size) asks for."""
    xp = namespace(a)
    return xp.reshape(A @ xp.reshape(a, (a.shape[0], -1)), (A.shape[0], *a.shape[1:]))


def _taken(a: Any, k: int, i: int) -> Any:
    """Return entry ``k`` of axis ``i``."""
    return a[(slice(None),) * i + (k, ...)] if is_elsewhere(a) else np.asarray(a.take(k, axis=i))
