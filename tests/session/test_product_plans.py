"""Products that the planner cuts, or adds up as they are computed: the bits of the steps, at any number of threads."""

import numpy as np
import pytest

import ferroflow as tf

RNG = np.random.RandomState(3)
OFF = tf.ConfigProto(graph_options=tf.GraphOptions(optimizer_options=tf.OptimizerOptions(opt_level=-1)))


@pytest.fixture(autouse=True)
def graph():
    """A fresh default graph."""
    with tf.Graph().as_default() as g:
        yield g


def matrix(*shape, dtype=np.float32):
    return RNG.normal(size=shape).astype(dtype)


def run(fetches, feeds, config=None):
    with tf.Session(config=config) as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feeds)


def assert_planned_alike(fetches, feeds):
    """The same bits without a planner, and with it at 1, 2 and 4 threads."""
    expected = run(fetches, feeds, OFF)
    for threads in (1, 2, 4):
        found = run(fetches, feeds, tf.ConfigProto(intra_op_parallelism_threads=threads))
        for a, b in zip(found, expected, strict=True):
            assert np.array_equal(a, b)


def computed_together(fetches, feeds):
    """The sets of names of nodes that were one instruction of a step."""
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        _, (_, events) = session._core.run_flat(fetches, list(feeds.items()), [], trace=True)
        operations = session.graph.get_operations()
    return [{operations[node].name for node in nodes} for nodes, *_ in events]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("depth", [40, 700])
@pytest.mark.parametrize("begin", [[0, 30], [5, 0], [2, 69]])
def test_a_slice_of_a_product_computes_no_more_than_the_slice(dtype, depth, begin):
    a, b = tf.placeholder(dtype, [None, depth]), tf.placeholder(dtype, [70, depth])
    block = tf.slice(tf.matmul(a, b, transpose_b=True, name="product"), tf.constant(begin), [-1, -1], name="block")
    feeds = {a: matrix(33, depth, dtype=dtype), b: matrix(70, depth, dtype=dtype)}
    assert {"product", "block"} in computed_together([block], feeds)
    assert_planned_alike([block], feeds)


def test_a_product_that_is_read_twice_is_not_cut():
    a, b = tf.placeholder(tf.float32, [8, 9]), tf.placeholder(tf.float32, [9, 7])
    product = tf.matmul(a, b, name="product")
    left, right = tf.slice(product, [0, 0], [8, 3], name="left"), tf.slice(product, [0, 3], [8, 4])
    feeds = {a: matrix(8, 9), b: matrix(9, 7)}
    assert {"product"} in computed_together([left, right], feeds)
    assert {"product"} in computed_together([left, product], feeds)
    assert_planned_alike([left, right, product], feeds)


def test_errors_of_a_slice_of_a_product_are_those_of_the_steps():
    a, begin = tf.placeholder(tf.float32, [None, None]), tf.placeholder(tf.int32, [2])
    block = tf.slice(tf.matmul(a, tf.ones([4, 5])), begin, [1, 1])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Expected begin\[1\] in \[0, 5\], but got 6"):
        run(block, {a: matrix(2, 4), begin: [0, 6]})
    with pytest.raises(tf.errors.InvalidArgumentError, match="Matrix size-incompatible"):
        run(block, {a: matrix(2, 3), begin: [0, 0]})


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("first", ["product", "matrix"])
def test_products_are_added_as_they_are_computed(dtype, first):
    pairs = [(tf.placeholder(dtype, [6, 40]), tf.placeholder(dtype, [6, 50])) for _ in range(5)]
    feeds = {p: matrix(*p.shape.as_list(), dtype=dtype) for pair in pairs for p in pair}
    products = [tf.matmul(a, b, transpose_a=True, name=f"product{i}") for i, (a, b) in enumerate(pairs)]
    other = tf.Variable(matrix(40, 50, dtype=dtype))
    total = tf.add_n([other, *products] if first == "matrix" else [*products, other], name="total")
    # Each product takes the sum so far; the last one is the whole sum, or one matrix is left to add.
    if first == "matrix":
        assert sums_of_products([total], feeds) == [f"product{i}" for i in range(5)]
        assert {"product4", "total"} in computed_together([total], feeds)
    else:
        assert sums_of_products([total], feeds) == [f"product{i}" for i in range(1, 5)]
        assert {"total"} in computed_together([total], feeds)
    assert_planned_alike([total, other.read_value()], feeds)


