"""Whether layers are trained, and configurations of a program's own classes, as in TensorFlow 1.15.5."""

import ferroflow as tf

layers = tf.keras.layers


def test_a_frozen_model_has_frozen_layers_in_other_models() -> None:
    base = tf.keras.Sequential([layers.Dense(2, input_shape=(2,)), layers.BatchNormalization()])
    base.trainable = False
    assert [layer.trainable for layer in base.layers] == [False, False]
    model = tf.keras.Model(base.input, layers.Dense(1)(base.output))
    assert len(model.trainable_weights) == 2
    assert model.updates == []
    base.trainable = True
    assert len(model.trainable_weights) == 6


def test_layers_inside_of_layers_are_frozen_with_them() -> None:
    around = layers.TimeDistributed(layers.Dense(2))
    around.trainable = False
    assert not around.layer.trainable
    both = layers.Bidirectional(layers.LSTM(2))
    both.trainable = False
    assert (both.forward_layer.trainable, both.backward_layer.trainable) == (False, False)
    steps = layers.RNN(layers.LSTMCell(2))
    steps.trainable = False
    assert not steps.cell.trainable

    class Own(layers.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.inner = layers.Dense(2)
            self.several = [layers.Dense(2)]

    own = Own()
    own.trainable = False
    assert (own.inner.trainable, own.several[0].trainable) == (False, False)


def test_a_constructor_freezes_no_layer_inside() -> None:
    inner = layers.Dense(2)
    assert not layers.TimeDistributed(inner, trainable=False).trainable
    assert inner.trainable


def test_a_wrapper_may_take_trainable_from_its_layer() -> None:
    class Around(layers.Wrapper):
        @property
        def trainable(self) -> bool:
            return self.layer.trainable

        @trainable.setter
        def trainable(self, value: bool) -> None:
            self.layer.trainable = value

    frozen = layers.Dense(2, trainable=False)
    around = Around(frozen)
    assert (around.trainable, frozen.trainable) == (False, False)
    around.trainable = True
    assert frozen.trainable


def test_the_configuration_of_a_class_of_a_program_has_all_arguments_of_the_layer() -> None:
    class Own(layers.Conv2D):
        def __init__(self, filters: int, kernel_size: int, scale: int = 1) -> None:
            super().__init__(filters, kernel_size, use_bias=False)
            self.scale = scale

        def get_config(self) -> dict:
            return {**super().get_config(), "scale": self.scale}

    config = Own(3, 2).get_config()
    assert config["use_bias"] is False
    assert (config["filters"], config["kernel_size"], config["scale"]) == (3, (2, 2), 1)
    assert config.keys() - {"dtype"} == {
        *("activation", "activity_regularizer", "bias_constraint", "bias_initializer", "bias_regularizer"),
        *("data_format", "dilation_rate", "filters", "kernel_constraint", "kernel_initializer", "kernel_regularizer"),
        *("kernel_size", "name", "padding", "scale", "strides", "trainable", "use_bias"),
    }


def test_updates_of_a_metric_are_those_of_its_calls() -> None:
    mean = tf.keras.metrics.Mean()
    assert mean.updates == []
    update = mean.update_state([1.0, 3.0])
    assert mean.updates == [update]
