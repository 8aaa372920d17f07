"""Scenes: bodies from files and arrays."""

from __future__ import annotations

import os
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from . import _arrays, _native
from ._arrays import refused

__all__ = ["Scene"]

#: Inputs, frames a second, whether files outside their folder are allowed, whether models are stored, and the number of bodies.
_Read = tuple[list[str], float | None, bool, bool, bool, int]


class Scene:
    """Bodies and their motion.

    >>> import numpy as np
    >>> triangle = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float)
    >>> scene = Scene(fps=24)
    >>> scene.add("floor", [[0, 1, 2]], triangle)
    >>> fall = np.stack([triangle + [0, 0, z] for z in (1, 0.5, 0, 0.5)])
    >>> scene.add("ball", [[0, 1, 2]], frames=fall)
    >>> scene
    <kinetree.Scene: floor, ball>
    """

    def __init__(self, *, fps: float | None = None, span: tuple[float, float] | None = None) -> None:
        self._scene = _native.Scene()
        self._read: _Read | None = None
        self._notes: list[str] = []
        self.fps = fps
        if span is not None:
            self.span = span

    @classmethod
    def read(
        cls,
        *inputs: str | os.PathLike[str],
        fps: float | None = None,
        allow_outside: bool = False,
        stored: bool = False,
        repair: bool = False,
    ) -> Scene:
        """Reads a scene file (TOML), or inputs as the program's arguments name them.

        Such as ``Scene.read("cloth.obj:cloth.pc2", "hero.glb#Body@Walk", fps=24)``.
        ``allow_outside`` lets files name others outside their own folder; only if you trust them.
        ``stored`` keeps positions of every vertex at every key of glTF models, instead of their joints
        and morph targets. It finds the same contacts up to roundings, takes more memory, and is not
        faster. :func:`kinetree.bake` reads files so. ``repair`` repairs weights of glTF models that
        are negative, no numbers or all zero, with a note, instead of refusing the file.
        """
        scene = cls()
        if any(isinstance(path, list | tuple) for path in inputs):
            raise _arrays.refused("Option", "inputs are arguments of their own, not a list: Scene.read(*inputs)")
        paths = [os.fspath(path) for path in inputs]
        fps = None if fps is None else _arrays.real("fps", fps)
        scene._scene = _native.Scene.read(paths, fps, allow_outside, stored, repair)
        scene._read = (paths, fps, allow_outside, stored, repair, len(scene.names))
        return scene

    def __getstate__(self) -> dict[str, Any]:
        """What pickle stores: inputs that were read by their names, and what was added as arrays.

        Files are read again where the scene is unpickled, so their names must be valid there.
        """
        scene = self._scene
        first = self._read[-1] if self._read else 0
        # A span that was not set follows from the keys.
        return {
            "read": self._read,
            "bodies": [(name, *scene.parts(number)) for number, name in enumerate(scene.names) if number >= first],
            "excluded": scene.excluded,
            "fps": scene.fps,
            "span": scene.own_span,
            "notes": self._notes,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._read = state["read"]
        self._notes = state["notes"]
        self._scene = _native.Scene() if self._read is None else _native.Scene.read(*self._read[:-1])
        for name, triangles, positions, motion, options in state["bodies"]:
            # Arrays that were stored out of band need not be aligned.
            motion = {
                key: _arrays.packed(value, value.dtype) if isinstance(value, np.ndarray) else value
                for key, value in motion.items()
            }
            triangles, positions = _arrays.packed(triangles, np.uint32), _arrays.packed(positions, np.float32)
            self._scene.add(name, triangles, positions, motion or None, options)
        for a, b in state["excluded"]:
            self._scene.exclude(a, b)
        self._scene.fps = state["fps"]
        self._scene.span = state["span"]

    def add(
        self,
        name: str,
        triangles: Any,
        positions: Any = None,
        *,
        frames: Any = None,
        transforms: Any = None,
        velocity: Any = None,
        times: Any = None,
        fps: float | None = None,
        outside: Literal["hold", "loop", "error"] = "hold",
        self_contact: bool = False,
        neighbours: bool = False,
        thickness: float = 0.0,
        group: str | None = None,
    ) -> None:
        """Adds a body. Lengths are metres, times seconds.

        ``triangles``: ``(T, 3)``. One of: ``positions`` ``(N, 3)`` alone, for a body at rest;
        ``frames`` ``(F, N, 3)``; ``positions`` with ``transforms`` ``(F, 4, 4)``; ``positions`` with
        ``velocity`` ``(3,)``. Frames and transforms have ``times``, or ``fps`` (that of the scene if it
        is not given) and begin at 0 s; without them both are refused.
        """
        corners = _arrays.triangles(triangles)
        given = [key for key, value in (("frames", frames), ("transforms", transforms), ("velocity", velocity))
                 if value is not None]
        if len(given) > 1:
            raise refused("Option", f"{' and '.join(given)}: give one of them")
        for key, value in (("times", times), ("fps", fps)):
            if value is not None and frames is None and transforms is None:
                raise refused("Option", f"{key}: only frames and transforms have times; {key} is {value}")
        motion: dict[str, Any] | None = None
        if frames is not None:
            keys = _arrays.floats("frames", frames, None, None, 3)
            if len(keys) == 0:
                raise refused("Shape", "frames: there are none")
            motion = {"frames": keys, "times": self._times(times, fps, len(keys))}
            positions = keys[0] if positions is None else positions
        elif transforms is not None:
            matrices = _arrays.doubles("transforms", transforms, None, 4, 4)
            motion = {"transforms": matrices, "times": self._times(times, fps, len(matrices))}
        elif velocity is not None:
            motion = {"velocity": tuple(_arrays.doubles("velocity", velocity, 3).tolist())}
        if positions is None:
            raise refused("Option", "positions or frames: the vertices of the body are needed")
        rest = _arrays.floats("positions", positions, None, 3)
        if motion is not None and "frames" in motion and motion["frames"].shape[1] != len(rest):
            count = motion["frames"].shape[1]
            raise refused("Shape", f"frames: {count} vertices a frame, and positions has {len(rest)}")
        options = {
            "outside": outside,
            "self_contact": bool(self_contact),
            "neighbours": bool(neighbours),
            "thickness": _arrays.real("thickness", thickness),
            "group": group,
        }
        self._scene.add(name, corners, rest, motion, options)

    def add_mesh(self, name: str, mesh: Any, **motion: Any) -> None:
        """Adds a mesh of trimesh (``vertices``, ``faces``) or meshio (``points``, ``cells_dict``).

        Polygons of meshio with four corners are cut into two triangles. ``motion`` is as in
        :meth:`add`; without one the body rests where the mesh is.
        """
        if hasattr(mesh, "faces") and hasattr(mesh, "vertices"):
            positions, corners = np.asarray(mesh.vertices), np.asarray(mesh.faces)
        elif hasattr(mesh, "cells_dict") and hasattr(mesh, "points"):
            cells = mesh.cells_dict
            unknown = sorted(set(cells) - {"triangle", "quad", "line", "vertex"})
            if unknown:
                raise refused("Mesh", f"mesh: cells of type {', '.join(unknown)} are no triangles")
            quads = np.asarray(cells.get("quad", np.empty((0, 4), int)))
            parts = [np.asarray(cells.get("triangle", np.empty((0, 3), int))), quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]
            positions, corners = np.asarray(mesh.points), np.concatenate(parts)
        else:
            raise refused("Mesh", f"mesh: {type(mesh).__name__} has neither vertices and faces nor points and cells_dict")
        if "frames" not in motion:
            motion["positions"] = positions
        self.add(name, corners, **motion)

    def _times(self, times: Any, fps: float | None, count: int) -> npt.NDArray[np.float64]:
        rate = self.fps if fps is None and times is None else fps
        return _arrays.key_times(times, rate, count)

    def exclude(self, a: str, b: str) -> None:
        """Leaves out the contacts of two different bodies, by name."""
        if self.number(a) == self.number(b):
            raise refused("Option", f"a and b: both are '{a}'; without self_contact it is not tested against itself")
        self._scene.exclude(self.number(a), self.number(b))

    def number(self, name: str) -> int:
        """The number of a body."""
        names = self._scene.names
        if name not in names:
            raise refused("NoSuchBody", f"there is no body '{name}'; there are {', '.join(names) or 'none'}")
        return names.index(name)

    @property
    def names(self) -> list[str]:
        """Names of the bodies, in order."""
        return self._scene.names

    @property
    def fps(self) -> float | None:
        """Frames a second, for sampling and for frames in results. Frame 0 is at 0 s."""
        return self._scene.fps

    @fps.setter
    def fps(self, fps: float | None) -> None:
        self._scene.fps = None if fps is None else _arrays.real("fps", fps)

    @property
    def span(self) -> tuple[float, float] | None:
        """First and last second to check: as set, or from the first key to the last."""
        return self._scene.span

    @span.setter
    def span(self, span: tuple[float, float] | None) -> None:
        self._scene.span = None if span is None else _arrays.stretch("span", span)

    @property
    def notes(self) -> list[str]:
        """Remarks of the reader: the scene is valid, but may not be what was meant."""
        return self._scene.notes + self._notes

    def positions(self, body: str, time: float) -> npt.NDArray[np.float64]:
        """The vertices of a body at a time, ``(N, 3)``."""
        return self._scene.positions(self.number(body), _arrays.real("time", time))

    def triangles(self, body: str) -> npt.NDArray[np.uint32]:
        """The triangles of a body, ``(T, 3)``."""
        return self._scene.triangles(self.number(body))

    def render(
        self, path: str | os.PathLike[str], time: float, *, size: tuple[int, int] = (960, 720)
    ) -> int:
        """Writes a picture (PNG) of a time. Returns how many triangles touch; they are marked.

        A body that is alone in its scene is tested against itself.
        """
        scene = self._scene.copy()
        scene.apply_rules(False, False, None)
        width, height = _arrays.indices("size", size, 2).tolist()
        return scene.render(os.fspath(path), _arrays.real("time", time), width, height)

    def __repr__(self) -> str:
        return f"<kinetree.Scene: {', '.join(self.names) or 'empty'}>"
