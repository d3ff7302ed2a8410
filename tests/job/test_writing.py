"""Where results may be written: never over an input, never over what somebody else wrote, through links and pipes."""

from __future__ import annotations

import os
import stat

import pytest

from epee.errors import WrongUse
from epee.job.writing import anything, atomic, check_place, check_places, is_bundle, is_page
from epee.table.named_files import files_named


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("a,y\n1,2\n")
    return tmp_path


def others(folder):
    return sorted(p.name for p in folder.iterdir())


@pytest.mark.parametrize("name", ["t.csv", "./t.csv", "sub/../t.csv", "soft", "hard", "soft of soft"])
def test_an_input_is_refused_under_whichever_name(folder, name):
    (folder / "sub").mkdir()
    os.symlink("t.csv", "soft")
    os.link("t.csv", "hard")
    os.symlink("soft", "soft of soft")
    for force in (False, True):
        with pytest.raises(WrongUse, match="overwritten"):
            check_places([(name, anything)], ["t.csv"], force)
    with pytest.raises(WrongUse, match="overwritten"):
        check_places([("t.csv", anything)], [name])


def test_two_outputs_are_two_files():
    for names in [("new", "new"), ("new", "./new")]:
        with pytest.raises(WrongUse, match="overwritten"):
            check_places([(name, anything) for name in names])
    os.symlink("new", "link")  # to what is not there yet
    with pytest.raises(WrongUse, match="overwritten"):
        check_places([("new", anything), ("link", anything)])
    check_places([("/dev/null", anything), ("/dev/null", anything)])


def test_a_file_of_others_needs_force(folder):
    for mark in (is_bundle, is_page):
        with pytest.raises(WrongUse, match="--force"):
            check_places([("t.csv", mark)])
        check_places([("t.csv", mark)], force=True)
    (folder / "empty").write_text("")
    check_places([("empty", is_page), ("absent", is_page), (None, is_page)])


def test_folders_patterns_and_queries_name_their_files(folder):
    (folder / "parts").mkdir()
    (folder / "parts/a.csv").write_text("")
    for table in (
        "parts",
        "parts/*.csv",
        "SELECT * FROM 'parts/*.csv'",
        'FROM "parts/a.csv"',
        "select 1 from './parts/a.csv'",
    ):
        with pytest.raises(WrongUse, match="overwritten"):
            check_places([("parts/a.csv", anything)], files_named(table), True)
    with pytest.raises(WrongUse, match="overwritten"):
        check_places([("parts/b.csv", anything)], files_named("parts"), True)  # would become part of the table
    check_places([("parts/t.epee", anything)], files_named("parts"))


def test_a_link_is_followed_and_stays(folder):
    (folder / "real").write_text("before")
    os.chmod("real", 0o640)
    os.symlink("real", "link")
    os.symlink("later", "dangling")
    for name, real in (("link", "real"), ("dangling", "later")):
        with atomic(name, text=True) as stream:
            stream.write("after")
        assert os.path.islink(name) and (folder / real).read_text() == "after"
    assert stat.S_IMODE(os.stat("real").st_mode) == 0o640
    os.symlink("loop", "loop")
    with pytest.raises(OSError, match="loop"):
        check_place("loop")


def test_a_failure_leaves_what_was_there(folder):
    before = others(folder)
    with pytest.raises(ValueError, match="I/O"), atomic("t.csv", text=True) as stream:
        stream.close()
    assert (folder / "t.csv").read_text() == "a,y\n1,2\n" and others(folder) == before


def test_pipes_devices_and_descriptors_are_written_through(folder):
    device = os.stat("/dev/null")
    for text, content in ((True, "words"), (False, b"bytes")):
        with atomic("/dev/null", text) as stream:
            stream.write(content)
    assert os.stat("/dev/null") == device or stat.S_ISCHR(os.stat("/dev/null").st_mode)
    out, into = os.pipe()
    with atomic(f"/dev/fd/{into}") as stream:
        stream.write(b"x")
        stream.seek(0)  # as writers of archives do
        stream.write(b"y")
    os.close(into)
    assert os.read(out, 10) == b"y"
    os.close(out)
    with pytest.raises(FileNotFoundError, match="no open file"):
        check_place("/dev/fd/999")
    with pytest.raises(WrongUse, match="folder"):
        check_place(folder)


def test_a_file_that_may_not_be_written(folder, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write anywhere
    with pytest.raises(PermissionError, match="may not be written"):
        check_place("t.csv")


def test_our_own_files_are_known(folder):
    import zipfile

    with zipfile.ZipFile("other.zip", "w") as other:
        other.writestr("data.csv", "1")
    with zipfile.ZipFile("ours.epee", "w") as ours:
        ours.writestr("manifest.json", "{}")
    check_places([("ours.epee", is_bundle)])
    with pytest.raises(WrongUse, match="--force"):
        check_places([("other.zip", is_bundle)])
    with pytest.raises(WrongUse, match="--force"):
        check_places([("ours.epee", is_page)])  # a report does not replace a predictor
