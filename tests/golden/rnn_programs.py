"""Recurrent networks of fixed weights, and what their graphs and steps look like."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

BATCH, TIME, SIZE = 3, 4, 5
LENGTHS = [4, 1, 3]


def _basic(tf: Any) -> Any:
    return tf.nn.rnn_cell.BasicRNNCell(4)


def _gru(tf: Any) -> Any:
    return tf.nn.rnn_cell.GRUCell(4)


def _basic_lstm(tf: Any) -> Any:
    return tf.nn.rnn_cell.BasicLSTMCell(4, forget_bias=0.7)


def _lstm(tf: Any) -> Any:
    return tf.nn.rnn_cell.LSTMCell(4)


def _full_lstm(tf: Any) -> Any:
    return tf.nn.rnn_cell.LSTMCell(
        4, use_peepholes=True, cell_clip=0.4, num_proj=2, proj_clip=0.3, forget_bias=0.5, name="named"
    )


def _concatenated_lstm(tf: Any) -> Any:
    return tf.nn.rnn_cell.LSTMCell(4, num_proj=3, state_is_tuple=False, activation=tf.nn.relu)


def _stack(tf: Any) -> Any:
    cells = [_gru(tf), _basic_lstm(tf), tf.nn.rnn_cell.ResidualWrapper(_basic(tf)), _full_lstm(tf)]
    return tf.nn.rnn_cell.MultiRNNCell(cells)


def _concatenated_stack(tf: Any) -> Any:
    return tf.nn.rnn_cell.MultiRNNCell([_basic(tf), _gru(tf)], state_is_tuple=False)


def _on_device(tf: Any) -> Any:
    return tf.nn.rnn_cell.DeviceWrapper(_basic_lstm(tf), "/cpu:0")


def _dropout(tf: Any) -> Any:
    return tf.nn.rnn_cell.DropoutWrapper(_basic_lstm(tf), 0.6, 0.7, 0.8, seed=5)


def _variational_dropout(tf: Any) -> Any:
    return tf.nn.rnn_cell.DropoutWrapper(
        _basic_lstm(tf), 0.6, 0.7, 0.8, variational_recurrent=True, input_size=SIZE, dtype=tf.float32, seed=6
    )


CELLS = {
    "basic": _basic,
    "gru": _gru,
    "basic_lstm": _basic_lstm,
    "lstm": _lstm,
    "full_lstm": _full_lstm,
    "concatenated_lstm": _concatenated_lstm,
    "stack": _stack,
    "concatenated_stack": _concatenated_stack,
    "on_device": _on_device,
    "dropout": _dropout,
    "variational_dropout": _variational_dropout,
}


def _inputs(tf: Any, static: bool = True) -> Any:
    return tf.placeholder(tf.float32, [BATCH, TIME, SIZE] if static else [None, None, SIZE], name="x")


def _dynamic(tf: Any, cell: Any) -> Any:
    return tf.nn.dynamic_rnn(cell(tf), _inputs(tf), dtype=tf.float32)


def _dynamic_lengths(tf: Any, cell: Any) -> Any:
    return tf.nn.dynamic_rnn(cell(tf), _inputs(tf, static=False), sequence_length=LENGTHS, dtype=tf.float32)


def _dynamic_time_major(tf: Any, cell: Any) -> Any:
    given = cell(tf)
    state = given.zero_state(TIME, tf.float32)
    return tf.nn.dynamic_rnn(given, _inputs(tf), initial_state=state, time_major=True, scope="own")


def _bidirectional_dynamic(tf: Any, cell: Any) -> Any:
    return tf.nn.bidirectional_dynamic_rnn(cell(tf), _gru(tf), _inputs(tf), sequence_length=LENGTHS, dtype=tf.float32)


def _static(tf: Any, cell: Any) -> Any:
    return tf.nn.static_rnn(cell(tf), tf.unstack(_inputs(tf), axis=1), dtype=tf.float32)


def _static_lengths(tf: Any, cell: Any) -> Any:
    inputs = tf.unstack(_inputs(tf), axis=1)
    return tf.nn.static_rnn(cell(tf), inputs, dtype=tf.float32, sequence_length=LENGTHS)


def _static_bidirectional(tf: Any, cell: Any) -> Any:
    inputs = tf.unstack(_inputs(tf), axis=1)
    return tf.nn.static_bidirectional_rnn(cell(tf), _gru(tf), inputs, dtype=tf.float32, sequence_length=LENGTHS)


def _raw(tf: Any, cell: Any) -> Any:
    given = cell(tf)
    inputs = tf.TensorArray(tf.float32, size=TIME).unstack(tf.transpose(_inputs(tf), [1, 0, 2]))

    def between(time: Any, output: Any, state: Any, loop_state: Any) -> Any:
        finished = time >= LENGTHS
        following = tf.cond(
            tf.reduce_all(finished), lambda: tf.zeros([BATCH, SIZE]), lambda: inputs.read(tf.minimum(time, TIME - 1))
        )
        if output is None:
            return finished, following, given.zero_state(BATCH, tf.float32), None, tf.constant(0)
        return finished, following, state, output, loop_state + 2

    emitted, state, loop_state = tf.nn.raw_rnn(given, between)
    return emitted.stack(), state, loop_state


RUNS: dict[str, Callable[[Any, Any], Any]] = {
    "dynamic": _dynamic,
    "dynamic_lengths": _dynamic_lengths,
    "dynamic_time_major": _dynamic_time_major,
    "bidirectional_dynamic": _bidirectional_dynamic,
    "static": _static,
    "static_lengths": _static_lengths,
    "static_bidirectional": _static_bidirectional,
    "raw": _raw,
}
# TensorFlow draws for several steps of a loop at once, in any order.
CASES = [
    f"{run}/{cell}"
    for run in RUNS
    for cell in CELLS
    if cell != "dropout" or run in ("static", "static_lengths", "static_bidirectional")
]


def describe(tf: Any, case: str) -> dict[str, Any]:
    """The names that a network gives, its results and the gradients of its input and weights."""
    run, cell = case.split("/")
    rng = np.random.RandomState(5)
    with tf.Graph().as_default() as graph:
        results = [tf.convert_to_tensor(y) for y in _leaves(RUNS[run](tf, CELLS[cell]))]
        names = [op.name for op in graph.get_operations()]
        x = graph.get_tensor_by_name("x:0")
        variables = tf.global_variables()
        loss = tf.add_n([tf.reduce_sum(tf.square(y)) for y in results if y.dtype == tf.float32])
        gradients = tf.gradients(loss, [x, *variables])
        with tf.Session() as session:
            for variable in variables:
                variable.load(rng.normal(0, 0.5, variable.shape.as_list()).astype(np.float32), session)
            feeds = {x: rng.normal(size=(BATCH, TIME, SIZE)).astype(np.float32)}
            values = session.run([*results, *gradients], feeds)
        return {
            "variables": [[v.name, v.shape.as_list()] for v in variables],
            "shapes": [y.shape.as_list() for y in results],
            "results": [y.name for y in results],
            "names": names,
            # Sums with random signs stand for the elements.
            "values": [float((v * np.random.RandomState(1).choice([-1, 1], np.shape(v))).sum()) for v in values],
        }


def _leaves(nest: Any) -> list[Any]:
    return [leaf for child in nest for leaf in _leaves(child)] if isinstance(nest, list | tuple) else [nest]
