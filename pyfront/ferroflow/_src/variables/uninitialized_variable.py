"""`UninitializedVariable`: a variable behind a handle without an initial value, as a loaded SavedModel has them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import DTypeLike, ShapeLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.default_graph import colocate_with, control_dependencies, device, name_scope
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.variables.resource_variable import ResourceVariable
from ferroflow._src.variables.synchronization import VariableAggregation, VariableSynchronization, resolve_modes


class UninitializedVariable(ResourceVariable):
    """A variable behind a handle whose initializer its maker sets.

    Args:
        shape: TensorShape, or a value that one is made of.
        dtype: DType of the elements.
        name: str, its name, made unique.
        trainable: bool; the variable is in no collection of trainable ones in either case.
        synchronization: VariableSynchronization, recorded.
        aggregation: VariableAggregation, recorded.
        shared_name: str, the name of the resource; None for the name that was made unique.
        collections: keys of collections; None for `[GraphKeys.GLOBAL_VARIABLES]`.
    """

    def __init__(
        self,
        shape: ShapeLike,
        dtype: DTypeLike,
        name: str | None = None,
        trainable: bool = True,
        synchronization: object = VariableSynchronization.AUTO,
        aggregation: object = VariableAggregation.NONE,
        shared_name: str | None = None,
        collections: Iterable[str] | None = None,
    ) -> None:
        self._save_slice_info = None
        self._caching_device = None
        self._constraint = None
        modes = resolve_modes(synchronization, aggregation, trainable, name)
        self._synchronization, self._aggregation, self._trainable = modes
        self._dtype = dtypes.as_dtype(dtype).base_dtype
        self._shape = TensorShape(shape)
        self._initial_value = None
        self._assigned_value: Tensor | None = None
        self._cached_value = None
        self._initializer_op: Any = None
        with control_dependencies(None), name_scope(name, "Variable") as scope:
            shared = scope.rstrip("/") if shared_name is None else shared_name
            attrs = {"shape": self._shape, "dtype": self._dtype, "container": "", "shared_name": shared}
            self._variable = tensor_op("VarHandleOp", [], attrs=attrs, name=scope)
            with name_scope("Read"), colocate_with(self._variable.op), device(self._variable.device):
                self._graph_element = self._read()
        keys = [GraphKeys.GLOBAL_VARIABLES] if collections is None else collections
        self.graph.add_to_collections(keys, self)

    def set_initializer(self, initializer: Any) -> None:
        """Sets the operation that gives the variable its first value.

        Args:
            initializer: Operation.
        """
        self._initializer_op = initializer
