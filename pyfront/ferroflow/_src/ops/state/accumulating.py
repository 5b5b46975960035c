"""Accumulators: gradients of several steps or threads are added up to a given number, and then taken together."""

from __future__ import annotations

import collections
from typing import Any

from ferroflow._src.base import dtypes, tensor_shape
from ferroflow._src.base.docstrings import document
from ferroflow._src.base.typing import DTypeLike, ShapeTensorLike, TensorLike
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.math.cast import cast

AccumulatedSlices = collections.namedtuple("AccumulatedSlices", ["indices", "values", "shape"])
document(AccumulatedSlices, "Slices taken from an accumulator: their indices, values, and the dense shape.")


class ConditionalAccumulatorBase:
    """Base of the accumulators of dense and sparse gradients.

    Gradients computed in an older step than the accumulator's are dropped when they are added; taking the mean
    begins a new step.

    Args:
        dtype: DType of the gradients.
        shape: TensorShape of the gradients; None for any.
        accumulator_ref: Tensor of string, a reference: the handle.
    """

    def __init__(self, dtype: DTypeLike, shape: Any, accumulator_ref: Tensor) -> None:
        self._dtype = dtype
        self._shape = tensor_shape.as_shape(shape)
        self._accumulator_ref = accumulator_ref
        self._name = accumulator_ref.op.name.split("/")[-1]

    @property
    def accumulator_ref(self) -> Tensor:
        """The handle: Tensor of string, a reference."""
        return self._accumulator_ref

    @property
    def name(self) -> str:
        """The name of the operation that makes the handle, without its scope."""
        return self._name

    @property
    def dtype(self) -> Any:
        """The dtype of the gradients."""
        return self._dtype

    def num_accumulated(self, name: str | None = None) -> Tensor:
        """Counts the gradients that were added since the last take.

        Args:
            name: str, name of the operation.

        Returns:
            Tensor of int32, of shape [].
        """
        name = f"{self._name}_NumAccumulated" if name is None else name
        return tensor_op("AccumulatorNumAccumulated", [self._accumulator_ref], name=name)

    def set_global_step(self, new_global_step: TensorLike, name: str | None = None) -> Operation:
        """Sets the step before which gradients are too old.

        Args:
            new_global_step: Tensor of int64, of shape [].
            name: str, name of the operation.

        Returns:
            Operation that sets it.
        """
        step = cast(convert_to_tensor(new_global_step), dtypes.int64)
        return apply_op("AccumulatorSetGlobalStep", [self._accumulator_ref, step], name=name)


def _handle(op_type: str, dtype: Any, shape: Any, shared_name: str | None, name: str, reduction_type: str) -> Tensor:
    if reduction_type not in ("MEAN", "SUM"):
        raise ValueError(f"reduction_type must be 'MEAN' or 'SUM', not {reduction_type!r}.")
    attrs = {"dtype": dtypes.as_dtype(dtype), "shape": tensor_shape.as_shape(shape), "shared_name": shared_name or ""}
    if reduction_type != "MEAN":
        attrs["reduction_type"] = reduction_type
    return tensor_op(op_type, [], attrs, name=name)


class ConditionalAccumulator(ConditionalAccumulatorBase):
    """Accumulator of dense gradients.

    Args:
        dtype: DType of the gradients: float16, float32 or float64.
        shape: TensorShape of the gradients; None for any.
        shared_name: str, the name under which sessions share the accumulator; None for a unique one.
        name: str, name of the operation.
        reduction_type: "MEAN" or "SUM", the kind of result.

    Raises:
        ValueError: if `reduction_type` is neither "MEAN" nor "SUM".
    """

    def __init__(
        self,
        dtype: DTypeLike,
        shape: ShapeTensorLike | None = None,
        shared_name: str | None = None,
        name: str = "conditional_accumulator",
        reduction_type: str = "MEAN",
    ) -> None:
        ref = _handle("ConditionalAccumulator", dtype, shape, shared_name, name, reduction_type)
        super().__init__(dtype, shape, ref)

    def apply_grad(self, grad: TensorLike, local_step: TensorLike = 0, name: str | None = None) -> Operation:
        """Adds a gradient, unless it is too old.

        Args:
            grad: Tensor of the accumulator's dtype and shape.
            local_step: Tensor of int64, of shape []: the step it was computed in.
            name: str, name of the operation.

        Returns:
            Operation that adds it.

        Raises:
            ValueError: if the gradient has another shape than the accumulator.
        """
        grad = convert_to_tensor(grad, self._dtype)
        grad.get_shape().assert_is_compatible_with(self._shape)
        step = cast(convert_to_tensor(local_step), dtypes.int64)
        return apply_op("AccumulatorApplyGradient", [self._accumulator_ref, step, grad], name=name)

    def take_grad(self, num_required: TensorLike, name: str | None = None) -> Tensor:
        """Waits for gradients and takes their mean.

        Args:
            num_required: Tensor of int32, of shape []: how many there must be.
            name: str, name of the operation.

        Returns:
            Tensor of the accumulator's dtype and shape.
        """
        inputs = [self._accumulator_ref, num_required]
        mean = tensor_op("AccumulatorTakeGradient", inputs, {"dtype": dtypes.as_dtype(self._dtype)}, name=name)
        mean.set_shape(self._shape)
        return mean


