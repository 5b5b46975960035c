"""Adversarial networks with classes, structured inputs and cycles have the losses of their definitions."""

import importlib

import numpy as np
import pytest

import ferroflow as tf

gan = importlib.import_module("ferroflow.contrib.gan")
losses = importlib.import_module("ferroflow.contrib.gan.python.losses.python.losses_impl")
of_models = importlib.import_module("ferroflow.contrib.gan.python.losses.python.tuple_losses_impl")
REAL = np.linspace(-1.0, 1.0, 6, dtype=np.float32).reshape(3, 2)
NOISE = np.array([[1.0], [2.0], [-1.0]], np.float32)
HOT = np.array([[1, 0], [0, 1], [1, 0]], np.float32)


def _generator(noise):
    noise = noise[0] if isinstance(noise, list) else noise
    return noise * tf.get_variable("scale", [2], initializer=tf.constant_initializer(0.5))


def _scores(data):
    return tf.reduce_sum(data * tf.get_variable("weight", [2], initializer=tf.constant_initializer([0.5, -1.0])), 1)


def _classifier(data, inputs):
    return _scores(data), data * tf.get_variable("classes", [2], initializer=tf.constant_initializer(2.0))


def _entropy(logits):
    shifted = logits - logits.max(1, keepdims=True)
    return -(HOT * (shifted - np.log(np.exp(shifted).sum(1, keepdims=True)))).sum(1).mean()


def _values(*fetches):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches)


def test_a_model_with_classes():
    model = gan.acgan_model(_generator, _classifier, tf.constant(REAL), tf.constant(NOISE), tf.constant(HOT))
    assert model.discriminator_real_outputs.op.name.startswith("Discriminator/real/")
    assert model.discriminator_gen_outputs.op.name.startswith("Discriminator/generated/")
    plain = gan.gan_loss(model)
    both = gan.gan_loss(model, aux_cond_generator_weight=2.0, aux_cond_discriminator_weight=3.0)
    found = np.array(_values(*plain, *both))
    of_generated, of_real = _entropy(NOISE * 0.5 * 2.0 * np.ones(2)), _entropy(REAL * 2.0)
    np.testing.assert_allclose(found[2] - found[0], 2.0 * of_generated, rtol=1e-5)
    np.testing.assert_allclose(found[3] - found[1], 3.0 * (of_generated + of_real), rtol=1e-5)
    with pytest.raises(TypeError, match="must output a tuple"):
        gan.acgan_model(_generator, lambda data, _: _scores(data), REAL, NOISE, HOT, "G", "D")
    with pytest.raises(ValueError, match="must be an `InfoGANModel`"):
        gan.gan_loss(model, mutual_information_penalty_weight=1.0)
    with pytest.raises(ValueError, match="must be greater than 0"):
        gan.gan_loss(model, aux_cond_generator_weight=-1.0)


def test_a_model_with_structured_inputs():
    def discriminator(data, inputs):
        mean = tf.get_variable("mean", [1], initializer=tf.constant_initializer(0.25))
        return _scores(data), [tf.distributions.Normal(tf.zeros([3, 1]) + mean, 1.0)]

    structured = np.array([[0.5], [1.0], [0.0]], np.float32)
    model = gan.infogan_model(_generator, discriminator, tf.constant(REAL), [tf.constant(NOISE)], [structured])
    plain, info = gan.gan_loss(model), gan.gan_loss(model, mutual_information_penalty_weight=2.0)
    found = _values(*plain, *info)
    penalty = np.mean(0.5 * np.log(2 * np.pi) + 0.5 * (structured - 0.25) ** 2)
    np.testing.assert_allclose([found[2] - found[0], found[3] - found[1]], 2.0 * penalty, rtol=1e-5)
    with pytest.raises(ValueError, match="must be a list"):
        gan.infogan_model(_generator, lambda data, _: (data, 1), REAL, [NOISE], [structured], "G", "D")
    with pytest.raises(ValueError, match="must be the same as the length"):
        gan.infogan_model(_generator, lambda data, _: (data, []), REAL, [NOISE], [structured], "G2", "D2")


