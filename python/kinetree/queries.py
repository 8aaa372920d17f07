"""What worlds are asked for: contacts, space, pairs of bodies, trials."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _arrays, _native
from ._arrays import refused
from ._native import Body

__all__ = ["CHANGE", "CONTACT", "Hit", "Manifold", "PAIR_CHANGE", "POINT", "Pair", "Query", "TRIAL_CONTACT", "Trial"]

#: Columns of contacts: numbers of two bodies (``Body.index``), and a triangle of each.
CONTACT = np.dtype([("a", "u4"), ("triangle_a", "u4"), ("b", "u4"), ("triangle_b", "u4")])

#: Columns of changes: those of contacts, whether the contact began (it ended otherwise), the earliest
#: and the latest second at which it may have, and whether contact was assumed as it is undecided.
CHANGE = np.dtype(CONTACT.descr + [("began", "?"), ("time_lo", "f8"), ("time_hi", "f8"), ("undecided", "?")])

#: Columns of changes of pairs of bodies: those of changes, and of begins with continuous contacts the
#: point of contact (metres) and the unit normal from ``a`` towards ``b``; otherwise NaN.
PAIR_CHANGE = np.dtype(CHANGE.descr + [("point", "f8", 3), ("normal", "f8", 3)])

#: Columns of contacts of a trial: those of contacts, enclosures of begin and end in seconds (NaN if it
#: goes on at the end), the part of the trial before it, 0 to 1, whether it exists at the start, whether
#: it is assumed, and where: the point (metres) and the unit normal from ``a`` towards ``b``.
TRIAL_CONTACT = np.dtype(
    CONTACT.descr
    + [(name, "f8") for name in ("begin_lo", "begin_hi", "end_lo", "end_hi", "fraction")]
    + [("touches_at_start", "?"), ("undecided", "?"), ("point", "f8", 3), ("normal", "f8", 3)]
)

#: Columns of points of a manifold: ``kind`` is 0 for a vertex inside of the other body, 1 for common
#: points of two triangles, 2 for nearest points; where it is on each body, metres; the unit normal from
#: the first to the second; the signed distance, metres, negative inside; a triangle of each body.
POINT = np.dtype(
    [
        ("kind", "u1"),
        ("point_a", "f8", 3),
        ("point_b", "f8", 3),
        ("point_normal", "f8", 3),
        ("distance", "f8"),
        ("triangle_a", "u4"),
        ("triangle_b", "u4"),
    ]
)


def structured(columns: dict[str, npt.NDArray[Any]], dtype: np.dtype[Any]) -> npt.NDArray[np.void]:
    """Columns as one structured array."""
    rows: npt.NDArray[np.void] = np.empty(len(next(iter(columns.values()))), dtype)
    for name in dtype.names or ():
        rows[name] = columns[name]
    return rows


def vector(name: str, value: Any) -> tuple[float, float, float]:
    x, y, z = _arrays.doubles(name, value, 3).tolist()
    return x, y, z


def number(name: str, value: Any) -> int:
    """A number of 64 bits."""
    try:
        whole = operator.index(value)
    except TypeError:
        raise refused("Option", f"{name}: a whole number is needed, not {type(value).__name__}") from None
    if not 0 <= whole < 2**64:
        raise refused("Option", f"{name}: {whole} is not from 0 to 2**64 - 1")
    return whole


@dataclass(frozen=True)
class Hit:
    """What a ray or a sphere meets first, or what is nearest."""

    body: Body
    #: A triangle, or a sphere of a body made of spheres.
    triangle: int
    #: In lengths of the direction; metres for the nearest point.
    distance: float
    #: Metres.
    point: tuple[float, float, float]
    #: Unit vector towards where the query came from; ``None`` where there is none.
    normal: tuple[float, float, float] | None
    #: Weights of the triangle's corners.
    barycentric: tuple[float, float, float]


def _hit(row: _native.HitRow | None) -> Hit | None:
    if row is None:
        return None
    body, triangle, distance, point, normal, weights = row
    x, y, z = point
    u, v, w = weights
    direction = None
    if normal is not None:
        p, q, r = normal
        direction = p, q, r
    return Hit(body, triangle, distance, (x, y, z), direction, (u, v, w))


#: Numbers of bodies, and their triangles.
Found = tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]


class Query:
    """A query of space, :meth:`kinetree.World.query`. Positions are metres.

    >>> import kinetree as kt
    >>> world = kt.World()
    >>> floor = world.add_body([[0, 1, 2]], kt.fixed([[0, 0, 0], [1, 0, 0], [0, 1, 0]]))
    >>> world.query().nearest_point([0.25, 0.25, 0.5]).distance
    0.5
    >>> world.query(ignoring=[floor]).nearest_point([0.25, 0.25, 0.5]) is None
    True
    """

    def __init__(self, native: _native.Query) -> None:
        self._query = native

    def cast_ray(self, origin: Any, direction: Any, reach: float = math.inf) -> Hit | None:
        """The first triangle that a ray meets; ``reach`` in lengths of ``direction``."""
        return _hit(self._query.cast_ray(vector("origin", origin), vector("direction", direction), float(reach)))

    def cast_sphere(self, origin: Any, radius: float, direction: Any, reach: float = math.inf) -> Hit | None:
        """The first triangle that a moving sphere meets."""
        start, along = vector("origin", origin), vector("direction", direction)
        return _hit(self._query.cast_sphere(start, float(radius), along, float(reach)))

    def nearest_point(self, point: Any, reach: float = math.inf) -> Hit | None:
        """The point of the bodies nearest to a point, at most ``reach`` metres away."""
        return _hit(self._query.nearest_point(vector("point", point), float(reach)))

    def overlap_sphere(self, centre: Any, radius: float) -> Found:
        """Bodies and triangles with points in a ball."""
        return self._query.overlap_sphere(vector("centre", centre), float(radius))

    def overlap_box(self, low: Any, high: Any) -> Found:
        """Bodies and triangles with points in a box."""
        return self._query.overlap_box(vector("low", low), vector("high", high))

    def overlap_triangle(self, corners: Any) -> Found:
        """Bodies and triangles that touch a triangle, ``(3, 3)``."""
        a, b, c = _arrays.doubles("corners", corners, 3, 3)
        return self._query.overlap_triangle((vector("corner", a), vector("corner", b), vector("corner", c)))


@dataclass(frozen=True)
class Pair:
    """Two bodies, in the order of their numbers."""

    a: Body
    b: Body
    #: Whether they touch now.
    is_touching: bool
    #: Whether they are tested where they are near.
    may_touch: bool
    #: The distance from which they count as touching, metres.
    thickness: float


@dataclass(frozen=True)
class Manifold:
    """A connected region in which two bodies touch. Lengths in metres, areas in square metres."""

    #: Pairs of triangles, ``(T, 2)``.
    triangles: npt.NDArray[np.uint32]
    #: Unit vector from the first body to the second: the direction that parts them.
    normal: tuple[float, float, float] | None
    #: A lower bound of the penetration depth; ``None`` where no body is closed.
    depth: float | None
    #: Length of the crossing curve, the area inside or cut off, and that of coplanar overlaps.
    length: float
    area: float
    overlap: float
    centre: tuple[float, float, float] | None
    #: An array of :data:`POINT`.
    points: npt.NDArray[np.void]


def manifold_of(region: dict[str, Any]) -> Manifold:
    points = structured({name: region.pop(name) for name in POINT.names or ()}, POINT)
    for name in ("normal", "centre"):
        region[name] = None if region[name] is None else tuple(region[name])
    return Manifold(points=points, **region)


class Trial:
    """Proposed positions at a time to come, :meth:`kinetree.World.trial`.

    Contacts are those of the linear way from where bodies are now. The world must not change before the
    trial is committed: a trial of a world that changed is refused, ``Trial.WorldChanged``.

    >>> import kinetree as kt
    >>> triangle = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    >>> world = kt.World()
    >>> floor = world.add_body([[0, 1, 2]], kt.fixed(triangle))
    >>> ball = world.add_body([[0, 1, 2]], kt.fixed([[x, y, 1] for x, y, z in triangle]))
    >>> trial = world.trial({ball: [[x, y, -1] for x, y, z in triangle]}, 0.5)
    >>> trial.step_size()
    0.5
    >>> trial.correct(ball, [[x, y, 0.25] for x, y, z in triangle])
    >>> trial.step_size()
    1.0
    >>> trial.commit()
    >>> world.advance_to(0.5)
    >>> world.positions(ball)[0].tolist()
    [0.0, 0.0, 0.25]
    """

    def __init__(self, native: _native.Trial) -> None:
        self._trial = native

    @property
    def end(self) -> float:
        """The time at which bodies are to be at the proposed positions, seconds."""
        return self._trial.end

    def step_size(self) -> float:
        """The part of the trial, 0 to 1, before which nothing begins to touch."""
        return self._trial.step_size()

    def contacts(self) -> npt.NDArray[np.void]:
        """All contacts of the trial, an array of :data:`TRIAL_CONTACT`."""
        return structured(self._trial.contacts(), TRIAL_CONTACT)

    def correct(self, body: Body, positions: Any) -> None:
        """Replaces the proposed positions of a body of the trial, ``(N, 3)``."""
        self._trial.correct(body, _arrays.floats("positions", positions, None, 3))

    def set_distance(self, distance: float | None) -> None:
        """Sets from which distance triangles touch in the trial, metres; ``None`` as in the world."""
        self._trial.set_distance(None if distance is None else float(distance))

    def commit(self) -> None:
        """Makes the proposals the motions of the bodies. The clock stays where it is."""
        self._trial.commit()
