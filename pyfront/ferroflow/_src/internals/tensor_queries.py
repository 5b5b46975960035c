"""Questions about the tensors that Keras layers take: which values count as tensors, and which reach others."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from ferroflow._src.base import nest
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.framework.composite import IndexedSlices, SparseTensor
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.layers.reachability import reachable_operations
from ferroflow._src.ops.ragged.tensor import RaggedTensor
from ferroflow._src.variables.variable import Variable

_symbolic_types: set[type] = set()


def register_symbolic_tensor_type(cls: type) -> None:
    """Makes objects of a class count as tensors; `tf.register_tensor_conversion_function` converts them.

    Args:
        cls: the class.
    """
    _symbolic_types.add(cls)


def is_symbolic_tensor(tensor: Any) -> bool:
    """Returns True for a tensor of any kind, IndexedSlices, a Variable, or an object of a registered class."""
    kinds = (Tensor, SparseTensor, RaggedTensor, IndexedSlices, Variable, *_symbolic_types)
    return isinstance(tensor, kinds)


def are_all_symbolic_tensors(tensors: Iterable[Any]) -> bool:
    """Returns True if each element is a tensor, as `is_symbolic_tensor` defines it."""
    return all(map(is_symbolic_tensor, tensors))


def is_tensor_or_variable(x: Any) -> bool:
    """Returns True for what `is_symbolic_tensor` accepts."""
    return is_symbolic_tensor(x)


def is_tensor_or_tensor_list(v: Any) -> bool:
    """Returns True for a tensor, and for a list whose first element is one."""
    elements = nest.flatten(v)
    return bool(elements) and is_symbolic_tensor(elements[0])


def get_reachable_from_inputs(inputs: Any, targets: Any = None) -> set[Any]:
    """Returns the tensors and operations that depend on inputs.

    Args:
        inputs: Tensor, Variable or Operation, or list of them.
        targets: list of Tensors or Operations after which the search may stop, or None.

    Returns:
        A set of Tensors, Variables and Operations. It contains the inputs.

    Raises:
        TypeError: if an input is none of these.
    """
    del targets  # The whole set contains those that they would stop at.
    given = nest.flatten(inputs)
    for x in given:
        if not hasattr(x, "op") and not hasattr(x, "outputs"):
            raise TypeError(f"Expected Operation, Variable, or Tensor, got {x}")
    reached = set[Any](given)
    for op in _operations_behind(given):
        reached.add(op)
        reached.update(op.outputs)
    return reached


def _operations_behind(given: Iterable[Any]) -> set[Any]:
    readers: set[Any] = set()
    for x in given:
        tensors = x.outputs if hasattr(x, "outputs") else x.op.outputs if isinstance(x, Variable) else [x]
        readers.update(reader for tensor in tensors for reader in tensor.consumers())
    return reachable_operations(readers)


def convert_shapes(input_shape: Any, to_tuples: bool = True) -> Any:
    """Converts shapes in a nest.

    Args:
        input_shape: TensorShape, tuple or list of ints, or a nest of shapes.
        to_tuples: bool. If True, shapes become tuples; else TensorShapes.

    Returns:
        The nest with each shape converted.
    """

    def is_shape(x: Any) -> bool:
        return (
            x is None
            or isinstance(x, TensorShape)
            or (
                isinstance(x, (tuple, list))
                and all(d is None or isinstance(d, int) or hasattr(d, "__index__") or hasattr(d, "value") for d in x)
            )
        )

    def converted(x: Any) -> Any:
        if is_shape(x):
            shape = TensorShape(x)
            return tuple(shape.as_list()) if to_tuples else shape
        return type(x)(map(converted, x)) if not isinstance(x, dict) else {k: converted(v) for k, v in x.items()}

    return converted(input_shape)


def shape_type_conversion(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a method that takes shapes as tuples and whose result has TensorShapes.

    Args:
        fn: method of one argument, a shape or a nest of shapes.

    Returns:
        The method of a nest of any shapes.
    """

    @functools.wraps(fn)
    def wrapper(instance: Any, input_shape: Any) -> Any:
        given = None if input_shape is None else convert_shapes(input_shape, to_tuples=True)
        output = fn(instance, given)
        return None if output is None else convert_shapes(output, to_tuples=False)

    return wrapper
