"""`RaggedTensor`, and its conversions from and to dense and sparse tensors."""

from __future__ import annotations

from typing import Any, TypeVar

from ferroflow._src.base import dtypes
from ferroflow._src.base.composite_parts import register_composite
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import DTypeLike, TensorLike
from ferroflow._src.framework.apply import apply_op
from ferroflow._src.framework.composite import SparseTensor, convert_to_tensor_or_sparse_tensor, is_sparse
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import indexing, joining, making, shaping
from ferroflow._src.ops.flow.branches import cond
from ferroflow._src.ops.flow.checking import Assert
from ferroflow._src.ops.math import arithmetic, comparison, elementwise, reduction, segment
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.ragged.partition import RowPartitioned
from ferroflow._src.ops.ragged.row_splits import convert_to_int_tensor, lengths_of
from ferroflow._src.ops.ragged.value import RaggedTensorValue

_Ragged = TypeVar("_Ragged", bound="RaggedTensor")


class RaggedTensor(RowPartitioned):
    """A tensor whose rows have different lengths: values, and the splits between the rows.

    Programs make one with a factory method, such as `from_row_splits`, or with `tf.ragged.constant`. The first
    dimension is the rows; the ragged dimensions follow, and then the dimensions of the values.

    Args:
        values: Tensor of any dtype, of shape [n, ...], or RaggedTensor: the rows, one after the other.
        row_splits: Tensor of int32 or int64, of shape [rows + 1]: where each row begins, and where the last one ends.
        cached_row_lengths: Tensor of shape [rows], if it is known.
        cached_value_rowids: Tensor of shape [n], if it is known.
        cached_nrows: Tensor of shape [], if it is known.
        internal: bool. Programs use the factory methods instead, which pass True.

    Raises:
        TypeError: if an argument has another type, or a cached tensor another dtype.
        ValueError: if `internal` is False, or `row_splits` has another dtype or rank.

    Example:
        >>> words = tf.RaggedTensor.from_row_lengths(["a", "b", "c"], [2, 0, 1])
        >>> print(words.shape)
        (3, ?)
        >>> print(sess.run(tf.strings.length(words)).to_list())
        [[1, 1], [], [1]]
    """

    @classmethod
    def from_tensor(
        cls,
        tensor: TensorLike,
        lengths: Any = None,
        padding: TensorLike | None = None,
        ragged_rank: int = 1,
        name: str | None = None,
        row_splits_dtype: DTypeLike = dtypes.int64,
    ) -> Any:
        """Makes a RaggedTensor of a dense tensor.

        Args:
            tensor: Tensor of any dtype, of rank above `ragged_rank`.
            lengths: Tensor of an integer dtype, of shape [rows]: how much of each row to keep. Also list of such
                Tensors, one for each ragged dimension. None to keep all.
            padding: Tensor of the dtype of `tensor` and of the shape of an element of a row. Such elements at the end
                of a row are left out.
            ragged_rank: int, the number of ragged dimensions.
            name: str, name scope of the operations.
            row_splits_dtype: DType of the splits, int32 or int64.

        Returns:
            RaggedTensor of the dtype of `tensor`.

        Raises:
            TypeError: if `ragged_rank` is not an int.
            ValueError: if `ragged_rank` is not positive, the rank is too low, or both `lengths` and `padding` are
                given.

        Example:
            >>> padded = tf.constant([[5, 7, 0], [0, 3, 0], [6, 0, 0]])
            >>> print(sess.run(tf.RaggedTensor.from_tensor(padded, padding=0)).to_list())
            [[5, 7], [0, 3], [6]]
        """
        kind = dtypes.as_dtype(row_splits_dtype)
        if lengths is not None and padding is not None:
            raise ValueError("Specify lengths or padding, but not both")
        if not isinstance(ragged_rank, int):
            raise TypeError(f"ragged_rank expected int, got {ragged_rank!r}")
        if ragged_rank <= 0:
            raise ValueError(f"ragged_rank must be greater than 0; got {ragged_rank}")
        with name_scope(name, "RaggedFromTensor", [tensor, lengths, padding]):
            tensor = convert_to_tensor(tensor, name="tensor")
            tensor.shape.with_rank_at_least(ragged_rank + 1)
            sizes = shaping.shape(tensor, out_type=kind)
            columns = sizes[1]
            if ragged_rank > 1:
                rows = joining.concat([constant([-1], kind), sizes[ragged_rank:]], axis=0)
                values = cls.from_tensor(shaping.reshape(tensor, rows), lengths, padding, row_splits_dtype=kind)
                counts = segment.cumprod(sizes)
                splits = [making.range(0, counts[d - 1] + 1) * sizes[d] for d in range(1, ragged_rank)]
                return cls.from_nested_row_splits(values, splits, validate=False)
            if padding is not None:
                lengths = _lengths_before_padding(tensor, padding, columns, kind)
            if lengths is None:
                count = sizes[0]
                total = count * columns
                whole = making.range(count + 1) * columns
                flat = shaping.reshape(tensor, joining.concat([[total], sizes[2:]], axis=0))
                return cls.from_row_splits(flat, whole, validate=False)
            if isinstance(lengths, list | tuple) and len(lengths) and not isinstance(lengths[0], int | float):
                return cls._from_nested_lengths(tensor, lengths)
            kept = convert_to_int_tensor(lengths, "lengths", kind)
            kept.shape.assert_has_rank(1)
            kept = arithmetic.maximum(arithmetic.minimum(kept, columns), 0)
            ends = joining.concat([making.zeros([1], kind), segment.cumsum(kept)], axis=0)
            mask = making.sequence_mask(kept, maxlen=columns)
            return cls.from_row_splits(indexing.boolean_mask(tensor, mask), ends, validate=False)

    @classmethod
    def _from_nested_lengths(cls, tensor: Tensor, lengths: Any) -> Any:
        """Returns the elements of a dense tensor that are within the lengths of each dimension."""
        tensor.shape.with_rank_at_least(len(lengths) + 1)
        true = making.ones([reduction.reduce_sum(lengths[-1])], dtype=dtypes.bool)
        mask = cls.from_nested_row_lengths(true, lengths, validate=False).to_tensor(default_value=False)
        return cls.from_nested_row_lengths(indexing.boolean_mask(tensor, mask), lengths, validate=False)

    def to_tensor(self, default_value: TensorLike | None = None, name: str | None = None) -> Tensor:
        """Returns a dense tensor, in which short rows are padded.

        Args:
            default_value: Tensor of the dtype of the values, whose shape broadcasts to that of an element of a row;
                None for zeros and empty strings.
            name: str, name scope of the operations.

        Returns:
            Tensor of the dtype of the values, of the shape that `bounding_shape` returns.

        Raises:
            ValueError: if the shape of `default_value` does not fit.

        Example:
            >>> ragged = tf.ragged.constant([[9, 8, 7], [], [6]])
            >>> print(sess.run(ragged.to_tensor(0)))
            [[9 8 7]
             [0 0 0]
             [6 0 0]]
        """
        with name_scope(name, "RaggedToTensor", [self, default_value]):
            if default_value is not None:
                default_value = convert_to_tensor(default_value, name="default_value", dtype=self.dtype)
            values: Any = self._values
            if isinstance(values, RaggedTensor):
                values = values.to_tensor(default_value)
            pad = None if default_value is None else _element_like(default_value, values)
            kind = self._row_splits.dtype
            lengths = [lengths_of(self._row_splits)]
            rows = shaping.shape(self._row_splits, out_type=kind)[0] - 1
            # TF 1.x: the dimensions of a list of tensors are computed in a step.
            every = making.range(0, shaping.rank(lengths))
            columns = arithmetic.maximum(reduction.reduce_max(lengths, axis=every), 0)
            sizes = shaping.shape(values, out_type=kind)
            element = sizes[1:]
            count = sizes[0]
            if pad is None:
                pad = making.zeros(element, dtype=values.dtype)
            pad.shape.assert_is_compatible_with(values.shape[1:])
            pad.set_shape(values.shape[1:])
            starts = shaping.expand_dims(self._row_splits[:-1], 1)
            limits = shaping.expand_dims(self._row_splits[1:], 1)
            place = shaping.expand_dims(making.range(0, columns), 0)
            padded = joining.concat([values, joining.stack([pad])], axis=0)
            places = starts + place
            is_value = places < limits
            # The padding is behind all values.
            pads = making.fill(joining.stack([rows, columns]), count)
            return indexing.gather(padded, indexing.where(is_value, places, pads))

    @classmethod
    def from_sparse(
        cls: type[_Ragged], st_input: Any, name: str | None = None, row_splits_dtype: DTypeLike = dtypes.int64
    ) -> _Ragged:
        """Makes a RaggedTensor of a sparse matrix whose rows have no gaps.

        Args:
            st_input: SparseTensor or SparseTensorValue of any dtype, of rank 2.
            name: str, name scope of the operations.
            row_splits_dtype: DType of the splits, int32 or int64.

        Returns:
            RaggedTensor of the dtype of `st_input`. A step fails where a row has a gap.

        Raises:
            TypeError: if `st_input` is not sparse.
            ValueError: if its rank is not known to be 2.
        """
        kind = dtypes.as_dtype(row_splits_dtype)
        if not is_sparse(st_input):
            raise TypeError(f"Expected SparseTensor, got {type(st_input).__name__}")
        with name_scope(name, "RaggedFromSparse", [st_input]):
            sparse = convert_to_tensor_or_sparse_tensor(st_input, name="st_input")
            ranks = (_static_size(sparse.dense_shape, 0), _static_size(sparse.indices, 1))
            if 2 not in ranks:
                raise ValueError("rank(st_input) must be 2")
            with control_dependencies([_assert_no_gaps(sparse.indices)]):
                ids = cast(sparse.indices[:, 0], kind)
                rows = cast(sparse.dense_shape[0], kind)
                return cls.from_value_rowids(sparse.values, ids, rows, validate=False)

    def to_sparse(self, name: str | None = None) -> SparseTensor:
        """Returns a sparse tensor with the same values.

        Args:
            name: str, name scope of the operation.

        Returns:
            SparseTensor of the dtype of the values, of the shape that `bounding_shape` returns.

        Example:
            >>> print(sess.run(tf.ragged.constant([[1, 2], [], [3]]).to_sparse()).indices)
            [[0 0]
             [0 1]
             [2 0]]
        """
        with name_scope(name, "RaggedToSparse", [self]):
            parts = apply_op("RaggedTensorToSparse", [list(self.nested_row_splits), self.flat_values], name=name)
            return SparseTensor(*parts.outputs)

    def to_list(self) -> list[Any]:
        """Raises an error: a tensor of a graph has no value before a step.

        Returns:
            list, but never: only a fetched `RaggedTensorValue` has lists.

        Raises:
            ValueError: on every call.
        """
        raise ValueError(
            "RaggedTensor.to_list() is only supported in eager mode; in graph mode, evaluate the RaggedTensor first "
            "and then use RaggedTensorValue.to_list()."
        )

    def __repr__(self) -> str:
        return f"tf.RaggedTensor(values={self._values}, row_splits={self._row_splits})"

    @staticmethod
    def _override_operator(operator: str, function: Any) -> None:
        """Installs an operator; the module of operators calls this."""
        setattr(RaggedTensor, operator, function)


