"""`ferroflow check`: lists TensorFlow's names that programs use, and reports which of them ferroflow has."""

from __future__ import annotations

import argparse
import functools
import importlib
import inspect
import json
import sys
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import ferroflow
from ferroflow._src.base.absent_names import instead_of
from ferroflow.command_line.failure_hints import syntax_advice
from ferroflow.command_line.symbols import calls, uses
from ferroflow.command_line.tables import print_table

__all__ = ["DIFFERS", "HELP", "REFUSED", "add_arguments", "run"]

HELP = "report which of TensorFlow's names programs use, and whether ferroflow has them"
SUPPORTED, OTHER, MISSING, NO_ARGUMENT = "supported", "differs", "missing", "argument missing"

# Names that are accepted, but differ in meaning from TensorFlow 1.x.
DIFFERS = {
    "tf.GPUOptions": "accepted; there is no GPU",
    "tf.OptimizerOptions": "accepted; plans are optimized in one way",
    "tf.enable_resource_variables": "accepted; every variable is read and written in the order of the graph",
}

# Names that exist only to raise an error with the reason.
REFUSED = {
    "tf.contrib.cluster_resolver.GceClusterResolver": "raises an error; instead: tf.train.ClusterSpec",
    "tf.contrib.cluster_resolver.KubernetesClusterResolver": "raises an error; instead: tf.train.ClusterSpec",
    "tf.contrib.cluster_resolver.TPUClusterResolver": "raises an error; there are no TPUs",
    "tf.enable_eager_execution": "raises an error; instead: build a graph and run it in a tf.Session",
    "tf.load_file_system_library": "raises an error; instead: a mounted file system",
    "tf.load_library": "raises an error; instead: tf.custom_gradient or tf.py_func",
    "tf.load_op_library": "raises an error; instead: tf.custom_gradient or tf.py_func",
    "tf.enable_v2_behavior": "raises an error; the behaviour is that of TensorFlow 1",
}


@dataclass
class _Symbol:
    name: str
    state: str
    note: str = ""
    places: list[str] = field(default_factory=list)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument("paths", metavar="PATH", nargs="+", help="Python files, and folders to search for them")
    parser.add_argument("--all", action="store_true", help="also list the supported names")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def _files(paths: list[str]) -> Iterator[Path]:
    for path in map(Path, paths):
        if path.is_dir():
            yield from sorted(p for p in path.rglob("*.py") if not any(part.startswith(".") for part in p.parts[1:]))
        else:
            yield path


def _resolved(name: str) -> tuple[str, str, str]:
    """Returns the part of the name that is looked up, its state and a note; members of classes are not checked."""
    found: Any = ferroflow
    parts = name.split(".")
    for end, part in enumerate(parts[1:], start=2):
        here = ".".join(parts[:end])
        if here in DIFFERS:
            return here, OTHER, DIFFERS[here]
        if here in REFUSED:
            return here, MISSING, REFUSED[here]
        try:
            found = getattr(found, part)
        except AttributeError:
            try:
                found = importlib.import_module(f"{found.__name__}.{part}")
            except ImportError:
                return here, MISSING, _instead(here)
        if not isinstance(found, ModuleType):
            return here, SUPPORTED, ""
    return name, SUPPORTED, ""


@functools.cache
def _arguments(name: str) -> frozenset[str] | None:
    """Returns the names of the arguments that a function or class takes; None where it takes any, or does not tell."""
    found: Any = ferroflow
    for part in name.split(".")[1:]:
        # Other objects are left alone: to ask one for an attribute may do something, as the flags' reads do.
        if not isinstance(found, (ModuleType, type)):
            return None
        try:
            found = getattr(found, part)
        except AttributeError:
            if not isinstance(found, ModuleType):
                return None
            try:
                found = importlib.import_module(f"{found.__name__}.{part}")
            except ImportError:
                return None
    names: set[str] = set()
    while isinstance(found, type) or inspect.isroutine(found):
        try:
            # A wrapper may take more than what it wraps.
            given = inspect.signature(found, follow_wrapped=isinstance(found, type)).parameters.values()
        except (TypeError, ValueError):
            return None
        names.update(p.name for p in given if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY))
        if all(p.kind is not p.VAR_KEYWORD for p in given):
            return frozenset(names)
        found = getattr(found, "__wrapped__", None)
    return None


