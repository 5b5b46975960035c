"""`ResourceVariable`: a variable behind a handle; each read returns the value at its place in the step."""

from __future__ import annotations

import contextlib
from contextlib import AbstractContextManager
from typing import Any

from ferroflow._src.base import dtypes, proto
from ferroflow._src.base.tensor_shape import TensorShape, unknown_shape
from ferroflow._src.base.typing import SessionObject, ShapeLike, TensorLike
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import (
    colocate_with,
    control_dependencies,
    device,
    get_default_graph,
    init_scope,
    name_scope,
)
from ferroflow._src.framework.handles import Operation, Tensor, flow_context
from ferroflow._src.framework.scope_names import prepend_name_scope
from ferroflow._src.variables.initial_value import guard_against_uninitialized_dependencies
from ferroflow._src.variables.save_slice import SaveSliceInfo
from ferroflow._src.variables.synchronization import VariableAggregation, VariableSynchronization
from ferroflow._src.variables.variable import Variable, register_variable_kind

# The ops over handles of those over references whose names are not these with "Resource" before.
_OVER_HANDLES = {
    "Assign": "AssignVariableOp",
    "AssignAdd": "AssignAddVariableOp",
    "AssignSub": "AssignSubVariableOp",
}
_KEEP_LOCKING = ("ResourceScatterNd",)


