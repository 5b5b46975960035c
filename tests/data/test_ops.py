"""Every dataset op on a small input: the elements it gives, at one thread and at several."""

from __future__ import annotations

import pytest
from data.reading import elements

import ferroflow as tf
from ferroflow._src.data import element_nest
from ferroflow._src.data.dataset import OpDataset
from ferroflow._src.data.element_function import ElementFunction
from ferroflow._src.data.structure import Structure

D = tf.data.Dataset
contrib = tf.contrib.data


def _sparse():
    return tf.SparseTensor([[0, 0], [0, 2], [2, 1]], [1, 2, 3], [3, 3])


def _rows(n):
    return D.range(n).map(lambda x: tf.fill([x], x))


def _integers(shape):
    return Structure(tf.int64, tf.TensorShape(shape), tf.Tensor)


# Ops of older GraphDefs are made directly: the functions make newer ones.
def _old_map_and_batch():
    f = ElementFunction(lambda x: -x, [_integers([])], "tf_map_func")
    inputs = [D.range(5), f, tf.constant(2, tf.int64), tf.constant(3, tf.int64), tf.constant(True)]
    return OpDataset("MapAndBatchDatasetV2", inputs, _integers([2]), {"f": f})


# The op, a dataset that it makes last or in the middle, and the elements.
CASES = [
    ("TensorDataset", lambda: D.from_tensors((1, [2.0, 3.0])), [(1, [2.0, 3.0])]),
    (
        "TensorSliceDataset",
        lambda: D.from_tensor_slices({"a": [1, 2], "b": ["x", "y"]}),
        [
            {"a": 1, "b": b"x"},
            {"a": 2, "b": b"y"},
        ],
    ),
    (
        "SparseTensorSliceDataset",
        lambda: D.from_sparse_tensor_slices(_sparse()),
        [
            ([[0], [2]], [1, 2], [3]),
            ([], [], [3]),
            ([[1]], [3], [3]),
        ],
    ),
    ("RangeDataset", lambda: D.range(5, 0, -2), [5, 3, 1]),
    ("ZipDataset", lambda: D.zip((D.range(3), (D.range(5), D.range(1, 9)))), [(0, (0, 1)), (1, (1, 2)), (2, (2, 3))]),
    ("ConcatenateDataset", lambda: D.range(2).concatenate(D.range(7, 9)), [0, 1, 7, 8]),
    ("RepeatDataset", lambda: D.range(2).repeat(2), [0, 1, 0, 1]),
    ("TakeDataset", lambda: D.range(9).take(2), [0, 1]),
    ("SkipDataset", lambda: D.range(4).skip(2), [2, 3]),
    ("MapDataset", lambda: D.range(3).map(lambda x: (x, x * x)), [(0, 0), (1, 1), (2, 4)]),
    ("ParallelMapDataset", lambda: D.range(5).map(lambda x: x + 1, num_parallel_calls=3), [1, 2, 3, 4, 5]),
    ("FilterDataset", lambda: D.range(6).filter(lambda x: tf.equal(x % 2, 1)), [1, 3, 5]),
    ("FlatMapDataset", lambda: D.range(4).flat_map(D.range), [0, 0, 1, 0, 1, 2]),
    (
        "InterleaveDataset",
        lambda: D.range(1, 4).interleave(lambda x: D.from_tensors(x).repeat(x), 2, 1),
        [
            1,
            2,
            2,
            3,
            3,
            3,
        ],
    ),
    (
        "ParallelInterleaveDataset",
        lambda: D.range(1, 4).apply(contrib.parallel_interleave(lambda x: D.from_tensors(x).repeat(x), 2, 1)),
        [1, 2, 2, 3, 3, 3],
    ),
    (
        "DirectedInterleaveDataset",
        lambda: contrib.choose_from_datasets(
            [D.range(3), D.range(10, 12)],
            D.from_tensor_slices(tf.constant([1, 0, 1, 1, 0, 0, 0], tf.int64)),
        ),
        [10, 0, 11, 1, 2],
    ),
    (
        "BatchDataset",
        lambda: OpDataset("BatchDataset", [D.range(5), tf.constant(2, tf.int64)], _integers([None])),
        [[0, 1], [2, 3], [4]],
    ),
    ("BatchDatasetV2", lambda: D.range(5).batch(2, drop_remainder=True), [[0, 1], [2, 3]]),
    (
        "PaddedBatchDataset",
        lambda: OpDataset(
            "PaddedBatchDataset",
            [_rows(4), tf.constant(2, tf.int64), [tf.constant([-1], tf.int64)], [tf.constant(0, tf.int64)]],
            _integers([None, None]),
        ),
        [[[0], [1]], [[2, 2, 0], [3, 3, 3]]],
    ),
    ("ShardDataset", lambda: D.range(8).shard(3, 1), [1, 4, 7]),
    (
        "ParallelInterleaveDatasetV2",
        lambda: D.range(1, 4).interleave(lambda x: D.from_tensors(x).repeat(x), 2, 1, num_parallel_calls=2),
        [1, 2, 2, 3, 3, 3],
    ),
    (
        "PaddedBatchDatasetV2",
        lambda: _rows(3).padded_batch(2, [3], tf.constant(9, tf.int64), drop_remainder=True),
        [[[9, 9, 9], [1, 9, 9]]],
    ),
    (
        "DenseToSparseBatchDataset",
        lambda: _rows(3).apply(contrib.dense_to_sparse_batch(3, [4])),
        [
            ([[1, 0], [2, 0], [2, 1]], [1, 2, 2], [3, 4]),
        ],
    ),
    ("UnbatchDataset", lambda: D.from_tensors(([1, 2], [[3], [4]])).apply(contrib.unbatch()), [(1, [3]), (2, [4])]),
    ("SlideDataset", lambda: D.range(5).apply(contrib.sliding_window_batch(3, 1)), [[0, 1, 2], [1, 2, 3], [2, 3, 4]]),
    ("PrefetchDataset", lambda: D.range(4).prefetch(2).prefetch(None), [0, 1, 2, 3]),
    ("CacheDataset", lambda: D.range(3).shuffle(3, seed=1).cache().repeat(2).batch(3).map(tf.reduce_sum), [3, 3]),
    (
        "ScanDataset",
        lambda: D.range(4).apply(contrib.scan(tf.constant(0, tf.int64), lambda s, x: (s + x, s + x))),
        [0, 1, 3, 6],
    ),
    (
        "GroupByWindowDataset",
        lambda: D.range(7).apply(contrib.group_by_window(lambda x: x % 2, lambda _, w: w.batch(9), 3)),
        [[0, 2, 4], [1, 3, 5], [6]],
    ),
    (
        "WindowDataset",
        lambda: D.range(7).window(3, 2, 2).flat_map(lambda w: w.batch(9)),
        [[0, 2, 4], [2, 4, 6], [4, 6], [6]],
    ),
    ("GeneratorDataset", lambda: D.from_generator(lambda: iter([1, 2]), tf.int32), [1, 2]),
    (
        "IgnoreErrorsDataset",
        lambda: (
            D.from_tensor_slices([1.0, 0.0, 2.0])
            .map(lambda x: tf.check_numerics(1 / x, "none"))
            .apply(contrib.ignore_errors())
        ),
        [1.0, 0.5],
    ),
    ("UniqueDataset", lambda: D.from_tensor_slices([1, 2, 1, 3, 2]).apply(contrib.unique()), [1, 2, 3]),
    (
        "MapAndBatchDataset",
        lambda: D.range(5).apply(contrib.map_and_batch(lambda x: -x, 2, num_parallel_batches=2)),
        [[0, -1], [-2, -3], [-4]],
    ),
    (
        "MapAndBatchDatasetV2",
        _old_map_and_batch,
        [[0, -1], [-2, -3]],
    ),
    ("ShuffleDataset", lambda: D.range(9).shuffle(1), list(range(9))),
    ("ShuffleAndRepeatDataset", lambda: D.range(3).apply(contrib.shuffle_and_repeat(1, 2)), [0, 1, 2, 0, 1, 2]),
]


