"""The bijector that applies several bijectors one after another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.contrib.bijectors.base import Bijector, is_injective
from ferroflow._src.framework.constant import constant, constant_value
from ferroflow._src.ops.array import shaping


def _least_event_ndims(ranks: list[tuple[int, int]]) -> int:
    """Returns the least rank of the first argument of functions that are applied in order.

    Args:
        ranks: list of (least rank of the argument, least rank of the value).
    """
    least = known = 0
    for of_argument, of_value in ranks:
        if known < of_argument:
            least += of_argument - known
        known = max(of_argument, known) - (of_argument - of_value)
    return least


class Chain(Bijector):
    """The composition of bijectors: `y = first(second(...(last(x))))`.

    Args:
        bijectors: list of Bijector, of the last to be applied first; None or empty for the identity.
        validate_args: bool, without an effect: the bijectors check their own arguments.
        name: str, name scope of its operations; None for one made of the bijectors' names.

    Raises:
        ValueError: if the bijectors have different dtypes.
        NotImplementedError: if one of them maps several arguments to one value.
    """

    def __init__(
        self, bijectors: Sequence[Bijector] | None = None, validate_args: bool = False, name: str | None = None
    ) -> None:
        self._bijectors = () if bijectors is None else bijectors
        for bijector in self._bijectors:
            if not is_injective(bijector):
                raise NotImplementedError(f"Invert is not implemented for non-injective bijector ({bijector.name})")
        found = list(dict.fromkeys(bijector.dtype for bijector in self._bijectors if bijector.dtype is not None))
        if len(found) > 1:
            raise ValueError(f"incompatible dtypes: {found}")
        forward = [(b.forward_min_event_ndims, b.inverse_min_event_ndims) for b in reversed(self._bijectors)]
        inverse = [(b.inverse_min_event_ndims, b.forward_min_event_ndims) for b in self._bijectors]
        names = "_of_".join(["chain", *(b.name for b in self._bijectors)])
        super().__init__(
            graph_parents=[parent for b in self._bijectors for parent in b.graph_parents],
            forward_min_event_ndims=_least_event_ndims(forward),
            inverse_min_event_ndims=_least_event_ndims(inverse),
            is_constant_jacobian=all(b.is_constant_jacobian for b in self._bijectors),
            validate_args=validate_args,
            dtype=found[0] if found else None,
            name=name or (names if self._bijectors else "identity"),
        )

    @property
    def bijectors(self) -> Sequence[Bijector]:
        """The bijectors, of which the last is applied first."""
        return self._bijectors

    def _forward_event_shape(self, input_shape: TensorShape) -> Any:
        shape: Any = input_shape
        for bijector in reversed(self._bijectors):
            shape = bijector.forward_event_shape(shape)
        return shape

    def _forward_event_shape_tensor(self, input_shape: Any) -> Any:
        for bijector in reversed(self._bijectors):
            input_shape = bijector.forward_event_shape_tensor(input_shape)
        return input_shape

    def _inverse_event_shape(self, output_shape: TensorShape) -> Any:
        shape: Any = output_shape
        for bijector in self._bijectors:
            shape = bijector.inverse_event_shape(shape)
        return shape

    def _inverse_event_shape_tensor(self, output_shape: Any) -> Any:
        for bijector in self._bijectors:
            output_shape = bijector.inverse_event_shape_tensor(output_shape)
        return output_shape

    def _forward(self, x: Any, **kwargs: Any) -> Any:
        for bijector in reversed(self._bijectors):
            x = bijector.forward(x, **kwargs.get(bijector.name, {}))
        return x

    def _inverse(self, y: Any, **kwargs: Any) -> Any:
        for bijector in self._bijectors:
            y = bijector.inverse(y, **kwargs.get(bijector.name, {}))
        return y

    def _forward_log_det_jacobian(self, x: Any, **kwargs: Any) -> Any:
        steps = [
            (b, b.forward, b.forward_log_det_jacobian, b.forward_event_shape, b.forward_event_shape_tensor)
            for b in reversed(self._bijectors)
        ]
        return self._total(x, self.forward_min_event_ndims, steps, kwargs)

    def _inverse_log_det_jacobian(self, y: Any, **kwargs: Any) -> Any:
        steps = [
            (b, b.inverse, b.inverse_log_det_jacobian, b.inverse_event_shape, b.inverse_event_shape_tensor)
            for b in self._bijectors
        ]
        return self._total(y, self.inverse_min_event_ndims, steps, kwargs)

    @staticmethod
    def _total(
        x: Any, event_ndims: Any, steps: Sequence[tuple[Any, Callable[..., Any], Any, Any, Any]], kwargs: Any
    ) -> Any:
        """Adds up the determinants; the rank of an event follows from each step's shape."""
        total: Any = constant(0.0, dtype=x.dtype.base_dtype)
        event_shape: Any = None
        for bijector, function, determinant, static_shape, shape_in_step in steps:
            arguments = kwargs.get(bijector.name, {})
            total = total + determinant(x, event_ndims=event_ndims, **arguments)
            if isinstance(event_ndims, int) and x.get_shape().is_fully_defined():
                rank = x.get_shape().ndims
                after = static_shape(x.get_shape()[rank - event_ndims :])
                if after.ndims is not None:
                    event_ndims = after.ndims
                    x = function(x, **arguments)
                    continue
            if event_shape is None or isinstance(event_ndims, int):
                event_shape = shaping.shape(x)[shaping.rank(x) - event_ndims :]
            event_shape = shape_in_step(event_shape)
            size = shaping.size(event_shape)
            known = constant_value(size)
            event_ndims = size if known is None else int(known)
            x = function(x, **arguments)
        return total
