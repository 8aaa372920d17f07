"""Scenes of files and arrays, and checks of whole clips."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Callable, Literal

import numpy as np
import numpy.typing as npt

from . import _arrays, _native
from ._arrays import refused
from .world import Engine, structured

if TYPE_CHECKING:
    import pandas

__all__ = ["CONTACT_INTERVAL", "CheckResult", "Incident", "PairSummary", "Scene", "check", "show"]

#: Columns of contacts over time: numbers of two bodies in the scene, a triangle of each, begin and
#: end in seconds (rounded outward), and marks: whether the begin or the end is not part of the
#: contact (a jump is there), whether the contact existed at the begin or the end of the span, and
#: whether contact is assumed because it is undecided.
CONTACT_INTERVAL = np.dtype(
    [
        ("a", "u4"),
        ("triangle_a", "u4"),
        ("b", "u4"),
        ("triangle_b", "u4"),
        ("begin", "f8"),
        ("end", "f8"),
        ("open_begin", "?"),
        ("open_end", "?"),
        ("clipped_begin", "?"),
        ("clipped_end", "?"),
        ("undecided", "?"),
    ]
)


class Scene:
    """Bodies and their motion.

    >>> import numpy as np
    >>> triangle = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float)
    >>> scene = Scene(fps=24)
    >>> scene.add("floor", [[0, 1, 2]], triangle)
    >>> fall = np.stack([triangle + [0, 0, z] for z in (1, 0.5, 0, 0.5)])
    >>> scene.add("ball", [[0, 1, 2]], frames=fall)
    >>> scene
    <kinetree.Scene: floor, ball>
    """

    def __init__(self, *, fps: float | None = None, span: tuple[float, float] | None = None) -> None:
        self._scene = _native.Scene()
        self.fps = fps
        if span is not None:
            self.span = span

    @classmethod
    def read(cls, *inputs: str | os.PathLike[str], fps: float | None = None, allow_outside: bool = False) -> Scene:
        """Reads a scene file (TOML), or inputs as the program's arguments name them.

        Such as ``Scene.read("cloth.obj:cloth.pc2", "hero.glb#Body@Walk", fps=24)``.
        ``allow_outside`` lets files name others outside their own folder; only if you trust them.
        """
        scene = cls()
        scene._scene = _native.Scene.read([os.fspath(path) for path in inputs], fps, allow_outside)
        return scene

    def add(
        self,
        name: str,
        triangles: Any,
        positions: Any = None,
        *,
        frames: Any = None,
        transforms: Any = None,
        velocity: Any = None,
        times: Any = None,
        fps: float | None = None,
        outside: Literal["hold", "loop", "error"] = "hold",
        self_contact: bool = False,
        neighbours: bool = False,
        thickness: float = 0.0,
        group: str | None = None,
    ) -> None:
        """Adds a body. Lengths are metres, times seconds.

        ``triangles``: ``(T, 3)``. One of: ``positions`` ``(N, 3)`` alone, for a body at rest;
        ``frames`` ``(F, N, 3)``; ``positions`` with ``transforms`` ``(F, 4, 4)``; ``positions`` with
        ``velocity`` ``(3,)``. Frames have ``times``, or ``fps`` (that of the scene if it is not
        given) and begin at 0 s.
        """
        corners = _arrays.triangles(triangles)
        given = [key for key, value in (("frames", frames), ("transforms", transforms), ("velocity", velocity))
                 if value is not None]
        if len(given) > 1:
            raise refused("Option", f"{' and '.join(given)}: give one of them")
        motion: dict[str, Any] | None = None
        if frames is not None:
            keys = _arrays.floats("frames", frames, None, None, 3)
            if len(keys) == 0:
                raise refused("Shape", "frames: there are none")
            motion = {"frames": keys, "times": self._times(times, fps, len(keys))}
            positions = keys[0] if positions is None else positions
        elif transforms is not None:
            matrices = _arrays.doubles("transforms", transforms, None, 4, 4)
            motion = {"transforms": matrices, "times": self._times(times, fps, len(matrices))}
        elif velocity is not None:
            motion = {"velocity": tuple(_arrays.doubles("velocity", velocity, 3).tolist())}
        if positions is None:
            raise refused("Option", "positions or frames: the vertices of the body are needed")
        rest = _arrays.floats("positions", positions, None, 3)
        if motion is not None and "frames" in motion and motion["frames"].shape[1] != len(rest):
            count = motion["frames"].shape[1]
            raise refused("Shape", f"frames: {count} vertices a frame, and positions has {len(rest)}")
        options = {
            "outside": outside,
            "self_contact": bool(self_contact),
            "neighbours": bool(neighbours),
            "thickness": float(thickness),
            "group": group,
        }
        self._scene.add(name, corners, rest, motion, options)

    def add_mesh(self, name: str, mesh: Any, **motion: Any) -> None:
        """Adds a mesh of trimesh (``vertices``, ``faces``) or meshio (``points``, ``cells_dict``).

        Polygons of meshio with four corners are cut into two triangles. ``motion`` is as in
        :meth:`add`; without one the body rests where the mesh is.
        """
        if hasattr(mesh, "faces") and hasattr(mesh, "vertices"):
            positions, corners = np.asarray(mesh.vertices), np.asarray(mesh.faces)
        elif hasattr(mesh, "cells_dict") and hasattr(mesh, "points"):
            cells = mesh.cells_dict
            unknown = sorted(set(cells) - {"triangle", "quad", "line", "vertex"})
            if unknown:
                raise refused("Mesh", f"mesh: cells of type {', '.join(unknown)} are no triangles")
            quads = np.asarray(cells.get("quad", np.empty((0, 4), int)))
            parts = [np.asarray(cells.get("triangle", np.empty((0, 3), int))), quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]
            positions, corners = np.asarray(mesh.points), np.concatenate(parts)
        else:
            raise refused("Mesh", f"mesh: {type(mesh).__name__} has neither vertices and faces nor points and cells_dict")
        if "frames" not in motion:
            motion["positions"] = positions
        self.add(name, corners, **motion)

    def _times(self, times: Any, fps: float | None, count: int) -> npt.NDArray[np.float64]:
        rate = self.fps if fps is None and times is None else fps
        return _arrays.key_times(times, rate, count)

    def exclude(self, a: str, b: str) -> None:
        """Leaves out the contacts of two bodies, by name."""
        self._scene.exclude(self.number(a), self.number(b))

    def number(self, name: str) -> int:
        """The number of a body."""
        names = self._scene.names
        if name not in names:
            raise refused("NoSuchBody", f"there is no body '{name}'; there are {', '.join(names) or 'none'}")
        return names.index(name)

    @property
    def names(self) -> list[str]:
        """Names of the bodies, in order."""
        return self._scene.names

    @property
    def fps(self) -> float | None:
        """Frames a second, for sampling and for frames in results. Frame 0 is at 0 s."""
        return self._scene.fps

    @fps.setter
    def fps(self, fps: float | None) -> None:
        self._scene.fps = fps

    @property
    def span(self) -> tuple[float, float] | None:
        """First and last second to check: as set, or from the first key to the last."""
        return self._scene.span

    @span.setter
    def span(self, span: tuple[float, float] | None) -> None:
        self._scene.span = span

    @property
    def notes(self) -> list[str]:
        """Remarks of the reader: the scene is valid, but may not be what was meant."""
        return self._scene.notes

    def positions(self, body: str, time: float) -> npt.NDArray[np.float64]:
        """The vertices of a body at a time, ``(N, 3)``."""
        return self._scene.positions(self.number(body), float(time))

    def triangles(self, body: str) -> npt.NDArray[np.uint32]:
        """The triangles of a body, ``(T, 3)``."""
        return self._scene.triangles(self.number(body))

    def render(
        self, path: str | os.PathLike[str], time: float, *, size: tuple[int, int] = (960, 720)
    ) -> int:
        """Writes a picture (PNG) of a time. Returns how many triangles touch; they are marked."""
        return self._scene.render(os.fspath(path), float(time), *size)

    def __repr__(self) -> str:
        return f"<kinetree.Scene: {', '.join(self.names) or 'empty'}>"


@dataclass(frozen=True)
class PairSummary:
    """Contacts of one pair of bodies."""

    a: str
    b: str
    #: First contact, seconds; ``None`` without one.
    first: float | None
    #: Time in which anything touches, seconds.
    seconds: float
    #: Contacts over time.
    contacts: int
    #: Samples at which anything touches.
    samples: int
    #: Most pairs of triangles that touch at once, and when.
    most: int
    most_at: float


@dataclass(frozen=True)
class Incident:
    """Contacts between the same two regions of neighbouring triangles: one finding.

    Lengths in metres, areas in square metres, times in seconds. Length, area, centre and bounds are
    those at the worst time.
    """

    #: Its place by severity, from 1.
    number: int
    #: Names of the two bodies; equal for a body with itself.
    a: str
    b: str
    begin: float
    end: float
    worst_time: float
    #: Greatest penetration depth; ``None`` where no body is closed.
    depth: float | None
    #: Depth, or length / 2π where no depth is known.
    severity: float
    #: Length of the crossing curve, and the area that it cuts off.
    length: float
    area: float
    centre: tuple[float, float, float]
    #: Different pairs of triangles.
    pairs: int
    #: Whether a baseline does not have it.
    is_new: bool
    #: First and last frame at which it exists; ``None`` without a frame rate.
    first_frame: int | None
    last_frame: int | None
    #: Triangles of each body.
    triangles_a: npt.NDArray[np.uint32]
    triangles_b: npt.NDArray[np.uint32]
    #: Numbers of its contacts in :attr:`CheckResult.contacts`.
    contacts: npt.NDArray[np.uint32]
    #: Names of groups, materials and joints of the triangles of each body.
    parts_a: dict[str, list[str]]
    parts_b: dict[str, list[str]]

    def __str__(self) -> str:
        where = f"{self.a} with itself" if self.a == self.b else f"{self.a} and {self.b}"
        how = f"{1000 * self.depth:.3g} mm deep" if self.depth is not None else f"{1000 * self.length:.3g} mm long"
        return f"{self.number}: {where}, {self.begin:.4f} s to {self.end:.4f} s, worst at {self.worst_time:.4f} s: {how}"


def _incident(row: dict[str, Any]) -> Incident:
    arrays = {key: np.asarray(row[key], np.uint32) for key in ("triangles_a", "triangles_b", "contacts")}
    plain = {field.name: row.get(field.name) for field in fields(Incident) if field.name not in arrays}
    plain["centre"] = tuple(row["centre"])
    return Incident(**plain, **arrays)  # type: ignore[arg-type]


class CheckResult:
    """What a check found."""

    def __init__(self, native: _native.CheckResult) -> None:
        self._native = native
        self._contacts: npt.NDArray[np.void] | None = None
        self._incidents: list[Incident] | None = None

    @property
    def incidents(self) -> list[Incident]:
        """The findings, the most severe first."""
        if self._incidents is None:
            self._incidents = [_incident(row) for row in json.loads(self._native.incidents())]
        return self._incidents

    def to_json(self, path: str | os.PathLike[str]) -> None:
        """Writes the result file that ``kinetree check --json`` writes."""
        self._native.write_json(os.fspath(path))

    def report(self, path: str | os.PathLike[str], *, title: str = "scene", pictures: int = 6) -> None:
        """Writes the report: one HTML file with timeline, pictures and a 3D view, without a network."""
        self._native.write_report(os.fspath(path), title, int(pictures))

    @property
    def contacts(self) -> npt.NDArray[np.void]:
        """Contacts over time, sorted by bodies, triangles and begin; see :data:`CONTACT_INTERVAL`."""
        if self._contacts is None:
            self._contacts = structured(self._native.contacts(), CONTACT_INTERVAL)
        return self._contacts

    @property
    def pairs(self) -> list[PairSummary]:
        """All pairs of bodies that were tested."""
        names = self.names
        rows = self._native.pairs()
        return [
            PairSummary(names[a], names[b], first, seconds, contacts, samples, most, most_at)
            for a, b, first, seconds, contacts, samples, most, most_at in rows
        ]

    @property
    def names(self) -> list[str]:
        """Names of the bodies, by their numbers."""
        return self._native.names

    @property
    def span(self) -> tuple[float, float]:
        """First and last second that were checked."""
        return self._native.span

    @property
    def times(self) -> npt.NDArray[np.float64]:
        """The sampled times, seconds."""
        return self._native.times

    @property
    def is_complete(self) -> bool:
        """Whether all of the span was checked."""
        return self._native.is_complete

    @property
    def undecided(self) -> int:
        """Contacts that are assumed, because they could not be decided."""
        return self._native.undecided

    def __bool__(self) -> bool:
        """Whether anything touches."""
        return self._native.has_contacts

    def to_pandas(self) -> pandas.DataFrame:
        """Contacts over time as a table, with names of bodies. Needs pandas."""
        import pandas

        table = pandas.DataFrame(self.contacts)
        for side in "ab":
            codes = self.contacts[side].astype(np.int32)
            table[side] = pandas.Categorical.from_codes(codes, categories=pandas.Index(self.names))
        return table

    def __repr__(self) -> str:
        begin, end = self.span
        return f"<kinetree.CheckResult: {len(self.contacts)} contacts from {begin:g} s to {end:g} s>"


def check(
    scene: Scene | str | os.PathLike[str],
    *,
    engine: Engine = "auto",
    over_time: bool | None = None,
    times: Any = None,
    fps: float | None = None,
    span: tuple[float, float] | None = None,
    self_contact: bool = False,
    neighbours: bool = False,
    thickness: float | None = None,
    ignore_rest_contacts: bool = False,
    stop_at_first: bool = False,
    progress: Callable[[int, int], Any] | None = None,
) -> CheckResult:
    """From when to when the triangles of a scene touch.

    ``scene``: a :class:`Scene`, or the path of a scene file. ``over_time=False`` looks only at the
    samples. ``self_contact`` tests bodies against themselves (one that is alone always is).
    ``progress`` is called with the number of samples done and of all; it ends the check by
    returning ``False``. Other threads run meanwhile, and Ctrl-C ends it.

    >>> import numpy as np
    >>> triangle = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float)
    >>> scene = Scene()
    >>> scene.add("floor", [[0, 1, 2]], triangle)
    >>> scene.add("ball", [[0, 1, 2]], frames=[triangle + [0, 0, 1], triangle - [0, 0, 1]], times=[0, 1])
    >>> result = check(scene)
    >>> [round(float(row["begin"]), 6) for row in result.contacts]
    [0.5]
    """
    taken = scene if isinstance(scene, Scene) else Scene.read(scene)
    native = taken._scene.copy()
    native.apply_rules(self_contact, neighbours, None if thickness is None else float(thickness))
    options = {
        "engine": engine,
        "over_time": over_time,
        "fps": None if fps is None else float(fps),
        "span": span,
        "ignore_rest_contacts": bool(ignore_rest_contacts),
        "stop_at_first": bool(stop_at_first),
    }
    samples = None if times is None else _arrays.doubles("times", times, None)
    return CheckResult(_native.check(native, options, samples, progress))


def show(result: CheckResult, *, height: int = 800) -> Any:
    """The report with its 3D view in a notebook. Needs IPython."""
    import base64
    import tempfile

    from IPython.display import HTML

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "report.html")
        result.report(path)
        with open(path, "rb") as page:
            data = base64.b64encode(page.read()).decode()
    return HTML(f'<iframe src="data:text/html;base64,{data}" width="100%" height="{int(height)}"></iframe>')
