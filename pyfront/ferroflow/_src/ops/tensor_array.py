"""`TensorArray`: tensors of one type by position, for loops to write and read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import DTypeLike, ShapeTensorLike, TensorLike
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.constant import constant_value
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import colocate_with, device, name_scope
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array.making import identity, range as int_range
from ferroflow._src.ops.array.shaping import shape


class TensorArray:
    """An array of tensors that a step computes; each element is written once.

    A write gives a new TensorArray, of which later reads see the element: the `flow` in it orders them.

    Args:
        dtype: type of the elements.
        size: int32 scalar, number of elements; needed without `handle`.
        dynamic_size: If True, writing behind the end makes the array longer; False by default.
        clear_after_read: If True, an element can be read only once, after which its memory is free; True by default.
        tensor_array_name: name of the array in error messages.
        handle: resource scalar of an array that exists.
        flow: float scalar that orders later operations; needed with `handle`.
        infer_shape: If True, all elements have one shape.
        element_shape: TensorShape of every element.
        colocate_with_first_write_call: If True, the array is placed with the first tensor written to it.
        name: name of the operation.

    Raises:
        ValueError: if neither `size` nor `handle` is given, or an argument that `handle` already determines is given
            with it.
        TypeError: if `handle` is not a tensor.
    """

    def __init__(
        self,
        dtype: DTypeLike,
        size: ShapeTensorLike | None = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: Tensor | None = None,
        flow: Tensor | None = None,
        infer_shape: bool = True,
        element_shape: ShapeTensorLike | None = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        _check_arguments(handle, flow, size, tensor_array_name, element_shape, dynamic_size, clear_after_read)
        self._dtype = dtypes.as_dtype(dtype).base_dtype
        self._infer_shape = infer_shape
        # Shared with the arrays that writes give: one shape for all, once one is known.
        self._element_shape: list[TensorShape] = [] if element_shape is None else [TensorShape(element_shape)]
        self._colocate_with: list[Tensor] | None = [] if colocate_with_first_write_call else None
        with name_scope(name, "TensorArray", [handle, size, flow]) as scope:
            if handle is not None and flow is not None:
                self._handle, self._flow = handle, flow
                return
            attrs = {
                "dtype": self._dtype,
                "element_shape": TensorShape(element_shape),
                "identical_element_shapes": infer_shape,
                "dynamic_size": bool(dynamic_size),
                "clear_after_read": clear_after_read is not False,
                "tensor_array_name": tensor_array_name or "",
            }
            if colocate_with_first_write_call:
                with device(None), colocate_with(None, ignore_existing=True):
                    op = apply_op("TensorArrayV3", [size], attrs, name=scope)
            else:
                op = apply_op("TensorArrayV3", [size], attrs, name=scope)
            self._handle, self._flow = op.outputs[0], op.outputs[1]

    @property
    def flow(self) -> Tensor:
        """The float scalar that orders the uses of the array."""
        return self._flow

    @property
    def dtype(self) -> dtypes.DType:
        """Type of the elements."""
        return self._dtype

    @property
    def handle(self) -> Tensor:
        """The array, resource scalar."""
        return self._handle

    def with_flow(self, flow: Tensor) -> TensorArray:
        """Returns the same array at another point of its order.

        Args:
            flow: Tensor of float32, of shape []: orders the operations on the array.

        Returns:
            TensorArray of the same elements.
        """
        array = TensorArray.__new__(TensorArray)
        array._dtype, array._handle, array._flow = self._dtype, self._handle, flow
        array._infer_shape = self._infer_shape
        array._element_shape = self._element_shape
        array._colocate_with = self._colocate_with
        return array

    def identity(self) -> TensorArray:
        """Returns the same array; what waits for the current control dependencies is its flow."""
        return self.with_flow(identity(self._flow))

    def grad(self, source: str, flow: Tensor | None = None, name: str | None = None) -> TensorArray:
        """Returns the array of the gradients of the elements.

        Args:
            source: names the gradients: each walk has its own.
            flow: float scalar after which the size of this array is known; by default its own.
            name: name scope.

        Returns:
            TensorArray of the dtype and size of this one.
        """
        flow = self._flow if flow is None else flow
        with name_scope(name, "TensorArrayGrad", [self._handle]), colocate_with(self._handle):
            op = apply_op("TensorArrayGradV3", [self._handle, flow], {"source": source})
        array = self.with_flow(op.outputs[1])
        array._handle = op.outputs[0]
        array._colocate_with = None
        return array

    def read(self, index: TensorLike, name: str | None = None) -> Tensor:
        """Reads an element.

        Args:
            index: Tensor of int32, of shape []: its number.
            name: str, name of the operation.

        Returns:
            Tensor of the array's dtype: the element.

        Raises:
            tf.errors.InvalidArgumentError: when the step runs, if the element was not written, or was cleared by an
                earlier read.
        """
        value = tensor_op("TensorArrayReadV3", [self._handle, index, self._flow], {"dtype": self._dtype}, name=name)
        if self._element_shape:
            value.set_shape(self._element_shape[0])
        return value

    def mark_used(self) -> None:
        """Does nothing. In TF 1.x it prevents a warning about an array that is not used."""

    def write(self, index: TensorLike, value: TensorLike, name: str | None = None) -> TensorArray:
        """Sets an element.

        Args:
            index: Tensor of int32, of shape []: its number.
            value: Tensor of the array's dtype: the element.
            name: str, name of the operation.

        Returns:
            TensorArray that has the element.

        Raises:
            ValueError: if the shape is not that of the other elements.
            tf.errors.InvalidArgumentError: when the step runs, if the element was written before, or is past the end.
        """
        with name_scope(name, "TensorArrayWrite", [self._handle, index, value]):
            value = convert_to_tensor(value, preferred_dtype=self._dtype, name="value")
            self._merge_element_shape(value.shape)
            with self._placed_with(value):
                inputs = [self._handle, index, value, self._flow]
                return self.with_flow(tensor_op("TensorArrayWriteV3", inputs, name=name))

    def stack(self, name: str | None = None) -> Tensor:
        """Returns all elements along a new first dimension."""
        with colocate_with(self._handle), name_scope(name, "TensorArrayStack", [self._handle]):
            return self.gather(int_range(0, self.size()), name=name)

    def gather(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """Reads elements and stacks them along a new first dimension.

        Args:
            indices: Tensor of int32, of shape [n]: their numbers.
            name: str, name of the operation.

        Returns:
            Tensor of the array's dtype, of shape [n] + the shape of an element.
        """
        element_shape = self._element_shape[0] if self._element_shape else TensorShape(None)
        attrs = {"dtype": self._dtype, "element_shape": element_shape}
        value = tensor_op("TensorArrayGatherV3", [self._handle, indices, self._flow], attrs, name=name)
        if element_shape.dims is not None:
            value.set_shape(TensorShape([None]).concatenate(element_shape))
        return value

    def concat(self, name: str | None = None) -> Tensor:
        """Returns all elements, joined along their first dimension."""
        rest = TensorShape(None)
        if self._element_shape and self._element_shape[0].dims is not None:
            rest = self._element_shape[0][1:]
        attrs = {"dtype": self._dtype, "element_shape_except0": rest}
        value = tensor_op("TensorArrayConcatV3", [self._handle, self._flow], attrs, name=name)
        if rest.dims is not None:
            value.set_shape(TensorShape([None]).concatenate(rest))
        return value

    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        """Sets the elements to the parts of a tensor along its first dimension.

        Args:
            value: Tensor of the array's dtype, of shape [n, ...].
            name: str, name of the operations.

        Returns:
            TensorArray of the n elements.

        Raises:
            ValueError: if the elements' shape differs from that of earlier elements, and one shape is inferred.
        """
        with name_scope(name, "TensorArrayUnstack", [self._handle, value]):
            value = convert_to_tensor(value, preferred_dtype=self._dtype, name="value")
            return self.scatter(indices=int_range(0, shape(value)[0]), value=value, name=name)

    def scatter(self, indices: TensorLike, value: TensorLike, name: str | None = None) -> TensorArray:
        """Sets elements to the parts of a tensor along its first dimension.

        Args:
            indices: Tensor of int32, of shape [n]: their numbers.
            value: Tensor of the array's dtype, of shape [n, ...].
            name: str, name of the operation.

        Returns:
            TensorArray that has the elements.

        Raises:
            ValueError: if the elements' shape differs from that of earlier elements, and one shape is inferred.
        """
        with name_scope(name, "TensorArrayScatter", [self._handle, value, indices]):
            value = convert_to_tensor(value, preferred_dtype=self._dtype, name="value")
            self._merge_element_shape(value.shape[1:])
            with self._placed_with(value):
                inputs = [self._handle, indices, value, self._flow]
                return self.with_flow(tensor_op("TensorArrayScatterV3", inputs, name=name))

    def split(self, value: Any, lengths: Any, name: str | None = None) -> TensorArray:
        """Sets the elements to consecutive pieces of a tensor along its first dimension.

        Args:
            value: Tensor of the array's dtype, of shape [sum of `lengths`, ...].
            lengths: Tensor of int64 or int32, of shape [n]: the pieces' first dimensions.
            name: str, name of the operation.

        Returns:
            TensorArray of the n elements.

        Raises:
            ValueError: if the elements' shape differs from that of earlier elements, and one shape is inferred.
        """
        with name_scope(name, "TensorArraySplit", [self._handle, value, lengths]):
            value = convert_to_tensor(value, preferred_dtype=self._dtype, name="value")
            lengths = convert_to_tensor(lengths, name="lengths")
            lengths = lengths if lengths.dtype == dtypes.int64 else tensor_op("Cast", [lengths], {"DstT": dtypes.int64})
            known = constant_value(lengths)
            if known is not None and value.shape.dims is not None and known.size and np.all(known == known.flat[0]):
                self._merge_element_shape(TensorShape([int(known.flat[0])]).concatenate(value.shape[1:]))
            with self._placed_with(value):
                inputs = [self._handle, value, lengths, self._flow]
                return self.with_flow(tensor_op("TensorArraySplitV3", inputs, name=name))

    def size(self, name: str | None = None) -> Tensor:
        """Returns the number of elements, int32 scalar."""
        return tensor_op("TensorArraySizeV3", [self._handle, self._flow], name=name)

    def close(self, name: str | None = None) -> Operation:
        """Returns an operation that drops all elements."""
        return apply_op("TensorArrayCloseV3", [self._handle], name=name)

    def _merge_element_shape(self, found: TensorShape) -> None:
        if not self._element_shape:
            if self._infer_shape:
                self._element_shape.append(found)
            return
        if not found.is_compatible_with(self._element_shape[0]):
            raise ValueError(
                f"Inconsistent shapes: saw {found} but expected {self._element_shape[0]} (and infer_shape=True)"
            )
        if self._infer_shape:
            self._element_shape[0] = self._element_shape[0].merge_with(found)

    @contextmanager
    def _placed_with(self, value: Tensor) -> Iterator[None]:
        """Places the first write with its value, and later writes with the first, in a `with` block."""
        if self._colocate_with is None:
            with colocate_with(self._handle):
                yield
            return
        if not self._colocate_with:
            self._colocate_with.append(value)
        with colocate_with(self._colocate_with[0]):
            yield


def _check_arguments(
    handle: Any, flow: Any, size: Any, array_name: Any, element_shape: Any, dynamic_size: Any, clear_after_read: Any
) -> None:
    if handle is None:
        if size is None:
            raise ValueError("Size must be provided if handle is not provided")
        return
    if array_name:
        raise ValueError("Cannot construct with both handle and tensor_array_name")
    if not isinstance(handle, Tensor):
        raise TypeError("Handle must be a Tensor")
    given = {
        "size": size,
        "element_shape": element_shape,
        "dynamic_size": dynamic_size,
        "clear_after_read": clear_after_read,
    }
    for what, value in given.items():
        if value is not None:
            raise ValueError(f"Cannot provide both a handle and {what} at the same time")
    if flow is None:
        raise ValueError("flow must not be None if handle is not None.")
