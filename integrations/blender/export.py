"""Writes objects of a .blend file as a scene for `kinetree check`, without the add-on or its window.

    blender --background shot.blend --python integrations/blender/export.py -- OUT [options]
    python integrations/blender/export.py shot.blend OUT [options]          # with the package bpy

Options: `--objects NAME ...` (all visible meshes without it), `--frames FIRST-LAST` (the scene's
without it), `--samples N` a frame, `--self-contact`, `--thickness METRES`.
"""

import argparse
import sys
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).resolve().parent))
from kinetree_addon import capture, plain  # noqa: E402


def frames(text):
    first, dash, last = text.rpartition("-")
    if not dash or not first:
        raise argparse.ArgumentTypeError(f"'{text}' is no range of frames such as 1-100")
    return int(first), int(last)


def arguments():
    is_inside = "--" in sys.argv
    parser = argparse.ArgumentParser(description="Writes a scene for kinetree check.")
    if not is_inside:
        parser.add_argument("blend", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--objects", nargs="+", metavar="NAME")
    parser.add_argument("--frames", type=frames, metavar="FIRST-LAST")
    parser.add_argument("--samples", type=int, default=1, help="times a frame (1)")
    parser.add_argument("--self-contact", action="store_true")
    parser.add_argument("--thickness", type=float, default=0.0, help="metres (0)")
    options = parser.parse_args(sys.argv[sys.argv.index("--") + 1 :] if is_inside else None)
    if options.samples < 1:
        parser.error("--samples: 1 or more")
    return options


def wanted(names):
    if names is None:
        return [thing for thing in bpy.context.scene.objects if thing.type == "MESH" and thing.visible_get()]
    things = []
    for name in names:
        thing = bpy.context.scene.objects.get(name)
        if thing is None or thing.type != "MESH":
            raise plain.Refused(f"--objects: the scene has no mesh object '{name}'")
        things.append(thing)
    return things


def main():
    options = arguments()
    if "blend" in options:
        bpy.ops.wm.open_mainfile(filepath=str(options.blend))
    scene = bpy.context.scene
    first, last = options.frames or (scene.frame_start, scene.frame_end)
    try:
        bodies, times, fps = capture.capture(bpy.context, wanted(options.objects), first, last, options.samples)
        path = plain.write_scene(options.out, bodies, times, fps, options.self_contact, options.thickness)
    except (plain.Refused, OSError) as error:
        print(f"export: {error}", file=sys.stderr)
        return 2
    print(f"{path}: {len(bodies)} objects, {len(times)} samples")
    return 0


if __name__ == "__main__":
    status = main()
    if status:
        sys.exit(status)
