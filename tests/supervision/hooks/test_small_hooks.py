"""Hooks that wait, feed, look at the loss, and fetch at the end."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

import ferroflow as tf


class TestGlobalStepWaiter:
    def test_the_first_step_waits_for_the_others(self, clock: Any, logged: list[str]) -> None:
        counter = tf.train.get_or_create_global_step()
        step = tf.assign_add(counter, 1)
        hook = tf.train.GlobalStepWaiterHook(wait_until_step=5_000)
        with tf.train.SingularMonitoredSession(hooks=[hook]) as sess:

            def sleep(seconds: float) -> None:
                clock.sleeps.append(seconds)
                counter.load(sess.raw_session().run(counter) + 700, sess.raw_session())

            clock.sleep = sleep
            assert sess.run(step) == 5_601
            assert sess.run(step) == 5_602
        assert clock.sleeps == [0.5] * 8
        waiting = [line for line in logged if line.startswith("Waiting for global step")]
        assert waiting[0] == "Waiting for global step 5000 before starting training."
        assert [line.split()[-1] for line in waiting[1:]] == ["1400.", "2800.", "4200."]

    def test_step_zero_is_not_waited_for(self, clock: Any) -> None:
        step = tf.assign_add(tf.train.get_or_create_global_step(), 1)
        with tf.train.MonitoredSession(hooks=[tf.train.GlobalStepWaiterHook(wait_until_step=0)]) as sess:
            assert sess.run(step) == 1
        assert not clock.sleeps

    def test_a_global_step_is_needed(self) -> None:
        with pytest.raises(RuntimeError, match="Global step should be created to use _GlobalStepWaiterHook"):
            tf.train.GlobalStepWaiterHook(wait_until_step=1).begin()


class TestFeedFn:
    def test_each_step_gets_a_new_value(self) -> None:
        x = tf.placeholder(tf.int32, [])
        numbers = itertools.count()
        with tf.train.MonitoredSession(hooks=[tf.train.FeedFnHook(lambda: {x: next(numbers)})]) as sess:
            assert [sess.run(x) for _ in range(3)] == [0, 1, 2]


class TestNanTensor:
    @pytest.fixture
    def loss(self) -> Any:
        x = tf.placeholder_with_default(1.0, [], name="x")
        return tf.log(x)

    def test_a_number_is_fine(self, loss: Any) -> None:
        with tf.train.MonitoredSession(hooks=[tf.train.NanTensorHook(loss)]) as sess:
            sess.run(loss)
            sess.run(loss, {"x:0": 0.0})
            assert not sess.should_stop()

    def test_no_number_fails(self, loss: Any) -> None:
        sess = tf.train.MonitoredSession(hooks=[tf.train.NanTensorHook(loss)])
        with pytest.raises(tf.train.NanLossDuringTrainingError, match=r"NaN loss during training\."):
            sess.run(loss, {"x:0": -1.0})

    def test_or_stops(self, loss: Any, logged: list[str]) -> None:
        hook = tf.train.NanTensorHook(loss, fail_on_nan_loss=False)
        with tf.train.MonitoredSession(hooks=[hook]) as sess:
            sess.run(loss, {"x:0": -1.0})
            assert sess.should_stop()
        assert "Model diverged with loss = NaN." in logged


class TestFinalOps:
    def test_the_values_are_those_of_the_end_in_the_nest_that_was_given(self) -> None:
        counter = tf.train.get_or_create_global_step()
        x = tf.placeholder(tf.int64, [])
        hook = tf.train.FinalOpsHook({"sum": counter.read_value() + x, "rest": [counter]}, {x: 10})
        assert hook.final_ops_values is None
        step = tf.assign_add(counter, 1)
        with tf.train.MonitoredSession(hooks=[hook]) as sess:
            sess.run(step)
            sess.run(step)
        assert hook.final_ops_values == {"sum": 12, "rest": [2]}

    def test_nothing_may_be_asked_for(self) -> None:
        hook = tf.train.FinalOpsHook(None)
        hook.end(None)
        assert hook.final_ops_values is None

    def test_input_that_has_ended_is_explained(self, logged: list[str]) -> None:
        item = tf.data.Dataset.range(2).make_one_shot_iterator().get_next()
        sess = tf.train.MonitoredSession(hooks=[tf.train.FinalOpsHook(item)])
        for _ in range(2):
            sess.run(item)
        with pytest.raises(tf.errors.OutOfRangeError):
            sess.close()
        assert any("ran out of input" in line for line in logged)
