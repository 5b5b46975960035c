"""`Bijector`: the base of all bijectors; a subclass defines methods that begin with `_`."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.framework.composite import is_tensor
from ferroflow._src.framework.constant import constant_value
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.framework.handles import Operation
from ferroflow._src.ops.array import making, shaping
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.math.reduction import reduce_sum


def _snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=.)(?=[A-Z][a-z])", "_", name.lstrip("_")).lower().replace("__", "_")


def _frozen(value: Any) -> Any:
    """Returns keyword arguments as what a dict accepts as a key."""
    if isinstance(value, dict):
        return tuple((name, _frozen(inner)) for name, inner in sorted(value.items()))
    if isinstance(value, (list, tuple)):
        return tuple(_frozen(inner) for inner in value)
    return value


class _Pair:
    """An input and an output of a bijector, and the logarithms of determinants there, by rank of an event."""

    def __init__(self, x: Any = None, y: Any = None) -> None:
        self.x = x
        self.y = y
        self.ildj: dict[Any, Any] = {}


class Bijector:
    """An invertible and differentiable function of tensors.

    A subclass overrides the methods that it can compute: `_forward`, `_inverse`, `_forward_log_det_jacobian` or
    `_inverse_log_det_jacobian`, and if it changes shapes `_forward_event_shape`, `_inverse_event_shape` and their
    counterparts that end in `_tensor`. The public methods of the others raise NotImplementedError.

    Results are cached: the inverse of a tensor that `forward` returned is the argument of `forward` itself.

    Args:
        graph_parents: list of the Tensors, of any dtype and shape, that it depends on.
        is_constant_jacobian: bool. If True, the Jacobian is the same for all arguments.
        validate_args: bool. If True, steps check parameters and values.
        dtype: DType of the arguments; None for any.
        forward_min_event_ndims: int, the least rank of the argument of `forward`.
        inverse_min_event_ndims: int, the least rank of the argument of `inverse`; by default the other one's.
        name: str, name scope of its operations; None for the name of the class.

    Raises:
        ValueError: if neither rank is given, one is negative, or an item of `graph_parents` is not a Tensor.
    """

    def __init__(
        self,
        graph_parents: list[Any] | None = None,
        is_constant_jacobian: bool = False,
        validate_args: bool = False,
        dtype: Any = None,
        forward_min_event_ndims: int | None = None,
        inverse_min_event_ndims: int | None = None,
        name: str | None = None,
    ) -> None:
        if forward_min_event_ndims is None:
            forward_min_event_ndims = inverse_min_event_ndims
        if inverse_min_event_ndims is None:
            inverse_min_event_ndims = forward_min_event_ndims
        if forward_min_event_ndims is None or inverse_min_event_ndims is None:
            raise ValueError("Must specify at least one of `forward_min_event_ndims` and `inverse_min_event_ndims`.")
        if forward_min_event_ndims < 0:
            raise ValueError("forward_min_event_ndims must be a non-negative integer.")
        if inverse_min_event_ndims < 0:
            raise ValueError("inverse_min_event_ndims must be a non-negative integer.")
        self._graph_parents = graph_parents or []
        for i, parent in enumerate(self._graph_parents):
            if parent is None or not is_tensor(parent):
                raise ValueError(f"Graph parent item {i} is not a Tensor; {parent}.")
        self._forward_min_event_ndims = forward_min_event_ndims
        self._inverse_min_event_ndims = inverse_min_event_ndims
        self._is_constant_jacobian = is_constant_jacobian
        self._validate_args = validate_args
        self._dtype = dtype
        self._name = name or _snake_case(type(self).__name__)
        self._from_x: dict[Any, _Pair] = {}
        self._from_y: dict[Any, _Pair] = {}

    @property
    def graph_parents(self) -> list[Any]:
        """The Tensors, of any dtype and shape, that it depends on."""
        return self._graph_parents

    @property
    def forward_min_event_ndims(self) -> int:
        """The least rank of the argument of `forward`."""
        return self._forward_min_event_ndims

    @property
    def inverse_min_event_ndims(self) -> int:
        """The least rank of the argument of `inverse`."""
        return self._inverse_min_event_ndims

    @property
    def is_constant_jacobian(self) -> bool:
        """True if the Jacobian is the same for all arguments."""
        return self._is_constant_jacobian

    @property
    def _is_injective(self) -> bool:
        """True if no two arguments have one value; if not, the inverse is a tuple of Tensors."""
        return True

    @property
    def validate_args(self) -> bool:
        """True if steps check parameters and values."""
        return self._validate_args

    @property
    def dtype(self) -> Any:
        """The DType of the arguments; None for any."""
        return self._dtype

    @property
    def name(self) -> str:
        """The name scope of its operations."""
        return self._name

    @contextlib.contextmanager
    def _name_scope(self, name: str | None = None, values: list[Any] | None = None) -> Iterator[str]:
        with name_scope(self._name), name_scope(name, values=[*(values or ()), *self._graph_parents]) as scope:
            yield scope

    def _forward_event_shape_tensor(self, input_shape: Any) -> Any:
        return input_shape

    def forward_event_shape_tensor(self, input_shape: Any, name: str = "forward_event_shape_tensor") -> Any:
        """Returns the shape of one event in the result of `forward`.

        Args:
            input_shape: Tensor of int32, of shape [rank]: the shape of an event of its argument.
            name: str, name scope of the operations.

        Returns:
            Tensor of int32, of shape [rank].
        """
        with self._name_scope(name, [input_shape]):
            return self._forward_event_shape_tensor(
                convert_to_tensor(input_shape, dtype=dtypes.int32, name="input_shape")
            )

    def _forward_event_shape(self, input_shape: TensorShape) -> Any:
        return input_shape

    def forward_event_shape(self, input_shape: Any) -> Any:
        """Returns the static shape of one event in the result of `forward`.

        Args:
            input_shape: TensorShape, or list of int: the shape of an event of its argument.

        Returns:
            TensorShape.
        """
        return self._forward_event_shape(TensorShape(input_shape))

    def _inverse_event_shape_tensor(self, output_shape: Any) -> Any:
        return output_shape

    def inverse_event_shape_tensor(self, output_shape: Any, name: str = "inverse_event_shape_tensor") -> Any:
        """Returns the shape of one event in the result of `inverse`.

        Args:
            output_shape: Tensor of int32, of shape [rank]: the shape of an event of its argument.
            name: str, name scope of the operations.

        Returns:
            Tensor of int32, of shape [rank].
        """
        with self._name_scope(name, [output_shape]):
            return self._inverse_event_shape_tensor(
                convert_to_tensor(output_shape, dtype=dtypes.int32, name="output_shape")
            )

    def _inverse_event_shape(self, output_shape: TensorShape) -> Any:
        return output_shape

    def inverse_event_shape(self, output_shape: Any) -> Any:
        """Returns the static shape of one event in the result of `inverse`.

        Args:
            output_shape: TensorShape, or list of int: the shape of an event of its argument.

        Returns:
            TensorShape.
        """
        return self._inverse_event_shape(TensorShape(output_shape))

    def _forward(self, x: Any) -> Any:
        raise NotImplementedError("forward not implemented.")

    def forward(self, x: Any, name: str = "forward") -> Any:
        """Computes the function.

        Args:
            x: Tensor of `dtype`.
            name: str, name scope of the operations.

        Returns:
            Tensor of the dtype of `x`.

        Raises:
            TypeError: if `x` is not of `dtype`.
            NotImplementedError: if the subclass does not define it.
        """
        return self._call_forward(x, name)

    def _call_forward(self, x: Any, name: str, **kwargs: Any) -> Any:
        with self._name_scope(name, [x]):
            x = self._converted(x, "x")
            if not self._is_injective:
                return self._forward(x, **kwargs)
            pair = self._pair_of_x(x, kwargs)
            if pair.y is None:
                pair.y = self._forward(x, **kwargs)
                self._from_y.setdefault((pair.y, _frozen(kwargs)), pair)
            return pair.y

    def _inverse(self, y: Any) -> Any:
        raise NotImplementedError("inverse not implemented")

    def inverse(self, y: Any, name: str = "inverse") -> Any:
        """Computes the argument for which `forward` has a value.

        Args:
            y: Tensor of `dtype`.
            name: str, name scope of the operations.

        Returns:
            Tensor of the dtype of `y`; where several arguments have the value, a tuple of them.

        Raises:
            TypeError: if `y` is not of `dtype`.
            NotImplementedError: if the subclass does not define it.
        """
        return self._call_inverse(y, name)

    def _call_inverse(self, y: Any, name: str, **kwargs: Any) -> Any:
        with self._name_scope(name, [y]):
            y = self._converted(y, "y")
            if not self._is_injective:
                return self._inverse(y, **kwargs)
            pair = self._pair_of_y(y, kwargs)
            if pair.x is None:
                pair.x = self._inverse(y, **kwargs)
                self._from_x.setdefault((pair.x, _frozen(kwargs)), pair)
            return pair.x

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        raise NotImplementedError("inverse_log_det_jacobian not implemented.")

    def inverse_log_det_jacobian(self, y: Any, event_ndims: Any, name: str = "inverse_log_det_jacobian") -> Any:
        """Returns `log(abs(det(J)))` for the Jacobian J of `inverse`.

        Args:
            y: Tensor of `dtype`.
            event_ndims: int, or Tensor of int32, of shape []: the rank of an event, at least
                `inverse_min_event_ndims`.
            name: str, name scope of the operations.

        Returns:
            Tensor of the dtype of `y`, of its shape without that of an event; where several arguments have the value,
            a tuple of them.

        Raises:
            ValueError: if `event_ndims` is less than `inverse_min_event_ndims`.
            TypeError: if `y` is not of `dtype`.
            NotImplementedError: if the subclass defines no determinant.
        """
        return self._call_inverse_log_det_jacobian(y, event_ndims, name)

    def _call_inverse_log_det_jacobian(self, y: Any, event_ndims: Any, name: str, **kwargs: Any) -> Any:
        with (
            self._name_scope(name, [y]),
            control_dependencies(self._check_event_ndims(self._inverse_min_event_ndims, event_ndims)),
        ):
            y = self._converted(y, "y")
            if not self._is_injective:
                parts = self._inverse_log_det_jacobian(y, **kwargs)
                return tuple(self._summed(y, part, self._inverse_min_event_ndims, event_ndims) for part in parts)
            pair = self._pair_of_y(y, kwargs)
            if event_ndims in pair.ildj:
                return pair.ildj[event_ndims]

            def of_forward() -> Any:
                x = self._inverse(y, **kwargs) if pair.x is None else pair.x
                determinant = -self._forward_log_det_jacobian(x, **kwargs)
                return self._summed(x, determinant, self._forward_min_event_ndims, event_ndims)

            def of_inverse() -> Any:
                determinant = self._inverse_log_det_jacobian(y, **kwargs)
                return self._summed(y, determinant, self._inverse_min_event_ndims, event_ndims)

            pair.ildj[event_ndims] = self._first_defined(of_inverse, of_forward)
            return pair.ildj[event_ndims]

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        raise NotImplementedError("forward_log_det_jacobian not implemented.")

    def forward_log_det_jacobian(self, x: Any, event_ndims: Any, name: str = "forward_log_det_jacobian") -> Any:
        """Returns `log(abs(det(J)))` for the Jacobian J of `forward`.

        Args:
            x: Tensor of `dtype`.
            event_ndims: int, or Tensor of int32, of shape []: the rank of an event, at least
                `forward_min_event_ndims`.
            name: str, name scope of the operations.

        Returns:
            Tensor of the dtype of `x`, of its shape without that of an event.

        Raises:
            ValueError: if `event_ndims` is less than `forward_min_event_ndims`.
            TypeError: if `x` is not of `dtype`.
            NotImplementedError: if the subclass defines no determinant, or several arguments have one value.
        """
        if not self._is_injective:
            raise NotImplementedError("forward_log_det_jacobian cannot be implemented for non-injective transforms.")
        return self._call_forward_log_det_jacobian(x, event_ndims, name)

    def _call_forward_log_det_jacobian(self, x: Any, event_ndims: Any, name: str, **kwargs: Any) -> Any:
        if not self._is_injective:
            raise NotImplementedError("forward_log_det_jacobian cannot be implemented for non-injective transforms.")
        with (
            self._name_scope(name, [x]),
            control_dependencies(self._check_event_ndims(self._forward_min_event_ndims, event_ndims)),
        ):
            x = self._converted(x, "x")
            pair = self._pair_of_x(x, kwargs)
            if event_ndims in pair.ildj:
                return -pair.ildj[event_ndims]

            def of_forward() -> Any:
                determinant = -self._forward_log_det_jacobian(x, **kwargs)
                return self._summed(x, determinant, self._forward_min_event_ndims, event_ndims)

            def of_inverse() -> Any:
                y = self._forward(x, **kwargs) if pair.y is None else pair.y
                determinant = self._inverse_log_det_jacobian(y, **kwargs)
                return self._summed(y, determinant, self._inverse_min_event_ndims, event_ndims)

            pair.ildj[event_ndims] = self._first_defined(of_forward, of_inverse)
            return -pair.ildj[event_ndims]

    @staticmethod
    def _first_defined(function: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
        try:
            return function()
        except NotImplementedError as error:
            try:
                return otherwise()
            except NotImplementedError:
                raise error from None

    def _converted(self, x: Any, name: str) -> Any:
        x = convert_to_tensor(x, name=name)
        if self._dtype is not None and dtypes.as_dtype(self._dtype).base_dtype != x.dtype.base_dtype:
            raise TypeError(f"Input had dtype {self._dtype} but expected {x.dtype}.")
        return x

    def _pair_of_x(self, x: Any, kwargs: dict[str, Any]) -> _Pair:
        return self._from_x.setdefault((x, _frozen(kwargs)), _Pair(x=x))

    def _pair_of_y(self, y: Any, kwargs: dict[str, Any]) -> _Pair:
        return self._from_y.setdefault((y, _frozen(kwargs)), _Pair(y=y))

    def _summed(self, x: Any, determinant: Any, min_event_ndims: int, event_ndims: Any) -> Any:
        """Adds up the logarithms of an event's independent parts."""
        known = self._known_rank(event_ndims)
        axes: Any = (
            making.range(-(event_ndims - min_event_ndims), 0)
            if known is None
            else [-i for i in range(1, known - min_event_ndims + 1)]
        )
        if not self._is_constant_jacobian:
            return reduce_sum(determinant, axes)
        # A constant has no dimensions of the event: it counts once for each part.
        rank = shaping.rank(x)
        part_shape = shaping.shape(x)[rank - event_ndims : rank - min_event_ndims]
        total = reduce_sum(making.ones(part_shape, determinant.dtype) * determinant, axes)
        static = x.get_shape()
        if known is not None and static.ndims and determinant.get_shape().ndims:
            parts = static[static.ndims - known : static.ndims - min_event_ndims]
            shape = shaping.broadcast_static_shape(determinant.get_shape(), parts)
            total.set_shape(shape[: shape.ndims - (known - min_event_ndims)])
        return total

    @staticmethod
    def _known_rank(rank: Any) -> int | None:
        if isinstance(rank, int):
            return rank
        known = constant_value(convert_to_tensor(rank))
        return None if known is None else int(known)

    def _check_event_ndims(self, min_event_ndims: int, event_ndims: Any) -> list[Operation]:
        event_ndims = convert_to_tensor(event_ndims, name="event_ndims")
        known = self._known_rank(event_ndims)
        if known is not None:
            if known < min_event_ndims:
                raise ValueError(f"event_ndims ({known}) must be larger than min_event_ndims ({min_event_ndims})")
            return []
        return [checking.assert_greater_equal(event_ndims, min_event_ndims)] if self._validate_args else []


def is_injective(bijector: Bijector) -> bool:
    """Returns True if no two arguments of a bijector have one value; if not, its inverse is a tuple of Tensors.

    Args:
        bijector: Bijector.

    Returns:
        bool.
    """
    return bijector._is_injective
