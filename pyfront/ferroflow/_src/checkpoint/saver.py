"""`Saver`: saves the variables of a session to checkpoints and restores them."""

from __future__ import annotations

import contextlib
import math
import os
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final, NoReturn

import numpy as np

from ferroflow import _core
from ferroflow._src.base import compat, errors, proto, tf_logging
from ferroflow._src.base.files.urls import folder_of, is_remote
from ferroflow._src.base.fork_locks import RenewedLock
from ferroflow._src.base.progress import on_terminal, shown
from ferroflow._src.base.public_modules import show_as
from ferroflow._src.base.typing import DictLike, IntLike, ListLike
from ferroflow._src.checkpoint import state
from ferroflow._src.checkpoint.meta_graph_export import export_scoped_meta_graph
from ferroflow._src.checkpoint.remote_checkpoint import restore_checkpoint, save_checkpoint
from ferroflow._src.checkpoint.saver_builder import BulkSaverBuilder
from ferroflow._src.framework.default_graph import add_to_collection, get_collection, get_default_graph
from ferroflow._src.framework.graph_files import local_path
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.proto_functions import register_proto_function
from ferroflow._src.framework.scope_names import prepend_name_scope, strip_name_scope
from ferroflow._src.session.session import BaseSession
from ferroflow._src.variables.collections import global_variables

_NAMES = ("filename_tensor_name", "save_tensor_name", "restore_op_name")
_HOUR = 3600
# One save at a time in each folder of this process.
_folder_locks: defaultdict[str, RenewedLock] = defaultdict(RenewedLock)


# `SaverDef.V2`, whose module takes long to import.
_FORMAT: Final = 2


def all_saveable_objects(scope: str | None = None) -> list[Any]:
    """Returns all that savers save by default: the global variables, and the collection of other saveable objects."""
    return [*global_variables(scope), *get_collection(GraphKeys.SAVEABLE_OBJECTS, scope)]


