"""`VariableStore`: the variables of a graph that `get_variable` made, by name."""

from __future__ import annotations

import functools
import inspect
import traceback
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

from ferroflow._src.base import dtypes, tf_logging
from ferroflow._src.base.package_files import is_package_file
from ferroflow._src.base.tensor_shape import TensorShape, as_shape
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import (
    add_to_collection,
    colocate_with,
    control_dependencies,
    get_default_graph,
    init_scope,
    name_scope,
)
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.variables import initializers
from ferroflow._src.variables.partition_info import PartitionInfo, call_partitioner, slice_dimension, slices
from ferroflow._src.variables.partitioned_variable import PartitionedVariable
from ferroflow._src.variables.save_slice import SaveSliceInfo
from ferroflow._src.variables.synchronization import resolve_modes
from ferroflow._src.variables.variable import constructor, set_save_slice
from ferroflow._src.variables.variable_options import VariableOptions

# A collection that is not named by a string is left out of `get_all_collection_keys` and of meta graphs.
_STORE_KEY = ("__variable_store",)

_SHOWN_FRAMES = 3
# The arguments that TF 1.x gives to those custom getters alone that accept them.
_LATER_ARGUMENTS = ("constraint", "synchronization", "aggregation")


class VariableStore:
    """Variables by full name, whole and partitioned ones; creates missing ones."""

    def __init__(self) -> None:
        self._vars: dict[str, Any] = {}
        self._partitioned_vars: dict[str, PartitionedVariable] = {}

    @property
    def variables(self) -> dict[str, Any]:
        """The variables by their names."""
        return self._vars

    def get_variable(
        self, name: str, *arguments: Any, custom_getter: Callable[..., Any] | None = None, **named: Any
    ) -> Any:
        """Returns the variable of a name, found or made.

        Args:
            name: str, the full name.
            *arguments: the fields of `VariableOptions`, in their order.
            custom_getter: as `tf.get_variable`.
            **named: the fields given by name.

        Raises:
            ValueError: on the same conditions as `tf.get_variable`.
        """
        return self.find_or_make(name, VariableOptions(*arguments, **named), custom_getter)

    def find_or_make(self, name: str, options: VariableOptions, custom_getter: Callable[..., Any] | None = None) -> Any:
        """Returns the variable of a name, found or made; `name` is the full one.

        Raises:
            ValueError: on the same conditions as `tf.get_variable`.
        """
        dtype = dtypes.float32 if options.dtype is None else getattr(options.dtype, "base_dtype", options.dtype)
        modes = resolve_modes(options.synchronization, options.aggregation, options.trainable, name)
        options = options._replace(dtype=dtype, synchronization=modes[0], aggregation=modes[1], trainable=modes[2])
        if custom_getter is not None:
            if not callable(custom_getter):
                raise ValueError(f"Passed a custom_getter which is not callable: {custom_getter}")
            # TF 1.x: getters written before these arguments existed do not have to accept them.
            unknown = [key for key in _LATER_ARGUMENTS if not _accepts(custom_getter, key)]
            arguments = {key: value for key, value in options._asdict().items() if key not in unknown}
            return custom_getter(getter=self.get_variable, name=name, **arguments)
        partitioner = options.partitioner
        is_scalar = isinstance(options.shape, Sequence) and not options.shape
        if partitioner is not None and not is_scalar:
            if not callable(partitioner):
                raise ValueError(f"Partitioner must be callable, but received: {partitioner}")
            with name_scope(None):
                return self.find_or_make_partitioned(name, options)
        if options.reuse is True and partitioner is None and name in self._partitioned_vars:
            return self.find_or_make_partitioned(name, options)
        if f"{name}/part_0" in self._vars:
            raise ValueError(
                f"No partitioner was provided, but a partitioned version of the variable was found: {name}/part_0. "
                "Perhaps a variable of the same name was already created with partitioning?"
            )
        return self._find_or_make_single(name, options)

    def find_or_make_partitioned(self, name: str, options: VariableOptions) -> PartitionedVariable:
        """Returns the partitioned variable of a name, found or made.

        Args:
            name: str, the full name.
            options: `VariableOptions` of the whole; without a partitioner only to find one.

        Raises:
            ValueError: on the same conditions as `tf.get_variable`, or if the partitioner's result does not fit the
                shape or the existing variable.
        """
        if name in self._vars:
            raise ValueError(
                f"A partitioner was provided, but an unpartitioned version of the variable was found: {name}.  "
                "Perhaps a variable of the same name was already created without partitioning?"
            )
        partitioner, initializer, reuse = options.partitioner, options.initializer, options.reuse
        shape: Any = as_shape(options.shape)
        dtype = dtypes.as_dtype(options.dtype)
        if isinstance(initializer, Tensor):
            shape = shape.merge_with(initializer.shape)
        partitions: Sequence[int] = ()
        if partitioner or not reuse:
            partitions = call_partitioner(partitioner, shape, dtype, name)
        if name in self._partitioned_vars:
            return self._found_partitioned(name, shape, dtype, reuse, partitions)
        if reuse is True:
            raise ValueError(
                f"PartitionedVariable {name} does not exist, or was not created with tf.get_variable(). "
                "Did you mean to set reuse=False or reuse=tf.AUTO_REUSE in VarScope?"
            )
        full_shape = shape.as_list()
        dim = slice_dimension(full_shape, partitions)
        self._check_slices(name, partitions[dim])
        variables = []
        for i, (offset, part_shape) in enumerate(slices(full_shape, dim, partitions[dim])):
            part_name = f"{name}/part_{i}"
            with name_scope(part_name + "/PartitionedInitializer"):
                init, init_shape, dtype = self._slice_initializer(name, initializer, dtype, offset, part_shape)
            with name_scope(None):
                variable = self._find_or_make_single(
                    part_name,
                    options._replace(shape=init_shape, dtype=dtype, initializer=init),
                    PartitionInfo(full_shape=full_shape, var_offset=offset),
                )
            set_save_slice(variable, SaveSliceInfo(name, full_shape, offset, part_shape))
            variables.append(variable)
        whole = PartitionedVariable(name, shape, dtype, variables, partitions)
        self._partitioned_vars[name] = whole
        return whole

    def _found_partitioned(
        self, name: str, shape: TensorShape, dtype: dtypes.DType, reuse: Any, partitions: Sequence[int]
    ) -> PartitionedVariable:
        if reuse is False:
            raise ValueError(
                f"Partitioned variable with name {name} already exists. "
                "Did you mean to set reuse=True or reuse=tf.AUTO_REUSE in VarScope?"
            )
        found = self._partitioned_vars[name]
        prefix = f"Trying to reuse partitioned variable {name}, but specified"
        if not shape.is_compatible_with(found.shape):
            raise ValueError(f"{prefix} shape {shape} and found shape {found.shape}.")
        if not dtype.is_compatible_with(found.dtype):
            raise ValueError(f"{prefix} dtype {dtype.name} and found dtype {found.dtype.name}.")
        if partitions and list(found._get_partitions()) != list(partitions):
            raise ValueError(f"{prefix} partitions {partitions} and found partitions {found._get_partitions()}.")
        return found

    def _check_slices(self, name: str, count: int) -> None:
        """Raises ValueError if slices were made one by one, outside of a partitioned variable, and are not `count` in
        number.
        """
        if f"{name}/part_0" not in self._vars:
            return
        prefix = (
            "Partitioner returned a different partitioning than what was already found.  "
            f"Partitioner returned {count} shards, and shard {name}/part_0 was found, but"
        )
        if f"{name}/part_{count - 1}" not in self._vars:
            raise ValueError(f"{prefix} {name}/part_{count - 1} was not.")
        if f"{name}/part_{count}" in self._vars:
            raise ValueError(f"{prefix} so was the extra shard {name}/part_{count}.")

    def _slice_initializer(
        self, name: str, initializer: Any, dtype: dtypes.DType, offset: list[int], shape: list[int]
    ) -> tuple[Any, list[int] | None, dtypes.DType]:
        """Returns (initializer of a slice, its shape if the initializer needs one, its dtype)."""
        if initializer is None:
            return default_initializer(name, dtype), shape, dtype
        if callable(initializer):
            return initializer, shape, dtype
        if isinstance(initializer, Tensor):
            dtype = initializer.dtype.base_dtype
        else:
            initializer = convert_to_tensor(initializer, dtype=dtype)
        return tensor_op("Slice", [initializer, offset, shape]), None, dtype

    def _find_or_make_single(
        self, name: str, options: VariableOptions, partition_info: PartitionInfo | None = None
    ) -> Any:
        initializer = options.initializer
        from_value = initializer is not None and not callable(initializer)
        if options.shape is not None and from_value:
            raise ValueError("If initializer is a constant, do not specify shape.")
        dtype = dtypes.as_dtype(options.dtype)
        shape = as_shape(options.shape)
        if name in self._vars:
            return self._found_single(name, shape, dtype, options.reuse)
        if options.reuse is True:
            raise ValueError(
                f"Variable {name} does not exist, or was not created with tf.get_variable(). "
                "Did you mean to set reuse=tf.AUTO_REUSE in VarScope?"
            )
        if from_value:
            initial_value, initial_dtype = initializer, None
        else:
            initial_value, initial_dtype = _initial_value(name, shape, dtype, initializer, partition_info)
        # TF 1.x: the variables of a function's body belong to the graph around it.
        with init_scope() if get_default_graph().building_function else nullcontext():
            variable = constructor(options.use_resource)(
                initial_value=initial_value,
                name=name,
                trainable=options.trainable,
                collections=options.collections,
                caching_device=options.caching_device,
                dtype=initial_dtype,
                validate_shape=options.validate_shape,
                constraint=options.constraint,
                use_resource=options.use_resource,
                synchronization=options.synchronization,
                aggregation=options.aggregation,
            )
        self._vars[name] = variable
        tf_logging.vlog(1, "Created variable %s with shape %s and init %s", variable.name, shape, initializer)
        if options.regularizer:
            with colocate_with(variable.op), name_scope(name + "/Regularizer/"):
                loss = options.regularizer(variable)
            if loss is not None:
                add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)
        return variable

    def _found_single(self, name: str, shape: TensorShape, dtype: dtypes.DType, reuse: Any) -> Any:
        found = self._vars[name]
        if reuse is False:
            raise ValueError(
                f"Variable {name} already exists, disallowed. Did you mean to set reuse=True or reuse=tf.AUTO_REUSE in "
                f"VarScope? Originally defined at:\n\n{_definition(found)}"
            )
        if not shape.is_compatible_with(found.get_shape()):
            raise ValueError(
                f"Trying to share variable {name}, but specified shape {shape} and found shape {found.get_shape()}."
            )
        if not dtype.is_compatible_with(found.dtype):
            raise ValueError(
                f"Trying to share variable {name}, but specified dtype {dtype.name} and found dtype {found.dtype.name}."
            )
        return found


