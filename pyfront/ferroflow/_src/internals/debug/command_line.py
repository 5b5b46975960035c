"""The debugger's commands, read from standard input: values of a step are listed, filtered and printed."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ferroflow._src.internals.debug.values import Values, has_inf_or_nan

__all__ = ["CommandLine"]

_HELP = """Commands:
  run, r [-n] [-t TIMES] [-f FILTER]   run the step; -n: without the debugger; -t: TIMES steps at once;
                                       -f: until a value passes FILTER, such as has_inf_or_nan
  list_tensors, lt [-f FILTER] [-n REGEX] [-t REGEX]
                                       list the values; -n: names, -t: types of operations
  print_tensor, pt NAME [SLICE]        print a value, such as: pt add:0 [0, :]
  node_info, ni NAME                   inputs, outputs and type of an operation
  list_inputs, li NAME                 list the inputs of an operation
  list_outputs, lo NAME                list the operations that use an operation's outputs
  print_feed, pf NAME                  print a value that is fed
  run_info, ri                         what is fetched and fed
  exit, quit                           end the program"""
_SLICE = re.compile(r"[\d\s:,\-\[\].]*")


class CommandLine:
    """Reads commands and prints to standard output.

    Args:
        filters: dict from names to functions of a DebugTensorDatum and an array.
    """

    def __init__(self, filters: dict[str, Callable[..., bool]] | None = None) -> None:
        self.filters: dict[str, Callable[..., bool]] = {"has_inf_or_nan": has_inf_or_nan, **(filters or {})}
        self._steps = 0
        self._wanted: str | None = None
        self._is_off = False

    def before(self, fetches: Any, feed_dict: Any, graph: Any) -> bool:
        """Reads commands until one runs the step.

        Args:
            fetches: fetches of the step, as `Session.run` takes them.
            feed_dict: dict of what it feeds.
            graph: Graph.

        Returns:
            bool. If True, the values of the step are kept.
        """
        if self._is_off:
            return False
        if self._wanted is not None:
            return True
        if self._steps > 1:
            self._steps -= 1
            return False
        return self._read(Values([], graph), fetches, feed_dict, f"--- about to run: {_shown(fetches)}")

    def after(self, values: Values, fetches: Any, feed_dict: Any) -> None:
        """Reads commands on the values of a step until one continues."""
        if self._wanted is not None:
            found = values.find(self.filters[self._wanted], first_n=1)
            if not found:
                return
            print(f"--- filter {self._wanted} passes: {found[0].tensor_name}")
            self._wanted = None
        self._read(values, fetches, feed_dict, f"--- step has run: {values.size} values", is_after=True)

    def failed(self, failure: Exception, graph: Any, fetches: Any, feed_dict: Any) -> None:
        """Reads commands after a step that raised an error."""
        self._wanted = None
        self._read(Values([], graph), fetches, feed_dict, f"--- step failed: {failure}", is_after=True)

    def _read(self, values: Values, fetches: Any, feed_dict: Any, title: str, is_after: bool = False) -> bool:
        if self._is_off:
            return False
        print(title)
        while True:
            print("tfdbg> ", end="", flush=True)
            line = sys.stdin.readline()
            if not line:
                # A pipe has ended, or the user has closed the input: the program goes on alone.
                print()
                self._is_off = True
                return False
            try:
                name, *rest = shlex.split(line) or [""]
            except ValueError as failure:
                print(f"ERROR: {failure}")
                continue
            if name in ("run", "r"):
                wanted = self._run(rest)
                if wanted is not None:
                    return wanted and not is_after
            elif name in ("exit", "quit"):
                raise SystemExit(0)
            else:
                self._show(name, rest, values, fetches, feed_dict)

    def _run(self, rest: list[str]) -> bool | None:
        """Returns True if the values of the next step are to be kept, and None if the arguments are wrong."""
        try:
            options = _options(rest, {"-n": False, "-t": True, "-f": True})
            self._steps = int(options.get("-t", 1))
        except ValueError as failure:
            print(f"ERROR: {failure}")
            return None
        self._wanted = options.get("-f")
        if self._wanted is not None and self._wanted not in self.filters:
            print(f'ERROR: There is no tensor filter named "{self._wanted}"; there are {", ".join(self.filters)}')
            self._wanted = None
            return None
        return "-n" not in options and self._steps == 1

    def _show(self, name: str, rest: list[str], values: Values, fetches: Any, feed_dict: Any) -> None:
        commands: Mapping[str, Callable[[], None]] = {
            "": lambda: None,
            "help": lambda: print(_HELP),
            "lt": lambda: self._list(values, rest),
            "pt": lambda: _print_tensor(values, rest),
            "ni": lambda: _node_info(values.graph, rest),
            "li": lambda: _neighbours(values.graph, rest, "inputs"),
            "lo": lambda: _neighbours(values.graph, rest, "outputs"),
            "pf": lambda: _print_feed(feed_dict, rest),
            "ri": lambda: print(f"Fetches: {_shown(fetches)}\nFeeds: {_shown(list(feed_dict or ()))}"),
        }
        long = {"list_tensors": "lt", "print_tensor": "pt", "node_info": "ni", "list_inputs": "li", "h": "help"}
        long.update(list_outputs="lo", print_feed="pf", run_info="ri")
        command = commands.get(long.get(name, name))
        if command is None:
            print(f'ERROR: Invalid command prefix "{name}"; "help" lists the commands')
            return
        try:
            command()
        except (ValueError, KeyError, IndexError, re.error) as failure:
            print(f"ERROR: {failure.args[0] if failure.args else failure}")

    def _list(self, values: Values, rest: list[str]) -> None:
        options = _options(rest, {"-f": True, "-n": True, "-t": True, "-s": True, "-r": False})
        found = values.data
        if "-f" in options:
            if options["-f"] not in self.filters:
                raise ValueError(f'There is no tensor filter named "{options["-f"]}"')
            found = values.find(self.filters[options["-f"]])
        for datum in found:
            kind = values.graph.get_operation_by_name(datum.node_name).type if values.graph is not None else "?"
            if re.search(options.get("-n", ""), datum.node_name) and re.search(options.get("-t", ""), kind):
                array = np.asarray(datum.get_tensor())
                print(f"{datum.tensor_name}  {kind}  {array.dtype}  {array.shape}  {array.nbytes} bytes")


def _options(rest: list[str], known: Mapping[str, bool]) -> dict[str, str]:
    """Returns the options of a command; those that are True in `known` have a value."""
    found, waiting = {}, list(rest)
    while waiting:
        name = waiting.pop(0)
        if name not in known:
            raise ValueError(f"unknown argument {name}")
        if known[name] and not waiting:
            raise ValueError(f"{name} needs a value")
        found[name] = waiting.pop(0) if known[name] else ""
    return found


def _shown(fetches: Any) -> str:
    if isinstance(fetches, (list, tuple)):
        return f"[{', '.join(map(_shown, fetches))}]"
    if isinstance(fetches, Mapping):
        return f"{{{', '.join(f'{key}: {_shown(one)}' for key, one in fetches.items())}}}"
    return str(getattr(fetches, "name", fetches))


def _print_tensor(values: Values, rest: list[str]) -> None:
    if not rest:
        raise ValueError("print_tensor needs the name of a tensor")
    name, _, tail = rest[0].partition("[")
    node, _, slot = name.partition(":")
    (value, *_) = values.get_tensors(node, int(slot or 0))
    array = np.asarray(value)
    place = (f"[{tail}" if tail else "") + " ".join(part for part in rest[1:] if not part.startswith("-"))
    if place:
        array = _sliced(array, place)
    print(f'Tensor "{node}:{slot or 0}":\n  dtype: {array.dtype}\n  shape: {array.shape}\n')
    with np.printoptions(threshold=2000):
        print(array)


def _sliced(array: Any, text: str) -> Any:
    if not _SLICE.fullmatch(text):
        raise ValueError(f"{text} is no slice, such as [0, :]")
    parts: list[Any] = []
    for part in text.strip().removeprefix("[").removesuffix("]").split(","):
        bounds = [int(bound) if bound.strip() else None for bound in part.split(":")]
        parts.append(slice(*bounds) if len(bounds) > 1 else bounds[0])
    return array[tuple(parts)]


def _operation(graph: Any, rest: list[str]) -> Any:
    if not rest:
        raise ValueError("the command needs the name of an operation")
    if graph is None:
        raise ValueError("the graph of this step is not known")
    return graph.get_operation_by_name(rest[0].partition(":")[0])


def _node_info(graph: Any, rest: list[str]) -> None:
    op = _operation(graph, rest)
    print(f"Node {op.name}\n\n  Op: {op.type}\n  Device: {op.device}\n")
    _neighbours(graph, rest, "inputs")
    _neighbours(graph, rest, "outputs")


def _neighbours(graph: Any, rest: list[str], kind: str) -> None:
    op = _operation(graph, rest)
    if kind == "inputs":
        found = [*(tensor.op for tensor in op.inputs), *op.control_inputs]
    else:
        found = [user for tensor in op.outputs for user in tensor.consumers()]
    print(f"  {len(found)} {kind}:")
    for other in found:
        print(f"    [{other.type}] {other.name}")


def _print_feed(feed_dict: Any, rest: list[str]) -> None:
    for key, value in (feed_dict or {}).items():
        if str(getattr(key, "name", key)) in (*rest, *(f"{name}:0" for name in rest)):
            print(np.asarray(value))
            return
    raise ValueError(f"there is no feed named {' '.join(rest)}")
