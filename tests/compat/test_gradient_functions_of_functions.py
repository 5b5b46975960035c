"""`tensorflow.python.eager.backprop` and `tape` in a graph: gradients of functions, and what tapes record."""

import pytest

import ferroflow as tf
from ferroflow.python.eager import backprop, tape


@pytest.fixture(autouse=True)
def _new_graph():
    with tf.Graph().as_default():
        yield


def values(fetches):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches)


def product(a, b):
    return a * a * b


def test_gradients_by_all_arguments_or_some():
    assert values(backprop.gradients_function(product)(2.0, 3.0)) == [12.0, 4.0]
    assert values(backprop.gradients_function(product, params=["b"])(2.0, 3.0)) == [4.0]
    assert values(backprop.gradients_function(product, params=[0])(2.0, 3.0, dy=tf.constant(5.0))) == [60.0]


def test_values_come_with_gradients():
    value, gradients = backprop.val_and_grad_function(product)(2.0, 3.0)
    assert values([value, gradients]) == [12.0, [12.0, 4.0]]
    value, vjp = backprop.make_vjp(product)(2.0, 3.0)
    assert values(vjp(2.0)) == [24.0, 8.0]


def test_gradients_by_the_variables_that_a_function_reads():
    scale = tf.get_variable("scale", initializer=3.0, use_resource=True)
    tf.get_variable("other", initializer=3.0)
    value, pairs = backprop.implicit_val_and_grad(lambda x: x * scale * scale)(tf.constant(2.0))
    assert [variable for _, variable in pairs] == [scale]
    assert values([value, pairs[0][0]]) == [18.0, 12.0]
    with pytest.raises(ValueError, match="No trainable variables were accessed"):
        backprop.implicit_grad(lambda x: x)(tf.constant(2.0))


def test_a_function_without_a_result_is_refused():
    with pytest.raises(ValueError, match="Cannot differentiate a function that returns None"):
        backprop.gradients_function(lambda x: None)(1.0)
    with pytest.raises(ValueError, match="non-empty list"):
        backprop.gradients_function(product, params=[])


def test_contrib_eager_has_the_same_functions():
    assert values(tf.contrib.eager.gradients_function(product)(2.0, 3.0)) == [12.0, 4.0]


def test_tapes_can_be_paused():
    x = tf.constant(3.0)
    with backprop.GradientTape() as recording:
        recording.watch(x)
        assert tape.should_record([x])
        with tape.stop_recording():
            paused = x * 2.0
            assert not tape.should_record([x])
        y = x * x + paused
        assert tape.should_record([y])
    assert not tape.should_record([y])
    assert values(recording.gradient(y, x)) == 6.0


def test_a_tape_without_a_with_block():
    recording = tape.push_new_tape()
    x = tf.constant(3.0)
    tape.watch(recording, x)
    y = x * x
    with pytest.raises(NotImplementedError, match="custom_gradient"):
        tape.record_operation("Identity", [y], [x], lambda dy: dy)
    tape.pop_tape(recording)
    assert values(recording.gradient(y, x)) == 6.0


def test_rows_are_added_as_rows():
    rows = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([1]), tf.constant([3, 2]))
    both = backprop.aggregate_indexed_slices_gradients([rows, None, rows])
    assert isinstance(both, tf.IndexedSlices)
    assert values(tf.convert_to_tensor(both)).tolist() == [[0, 0], [2, 2], [0, 0]]
    assert values(backprop.aggregate_indexed_slices_gradients([rows, tf.ones([3, 2])])).tolist()[1] == [2, 2]
    assert backprop.aggregate_indexed_slices_gradients([None]) is None
