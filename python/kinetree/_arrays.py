"""Arrays that users hand in, as contiguous arrays of the types the engine takes."""

from __future__ import annotations

import operator
from dataclasses import fields
from typing import Any, ClassVar, Sequence

import numpy as np
import numpy.typing as npt

from ._native import InputError

__all__: list[str] = []


def refused(code: str, message: str) -> InputError:
    error = InputError(message)
    error.code = code
    return error


def _array(name: str, value: Any) -> npt.NDArray[Any]:
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        place = [int(i) for i in np.argwhere(np.ma.getmaskarray(value))[0]]
        raise refused("Masked", f"{name}: the number at {place} is masked; fill masked arrays first")
    try:
        array = np.asarray(value)
    except (ValueError, TypeError, OverflowError) as error:
        raise refused("Shape", f"{name}: {type(value).__name__} is no array of numbers: {error}") from error
    if array.dtype.kind not in "fiub":
        raise refused("Dtype", f"{name}: numbers are needed, not dtype {array.dtype}")
    if array.dtype.kind == "b":
        raise refused("Dtype", f"{name}: numbers are needed, not booleans")
    return array


def packed(array: npt.NDArray[Any], dtype: Any) -> npt.NDArray[Any]:
    """The array itself if it has this type, C order and alignment; otherwise a copy that has."""
    return np.require(array, dtype, ["C_CONTIGUOUS", "ALIGNED"])


def floats(name: str, value: Any, *shape: int | None) -> npt.NDArray[np.float32]:
    """float32, as positions are stored. float64 is rounded to the nearest; beyond its range is refused."""
    return _rounded(name, value, shape, np.float32)


def doubles(name: str, value: Any, *shape: int | None) -> npt.NDArray[np.float64]:
    """float64. Longer types are rounded to the nearest; beyond its range is refused."""
    return _rounded(name, value, shape, np.float64)


def _rounded(name: str, value: Any, shape: Sequence[int | None], dtype: type[np.floating[Any]]) -> npt.NDArray[Any]:
    array = _array(name, value)
    check_shape(name, array, shape)
    if np.can_cast(array.dtype, dtype):
        return packed(array, dtype)
    with np.errstate(over="ignore"):
        rounded = packed(array, dtype)
    lost = np.isinf(rounded) & np.isfinite(array)
    if lost.any():
        place = tuple(int(i) for i in np.argwhere(lost)[0])
        raise refused("Range", f"{name}: {array[place]} at {list(place)} is beyond the range of {dtype.__name__}")
    return rounded


def real(name: str, value: Any) -> float:
    """One number."""
    try:
        if isinstance(value, (str, bytes, bytearray)):
            raise TypeError
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise refused("Option", f"{name}: {value!r} is no number") from None


def within(name: str, value: Any, least: float, most: float, what: str) -> float:
    """One number from ``least`` to ``most``."""
    number = real(name, value)
    if not least <= number <= most:
        raise refused("Range", f"{name}: {number} is not {what} from {least:g} to {most:g}")
    return number


def whole(name: str, value: Any, least: int = 0, most: int = 2**64 - 1) -> int:
    """One whole number."""
    try:
        number = operator.index(value)
    except TypeError:
        raise refused("Option", f"{name}: a whole number is needed, not {type(value).__name__}") from None
    if not least <= number <= most:
        top = "2**64 - 1" if most == 2**64 - 1 else most
        raise refused("Option", f"{name}: {number} is not from {least} to {top}")
    return number


def stretch(name: str, value: Any) -> tuple[float, float]:
    """Two seconds."""
    begin, end = doubles(name, value, 2).tolist()
    return begin, end


class Compared:
    """Dataclasses with arrays, which are equal where their bytes are."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(_same(getattr(self, field.name), getattr(other, field.name)) for field in fields(self))

    def __hash__(self) -> int:
        values = [getattr(self, field.name) for field in fields(self)]
        return hash(tuple(value for value in values if isinstance(value, (str, int, float, tuple, type(None)))))


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    return bool(a == b)


def indices(name: str, value: Any, *shape: int | None) -> npt.NDArray[np.uint32]:
    """Numbers of things, of any integer type."""
    array = _array(name, value)
    check_shape(name, array, shape)
    if array.dtype.kind == "f":
        raise refused("Dtype", f"{name}: indices are whole numbers; the dtype is {array.dtype}")
    _check_indices(name, array, "index")
    return packed(array, np.uint32)


def _check_indices(name: str, array: npt.NDArray[Any], what: str) -> None:
    if array.size and (int(array.min()) < 0 or int(array.max()) > 0xFFFF_FFFF):
        bad = (array < 0) | (array > 0xFFFF_FFFF)
        place = tuple(int(i) for i in np.argwhere(bad)[0])
        raise refused("Range", f"{name}: {array[place]} at {list(place)} is no {what}")


def triangles(value: Any) -> npt.NDArray[np.uint32]:
    """Indices of corners, ``(T, 3)``; whole numbers of any integer type."""
    array = _array("triangles", value)
    if array.size == 0:
        array = array.reshape(0, 3).astype(np.uint32)
    check_shape("triangles", array, (None, 3))
    if array.dtype.kind == "f":
        raise refused("Dtype", f"triangles: indices are whole numbers; the dtype is {array.dtype}")
    _check_indices("triangles", array, "index of a vertex")
    return packed(array, np.uint32)


def check_shape(name: str, array: npt.NDArray[Any], shape: Sequence[int | None]) -> None:
    """Refuses another shape than ``shape``, where ``None`` stands for any length."""
    fits = array.ndim == len(shape) and all(want is None or want == have for want, have in zip(shape, array.shape))
    if not fits:
        names = iter("nmk")
        wanted = ", ".join(next(names) if want is None else str(want) for want in shape)
        raise refused("Shape", f"{name}: the shape is {array.shape}, and ({wanted}) is needed")


def key_times(times: Any, fps: float | None, count: int, start: float = 0.0) -> npt.NDArray[np.float64]:
    """Times of ``count`` keys in seconds: as given, or ``fps`` a second from ``start`` on."""
    if times is not None and fps is not None:
        raise refused("Option", "times and fps: give one of the two")
    if times is not None:
        return doubles("times", times, count)
    if fps is None:
        raise refused("Option", "times or fps: the times of the frames are needed")
    fps = real("fps", fps)
    if not (np.isfinite(fps) and fps > 0):
        raise refused("Option", f"fps: {fps} is not a number of frames a second above 0")
    return start + np.arange(count, dtype=np.float64) / fps
