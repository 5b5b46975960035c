"""Values made of several tensors: `IndexedSlices` and `SparseTensor`."""

from __future__ import annotations

import collections
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.composite_parts import register_composite
from ferroflow._src.base.docstrings import document
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import DTypeLike, FeedDict, SessionObject, ShapeTensorLike, TensorLike
from ferroflow._src.framework import constant as constants
from ferroflow._src.framework.conversion import convert_to_tensor, register_tensor_conversion_function
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.framework.running import eval_tensors

IndexedSlicesValue = collections.namedtuple("IndexedSlicesValue", ["values", "indices", "dense_shape"])
SparseTensorValue = collections.namedtuple("SparseTensorValue", ["indices", "values", "dense_shape"])
document(
    IndexedSlicesValue,
    """Returns the value of an IndexedSlices.

Args:
    values: array of any dtype, of shape [n, ...].
    indices: array of int32 or int64, of shape [n].
    dense_shape: array of int32 or int64, of shape [rank]; None if unknown.
""",
)
document(
    SparseTensorValue,
    """Returns the value of a SparseTensor.

Args:
    indices: array of int64, of shape [n, rank].
    values: array of any dtype, of shape [n].
    dense_shape: array of int64, of shape [rank].
""",
)


class IndexedSlices:
    """Slices of a larger tensor: `dense[indices[i]] = values[i]`, such as the gradient of a gather.

    Args:
        values: Tensor of any dtype, of shape [n, ...].
        indices: Tensor of int32 or int64, of shape [n].
        dense_shape: Tensor of int32 or int64, of shape [rank], with the shape of the dense tensor; None if unknown.
    """

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        self._values: Tensor = values
        self._indices: Tensor = indices
        self._dense_shape: Tensor | None = dense_shape

    @property
    def values(self) -> Tensor:
        """The slices, a Tensor of shape [n, ...]."""
        return self._values

    @property
    def indices(self) -> Tensor:
        """The positions of the slices, a Tensor of int32 or int64, of shape [n]."""
        return self._indices

    @property
    def dense_shape(self) -> Tensor | None:
        """The shape of the dense tensor as a Tensor of shape [rank], or None."""
        return self._dense_shape

    @property
    def name(self) -> str:
        """The name of the values."""
        return self.values.name

    @property
    def device(self) -> str:
        """The device of the values."""
        return self.values.device

    @property
    def op(self) -> Operation:
        """The operation of the values."""
        return self.values.op

    @property
    def dtype(self) -> dtypes.DType:
        """The dtype of the values."""
        return self.values.dtype

    @property
    def graph(self) -> Graph:
        """The graph of the values."""
        return self.values.graph

    @property
    def shape(self) -> TensorShape:
        """Returns the static shape of the dense tensor."""
        if self._dense_shape is None:
            return TensorShape(None)
        return constants.constant_value_as_shape(self._dense_shape)

    def __str__(self) -> str:
        shape = f", dense_shape={self._dense_shape}" if self._dense_shape is not None else ""
        return f"IndexedSlices(indices={self._indices}, values={self._values}{shape})"

    def __neg__(self) -> IndexedSlices:
        return IndexedSlices(-self.values, self.indices, self.dense_shape)


register_composite(
    IndexedSlices,
    lambda x: [x.values, x.indices, *([] if x.dense_shape is None else [x.dense_shape])],
    lambda _, parts: IndexedSlices(*parts),
    lambda x: x.dense_shape is None,
)


class SparseTensor:
    """A tensor with mostly zero elements, stored as the positions and values of the others.

    Args:
        indices: int64 Tensor [n, rank], the positions; ascending by row if an operation requires order.
        values: Tensor [n] of any dtype.
        dense_shape: int64 Tensor [rank].

    Raises:
        TypeError: if `indices` or `dense_shape` is not int64.
        ValueError: if the ranks or sizes contradict each other, as far as shapes are known.
    """

    @classmethod
    def from_value(cls, sparse_tensor_value: Any) -> SparseTensor:
        """Returns a SparseTensor of a SparseTensor or SparseTensorValue.

        Args:
            sparse_tensor_value: SparseTensor or SparseTensorValue of any dtype and shape.

        Returns:
            A new SparseTensor of its dtype and shape; if it is a value, its arrays are constants.

        Raises:
            TypeError: if the value is neither a SparseTensor nor a SparseTensorValue.
        """
        if not isinstance(sparse_tensor_value, SparseTensor | SparseTensorValue):
            raise TypeError(f"Neither a SparseTensor nor SparseTensorValue: {sparse_tensor_value}.")
        return cls(sparse_tensor_value.indices, sparse_tensor_value.values, sparse_tensor_value.dense_shape)

    def __init__(self, indices: TensorLike, values: TensorLike, dense_shape: ShapeTensorLike) -> None:
        with name_scope(None, "SparseTensor", [indices, values, dense_shape]):
            self._indices = convert_to_tensor(indices, name="indices", dtype=dtypes.int64)
            self._values = convert_to_tensor(values, name="values")
            self._dense_shape = convert_to_tensor(dense_shape, name="dense_shape", dtype=dtypes.int64)
        indices_shape = self._indices.shape.with_rank(2)
        values_shape = self._values.shape.with_rank(1)
        dense = self._dense_shape.shape.with_rank(1)
        indices_shape[0].merge_with(values_shape[0])
        indices_shape[1].merge_with(dense[0])

    def get_shape(self) -> TensorShape:
        """Returns the static shape of the dense tensor."""
        return constants.constant_value_as_shape(self._dense_shape)

    @property
    def shape(self) -> TensorShape:
        """Returns the static shape of the dense tensor."""
        return self.get_shape()

    @property
    def indices(self) -> Tensor:
        """The positions, an int64 Tensor [n, rank]."""
        return self._indices

    @property
    def values(self) -> Tensor:
        """The elements, a Tensor [n]."""
        return self._values

    @property
    def dense_shape(self) -> Tensor:
        """The shape, an int64 Tensor [rank]."""
        return self._dense_shape

    @property
    def op(self) -> Operation:
        """The operation of the values."""
        return self.values.op

    @property
    def dtype(self) -> dtypes.DType:
        """The dtype of the elements."""
        return self._values.dtype

    @property
    def graph(self) -> Graph:
        """The graph of the positions."""
        return self._indices.graph

    def __str__(self) -> str:
        return f"SparseTensor(indices={self._indices}, values={self._values}, dense_shape={self._dense_shape})"

    def eval(self, feed_dict: FeedDict | None = None, session: SessionObject | None = None) -> Any:
        """Returns the value of this sparse tensor in a session.

        Args:
            feed_dict: dict of fed values, as for `Session.run`.
            session: `Session`; None for the default session.

        Returns:
            SparseTensorValue of NumPy arrays.

        Raises:
            ValueError: if there is no default session, or the session has another graph.
            tf.errors.OpError: if the step failed.
        """
        parts = [self.indices, self.values, self.dense_shape]
        return SparseTensorValue(*eval_tensors(parts, feed_dict, self.graph, session))

    @staticmethod
    def _override_operator(operator: str, function: Any) -> None:
        """Installs an operator; the module of operators calls this."""
        setattr(SparseTensor, operator, function)


