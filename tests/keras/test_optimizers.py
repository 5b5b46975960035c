"""Optimizers of programs are taken as those of the library, and Nadam's steps are the paper's."""

import numpy as np
import pytest

import ferroflow as tf

keras = tf.keras
K = keras.backend
X = np.random.RandomState(0).rand(20, 4).astype(np.float32)
Y = (X @ [[1.0], [-2.0], [0.5], [0.0]]).astype(np.float32)


@pytest.fixture(autouse=True)
def own_graph():
    with tf.Graph().as_default():
        yield
        keras.backend.clear_session()


def model_with(optimizer):
    model = keras.Sequential([keras.layers.Dense(1, input_dim=4, use_bias=False, kernel_initializer="zeros")])
    model.compile(optimizer, "mse")
    return model


def gradient_at(weights):
    return 2 * X.T @ (X @ weights - Y) / len(X)


class Halving(keras.optimizers.Optimizer):
    """Descent at a rate that halves with each step."""

    def __init__(self, lr=0.5, as_tuples=False, **kwargs):
        super().__init__(**kwargs)
        self.as_tuples = as_tuples
        self.iterations = K.variable(0, dtype="int64", name="iterations")
        self.lr = K.variable(lr, name="lr")

    def get_updates(self, loss, params):
        grads = self.get_gradients(loss, params)
        self.updates = [K.update_add(self.iterations, 1)]
        rate = self.lr * 0.5 ** K.cast(self.iterations, "float32")
        for p, g in zip(params, grads, strict=True):
            self.updates.append((p, p - rate * g) if self.as_tuples else K.update(p, p - rate * g))
        return self.updates


@pytest.mark.parametrize("as_tuples", [False, True])
def test_an_optimizer_of_a_program_moves_the_variables(as_tuples):
    model = model_with(Halving(0.5, as_tuples))
    weights = np.zeros((4, 1))
    for step in range(3):
        weights -= 0.5 * 0.5**step * gradient_at(weights)
        model.train_on_batch(X, Y)
    np.testing.assert_allclose(model.get_weights()[0], weights, rtol=1e-5)
    assert K.get_value(model.optimizer.iterations) == 3


def test_the_gradients_of_a_programs_optimizer_are_clipped():
    model = model_with(Halving(1.0, clipnorm=0.1))
    model.train_on_batch(X, Y)
    assert np.linalg.norm(model.get_weights()[0]) == pytest.approx(0.1, rel=1e-5)
    assert model.optimizer.get_config() == {"name": "halving", "clipnorm": 0.1}
    model = model_with(keras.optimizers.SGD(1.0, clipvalue=0.01))
    model.train_on_batch(X, Y)
    np.testing.assert_allclose(model.get_weights()[0], np.clip(-gradient_at(np.zeros((4, 1))), -0.01, 0.01), rtol=1e-5)
    assert model.optimizer.get_config()["clipvalue"] == 0.01


def test_an_optimizer_without_updates_says_what_to_override():
    with pytest.raises(NotImplementedError, match="get_updates"):
        model_with(keras.optimizers.Optimizer()).train_on_batch(X, Y)
    with pytest.raises(TypeError, match="Unexpected keyword argument"):
        keras.optimizers.Optimizer(rate=1.0)


def test_nadam_warms_its_momentum_up():
    model = model_with(keras.optimizers.Nadam(0.1))
    weights, mean, squares, product = np.zeros((4, 1)), 0.0, 0.0, 1.0
    for t in range(1, 6):
        gradient = gradient_at(weights)
        now, after = (0.9 * (1 - 0.5 * 0.96 ** (s * 0.004)) for s in (t, t + 1))
        product *= now
        mean, squares = 0.9 * mean + 0.1 * gradient, 0.999 * squares + 0.001 * gradient**2
        move = (1 - now) * gradient / (1 - product) + after * mean / (1 - product * after)
        weights -= 0.1 * move / (np.sqrt(squares / (1 - 0.999**t)) + 1e-7)
        model.train_on_batch(X, Y)
    np.testing.assert_allclose(model.get_weights()[0], weights, rtol=2e-4)
    assert [w.shape for w in model.optimizer.get_weights()] == [(), (), (4, 1), (4, 1)]


def test_optimizers_are_described_and_made_again():
    described = keras.optimizers.serialize(keras.optimizers.Nadam(0.5, schedule_decay=0.1))
    assert described["class_name"] == "Nadam"
    made = keras.optimizers.get(described)
    assert (made.get_config(), type(made)) == (described["config"], keras.optimizers.Nadam)
    assert isinstance(keras.optimizers.get("nadam"), keras.optimizers.Nadam)
    mine = keras.optimizers.deserialize({"class_name": "Halving", "config": {"lr": 2.0}}, {"Halving": Halving})
    assert K.get_value(mine.lr) == 2.0
    with pytest.raises(NotImplementedError, match="does not keep its arguments"):
        keras.optimizers.serialize(tf.train.AdamOptimizer())
