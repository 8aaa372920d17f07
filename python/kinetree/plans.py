"""Motions of bodies: plain arrays in, a :class:`~kinetree.Flightplan` out.

Positions are metres, stored as float32; times are seconds. Between keys vertices move linearly
unless a function says otherwise.
"""

from __future__ import annotations

from typing import Any, Literal

from . import _arrays
from ._native import Flightplan

Outside = Literal["hold", "loop", "error"]

__all__ = ["Flightplan", "ballistic", "fixed", "keyframes", "polynomials", "rigid", "spheres", "velocities"]


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
    return Flightplan.velocities(begin, placed, moving, until)


def ballistic(positions: Any, velocities: Any, acceleration: Any, *, begin: float = 0.0) -> Flightplan:
    """Vertices that fall: a constant acceleration ``(3,)`` in m/s², for all of them."""
    placed = _arrays.floats("positions", positions, None, 3)
    moving = _arrays.floats("velocities", velocities, placed.shape[0], 3)
    x, y, z = (float(number) for number in _arrays.floats("acceleration", acceleration, 3))
    return Flightplan.ballistic(begin, placed, moving, (x, y, z))


def polynomials(times: Any, coefficients: Any, *, outside: Outside = "hold") -> Flightplan:
    """Paths that are polynomials of time, piece by piece.

    ``times``: ``(F,)``. ``coefficients``: ``(F - 1, N, degree + 1, 3)``, of powers of the seconds since
    the begin of the piece, the constant first; degrees up to 3.
    """
    numbers = _arrays.doubles("coefficients", coefficients, None, None, None, 3)
    return Flightplan.polynomials(_arrays.doubles("times", times, None), numbers.shape[2] - 1, numbers, outside)


def spheres(
    frames: Any, times: Any = None, *, fps: float | None = None, outside: Outside = "hold"
) -> Flightplan:
    """Spheres that move and change their size. ``frames``: ``(F, N, 4)``: x, y, z and the radius."""
    numbers = _arrays.doubles("frames", frames, None, None, 4)
    times = _arrays.key_times(times, fps, numbers.shape[0])
    return Flightplan.spheres(times, numbers, outside)
