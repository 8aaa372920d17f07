"""Scenes of USD stages, written with usd-core and read back."""

import numpy as np
import pytest

pytest.importorskip("pxr", reason="usd-core is not installed")
from pxr import Gf, Sdf, Usd, UsdGeom, UsdSkel, Vt

import kinetree as kt
from kinetree import usd

SQUARE = [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)]


def stage_at(path, *, up="Z", unit=1.0, rate=24.0, span=(0, 24)):
    stage = Usd.Stage.CreateNew(str(path))
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z if up == "Z" else UsdGeom.Tokens.y)
    UsdGeom.SetStageMetersPerUnit(stage, unit)
    stage.SetTimeCodesPerSecond(rate)
    stage.SetFramesPerSecond(rate)
    if span is not None:
        stage.SetStartTimeCode(span[0])
        stage.SetEndTimeCode(span[1])
    return stage


def add_mesh(stage, path, points, counts=(4,), corners=(0, 1, 2, 3)):
    mesh = UsdGeom.Mesh.Define(stage, path)
    mesh.CreatePointsAttr(points)
    mesh.CreateFaceVertexCountsAttr(list(counts))
    mesh.CreateFaceVertexIndicesAttr(list(corners))
    mesh.CreateSubdivisionSchemeAttr("none")
    return mesh


@pytest.mark.parametrize("kind", ["usda", "usdc"])
def test_a_cache_of_points_falls_through_a_floor(tmp_path, kind):
    path = tmp_path / f"cloth.{kind}"
    stage = stage_at(path, up="Y", unit=0.01)
    floor = add_mesh(stage, "/World/Floor", [(x * 100, 0, -y * 100) for x, y, _ in SQUARE])
    cloth = add_mesh(stage, "/World/Cloth", [(0, 0, 0)] * 4)
    # Centimetres, y up: from 60 cm over the floor to 60 cm below it in one second, keys every 6 frames.
    for frame in range(0, 25, 6):
        cloth.GetPointsAttr().Set([(x * 50, 60 - 5 * frame, y * 50) for x, y, _ in SQUARE], frame)
    UsdGeom.XformCommonAPI(stage.DefinePrim("/World", "Xform")).SetTranslate((0, 300, 0))
    stage.Save()

    scene = usd.read(path, up="z")
    assert scene.names == ["/World/Floor", "/World/Cloth"] and scene.fps == 24 and scene.span == (0.0, 1.0)
    assert scene.triangles("/World/Cloth").tolist() == [[0, 1, 2], [0, 2, 3]]
    assert np.allclose(scene.positions("/World/Floor", 0.0)[:, 2], 3.0)
    assert np.allclose(scene.positions("/World/Cloth", 0.25)[0], [-0.5, 0.5, 3.3], atol=1e-6)
    result = kt.check(scene)
    assert len(result.contacts) > 0 and np.allclose(result.contacts["begin"], 0.5, atol=1e-6)
    assert (floor.GetPrim().GetName(), result.incidents[0].first_frame) == ("Floor", 12)
    own = usd.read(path).positions("/World/Cloth", 0.0)
    assert np.allclose(own[0], [-0.5, 3.6, -0.5], atol=1e-6)


def two_joints(path):
    """A strip along x, whose outer half turns about z by 90° in one second."""
    stage = stage_at(path)
    root = UsdSkel.Root.Define(stage, "/Arm")
    UsdGeom.XformCommonAPI(root).SetTranslate((0, 0, 2))
    points = [(x, y, 0) for x in (0, 1, 2, 3, 4) for y in (-0.25, 0.25)]
    corners = [corner for step in range(4) for corner in (2 * step, 2 * step + 2, 2 * step + 3, 2 * step + 1)]
    mesh = add_mesh(stage, "/Arm/Skin", points, [4] * 4, corners)
    skeleton = UsdSkel.Skeleton.Define(stage, "/Arm/Bones")
    joints = ["Upper", "Upper/Lower"]
    skeleton.CreateJointsAttr(joints)
    rest = [Gf.Matrix4d(1), Gf.Matrix4d().SetTranslate((2, 0, 0))]
    skeleton.CreateBindTransformsAttr(rest)
    skeleton.CreateRestTransformsAttr(rest)
    animation = UsdSkel.Animation.Define(stage, "/Arm/Bend")
    animation.CreateJointsAttr(joints)
    animation.CreateTranslationsAttr([(0, 0, 0), (2, 0, 0)])
    animation.CreateScalesAttr(Vt.Vec3hArray([Gf.Vec3h(1), Gf.Vec3h(1)]))
    turns = animation.CreateRotationsAttr()
    for frame in range(0, 25, 2):
        turn = Gf.Rotation((0, 0, 1), 90 * frame / 24).GetQuat()
        turns.Set(Vt.QuatfArray([Gf.Quatf(1), Gf.Quatf(turn)]), frame)
    binding = UsdSkel.BindingAPI.Apply(mesh.GetPrim())
    binding.CreateSkeletonRel().SetTargets([skeleton.GetPath()])
    joint_of = [0 if point[0] <= 2 else 1 for point in points]
    binding.CreateJointIndicesPrimvar(False, 1).Set(joint_of)
    binding.CreateJointWeightsPrimvar(False, 1).Set([1.0] * len(points))
    UsdSkel.BindingAPI.Apply(skeleton.GetPrim()).CreateAnimationSourceRel().SetTargets([animation.GetPath()])
    return stage, points


