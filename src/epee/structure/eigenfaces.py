r"""Eigenfaces: images as points, their principal axes as images (Turk and Pentland, 1991).

An image of :math:`p` pixels is a row; with few images the axes come from the small :math:`n \times n` matrix, normalised,
:math:`u = X^{c\top} w / \sqrt{n \lambda}`. A query is projected, :math:`\phi(x) = U_q^\top (x - \bar x)`, and answered by the images
whose projections are nearest, in order. How far it lies from the span of the axes tells whether it is such an image at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from epee.errors import DataError, WrongUse
from epee.estimator.base import NewAxes, Transformer
from epee.estimator.kinds import all_here
from epee.structure.pca import PCA
from epee.typing import Codes, Labels, Matrix, Vector


@dataclass(frozen=True)
class Answer:
    """What a query found: images from the nearest on, their distances, their labels if there are any."""

    indices: Codes
    distances: Vector
    labels: Labels | None = None


class Eigenfaces(NewAxes, Transformer):
    r"""Images on their principal axes, searched by distance there.

    Parameters
    ----------
    n_components : int or None, default=None
        Axes kept, at most :math:`n - 1` that are not zero; None keeps those. More tell finer differences apart.
    whiten : bool, default=False
        Divide each coordinate by its standard deviation, so that no axis rules the distances.
    random_state : int or None
        Seed of the randomised range.

    Attributes
    ----------
    mean_face_ : array (h, w)
    eigenfaces_ : array (q, h, w)
        The axes as images.
    explained_variance_ratio_ : array (q,)
    codes_ : array (n, q)
        The training images on the axes.

    Notes
    -----
    :math:`O(n^2 p)` with fewer images than pixels.

    References
    ----------
    Turk and Pentland, *Journal of Cognitive Neuroscience* 3 (1991).

    Examples
    --------
    >>> images = np.random.default_rng(0).random((6, 8, 8))
    >>> faces = Eigenfaces(3).fit(images)
    >>> faces.eigenfaces_.shape, faces.query(images[4], 1).indices
    ((3, 8, 8), array([4]))
    """

    state_parts = ("_shape",)

    def __init__(self, n_components: int | None = None, *, whiten: bool = False, random_state: Any = None) -> None:
        self.n_components = n_components
        self.whiten = whiten
        self.random_state = random_state

    def _flat(self, images: Any) -> Any:
        """Return images as rows; remember their shape."""
        if isinstance(images, list | tuple):
            shapes = [np.shape(image) for image in images]
            odd = next((i for i, shape in enumerate(shapes) if shape != shapes[0]), None)
            if odd is not None:
                raise DataError(
                    f"image {odd} has shape {shapes[odd]}, and image 0 {shapes[0]}: all must be of one size. Resize them."
                )
        stack = np.asarray(images) if isinstance(images, np.ndarray | list | tuple) else images
        if getattr(stack, "ndim", 2) != 3:
            return images
        self._shape = stack.shape[1:]
        return stack.reshape(len(stack), -1)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the axes of images ``X`` (n, h, w), or of rows (n, p); ``y`` names the images, for answers."""
        self.__dict__.pop("_shape", None)
        X, y = all_here(self, X, y)
        rows = self._enter(self._flat(X), reset=True)
        n = len(rows)
        most = min(n - 1, rows.shape[1])
        if n < 2:
            raise DataError(f"eigenfaces need at least two images; n_samples = {n}.")
        if self.n_components is not None and not 1 <= self.n_components <= most:
            raise WrongUse(f"n_components is {self.n_components!r}; {n} images have between 1 and {most} axes.")
        self.pca_ = PCA(
            most if self.n_components is None else int(self.n_components),
            whiten=self.whiten,
            random_state=self.random_state,
        )
        self.pca_.fit(rows)
        shape = getattr(self, "_shape", (rows.shape[1],))
        self.mean_face_ = self.pca_.mean_.reshape(shape)
        self.eigenfaces_ = self.pca_.components_.reshape(-1, *shape)
        self.explained_variance_ratio_ = self.pca_.explained_variance_ratio_
        self.codes_ = self.pca_._transform(rows)
        self.labels_ = None if y is None else np.asarray(y)
        self._n_features_out = len(self.eigenfaces_)
        return self

    def transform(self, X: Any) -> Matrix:
        """Return images on the axes (n, q)."""
        check_is_fitted(self)
        return self.pca_._transform(self._enter(self._flat(X), reset=False))

    def inverse_transform(self, codes: Any) -> np.ndarray:
        """Return the images that codes (n, q) stand for."""
        check_is_fitted(self)
        return self.pca_.inverse_transform(codes).reshape(-1, *self.mean_face_.shape)

    def _one(self, image: Any) -> Matrix:
        check_is_fitted(self)
        pixels = np.asarray(image, dtype=float).reshape(-1)
        if len(pixels) != self.n_features_in_:
            raise DataError(
                f"the image has {len(pixels)} pixels, and those learned have {self.n_features_in_} features. Resize it."
            )
        return self._enter(pixels[None], reset=False)

    def query(self, image: Any, k: int = 5) -> Answer:
        """Return the ``k`` training images nearest to an image on the axes, in order."""
        code = self.pca_._transform(self._one(image))
        if not 1 <= k <= len(self.codes_):
            raise WrongUse(f"k is {k!r}; it must be between 1 and the {len(self.codes_)} images learned.")
        distances = np.sqrt(((self.codes_ - code) ** 2).sum(axis=1))
        order = np.argsort(distances, kind="stable")[:k]
        return Answer(order, distances[order], None if self.labels_ is None else self.labels_[order])

    def distance_from_face_space(self, image: Any) -> float:
        """Return how far an image lies from the span of the axes: small for an image of the kind learned."""
        D = self._one(image) - self.pca_.mean_
        return float(np.linalg.norm(D - (D @ self.pca_.components_.T) @ self.pca_.components_))

    def plot(self, most: int = 8, axes: Any = None) -> Any:
        """Draw the mean image and the first axes as images."""
        from epee.figures.projections import draw_images

        check_is_fitted(self)
        if self.mean_face_.ndim != 2:
            raise WrongUse("these rows have no image shape: fit an array (n, height, width).")
        share = 100 * self.explained_variance_ratio_
        titles = ["mean", *(f"axis {j + 1}: {share[j]:.1f} %" for j in range(min(most, len(share))))]
        return draw_images(np.concatenate([self.mean_face_[None], self.eigenfaces_[:most]]), titles, axes)
