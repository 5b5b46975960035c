"""Hooks of monitored sessions that keep or show the values of steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.internals.debug.command_line import CommandLine
from ferroflow._src.internals.debug.dumping import new_folder, write_values
from ferroflow._src.internals.debug.values import DebugTensorDatum
from ferroflow._src.internals.debug.wrappers import checked_root, elements_of, no_debug_server, shown_values
from ferroflow._src.supervision.session_run_hook import SessionRunArgs, SessionRunHook

__all__ = ["DumpingDebugHook", "GrpcDebugHook", "LocalCLIDebugHook", "TensorBoardDebugHook"]


class LocalCLIDebugHook(SessionRunHook):
    """A debugger: before and after each step it reads commands from standard input.

    Args:
        ui_type: str, "curses" or "readline"; both read lines.
        dump_root: str, accepted and not used: values stay in memory.
        thread_name_filter: str, accepted and not used.
        config_file_path: str, accepted and not used.
    """

    def __init__(
        self,
        ui_type: str = "curses",
        dump_root: str | None = None,
        thread_name_filter: str | None = None,
        config_file_path: str | None = None,
    ) -> None:
        self._commands = CommandLine()
        self._is_watched = False

    def add_tensor_filter(self, filter_name: str, tensor_filter: Callable[[DebugTensorDatum, Any], bool]) -> None:
        """Adds a filter for `run -f` and `list_tensors -f`.

        Args:
            filter_name: str.
            tensor_filter: function of a DebugTensorDatum and an array that returns a bool.
        """
        self._commands.filters[filter_name] = tensor_filter

    def before_run(self, run_context: Any) -> SessionRunArgs | None:
        """Reads commands, and fetches the values of the step."""
        args, graph = run_context.original_args, run_context.session.graph
        self._is_watched = self._commands.before(args.fetches, args.feed_dict, graph)
        if not self._is_watched:
            return None
        return SessionRunArgs(elements_of(graph, args.fetches, args.feed_dict))

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Reads commands on the values of the step."""
        if self._is_watched:
            args, graph = run_context.original_args, run_context.session.graph
            tensors = elements_of(graph, args.fetches, args.feed_dict)
            values = dict(zip(tensors, run_values.results, strict=True))
            self._commands.after(shown_values(graph, values), args.fetches, args.feed_dict)


class DumpingDebugHook(SessionRunHook):
    """Writes the values of each step to a folder, for `DebugDumpDir`.

    Args:
        session_root: str, the path of an empty folder, which is made if it is not there.
        watch_fn: accepted and not used.
        thread_name_filter: str, accepted and not used.
        log_usage: bool, accepted and not used.

    Raises:
        ValueError: if `session_root` is a file or a folder with files.
    """

    def __init__(
        self,
        session_root: str,
        watch_fn: Any = None,
        thread_name_filter: str | None = None,
        log_usage: bool = True,
    ) -> None:
        self._session_root = checked_root(session_root)

    def before_run(self, run_context: Any) -> SessionRunArgs:
        """Fetches the values of the step."""
        args = run_context.original_args
        return SessionRunArgs(elements_of(run_context.session.graph, args.fetches, args.feed_dict))

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Writes the values of the step."""
        args = run_context.original_args
        tensors = elements_of(run_context.session.graph, args.fetches, args.feed_dict)
        values = dict(zip(tensors, run_values.results, strict=True))
        write_values(new_folder(self._session_root), values, args.fetches, args.feed_dict)


class GrpcDebugHook(SessionRunHook):
    """Raises NotImplementedError: there is no debug server."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise no_debug_server(type(self).__name__)


class TensorBoardDebugHook(GrpcDebugHook):
    """Raises NotImplementedError: there is no debug server."""


def watch_graph(*args: Any, **kwargs: Any) -> None:
    """Raises NotImplementedError: values are kept by DumpingDebugWrapperSession, not by options of a step."""
    raise NotImplementedError("watch_graph: use DumpingDebugWrapperSession or DumpingDebugHook to keep values")


add_debug_tensor_watch = watch_graph_with_blacklists = watch_graph