class Saver:
    """Saver of variables: writes checkpoints, deletes old ones, and restores variables from them.

    Args:
        var_list: list of variables and `SaveableObject`s, or dict of them by the names they are saved under; None for
            all saveable objects of the graph.
        reshape: bool. If True, a variable may be restored from a checkpoint that has it in another shape.
        sharded: bool. If True, each device has files of its own.
        max_to_keep: int, how many of the latest checkpoints are kept; None or 0 for all.
        keep_checkpoint_every_n_hours: float, hours between two checkpoints that are kept in addition.
        name: str, the name scope of the operations, "save" by default.
        restore_sequentially: bool. If True, variables are restored one after the other; only builders that read
            variables one by one use it.
        saver_def: a `SaverDef` of a saver whose operations are in the graph, instead of making new ones.
        builder: a `BaseSaverBuilder`; by default a `BulkSaverBuilder`.
        defer_build: bool. If True, the operations are made by `build` only.
        allow_empty: bool. If True, there may be no variables; the saver then does nothing.
        write_version: the format, `SaverDef.V2` by default.
        pad_step_number: bool. If True, step numbers in names have eight digits at least.
        save_relative_paths: bool. If True, the state file names checkpoints relative to its folder.
        filename: str, the prefix that the operations use if none is given.

    Raises:
        TypeError: if `var_list` is invalid.
        ValueError: if an object is given twice, two objects have the same name, or there is nothing to save.

    Example:
        >>> v = tf.Variable([1.0, 2.0], name="v")
        >>> saver = tf.train.Saver()
        >>> _ = sess.run(v.assign([3.0, 4.0]))
        >>> prefix = saver.save(sess, "./model", global_step=10)
        >>> _ = sess.run(v.assign([0.0, 0.0]))
        >>> saver.restore(sess, prefix)
        >>> print(prefix, sess.run(v))
        ./model-10 [3. 4.]
    """

    def __init__(
        self,
        var_list: ListLike | DictLike | None = None,
        reshape: bool = False,
        sharded: bool = False,
        max_to_keep: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000.0,
        name: str | None = None,
        restore_sequentially: bool = False,
        saver_def: proto.SaverDef | None = None,
        builder: BulkSaverBuilder | None = None,
        defer_build: bool = False,
        allow_empty: bool = False,
        write_version: int | None = _FORMAT,
        pad_step_number: bool = False,
        save_relative_paths: bool = False,
        filename: str | None = None,
    ) -> None:
        if defer_build and var_list:
            raise ValueError(
                "If `var_list` is provided then build cannot be deferred. Either set defer_build=False or "
                "var_list=None."
            )
        self._var_list = var_list
        self._reshape = reshape
        self._sharded = sharded
        self._max_to_keep = max_to_keep
        self._keep_checkpoint_every_n_hours = keep_checkpoint_every_n_hours
        self._name = name
        self._restore_sequentially = restore_sequentially
        self.saver_def: Any = saver_def
        self._builder = builder
        self._is_built = False
        self._allow_empty = allow_empty
        self._is_empty: bool | None = None
        self._write_version = proto.SaverDef.V2 if write_version is None else write_version
        self._pad_step_number = pad_step_number
        self._filename = filename
        self._last_checkpoints: list[tuple[str, float]] = []
        self._checkpoints_to_be_deleted: list[tuple[str, float]] = []
        self._next_checkpoint_time = math.inf
        self._save_relative_paths = save_relative_paths
        if not defer_build:
            self.build()
        if self.saver_def:
            self._check_saver_def()
            self._write_version = self.saver_def.version

    def build(self) -> None:
        """Adds the saver's operations to the graph, if `defer_build` deferred this.

        Raises:
            ValueError: if there is nothing to save.
        """
        if self._is_built:
            return
        self._is_built = True
        if not self.saver_def:
            if self._builder is None:
                self._builder = BulkSaverBuilder(self._write_version)
            if self._var_list is None:
                self._var_list = all_saveable_objects()
            self._is_empty = not self._var_list
            if self._is_empty:
                if self._allow_empty:
                    return
                raise ValueError("No variables to save")
            self.saver_def = self._builder.build(
                self._var_list,
                reshape=self._reshape,
                sharded=self._sharded,
                max_to_keep=self._max_to_keep,
                keep_checkpoint_every_n_hours=self._keep_checkpoint_every_n_hours,
                name=self._name,
                restore_sequentially=self._restore_sequentially,
                filename=self._filename,
            )
        elif self._name:
            # TF 1.x: of a saver whose operations were imported, the name is the scope that they were imported into.
            for field in _NAMES:
                setattr(self.saver_def, field, prepend_name_scope(getattr(self.saver_def, field), self._name))
        self._check_saver_def()
        self._next_checkpoint_time = time.time() + self.saver_def.keep_checkpoint_every_n_hours * _HOUR

    def _check_saver_def(self) -> None:
        if not isinstance(self.saver_def, proto.SaverDef):
            raise ValueError(f"saver_def must be a saver_pb2.SaverDef: {self.saver_def}")
        for field in _NAMES[1:]:
            if not getattr(self.saver_def, field):
                raise ValueError(f"saver_def must specify the {field}: {self.saver_def}")

    def _record(self, path: str) -> None:
        """Adds the newest checkpoint, which makes the oldest one superfluous."""
        if not self.saver_def.max_to_keep:
            return
        kept = [*(c for c in self._last_checkpoints if c[0] != path), (path, time.time())]
        old = kept[: 1 if len(kept) > self.saver_def.max_to_keep else 0]
        to_be_deleted = [*self._checkpoints_to_be_deleted, *old]
        # No call between both: an interrupt would lose the oldest one.
        self._last_checkpoints, self._checkpoints_to_be_deleted = kept[len(old) :], to_be_deleted

    def _mark_old(self, latest_filename: str, meta_graph_suffix: str) -> None:
        """Marks an old checkpoint for removal, unless it is kept as the last one of a period."""
        if not self._checkpoints_to_be_deleted:
            return
        (path, written), others = self._checkpoints_to_be_deleted[0], self._checkpoints_to_be_deleted[1:]
        next_time = self._next_checkpoint_time
        if written > next_time:
            next_time += self.saver_def.keep_checkpoint_every_n_hours * _HOUR
        elif state.has_files(path):
            state.mark_superfluous(path, latest_filename, self.saver_def.version, meta_graph_suffix)
        self._next_checkpoint_time, self._checkpoints_to_be_deleted = next_time, others

    @property
    def last_checkpoints(self) -> list[str]:
        """The prefixes of the checkpoints that are kept, oldest first."""
        return [path for path, _ in self._last_checkpoints]

    def set_last_checkpoints(self, last_checkpoints: list[str]) -> None:
        """Deprecated: use `set_last_checkpoints_with_time`. These checkpoints are never deleted.

        Args:
            last_checkpoints: list of str, prefixes, oldest first.

        Raises:
            AssertionError: if `last_checkpoints` is not a list.
        """
        if not isinstance(last_checkpoints, list):
            raise AssertionError("last_checkpoints must be a list")
        self._last_checkpoints = [(path, np.inf) for path in last_checkpoints]

    def set_last_checkpoints_with_time(self, last_checkpoints_with_time: list[tuple[str, float]]) -> None:
        """Sets the list of existing checkpoints.

        Args:
            last_checkpoints_with_time: list of prefixes and times in seconds since 1970, oldest first.

        Raises:
            AssertionError: if the argument is not a list.
        """
        if not isinstance(last_checkpoints_with_time, list):
            raise AssertionError("last_checkpoints_with_time must be a list")
        self._last_checkpoints = last_checkpoints_with_time

    def recover_last_checkpoints(self, checkpoint_paths: Sequence[str]) -> None:
        """Sets the list of existing checkpoints after a restart of the program.

        Args:
            checkpoint_paths: list of str, their prefixes, oldest first; those without files are left out.
        """
        found = [path for path in checkpoint_paths if state.has_files(path)]
        times = state.get_checkpoint_mtimes(found)
        self.set_last_checkpoints_with_time(list(zip(found, times, strict=True)))

    def as_saver_def(self) -> Any:
        """Returns the `SaverDef` message of this saver."""
        return self.saver_def

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Returns the `SaverDef` message of this saver.

        Args:
            export_scope: str, a name scope to remove from the names.

        Returns:
            The message; None if the operations are not in that scope.
        """
        if export_scope is None:
            return self.saver_def
        if not all(getattr(self.saver_def, field).startswith(export_scope) for field in _NAMES):
            return None
        saver_def = proto.SaverDef()
        saver_def.CopyFrom(self.saver_def)
        for field in _NAMES:
            setattr(saver_def, field, strip_name_scope(getattr(saver_def, field), export_scope))
        return saver_def

    @staticmethod
    def from_proto(saver_def: Any, import_scope: str | None = None) -> Saver:
        """Returns the saver whose operations a `SaverDef` names.

        Args:
            saver_def: `SaverDef` message.
            import_scope: str, a name scope to put before the names.

        Returns:
            Saver.
        """
        return Saver(saver_def=saver_def, name=import_scope)

    def export_meta_graph(
        self,
        filename: str | None = None,
        collection_list: Iterable[str] | None = None,
        as_text: bool = False,
        export_scope: str | None = None,
        clear_devices: bool = False,
        clear_extraneous_savers: bool = False,
        strip_default_attrs: bool = False,
    ) -> Any:
        """Returns the default graph with this saver as a message.

        Args:
            filename: str, a file to write it to, or None.
            collection_list: names of the collections to add; None for all.
            as_text: bool. If True, the file is in protobuf's text format.
            export_scope: str, the name scope to export, which is removed from the names; None for the whole graph.
            clear_devices: bool. If True, leave out devices.
            clear_extraneous_savers: bool. If True, leave out the nodes of other savers.
            strip_default_attrs: bool. If True, leave out attributes with their default values.

        Returns:
            MetaGraphDef message.

        Raises:
            ValueError: if the GraphDef would be larger than 2 GB.
        """
        return export_scoped_meta_graph(
            filename=filename,
            graph_def=get_default_graph().as_graph_def(add_shapes=True),
            saver_def=self.saver_def,
            collection_list=collection_list,
            as_text=as_text,
            export_scope=export_scope,
            clear_devices=clear_devices,
            clear_extraneous_savers=clear_extraneous_savers,
            strip_default_attrs=strip_default_attrs,
        )[0]

    def save(
        self,
        sess: BaseSession,
        save_path: str,
        global_step: IntLike | None = None,
        latest_filename: str | None = None,
        meta_graph_suffix: str = "meta",
        write_meta_graph: bool = True,
        write_state: bool = True,
        strip_default_attrs: bool = False,
    ) -> str | None:
        """Saves the variables as a checkpoint.

        If the program is killed at any moment, the state file still names a complete checkpoint with its MetaGraph, if
        there was one before. An interrupt is raised before the new checkpoint is complete or after the state file lists
        it.

        Args:
            sess: the session of the variables.
            save_path: str, the checkpoint's prefix; a path or URL.
            global_step: int, tensor of an integer dtype of shape [], or its name; its value is added to the prefix
                after a hyphen.
            latest_filename: str, the state file's name; "checkpoint" by default.
            meta_graph_suffix: str, the suffix of the MetaGraph's name.
            write_meta_graph: bool. If True, write the MetaGraph.
            write_state: bool. If True, write the state file, and delete checkpoints that are not kept.
            strip_default_attrs: bool. If True, the MetaGraph leaves out attributes with their default values.

        Returns:
            The prefix of the checkpoint, for `restore`; None if the saver is empty.

        Raises:
            TypeError: if `sess` is not a session.
            ValueError: if `latest_filename` has a folder or is the checkpoint's name, or the checkpoint's folder is
                missing.
            RuntimeError: if the operations were not made.
        """
        if not self._is_built:
            raise RuntimeError("`build()` should be called before save if defer_build==True")
        latest_filename = latest_filename or "checkpoint"
        if self._write_version != proto.SaverDef.V2:
            tf_logging.warning(
                "TensorFlow's V1 checkpoint format has been deprecated. Consider switching to the more efficient V2 "
                "format: `tf.train.Saver(write_version=tf.train.SaverDef.V2)`, now on by default."
            )
        if os.path.split(latest_filename)[0]:
            raise ValueError("'latest_filename' must not contain path components")
        save_path = compat.as_str(os.fspath(save_path))
        if global_step is None and os.path.basename(save_path) == latest_filename and not self._sharded:
            raise ValueError(f"'latest_filename' collides with 'save_path': '{latest_filename}' and '{save_path}'")
        if not isinstance(sess, BaseSession):
            raise TypeError(f"'sess' must be a Session; {sess}")

        def write_meta(prefix: str) -> None:
            if write_meta_graph:
                path = state.meta_graph_file(prefix, meta_graph_suffix)
                with sess.graph.as_default():
                    self.export_meta_graph(path, strip_default_attrs=strip_default_attrs)

        # A supervisor's thread may be saving now. The step is read after that, or the state file could end with an
        # earlier checkpoint.
        with _folder_locks[_absolute(folder_of(save_path))]:
            prefix = self._numbered(sess, save_path, global_step)
            if self._is_empty:
                write_meta(prefix)
                return None
            before = state.version_of(prefix)
            try:
                saved = self._save_variables(sess, prefix, save_path)
                # A program that is killed before the state file lists the checkpoint finds the one before, complete.
                write_meta(prefix)
                if write_state:
                    self._update_state(saved, save_path, latest_filename, meta_graph_suffix)
            except BaseException:
                # A checkpoint that the state file does not list would never be removed.
                if write_state and state.version_of(prefix) not in (None, before):
                    with contextlib.suppress(Exception):
                        self._update_state(prefix, save_path, latest_filename, meta_graph_suffix)
                raise
        return saved

    def _numbered(self, sess: BaseSession, save_path: str, global_step: Any) -> str:
        if global_step is None:
            return save_path
        step = global_step if isinstance(global_step, compat.integral_types) else _step_value(sess, global_step)
        return f"{save_path}-{int(step):0{8 if self._pad_step_number else 1}d}"

    def _save_variables(self, sess: BaseSession, prefix: str, save_path: str) -> str:
        try:
            with shown(on_terminal, None, f"Saving {prefix}", "variables"):
                saved = save_checkpoint(
                    sess, self.saver_def.save_tensor_name, self.saver_def.filename_tensor_name, prefix
                )
        except (errors.FailedPreconditionError, errors.NotFoundError):
            if is_remote(save_path) or os.path.isdir(local_path(os.path.dirname(save_path)) or "."):
                raise
            raise ValueError(f"Parent directory of {save_path} doesn't exist, can't save.") from None
        except BaseException:
            # An interrupt between a shard and the merge.
            if not is_remote(prefix):
                _core.abandon_shards(local_path(prefix))
            raise
        return saved

    def _update_state(self, saved: str, save_path: str, latest_filename: str, meta_graph_suffix: str) -> None:
        """Writes the state file with the newest checkpoint, and removes what it no longer names.

        A second call finishes what an interrupt left.
        """
        folder = folder_of(save_path)
        self._record(saved)
        self._mark_old(latest_filename, meta_graph_suffix)
        state.update_state(
            folder, saved, self.last_checkpoints, latest_filename, save_relative_paths=self._save_relative_paths
        )
        state.remove_superfluous(folder)

    def restore(self, sess: BaseSession, save_path: str | None) -> None:
        """Assigns the values of a checkpoint to the variables, which need not be initialized.

        Args:
            sess: the session of the variables.
            save_path: str, the checkpoint's prefix, as `save` or `tf.train.latest_checkpoint` returned it.

        Raises:
            ValueError: if `save_path` is None.
            NoCheckpointError: if the checkpoint does not exist; a ValueError and a tf.errors.NotFoundError.
            tf.errors.NotFoundError: if a variable is not in the checkpoint.
            tf.errors.InvalidArgumentError: if the checkpoint has a variable with another dtype or shape.
            tf.errors.DataLossError: if the checkpoint is damaged.
        """
        if self._is_empty:
            return
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        save_path = compat.as_str(os.fspath(save_path))
        tf_logging.info("Restoring parameters from %s", save_path)
        try:
            with shown(on_terminal, None, f"Restoring {save_path}", "variables"):
                restore_checkpoint(sess, self.saver_def.restore_op_name, self.saver_def.filename_tensor_name, save_path)
        except errors.NotFoundError as failure:
            if not state.has_files(save_path):
                raise NoCheckpointError(failure, save_path) from None
            _refuse(failure, "a Variable name or other graph key that is missing from the checkpoint")
        except errors.InvalidArgumentError as failure:
            _refuse(failure, "a mismatch between the current graph and the graph from the checkpoint")


class NoCheckpointError(errors.NotFoundError, ValueError):
    """The error of a checkpoint that does not exist: ValueError as in TensorFlow 1.15, NotFoundError as in 1.8.

    Args:
        failure: the error of the operation that reads the checkpoint.
        save_path: str, the checkpoint's prefix.
    """

    def __init__(self, failure: errors.OpError, save_path: str) -> None:
        message = f"The passed save_path is not a valid checkpoint: {save_path}\n{failure.message}"
        super().__init__(failure.node_def, failure.op, message)

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return _restore_no_checkpoint, (self._node_def, self._message)


def _restore_no_checkpoint(node_def: Any, message: str) -> NoCheckpointError:
    error = NoCheckpointError.__new__(NoCheckpointError)
    errors.NotFoundError.__init__(error, node_def, None, message)
    return error


show_as(NoCheckpointError, errors.NotFoundError)


def _refuse(failure: errors.OpError, cause: str) -> NoReturn:
    message = (
        f"Restoring from checkpoint failed. This is most likely due to {cause}. Please ensure that you have not "
        f"altered the graph expected based on the checkpoint. Original error:\n\n{failure.message}"
    )
    raise errors.make_exception(failure.node_def, failure.op, message, failure.error_code) from None


def _absolute(folder: str) -> str:
    return folder if is_remote(folder) else os.path.abspath(local_path(folder))


def _step_value(sess: BaseSession, global_step: Any) -> int:
    # TF 1.x: a vector of one element counts as well.
    return int(np.asarray(sess.run(global_step)).item())


def get_saver_or_default() -> Saver:
    """Returns the saver of the collection `GraphKeys.SAVERS`; a new one in shards, put there, if there is none.

    Raises:
        RuntimeError: if the collection has several.
    """
    savers = get_collection(GraphKeys.SAVERS)
    if len(savers) > 1:
        raise RuntimeError(
            f"More than one item in collection {GraphKeys.SAVERS}. Please indicate which one to use by passing it to "
            "the constructor."
        )
    if savers:
        saver: Saver = savers[0]
        return saver
    saver = Saver(sharded=True, allow_empty=True)
    add_to_collection(GraphKeys.SAVERS, saver)
    return saver


register_proto_function(GraphKeys.SAVERS, "SaverDef", to_proto=Saver.to_proto, from_proto=Saver.from_proto)
