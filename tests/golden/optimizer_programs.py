"""Twenty steps of each optimizer along fixed gradients: the variable on its way, its slots, the names made."""

from __future__ import annotations

from typing import Any

import numpy as np

STEPS = 20
SHOWN = (1, 2, 7, STEPS)
START = np.array([[1.0, -2.0, 0.5], [0.0, 3.0, -0.25], [0.1, 0.2, -0.7], [-1.5, 0.75, 2.0]], np.float32)

# The rows that each step of a sparse gradient names, one of them twice; row 1 is not named before step 10.
ROWS = [[0, 3, 0] if step < 10 else [2, 1, 2] for step in range(STEPS)]

OPTIMIZERS: dict[str, dict[str, tuple[str, dict[str, Any]]]] = {
    "train": {
        "descent": ("GradientDescentOptimizer", {"learning_rate": 0.1}),
        "momentum": ("MomentumOptimizer", {"learning_rate": 0.1, "momentum": 0.9}),
        "nesterov": ("MomentumOptimizer", {"learning_rate": 0.1, "momentum": 0.9, "use_nesterov": True}),
        "adam": ("AdamOptimizer", {"learning_rate": 0.05}),
        "adam_slow": ("AdamOptimizer", {"learning_rate": 0.05, "beta1": 0.5, "beta2": 0.9, "epsilon": 0.1}),
        "rms_prop": ("RMSPropOptimizer", {"learning_rate": 0.02}),
        "rms_prop_momentum": (
            "RMSPropOptimizer",
            {"learning_rate": 0.02, "decay": 0.8, "momentum": 0.5, "epsilon": 1e-3},
        ),
        "rms_prop_centered": (
            "RMSPropOptimizer",
            {"learning_rate": 0.02, "decay": 0.8, "momentum": 0.5, "epsilon": 1e-3, "centered": True},
        ),
        "adagrad": ("AdagradOptimizer", {"learning_rate": 0.3}),
        "adagrad_late": ("AdagradOptimizer", {"learning_rate": 0.3, "initial_accumulator_value": 2.0}),
        "adagrad_da": ("AdagradDAOptimizer", {"learning_rate": 0.3}),
        "adagrad_da_regularized": (
            "AdagradDAOptimizer",
            {
                "learning_rate": 0.3,
                "initial_gradient_squared_accumulator_value": 0.5,
                "l1_regularization_strength": 0.02,
                "l2_regularization_strength": 0.1,
            },
        ),
        "adadelta": ("AdadeltaOptimizer", {"learning_rate": 1.0, "rho": 0.9, "epsilon": 1e-3}),
        "ftrl": ("FtrlOptimizer", {"learning_rate": 0.3}),
        "ftrl_regularized": (
            "FtrlOptimizer",
            {"learning_rate": 0.3, "l1_regularization_strength": 0.4, "l2_regularization_strength": 0.2},
        ),
        "ftrl_power": ("FtrlOptimizer", {"learning_rate": 0.3, "learning_rate_power": -0.7}),
        "ftrl_shrinkage": (
            "FtrlOptimizer",
            {
                "learning_rate": 0.3,
                "l1_regularization_strength": 0.1,
                "l2_regularization_strength": 0.2,
                "l2_shrinkage_regularization_strength": 0.05,
            },
        ),
        "proximal_descent": (
            "ProximalGradientDescentOptimizer",
            {"learning_rate": 0.1, "l1_regularization_strength": 0.3, "l2_regularization_strength": 0.2},
        ),
        "proximal_adagrad": (
            "ProximalAdagradOptimizer",
            {"learning_rate": 0.3, "l1_regularization_strength": 0.1, "l2_regularization_strength": 0.2},
        ),
    }
}

CASES = [f"{name}/{kind}" for name in OPTIMIZERS["train"] for kind in ("dense", "sparse")]


def gradient_of_step(step: int, kind: str) -> np.ndarray[Any, Any]:
    """The gradient of a step: of all rows, or of those in `ROWS`; two of its elements are always zero."""
    generator = np.random.RandomState(100 + step)
    rows = len(START) if kind == "dense" else len(ROWS[step])
    gradient = generator.uniform(-1.0, 1.5, (rows, START.shape[1])).astype(np.float32)
    gradient[:2, 1] = 0.0
    return gradient


def describe(tf: Any, case: str) -> dict[str, Any]:
    """The variable at the steps `SHOWN`, the slots in the end, the names of all variables and of the updates."""
    name, kind = case.split("/")
    class_name, arguments = OPTIMIZERS["train"][name]
    with tf.Graph().as_default() as graph:
        variable = tf.Variable(START, name="w")
        values = tf.placeholder(tf.float32, [None, START.shape[1]], name="values")
        indices = tf.placeholder(tf.int32, [None], name="indices")
        gradient = values if kind == "dense" else tf.IndexedSlices(values, indices)
        counter = None
        if class_name == "AdagradDAOptimizer":
            counter = tf.train.create_global_step()
            arguments = {**arguments, "global_step": counter}
        optimizer = getattr(tf.train, class_name)(**arguments)
        train = optimizer.apply_gradients([(gradient, variable)], global_step=counter)
        slots = {slot: optimizer.get_slot(variable, slot) for slot in optimizer.get_slot_names()}
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            path = []
            for step in range(STEPS):
                session.run(train, {values: gradient_of_step(step, kind), indices: ROWS[step]})
                if step + 1 in SHOWN:
                    path.append(session.run(variable).tolist())
            return {
                "path": path,
                "slots": {slot: [v.op.name, session.run(v).tolist()] for slot, v in slots.items()},
                "variables": [v.op.name for v in tf.global_variables()],
                "state": [v.op.name for v in optimizer.variables()],
                "train": train.name,
                "updates": sorted(op.name for op in graph.get_operations() if "Apply" in op.type),
            }
