"""Scenes of Alembic archives. Needs the extra ``alembic``: ``pip install "kinetree[alembic]"``.

The package ``alembic3d`` brings the Alembic libraries for Python. It is not made by the Alembic
project.
"""

from __future__ import annotations

import os
from typing import Any, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from ._arrays import refused
from .scenes import Scene

try:
    from alembic3d import Abc, AbcGeom
except ImportError as _error:
    raise ImportError('kinetree.alembic needs alembic3d: pip install "kinetree[alembic]"') from _error

__all__ = ["read"]

_Doubles = npt.NDArray[np.float64]


def read(
    path: str | os.PathLike[str],
    *,
    fps: float | None = None,
    metres_per_unit: float = 1.0,
    objects: Sequence[str] | None = None,
    scene: Scene | None = None,
    **options: Any,
) -> Scene:
    """Reads the meshes of an archive.

    A mesh is a body with its full name, such as ``/walker/cape``. Points and transforms have keys where
    the archive has samples; vertices move linearly in between. Polygons are cut into fans, and their
    corners reversed: Alembic has them clockwise. Subdivision surfaces are their cages, with a note;
    everything else is left out, with a note. Archives know no units: ``metres_per_unit``. ``fps``: of
    the scene; without it, the rate of the first mesh whose samples are evenly spaced. ``objects``:
    full names of objects, of which all meshes below are read. ``scene``: a scene to add to; it keeps
    its ``fps``, and another one is refused.
    ``options`` are those of :meth:`kinetree.Scene.add`, such as ``self_contact=True``.

    Faces that change over time are refused (``Alembic.Topology``), and so are points that do not fit.
    """
    name = os.fspath(path)
    if not (np.isfinite(metres_per_unit) and metres_per_unit > 0):
        raise refused("Alembic.Units", f"metres_per_unit: {metres_per_unit} is not a number above 0")
    if isinstance(objects, str):
        raise refused("Option", f"objects: {objects!r} is a text; give a list of names, [{objects!r}]")
    if not os.path.isfile(name):
        raise refused("Alembic.File", f"{name}: there is no such file")
    try:
        archive = Abc.IArchive(name)
        top = archive.getTop()
    except RuntimeError as error:
        raise refused("Alembic.File", f"{name}: no Alembic archive: {error}") from error
    made = Scene() if scene is None else scene
    if fps is not None:
        if made.fps not in (None, fps):
            raise refused("Option", f"fps: {fps}, and the scene has {made.fps} frames a second; leave fps out")
        made.fps = fps
    left_out: dict[str, int] = {}
    rates: list[float] = []
    wanted = None if objects is None else [one.rstrip("/") for one in objects]
    found: set[str] = set()
    count = 0
    for mesh, xforms, is_cage in _meshes(top, left_out):
        full = mesh.getFullName()
        if wanted is not None:
            here = [one for one in wanted if full == one or full.startswith(f"{one}/")]
            if not here:
                continue
            found.update(here)
        count += 1
        _add(made, full, mesh.getSchema(), xforms, metres_per_unit, rates, options)
        if is_cage:
            made._notes.append(f"{full}: a subdivision surface; its cage is checked")
    missing = [one for one in wanted or [] if one not in found]
    if missing or (wanted is not None and count == 0):
        raise refused("Alembic.Object", f"{name}: there is no mesh at or below {', '.join(missing)}")
    if made.fps is None and rates:
        made.fps = rates[0]
    made._notes += [f"{name}: {count} of type {kind} left out" for kind, count in sorted(left_out.items())]
    return made


def _meshes(top: Any, left_out: dict[str, int]) -> Iterator[tuple[Any, list[Any], bool]]:
    """All meshes in the order of the archive, with the transforms above them, the outermost first."""
    open_objects: list[tuple[Any, list[Any]]] = [(top, [])]
    while open_objects:
        parent, above = open_objects.pop()
        following = []
        for number in range(parent.getNumChildren()):
            header, below = parent.getChildHeader(number), above
            child = parent.getChild(number)
            if AbcGeom.IXform.matches(header):
                below = [*above, AbcGeom.IXform(parent, header.getName()).getSchema()]
            elif AbcGeom.IPolyMesh.matches(header):
                yield AbcGeom.IPolyMesh(parent, header.getName()), above, False
            elif AbcGeom.ISubD.matches(header):
                yield AbcGeom.ISubD(parent, header.getName()), above, True
            elif not AbcGeom.IFaceSet.matches(header):
                kind = header.getMetaData().get("schema") or "unknown"
                left_out[kind] = left_out.get(kind, 0) + 1
            following.append((child, below))
        open_objects += reversed(following)


