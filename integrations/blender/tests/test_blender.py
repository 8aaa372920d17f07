"""The add-on in Blender, headless: the PyPI package `bpy`."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed: it needs the Python version of its Blender")
kt = pytest.importorskip("kinetree")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import kinetree_addon  # noqa: E402
from kinetree_addon import capture, marks, operators, plain  # noqa: E402


@pytest.fixture
def scene():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    kinetree_addon.register()
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = 24, 1.0
    yield scene
    kinetree_addon.unregister()


def select(*things):
    for thing in bpy.context.view_layer.objects:
        thing.select_set(thing in things)
    bpy.context.view_layer.objects.active = things[0]


def tube(name, x):
    """A leg: a box of 12 rings around the z axis, from 0 to 1 m, at some x."""
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(x, 0, 0.5))
    leg = bpy.context.object
    leg.name = name
    leg.scale = (0.1, 0.1, 1.0)
    bpy.ops.object.transform_apply(location=True, scale=True)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.subdivide(number_cuts=7)
    bpy.ops.object.mode_set(mode="OBJECT")
    return leg


def walker():
    """Two legs of an armature that swing about the y axis; the left one steps into a post at x = 0.6."""
    bpy.ops.object.armature_add(location=(0, 0, 0))
    rig = bpy.context.object
    rig.name = "Rig"
    bpy.ops.object.mode_set(mode="EDIT")
    bones = rig.data.edit_bones
    bones[0].name, bones[0].head, bones[0].tail = "left", (0, -0.3, 1), (0, -0.3, 0)
    right = bones.new("right")
    right.head, right.tail = (0, 0.3, 1), (0, 0.3, 0)
    bpy.ops.object.mode_set(mode="OBJECT")
    legs = []
    for name, y in (("left", -0.3), ("right", 0.3)):
        leg = tube(f"Leg {name}", 0.0)
        leg.data.transform(__import__("mathutils").Matrix.Translation((0, y, 0)))
        group = leg.vertex_groups.new(name=name)
        group.add(list(range(len(leg.data.vertices))), 1.0, "REPLACE")
        modifier = leg.modifiers.new("Armature", "ARMATURE")
        modifier.object = rig
        legs.append(leg)
    for bone, sign in (("left", 1), ("right", -1)):
        pose = rig.pose.bones[bone]
        pose.rotation_mode = "XYZ"
        for frame, degrees in ((1, 0), (25, 45)):
            pose.rotation_euler = (0, 0, 0)
            # The bone's own z axis is the world's y axis or its opposite: found by trying.
            pose.rotation_euler[2] = np.radians(sign * degrees)
            pose.keyframe_insert("rotation_euler", frame=frame)
    for curve in rig.animation_data.action.fcurves:
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"
    return rig, legs


def test_modifiers_and_armatures_are_applied(scene):
    rig, legs = walker()
    scene.frame_start, scene.frame_end = 1, 25
    select(*legs)
    bodies, times, fps = capture.capture(bpy.context, legs, 1, 25)
    assert fps == 24 and times.tolist() == [frame / 24 for frame in range(1, 26)]
    left, right = bodies
    # At frame 25 each leg is turned by 45° about its hip, (0, ±0.3, 1): the sole's centre is at x = ±sin 45°.
    for body, y in ((left, -0.3), (right, 0.3)):
        sole = body.frames[0][:, 2] < 1e-6
        centre = body.frames[-1][sole].mean(axis=0)
        assert abs(abs(centre[0]) - np.sin(np.pi / 4)) < 1e-5 and abs(centre[1] - y) < 1e-5
        assert abs(centre[2] - (1 - np.cos(np.pi / 4))) < 1e-5
    forward = left if left.frames[-1][:, 0].max() > 0.5 else right
    assert forward is not None
    # A post that the forward leg meets when its front reaches x = 0.4.
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(0.9, -0.3 if forward is left else 0.3, 0.5))
    post = bpy.context.object
    post.name, post.dimensions = "Post", (1.0, 0.2, 1.0)
    select(*legs, post)
    assert bpy.ops.kinetree.check() == {"FINISHED"}
    findings = scene.kinetree.findings
    assert len(findings) == 1 and findings[0].name.startswith(f"{forward.name} / Post")
    fronts = forward.frames[:, :, 0].max(axis=1)
    first = int(np.argmax(fronts >= 0.4)) + 1
    assert 5 < first < 25 and findings[0].first == first and findings[0].last == 25


def cloth_over_ball(scene):
    """A sheet that falls onto a ball without a collision modifier: it passes through."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=12, y_subdivisions=12, size=2.0, location=(0, 0, 1.0))
    sheet = bpy.context.object
    sheet.name = "Sheet"
    sheet.modifiers.new("Cloth", "CLOTH")
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.5, location=(0, 0, 0.2))
    ball = bpy.context.object
    ball.name = "Ball"
    scene.frame_start, scene.frame_end = 1, 20
    return sheet, ball


