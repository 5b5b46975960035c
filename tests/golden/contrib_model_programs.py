"""Programs of loss scales, constrained optimization, kernel methods and sampled losses, for TensorFlow and ferroflow.

A program builds in the default graph, runs in the session it is given, and returns values as nested lists.
"""

import importlib
import tempfile

import numpy as np

FACTORS = (1.0, 2.0, np.inf, 1.0, 1.0, 1.0, 1.0, np.nan, 1.0, np.inf, 2.0, 3.0, 1.0, 1.0)
TABLE = np.sin(np.arange(40, dtype=np.float32)).reshape(10, 4)
BIASES = np.cos(np.arange(10, dtype=np.float32))
ROWS = np.cos(np.arange(12, dtype=np.float32) * 1.3).reshape(3, 4)


def _listed(values):
    return [np.asarray(value).tolist() for value in values]


def _trained(tf, session, optimizer, scale, loss_of):
    """Returns the variable, the step and the scale after steps whose gradients are not always finite."""
    weights = tf.get_variable("w", initializer=np.array([[1, 2], [3, 4]], np.float32))
    factor = tf.placeholder(tf.float32, [])
    step = tf.train.get_or_create_global_step()
    train = optimizer.minimize(loss_of(weights) * factor, global_step=step)
    session.run(tf.global_variables_initializer())
    found = []
    for value in FACTORS:
        session.run(train, {factor: value})
        found += _listed(session.run([weights, step, scale()]))
    return found


def _scaled(scale, optimizer="MomentumOptimizer", sparse=False, **arguments):
    def program(tf, session):
        inner = getattr(tf.train, optimizer)(0.01, **arguments)
        made = tf.train.experimental.DynamicLossScale(*scale) if isinstance(scale, tuple) else scale
        outer = tf.train.experimental.MixedPrecisionLossScaleOptimizer(inner, made)
        return _trained(
            tf, session, outer, outer._loss_scale, lambda w: tf.reduce_sum(tf.gather(w, [0, 0]) if sparse else w)
        )

    return program


def _scaled_keras(scale, optimizer, sparse=False, **arguments):
    def program(tf, session):
        made = tf.train.experimental.DynamicLossScale(*scale) if isinstance(scale, tuple) else scale
        inner = getattr(tf.keras.optimizers, optimizer)(0.01, **arguments)
        outer = tf.keras.mixed_precision.experimental.LossScaleOptimizer(inner, made)
        weights = tf.get_variable("w", initializer=np.array([[1, 2], [3, 4]], np.float32), use_resource=True)
        factor = tf.placeholder(tf.float32, [])
        train = outer.minimize(
            lambda: tf.reduce_sum(tf.gather(weights, [0, 0]) if sparse else weights) * factor, [weights]
        )
        session.run(tf.global_variables_initializer())
        found = [outer.get_slot_names()]
        for value in FACTORS:
            session.run(train, {factor: value})
            found += _listed(session.run([weights, outer.iterations, outer.loss_scale()]))
        return found

    return program


def _managed(manager, *arguments):
    def program(tf, session):
        mixed = tf.contrib.mixed_precision
        made = getattr(mixed, manager)(*arguments)
        outer = mixed.LossScaleOptimizer(tf.train.MomentumOptimizer(0.01, 0.9), made)

        def loss_of(weights):
            return tf.reduce_sum(tf.cast(tf.cast(weights, tf.float16) * 2, tf.float32))

        return _trained(tf, session, outer, made.get_loss_scale, loss_of)

    return program


