"""Terms of gradient rules: operations whose nodes have the names that TensorFlow 1 gives them."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import DTypeLike, IntsLike, TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor, known_value, static_dims

# Ops that pass a handle through unchanged.
_HAND_ON = ("Identity", "Enter", "Switch", "Exit")
# Ops that read the variable of a handle.
_READS = ("ReadVariableOp", "ResourceGather", "ResourceGatherNd")
# TF 1.x: zeros and ones of known shapes with fewer elements are constants, larger ones are Fills.
_LARGEST_CONSTANT = 1000
# TF 1.x: a dense gradient of at least this many elements made from slices is worth a warning.
_LARGE_SPARSE_NUM_ELEMENTS = 100_000_000


def term(op_type: str, arguments: int = 1, **attrs: Any) -> Callable[..., Tensor]:
    """Returns a function that adds an operation of a given type and number of arguments, and gives its first output."""
    if arguments == 1:
        return lambda x: tensor_op(op_type, [x], attrs or None)
    return lambda *inputs: tensor_op(op_type, list(inputs), attrs or None)


def _variable_of(handle: Tensor) -> Any:
    """Returns the operation that names the variable of a handle; None if unknown when the graph is built."""
    op = handle.op
    while op.type != "VarHandleOp":
        if op.type not in _HAND_ON:
            return None
        op = op.inputs[0].op
    return op


def value_dtype(tensor: Tensor) -> dtypes.DType:
    """Returns the type of the elements; of a variable's handle, of the variable's."""
    if tensor.dtype == dtypes.resource:
        variable = _variable_of(tensor)
        if variable is not None:
            return dtypes.as_dtype(variable.get_attr("dtype"))
        return _read_dtype(tensor) or tensor.dtype
    return tensor.dtype.base_dtype


def _read_dtype(handle: Tensor) -> dtypes.DType | None:
    """Returns the type of a value read from a handle, such as a function's argument; None if nothing reads it."""
    while handle.op.type in _HAND_ON:
        handle = handle.op.inputs[0]
    stack = [handle]
    while stack:
        for op in stack.pop().consumers():
            if op.type in _READS:
                return dtypes.as_dtype(op.get_attr("dtype"))
            if op.type in _HAND_ON:
                stack += op.outputs
    return None


def value_shape(tensor: Tensor) -> TensorShape:
    """Returns the static shape of a tensor; for a variable's handle, the variable's."""
    if tensor.dtype != dtypes.resource:
        return tensor.shape
    variable = _variable_of(tensor)
    return TensorShape(None) if variable is None else TensorShape(variable.get_attr("shape"))


def known_dims(tensor: Tensor) -> tuple[int, ...] | None:
    """Returns the dimensions where all are known, else None; of a variable's handle, the variable's."""
    found = static_dims(tensor)
    if found == () and tensor.dtype == dtypes.resource:
        of_variable = value_shape(tensor)
        return tuple(int(n) for n in of_variable.as_list() if n is not None) if of_variable.is_fully_defined() else None
    return None if found is None or None in found else found  # type: ignore[return-value]


def same_known_shape(*tensors: Any) -> bool:
    """Returns True if all are tensors of one fully known shape."""
    for tensor in tensors:
        if not isinstance(tensor, Tensor):
            return False
    first = known_dims(tensors[0])
    return first is not None and all(static_dims(tensor) == first for tensor in tensors[1:])


def conj(x: Any) -> Any:
    """Returns the complex conjugate; a real tensor itself."""
    if x.dtype.is_complex:
        return tensor_op("Conj", [x])
    return x


def real(x: Tensor) -> Tensor:
    """Returns the real part, of the real dtype."""
    return tensor_op("Real", [x], {"Tout": x.dtype.base_dtype.real_dtype})


def imag(x: Tensor) -> Tensor:
    """Returns the imaginary part, of the real dtype."""
    return tensor_op("Imag", [x], {"Tout": x.dtype.base_dtype.real_dtype})


