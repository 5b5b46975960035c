"""`QueueRunner`: threads that fill a queue, and close it when their input ends."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from ferroflow._src.base import errors, proto, tf_logging
from ferroflow._src.base.fork_locks import RenewedLock
from ferroflow._src.base.typing import OperationObject, SessionObject
from ferroflow._src.framework.default_graph import get_default_graph
from ferroflow._src.framework.default_stacks import get_default_session
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.proto_functions import register_proto_function
from ferroflow._src.framework.scope_names import prepend_name_scope, strip_name_scope
from ferroflow._src.input.coordinator import Coordinator
from ferroflow._src.session.session import BaseSession


class QueueRunner:
    """Operations that fill a queue, each run repeatedly in a thread of its own.

    Args:
        queue: QueueBase.
        enqueue_ops: list of Operation, or of Tensor of any dtype and shape, to be run.
        close_op: Operation that closes the queue when the input has ended; made by default.
        cancel_op: Operation that closes the queue and fails pending enqueues; made by default.
        queue_closed_exception_types: tuple of subclasses of `tf.errors.OpError` that say that the input has ended; by
            default `(tf.errors.OutOfRangeError,)`.
        queue_runner_def: QueueRunnerDef to make it from, instead of the arguments above.
        import_scope: str, name scope of the names in `queue_runner_def`.

    Raises:
        ValueError: if both or neither of `queue_runner_def` and `queue` with `enqueue_ops` are given.
        TypeError: if `queue_closed_exception_types` is not a tuple of such types.

    Example:
        >>> queue = tf.FIFOQueue(10, tf.float32, shapes=[[]])
        >>> runner = tf.train.QueueRunner(queue, [queue.enqueue(tf.constant(5.0))] * 2)
        >>> tf.train.add_queue_runner(runner)
        >>> batch = queue.dequeue_many(3)
        >>> with tf.train.MonitoredSession() as session:
        ...     print(session.run(batch))
        [5. 5. 5.]
    """

    def __init__(
        self,
        queue: object = None,
        enqueue_ops: Sequence[Any] | None = None,
        close_op: OperationObject | None = None,
        cancel_op: OperationObject | None = None,
        queue_closed_exception_types: tuple[type[errors.OpError], ...] | None = None,
        queue_runner_def: object = None,
        import_scope: str | None = None,
    ) -> None:
        self._close_types: tuple[type[errors.OpError], ...]
        if queue_runner_def:
            if queue or enqueue_ops:
                raise ValueError("queue_runner_def and queue are mutually exclusive.")
            self._init_from_proto(queue_runner_def, import_scope)
        else:
            self._init_from_args(queue, enqueue_ops, close_op, cancel_op, queue_closed_exception_types)
        self._lock = RenewedLock()
        self._runs_per_session: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._exceptions_raised: list[BaseException] = []

    def _init_from_args(
        self,
        queue: Any,
        enqueue_ops: Sequence[Any] | None,
        close_op: Any,
        cancel_op: Any,
        types: tuple[type[errors.OpError], ...] | None,
    ) -> None:
        if not queue or not enqueue_ops:
            raise ValueError("Must provide queue and enqueue_ops.")
        if types is not None:
            is_types = isinstance(types, tuple) and all(issubclass(t, errors.OpError) for t in types)
            if not is_types or not types:
                raise TypeError(
                    f"queue_closed_exception_types, when provided, must be a tuple of tf.error types, but saw: {types}"
                )
        self._queue = queue
        self._enqueue_ops: Any = enqueue_ops
        self._close_op = queue.close() if close_op is None else close_op
        self._cancel_op = queue.close(cancel_pending_enqueues=True) if cancel_op is None else cancel_op
        self._close_types = types or (errors.OutOfRangeError,)

    def _init_from_proto(self, queue_runner_def: Any, import_scope: str | None) -> None:
        if not isinstance(queue_runner_def, proto.QueueRunnerDef):
            raise TypeError(f"queue_runner_def must be a QueueRunnerDef, not {type(queue_runner_def).__name__}.")
        graph = get_default_graph()

        def find(name: str) -> Any:
            return graph.as_graph_element(prepend_name_scope(name, import_scope))

        self._queue = find(queue_runner_def.queue_name)
        self._enqueue_ops = [find(name) for name in queue_runner_def.enqueue_op_name]
        self._close_op = find(queue_runner_def.close_op_name)
        self._cancel_op = find(queue_runner_def.cancel_op_name)
        codes = queue_runner_def.queue_closed_exception_types
        self._close_types = tuple(errors.exception_type_from_error_code(code) for code in codes)
        self._close_types = self._close_types or (errors.OutOfRangeError,)

    @property
    def queue(self) -> Any:
        """The queue; for a runner made from a QueueRunnerDef, the operation that makes it."""
        return self._queue

    @property
    def enqueue_ops(self) -> Any:
        """The operations that are run in threads."""
        return self._enqueue_ops

    @property
    def close_op(self) -> Any:
        """The operation that closes the queue."""
        return self._close_op

    @property
    def cancel_op(self) -> Any:
        """The operation that closes the queue and lets fail what waits for room."""
        return self._cancel_op

    @property
    def queue_closed_exception_types(self) -> tuple[type[errors.OpError], ...]:
        """The exceptions that say that the input has ended."""
        return self._close_types

    @property
    def exceptions_raised(self) -> list[BaseException]:
        """The exceptions of threads without a coordinator; exceptions of other threads are passed to the
        coordinator.
        """
        return self._exceptions_raised

    @property
    def name(self) -> str:
        """The name of the queue."""
        name: str = self._queue.name
        return name

    def _step(self, sess: Any, enqueue_op: Any) -> Callable[[], Any]:
        """Returns the function that a thread calls repeatedly."""
        step: Callable[[], Any] = sess.make_callable(enqueue_op)
        return step

    def _run(self, sess: Any, enqueue_op: Any, coord: Coordinator | None = None) -> None:
        """Runs the operation repeatedly, until the input or the work has ended."""
        is_counted = True
        try:
            enqueue = self._step(sess, enqueue_op)
            while not (coord and coord.should_stop()):
                try:
                    enqueue()
                except self._close_types:
                    with self._lock:
                        self._runs_per_session[sess] -= 1
                        is_counted = False
                        is_last = self._runs_per_session[sess] == 0
                    if is_last:
                        self._run_quietly(sess, self._close_op)
                    return
        except Exception as e:
            if coord:
                coord.request_stop(e)
            else:
                tf_logging.error("Exception in QueueRunner: %s", e)
                with self._lock:
                    self._exceptions_raised.append(e)
                raise
        finally:
            if is_counted:
                with self._lock:
                    self._runs_per_session[sess] -= 1

    @staticmethod
    def _run_quietly(sess: Any, op: Any) -> None:
        """Closes the queue; that it was closed before, or the session is, does not matter."""
        try:
            sess.run(op)
        except Exception as e:
            tf_logging.vlog(1, "Ignored exception: %s", e)

    def _close_on_stop(self, sess: Any, cancel_op: Any, coord: Coordinator) -> None:
        """Closes the queue once a stop is requested; runs in a thread of its own."""
        coord.wait_for_stop()
        self._run_quietly(sess, cancel_op)

    def create_threads(
        self, sess: SessionObject, coord: Coordinator | None = None, daemon: bool = False, start: bool = False
    ) -> list[threading.Thread]:
        """Makes the threads, one for each operation, and with a coordinator one that closes the queue when it stops.

        Args:
            sess: Session to run the operations in.
            coord: Coordinator that stops the threads and gets their failures.
            daemon: bool. If True, the program may end while they run.
            start: bool. If True, they are started.

        Returns:
            list of threading.Thread; empty while earlier threads for this session run.
        """
        with self._lock:
            if self._runs_per_session.get(sess, 0) > 0:
                return []
            self._runs_per_session[sess] = len(self._enqueue_ops)
            self._exceptions_raised = []
        threads = [
            threading.Thread(target=self._run, args=(sess, op, coord), name=f"QueueRunnerThread-{self.name}-{op.name}")
            for op in self._enqueue_ops
        ]
        if coord:
            name = f"QueueRunnerThread-{self.name}-close_on_stop"
            args = (sess, self._cancel_op, coord)
            threads.append(threading.Thread(target=self._close_on_stop, args=args, name=name))
        for thread in threads:
            if coord:
                coord.register_thread(thread)
            if daemon:
                thread.daemon = True
            if start:
                thread.start()
        return threads

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Returns the runner as a message.

        Args:
            export_scope: str, name scope to remove.

        Returns:
            QueueRunnerDef; None if the queue is not in that scope.
        """
        if export_scope is not None and not self.name.startswith(export_scope):
            return None
        return proto.QueueRunnerDef(
            queue_name=strip_name_scope(self.name, export_scope),
            enqueue_op_name=[strip_name_scope(op.name, export_scope) for op in self._enqueue_ops],
            close_op_name=strip_name_scope(self._close_op.name, export_scope),
            cancel_op_name=strip_name_scope(self._cancel_op.name, export_scope),
            queue_closed_exception_types=[errors.error_code_from_exception_type(t) for t in self._close_types],
        )

    @staticmethod
    def from_proto(queue_runner_def: Any, import_scope: str | None = None) -> QueueRunner:
        """Makes the runner that a message describes, of operations in the default graph.

        Args:
            queue_runner_def: QueueRunnerDef.
            import_scope: str, name scope in which its names are looked up.

        Returns:
            QueueRunner.
        """
        return QueueRunner(queue_runner_def=queue_runner_def, import_scope=import_scope)


