"""Alembic archives, written with the libraries that read them."""

import numpy as np
import pytest

import kinetree as kt

alembic = pytest.importorskip("kinetree.alembic", reason="alembic3d is not installed", exc_type=ImportError)
imath = pytest.importorskip("imath")
from alembic3d import AbcGeom, Abc  # noqa: E402
import alembic3d.AbcCoreAbstract as core  # noqa: E402

SQUARE = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], float)
#: Clockwise seen from above, as Alembic has it.
FACE = [0, 3, 2, 1]


def filled(kind, values):
    array = kind(len(values))
    for place, value in enumerate(values):
        array[place] = value
    return array


def points(rows):
    return filled(imath.V3fArray, [imath.V3f(*map(float, row)) for row in rows])


def sample(rows, corners=None, counts=None):
    if corners is None:
        return AbcGeom.OPolyMeshSchemaSample(points(rows))
    return AbcGeom.OPolyMeshSchemaSample(points(rows), filled(imath.IntArray, corners), filled(imath.IntArray, counts))


def lifted(*translation):
    made = AbcGeom.XformSample()
    made.setTranslation(imath.V3d(*translation))
    return made


@pytest.fixture
def shot(tmp_path):
    """A still floor, and a sheet that sinks by its points while its parent sinks too."""
    path = tmp_path / "shot.abc"
    archive = Abc.OArchive(str(path))
    rate = archive.addTimeSampling(core.TimeSampling(1 / 24, 0.0))
    top = archive.getTop()
    floor = AbcGeom.OPolyMesh(top, "floor")
    floor.getSchema().set(sample(SQUARE * 4 - 1, FACE, [4]))
    fall = AbcGeom.OXform(top, "fall", rate)
    for z in (1.0, 0.5, 0.25):
        fall.getSchema().set(lifted(0, 0, z))
    inner = AbcGeom.OXform(fall, "inner")
    inner.getSchema().set(lifted(0.25, 0, 0))
    sheet = AbcGeom.OPolyMesh(inner, "sheet", rate)
    sheet.getSchema().set(sample(SQUARE, FACE, [4]))
    for z in (-0.25, -0.75):
        sheet.getSchema().set(sample(SQUARE + [0, 0, z]))
    AbcGeom.OPoints(top, "dust")
    del archive, top, floor, fall, inner, sheet
    return path


def test_meshes_points_and_transforms(shot):
    scene = alembic.read(shot)
    assert scene.names == ["/floor", "/fall/inner/sheet"] and scene.fps == 24.0
    assert scene.triangles("/floor").tolist() == [[0, 2, 3], [0, 1, 2]]
    heights = [scene.positions("/fall/inner/sheet", frame / 24)[0] for frame in (0, 0.5, 1, 2, 9)]
    assert np.allclose(heights, [[0.25, 0, z] for z in (1, 0.625, 0.25, -0.5, -0.5)])
    assert any("1 of type AbcGeom_Points" in note for note in scene.notes)
    result = kt.check(scene)
    (pair,) = result.pairs
    # The floor is at z = -1 but for its own shape: 4 * 0 - 1.
    assert pair.first is None
    scaled = alembic.read(shot, metres_per_unit=0.01, objects=["/fall"], fps=25)
    assert scaled.names == ["/fall/inner/sheet"] and scaled.fps == 25
    assert np.allclose(scaled.positions("/fall/inner/sheet", 0.0)[1], [0.0125, 0, 0.01])


def test_contacts_are_those_of_arrays(shot):
    scene = alembic.read(shot, objects=["/fall"])
    scene.add("table", [[0, 1, 2], [0, 2, 3]], SQUARE * 4 - [1, 1, 0])
    (pair,) = kt.check(scene).pairs
    # From 0.25 m after one frame to -0.5 m after two.
    assert pair.first == pytest.approx((1 + 1 / 3) / 24, abs=1e-9)


def test_frames_of_a_scene_that_is_added_to(shot):
    scene = alembic.read(shot, scene=kt.Scene(), fps=25)
    assert scene.fps == 25
    held = kt.Scene(fps=30)
    with pytest.raises(kt.InputError, match="fps: 25, and the scene has 30") as refused:
        alembic.read(shot, scene=held, fps=25)
    assert refused.value.code == "Option" and held.names == [] and held.fps == 30
    assert alembic.read(shot, scene=held, fps=30).fps == 30
    other = kt.Scene(fps=30)
    assert alembic.read(shot, scene=other).fps == 30


def test_what_does_not_fit_is_refused(tmp_path, shot):
    def refusal(code, path, **options):
        with pytest.raises(kt.InputError) as refused:
            alembic.read(path, **options)
        assert refused.value.code == code, refused.value

    refusal("Alembic.File", tmp_path / "absent.abc")
    (tmp_path / "text.abc").write_text("no archive")
    refusal("Alembic.File", tmp_path / "text.abc")
    refusal("Alembic.Units", shot, metres_per_unit=0)
    refusal("Alembic.Object", shot, objects=["/other"])
    refusal("Alembic.Object", shot, objects=["/floor", "/other"])
    refusal("Option", shot, objects="/")
    for name, second, code in (
        ("faces", sample(SQUARE, [0, 1, 2], [3]), "Alembic.Topology"),
        ("points", sample(SQUARE[:3]), "Alembic.Topology"),
    ):
        archive = Abc.OArchive(str(tmp_path / f"{name}.abc"))
        mesh = AbcGeom.OPolyMesh(archive.getTop(), "mesh")
        mesh.getSchema().set(sample(SQUARE, FACE, [4]))
        mesh.getSchema().set(second)
        del archive, mesh
        refusal(code, tmp_path / f"{name}.abc")
    for name, corners, counts, code in (
        ("index", [0, 1, 7], [3], "Alembic.Index"),
        ("counts", [0, 1, 2], [4], "Alembic.Faces"),
    ):
        archive = Abc.OArchive(str(tmp_path / f"{name}.abc"))
        mesh = AbcGeom.OPolyMesh(archive.getTop(), "mesh")
        mesh.getSchema().set(sample(SQUARE, corners, counts))
        del archive, mesh
        refusal(code, tmp_path / f"{name}.abc")
