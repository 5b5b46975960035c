"""Imports and runs graphs with hostile attributes, constants and inputs, in a process whose memory is bounded.

`python hostile_graphs.py GROUP SHARE SEED` prints how many were refused and how many ran.
"""

from __future__ import annotations

import random
import resource
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import ferroflow as tf

# What asks for more than any machine has must be refused.
_MEMORY = 6 << 30
# A hostile count may take years.
_MILLISECONDS = 500
# A step that does not look at the clock for so long hangs.
_LONGEST_SECONDS = 30.0
REFUSALS = (ValueError, TypeError, KeyError, RuntimeError, tf.errors.OpError)


def _tables() -> dict[str, Callable[[], Any]]:
    lookup = tf.contrib.lookup

    def table(keys: Any, values: Any, default: Any, query: Any) -> Callable[[], Any]:
        def build() -> Any:
            initializer = lookup.KeyValueTensorInitializer(tf.constant(keys), tf.constant(values))
            return lookup.HashTable(initializer, tf.constant(default)).lookup(tf.constant(query))

        return build

    def mutable(make: Callable[[], Any], keys: Any, values: Any) -> Callable[[], Any]:
        def build() -> Any:
            held = make()
            with tf.control_dependencies([held.insert(tf.constant(keys), tf.constant(values))]):
                exported = held.export()
            with tf.control_dependencies(exported):
                return [held.lookup(tf.constant(keys)), held.size(), *exported]

        return build

    def vector() -> Any:
        return lookup.MutableHashTable(tf.string, tf.float32, tf.constant([0.0, 1.0]))

    def dense() -> Any:
        return lookup.MutableDenseHashTable(tf.int64, tf.int64, -1, empty_key=tf.constant(0, tf.int64))

    return {
        "table": table(["a", "b"], np.array([1, 2], np.int64), np.int64(-1), ["b", "c"]),
        "table of text": table(np.array([1, 2], np.int64), ["a", "b"], "?", np.array([2, 3], np.int64)),
        "mutable": mutable(
            lambda: lookup.MutableHashTable(tf.string, tf.int64, -1), ["a", "b"], np.array([1, 2], np.int64)
        ),
        "mutable of vectors": mutable(vector, ["a", "b"], np.ones((2, 2), np.float32)),
        "dense": mutable(dense, np.array([1, 2], np.int64), np.array([3, 4], np.int64)),
        "buckets": lambda: tf.string_to_hash_bucket_fast(tf.constant(["a", "b"]), 7),
        "strong buckets": lambda: tf.string_to_hash_bucket_strong(tf.constant(["a"]), 7, [1, 2]),
        "out of vocabulary": lambda: lookup.index_table_from_tensor(tf.constant(["a"]), 3).lookup(tf.constant(["q"])),
        "back to text": lambda: lookup.index_to_string_table_from_tensor(tf.constant(["a"])).lookup(
            tf.constant([0, 5], tf.int64)
        ),
    }


