"""Conversion of Python values, nested lists and arrays to NumPy arrays, by TensorFlow's rules."""

from __future__ import annotations

import functools
import math
import os
import sys
from collections.abc import Iterator
from typing import Any, Final, NoReturn

import numpy as np

from ferroflow._src.base import compat, dtypes, errors
from ferroflow._src.base.dtypes import DType
from ferroflow._src.base.public_modules import show_as
from ferroflow._src.base.shown import shown
from ferroflow._src.base.tensor_shape import Dimension
from ferroflow._src.base.typing import DTypeLike, ShapeLike, TensorLike

_INT32_MIN: Final = -(2**31)
_INT32_MAX: Final = 2**31 - 1

_tensor_classes: tuple[type, ...] = ()


class NumberRangeError(OverflowError, TypeError):
    """An int that a dtype cannot hold. TF 1.x: NumPy's OverflowError."""

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return _restore_range_error, self.args


def _restore_range_error(*args: Any) -> NumberRangeError:
    return NumberRangeError(*args)


show_as(NumberRangeError, OverflowError)


def register_tensor_class(cls: type) -> None:
    """Makes a class known whose objects are symbolic, so that a list of them has its own error message.

    Args:
        cls: the class; its subclasses are known with it.
    """
    global _tensor_classes
    if cls not in _tensor_classes:
        _tensor_classes = (*_tensor_classes, cls)


def to_array(
    values: Any, dtype: DTypeLike | None = None, shape: ShapeLike | None = None, verify_shape: bool = False
) -> np.ndarray[Any, Any]:
    """Converts a value to the array that a constant of it holds.

    Without `dtype`, Python floats are float32, and ints int32 unless one needs 64 bits; arrays and NumPy scalars keep
    their type. With `dtype`, arrays are cast, but Python values must be of that kind: 1.5 is not an int32.

    Args:
        values: a number, bool, string, nested list or tuple of those, NumPy array, or object with `__array__`.
        dtype: a value that `as_dtype` accepts, or None.
        shape: list of ints, or None for the shape of `values`. If it has more elements, the last value is repeated.
        verify_shape: If True, `values` must have exactly the shape `shape`.

    Returns:
        A C-contiguous array in native byte order; strings are an array of bytes objects, quantized types record arrays.
        It may share memory with `values`.

    Raises:
        TypeError: if `values` has no tensor type or not that of `dtype`, is out of the range of `dtype`, or not of
            shape `shape` with `verify_shape`.
        ValueError: if `values` is None, not rectangular, or has more elements than `shape`.
        tf.errors.ResourceExhaustedError: if there is not enough memory for `shape`.
    """
    array, full_shape = to_compact_array(values, dtype, shape, verify_shape)
    if array.shape == full_shape:
        return array
    size = math.prod(full_shape)
    if array.size == size:
        return array.reshape(full_shape)
    if array.size == 0:
        return _full(full_shape, b"" if array.dtype == np.object_ else np.zeros((), array.dtype), array.dtype)
    filled = _full(full_shape, array.reshape(-1)[-1], array.dtype).reshape(-1)
    filled[: array.size] = array.reshape(-1)
    return filled.reshape(full_shape)


