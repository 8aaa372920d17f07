"""Beside the packages that people know."""

import numpy as np
import pytest

import kinetree as kt
from kinetree import ipc

TRIANGLE = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float)


def test_meshes_of_trimesh():
    trimesh = pytest.importorskip("trimesh")
    scene = kt.Scene(fps=1)
    scene.add_mesh("box", trimesh.creation.box())
    sphere = trimesh.creation.icosphere(subdivisions=2, radius=0.5)
    scene.add_mesh("ball", sphere, frames=[sphere.vertices + [0, 0, 3], sphere.vertices])
    (pair,) = kt.check(scene).pairs
    # The lowest vertex of the ball, at z = 2.5 of its first frame, meets the box's top at 0.5.
    assert pair.first == pytest.approx(2 / 3, abs=1e-6)


def test_meshes_of_meshio():
    meshio = pytest.importorskip("meshio")
    square = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], float)
    scene = kt.Scene()
    scene.add_mesh("square", meshio.Mesh(square, [("quad", [[0, 1, 2, 3]])]))
    scene.add_mesh("triangle", meshio.Mesh(square, [("triangle", [[0, 1, 2]])]), velocity=(0, 0, 1))
    assert scene.triangles("square").tolist() == [[0, 1, 2], [0, 2, 3]]
    with pytest.raises(kt.InputError, match="tetra"):
        scene.add_mesh("solid", meshio.Mesh(square, [("tetra", [[0, 1, 2, 3]])]))
    with pytest.raises(kt.InputError, match="list has neither"):
        scene.add_mesh("nothing", [])


def falling(height, depth):
    positions = np.concatenate([TRIANGLE, TRIANGLE + [0.1, 0.1, height]])
    moved = positions.copy()
    moved[3:, 2] -= depth
    return ipc.CollisionMesh(positions, None, [[0, 1, 2], [3, 4, 5]]), positions, moved


def test_step_sizes():
    mesh, begin, end = falling(1.0, 2.0)
    assert ipc.compute_collision_free_stepsize(mesh, begin, end) == pytest.approx(0.5)
    assert ipc.compute_collision_free_stepsize(mesh, begin, end) <= 0.5
    assert not ipc.is_step_collision_free(mesh, begin, end)
    assert ipc.compute_collision_free_stepsize(mesh, begin, end, min_distance=0.5) == pytest.approx(0.25)
    free = falling(1.0, 0.9)
    assert ipc.compute_collision_free_stepsize(*free) == 1.0 and ipc.is_step_collision_free(*free)
    candidates = ipc.Candidates()
    candidates.build(mesh, begin, end)
    assert len(candidates) == 1 and not candidates.empty()
    assert candidates.fv_candidates == [(0, 3), (0, 4), (0, 5), (1, 0), (1, 1), (1, 2)]
    assert candidates.fv_candidates[0].face_id == 0 and mesh.num_vertices == 6
    assert mesh.edges.tolist() == [[0, 1], [0, 2], [1, 2], [3, 4], [3, 5], [4, 5]] == ipc.edges(mesh.faces).tolist()
    assert candidates.ee_candidates == [(p, q) for p in range(3) for q in range(3, 6)]
    assert candidates.compute_collision_free_stepsize(mesh, begin, end) == pytest.approx(0.5)
    assert not candidates.is_step_collision_free(mesh, begin, end)
    candidates.clear()
    assert candidates.empty() and candidates.fv_candidates == candidates.ee_candidates == []
    assert not ipc.has_intersections(mesh, begin)
    touching = begin.copy()
    touching[3:, 2] = 0
    assert ipc.has_intersections(mesh, touching)


def test_step_sizes_are_those_of_ipctk():
    ipctk = pytest.importorskip("ipctk")
    random = np.random.default_rng(7)
    shorter = 0
    for _ in range(40):
        begin = random.random((30, 3)).astype(np.float32).astype(float)
        begin = (begin + 4 * np.repeat(np.arange(10), 3)[:, None]).astype(np.float32).astype(float)
        end = (begin + random.normal(0, 3, (30, 3))).astype(np.float32).astype(float)
        faces = np.arange(30, dtype=np.int32).reshape(-1, 3)
        edges = ipctk.edges(faces)
        theirs = ipctk.compute_collision_free_stepsize(ipctk.CollisionMesh(begin, edges, faces), begin, end)
        ours = ipc.compute_collision_free_stepsize(ipc.CollisionMesh(begin, edges, faces), begin, end)
        shorter += ours < 1
        # Theirs is conservative to a tolerance.
        assert theirs <= ours + 1e-9 and ours - theirs < 1e-2
        mine, them = ipc.Candidates(), ipctk.Candidates()
        mine.build(ipc.CollisionMesh(begin, edges, faces), begin, end)
        them.build(ipctk.CollisionMesh(begin, edges, faces), begin, end)
        theirs = {(one.face_id, one.vertex_id) for one in them.fv_candidates}
        # Theirs have boxes that overlap: a superset of what touches, with another cut of pairs into parts.
        assert ours == 1 or theirs & set(mine.fv_candidates)
    assert shorter > 10
