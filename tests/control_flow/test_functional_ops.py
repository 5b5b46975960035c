"""Operations that call functions made by `Defun`; the expected names, shapes and errors are TensorFlow 1.15.5's."""

import pytest

import ferroflow as tf
from ferroflow.python.framework import function
from ferroflow.python.ops import functional_ops, gen_functional_ops


@pytest.fixture
def session():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def test_a_condition_chooses_a_function_and_has_a_gradient(session):
    @function.Defun(tf.float32)
    def doubled(x):
        return x * 2.0, x

    @function.Defun(tf.float32)
    def less(x):
        return x - 5.0, x

    chosen, x = tf.placeholder(tf.bool, []), tf.constant(3.0)
    results = functional_ops.If(chosen, [x], doubled, less)
    assert [t.name for t in results] == ["If:0", "If:1"]
    assert [t.op.type for t in results] == ["If", "If"]
    assert [t.get_shape().ndims for t in results] == [None, None]
    (gradient,) = tf.gradients(results[0], x)
    assert session.run([*results, gradient], {chosen: True}) == [6.0, 3.0, 2.0]
    assert session.run([*results, gradient], {chosen: False}) == [-2.0, 3.0, 1.0]


def test_a_loop_calls_its_body_while_the_condition_holds(session):
    @function.Defun(tf.float32, tf.float32)
    def more(n, x):
        return n > 0.0

    @function.Defun(tf.float32, tf.float32)
    def step(n, x):
        return n - 1.0, x + n

    results = functional_ops.While([20.0, tf.constant(0.0)], more, step)
    assert [(t.name, t.op.type, t.get_shape().as_list()) for t in results] == [
        ("While:0", "While", []),
        ("While:1", "While", []),
    ]
    assert session.run(results) == [0.0, 210.0]
    with pytest.raises(LookupError, match="No gradient defined for operation 'While'"):
        tf.gradients(results[1], results[0].op.inputs[1])


@pytest.mark.parametrize("by_while", [False, True])
def test_a_loop_over_numbers_passes_its_values_on(by_while, session):
    offset = tf.constant(1.0)

    @function.Defun(tf.int32, tf.float32)
    def step(n, x):
        return x + tf.cast(n, tf.float32) + offset - 1.0

    for start, limit, delta in ((1, 10, 1), (0, 7, 3), (9, 0, -2), (3, 3, 1)):
        results = functional_ops.For(start, limit, delta, [tf.constant(0.0)], step, rewrite_with_while=by_while)
        assert isinstance(results, list)
        assert results[0].op.type == ("While" if by_while else "For")
        assert session.run(results) == [float(sum(range(start, limit, delta)))]
    if not by_while:
        with pytest.raises(LookupError, match="No gradient defined for operation 'For_3'"):
            tf.gradients(results[0], results[0].op.inputs[3])


def test_captured_tensors_are_carried_through_a_loop(session):
    k = tf.constant(3.0)

    @function.Defun(tf.float32)
    def more(x):
        return x < 10.0

    @function.Defun(tf.float32)
    def step(x):
        return x + k

    @function.Defun(tf.float32)
    def capturing(x):
        return x < k

    assert session.run(functional_ops.While([tf.constant(0.0)], more, step)) == [12.0]
    with pytest.raises(ValueError, match="without implicitly captured inputs"):
        functional_ops.While([tf.constant(0.0)], capturing, step)
    with pytest.raises(ValueError, match="do not match"):
        functional_ops.While([tf.constant(0.0)], function.Defun(tf.int32)(lambda i: i < 3), step)


def test_gradients_of_a_function_are_those_of_its_arguments(session):
    @function.Defun(tf.float32, tf.float32)
    def product(x, y):
        return x * y

    given = [tf.constant(2.0), tf.constant(3.0), tf.constant(1.0)]
    for symbolic in (functional_ops.symbolic_gradient, gen_functional_ops.symbolic_gradient):
        assert session.run(symbolic(given, [tf.float32, tf.float32], product)) == [3.0, 2.0]
    assert session.run(functional_ops.Gradient(given, product)) == [3.0, 2.0]


def test_functions_are_called_by_their_names(session):
    @function.Defun(tf.float32)
    def doubled(x):
        return x * 2.0

    x = tf.constant(3.0)
    remote = functional_ops.remote_call(target="/cpu:0", args=[x], f=doubled, Tout=[tf.float32])
    called = functional_ops.partitioned_call([x], doubled)
    raw = tf.raw_ops.PartitionedCall(args=[x], f=doubled, Tout=[tf.float32])
    assert [t.op.type for t in (*remote, *called)] == ["RemoteCall", "PartitionedCall"]
    assert session.run([*remote, *called, *raw]) == [6.0] * 3