@pytest.mark.parametrize(("op", "build", "expected"), CASES, ids=[c[0] for c in CASES])
@pytest.mark.parametrize("threads", [1, 4])
def test_the_op_gives_its_elements(op, build, expected, threads):
    assert elements(build, threads) == expected


@pytest.mark.parametrize(("op", "build", "expected"), CASES, ids=[c[0] for c in CASES])
def test_the_function_makes_the_op_it_is_named_after(op, build, expected):
    with tf.Graph().as_default() as graph:
        build().make_initializable_iterator()
        graphs = [graph, *(f.graph for f in graph._functions.values())]
        assert op in {node.type for g in graphs for node in g.get_operations()}


@pytest.mark.parametrize(("op", "build", "expected"), CASES, ids=[c[0] for c in CASES])
def test_what_is_known_of_the_elements_is_true_of_them(op, build, expected):
    with tf.Graph().as_default():
        dataset = build()
        iterator = dataset.make_initializable_iterator()
        element = iterator.get_next()
        with tf.Session() as session:
            session.run(iterator.initializer)
            value = session.run(element)
    for tensor, array in zip(element_nest.flatten(element), element_nest.flatten(value), strict=True):
        if isinstance(tensor, tf.SparseTensor):
            continue
        assert tensor.shape.is_compatible_with(getattr(array, "shape", ()))


