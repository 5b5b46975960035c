"""`constant`, and values of tensors that are known when the graph is built."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ferroflow import _core
from ferroflow._src.base import array_conversion, compat, dtypes, proto
from ferroflow._src.base.tensor_content import make_ndarray
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import DTypeLike, ShapeLike, TensorLike
from ferroflow._src.framework.default_graph import get_default_graph
from ferroflow._src.framework.handles import Tensor, known_shape_value, known_value


def constant(
    value: TensorLike,
    dtype: DTypeLike | None = None,
    shape: ShapeLike | None = None,
    name: str | None = "Const",
    verify_shape: bool = False,
) -> Tensor:
    """Returns a constant tensor.

    Args:
        value: number, bool, string, nested list of them, array, or `TensorProto` message.
        dtype: element type; by default the value's (Python floats are float32, ints int32).
        shape: the result's shape; a value with fewer elements is filled up with its last one.
        name: name of the operation; None for "Const".
        verify_shape: refuses a value of a different shape instead of filling up.

    Returns:
        A tensor of `dtype` and `shape`.

    Raises:
        TypeError: if the value does not fit `dtype` (or `shape`, with `verify_shape`).
        ValueError: if the value has more elements than `shape`, or is None.

    Example:
        >>> print(sess.run(tf.constant([1.5, 2.5])))
        [1.5 2.5]
        >>> print(sess.run(tf.constant(7, dtype=tf.int32, shape=[2, 3])))
        [[7 7 7]
         [7 7 7]]
    """
    if hasattr(value, "DESCRIPTOR") and isinstance(value, proto.TensorProto):
        # TF 1.x: the message's dtype and shape count, not the arguments.
        value, dtype, shape = make_ndarray(value), dtypes.as_dtype(value.dtype), None
    wanted = None if dtype is None else dtypes.as_dtype(dtype).base_dtype
    array = array_conversion.to_array(value, wanted, shape, verify_shape)
    if wanted is None:
        wanted = dtypes.as_dtype(array.dtype)
    graph = get_default_graph()
    unique = graph._scopes.names.op_name("Const" if name is None else compat.as_str(name))
    return graph._add_constant(unique, array, wanted.as_datatype_enum)._outputs[0]


# The ops that TensorFlow 1.15's Python evaluates while it builds a graph.
_EVALUATED: Final = frozenset(
    ("Cast", "Concat", "ConcatV2", "Const", "Equal", "Fill", "NotEqual", "Pack", "Range", "Rank", "Shape", "Size")
)


def constant_value(tensor: TensorLike, partial: bool = False) -> Any:
    """Returns the value of a tensor where TensorFlow 1.15 evaluates it while it builds the graph.

    The engine evaluates more ops. Programs that branch on the value would then build other graphs than with TensorFlow.

    Args:
        tensor: Tensor of any dtype and shape; an array is returned as it is.
        partial: bool, If True, a stack along the first dimension that is known in part returns its known values.

    Returns:
        A NumPy array (with `partial` perhaps one of objects, with None for unknown sizes); None if it is not known.
    """
    if not isinstance(tensor, Tensor):
        return None if hasattr(tensor, "graph") else tensor
    value = known_value(tensor) if _is_evaluated(tensor) else None
    if value is not None:
        # TF 1.x: the caller may rely on the value, so the tensor must no longer be fed.
        tensor.graph.prevent_feeding(tensor)
    elif partial and tensor.op.type == "Pack" and tensor.op.get_attr("axis") == 0:
        parts = tensor.op.inputs
        value = np.empty(len(parts), object)
        for i, part in enumerate(parts):
            value[i] = constant_value(part, partial)
    return value


def _is_evaluated(tensor: Tensor) -> bool:
    op = tensor.op
    if op.type not in _EVALUATED or (op.type == "Pack" and op.get_attr("axis") != 0):
        return False
    if op.type in ("Rank", "Shape", "Size"):
        return True
    # The static shape of a Fill is that of its first input.
    inputs = op.inputs[1:] if op.type == "Fill" else op.inputs
    return all(_is_evaluated(value) for value in inputs)


def constant_value_as_shape(tensor: Any) -> TensorShape:
    """Returns the shape that an int vector describes (-1: unknown), as far as the graph alone decides it.

    Raises:
        ValueError: if the tensor is not a vector, or holds a dimension below -1.
    """
    tensor.shape.with_rank(1)
    try:
        return TensorShape(known_shape_value(tensor))
    except _core.StatusError as failure:
        raise ValueError(failure.args[1]) from None
