"""`Variable`: a tensor that a session keeps between steps, and the ops that read and change it."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NoReturn

from ferroflow._src.base import dtypes, proto, tf_logging
from ferroflow._src.base.dtypes import DType
from ferroflow._src.base.tensor_shape import TensorShape, unknown_shape
from ferroflow._src.base.typing import Device, DTypeLike, Initializer, SessionObject, ShapeLike, TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.conversion import convert_to_tensor, register_tensor_conversion_function
from ferroflow._src.framework.default_graph import (
    colocate_with,
    control_dependencies,
    device,
    get_default_graph,
    name_scope,
)
from ferroflow._src.framework.default_stacks import get_default_session
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Operation, Tensor, flow_context
from ferroflow._src.framework.proto_functions import register_proto_function
from ferroflow._src.framework.scope_names import prepend_name_scope, strip_name_scope
from ferroflow._src.framework.trackable import VARIABLE_VALUE_KEY, Trackable
from ferroflow._src.ops.array.slicing import slice_variable
from ferroflow._src.variables.creation import create_with, creator_stack, uses_resource
from ferroflow._src.variables.initial_value import guard_against_uninitialized_dependencies, value_or_initial_value
from ferroflow._src.variables.save_slice import SaveSliceInfo
from ferroflow._src.variables.synchronization import VariableAggregation, VariableSynchronization, resolve_modes
from ferroflow._src.variables.variable_updates import VariableUpdates


class _VariableMeta(type):
    """Metaclass that passes `Variable(...)`, but not its subclasses, through the active variable creators."""

    if not TYPE_CHECKING:  # checkers see the constructor's signature

        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            if cls is not Variable:
                return super().__call__(*args, **kwargs)
            return create_with(_make_variable, _named_arguments(args, kwargs))

    # `__call__` would hide the constructor's parameters from `help` and editors.
    @property
    def __signature__(cls) -> inspect.Signature:
        signature = inspect.signature(cls.__init__)  # type: ignore[misc]  # of the class itself
        return signature.replace(parameters=list(signature.parameters.values())[1:])


_kinds: list[type[Any]] = []


def register_variable_kind(kind: type[Any]) -> None:
    """Registers the class of variables behind handles; called once, by its module."""
    _kinds.append(kind)


def _make_variable(**arguments: Any) -> Any:
    """Makes a variable of the kind that the arguments, or the current defaults, select."""
    variable_def, wanted = arguments.get("variable_def"), arguments.get("use_resource")
    if isinstance(variable_def, proto.VariableDef):
        wanted = variable_def.is_resource
    elif wanted is None:
        wanted = uses_resource()
    return type.__call__(_kind(wanted), **arguments)


def default_variable_creator(next_creator: Any = None, **kwargs: Any) -> Any:
    """Makes a variable without the creators of `tf.variable_creator_scope`.

    Args:
        next_creator: must be None.
        kwargs: arguments of `tf.Variable`.

    Returns:
        Variable or ResourceVariable.

    Raises:
        ValueError: if another creator is given.
    """
    if next_creator is not None:
        raise ValueError(f"next_creator must be None: no creator follows; got {next_creator!r}")
    return _make_variable(**kwargs)


def _kind(use_resource: bool | None) -> type[Any]:
    return _kinds[0] if use_resource else Variable


def constructor(use_resource: bool | None) -> Callable[..., Any]:
    """Returns what makes a variable of `use_resource`: its class, or the current variable creators.

    Args:
        use_resource: bool; None for the current default.
    """
    if creator_stack():
        return Variable
    return functools.partial(type.__call__, _kind(uses_resource() if use_resource is None else use_resource))


class Variable(VariableUpdates, Trackable, metaclass=_VariableMeta):
    """Mutable tensor kept by a session: a `VariableV2`, the `Assign` that initializes it, and an `Identity` that reads
    it.

    Args:
        initial_value: anything that converts to a tensor, of any dtype and shape, or a callable without arguments that
            returns such a value. The callable's ops are made in the scope "Initializer" on the variable's device.
        trainable: bool. If True, the variable is also in `GraphKeys.TRAINABLE_VARIABLES`; None for True, except for a
            variable synchronized on reads.
        collections: list, tuple or set of collection keys; None for `[GraphKeys.GLOBAL_VARIABLES]`.
        validate_shape: bool. If True, `initial_value` must have a known shape, which every later value then has too.
        caching_device: device string or function; reads are cached there rather than on the variable's device.
        name: str, "Variable" by default; made unique.
        variable_def: a `VariableDef`; the variable is then found in the default graph, and nothing is made.
        dtype: the type to convert `initial_value` to; None for its own.
        expected_shape: ignored, as in TF 1.x.
        import_scope: str, a name scope to put before the names of `variable_def`.
        constraint: a function of the variable's value that optimizers apply after an update and that returns the new
            value.
        use_resource: bool. If True, the variable is behind a handle, as a `ResourceVariable`; None for the variable
            scope's default, or else that of `tf.enable_resource_variables`.
        synchronization: a `VariableSynchronization`, recorded.
        aggregation: a `VariableAggregation`, recorded.
        shape: the variable's shape, if it is less known than that of `initial_value`.

    Raises:
        ValueError: if there is no initial value, or both it and `variable_def` are given. Also if its shape is unknown
            and `validate_shape` is True, or `collections` or `constraint` has a wrong type.
        TypeError: if `variable_def` is not a `VariableDef`.

    Example:
        >>> counter = tf.Variable(0, name="counter", trainable=False)
        >>> increment = tf.assign_add(counter, 5)
        >>> sess.run(counter.initializer)
        >>> print(sess.run(increment), sess.run(increment))
        5 10
    """

    # NumPy leaves `array + variable` to the variable.
    __array_priority__ = 100

    def __init__(
        self,
        initial_value: Initializer | None = None,
        trainable: bool | None = None,
        collections: Iterable[str] | None = None,
        validate_shape: bool = True,
        caching_device: Device | None = None,
        name: str | None = None,
        variable_def: object = None,
        dtype: DTypeLike | None = None,
        expected_shape: object = None,
        import_scope: str | None = None,
        constraint: Callable[[Any], Any] | None = None,
        use_resource: bool | None = None,
        synchronization: object = VariableSynchronization.AUTO,
        aggregation: object = VariableAggregation.NONE,
        shape: ShapeLike | None = None,
    ) -> None:
        self._save_slice_info: SaveSliceInfo | None = None
        self._caching_device = caching_device
        self._constraint = constraint
        if variable_def is not None:
            if initial_value is not None:
                raise ValueError("variable_def and initial_value are mutually exclusive.")
            self._find(variable_def, import_scope)
            return
        if initial_value is None:
            raise ValueError("initial_value must be specified.")
        if collections is None:
            collections = [GraphKeys.GLOBAL_VARIABLES]
        if not isinstance(collections, (list, tuple, set)):
            raise ValueError(
                "collections argument to Variable constructor must be a list, tuple, or set. "
                f"Got {collections} of type {type(collections)}"
            )
        if constraint is not None and not callable(constraint):
            raise ValueError("The `constraint` argument must be a callable.")
        modes = resolve_modes(synchronization, aggregation, trainable, name)
        self._synchronization, self._aggregation, self._trainable = modes
        if self._trainable:
            collections = [*collections, GraphKeys.TRAINABLE_VARIABLES]
        self._make(initial_value, validate_shape, caching_device, name, dtype, shape)
        self.graph.add_to_collections(collections, self)

    def _make(
        self, initial_value: Any, validate_shape: bool, caching_device: Any, name: str | None, dtype: Any, shape: Any
    ) -> None:
        from_callable = callable(initial_value)
        with (
            control_dependencies(None),
            name_scope(name, "Variable", [] if from_callable else [initial_value]) as scope,
        ):
            if from_callable:
                true_name = scope.rstrip("/")
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
            initial_shape = initial_value.shape
            if shape is None:
                shape = initial_shape if validate_shape else unknown_shape()
            attrs = {"shape": shape, "dtype": initial_value.dtype.base_dtype, "container": "", "shared_name": ""}
            with placement:
                self._variable: Tensor = tensor_op("VariableV2", [], attrs=attrs, name=scope)
            if validate_shape and not initial_shape.is_fully_defined():
                raise ValueError(f"initial_value must have a shape specified: {initial_value}")
            self._initial_value: Tensor | None = initial_value
            self._assigned_value: Tensor | None = guard_against_uninitialized_dependencies(scope, initial_value)
            assigned = tensor_op(
                "Assign", [self._variable, self._assigned_value], attrs={"validate_shape": validate_shape}
            )
            self._initializer_op: Operation = assigned.op
            with device(caching_device) if caching_device is not None else colocate_with(self._variable.op):
                self._snapshot: Tensor = tensor_op("Identity", [self._variable], name="read")

    def _find(self, variable_def: Any, import_scope: str | None) -> None:
        if not isinstance(variable_def, proto.VariableDef):
            raise TypeError(f"variable_def must be a VariableDef, got {type(variable_def)}")
        graph = get_default_graph()

        def element(name: str) -> Any:
            return graph.as_graph_element(prepend_name_scope(name, import_scope))

        self._variable = element(variable_def.variable_name)
        self._initializer_op = element(variable_def.initializer_name)
        initial_value_name = variable_def.initial_value_name
        self._initial_value = element(initial_value_name) if initial_value_name else None
        self._assigned_value = self._initial_value
        self._snapshot = element(variable_def.snapshot_name)
        # TF 1.x: files of versions without this field hold False, whatever the variable was.
        self._trainable = variable_def.trainable
        self._synchronization = VariableSynchronization(variable_def.synchronization)
        self._aggregation = VariableAggregation(variable_def.aggregation)
        if variable_def.HasField("save_slice_info_def"):
            self._save_slice_info = SaveSliceInfo(
                save_slice_info_def=variable_def.save_slice_info_def, import_scope=import_scope
            )

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        return {VARIABLE_VALUE_KEY: self}

    def __repr__(self) -> str:
        return f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype.name}>"

    if TYPE_CHECKING:
        # The operators as they are installed below.
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

    def __getitem__(self, slice_spec: Any) -> Tensor:
        """Returns a part of the value, which has a method `assign(value)`.

        Args:
            slice_spec: a slice specification, as for a tensor.
        """
        return slice_variable(self, slice_spec)

    def __iter__(self) -> NoReturn:
        # Without this Python would iterate by `__getitem__`, adding a slice op for every index.
        raise TypeError("'Variable' object is not iterable.")

    @property
    def name(self) -> str:
        """The name of the reference tensor, such as "w:0"."""
        return self._variable.name

    @property
    def _shared_name(self) -> str:
        return self._variable.op.name

    @property
    def op(self) -> Operation:
        """The `VariableV2` operation."""
        return self._variable.op

    @property
    def handle(self) -> Tensor:
        """The input of operations that change the variable: a reference to it, a Tensor of its dtype and shape."""
        return self._variable

    @property
    def graph(self) -> Graph:
        """The graph of the variable."""
        return self._variable.graph

    @property
    def device(self) -> str:
        """The device of the variable."""
        return self._variable.device

    @property
    def dtype(self) -> DType:
        """The dtype of the reference tensor, such as `float32_ref`."""
        return self._variable.dtype

    @property
    def shape(self) -> TensorShape:
        """Returns the shape of the variable."""
        return self._variable.shape

    def get_shape(self) -> TensorShape:
        """Returns the shape of the variable."""
        return self._variable.shape

    def set_shape(self, shape: ShapeLike) -> None:
        """Makes the known shape of the variable, and of its read, more specific.

        Args:
            shape: anything that converts to a `TensorShape`.

        Raises:
            ValueError: if the shape contradicts the known shape.
        """
        self._variable.set_shape(shape)
        self._snapshot.set_shape(shape)

    @property
    def trainable(self) -> bool:
        """True if optimizers train the variable by default."""
        return self._trainable

    @property
    def synchronization(self) -> VariableSynchronization:
        """The mode in which copies in several replicas are made equal."""
        return self._synchronization

    @property
    def aggregation(self) -> VariableAggregation:
        """The way in which several replicas' updates are combined."""
        return self._aggregation

    @property
    def constraint(self) -> Callable[[Any], Any] | None:
        """The function that optimizers apply to the value after an update; None without one."""
        return self._constraint

    @property
    def initializer(self) -> Operation:
        """The operation that gives the variable its initial value."""
        return self._initializer_op

    @property
    def initial_value(self) -> Tensor | None:
        """The initial value, a Tensor of the variable's dtype and shape; None if a `VariableDef` did not name it."""
        return self._initial_value

    def value(self) -> Tensor:
        """Returns the variable as a tensor: the one read that all uses of the variable share.

        Returns:
            Tensor of the variable's dtype and shape.
        """
        return self._snapshot

    def read_value(self) -> Tensor:
        """Returns the variable as a tensor, by a new read, which the current control dependencies apply to.

        Returns:
            Tensor of the variable's dtype and shape.
        """
        return tensor_op("Identity", [self._variable], name="read")

    def initialized_value(self) -> Tensor:
        """Returns the value, or the initial value while there is none: for initial values that depend on other
        variables.

        Returns:
            Tensor of the variable's dtype and shape.

        Raises:
            ValueError: if the variable came from a `VariableDef` that did not name its initial value.
        """
        if self._assigned_value is None:
            raise ValueError(f"The initial value of variable {self.name} is not known.")
        return value_or_initial_value(self._variable, self._assigned_value)

    def eval(self, session: SessionObject | None = None) -> Any:
        """Returns the value in a session.

        Args:
            session: a `Session`; None for the default one.

        Returns:
            A NumPy array.

        Raises:
            ValueError: if there is no session.
            FailedPreconditionError: if the variable has no value.
        """
        return self._variable.eval(session=session)

    def _ref(self) -> Tensor:
        return self._variable

    def _AsTensor(self) -> Tensor:  # noqa: N802 (TF 1.x: the name that programs call)
        return self._snapshot

    def _as_graph_element(self) -> Tensor:
        return self._variable

    def _update(self, op_type: str, arguments: list[Any], attrs: dict[str, Any], name: str | None) -> Any:
        return tensor_op(op_type, [self._variable, *arguments], attrs=attrs, name=name)

    def sparse_read(self, indices: Any, name: str | None = None) -> Tensor:
        """Reads rows.

        Args:
            indices: int32 or int64 tensor, of any shape, in [0, rows).
            name: str, for the operation.

        Returns:
            A tensor of the variable's dtype, of the shape of `indices` + the shape of a row.
        """
        return tensor_op("Gather", [self.value(), indices], name=name or "Gather")

    def gather_nd(self, indices: Any, name: str | None = None) -> Tensor:
        """Reads slices.

        Args:
            indices: int32 or int64 [..., depth], the places of the slices by their first `depth` dimensions.
            name: str, for the operation.

        Returns:
            A tensor of the variable's dtype, [..., the rest of the variable's shape].
        """
        return tensor_op("GatherNd", [self.value(), indices], name=name)

    def count_up_to(self, limit: int) -> Any:
        """Adds one to a scalar variable until it reaches a limit.

        Args:
            limit: int, the value at which counting ends.

        Returns:
            A tensor of the variable's dtype, of shape [], with the value before. Running it at the limit raises
            `OutOfRangeError`.
        """
        return self._update("CountUpTo", [], {"limit": limit}, None)

    def load(self, value: Any, session: SessionObject | None = None) -> None:
        """Assigns a value immediately, without adding operations to the graph.

        Args:
            value: a value that converts to an array of the variable's dtype and shape.
            session: a `Session`; None for the default one.

        Raises:
            ValueError: if there is no session.
        """
        session = session or get_default_session()
        if session is None:
            raise ValueError("Either session argument should be provided or default session should be established")
        session.run(self._initializer_op, {self._initializer_op.inputs[1]: value})

    def _strided_slice_assign(
        self,
        begin: Any,
        end: Any,
        strides: Any,
        value: Any,
        name: str | None,
        begin_mask: int,
        end_mask: int,
        ellipsis_mask: int,
        new_axis_mask: int,
        shrink_axis_mask: int,
    ) -> Any:
        masks = {
            "begin_mask": begin_mask,
            "end_mask": end_mask,
            "ellipsis_mask": ellipsis_mask,
            "new_axis_mask": new_axis_mask,
            "shrink_axis_mask": shrink_axis_mask,
        }
        return self._update("StridedSliceAssign", [begin, end, strides, value], masks, name)

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Returns the `VariableDef` of the variable.

        Args:
            export_scope: str, a name scope to remove from the names.

        Returns:
            The message; None if the variable is outside `export_scope`.
        """
        if export_scope is not None and not self._variable.name.startswith(export_scope):
            return None
        variable_def = proto.VariableDef(
            variable_name=strip_name_scope(self._variable.name, export_scope),
            initializer_name=strip_name_scope(self._initializer_op.name, export_scope),
            snapshot_name=strip_name_scope(self._snapshot.name, export_scope),
            trainable=self._trainable,
            synchronization=self._synchronization.value,
            aggregation=self._aggregation.value,
        )
        if self._initial_value is not None:
            variable_def.initial_value_name = strip_name_scope(self._initial_value.name, export_scope)
        if self._save_slice_info is not None:
            variable_def.save_slice_info_def.MergeFrom(self._save_slice_info.to_proto(export_scope=export_scope))
        return variable_def

    @staticmethod
    def from_proto(variable_def: Any, import_scope: str | None = None) -> Variable:
        """Returns the variable that a `VariableDef` describes, found in the default graph.

        Args:
            variable_def: `VariableDef` message.
            import_scope: str, a name scope to put before its names.

        Returns:
            Variable.

        Raises:
            KeyError: if an operation of that name is not in the graph.
        """
        variable: Variable = Variable(variable_def=variable_def, import_scope=import_scope)
        return variable

    def _set_initializer(self, initial_value: Tensor, initializer: Any) -> None:
        """Replaces the variable's initial value and its initializer."""
        self._initial_value = self._assigned_value = initial_value
        self._initializer_op = initializer.op if isinstance(initializer, Tensor) else initializer

    def _set_save_slice_info(self, save_slice_info: SaveSliceInfo | None) -> None:
        self._save_slice_info = save_slice_info

    def _get_save_slice_info(self) -> SaveSliceInfo | None:
        return self._save_slice_info


