"""Resources that are not variables, such as a tree ensemble: their creation and the test whether they exist."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import OperationObject, TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.default_graph import add_to_collection, device, get_collection, name_scope
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array.indexing import boolean_mask
from ferroflow._src.ops.array.joining import stack
from ferroflow._src.ops.flow.grouping import group, no_op


class _Resource(NamedTuple):
    """A handle, the operation that creates its resource, and the bool tensor that is True once it exists."""

    handle: Any
    create: Any
    is_initialized: Any


def register_resource(
    handle: TensorLike, create_op: OperationObject, is_initialized_op: TensorLike, is_shared: bool = True
) -> None:
    """Adds a resource to those that training programs make at their start.

    Args:
        handle: Tensor, handle of the resource.
        create_op: Operation that makes it.
        is_initialized_op: bool scalar Tensor; True if the resource is initialized.
        is_shared: bool; True if all tasks of a cluster share it.
    """
    key = GraphKeys.RESOURCES if is_shared else GraphKeys.LOCAL_RESOURCES
    add_to_collection(key, _Resource(handle, create_op, is_initialized_op))


def shared_resources() -> list[Any]:
    """Returns the resources that all tasks of a cluster share."""
    return get_collection(GraphKeys.RESOURCES)


def local_resources() -> list[Any]:
    """Returns the resources that each session has for itself."""
    return get_collection(GraphKeys.LOCAL_RESOURCES)


def report_uninitialized_resources(
    resource_list: Iterable[Any] | None = None, name: str = "report_uninitialized_resources"
) -> Tensor:
    """Returns the names of the resources that are not made.

    Args:
        resource_list: the resources; None for all.
        name: str, for the scope of the operations.

    Returns:
        A string vector, of the names of their handles.
    """
    resources = [*shared_resources(), *local_resources()] if resource_list is None else list(resource_list)
    with name_scope(name), device("/cpu:0"):
        if not resources:
            return constant([], dtype=dtypes.string)
        missing = tensor_op("LogicalNot", [stack([r.is_initialized for r in resources])])
        return boolean_mask(constant([r.handle.name for r in resources]), missing)


def initialize_resources(resource_list: Iterable[Any], name: str = "init") -> Operation:
    """Returns an operation that makes resources.

    Args:
        resource_list: the resources.
        name: str, its name.
    """
    creators = [r.create for r in resource_list]
    return group(*creators, name=name) if creators else no_op(name=name)
