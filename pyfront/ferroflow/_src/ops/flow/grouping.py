"""Operations for order: no-ops, groups of operations, and control dependencies."""

from __future__ import annotations

import builtins
from collections.abc import Iterable
from typing import Any

from ferroflow._src.base import nest
from ferroflow._src.base.typing import DictLike, ListLike, OperationObject, TensorObject
from ferroflow._src.framework.apply import apply_op
from ferroflow._src.framework.composite import (
    IndexedSlices,
    SparseTensor,
    convert_to_tensor_or_indexed_slices,
)
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import (
    colocate_with,
    control_dependencies,
    device,
    name_scope,
)
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array.making import identity


def no_op(name: str | None = None) -> Operation:
    """Creates an operation that only waits for its control inputs.

    Args:
        name: str, name of the operation.

    Returns:
        Operation.

    Example:
        >>> v = tf.Variable(1)
        >>> with tf.control_dependencies([v.assign_add(1)]):
        ...     train = tf.no_op(name="train")
        >>> sess.run(v.initializer)
        >>> print(sess.run(train), sess.run(v))
        None 2
    """
    return apply_op("NoOp", [], name=name)


def _is_in_graph(value: Any) -> bool:
    return isinstance(value, (Tensor, IndexedSlices, SparseTensor)) or hasattr(value, "_as_graph_element")


def _no_op_after(dependencies: Iterable[Any], on_device: str | None, name: str | None = None) -> Operation:
    with control_dependencies(dependencies):
        if not on_device:
            return no_op(name=name)
        with device(on_device):
            return no_op(name=name)


def group(*inputs: TensorObject | OperationObject | ListLike | DictLike | None, name: str | None = None) -> Operation:
    """Creates an operation that ends when all inputs have run.

    Args:
        *inputs: Operations, Tensors of any dtype and shape, or nests of them.
        name: str, name of the operation.

    Returns:
        Operation. Inputs on several devices are first waited for on each device.

    Raises:
        TypeError: if an input is neither an Operation nor a Tensor.

    Example:
        >>> a, b = tf.Variable(1), tf.Variable(2)
        >>> update = tf.group(a.assign_add(10), b.assign_add(10))
        >>> sess.run(tf.global_variables_initializer())
        >>> sess.run(update)
        >>> print(sess.run(a), sess.run(b))
        11 12
    """
    with name_scope(name, "group_deps", inputs) as scope:
        if not inputs:
            return no_op(name=scope)
        by_device: dict[str, list[Any]] = {}
        for item in nest.flatten(list(inputs)):
            if item is None:
                continue
            if not hasattr(item, "device"):
                raise TypeError(f"Expected tf.group() expected Tensor arguments not '{item}' with type '{type(item)}'")
            by_device.setdefault(item.device or "", []).append(item)
        if len(by_device) <= 1:
            on_device, members = next(iter(by_device.items()), ("", []))
            return _no_op_after(members, on_device, name=scope)
        done = [_no_op_after(by_device[on_device], on_device) for on_device in sorted(by_device)]
        with control_dependencies(done):
            return no_op(name=scope)


def with_dependencies(dependencies: Iterable[Any], output_tensor: Any, name: str | None = None) -> Any:
    """Returns a tensor that is there only after some operations are done.

    Args:
        dependencies: list of Operations and Tensors to wait for.
        output_tensor: Tensor or IndexedSlices.
        name: str, name of the operation.

    Returns:
        Tensor or IndexedSlices equal to `output_tensor`.

    Raises:
        TypeError: if `output_tensor` does not convert to a Tensor or IndexedSlices.
    """
    dependencies = list(dependencies)
    scope_values = [*dependencies, output_tensor]
    with (
        name_scope(name, "control_dependency", scope_values) as scope,
        colocate_with(output_tensor),
        control_dependencies(dependencies),
    ):
        output_tensor = convert_to_tensor_or_indexed_slices(output_tensor)
        if isinstance(output_tensor, Tensor):
            # TF 1.x gives a reference for a reference; this value is the version that a read of it would see.
            return identity(output_tensor, name=scope)
        values = identity(output_tensor.values, name=scope)
        return IndexedSlices(values, output_tensor.indices, output_tensor.dense_shape)


def tuple(tensors: Iterable[Any], name: str | None = None, control_inputs: Iterable[Any] | None = None) -> list[Any]:
    """Returns tensors that are there only when all of them are.

    Args:
        tensors: list of Tensors and IndexedSlices of any dtype and shape, Operations, or None.
        name: str, name scope of the operations.
        control_inputs: list of Operations, and of Tensors of any dtype and shape, to wait for too.

    Returns:
        List of the same length: tensors equal to those given, an Operation for an Operation, None for None.

    Raises:
        ValueError: if there is no tensor.
        TypeError: if a control input is neither an Operation nor a Tensor.
    """
    tensors = list(tensors)
    with name_scope(name, "tuple", tensors):
        given = [
            t if t is None or isinstance(t, Operation) or _is_in_graph(t) else convert_to_tensor(t) for t in tensors
        ]
        waited = [t if isinstance(t, Operation) else t.op for t in given if t is not None]
        for control in control_inputs or ():
            if isinstance(control, Tensor):
                waited.append(control.op)
            elif isinstance(control, Operation):
                waited.append(control)
            else:
                raise TypeError(f"Control input must be Operation or Tensor: {control}")
        if not waited:
            raise ValueError(f"Must have at least one Tensor: {tensors}")
        unique = {op._id: op for op in waited}
        gate = group(*(unique[i] for i in builtins.sorted(unique)))
        results: list[Any] = []
        for t in given:
            if t is None:
                results.append(None)
            elif isinstance(t, Operation):
                with control_dependencies([gate]):
                    results.append(group(t))
            else:
                results.append(with_dependencies([gate], t))
        return results
