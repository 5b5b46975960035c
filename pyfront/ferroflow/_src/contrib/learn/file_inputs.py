"""Batches of examples that queues read from files, as input functions of 2016 made them."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from ferroflow._src.base import dtypes, errors
from ferroflow._src.base.deprecation import deprecated
from ferroflow._src.base.files.system import glob
from ferroflow._src.base.typing import DictLike, IntLike
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.default_graph import colocate_with, control_dependencies, name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.input.batching import batch_join, shuffle_batch_join
from ferroflow._src.input.producers import string_input_producer
from ferroflow._src.input.queue_runner import QueueRunner, add_queue_runner
from ferroflow._src.ops.array.indexing import gather
from ferroflow._src.ops.array.shaping import size as size_of
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.parsing.examples import parse_example
from ferroflow._src.ops.queue.queues import FIFOQueue
from ferroflow._src.ops.reader.readers import TFRecordReader
from ferroflow._src.ops.state.assigning import assign_add
from ferroflow._src.summary.values import scalar
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.scope import variable_scope

__all__ = [
    "queue_parsed_features",
    "read_batch_examples",
    "read_batch_features",
    "read_batch_record_features",
    "read_keyed_batch_examples",
    "read_keyed_batch_examples_shared_queue",
    "read_keyed_batch_features",
    "read_keyed_batch_features_shared_queue",
]

KEY_FEATURE_NAME: Final = "__key__"
_Reader = Callable[[], Any]


def file_names(patterns: Any, is_shuffled: bool) -> list[str]:
    """Returns the names of the files that match a pattern or a list of them, sorted unless they are shuffled."""
    given = patterns if isinstance(patterns, list) else [patterns]
    if not given:
        raise ValueError("No files given to dequeue_examples.")
    names = [name for pattern in given for name in glob(pattern)]
    if not names:
        raise ValueError(f"No files match {patterns}.")
    return names if is_shuffled else sorted(names)


def _next_of(names: list[str], is_shuffled: bool, num_epochs: int | None, seed: int | None) -> Tensor:
    """Returns the next of several names, which a variable counts for all sessions that share it."""
    order = random.Random(seed) if seed else random
    listed: list[str] = []
    for _ in range(num_epochs or 1):
        if is_shuffled:
            order.shuffle(names)
        listed += names
    with variable_scope("obtain_next"):
        counter = get_variable("obtain_next_counter", initializer=constant(-1, dtypes.int64), trainable=False)
        with colocate_with(counter):
            held = get_variable("obtain_next_expanded_list", initializer=constant(listed), trainable=False)
        checks = []
        if num_epochs:
            passed = get_variable(
                "obtain_next_filename_counter", initializer=constant(0, dtypes.int64), trainable=False
            )
            checks = [passed.count_up_to(len(listed))]
        with control_dependencies(checks):
            place = assign_add(counter, 1) % cast(size_of(held), dtypes.int64)
            return gather(held, place)


class _Options(NamedTuple):
    randomize_input: bool
    num_epochs: int | None
    queue_capacity: int
    num_threads: int
    read_batch_size: Any
    parse_fn: Any
    is_shared: bool

    def check(self, batch_size: Any) -> None:
        """Raises a ValueError for a number out of its range."""
        if not self.queue_capacity or self.queue_capacity <= 0:
            raise ValueError(f"Invalid queue_capacity {self.queue_capacity}.")
        if batch_size is None or (not isinstance(batch_size, Tensor) and not 0 < batch_size < self.queue_capacity):
            raise ValueError(f"Invalid batch_size {batch_size}, with queue_capacity {self.queue_capacity}.")
        if self.read_batch_size is None or self.read_batch_size <= 0:
            raise ValueError(f"Invalid read_batch_size {self.read_batch_size}.")
        if not self.num_threads or self.num_threads <= 0:
            raise ValueError(f"Invalid num_threads {self.num_threads}.")
        if self.num_epochs is not None and self.num_epochs <= 0:
            raise ValueError(f"Invalid num_epochs {self.num_epochs}.")


def _queue_of_names(names: list[str], options: _Options, seed: int | None, scope: str) -> Any:
    is_shuffled, num_epochs = options.randomize_input, options.num_epochs
    if not options.is_shared:
        listed = constant(names, name="input")
        return string_input_producer(listed, shuffle=is_shuffled, num_epochs=num_epochs, name=scope, seed=seed)
    queue = FIFOQueue(capacity=1, dtypes=[dtypes.string], shapes=[[]])
    add_queue_runner(QueueRunner(queue, [queue.enqueue(_next_of(names, is_shuffled, num_epochs, seed))]))
    return queue


def _read(queue: Any, reader: _Reader, options: _Options) -> list[Any]:
    """Returns the keys and examples of each of several readers."""
    found: list[Any] = []
    at_once = options.read_batch_size
    with name_scope("read"):
        for _ in range(options.num_threads):
            made = reader()
            keys, examples = made.read_up_to(queue, at_once) if at_once > 1 else made.read(queue)
            if options.parse_fn:
                examples = options.parse_fn(examples)
            found.append({**examples, KEY_FEATURE_NAME: keys} if isinstance(examples, dict) else (keys, examples))
    return found


def _keyed_examples(
    file_pattern: Any, batch_size: Any, reader: _Reader, options: _Options, name: str | None, seed: int | None = None
) -> Any:
    names = file_names(file_pattern, options.randomize_input)
    options.check(batch_size)
    with name_scope(name, "read_batch_examples", [file_pattern]) as scope:
        with name_scope("file_name_queue") as names_scope:
            queue = _queue_of_names(names, options, seed, names_scope)
        examples = _read(queue, reader, options)
        shared: dict[str, Any] = {
            "capacity": options.queue_capacity,
            "enqueue_many": options.read_batch_size > 1,
            "name": scope,
            "allow_smaller_final_batch": options.num_epochs is not None,
        }
        if options.randomize_input:
            least = int(options.queue_capacity * 0.4)
            if not isinstance(batch_size, Tensor):
                least = max(options.queue_capacity - 3 * batch_size, batch_size)
            batch = shuffle_batch_join(examples, batch_size, min_after_dequeue=least, seed=seed, **shared)
        else:
            batch = batch_join(examples, batch_size, **shared)
        if options.parse_fn and isinstance(batch, dict):
            keys = batch.pop(KEY_FEATURE_NAME)
            return keys, batch
        return batch


@deprecated("tf.data")
def read_keyed_batch_examples(
    file_pattern: Any,
    batch_size: IntLike,
    reader: _Reader,
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    num_threads: int = 1,
    read_batch_size: int = 1,
    parse_fn: Callable[..., Any] | None = None,
    name: str | None = None,
    seed: int | None = None,
) -> Any:
    """Returns the keys of examples in files, and batches of the examples.

    Args:
        file_pattern: str or list of str, with the wildcards of names of files.
        batch_size: int, or Tensor of int32 of shape []: the examples of a batch.
        reader: callable without arguments that makes a reader, such as `tf.TFRecordReader`.
        randomize_input: bool. If True, files and examples come in random order.
        num_epochs: int, how often each file is read; None for without end.
        queue_capacity: int, the most examples that wait in the queue.
        num_threads: int, how many threads read.
        read_batch_size: int, how many examples are read at once.
        parse_fn: callable of the examples that returns what is batched in their place, or None.
        name: str, the name of the operations; None for "read_batch_examples".
        seed: int, the seed of the random order.

    Returns:
        (Tensor of string, of shape [batch]: the keys; Tensor of string of that shape, or what `parse_fn` makes of it).

    Raises:
        ValueError: if no file matches, or a number is out of its range.
    """
    options = _Options(randomize_input, num_epochs, queue_capacity, num_threads, read_batch_size, parse_fn, False)
    return _keyed_examples(file_pattern, batch_size, reader, options, name, seed)


@deprecated("tf.data")
def read_keyed_batch_examples_shared_queue(
    file_pattern: Any,
    batch_size: IntLike,
    reader: _Reader,
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    num_threads: int = 1,
    read_batch_size: int = 1,
    parse_fn: Callable[..., Any] | None = None,
    name: str | None = None,
    seed: int | None = None,
) -> Any:
    """Returns keys and examples as `read_keyed_batch_examples`, from files that all workers share.

    Args:
        file_pattern: str or list of str, with the wildcards of names of files.
        batch_size: int, or Tensor of int32 of shape []: the examples of a batch.
        reader: callable without arguments that makes a reader, such as `tf.TFRecordReader`.
        randomize_input: bool. If True, files and examples come in random order.
        num_epochs: int, how often each file is read; None for without end.
        queue_capacity: int, the most examples that wait in the queue.
        num_threads: int, how many threads read.
        read_batch_size: int, how many examples are read at once.
        parse_fn: callable of the examples that returns what is batched in their place, or None.
        name: str, the name of the operations; None for "read_batch_examples".
        seed: int, the seed of the random order.

    Returns:
        (Tensor of string, of shape [batch]: the keys; Tensor of string of that shape, or what `parse_fn` makes of it).

    Raises:
        ValueError: if no file matches, or a number is out of its range.
    """
    options = _Options(randomize_input, num_epochs, queue_capacity, num_threads, read_batch_size, parse_fn, True)
    return _keyed_examples(file_pattern, batch_size, reader, options, name, seed)


@deprecated("tf.data")
def read_batch_examples(
    file_pattern: Any,
    batch_size: IntLike,
    reader: _Reader,
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    num_threads: int = 1,
    read_batch_size: int = 1,
    parse_fn: Callable[..., Any] | None = None,
    name: str | None = None,
    seed: int | None = None,
) -> Any:
    """Returns batches of examples in files.

    Args:
        file_pattern: str or list of str, with the wildcards of names of files.
        batch_size: int, or Tensor of int32 of shape []: the examples of a batch.
        reader: callable without arguments that makes a reader, such as `tf.TFRecordReader`.
        randomize_input: bool. If True, files and examples come in random order.
        num_epochs: int, how often each file is read; None for without end.
        queue_capacity: int, the most examples that wait in the queue.
        num_threads: int, how many threads read.
        read_batch_size: int, how many examples are read at once.
        parse_fn: callable of the examples that returns what is batched in their place, or None.
        name: str, the name of the operations; None for "read_batch_examples".
        seed: int, the seed of the random order.

    Returns:
        Tensor of string, of shape [batch], or what `parse_fn` makes of it.

    Raises:
        ValueError: if no file matches, or a number is out of its range.
    """
    options = _Options(randomize_input, num_epochs, queue_capacity, num_threads, read_batch_size, parse_fn, False)
    return _keyed_examples(file_pattern, batch_size, reader, options, name, seed)[1]


def _queued(features: Any, keys: Any, capacity: int, threads: int, name: str | None) -> tuple[Any, dict[Any, Any]]:
    """Returns keys and features behind a queue, whose parts keep their shapes."""
    with name_scope(name, "queue_parsed_features", [*features.values(), *([] if keys is None else [keys])]):
        parts: list[Tensor] = []
        for key in sorted(features):
            feature = features[key]
            is_sparse = isinstance(feature, SparseTensor)
            parts += [feature.indices, feature.values, feature.dense_shape] if is_sparse else [feature]
        if keys is not None:
            parts.append(keys)
        queue = FIFOQueue(capacity, [part.dtype for part in parts])
        share = cast(queue.size(), dtypes.float32) * (1.0 / capacity)
        scalar(f"queue/parsed_features/{queue.name}/fraction_of_{capacity}_full", share)
        runner = QueueRunner(
            queue,
            [queue.enqueue(parts) for _ in range(threads)],
            queue_closed_exception_types=(errors.OutOfRangeError, errors.CancelledError),
        )
        add_queue_runner(runner)
        taken = queue.dequeue()
        taken = taken if isinstance(taken, list) else [taken]
        for part, original in zip(taken, parts, strict=True):
            part.set_shape(original.get_shape())
        rest = iter(taken)
        found: dict[Any, Any] = {}
        for key in sorted(features):
            if isinstance(features[key], SparseTensor):
                found[key] = SparseTensor(next(rest), next(rest), next(rest))
            else:
                found[key] = next(rest)
        return (None if keys is None else next(rest)), found


@deprecated("tf.data")
def queue_parsed_features(
    parsed_features: DictLike,
    keys: Any = None,
    feature_queue_capacity: int = 100,
    num_enqueue_threads: int = 2,
    name: str | None = None,
) -> Any:
    """Returns features that threads put into a queue.

    Args:
        parsed_features: dict from str to Tensor or SparseTensor of any dtype, of shape [batch, ...].
        keys: Tensor of string, of shape [batch], or None.
        feature_queue_capacity: int, the most batches that wait in the queue.
        num_enqueue_threads: int, how many threads fill the queue.
        name: str, the name of the operations; None for "queue_parsed_features".

    Returns:
        (Tensor of string of shape [batch], or None; dict of the features from the queue).
    """
    return _queued(parsed_features, keys, feature_queue_capacity, num_enqueue_threads, name)


def _keyed_features(
    file_pattern: Any,
    batch_size: Any,
    features: Any,
    reader: _Reader,
    options: _Options,
    queue: tuple[int, int],
    name: str | None,
) -> Any:
    with name_scope(name, "read_batch_features", [file_pattern]) as scope:
        keys, examples = _keyed_examples(file_pattern, batch_size, reader, options, scope)
        return _queued(parse_example(examples, features), keys, *queue, scope)


@deprecated("tf.data")
def read_keyed_batch_features(
    file_pattern: Any,
    batch_size: Any,
    features: DictLike,
    reader: _Reader,
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    reader_num_threads: int = 1,
    feature_queue_capacity: int = 100,
    num_enqueue_threads: int = 2,
    parse_fn: Callable[..., Any] | None = None,
    name: str | None = None,
    read_batch_size: int | None = None,
) -> Any:
    """Returns the keys of examples in files, and batches of their features.

    Args:
        file_pattern: str or list of str, with the wildcards of names of files.
        batch_size: int, or Tensor of int32 of shape []: the examples of a batch.
        features: dict of the features to parse, as `tf.parse_example` takes it.
        reader: callable without arguments that makes a reader, such as `tf.TFRecordReader`.
        randomize_input: bool. If True, files and examples come in random order.
        num_epochs: int, how often each file is read; None for without end.
        queue_capacity: int, the most examples that wait in the queue.
        reader_num_threads: int, how many threads read.
        feature_queue_capacity: int, the most batches that wait in the queue of features.
        num_enqueue_threads: int, how many threads fill the queue of features.
        parse_fn: callable of the examples that returns what is parsed in their place, or None.
        name: str, the name of the operations; None for "read_batch_features".
        read_batch_size: int, how many examples are read at once; None for `batch_size`.

    Returns:
        (Tensor of string, of shape [batch]: the keys; dict of the features from a queue).

    Raises:
        ValueError: if no file matches, or a number is out of its range.
    """
    options = _Options(
        randomize_input, num_epochs, queue_capacity, reader_num_threads, read_batch_size or batch_size, parse_fn, False
    )
    queue = (feature_queue_capacity, num_enqueue_threads)
    return _keyed_features(file_pattern, batch_size, features, reader, options, queue, name)


@deprecated("tf.data")
def read_keyed_batch_features_shared_queue(
    file_pattern: Any,
    batch_size: Any,
    features: DictLike,
    reader: _Reader,
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    reader_num_threads: int = 1,
    feature_queue_capacity: int = 100,
    num_queue_runners: int = 2,
    parse_fn: Callable[..., Any] | None = None,
    name: str | None = None,
) -> Any:
    """Returns keys and features as `read_keyed_batch_features`, from files that all workers share.

    Args:
        file_pattern: str or list of str, with the wildcards of names of files.
        batch_size: int, or Tensor of int32 of shape []: the examples of a batch.
        features: dict of the features to parse, as `tf.parse_example` takes it.
        reader: callable without arguments that makes a reader, such as `tf.TFRecordReader`.
        randomize_input: bool. If True, files and examples come in random order.
        num_epochs: int, how often each file is read; None for without end.
        queue_capacity: int, the most examples that wait in the queue.
        reader_num_threads: int, how many threads read.
        feature_queue_capacity: int, the most batches that wait in the queue of features.
        num_queue_runners: int, how many threads fill the queue of features.
        parse_fn: callable of the examples that returns what is parsed in their place, or None.
        name: str, the name of the operations; None for "read_batch_features".

    Returns:
        (Tensor of string, of shape [batch]: the keys; dict of the features from a queue).

    Raises:
        ValueError: if no file matches, or a number is out of its range.
    """
    options = _Options(randomize_input, num_epochs, queue_capacity, reader_num_threads, batch_size, parse_fn, True)
    queue = (feature_queue_capacity, num_queue_runners)
    return _keyed_features(file_pattern, batch_size, features, reader, options, queue, name)


@deprecated("tf.data")
def read_batch_features(
    file_pattern: Any,
    batch_size: Any,
    features: DictLike,
    reader: _Reader,
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    feature_queue_capacity: int = 100,
    reader_num_threads: int = 1,
    num_enqueue_threads: int = 2,
    parse_fn: Callable[..., Any] | None = None,
    name: str | None = None,
    read_batch_size: int | None = None,
) -> Any:
    """Returns batches of features of examples in files.

    Args:
        file_pattern: str or list of str, with the wildcards of names of files.
        batch_size: int, or Tensor of int32 of shape []: the examples of a batch.
        features: dict of the features to parse, as `tf.parse_example` takes it.
        reader: callable without arguments that makes a reader, such as `tf.TFRecordReader`.
        randomize_input: bool. If True, files and examples come in random order.
        num_epochs: int, how often each file is read; None for without end.
        queue_capacity: int, the most examples that wait in the queue.
        feature_queue_capacity: int, the most batches that wait in the queue of features.
        reader_num_threads: int, how many threads read.
        num_enqueue_threads: int, how many threads fill the queue of features.
        parse_fn: callable of the examples that returns what is parsed in their place, or None.
        name: str, the name of the operations; None for "read_batch_features".
        read_batch_size: int, how many examples are read at once; None for `batch_size`.

    Returns:
        dict of the features from a queue, Tensors or SparseTensors of shape [batch, ...].

    Raises:
        ValueError: if no file matches, or a number is out of its range.
    """
    options = _Options(
        randomize_input, num_epochs, queue_capacity, reader_num_threads, read_batch_size or batch_size, parse_fn, False
    )
    queue = (feature_queue_capacity, num_enqueue_threads)
    return _keyed_features(file_pattern, batch_size, features, reader, options, queue, name)[1]


@deprecated("tf.data")
def read_batch_record_features(
    file_pattern: Any,
    batch_size: Any,
    features: DictLike,
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    reader_num_threads: int = 1,
    name: str = "dequeue_record_examples",
) -> Any:
    """Returns batches of features of examples in files of records.

    Args:
        file_pattern: str or list of str, with the wildcards of names of files.
        batch_size: int, or Tensor of int32 of shape []: the examples of a batch.
        features: dict of the features to parse, as `tf.parse_example` takes it.
        randomize_input: bool. If True, files and examples come in random order.
        num_epochs: int, how often each file is read; None for without end.
        queue_capacity: int, the most examples that wait in the queue.
        reader_num_threads: int, how many threads read.
        name: str, the name of the operations.

    Returns:
        dict of the features from a queue, Tensors or SparseTensors of shape [batch, ...].

    Raises:
        ValueError: if no file matches, or a number is out of its range.
    """
    options = _Options(randomize_input, num_epochs, queue_capacity, reader_num_threads, batch_size, None, False)
    return _keyed_features(file_pattern, batch_size, features, TFRecordReader, options, (100, 2), name)[1]
