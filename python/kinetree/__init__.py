"""Which triangles of moving bodies touch, and from when to when.

Contacts are decided exactly on the motion between the frames, and none is missed.
"""

from ._native import (
    AdvanceError,
    BakedScene,
    BakedTree,
    Body,
    FileError,
    Flightplan,
    InputError,
    KinetreeError,
    ScheduledChange,
    Snapshot,
    WorldError,
    __version__,
)
from .clips import CONTACT_INTERVAL, CheckResult, Incident, PairSummary, bake, check, merge, read_result, show
from .plans import (
    accelerated,
    ballistic,
    fixed,
    hermite,
    keyframes,
    morphed,
    polynomials,
    rigid,
    skinned,
    spheres,
    velocities,
)
from .proxies import SphereProxy
from .queries import CHANGE, CONTACT, PAIR_CHANGE, POINT, TRIAL_CONTACT, Hit, Manifold, Pair, Query, Trial
from .scenes import Scene
from .world import ONGOING, Audit, World

__all__ = [
    "AdvanceError",
    "Audit",
    "BakedScene",
    "BakedTree",
    "Body",
    "CHANGE",
    "CONTACT",
    "CONTACT_INTERVAL",
    "CheckResult",
    "FileError",
    "Flightplan",
    "Hit",
    "Incident",
    "InputError",
    "KinetreeError",
    "Manifold",
    "ONGOING",
    "PAIR_CHANGE",
    "POINT",
    "Pair",
    "PairSummary",
    "Query",
    "Scene",
    "ScheduledChange",
    "Snapshot",
    "SphereProxy",
    "TRIAL_CONTACT",
    "Trial",
    "World",
    "WorldError",
    "__version__",
    "accelerated",
    "bake",
    "ballistic",
    "check",
    "fixed",
    "hermite",
    "keyframes",
    "merge",
    "morphed",
    "polynomials",
    "read_result",
    "rigid",
    "show",
    "skinned",
    "spheres",
    "velocities",
]
