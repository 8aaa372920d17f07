"""Checks of many shots, or of long ones, on the workers of a Dask cluster.

Needs the extra ``dask``: ``pip install "kinetree[dask]"``. Shots are divided into spans; each span
is a task, and so is the joining of a shot's parts. The joined file of a shot is byte for byte that
of ``kinetree check`` without counters, on any number of workers, also if workers die meanwhile:
tasks have no effects, and joining refuses gaps and overlaps.

>>> results = check({"shot_010": "shots/010/scene.toml"}, spans=4)     # doctest: +SKIP
>>> results["shot_010"].result.incidents                               # doctest: +SKIP
"""

from __future__ import annotations

import contextlib
import os
import uuid
from concurrent.futures import CancelledError
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, Sequence, Union

import numpy as np

from . import _farm, _native
from ._arrays import refused, whole
from .clips import CheckResult, read_result
from .scenes import Scene

if TYPE_CHECKING:
    from distributed import Client, Future

__all__ = ["Progress", "Shot", "ShotResult", "check"]

#: One shot: a scene file, inputs as :meth:`kinetree.Scene.read` takes them, a scene, or a function
#: without arguments that returns a scene (it runs on the workers).
Shot = Union[str, "os.PathLike[str]", Sequence["str | os.PathLike[str]"], Scene, Callable[[], Scene]]


@dataclass(frozen=True)
class Progress:
    """How far a farm is."""

    #: Shots that are finished or failed, and all.
    shots: int
    of_shots: int
    #: Spans that are checked, and those known so far: a shot's are known once it was read.
    spans: int
    of_spans: int
    #: The shot that went on.
    shot: str


@dataclass(frozen=True)
class ShotResult:
    """What became of one shot."""

    name: str
    #: The result file, without counters; ``None`` if the shot failed or ``out`` was given.
    data: bytes | None
    #: The result file, if ``out`` was given.
    path: Path | None
    #: Why the shot failed.
    error: Exception | None
    #: Spans that the shot was divided into, and how many came from ``cache``.
    spans: int
    cached: int
    #: Equal for equal scenes and options.
    fingerprint: str

    @property
    def result(self) -> CheckResult:
        """The result, read without its scene. Raises the error of a shot that failed."""
        if self.error is not None:
            raise self.error
        source = self.path if self.data is None else self.data
        assert source is not None
        return read_result(source)


def check(
    shots: Mapping[str, Shot] | Sequence[str | os.PathLike[str]],
    *,
    client: Client | None = None,
    workers: int | None = None,
    spans: int = 1,
    cache: str | os.PathLike[str] | None = None,
    out: str | os.PathLike[str] | None = None,
    retries: int = 2,
    progress: Callable[[Progress], Any] | None = None,
    **options: Any,
) -> dict[str, ShotResult]:
    """Checks shots on a cluster.

    ``shots``: by name; or scene files, which are their own names. Names of files must be valid on
    the workers. ``client``: any Dask client, such as one of an SSH, Slurm or Kubernetes cluster;
    without it, a local cluster of ``workers`` processes (as many as cores) is started and ended.
    ``spans``: into how many spans of equally many samples a shot is divided. ``cache``: a folder
    that all workers see; spans with equal fingerprints are taken from there. ``out``: a folder into
    which the client writes ``NAME.json`` of every shot. ``retries``: how often a task is repeated
    after an error that another attempt may not have, such as one of a file system. Dask repeats
    tasks of workers that died by its own setting, ``distributed.scheduler.allowed-failures``.
    ``progress`` is called after every task; it ends the run by returning ``False``: shots that are
    not finished have :class:`concurrent.futures.CancelledError`. ``options`` are those of
    :func:`kinetree.check`, except for ``span``, ``baseline``, ``stop_at_first``, ``incidents``, ``baked``
    and ``progress``.

    A shot that fails does not end the others: its :attr:`ShotResult.error` says why. A result that an
    earlier run wrote for a shot that failed or was not finished is removed from ``out``.
    """
    named = _named(shots)
    wrong = sorted({"span", "baseline", "stop_at_first", "incidents", "baked", "progress"} & set(options))
    if wrong:
        raise refused("Option", f"{', '.join(wrong)}: not for a farm; parts of a check are joined to the whole")
    spans = whole("spans", spans, 1)
    try:
        from distributed import Client as MakeClient, LocalCluster
    except ImportError as error:
        raise ImportError('kinetree.distributed needs Dask: pip install "kinetree[dask]"') from error
    folder = None if out is None else Path(out)
    if folder is not None:
        _check_names(named)
        folder.mkdir(parents=True, exist_ok=True)
    settings = _farm.Settings(
        options=options, spans=spans, cache=None if cache is None else os.path.abspath(cache), version=_farm.version()
    )
    if client is not None:
        return _Run(client, named, settings, folder, retries, progress).run()
    # Each worker has one thread for Dask and one for the engine: spans are what runs at once.
    environment = {"RAYON_NUM_THREADS": "1"}
    with LocalCluster(
        n_workers=workers, threads_per_worker=1, dashboard_address=":0", env=environment
    ) as cluster, MakeClient(cluster) as own:
        return _Run(own, named, settings, folder, retries, progress).run()


