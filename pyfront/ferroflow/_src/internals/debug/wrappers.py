"""Sessions that keep or show the values of the steps they run."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Mapping
from typing import Any

from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.internals.debug.command_line import CommandLine
from ferroflow._src.internals.debug.dumping import new_folder, write_values
from ferroflow._src.internals.debug.values import DebugTensorDatum, Values, watchable_tensors
from ferroflow._src.session.fetches import FetchPlan
from ferroflow._src.session.session import BaseSession

__all__ = [
    "DumpingDebugWrapperSession",
    "GrpcDebugWrapperSession",
    "LocalCLIDebugWrapperSession",
    "TensorBoardDebugWrapperSession",
    "checked_root",
    "elements_of",
    "no_debug_server",
]


def elements_of(graph: Graph, fetches: Any, feed_dict: Any) -> list[Tensor]:
    """Returns the tensors of a step that can be watched.

    Args:
        graph: Graph of the step.
        fetches: fetches as `Session.run` takes them.
        feed_dict: dict as `Session.run` takes it, or None.

    Returns:
        list of Tensors.
    """
    elements = FetchPlan(graph, fetches).elements
    fed = [graph.as_graph_element(key, allow_operation=False) for key in feed_dict or () if not isinstance(key, tuple)]
    return watchable_tensors(graph, elements, fed)


def checked_root(path: str) -> str:
    """Makes a folder, and returns its path; raises ValueError if it is a file or has files in it."""
    if os.path.isfile(path):
        raise ValueError(f"session_root path points to a file: {path}")
    if os.path.isdir(path) and os.listdir(path):
        raise ValueError(f"session_root path points to a non-empty directory: {path}")
    os.makedirs(path, exist_ok=True)
    return path


class _Wrapper(BaseSession):
    """A session around a session, whose attributes it has beside its own."""

    def __init__(self, sess: Any, thread_name_filter: str | None) -> None:
        if not hasattr(sess, "run") or not hasattr(sess, "graph"):
            raise TypeError(f"Expected a session, got {type(sess)}")
        self._sess = sess
        self._threads = re.compile(thread_name_filter) if thread_name_filter else None

    @property
    def session(self) -> Any:
        """The session around which this one is."""
        return self._sess

    @property
    def graph(self) -> Graph:
        """The graph of the session."""
        graph: Graph = self._sess.graph
        return graph

    def __getattr__(self, name: str) -> Any:
        if name == "_sess":
            raise AttributeError(name)
        return getattr(self._sess, name)

    def __enter__(self) -> Any:
        # Programs call `eval` and `run` of tensors and operations within the block: these are watched, too.
        self._default = self.as_default()
        self._sess.__enter__()
        self._default.__enter__()
        return self

    def __exit__(self, *failure: Any) -> Any:
        self._default.__exit__(*failure)
        return self._sess.__exit__(*failure)

    def __del__(self) -> None:
        """Leaves the session open, which the program may still use."""

    def close(self) -> None:
        """Closes the session."""
        self._sess.close()

    def _is_watched(self) -> bool:
        return self._threads is None or self._threads.match(threading.current_thread().name) is not None

    def _watched(self, fetches: Any, feed_dict: Any, options: Any, run_metadata: Any) -> tuple[Any, dict[Tensor, Any]]:
        """Runs a step, and returns its results and the values of its tensors."""
        tensors = elements_of(self.graph, fetches, feed_dict)
        results, values = self._sess.run([fetches, tensors], feed_dict, options, run_metadata)
        return results, dict(zip(tensors, values, strict=True))


class DumpingDebugWrapperSession(_Wrapper):
    """A session that writes the values of each step to a folder, for `DebugDumpDir`.

    Values within loops and conditionals are left out.

    Args:
        sess: Session.
        session_root: str, the path of an empty folder, which is made if it is not there.
        watch_fn: function of fetches and feeds that returns an object with `node_name_regex_allowlist`; None for all.
        thread_name_filter: str, regular expression of the names of threads whose steps are written; None for all.
        pass_through_operrors: bool, accepted and not used: errors are raised.
        log_usage: bool, accepted and not used.

    Raises:
        TypeError: if `sess` is no session.
        ValueError: if `session_root` is a file or a folder with files.
    """

    def __init__(
        self,
        sess: Any,
        session_root: str,
        watch_fn: Callable[..., Any] | None = None,
        thread_name_filter: str | None = None,
        pass_through_operrors: bool | None = None,
        log_usage: bool = True,
    ) -> None:
        super().__init__(sess, thread_name_filter)
        self._session_root = checked_root(session_root)
        self._watch_fn = watch_fn

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """Runs a step and writes its values.

        Args:
            fetches: fetches as `Session.run` takes them.
            feed_dict: dict as `Session.run` takes it, or None.
            options: RunOptions; None for the usual ones.
            run_metadata: RunMetadata to fill, or None.

        Returns:
            The values of `fetches`.

        Raises:
            tf.errors.OpError: if the step fails; nothing is written.
        """
        if not self._is_watched():
            return self._sess.run(fetches, feed_dict, options, run_metadata)
        results, values = self._watched(fetches, feed_dict, options, run_metadata)
        wanted = _wanted_names(self._watch_fn, fetches, feed_dict)
        chosen = {tensor: value for tensor, value in values.items() if wanted.search(tensor.op.name)}
        write_values(new_folder(self._session_root), chosen, fetches, feed_dict)
        return results


def _wanted_names(watch_fn: Callable[..., Any] | None, fetches: Any, feed_dict: Any) -> re.Pattern[str]:
    options = None if watch_fn is None else watch_fn(fetches, feed_dict)
    names = ("node_name_regex_allowlist", "node_name_regex_whitelist")
    return re.compile(next((found for name in names if (found := getattr(options, name, None))), ""))


class LocalCLIDebugWrapperSession(_Wrapper):
    """A session with a debugger: before and after each step it reads commands from standard input.

    "help" lists the commands. At the end of the input the program goes on without the debugger. Values within
    loops and conditionals are left out.

    Args:
        sess: Session.
        dump_root: str, accepted and not used: values stay in memory.
        log_usage: bool, accepted and not used.
        ui_type: str, "curses" or "readline"; both read lines.
        thread_name_filter: str, regular expression of the names of threads whose steps are debugged; None for all.
        config_file_path: str, accepted and not used.

    Raises:
        TypeError: if `sess` is no session.
        ValueError: if `ui_type` is something else.
    """

    def __init__(
        self,
        sess: Any,
        dump_root: str | None = None,
        log_usage: bool = True,
        ui_type: str = "curses",
        thread_name_filter: str | None = None,
        config_file_path: str | None = None,
    ) -> None:
        super().__init__(sess, thread_name_filter)
        if ui_type not in ("curses", "readline"):
            raise ValueError(f"ui_type must be 'curses' or 'readline', got {ui_type!r}")
        self._commands = CommandLine()

    def add_tensor_filter(self, filter_name: str, tensor_filter: Callable[[DebugTensorDatum, Any], bool]) -> None:
        """Adds a filter for `run -f` and `list_tensors -f`.

        Args:
            filter_name: str.
            tensor_filter: function of a DebugTensorDatum and an array that returns a bool.
        """
        self._commands.filters[filter_name] = tensor_filter

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """Reads commands, runs a step, and reads commands on its values.

        Args:
            fetches: fetches as `Session.run` takes them.
            feed_dict: dict as `Session.run` takes it, or None.
            options: RunOptions; None for the usual ones.
            run_metadata: RunMetadata to fill, or None.

        Returns:
            The values of `fetches`.

        Raises:
            tf.errors.OpError: if the step fails, after commands are read.
        """
        if not self._is_watched() or not self._commands.before(fetches, feed_dict, self.graph):
            return self._sess.run(fetches, feed_dict, options, run_metadata)
        try:
            results, values = self._watched(fetches, feed_dict, options, run_metadata)
        except Exception as failure:
            self._commands.failed(failure, self.graph, fetches, feed_dict)
            raise
        self._commands.after(shown_values(self.graph, values), fetches, feed_dict)
        return results


def shown_values(graph: Graph, values: Mapping[Tensor, Any]) -> Values:
    """Returns the values of a step, by tensor, as the commands show them."""
    data = [DebugTensorDatum(tensor.op.name, tensor.value_index, value) for tensor, value in values.items()]
    return Values(data, graph)


def no_debug_server(name: str) -> NotImplementedError:
    """Returns the error of what sends values to a debug server."""
    return NotImplementedError(
        f"{name} sends values to a debug server, which ferroflow does not have; LocalCLIDebugWrapperSession and "
        "DumpingDebugWrapperSession keep them in this process"
    )


class GrpcDebugWrapperSession:
    """Raises NotImplementedError: there is no debug server."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise no_debug_server(type(self).__name__)


class TensorBoardDebugWrapperSession(GrpcDebugWrapperSession):
    """Raises NotImplementedError: there is no debug server."""
