"""Scales of vectors as linear operators, made of the parameters of distributions, and the shapes they have together."""

from __future__ import annotations

from typing import Any

from ferroflow._src.contrib.distributions.static_shapes import known_size, prefer_static_broadcast_shape
from ferroflow._src.framework.constant import constant_value
from ferroflow._src.framework.conversion import convert_index, convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.linear_operator.base import LinearOperator
from ferroflow._src.linear_operator.diag import LinearOperatorDiag
from ferroflow._src.linear_operator.identity import LinearOperatorIdentity, LinearOperatorScaledIdentity
from ferroflow._src.linear_operator.lower_triangular import LinearOperatorLowerTriangular
from ferroflow._src.ops.array import making, shaping
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.flow.grouping import with_dependencies
from ferroflow._src.ops.math.linalg import matrix_band_part, matrix_diag_part, matrix_set_diag


def _converted(x: Any, name: str) -> Any:
    return None if x is None else convert_to_tensor(x, name=name)


def _checked(x: Any, diagonal: Any, validate_args: bool, assert_positive: bool) -> Any:
    """Returns a parameter whose diagonal steps check, if they are to."""
    if not validate_args:
        return x
    if assert_positive:
        check = checking.assert_positive(diagonal, message="diagonal part must be positive")
    else:
        zero = making.zeros([], x.dtype)
        check = checking.assert_none_equal(diagonal, zero, message="diagonal part must be non-zero")
    return with_dependencies([check], x)


def make_tril_scale(
    loc: Any = None,
    scale_tril: Any = None,
    scale_diag: Any = None,
    scale_identity_multiplier: Any = None,
    shape_hint: Any = None,
    validate_args: bool = False,
    assert_positive: bool = False,
    name: str | None = None,
) -> Any:
    """Makes the operator of a lower triangular matrix, or of a diagonal one if no triangle is given.

    Args:
        loc: Tensor of a float dtype, of shape [..., k], from which the size is taken; or None.
        scale_tril: Tensor of the same dtype, of shape [..., k, k], or None.
        scale_diag: Tensor of the same dtype, of shape [..., k], that is added to the diagonal; or None.
        scale_identity_multiplier: Tensor of the same dtype, of shape [...], that is added to the diagonal; or None.
        shape_hint: int or Tensor of int32, of shape []: the size, if no other argument determines it.
        validate_args: bool. If True, steps check the diagonal.
        assert_positive: bool. If True, the diagonal must be above 0; if not, it must not be 0.
        name: str, name scope of the operations.

    Returns:
        LinearOperator of shape [..., k, k].

    Raises:
        ValueError: if no argument has the size.
    """
    if scale_tril is None:
        return make_diag_scale(
            loc, scale_diag, scale_identity_multiplier, shape_hint, validate_args, assert_positive, name
        )
    with name_scope(name, "make_tril_scale", values=[loc, scale_diag, scale_identity_multiplier]):
        tril = matrix_band_part(convert_to_tensor(scale_tril, name="scale_tril"), -1, 0)
        diagonal = matrix_diag_part(tril)
        if scale_diag is not None:
            diagonal = diagonal + convert_to_tensor(scale_diag, name="scale_diag")
        if scale_identity_multiplier is not None:
            multiplier = convert_to_tensor(scale_identity_multiplier, name="scale_identity_multiplier")
            diagonal = diagonal + multiplier[..., None]
        if scale_diag is not None or scale_identity_multiplier is not None:
            tril = matrix_set_diag(tril, diagonal)
        return LinearOperatorLowerTriangular(
            tril=_checked(tril, diagonal, validate_args, assert_positive),
            is_non_singular=True,
            is_self_adjoint=False,
            is_positive_definite=assert_positive,
        )


