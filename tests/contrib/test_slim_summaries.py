"""The summaries of tf.contrib.slim have TensorFlow 1.15's names, and slim has the names of tf.contrib.layers."""

import pytest

import ferroflow as tf
from ferroflow.contrib import slim


@pytest.fixture(autouse=True)
def _own_graph():
    with tf.Graph().as_default():
        yield


def values(tensor):
    with tf.Session() as sess:
        return tf.Summary.FromString(sess.run(tensor)).value


def test_names_are_tensorflows():
    summaries = slim.summaries
    ones = tf.ones([3], name="x/y")
    number = tf.constant(2.0, name="number")
    made = {
        "pre/nm/Fraction_of_Zero_Values": summaries.add_zero_fraction_summary(ones, "nm", "pre"),
        "x/y/Fraction_of_Zero_Values": summaries.add_zero_fraction_summary(ones),
        "p/x/y": summaries.add_histogram_summary(ones, prefix="p"),
        "number_1": summaries.add_scalar_summary(number),
        "q/number": summaries.add_scalar_summaries([number], "q")[0],
        "z/x/y": summaries.add_histogram_summaries([ones], "z")[0],
        "z/x/y/Fraction_of_Zero_Values": summaries.add_zero_fraction_summaries([ones], "z")[0],
    }
    for name, tensor in made.items():
        (value,) = values(tensor)
        assert (tensor.op.name, value.tag) == (name, name)
    assert tf.get_collection(tf.GraphKeys.SUMMARIES) == list(made.values())
    pictures = [
        summaries.add_image_summary(tf.ones([1, 2, 2, 1]), "a"),
        *summaries.add_image_summaries([tf.ones([1, 2, 2, 1])]),
    ]
    assert [values(p)[0].image.height for p in pictures] == [2, 2]


def test_printed_summaries_print_the_number(capfd):
    printed = slim.summaries.add_scalar_summary(tf.constant(2.5), "v", "eval", print_summary=True)
    assert tf.get_collection(tf.GraphKeys.SUMMARIES) == [printed]
    (value,) = values(printed)
    assert (value.tag, value.simple_value) == ("eval/v", 2.5)
    assert "eval/v[2.5]" in capfd.readouterr().err


@pytest.mark.parametrize("name", ["optimize_loss", "embed_sequence", "summarize_collection", "embedding_column"])
def test_names_of_layers_are_in_slim(name):
    assert getattr(slim, name) is getattr(tf.contrib.layers, name)
