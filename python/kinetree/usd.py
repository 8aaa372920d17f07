"""Scenes of USD stages: animated meshes, transforms, skinned meshes and blend shapes.

Needs the extra ``usd``: ``pip install "kinetree[usd]"``, which is the package ``usd-core``.
"""

from __future__ import annotations

import os
from typing import Any, Iterable, Iterator, Literal

import numpy as np
import numpy.typing as npt

from ._arrays import refused, whole
from .scenes import Scene

try:
    from pxr import Sdf, Usd, UsdGeom, UsdSkel
except ImportError as missing:
    raise ImportError('kinetree.usd needs usd-core: pip install "kinetree[usd]"') from missing

__all__ = ["read"]

#: Samples of one mesh, at most; more are a slip in the stage's range of time codes.
MOST_SAMPLES = 1_000_000

Points = npt.NDArray[np.float64]


def read(
    stage: str | os.PathLike[str] | Usd.Stage,
    *,
    prims: Iterable[str] | None = None,
    span: tuple[float, float] | None = None,
    samples_per_frame: int = 1,
    up: Literal["y", "z"] | None = None,
    purposes: Iterable[str] = ("default", "render"),
    self_contact: bool = False,
    scene: Scene | None = None,
) -> Scene:
    """Reads the meshes of a stage, each as a body that has the prim's path as its name.

    ``stage``: a ``.usd``, ``.usda``, ``.usdc`` or ``.usdz`` file, or an open stage. Units become
    metres (``metersPerUnit``). Axes stay those of the stage, unless ``up`` names the axis that is to
    point up. Time codes become seconds (``timeCodesPerSecond``).

    Points that are animated in a place that does not change have keys at their own samples, which is
    exact: USD moves them linearly too. Moving transforms, skeletons and blend shapes are evaluated
    at ``samples_per_frame`` times a frame and at their own samples; between them vertices move
    linearly. ``span``: first and last time code; without it, that of the stage, or from the first
    sample to the last.

    ``prims``: paths; only meshes at or below them are read. Polygons are cut into fans of triangles;
    subdivision surfaces are read as their cages. Prims that are left out, and meshes that are invisible
    at times, are named in :attr:`~kinetree.Scene.notes`. ``scene``: a scene to add to. O(samples × vertices).

    Refuses (``InputError``, codes ``Usd....``) faces or numbers of points that change over time,
    indices of points that do not exist, and stages whose interpolation is held.
    """
    for option, given in (("prims", prims), ("purposes", purposes)):
        if isinstance(given, str):
            raise refused("Option", f"{option}: {given!r} is a text; give a list of names, [{given!r}]")
    if not isinstance(stage, Usd.Stage):
        stage = _open(os.fspath(stage))
    if stage.GetInterpolationType() == Usd.InterpolationTypeHeld:
        raise refused("Usd.Held", "the stage holds values between samples; contacts need motion between them")
    samples_per_frame = whole("samples_per_frame", samples_per_frame, 1)
    reader = _Reader(stage, samples_per_frame, up, span)
    scene = Scene() if scene is None else scene
    scene.fps = scene.fps or stage.GetFramesPerSecond()
    for mesh in _meshes(stage, prims, set(purposes), reader.span, scene):
        reader.add(scene, mesh, self_contact)
    return scene


def _open(path: str) -> Usd.Stage:
    from pxr import Tf

    try:
        return Usd.Stage.Open(path)
    except Tf.ErrorException as error:
        reason = str(error).strip().splitlines()[-1]
        raise refused("Usd.File", f"{path}: the stage cannot be opened: {reason}") from error