class ResourceVariable(Variable):
    """A variable that operations access through a handle (`VarHandleOp`).

    A read (`ReadVariableOp`) is an operation with a place in the step: it gives what the writes ordered before it have
    made, whatever is written between it and its users. Every use of the variable as a tensor adds a read.

    Args and Raises: as for `tf.Variable`.
    """

    def _make(
        self, initial_value: Any, validate_shape: bool, caching_device: Any, name: str | None, dtype: Any, shape: Any
    ) -> None:
        from_callable = callable(initial_value)
        with (
            control_dependencies(None),
            name_scope(name, "Variable", [] if from_callable else [initial_value]) as scope,
        ):
            true_name = scope.rstrip("/")
            if from_callable:
                placement: Any = get_default_graph()._attr_scope({"_class": [f"loc:@{true_name}".encode()]})
                with placement, name_scope("Initializer"), device(None):
                    initial_value = convert_to_tensor(initial_value(), name="initial_value", dtype=dtype)
            else:
                placement = contextlib.nullcontext()
                initial_value = convert_to_tensor(initial_value, name="initial_value", dtype=dtype)
                if flow_context(initial_value.op) is not None:
                    raise ValueError(
                        f"Initializer for variable {scope} is from inside a control-flow construct, such as a loop or "
                        "conditional. When creating a variable inside a loop or conditional, use a lambda as the "
                        "initializer."
                    )
            if shape is None:
                shape = initial_value.shape if validate_shape else unknown_shape()
            self._dtype: dtypes.DType = initial_value.dtype.base_dtype
            self._shape = TensorShape(shape)
            attrs = {"shape": shape, "dtype": self._dtype, "container": "", "shared_name": true_name}
            with placement:
                self._variable = tensor_op("VarHandleOp", [], attrs=attrs, name=scope)
            self._initial_value = initial_value
            self._assigned_value = guard_against_uninitialized_dependencies(scope, initial_value)
            with name_scope("IsInitialized"):
                self._is_initialized_op: Tensor = tensor_op("VarIsInitializedOp", [self._variable])
            with name_scope("Assign") as assign_name, colocate_with(self._variable.op):
                write = {"dtype": self._dtype}
                inputs = [self._variable, self._assigned_value]
                self._initializer_op = apply_op("AssignVariableOp", inputs, write, name=assign_name)
            with name_scope("Read"), colocate_with(self._variable.op), device(self._variable.device):
                self._graph_element: Tensor = self._read()
            self._cached_value: Tensor | None = None
            if caching_device is not None:
                with colocate_with(None, ignore_existing=True), device(caching_device):
                    self._cached_value = tensor_op("Identity", [self._graph_element])

    def _find(self, variable_def: Any, import_scope: str | None) -> None:
        if not isinstance(variable_def, proto.VariableDef):
            raise TypeError(f"variable_def must be a VariableDef, got {type(variable_def)}")
        if not variable_def.is_resource:
            raise ValueError("Trying to restore Variable as ResourceVariable.")
        graph = get_default_graph()

        def element(name: str) -> Any:
            return graph.as_graph_element(prepend_name_scope(name, import_scope))

        self._variable = element(variable_def.variable_name)
        handle_op = self._variable.op
        self._dtype = dtypes.as_dtype(handle_op.get_attr("dtype"))
        self._shape = TensorShape(handle_op.get_attr("shape"))
        self._initializer_op = element(variable_def.initializer_name)
        initial_value_name = variable_def.initial_value_name
        self._initial_value = element(initial_value_name) if initial_value_name else None
        self._assigned_value = self._initial_value
        self._cached_value = None
        # TF 1.x: a snapshot was named only where it is a cached one; later versions name the read.
        snapshot = element(variable_def.snapshot_name) if variable_def.snapshot_name else None
        if snapshot is not None and snapshot.op.type == "ReadVariableOp":
            self._graph_element = snapshot
        else:
            self._cached_value = snapshot
            self._graph_element = graph.as_graph_element(f"{handle_op.name}/Read/ReadVariableOp:0")
        self._trainable = variable_def.trainable
        self._synchronization = VariableSynchronization(variable_def.synchronization)
        self._aggregation = VariableAggregation(variable_def.aggregation)
        if variable_def.HasField("save_slice_info_def"):
            self._save_slice_info = SaveSliceInfo(
                save_slice_info_def=variable_def.save_slice_info_def, import_scope=import_scope
            )

    @property
    def handle(self) -> Tensor:
        """The handle, a scalar tensor of type resource."""
        return self._variable

    @property
    def _handle(self) -> Tensor:
        return self._variable

    @property
    def create(self) -> Operation:
        """The operation that gives the variable its initial value."""
        return self._initializer_op

    @property
    def dtype(self) -> dtypes.DType:
        """The type of the elements, no reference type."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """Returns the static shape of the variable."""
        return self._shape

    def get_shape(self) -> TensorShape:
        """Returns the static shape of the variable."""
        return self._shape

    def set_shape(self, shape: ShapeLike) -> None:
        """Makes the known shape of the variable, and of its reads, more specific.

        Args:
            shape: anything that converts to a `TensorShape`.

        Raises:
            ValueError: if the shape contradicts the known shape.
        """
        self._shape = self._shape.merge_with(shape)
        self._graph_element.set_shape(self._shape)

    def _read(self) -> Tensor:
        value = tensor_op("ReadVariableOp", [self._variable], {"dtype": self._dtype})
        if not value.shape.is_fully_defined():
            value.set_shape(self._shape)
        return value

    @property
    def _snapshot(self) -> Tensor:  # type: ignore[override]  # derived here, kept by reference variables
        return self._graph_element if self._cached_value is None else self._cached_value

    def value(self) -> Tensor:
        """Returns the variable as a tensor: a new read, or the cached one."""
        if self._cached_value is not None:
            return self._cached_value
        with colocate_with(None, ignore_existing=True), device(self._variable.device):
            return self._read()

    def read_value(self) -> Tensor:
        """Returns the variable as a tensor, by a new read, which the current control dependencies apply to."""
        with name_scope("Read"), device(self._variable.device):
            value = self._read()
        return tensor_op("Identity", [value])

    def is_initialized(self, name: str | None = None) -> Tensor:
        """Computes whether the variable is initialized."""
        return tensor_op("VarIsInitializedOp", [self._variable], name=name)

    def initialized_value(self) -> Tensor:
        """Returns the value, or the initial value while there is none: for initial values that depend on other
        variables.
        """
        first = self._assigned_value
        if first is None:
            raise ValueError(f"The initial value of variable {self.name} is not known.")
        with init_scope():
            result: Tensor = cond(self.is_initialized(), self.read_value, lambda: first)
        result.op._is_initialized_value = True  # type: ignore[attr-defined]
        return result

    def eval(self, session: SessionObject | None = None) -> Any:
        """Returns the value in a session; arguments, result and errors as those of `tf.Variable.eval`."""
        return self._graph_element.eval(session=session)

    def sparse_read(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """Reads rows; arguments and result as those of `tf.Variable.sparse_read`."""
        with name_scope(name or "Gather") as scope:
            attrs = {"dtype": self._dtype}
            rows = tensor_op("ResourceGather", [self._variable, indices], attrs, name=scope)
        # The shape of a handle that a function takes as an argument is not known.
        rows.set_shape(rows.op.inputs[1].shape.concatenate(self.shape[1:]))
        return tensor_op("Identity", [rows])

    def _read_rows(self, indices: Any, name: str | None) -> Tensor:
        """Returns the result of `tf.gather`."""
        return self.sparse_read(indices, name)

    def gather_nd(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """Reads slices; arguments and result as those of `tf.Variable.gather_nd`."""
        with name_scope(name or "GatherNd") as scope:
            attrs = {"dtype": self._dtype}
            slices = tensor_op("ResourceGatherNd", [self._variable, indices], attrs, name=scope)
        return tensor_op("Identity", [slices])

    def _AsTensor(self) -> Tensor:  # noqa: N802 (TF 1.x: the name that programs call)
        return self.value()

    def _as_graph_element(self) -> Tensor:
        return self._graph_element

    def _update(self, op_type: str, arguments: list[Any], attrs: dict[str, Any], name: str | None) -> Any:
        changed = self._change(op_type, arguments, attrs, name)
        return self._after(changed) if isinstance(changed, Operation) else changed

    def _write(self, op_type: str, value: Any, use_locking: bool, name: str | None, read_value: bool) -> Any:
        write = self._change(op_type, [value], {}, name)
        return self._after(write) if read_value else write

    def _change(self, op_type: str, arguments: list[Any], attrs: dict[str, Any], name: str | None) -> Any:
        """Adds an operation that changes the variable; `CountUpTo` alone has an output."""
        over_handles = _OVER_HANDLES.get(op_type, f"Resource{op_type}")
        attrs = dict(attrs)
        if not over_handles.startswith(_KEEP_LOCKING):
            attrs.pop("use_locking", None)
        attrs.pop("validate_shape", None)
        if op_type == "CountUpTo":
            return tensor_op(over_handles, [self._variable], {**attrs, "T": self._dtype}, name=name)
        # The new elements come last among the arguments.
        value = convert_to_tensor(arguments[-1], dtype=self._dtype)
        return apply_op(over_handles, [self._variable, *arguments[:-1], value], attrs, name=name)

    def _after(self, write: Operation) -> ResourceVariable:
        return _UnreadVariable(self, write)

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Returns the `VariableDef` of the variable; arguments and result as those of `tf.Variable.to_proto`."""
        variable_def = super().to_proto(export_scope)
        if variable_def is not None:
            variable_def.is_resource = True
        return variable_def

    @staticmethod
    def from_proto(variable_def: Any, import_scope: str | None = None) -> ResourceVariable:
        """Returns the variable that a `VariableDef` describes, found in the default graph.

        Args:
            variable_def: the message.
            import_scope: str, a name scope to put before its names.

        Raises:
            KeyError: if an operation of that name is not in the graph.
            ValueError: if the message describes a reference variable.
        """
        return ResourceVariable(variable_def=variable_def, import_scope=import_scope)


