"""The hooks and the Saver that an estimator adds to a training."""

from __future__ import annotations

from typing import Any

from ferroflow._src.checkpoint.saver import Saver
from ferroflow._src.estimator.run_config import RunConfig
from ferroflow._src.estimator.spec import EstimatorSpec
from ferroflow._src.framework.default_graph import add_to_collection, get_collection
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.supervision.hooks.checkpoint_saver import CheckpointSaverHook
from ferroflow._src.supervision.hooks.logging_tensor import LoggingTensorHook
from ferroflow._src.supervision.scaffold import Scaffold
from ferroflow._src.supervision.session_run_hook import SessionRunHook


def logging_hooks(config: RunConfig, loss: Any, global_step: Any) -> list[SessionRunHook]:
    """Returns the hooks that log loss and step.

    Args:
        config: RunConfig, whose `log_step_count_steps` are the steps between two messages.
        loss: Tensor, float scalar.
        global_step: Tensor or Variable, integer scalar.

    Returns:
        list of one hook; of none if the configuration has no such interval.
    """
    every = config.log_step_count_steps
    return [] if every is None else [LoggingTensorHook({"loss": loss, "step": global_step}, every_n_iter=every)]


def make_saver(config: RunConfig, scaffold: Scaffold) -> None:
    """Adds a Saver to the default graph, unless it or the scaffold has one.

    Args:
        config: RunConfig, which limits the number of checkpoints.
        scaffold: Scaffold of the model.
    """
    if scaffold.saver or get_collection(GraphKeys.SAVERS):
        return
    saver = Saver(
        sharded=True,
        max_to_keep=config.keep_checkpoint_max,
        keep_checkpoint_every_n_hours=config.keep_checkpoint_every_n_hours or 10000,
        defer_build=True,
        save_relative_paths=True,
    )
    add_to_collection(GraphKeys.SAVERS, saver)


def saving_hooks(
    config: RunConfig, model_dir: str, spec: EstimatorSpec, worker_hooks: list[Any], listeners: list[Any]
) -> list[CheckpointSaverHook]:
    """Returns the hooks to add that save checkpoints, and adds the listeners to one of them or to one that there is.

    Args:
        config: RunConfig, which sets the interval.
        model_dir: str, the folder of the checkpoints.
        spec: EstimatorSpec of the model.
        worker_hooks: list of SessionRunHook, those of the training.
        listeners: list of CheckpointSaverListener.

    Returns:
        list of CheckpointSaverHook; empty if the model or the program has such a hook.

    Raises:
        ValueError: if there are listeners, and no hook saves checkpoints.
    """
    given = [h for h in (*worker_hooks, *spec.training_chief_hooks) if isinstance(h, CheckpointSaverHook)]
    secs, steps = config.save_checkpoints_secs, config.save_checkpoints_steps
    added: list[CheckpointSaverHook] = []
    if not given and (secs or steps):
        added = [CheckpointSaverHook(model_dir, save_secs=secs, save_steps=steps, scaffold=spec.scaffold)]
    if listeners:
        if not given + added:
            raise ValueError(
                "There should be a CheckpointSaverHook to use saving_listeners. Please set one of the "
                "RunConfig.save_checkpoints_steps or RunConfig.save_checkpoints_secs."
            )
        (given + added)[0]._listeners.extend(listeners)
    return added