def _at(time: float) -> Any:
    """Selects the sample at a time: numbers of samples are taken as seconds."""
    return Abc.ISampleSelector(float(time), Abc.ISampleSelector.TimeIndexType.kNearIndex)


def _times(schema: Any) -> _Doubles:
    sampling = schema.getTimeSampling()
    return np.array([sampling.getSampleTime(number) for number in range(schema.getNumSamples())])


def _between(times: _Doubles, values: npt.NDArray[Any], time: float) -> npt.NDArray[Any]:
    """A value linear between samples, at rest outside of them."""
    place = int(np.searchsorted(times, time, "right"))
    if place == 0 or place == len(times) or times[place - 1] == time:
        held: npt.NDArray[Any] = values[max(place - 1, 0)]
        return held
    part = (time - times[place - 1]) / (times[place] - times[place - 1])
    mixed: npt.NDArray[Any] = (1 - part) * values[place - 1] + part * values[place]
    return mixed


def _add(
    scene: Scene, name: str, schema: Any, xforms: list[Any], unit: float, rates: list[float], options: dict[str, Any]
) -> None:
    number = schema.getNumSamples()
    if number == 0:
        raise refused("Alembic.Points", f"{name}: it has no samples")
    times = _times(schema)
    samples = [schema.getValue(_at(time)) for time in times]
    corners = [np.array(sample.getFaceIndices(), np.int64) for sample in samples]
    counts = [np.array(sample.getFaceCounts(), np.int64) for sample in samples]
    points = [np.array(sample.getPositions(), np.float64).reshape(-1, 3) for sample in samples]
    for place in range(1, number):
        same = np.array_equal(corners[0], corners[place]) and np.array_equal(counts[0], counts[place])
        if not same or len(points[0]) != len(points[place]):
            raise refused("Alembic.Topology", f"{name}: its faces or its number of points change at {times[place]} s")
    triangles = _fans(name, corners[0], counts[0], len(points[0]))
    chain = [(_times(xform), _matrices(xform)) for xform in _inherited(xforms) if xform.getNumSamples()]
    keys = np.unique(np.concatenate([part for part in (times, *(of for of, _ in chain)) if len(part) > 1] or [times[:1]]))
    stacked = np.stack(points)
    frames = np.empty((len(keys), len(points[0]), 3))
    for place, time in enumerate(keys):
        placed = _between(times, stacked, time)
        # Points are rows; the innermost transform comes first.
        for of, matrices in reversed(chain):
            matrix = _between(of, matrices, time)
            placed = placed @ matrix[:3, :3] + matrix[3, :3]
        frames[place] = placed * unit
    if len(keys) == 1:
        scene.add(name, triangles, frames[0], **options)
        return
    steps = np.diff(keys)
    if np.allclose(steps, steps[0], rtol=1e-6, atol=0):
        rate = 1 / steps.mean()
        rates.append(float(round(rate)) if abs(rate - round(rate)) < 1e-4 else float(rate))
    scene.add(name, triangles, frames=frames, times=keys, **options)


def _inherited(xforms: list[Any]) -> list[Any]:
    """The transforms that count: those below the last one that does not inherit, and it."""
    for place in range(len(xforms) - 1, -1, -1):
        if xforms[place].getNumSamples() and not xforms[place].getInheritsXforms(_at(0.0)):
            return xforms[place:]
    return xforms


def _matrices(xform: Any) -> _Doubles:
    matrices = [xform.getValue(_at(time)).getMatrix() for time in _times(xform)]
    return np.array([[[matrix[row][column] for column in range(4)] for row in range(4)] for matrix in matrices])


def _fans(name: str, corners: npt.NDArray[np.int64], counts: npt.NDArray[np.int64], points: int) -> npt.NDArray[np.int64]:
    if len(corners) != counts.sum() or (counts < 0).any():
        raise refused("Alembic.Faces", f"{name}: {len(corners)} corners do not fit the counts of its faces")
    if len(corners) and not (0 <= corners.min() and corners.max() < points):
        bad = int(np.argmax((corners < 0) | (corners >= points)))
        raise refused("Alembic.Index", f"{name}: corner {bad} is point {corners[bad]}, and there are {points}")
    begins = np.cumsum(counts) - counts
    fans = [
        np.stack([np.full(count - 2, first), np.arange(first + 2, first + count), np.arange(first + 1, first + count - 1)], 1)
        for first, count in zip(begins, counts)
        if count >= 3
    ]
    places = np.concatenate(fans) if fans else np.empty((0, 3), np.int64)
    turned: npt.NDArray[np.int64] = corners[places]
    return turned
