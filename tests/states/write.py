"""Write the states of the current version: ``python -m tests.states.write``; those of a released version are never written again."""

from __future__ import annotations

import sys

import epee
from epee.estimator.registry import METHODS
from tests.states.samples import FOLDER, answers, fitted, to_bytes


def main(names: list[str]) -> None:
    """Write the file of each method, or of those named."""
    folder = FOLDER / epee.__version__
    folder.mkdir(parents=True, exist_ok=True)
    for method in METHODS:
        if not names or method.name in names:
            model = fitted(method)
            (folder / f"{method.name}.npz").write_bytes(to_bytes(model, answers(method, model)))


if __name__ == "__main__":
    main(sys.argv[1:])
