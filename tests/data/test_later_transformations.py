"""Cardinality, `take_while`, `group_by_reducer` and optionals of `tf.data.experimental`."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import ferroflow as tf

experimental = tf.data.experimental


@pytest.fixture(autouse=True)
def _own_graph() -> Any:
    with tf.Graph().as_default():
        yield


def _elements(dataset: Any) -> list[Any]:
    element = dataset.make_one_shot_iterator().get_next()
    found = []
    with tf.Session() as session:
        while True:
            try:
                found.append(session.run(element))
            except tf.errors.OutOfRangeError:
                return found


def _same(x: Any) -> Any:
    return x


# By expression of a dataset, `r` being `Dataset.range(10)`: what TensorFlow 1.15.5 gives.
CARDINALITIES = {
    "r": 10,
    "D.range(10, 0, -3)": 4,
    "D.from_tensors(1)": 1,
    "D.from_tensor_slices([1, 2, 3])": 3,
    "r.batch(3)": 4,
    "r.batch(3, drop_remainder=True)": 3,
    "r.repeat(3)": 30,
    "r.repeat()": -1,
    "r.repeat(0)": 0,
    "r.take(3)": 3,
    "r.take(-1)": -1,
    "r.take(20)": 10,
    "r.repeat().take(4)": 4,
    "r.skip(3)": 7,
    "r.skip(-1)": 0,
    "r.repeat().skip(3)": -1,
    "r.map(_same)": 10,
    "r.map(_same, num_parallel_calls=2)": 10,
    "r.filter(lambda x: x > 3)": -2,
    "r.shuffle(3)": 10,
    "r.apply(E.shuffle_and_repeat(3, 2))": 20,
    "r.shard(3, 0)": 4,
    "r.shard(3, 2)": 3,
    "r.prefetch(1)": 10,
    "r.cache()": 10,
    "r.concatenate(r)": 20,
    "r.concatenate(r.filter(lambda x: x > 3))": -2,
    "r.repeat().concatenate(r.filter(lambda x: x > 3))": -1,
    "D.zip((r, r.take(3)))": 3,
    "D.zip((r, r.repeat()))": 10,
    "D.zip((r, r.filter(lambda x: x > 3)))": -2,
    "r.map(lambda x: tf.reshape(x, [1])).padded_batch(3, [None])": 4,
    "r.flat_map(lambda x: D.range(3))": -2,
    "D.from_generator(lambda: iter([1]), tf.int32)": -2,
    "r.apply(E.map_and_batch(_same, 3))": 4,
    "r.apply(E.map_and_batch(_same, 3, drop_remainder=True))": 3,
    "r.apply(E.scan(0, lambda s, x: (s, x)))": 10,
    "r.batch(3).apply(E.unbatch())": -2,
    "r.apply(E.ignore_errors())": 10,
    "r.window(3)": 4,
    "r.window(3, drop_remainder=True)": 3,
    "r.window(3, 1, drop_remainder=True)": 8,
    "r.window(3, 2, 2, True)": 3,
    "r.window(20, drop_remainder=True)": 0,
    "r.apply(E.take_while(lambda x: x < 3))": -2,
    "E.RandomDataset(1)": -1,
    "E.Counter()": -1,
    "r.apply(E.enumerate_dataset(3))": 10,
    "D.from_sparse_tensor_slices(tf.SparseTensor([[0, 0]], [1], [4, 5]))": 4,
    "r.map(lambda x: tf.reshape(x, [1])).apply(E.dense_to_sparse_batch(3, [3]))": 4,
    "r.with_options(tf.data.Options())": 10,
    "r.apply(E.group_by_window(lambda x: x % 2, lambda k, d: d.batch(3), 3))": -2,
    "r.filter(lambda x: x > 3).repeat()": -1,
    "r.filter(lambda x: x > 3).take(0)": -2,
    "r.filter(lambda x: x > 3).skip(-1)": -2,
    "D.from_tensor_slices(np.zeros([0])).repeat()": 0,
    "r.shuffle(3).repeat(2)": 20,
    "r.cache().repeat()": -1,
}


def test_cardinalities_are_those_of_1_15() -> None:
    names = {"r": tf.data.Dataset.range(10), "D": tf.data.Dataset, "E": experimental, "tf": tf, "np": np}
    names["_same"] = _same
    datasets = {text: eval(text, names) for text in CARDINALITIES}
    with tf.Session() as session:
        got = session.run({text: experimental.cardinality(dataset) for text, dataset in datasets.items()})
    assert got == CARDINALITIES
    assert (experimental.INFINITE_CARDINALITY, experimental.UNKNOWN_CARDINALITY) == (-1, -2)


@given(st.integers(0, 12), st.integers(-2, 14))
@settings(max_examples=10, deadline=None)
def test_take_while_ends_at_the_first_refusal(count: int, limit: int) -> None:
    with tf.Graph().as_default():
        numbers = tf.data.Dataset.range(count).map(lambda x: (x * 5) % 7)
        got = _elements(numbers.apply(experimental.take_while(lambda x: x < limit)))
    want = []
    for x in ((i * 5) % 7 for i in range(count)):
        if x >= limit:
            break
        want.append(x)
    assert got == want


def test_take_while_needs_a_decision() -> None:
    with pytest.raises(ValueError, match="bool"):
        tf.data.Dataset.range(3).apply(experimental.take_while(lambda x: x))


@given(st.integers(0, 20), st.integers(1, 5))
@settings(max_examples=10, deadline=None)
def test_groups_are_reduced_by_ascending_key(count: int, groups: int) -> None:
    reducer = experimental.Reducer(
        lambda key: (key, np.int64(0)), lambda state, x: (state[0], state[1] + x), lambda key, total: (key, -total)
    )
    with tf.Graph().as_default():
        dataset = tf.data.Dataset.range(count)
        got = _elements(dataset.apply(experimental.group_by_reducer(lambda x: (x * 3) % groups, reducer)))
    want: dict[int, int] = {}
    for x in range(count):
        want[x * 3 % groups] = want.get(x * 3 % groups, 0) + x
    assert got == [(key, -want[key]) for key in sorted(want)]


def test_states_of_a_reducer_keep_their_dtypes() -> None:
    reducer = experimental.Reducer(lambda key: key, lambda state, x: tf.cast(x, tf.float32), lambda state: state)
    with pytest.raises(TypeError, match="element types for the new state must match"):
        tf.data.Dataset.range(3).apply(experimental.group_by_reducer(lambda x: x, reducer))
    bad = experimental.group_by_reducer(lambda x: tf.cast(x, tf.int32), reducer)
    with pytest.raises(ValueError, match="int64"):
        tf.data.Dataset.range(3).apply(bad)


def test_optionals_have_a_value_or_not() -> None:
    value = experimental.Optional.from_value((tf.constant([1, 2]), {"a": tf.SparseTensor([[0]], [7.0], [3])}))
    none = experimental.Optional.none_from_structure(tf.TensorSpec([], tf.float32))
    assert none.value_structure == tf.TensorSpec([], tf.float32)
    assert tf.OptionalSpec.from_value(none) == tf.OptionalSpec(tf.TensorSpec([], tf.float32))
    with tf.Session() as session:
        assert session.run([value.has_value(), none.has_value()]) == [True, False]
        numbers, parts = session.run(value.get_value())
        assert (numbers.tolist(), parts["a"].values.tolist()) == ([1, 2], [7.0])
        with pytest.raises(tf.errors.InvalidArgumentError, match="The given optional does not have a value"):
            session.run(none.get_value())


def test_the_end_of_an_iterator_is_an_optional_without_value() -> None:
    iterator = tf.data.Dataset.range(2).map(lambda x: (x, x * 2)).make_one_shot_iterator()
    following = experimental.get_next_as_optional(iterator)
    result = tf.cond(following.has_value(), lambda: following.get_value()[1], lambda: np.int64(-1))
    with tf.Session() as session:
        assert [session.run(result) for _ in range(4)] == [0, 2, -1, -1]
