"""`ferroflow check`: lists TensorFlow's names that programs use, and reports which of them ferroflow has."""

from __future__ import annotations

import argparse
import difflib
import functools
import importlib
import importlib.util
import inspect
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import ferroflow
from ferroflow._alias.finders import target_of
from ferroflow._src.base.absent_names import instead_of, near_name
from ferroflow.command_line.failure_hints import syntax_advice
from ferroflow.command_line.modernizing import modernized
from ferroflow.command_line.old_names import EAGER, PYTHON_2, Finding, old_names
from ferroflow.command_line.sources import Source, files_in, read_source, write_source
from ferroflow.command_line.symbols import calls, uses
from ferroflow.command_line.tables import print_table

HELP = "list the names that programs use and that ferroflow, Python or NumPy lacks, with replacements"
EXIT_STATUS = "0; 1 if a name or an argument is missing or was dropped; 2 if a file cannot be read. With --fix: 0"
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


@dataclass
class _File:
    """Missing names and arguments that a file uses, and whether it can be read."""

    path: str
    is_program_of_tensorflow: bool = False
    missing: int = 0
    findings: list[tuple[str, Finding]] = field(default_factory=list)
    unread: str = ""
    is_python_2: bool = False

    @property
    def verdict(self) -> str:
        """One line."""
        if self.unread:
            return "Python 2; --fix converts it" if self.is_python_2 else "cannot be read"
        words = [_count(self.missing, "name") + " missing"] if self.missing else []
        kinds = [finding.kind for _, finding in self.findings]
        if PYTHON_2 in kinds:
            words.append("Python 2")
        if EAGER in kinds:
            words.append("eager execution")
        old = len([kind for kind in kinds if kind not in (PYTHON_2, EAGER)])
        if old:
            words.append(f"{_count(old, 'use')} of what packages have dropped")
        return ", ".join(words) or "runs, as far as names tell"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument(
        "paths", metavar="PATH", nargs="+", help="Python files, notebooks, or folders that contain them"
    )
    parser.add_argument("--all", action="store_true", help="list supported names, too")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.add_argument("--fix", action="store_true", help="print mechanical changes as a diff")
    parser.add_argument("--write", action="store_true", help="with --fix: write the changes to the files")


def _resolved(name: str) -> tuple[str, str, str]:
    """(the part of the name that is looked up, its state, a note); what classes have is taken on trust."""
    parts = name.split(".")
    found: Any = ferroflow if parts[0] == "tf" else importlib.import_module(str(target_of(parts[0])))
    for end, part in enumerate(parts[1:], start=2):
        here = ".".join(parts[:end])
        if here in DIFFERS:
            return here, OTHER, DIFFERS[here]
        if here in REFUSED:
            return here, MISSING, REFUSED[here]
        try:
            found = getattr(found, part)
        except AttributeError:
            module = target_of(here) if parts[0] != "tf" else f"{found.__name__}.{part}"
            try:
                found = importlib.import_module(str(module))
            except ImportError:
                return here, MISSING, _instead(here, found, part)
        if not isinstance(found, ModuleType):
            return here, SUPPORTED, ""
    return name, SUPPORTED, ""


@functools.cache
def _arguments(name: str) -> frozenset[str] | None:
    """Returns the names of the arguments that a function or class takes; None if it takes any, or has no signature."""
    root = name.split(".")[0]
    found: Any = ferroflow if root == "tf" else importlib.import_module(str(target_of(root)))
    for part in name.split(".")[1:]:
        # Other objects are left alone: reading an attribute may have side effects, as the flags' reads do.
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


def _missing_arguments(source: str, path: Any) -> Iterator[tuple[str, str, int]]:
    """(callee, argument, line) of the arguments that programs give and their callees do not take."""
    for name, argument, line in calls(source, str(path)):
        known, state, _ = _resolved(name)
        if known == "tf" or state == MISSING:
            continue
        taken = _arguments(name)
        if taken is not None and argument not in taken:
            yield name, argument, line


def _instead(name: str, module: Any, part: str) -> str:
    instead = instead_of(name if name.startswith("tf.") else f"tf.{name}")
    if instead:
        return f"instead: {instead}"
    near = near_name(module, part)
    return f"did you mean {near}?" if near else ""


