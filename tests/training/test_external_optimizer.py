"""Optimizers outside of the graph find the least loss, under constraints too, and assign it to the variables."""

import numpy as np
import pytest

import ferroflow as tf
from ferroflow._src.base import tf_logging

optimize = pytest.importorskip("scipy.optimize")

Scipy = tf.contrib.opt.ScipyOptimizerInterface


@pytest.fixture(autouse=True)
def _own_graph():
    with tf.Graph().as_default():
        yield


def minimized(make, start=(7.0, 7.0), **minimize_args):
    """What a variable holds after `make(vector)` has minimized."""
    vector = tf.Variable(list(start), name="vector")
    optimizer = make(vector)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        optimizer.minimize(sess, **minimize_args)
        return sess.run(vector)


def norm(vector):
    return tf.reduce_sum(tf.square(vector))


def test_without_constraints_the_norm_becomes_zero():
    np.testing.assert_allclose(minimized(lambda v: Scipy(norm(v), options={"maxiter": 100})), [0, 0], atol=1e-4)


def test_variables_stay_within_their_bounds():
    found = minimized(lambda v: Scipy(norm(v), var_to_bounds={v: ([1, 2], np.inf)}))
    np.testing.assert_allclose(found, [1, 2])
    found = minimized(lambda v: Scipy(-norm(v), var_to_bounds={v: (None, 9)}), (1.0, 2.0))
    np.testing.assert_allclose(found, [9, 9])


def test_constraints_hold():
    found = minimized(lambda v: Scipy(norm(v), equalities=[v[1] - 1.0], inequalities=[v[0] - 2.0], method="SLSQP"))
    np.testing.assert_allclose(found, [2, 1], atol=1e-5)


def test_several_variables_of_any_shapes_are_one_vector():
    a = tf.Variable([[1.0, 2.0]], name="a")
    b = tf.Variable(3.0, name="b")
    other = tf.Variable(5.0, name="other")
    scale = tf.placeholder(tf.float32, [])
    loss = tf.reduce_sum((a - [[4.0, 5.0]]) ** 2) + scale * (b - 6.0) ** 2
    optimizer = Scipy(loss, var_list=[a, b, other])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        optimizer.minimize(feed_dict={scale: 2.0})
        np.testing.assert_allclose(sess.run(a), [[4.0, 5.0]], rtol=1e-4)
        np.testing.assert_allclose(sess.run(b), 6.0, rtol=1e-4)
        assert sess.run(other) == 5.0


def test_callbacks_see_every_loss_and_every_step():
    vector = tf.Variable([7.0, 7.0])
    loss = norm(vector)
    losses, steps = [], []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        Scipy(loss).minimize(
            sess, fetches=[loss], loss_callback=losses.append, step_callback=lambda x: steps.append(np.array(x))
        )
    assert losses[0] == 98.0
    assert min(losses) < 1e-6
    assert len(losses) >= len(steps) > 0
    assert steps[0].shape == (2,)


def test_a_subclass_says_how_to_minimize():
    class Halves(tf.contrib.opt.ExternalOptimizerInterface):
        def _minimize(self, initial_val, loss_grad_func, **_):
            assert loss_grad_func(initial_val)[0] == 98.0
            return initial_val / 2

    np.testing.assert_allclose(minimized(lambda v: Halves(norm(v))), [3.5, 3.5])


def test_what_it_sets_itself_cannot_be_given():
    with pytest.raises(ValueError, match="Bounds must be set using the var_to_bounds argument"):
        minimized(lambda v: Scipy(norm(v), bounds=[(0, 1)]))
    with pytest.raises(ValueError, match="'jac' is set automatically"):
        minimized(lambda v: Scipy(norm(v), jac=False))
    with pytest.raises(NotImplementedError):
        minimized(lambda v: tf.contrib.opt.ExternalOptimizerInterface(norm(v)))
    with pytest.raises(ValueError, match="No variables"):
        Scipy(tf.constant(1.0), var_list=[])


@pytest.mark.parametrize("missing", [None, "nit", "nfev"])
def test_the_log_has_how_the_search_ended(monkeypatch, missing):
    logged = []
    minimize = optimize.minimize

    def counted(*args, **kwargs):
        # Not every method of SciPy counts both.
        result = minimize(*args, **kwargs)
        result.pop(missing, None)
        return result

    monkeypatch.setattr(optimize, "minimize", counted)
    monkeypatch.setattr(tf_logging, "info", lambda message, *args: logged.extend((message % args).splitlines()))
    minimized(lambda v: Scipy(norm(v) + 2.0))
    assert logged[0] == "Optimization terminated with:"
    assert logged[1].startswith("  Message: ")
    assert logged[2] == "  Objective function value: 2.000000"
    counts = {"nit": "  Number of iterations", "nfev": "  Number of functions evaluations"}
    assert [line.partition(":")[0] for line in logged[3:]] == [counts[k] for k in counts if k != missing]
    assert all(int(line.partition(":")[2]) > 0 for line in logged[3:])
