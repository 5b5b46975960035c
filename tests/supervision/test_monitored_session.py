"""A monitored session calls hooks around its steps, recovers where a machine went away, and ends cleanly."""

from __future__ import annotations

import functools
from typing import Any

import pytest

import ferroflow as tf


class Diary(tf.train.SessionRunHook):
    """Notes what it is called for."""

    def __init__(self, fetches: Any = None, feed_dict: Any = None, options: Any = None) -> None:
        self.calls: list[str] = []
        self.values: list[Any] = []
        self.args = tf.train.SessionRunArgs(fetches, feed_dict, options)

    def begin(self) -> None:
        self.calls.append("begin")

    def after_create_session(self, session: Any, coord: Any) -> None:
        assert isinstance(session, tf.Session)
        assert isinstance(coord, tf.train.Coordinator)
        self.calls.append("after_create_session")

    def before_run(self, run_context: Any) -> Any:
        self.calls.append("before_run")
        return self.args

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self.calls.append("after_run")
        self.values.append(run_values)

    def end(self, session: Any) -> None:
        self.calls.append("end")


class FailsOnce(tf.train.SessionRunHook):
    """Raises an error after one of its steps."""

    def __init__(self, error: Exception, step: int = 0) -> None:
        self.error = error
        self.left = step + 1

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self.left -= 1
        if self.left == 0:
            raise self.error


ABORTED = tf.errors.AbortedError(None, None, "restarted")
UNAVAILABLE = tf.errors.UnavailableError(None, None, "gone")


@pytest.fixture
def step() -> Any:
    """The operation that counts, and the counter's value after it."""
    counter = tf.train.get_or_create_global_step()
    return tf.assign_add(counter, 1)


class TestHooks:
    def test_they_are_called_in_turn(self, step: Any) -> None:
        diary = Diary()
        with tf.train.MonitoredSession(hooks=[diary]) as sess:
            sess.run(step)
            sess.run(step)
        assert diary.calls == ["begin", "after_create_session", *["before_run", "after_run"] * 2, "end"]

    def test_begin_may_add_to_the_graph_which_is_final_then_and_not_after(self, step: Any, graph: Any) -> None:
        class Adds(tf.train.SessionRunHook):
            def begin(self) -> None:
                self.tensor = tf.constant(5)

            def before_run(self, run_context: Any) -> Any:
                assert graph.finalized
                return tf.train.SessionRunArgs(self.tensor)

            def after_run(self, run_context: Any, run_values: Any) -> None:
                assert run_values.results == 5

        with tf.train.MonitoredSession(hooks=[Adds()]) as sess:
            assert sess.graph is graph
            sess.run(step)
            with pytest.raises(RuntimeError, match="finalized"):
                tf.constant(1)
        assert not graph.finalized

    def test_a_graph_that_was_final_stays_so(self, step: Any, graph: Any) -> None:
        scaffold = tf.train.Scaffold().finalize()
        creator = tf.train.ChiefSessionCreator(scaffold)
        with tf.train.MonitoredSession(creator) as sess:
            sess.run(step)
        assert graph.finalized

    def test_what_they_fetch_runs_in_the_same_step_in_their_own_nest(self, step: Any) -> None:
        a, b = tf.constant(1), tf.constant(2)
        diaries = [Diary({"a": a, "rest": [b, (a, step)]}), Diary(), Diary(b)]
        with tf.train.MonitoredSession(hooks=diaries) as sess:
            assert sess.run({"step": step, "op": step.op, "pair": (a, b)}) == {"step": 1, "op": None, "pair": (1, 2)}
        assert [d.values[0].results for d in diaries] == [{"a": 1, "rest": [2, (1, 1)]}, None, 2]

    def test_they_see_what_the_program_asked_for(self, step: Any) -> None:
        x = tf.placeholder(tf.int32, [])
        seen = []

        class Sees(tf.train.SessionRunHook):
            def before_run(self, run_context: Any) -> None:
                seen.append((run_context.original_args, run_context.session, run_context.stop_requested))

        with tf.train.SingularMonitoredSession(hooks=[Sees()]) as sess:
            sess.run([x], feed_dict={x: 3})
            assert seen == [(tf.train.SessionRunArgs([x], {x: 3}), sess.raw_session(), False)]

    def test_they_feed(self) -> None:
        x, y = tf.placeholder(tf.int32, []), tf.placeholder(tf.int32, [])
        with tf.train.MonitoredSession(hooks=[Diary(feed_dict={x: 3})]) as sess:
            assert sess.run(x) == 3
            assert sess.run([x, y], {y: 4}) == [3, 4]
            with pytest.raises(RuntimeError, match="Same tensor is fed by a SessionRunHook and user"):
                sess.run(x, {x: 5})

    def test_two_cannot_feed_one_tensor(self) -> None:
        x = tf.placeholder(tf.int32, [])
        hooks = [Diary(feed_dict={x: 3}), Diary(feed_dict={x: 3})]
        with (
            tf.train.MonitoredSession(hooks=hooks) as sess,
            pytest.raises(RuntimeError, match="Same tensor is fed by two hooks"),
        ):
            sess.run(x)

    def test_the_options_of_all_are_merged_and_the_programs_own_left_alone(self, step: Any) -> None:
        diary = Diary(options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE, timeout_in_ms=10_000))
        other = Diary(options=tf.RunOptions(timeout_in_ms=60_000))
        mine = tf.RunOptions(inter_op_thread_pool=-1, timeout_in_ms=20_000)
        with tf.train.MonitoredSession(hooks=[diary, other]) as sess:
            sess.run(step, options=mine)
        used = diary.values[0].options
        assert (used.trace_level, used.timeout_in_ms) == (tf.RunOptions.FULL_TRACE, 60_000)
        assert mine == tf.RunOptions(inter_op_thread_pool=-1, timeout_in_ms=20_000)
        assert diary.values[0].run_metadata.step_stats.dev_stats
        assert other.values[0].run_metadata == diary.values[0].run_metadata

    def test_the_programs_metadata_are_filled(self, step: Any) -> None:
        diary = Diary()
        metadata = tf.RunMetadata()
        with tf.train.MonitoredSession(hooks=[diary]) as sess:
            sess.run(step, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata)
        assert metadata.step_stats.dev_stats
        assert diary.values[0].run_metadata is metadata

    def test_without_options_there_are_empty_messages(self, step: Any) -> None:
        diary = Diary()
        with tf.train.MonitoredSession(hooks=[diary]) as sess:
            sess.run(step)
        assert diary.values[0].options == tf.RunOptions()
        assert diary.values[0].run_metadata == tf.RunMetadata()

    def test_one_may_stop_the_training(self, step: Any) -> None:
        class Stops(tf.train.SessionRunHook):
            def after_run(self, run_context: Any, run_values: Any) -> None:
                run_context.request_stop()

        diary = Diary()
        with tf.train.MonitoredSession(hooks=[Stops(), diary]) as sess:
            assert not sess.should_stop()
            assert sess.run(step) == 1
            assert sess.should_stop()
            with pytest.raises(RuntimeError, match="Run called even after should_stop requested"):
                sess.run(step)
        assert diary.calls[-2:] == ["after_run", "end"]


