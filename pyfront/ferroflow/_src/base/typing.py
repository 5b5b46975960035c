"""Types of arguments: values that become tensors, shapes, dtypes, fetches and feeds.

TensorFlow 1.x converts almost everything, so these types are wide: they accept what can be converted, and refuse what
cannot (None, a function, an operation, an optimizer). A list is accepted whatever it holds, because a checker infers
`list[object]` for `[tf.shape(x)[0], 10]`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, ParamSpec, SupportsIndex, TypeAlias, TypeVar

import numpy as np

from ferroflow._src.base.dtypes import DType
from ferroflow._src.base.tensor_shape import TensorShape

if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object  # a class of `typing.Protocol` takes long to make


class TensorObject(Protocol):
    """An object of a graph that has values: Tensor, Variable, SparseTensor, IndexedSlices and their like."""

    @property
    def dtype(self) -> DType:
        """The element type."""

    @property
    def shape(self) -> TensorShape:
        """The static shape."""


class OperationObject(Protocol):
    """An operation of a graph."""

    @property
    def outputs(self) -> Any:
        """The tensors that it returns."""

    @property
    def control_inputs(self) -> Any:
        """The operations that run before it."""


class ArrayObject(Protocol):
    """An object that NumPy converts to an array: an array, a NumPy scalar, a table of pandas."""

    def __array__(self) -> np.ndarray[Any, Any]:
        """Returns the array."""


class ListLike(Protocol):
    """A list, a tuple or a range, but no str: `"abc" in "abcd"` is the only question about members that a str takes."""

    def __len__(self) -> int:
        """Returns the number of items."""

    def __contains__(self, value: object, /) -> bool:
        """Returns True if `value` is one of the items."""

    def __getitem__(self, index: int, /) -> Any:
        """Returns an item."""

    def __iter__(self) -> Iterator[Any]:
        """Iterates over the items."""


class ScopeObject(Protocol):
    """A variable scope."""

    @property
    def name(self) -> str:
        """The name that variables begin with."""

    @property
    def original_name_scope(self) -> str:
        """The name scope of the operations."""


class SessionObject(Protocol):
    """A session."""

    @property
    def graph(self) -> Any:
        """The graph that it runs."""

    def run(self, fetches: Any, feed_dict: Any = None) -> Any:
        """Runs one step and returns the values."""


class CellLike(Protocol):
    """A recurrent cell, as `tf.nn.rnn_cell.RNNCell` describes it."""

    @property
    def state_size(self) -> Any:
        """The sizes of the state, in its structure."""

    @property
    def output_size(self) -> Any:
        """The size of the output."""

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Returns the state at the start."""

    def __call__(self, inputs: Any, state: Any, /) -> Any:
        """Returns the output and the next state."""


class DictLike(Protocol):
    """A dict with keys and values of any types."""

    def __len__(self) -> int:
        """Returns the number of entries."""

    def items(self) -> Iterable[tuple[Any, Any]]:
        """Returns pairs of a key and its value."""

    def __iter__(self) -> Iterator[Any]:
        """Iterates over the keys."""

    def __getitem__(self, key: Any, /) -> Any:
        """Returns the value of a key."""


# A static shape, and one that may be computed in the graph.
ShapeLike: TypeAlias = SupportsIndex | TensorShape | ArrayObject | ListLike
ShapeTensorLike: TypeAlias = ShapeLike | TensorObject
# Anything that `tf.as_dtype` takes.
DTypeLike: TypeAlias = DType | str | int | type[object] | np.dtype[Any]

# A value that becomes a tensor: of any type, or of the type that the argument needs.
TensorLike: TypeAlias = complex | str | bytes | SupportsIndex | TensorShape | TensorObject | ArrayObject | ListLike
IntLike: TypeAlias = SupportsIndex | TensorObject | ArrayObject
IntsLike: TypeAlias = IntLike | TensorShape | ListLike
FloatLike: TypeAlias = float | TensorObject | ArrayObject
BoolLike: TypeAlias = bool | TensorObject | ArrayObject
StringLike: TypeAlias = str | bytes | TensorObject | ArrayObject | ListLike
TensorLikes: TypeAlias = TensorObject | ArrayObject | ListLike
# Tensors in the structure of a list or a dict.
NestedTensors: TypeAlias = TensorLike | DictLike

# The arguments of `Session.run`.
Fetches: TypeAlias = TensorObject | OperationObject | str | ListLike | DictLike
FeedDict: TypeAlias = DictLike

PathLike: TypeAlias = str | bytes | os.PathLike[str]
Device: TypeAlias = str | OperationObject | Callable[..., Any]
# A function of a shape that makes a tensor, its class, or the value itself.
Initializer: TypeAlias = Callable[..., Any] | TensorLike
Regularizer: TypeAlias = Callable[[Any], Any]
Constraint: TypeAlias = Callable[[Any], Any]
Partitioner: TypeAlias = Callable[..., Any]
Activation: TypeAlias = Callable[..., Any]
# A learning rate or another setting: a number, a tensor, or a function that returns one.
Rate: TypeAlias = FloatLike | Callable[[], Any]
# The collection or collections of a value.
Collections: TypeAlias = str | Iterable[str]
ScopeLike: TypeAlias = str | ScopeObject
# Found by Keras by name or configuration: an activation, an initializer, a loss.
Identifier: TypeAlias = str | DictLike | Callable[..., Any]
# Structures of dtypes and of shapes, as those of datasets.
NestedDTypes: TypeAlias = DTypeLike | ListLike | DictLike
NestedShapes: TypeAlias = ShapeTensorLike | DictLike

_Arguments = ParamSpec("_Arguments")
_Returned = TypeVar("_Returned")


def has_signature_of(
    signature: Callable[_Arguments, _Returned],
) -> Callable[[Callable[..., Any]], Callable[_Arguments, _Returned]]:
    """Shows type checkers the signature of another function for one that takes any arguments.

    Args:
        signature: function that is never called.

    Returns:
        A decorator, which returns the function that it is given.
    """

    def decorate(function: Callable[..., Any]) -> Callable[_Arguments, _Returned]:
        return function

    return decorate
