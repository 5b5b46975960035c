"""Gates bound how early updates are applied, and change no bit of what they apply."""

import numpy as np
import pytest
from training.network import LAYERS, batch, build

import ferroflow as tf

GATES = {
    "GATE_NONE": tf.train.Optimizer.GATE_NONE,
    "GATE_OP": tf.train.Optimizer.GATE_OP,
    "GATE_GRAPH": tf.train.Optimizer.GATE_GRAPH,
}


def trained(gate, threads, steps=10):
    """The variables after some steps of gradient descent."""
    with tf.Graph().as_default():
        x, loss, variables = build()
        train = tf.train.GradientDescentOptimizer(0.05).minimize(loss, gate_gradients=gate)
        config = tf.ConfigProto(intra_op_parallelism_threads=threads)
        with tf.Session(config=config) as session:
            session.run(tf.global_variables_initializer())
            for step in range(steps):
                session.run(train, {x: batch(step)})
            return session.run(variables)


def traced(gate):
    """(kind, variable or operation, start, end) of what one step of training ran."""
    with tf.Graph().as_default() as graph:
        x, loss, _ = build()
        optimizer = tf.train.GradientDescentOptimizer(0.05)
        pairs = optimizer.compute_gradients(loss, gate_gradients=gate)
        train = optimizer.apply_gradients(pairs)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            _, (_, events) = session._core.run_flat([], [(x, batch(0))], [train], trace=True)
        ran = {}
        for nodes, start, end, _ in events:
            for node in nodes:
                ran[graph.get_operations()[node].name] = (start, end)
        gradients = {v.op.name: _producer(g.op) for g, v in pairs}
    applied = {name: ran[f"GradientDescent/update_{name}/ApplyGradientDescent"] for name in gradients}
    computed = {name: ran[producer] for name, producer in gradients.items() if producer in ran}
    return applied, computed


def _producer(op):
    """The operation behind gates."""
    while op.type == "Identity":
        op = op.inputs[0].op
    return op.name


def test_gate_graph_applies_nothing_before_all_gradients_are_computed():
    applied, computed = traced(GATES["GATE_GRAPH"])
    assert len(applied) == len(computed) == 2 * LAYERS
    assert min(start for start, _ in applied.values()) >= max(end for _, end in computed.values())


def test_gate_op_applies_nothing_before_all_gradients_of_its_operation_are_computed():
    with tf.Graph().as_default() as graph:
        x, loss, _ = build()
        optimizer = tf.train.GradientDescentOptimizer(0.05)
        pairs = optimizer.compute_gradients(loss, gate_gradients=GATES["GATE_OP"])
        train = optimizer.apply_gradients(pairs)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            _, (_, events) = session._core.run_flat([], [(x, batch(0))], [train], trace=True)
        operations = graph.get_operations()
        ran = {operations[node].name: (start, end) for nodes, start, end, _ in events for node in nodes}
    gated = 0
    for gradient, variable in pairs:
        (barrier,) = gradient.op.control_inputs
        together = [ran[op.name] for op in barrier.control_inputs if op.name in ran]
        gated += len(together)
        start, _ = ran[f"GradientDescent/update_{variable.op.name}/ApplyGradientDescent"]
        assert start >= max(end for _, end in together)
    assert gated >= 2 * LAYERS


def test_gate_none_applies_some_update_before_the_last_gradient_is_computed():
    applied, computed = traced(GATES["GATE_NONE"])
    assert min(start for start, _ in applied.values()) < max(start for start, _ in computed.values())


def test_all_gates_and_numbers_of_threads_give_equal_bits():
    expected = trained(GATES["GATE_NONE"], 1)
    for gate in GATES.values():
        for threads in (1, 2, 4):
            for found, wanted in zip(trained(gate, threads), expected, strict=True):
                np.testing.assert_array_equal(found.view(np.int32), wanted.view(np.int32))


def test_gates_are_control_edges_and_only_those():
    def computing(gate):
        with tf.Graph().as_default() as graph:
            _, loss, variables = build()
            tf.gradients(loss, [v._ref() for v in variables], gate_gradients=gate)
            return sorted(op.type for op in graph.get_operations() if op.type not in ("Identity", "NoOp"))

    assert computing(True) == computing(False)


@pytest.mark.parametrize("gate", [-1, 3, "GATE_OP"])
def test_an_unknown_gate_is_refused(gate):
    with tf.Graph().as_default():
        _, loss, _ = build()
        with pytest.raises(ValueError, match="gate_gradients must be one of"):
            tf.train.GradientDescentOptimizer(0.1).minimize(loss, gate_gradients=gate)
