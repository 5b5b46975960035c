"""Predicates of smart conditionals are known where TensorFlow 1.15 evaluates them: more often than `constant_value`."""

from __future__ import annotations

from typing import Any

import pytest

import ferroflow as tf

KNOWN = {
    "a constant": lambda: tf.constant(True),
    "a comparison of a slice": lambda: tf.equal(tf.constant([1, 2, 3])[1:][0], 2),
    "an element of a static shape": lambda: tf.shape(tf.zeros([2, 3]))[0] > 1,
    "logic": lambda: tf.logical_or(tf.constant(False), tf.constant(True)),
}
UNKNOWN = {
    "a placeholder": lambda: tf.placeholder(tf.bool, []),
    "a default": lambda: tf.placeholder_with_default(True, []),
    "an unknown size": lambda: tf.shape(tf.placeholder(tf.float32, [None]))[0] > 1,
}


def chosen(pred: Any) -> Any:
    return tf.contrib.framework.smart_cond(pred, lambda: "yes", lambda: "no")


@pytest.mark.parametrize("name", KNOWN)
def test_a_known_predicate_calls_one_function(name: str) -> None:
    assert chosen(KNOWN[name]()) == "yes"
    assert tf.contrib.framework.smart_constant_value(KNOWN[name]()) is True
    layer = tf.keras.layers.Dropout(0.5)
    layer(tf.zeros([2]), training=KNOWN[name]())
    assert not [op for op in tf.get_default_graph().get_operations() if op.type == "Switch"]


@pytest.mark.parametrize("name", UNKNOWN)
def test_an_unknown_predicate_makes_a_conditional(name: str) -> None:
    assert tf.contrib.framework.smart_constant_value(UNKNOWN[name]()) is None
    made = tf.contrib.framework.smart_cond(UNKNOWN[name](), lambda: tf.constant(1), lambda: tf.constant(2))
    assert made.op.type == "Merge"
