#!/usr/bin/env python3
"""Prints line coverage per module from the summary that `llvm-cov export --summary-only` writes.

    .ci/coverage_table.py SUMMARY.json

The core is what detects contacts; files, checks, reports and the program are listed below it.
"""

import json
import sys
from pathlib import Path

CORE = {
    "baked", "bvh", "geometry", "incident", "interval", "kinetic", "math", "mesh", "motion", "narrow", "oracle",
    "reduced", "refit", "world",
}
# Not reached without the features of files and of the program.
OUTSIDE = {"check", "cli", "io", "main", "report"}


def main():
    root = Path(__file__).resolve().parent.parent / "src"
    modules = {}
    files = json.loads(Path(sys.argv[1]).read_text())["data"][0]["files"]
    for file in files:
        path = Path(file["filename"])
        if not path.is_relative_to(root):
            continue
        name = path.relative_to(root).parts[0].removesuffix(".rs")
        lines = file["summary"]["lines"]
        covered, count = modules.get(name, (0, 0))
        modules[name] = (covered + lines["covered"], count + lines["count"])

    def row(name, covered, count):
        print(f"| {name} | {count:,} | {covered:,} | {100 * covered / max(count, 1):.1f} |")

    def total(names):
        return [sum(modules[n][i] for n in names) for i in (0, 1)]

    print("| module | lines | covered | % |\n|---|---|---|---|")
    core = sorted(CORE & modules.keys())
    for name in core:
        row(f"`{name}`", *modules[name])
    row("**core**", *total(core))
    for name in sorted(modules.keys() - CORE - OUTSIDE):
        row(f"`{name}`", *modules[name])
    if OUTSIDE & modules.keys():
        row("files, checks, reports, program", *total(OUTSIDE & modules.keys()))
    worst = sorted(
        (f["summary"]["lines"]["count"] - f["summary"]["lines"]["covered"], f["filename"])
        for f in files
        if Path(f["filename"]).is_relative_to(root)
        and Path(f["filename"]).relative_to(root).parts[0].removesuffix(".rs") in CORE
    )
    print("\nFiles of the core with most lines that no test reaches:\n")
    for missed, name in reversed(worst[-12:]):
        print(f"- `{Path(name).relative_to(root)}`: {missed}")


if __name__ == "__main__":
    main()
