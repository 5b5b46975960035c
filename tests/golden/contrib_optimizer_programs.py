"""Twenty steps of optimizers of `tf.contrib.opt` along fixed gradients: the variable on its way, and its slots."""

from typing import Any

from golden.optimizer_programs import ROWS, SHOWN, START, STEPS, gradient_of_step

# By name: the class, its arguments, and the class of the optimizer inside.
OPTIMIZERS: "dict[str, tuple[str, dict[str, Any], str | None]]" = {
    "ggt": ("GGTOptimizer", {"learning_rate": 0.05, "window": 4}, None),
    "shampoo": ("ShampooOptimizer", {"learning_rate": 0.1}, None),
    "shampoo diagonal": ("ShampooOptimizer", {"learning_rate": 0.1, "max_matrix_size": 3}, None),
    "shampoo rare": (
        "ShampooOptimizer",
        {"learning_rate": 0.1, "svd_interval": 3, "precond_update_interval": 2, "gbar_decay": 0.5},
        None,
    ),
    "shampoo iterated": ("ShampooOptimizer", {"learning_rate": 0.1, "use_iterative_root": True}, None),
    "lars": ("LARSOptimizer", {"learning_rate": 1.0, "eeta": 0.1, "weight_decay": 0.01}, None),
    "lars skipped": ("LARSOptimizer", {"learning_rate": 0.1, "skip_list": ["w"], "use_nesterov": True}, None),
    "adam": ("AdamGSOptimizer", {"learning_rate": 0.05}, None),
    "lazy adam": ("LazyAdamGSOptimizer", {"learning_rate": 0.05, "beta1": 0.5}, None),
    "adagrad": ("RegAdagradOptimizer", {"learning_rate": 0.3}, None),
    "fresh": ("DropStaleGradientOptimizer", {"staleness": 0}, "AdamOptimizer"),
    "tasks": ("MultitaskOptimizerWrapper", {}, "AdamOptimizer"),
    "clipped": ("VariableClippingOptimizer", {"max_norm": 0.9}, "GradientDescentOptimizer"),
}
CASES = [f"{name}/{kind}" for name in OPTIMIZERS for kind in ("dense", "sparse") if (name, kind) != ("ggt", "sparse")]
# Steps whose gradients are all zero.
_STILL = (3, 4)


def describe(tf: Any, case: str) -> "dict[str, Any]":
    """The variable at the steps `SHOWN`, the slots in the end, the names of all variables."""
    name, kind = case.split("/")
    class_name, arguments, inner = OPTIMIZERS[name]
    with tf.Graph().as_default():
        variable = tf.Variable(START, name="w")
        step = tf.train.create_global_step()
        values = tf.placeholder(tf.float32, [None, START.shape[1]], name="values")
        indices = tf.placeholder(tf.int32, [None], name="indices")
        rows = tf.gather(variable, indices) if kind == "sparse" else variable
        if inner is not None:
            arguments = {"opt": getattr(tf.train, inner)(0.05), **arguments}
        if class_name == "VariableClippingOptimizer":
            arguments = {**arguments, "vars_to_clip_dims": {variable: [1]}}
        if "GS" in class_name:
            arguments = {**arguments, "global_step": step}
        optimizer = getattr(tf.contrib.opt, class_name)(**arguments)
        pairs = optimizer.compute_gradients(tf.reduce_sum(rows * values), [variable])
        train = optimizer.apply_gradients(pairs, global_step=step)
        slots = {slot: optimizer.get_slot(variable, slot) for slot in optimizer.get_slot_names()}
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            path = []
            for number in range(STEPS):
                gradient = gradient_of_step(number, kind) * (number not in _STILL)
                session.run(train, {values: gradient, indices: ROWS[number]})
                if number + 1 in SHOWN:
                    path.append(session.run(variable).tolist())
            return {
                "path": path,
                "slots": {slot: [v.op.name, session.run(v).tolist()] for slot, v in slots.items()},
                "variables": [v.op.name for v in tf.global_variables()],
            }
