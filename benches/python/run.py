"""Times short steps and small programs; given interpreters that have TensorFlow, by turns, and prints the ratios.

    python benches/python/run.py [--cases REGEX] [--rounds 3] [--tensorflow1 PYTHON] [--tensorflow2 PYTHON]

Times are medians in microseconds. Each library runs in a process of its own, by turns, so that a machine whose speed
drifts slows all. A ratio is ferroflow's best round divided by the other library's.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from cases import CASES
from libraries import load

# Seconds of samples for a case and round; a sample is at least a few milliseconds of steps.
BUDGET = 1.0
SAMPLE = 0.005


def time_step(step: Callable[[], Any]) -> float:
    """Median microseconds of a step."""
    for _ in range(3):
        step()
    start = time.perf_counter()
    step()
    repeats = max(1, int(SAMPLE / max(time.perf_counter() - start, 1e-7)))
    samples = []
    end = time.perf_counter() + BUDGET
    while time.perf_counter() < end or len(samples) < 3:
        start = time.perf_counter()
        for _ in range(repeats):
            step()
        samples.append((time.perf_counter() - start) / repeats)
    return statistics.median(samples) * 1e6


def measure(library: str, names: list[str]) -> dict[str, Any]:
    """Times and checked values of the cases, and the import time, in this process."""
    start = time.perf_counter()
    tf = load(library)
    result: dict[str, Any] = {"import": {"us": (time.perf_counter() - start) * 1e6, "check": []}}
    for name in names:
        with tf.Graph().as_default():
            step, check = CASES[name](tf)
            checked = check()
            result[name] = {"us": time_step(step), "check": checked}
    return result


def measured_by(python: str, library: str, names: list[str]) -> dict[str, Any]:
    """`measure` in a process of its own."""
    command = [python, __file__, "--worker", library, "--cases", "^(" + "|".join(names) + ")$"]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def agree(a: list[float], b: list[float]) -> bool:
    """Whether two checks are the same up to float32 rounding."""
    return all(abs(x - y) <= 1e-4 * max(1.0, abs(x), abs(y)) for x, y in zip(a, b, strict=True))


def main() -> None:
    """Parses the command line and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", default="", help="regular expression of case names")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tensorflow1", help="an interpreter that has TensorFlow 1.15")
    parser.add_argument("--tensorflow2", help="an interpreter that has TensorFlow 2")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    args = parser.parse_args()
    names = [name for name in CASES if re.search(args.cases, name)]
    if args.worker:
        print(json.dumps(measure(args.worker, names)))
        return
    pythons = {"ferroflow": sys.executable, "TensorFlow 1.15": args.tensorflow1, "TensorFlow 2.21": args.tensorflow2}
    pythons = {library: python for library, python in pythons.items() if python}
    best: dict[str, dict[str, dict[str, Any]]] = {library: {} for library in pythons}
    for _ in range(args.rounds):
        for library, python in pythons.items():
            module = "ferroflow" if library == "ferroflow" else "tensorflow"
            for name, row in measured_by(python, module, names).items():
                old = best[library].get(name)
                if old is None or row["us"] < old["us"]:
                    best[library][name] = row
    others = list(pythons)[1:]
    cells = ["case", *(f"{library}, us" for library in pythons), *(f"to {library}" for library in others)]
    print(f"| {' | '.join(cells)} |\n|" + "---|" * len(cells))
    for name, ours in best["ferroflow"].items():
        cells = [name.replace("_", " "), *(f"{best[library][name]['us']:,.1f}" for library in pythons)]
        for library in others:
            theirs = best[library][name]
            same = agree(ours["check"], theirs["check"])
            cells.append(f"{ours['us'] / theirs['us']:.3f}" + ("" if same else ", other values"))
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
