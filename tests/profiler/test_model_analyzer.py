"""Laws of profiles: the numbers are TensorFlow's, sums are of what is shown, and the outputs go where they are sent."""

from __future__ import annotations

import json

import numpy as np
import pytest

import ferroflow as tf

Builder = tf.profiler.ProfileOptionBuilder

# TensorFlow 2.21 counts these of `build`.
FLOAT_OPERATIONS = 32987
PARAMETERS = 672


def quiet(options):
    """The options without output."""
    return {**options, "output": "none"}


def build():
    """A network of two layers with its training; what to feed, and the step."""
    x = tf.placeholder(tf.float32, [8, 16], name="x")
    with tf.variable_scope("a"):
        w, b = tf.get_variable("w", [16, 32]), tf.get_variable("b", [32])
        hidden = tf.nn.relu(tf.matmul(x, w) + b)
    with tf.variable_scope("c"):
        y = tf.nn.softmax(tf.matmul(hidden, tf.get_variable("w2", [32, 4])), name="sm")
    loss = tf.reduce_mean(tf.square(y), name="loss")
    return x, tf.train.GradientDescentOptimizer(0.1).minimize(loss)


@pytest.fixture
def model():
    """The graph, and the RunMetadata of a traced step of training."""
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x, train = build()
        session.run(tf.global_variables_initializer())
        metadata = tf.RunMetadata()
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        session.run(train, {x: np.ones([8, 16])}, options=options, run_metadata=metadata)
        return graph, metadata


def test_parameters_of_trainable_variables_are_counted(model):
    graph, _ = model
    found = tf.profiler.profile(graph, options=quiet(Builder.trainable_variables_parameter()))
    assert found.name == "_TFProfRoot"
    assert found.total_parameters == PARAMETERS
    assert [(c.name, c.total_parameters) for c in found.children] == [("a", 544), ("c", 128)]
    assert [(c.name, c.parameters) for c in found.children[0].children] == [("a/b", 32), ("a/w", 512)]


def test_float_operations_are_those_of_tensorflow(model):
    graph, _ = model
    assert tf.profiler.profile(graph, options=quiet(Builder.float_operation())).total_float_ops == FLOAT_OPERATIONS
    by_type = tf.profiler.profile(graph, cmd="op", options=quiet(Builder.float_operation()))
    assert by_type.total_float_ops == FLOAT_OPERATIONS
    assert (by_type.children[0].name, by_type.children[0].float_ops) == ("MatMul", 30720)
    assert len(by_type.children[0].graph_nodes) == 6