def test_random_numbers_are_those_of_the_seed():
    def seeded():
        tf.set_random_seed(7)
        return contrib.RandomDataset(seed=5)

    assert elements(seeded, most=3) == [896464793, 3825223431, 1861595290]
    assert elements(lambda: contrib.RandomDataset(), most=3) != elements(lambda: contrib.RandomDataset(), most=3)


def test_reduce_gives_the_last_state():
    with tf.Graph().as_default(), tf.Session() as session:
        total = D.range(5).reduce(tf.constant(0, tf.int64), lambda state, x: state + x)
        assert total.op.type == "ReduceDataset"
        assert session.run(total) == 10
        assert session.run(D.range(0).reduce((1, 2.0), lambda s, x: s)) == (1, 2.0)


def test_the_only_element_is_had_without_an_iterator():
    with tf.Graph().as_default(), tf.Session() as session:
        one = contrib.get_single_element(D.range(7, 8))
        assert one.op.type == "DatasetToSingleElement"
        assert session.run(one) == 7
        for dataset, message in [(D.range(0), "Dataset was empty."), (D.range(2), "more than one element")]:
            with pytest.raises(tf.errors.InvalidArgumentError, match=message):
                session.run(contrib.get_single_element(dataset))


def test_a_prefetch_of_no_elements_gives_all_elements() -> None:
    assert elements(lambda: D.range(3).prefetch(0)) == [0, 1, 2]


def test_any_number_of_shards_is_counted() -> None:
    assert elements(lambda: D.range(3).shard((1 << 63) - 1, 1)) == [1]


@pytest.mark.parametrize("count", [0, 1, 2, 3, 5, 7])
@pytest.mark.parametrize("index", [0, 1, 2])
def test_a_shard_that_must_not_be_empty_begins_only_if_all_shards_do(count: int, index: int) -> None:
    """As in TensorFlow 1.15, where a shard that has no element ends without an error."""

    def shard() -> tf.data.Dataset:
        dataset = D.range(count)
        attributes = {"require_non_empty": True}
        inputs = [dataset, tf.constant(3, tf.int64), tf.constant(index, tf.int64)]
        return OpDataset("ShardDataset", inputs, _integers([]), attributes)

    if index < count < 3:
        message = f"elems = {count}, # shards = 3"
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            elements(lambda: shard().take(1))
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            elements(shard)
    else:
        assert elements(shard) == list(range(index, count, 3))
