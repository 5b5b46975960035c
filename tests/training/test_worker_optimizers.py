"""Optimizers of workers with variables of their own: savers, waiting at the start, and what is refused."""

import threading

import numpy as np
import pytest

import ferroflow as tf

opt = tf.contrib.opt


def elastic(workers=1, synchronous=False, rho=None, inner=None):
    getter = opt.ElasticAverageCustomGetter("/cpu:0")
    with tf.variable_scope("", custom_getter=getter):
        w = tf.get_variable("w", initializer=[1.0, 2.0])
    inner = inner or tf.train.GradientDescentOptimizer(0.1)
    return w, opt.ElasticAverageOptimizer(inner, workers, getter, 2, rho=rho, synchronous=synchronous)


def test_the_saver_holds_shared_variables_under_the_names_of_the_workers(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        w, optimizer = elastic()
        saver = optimizer.swapping_saver()
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        (center,) = tf.global_variables()
        session.run(center.assign([5.0, 6.0]))
        path = saver.save(session, str(tmp_path / "model"))
        np.testing.assert_array_equal(tf.train.load_variable(path, "w"), [5.0, 6.0])
        assert [name for name, _ in tf.train.list_variables(path)] == ["w"]
        assert session.run(w).tolist() == [1.0, 2.0]


def test_synchronous_workers_begin_together():
    server = tf.train.Server.create_local_server()
    ready = []
    done = threading.Event()

    def start(worker):
        with tf.Graph().as_default(), tf.Session(server.target) as session:
            _, optimizer = elastic(workers=2, synchronous=True)
            init = optimizer.get_init_op(worker)
            session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            session.run(init)
            ready.append(worker)
            done.set()

    first = threading.Thread(target=start, args=(0,))
    first.start()
    assert not done.wait(0.4)
    second = threading.Thread(target=start, args=(1,))
    second.start()
    first.join(20)
    second.join(20)
    assert sorted(ready) == [0, 1]


def test_slots_of_elastic_workers_are_local():
    with tf.Graph().as_default():
        w, optimizer = elastic(inner=tf.train.AdamOptimizer(0.1))
        optimizer.minimize(tf.reduce_sum(w))
        assert [v.op.name for v in tf.global_variables()] == ["global_center_variable/w"]
        assert {"beta1_power", "w/Adam"} <= {v.op.name for v in tf.local_variables()}


def test_variables_that_are_not_trained_stay_as_they_are():
    with tf.Graph().as_default():
        for getter in (opt.AGNCustomGetter, opt.ElasticAverageCustomGetter, opt.ModelAverageCustomGetter):
            with tf.variable_scope(getter.__name__, custom_getter=getter("/job:worker/task:3")):
                free = tf.get_variable("free", [], trainable=False)
                local = tf.get_variable("local", [], trainable=False, collections=[tf.GraphKeys.LOCAL_VARIABLES])
            assert free.device == ""
            assert local.device == ("" if getter is opt.AGNCustomGetter else "/job:worker/task:3")
        assert not tf.trainable_variables()


def test_parts_of_a_variable_have_centers():
    with tf.Graph().as_default(), tf.Session() as session:
        getter = opt.AGNCustomGetter("/cpu:0")
        with tf.variable_scope("", custom_getter=getter, partitioner=tf.fixed_size_partitioner(2)):
            w = tf.get_variable("w", [4], initializer=tf.ones_initializer())
        with tf.variable_scope("", custom_getter=getter, reuse=True, partitioner=tf.fixed_size_partitioner(2)):
            again = tf.get_variable("w", [4])
        assert [v.op.name for v in again] == [v.op.name for v in w]
        optimizer = opt.AGNOptimizer(tf.train.GradientDescentOptimizer(0.5), 1, getter, communication_period=1)
        train = optimizer.minimize(tf.reduce_sum(tf.convert_to_tensor(w) * [1.0, 2.0, 3.0, 4.0]))
        start = optimizer.get_init_op(0)
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        session.run(start)
        session.run(train)
        parts = session.run(tf.global_variables())
    np.testing.assert_allclose(np.concatenate(parts), [0.5, 0.0, -0.5, -1.0])


def test_arguments_of_worker_optimizers_are_checked():
    rule = tf.train.GradientDescentOptimizer(0.1)
    for kind in ("AGN", "ElasticAverage"):
        with tf.Graph().as_default():
            made = getattr(opt, f"{kind}Optimizer")(rule, 1, getattr(opt, f"{kind}CustomGetter")(""))
            with pytest.raises(ValueError, match="no trainable variables"):
                made.get_init_op(0)
    with tf.Graph().as_default():
        made = opt.ElasticAverageOptimizer(rule, 1, opt.ElasticAverageCustomGetter(""))
        with pytest.raises(RuntimeError, match="global_center_variable is empty"):
            made.swapping_saver()
    with tf.Graph().as_default():
        made = opt.ModelAverageOptimizer(rule, 1, True, opt.ModelAverageCustomGetter(""))
        with pytest.raises(ValueError, match="should not be empty"):
            made.get_init_op()
        with pytest.raises(ValueError, match="Must supply at least one variable"):
            made.apply_gradients([], 1)
        with pytest.raises(ValueError, match="Global step is required"):
            made.apply_gradients([(1.0, tf.Variable(1.0))])
    with tf.Graph().as_default():
        getter = opt.ModelAverageCustomGetter("")
        with tf.variable_scope("", custom_getter=getter, use_resource=True):
            w = tf.get_variable("w", initializer=1.0)
            made = opt.ModelAverageOptimizer(rule, 1, True, getter)
        with pytest.raises(ValueError, match="Unknown local variable type"):
            made.minimize(w * w, global_step=tf.train.create_global_step())
    with tf.Graph().as_default(), pytest.raises(ValueError, match="needs `rho`"):
        elastic(inner=tf.train.AdadeltaOptimizer(None))
