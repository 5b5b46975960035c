"""The bijector that multiplies vectors by a linear operator and shifts them."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.contrib.bijectors.base import Bijector
from ferroflow._src.contrib.distributions.distribution_shape import DistributionShape
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.linear_operator.base import LinearOperator


class AffineLinearOperator(Bijector):
    """The function `y = scale @ x + shift` of vectors.

    Args:
        shift: Tensor of a float dtype, of shape [..., k]; None for 0.
        scale: LinearOperator of the same dtype, of shape [..., k, k]; None for the identity.
        validate_args: bool. If True, steps check that `scale` is not singular.
        name: str, name scope of its operations.

    Raises:
        TypeError: if the dtypes differ, or `scale` is not a LinearOperator.
        ValueError: if with `validate_args`, `scale` is not declared as non-singular.
    """

    def __init__(
        self,
        shift: Any = None,
        scale: Any = None,
        validate_args: bool = False,
        name: str = "affine_linear_operator",
    ) -> None:
        parents = []
        dtype: Any = dtypes.float32
        with name_scope(name), name_scope("init", values=[shift]):
            if shift is not None:
                shift = convert_to_tensor(shift, name="shift")
                parents.append(shift)
                dtype = shift.dtype.base_dtype
            batch_ndims: Any = 0
            if scale is not None:
                if shift is not None and shift.dtype.base_dtype != scale.dtype.base_dtype:
                    raise TypeError(f"shift.dtype({shift.dtype}) is incompatible with scale.dtype({scale.dtype}).")
                if not isinstance(scale, LinearOperator):
                    raise TypeError("scale is not an instance of tf.LinearOperator")
                if validate_args and not scale.is_non_singular:
                    raise ValueError("Scale matrix must be non-singular.")
                parents.extend(scale.graph_parents)
                if scale.tensor_rank is None:
                    batch_ndims = scale.tensor_rank_tensor() - 2
                    parents.append(batch_ndims)
                else:
                    batch_ndims = scale.tensor_rank - 2
                dtype = dtype if scale.dtype is None else scale.dtype.base_dtype
            self._shift = shift
            self._scale = scale
            self._shaper = DistributionShape(batch_ndims=batch_ndims, event_ndims=1, validate_args=validate_args)
        super().__init__(
            forward_min_event_ndims=1,
            graph_parents=parents,
            is_constant_jacobian=True,
            dtype=dtype,
            validate_args=validate_args,
            name=name,
        )

    @property
    def shift(self) -> Any:
        """The shift, a Tensor of a float dtype; None for 0."""
        return self._shift

    @property
    def scale(self) -> Any:
        """The LinearOperator; None for the identity."""
        return self._scale

    def _forward(self, x: Any) -> Any:
        y = x
        if self._scale is not None:
            y, samples = self._shaper.make_batch_of_event_sample_matrices(y, expand_batch_dim=False)
            with control_dependencies(self._checks()):
                y = self._scale.matmul(y)
            y = self._shaper.undo_make_batch_of_event_sample_matrices(y, samples, expand_batch_dim=False)
        return y if self._shift is None else y + self._shift

    def _inverse(self, y: Any) -> Any:
        x = y if self._shift is None else y - self._shift
        if self._scale is None:
            return x
        x, samples = self._shaper.make_batch_of_event_sample_matrices(x, expand_batch_dim=False)
        x = self._scale.solve(x)
        return self._shaper.undo_make_batch_of_event_sample_matrices(x, samples, expand_batch_dim=False)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        if self._scale is None:
            return constant(0.0, dtype=x.dtype.base_dtype)
        with control_dependencies(self._checks()):
            return self._scale.log_abs_determinant()

    def _checks(self) -> list[Any]:
        if not self.validate_args:
            return []
        try:
            return [self._scale.assert_non_singular()]
        except NotImplementedError:
            return []
