"""`Supervisor`: prepares a session, restores and saves it, and manages its service threads."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ferroflow._src.base import dtypes, proto, tf_logging
from ferroflow._src.base.deprecation import warn_deprecated
from ferroflow._src.base.typing import DictLike, FeedDict, IntLike, ListLike, SessionObject, TensorLike
from ferroflow._src.checkpoint.meta_graph_export import create_meta_graph_def
from ferroflow._src.checkpoint.saver import Saver
from ferroflow._src.framework.default_graph import add_to_collection, get_collection, get_default_graph
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.graph_files import write_graph
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.input.coordinator import Coordinator, LooperThread
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.lookup.table import tables_initializer
from ferroflow._src.summary.file_writer import FileWriter
from ferroflow._src.summary.merging import merge_all
from ferroflow._src.supervision.session_manager import SessionManager
from ferroflow._src.supervision.supervisor_services import (
    SVStepCounterThread,
    SVSummaryThread,
    SVTimerCheckpointThread,
)
from ferroflow._src.training.global_step import global_step as global_step_value
from ferroflow._src.variables.collections import global_variables
from ferroflow._src.variables.initialization import (
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
)


def _found(key: str) -> Any:
    """Returns the first element of a collection; None if it is empty."""
    elements = get_collection(key)
    if len(elements) > 1:
        tf_logging.info("Found %d %s operations. Returning the first one.", len(elements), key)
    return elements[0] if elements else None


def _found_or_made(key: str, make: Callable[[], Any]) -> Any:
    """Returns the first element of a collection; if it is empty, a new one that is put there, if one can be made."""
    element = _found(key)
    if element is None:
        element = make()
        if element is not None:
            add_to_collection(key, element)
    return element


def _default_local_init_op() -> Any:
    return group(local_variables_initializer(), tables_initializer())


def _default_saver() -> Saver | None:
    return Saver() if global_variables() else None


def _default_global_step() -> Any:
    try:
        step = get_default_graph().get_tensor_by_name("global_step:0")
    except KeyError:
        return None
    if step.dtype.base_dtype in (dtypes.int32, dtypes.int64):
        # The variable rather than its tensor: that is what graphs write of this collection.
        return next((variable for variable in global_variables() if variable.op is step.op), step)
    tf_logging.warning("Found 'global_step' is not an int type: %s", step.dtype)
    return None


class Supervisor:
    """Supervisor of training.

    It restores the newest checkpoint at the start, saves checkpoints and summaries in threads, and stops all threads if
    one fails.

    An argument equal to `USE_DEFAULT` (0) is taken from the graph's collections or created; None means none. The graph
    is final once the supervisor is created.

    Args:
        graph: Graph; the default one by default.
        ready_op: string vector Tensor, the names of the objects that are not initialized.
        ready_for_local_init_op: string vector Tensor, the names of the objects that `local_init_op` still waits for.
        is_chief: bool; True if this worker initializes, saves and writes summaries; other workers wait for the chief.
        init_op: Operation that initializes the variables.
        init_feed_dict: dict of values to feed to `init_op`, as `Session.run` takes it.
        local_init_op: Operation that initializes local variables and tables.
        logdir: str, folder of checkpoints and summaries, or None.
        summary_op: string scalar Tensor, all summaries merged.
        saver: Saver of the variables.
        global_step: int scalar Tensor or variable that counts the steps.
        save_summaries_secs: float, seconds between two summaries; 0 for never.
        save_model_secs: float, seconds between two checkpoints; 0 for never.
        recovery_wait_secs: float, seconds between two checks whether the chief is ready.
        stop_grace_secs: float, seconds that threads have to end.
        checkpoint_basename: str, the first part of the checkpoints' names.
        session_manager: SessionManager; None for a new one.
        summary_writer: FileWriter of the summaries.
        init_fn: callable with the session as argument, run after `init_op`.
        local_init_run_options: RunOptions for `local_init_op`.

    Raises:
        ValueError: if this is not the chief, and a variable has no device.

    Example:
        >>> step = tf.train.create_global_step()
        >>> increment = tf.assign_add(step, 1)
        >>> supervisor = tf.train.Supervisor(logdir="logs", save_model_secs=0, summary_op=None)
        >>> with supervisor.managed_session() as session:
        ...     while not supervisor.should_stop() and session.run(increment) < 5:
        ...         pass
        ...     print(session.run(step))
        5
    """

    USE_DEFAULT = 0

    def __init__(
        self,
        graph: Graph | None = None,
        ready_op: TensorLike = USE_DEFAULT,
        ready_for_local_init_op: object = USE_DEFAULT,
        is_chief: bool = True,
        init_op: object = USE_DEFAULT,
        init_feed_dict: FeedDict | None = None,
        local_init_op: object = USE_DEFAULT,
        logdir: str | None = None,
        summary_op: TensorLike = USE_DEFAULT,
        saver: object = USE_DEFAULT,
        global_step: IntLike = USE_DEFAULT,
        save_summaries_secs: float | None = 120,
        save_model_secs: float | None = 600,
        recovery_wait_secs: float = 30,
        stop_grace_secs: float = 120,
        checkpoint_basename: str = "model.ckpt",
        session_manager: SessionManager | None = None,
        summary_writer: object = USE_DEFAULT,
        init_fn: Callable[[Any], Any] | None = None,
        local_init_run_options: object = None,
    ) -> None:
        warn_deprecated("tf.train.Supervisor", "tf.train.MonitoredTrainingSession")
        self._graph = get_default_graph() if graph is None else graph

        def chosen(given: Any, key: str, make: Callable[[], Any]) -> Any:
            return _found_or_made(key, make) if given is Supervisor.USE_DEFAULT else given

        with self._graph.as_default():
            self._ready_op = chosen(ready_op, GraphKeys.READY_OP, report_uninitialized_variables)
            self._ready_for_local_init_op = chosen(
                ready_for_local_init_op, GraphKeys.READY_FOR_LOCAL_INIT_OP, lambda: None
            )
            self._init_op = chosen(init_op, GraphKeys.INIT_OP, global_variables_initializer)
            self._local_init_op = chosen(local_init_op, GraphKeys.LOCAL_INIT_OP, _default_local_init_op)
            self._saver = chosen(saver, GraphKeys.SAVERS, _default_saver)
            self._summary_op = chosen(summary_op, GraphKeys.SUMMARY_OP, merge_all)
            self._global_step = chosen(global_step, GraphKeys.GLOBAL_STEP, _default_global_step)
        self._init_feed_dict = init_feed_dict
        self._init_fn = init_fn
        self._meta_graph_def = create_meta_graph_def(
            graph_def=self._graph.as_graph_def(add_shapes=True),
            saver_def=self._saver.saver_def if self._saver else None,
        )
        self._is_chief = is_chief
        self._coord = Coordinator()
        self._stop_grace_secs = stop_grace_secs
        self._logdir: str | None = None
        self._save_summaries_secs: float | None = None
        self._save_model_secs: float | None = None
        self._save_path: str | None = None
        self._summary_writer: Any = None
        self._graph_added_to_summary = False
        if is_chief:
            self._logdir = None if logdir is None else os.fspath(logdir)
            self._save_summaries_secs = save_summaries_secs
            self._save_model_secs = save_model_secs
            if self._logdir:
                self._save_path = os.path.join(self._logdir, checkpoint_basename)
            if summary_writer is not Supervisor.USE_DEFAULT:
                self._summary_writer = summary_writer
            elif self._logdir:
                self._summary_writer = FileWriter(self._logdir)
        self._session_manager = session_manager or SessionManager(
            local_init_op=self._local_init_op,
            ready_op=self._ready_op,
            ready_for_local_init_op=self._ready_for_local_init_op,
            graph=self._graph,
            recovery_wait_secs=recovery_wait_secs,
            local_init_run_options=local_init_run_options,
        )
        self._verify_setup()
        self._graph.finalize()

    def _verify_setup(self) -> None:
        """Raises an error if this is not the chief and a variable has no device: other workers share the variables."""
        if self._is_chief:
            return
        for op in self._graph.get_operations():
            if op.type in ("Variable", "VariableV2") and not op.device:
                raise ValueError(f"When using replicas, all Variables must have their device set: {op}")

    @property
    def is_chief(self) -> bool:
        """True if this worker is the chief."""
        return self._is_chief

    @property
    def session_manager(self) -> SessionManager:
        """The session manager."""
        return self._session_manager

    @property
    def coord(self) -> Coordinator:
        """The coordinator of the threads."""
        return self._coord

    @property
    def init_op(self) -> Any:
        """The operation that initializes the variables."""
        return self._init_op

    @property
    def init_feed_dict(self) -> Any:
        """The feeds of `init_op`."""
        return self._init_feed_dict

    @property
    def ready_op(self) -> Any:
        """The names of uninitialized variables."""
        return self._ready_op

    @property
    def ready_for_local_init_op(self) -> Any:
        """The names of the objects that the local initializer waits for."""
        return self._ready_for_local_init_op

    @property
    def summary_writer(self) -> Any:
        """The writer of the summaries; None without `logdir`, or if this is not the chief."""
        return self._summary_writer

    @property
    def summary_op(self) -> Any:
        """All summaries merged."""
        return self._summary_op

    @property
    def save_summaries_secs(self) -> float | None:
        """The seconds between two summaries; 0 or None for never."""
        return self._save_summaries_secs

    @property
    def global_step(self) -> Any:
        """The integer tensor that counts the steps, or None."""
        return self._global_step

    @property
    def saver(self) -> Any:
        """The saver of the variables."""
        return self._saver

    @property
    def save_model_secs(self) -> float | None:
        """The seconds between two checkpoints; 0 or None for never."""
        return self._save_model_secs

    @property
    def save_path(self) -> str | None:
        """The first part of the checkpoints' paths."""
        return self._save_path

    def _write_graph(self) -> None:
        if self._logdir:
            write_graph(self._graph.as_graph_def(add_shapes=True), self._logdir, "graph.pbtxt")
        if self._summary_writer and not self._graph_added_to_summary:
            self._summary_writer.add_graph(self._graph)
            self._summary_writer.add_meta_graph(self._meta_graph_def)
            self._graph_added_to_summary = True

    def start_standard_services(self, sess: SessionObject) -> list[LooperThread] | None:
        """Starts the threads that save summaries and checkpoints and count steps.

        Args:
            sess: Session.

        Returns:
            list of LooperThread; None if there is no `logdir`.

        Raises:
            RuntimeError: if this is not the chief.
        """
        if not self._is_chief:
            raise RuntimeError(
                "Only chief supervisor can start standard services. Because only chief supervisors can write events."
            )
        if not self._logdir:
            tf_logging.warning("Standard services need a 'logdir' passed to the SessionManager")
            return None
        if self._global_step is not None and self._summary_writer:
            step = global_step_value(sess, self._global_step)
            self._summary_writer.add_session_log(proto.SessionLog(status=proto.SessionLog.START), step)
        threads: list[LooperThread] = []
        if self._save_summaries_secs and self._summary_writer:
            if self._summary_op is not None:
                threads.append(SVSummaryThread(self, sess))
            if self._global_step is not None:
                threads.append(SVStepCounterThread(self, sess))
        if self._saver and self._save_model_secs:
            threads.append(SVTimerCheckpointThread(self, sess))
        for thread in threads:
            thread.start()
        return threads

    def prepare_or_wait_for_session(
        self,
        master: str = "",
        config: Any = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        start_standard_services: bool = True,
    ) -> Any:
        """Makes a session: as chief with restored or initialized variables, otherwise once the chief has done that.

        Args:
            master: str, the target of the session.
            config: ConfigProto of the session.
            wait_for_checkpoint: bool. If True, a chief waits until there is a checkpoint.
            max_wait_secs: float, seconds to wait at most.
            start_standard_services: bool. If True, the threads of the services and queue runners are started.

        Returns:
            Session.

        Raises:
            RuntimeError: if the model is not ready after its initialization.
            tf.errors.DeadlineExceededError: if the chief was not ready in time.
        """
        # All threads may have been stopped, and the writer closed, by an earlier session.
        self._coord.clear_stop()
        if self._summary_writer:
            self._summary_writer.reopen()
        if self._is_chief:
            sess = self._session_manager.prepare_session(
                master,
                init_op=self._init_op,
                saver=self._saver,
                checkpoint_dir=self._logdir,
                wait_for_checkpoint=wait_for_checkpoint,
                max_wait_secs=max_wait_secs,
                config=config,
                init_feed_dict=self._init_feed_dict,
                init_fn=self._init_fn,
            )
        else:
            sess = self._session_manager.wait_for_session(master, config=config, max_wait_secs=max_wait_secs)
        try:
            self._start(sess, start_standard_services)
        except BaseException:
            sess.close()
            raise
        return sess

    def _start(self, sess: Any, starts_services: bool) -> None:
        """Writes the graph, and starts the services and queue runners of a new session."""
        if self._is_chief:
            self._write_graph()
            if starts_services:
                tf_logging.info("Starting standard services.")
                self.start_standard_services(sess)
        if starts_services:
            tf_logging.info("Starting queue runners.")
            self.start_queue_runners(sess)

    def start_queue_runners(
        self, sess: SessionObject, queue_runners: Iterable[Any] | None = None
    ) -> list[threading.Thread]:
        """Starts the threads of queue runners.

        Args:
            sess: Session.
            queue_runners: list of QueueRunner; by default those of the graph, which a session of this supervisor starts
                by itself.

        Returns:
            list of threading.Thread.
        """
        if queue_runners is None:
            queue_runners = self._graph.get_collection(GraphKeys.QUEUE_RUNNERS)
        return [
            thread
            for runner in queue_runners
            for thread in runner.create_threads(sess, coord=self._coord, daemon=True, start=True)
        ]

    def loop(
        self,
        timer_interval_secs: float | None,
        target: Callable[..., Any],
        args: ListLike | None = None,
        kwargs: DictLike | None = None,
    ) -> LooperThread:
        """Starts a thread that calls a function repeatedly until the supervisor stops.

        Args:
            timer_interval_secs: float, seconds between the beginnings of two calls; None for one after the other.
            target: callable that is called repeatedly.
            args: tuple of its arguments.
            kwargs: dict of its keyword arguments.

        Returns:
            LooperThread, started.
        """
        return LooperThread.loop(self._coord, timer_interval_secs, target=target, args=args, kwargs=kwargs)

    def stop(
        self,
        threads: Iterable[threading.Thread] | None = None,
        close_summary_writer: bool = True,
        ignore_live_threads: bool = False,
    ) -> None:
        """Stops the services and the other threads; the session stays open.

        Args:
            threads: list of threading.Thread to wait for, besides those that the supervisor started.
            close_summary_writer: bool. If True, the writer of the summaries is closed.
            ignore_live_threads: bool. If True, threads that do not end in time are not an error.

        Raises:
            BaseException: if a thread reported an exception; the first one.
            RuntimeError: if threads have not ended in time.
        """
        self._coord.request_stop()
        try:
            self._coord.join(
                threads, stop_grace_period_secs=self._stop_grace_secs, ignore_live_threads=ignore_live_threads
            )
        finally:
            # After the threads, which may have been writing.
            if close_summary_writer and self._summary_writer:
                self._summary_writer.add_session_log(proto.SessionLog(status=proto.SessionLog.STOP))
                self._summary_writer.close()
                self._graph_added_to_summary = False

    def request_stop(self, ex: Any = None) -> None:
        """Requests the threads to stop.

        Args:
            ex: the exception being handled, or a tuple as returned by `sys.exc_info()`; the first one is raised by
                `stop`.
        """
        self._coord.request_stop(ex=ex)

    def should_stop(self) -> bool:
        """Returns True if a stop has been requested."""
        return self._coord.should_stop()

    def stop_on_exception(self) -> contextlib.AbstractContextManager[None]:
        """Returns a context manager that gives exceptions of its body to `request_stop`, and raises none."""
        return self._coord.stop_on_exception()

    def wait_for_stop(self) -> None:
        """Waits until a stop is requested."""
        self._coord.wait_for_stop()

    def summary_computed(self, sess: SessionObject, summary: Any, global_step: int | None = None) -> None:
        """Writes a summary that the program computed.

        Args:
            sess: Session.
            summary: bytes or `Summary` message.
            global_step: int, the training step; None for the value in the session.

        Raises:
            TypeError: if `summary` is neither bytes nor a `Summary`.
            RuntimeError: if there is no writer, because `logdir` is not set, or this is not the chief.
        """
        if not self._summary_writer:
            raise RuntimeError("Writing a summary requires a summary writer.")
        if global_step is None and self._global_step is not None:
            global_step = global_step_value(sess, self._global_step)
        self._summary_writer.add_summary(summary, global_step)

    @contextlib.contextmanager
    def managed_session(
        self,
        master: str = "",
        config: Any = None,
        start_standard_services: bool = True,
        close_summary_writer: bool = True,
    ) -> Iterator[Any]:
        """Yields a session, then stops its threads and closes it at the end of the `with` block.

        Args:
            master: str, the target of the session.
            config: ConfigProto of the session.
            start_standard_services: bool. If True, the threads of the services and queue runners are started.
            close_summary_writer: bool. If True, the writer of the summaries is closed at the end.

        Yields:
            Session.

        Raises:
            BaseException: if the block or a thread raised an exception other than `OutOfRangeError`, the end of input;
                the first one.
        """
        sess = None
        try:
            sess = self.prepare_or_wait_for_session(
                master=master, config=config, start_standard_services=start_standard_services
            )
            yield sess
        except Exception as failure:
            self.request_stop(failure)
        finally:
            try:
                self.stop(close_summary_writer=close_summary_writer)
            finally:
                if sess is not None:
                    # A queue operation that ignores the stop ends with the session.
                    with contextlib.suppress(Exception):
                        sess.close()

    # TF 1.x: the names from before its release.
    PrepareSession = prepare_or_wait_for_session
    StartQueueRunners = start_queue_runners
    StartStandardServices = start_standard_services
    Stop = stop
    RequestStop = request_stop
    Loop = loop
    ShouldStop = should_stop
    StopOnException = stop_on_exception
    WaitForStop = wait_for_stop
    SummaryComputed = summary_computed