def complex_of(x: Tensor, y: Tensor) -> Tensor:
    """Returns the complex number of a real and an imaginary part."""
    is_double = x.dtype.base_dtype == dtypes.float64
    return tensor_op("Complex", [x, y], {"Tout": dtypes.complex128 if is_double else dtypes.complex64})


def cast(x: Tensor, dtype: Any) -> Tensor:
    """Returns `x` with elements of `dtype`; itself if it has them."""
    dtype = dtypes.as_dtype(dtype).base_dtype
    if x.dtype.base_dtype == dtype:
        return x
    return tensor_op("Cast", [x], {"DstT": dtype})


def shape(x: Any, out_type: Any = dtypes.int32) -> Tensor:
    """Returns the shape, int vector: a constant if it is known."""
    if isinstance(x, IndexedSlices):
        x = densified(x)
    known = known_dims(x)
    if known is not None:
        return constant(list(known), dtype=out_type, name="Shape")
    if x.dtype == dtypes.resource:
        return tensor_op("VariableShape", [x], {"out_type": out_type})
    return tensor_op("Shape", [x], {"out_type": out_type})


def rank(x: Tensor) -> Tensor:
    """Returns the number of dimensions, int32 scalar: a constant if it is known."""
    found = static_dims(x)
    return tensor_op("Rank", [x]) if found is None else constant(len(found), dtype=dtypes.int32, name="Rank")


def size(x: Tensor, out_type: DTypeLike = dtypes.int32) -> Tensor:
    """Returns the number of elements, int scalar: a constant if it is known."""
    known = known_dims(x)
    if known is None:
        return tensor_op("Size", [x], {"out_type": out_type})
    product = 1
    for n in known:
        product *= n
    return constant(product, dtype=out_type, name="Size")


def _filled_like(x: Tensor, value: int, name: str, dtype: Any) -> Tensor:
    dtype = value_dtype(x) if dtype is None else dtypes.as_dtype(dtype).base_dtype
    known = known_dims(x)
    return filled(shape(x) if known is None else known, value, dtype, name)


def zeros_like(x: Any, dtype: Any = None) -> Tensor:
    """Returns zeros of the shape of `x`; of a variable's handle, of the variable's."""
    x = densified(x)
    is_computed = known_dims(x) is None or x.dtype == dtypes.variant
    if is_computed and dtype is None and x.dtype != dtypes.resource:
        return tensor_op("ZerosLike", [x], name="zeros_like")
    return _filled_like(x, 0, "zeros_like", dtype)


def ones_like(x: Tensor, dtype: DTypeLike | None = None) -> Tensor:
    """Returns ones of the shape of `x`."""
    dtype = x.dtype.base_dtype if dtype is None else dtypes.as_dtype(dtype).base_dtype
    with name_scope("ones_like", None, [x]) as scope:
        dimensions = shape(x)
        return tensor_op("Fill", [dimensions, constant(True if dtype == dtypes.bool else 1, dtype=dtype)], name=scope)


def filled(dimensions: Any, value: int, dtype: Any, name: str) -> Tensor:
    """Returns a tensor with all elements equal.

    Args:
        dimensions: int vector, or sequence of ints.
        value: the element.
        dtype: its type.
        name: name of the node, or of the scope of its parts.
    """
    if isinstance(dimensions, Tensor):
        with name_scope(name) as scope:
            return tensor_op("Fill", [dimensions, constant(value, dtype=dtype)], name=scope)
    count = 1
    for n in dimensions:
        count *= n
    if count < _LARGEST_CONSTANT:
        return constant(value, dtype=dtype, shape=list(dimensions), name=name)
    with name_scope(name) as scope:
        vector = constant(list(dimensions), dtype=dtypes.int32, name="shape_as_tensor")
        return tensor_op("Fill", [vector, constant(value, dtype=dtype)], name=scope)


def reshape(x: TensorLike, to: Any) -> Tensor:
    """Returns `x` with the dimensions `to`, an int vector or a sequence of ints."""
    return tensor_op("Reshape", [densified(x), to])


def concat(parts: list[Any], axis: int = 0) -> Tensor:
    """Returns the parts joined along `axis`."""
    if len(parts) == 1:
        return tensor_op("Identity", [densified(parts[0])], name="concat")
    return tensor_op("ConcatV2", [parts, axis], name="concat")


