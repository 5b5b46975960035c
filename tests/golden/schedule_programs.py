"""Learning rates at chosen steps, and moving averages along a run."""

from __future__ import annotations

from typing import Any

import numpy as np

STEPS = (0, 1, 3, 5, 9, 10, 11, 14, 20, 35, 50, 101)

SCHEDULES: dict[str, tuple[str, tuple[Any, ...], dict[str, Any]]] = {
    "exponential": ("exponential_decay", (0.1, "step", 10, 0.96), {}),
    "exponential_staircase": ("exponential_decay", (0.1, "step", 10, 0.5), {"staircase": True}),
    # TensorFlow 2 computes these two by another function, of another name.
    "natural": ("natural_exp_decay", (0.1, "step", 10, 0.5), {"name": "natural"}),
    "natural_staircase": ("natural_exp_decay", (0.1, "step", 10, 0.5), {"staircase": True, "name": "natural"}),
    "inverse": ("inverse_time_decay", (0.1, "step", 10, 0.5), {}),
    "inverse_staircase": ("inverse_time_decay", (0.1, "step", 10, 0.5), {"staircase": True, "name": "given"}),
    "polynomial": ("polynomial_decay", (0.1, "step", 10), {}),
    "polynomial_root": ("polynomial_decay", (0.1, "step", 30), {"end_learning_rate": 0.01, "power": 0.5}),
    "polynomial_cycle": ("polynomial_decay", (0.1, "step", 10), {"end_learning_rate": 0.01, "cycle": True}),
    "piecewise": ("piecewise_constant", ("step", [5, 10, 20], [1.0, 0.5, 0.25, 0.125]), {}),
    "cosine": ("cosine_decay", (0.1, "step", 20), {}),
    "cosine_alpha": ("cosine_decay", (0.1, "step", 20), {"alpha": 0.3}),
    "restarts": ("cosine_decay_restarts", (0.1, "step", 7), {}),
    "restarts_even": ("cosine_decay_restarts", (0.1, "step", 7), {"t_mul": 1.0, "m_mul": 0.9, "alpha": 0.1}),
    "linear_cosine": ("linear_cosine_decay", (0.1, "step", 20), {}),
    "linear_cosine_periods": (
        "linear_cosine_decay",
        (0.1, "step", 20),
        {"num_periods": 2.5, "alpha": 0.2, "beta": 0.01},
    ),
}
AVERAGES: dict[str, dict[str, Any]] = {
    "average": {"decay": 0.75},
    "average_updates": {"decay": 0.75, "num_updates": 3},
    "average_unbiased": {"decay": 0.75, "zero_debias": True},
    "average_named": {"decay": 0.5, "name": "shadow"},
}

CASES = [*SCHEDULES, *AVERAGES]


def _schedule(tf: Any, case: str) -> dict[str, Any]:
    function, arguments, more = SCHEDULES[case]
    with tf.Graph().as_default():
        step = tf.placeholder(tf.int64, [], name="step")
        given = [step if argument == "step" else argument for argument in arguments]
        rate = getattr(tf.train, function)(*given, **more)
        with tf.Session() as session:
            return {"values": [float(session.run(rate, {step: s})) for s in STEPS], "name": rate.name}


def _average(tf: Any, case: str) -> dict[str, Any]:
    with tf.Graph().as_default():
        v = tf.Variable([1.0, -2.0], name="v")
        w = tf.Variable(np.array([[4.0]]), name="w")
        total = tf.add(v, 1.0, name="total")
        change = v.assign_add([0.5, 0.25])
        averages = tf.train.ExponentialMovingAverage(**AVERAGES[case])
        before = averages.average_name(v)
        update = averages.apply([v, w, total])
        path = []
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(5):
                session.run(change)
                session.run(update)
                path += [session.run(averages.average(of)).ravel().tolist() for of in (v, w, total)]
        return {
            "values": [value for values in path for value in values],
            "name": update.name,
            "before": before,
            "averages": [averages.average_name(of) for of in (v, w, total)],
            "variables": [x.op.name for x in tf.global_variables()],
            "collection": [x.op.name for x in tf.moving_average_variables()],
            "restored": {name: x.op.name for name, x in sorted(averages.variables_to_restore().items())},
        }


def describe(tf: Any, case: str) -> dict[str, Any]:
    """A schedule's rates at `STEPS`, or averages after each of five updates, with the names made."""
    return _schedule(tf, case) if case in SCHEDULES else _average(tf, case)
