"""What arrays are taken, converted and refused."""

import numpy as np
import pytest

import kinetree as kt

TRIANGLE = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32)


def add(triangles=((0, 1, 2),), positions=TRIANGLE, **motion):
    scene = kt.Scene(fps=24)
    scene.add("body", triangles, positions, **motion)
    return scene


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int8, np.int64, np.uint16])
def test_numbers_of_any_type_are_converted(dtype):
    scene = add(positions=TRIANGLE.astype(dtype))
    assert scene.positions("body", 0.0).tolist() == TRIANGLE.tolist()


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint8, np.uint64])
def test_indices_of_any_integer_type_are_converted(dtype):
    assert add(np.array([[0, 1, 2]], dtype)).triangles("body").tolist() == [[0, 1, 2]]


def test_views_without_a_contiguous_layout_are_copied():
    wide = np.zeros((3, 6), np.float32)
    wide[:, ::2] = TRIANGLE
    turned = np.asfortranarray(TRIANGLE)
    for positions in (wide[:, ::2], turned, TRIANGLE[::-1][::-1]):
        assert add(positions=positions).positions("body", 0.0).tolist() == TRIANGLE.tolist()


def test_arrays_that_are_not_aligned_are_copied():
    bytes_before = np.frombuffer(b"." + TRIANGLE.tobytes(), np.uint8)[1:]
    unaligned = bytes_before.view(np.float32).reshape(3, 3)
    assert not unaligned.flags.aligned
    assert add(positions=unaligned).positions("body", 0.0).tolist() == TRIANGLE.tolist()


def test_read_only_arrays_are_taken():
    frozen = TRIANGLE.copy()
    frozen.setflags(write=False)
    assert add(positions=frozen).positions("body", 0.0).tolist() == TRIANGLE.tolist()


def test_later_writes_to_the_array_change_nothing():
    mine = TRIANGLE.copy()
    scene = add(positions=mine)
    mine[:] = 7
    assert scene.positions("body", 0.0).tolist() == TRIANGLE.tolist()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ({"positions": TRIANGLE[:, :2]}, "Shape", "positions: the shape is (3, 2), and (n, 3) is needed"),
        ({"positions": TRIANGLE[None]}, "Shape", "positions: the shape is (1, 3, 3)"),
        ({"positions": TRIANGLE.astype(complex)}, "Dtype", "positions: numbers are needed, not dtype complex128"),
        ({"positions": TRIANGLE > 0}, "Dtype", "not booleans"),
        ({"positions": [["a", "b", "c"]]}, "Dtype", "numbers are needed"),
        ({"positions": TRIANGLE.astype(float) * 1e39}, "Range", "beyond the range of float32"),
        ({"triangles": [[0, 1, -2]]}, "Range", "triangles: -2 at [0, 2] is no index"),
        ({"triangles": [[0.0, 1.0, 2.0]]}, "Dtype", "indices are whole numbers"),
        ({"triangles": [[0, 1]]}, "Shape", "triangles: the shape is (1, 2)"),
        ({"triangles": [[0, 1, 2**40]]}, "Range", "is no index of a vertex"),
        ({"positions": None, "frames": np.zeros((0, 3, 3))}, "Shape", "there are none"),
        ({"positions": None, "frames": np.zeros((2, 3, 3)), "times": [0.0]}, "Shape", "times: the shape is (1,)"),
        ({"positions": None}, "Option", "positions or frames"),
        ({"positions": None, "frames": np.zeros((2, 3, 3)), "velocity": (0, 0, 1)}, "Option", "give one of them"),
        ({"frames": np.zeros((2, 4, 3))}, "Shape", "frames: 4 vertices a frame, and positions has 3"),
        ({"transforms": np.zeros((2, 3, 4))}, "Shape", "transforms: the shape is (2, 3, 4)"),
        ({"outside": "bounce"}, "Option", "'bounce' is none of"),
        ({"positions": None, "frames": np.zeros((2, 3, 3)), "fps": 0}, "Option", "fps: 0"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(arguments, code, words):
    with pytest.raises(kt.InputError) as refused:
        add(**arguments)
    assert words in str(refused.value)
    assert refused.value.code == code
    assert isinstance(refused.value, kt.KinetreeError)


def test_numbers_that_are_none_are_refused_by_the_engine_with_vertex_and_body():
    broken = np.stack([TRIANGLE, TRIANGLE])
    broken[1, 2, 0] = np.nan
    scene = kt.Scene(fps=24)
    scene.add("cape", [[0, 1, 2]], frames=broken)
    scene.add("floor", [[0, 1, 2]], TRIANGLE)
    with pytest.raises(kt.KinetreeError, match="cape.*NaN"):
        kt.check(scene)


def test_triangles_that_name_no_vertex_are_refused():
    scene = add([[0, 1, 3]])
    with pytest.raises(kt.KinetreeError, match="body"):
        kt.check(scene)


def test_names_are_unique():
    scene = add()
    with pytest.raises(kt.InputError, match="there is a body 'body' already"):
        scene.add("body", [[0, 1, 2]], TRIANGLE)
    with pytest.raises(kt.InputError, match="a body needs a name"):
        scene.add(" ", [[0, 1, 2]], TRIANGLE)
    with pytest.raises(kt.InputError, match="there is no body 'ball'; there are body"):
        scene.positions("ball", 0.0)
