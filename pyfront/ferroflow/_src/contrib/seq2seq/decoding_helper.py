"""`Helper`, which samples from outputs and chooses the next inputs of a decoder, and helpers made of functions."""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import DTypeLike, ListLike, ShapeTensorLike, TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.ops.array import shaping


class Helper(abc.ABC):
    """Base of the helpers, which sample from a step's outputs and choose the next inputs for a `BasicDecoder`."""

    @property
    @abc.abstractmethod
    def batch_size(self) -> Any:
        """Tensor of int32 of shape []: the number of samples of a step.

        Raises:
            NotImplementedError: if the helper does not define it.
        """
        raise NotImplementedError("batch_size has not been implemented")

    @property
    @abc.abstractmethod
    def sample_ids_shape(self) -> Any:
        """TensorShape of the samples, without the batch.

        Raises:
            NotImplementedError: if the helper does not define it.
        """
        raise NotImplementedError("sample_ids_shape has not been implemented")

    @property
    @abc.abstractmethod
    def sample_ids_dtype(self) -> Any:
        """DType of the samples.

        Raises:
            NotImplementedError: if the helper does not define it.
        """
        raise NotImplementedError("sample_ids_dtype has not been implemented")

    @abc.abstractmethod
    def initialize(self, name: str | None = None) -> Any:
        """Starts the sequences.

        Args:
            name: str, name scope of the operations.

        Returns:
            Pair: whether sequences are finished at the start, Tensor of bool of shape [batch]; the first inputs.
        """

    @abc.abstractmethod
    def sample(self, time: TensorLike, outputs: TensorLike, state: TensorLike, name: str | None = None) -> Any:
        """Samples from outputs.

        Args:
            time: Tensor of int32, of shape []: the number of the step.
            outputs: Tensor of shape [batch, ...], those of the step.
            state: Tensor of shape [batch, ...], or a structure of them: the cell's after the step.
            name: str, name scope of the operations.

        Returns:
            Tensor of `sample_ids_dtype`, of shape [batch] + `sample_ids_shape`.
        """

    @abc.abstractmethod
    def next_inputs(
        self, time: TensorLike, outputs: TensorLike, state: TensorLike, sample_ids: TensorLike, name: str | None = None
    ) -> Any:
        """Chooses the inputs of the next step.

        Args:
            time: Tensor of int32, of shape []: the number of the step.
            outputs: Tensor of shape [batch, ...], those of the step.
            state: Tensor of shape [batch, ...], or a structure of them: the cell's after the step.
            sample_ids: Tensor of `sample_ids_dtype`, of shape [batch] + `sample_ids_shape`: the samples.
            name: str, name scope of the operations.

        Returns:
            Triple: whether sequences are finished, Tensor of bool of shape [batch]; the next inputs; the next state.
        """


class CustomHelper(Helper):
    """A helper made of three functions.

    Args:
        initialize_fn: callable without arguments that returns the finished sequences and the first inputs.
        sample_fn: callable of `time`, `outputs` and `state` that gives samples.
        next_inputs_fn: callable of `time`, `outputs`, `state` and `sample_ids` that returns the finished sequences,
            the next inputs and the next state.
        sample_ids_shape: list of int, the shape of a sample; None for a scalar.
        sample_ids_dtype: DType of the samples; None for int32.
    """

    def __init__(
        self,
        initialize_fn: Callable[..., Any],
        sample_fn: Callable[..., Any],
        next_inputs_fn: Callable[..., Any],
        sample_ids_shape: ListLike | None = None,
        sample_ids_dtype: DTypeLike | None = None,
    ) -> None:
        self._initialize_fn = initialize_fn
        self._sample_fn = sample_fn
        self._next_inputs_fn = next_inputs_fn
        self._batch_size: Any = None
        self._sample_ids_shape = TensorShape(sample_ids_shape or [])
        self._sample_ids_dtype = sample_ids_dtype or dtypes.int32

    @property
    def batch_size(self) -> Any:
        """Tensor of int32 of shape []: how many sequences `initialize_fn` spoke of.

        Raises:
            ValueError: if `initialize` has not been called.
        """
        if self._batch_size is None:
            raise ValueError("batch_size accessed before initialize was called")
        return self._batch_size

    @property
    def sample_ids_shape(self) -> Any:
        """TensorShape of a sample."""
        return self._sample_ids_shape

    @property
    def sample_ids_dtype(self) -> Any:
        """DType of the samples."""
        return self._sample_ids_dtype

    def initialize(self, name: str | None = None) -> Any:
        """Calls `initialize_fn`.

        Args:
            name: str, name scope of the operations.

        Returns:
            Pair: whether sequences are finished at the start, Tensor of bool of shape [batch]; the first inputs.
        """
        with name_scope(name, f"{type(self).__name__}Initialize"):
            finished, next_inputs = self._initialize_fn()
            if self._batch_size is None:
                self._batch_size = shaping.size(finished)
        return finished, next_inputs

    def sample(self, time: TensorLike, outputs: TensorLike, state: TensorLike, name: str | None = None) -> Any:
        """Calls `sample_fn`.

        Args:
            time: Tensor of int32, of shape []: the number of the step.
            outputs: Tensor of shape [batch, ...], those of the step.
            state: Tensor of shape [batch, ...], or a structure of them: the cell's after the step.
            name: str, name scope of the operations.

        Returns:
            The samples.
        """
        with name_scope(name, f"{type(self).__name__}Sample", (time, outputs, state)):
            return self._sample_fn(time=time, outputs=outputs, state=state)

    def next_inputs(
        self, time: TensorLike, outputs: TensorLike, state: TensorLike, sample_ids: TensorLike, name: str | None = None
    ) -> Any:
        """Calls `next_inputs_fn`.

        Args:
            time: Tensor of int32, of shape []: the number of the step.
            outputs: Tensor of shape [batch, ...], those of the step.
            state: Tensor of shape [batch, ...], or a structure of them: the cell's after the step.
            sample_ids: Tensor of `sample_ids_dtype`, of shape [batch] + `sample_ids_shape`: the samples.
            name: str, name scope of the operations.

        Returns:
            Triple: whether sequences are finished, Tensor of bool of shape [batch]; the next inputs; the next state.
        """
        with name_scope(name, f"{type(self).__name__}NextInputs", (time, outputs, state)):
            return self._next_inputs_fn(time=time, outputs=outputs, state=state, sample_ids=sample_ids)