def _full(shape: tuple[int, ...], value: Any, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    try:
        if math.prod(shape) * np.dtype(dtype).itemsize > _machine_bytes():
            raise MemoryError
        return np.full(shape, value, dtype)
    except (MemoryError, ValueError):
        # NumPy's ValueError is for arrays of more bytes than there are addresses.
        dims, kind = ",".join(map(str, shape)), dtypes.as_dtype(dtype).name
        message = f"OOM when allocating tensor with shape[{dims}] and type {kind}"
        raise errors.ResourceExhaustedError(None, None, message) from None


@functools.cache
def _machine_bytes() -> int:
    """Returns the bytes of the machine's memory.

    A system that overcommits hands out more addresses, and ends the process when it writes there.
    """
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return sys.maxsize


def to_compact_array(
    values: TensorLike, dtype: DTypeLike | None = None, shape: ShapeLike | None = None, verify_shape: bool = False
) -> tuple[np.ndarray[Any, Any], tuple[int, ...]]:
    """Converts a value as `to_array`, but without repeating the last value.

    Args:
        values: as `to_array`.
        dtype: as `to_array`.
        shape: as `to_array`.
        verify_shape: as `to_array`.

    Returns:
        The array of the given values, and the shape of the constant, which may have more elements.

    Raises:
        TypeError, ValueError: on the same conditions as `to_array`.
    """
    wanted = None if dtype is None else dtypes.as_dtype(dtype).base_dtype
    full_shape = None if shape is None else _checked_shape(shape)
    if full_shape is not None and 0 in full_shape and not isinstance(values, np.ndarray) and values is not None:
        empty_type = np.float32 if wanted is None else _numpy_type(wanted, values)
        return np.empty(full_shape, empty_type), full_shape
    array = _array_of(values, wanted)
    if full_shape is None:
        return array, array.shape
    if verify_shape and array.shape != full_shape:
        raise TypeError(f"Expected Tensor's shape: {full_shape}, got {array.shape}.")
    size = math.prod(full_shape)
    if array.size > size:
        raise ValueError(f"Too many elements provided. Needed at most {size}, but received {array.size}")
    return array, full_shape


def _checked_shape(shape: Any) -> tuple[int, ...]:
    sizes = tuple(int(dim) for dim in shape)
    for size in sizes:
        if size < 0:
            raise ValueError(f"Dimension {size} must be >= 0")
    return sizes


def _array_of(values: Any, wanted: DType | None) -> np.ndarray[Any, Any]:
    if wanted is None:
        # The scalars that programs are full of, before the general rules.
        cls = values.__class__
        if cls is float:
            if -1e38 < values < 1e38:
                return np.array(values, np.float32)
            with np.errstate(over="ignore"):
                return np.array(values, np.float32)
        if cls is int and _INT32_MIN <= values <= _INT32_MAX:
            return np.array(values, np.int32)
        if cls is str or cls is bytes:
            return _bytes_array([values], ())
    elif _is_small(values, wanted):
        return np.array(values, wanted.as_numpy_dtype)
    if isinstance(values, (np.ndarray, np.generic)):
        return _from_numpy(np.asarray(values), wanted)
    if isinstance(values, _tensor_classes):
        _raise_mismatch(_shown(values), wanted)
    if callable(getattr(values, "__array__", None)) or isinstance(getattr(values, "__array_interface__", None), dict):
        return _from_numpy(np.asarray(values), wanted)
    if values is None:
        raise ValueError("None values not supported.")
    if isinstance(values, range):
        values = list(values)
    return _from_python(values, wanted)


def _is_small(value: Any, wanted: DType) -> bool:
    """Returns True for a Python number that every rule converts to `wanted` in the same way: it fits exactly, or only
    loses digits.
    """
    cls = value.__class__
    if wanted is dtypes.float32 or wanted is dtypes.float64:
        return (cls is float and -1e38 < value < 1e38) or (cls is int and -(2**24) < value < 2**24)
    return cls is int and (wanted is dtypes.int32 or wanted is dtypes.int64) and _INT32_MIN <= value <= _INT32_MAX


def _numpy_type(wanted: DType, values: Any) -> Any:
    if not wanted.is_numpy_compatible:
        raise TypeError(f"Incompatible types: {wanted} vs. {np.asarray(values).dtype}. Value is {shown(values)}")
    return wanted.as_numpy_dtype


def _from_numpy(array: np.ndarray[Any, Any], wanted: DType | None) -> np.ndarray[Any, Any]:
    target = dtypes.as_dtype(array.dtype) if wanted is None else wanted
    numpy_type = _numpy_type(target, array)
    if target is dtypes.string:
        return _bytes_array(array.astype(np.object_).reshape(-1).tolist(), array.shape)
    if array.dtype != numpy_type:
        with np.errstate(over="ignore", invalid="ignore"):
            array = array.astype(numpy_type)
    # np.ascontiguousarray would make a vector of a scalar.
    return array if array.flags.c_contiguous else array.copy(order="C")


def _bytes_array(leaves: list[Any], shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    array = np.empty(len(leaves), np.object_)
    array[:] = [compat.as_bytes(leaf) for leaf in leaves]
    return array.reshape(shape)


def _from_python(values: Any, wanted: DType | None) -> np.ndarray[Any, Any]:
    """Returns the array of a Python scalar or nested list."""
    if wanted is None:
        return _inferred(values)
    numpy_type = _numpy_type(wanted, values)
    if wanted is dtypes.string:
        _check_kind(values, wanted)
        return _strings(values)
    if wanted.is_quantized:
        _check_kind(values, wanted)
        return np.array(values, dtype=numpy_type)
    natural = _natural(values, wanted)
    if list(natural.shape) != _dense_dimensions(values):
        _check_kind(values, wanted)
        _check_dense(natural.shape, values)
    with np.errstate(over="ignore"):
        if natural.dtype.kind in _PROVEN_KINDS[_family(wanted)]:
            if natural.dtype.kind in "iu" and not wanted.is_integer:
                # As a Python int becomes a float: by way of float64, even where that rounds twice.
                natural = natural.astype(np.float64)
            # TF 1.x: an int that 64 signed bits hold wraps where the dtype has fewer.
            if natural.dtype == np.uint64 and wanted.is_integer and wanted is not dtypes.uint64:
                _check_signed(natural, wanted)
            return natural.astype(numpy_type, copy=False)
        _check_kind(values, wanted)
        try:
            return np.array(_without_dimensions(values), dtype=numpy_type)
        except OverflowError:
            leaves: list[Any] = [leaf for leaf in _leaves(values) if isinstance(leaf, compat.real_types)]
            _check_range(min(leaves), max(leaves), wanted)
            raise NumberRangeError(
                f"Expected {wanted.name}, got {max(leaves, key=abs)} which is out of its range."
            ) from None


def _check_signed(array: np.ndarray[Any, Any], wanted: DType) -> None:
    """Raises a NumberRangeError for an array with a number beyond int64."""
    largest = array.max(initial=0)
    if largest > np.iinfo(np.int64).max:
        raise NumberRangeError(f"Expected {wanted.name}, got {largest} which is out of its range.")


def _natural(values: Any, wanted: DType | None) -> np.ndarray[Any, Any]:
    """Returns the array that NumPy makes of a Python value."""
    try:
        return np.array(values)
    except UnicodeDecodeError:
        # Text beside bytes that are not text.
        return np.array(values, np.object_)
    except Exception as error:
        # A symbolic tensor may refuse in its own way to be an array.
        _check_tensors(values, wanted)
        if not isinstance(error, ValueError):
            raise
    if wanted is not None:
        _check_kind(values, wanted)
    elif len(_dense_dimensions(values)) == 1:
        # TF 1.x: the first element is no list, so that the others are no numbers.
        _raise_unconvertible(values)
    _raise_ragged(values)


def _inferred(values: Any) -> np.ndarray[Any, Any]:
    """Returns the array of a Python value whose type decides the dtype."""
    array = _natural(values, None)
    kind = array.dtype.kind
    if kind == "O":
        _check_tensors(values, None)
    _check_dense(array.shape, values)
    if kind in "OSU":
        return _strings(values)
    if array.dtype == np.float64:
        with np.errstate(over="ignore"):
            return array.astype(np.float32)
    if array.dtype == np.int64 and (array.size == 0 or (array.min() >= _INT32_MIN and array.max() <= _INT32_MAX)):
        return array.astype(np.int32)
    dtypes.as_dtype(array.dtype)
    return array


def _strings(values: Any) -> np.ndarray[Any, Any]:
    # Built from the leaves: a NumPy string array would drop trailing zero bytes.
    shape = tuple(_dense_dimensions(values))
    leaves = list(_leaves(values))
    if math.prod(shape) != len(leaves):
        _raise_ragged(values)
    try:
        return _bytes_array(leaves, shape)
    except TypeError:
        _raise_unconvertible(values)


def _raise_unconvertible(values: Any) -> NoReturn:
    raise TypeError(
        f"Failed to convert object of type {type(values)} to Tensor. Contents: {shown(values)}. "
        "Consider casting elements to a supported type."
    ) from None


def _dense_dimensions(values: Any) -> list[int]:
    """Returns the shape given by the first element of each level."""
    dims: list[int] = []
    while isinstance(values, (list, tuple)):
        dims.append(len(values))
        if not values:
            break
        values = values[0]
    return dims


def _check_dense(shape: tuple[int, ...], values: Any) -> None:
    wanted = _dense_dimensions(values)
    if list(shape) != wanted:
        raise ValueError(
            f"Argument must be a dense tensor: {shown(values)} - got shape {list(shape)}, but wanted {wanted}."
        )


def _raise_ragged(values: Any) -> NoReturn:
    got: list[int] = []
    level: list[Any] = [values]
    while all(isinstance(part, (list, tuple)) for part in level) and len({len(part) for part in level}) == 1:
        got.append(len(level[0]))
        level = [child for part in level for child in part]
    raise ValueError(
        f"Argument must be a dense tensor: {shown(values)} - got shape {got}, but wanted {_dense_dimensions(values)}."
    )


def exceeds_int32(value: TensorLike) -> bool:
    """Returns whether a value holds an int that needs more than 32 bits.

    Args:
        value: number, `Dimension`, array, nested list of those, or anything else, which holds none.
    """
    for leaf in _leaves(value):
        if isinstance(leaf, Dimension):
            leaf = leaf.value
        if isinstance(leaf, (np.ndarray, np.generic)):
            if leaf.dtype.kind in "iu" and leaf.size and (leaf.min() < _INT32_MIN or leaf.max() > _INT32_MAX):
                return True
        elif isinstance(leaf, int) and not _INT32_MIN <= leaf <= _INT32_MAX:
            return True
    return False


def holds_dimension(value: Any) -> bool:
    """Returns whether a value is a list or tuple that holds a `Dimension`.

    Args:
        value: anything; lists may be nested.
    """
    return isinstance(value, (list, tuple)) and any(isinstance(leaf, Dimension) for leaf in _leaves(value))


def _leaves(values: Any) -> Iterator[Any]:
    """Yields the values in nested lists and tuples, in order; lists may be nested to any depth."""
    if not isinstance(values, (list, tuple)):
        yield values
        return
    open_lists = [iter(values)]
    while open_lists:
        for part in open_lists[-1]:
            if isinstance(part, (list, tuple)):
                open_lists.append(iter(part))
                break
            yield part
        else:
            open_lists.pop()


def _without_dimensions(values: Any) -> Any:
    if isinstance(values, (list, tuple)):
        return [_without_dimensions(part) for part in values]
    return values.value if isinstance(values, Dimension) else values


def _check_range(low: Any, high: Any, wanted: DType) -> None:
    # As Python ints: NumPy cannot compare its numbers with bigger ones.
    value = low if low < int(wanted.min) else high if high > int(wanted.max) else None
    if value is not None:
        raise NumberRangeError(f"Expected {wanted.name}, got {value} which is out of its range.")


_INT_TYPES: Final = (*compat.integral_types, Dimension)
_BOOL_TYPES: Final = (bool, np.bool_)

# The family of a type decides which Python values it accepts, and which kinds of NumPy array prove that without a check
# of each value.
_ACCEPTED: Final[dict[str, tuple[type, ...]]] = {
    "bool": _BOOL_TYPES,
    "int": _INT_TYPES,
    "float": (*compat.real_types, np.bool_),
    "complex": (*compat.complex_types, np.bool_),
    "string": compat.bytes_or_text_types,
}
_PROVEN_KINDS: Final = {"bool": "b", "int": "biu", "float": "biuf", "complex": "biufc", "string": ""}


def _family(wanted: DType) -> str:
    if wanted.is_floating:
        return "float"
    if wanted.is_complex:
        return "complex"
    if wanted.is_bool:
        return "bool"
    return "string" if wanted is dtypes.string else "int"


class _Message:
    """A mismatch that is shown as words, not as a value."""

    def __init__(self, words: str) -> None:
        self._words = words

    def __repr__(self) -> str:
        return self._words


def _check_kind(values: Any, wanted: DType) -> None:
    """Raises TypeError for the first leaf that `wanted` does not accept."""
    accepted = _ACCEPTED[_family(wanted)]
    for leaf in _leaves(values):
        if not isinstance(leaf, accepted):
            _raise_mismatch(_shown(leaf), wanted)
    if wanted.is_quantized and not _is_list_of_tuples(values):
        _raise_mismatch(_shown(next(_leaves(values), None)), wanted)


def _is_list_of_tuples(values: Any) -> bool:
    """Returns True for a list of tuples. TF 1.x: a quantized value is a tuple of one integer."""
    if isinstance(values, tuple):
        return len(values) == 1 and not isinstance(values[0], (list, tuple))
    return isinstance(values, list) and all(_is_list_of_tuples(part) for part in values)


def _shown(leaf: Any) -> Any:
    if isinstance(leaf, _tensor_classes):
        return _Message("list containing Tensors")
    return _Message("None") if leaf is None else leaf


def _check_tensors(values: Any, wanted: DType | None) -> None:
    for leaf in _leaves(values):
        if isinstance(leaf, _tensor_classes):
            _raise_mismatch(_shown(leaf), wanted)


def _raise_mismatch(mismatch: Any, wanted: DType | None) -> NoReturn:
    if wanted is None:
        raise TypeError("List of Tensors when single Tensor expected")
    raise TypeError(f"Expected {wanted.name}, got {mismatch!r} of type '{type(mismatch).__name__}' instead.")