def _datasets() -> dict[str, Callable[[], Any]]:
    data, experimental = tf.data.Dataset, tf.data.experimental
    numbers = data.range
    pairs = {"a": np.arange(4.0), "b": np.arange(8).reshape(4, 2)}
    ways: dict[str, Callable[[], Any]] = {
        "range": lambda: numbers(1, 9, 3),
        "tensors": lambda: data.from_tensors((1, "a")),
        "slices": lambda: data.from_tensor_slices(pairs),
        "sparse slices": lambda: data.from_sparse_tensor_slices(tf.SparseTensor([[0, 0], [1, 2]], [1.0, 2.0], [2, 3])),
        "batch": lambda: data.from_tensor_slices(pairs).batch(3),
        "batch without rest": lambda: numbers(5).batch(2, drop_remainder=True),
        "padded batch": lambda: numbers(4).map(lambda n: tf.fill([n], n)).padded_batch(2, [None]),
        "shuffle": lambda: numbers(5).shuffle(3, seed=1),
        "shuffle and repeat": lambda: numbers(5).apply(experimental.shuffle_and_repeat(3, 2, 1)),
        "repeat": lambda: numbers(3).repeat(2),
        "take and skip": lambda: numbers(9).skip(2).take(3),
        "map": lambda: numbers(4).map(lambda n: n * 2),
        "parallel map": lambda: numbers(4).map(lambda n: n * 2, num_parallel_calls=2),
        "map and batch": lambda: numbers(4).apply(experimental.map_and_batch(lambda n: n + 1, 2)),
        "flat map": lambda: numbers(3).flat_map(lambda n: numbers(n)),
        "interleave": lambda: numbers(3).interleave(lambda n: numbers(n), 2, 2),
        "parallel interleave": lambda: numbers(3).apply(experimental.parallel_interleave(numbers, 2)),
        "filter": lambda: numbers(5).filter(lambda n: n > 2),
        "zip": lambda: data.zip((numbers(3), numbers(4))),
        "concatenate": lambda: numbers(2).concatenate(numbers(3)),
        "prefetch": lambda: numbers(3).prefetch(2),
        "cache": lambda: numbers(3).cache().repeat(2),
        "window": lambda: numbers(7).window(3, 2).flat_map(lambda d: d.batch(3)),
        "scan": lambda: numbers(4).apply(experimental.scan(np.int64(0), lambda s, n: (s + n, s))),
        "groups": lambda: numbers(9).apply(
            experimental.group_by_window(lambda n: n % 2, lambda _, d: d.batch(2), window_size=2)
        ),
        "unbatch": lambda: data.from_tensor_slices(pairs).batch(2).apply(experimental.unbatch()),
        "dense to sparse": lambda: (
            numbers(3).map(lambda n: tf.fill([n], n)).apply(experimental.dense_to_sparse_batch(2, [4]))
        ),
        "random": lambda: experimental.RandomDataset(1).take(3),
        "enumerate": lambda: numbers(3).apply(experimental.enumerate_dataset(5)),
        "ignored errors": lambda: numbers(3).apply(experimental.ignore_errors()),
        "shard": lambda: numbers(9).shard(3, 1),
        "text": lambda: tf.data.TextLineDataset(__file__).take(2),
        "fixed records": lambda: tf.data.FixedLengthRecordDataset(__file__, 1, 3, 1).take(2),
        "generator free": lambda: experimental.choose_from_datasets([numbers(3), numbers(4)], numbers(2)),
    }

    def read(make: Callable[[], Any]) -> Callable[[], Any]:
        def build() -> Any:
            iterator = make().make_initializable_iterator()
            tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
            leaves = tf.contrib.framework.nest.flatten(iterator.get_next())
            return [leaf.values if isinstance(leaf, tf.SparseTensor) else leaf for leaf in leaves]

        return build

    return {name: read(make) for name, make in ways.items()}