def test_convolutions_and_poolings_are_counted():
    with tf.Graph().as_default() as graph:
        image = tf.placeholder(tf.float32, [2, 8, 8, 3])
        kernel = tf.placeholder(tf.float32, [3, 3, 3, 5])
        tf.nn.max_pool(tf.nn.conv2d(image, kernel, [1, 1, 1, 1], "SAME"), [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
    found = tf.profiler.profile(graph, cmd="op", options=quiet(Builder.float_operation()))
    counted = {c.name: c.float_ops for c in found.children}
    assert counted == {"Conv2D": 2 * 3 * 3 * 3 * (2 * 8 * 8 * 5), "MaxPool": 4 * (2 * 4 * 4 * 5)}


def test_unknown_shapes_count_nothing():
    with tf.Graph().as_default() as graph:
        tf.exp(tf.square(tf.placeholder(tf.float32)))
    assert tf.profiler.profile(graph, options=quiet(Builder.float_operation())).total_float_ops == 0


@pytest.mark.parametrize("cmd", ["scope", "graph", "op", "code"])
def test_every_view_adds_up_to_the_step(model, cmd):
    graph, metadata = model
    stats = metadata.step_stats.dev_stats[0].node_stats
    options = quiet(Builder(Builder.time_and_memory(min_micros=0, min_bytes=0)).build())
    found = tf.profiler.profile(graph, metadata, cmd=cmd, options=options)
    assert found.total_exec_micros == sum(n.op_end_rel_micros for n in stats)
    assert found.total_cpu_exec_micros == found.total_exec_micros
    made = sum(o.tensor_description.allocation_description.requested_bytes for n in stats for o in n.output)
    assert found.total_requested_bytes == made > 0


def test_steps_are_averaged_or_shown_alone(model):
    graph, metadata = model
    profiler = tf.profiler.Profiler(graph)
    profiler.add_step(1, metadata)
    longer = tf.RunMetadata()
    longer.CopyFrom(metadata)
    for node in longer.step_stats.dev_stats[0].node_stats:
        node.op_end_rel_micros *= 3
    profiler.add_step(2, longer)
    options = quiet(Builder.time_and_memory(min_micros=0, min_bytes=0))
    one = profiler.profile_operations({**options, "step": 1}).total_exec_micros
    assert profiler.profile_operations({**options, "step": 2}).total_exec_micros == 3 * one
    assert profiler.profile_operations(options).total_exec_micros == pytest.approx(2 * one, abs=20)
    with pytest.raises(ValueError, match="no step 5"):
        profiler.profile_operations({**options, "step": 5})


def test_names_and_types_choose_what_is_shown(model):
    graph, _ = model
    builder = Builder(Builder.float_operation()).with_accounted_types(["MatMul"]).with_empty_output()
    assert tf.profiler.profile(graph, options=builder.build()).total_float_ops == 30720
    builder = builder.with_node_names(hide_name_regexes=["gradients/.*"])
    assert tf.profiler.profile(graph, options=builder.build()).total_float_ops == 8192 + 2048
    builder = builder.account_displayed_op_only(False)
    assert tf.profiler.profile(graph, options=builder.build()).total_float_ops == 30720


def test_reports_go_to_standard_output_and_files(model, capsys, tmp_path):
    graph, metadata = model
    tf.profiler.profile(graph, options=Builder.trainable_variables_parameter())
    shown = capsys.readouterr().out
    assert "==================Model Analysis Report======================" in shown
    assert "_TFProfRoot (--/672 params)\n  a (--/544 params)\n    a/b (32, 32/32 params)\n" in shown
    file = tmp_path / "report"
    tf.profiler.profile(graph, cmd="op", options=Builder(Builder.float_operation()).with_file_output(str(file)).build())
    assert "MatMul   30.72k float_ops (100.00%, 93.13%)" in file.read_text(encoding="utf-8")
    timeline = Builder(Builder.time_and_memory()).with_timeline_output(str(tmp_path / "line")).build()
    tf.profiler.profile(graph, metadata, options=timeline)
    assert json.loads((tmp_path / "line_0").read_text(encoding="utf-8"))["traceEvents"]
    assert capsys.readouterr().out == ""
    with pytest.raises(NotImplementedError, match="pprof"):
        tf.profiler.profile(graph, options=Builder().with_pprof_output("x").build())


def test_advice_names_what_costs_most(model, capsys):
    graph, metadata = model
    advice = tf.profiler.advise(graph, metadata, {"ExpensiveOperationChecker": {}})
    types, _ = advice.checkers["ExpensiveOperationChecker"].reports
    assert types.startswith("top 1 operation type: ")
    assert types in capsys.readouterr().out
    with pytest.raises(ValueError, match="no checker"):
        tf.profiler.advise(graph, metadata, {"Other": {}})


def test_what_is_logged_counts_before_what_is_found(model, tmp_path):
    graph, _ = model
    log = tf.profiler.OpLogProto()
    log.log_entries.add(name="c/sm", float_ops=1000, types=["mine"])
    options = quiet(Builder(Builder.float_operation()).with_accounted_types(["mine"]).build())
    assert tf.profiler.profile(graph, op_log=log, options=options).total_float_ops == 1000
    tf.profiler.write_op_log(graph, str(tmp_path), log)
    written = tf.profiler.OpLogProto.FromString((tmp_path / "tfprof_log").read_bytes())
    entries = {e.name: e for e in written.log_entries}
    assert entries["c/sm"].float_ops == 1000
    assert list(entries["a/w"].types) == ["_trainable_variables"]
    assert entries["a/w"].code_def.traces


def test_unknown_options_and_views_are_refused(model):
    graph, _ = model
    with pytest.raises(ValueError, match="no option 'depth'"):
        tf.profiler.profile(graph, options={**Builder.float_operation(), "depth": 1})
    with pytest.raises(ValueError, match="unknown cmd"):
        tf.profiler.profile(graph, cmd="ops")
