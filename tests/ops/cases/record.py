"""What a record of an op says, and how its inputs are drawn: the tests of this folder run all records."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

REAL_FLOATS = ("float16", "float32", "float64")
COMPLEX = ("complex64", "complex128")
INTEGERS = ("int32", "int64")
SMALL_INTEGERS = ("int8", "int16", "uint8", "uint16")
FLOATS = REAL_FLOATS + COMPLEX
REAL_NUMBERS = REAL_FLOATS + INTEGERS + SMALL_INTEGERS
NUMBERS = FLOATS + INTEGERS
ALL_NUMBERS = FLOATS + INTEGERS + SMALL_INTEGERS
ANYTHING = (*ALL_NUMBERS, "bool")

# The one table of tolerances: (relative, absolute) for results computed in the dtype, against a reference in double.
TOLERANCES = {
    "float16": (4e-3, 4e-3),
    "float32": (3e-6, 3e-6),
    "float64": (1e-12, 1e-12),
    "complex64": (6e-6, 6e-6),
    "complex128": (1e-12, 1e-12),
}

# Reduced and multiplied sums lose more: a factor for records that say so.
_LOSSY = 8.0


@dataclasses.dataclass(frozen=True)
class Values:
    """An input: an array of a shape with elements between two bounds; of the record's dtype unless it has its own."""

    shape: tuple[int, ...]
    low: float = -2.0
    high: float = 2.0
    dtype: str | None = None

    def draw(self, rng: np.random.Generator, dtype: str) -> np.ndarray[Any, Any]:
        """An array of this input, of the record's `dtype` where the input has none of its own."""
        kind = np.dtype(self.dtype or dtype)
        if kind.kind == "b":
            return np.asarray(rng.integers(0, 2, self.shape).astype(bool))
        if kind.kind in "iu":
            low = max(int(self.low), 0) if kind.kind == "u" else int(self.low)
            return np.asarray(rng.integers(low, int(self.high) + 1, self.shape).astype(kind))
        real = rng.uniform(self.low, self.high, self.shape)
        if kind.kind == "c":
            return np.asarray((real + 1j * rng.uniform(self.low, self.high, self.shape)).astype(kind))
        return np.asarray(real.astype(kind))


@dataclasses.dataclass(frozen=True)
class Texts:
    """An input of strings, each one of some words."""

    shape: tuple[int, ...]
    words: tuple[bytes, ...] = (b"", b"a", b"Ab c", b" xyz ", b"\x00\xff", "é漢".encode())

    def draw(self, rng: np.random.Generator, dtype: str) -> np.ndarray[Any, Any]:
        """An array of this input: of bytes objects."""
        del dtype
        return _objects(
            [self.words[i] for i in rng.integers(0, len(self.words), np.prod(self.shape, dtype=int))], self.shape
        )


@dataclasses.dataclass(frozen=True)
class Distributions:
    """An input whose elements along a dimension are probabilities that sum to 1."""

    shape: tuple[int, ...]
    axis: int = -1

    def draw(self, rng: np.random.Generator, dtype: str) -> np.ndarray[Any, Any]:
        """An array of this input, of the record's `dtype`."""
        weights = rng.uniform(0.1, 1, self.shape)
        return np.asarray((weights / weights.sum(self.axis, keepdims=True)).astype(dtype))


@dataclasses.dataclass(frozen=True)
class Given:
    """An input with one value for all tests, such as indices; strings of dtype "string" are bytes."""

    value: Any
    dtype: str = "int32"

    def draw(self, rng: np.random.Generator, dtype: str) -> np.ndarray[Any, Any]:
        """The value."""
        del rng, dtype
        if self.dtype == "string":
            return _objects(np.ravel(np.asarray(self.value, np.object_)).tolist(), np.shape(self.value))
        return np.asarray(self.value, dtype=self.dtype)


Input = Values | Texts | Distributions | Given


@dataclasses.dataclass(frozen=True)
class Variant:
    """One way to call an op: tensor inputs, then arguments of the graph by name."""

    inputs: tuple[Input, ...]
    arguments: dict[str, Any] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Refused:
    """A call that the function must refuse when the graph is built."""

    call: Callable[[], Any]
    error: type[Exception]
    message: str