@pytest.mark.parametrize("kind", ["usda", "usdc"])
def test_a_skeleton_moves_its_mesh(tmp_path, kind):
    path = tmp_path / f"arm.{kind}"
    stage, points = two_joints(path)
    # The tip, (4, 0), reaches (2, 2): a wall there is met in the last frames.
    add_mesh(stage, "/Wall", [(x, 1.9, z) for x, z in ((1, 1), (3, 1), (3, 3), (1, 3))])
    stage.Save()
    scene = usd.read(path)
    for frame in (0, 8, 24):
        turn = np.radians(90 * frame / 24)
        expected = np.array(points, float) + [0, 0, 2]
        outer = expected[:, 0] > 2
        x, y = expected[outer, 0] - 2, expected[outer, 1].copy()
        expected[outer, 0] = 2 + x * np.cos(turn) - y * np.sin(turn)
        expected[outer, 1] = x * np.sin(turn) + y * np.cos(turn)
        assert np.allclose(scene.positions("/Arm/Skin", frame / 24), expected, atol=1e-5), frame
    (pair,) = kt.check(scene).pairs
    # The outer corner of the tip, at 2 + 0.25 i, is at y = 1.9 when 2 sin + 0.25 cos of the angle is that.
    angles = np.radians(np.linspace(0, 90, 100_001))
    angle = np.degrees(angles[np.argmax(2 * np.sin(angles) + 0.25 * np.cos(angles) >= 1.9)])
    assert pair.first == pytest.approx(angle / 90, abs=2e-3)


def test_skinning_agrees_with_usd_own_baking(tmp_path):
    stage, _ = two_joints(tmp_path / "arm.usda")
    scene = usd.read(stage)
    assert UsdSkel.BakeSkinning(Usd.PrimRange(stage.GetPseudoRoot()), Gf.Interval(0, 24))
    baked = UsdGeom.Mesh(stage.GetPrimAtPath("/Arm/Skin"))
    samples = baked.GetPointsAttr().GetTimeSamples()
    assert len(samples) == 25
    for time in samples:
        matrix = np.array(UsdGeom.XformCache(time).GetLocalToWorldTransform(baked.GetPrim()))
        points = np.array(baked.GetPointsAttr().Get(time)) @ matrix[:3, :3] + matrix[3, :3]
        assert np.allclose(scene.positions("/Arm/Skin", time / 24), points, atol=1e-5)


def test_blend_shapes_move_points(tmp_path):
    stage, points = two_joints(tmp_path / "face.usda")
    shape = UsdSkel.BlendShape.Define(stage, "/Arm/Skin/Lift")
    shape.CreateOffsetsAttr([(0, 0, 1)])
    shape.CreatePointIndicesAttr([1])
    binding = UsdSkel.BindingAPI(stage.GetPrimAtPath("/Arm/Skin"))
    binding.CreateBlendShapesAttr(["lift"])
    binding.CreateBlendShapeTargetsRel().SetTargets([shape.GetPath()])
    animation = UsdSkel.Animation(stage.GetPrimAtPath("/Arm/Bend"))
    animation.CreateBlendShapesAttr(["lift"])
    weights = animation.CreateBlendShapeWeightsAttr()
    weights.Set([0.0], 0)
    weights.Set([0.5], 24)
    scene = usd.read(stage)
    assert np.allclose(scene.positions("/Arm/Skin", 1.0)[1], [0, 0.25, 2.5], atol=1e-6)
    assert np.allclose(scene.positions("/Arm/Skin", 0.5)[1], [0, 0.25, 2.25], atol=1e-6)
    assert np.allclose(scene.positions("/Arm/Skin", 1.0)[0], [0, -0.25, 2], atol=1e-6)


