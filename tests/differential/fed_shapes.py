"""Runs the programs of all families, with and without plans for the shapes of feeds, and writes down what differs.

PYTHONPATH=tests:pyfront python -m differential.fed_shapes --seconds 600 --seed 1

Arrays and constants of a program become placeholders of which as little is known as can be. Every step of a run is made
`STEPS` times by two sessions: one makes plans for the shapes of feeds, the other does not. Both see one program, so
numbers of random ops and states agree.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import json
import random
import re
import resource
import sys
import time
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
from differential import chains, contrib, functions, op_calls, states, surfaces, training, variable_calls
from differential.language import Interpreter, decode_array, encode

import ferroflow as tf
from ferroflow._src.session import config as session_config, session as session_module

Program = dict[str, Any]
FAMILIES = {
    "op_calls": op_calls.program,
    "written_calls": op_calls.written_program,
    "variable_calls": variable_calls.program,
    "chains": chains.program,
    "training": training.program,
    "contrib": contrib.program,
    "functions": functions.program,
    "surfaces": surfaces.program,
    "states": states.program,
}
_SEEDS_APART = 1_000_000
# Two more than the steps before a plan for the shapes is made.
STEPS = 10
_MOST_TENSORS = 60
# Ops that read what other sessions may write meanwhile.
_FILES = ("ReadFile", "Restore", "RestoreSlice", "RestoreV2")
# Milliseconds that a step may wait, for an element of a queue as an example.
_MOST_MS = 2000
# What is known of a placeholder: the first that the program can be built with is taken.
_KNOWN = ("nothing", "rank", "sizes", "value")


class Finding(NamedTuple):
    """A program whose steps differ."""

    family: str
    number: int
    program: Program
    known: str
    told: str

    def __str__(self) -> str:
        return f"{self.family} {self.number} ({self.program['about']}), {self.known} known: {self.told}"


class _Open(Interpreter):
    """Builds a program whose arrays are placeholders."""

    def __init__(self, known: str, seed: int) -> None:
        super().__init__(tf)
        self._known = known
        self._rng = random.Random(seed)
        self.feeds: dict[Any, Any] = {}
        self.hidden: dict[Any, Any] = {}
        self._ranks: dict[str, int] = {}
        self._is_building = False

    def _placeholder(self, value: Any) -> Any:
        if self._known == "value" or self._rng.random() < 0.15:
            return value
        shape = {"nothing": None, "rank": [None] * value.ndim, "sizes": value.shape}[self._known]
        with tf.init_scope():
            made = tf.placeholder(tf.as_dtype(value.dtype), shape)
            self.feeds[made] = value
            return self._hidden(made, value)

    def _hidden(self, made: Any, value: Any) -> Any:
        """Returns the placeholder, or its value with sizes that no rule can know."""
        way = self._rng.choice(("shown", "shown", "rows", "sizes")) if value.ndim else "shown"
        if way == "shown" or made.dtype.is_quantized:
            return made
        told = np.int32(value.shape[0]) if way == "rows" else np.array(value.shape, np.int32)
        size = tf.placeholder(tf.int32, told.shape)
        self.feeds[size] = told
        hidden = made[:size] if way == "rows" else tf.reshape(made, size)
        self.hidden[hidden] = (made, size, way)
        return hidden

    def fed(self, feeds: dict[Any, Any]) -> dict[Any, Any]:
        """Returns what is fed for the arrays of a run."""
        found = dict(self.feeds)
        for tensor, value in feeds.items():
            if tensor not in self.hidden:
                found[tensor] = value
                continue
            made, size, way = self.hidden[tensor]
            shape = np.shape(value)
            found[made] = value
            found[size] = shape[0] if way == "rows" and shape else np.array(shape, np.int32)
        return found

    def _array(self, content: Any, names: dict[str, Any]) -> Any:
        value = decode_array(tf, *content)
        return self._placeholder(value) if self._is_building else value

    def build(self, program: Program, names: dict[str, Any]) -> None:
        for run in program["runs"]:
            for key, value in run.get("feed", []):
                if "array" in value and key.get("ref"):
                    self._ranks[key["ref"]] = len(value["array"][1])
        self._is_building = True
        self.steps(program["steps"], names)
        self._is_building = False

    def steps(self, steps: list[Any], names: dict[str, Any], static: Any = None) -> None:
        for step in steps:
            name, function, arguments, keywords = step
            if function == "constant" and isinstance(arguments[0], dict) and "array" in arguments[0]:
                names[name] = self.value(arguments[0], names)
                if not isinstance(names[name], tf.Tensor):
                    super().steps([[name, function, [names[name]], keywords]], names, None)
            elif function == "placeholder" and self._known in ("nothing", "rank") and self._rng.random() < 0.8:
                super().steps([[name, function, arguments[:1], {}]], names, static)
                rank = self._ranks.get(name)
                if rank:
                    names[name] = self._hidden(names[name], np.zeros(rank * [1]))
            else:
                super().steps([step], names, static)


def _general() -> Any:
    """Makes sessions without plans for the shapes of feeds."""
    options = session_config.session_options
    return mock.patch.object(
        session_module, "session_options", lambda config: {**options(config), "without_rewrites": ["fed_shapes"]}
    )


def _outcome(session: Any, fetches: Any, feeds: dict[Any, Any]) -> Any:
    try:
        fetched = session.run(fetches, feeds)
    except Exception as error:
        # Names of resources and addresses are numbered.
        return re.sub(r"0x[0-9a-f]+|[0-9]+", "0", f"{type(error).__name__}: {str(error).partition('Caused by')[0]}")
    return [_encoded(v) for v in tf.contrib.framework.nest.flatten(fetched)]


def _encoded(value: Any) -> Any:
    if isinstance(value, (bytes, str, np.ndarray, np.generic)) or value is None:
        return None if value is None else encode(value)
    return str(type(value))


def _tensors(graph: Any) -> list[Any]:
    """Returns tensors of a graph that can be fetched, whose shapes can be asked without a change of state."""
    found = []
    of_files: set[Any] = set()
    for op in graph.get_operations():
        before = [*op.control_inputs, *(tensor.op for tensor in op.inputs)]
        if op.type in _FILES or not of_files.isdisjoint(before):
            of_files.add(op)
            continue
        for output in op.outputs:
            if output.dtype in (tf.resource, tf.variant) or output.dtype._is_ref_dtype:
                continue
            if graph.is_fetchable(output) and op._get_control_flow_context() is None:
                found.append(output)
    return found


def _shapes_of(session: Any, tensors: list[Any], feeds: dict[Any, Any]) -> list[Any]:
    """Returns those tensors that have values, where others fail."""
    kept = []
    for tensor in tensors[:_MOST_TENSORS]:
        outcome = _outcome(session, tensor, feeds)
        if _is_late(outcome):
            return []
        if isinstance(outcome, list):
            kept.append(tensor)
    return kept


def _steps(session: Any, runs: list[Any]) -> Iterator[tuple[str, Any]]:
    """Makes the steps of all runs; gives their outcomes."""
    for number, (fetches, feeds) in enumerate(runs):
        for step in range(STEPS):
            yield f"run {number} step {step}", _outcome(session, fetches, feeds)


def _built(program: Program, known: str, seed: int) -> tuple[Any, dict[str, Any], _Open] | None:
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(program.get("seed") or 1)
        interpreter, names = _Open(known, seed), {}
        try:
            interpreter.build(program, names)
        except Exception:
            return None
        return graph, names, interpreter


def check(program: Program, seed: int, least_known: int = 0) -> tuple[str, str | None, bool]:
    """Returns what is known of the placeholders, what differs, if anything, and whether a step was without error."""
    for known in _KNOWN[least_known:]:
        built = _built(program, known, seed)
        if built is not None:
            break
    else:
        return "", None, False
    graph, names, interpreter = built
    with graph.as_default():
        return known, *_checked(graph, names, interpreter, program)


def _checked(graph: Any, names: Any, interpreter: _Open, program: Program) -> tuple[str | None, bool]:
    runs: list[Any] = []
    config = tf.ConfigProto(
        operation_timeout_in_ms=_MOST_MS, intra_op_parallelism_threads=1, inter_op_parallelism_threads=1
    )
    with tf.Session(graph=graph, config=config) as session:
        tensors = _tensors(graph)
        # Not tf.shape: it makes a constant of a shape that the program states.
        shapes = {t: tf.raw_ops.Shape(input=t, out_type=tf.int32) for t in tensors}
        for run in program["runs"]:
            try:
                feeds = {interpreter.value(k, names): interpreter.value(v, names) for k, v in run.get("feed", [])}
                feeds = interpreter.fed(feeds)
                if "fill" in run or "differences" in run:
                    fetches = [tf.global_variables_initializer(), tf.local_variables_initializer()]
                else:
                    fetches = interpreter.value(run["fetch"], names)
            except Exception:
                continue
            runs.append((fetches, feeds))
        last = runs[-1][1] if runs else {}
        for fetches, feeds in runs:
            if _is_late(_outcome(session, fetches, feeds)):
                return None, False
        kept = _shapes_of(session, tensors, last)
    runs.append(([kept, [shapes[t] for t in kept]], last))
    runs.append(([shapes[t] for t in kept], last))

    def sessions(*generals: bool) -> list[Any]:
        made = []
        for is_general in generals:
            with _general() if is_general else contextlib.nullcontext():
                made.append(tf.Session(graph=graph, config=config))
        return made

    found, is_sound = _compared(sessions(False, True), runs, kept)
    if found and _compared(sessions(True, True), runs, kept)[0]:
        return None, False  # its steps differ anyway
    return found, is_sound


def _compared(sessions: list[Any], runs: list[Any], kept: list[Any]) -> tuple[str | None, bool]:
    is_sound = False
    with sessions[0], sessions[1]:
        first, second = (_steps(session, runs) for session in sessions)
        for number, ((place, ours), (_, theirs)) in enumerate(zip(first, second, strict=True)):
            if number // STEPS == len(runs) - 2 and isinstance(ours, list):
                is_sound = True
                for tensor, value, shape in zip(kept, ours[: len(kept)], ours[len(kept) :], strict=True):
                    told = np.frombuffer(base64.b64decode(shape["bytes"]), np.int32).tolist()
                    if value["shape"] != told:
                        return f"{place}: {tensor.op.type} {tensor.name} is {value['shape']}, stated {told}", True
            if _is_late(ours) or _is_late(theirs):
                return None, False
            if ours != theirs:
                return f"{place}: {_first_difference(ours, theirs)}", True
    return None, is_sound


def _is_late(outcome: Any) -> bool:
    """Returns true if a step waited too long: what it did is not defined then."""
    return isinstance(outcome, str) and outcome.startswith("DeadlineExceeded")


def _first_difference(ours: Any, theirs: Any) -> str:
    if isinstance(ours, str) or isinstance(theirs, str):
        return f"{str(ours)[:300]!r} and in general {str(theirs)[:300]!r}"
    for place, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        if a != b:
            return f"value {place}: {str(a)[:200]} and in general {str(b)[:200]}"
    return "nothing"


def campaign(seconds: float, seed: int, families: list[str]) -> Iterator[Finding | bool]:
    """For each program, the finding, or whether a step was without error."""
    end = time.monotonic() + seconds
    number = seed * _SEEDS_APART
    while time.monotonic() < end:
        for family in families:
            program = FAMILIES[family](number)
            known, told, is_sound = check(program, number, number % 3)
            yield Finding(family, number, program, known, told) if told else is_sound
        number += 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--families", default=",".join(FAMILIES))
    parser.add_argument("--out", help="a file for the findings, one a line")
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    warnings.simplefilter("ignore")
    tf.logging.set_verbosity(tf.logging.FATAL)
    counts = {"programs": 0, "sound": 0, "differ": 0}
    for found in campaign(options.seconds, options.seed, options.families.split(",")):
        counts["programs"] += 1
        counts["sound"] += found is True
        if isinstance(found, Finding):
            counts["differ"] += 1
            print(found, flush=True)
            if options.out:
                with open(options.out, "a") as file:
                    file.write(json.dumps(found._asdict()) + "\n")
    print(counts, file=sys.stderr)


if __name__ == "__main__":
    main()
