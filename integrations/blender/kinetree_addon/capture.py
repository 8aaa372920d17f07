"""Evaluated meshes of objects, frame by frame: modifiers, shape keys, armatures and physics applied."""

from contextlib import contextmanager

import numpy as np

from .plain import Body, Refused

#: The attribute by which faces of evaluated meshes name their own: their index + 1; 0 is "none".
FACE = ".kinetree_face"


class _Growing:
    """The frames of one object, so far."""

    def __init__(self, name):
        self.name, self.frames = name, []
        self.corners = self.sizes = self.triangles = self.faces = None

    def add(self, mesh, matrix, scale, frame):
        corners, sizes = np.empty(len(mesh.loops), np.int32), np.empty(len(mesh.polygons), np.int32)
        mesh.loops.foreach_get("vertex_index", corners)
        mesh.polygons.foreach_get("loop_total", sizes)
        if self.corners is None:
            self.corners, self.sizes = corners, sizes
            self.cut(mesh)
        elif not (np.array_equal(corners, self.corners) and np.array_equal(sizes, self.sizes)):
            message = f"the faces of '{self.name}' at frame {frame:g} are not those of the first frame"
            raise Refused(f"{message}; a modifier changes them over time, so the object cannot be checked")
        points = np.empty(3 * len(mesh.vertices), np.float32)
        mesh.vertices.foreach_get("co", points)
        points = points.reshape(-1, 3).astype(np.float64)
        placed = (points @ matrix[:3, :3].T + matrix[:3, 3]) * scale
        if self.frames and len(placed) != len(self.frames[0]):
            raise Refused(f"'{self.name}' has {len(placed)} vertices at frame {frame:g}, and {len(self.frames[0])} before")
        if not np.isfinite(placed).all():
            raise Refused(f"'{self.name}' has a vertex at no place (NaN or infinite) at frame {frame:g}")
        self.frames.append(placed.astype(np.float32))

    def cut(self, mesh):
        """Cuts faces into triangles, once: Blender's own cut of bent faces depends on the frame."""
        mesh.calc_loop_triangles()
        count = len(mesh.loop_triangles)
        triangles, polygons = np.empty(3 * count, np.int32), np.empty(count, np.int32)
        mesh.loop_triangles.foreach_get("vertices", triangles)
        mesh.loop_triangles.foreach_get("polygon_index", polygons)
        own = np.zeros(len(mesh.polygons), np.int32)
        attribute = mesh.attributes.get(FACE)
        if attribute is not None and attribute.domain == "FACE" and attribute.data_type == "INT":
            attribute.data.foreach_get("value", own)
        self.triangles = triangles.reshape(-1, 3)
        self.faces = own[polygons] - 1

    def body(self):
        return Body(self.name, self.triangles, self.faces, np.stack(self.frames))


@contextmanager
def _numbered(meshes):
    """Gives every face of some meshes its number, which modifiers pass on to faces made of it."""
    marked = []
    try:
        for mesh in meshes:
            # Meshes of linked files cannot be changed; their faces stay unknown.
            if mesh.library is None:
                old = mesh.attributes.get(FACE)
                if old is not None:
                    mesh.attributes.remove(old)
                mesh.attributes.new(FACE, "INT", "FACE").data.foreach_set(
                    "value", np.arange(1, len(mesh.polygons) + 1, dtype=np.int32)
                )
                marked.append(mesh)
        yield
    finally:
        for mesh in marked:
            attribute = mesh.attributes.get(FACE)
            if attribute is not None:
                mesh.attributes.remove(attribute)


def capture(context, objects, first, last, samples_per_frame=1, progress=None):
    """The bodies of objects from a first to a last frame, and the times of their samples, seconds.

    Frame f is at f / fps seconds. The scene's frame is set back afterwards. `progress` is called
    with the number of samples done and of all. O(samples × evaluation of the scene).
    """
    scene = context.scene
    if first > last:
        raise Refused(f"frames {first} to {last}: the last frame comes before the first")
    meshes = [thing for thing in objects if thing.type == "MESH"]
    if not meshes:
        raise Refused("no mesh is selected; select the objects to check")
    before = (scene.frame_current, scene.frame_subframe)
    fps = scene.render.fps / scene.render.fps_base
    scale = scene.unit_settings.scale_length
    count = (last - first) * samples_per_frame + 1
    growing = [_Growing(thing.name_full) for thing in meshes]
    # In order of first use, each mesh once: objects can share one.
    shared = list({thing.data.name_full: thing.data for thing in meshes}.values())
    try:
        with _numbered(shared):
            # Cloth, rigid bodies and simulation zones need the frames before; so may what an object is bound to.
            for frame in range(scene.frame_start, first):
                scene.frame_set(frame)
            for sample in range(count):
                frame, part = first + sample // samples_per_frame, sample % samples_per_frame / samples_per_frame
                scene.frame_set(frame, subframe=part)
                graph = context.evaluated_depsgraph_get()
                for thing, body in zip(meshes, growing):
                    evaluated = thing.evaluated_get(graph)
                    mesh = evaluated.to_mesh()
                    try:
                        body.add(mesh, np.array(evaluated.matrix_world, np.float64), scale, frame + part)
                    finally:
                        evaluated.to_mesh_clear()
                if progress is not None:
                    progress(sample + 1, count)
    finally:
        scene.frame_set(before[0], subframe=before[1])
    times = (first + np.arange(count) / samples_per_frame) / fps
    return [body.body() for body in growing if len(body.triangles)], times, fps
