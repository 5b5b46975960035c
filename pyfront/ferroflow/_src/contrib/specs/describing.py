"""Descriptions of networks: their operations in one line, as a tree, and the numbers of parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import DTypeLike, ShapeLike
from ferroflow._src.contrib.specs.evaluating import create_net
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array.making import placeholder

__all__ = [
    "tf_left_split",
    "tf_num_params",
    "tf_parameter_iter",
    "tf_parameter_summary",
    "tf_print",
    "tf_spec_print",
    "tf_spec_structure",
    "tf_spec_summary",
    "tf_structure",
]

_SHORT = {
    "BiasAdd": "biasadd",
    "Const": "_",
    "Conv2D": "conv",
    "MatMul": "dot",
    "Placeholder": "_",
    "Sigmoid": "sig",
    "Variable": "var",
}
_VARIABLES = ("Variable", "VariableV2")
# Unrolled cells, whose operations would hide the rest of a description.
_UNROLLED = "/HorizontalLstm/"


def _operation(x: Any) -> tuple[Operation, list[int | None] | None]:
    """Returns the operation of a tensor and its shape; None for the shape of an operation."""
    return (x.op, x.shape.as_list()) if isinstance(x, Tensor) else (x, None)


def _inputs(op: Operation) -> list[Tensor]:
    return [] if _UNROLLED in op.name else list(op.inputs)


def tf_structure(x: Tensor | Operation, include_shapes: bool = False, finished: set[Operation] | None = None) -> str:
    """Returns the types of the operations that compute a result, in the order of their use.

    Args:
        x: Tensor or Operation, the result.
        include_shapes: bool. If True, each type follows its shape.
        finished: set of Operations to write as "<>", to which those of `x` are added; None for an empty set.

    Returns:
        str, words each after a space.
    """
    finished = set() if finished is None else finished
    op, shape = _operation(x)
    if op in finished:
        return " <>"
    finished.add(op)
    words = [tf_structure(y, include_shapes, finished) for y in _inputs(op)]
    if include_shapes:
        words.append(f" {shape or []}")
    if op.type != "Identity":
        words.append(f" {_SHORT.get(op.type, op.type.lower())}")
    return "".join(words)


def tf_print(
    x: Tensor | Operation,
    depth: int = 0,
    finished: set[Operation] | None = None,
    printer: Callable[[str], Any] = print,
) -> None:
    """Prints the tree of the operations that compute a result.

    Args:
        x: Tensor or Operation, the result.
        depth: int, the indentation of `x`.
        finished: set of Operations to mark with "<", to which those of `x` are added; None for an empty set.
        printer: callable that takes a line of str.
    """
    finished = set() if finished is None else finished
    op, shape = _operation(x)
    if op.type == "Identity":
        op = op.inputs[0].op
    mark, end = ("<", ">") if op in finished else ("", "")
    printer(f"{'  ' * depth}{mark}{op.name}{end} {op.type} {'' if shape is None else shape}")
    if op in finished:
        return
    finished.add(op)
    for y in _inputs(op):
        tf_print(y, depth + 1, finished, printer)


def tf_num_params(x: Tensor | Operation) -> int:
    """Returns the number of elements in the variables that a result depends on.

    A variable that is used twice counts twice.

    Args:
        x: Tensor or Operation, the result.

    Returns:
        int, the number.
    """
    op: Any = x.op if isinstance(x, Tensor) else x
    if op.type in _VARIABLES:
        count: int = op.outputs[0].shape.num_elements()
        return count
    return sum(tf_num_params(y) for y in op.inputs)


def tf_left_split(op: Operation) -> tuple[Tensor | None, list[Tensor]]:
    """Returns the first input of an operation, and its other inputs.

    Args:
        op: Operation.

    Returns:
        (Tensor, the first input that is a value; None if there is none; list of Tensors, the others).
    """
    inputs = list(op.inputs)
    if op.type == "Concat":  # its first input is the axis
        inputs = inputs[1:]
    return (inputs[0], inputs[1:]) if inputs else (None, [])


def tf_parameter_iter(x: Tensor | Operation) -> Iterator[tuple[str, int, Any]]:
    """Generates the operations on the path of first inputs, from a result back to the network's input.

    Args:
        x: Tensor or Operation, the result.

    Yields:
        (str, the operation's name; int, the number of parameters behind its other inputs; list of int, the shape, or
        "" for an operation).
    """
    step: Tensor | Operation | None = x
    while step is not None:
        op, shape = _operation(step)
        step, others = tf_left_split(op)
        yield op.name, sum(tf_num_params(y) for y in others), "" if shape is None else shape


def _by_scope(parts: Iterator[tuple[str, int, Any]]) -> Iterator[tuple[str, int, Any]]:
    """Generates one part for successive parts of a top scope: their sum, and the shape of the first."""
    for scope, group in groupby(parts, lambda part: part[0].partition("/")[0]):
        members = list(group)
        yield scope, sum(count for _, count, _ in members), members[0][2]


def tf_parameter_summary(x: Tensor | Operation, printer: Callable[[str], Any] = print, combine: bool = True) -> None:
    """Prints the numbers of parameters along the path of first inputs, from the network's input to a result.

    Args:
        x: Tensor or Operation, the result.
        printer: callable that takes a line of str.
        combine: bool. If True, print one line for successive operations of a top scope.
    """
    parts = tf_parameter_iter(x)
    for name, total, shape in reversed(list(_by_scope(parts) if combine else parts)):
        printer(f"{total:10d} {name:<20} {shape}")


def _outputs(spec: str, inputs: Any, input_shape: ShapeLike | None, input_type: DTypeLike) -> Any:
    """Returns the output of a specification's network for given inputs, or for a placeholder."""
    return create_net(spec, placeholder(input_type, input_shape) if inputs is None else inputs)


def tf_spec_structure(
    spec: str, inputs: Any = None, input_shape: ShapeLike | None = None, input_type: DTypeLike = dtypes.float32
) -> str:
    """Builds a specification's network, and returns the types of its operations.

    Args:
        spec: str, assignments of which one is to `net`.
        inputs: Tensor, the network's input; None for a placeholder.
        input_shape: TensorShape or list of int, the shape of the placeholder.
        input_type: DType of the placeholder.

    Returns:
        str, the types in the order of their use.
    """
    return tf_structure(_outputs(spec, inputs, input_shape, input_type)).strip()


def tf_spec_summary(
    spec: str, inputs: Any = None, input_shape: ShapeLike | None = None, input_type: DTypeLike = dtypes.float32
) -> None:
    """Builds a specification's network, and prints the numbers of parameters of its layers.

    Args:
        spec: str, assignments of which one is to `net`.
        inputs: Tensor, the network's input; None for a placeholder.
        input_shape: TensorShape or list of int, the shape of the placeholder.
        input_type: DType of the placeholder.
    """
    tf_parameter_summary(_outputs(spec, inputs, input_shape, input_type))


def tf_spec_print(
    spec: str, inputs: Any = None, input_shape: ShapeLike | None = None, input_type: DTypeLike = dtypes.float32
) -> None:
    """Builds a specification's network, and prints the tree of its operations.

    Args:
        spec: str, assignments of which one is to `net`.
        inputs: Tensor, the network's input; None for a placeholder.
        input_shape: TensorShape or list of int, the shape of the placeholder.
        input_type: DType of the placeholder.
    """
    tf_print(_outputs(spec, inputs, input_shape, input_type))
