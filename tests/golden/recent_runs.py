"""Runs of the programs of newer names: values, nodes and errors as JSON can hold them, of either library."""

from __future__ import annotations

from typing import Any, Callable  # noqa: UP035  # the golden data are made by Python 3.7

import numpy as np

Program = Callable[[Any], Any]


def result_of(tf: Any, program: Program) -> Any:
    """Runs a program in a graph of its own, and returns its result or its error."""
    tf.keras.backend.clear_session()
    with tf.Graph().as_default():
        tf.set_random_seed(7)
        try:
            return plain(program(tf))
        except Exception as failure:
            return {"error": type(failure).__name__, "message": str(failure).partition("\n")[0]}


def plain(value: Any) -> Any:
    """Returns a value as JSON can hold it; numbers keep 6 digits."""
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, float):
        return float(f"{value:.6g}")
    return value


def nodes(tf: Any) -> list[str]:
    """Returns name and type of all operations of the default graph."""
    return [f"{op.name} {op.type}" for op in tf.get_default_graph().get_operations()]


def near(found: Any, expected: Any) -> bool:
    """Returns True if results are equal, up to the last digits of numbers."""
    if isinstance(expected, float) and isinstance(found, (int, float)):
        return abs(found - expected) <= 2e-5 * max(1.0, abs(expected)) or (found != found and expected != expected)
    if isinstance(expected, list):
        return isinstance(found, list) and len(found) == len(expected) and all(map(near, found, expected))
    if isinstance(expected, dict):
        return (
            isinstance(found, dict)
            and found.keys() == expected.keys()
            and all(near(found[key], expected[key]) for key in expected)
        )
    return bool(found == expected)
