"""Laws of saved positions: a restored iterator goes on as the saved one, whatever dataset its graph has."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

import ferroflow as tf
from ferroflow._src.base import errors

data = tf.data.experimental
Dataset = tf.data.Dataset


def numbers(n=7):
    return Dataset.range(n)


def files(folder):
    """Names of two text files with four lines each."""
    names = []
    for name in ("a", "b"):
        path = folder / name
        path.write_text("".join(f"{name}{i},{i}\n" for i in range(4)))
        names.append(str(path))
    return names


def records(folder):
    with tf.io.TFRecordWriter(str(folder / "records")) as writer:
        for i in range(5):
            writer.write(b"x" * i)
    return [str(folder / "records")]


def reducer():
    return data.Reducer(lambda key: key, lambda state, x: state + x, lambda state: state)


def sparse():
    return tf.SparseTensor([[0, 1], [2, 0], [2, 1]], [1, 2, 3], [4, 2])


PIPELINES = {
    "range": lambda folder: numbers(),
    "tensors": lambda folder: Dataset.from_tensors((1, b"a")),
    "slices": lambda folder: Dataset.from_tensor_slices((np.arange(5), [b"a", b"", b"c", b"d", b"e"])),
    "sparse slices": lambda folder: Dataset.from_sparse_tensor_slices(sparse()),
    "batch": lambda folder: numbers().batch(2),
    "padded batch": lambda folder: numbers().map(lambda n: tf.fill([n], n)).padded_batch(3, [None]),
    "sliding window": lambda folder: numbers().apply(tf.contrib.data.sliding_window_batch(3, 2)),
    "unbatch": lambda folder: numbers().batch(3).apply(data.unbatch()),
    "map": lambda folder: numbers().map(lambda n: n * n),
    "map of two arguments": lambda folder: Dataset.zip((numbers(), numbers())).map(lambda a, b: (a, a + b)),
    "parallel map": lambda folder: numbers(20).map(lambda n: n * n, num_parallel_calls=3),
    "map and batch": lambda folder: numbers(20).apply(data.map_and_batch(lambda n: n + 1, 3)),
    "filter": lambda folder: numbers().filter(lambda n: tf.equal(n % 2, 0)),
    "flat map": lambda folder: numbers().flat_map(lambda n: Dataset.range(n)),
    "interleave": lambda folder: numbers().interleave(lambda n: Dataset.range(n), 3, 2),
    "parallel interleave": lambda folder: numbers().apply(data.parallel_interleave(Dataset.range, 2)),
    "interleave in flat map": lambda folder: numbers(4).flat_map(
        lambda n: Dataset.range(n).interleave(lambda k: Dataset.range(k + 1), 2, 1)
    ),
    "group by window": lambda folder: numbers(20).apply(
        data.group_by_window(lambda n: n % 3, lambda key, window: window.batch(2), 4)
    ),
    "group by reducer": lambda folder: numbers(20).apply(data.group_by_reducer(lambda n: n % 3, reducer())),
    "scan": lambda folder: numbers().apply(data.scan(np.int64(10), lambda s, n: (s + n, s * n))),
    "shuffle": lambda folder: numbers(20).shuffle(6, seed=3),
    "shuffled anew in each pass": lambda folder: numbers(5).shuffle(3, seed=3).repeat(4),
    "shuffle below other passes": lambda folder: numbers(5).shuffle(3, seed=3).map(lambda n: n).repeat(4),
    "shuffle in flat map": lambda folder: numbers(5).flat_map(lambda n: Dataset.range(4).shuffle(4, seed=1)).repeat(2),
    "shuffle and repeat": lambda folder: numbers(5).apply(data.shuffle_and_repeat(3, 4, seed=5)),
    "shuffle of windows": lambda folder: (
        numbers(9).window(3, shift=2, drop_remainder=True).shuffle(3, seed=1).flat_map(lambda window: window.batch(3))
    ),
    "cache": lambda folder: numbers().cache().repeat(3),
    "cache of a shuffle": lambda folder: numbers().shuffle(5, seed=2).cache().repeat(3),
    "prefetch": lambda folder: numbers(30).prefetch(4),
    "prefetch of a shuffle": lambda folder: numbers(30).shuffle(7, seed=4).prefetch(4).batch(2),
    "repeat": lambda folder: numbers(3).repeat(4),
    "take and skip": lambda folder: numbers(20).skip(3).take(9),
    "concatenate": lambda folder: numbers(3).concatenate(numbers(4)),
    "the same dataset twice": lambda folder: (lambda d: Dataset.zip((d, d)))(numbers().shuffle(4, seed=1)),
    "unique": lambda folder: numbers(20).map(lambda n: n % 7).apply(data.unique()),
    "take while": lambda folder: numbers().apply(data.take_while(lambda n: n < 5)),
    "enumerate": lambda folder: numbers().apply(data.enumerate_dataset(3)),
    "shard": lambda folder: numbers(20).shard(3, 1),
    "chosen": lambda folder: data.choose_from_datasets(
        [Dataset.range(5), Dataset.range(10, 15)], numbers(9).map(lambda n: n % 2)
    ),
    "errors left out": lambda folder: (
        numbers()
        .map(lambda n: tf.debugging.check_numerics(1.0 / (tf.cast(n, tf.float32) - 2.0), "bad"))
        .apply(data.ignore_errors())
    ),
    "random numbers": lambda folder: data.RandomDataset(seed=3).take(9),
    "lines": lambda folder: tf.data.TextLineDataset(files(folder)),
    "records": lambda folder: tf.data.TFRecordDataset(records(folder)),
    "records of one length": lambda folder: tf.data.FixedLengthRecordDataset(files(folder), 5),
    "fields": lambda folder: data.CsvDataset(files(folder), [tf.string, tf.int32]),
    "a loop in a map": lambda folder: numbers().map(
        lambda n: tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, s + i), [np.int64(0), np.int64(0)])[1]
    ),
}


def rest(session, element):
    """The elements up to the end."""
    found = []
    with contextlib.suppress(errors.OutOfRangeError):
        while True:
            found.append(session.run(element))
    return found


def same(found, expected):
    assert len(found) == len(expected)
    nest = tf.contrib.framework.nest
    for one, other in zip(nest.flatten(found), nest.flatten(expected), strict=True):
        np.testing.assert_array_equal(one, other)


def save(make, folder, steps, then=lambda session, element: None):
    """Saves the position after a number of steps; the structure of the elements, and the result of `then`."""
    with tf.Graph().as_default(), tf.Session() as session:
        dataset = make(folder)
        iterator = dataset.make_initializable_iterator()
        saver = tf.train.Saver([data.make_saveable_from_iterator(iterator)])
        element = iterator.get_next()
        session.run(iterator.initializer)
        for _ in range(steps):
            session.run(element)
        saver.save(session, str(folder / "position"))
        return (dataset.output_types, dataset.output_shapes), then(session, element)


def saved(make, folder, steps):
    """Saves the position after a number of steps; the elements after it, and the structure of all."""
    structure, elements = save(make, folder, steps, rest)
    return elements, structure


def restored(folder, structure):
    """The elements of an iterator without a dataset of its own, from the saved position on."""
    with tf.Graph().as_default(), tf.Session() as session:
        iterator = tf.data.Iterator.from_structure(*structure)
        saver = tf.train.Saver([data.make_saveable_from_iterator(iterator)])
        element = iterator.get_next()
        saver.restore(session, str(folder / "position"))
        return rest(session, element)


@pytest.mark.parametrize("name", PIPELINES)
@pytest.mark.parametrize("share", [0.0, 0.4, 0.7, 1.0])
def test_a_restored_iterator_goes_on_as_the_saved_one(name, share, tmp_path):
    make = PIPELINES[name]
    all_elements, _ = saved(make, tmp_path, 0)
    steps = int(share * len(all_elements))
    expected, structure = saved(make, tmp_path, steps)
    found = restored(tmp_path, structure)
    same(found, expected)
    same(found, all_elements[steps:])


def test_a_restored_position_can_be_saved_again(tmp_path):
    def make(_):
        return numbers(12).shuffle(5, seed=1).map(lambda n: n * 2).prefetch(2)

    whole, structure = saved(make, tmp_path, 0)
    found = []
    for _ in range(len(whole)):
        with tf.Graph().as_default(), tf.Session() as session:
            iterator = tf.data.Iterator.from_structure(*structure)
            saver = tf.train.Saver([data.make_saveable_from_iterator(iterator)])
            element = iterator.get_next()
            saver.restore(session, str(tmp_path / "position"))
            found.append(session.run(element))
            saver.save(session, str(tmp_path / "position"))
    same(found, whole)


def test_the_end_is_a_position(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        iterator = numbers(2).make_initializable_iterator()
        saver = tf.train.Saver([data.make_saveable_from_iterator(iterator)])
        session.run(iterator.initializer)
        rest(session, iterator.get_next())
        saver.save(session, str(tmp_path / "position"))
    assert restored(tmp_path, (tf.int64, [])) == []


def test_the_initializer_begins_the_dataset_of_the_graph_again(tmp_path):
    saved(lambda folder: numbers(5), tmp_path, 3)
    with tf.Session() as session:
        iterator = Dataset.range(10, 13).make_initializable_iterator()
        saver = tf.train.Saver([data.make_saveable_from_iterator(iterator)])
        element = iterator.get_next()
        saver.restore(session, str(tmp_path / "position"))
        assert session.run(element) == 3
        session.run(iterator.initializer)
        assert rest(session, element) == [10, 11, 12]


@pytest.mark.parametrize("steps", [0, 3, 5, 7])
def test_a_cache_file_is_continued(steps, tmp_path):
    def make(folder):
        return numbers(5).cache(str(folder / "cache")).repeat(2)

    # The function's session is gone when it returns, and with it the lock on the cache.
    save(make, tmp_path, steps)
    assert restored(tmp_path, (tf.int64, [])) == [*range(5), *range(5)][steps:]
    assert not (tmp_path / "cache.incomplete").exists()
    assert not (tmp_path / "cache.lockfile").exists()


def plus_variable(v):
    return numbers().map(lambda n: n + v)


@pytest.mark.parametrize(
    ("cause", "make"),
    [
        ("a stateful operation", lambda: numbers().map(lambda n: tf.random_uniform([]))),
        ("a Python function", lambda: numbers().map(lambda n: tf.py_func(lambda x: x, [n], tf.int64))),
        ("a generator", lambda: Dataset.from_generator(lambda: iter([1, 2]), tf.int32)),
        ("a variable", lambda: plus_variable(tf.get_variable("v", [], tf.int64, use_resource=True))),
    ],
)
def test_positions_that_another_session_could_not_continue_are_refused(cause, make, tmp_path):
    iterator = make().make_initializable_iterator()
    saver = tf.train.Saver([data.make_saveable_from_iterator(iterator)])
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), iterator.initializer])
        with pytest.raises(errors.InvalidArgumentError, match="position of the iterator cannot be saved"):
            saver.save(session, str(tmp_path / "position"))
    assert tf.train.latest_checkpoint(str(tmp_path)) is None


def test_an_iterator_without_dataset_has_no_position(tmp_path):
    iterator = tf.data.Iterator.from_structure(tf.int64, [])
    saver = tf.train.Saver([data.make_saveable_from_iterator(iterator)])
    with tf.Session() as session, pytest.raises(errors.FailedPreconditionError, match="has not been initialized"):
        saver.save(session, str(tmp_path / "position"))


def test_a_position_of_other_elements_is_refused_and_changes_nothing(tmp_path):
    saved(lambda folder: numbers(5), tmp_path, 1)
    iterator = Dataset.from_tensor_slices([1.0, 2.0]).make_initializable_iterator()
    saver = tf.train.Saver([data.make_saveable_from_iterator(iterator)])
    element = iterator.get_next()
    with tf.Session() as session:
        session.run(iterator.initializer)
        with pytest.raises(errors.InvalidArgumentError, match="Data type mismatch"):
            saver.restore(session, str(tmp_path / "position"))
        assert rest(session, element) == [1.0, 2.0]


def test_iterators_are_in_a_collection():
    first = numbers().make_one_shot_iterator()
    second = numbers().make_initializable_iterator()
    assert tf.get_collection("iterators") == [first._iterator_resource, second._iterator_resource]
