"""The file of a learned predictor, ``table.epee``: a zip of JSON and plain arrays, with a format number and checksums.

==================  ===========================================================================
member              what it holds
==================  ===========================================================================
``manifest.json``   ``{"format", "epee", "members": {name: SHA-256}}``
``card.json``       the card (:mod:`epee.job.card`)
``predictor.json``  the predictor as JSON values (:mod:`epee.job.state`)
``arrays/k.npy``    its arrays
``guests/k.pickle`` of a predictor of another library, what that library made
==================  ===========================================================================

Nothing of épée's is pickled and nothing is compressed: a file cannot run code, and cannot grow when it is read. One that holds a
predictor of another library has a pickle, and is refused unless the one who loads it says that it may run code. A file is written beside
its place and moved there when it is whole.
"""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from epee.errors import BadFile, WrongUse
from epee.job.learned import Learned
from epee.job.past import Past
from epee.job.predictor import Predictor
from epee.job.state import Reader, Writer
from epee.job.writing import atomic
from epee.risk.estimate import Risk
from epee.risk.intervals import Interval
from epee.risk.kept_ends import KeptEnds

FORMAT = 3  # 2: before predictors of other libraries; 1: before estimators said their own state; both read still
PLAIN = 2  # what a file without such a predictor says, so that older versions read it
_STAMP = (2020, 1, 1, 0, 0, 0)  # the same predictor gives the same bytes


def save(learned: Learned, path: str | Path) -> Path:
    """Write a learned predictor; the file is there whole, or not at all."""
    members = members_of(learned)
    with atomic(path) as stream, zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as bundle:
        for name, data in members.items():
            bundle.writestr(zipfile.ZipInfo(name, _STAMP), data)
    return Path(path)


def members_of(learned: Learned) -> dict[str, bytes]:
    """Return the members of the file, the manifest first."""
    from epee import __version__

    p = learned.predictor
    writer = Writer()
    try:
        model = writer.write(p.model)
    except WrongUse as fault:
        raise WrongUse(f"this predictor cannot be saved: {fault}") from None
    state = {
        "task": p.task, "targets": list(p.targets), "encoder": writer.write(p.encoder), "model": model,
        "residuals": writer.write(p.residuals), "drift": writer.write(p.drift), "background": writer.write(p.background),
        "past": None if p.past is None else writer.write(p.past.to_state()),
        "ends": None if learned.risk.ends_at is None else writer.write(KeptEnds.of(learned.risk.ends_at, learned.risk.level).table),
        "sealed_rows": writer.write(np.sort(learned.sealed_rows)), "training_rows": writer.write(np.sort(learned.training_rows)),
    }  # fmt: skip
    members = {"card.json": _json(learned.card), "predictor.json": _json(state)}
    for name, array in writer.arrays.items():
        out = io.BytesIO()
        np.lib.format.write_array(out, array, allow_pickle=False)
        members[f"arrays/{name}"] = out.getvalue()
    members |= {f"guests/{name}": data for name, data in writer.pickles.items()}
    sums = {name: hashlib.sha256(data).hexdigest() for name, data in members.items()}
    manifest = {"format": FORMAT if writer.pickles else PLAIN, "epee": __version__, "members": sums}
    return {"manifest.json": _json(manifest), **members}


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False).encode()


def load(path: str | Path, *, trusted: bool = False) -> Learned:
    """Return what :meth:`Learned.save` wrote; never runs code from the file, unless it is trusted.

    A file that is truncated, edited, of another kind or of a later format is refused with a sentence.

    Parameters
    ----------
    path : str or path
        A file written by ``Learned.save``.
    trusted : bool, default=False
        Load a predictor of another library, too, which runs code from the file: say so only of a file whose writer you know.

    Examples
    --------
    >>> import epee
    >>> learned = epee.load("penguins.epee")  # doctest: +SKIP
    >>> learned.predictor.predict(epee.samples.load("penguins"))  # doctest: +SKIP
    """
    name = os.path.basename(os.fspath(path))
    try:
        return _learned(_members(path, name), name, trusted)
    except BadFile as fault:
        text = str(fault)
        raise BadFile(text if text.startswith(name) else f"{name}: {text}") from None
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError, ImportError, AssertionError) as fault:
        raise BadFile(
            f"{name} was edited or is damaged ({type(fault).__name__}); learn again, or take the original file."
        ) from fault


