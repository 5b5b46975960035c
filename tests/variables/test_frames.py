"""How many Python frames lie between a program's call and the engine, which every variable of a model pays for."""

import sys
from collections.abc import Callable
from typing import Any

import ferroflow as tf


def stacks_of_new_nodes(make: Callable[[], Any]) -> list[list[str]]:
    """Names of the functions between `make`, left out, and the engine's `add_node`, for each node that is made."""
    stacks = []

    def watch(frame: Any, event: str, function: Any) -> None:
        if event != "c_call" or getattr(function, "__name__", "") != "add_node":
            return
        names = []
        while frame is not None and frame.f_code is not make.__code__:
            names.append(frame.f_code.co_name)
            frame = frame.f_back
        stacks.append(names[::-1])

    sys.setprofile(watch)
    try:
        make()
    finally:
        sys.setprofile(None)
    return stacks


def test_get_variable_reaches_the_engine_in_ten_frames() -> None:
    first, *_ = stacks_of_new_nodes(lambda: tf.get_variable("w", [3, 2]))
    assert first[0] == "get_variable"
    assert len(first) <= 10, first
    stacks = stacks_of_new_nodes(lambda: tf.get_variable("v", [3], initializer=tf.zeros_initializer()))
    assert stacks
    assert any(stack[-4] == "_make" and len(stack) <= 8 for stack in stacks), stacks


def test_a_dense_layer_reaches_its_variable_in_nine_frames() -> None:
    inputs = tf.placeholder(tf.float32, [None, 3])
    first, *_ = [stack for stack in stacks_of_new_nodes(lambda: tf.layers.dense(inputs, 4)) if "_make" in stack]
    assert first[0] == "dense"
    assert first.index("_make") <= 9, first


def test_a_scope_does_not_add_frames() -> None:
    with tf.variable_scope("outer", initializer=tf.ones_initializer(), use_resource=False):
        stacks = stacks_of_new_nodes(lambda: tf.get_variable("w", [3]))
    assert min(map(len, stacks)) <= 8, stacks
