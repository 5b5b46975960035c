"""`get_variable` and its kin: variables by name, found or made in the current variable scope."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ferroflow._src.base import dtypes, tf_logging
from ferroflow._src.base.typing import Collections, Device, DictLike, DTypeLike, Initializer, ShapeLike
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.variables.scope import variable_scope
from ferroflow._src.variables.synchronization import VariableAggregation, VariableSynchronization
from ferroflow._src.variables.variable_options import VariableOptions
from ferroflow._src.variables.variable_scope import get_partitioned, get_variable_scope, merged
from ferroflow._src.variables.variable_store import default_variable_store


def get_variable(
    name: str,
    shape: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    initializer: Initializer | None = None,
    regularizer: Callable[..., Any] | None = None,
    trainable: bool | None = None,
    collections: Collections | DictLike | None = None,
    caching_device: Device | None = None,
    partitioner: Callable[..., Any] | None = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Callable[..., Any] | None = None,
    constraint: Callable[..., Any] | None = None,
    synchronization: object = VariableSynchronization.AUTO,
    aggregation: object = VariableAggregation.NONE,
) -> Any:
    """Returns the variable of a name in the current variable scope, and creates it if needed.

    Args:
        name: str, to which the scope's prefix is added.
        shape: the variable's shape; left out where `initializer` is a value.
        dtype: the scope's by default, which is float32 by default.
        initializer: a callable of shape, dtype (and partition_info), a class of such callables, a callable without
            arguments (then the shape is left out), a tensor or a value. By default the scope's; without one, Glorot's
            uniform initializer for floats, zeros for integers and bools.
        regularizer: a function of a new variable to a float scalar tensor for `GraphKeys.REGULARIZATION_LOSSES`, or to
            None.
        trainable: bool, as `tf.Variable`.
        collections: collection keys, as `tf.Variable`.
        caching_device: device string or function for cached reads, as `tf.Variable`.
        partitioner: a callable of shape and dtype to the number of slices of each dimension.
        validate_shape: bool, as `tf.Variable`.
        use_resource: bool. If True, the variable is behind a handle, as a `ResourceVariable`; None for the scope's
            setting.
        custom_getter: a callable of the true getter and these arguments, called in its place.
        constraint: a function that optimizers apply after updates, as `tf.Variable`.
        synchronization: recorded, as `tf.Variable`.
        aggregation: recorded, as `tf.Variable`.

    Returns:
        A `Variable`; a `PartitionedVariable` if there is a partitioner.

    Raises:
        ValueError: if the variable exists and the scope does not reuse, or it does not exist and the scope only reuses.
            Also if a new variable's shape is unknown, or shape or dtype differ from the existing variable's or the
            initializer's.

    Example:
        >>> w = tf.get_variable("w", shape=[2, 2], initializer=tf.ones_initializer())
        >>> sess.run(w.initializer)
        >>> print(w.name)
        w:0
        >>> print(sess.run(w))
        [[1. 1.]
         [1. 1.]]
    """
    options = VariableOptions(
        *(shape, dtype, initializer, regularizer, None, trainable, collections, caching_device, partitioner),
        *(validate_shape, use_resource, constraint, synchronization, aggregation),
    )
    scope, store = get_variable_scope(), default_variable_store()
    # Variable names are those of variable scopes alone: name scopes do not take part.
    with name_scope(None):
        return store.find_or_make(*merged(scope, name, options, custom_getter))


def get_local_variable(
    name: str,
    shape: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    initializer: Initializer | None = None,
    regularizer: Callable[..., Any] | None = None,
    trainable: bool = False,
    collections: Collections | DictLike | None = None,
    caching_device: Device | None = None,
    partitioner: Callable[..., Any] | None = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Callable[..., Any] | None = None,
    constraint: Callable[..., Any] | None = None,
    synchronization: Any = VariableSynchronization.AUTO,
    aggregation: Any = VariableAggregation.NONE,
) -> Any:
    """Calls `get_variable` for a variable in `GraphKeys.LOCAL_VARIABLES` that is never trained.

    Args:
        name: str, to which the scope's prefix is added.
        shape: the variable's shape; left out where `initializer` is a value.
        dtype: the DType; by default the scope's.
        initializer: as `tf.get_variable`; by default the scope's.
        regularizer: a callable of a new variable to a float scalar tensor or None; by default the scope's.
        trainable: not used: the variable is not trained.
        collections: collection keys in addition to `GraphKeys.LOCAL_VARIABLES`; None for no others.
        caching_device: device string or function for cached reads; by default as the scope says.
        partitioner: a callable of shape and dtype to the number of slices of each dimension; by default the scope's.
        validate_shape: bool, as `tf.Variable`.
        use_resource: bool, as `tf.Variable`; by default as the scope says.
        custom_getter: a callable of the true getter and these arguments, called in its place; by default the scope's.
        constraint: a callable that optimizers apply after updates, as `tf.Variable`; by default the scope's.
        synchronization: recorded, as `tf.Variable`.
        aggregation: recorded, as `tf.Variable`.

    Returns:
        A `Variable`; a `PartitionedVariable` if there is a partitioner.

    Raises:
        ValueError: on the same conditions as `tf.get_variable`.
    """
    of_graph = [*(collections or ()), GraphKeys.LOCAL_VARIABLES]
    options = VariableOptions(
        *(shape, dtype, initializer, regularizer, None, False, of_graph, caching_device, partitioner),
        *(validate_shape, use_resource, constraint, synchronization, aggregation),
    )
    scope, store = get_variable_scope(), default_variable_store()
    with name_scope(None):
        return store.find_or_make(*merged(scope, name, options, custom_getter))


def create_partitioned_variables(
    shape: Sequence[int],
    slicing: Sequence[int],
    initializer: Initializer,
    dtype: DTypeLike = dtypes.float32,
    trainable: bool = True,
    collections: Collections | DictLike | None = None,
    name: str | None = None,
    reuse: object = None,
) -> list[Any]:
    """Deprecated: use `get_variable` with a partitioner. Returns the slices of a partitioned variable.

    Args:
        shape: sequence of int, the shape of the whole.
        slicing: sequence of int, the number of slices of each dimension.
        initializer: an initializer, or the value of the whole.
        dtype: its dtype.
        trainable: bool, as `tf.Variable`.
        collections: collection keys, as `tf.Variable`.
        name: str, of the variable scope; "PartitionedVariable" by default.
        reuse: True, False, None or `AUTO_REUSE`.

    Returns:
        A list of `Variable`, in the order of their slices.

    Raises:
        ValueError: if shape and slicing differ in length or are empty, or more than one dimension is cut.
    """
    tf_logging.warn(
        "create_partitioned_variables is deprecated.  Use tf.get_variable with a partitioner set, or "
        "tf.get_partitioned_variable_list, instead."
    )
    if len(shape) != len(slicing):
        raise ValueError(
            "The 'shape' and 'slicing' of a partitioned Variable must have the length: "
            f"shape: {shape}, slicing: {slicing}"
        )
    if len(shape) < 1:
        raise ValueError(f"A partitioned Variable must have rank at least 1: shape: {shape}")
    with variable_scope(name, "PartitionedVariable", reuse=reuse):
        return list(
            get_partitioned(
                get_variable_scope(),
                default_variable_store(),
                VariableOptions(
                    shape=shape,
                    dtype=dtype,
                    initializer=initializer,
                    trainable=trainable,
                    partitioner=lambda **_: slicing,
                    collections=collections,
                ),
            )
        )


def no_regularizer(_: Any) -> None:
    """Regularizes nothing; replaces the scope's regularizer for one variable.

    Args:
        _: a variable; not used.
    """
    return None
