"""Checks of whole clips, and what they find."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Callable, Iterable, Literal

import numpy as np
import numpy.typing as npt

from . import _arrays, _native
from ._arrays import Compared, refused
from ._native import BakedScene
from .scenes import Scene
from .queries import structured
from .world import Engine

if TYPE_CHECKING:
    import pandas

__all__ = ["BakedScene", "CONTACT_INTERVAL", "CheckResult", "Incident", "PairSummary", "Scene", "bake", "check", "merge", "read_result", "show"]

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


@dataclass(frozen=True, eq=False)
class Incident(Compared):
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
    #: Depth, or length / 2π where no depth is known; ``None`` without a depth and a crossing curve,
    #: as with spheres, points or segments, or where contact is by thickness alone.
    severity: float | None
    #: Length of the crossing curve, and the area that it cuts off; ``None`` as above. Overlaps in a
    #: common plane have an area all the same.
    length: float | None
    area: float | None
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
        how = "not measured"
        if self.depth is not None:
            how = f"{_length(self.depth)} deep"
        elif self.length is not None:
            how = f"{_length(self.length)} long"
        return f"{self.number}: {where}, {self.begin:.4f} s to {self.end:.4f} s, worst at {self.worst_time:.4f} s: {how}"


def _length(metres: float) -> str:
    """A length for people, with the unit that suits it."""
    if metres >= 0.9995:
        return f"{metres:.2f} m"
    return f"{metres:.1e} m" if 0 < metres < 1e-7 else f"{1000 * metres:.3g} mm"


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
        self._parts: list[list[tuple[list[str], list[str], list[str], list[tuple[int, int]]]]] | None = None

    @property
    def incidents(self) -> list[Incident]:
        """The findings, the most severe first.

        A part that was read or joined without its scene has none, and neither has a check that leaves
        them out: :class:`InputError`, ``NoScene``. Where only samples were tested, they cannot be found:
        :class:`InputError`, ``Samples``.
        """
        if self._incidents is None:
            rows = self._native.incidents()
            if rows is None:
                raise refused("NoScene", "incidents: they were left out, or the result was read without its scene; give scene=")
            self._incidents = [_incident(row) for row in json.loads(rows)]
        return self._incidents

    def failing(self, *conditions: str) -> list[Incident]:
        """The incidents that meet one of some lists of conditions, the most severe first.

        Conditions are those of ``kinetree check --fail-on``, such as ``"depth>2mm,frames>3"``; those
        separated by commas must hold together. Without any, new incidents fail. Refused where
        :attr:`incidents` are, and where no pair of bodies was tested; ``bool(result)`` says whether
        anything touches at the samples. After ``stop_at_first`` only ``"contacts"`` can be asked: what
        comes after it is not known.
        """
        return [self.incidents[place] for place in self._native.failing(list(conditions))]

    def unjudged(self, *conditions: str) -> list[Incident]:
        """The incidents that no list of conditions decides on, the most severe first.

        They lack a measure that the lists compare, and meet all other conditions: an incident without
        a depth and a crossing curve is not in :meth:`failing` of ``"depth>2mm"``, however many
        triangles touch. Refused where :meth:`failing` is.
        """
        return [self.incidents[place] for place in self._native.unjudged(list(conditions))]

    def to_json(self, path: str | os.PathLike[str], *, stats: bool = True) -> None:
        """Writes the result file that ``kinetree check --json`` writes.

        ``stats=False`` leaves out its last member, the counters. Results that were read or joined
        have none. If writing fails, an earlier file stays.
        """
        self._native.write_json(os.fspath(path), bool(stats))

    def to_bytes(self, *, stats: bool = True) -> bytes:
        """The bytes that :meth:`to_json` writes."""
        return self._native.json(bool(stats))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the result file; without its scene, it writes no report and has no :meth:`failing`."""
        return _read_back, (self.to_bytes(stats=False),)

    def __copy__(self) -> CheckResult:
        return CheckResult(self._native)

    def __deepcopy__(self, memo: dict[int, Any]) -> CheckResult:
        return CheckResult(self._native)

    def report(
        self,
        path: str | os.PathLike[str],
        *,
        title: str = "scene",
        pictures: int = 6,
        up: Literal["y", "z"] | None = None,
    ) -> None:
        """Writes the report: one HTML file with timeline, pictures and a 3D view, without a network.

        ``up`` is the axis that pictures show upright. Without it, z where a body at rest is flat
        across z, as floors are, otherwise y. If writing fails, an earlier file stays.
        """
        axis = None if up is None else {"y": 1, "z": 2}.get(up)
        if up is not None and axis is None:
            raise refused("Option", f"up: '{up}' is neither 'y' nor 'z'")
        self._native.write_report(os.fspath(path), title, _arrays.whole("pictures", pictures), axis)

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

    def names_of(self, body: str, triangle: int) -> dict[str, list[str]]:
        """What a triangle is called in its file: groups or nodes, materials and joints."""
        if body not in self.names:
            raise refused("NoSuchBody", f"there is no body '{body}'; there are {', '.join(self.names)}")
        triangle = _arrays.whole("triangle", triangle, 0, self._native.sizes[self.names.index(body)] - 1)
        if self._parts is None:
            self._parts = self._native.parts
        for groups, materials, joints, ranges in self._parts[self.names.index(body)]:
            if any(first <= triangle < end for first, end in ranges):
                return {"groups": groups, "materials": materials, "joints": joints}
        return {"groups": [], "materials": [], "joints": []}

    @property
    def span(self) -> tuple[float, float]:
        """First and last second that were checked."""
        return self._native.span

    @property
    def whole(self) -> tuple[float, float]:
        """First and last second of the whole check; a result of another span is a part of it."""
        return self._native.whole

    @property
    def fps(self) -> float | None:
        """Frames a second, where the scene or the options say so."""
        return self._native.fps

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

    def incidents_to_pandas(self) -> pandas.DataFrame:
        """Incidents as a table, one row each, indexed by their numbers. Needs pandas.

        What was not measured is NaN; frames are ``Int64``, missing without a frame rate.
        """
        import pandas

        plain = [field.name for field in fields(Incident) if field.name not in ("contacts", "parts_a", "parts_b")]
        rows = [{name: getattr(incident, name) for name in plain} for incident in self.incidents]
        for row in rows:
            row["triangles_a"], row["triangles_b"] = len(row["triangles_a"]), len(row["triangles_b"])
        table = pandas.DataFrame(rows, columns=pandas.Index(plain)).set_index("number")
        types: dict[Any, Any] = dict.fromkeys(
            ("begin", "end", "worst_time", "depth", "severity", "length", "area"), "float64"
        )
        types |= dict.fromkeys(("first_frame", "last_frame"), "Int64") | {"is_new": "bool"}
        # Of a table without rows too, so that it can be filtered by them.
        return table.astype(types | dict.fromkeys(("pairs", "triangles_a", "triangles_b"), "int64"))

    def pairs_to_pandas(self) -> pandas.DataFrame:
        """The summaries of pairs of bodies as a table; ``first`` is NaN without contact. Needs pandas."""
        import pandas

        names = [field.name for field in fields(PairSummary)]
        rows = [[getattr(pair, name) for name in names] for pair in self.pairs]
        return pandas.DataFrame(rows, columns=pandas.Index(names)).astype({"first": "float64"})

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
    baseline: str | os.PathLike[str] | None = None,
    incidents: bool = True,
    baked: BakedScene | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> CheckResult:
    """From when to when the triangles of a scene touch.

    ``scene``: a :class:`Scene`, or the path of a scene file. ``over_time=False`` tests only the
    samples, and so do engines other than ``"auto"`` and ``"kinetic"``: no incidents are found then.
    ``times`` or ``fps``: when to sample. ``self_contact`` tests bodies against themselves (one that is
    alone always is).
    ``baseline``: what incidents are compared with (:attr:`Incident.is_new`): ``"start"``, ``"rest"``
    or an earlier result file. ``span``: a part of the check, seconds; :func:`merge` joins parts.
    ``incidents=False`` leaves incidents out, which joining finds. ``baked``: contacts are taken from
    what :func:`bake` made of this very scene; a file is read as there, with the keys of models stored.
    ``progress`` is called with the number of samples done and of all; it ends the check by returning
    ``False``. Other threads run meanwhile. Ctrl-C raises
    :class:`KeyboardInterrupt` at once; the thread that computes ends shortly after. In a process that
    was forked after the package computed in its parent, checks wait for ever: start processes with
    ``multiprocessing.get_context("spawn")``.

    >>> import numpy as np
    >>> triangle = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float)
    >>> scene = Scene()
    >>> scene.add("floor", [[0, 1, 2]], triangle)
    >>> scene.add("ball", [[0, 1, 2]], frames=[triangle + [0, 0, 1], triangle - [0, 0, 1]], times=[0, 1])
    >>> result = check(scene)
    >>> [round(float(row["begin"]), 6) for row in result.contacts]
    [0.5]
    """
    native, samples, options = _asked(
        scene,
        engine=engine,
        over_time=over_time,
        times=times,
        fps=fps,
        span=span,
        self_contact=self_contact,
        neighbours=neighbours,
        thickness=thickness,
        ignore_rest_contacts=ignore_rest_contacts,
        stop_at_first=stop_at_first,
        baseline=baseline,
        incidents=incidents,
        stored=baked is not None,
    )
    return CheckResult(_native.check(native, options, samples, progress, baked))


