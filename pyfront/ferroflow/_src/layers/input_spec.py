"""`InputSpec`: the requirements of a layer for its inputs, and their check."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ferroflow._src.base import dtypes, nest
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import DTypeLike, TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor


class InputSpec:
    """A layer's requirements for one input; None means any value.

    Args:
        dtype: DType.
        shape: sequence of int or None for each dimension.
        ndim: int, the rank.
        max_ndim: int, the highest rank.
        min_ndim: int, the lowest rank.
        axes: dict from dimensions, which may count from the end, to their sizes.

    Raises:
        TypeError: if a key of `axes` is not an int.
        ValueError: if a key of `axes` is not below the rank.
    """

    def __init__(
        self,
        dtype: DTypeLike | None = None,
        shape: Any = None,
        ndim: int | None = None,
        max_ndim: int | None = None,
        min_ndim: int | None = None,
        axes: dict[int, Any] | None = None,
    ) -> None:
        self.dtype = dtype
        self.shape = shape
        self.ndim = ndim if shape is None else len(shape)
        self.max_ndim = max_ndim
        self.min_ndim = min_ndim
        try:
            self.axes = {int(axis): size for axis, size in (axes or {}).items()}
        except (TypeError, ValueError):
            raise TypeError(f"The keys in axes must be integers: {list(axes or {})}") from None
        rank = self.ndim or self.max_ndim
        if self.axes and rank is not None and max(self.axes) >= rank:
            raise ValueError(f"Axis {max(self.axes)} is greater than the maximum allowed value: {rank - 1}")

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make an equal object.

        Returns:
            dict by the arguments' names.
        """
        return {name: getattr(self, name) for name in ("dtype", "shape", "ndim", "max_ndim", "min_ndim", "axes")}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> InputSpec:
        """Returns an InputSpec from the result of `get_config`.

        Args:
            config: dict of arguments.

        Returns:
            InputSpec of this class.
        """
        return cls(**config)

    def __repr__(self) -> str:
        names = ("dtype", "shape", "ndim", "max_ndim", "min_ndim", "axes")
        told = [f"{name}={getattr(self, name)}" for name in names if getattr(self, name)]
        return f"InputSpec({', '.join(told)})"


def numbers_as_tensors(inputs: Any) -> Any:
    """Returns inputs of a layer with tensors for numbers and arrays.

    Args:
        inputs: Tensor, number, NumPy array, or structure of them.
    """
    return nest.map_structure(lambda x: convert_to_tensor(x) if isinstance(x, (np.ndarray, float, int)) else x, inputs)


def assert_input_compatibility(layer_name: str, input_spec: Any, inputs: TensorLike) -> None:
    """Checks inputs against a layer's requirements.

    Args:
        layer_name: str, for the error's text.
        input_spec: InputSpec, list of them, or None.
        inputs: Tensor or structure of Tensors.

    Raises:
        ValueError: if the inputs differ from `input_spec` in number, rank, shape or dtype.
    """
    if not input_spec:
        return
    specs: Sequence[Any] = input_spec if isinstance(input_spec, (list, tuple)) else [input_spec]
    given = nest.flatten(inputs)
    if len(given) != len(specs):
        raise ValueError(
            f"Layer {layer_name} expects {len(specs)} inputs, but it received {len(given)} input tensors. Inputs "
            f"received: {given}"
        )
    for index, (x, spec) in enumerate(zip(given, specs, strict=True)):
        if spec is not None:
            _check(f"Input {index} of layer {layer_name} is incompatible with the layer: ", spec, x)


def assert_shape_compatibility(layer_name: str, input_spec: Any, shape: TensorShape) -> None:
    """Checks the shape of a layer's first input against its requirements.

    Args:
        layer_name: str, for the error's text.
        input_spec: InputSpec, list of them, or None.
        shape: TensorShape.

    Raises:
        ValueError: if the rank or a dimension differs from `input_spec`.
    """
    spec = next(iter(input_spec), None) if isinstance(input_spec, (list, tuple)) else input_spec
    if spec is not None:
        _check_shape(f"Input 0 of layer {layer_name} is incompatible with the layer: ", spec, shape)


def _check(beginning: str, spec: InputSpec, x: Any) -> None:
    static = x.get_shape()
    _check_rank(beginning, spec, static)
    if spec.dtype is not None and x.dtype.base_dtype != dtypes.as_dtype(spec.dtype):
        raise ValueError(f"{beginning}expected dtype={spec.dtype}, found dtype={x.dtype}")
    _check_sizes(beginning, spec, static)


def _check_shape(beginning: str, spec: InputSpec, static: TensorShape) -> None:
    _check_rank(beginning, spec, static)
    _check_sizes(beginning, spec, static)


def _check_rank(beginning: str, spec: InputSpec, static: TensorShape) -> None:
    ndim = static.ndims
    if ndim is None:
        if (spec.ndim, spec.min_ndim, spec.max_ndim) != (None, None, None):
            raise ValueError(f"{beginning}its rank is undefined, but the layer requires a defined rank.")
    else:
        shape = static.as_list()
        if spec.ndim is not None and ndim != spec.ndim:
            raise ValueError(f"{beginning}expected ndim={spec.ndim}, found ndim={ndim}. Full shape received: {shape}")
        if spec.max_ndim is not None and ndim > spec.max_ndim:
            raise ValueError(f"{beginning}expected max_ndim={spec.max_ndim}, found ndim={ndim}")
        if spec.min_ndim is not None and ndim < spec.min_ndim:
            raise ValueError(
                f"{beginning}: expected min_ndim={spec.min_ndim}, found ndim={ndim}. Full shape received: {shape}"
            )


def _check_sizes(beginning: str, spec: InputSpec, static: TensorShape) -> None:
    if static.ndims is None:
        return
    shape = static.as_list()
    for axis, size in spec.axes.items():
        wanted = getattr(size, "value", size)
        if wanted is not None and shape[int(axis)] not in (wanted, None):
            raise ValueError(
                f"{beginning}expected axis {axis} of input shape to have value {wanted} but received input with shape "
                f"{shape}"
            )
    for wanted, dim in zip(spec.shape or (), shape, strict=False):
        if wanted is not None and dim is not None and wanted != dim:
            raise ValueError(f"{beginning}expected shape={spec.shape}, found shape={shape}")
