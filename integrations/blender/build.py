#!/usr/bin/env python3
"""Makes the archive of the Blender extension, with the wheel inside.

    python integrations/blender/build.py                       # builds the wheel with maturin
    python integrations/blender/build.py --wheel kinetree.whl  # takes one

One wheel serves every Blender from 4.2 on, on the system that it was built for. Several --wheel, one
for each system, make one archive for all of them.
"""

import argparse
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

#: Ends of names of wheels, and the names that Blender has for these systems.
PLATFORMS = (
    (r"linux_x86_64$", "linux-x64"),
    (r"linux_.*x86_64$", "linux-x64"),
    (r"win_amd64$", "windows-x64"),
    (r"win_arm64$", "windows-arm64"),
    (r"macosx_.*_arm64$", "macos-arm64"),
    (r"macosx_.*_x86_64$", "macos-x64"),
)


def platform_of(wheel):
    for pattern, name in PLATFORMS:
        if re.search(pattern, wheel.stem):
            return name
    sys.exit(f"{wheel.name}: its name has no system that Blender knows")


def build_wheel(folder):
    command = [sys.executable, "-m", "maturin", "build", "--release", "--out", folder]
    subprocess.run(command, cwd=ROOT / "python", check=True)
    (wheel,) = Path(folder).glob("*.whl")
    return wheel


def archive(wheels, out):
    manifest = (HERE / "kinetree_addon/blender_manifest.toml").read_text()
    listed = ", ".join(f'"./wheels/{wheel.name}"' for wheel in wheels)
    names = sorted({platform_of(wheel) for wheel in wheels})
    systems = ", ".join(f'"{name}"' for name in names)
    lines = f"wheels = [{listed}]\nplatforms = [{systems}]"
    manifest = manifest.replace("wheels = []", lines)
    version = re.search(r'^version = "(.*)"', manifest, re.MULTILINE).group(1)
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"kinetree-{version}-{'-'.join(names)}.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as files:
        files.writestr("blender_manifest.toml", manifest)
        for source in sorted((HERE / "kinetree_addon").glob("*.py")):
            files.write(source, source.name)
        for wheel in wheels:
            files.write(wheel, f"wheels/{wheel.name}")
    return path


def main():
    parser = argparse.ArgumentParser(description="Makes the archive of the Blender extension.")
    parser.add_argument("--wheel", type=Path, action="append", help="a wheel of the package; without it one is built")
    parser.add_argument("--out", type=Path, default=ROOT / "target/blender", help="folder of the archive")
    options = parser.parse_args()
    for wheel in options.wheel or []:
        if not wheel.is_file():
            parser.error(f"{wheel}: there is no such wheel; without --wheel one is built")
    with tempfile.TemporaryDirectory() as folder:
        wheels = options.wheel or [build_wheel(folder)]
        print(archive(wheels, options.out))


if __name__ == "__main__":
    main()