def bake(
    scene: Scene | str | os.PathLike[str],
    *,
    frames: Any = None,
    contacts: bool = True,
    self_contact: bool = False,
    neighbours: bool = False,
    thickness: float | None = None,
    ignore_rest_contacts: bool = False,
    sync_points: int = 0,
) -> BakedScene:
    """Computes trees and contacts of a scene over its span.

    ``BakedScene.write`` writes the file that ``kinetree bake`` writes; ``BakedScene.read`` reads it.
    ``frames``: times, seconds, increasing, at which trees can be asked; without, at any time.
    ``contacts=False`` bakes trees only. ``sync_points``: places besides the begin from which far times
    are reached. ``self_contact``, ``neighbours``, ``thickness``: those of the checks that take it.
    Bodies whose motion jumps or is curved have no trees.

    >>> import numpy as np
    >>> triangle = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float)
    >>> scene = Scene()
    >>> scene.add("floor", [[0, 1, 2]], triangle)
    >>> scene.add("ball", [[0, 1, 2]], frames=[triangle + [0, 0, 1], triangle - [0, 0, 1]], times=[0, 1])
    >>> baked = bake(scene)
    >>> baked
    <kinetree.BakedScene: 0 s to 1 s>
    >>> len(check(scene, baked=baked).contacts)
    1
    """
    taken = scene if isinstance(scene, Scene) else Scene.read(scene, stored=True)
    times = None if frames is None else _arrays.doubles("frames", frames, None)
    native = taken._scene.copy()
    native.apply_rules(self_contact, neighbours, None if thickness is None else _arrays.real("thickness", thickness))
    points = _arrays.whole("sync_points", sync_points)
    return _native.bake(native, times, bool(contacts), bool(ignore_rest_contacts), points)


