"""`TensorInfo` messages, which name tensors of a graph with their types and shapes."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import proto
from ferroflow._src.base.dtypes import as_dtype
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.default_graph import get_default_graph
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.scope_names import prepend_name_scope


def build_tensor_info(tensor: Any) -> Any:
    """Returns the name, type and shape of a tensor as a message.

    Args:
        tensor: a Tensor or SparseTensor of any dtype and shape; of the latter, the names of its three tensors are
            taken.

    Returns:
        A TensorInfo message.
    """
    info = proto.TensorInfo(dtype=as_dtype(tensor.dtype).as_datatype_enum, tensor_shape=tensor.get_shape().as_proto())
    if isinstance(tensor, SparseTensor):
        info.coo_sparse.values_tensor_name = tensor.values.name
        info.coo_sparse.indices_tensor_name = tensor.indices.name
        info.coo_sparse.dense_shape_tensor_name = tensor.dense_shape.name
    else:
        info.name = tensor.name
    return info


def get_tensor_from_tensor_info(tensor_info: Any, graph: Graph | None = None, import_scope: str | None = None) -> Any:
    """Returns the tensor that a TensorInfo message names.

    Args:
        tensor_info: `TensorInfo` message.
        graph: the `Graph` to search; None for the default graph.
        import_scope: str, a name scope to put before the names.

    Returns:
        Tensor or SparseTensor, of whatever dtype and shape it has.

    Raises:
        KeyError: if a tensor of that name is not in the graph.
        ValueError: if the message names none.
    """
    among = get_default_graph() if graph is None else graph

    def named(name: str) -> Any:
        return among.get_tensor_by_name(prepend_name_scope(name, import_scope))

    encoding = tensor_info.WhichOneof("encoding")
    if encoding == "name":
        return named(tensor_info.name)
    if encoding == "coo_sparse":
        parts = tensor_info.coo_sparse
        return SparseTensor(
            named(parts.indices_tensor_name), named(parts.values_tensor_name), named(parts.dense_shape_tensor_name)
        )
    raise ValueError(f"Invalid TensorInfo.encoding: {encoding}")
