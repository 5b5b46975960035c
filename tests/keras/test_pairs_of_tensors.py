"""Models take a pair of tensors, such as an iterator's next element, as inputs and labels."""

import numpy as np
import pytest

import ferroflow as tf
from ferroflow.python.keras import backend
from ferroflow.python.keras.engine import training_utils

X = np.arange(12, dtype=np.float32).reshape(12, 1)


def next_element(labels=True):
    arrays = (X, 3 * X + 1) if labels else (X,)
    return tf.data.Dataset.from_tensor_slices(arrays).repeat().batch(6).make_one_shot_iterator().get_next()


def compiled():
    tf.keras.backend.clear_session()
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(1,), kernel_initializer="ones")])
    model.compile(tf.keras.optimizers.SGD(0.001), "mse")
    return model


@pytest.mark.parametrize("kind", [tuple, list])
def test_a_pair_trains_as_two_arguments_do(kind):
    losses = []
    for is_pair in (False, True):
        model = compiled()
        x, y = next_element()
        given = (kind([x, y]),) if is_pair else (x, y)
        losses.append(model.fit(*given, steps_per_epoch=4, epochs=2, verbose=0).history["loss"])
        losses[-1].append(model.evaluate(*given, steps=2, verbose=0))
        losses[-1].append(model.train_on_batch(*given))
    assert losses[0] == losses[1]
    assert losses[0][0] > losses[0][1]


def test_predictions_leave_the_labels_out():
    model = compiled()
    np.testing.assert_array_equal(model.predict(tuple(next_element()), steps=2), X)


def test_inputs_without_labels_are_refused():
    with pytest.raises(ValueError, match="Error when checking model target"):
        compiled().fit(next_element(labels=False)[0], steps_per_epoch=2, verbose=0)


def test_names_are_unique_by_namespace():
    tf.keras.backend.clear_session()
    with tf.Graph().as_default():
        names = [backend.unique_object_name("net"), backend.unique_object_name("net", zero_based=True)]
        assert names == ["net_1", "net_1"]
        assert backend.unique_object_name("net", namespace="other") == "net_1"
        assert backend.unique_object_name("net", avoid_names={"net_3"}) == "net_4"


@pytest.mark.parametrize(
    ("lengths", "message"),
    [
        (([3, 4], [], None), r"All input arrays \(x\) should have"),
        (([3], [3, 4], None), r"All target arrays \(y\) should have"),
        (([3], [4], None), "Found 3 input samples and 4 target samples"),
        (([3], [3], [2]), "Got 3 input samples and 2 target samples"),
        (([3], [3], [2, 3]), "All sample_weight arrays should have"),
    ],
)
def test_lengths_that_differ(lengths, message):
    arrays = [None if sizes is None else [np.zeros([size, 2]) for size in sizes] for sizes in lengths]
    with pytest.raises(ValueError, match=message):
        training_utils.check_array_lengths(*arrays)
    training_utils.check_array_lengths([np.zeros(3), tf.zeros([4])], [np.zeros(3), None], [np.zeros(3)])
