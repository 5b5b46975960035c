"""A supervisor prepares a session, looks after the threads that serve it, and can start again after a stop."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from deprecations import logs_deprecation
from supervision.event_files import events_in, scalars_in, statuses_in

import ferroflow as tf
from ferroflow._src.supervision.supervisor_services import SVStepCounterThread

pytestmark = pytest.mark.filterwarnings("ignore:tf.train.Supervisor is deprecated")

WAIT = 60


@pytest.fixture
def step() -> Any:
    """The operation that counts, of which a summary shows the value."""
    counter = tf.train.get_or_create_global_step()
    tf.summary.scalar("counter", counter)
    return tf.assign_add(counter, 1)


class Calls:
    """A function for threads to call, and the moment of its so many-th call."""

    def __init__(self, count: int) -> None:
        self.left = count
        self.done = threading.Event()
        self.arguments: list[Any] = []

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        self.arguments.append((args, kwargs))
        self.left -= 1
        if self.left == 0:
            self.done.set()


def saved_steps(folder: Path) -> list[int]:
    return sorted(int(path.stem.split("-")[1]) for path in folder.glob("*.index"))


class TestArguments:
    def test_what_is_not_given_is_made_and_put_into_the_collections(self, step: Any, graph: Any) -> None:
        supervisor = tf.train.Supervisor()
        for name in ("init_op", "ready_op", "summary_op", "global_step"):
            assert tf.get_collection(getattr(tf.GraphKeys, name.upper())) == [getattr(supervisor, name)]
        assert tf.get_collection(tf.GraphKeys.SAVERS) == [supervisor.saver]
        assert supervisor.ready_for_local_init_op is None
        assert (supervisor.save_summaries_secs, supervisor.save_model_secs) == (120, 600)
        assert supervisor.is_chief
        assert graph.finalized

    def test_what_is_in_the_collections_is_taken(self, step: Any) -> None:
        names = ("init_op", "ready_op", "ready_for_local_init_op", "local_init_op", "summary_op")
        ops = {name: tf.constant([b""], name=name) for name in names}
        for name, op in ops.items():
            tf.add_to_collection(getattr(tf.GraphKeys, name.upper()), op)
        supervisor = tf.train.Supervisor()
        for name in ("init_op", "ready_op", "ready_for_local_init_op", "summary_op"):
            assert getattr(supervisor, name) is ops[name]

    def test_zero_asks_for_the_default(self, step: Any, tmp_path: Path) -> None:
        default = tf.train.Supervisor.USE_DEFAULT
        assert default == 0
        supervisor = tf.train.Supervisor(
            logdir=str(tmp_path), ready_op=default, init_op=default, saver=0, summary_writer=0, global_step=0
        )
        assert isinstance(supervisor.saver, tf.train.Saver)
        assert isinstance(supervisor.summary_writer, tf.summary.FileWriter)
        assert supervisor.init_op is not None
        assert supervisor.global_step is not None

    def test_none_asks_for_none(self, step: Any, tmp_path: Path) -> None:
        supervisor = tf.train.Supervisor(
            logdir=str(tmp_path),
            ready_op=None,
            saver=None,
            summary_op=None,
            summary_writer=None,
            global_step=None,
            local_init_op=None,
        )
        pieces = ("ready_op", "saver", "summary_op", "summary_writer", "global_step")
        assert [getattr(supervisor, name) for name in pieces] == [None] * 5
        with supervisor.managed_session() as sess:
            assert sess.run(step) == 1
        assert sorted(path.name for path in tmp_path.iterdir()) == ["graph.pbtxt"]

    def test_what_is_given_is_taken(self, step: Any, tmp_path: Path) -> None:
        writer = tf.summary.FileWriter(str(tmp_path))
        manager = tf.train.SessionManager(ready_op=None)
        supervisor = tf.train.Supervisor(
            summary_writer=writer,
            session_manager=manager,
            save_model_secs=7,
            save_summaries_secs=8,
            checkpoint_basename="mine",
            logdir=str(tmp_path),
        )
        assert supervisor.summary_writer is writer
        assert supervisor.session_manager is manager
        assert (supervisor.save_model_secs, supervisor.save_summaries_secs) == (7, 8)
        assert supervisor.save_path == str(tmp_path / "mine")

    def test_the_graph_may_be_another_one(self, graph: Any) -> None:
        with tf.Graph().as_default() as other:
            v = tf.Variable(3)
        with tf.train.Supervisor(graph=other).managed_session() as sess:
            assert sess.graph is other
            assert sess.run(v) == 3
        assert not graph.finalized

    def test_a_step_that_is_no_integer_is_not_taken(self, logged: list[str]) -> None:
        tf.Variable(1.0, name="global_step")
        assert tf.train.Supervisor().global_step is None
        assert any("Found 'global_step' is not an int type" in line for line in logged)

    def test_other_workers_share_variables_which_need_a_device(self) -> None:
        tf.Variable(1, name="v")
        with pytest.raises(ValueError, match="all Variables must have their device set"):
            tf.train.Supervisor(is_chief=False)
        with tf.Graph().as_default():
            with tf.device("/job:ps/task:0"):
                tf.Variable(1, name="v")
            supervisor = tf.train.Supervisor(is_chief=False, logdir="nowhere")
        assert (supervisor.save_path, supervisor.summary_writer) == (None, None)

    def test_using_it_is_deprecated(self) -> None:
        with logs_deprecation("use tf.train.MonitoredTrainingSession instead"):
            tf.train.Supervisor()


class TestSession:
    def test_variables_tables_and_local_variables_are_initialized(self, step: Any) -> None:
        local = tf.Variable(5, collections=[tf.GraphKeys.LOCAL_VARIABLES])
        table = tf.contrib.lookup.HashTable(
            tf.contrib.lookup.KeyValueTensorInitializer(["a"], tf.constant([7], tf.int64)), -1
        )
        found = table.lookup(tf.constant(["a", "b"]))
        with tf.train.Supervisor().managed_session() as sess:
            assert sess.run(local) == 5
            assert sess.run(found).tolist() == [7, -1]

    def test_the_initializer_is_fed_and_a_function_is_called(self) -> None:
        start = tf.placeholder(tf.int32, [])
        first, second = tf.Variable(start), tf.Variable(start)
        supervisor = tf.train.Supervisor(
            init_op=first.initializer,
            init_feed_dict={start: 4},
            init_fn=lambda sess: sess.run(second.initializer, {start: 6}),
        )
        with supervisor.managed_session() as sess:
            assert sess.run([first, second]) == [4, 6]

    def test_the_checkpoint_in_the_folder_is_restored(self, step: Any, tmp_path: Path) -> None:
        for expected in (1, 2, 3):
            with tf.Graph().as_default():
                counter = tf.train.create_global_step()
                count = tf.assign_add(counter, 1)
                supervisor = tf.train.Supervisor(logdir=str(tmp_path))
                with supervisor.managed_session(start_standard_services=False) as sess:
                    assert sess.run(count) == expected
                    supervisor.saver.save(sess, supervisor.save_path, global_step=supervisor.global_step)

    def test_the_session_has_the_configuration(self, step: Any) -> None:
        config = tf.ConfigProto(device_count={"CPU": 2})
        with tf.train.Supervisor().managed_session(config=config) as sess:
            assert len(sess.list_devices()) == 2

    def test_a_failure_is_raised_when_all_is_closed(self, step: Any) -> None:
        supervisor = tf.train.Supervisor()
        with pytest.raises(ZeroDivisionError), supervisor.managed_session() as sess:
            raise ZeroDivisionError
        assert supervisor.should_stop()
        with pytest.raises(RuntimeError, match="closed Session"):
            sess.run(step)

    def test_the_end_of_input_is_no_failure(self, step: Any) -> None:
        supervisor = tf.train.Supervisor()
        with supervisor.managed_session():
            raise tf.errors.OutOfRangeError(None, None, "no more")
        assert supervisor.should_stop()

    def test_a_session_that_cannot_be_prepared_is_a_failure(self, step: Any) -> None:
        supervisor = tf.train.Supervisor(init_op=tf.no_op())
        with pytest.raises(RuntimeError, match="Variables not initialized: global_step"):
            supervisor.managed_session().__enter__()

    def test_a_session_whose_services_cannot_start_is_closed(
        self, step: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        seen: list[Any] = []

        def fail(sess: Any) -> None:
            seen.append(sess)
            raise ZeroDivisionError

        supervisor = tf.train.Supervisor(logdir=str(tmp_path))
        monkeypatch.setattr(supervisor, "start_standard_services", fail)
        with pytest.raises(ZeroDivisionError):
            supervisor.prepare_or_wait_for_session()
        with pytest.raises(RuntimeError, match="closed Session"):
            seen[0].run(step)

    def test_another_session_follows_a_stop(self, step: Any, tmp_path: Path) -> None:
        supervisor = tf.train.Supervisor(logdir=str(tmp_path))
        for expected in (1, 2):
            sess = supervisor.prepare_or_wait_for_session()
            assert not supervisor.should_stop()
            assert sess.run(step) == expected
            supervisor.saver.save(sess, supervisor.save_path, global_step=supervisor.global_step)
            supervisor.stop()
            sess.close()
        starts = [status for status, _ in statuses_in(tmp_path) if status == tf.SessionLog.START]
        stops = [status for status, _ in statuses_in(tmp_path) if status == tf.SessionLog.STOP]
        assert (len(starts), len(stops)) == (2, 2)

    def test_the_writer_may_be_left_open(self, step: Any, tmp_path: Path) -> None:
        supervisor = tf.train.Supervisor(logdir=str(tmp_path))
        with supervisor.managed_session(close_summary_writer=False):
            pass
        supervisor.summary_writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag="late", simple_value=1)]), 5)
        supervisor.summary_writer.close()
        assert scalars_in(tmp_path, "late") == [(5, 1.0)]

    def test_other_workers_wait_for_the_chief(self, clock: Any) -> None:
        with tf.device("/cpu:0"):
            tf.Variable(1)
        supervisor = tf.train.Supervisor(is_chief=False, recovery_wait_secs=5)
        with pytest.raises(tf.errors.DeadlineExceededError, match="Session was not ready after waiting 20 secs"):
            supervisor.prepare_or_wait_for_session(max_wait_secs=20)
        assert clock.sleeps == [0.25, 0.5, 1, 2, 4, 5, 5]


class TestServices:
    def test_each_runs_at_once_and_leaves_its_mark(self, step: Any, tmp_path: Path) -> None:
        supervisor = tf.train.Supervisor(logdir=str(tmp_path))
        with supervisor.managed_session():
            pass
        # Each thread runs once before it looks whether to stop, unless it was stopped before it began.
        kinds = [event.WhichOneof("what") for event in events_in(tmp_path)]
        assert {"graph_def", "meta_graph_def", "session_log"} <= set(kinds)
        assert statuses_in(tmp_path)[0] == (tf.SessionLog.START, 0)
        assert statuses_in(tmp_path)[-1][0] == tf.SessionLog.STOP
        assert (tmp_path / "graph.pbtxt").exists()

    def test_checkpoints_summaries_and_speed_come_from_threads(
        self, step: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        supervisor = tf.train.Supervisor(logdir=str(tmp_path), save_summaries_secs=0.001, save_model_secs=0.001)
        saved, written = Calls(2), Calls(6)
        save, add = supervisor.saver.save, supervisor.summary_writer.add_summary

        def save_noted(*args: Any, **kwargs: Any) -> Any:
            result = save(*args, **kwargs)
            saved()
            return result

        def add_noted(*args: Any, **kwargs: Any) -> None:
            add(*args, **kwargs)
            written()

        monkeypatch.setattr(supervisor.saver, "save", save_noted)
        monkeypatch.setattr(supervisor.summary_writer, "add_summary", add_noted)
        with supervisor.managed_session() as sess:
            sess.run(step)
            assert saved.done.wait(WAIT)
            assert written.done.wait(WAIT)
        assert saved_steps(tmp_path)
        assert scalars_in(tmp_path, "counter")
        assert scalars_in(tmp_path, "global_step/sec")
        assert tf.SessionLog.CHECKPOINT in [status for status, _ in statuses_in(tmp_path)]

    def test_intervals_of_zero_turn_them_off(self, step: Any, tmp_path: Path) -> None:
        supervisor = tf.train.Supervisor(logdir=str(tmp_path), save_summaries_secs=0, save_model_secs=0)
        sess = supervisor.prepare_or_wait_for_session(start_standard_services=False)
        assert supervisor.start_standard_services(sess) == []

    def test_which_threads_there_are(self, step: Any, tmp_path: Path) -> None:
        supervisor = tf.train.Supervisor(logdir=str(tmp_path))
        sess = supervisor.prepare_or_wait_for_session(start_standard_services=False)
        threads = supervisor.start_standard_services(sess)
        names = ["SVSummaryThread", "SVStepCounterThread", "SVTimerCheckpointThread"]
        assert [type(thread).__name__ for thread in threads] == names
        supervisor.stop()
        assert not any(thread.is_alive() for thread in threads)

    def test_they_need_a_folder(self, step: Any, logged: list[str]) -> None:
        supervisor = tf.train.Supervisor()
        with supervisor.managed_session() as sess:
            assert supervisor.start_standard_services(sess) is None
        assert "Standard services need a 'logdir' passed to the SessionManager" in logged

    def test_they_are_the_chiefs(self) -> None:
        supervisor = tf.train.Supervisor(is_chief=False)
        with pytest.raises(RuntimeError, match="Only chief supervisor can start standard services"):
            supervisor.start_standard_services(None)

    def test_the_speed_is_that_since_the_last_time(self, step: Any, tmp_path: Path, clock: Any) -> None:
        supervisor = tf.train.Supervisor(logdir=str(tmp_path), save_summaries_secs=0, save_model_secs=0)
        with supervisor.managed_session() as sess:
            counter = SVStepCounterThread(supervisor, sess)
            counter.start_loop()
            for _ in range(6):
                sess.run(step)
            clock.advance(2)
            counter.run_loop()
            clock.advance(4)
            counter.run_loop()
            counter.run_loop()
            # It was never started, so that nobody could wait for it.
            supervisor.coord._registered_threads.discard(counter)
        assert scalars_in(tmp_path, "global_step/sec") == [(6, 3.0), (6, 0.0), (6, float("inf"))]


class TestThreads:
    def test_loops_call_until_the_supervisor_stops(self, step: Any) -> None:
        supervisor = tf.train.Supervisor()
        calls = Calls(3)
        with supervisor.managed_session():
            looper = supervisor.loop(0.0, calls, args=(1,), kwargs={"b": 2})
            assert isinstance(looper, tf.train.LooperThread)
            assert calls.done.wait(WAIT)
        assert not looper.is_alive()
        assert calls.arguments[0] == ((1,), {"b": 2})

    def test_the_failure_of_a_thread_ends_the_session_and_is_raised(self, step: Any) -> None:
        supervisor = tf.train.Supervisor()

        def fail() -> None:
            raise ZeroDivisionError("in the thread")

        session = supervisor.managed_session()
        session.__enter__()
        supervisor.loop(None, fail)
        supervisor.wait_for_stop()
        with pytest.raises(ZeroDivisionError, match="in the thread"):
            session.__exit__(None, None, None)

    def test_the_failure_of_a_service_is_one(self, step: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(*args: Any, **kwargs: Any) -> None:
            raise OSError("the disk is full")

        supervisor = tf.train.Supervisor(logdir=str(tmp_path))
        monkeypatch.setattr(supervisor.saver, "save", fail)
        session = supervisor.managed_session()
        session.__enter__()
        supervisor.wait_for_stop()
        with pytest.raises(OSError, match="the disk is full"):
            session.__exit__(None, None, None)

    def test_queue_runners_of_the_graph_and_others_are_started(self) -> None:
        queue, other = (tf.FIFOQueue(10, [tf.int32], shapes=[[]]) for _ in range(2))
        tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(1)]))
        runner = tf.train.QueueRunner(other, [other.enqueue(2)])
        items = [queue.dequeue(), other.dequeue()]
        supervisor = tf.train.Supervisor()
        with supervisor.managed_session() as sess:
            threads = supervisor.start_queue_runners(sess, [runner])
            assert sess.run(items) == [1, 2]
        assert threads
        assert not any(thread.is_alive() for thread in threads)

    def test_a_stop_can_be_asked_for_and_a_body_guarded(self, step: Any) -> None:
        supervisor = tf.train.Supervisor()
        assert not supervisor.should_stop()
        with supervisor.stop_on_exception():
            raise ZeroDivisionError
        assert supervisor.should_stop()
        with pytest.raises(ZeroDivisionError):
            supervisor.stop()
        supervisor.coord.clear_stop()
        supervisor.request_stop()
        assert supervisor.should_stop()

    def test_old_spellings_are_the_same_methods(self) -> None:
        cls = tf.train.Supervisor
        assert cls.PrepareSession is cls.prepare_or_wait_for_session
        assert cls.StartQueueRunners is cls.start_queue_runners
        assert cls.StartStandardServices is cls.start_standard_services
        assert cls.Stop is cls.stop
        assert cls.RequestStop is cls.request_stop
        assert cls.Loop is cls.loop
        assert cls.ShouldStop is cls.should_stop
        assert cls.StopOnException is cls.stop_on_exception
        assert cls.WaitForStop is cls.wait_for_stop
        assert cls.SummaryComputed is cls.summary_computed


class TestSummaryComputed:
    def test_it_is_written_at_the_step_of_the_session(self, step: Any, tmp_path: Path) -> None:
        supervisor = tf.train.Supervisor(logdir=str(tmp_path), save_summaries_secs=0, save_model_secs=0)
        with supervisor.managed_session() as sess:
            sess.run(step)
            supervisor.summary_computed(sess, sess.run(supervisor.summary_op))
            supervisor.summary_computed(sess, sess.run(supervisor.summary_op), global_step=77)
        assert scalars_in(tmp_path, "counter") == [(1, 1.0), (77, 1.0)]

    def test_it_needs_a_writer(self, step: Any) -> None:
        with pytest.raises(RuntimeError, match="Writing a summary requires a summary writer"):
            tf.train.Supervisor().summary_computed(None, b"")

    def test_other_things_are_refused(self, step: Any, tmp_path: Path) -> None:
        supervisor = tf.train.Supervisor(logdir=str(tmp_path), save_summaries_secs=0, save_model_secs=0)
        with supervisor.managed_session() as sess:
            for wrong in (1, "text", ["x"]):
                with pytest.raises(TypeError, match="summary must be bytes or a Summary message"):
                    supervisor.summary_computed(sess, wrong)
