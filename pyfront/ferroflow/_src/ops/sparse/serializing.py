"""Sparse tensors written to strings and read from them, and kept in a map between steps."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import DTypeLike, TensorLike
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.default_graph import colocate_with
from ferroflow._src.framework.operation import Operation
from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.ops.sparse.arguments import as_sparse


def _parts(sp_input: Any) -> list[Tensor]:
    sp_input = as_sparse(sp_input)
    return [sp_input.indices, sp_input.values, sp_input.dense_shape]


def serialize_sparse(sp_input: TensorLike, name: str | None = None, out_type: DTypeLike = dtypes.string) -> Tensor:
    """Writes a sparse tensor to three strings.

    Args:
        sp_input: SparseTensor of any dtype.
        name: str, name of the operation.
        out_type: DType of the result, string.

    Returns:
        Tensor of string, of shape [3]: indices, values and shape as TensorProtos.

    Raises:
        TypeError: if `sp_input` is not sparse.
    """
    return tensor_op("SerializeSparse", _parts(sp_input), {"out_type": dtypes.as_dtype(out_type)}, name=name)


def serialize_many_sparse(sp_input: TensorLike, name: str | None = None, out_type: DTypeLike = dtypes.string) -> Tensor:
    """Writes the rows of a sparse tensor to three strings each.

    Args:
        sp_input: SparseTensor of any dtype, of rank 2 or more, in row-major order.
        name: str, name of the operation.
        out_type: DType of the result, string.

    Returns:
        Tensor of string, of shape [n, 3]: for each row indices, values and shape as TensorProtos.

    Raises:
        TypeError: if `sp_input` is not sparse.
    """
    return tensor_op("SerializeManySparse", _parts(sp_input), {"out_type": dtypes.as_dtype(out_type)}, name=name)


def _with_rank(op: Operation, rank: int | None) -> SparseTensor:
    indices, values, shape = op.outputs
    indices.set_shape([None, rank])
    shape.set_shape([rank])
    return SparseTensor(indices, values, shape)


def deserialize_sparse(
    serialized_sparse: TensorLike, dtype: DTypeLike, rank: int | None = None, name: str | None = None
) -> Any:
    """Reads sparse tensors that `serialize_sparse` or `serialize_many_sparse` wrote.

    Args:
        serialized_sparse: Tensor of string, of shape [..., 3].
        dtype: DType of the elements.
        rank: int, the rank of the result; None if unknown.
        name: str, name of the operation.

    Returns:
        SparseTensor of `dtype`, with the leading dimensions of `serialized_sparse` before those of the tensors in it.
    """
    return _with_rank(
        apply_op("DeserializeSparse", [serialized_sparse], {"dtype": dtypes.as_dtype(dtype)}, name=name), rank
    )


def deserialize_many_sparse(
    serialized_sparse: TensorLike, dtype: DTypeLike, rank: int | None = None, name: str | None = None
) -> SparseTensor:
    """Reads sparse tensors that `serialize_sparse` or `serialize_many_sparse` wrote, as rows of one.

    Args:
        serialized_sparse: Tensor of string, of shape [n, 3].
        dtype: DType of the elements.
        rank: int, the rank of the result; None if unknown.
        name: str, name of the operation.

    Returns:
        SparseTensor of `dtype`, of shape [n, ...], as large as the largest in each dimension.
    """
    return _with_rank(
        apply_op("DeserializeManySparse", [serialized_sparse], {"dtype": dtypes.as_dtype(dtype)}, name=name), rank
    )


def add_sparse_to_tensors_map(
    sp_input: TensorLike, container: str | None = None, shared_name: str | None = None, name: str | None = None
) -> Tensor:
    """Stores a sparse tensor for a later step.

    Args:
        sp_input: SparseTensor of any dtype.
        container: str, the container of the map; None for the default one.
        shared_name: str, the name of the map; None for that of the operation.
        name: str, name of the operation.

    Returns:
        Tensor of int64, of shape []: its handle.
    """
    attrs = {"container": container or "", "shared_name": shared_name or ""}
    return tensor_op("AddSparseToTensorsMap", _parts(sp_input), attrs, name=name)


def add_many_sparse_to_tensors_map(
    sp_input: TensorLike, container: str | None = None, shared_name: str | None = None, name: str | None = None
) -> Tensor:
    """Stores the rows of a sparse tensor for a later step.

    Args:
        sp_input: SparseTensor of any dtype, of rank 2 or more, in row-major order.
        container: str, the container of the map; None for the default one.
        shared_name: str, the name of the map; None for that of the operation.
        name: str, name of the operation.

    Returns:
        Tensor of int64, of shape [n]: a handle for each row.
    """
    attrs = {"container": container or "", "shared_name": shared_name or ""}
    return tensor_op("AddManySparseToTensorsMap", _parts(sp_input), attrs, name=name)


def take_many_sparse_from_tensors_map(
    sparse_map_op: Operation, sparse_handles: TensorLike, rank: int | None = None, name: str | None = None
) -> SparseTensor:
    """Removes sparse tensors that an earlier operation stored, and returns them as rows of one.

    Args:
        sparse_map_op: the Operation that kept them.
        sparse_handles: Tensor of int64, of shape [n]: their handles.
        rank: int, the rank of the result; None if unknown.
        name: str, name of the operation.

    Returns:
        SparseTensor of shape [n, ...], as large as the largest in each dimension.

    Raises:
        TypeError: if `sparse_map_op` is not such an operation.
    """
    if not isinstance(sparse_map_op, Operation):
        raise TypeError("sparse_map_op be an Operation")
    if sparse_map_op.type not in ("AddSparseToTensorsMap", "AddManySparseToTensorsMap"):
        raise TypeError(
            "sparse_map_op must be one of AddSparseToTensorsMap or AddSparseToTensorsMap. Instead, found "
            f"`{sparse_map_op.type}`."
        )
    with colocate_with(sparse_map_op):
        shared_name = sparse_map_op.get_attr("shared_name")
        attrs = {
            "dtype": sparse_map_op.get_attr("T"),
            "container": sparse_map_op.get_attr("container"),
            "shared_name": shared_name or sparse_map_op.name,
        }
        return _with_rank(apply_op("TakeManySparseFromTensorsMap", [sparse_handles], attrs, name=name), rank)