def add_queue_runner(qr: QueueRunner, collection: str = GraphKeys.QUEUE_RUNNERS) -> None:
    """Adds a queue runner to those that `start_queue_runners` starts.

    Args:
        qr: QueueRunner.
        collection: str, the graph's collection.
    """
    get_default_graph().add_to_collection(collection, qr)


def start_queue_runners(
    sess: SessionObject | None = None,
    coord: Coordinator | None = None,
    daemon: bool = True,
    start: bool = True,
    collection: str = GraphKeys.QUEUE_RUNNERS,
) -> list[threading.Thread]:
    """Starts the threads of all queue runners of a session's graph.

    Args:
        sess: Session; the default session by default.
        coord: Coordinator that stops the threads and gets their failures.
        daemon: bool. If True, the program may end while they run.
        start: bool. If True, they are started, or only made.
        collection: str, the graph's collection of queue runners.

    Returns:
        list of threading.Thread.

    Raises:
        ValueError: if there is no default session.
        TypeError: if `sess` is not a session.

    Example:
        >>> queue = tf.train.input_producer(tf.range(3), num_epochs=1, shuffle=False)
        >>> number = queue.dequeue()
        >>> sess.run(tf.local_variables_initializer())
        >>> coordinator = tf.train.Coordinator()
        >>> threads = tf.train.start_queue_runners(sess, coordinator)
        >>> print([int(sess.run(number)) for _ in range(3)])
        [0, 1, 2]
        >>> coordinator.request_stop()
        >>> coordinator.join(threads)
    """
    if sess is None:
        sess = get_default_session()
        if not sess:
            raise ValueError(
                "Cannot start queue runners: No default session is registered. Use `with sess.as_default()` or pass an "
                "explicit session to tf.start_queue_runners(sess=sess)"
            )
    if not isinstance(sess, BaseSession):
        # TF 1.x: monitored sessions start their queue runners themselves.
        if type(sess).__name__ in ("MonitoredSession", "SingularMonitoredSession"):
            return []
        raise TypeError(f"sess must be a `tf.Session` object. Given class: {type(sess)}")
    threads: list[threading.Thread] = []
    with sess.graph.as_default():
        runners = get_default_graph().get_collection(collection)
        if not runners:
            tf_logging.warning("`tf.train.start_queue_runners()` was called when no queue runners were defined.")
        for runner in runners:
            threads.extend(runner.create_threads(sess, coord=coord, daemon=daemon, start=start))
    return threads


register_proto_function(
    GraphKeys.QUEUE_RUNNERS,
    "QueueRunnerDef",
    to_proto=lambda runner, export_scope=None: runner.to_proto(export_scope=export_scope),
    from_proto=QueueRunner.from_proto,
)
