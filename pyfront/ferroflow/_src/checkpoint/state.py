"""The state file `checkpoint` of a folder, which lists its checkpoints, and the files of checkpoints."""

from __future__ import annotations

import contextlib
import glob
import os
from collections.abc import Iterable, Sequence
from typing import Any

from ferroflow._src.base import compat, errors, proto, tf_logging
from ferroflow._src.base.files.content import read_file_to_string, write_string_to_file
from ferroflow._src.base.files.remote import RemoteFile, matching
from ferroflow._src.base.files.system import exists, glob as matching_paths, remove, rename, stat
from ferroflow._src.base.files.urls import folder_of, is_remote
from ferroflow._src.checkpoint.remote_checkpoint import remove_remote_checkpoint
from ferroflow._src.framework.graph_files import local_path, replace_file


def matching_files(pattern: str) -> list[str]:
    """Returns the files that a name or pattern stands for, sorted."""
    if is_remote(pattern):
        return matching(pattern)
    path = local_path(pattern)
    found = sorted(glob.glob(path))
    return found or [path for path in (path,) if os.path.lexists(path)]


def _found_files(pattern: str) -> list[str]:
    """Returns `matching_files` of a pattern whose folder must exist, unless it is at a URL.

    Raises:
        tf.errors.OpError: if the folder does not exist, or is no folder.
    """
    # TF 1.x: no name of a file ends with a slash.
    found = [] if pattern.endswith("/") else matching_files(pattern)
    if not found and not is_remote(pattern):
        with contextlib.suppress(errors.InvalidArgumentError):
            # TF 1.15 lists the folder. Malformed patterns match nothing.
            matching_paths(pattern)
    return found


def has_files(checkpoint_prefix: str) -> bool:
    """Returns True if a checkpoint of either format exists for a prefix, whose folder may be missing."""
    return bool(matching_files(index_file(checkpoint_prefix)) or matching_files(checkpoint_prefix))


def state_file(save_dir: str, latest_filename: str | None) -> str:
    """Returns the path of a folder's state file."""
    return os.path.join(save_dir, latest_filename or "checkpoint")


def index_file(prefix: str) -> str:
    """Returns the name of the index file, which only checkpoints of the second format have."""
    return prefix + ".index"


def _relative_to(folder: str, url: str) -> str:
    """Returns a URL relative to the folder that it is in; as it is if it is elsewhere."""
    return os.path.basename(url) if folder_of(url) == folder.rstrip("/") or folder_of(url) == folder else url


