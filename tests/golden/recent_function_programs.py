"""Single functions that TensorFlow has since 1.13: checks, gradients, scaled losses, updates."""

from __future__ import annotations

from typing import Any

import numpy as np
from golden.recent_runs import Program, nodes


def _run(tf: Any, *tensors: Any) -> Any:
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return [x.tolist() if hasattr(x, "tolist") else x for x in sess.run(list(tensors))]


def _transposed(tf: Any) -> Any:
    rng = np.random.RandomState(0)
    values = [rng.rand(1, *[3] * n, 2) for n in (1, 2, 3)]
    filters = [rng.rand(*[2] * n, 4, 2) for n in (1, 2, 3)]
    found = [
        tf.nn.conv_transpose(tf.constant(v), tf.constant(f), [1, *[6] * n, 4], 2)
        for n, (v, f) in enumerate(zip(values, filters), 1)  # noqa: B905
    ]
    channels_last = tf.nn.conv_transpose(
        tf.constant(values[1]), tf.constant(filters[1]), tf.constant([1, 4, 4, 4]), [1, 1, 1, 1], "VALID"
    )
    return [[x.name for x in [*found, channels_last]], *_run(tf, *found, channels_last)]


def _average(tf: Any) -> Any:
    losses = tf.constant([1.0, 2.0, 6.0])
    table = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    average = tf.nn.compute_average_loss
    return _run(
        tf,
        average(losses),
        average(losses, global_batch_size=4),
        average(losses, sample_weight=[0.5, 0.0, 1.0]),
        average(losses, sample_weight=2.0),
        average(table),
        average(table, sample_weight=[1.0, 0.5]),
        average(tf.cast(losses, tf.float16), [1.0, 1.0, 0.5], 2),
        average(tf.placeholder_with_default([1.0, 3.0], None)),
        tf.nn.scale_regularization_loss([1.0, 2.5]),
        tf.nn.scale_regularization_loss(tf.constant(3.0)),
    )


def _shapes(tf: Any, shapes: Any, feeds: Any = None, **arguments: Any) -> Any:
    with tf.control_dependencies([tf.debugging.assert_shapes(shapes, **arguments)]):
        done = tf.constant(1)
    with tf.Session() as sess:
        try:
            return int(sess.run(done, feeds))
        except tf.errors.InvalidArgumentError as failure:
            return str(failure).partition("\n")[0][:60]


def _shape_checks(tf: Any) -> Any:
    x, y, any_shape = tf.zeros([2, 3]), tf.zeros([3, 4, 5]), tf.placeholder(tf.float32)
    rows = tf.placeholder(tf.float32, [None, 2])
    return [
        _shapes(tf, [(x, ("a", "b")), (y, ("b", 4, None))]),
        _shapes(tf, [(x, "ab"), (y, ("...", "b", 5))]),
        _shapes(tf, [(x, (Ellipsis, 3)), (y, ("*",)), (tf.zeros([]), (1,)), (tf.zeros([7]), None)]),
        _shapes(tf, [(any_shape, ("n", 2)), (rows, ("n", 2))], {any_shape: np.ones((3, 2)), rows: np.ones((3, 2))}),
        _shapes(tf, [(any_shape, ("n", 2)), (rows, ("n", 2))], {any_shape: np.ones((3, 2)), rows: np.ones((4, 2))}),
        _shapes(tf, [(any_shape, ("n", 2))], {any_shape: np.ones(3)}),
        _shapes(tf, [(rows, (3, "2"))], {rows: np.ones((4, 2))}, message="own"),
    ]


def _wrong_size(tf: Any) -> Any:
    x = tf.zeros([2, 3], name="x")
    tf.debugging.assert_shapes([(x, ("a", "a"))], message="own")


def _wrong_explicit_size(tf: Any) -> Any:
    tf.debugging.assert_shapes([(tf.zeros([2, 3], name="x"), ("...", 4))])


def _wrong_rank(tf: Any) -> Any:
    tf.debugging.assert_shapes([(tf.zeros([2, 3], name="x"), ("a", "b", "c"))])


def _wrong_place(tf: Any) -> Any:
    tf.debugging.assert_shapes([(tf.zeros([2, 3], name="x"), ("a", "..."))])


def _no_shape(tf: Any) -> Any:
    tf.debugging.assert_shapes([(tf.zeros([2, 3], name="x"), 2)])


