"""Tensors are summarized by what they are."""

import numpy as np

import ferroflow as tf

layers = tf.contrib.layers


def values(fetched):
    return {value.tag: value for value in tf.Summary.FromString(fetched).value}


def test_activations_tell_which_part_is_at_an_end():
    x = np.array([-1.0, 2.0, 7.0, 8.0], np.float32)
    with tf.Graph().as_default(), tf.Session() as sess:
        for function in (tf.nn.relu, tf.nn.relu6, tf.tanh):
            layers.summarize_activation(function(x, name=function.__name__))
        found = values(sess.run(tf.summary.merge_all()))
    assert {tag: v.simple_value for tag, v in found.items() if v.HasField("simple_value")} == {
        "relu/zeros": 0.25,
        "relu6/sixes": 0.5,
        "relu6/zeros": 0.25,
    }
    assert found["tanh/activation"].histo.num == 4


def test_numbers_and_others_are_told_apart_and_names_choose():
    with tf.Graph().as_default(), tf.Session() as sess:
        one = tf.get_variable("one", initializer=3.0, collections=["global", tf.GraphKeys.GLOBAL_VARIABLES])
        many = tf.get_variable("many", initializer=[1.0, 2.0])
        assert layers.summarize_tensor(tf.constant("text")) is None
        assert layers.summarize_tensor(tf.constant(True)) is None
        assert len(layers.summarize_variables()) == 2
        (tagged,) = layers.summarize_tensors([many], lambda x: layers.summarize_tensor(x, "other"))
        for key, function in (
            (tf.GraphKeys.WEIGHTS, layers.summarize_weights),
            (tf.GraphKeys.BIASES, layers.summarize_biases),
            (tf.GraphKeys.ACTIVATIONS, layers.summarize_activations),
        ):
            tf.add_to_collection(key, tf.identity(many, name=f"in_{key}"))
            assert function("nothing") == []
            assert len(function("in_")) == 1
        sess.run(tf.global_variables_initializer())
        found = values(sess.run(tf.summary.merge_all()))
        assert list(values(sess.run(tagged))) == ["other"]
    assert found["one_summary"].simple_value == 3.0
    assert found["many_summary"].histo.sum == 3.0
    assert f"in_{tf.GraphKeys.ACTIVATIONS}/activation" in found
    assert one is not None
