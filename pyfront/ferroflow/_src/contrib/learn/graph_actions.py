"""Training, evaluation and runs of graphs, as estimators of 2016 made them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ferroflow._src.base import errors, proto, tf_logging
from ferroflow._src.base.typing import DictLike, FeedDict
from ferroflow._src.checkpoint.reader import load_variable
from ferroflow._src.checkpoint.saver import Saver
from ferroflow._src.contrib.framework.graph_functions import get_graph_from_inputs
from ferroflow._src.contrib.framework.model_variables import assert_or_get_global_step
from ferroflow._src.contrib.learn.monitors import NanLossDuringTrainingError, get_default_monitors
from ferroflow._src.contrib.learn.summary_monitor import SummarySaver
from ferroflow._src.framework.default_graph import add_to_collection, get_collection
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.input.coordinator import Coordinator
from ferroflow._src.input.queue_runner import start_queue_runners
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.lookup.table import tables_initializer
from ferroflow._src.session.session import Session
from ferroflow._src.summary.file_writer_cache import FileWriterCache
from ferroflow._src.summary.merging import merge_all
from ferroflow._src.supervision.session_manager import SessionManager
from ferroflow._src.supervision.supervisor import Supervisor
from ferroflow._src.variables.collections import global_variables
from ferroflow._src.variables.initialization import (
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
)
from ferroflow._src.variables.resources import initialize_resources, local_resources, shared_resources

__all__ = [
    "clear_summary_writers",
    "evaluate",
    "get_summary_writer",
    "infer",
    "run_feeds",
    "run_feeds_iter",
    "run_n",
    "train",
]

# Seconds that queue runners have to stop.
_GRACE = 120


def clear_summary_writers() -> None:
    """Closes the writers of summaries, and makes new ones at their next use."""
    FileWriterCache.clear()


def get_summary_writer(logdir: str) -> Any:
    """Returns the writer of a folder's summaries, which all callers share.

    Args:
        logdir: str, the folder.

    Returns:
        FileWriter.
    """
    return FileWriterCache.get(logdir)


def _saver(graph: Graph, keep: int = 5) -> Saver | None:
    keys = (GraphKeys.GLOBAL_VARIABLES, GraphKeys.SAVEABLE_OBJECTS)
    saved = [element for key in keys for element in graph.get_collection(key)]
    return Saver(saved, sharded=True, max_to_keep=keep) if saved else None


def train(
    graph: Graph,
    output_dir: str,
    train_op: Any,
    loss_op: Any,
    global_step_tensor: Any = None,
    init_op: Any = None,
    init_feed_dict: FeedDict | None = None,
    init_fn: Callable[..., Any] | None = None,
    log_every_steps: int = 10,
    supervisor_is_chief: bool = True,
    supervisor_master: str = "",
    supervisor_save_model_secs: int = 600,
    keep_checkpoint_max: int = 5,
    supervisor_save_summaries_steps: int = 100,
    feed_fn: Callable[[], Any] | None = None,
    steps: int | None = None,
    fail_on_nan_loss: bool = True,
    monitors: Any = None,
    max_steps: int | None = None,
) -> Any:
    """Trains a graph, from its latest checkpoint on, and saves a checkpoint at the end.

    Args:
        graph: Graph.
        output_dir: str, the folder of checkpoints and summaries.
        train_op: Operation, or Tensor of any dtype and shape, that makes a step.
        loss_op: Tensor of a float dtype, of shape [].
        global_step_tensor: Variable of an integer dtype, of shape []; None for the graph's.
        init_op: Operation that initializes variables; None for the initializers of all.
        init_feed_dict: dict of values to feed to `init_op`.
        init_fn: callable of the session, called after `init_op`.
        log_every_steps: int, steps between two logs of the loss.
        supervisor_is_chief: bool. If True, this process initializes, and writes checkpoints and summaries.
        supervisor_master: str, the target of the session.
        supervisor_save_model_secs: int, seconds between two checkpoints.
        keep_checkpoint_max: int, the number of checkpoints that are kept.
        supervisor_save_summaries_steps: int, steps between two summaries.
        feed_fn: callable without arguments of the dict of values to feed at a step, or None.
        steps: int, the number of steps to train; None for all that there is input for.
        fail_on_nan_loss: bool. If True, a loss that is no number ends training.
        monitors: list of monitors; None for those that log the loss and write summaries.
        max_steps: int, the global step to end at, or None.

    Returns:
        The last loss, a number; None without a step.

    Raises:
        ValueError: if something is missing, or both `steps` and `max_steps` are given.
        tf.train.NanLossDuringTrainingError: if the loss is no number and `fail_on_nan_loss` is True.
    """
    if steps is not None and max_steps is not None:
        raise ValueError("Can not provide both steps and max_steps.")
    if not output_dir:
        raise ValueError(f"Output directory should be non-empty {output_dir}.")
    for name, given in (("train_op", train_op), ("loss_op", loss_op)):
        if given is None:
            raise ValueError(f"Missing {name}.")
    while True:
        try:
            with graph.as_default():
                global_step = assert_or_get_global_step(graph, global_step_tensor)
                if global_step is None:
                    raise ValueError('No "global_step" was provided or found in the graph.')
                start = _saved_step(output_dir, global_step)
                writer = get_summary_writer(output_dir) if supervisor_is_chief else None
                if not monitors and supervisor_is_chief:
                    summary = merge_all()
                    monitors = get_default_monitors(loss_op=loss_op)
                    if summary is not None:
                        monitors.append(SummarySaver(summary, supervisor_save_summaries_steps, summary_writer=writer))
                chosen = [one for one in monitors or () if supervisor_is_chief or one.run_on_all_workers]
                last = start + steps if max_steps is None and steps else max_steps
                for monitor in chosen:
                    monitor.begin(max_steps=last)
                supervisor = Supervisor(
                    graph,
                    init_op=init_op if init_op is not None else Supervisor.USE_DEFAULT,
                    init_feed_dict=init_feed_dict,
                    is_chief=supervisor_is_chief,
                    logdir=output_dir,
                    saver=_saver(graph, keep_checkpoint_max),
                    global_step=global_step,
                    summary_op=None,  # type: ignore[arg-type]  # None: monitors write summaries
                    summary_writer=writer,
                    save_model_secs=supervisor_save_model_secs,
                    init_fn=init_fn,
                )
            session = supervisor.prepare_or_wait_for_session(master=supervisor_master)
            with session:
                return _trained(
                    supervisor,
                    session,
                    [train_op, loss_op],
                    global_step,
                    (chosen, feed_fn, last, fail_on_nan_loss, log_every_steps),
                )
        except errors.AbortedError:
            tf_logging.warning("Training got Aborted error. Keep training.")


def _saved_step(folder: str, global_step: Any) -> int:
    try:
        return int(load_variable(folder, global_step.op.name))
    except (errors.NotFoundError, ValueError):
        return 0


def _trained(
    supervisor: Supervisor, session: Any, targets: Sequence[Any], global_step: Any, options: tuple[Any, ...]
) -> Any:
    """Makes the steps of a training and saves the last checkpoint; returns the last loss."""
    monitors, feed_fn, last, fails_on_nan, log_every = options
    loss: Any = None
    step = logged = int(session.run(global_step))
    is_whole = False
    try:
        while not supervisor.should_stop() and (last is None or step < last):
            loss, ends = _step(session, step + 1, targets, feed_fn() if feed_fn is not None else None, monitors)
            if np.isnan(loss):
                if fails_on_nan:
                    tf_logging.error("Model diverged with loss = NaN.")
                    raise NanLossDuringTrainingError
                tf_logging.warning("Model diverged with loss = NaN.")
            if ends:
                break
            reached = int(session.run(global_step))
            if reached <= step:
                tf_logging.error("Global step was not incremented by train op at step %s: new step %d", step, reached)
            step = reached
            if step == last or step - logged >= log_every:
                tf_logging.info("training step %d, loss = %.5f.", step, loss)
                logged = step
        is_whole = True
    except (errors.OutOfRangeError, StopIteration) as end:
        tf_logging.info("Training ends with its input: %s", end)
        is_whole = True
    finally:
        try:
            supervisor.stop(close_summary_writer=False)
            _save_last(supervisor, session, global_step, monitors)
        except Exception:
            # The error of the training itself says more than one that follows from it.
            if is_whole:
                raise
    return loss


def _save_last(supervisor: Supervisor, session: Any, global_step: Any, monitors: Sequence[Any]) -> None:
    if not supervisor.is_chief:
        return
    if supervisor.saver is not None and supervisor.save_path is not None:
        supervisor.saver.save(session, supervisor.save_path, global_step=int(session.run(global_step)))
    for monitor in monitors:
        monitor.end()


def _step(session: Any, step: int, targets: Sequence[Any], feeds: Any, monitors: Sequence[Any]) -> tuple[Any, bool]:
    """Makes a step; returns the loss, and True if a monitor ends training."""
    requests = [request for monitor in monitors for request in monitor.step_begin(step)]
    values = session.run([*targets, *requests], feed_dict=feeds)
    names = [getattr(request, "name", request) for request in (*targets, *requests)]
    outputs = dict(zip(names, values, strict=True))
    ends = [monitor.step_end(step, outputs) for monitor in monitors]
    for monitor in monitors:
        monitor.post_step(step, session)
    return values[1], any(ends)


def _first_or_added(key: str, make: Callable[[], Any]) -> Any:
    """Returns the first element of a collection, or a new one that it then has."""
    found = get_collection(key)
    if found:
        return found[0]
    made = make()
    if made is not None:
        add_to_collection(key, made)
    return made


def evaluate(
    graph: Graph,
    output_dir: str,
    checkpoint_path: str | None,
    eval_dict: DictLike,
    update_op: Any = None,
    global_step_tensor: Any = None,
    supervisor_master: str = "",
    log_every_steps: int = 10,
    feed_fn: Callable[[], Any] | None = None,
    max_steps: int | None = None,
) -> tuple[Any, Any]:
    """Evaluates values of a graph, and writes those that are numbers as summaries.

    Args:
        graph: Graph.
        output_dir: str, the folder of summaries.
        checkpoint_path: str, the folder of checkpoints, or None.
        eval_dict: dict from str to Tensor of any dtype and shape, the values.
        update_op: Operation to run at each step; None if `eval_dict` itself is evaluated at each step.
        global_step_tensor: Variable of an integer dtype, of shape []; None for the graph's.
        supervisor_master: str, the target of the session.
        log_every_steps: int, steps between two logs of the values.
        feed_fn: callable without arguments of the dict of values to feed at a step, or None.
        max_steps: int, the number of steps; None for all that there is input for.

    Returns:
        dict of the last values by name, and the global step, an int.

    Raises:
        ValueError: if `output_dir` is empty.
    """
    if not output_dir:
        raise ValueError(f"Output directory should be non-empty {output_dir}.")
    with graph.as_default():
        global_step = assert_or_get_global_step(graph, global_step_tensor)
        saver = _first_or_added(GraphKeys.SAVERS, lambda: Saver() if global_variables() else None)
        local_init = _first_or_added(
            GraphKeys.LOCAL_INIT_OP, lambda: group(local_variables_initializer(), tables_initializer())
        )
        ready = _first_or_added(GraphKeys.READY_OP, report_uninitialized_variables)
        ready_for_local_init = get_collection(GraphKeys.READY_FOR_LOCAL_INIT_OP)
        manager = SessionManager(
            local_init_op=local_init, ready_op=ready, ready_for_local_init_op=next(iter(ready_for_local_init), None)
        )
        session, is_ready = manager.recover_session(supervisor_master, saver=saver, checkpoint_dir=checkpoint_path)
        initializer = None if is_ready else global_variables_initializer()
        coordinator = Coordinator()
        threads = start_queue_runners(session, coordinator)
    with session:
        if initializer is not None:
            tf_logging.warning("Failed to initialize from %s.", checkpoint_path)
            session.run(initializer)
            session.run(local_init)
        step_of_training = session.run(global_step)
        results: Any = None
        is_current = False
        try:
            for step in itertools.count(1) if max_steps is None else range(1, max_steps + 1):
                feeds = feed_fn() if feed_fn is not None else None
                is_current = update_op is None or step % log_every_steps == 0
                if update_op is not None:
                    session.run(update_op, feed_dict=feeds)
                if is_current:
                    results = session.run(eval_dict, feed_dict=feeds)
        except (errors.OutOfRangeError, StopIteration) as end:
            tf_logging.info("Evaluation ends with its input: %s", end)
            is_current = is_current and results is not None
        if results is None or not is_current:
            results = session.run(eval_dict)
        coordinator.request_stop()
        coordinator.join(threads, stop_grace_period_secs=_GRACE)
    _write(output_dir, results, step_of_training)
    return results, step_of_training


def _write(folder: str, results: Mapping[str, Any], step: Any) -> None:
    summary = proto.Summary()
    for key, value in results.items():
        if isinstance(value, (float, np.floating)):
            summary.value.add(tag=key, simple_value=float(value))
        elif value is not None:
            tf_logging.warning("Skipping summary for %s, must be a float or np.float32.", key)
    writer = get_summary_writer(folder)
    writer.add_summary(summary, step)
    writer.flush()


def run_feeds_iter(
    output_dict: DictLike, feed_dicts: Iterable[Any], restore_checkpoint_path: str | None = None
) -> Iterator[Any]:
    """Yields values of a graph for each of several feeds, in a session of its own.

    Args:
        output_dict: dict from str to Tensor of any dtype and shape.
        feed_dicts: iterable of dicts of values to feed, or of None.
        restore_checkpoint_path: str, prefix of the checkpoint to restore; None for initial values.

    Yields:
        dict of the values by name.

    Raises:
        ValueError: if there is nothing to run.
    """
    for name, given in (("output_dict", output_dict), ("feed_dicts", feed_dicts)):
        if not given:
            raise ValueError(f"{name} is invalid: {given}.")
    with get_graph_from_inputs(list(dict(output_dict).values())).as_default() as graph, Session("") as session:
        session.run(initialize_resources([*shared_resources(), *local_resources()]))
        if restore_checkpoint_path:
            saver = _saver(graph)
            if saver is not None:
                saver.restore(session, restore_checkpoint_path)
        else:
            session.run(global_variables_initializer())
        session.run(local_variables_initializer())
        session.run(tables_initializer())
        coordinator = Coordinator()
        threads: list[Any] = []
        try:
            threads = start_queue_runners(session, coord=coordinator)
            for feeds in feed_dicts:
                yield session.run(output_dict, feeds)
        finally:
            coordinator.request_stop()
            if threads:
                coordinator.join(threads, stop_grace_period_secs=_GRACE)


def run_feeds(
    output_dict: DictLike, feed_dicts: Iterable[Any], restore_checkpoint_path: str | None = None
) -> list[Any]:
    """Returns values of a graph for each of several feeds.

    Args:
        output_dict: dict from str to Tensor of any dtype and shape.
        feed_dicts: iterable of dicts of values to feed, or of None.
        restore_checkpoint_path: str, prefix of the checkpoint to restore; None for initial values.

    Returns:
        list of dicts of the values by name.

    Raises:
        ValueError: if there is nothing to run.
    """
    return list(run_feeds_iter(output_dict, feed_dicts, restore_checkpoint_path))


def run_n(
    output_dict: DictLike,
    feed_dict: FeedDict | None = None,
    restore_checkpoint_path: str | None = None,
    n: int = 1,
) -> list[Any]:
    """Returns values of a graph of several steps.

    Args:
        output_dict: dict from str to Tensor of any dtype and shape.
        feed_dict: dict of values to feed at each step, or None.
        restore_checkpoint_path: str, prefix of the checkpoint to restore; None for initial values.
        n: int, the number of steps.

    Returns:
        list of dicts of the values by name.

    Raises:
        ValueError: if there is nothing to run.
    """
    return run_feeds(output_dict, itertools.repeat(feed_dict, n), restore_checkpoint_path)


def infer(restore_checkpoint_path: str | None, output_dict: DictLike, feed_dict: FeedDict | None = None) -> Any:
    """Returns values of a graph.

    Args:
        restore_checkpoint_path: str, prefix of the checkpoint to restore; None for initial values.
        output_dict: dict from str to Tensor of any dtype and shape.
        feed_dict: dict of values to feed, or None.

    Returns:
        dict of the values by name.

    Raises:
        ValueError: if there is nothing to run.
    """
    return run_feeds(output_dict, [feed_dict], restore_checkpoint_path)[0]
