"""Tables that ship with the package, with their origin and licence: ``samples.load("penguins")``."""

from __future__ import annotations

from epee.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {name: "epee.samples.catalogue" for name in ("load", "names", "describe", "path", "SAMPLES", "Sample")}
    | {name: "epee.samples.portraits" for name in ("faces", "faces_from_folder", "Faces")},
)
