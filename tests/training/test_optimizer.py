"""Optimizers: which variables are updated, by what, and which mistakes are refused."""

import numpy as np
import pytest

import ferroflow as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def initialized():
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    return session


class Momentum(tf.train.Optimizer):
    """A program's own optimizer: v -= 0.5 * (sum of gradients so far), dense and sparse."""

    def __init__(self):
        super().__init__(False, "Mine")
        self.sparse = []

    def _create_slots(self, var_list):
        for v in var_list:
            self._zeros_slot(v, "sum", self._name)

    def _apply_dense(self, grad, var):
        total = self.get_slot(var, "sum").assign_add(grad)
        return var.assign_sub(0.5 * total).op

    def _apply_sparse(self, grad, var):
        self.sparse.append(grad)
        return var.scatter_sub(grad).op


def test_the_slots_of_slices_are_one_slot_of_the_whole_in_a_checkpoint(tmp_path):
    with tf.variable_scope("s", partitioner=tf.fixed_size_partitioner(2)):
        w = tf.get_variable("w", [4], initializer=tf.ones_initializer())
    optimizer = tf.train.AdamOptimizer()
    train = optimizer.minimize(tf.reduce_sum(tf.constant([1.0, 2.0, 3.0, 4.0]) * tf.convert_to_tensor(w)))
    slots = [optimizer.get_slot(part, "m") for part in w]
    assert [slot.op.name for slot in slots] == ["s/w/part_0/Adam", "s/w/part_1/Adam"]
    with initialized() as session:
        session.run(train)
        path = tf.train.Saver().save(session, str(tmp_path / "model"), write_meta_graph=False)
        moments = np.concatenate(session.run(slots))
    reader = tf.train.NewCheckpointReader(path)
    assert sorted(reader.get_variable_to_shape_map()) == ["beta1_power", "beta2_power", "s/w", "s/w/Adam", "s/w/Adam_1"]
    np.testing.assert_array_equal(reader.get_tensor("s/w/Adam"), moments)
    with tf.Graph().as_default(), tf.Session() as session:
        whole = tf.Variable(tf.zeros([4]), name="s/w/Adam")
        tf.train.Saver([whole]).restore(session, path)
        np.testing.assert_array_equal(session.run(whole), moments)


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
def test_gradient_descent_moves_against_the_gradient(dtype):
    v = tf.Variable([1.0, 2.0], dtype=dtype)
    w = tf.Variable([3.0, 4.0], dtype=dtype)
    train = tf.train.GradientDescentOptimizer(0.5).minimize(tf.reduce_sum(v * v + 3.0 * w))
    with initialized() as session:
        session.run(train)
        np.testing.assert_allclose(session.run(v), [0.0, 0.0], atol=1e-7)
        np.testing.assert_allclose(session.run(w), [1.5, 2.5], rtol=1e-6)


def test_the_learning_rate_may_be_a_tensor_or_a_function():
    v = tf.Variable(1.0)
    rate = tf.placeholder(tf.float32, [])
    by_tensor = tf.train.GradientDescentOptimizer(rate).minimize(2.0 * v)
    by_function = tf.train.GradientDescentOptimizer(lambda: 0.25).minimize(2.0 * v)
    with initialized() as session:
        session.run(by_tensor, {rate: 0.125})
        assert session.run(v) == 0.75
        session.run(by_function)
        assert session.run(v) == 0.25


def test_rows_are_updated_by_slices_and_repeated_rows_add_up():
    v = tf.Variable([[1.0], [2.0], [3.0]])
    loss = tf.reduce_sum(tf.gather(v, [0, 2, 0]))
    train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    with initialized() as session:
        session.run(train)
        np.testing.assert_array_equal(session.run(v), [[0.0], [2.0], [2.5]])


def test_a_constraint_is_applied_after_the_update():
    v = tf.Variable([-0.01], constraint=lambda x: tf.maximum(x, 0.0))
    train = tf.train.GradientDescentOptimizer(1.0).minimize(tf.reduce_sum(v))
    with initialized() as session:
        session.run(train)
        assert session.run(v) == [0.0]


def test_a_constraint_on_rows_is_refused():
    v = tf.Variable([[1.0]], constraint=lambda x: x)
    with pytest.raises(RuntimeError, match="Cannot use a constraint function on a sparse variable"):
        tf.train.GradientDescentOptimizer(1.0).minimize(tf.reduce_sum(tf.gather(v, [0])))


