"""Files that are written whole or not at all."""

import copy
import os
import pickle
import stat
import sys

import numpy as np
import pytest

import kinetree as kt

TRIANGLE = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float)


@pytest.fixture(scope="module")
def scene():
    made = kt.Scene(fps=24)
    made.add("floor", [[0, 1, 2]], TRIANGLE)
    made.add("ball", [[0, 1, 2]], frames=[TRIANGLE + [0, 0, 1], TRIANGLE - [0, 0, 1]], times=[0, 1])
    return made


@pytest.fixture(scope="module")
def writers(scene):
    result, baked = kt.check(scene), kt.bake(scene)
    return [
        result.to_json,
        baked.write,
        lambda path: result.report(path, pictures=0),
        lambda path: scene.render(path, 0.5, size=(64, 48)),
    ]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs limits of file sizes")
def test_a_write_that_fails_leaves_the_earlier_file(tmp_path, writers):
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    for write in writers:
        place = tmp_path / "accepted"
        place.write_bytes(b"accepted")
        resource.setrlimit(resource.RLIMIT_FSIZE, (50, before[1]))
        try:
            with pytest.raises(kt.FileError, match="accepted: the file cannot be written") as refused:
                write(place)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert refused.value.code == "Write" and place.read_bytes() == b"accepted"
        assert os.listdir(tmp_path) == ["accepted"], "no part is left behind"


def test_files_are_replaced(tmp_path, writers):
    for write in writers:
        place, link = tmp_path / "new", tmp_path / "link"
        write(place)
        whole = place.read_bytes()
        place.write_bytes(b"earlier")
        place.chmod(0o640)
        link.symlink_to(place)
        write(link)
        assert place.read_bytes() == whole and link.is_symlink()
        assert stat.S_IMODE(place.stat().st_mode) == 0o640 and len(os.listdir(tmp_path)) == 2
        place.unlink(), link.unlink()


def test_errors_name_the_file(tmp_path, writers):
    for write in writers:
        for place in (tmp_path / "absent" / "file", tmp_path):
            with pytest.raises(kt.FileError, match=tmp_path.name) as refused:
                write(place)
            assert refused.value.code == "Write"
    for read in (kt.read_result, lambda path: kt.merge([path])):
        with pytest.raises(kt.FileError, match="absent.*No such file") as refused:
            read(tmp_path / "absent")
        assert refused.value.code == "Read"


@pytest.mark.skipif(os.name != "posix", reason="needs pipes")
def test_pipes_are_written_to(tmp_path, scene):
    import threading

    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    result = kt.check(scene)
    result.to_json(pipe)
    reader.join(60)
    assert read == [result.to_bytes()]


def test_copies_of_results_keep_their_scene(tmp_path, scene):
    result = kt.check(scene)
    for copied in (copy.copy(result), copy.deepcopy(result)):
        assert copied.failing("contacts") == result.failing("contacts") == result.incidents
        copied.report(tmp_path / "report.html", pictures=0)
    again = pickle.loads(pickle.dumps(result))
    with pytest.raises(kt.InputError, match="read without its scene"):
        again.failing("contacts")
    assert again.incidents == result.incidents
