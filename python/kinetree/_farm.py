"""What the workers of a farm compute. Tasks have no effects besides files of the cache."""

from __future__ import annotations

import hashlib
import os
import threading
import uuid
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Callable, Union

from . import _native
from ._arrays import refused
from .clips import CheckResult, _asked, check, merge, read_result
from .scenes import Scene

__all__: list[str] = []


@dataclass(frozen=True)
class Settings:
    """What a farm is asked for."""

    options: dict[str, Any]
    #: Into how many spans a shot is divided.
    spans: int
    cache: str | None
    #: Version of the package of the client.
    version: str


@dataclass(frozen=True)
class Outline:
    """What a shot is, and how it is divided."""

    fingerprint: str
    identity: tuple[list[int], int, int]
    #: ``None`` stands for the whole: nothing is cut.
    spans: list[tuple[float, float] | None]


def version() -> str:
    """The version of the package: results of different ones are not joined."""
    return _native.__version__


@lru_cache(maxsize=1)
def _build() -> str:
    """The fingerprint of the engine itself: the cache forgets what another build found."""
    file = _native.__file__
    assert file is not None
    with open(file, "rb") as engine:
        return hashlib.blake2b(engine.read(), digest_size=16).hexdigest()


class _Recent:
    """The scenes that a worker read last, by fingerprint: spans of one shot read it once."""

    def __init__(self, most: int) -> None:
        self.lock, self.most = threading.Lock(), most
        self.scenes: dict[str, Scene] = {}

    def get(self, fingerprint: str) -> Scene | None:
        with self.lock:
            return self.scenes.get(fingerprint)

    def keep(self, fingerprint: str, scene: Scene) -> None:
        with self.lock:
            self.scenes.pop(fingerprint, None)
            self.scenes[fingerprint] = scene
            while len(self.scenes) > self.most:
                self.scenes.pop(next(iter(self.scenes)))


_recent = _Recent(2)


def _load(shot: Any, options: dict[str, Any]) -> Scene:
    if isinstance(shot, Scene):
        return shot
    if callable(shot):
        scene = shot()
        if not isinstance(scene, Scene):
            raise refused("Option", f"shots: the function returned {type(scene).__name__}, not a scene")
        return scene
    if isinstance(shot, str):
        return Scene.read(shot)
    # Frames of caches have times by it, as with the program's arguments.
    return Scene.read(*shot, fps=options.get("fps"))


def _outlined(scene: Scene, options: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The fingerprint of a check, and what it covers."""
    native, samples, asked = _asked(scene, **options)
    outline = _native.outline(native, asked, samples)
    text = repr((_build(), version(), outline["identity"], outline["whole"], outline["fps"], native.wording()))
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest(), outline


def cuts(times: Any, span: tuple[float, float], count: int) -> list[tuple[float, float]]:
    """Spans of equally many samples, but for one. They meet at samples, so that no key interval is cut
    where samples are keys."""
    inner = [float(time) for time in times if span[0] < time < span[1]]
    count = min(count, len(inner) + 1)
    ends = [span[0], *(inner[number * (len(inner) + 1) // count - 1] for number in range(1, count)), span[1]]
    return list(zip(ends, ends[1:]))


def outline(shot: Any, settings: Settings) -> Union[Outline, _native.KinetreeError]:
    if settings.version != version():
        return refused("Version", f"a worker has kinetree {version()}, the client {settings.version}")
    try:
        scene = _load(shot, settings.options)
        fingerprint, found = _outlined(scene, settings.options)
    except _native.FileError:
        # Another attempt may find the file.
        raise
    except _native.KinetreeError as error:
        return error
    _recent.keep(fingerprint, scene)
    spans: list[tuple[float, float] | None] = [None]
    if settings.spans > 1 and not found["is_still"]:
        spans = [*cuts(found["times"], found["whole"], settings.spans)]
    return Outline(fingerprint, found["identity"], spans)


def _same(shot: Any, settings: Settings, outline: Outline) -> Scene:
    """The scene of an outline: the one that was read for it, or an equal one."""
    scene = _recent.get(outline.fingerprint)
    if scene is None:
        scene = _load(shot, settings.options)
        if _outlined(scene, settings.options)[0] != outline.fingerprint:
            raise refused("ShotChanged", "the shot changed while it was checked, or worker and client have other builds")
        _recent.keep(outline.fingerprint, scene)
    return scene


#: A part and whether it comes from the cache, or why there is none.
Part = Union[tuple[bytes, bool], _native.KinetreeError]


def part(shot: Any, settings: Settings, outline: Outline, number: int) -> Part:
    span = outline.spans[number]
    place = None
    if settings.cache is not None:
        ends = "whole" if span is None else f"{span[0].hex()}_{span[1].hex()}"
        place = Path(settings.cache) / outline.fingerprint / f"{ends}.json"
        data = _cached(place, outline, span)
        if data is not None:
            return data, True
    try:
        scene = _same(shot, settings, outline)
        # Joining finds the incidents of several parts.
        is_whole = len(outline.spans) == 1
        result = check(scene, span=span, incidents=is_whole, **settings.options)
    except _native.FileError:
        raise
    except _native.KinetreeError as error:
        return error
    data = result.to_bytes(stats=False)
    if place is not None:
        place.parent.mkdir(parents=True, exist_ok=True)
        write(place, data)
    return data, False


def _cached(place: Path, outline: Outline, span: tuple[float, float] | None) -> bytes | None:
    """A part of the cache, if it is there and is what its name says."""
    try:
        data = place.read_bytes()
        found = read_result(data)
    except (OSError, _native.FileError):
        return None
    is_it = found._native.identity == outline.identity and found.is_complete
    return data if is_it and found.span == (found.whole if span is None else span) else None


def write(place: Path, data: bytes) -> None:
    """Writes a whole file or none, also if several processes write it."""
    own = place.with_name(f".{place.name}.{uuid.uuid4().hex}")
    try:
        own.write_bytes(data)
        os.replace(own, place)
    finally:
        own.unlink(missing_ok=True)


def joined(shot: Any, settings: Settings, outline: Outline, *parts: Part) -> Union[tuple[bytes, int], _native.KinetreeError]:
    results: list[CheckResult] = []
    cached = 0
    for found in parts:
        if isinstance(found, _native.KinetreeError):
            return found
        data, is_cached = found
        cached += is_cached
        results.append(read_result(data))
    try:
        if len(results) == 1:
            # Its incidents are those of the whole.
            return results[0].to_bytes(), cached
        return merge(results, scene=_same(shot, settings, outline)).to_bytes(), cached
    except _native.FileError:
        raise
    except _native.KinetreeError as error:
        return error


TASKS: dict[str, Callable[..., Any]] = {"outline": outline, "part": part, "joined": joined}
