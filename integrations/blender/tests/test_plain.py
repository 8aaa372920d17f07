"""The part of the add-on that needs no Blender."""

import struct
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from kinetree_addon import plain  # noqa: E402

kt = pytest.importorskip("kinetree")

QUAD = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], np.float32)
HALVES = np.array([[0, 1, 2], [0, 2, 3]])


def two_bodies():
    """A quad that falls through another from frame 10 to frame 14, at 24 frames a second."""
    heights = np.array([1, 0.5, 0, -0.5, -1], np.float32)
    falling = np.stack([QUAD + [0.1, 0.2, height] for height in heights]).astype(np.float32)
    faces = np.array([0, 0])
    bodies = [plain.Body("floor", HALVES, faces, np.stack([QUAD] * 5)), plain.Body("ball", HALVES, faces, falling)]
    return bodies, np.arange(10, 15) / 24


def incident(a, b, triangles_a, triangles_b, severity, **more):
    return SimpleNamespace(a=a, b=b, triangles_a=triangles_a, triangles_b=triangles_b, severity=severity, **more)


def test_findings_are_told_by_frames_of_the_scene():
    bodies, times = two_bodies()
    result = kt.check(plain.scene_of(bodies, times, 24.0), times=times)
    (row,) = plain.rows(result.incidents, 24.0)
    assert (row.a, row.b, row.first, row.last, row.worst) == ("floor", "ball", 12, 12, 12.0)
    assert row.text.startswith("floor / ball, frame 12, ")
    between = [SimpleNamespace(number=1, a="a", b="a", begin=0.51, end=0.52, worst_time=0.515, first_frame=None,
                               last_frame=None, depth=None, length=0.25)]
    (row,) = plain.rows(between, 24.0)
    assert (row.text, row.first, row.last, row.worst) == ("a, frames 12 to 13, 250 mm long", 12, 13, 12.36)


def test_faces_take_the_worst_severity():
    bodies, _ = two_bodies()
    bodies[0].faces = np.array([4, -1])
    incidents = [incident("floor", "ball", np.array([0, 1]), np.array([1]), 2.0),
                 incident("floor", "floor", np.array([0]), np.array([0]), 1.0)]
    severities = plain.touched(incidents, bodies)
    assert severities == {"floor": {4: 2.0}, "ball": {0: 2.0}}
    strength = plain.strengths({"a": {1: 4.0, 2: 1.0}, "b": {0: 0.0}})
    assert strength == {"a": {1: 1.0, 2: 0.4375}, "b": {0: 0.25}}
    assert plain.strengths({"a": {}}) == {"a": {}}
    shared = {"a": {1: 4.0, 2: 1.0}, "b": {2: 3.0}, "c": {}, "d": {1: 9.0}}
    assert plain.by_mesh(shared, {"a": "one", "b": "one", "c": "one"}) == {"one": {1: 4.0, 2: 3.0}}
    colours = plain.corner_colours(strength["a"], np.array([3, 4, 3]))
    assert colours.shape == (10, 4) and (colours[:3] == 1).all()
    assert colours[3:7].tolist() == [[1, 0, 0, 1]] * 4 and colours[7].tolist() == [1, 0.5625, 0.5625, 1]
    weights = plain.vertex_weights(strength["a"], {1: [0, 1, 2, 3], 2: [3, 4, 5]})
    assert weights == {0: 1.0, 1: 1.0, 2: 1.0, 3: 1.0, 4: 0.4375, 5: 0.4375}


def test_a_written_scene_is_the_scene(tmp_path):
    bodies, times = two_bodies()
    bodies[1].name = 'a "ball" \\ é'
    bodies[1].frames[:, :, 0] += np.float32(1 / 3)
    path = plain.write_scene(tmp_path / "new", bodies, times, 24.0, self_contact=True, thickness=0.001)
    read = kt.Scene.read(path)
    assert read.names == ["floor", 'a "ball" \\ é'] and read.span == (10 / 24, 14 / 24)
    made = plain.scene_of(bodies, times, 24.0, self_contact=True, thickness=0.001)
    assert kt.check(read).to_bytes(stats=False) == kt.check(made).to_bytes(stats=False)
    header = (tmp_path / "new/body_001.pc2").read_bytes()[:32]
    assert struct.unpack("<12siiffi", header) == (b"POINTCACHE2\0", 1, 4, 0.0, 1.0, 5)
    assert not (tmp_path / "new/body_000.pc2").exists()