def test_a_cloth_that_falls_through_a_ball(scene, tmp_path):
    sheet, ball = cloth_over_ball(scene)
    scene.frame_set(3)
    select(sheet, ball)
    assert bpy.ops.kinetree.check() == {"FINISHED"}
    assert scene.frame_current == 3
    outcome = operators.outcome_of(scene)
    cloth = next(body for body in outcome.bodies if body.name == "Sheet").frames
    lowest = cloth[:, :, 2].min(axis=1)
    assert lowest[0] == 1.0 and lowest[-1] < 0.0, "the cloth does not fall"
    # The sheet stays flat until it has fallen through: it touches from z = 0.7 to z = -0.3.
    flat = cloth[:, :, 2].max(axis=1) - lowest < 0.02
    first = int(np.argmax(lowest <= 0.7)) + 1
    assert flat[:first].all()
    (finding,) = scene.kinetree.findings
    assert finding.first == first
    scene.kinetree.active = 5
    assert bpy.ops.kinetree.jump(index=0) == {"FINISHED"} and scene.kinetree.active == 0
    assert scene.frame_current + scene.frame_subframe == pytest.approx(finding.worst, abs=1e-4)

    # Faces: those of the ball below the sheet's plane at the last frame are not all touched, the top is.
    assert bpy.ops.kinetree.select(every=True) == {"FINISHED"}
    assert bpy.context.mode == "EDIT_MESH"
    bpy.ops.object.mode_set(mode="OBJECT")
    touched = plain.touched(outcome.incidents, outcome.bodies)
    for thing in (sheet, ball):
        selected = {face.index for face in thing.data.polygons if face.select}
        assert selected == set(touched[thing.name]) and selected
    top = max(ball.data.polygons, key=lambda face: face.center[2])
    corner = min(sheet.data.polygons, key=lambda face: face.center[0] + face.center[1])
    assert top.select and not corner.select

    assert bpy.ops.kinetree.mark() == {"FINISHED"}
    colours = sheet.data.color_attributes["kinetree_colour"]
    assert len(colours.data) == len(sheet.data.loops)
    for face in sheet.data.polygons:
        reds = [tuple(colours.data[loop].color) for loop in face.loop_indices]
        is_white = [red == (1, 1, 1, 1) for red in reds]
        assert is_white == [face.index not in touched["Sheet"]] * 4
    group = sheet.vertex_groups["kinetree"].index
    weighted = {vertex.index for vertex in sheet.data.vertices if any(link.group == group for link in vertex.groups)}
    assert weighted == {vertex for face in touched["Sheet"] for vertex in sheet.data.polygons[face].vertices}
    assert bpy.ops.kinetree.mark() == {"FINISHED"} and len(sheet.data.color_attributes) == 1

    report = tmp_path / "report.html"
    assert bpy.ops.kinetree.report(filepath=str(report), show=False) == {"FINISHED"}
    assert "Sheet" in report.read_text()

    # The exported scene is the scene that was checked; the cloth runs again.
    select(sheet, ball)
    assert bpy.ops.kinetree.export(directory=str(tmp_path / "exported")) == {"FINISHED"}
    again = kt.check(tmp_path / "exported/scene.toml")
    assert again.contacts.tolist() == outcome.result.contacts.tolist()
    assert capture.FACE not in sheet.data.attributes


def test_a_rigid_body_has_fallen_before_the_first_frame(scene):
    def height_at(first):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        bpy.ops.rigidbody.world_add()
        bpy.ops.mesh.primitive_cube_add(size=1.0, location=(0, 0, 5))
        bpy.ops.rigidbody.object_add(type="ACTIVE")
        own = bpy.context.scene
        own.frame_start, own.frame_end = 1, 30
        (body,), _, _ = capture.capture(bpy.context, [bpy.context.object], first, 20)
        return body.frames[-1, :, 2].mean()

    late, early = height_at(18), height_at(1)
    assert late == early and late < 4.0, (late, early)


