"""Training of pruned models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.contrib.slim import slim_learning
from ferroflow._src.framework.graph import Graph

# As in TF 1.x: None means that a default is left out.
_USE_DEFAULT = 0


def train(
    train_op: TensorLike,
    logdir: str | None,
    mask_update_op: Any,
    train_step_fn: Callable[..., tuple[Any, Any]] = slim_learning.train_step,
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
    trace_every_n_steps: int | None = None,
) -> Any:
    """Trains as `tf.contrib.slim.learning.train`, and runs the update of masks after each step.

    Args:
        train_op: float scalar Tensor, the loss, that trains one step when it is computed.
        logdir: str, folder of checkpoints and summaries, or None.
        mask_update_op: Operation that updates masks, of `Pruning.conditional_mask_update_op`.
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
        init_feed_dict: dict of values fed to `init_op`.
        local_init_op: Operation that initializes local variables and tables.
        init_fn: callable of the session, called after `init_op`.
        ready_op: string Tensor of shape [n], which is empty when the model is initialized.
        summary_op: Tensor of a summary, str of shape [].
        save_summaries_secs: float, seconds between two summaries.
        summary_writer: FileWriter of the summaries.
        startup_delay_steps: int, the step to wait for before training begins.
        saver: Saver of the checkpoints.
        save_interval_secs: float, seconds between two checkpoints.
        sync_optimizer: SyncReplicasOptimizer, or a list of them, or None.
        session_config: ConfigProto of the session.
        trace_every_n_steps: int, steps between two traces, or None.

    Returns:
        The loss of the last step.

    Raises:
        ValueError: on the same conditions as `tf.contrib.slim.learning.train`.
    """

    def step_and_update(session: Any, op: Any, step: Any, kwargs: Any) -> tuple[Any, Any]:
        loss, should_stop = train_step_fn(session, op, step, kwargs)
        session.run(mask_update_op)
        return loss, should_stop

    return slim_learning.train(
        train_op,
        logdir,
        train_step_fn=step_and_update,
        train_step_kwargs=train_step_kwargs,
        log_every_n_steps=log_every_n_steps,
        graph=graph,
        master=master,
        is_chief=is_chief,
        global_step=global_step,
        number_of_steps=number_of_steps,
        init_op=init_op,
        init_feed_dict=init_feed_dict,
        local_init_op=local_init_op,
        init_fn=init_fn,
        ready_op=ready_op,
        summary_op=summary_op,
        save_summaries_secs=save_summaries_secs,
        summary_writer=summary_writer,
        startup_delay_steps=startup_delay_steps,
        saver=saver,
        save_interval_secs=save_interval_secs,
        sync_optimizer=sync_optimizer,
        session_config=session_config,
        trace_every_n_steps=trace_every_n_steps,
    )