class TestEnd:
    def test_a_failure_is_raised_and_ends_without_the_hooks(self, step: Any) -> None:
        diary = Diary()
        sess = tf.train.MonitoredSession(hooks=[diary])
        with pytest.raises(ZeroDivisionError), sess:
            raise ZeroDivisionError
        assert sess.should_stop()
        assert "end" not in diary.calls

    @pytest.mark.parametrize("error", [tf.errors.OutOfRangeError(None, None, "no more"), StopIteration()])
    def test_the_end_of_input_is_no_failure(self, step: Any, error: Exception) -> None:
        diary = Diary()
        with tf.train.MonitoredSession(hooks=[diary]) as sess:
            sess.run(step)
            raise error
        assert diary.calls[-1] == "end"

    def test_a_failing_hook_fails_the_step(self, step: Any) -> None:
        with (
            pytest.raises(ValueError, match="from the hook"),
            tf.train.MonitoredSession(hooks=[FailsOnce(ValueError("from the hook"))]) as sess,
        ):
            sess.run(step)

    def test_it_can_be_closed_once(self, step: Any) -> None:
        diary = Diary()
        sess = tf.train.MonitoredSession(hooks=[diary])
        sess.close()
        assert sess.should_stop()
        assert sess.graph is None
        with pytest.raises(RuntimeError, match="Session is already closed"):
            sess.close()
        with pytest.raises(RuntimeError, match="Session is already closed"):
            sess.run(step)
        assert diary.calls.count("end") == 1

    def test_the_session_inside_is_closed_when_a_hook_fails_at_the_end(self, step: Any) -> None:
        class Fails(tf.train.SessionRunHook):
            def end(self, session: Any) -> None:
                self.session = session
                raise ValueError("at the end")

        fails = Fails()
        with pytest.raises(ValueError, match="at the end"), tf.train.MonitoredSession(hooks=[fails]) as sess:
            sess.run(step)
        with pytest.raises(RuntimeError, match="closed Session"):
            fails.session.run(step)

    def test_the_session_is_closed_when_a_hook_refuses_it(self, step: Any) -> None:
        class Refuses(tf.train.SessionRunHook):
            def after_create_session(self, session: Any, coord: Any) -> None:
                self.session, self.coord = session, coord
                raise ValueError("refused")

        refuses = Refuses()
        with pytest.raises(ValueError, match="refused"):
            tf.train.MonitoredSession(hooks=[refuses])
        assert refuses.coord.should_stop()
        with pytest.raises(RuntimeError, match="closed Session"):
            refuses.session.run(step)

    def test_threads_of_queue_runners_feed_it_and_end_with_it(self) -> None:
        queue = tf.FIFOQueue(10, [tf.int32], shapes=[[]])
        tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(tf.constant(3))] * 2))
        item = queue.dequeue()
        with tf.train.MonitoredSession() as sess:
            coord = sess._coordinated_creator.coord
            assert sess.run(item) == 3
        assert coord.joined

    def test_the_failure_of_a_thread_ends_the_training_and_is_raised(self) -> None:
        queue = tf.FIFOQueue(10, [tf.float32], shapes=[[]])
        bad = tf.check_numerics(tf.constant(float("nan")), "no number")
        tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(bad)]))
        item = queue.dequeue()
        sess = tf.train.MonitoredSession()
        sess._coordinated_creator.coord.wait_for_stop()
        assert sess.should_stop()
        with pytest.raises(tf.errors.InvalidArgumentError, match="no number"), sess:
            sess.run(item)

    def test_the_end_of_a_queue_ends_the_training(self) -> None:
        queue = tf.train.string_input_producer(["a", "b"], num_epochs=3, shuffle=False)
        item = queue.dequeue()
        items = []
        with tf.train.MonitoredSession() as sess:
            while not sess.should_stop():
                items.append(sess.run(item))
        assert items == [b"a", b"b"] * 3


