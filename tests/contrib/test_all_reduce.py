"""`tf.contrib.all_reduce`: every algorithm gives each device the sum, and every part stays on its device."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import ferroflow as tf
from ferroflow.contrib.all_reduce.python import all_reduce

CPU = "/job:localhost/replica:0/task:{}/device:CPU:{}"


def tensors_of(workers, devices, values):
    """Returns a constant of each value on its device, by task."""
    found = []
    for i, value in enumerate(values):
        with tf.device(CPU.format(i // devices, i % devices) if workers > 1 else CPU.format(0, i)):
            found.append(tf.constant(value))
    return found


def sums(build, workers, devices, shape, seed):
    """Returns what `build` gives for random whole numbers, and their sum; also checks the devices."""
    values = np.random.RandomState(seed).randint(-9, 9, (workers * devices, *shape)).astype(np.float32)
    with tf.Graph().as_default():
        tensors = tensors_of(workers, devices, values)
        results = build(tensors)
        assert [result.device for result in results] == [tensor.device for tensor in tensors]
        assert all(result.shape == shape for result in results)
        graph_def = tf.get_default_graph().as_graph_def()
        names = [result.name for result in results]
    for node in graph_def.node:
        node.device = ""
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(graph_def, name="")
        return session.run(names), values.sum(0)


def check(build, workers, devices, shape, seed):
    found, expected = sums(build, workers, devices, shape, seed)
    for each in found:
        np.testing.assert_array_equal(each, expected)


SHAPES = st.lists(st.integers(1, 7), max_size=3).map(tuple)


@settings(max_examples=25, deadline=None)
@given(workers=st.integers(1, 3), devices=st.integers(1, 4), shape=SHAPES, seed=st.integers(0, 99), data=st.data())
def test_a_ring_adds_up(workers, devices, shape, seed, data):
    if workers * devices < 2:
        devices = 2
    subchunks = data.draw(st.integers(1, devices))
    order = data.draw(st.permutations(range(devices)))

    def build(tensors):
        return all_reduce.build_ring_all_reduce(tensors, workers, subchunks, order, tf.add)

    check(build, workers, devices, shape, seed)


@settings(max_examples=15, deadline=None)
@given(power=st.integers(0, 3), shape=SHAPES, seed=st.integers(0, 99))
def test_halving_and_doubling_adds_up(power, shape, seed):
    def build(tensors):
        return all_reduce.build_recursive_hd_all_reduce(tensors, tf.add)

    check(build, 1, 2**power, (2**power, *shape), seed)


@settings(max_examples=15, deadline=None)
@given(devices=st.integers(1, 5), shards=st.integers(1, 5), shape=SHAPES, seed=st.integers(0, 99))
def test_a_shuffle_adds_up(devices, shards, shape, seed):
    def build(tensors):
        return all_reduce.build_shuffle_all_reduce(tensors, [CPU.format(0, i) for i in range(shards)], tf.add_n)

    check(build, 1, devices, (shards, *shape), seed)


TASKS = [CPU.format(task, 0) for task in range(4)]
HYBRIDS = {
    "nccl, ring": lambda tensors: all_reduce.build_nccl_then_ring(tensors, 1, tf.add),
    "nccl, halving": lambda tensors: all_reduce.build_nccl_then_recursive_hd(tensors, tf.add),
    "nccl, shuffle": lambda tensors: all_reduce.build_nccl_then_shuffle(tensors, TASKS[:2], tf.add, tf.add_n),
    "shuffle, ring": lambda tensors: all_reduce.build_shuffle_then_ring(tensors, TASKS, 1, tf.add_n, tf.add),
    "shuffle, shuffle": lambda tensors: all_reduce.build_shuffle_then_shuffle(tensors, TASKS, TASKS[:2], tf.add_n),
}


@pytest.mark.parametrize("name", HYBRIDS)
def test_two_levels_add_up(name):
    check(HYBRIDS[name], 4, 3, (4, 2), 7)


def test_a_function_is_applied_to_the_sum_once():
    def build(tensors):
        return all_reduce.build_ring_all_reduce(tensors, 1, 1, [0, 1, 2], tf.add, lambda x: x + 1.0)

    found, expected = sums(build, 1, 3, (5,), 0)
    np.testing.assert_array_equal(found, [expected + 1] * 3)


def test_what_cannot_be_reduced():
    with tf.Graph().as_default():
        one = tf.zeros([6])
        with pytest.raises(ValueError, match="length 2 or longer"):
            all_reduce.build_ring_all_reduce([one], 1, 1, [0], tf.add)
        with pytest.raises(ValueError, match="must have statically known shape"):
            all_reduce.build_shuffle_all_reduce([tf.placeholder(tf.float32, [None])], [TASKS[0]], tf.add_n)
        with pytest.raises(ValueError, match="must be <= num_gpus"):
            all_reduce.build_ring_all_reduce([one, one], 1, 3, [0, 1], tf.add)
        with pytest.raises(ValueError, match="power of 2"):
            all_reduce.build_recursive_hd_all_reduce([one, one, one], tf.add)
        with pytest.raises(ValueError, match="not supported by NCCL"):
            all_reduce.build_nccl_all_reduce([one, one], tf.multiply)
        with tf.device(TASKS[0]):
            placed = tf.zeros([6])
        with pytest.raises(ValueError, match="one device per worker"):
            all_reduce.build_shuffle_then_ring([placed], TASKS, 1, tf.add_n, tf.add)
