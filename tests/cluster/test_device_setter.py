"""Laws of `tf.train.replica_device_setter` and of the strategies that choose a parameter server."""

import types

import numpy as np
import pytest
from hypothesis import given, strategies as st

import ferroflow as tf

CLUSTER = {"ps": ["ps0:1", "ps1:1"], "worker": ["worker0:1", "worker1:1", "worker2:1"]}


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def variables(number, shape=(2,)):
    return [tf.Variable(tf.zeros(shape)) for _ in range(number)]


@pytest.mark.parametrize(
    "cluster",
    [CLUSTER, tf.train.ClusterSpec(CLUSTER), tf.train.ClusterSpec(CLUSTER).as_cluster_def()],
    ids=["dict", "spec", "message"],
)
def test_variables_go_to_the_ps_tasks_in_turn_and_all_else_to_the_worker(cluster):
    with tf.device(tf.train.replica_device_setter(cluster=cluster)):
        made = variables(5)
        total = tf.add_n(made)
    assert [v.device for v in made] == [f"/job:ps/task:{i % 2}" for i in range(5)]
    assert [v.initializer.device for v in made] == [v.device for v in made]
    assert [v.value().device for v in made] == [v.device for v in made]
    assert total.device == "/job:worker"


def test_the_slots_of_an_optimizer_stay_with_their_variables():
    with tf.device(tf.train.replica_device_setter(cluster=CLUSTER, worker_device="/job:worker/task:1")):
        v, w = variables(2)
        optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
        train_op = optimizer.minimize(tf.reduce_sum(v * w))
    assert optimizer.get_slot(v, "momentum").device == v.device == "/job:ps/task:0"
    assert optimizer.get_slot(w, "momentum").device == w.device == "/job:ps/task:1"
    assert {op.device for op in train_op.control_inputs} == {v.device, w.device}


def test_mutable_tables_are_on_ps_tasks_too():
    with tf.device(tf.train.replica_device_setter(ps_tasks=2)):
        table = tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, -1)
    assert table._table_ref.device == "/job:ps/task:0"


@pytest.mark.parametrize(
    ("own", "device"),
    [
        ("/cpu:0", "/job:ps/task:0/device:CPU:0"),
        ("/job:ps", "/job:ps/task:0"),
        ("/job:ps/task:1", "/job:ps/task:1"),
        ("/job:moon", "/job:moon"),
        ("/job:moon/task:7/device:GPU:1", "/job:moon/task:7/device:GPU:1"),
    ],
)
def test_parts_that_an_op_names_itself_are_kept(own, device):
    with tf.device(tf.train.replica_device_setter(cluster=CLUSTER)), tf.device(own):
        assert tf.Variable(0.0).device == device


def test_without_merging_an_op_with_a_device_stays_as_it_is():
    with tf.device(tf.train.replica_device_setter(cluster=CLUSTER, merge_devices=False)):
        with tf.device("/cpu:0"):
            v, c = tf.Variable(0.0), tf.constant(0.0)
        w = tf.Variable(0.0)
    assert v.device == c.device == "/device:CPU:0"
    assert w.device == "/job:ps/task:0"


def test_devices_of_ps_and_worker_may_have_more_parts_or_none():
    with tf.device(tf.train.replica_device_setter(1, ps_device="/cpu:0", worker_device="/job:w/gpu:0")):
        v = tf.Variable(0.0)
    assert (v.device, (v + 1).device, v.initial_value.device) == ("/device:CPU:0", "", "/job:w/device:GPU:0")
    with tf.device(tf.train.replica_device_setter(1, ps_device="", worker_device="")):
        assert tf.Variable(0.0).device == ""


def test_ps_ops_says_which_types_are_placed_on_ps_tasks():
    with tf.device(tf.train.replica_device_setter(cluster=CLUSTER, ps_ops=["Const"])):
        v = tf.Variable(0.0)
    assert v.device == "/job:worker"
    assert v.initial_value.device == "/job:ps/task:0"


@pytest.mark.parametrize(
    "arguments",
    [{}, {"cluster": {"worker": ["a:1"]}}, {"cluster": CLUSTER, "ps_device": "/job:boss"}],
    ids=["nothing", "no ps job", "another ps job"],
)
def test_without_ps_tasks_there_is_no_device_function(arguments):
    setter = tf.train.replica_device_setter(**arguments)
    assert setter is None
    with tf.device(setter):
        assert tf.Variable(0.0).device == ""


def test_wrong_arguments_are_refused():
    with pytest.raises(TypeError, match="ps_strategy must be callable"):
        tf.train.replica_device_setter(ps_tasks=2, ps_strategy=1)
    with pytest.raises(TypeError, match="`cluster` must be a dictionary"):
        tf.train.replica_device_setter(cluster="ps0:1")


def test_nodes_of_a_graph_def_are_placed_too(graph):
    v = tf.Variable(0.0, name="v")
    setter = tf.train.replica_device_setter(cluster=CLUSTER)
    node = next(node for node in graph.as_graph_def().node if node.name == "v")
    assert v.device == ""
    assert setter(node) == "/job:ps/task:0"


@given(st.lists(st.integers(0, 100), max_size=40), st.integers(1, 5))
def test_the_greedy_strategy_leaves_no_task_with_more_than_the_largest_load_above_another(loads, num_tasks):
    strategy = tf.contrib.training.GreedyLoadBalancingStrategy(num_tasks, lambda op: op)
    totals = [0] * num_tasks
    for load in loads:
        task = strategy(load)
        assert totals[task] == min(totals)
        totals[task] += load
    assert max(totals) - min(totals) <= max(loads, default=0)


def test_the_greedy_strategy_by_bytes_counts_elements_and_their_size():
    strategy = tf.contrib.training.GreedyLoadBalancingStrategy(2, tf.contrib.training.byte_size_load_fn)
    with tf.device(tf.train.replica_device_setter(cluster=CLUSTER, ps_strategy=strategy)):
        made = [
            tf.Variable(np.zeros(shape, dtype)) for shape, dtype in [(2, "d"), (3, "f"), (1, "f"), (9, "f"), ((), "i")]
        ]
    assert [v.device[-1] for v in made] == ["0", "1", "1", "0", "1"]


def test_sizes_of_other_ops_are_refused():
    with pytest.raises(ValueError, match="must have a single output"):
        tf.contrib.training.byte_size_load_fn(tf.no_op())
    unknown = types.SimpleNamespace(outputs=[tf.placeholder(tf.float32)], get_attr=lambda name: tf.TensorShape(None))
    with pytest.raises(ValueError, match="not fully defined"):
        tf.contrib.training.byte_size_load_fn(unknown)


def test_the_random_strategy_is_a_function_of_name_and_seed():
    names = [f"layer_{i}/kernel ƿ" for i in range(200)]
    chosen = {
        seed: [tf.contrib.training.RandomStrategy(4, seed)(types.SimpleNamespace(name=name)) for name in names]
        for seed in range(3)
    }
    assert chosen[0] != chosen[1] != chosen[2]
    for tasks in chosen.values():
        assert min(tasks.count(task) for task in range(4)) > 25
    # TensorFlow's own choices.
    assert tf.contrib.training.RandomStrategy(2)(types.SimpleNamespace(name="A unicode Ǝ string ñ")) == 1
