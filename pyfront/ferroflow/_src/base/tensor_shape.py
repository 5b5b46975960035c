"""Partial shapes: `Dimension` (a size or unknown) and `TensorShape` (dimensions or unknown rank)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn, SupportsIndex, cast, overload

from ferroflow._src.base import dtypes, proto

if TYPE_CHECKING:
    from collections.abc import Callable

    from ferroflow._src.base.typing import IntsLike


class Dimension:
    """The size of one dimension of a shape, or unknown.

    Arithmetic with an unknown dimension gives an unknown dimension; a comparison with one gives `None`.

    Args:
        value: None for unknown, else a non-negative integer or something equal to one (`Dimension`, `"12"`, `12.0`).

    Raises:
        TypeError: if `value` is a `DType` or has no integer value.
        ValueError: if `value` is negative or not a whole number.
    """

    __slots__ = ("_value",)

    _value: int | None

    def __init__(self, value: Any) -> None:
        if value is None:
            self._value = None
            return
        if value.__class__ is not int:
            if isinstance(value, Dimension):
                self._value = value._value
                return
            if isinstance(value, dtypes.DType):
                raise TypeError(f"Cannot convert {value} to Dimension")
            whole = int(value)
            if not isinstance(value, (str, bytes)) and whole != value:
                raise ValueError(f"Ambiguous dimension: {value}")
            value = whole
        if value < 0:
            raise ValueError(f"Dimension {value} must be >= 0")
        self._value = value

    @property
    def value(self) -> int | None:
        """The size, or None if it is unknown."""
        return self._value

    def __repr__(self) -> str:
        return f"Dimension({self._value!r})"

    def __str__(self) -> str:
        return "?" if self._value is None else str(self._value)

    def __int__(self) -> int:
        if self._value is None:
            raise TypeError("__int__ returned non-int (type NoneType): the dimension is unknown")
        return self._value

    def __index__(self) -> int:
        if self._value is None:
            raise TypeError("__index__ returned non-int (type NoneType): the dimension is unknown")
        return self._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __reduce__(self) -> tuple[Any, tuple[int | None]]:
        return Dimension, (self._value,)

    def is_compatible_with(self, other: Any) -> bool:
        """Returns True if both sizes are equal or one is unknown.

        Args:
            other: a value that `Dimension` accepts.

        Returns:
            bool.

        Raises:
            TypeError, ValueError: on the same conditions as the constructor of `Dimension`.
        """
        other = as_dimension(other)
        return self._value is None or other._value is None or self._value == other._value

    def assert_is_compatible_with(self, other: Any) -> None:
        """Checks that both sizes are equal or one is unknown.

        Args:
            other: a value that `Dimension` accepts.

        Raises:
            ValueError: if both sizes are known and differ.
        """
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {other} are not compatible")

    def merge_with(self, other: Any) -> Dimension:
        """Returns the dimension known from `self` and `other` together.

        Args:
            other: a value that `Dimension` accepts.

        Returns:
            `Dimension`, known if either is.

        Raises:
            ValueError: if both sizes are known and differ.
        """
        other = as_dimension(other)
        self.assert_is_compatible_with(other)
        return Dimension(other._value if self._value is None else self._value)

    # TF 1.x: == and != give None if the answer is unknown, so both are falsy for unknown dimensions.
    def __eq__(self, other: object) -> bool | None:  # type: ignore[override]
        return self._compare(other, lambda a, b: a == b)

    def __ne__(self, other: object) -> bool | None:  # type: ignore[override]
        return self._compare(other, lambda a, b: a != b)

    def __lt__(self, other: Any) -> bool | None:
        return self._compare(other, lambda a, b: a < b)

    def __le__(self, other: Any) -> bool | None:
        return self._compare(other, lambda a, b: a <= b)

    def __gt__(self, other: Any) -> bool | None:
        return self._compare(other, lambda a, b: a > b)

    def __ge__(self, other: Any) -> bool | None:
        return self._compare(other, lambda a, b: a >= b)

    def _compare(self, other: object, relation: Callable[[int, int], bool]) -> bool | None:
        try:
            other_value = as_dimension(other)._value
        except (TypeError, ValueError):
            return NotImplemented  # type: ignore[no-any-return]
        if self._value is None or other_value is None:
            return None
        return relation(self._value, other_value)

    def _combine(self, other: Any, operation: Callable[[int, int], int]) -> Dimension:
        try:
            other_value = as_dimension(other)._value
        except (TypeError, ValueError):
            return NotImplemented  # type: ignore[no-any-return]
        if self._value is None or other_value is None:
            return Dimension(None)
        return Dimension(operation(self._value, other_value))

    def __add__(self, other: Any) -> Dimension:
        return self._combine(other, lambda a, b: a + b)

    def __radd__(self, other: Any) -> Dimension:
        return self._combine(other, lambda a, b: b + a)

    def __sub__(self, other: Any) -> Dimension:
        return self._combine(other, lambda a, b: a - b)

    def __rsub__(self, other: Any) -> Dimension:
        return self._combine(other, lambda a, b: b - a)

    def __mul__(self, other: Any) -> Dimension:
        return self._combine(other, lambda a, b: a * b)

    def __rmul__(self, other: Any) -> Dimension:
        return self._combine(other, lambda a, b: b * a)

    def __floordiv__(self, other: Any) -> Dimension:
        return self._combine(other, lambda a, b: a // b)

    def __rfloordiv__(self, other: Any) -> Dimension:
        return self._combine(other, lambda a, b: b // a)

    def __mod__(self, other: Any) -> Dimension:
        return self._combine(other, lambda a, b: a % b)

    def __rmod__(self, other: Any) -> Dimension:
        return self._combine(other, lambda a, b: b % a)

    def __truediv__(self, other: Any) -> NoReturn:
        raise TypeError(
            f"unsupported operand type(s) for /: 'Dimension' and '{type(other).__name__}', please use // instead"
        )

    def __rtruediv__(self, other: Any) -> NoReturn:
        raise TypeError(
            f"unsupported operand type(s) for /: '{type(other).__name__}' and 'Dimension', please use // instead"
        )


_UNKNOWN_DIMENSION = Dimension(None)


def as_dimension(value: Any) -> Dimension:
    """Converts `value` to a `Dimension`; a `Dimension` is returned as it is.

    Raises:
        TypeError: if `value` has no integer value.
        ValueError: if `value` is negative or not a whole number.
    """
    return value if isinstance(value, Dimension) else Dimension(value)


def dimension_value(dimension: Any) -> Any:
    """Returns the int or None that a `Dimension` holds; any other value as it is.

    Args:
        dimension: Dimension, int or None.

    Returns:
        int or None.
    """
    return dimension._value if isinstance(dimension, Dimension) else dimension


def dimension_at_index(shape: TensorShape, index: int) -> Dimension:
    """Returns a dimension of a shape.

    Args:
        shape: TensorShape.
        index: int, its number.

    Returns:
        Dimension, an unknown one where the rank of `shape` is unknown.

    Raises:
        IndexError: if the shape has fewer dimensions.
    """
    return _UNKNOWN_DIMENSION if shape.rank is None else shape[index]


def _dimension_values(dims: Any) -> tuple[int | None, ...] | None:
    """Returns the sizes that a constructor argument of `TensorShape` stands for; None for unknown rank."""
    if dims is None:
        return None
    if isinstance(dims, TensorShape):
        return dims._values
    if isinstance(dims, (str, bytes)):
        raise TypeError(f"A string has ambiguous TensorShape, please wrap in a list or convert to an int: {dims!s}")
    if isinstance(dims, (list, tuple)):
        return tuple([as_dimension(dim)._value for dim in dims])
    # A TensorShapeProto is recognized by its fields, so that one made by TensorFlow itself is accepted too.
    if hasattr(dims, "unknown_rank") and hasattr(dims, "dim"):
        if dims.unknown_rank:
            return None
        return tuple([None if dim.size == -1 else as_dimension(dim.size)._value for dim in dims.dim])
    try:
        iterator = iter(dims)
    except TypeError:
        return (as_dimension(dims)._value,)
    return tuple([as_dimension(dim)._value for dim in iterator])


_plain_sizes = False


def set_plain_sizes(plain: bool) -> None:
    """Sets the kind of the elements that programs get from shapes.

    Args:
        plain: bool. If True, elements are int or None, else `Dimension`.
    """
    global _plain_sizes
    _plain_sizes = plain


def _gives_plain_sizes() -> bool:
    """Returns True if the code that indexes a shape or loops over it is a program's; our own reads `Dimension`."""
    return _plain_sizes and not sys._getframe(2).f_globals.get("__name__", "").startswith("ferroflow.")


