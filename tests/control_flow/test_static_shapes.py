"""Static shapes in loops and conditionals, and of gradients through them, are those that TensorFlow infers."""

import json
from pathlib import Path

import numpy as np
import pytest
from golden.flow_shape_programs import COUNT, describe

import ferroflow as tf

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "flow_shapes.json").read_text())
STEP = 30


@pytest.mark.filterwarnings("ignore:Converting sparse IndexedSlices")
@pytest.mark.parametrize("start", range(0, COUNT, STEP))
def test_shapes_of_random_programs_are_tensorflows(start):
    numbers = range(start, start + STEP)
    differ = {n: (GOLDEN[n], found) for n in numbers if (found := describe(tf, n)) != GOLDEN[n]}
    assert not differ


def test_every_program_is_compared():
    assert len(GOLDEN) == COUNT
    assert sum(isinstance(shapes[-1], list) for shapes in GOLDEN) > COUNT // 2, "most programs end without an error"


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def test_a_shape_from_around_a_loop_is_known_in_it():
    size = tf.shape(tf.placeholder(tf.float32, [3, 5]))
    left = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, tf.zeros(size)), [0, tf.zeros([3, 5])])
    assert left[1].shape.as_list() == [3, 5]


def test_what_a_branch_only_computes_with_is_not_known():
    # TensorFlow looks at what a loop brings in, but at no operation on that, nor at what a branch brings in.
    n, found = tf.constant(4), {}

    def body(i):
        found["in a loop"] = tf.fill([n, 2], 1.0)
        found["computed in a loop"] = tf.fill([n // 2, 2], 1.0)
        found["read in a loop"] = tf.range(n)
        return i + 1

    def branch():
        found["in a branch"] = tf.fill([n, 2], 1.0)
        found["read in a branch"] = tf.range(n)
        return 0

    tf.while_loop(lambda i: i < 3, body, [0])
    tf.cond(tf.placeholder(tf.bool, []), branch, lambda: 1)
    assert {name: t.shape.as_list() for name, t in found.items()} == {
        "in a loop": [4, 2],
        "computed in a loop": [None, 2],
        "read in a loop": [4],
        "in a branch": [None, 2],
        "read in a branch": [4],
    }


def test_lengths_become_a_mask_by_a_scan():
    # What Keras' ctc_batch_cost is made of, as programs have it.
    size = tf.shape(tf.placeholder(tf.int32, [3, 4]))
    columns = tf.stack([size[1]])

    def shorter(_, length):
        return tf.expand_dims(tf.range(size[1]), 0) < tf.fill(columns, length)

    start = tf.cast(tf.fill([1, size[1]], 0), tf.bool)
    mask = tf.scan(shorter, tf.constant([2, 0, 4]), initializer=start, parallel_iterations=1)[:, 0, :]
    assert mask.shape.as_list() == [3, 4]
    with tf.Session() as session:
        expected = np.arange(4) < np.array([[2], [0], [4]])
        np.testing.assert_array_equal(session.run(mask), expected)


@pytest.mark.parametrize(
    ("a", "b", "solution"),
    [
        (None, [3, 2], [3, 2]),
        ([3, 3], None, [3, None]),
        ([2, None, None], None, [2, None, None]),
        (None, None, None),
        ([None, 3], [None, 2], [3, 2]),
    ],
)
@pytest.mark.parametrize("op", ["matrix_solve", "matrix_triangular_solve", "cholesky_solve"])
def test_solutions_have_the_shape_of_either_side(op, a, b, solution):
    shape = getattr(tf, op)(tf.placeholder(tf.float32, a), tf.placeholder(tf.float32, b)).shape
    assert (None if shape.ndims is None else shape.as_list()) == solution


@pytest.mark.parametrize(
    ("shape", "to", "found"),
    [([3, 1], [None] * 3, [None, 3, None]), ([3, 1], [5, -1, 2], [5, 3, 2]), ([1, None], [2, 3, 4], [2, 3, 4])],
)
def test_broadcasting_keeps_dimensions_of_more_than_one(shape, to, found):
    size = tf.placeholder(tf.int32, [len(to)]) if None in to else to
    assert tf.broadcast_to(tf.placeholder(tf.float32, shape), size).shape.as_list() == found


@pytest.mark.parametrize(
    ("shape", "multiples", "found"),
    [
        (None, [2, -1], [None, None]),
        ([3, 4], [2, -1], [6, None]),
        ([0, None], [2, 0], [0, 0]),
        (None, [0, 2], [0, None]),
    ],
)
def test_a_negative_multiple_is_left_to_the_step(shape, multiples, found):
    tiled = tf.tile(tf.placeholder(tf.float32, shape), multiples)
    assert tiled.shape.as_list() == found
    if -1 in multiples:
        with (
            tf.Session() as session,
            pytest.raises(tf.errors.InvalidArgumentError, match=r"Expected multiples\[1\] >= 0"),
        ):
            session.run(tiled, {tiled.op.inputs[0]: np.zeros([3, 4])})


@pytest.mark.parametrize(
    ("a", "b", "found"),
    [
        ([None, 3, 4], [2, 4, 5], [2, 3, 5]),
        (None, [2, 4, 5], None),
        (None, [4, 5], None),
        ([2, None, 4], None, None),
    ],
)
def test_products_of_batches(a, b, found):
    shape = tf.matmul(tf.placeholder(tf.float32, a), tf.placeholder(tf.float32, b)).shape
    assert (None if shape.ndims is None else shape.as_list()) == found


def test_a_batch_of_unknown_rank_is_multiplied_by_a_matrix():
    a, b = tf.placeholder(tf.float32), tf.placeholder(tf.float32, [4, 5])
    left, right = np.ones([2, 3, 4]), np.ones([4, 5])
    with tf.Session() as session:
        assert session.run(tf.matmul(a, b), {a: left, b: right}).shape == (2, 3, 5)
