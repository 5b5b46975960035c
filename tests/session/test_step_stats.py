"""Laws of RunMetadata: what ran, where and how long, what it made, and which graphs."""

from __future__ import annotations

import numpy as np
import pytest

import ferroflow as tf

FULL_TRACE = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)


@pytest.fixture(autouse=True)
def graph():
    """The default graph of the test."""
    with tf.Graph().as_default() as fresh:
        yield fresh


def traced(session, fetches, feeds=None, options=FULL_TRACE):
    """The RunMetadata of a step."""
    metadata = tf.RunMetadata()
    session.run(fetches, feeds, options=options, run_metadata=metadata)
    return metadata


def test_each_node_that_runs_has_its_times_and_its_outputs():
    x = tf.placeholder(tf.float32, [2, 3], name="x")
    v = tf.Variable(np.ones([3, 4], np.float32), name="v")
    y = tf.matmul(x, v, name="y")
    z = tf.reduce_sum(y, name="z")
    with tf.Session() as session:
        session.run(v.initializer)
        stats = traced(session, z, {x: np.ones([2, 3])}).step_stats
    (device,) = stats.dev_stats
    assert device.device == "/job:localhost/replica:0/task:0/device:CPU:0"
    nodes = {n.node_name: n for n in device.node_stats}
    assert {"v/read", "y", "z"} <= set(nodes)
    y = nodes["y"]
    assert y.timeline_label == "y = MatMul(x, v/read)"
    assert y.op_end_rel_micros >= 1
    assert y.all_start_micros >= nodes["v/read"].all_start_micros
    assert nodes["z"].all_start_nanos >= y.all_start_nanos + y.all_end_rel_nanos
    assert y.thread_id == nodes["z"].thread_id > 0
    description = y.output[0].tensor_description
    assert [d.size for d in description.shape.dim] == [2, 4]
    assert description.dtype == tf.float32.as_datatype_enum
    assert description.allocation_description.requested_bytes == 32
    assert description.allocation_description.allocator_name == "cpu"
    assert y.memory[0].total_bytes == 32


def test_a_constant_takes_one_microsecond_at_the_start_of_the_step():
    x = tf.placeholder(tf.float32, [1000], name="x")
    y = tf.exp(x, name="y") * tf.constant(np.arange(1000.0), tf.float32, name="c")
    with tf.Session() as session:
        (device,) = traced(session, y, {x: np.zeros(1000)}).step_stats.dev_stats
    nodes = {n.node_name: n for n in device.node_stats}
    constant = nodes["c"]
    assert constant.timeline_label == "c = Const()"
    assert constant.thread_id == nodes["y"].thread_id
    assert (constant.op_end_rel_micros, constant.all_end_rel_micros) == (1, 1)
    assert constant.all_start_micros == constant.scheduled_micros <= nodes["y"].all_start_micros
    assert constant.all_start_nanos == constant.scheduled_nanos <= nodes["y"].all_start_nanos
    assert constant.all_start_micros == constant.all_start_nanos // 1000


def test_fused_nodes_share_their_time():
    x = tf.placeholder(tf.float32, [1000], name="x")
    y = tf.tanh(tf.exp(x, name="a") + 1.0, name="b")
    with tf.Session() as session:
        stats = traced(session, y, {x: np.zeros(1000)}).step_stats.dev_stats[0].node_stats
    found = {n.node_name: n for n in stats}
    assert {"a", "add", "b"} <= set(found)
    assert found["a"].all_start_nanos + found["a"].all_end_rel_nanos <= found["b"].all_start_nanos


def test_nothing_is_measured_without_being_asked_for():
    y = tf.constant(1.0) + 1.0
    with tf.Session() as session:
        metadata = traced(session, y, options=tf.RunOptions())
    assert not metadata.HasField("step_stats")
    assert not metadata.partition_graphs


def test_each_device_has_its_nodes():
    with tf.device("/cpu:0"):
        a = tf.Variable(1.0, name="a")
    with tf.device("/cpu:2"):
        b = tf.add(a, 1.0, name="b")
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 3})) as session:
        session.run(a.initializer)
        stats = traced(session, b).step_stats
    found = {d.device[-5:]: [n.node_name for n in d.node_stats] for d in stats.dev_stats}
    assert "b" in found["CPU:2"]
    assert "a/read" in found["CPU:0"]


def test_partition_graphs_hold_what_ran():
    x = tf.placeholder(tf.float32, [], name="x")
    y = tf.negative(x, name="y")
    tf.exp(x, name="unused")
    with tf.Session() as session:
        (graph,) = traced(session, y, {x: 1.0}, tf.RunOptions(output_partition_graphs=True)).partition_graphs
    assert "y" in [n.name for n in graph.node]
    assert "unused" not in [n.name for n in graph.node]


def test_cost_graphs_come_as_often_as_is_asked_for():
    x = tf.placeholder(tf.float32, [4], name="x")
    y = tf.exp(x, name="y")
    config = tf.ConfigProto(graph_options=tf.GraphOptions(build_cost_model=3))
    with tf.Session(config=config) as session:
        built = []
        for _ in range(6):
            metadata = traced(session, y, {x: np.zeros(4)}, None)
            built.append(metadata.HasField("cost_graph"))
    assert built == [False, False, True] * 2
    (node,) = [n for n in metadata.cost_graph.node if n.name == "y"]
    assert node.output_info[0].size == 16
    assert node.compute_cost >= 1