class TensorShape:
    """The shape of a tensor, as far as it is known: fully, with some unknown dimensions, or with unknown rank.

    Two shapes are equal if both have unknown rank, or if both are fully defined with the same sizes.

    Args:
        dims: None for unknown rank; or a list of what `Dimension` accepts; or a `TensorShape`, a `TensorShapeProto`
            (size -1 is unknown), or one integer for a vector.

    Raises:
        TypeError: if `dims` is a string or holds something that is not a dimension.
        ValueError: if a dimension is negative or not a whole number.

    Example:
        >>> shape = tf.TensorShape([None, 28, 28])
        >>> print(shape, shape.ndims, shape[1:].num_elements())
        (?, 28, 28) 3 784
        >>> print(shape.is_compatible_with([16, 28, 28]), shape.merge_with([16, None, None]))
        True (16, 28, 28)
    """

    __slots__ = ("__weakref__", "_values")

    _values: tuple[int | None, ...] | None

    def __init__(self, dims: IntsLike | None) -> None:
        self._values = _dimension_values(dims)

    def __repr__(self) -> str:
        return f"TensorShape({list(self._values) if _plain_sizes and self._values is not None else self.dims!r})"

    def __str__(self) -> str:
        if self._values is None:
            return "<unknown>"
        unknown = "None" if _plain_sizes else "?"
        names = [unknown if value is None else str(value) for value in self._values]
        return f"({names[0]},)" if len(names) == 1 else f"({', '.join(names)})"

    @property
    def dims(self) -> list[Dimension] | None:
        """A new list of the dimensions, or None if the rank is unknown."""
        return None if self._values is None else [Dimension(value) for value in self._values]

    # The attribute of TensorFlow's own class, which Keras reads and sets.
    @property
    def _dims(self) -> list[Dimension] | None:
        return self.dims

    @_dims.setter
    def _dims(self, dims: Any) -> None:
        self._values = _dimension_values(dims)

    @property
    def ndims(self) -> int | None:
        """The number of dimensions, or None if it is unknown."""
        return None if self._values is None else len(self._values)

    @property
    def rank(self) -> int | None:
        """The number of dimensions, or None if it is unknown."""
        return None if self._values is None else len(self._values)

    def __len__(self) -> int:
        if self._values is None:
            raise ValueError("Cannot take the length of Shape with unknown rank.")
        return len(self._values)

    def __bool__(self) -> bool:
        return self._values is not None

    def __iter__(self) -> Iterator[Dimension]:
        if self._values is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        if _gives_plain_sizes():
            return cast("Iterator[Dimension]", iter(self._values))
        return iter([Dimension(value) for value in self._values])

    @overload
    def __getitem__(self, key: slice) -> TensorShape: ...

    @overload
    def __getitem__(self, key: SupportsIndex) -> Dimension: ...

    def __getitem__(self, key: Any) -> Any:
        """Returns the dimension at index `key`, or the shape of the dimensions in slice `key`.

        After `tf.enable_v2_tensorshape()`, programs get an int or None for a dimension.

        Raises:
            IndexError: if the rank is known and `key` is not below it.
            ValueError: if the rank is unknown and slice `key` has a step.
        """
        if self._values is not None:
            if isinstance(key, slice):
                return TensorShape(self._values[key])
            return self._values[key] if _gives_plain_sizes() else Dimension(self._values[key])
        if not isinstance(key, slice):
            return None if _gives_plain_sizes() else Dimension(None)
        if key.step is not None:
            raise ValueError("Steps are not yet handled")
        start = 0 if key.start is None else key.start
        # Bounds that count from the end, or no end, leave the rank of the slice unknown.
        if key.stop is None or start < 0 or key.stop < 0:
            return unknown_shape()
        return unknown_shape(ndims=key.stop - start)

    def num_elements(self) -> int | None:
        """Returns the product of the sizes, or None if the shape is not fully defined."""
        if self._values is None:
            return None
        size = 1
        for value in self._values:
            if value is None:
                return None
            size *= value
        return size

    def merge_with(self, other: Any) -> TensorShape:
        """Returns the shape known from `self` and `other` together.

        Args:
            other: a value that `TensorShape` accepts.

        Returns:
            `TensorShape`; a dimension is known if either shape has it.

        Raises:
            ValueError: if the ranks or two known sizes differ.
        """
        known: TensorShape = as_shape(other)
        if self._values is None:
            return known
        if known._values is None:
            return self
        if not self.is_compatible_with(known):
            raise ValueError(f"Shapes {self} and {known} are not compatible")
        return TensorShape([b if a is None else a for a, b in zip(self._values, known._values, strict=True)])

    def __add__(self, other: Any) -> TensorShape:
        try:
            return self.concatenate(other)
        except TypeError:
            return NotImplemented

    def __radd__(self, other: Any) -> TensorShape:
        try:
            return as_shape(other).concatenate(self)
        except TypeError:
            return NotImplemented

    def concatenate(self, other: Any) -> TensorShape:
        """Returns the dimensions of `self` followed by those of `other`.

        Args:
            other: a value that `TensorShape` accepts.

        Returns:
            `TensorShape`; of unknown rank if either is.

        Raises:
            TypeError, ValueError: on the same conditions as the constructor of `TensorShape`.
        """
        other = as_shape(other)
        if self._values is None or other._values is None:
            return unknown_shape()
        return TensorShape(self._values + other._values)

    def assert_same_rank(self, other: Any) -> None:
        """Checks that both ranks are equal or one is unknown.

        Args:
            other: a value that `TensorShape` accepts.

        Raises:
            ValueError: if both ranks are known and differ.
        """
        other = as_shape(other)
        if self._values is not None and other._values is not None and len(self._values) != len(other._values):
            raise ValueError(f"Shapes {self} and {other} must have the same rank")

    def assert_has_rank(self, rank: int) -> None:
        """Checks that the rank is `rank` or unknown.

        Args:
            rank: int.

        Raises:
            ValueError: if the rank is known and not `rank`.
        """
        if self._values is not None and len(self._values) != rank:
            raise ValueError(f"Shape {self} must have rank {rank}")

    def with_rank(self, rank: int) -> TensorShape:
        """Returns this shape with its rank known to be `rank`.

        Args:
            rank: int.

        Returns:
            `TensorShape`; itself if its rank is known.

        Raises:
            ValueError: if the rank is known and not `rank`.
        """
        if self._values is None:
            return unknown_shape(ndims=rank)
        if len(self._values) != dimension_value(rank):
            raise ValueError(f"Shape {self} must have rank {rank}")
        return self

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """Returns this shape, checked to have a rank of `rank` or more as far as its rank is known.

        Args:
            rank: int.

        Returns:
            Itself.

        Raises:
            ValueError: if the rank is known and less than `rank`.
        """
        if self._values is not None and len(self._values) < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """Returns this shape, checked to have a rank of `rank` or less as far as its rank is known.

        Args:
            rank: int.

        Returns:
            Itself.

        Raises:
            ValueError: if the rank is known and greater than `rank`.
        """
        if self._values is not None and len(self._values) > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self

    def is_compatible_with(self, other: Any) -> bool:
        """Returns True if some fully defined shape fits both `self` and `other`.

        Args:
            other: a value that `TensorShape` accepts.

        Returns:
            bool.

        Raises:
            TypeError, ValueError: on the same conditions as the constructor of `TensorShape`.
        """
        other = as_shape(other)
        if self._values is None or other._values is None:
            return True
        return len(self._values) == len(other._values) and all(
            a is None or b is None or a == b for a, b in zip(self._values, other._values, strict=True)
        )

    def assert_is_compatible_with(self, other: Any) -> None:
        """Checks that some fully defined shape fits both `self` and `other`.

        Args:
            other: a value that `TensorShape` accepts.

        Raises:
            ValueError: if the shapes are incompatible.
        """
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are incompatible")

    def most_specific_compatible_shape(self, other: Any) -> TensorShape:
        """Returns the most defined shape that is compatible with everything `self` or `other` is compatible with.

        Args:
            other: a value that `TensorShape` accepts.

        Returns:
            `TensorShape`: the dimensions in which both agree, the others unknown; of unknown rank where ranks differ.

        Raises:
            TypeError, ValueError: on the same conditions as the constructor of `TensorShape`.
        """
        other = as_shape(other)
        if self._values is None or other._values is None or len(self._values) != len(other._values):
            return unknown_shape()
        return TensorShape([a if a == b else None for a, b in zip(self._values, other._values, strict=True)])

    def is_fully_defined(self) -> bool:
        """Returns True if every dimension is known."""
        return self._values is not None and None not in self._values

    def assert_is_fully_defined(self) -> None:
        """Checks that every dimension is known.

        Raises:
            ValueError: if a dimension or the rank is unknown.
        """
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    def as_list(self) -> list[int | None]:
        """Returns the sizes, None for each unknown one.

        Raises:
            ValueError: if the rank is unknown.
        """
        if self._values is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return list(self._values)

    def as_proto(self) -> Any:
        """Returns this shape as a message.

        Returns:
            `TensorShapeProto`, with -1 for each unknown size.
        """
        message = proto.TensorShapeProto()
        if self._values is None:
            message.unknown_rank = True
        else:
            for value in self._values:
                message.dim.add(size=-1 if value is None else value)
        return message

    def __eq__(self, other: object) -> bool:
        try:
            other = as_shape(other)
        except TypeError:
            return NotImplemented
        if self._values is other._values:
            return True
        # TF 1.x: unknown dimensions are equal to nothing, so neither are two partly known shapes.
        return self._values == other._values and (self._values is None or None not in self._values)

    def __ne__(self, other: object) -> bool:
        try:
            other = as_shape(other)
        except TypeError:
            return NotImplemented
        if self._values is None or other._values is None:
            raise ValueError("The inequality of unknown TensorShapes is undefined.")
        return not self == other

    def __hash__(self) -> int:
        return hash(self._values)

    def __reduce__(self) -> tuple[Any, tuple[list[int | None] | None]]:
        return TensorShape, (None if self._values is None else list(self._values),)


def as_shape(shape: Any) -> TensorShape:
    """Converts `shape` to a `TensorShape`; a `TensorShape` is returned as it is.

    Raises:
        TypeError, ValueError: on the same conditions as the constructor of `TensorShape`.
    """
    return shape if isinstance(shape, TensorShape) else TensorShape(shape)


def unknown_shape(ndims: int | None = None) -> TensorShape:
    """Returns a shape of rank `ndims` (unknown if None) with every dimension unknown."""
    return TensorShape(None if ndims is None else [None] * ndims)


def scalar() -> TensorShape:
    """Returns the shape of a scalar."""
    return TensorShape([])


def vector(length: Any) -> TensorShape:
    """Returns the shape of a vector of `length` elements (None: unknown)."""
    return TensorShape([length])


def matrix(rows: Any, cols: Any) -> TensorShape:
    """Returns the shape of a matrix of `rows` rows and `cols` columns (None: unknown)."""
    return TensorShape([rows, cols])
