"""`tf.contrib.training.train`: runs a training step until a hook stops."""

from __future__ import annotations

from typing import Any

from ferroflow._src.supervision.monitored_training_session import MonitoredTrainingSession
from ferroflow._src.supervision.scaffold import Scaffold


def train(
    train_op: Any,
    logdir: str | None,
    master: str = "",
    is_chief: bool = True,
    scaffold: Scaffold | None = None,
    hooks: Any = None,
    chief_only_hooks: Any = None,
    save_checkpoint_secs: float | None = 600,
    save_summaries_steps: int | None = 100,
    config: Any = None,
    max_wait_secs: float = 7200,
) -> Any:
    """Trains until a hook, such as `StopAtStepHook`, or the end of input stops it.

    Args:
        train_op: float scalar Tensor, the loss, that trains one step when it is computed, as for `create_train_op`.
        logdir: str, folder of checkpoints and summaries, or None.
        master: str, the target of the session.
        is_chief: bool; True if this worker is the chief.
        scaffold: Scaffold; a new one by default.
        hooks: list of SessionRunHook.
        chief_only_hooks: list of SessionRunHook that only a chief has.
        save_checkpoint_secs: float, seconds between two checkpoints; None for never.
        save_summaries_steps: int, steps between two summaries; None for never.
        config: ConfigProto of the session.
        max_wait_secs: float, seconds that a worker waits for the chief at most.

    Returns:
        The value of `train_op` in the last step; None if there was no step.

    Raises:
        ValueError: if checkpoints or summaries are to be saved, and there is no `logdir`.
    """
    if logdir is None and is_chief:
        if save_summaries_steps:
            raise ValueError("logdir cannot be None when save_summaries_steps is not None")
        if save_checkpoint_secs:
            raise ValueError("logdir cannot be None when save_checkpoint_secs is not None")
    loss = None
    with MonitoredTrainingSession(
        master=master,
        is_chief=is_chief,
        checkpoint_dir=logdir,
        scaffold=scaffold,
        hooks=hooks,
        chief_only_hooks=chief_only_hooks,
        save_checkpoint_secs=save_checkpoint_secs,
        save_summaries_steps=save_summaries_steps,
        config=config,
        max_wait_secs=max_wait_secs,
    ) as session:
        while not session.should_stop():
            loss = session.run(train_op)
    return loss
