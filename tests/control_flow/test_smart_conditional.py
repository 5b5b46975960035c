"""`smart_cond` builds a conditional only where the condition is not known."""

import numpy as np
import pytest

import ferroflow as tf
from ferroflow._src.control_flow.smart_conditional import smart_cond


@pytest.mark.parametrize("pred", [True, False, 1, 0, np.bool_(True), np.bool_(False)])
def test_a_known_condition_builds_one_side(pred):
    made = []
    assert smart_cond(pred, lambda: made.append(True) or "yes", lambda: made.append(False) or "no") == (
        "yes" if pred else "no"
    )
    assert made == [bool(pred)]


def test_a_constant_is_known():
    with tf.Graph().as_default() as graph:
        chosen = smart_cond(tf.constant(False), lambda: tf.constant(1.0), lambda: tf.constant(2.0, name="chosen"))
        assert chosen.op.name == "chosen"
        assert {op.type for op in graph.get_operations()} == {"Const"}


def test_a_fed_condition_and_a_variable_decide_in_the_step():
    with tf.Graph().as_default(), tf.Session() as sess:
        fed = tf.placeholder(tf.bool, [])
        variable = tf.Variable(True)
        results = [smart_cond(p, lambda: tf.constant(1), lambda: tf.constant(2)) for p in (fed, variable)]
        sess.run(tf.global_variables_initializer())
        assert sess.run(results, {fed: False}) == [2, 1]


@pytest.mark.parametrize("pred", ["yes", 2, 1.5, None])
def test_what_is_no_condition_is_refused(pred):
    with pytest.raises(TypeError, match="`pred` must be a Tensor, or a Python bool"):
        smart_cond(pred, lambda: 1, lambda: 2)


def test_the_sides_are_to_be_callable():
    with pytest.raises(TypeError, match="`true_fn` must be callable"):
        smart_cond(True, 1, lambda: 2)
    with pytest.raises(TypeError, match="`false_fn` must be callable"):
        smart_cond(True, lambda: 1, 2)