class InferenceHelper(Helper):
    """A helper whose samples determine the next inputs.

    Args:
        sample_fn: callable of outputs that gives samples.
        sample_shape: list of int, the shape of a sample.
        sample_dtype: DType of the samples.
        start_inputs: Tensor of shape [batch, ...], the first inputs.
        end_fn: callable of samples that returns which are finished, a Tensor of bool of shape [batch].
        next_inputs_fn: callable of samples that gives the next inputs; None for the samples.
    """

    def __init__(
        self,
        sample_fn: Callable[[Any], Any],
        sample_shape: ShapeTensorLike,
        sample_dtype: DTypeLike,
        start_inputs: TensorLike,
        end_fn: Callable[[Any], Any],
        next_inputs_fn: Callable[[Any], Any] | None = None,
    ) -> None:
        self._sample_fn = sample_fn
        self._end_fn = end_fn
        self._sample_shape = TensorShape(sample_shape)
        self._sample_dtype = sample_dtype
        self._next_inputs_fn = next_inputs_fn
        self._start_inputs = convert_to_tensor(start_inputs, name="start_inputs")
        self._batch_size = shaping.shape(self._start_inputs)[0]

    @property
    def batch_size(self) -> Any:
        """Tensor of int32 of shape []: that of the first inputs."""
        return self._batch_size

    @property
    def sample_ids_shape(self) -> Any:
        """TensorShape of a sample."""
        return self._sample_shape

    @property
    def sample_ids_dtype(self) -> Any:
        """DType of the samples."""
        return self._sample_dtype

    def initialize(self, name: str | None = None) -> Any:
        """Starts the sequences, none of which is finished.

        Args:
            name: str, not used.

        Returns:
            Tensor of bool of shape [batch], and the first inputs.
        """
        return shaping.tile([False], [self._batch_size]), self._start_inputs

    def sample(self, time: object, outputs: TensorLike, state: object, name: str | None = None) -> Any:
        """Calls `sample_fn`.

        Args:
            time: not used.
            outputs: Tensor of shape [batch, ...], those of the step.
            state: not used.
            name: str, not used.

        Returns:
            The samples.
        """
        return self._sample_fn(outputs)

    def next_inputs(
        self, time: object, outputs: object, state: TensorLike, sample_ids: TensorLike, name: str | None = None
    ) -> Any:
        """Chooses the inputs of the next step.

        Args:
            time: not used.
            outputs: not used.
            state: Tensor of shape [batch, ...], or a structure of them: the cell's after the step.
            sample_ids: Tensor of `sample_ids_dtype`, of shape [batch] + `sample_ids_shape`: the samples.
            name: str, not used.

        Returns:
            Triple: whether sequences are finished, Tensor of bool of shape [batch]; the next inputs; the state.
        """
        next_inputs = sample_ids if self._next_inputs_fn is None else self._next_inputs_fn(sample_ids)
        return self._end_fn(sample_ids), next_inputs, state