def _meshes(
    stage: Usd.Stage, prims: Iterable[str] | None, purposes: set[str], span: tuple[float, float] | None, scene: Scene
) -> Iterator[UsdGeom.Mesh]:
    """The meshes that are wanted; others are named in the notes of the scene."""
    roots = None if prims is None else [Sdf.Path(path) for path in prims]
    for root in roots or []:
        if not stage.GetPrimAtPath(root):
            raise refused("Usd.Prim", f"prims: there is no prim '{root}'")
    for prim in Usd.PrimRange(stage.GetPseudoRoot(), Usd.TraverseInstanceProxies()):
        path = prim.GetPath()
        if roots is not None and not any(path.HasPrefix(root) for root in roots):
            continue
        drawn = UsdGeom.Imageable(prim)
        if not prim.IsA(UsdGeom.Gprim):
            if prim.IsA(UsdGeom.PointInstancer):
                scene._notes.append(f"{path}: the copies of a point instancer are not read")
            continue
        if not prim.IsA(UsdGeom.Mesh):
            scene._notes.append(f"{path}: a {prim.GetTypeName()} is not read; only meshes are")
        elif drawn.ComputePurpose() not in purposes:
            scene._notes.append(f"{path}: left out, as its purpose is {drawn.ComputePurpose()}")
        elif not any(shown := _visibilities(drawn, span)):
            scene._notes.append(f"{path}: left out, as it is invisible")
        else:
            if not all(shown):
                scene._notes.append(f"{path}: invisible at times; it is read at these times too")
            yield UsdGeom.Mesh(prim)


def _visibilities(drawn: UsdGeom.Imageable, span: tuple[float, float] | None) -> list[bool]:
    """Whether a prim is visible: at the begin, and where this can change."""
    codes: set[float] = set()
    prim = drawn.GetPrim()
    while prim and not prim.IsPseudoRoot():
        above = UsdGeom.Imageable(prim)
        if above:
            codes.update(above.GetVisibilityAttr().GetTimeSamples())
        prim = prim.GetParent()
    if span is not None:
        codes = {span[0], *(code for code in codes if span[0] < code <= span[1])}
    times = sorted(codes) or [Usd.TimeCode.Default()]
    return [drawn.ComputeVisibility(time) != UsdGeom.Tokens.invisible for time in times]


