"""`tf.contrib.slim.learning`: training loops on a supervisor."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

from ferroflow._src.base import errors, proto, tf_logging
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.checkpoint.saver import Saver
from ferroflow._src.contrib.training import train_op as train_ops
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.default_graph import control_dependencies, get_default_graph, name_scope
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.graph_files import replace_file
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.lookup.table import tables_initializer
from ferroflow._src.ops.math.arithmetic import floormod
from ferroflow._src.ops.math.comparison import equal, greater_equal
from ferroflow._src.session.timeline import Timeline
from ferroflow._src.summary.merging import merge_all
from ferroflow._src.supervision.supervisor import Supervisor
from ferroflow._src.supervision.sync_replicas_optimizer import SyncReplicasOptimizer
from ferroflow._src.training.global_step import get_or_create_global_step, global_step as global_step_value
from ferroflow._src.training.optimizer import Optimizer
from ferroflow._src.variables.initialization import (
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
)

_USE_DEFAULT = 0

# Seconds between two checks by a worker that starts later than others.
_LOOK = 1.0


def add_gradients_summaries(grads_and_vars: Iterable[tuple[Any, Any]]) -> list[Tensor]:
    """Adds a histogram and the norm of each gradient to the summaries, in the scope of its variable.

    Args:
        grads_and_vars: pairs of a gradient, or None, and its variable.

    Returns:
        list of string scalar Tensor.
    """
    return train_ops.summarize_gradients_as(grads_and_vars, "/gradient")


def create_train_op(
    total_loss: TensorLike,
    optimizer: Optimizer,
    global_step: TensorLike | None = train_ops.USE_GLOBAL_STEP,
    update_ops: Iterable[Any] | None = None,
    variables_to_train: Iterable[Any] | None = None,
    clip_gradient_norm: float = 0,
    summarize_gradients: bool = False,
    gate_gradients: int = Optimizer.GATE_OP,
    aggregation_method: int | None = None,
    colocate_gradients_with_ops: bool = False,
    gradient_multipliers: dict[Any, Any] | None = None,
    check_numerics: bool = True,
) -> Tensor:
    """Returns the loss as a tensor whose evaluation also runs one training step.

    Args:
        total_loss: float scalar Tensor.
        optimizer: Optimizer.
        global_step: variable that counts the steps; the graph's by default, created if missing; None for no counting.
        update_ops: operations that come before the gradients; those of the collection `UPDATE_OPS` by default.
        variables_to_train: list of variables; all trainable ones by default.
        clip_gradient_norm: float, the norm that a gradient is scaled down to; 0 for none.
        summarize_gradients: bool. If True, summaries of the gradients are added.
        gate_gradients: `GATE_NONE`, `GATE_OP` or `GATE_GRAPH` of Optimizer.
        aggregation_method: a constant of `AggregationMethod`.
        colocate_gradients_with_ops: bool. If True, each gradient is placed with its forward operation.
        gradient_multipliers: dict from variables or their names to floats that their gradients are multiplied by.
        check_numerics: bool. If True, a loss that is not a number fails.

    Returns:
        float scalar Tensor, the loss; also put into the collection `TRAIN_OP`.
    """

    def transform(grads: Any) -> Any:
        if gradient_multipliers:
            with name_scope("multiply_grads"):
                grads = train_ops.multiply_gradients(grads, gradient_multipliers)
        if clip_gradient_norm > 0:
            with name_scope("clip_grads"):
                grads = train_ops.clip_gradient_norms(grads, clip_gradient_norm)
        return grads

    return train_ops.create_train_op(
        total_loss,
        optimizer,
        global_step=global_step,
        update_ops=update_ops,
        variables_to_train=variables_to_train,
        transform_grads_fn=transform,
        summarize_gradients=summarize_gradients,
        gate_gradients=gate_gradients,
        aggregation_method=aggregation_method,
        colocate_gradients_with_ops=colocate_gradients_with_ops,
        check_numerics=check_numerics,
    )


def train_step(sess: Any, train_op: Any, global_step: Any, train_step_kwargs: dict[str, Any]) -> tuple[Any, Any]:
    """Trains one step; `train` calls this function by default.

    Args:
        sess: Session.
        train_op: Tensor that trains when it is computed, the loss: a float scalar.
        global_step: variable that counts the steps.
        train_step_kwargs: dict with bool Tensors `should_stop`, `should_log` and `should_trace`, the str `logdir` for
            traces, and the FileWriter `summary_writer`; each may be missing.

    Returns:
        The loss, and whether to stop.

    Raises:
        ValueError: if there is `should_trace` and no `logdir`.
    """
    began = time.time()
    options = metadata = None
    if "should_trace" in train_step_kwargs:
        if "logdir" not in train_step_kwargs:
            raise ValueError("logdir must be present in train_step_kwargs when should_trace is present")
        if sess.run(train_step_kwargs["should_trace"]):
            options = proto.RunOptions(trace_level=proto.RunOptions.FULL_TRACE)
            metadata = proto.RunMetadata()
    loss, step = sess.run([train_op, global_step], options=options, run_metadata=metadata)
    seconds = time.time() - began
    if metadata is not None:
        path = os.path.join(train_step_kwargs["logdir"], f"tf_trace-{step}.json")
        tf_logging.info("Writing trace to %s", path)
        replace_file(path, Timeline(metadata.step_stats).generate_chrome_trace_format().encode())
        if train_step_kwargs.get("summary_writer") is not None:
            train_step_kwargs["summary_writer"].add_run_metadata(metadata, f"run_metadata-{step}")
    if "should_log" in train_step_kwargs and sess.run(train_step_kwargs["should_log"]):
        tf_logging.info("global step %d: loss = %.4f (%.3f sec/step)", step, loss, seconds)
    should_stop = "should_stop" in train_step_kwargs and sess.run(train_step_kwargs["should_stop"])
    return loss, should_stop


def _default_step_kwargs(
    global_step: Any, number_of_steps: int | None, log_every_n_steps: int, trace_every_n_steps: int | None, logdir: Any
) -> dict[str, Any]:
    with name_scope("train_step"):
        arguments = {"should_stop": greater_equal(global_step, number_of_steps) if number_of_steps else constant(False)}
        if log_every_n_steps > 0:
            arguments["should_log"] = equal(floormod(global_step, log_every_n_steps), 0)
        if trace_every_n_steps is not None:
            arguments["should_trace"] = equal(floormod(global_step, trace_every_n_steps), 0)
            arguments["logdir"] = logdir
    return arguments


def _synchronous(optimizers: list[SyncReplicasOptimizer], is_chief: bool, local_init_op: Any) -> tuple[Any, Any]:
    """Returns the local initializer, and the check before it, of synchronous training."""
    with control_dependencies([] if local_init_op is None else [local_init_op]):
        if is_chief:
            local_init_op = group(*(optimizer.chief_init_op for optimizer in optimizers))
        else:
            local_init_op = group(*(optimizer.local_step_init_op for optimizer in optimizers))
    return local_init_op, group(*(optimizer.ready_for_local_init_op for optimizer in optimizers))


def train(
    train_op: TensorLike,
    logdir: str | None,
    train_step_fn: Callable[..., tuple[Any, Any]] = train_step,
    train_step_kwargs: Any = _USE_DEFAULT,
    log_every_n_steps: int = 1,
    graph: Graph | None = None,
    master: str = "",
    is_chief: bool = True,
    global_step: Any = None,
    number_of_steps: int | None = None,
    init_op: Any = _USE_DEFAULT,
    init_feed_dict: Any = None,
    local_init_op: Any = _USE_DEFAULT,
    init_fn: Callable[[Any], Any] | None = None,
    ready_op: Any = _USE_DEFAULT,
    summary_op: Any = _USE_DEFAULT,
    save_summaries_secs: float = 600,
    summary_writer: Any = _USE_DEFAULT,
    startup_delay_steps: int = 0,
    saver: Any = None,
    save_interval_secs: float = 600,
    sync_optimizer: Any = None,
    session_config: Any = None,
    session_wrapper: Callable[[Any], Any] | None = None,
    trace_every_n_steps: int | None = None,
    ignore_live_threads: bool = False,
) -> Any:
    """Trains until a given step or the end of input, saves checkpoints and summaries, and resumes after a restart.

    Args:
        train_op: float scalar Tensor, the loss, that trains one step when it is computed, as for `create_train_op`.
        logdir: str, folder of checkpoints and summaries, or None.
        train_step_fn: callable with a session, `train_op`, `global_step` and `train_step_kwargs` as arguments, that
            returns the loss and whether to stop.
        train_step_kwargs: dict for `train_step_fn`; made by default.
        log_every_n_steps: int, steps between two logs of the loss; 0 for never.
        graph: Graph; the default one by default.
        master: str, the target of the session.
        is_chief: bool; True if this worker is the chief.
        global_step: variable that counts the steps; the graph's by default, made if there is none.
        number_of_steps: int, the step to stop at; None for no end.
        init_op: Operation that initializes the variables.
        init_feed_dict: dict of values to feed to `init_op`, as `Session.run` takes it.
        local_init_op: Operation that initializes local variables and tables.
        init_fn: callable with the session as argument, run after `init_op`.
        ready_op: string vector Tensor, the names of uninitialized variables.
        summary_op: string scalar Tensor, all summaries merged.
        save_summaries_secs: float, seconds between two summaries.
        summary_writer: FileWriter; one for `logdir` by default, or None.
        startup_delay_steps: int, the global step that another worker than the chief waits for.
        saver: Saver; a new one by default.
        save_interval_secs: float, seconds between two checkpoints.
        sync_optimizer: SyncReplicasOptimizer, or list of them, where training is synchronous.
        session_config: ConfigProto of the session.
        session_wrapper: callable from the session to the one that steps are run in.
        trace_every_n_steps: int, steps between two traces; None for never.
        ignore_live_threads: bool. If True, threads that do not end in time are not an error.

    Returns:
        The last loss; None if there was no step.

    Raises:
        ValueError: if arguments contradict each other.
    """
    if train_op is None:
        raise ValueError("train_op cannot be None.")
    if logdir is None:
        if summary_op is not _USE_DEFAULT:
            raise ValueError("Cannot provide summary_op because logdir=None")
        if saver is not None:
            raise ValueError("Cannot provide saver because logdir=None")
        if trace_every_n_steps is not None:
            raise ValueError("Cannot provide trace_every_n_steps because logdir=None")
    optimizers = [sync_optimizer] if isinstance(sync_optimizer, SyncReplicasOptimizer) else list(sync_optimizer or ())
    if sync_optimizer is not None and startup_delay_steps > 0:
        raise ValueError("startup_delay_steps must be zero when sync_optimizer is supplied.")
    if number_of_steps is not None and number_of_steps <= 0:
        raise ValueError("`number_of_steps` must be either None or a positive number.")
    if not all(isinstance(optimizer, SyncReplicasOptimizer) for optimizer in optimizers):
        raise ValueError("`sync_optimizer` must be a tf.train.SyncReplicasOptimizer.")
    graph = graph or get_default_graph()
    ready_for_local_init_op = None
    token_ops: list[Any] = []
    runners: list[Any] = []
    with graph.as_default():
        if global_step is None:
            global_step = get_or_create_global_step()
        saver = saver or Saver()
        with name_scope("init_ops"):
            if init_op is _USE_DEFAULT:
                init_op = global_variables_initializer()
            if ready_op is _USE_DEFAULT:
                ready_op = report_uninitialized_variables()
            if local_init_op is _USE_DEFAULT:
                local_init_op = group(local_variables_initializer(), tables_initializer())
            if optimizers:
                local_init_op, ready_for_local_init_op = _synchronous(optimizers, is_chief, local_init_op)
        if summary_op is _USE_DEFAULT:
            summary_op = merge_all()
        if is_chief:
            token_ops = [optimizer.get_init_tokens_op() for optimizer in optimizers]
            runners = [optimizer.get_chief_queue_runner() for optimizer in optimizers]
        if train_step_kwargs is _USE_DEFAULT:
            traces = trace_every_n_steps if is_chief else None
            train_step_kwargs = _default_step_kwargs(global_step, number_of_steps, log_every_n_steps, traces, logdir)
    supervisor = Supervisor(
        graph=graph,
        is_chief=is_chief,
        logdir=logdir,
        init_op=init_op,
        init_feed_dict=init_feed_dict,
        local_init_op=local_init_op,
        ready_for_local_init_op=ready_for_local_init_op,
        ready_op=ready_op,
        summary_op=summary_op,
        summary_writer=summary_writer,
        global_step=global_step,
        saver=saver,
        save_summaries_secs=save_summaries_secs,
        save_model_secs=save_interval_secs,
        init_fn=init_fn,
    )
    if summary_writer is not None:
        train_step_kwargs["summary_writer"] = supervisor.summary_writer
    loss = None
    while True:
        try:
            with supervisor.managed_session(master, start_standard_services=False, config=session_config) as sess:
                tf_logging.info("Starting Session.")
                if session_wrapper is not None:
                    tf_logging.info("Wrapping session with wrapper function: %s", session_wrapper)
                    sess = session_wrapper(sess)  # steps run in the wrapped one
                if is_chief:
                    if logdir:
                        supervisor.start_standard_services(sess)
                elif startup_delay_steps > 0:
                    _wait_for_step(sess, global_step, min(startup_delay_steps, number_of_steps or sys.maxsize))
                threads = supervisor.start_queue_runners(sess)
                tf_logging.info("Starting Queues.")
                if token_ops:
                    supervisor.start_queue_runners(sess, runners)
                    sess.run(token_ops)
                try:
                    while not supervisor.should_stop():
                        loss, should_stop = train_step_fn(sess, train_op, global_step, train_step_kwargs)
                        if should_stop:
                            tf_logging.info("Stopping Training.")
                            supervisor.request_stop()
                            break
                except errors.OutOfRangeError as end:
                    tf_logging.info("Caught OutOfRangeError. Stopping Training. %s", end)
                if logdir and is_chief:
                    tf_logging.info("Finished training! Saving model to disk.")
                    saver.save(sess, supervisor.save_path, global_step=supervisor.global_step)
                    supervisor.stop(threads, close_summary_writer=True, ignore_live_threads=ignore_live_threads)
        except errors.AbortedError:
            tf_logging.info("Retrying training!")
            continue
        return loss


def _wait_for_step(sess: Any, global_step: Any, step: int) -> None:
    """Waits until the others have come to a step."""
    while global_step_value(sess, global_step) < step:
        time.sleep(_LOOK)
