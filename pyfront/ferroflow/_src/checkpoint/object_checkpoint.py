"""`tf.train.Checkpoint`: objects saved by the attributes that hold them, and restored also before they are made."""

from __future__ import annotations

import os
from typing import Any

from ferroflow._src.base.files.urls import folder_of
from ferroflow._src.base.typing import SessionObject
from ferroflow._src.checkpoint import state
from ferroflow._src.checkpoint.load_status import LoadStatus
from ferroflow._src.checkpoint.object_saver import saver_of
from ferroflow._src.framework.default_graph import colocate_with, device, init_scope
from ferroflow._src.framework.trackable import Trackable, no_automatic_dependency_tracking
from ferroflow._src.layers.sessions import session_to_use
from ferroflow._src.variables.auto_trackable import AutoTrackable
from ferroflow._src.variables.variable import Variable


class Checkpoint(AutoTrackable):
    """Objects that are saved and restored together: variables, optimizers, layers, models, and what these hold.

    A value is found by the names of attributes that lead to it, so names of variables and scopes may change. `restore`
    may precede the creation of variables.

    Args:
        **kwargs: the objects by names, which become attributes.

    Raises:
        ValueError: if an object cannot be saved.

    Example:
        >>> checkpoint = tf.train.Checkpoint(step=tf.Variable(7))
        >>> sess.run(checkpoint.step.initializer)
        >>> path = checkpoint.save("ckpt", session=sess)
        >>> sess.run(checkpoint.step.assign(8))
        8
        >>> checkpoint.restore(path).assert_consumed().run_restore_ops(sess)
        >>> print(path, sess.run(checkpoint.step))
        ckpt-1 7
    """

    @no_automatic_dependency_tracking
    def _set_up(self) -> None:
        self._save_counter: Any = None
        self._next_number: Any = None
        self._saver = saver_of(self)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__()
        self._set_up()
        for name, value in sorted(kwargs.items()):
            if not isinstance(value, Trackable):
                raise ValueError(
                    "`Checkpoint` was expecting a trackable object (an object derived from `TrackableBase`), got "
                    f"{value}. Variables, optimizers, layers, models and objects of `tf.Module` are."
                )
            setattr(self, name, value)

    @property
    def save_counter(self) -> Any:
        """The variable of int64, of shape [], with the number of calls of `save`."""
        if self._save_counter is None:
            self._make_counter()
        return self._save_counter

    @no_automatic_dependency_tracking
    def _make_counter(self) -> None:
        with init_scope(), device("/cpu:0"):
            counter = Variable(0, name="save_counter", dtype="int64", trainable=False, use_resource=True)
        self._save_counter = counter
        self._track_trackable(counter, "save_counter")

    @no_automatic_dependency_tracking
    def _count(self, session: Any) -> int:
        """Increases the counter, and returns it."""
        if self._save_counter is None:
            session.run(self.save_counter.initializer)
        if self._next_number is None or self._next_number.graph is not session.graph:
            with init_scope(), colocate_with(self.save_counter.op):
                self._next_number = self.save_counter.assign_add(1).read_value()
        return int(session.run(self._next_number))

    def write(self, file_prefix: str, session: SessionObject | None = None) -> str:
        """Saves the objects without a number, and without an entry in the state file.

        Args:
            file_prefix: str, the checkpoint's prefix.
            session: Session; None for the default one.

        Returns:
            The prefix of the checkpoint.
        """
        return self._saver.save(os.fspath(file_prefix), session=session_to_use(session))

    def save(self, file_prefix: str, session: SessionObject | None = None) -> str:
        """Saves the objects with the next number, and names the checkpoint in the state file of its folder.

        Args:
            file_prefix: str, the checkpoint's prefix before the number.
            session: Session; None for the default one.

        Returns:
            The prefix of the checkpoint, with the number, for `restore`.
        """
        file_prefix = os.fspath(file_prefix)
        session = session_to_use(session)
        path = self.write(f"{file_prefix}-{self._count(session)}", session)
        state.update_state(folder_of(file_prefix), path, [path], None, save_relative_paths=True)
        return path

    def restore(self, save_path: str | None) -> LoadStatus:
        """Restores the objects, also those that are attached later; the returned object runs what is added.

        A checkpoint of a `tf.train.Saver` is restored by the names of variables.

        Args:
            save_path: str, the checkpoint's prefix; None if there is none, for `initialize_or_restore` to initialize.

        Returns:
            An object with `assert_consumed`, `assert_existing_objects_matched`, `assert_nontrivial_match`,
            `expect_partial`, `run_restore_ops(session)` and `initialize_or_restore(session)`.

        Raises:
            tf.errors.NotFoundError: if the checkpoint does not exist.
        """
        status = self._saver.restore(save_path)
        if self._save_counter is None:
            self._make_counter()
        return status


def count_save(checkpoint: Checkpoint, session: Any) -> int:
    """Increases a checkpoint's counter of saves, and returns it.

    Args:
        checkpoint: Checkpoint.
        session: Session.

    Returns:
        int.
    """
    count: int = checkpoint._count(session)
    return count
