"""Step sizes with the names of ``ipctk``, the Python package of IPC Toolkit.

Positions are rounded to float32. The step between the rounded positions is decided exactly: a time
returned is never later than the first contact.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _arrays
from ._arrays import refused
from .clips import CheckResult, check
from .scenes import Scene

__all__ = [
    "Candidates",
    "CollisionMesh",
    "EdgeEdgeCandidate",
    "FaceVertexCandidate",
    "compute_collision_free_stepsize",
    "edges",
    "has_intersections",
    "is_step_collision_free",
]


class CollisionMesh:
    """Triangles that may meet each other. ``edges``: ``(E, 2)``, those that candidates name; without,
    those of the triangles. Edges are tested with their triangles; others are not."""

    def __init__(self, rest_positions: Any, edges: Any = None, faces: Any = None) -> None:
        self.rest_positions: npt.NDArray[np.float64] = _arrays.doubles("rest_positions", rest_positions, None, 3)
        if faces is None:
            raise refused("Option", "faces: only meshes of triangles can be tested")
        self.faces: npt.NDArray[np.uint32] = _arrays.triangles(faces)
        given = _edges_of(self.faces) if edges is None else edges
        self.edges: npt.NDArray[np.uint32] = _arrays.indices("edges", given, None, 2)

    @property
    def num_vertices(self) -> int:
        """The number of vertices."""
        return len(self.rest_positions)


def edges(faces: Any) -> npt.NDArray[np.uint32]:
    """The edges of triangles, ``(E, 2)``, each once, sorted."""
    return _edges_of(_arrays.triangles(faces))


def _edges_of(corners: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    sides = np.sort(np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]]), axis=1)
    once: npt.NDArray[np.uint32] = np.unique(sides, axis=0).reshape(-1, 2)
    return once


class FaceVertexCandidate(NamedTuple):
    """A triangle and a vertex that may meet."""

    face_id: int
    vertex_id: int


class EdgeEdgeCandidate(NamedTuple):
    """Two edges that may meet."""

    edge0_id: int
    edge1_id: int


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


def has_intersections(mesh: CollisionMesh, vertices: Any) -> bool:
    """Whether triangles touch at an instant. ``vertices``: ``(N, 3)``."""
    return not is_step_collision_free(mesh, vertices, vertices)


class Candidates:
    """Pairs of triangles that touch in a step, and what of them may meet first.

    They are exact, so they are few. Names are those of ``ipctk.Candidates``.
    """

    def __init__(self) -> None:
        self.contacts: npt.NDArray[np.void] | None = None
        self._mesh: CollisionMesh | None = None

    def build(self, mesh: CollisionMesh, vertices_t0: Any, vertices_t1: Any, inflation_radius: float = 0.0) -> None:
        """Finds them. Triangles within twice the radius count, as both are inflated."""
        self.contacts = _step(mesh, vertices_t0, vertices_t1, 2 * inflation_radius).contacts
        self._mesh = mesh

    def clear(self) -> None:
        """Forgets them."""
        self.contacts = self._mesh = None

    def empty(self) -> bool:
        """Whether there are none."""
        return len(self) == 0

    def __len__(self) -> int:
        """The number of pairs of triangles."""
        return 0 if self.contacts is None else len(self.contacts)

    def _pairs(self) -> tuple[CollisionMesh, list[tuple[int, int]]]:
        if self.contacts is None or self._mesh is None:
            return CollisionMesh(np.empty((0, 3)), None, np.empty((0, 3), int)), []
        sides = self.contacts["triangle_a"].tolist(), self.contacts["triangle_b"].tolist()
        return self._mesh, sorted(set(zip(*sides)))

    @property
    def fv_candidates(self) -> list[FaceVertexCandidate]:
        """Triangles and vertices of the pairs, each once; vertices of the triangle itself are left out."""
        mesh, pairs = self._pairs()
        found = {(face, int(corner)) for a, b in pairs for face, other in ((a, b), (b, a)) for corner in mesh.faces[other]}
        return [FaceVertexCandidate(*one) for one in sorted(found) if one[1] not in mesh.faces[one[0]]]

    @property
    def ee_candidates(self) -> list[EdgeEdgeCandidate]:
        """Edges of the pairs, each two once; edges with a common vertex are left out."""
        mesh, pairs = self._pairs()
        number = {(int(min(edge)), int(max(edge))): place for place, edge in enumerate(mesh.edges)}

        def sides(face: int) -> list[int]:
            a, b, c = sorted(int(corner) for corner in mesh.faces[face])
            return [number[edge] for edge in ((a, b), (b, c), (a, c)) if edge in number]

        found = {(min(p, q), max(p, q)) for a, b in pairs for p in sides(a) for q in sides(b)}
        return [EdgeEdgeCandidate(p, q) for p, q in sorted(found) if not set(mesh.edges[p]) & set(mesh.edges[q])]

    def compute_collision_free_stepsize(
        self, mesh: CollisionMesh, vertices_t0: Any, vertices_t1: Any, min_distance: float = 0.0
    ) -> float:
        """The part of a step, 0 to 1, that is free of contact, of the whole mesh."""
        return compute_collision_free_stepsize(mesh, vertices_t0, vertices_t1, min_distance)

    def is_step_collision_free(
        self, mesh: CollisionMesh, vertices_t0: Any, vertices_t1: Any, min_distance: float = 0.0
    ) -> bool:
        """Whether nothing of the mesh touches in a step."""
        return is_step_collision_free(mesh, vertices_t0, vertices_t1, min_distance)
