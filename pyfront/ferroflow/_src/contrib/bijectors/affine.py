"""The bijector that multiplies vectors by a matrix, given by its parts, and shifts them."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.contrib.bijectors.base import Bijector
from ferroflow._src.contrib.distributions.distribution_shape import DistributionShape
from ferroflow._src.contrib.distributions.scales import make_tril_scale
from ferroflow._src.contrib.distributions.static_shapes import dimension_size
from ferroflow._src.framework.composite import is_tensor
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.linear_operator.low_rank_update import LinearOperatorLowRankUpdate
from ferroflow._src.ops.array import making, shaping
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.flow.grouping import with_dependencies
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import abs as absolute, log


class Affine(Bijector):
    """The function `y = scale @ x + shift` of vectors, whose scale is a sum of matrices.

    The scale is `multiplier * identity + diag(scale_diag) + scale_tril + factor @ diag(perturb_diag) @ factor^T`; parts
    that are None are left out.

    Args:
        shift: Tensor of a float dtype, of shape [..., k]; None for 0.
        scale_identity_multiplier: Tensor of the same dtype, of shape [...]; None for 1 if all parts are None.
        scale_diag: Tensor of the same dtype, of shape [..., k], or None.
        scale_tril: Tensor of the same dtype, of shape [..., k, k], whose elements above the diagonal are not read;
            or None.
        scale_perturb_factor: Tensor of the same dtype, of shape [..., k, r], or None.
        scale_perturb_diag: Tensor of the same dtype, of shape [..., r]; None for ones.
        validate_args: bool. If True, steps check that the scale is not singular.
        name: str, name scope of its operations.

    Raises:
        ValueError: if `scale_perturb_diag` is given without `scale_perturb_factor`.
        TypeError: if the dtypes differ.
    """

    def __init__(
        self,
        shift: Any = None,
        scale_identity_multiplier: Any = None,
        scale_diag: Any = None,
        scale_tril: Any = None,
        scale_perturb_factor: Any = None,
        scale_perturb_diag: Any = None,
        validate_args: bool = False,
        name: str = "affine",
    ) -> None:
        if scale_perturb_diag is not None and scale_perturb_factor is None:
            raise ValueError("When scale_perturb_diag is specified, scale_perturb_factor must be specified.")
        self._is_multiple_of_identity = scale_tril is None and scale_diag is None and scale_perturb_factor is None
        parts = [scale_identity_multiplier, scale_diag, scale_tril, scale_perturb_diag, scale_perturb_factor]
        dtype: Any = dtypes.float32
        with name_scope(name), name_scope("init", values=[shift, *parts]):
            if shift is not None:
                shift = convert_to_tensor(shift, name="shift")
                dtype = shift.dtype.base_dtype
            batch_ndims: Any = 0
            if self._is_multiple_of_identity:
                if scale_identity_multiplier is None:
                    scale_identity_multiplier = convert_to_tensor(1.0, dtype=dtype)
                scale = self._multiplier(scale_identity_multiplier, validate_args)
            else:
                scale = self._operator(
                    shift,
                    scale_identity_multiplier,
                    scale_diag,
                    scale_tril,
                    scale_perturb_diag,
                    scale_perturb_factor,
                    validate_args,
                )
                if shift is not None and shift.dtype.base_dtype != scale.dtype.base_dtype:
                    raise TypeError(f"shift.dtype({shift.dtype}) is incompatible with scale.dtype({scale.dtype}).")
                rank = scale.tensor_rank
                batch_ndims = (scale.tensor_rank_tensor() if rank is None else rank) - 2
            dtype = scale.dtype.base_dtype
            self._shift = shift
            self._scale = scale
            self._shaper = DistributionShape(batch_ndims=batch_ndims, event_ndims=1, validate_args=validate_args)
        parents = [scale] if is_tensor(scale) else list(scale.graph_parents)
        super().__init__(
            forward_min_event_ndims=1,
            graph_parents=parents if shift is None else [*parents, shift],
            is_constant_jacobian=True,
            dtype=dtype,
            validate_args=validate_args,
            name=name,
        )

    @staticmethod
    def _multiplier(multiplier: Any, validate_args: bool) -> Any:
        multiplier = convert_to_tensor(multiplier, name="identity_multiplier")
        if not validate_args:
            return multiplier
        message = "identity_multiplier should be non-zero."
        zero = making.zeros([], multiplier.dtype)
        return with_dependencies([checking.assert_none_equal(multiplier, zero, [message])], multiplier)

    @staticmethod
    def _operator(
        shift: Any, multiplier: Any, diag: Any, tril: Any, perturb_diag: Any, perturb_factor: Any, validate_args: bool
    ) -> Any:
        size = None
        if perturb_factor is not None:
            perturb_factor = convert_to_tensor(perturb_factor, name="perturb_factor")
            size = dimension_size(perturb_factor, -2)
        scale = make_tril_scale(
            loc=shift,
            scale_tril=tril,
            scale_diag=diag,
            scale_identity_multiplier=multiplier,
            validate_args=validate_args,
            assert_positive=False,
            shape_hint=size,
        )
        if perturb_factor is None:
            return scale
        return LinearOperatorLowRankUpdate(
            scale,
            u=perturb_factor,
            diag_update=None if perturb_diag is None else convert_to_tensor(perturb_diag, name="perturb_diag"),
            is_diag_update_positive=perturb_diag is None,
            is_non_singular=True,
            is_self_adjoint=True,
            is_positive_definite=True,
            is_square=True,
        )

    @property
    def shift(self) -> Any:
        """The shift, a Tensor of a float dtype; None for 0."""
        return self._shift

    @property
    def scale(self) -> Any:
        """The scale: a LinearOperator, or a Tensor of a float dtype for a multiple of the identity."""
        return self._scale

    def _forward(self, x: Any) -> Any:
        if self._is_multiple_of_identity:
            y = x * self._scale
        else:
            y, samples = self._shaper.make_batch_of_event_sample_matrices(x, expand_batch_dim=False)
            with control_dependencies(self._checks()):
                y = self._scale.matmul(y)
            y = self._shaper.undo_make_batch_of_event_sample_matrices(y, samples, expand_batch_dim=False)
        return y if self._shift is None else y + self._shift

    def _inverse(self, y: Any) -> Any:
        x = y if self._shift is None else y - self._shift
        if self._is_multiple_of_identity:
            return x / self._scale
        x, samples = self._shaper.make_batch_of_event_sample_matrices(x, expand_batch_dim=False)
        x = self._scale.solve(x)
        return self._shaper.undo_make_batch_of_event_sample_matrices(x, samples, expand_batch_dim=False)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        if self._is_multiple_of_identity:
            return log(absolute(self._scale)) * cast(shaping.shape(x)[-1], self._scale.dtype)
        return self._scale.log_abs_determinant()

    def _checks(self) -> list[Any]:
        if not self.validate_args:
            return []
        try:
            return [self._scale.assert_non_singular()]
        except NotImplementedError:
            return []