def _others() -> dict[str, Callable[[], Any]]:
    def queue(make: Callable[[], Any]) -> Callable[[], Any]:
        def build() -> Any:
            held = make()
            put = held.enqueue_many(tf.constant([[1.0, 2.0], [3.0, 4.0]]))
            with tf.control_dependencies([put]), tf.control_dependencies([held.close()]):
                return [held.dequeue_up_to(3), held.size()]

        return build

    def array() -> Any:
        held = tf.TensorArray(tf.float32, 3, element_shape=[2]).unstack(tf.zeros([3, 2]))
        return [held.stack(), held.size()]

    def accumulator() -> Any:
        held = tf.ConditionalAccumulator(tf.float32, [2])
        with tf.control_dependencies([held.apply_grad(tf.constant([1.0, 2.0]), 0)]):
            return held.take_grad(1)

    return {
        "queue": queue(lambda: tf.FIFOQueue(5, tf.float32, [2])),
        "random queue": queue(lambda: tf.RandomShuffleQueue(5, 0, tf.float32, [2], seed=1)),
        "padding queue": queue(lambda: tf.PaddingFIFOQueue(5, tf.float32, [[None]])),
        "array": array,
        "accumulator": accumulator,
        "example": lambda: tf.parse_example(
            tf.constant([b""]), {"a": tf.FixedLenFeature([2], tf.float32, [1.0, 2.0]), "b": tf.VarLenFeature(tf.int64)}
        )["a"],
        "csv": lambda: tf.decode_csv(tf.constant(["1,2.5"]), [[0], [0.0]]),
        "split text": lambda: tf.string_split(tf.constant(["a b", ""])).values,
        "substrings": lambda: tf.substr(tf.constant(["abc"]), 1, 1),
        "random numbers": lambda: [tf.random_uniform([2, 3]), tf.multinomial(tf.zeros([1, 3]), 2)],
        "candidates": lambda: tf.nn.log_uniform_candidate_sampler(tf.constant([[1]], tf.int64), 1, 2, True, 9),
    }


GROUPS = {"tables": _tables, "datasets": _datasets, "others": _others}
_INTS = [-1, 0, 1, 3, 1 << 31, (1 << 63) - 1, -(1 << 63)]
_TYPES = [0, 1, 3, 7, 9, 10, 20, 21, 101, 999]


def _attributes() -> Iterator[Any]:
    """Hostile values of an attribute, of all kinds."""
    value = tf.AttrValue
    yield None
    yield value()
    yield from (value(i=n) for n in _INTS)
    yield from (value(type=t) for t in _TYPES)
    yield from (value(s=text) for text in (b"", b"a", b"\xff\xfe", b"loc:@nowhere"))
    yield from (value(f=number) for number in (float("nan"), float("inf"), -1.0))
    yield from (value(b=truth) for truth in (False, True))
    dims = [[], [-1], [-2], [0], [1 << 40, 1 << 40], [2, 3, 4, 5, 6, 7, 8, 9, 1, 1]]
    for sizes in dims:
        yield value(shape=tf.TensorShape([]).as_proto().__class__(dim=[{"size": n} for n in sizes]))
    lists = tf.AttrValue.ListValue
    yield value(list=lists())
    yield from (value(list=lists(i=numbers)) for numbers in ([-1], [0, 0], [1 << 62] * 9))
    yield from (value(list=lists(type=types)) for types in ([1], [9, 7], [7] * 3, [0], [21]))
    yield value(list=lists(s=[b"a"] * 3))
    for sizes in dims:
        yield value(list=lists(shape=[tf.TensorShape([]).as_proto().__class__(dim=[{"size": n} for n in sizes])]))
    yield value(func={"name": "nowhere"})


def _constants(tensor: Any) -> Iterator[Any]:
    """Hostile constants in place of one: of its type and of others."""
    kind = tf.as_dtype(tensor.dtype)
    numbers: list[Any] = [-1, 0, 1, 3, 1 << 31, (1 << 63) - 1, -(1 << 63)]
    if kind == tf.string:
        arrays: list[Any] = [b"", b"\xff\x00", [b"a", b"a"], np.empty((0,), object), [[b"a"]]]
    elif kind.is_floating:
        arrays = [float("nan"), float("inf"), -1e30, 0.0, [], [[1.0]], [1.0, 2.0, 3.0]]
    elif kind.is_bool:
        arrays = [True, False, []]
    else:
        limits = np.iinfo(kind.as_numpy_dtype)
        arrays = [n for n in numbers if limits.min <= n <= limits.max] + [limits.min, limits.max, [], [[1]], [1, 2, 3]]
    for array in arrays:
        yield tf.contrib.util.make_tensor_proto(array, kind)
    for other, number in ((tf.float32, 1.0), (tf.int32, 1), (tf.int64, 1), (tf.string, "a"), (tf.bool, True)):
        if other != kind:
            yield tf.contrib.util.make_tensor_proto(number, other)


