"""Networks and parameters from expressions."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType, TracebackType
from typing import Any

from ferroflow._src.contrib.specs import parameters, vocabulary
from ferroflow._src.contrib.specs.composing import check_keywords

__all__ = ["LocalImport", "create_net", "create_net_fun", "eval_params", "eval_spec", "ops"]


def _evaluate(statements: str, known: dict[str, Any], environment: dict[str, Any] | None) -> dict[str, Any]:
    """Returns the names that an environment and then the statements define."""
    check_keywords(statements)
    bindings = dict(environment or {})
    exec(statements, dict(known), bindings)
    return bindings


def eval_params(params: str, environment: dict[str, Any] | None = None) -> dict[str, Any]:
    """Evaluates assignments of parameters, such as `n = Li(5, 500); d = 3`.

    Args:
        params: str, the assignments.
        environment: dict from names to values that the assignments can use.

    Returns:
        dict from str, the names of `environment` and of the assignments, to their values.

    Raises:
        ValueError: if the assignments contain a refused keyword.
    """
    return _evaluate(params, parameters.VOCABULARY, environment)


def eval_spec(spec: str, environment: dict[str, Any] | None = None) -> dict[str, Any]:
    """Evaluates assignments of networks, such as `left = Cr(64, [5, 5]); right = Fs(64)`.

    Args:
        spec: str, the assignments.
        environment: dict from names to values that the assignments can use.

    Returns:
        dict from str, the names of `environment` and of the assignments, to their values.

    Raises:
        ValueError: if the assignments contain a refused keyword.
    """
    return _evaluate(spec, vocabulary.VOCABULARY, environment)


def create_net_fun(spec: str, environment: dict[str, Any] | None = None) -> Callable[[Any], Any]:
    """Evaluates assignments, and returns the function of the one to `net`.

    Args:
        spec: str, the assignments.
        environment: dict from names to values that the assignments can use.

    Returns:
        callable that takes an input Tensor and returns the network's output.

    Raises:
        ValueError: if `net` is not assigned, or the assignments contain a refused keyword.
    """
    net = eval_spec(spec, environment).get("net")
    if net is None:
        raise ValueError(f"spec failed to create 'net': {spec}")
    function: Callable[[Any], Any] = net.funcall
    return function


def create_net(spec: str, inputs: Any, environment: dict[str, Any] | None = None) -> Any:
    """Builds the network that assignments give to `net`.

    Args:
        spec: str, the assignments.
        inputs: Tensor, the network's input.
        environment: dict from names to values that the assignments can use.

    Returns:
        Tensor, the network's output.

    Raises:
        ValueError: if `net` is not assigned, or the assignments contain a refused keyword.
    """
    return create_net_fun(spec, environment)(inputs)


class LocalImport:
    """Context that adds names to the globals of the function that opens it.

    Args:
        names: dict from str to values, or a module with the names.
    """

    def __init__(self, names: dict[str, Any] | ModuleType) -> None:
        self.names = vars(names) if isinstance(names, ModuleType) else names
        self._shadowed: list[tuple[dict[str, Any], dict[str, Any]]] = []

    def __enter__(self) -> None:
        bindings = sys._getframe(1).f_globals
        self._shadowed.append((bindings, {name: bindings[name] for name in self.names if name in bindings}))
        bindings.update(self.names)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        bindings, shadowed = self._shadowed.pop()
        for name in self.names:
            bindings.pop(name, None)
        bindings.update(shadowed)


ops = LocalImport(vocabulary.VOCABULARY)