def test_faces_made_by_modifiers_belong_to_their_own(scene):
    bpy.ops.mesh.primitive_cube_add(size=2.0)
    box = bpy.context.object
    box.modifiers.new("Finer", "SUBSURF").subdivision_type = "SIMPLE"
    box.modifiers["Finer"].levels = 2
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(0, 0, 1.5))
    tool = bpy.context.object
    tool.keyframe_insert("location", frame=1)
    tool.location[2] = 1.25
    tool.keyframe_insert("location", frame=5)
    scene.frame_start, scene.frame_end = 1, 5
    select(box, tool)
    assert bpy.ops.kinetree.check() == {"FINISHED"}
    (body, _) = operators.outcome_of(scene).bodies
    assert len(body.triangles) == 6 * 16 * 2 and sorted(set(body.faces.tolist())) == list(range(6))
    touched = plain.touched(operators.outcome_of(scene).incidents, operators.outcome_of(scene).bodies)
    (face,) = touched[box.name]
    assert box.data.polygons[face].normal[2] == 1.0


def test_objects_that_share_a_mesh_keep_the_marks_of_each(scene):
    # The row's ends are clean; they come before and after the one that touches.
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(-5, 0, 0))
    row = [bpy.context.object]
    for place, name in ((0, "B"), (5, "C")):
        copy = bpy.data.objects.new(name, row[0].data)
        copy.location = (place, 0, 0)
        scene.collection.objects.link(copy)
        row.append(copy)
    row[0].name = "A"
    bpy.ops.mesh.primitive_cube_add(size=0.5, location=(0, 0, 0.6))
    tool = bpy.context.object
    tool.name = "Tool"
    scene.frame_start, scene.frame_end = 1, 2
    select(*row, tool)
    assert bpy.ops.kinetree.check() == {"FINISHED"}
    outcome = operators.outcome_of(scene)
    touched = plain.touched(outcome.incidents, outcome.bodies)
    assert touched["B"] and not touched["A"] and not touched["C"]
    assert marks.select_faces(bpy.context, touched) == len(touched["B"]) + len(touched["Tool"])
    bpy.ops.object.mode_set(mode="OBJECT")
    assert {face.index for face in row[0].data.polygons if face.select} == set(touched["B"])
    assert {thing.name for thing in bpy.context.selected_objects} == {"B", "Tool"}

    assert marks.write(bpy.context, touched) == 2
    colours = row[0].data.color_attributes["kinetree_colour"]
    for face in row[0].data.polygons:
        is_white = [tuple(colours.data[loop].color) == (1, 1, 1, 1) for loop in face.loop_indices]
        assert is_white == [face.index not in touched["B"]] * 4
    group = row[1].vertex_groups["kinetree"].index
    weighted = {it.index for it in row[0].data.vertices if any(link.group == group for link in it.groups)}
    assert weighted == {vertex for face in touched["B"] for vertex in row[0].data.polygons[face].vertices}


def test_units_and_samples_between_frames(scene):
    scene.unit_settings.scale_length = 0.01
    bpy.ops.mesh.primitive_cube_add(size=100.0)
    box = bpy.context.object
    box.rotation_euler = (0, 0, 0)
    box.keyframe_insert("rotation_euler", frame=1)
    box.rotation_euler = (0, 0, np.pi / 2)
    box.keyframe_insert("rotation_euler", frame=3)
    bodies, times, _ = capture.capture(bpy.context, [box], 1, 3, samples_per_frame=4)
    assert len(times) == 9 and times[1] - times[0] == pytest.approx(1 / 96)
    assert np.abs(np.linalg.norm(bodies[0].frames, axis=2) - np.sqrt(0.75)).max() < 1e-6


