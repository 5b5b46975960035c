"""`ferroflow bench`: measures a few steps on this machine, and compares them with TensorFlow if it is installed."""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import ferroflow
from ferroflow.command_line import bench_steps
from ferroflow.command_line.tables import print_table

HELP = "time a few steps on this machine, also with TensorFlow if it is installed"
EXIT_STATUS = "0; 1 if the libraries' results differ; 2 if a step does not exist or an interpreter failed"

# Not as a script, whose folder Python would search first: modules in it have the names of Python's own.
_RUNNER = "import runpy, sys; del sys.argv[0]; runpy.run_path(sys.argv[0], run_name='__main__')"
# Two libraries run by turns, so that a machine whose speed drifts slows both.
_ROUNDS = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument(
        "steps", metavar="STEP", nargs="*", help=f"the steps to time; default: all of {', '.join(bench_steps.STEPS)}"
    )
    parser.add_argument("--seconds", type=float, default=1.0, help="seconds for each step and round; default: 1")
    parser.add_argument(
        "--tensorflow",
        metavar="PYTHON",
        help="a Python interpreter with TensorFlow; default: this one, if TensorFlow is installed",
    )
    parser.add_argument("--json", action="store_true", help="print the numbers as JSON")


def _measured(python: str, library: str, seconds: float, steps: list[str]) -> list[dict[str, Any]]:
    """Returns the steps' times in a process of an interpreter.

    Raises:
        subprocess.CalledProcessError: if it failed.
    """
    command = [python, "-c", _RUNNER, bench_steps.__file__, library, str(seconds), *steps]
    environment = dict(os.environ)
    if library == "ferroflow":
        # The one that runs this command, installed or not.
        paths = [str(Path(ferroflow.__file__).parent.parent), environment.get("PYTHONPATH", "")]
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("{")]


def _best(rounds: list[list[dict[str, Any]]]) -> dict[str, dict[str, Any]]:
    """Returns, for each step, the round with the smallest median: other load on the machine can only add time."""
    best: dict[str, dict[str, Any]] = {}
    for row in (row for rows in rounds for row in rows):
        known = best.get(row["name"])
        if known is None or row["quartiles"][1] < known["quartiles"][1]:
            best[row["name"]] = row
    return best


def _print(ours: dict[str, dict[str, Any]], theirs: dict[str, dict[str, Any]] | None) -> None:
    columns = ["step", "median", "half of all in", "what it does"]
    rows = []
    for name, row in ours.items():
        low, median, high = row["quartiles"]
        cells = [name, f"{median:,.1f} us", f"{low:,.1f} to {high:,.1f} us", bench_steps.STEPS[name][1]]
        if theirs is not None:
            other = theirs[name]["quartiles"][1]
            cells[3:3] = [f"{other:,.1f} us", f"{median / other:.2f}"]
        rows.append(cells)
    if theirs is not None:
        columns[3:3] = ["TensorFlow", "ratio"]
    print_table(columns, rows, right=("median", "TensorFlow", "ratio"))
    processors = len(os.sched_getaffinity(0))
    print(f"Each number is a whole Session.run from Python, on {processors} processors; the best of {_ROUNDS} rounds.")
    if theirs is None:
        print("TensorFlow is not installed here, so there is no comparison (name its Python with --tensorflow).")


def run(args: argparse.Namespace) -> int:
    """Prints the times.

    Args:
        args: the command's arguments.

    Returns:
        int: 0; 1 if the libraries' results differ; 2 if there is no such step or an interpreter failed.
    """
    unknown = [step for step in args.steps if step not in bench_steps.STEPS]
    if unknown:
        print(f"ferroflow bench: no step {unknown[0]}; there are {', '.join(bench_steps.STEPS)}", file=sys.stderr)
        return 2
    libraries = {"ferroflow": sys.executable}
    if args.tensorflow or importlib.util.find_spec("tensorflow") is not None:
        libraries["tensorflow"] = args.tensorflow or sys.executable
    rounds: dict[str, list[list[dict[str, Any]]]] = {library: [] for library in libraries}
    try:
        for _ in range(_ROUNDS):
            for library, python in libraries.items():
                rounds[library].append(_measured(python, library, args.seconds, args.steps))
    except (subprocess.CalledProcessError, OSError) as failure:
        print(f"ferroflow bench: {getattr(failure, 'stderr', None) or failure}", file=sys.stderr)
        return 2
    best = {library: _best(found) for library, found in rounds.items()}
    if args.json:
        print(json.dumps(best, indent=1))
    else:
        _print(best["ferroflow"], best.get("tensorflow"))
    differing = [
        name
        for name, row in best["ferroflow"].items()
        if abs(row["check"] - best.get("tensorflow", best["ferroflow"])[name]["check"]) > 1e-3 * abs(row["check"])
    ]
    for name in differing:
        print(f"ferroflow bench: the libraries' results of {name} differ", file=sys.stderr)
    return 1 if differing else 0
