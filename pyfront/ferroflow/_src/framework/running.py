"""`Operation.run` and `Tensor.eval` call the session layer through functions that it registers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base.typing import FeedDict, SessionObject, TensorLike

_Runner = Callable[[Any, Any, Any, Any], Any]
_runners: dict[str, _Runner] = {}


def register_runner(kind: str, runner: _Runner) -> None:
    """Registers the session layer's functions for `Operation.run` ("run") and `Tensor.eval` ("eval")."""
    _runners[kind] = runner


def run_operation(op: Any, feed_dict: FeedDict | None, graph: Any, session: SessionObject | None) -> Any:
    """Runs `op` through the registered session layer."""
    return _runners["run"](op, feed_dict, graph, session)


def eval_tensors(tensors: TensorLike, feed_dict: FeedDict | None, graph: Any, session: SessionObject | None) -> Any:
    """Evaluates tensors through the registered session layer."""
    return _runners["eval"](tensors, feed_dict, graph, session)
