"""Long sequences as segments of equal length, and the states that go from one segment to the next."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ferroflow._src.base import dtypes, errors
from ferroflow._src.base.typing import IntLike, TensorLike
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import colocate_with, control_dependencies, name_scope
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.input.queue_runner import QueueRunner, add_queue_runner
from ferroflow._src.ops.array import making, shaping
from ferroflow._src.ops.array.indexing import gather, where
from ferroflow._src.ops.array.joining import concat, stack
from ferroflow._src.ops.flow.checking import Assert
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.math.arithmetic import floordiv, floormod, maximum, minimum
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import equal, less_equal, logical_and, not_equal
from ferroflow._src.ops.math.elementwise import logical_not
from ferroflow._src.ops.math.reduction import reduce_all, reduce_sum
from ferroflow._src.ops.queue.barriers import Barrier
from ferroflow._src.ops.queue.queues import FIFOQueue
from ferroflow._src.ops.random.sampling import random_uniform
from ferroflow._src.ops.string.encoding import as_string
from ferroflow._src.ops.string.parts import string_join
from ferroflow._src.summary.values import scalar

_SCALARS = ("length", "total_length", "next_key", "sequence", "sequence_count")


class SequenceInput:
    """One sequence: its length, key, tensors by time step and tensors for all steps.

    Attributes:
        length: int32 scalar Tensor.
        key: string scalar Tensor.
        sequences: dict from names to Tensors.
        context: dict from names to Tensors.
    """

    def __init__(
        self, length: TensorLike, key: TensorLike, sequences: Mapping[str, Any], context: Mapping[str, Any]
    ) -> None:
        self.length = convert_to_tensor(length, name="length")
        self.key = convert_to_tensor(key, name="key")
        if not isinstance(sequences, dict):
            raise TypeError("sequences must be a dict")
        if not isinstance(context, dict):
            raise TypeError("context must be a dict")
        if not sequences:
            raise ValueError("must have at least one sequence tensor")
        self.sequences = _by_name(sequences, "sequence")
        self.context = _by_name(context, "context")


def _by_name(values: Mapping[str, Any], what: str) -> dict[str, Tensor]:
    """Returns tensors by name, in the order of the names."""
    for name in values:
        if not isinstance(name, str):
            raise TypeError(f"{what} key must be string: {name}")
        if ":" in name:
            raise ValueError(f"{what} key may not have a colon: '{name}'")
    return {name: convert_to_tensor(values[name], name=f"{what}_{name}") for name in sorted(values)}


def _checked_rank(value: Tensor, rank: int) -> Tensor:
    """Returns a tensor whose rank is checked, in a step if it is not known before."""
    try:
        shape = value.get_shape().with_rank(rank)
    except ValueError as problem:
        raise ValueError(f"Rank check failed for {value.name}: {problem}") from None
    message = f"Rank of tensor {value.name} should be: {rank}, shape received:"
    with control_dependencies([Assert(equal(rank, shaping.rank(value)), [message, shaping.shape(value)])]):
        checked = making.identity(value, name="rank_checked")
    checked.set_shape(shape)
    return checked


def _checked_size(value: Tensor, dimension: int, size: Any, label: str) -> Tensor:
    """Returns a tensor that fails in a step if a dimension has another size."""
    shape = shaping.shape(value)
    parts = [
        f"Dimension {dimension} of tensor labeled {label} should be: ",
        as_string(size),
        ", shape received: ",
        as_string(shape),
    ]
    with control_dependencies([Assert(equal(size, shape[dimension]), [string_join(parts)])]):
        return making.identity(value, name=f"dims_checked_{label}")


def _checked_multiple(value: Tensor, factor: int, label: str, hint: str = "") -> Operation:
    """Returns the check that a number is a multiple, and not zero."""
    parts = [f"{label} should be a multiple of: ", as_string(factor), ", but saw value: ", as_string(value), hint]
    is_multiple = logical_and(equal(floormod(value, factor), 0), not_equal(value, 0))
    return Assert(is_multiple, [string_join(parts)])


def _check_known(what: str, values: Mapping[str, Tensor], first: int) -> None:
    for name, value in values.items():
        if not value.get_shape()[first:].is_fully_defined():
            ignoring = "(ignoring first dimension)" if first else ""
            raise ValueError(f"Shape for {what} {name} is not fully defined {ignoring}: {value.get_shape()}")


class NextQueuedSequenceBatch:
    """The segments that come next: one of each of `batch_size` sequences, with the states saved for them.

    Attributes:
        total_length: int32 Tensor `[batch]`, the lengths of the whole sequences.
        length: int32 Tensor `[batch]`, the lengths of these segments.
        batch_size: int32 scalar Tensor.
        insertion_index: int64 Tensor `[batch]`, a number for each sequence, in the order of their arrival.
        key: string Tensor `[batch]`, the keys of these segments, such as `00000_of_00002:key`.
        next_key: string Tensor `[batch]`, the keys of the next segments; `STOP:key` behind the last one.
        sequence: int32 Tensor `[batch]`, the numbers of these segments in their sequences.
        sequence_count: int32 Tensor `[batch]`, the numbers of segments of the sequences.
        context: dict from names to Tensors `[batch, ...]`.
        sequences: dict from names to Tensors `[batch, num_unroll, ...]`.

    Args:
        saver: SequenceQueueingStateSaver, which holds the sequences.
    """

    def __init__(self, saver: SequenceQueueingStateSaver) -> None:
        self._saver = saver
        index, key, components = saver.barrier.take_many(
            saver.batch_size, saver.allow_small_batch, name="BarrierTakeMany"
        )
        values = dict(zip(saver.components, components, strict=True))
        self.insertion_index, self.key = index, key
        self.total_length, self.length = values["total_length"], values["length"]
        self.next_key, self.sequence = values["next_key"], values["sequence"]
        self.sequence_count = values["sequence_count"]
        self.batch_size = shaping.squeeze(shaping.shape(self.length))
        self.context = {name: values[f"context:{name}"] for name in saver.inputs.context}
        self.sequences = {name: values[f"sequence:{name}"] for name in saver.inputs.sequences}
        self._is_last = self.sequence + 1 >= self.sequence_count
        finished = reduce_sum(cast(self._is_last, dtypes.int32))
        with control_dependencies([saver.capacity_queue.dequeue_many(finished)]):
            self._states = {name: making.identity(values[f"state:{name}"]) for name in saver.initial_states}

    def state(self, state_name: str) -> Tensor:
        """Returns a state before these segments, a Tensor `[batch, ...]`.

        Args:
            state_name: str, a name of the initial states.

        Returns:
            Tensor `[batch, ...]` of the initial state's dtype.

        Raises:
            KeyError: if there is no state of that name.
        """
        return self._states[state_name]

    def save_state(self, state_name: str, value: TensorLike, name: str | None = None) -> Operation:
        """Returns the Operation that saves a state for the next segments. Each state must be saved in each step.

        Args:
            state_name: str, a name of the initial states.
            value: Tensor `[batch, ...]`, the state after these segments.
            name: str, the name scope.

        Returns:
            Operation.

        Raises:
            KeyError: if there is no state of that name.
            ValueError: if `value` and the state have different ranks.
        """
        if state_name not in self._states:
            raise KeyError(f"state was not declared: {state_name}")
        saver = self._saver
        scope = name_scope(name, "InputQueueingStateSaver_SaveState", [value])
        with scope, colocate_with(saver.capacity_queue.queue_ref):
            going_on = shaping.reshape(where(logical_not(self._is_last)), [-1])
            keys = gather(self.next_key, going_on)
            rank = len(saver.initial_states[state_name].get_shape().as_list()) + 1
            checked = _checked_rank(making.identity(value, name=f"convert_{state_name}"), rank)
            component = saver.components.index(f"state:{state_name}")
            label = f"BarrierInsertState_{state_name}"
            return saver.barrier.insert_many(component, keys, gather(checked, going_on), name=label)


class SequenceQueueingStateSaver:
    """Cuts sequences into segments of `num_unroll` time steps, and keeps the states between the segments.

    Attributes:
        batch_size: the number of sequences that a step works on.
        num_unroll: int, the time steps of a segment.
        barrier: the barrier that holds the segments.
        name: str, the name scope.
    """

    def __init__(
        self,
        batch_size: IntLike,
        num_unroll: int,
        input_length: TensorLike,
        input_key: TensorLike,
        input_sequences: Mapping[str, Any],
        input_context: Mapping[str, Any],
        initial_states: Mapping[str, Any],
        capacity: int | None = None,
        allow_small_batch: bool = False,
        name: str | None = None,
    ) -> None:
        """Makes the barrier and the queue of the sequences.

        Args:
            batch_size: int, or int32 scalar Tensor.
            num_unroll: int, the time steps of a segment.
            input_length: int32 scalar Tensor, the time steps of a sequence that are no padding.
            input_key: string scalar Tensor, unique among the sequences.
            input_sequences: dict from names to Tensors `[time, ...]` of one sequence; `time` is a multiple of
                `num_unroll`, the other dimensions are known.
            input_context: dict from names to Tensors for all time steps, of known shapes.
            initial_states: dict from names to the states before the first segment, of known shapes.
            capacity: int, the most sequences held at a time; None for any number.
            allow_small_batch: If True, batches are smaller once the barrier is closed.
            name: str, the name scope.

        Raises:
            TypeError: if an argument is no dict, a name no string, or length or key have other dtypes.
            ValueError: if there is no sequence or no state, a shape is not known, a name has a colon, or `capacity` is
                below `batch_size`.
        """
        if capacity is not None and isinstance(batch_size, Tensor):
            fits = less_equal(cast(batch_size, dtypes.int64), constant(capacity, dtypes.int64))
            with control_dependencies([Assert(fits, ["capacity needs to be >= batch_size.", capacity, batch_size])]):
                input_key = making.identity(input_key)
        elif capacity is not None and capacity < int(np.asarray(batch_size)):
            raise ValueError(f"capacity {capacity} needs to be >= batch_size {batch_size}")
        if not isinstance(initial_states, dict):
            raise TypeError("initial_states must be a dictionary")
        if not initial_states:
            raise ValueError(
                "initial_states may not be empty: at least one state variable is required to properly enqueue split "
                "sequences to run in separate iterations"
            )
        self.batch_size = batch_size
        self.num_unroll = num_unroll
        self.allow_small_batch = allow_small_batch
        # TF 1.x: -1 stands for any number of elements.
        self.capacity_queue = FIFOQueue(-1 if capacity is None else capacity, [dtypes.int32], [[]])
        self._prefetch_op: Operation | None = None
        self._next_batch: NextQueuedSequenceBatch | None = None
        given = [input_length, input_key, *input_sequences.values(), *input_context.values()]
        with (
            colocate_with(self.capacity_queue.queue_ref),
            name_scope(name, "InputQueueingStateSaver", given) as scope,
        ):
            self.name = scope
            self.inputs = SequenceInput(input_length, input_key, input_sequences, input_context)
            self.initial_states = _by_name(initial_states, "state")
            self._check_inputs()
            self._make_barrier()

    def _check_inputs(self) -> None:
        inputs = self.inputs
        _check_known("state", self.initial_states, 0)
        _check_known("context", inputs.context, 0)
        _check_known("sequence", inputs.sequences, 1)
        inputs.length, inputs.key = _checked_rank(inputs.length, 0), _checked_rank(inputs.key, 0)
        if inputs.length.dtype != dtypes.int32:
            raise TypeError(f"length dtype must be int32, but received: {inputs.length.dtype}")
        if inputs.key.dtype != dtypes.string:
            raise TypeError(f"key dtype must be string, but received: {inputs.key.dtype}")
        first = next(iter(inputs.sequences.values()))
        padded = making.identity(shaping.shape(first)[0], name="padded_length")
        with control_dependencies([_checked_multiple(padded, self.num_unroll, f"Tensor {padded.name}")]):
            self._padded_length = making.identity(padded, name="multiple_of_checked")
        for name, value in inputs.sequences.items():
            inputs.sequences[name] = _checked_size(value, 0, self._padded_length, f"sorted_sequences_{name}")
        message = "Input length should be <= than length from sequences:"
        data = [message, inputs.length, " vs. ", self._padded_length]
        with control_dependencies([Assert(less_equal(inputs.length, self._padded_length), data)]):
            inputs.length = making.identity(inputs.length)

    def _make_barrier(self) -> None:
        types: list[Any] = [dtypes.int32, dtypes.int32, dtypes.string, dtypes.int32, dtypes.int32]
        shapes: list[Any] = [()] * len(_SCALARS)
        self.components = list(_SCALARS)
        inputs = self.inputs
        families = {"sequence": inputs.sequences, "context": inputs.context, "state": self.initial_states}
        for family, tensors in families.items():
            for name, value in tensors.items():
                dims = value.get_shape().as_list()
                self.components.append(f"{family}:{name}")
                types.append(value.dtype)
                shapes.append([self.num_unroll, *dims[1:]] if family == "sequence" else dims)
        self.barrier = Barrier(types=types, shapes=shapes)

    def _in_scope(self, make: Callable[[], Any]) -> Any:
        with name_scope(None), name_scope(self.name, values=[self.barrier.barrier_ref]):
            return make()

    @property
    def prefetch_op(self) -> Operation:
        """The Operation that puts the segments of one more sequence into the barrier."""
        if self._prefetch_op is None:
            self._prefetch_op = self._in_scope(self._make_prefetch)
        return self._prefetch_op

    @property
    def next_batch(self) -> NextQueuedSequenceBatch:
        """The segments that come next, the same object at each access."""
        _ = self.prefetch_op
        if self._next_batch is None:
            self._next_batch = self._in_scope(lambda: NextQueuedSequenceBatch(self))
        return self._next_batch

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Operation:
        """Returns the Operation that closes the barrier and the queue: no new sequences come.

        Args:
            cancel_pending_enqueues: If True, sequences that were begun are not finished.
            name: str, the operation's name.

        Returns:
            Operation.
        """
        with name_scope(name, "SQSSClose", [self.prefetch_op]) as scope:
            barrier = self.barrier.close(cancel_pending_enqueues, "BarrierClose")
            queue = self.capacity_queue.close(cancel_pending_enqueues, "FIFOClose")
            return group(barrier, queue, name=scope)

    def _make_prefetch(self) -> Operation:
        inputs, steps = self.inputs, self.num_unroll
        count = floordiv(self._padded_length, steps)
        number = making.range(count)
        places = [as_string(number, width=5, fill="0"), "_of_", as_string(count, width=5, fill="0"), ":", inputs.key]
        keys = string_join(places, name="StringJoinCurrentKeys")
        last = string_join(["STOP:", inputs.key], name="StringJoinStop")
        ones = making.ones(shaping.expand_dims(count, 0), dtype=dtypes.int32)
        values: dict[str, Any] = {
            "length": minimum(steps, maximum(0, inputs.length - steps * number)),
            "total_length": inputs.length * ones,
            "next_key": concat([keys[1:], shaping.expand_dims(last, 0)], 0, name="concat_next_keys"),
            "sequence": number,
            "sequence_count": count * ones,
        }
        for name, value in inputs.sequences.items():
            dims = value.get_shape().as_list()[1:]
            values[f"sequence:{name}"] = shaping.reshape(value, [-1, steps, *dims], name=f"reshape_sequences_{name}")
        for name, value in inputs.context.items():
            multiples = concat([shaping.expand_dims(count, 0), [1] * len(value.get_shape().as_list())], 0)
            values[f"context:{name}"] = shaping.tile(
                shaping.expand_dims(value, 0), multiples, name=f"tile_context_{name}"
            )
        inserts = {
            component: self.barrier.insert_many(
                self.components.index(component), keys, value, name="BarrierInsert_" + component.replace(":", "_")
            )
            for component, value in values.items()
        }
        # One element of the queue for each sequence in the barrier: its value does not matter.
        admission = self.capacity_queue.enqueue((0,))
        # The state makes a segment complete, and so comes last.
        with control_dependencies([inserts["sequence"], admission]):
            states = [
                self.barrier.insert_many(
                    self.components.index(f"state:{name}"),
                    stack([keys[0]]),
                    stack([value]),
                    name=f"BarrierInitialInsertState_{name}",
                )
                for name, value in self.initial_states.items()
            ]
        return group(admission, *inserts.values(), *states, name="StateSaverPrefetchGroup")


def padded_sequences(sequences: Mapping[str, Any], num_unroll: int) -> tuple[Tensor, dict[str, Tensor]]:
    """Returns the length of sequences, and the sequences with zeros up to a multiple of `num_unroll`.

    Args:
        sequences: dict from names to Tensors `[time, ...]`.
        num_unroll: int.

    Raises:
        ValueError: if there is no sequence, or one is a scalar.
        NotImplementedError: if one is a SparseTensor.
    """
    if not isinstance(sequences, dict):
        raise TypeError(f"Unsupported sequences type. Expected dict, got: {type(sequences)}")
    if not sequences:
        raise ValueError("Unsupported sequences, expected at least one")
    _refuse_sparse(sequences)
    tensors = {name: convert_to_tensor(value) for name, value in sequences.items()}
    for name, value in tensors.items():
        if value.get_shape().ndims == 0:
            raise ValueError(f"sequence {name} must have time as its first dimension, but is a scalar")
    lengths = [shaping.shape(value)[0] for value in tensors.values()]
    length = lengths[0]
    all_equal = Assert(
        reduce_all(equal(stack(lengths), length)), ["All sequence lengths must match, but received lengths: ", *lengths]
    )
    with control_dependencies([all_equal]):
        length = making.identity(length)
    missing = floormod(-length, num_unroll)
    padded = {}
    for name, value in tensors.items():
        rest = shaping.shape(value)[1:]
        zeros = making.zeros(concat([shaping.expand_dims(missing, 0), rest], 0), dtype=value.dtype)
        padded[name] = concat([value, zeros], 0)
        padded[name].set_shape([None, *value.get_shape().as_list()[1:]])
    return length, padded


def _refuse_sparse(values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        if isinstance(value, SparseTensor):
            raise NotImplementedError(
                f"sequence {name} is a SparseTensor; batch_sequences_with_states takes dense sequences here: pass "
                "tf.sparse_tensor_to_dense of it"
            )


def batch_sequences_with_states(
    input_key: TensorLike,
    input_sequences: Mapping[str, Any],
    input_context: Mapping[str, Any],
    input_length: TensorLike | None,
    initial_states: Mapping[str, Any],
    num_unroll: int,
    batch_size: IntLike,
    num_threads: int = 3,
    capacity: int = 1000,
    allow_small_batch: bool = True,
    pad: bool = True,
    make_keys_unique: bool = False,
    make_keys_unique_seed: int | None = None,
    name: str | None = None,
) -> NextQueuedSequenceBatch:
    """Cuts sequences that come one by one into segments, and batches the segments; a queue runner fills the queue.

    Args:
        input_key: string scalar Tensor, unique among the sequences.
        input_sequences: dict from names to Tensors `[time, ...]`, whose other dimensions are known.
        input_context: dict from names to Tensors for all time steps, of known shapes.
        input_length: int32 scalar Tensor, the time steps that are no padding; None for all, if `pad` is True.
        initial_states: dict from names to the states before the first segment, of known shapes.
        num_unroll: int, the time steps of a segment.
        batch_size: int, or int32 scalar Tensor.
        num_threads: int, the threads that fill the queue.
        capacity: int, the most sequences held at a time.
        allow_small_batch: If True, batches are smaller at the end of the input.
        pad: If True, zeros are added up to a multiple of `num_unroll`.
        make_keys_unique: If True, a random number is added to each key.
        make_keys_unique_seed: int, the seed of these numbers.
        name: str, the name scope.

    Returns:
        NextQueuedSequenceBatch.

    Raises:
        TypeError: if an argument is no dict, or length or key have other dtypes.
        ValueError: if there is no sequence or no state, or a shape is not known.
        NotImplementedError: if a sequence is a SparseTensor.
    """
    tensors: Sequence[Any] = [*input_sequences.values(), *input_context.values(), *initial_states.values()]
    with name_scope(name, "batch_sequences_with_states", tensors):
        _refuse_sparse({**input_sequences, **input_context})
        if pad:
            length, sequences = padded_sequences(input_sequences, num_unroll)
            input_length = length if input_length is None else input_length
        else:
            sequences = {}
            for key, value in input_sequences.items():
                tensor = convert_to_tensor(value)
                label, hint = f"Tensor {key} first dimension", ". Consider setting pad=True."
                with control_dependencies([_checked_multiple(shaping.shape(tensor)[0], num_unroll, label, hint)]):
                    sequences[key] = making.identity(tensor, name="multiple_of_checked")
        if make_keys_unique:
            number = random_uniform((), minval=0, maxval=100000000, dtype=dtypes.int32, seed=make_keys_unique_seed)
            input_key = string_join([input_key, as_string(number)])
        if input_length is None:
            raise ValueError("input_length must be given if pad is False")
        saver = SequenceQueueingStateSaver(
            batch_size,
            num_unroll,
            input_length=input_length,
            input_key=input_key,
            input_sequences=sequences,
            input_context=input_context,
            initial_states=initial_states,
            capacity=capacity,
            allow_small_batch=allow_small_batch,
        )
        ready = cast(saver.barrier.ready_size(), dtypes.float32)
        scalar(f"queue/{saver.barrier.name}/ready_segment_batches_", ready)
        ended = (errors.OutOfRangeError, errors.CancelledError)
        runner = QueueRunner(saver, [saver.prefetch_op] * num_threads, queue_closed_exception_types=ended)
        add_queue_runner(runner)
        return saver.next_batch
