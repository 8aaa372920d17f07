#!/usr/bin/env python3
"""Runs the commands of the documents: every line of a fenced `sh` block of README.md and docs/ that calls the program.

A block is left out, with its reason printed, if the line before it is `<!-- not run: REASON -->`. Lines that call cargo for
tests, benches or examples are other steps of CI. Commands run in the repository's root; what they write goes below target/.
A command must end with status 0, or with the one that its line names at the end: `   # status 1`.
"""

import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "target" / "release" / "kinetree"
CARGO_RUN = "cargo run --release --features cli -- "


def blocks(text):
    """Lines of each block, and why it is not to be run."""
    lines, index = text.splitlines(), 0
    while index < len(lines):
        if lines[index].strip() == "```sh":
            before = next((line for line in reversed(lines[:index]) if line.strip()), "")
            reason = re.match(r"<!-- not run: (.*) -->", before.strip())
            end = index + 1
            while lines[end].strip() != "```":
                end += 1
            yield lines[index + 1 : end], reason and reason.group(1)
            index = end
        index += 1


def command_of(line):
    """Arguments of the program; None if the line calls something else."""
    line = line.split("   #")[0].strip()
    for prefix in (CARGO_RUN, "kinetree "):
        if line.startswith(prefix):
            return shlex.split(line[len(prefix) :])
    return None


def status_of(line):
    """The status that a line's command ends with."""
    named = re.search(r"   # status (\d+)", line)
    return int(named.group(1)) if named else 0


def main():
    run = failed = skipped = 0
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        for lines, reason in blocks(path.read_text()):
            commands = [(line, command) for line in lines if (command := command_of(line)) is not None]
            if reason:
                skipped += len(commands)
                if commands:
                    print(f"{path.relative_to(ROOT)}: {len(commands)} not run: {reason}")
                continue
            for line, command in commands:
                begin = time.monotonic()
                done = subprocess.run([PROGRAM, *command], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                took = time.monotonic() - begin
                run += 1
                print(f"{path.relative_to(ROOT)}: {line.strip()}: status {done.returncode}, {took:.1f} s")
                if done.returncode != status_of(line):
                    failed += 1
                    sys.stdout.write(done.stderr.decode(errors="replace"))
    print(f"documented commands: {run - failed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


sys.exit(main())