def rewrite(tf, session):
    experimental = tf.train.experimental
    optimizer = experimental.enable_mixed_precision_graph_rewrite(tf.train.AdamOptimizer(0.1))
    found = [type(optimizer).__name__, repr(optimizer._loss_scale), optimizer.get_name()]
    experimental.disable_mixed_precision_graph_rewrite()
    found += [repr(experimental.FixedLossScale(3)), str(experimental.DynamicLossScale(1, 2, 3).get_config())]
    optimizer.minimize(tf.get_variable("w", initializer=1.0) * 2)
    checkpoint = tf.train.Checkpoint(optimizer=optimizer)
    session.run(tf.global_variables_initializer())
    session.run(checkpoint.save_counter.initializer)
    with tempfile.TemporaryDirectory() as folder:
        path = checkpoint.save(f"{folder}/model", session=session)
        found.append(sorted(name for name, _ in tf.train.list_variables(path)))
    return found


def _ranked(parts, strategy, temperature):
    def program(tf, session):
        pieces = [TABLE[i::parts] if strategy == "mod" else np.array_split(TABLE, parts)[i] for i in range(parts)]
        weights = [tf.constant(piece) for piece in pieces]
        drawn = (
            tf.constant([0, 4, 1, 8, 6], tf.int64),
            tf.constant([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]),
            tf.constant([0.9, 0.8, 0.7, 0.6, 0.5]),
        )
        labels = tf.constant([[1, 2], [3, 3], [9, 0]], tf.int64)
        loss = tf.contrib.nn.rank_sampled_softmax_loss(
            weights, tf.constant(BIASES), labels, tf.constant(ROWS), 5, 3, 10, 2, drawn, temperature, True, strategy
        )
        slopes = [tf.convert_to_tensor(slope) for slope in tf.gradients(loss, weights)]
        return _listed(session.run([loss, *slopes]))

    return program


def sparse_labels(tf, session):
    counts = tf.constant([[0.1], [0.3], [0.5]]), tf.constant([0.9, 0.8, 0.7, 0.6, 0.5])
    drawn = (tf.constant([0, 4, 1, 8, 6], tf.int64), *counts)
    labels = tf.constant([[1], [3], [0]], tf.int64)
    loss = tf.contrib.nn.sampled_sparse_softmax_loss(
        tf.constant(TABLE), tf.constant(BIASES), labels, tf.constant(ROWS), 5, 10, drawn
    )
    return _listed([session.run(loss)])


def _constrained(optimizer, inner, of_state=None, proxies=False, counted=True, first=None, prepared=False, **arguments):
    def program(tf, session):
        constrained = tf.contrib.constrained_optimization
        step = tf.train.get_or_create_global_step()
        variable = tf.get_variable("x", initializer=np.array([1.0, -2.0, 0.5], np.float32), use_resource=True)
        # One read: in TensorFlow, several could see different values in a step.
        x = tf.identity(variable.read_value())
        preparations = tf.Variable(0, name="preparations", trainable=False)
        constraints_of_x = tf.stack([[1 - x[0], x[1] + 1.0], [1 - x[2] * x[0], 0.2 - x[2]]])

        class Problem(constrained.ConstrainedMinimizationProblem):
            objective = tf.reduce_sum(tf.square(x))
            constraints = constraints_of_x
            proxy_constraints = constraints_of_x * 2 if proxies else None
            pre_train_ops = [tf.assign_add(preparations, 1)] if prepared else None

        def rule(name):
            return name and getattr(tf.train, name)(0.1)

        made = getattr(constrained, optimizer)(rule(inner), rule(of_state), **arguments)
        train = made.minimize(Problem(), unconstrained_steps=first, global_step=step if counted else None)
        session.run(tf.global_variables_initializer())
        state = [v for v in tf.global_variables() if v.op.name.endswith("regret_optimizer_state")]
        found = [[v.op.name for v in tf.global_variables()]]
        for number in range(1, 13):
            session.run(train)
            if number % 4 == 0:
                found += _listed(session.run([variable, step, preparations, *state]))
        return found

    return program


