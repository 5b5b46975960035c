"""Programs of conditionals and loops whose graphs go into files together with their contexts."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

X = [0.7, -0.4]


def _nested_loops(tf: Any, x: Any) -> Any:
    def body(i: Any, a: Any) -> Any:
        inner = tf.while_loop(lambda j, b: j < 3, lambda j, b: (j + 1, b * tf.sin(x) + a), [0, a])
        return i + 1, inner[1] * 0.5

    return tf.while_loop(lambda i, a: i < 3, body, [0, x])[1]


def _conditional_in_a_loop(tf: Any, x: Any) -> Any:
    def body(i: Any, a: Any) -> Any:
        return i + 1, tf.cond(i % 2 < 1, lambda: a * x, lambda: a + tf.exp(x))

    return tf.while_loop(lambda i, a: i < 3, body, [0, x])[1]


def _loop_in_a_conditional(tf: Any, x: Any) -> Any:
    def looped() -> Any:
        return tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x + 1.0), [0, x * 2.0])[1]

    return tf.cond(tf.reduce_sum(x) > 0.0, looped, lambda: x)


def _nested_conditionals(tf: Any, x: Any) -> Any:
    def inner() -> Any:
        return tf.cond(tf.reduce_sum(x) > 1.0, lambda: x * x, lambda: x * tf.sin(x))

    return tf.cond(tf.reduce_sum(x) > 0.0, inner, lambda: x)


def _all_of_it(tf: Any, x: Any) -> Any:
    y = x * 3.0

    def body(i: Any, a: Any) -> Any:
        def inner() -> Any:
            def step(j: Any, b: Any, c: Any) -> Any:
                return j + 1, tf.cond(j > 0, lambda: b * y, lambda: b + c), c * x

            return tf.while_loop(lambda j, b, c: j < 2, step, [0, a, y])[1]

        return i + 1, tf.cond(i < 2, inner, lambda: a * y)

    return tf.while_loop(lambda i, a: i < 3, body, [0, x], parallel_iterations=4)[1]


def _limited(tf: Any, x: Any) -> Any:
    return tf.while_loop(lambda i, a: i < 9, lambda i, a: [i + 1, a * x], [0, x], maximum_iterations=3)[1]


def _mapped(tf: Any, x: Any) -> Any:
    return tf.map_fn(lambda e: e * e * x[0], x)


PROGRAMS: dict[str, Callable[[Any, Any], Any]] = {
    "nested loops": _nested_loops,
    "conditional in a loop": _conditional_in_a_loop,
    "loop in a conditional": _loop_in_a_conditional,
    "nested conditionals": _nested_conditionals,
    "all of it": _all_of_it,
    "limited": _limited,
    "mapped": _mapped,
}


def written(tf: Any, program: str) -> dict[str, Any]:
    """The graph of a program and its contexts as a MetaGraphDef keeps them, in base 64."""

    def encoded(message: Any) -> str:
        return base64.b64encode(message.SerializeToString(deterministic=True)).decode()

    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2], name="x")
        tf.identity(PROGRAMS[program](tf, x), name="y")
        return {
            "graph": encoded(graph.as_graph_def()),
            **{
                key: [encoded(context.to_proto()) for context in graph.get_collection(key)]
                for key in (tf.GraphKeys.COND_CONTEXT, tf.GraphKeys.WHILE_CONTEXT)
            },
        }


def results(tf: Any, program: str) -> list[list[float]]:
    """[y, dy/dx] of a program at `X`."""
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2], name="x")
        y = PROGRAMS[program](tf, x)
        with tf.Session() as sess:
            return [value.tolist() for value in sess.run([y, tf.gradients(y, x)[0]], {x: X})]