def _report(paths: list[str]) -> tuple[dict[str, _Symbol], list[_File], list[Source]]:
    """Returns the symbols by name, what each file lacks, and the files that could be read."""
    symbols: dict[str, _Symbol] = {}
    files, sources = [], []
    keras = importlib.util.find_spec("keras")
    # ferroflow's replacement, and a mere folder, have no file.
    has_keras = keras is not None and keras.origin is not None
    for path in files_in(paths):
        file = _File(str(path))
        files.append(file)
        source = None
        try:
            source = read_source(path)
            sources.append(source)
            found = list(uses(source.text, str(path)))
            old = list(old_names(source.text, str(path)))
        except OSError as failure:
            file.unread = f"{path}: {failure.strerror}"
            continue
        except SyntaxError as failure:
            place = source.place(failure.lineno) if source and failure.lineno else str(path)
            advice = syntax_advice(failure)
            file.unread = f"{place}: not Python 3: {failure.msg}{f' ({advice})' if advice else ''}"
            file.is_python_2 = source is not None and modernized(source.text) is not None
            continue
        except ValueError as failure:
            file.unread = str(failure) if path.suffix == ".ipynb" else f"{path}: not Python 3: {failure}"
            continue
        file.is_program_of_tensorflow = bool(found)
        for name, line in found:
            if has_keras and not name.startswith("tf"):
                continue
            known, state, note = _resolved(name)
            if known != "tf":
                file.missing += state == MISSING
                symbols.setdefault(known, _Symbol(known, state, note)).places.append(source.place(line))
        for name, argument, line in _missing_arguments(source.text, path):
            shown = f"{name}({argument}=)"
            file.missing += 1
            symbols.setdefault(shown, _Symbol(shown, NO_ARGUMENT)).places.append(source.place(line))
        # `x.numpy()` is eager execution only in a program of TensorFlow's.
        file.findings = [(source.place(f.line), f) for f in old if f.kind != EAGER or file.is_program_of_tensorflow]
    return symbols, files, sources


def _print_symbols(symbols: list[_Symbol], everything: bool) -> None:
    colours = {SUPPORTED: "green", OTHER: "yellow", MISSING: "red", NO_ARGUMENT: "red"}
    rows = [
        (s.name, (f"{s.state}; {s.note}" if s.note else s.state, colours[s.state]), len(s.places), s.places[0])
        for s in symbols
        if everything or s.state != SUPPORTED
    ]
    if rows:
        print_table(("name", "state", "uses", "first at"), rows, right=("uses",))


def _print_files(files: list[_File]) -> None:
    rows = [(place, finding.name, finding.advice) for file in files for place, finding in file.findings]
    if rows:
        print_table(("place", "old name", "instead"), rows)
    if files:
        print_table(("file", "verdict"), [(file.path, file.verdict) for file in files])


def _fix(sources: list[Source], writes: bool) -> None:
    """Prints what is mechanical to change, and changes it if `writes`."""
    for source in sources:
        text = modernized(source.text)
        if text is None or text == source.text:
            continue
        name = str(source.path)
        before, after = source.text.splitlines(keepends=True), text.splitlines(keepends=True)
        sys.stdout.writelines(difflib.unified_diff(before, after, name, f"{name} (fixed)"))
        if writes:
            write_source(source, text)


def run(args: argparse.Namespace) -> int:
    """Prints the report.

    Args:
        args: the command's arguments.

    Returns:
        int, the exit status. Status 0 if everything is supported or differs in a known way. Status 1 if a name or an
        argument is missing or was removed. Status 2 if a file could not be read.
    """
    if args.write and not args.fix:
        print("ferroflow check: --write is of --fix, which shows the change first.", file=sys.stderr)
        return 2
    found, files, sources = _report(args.paths)
    if args.fix:
        _fix(sources, args.write)
        return 0
    if not found and not any(file.unread or file.findings for file in files):
        print(
            f"No use of TensorFlow's names in {', '.join(args.paths)}: Python files (*.py) and notebooks (*.ipynb) "
            "are read.",
            file=sys.stderr,
        )
    order = {MISSING: 0, NO_ARGUMENT: 1, OTHER: 2, SUPPORTED: 3}
    symbols = sorted(found.values(), key=lambda s: (order[s.state], -len(s.places), s.name))
    unread = [file.unread for file in files if file.unread]
    if args.json:
        _print_json(symbols, files, unread)
    else:
        _print_symbols(symbols, args.all)
        _print_files(files)
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
    is_missing = any(s.state in (MISSING, NO_ARGUMENT) for s in symbols)
    return 1 if is_missing or any(file.findings for file in files) else 0


def _print_json(symbols: list[_Symbol], files: list[_File], unread: list[str]) -> None:
    report = {
        "symbols": [{"name": s.name, "state": s.state, "note": s.note, "places": s.places} for s in symbols],
        "files": [
            {
                "file": file.path,
                "verdict": file.verdict,
                "findings": [
                    {"place": place, "kind": f.kind, "name": f.name, "advice": f.advice} for place, f in file.findings
                ],
            }
            for file in files
        ],
        "unread": unread,
    }
    print(json.dumps(report, indent=1))