def _batch_update(tf: Any) -> Any:
    first = tf.Variable(np.zeros([2, 4], np.float32), name="first")
    second = tf.Variable(np.zeros([5, 2], np.float32), name="second")
    third = tf.Variable(np.zeros([2, 2, 3, 2], np.int32), name="third")
    rng = np.random.RandomState(0)
    found = [
        tf.batch_scatter_update(first, [[3, 0], [1, 2]], [[1.0, 2.0], [3.0, 4.0]]),
        tf.batch_scatter_update(second, [4, 1], [[1.0, 2.0], [3.0, 4.0]]),
        tf.batch_scatter_update(
            third, rng.permutation(3)[:2] + np.zeros([2, 2, 1], int), rng.randint(9, size=[2, 2, 2, 2])
        ),
    ]
    return [
        _run(tf, *found),
        [op.name for op in tf.get_default_graph().get_operations() if "ScatterNdUpdate" in op.type],
    ]


def _unknown_indices(tf: Any) -> Any:
    variable = tf.Variable(np.zeros([2, 4], np.float32))
    tf.batch_scatter_update(variable, tf.placeholder(tf.int32), [[1.0]])


def _in_scope(program: Program) -> Program:
    """Runs a program where variables are behind handles, which functions with own gradients need."""

    def run(tf: Any) -> Any:
        with tf.variable_scope("scope", use_resource=True):
            return program(tf)

    return run


def _recomputed(tf: Any) -> Any:
    x, w = tf.constant([1.0, 2.0]), tf.get_variable("w", initializer=[0.5, -1.0], use_resource=True)
    plain = tf.recompute_grad(lambda a, b: tf.exp(a) * tf.sin(b))
    with_variable = tf.recompute_grad(lambda a: tf.tanh(a * w))
    one, two = plain(x, 2.0 * x), with_variable(x)
    gradients = [*tf.gradients(one, x), *tf.gradients(two, [x, w])]
    return [_run(tf, one, two, *gradients), sum(op.type == "Tanh" for op in tf.get_default_graph().get_operations())]


def _passed(tf: Any) -> Any:
    x, w = tf.constant([1.2, 2.7]), tf.get_variable("w", initializer=[0.5, -1.0], use_resource=True)
    rounded = tf.grad_pass_through(tf.round)(x)
    scaled = tf.grad_pass_through(lambda a: a * w)(x)
    gradients = [*tf.gradients(tf.square(rounded), x), *tf.gradients(scaled * 3.0, x)]
    return [_run(tf, rounded, scaled, *gradients), tf.gradients(scaled, w)]


def _fingerprint(tf: Any) -> Any:
    found = [tf.fingerprint(["a", "bc"]), tf.fingerprint(tf.constant([[1, 2], [3, 4]]), "farmhash64", name="own")]
    return [_run(tf, *found), nodes(tf)]


def _logger(tf: Any) -> Any:
    import logging

    logger = tf.get_logger()
    return [logger.name, isinstance(logger, logging.Logger), logger is logging.getLogger("tensorflow")]


def _no_writer(tf: Any) -> Any:
    tf.summary.initialize()


PROGRAMS: dict[str, Program] = {
    "transposed convolutions": _transposed,
    "transposed without a shape": lambda tf: tf.nn.conv_transpose(tf.zeros([1, 2, 2]), tf.zeros([2, 2, 2]), 3, 1),
    "transposed along four": lambda tf: tf.nn.conv_transpose(tf.zeros([1, 2, 2]), tf.zeros([2, 2, 2]), [1] * 6, 1),
    "average losses": _average,
    "average of a scalar": lambda tf: tf.nn.compute_average_loss(tf.constant(1.0, name="c")),
    "checks of shapes": _shape_checks,
    "a wrong size": _wrong_size,
    "a wrong explicit size": _wrong_explicit_size,
    "a wrong rank": _wrong_rank,
    "a wrong place": _wrong_place,
    "no shape": _no_shape,
    "updates of batches": _batch_update,
    "unknown indices": _unknown_indices,
    "recomputed gradients": _in_scope(_recomputed),
    "passed gradients": _in_scope(_passed),
    "fingerprints": _fingerprint,
    "the logger": _logger,
    "no summary writer": _no_writer,
    "summary operations": lambda tf: tf.summary.all_v2_summary_ops(),
}
