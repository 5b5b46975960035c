"""The bijector that changes the shape of events."""

from __future__ import annotations

from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.contrib.bijectors.base import Bijector
from ferroflow._src.contrib.distributions.static_shapes import known_size, rank_of
from ferroflow._src.framework.constant import constant, constant_value, constant_value_as_shape
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.array.indexing import boolean_mask
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.flow.grouping import with_dependencies
from ferroflow._src.ops.math import comparison
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.reduction import reduce_sum


def _checked_shape(shape: Any, validate_args: bool) -> list[Any]:
    """Returns the checks that steps make of a shape; raises ValueError for what is known to be wrong."""
    if not shape.dtype.is_integer:
        raise TypeError(f"{shape} dtype ({shape.dtype.name}) should be `int`-like.")
    checks = []
    ndims = shape.get_shape().ndims
    if ndims is not None and ndims > 1:
        raise ValueError(f"`{shape}` rank ({ndims}) should be <= 1.")
    if ndims is None and validate_args:
        checks.append(checking.assert_less_equal(shaping.rank(shape), 1, message=f"`{shape}` rank should be <= 1."))
    known = constant_value(shape)
    if known is not None:
        if np.sum(known == -1) > 1:
            raise ValueError(f"`{shape}` must have at most one `-1` (given {known})")
        if np.any(known < -1):
            raise ValueError(f"`{shape}` elements must be either positive integers or `-1`(given {known}).")
    elif validate_args:
        unknown = reduce_sum(cast(comparison.equal(shape, -1), dtypes.int32))
        one = f"`{shape}` elements must have at most one `-1`."
        positive = f"`{shape}` elements must be either positive integers or `-1`."
        checks.append(checking.assert_less_equal(unknown, 1, message=one))
        checks.append(checking.assert_greater_equal(shape, -1, message=positive))
    return checks


class Reshape(Bijector):
    """A change of the shape of events, which keeps the order of the elements.

    Args:
        event_shape_out: Tensor of int32 or int64, of shape [rank]: the shape of an event of y; -1, at most once, for
            the size that is left.
        event_shape_in: Tensor of int32 or int64, of shape [rank]: the same of x.
        validate_args: bool. If True, steps check shapes that are not known before.
        name: str, name scope of its operations.

    Raises:
        TypeError: if a shape does not have an integer dtype.
        ValueError: if a shape is not a vector, or has more than one -1.
    """

    def __init__(
        self,
        event_shape_out: Any,
        event_shape_in: Any = (-1,),
        validate_args: bool = False,
        name: str | None = None,
    ) -> None:
        with name_scope(name, "reshape", values=[event_shape_out, event_shape_in]):
            out = convert_to_tensor(event_shape_out, name="event_shape_out", preferred_dtype=dtypes.int32)
            of_x = convert_to_tensor(event_shape_in, name="event_shape_in", preferred_dtype=dtypes.int32)
            self._checks = [*_checked_shape(out, validate_args), *_checked_shape(of_x, validate_args)]
            self._event_shape_in = of_x
            self._event_shape_out = out
            super().__init__(
                forward_min_event_ndims=0,
                is_constant_jacobian=True,
                validate_args=validate_args,
                name=name or "reshape",
            )

    def _reshaped(self, x: Any, shape_in: Any, shape_out: Any) -> Any:
        static = shape_in.get_shape()
        event_ndims: Any = known_size(static.with_rank_at_least(1)[0]) if static.ndims is not None else None
        ndims = x.get_shape().ndims
        is_rank_known = event_ndims is not None and ndims is not None
        if event_ndims is None:
            event_ndims = shaping.shape(shape_in)[0]
        event: Any = None
        if is_rank_known:
            parts = x.get_shape().with_rank_at_least(event_ndims)[ndims - event_ndims :]
            event = np.array(parts.as_list(), np.int32) if parts.is_fully_defined() else None
        wanted = constant_value(shape_in)
        if event is not None and wanted is not None:
            if not np.array_equal(event[wanted >= 0], wanted[wanted >= 0]):
                raise ValueError(f"Input `event_shape` does not match `event_shape_in` ({event} vs {wanted}).")
        elif self.validate_args:
            in_step = shaping.shape(x)[rank_of(x) - event_ndims :] if event is None else event
            mask = shaping.reshape(shape_in >= 0, [-1])
            message = "Input `event_shape` does not match `event_shape_in`."
            check = checking.assert_equal(boolean_mask(in_step, mask), boolean_mask(shape_in, mask), message=message)
            x = with_dependencies([check], x)
        if is_rank_known and event_ndims == ndims:
            return shaping.reshape(x, shape_out)
        outer = shaping.shape(x)[: rank_of(x) - event_ndims]
        reshaped = shaping.reshape(x, joining.concat([outer, cast(shape_out, outer.dtype)], 0))
        if is_rank_known and shape_out.get_shape().is_fully_defined():
            # A single unknown size follows from those that are known.
            after = constant_value_as_shape(shape_out)
            sizes = after.as_list()
            if event is not None and sizes.count(None) == 1:
                others = int(np.prod([n for n in sizes if n is not None]))
                sizes[sizes.index(None)] = int(np.prod(event)) // others if others else None
            reshaped.set_shape(x.get_shape()[: ndims - event_ndims].concatenate(sizes))
        return reshaped

    def _forward(self, x: Any) -> Any:
        with control_dependencies(self._checks):
            return self._reshaped(x, self._event_shape_in, self._event_shape_out)

    def _inverse(self, y: Any) -> Any:
        with control_dependencies(self._checks):
            return self._reshaped(y, self._event_shape_out, self._event_shape_in)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        with control_dependencies(self._checks):
            return constant(0.0, dtype=y.dtype)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        with control_dependencies(self._checks):
            return constant(0.0, dtype=x.dtype)

    # Shapes follow from a reshape of zeros, which folds to a constant if they are known.

    def _forward_event_shape(self, input_shape: TensorShape) -> Any:
        with control_dependencies(self._checks):
            return self.forward(making.zeros(input_shape, dtypes.float32)).get_shape()

    def _inverse_event_shape(self, output_shape: TensorShape) -> Any:
        with control_dependencies(self._checks):
            return self.inverse(making.zeros(output_shape, dtypes.float32)).get_shape()

    def _forward_event_shape_tensor(self, input_shape: Any) -> Any:
        with control_dependencies(self._checks):
            return shaping.shape(self.forward(making.zeros(input_shape, dtypes.float32)))

    def _inverse_event_shape_tensor(self, output_shape: Any) -> Any:
        with control_dependencies(self._checks):
            return shaping.shape(self.inverse(making.zeros(output_shape, dtypes.float32)))