def _named(shots: Mapping[str, Shot] | Sequence[str | os.PathLike[str]]) -> dict[str, Shot]:
    if isinstance(shots, Mapping):
        return {str(name): _resolved(shot) for name, shot in shots.items()}
    if isinstance(shots, (str, os.PathLike)):
        raise refused("Option", "shots: give a list of scene files, or shots by name")
    named: dict[str, Shot] = {}
    for shot in shots:
        name = os.fspath(shot)
        if name in named:
            raise refused("Option", f"shots: '{name}' is given twice")
        named[name] = _resolved(shot)
    return named


def _resolved(shot: Shot) -> Shot:
    """File names in full: workers have other working folders."""
    if isinstance(shot, Scene) or callable(shot):
        return shot
    if isinstance(shot, (str, os.PathLike)):
        return os.path.abspath(shot)
    return [os.fspath(_native.absolute_input(os.fspath(path), os.getcwd())) for path in shot]


def _check_names(named: Mapping[str, Shot]) -> None:
    for name in named:
        if not name or name in (".", "..") or any(sign in name for sign in '/\\:\0'):
            raise refused("Option", f"shots: '{name}' is no name of a file for out; give shots by name")


class _Run:
    """One run: which tasks there are, and what became of them."""

    def __init__(
        self,
        client: Client,
        shots: dict[str, Shot],
        settings: _farm.Settings,
        out: Path | None,
        retries: int,
        progress: Callable[[Progress], Any] | None,
    ) -> None:
        self.client, self.shots, self.settings, self.out = client, shots, settings, out
        self.retries, self.progress = retries, progress
        #: Tasks that are not finished, with their shots.
        self.open: dict[Future, tuple[str, str]] = {}
        self.outlines: dict[str, _farm.Outline] = {}
        #: Parts of shots that are not joined yet.
        self.parts: dict[str, list[Future]] = {}
        self.done: dict[str, ShotResult] = {}
        self.spans = self.of_spans = 0

    def run(self) -> dict[str, ShotResult]:
        from distributed import as_completed

        tasks = as_completed([self.submit("outline", name, shot, self.settings) for name, shot in self.shots.items()])
        try:
            for task in tasks:
                if task.status in ("pending", "lost"):
                    # Its worker died before the result was taken: it is computed again.
                    tasks.add(task)
                    continue
                kind, name = self.open.pop(task)
                for following in self.finished(kind, name, task):
                    tasks.add(following)
                answer = None if self.progress is None else self.progress(self.state(name))
                if isinstance(answer, (bool, np.bool_)) and not answer:
                    break
        finally:
            # After Ctrl-C, or an error of the progress function, nothing more is computed.
            self.client.cancel([*self.open, *(part for parts in self.parts.values() for part in parts)], force=True)
        return {name: self.done.get(name) or self.failed(name, CancelledError()) for name in self.shots}

    def submit(self, kind: str, name: str, *arguments: Any, number: int = 0) -> Future:
        key = f"{kind}-{name}-{number}-{uuid.uuid4().hex[:8]}"
        task: Future = self.client.submit(_farm.TASKS[kind], *arguments, key=key, retries=self.retries, pure=False)
        self.open[task] = (kind, name)
        return task

    def finished(self, kind: str, name: str, task: Future) -> Iterator[Future]:
        """Takes what a task computed; returns the tasks that follow."""
        if kind == "part":
            self.spans += 1
        if name in self.done:
            # A part of a shot that failed.
            return
        # Parts stay on their workers.
        answer: Any = _answer(task) if kind != "part" or task.status != "finished" else None
        if isinstance(answer, Exception):
            self.fail(name, answer)
        elif kind == "outline":
            outline: _farm.Outline = answer
            self.outlines[name] = outline
            self.of_spans += len(outline.spans)
            self.parts[name] = [
                self.submit("part", name, self.shots[name], self.settings, outline, number, number=number)
                for number in range(len(outline.spans))
            ]
            yield from self.parts[name]
        elif kind == "part" and not any(part in self.open for part in self.parts[name]):
            yield self.submit("joined", name, self.shots[name], self.settings, self.outlines[name], *self.parts[name])
        elif kind == "joined":
            self.parts.pop(name)
            self.keep(name, *answer)

    def keep(self, name: str, data: bytes, cached: int) -> None:
        outline = self.outlines[name]
        path = None if self.out is None else self.out / f"{name}.json"
        if path is not None:
            try:
                _farm.write(path, data)
            except OSError as error:
                self.fail(name, error)
                return
        kept = data if path is None else None
        self.done[name] = ShotResult(name, kept, path, None, len(outline.spans), cached, outline.fingerprint)

    def fail(self, name: str, error: Exception) -> None:
        self.done[name] = self.failed(name, error)
        self.parts.pop(name, None)

    def failed(self, name: str, error: Exception) -> ShotResult:
        outline = self.outlines.get(name)
        fingerprint = "" if outline is None else outline.fingerprint
        if self.out is not None:
            # The result of an earlier run would be taken for that of this one.
            with contextlib.suppress(OSError):
                (self.out / f"{name}.json").unlink(missing_ok=True)
        return ShotResult(name, None, None, error, 0 if outline is None else len(outline.spans), 0, fingerprint)

    def state(self, shot: str) -> Progress:
        return Progress(len(self.done), len(self.shots), self.spans, self.of_spans, shot)


def _answer(task: Future) -> Any:
    """What a task computed, or the error that it ended with."""
    try:
        return task.result()
    except Exception as error:
        return error
