"""Which triangles of moving bodies touch, and from when to when.

Contacts are decided exactly on the motion between the frames, and none is missed.
"""

from ._native import (
    AdvanceError,
    Body,
    FileError,
    Flightplan,
    InputError,
    KinetreeError,
    WorldError,
    __version__,
)
from .clips import CONTACT_INTERVAL, CheckResult, Incident, PairSummary, check, merge, read_result, show
from .plans import ballistic, fixed, keyframes, polynomials, rigid, spheres, velocities
from .scenes import Scene
from .world import CHANGE, CONTACT, Audit, Hit, World

__all__ = [
    "Incident",
    "show",
    "check",
    "Scene",
    "PairSummary",
    "CheckResult",
    "CONTACT_INTERVAL",
    "AdvanceError",
    "Audit",
    "Body",
    "CHANGE",
    "CONTACT",
    "FileError",
    "Flightplan",
    "Hit",
    "InputError",
    "KinetreeError",
    "World",
    "WorldError",
    "__version__",
    "ballistic",
    "fixed",
    "keyframes",
    "merge",
    "polynomials",
    "read_result",
    "rigid",
    "spheres",
    "velocities",
]
