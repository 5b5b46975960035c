"""Steps of Keras's optimizers on variables behind handles: values, names of variables and nodes, configurations."""

from __future__ import annotations

from typing import Any

import numpy as np
from golden.recent_runs import Program

OPTIMIZERS: dict[str, tuple[str, dict[str, Any]]] = {
    "sgd": ("SGD", {}),
    "momentum": ("SGD", {"learning_rate": 0.1, "momentum": 0.9}),
    "nesterov": ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True, "decay": 0.1}),
    "rmsprop": ("RMSprop", {"learning_rate": 0.1}),
    "rmsprop centered": ("RMSprop", {"learning_rate": 0.1, "centered": True}),
    "rmsprop momentum": ("RMSprop", {"learning_rate": 0.1, "momentum": 0.5}),
    "rmsprop all": ("RMSprop", {"learning_rate": 0.1, "momentum": 0.5, "centered": True, "rho": 0.8}),
    "adagrad": ("Adagrad", {"learning_rate": 0.1}),
    "adadelta": ("Adadelta", {"learning_rate": 1.0}),
    "adam": ("Adam", {"learning_rate": 0.1}),
    "adam decay": ("Adam", {"lr": 0.1, "decay": 0.5, "beta_1": 0.5, "name": "own"}),
    "amsgrad": ("Adam", {"learning_rate": 0.1, "amsgrad": True}),
    "adamax": ("Adamax", {"learning_rate": 0.1}),
    "nadam": ("Nadam", {"learning_rate": 0.1}),
    "ftrl": ("Ftrl", {"learning_rate": 0.1, "l1_regularization_strength": 0.01}),
    "ftrl shrinkage": ("Ftrl", {"learning_rate": 0.1, "l2_shrinkage_regularization_strength": 0.1}),
    "clipped norm": ("SGD", {"learning_rate": 0.1, "clipnorm": 0.5}),
    "clipped value": ("SGD", {"learning_rate": 0.1, "clipvalue": 0.3}),
}


def _variables(tf: Any) -> list[Any]:
    return [
        tf.Variable(np.arange(6.0, dtype=np.float32).reshape(3, 2), name="table", use_resource=True),
        tf.Variable([1.0, -2.0], name="bias", use_resource=True),
    ]


def _loss(tf: Any, variables: list[Any], rows: bool) -> Any:
    table, bias = variables
    if rows:
        taken = tf.gather(table, [2, 0, 2])
        return tf.reduce_sum(tf.square(taken) * [[0.1], [0.2], [0.3]]) + tf.reduce_sum(tf.square(bias))
    return tf.reduce_sum(tf.square(table)) * 0.1 + tf.reduce_sum(tf.square(bias + tf.reduce_mean(table)))


def _optimizer(tf: Any, name: str) -> Any:
    kind, arguments = OPTIMIZERS[name]
    return getattr(tf.keras.optimizers, kind)(**arguments)


def _plain_config(config: dict[str, Any]) -> dict[str, Any]:
    return {key: float(v) if isinstance(v, np.floating) else v for key, v in config.items()}


def _steps(tf: Any, name: str, rows: bool) -> Any:
    optimizer, variables = _optimizer(tf, name), _variables(tf)
    before = _plain_config(optimizer.get_config())
    step = optimizer.get_updates(_loss(tf, variables, rows), variables)
    sess = tf.keras.backend.get_session()
    sess.run(tf.global_variables_initializer())
    values = []
    for _ in range(3):
        sess.run(step)
        values.append(sess.run([*variables, *optimizer.weights]))
    return {
        "values": values,
        "weights": [w.name for w in optimizer.weights],
        "slots": optimizer.get_slot_names(),
        "step": [op.name for op in step],
        "variables": sorted(v.name for v in tf.global_variables()),
        "trainable": [v.name for v in tf.trainable_variables()],
        "before": before,
        "after": _plain_config(optimizer.get_config()),
    }


def _nodes(tf: Any, name: str) -> Any:
    """Names of the operations that a step adds behind the gradients."""
    optimizer, variables = _optimizer(tf, name), _variables(tf)
    optimizer.apply_gradients([(tf.ones([3, 2]), variables[0]), (tf.ones([2]), variables[1])])
    scope = optimizer.get_config()["name"]
    skipped = ("Initializ", "Assign", "Read")
    found = [op for op in tf.get_default_graph().get_operations() if op.name.startswith(scope)]
    return sorted(op.name for op in found if not any(part in op.name[len(scope) :] for part in skipped))


def _minimize(tf: Any) -> Any:
    optimizer, variables = tf.keras.optimizers.Adam(0.1), _variables(tf)
    step = optimizer.minimize(lambda: _loss(tf, variables, False), lambda: variables, name="down")
    sess = tf.keras.backend.get_session()
    sess.run(tf.global_variables_initializer())
    sess.run(step)
    return [step.name, sess.run(variables), sess.run(optimizer.iterations), [v.name for v in optimizer.variables()]]


def _no_gradients(tf: Any) -> Any:
    tf.keras.optimizers.SGD().minimize(lambda: tf.constant(1.0), _variables(tf))


def _tensor_loss(tf: Any) -> Any:
    tf.keras.optimizers.SGD().minimize(tf.constant(1.0), _variables(tf))


