"""Functions of one tensor that operators compose: `f | g`, `f + g`, `f * g`, `f ** n`."""

from __future__ import annotations

import importlib
import operator
import re
from abc import ABC, abstractmethod
from collections.abc import Callable as AnyCallable
from typing import Any

__all__ = [
    "Callable",
    "Composable",
    "Composition",
    "External",
    "Function",
    "Import",
    "Operator",
    "check_keywords",
    "debug",
    "debug_",
    "get_positional",
]

_STRINGS = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'")
_REFUSED = re.compile(r"\b(import|while|def|exec)\b")

debug_ = False


def debug(mode: bool = True) -> None:
    """Switches the printing of each function that builds a part of a network.

    Args:
        mode: bool. If True, print.
    """
    global debug_
    debug_ = mode


def check_keywords(spec: str) -> None:
    """Refuses a specification that contains a statement of Python outside strings.

    Args:
        spec: str, the specification.

    Raises:
        ValueError: if `import`, `while`, `def` or `exec` is in it.
    """
    found = _REFUSED.search(_STRINGS.sub("", spec))
    if found:
        raise ValueError(f"keyword '{found.group(1)}' found in spec")


def get_positional(args: Any, kw: dict[str, Any], kw_overrides: bool = False) -> tuple[Any, dict[str, Any]]:
    """Moves arguments with the names `_0`, `_1` ... to their positions.

    Args:
        args: list, the positional arguments.
        kw: dict from str to the other arguments.
        kw_overrides: bool. If True, a named position replaces the argument that is there; otherwise it fills a None.

    Returns:
        (list, the positional arguments; dict, the arguments that remain).
    """
    placed = {int(name[1:]): value for name, value in kw.items() if name.startswith("_")}
    if not placed:
        return args, kw
    positions = [*args, *[None] * (1 + max(placed) - len(args))]
    for place, value in placed.items():
        if kw_overrides or positions[place] is None:
            positions[place] = value
    return positions, {name: value for name, value in kw.items() if not name.startswith("_")}


class Composable(ABC):
    """Base class of functions that operators compose.

    `f | g` applies `f` and then `g`. `f ** n` applies `f` n times. `f + g` and `f * g` combine the results.
    """

    @abstractmethod
    def funcall(self, x: Any) -> Any:
        """Returns the result for an input.

        Args:
            x: Tensor of any dtype and shape.

        Returns:
            Tensor, the result.
        """

    def __or__(self, f: Composable) -> Composition:
        return Composition(self, f)

    def __add__(self, g: Composable) -> Operator:
        return Operator(operator.add, self, g)

    def __mul__(self, g: Composable) -> Operator:
        return Operator(operator.mul, self, g)

    def __pow__(self, n: int) -> Composable:
        if n < 0:
            raise AssertionError(f"A network can be repeated 0 times or more, not {n} times.")
        if n == 0:
            return Callable(lambda x: x)
        repeated: Composable = self
        for _ in range(n - 1):
            repeated = Composition(repeated, self)
        return repeated


class Callable(Composable):
    """A Python function of one argument.

    Args:
        f: callable that takes a Tensor.
    """

    def __init__(self, f: AnyCallable[[Any], Any]) -> None:
        self.f = f

    def funcall(self, x: Any) -> Any:
        """Returns the function's result.

        Args:
            x: Tensor of any dtype and shape.

        Returns:
            Tensor, the result.
        """
        return self.f(x)


class Operator(Composable):
    """Results of several functions of one input, combined by an operator.

    Args:
        op: callable that takes the results.
        *args: Composables, the functions.
    """

    def __init__(self, op: AnyCallable[..., Any], *args: Composable) -> None:
        self.op = op
        self.funs = args

    def funcall(self, x: Any) -> Any:
        """Returns the combined results.

        Args:
            x: Tensor of any dtype and shape.

        Returns:
            Tensor, the result.
        """
        return self.op(*[f.funcall(x) for f in self.funs])


class Function(Composable):
    """A Python function whose arguments behind the first are collected by calls.

    Args:
        f: callable that takes a Tensor and the arguments.
        *args: the arguments behind the first.
        **kw: arguments by name. `_0`, `_1` ... are positions behind the first argument.

    Raises:
        ValueError: if `f` is not callable.
    """

    def __init__(self, f: AnyCallable[..., Any], *args: Any, **kw: Any) -> None:
        if not callable(f):
            raise ValueError(f"{f}: is not callable")
        self.f = f
        self.args = list(args)
        self.kw = kw

    def __call__(self, *args: Any, **kw: Any) -> Function:
        return Function(self.f, *args, *self.args, **{**self.kw, **kw})

    def funcall(self, x: Any) -> Any:
        """Returns the function's result for an input and the collected arguments.

        Args:
            x: Tensor of any dtype and shape.

        Returns:
            Tensor, the result.
        """
        args, kw = get_positional(self.args, self.kw)
        if debug_:
            print("DEBUG:", self.f, x, args, kw)
        return self.f(x, *args, **kw)


class Composition(Composable):
    """One function after another.

    Args:
        f: Composable, the function to apply first.
        g: Composable, the function of its result.
    """

    def __init__(self, f: Composable, g: Composable) -> None:
        self.f = f
        self.g = g

    def funcall(self, x: Any) -> Any:
        """Returns the second function's result.

        Args:
            x: Tensor of any dtype and shape.

        Returns:
            Tensor, the result.
        """
        return self.g.funcall(self.f.funcall(x))


def External(module_name: str, function_name: str) -> Function:  # noqa: N802  # TF's spelling
    """Returns a function of another module for use in a network.

    Args:
        module_name: str, the module.
        function_name: str, its function.

    Returns:
        Function.

    Raises:
        KeyError: if the module does not define the function.
    """
    module = importlib.import_module(module_name)
    if function_name not in vars(module) and not hasattr(module, function_name):
        raise KeyError(function_name)
    return Function(getattr(module, function_name))


def Import(statements: str) -> Function:  # noqa: N802  # TF's spelling
    """Runs statements of Python, and returns the function `f` that they define.

    Args:
        statements: str, the statements.

    Returns:
        Function.

    Raises:
        ValueError: if they do not define `f`.
    """
    defined: dict[str, Any] = {}
    exec(statements, defined)
    if "f" not in defined:
        raise ValueError(f'failed to define "f": {statements}')
    return Function(defined["f"])
