"""Tables that ship with the package, with their origin and licence: ``samples.load("penguins")``."""

from __future__ import annotations

from epee.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    dict.fromkeys(("load", "names", "describe", "path", "SAMPLES", "Sample"), "epee.samples.catalogue")
    | dict.fromkeys(("functional", "bezier", "heights", "Functional", "Bezier", "Heights"), "epee.samples.laws")
    | dict.fromkeys(("digits", "Digits"), "epee.samples.handwriting")
    | dict.fromkeys(("faces", "faces_from_folder", "Faces"), "epee.samples.portraits"),
)
