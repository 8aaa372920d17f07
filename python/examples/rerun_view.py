"""Writes a clip and its contacts for the viewer rerun (`pip install rerun-sdk`).

    python python/examples/rerun_view.py SCENE.toml OUT.rrd
    rerun OUT.rrd

Meshes are logged frame by frame, touching triangles red; incidents as a text log and as a curve of
how many pairs of triangles touch.
"""

# The package fills its module when it is imported.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

import sys

import numpy as np
import rerun as rr

import kinetree as kt


def main(source: str, target: str) -> int:
    scene = kt.Scene.read(source)
    result = kt.check(scene)
    contacts = result.contacts
    rr.init("kinetree", spawn=False)
    rr.save(target)
    for time in result.times:
        rr.set_time("time", duration=float(time))
        now = contacts[(contacts["begin"] <= time) & (time <= contacts["end"])]
        for number, name in enumerate(scene.names):
            triangles = scene.triangles(name)
            touching = np.unique(np.concatenate([now[f"triangle_{side}"][now[side] == number] for side in "ab"]))
            colours = np.full((len(triangles) * 3, 3), 200, np.uint8)
            # Corners are logged by triangle, so that a triangle has a colour of its own.
            colours.reshape(-1, 3, 3)[touching] = (230, 40, 40)
            corners = scene.positions(name, float(time))[triangles].reshape(-1, 3)
            rr.log(f"scene/{rr.escape_entity_path_part(name)}", rr.Mesh3D(vertex_positions=corners, vertex_colors=colours))
        rr.log("touching_pairs", rr.Scalars(len(now)))
    for incident in result.incidents:
        rr.set_time("time", duration=incident.begin)
        rr.log("incidents", rr.TextLog(str(incident), level="WARN"))
        rr.set_time("time", duration=incident.worst_time)
        rr.log(f"incident_{incident.number}", rr.Points3D([incident.centre], labels=[str(incident)], radii=0.01))
    print(f"{target}: {len(result.times)} frames, {len(result.incidents)} incidents")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