class _Reader:
    """Times and axes of a stage, and its skeletons."""

    def __init__(
        self, stage: Usd.Stage, samples_per_frame: int, up: str | None, span: tuple[float, float] | None
    ) -> None:
        units = (stage.GetTimeCodesPerSecond(), stage.GetFramesPerSecond(), UsdGeom.GetStageMetersPerUnit(stage))
        for name, value in zip(("timeCodesPerSecond", "framesPerSecond", "metersPerUnit"), units):
            if not (value > 0 and np.isfinite(value)):
                raise refused("Usd.Units", f"{name} of the stage is {value}; a number above 0 is needed")
        self.stage = stage
        self.rate: float = stage.GetTimeCodesPerSecond()
        self.step = self.rate / stage.GetFramesPerSecond() / samples_per_frame
        self.unit = UsdGeom.GetStageMetersPerUnit(stage)
        self.turn = _turn(str(UsdGeom.GetStageUpAxis(stage)).lower(), up)
        self.span = span
        if span is None and stage.HasAuthoredTimeCodeRange():
            self.span = (stage.GetStartTimeCode(), stage.GetEndTimeCode())
        if self.span is not None and not self.span[0] <= self.span[1]:
            raise refused("Usd.Span", f"span: {self.span[0]} to {self.span[1]} is no stretch of time codes")
        self.first = Usd.TimeCode.Default().GetValue() if self.span is None else self.span[0]
        self.skins = _skins(stage)

    def add(self, scene: Scene, mesh: UsdGeom.Mesh, self_contact: bool) -> None:
        path = str(mesh.GetPath())
        skin = self.skins.get(path)
        samples, is_linear = self.samples(mesh, skin)
        times = self.times(samples, is_linear)
        read = _points if skin is None else skin.points
        first = times[0] if times else self.first
        corners, counts = _faces(mesh, first, samples)
        frames = [self.placed(read(mesh, time), mesh, skin, time) for time in times or [first]]
        for time, frame in zip(times, frames):
            if len(frame) != len(frames[0]):
                message = f"{len(frame)} points at time code {time}, and {len(frames[0])} before"
                raise refused("Usd.Points", f"{path}: {message}; contacts need one mesh")
        triangles = _triangles(path, mesh, first, counts, corners, len(frames[0]))
        if len(triangles) == 0:
            scene._notes.append(f"{path}: left out, as it has no faces")
            return
        if str(mesh.GetSubdivisionSchemeAttr().Get()) != "none" and mesh.GetSubdivisionSchemeAttr().HasAuthoredValue():
            scene._notes.append(f"{path}: a subdivision surface, read as its cage")
        if len(times) < 2:
            scene.add(path, triangles, frames[0], self_contact=self_contact)
        else:
            seconds = np.array(times) / self.rate
            scene.add(path, triangles, frames=np.stack(frames), times=seconds, self_contact=self_contact)

    def samples(self, mesh: UsdGeom.Mesh, skin: _Skin | None) -> tuple[list[float], bool]:
        """The time codes of all samples that move a mesh, and whether it moves linearly between them."""
        points = set(mesh.GetPointsAttr().GetTimeSamples())
        others: set[float] = set() if skin is None else skin.samples()
        prim = _space(mesh, skin)
        while prim and not prim.IsPseudoRoot():
            transforms = UsdGeom.Xformable(prim)
            if transforms:
                others.update(transforms.GetTimeSamples())
                if transforms.GetResetXformStack():
                    break
            prim = prim.GetParent()
        return sorted(points | others), not others

    def times(self, samples: list[float], is_linear: bool) -> list[float]:
        """The time codes of the keys; none for a body at rest."""
        if len(samples) == 0 or (len(samples) == 1 and is_linear):
            return []
        first, last = (samples[0], samples[-1]) if self.span is None else self.span
        codes = {first, last, *(sample for sample in samples if first < sample < last)}
        if not is_linear:
            steps = int(np.floor((last - first) / self.step + 1e-9))
            if steps > MOST_SAMPLES:
                raise refused("Usd.Span", f"span: {steps} samples from time code {first} to {last}; give a shorter one")
            grid = [first + number * self.step for number in range(steps + 1)]
            # A frame that rounding moved beside a sample would be a key of its own.
            near = sorted(codes)
            codes.update(code for code in grid if not _is_near(near, code, self.step * 1e-6))
        return sorted(codes)

    def placed(self, points: Points, mesh: UsdGeom.Mesh, skin: _Skin | None, time: float) -> Points:
        """Points of a mesh in metres of the scene."""
        matrix = np.array(UsdGeom.XformCache(time).GetLocalToWorldTransform(_space(mesh, skin)), float)
        placed: Points = ((points @ matrix[:3, :3] + matrix[3, :3]) * self.unit) @ self.turn
        return placed


def _space(mesh: UsdGeom.Mesh, skin: _Skin | None) -> Usd.Prim:
    """The prim in whose space points are: joints move them in the skeleton's, blend shapes in their own."""
    return mesh.GetPrim() if skin is None or not skin.query.HasJointInfluences() else skin.skeleton.GetPrim()


def _is_near(codes: list[float], code: float, distance: float) -> bool:
    place = int(np.searchsorted(codes, code))
    return any(abs(other - code) <= distance for other in codes[max(place - 1, 0) : place + 1])


def _turn(own: str, up: str | None) -> Points:
    """The matrix, for rows, from the axes of the stage to those asked for."""
    if up not in (None, "y", "z"):
        raise refused("Option", f"up: '{up}' is neither 'y' nor 'z'")
    if up is None or up == own:
        return np.eye(3)
    if own == "y":
        return np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])
    return np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])


def _points(mesh: UsdGeom.Mesh, time: float) -> Points:
    points = mesh.GetPointsAttr().Get(time)
    return np.empty((0, 3)) if points is None else np.asarray(points, float).reshape(-1, 3)


