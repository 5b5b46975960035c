"""Replicas and cores of a TPU, for programs that can run without one: outside of a TPU there is one replica."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any, Final

from ferroflow._src.base.docstrings import document
from ferroflow._src.base.dtypes import bfloat16, float32
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.variables.scope import variable_scope
from ferroflow._src.variables.variable_scope import VariableScope

__all__ = [
    "TpuContext",
    "batch_parallel",
    "bfloat16_scope",
    "core",
    "cross_replica_sum",
    "get_tpu_context",
    "initialize_system",
    "outside_compilation",
    "replicate",
    "rewrite",
    "shard",
    "shutdown_system",
    "tpu_shard_context",
]

_NO_TPU: Final = "there are no TPUs here: call the function itself, which then runs on the CPU"


class TpuContext(threading.local):
    """The number of replicas of the computation that a thread builds.

    Attributes:
        number_of_shards: int; None outside of `tpu_shard_context`.
    """

    def __init__(self) -> None:
        self.number_of_shards: int | None = None

    def set_number_of_shards(self, number_of_shards: int | None) -> None:
        """Sets the number of replicas.

        Args:
            number_of_shards: int, or None.
        """
        self.number_of_shards = number_of_shards


_context = TpuContext()


def get_tpu_context() -> TpuContext:
    """Returns the context of the calling thread."""
    return _context


@contextlib.contextmanager
def tpu_shard_context(number_of_shards: int) -> Iterator[None]:
    """Sets the number of replicas for a block.

    Args:
        number_of_shards: int.

    Returns:
        A context manager.

    Raises:
        NotImplementedError: if the block is within another one.
    """
    if _context.number_of_shards is not None:
        raise NotImplementedError("tpu_shard_context cannot be nested.")
    _context.set_number_of_shards(number_of_shards)
    try:
        yield
    finally:
        _context.set_number_of_shards(None)


def core(num: int) -> str:
    """Returns the device of a core in each replica, for `tf.device`.

    Args:
        num: int, the number of the core.

    Returns:
        str.
    """
    return f"device:TPU_REPLICATED_CORE:{num}"


def _as_float32(getter: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Creates variables of bfloat16 as float32, and returns their values as bfloat16."""
    is_short = kwargs["dtype"] == bfloat16
    found = getter(*args, **{**kwargs, "dtype": float32} if is_short else kwargs)
    return cast(found, bfloat16) if is_short else found


@contextlib.contextmanager
def bfloat16_scope() -> Iterator[VariableScope]:
    """Opens a variable scope whose bfloat16 variables are stored as float32 and read as bfloat16.

    Returns:
        A context manager that gives the scope.
    """
    with variable_scope("", custom_getter=_as_float32) as scope:
        yield scope


def outside_compilation(computation: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Calls a function, whose operations belong to the host.

    Args:
        computation: function that adds operations.
        *args: its positional arguments.
        **kwargs: its keyword arguments.

    Returns:
        The result of the function.
    """
    return computation(*args, **kwargs)


def _unavailable(name: str) -> Callable[..., Any]:
    """Makes a function that only a TPU can run."""

    def unavailable(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"tf.tpu.{name}: {_NO_TPU}")

    document(
        unavailable,
        "Raises NotImplementedError: there are no TPUs here.",
        "Args:\n    *args: ignored.\n    **kwargs: ignored.",
        "Returns:\n    Nothing.",
        "Raises:\n    NotImplementedError: if it is called.",
        name=name,
    )
    return unavailable


batch_parallel = _unavailable("batch_parallel")
cross_replica_sum = _unavailable("cross_replica_sum")
initialize_system = _unavailable("initialize_system")
replicate = _unavailable("replicate")
rewrite = _unavailable("rewrite")
shard = _unavailable("shard")
shutdown_system = _unavailable("shutdown_system")