def is_ragged(value: Any) -> bool:
    """Returns True if `value` is a RaggedTensor or RaggedTensorValue."""
    return isinstance(value, RaggedTensor | RaggedTensorValue)


def _static_size(tensor: Tensor, axis: int) -> int | None:
    """Returns the static size of a dimension, None if it is unknown."""
    return None if tensor.shape.ndims is None else tensor.shape.as_list()[axis]


def _lengths_before_padding(tensor: Tensor, padding: TensorLike, columns: Tensor, kind: dtypes.DType) -> Tensor:
    """Returns the lengths of rows without the padding at their ends."""
    padding = convert_to_tensor(padding, name="padding", dtype=tensor.dtype)
    padding.shape.assert_is_compatible_with(tensor.shape[2:])
    is_padding = comparison.equal(padding, tensor)
    rank = shaping.rank(tensor)
    inner = making.range(2, rank)
    is_pad: Tensor = cond(
        comparison.greater(rank, 2), lambda: reduction.reduce_all(is_padding, axis=inner), lambda: is_padding
    )
    is_pad.set_shape(TensorShape([None, None]))
    is_pad.set_shape(tensor.shape[:2])
    is_kept = cast(elementwise.logical_not(is_pad), kind)
    places = is_kept * shaping.expand_dims(making.range(1, columns + 1), 0)
    return reduction.reduce_max(places, axis=1)