def _damaged(definition: Any) -> Iterator[tuple[str, Any]]:
    """GraphDefs with one hostile attribute, constant or input, each with what was done."""
    bodies = [definition.node, *(function.node_def for function in definition.library.function)]
    for body, nodes in enumerate(bodies):
        for place, node in enumerate(nodes):

            def changed(what: str, change: Callable[[Any], object], body: int = body, place: int = place) -> Any:
                copy = tf.GraphDef()
                copy.CopyFrom(definition)
                holder = copy.node if body == 0 else copy.library.function[body - 1].node_def
                change(holder[place])
                return f"{holder[place].name} ({holder[place].op}): {what}", copy

            for name in sorted(node.attr):
                for value in _attributes():

                    def put(target: Any, name: str = name, value: Any = value) -> None:
                        if value is None:
                            del target.attr[name]
                        else:
                            target.attr[name].CopyFrom(value)

                    yield changed(f"{name} = {str(value).strip()!r}", put)
            if node.op == "Const":
                for tensor in _constants(node.attr["value"].tensor):

                    def replace(target: Any, tensor: Any = tensor) -> None:
                        target.attr["value"].tensor.CopyFrom(tensor)
                        target.attr["dtype"].type = tensor.dtype

                    yield changed(f"value = {str(tensor).strip()!r}", replace)
            for number in range(len(node.input)):
                for other in (node.input[0], "nowhere", f"{node.name}:0", f"{node.input[number]}:7"):

                    def join(target: Any, number: int = number, other: str = other) -> None:
                        target.input[number] = other

                    yield changed(f"input {number} = {other}", join)
            yield changed("no inputs", lambda target: target.ClearField("input"))
            yield changed("all inputs twice", lambda target: target.input.extend(list(target.input)))


def _runs(definition: Any, fetches: list[str], starts: list[str], times: int = 3) -> bool:
    """Whether a graph is imported and run; raises what is neither a refusal nor an error of the step."""
    options = tf.RunOptions(timeout_in_ms=_MILLISECONDS)
    config = tf.ConfigProto(intra_op_parallelism_threads=1)
    with tf.Graph().as_default() as graph:
        try:
            tf.import_graph_def(definition, name="")
            with tf.Session(config=config) as session:
                for name in starts:
                    session.run(graph.get_operation_by_name(name), options=options)
                for _ in range(times):
                    session.run([graph.get_tensor_by_name(name) for name in fetches], options=options)
        except tf.errors.InternalError:
            raise
        except REFUSALS:
            return False
    return True


def main(group: str, share: float, seed: int) -> tuple[int, int]:
    """Runs a share of all damaged graphs of a group; the numbers of those that were refused, and that ran."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    choose = random.Random(seed)
    results, failures = [], []
    for name, build in GROUPS[group]().items():
        with tf.Graph().as_default() as graph:
            fetches = [t.name for t in tf.contrib.framework.nest.flatten(build())]
            starts = [op.name for op in tf.get_collection(tf.GraphKeys.TABLE_INITIALIZERS)]
            definition = graph.as_graph_def()
        if not _runs(definition, fetches, starts, 1):
            failures.append(f"{name}: the graph is refused")
        for what, damaged in _damaged(definition):
            if choose.random() >= share:
                continue
            # Seen where the process ends.
            print(name, what[:2000], file=sys.stderr, flush=True)
            began = time.monotonic()
            try:
                results.append(_runs(damaged, fetches, starts))
                assert time.monotonic() < began + _LONGEST_SECONDS, "the step did not look at the clock"
            except Exception as failure:
                failures.append(f"{name} {what[:300]}: {type(failure).__name__}: {str(failure)[:300]}")
    assert not failures, "\n".join(failures)
    return results.count(False), results.count(True)


if __name__ == "__main__":
    print(*main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3])))
