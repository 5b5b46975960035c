"""Frames that `while_loop` does not make, but a GraphDef may hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ferroflow as tf


class Frame:
    """A loop made node by node.

    Args:
      name: of the frame.
      limit: the loop goes on below it.
      marked: whether a LoopCond marks the condition.
      inverted: whether the loop goes on where the condition is false.
    """

    def __init__(self, name: str, limit: int, marked: bool = True, inverted: bool = False) -> None:
        self.name = name
        self.inverted = inverted
        self.entered = tf.raw_ops.Enter(data=tf.constant(0), frame_name=name)
        self.merged = tf.raw_ops.Merge(inputs=[self.entered, self.entered])
        condition = self.merged.output < self.constant(limit)
        condition = tf.logical_not(condition) if inverted else condition
        self.condition = tf.raw_ops.LoopCond(input=condition) if marked else condition
        self.left, stays = self.switched(self.merged.output)
        back = tf.raw_ops.NextIteration(data=stays + self.constant(1))
        self.merged.output.op._update_input(1, back)

    def constant(self, value: Any) -> Any:
        """A constant brought in."""
        return tf.raw_ops.Enter(data=tf.constant(value), frame_name=self.name, is_constant=True)

    def switched(self, value: Any) -> tuple[Any, Any]:
        """A value as the loop is left, and as it goes on."""
        switch = tf.raw_ops.Switch(data=value, pred=self.condition)
        pair = switch.output_false, switch.output_true
        return pair[::-1] if self.inverted else pair


def leave(value: Any) -> Any:
    return tf.raw_ops.Exit(data=value)


def _enter(value: Any, name: str = "f") -> Any:
    return tf.raw_ops.Enter(data=tf.constant(value), frame_name=name)


def _computed_on_the_way_out() -> list[Any]:
    frame = Frame("f", 3)
    twice = frame.left * frame.constant(10)
    return [leave(frame.left), leave(twice + frame.constant(1))]


def _which_input_of_a_variable() -> list[Any]:
    results = []
    for limit in (0, 3):
        frame = Frame(f"f{limit}", limit)
        results.append(leave(frame.switched(frame.merged.value_index)[0]))
    return results


def _one_name() -> list[Any]:
    return [leave(Frame("f", limit).left) for limit in (3, 5)]


def _straight() -> list[Any]:
    constant = tf.raw_ops.Enter(data=tf.constant(7), frame_name="f", is_constant=True)
    next_one = tf.raw_ops.NextIteration(data=_enter(2) * constant)
    return [leave(_enter(2) * constant), leave(tf.raw_ops.NextIteration(data=next_one * constant))]


def _straight_in_a_loop() -> list[Any]:
    frame = Frame("f", 4)
    total = tf.raw_ops.Enter(data=tf.constant(0), frame_name="f")
    merged = tf.raw_ops.Merge(inputs=[total, total]).output
    left, stays = frame.switched(merged)
    inner = tf.raw_ops.Exit(data=tf.raw_ops.Enter(data=stays, frame_name="inner"))
    merged.op._update_input(1, tf.raw_ops.NextIteration(data=inner + frame.constant(5)))
    return [leave(left), leave(frame.left)]


# What TensorFlow computes; two loops of one name it refuses, though they have nothing in common.
PROGRAMS: dict[str, tuple[Callable[[], list[Any]], list[int]]] = {
    "marked": (lambda: [leave(Frame("f", 3).left)], [3]),
    "not marked": (lambda: [leave(Frame("f", 3, marked=False).left)], [3]),
    "left where true": (lambda: [leave(Frame("f", 3, inverted=True).left)], [3]),
    "not marked, left where true": (lambda: [leave(Frame("f", 3, marked=False, inverted=True).left)], [3]),
    "computed on the way out": (_computed_on_the_way_out, [3, 31]),
    "which input of a variable": (_which_input_of_a_variable, [0, 1]),
    "two of one name": (_one_name, [3, 5]),
    "no loop": (_straight, [14, 98]),
    "no loop in a loop": (_straight_in_a_loop, [20, 4]),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_frame_computes_what_it_does_in_tensorflow(name: str) -> None:
    build, want = PROGRAMS[name]
    fetches = build()
    with tf.Session() as sess:
        assert sess.run(fetches) == want
        assert [sess.run(f) for f in fetches] == want


def test_an_effect_on_the_way_out_happens_once() -> None:
    seen: list[int] = []

    def note(value: np.int32) -> np.int32:
        seen.append(int(value))
        return value

    frame = Frame("f", 4)
    noted = leave(tf.py_func(note, [frame.left], tf.int32))
    with tf.Session() as sess:
        assert sess.run(noted) == 4
    assert seen == [4]


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: leave(tf.constant(1)), "leaves a loop but is in none"),
        (lambda: leave(Frame("f", 3).entered) + leave(Frame("f", 3).merged.output), "condition"),
    ],
    ids=["no frame", "left at any time"],
)
def test_what_no_loop_can_be_made_of_is_refused(build: Callable[[], Any], words: str) -> None:
    fetch = build()
    with tf.Session() as sess, pytest.raises(tf.errors.OpError, match=words):
        sess.run(fetch)
