"""Spheres packed into closed meshes, as light stand-ins for them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _arrays, _native
from ._arrays import refused

__all__ = ["SphereProxy"]


class SphereProxy:
    """Spheres inside of a closed mesh, that move and change their size with its poses.

    ``triangles``: ``(T, 3)``, facing outward. ``positions``: ``(N, 3)``, metres, at rest.
    ``examples``: ``(P, N, 3)``, other poses of the same mesh. Spheres have radii from ``min_radius``
    to ``max_radius``, at most ``max_count``. ``cell``: the edge of a cell of the distance field,
    metres; without it the longest side has 64. ``repair``: fills holes of at most this number of
    sides, and turns triangles; otherwise faults are refused.

    >>> import numpy as np
    >>> corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    >>> quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    >>> triangles = [corner for a, b, c, d in quads for corner in ([a, b, c], [a, c, d])]
    >>> proxy = SphereProxy(triangles, corners, min_radius=0.1, cell=0.1)
    >>> proxy.spheres[0, 0].round(6).tolist()
    [0.5, 0.5, 0.5, 0.5]
    """

    def __init__(
        self,
        triangles: Any,
        positions: Any,
        examples: Any = None,
        *,
        min_radius: float,
        max_radius: float = math.inf,
        max_count: int = 1000,
        cell: float | None = None,
        repair: int | None = None,
    ) -> None:
        rest = _arrays.doubles("positions", positions, None, 3)
        others = np.empty((0, *rest.shape)) if examples is None else examples
        others = _arrays.doubles("examples", others, None, len(rest), 3)
        cell = None if cell is None else _arrays.real("cell", cell)
        if cell is not None and not (cell > 0 and math.isfinite(cell)):
            raise refused("Option", f"cell: {cell} is not a number of metres above 0")
        poses = np.concatenate([rest[None], others])
        radii = _arrays.real("min_radius", min_radius), _arrays.real("max_radius", max_radius)
        most = _arrays.whole("max_count", max_count)
        loop = None if repair is None else _arrays.whole("repair", repair)
        self._proxy = _native.Proxy(
            _arrays.triangles(triangles), poses, len(rest), radii, most, cell or 0.0, 64, loop
        )

    @property
    def spheres(self) -> npt.NDArray[np.float64]:
        """Spheres of all poses, the rest pose first: ``(P + 1, S, 4)``, x, y, z and the radius."""
        proxy = self._proxy
        return np.stack([proxy.pose(pose).reshape(-1, 4) for pose in range(proxy.pose_count)])

    def keys(self, weights: Any, times: Any = None, *, fps: float | None = None) -> npt.NDArray[np.float64]:
        """Spheres ``(F, S, 4)`` of blends of the poses, for :func:`kinetree.spheres`.

        ``weights``: ``(F, P + 1)``, the rest pose first; each row has the sum 1.
        """
        shares = _arrays.doubles("weights", weights, None, self._proxy.pose_count)
        keys = _arrays.key_times(times, fps, len(shares))
        return self._proxy.keys(keys, shares).reshape(len(shares), -1, 4)

    def __len__(self) -> int:
        """The number of spheres, the same in every pose."""
        return self._proxy.sphere_count

    def __repr__(self) -> str:
        return f"<kinetree.SphereProxy: {len(self)} spheres, {self._proxy.pose_count} poses>"
