"""`MonitoredTrainingSession`: a monitored session with the hooks that training usually has."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.typing import ListLike
from ferroflow._src.framework.replication import current_mode
from ferroflow._src.supervision.hooks.checkpoint_saver import CheckpointSaverHook
from ferroflow._src.supervision.hooks.step_counter import StepCounterHook
from ferroflow._src.supervision.hooks.summary_saver import SummarySaverHook
from ferroflow._src.supervision.monitored_session import MonitoredSession
from ferroflow._src.supervision.scaffold import Scaffold
from ferroflow._src.supervision.session_creator import (
    ChiefSessionCreator,
    SessionCreator,
    WorkerSessionCreator,
)

# Default of arguments for which None has a meaning: it turns a service off.
USE_DEFAULT: Any = object()


def _chosen(steps: Any, secs: Any, default_steps: int | None, default_secs: float | None) -> tuple[Any, Any]:
    """Returns the intervals in steps and in seconds; None means never, and either may be missing."""
    if steps is USE_DEFAULT and secs is USE_DEFAULT:
        return default_steps, default_secs
    return (None if steps is USE_DEFAULT else steps), (None if secs is USE_DEFAULT else secs)


def _is_on(*intervals: Any) -> bool:
    return any(interval and interval > 0 for interval in intervals)


def MonitoredTrainingSession(  # noqa: N802  # TF1's spelling
    master: str = "",
    is_chief: bool = True,
    checkpoint_dir: str | None = None,
    scaffold: Scaffold | None = None,
    hooks: ListLike | None = None,
    chief_only_hooks: ListLike | None = None,
    save_checkpoint_secs: float | None = USE_DEFAULT,
    save_summaries_steps: int | None = USE_DEFAULT,
    save_summaries_secs: float | None = USE_DEFAULT,
    config: object = None,
    stop_grace_period_secs: float = 120,
    log_step_count_steps: int | None = 100,
    max_wait_secs: float = 7200,
    save_checkpoint_steps: int | None = USE_DEFAULT,
    summary_dir: str | None = None,
    save_graph_def: bool = True,
) -> MonitoredSession:
    """Returns a monitored session for training.

    A chief restores the newest checkpoint or initializes the variables; its hooks save checkpoints and summaries and
    count steps. Other workers wait for the chief.

    In the scope of a strategy with several replicas, all processes begin with the variables of the first one, which
    alone restores and saves checkpoints.

    Args:
        master: str, the target of the session.
        is_chief: bool; True if this worker is the chief.
        checkpoint_dir: str, folder of the checkpoints, or None.
        scaffold: Scaffold; a new one by default.
        hooks: list of SessionRunHook.
        chief_only_hooks: list of SessionRunHook that only a chief has.
        save_checkpoint_secs: float, seconds between two checkpoints; 600 by default, None or 0 for never.
        save_summaries_steps: int, steps between two summaries; 100 by default, None or 0 for never.
        save_summaries_secs: float, seconds between two summaries, instead of `save_summaries_steps`.
        config: ConfigProto of the session.
        stop_grace_period_secs: float, seconds that threads have to end when it is closed.
        log_step_count_steps: int, steps between two reports of the speed; None or 0 for never.
        max_wait_secs: float, seconds that a worker waits for the chief at most.
        save_checkpoint_steps: int, steps between two checkpoints, instead of `save_checkpoint_secs`.
        summary_dir: str, folder of the summaries; `checkpoint_dir` by default.
        save_graph_def: bool. If True, the graph is written with the checkpoints.

    Returns:
        MonitoredSession.

    Raises:
        ValueError: if seconds and steps are both given.
        RuntimeError: if there is no global step for the hooks.

    Example:
        >>> w = tf.Variable(4.0)
        >>> step = tf.train.create_global_step()
        >>> train = tf.train.GradientDescentOptimizer(0.25).minimize(tf.square(w), step)
        >>> with tf.train.MonitoredTrainingSession(hooks=[tf.train.StopAtStepHook(last_step=3)]) as session:
        ...     while not session.should_stop():
        ...         print(session.run([train, w])[1])
        2.0
        1.0
        0.5
    """
    summary_steps, summary_secs = _chosen(save_summaries_steps, save_summaries_secs, 100, None)
    checkpoint_steps, checkpoint_secs = _chosen(save_checkpoint_steps, save_checkpoint_secs, None, 600)
    scaffold = scaffold or Scaffold()
    mode = current_mode()
    if mode is not None and mode.strategy.num_replicas_in_sync > 1:
        creator: SessionCreator = mode.strategy.extended.session_creator(scaffold, master, config, checkpoint_dir)
        is_chief = mode.strategy.extended.should_checkpoint
    elif is_chief:
        creator = ChiefSessionCreator(scaffold=scaffold, checkpoint_dir=checkpoint_dir, master=master, config=config)
    else:
        creator = WorkerSessionCreator(scaffold=scaffold, master=master, config=config, max_wait_secs=max_wait_secs)
    if not is_chief:
        return MonitoredSession(creator, hooks, stop_grace_period_secs)
    all_hooks = list(chief_only_hooks or ())
    summary_dir = summary_dir or checkpoint_dir
    if summary_dir:
        if _is_on(log_step_count_steps):
            all_hooks.append(StepCounterHook(output_dir=summary_dir, every_n_steps=log_step_count_steps))
        if _is_on(summary_steps, summary_secs):
            all_hooks.append(
                SummarySaverHook(
                    scaffold=scaffold, save_steps=summary_steps, save_secs=summary_secs, output_dir=summary_dir
                )
            )
    if checkpoint_dir and _is_on(checkpoint_secs, checkpoint_steps):
        all_hooks.append(
            CheckpointSaverHook(
                checkpoint_dir,
                save_steps=checkpoint_steps,
                save_secs=checkpoint_secs,
                scaffold=scaffold,
                save_graph_def=save_graph_def,
            )
        )
    all_hooks.extend(hooks or ())
    return MonitoredSession(creator, all_hooks, stop_grace_period_secs)
