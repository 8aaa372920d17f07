"""What worlds are asked for: contacts, space, pairs of bodies, trials."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _arrays, _native
from ._arrays import Compared, refused
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


#: The greatest coordinate of a body, metres; queries go as far.
_FAR = 2.0**100


def vector(name: str, value: Any) -> tuple[float, float, float]:
    """A point."""
    numbers = _arrays.doubles(name, value, 3)
    bad = ~(np.abs(numbers) <= _FAR)
    if bad.any():
        place = int(np.argmax(bad))
        bounds = f"-{_FAR:g} to {_FAR:g}"
        raise refused("Range", f"{name}: {numbers[place]} at [{place}] is not a number of metres from {bounds}")
    x, y, z = numbers.tolist()
    return x, y, z


def box(low: Any, high: Any) -> tuple[_native.Vector, _native.Vector]:
    """Two corners of a box, which may be infinite."""
    corners = ("low", low), ("high", high)
    least, most = (vector(name, np.clip(_arrays.doubles(name, corner, 3), -_FAR, _FAR)) for name, corner in corners)
    for axis, (begin, end) in enumerate(zip(least, most)):
        if begin > end:
            raise refused("Range", f"low and high: at [{axis}] low is {begin}, above high, {end}")
    return least, most


def _direction(value: Any) -> tuple[float, float, float]:
    x, y, z = vector("direction", value)
    length = math.hypot(x, y, z)
    if not 1 / _FAR <= length <= _FAR:
        bounds = f"{1 / _FAR:g} to {_FAR:g}"
        raise refused("Range", f"direction: [{x}, {y}, {z}] has the length {length}, which is not from {bounds}")
    return x, y, z


def _reach(value: Any) -> float:
    return _arrays.within("reach", value, 0.0, math.inf, "a number")


def _radius(value: Any) -> float:
    return _arrays.within("radius", value, 0.0, _FAR, "a number of metres")


def number(name: str, value: Any) -> int:
    """A number of 64 bits."""
    return _arrays.whole(name, value)


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

    NaN, points and radii that are not finite, radii and reaches below 0, directions without a length, and
    boxes with ``low`` above ``high`` are refused.

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
        return _hit(self._query.cast_ray(vector("origin", origin), _direction(direction), _reach(reach)))

    def cast_sphere(self, origin: Any, radius: float, direction: Any, reach: float = math.inf) -> Hit | None:
        """The first triangle that a moving sphere meets."""
        start, along = vector("origin", origin), _direction(direction)
        return _hit(self._query.cast_sphere(start, _radius(radius), along, _reach(reach)))

    def nearest_point(self, point: Any, reach: float = math.inf) -> Hit | None:
        """The point of the bodies nearest to a point, at most ``reach`` metres away."""
        return _hit(self._query.nearest_point(vector("point", point), _reach(reach)))

    def overlap_sphere(self, centre: Any, radius: float) -> Found:
        """Bodies and triangles with points in a ball."""
        return self._query.overlap_sphere(vector("centre", centre), _radius(radius))

    def overlap_box(self, low: Any, high: Any) -> Found:
        """Bodies and triangles with points in a box."""
        return self._query.overlap_box(*box(low, high))

    def overlap_triangle(self, corners: Any) -> Found:
        """Bodies and triangles that touch a triangle, ``(3, 3)``."""
        a, b, c = _arrays.doubles("corners", corners, 3, 3)
        return self._query.overlap_triangle((vector("corners[0]", a), vector("corners[1]", b), vector("corners[2]", c)))


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


@dataclass(frozen=True, eq=False)
class Manifold(Compared):
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
    trial is committed: a trial of a world that changed is refused, ``Trial.WorldChanged``. Changes that
    were refused do not count. Ctrl-C waits until a method of a trial is done.

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
        self._trial.set_distance(None if distance is None else _arrays.real("distance", distance))

    def commit(self) -> None:
        """Makes the proposals the motions of the bodies. The clock stays where it is."""
        self._trial.commit()