class _UnreadVariable(ResourceVariable):
    """Result of a write: the variable, whose reads all come after the write."""

    def __init__(self, variable: ResourceVariable, write: Operation) -> None:
        # All other attributes are the variable's own.
        self.__dict__.update(variable.__dict__)
        self._write_op = write
        self._graph_element = self.value()

    def _behind(self) -> AbstractContextManager[Any]:
        behind: AbstractContextManager[Any] = control_dependencies([self._write_op])
        return behind

    @property
    def op(self) -> Operation:
        """The write."""
        return self._write_op

    @property
    def name(self) -> str:
        """The name of the write."""
        return self._write_op.name

    def value(self) -> Tensor:
        """Returns the variable as a tensor, after the write."""
        with self._behind():
            return self._read()

    def read_value(self) -> Tensor:
        """Returns the variable as a tensor, after the write."""
        return self.value()

    def sparse_read(self, indices: Any, name: str | None = None) -> Tensor:
        """Reads rows after the write."""
        with self._behind():
            return super().sparse_read(indices, name)

    def gather_nd(self, indices: Any, name: str | None = None) -> Tensor:
        """Reads slices after the write."""
        with self._behind():
            return super().gather_nd(indices, name)

    def _change(self, op_type: str, arguments: list[Any], attrs: dict[str, Any], name: str | None) -> Any:
        with self._behind():
            return super()._change(op_type, arguments, attrs, name)


def is_resource_variable(var: TensorLike) -> bool:
    """Returns True if `var` is a variable behind a handle."""
    return isinstance(var, ResourceVariable)


register_variable_kind(ResourceVariable)
