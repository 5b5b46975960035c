"""Models that train through loops, for TensorFlow and for what takes its place, and their graphs in files."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

BATCH, TIME, SIZE, UNITS, STEPS = 4, 5, 3, 4, 6
LENGTHS = [5, 2, 4, 1]
_DRAWN = np.random.RandomState(0)
FEEDS = {
    "x:0": _DRAWN.uniform(-1, 1, (BATCH, TIME, SIZE)).astype(np.float32),
    "y:0": _DRAWN.uniform(-1, 1, (BATCH, UNITS)).astype(np.float32),
}


def _weights(tf: Any, name: str, rows: int) -> Any:
    """A matrix without symmetries."""
    values = np.sin(np.arange(rows * UNITS, dtype=np.float32) * 1.7 + len(name)).reshape(rows, UNITS) / 2
    return tf.get_variable(name, initializer=values)


def _recurrent(tf: Any, x: Any) -> Any:
    w = _weights(tf, "w", SIZE + UNITS)
    by_time = tf.transpose(x, [1, 0, 2])

    def body(i: Any, h: Any) -> Any:
        return i + 1, tf.tanh(tf.matmul(tf.concat([by_time[i], h], 1), w))

    start = [tf.constant(0), tf.zeros([tf.shape(x)[0], UNITS])]
    return tf.while_loop(lambda i, h: i < TIME, body, start, parallel_iterations=1)[1]


def _recurrent_swapped(tf: Any, x: Any) -> Any:
    w, b = _weights(tf, "w", UNITS), _weights(tf, "b", 1)
    first = tf.matmul(x[:, 0], _weights(tf, "first", SIZE))

    def body(i: Any, h: Any, unused: Any) -> Any:
        return [i + 1, tf.tanh(tf.matmul(h, w) + b) * tf.exp(-h), unused + tf.reduce_sum(h)]

    loop = tf.while_loop(
        lambda i, h, unused: tf.reduce_sum(tf.abs(h)) > 0.1,
        body,
        [tf.constant(0), first, tf.constant(0.0)],
        swap_memory=True,
        maximum_iterations=4,
    )
    return loop[1]


def _lstm(tf: Any, x: Any) -> Any:
    def cell() -> Any:
        return tf.nn.rnn_cell.LSTMCell(UNITS, use_peepholes=True, initializer=tf.constant_initializer(0.1))

    cells = tf.nn.rnn_cell.MultiRNNCell([cell(), tf.nn.rnn_cell.ResidualWrapper(cell())])
    outputs, state = tf.nn.dynamic_rnn(cells, x, sequence_length=LENGTHS, dtype=tf.float32, swap_memory=True)
    return tf.reduce_sum(outputs, 1) + state[0].c + tf.matmul(state[1].h, _weights(tf, "w", UNITS))


def _bidirectional(tf: Any, x: Any) -> Any:
    def cell() -> Any:
        return tf.nn.rnn_cell.GRUCell(UNITS, kernel_initializer=tf.constant_initializer(0.2))

    outputs, states = tf.nn.bidirectional_dynamic_rnn(cell(), cell(), x, LENGTHS, dtype=tf.float32)
    return outputs[0][:, -1] * states[1] + tf.matmul(tf.reduce_max(outputs[1], 1), _weights(tf, "w", UNITS))


def _nested(tf: Any, x: Any) -> Any:
    w, u = _weights(tf, "w", UNITS), _weights(tf, "u", SIZE)

    def body(i: Any, h: Any) -> Any:
        entering = tf.matmul(x[:, i], u)

        def inner(j: Any, g: Any) -> Any:
            return j + 1, tf.tanh(tf.matmul(g, w) * h + entering)

        # The number of turns differs from one iteration to the next.
        return i + 1, tf.while_loop(lambda j, g: j < i + 1, inner, [0, h + entering], parallel_iterations=3)[1]

    return tf.while_loop(lambda i, h: i < 3, body, [tf.constant(0), tf.ones([BATCH, UNITS])])[1]


def _branches(tf: Any, x: Any) -> Any:
    w, u = _weights(tf, "w", UNITS), _weights(tf, "u", SIZE)

    def body(i: Any, h: Any) -> Any:
        entering = tf.matmul(x[:, i], u)

        def whole() -> Any:
            return tf.tanh(tf.matmul(h, w) + entering)

        def part() -> Any:
            halves = tf.split(tf.sin(h), 2, axis=1)
            return tf.cond(i > 2, lambda: h * entering, lambda: tf.concat([halves[0], h[:, 2:]], 1))

        return i + 1, tf.cond(tf.equal(i % 2, 0), whole, part)

    return tf.while_loop(lambda i, h: i < TIME, body, [tf.constant(0), tf.ones([BATCH, UNITS])])[1]


def _loops_in_branches(tf: Any, x: Any) -> Any:
    w = _weights(tf, "w", UNITS)
    start = tf.matmul(x[:, 0], _weights(tf, "u", SIZE))

    def looped(h: Any, turns: int) -> Any:
        def body(i: Any, a: Any) -> Any:
            return i + 1, tf.tanh(tf.matmul(a, w)) + h

        return tf.while_loop(lambda i, a: i < turns, body, [tf.constant(0), h])[1]

    def body(i: Any, h: Any) -> Any:
        return i + 1, tf.cond(i < 2, lambda: looped(h, 3), lambda: h * start)

    outer = tf.while_loop(lambda i, h: i < 3, body, [tf.constant(0), start])[1]
    return tf.cond(tf.reduce_sum(tf.abs(x)) > 0.0, lambda: looped(outer, 2), lambda: outer)


def _arrays(tf: Any, x: Any) -> Any:
    w, u = _weights(tf, "w", UNITS), _weights(tf, "u", SIZE)
    entering = tf.TensorArray(tf.float32, TIME, clear_after_read=False).unstack(tf.transpose(x, [1, 0, 2]))
    kept = tf.TensorArray(tf.float32, 0, dynamic_size=True, clear_after_read=False, element_shape=[BATCH, UNITS])

    def body(i: Any, h: Any, kept: Any) -> Any:
        h = tf.tanh(tf.matmul(h, w) + tf.matmul(entering.read(i) * entering.read(TIME - 1 - i), u))
        return i + 1, h, kept.write(i, h * h)

    start = [tf.constant(0), tf.zeros([BATCH, UNITS]), kept]
    _, last, kept = tf.while_loop(lambda i, h, kept: i < TIME, body, start)
    return last + tf.reduce_mean(kept.stack(), 0) + kept.gather([1, 3])[0]


def _functional(tf: Any, x: Any) -> Any:
    w, u = _weights(tf, "w", UNITS), _weights(tf, "u", SIZE)
    mapped = tf.map_fn(lambda e: tf.tanh(tf.matmul(e, u)), tf.transpose(x, [1, 0, 2]), swap_memory=True)
    scanned = tf.scan(lambda a, e: tf.tanh(tf.matmul(a, w) + e), mapped, initializer=tf.zeros([BATCH, UNITS]))
    return tf.foldl(lambda a, e: a * 0.5 + e, scanned) + tf.foldr(lambda a, e: a * e, scanned, tf.ones([BATCH, UNITS]))


def _descent(tf: Any, x: Any) -> Any:
    """Steps down a slope in a loop: the gradient is taken of a gradient."""
    w = _weights(tf, "w", UNITS)
    goal = tf.matmul(x[:, 0], _weights(tf, "u", SIZE))

    def body(i: Any, h: Any) -> Any:
        inner = tf.reduce_sum(tf.square(tf.tanh(tf.matmul(h, w)) - goal))
        return i + 1, h - 0.3 * tf.gradients(inner, h)[0]

    return tf.while_loop(lambda i, h: i < 3, body, [tf.constant(0), tf.zeros([BATCH, UNITS])])[1]


def _descent_on_loops(tf: Any, x: Any) -> Any:
    """Takes the gradient of a loop in every iteration of another, which has none itself."""
    w = _weights(tf, "w", UNITS)
    goal = tf.stop_gradient(tf.matmul(x[:, 0], _weights(tf, "u", SIZE)))
    fixed = tf.stop_gradient(w)

    def body(i: Any, h: Any) -> Any:
        def inner(j: Any, g: Any) -> Any:
            return j + 1, tf.tanh(tf.matmul(g, fixed) + h)

        reached = tf.while_loop(lambda j, g: j < i + 1, inner, [tf.constant(0), h])[1]
        return i + 1, h - 0.3 * tf.gradients(tf.reduce_sum(tf.square(reached - goal)), h)[0]

    found = tf.while_loop(lambda i, h: i < 3, body, [tf.constant(0), tf.zeros([BATCH, UNITS])], back_prop=False)[1]
    return tf.matmul(tf.stop_gradient(found), w)


def _looked_up(tf: Any, x: Any) -> Any:
    """Gathers rows of a variable, and of a value, in every iteration: their gradients are slices that grow."""
    table = tf.get_variable("table", initializer=np.cos(np.arange(7 * UNITS, dtype=np.float32)).reshape(7, UNITS))
    made = table * 0.5
    ids = tf.argsort(x[:, :, 0], axis=1)

    def body(i: Any, h: Any) -> Any:
        rows = tf.nn.embedding_lookup(table, ids[:, i]) + tf.gather(made, ids[:, i] + 2)
        return i + 1, tf.sigmoid(h) * rows + h

    return tf.while_loop(lambda i, h: i < TIME, body, [tf.constant(0), tf.zeros([BATCH, UNITS])])[1]


def _raw(tf: Any, x: Any) -> Any:
    """A decoder that reads what it said."""
    cell = tf.nn.rnn_cell.LSTMCell(UNITS, initializer=tf.constant_initializer(0.1))
    start = tf.matmul(x[:, 0], _weights(tf, "u", SIZE))
    lengths = tf.constant(LENGTHS)

    def step(time: Any, said: Any, state: Any, kept: Any) -> Any:
        if said is None:
            return tf.zeros([BATCH], tf.bool), start, cell.zero_state(BATCH, tf.float32), None, None
        return time >= lengths, said + start, state, said * 2.0, None

    said, state, _ = tf.nn.raw_rnn(cell, step)
    return tf.reduce_sum(said.stack(), 0) + state.c


MODELS: dict[str, Callable[[Any, Any], Any]] = {
    "recurrent": _recurrent,
    "recurrent_swapped": _recurrent_swapped,
    "lstm": _lstm,
    "bidirectional": _bidirectional,
    "nested": _nested,
    "branches": _branches,
    "loops_in_branches": _loops_in_branches,
    "arrays": _arrays,
    "functional": _functional,
    "looked_up": _looked_up,
    "raw": _raw,
    "descent": _descent,
    "descent_on_loops": _descent_on_loops,
}


def build(tf: Any, model: str, use_resource: bool) -> Any:
    """Puts a model with its loss, a step of training and a Saver into the current graph; gives the Saver."""
    x = tf.placeholder(tf.float32, [None, TIME, SIZE], name="x")
    y = tf.placeholder(tf.float32, [None, UNITS], name="y")
    with tf.variable_scope("model", use_resource=use_resource):
        loss = tf.reduce_mean(tf.square(MODELS[model](tf, x) - y), name="loss")
        optimizer = tf.train.AdamOptimizer(0.05) if use_resource else tf.train.MomentumOptimizer(0.2, 0.5)
        variables = tf.trainable_variables()
        gradients = tf.gradients(loss, variables, colocate_gradients_with_ops=use_resource)
        gradients, _ = tf.clip_by_global_norm(gradients, 1.0)
        step = tf.get_variable("step", initializer=np.int64(0), trainable=False)
        optimizer.apply_gradients(zip(gradients, variables, strict=True), global_step=step, name="train")
    tf.global_variables_initializer()
    return tf.train.Saver()


def train(session: Any) -> list[float]:
    """The loss before each of some steps of training."""
    return [float(session.run(["model/loss:0", "model/train"], FEEDS)[0]) for _ in range(STEPS)]


def save(tf: Any, folder: str, name: str) -> list[float]:
    """Writes the MetaGraph of a model, and a checkpoint after half of the training whose losses are returned."""
    model, kind = name.split("-")
    with tf.Graph().as_default(), tf.Session() as session:
        saver = build(tf, model, kind == "resource")
        session.run("init")
        before = train(session)
        saver.save(session, os.path.join(folder, name), write_state=False)
        return before + train(session)


def load(tf: Any, folder: str, name: str) -> list[float]:
    """Trains as `save` did with what it wrote: from the start, and from the checkpoint."""
    with tf.Graph().as_default(), tf.Session() as session:
        saver = tf.train.import_meta_graph(os.path.join(folder, f"{name}.meta"))
        session.run("init")
        before = train(session)
        session.run("init")
        saver.restore(session, os.path.join(folder, name))
        return before + train(session)


NAMES = [f"{model}-{kind}" for model in MODELS for kind in ("reference", "resource")]


def main() -> None:
    """Saves, or loads, every model in a folder with TensorFlow; writes the losses into it."""
    # The cells are in the Keras of old.
    os.environ["TF_USE_LEGACY_KERAS"] = "1"
    import tensorflow.compat.v1 as tf

    tf.disable_v2_behavior()
    act, folder = {"save": save, "load": load}[sys.argv[1]], sys.argv[2]
    losses = {name: act(tf, folder, name) for name in NAMES}
    with open(os.path.join(folder, "losses.json"), "w") as file:
        json.dump(losses, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