def _cycle():
    x, y = tf.constant(REAL), tf.constant(REAL[::-1] + 1.0)
    return gan.cyclegan_model(_generator, lambda data, _: _scores(data), x, y)


def test_a_model_of_a_cycle():
    model = _cycle()
    assert [v.op.name for v in model.model_x2y.generator_variables] == ["ModelX2Y/Generator/scale"]
    assert [v.op.name for v in model.model_y2x.discriminator_variables] == ["ModelY2X/Discriminator/weight"]
    loss = gan.cyclegan_loss(model, cycle_consistency_loss_weight=4.0)
    plain = gan.gan_loss(
        model.model_x2y, of_models.least_squares_generator_loss, of_models.least_squares_discriminator_loss
    )
    found = _values(loss.loss_x2y.generator_loss, plain.generator_loss, model.reconstructed_x)
    np.testing.assert_allclose(found[2], REAL * 0.25, rtol=1e-6)
    y = REAL[::-1] + 1.0
    of_cycles = (np.abs(REAL * 0.75).mean() + np.abs(y * 0.75).mean()) / 2.0
    np.testing.assert_allclose(found[0] - found[1], 4.0 * of_cycles, rtol=1e-5)
    with pytest.raises(ValueError, match="must be a `CycleGANModel`"):
        gan.cyclegan_loss(model.model_x2y)
    with pytest.raises(ValueError, match="must be a `CycleGANModel`"):
        of_models.cycle_consistency_loss(model.model_x2y)


def test_a_cycle_is_trained():
    model = _cycle()
    loss, optimizer = gan.cyclegan_loss(model), tf.train.GradientDescentOptimizer(0.01)
    ops = gan.gan_train_ops(model, loss, optimizer, optimizer)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        old = session.run(model.model_x2y.generator_variables[0])
        session.run([ops.generator_train_op, ops.discriminator_train_op, ops.global_step_inc_op])
        assert not np.allclose(old, session.run(model.model_x2y.generator_variables[0]))
        # Each model counts its step, and the cycle counts one.
        assert session.run(tf.train.get_global_step()) == 1


def test_a_pool_replaces_the_generated_data_of_the_discriminator():
    model = gan.gan_model(_generator, lambda data, _: _scores(data), tf.constant(REAL), tf.constant(NOISE))
    pooled = gan.gan_loss(model, tensor_pool_fn=lambda pair: (pair[0] * 2.0, pair[1]))
    plain = gan.gan_loss(model)
    found = _values(pooled.generator_loss, plain.generator_loss, pooled.discriminator_loss, plain.discriminator_loss)
    assert found[0] == found[1]
    of_generated = (NOISE * 0.5 * np.array([0.5, -1.0])).sum(1).mean()
    np.testing.assert_allclose(found[2] - found[3], of_generated, rtol=1e-5)


def test_losses_are_combined_at_a_weight_or_at_a_ratio_of_gradients():
    x = tf.get_variable("x", [], initializer=tf.constant_initializer(2.0))
    main, adversarial = 3.0 * x, 4.0 * x * x
    fixed = losses.combine_adversarial_loss(main, adversarial, weight_factor=0.5)
    ratio = losses.combine_adversarial_loss(main, adversarial, gradient_ratio=0.5, variables=[x])
    none = losses.combine_adversarial_loss(main, adversarial, weight_factor=0.0)
    np.testing.assert_allclose(_values(fixed, ratio, none), [14.0, 6.0 + 3.0 / 16.0 / 0.5 * 16.0, 6.0], rtol=1e-5)
    with pytest.raises(ValueError, match=r"cannot both be `None\.`"):
        losses.combine_adversarial_loss(main, adversarial)
    with pytest.raises(ValueError, match="cannot both be specified"):
        losses.combine_adversarial_loss(main, adversarial, 1.0, 1.0)


def test_joint_hooks_train_both_networks_at_a_time():
    ops = gan.GANTrainOps(tf.constant(1), tf.constant(2), tf.constant(3))
    hooks = gan.get_joint_train_hooks(gan.GANTrainSteps(3, 1))(ops)
    seen = []

    class Context:
        class session:  # noqa: N801
            run = seen.append

    for hook in hooks:
        hook.before_run(Context)
    assert [len(fetched) for fetched in seen] == [2, 1, 1]