class TestRecovery:
    @pytest.mark.parametrize("error", [ABORTED, UNAVAILABLE])
    def test_the_step_runs_again_in_a_new_session(self, step: Any, error: Exception) -> None:
        diary = Diary()
        with tf.train.MonitoredSession(hooks=[diary, FailsOnce(error, 1)]) as sess:
            assert sess.run(step) == 1
            # The first session's counter is gone with it: this program has no checkpoints.
            assert sess.run(step) == 1
            assert sess.run(step) == 2
            assert not sess.should_stop()
        assert diary.calls.count("after_create_session") == 2
        assert diary.calls.count("begin") == diary.calls.count("end") == 1

    def test_a_singular_session_raises_instead(self, step: Any) -> None:
        with (
            pytest.raises(tf.errors.AbortedError),
            tf.train.SingularMonitoredSession(hooks=[FailsOnce(ABORTED)]) as sess,
        ):
            sess.run(step)

    def test_a_session_that_cannot_be_made_is_tried_again_at_longer_and_longer_intervals(
        self, step: Any, clock: Any
    ) -> None:
        class Unreachable(tf.train.ChiefSessionCreator):
            left = 11

            def create_session(self) -> Any:
                self.left -= 1
                if self.left:
                    raise UNAVAILABLE
                return super().create_session()

        with tf.train.MonitoredSession(Unreachable()) as sess:
            assert sess.run(step) == 1
        assert clock.sleeps == pytest.approx([0, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5, 5, 5])

    def test_the_log_says_why_in_one_line(self, step: Any, logged: list[str]) -> None:
        class Fails(tf.train.SessionRunHook):
            left = 1

            def after_run(self, run_context: Any, run_values: Any) -> None:
                if self.left:
                    self.left = 0
                    raise tf.errors.UnavailableError(step.op.node_def, step.op, "the machine is gone")

        with tf.train.MonitoredSession(hooks=[Fails()]) as sess:
            sess.run(step)
        (line,) = [line for line in logged if "An error was raised" in line]
        assert line.endswith("Error: the machine is gone")

    def test_the_state_comes_back_from_the_last_checkpoint(self, step: Any, tmp_path: Any) -> None:
        saves = tf.train.CheckpointSaverHook(str(tmp_path), save_steps=2, scaffold=(scaffold := tf.train.Scaffold()))
        creator = tf.train.ChiefSessionCreator(scaffold, checkpoint_dir=str(tmp_path))
        with tf.train.MonitoredSession(creator, [saves, FailsOnce(ABORTED, 4)]) as sess:
            assert [sess.run(step) for _ in range(7)] == [1, 2, 3, 4, 5, 6, 7]

    def test_a_thread_that_lost_its_machine_is_no_failure_of_the_program(self, step: Any) -> None:
        class Reports(tf.train.SessionRunHook):
            made = 0

            def after_create_session(self, session: Any, coord: Any) -> None:
                self.made += 1
                self.coord = coord

        reports = Reports()
        with tf.train.MonitoredSession(hooks=[reports]) as sess:
            assert sess.run(step) == 1
            try:
                raise ABORTED
            except tf.errors.AbortedError as error:
                reports.coord.request_stop(error)
            assert not sess.should_stop()
            assert sess.run(step) == 1
        assert reports.made == 2

    def test_a_step_that_fails_because_a_thread_lost_its_machine_is_run_again(self, step: Any) -> None:
        class FailsWithItsThread(tf.train.SessionRunHook):
            left = 1

            def after_create_session(self, session: Any, coord: Any) -> None:
                self.coord = coord

            def after_run(self, run_context: Any, run_values: Any) -> None:
                if self.left:
                    self.left -= 1
                    self.coord.request_stop((type(ABORTED), ABORTED, None))
                    raise tf.errors.CancelledError(None, None, "the queue was closed")

        with tf.train.MonitoredSession(hooks=[FailsWithItsThread()]) as sess:
            assert sess.run(step) == 1

    def test_other_failures_of_a_thread_do_not_hide_that_of_the_step(self, step: Any) -> None:
        class FailsBoth(tf.train.SessionRunHook):
            def after_create_session(self, session: Any, coord: Any) -> None:
                self.coord = coord

            def after_run(self, run_context: Any, run_values: Any) -> None:
                error = ValueError("of the thread")
                self.coord.request_stop((ValueError, error, None))
                raise tf.errors.CancelledError(None, None, "of the step")

        sess = tf.train.MonitoredSession(hooks=[FailsBoth()])
        with pytest.raises(tf.errors.CancelledError, match="of the step"):
            sess.run(step)
        with pytest.raises(ValueError, match="of the thread"):
            sess.close()