def _asked(
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
    baseline: str | os.PathLike[str] | None = None,
    incidents: bool = True,
    stored: bool = False,
) -> tuple[_native.Scene, npt.NDArray[np.float64] | None, dict[str, Any]]:
    """The scene with the rules of a check, its times, and its other options.

    ``stored``: how a file is read.
    """
    taken = scene if isinstance(scene, Scene) else Scene.read(scene, stored=stored)
    native = taken._scene.copy()
    native.apply_rules(self_contact, neighbours, None if thickness is None else _arrays.real("thickness", thickness))
    options = {
        "engine": engine,
        "over_time": over_time,
        "fps": None if fps is None else _arrays.real("fps", fps),
        "span": None if span is None else _arrays.stretch("span", span),
        "ignore_rest_contacts": bool(ignore_rest_contacts),
        "stop_at_first": bool(stop_at_first),
        "baseline": None if baseline is None else os.fspath(baseline),
        "incidents": bool(incidents),
    }
    return native, None if times is None else _arrays.doubles("times", times, None), options


def _scene_of(results: list[_native.CheckResult], scene: Scene | str | os.PathLike[str]) -> _native.Scene:
    """The scene of results; a file is read as it was for them."""
    stored = not any(result.is_reduced for result in results)
    return (scene if isinstance(scene, Scene) else Scene.read(scene, stored=stored))._scene


def read_result(
    source: str | os.PathLike[str] | bytes, *, scene: Scene | str | os.PathLike[str] | None = None
) -> CheckResult:
    """Reads a result file: its path, or its bytes.

    ``scene``: the scene that was checked; incidents are then found again, and :meth:`~CheckResult.report`
    works. Without it, incidents are those that the file lists. A scene that is not the one of the
    result is refused.
    """
    if isinstance(source, bytes):
        name, text = "result", _text("result", source)
    else:
        name = os.fspath(source)
        text = _text(name, _bytes_of(name))
    native = _native.parse_result(text, name)
    return CheckResult(native if scene is None else _native.result_of_scene(native, _scene_of([native], scene)))


def _bytes_of(name: str) -> bytes:
    try:
        with open(name, "rb") as file:
            return file.read()
    except OSError as error:
        refusal = _native.FileError(f"{name}: {error.strerror}")
        refusal.code = "Read"
        raise refusal from error


def _text(name: str, data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        refusal = _native.FileError(f"{name}: no result of a check: {error}")
        refusal.code = "ResultFile"
        raise refusal from error


def _read_back(data: bytes) -> CheckResult:
    return read_result(data)


def merge(
    parts: Iterable[CheckResult | str | os.PathLike[str] | bytes],
    *,
    scene: Scene | str | os.PathLike[str] | None = None,
) -> CheckResult:
    """Joins the parts of a check, in any order: results, or files or bytes of results.

    The outcome is that of an undivided check, without counters. Incidents go across cuts and are
    found again, with ``scene``: the scene that was checked, with the same rules. Parts of different
    scenes or settings, gaps and overlaps are refused (:class:`InputError`, ``Merge.Gap`` and others).
    """
    read = [(part if isinstance(part, CheckResult) else read_result(part))._native for part in parts]
    return CheckResult(_native.merge(read, None if scene is None else _scene_of(read, scene)))


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