def _missing_arguments(source: str, path: Path) -> Iterator[tuple[str, str, int]]:
    """(callee, argument, line) of the arguments that programs give and their callees do not take."""
    for name, argument, line in calls(source, str(path)):
        known, state, _ = _resolved(name)
        if known == "tf" or state == MISSING:
            continue
        taken = _arguments(name)
        if taken is not None and argument not in taken:
            yield name, argument, line


def _instead(name: str) -> str:
    instead = instead_of(name)
    return f"instead: {instead}" if instead else ""


def _report(paths: list[str]) -> tuple[dict[str, _Symbol], list[str]]:
    """Returns the symbols by name, and what could not be read."""
    symbols: dict[str, _Symbol] = {}
    unread = []
    for path in _files(paths):
        try:
            with tokenize.open(path) as file:
                source = file.read()
            found = list(uses(source, str(path)))
        except OSError as failure:
            unread.append(f"{path}: {failure.strerror}")
            continue
        except SyntaxError as failure:
            place = f"{path}:{failure.lineno}" if failure.lineno else str(path)
            advice = syntax_advice(failure)
            unread.append(f"{place}: not Python 3: {failure.msg}{f' ({advice})' if advice else ''}")
            continue
        except ValueError as failure:
            unread.append(f"{path}: not Python 3: {failure}")
            continue
        for name, line in found:
            known, state, note = _resolved(name)
            if known != "tf":
                symbols.setdefault(known, _Symbol(known, state, note)).places.append(f"{path}:{line}")
        for name, argument, line in _missing_arguments(source, path):
            shown = f"{name}({argument}=)"
            symbols.setdefault(shown, _Symbol(shown, NO_ARGUMENT)).places.append(f"{path}:{line}")
    return symbols, unread


def _print_symbols(symbols: list[_Symbol], everything: bool) -> None:
    colours = {SUPPORTED: "green", OTHER: "yellow", MISSING: "red", NO_ARGUMENT: "red"}
    rows = [
        (s.name, (f"{s.state}; {s.note}" if s.note else s.state, colours[s.state]), len(s.places), s.places[0])
        for s in symbols
        if everything or s.state != SUPPORTED
    ]
    if rows:
        print_table(("name", "state", "uses", "first at"), rows, right=("uses",))


def run(args: argparse.Namespace) -> int:
    """Prints the report.

    Args:
        args: the command's arguments.

    Returns:
        int: 0 where everything is supported or differs in a known way, 1 where a name or an argument is missing, 2
        where a file could not be read.
    """
    found, unread = _report(args.paths)
    if not found and not unread:
        print(
            f"No use of TensorFlow's names in {', '.join(args.paths)}: Python files (*.py) are read.", file=sys.stderr
        )
    order = {MISSING: 0, NO_ARGUMENT: 1, OTHER: 2, SUPPORTED: 3}
    symbols = sorted(found.values(), key=lambda s: (order[s.state], -len(s.places), s.name))
    if args.json:
        rows = [{"name": s.name, "state": s.state, "note": s.note, "places": s.places} for s in symbols]
        print(json.dumps({"symbols": rows, "unread": unread}, indent=1))
    else:
        _print_symbols(symbols, args.all)
        counts = {state: sum(s.state == state for s in symbols) for state in order}
        names = len(symbols) - counts[NO_ARGUMENT]
        print(
            f"{names} names of TensorFlow: {counts[SUPPORTED]} supported, {counts[OTHER]} differ,"
            f" {counts[MISSING]} missing."
        )
        if counts[NO_ARGUMENT]:
            print(f"{counts[NO_ARGUMENT]} arguments given by name are missing.")
        if counts[MISSING] or counts[NO_ARGUMENT]:
            print("A missing name or argument raises an error when the program reaches it; everything before it runs.")
        for problem in unread:
            print(problem, file=sys.stderr)
    if unread:
        return 2
    return 1 if any(s.state in (MISSING, NO_ARGUMENT) for s in symbols) else 0