class TestStepFunctions:
    def test_they_run_steps_with_and_without_hooks(self, step: Any) -> None:
        diary = Diary()

        def step_fn(step_context: Any) -> Any:
            step_context.session.run(step)
            return step_context.run_with_hooks(step)

        with tf.train.MonitoredSession(hooks=[diary]) as sess:
            assert sess.run_step_fn(step_fn) == 2
        assert diary.calls.count("before_run") == 1

    def test_they_may_end_the_training(self, step: Any) -> None:
        diary = Diary()
        with tf.train.MonitoredSession(hooks=[diary]) as sess:
            sess.run_step_fn(lambda step_context: step_context.request_stop())
        assert diary.calls[-1] == "end"

    def test_they_are_called_again_after_a_failure_with_the_new_session(self, step: Any) -> None:
        seen = []

        def step_fn(step_context: Any) -> Any:
            seen.append(step_context.session)
            step_context.session.run(step)
            if len(seen) == 1:
                raise ABORTED
            return step_context.run_with_hooks(step)

        with tf.train.MonitoredSession() as sess:
            assert sess.run_step_fn(step_fn) == 2
        assert seen[0] is not seen[1]

    def test_their_arguments_are_checked(self, step: Any) -> None:
        class Trainer:
            def method(self, step_context: Any) -> int:
                return 1

            def __call__(self, step_context: Any) -> int:
                return 2

        def more(step_context: Any, rate: float) -> float:
            return rate

        with tf.train.MonitoredSession() as sess:
            assert sess.run_step_fn(Trainer().method) == 1
            assert sess.run_step_fn(Trainer()) == 2
            assert sess.run_step_fn(functools.partial(more, rate=0.5)) == 0.5
            for wrong in (lambda: None, more, lambda context: None):
                with pytest.raises(ValueError, match="`step_fn` may either have one `step_context` argument"):
                    sess.run_step_fn(wrong)


def test_a_creator_must_make_sessions() -> None:
    class Idle(tf.train.SessionCreator):
        pass

    with pytest.raises(TypeError, match="create_session"):
        Idle()


def test_hooks_may_be_any_iterable_and_the_list_is_the_sessions_own(step: Any) -> None:
    diary = Diary()
    hooks = (hook for hook in [diary])
    with tf.train.MonitoredSession(hooks=hooks) as sess:
        sess.run(step)
    assert diary.calls[-1] == "end"