register_composite(
    SparseTensor,
    lambda x: [x.indices, x.values, x.dense_shape],
    lambda _, parts: SparseTensor(*parts),
    lambda x: x.dtype.base_dtype,
)


def _sparse_to_tensor(value: Any, dtype: Any = None, name: Any = None, as_ref: bool = False) -> Any:
    raise TypeError(
        f"Tensor conversion of a sparse value to a dense tensor is not implicit; use tf.sparse_tensor_to_dense: {value}"
    )


register_tensor_conversion_function(SparseTensor, _sparse_to_tensor)


def convert_to_tensor_or_sparse_tensor(
    value: TensorLike, dtype: DTypeLike | None = None, name: str | None = None
) -> Any:
    """Returns `value` as a Tensor, or as a SparseTensor if it is sparse.

    Args:
        value: SparseTensor or SparseTensorValue of any dtype and shape, or a value that `convert_to_tensor` accepts.
        dtype: DType, or None for that of `value`.
        name: str, name of the operation where one is made.

    Returns:
        SparseTensor or Tensor of the dtype and shape of `value`.

    Raises:
        RuntimeError: if a sparse value's dtype is not `dtype`.
        TypeError, ValueError: on the same conditions as `convert_to_tensor`.
    """
    if isinstance(value, SparseTensorValue):
        value = SparseTensor.from_value(value)
    if isinstance(value, SparseTensor):
        if dtype and not dtypes.as_dtype(dtype).is_compatible_with(value.dtype):
            raise RuntimeError(f"Sparse dtype: requested = {dtypes.as_dtype(dtype).name}, actual = {value.dtype.name}")
        return value
    return convert_to_tensor(value, dtype=dtype, name=name)


def is_sparse(x: TensorLike) -> bool:
    """Returns True if `x` is a SparseTensor or SparseTensorValue."""
    return isinstance(x, SparseTensor | SparseTensorValue)


def convert_to_tensor_or_indexed_slices(
    value: Any, dtype: DTypeLike | None = None, name: str | None = None, as_ref: bool = False
) -> Any:
    """Returns `value` as a Tensor; IndexedSlices and SparseTensors are returned as they are.

    Args:
        value: IndexedSlices or SparseTensor of any dtype and shape, or a value that `convert_to_tensor` accepts.
        dtype: DType, or None for that of `value`.
        name: str, name of the operation where one is made.
        as_ref: bool. If True, a variable becomes its reference instead of its value.

    Returns:
        IndexedSlices, SparseTensor or Tensor of the dtype and shape of `value`.

    Raises:
        ValueError: if the value has another dtype than `dtype`.
        TypeError: on the same conditions as `convert_to_tensor`.
    """
    if isinstance(value, IndexedSlices | SparseTensor):
        if dtype and not dtypes.as_dtype(dtype).is_compatible_with(value.dtype):
            raise ValueError(
                f"Tensor conversion requested dtype {dtypes.as_dtype(dtype).name} for Tensor with dtype "
                f"{value.dtype.name}: "
                f"{value!s}"
            )
        return value
    return convert_to_tensor(value, dtype=dtype, name=name, as_ref=as_ref)


def convert_n_to_tensor_or_indexed_slices(
    values: Any, dtype: Any = None, name: str | None = None, as_ref: bool = False
) -> list[Any]:
    """Returns `convert_to_tensor_or_indexed_slices` of each; None stays None.

    Raises:
        TypeError: if `values` is not a sequence.
    """
    if not isinstance(values, list | tuple):
        raise TypeError("values must be a list.")
    return [
        None
        if value is None
        else convert_to_tensor_or_indexed_slices(
            value, dtype=dtype, name=None if name is None else f"{name}_{i}", as_ref=as_ref
        )
        for i, value in enumerate(values)
    ]


def is_tensor(x: object) -> bool:
    """Returns True if `x` is a Tensor, SparseTensor, IndexedSlices or an object that converts to a Tensor, such as a
    variable.

    Args:
        x: any object.

    Returns:
        bool.
    """
    if isinstance(x, Tensor | SparseTensor | IndexedSlices):
        return True
    return hasattr(x, "_as_graph_element") and hasattr(x, "dtype")
