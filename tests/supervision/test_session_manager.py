"""A session manager restores, initializes or waits, and says what is missing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ferroflow as tf


@pytest.fixture
def variable() -> Any:
    return tf.Variable(1, name="v")


def saved(folder: Path, value: int) -> str:
    """The prefix of a checkpoint that has `v` with a value."""
    with tf.Graph().as_default():
        variable = tf.Variable(value, name="v")
        saver = tf.train.Saver()
        with tf.Session() as sess:
            sess.run(variable.initializer)
            return saver.save(sess, str(folder / "model.ckpt"), global_step=value)


def manager(**kwargs: Any) -> Any:
    return tf.train.SessionManager(ready_op=tf.report_uninitialized_variables(), **kwargs)


class Recorder:
    """A callable that counts its calls and initializes what it is given."""

    def __init__(self, op: Any = None) -> None:
        self.op = op
        self.calls = 0

    def __call__(self, sess: Any) -> None:
        self.calls += 1
        if self.op is not None:
            sess.run(self.op)


class TestPrepareSession:
    def test_variables_are_initialized_where_there_is_no_checkpoint(self, variable: Any, tmp_path: Path) -> None:
        sess = manager().prepare_session(
            "", init_op=variable.initializer, saver=tf.train.Saver(), checkpoint_dir=str(tmp_path)
        )
        assert sess.run(variable) == 1

    def test_the_initializer_is_fed(self) -> None:
        start = tf.placeholder(tf.int32, [])
        variable = tf.Variable(start)
        sess = manager().prepare_session("", init_op=variable.initializer, init_feed_dict={start: 7})
        assert sess.run(variable) == 7

    def test_the_function_runs_after_the_operation(self, variable: Any) -> None:
        other = tf.Variable(variable + 1)
        init_fn = Recorder(other.initializer)
        sess = manager().prepare_session("", init_op=variable.initializer, init_fn=init_fn)
        assert sess.run(other) == 2
        assert init_fn.calls == 1

    def test_a_checkpoint_is_restored_instead(self, variable: Any, tmp_path: Path) -> None:
        saved(tmp_path, 5)
        init_fn = Recorder()
        sess = manager().prepare_session(
            "",
            init_op=variable.initializer,
            init_fn=init_fn,
            saver=tf.train.Saver(),
            checkpoint_dir=str(tmp_path),
        )
        assert sess.run(variable) == 5
        assert init_fn.calls == 0

    def test_a_named_checkpoint_is_restored(self, variable: Any, tmp_path: Path) -> None:
        first = saved(tmp_path, 5)
        saved(tmp_path, 6)
        sess = manager().prepare_session("", saver=tf.train.Saver(), checkpoint_filename_with_path=first)
        assert sess.run(variable) == 5

    def test_the_saver_goes_on_deleting_old_checkpoints(self, variable: Any, tmp_path: Path) -> None:
        first = saved(tmp_path, 5)
        saver = tf.train.Saver(max_to_keep=1)
        sess = manager().prepare_session("", saver=saver, checkpoint_dir=str(tmp_path))
        assert saver.last_checkpoints == [first]
        saver.save(sess, str(tmp_path / "model.ckpt"), global_step=6)
        assert not tf.train.checkpoint_exists(first)

    def test_a_folder_and_a_file_are_too_much(self, variable: Any) -> None:
        with pytest.raises(ValueError, match="Can not provide both checkpoint_dir and checkpoint_filename_with_path"):
            manager().prepare_session("", checkpoint_dir="a", checkpoint_filename_with_path="b")

    def test_nothing_to_initialize_with_is_an_error(self, variable: Any) -> None:
        with pytest.raises(RuntimeError, match="Model is not initialized and no init_op or init_fn or local_init_op"):
            manager().prepare_session("")

    def test_variables_that_stay_without_value_are_named(self, variable: Any) -> None:
        tf.Variable(2, name="forgotten")
        message = r"Init op: init, .*local_init_op: None, error: Variables not initialized: forgotten"
        with pytest.raises(RuntimeError, match=message):
            manager().prepare_session("", init_op=tf.variables_initializer([variable]))

    def test_local_variables_are_initialized_after_the_global_ones(self, variable: Any) -> None:
        local = tf.Variable(variable + 1, collections=[tf.GraphKeys.LOCAL_VARIABLES])
        sess = manager(
            local_init_op=local.initializer,
            ready_for_local_init_op=tf.report_uninitialized_variables([variable]),
        ).prepare_session("", init_op=variable.initializer)
        assert sess.run(local) == 2

    def test_a_model_that_is_not_ready_for_them_is_an_error(self, variable: Any) -> None:
        local = tf.Variable(variable + 1, collections=[tf.GraphKeys.LOCAL_VARIABLES])
        made = manager(
            local_init_op=local.initializer,
            ready_for_local_init_op=tf.report_uninitialized_variables([variable]),
        )
        message = "ready for local_init.  Init op: None, init fn: .*, error: Variables not initialized: v"
        with pytest.raises(RuntimeError, match=message):
            made.prepare_session("", init_fn=Recorder())

    def test_the_local_initializer_is_fed(self) -> None:
        start = tf.placeholder(tf.int32, [])
        local = tf.Variable(start, collections=[tf.GraphKeys.LOCAL_VARIABLES])
        made = manager(local_init_op=local.initializer, local_init_feed_dict={start: 3})
        assert made.prepare_session("").run(local) == 3

    def test_a_session_that_cannot_be_prepared_is_closed(self, variable: Any) -> None:
        seen: list[Any] = []
        with pytest.raises(RuntimeError):
            manager().prepare_session("", init_fn=seen.append)
        with pytest.raises(RuntimeError, match="closed Session"):
            seen[0].run(variable)

    def test_a_checkpoint_can_be_waited_for(
        self, variable: Any, tmp_path: Path, clock: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def sleep(seconds: float) -> None:
            clock.sleeps.append(seconds)
            if len(clock.sleeps) == 3:
                saved(tmp_path, 9)

        monkeypatch.setattr(clock, "sleep", sleep)
        sess = manager(recovery_wait_secs=4).prepare_session(
            "",
            init_op=variable.initializer,
            saver=tf.train.Saver(),
            checkpoint_dir=str(tmp_path),
            wait_for_checkpoint=True,
        )
        assert sess.run(variable) == 9
        assert clock.sleeps == [4, 4, 4]

    def test_the_wait_has_an_end(self, variable: Any, tmp_path: Path, clock: Any) -> None:
        sess = manager(recovery_wait_secs=4).prepare_session(
            "",
            init_op=variable.initializer,
            saver=tf.train.Saver(),
            checkpoint_dir=str(tmp_path),
            wait_for_checkpoint=True,
            max_wait_secs=10,
        )
        assert sess.run(variable) == 1
        assert clock.sleeps == [4, 4, 4]


class TestRecoverSession:
    def test_without_a_checkpoint_the_session_is_not_ready(self, variable: Any, tmp_path: Path) -> None:
        sess, is_ready = manager().recover_session("", saver=tf.train.Saver(), checkpoint_dir=str(tmp_path))
        assert not is_ready
        assert not sess.run(tf.is_variable_initialized(variable))

    def test_a_checkpoint_makes_it_ready(self, variable: Any, tmp_path: Path) -> None:
        saved(tmp_path, 5)
        sess, is_ready = manager().recover_session("", saver=tf.train.Saver(), checkpoint_dir=str(tmp_path))
        assert is_ready
        assert sess.run(variable) == 5

    def test_a_checkpoint_that_lacks_variables_does_not(self, variable: Any, tmp_path: Path, logged: list[str]) -> None:
        saved(tmp_path, 5)
        tf.Variable(2, name="w")
        _, is_ready = manager().recover_session("", saver=tf.train.Saver([variable]), checkpoint_dir=str(tmp_path))
        assert not is_ready
        assert logged[-1].endswith("did not make model ready: Variables not initialized: w")


class TestWaitForSession:
    def test_it_waits_until_the_model_is_ready(self, clock: Any) -> None:
        # A variable would not do: each session without a server has its own.
        missing = np.array([b"v"], np.object_)
        ready = tf.numpy_function(lambda: missing[clock.now >= 1_000_010 :], [], tf.string)
        made = tf.train.SessionManager(ready_op=ready, recovery_wait_secs=4)
        made.wait_for_session("", max_wait_secs=100)
        assert clock.sleeps == [0.25, 0.5, 1, 2, 4, 4]

    def test_it_gives_up_when_the_time_is_over(self, variable: Any, clock: Any) -> None:
        with pytest.raises(tf.errors.DeadlineExceededError, match="Session was not ready after waiting 10 secs"):
            manager(recovery_wait_secs=4).wait_for_session("", max_wait_secs=10)
        assert clock.sleeps == [0.25, 0.5, 1, 2, 4]

    def test_the_sessions_that_were_not_ready_are_closed(
        self, variable: Any, clock: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        closed: list[Any] = []
        monkeypatch.setattr(tf.Session, "close", lambda sess: closed.append(sess))
        with pytest.raises(tf.errors.DeadlineExceededError):
            manager(recovery_wait_secs=4).wait_for_session("", max_wait_secs=10)
        assert len(closed) == 6


def test_a_check_before_local_initialization_needs_a_local_initializer() -> None:
    with pytest.raises(ValueError, match="If you pass a ready_for_local_init_op you must also pass a local_init_op"):
        tf.train.SessionManager(ready_for_local_init_op=tf.constant(["x"]))


def test_a_failing_assertion_counts_as_not_ready(variable: Any) -> None:
    made = tf.train.SessionManager(ready_op=tf.assert_variables_initialized())
    with pytest.raises(RuntimeError, match="Init operations did not make model ready"):
        made.prepare_session("", init_fn=Recorder())
    sess = made.prepare_session("", init_op=variable.initializer)
    assert sess.run(variable) == 1