def stack(parts: list[Any], axis: int = 0) -> Tensor:
    """Returns the parts, tensors or ints, joined along a new dimension."""
    with name_scope("stack") as scope:
        tensors = [
            p if isinstance(p, Tensor) else constant(p, dtype=dtypes.int32, name=str(i)) for i, p in enumerate(parts)
        ]
        return tensor_op("Pack", [tensors], {"axis": axis}, name=scope)


def expand_dims(x: TensorLike, axis: int) -> Tensor:
    """Returns `x` with a new dimension of one."""
    return tensor_op("ExpandDims", [x, axis])


def gather(x: TensorLike, indices: TensorLike, axis: int = 0) -> Tensor:
    """Returns the slices of `x` at `indices` of a dimension."""
    return tensor_op("GatherV2", [densified(x), indices, axis])


def select(condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """Returns `x` where `condition` holds, `y` elsewhere: all three of one shape."""
    return tensor_op("Select", [condition, x, y])


def reduce_sum(x: TensorLike, axes: IntsLike, keep_dims: bool = False) -> Tensor:
    """Returns the sum over the dimensions `axes`."""
    return tensor_op("Sum", [densified(x), axes], {"keep_dims": keep_dims})


def reduce_prod(x: Tensor) -> Tensor:
    """Returns the product of all elements."""
    return tensor_op("Prod", [x, all_axes(x)])


def all_axes(x: Tensor) -> Tensor:
    """Returns the numbers of all dimensions, int32 vector: a constant if the rank is known."""
    x = densified(x)
    found = static_dims(x)
    # TF 1.x: a scalar's are not known beforehand.
    if found:
        return constant(list(range(len(found))), dtype=dtypes.int32)
    return span(0, rank(x))


def _strided_slice(vector: Tensor, begin: int, end: int, **masks: int) -> Tensor:
    with name_scope("strided_slice") as scope:
        bounds = [
            constant([n], dtype=dtypes.int32, name=name)
            for n, name in ((begin, "stack"), (end, "stack_1"), (1, "stack_2"))
        ]
        return tensor_op("StridedSlice", [vector, *bounds], masks, name=scope)


def item(vector: Tensor, index: int) -> Tensor:
    """Returns one element of a vector; -1 is the last."""
    return _strided_slice(vector, index, index + 1, shrink_axis_mask=1, end_mask=int(index == -1))


def part(vector: Tensor, begin: int | None = None, end: int | None = None) -> Tensor:
    """Returns `vector[begin:end]`."""
    return _strided_slice(vector, begin or 0, end or 0, begin_mask=int(begin is None), end_mask=int(end is None))


def span(start: Any, limit: Any, step: Any = 1) -> Tensor:
    """Returns the integers from `start` up to, without, `limit`."""
    return tensor_op("Range", [start, limit, step], name="range")


def densified(x: TensorLike, name: str | None = None) -> Any:
    """Returns IndexedSlices as a tensor in which slices of one row are added up; anything else itself.

    Warns where the tensor is large, or may be.

    Raises:
        ValueError: if the slices have no dense shape.
    """
    if not isinstance(x, IndexedSlices):
        return x
    if x.dense_shape is None:
        raise ValueError(f"Tensor conversion requested for IndexedSlices without dense_shape: {x!s}")
    known = known_value(x.dense_shape)
    if known is None:
        warnings.warn(
            "Converting sparse IndexedSlices to a dense Tensor of unknown shape. This may consume a large amount of "
            "memory.",
            stacklevel=2,
        )
    else:
        elements = math.prod(int(n) for n in known)
        if elements >= _LARGE_SPARSE_NUM_ELEMENTS:
            warnings.warn(
                f"Converting sparse IndexedSlices to a dense Tensor with {elements} elements. This may consume a "
                "large amount of memory.",
                stacklevel=2,
            )
    return tensor_op("UnsortedSegmentSum", [x.values, x.indices, item(x.dense_shape, 0)], name=name)
