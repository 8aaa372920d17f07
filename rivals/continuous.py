#!/usr/bin/env python3
"""The continuous race: contacts of whole clips, by kinetree and by the IPC Toolkit.

    pip install ipctk numpy
    cargo build --release --features cli
    python3 rivals/continuous.py cloth.obj:cloth.pc2 [--fps 24] [--steps 0-40] [--repeat 3] [--threads 2]

A clip is a mesh and a cache of it (PC2), tested against itself. Per step from key to key, vertices
move linearly. The IPC Toolkit builds candidates with its LBVH and computes the collision-free step
size with Tight Inclusion, then with Additive CCD: the first time of impact of each step, to a
tolerance. `kinetree check` finds all intervals in which triangles touch, exactly; its time includes
reading the files, which the other's does not. Contenders in turn, the median of the repeats:
processor time of one thread, or, with more `--threads`, wall time of all, both sides with as many. A
step in which only one side finds a contact is counted and told.
"""

import argparse
import json
import os
import resource
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import ipctk
import numpy as np

ROOT = Path(__file__).resolve().parent.parent
KINETREE = os.environ.get("KINETREE", str(ROOT / "target" / "release" / "kinetree"))


def read_obj(path):
    """Triangles of an OBJ file, polygons cut into fans."""
    triangles = []
    for line in Path(path).read_text().splitlines():
        if line.startswith("f "):
            corners = [int(word.split("/")[0]) - 1 for word in line.split()[1:]]
            triangles += [[corners[0], corners[i], corners[i + 1]] for i in range(1, len(corners) - 1)]
    return np.array(triangles, dtype=np.int32)


def read_pc2(path):
    """Frames × vertices × 3, as float64."""
    data = Path(path).read_bytes()
    _, _, vertices, _, _, frames = struct.unpack("<12siiffi", data[:32])
    return np.frombuffer(data, "<f4", frames * vertices * 3, 32).reshape(frames, vertices, 3).astype(np.float64)


def of_toolkit(mesh, frames, narrow_phase, clock):
    """Seconds, and the step size of each step."""
    begin = clock()
    sizes = []
    for one, two in zip(frames[:-1], frames[1:]):
        candidates = ipctk.Candidates()
        candidates.build(mesh, one, two, broad_phase=ipctk.LBVH())
        sizes.append(candidates.compute_collision_free_stepsize(mesh, one, two, narrow_phase_ccd=narrow_phase))
    return clock() - begin, sizes


def of_kinetree(source, fps, steps, folder, threads):
    """Seconds, all intervals, and the frames' times."""
    out = Path(folder) / "contacts.json"
    command = [KINETREE, "check", source, "--fps", str(fps), "--frames", f"{steps[0]}-{steps[1]}", "-q", "-o", str(out)]
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([*command, "--jobs", str(threads)], check=True)
    seconds = time.perf_counter() - begin
    if threads == 1:
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, [(one["begin"] * fps, one["end"] * fps) for one in json.loads(out.read_text())["intervals"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("clip", help="MESH.obj:CACHE.pc2")
    parser.add_argument("--fps", type=float, default=24.0)
    parser.add_argument("--steps", help="first and last frame, as 0-40 [all]")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1, help="of both sides [1]")
    options = parser.parse_args()
    ipctk.set_num_threads(options.threads)
    clock = time.process_time if options.threads == 1 else time.perf_counter
    # Steps that begin with a contact are said one by one otherwise.
    ipctk.set_logger_level(ipctk.LoggerLevel.error)
    mesh_file, cache = options.clip.rsplit(":", 1)
    frames = read_pc2(cache)
    first, last = map(int, options.steps.split("-")) if options.steps else (0, len(frames) - 1)
    frames = [np.asfortranarray(frame) for frame in frames[first : last + 1]]
    triangles = np.asfortranarray(read_obj(mesh_file))
    mesh = ipctk.CollisionMesh(frames[0], np.asfortranarray(ipctk.edges(triangles)), triangles)
    contenders = {"Tight Inclusion": ipctk.TightInclusionCCD(), "Additive CCD": ipctk.AdditiveCCD()}
    seconds = {name: [] for name in ["kinetree", *contenders]}
    sizes, intervals = {}, []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(options.repeat):
            spent, intervals = of_kinetree(options.clip, options.fps, (first, last), folder, options.threads)
            seconds["kinetree"].append(spent)
            for name, narrow_phase in contenders.items():
                spent, sizes[name] = of_toolkit(mesh, frames, narrow_phase, clock)
                seconds[name].append(spent)
    ours = statistics.median(seconds["kinetree"])
    print(f"{len(triangles)} triangles, {len(frames) - 1} steps, threads: {options.threads}, ipctk {ipctk.__version__}, load {os.getloadavg()[0]:.2f}")
    print(f"{'':>16} {'s':>8} {'ratio':>7}  what")
    print(f"{'kinetree':>16} {ours:8.3f} {'':>7}  {len(intervals)} intervals")
    for name, found in sizes.items():
        median = statistics.median(seconds[name])
        hits = {first + step for step, size in enumerate(found) if size < 1.0}
        touching = {step for step in range(first, last) if any(b <= step + 1 and e >= step for b, e in intervals)}
        print(
            f"{name:>16} {median:8.3f} {median / ours:7.1f}  impacts in {len(hits)} steps; "
            f"only it {sorted(hits - touching)}, only kinetree {sorted(touching - hits)}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