def kernels(tf, session):
    methods = tf.contrib.kernel_methods
    mapper = methods.RandomFourierFeatureMapper(4, 6, 2.0, seed=5)
    hinge = methods.sparse_multiclass_hinge_loss
    logits, labels = tf.constant(ROWS), tf.constant([[1], [3], [0]])
    weights = tf.constant([[1.0], [0.0], [2.0]])
    fetched = [
        mapper.map(tf.constant(ROWS)),
        hinge(labels, logits),
        hinge(tf.constant([1, 2, 3], tf.int64), tf.cast(logits, tf.float64), weights, "scope", reduction="none"),
        hinge(labels, logits, 2.0, reduction="weighted_sum"),
    ]
    return [*_listed(session.run([*fetched, *tf.get_collection("losses")])), [loss.name for loss in fetched]]


def forward(tf, session):
    path = f"{tf.__name__.partition('.')[0]}.contrib.nn.python.ops.fwd_gradients"
    fwd_gradients = importlib.import_module(path).fwd_gradients
    x, y, unused = tf.constant(ROWS), tf.constant(ROWS[:, :1] * 2), tf.constant(1.0)
    values = [tf.square(x) * y, tf.gather(tf.exp(y), [0, 2, 2])]
    direction = [tf.constant(TABLE[:3]), tf.constant(TABLE[:3, 1:2]), tf.constant(4.0)]
    found = fwd_gradients(values, [x, y, unused], direction)
    with_ones = fwd_gradients(values[:1], [x])
    names = [one.name for one in [*found, *with_ones]]
    return [*_listed(session.run([*found, *with_ones])), names]


PROGRAMS = {
    "forward": forward,
    "dynamic scale": _scaled((4.0, 2, 3.0), momentum=0.9),
    "dynamic scale of sparse gradients": _scaled((4.0, 2, 3.0), "AdamOptimizer", sparse=True),
    "default scale": _scaled("dynamic", "GradientDescentOptimizer"),
    "fixed scale": _scaled(7, momentum=0.9),
    "dynamic scale of Keras's optimizer": _scaled_keras((4.0, 2, 3.0), "SGD", momentum=0.9),
    "fixed scale of Keras's optimizer": _scaled_keras(7, "Adam"),
    "exponential manager": _managed("ExponentialUpdateLossScaleManager", 8, 3),
    "exponential manager at its bounds": _managed("ExponentialUpdateLossScaleManager", 1.1, 1, 1, 1e30, 0.1),
    "fixed manager": _managed("FixedLossScaleManager", 5),
    "rewrite": rewrite,
    "ranked in one part": _ranked(1, "mod", 1.0),
    "ranked in three parts": _ranked(3, "mod", 0.3),
    "ranked in consecutive parts": _ranked(2, "div", 2.0),
    "sparse labels": sparse_labels,
    # With one optimizer for both, TensorFlow may update the multipliers before it reads them.
    "multipliers": _constrained(
        "AdditiveExternalRegretOptimizer", "GradientDescentOptimizer", "GradientDescentOptimizer"
    ),
    "bounded multipliers": _constrained(
        "AdditiveExternalRegretOptimizer",
        "GradientDescentOptimizer",
        "AdagradOptimizer",
        proxies=True,
        counted=False,
        maximum_multiplier_radius=0.2,
    ),
    "matrix": _constrained(
        "AdditiveSwapRegretOptimizer", "GradientDescentOptimizer", "AdagradOptimizer", prepared=True
    ),
    "matrix after five steps": _constrained("AdditiveSwapRegretOptimizer", "AdagradOptimizer", proxies=True, first=5),
    "logarithms": _constrained("MultiplicativeSwapRegretOptimizer", "GradientDescentOptimizer", counted=False),
    "wide logarithms": _constrained(
        "MultiplicativeSwapRegretOptimizer",
        "AdagradOptimizer",
        "GradientDescentOptimizer",
        proxies=True,
        minimum_multiplier_radius=0.01,
        initial_multiplier_radius=0.2,
    ),
    "kernels": kernels,
}


def run(tf, program):
    """Returns the values of a program, and the names of its variables."""
    with tf.Graph().as_default(), tf.Session() as session:
        values = program(tf, session)
        return {"values": values, "variables": [variable.op.name for variable in tf.global_variables()]}
