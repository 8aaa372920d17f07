"""200 generated shots on a farm of two workers; one of them is killed in the middle.

    python python/examples/farm.py [--shots 200] [--workers 2] [--spans 3] [--out FOLDER]

Every shot's result is compared with a check in this process, byte for byte.
"""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
import tempfile
import time
from functools import partial
from typing import Any

import numpy as np
from distributed import Client, LocalCluster

import kinetree as kt
from kinetree import distributed as farm


def shot(number: int) -> kt.Scene:
    """A sheet of 50 triangles that swings through a floor in a way of its own, one second long."""
    random = np.random.default_rng(number)
    x, y = (axis.ravel() for axis in np.meshgrid(np.linspace(-1, 1, 6), np.linspace(-1, 1, 6)))
    corner = np.arange(36).reshape(6, 6)
    a, b, c, d = (part.ravel() for part in (corner[:-1, :-1], corner[:-1, 1:], corner[1:, 1:], corner[1:, :-1]))
    triangles = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
    height, speed, turn = random.uniform(0, 0.4), random.uniform(2, 6), random.uniform(0, 6)
    frames = [np.stack([x, y, height + 0.2 * np.sin(speed * frame / 24 + turn + 3 * x)], 1) for frame in range(25)]
    scene = kt.Scene(fps=24)
    scene.add("floor", [[0, 1, 2], [0, 2, 3]], [[-2, -2, 0], [2, -2, 0], [2, 2, 0], [-2, 2, 0]])
    scene.add("sheet", triangles, frames=frames)
    return scene


class Killer:
    """Ends one worker once half of the shots are done."""

    def __init__(self, client: Client, shots: int) -> None:
        self.client, self.shots, self.killed = client, shots, 0
        self.told = 0

    def __call__(self, progress: farm.Progress) -> None:
        if progress.shots != self.told and progress.shots % 20 == 0:
            self.told = progress.shots
            print(f"{progress.shots} of {progress.of_shots} shots", flush=True)
        if progress.shots >= self.shots // 2 and not self.killed:
            processes: Any = self.client.run(os.getpid)
            self.killed = sorted(processes.values())[0]
            os.kill(self.killed, signal.SIGKILL)
            print(f"worker {self.killed} killed", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description="Checks generated shots on a farm.")
    parser.add_argument("--shots", type=int, default=200)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--spans", type=int, default=3)
    parser.add_argument("--out")
    options = parser.parse_args()
    shots: dict[str, farm.Shot] = {f"shot_{number:03}": partial(shot, number) for number in range(options.shots)}
    environment = {"RAYON_NUM_THREADS": "1"}
    # The scheduler names every result that a dead worker had; the numbers at the end are enough.
    logging.getLogger("distributed").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as temporary, LocalCluster(
        n_workers=options.workers, threads_per_worker=1, dashboard_address=":0", env=environment
    ) as cluster, Client(cluster) as client:
        out = options.out or temporary
        began = time.monotonic()
        results = farm.check(
            shots, client=client, spans=options.spans, out=out, progress=Killer(client, options.shots)
        )
        took = time.monotonic() - began
        failed = [name for name, result in results.items() if result.error is not None]
        for name in failed:
            print(f"{name}: {results[name].error!r}")
        different = 0
        for number, result in enumerate(results.values()):
            alone = kt.check(shot(number)).to_bytes(stats=False)
            different += result.path is None or result.path.read_bytes() != alone
    print(f"{options.shots} shots in {took:.1f} s, {len(failed)} failed, {different} differ from a check of their own")
    return 1 if failed or different else 0


if __name__ == "__main__":
    sys.exit(main())
