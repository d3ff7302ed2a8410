"""Drawn faces, and folders of images."""

import numpy as np
import pytest

from epee import Eigenfaces, samples
from epee.errors import BadFile, EmptyTable, WrongUse


def test_faces_vary_by_person_pose_and_light():
    sample = samples.faces(noise=0.0)
    assert sample.images.shape == (27, 40, 40) and sample.images.min() >= 0 and sample.images.max() <= 1
    assert len({tuple(t) for t in np.c_[sample.persons, sample.poses, sample.lights].tolist()}) == 27
    turned, lit = (
        (sample.poses == "left") & (sample.lights == "front"),
        (sample.poses == "front") & (sample.lights == "left"),
    )
    straight = (sample.poses == "front") & (sample.lights == "front")
    for other in (turned, lit):
        assert np.abs(sample.images[other] - sample.images[straight]).mean() > 0.01
    mirror = sample.images[lit][:, :, ::-1]
    np.testing.assert_allclose(
        mirror, sample.images[(sample.poses == "front") & (sample.lights == "right")], atol=1e-12
    )


def test_the_seed_rules():
    a, b, c = samples.faces(random_state=1), samples.faces(random_state=1), samples.faces(random_state=2)
    assert np.array_equal(a.images, b.images) and not np.array_equal(a.images, c.images)
    assert len(samples.faces(copies=2).images) == 54


def test_a_person_is_recognised_when_left_out():
    sample = samples.faces()
    rest = np.arange(27) != 13
    model = Eigenfaces(10).fit(sample.images[rest], sample.persons[rest])
    assert model.query(sample.images[13], 1).labels[0] == sample.persons[13]


def test_bad_sizes_are_refused():
    with pytest.raises(WrongUse, match="size is 4"):
        samples.faces(size=4)


def test_a_folder_of_images(tmp_path):
    from PIL import Image

    for person in ("ada", "blaise"):
        (tmp_path / person).mkdir()
        for k in range(2):
            Image.new("RGB", (6, 8), (40 * k, 100, 100)).save(tmp_path / person / f"{k}.png")
    images, persons = samples.faces_from_folder(tmp_path)
    assert images.shape == (4, 8, 6) and persons.tolist() == ["ada", "ada", "blaise", "blaise"]
    assert samples.faces_from_folder(tmp_path, size=(4, 4))[0].shape == (4, 4, 4)
    Image.new("L", (5, 5)).save(tmp_path / "chen-12.png")
    with pytest.raises(BadFile, match="Give size"):
        samples.faces_from_folder(tmp_path)
    assert "chen" in samples.faces_from_folder(tmp_path, size=(4, 4))[1]


def test_folders_that_are_none(tmp_path):
    with pytest.raises(WrongUse, match="not a folder"):
        samples.faces_from_folder(tmp_path / "absent")
    with pytest.raises(EmptyTable, match="holds no image"):
        samples.faces_from_folder(tmp_path)
    (tmp_path / "x.png").write_bytes(b"nothing")
    with pytest.raises(BadFile, match="not an image"):
        samples.faces_from_folder(tmp_path)