def test_blend_shapes_without_joints_move_with_their_mesh(tmp_path):
    stage, points = two_joints(tmp_path / "face.usda")
    skin = stage.GetPrimAtPath("/Arm/Skin")
    for name in ("jointIndices", "jointWeights"):
        skin.RemoveProperty(f"primvars:skel:{name}")
    # The skeleton's own place is of no importance.
    UsdGeom.XformCommonAPI(stage.GetPrimAtPath("/Arm/Bones")).SetTranslate((0, 9, 0))
    shape = UsdSkel.BlendShape.Define(stage, "/Arm/Skin/Lift")
    shape.CreateOffsetsAttr([(0, 0, 1)])
    shape.CreatePointIndicesAttr([1])
    binding = UsdSkel.BindingAPI(skin)
    binding.CreateBlendShapesAttr(["lift"])
    binding.CreateBlendShapeTargetsRel().SetTargets([shape.GetPath()])
    animation = UsdSkel.Animation(stage.GetPrimAtPath("/Arm/Bend"))
    animation.CreateBlendShapesAttr(["lift"])
    animation.CreateBlendShapeWeightsAttr([0.5])
    # No other sample moves the mesh.
    animation.GetPrim().RemoveProperty("rotations")
    animation.CreateRotationsAttr([Gf.Quatf(1)] * 2)
    move = UsdGeom.Xformable(skin).AddTranslateOp()
    move.Set((0, 0, 0), 0)
    move.Set((0, 0, 3), 24)
    scene = usd.read(stage)
    for time in (0.0, 0.5, 1.0):
        expected = np.array(points, float) + [0, 0, 2 + 3 * time]
        expected[1, 2] += 0.5
        assert np.allclose(scene.positions("/Arm/Skin", time), expected, atol=1e-6), time


def test_meshes_that_are_shown_at_times_are_read(tmp_path):
    stage = stage_at(tmp_path / "shown.usda")
    for name, shown in (("Later", {0: False, 1: True}), ("Never", {0: False, 30: True}), ("Always", {0: True}),
                        ("Flash", {-5: True, 0: False, 7: True, 8: False})):
        add_mesh(stage, f"/{name}/Mesh", SQUARE)
        visibility = UsdGeom.Imageable(stage.DefinePrim(f"/{name}", "Xform")).CreateVisibilityAttr()
        for time, is_shown in shown.items():
            visibility.Set(UsdGeom.Tokens.inherited if is_shown else UsdGeom.Tokens.invisible, time)
    scene = usd.read(stage)
    assert scene.names == ["/Later/Mesh", "/Always/Mesh", "/Flash/Mesh"]
    assert scene.notes == [
        "/Later/Mesh: invisible at times; it is read at these times too",
        "/Never/Mesh: left out, as it is invisible",
        "/Flash/Mesh: invisible at times; it is read at these times too",
    ]
    assert usd.read(stage, span=(0, 30)).names == [f"/{name}/Mesh" for name in ("Later", "Never", "Always", "Flash")]
    assert usd.read(stage, span=(8, 20)).names == ["/Later/Mesh", "/Always/Mesh"]


def test_turning_places_are_sampled_at_every_frame(tmp_path):
    stage = stage_at(tmp_path / "door.usda")
    add_mesh(stage, "/Hinge/Door", [(0, 0, 0), (1, 0, 0), (1, 0, 1), (0, 0, 1)])
    turn = UsdGeom.Xformable(stage.DefinePrim("/Hinge", "Xform")).AddRotateZOp()
    turn.Set(0.0, 0)
    turn.Set(90.0, 24)
    coarse, fine = usd.read(stage), usd.read(stage, samples_per_frame=4)
    expected = [np.cos(np.pi / 4), np.sin(np.pi / 4), 0]
    assert np.allclose(coarse.positions("/Hinge/Door", 0.5)[1], expected, atol=1e-6)
    between = 10.5 / 24
    angle = np.pi / 2 * between
    exact = [np.cos(angle), np.sin(angle), 0]
    off = [np.abs(scene.positions("/Hinge/Door", between)[1] - exact).max() for scene in (coarse, fine)]
    assert off[0] > 1e-5 and off[1] < 1e-6


