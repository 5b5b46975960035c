"""Strategies that choose the parameter server of a variable: in turn, at random, the least loaded one."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from ferroflow._src.base.tensor_shape import TensorShape


class RoundRobinStrategy:
    """Strategy that chooses the tasks in turn.

    Args:
        num_tasks: int, the number of ps tasks.
    """

    def __init__(self, num_tasks: int) -> None:
        self._num_tasks = num_tasks
        self._next = 0

    def __call__(self, op: Any) -> int:
        """Returns the index of the task for `op`."""
        task = self._next
        self._next = (task + 1) % self._num_tasks
        return task


class RandomStrategy:
    """Strategy that chooses a task by a hash of the op's name, so that programs with equal names choose equally.

    Args:
        num_ps_tasks: int, the number of ps tasks.
        seed: int, another value gives another choice.
    """

    def __init__(self, num_ps_tasks: int, seed: int = 0) -> None:
        self._num_tasks = num_ps_tasks
        self._seed = seed

    def __call__(self, op: Any) -> int:
        """Returns the index of the task for `op`."""
        digest = hashlib.md5(f"{op.name}_{self._seed}".encode(), usedforsecurity=False).digest()
        return int.from_bytes(digest, "big") % self._num_tasks


class GreedyLoadBalancingStrategy:
    """Strategy that chooses the task with the least load so far, the first among equals.

    Args:
        num_tasks: int, the number of ps tasks.
        load_fn: function from an op to its load, in any unit; for example `byte_size_load_fn`.
    """

    def __init__(self, num_tasks: int, load_fn: Callable[[Any], float]) -> None:
        self._load_fn = load_fn
        self._loads: list[float] = [0.0] * num_tasks

    def __call__(self, op: Any) -> int:
        """Returns the index of the task for `op`."""
        task = self._loads.index(min(self._loads))
        self._loads[task] += self._load_fn(op)
        return task


def byte_size_load_fn(op: Any) -> int:
    """Returns the size of an op's only output.

    Args:
        op: `Operation` with one output, usually a variable.

    Returns:
        int, the bytes of the output.

    Raises:
        ValueError: if the op does not have exactly one output, or its shape is not fully known.
    """
    if len(op.outputs) != 1:
        raise ValueError(f"Op {op} must have a single output")
    output = op.outputs[0]
    shape = output.get_shape()
    if not shape.is_fully_defined():
        shape = TensorShape(op.get_attr("shape"))
    shape.assert_is_fully_defined()
    return int(shape.num_elements()) * int(output.dtype.size)