def make_diag_scale(
    loc: Any = None,
    scale_diag: Any = None,
    scale_identity_multiplier: Any = None,
    shape_hint: Any = None,
    validate_args: bool = False,
    assert_positive: bool = False,
    name: str | None = None,
) -> Any:
    """Makes the operator of a diagonal matrix.

    Args:
        loc: Tensor of a float dtype, of shape [..., k], from which the size is taken; or None.
        scale_diag: Tensor of the same dtype, of shape [..., k], or None.
        scale_identity_multiplier: Tensor of the same dtype, of shape [...], that is added to the diagonal; or None.
        shape_hint: int or Tensor of int32, of shape []: the size, if no other argument determines it.
        validate_args: bool. If True, steps check the diagonal.
        assert_positive: bool. If True, the diagonal must be above 0; if not, it must not be 0.
        name: str, name scope of the operations.

    Returns:
        LinearOperator of shape [..., k, k]: the identity if no diagonal is given.

    Raises:
        ValueError: if no argument has the size.
    """
    with name_scope(name, "make_diag_scale", values=[loc, scale_diag, scale_identity_multiplier]):
        loc = _converted(loc, "loc")
        diagonal = _converted(scale_diag, "scale_diag")
        multiplier = _converted(scale_identity_multiplier, "scale_identity_multiplier")
        if diagonal is not None:
            if multiplier is not None:
                diagonal = diagonal + multiplier[..., None]
            return LinearOperatorDiag(
                diag=_checked(diagonal, diagonal, validate_args, assert_positive),
                is_non_singular=True,
                is_self_adjoint=True,
                is_positive_definite=assert_positive,
            )
        if loc is None and shape_hint is None:
            raise ValueError("Cannot infer `event_shape` unless `loc` or `shape_hint` is specified.")
        if shape_hint is None:
            static = loc.get_shape()
            shape_hint = None if static.ndims is None else known_size(static[-1])
            shape_hint = shaping.shape(loc)[-1] if shape_hint is None else shape_hint
        if multiplier is None:
            return LinearOperatorIdentity(
                num_rows=shape_hint,
                dtype=None if loc is None else loc.dtype.base_dtype,
                is_self_adjoint=True,
                is_positive_definite=True,
                assert_proper_shapes=validate_args,
            )
        return LinearOperatorScaledIdentity(
            num_rows=shape_hint,
            multiplier=_checked(multiplier, multiplier, validate_args, assert_positive),
            is_non_singular=True,
            is_self_adjoint=True,
            is_positive_definite=assert_positive,
            assert_proper_shapes=validate_args,
        )


def shapes_from_loc_and_scale(loc: Any, scale: Any, name: str = "shapes_from_loc_and_scale") -> tuple[Any, Any]:
    """Returns the shapes of batch and event of a location and a scale.

    Args:
        loc: Tensor of a float dtype, of shape [..., k] or [..., 1]; or None.
        scale: LinearOperator of shape [..., k, k].
        name: str, name scope of the operations.

    Returns:
        (batch, event): arrays or TensorShapes if they are known, else Tensors of int32.

    Raises:
        ValueError: if the sizes of the two are known and do not broadcast.
    """
    with name_scope(name, values=[loc, *scale.graph_parents]):
        size = scale.range_dimension_tensor()
        known = constant_value(size)
        event = size[None] if known is None else known.reshape([1])
        batch = scale.batch_shape_tensor()
        if loc is None:
            known_batch = constant_value(batch)
            return (batch if known_batch is None else known_batch), event
        static = loc.get_shape()
        loc_size = None if static.ndims is None else known_size(static[-1])
        if loc_size is not None and known is not None and loc_size not in (1, int(known)):
            raise ValueError(
                f"Event size of 'scale' ({int(known)}) could not be broadcast up to that of 'loc' ({loc_size})."
            )
        loc_batch = static.with_rank_at_least(1)[:-1]
        if static.ndims is None or not loc_batch.is_fully_defined():
            return prefer_static_broadcast_shape(batch, shaping.shape(loc)[:-1]), event
        return prefer_static_broadcast_shape(batch, convert_index(loc_batch.as_list(), name="loc_batch_shape")), event


def is_diagonal_scale(scale: Any) -> bool:
    """Returns True for the operator of a diagonal matrix.

    Raises:
        TypeError: if the argument is not a LinearOperator.
    """
    if not isinstance(scale, LinearOperator):
        raise TypeError(f"Expected argument 'scale' to be instance of LinearOperator. Found: {scale}")
    return isinstance(scale, (LinearOperatorIdentity, LinearOperatorScaledIdentity, LinearOperatorDiag))