@dataclasses.dataclass(frozen=True)
class Record:
    """All that tests need to know of an op.

    Attributes:
        name: the function's public name.
        function: takes the tensors of a variant and its arguments; gives a tensor, or a list of them.
        reference: the same of arrays; floats come as double, complex numbers as complex128.
        variants: ways to call it.
        dtypes: the dtypes that TF has it for.
        returns: the dtype of the result; None for that of the inputs; or for several results a tuple of these.
        differentiable: positions of the inputs that have a gradient; none where the op has none.
        shapes: "any" where a shape may be drawn for all inputs alike, "broadcast" where shapes may be drawn that
            broadcast, "fixed" where the variants have all there are.
        refused: calls it must refuse.
        lossy: whether many roundings add up.
        value_decides_shape: whether the values of inputs, not only their shapes, decide the shape of the result.
        needs: what must be known of the inputs' shapes when the graph is built: "nothing", "rank" or "sizes".
    """

    name: str
    function: Callable[..., Any]
    reference: Callable[..., Any]
    variants: tuple[Variant, ...]
    dtypes: tuple[str, ...]
    returns: str | tuple[str | None, ...] | None = None
    differentiable: tuple[int, ...] = ()
    shapes: str = "fixed"
    refused: tuple[Refused, ...] = ()
    lossy: bool = False
    value_decides_shape: bool = False
    needs: str = "nothing"

    def expected(self, arrays: Sequence[Any], arguments: dict[str, Any]) -> list[Any]:
        """The results that the reference computes in double."""
        wide = [_wide(a) for a in arrays]
        with np.errstate(all="ignore"):
            result = self.reference(*wide, **arguments)
        return list(result) if isinstance(result, (list, tuple)) else [result]

    def result_dtypes(self, dtype: str, count: int) -> list[str]:
        """The dtypes of the results for inputs of a dtype."""
        returns = self.returns if isinstance(self.returns, tuple) else (self.returns,) * count
        return [dtype if r is None else r for r in returns]


def _wide(array: Any) -> Any:
    if array.dtype.kind == "f":
        return array.astype(np.float64)
    return array.astype(np.complex128) if array.dtype.kind == "c" else array


def _objects(words: Sequence[bytes], shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    array = np.empty(len(words), np.object_)
    array[:] = list(words)
    return array.reshape(shape)


def dtype_name(array: np.ndarray[Any, Any]) -> str:
    """The name of the tensor's dtype that an array is of: arrays of objects hold strings."""
    return "string" if array.dtype.kind in "OS" else array.dtype.name


def bits_of(array: Any) -> Any:
    """What two arrays have in common that are equal to the last bit."""
    array = np.asarray(array)
    return array.tolist() if array.dtype.kind in "OS" else array.tobytes()


def assert_equals(got: Any, want: Any, dtype: str, lossy: bool, message: str = "") -> None:
    """Holds a fetched result against what the reference gives, which is rounded to the dtype first.

    Args:
        got: the result.
        want: what the reference gives.
        dtype: the dtype that the result must have.
        lossy: whether many roundings add up.
        message: what an error says beside the difference.
    """
    got = np.asarray(got)
    assert dtype_name(got) == dtype, message
    assert got.shape == np.shape(want), message
    if dtype == "string":
        assert got.tolist() == np.asarray(want, np.object_).tolist(), message
        return
    rtol, atol = tolerance(dtype, lossy)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(got, np.asarray(want).astype(dtype), rtol=rtol, atol=atol, err_msg=message)


def tolerance(dtype: str, lossy: bool = False) -> tuple[float, float]:
    """(relative, absolute) for results of a dtype; zeros for what must be equal."""
    relative, absolute = TOLERANCES.get(dtype, (0.0, 0.0))
    factor = _LOSSY if lossy else 1.0
    return relative * factor, absolute * factor


def call(*inputs: Input, **arguments: Any) -> Variant:
    """A variant, written as a call."""
    return Variant(inputs, arguments)
