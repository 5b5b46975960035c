"""What programs write their own layers of models with."""

import numpy as np
import pytest

import ferroflow as tf
from ferroflow.contrib import slim

utils = tf.contrib.layers.utils


def test_end_points_are_outputs_by_their_aliases():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2, 3], name="x")
        with slim.arg_scope([slim.fully_connected], outputs_collections="points"):
            y = slim.fully_connected(slim.fully_connected(x, 4, scope="first"), 5, scope="second")
        z = utils.collect_named_outputs(["points", "others"], "mine/", tf.identity(y, name="z"))
        tf.add_to_collection("points", x)
        found = slim.utils.convert_collection_to_dict("points", clear_collection=True)
        assert list(found) == ["first", "second", "mine", "x"]
        assert [found["second"], found["mine"], found["x"]] == [y, z, x]
        assert graph.get_collection("points") == []
        assert graph.get_collection("others") == [z]
        assert utils.collect_named_outputs(None, "none", x) is x
        assert utils.get_tensor_aliases(x) == ["x"]


def test_a_tensor_may_have_several_aliases():
    with tf.Graph().as_default():
        first, second = tf.split(tf.constant([1.0, 2.0]), 2)
        assert utils.append_tensor_alias(utils.append_tensor_alias(first, "a/"), "b") is first
        assert utils.gather_tensors_aliases([first, second]) == ["a", "b", "split:1"]


def test_collections_of_variables_are_chosen_by_kind():
    assert utils.get_variable_collections({"weights": ["w"]}, "weights") == ["w"]
    assert utils.get_variable_collections({"weights": ["w"]}, "biases") is None
    assert utils.get_variable_collections(["all"], "biases") == ["all"]


def test_a_known_condition_makes_no_conditional():
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        assert utils.smart_cond(tf.constant(False), lambda: 1, lambda: 2) == 2
        assert utils.static_cond(True, lambda: 1, lambda: 2) == 1
        assert not any(op.type == "Switch" for op in graph.get_operations())
        p = tf.placeholder(tf.bool, [])
        assert sess.run(utils.smart_cond(p, lambda: tf.constant(1), lambda: tf.constant(2)), {p: True}) == 1
        with pytest.raises(TypeError, match="fn2"):
            utils.static_cond(True, lambda: 1, 2)


def test_values_are_constant_where_the_graph_says_so():
    with tf.Graph().as_default():
        np.testing.assert_array_equal(utils.constant_value(tf.constant([1, 2])), [1, 2])
        assert utils.constant_value(7) == 7
        assert utils.constant_value(tf.placeholder(tf.float32)) is None
        variable = tf.Variable(1.0)
        assert utils.constant_value(variable) is None
        for value in (variable, tf.constant(1.0)):
            with pytest.raises(ValueError, match="wrong type"):
                utils.constant_value(value, tf.int32)
        with pytest.raises(ValueError, match="cannot be None"):
            utils.constant_value(None)


def test_sizes_of_dimensions_are_known_or_refused():
    shape = tf.TensorShape([None, 3, 5])
    assert utils.last_dimension(shape, min_rank=3) == 5
    assert utils.channel_dimension(shape, "channels_first") == 3
    assert utils.channel_dimension(shape, "channels_last") == 5
    for wrong, told in (([], "at least 1"), ([None], "must be known"), (None, "dims of shape")):
        with pytest.raises(ValueError, match=told):
            utils.last_dimension(tf.TensorShape(wrong))


def test_sizes_are_one_or_several():
    assert utils.two_element_tuple(3) == (3, 3)
    assert utils.two_element_tuple([1, 2]) == utils.two_element_tuple(tf.TensorShape([1, 2])) == (1, 2)
    assert utils.n_positive_integers(3, 2) == (2, 2, 2)
    assert utils.n_positive_integers(2, tf.TensorShape([4, 5])) == (4, 5)
    for wrong in ([1], "a", tf.TensorShape([1, 2, 3])):
        with pytest.raises(ValueError, match="Must be"):
            utils.two_element_tuple(wrong)
    for n, wrong in ((2, 0), (2, [1, 2, 3]), (2, [1, None]), (2, [1, -1]), (0, 1), (1.5, 1)):
        with pytest.raises(ValueError, match="positive integer"):
            utils.n_positive_integers(n, wrong)
