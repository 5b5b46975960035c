"""Input pipelines, as programs of either library: names, and functions that make the operations of one."""

from __future__ import annotations

from typing import Any

import numpy as np


def programs(tf: Any) -> dict[str, Any]:
    """The programs of a library."""
    dataset = tf.data.Dataset
    experimental = tf.data.experimental
    return {
        "tensors": lambda: dataset.from_tensors(np.zeros([2])),
        "tensors dict": lambda: dataset.from_tensors({"a": np.zeros([2]), "b": (1, 2)}),
        "tensors sparse": lambda: dataset.from_tensors(tf.SparseTensor([[0]], [1], [2])),
        "slices": lambda: dataset.from_tensor_slices(np.zeros([2])),
        "slices pair": lambda: dataset.from_tensor_slices((np.zeros([2]), np.zeros([2]))),
        "slices sparse": lambda: dataset.from_tensor_slices(tf.SparseTensor([[0]], [1], [2])),
        "sparse slices": lambda: dataset.from_sparse_tensor_slices(tf.SparseTensor([[0, 0]], [1], [2, 2])),
        "range": lambda: dataset.range(3),
        "range2": lambda: dataset.range(1, 3),
        "generator": lambda: dataset.from_generator(lambda: iter([1]), tf.int32),
        "generator args": lambda: dataset.from_generator(lambda a: iter([1]), tf.int32, [], args=(1,)),
        "zip": lambda: dataset.zip((dataset.range(3), dataset.range(4))),
        "concatenate": lambda: dataset.range(3).concatenate(dataset.range(4)),
        "repeat": lambda: dataset.range(3).repeat(),
        "take": lambda: dataset.range(3).take(2),
        "skip": lambda: dataset.range(3).skip(2),
        "shard": lambda: dataset.range(3).shard(2, 0),
        "enumerate": lambda: dataset.range(3).enumerate(),
        "shuffle": lambda: dataset.range(3).shuffle(2),
        "shuffle seed": lambda: dataset.range(3).shuffle(2, seed=1),
        "shuffle norep": lambda: dataset.range(3).shuffle(2, seed=1, reshuffle_each_iteration=False),
        "cache": lambda: dataset.range(3).cache(),
        "prefetch": lambda: dataset.range(3).prefetch(1),
        "prefetch none": lambda: dataset.range(3).prefetch(None),
        "batch": lambda: dataset.range(3).batch(2),
        "batch drop": lambda: dataset.range(3).batch(2, drop_remainder=True),
        "window": lambda: dataset.range(3).window(2),
        "window all": lambda: dataset.range(3).window(2, shift=1, drop_remainder=True),
        "padded": lambda: dataset.range(3).padded_batch(2, []),
        "padded drop": lambda: dataset.from_tensors([1.0]).padded_batch(2, [4], 1.0, True),
        "map": lambda: dataset.range(3).map(lambda x: x + 1),
        "map par": lambda: dataset.range(3).map(lambda x: x + 1, num_parallel_calls=2),
        "flat_map": lambda: dataset.range(3).flat_map(lambda x: dataset.range(x)),
        "interleave": lambda: dataset.range(3).interleave(lambda x: dataset.range(x), 2),
        "interleave par": lambda: dataset.range(3).interleave(lambda x: dataset.range(x), 2, num_parallel_calls=2),
        "filter": lambda: dataset.range(3).filter(lambda x: x > 1),
        "reduce": lambda: dataset.range(3).reduce(np.int64(0), lambda a, b: a + b),
        "unbatch": lambda: dataset.from_tensors([1, 2]).apply(experimental.unbatch()),
        "ignore": lambda: dataset.range(3).apply(experimental.ignore_errors()),
        "enum": lambda: dataset.range(3).apply(experimental.enumerate_dataset()),
        "sar": lambda: dataset.range(3).apply(experimental.shuffle_and_repeat(3, 2)),
        "map_and_batch": lambda: dataset.range(3).apply(experimental.map_and_batch(lambda x: x, 2)),
        "map_and_batch par": lambda: dataset.range(3).apply(
            experimental.map_and_batch(lambda x: x, 2, num_parallel_calls=2)
        ),
        "parallel_interleave": lambda: dataset.range(3).apply(
            experimental.parallel_interleave(lambda x: dataset.range(x), 2)
        ),
        "scan": lambda: dataset.range(3).apply(experimental.scan(np.int64(0), lambda a, b: (a + b, b))),
        "unique": lambda: dataset.range(3).apply(experimental.unique()),
        "group_by_window": lambda: dataset.range(3).apply(
            experimental.group_by_window(lambda x: x, lambda k, w: w.batch(2), 2)
        ),
        "bucket": lambda: (
            dataset.range(3)
            .map(lambda x: tf.fill([x], x))
            .apply(experimental.bucket_by_sequence_length(lambda x: tf.shape(x)[0], [2], [2, 2]))
        ),
        "Counter": lambda: experimental.Counter(),
        "RandomDataset": lambda: experimental.RandomDataset(3),
        "sample": lambda: experimental.sample_from_datasets([dataset.range(3), dataset.range(4)]),
        "choose": lambda: experimental.choose_from_datasets([dataset.range(3), dataset.range(4)], dataset.range(2)),
        "rejection": lambda: dataset.range(4).apply(
            experimental.rejection_resample(lambda x: tf.cast(x % 2, tf.int32), [0.5, 0.5])
        ),
        "text list": lambda: tf.data.TextLineDataset(["/tmp/a", "/tmp/b"]),
        "fixed": lambda: tf.data.FixedLengthRecordDataset("/tmp/a", 3),
        "tfrecord": lambda: tf.data.TFRecordDataset("/tmp/a"),
        "tfrecord par": lambda: tf.data.TFRecordDataset(["/tmp/a"], num_parallel_reads=2),
        "dense_to_sparse": lambda: dataset.from_tensors([1, 2]).apply(experimental.dense_to_sparse_batch(2, [4])),
        "single": lambda: experimental.get_single_element(dataset.range(1)),
        "oneshot": lambda: tf.data.make_one_shot_iterator(dataset.range(3)).get_next(),
        "oneshot map": lambda: tf.data.make_one_shot_iterator(
            dataset.range(3).map(lambda x: x + 1).batch(2)
        ).get_next(),
        "init": lambda: tf.data.make_initializable_iterator(dataset.range(3)).get_next(),
        "init map": lambda: tf.data.make_initializable_iterator(dataset.range(3).map(lambda x: x + 1)).get_next(),
        "from structure": lambda: tf.data.Iterator.from_structure(tf.int64, []).make_initializer(dataset.range(3)),
        "string handle": lambda: tf.data.Iterator.from_string_handle(
            tf.placeholder(tf.string, []), tf.int64, []
        ).get_next(),
        "sh": lambda: tf.data.make_initializable_iterator(dataset.range(3)).string_handle(),
        "map sparse": lambda: dataset.range(3).map(lambda x: tf.SparseTensor([[0]], [x], [2])),
        "map const": lambda: dataset.range(3).map(lambda x: (1, x)),
    }


def nodes(tf: Any, program: Any) -> list[list[str]]:
    """Of each operation that a program makes under a graph's seed: its name, its type and its inputs."""
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(1)
        program()
        return [[op.name, op.type, *(t.name for t in op.inputs)] for op in graph.get_operations()]
