"""Motions of bodies: plain arrays in, a :class:`~kinetree.Flightplan` out.

Positions are metres, stored as float32; times are seconds. Between keys vertices move linearly
unless a function says otherwise.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from . import _arrays, _native
from ._arrays import refused
from ._native import Flightplan

Outside = Literal["hold", "loop", "error"]

__all__ = [
    "Flightplan",
    "accelerated",
    "ballistic",
    "fixed",
    "hermite",
    "keyframes",
    "morphed",
    "polynomials",
    "rigid",
    "skinned",
    "spheres",
    "velocities",
]


def fixed(positions: Any) -> Flightplan:
    """A body that rests. ``positions``: ``(N, 3)``."""
    return Flightplan.fixed(_arrays.floats("positions", positions, None, 3))


def keyframes(
    frames: Any,
    times: Any = None,
    *,
    fps: float | None = None,
    outside: Outside = "hold",
) -> Flightplan:
    """Positions of all vertices at every key.

    ``frames``: ``(F, N, 3)``. ``times``: ``(F,)``, strictly increasing, or ``fps`` frames a second
    from 0 s on. ``outside``: what happens before the first and after the last key.

    >>> import numpy as np
    >>> keyframes(np.zeros((2, 3, 3)), fps=24)
    <kinetree.Flightplan keyframes>
    """
    positions = _arrays.floats("frames", frames, None, None, 3)
    times = _arrays.key_times(times, fps, positions.shape[0])
    return Flightplan.keyframes(times, positions, outside)


def rigid(
    positions: Any,
    transforms: Any,
    times: Any = None,
    *,
    fps: float | None = None,
    outside: Outside = "hold",
) -> Flightplan:
    """A mesh that is carried by one affine map a key; vertices move linearly between keys.

    ``positions``: ``(N, 3)``. ``transforms``: ``(F, 4, 4)`` for column vectors, the translation in
    the last column.
    """
    matrices = _arrays.doubles("transforms", transforms, None, 4, 4)
    times = _arrays.key_times(times, fps, matrices.shape[0])
    return Flightplan.rigid(times, matrices, _arrays.floats("positions", positions, None, 3), outside)


def velocities(positions: Any, velocities: Any, *, begin: float = 0.0, until: float | None = None) -> Flightplan:
    """Vertices that move at constant velocities from ``begin`` on. Both arrays: ``(N, 3)``."""
    placed = _arrays.floats("positions", positions, None, 3)
    moving = _arrays.floats("velocities", velocities, placed.shape[0], 3)
    return Flightplan.velocities(_arrays.real("begin", begin), placed, moving, _until(until))


def ballistic(
    positions: Any, velocities: Any, acceleration: Any, *, begin: float = 0.0, until: float | None = None
) -> Flightplan:
    """Vertices that fall: a constant acceleration ``(3,)`` in m/s², for all of them.

    From ``until`` on they rest.

    >>> ballistic([[0, 0, 1]], [[0, 0, 0]], [0, 0, -9.81])
    <kinetree.Flightplan ballistic>
    """
    placed = _arrays.floats("positions", positions, None, 3)
    moving = _arrays.floats("velocities", velocities, placed.shape[0], 3)
    x, y, z = (float(number) for number in _arrays.floats("acceleration", acceleration, 3))
    return Flightplan.ballistic(_arrays.real("begin", begin), placed, moving, (x, y, z), _until(until))


def accelerated(
    positions: Any, velocities: Any, accelerations: Any, *, begin: float = 0.0, until: float = math.inf
) -> Flightplan:
    """Vertices with constant accelerations of their own, m/s², until they rest. All arrays: ``(N, 3)``."""
    placed = _arrays.floats("positions", positions, None, 3)
    count = placed.shape[0]
    moving = _arrays.floats("velocities", velocities, count, 3)
    pull = _arrays.floats("accelerations", accelerations, count, 3)
    return Flightplan.accelerated(_arrays.real("begin", begin), _arrays.real("until", until), placed, moving, pull)


def hermite(
    frames: Any,
    in_tangents: Any,
    out_tangents: Any,
    times: Any = None,
    *,
    fps: float | None = None,
    outside: Outside = "hold",
) -> Flightplan:
    """Cubics from key to key, by positions and tangents: the cubic spline of glTF.

    All arrays: ``(F, N, 3)``. A vertex arrives at a key with its in-tangent there, m/s, and leaves it
    with its out-tangent.
    """
    positions = _arrays.floats("frames", frames, None, None, 3)
    keys, count = positions.shape[:2]
    arriving = _arrays.floats("in_tangents", in_tangents, keys, count, 3)
    leaving = _arrays.floats("out_tangents", out_tangents, keys, count, 3)
    return Flightplan.hermite(_arrays.key_times(times, fps, keys), positions, arriving, leaving, outside)


def polynomials(times: Any, coefficients: Any, *, outside: Outside = "hold") -> Flightplan:
    """Paths that are polynomials of time, piece by piece.

    ``times``: ``(F,)``. ``coefficients``: ``(F - 1, N, degree + 1, 3)``, of powers of the seconds since
    the begin of the piece, the constant first; degrees up to 3.
    """
    numbers = _arrays.doubles("coefficients", coefficients, None, None, None, 3)
    if numbers.shape[2] == 0:
        raise refused("Shape", f"coefficients: the shape is {numbers.shape}, and one a vertex is needed at least")
    return Flightplan.polynomials(_arrays.doubles("times", times, None), numbers.shape[2] - 1, numbers, outside)


def spheres(
    frames: Any, times: Any = None, *, fps: float | None = None, outside: Outside = "hold"
) -> Flightplan:
    """Spheres that move and change their size. ``frames``: ``(F, N, 4)``: x, y, z and the radius."""
    numbers = _arrays.doubles("frames", frames, None, None, 4)
    times = _arrays.key_times(times, fps, numbers.shape[0])
    return Flightplan.spheres(times, numbers, outside)


def skinned(
    positions: Any,
    joints: Any,
    weights: Any,
    transforms: Any,
    times: Any = None,
    *,
    fps: float | None = None,
    inverse_bind: Any = None,
    targets: Any = None,
    morph_weights: Any = None,
    convex: bool = True,
    tolerance: float = 1e-3,
    outside: Outside = "hold",
) -> Flightplan:
    """A reduced body: vertices follow joints, and are computed only where something is near.

    ``positions``: ``(N, 3)`` at rest. ``joints``, ``weights``: ``(N, K)``, influences of each vertex
    with weights that sum to 1; those of weight 0 do not count. ``transforms``: ``(F, J, 4, 4)`` of the
    joints, for column vectors, linear between keys. ``inverse_bind``: ``(J, 4, 4)`` from rest
    positions to the joints; without it, transforms map rest positions. Matrices have the last row
    0 0 0 1. ``targets``: ``(M, N, 3)``
    displacements, with ``morph_weights`` ``(F, M)``, added before the joints. ``convex=False`` takes
    weights of either sign and any sum. ``tolerance``: metres that vertices may be from their blended
    paths between keys. For worlds; scenes read skins from glTF.

    >>> import numpy as np
    >>> lifted = np.eye(4)
    >>> lifted[2, 3] = 1.0
    >>> rest = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    >>> skinned(rest, [[0]] * 3, [[1.0]] * 3, [[np.eye(4)], [lifted]], [0, 1])
    <kinetree.Flightplan skinned>
    """
    rest = _arrays.floats("positions", positions, None, 3)
    count = len(rest)
    indices = _arrays.indices("joints", joints, count, None)
    shares = _arrays.doubles("weights", weights, count, indices.shape[1])
    maps = _affine("transforms", _arrays.doubles("transforms", transforms, None, None, 4, 4), "key", "joint")
    keys, bones = maps.shape[:2]
    centres: npt.NDArray[np.float64] = np.zeros((bones, 3))
    if inverse_bind is not None:
        bind = _affine("inverse_bind", _arrays.doubles("inverse_bind", inverse_bind, bones, 4, 4), "joint")
        try:
            centres = np.asarray(np.linalg.inv(bind)[:, :3, 3], np.float64)
        except np.linalg.LinAlgError as error:
            raise refused("Range", "inverse_bind: a matrix has no inverse") from error
        maps = maps @ bind
    if (targets is None) != (morph_weights is None):
        raise refused("Option", "targets and morph_weights: give both")
    shapes = _arrays.floats("targets", np.empty((0, count, 3)) if targets is None else targets, None, count, 3)
    factors = np.empty((keys, 0)) if morph_weights is None else morph_weights
    factors = _arrays.doubles("morph_weights", factors, keys, len(shapes))
    tolerance = _positive("tolerance", tolerance)
    return _native.skinned(
        _arrays.key_times(times, fps, keys),
        rest,
        indices,
        shares,
        _arrays.packed(maps, np.float64),
        _arrays.packed(centres, np.float64),
        shapes,
        factors,
        bool(convex),
        tolerance,
        outside,
    )


def morphed(
    positions: Any,
    targets: Any,
    weights: Any,
    times: Any = None,
    *,
    fps: float | None = None,
    transforms: Any = None,
    tolerance: float = 1e-3,
    outside: Outside = "hold",
) -> Flightplan:
    """A reduced body of morph targets or modes.

    ``positions``: ``(N, 3)``. ``targets``: ``(M, N, 3)`` displacements at weight 1. ``weights``:
    ``(F, M)``, linear between keys. ``transforms``: ``(F, 4, 4)`` that place the whole body, for column
    vectors.

    >>> morphed([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[[0, 0, 1]] * 3], [[0], [1]], [0, 1])
    <kinetree.Flightplan morphed>
    """
    rest = _arrays.floats("positions", positions, None, 3)
    factors = _arrays.doubles("weights", weights, None, None)
    keys = len(factors)
    maps = np.tile(np.eye(4), (keys, 1, 1)) if transforms is None else transforms
    placed = _affine("transforms", _arrays.doubles("transforms", maps, keys, 4, 4), "key")[:, None]
    influences = np.zeros((len(rest), 1), np.uint32), np.ones((len(rest), 1))
    return skinned(
        rest, *influences, placed, times, fps=fps, targets=targets, morph_weights=factors,
        tolerance=tolerance, outside=outside,
    )


def _until(until: float | None) -> float | None:
    return None if until is None else _arrays.real("until", until)


def _positive(name: str, value: float) -> float:
    number = _arrays.real(name, value)
    if not (number > 0 and math.isfinite(number)):
        raise refused("Option", f"{name}: {number} is not a number of metres above 0")
    return number


#: How far the last row of a matrix may be from 0 0 0 1. Exporters that go through float32 miss it by
#: 1e-7; a translation put there by mistake is larger.
_LAST_ROW = 1e-6


def _affine(name: str, matrices: npt.NDArray[np.float64], *axes: str) -> npt.NDArray[np.float64]:
    """Matrices with the exact last row 0 0 0 1; others than nearly such are refused."""
    last = np.array([0.0, 0.0, 0.0, 1.0])
    bad = ~(np.abs(matrices[..., 3, :] - last) <= _LAST_ROW)
    # Other entries that are not finite are refused by the engine.
    if bad.any() and np.isfinite(matrices[..., :3, :]).all():
        *place, column = (int(i) for i in np.argwhere(bad)[0])
        where = ", ".join(f"{axis} {number}" for axis, number in zip(axes, place))
        value = matrices[(*place, 3, column)]
        raise refused(
            "Range",
            f"{name}: {where}: entry {12 + column} is {value}; a last row 0 0 0 1 is needed: "
            "matrices are for column vectors, with the translation in the last column",
        )
    exact = matrices.copy()
    exact[..., 3, :] = last
    return exact