def sums_of_products(fetches, feeds):
    """The names of the products that add themselves to a sum."""
    with tf.Session() as session:
        plan = session._core.plan_text(fetches, list(feeds), [])
    return [line.split()[2] for line in plan.splitlines() if " _MatMulSum " in line]


@pytest.mark.parametrize("between", ["matrix", "product that is read twice"])
def test_products_behind_another_term_are_added_by_the_sum(between):
    pairs = [(tf.placeholder(tf.float32, [6, 40]), tf.placeholder(tf.float32, [40, 5])) for _ in range(4)]
    feeds = {p: matrix(*p.shape.as_list()) for pair in pairs for p in pair}
    products = [tf.matmul(a, b, name=f"product{i}") for i, (a, b) in enumerate(pairs)]
    other = tf.tanh(products[3]) if between == "matrix" else products[2]
    total = tf.add_n([products[0], products[1], other, products[3]], name="total")
    fetches = [total, tf.square(products[2]), tf.square(products[3])]
    assert sums_of_products(fetches, feeds) == ["product1"]
    assert_planned_alike(fetches, feeds)


def test_products_smaller_than_their_operands_are_added_at_once():
    pairs = [(tf.placeholder(tf.float32, [6, 400]), tf.placeholder(tf.float32, [400, 5])) for _ in range(3)]
    feeds = {p: matrix(*p.shape.as_list()) for pair in pairs for p in pair}
    total = tf.add_n([tf.matmul(a, b, name=f"product{i}") for i, (a, b) in enumerate(pairs)], name="total")
    assert sums_of_products([total], feeds) == ["product1", "product2"]
    assert_planned_alike([total], feeds)


@pytest.mark.parametrize("dynamic", [False, True])
def test_gradients_that_a_tuple_groups_are_added_at_once(dynamic):
    x = tf.placeholder(tf.float32, [4, 6, 24])
    weights = tf.get_variable("w", initializer=matrix(24, 24) / 8)

    def turn(h, row):
        return tf.tanh(tf.matmul(h + row, weights))

    if dynamic:
        h = tf.foldl(turn, x, initializer=tf.zeros([6, 24]))
    else:
        h = tf.zeros([6, 24])
        for row in tf.unstack(x):
            h = turn(h, row)
    gradient = tf.gradients(tf.reduce_sum(tf.square(h)), weights)[0]
    feeds = {x: matrix(4, 6, 24)}
    # The loop has one instruction for all turns; without a loop the first product has no sum to take.
    assert len(sums_of_products([gradient], feeds)) == (1 if dynamic else 3)
    assert_planned_alike([gradient], feeds)


@pytest.mark.parametrize("depth", [30, 600])
def test_a_loop_adds_up_products_in_place_and_changes_nothing_around_it(depth):
    start, a = tf.placeholder(tf.float32, [20, 40]), tf.placeholder(tf.float32, [20, depth])
    b = tf.placeholder(tf.float32, [depth, 40])

    def body(i, total):
        return i + 1, total + tf.matmul(a * tf.cast(i, tf.float32), b)

    _, total = tf.while_loop(lambda i, _: i < 7, body, [tf.constant(0), start])
    feeds = {start: matrix(20, 40), a: matrix(20, depth), b: matrix(depth, 40)}
    kept = feeds[start].copy()
    assert_planned_alike([total, start + 0.0], feeds)
    assert np.array_equal(feeds[start], kept)
    expected = kept + sum(feeds[a] * np.float32(i) @ feeds[b] for i in range(7))
    np.testing.assert_allclose(run(total, feeds), expected, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("dynamic", [False, True])
def test_gradients_of_a_recurrent_net_have_the_same_bits_with_and_without_a_planner(dynamic):
    x = tf.placeholder(tf.float32, [8, 6, 24])
    tf.set_random_seed(5)
    cell = tf.nn.rnn_cell.BasicLSTMCell(32)
    if dynamic:
        outputs, _ = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
    else:
        outputs = tf.stack(tf.nn.static_rnn(cell, tf.unstack(x, axis=1), dtype=tf.float32)[0])
    loss = tf.reduce_sum(tf.square(outputs))
    gradients = tf.gradients(loss, [*tf.trainable_variables(), x])
    feeds = {x: matrix(8, 6, 24)}
    assert_planned_alike([loss, *gradients], feeds)
    assert_planned_alike(gradients[:2], feeds)
