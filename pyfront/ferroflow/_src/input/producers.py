"""Producers: queues that threads fill with the rows of a tensor, epoch after epoch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import OperationObject, ShapeLike, TensorLike
from ferroflow._src.framework.composite import convert_n_to_tensor_or_indexed_slices
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.input.queue_runner import QueueRunner, add_queue_runner
from ferroflow._src.ops.array.indexing import gather
from ferroflow._src.ops.array.making import identity, range as range_op
from ferroflow._src.ops.array.shaping import shape, size
from ferroflow._src.ops.file.whole import matching_files
from ferroflow._src.ops.flow.checking import Assert
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import greater
from ferroflow._src.ops.queue.queues import FIFOQueue
from ferroflow._src.ops.random.sampling import random_shuffle
from ferroflow._src.summary.values import scalar
from ferroflow._src.variables.variable import Variable

_NOTHING = "string_input_producer requires a non-null input tensor"


def match_filenames_once(pattern: TensorLike, name: str | None = None) -> Any:
    """Returns a local variable that keeps the names of the files that match patterns when it is initialized.

    Args:
        pattern: Tensor of string, a pattern or a vector of them.
        name: str, name of the variable.

    Returns:
        Variable of string, of shape [n].
    """
    with name_scope(name, "matching_filenames", [pattern]) as scope:
        return Variable(
            name=scope,
            initial_value=matching_files(pattern),
            trainable=False,
            validate_shape=False,
            collections=[GraphKeys.LOCAL_VARIABLES],
        )


def limit_epochs(tensor: TensorLike, num_epochs: int | None = None, name: str | None = None) -> Any:
    """Passes a tensor on for a number of steps, then fails with `OutOfRangeError`.

    Args:
        tensor: Tensor of any dtype and shape.
        num_epochs: int, the number of steps; None for any. They are counted in a local variable.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of `tensor`.

    Raises:
        ValueError: if `num_epochs` is not positive.
    """
    if num_epochs is None:
        return tensor
    if num_epochs <= 0:
        raise ValueError(f"num_epochs must be > 0 not {num_epochs}.")
    with name_scope(name, "limit_epochs", [tensor]) as scope:
        zero = constant(0, dtype=dtypes.int64)
        epochs = Variable(zero, name="epochs", trainable=False, collections=[GraphKeys.LOCAL_VARIABLES])
        counter = epochs.count_up_to(num_epochs)
        with control_dependencies([counter]):
            return identity(tensor, name=scope)


def input_producer(
    input_tensor: Any,
    element_shape: ShapeLike | None = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    summary_name: str | None = None,
    name: str | None = None,
    cancel_op: OperationObject | None = None,
) -> FIFOQueue:
    """Returns a queue that a queue runner fills with the rows of a tensor.

    Args:
        input_tensor: Tensor of any dtype, of shape [n, ...].
        element_shape: shape of the rows, where that of the tensor is not known.
        num_epochs: int, how often each row is produced before the queue is closed; None for no limit.
        shuffle: bool. If True, the rows are shuffled in each epoch.
        seed: int, seed of the shuffling.
        capacity: int, the most elements the queue holds.
        shared_name: str, the name under which sessions share the queue.
        summary_name: str, name of a summary of the fraction of the queue that is filled, or None.
        name: str, name of the scope.
        cancel_op: Operation that the queue runner cancels with.

    Returns:
        FIFOQueue.

    Raises:
        ValueError: if the shape of the rows is unknown, or `num_epochs` is not positive.
    """
    with name_scope(name, "input_producer", [input_tensor]):
        input_tensor = convert_to_tensor(input_tensor, name="input_tensor")
        rows = input_tensor.shape[1:].merge_with(element_shape)
        if not rows.is_fully_defined():
            raise ValueError(
                "Either `input_tensor` must have a fully defined shape or `element_shape` must be specified"
            )
        if shuffle:
            input_tensor = random_shuffle(input_tensor, seed=seed)
        input_tensor = limit_epochs(input_tensor, num_epochs)
        queue = FIFOQueue(
            capacity=capacity,
            dtypes=[input_tensor.dtype.base_dtype],
            shapes=[rows],
            shared_name=shared_name,
            name=name,
        )
        enqueue = queue.enqueue_many([input_tensor])
        add_queue_runner(QueueRunner(queue, [enqueue], cancel_op=cancel_op))
        if summary_name is not None:
            scalar(summary_name, cast(queue.size(), dtypes.float32) * (1.0 / capacity))
        return queue


def string_input_producer(
    string_tensor: TensorLike,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
    cancel_op: OperationObject | None = None,
) -> FIFOQueue:
    """Returns a queue that a queue runner fills with strings, such as names of files.

    Args:
        string_tensor: Tensor of string, of shape [n], not empty.
        num_epochs: int, how often each string is produced before the queue is closed; None for no limit.
        shuffle: bool. If True, the strings are shuffled in each epoch.
        seed: int, seed of the shuffling.
        capacity: int, the most elements the queue holds.
        shared_name: str, the name under which sessions share the queue.
        name: str, name of the scope.
        cancel_op: Operation that the queue runner cancels with.

    Returns:
        FIFOQueue.

    Raises:
        ValueError: if `string_tensor` is an empty list. An empty tensor fails when the queue is filled.

    Example:
        >>> queue = tf.train.string_input_producer(["a.csv", "b.csv"], num_epochs=1, shuffle=False)
        >>> name = queue.dequeue()
        >>> with tf.train.MonitoredSession() as session:
        ...     print(session.run(name), session.run(name))
        b'a.csv' b'b.csv'
    """
    given: Any = string_tensor
    if not isinstance(given, Tensor) and len(given) == 0:
        raise ValueError(_NOTHING)
    with name_scope(name, "input_producer", [string_tensor]) as scope:
        string_tensor = convert_to_tensor(string_tensor, dtype=dtypes.string)
        with control_dependencies([Assert(greater(size(string_tensor), 0), [_NOTHING])]):
            string_tensor = identity(string_tensor)
        return input_producer(
            input_tensor=string_tensor,
            element_shape=[],
            num_epochs=num_epochs,
            shuffle=shuffle,
            seed=seed,
            capacity=capacity,
            shared_name=shared_name,
            name=scope,
            summary_name=f"fraction_of_{capacity}_full",
            cancel_op=cancel_op,
        )


def range_input_producer(
    limit: TensorLike,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> FIFOQueue:
    """Returns a queue that a queue runner fills with the integers from 0 to `limit - 1`.

    Args:
        limit: Tensor of int32, of shape [].
        num_epochs: int, how often each integer is produced before the queue is closed; None for no limit.
        shuffle: bool. If True, the integers are shuffled in each epoch.
        seed: int, seed of the shuffling.
        capacity: int, the most elements the queue holds.
        shared_name: str, the name under which sessions share the queue.
        name: str, name of the scope.

    Returns:
        FIFOQueue.

    Raises:
        ValueError: if `num_epochs` is not positive.
    """
    with name_scope(name, "input_producer", [limit]) as scope:
        summary_name = f"fraction_of_{capacity}_full"
        numbers = range_op(limit)
        return input_producer(numbers, [], num_epochs, shuffle, seed, capacity, shared_name, summary_name, scope)


def slice_input_producer(
    tensor_list: Sequence[Any],
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> list[Tensor]:
    """Returns one row of each tensor in every step; a queue runner fills a queue with the row numbers.

    Args:
        tensor_list: list of Tensor of any dtypes, of shape [n, ...] with equal n.
        num_epochs: int, how often each row is produced before the queue is closed; None for no limit.
        shuffle: bool. If True, the rows are shuffled in each epoch.
        seed: int, seed of the shuffling.
        capacity: int, the most elements the queue holds.
        shared_name: str, the name under which sessions share the queue.
        name: str, name of the scope.

    Returns:
        list of Tensor of the dtypes of `tensor_list`, of shape [...].

    Raises:
        ValueError: if the list is empty, or `num_epochs` is not positive.

    Example:
        >>> images, labels = ["a.png", "b.png"], [[1, 0], [0, 1]]
        >>> image, label = tf.train.slice_input_producer([images, labels], num_epochs=1, shuffle=False)
        >>> with tf.train.MonitoredSession() as session:
        ...     print(session.run([image, label]))
        ...     print(session.run([image, label]))
        [b'a.png', array([1, 0], dtype=int32)]
        [b'b.png', array([0, 1], dtype=int32)]
    """
    with name_scope(name, "input_producer", tensor_list):
        tensors = convert_n_to_tensor_or_indexed_slices(tensor_list)
        if not tensors:
            raise ValueError("Expected at least one tensor in slice_input_producer().")
        rows = shape(tensors[0])[0]
        queue = range_input_producer(
            rows, num_epochs=num_epochs, shuffle=shuffle, seed=seed, capacity=capacity, shared_name=shared_name
        )
        index = queue.dequeue()
        return [gather(tensor, index) for tensor in tensors]
