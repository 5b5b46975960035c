"""Matrix products and matrices of a given form."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.compat import integral_types
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import IntLike, IntsLike, TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.conversion import convert_index, convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import indexing, joining, making, shaping
from ferroflow._src.ops.math import elementwise
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.reduction import reduce_prod, reduce_sum


def _may_broadcast(a: TensorShape, b: TensorShape) -> bool:
    """Returns True if the batches of two tensors of matrices may need broadcasting to one shape."""
    if a.ndims is None or a.ndims != b.ndims:
        return True
    batches = a.as_list()[:-2], b.as_list()[:-2]
    return any(None in pair or (1 in pair and pair[0] != pair[1]) for pair in zip(*batches, strict=True))


def matmul(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Multiplies matrices, or batches of them.

    Args:
        a: Tensor of float16, bfloat16, float32, float64, int32, complex64 or complex128, of shape [..., m, k].
        b: Tensor of the dtype of `a`, of shape [..., k, n]. Batch dimensions broadcast, as from TensorFlow 1.14 on. A
            matrix and a tensor of unknown rank are multiplied as two matrices.
        transpose_a: bool. If True, `a` is given as [..., k, m].
        transpose_b: bool. If True, `b` is given as [..., n, k].
        adjoint_a: bool. If True, `a` is given conjugated and transposed.
        adjoint_b: bool. If True, `b` is given conjugated and transposed.
        a_is_sparse: bool; True if most elements of `a` are zero (float32 and bfloat16 matrices only).
        b_is_sparse: bool; True if most elements of `b` are zero.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `a`, of shape [..., m, n].

    Raises:
        ValueError: if the inner dimensions differ, or a matrix is both transposed and adjoint.
        TypeError: if the dtypes differ.

    Example:
        >>> a = tf.constant([[1, 2], [3, 4]])
        >>> b = tf.constant([[5], [6]])
        >>> print(sess.run(tf.matmul(a, b)))
        [[17]
         [39]]
        >>> print(sess.run(tf.matmul(b, a, transpose_a=True)))
        [[23 34]]
    """
    with name_scope(name, "MatMul", [a, b]) as scope:
        # TF 1.x: None stands for an attribute's default, and Keras gives it.
        adjoint_a, adjoint_b = bool(adjoint_a), bool(adjoint_b)
        if transpose_a and adjoint_a:
            raise ValueError("Only one of transpose_a and adjoint_a can be True.")
        if transpose_b and adjoint_b:
            raise ValueError("Only one of transpose_b and adjoint_b can be True.")
        a = convert_to_tensor(a, name="a")
        b = convert_to_tensor(b, name="b")
        is_sparse = a_is_sparse or b_is_sparse
        a_rank, b_rank = a.get_shape().ndims, b.get_shape().ndims
        are_batches = any(rank is None or rank > 2 for rank in (a_rank, b_rank))
        if not is_sparse and are_batches:
            # BatchMatMul only has the adjoint: a transpose is the adjoint of the conjugate.
            if transpose_a:
                a, adjoint_a = elementwise.conj(a), True
            if transpose_b:
                b, adjoint_b = elementwise.conj(b), True
            op_type = "BatchMatMulV2" if _may_broadcast(a.get_shape(), b.get_shape()) else "BatchMatMul"
            return tensor_op(op_type, [a, b], {"adj_x": adjoint_a, "adj_y": adjoint_b}, name=scope)
        if adjoint_a:
            a, transpose_a = elementwise.conj(a), True
        if adjoint_b:
            b, transpose_b = elementwise.conj(b), True
        attrs: dict[str, Any] = {"transpose_a": transpose_a, "transpose_b": transpose_b}
        sparse_dtypes = (dtypes.bfloat16, dtypes.float32)
        mixed = a.dtype.base_dtype != b.dtype.base_dtype
        if (is_sparse or mixed) and a.dtype.base_dtype in sparse_dtypes and b.dtype.base_dtype in sparse_dtypes:
            attrs.update(a_is_sparse=a_is_sparse, b_is_sparse=b_is_sparse)
            product = tensor_op("SparseMatMul", [a, b], attrs, name=scope)
            both_halves = a.dtype.base_dtype == b.dtype.base_dtype == dtypes.bfloat16
            return cast(product, dtypes.bfloat16) if both_halves else product
        return tensor_op("MatMul", [a, b], attrs, name=scope)


