"""What needs no Blender: bodies as arrays, findings by face, colours, files of a scene."""

import json
import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np


@dataclass
class Body:
    """An object over a range of frames."""

    name: str
    #: Corners of triangles, `(T, 3)`.
    triangles: np.ndarray
    #: The face of the object's own mesh that each triangle comes from, -1 for none, `(T,)`.
    faces: np.ndarray
    #: Metres, `(F, N, 3)`, float32.
    frames: np.ndarray

    @property
    def moves(self):
        return len(self.frames) > 1 and bool((self.frames != self.frames[0]).any())


@dataclass(frozen=True)
class Row:
    """A finding as the list shows it."""

    number: int
    text: str
    a: str
    b: str
    #: Frames at which it exists; equal to the frame before and after it where it lies between two.
    first: int
    last: int
    #: Frame with fraction.
    worst: float


class Refused(Exception):
    """A message for the user."""


def scene_of(bodies, times, fps, self_contact=False, thickness=0.0):
    """The scene of bodies whose frames are at some times, seconds."""
    import kinetree

    scene = kinetree.Scene(fps=fps, span=(float(times[0]), float(times[-1])))
    for body in bodies:
        motion = {"frames": body.frames, "times": times} if body.moves else {"positions": body.frames[0]}
        scene.add(body.name, body.triangles, self_contact=self_contact, thickness=thickness, **motion)
    return scene


def rows(incidents, fps):
    """Findings for the list."""
    found = []
    for incident in incidents:
        worst = round(incident.worst_time * fps, 6)
        first, last = incident.first_frame, incident.last_frame
        if first is None or last is None:
            first, last = int(np.floor(incident.begin * fps)), int(np.ceil(incident.end * fps))
        size = "not measured"
        if incident.depth:
            size = f"{incident.depth * 1000:.1f} mm deep"
        elif incident.length is not None:
            size = f"{incident.length * 1000:.0f} mm long"
        bodies = incident.a if incident.a == incident.b else f"{incident.a} / {incident.b}"
        frames = f"frame {first}" if first == last else f"frames {first} to {last}"
        found.append(Row(incident.number, f"{bodies}, {frames}, {size}", incident.a, incident.b, first, last, worst))
    return found


def touched(incidents, bodies):
    """Per body, the faces of its own mesh that touch, with the severity of the worst finding there."""
    severities = {body.name: {} for body in bodies}
    faces = {body.name: body.faces for body in bodies}
    for incident in incidents:
        for name, triangles in ((incident.a, incident.triangles_a), (incident.b, incident.triangles_b)):
            of_body = severities[name]
            for face in np.unique(faces[name][triangles]).tolist():
                if face >= 0:
                    of_body[face] = max(of_body.get(face, 0.0), incident.severity or 0.0)
    return severities


def by_mesh(severities, meshes):
    """Per mesh, the greatest severity of each face among its bodies. `meshes` has the mesh of each body."""
    merged = {}
    for name, mesh in meshes.items():
        of_mesh = merged.setdefault(mesh, {})
        for face, value in severities[name].items():
            of_mesh[face] = max(of_mesh.get(face, 0.0), value)
    return merged


def strengths(severities):
    """Severities of faces as numbers from 0.25, for the least, to 1, for the worst of all bodies."""
    worst = max((value for of_body in severities.values() for value in of_body.values()), default=0.0)
    scale = 0.75 / worst if worst > 0 else 0.0
    return {name: {face: 0.25 + scale * value for face, value in of_body.items()} for name, of_body in severities.items()}


def corner_colours(strength, face_sizes):
    """RGBA of every corner of faces with some numbers of corners: white, and red where they touch."""
    colours = np.ones((len(face_sizes), 4), np.float32)
    for face, value in strength.items():
        colours[face, 1:3] = 1.0 - value
    return np.repeat(colours, face_sizes, axis=0)


def vertex_weights(strength, face_vertices):
    """Weights of vertices: the greatest of their faces. `face_vertices` are the vertices by face."""
    weights = {}
    for face, value in strength.items():
        for vertex in face_vertices[face]:
            weights[vertex] = max(weights.get(vertex, 0.0), value)
    return weights


def write_scene(folder, bodies, times, fps, self_contact=False, thickness=0.0):
    """Writes `scene.toml` with OBJ and PC2 files, for `kinetree check`. Returns its path."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    seconds = "[" + ", ".join(repr(float(time)) for time in times) + "]"
    lines = [f"fps = {float(fps)!r}", f"span = [{float(times[0])!r}, {float(times[-1])!r}]"]
    for number, body in enumerate(bodies):
        stem = f"body_{number:03}"
        write_obj(folder / f"{stem}.obj", body.frames[0], body.triangles)
        lines += ["", "[[body]]", f"name = {json.dumps(body.name, ensure_ascii=False)}", f'mesh = "{stem}.obj"']
        if body.moves:
            write_pc2(folder / f"{stem}.pc2", body.frames)
            lines += [f'motion = "{stem}.pc2"', f"times = {seconds}"]
        if self_contact:
            lines.append("self_contact = true")
        if thickness:
            lines.append(f"thickness = {float(thickness)!r}")
    path = folder / "scene.toml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def write_obj(path, positions, triangles):
    """Nine digits bring every float32 back."""
    with open(path, "w", encoding="ascii", newline="\n") as file:
        np.savetxt(file, np.asarray(positions, np.float32), "v %.9g %.9g %.9g")
        np.savetxt(file, np.asarray(triangles, np.int64) + 1, "f %d %d %d")


def write_pc2(path, frames):
    frames = np.ascontiguousarray(frames, "<f4")
    with open(path, "wb") as file:
        file.write(struct.pack("<12siiffi", b"POINTCACHE2", 1, frames.shape[1], 0.0, 1.0, len(frames)))
        file.write(frames.tobytes())
