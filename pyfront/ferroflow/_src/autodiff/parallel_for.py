"""`vectorized_map`, `pfor`, `for_loop` and Jacobian matrices: a function of each index, with stacked results.

TensorFlow rewrites the function's operations so that each computes all indices at once. Here a loop computes them one
after the other; values and gradients are the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.autodiff.gradients import gradients
from ferroflow._src.base import nest
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import NestedTensors
from ferroflow._src.control_flow.functional import flat, packed
from ferroflow._src.control_flow.loop import while_loop
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.indexing import gather
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.array.making import placeholder_with_default
from ferroflow._src.ops.tensor_array import TensorArray


def for_loop(
    loop_fn: Callable[[Tensor], Any], loop_fn_dtypes: Any, iters: Any, parallel_iterations: int | None = None
) -> Any:
    """Calls a function in a loop and stacks its results.

    Args:
        loop_fn: function of an index, Tensor of int32 and shape [], to a nest of tensors, operations and Nones.
        loop_fn_dtypes: dtype, or nest of dtypes, of the results.
        iters: int, or Tensor of int32 and shape []: the number of indices, from 0.
        parallel_iterations: accepted; indices are taken one after the other.

    Returns:
        Nest of `loop_fn_dtypes`: Tensors of shape [iters, ...], or None where the function gives no tensor.

    Raises:
        ValueError: if the function has another number of results.
    """
    types, is_tensor = flat(loop_fn_dtypes), list[bool]()

    def body(i: Tensor, arrays: list[TensorArray]) -> Any:
        results = flat(loop_fn(i))
        if len(results) != len(types):
            raise ValueError(f"loop_fn returns {len(results)} values, but loop_fn_dtypes has {len(types)}.")
        is_tensor[:] = [not (value is None or isinstance(value, Operation)) for value in results]
        with control_dependencies([value for value in results if isinstance(value, Operation)]):
            # Written values wait for the operations, and so does the next index.
            written = [
                array.write(i, convert_to_tensor(value)) if kept else array
                for array, value, kept in zip(arrays, results, is_tensor, strict=True)
            ]
            return i + 1, written

    arrays = [TensorArray(dtype, size=iters) for dtype in types]
    _, ended = while_loop(
        lambda i, _: i < iters, body, (constant(0), arrays), parallel_iterations=parallel_iterations or 10
    )
    count = iters if isinstance(iters, int) else None
    stacked = [array.stack() if kept else None for array, kept in zip(ended, is_tensor, strict=True)]
    for result in stacked:
        if result is not None and result.shape.dims is not None:
            result.set_shape(TensorShape([count]).concatenate(result.shape[1:]))
    return packed(loop_fn_dtypes, stacked)


def pfor(loop_fn: Callable[[Tensor], Any], iters: Any, parallel_iterations: int | None = None) -> Any:
    """Calls a function for each index and stacks its results.

    Args:
        loop_fn: function of an index, Tensor of int32 and shape [], to a nest of tensors, operations and Nones. It is
            called twice, since the dtypes follow from its first results.
        iters: int, or Tensor of int32 and shape []: the number of indices, from 0.
        parallel_iterations: accepted; indices are taken one after the other.

    Returns:
        Nest of Tensors of shape [iters, ...]; None where the function gives no tensor.
    """
    first = loop_fn(placeholder_with_default(constant(0), []))
    # Results that are no tensors have no dtype; that of their arrays, which stay empty, does not count.
    values = [x if x is None or isinstance(x, Operation) else convert_to_tensor(x) for x in flat(first)]
    types = [value.dtype.base_dtype if isinstance(value, Tensor) else "int32" for value in values]
    stacked: Any = for_loop(lambda i: flat(loop_fn(i)), types, iters, parallel_iterations)
    return packed(first, stacked)


def vectorized_map(fn: Callable[[Any], Any], elems: NestedTensors) -> Any:
    """Applies a function to each element along the first dimension and stacks the results.

    Args:
        fn: function of a nest like `elems`, of the elements at an index, to any nest of tensors. It is called twice.
        elems: Tensor of shape [n, ...], or nest of such.

    Returns:
        Nest of the function's results: Tensors of shape [n, ...].

    Raises:
        ValueError: if an element is a scalar.
    """
    tensors = nest.map_structure(convert_to_tensor, elems)
    first = flat(tensors)[0]
    known = first.shape.with_rank_at_least(1).dims
    count = known[0].value if known is not None else None
    return pfor(
        lambda i: fn(nest.map_structure(lambda x: gather(x, i), tensors)),
        shaping.shape(first)[0] if count is None else count,
    )


def jacobian(output: Tensor, inputs: Any, use_pfor: bool = True, parallel_iterations: int | None = None) -> Any:
    """Returns the derivative of each element of a tensor by each element of others.

    Args:
        output: Tensor of a float dtype, of shape [y...].
        inputs: Tensor of a float dtype, of shape [x...], or nest of such.
        use_pfor: accepted; a loop computes the elements one after the other.
        parallel_iterations: accepted.

    Returns:
        Nest of `inputs`: Tensors of shape [y..., x...]; None where `output` does not depend on an input.
    """
    del use_pfor
    variables = flat(inputs)
    elements = shaping.reshape(output, [-1])
    size = elements.shape[0].value
    rows = for_loop(
        lambda i: gradients(gather(elements, i), variables),
        [output.dtype.base_dtype] * len(variables),
        shaping.shape(elements)[0] if size is None else size,
        parallel_iterations,
    )
    found = []
    for row, variable in zip(rows, variables, strict=True):
        result = row
        if row is not None:
            result = shaping.reshape(row, concat([shaping.shape(output), shaping.shape(row)[1:]], axis=0))
            result.set_shape(output.shape.concatenate(variable.shape))
        found.append(result)
    return packed(inputs, found)


def batch_jacobian(
    output: Tensor, inp: Tensor, use_pfor: bool = True, parallel_iterations: int | None = None
) -> Tensor | None:
    """Returns the derivative of each example's outputs by the inputs of the same example.

    Args:
        output: Tensor of a float dtype, of shape [batch, y...].
        inp: Tensor of a float dtype, of shape [batch, x...]; an example's outputs depend on its own inputs alone.
        use_pfor: accepted; a loop computes the elements one after the other.
        parallel_iterations: accepted.

    Returns:
        Tensor of shape [batch, y..., x...]; None if `output` does not depend on `inp`.

    Raises:
        ValueError: if the batches have different static sizes.
    """
    del use_pfor
    if not output.shape[0].is_compatible_with(inp.shape[0]):
        raise ValueError(f"Need first dimension of output shape ({output.shape}) and inp shape ({inp.shape}) to match.")
    batch = shaping.shape(output)[0]
    rows = shaping.reshape(output, [batch, -1])
    size = rows.shape[1].value
    columns = for_loop(
        lambda i: gradients(gather(rows, i, axis=1), inp)[0],
        output.dtype.base_dtype,
        shaping.shape(rows)[1] if size is None else size,
        parallel_iterations,
    )
    if columns is None:
        return None
    by_example = shaping.transpose(shaping.reshape(columns, [shaping.shape(rows)[1], batch, -1]), [1, 0, 2])
    result = shaping.reshape(by_example, concat([shaping.shape(output), shaping.shape(inp)[1:]], axis=0))
    result.set_shape(output.shape.concatenate(inp.shape[1:]))
    return result
