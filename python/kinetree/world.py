"""Worlds: bodies, a clock, and what touches now."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from . import _arrays, _native
from ._native import Body, Flightplan

Engine = Literal["auto", "kinetic", "interval", "refit", "brute-force"]

__all__ = ["Audit", "Body", "CHANGE", "CONTACT", "Hit", "World"]

#: Columns of contacts: numbers of two bodies (``Body.index``), and a triangle of each.
CONTACT = np.dtype([("a", "u4"), ("triangle_a", "u4"), ("b", "u4"), ("triangle_b", "u4")])

#: Columns of changes: those of contacts, whether the contact began (it ended otherwise), the earliest
#: and the latest second at which it may have, and whether contact was assumed as it is undecided.
CHANGE = np.dtype(CONTACT.descr + [("began", "?"), ("time_lo", "f8"), ("time_hi", "f8"), ("undecided", "?")])


def structured(columns: dict[str, npt.NDArray[Any]], dtype: np.dtype[Any]) -> npt.NDArray[np.void]:
    """Columns as one structured array."""
    rows: npt.NDArray[np.void] = np.empty(len(next(iter(columns.values()))), dtype)
    for name in dtype.names or ():
        rows[name] = columns[name]
    return rows


@dataclass(frozen=True)
class Hit:
    """What a ray meets first."""

    body: Body
    triangle: int
    #: In lengths of the ray's direction.
    distance: float


@dataclass(frozen=True)
class Audit:
    """What an audit of a world found."""

    checks: int
    faults: tuple[str, ...]

    def __bool__(self) -> bool:
        return not self.faults


class World:
    """Bodies in motion, and their contacts.

    >>> import numpy as np, kinetree as kt
    >>> triangle = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float)
    >>> world = kt.World()
    >>> floor = world.add_body([[0, 1, 2]], kt.fixed(triangle), name="floor")
    >>> fall = np.stack([triangle + [0, 0, z] for z in (1, 0, 1)])
    >>> ball = world.add_body([[0, 1, 2]], kt.keyframes(fall, [0, 1, 2]), name="ball")
    >>> world.advance_to(1.0)
    >>> world.contacts().tolist()
    [(0, 0, 1, 0)]

    ``engine``: how contacts are found; all engines find the same. ``continuous``: whether contacts
    between the times advanced to are found too, with exact begins and ends (engines auto and
    kinetic).
    """

    def __init__(
        self,
        *,
        engine: Engine = "auto",
        continuous: bool = False,
        start: float = 0.0,
        keep_events: bool = False,
    ) -> None:
        self._world = _native.World(float(start), engine, continuous, keep_events)

    def add_body(
        self,
        triangles: Any,
        plan: Flightplan,
        *,
        name: str = "",
        vertex_count: int | None = None,
        self_contact: bool = False,
        neighbours: bool = False,
        thickness: float = 0.0,
    ) -> Body:
        """Adds a body. ``triangles``: ``(T, 3)`` indices of vertices.

        ``vertex_count`` is needed where the last vertices belong to no triangle. ``self_contact``
        tests it against itself; ``neighbours`` tests triangles that share a corner too.
        """
        corners = _arrays.triangles(triangles)
        count = vertex_count if vertex_count is not None else (int(corners.max()) + 1 if corners.size else 0)
        options = _native.BodyOptions(self_contact, neighbours, float(thickness))
        return self._world.add_body(name, count, corners, plan, options)

    def add_spheres(self, count: int, plan: Flightplan, *, name: str = "", self_contact: bool = False) -> Body:
        """Adds a body made of ``count`` spheres; ``plan`` is one of :func:`kinetree.spheres`."""
        options = _native.BodyOptions(self_contact, False, 0.0)
        return self._world.add_body(name, count, None, plan, options)

    def remove_body(self, body: Body) -> None:
        """Removes a body."""
        self._world.remove_body(body)

    def set_flightplan(self, body: Body, plan: Flightplan) -> None:
        """Gives a body another motion, from now on."""
        self._world.set_flightplan(body, plan)

    def extend_flightplan(self, body: Body, time: float, positions: Any) -> None:
        """Appends a key, ``(N, 3)``, to a body with keyframes."""
        self._world.extend_flightplan(body, float(time), _arrays.floats("positions", positions, None, 3))

    def advance_to(self, time: float) -> None:
        """Advances the clock to ``time`` (seconds) and finds what touches then.

        Other threads run meanwhile.
        """
        self._world.advance_to(float(time))

    @property
    def time(self) -> float:
        """The clock, seconds."""
        return self._world.time

    def bodies(self) -> list[Body]:
        """All bodies, in the order of their numbers."""
        return self._world.bodies()

    def name(self, body: Body) -> str:
        """The name of a body."""
        return self._world.name(body)

    def contacts(self) -> npt.NDArray[np.void]:
        """What touches now; an array of :data:`CONTACT`, sorted."""
        return structured(self._world.contacts(), CONTACT)

    def contacts_at(self, time: float) -> npt.NDArray[np.void]:
        """What touches at a time that the last advance covers."""
        return structured(self._world.contacts_at(float(time)), CONTACT)

    def contact_changes(self) -> npt.NDArray[np.void]:
        """What began or ended since the last advance; an array of :data:`CHANGE`."""
        return structured(self._world.contact_changes(), CHANGE)

    def first_contact(self, a: Body, b: Body, until: float) -> np.void | None:
        """The first contact of two bodies from now until a time, one row of :data:`CHANGE`."""
        found = self._world.first_contact(a, b, float(until))
        return None if found is None else structured(found, CHANGE)[0]

    def next_event(self) -> float | None:
        """Until when contacts cannot change: seconds, ``inf`` for never, ``None`` for unknown."""
        time = self._world.next_event()
        return None if time is None or math.isnan(time) else time

    def positions(self, body: Body) -> npt.NDArray[np.float64]:
        """The vertices of a body now, ``(N, 3)``, metres."""
        return self._world.positions(body)

    def cast_ray(self, origin: Any, direction: Any, reach: float = math.inf) -> Hit | None:
        """The first triangle that a ray meets now."""
        start, along = (tuple(_arrays.doubles(name, value, 3).tolist())
                        for name, value in (("origin", origin), ("direction", direction)))
        hit = self._world.cast_ray(start, along, float(reach))
        return None if hit is None else Hit(*hit)

    def query_box(self, low: Any, high: Any) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
        """Bodies and triangles whose own boxes meet a box now."""
        ends = (tuple(_arrays.doubles(name, value, 3).tolist()) for name, value in (("low", low), ("high", high)))
        return self._world.query_box(*ends)

    def audit(self) -> Audit:
        """Checks the invariants of the world against an independent computation."""
        checks, faults = self._world.audit()
        return Audit(checks, tuple(faults))

    def event_log_hash(self) -> int:
        """The hash of all events so far; equal runs have equal hashes."""
        return self._world.event_log_hash()
