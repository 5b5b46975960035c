"""`optimize_loss` trains with an optimizer by its name, and scales, clips, disturbs and summarizes gradients."""

import numpy as np
import pytest

import ferroflow as tf

optimize_loss = tf.contrib.layers.optimize_loss
SUMMARIES = tf.contrib.layers.OPTIMIZER_SUMMARIES


def trained(steps=3, optimizer="SGD", rate=0.1, **kwargs):
    """The values of two variables whose loss is 3 a^2 + b, and the results of the steps."""
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.set_random_seed(1)
        a, b = tf.get_variable("a", initializer=2.0), tf.get_variable("b", initializer=1.0)
        step = tf.train.create_global_step()
        train = optimize_loss(3 * tf.square(a) + b, step, rate, optimizer, **kwargs)
        assert train.op.name.startswith("OptimizeLoss/")
        sess.run(tf.global_variables_initializer())
        losses = [sess.run(train) for _ in range(steps)]
        merged = tf.summary.merge_all()
        written = tf.Summary() if merged is None else tf.Summary.FromString(sess.run(merged))
        tags = sorted(value.tag for value in written.value)
        return [float(x) for x in sess.run([a, b])], losses, int(sess.run(step)), tags


def by_hand(steps, rate=lambda step: 0.1, change=lambda a, b: (a, b)):
    a, b = 2.0, 1.0
    for step in range(steps):
        grads = change(6 * a, 1.0)
        a, b = a - rate(step) * grads[0], b - rate(step) * grads[1]
    return [a, b]


def test_it_is_a_step_of_training_that_counts():
    values, losses, step, tags = trained()
    np.testing.assert_allclose(values, by_hand(3), rtol=1e-5)
    assert losses[0] == 13.0
    assert step == 3
    assert tags == ["OptimizeLoss/global_norm/gradient_norm", "OptimizeLoss/loss"]
    assert trained(increment_global_step=False)[2] == 0


def test_the_rate_may_fall():
    decay = lambda rate, step: tf.train.exponential_decay(rate, step, 1, 0.5)  # noqa: E731
    values, _, _, tags = trained(learning_rate_decay_fn=decay)
    np.testing.assert_allclose(values, by_hand(3, lambda step: 0.1 * 0.5**step), rtol=1e-5)
    assert "OptimizeLoss/learning_rate_1" in tags  # the variable has the name, as in TensorFlow


@pytest.mark.parametrize("name", sorted(tf.contrib.layers.OPTIMIZER_CLS_NAMES))
def test_optimizers_have_names(name):
    classes = {"SGD": "GradientDescent", "RMSProp": "RMSProp"}
    options = {"momentum": 0.9} if name == "Momentum" else {}
    made = getattr(tf.train, f"{classes.get(name, name)}Optimizer")
    assert trained(optimizer=name)[0] == trained(optimizer=lambda rate: made(rate, **options))[0]


def test_optimizers_are_given_in_any_form():
    expected = by_hand(3)
    for optimizer, rate in (
        (tf.train.GradientDescentOptimizer, 0.1),
        (tf.train.GradientDescentOptimizer(0.1), None),
        (lambda: tf.train.GradientDescentOptimizer(0.1), None),
    ):
        np.testing.assert_allclose(trained(optimizer=optimizer, rate=rate)[0], expected, rtol=1e-5)


def test_gradients_are_multiplied_and_clipped():
    values, *_ = trained(gradient_multipliers={"a:0": 0.5, "unknown": 3.0})
    np.testing.assert_allclose(values, by_hand(3, change=lambda a, b: (a / 2, b)), rtol=1e-5)

    def clipped(a, b):
        scale = min(1.0, 2.0 / np.hypot(a, b))
        return a * scale, b * scale

    values, _, _, tags = trained(clip_gradients=2.0, summaries=SUMMARIES)
    np.testing.assert_allclose(values, by_hand(3, change=clipped), rtol=1e-5)
    assert [tag.removeprefix("OptimizeLoss/") for tag in tags] == [
        *("global_norm/clipped_gradient_norm", "global_norm/gradient_norm", "gradient_norm/a_0", "gradient_norm/b_0"),
        *("gradients/a_0", "gradients/b_0", "loss"),
    ]
    negated = trained(clip_gradients=lambda pairs: [(-g, v) for g, v in pairs], summaries=[])
    np.testing.assert_allclose(negated[0], by_hand(3, change=lambda a, b: (-a, -b)), rtol=1e-5)
    assert negated[3] == []


def test_noise_is_added_to_gradients():
    values = trained(gradient_noise_scale=0.01)[0]
    assert values != trained()[0]
    np.testing.assert_allclose(values, by_hand(3), atol=0.02)


def test_clipping_follows_the_usual_norm():
    clip = tf.contrib.layers.adaptive_clipping_fn
    with tf.Graph().as_default(), tf.Session() as sess:
        norm, step = tf.placeholder(tf.float32, []), tf.placeholder(tf.int64, [])
        ((gradient, _),) = clip(global_step=step, report_summary=True, static_max_norm=4.5)([(norm, None)])
        sess.run(tf.global_variables_initializer())
        usual = [sess.run(gradient, {norm: x, step: i}) for i, x in enumerate([4.0, 4.2, 3.9, 4.1])]
        np.testing.assert_allclose(usual, [4.0, 4.2, 3.9, 4.1], rtol=0.03)
        assert sess.run(gradient, {norm: 400.0, step: 4}) <= 4.5
        assert len(tf.get_collection(tf.GraphKeys.SUMMARIES)) == 1


def test_updates_run_before():
    with tf.Graph().as_default(), tf.Session() as sess:
        w, count = tf.get_variable("w", initializer=1.0), tf.get_variable("count", initializer=0, trainable=False)
        tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.assign_add(count, 1))
        train = optimize_loss(tf.square(w), tf.train.create_global_step(), 0.5, "SGD", variables=[w], name="mine")
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        assert sess.run([w, count]) == [0.0, 1]
        assert train.op.name.startswith("mine/")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"rate": -0.1}, "Invalid learning_rate -0.1"),
        ({"rate": "fast"}, "0d Tensor or float"),
        ({"rate": None}, "optimizer is string"),
        ({"rate": None, "optimizer": tf.train.AdamOptimizer}, "optimizer is class"),
        ({"optimizer": "Other"}, "Optimizer name should be one of"),
        ({"optimizer": 3}, "Unrecognized optimizer"),
        ({"optimizer": lambda rate: 3}, "function should return"),
        ({"clip_gradients": "much"}, "for clip_gradients"),
        ({"summaries": ["other"]}, "Summaries should be one of"),
    ],
)
def test_arguments_are_checked(arguments, reason):
    with pytest.raises(ValueError, match=reason):
        trained(**arguments)
