"""Step sizes with the names of ``ipctk``, the Python package of IPC Toolkit.

Positions are rounded to float32. The step between the rounded positions is decided exactly: a time
returned is never later than the first contact.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from . import _arrays
from ._arrays import refused
from .clips import CheckResult, check
from .scenes import Scene

__all__ = ["CollisionMesh", "Candidates", "compute_collision_free_stepsize", "is_step_collision_free"]


class CollisionMesh:
    """Triangles that may meet each other. ``edges`` is taken for the sake of the name alone: the
    edges of triangles are tested with them."""

    def __init__(self, rest_positions: Any, edges: Any = None, faces: Any = None) -> None:
        self.rest_positions: npt.NDArray[np.float64] = _arrays.doubles("rest_positions", rest_positions, None, 3)
        if faces is None:
            raise refused("Option", "faces: only meshes of triangles can be tested")
        self.faces: npt.NDArray[np.uint32] = _arrays.triangles(faces)


def _step(mesh: CollisionMesh, begin: Any, end: Any, distance: float) -> CheckResult:
    count = len(mesh.rest_positions)
    frames = np.stack([_arrays.floats(name, value, count, 3) for name, value in
                       (("vertices_t0", begin), ("vertices_t1", end))])
    scene = Scene()
    scene.add("mesh", mesh.faces, frames=frames, times=[0.0, 1.0], self_contact=True, neighbours=True, thickness=distance)
    return check(scene, over_time=True)


def compute_collision_free_stepsize(
    mesh: CollisionMesh, vertices_t0: Any, vertices_t1: Any, min_distance: float = 0.0
) -> float:
    """The part of the step, 0 to 1, that is free of contact: 1 if all of it is.

    Both arrays: ``(N, 3)``. Triangles closer than ``min_distance`` count as touching.
    """
    contacts = _step(mesh, vertices_t0, vertices_t1, min_distance).contacts
    return float(contacts["begin"].min()) if len(contacts) else 1.0


def is_step_collision_free(
    mesh: CollisionMesh, vertices_t0: Any, vertices_t1: Any, min_distance: float = 0.0
) -> bool:
    """Whether nothing touches in the step."""
    return not len(_step(mesh, vertices_t0, vertices_t1, min_distance).contacts)


class Candidates:
    """Pairs of triangles that touch in a step. They are exact, so they are few."""

    def __init__(self) -> None:
        self.contacts: npt.NDArray[np.void] | None = None

    def build(self, mesh: CollisionMesh, vertices_t0: Any, vertices_t1: Any, inflation_radius: float = 0.0) -> None:
        """Finds them. Triangles within twice the radius count, as both are inflated."""
        self.contacts = _step(mesh, vertices_t0, vertices_t1, 2 * inflation_radius).contacts

    def __len__(self) -> int:
        return 0 if self.contacts is None else len(self.contacts)
