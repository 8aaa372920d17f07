"""Worlds: bodies, a clock, and what touches now."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterable, Literal, Mapping

import numpy as np
import numpy.typing as npt

from . import _arrays, _native
from ._arrays import real
from ._native import BakedTree, Body, Flightplan, ScheduledChange, Snapshot
from .queries import PAIR_CHANGE, CHANGE, CONTACT, Hit, Manifold, Pair, Query, Trial, box, manifold_of, number, structured

if TYPE_CHECKING:
    from .scenes import Scene

Engine = Literal["auto", "kinetic", "interval", "refit", "brute-force"]

__all__ = [
    "Audit",
    "BakedTree",
    "Body",
    "CHANGE",
    "CONTACT",
    "Hit",
    "Manifold",
    "ONGOING",
    "PAIR_CHANGE",
    "Pair",
    "Query",
    "ScheduledChange",
    "Snapshot",
    "Trial",
    "World",
]

#: Columns of contacts that are on: those of contacts, the earliest and the latest second at which each
#: may have begun, and whether contact is assumed.
ONGOING = np.dtype(CONTACT.descr + [("time_lo", "f8"), ("time_hi", "f8"), ("undecided", "?")])

#: A mask of all groups.
ALL = 2**64 - 1


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

    One thread at a time: a call while another one computes with the world, of its queries or trials
    too, is refused, ``World.Busy``. A body of another world is refused, ``World.NoSuchBody``; those of
    a snapshot's world and of its copies are the same. What is added to a copy has the names that the
    world gave after the snapshot: the first body added to either is one :class:`Body` for both, and so is
    the first scheduled change.
    """

    def __init__(
        self,
        *,
        engine: Engine = "auto",
        continuous: bool = False,
        start: float = 0.0,
        keep_events: bool = False,
    ) -> None:
        self._world = _native.World(real("start", start), engine, continuous, keep_events)

    @classmethod
    def _of(cls, native: _native.World) -> World:
        world = cls.__new__(cls)
        world._world = native
        return world

    @classmethod
    def of_scene(
        cls,
        scene: Scene,
        *,
        start: float | None = None,
        engine: Engine = "auto",
        continuous: bool = False,
        ignore_rest_contacts: bool = False,
    ) -> World:
        """A world with the bodies of a scene, in its order, at ``start`` or the scene's begin.

        Bodies are tested against themselves only where the scene says so, also one that is alone:
        :func:`kinetree.check` tests that one in any case.
        """
        begin = None if start is None else real("start", start)
        return cls._of(_native.World.of_scene(scene._scene, begin, engine, continuous, ignore_rest_contacts))

    @classmethod
    def restore(cls, snapshot: Snapshot) -> World:
        """A world that goes on from a snapshot. Its bodies are those of the world that was copied."""
        return cls._of(snapshot.restore())

    def snapshot(self) -> Snapshot:
        """A copy of the world at its clock's time, for :meth:`restore`, any number of times."""
        return _native.snapshot(self._world)

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
        category: int = 1,
        mask: int = ALL,
        ignored_contacts: Literal["none", "rest", "start"] = "none",
        ignoring: Iterable[Body] = (),
    ) -> Body:
        """Adds a body. ``triangles``: ``(T, 3)`` indices of vertices.

        ``vertex_count`` is needed where the last vertices belong to no triangle. ``self_contact``
        tests it against itself; ``neighbours`` tests triangles that share a corner too.
        ``thickness``: metres. ``category``, ``mask``: as :meth:`set_filter`. ``ignored_contacts``
        leaves out pairs of triangles that touch where both motions begin (``"rest"``), or now
        (``"start"``). ``ignoring``: bodies that it is not tested against.
        """
        corners = _arrays.triangles(triangles)
        used = int(corners.max()) + 1 if corners.size else 0
        count = used if vertex_count is None else number("vertex_count", vertex_count)
        rules = number("category", category), number("mask", mask)
        options = _native.BodyOptions(
            self_contact, neighbours, real("thickness", thickness), rules, ignored_contacts, list(ignoring)
        )
        return self._world.add_body(name, count, corners, plan, options)

    def add_spheres(self, count: int, plan: Flightplan, *, name: str = "", self_contact: bool = False) -> Body:
        """Adds a body made of ``count`` spheres; ``plan`` is one of :func:`kinetree.spheres`."""
        options = _native.BodyOptions(self_contact, False, 0.0, (1, ALL), "none", [])
        return self._world.add_body(name, number("count", count), None, plan, options)

    def remove_body(self, body: Body) -> None:
        """Removes a body."""
        self._world.remove_body(body)

    def set_flightplan(self, body: Body, plan: Flightplan) -> None:
        """Gives a body another motion, from now on."""
        self._world.set_flightplan(body, plan)

    def extend_flightplan(self, body: Body, time: float, positions: Any) -> None:
        """Appends a key, ``(N, 3)``, to a body with keyframes."""
        self._world.extend_flightplan(body, real("time", time), _arrays.floats("positions", positions, None, 3))

    def schedule_flightplan(self, body: Body, at: float, plan: Flightplan) -> ScheduledChange:
        """Gives a body another motion at a time to come, seconds; not for reduced motions."""
        return _native.schedule_flightplan(self._world, body, real("at", at), plan)

    def cancel_change(self, change: ScheduledChange) -> bool:
        """Withdraws a scheduled change; returns whether it was still to come."""
        return _native.cancel_change(self._world, change)

    def scheduled_changes(self) -> list[tuple[ScheduledChange, float, Body]]:
        """Changes to come, in their order, with their times and bodies."""
        return _native.scheduled_changes(self._world)

    def set_filter(self, body: Body, category: int, mask: int = ALL) -> None:
        """Sets the groups that a body belongs to, and those that it is tested against, one bit each.

        Two bodies are tested if each one's category is in the other one's mask.
        """
        _native.set_filter(self._world, body, number("category", category), number("mask", mask))

    def set_thickness(self, body: Body, thickness: float) -> None:
        """Sets the thickness of a body, metres: two bodies touch from the mean of both on."""
        _native.set_thickness(self._world, body, real("thickness", thickness))

    def set_pair_thickness(self, a: Body, b: Body, thickness: float | None) -> None:
        """Sets from which distance two bodies touch, metres; ``None`` for their own thicknesses."""
        _native.set_pair_thickness(self._world, a, b, None if thickness is None else real("thickness", thickness))

    def set_pair_watched(self, a: Body, b: Body, watched: bool) -> None:
        """Sets whether two bodies are tested against each other."""
        _native.set_pair_watched(self._world, a, b, bool(watched))

    def advance_to(self, time: float) -> None:
        """Advances the clock to ``time`` (seconds) and finds what touches then.

        Other threads run meanwhile. Ctrl-C raises :class:`KeyboardInterrupt` at once. The world then
        goes on to ``time`` by itself. Its next method waits for it, and raises the error with which it
        ended, if it did. In worlds of at most 1000 triangles, advances of at most a second are not
        interrupted: Ctrl-C waits until they are done.
        """
        self._world.advance_to(real("time", time))

    def advance_to_within(self, time: float, budget: int) -> bool:
        """Advances towards ``time`` by about ``budget`` events; returns whether the clock stands there.

        Where it stops, contacts are exact. The next call goes on from there. Ctrl-C is as with
        :meth:`advance_to`.
        """
        return self._world.advance_to_within(real("time", time), number("budget", budget))

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
        return structured(self._world.contacts_at(real("time", time)), CONTACT)

    def contact_changes(self) -> npt.NDArray[np.void]:
        """What began or ended since the last advance; an array of :data:`CHANGE`."""
        return structured(self._world.contact_changes(), CHANGE)

    def ongoing_contacts(self) -> npt.NDArray[np.void]:
        """Contacts that are on, with their begins; an array of :data:`ONGOING`."""
        return structured(_native.ongoing_contacts(self._world), ONGOING)

    def certified_span(self) -> tuple[float, float]:
        """First and last second that :meth:`contacts_at` knows."""
        return _native.certified_span(self._world)

    def body_pair_changes(self) -> npt.NDArray[np.void]:
        """Pairs of bodies that began or ceased to touch since the last advance.

        An array of :data:`PAIR_CHANGE`: one row for the first pair of triangles that touches, and
        one for the last that parts.
        """
        return structured(_native.body_pair_changes(self._world), PAIR_CHANGE)

    def pair(self, a: Body, b: Body) -> Pair:
        """Two bodies, or one with itself: whether they touch, whether they may, and from where on."""
        return Pair(*_native.pair(self._world, a, b))

    def manifolds(self, a: Body, b: Body) -> list[Manifold]:
        """Connected regions in which two bodies touch now, with points, normals, depth and area."""
        return [manifold_of(region) for region in _native.manifolds(self._world, a, b)]

    def candidates_between(self, a: Body, b: Body) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
        """Triangles of two bodies whose boxes overlap now, pair by pair."""
        return _native.candidates_between(self._world, a, b)

    def trial(self, moves: Mapping[Body, Any], end: float, *, distance: float | None = None) -> Trial:
        """Proposes positions ``(N, 3)`` of bodies at a time after the clock: a solver's next step.

        ``distance``: metres from which triangles touch in the trial; ``None`` for the thicknesses of
        the world. The world is not changed before :meth:`Trial.commit`.
        """
        placed = [(body, _arrays.floats("positions", place, None, 3)) for body, place in moves.items()]
        reach = None if distance is None else real("distance", distance)
        return Trial(_native.Trial(self._world, placed, real("end", end), reach))

    def query(
        self,
        *,
        at: float | None = None,
        category: int | None = None,
        mask: int | None = None,
        ignoring: Iterable[Body] = (),
    ) -> Query:
        """A query of space now, or ``at`` another second.

        ``category``, ``mask``: finds bodies whose filter and this one allow each other.
        """
        rule = None
        if category is not None or mask is not None:
            rule = number("category", 1 if category is None else category), number("mask", ALL if mask is None else mask)
        return Query(_native.Query(self._world, None if at is None else real("at", at), rule, list(ignoring)))

    def bake(
        self, body: Body, begin: float, end: float, *, fps: float | None = None, sync_points: int = 0
    ) -> BakedTree:
        """The events of a body's tree over a span, for :meth:`set_baked`; ``fps`` for frames only."""
        span, rate = (real("begin", begin), real("end", end)), None if fps is None else real("fps", fps)
        return _native.bake_tree(self._world, body, span, rate, number("sync_points", sync_points))

    def set_baked(self, body: Body, tree: BakedTree | None) -> None:
        """Lets a body's tree follow a baked one; ``None`` for a tree of its own again."""
        _native.set_baked_tree(self._world, body, tree)

    def first_contact(self, a: Body, b: Body, until: float) -> np.void | None:
        """The first contact of two bodies from now until a time, one row of :data:`CHANGE`."""
        found = self._world.first_contact(a, b, real("until", until))
        return None if found is None else structured(found, CHANGE)[0]

    def next_event(self) -> float | None:
        """Until when contacts cannot change: seconds, ``inf`` for never, ``None`` for unknown."""
        time = self._world.next_event()
        return None if time is None or math.isnan(time) else time

    def positions(self, body: Body) -> npt.NDArray[np.float64]:
        """The vertices of a body now, ``(N, 3)``, metres."""
        return self._world.positions(body)

    def cast_ray(self, origin: Any, direction: Any, reach: float = math.inf) -> Hit | None:
        """The first triangle that a ray meets now; ``reach`` in lengths of the direction."""
        return self.query().cast_ray(origin, direction, reach)

    def query_box(self, low: Any, high: Any) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
        """Bodies and triangles whose own boxes meet a box now."""
        return self._world.query_box(*box(low, high))

    def stats(self) -> dict[str, Any]:
        """Counters of the world, by name."""
        counters: dict[str, Any] = json.loads(self._world.stats())
        return counters

    def audit(self) -> Audit:
        """Checks the invariants of the world against an independent computation."""
        checks, faults = self._world.audit()
        return Audit(checks, tuple(faults))

    def event_log_hash(self) -> int:
        """The hash of all events so far; equal runs have equal hashes."""
        return self._world.event_log_hash()
