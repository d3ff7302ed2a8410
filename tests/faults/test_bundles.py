"""A predictor's file that was damaged, cut or made by hand is refused with a sentence, quickly and in little memory."""

from __future__ import annotations

import hashlib
import io
import json
import time
import zipfile

import numpy as np
import pytest

import epee
from epee.errors import BadFile
from epee.job.bundle import load_to_predict
from tests.faults.corpus import awkward_table, damaged, one_line, slow


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    path = tmp_path_factory.mktemp("bundle") / "t.epee"
    epee.learn(awkward_table(), "kind", predictors=["tree"], folds=3).save(path)
    return path.read_bytes()


def members(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def sealed(parts):
    """Return a bundle of parts whose checksums agree, as somebody would make it by hand."""
    manifest = json.loads(parts["manifest.json"])
    manifest["members"] = {k: hashlib.sha256(v).hexdigest() for k, v in parts.items() if k != "manifest.json"}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in {**parts, "manifest.json": json.dumps(manifest).encode()}.items():
            archive.writestr(name, data)
    return out.getvalue()


def is_refused(path):
    """Tell whether a file is refused with a sentence; raises what is none."""
    try:
        load_to_predict(path)
    except BadFile as fault:
        return one_line(fault)
    return False


def refused(path, data):
    path.write_bytes(data)
    begin = time.process_time()
    with pytest.raises((BadFile, OSError)) as fault:
        load_to_predict(path)
    assert "\n" not in str(fault.value) and time.process_time() - begin < 20


@pytest.mark.parametrize("count", [150, pytest.param(2000, marks=slow)])
def test_damage_is_noticed(count, bundle, tmp_path):
    rng = np.random.default_rng(count)
    for _ in range(count):
        data = damaged(bundle, rng)
        (tmp_path / "d.epee").write_bytes(data)
        # what is no part of the contents, the date of a member say, may differ
        assert is_refused(tmp_path / "d.epee") or members(data) == members(bundle)


def test_every_array_of_another_shape_is_refused_or_answers(bundle, tmp_path):
    parts = members(bundle)
    for name in (n for n in parts if n.startswith("arrays/")):
        array = np.load(io.BytesIO(parts[name]))
        flat = np.atleast_1d(array.ravel())
        strange = [
            flat[:0],
            np.concatenate([flat, flat]),
            flat[None, None],
            *(np.full(array.shape, v) for v in (-1, 0, 10**6)),
        ]
        for other in strange:
            out = io.BytesIO()
            np.save(out, other.astype(array.dtype))
            (tmp_path / "d.epee").write_bytes(sealed({**parts, name: out.getvalue()}))
            is_refused(tmp_path / "d.epee")  # ends, and what it raises is a sentence


def huge_header():
    out = io.BytesIO()
    np.lib.format.write_array_header_1_0(out, {"descr": "<f8", "fortran_order": False, "shape": (10**12,)})
    return out.getvalue()


@pytest.mark.parametrize(
    ("member", "data"),
    [
        ("predictor.json", b"[" * 100_000 + b"]" * 100_000),
        ("predictor.json", b'{"a":' * 50_000 + b"1" + b"}" * 50_000),
        ("predictor.json", b"null"), ("predictor.json", b"{}"), ("predictor.json", b"\xff\xfe"), ("predictor.json", b"1" * 10_000),
        ("card.json", b"{}"), ("card.json", b"[]"), ("card.json", b"NaN"), ("manifest.json", b"[]"), ("manifest.json", b"{}"),
        ("manifest.json", b'{"format": 99, "members": {}}'), ("arrays/0.npy", huge_header()), ("arrays/0.npy", b""),
        ("arrays/0.npy", b"\x93NUMPY\x01\x00v\x00{'descr': '|O', 'fortran_order': False, 'shape': (1,), }"),
    ],
)  # fmt: skip
def test_parts_made_by_hand(member, data, bundle, tmp_path):
    parts = members(bundle)
    if member.startswith("arrays/"):
        member = next(n for n in parts if n.startswith("arrays/"))
    if member == "manifest.json":
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            for name, part in {**parts, member: data}.items():
                archive.writestr(name, part)
        refused(tmp_path / "d.epee", out.getvalue())
    else:
        refused(tmp_path / "d.epee", sealed({**parts, member: data}))


def test_no_class_but_those_of_the_registry_is_made(bundle, tmp_path):
    parts = members(bundle)
    text = parts["predictor.json"].decode()
    for name in ("os.system", "builtins.eval", "subprocess.Popen", "pathlib.Path", "epee.job.writing.atomic"):
        made = text
        for known in ("DecisionTreeClassifier", "TableEncoder"):
            made = made.replace(known, name)
        assert made != text
        refused(tmp_path / "d.epee", sealed({**parts, "predictor.json": made.encode()}))


def test_a_compressed_bomb_is_refused_before_it_grows(bundle, tmp_path):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", members(bundle)["manifest.json"])
        archive.writestr("predictor.json", b" " * 50_000_000)
    refused(tmp_path / "d.epee", out.getvalue())
