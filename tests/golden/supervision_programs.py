"""Supervised trainings, and what can be told of them afterwards; for TensorFlow 1.x's interface, whoever offers it."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from typing import Any

STEPS = (7, 12)


def _model(tf: Any) -> tuple[Any, Any]:
    x = tf.Variable(4.0, name="x")
    step = tf.train.get_or_create_global_step()
    loss = tf.square(x, name="loss")
    tf.summary.scalar("loss", loss)
    tf.get_local_variable("local", initializer=3)
    return tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step), loss


def _operations(tf: Any) -> list[str]:
    """The operations that supervision adds: gradients, and the many of savers, are compared elsewhere."""
    names = [op.name for op in tf.get_default_graph().get_operations()]
    return sorted(name for name in names if not re.match("gradients|save|GradientDescent", name))


def _events(tf: Any, folder: str) -> list[Any]:
    """(what, step) of all events, oldest file first."""
    events = []
    files = [os.path.join(folder, name) for name in os.listdir(folder) if name.startswith("events")]
    for file in sorted(files, key=os.path.getmtime):
        for event in tf.train.summary_iterator(file):
            what = event.WhichOneof("what")
            if what == "summary":
                what = f"summary of {event.summary.value[0].tag}"
            elif what == "session_log":
                what = f"session log {event.session_log.status}"
            events.append([what, event.step])
    return events


def _files(folder: str) -> list[str]:
    return sorted(name for name in os.listdir(folder) if not name.startswith("events"))


def _calls_hook(tf: Any, calls: list[str]) -> Any:
    class Calls(tf.train.SessionRunHook):  # type: ignore[misc]  # of the module that is given
        def begin(self) -> None:
            calls.append("begin")

        def after_create_session(self, session: Any, coord: Any) -> None:
            calls.append("after_create_session")

        def before_run(self, run_context: Any) -> Any:
            calls.append("before_run")

        def after_run(self, run_context: Any, run_values: Any) -> None:
            calls.append(f"after_run {run_values.results} {run_values.options.trace_level}")

        def end(self, session: Any) -> None:
            calls.append("end")

    return Calls()


def monitored(tf: Any, folder: str) -> dict[str, Any]:
    """Two runs of a monitored training session with all of its services; the second goes on from the first."""
    calls: list[str] = []
    for last_step in STEPS:
        with tf.Graph().as_default():
            train_op, loss = _model(tf)
            hooks = [
                _calls_hook(tf, calls),
                tf.train.StopAtStepHook(last_step=last_step),
                tf.train.NanTensorHook(loss),
            ]
            with tf.train.MonitoredTrainingSession(
                checkpoint_dir=folder,
                hooks=hooks,
                save_checkpoint_steps=3,
                save_summaries_steps=2,
                log_step_count_steps=4,
            ) as session:
                while not session.should_stop():
                    session.run(train_op)
            operations = _operations(tf)
    tf.summary.FileWriterCache.clear()
    return {"calls": calls, "operations": operations, "events": _events(tf, folder), "files": _files(folder)}


def supervisor(tf: Any, folder: str) -> dict[str, Any]:
    """Two sessions of supervisors without threads, in which the program saves and writes summaries."""
    steps = []
    events: list[Any] = []
    for _ in range(2):
        with tf.Graph().as_default():
            train_op, _ = _model(tf)
            sv = tf.train.Supervisor(logdir=folder, save_model_secs=0, save_summaries_secs=0)
            with sv.managed_session() as session:
                steps.append(int(session.run(sv.global_step)))
                session.run(train_op)
                sv.summary_computed(session, session.run(sv.summary_op))
                sv.saver.save(session, sv.save_path, global_step=sv.global_step)
            operations = _operations(tf)
        # Of the first session: TensorFlow's next file may have the same name, which ends in a time in seconds.
        events = events or _events(tf, folder)
    return {"steps": steps, "operations": operations, "events": events, "files": _files(folder)}


def failures(tf: Any, folder: str) -> list[list[str]]:
    """The class and the message of what is raised where sessions cannot be prepared, or are used wrongly."""
    del folder
    raised = []
    for program in (
        _not_initialized,
        _not_ready_for_local_initialization,
        _never_ready,
        _two_feeds,
        _wrong_step_function,
        _final_graph,
        _no_global_step,
        _closed_twice,
    ):
        with tf.Graph().as_default():
            try:
                program(tf)
            except Exception as error:
                raised.append([type(error).__name__, re.sub(r"<function .*?>", "<function>", str(error))])
    return raised


def _not_initialized(tf: Any) -> None:
    _model(tf)
    manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables())
    manager.prepare_session("", init_op=tf.no_op(name="nothing"))


def _not_ready_for_local_initialization(tf: Any) -> None:
    _model(tf)
    manager = tf.train.SessionManager(
        local_init_op=tf.local_variables_initializer(),
        ready_for_local_init_op=tf.report_uninitialized_variables(tf.global_variables()),
    )
    manager.prepare_session("", init_op=tf.no_op(name="nothing"))


def _never_ready(tf: Any) -> None:
    _model(tf)
    manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables(), recovery_wait_secs=1)
    manager.wait_for_session("", max_wait_secs=0)


def _two_feeds(tf: Any) -> None:
    x = tf.placeholder(tf.float32, [])
    session = tf.train.MonitoredSession(hooks=[tf.train.FeedFnHook(lambda: {"x:0": 1.0})] * 2)
    session.run(x)


def _wrong_step_function(tf: Any) -> None:
    _model(tf)
    tf.train.MonitoredSession().run_step_fn(lambda context: None)


def _final_graph(tf: Any) -> None:
    _model(tf)
    with tf.train.MonitoredSession():
        tf.constant(1)


def _no_global_step(tf: Any) -> None:
    tf.Variable(1)
    tf.train.StopAtStepHook(last_step=1).begin()


def _closed_twice(tf: Any) -> None:
    _model(tf)
    session = tf.train.MonitoredSession()
    session.close()
    session.close()


PROGRAMS: tuple[Callable[[Any, str], Any], ...] = (monitored, supervisor, failures)


def results(tf: Any, folder: str) -> dict[str, Any]:
    """What all programs give, by name; in folders of their own, which must not be there."""
    found = {}
    for program in PROGRAMS:
        inner = os.path.join(folder, program.__name__)
        shutil.rmtree(inner, ignore_errors=True)
        found[program.__name__] = program(tf, inner)
    return found