def test_what_cannot_be_checked_is_refused(scene):
    bpy.ops.mesh.primitive_cube_add()
    box = bpy.context.object
    growing = box.modifiers.new("Grow", "BUILD")
    growing.frame_start, growing.frame_duration = 1, 4
    scene.frame_start, scene.frame_end = 4, 6
    select(box)
    with pytest.raises(RuntimeError, match="faces of 'Cube' at frame 5"):
        bpy.ops.kinetree.check()
    assert capture.FACE not in box.data.attributes and not scene.kinetree.findings
    scene.frame_end = 3
    scene.kinetree.use_scene_range = False
    scene.kinetree.frame_first, scene.kinetree.frame_last = 5, 4
    with pytest.raises(RuntimeError, match="comes before the first"):
        bpy.ops.kinetree.check()
    bpy.ops.object.select_all(action="DESELECT")
    assert not bpy.ops.kinetree.check.poll()
    assert not bpy.ops.kinetree.select.poll() and not bpy.ops.kinetree.report.poll()


def test_the_script_exports_a_scene(scene, tmp_path):
    sheet, ball = cloth_over_ball(scene)
    scene.frame_end = 14
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    select(sheet, ball)
    assert bpy.ops.kinetree.check() == {"FINISHED"}
    export = Path(__file__).resolve().parents[1] / "export.py"
    command = [sys.executable, export, tmp_path / "shot.blend", tmp_path / "out"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and "2 objects, 14 samples" in done.stdout, done.stdout + done.stderr
    contacts = kt.check(tmp_path / "out/scene.toml").contacts
    assert len(contacts) and contacts.tolist() == operators.outcome_of(scene).result.contacts.tolist()
    done = subprocess.run([*command, "--objects", "Nobody"], capture_output=True, text=True)
    assert done.returncode == 2 and "no mesh object 'Nobody'" in done.stderr


def test_the_archive_is_an_extension(tmp_path):
    wheel = os.environ.get("KINETREE_WHEEL")
    if not wheel:
        pytest.skip("KINETREE_WHEEL names no wheel")
    import tomllib
    import zipfile

    build = Path(__file__).resolve().parents[1] / "build.py"
    subprocess.run([sys.executable, build, "--wheel", wheel, "--out", tmp_path], check=True)
    (archive,) = tmp_path.glob("*.zip")
    with zipfile.ZipFile(archive) as files:
        manifest = tomllib.loads(files.read("blender_manifest.toml").decode())
        assert manifest["wheels"] == [f"./wheels/{Path(wheel).name}"]
        assert f"wheels/{Path(wheel).name}" in files.namelist() and "__init__.py" in files.namelist()
    # Blender installs it, and runs it with the package of the wheel: the one of this environment is hidden.
    program = tmp_path / "install.py"
    program.write_text(INSTALL)
    environment = {**os.environ, "BLENDER_USER_RESOURCES": str(tmp_path / "user"), "KINETREE_ARCHIVE": str(archive)}
    done = subprocess.run([sys.executable, "-P", program], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    # Blender says more when it ends.
    (said,) = [line for line in done.stdout.splitlines() if "|" in line]
    package, count = said.split("|")
    assert Path(package).is_relative_to(tmp_path / "user") and count == "1"


INSTALL = """
import os, sys
import bpy

bpy.ops.wm.read_factory_settings(use_empty=True)
archive = os.environ["KINETREE_ARCHIVE"]
bpy.ops.extensions.package_install_files(filepath=archive, repo="user_default", enable_on_install=True)
user = os.environ["BLENDER_USER_RESOURCES"]
own = [path for path in sys.path if os.path.isdir(os.path.join(path, "kinetree")) and not path.startswith(user)]
sys.path[:] = [path for path in sys.path if path not in own]
for height in (0.0, 1.5):
    bpy.ops.mesh.primitive_cube_add(location=(0, 0, height))
bpy.ops.object.select_all(action="SELECT")
bpy.context.scene.frame_end = 3
assert bpy.ops.kinetree.check() == {"FINISHED"}
import kinetree

print(kinetree.__file__, len(bpy.context.scene.kinetree.findings), sep="|", flush=True)
"""


@pytest.mark.parametrize("last", ["", "kinetree_addon.unregister()"])
def test_python_ends_in_order(last):
    # With and without unregistering: bpy as a module crashes over classes that are left.
    program = f"import bpy, sys; sys.path.insert(0, {str(Path(__file__).resolve().parents[1])!r}); import kinetree_addon\n"
    program += f"bpy.ops.wm.read_factory_settings(use_empty=True)\nkinetree_addon.register()\n{last}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, (done.returncode, done.stderr)