class SparseConditionalAccumulator(ConditionalAccumulatorBase):
    """Accumulator of gradients given as slices; a slice's mean is over the gradients that contain it.

    Args:
        dtype: DType of the gradients: float16, float32 or float64.
        shape: TensorShape of the dense gradients; None for any.
        shared_name: str, the name under which sessions share the accumulator; None for a unique one.
        name: str, name of the operation.
        reduction_type: "MEAN" or "SUM", the kind of result.

    Raises:
        ValueError: if `reduction_type` is neither "MEAN" nor "SUM".
    """

    def __init__(
        self,
        dtype: DTypeLike,
        shape: ShapeTensorLike | None = None,
        shared_name: str | None = None,
        name: str = "sparse_conditional_accumulator",
        reduction_type: str = "MEAN",
    ) -> None:
        ref = _handle("SparseConditionalAccumulator", dtype, shape, shared_name, name, reduction_type)
        super().__init__(dtype, shape, ref)

    def apply_indexed_slices_grad(
        self, grad: IndexedSlices, local_step: TensorLike = 0, name: str | None = None
    ) -> Operation:
        """Adds a gradient, unless it is too old.

        Args:
            grad: IndexedSlices of the accumulator's dtype, its indices in ascending order.
            local_step: Tensor of int64, of shape []: the step it was computed in.
            name: str, name of the operation.

        Returns:
            Operation that adds it.
        """
        return self.apply_grad(grad.indices, grad.values, grad.dense_shape, local_step, name)

    def apply_grad(
        self,
        grad_indices: TensorLike,
        grad_values: TensorLike,
        grad_shape: TensorLike | None = None,
        local_step: TensorLike = 0,
        name: str | None = None,
    ) -> Operation:
        """Adds a gradient, unless it is too old.

        Args:
            grad_indices: Tensor of int64, of shape [n], in ascending order: which slices there are.
            grad_values: Tensor of the accumulator's dtype, of shape [n, ...].
            grad_shape: Tensor of int64, the shape of the dense gradient; None if unknown.
            local_step: Tensor of int64, of shape []: the step it was computed in.
            name: str, name of the operation.

        Returns:
            Operation that adds it.
        """
        step = cast(convert_to_tensor(local_step), dtypes.int64)
        indices = cast(convert_to_tensor(grad_indices), dtypes.int64)
        values = convert_to_tensor(grad_values, self._dtype)
        shape = cast(convert_to_tensor([] if grad_shape is None else grad_shape), dtypes.int64)
        inputs = [self._accumulator_ref, step, indices, values, shape]
        known = {"has_known_shape": grad_shape is not None}
        return apply_op("SparseAccumulatorApplyGradient", inputs, known, name=name)

    def take_grad(self, num_required: TensorLike, name: str | None = None) -> AccumulatedSlices:
        """Waits for gradients and takes the mean of each slice.

        Args:
            num_required: Tensor of int32, of shape []: how many there must be.
            name: str, name of the operation.

        Returns:
            (indices, values, shape): Tensors of int64, of the accumulator's dtype, and of int64.
        """
        attrs = {"dtype": dtypes.as_dtype(self._dtype)}
        inputs = [self._accumulator_ref, num_required]
        return AccumulatedSlices(*apply_op("SparseAccumulatorTakeGradient", inputs, attrs, name=name).outputs)

    def take_indexed_slices_grad(self, num_required: TensorLike, name: str | None = None) -> IndexedSlices:
        """Waits for gradients and takes the mean of each slice.

        Args:
            num_required: Tensor of int32, of shape []: how many there must be.
            name: str, name of the operation.

        Returns:
            IndexedSlices of the accumulator's dtype.
        """
        taken = self.take_grad(num_required, name)
        return IndexedSlices(values=taken.values, indices=taken.indices, dense_shape=taken.shape)