def load_to_predict(path: str | Path, trusted: bool = False) -> Learned:
    """Return what :func:`load` does, after one row of missing cells has been predicted: a file edited with care is refused too."""
    learned = load(path, trusted=trusted)
    p = learned.predictor
    try:
        row = p.encoder.empty_row[None]
        answers = [p.model.predict(row), *([p.model.predict_proba(row)] if p.has_probabilities else [])]
        if any(len(answer) != 1 for answer in answers):
            raise ValueError("one row has other than one answer")
    except (MemoryError, OSError):
        raise
    except Exception as fault:  # whatever strange values may lead to
        raise BadFile(
            f"{os.path.basename(os.fspath(path))} was edited or is damaged: its predictor cannot answer ({type(fault).__name__}); "
            "learn again, or take the original file."
        ) from fault
    return learned


def _members(path: str | Path, name: str) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(path) as bundle:
            infos = bundle.infolist()
            names = [info.filename for info in infos]
            if "manifest.json" not in names:
                raise BadFile(f"{name} is a zip archive, but no predictor of épée.")
            if len(set(names)) != len(names) or any(info.compress_type != zipfile.ZIP_STORED for info in infos):
                raise BadFile(f"{name} was edited: its parts are not as épée writes them.")
            return {info.filename: bundle.read(info) for info in infos}
    except zipfile.BadZipFile as fault:
        with open(path, "rb") as stream:
            head = stream.read(4)
        what = "is truncated or damaged" if head == b"PK\x03\x04" else "is no predictor of épée"
        raise BadFile(f"{name} {what} ({str(fault).lower().rstrip('.')}); give a file that epee learn wrote.") from None
    except (EOFError, NotImplementedError, OverflowError) as fault:
        raise BadFile(f"{name} is truncated or damaged ({fault}).") from None
    except OSError as fault:
        if fault.errno != errno.EINVAL:  # a damaged place that lies before the file
            raise
        raise BadFile(f"{name} is truncated or damaged (a part lies nowhere).") from None


def _learned(members: dict[str, bytes], name: str, trusted: bool) -> Learned:
    manifest = json.loads(members["manifest.json"])
    if not isinstance(manifest["format"], int) or manifest["format"] < 1:
        raise BadFile(f"{name} has no format number that makes sense.")
    if manifest["format"] > FORMAT:
        raise BadFile(
            f"{name} has format {manifest['format']}, and this version of épée reads up to {FORMAT}: update épée."
        )
    if set(manifest["members"]) != set(members) - {"manifest.json"}:
        raise BadFile(f"{name} was edited or is damaged: its parts are not those of its manifest.")
    for member, sum_ in manifest["members"].items():
        if hashlib.sha256(members[member]).hexdigest() != sum_:
            raise BadFile(f"{name} was edited or is damaged: the checksum of {member} does not agree.")
    arrays = {m.removeprefix("arrays/"): _array(data, name) for m, data in members.items() if m.startswith("arrays/")}
    state, card = json.loads(members["predictor.json"]), json.loads(members["card.json"])
    pickles = {m.removeprefix("guests/"): data for m, data in members.items() if m.startswith("guests/")}
    reader = Reader(arrays, pickles, trusted)
    predictor = Predictor(
        str(state["task"]), tuple(map(str, state["targets"])), reader.read(state["encoder"]), reader.read(state["model"]),
        reader.read(state["residuals"]), reader.read(state["drift"]), reader.read(state["background"]) if "background" in state else None,
        Past.from_state(reader.read(state["past"])) if state.get("past") is not None else None,
    )  # fmt: skip
    t = card["test"]
    value, level, kept = float(t["value"]), float(t["level"]), state.get("ends")
    ends = Interval(
        *(value if t[end] is None else float(t[end]) for end in ("low", "high"))
    )  # none were said where all losses are equal
    risk = Risk(
        value, float(t["stderr"] or 0.0), ends, level, float(t["n"]), str(t["loss"]), str(t["how"]),
        caution=str(t.get("caution") or ""),
        ends_at=KeptEnds.alone(ends, level) if kept is None else KeptEnds(reader.read(kept)),
    )  # fmt: skip
    for promised in (card["settings"]["level"], card["rows"]["training"]):
        float(promised)
    facts = {key: value for key, value in card.items() if key not in ("format", "epee", "findings")}
    learned = Learned(predictor, risk, facts, card["findings"])
    learned.sealed_rows, learned.training_rows = reader.read(state["sealed_rows"]), reader.read(state["training_rows"])
    return learned


def _array(data: bytes, name: str) -> np.ndarray:
    """Return an array whose header fits its bytes; nothing larger than the file is allocated."""
    stream = io.BytesIO(data)
    version = np.lib.format.read_magic(stream)
    reader = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}.get(version)
    if reader is None:
        raise BadFile(f"{name} holds an array of an unknown format.")
    shape, _, dtype = reader(stream)
    if dtype.hasobject or int(np.prod(shape, dtype=object)) * dtype.itemsize != len(data) - stream.tell():
        raise BadFile(f"{name} was edited or is damaged: an array does not fit its header.")
    return np.lib.format.read_array(io.BytesIO(data), allow_pickle=False)
