"""`tensorflow.python.eager.context`, `contrib.eager`: the answers of a program that builds graphs."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, Final

from ferroflow._src.base import proto
from ferroflow._src.base.behavior import enable_eager_execution, executing_eagerly
from ferroflow._src.framework import random_seed
from ferroflow._src.framework.default_graph import get_default_graph, init_scope

__all__ = [
    "ASYNC",
    "DEVICE_PLACEMENT_EXPLICIT",
    "DEVICE_PLACEMENT_SILENT",
    "DEVICE_PLACEMENT_WARN",
    "EAGER_MODE",
    "GRAPH_MODE",
    "SYNC",
    "Context",
    "context",
    "device",
    "eager_mode",
    "enable_eager_execution",
    "ensure_initialized",
    "executing_eagerly",
    "global_seed",
    "graph_mode",
    "in_eager_execution",
    "in_eager_mode",
    "in_graph_mode",
    "internal_operation_seed",
    "list_devices",
    "num_gpus",
    "set_global_seed",
    "shared_name",
]

GRAPH_MODE: Final = 0
EAGER_MODE: Final = 1
DEVICE_PLACEMENT_EXPLICIT: Final = 0
DEVICE_PLACEMENT_WARN: Final = 1
DEVICE_PLACEMENT_SILENT: Final = 2
SYNC: Final = 0
ASYNC: Final = 1


class Context:
    """The state of a process without eager execution.

    Args:
        config: `tf.ConfigProto`; None for the default.
        device_policy: int; not used.
        execution_mode: int; not used.
        server_def: not used.
    """

    summary_writer_resource: Any = None
    recording_summaries: Any = None
    summary_step: Any = None
    summary_recording: Any = None
    summary_writer: Any = None

    def __init__(
        self,
        config: Any = None,
        device_policy: int | None = None,
        execution_mode: int | None = None,
        server_def: object = None,
    ) -> None:
        self.config = proto.ConfigProto() if config is None else config
        self.execution_mode = SYNC

    def executing_eagerly(self) -> bool:
        """Returns False."""
        return executing_eagerly()

    def in_eager_mode(self) -> bool:
        """Returns False."""
        return False

    def in_graph_mode(self) -> bool:
        """Returns True."""
        return True

    def ensure_initialized(self) -> None:
        """Does nothing: there is no runtime of eager execution."""

    @property
    def scope_name(self) -> str:
        """The name scope of the default graph, str, with a slash at its end if it is not empty."""
        scope = get_default_graph().get_name_scope()
        return f"{scope}/" if scope else ""

    @property
    def device_name(self) -> str:
        """The empty str: a graph's device scopes decide."""
        return ""

    @property
    def num_gpus_value(self) -> int:
        """0."""
        return 0

    def num_gpus(self) -> int:
        """Returns 0."""
        return 0

    def devices(self) -> list[str]:
        """Returns the names of the devices, a list of str."""
        return ["/job:localhost/replica:0/task:0/device:CPU:0"]

    def internal_operation_seed(self) -> int:
        """Returns the number of the graph's last operation, an int."""
        return internal_operation_seed()

    @contextlib.contextmanager
    def _mode(self, mode: int) -> Iterator[None]:
        if mode == EAGER_MODE:
            enable_eager_execution()
        yield


_context: Final = Context()


def context() -> Context:
    """Returns the process's context."""
    return _context


def context_safe() -> Context:
    """Returns the process's context."""
    return _context


def in_eager_mode() -> bool:
    """Returns False."""
    return False


in_eager_execution = in_eager_mode


def in_graph_mode() -> bool:
    """Returns True."""
    return True


def ensure_initialized() -> None:
    """Does nothing: there is no runtime of eager execution."""


@contextlib.contextmanager
def graph_mode() -> Iterator[None]:
    """Opens a context in which operations make a graph, as they always do."""
    yield


@contextlib.contextmanager
def eager_mode() -> Iterator[None]:
    """Opens a context in which operations would run at once.

    Raises:
        RuntimeError: on every call: operations make a graph.
    """
    enable_eager_execution()
    yield


def device(name: Any) -> Any:
    """Opens a device scope of the default graph, as `tf.device`."""
    return get_default_graph().device(name)


def list_devices() -> list[str]:
    """Returns the names of the devices, a list of str."""
    return _context.devices()


def num_gpus() -> int:
    """Returns 0."""
    return 0


def shared_name(name: str | None = None) -> str | None:
    """Returns the name under which a resource is shared: in a graph, the one given.

    Args:
        name: str or None.

    Returns:
        str or None.
    """
    return name


def set_global_seed(seed: int) -> None:
    """Sets the seed of the default graph, as `tf.set_random_seed`.

    Args:
        seed: int.
    """
    random_seed.set_random_seed(seed)


def global_seed() -> int | None:
    """Returns the seed of the default graph, an int; None if none is set."""
    return get_default_graph().seed


def internal_operation_seed() -> int:
    """Returns the number of the default graph's last operation, an int."""
    return int(get_default_graph().version)


__all__ += ["context_safe", "init_scope"]
