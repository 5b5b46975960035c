"""`RunConfig` of `tf.contrib.learn`: that of `tf.estimator`, with earlier arguments."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import proto
from ferroflow._src.estimator import run_config as core

__all__ = ["RunConfig"]


class RunConfig(core.RunConfig):
    """Settings of training and evaluation.

    Args:
        master: str, the address of the server; None for that of `TF_CONFIG`.
        num_cores: int, the number of threads; 0 for all cores.
        log_device_placement: bool. If True, devices of operations are logged.
        gpu_memory_fraction: float, kept in the session's configuration.
        tf_random_seed: int.
        save_summary_steps: int, steps between two summaries.
        save_checkpoints_secs: int, seconds between two checkpoints, or None.
        save_checkpoints_steps: int, steps between two checkpoints, or None.
        keep_checkpoint_max: int, the number of checkpoints that are kept.
        keep_checkpoint_every_n_hours: float, hours after which one more checkpoint is kept.
        log_step_count_steps: int, steps between two logs of the loss and the speed.
        protocol: str, that of the servers of a cluster.
        evaluation_master: str, the address of the server that evaluates.
        model_dir: str, the folder of checkpoints and summaries.
        session_config: ConfigProto; None for one of `num_cores`, `log_device_placement` and `gpu_memory_fraction`.

    Raises:
        ValueError: if both intervals of checkpoints are given, or a value is not in its range.
    """

    def __init__(
        self,
        master: str | None = None,
        num_cores: int = 0,
        log_device_placement: bool = False,
        gpu_memory_fraction: float = 1,
        tf_random_seed: int | None = None,
        save_summary_steps: int | None = 100,
        save_checkpoints_secs: float | None = core._USE_DEFAULT,
        save_checkpoints_steps: int | None = core._USE_DEFAULT,
        keep_checkpoint_max: int | None = 5,
        keep_checkpoint_every_n_hours: float | None = 10000,
        log_step_count_steps: int | None = 100,
        protocol: str | None = None,
        evaluation_master: str = "",
        model_dir: str | None = None,
        session_config: proto.ConfigProto | None = None,
    ) -> None:
        if save_checkpoints_secs is core._USE_DEFAULT and save_checkpoints_steps not in (core._USE_DEFAULT, None):
            save_checkpoints_secs = None
        elif save_checkpoints_steps is None and save_checkpoints_secs is core._USE_DEFAULT:
            save_checkpoints_secs = 600
        self._tf_config = session_config or proto.ConfigProto(
            log_device_placement=log_device_placement,
            inter_op_parallelism_threads=num_cores,
            intra_op_parallelism_threads=num_cores,
            gpu_options=proto.GPUOptions(per_process_gpu_memory_fraction=gpu_memory_fraction),
        )
        super().__init__(
            model_dir=model_dir,
            tf_random_seed=tf_random_seed,
            save_summary_steps=save_summary_steps,
            save_checkpoints_steps=save_checkpoints_steps,
            save_checkpoints_secs=save_checkpoints_secs,
            session_config=self._tf_config,
            keep_checkpoint_max=keep_checkpoint_max,
            keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours,
            log_step_count_steps=log_step_count_steps,
            protocol=protocol,
        )
        if master is not None:
            self.master = master
        if evaluation_master:
            self.evaluation_master = evaluation_master

    @property
    def tf_config(self) -> Any:
        """The ConfigProto of sessions."""
        return self._tf_config

    def uid(self, allowlist: Any = None) -> str:
        """Returns a text that configurations of the same arguments share.

        Args:
            allowlist: list of str, accepted and not used.

        Returns:
            str.
        """
        return repr(sorted((name, str(value)) for name, value in vars(self).items() if name != "model_dir"))