def default_variable_store() -> VariableStore:
    """Returns the `VariableStore` of the default graph, or of the graph around a function's body."""
    with init_scope() if get_default_graph().building_function else nullcontext():
        found: list[VariableStore] = get_default_graph().get_collection_ref(_STORE_KEY)
    if not found:
        found.append(VariableStore())
    return found[0]


def default_initializer(name: str, dtype: dtypes.DType) -> Any:
    """Returns the initializer of a variable that is given none: Glorot's for floats, else zeros.

    Raises:
        ValueError: if there is no default initializer for the dtype.
    """
    if dtype.is_floating:
        return initializers.glorot_uniform_initializer()
    if dtype.is_integer or dtype.is_bool or dtype == dtypes.string:
        return initializers.Zeros()
    raise ValueError(f"An initializer for variable {name} of {dtype.base_dtype} is required")


def _initial_value(
    name: str, shape: TensorShape, dtype: dtypes.DType, initializer: Any, partition_info: PartitionInfo | None
) -> tuple[Callable[[], Any], Any]:
    """Returns (callable that makes the initial value, dtype to convert it to)."""
    if not shape.is_fully_defined():
        if initializer is not None and not inspect.isclass(initializer) and _needs_no_arguments(initializer):
            return initializer, None
        raise ValueError(f"Shape of a new variable ({name}) must be fully defined, but instead was {shape}.")
    if initializer is None:
        initializer = default_initializer(name, dtype)
    if inspect.isclass(initializer):
        make: Any = initializer
        with control_dependencies(None):
            initializer = make(dtype=dtype) if _accepts(make, "dtype") else make()
    arguments: dict[str, Any] = {"dtype": dtype}
    if _accepts(initializer, "partition_info"):
        arguments["partition_info"] = partition_info
    return functools.partial(initializer, shape.as_list(), **arguments), dtype.base_dtype


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter] | None:
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        # Some built-in callables have no signature.
        return None


def _accepts(function: Callable[..., Any], argument: str) -> bool:
    parameters = _parameters(function) or ()
    return any(p.name == argument or p.kind is p.VAR_KEYWORD for p in parameters)


def _needs_no_arguments(function: Callable[..., Any]) -> bool:
    parameters = _parameters(function)
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return parameters is not None and all(p.default is not p.empty or p.kind in variadic for p in parameters)


def _definition(variable: Any) -> str:
    """Returns the innermost lines of the program, outside of this package, that made a variable."""
    frames = [f for f in reversed(variable.op.traceback) if not is_package_file(f[0])]
    return "".join(traceback.format_list(frames[:_SHOWN_FRAMES]))