def _faces(mesh: UsdGeom.Mesh, first: float, samples: list[float]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Corners and numbers of corners of the faces, which must be the same at all times."""
    found = []
    for attribute in (mesh.GetFaceVertexIndicesAttr(), mesh.GetFaceVertexCountsAttr()):
        value = np.asarray(attribute.Get(first) or [], int)
        for time in attribute.GetTimeSamples():
            if not np.array_equal(value, np.asarray(attribute.Get(time) or [], int)):
                message = f"its faces are others at time code {time}; contacts need one mesh"
                raise refused("Usd.Topology", f"{mesh.GetPath()}: {message}")
        found.append(value)
    return found[0], found[1]


def _triangles(
    path: str, mesh: UsdGeom.Mesh, time: float, counts: npt.NDArray[Any], corners: npt.NDArray[Any], points: int
) -> npt.NDArray[Any]:
    if (counts < 0).any() or counts.sum() != len(corners):
        raise refused("Usd.Faces", f"{path}: its faces have {counts.sum()} corners, and {len(corners)} indices")
    if len(corners) and not (0 <= corners.min() and corners.max() < points):
        worst = int(corners.max() if corners.max() >= points else corners.min())
        raise refused("Usd.Index", f"{path}: a face names point {worst}; there are {points}")
    holes = mesh.GetHoleIndicesAttr().Get(time)
    holes = set() if holes is None else set(holes)
    begins = np.cumsum(counts) - counts
    fans = [
        (corners[begin], corners[begin + corner], corners[begin + corner + 1])
        for face, (begin, count) in enumerate(zip(begins, counts))
        if face not in holes
        for corner in range(1, count - 1)
    ]
    triangles = np.array(fans, np.int64).reshape(-1, 3)
    is_left = mesh.GetOrientationAttr().Get(time) == UsdGeom.Tokens.leftHanded
    return triangles[:, ::-1] if is_left else triangles


class _Skin:
    """A mesh that a skeleton deforms."""

    def __init__(self, query: UsdSkel.SkinningQuery, skeleton: UsdSkel.SkeletonQuery) -> None:
        self.query, self.skeleton = query, skeleton
        self.animation = skeleton.GetAnimQuery()
        self.shapes = UsdSkel.BlendShapeQuery(UsdSkel.BindingAPI(query.GetPrim())) if query.HasBlendShapes() else None

    def samples(self) -> set[float]:
        if not self.animation:
            return set()
        return {*self.animation.GetJointTransformTimeSamples(), *self.animation.GetBlendShapeWeightTimeSamples()}

    def points(self, mesh: UsdGeom.Mesh, time: float) -> Points:
        """The points at a time; see :func:`_space`."""
        points = mesh.GetPointsAttr().Get(time)
        if points is None:
            return np.empty((0, 3))
        if self.shapes is not None and self.animation:
            self.blend(self.shapes, points, time)
        if self.query.HasJointInfluences():
            transforms = self.skeleton.ComputeSkinningTransforms(time)
            if transforms is None or not self.query.ComputeSkinnedPoints(transforms, points, time):
                raise refused("Usd.Skinning", f"{mesh.GetPath()}: its skinning cannot be computed at time code {time}")
        return np.asarray(points, float).reshape(-1, 3)

    def blend(self, shapes: Any, points: Any, time: float) -> None:
        weights = self.animation.ComputeBlendShapeWeights(time)
        mapper = self.query.GetBlendShapeMapper()
        if mapper:
            weights = mapper.Remap(weights)
        weights, shape_of, subshape_of = shapes.ComputeSubShapeWeights(weights)
        indices, offsets = shapes.ComputeBlendShapePointIndices(), shapes.ComputeSubShapePointOffsets()
        if not shapes.ComputeDeformedPoints(weights, shape_of, subshape_of, indices, offsets, points):
            raise refused("Usd.BlendShapes", f"{self.query.GetPrim().GetPath()}: its blend shapes do not fit its points")


def _skins(stage: Usd.Stage) -> dict[str, _Skin]:
    """The skinned meshes of a stage, by path."""
    skins = {}
    cache = UsdSkel.Cache()
    inside = Usd.TraverseInstanceProxies()
    for prim in Usd.PrimRange(stage.GetPseudoRoot(), inside):
        if not prim.IsA(UsdSkel.Root):
            continue
        root = UsdSkel.Root(prim)
        cache.Populate(root, inside)
        for binding in cache.ComputeSkelBindings(root, inside):
            skeleton = cache.GetSkelQuery(binding.GetSkeleton())
            for query in binding.GetSkinningTargets():
                skins[str(query.GetPrim().GetPath())] = _Skin(query, skeleton)
    return skins