def matvec(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Multiplies matrices and vectors, or batches of them.

    Args:
        a: Tensor of a dtype that `matmul` takes, of shape [..., m, k].
        b: Tensor of the dtype of `a`, of shape [..., k].
        transpose_a: bool. If True, `a` is given as [..., k, m].
        adjoint_a: bool. If True, `a` is given conjugated and transposed.
        a_is_sparse: bool; True if most elements of `a` are zero.
        b_is_sparse: bool; True if most elements of `b` are zero.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `a`, of shape [..., m].

    Raises:
        ValueError: if the dimensions are incompatible, or `a` is both transposed and adjoint.
    """
    with name_scope(name, "MatVec", [a, b]):
        column = shaping.expand_dims(b, axis=-1)
        product = matmul(
            a,
            column,
            transpose_a=transpose_a,
            adjoint_a=adjoint_a,
            a_is_sparse=a_is_sparse,
            b_is_sparse=b_is_sparse,
        )
        return shaping.squeeze(product, axis=-1)


def sparse_matmul(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    transpose_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Multiplies matrices of which one has many zeros.

    Args:
        a: Tensor of float32 or bfloat16, of shape [m, k].
        b: Tensor of float32 or bfloat16, of shape [k, n].
        transpose_a: bool. If True, `a` is given as [k, m].
        transpose_b: bool. If True, `b` is given as [n, k].
        a_is_sparse: bool; True if most elements of `a` are zero.
        b_is_sparse: bool; True if most elements of `b` are zero.
        name: str, name of the operation.

    Returns:
        Tensor of float32, of shape [m, n].
    """
    attrs = {
        "transpose_a": transpose_a,
        "transpose_b": transpose_b,
        "a_is_sparse": a_is_sparse,
        "b_is_sparse": b_is_sparse,
    }
    return tensor_op("SparseMatMul", [a, b], attrs, name=name)


def matrix_transpose(a: TensorLike, name: str = "matrix_transpose", conjugate: bool = False) -> Tensor:
    """Swaps the last two dimensions.

    Args:
        a: Tensor of any dtype, of shape [..., m, n].
        name: str, name scope of the operations.
        conjugate: bool. If True, complex elements are conjugated too.

    Returns:
        Tensor of the dtype of `a`, of shape [..., n, m].

    Raises:
        ValueError: if `a` has fewer than two dimensions.
    """
    with name_scope(name, values=[a]):
        a = convert_to_tensor(a, name="a")
        shape = a.get_shape()
        perm: Any
        if shape.ndims is not None:
            if shape.ndims < 2:
                raise ValueError(f"Argument 'a' should be a (batch) matrix, with rank >= 2.  Found: {shape}")
            perm = [*builtins.range(shape.ndims - 2), shape.ndims - 1, shape.ndims - 2]
        else:
            rank = shaping.rank(a)
            perm = joining.concat((tensor_op("Range", [0, rank - 2, 1]), [rank - 1, rank - 2]), 0)
        return shaping.transpose(a, perm=perm, conjugate=conjugate)


def adjoint(matrix: TensorLike, name: str | None = None) -> Tensor:
    """Swaps the last two dimensions and conjugates.

    Args:
        matrix: Tensor of any dtype, of shape [..., m, n].
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `matrix`, of shape [..., n, m].

    Raises:
        ValueError: if `matrix` has fewer than two dimensions.
    """
    with name_scope(name, "adjoint", [matrix]):
        return matrix_transpose(convert_to_tensor(matrix, name="matrix"), conjugate=True)


def trace(x: TensorLike, name: str | None = None) -> Tensor:
    """Adds up the main diagonal of each matrix.

    Args:
        x: Tensor of a number dtype, of shape [..., m, n].
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `x`, of shape [...].
    """
    with name_scope(name, "Trace", [x]) as scope:
        return reduce_sum(matrix_diag_part(convert_to_tensor(x, name="x")), [-1], name=scope)


def eye(
    num_rows: Any,
    num_columns: Any = None,
    batch_shape: Any = None,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Makes identity matrices.

    Args:
        num_rows: int, or Tensor of int32 of shape [].
        num_columns: int, or Tensor of int32 of shape []; None for `num_rows`.
        batch_shape: list of int, or Tensor of int32 of shape [n]; None for a single matrix.
        dtype: DType of the result.
        name: str, name scope of the operations.

    Returns:
        Tensor of `dtype`, of shape batch_shape + [num_rows, num_columns].

    Raises:
        TypeError: if a number of rows or columns is neither an int nor a Tensor.
    """
    with name_scope(name, default_name="eye", values=[num_rows, num_columns, batch_shape]):
        is_square = num_columns is None
        batch = [] if batch_shape is None else batch_shape
        columns = num_rows if num_columns is None else num_columns
        shape: Any
        if any(isinstance(part, Tensor) for part in (num_rows, columns, batch)):
            batch = convert_index(batch, name="shape")
            diagonal_shape: Any = joining.concat((batch, [tensor_op("Minimum", [num_rows, columns])]), 0)
            shape = None if is_square else joining.concat((batch, [num_rows, columns]), 0)
        else:
            if not isinstance(num_rows, integral_types) or not isinstance(columns, integral_types):
                raise TypeError("num_rows and num_columns must be positive integer values.")
            is_square = num_rows == columns
            batch = list(batch)
            diagonal_shape = [*batch, builtins.min(num_rows, columns)]
            shape = [*batch, num_rows, columns]
        ones = making.ones(diagonal_shape, dtype=dtype)
        if is_square:
            return matrix_diag(ones)
        return matrix_set_diag(making.zeros(shape, dtype=dtype), ones)


def diag(diagonal: TensorLike, name: str | None = None) -> Tensor:
    """Makes a tensor with the given values on its diagonal and zeros elsewhere.

    Args:
        diagonal: Tensor of a number dtype, of shape [d1, ..., dk].
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `diagonal`, of shape [d1, ..., dk, d1, ..., dk].

    Example:
        >>> print(sess.run(tf.diag([1, 2, 3])))
        [[1 0 0]
         [0 2 0]
         [0 0 3]]
    """
    return tensor_op("Diag", [diagonal], name=name)


def diag_part(input: TensorLike, name: str | None = None) -> Tensor:
    """Returns the diagonal of a tensor.

    Args:
        input: Tensor of a number dtype, of shape [d1, ..., dk, d1, ..., dk].
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `input`, of shape [d1, ..., dk].
    """
    return tensor_op("DiagPart", [input], name=name)


def _is(value: Any, default: int) -> bool:
    return isinstance(value, int | float) and value == default


def matrix_diag(
    diagonal: TensorLike,
    name: str | None = "diag",
    k: IntsLike = 0,
    num_rows: IntLike = -1,
    num_cols: IntLike = -1,
    padding_value: TensorLike = 0,
) -> Tensor:
    """Makes a matrix of each vector, which is its diagonal, or of several diagonals.

    Args:
        diagonal: Tensor of any dtype, of shape [..., n]; [..., diagonals, n] for several.
        name: str, name of the operation.
        k: int or Tensor of int32: the diagonal, positive above the main one; or the lowest and highest of several.
        num_rows: int or Tensor of int32, of shape []; -1 for the least number.
        num_cols: int or Tensor of int32, of shape []; -1 for the least number.
        padding_value: Tensor of the dtype of `diagonal`, of shape []: the other elements.

    Returns:
        Tensor of the dtype of `diagonal`, of shape [..., rows, columns].
    """
    if _is(k, 0) and _is(num_rows, -1) and _is(num_cols, -1) and _is(padding_value, 0):
        return tensor_op("MatrixDiag", [diagonal], name=name)
    diagonal = convert_to_tensor(diagonal, name="diagonal")
    padding = convert_to_tensor(padding_value, dtype=diagonal.dtype.base_dtype, name="padding_value")
    return tensor_op("MatrixDiagV2", [diagonal, k, num_rows, num_cols, padding], name=name)


def matrix_diag_part(
    input: TensorLike, name: str | None = "diag_part", k: IntsLike = 0, padding_value: TensorLike = 0
) -> Tensor:
    """Returns a diagonal of each matrix, or several.

    Args:
        input: Tensor of any dtype, of shape [..., m, n].
        name: str, name of the operation.
        k: int or Tensor of int32: the diagonal, positive above the main one; or the lowest and highest of several.
        padding_value: Tensor of the dtype of `input`, of shape []: fills up diagonals that are shorter than others.

    Returns:
        Tensor of the dtype of `input`, of shape [..., length]; [..., diagonals, length] for several.
    """
    if _is(k, 0) and _is(padding_value, 0):
        return tensor_op("MatrixDiagPart", [input], name=name)
    input = convert_to_tensor(input, name="input")
    padding = convert_to_tensor(padding_value, dtype=input.dtype.base_dtype, name="padding_value")
    return tensor_op("MatrixDiagPartV2", [input, k, padding], name=name)


def matrix_set_diag(input: TensorLike, diagonal: TensorLike, name: str | None = "set_diag", k: IntsLike = 0) -> Tensor:
    """Replaces a diagonal of each matrix, or several.

    Args:
        input: Tensor of any dtype, of shape [..., m, n].
        diagonal: Tensor of the dtype of `input`, of shape [..., length]; [..., diagonals, length] for several.
        name: str, name of the operation.
        k: int or Tensor of int32: the diagonal, positive above the main one; or the lowest and highest of several.

    Returns:
        Tensor of the dtype and shape of `input`.
    """
    if _is(k, 0):
        return tensor_op("MatrixSetDiag", [input, diagonal], name=name)
    return tensor_op("MatrixSetDiagV2", [input, diagonal, k], name=name)


def matrix_band_part(
    input: TensorLike, num_lower: TensorLike, num_upper: TensorLike, name: str | None = None
) -> Tensor:
    """Sets elements outside a band around each matrix's main diagonal to zero.

    Args:
        input: Tensor of any dtype, of shape [..., m, n].
        num_lower: Tensor of int64, of shape []: diagonals kept below the main one; negative for all.
        num_upper: Tensor of int64, of shape []: diagonals kept above the main one; negative for all.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of `input`.
    """
    return tensor_op("MatrixBandPart", [input, num_lower, num_upper], name=name)


def tensordot(a: TensorLike, b: TensorLike, axes: IntsLike, name: str | None = None) -> Tensor:
    """Sums products over dimensions of two tensors.

    Args:
        a: Tensor of a dtype that `matmul` takes.
        b: Tensor of the dtype of `a`.
        axes: int n for the last n dimensions of `a` and the first n of `b`. Or two lists of int, or a Tensor of int32,
            of shape [2, n]: the dimensions of `a` and, in the same order, of `b`.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `a`: the free dimensions of `a`, then those of `b`.

    Raises:
        ValueError: if `axes` is negative, too large or of the wrong length, or dimensions differ in size.
    """
    with name_scope(name, "Tensordot", [a, b, axes]) as scope:
        a = convert_to_tensor(a, name="a")
        b = convert_to_tensor(b, name="b")
        a_axes, b_axes = _contraction_axes(a, axes)
        a_matrix, a_free, a_free_static = _as_matrix(a, a_axes, contracted_first=False)
        b_matrix, b_free, b_free_static = _as_matrix(b, b_axes, contracted_first=True)
        product = matmul(a_matrix, b_matrix)
        if isinstance(a_free, list) and isinstance(b_free, list):
            return shaping.reshape(product, a_free + b_free, name=scope)
        a_free = convert_index(a_free)
        b_free = convert_index(b_free)
        result = shaping.reshape(product, joining.concat([a_free, b_free], 0), name=scope)
        if a_free_static is not None and b_free_static is not None:
            result.set_shape(a_free_static + b_free_static)
        return result


def _contraction_axes(a: Tensor, axes: Any) -> tuple[Any, Any]:
    if isinstance(axes, integral_types):
        axes = int(axes)
        if axes < 0:
            raise ValueError("'axes' must be at least 0.")
        ndims = a.get_shape().ndims
        if ndims is not None:
            if axes > ndims:
                raise ValueError(f"'axes' must not be larger than the number of dimensions of tensor {a}.")
            return list(builtins.range(ndims - axes, ndims)), list(builtins.range(axes))
        rank = shaping.rank(a)
        return making.range(rank - axes, rank, dtype=dtypes.int32), making.range(axes, dtype=dtypes.int32)
    if isinstance(axes, (list, tuple)):
        if len(axes) != 2:
            raise ValueError("'axes' must be an integer or have length 2.")
        a_axes, b_axes = axes
        if isinstance(a_axes, integral_types) and isinstance(b_axes, integral_types):
            a_axes, b_axes = [a_axes], [b_axes]
        if len(a_axes) != len(b_axes):
            raise ValueError(f"Different number of contraction axes 'a' and 'b', {len(a_axes)} != {len(b_axes)}.")
        return a_axes, b_axes
    axes = convert_index(axes, name="axes")
    return axes[0], axes[1]


def _as_matrix(x: Tensor, axes: Any, contracted_first: bool) -> tuple[Tensor, Any, list[int | None] | None]:
    """Returns the tensor as a matrix of its free and its contracted dimensions, the free ones, and those known now."""
    shape = x.get_shape()
    static_axes = list(axes) if isinstance(axes, (list, tuple)) else None
    if shape.is_fully_defined() and static_axes is not None:
        known = [d for d in shape.as_list() if d is not None]
        static_axes = [i if i >= 0 else i + len(known) for i in static_axes]
        free = [i for i in builtins.range(len(known)) if i not in static_axes]
        free_sizes: list[int | None] = [known[i] for i in free]
        n_free = int(np.prod([known[i] for i in free], dtype=np.int64))
        n_contracted = int(np.prod([known[i] for i in static_axes], dtype=np.int64))
        perm = static_axes + free if contracted_first else free + static_axes
        new_shape = [n_contracted, n_free] if contracted_first else [n_free, n_contracted]
        return shaping.reshape(shaping.transpose(x, perm), new_shape), free_sizes, free_sizes
    free_static = None
    free_now: Any
    if shape.ndims is not None and static_axes is not None:
        sizes = shape.as_list()
        static_axes = [i if i >= 0 else i + len(sizes) for i in static_axes]
        free = [i for i in builtins.range(len(sizes)) if i not in static_axes]
        free_static = [sizes[i] for i in free]
        axes = convert_to_tensor(static_axes, dtype=dtypes.int32, name="axes")
        free_now = convert_to_tensor(free, dtype=dtypes.int32, name="free")
        sizes_now = shaping.shape(x)
    else:
        sizes_now = shaping.shape(x)
        rank = shaping.rank(x)
        axes = convert_index(axes, name="axes")
        axes = indexing.where(axes >= 0, axes, axes + rank)
        free_now = indexing.setdiff1d(making.range(rank), axes)[0]
    free_sizes_now = indexing.gather(sizes_now, free_now)
    n_free_now = reduce_prod(free_sizes_now)
    n_contracted_now = reduce_prod(indexing.gather(sizes_now, axes))
    if contracted_first:
        perm_now = joining.concat([axes, free_now], 0)
        shape_now = joining.stack([n_contracted_now, n_free_now])
    else:
        perm_now = joining.concat([free_now, axes], 0)
        shape_now = joining.stack([n_free_now, n_contracted_now])
    return shaping.reshape(shaping.transpose(x, perm_now), shape_now), free_sizes_now, free_static