def _changed_rate(tf: Any) -> Any:
    optimizer, (table, _) = tf.keras.optimizers.SGD(0.5), _variables(tf)
    step = optimizer.apply_gradients([(tf.ones([3, 2]), table)])
    sess = tf.keras.backend.get_session()
    sess.run(tf.global_variables_initializer())
    optimizer.lr = 0.25
    found = [float(tf.keras.backend.get_value(optimizer.learning_rate))]
    sess.run(step)
    tf.keras.backend.set_value(optimizer.lr, 2.0)
    sess.run(step)
    return [*found, sess.run(table), float(optimizer.get_config()["learning_rate"])]


def _schedule(tf: Any) -> Any:
    schedule = tf.keras.optimizers.schedules.InverseTimeDecay(0.5, 1, 1.0)
    optimizer, (table, _) = tf.keras.optimizers.SGD(schedule), _variables(tf)
    step = optimizer.apply_gradients([(tf.ones([3, 2]), table)])
    sess = tf.keras.backend.get_session()
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        sess.run(step)
    again = tf.keras.optimizers.SGD.from_config(optimizer.get_config())
    return [sess.run(table), sorted(optimizer.get_config()), type(again.lr).__name__]


def _weights(tf: Any) -> Any:
    optimizer, variables = tf.keras.optimizers.Adam(), _variables(tf)
    optimizer.apply_gradients([(tf.ones([3, 2]), variables[0])])
    optimizer.set_weights([np.array(7), np.ones((3, 2)), np.full((3, 2), 2.0)])
    found = [optimizer.get_weights()]
    for weights in ([np.array(7)], [np.array(7), np.ones(3), np.ones(3)]):
        try:
            optimizer.set_weights(weights)
        except ValueError as failure:
            found.append(str(failure))
    return found


def _constrained(tf: Any) -> Any:
    variable = tf.Variable([1.0, -2.0], constraint=lambda v: tf.nn.relu(v), use_resource=True)
    step = tf.keras.optimizers.SGD(0.1).apply_gradients([(tf.ones([2]), variable)])
    sess = tf.keras.backend.get_session()
    sess.run(tf.global_variables_initializer())
    sess.run(step)
    return sess.run(variable)


def _slots(tf: Any) -> Any:
    class Lagging(tf.keras.optimizers.Optimizer):
        """Descends along the gradient of the last step."""

        def __init__(self, learning_rate: float, **kwargs: Any) -> None:
            super().__init__("Lagging", **kwargs)
            self._set_hyper("learning_rate", learning_rate)

        def _create_slots(self, var_list: Any) -> None:
            for var in var_list:
                self.add_slot(var, "last", "ones")

        def _resource_apply_dense(self, grad: Any, var: Any, apply_state: Any = None) -> Any:
            rate = apply_state[var.device, var.dtype.base_dtype]["lr_t"]
            last = self.get_slot(var, "last")
            with tf.control_dependencies([var.assign_sub(rate * last)]):
                return last.assign(grad)

        def get_config(self) -> Any:
            config = super().get_config()
            config["learning_rate"] = self._serialize_hyperparameter("learning_rate")
            return config

    optimizer, (_, bias) = Lagging(0.5), _variables(tf)
    step = optimizer.apply_gradients([(tf.constant([4.0, 5.0]), bias)])
    sess = tf.keras.backend.get_session()
    sess.run(tf.global_variables_initializer())
    sess.run(step)
    return [sess.run(bias), sess.run(optimizer.get_slot(bias, "last")), [w.name for w in optimizer.weights]]


def _missing_slot(tf: Any) -> Any:
    tf.keras.optimizers.Adam().get_slot(_variables(tf)[0], "m")


def _made(tf: Any) -> Any:
    optimizers = tf.keras.optimizers
    config = {"class_name": "Ftrl", "config": {"learning_rate": 0.5, "name": "Ftrl"}}
    found = [optimizers.deserialize(config), optimizers.get("adagrad"), optimizers.get("Nadam"), optimizers.get("ftrl")]
    found.append(optimizers.Adagrad.from_config({"lr": 0.5}))
    return [[type(o).__name__, {k: v for k, v in o.get_config().items()}] for o in found]


PROGRAMS: dict[str, Program] = {
    **{f"steps of {name}": (lambda tf, name=name: _steps(tf, name, False)) for name in OPTIMIZERS},
    **{f"rows of {name}": (lambda tf, name=name: _steps(tf, name, True)) for name in OPTIMIZERS if "clip" not in name},
    **{f"operations of {name}": (lambda tf, name=name: _nodes(tf, name)) for name in ("sgd", "momentum", "adam")},
    "minimize": _minimize,
    "minimize without gradients": _no_gradients,
    "minimize a tensor": _tensor_loss,
    "a changed rate": _changed_rate,
    "a schedule": _schedule,
    "weights": _weights,
    "a constraint": _constrained,
    "an optimizer with slots": _slots,
    "a missing slot": _missing_slot,
    "optimizers by name": _made,
    "a negative decay": lambda tf: tf.keras.optimizers.SGD(decay=-1.0),
    "a wrong momentum": lambda tf: tf.keras.optimizers.SGD(momentum=1.5),
    "a wrong argument": lambda tf: tf.keras.optimizers.Adam(rate=1.0),
    "a negative accumulator": lambda tf: tf.keras.optimizers.Adagrad(initial_accumulator_value=-1.0),
    "a positive power": lambda tf: tf.keras.optimizers.Ftrl(learning_rate_power=1.0),
}