def generate_checkpoint_state_proto(
    save_dir: str,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: list[str] | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> Any:
    """Makes a `CheckpointState` message.

    Args:
        save_dir: str, the folder of the checkpoints.
        model_checkpoint_path: str, the latest checkpoint.
        all_model_checkpoint_paths: list of str, all checkpoints, oldest first; the latest is added if it is not
            the last.
        all_model_checkpoint_timestamps: list of float, when each was written, in seconds since 1970.
        last_preserved_timestamp: float, when a checkpoint was last kept for good, in seconds since 1970.

    Returns:
        The message; its paths are absolute where those given are, else relative to `save_dir`.

    Raises:
        ValueError: if there are not as many times as checkpoints.
    """
    paths = [] if all_model_checkpoint_paths is None else all_model_checkpoint_paths
    times = list(all_model_checkpoint_timestamps or ())
    if times and len(times) != len(paths):
        raise ValueError(
            "Checkpoint timestamps, if provided, must match checkpoint paths (got paths "
            f"{paths} and timestamps {times})"
        )
    if not paths or paths[-1] != model_checkpoint_path:
        tf_logging.info("%s is not in all_model_checkpoint_paths. Manually adding it.", model_checkpoint_path)
        # TF 1.x: a list that was given has it from then on.
        paths.append(model_checkpoint_path)
        times = []

    def named(path: str) -> str:
        if is_remote(save_dir) or is_remote(path):
            return _relative_to(save_dir, path)
        relative = not os.path.isabs(save_dir) and not os.path.isabs(path)
        return os.path.relpath(path, save_dir or ".") if relative else path

    return proto.CheckpointState(
        model_checkpoint_path=named(model_checkpoint_path),
        all_model_checkpoint_paths=[named(path) for path in paths],
        all_model_checkpoint_timestamps=times,
        last_preserved_timestamp=last_preserved_timestamp,
    )


def update_checkpoint_state(
    save_dir: str,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    latest_filename: str | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> None:
    """Writes the state file of a folder.

    Args:
        save_dir: str, the folder of the checkpoints.
        model_checkpoint_path: str, the latest checkpoint.
        all_model_checkpoint_paths: list of str, all checkpoints, oldest first; the latest is added if it is not the
            last.
        latest_filename: str, the state file's name; "checkpoint" by default.
        all_model_checkpoint_timestamps: list of float, when each was written, in seconds since 1970.
        last_preserved_timestamp: float, when a checkpoint was last kept for good, in seconds since 1970.

    Raises:
        RuntimeError: if a checkpoint has the state file's name.
        ValueError: if there are not as many times as checkpoints.
    """
    update_state(
        save_dir,
        model_checkpoint_path,
        all_model_checkpoint_paths,
        latest_filename,
        all_model_checkpoint_timestamps,
        last_preserved_timestamp,
    )


def update_state(
    save_dir: str,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Sequence[str] | None,
    latest_filename: str | None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
    save_relative_paths: bool = False,
) -> None:
    """Writes the state file, as `update_checkpoint_state`; with relative paths if `save_relative_paths` is True."""
    latest, paths = model_checkpoint_path, list(all_model_checkpoint_paths or ())
    if save_relative_paths:

        def relative(path: str) -> str:
            if is_remote(path):
                return _relative_to(save_dir, path)
            return os.path.relpath(path, save_dir) if os.path.isabs(path) else path

        latest, paths = relative(latest), [relative(path) for path in paths]
    state = generate_checkpoint_state_proto(
        save_dir, latest, paths, all_model_checkpoint_timestamps, last_preserved_timestamp
    )
    name = state_file(save_dir, latest_filename)
    if name == state.model_checkpoint_path:
        raise RuntimeError(
            f"Save path '{model_checkpoint_path}' conflicts with path used for checkpoint state.  Please use a "
            "different save path."
        )
    replace_file(name, proto.text_format().MessageToString(state).encode())


def get_checkpoint_state(checkpoint_dir: str, latest_filename: str | None = None) -> Any:
    """Reads the state file of a folder.

    Args:
        checkpoint_dir: str, the folder.
        latest_filename: str, the state file's name; "checkpoint" by default.

    Returns:
        A `CheckpointState` message, its paths completed with the folder; None if there is no state file or it cannot
        be read.

    Raises:
        ValueError: if the state file names no checkpoint.
        tf.errors.OpError: if the folder is at a URL, and its store fails.

    Example:
        >>> v = tf.Variable(1.0)
        >>> sess.run(v.initializer)
        >>> path = tf.train.Saver().save(sess, "models/model", global_step=100)
        >>> state = tf.train.get_checkpoint_state("models")
        >>> print(state.model_checkpoint_path)
        models/model-100
    """
    checkpoint_dir = os.fspath(checkpoint_dir)
    name = state_file(checkpoint_dir, latest_filename)
    if not exists(name):
        return None
    state = proto.CheckpointState()
    text_format = proto.text_format()
    try:
        text_format.Merge(_text(name), state)
    except (OSError, UnicodeDecodeError, text_format.ParseError) as error:
        tf_logging.warning("%s: %s", type(error).__name__, error)
        tf_logging.warning("%s: Checkpoint ignored", name)
        return None
    if not state.model_checkpoint_path:
        raise ValueError(f"Invalid checkpoint state loaded from {checkpoint_dir}")

    def completed(path: str) -> str:
        if is_remote(path):
            return path
        return os.path.join(checkpoint_dir, path)

    state.model_checkpoint_path = completed(state.model_checkpoint_path)
    paths = [completed(path) for path in state.all_model_checkpoint_paths]
    del state.all_model_checkpoint_paths[:]
    state.all_model_checkpoint_paths.extend(paths)
    return state


def latest_checkpoint(checkpoint_dir: str, latest_filename: str | None = None) -> str | None:
    """Returns the prefix of a folder's latest checkpoint.

    Args:
        checkpoint_dir: str, the folder.
        latest_filename: str, the state file's name; "checkpoint" by default.

    Returns:
        str; None if there is no state file, or no file of the checkpoint that it names.

    Raises:
        ValueError: if the state file names no checkpoint.
        tf.errors.NotFoundError: if it names one in a folder that does not exist.

    Example:
        >>> v = tf.Variable(1.0)
        >>> saver = tf.train.Saver()
        >>> sess.run(v.initializer)
        >>> paths = [saver.save(sess, "models/model", global_step=step) for step in (100, 200)]
        >>> print(tf.train.latest_checkpoint("models"))
        models/model-200
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if not state:
        return None
    latest: str = state.model_checkpoint_path
    if checkpoint_exists(latest):
        return latest
    tf_logging.error("Couldn't match files for checkpoint %s", latest)
    return None


def checkpoint_exists(checkpoint_prefix: str) -> bool:
    """Returns True if a checkpoint of either format exists for a prefix.

    Args:
        checkpoint_prefix: str, the common prefix of the paths of the checkpoint's files.

    Returns:
        bool.

    Raises:
        tf.errors.NotFoundError: if the checkpoint's folder does not exist.
        tf.errors.FailedPreconditionError: if it is no folder.

    Example:
        >>> v = tf.Variable(1.0)
        >>> sess.run(v.initializer)
        >>> prefix = tf.train.Saver().save(sess, "./model")
        >>> print(tf.train.checkpoint_exists(prefix), tf.train.checkpoint_exists("./other"))
        True False
    """
    return bool(_found_files(index_file(checkpoint_prefix)) or _found_files(checkpoint_prefix))


def version_of(checkpoint_prefix: str) -> tuple[object, ...] | None:
    """Returns what distinguishes a checkpoint of the second format from others that had its prefix before.

    Args:
        checkpoint_prefix: str.

    Returns:
        Tuple; None without a complete checkpoint.
    """
    if is_remote(checkpoint_prefix):
        entry = RemoteFile(index_file(checkpoint_prefix)).entry()
        return None if entry is None else (entry.size, *entry.version)
    try:
        found = os.stat(local_path(index_file(checkpoint_prefix)))
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


def get_checkpoint_mtimes(checkpoint_prefixes: Iterable[str]) -> list[float]:
    """Returns the times at which checkpoints were written, in seconds since 1970, without missing checkpoints.

    Args:
        checkpoint_prefixes: list of str.

    Returns:
        List of float, seconds since 1970.

    Raises:
        tf.errors.NotFoundError: if a checkpoint's folder does not exist.
        tf.errors.FailedPreconditionError: if it is no folder.
    """
    times = []
    for prefix in checkpoint_prefixes:
        found = _found_files(index_file(prefix)) or _found_files(prefix)
        if found:
            times.append(stat(found[0]).mtime_nsec / 1e9)
    return times


def remove_checkpoint(
    checkpoint_prefix: str, checkpoint_format_version: int = 2, meta_graph_suffix: str = "meta"
) -> None:
    """Removes the files of a checkpoint, and its MetaGraph. A second call finishes what an interrupt left.

    Args:
        checkpoint_prefix: str, the common prefix of the paths of the checkpoint's files.
        checkpoint_format_version: int, `SaverDef.V1` or `SaverDef.V2`.
        meta_graph_suffix: str, the suffix of the MetaGraph's name.

    Raises:
        TypeError: if `checkpoint_prefix` is not text.
        tf.errors.NotFoundError: if the checkpoint's folder does not exist.
        tf.errors.FailedPreconditionError: if it is no folder.
    """
    checkpoint_prefix = compat.as_str(compat.path_to_str(checkpoint_prefix))
    _remove(meta_graph_file(checkpoint_prefix, meta_graph_suffix))
    if checkpoint_format_version != proto.SaverDef.V2:
        _remove(checkpoint_prefix)
        return
    if is_remote(checkpoint_prefix):
        remove_remote_checkpoint(checkpoint_prefix)
        return
    # Without its index a checkpoint is none, so that none is ever half there. Under this name the next save in the
    # folder takes it for what a killed one left, and removes its data.
    for index in matching_files(index_file(checkpoint_prefix)):
        rename(index, index + _REMOVED, overwrite=True)
    _remove(checkpoint_prefix + ".data-?????-of-?????")
    _remove(index_file(checkpoint_prefix) + _REMOVED)


# Suffix of the index of a checkpoint whose other files are being removed; a temporary file's, with a fixed number.
_REMOVED = f".tempstate_{0:016x}"
# Suffix of the marker file beside a checkpoint that the state file will drop.
_SUPERFLUOUS = ".tempstate_superfluous"


def mark_superfluous(checkpoint_prefix: str, latest_filename: str, version: int, meta_graph_suffix: str) -> None:
    """Marks a checkpoint for deletion once the state file no longer names it.

    Args:
        checkpoint_prefix: str.
        latest_filename: str, the state file's name.
        version: int, `SaverDef.V1` or `SaverDef.V2`.
        meta_graph_suffix: str, the suffix of the MetaGraph's name.
    """
    write_string_to_file(checkpoint_prefix + _SUPERFLUOUS, f"{latest_filename}\n{version}\n{meta_graph_suffix}\n")


def remove_superfluous(folder: str) -> None:
    """Removes what `mark_superfluous` spoke of in a folder, in this process or in one that was killed.

    An interrupt is raised after the removal.
    """
    folder = folder if is_remote(folder) else local_path(folder) or "."
    try:
        _remove_marked(folder)
    except BaseException:
        _remove_marked(folder)
        raise


def _remove_marked(folder: str) -> None:
    for mark in matching_files(os.path.join(glob.escape(folder), "*" + _SUPERFLUOUS)):
        prefix = mark.removesuffix(_SUPERFLUOUS)
        try:
            fields = _text(mark).split("\n")
            if len(fields) == 4:
                state = get_checkpoint_state(folder, fields[0])
                named = {os.path.basename(path) for path in state.all_model_checkpoint_paths} if state else set()
                if os.path.basename(prefix) not in named:
                    remove_checkpoint(prefix, int(fields[1]), fields[2])
            remove(mark)
        except (OSError, errors.OpError) as error:
            tf_logging.warning("Ignoring: %s", error)


def _text(name: str) -> str:
    """Returns the text of a file.

    Raises:
        OSError: if the file is local and cannot be read.
        tf.errors.OpError: if the file is at a URL and cannot be read.
    """
    if is_remote(name):
        return str(read_file_to_string(name))
    with open(local_path(name), encoding="utf-8") as file:
        return file.read()


def _remove(pattern: str) -> None:
    for file in _found_files(pattern):
        remove(file)


def meta_graph_file(checkpoint_prefix: str, meta_graph_suffix: str = "meta") -> str:
    """Returns the name of a checkpoint's MetaGraph; the prefix of a checkpoint in shards may end with their pattern."""
    base, _, shards = checkpoint_prefix.rpartition("-of-")
    if shards.isdigit():
        stem, _, shard = base.rpartition("-")
        if shard and not shard.strip("0123456789?"):
            checkpoint_prefix = stem
    return f"{checkpoint_prefix}.{meta_graph_suffix}"
