"""Runs programs of all families on both sides until a time is over, and writes down what differs.

FERROFLOW_TENSORFLOW_PYTHON=... PYTHONPATH=tests:pyfront python -m differential.campaign --seconds 600 --seed 1
... python -m differential.campaign --replay program.json
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from differential import (
    chains,
    contrib,
    datasets,
    functions,
    handles,
    misuse,
    op_calls,
    states,
    surfaces,
    training,
    variable_calls,
)
from differential.accepted import reason
from differential.comparison import Difference, differences
from differential.processes import Pair
from differential.rounding import is_rounding, is_undetermined

Program = dict[str, Any]
# The programs of a family, by number.
FAMILIES: dict[str, Callable[[int], Program]] = {
    "op_calls": op_calls.program,
    "written_calls": op_calls.written_program,
    "variable_calls": variable_calls.program,
    "chains": chains.program,
    "training": training.program,
    "datasets": datasets.program,
    "contrib": contrib.program,
    "functions": functions.program,
    "surfaces": surfaces.program,
    "states": states.program,
    "handles": handles.program,
}
# Only by request: programs of one wrong call, of which only careless answers count.
ON_REQUEST: dict[str, Callable[[int], Program]] = {"misuse": misuse.program}
_CARELESS = ("AttributeError", "KeyError", "IndexError", "UnboundLocalError", "AssertionError", "InternalError")
_SEEDS_APART = 1_000_000


class Finding(NamedTuple):
    """A program on which the two sides differ, and how."""

    family: str
    number: int
    program: Program
    differences: list[Difference]

    def __str__(self) -> str:
        told = "\n".join(f"  {difference}" for difference in self.differences)
        return f"{self.family} {self.number} ({self.program['about']}):\n{told}\n  program: {json.dumps(self.program)}"


def is_careless(difference: Difference) -> bool:
    """Returns True if a wrong call ends in an error of Python inside the library, or in none where TensorFlow has one.

    Errors of TensorFlow that are Python's own count as none.
    """
    theirs, ours = (str(side).partition(":")[0] for side in (difference.tensorflow, difference.ours))
    if not difference.kind.endswith("error") or theirs in _CARELESS:
        return False
    return ours in _CARELESS or (ours.startswith("no error") and not theirs.startswith("no error"))


def check(pair: Pair, program: Program) -> list[Difference]:
    """What differs between the two sides beyond what is accepted."""
    tensorflow, ours = pair.run(program)
    found = [found for found in differences(program, tensorflow, ours) if reason(program, found) is None]
    if found and (
        is_rounding(pair, program, found) or (not program["exact"] and is_undetermined(pair, program, found))
    ):
        return []
    return found


def campaign(pair: Pair, seconds: float, seed: int, families: list[str]) -> Iterator[Finding | None]:
    """For each program, the finding or None, until the time is over; one program of each family in turn."""
    end = time.monotonic() + seconds
    number = seed * _SEEDS_APART
    while time.monotonic() < end:
        for family in families:
            program = {**FAMILIES, **ON_REQUEST}[family](number)
            found = check(pair, program)
            if family in ON_REQUEST:
                found = [difference for difference in found if is_careless(difference)]
            yield Finding(family, number, program, found) if found else None
        number += 1


def shrink(pair: Pair, program: Program) -> Program:
    """A smaller program that still differs in the same kind: without runs, steps and feeds that it does not need."""
    kinds = {found.kind for found in check(pair, program)}

    def differs(smaller: Program) -> bool:
        return bool(kinds & {found.kind for found in check(pair, smaller)})

    for field in ("runs", "steps"):
        place = len(program[field]) - 1
        while place >= 0:
            smaller = {**program, field: program[field][:place] + program[field][place + 1 :]}
            if differs(smaller):
                program = smaller
            place -= 1
    return program


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--families", default=",".join(FAMILIES))
    parser.add_argument("--replay", help="a file with a program")
    parser.add_argument("--shrink", action="store_true", help="with --replay: print the smaller program")
    parser.add_argument("--out", help="a file for the findings, one a line")
    parser.add_argument("--patience", type=float, default=1, help="a factor of the time limits of starts and programs")
    options = parser.parse_args()
    pair = Pair(os.environ["FERROFLOW_TENSORFLOW_PYTHON"], options.patience)
    try:
        if options.replay:
            program = json.loads(Path(options.replay).read_text())
            if options.shrink:
                program = shrink(pair, program)
            tensorflow, ours = pair.run(program)
            print(json.dumps(program), "TensorFlow:", tensorflow, "ours:", ours, sep="\n")
            print(*differences(program, tensorflow, ours), sep="\n")
            return
        programs = wrong = 0
        for finding in campaign(pair, options.seconds, options.seed, options.families.split(",")):
            programs += 1
            if finding is not None:
                wrong += 1
                print(finding, flush=True)
                if options.out:
                    with open(options.out, "a") as file:
                        line = {**finding._asdict(), "differences": [str(d) for d in finding.differences]}
                        file.write(json.dumps(line) + "\n")
        print(
            f"{programs} programs, {wrong} differ; TensorFlow was started {pair.tensorflow.starts} times, "
            f"ferroflow {pair.ours.starts}",
            file=sys.stderr,
        )
    finally:
        pair.close()


if __name__ == "__main__":
    main()
