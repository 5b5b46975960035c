"""`CheckpointManager`: saves checkpoints of a `tf.train.Checkpoint`, and removes old ones."""

from __future__ import annotations

import os
import time
from typing import Any

from ferroflow._src.base import compat, tf_logging
from ferroflow._src.base.typing import IntLike
from ferroflow._src.checkpoint import state
from ferroflow._src.checkpoint.object_checkpoint import count_save
from ferroflow._src.layers.sessions import session_to_use

_HOUR = 3600.0


class CheckpointManager:
    """Saves checkpoints in a folder, where the newest ones are kept; its list is in the folder's state file.

    Args:
        checkpoint: `tf.train.Checkpoint`.
        directory: str, the folder; a manager of it that was made before is continued.
        max_to_keep: int, the number of checkpoints to keep; None for all.
        keep_checkpoint_every_n_hours: float, hours after which one more is kept for good; None to keep none.
        checkpoint_name: str, the first part of the checkpoints' names.

    Raises:
        ValueError: if `max_to_keep` is not positive.

    Example:
        >>> checkpoint = tf.train.Checkpoint(step=tf.Variable(7))
        >>> manager = tf.train.CheckpointManager(checkpoint, "run", max_to_keep=2)
        >>> with sess.as_default():
        ...     sess.run(checkpoint.step.initializer)
        ...     paths = [manager.save() for _ in range(3)]
        >>> print(manager.checkpoints, manager.latest_checkpoint)
        ['run/ckpt-2', 'run/ckpt-3'] run/ckpt-3
    """

    def __init__(
        self,
        checkpoint: Any,
        directory: str,
        max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None,
        checkpoint_name: str = "ckpt",
    ) -> None:
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(f"Expected a positive integer or `None` for `max_to_max_to_keep`, got {max_to_keep}.")
        self._checkpoint = checkpoint
        self._directory = os.fspath(directory)
        self._max_to_keep = max_to_keep
        self._hours = keep_checkpoint_every_n_hours
        self._checkpoint_prefix = os.path.join(self._directory, checkpoint_name)
        self._latest_checkpoint: str | None = None
        # The checkpoints that may be removed, oldest first, and when they were written.
        self._maybe_delete: dict[str, float] = {}
        now = time.time()
        # A little before, so that a checkpoint of this moment counts as newer.
        self._last_preserved_timestamp = now - 1.0
        found = state.get_checkpoint_state(self._directory)
        if found is not None:
            self._continue(found, now)

    def _continue(self, found: Any, now: float) -> None:
        self._latest_checkpoint = found.model_checkpoint_path
        last = found.last_preserved_timestamp
        if now < last:
            tf_logging.warning("The clock is %f seconds behind the last checkpoint that was kept for good.", last - now)
        self._last_preserved_timestamp = min(last, now)
        paths = list(found.all_model_checkpoint_paths)
        times = list(found.all_model_checkpoint_timestamps) or [self._last_preserved_timestamp] * len(paths)
        for path, written in zip(paths, times, strict=True):
            if min(written, now) > self._last_preserved_timestamp:
                self._maybe_delete[path] = min(written, now)

    @property
    def latest_checkpoint(self) -> str | None:
        """The prefix of the newest checkpoint; None if there is none."""
        return self._latest_checkpoint

    @property
    def checkpoints(self) -> list[str]:
        """The prefixes of the checkpoints that may be removed later, oldest first."""
        return list(self._maybe_delete)

    @property
    def _prefix(self) -> str:
        return self._checkpoint_prefix

    def save(self, checkpoint_number: IntLike | None = None) -> str:
        """Saves a checkpoint in the default session, and removes those that are no longer kept.

        Args:
            checkpoint_number: int, or variable or tensor of an integer dtype of shape []; None for the checkpoint's
                counter of saves, which is increased in each case.

        Returns:
            The prefix of the checkpoint.
        """
        session = session_to_use(None)
        count = count_save(self._checkpoint, session)
        number = count if checkpoint_number is None else checkpoint_number
        if not isinstance(number, compat.integral_types):
            number = session.run(number)
        path: str = self._checkpoint.write(f"{self._prefix}-{int(number)}", session)
        self._maybe_delete.pop(path, None)
        self._maybe_delete[path] = time.time()
        self._latest_checkpoint = path
        # The file names the new checkpoint before old ones go, and no longer names these afterwards.
        self._record()
        self._sweep()
        self._record()
        return path

    def _sweep(self) -> None:
        while self._max_to_keep and len(self._maybe_delete) > self._max_to_keep:
            path = next(iter(self._maybe_delete))
            written = self._maybe_delete.pop(path)
            if self._hours and written - self._hours * _HOUR >= self._last_preserved_timestamp:
                self._last_preserved_timestamp = written
            else:
                state.remove_checkpoint(path)

    def _record(self) -> None:
        state.update_state(
            self._directory,
            str(self._latest_checkpoint),
            list(self._maybe_delete),
            None,
            list(self._maybe_delete.values()),
            self._last_preserved_timestamp,
            save_relative_paths=True,
        )