def test_instances_holes_orientation_and_prims_left_out(tmp_path):
    stage = stage_at(tmp_path / "set.usda", span=None)
    mesh = add_mesh(stage, "/Proto/Box", [*SQUARE, (0, 0, 1)], (4, 3, 3), (0, 1, 2, 3, 0, 1, 4, 1, 2, 4))
    mesh.CreateHoleIndicesAttr([1])
    mesh.CreateOrientationAttr("leftHanded")
    for number in (1, 2):
        prim = stage.DefinePrim(f"/Copy{number}", "Xform")
        prim.GetReferences().AddInternalReference("/Proto")
        prim.SetInstanceable(True)
        UsdGeom.XformCommonAPI(prim).SetTranslate((10 * number, 0, 0))
    UsdGeom.Imageable(add_mesh(stage, "/Hidden", SQUARE)).MakeInvisible()
    UsdGeom.Imageable(add_mesh(stage, "/Guide", SQUARE)).CreatePurposeAttr("guide")
    UsdGeom.Sphere.Define(stage, "/Ball")
    scene = usd.read(stage)
    assert scene.names == ["/Proto/Box", "/Copy1/Box", "/Copy2/Box"]
    assert scene.triangles("/Copy1/Box").tolist() == [[2, 1, 0], [3, 2, 0], [4, 2, 1]]
    assert scene.positions("/Copy2/Box", 0.0)[0].tolist() == [19, -1, 0]
    assert [note.split(":")[0] for note in scene.notes] == ["/Hidden", "/Guide", "/Ball"]
    assert usd.read(stage, prims=["/Copy1"]).names == ["/Copy1/Box"]


def test_what_cannot_be_checked_is_refused(tmp_path):
    def refusal(code, change, **options):
        stage = stage_at(tmp_path / f"{len(list(tmp_path.iterdir()))}.usda")
        change(stage, add_mesh(stage, "/Mesh", SQUARE))
        with pytest.raises(kt.InputError) as caught:
            usd.read(stage, **options)
        assert caught.value.code == code, caught.value
        return str(caught.value)

    def other_faces(stage, mesh):
        mesh.GetFaceVertexIndicesAttr().Set([0, 1, 2, 3], 0)
        mesh.GetFaceVertexIndicesAttr().Set([3, 2, 1, 0], 4)

    def more_points(stage, mesh):
        mesh.GetPointsAttr().Set(SQUARE, 0)
        mesh.GetPointsAttr().Set([*SQUARE, (0, 0, 1)], 4)

    assert "/Mesh" in refusal("Usd.Topology", other_faces)
    assert "5 points at time code 4" in refusal("Usd.Points", more_points)
    assert "point 4" in refusal("Usd.Index", lambda stage, mesh: mesh.GetFaceVertexIndicesAttr().Set([0, 1, 2, 4]))
    refusal("Usd.Faces", lambda stage, mesh: mesh.GetFaceVertexCountsAttr().Set([5]))
    refusal("Usd.Held", lambda stage, mesh: stage.SetInterpolationType(Usd.InterpolationTypeHeld))
    refusal("Usd.Prim", lambda stage, mesh: None, prims=["/Other"])
    refusal("Usd.Span", lambda stage, mesh: None, span=(3, 1))
    refusal("Usd.Units", lambda stage, mesh: stage.SetTimeCodesPerSecond(0))
    refusal("Usd.Units", lambda stage, mesh: UsdGeom.SetStageMetersPerUnit(stage, 0))

    def endless(stage, mesh):
        stage.SetEndTimeCode(1e12)
        turn = UsdGeom.Xformable(mesh).AddRotateZOp()
        turn.Set(0.0, 0)
        turn.Set(90.0, 24)

    refusal("Usd.Span", endless)
    refusal("Option", lambda stage, mesh: None, samples_per_frame=0)
    refusal("Option", lambda stage, mesh: None, prims="/mesh")
    refusal("Option", lambda stage, mesh: None, purposes="default")
    refusal("Option", lambda stage, mesh: None, up="x")
    with pytest.raises(kt.InputError) as caught:
        usd.read(tmp_path / "absent.usda")
    assert caught.value.code == "Usd.File" and "absent.usda" in str(caught.value)