def _element_like(default: Tensor, values: Tensor) -> Tensor:
    """Returns a default value that has the shape of a slice of `values`."""
    rank, default_rank = values.shape.ndims, default.shape.ndims
    if rank is not None:
        default.shape.with_rank_at_most(rank - 1)
    if rank is None or default_rank is None or rank != default_rank + 1:
        default = shaping.broadcast_to(default, shaping.shape(values)[1:])
    default.shape.assert_is_compatible_with(values.shape[1:])
    return default


def _assert_no_gaps(indices: Tensor) -> Any:
    """Makes an operation that fails unless the columns of each row count up from 0."""
    rows, columns = indices[:, :-1], indices[:, -1]
    is_new_row = reduction.reduce_any(comparison.not_equal(rows[1:], rows[:-1]), axis=1)
    is_next = indexing.where(
        is_new_row, comparison.equal(columns[1:], 0), comparison.equal(columns[1:], columns[:-1] + 1)
    )
    starts_at_0 = reduction.reduce_all(comparison.equal(columns[:1], 0))
    holds = comparison.logical_and(starts_at_0, reduction.reduce_all(is_next))
    return Assert(holds, ["SparseTensor is not right-ragged", "SparseTensor.indices =", indices])


def _of_parts(_: Any, parts: list[Any]) -> RaggedTensor:
    made = parts[0]
    for splits in reversed(parts[1:]):
        made = RaggedTensor(made, splits, internal=True)
    return made  # type: ignore[no-any-return]


register_composite(
    RaggedTensor,
    lambda x: [x.flat_values, *x.nested_row_splits],
    _of_parts,
    lambda x: (x.ragged_rank, x.flat_values.dtype.base_dtype),
)
