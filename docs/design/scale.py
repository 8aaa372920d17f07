#!/usr/bin/env python3
"""What a studio's night would take, worked out from measured costs. Prints the table of scale.md.

    python3 docs/design/scale.py [--shots 1e5] [--frames 1e3] [--triangles 1e6] [--hours 8]
"""

import argparse

# Measured by the commands of scale.md.
SECONDS_PER_TRIANGLE_KEY = 1.45e-7  # processor time of a check without its contacts
SECONDS_PER_INTERVAL = 1.94e-5  # processor time of a contact over time, found and written
BYTES_PER_INTERVAL = 510.0  # of a result file, JSON
RESULT_BYTES_PER_PACKED = 11.0  # the same file over its size after gzip
WORLD_BYTES_PER_TRIANGLE = 940.0  # of a world with contacts of a body with itself
BYTES_PER_KEY_AND_VERTEX = 12.0  # a cache: three numbers of 32 bits
VERTICES_PER_TRIANGLE = 0.5
# Assumed, and stated as such in scale.md.
INTERVALS_PER_TRIANGLE_KEY = 1e-3
CORES_PER_MACHINE = 64
CHANGED_SHOTS = 0.05
CHANGED_TIME = 0.3


def scaled(value, units):
    """A number with three digits and the unit that fits."""
    for factor, unit in units:
        if value >= factor:
            return f"{value / factor:.3g} {unit}"
    return f"{value / units[-1][0]:.3g} {units[-1][1]}"

# What a check holds of a clip: tuning::FEWEST_KEYS_OF_A_PART, tuning::KEY_BYTES_AT_ONCE.
KEYS_AT_ONCE = 64
BYTES_AT_ONCE = 8 * 2**20

BYTES = [(1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1.0, "B")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shots", type=float, default=1e5)
    parser.add_argument("--frames", type=float, default=1e3)
    parser.add_argument("--triangles", type=float, default=1e6)
    parser.add_argument("--hours", type=float, default=8.0)
    options = parser.parse_args()
    night = 3600.0 * options.hours
    triangle_keys = options.shots * options.frames * options.triangles
    intervals = triangle_keys * INTERVALS_PER_TRIANGLE_KEY
    seconds = triangle_keys * SECONDS_PER_TRIANGLE_KEY + intervals * SECONDS_PER_INTERVAL
    cores = seconds / night
    read = triangle_keys * VERTICES_PER_TRIANGLE * BYTES_PER_KEY_AND_VERTEX
    written = intervals * BYTES_PER_INTERVAL
    shot = read / options.shots
    changed = CHANGED_SHOTS * CHANGED_TIME
    rows = [
        ("triangle-keys", f"{triangle_keys:.1e}"),
        ("contacts over time", f"{intervals:.1e}"),
        ("processor time", f"{seconds / 3600:.3g} core-hours"),
        (f"cores for {options.hours:g} hours", f"{cores:.0f}, {cores / CORES_PER_MACHINE:.0f} machines of {CORES_PER_MACHINE}"),
        ("processor time of one shot", f"{seconds / options.shots:.0f} s"),
        ("read", scaled(read, BYTES)),
        ("read, a second of the night", scaled(read / night, BYTES)),
        ("read, a second and core", scaled(read / night / cores, BYTES)),
        ("results, JSON", scaled(written, BYTES)),
        ("results, packed", scaled(written / RESULT_BYTES_PER_PACKED, BYTES)),
        ("memory of one shot: keys of one part", scaled(max(KEYS_AT_ONCE * shot / options.frames, BYTES_AT_ONCE), BYTES)),
        ("memory of one shot: trees and contacts", scaled(options.triangles * WORLD_BYTES_PER_TRIANGLE, BYTES)),
        (
            f"next night, {CHANGED_SHOTS:.0%} of the shots changed, {CHANGED_TIME:.0%} of their time",
            f"{seconds * changed / 3600:.3g} core-hours, {cores * changed:.0f} cores",
        ),
    ]
    print("| | |\n|---|---|")
    for name, value in rows:
        print(f"| {name} | {value} |")


if __name__ == "__main__":
    main()