def test_the_global_step_counts_after_the_updates(graph):
    step = tf.train.get_or_create_global_step()
    v = tf.Variable(1.0)
    train = tf.train.GradientDescentOptimizer(0.5).minimize(v * v, global_step=step)
    assert [c.type for c in graph.get_operation_by_name("GradientDescent/value").control_inputs] == ["NoOp"]
    with initialized() as session:
        for count in (1, 2, 3):
            session.run(train)
            assert tf.train.global_step(session, step) == count


def test_variables_that_are_not_trainable_stay():
    v, still = tf.Variable(1.0), tf.Variable(1.0, trainable=False)
    train = tf.train.GradientDescentOptimizer(0.5).minimize(v * still)
    with initialized() as session:
        session.run(train)
        assert session.run([v, still]) == [0.5, 1.0]


@pytest.mark.parametrize("form", [lambda a, b: [a], lambda a, b: (a,), lambda a, b: {"k": [a]}, lambda a, b: a])
def test_var_list_takes_any_nest(form):
    a, b = tf.Variable(1.0), tf.Variable(1.0)
    train = tf.train.GradientDescentOptimizer(0.5).minimize(a + b, var_list=form(a, b))
    with initialized() as session:
        session.run(train)
        assert session.run([a, b]) == [0.5, 1.0]


def test_variables_without_gradient_are_left_out():
    a, b = tf.Variable(1.0), tf.Variable(1.0)
    optimizer = tf.train.GradientDescentOptimizer(0.5)
    pairs = optimizer.compute_gradients(a * 1.0, [a, b])
    assert [g is None for g, _ in pairs] == [False, True]
    train = optimizer.apply_gradients(pairs)
    with initialized() as session:
        session.run(train)
        assert session.run([a, b]) == [0.5, 1.0]


def test_gradients_may_be_changed_before_they_are_applied():
    v = tf.Variable([10.0, -10.0])
    optimizer = tf.train.GradientDescentOptimizer(1.0)
    pairs = optimizer.compute_gradients(tf.reduce_sum(v * v))
    train = optimizer.apply_gradients([(tf.maximum(g, 0.0), v) for g, v in pairs])
    with initialized() as session:
        session.run(train)
        np.testing.assert_array_equal(session.run(v), [-10.0, -10.0])


def test_gradients_may_be_numbers():
    v = tf.Variable([1.0, 1.0])
    train = tf.train.GradientDescentOptimizer(1.0).apply_gradients([([0.5, 1.0], v)])
    with initialized() as session:
        session.run(train)
        np.testing.assert_array_equal(session.run(v), [0.5, 0.0])


def test_a_given_gradient_of_the_loss_takes_the_place_of_ones():
    v = tf.Variable([1.0, 1.0])
    train = tf.train.GradientDescentOptimizer(1.0).minimize(v * 1.0, grad_loss=tf.constant([1.0, 0.0]))
    with initialized() as session:
        session.run(train)
        np.testing.assert_array_equal(session.run(v), [0.0, 1.0])


def test_the_training_operation_joins_its_collection_once():
    v = tf.Variable(1.0)
    train = tf.train.GradientDescentOptimizer(1.0).minimize(v * 1.0, name="mine")
    assert train.name == "mine"
    assert tf.get_collection(tf.GraphKeys.TRAIN_OP) == [train]


def test_updates_are_placed_with_their_variables(graph):
    v = tf.Variable(1.0, name="v")
    tf.train.GradientDescentOptimizer(1.0).minimize(v * 1.0)
    update = graph.get_operation_by_name("GradientDescent/update_v/ApplyGradientDescent")
    assert update.colocation_groups() == [b"loc:@v"]


def test_a_subclass_keeps_slots():
    v = tf.Variable([1.0, 1.0], name="v")
    optimizer = Momentum()
    train = optimizer.minimize(tf.reduce_sum(v * [1.0, 2.0]))
    slot = optimizer.get_slot(v, "sum")
    assert optimizer.get_slot_names() == ["sum"]
    assert slot.op.name == "v/Mine"
    assert slot not in tf.trainable_variables()
    assert slot in tf.global_variables()
    assert optimizer.variables() == [slot]
    assert optimizer.get_slot(v, "other") is None
    with initialized() as session:
        session.run(train)
        session.run(train)
        np.testing.assert_array_equal(session.run(slot), [2.0, 4.0])
        np.testing.assert_array_equal(session.run(v), [-0.5, -2.0])


