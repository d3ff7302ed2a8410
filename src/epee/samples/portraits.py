r"""Faces: a small generator of face-like images, and the reading of a folder of real ones.

Real faces cannot ship with a library; these are drawn. A face is a sum of soft shapes (head, hair, brows, eyes, nose, mouth) whose
sizes belong to the person; the pose shifts the features across the head, and the light is a shading
:math:`1 + g\,u` along a direction :math:`u`. So persons, poses and lights are three factors of variation, as in the photographs that
eigenfaces were made for.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from epee.errors import BadFile, EmptyTable, WrongUse

SIZE = 40
# head width, hair line, eye distance, eye size, brow, nose length, mouth width, mouth curve, skin, hair
PERSONS = {
    "Ada": (0.634, -0.534, 0.3, 0.085, 0.01, 0.3, 0.2, 0.1, 0.766, 0.194),
    "Blaise": (0.712, -0.618, 0.36, 0.07, 0.035, 0.38, 0.28, -0.04, 0.676, 0.345),
    "Chen": (0.673, -0.482, 0.26, 0.1, 0.02, 0.24, 0.24, 0.02, 0.721, 0.113),
}
POSES = {"left": -0.22, "front": 0.0, "right": 0.22}
LIGHTS = {"left": -0.45, "front": 0.0, "right": 0.45}


@dataclass(frozen=True)
class Faces:
    """Images (n, h, w) between 0 and 1, and who, how turned and how lit each is."""

    images: np.ndarray
    persons: np.ndarray
    poses: np.ndarray
    lights: np.ndarray


def faces(*, size: int = SIZE, noise: float = 0.02, copies: int = 1, random_state: Any = 0) -> Faces:
    """Draw three persons in three poses under three lights.

    Parameters
    ----------
    size : int
        Height and width in pixels.
    noise : float
        Standard deviation of the grain; more hides the features.
    copies : int
        Images of each combination, apart by their grain and a slight change of expression.
    random_state : int

    Examples
    --------
    >>> sample = faces()
    >>> sample.images.shape, sorted(set(sample.persons.tolist()))
    ((27, 40, 40), ['Ada', 'Blaise', 'Chen'])
    """
    if size < 8 or copies < 1 or noise < 0:
        raise WrongUse(f"size is {size}, copies {copies}, noise {noise}; they must be at least 8, 1 and 0.")
    rng = np.random.default_rng(random_state)
    images, labels = [], []
    for person, traits in PERSONS.items():
        for pose, turn in POSES.items():
            for light, side in LIGHTS.items():
                for _ in range(copies):
                    smile = 0.03 * rng.standard_normal() if copies > 1 else 0.0
                    grain = noise * rng.standard_normal((size, size))
                    images.append(np.clip(_face(traits, turn, side, smile, size) + grain, 0, 1))
                    labels.append((person, pose, light))
    who, how, lit = (np.array(column) for column in zip(*labels, strict=True))
    return Faces(np.array(images), who, how, lit)


def _face(traits: tuple[float, ...], turn: float, side: float, smile: float, size: int) -> np.ndarray:
    width, hairline, apart, eye, brow, nose, mouth, curve, skin, hair = traits
    v, u = np.mgrid[-1 : 1 : size * 1j, -1 : 1 : size * 1j]  # down, across
    head = _soft(((u - 0.12 * turn) / width) ** 2 + ((v - 0.06) / 0.88) ** 2 - 1)
    picture = 0.92 * (1 - head) + skin * head
    scalp = _soft(((u - 0.12 * turn) / (width + 0.05)) ** 2 + ((v - 0.02) / 0.95) ** 2 - 1)
    line = scalp * _soft((v - hairline - 0.25 * ((u - 0.3 * turn) / width) ** 2) * 8)
    picture = picture * (1 - line) + hair * line
    x = u - turn  # the features move across the head as it turns
    for s in (-1, 1):
        near = 1 - 0.6 * max(s * turn, 0.0)  # the far eye looks smaller
        at = x - s * apart * near
        _dab(picture, 0.10, (at / (eye * near)) ** 2 + ((v + 0.12) / (0.7 * eye)) ** 2)
        _dab(picture, 0.25, (at / (1.8 * eye * near)) ** 2 + ((v + 0.30 - brow) / (0.03 + brow)) ** 2)
    _dab(picture, skin - 0.18, ((x - 0.25 * turn) / 0.05) ** 2 + ((v - 0.10) / (0.6 * nose)) ** 2, 0.7)
    _dab(picture, 0.30, (x / mouth) ** 2 + ((v - 0.52 + (curve + smile) * ((x / mouth) ** 2 - 0.5)) / 0.045) ** 2)
    return picture * (1 + side * u * head) * 0.95


def _soft(level: np.ndarray) -> np.ndarray:
    """Return about 1 where the level is negative, about 0 where positive."""
    return 1 / (1 + np.exp(np.clip(12 * level, -40, 40)))


def _dab(picture: np.ndarray, tone: float, level: np.ndarray, strength: float = 1.0) -> None:
    cover = strength * np.exp(-(level**1.5))
    picture *= 1 - cover
    picture += tone * cover


def faces_from_folder(path: str | Path, *, size: tuple[int, int] | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Read the images of a folder as grey levels; the name of the sub-folder, or of the file before its last dash or digit, is the person.

    Parameters
    ----------
    path : folder
        With PNG, JPEG, PGM, TIFF, BMP or GIF files, straight in it or one folder a person (as the Olivetti and Yale faces come).
    size : (height, width), optional
        What every image is resized to; None asks that they be all alike.

    Returns
    -------
    images : array (n, h, w) between 0 and 1
    persons : array (n,) of str
    """
    from PIL import Image, UnidentifiedImageError

    folder = Path(path)
    if not folder.is_dir():
        raise WrongUse(f"{folder} is not a folder of images.")
    endings = {".png", ".jpg", ".jpeg", ".pgm", ".tif", ".tiff", ".bmp", ".gif"}
    files = sorted(f for f in folder.rglob("*") if f.suffix.lower() in endings)
    if not files:
        raise EmptyTable(f"{folder} holds no image (png, jpg, pgm, tif, bmp or gif).")
    images, persons = [], []
    for file in files:
        try:
            with Image.open(file) as opened:
                grey = opened.convert("L")
                images.append(
                    np.asarray(grey if size is None else grey.resize((size[1], size[0])), dtype=np.float64) / 255
                )
        except (UnidentifiedImageError, OSError) as error:
            raise BadFile(f"{file} is not an image that can be read: {error}.") from error
        if images[-1].shape != images[0].shape:
            raise BadFile(
                f"{file} has {images[-1].shape} pixels, {files[0]} has {images[0].shape}. Give size=(height, width)."
            )
        persons.append(
            file.parent.name if file.parent != folder else file.stem.rstrip("0123456789").rstrip("-_ ") or file.stem
        )
    return np.array(images), np.array(persons)
