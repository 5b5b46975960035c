"""A program that runs every op on tensors whose sizes no memory holds: `hostile_sizes.py REPORT [OP ...]`.

The tensors are small: without elements, or single numbers that an op may take for a size. Each step must end, with a
value or an error of TensorFlow's. The file REPORT gets a line before each step, so that its last line names the step
that ended the process.
"""

from __future__ import annotations

import resource
import signal
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
from ops import registry

from ferroflow import _core
from ferroflow._src.base import errors, proto
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.session.session import Session

# Of virtual memory, in bytes: far above what a step on such tensors needs.
_MEMORY = 6 << 30
# For one step, in milliseconds, and with what may come on top of it on a busy machine, in seconds.
_STEP_TIME = 200
_PATIENCE = 20
_EMPTY = [(0,), (1 << 40, 0), (0, 1 << 40), (0, 1 << 20, 1 << 20, 3), (1 << 31, 2, 0, 3), (1 << 58, 0, 1)]


def _shaped(dtype: Any, shape: tuple[int, ...]) -> Any:
    return np.zeros(shape, dtype.as_numpy_dtype)


def _large(dtype: Any, shape: tuple[int, ...]) -> Any:
    value: Any = b"9" * 20
    if dtype.is_integer:
        value = min(int(dtype.max), 1 << 40)
    elif dtype.name != "string":
        value = 1
    return np.full(shape, value, dtype.as_numpy_dtype)


def choices(sources: list[Tensor]) -> Iterator[dict[Tensor, Any]]:
    """Values for the inputs of a node: one of them hostile and the others small, then all of them."""
    hostile = [lambda d, s=s: _shaped(d, s) for s in _EMPTY]
    hostile += [lambda d, s=s: _large(d, s) for s in [(), (1,), (2,), (3,), (4,), (2, 2)]]
    small = [lambda d, s=s: _shaped(d, s) for s in [(), (1,), (2,), (2, 2), (1, 2, 2, 1)]]
    for make in hostile:
        yield {source: make(source.dtype) for source in sources}
        for chosen in sources:
            for other in small:
                yield {s: make(s.dtype) if s is chosen else other(s.dtype) for s in sources}


def run(op_type: str, report: Any) -> None:
    """Runs a node of the op on each choice of inputs, with the first types that it allows."""
    with Graph().as_default() as graph:
        node, shapes = registry.add_node(graph, op_type, next(registry.combinations(op_type)))
        config = proto.ConfigProto(operation_timeout_in_ms=_STEP_TIME)
        with Session(graph=graph, config=config) as session:
            for feeds in choices(list(shapes)):
                inputs = [(v.dtype.name, v.shape, v.flat[0] if v.size else None) for v in feeds.values()]
                print(op_type, inputs, file=report)
                # Ends the process if the step goes on.
                signal.alarm(_PATIENCE)
                try:
                    session.run(node, feeds)
                except errors.DeadlineExceededError:
                    # Queues and their kin wait for ever here: one choice tells it.
                    return
                except (errors.OpError, ValueError, TypeError):
                    pass


def main() -> None:
    """Runs the ops that are named, or all."""
    report, *names = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    with open(report, "w", buffering=1, encoding="utf-8") as lines:
        for op_type in names or _core.op_names():
            # Abort ends the process by design.
            if op_type != "Abort" and not registry.is_for_tests(op_type):
                run(op_type, lines)


if __name__ == "__main__":
    main()