def test_a_subclass_gets_slices_without_repeated_rows():
    v = tf.Variable([[1.0], [2.0], [3.0]])
    optimizer = Momentum()
    train = optimizer.minimize(tf.reduce_sum(tf.gather(v, [2, 0, 2])))
    with initialized() as session:
        indices, values = session.run([optimizer.sparse[0].indices, optimizer.sparse[0].values])
        assert dict(zip(indices.tolist(), values.ravel().tolist(), strict=True)) == {2: 2.0, 0: 1.0}
        session.run(train)
        np.testing.assert_array_equal(session.run(v), [[0.0], [2.0], [1.0]])


def test_slots_of_unknown_shape_start_at_zero():
    initial = tf.placeholder_with_default([1.0, 2.0], [None])
    v = tf.Variable(initial, validate_shape=False)
    optimizer = Momentum()
    train = optimizer.minimize(tf.reduce_sum(v))
    with initialized() as session:
        session.run(train)
        np.testing.assert_array_equal(session.run(v), [0.5, 1.5])


def test_an_optimizer_has_one_variable_of_its_own_for_each_name():
    v = tf.Variable(1.0, name="v")
    optimizer = Momentum()
    made = optimizer._create_non_slot_variable(0.9, "beta", v)
    assert optimizer._create_non_slot_variable(0.1, "beta", v) is made
    assert optimizer._get_non_slot_variable("beta", v.graph) is made
    assert made.op.colocation_groups() == [b"loc:@v"]
    assert optimizer.variables() == [made]


def test_a_loss_that_depends_on_no_variable_is_refused():
    tf.Variable(1.0, name="lonely")
    with pytest.raises(ValueError, match="No gradients provided for any variable, check your graph for ops"):
        tf.train.GradientDescentOptimizer(0.1).minimize(tf.constant(1.0))


def test_nothing_to_train_is_refused():
    with pytest.raises(ValueError, match="No variables to optimize"):
        tf.train.GradientDescentOptimizer(0.1).minimize(tf.constant(1.0))


def test_no_pairs_and_pairs_without_gradient_are_refused():
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    with pytest.raises(ValueError, match="No variables provided"):
        optimizer.apply_gradients([])
    with pytest.raises(ValueError, match="No gradients provided for any variable"):
        optimizer.apply_gradients([(None, tf.Variable(1.0))])


def test_integers_are_not_trained():
    v = tf.Variable(1)
    with pytest.raises(ValueError, match="Invalid type"):
        tf.train.GradientDescentOptimizer(0.1).minimize(v * 2)


def test_only_variables_are_trained():
    with pytest.raises(NotImplementedError, match="Trying to optimize unsupported type"):
        tf.train.GradientDescentOptimizer(0.1).minimize(tf.constant(1.0), var_list=["v"])
    x = tf.constant(1.0)
    with pytest.raises(NotImplementedError, match="Trying to update a Tensor"):
        tf.train.GradientDescentOptimizer(0.1).minimize(x * 2.0, var_list=[x])


def test_a_gradient_that_is_no_tensor_is_refused():
    with pytest.raises(TypeError, match="Gradient must be"):
        tf.train.GradientDescentOptimizer(0.1).apply_gradients([(object(), tf.Variable(1.0))])


def test_an_optimizer_needs_a_name():
    with pytest.raises(ValueError, match="Must specify the optimizer name"):
        tf.train.Optimizer(False, "")
    assert tf.train.GradientDescentOptimizer(0.1).get_name() == "GradientDescent"


def test_slots_do_not_wait_for_the_control_dependencies_of_the_training_step():
    class Counting(tf.train.GradientDescentOptimizer):
        def _create_slots(self, var_list):
            self.made = tf.constant(3.0)

    v = tf.Variable(1.0)
    optimizer = Counting(0.1)
    with tf.control_dependencies([tf.no_op()]):
        optimizer.minimize(v * v, var_list=[v])
    # As TensorFlow 1.15.5: a session may start the slots before it can run the step.
    assert optimizer.made.op.control_inputs == []
