"""`Tensor`: a Python handle of one output of a graph node."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ferroflow import _core
from ferroflow._src.base import array_conversion, dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import FeedDict, SessionObject, ShapeLike, TensorLike
from ferroflow._src.framework.operation import eval_tensors

if TYPE_CHECKING:
    from ferroflow._src.framework.graph import Graph
    from ferroflow._src.framework.operation import Operation

_DTYPES = {d.as_datatype_enum: d for d in map(dtypes.as_dtype, [*range(1, 24), *range(101, 124)])}


class Tensor(_core.TensorHandle):
    """A symbolic value: output number `value_index` of `op`; made by the graph, one object for each output.

    Args:
        graph: the engine's graph.
        node: int, the node's number.
        index: int, which of its outputs.
    """

    # NumPy must leave binary operators with a Tensor on the right to the Tensor.
    __array_priority__ = 100

    # Operators come from the ops layer through `_override_operator`.
    OVERLOADABLE_OPERATORS: frozenset[str] = frozenset(
        f"__{name}__"
        for name in [
            "add",
            "radd",
            "sub",
            "rsub",
            "mul",
            "rmul",
            "div",
            "rdiv",
            "truediv",
            "rtruediv",
            "floordiv",
            "rfloordiv",
            "mod",
            "rmod",
            "lt",
            "le",
            "gt",
            "ge",
            "and",
            "rand",
            "or",
            "ror",
            "xor",
            "rxor",
            "getitem",
            "pow",
            "rpow",
            "invert",
            "neg",
            "abs",
            "matmul",
            "rmatmul",
        ]
    )

    if TYPE_CHECKING:
        # The operators as the ops layer installs them.
        def __add__(self, other: TensorLike) -> Tensor: ...
        def __radd__(self, other: TensorLike) -> Tensor: ...
        def __sub__(self, other: TensorLike) -> Tensor: ...
        def __rsub__(self, other: TensorLike) -> Tensor: ...
        def __mul__(self, other: TensorLike) -> Tensor: ...
        def __rmul__(self, other: TensorLike) -> Tensor: ...
        def __truediv__(self, other: TensorLike) -> Tensor: ...
        def __rtruediv__(self, other: TensorLike) -> Tensor: ...
        def __floordiv__(self, other: TensorLike) -> Tensor: ...
        def __rfloordiv__(self, other: TensorLike) -> Tensor: ...
        def __mod__(self, other: TensorLike) -> Tensor: ...
        def __rmod__(self, other: TensorLike) -> Tensor: ...
        def __pow__(self, other: TensorLike) -> Tensor: ...
        def __rpow__(self, other: TensorLike) -> Tensor: ...
        def __matmul__(self, other: TensorLike) -> Tensor: ...
        def __rmatmul__(self, other: TensorLike) -> Tensor: ...
        def __and__(self, other: TensorLike) -> Tensor: ...
        def __rand__(self, other: TensorLike) -> Tensor: ...
        def __or__(self, other: TensorLike) -> Tensor: ...
        def __ror__(self, other: TensorLike) -> Tensor: ...
        def __xor__(self, other: TensorLike) -> Tensor: ...
        def __rxor__(self, other: TensorLike) -> Tensor: ...
        def __lt__(self, other: TensorLike) -> Tensor: ...
        def __le__(self, other: TensorLike) -> Tensor: ...
        def __gt__(self, other: TensorLike) -> Tensor: ...
        def __ge__(self, other: TensorLike) -> Tensor: ...
        def __neg__(self) -> Tensor: ...
        def __invert__(self) -> Tensor: ...
        def __abs__(self) -> Tensor: ...
        def __getitem__(self, key: Any) -> Tensor: ...

    # As for operations: no dict until a program sets an attribute of its own.
    __slots__ = ("__dict__", "__weakref__", "_dtype", "_op", "_shape")

    _op: Operation
    _dtype: dtypes.DType | None
    _shape: TensorShape | None

    @property
    def op(self) -> Operation:
        """The operation that computes this tensor."""
        return self._op

    @property
    def graph(self) -> Graph:
        """The graph that holds this tensor."""
        return self._op._graph

    @property
    def value_index(self) -> int:
        """The position of this tensor among the outputs of `op`."""
        return self._index

    @property
    def name(self) -> str:
        """`op_name:output_number`."""
        return f"{self._op.name}:{self._index}"

    @property
    def device(self) -> str:
        """The device of the operation."""
        return self._op.device

    @property
    def dtype(self) -> dtypes.DType:
        """The element type; a `_ref` type for a reference to a variable."""
        cached = self._dtype
        if cached is None:
            number = self._op._graph._core.output_dtype(self._node_id, self._index)
            cached = self._dtype = _DTYPES[number]
        return cached

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        cached = self._shape
        if cached is None:
            cached = TensorShape(self._op._graph._core.output_shape(self._node_id, self._index))
            self._shape = cached
        return cached

    def get_shape(self) -> TensorShape:
        """Returns the same as `shape`."""
        return self.shape

    def set_shape(self, shape: ShapeLike) -> None:
        """Adds to what is known of the shape.

        Args:
            shape: anything a `TensorShape` is made of.

        Raises:
            ValueError: if `shape` contradicts the known shape.
        """
        shape = shape if isinstance(shape, TensorShape) else TensorShape(shape)
        merged = self.shape.merge_with(shape)
        self._op._graph._core.merge_shape(self._node_id, self._index, shape)
        self._shape = merged

    def _replace_shape(self, shape: Any) -> None:
        self._op._graph._core.replace_shape(self._node_id, self._index, TensorShape(shape))
        self._shape = None

    def _shape_as_list(self) -> list[int | None] | None:
        return self.shape.as_list() if self.shape.ndims is not None else None

    def _rank(self) -> int | None:
        return self.shape.ndims

    def consumers(self) -> list[Operation]:
        """Returns the operations that read this tensor."""
        graph = self._op._graph
        found = graph._core.consumers(self._node_id, self._index)
        return [graph._operation(i) for i in dict.fromkeys(node for node, _ in found)]

    def eval(self, feed_dict: FeedDict | None = None, session: SessionObject | None = None) -> Any:
        """Returns the value of this tensor in a session.

        Args:
            feed_dict: dict of fed values, as for `Session.run`.
            session: `Session`; None for the default session.

        Returns:
            NumPy array or scalar; bytes for a single string.

        Raises:
            ValueError: if there is no default session, or the session has another graph.
            tf.errors.OpError: if the step failed.
        """
        return eval_tensors(self, feed_dict, self.graph, session)

    def _as_node_def_input(self) -> str:
        return self._op.name if self._index == 0 else self.name

    @staticmethod
    def _override_operator(operator: str, function: Callable[..., Any]) -> None:
        """Installs an operator's function.

        Raises:
            ValueError: if the operator is installed already or may not be.
        """
        if operator not in Tensor.OVERLOADABLE_OPERATORS:
            raise ValueError(f"Overriding {operator} is disallowed")
        if operator in Tensor.__dict__:
            raise ValueError(f"operator {operator} cannot be overwritten again on class {Tensor}.")
        setattr(Tensor, operator, function)

    def __iter__(self) -> Iterator[Tensor]:
        if self.shape.ndims is None:
            raise TypeError(
                "Tensor objects are only iterable when their first dimension is known; the rank is unknown."
            )
        if self.shape.ndims == 0:
            raise TypeError("Tensor objects are not iterable when they are scalars.")
        length = self.shape.as_list()[0]
        if length is None:
            raise TypeError(
                "Tensor objects are only iterable when their first dimension is known. To iterate over this tensor use "
                "tf.map_fn."
            )
        return (self[i] for i in range(length))

    def __len__(self) -> int:
        raise TypeError(
            f"object of type 'Tensor' has no len(). Use tf.shape(x)[0] or x.shape for Tensor '{self.name}'."
        )

    def __bool__(self) -> bool:
        raise TypeError(
            "Using a `tf.Tensor` as a Python `bool` is not allowed. Use `if t is not None:` instead of `if t:` to "
            "test if a "
            "tensor is defined, and use TensorFlow ops such as tf.cond to execute subgraphs conditioned on the "
            "value of a tensor."
        )

    # Python 2's name, which libraries still use.
    __nonzero__ = __bool__

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise NotImplementedError(f"Cannot convert a symbolic Tensor ({self.name}) to a numpy array.")

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __copy__(self) -> Tensor:
        return self

    def __deepcopy__(self, memo: Any) -> Tensor:
        return self

    def __str__(self) -> str:
        shape = self.shape
        shown = f", shape={shape}" if shape.ndims is not None else ""
        device = f", device={self.device}" if self.device else ""
        return f'Tensor("{self.name}"{shown}, dtype={self.dtype.name}{device})'

    def __repr__(self) -> str:
        return f"<tf.Tensor '{self.name}' shape={self.shape} dtype={self.dtype.name}>"


array_conversion.register_tensor_class(Tensor)