def reference_of(variable: Variable) -> Tensor:
    """Returns the tensor that ops which change a variable take: its reference, or its handle."""
    return variable._ref()


def save_slice_of(variable: Variable) -> SaveSliceInfo | None:
    """Returns which part of a whole tensor a variable holds; None for a variable on its own."""
    return variable._get_save_slice_info()


def set_save_slice(variable: Variable, info: SaveSliceInfo) -> None:
    """Sets which part of a whole tensor a variable holds."""
    variable._set_save_slice_info(info)


# TF 1.x: programs find the class here.
Variable.SaveSliceInfo = SaveSliceInfo  # type: ignore[attr-defined]

# In the order of the constructor, so that positional arguments reach creators by name.
_ARGUMENTS = (
    "initial_value",
    "trainable",
    "collections",
    "validate_shape",
    "caching_device",
    "name",
    "variable_def",
    "dtype",
    "expected_shape",
    "import_scope",
    "constraint",
    "use_resource",
    "synchronization",
    "aggregation",
    "shape",
)


def _named_arguments(args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    if len(args) > len(_ARGUMENTS):
        raise TypeError(f"Variable takes at most {len(_ARGUMENTS)} arguments ({len(args)} given)")
    named = dict(zip(_ARGUMENTS, args, strict=False))
    for key in kwargs:
        if key in named:
            raise TypeError(f"Variable got multiple values for argument '{key}'")
    named.update(kwargs)
    return named


def _overload(operator: str) -> None:
    # Looked up when it is used: the ops layer installs a Tensor's operators when it is imported.
    def run(self: Variable, *args: Any) -> Any:
        return getattr(Tensor, operator)(self._AsTensor(), *args)

    run.__name__ = operator
    setattr(Variable, operator, run)


def _overload_in_place(operator: str, symbol: str, method: str) -> None:
    # TF 1.x: `v += x` makes a tensor, and says so once; it does not assign.
    def run(self: Variable, other: Any) -> Any:
        tf_logging.log_first_n(
            tf_logging.WARN,
            f"Variable {symbol}= will be deprecated. Use {method} if you want assignment to the variable value or "
            f"'x = x {symbol} y' if you want a new python Tensor object.",
            1,
        )
        return getattr(self, operator.replace("__i", "__"))(other)

    run.__name__ = operator
    setattr(Variable, operator, run)


for _operator in Tensor.OVERLOADABLE_OPERATORS - {"__getitem__"}:
    _overload(_operator)
for _operator, _symbol, _method in (
    ("__iadd__", "+", "variable.assign_add"),
    ("__isub__", "-", "variable.assign_sub"),
    ("__imul__", "*", "variable.assign"),
    ("__itruediv__", "/", "variable.assign"),
    ("__ipow__", "**", "variable.assign"),
):
    _overload_in_place(_operator, _symbol, _method)


def _convert(v: Variable, dtype: Any = None, name: str | None = None, as_ref: bool = False) -> Tensor:
    if dtype == dtypes.resource:
        return v._ref()
    if dtype is not None and not dtype.is_compatible_with(v.dtype):
        raise ValueError(
            f"Incompatible type conversion requested to type '{dtype.name}' for variable of type '{v.dtype.name}'"
        )
    return v._ref() if as_ref else v.value()


def _to_proto(v: Variable, export_scope: str | None = None) -> Any:
    """Returns the message of a variable of any kind."""
    return v.to_proto(export_scope)


def _from_proto(v: Any, import_scope: str | None = None) -> Variable:
    """Returns the variable of a message, of any kind."""
    return Variable.from_proto(v, import_scope=import_scope)


register_tensor_conversion_function(Variable, _convert)

for _collection in (
    GraphKeys.GLOBAL_VARIABLES,
    GraphKeys.TRAINABLE_VARIABLES,
    GraphKeys.MOVING_AVERAGE_VARIABLES,
    GraphKeys.LOCAL_VARIABLES,
    GraphKeys.MODEL_VARIABLES,
    GraphKeys.METRIC_VARIABLES,
    GraphKeys.GLOBAL_STEP,
):
    register_proto_function(_collection, "VariableDef", to_proto=_to_proto, from_proto=_from_proto)
