"""A gate for scenes, as tests of pytest.

Installed with the package. Without its option it does nothing::

    pytest --kinetree "shots/*/scene.toml" --kinetree-fail-on "depth>2mm,frames>3"

Every scene file is a test. It fails if an incident meets the conditions; the message lists the
incidents. It fails too if no pair of bodies is tested, and if there are incidents and none has what
the conditions compare: spheres and ropes have no depth. ``--kinetree-reports FOLDER`` writes a report
for each scene with incidents that fail.
"""

from __future__ import annotations

import re
import zlib
from pathlib import Path
from typing import Any, Iterator

import pytest

__all__: list[str] = []


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("kinetree", "checks of scenes")
    group.addoption("--kinetree", metavar="GLOB", action="append", default=[], help="scene files to check")
    group.addoption(
        "--kinetree-fail-on",
        metavar="CONDITIONS",
        action="append",
        default=[],
        help="as --fail-on of the program, such as 'depth>2mm,frames>3'; any contact without it",
    )
    group.addoption("--kinetree-baseline", metavar="FOLDER", help="accepted results: STEM-OF-FOLDER.json for each scene")
    group.addoption("--kinetree-reports", metavar="FOLDER", help="write a report for each scene that fails")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    globs: list[str] = config.getoption("--kinetree") or []
    paths = sorted({path for glob in globs for path in _matches(config.invocation_params.dir, glob)})
    if globs and not paths:
        raise pytest.UsageError(f"--kinetree: no file matches {' or '.join(globs)}")
    if config.getoption("--kinetree-baseline"):
        known: dict[str, Path] = {}
        for path in paths:
            other = known.setdefault(path.parent.name, path)
            if other is not path:
                raise pytest.UsageError(
                    f"--kinetree-baseline: {other} and {path} would share the baseline {path.parent.name}.json; "
                    "give their folders different names, or run them apart, each with a folder of baselines"
                )
    items.extend(SceneItem.from_parent(session, name=_name(config, path), path=path) for path in paths)


def _matches(folder: Path, glob: str) -> Iterator[Path]:
    place = Path(glob)
    return Path(place.anchor).glob(str(place.relative_to(place.anchor))) if place.anchor else folder.glob(glob)


def _name(config: pytest.Config, path: Path) -> str:
    folder = config.invocation_params.dir
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else path.as_posix()


class SceneFailed(Exception):
    """Incidents that meet the conditions, or that no condition decides on; or nothing was tested."""


class SceneItem(pytest.Item):
    """The test of one scene file."""

    def runtest(self) -> None:
        # Not before: other tests should not pay for the engine.
        import kinetree

        conditions: list[str] = self.config.getoption("--kinetree-fail-on") or []
        folder: str | None = self.config.getoption("--kinetree-baseline")
        baseline = None if folder is None else Path(folder) / f"{self.path.parent.name}.json"
        result = kinetree.check(self.path, baseline=baseline)
        if not result.pairs:
            raise SceneFailed(
                f"{self.name}: no pair of bodies is tested: all are excluded, and none is tested against itself; "
                "remove an [[exclude]], or set self_contact"
            )
        conditions = conditions or ["contacts" if baseline is None else "new"]
        failing = result.failing(*conditions)
        if not failing and result.incidents and len(result.unjudged(*conditions)) == len(result.incidents):
            raise SceneFailed(
                f"{self.name}: {' or '.join(conditions)}: judges none of {len(result.incidents)} incidents: no depth "
                "and no crossing curve, as with spheres, points or segments, or where contact is by thickness alone; "
                "add --kinetree-fail-on with contacts, time, frames or pairs"
            )
        if not failing:
            return
        lines = [f"{self.name}: {len(failing)} of {len(result.incidents)} incidents", *map(str, failing[:10])]
        reports: str | None = self.config.getoption("--kinetree-reports")
        if reports is not None:
            Path(reports).mkdir(parents=True, exist_ok=True)
            # Letters of any script; what else two names differ in, a checksum tells.
            plain = re.sub(r"[^\w.-]+", "_", self.name)
            mark = "" if plain == self.name.replace("/", "_") else f"-{zlib.crc32(self.name.encode()):08x}"
            page = Path(reports) / f"{plain}{mark}.html"
            result.report(page, title=self.name)
            lines.append(f"report: {page}")
        raise SceneFailed("\n".join(lines))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        import kinetree

        if isinstance(excinfo.value, (SceneFailed, kinetree.KinetreeError)):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, self.name
