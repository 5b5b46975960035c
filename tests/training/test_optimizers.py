"""Optimizers take the steps of their rules, dense and sparse, whatever form their hyper-parameters have."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from training import reference_optimizers as reference

import ferroflow as tf
from ferroflow._src.framework.apply import apply_op

RATE = st.floats(0.001, 0.5)
SHARE = st.floats(0.0, 0.99)
STRENGTH = st.floats(0.0, 0.5)
EPSILON = st.floats(1e-6, 0.1)
FIRST = st.floats(0.01, 2.0)

RULES = {
    "GradientDescent": {"learning_rate": RATE},
    "Momentum": {"learning_rate": RATE, "momentum": SHARE, "use_nesterov": st.booleans()},
    "Adam": {"learning_rate": RATE, "beta1": SHARE, "beta2": st.floats(0.5, 0.999), "epsilon": EPSILON},
    "RMSProp": {
        "learning_rate": RATE,
        "decay": st.floats(0.1, 0.99),
        "momentum": SHARE,
        "epsilon": EPSILON,
        "centered": st.booleans(),
    },
    "Adagrad": {"learning_rate": RATE, "initial_accumulator_value": FIRST},
    "Adadelta": {"learning_rate": RATE, "rho": SHARE, "epsilon": EPSILON},
    "Ftrl": {
        "learning_rate": RATE,
        "learning_rate_power": st.sampled_from([-0.5, -0.75, -0.3]),
        "initial_accumulator_value": FIRST,
        "l1_regularization_strength": STRENGTH,
        "l2_regularization_strength": STRENGTH,
    },
    "AdagradDA": {
        "learning_rate": RATE,
        "initial_gradient_squared_accumulator_value": FIRST,
        "l1_regularization_strength": st.floats(0.0, 0.05),
        "l2_regularization_strength": STRENGTH,
    },
    "ProximalGradientDescent": {
        "learning_rate": RATE,
        "l1_regularization_strength": STRENGTH,
        "l2_regularization_strength": STRENGTH,
    },
    "ProximalAdagrad": {
        "learning_rate": RATE,
        "initial_accumulator_value": FIRST,
        "l1_regularization_strength": STRENGTH,
        "l2_regularization_strength": STRENGTH,
    },
}
_ADAM = RULES["Adam"]
RULES |= {
    "AdaMax": _ADAM,
    "AddSign": {"learning_rate": RATE, "alpha": FIRST, "beta": SHARE},
    "PowerSign": {"learning_rate": RATE, "base": FIRST, "beta": SHARE},
    "LazyAdam": _ADAM,
    "Nadam": _ADAM,
    "AdamW": {**_ADAM, "weight_decay": STRENGTH},
    "MomentumW": {**RULES["Momentum"], "weight_decay": STRENGTH},
}
SOME = {
    "GradientDescent": {"learning_rate": 0.5},
    "Momentum": {"learning_rate": 0.5, "momentum": 0.5},
    "Adam": {"learning_rate": 0.5, "beta1": 0.5, "beta2": 0.75, "epsilon": 0.125},
    "RMSProp": {"learning_rate": 0.5, "decay": 0.5, "momentum": 0.25, "epsilon": 0.125},
    "Adagrad": {"learning_rate": 0.5},
    "Adadelta": {"learning_rate": 0.5, "rho": 0.5, "epsilon": 0.125},
    "Ftrl": {
        "learning_rate": 0.5,
        "learning_rate_power": -0.5,
        "l1_regularization_strength": 0.25,
        "l2_regularization_strength": 0.125,
        "l2_shrinkage_regularization_strength": 0.0625,
    },
    "ProximalGradientDescent": {
        "learning_rate": 0.5,
        "l1_regularization_strength": 0.25,
        "l2_regularization_strength": 0.125,
    },
    "ProximalAdagrad": {
        "learning_rate": 0.5,
        "l1_regularization_strength": 0.25,
        "l2_regularization_strength": 0.125,
    },
}
SOME |= {
    "AdaMax": SOME["Adam"],
    "AddSign": {"learning_rate": 0.125, "alpha": 2.0, "beta": 0.5},
    "LazyAdam": SOME["Adam"],
    "Nadam": SOME["Adam"],
    "AdamW": {**SOME["Adam"], "weight_decay": 0.125},
    "MomentumW": {**SOME["Momentum"], "weight_decay": 0.125},
}
SLOTS = {
    "GradientDescent": {},
    "Momentum": {"momentum": "w/Momentum"},
    "Adam": {"m": "w/Adam", "v": "w/Adam_1"},
    "RMSProp": {"rms": "w/RMSProp", "momentum": "w/RMSProp_1"},
    "Adagrad": {"accumulator": "w/Adagrad"},
    "Adadelta": {"accum": "w/Adadelta", "accum_update": "w/Adadelta_1"},
    "Ftrl": {"accum": "w/Ftrl", "linear": "w/Ftrl_1"},
    "ProximalGradientDescent": {},
    "ProximalAdagrad": {"accumulator": "w/ProximalAdagrad"},
    "LazyAdam": {"m": "w/Adam", "v": "w/Adam_1"},
    "AdaMax": {"m": "w/AdaMax", "v": "w/AdaMax_1"},
    "AddSign": {"m": "w/AddSignOptimizer"},
    "AdamW": {"m": "w/AdamW", "v": "w/AdamW_1"},
    "MomentumW": {"momentum": "w/MomentumW"},
}


def optimizer(rule, **parameters):
    if rule == "AdagradDA":
        parameters["global_step"] = tf.train.get_or_create_global_step()
    name = f"{rule}Optimizer"
    return (getattr(tf.train, name, None) or getattr(tf.contrib.opt, name))(**parameters)


def initialized():
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    return session


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("rule", RULES)
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_twenty_steps_follow_the_rule(rule, sparse, data):
    parameters = data.draw(st.fixed_dictionaries(RULES[rule]))
    shape = tuple(data.draw(st.lists(st.integers(1, 5), min_size=1 if sparse else 0, max_size=3)))
    random = np.random.RandomState(data.draw(st.integers(0, 2**31)))
    start = random.normal(size=shape)
    expected = start.copy()
    law = getattr(reference, rule)(shape, **parameters)
    with tf.Graph().as_default():
        w = tf.Variable(start, name="w")
        values = tf.placeholder(tf.float64, (None, *shape[1:]) if sparse else shape)
        indices = tf.placeholder(tf.int64, [None])
        # Numbers of Python would be tensors of float32.
        exact = {n: np.float64(p) if isinstance(p, float) else p for n, p in parameters.items()}
        made = optimizer(rule, **exact)
        gradient = tf.IndexedSlices(values, indices) if sparse else values
        train = made.apply_gradients([(gradient, w)], global_step=tf.train.get_global_step())
        with initialized() as session:
            for _ in range(20):
                if sparse:
                    rows = random.randint(shape[0], size=random.randint(1, 6))
                    gradient = random.normal(size=(len(rows), *shape[1:]))
                    expected = law.sparse_step(expected, gradient, rows)
                    session.run(train, {values: gradient, indices: rows})
                else:
                    gradient = random.normal(size=shape)
                    expected = law.step(expected, gradient)
                    session.run(train, {values: gradient})
            np.testing.assert_allclose(session.run(w), expected, rtol=1e-8, atol=1e-10)
            for name, value in law.state.items():
                np.testing.assert_allclose(session.run(made.get_slot(w, name)), value, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("rule", SOME)
def test_hyper_parameters_may_be_tensors_or_functions(rule):
    def trained(form):
        with tf.Graph().as_default():
            w = tf.Variable([[1.0, -2.0], [3.0, 0.5]], name="w")
            parameters = {name: form(value) for name, value in SOME[rule].items()}
            train = optimizer(rule, **parameters).minimize(tf.reduce_sum(w * w))
            with initialized() as session:
                for _ in range(3):
                    session.run(train)
                return session.run(w)

    by_number = trained(lambda value: value)
    np.testing.assert_array_equal(trained(tf.constant), by_number)
    np.testing.assert_array_equal(trained(lambda value: lambda: value), by_number)
    np.testing.assert_array_equal(trained(lambda value: lambda: tf.constant(value)), by_number)


@pytest.mark.parametrize("rule", SLOTS)
def test_slots_have_tensorflows_names_and_are_not_trained(rule):
    with tf.Graph().as_default():
        w = tf.Variable([1.0], name="w")
        made = optimizer(rule, **SOME[rule])
        made.minimize(tf.reduce_sum(w * w))
        assert made.get_slot_names() == sorted(SLOTS[rule])
        assert {name: made.get_slot(w, name).op.name for name in made.get_slot_names()} == SLOTS[rule]
        assert made.get_slot(w, "no such slot") is None
        assert tf.trainable_variables() == [w]
        assert {v.op.name for v in made.variables()} == {v.op.name for v in tf.global_variables() if v is not w}


@pytest.mark.parametrize("rule", [rule for rule in SLOTS if SLOTS[rule]])
def test_a_slot_and_what_initializes_it_are_placed_with_the_variable(rule):
    with tf.Graph().as_default() as graph:
        w = tf.Variable([1.0], name="w")
        optimizer(rule, **SOME[rule]).minimize(tf.reduce_sum(w * w))
        made = [op for op in graph.get_operations() if op.name.startswith(tuple(SLOTS[rule].values()))]
        assert made
        assert {op.name: op.colocation_groups() for op in made} == {op.name: [b"loc:@w"] for op in made}


@pytest.mark.parametrize("rule", SOME)
@pytest.mark.parametrize("use_locking", [False, True])
def test_locking_is_an_attribute_of_the_update(rule, use_locking):
    with tf.Graph().as_default() as graph:
        w = tf.Variable([1.0], name="w")
        optimizer(rule, **SOME[rule], use_locking=use_locking).minimize(tf.reduce_sum(w * w))
        (update,) = [op for op in graph.get_operations() if op.type.startswith("Apply")]
        assert update.get_attr("use_locking") is use_locking
        scope = {"LazyAdam": "Adam", "Nadam": "Adam", "AddSign": "AddSignOptimizer"}.get(rule, rule)
        assert update.name.startswith(f"{scope}/update_w/")
        assert update.colocation_groups() == [b"loc:@w"]


@pytest.mark.parametrize("rule", SOME)
@pytest.mark.parametrize("use_locking", [False, True])
def test_locking_is_an_attribute_of_all_parts_of_a_sparse_update(rule, use_locking):
    with tf.Graph().as_default() as graph:
        w = tf.Variable([[1.0], [2.0]], name="w")
        train = optimizer(rule, **SOME[rule], use_locking=use_locking).minimize(tf.reduce_sum(tf.gather(w, [1])))
        scope = train.name
        parts = [op for op in graph.get_operations() if op.name.startswith(f"{scope}/update_w/")]
        locked = [op.get_attr("use_locking") for op in parts if "use_locking" in op.node_def.attr]
        assert locked
        assert set(locked) == {use_locking}


@pytest.mark.parametrize("rule", SOME)
@pytest.mark.parametrize("dtype", [tf.float16, tf.float32, tf.float64])
def test_every_float_dtype_is_trained(rule, dtype):
    with tf.Graph().as_default():
        w = tf.Variable(np.array([1.0, -2.0]), dtype=dtype)
        train = optimizer(rule, **SOME[rule]).minimize(tf.reduce_sum(w * w))
        with initialized() as session:
            before = session.run(w)
            session.run(train)
            after = session.run(w)
            assert after.dtype == dtype.as_numpy_dtype
            assert (np.abs(after) < np.abs(before)).all()


# The update ops: the number of their variables, and of all inputs.
_UPDATES = {
    "Adam": (3, 10),
    "AdaMax": (3, 9),
    "Momentum": (2, 5),
    "Adagrad": (2, 4),
    "RMSProp": (3, 8),
    "Adadelta": (3, 7),
}


@pytest.mark.parametrize("rule", _UPDATES)
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=10)
def test_a_step_of_float16_is_rounded_once(rule, seed):
    variables, inputs = _UPDATES[rule]
    random = np.random.RandomState(seed)
    # The gradient is the last input but for Momentum, whose last is the momentum.
    gradient = 3 if rule == "Momentum" else inputs - 1
    shapes = [[20] if i < variables or i == gradient else [] for i in range(inputs)]
    values = [np.asarray(random.uniform(0.1, 0.9, shape), np.float16) for shape in shapes]

    def updated(dtype):
        with tf.Graph().as_default():
            made = [tf.Variable(value.astype(dtype)) for value in values[:variables]]
            train = apply_op(f"Apply{rule}", [*made, *(value.astype(dtype) for value in values[variables:])])
            with initialized() as session:
                session.run(train)
                return session.run(made)

    for short, exact in zip(updated(np.float16), updated(np.float64), strict=True):
        half_a_place = np.spacing(np.abs(exact).astype(np.float16)).astype(np.float64) / 2
        assert (np.abs(short - exact) <= half_a_place + 1e-6 * np.abs(exact).max()).all()


@pytest.mark.parametrize("rule", ["Momentum", "Adam", "RMSProp", "Adagrad", "Adadelta"])
def test_a_variable_of_unknown_shape_is_trained(rule):
    with tf.Graph().as_default():
        shaped = tf.placeholder_with_default(np.array([1.0, -2.0], np.float32), None)
        w = tf.Variable(shaped, validate_shape=False, name="w")
        made = optimizer(rule, **SOME[rule])
        train = made.apply_gradients([(tf.constant([1.0, -1.0]), w)])
        with tf.Session() as session:
            session.run(w.initializer)
            session.run([v.initializer for v in made.variables()])
            session.run(train)
            assert (np.abs(session.run(w)) < [1.0, 2.0]).all()


def test_adam_moves_rows_that_a_sparse_gradient_does_not_name():
    with tf.Graph().as_default():
        w = tf.Variable([[1.0], [1.0]])
        rows = tf.placeholder(tf.int32, [1])
        train = tf.train.AdamOptimizer(0.1).apply_gradients([(tf.IndexedSlices(tf.ones([1, 1]), rows), w)])
        with initialized() as session:
            session.run(train, {rows: [0]})
            first = session.run(w)
            session.run(train, {rows: [1]})
            second = session.run(w)
    assert first[1] == 1.0
    assert second[0] < first[0]


def test_lazy_adam_leaves_rows_alone_that_a_sparse_gradient_does_not_name():
    with tf.Graph().as_default():
        w = tf.Variable([[1.0], [1.0]])
        rows = tf.placeholder(tf.int32, [1])
        made = tf.contrib.opt.LazyAdamOptimizer(0.1)
        train = made.apply_gradients([(tf.IndexedSlices(tf.ones([1, 1]), rows), w)])
        with initialized() as session:
            session.run(train, {rows: [0]})
            first, moment = session.run([w, made.get_slot(w, "m")])
            session.run(train, {rows: [1]})
            second, next_moment = session.run([w, made.get_slot(w, "m")])
    assert first[1] == 1.0
    assert second[0] == first[0]
    assert next_moment[0] == moment[0]
    assert second[1] < 1.0


@pytest.mark.parametrize("given_to", ["minimize", "apply_gradients"])
def test_only_the_chosen_variables_decay(given_to):
    with tf.Graph().as_default():
        a, b = tf.Variable(1.0), tf.Variable(1.0)
        made = tf.contrib.opt.MomentumWOptimizer(0.25, 0.5, 0.0)
        loss = a + b
        if given_to == "minimize":
            train = made.minimize(loss, decay_var_list=[a])
        else:
            train = made.apply_gradients(made.compute_gradients(loss), decay_var_list=[a])
        with initialized() as session:
            session.run(train)
            assert session.run([a, b]) == [0.25, 0.5]


def test_the_weight_of_the_signs_may_fall_with_the_global_step():
    with tf.Graph().as_default():
        v = tf.Variable(8.0)
        step = tf.train.create_global_step()
        made = tf.contrib.opt.AddSignOptimizer(1.0, sign_decay_fn=lambda step: tf.cast(1 - step, tf.float32))
        train = made.minimize(1.0 * v, global_step=step)
        with initialized() as session:
            session.run(train)
            assert session.run(v) == 6.0
            session.run(train)
            assert session.run(v) == 5.0


def test_any_optimizer_can_be_given_weight_decay():
    with tf.Graph().as_default():
        v = tf.Variable([1.0, 2.0])
        descent = tf.contrib.opt.extend_with_decoupled_weight_decay(tf.train.GradientDescentOptimizer)
        train = descent(0.5, 0.25, name="Mine").minimize(tf.reduce_sum(v))
        with initialized() as session:
            session.run(train)
            np.testing.assert_array_equal(session.run(v), [0.25, 0.75])


def test_a_row_that_is_named_twice_decays_once():
    with tf.Graph().as_default():
        v = tf.Variable([1.0, 2.0, 4.0])
        descent = tf.contrib.opt.extend_with_decoupled_weight_decay(tf.train.GradientDescentOptimizer)
        gradient = tf.IndexedSlices(tf.constant([1.0, 0.0, 0.5]), tf.constant([2, 0, 2]))
        train = descent(0.5, learning_rate=1.0).apply_gradients([(gradient, v)])
        with initialized() as session:
            session.run(train)
            np.testing.assert_array_equal(session.run(v), [0.5, 2.0, 0.5])


def test_the_powers_of_adam_are_of_the_optimizer_and_of_the_graph():
    made = tf.train.AdamOptimizer()
    for _ in range(2):
        with tf.Graph().as_default():
            a, b = tf.Variable(1.0, name="a"), tf.Variable(1.0, name="b")
            train = made.minimize(a * b)
            names = [v.op.name for v in made.variables()]
            assert names == ["a/Adam", "a/Adam_1", "b/Adam", "b/Adam_1", "beta1_power", "beta2_power"]
            with initialized() as session:
                session.run([train, train])
                session.run(train)
                np.testing.assert_allclose(session.run("beta1_power:0"), 0.9**3, rtol=1e-6)
                np.testing.assert_allclose(session.run("beta2_power:0"), 0.999**3, rtol=1e-6)


@pytest.mark.parametrize(
    ("rule", "wrong"),
    [
        ("Adagrad", {"initial_accumulator_value": 0.0}),
        ("AdagradDA", {"initial_gradient_squared_accumulator_value": 0.0}),
        ("ProximalAdagrad", {"initial_accumulator_value": -1.0}),
        ("Ftrl", {"initial_accumulator_value": -0.5}),
        ("Ftrl", {"learning_rate_power": 0.1}),
        ("Ftrl", {"l1_regularization_strength": -0.1}),
        ("Ftrl", {"l2_regularization_strength": -0.1}),
        ("Ftrl", {"l2_shrinkage_regularization_strength": -0.1}),
    ],
)
def test_numbers_out_of_range_are_refused(rule, wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        optimizer(rule, learning_rate=0.1, **wrong)


def test_a_gradient_of_another_shape_is_refused():
    with tf.Graph().as_default():
        w = tf.Variable([1.0, 2.0])
        with pytest.raises(ValueError, match="shape"):
            tf.train.AdamOptimizer().apply_gradients([(tf.ones([3]), w)])
