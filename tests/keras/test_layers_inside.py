"""A layer has the variables, losses and updates of the layers inside, in TensorFlow 1.15's order."""

from typing import Any

import numpy as np
import pytest

import ferroflow as tf

layers = tf.keras.layers
l2 = tf.keras.regularizers.l2


class Norm(layers.Wrapper):
    """A wrapper with variables, updates and layers of its own."""

    def build(self, shape: Any) -> None:
        if not self.layer.built:
            self.layer.build(shape)
            self.layer.built = True
        self.count = self.add_weight("count", shape=[2], initializer="ones", trainable=False)
        self.scale = self.add_weight("scale", shape=[2], initializer="ones", regularizer=l2(0.1))
        self.extra = layers.Dense(2)
        super().build()

    def call(self, x: Any) -> Any:
        self.add_update([tf.assign(self.count, self.count * 2)], inputs=x)
        return self.extra(self.layer(x)) * self.scale


class Both(layers.Bidirectional):
    """Both directions with a variable of its own."""

    def build(self, shape: Any) -> None:
        super().build(shape)
        self.own = self.add_weight("own", shape=[1], initializer="ones")


class Stack(layers.StackedRNNCells):
    """A stack of cells with a variable of its own."""

    def build(self, shape: Any) -> None:
        super().build(shape)
        self.own = self.add_weight("own", shape=[1], initializer="ones", regularizer=l2(0.1))


class Headed(layers.RNN):
    """A recurrent layer with a variable and a layer of its own."""

    def build(self, shape: Any) -> None:
        super().build(shape)
        self.head = layers.Dense(2)
        self.own = self.add_weight("own", shape=[1], initializer="ones")

    def call(self, x: Any, **kwargs: Any) -> Any:
        return self.head(super().call(x, **kwargs)) * self.own


def _last_parts(weights: Any) -> list[str]:
    return [weight.name.split("/")[-1].split(":")[0] for weight in weights]


GRU = ["kernel", "recurrent_kernel", "bias"]


@pytest.mark.parametrize(
    ("make", "trained", "fixed", "losses"),
    [
        (lambda: Norm(layers.Dense(2, kernel_regularizer="l2")), ["scale", *["kernel", "bias"] * 2], ["count"], 2),
        (lambda: Both(layers.GRU(2, kernel_regularizer="l2")), ["own", *GRU, *GRU], [], 2),
        (lambda: layers.RNN(Stack([layers.GRUCell(2, kernel_regularizer="l2")])), ["own", *GRU], [], 2),
        (lambda: Headed(layers.GRUCell(3)), ["own", *GRU, "kernel", "bias"], [], 0),
    ],
)
def test_variables_of_its_own_are_before_those_of_the_layers_inside(make, trained, fixed, losses):
    layer = make()
    layer(layers.Input([4] if isinstance(layer, Norm) else [5, 4]))
    assert _last_parts(layer.trainable_weights) == trained
    assert _last_parts(layer.non_trainable_weights) == fixed
    assert len(layer.losses) == losses
    layer.trainable = False
    assert layer.trainable_weights == []
    assert sorted(_last_parts(layer.weights)) == sorted([*trained, *fixed])


class Counter(layers.Layer):
    """A layer that counts, or keeps the sum of its inputs."""

    def __init__(self, sums: bool, given: bool, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.sums, self.given = sums, given

    def build(self, shape: Any) -> None:
        self.kept = self.add_weight("kept", shape=[], initializer="zeros", trainable=False)
        super().build(shape)

    def call(self, x: Any) -> Any:
        update = tf.assign(self.kept, tf.reduce_sum(x)) if self.sums else tf.assign_add(self.kept, 1.0)
        self.add_update(update, inputs=x if self.given else None)
        return x * 1.0


@pytest.mark.parametrize("given", [True, False])
@pytest.mark.parametrize("sums", [True, False])
def test_the_graph_decides_which_updates_depend_on_inputs(sums, given):
    x, counter = layers.Input([2]), Counter(sums, given)
    model = tf.keras.Model(x, layers.Dense(1)(counter(x)))
    model.compile("sgd", "mse")
    model.fit(np.ones([6, 2]), np.ones([6, 1]), batch_size=2, epochs=2, verbose=0)
    assert tf.keras.backend.get_value(counter.kept) == (4.0 if sums else 6.0)
    assert len(counter.get_updates_for(x)) == sums
    assert len(counter.get_updates_for(None)) == (not sums)
